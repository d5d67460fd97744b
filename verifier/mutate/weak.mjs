// Signatures and keys about which libraries do not agree: of small and of mixed order, and written otherwise than once. What is
// made here fits its message by the rule of docs/spec/log.md ("Bytes") wherever anything can, so that nothing but the rule refuses it.
import { ed25519 } from '@noble/curves/ed25519';
import { concat, fromBase64, fromHex, littleEndian, toBase64, toUtf8 } from '../bytes.mjs';
import { Q } from '../group.mjs';
import { framed, H, sha512 } from '../hash.mjs';

const Edwards = ed25519.Point ?? ed25519.ExtendedPoint;
const EIGHT = Edwards.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'); // of order 8
const times = (point, number) => (number ? point.multiplyUnsafe(number) : Edwards.ZERO);
export const number32 = (number) => Uint8Array.from({ length: 32 }, (_, i) => Number((number >> BigInt(8 * i)) & 255n));
const some = (chance) => littleEndian(chance.take(40)) % Q;

/** The identity, -1 and the points of order 4 in encodings that are not theirs: y not reduced, or a sign where x is 0. */
const OTHERWISE = [
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
];
const BOXES = [
  number32(0n), number32(1n), number32(2n ** 255n - 20n), number32(2n ** 255n - 19n), number32(2n ** 255n - 18n), number32(2n ** 255n),
  fromHex('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'), fromHex('5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157'),
];

const challenge = (R, key, message) => littleEndian(sha512(concat(R, key, message))) % Q;
const answer = (R, r, { secret, key }, message) => concat(R, number32((r + challenge(R, key, message) * secret) % Q));

/** A signer whose key is secret·B + torsion·T, T of order 8. */
function signer(secret, torsion, key = null) {
  return { secret, torsion, key: key ?? times(Edwards.BASE, secret).add(times(EIGHT, BigInt(torsion))).toBytes() };
}

/** A key as it should be, of small order, of mixed order, or in an encoding that is not its own. */
function anySigner(chance) {
  return chance.of([
    () => signer(some(chance), 0), () => signer(0n, chance.below(8)), () => signer(some(chance), 1 + chance.below(7)),
    () => signer(0n, chance.below(8), fromHex(chance.of(OTHERWISE))), // no signature need fit
  ])();
}

/** R is r·B − k·T for the k that comes of it: tried until it does. */
function sign(by, message, chance) {
  for (let tries = 0; ; tries += 1) {
    const r = some(chance);
    const power = chance.below(8);
    const R = times(Edwards.BASE, r).subtract(times(EIGHT, BigInt((by.torsion * power) % 8))).toBytes();
    if (!by.torsion || tries > 200 || Number(challenge(R, by.key, message) % 8n) === power) return answer(R, r, by, message);
  }
}

/** A signature of a seat by another R than its library would take: as it should be, 0, of small or mixed order, or written otherwise. */
export function strange(seed, message, chance) {
  const { scalar, pointBytes: key } = ed25519.utils.getExtendedPublicKey(seed);
  const r = chance.below(2) ? 0n : some(chance);
  const point = times(Edwards.BASE, r).add(times(EIGHT, BigInt(chance.of([0, 0, 1, 2, 4, 7]))));
  const R = chance.below(4) ? point.toBytes() : fromHex(chance.of(OTHERWISE));
  return answer(R, r, { secret: scalar, key }, message);
}

/** Somebody with any key and any box, who has signed it. */
function stranger(member, chance) {
  const by = anySigner(chance);
  const box = chance.below(3) ? fromBase64(member.box) : chance.of(BOXES);
  const boxSignature = sign(by, framed('nodealer/box/v1', by.key, box), chance);
  return { by, member: { ...member, key: toBase64(by.key), box: toBase64(box), boxSignature: toBase64(boxSignature) } };
}

/** The first line with somebody else at a seat, whose nonces fit again. */
export function otherSession(line, chance) {
  const session = JSON.parse(line);
  const { proposal } = session;
  const { members } = proposal.roster;
  const at = chance.below(members.length);
  members[at] = stranger(members[at], chance).member;
  const digest = H('proposal', toUtf8(JSON.stringify(proposal)));
  session.commitments = members.map(({ seat }, i) => toBase64(H('session nonce', digest, seat, fromBase64(session.nonces[i]))));
  return JSON.stringify(session);
}

/** A proposal with somebody more, who has agreed. */
export function withNewcomer(table, chance) {
  const { members } = JSON.parse(table.roster.json);
  const { by, member } = stranger({ ...members.at(-1), seat: 19, name: 'Zoe', role: members[0].role }, chance);
  const roster = JSON.stringify({ members: [...members, member] });
  const words = framed('nodealer/newcomer/v1', table.session.number, H('roster', toUtf8(roster)), member.seat, member.name, by.key);
  const newcomers = JSON.stringify([{ seat: member.seat, signature: toBase64(sign(by, words, chance)) }]);
  return `{"type":"propose","roster":${roster},"newcomers":${newcomers},"key":null}`;
}
