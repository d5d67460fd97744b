// The protocol `mask` (docs/spec/protocols/mask.md).
import { fromBase64, fromUtf8, Malformed } from '../bytes.mjs';
import { Fault, jsonBytes, refuse, said, stage } from '../deck.mjs';
import { add, distinct, encode, G, hashToGroup, mod, point, points, sum, timesG, ZERO } from '../group.mjs';
import { framed, H } from '../hash.mjs';
import { fields, literal, read, text } from '../json.mjs';
import { equalityEach, equalityOne, exclude, knowledge, linear } from '../proofs.mjs';
import { proveEach, proveExclude, proveKnowledge, proveLinear, proveOne, proveShuffle } from '../provers.mjs';
import { shuffle } from '../shuffle.mjs';
import { order as drawOrder, scalarsOf } from '../tape.mjs';
import { KeyedDeck } from './keyed.mjs';

const shape = (type, ...names) => fields({ type: literal(type), ...Object.fromEntries(names.map((name) => [name, text()])) });
const SHAPES = {
  shuffle: shape('shuffle', 'key', 'epk', 'msg', 'proof'),
  rekey: shape('rekey', 'keys', 'gains', 'proof'),
  gather: shape('gather', 'key', 'knowledge', 'gains', 'proof'),
  reshuffle: shape('reshuffle', 'epk', 'msg', 'proof'),
  mask: shape('mask', 'epk', 'msg', 'proof'),
  receive: shape('receive', 'keys', 'knowledge'),
  hand: shape('hand', 'epk', 'msg', 'proof'),
  look: shape('look', 'key', 'knowledge'),
  tell: shape('tell', 'epk', 'msg', 'proof'),
  arrange: shape('arrange', 'epk', 'msg', 'proof'),
  mix: shape('mix', 'key', 'gains', 'epk', 'msg', 'keys', 'last', 'gathered', 'permuted', 'proof'),
  join: shape('join', 'key', 'knowledge'),
  held: shape('held', 'epk', 'msg', 'proof'),
  tag: shape('tag', 'key', 'cards', 'proof'),
  share: shape('share', 'shares', 'proof'),
  exclude: shape('exclude', 'key', 'faces', 'cards', 'proof'),
};

/** Fields of a message, decoded from base64. */
function message(kind, source) {
  const value = read(SHAPES[kind], source);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === 'type' ? one : fromBase64(one)]));
}

const proven = (seat, holds, what) => {
  if (!holds) throw new Fault(seat, `a false proof: ${what}`);
};

/** The places of the cards that were looked at, in the order that was chosen, the one to keep first; null for what is no choice. */
function chosenOrder(choice, positions, taking) {
  let chosen;
  try {
    chosen = JSON.parse(fromUtf8(choice));
  } catch {
    return null;
  }
  if (!Array.isArray(chosen) || !chosen.every((one) => positions.includes(one)) || new Set(chosen).size !== chosen.length) return null;
  if (chosen.length !== (taking ? 1 : positions.length)) return null;
  return [...chosen, ...positions.filter((one) => !chosen.includes(one))].map((one) => positions.indexOf(one));
}

const digestOf = (U, W) => H('mask cards', encode(U), encode(W));
const shuffleKey = (here, seat, seed) => scalarsOf(seed, 'mask shuffle key', here.inputs(seat), 1)[0];
const dot = (one, other) => mod(one.reduce((total, value, i) => total + value * other[i], 0n));
/** Cards in an order, masked under a key. */
const remasked = (U, W, K, order, masks) => ({
  U2: order.map((from, j) => U[from].add(timesG(masks[j]))), W2: order.map((from, j) => W[from].add(sum([[masks[j], K]]))),
});

/** K = s·G, u' = ρ·G and w − w' = s·u − ρ·Q, with one Q or one for each card. */
const heldRows = (cards, Q, U2, W2) => [
  { terms: [[0, [G]]], image: cards.map((card) => card.key) },
  { terms: [[1, [G]]], image: U2 },
  { terms: [[0, cards.map((card) => card.u)], [1, Q.map((one) => one.neg())]], image: cards.map((card, i) => card.w.sub(W2[i])) },
];

export class MaskDeck extends KeyedDeck {
  constructor(table, number, count) {
    super(table, number, H('mask', table.session, table.roster, table.hand, number, count));
    const bare = H('mask faces', table.session, table.hand, number);
    this.faces = Array.from({ length: count }, (_, j) => hashToGroup('nodealer/v0/mask faces', framed('face', bare, j)));
    this.faceNumber = new Map(this.faces.map((face, j) => [face.key, j]));
    this.usedKeys = new Set();
    this.seen = new Map(); // position → Map seat → the position where that seat has it under its own key alone
    this.pending = null;
  }

  begin() {
    this.run(this.newDeck(), ['newdeck', this.number, this.faces.length, null]);
  }

  // --- Stages ---

  *shuffling(seats) {
    let K = ZERO;
    let U = this.faces.map(() => ZERO);
    let W = this.faces;
    const keys = new Map();
    const here = this.here();
    for (const seat of seats) {
      const given = { K, U, W };
      const answers = yield stage('shuffle', [seat], (_, source, anchor) => {
        const { key, epk, msg, proof } = message('shuffle', source);
        const S = point(key);
        const U2 = points(epk, U.length);
        const W2 = points(msg, U.length);
        refuse([...keys.values()].some((one) => one.key === S.key), 'a key of another seat');
        const holds = shuffle(this.context('shuffle', seat, anchor), 'addmask', { K, S, U, W, U2, W2 }, proof);
        proven(seat, holds, 'shuffle');
        return { S, U2, W2 };
      }, { made: (_, seed, choice, source, anchor) => this.madeShuffle(here, given, seat, seed, anchor) });
      const { S, U2, W2 } = answers.get(seat);
      keys.set(seat, S);
      K = K.add(S);
      U = U2;
      W = W2;
    }
    return { keys, U, W };
  }

