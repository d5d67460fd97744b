// Signatures and box keys, by the rules of docs/spec/log.md ("Bytes"), which are stricter than noble's own.
import { ed25519 } from '@noble/curves/ed25519';
import { concat, equal, fromHex, littleEndian, Malformed, toHex } from './bytes.mjs';
import { sha512 } from './hash.mjs';
import { Q } from './group.mjs';

const Edwards = ed25519.Point ?? ed25519.ExtendedPoint;
const decoded = new Map();

/** The point of a key, or null: y not below 2^255 - 19, or no point of the curve. */
function pointOf(key) {
  const name = toHex(key);
  if (!decoded.has(name)) {
    let made = null;
    try {
      made = Edwards.fromHex(name, false);
    } catch {
      made = null;
    }
    decoded.set(name, made);
  }
  return decoded.get(name);
}

export function checkKey(key) {
  const made = pointOf(key);
  if (made === null) throw new Malformed('a key that is no point');
  if (made.isSmallOrder() || !made.isTorsionFree()) throw new Malformed('a key outside of the group');
}

const verdicts = new Map();

/** S is below L, and the encoding of S·B − k·A is R. */
export function verify(key, message, signature) {
  const name = toHex(sha512(concat(key, signature, message)));
  if (verdicts.has(name)) return verdicts.get(name);
  const verdict = verifyNow(key, message, signature);
  verdicts.set(name, verdict);
  return verdict;
}

function verifyNow(key, message, signature) {
  const A = pointOf(key);
  const S = littleEndian(signature.subarray(32));
  if (A === null || S >= Q) return false;
  const R = signature.subarray(0, 32);
  const k = littleEndian(sha512(concat(R, key, message))) % Q;
  const left = S === 0n ? Edwards.ZERO : Edwards.BASE.multiplyUnsafe(S);
  const right = k === 0n ? Edwards.ZERO : A.multiplyUnsafe(k);
  return equal(left.subtract(right).toBytes(), R);
}

const P = 2n ** 255n - 19n;
const WEAK = [
  0n, 1n, P - 1n,
  littleEndian(fromHex('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800')),
  littleEndian(fromHex('5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157')),
];

export function checkBox(box) {
  const u = littleEndian(box);
  if (u >= P || WEAK.includes(u)) throw new Malformed('a box key that is refused');
}
