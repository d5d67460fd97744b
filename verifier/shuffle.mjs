// The shuffle argument (docs/spec/shuffle.md) over its four relations.
import { Malformed } from './bytes.mjs';
import { blindingGenerator, commitmentGenerators, distinct, encode, G, mod, sum, ZERO } from './group.mjs';
import { decodeProof, refuseIdentity, settle } from './proofs.mjs';
import { GROUP } from './transcript.mjs';

function refuseCommon(inputs, outputs, what) {
  const before = new Set(inputs.map((one) => one.key));
  if (outputs.some((one) => before.has(one.key))) throw new Malformed(`${what}: a card that was not masked`);
}

const negated = (factors, list) => list.map((one, i) => [-factors[i], one]);
const weighted = (factors, list) => list.map((one, i) => [factors[i], one]);

const relations = {
  pairs: {
    rows: 2,
    secrets: 1,
    statement: ({ K, U, W, U2, W2 }) => [[K], U, W, U2, W2],
    check: ({ K, U, U2, W2 }) => {
      refuseIdentity([K], U2, W2);
      refuseCommon(U, U2, 'epk');
    },
    equations: ({ K, U, W, U2, W2 }, d, D, x, [R], [E1, E2]) => [
      [...weighted(d, U2), [-R, G], ...negated(D.map((one) => x * one), U), [-1n, E1]],
      [...weighted(d, W2), [-R, K], ...negated(D.map((one) => x * one), W), [-1n, E2]],
    ],
  },
  addmask: {
    rows: 3,
    secrets: 2,
    statement: ({ K, S, U, W, U2, W2 }) => [[K], [S], U, W, U2, W2],
    check: ({ K, S, U, U2, W2 }) => {
      refuseIdentity([S, K.add(S)], U2, W2);
      refuseCommon(U, U2, 'epk');
    },
    equations: ({ K, S, U, W, U2, W2 }, d, D, x, [R, s], [E1, E2, E3]) => [
      [...weighted(d, U2), [-R, G], ...negated(D.map((one) => x * one), U), [-1n, E1]],
      [
        ...weighted(d, W2), [-R, K], [-R, S], ...negated(D.map((one) => mod(s * one)), U),
        ...negated(D.map((one) => x * one), W), [-1n, E2],
      ],
      [[s, G], [-x, S], [-1n, E3]],
    ],
  },
  scalar: {
    rows: 2,
    secrets: 1,
    statement: ({ S, inputs, outputs }) => [[S], inputs, outputs],
    check: ({ S, inputs, outputs }) => {
      refuseIdentity([S], outputs);
      refuseCommon(inputs, outputs, 'cards');
      if (!distinct(outputs)) throw new Malformed('one card twice');
    },
    equations: ({ S, inputs, outputs }, d, D, x, [s], [E1, E2]) => [
      [...weighted(d, outputs), ...negated(D.map((one) => mod(s * one)), inputs), [-1n, E1]],
      [[s, G], [-x, S], [-1n, E2]],
    ],
  },
  offset: {
    rows: 4,
    secrets: 3,
    statement: ({ R, W, A, B, A2, B2 }) => [[R], [W], A, B, A2, B2],
    check: ({ R, W, A, B, A2, B2 }) => {
      refuseIdentity([R, W], A2, B2);
      refuseCommon(A, A2, 'A');
      refuseCommon(B, B2, 'B');
      if (!distinct(A2) || !distinct(B2)) throw new Malformed('one point twice');
    },
    equations: ({ R, W, A, B, A2, B2 }, d, D, x, [r, w, t], [E1, E2, E3, E4]) => [
      [...weighted(d, A2), ...negated(D.map((one) => mod(r * one)), A), ...negated(D.map((one) => mod(w * one)), B), [-1n, E1]],
      [...weighted(d, B2), ...negated(D.map((one) => mod(r * one)), B), [-1n, E2]],
      [[r, G], [-x, R], [-1n, E3]],
      [[w, G], [t, blindingGenerator()], [-x, W], [-1n, E4]],
    ],
  },
};

/** What a proof absorbs before anything else. */
export function statementOf(transcript, name, statement, m) {
  transcript.absorb('statement', 'shuffle', name, GROUP, m);
  transcript.absorb('statement', ...relations[name].statement(statement).map(encode));
}

/** The left side of each row, with e for d and k for the secrets: what E is. */
export function rowsOf(name, statement, e, D, k) {
  const { rows, equations } = relations[name];
  return equations(statement, e, D, 0n, k, Array(rows).fill(ZERO)).map(sum);
}

export function shuffle(transcript, name, statement, proof) {
  const relation = relations[name];
  const publics = relation.statement(statement);
  const arrays = publics.filter((array) => array.length > 1 || publics.length < 3);
  const m = Math.max(...publics.map((array) => array.length));
  if (m < 2 || arrays.some((array) => array.length !== m)) throw new Malformed('decks of different sizes');
  relation.check(statement);
  statementOf(transcript, name, statement, m);
  const [given, responses] = decodeProof(proof, 5 + relation.rows, m + 1 + (m - 2) + 1 + relation.secrets);
  const [A, B, Ce, C0, C1] = given;
  const E = given.slice(5);
  transcript.absorb('commitment', A.bytes);
  const xi = transcript.challenge('xi');
  transcript.absorb('commitment', B.bytes);
  const y = transcript.challenge('y');
  const z = transcript.challenge('z');
  transcript.absorb('commitment', Ce.bytes, C0.bytes, C1.bytes, encode(E));
  const x = transcript.challenge('x');
  const D = [];
  let power = 1n;
  let product = x;
  for (let i = 1; i <= m; i += 1) {
    power = mod(power * xi);
    D.push(mod(y * BigInt(i) + power - z));
    product = mod(product * D[i - 1]);
  }
  const d = responses.slice(0, m);
  const rd = responses[m];
  const p = [d[0], ...responses.slice(m + 1, m + 1 + (m - 2)), product];
  const sp = responses[2 * m - 1];
  const secrets = responses.slice(2 * m);
  const generators = commitmentGenerators(m);
  const H = blindingGenerator();
  const first = [[-x * y, A], [-x, B], [-1n, Ce], [rd, H]];
  const second = [[-x, C1], [-1n, C0], [sp, H]];
  for (let j = 0; j < m; j += 1) {
    first.push([d[j] + x * z, generators[j]]);
    if (j + 1 < m) second.push([x * p[j + 1] - p[j] * d[j + 1], generators[j]]);
  }
  return settle(transcript, proof, [first, second, ...relation.equations(statement, d, D, x, secrets, E)]);
}