  madeShuffle(here, { K, U, W }, seat, seed, anchor) {
    const s = shuffleKey(here, seat, seed);
    const S = timesG(s);
    const joint = K.add(S);
    const inputs = here.inputs(seat, digestOf(U, W), joint.bytes);
    const order = drawOrder(seed, 'mask permutation', inputs, U.length);
    const masks = scalarsOf(seed, 'mask masks', inputs, U.length);
    const added = W.map((w, i) => w.add(sum([[s, U[i]]])));
    const { U2, W2 } = remasked(U, added, joint, order, masks);
    const proof = proveShuffle(here.context('shuffle', seat, anchor), seed, 'addmask', { K, S, U, W, U2, W2 }, order, (d) => [dot(d, masks), s]);
    return said('shuffle', { key: S.bytes, epk: encode(U2), msg: encode(W2), proof });
  }

  madeReshuffle(here, { K, U, W }, seat, seed, anchor) {
    const inputs = here.inputs(seat, digestOf(U, W), K.bytes);
    const order = drawOrder(seed, 'mask permutation', inputs, U.length);
    const masks = scalarsOf(seed, 'mask masks', inputs, U.length);
    const { U2, W2 } = remasked(U, W, K, order, masks);
    const proof = proveShuffle(here.context('reshuffle', seat, anchor), seed, 'pairs', { K, U, W, U2, W2 }, order, (d) => [dot(d, masks)]);
    return said('reshuffle', { epk: encode(U2), msg: encode(W2), proof });
  }

  *reshuffling(seats, K, U, W) {
    const here = this.here();
    for (const seat of seats) {
      const given = { K, U, W };
      const answers = yield stage('reshuffle', [seat], (_, source, anchor) => {
        const { epk, msg, proof } = message('reshuffle', source);
        const U2 = points(epk, U.length);
        const W2 = points(msg, U.length);
        proven(seat, shuffle(this.context('reshuffle', seat, anchor), 'pairs', { K, U, W, U2, W2 }, proof), 'reshuffle');
        return { U2, W2 };
      }, { ...this.rebuilding, made: (_, seed, choice, source, anchor) => this.madeReshuffle(here, given, seat, seed, anchor) });
      ({ U2: U, W2: W } = answers.get(seat));
    }
    return { U, W };
  }

  get rebuilding() {
    return this.rebuild ? { half: 'rebuilt', rebuilt: true } : this.looking ? { looked: this.looking } : {};
  }

  /** From the shuffle keys to a key for each card; makes a layer and returns its positions. */
  *rekeying(seats, keys, U, W) {
    const here = this.here();
    const drawn = this.drawnFor(here, U, W);
    const answers = yield stage('rekey', seats, (seat, source, anchor) => {
      const { keys: given, gains, proof } = message('rekey', source);
      const K = points(given, U.length);
      const D = points(gains, U.length);
      const S = keys.get(seat);
      refuse(!distinct(K) || K.some((one) => one.key === S.key), 'two equal keys, or the shuffle key');
      const holds = equalityEach(this.context('rekey', seat, anchor), { base: [G], keys: K, bases: U, images: D, less: [S] }, proof);
      proven(seat, holds, 'rekey');
      return { K, D };
    }, {
      ...this.rebuilding,
      made: (seat, seed, choice, source, anchor) => {
        const own = scalarsOf(seed, drawn.label, drawn.inputs(seat), drawn.count);
        const s = shuffleKey(here, seat, seed);
        const delta = own.map((one) => mod(one - s));
        const [K, D] = [own.map(timesG), delta.map((one, i) => sum([[one, U[i]]]))];
        const proof = proveEach(here.context('rekey', seat, anchor), seed, { base: [G], keys: K, bases: U, images: D, less: [keys.get(seat)] }, delta);
        return said('rekey', { keys: encode(K), gains: encode(D), proof });
      },
    });
    const layer = U.map((u, i) => ({
      u,
      w: add([W[i], ...[...answers.values()].map(({ D }) => D[i])]),
      keys: new Map(seats.map((seat) => [seat, answers.get(seat).K[i]])),
      published: new Map(),
    }));
    return this.layer(layer, drawn);
  }

  /** What the keys of cards are drawn for: exactly these. */
  drawnFor(here, U, W) {
    const origin = digestOf(U, W);
    return { label: 'mask card keys', inputs: (seat) => here.inputs(seat, origin), count: U.length };
  }

  /** The same for cards that one seat gets under its keys alone. */
  drawnAlone(seat, cards) {
    const roster = H('roster without', this.roster, ...this.seats.filter((one) => one !== seat));
    return this.drawnFor(this.here(roster), cards.map(({ u }) => u), cards.map(({ w }) => w));
  }

  layer(cards, drawn) {
    this.layers = (this.layers ?? -1) + 1;
    return cards.map((card, at) => {
      card.layer = this.layers;
      Object.assign(card, { drawn, at });
      for (const key of card.keys.values()) this.usedKeys.add(key.key);
      return this.cards.push(card) - 1;
    });
  }

