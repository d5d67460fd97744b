// The table: what each entry does (docs/spec/log.md, from "Phases" on).
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
const someText = (value) => {
  text()(value);
  if (!value) throw new Malformed('a word of nothing');
};
const choices = list(fields({ duty: digest, choice: (value) => void fromBase64(value) }));
const BODIES = {
  begin: { duty: digest, commitment: digest },
  without: { duties: list(digest, 1, 1024) },
  break: { duty: digest },
  tick: { time: integer() },
  leave: {},
  word: { text: someText },
  propose: {
    roster: rosterShape,
    newcomers: list(fields({ seat: integer(0, SEAT_MAX), signature: bytesOf(64) }), 0, 20),
    key: nullable(fields({ digest: bytesOf(64), boxes: list(fields({ seat: integer(0, SEAT_MAX), box: bytesOf(80) }), 0, 20) })),
  },
  agree: { proposal: digest },
  claim: { deck: integer(), position: integer(), seed: digest, choices },
  book: { duty: digest, seed: digest, choices },
  end: { duty: digest },
};

/** Whether opening brackets are ever more than 64 ahead of closing ones. */
function tooDeep(source) {
  let depth = 0;
  for (const [bracket] of source.matchAll(/[[\]{}]/g)) {
    depth += bracket === '{' || bracket === '[' ? 1 : -1;
    if (depth > 64) return true;
  }
  return false;
}

