// What all decks share (docs/spec/proofs.md, "Trails and anchors"): trails, stages, where cards are, and operations that run
// one stage after the other. An operation is a generator that yields stages and gets the answers of their seats.
import { Malformed, toBase64, toUtf8 } from './bytes.mjs';
import { H } from './hash.mjs';
import { Transcript } from './transcript.mjs';

/** A message that is well formed and false: it names its seat, and stands at an entry if not at its own. */
export class Fault extends Error {
  constructor(seat, message, entry = null) {
    super(message);
    this.seat = seat;
    this.entry = entry;
  }
}

export const jsonBytes = (value) => toUtf8(JSON.stringify(value));

/**
 * Who has to say something, and how what it says is judged. `check(seat, text, anchor)` raises Malformed (refused) or Fault,
 * changes nothing, and returns what the operation goes on with. `opens` are the positions whose keys are published.
 * `made(seat, seed, choice, source, anchor)` makes the message again from a book (books.mjs).
 */
export const stage = (kind, seats, check, more = {}) => ({ kind, owing: [...seats], check, answers: new Map(), ...more });

export class Deck {
  /** table: {protocol, version, session, hand, roster, seats, keys} */
  constructor(table, number, trail) {
    Object.assign(this, { table, number, trail, epoch: 0, roster: table.roster, seats: [...table.seats] });
    this.stage = null;
    this.anchor = null;
    this.running = null;
    this.operation = null;
    this.queue = [];
    this.events = [];
  }

  /** Where the deck is now: what transcripts begin with, and what secrets of a tape are drawn for. */
  here(roster = this.roster) {
    const { protocol, version, session, hand } = this.table;
    const place = [protocol, version, session, roster, hand, this.number, this.epoch];
    return {
      context: (step, seat, anchor) => new Transcript([...place, step, seat, anchor]),
      inputs: (seat, ...others) => H('inputs', ...place, seat, ...others),
    };
  }

  context(step, seat, anchor) {
    return this.here().context(step, seat, anchor);
  }

  /** The number of a duty of this deck, as entries name it. */
  dutyNumber(seat, kind, anchor) {
    const { session, hand } = this.table;
    return toBase64(H('duty', session, hand, this.number, seat, kind, anchor));
  }

  ask(operation) {
    this.trail = H('asked', this.trail, jsonBytes(operation));
  }

  duties() {
    if (!this.stage) return [];
    return this.stage.owing.map((seat) => ({
      seat, deck: this.number, kind: this.stage.kind, anchor: this.anchor, choice: Boolean(this.stage.choice), cards: true,
    }));
  }

  /** Run an operation as far as it goes without anybody's word. */
  run(generator, operation) {
    this.running = generator;
    this.operation = operation;
    this.step(undefined);
  }

  step(answers) {
    for (;;) {
      const { value, done } = this.running.next(answers);
      if (done) {
        this.running = null;
        this.stage = null;
        this.anchor = null;
        const { operation } = this;
        this.operation = null;
        this.finished(operation);
        return;
      }
      this.stage = value;
      this.anchor = value.anchor ?? this.trail;
      if (value.owing.length) return;
      answers = value.answers;
    }
  }

  finished(operation) {
    this.events.push({ type: 'finished', operation });
  }

  apply(seat, text, duty) {
    const { stage: now } = this;
    const answer = now.check(seat, text, this.anchor);
    this.trail = H('said', this.trail, duty, toUtf8(text));
    now.answers.set(seat, answer);
    now.owing = now.owing.filter((one) => one !== seat);
    if (!now.owing.length) this.step(now.answers);
  }

  takeEvents() {
    const { events } = this;
    this.events = [];
    return events;
  }
}

/** A message of the log: its type, and its fields as base64. */
export const said = (type, parts) => JSON.stringify({ type, ...Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, toBase64(bytes)])) });

export const refuse = (condition, message) => {
  if (condition) throw new Malformed(message);
};