  /** All move hidden cards to one new key each. cards: {u, w, keys}; open ones re-enter bare. */
  *gathering(seats, cards) {
    const given = new Map();
    const here = this.here();
    const answers = yield stage('gather', seats, (seat, source, anchor) => {
      const { key, knowledge: known, gains, proof } = message('gather', source);
      const S = point(key);
      const hidden = cards.filter((card) => !card.bare);
      const D = points(gains, hidden.length);
      const others = [...given.values()];
      refuse(others.some((one) => one.key === S.key), 'a key of another seat');
      refuse(given.size === seats.length - 1 && add([...others, S]).isIdentity, 'a key that cancels the joint key');
      const transcript = this.context('gather', seat, anchor);
      const knows = knowledge(transcript, [S], known);
      if (!hidden.length) { // only open cards go back
        refuse(proof.length > 0, 'a proof about nothing');
        proven(seat, knows, 'gather');
        return { S, D };
      }
      const less = hidden.map((card) => card.keys.get(seat) ?? ZERO);
      const bases = hidden.map((card) => card.u);
      const holds = equalityEach(transcript, { base: [G], keys: [S], bases, images: D, less }, proof);
      proven(seat, knows && holds, 'gather');
      return { S, D };
    }, {
      ...this.rebuilding,
      apply: (seat, { S }) => given.set(seat, S),
      made: (seat, seed, choice, source, anchor) => {
        const s = shuffleKey(here, seat, seed);
        const S = timesG(s);
        const hidden = cards.filter((card) => !card.bare);
        const transcript = here.context('gather', seat, anchor);
        const known = proveKnowledge(transcript, seed, [S], [s]);
        const none = new Uint8Array(0);
        if (!hidden.length) return said('gather', { key: S.bytes, knowledge: known, gains: none, proof: none });
        const delta = this.secrets(hidden.map(({ position }) => position), seat, seed).map((one) => mod(s - one));
        const bases = hidden.map((card) => card.u);
        const D = delta.map((one, i) => sum([[one, bases[i]]]));
        const less = hidden.map((card) => card.keys.get(seat) ?? ZERO);
        const proof = proveEach(transcript, seed, { base: [G], keys: [S], bases, images: D, less }, delta);
        return said('gather', { key: S.bytes, knowledge: known, gains: encode(D), proof });
      },
    });
    const keys = new Map(seats.map((seat) => [seat, answers.get(seat).S]));
    let next = 0;
    const moved = cards.map((card) => {
      if (card.bare) return { u: ZERO, w: card.w };
      const i = next++;
      return { u: card.u, w: add([card.w, ...[...answers.values()].map(({ D }) => D[i])]) };
    });
    return { keys, K: add([...keys.values()]), U: moved.map(({ u }) => u), W: moved.map(({ w }) => w) };
  }

  *masking(seats, K, U, W) {
    const given = [];
    const here = this.here();
    const answers = yield stage('mask', seats, (seat, source, anchor) => {
      const { epk, msg, proof } = message('mask', source);
      const R = points(epk, U.length);
      const T = points(msg, U.length);
      const last = given.length === seats.length - 1;
      refuse(last && U.some((u, i) => add([u, R[i], ...given.map((one) => one[i])]).isIdentity), 'masks that cancel');
      proven(seat, equalityEach(this.context('mask', seat, anchor), { base: [G], keys: R, bases: [K], images: T }, proof), 'mask');
      return { R, T };
    }, {
      ...this.rebuilding,
      apply: (_, { R }) => given.push(R),
      made: (seat, seed, choice, source, anchor) => {
        const masks = scalarsOf(seed, 'mask masks in place', here.inputs(seat, digestOf(U, W), K.bytes), U.length);
        const [R, T] = [masks.map(timesG), masks.map((one) => sum([[one, K]]))];
        const proof = proveEach(here.context('mask', seat, anchor), seed, { base: [G], keys: R, bases: [K], images: T }, masks);
        return said('mask', { epk: encode(R), msg: encode(T), proof });
      },
    });
    const all = [...answers.values()];
    return { U: U.map((u, i) => add([u, ...all.map(({ R }) => R[i])])), W: W.map((w, i) => add([w, ...all.map(({ T }) => T[i])])) };
  }

  // --- Operations ---

  *newDeck() {
    const { seats } = this;
    const { keys, U, W } = yield* this.shuffling(seats);
    this.pile = yield* this.rekeying(seats, keys, U, W);
    this.made = true;
  }

  request(operation) {
    this.ask(operation);
    if (this.rebuild && operation[0] === 'close') { // done at once: nothing more is asked of the deck
      this.rebuild = false;
      this.pending = null;
      this.start(operation);
      return;
    }
    if (this.rebuild || this.leavers.length) {
      this.pending = operation;
      return;
    }
    this.start(operation);
  }

  start(operation) {
    const [kind] = operation;
    const generator = {
      deal: () => this.deal(operation),
      open: () => this.open(operation),
      show: () => (operation[4] === null ? this.show(operation) : this.handing(operation)),
      pass: () => this.handing(operation),
      return: () => this.giveBack(operation),
      peek: () => this.peek(operation),
      mix: () => this.mix(operation),
      prove: () => this.prove(operation),
      close: () => this.close(),
    }[kind];
    this.run(generator(), operation);
  }

  *open([, , count, positions, groups]) {
    yield* this.openPositions(positions.length ? positions : this.pile.slice(0, count), groups);
  }

  // eslint-disable-next-line require-yield
  *close() {
    this.closed = true;
    this.pile = [];
  }

  faceOf(position) {
    const card = this.cards[position];
    const off = [...card.published.values()].reduce((a, b) => a + b, 0n);
    const face = this.faceNumber.get(card.w.sub(sum([[off, card.u]])).key);
    if (face === undefined) throw new Error('a card that no deck has');
    return face;
  }

  /** A card under one owner's key: its epk, and its msg without what others have published. */
  own(position, owner) {
    const card = this.cards[position];
    let off = 0n;
    for (const [seat, key] of card.published) if (seat !== owner) off += key;
    return { u: card.u, w: off === 0n ? card.w : card.w.sub(sum([[off, card.u]])), key: card.keys.get(owner) };
  }

