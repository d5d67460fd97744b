// The table: what each entry does (docs/log.md, from "Phases" on).
import { falseClaim } from './books.mjs';
import { fromBase64, Malformed, toBase64, toHex, toUtf8, equal } from './bytes.mjs';
import { Fault, jsonBytes } from './deck.mjs';
import { DiceDeck } from './dice.mjs';
import { H } from './hash.mjs';
import { canonical, fields, integer, list, literal, nullable, read, text } from './json.mjs';
import { verify } from './keys.mjs';
import { inForce, proposed, seat as seatRoster } from './rosters.mjs';
import { bytesOf, NotJudged, rosterShape, SEAT_MAX } from './session.mjs';

/** What is not part of a log. */
export class Refused extends Error {}

const D = '([A-Za-z0-9+/]{43}=)';
const ENTRY = new RegExp(`^\\{"entry":(\\{"session":"${D}","roster":"${D}","hand":(0|[1-9][0-9]{0,15}),"seat":(0|[1-9][0-9]?),"seq":(0|[1-9][0-9]{0,15}),"seen":"${D}","body":(.*)\\}),"signature":"([A-Za-z0-9+/]{86}==)"\\}$`, 's');
const RAW = new RegExp(`^\\{"type":"(?:cards|move)","duty":"${D}","(?:message|move)":(.*)\\}$`, 's');

const digest = bytesOf(32);
const choices = list(fields({ duty: digest, choice: (value) => void fromBase64(value) }));
const BODIES = {
  begin: { duty: digest, commitment: digest },
  without: { duties: list(digest) },
  break: { duty: digest },
  tick: { time: integer() },
  leave: {},
  word: { text: text() },
  propose: {
    roster: rosterShape,
    newcomers: list(fields({ seat: integer(0, SEAT_MAX), signature: bytesOf(64) })),
    key: nullable(fields({ digest: bytesOf(64), boxes: list(fields({ seat: integer(0, SEAT_MAX), box: bytesOf(80) })) })),
  },
  agree: { proposal: digest },
  claim: { deck: integer(0, 15), position: integer(), seed: digest, choices },
  book: { duty: digest, seed: digest, choices },
  end: { duty: digest },
};

export function readEntry(bytes, source) {
  if (bytes.length > 4 * 2 ** 20) throw new Refused('a line of more than 4 MiB');
  let depth = 0;
  for (const byte of bytes) {
    if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > 64) throw new Refused('a line that nests too deep');
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 9 || byte === 10 || byte === 13) throw new Refused('a byte that no message has');
  }
  const match = ENTRY.exec(source);
  if (!match) throw new Refused('not an entry');
  const [, entry, session, roster, hand, seat, seq, seen, body, signature] = match;
  try {
    JSON.parse(body); // raw, but JSON
  } catch {
    throw new Refused('a body that is no JSON');
  }
  const numbers = { hand: Number(hand), seat: Number(seat), seq: Number(seq) };
  if (numbers.seat > SEAT_MAX || !Number.isSafeInteger(numbers.hand) || !Number.isSafeInteger(numbers.seq)) throw new Refused('a number out of range');
  try {
    return {
      ...numbers, entry, body,
      session: fromBase64(session, 32), roster: fromBase64(roster, 32), seen: fromBase64(seen, 32), signature: fromBase64(signature, 64),
    };
  } catch (error) {
    if (error instanceof Malformed) throw new Refused(error.message);
    throw error;
  }
}

function readBody(source) {
  const type = JSON.parse(source)?.type;
  if (type === 'cards' || type === 'move') {
    const match = RAW.exec(source);
    if (!match || !source.startsWith(`{"type":"${type}",`) || !source.includes(`,"${type === 'cards' ? 'message' : 'move'}":`)) throw new Refused('a body of another form');
    const prefix = `{"type":"${type}","duty":"${match[1]}","${type === 'cards' ? 'message' : 'move'}":`;
    if (!source.startsWith(prefix)) throw new Refused('a body of another form');
    fromBase64(match[1], 32);
    return { type, duty: match[1], raw: match[2] };
  }
  if (!Object.hasOwn(BODIES, type ?? '')) throw new Refused('a body of an unknown type');
  return read(fields({ type: literal(type), ...BODIES[type] }), source);
}

