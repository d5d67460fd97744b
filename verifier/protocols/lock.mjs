// The protocol `lock` (docs/lock.md), without a server.
import { concat, equal, fromBase64, toHex } from '../bytes.mjs';
import { Fault, refuse, stage } from '../deck.mjs';
import { add, distinct, encode, point, points, sum } from '../group.mjs';
import { H } from '../hash.mjs';
import { fields, integer, list, literal, read, text } from '../json.mjs';
import { equalityEach, equalityOne, exclude, inverse, linear } from '../proofs.mjs';
import { shuffle } from '../shuffle.mjs';
import { MaskDeck } from './mask.mjs';

const shape = (type, ...names) => fields({ type: literal(type), ...Object.fromEntries(names.map((name) => [name, text()])) });
const SHAPES = {
  commit: shape('commit', 'commitment'),
  fragments: shape('fragments', 'points'),
  cascade: shape('cascade', 'key', 'cards', 'proof'),
  lock: shape('lock', 'keys', 'cards', 'proof'),
  held: shape('held', 'cards', 'proof'),
  raised: shape('raised', 'cards', 'proof'),
  exclude: shape('exclude', 'key', 'faces', 'cards', 'proof'),
};
const pickShape = fields({ type: literal('pick'), positions: list(integer()) });

function message(kind, source) {
  const value = read(SHAPES[kind], source);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === 'type' ? one : fromBase64(one)]));
}

const proven = (seat, holds, what) => {
  if (!holds) throw new Fault(seat, `a false proof: ${what}`);
};

export class LockDeck extends MaskDeck {
  constructor(table, number, count) {
    super(table, number, 0);
    this.count = count;
    this.trail = H('lock', table.session, table.roster, table.hand, number, count);
    const keys = table.seats.map((seat) => table.members.of(seat).key).sort((a, b) => Buffer.compare(a, b));
    const seed = H('lock pickers', concat(...keys));
    const rank = (seat) => toHex(H('lock picker', seed, table.members.of(seat).key));
    this.pickers = [...table.seats].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  }

  begin() {
    this.run(this.newDeck(), ['newdeck', this.number, this.count, null]);
  }

  *newDeck() {
    const { seats } = this;
    const { session, hand } = this.table;
    for (;;) {
      const committed = yield stage('commit', seats, (_, source) => {
        const { commitment } = message('commit', source);
        refuse(commitment.length !== 32, 'not a hash');
        return commitment;
      });
      const given = yield stage('fragments', seats, (seat, source) => {
        const { points: bytes } = message('fragments', source);
        const parts = points(bytes, this.count);
        const hash = H('lock fragments', session, this.roster, hand, this.number, this.epoch, seat, encode(parts));
        if (!equal(hash, committed.get(seat))) throw new Fault(seat, 'fragments that are not those of the commitment');
        return parts;
      });
      this.faces = Array.from({ length: this.count }, (_, j) => add(seats.map((seat) => given.get(seat)[j])));
      if (distinct(this.faces) && !this.faces.some((face) => face.isIdentity)) break;
      this.epoch += 1;
    }
    this.faceNumber = new Map(this.faces.map((face, j) => [face.key, j]));
    const { keys, cards } = yield* this.cascading(seats, this.faces);
    this.pile = yield* this.locking(seats, keys, cards);
    this.made = true;
  }

  *cascading(seats, faces) {
    let cards = faces;
    const keys = new Map();
    for (const seat of seats) {
      const answers = yield stage('cascade', [seat], (_, source, anchor) => {
        const { key, cards: bytes, proof } = message('cascade', source);
        const S = point(key);
        const next = points(bytes, cards.length);
        const transcript = this.context('cascade', seat, anchor);
        if (cards.length === 1) {
          refuse(next[0].key === cards[0].key, 'a card that was not changed');
          proven(seat, equalityOne(transcript, S, cards, next, proof), 'cascade');
        } else proven(seat, shuffle(transcript, 'scalar', { S, inputs: cards, outputs: next }, proof), 'cascade');
        return { S, next };
      }, this.rebuilding);
      const { S, next } = answers.get(seat);
      keys.set(seat, S);
      cards = next;
    }
    return { keys, cards };
  }

  *locking(seats, keys, from) {
    let cards = from;
    const own = new Map();
    for (const seat of seats) {
      const S = keys.get(seat);
      const answers = yield stage('lock', [seat], (_, source, anchor) => {
        const { keys: bytes, cards: after, proof } = message('lock', source);
        const K = points(bytes, cards.length);
        const next = points(after, cards.length);
        refuse(!distinct(K) || K.some((one) => one.key === S.key), 'two equal keys, or that of the cascade');
        proven(seat, equalityEach(this.context('lock', seat, anchor), { base: [S], keys: K, bases: cards, images: next }, proof), 'lock');
        return { K, next };
      }, this.rebuilding);
      const { K, next } = answers.get(seat);
      own.set(seat, K);
      cards = next;
    }
    return this.layer(cards.map((V, i) => ({ V, keys: new Map(seats.map((seat) => [seat, own.get(seat)[i]])), published: new Map() })));
  }