  source(position) {
    if (this.opened.has(position)) return { bare: true, w: this.faces[this.opened.get(position)] };
    const card = this.cards[position];
    let { w } = card;
    const keys = new Map();
    for (const [seat, key] of card.keys) {
      if (this.seats.includes(seat)) keys.set(seat, key);
      else w = w.sub(sum([[card.published.get(seat), card.u]]));
    }
    return { u: card.u, w, keys, position };
  }

  gone(position) {
    for (const map of [this.held, this.opened, this.aside, this.seen, this.shownBy]) map.delete(position);
    this.pile = this.pile.filter((one) => one !== position);
    this.cards[position].dead = true;
  }

  *giveBack([, , positions, place, , depth = 0]) {
    if (place === 'discard') {
      for (const position of positions) {
        if (this.held.has(position)) {
          this.aside.set(position, this.held.get(position));
          this.held.delete(position);
        }
        this.cards[position].laid = true;
        this.moved(position, null);
      }
      return;
    }
    const { seats } = this;
    const all = place === 'shuffled' ? [...positions, ...this.pile] : positions;
    if (all.length === 0) return;
    this.epoch += 1;
    const { keys, K, U, W } = yield* this.gathering(seats, all.map((position) => this.source(position)));
    const mixed = place === 'shuffled' && all.length > 1 ? yield* this.reshuffling(seats, K, U, W) : yield* this.masking(seats, K, U, W);
    const fresh = yield* this.rekeying(seats, keys, mixed.U, mixed.W);
    const layers = positions.map((position) => this.layerOf(position));
    for (const position of all) this.gone(position);
    if (place === 'shuffled') this.pile = fresh;
    else if (place === 'bottom') this.pile = [...this.pile, ...fresh];
    else this.pile = [...this.pile.slice(0, depth), ...fresh, ...this.pile.slice(depth)];
    positions.forEach((position, i) => this.events.push({ type: 'moved', deck: this.number, epoch: layers[i], position, holder: null }));
  }

  *handing(operation) {
    const [kind] = operation;
    const gifts = kind === 'pass' ? operation[2] : [[operation[2], operation[4], operation[3]]];
    this.epoch += 1;
    const incoming = new Map();
    for (const [giver, to, positions] of gifts) {
      if (!incoming.has(to)) incoming.set(to, []);
      incoming.get(to).push(...positions.map((position) => ({ giver, position })));
    }
    const named = new Map(); // position → Q
    const here = this.here();
    const drawn = gifts.map(([giver, to, positions]) => ({ to, ...this.drawnAlone(to, positions.map((position) => this.own(position, giver))) }));
    const taken = new Set(); // keys that others have named for this
    yield stage('receive', [...incoming.keys()].sort((a, b) => a - b), (seat, source, anchor) => {
      const { keys, knowledge: known } = message('receive', source);
      const list = incoming.get(seat);
      const Q = points(keys, list.length);
      refuse(!distinct(Q) || Q.some((one) => this.usedKeys.has(one.key) || taken.has(one.key)), 'a key that a card has or had');
      proven(seat, knowledge(this.context('receive', seat, anchor), Q, known), 'receive');
      return Q;
    }, {
      apply: (seat, Q) => incoming.get(seat).forEach(({ position }, i) => {
        named.set(position, Q[i]);
        taken.add(Q[i].key);
      }),
      made: (seat, seed, choice, source, anchor) => {
        const own = drawn.filter(({ to }) => to === seat).flatMap(({ label, inputs, count }) => scalarsOf(seed, label, inputs(seat), count));
        const Q = own.map(timesG);
        return said('receive', { keys: encode(Q), knowledge: proveKnowledge(here.context('receive', seat, anchor), seed, Q, own) });
      },
    });
    const givers = [...new Set(gifts.map(([giver]) => giver))].sort((a, b) => a - b);
    const outgoing = new Map(givers.map((giver) => [giver, gifts.filter(([one]) => one === giver).flatMap(([, to, positions]) => positions.map((position) => ({ to, position })))]));
    const own = new Map([...outgoing].map(([giver, list]) => [giver, list.map(({ position }) => this.own(position, giver))]));
    const given = new Map();
    yield stage('hand', givers, (seat, source, anchor) => {
      const { epk, msg, proof } = message('hand', source);
      const list = outgoing.get(seat);
      const U2 = points(epk, list.length);
      const W2 = points(msg, list.length);
      const rows = heldRows(own.get(seat), list.map(({ position }) => named.get(position)), U2, W2);
      proven(seat, linear(this.context('hand', seat, anchor), 'held cards, handed to another key', [list.length, list.length], rows, proof), 'hand');
      return { U2, W2 };
    }, {
      apply: (seat, { U2, W2 }) => outgoing.get(seat).forEach(({ to, position }, i) => {
        given.set(position, { u: U2[i], w: W2[i], to });
      }),
      made: (seat, seed, choice, source, anchor) => {
        const list = outgoing.get(seat);
        const cards = own.get(seat);
        const Q = list.map(({ position }) => named.get(position));
        const rho = scalarsOf(seed, 'mask handed cards', here.inputs(seat, digestOf(cards.map(({ u }) => u), cards.map(({ w }) => w)), encode(Q)), list.length);
        return this.madeHeld(here.context('hand', seat, anchor), 'hand', cards, Q, rho, this.secrets(list.map(({ position }) => position), seat, seed), seed);
      },
    });
    const order = gifts.flatMap(([, to, positions]) => positions.map((position) => [position, to]));
    const places = this.layer(order.map(([position, to]) => ({ ...given.get(position), keys: new Map([[to, named.get(position)]]), published: new Map() })), drawn[0]);
    for (const [i, [position, to]] of order.entries()) {
      const seen = new Map(this.seen.get(position));
      const giver = this.held.get(position);
      seen.delete(kind === 'pass' ? to : giver);
      if (kind !== 'pass') { // it has a place of its own for what it has seen
        this.seen.set(position, seen.set(to, places[i]));
        continue;
      }
      this.gone(position);
      this.seen.set(places[i], seen.set(giver, position));
      this.held.set(places[i], to);
      this.moved(places[i], to, [this.layerOf(position), position]);
    }
  }

