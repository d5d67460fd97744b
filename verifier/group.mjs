// ristretto255: points with their encodings, scalars, sums, and points hashed to the group.
import { ed25519, hashToRistretto255, RistrettoPoint } from '@noble/curves/ed25519';
import { concat, equal, littleEndian, Malformed, pieces, toHex } from './bytes.mjs';

export const Q = 2n ** 252n + 27742317777372353535851937790883648493n;
export const mod = (a) => ((a % Q) + Q) % Q;
const Edwards = ed25519.Point ?? ed25519.ExtendedPoint;

export class Point {
  constructor(inner, bytes = null) {
    this.inner = inner;
    this.encoded = bytes;
  }
  get bytes() {
    return (this.encoded ??= this.inner.toBytes());
  }
  get key() {
    return (this.hex ??= toHex(this.bytes));
  }
  get isIdentity() {
    return this.inner.equals(RistrettoPoint.ZERO);
  }
  add(other) {
    return new Point(this.inner.add(other.inner));
  }
  sub(other) {
    return new Point(this.inner.subtract(other.inner));
  }
  neg() {
    return new Point(this.inner.negate());
  }
  times(scalar) {
    return sum([[scalar, this]]);
  }
  equals(other) {
    return this.inner.equals(other.inner);
  }
}

export const G = new Point(RistrettoPoint.BASE);
export const ZERO = new Point(RistrettoPoint.ZERO);

/** What was computed before for the same bytes: many logs of one process share most of their points. */
const remembered = (size, make) => {
  const known = new Map();
  return (name, ...rest) => {
    let made = known.get(name);
    if (made === undefined) {
      made = make(name, ...rest);
      if (known.size >= size) known.clear();
      known.set(name, made);
    }
    return made;
  };
};

const decoded = remembered(100000, (_, bytes) => {
  try {
    return new Point(RistrettoPoint.fromBytes(bytes), new Uint8Array(bytes));
  } catch {
    return null;
  }
});

/** One point of its canonical encoding; the identity only where it is allowed. */
export function point(bytes, identity = false) {
  const made = decoded(toHex(bytes), bytes);
  if (made === null) throw new Malformed('not a point');
  if (!identity && made.isIdentity) throw new Malformed('the identity');
  return made;
}

export const points = (bytes, count, identity = false) => {
  if (bytes.length !== 32 * count) throw new Malformed(`${bytes.length} bytes instead of ${count} points`);
  return pieces(bytes).map((one) => point(one, identity));
};

export function scalar(bytes, zero = false) {
  const number = littleEndian(bytes);
  if (bytes.length !== 32 || number >= Q) throw new Malformed('not a scalar');
  if (!zero && number === 0n) throw new Malformed('zero');
  return number;
}

export const scalars = (bytes, count, zero = false) => {
  if (bytes.length !== 32 * count) throw new Malformed(`${bytes.length} bytes instead of ${count} scalars`);
  return pieces(bytes).map((one) => scalar(one, zero));
};

export const encode = (list) => concat(...list.map((one) => one.bytes));
export const distinct = (list) => new Set(list.map((one) => one.key)).size === list.length;
export const add = (list) => list.reduce((a, b) => a.add(b), ZERO);

/** Σ scalar·point over pairs. */
export function sum(terms) {
  const scalarsOf = [];
  const pointsOf = [];
  for (const [factor, of] of terms) {
    const reduced = mod(factor);
    if (reduced === 0n || of.inner === RistrettoPoint.ZERO) continue;
    scalarsOf.push(reduced);
    pointsOf.push(of.inner.ep);
  }
  if (!pointsOf.length) return ZERO;
  if (pointsOf.length === 1) return new Point(new RistrettoPoint(pointsOf[0].multiplyUnsafe(scalarsOf[0])));
  return new Point(new RistrettoPoint(Edwards.msm(pointsOf, scalarsOf)));
}

/** k·G, with the tables that noble keeps for G. */
export const timesG = (k) => (mod(k) === 0n ? ZERO : new Point(RistrettoPoint.BASE.multiply(mod(k))));

const hashed = remembered(20000, (_, label, message) => new Point(hashToRistretto255(message, { DST: label })));
export const hashToGroup = (label, message) => hashed(`${label} ${toHex(message)}`, label, message);

/** The one-way map of RFC 9496, from 64 bytes. */
export const oneWay = (bytes) => new Point(RistrettoPoint.hashToCurve(toHex(bytes)));

const generators = [];
/** G_1 … G_m of the commitments. */
export function commitmentGenerators(count) {
  for (let i = generators.length + 1; i <= count; i += 1) {
    const index = new Uint8Array(4);
    new DataView(index.buffer).setUint32(0, i, true);
    generators.push(hashToGroup('nodealer/v0/commitment generators', index));
  }
  return generators.slice(0, count);
}
let blinding = null;
export const blindingGenerator = () => (blinding ??= hashToGroup('nodealer/v0/blinding generator', new TextEncoder().encode('H')));
