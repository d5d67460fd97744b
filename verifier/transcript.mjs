// Transcripts (docs/spec/proofs.md, "Transcript"): every challenge is a hash of everything before it.
import { littleEndian, pieces } from './bytes.mjs';
import { mod } from './group.mjs';
import { framed, sha512, shake256 } from './hash.mjs';

export const GROUP = 'ristretto255';

export class Transcript {
  /** context: protocol, version, session, roster, hand, deck, epoch, step, seat, anchor */
  constructor(context) {
    this.hash = sha512.create();
    this.lines = [];
    this.absorb('nodealer/proof', 1);
    this.absorb('context', ...context);
  }
  absorb(label, ...items) {
    this.lines.push([label, ...items]);
    this.hash.update(framed(label, items.length, ...items));
  }
  challenges(label, count) {
    this.absorb(label, GROUP, count);
    const bytes = shake256(this.hash.clone().digest(), { dkLen: 64 * count });
    this.absorb('challenge', bytes);
    return pieces(bytes, 64).map((one) => mod(littleEndian(one)));
  }
  challenge(label) {
    return this.challenges(label, 1)[0];
  }
}
