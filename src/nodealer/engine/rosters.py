"""Changes of the roster: proposals, agreements, and when a roster comes into force.

A seat number, a key and a name belong together for the whole log. A roster comes into force, only between hands, when
more than half of the seats with cards that have not ended agree to it, and at least two. A new timekeeper needs the
agreement of all of them.
"""

from __future__ import annotations

from nodealer.engine.bodies import Propose
from nodealer.engine.phases import Phase
from nodealer.engine.state import KeyChange, ProposedRoster, RosterPeriod, TableState
from nodealer.errors import Malformed
from nodealer.log.names import casefold_name
from nodealer.log.roster import Member, Roster, refuse_bad_roster, verify_newcomer
from nodealer.records import replace
from nodealer.tape import digest


def proposal_id(roster: Roster, by: int, hand: int) -> bytes:
    """Return the digest by which agreements refer to a proposed roster."""
    return digest("proposal", roster.digest, by, hand)


def refuse_roster(state: TableState, body: Propose) -> None:
    """Raise `Malformed` if this table cannot have the proposed roster."""
    roster, newcomers = body.roster, body.newcomers
    refuse_bad_roster(roster)
    claims = state.config.protocol.claims
    if not claims.seats[0] <= len(roster.with_cards) <= claims.seats[1]:
        raise Malformed(f"{claims.name} does not support {len(roster.with_cards)} seats with cards")
    if not set(claims.roles) <= {role for role, _ in roster.roles}:
        raise Malformed(f"{claims.name} needs a seat for each of its roles")
    if _fixed_members(roster) != _fixed_members(state.roster):
        raise Malformed("only players and the timekeeper can change; other roles need a new session")
    if roster.timekeeper is not None and state.clock is None:
        raise Malformed("this session has no time limits, so it cannot have a timekeeper")
    _refuse_changed_identity(state, roster)
    fresh = [member for member in roster.members if member.seat not in state.all_members]
    if [one.seat for one in newcomers] != [member.seat for member in fresh]:
        raise Malformed("a proposal must carry the signature of each new seat, and no other")
    for one, member in zip(newcomers, fresh, strict=True):
        verify_newcomer(one.signature, state.config.session.id, roster.digest, member)
    # Only its seat can open a box. It agrees to the proposal if the box has the right key.
    if body.key is not None and [box.seat for box in body.key.boxes] != list(roster.seats):
        raise Malformed("a new key needs one box for each seat of the proposed roster, and no other")


def _fixed_members(roster: Roster) -> tuple[Member, ...]:
    """Return the members that a new roster cannot change: all but players and the timekeeper."""
    movable = (*roster.with_cards, *(() if roster.timekeeper is None else (roster.timekeeper.seat,)))
    return tuple(member for member in roster.members if member.seat not in movable)


# defence: puppet
def _refuse_changed_identity(state: TableState, roster: Roster) -> None:
    """Raise `Malformed` unless returning members keep their number, key and name, and new ones reuse none of them."""
    names = {casefold_name(member.name) for member in state.all_members.values()}
    keys = {member.key for member in state.all_members.values()}
    for member in roster.members:
        if member.seat in state.all_members:
            if member != state.all_members[member.seat]:
                raise Malformed(
                    f"seat {member.seat} belongs to {state.all_members[member.seat].name} for the whole session"
                )
        elif casefold_name(member.name) in names or member.key in keys:
            raise Malformed(f"seat {member.seat} has the name or the key of another seat of this session")


# defence: roster-alone
def adopt_agreed_roster(state: TableState) -> TableState:
    """Return the state with a roster that has enough agreement, if there is one between hands.

    Seats that had begun must begin again, because a hand is bound to its roster.
    """
    if state.phase is not Phase.BETWEEN:
        return state
    voters = [seat for seat in state.roster.with_cards if seat not in state.ended]
    for one in state.proposed.values():
        agreed = one.agreed.intersection(voters)
        same_clock = one.roster.timekeeper == state.roster.timekeeper
        enough = 2 * len(agreed) > len(voters) if same_clock else len(agreed) == len(voters)
        if len(agreed) >= 2 and enough:
            return _adopt(state, one, tuple(sorted(agreed)))
    return state


def _adopt(state: TableState, one: ProposedRoster, agreed: tuple[int, ...]) -> TableState:
    """Return the state with this roster in force."""
    roster, number = one.roster, state.hand.number
    account = state.ledger.add_seats(roster.with_cards, state.config.rules.stake)
    chips = {seat: account.chips[seat] for seat in roster.with_cards}
    seatings = (*state.chronicle.roster_periods, RosterPeriod(number, roster, agreed, chips))
    binding = state.config.binding(number, roster, roster.awaited)
    known = {**state.all_members, **{member.seat: member for member in roster.members}}
    state = state.with_hand(binding=binding, commitments={}, skip_votes={}, abort_votes={}).with_chronicle(
        roster_periods=seatings
    )
    if one.key is not None:
        state = state.with_chronicle(key_changes=(*state.chronicle.key_changes, KeyChange(roster.digest, one.key)))
    if state.clock is not None and roster.timekeeper != state.roster.timekeeper:
        state = replace(state, clock=state.clock.restart())
    gone = state.gone.intersection(roster.seats)
    return replace(state, roster=roster, all_members=known, ledger=account, gone=gone, proposed={})
