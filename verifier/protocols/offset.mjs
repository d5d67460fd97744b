// The protocol `offset` (docs/spec/protocols/offset.md).
import { fromBase64, fromUtf8, toBase64 } from '../bytes.mjs';
import { Fault, refuse, stage } from '../deck.mjs';
import { add, blindingGenerator, distinct, encode, G, mod, points, point, scalar, scalars, sum, timesG } from '../group.mjs';
import { H } from '../hash.mjs';
import { fields, integer, list, literal, read, text } from '../json.mjs';
import { equalityEach, knowledge, scalarBytes } from '../proofs.mjs';
import { proveEach, proveKnowledge, proveShuffle } from '../provers.mjs';
import { shuffle } from '../shuffle.mjs';
import { order as drawOrder, scalarsOf } from '../tape.mjs';
import { KeyedDeck } from './keyed.mjs';

const numbers = list(integer());
const shape = (type, more) => fields({ type: literal(type), system: literal('cards'), ...more });
const SHAPES = {
  requestDealParts: shape('requestDealParts', { players: numbers, deck: integer(), cards: integer(), shuffleOrder: numbers, dealPublicKeyParts: text(), proof: text() }),
  respondDealParts: shape('respondDealParts', { playerId: integer(), dealPublicKeyParts: text(), proof: text() }),
  shuffle: shape('shuffle', { playerId: integer(), step: integer(), deck: text(), scaled: text(), key: text(), commitment: text(), scaledProof: text(), proof: text() }),
  revealOffset: shape('revealOffset', { playerId: integer(), offset: text(), blinding: text() }),
  dealInitial: shape('dealInitial', { player: numbers, dealNo: numbers }),
  dealFinal: shape('dealFinal', { playerId: integer(), dealNo: numbers, dealKeyPart: text() }),
  revealInitial: shape('revealInitial', { dealNo: numbers, dealKeyPart: text() }),
  revealFinal: shape('revealFinal', { playerId: integer(), dealNo: numbers, dealKeyPart: text() }),
};
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** A message of `cards`, with bytes in base64. */
const say = (type, parts) => JSON.stringify({ type, system: 'cards', ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part instanceof Uint8Array ? toBase64(part) : part])) });
const proven = (seat, holds, what) => {
  if (!holds) throw new Fault(seat, `a false proof: ${what}`);
};

export class OffsetDeck extends KeyedDeck {
  constructor(table, number, count) {
    super(table, number, H('offset', table.session, table.roster, table.hand, number, count));
    this.count = count;
    this.faces = Array.from({ length: count }, (_, j) => j);
    const role = table.seats.find((seat) => table.members.of(seat).role === 'dealer');
    this.dealer = role ?? table.seats[0];
  }

  begin() {
    this.run(this.newDeck(), ['newdeck', this.number, this.count, null]);
  }

  parts(seat, bytes, proof, step, anchor) {
    const D = points(fromBase64(bytes), this.count);
    refuse(!distinct(D), 'two parts are equal');
    proven(seat, knowledge(this.context(step, seat, anchor), D, fromBase64(proof)), step);
    return D;
  }

