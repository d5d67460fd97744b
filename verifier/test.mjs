// Every vector of docs/spec/vectors.json, the signatures of tests/vectors/ed25519.json, and the golden logs.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { fromHex, Malformed, toHex } from './bytes.mjs';
import * as group from './group.mjs';
import { framed, H, XOF } from './hash.mjs';
import { verify } from './keys.mjs';
import * as proofs from './proofs.mjs';
import { proveShuffle } from './provers.mjs';
import { shuffle } from './shuffle.mjs';
import { verifyBytes } from './verify.mjs';
import * as tape from './tape.mjs';
import { GROUP, Transcript } from './transcript.mjs';

const file = (path) => readFileSync(new URL(path, import.meta.url));
const vectors = JSON.parse(file('../docs/spec/vectors.json'));
const item = (one) => (typeof one === 'object' ? fromHex(one.bytes) : one);
const shown = (one) => (one instanceof Uint8Array ? { bytes: toHex(one) } : one);

test('frames and hashes', () => {
  const { framed: frames, H: hash, expanded, head } = vectors.hashes;
  assert.equal(toHex(framed(...frames.items.map(item))), frames.framed);
  assert.equal(toHex(H(hash.label, ...hash.items.map(item))), hash.H);
  assert.equal(toHex(XOF(expanded.size, expanded.label, ...expanded.items.map(item))), expanded.bytes);
  assert.equal(toHex(H('log', fromHex(head.session))), head.first);
  assert.equal(toHex(H('head', fromHex(head.first), fromHex(head.entry))), head.next);
});

const WORDS = { // the numbers that these words have in the English list of BIP-39
  271: 'capable', 418: 'crowd', 465: 'demand', 625: 'evolve', 700: 'fiscal', 743: 'friend', 960: 'job', 963: 'journey', 1153: 'mother',
  1206: 'nothing', 1216: 'object', 1345: 'popular', 1462: 'replace', 1482: 'rich', 1610: 'sing', 1741: 'super', 1793: 'then', 1922: 'utility',
};
const words = (label, number, count) => {
  const bits = [...H(label, number)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: count }, (_, i) => WORDS[parseInt(bits.slice(11 * i, 11 * i + 11), 2)]);
};

test('words of a session and of a key', () => {
  const { number, 'of a session': three, 'of a key': six } = vectors.hashes.words;
  assert.deepEqual(words('session words', fromHex(number), 3), three);
  assert.deepEqual(words('key words', fromHex(number), 6), six);
  const counted = Uint8Array.from({ length: 32 }, (_, i) => i); // the example of docs/spec/lobby.md
  assert.equal(words('session words', counted, 3).join(' '), 'demand nothing utility');
  assert.equal(words('key words', counted, 6).join(' '), 'popular then capable super evolve object');
});

test('tapes', () => {
  const { root, session, seat, hand, seed, inputs, drawn, permutation, scalars } = vectors.tape;
  assert.equal(toHex(tape.handSeed(fromHex(root), fromHex(session), seat, hand)), seed);
  const made = [fromHex(seed), fromHex(inputs)];
  assert.equal(toHex(tape.draw(made[0], drawn.label, made[1], drawn.index, drawn.size)), drawn.bytes);
  assert.deepEqual(tape.order(made[0], permutation.label, made[1], 52), permutation['of 52']);
  assert.deepEqual(tape.scalarsOf(made[0], scalars.label, made[1], 3).map((one) => toHex(proofs.scalarBytes(one))), scalars.three);
});

test('no vector is left out', () => {
  assert.deepEqual(Object.keys(vectors), ['group', 'context', 'hashes', 'tape', 'hash to group', 'generators', 'proofs', 'encodings', 'digests', 'prover']);
  assert.deepEqual(Object.keys(vectors.hashes), ['framed', 'H', 'expanded', 'head', 'words']);
  assert.equal(vectors.group, GROUP);
  assert.equal(vectors.proofs.length, 12);
});

test('points hashed to the group, and generators', () => {
  const { label, messages, points } = vectors['hash to group'];
  assert.deepEqual(messages.map((one) => toHex(group.hashToGroup(label, fromHex(one)).bytes)), points);
  assert.deepEqual(group.commitmentGenerators(5).map((one) => toHex(one.bytes)), vectors.generators['first five']);
  assert.equal(toHex(group.blindingGenerator().bytes), vectors.generators.H[0]);
});

test('encodings of points and scalars, and what is none', () => {
  const { 'multiples of G': multiples, 'no points': noPoints, scalars, 'no scalars': noScalars } = vectors.encodings;
  multiples.forEach((one, i) => {
    assert.equal(toHex(group.timesG(BigInt(i)).bytes), one);
    assert.equal(group.point(fromHex(one), true).equals(group.timesG(BigInt(i))), true);
  });
  for (const one of scalars) assert.equal(toHex(proofs.scalarBytes(group.scalar(fromHex(one), true))), one);
  for (const one of noPoints) assert.throws(() => group.point(fromHex(one), true), Malformed, one);
  for (const one of noScalars) assert.throws(() => group.scalar(fromHex(one), true), Malformed, one);
});

test('rosters, trails, anchors and duties', () => {
  for (const { what, label, items, H: made } of vectors.digests) assert.equal(toHex(H(label, ...items.map(item))), made, what);
});