/** An event as it goes into the course of a game. */
function toldEvent(event) {
  const { type, deck } = event;
  if (type === 'moved') return [type, deck, event.epoch, event.position, event.holder, ...(event.was ?? [])];
  if (type === 'opened') return [type, deck, event.epoch, event.position, event.face];
  if (type === 'rolled') return [type, deck, event.numbers, event.silent];
  return [type, deck, event.seat, event.value === null ? null : toBase64(event.value)];
}

export class Table {
  constructor(session, protocol, rules) {
    Object.assign(this, { session, protocol, rules, roster: session.roster, clock: session.proposal.clock });
    this.heads = new Map();
    this.head = H('log', session.number);
    this.length = 0;
    this.heads.set(toHex(this.head), 0);
    this.at = [{ hand: 0, roster: this.roster.key, seats: this.roster.seats }];
    this.known = new Map(this.roster.members.map((one) => [one.seat, one]));
    this.entries = new Map(); // seat → texts of ENTRY by number
    this.phase = 'between';
    this.hand = 0;
    this.gone = new Set();
    this.faulty = new Set();
    this.endedSeats = new Set();
    this.begun = new Map();
    this.nextBegun = new Map();
    this.over = false;
    this.chips = new Map();
    this.accounts = { charges: [], dead: 0 };
    this.faults = [];
    this.contradictions = new Set();
    this.results = [];
    this.open = new Map(); // id → duty
    this.history = new Map(); // id → [{duty, from, to}]
    this.votes = new Map(); // id → Set of voters
    this.breaks = new Map();
    this.decks = new Map();
    this.game = null;
    this.before = null;
    this.proposals = [];
    this.time = { last: null, lastSeen: 0, banks: new Map(), clocks: new Map(), late: new Set() };
    this.withouts = [];
    this.NotJudged = NotJudged;
    this.seatDown();
    this.refresh();
  }

  // --- Who is there ---

  seatDown() {
    for (const seat of this.roster.withCards) {
      if (!this.chips.has(seat)) this.chips.set(seat, this.rules.stake);
    }
    if (this.clock) for (const seat of this.roster.seats) if (seat !== this.roster.timekeeper && !this.time.banks.has(seat)) this.time.banks.set(seat, this.clock.bank);
  }

  present() {
    const out = (seat) => this.gone.has(seat) || this.faulty.has(seat) || this.endedSeats.has(seat);
    return this.roster.seats.filter((seat) => seat !== this.roster.timekeeper && !out(seat));
  }

  voters() {
    if (this.phase === 'playing') return this.game.players.filter((seat) => !this.gone.has(seat));
    const seats = this.roster.withCards.filter((seat) => !this.gone.has(seat) && !this.faulty.has(seat));
    const there = seats.filter((seat) => !this.endedSeats.has(seat));
    return there.length <= 1 || this.over ? seats : there;
  }

  // --- Duties ---

  dutyId({ deck, seat, kind, anchor, hand }) {
    return H('duty', this.session.number, hand, deck, seat, kind, anchor);
  }

  currentDuties() {
    const duties = [];
    const between = H('between', this.roster.digest);
    const anyone = this.roster.seats.filter((seat) => seat !== this.roster.timekeeper && !this.faulty.has(seat) && !this.endedSeats.has(seat));
    if (this.phase === 'playing') {
      const last = this.session.proposal.hands && this.hand + 1 >= this.session.proposal.hands;
      if (!this.over && !last) {
        for (const seat of anyone) {
          if (this.gone.has(seat) && !this.nextBegun.has(seat)) duties.push({ seat, deck: 'table', kind: 'begin', anchor: between, hand: this.hand + 1, optional: true });
        }
      }
      const { wants } = this.game;
      if (wants.type === 'turn') {
        const anchor = H('move', this.course);
        for (const seat of wants.seats) duties.push({ seat, deck: 'table', kind: 'move', anchor, hand: this.hand, optional: false });
        for (const seat of wants.optional ?? []) if (!wants.seats.includes(seat)) duties.push({ seat, deck: 'table', kind: 'move', anchor, hand: this.hand, optional: true });
      }
      for (const deck of this.decks.values()) for (const duty of deck.duties()) duties.push({ ...duty, hand: this.hand, optional: false });
    }
    if (this.phase === 'between') {
      for (const seat of anyone) {
        const away = this.gone.has(seat);
        if (!this.over && !this.begun.has(seat)) duties.push({ seat, deck: 'table', kind: 'begin', anchor: between, hand: this.hand, optional: away });
        duties.push({ seat, deck: 'table', kind: 'end', anchor: between, hand: this.hand, optional: away || !this.over });
      }
    }
    return duties;
  }