  *newDeck() {
    const { seats, dealer, count: m } = this;
    const ids = seats.map((seat) => seat + 1);
    const here = this.here();
    this.drawn = { label: 'offset deal parts', inputs: (seat) => here.inputs(seat), count: m };
    const ownParts = (seat, seed, step, anchor) => {
      const d = scalarsOf(seed, this.drawn.label, this.drawn.inputs(seat), m);
      const D = d.map(timesG);
      return { dealPublicKeyParts: encode(D), proof: proveKnowledge(here.context(step, seat, anchor), seed, D, d) };
    };
    const first = yield stage('requestDealParts', [dealer], (seat, source, anchor) => {
      const given = read(SHAPES.requestDealParts, source);
      refuse(!same(given.players, ids) || given.deck !== this.number || given.cards !== m, 'other players, deck or cards');
      refuse(!same([...given.shuffleOrder].sort((a, b) => a - b), ids), 'the order names every player once');
      return { order: given.shuffleOrder, D: this.parts(seat, given.dealPublicKeyParts, given.proof, 'requestDealParts', anchor) };
    }, {
      made: (seat, seed, choice, source, anchor) => {
        const chosen = choice(this.dutyNumber(seat, 'requestDealParts', anchor));
        const named = chosen ? JSON.parse(fromUtf8(chosen)) : ids;
        if (!Array.isArray(named) || !same([...named].sort((a, b) => a - b), ids)) return null;
        return say('requestDealParts', { players: ids, deck: this.number, cards: m, shuffleOrder: named, ...ownParts(seat, seed, 'requestDealParts', anchor) });
      },
    });
    const { order } = first.get(dealer);
    const D = new Map([[dealer, first.get(dealer).D]]);
    const others = seats.filter((seat) => seat !== dealer);
    const given = new Map(D);
    yield stage('respondDealParts', others, (seat, source, anchor) => {
      const message = read(SHAPES.respondDealParts, source);
      refuse(message.playerId !== seat + 1, 'another player');
      const parts = points(fromBase64(message.dealPublicKeyParts), m);
      if (given.size === seats.length - 1) {
        const joint = parts.map((one, i) => add([one, ...[...given.values()].map((list) => list[i])]));
        refuse(!distinct(joint) || joint.some((one) => one.isIdentity), 'two joint keys are equal');
      }
      return this.parts(seat, message.dealPublicKeyParts, message.proof, 'respondDealParts', anchor);
    }, {
      apply: (seat, parts) => given.set(seat, parts),
      made: (seat, seed, choice, source, anchor) => say('respondDealParts', { playerId: seat + 1, ...ownParts(seat, seed, 'respondDealParts', anchor) }),
    });
    let A = Array.from({ length: m }, (_, i) => add([...given.values()].map((list) => list[i])));
    let B = A.map(() => G);
    const bound = new Map();
    for (const [i, id] of order.entries()) {
      const seat = id - 1;
      const before = { A, B };
      const answers = yield stage('shuffle', [seat], (_, source, anchor) => {
        const message = read(SHAPES.shuffle, source);
        refuse(message.playerId !== id || message.step !== i + 1, 'another player or step');
        const deck = points(fromBase64(message.deck), 2 * m);
        const scaled = points(fromBase64(message.scaled), 2 * m);
        const R = point(fromBase64(message.key));
        const W = point(fromBase64(message.commitment));
        const [A1, B1, A2, B2] = [scaled.slice(0, m), scaled.slice(m), deck.slice(0, m), deck.slice(m)];
        for (const column of [A1, B1, A2, B2]) refuse(!distinct(column), 'a point twice');
        const before = [new Set(A.map((one) => one.key)), new Set(B.map((one) => one.key))];
        const kept = (column, which) => column.some((one) => before[which].has(one.key));
        refuse(kept(A1, 0) || kept(A2, 0) || kept(B1, 1) || kept(B2, 1), 'a point of the deck before');
        const transcript = this.context('shuffle', seat, anchor);
        const scales = equalityEach(transcript, { base: B, keys: B1, bases: A, images: A1 }, fromBase64(message.scaledProof));
        proven(seat, shuffle(transcript, 'offset', { R, W, A: A1, B: B1, A2, B2 }, fromBase64(message.proof)) && scales, 'shuffle');
        return { R, W, A2, B2 };
      }, { made: (_, seed, choice, source, anchor) => this.madeShuffle(here, before, seat, i + 1, seed, anchor) });
      const { R, W, A2, B2 } = answers.get(seat);
      bound.set(seat, { R, W, before });
      A = A2;
      B = B2;
    }
    const offsets = yield stage('revealOffset', seats, (seat, source) => {
      const message = read(SHAPES.revealOffset, source);
      refuse(message.playerId !== seat + 1, 'another player');
      const x = scalar(fromBase64(message.offset));
      const t = scalar(fromBase64(message.blinding));
      const { R, W } = bound.get(seat);
      if (sum([[x, R], [t, blindingGenerator()]]).key !== W.key) throw new Fault(seat, 'an offset that does not open its commitment');
      return x;
    }, {
      made: (seat, seed) => {
        const { rest } = this.stepSecrets(here, bound.get(seat).before, seat, seed);
        return say('revealOffset', { playerId: seat + 1, offset: scalarBytes(rest[1]), blinding: scalarBytes(rest[2]) });
      },
    });
    this.x = [...offsets.values()].reduce((a, b) => a + b, 0n);
    this.A = A;
    this.B = B;
    this.cards = A.map((_, i) => ({ keys: new Map(seats.map((seat) => [seat, given.get(seat)[i]])), published: new Map(), layer: 0, drawn: this.drawn, at: i }));
    this.pile = this.cards.map((_, i) => i);
    this.made = true;
  }

