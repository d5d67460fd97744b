"""Questions to a person, what the person may do, and checks of their answers.

Answers come from outside, from a page or a program. The `legal_*` functions check them and convert them to the form
that the log uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

from nodealer.cards.operations import SEALED_MAX, Look, Peek, Seal
from nodealer.errors import CardUnreadable, IllegalMove
from nodealer.games.view import View
from nodealer.protocols.base import Duty
from nodealer.wire import Message, encode

#: The most fields a move can have: all their orders are tried.
FIELDS_MAX: Final = 6


def legal_move(view: View, move: dict[str, Any]) -> dict[str, Any]:
    """Return the move with its fields in the order that the log uses.

    The fields of a JSON object have no order, those of an entry do, and only the game knows which. Raise `IllegalMove`
    if the move is not legal, with the error for the fields in their original order.
    """
    if len(move) > FIELDS_MAX:
        raise IllegalMove(f"a move has at most {FIELDS_MAX} fields, not {len(move)}")
    refused: IllegalMove | None = None
    for fields in permutations(sorted(move.items(), key=lambda field: field[0] != "type")):
        ordered = dict(fields)
        try:
            if view.game is not None:
                view.game.moved(view.seat, encode(ordered))
            return ordered
        except IllegalMove as error:
            refused = refused or error
    raise refused or IllegalMove("this is not a move")


def legal_choice(view: View, peek: Peek, choose: tuple[int, ...]) -> tuple[int, ...]:
    """Return the chosen positions of a peek. Raise `IllegalMove` if they do not fit the peeked cards."""
    seen = sorted(view.seen_in(peek.deck))
    if peek.then is Look.TAKE and not (len(choose) == 1 and choose[0] in seen):
        raise IllegalMove(f"choose one of the positions {seen}")
    if peek.then is not Look.TAKE and sorted(choose) != seen:
        first = "the one to keep first" if peek.then is Look.KEEP else "the one on top first"
        raise IllegalMove(f"choose all of the positions {seen}, {first}")
    return choose


def legal_seal(text: str) -> bytes:
    """Return the bytes to seal. Raise `IllegalMove` if the text is too long."""
    if len(value := text.encode()) > SEALED_MAX:
        raise IllegalMove(f"the text to seal has at most {SEALED_MAX} bytes")
    return value


@dataclass(frozen=True)
class Question:
    """A decision that the table waits for: a move, a choice about peeked cards, or something to seal."""

    duty: Duty
    view: View
    #: The peek to choose about, or None.
    peek: Peek | None
    #: The request to seal something, or None.
    seal: Seal | None = None


#: A move, as a message of the rules or as plain data; the chosen positions of a peek; or the bytes to seal.
Decision = Message | dict[str, Any] | tuple[int, ...] | bytes


@dataclass(frozen=True)
class Options:
    """What the person behind a participant may do now."""

    #: The move in the game that this seat can make, and whether the others wait for it.
    move: Duty | None = None
    must_move: bool = False
    #: The private choices about cards that this seat owes.
    choices: tuple[Duty, ...] = ()
    #: A card of this seat that does not open and can be disputed.
    unreadable: CardUnreadable | None = None
    #: A proof that the table waits for and this seat cannot give, because the claim is false. It can send nothing.
    unprovable: Duty | None = None
    #: The disputed hands that this person has not agreed to disclose yet.
    hands_to_disclose: tuple[int, ...] = ()
    #: The other seats that the table waits for.
    waiting_for: tuple[int, ...] = ()
    #: Whether this seat can vote to skip them, and to abort the hand.
    can_vote_skip: bool = False
    can_vote_abort: bool = False

    @property
    def required(self) -> Duty | None:
        """The duty that others wait for the person to decide: a private choice first, then a move."""
        return self.choices[0] if self.choices else self.move if self.must_move else None
