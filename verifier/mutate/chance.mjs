// Numbers by a fixed seed: the same seed gives the same mutants.
import { sha512 } from '../hash.mjs';

export class Chance {
  constructor(seed) {
    this.bytes = (function* bytes() {
      for (let block = 0; ; block += 1) yield* sha512(new TextEncoder().encode(`${seed} ${block}`));
    })();
  }
  below(n) {
    let number = 0;
    for (let i = 0; i < 6; i += 1) number = number * 256 + this.bytes.next().value;
    return number % n;
  }
  of(list) {
    return list[this.below(list.length)];
  }
  take(size) {
    return Uint8Array.from({ length: size }, () => this.bytes.next().value);
  }
}
