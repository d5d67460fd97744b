// The protocol `lock` (docs/spec/protocols/lock.md), without a server.
import { concat, equal, fromBase64, fromUtf8, pieces, toHex } from '../bytes.mjs';
import { Fault, refuse, said, stage } from '../deck.mjs';
import { add, distinct, encode, mod, oneWay, point, points, sum, timesG } from '../group.mjs';
import { H } from '../hash.mjs';
import { fields, integer, list, literal, read, text } from '../json.mjs';
import { equalityEach, equalityOne, inverse, linear } from '../proofs.mjs';
import { proveEach, proveLinear, proveOne, proveShuffle } from '../provers.mjs';
import { shuffle } from '../shuffle.mjs';
import { draw, order as drawOrder, scalarsOf } from '../tape.mjs';
import { MaskDeck } from './mask.mjs';

const shape = (type, ...names) => fields({ type: literal(type), ...Object.fromEntries(names.map((name) => [name, text()])) });
const SHAPES = {
  commit: shape('commit', 'commitment'),
  fragments: shape('fragments', 'points'),
  cascade: shape('cascade', 'key', 'cards', 'proof'),
  lock: shape('lock', 'keys', 'cards', 'proof'),
  held: shape('held', 'cards', 'proof'),
  raised: shape('raised', 'cards', 'proof'),
};
const pickShape = fields({ type: literal('pick'), positions: list(integer()) });

function message(kind, source) {
  const value = read(SHAPES[kind], source);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === 'type' ? one : fromBase64(one)]));
}

const proven = (seat, holds, what) => {
  if (!holds) throw new Fault(seat, `a false proof: ${what}`);
};