  refresh() {
    const now = new Map();
    for (const duty of this.currentDuties()) {
      const id = this.dutyId(duty);
      now.set(toBase64(id), { ...duty, id });
    }
    for (const [key, duty] of this.open) {
      if (now.has(key)) continue;
      this.history.get(key).at(-1).to = this.length;
      this.votes.delete(key);
      this.breaks.delete(key);
      this.time.clocks.delete(key);
      this.time.late.delete(key);
      this.open.delete(key);
      void duty;
    }
    for (const [key, duty] of now) {
      const before = this.open.get(key);
      if (!before) {
        if (!this.history.has(key)) this.history.set(key, []);
        this.history.get(key).push({ duty, from: this.length, to: Infinity, holds: [[this.length, !duty.optional]] });
        duty.since = this.length;
      } else {
        duty.since = before.optional && !duty.optional ? this.length : before.since;
        if (before.optional !== duty.optional) this.history.get(key).at(-1).holds.push([this.length, !duty.optional]);
      }
      if (duty.optional) this.time.clocks.delete(key);
      this.open.set(key, duty);
    }
  }

  // --- Entries ---

  append(bytes, entry, counted) {
    this.head = H('head', this.head, bytes);
    this.length += 1;
    this.heads.set(toHex(this.head), this.length);
    if (counted) {
      if (!this.entries.has(entry.seat)) this.entries.set(entry.seat, []);
      this.entries.get(entry.seat).push(entry.entry);
    }
  }

  take(bytes, source) {
    const entry = readEntry(bytes, source);
    const { seat } = entry;
    const member = this.roster.of(seat) ?? this.known.get(seat);
    if (!member) throw new Refused('a seat that this log has never seen');
    if (!verify(member.key, toUtf8(entry.entry), entry.signature)) throw new Refused('a signature that does not verify');
    if (!equal(entry.session, this.session.number)) throw new Refused('signed for another session');
    const mine = this.entries.get(seat) ?? [];
    if (entry.seq < mine.length) {
      if (mine[entry.seq] === entry.entry || this.contradictions.has(entry.entry)) throw new Refused('an entry that stands in the log twice');
      if (this.faulty.has(seat)) throw new Refused('the seat was found at fault before');
      this.append(bytes, entry, false);
      this.contradictions.add(entry.entry);
      this.fault(seat, 'two entries with one number');
      this.settleAll();
      return 'fault';
    }
    if (this.faulty.has(seat)) throw new Refused('the seat was found at fault before');
    if (entry.seq !== mine.length) throw new Refused('not the next number of this seat');
    const seen = this.heads.get(toHex(entry.seen));
    if (seen === undefined) throw new Refused('it saw a log that is not this one');
    let outcome;
    try {
      outcome = this.judge(entry, seen);
    } catch (error) {
      if (error instanceof Malformed) throw new Refused(error.message);
      if (!(error instanceof Fault)) throw error;
      this.append(bytes, entry, true);
      this.fault(error.seat, error.message, error.entry ?? this.length - 1);
      this.settleAll();
      return 'fault';
    }
    this.append(bytes, entry, true);
    if (outcome !== 'dropped') outcome();
    this.settleAll();
    return outcome === 'dropped' ? outcome : 'accepted';
  }

  /** The duty that a body answers, or 'dropped'. */
  duty(id, seat, kind, seen) {
    const spans = this.history.get(id);
    if (!spans) throw new Refused('no such duty');
    const { duty } = spans.at(-1);
    if (duty.seat !== seat || (kind === 'cards' ? duty.deck === 'table' : duty.kind !== kind || duty.deck !== 'table')) throw new Refused('a duty of another seat or kind');
    const span = spans.find(({ from, to }) => from <= seen && seen < to);
    if (!span) throw new Refused('a duty that was not open for it');
    if (span.to !== Infinity) return 'dropped';
    return this.open.get(id);
  }

