"""The moves of wardens."""

from __future__ import annotations

from typing import Final

from nodealer.errors import DecodeError, IllegalMove
from nodealer.wire import Message, Natural, decode

MOVE_BYTES_MAX: Final = 128


class Play(Message, frozen=True, tag="play", omit_defaults=True):
    """Play the card at a place of the player's deck, and name the card.

    `target` is the place of one of the rival's wardens, or None for the rival.
    """

    place: Natural
    card: Natural
    target: Natural | None = None


class Attack(Message, frozen=True, tag="attack", omit_defaults=True):
    """Attack one of the rival's wardens, or the rival, with one of the player's wardens."""

    place: Natural
    target: Natural | None = None


class Bury(Message, frozen=True, tag="bury"):
    """Put a card of the hand aside, face down, for one spark. Once a turn."""

    place: Natural


class EndTurn(Message, frozen=True, tag="end turn"):
    """End the turn."""


class Concede(Message, frozen=True, tag="concede"):
    """Concede the game."""


Move = Play | Attack | Bury | EndTurn | Concede


def read_move(data: bytes) -> Move:
    """Decode a move. Raise `IllegalMove` if the bytes are not a valid move of this game."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move
