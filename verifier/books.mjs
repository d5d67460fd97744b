// Books that a claim opens (docs/spec/log.md, "Disputes and disclosures").
import { equal, fromBase64, Malformed } from './bytes.mjs';
import { Fault } from './deck.mjs';
import { H } from './hash.mjs';

/**
 * The fault of a claim. Every proof was checked when it came, so every card of these protocols can be read by who holds it, and
 * no claim holds: what is left to say is at which entry. `deeds` are the messages of the hand, {entry, seat, source, made, anchor}:
 * `made(seat, seed, choice, source, anchor)` is what the book makes of one, or null, `choice` giving the one that was made for a duty.
 */
export function falseClaim(table, seat, body) {
  const seed = fromBase64(body.seed);
  const commitment = table.commitments.get(seat);
  if (!commitment || !equal(H('tape', table.session.number, seat, table.hand, seed), fromBase64(commitment))) return new Fault(seat, 'a seed that is not the one it committed to');
  const choices = new Map(body.choices.map(({ duty, choice }) => [duty, fromBase64(choice)]));
  const choice = (duty) => choices.get(duty) ?? null;
  const made = (deed) => {
    try {
      return deed.made(seat, seed, choice, deed.source, deed.anchor);
    } catch (error) {
      if (error instanceof Malformed || error instanceof SyntaxError) return null; // a choice that makes no sense
      throw error;
    }
  };
  const other = table.deeds.find((deed) => deed.seat === seat && made(deed) !== deed.source);
  if (other) return new Fault(seat, 'a message that is not what its book makes', other.entry);
  return new Fault(seat, 'a claim that a card is false, and it is not');
}