  /** Returns what the entry does, as a function that is called once it is in the log, or 'dropped'. */
  judge(entry, seen) {
    const body = readBody(entry.body);
    const { seat } = entry;
    const here = entry.hand === this.hand && toHex(entry.roster) === this.roster.key && Boolean(this.roster.of(seat));
    const then = this.at[seen];
    const wasHere = entry.hand === then.hand && toHex(entry.roster) === then.roster && then.seats.includes(seat);
    if (['begin', 'cards', 'move', 'end', 'book'].includes(body.type)) {
      if (entry.hand < this.hand - 1 && then.hand <= entry.hand) return 'dropped'; // duties of hands before the one that was over last are forgotten
      const duty = this.duty(body.duty, seat, body.type === 'cards' ? 'cards' : body.type, seen);
      if (duty === 'dropped') return duty; // its hand and roster are not looked at
      const early = body.type === 'begin' && wasHere;
      if (!here && !early) throw new Refused('signed for another hand or roster');
      return this.answer(body, seat, duty);
    }
    if (!here) {
      if (!wasHere) throw new Refused('signed for another hand or roster');
      return 'dropped';
    }
    return this.say(body, seat, seen);
  }

  answer(body, seat, duty) {
    switch (body.type) {
      case 'begin':
        return () => {
          if (this.phase === 'playing') this.nextBegun.set(seat, body.commitment);
          else this.begun.set(seat, body.commitment);
        };
      case 'end':
        return () => {
          this.endedSeats.add(seat);
          this.begun.delete(seat);
        };
      case 'move': {
        const source = body.raw;
        canonical(source);
        const undo = this.game.moved(seat, source);
        return () => {
          void undo;
          this.course = H('moved', this.course, seat, toUtf8(source));
          this.advance();
        };
      }
      case 'cards': {
        const deck = this.decks.get(duty.deck);
        const { made } = deck.stage;
        deck.apply(seat, body.raw, duty.id);
        return () => {
          this.deeds.push({ entry: this.length - 1, seat, source: body.raw, made });
          this.advance();
        };
      }
      default:
        throw new NotJudged('a book in a log of this protocol');
    }
  }

  say(body, seat, seen) {
    switch (body.type) {
      case 'word': {
        const size = toUtf8(body.text).length;
        if (size < 1 || size > 4096) throw new Refused('a word of 1 to 4,096 bytes');
        if (!this.roster.of(seat)) throw new Refused('a word of somebody who has no seat');
        return this.phase === 'ended' || this.endedSeats.has(seat) ? 'dropped' : () => {};
      }
      case 'leave':
        if (!this.present().includes(seat)) return 'dropped';
        return () => this.leave([seat]);
      case 'without':
        return this.without(body, seat, seen);
      case 'break':
        return this.break(body, seat, seen);
      case 'tick':
        return this.tick(body, seat, seen);
      case 'claim':
        if (this.phase !== 'playing' || !this.voters().includes(seat)) return 'dropped';
        throw falseClaim(this, seat, body);
      case 'propose':
        return this.propose(body, seat);
      case 'agree':
        return this.agree(body, seat);
      default:
        throw new Refused('no such body');
    }
  }

  // --- The law ---

  /** Whether an open duty of another seat that held up the table at `seen` still does. */
  holdsUp(id, seat, seen) {
    const span = (this.history.get(id) ?? []).find(({ from, to }) => from <= seen && seen < to);
    if (!span || span.duty.seat === seat) throw new Refused('no open duty of another seat');
    if (!span.holds.findLast(([from]) => from <= seen)[1]) throw new Refused('a duty that holds up nobody');
    return span.to === Infinity && !this.open.get(id).optional;
  }

  /** Whether a seat owes a message of the cards: until it has sent it, its votes do not count. */
  owesCards(seat) {
    return [...this.open.values()].some((duty) => duty.seat === seat && duty.cards);
  }

