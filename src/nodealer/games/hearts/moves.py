"""What a player can do. No move says which card it is about: it names a place, and the card is shown afterwards."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from nodealer.errors import DecodeError, IllegalMove
from nodealer.wire import Message, Natural, decode

MOVE_BYTES_MAX: Final = 128
#: So many cards are passed.
GIVEN: Final = 3


class Give(Message, frozen=True, tag="give"):
    """The three cards that I pass on, by their places, in ascending order."""

    places: Annotated[tuple[Natural, ...], msgspec.Meta(min_length=GIVEN, max_length=GIVEN)]


class Lead(Message, frozen=True, tag="lead"):
    """I have the two of clubs, here, and lead it."""

    place: Natural


class Without(Message, frozen=True, tag="without"):
    """I do not have the two of clubs."""


class Play(Message, frozen=True, tag="play"):
    """The card at this place."""

    place: Natural


Move = Give | Lead | Without | Play


def read_move(data: bytes) -> Move:
    """A move, strictly decoded. Raises `IllegalMove`."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move
