// Rolls and envelopes (docs/spec/dice.md): hashes, beside every protocol.
import { concat, equal, fromBase64, Malformed, toBase64 } from './bytes.mjs';
import { Deck, Fault, jsonBytes, stage } from './deck.mjs';
import { H } from './hash.mjs';
import { fields, literal, read, text } from './json.mjs';
import { draw, numbersBelow } from './tape.mjs';

const SHAPES = {
  roll: fields({ type: literal('roll'), commitment: text() }),
  'roll-open': fields({ type: literal('roll-open'), share: text() }),
  seal: fields({ type: literal('seal'), commitment: text() }),
  unseal: fields({ type: literal('unseal'), salt: text(), value: text() }),
};

const VALUE_MAX = 1024; // bytes

export class DiceDeck extends Deck {
  constructor(table, number) {
    super(table, number, new Uint8Array(32));
    this.rolls = 0;
    this.seals = 0;
    this.sealed = new Map();
  }

  leave(seats) {
    this.roster = H('roster without', this.roster, ...seats);
    this.seats = this.seats.filter((seat) => !seats.includes(seat));
    if (this.operation?.[0] === 'random') this.leaveRoll(seats);
    else if (this.stage) {
      this.stage.owing = this.stage.owing.filter((seat) => !seats.includes(seat));
      if (!this.stage.owing.length) this.step(this.stage.answers);
    }
    return true;
  }

  leaveRoll(seats) {
    const now = this.stage;
    if (!now.owing.some((seat) => seats.includes(seat)) && now.kind === 'roll open') return;
    if (now.kind === 'roll open') {
      const silent = now.owing.filter((seat) => seats.includes(seat));
      this.abandon(silent);
      return;
    }
    const left = this.taking.filter((seat) => !seats.includes(seat));
    const leavers = this.taking.filter((seat) => seats.includes(seat));
    if (!leavers.length) return;
    this.taking = left;
    if (left.length < 2) {
      this.abandon(leavers);
      return;
    }
    for (const seat of leavers) now.answers.delete(seat);
    now.owing = now.owing.filter((seat) => !seats.includes(seat));
    if (!now.owing.length) this.step(now.answers);
  }

  abandon(silent) {
    this.events.push({ type: 'rolled', deck: this.number, numbers: [], silent });
    const { operation } = this;
    this.running = null;
    this.stage = null;
    this.operation = null;
    this.finished(operation);
  }

  halfDone() {
    return [];
  }

  origin(what, count, operation, seats) {
    const { protocol, version, session, hand } = this.table;
    return H(what, protocol, version, session, this.roster, hand, this.number, count, jsonBytes(operation), jsonBytes(seats));
  }

  request(operation) {
    const generator = { random: () => this.roll(operation), seal: () => this.seal(operation), unseal: () => this.unseal(operation) };
    this.run(generator[operation[0]](), operation);
  }

  takers(named) {
    return (named.length ? named : this.seats).filter((seat) => this.seats.includes(seat));
  }

  *roll(operation) {
    const [, , sides, named] = operation;
    this.taking = this.takers(named);
    const origin = this.origin('roll', this.rolls, operation, this.taking);
    this.rolls += 1;
    const ownShare = (seat, seed) => draw(seed, 'roll', H('roll share', origin, seat), 0, 32);
    const commitments = yield stage('roll', this.taking, (_, source) => fromBase64(read(SHAPES.roll, source).commitment, 32), {
      anchor: origin,
      made: (seat, seed) => JSON.stringify({ type: 'roll', commitment: toBase64(H('roll commitment', origin, seat, ownShare(seat, seed))) }),
    });
    const order = [...this.taking];
    const pairs = (map) => jsonBytes(order.map((seat) => [seat, toBase64(map.get(seat))]));
    const shares = yield stage('roll open', order, (seat, source) => {
      const share = fromBase64(read(SHAPES['roll-open'], source).share, 32);
      if (!equal(H('roll commitment', origin, seat, share), commitments.get(seat))) throw new Fault(seat, 'a share that is not what was hashed');
      return share;
    }, {
      anchor: H('roll open', origin, pairs(commitments)),
      made: (seat, seed) => JSON.stringify({ type: 'roll-open', share: toBase64(ownShare(seat, seed)) }),
    });
    const seed = H('rolled', origin, pairs(commitments), concat(...order.map((seat) => shares.get(seat))));
    const numbers = numbersBelow(seed, 'numbers', new Uint8Array(0), sides);
    this.events.push({ type: 'rolled', deck: this.number, numbers, silent: [] });
  }

  *seal(operation) {
    const takers = this.takers(operation[2]);
    const origin = this.origin('seal', this.seals, operation, takers);
    this.seals += 1;
    this.sealOrigin = origin;
    this.sealed = new Map();
    yield stage('seal', takers, (_, source) => fromBase64(read(SHAPES.seal, source).commitment, 32), {
      anchor: origin,
      choice: true,
      made: (seat, seed, choice) => this.envelope(seat, seed, choice, origin)?.sealed ?? null,
      apply: (seat, commitment) => this.sealed.set(seat, commitment),
    });
  }

  /** Both messages of an envelope as a book makes them; null where it has no value, or one that is too long. */
  envelope(seat, seed, choice, origin) {
    const value = choice(this.dutyNumber(seat, 'seal', origin));
    if (value === null || value.length > VALUE_MAX) return null;
    const salt = draw(seed, 'seal', H('seal salt', origin, seat, value), 0, 32);
    return {
      sealed: JSON.stringify({ type: 'seal', commitment: toBase64(H('sealed', origin, seat, salt, value)) }),
      opened: JSON.stringify({ type: 'unseal', salt: toBase64(salt), value: toBase64(value) }),
    };
  }

  *unseal() {
    const origin = this.sealOrigin;
    const all = [...this.sealed.keys()].sort((a, b) => a - b);
    const takers = [...this.sealed.keys()].filter((seat) => this.seats.includes(seat)).sort((a, b) => a - b);
    const sealed = jsonBytes([...this.sealed].sort((a, b) => a[0] - b[0]).map(([seat, commitment]) => [seat, toBase64(commitment)]));
    const values = yield stage('unseal', takers, (seat, source) => {
      const given = read(SHAPES.unseal, source);
      const salt = fromBase64(given.salt, 32);
      const value = fromBase64(given.value);
      if (value.length > VALUE_MAX) throw new Malformed('more than 1,024 bytes');
      if (!equal(H('sealed', origin, seat, salt, value), this.sealed.get(seat))) throw new Fault(seat, 'what was opened is not what was sealed');
      return value;
    }, { anchor: H('unseal', origin, sealed), made: (seat, seed, choice) => this.envelope(seat, seed, choice, origin)?.opened ?? null });
    for (const seat of all) this.events.push({ type: 'unsealed', deck: this.number, seat, value: values.get(seat) ?? null });
    this.sealed = new Map();
  }

  apply(seat, source, duty) {
    const { stage: now } = this;
    const answer = now.check(seat, source, this.anchor);
    if (now.apply) now.apply(seat, answer);
    super.apply(seat, source, duty);
  }
}
