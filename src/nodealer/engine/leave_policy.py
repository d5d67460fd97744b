"""Policies that decide how long a player stays at a table."""

from __future__ import annotations

from collections.abc import Iterable

from nodealer.engine.participant import StayPolicy
from nodealer.engine.phases import Phase
from nodealer.engine.state import TableState


def stay_for_hands(hands: int) -> StayPolicy:
    """Return a policy to stay for this many hands, as long as enough players are present for another."""

    def stays(state: TableState) -> bool:
        """Return whether to play the next hand."""
        return not state.no_more_hands and state.hand.number < hands and _has_enough_players(state, state.present)

    return stays


def stay_while_playable(state: TableState) -> bool:
    """Return whether another hand is possible, counting players who are only gone from this hand."""
    return not state.no_more_hands and _has_enough_players(
        state, set(state.roster.awaited) - state.ended - state.expelled
    )


def has_too_few_players(state: TableState) -> bool:
    """Return whether another hand needs a player to come back: those present are too few."""
    return state.phase is Phase.BETWEEN and not state.no_more_hands and not _has_enough_players(state, state.present)


def _has_enough_players(state: TableState, there: Iterable[int]) -> bool:
    """Return whether enough of these seats could be dealt in, leaving out seats without chips."""
    sitting = set(state.roster.with_cards).intersection(there)
    if state.config.rules.stake:
        sitting = {seat for seat in sitting if state.ledger.chips[seat] > 0}
    return len(sitting) >= state.config.protocol.claims.seats[0]
