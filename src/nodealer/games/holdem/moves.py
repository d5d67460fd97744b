"""What a player can say, and what a player may say now."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from nodealer.errors import DecodeError, IllegalMove
from nodealer.wire import INTEGER_MAX, Message, Natural, decode

Chips = Annotated[int, msgspec.Meta(ge=1, le=INTEGER_MAX)]

#: The longest move is a raise to a number of sixteen digits.
MOVE_BYTES_MAX: Final = 64


class Fold(Message, frozen=True, tag="fold"):
    """Give up the hand."""


class Call(Message, frozen=True, tag="call"):
    """Put in what is missing, as far as the stack goes; a check when nothing is."""


class Raise(Message, frozen=True, tag="raise"):
    """Bet or raise. `to` is what lies before the seat in this round of betting afterwards."""

    to: Chips


class ShowHand(Message, frozen=True, tag="show"):
    """Show both cards to all."""


class Muck(Message, frozen=True, tag="muck"):
    """Give the cards away unseen: at the showdown the claim with them, after an uncontested pot only the cards."""


Move = Fold | Call | Raise | ShowHand | Muck


def read_move(data: bytes) -> Move:
    """A move, strictly decoded. Raises `IllegalMove`."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move


class Legal(Message, frozen=True):
    """What a seat may do now. Nothing at all when it is not its turn."""

    fold: bool = False
    #: Chips to put in for a call, 0 for a check; None when there is nothing to call.
    call: Natural | None = None
    #: The least and the most that a bet or raise may be to. All chips may always go in, so they may be equal.
    raise_from: Natural | None = None
    raise_to: Natural | None = None
    show: bool = False
    muck: bool = False

    def __str__(self) -> str:
        """For the person at the table."""
        words = ["fold"] if self.fold else []
        if self.call is not None:
            words.append(f"call {self.call}" if self.call else "check")
        if self.raise_from is not None:
            least = self.raise_from
            words.append(f"raise to {least}" + (f" … {self.raise_to}" if self.raise_to != least else " (all in)"))
        words += [word for word, may in (("show", self.show), ("muck", self.muck)) if may]
        return ", ".join(words) if words else "nothing"