  without(body, seat, seen) {
    const ids = body.duties;
    const order = ids.map((id) => toHex(fromBase64(id)));
    if (!ids.length || order.some((id, i) => i && order[i - 1] >= id)) throw new Refused('duties ascend, each once');
    const counting = ids.filter((id) => this.holdsUp(id, seat, seen));
    if (!counting.length || !this.voters().includes(seat) || this.owesCards(seat)) return 'dropped';
    return () => {
      for (const id of counting) {
        if (!this.votes.has(id)) this.votes.set(id, new Set());
        this.votes.get(id).add(seat);
      }
    };
  }

  break(body, seat, seen) {
    if (this.roster.timekeeper !== null) throw new Refused('nothing is broken off where somebody keeps the time');
    const id = body.duty;
    if (!this.holdsUp(id, seat, seen) || !this.voters().includes(seat) || this.owesCards(seat)) return 'dropped';
    return () => {
      if (!this.breaks.has(id)) this.breaks.set(id, new Set());
      this.breaks.get(id).add(seat);
    };
  }

  /** Count votes until nothing changes. */
  count() {
    for (;;) {
      const voters = this.voters();
      const moves = [];
      const out = [];
      for (const seat of new Set([...this.open.values()].map((duty) => duty.seat))) {
        const named = { move: new Set(), other: new Set(), lateMove: new Set(), lateOther: new Set() };
        for (const [id, by] of this.votes) {
          const duty = this.open.get(id);
          if (!duty || duty.seat !== seat || duty.optional) continue;
          const which = duty.kind === 'move' && duty.deck === 'table' ? 'move' : 'other';
          for (const voter of by) {
            if (!voters.includes(voter)) continue;
            named[which].add(voter);
            if (this.time.late.has(id)) named[which === 'move' ? 'lateMove' : 'lateOther'].add(voter);
          }
        }
        const enough = (all, late) => 2 * all.size > voters.length || (late.size > 0 && 2 * late.size === voters.length);
        if (enough(named.other, named.lateOther)) out.push({ seat, by: [...named.other] });
        else if (enough(named.move, named.lateMove)) moves.push({ seat, by: [...named.move] });
      }
      if (!moves.length && !out.length) break;
      const gone = out.map(({ seat }) => seat);
      for (const { seat, by } of moves) {
        if (this.phase !== 'playing') continue;
        const move = this.game.default(seat);
        if (move === null) {
          gone.push(seat);
          continue;
        }
        this.withouts.push({ entry: this.length - 1, hand: this.hand + 1, by: by.sort((a, b) => a - b), of: seat, did: 'move' });
        this.game.moved(seat, move);
        this.course = H('moved', this.course, seat, toUtf8(move));
        this.advance();
      }
      for (const { seat, by } of out) this.withouts.push({ entry: this.length - 1, hand: this.hand + 1, by: by.sort((a, b) => a - b), of: seat, did: 'gone' });
      if (gone.length) this.leave(gone.sort((a, b) => a - b));
      this.refresh();
    }
    const voters = this.voters();
    const breaking = new Set([...this.breaks.values()].flatMap((by) => [...by]).filter((seat) => voters.includes(seat)));
    if (voters.length && breaking.size * 2 >= voters.length && breaking.size) this.breakOff(breaking);
  }

  breakOff(breaking) {
    if (this.phase === 'playing') {
      this.over = true;
      this.endHand(null);
    } else if (!this.over) this.over = true;
    else for (const seat of this.present()) if (!breaking.has(seat)) this.gone.add(seat);
  }

  fault(seat, reason, entry = this.length - 1) {
    this.faults.push({ entry, seat, reason });
    if (this.faulty.has(seat)) return;
    this.faulty.add(seat);
    this.begun.delete(seat);
    this.nextBegun.delete(seat);
    this.leave([seat]);
  }

