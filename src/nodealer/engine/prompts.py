"""Questions to a person, what the person may do, and checks of their answers.

Answers come from outside, from a page or a program. The `legal_*` functions check them and convert them to the form
that the log uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nodealer.cards.operations import SEALED_MAX, Look, Peek, Seal
from nodealer.errors import CardUnreadable, DecodeError, IllegalMove
from nodealer.games.base import Game
from nodealer.games.package import GamePackage
from nodealer.games.view import View
from nodealer.protocols.base import Duty
from nodealer.wire import Message, convert, encode


def legal_move(package: GamePackage | None, view: View, move: dict[str, Any]) -> Message | dict[str, Any]:
    """Return a move that arrived as plain data, with its fields in any order, as the game's own message.

    If the game uses no messages, return the data. Raise `IllegalMove` if the move is not legal.
    """
    refused: IllegalMove | None = None
    for made in _readings(package, view, move):
        try:
            if view.game is not None:
                view.game.moved(view.seat, encode(made))
            return made
        except IllegalMove as error:
            refused = refused or error
    raise refused or IllegalMove("this is not a move")


def _readings(package: GamePackage | None, view: View, move: dict[str, Any]) -> Iterator[Message | dict[str, Any]]:
    """Yield the messages that plain data can be. Raise `IllegalMove` if there are none.

    There is only one if the game declares its moves. Otherwise, these are the messages in its own modules with the
    same tag, then the data as it arrived.
    """
    if package is not None and package.moves is not None:
        try:
            yield convert(package.moves, move, what="the move")
        except DecodeError as error:
            raise IllegalMove(str(error)) from None
        return
    for kind in _messages_beside(view.game):
        if kind.__struct_config__.tag == move.get("type"):
            with suppress(DecodeError):
                yield convert(kind, move, what="the move")
    yield move


def _messages_beside(game: Game | None) -> Iterator[type[Message]]:
    """Yield every message type defined in the top-level package of a game."""
    home = type(game).__module__.partition(".")[0]
    kinds = Message.__subclasses__()
    for kind in kinds:
        kinds += kind.__subclasses__()
        if kind.__module__.partition(".")[0] == home:
            yield kind


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