  /** Own cards under other keys, with masks ρ: `hand` or `held`. */
  madeHeld(transcript, type, cards, Q, rho, s, seed) {
    const U2 = rho.map(timesG);
    const W2 = cards.map((card, i) => card.w.add(sum([[-s[i], card.u], [rho[i], Q.length === 1 ? Q[0] : Q[i]]])));
    const kind = type === 'hand' ? 'held cards, handed to another key' : 'held cards, masked anew';
    return said(type, { epk: encode(U2), msg: encode(W2), proof: proveLinear(transcript, seed, kind, heldRows(cards, Q, U2, W2), [s, rho]) });
  }

  *peek([, , seat, count, then]) {
    const { seats } = this;
    this.epoch += 1;
    const looked = this.pile.slice(0, count);
    refuse(looked.length < count, 'more cards than there are');
    const others = seats.filter((one) => one !== seat);
    const here = this.here();
    const cards = looked.map((position) => this.cards[position]);
    const answers = yield stage('look', [seat], (_, source, anchor) => {
      const { key, knowledge: known } = message('look', source);
      const R = point(key);
      refuse(this.usedKeys.has(R.key), 'a key that the deck has had');
      proven(seat, knowledge(this.context('look', seat, anchor), [R], known), 'look');
      return R;
    }, {
      made: (_, seed, choice, source, anchor) => {
        const t = scalarsOf(seed, 'mask look key', here.inputs(seat, digestOf(cards.map(({ u }) => u), cards.map(({ w }) => w))), 1);
        const own = timesG(t[0]);
        return said('look', { key: own.bytes, knowledge: proveKnowledge(here.context('look', seat, anchor), seed, [own], t) });
      },
    });
    const R = answers.get(seat);
    const rowsOf = (other, C, D) => [
      { terms: [[0, [G]]], image: cards.map((card) => card.keys.get(other)) },
      { terms: [[1, [G]]], image: C },
      { terms: [[0, cards.map((card) => card.u)], [1, [R]]], image: D },
    ];
    const told = 'masks of cards, told under another key';
    yield stage('tell', others, (other, source, anchor) => {
      const { epk, msg, proof } = message('tell', source);
      const C = points(epk, count);
      const D = points(msg, count);
      proven(other, linear(this.context('tell', other, anchor), told, [count, count], rowsOf(other, C, D), proof), 'tell');
      return true;
    }, {
      telling: true,
      made: (other, seed, choice, source, anchor) => {
        const s = this.secrets(looked, other, seed);
        const rho = scalarsOf(seed, 'mask told cards', here.inputs(other, digestOf(cards.map(({ u }) => u), cards.map(({ w }) => w)), R.bytes), count);
        const [C, D] = [rho.map(timesG), cards.map((card, i) => sum([[s[i], card.u], [rho[i], R]]))];
        return said('tell', { epk: encode(C), msg: encode(D), proof: proveLinear(here.context('tell', other, anchor), seed, told, rowsOf(other, C, D), [s, rho]) });
      },
    });
    this.looking = { seat };
    if (then === 'look' || (then === 'reorder' && count === 1)) {
      this.looking = null;
      return;
    }
    const taking = then === 'take';
    const all = taking ? [...this.pile] : looked;
    const { keys, K, U, W } = yield* this.gathering(seats, all.map((position) => this.source(position)));
    let arranged = { U: U.slice(0, count), W: W.slice(0, count) };
    if (count > 1) { // one card alone has no order
      const given = arranged;
      const inOrder = yield stage('arrange', [seat], (_, source, anchor) => {
        const { epk, msg, proof } = message('arrange', source);
        const U2 = points(epk, count);
        const W2 = points(msg, count);
        const statement = { K, U: given.U, W: given.W, U2, W2 };
        proven(seat, shuffle(this.context('arrange', seat, anchor), 'pairs', statement, proof), 'arrange');
        return { U: U2, W: W2 };
      }, {
        choice: true,
        looked: this.looking,
        made: (_, seed, choice, source, anchor) => {
          const order = chosenOrder(choice(this.dutyNumber(seat, 'arrange', anchor)), looked, taking);
          if (!order) return null;
          const masks = scalarsOf(seed, 'mask arranged cards', here.inputs(seat, digestOf(given.U, given.W), K.bytes, jsonBytes(order)), count);
          const { U2, W2 } = remasked(given.U, given.W, K, order, masks);
          const proof = proveShuffle(here.context('arrange', seat, anchor), seed, 'pairs', { K, ...given, U2, W2 }, order, (d) => [dot(d, masks)]);
          return said('arrange', { epk: encode(U2), msg: encode(W2), proof });
        },
      });
      arranged = inOrder.get(seat);
    }
    let rest = { U: [...arranged.U, ...U.slice(count)], W: [...arranged.W, ...W.slice(count)] };
    if (taking && rest.U.length > 2) {
      const mixed = yield* this.reshuffling(seats, K, rest.U.slice(1), rest.W.slice(1));
      rest = { U: [rest.U[0], ...mixed.U], W: [rest.W[0], ...mixed.W] };
    }
    const fresh = yield* this.rekeying(seats, keys, rest.U, rest.W);
    for (const position of all) this.gone(position);
    this.pile = [...fresh, ...this.pile];
    this.looking = null;
    if (then === 'keep' || taking) {
      const position = fresh[0];
      yield* this.release([[position, seat]], [], 'dealt', true);
      this.pile = this.pile.filter((one) => one !== position);
      this.held.set(position, seat);
      this.moved(position, seat);
    }
  }