  leave(seats) {
    const leaving = this.phase === 'playing' ? seats.filter((seat) => this.game.players.includes(seat) && !this.gone.has(seat)).sort((a, b) => a - b) : [];
    const half = [];
    for (const seat of leaving) {
      const whats = new Set([...this.decks.values()].flatMap((deck) => deck.halfDone(seat)));
      for (const what of [...whats].sort()) half.push([seat, what]);
    }
    for (const seat of seats) {
      this.gone.add(seat);
      this.begun.delete(seat);
    }
    if (!leaving.length) return;
    for (const [seat, what] of half) {
      this.course = H('charged', this.course, seat, what);
      this.game.charged(seat, what);
    }
    const { whole } = this.cardTable; // decks that are made from now on are made by those who stay
    const out = this.game.players.filter((seat) => this.gone.has(seat));
    this.cardTable = { ...this.cardTable, roster: H('roster without', whole, ...out), seats: this.game.players.filter((seat) => !this.gone.has(seat)) };
    let cards = true;
    for (const deck of this.decks.values()) if (!deck.leave(leaving)) cards = false;
    this.course = H('left', this.course, cards ? 1 : 0, ...leaving);
    this.game.left(leaving, cards);
    if (this.game.wants.type === 'ask' && !cards) this.asking = null;
    this.advance();
  }

  // --- Hands ---

  settleAll() {
    this.refresh();
    this.count();
    for (;;) {
      this.refresh();
      if (this.phase === 'between' && this.rosterInForce()) continue;
      if (this.phase === 'between' && !this.over && this.canStart()) {
        this.startHand();
        continue;
      }
      if (this.phase === 'between' && !this.present().length && this.endedSeats.size) {
        this.phase = 'ended';
        this.rules.ended?.(this.chips);
        continue;
      }
      break;
    }
    this.refresh();
    this.at[this.length] = { hand: this.hand, roster: this.roster.key, seats: this.roster.seats };
  }

  canStart() {
    if (!this.present().every((seat) => this.begun.has(seat))) return false;
    const players = this.roster.withCards.filter((seat) => this.begun.has(seat));
    return players.length >= 2 && this.protocol.serves(players, this.roster);
  }

  startHand() {
    for (const seat of this.begun.keys()) this.gone.delete(seat); // who was gone is back with the hand
    const present = this.present();
    const seats = present.filter((seat) => this.roster.withCards.includes(seat));
    const servers = present.filter((seat) => !this.roster.withCards.includes(seat));
    this.phase = 'playing';
    this.asking = null;
    this.decks = new Map();
    this.commitments = this.begun;
    this.deeds = [];
    this.begun = new Map();
    this.nextBegun = new Map();
    this.proposals = this.proposals.filter((one) => (one.begins += 1) < 2);
    if (this.clock) for (const [seat, bank] of this.time.banks) this.time.banks.set(seat, Math.min(this.clock.bank, bank + this.clock.refill));
    const pairs = seats.map((seat) => [seat, this.chips.get(seat)]);
    const { name, version, parameters } = this.session.proposal.game;
    this.course = H('game', this.session.number, this.hand, jsonBytes([name, version, parameters, pairs]));
    this.game = this.rules.begin(this.hand, seats, this, this.before);
    const dealt = this.game.players;
    const roster = H('hand roster', this.roster.digest, ...[...dealt, ...servers].sort((a, b) => a - b));
    this.cardTable = {
      protocol: this.protocol.name,
      version: this.protocol.version,
      session: this.session.number,
      hand: this.hand,
      roster,
      whole: roster,
      seats: [...dealt],
      servers,
      members: this.roster,
    };
    this.advance();
  }

  /** Do what the game wants as far as nobody has to say anything. */
  advance() {
    for (;;) {
      if (this.phase !== 'playing') return;
      const { wants } = this.game;
      if (wants.type === 'done') {
        this.endHand(wants);
        return;
      }
      if (wants.type !== 'ask') return;
      if (!this.asking || this.asking.operations !== wants.operations) {
        for (const deck of this.decks.values()) deck.takeEvents(); // what happens while nothing is asked is told to nobody
        this.asking = { operations: wants.operations, next: 0, events: [], busy: false };
      }
      const { asking } = this;
      for (;;) {
        for (const deck of this.decks.values()) {
          for (const event of deck.takeEvents()) {
            if (event.type === 'finished') asking.busy = false;
            else asking.events.push(event);
          }
        }
        if (asking.busy || asking.next >= asking.operations.length) break;
        asking.busy = true;
        this.request(asking.operations[asking.next++]);
        if (this.asking !== asking) break;
      }
      if (this.asking !== asking) continue;
      if (asking.busy) return;
      const told = asking.events.map(toldEvent);
      this.course = H('told', this.course, jsonBytes(told));
      this.asking = null;
      this.game.told(asking.events);
    }
  }