  stepSecrets(here, { A, B }, seat, seed) {
    const inputs = here.inputs(seat, H('offset deck', encode(A), encode(B)));
    return {
      order: drawOrder(seed, 'offset permutation', inputs, A.length),
      scales: scalarsOf(seed, 'offset scales', inputs, A.length),
      rest: scalarsOf(seed, 'offset of a step', inputs, 3), // r, x, t
    };
  }

  madeShuffle(here, { A, B }, seat, step, seed, anchor) {
    const { order, scales, rest: [r, x, t] } = this.stepSecrets(here, { A, B }, seat, seed);
    const w = mod(r * x);
    const [A1, B1] = [A, B].map((column) => column.map((one, i) => sum([[scales[i], one]])));
    const A2 = order.map((from) => sum([[r, A1[from]], [w, B1[from]]]));
    const B2 = order.map((from) => sum([[r, B1[from]]]));
    const [R, W] = [timesG(r), sum([[w, G], [t, blindingGenerator()]])];
    const transcript = here.context('shuffle', seat, anchor);
    const scaledProof = proveEach(transcript, seed, { base: B, keys: B1, bases: A, images: A1 }, scales);
    const proof = proveShuffle(transcript, seed, 'offset', { R, W, A: A1, B: B1, A2, B2 }, order, () => [r, w, t]);
    return say('shuffle', {
      playerId: seat + 1, step, deck: encode([...A2, ...B2]), scaled: encode([...A1, ...B1]), key: R.bytes, commitment: W.bytes, scaledProof, proof,
    });
  }

  request(operation) {
    this.ask(operation);
    const generator = {
      deal: () => this.deal(operation),
      open: () => this.open(operation),
      show: () => this.show(operation),
      return: () => this.giveBack(operation),
      close: () => this.close(),
    }[operation[0]];
    this.run(generator(), operation);
  }

  /** A message with key parts of these positions. */
  part(kind, seat, source, positions) {
    const message = read(SHAPES[kind], source);
    refuse(message.playerId !== undefined && message.playerId !== seat + 1, 'another player');
    refuse(!same(message.dealNo, positions.map((position) => position + 1)), 'other deals');
    const given = scalars(fromBase64(message.dealKeyPart), positions.length);
    given.forEach((key, i) => {
      if (timesG(key).key !== this.cards[positions[i]].keys.get(seat).key) throw new Fault(seat, 'a key part that is not the deal\'s');
    });
    return given;
  }

