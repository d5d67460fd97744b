// Proofs as a seat makes them from its tape (docs/spec/proofs.md and docs/spec/shuffle.md, "Nonces"): what a book is held against. They say
// the same of a statement as proofs.mjs and shuffle.mjs, which judge them. Nothing here is secret any more.
import { concat } from './bytes.mjs';
import { blindingGenerator, commitmentGenerators, encode, G, mod, sum, timesG } from './group.mjs';
import { inverse, scalarBytes } from './proofs.mjs';
import { rowsOf, statementOf } from './shuffle.mjs';
import { scalarsOf } from './tape.mjs';
import { GROUP } from './transcript.mjs';

const nonces = (transcript, seed, label, count) => scalarsOf(seed, label, transcript.hash.clone().digest(), count);
const at = (array, i) => (array.length === 1 ? array[0] : array[i]);
const written = (points, scalars) => concat(Uint8Array.of(1), encode(points), ...scalars.map(scalarBytes));
const answers = (c, secrets, hidden) => secrets.map((secret, i) => mod(c * secret + hidden[i]));

function commit(transcript, points) {
  transcript.absorb('commitment', encode(points));
  return transcript.challenge('challenge');
}

export function proveLinear(transcript, seed, kind, rows, secrets) {
  transcript.absorb('statement', kind, GROUP, ...secrets.map((one) => one.length));
  for (const { terms, image } of rows) {
    for (const [secret, bases] of terms) transcript.absorb('statement', secret, encode(bases));
    transcript.absorb('statement', encode(image));
  }
  const drawn = nonces(transcript, seed, kind, secrets.flat().length);
  const parts = [];
  for (const { length } of secrets) parts.push(drawn.slice(parts.flat().length).slice(0, length));
  const T = rows.flatMap(({ terms, image }) => image.map((_, i) => sum(terms.map(([secret, bases]) => [at(parts[secret], i), at(bases, i)]))));
  return written(T, answers(commit(transcript, T), secrets.flat(), drawn));
}

export const proveKnowledge = (transcript, seed, keys, secrets) => proveLinear(transcript, seed, 'knowledge of keys', [{ terms: [[0, [G]]], image: keys }], [secrets]);

export function proveOne(transcript, seed, Z, bases, images, z) {
  transcript.absorb('statement', 'equality, one secret', GROUP, bases.length);
  transcript.absorb('statement', Z.bytes, encode(bases), encode(images));
  const weights = transcript.challenges('weights', bases.length);
  const [k] = nonces(transcript, seed, 'equality, one secret', 1);
  const T = [timesG(k), sum(bases.map((one, i) => [k * weights[i], one]))];
  return written(T, answers(commit(transcript, T), [z], [k]));
}

export function proveEach(transcript, seed, { base, keys, bases, images, less = null }, s) {
  const m = s.length;
  transcript.absorb('statement', 'equality, a secret each', GROUP, m);
  transcript.absorb('statement', ...[base, keys, bases, images, ...(less ? [less] : [])].map(encode));
  const generators = [...commitmentGenerators(m), blindingGenerator()];
  const secrets = [...s, ...nonces(transcript, seed, 'r', 1)];
  const C = sum(secrets.map((one, i) => [one, generators[i]]));
  transcript.absorb('commitment', C.bytes);
  const weights = transcript.challenges('weights', m);
  const k = nonces(transcript, seed, 'equality, a secret each', m + 1);
  const folded = (array) => sum(weights.map((weight, i) => [weight * k[i], at(array, i)]));
  const T = [sum(k.map((one, i) => [one, generators[i]])), folded(base), folded(bases)];
  return written([C, ...T], answers(commit(transcript, T), secrets, k));
}

