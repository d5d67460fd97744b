// The small proofs of docs/spec/proofs.md. Each function raises Malformed for what no proof could mend, and else says whether
// the proof is true.
import { randomBytes } from 'node:crypto';
import { concat, littleEndian, Malformed, toHex } from './bytes.mjs';
import { blindingGenerator, commitmentGenerators, encode, G, mod, points, Q, scalars, sum } from './group.mjs';
import { sha512 } from './hash.mjs';
import { GROUP } from './transcript.mjs';

/** One version byte, then the points, then the scalars. */
export function decodeProof(proof, pointCount, scalarCount) {
  if (proof.length !== 1 + 32 * (pointCount + scalarCount) || proof[0] !== 1) throw new Malformed('a proof of another form');
  return [
    points(proof.subarray(1, 1 + 32 * pointCount), pointCount),
    scalars(proof.subarray(1 + 32 * pointCount), scalarCount, true),
  ];
}

const known = new Map();

/** Whether all equations Σ scalar·point = 0 hold: one sum, with a fresh weight of 128 bits for each. */
export function settle(transcript, proof, equations) {
  const name = toHex(sha512(concat(transcript.hash.clone().digest(), proof)));
  if (known.has(name)) return known.get(name);
  const factors = new Map();
  for (const equation of equations) {
    const weight = littleEndian(randomBytes(16)) | 1n;
    for (const [factor, of] of equation) factors.set(of, mod((factors.get(of) ?? 0n) + weight * factor));
  }
  const holds = sum([...factors].map(([of, factor]) => [factor, of])).isIdentity;
  known.set(name, holds);
  return holds;
}

export function refuseIdentity(...arrays) {
  for (const array of arrays) for (const one of array) if (one.isIdentity) throw new Malformed('the identity');
}

const at = (array, i) => (array.length === 1 ? array[0] : array[i]);

/** rows: {terms: [[number of the secret, bases], …], image}; lengths: of every secret. */
export function linear(transcript, kind, lengths, rows, proof) {
  transcript.absorb('statement', kind, GROUP, ...lengths);
  for (const { terms, image } of rows) {
    for (const [secret, bases] of terms) {
      refuseIdentity(bases);
      transcript.absorb('statement', secret, encode(bases));
    }
    transcript.absorb('statement', encode(image));
  }
  const pointCount = rows.reduce((count, { image }) => count + image.length, 0);
  const [commitments, responses] = decodeProof(proof, pointCount, lengths.reduce((a, b) => a + b, 0));
  transcript.absorb('commitment', encode(commitments));
  const c = transcript.challenge('challenge');
  const secrets = [];
  let from = 0;
  for (const length of lengths) {
    secrets.push(responses.slice(from, from + length));
    from += length;
  }
  const equations = [];
  let next = 0;
  for (const { terms, image } of rows) {
    image.forEach((one, i) => {
      const equation = terms.map(([secret, bases]) => [at(secrets[secret], i), at(bases, i)]);
      equation.push([-c, one], [-1n, commitments[next]]);
      equations.push(equation);
      next += 1;
    });
  }
  return settle(transcript, proof, equations);
}

export function knowledge(transcript, keys, proof) {
  refuseIdentity(keys);
  return linear(transcript, 'knowledge of keys', [keys.length], [{ terms: [[0, [G]]], image: keys }], proof);
}

export function equalityOne(transcript, Z, bases, images, proof) {
  const m = bases.length;
  if (images.length !== m) throw new Malformed('numbers that do not fit');
  refuseIdentity([Z], bases, images);
  transcript.absorb('statement', 'equality, one secret', GROUP, m);
  transcript.absorb('statement', Z.bytes, encode(bases), encode(images));
  const [[T1, T2], [r]] = decodeProof(proof, 2, 1);
  const weights = transcript.challenges('weights', m);
  transcript.absorb('commitment', encode([T1, T2]));
  const c = transcript.challenge('challenge');
  const second = [[-1n, T2]];
  for (let i = 0; i < m; i += 1) second.push([r * weights[i], bases[i]], [-c * weights[i], images[i]]);
  return settle(transcript, proof, [[[r, G], [-c, Z], [-1n, T1]], second]);
}

