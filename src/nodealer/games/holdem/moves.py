"""The moves of hold'em, and the moves that are legal now."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from nodealer.errors import DecodeError, IllegalMove
from nodealer.wire import INTEGER_MAX, Message, Natural, decode

Chips = Annotated[int, msgspec.Meta(ge=1, le=INTEGER_MAX)]

#: The longest move is a raise to a number of sixteen digits.
MOVE_BYTES_MAX: Final = 64


class Fold(Message, frozen=True, tag="fold"):
    """Fold."""


class Call(Message, frozen=True, tag="call"):
    """Call, all in if the stack is smaller. A check if there is nothing to call."""


class Raise(Message, frozen=True, tag="raise"):
    """Bet or raise. `to` is the seat's total bet in this betting round."""

    to: Chips


class ShowHand(Message, frozen=True, tag="show"):
    """Show both cards to everyone."""


class Muck(Message, frozen=True, tag="muck"):
    """Muck: do not show. At a showdown this gives up the claim to the pot; an uncontested pot is won anyway."""


Move = Fold | Call | Raise | ShowHand | Muck


def read_move(data: bytes) -> Move:
    """Decode a move. Raise `IllegalMove` if the bytes are not a valid move of this game."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move


class Legal(Message, frozen=True):
    """What a seat may do now: nothing if it is not its turn."""

    fold: bool = False
    #: The chips to put in for a call; 0 for a check; None if the seat can do neither.
    call: Natural | None = None
    #: The minimum and maximum to bet or raise to. Going all in is always allowed, so they may be equal.
    raise_from: Natural | None = None
    raise_to: Natural | None = None
    show: bool = False
    muck: bool = False

    def __str__(self) -> str:
        """List the options for the person at the table."""
        words = ["fold"] if self.fold else []
        if self.call is not None:
            words.append(f"call {self.call}" if self.call else "check")
        if self.raise_from is not None:
            least = self.raise_from
            words.append(f"raise to {least}" + (f"–{self.raise_to}" if self.raise_to != least else " (all in)"))
        words += [word for word, may in (("show", self.show), ("muck", self.muck)) if may]
        return ", ".join(words) if words else "nothing"