/** order: output j is input order[j]; secrets: those of the relation, from d. */
export function proveShuffle(transcript, seed, relation, statement, order, secrets) {
  const m = order.length;
  const draw = (label, count) => nonces(transcript, seed, label, count);
  const generators = commitmentGenerators(m);
  const com = (values, blinding) => sum([...values.map((one, i) => [one, generators[i]]), [blinding, blindingGenerator()]]);
  statementOf(transcript, relation, statement, m);
  const [rA] = draw('r_A', 1);
  const A = com(order.map((place) => BigInt(place + 1)), rA);
  transcript.absorb('commitment', A.bytes);
  const xi = transcript.challenge('xi');
  const powers = [];
  for (let i = 0; i < m; i += 1) powers.push(mod((powers[i - 1] ?? 1n) * xi));
  const [rB] = draw('r_B', 1);
  const B = com(order.map((place) => powers[place]), rB);
  transcript.absorb('commitment', B.bytes);
  const y = transcript.challenge('y');
  const z = transcript.challenge('z');
  const D = powers.map((power, i) => mod(y * BigInt(i + 1) + power - z));
  const d = order.map((place) => D[place]);
  const p = [];
  for (let j = 0; j < m; j += 1) p.push(mod((p[j - 1] ?? 1n) * d[j]));
  const e = draw('e', m);
  const [re, s0, s1] = draw('blindings', 3);
  const own = secrets(d);
  const k = draw('k', own.length);
  const delta = [e[0], ...(m > 2 ? draw('delta', m - 2) : []), 0n];
  const Ce = com(e, re);
  const C0 = com(e.slice(1).map((one, j) => -delta[j] * one), s0);
  const C1 = com(e.slice(1).map((one, j) => delta[j + 1] - d[j + 1] * delta[j] - p[j] * one), s1);
  const E = rowsOf(relation, statement, e, D, k);
  transcript.absorb('commitment', Ce.bytes, C0.bytes, C1.bytes, encode(E));
  const x = transcript.challenge('x');
  const hat = (value, hidden) => mod(x * value + hidden);
  return written([A, B, Ce, C0, C1, ...E], [
    ...d.map((one, j) => hat(one, e[j])), hat(y * rA + rB, re), ...p.slice(1, -1).map((one, j) => hat(one, delta[j + 1])), hat(s1, s0),
    ...own.map((one, t) => hat(one, k[t])),
  ]);
}

/** None of the hidden cards is one of the faces; s are the secrets of their keys. Gives the products too. */
export function proveExclude(transcript, seed, faces, cards, s) {
  const masked = cards.kind === 'masked cards';
  transcript.absorb('statement', 'hidden cards, none of these faces', GROUP, faces.length);
  transcript.absorb('statement', encode(faces));
  transcript.absorb('statement', cards.kind, s.length);
  transcript.absorb('statement', ...(masked ? [cards.epk, cards.msg, cards.keys] : [cards.cards, cards.keys]).map(encode));
  transcript.absorb('statement', concat(...cards.off.map(scalarBytes)));
  const [y] = nonces(transcript, seed, 'y', 1);
  const x = s.map((one) => mod(masked ? y * one : y * inverse(one)));
  // what y and x_i make of card i
  const card = (by, xs, i) => (masked ? [[by, cards.msg[i]], [-(by * cards.off[i] + xs[i]), cards.epk[i]]] : [[xs[i] * inverse(cards.off[i]), cards.cards[i]]]);
  const Y = timesG(y);
  const Z = faces.map((face) => sum([[y, face]]));
  const T = s.map((_, i) => sum(card(y, x, i)));
  transcript.absorb('commitment', Y.bytes, encode(Z), encode(T));
  const weights = transcript.challenges('weights', faces.length + s.length);
  const beta = weights.slice(faces.length);
  const [k, ...kx] = nonces(transcript, seed, 'hidden cards, none of these faces', 1 + s.length);
  const C = [
    timesG(k), sum(faces.map((face, i) => [k * weights[i], face])),
    ...cards.keys.map((key, i) => (masked ? sum([[k, key], [-kx[i], G]]) : sum([[kx[i], key]]))),
    sum(s.flatMap((_, i) => card(k, kx, i).map(([factor, point]) => [beta[i] * factor, point]))),
  ];
  return { Y, Z, T, proof: written(C, answers(commit(transcript, C), [y, ...x], [k, ...kx])) };
}