  *mix([, , seat, positions]) {
    if (positions.length < 2) return; // one card has no order
    this.epoch += 1;
    const cards = positions.map((position) => this.own(position, seat));
    const h = positions.length;
    const here = this.here();
    const alone = (U2, W2) => this.drawnAlone(seat, U2.map((u, i) => ({ u, w: W2[i] })));
    const answers = yield stage('mix', [seat], (_, source, anchor) => {
      const given = message('mix', source);
      const S = point(given.key);
      const D = points(given.gains, h);
      const U2 = points(given.epk, h);
      const W2 = points(given.msg, h);
      const K2 = points(given.keys, h);
      const D2 = points(given.last, h);
      refuse(!distinct([S, ...K2]) || [S, ...K2].some((one) => this.usedKeys.has(one.key)), 'a key that the deck has or had');
      const U = cards.map((card) => card.u);
      const W = cards.map((card, i) => card.w.add(D[i]));
      const transcript = () => this.context('mix', seat, anchor);
      const less = cards.map((card) => card.key);
      const holds = [ // what is malformed in any of them is refused, whatever the others are
        equalityEach(transcript(), { base: [G], keys: [S], bases: U, images: D, less }, given.gathered),
        shuffle(transcript(), 'pairs', { K: S, U, W, U2, W2 }, given.permuted),
        equalityEach(transcript(), { base: [G], keys: K2, bases: U2, images: D2, less: [S] }, given.proof),
      ];
      proven(seat, holds.every(Boolean), 'mix');
      return { U2, W2, K2, D2 };
    }, { made: (_, seed, choice, source, anchor) => this.madeMix(here, alone, positions, cards, seat, seed, anchor) });
    const { U2, W2, K2, D2 } = answers.get(seat);
    for (const position of positions) {
      this.moved(position, null);
      this.gone(position);
    }
    const fresh = this.layer(U2.map((u, i) => ({ u, w: W2[i].add(D2[i]), keys: new Map([[seat, K2[i]]]), published: new Map() })), alone(U2, W2));
    for (const position of fresh) {
      this.held.set(position, seat);
      this.moved(position, seat);
    }
  }

  madeMix(here, alone, positions, cards, seat, seed, anchor) {
    const [s] = scalarsOf(seed, 'mask own key', here.inputs(seat), 1);
    const S = timesG(s);
    const delta = this.secrets(positions, seat, seed).map((one) => mod(s - one));
    const U = cards.map(({ u }) => u);
    const D = delta.map((one, i) => sum([[one, U[i]]]));
    const W = cards.map(({ w }, i) => w.add(D[i]));
    const inputs = here.inputs(seat, digestOf(U, W), S.bytes);
    const order = drawOrder(seed, 'mask own permutation', inputs, U.length);
    const masks = scalarsOf(seed, 'mask own masks', inputs, U.length);
    const { U2, W2 } = remasked(U, W, S, order, masks);
    const drawn = alone(U2, W2);
    const own = scalarsOf(seed, drawn.label, drawn.inputs(seat), drawn.count);
    const K2 = own.map(timesG);
    const last = own.map((one) => mod(one - s));
    const D2 = last.map((one, i) => sum([[one, U2[i]]]));
    const transcript = () => here.context('mix', seat, anchor);
    const less = cards.map(({ key }) => key);
    return said('mix', {
      key: S.bytes, gains: encode(D), epk: encode(U2), msg: encode(W2), keys: encode(K2), last: encode(D2),
      gathered: proveEach(transcript(), seed, { base: [G], keys: [S], bases: U, images: D, less }, delta),
      permuted: proveShuffle(transcript(), seed, 'pairs', { K: S, U, W, U2, W2 }, order, (d) => [dot(d, masks)]),
      proof: proveEach(transcript(), seed, { base: [G], keys: K2, bases: U2, images: D2, less: [S] }, last),
    });
  }

  /** Cards about which a seat proves something, as they are now. */
  hiddenCards(positions, seat) {
    const cards = positions.map((position) => this.cards[position]);
    const off = cards.map((card) => [...card.published].reduce((total, [one, key]) => (one === seat ? total : total + key), 0n));
    return { kind: 'masked cards', epk: cards.map((card) => card.u), msg: cards.map((card) => card.w), keys: cards.map((card) => card.keys.get(seat)), off };
  }

  *prove([, , claims]) {
    const here = this.here();
    const hidden = new Map(claims.map(([seat, positions]) => [seat, this.hiddenCards(positions, seat)]));
    yield stage('exclude', claims.map(([seat]) => seat), (seat, source, anchor) => {
      const [, positions, faces] = claims.find(([one]) => one === seat);
      const given = message('exclude', source);
      const Y = point(given.key);
      const Z = points(given.faces, faces.length);
      const T = points(given.cards, positions.length);
      const transcript = this.context('exclude', seat, anchor);
      this.names(transcript, faces, positions);
      proven(seat, exclude(transcript, faces.map((face) => this.faces[face]), hidden.get(seat), { Y, Z, T }, given.proof), 'exclude');
      return true;
    }, {
      made: (seat, seed, choice, source, anchor) => {
        const [, positions, faces] = claims.find(([one]) => one === seat);
        const transcript = here.context('exclude', seat, anchor);
        this.names(transcript, faces, positions);
        const { Y, Z, T, proof } = proveExclude(transcript, seed, faces.map((face) => this.faces[face]), hidden.get(seat), this.secrets(positions, seat, seed));
        return said('exclude', { key: Y.bytes, faces: encode(Z), cards: encode(T), proof });
      },
    });
  }

  // --- When seats leave ---

