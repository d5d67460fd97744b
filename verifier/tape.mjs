// What a tape draws (docs/spec/proofs.md, "Tapes").
import { pieces, littleEndian } from './bytes.mjs';
import { mod } from './group.mjs';
import { XOF } from './hash.mjs';

export const handSeed = (root, session, seat, hand) => XOF(32, 'hand', root, session, seat, hand);
export const draw = (seed, label, inputs, index, size) => XOF(size, 'value', seed, label, inputs, index);

/** Scalars are drawn together; where one is zero all are drawn again. */
export function scalarsOf(seed, label, inputs, count) {
  for (let index = 0; ; index += 1) {
    const made = pieces(draw(seed, label, inputs, index, 64 * count), 64).map((one) => mod(littleEndian(one)));
    if (!made.includes(0n)) return made;
  }
}

/** A number below each bound: a word of 8 bytes each, in blocks; what is in the last, incomplete run below 2^64 is passed over. */
export function numbersBelow(seed, label, inputs, bounds) {
  const words = (function* words() {
    for (let index = 0; ; index += 1) yield* pieces(draw(seed, label, inputs, index, 8 * bounds.length), 8).map(littleEndian);
  })();
  return bounds.map((bound) => {
    const n = BigInt(bound);
    const limit = 2n ** 64n - (2n ** 64n % n);
    for (;;) {
      const word = words.next().value;
      if (word < limit) return Number(word % n);
    }
  });
}

/** An order of so many cards. Its blocks have a word for each card, though the last place needs none. */
export function order(seed, label, inputs, count) {
  const cards = Array.from({ length: count }, (_, i) => i);
  const bounds = [...Array.from({ length: count - 1 }, (_, i) => count - i), 1];
  numbersBelow(seed, label, inputs, bounds).slice(0, -1).forEach((at, i) => {
    const last = count - 1 - i;
    [cards[last], cards[at]] = [cards[at], cards[last]];
  });
  return cards;
}
