"""How long a player means to stay."""

from __future__ import annotations

from nodealer.play.participant import Stays
from nodealer.play.state import TableState


def for_hands(hands: int) -> Stays:
    """Stay for so many hands, as long as there are enough who can play another."""

    def stays(state: TableState) -> bool:
        if state.over or state.hand.number >= hands:
            return False
        sitting = [seat for seat in state.roster.with_cards if seat in state.present]
        if state.config.rules.stake:
            sitting = [seat for seat in sitting if state.account.chips[seat] > 0]
        return len(sitting) >= state.config.protocol.claims.seats[0]

    return stays
