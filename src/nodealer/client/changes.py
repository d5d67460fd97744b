"""The differences between two statuses of a table, as events: here alone, "what is" becomes "what happened".

Nothing here remembers anything. An event that waits for a while to pass, such as "the table waits for Ben", happens
when the earlier status was before that moment and the later one is after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodealer.client import events
from nodealer.client.status import LOBBY_EXTRA, RosterOffer, TableStatus
from nodealer.engine.state import TableState

#: The time bank's seconds below which a player is reminded once more.
BANK_LOW = 10.0
#: After how many seconds missing frames are worth a notice, also where people take longer for everything else.
MISSING_AFTER = 5.0


def events_between(before: TableStatus | None, after: TableStatus, notice_after: float) -> Iterator[events.TableEvent]:
    """Yield what is new in a status, given the one before it.

    `notice_after` says for how many seconds the table waits for something before that is worth a notice.
    """
    yield from _sitting_out(before, after)
    yield from _too_few_players(before, after, notice_after)
    yield from _missing_frames(before, after, min(notice_after, MISSING_AFTER))
    if after.drifts > (0 if before is None else before.drifts):
        yield events.ClockDrift(after.drift)
    yield from _waits(before, after, notice_after)
    yield from _own_time(before, after)
    yield from _disputes(before, after)
    yield from _seats(before, after)


def comparable(before: TableStatus | None, after: TableStatus) -> TableStatus:
    """Return a status to compare the next one with.

    A player can decide nothing while frames are missing. What they could decide before is not new afterwards, so it is
    kept until the next hand: otherwise a relay could have it all said again by reconnecting.
    """
    if not after.is_catching_up or before is None or before.state is None or after.state is None:
        return after
    same_hand = before.state.hand.number == after.state.hand.number
    return replace(after, options=before.options) if same_hand else after


def is_due(status: TableStatus, seconds: float, notice_after: float) -> bool:
    """Return whether the table has waited so long for something that it is worth a notice."""
    return seconds >= (notice_after if status.has_session else notice_after + LOBBY_EXTRA)


def _sitting_out(before: TableStatus | None, after: TableStatus) -> Iterator[events.TableEvent]:
    """Yield that a player who had left before this program started is sitting out, once the log has arrived."""
    there = before is not None and before.seat is not None and not before.is_catching_up
    if there or after.seat is None or after.is_catching_up or after.state is None:
        return
    if after.sits_out and after.seat not in after.state.ended:
        yield events.SittingOut()


def _too_few_players(
    before: TableStatus | None, after: TableStatus, notice_after: float
) -> Iterator[events.TableEvent]:
    """Yield that there are too few players for a hand: the table waits for no one, so nothing else would say it."""
    was_due = before is not None and before.gone is not None and before.alone_for >= notice_after
    if after.gone is not None and after.alone_for >= notice_after and not was_due:
        yield events.TooFewPlayers(after.gone)


def _missing_frames(before: TableStatus | None, after: TableStatus, notice_after: float) -> Iterator[events.TableEvent]:
    """Yield that a relay has announced frames which it does not deliver."""
    was_due = before is not None and before.is_catching_up and before.missing_for >= notice_after
    if after.is_catching_up and after.missing_for >= notice_after and not was_due:
        yield events.FramesMissing(after.missing_frames, after.missing_for)


def _waits(before: TableStatus | None, after: TableStatus, notice_after: float) -> Iterator[events.TableEvent]:
    """Yield whom the table has waited for long enough."""
    for name, wait in after.awaited.items():
        earlier = None if before is None else before.awaited.get(name)
        told = (
            before is not None
            and earlier is not None
            and earlier.since == wait.since
            and is_due(before, before.now - earlier.since, notice_after)
        )
        if is_due(after, after.now - wait.since, notice_after) and not told:
            yield events.WaitingFor(name, after.now - wait.since, wait.at)


def _own_time(before: TableStatus | None, after: TableStatus) -> Iterator[events.TableEvent]:
    """Yield the time left when this player is asked, when their time bank starts, and when it is nearly empty."""
    asked, wait = after.options.required, after.own_wait
    if asked is None or wait is None:
        return
    known = before is not None and before.options.required is not None and before.options.required.id == asked.id
    if not known or _time_stage(after) > (0 if before is None else _time_stage(before)):
        yield events.OwnTime(wait.limit_left, wait.bank_left)


def _time_stage(status: TableStatus) -> int:
    """Return how far the time has run: 1 within the limit, 2 in the time bank, 3 near its end, 0 unlimited."""
    wait = status.own_wait
    if wait is None:
        return 0
    return 1 if wait.limit_left else 2 if wait.bank_left > BANK_LOW else 3


def _disputes(before: TableStatus | None, after: TableStatus) -> Iterator[events.TableEvent]:
    """Yield a card that does not open, a proof that cannot be given, and hands that are to be disclosed."""
    state, options = after.state, after.options
    if state is None:
        return
    same_hand = before is not None and before.state is not None and before.state.hand.number == state.hand.number
    earlier = before.options if before is not None and same_hand else None
    card = options.unreadable
    if card is not None and (earlier is None or earlier.unreadable is None):
        yield events.Unreadable(card.deck, card.position)
    proof = options.unprovable
    if proof is not None and proof.deck is not None and (earlier is None or earlier.unprovable is None):
        yield events.Unprovable(proof.deck)
    for hand in options.hands_to_disclose:
        if before is None or hand not in before.options.hands_to_disclose:
            yield events.DisclosureAsked(hand + 1, state.chronicle.records[hand].void or "")


def _seats(before: TableStatus | None, after: TableStatus) -> Iterator[events.TableEvent]:
    """Yield seat requests, proposed rosters and absent players that are new."""
    state = after.state
    if state is None or after.seat is None:
        return
    requests = set() if before is None else {one.roster.digest for one in before.requests}
    for request in after.requests:
        if request.roster.digest not in requests:
            yield events.AsksToSit(request.who.name, key=request.who.key)
    rosters = set() if before is None else {one.id for one in before.rosters}
    for offer in after.rosters:
        if offer.id not in rosters:
            yield _roster_proposed(state, offer, after.seat)
    away = set() if before is None else {member.key for member in before.away}
    for member in after.away:
        if member.key not in away:
            yield events.PlayerAway(member.name, member.seat in state.ended)


def _roster_proposed(state: TableState, offer: RosterOffer, mine: int) -> events.RosterProposed:
    """Describe a proposed roster."""
    roster = offer.proposed.roster
    gone = [seat for seat in state.roster.with_cards if seat not in roster.seats]
    keeper = roster.timekeeper
    return events.RosterProposed(
        by=state.all_members[offer.proposed.by].name,
        names=tuple(roster.member(seat).name for seat in roster.with_cards),
        removed=tuple(state.all_members[seat].name for seat in gone),
        yourself=mine in gone,
        changes_timekeeper=keeper != state.roster.timekeeper,
        timekeeper=None if keeper is None else keeper.name,
        new_key=offer.proposed.key is not None,
        unreadable=offer.problem,
    )
