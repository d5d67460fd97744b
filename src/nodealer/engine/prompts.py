"""What somebody outside answers to a question, a page or a program: checked and brought into the form of the log.

What a table asks of a person, what the person may do, and what it can answer.
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

#: The most fields of a move whose order is looked for.
FIELDS_MAX: Final = 6


def legal_move(view: View, move: dict[str, Any]) -> dict[str, Any]:
    """The move as the log has it. Raises `IllegalMove`, with what is wrong with the fields in the order they came.

    The fields of a JSON object have no order, and those of an entry have one. Only the game knows which.
    """
    if len(move) > FIELDS_MAX:
        raise IllegalMove(f"no move has {len(move)} fields")
    refused: IllegalMove | None = None
    for fields in permutations(sorted(move.items(), key=lambda field: field[0] != "type")):
        ordered = dict(fields)
        try:
            if view.game is not None:
                view.game.moved(view.seat, encode(ordered))
            return ordered
        except IllegalMove as error:
            refused = refused or error
    raise refused or IllegalMove("this is no move")


def legal_choice(view: View, peek: Peek, choose: tuple[int, ...]) -> tuple[int, ...]:
    """The positions that were chosen of the cards that were looked at. Raises `IllegalMove`."""
    seen = sorted(view.seen_in(peek.deck))
    if peek.then is Look.TAKE and not (len(choose) == 1 and choose[0] in seen):
        raise IllegalMove(f"choose one of the positions {seen}")
    if peek.then is not Look.TAKE and sorted(choose) != seen:
        first = "the one to keep first" if peek.then is Look.KEEP else "the one on top first"
        raise IllegalMove(f"choose all of the positions {seen}, {first}")
    return choose


def legal_seal(text: str) -> bytes:
    """What is sealed. Raises `IllegalMove`."""
    if len(value := text.encode()) > SEALED_MAX:
        raise IllegalMove(f"what is sealed has at most {SEALED_MAX} bytes")
    return value


@dataclass(frozen=True)
class Question:
    """What a table waits for from a person: a move, a choice about cards that were looked at, or what to seal."""

    duty: Duty
    view: View
    #: What was looked at and has to be chosen about; None for all else.
    peek: Peek | None
    #: What something is to be sealed for; None for all else.
    seal: Seal | None = None


#: A move in the game, as a message of its rules or as plain data; which of the cards that were looked at; what to seal.
Decision = Message | dict[str, Any] | tuple[int, ...] | bytes


@dataclass(frozen=True)
class Options:
    """What the person of a participant may do now."""

    #: The move in the game that this seat can make, and whether the others wait for it.
    move: Duty | None = None
    must_move: bool = False
    #: The private choices about cards that are owed.
    choices: tuple[Duty, ...] = ()
    #: A card that was given to this seat and does not open: a reason to claim.
    unreadable: CardUnreadable | None = None
    #: What the table waits for this seat to prove of its cards, and is not so: nothing can be sent.
    unprovable: Duty | None = None
    #: The hands that somebody disputes and whose books this person has not agreed to open.
    books: tuple[int, ...] = ()
    #: The other seats that hold the table up.
    waiting_for: tuple[int, ...] = ()
    #: Whether this seat has a word on going on without them, and on breaking off.
    may_vote: bool = False
    may_break: bool = False

    @property
    def asked(self) -> Duty | None:
        """What the others wait for: a private choice first, then a move."""
        return self.choices[0] if self.choices else self.move if self.must_move else None