  /** What a seat that goes now leaves half done: 'dealt', 'opened', 'rebuilt'. */
  halfDone(seat) {
    const now = this.stage;
    if (!now) return [];
    if (now.rebuilt) return now.owing.includes(seat) || now.laterTurns?.includes(seat) ? ['rebuilt'] : [];
    if (now.releasing && now.half) {
      const owes = now.owing.includes(seat) || now.later.includes(seat);
      return owes && now.published(seat) ? [now.half] : [];
    }
    if (now.telling) return now.answers.size && now.owing.includes(seat) ? ['dealt'] : [];
    if (now.looked && now.looked.seat !== seat) return ['dealt'];
    return [];
  }

  /** Whether cards can still be dealt when these are gone. */
  leave(seats) {
    const stay = this.seats.filter((seat) => !seats.includes(seat) && !this.leavers.includes(seat));
    if (this.closed) {
      this.seats = stay;
      return stay.length >= 2;
    }
    const now = this.stage;
    this.leavers = [...this.leavers, ...seats].filter((seat) => this.seats.includes(seat)).sort((a, b) => a - b);
    if (!this.leavers.length) return stay.length >= 2;
    if (stay.length < 2) {
      this.stop();
      return false;
    }
    const owes = now?.releasing && this.leavers.some((seat) => now.owing.includes(seat) || now.later.includes(seat));
    if (now?.releasing && !owes && now.owing.length) return true; // first what is in progress
    this.rebuildNow();
    return true;
  }

  stop() {
    this.stage = null;
    this.running = null;
    this.pending = null;
    this.closed = true;
  }

  finished(operation) {
    if (this.rebuild) {
      this.rebuild = false;
      const next = this.pending;
      this.pending = null;
      if (next) this.again(next);
      return;
    }
    super.finished(operation);
    if (this.leavers.length) this.rebuildNow();
  }

  rebuildNow() {
    const before = this.epoch;
    const { leavers } = this;
    const interrupted = this.rebuild ? this.pending : this.operation ?? this.pending;
    this.pending = null;
    this.leavers = [];
    this.looking = null;
    this.seats = this.seats.filter((seat) => !leavers.includes(seat));
    this.roster = H('roster without', this.roster, ...leavers);
    this.trail = H('without', this.trail, before, ...leavers);
    this.epoch += 1;
    if (!this.made) {
      this.run(this.newDeck(), interrupted);
      return;
    }
    this.forget(leavers);
    this.pending = interrupted;
    this.rebuild = true;
    this.run(this.rebuilds(), null);
  }

  /** What leavers held: a card that one who stays has seen is laid aside where the lowest such seat has it; the rest goes back. */
  forget(leavers) {
    for (const map of [this.held, this.aside]) {
      for (const [position, seat] of [...map]) {
        if (!leavers.includes(seat) || this.opened.has(position)) continue;
        if (map === this.held) this.moved(position, null);
        map.delete(position);
        this.cards[position].dead = true;
      }
    }
    for (const [position, seats] of [...this.seen]) {
      for (const seat of leavers) seats.delete(seat);
      if (!this.cards[position].dead || this.opened.has(position)) continue;
      this.seen.delete(position);
      const [seat] = [...seats.keys()].sort((a, b) => a - b);
      if (seat === undefined) continue;
      const at = seats.get(seat);
      seats.delete(seat);
      this.cards[at].dead = false;
      this.aside.set(at, seat);
      this.seen.set(at, seats);
    }
  }

