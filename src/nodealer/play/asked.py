"""What a table asks of a person, what the person may do, and what it can answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nodealer.cards import Peek, Seal
from nodealer.errors import CardUnreadable
from nodealer.games.view import View
from nodealer.protocols.base import Duty
from nodealer.wire import Message


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
