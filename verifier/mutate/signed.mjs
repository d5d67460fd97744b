// Mutants that are signed again by the seats' keys, so that what is behind the signatures is reached. A log is told again,
// entry after entry, to a table: what an entry saw, its number and the duty that it answers are made to fit again, unless that is
// what was changed.
import { ed25519 } from '@noble/curves/ed25519';
import { fromBase64, toBase64, toUtf8 } from '../bytes.mjs';
import { H } from '../hash.mjs';
import { Refused, Table } from '../table.mjs';
import { NotJudged } from '../session.mjs';
import { edits } from './edits.mjs';
import { SESSIONS } from './sessions.mjs';

const known = new Map(); // what many mutants of a log begin with is signed once

function signature(entry, key) {
  const name = `${toBase64(key)}${entry}`;
  if (!known.has(name)) known.set(name, toBase64(ed25519.sign(toUtf8(entry), key)));
  return known.get(name);
}

/** The log as it is told again. `change(entry, teller)` gives the entries that stand in the place of one. */
export class Teller {
  constructor(session, table, secrets) {
    Object.assign(this, { session, table, secrets, lines: [], broken: false });
    this.heads = [table.head]; // of the new log, by its length
    this.places = [0]; // how long the new log was after so many entries of the old one
    this.numbers = new Map();
  }

  /** The duty that is open now in the place of one that is not any more: of the same seat, deck and kind. */
  fitting(duty, kept) {
    if (this.table.open.has(duty) || !kept) return duty;
    for (const [id, open] of this.table.open) if (open.seat === kept.seat && open.deck === kept.deck && open.kind === kept.kind) return id;
    return duty;
  }

  say({ seat, body, hand = this.table.hand, seq = null, seen = this.lines.length, session = this.session, roster = this.table.roster.digest, head = null, key = null, sign = null }) {
    const number = seq ?? this.numbers.get(seat) ?? 0;
    const saw = head ?? this.heads[Math.max(0, Math.min(seen, this.lines.length))];
    const entry = `{"session":"${toBase64(session)}","roster":"${toBase64(roster)}","hand":${hand},"seat":${seat},"seq":${number},"seen":"${toBase64(saw)}","body":${body}}`;
    const made = sign ? toBase64(sign(toUtf8(entry))) : signature(entry, key ?? this.secrets.get(seat)?.key ?? new Uint8Array(32));
    const line = `{"entry":${entry},"signature":"${made}"}`;
    if (seq === null) this.numbers.set(seat, number + 1);
    this.put(line);
  }

  put(line) {
    const bytes = toUtf8(line);
    this.lines.push(line);
    this.heads.push(H('head', this.heads.at(-1), bytes));
    if (this.broken) return;
    try {
      this.table.take(bytes, line);
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof NotJudged) && error.constructor !== Error) throw error;
      this.broken = true;
    }
  }
}

/** What the true log says, once: the parts of each entry, how long the log was that it saw, and the duty that it answers. */
export function retold(lines, session, makeTable) {
  const table = makeTable();
  const lengths = new Map([[toBase64(table.head), 0]]);
  return lines.slice(1).map((line, i) => {
    const { entry } = JSON.parse(line);
    const at = line.indexOf(',"body":');
    const body = line.slice(at + 8, line.lastIndexOf('},"signature":"'));
    const kept = entry.body.duty ? (table.history.get(entry.body.duty)?.at(-1).duty ?? null) : null;
    const seen = lengths.get(entry.seen);
    table.take(toUtf8(line), line);
    lengths.set(toBase64(table.head), i + 1);
    return { seat: entry.seat, hand: entry.hand, body, seen, kept, type: entry.body.type, roster: entry.roster };
  });
}

function tellAgain(log, chance, changes) {
  const teller = new Teller(log.session.number, log.makeTable(), log.secrets);
  const said = log.said();
  for (const [i, entry] of said.entries()) {
    if (teller.broken || teller.cut) break; // nothing after that is looked at
    const fits = () => {
      const duty = entry.kept ? teller.fitting(JSON.parse(entry.body).duty, entry.kept) : null;
      const body = duty ? entry.body.replace(/"duty":"[^"]*"/, `"duty":"${duty}"`) : entry.body;
      return { seat: entry.seat, body, hand: entry.hand, seen: teller.places[entry.seen] };
    };
    const change = changes.get(i);
    for (const one of change ? change({ teller, entry, fits: fits(), chance, log, index: i }) : [fits()]) {
      if (typeof one === 'string') teller.put(one);
      else teller.say(one);
    }
    teller.places.push(teller.lines.length);
  }
  if (teller.broken && !teller.cut) teller.lines.push(...log.lines.slice(-2));
  return [log.lines[0], ...teller.lines.map((line) => Buffer.from(line, 'utf8').toString('latin1'))];
}

/** The whole log told again in another session; only its entries as they were, where the session is refused. */
function otherSession(log, chance) {
  const value = JSON.parse(Buffer.from(log.lines[0], 'latin1').toString('utf8'));
  const { proposal } = value;
  chance.of(SESSIONS)(proposal, chance);
  const digest = H('proposal', toUtf8(JSON.stringify(proposal)));
  value.commitments = value.nonces.map((nonce, i) => toBase64(H('session nonce', digest, proposal.roster.members[i].seat, fromBase64(nonce))));
  const line = JSON.stringify(value);
  const lines = [Buffer.from(line, 'utf8').toString('latin1'), ...log.lines.slice(1)];
  try {
    return tellAgain({ ...log, lines, ...log.open(line) }, chance, new Map());
  } catch (error) {
    if (!(error instanceof NotJudged)) throw error;
    return lines;
  }
}

const changed = Object.fromEntries(Object.entries(edits).map(([name, make]) => [name, (log, chance) => {
  const changes = new Map();
  const times = chance.of([1, 1, 1, 2, 3]);
  for (let i = 0; i < times; i += 1) make.plan(log.said(), chance).forEach((at) => changes.set(at, make.change));
  return tellAgain(log, chance, changes);
}]));

export const SIGNED = { ...changed, 'signed: another session': otherSession };
