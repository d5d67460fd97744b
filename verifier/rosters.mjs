// Other rosters during a session (docs/log.md, "The law"): who may be proposed, and when a proposal is in force.
import { equal, fromBase64, Malformed, toBase64 } from './bytes.mjs';
import { framed, H } from './hash.mjs';
import { verify } from './keys.mjs';
import { nameKey } from './names.mjs';
import { Roster } from './session.mjs';

const refuse = (condition, message) => {
  if (condition) throw new Malformed(message);
};
const withoutCards = ({ role }) => role === 'server' || role === 'timekeeper';
const same = (one, other) => one.seat === other.seat && one.name === other.name && one.role === other.role && equal(one.key, other.key) && equal(one.box, other.box);

/** A number, a key and a name belong together for the whole log. */
function checkKnown(table, member) {
  const before = table.known.get(member.seat);
  if (before) refuse(!equal(before.key, member.key) || before.name !== member.name || before.role !== member.role, 'a number that belongs to somebody else');
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
  const [servers, keepers] = ['server', 'timekeeper'].map((role) => [table.roster, roster].map((one) => one.members.filter((member) => member.role === role)));
  refuse(servers[0].length !== servers[1].length || servers[0].some((one, i) => !same(one, servers[1][i])), 'another server');
  refuse(keepers[0].length !== keepers[1].length, 'a timekeeper more, or none');
  for (const member of roster.members) {
    const before = table.roster.of(member.seat);
    refuse(before && withoutCards(before) !== withoutCards(member), 'a seat with cards has cards');
  }
  if (body.key) refuse(body.key.boxes.length !== roster.members.length || body.key.boxes.some((box, i) => box.seat !== roster.members[i].seat), 'boxes that do not fit');
  const all = keepers[0].length > 0 && !same(keepers[0][0], keepers[1][0]);
  const id = toBase64(H('proposal', roster.digest, seat, table.hand));
  return { id, roster, seat, hand: table.hand, agreed: new Set([seat]), begins: 0, all };
}

/** The first proposal to which enough have agreed: more than half of the seats with cards that have not ended, and at least two. */
export function inForce(table) {
  const voters = table.roster.withCards.filter((seat) => !table.endedSeats.has(seat));
  return table.proposals.find(({ agreed, all }) => {
    const count = voters.filter((seat) => agreed.has(seat)).length;
    return count >= 2 && 2 * count > voters.length && (!all || count === voters.length);
  });
}

/** The table with another roster. Whoever had begun begins again. */
export function seat(table, { roster }) {
  table.roster = roster;
  table.proposals = [];
  table.begun = new Map();
  for (const member of roster.members) table.known.set(member.seat, member);
  const names = new Set(roster.seats);
  for (const set of [table.gone, table.endedSeats]) for (const one of [...set]) if (!names.has(one)) set.delete(one);
  table.seatDown();
}