const cascadeSecret = (here, seat, seed) => scalarsOf(seed, 'lock cascade', here.inputs(seat), 1)[0];

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
      const here = this.here();
      const { roster, epoch } = this;
      const fragments = (seat, seed) => pieces(draw(seed, 'lock fragments', here.inputs(seat), 0, 64 * this.count), 64).map(oneWay);
      const hashed = (seat, parts) => H('lock fragments', session, roster, hand, this.number, epoch, seat, encode(parts));
      const committed = yield stage('commit', seats, (_, source) => {
        const { commitment } = message('commit', source);
        refuse(commitment.length !== 32, 'not a hash');
        return commitment;
      }, { made: (seat, seed) => said('commit', { commitment: hashed(seat, fragments(seat, seed)) }) });
      const given = yield stage('fragments', seats, (seat, source) => {
        const { points: bytes } = message('fragments', source);
        const parts = points(bytes, this.count);
        if (!equal(hashed(seat, parts), committed.get(seat))) throw new Fault(seat, 'fragments that are not those of the commitment');
        return parts;
      }, { made: (seat, seed) => said('fragments', { points: encode(fragments(seat, seed)) }) });
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
    const here = this.here();
    for (const seat of seats) {
      const before = cards;
      const answers = yield stage('cascade', [seat], (_, source, anchor) => {
        const { key, cards: bytes, proof } = message('cascade', source);
        const S = point(key);
        const next = points(bytes, cards.length);
        const transcript = this.context('cascade', seat, anchor);
        if (cards.length === 1) {
          proven(seat, equalityOne(transcript, S, cards, next, proof), 'cascade');
        } else proven(seat, shuffle(transcript, 'scalar', { S, inputs: cards, outputs: next }, proof), 'cascade');
        return { S, next };
      }, { ...this.rebuilding, made: (_, seed, choice, source, anchor) => this.madeCascade(here, before, seat, seed, anchor) });
      const { S, next } = answers.get(seat);
      keys.set(seat, S);
      cards = next;
    }
    return { keys, cards };
  }

  madeCascade(here, cards, seat, seed, anchor) {
    const s = cascadeSecret(here, seat, seed);
    const S = timesG(s);
    const order = drawOrder(seed, 'lock permutation', here.inputs(seat, H('lock cards', encode(cards))), cards.length);
    const next = order.map((from) => sum([[s, cards[from]]]));
    const transcript = here.context('cascade', seat, anchor);
    const proof = cards.length === 1
      ? proveOne(transcript, seed, S, cards, next, s)
      : proveShuffle(transcript, seed, 'scalar', { S, inputs: cards, outputs: next }, order, () => [s]);
    return said('cascade', { key: S.bytes, cards: encode(next), proof });
  }

  *locking(seats, keys, from) {
    let cards = from;
    const own = new Map();
    const here = this.here();
    const origin = H('lock cards', encode(from));
    const drawn = { label: 'lock secrets', inputs: (seat) => here.inputs(seat, origin), count: from.length };
    for (const seat of seats) {
      const S = keys.get(seat);
      const before = cards;
      const answers = yield stage('lock', [seat], (_, source, anchor) => {
        const { keys: bytes, cards: after, proof } = message('lock', source);
        const K = points(bytes, cards.length);
        const next = points(after, cards.length);
        refuse(!distinct(K) || K.some((one) => one.key === S.key), 'two equal keys, or that of the cascade');
        proven(seat, equalityEach(this.context('lock', seat, anchor), { base: [S], keys: K, bases: cards, images: next }, proof), 'lock');
        return { K, next };
      }, {
        ...this.rebuilding,
        made: (_, seed, choice, source, anchor) => {
          const secrets = scalarsOf(seed, drawn.label, drawn.inputs(seat), drawn.count);
          const off = inverse(cascadeSecret(here, seat, seed));
          const ratio = secrets.map((one) => mod(one * off));
          const [K, next] = [secrets.map(timesG), ratio.map((one, i) => sum([[one, before[i]]]))];
          const proof = proveEach(here.context('lock', seat, anchor), seed, { base: [S], keys: K, bases: before, images: next }, ratio);
          return said('lock', { keys: encode(K), cards: encode(next), proof });
        },
      });
      const { K, next } = answers.get(seat);
      own.set(seat, K);
      cards = next;
    }
    return this.layer(cards.map((V, i) => ({ V, keys: new Map(seats.map((seat) => [seat, own.get(seat)[i]])), published: new Map() })), drawn);
  }

  *open([, , count, positions, groups]) {
    if (positions.length) {
      yield* this.openPositions(positions, groups);
      return;
    }
    refuse(count > this.pile.length, 'more cards than there are');
    const picker = this.pickers.find((seat) => this.seats.includes(seat));
    const here = this.here();
    const pile = [...this.pile];
    const picked = (source) => {
      const { positions: chosen } = read(pickShape, source);
      refuse(chosen.length !== count || new Set(chosen).size !== count || chosen.some((one) => !pile.includes(one)), 'not such a pick');
      return chosen;
    };
    const answers = yield stage('pick', [picker], (_, source) => picked(source), {
      made: (seat, seed, choice, source, anchor) => {
        const chosen = choice(this.dutyNumber(seat, 'pick', anchor));
        if (!chosen) return JSON.stringify({ type: 'pick', positions: drawOrder(seed, 'lock pick', here.inputs(seat, anchor), pile.length).slice(0, count).map((at) => pile[at]) });
        picked(fromUtf8(chosen)); // or the book has no choice that could be
        return fromUtf8(chosen);
      },
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

  hiddenCards(positions, seat) {
    const cards = positions.map((position) => this.cards[position]);
    return { kind: 'locked cards', cards: cards.map((card) => card.V), keys: cards.map((card) => card.keys.get(seat)), off: cards.map((card) => this.off(card, seat)) };
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
    if (faces.length === heldCount) { // the new pile is empty, and yet a layer
      this.layers += 1;
      return;
    }
    const half = this.rebuilding;
    const here = this.here();
    const { keys, cards } = yield* this.cascading(seats, faces);
    const held = new Map(holders.map((seat) => [seat, owned.get(seat).map((position) => {
      const card = this.cards[position];
      return { K: card.keys.get(seat), V: sum([[inverse(this.off(card, seat)), card.V]]) };
    })]));
    const rowsOf = (seat, X) => [
      { terms: [[0, held.get(seat).map(({ K }) => K)]], image: X.map(() => keys.get(seat)) },
      { terms: [[0, held.get(seat).map(({ V }) => V)]], image: X },
    ];
    const declared = yield stage('held', holders, (seat, source, anchor) => {
      const { cards: bytes, proof } = message('held', source);
      const X = points(bytes, owned.get(seat).length);
      proven(seat, linear(this.context('held', seat, anchor), 'lock held cards', [X.length], rowsOf(seat, X), proof), 'held');
      return X;
    }, {
      ...half,
      made: (seat, seed, choice, source, anchor) => {
        const e = cascadeSecret(here, seat, seed);
        const ratio = this.secrets(owned.get(seat), seat, seed).map((one) => mod(e * inverse(one)));
        const X = ratio.map((one, i) => sum([[one, held.get(seat)[i].V]]));
        return said('held', { cards: encode(X), proof: proveLinear(here.context('held', seat, anchor), seed, 'lock held cards', rowsOf(seat, X), [ratio]) });
      },
    });
    let raised = holders.flatMap((seat) => owned.get(seat).map((position, i) => ({ position, seat, X: declared.get(seat)[i] }))).sort((one, other) => one.position - other.position);
    for (const seat of seats) {
      const before = raised.filter((one) => one.seat !== seat);
      if (!before.length) continue;
      const answers = yield stage('raise', [seat], (_, source, anchor) => {
        const { cards: bytes, proof } = message('raised', source);
        const next = points(bytes, before.length);
        proven(seat, equalityOne(this.context('raise', seat, anchor), keys.get(seat), before.map(({ X }) => X), next, proof), 'raised');
        return next;
      }, {
        ...half,
        made: (_, seed, choice, source, anchor) => {
          const e = cascadeSecret(here, seat, seed);
          const X = before.map((one) => one.X);
          const next = X.map((one) => sum([[e, one]]));
          return said('raised', { cards: encode(next), proof: proveOne(here.context('raise', seat, anchor), seed, keys.get(seat), X, next, e) });
        },
      });
      const next = answers.get(seat);
      raised = raised.map((one) => (one.seat === seat ? one : { ...one, X: next[before.indexOf(one)] }));
    }
    const out = new Set(raised.map(({ X }) => X.key));
    const rest = cards.filter((one) => !out.has(one.key));
    if (rest.length !== cards.length - heldCount) throw new Error('a held card that is no card of the deck');
    this.pile = yield* this.locking(seats, keys, rest);
  }
}