  request(operation) {
    const [kind, number] = operation;
    if (kind === 'newdeck') {
      if (this.cardTable.seats.length < 2) { // nobody can make a deck alone
        this.asking = null;
        this.game.left([], false);
        return;
      }
      const deck = this.protocol.deck(this.cardTable, number, operation[2]);
      this.decks.set(number, deck);
      deck.begin();
      return;
    }
    if (['random', 'seal', 'unseal'].includes(kind) && !this.decks.has(number)) {
      const deck = new DiceDeck(this.cardTable, number);
      this.decks.set(number, deck);
    }
    const deck = this.decks.get(number);
    const left = deck.remaining && this.gone.size ? deck.remaining(operation) : operation;
    if (left !== null) {
      deck.request(left);
      return;
    }
    deck.finished(operation); // nothing is left of it
  }

  endHand(done) {
    this.phase = 'between';
    if (done) {
      for (const [seat, net] of done.net) this.chips.set(seat, this.chips.get(seat) + net);
      if (done.account) done.account(this);
      this.results.push(done.result);
    } else this.results.push({ hand: this.hand + 1, void: 'broken off' });
    this.before = this.game;
    this.hand += 1;
    this.asking = null;
    this.begun = new Map([...this.nextBegun].filter(([seat]) => !this.faulty.has(seat)));
    this.nextBegun = new Map();
    if (this.session.proposal.hands && this.hand >= this.session.proposal.hands) this.over = true;
  }

  // --- Rosters ---

  mayChooseSeats(seat) {
    if (!this.roster.withCards.includes(seat) || this.endedSeats.has(seat)) throw new Refused('only a seat with cards that has not ended agrees to a roster');
  }

  propose(body, seat) {
    this.mayChooseSeats(seat);
    const proposal = proposed(this, body, seat);
    return () => this.proposals.push(proposal);
  }

  agree({ proposal }, seat) {
    this.mayChooseSeats(seat);
    const one = this.proposals.find(({ id }) => id === proposal);
    return one ? () => one.agreed.add(seat) : 'dropped';
  }

  rosterInForce() {
    const proposal = inForce(this);
    if (proposal) seatRoster(this, proposal);
    return Boolean(proposal);
  }

  // --- Time ---

  tick(body, seat, seen) {
    const { time } = this;
    if (seat !== this.roster.timekeeper) throw new Refused('a tick of somebody else');
    if (this.phase === 'ended') return 'dropped';
    if (time.last !== null) {
      if (body.time < time.last) throw new Refused('time that goes back');
      if (body.time - time.last < 1000) {
        const opened = [...this.history.values()].some((spans) => spans.some(({ from }) => from > time.lastSeen && from <= seen));
        if (!opened) throw new Refused('a tick too soon');
      }
    }
    return () => {
      const since = time.last === null ? 0 : body.time - time.last;
      const excess = new Map();
      for (const [id, duty] of this.open) {
        if (duty.optional) continue;
        const clock = time.clocks.get(id);
        if (clock === undefined) {
          if (seen >= duty.since) time.clocks.set(id, body.time);
          continue;
        }
        const limit = duty.cards && !duty.choice ? this.clock.cards : this.clock.move;
        const over = body.time - clock - limit;
        if (over > 0) {
          if (!excess.has(duty.seat)) excess.set(duty.seat, []);
          excess.get(duty.seat).push([id, over]);
        }
      }
      for (const [one, list] of excess) {
        const pay = Math.min(Math.max(...list.map(([, over]) => over)), since);
        const bank = time.banks.get(one) ?? 0;
        if (bank < pay) {
          time.banks.set(one, 0);
          for (const [id] of list) time.late.add(id);
        } else time.banks.set(one, bank - pay);
      }
      time.last = body.time;
      time.lastSeen = seen;
    };
  }
}