  publishing(kind, seats, lists, half, later = []) {
    return stage(kind, seats, (seat, source) => this.part(kind, seat, source, lists(seat)), {
      half, later, releasing: true, published: () => this.some,
      made: (seat, seed) => say(kind, {
        ...(kind === 'revealInitial' ? {} : { playerId: seat + 1 }), dealNo: lists(seat).map((position) => position + 1), dealKeyPart: this.ownKeys(lists(seat), seat, seed),
      }),
      apply: (seat, given) => {
        this.some = true;
        lists(seat).forEach((position, i) => this.cards[position].published.set(seat, given[i]));
      },
    });
  }

  *deal(operation) {
    const list = this.portions(operation);
    refuse(list.some(([position]) => position === undefined), 'more cards than there are');
    this.some = false;
    yield stage('dealInitial', [this.dealer], (_, source) => {
      const message = read(SHAPES.dealInitial, source);
      refuse(!same(message.player, list.map(([, seat]) => seat + 1)) || !same(message.dealNo, list.map(([position]) => position + 1)), 'other deals or receivers');
      return true;
    }, { made: () => say('dealInitial', { player: list.map(([, seat]) => seat + 1), dealNo: list.map(([position]) => position + 1) }) });
    const owed = (seat) => list.filter(([, holder]) => holder !== seat).map(([position]) => position);
    yield this.publishing('dealFinal', this.seats.filter((seat) => owed(seat).length), owed, 'dealt');
    for (const [position, seat] of list) {
      this.pile = this.pile.filter((one) => one !== position);
      this.held.set(position, seat);
      this.moved(position, seat);
    }
  }

  *open([, , count, named, groups]) {
    const positions = named.length ? named : this.pile.slice(0, count);
    refuse(!named.length && positions.length < count, 'more cards than there are');
    const list = () => positions;
    const rest = this.seats.filter((seat) => !groups.flat().includes(seat));
    const order = [rest, ...groups].filter((group) => group.length);
    this.some = false;
    const atOnce = order[0].includes(this.dealer);
    if (atOnce) yield this.publishing('revealInitial', [this.dealer], list, 'opened', order.flat());
    else {
      yield stage('revealInitial', [this.dealer], (_, source) => {
        const message = read(SHAPES.revealInitial, source);
        refuse(!same(message.dealNo, positions.map((position) => position + 1)) || message.dealKeyPart !== '', 'other deals');
        return true;
      }, { made: () => say('revealInitial', { dealNo: positions.map((position) => position + 1), dealKeyPart: '' }) });
    }
    for (const group of order) {
      const now = group.filter((seat) => !(atOnce && seat === this.dealer)).sort((a, b) => a - b);
      if (now.length) yield this.publishing('revealFinal', now, list, 'opened');
    }
    for (const position of positions) this.turnUp(position);
  }

  *show([, , seat, positions]) {
    this.some = false;
    yield this.publishing('revealFinal', [seat], () => positions, null);
    for (const position of positions) {
      const face = this.faceOf(position);
      this.opened.set(position, face);
      this.shownBy.set(position, seat);
      this.openedEvent(position, face);
    }
  }

  // eslint-disable-next-line require-yield
  *giveBack([, , positions]) {
    for (const position of positions) {
      if (this.held.has(position)) this.aside.set(position, this.held.get(position));
      this.held.delete(position);
      this.cards[position].laid = true;
      this.moved(position, null);
    }
  }

  // eslint-disable-next-line require-yield
  *close() {
    this.closed = true;
    this.pile = [];
  }

  faceOf(position) {
    const k = [...this.cards[position].published.values()].reduce((a, b) => a + b, this.x);
    const fits = this.faces.filter((c) => sum([[k, this.B[c]]]).key === this.A[c].key);
    if (fits.length !== 1) throw new Error('a deal that fits no pair, or two');
    return fits[0];
  }

  halfDone(seat) {
    const now = this.stage;
    return now?.releasing && now.half && this.some && (now.owing.includes(seat) || now.later.includes(seat)) ? [now.half] : [];
  }

  leave() {
    if (!this.closed) {
      this.stage = null;
      this.running = null;
      this.closed = true;
    }
    return false;
  }
}