const withoutTexts = (source) => source.replace(/\\[\\"]/g, '').split('"').filter((_, i) => i % 2 === 0).join('');

/** Raw JSON: no blank around it, and no half of a character by an escape. */
function checkRaw(source) {
  try {
    JSON.parse(source);
  } catch {
    throw new Malformed('raw JSON that is none, or more than one');
  }
  if (source.trim() !== source) throw new Malformed('a blank around raw JSON');
  if (/\\ud[89a-f]/i.test(source.replace(/\\\\/g, '').replace(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi, ''))) throw new Malformed('half a character');
}

const ANSWERS = ['begin', 'cards', 'move', 'end', 'book'];

export function readEntry(bytes, source) {
  if (bytes.length > 4 * 2 ** 20) throw new Refused('a line of more than 4 MiB');
  if (bytes.some((byte) => byte === 9 || byte === 10 || byte === 13)) throw new Refused('a byte that no message has');
  if (tooDeep(source) || tooDeep(withoutTexts(source))) throw new Refused('a line that nests too deep');
  const match = ENTRY.exec(source);
  if (!match) throw new Refused('not an entry');
  const [, entry, session, roster, hand, seat, seq, seen, body, signature] = match;
  try {
    checkRaw(body);
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
    checkRaw(match[2]);
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
    this.history = new Map(); // id → [{duty, from, to, hand}]: when it was open, and the hand in which it closed
    this.releasedFrom = new Map(); // the same of duties that became optional: from then on nobody waits for them
    this.votes = new Map(); // id → Set of voters
    this.breaks = new Map(); // voter → the duty that it named last
    this.ends = []; // how long the log was when each hand was over
    this.seated = 0; // and when this roster came into force
    this.settled = false; // whether somebody has begun, ended or gone between hands
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
    while (this.ends.length < this.hand) this.ends.push(this.length);
    const now = new Map();
    for (const duty of this.currentDuties()) {
      const id = this.dutyId(duty);
      now.set(toBase64(id), { ...duty, id });
    }
    for (const key of [...this.open.keys()]) if (!now.has(key)) this.close(key);
    for (const [key, duty] of now) {
      const before = this.open.get(key);
      duty.from = before ? before.from : this.length;
      duty.since = before && before.optional === duty.optional ? before.since : this.length;
      if (!before) this.note(this.history, key, { duty, from: this.length, to: Infinity, hand: Infinity });
      else if (duty.optional && !before.optional) {
        this.note(this.releasedFrom, key, { duty, from: before.from, to: this.length, hand: this.hand });
        this.time.clocks.delete(key);
        this.time.late.delete(key);
      }
      this.open.set(key, duty);
    }
  }

  note(spans, key, span) {
    if (!spans.has(key)) spans.set(key, []);
    spans.get(key).push(span);
  }

  close(key) {
    Object.assign(this.history.get(key).at(-1), { to: this.length, hand: this.hand });
    this.votes.delete(key);
    for (const [seat, named] of [...this.breaks]) if (named === key) this.breaks.delete(seat);
    this.time.clocks.delete(key);
    this.time.late.delete(key);
    this.open.delete(key);
  }

  /** Whose duty it was that was open on a log of this length and has been closed since; of hands before the last one nothing is known. */
  closedSince(id, seen) {
    const spans = [...(this.history.get(id) ?? []), ...(this.releasedFrom.get(id) ?? [])];
    return spans.find(({ from, to, hand }) => from <= seen && seen < to && to !== Infinity && hand >= this.hand - 1)?.duty ?? null;
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

  /** Whether an entry was due on what it saw, and came too late. */
  wasDue(body, { hand, seat }, seen) {
    const late = seen < (hand < this.hand ? this.ends[hand] : this.seated);
    if (!ANSWERS.includes(body.type) || hand < this.hand - 1) return late;
    return this.closedSince(body.duty, seen)?.seat === seat;
  }

  /** The duty that a body answers; null if it came too late. */
  duty(body, entry, seen) {
    const open = this.open.get(body.duty);
    if ((!open || seen < open.from) && this.wasDue(body, entry, seen)) return null;
    if (!open || open.seat !== entry.seat) throw new Refused('it answers nothing that this seat owes');
    if (body.type === 'cards' ? open.deck === 'table' : open.deck !== 'table' || open.kind !== body.type) throw new Refused('a duty of another kind');
    if (seen < open.from) throw new Refused('signed before what it answers');
    return open;
  }

  /** Returns what the entry does, as a function that is called once it is in the log, or 'dropped'. */
  judge(entry, seen) {
    const body = readBody(entry.body);
    const { seat, hand } = entry;
    const here = toHex(entry.roster) === this.roster.key && Boolean(this.roster.of(seat));
    const early = body.type === 'begin' && hand === this.hand - 1 && seen < this.ends[hand];
    if (body.type === 'book' || (here && (hand === this.hand || early))) {
      if (!ANSWERS.includes(body.type)) return this.say(body, seat, seen);
      const duty = this.duty(body, entry, seen);
      return duty ? this.answer(body, seat, duty) : 'dropped';
    }
    if (!this.wasDue(body, entry, seen)) throw new Refused('signed for another hand or roster');
    return 'dropped';
  }

  answer(body, seat, duty) {
    switch (body.type) {
      case 'begin':
        return () => {
          if (this.phase === 'playing') this.nextBegun.set(seat, body.commitment);
          else {
            this.begun.set(seat, body.commitment);
            this.settled = true;
          }
        };
      case 'end':
        return () => {
          this.endedSeats.add(seat);
          this.begun.delete(seat);
          this.settled = true;
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
          this.deeds.push({ entry: this.length - 1, seat, source: body.raw, made, anchor: duty.anchor });
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

  // --- Table rules ---

  /** Whether an open duty of another seat holds up the table, and did so on what was seen; not, if it was closed since. */
  holdsUp(id, seat, seen) {
    const open = this.open.get(id);
    if (open && open.seat !== seat && !open.optional && open.from <= seen) return true;
    if (!this.closedSince(id, seen)) throw new Refused('a duty that nobody waits for');
    return false;
  }

  /** Whether a seat owes a message of the cards: until it has sent it, its votes do not count. */
  owesCards(seat) {
    return [...this.open.values()].some((duty) => duty.seat === seat && duty.cards);
  }

  without(body, seat, seen) {
    const ids = body.duties;
    const order = ids.map((id) => toHex(fromBase64(id)));
    if (order.some((id, i) => i && order[i - 1] >= id)) throw new Refused('duties ascend, each once');
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
    return () => this.breaks.set(seat, id); // another one takes the place of the one before
  }

  /** Who has named one of these duties, and who one of them that is late. */
  naming(voters, ids) {
    const by = (which) => voters.filter((voter) => which.some((id) => this.votes.get(id)?.has(voter)));
    return { by: by(ids), pressing: by(ids.filter((id) => this.time.late.has(id))) };
  }

  /** The seats that enough voters would not wait for: those that owe a move, or anything else. */
  reached(moves) {
    const voters = this.voters();
    const owed = [...this.open].filter(([, duty]) => !duty.optional && (duty.kind === 'move' && duty.deck === 'table') === moves);
    return [...new Set(owed.map(([, duty]) => duty.seat))].sort((a, b) => a - b).flatMap((seat) => {
      const { by, pressing } = this.naming(voters, owed.filter(([, duty]) => duty.seat === seat).map(([id]) => id));
      return 2 * by.length > voters.length || (pressing.length && 2 * pressing.length === voters.length) ? [{ seat, by }] : [];
    });
  }

  /** Count votes until nothing changes: first all who are gone, then one move after the other, then whether the hand goes on. */
  count() {
    for (;;) {
      this.refresh();
      const gone = this.reached(false);
      const [move] = this.reached(true);
      if (gone.length) {
        for (const { seat, by } of gone) this.decide(by, seat, 'gone');
        this.leave(gone.map(({ seat }) => seat));
      } else if (move) this.moveFor(move);
      else if (!this.breakOff()) return;
    }
  }

  decide(by, of, did) {
    this.withouts.push({ entry: this.length - 1, hand: this.hand + 1, by, of, did });
  }

  moveFor({ seat, by }) {
    const move = this.game.default(seat);
    this.decide(by, seat, move === null ? 'gone' : 'move');
    if (move === null) {
      this.leave([seat]);
      return;
    }
    this.game.moved(seat, move);
    this.course = H('moved', this.course, seat, toUtf8(move));
    this.advance();
  }

  /** Half of the voters or more break off what is played; after the last hand, they end without the others. */
  breakOff() {
    const voters = this.voters();
    const by = voters.filter((seat) => this.breaks.has(seat));
    if (!by.length || 2 * by.length < voters.length) return false;
    if (this.phase === 'between' && this.over) {
      const missing = this.present().filter((seat) => !by.includes(seat));
      this.breaks = new Map();
      for (const seat of missing) this.decide(by, seat, 'gone');
      this.leave(missing);
      return true;
    }
    this.decide(by, null, 'broken off');
    this.over = true;
    if (this.phase === 'playing') this.endHand(null);
    else this.forgetVotes();
    return true;
  }

  forgetVotes() {
    this.begun = new Map();
    this.votes = new Map();
    this.breaks = new Map();
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
      if (this.phase !== 'playing') this.begun.delete(seat);
      this.breaks.delete(seat);
      for (const by of this.votes.values()) by.delete(seat);
    }
    if (this.phase === 'between') this.settled = true;
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

  /** After every entry: votes are counted; then a log ends, or a hand starts, with who begins, ends or goes between hands. */
  settleAll() {
    this.count();
    const { settled } = this;
    this.settled = false;
    if (this.phase === 'between' && settled && !this.present().length && this.endedSeats.size) {
      this.phase = 'ended';
      this.rules.ended?.(this.chips);
    }
    if (this.phase === 'between' && this.rosterInForce()) this.refresh();
    if (this.phase === 'between' && settled && !this.over && this.canStart()) this.startHand();
    this.handOver = false;
    this.refresh();
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
    this.forgetVotes();
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
    this.handOver = true;
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
    this.votes = new Map();
    this.breaks = new Map();
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
    if (proposal) {
      seatRoster(this, proposal);
      if (!this.handOver) this.seated = this.length;
    }
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
        const spans = [...this.history.values(), ...this.releasedFrom.values()].flat().filter(({ hand }) => hand >= this.hand - 1);
        const opened = spans.some(({ from }) => from > time.lastSeen && from <= seen);
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