/** keys K, less L (or null), base B of the keys, bases X and images Y: each one point for all, or one for each. */
export function equalityEach(transcript, { base, keys, bases, images, less = null }, proof) {
  const arrays = [base, keys, bases, images, ...(less ? [less] : [])];
  const m = Math.max(...arrays.map((array) => array.length));
  if (arrays.some((array) => array.length !== m && array.length !== 1)) throw new Malformed('numbers that do not fit');
  refuseIdentity(base, keys, bases, images);
  if (less) for (let i = 0; i < m; i += 1) if (at(keys, i).key === at(less, i).key) throw new Malformed('a key that did not change');
  transcript.absorb('statement', 'equality, a secret each', GROUP, m);
  transcript.absorb('statement', ...arrays.map(encode));
  const [[C, TC, TK, TY], responses] = decodeProof(proof, 4, m + 1);
  transcript.absorb('commitment', C.bytes);
  const weights = transcript.challenges('weights', m);
  transcript.absorb('commitment', encode([TC, TK, TY]));
  const c = transcript.challenge('challenge');
  const generators = commitmentGenerators(m);
  const first = [[responses[m], blindingGenerator()], [-c, C], [-1n, TC]];
  const second = [[-1n, TK]];
  const third = [[-1n, TY]];
  for (let i = 0; i < m; i += 1) {
    first.push([responses[i], generators[i]]);
    second.push([weights[i] * responses[i], at(base, i)], [-c * weights[i], at(keys, i)]);
    if (less) second.push([c * weights[i], at(less, i)]);
    third.push([weights[i] * responses[i], at(bases, i)], [-c * weights[i], at(images, i)]);
  }
  return settle(transcript, proof, [first, second, third]);
}

/**
 * None of the hidden cards is one of the faces. cards: {kind: 'masked cards', epk, msg, keys, off} or
 * {kind: 'locked cards', cards, keys, off}.
 */
export function exclude(transcript, faces, cards, { Y, Z, T }, proof) {
  const masked = cards.kind === 'masked cards';
  const publics = masked ? [cards.epk, cards.msg, cards.keys] : [cards.cards, cards.keys];
  const f = faces.length;
  const h = cards.keys.length;
  if (Z.length !== f || T.length !== h) throw new Malformed('numbers that do not fit');
  refuseIdentity([Y], faces, ...publics);
  if (new Set([...Z, ...T].map((one) => one.key)).size !== f + h) throw new Malformed('two equal products');
  transcript.absorb('statement', 'hidden cards, none of these faces', GROUP, f);
  transcript.absorb('statement', encode(faces));
  transcript.absorb('statement', cards.kind, h);
  transcript.absorb('statement', ...publics.map(encode));
  transcript.absorb('statement', concat(...cards.off.map(scalarBytes)));
  transcript.absorb('commitment', Y.bytes, encode(Z), encode(T));
  const weights = transcript.challenges('weights', f + h);
  const [commitments, responses] = decodeProof(proof, h + 3, h + 1);
  transcript.absorb('commitment', encode(commitments));
  const c = transcript.challenge('challenge');
  const [CY, CZ] = commitments;
  const CT = commitments[h + 2];
  const y = responses[0];
  const second = [[-1n, CZ]];
  for (let i = 0; i < f; i += 1) second.push([y * weights[i], faces[i]], [-c * weights[i], Z[i]]);
  const equations = [[[y, G], [-c, Y], [-1n, CY]], second];
  const last = [[-1n, CT]];
  for (let i = 0; i < h; i += 1) {
    const x = responses[1 + i];
    const beta = weights[f + i];
    last.push([-c * beta, T[i]]);
    if (masked) {
      equations.push([[y, cards.keys[i]], [-x, G], [-1n, commitments[2 + i]]]);
      last.push([y * beta, cards.msg[i]], [-beta * (y * cards.off[i] + x), cards.epk[i]]);
    } else {
      equations.push([[x, cards.keys[i]], [-c, Y], [-1n, commitments[2 + i]]]);
      last.push([beta * x * inverse(cards.off[i]), cards.cards[i]]);
    }
  }
  equations.push(last);
  return settle(transcript, proof, equations);
}

export function scalarBytes(number) {
  const bytes = new Uint8Array(32);
  let rest = mod(number);
  for (let i = 0; i < 32; i += 1) {
    bytes[i] = Number(rest & 255n);
    rest >>= 8n;
  }
  return bytes;
}

export function inverse(number) {
  let [a, b, u, v] = [mod(number), Q, 1n, 0n];
  const q = b;
  while (a > 0n) {
    const d = b / a;
    [a, b, u, v] = [b - d * a, a, v - d * u, u];
  }
  return ((v % q) + q) % q;
}