for (const { kind, order, secrets } of vectors.prover.knows) {
  test(`proof, made again: ${kind}`, () => {
    const { public: given, proof } = vectors.proofs.find((one) => one.kind === kind);
    const { U_out: U2, W_out: W2, ...all } = Object.fromEntries(Object.entries(given).map(([name, list]) => [name, list.map((one) => group.point(fromHex(one), true))]));
    const [masks, [s] = []] = [secrets.masks, secrets.s].map((list) => list?.map((one) => group.scalar(fromHex(one))));
    const R = (d) => d.reduce((total, one, j) => total + one * masks[j], 0n);
    const [relation, own] = {
      'shuffle: pairs': ['pairs', (d) => [R(d)]], 'shuffle: addmask': ['addmask', (d) => [R(d), s]], 'shuffle: one scalar': ['scalar', () => [s]],
    }[kind];
    const statement = { ...all, U2, W2, K: all.K?.[0], S: all.S?.[0] };
    assert.equal(toHex(proveShuffle(new Transcript(vectors.context.map(item)), fromHex(vectors.prover.seed), relation, statement, order, own)), proof);
  });
}

function judge({ kind, public: given }, transcript, proof) {
  const all = Object.fromEntries(
    Object.entries(given).map(([name, list]) => [
      name, name === 'published' ? list.map((one) => group.scalar(fromHex(one))) : list.map((one) => group.point(fromHex(one), true)),
    ]),
  );
  const { Y: [Y] = [], Z, T, published: off, U_out: U2, W_out: W2, A_out: A2, B_out: B2 } = all;
  const one = (name) => all[name]?.[0];
  switch (kind) {
    case 'knowledge of keys':
      return proofs.knowledge(transcript, all.keys, proof);
    case 'equality, one secret':
      return proofs.equalityOne(transcript, one('Z'), all.bases, all.images, proof);
    case 'equality, a secret each':
    case 'equality, a base each':
    case 'equality, keys joined':
      return proofs.equalityEach(transcript, all, proof);
    case 'linear relations': {
      const rows = [
        { terms: [[0, all.X], [1, all.Y]], image: all.image },
        { terms: [[0, [group.G]]], image: all.P },
        { terms: [[1, [group.G]]], image: all.Q },
      ];
      return proofs.linear(transcript, 'test of linear relations', [1, 4], rows, proof);
    }
    case 'shuffle: pairs':
      return shuffle(transcript, 'pairs', { ...all, K: one('K'), U2, W2 }, proof);
    case 'shuffle: addmask':
      return shuffle(transcript, 'addmask', { ...all, K: one('K'), S: one('S'), U2, W2 }, proof);
    case 'shuffle: one scalar':
      return shuffle(transcript, 'scalar', { ...all, S: one('S') }, proof);
    case 'shuffle: one offset':
      return shuffle(transcript, 'offset', { ...all, R: one('R'), W: one('W'), A2, B2 }, proof);
    case 'none of these faces, masked cards':
      return proofs.exclude(transcript, all.faces, { kind: 'masked cards', ...all, off }, { Y, Z, T }, proof);
    case 'none of these faces, locked cards':
      return proofs.exclude(transcript, all.faces, { kind: 'locked cards', ...all, off }, { Y, Z, T }, proof);
    default:
      throw new Error(`no such kind here: ${kind}`);
  }
}

for (const vector of vectors.proofs) {
  test(`proof: ${vector.kind}`, () => {
    const context = vectors.context.map(item);
    const transcript = new Transcript(context);
    assert.equal(judge(vector, transcript, fromHex(vector.proof)), true);
    assert.deepEqual(transcript.lines.map((line) => line.map(shown)), vector.transcript);
    const other = fromHex(vector.proof);
    other[other.length - 32] ^= 1;
    assert.equal(judge(vector, new Transcript(context), other), false);
    context[9] = fromHex('62'.repeat(32));
    assert.equal(judge(vector, new Transcript(context), fromHex(vector.proof)), false);
  });
}

test('signatures', () => {
  for (const { name, key, msg, sig, valid } of JSON.parse(file('../tests/vectors/ed25519.json'))) {
    assert.equal(verify(fromHex(key), fromHex(msg), fromHex(sig)), valid, name);
  }
});

const NOT_JUDGED = /^(hearts|wardens)-|-chain|-lock-server/;
const folder = new URL('../tests/golden/', import.meta.url);
for (const name of readdirSync(folder).filter((one) => one.endsWith('.jsonl')).map((one) => one.slice(0, -6))) {
  test(`golden: ${name}`, () => {
    const report = verifyBytes(file(`../tests/golden/${name}.jsonl`));
    if (NOT_JUDGED.test(name)) {
      assert.equal(report.verdict, 'not-a-log');
      assert.match(report.reason, /is not judged here$/);
      return;
    }
    const expected = JSON.parse(file(`../tests/golden/${name}.json`));
    assert.equal(report.verdict, expected.verdict, report.reason);
    assert.deepEqual(report.faults.map(({ seat, entry }) => [seat, entry]), expected.faults.map(({ seat, entry }) => [seat, entry]));
    assert.deepEqual(Object.entries(report.chips), Object.entries(expected.chips));
    for (const field of ['entries', 'hands', 'gone']) assert.deepEqual(report[field], expected[field], field);
    assert.deepEqual(report.withouts, expected.withouts.map(({ chips, ...rest }) => rest));
    assert.equal(report.results.length, expected.results.length);
    report.results.forEach((result, i) => {
      for (const [key, value] of Object.entries(result)) assert.deepEqual(value, expected.results[i][key], key);
    });
  });
}
