// Other rosters during a session (docs/spec/log.md, "Rosters"): who may be proposed, and when a proposal is in force.
import { equal, fromBase64, Malformed, toBase64 } from './bytes.mjs';
import { framed, H } from './hash.mjs';
import { verify } from './keys.mjs';
import { nameKey } from './names.mjs';
import { Roster } from './session.mjs';

const refuse = (condition, message) => {
  if (condition) throw new Malformed(message);
};
const same = (one, other) => one.seat === other.seat && one.name === other.name && one.role === other.role
  && equal(one.key, other.key) && equal(one.box, other.box) && equal(one.boxSignature, other.boxSignature);

/** A number, a key and a name belong together for the whole log. */
function checkKnown(table, member) {
  const before = table.known.get(member.seat);
  if (before) refuse(!same(before, member), 'a number that belongs to somebody else');
  else {
    for (const one of table.known.values()) {
      refuse(equal(one.key, member.key) || nameKey(one.name) === nameKey(member.name), 'a key or a name that belongs to another number');
    }
  }
}

/** The proposal that an entry makes; what cannot be a roster here is refused. */
export function proposed(table, body, seat) {
  const roster = new Roster(body.roster, JSON.stringify(body.roster));
  refuse(table.proposals.some((one) => one.seat === seat && one.hand === table.hand), 'a second proposal in one hand');
  for (const member of roster.members) checkKnown(table, member);
  const fresh = roster.members.filter((one) => !table.known.has(one.seat));
  refuse(body.newcomers.length !== fresh.length, 'newcomers that do not fit');
  fresh.forEach((member, i) => {
    const { seat: number, signature } = body.newcomers[i];
    const words = framed('nodealer/newcomer/v1', table.session.number, roster.digest, member.seat, member.name, member.key);
    refuse(number !== member.seat || !verify(member.key, words, fromBase64(signature)), 'a newcomer who has not signed');
  });
  const servers = (one) => one.members.filter(({ role }) => role === 'server');
  refuse(JSON.stringify(servers(roster).map(({ seat: one }) => one)) !== JSON.stringify(servers(table.roster).map(({ seat: one }) => one)), 'another server');
  refuse(roster.timekeeper !== null && !table.clock, 'a timekeeper where no time is limited');
  refuse(!table.protocol.serves(roster.withCards), 'more or fewer seats with cards than the protocol serves');
  if (body.key) refuse(body.key.boxes.length !== roster.members.length || body.key.boxes.some((box, i) => box.seat !== roster.members[i].seat), 'boxes that do not fit');
  const id = toBase64(H('proposal', roster.digest, seat, table.hand));
  return { id, roster, seat, hand: table.hand, agreed: new Set([seat]), begins: 0 };
}

/** The first proposal to which enough have agreed: more than half of the seats with cards that have not ended, and at least two. */
export function inForce(table) {
  const voters = table.roster.withCards.filter((seat) => !table.endedSeats.has(seat));
  return table.proposals.find(({ agreed, roster }) => {
    const count = voters.filter((seat) => agreed.has(seat)).length;
    return count >= 2 && 2 * count > voters.length && (roster.timekeeper === table.roster.timekeeper || count === voters.length);
  });
}

/** The table with another roster. Whoever had begun begins again, and what was said of those who are missing is void. */
export function seat(table, { roster }) {
  if (roster.timekeeper !== table.roster.timekeeper) Object.assign(table.time, { last: null, lastSeen: 0 });
  table.roster = roster;
  table.proposals = [];
  table.forgetVotes();
  for (const member of roster.members) table.known.set(member.seat, member);
  for (const one of [...table.gone]) if (!roster.of(one)) table.gone.delete(one);
  table.seatDown();
}
