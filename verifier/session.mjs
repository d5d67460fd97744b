// The first line of a log, and rosters (docs/spec/log.md, "The session").
import { equal, fromBase64, Malformed, toHex, toUtf8 } from './bytes.mjs';
import { framed, H } from './hash.mjs';
import { bool, canonical, fields, integer, list, literal, nullable, read, text, tuple } from './json.mjs';
import { checkBox, checkKey, verify } from './keys.mjs';
import { checkName, nameKey } from './names.mjs';

export const FORMAT = 'nodealer-log';
export const VERSION = '1';
export const SEAT_MAX = 19;

/** What cannot be judged: exit 2. */
export class NotJudged extends Error {}

export const bytesOf = (size) => (value) => void fromBase64(value, size);
const object = (value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Malformed('parameters that are no object');
};
const part = fields({ name: text(), version: integer(), parameters: object });
const member = fields({
  seat: integer(0, SEAT_MAX), name: text(), key: bytesOf(32), box: bytesOf(32), boxSignature: bytesOf(64), role: text(),
});
export const rosterShape = fields({ members: list(member) });
const proposalShape = fields({
  game: part,
  protocol: part,
  versions: list(tuple(text(), text())),
  roster: rosterShape,
  hands: integer(),
  rehearsal: bool,
  clock: nullable(fields({ move: integer(1000), cards: integer(1000), bank: integer(), refill: integer() })),
});
const sessionShape = fields({
  format: literal(FORMAT), version: literal(VERSION), proposal: proposalShape, commitments: list(bytesOf(32)), nonces: list(bytesOf(32)),
});

export class Roster {
  constructor(value, json) {
    this.json = json;
    this.digest = H('roster', toUtf8(json));
    this.key = toHex(this.digest);
    this.members = value.members.map((one) => ({
      ...one, key: fromBase64(one.key), box: fromBase64(one.box), boxSignature: fromBase64(one.boxSignature),
    }));
    const { members } = this;
    if (members.length < 2 || members.length > 20) throw new Malformed('a roster has 2 to 20 seats');
    members.forEach((one, i) => {
      if (i && members[i - 1].seat >= one.seat) throw new Malformed('seats that do not ascend');
      checkKey(one.key);
      checkBox(one.box);
      if (!/^[a-z]{1,32}$/.test(one.role)) throw new Malformed('a bad role');
      if (!verify(one.key, framed('nodealer/box/v1', one.key, one.box), one.boxSignature)) throw new Malformed('a false box signature');
      checkName(one.name);
    });
    const unique = (values) => new Set(values).size === members.length;
    if (!unique(members.map((one) => toHex(one.key)))) throw new Malformed('two equal keys');
    if (!unique(members.map((one) => nameKey(one.name)))) throw new Malformed('two names that are one');
    const keepers = members.filter((one) => one.role === 'timekeeper');
    if (keepers.length > 1) throw new Malformed('two timekeepers');
    this.timekeeper = keepers.length ? keepers[0].seat : null;
  }
  of(seat) {
    return this.members.find((one) => one.seat === seat);
  }
  get seats() {
    return this.members.map((one) => one.seat);
  }
  /** Seats without cards are the server and the timekeeper. */
  get withCards() {
    return this.members.filter((one) => one.role !== 'server' && one.role !== 'timekeeper').map((one) => one.seat);
  }
}

/** The text of a part of canonical JSON is what is written again of its value. */
export function readSession(line) {
  let head;
  try {
    head = JSON.parse(line);
  } catch {
    throw new NotJudged('it is not a log: the first line cannot be read');
  }
  if (head === null || typeof head !== 'object' || head.format !== FORMAT) throw new NotJudged('it is not a log: the first line is not the first line of a log');
  if (head.version !== VERSION) throw new NotJudged(`other format: it is version ${JSON.stringify(head.version)}, and this program reads version ${VERSION}`);
  try {
    const value = read(sessionShape, line);
    const { proposal } = value;
    const proposalJson = JSON.stringify(proposal);
    const roster = new Roster(proposal.roster, JSON.stringify(proposal.roster));
    if ((roster.timekeeper === null) !== (proposal.clock === null)) throw new Malformed('limits of time and a timekeeper go together');
    const digest = H('proposal', toUtf8(proposalJson));
    const { length } = roster.members;
    if (value.commitments.length !== length || value.nonces.length !== length) throw new Malformed('commitments or nonces are missing');
    roster.members.forEach(({ seat }, i) => {
      const made = H('session nonce', digest, seat, fromBase64(value.nonces[i]));
      if (!equal(made, fromBase64(value.commitments[i]))) throw new Malformed('nonces that are not what was committed to');
    });
    return { number: H('session', toUtf8(line)), proposal, roster, proposalDigest: digest };
  } catch (error) {
    if (error instanceof Malformed) throw new NotJudged(`it is not a log: ${error.message}`);
    throw error;
  }
}