  *rebuilds() {
    const { seats } = this;
    const publicFaces = new Set(this.opened.values());
    const faces = this.faces.map((_, j) => j).filter((j) => !publicFaces.has(j));
    const owned = this.owned();
    const declarers = [...owned.keys()].sort((a, b) => a - b);
    const heldCount = declarers.reduce((count, seat) => count + owned.get(seat).length, 0);
    for (const position of this.pile) this.cards[position].dead = true;
    this.pile = [];
    if (faces.length === heldCount) { // the new pile is empty, and yet a layer
      this.layers += 1;
      return;
    }
    const half = this.rebuilding;
    const here = this.here();
    const given = new Map();
    const joined = yield stage('join', seats, (seat, source, anchor) => {
      const { key, knowledge: known } = message('join', source);
      const S = point(key);
      const others = [...given.values()];
      refuse(others.some((one) => one.key === S.key), 'a key of another seat');
      refuse(given.size === seats.length - 1 && add([...others, S]).isIdentity, 'a key that cancels the joint key');
      proven(seat, knowledge(this.context('join', seat, anchor), [S], known), 'join');
      return S;
    }, {
      ...half,
      apply: (seat, S) => given.set(seat, S),
      made: (seat, seed, choice, source, anchor) => {
        const s = shuffleKey(here, seat, seed);
        const S = timesG(s);
        return said('join', { key: S.bytes, knowledge: proveKnowledge(here.context('join', seat, anchor), seed, [S], [s]) });
      },
    });
    const keys = new Map(seats.map((seat) => [seat, joined.get(seat)]));
    const K = add([...keys.values()]);
    const mine = new Map(declarers.map((seat) => [seat, owned.get(seat).map((position) => ({ ...this.own(position, seat), position }))]));
    const declared = yield stage('held', declarers, (seat, source, anchor) => {
      const { epk, msg, proof } = message('held', source);
      const cards = mine.get(seat);
      const U2 = points(epk, cards.length);
      const W2 = points(msg, cards.length);
      const rows = heldRows(cards, [K], U2, W2);
      proven(seat, linear(this.context('held', seat, anchor), 'held cards, masked anew', [cards.length, cards.length], rows, proof), 'held');
      return { U2, W2 };
    }, {
      ...half,
      made: (seat, seed, choice, source, anchor) => {
        const cards = mine.get(seat);
        const rho = scalarsOf(seed, 'mask held cards', here.inputs(seat, digestOf(cards.map(({ u }) => u), cards.map(({ w }) => w)), K.bytes), cards.length);
        return this.madeHeld(here.context('held', seat, anchor), 'held', cards, [K], rho, this.secrets(cards.map(({ position }) => position), seat, seed), seed);
      },
    });
    let U = faces.map(() => ZERO);
    let W = faces.map((j) => this.faces[j]);
    ({ U, W } = faces.length > 1 ? yield* this.reshuffling(seats, K, U, W) : yield* this.masking(seats, K, U, W));
    let rest = U.map((_, i) => i);
    if (heldCount) {
      let all = [
        ...U, ...declarers.flatMap((seat) => declared.get(seat).U2), ...W, ...declarers.flatMap((seat) => declared.get(seat).W2),
      ];
      for (const seat of seats) {
        const before = all;
        const answers = yield stage('tag', [seat], (_, source, anchor) => {
          const { key, cards, proof } = message('tag', source);
          const Z = point(key);
          const next = points(cards, all.length);
          proven(seat, equalityOne(this.context('tag', seat, anchor), Z, all, next, proof), 'tag');
          return next;
        }, {
          ...half,
          made: (_, seed, choice, source, anchor) => {
            const [U2, W2] = [before.slice(0, before.length / 2), before.slice(before.length / 2)];
            const [z] = scalarsOf(seed, 'mask tags', here.inputs(seat, digestOf(U2, W2)), 1);
            const next = before.map((one) => sum([[z, one]]));
            return said('tag', { key: timesG(z).bytes, cards: encode(next), proof: proveOne(here.context('tag', seat, anchor), seed, timesG(z), before, next, z) });
          },
        });
        all = answers.get(seat);
      }
      const c = all.length / 2;
      const epk = all.slice(0, c);
      const shares = yield stage('share', seats, (seat, source, anchor) => {
        const { shares: bytes, proof } = message('share', source);
        const D = points(bytes, c);
        proven(seat, equalityOne(this.context('share', seat, anchor), keys.get(seat), epk, D, proof), 'share');
        return D;
      }, {
        ...half,
        made: (seat, seed, choice, source, anchor) => {
          const s = shuffleKey(here, seat, seed);
          const D = epk.map((one) => sum([[s, one]]));
          return said('share', { shares: encode(D), proof: proveOne(here.context('share', seat, anchor), seed, keys.get(seat), epk, D, s) });
        },
      });
      const tags = all.slice(c).map((msg, i) => msg.sub(add([...shares.values()].map((D) => D[i]))).key);
      for (const tag of tags.slice(faces.length)) {
        const at = rest.filter((i) => tags[i] === tag);
        if (at.length !== 1) throw new Error('a held card that is no card of the deck');
        rest = rest.filter((i) => i !== at[0]);
      }
    }
    this.pile = yield* this.rekeying(seats, keys, rest.map((i) => U[i]), rest.map((i) => W[i]));
  }

  /** How many cards the pile has, or will have once it is made again. */
  get stock() {
    if (!this.rebuild) return this.pile.length;
    return this.faces.length - new Set(this.opened.values()).size - [...this.owned().values()].reduce((count, list) => count + list.length, 0);
  }

  /** The hidden cards of each seat, in its hand or laid aside by it, ascending. */
  owned() {
    const owned = new Map();
    for (const map of [this.held, this.aside]) {
      for (const [position, seat] of map) {
        if (this.opened.has(position) || !this.seats.includes(seat)) continue;
        if (!owned.has(seat)) owned.set(seat, []);
        owned.get(seat).push(position);
      }
    }
    for (const list of owned.values()) list.sort((a, b) => a - b);
    return owned;
  }

  /** What is absorbed before the statement of a proof about hidden cards. */
  names(transcript, faces, positions) {
    transcript.absorb('names', ...faces);
    for (const position of positions) transcript.absorb('names', this.number, this.layerOf(position), position);
  }

  /** What was in progress, asked again for those who stay. */
  again(operation) {
    const left = this.remaining(operation);
    if (left === null) {
      if (operation[0] === 'return') this.ask(operation); // with all of them, and it is over
      super.finished(operation);
      return;
    }
    this.ask(left);
    this.start(left);
  }

  /** What is left of an operation for those who stay, or null. */
  remaining(operation) {
    const stays = (seat) => this.seats.includes(seat);
    const there = (position) => !this.cards[position]?.dead;
    const [kind, deck] = operation;
    if (kind === 'deal') {
      const portions = operation[2].filter(([seat]) => stays(seat)).map(([seat, count, positions]) => [seat, positions.length ? positions.length : count, []]);
      return portions.length ? ['deal', deck, portions] : null;
    }
    if (kind === 'open') {
      const [, , count, positions, groups] = operation;
      return ['open', deck, positions.length ? positions.length : count, [], groups];
    }
    if (kind === 'show') return stays(operation[2]) && (operation[4] === null || stays(operation[4])) ? operation : null;
    if (kind === 'pass') {
      const gifts = operation[2].filter(([giver, to]) => stays(giver) && stays(to));
      return gifts.length ? ['pass', deck, gifts] : null;
    }
    if (kind === 'prove') {
      const claims = operation[2].filter(([seat]) => stays(seat));
      return claims.length ? ['prove', deck, claims] : null;
    }
    if (kind === 'peek' || kind === 'mix') return stays(operation[2]) ? operation : null;
    if (kind === 'return') {
      const [, , positions, place, by, depth] = operation;
      const rest = positions.filter(there);
      if (!rest.length && place !== 'shuffled') return null;
      return depth ? ['return', deck, rest, place, by, depth] : ['return', deck, rest, place, by];
    }
    return operation;
  }
}
