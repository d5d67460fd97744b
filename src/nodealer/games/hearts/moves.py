"""The moves of hearts. No move says which card it is about: it names a place, and the card is shown afterwards."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from nodealer.errors import DecodeError, IllegalMove
from nodealer.wire import Message, Natural, decode

MOVE_BYTES_MAX: Final = 128
#: The number of cards each player passes.
GIVEN: Final = 3


class Give(Message, frozen=True, tag="give"):
    """Pass three cards: their places, in ascending order."""

    places: Annotated[tuple[Natural, ...], msgspec.Meta(min_length=GIVEN, max_length=GIVEN)]


class Lead(Message, frozen=True, tag="lead"):
    """Declare that the card at this place is the two of clubs, and lead it."""

    place: Natural


class Without(Message, frozen=True, tag="without"):
    """Declare that one does not have the two of clubs."""


class Play(Message, frozen=True, tag="play"):
    """Play the card at this place."""

    place: Natural


Move = Give | Lead | Without | Play


def read_move(data: bytes) -> Move:
    """Decode a move. Raise `IllegalMove` if the bytes are not a valid move of this game."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move
