"""What a player can do in its turn."""

from __future__ import annotations

from typing import Final

from nodealer.errors import DecodeError, IllegalMove
from nodealer.wire import Message, Natural, decode

MOVE_BYTES_MAX: Final = 128


class Play(Message, frozen=True, tag="play", omit_defaults=True):
    """Play the card at a place of my deck, and say which one it is. The target is a warden of the rival by its place,
    or the rival where none is named."""

    place: Natural
    card: Natural
    target: Natural | None = None


class Attack(Message, frozen=True, tag="attack", omit_defaults=True):
    """Let a warden of mine attack a warden of the rival, or the rival."""

    place: Natural
    target: Natural | None = None


class Bury(Message, frozen=True, tag="bury"):
    """Lay a card of my hand aside, face down, for one spark. Once a turn."""

    place: Natural


class EndTurn(Message, frozen=True, tag="end turn"):
    """The rival's turn."""


class Concede(Message, frozen=True, tag="concede"):
    """Give up the game."""


Move = Play | Attack | Bury | EndTurn | Concede


def read_move(data: bytes) -> Move:
    """A move, strictly decoded. Raises `IllegalMove`."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move
