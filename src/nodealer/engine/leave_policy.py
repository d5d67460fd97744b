"""How long a player means to stay."""

from __future__ import annotations

from collections.abc import Iterable

from nodealer.engine.participant import StayPolicy
from nodealer.engine.phases import Phase
from nodealer.engine.state import TableState


def stay_for_hands(hands: int) -> StayPolicy:
    """Stay for so many hands, as long as there are enough who can play another."""

    def stays(state: TableState) -> bool:
        return not state.no_more_hands and state.hand.number < hands and _has_enough_players(state, state.present)

    return stays


def stay_while_playable(state: TableState) -> bool:
    """Stay as long as there can be another hand, perhaps with those who are gone from this one."""
    return not state.no_more_hands and _has_enough_players(
        state, set(state.roster.awaited) - state.ended - state.expelled
    )


def has_too_few_players(state: TableState) -> bool:
    """Whether only somebody who comes back can make another hand: those who are here are not enough for one."""
    return state.phase is Phase.BETWEEN and not state.no_more_hands and not _has_enough_players(state, state.present)


def _has_enough_players(state: TableState, there: Iterable[int]) -> bool:
    sitting = set(state.roster.with_cards).intersection(there)
    if state.config.rules.stake:
        sitting = {seat for seat in sitting if state.ledger.chips[seat] > 0}
    return len(sitting) >= state.config.protocol.claims.seats[0]