  *open([, , count, positions, groups]) {
    if (positions.length) {
      yield* this.openPositions(positions, groups);
      return;
    }
    refuse(count > this.pile.length, 'more cards than there are');
    const picker = this.pickers.find((seat) => this.seats.includes(seat));
    const answers = yield stage('pick', [picker], (_, source) => {
      const { positions: chosen } = read(pickShape, source);
      refuse(chosen.length !== count || new Set(chosen).size !== count || chosen.some((one) => !this.pile.includes(one)), 'not such a pick');
      return chosen;
    });
    yield* this.openPositions(answers.get(picker), groups);
  }

  faceOf(position) {
    const card = this.cards[position];
    const off = [...card.published.values()].reduce((a, b) => a * b, 1n);
    const face = this.faceNumber.get(sum([[inverse(off), card.V]]).key);
    if (face === undefined) throw new Error('a card that no deck has');
    return face;
  }

  off(card, owner) {
    let off = 1n;
    for (const [seat, key] of card.published) if (seat !== owner) off *= key;
    return off;
  }

  *prove([, , claims]) {
    yield stage('exclude', claims.map(([seat]) => seat), (seat, source, anchor) => {
      const [, positions, faces] = claims.find(([one]) => one === seat);
      const given = message('exclude', source);
      const Y = point(given.key);
      const Z = points(given.faces, faces.length);
      const T = points(given.cards, positions.length);
      const cards = positions.map((position) => this.cards[position]);
      const transcript = this.context('exclude', seat, anchor);
      this.names(transcript, faces, positions);
      const hidden = { kind: 'locked cards', cards: cards.map((card) => card.V), keys: cards.map((card) => card.keys.get(seat)), off: cards.map((card) => this.off(card, seat)) };
      proven(seat, exclude(transcript, faces.map((face) => this.faces[face]), hidden, { Y, Z, T }, given.proof), 'exclude');
      return true;
    });
  }

  *rebuilds() {
    const { seats } = this;
    const publicFaces = new Set(this.opened.values());
    const faces = this.faces.filter((_, j) => !publicFaces.has(j));
    const owned = this.owned();
    const holders = [...owned.keys()].sort((a, b) => a - b);
    const heldCount = holders.reduce((count, seat) => count + owned.get(seat).length, 0);
    for (const position of this.pile) this.cards[position].dead = true;
    this.pile = [];
    if (faces.length === heldCount) return;
    const half = this.rebuilding;
    const { keys, cards } = yield* this.cascading(seats, faces);
    const declared = yield stage('held', holders, (seat, source, anchor) => {
      const { cards: bytes, proof } = message('held', source);
      const own = owned.get(seat).map((position) => this.cards[position]);
      const X = points(bytes, own.length);
      const V = own.map((card) => sum([[inverse(this.off(card, seat)), card.V]]));
      const rows = [
        { terms: [[0, own.map((card) => card.keys.get(seat))]], image: own.map(() => keys.get(seat)) },
        { terms: [[0, V]], image: X },
      ];
      proven(seat, linear(this.context('held', seat, anchor), 'lock held cards', [own.length], rows, proof), 'held');
      return X;
    }, half);
    let raised = holders.flatMap((seat) => owned.get(seat).map((position, i) => ({ position, seat, X: declared.get(seat)[i] }))).sort((one, other) => one.position - other.position);
    for (const seat of seats) {
      const before = raised.filter((one) => one.seat !== seat);
      if (!before.length) continue;
      const answers = yield stage('raise', [seat], (_, source, anchor) => {
        const { cards: bytes, proof } = message('raised', source);
        const next = points(bytes, before.length);
        proven(seat, equalityOne(this.context('raise', seat, anchor), keys.get(seat), before.map(({ X }) => X), next, proof), 'raised');
        return next;
      }, half);
      const next = answers.get(seat);
      raised = raised.map((one) => (one.seat === seat ? one : { ...one, X: next[before.indexOf(one)] }));
    }
    const out = new Set(raised.map(({ X }) => X.key));
    const rest = cards.filter((one) => !out.has(one.key));
    if (rest.length !== cards.length - heldCount) throw new Error('a held card that is no card of the deck');
    this.pile = yield* this.locking(seats, keys, rest);
  }
}
