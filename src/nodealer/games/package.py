"""A game as one package: everything that a table, a command line or a page wants to know of it.

What is found by its name is a `GamePackage`. Only its rules judge anything; the rest is for people and for bots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nodealer.cards import Look, Peek, Seal
from nodealer.errors import BadParameter
from nodealer.games.base import Entropy, Game, Rules
from nodealer.games.view import View, plain_page
from nodealer.games.words import Words
from nodealer.wire import Message


@dataclass(frozen=True)
class Setting:
    """Something that a person may set before a game begins, and what it is otherwise, as a person types it."""

    name: str
    help: str
    default: str


class Bot:
    """Something that moves for a seat. It sees no more than a person does."""

    def move(self, view: View) -> Message:
        """A legal move for the seat whose turn it is."""
        raise NotImplementedError

    def choose(self, view: View, peek: Peek) -> tuple[int, ...]:
        """A private choice about cards that it looked at: the one to keep, or all in the order they go back."""
        seen = tuple(view.seen_in(peek.deck))
        return seen[:1] if peek.then is Look.TAKE else seen

    def seal(self, view: View, seal: Seal) -> bytes:
        """What it seals, in the form that its game reads."""
        return b""


@dataclass(frozen=True)
class Export:
    """Finished hands in a format that other programs read."""

    format: str
    #: A finished hand with the names of its players, or None for one that has no place in the format.
    hand: Callable[[Game, Mapping[int, str]], Any]
    #: All of them as one text.
    text: Callable[[Sequence[Any]], str]


@dataclass(frozen=True)
class Measured:
    """How whole games are measured: settings with which nobody is out early, and a bot that does not think."""

    seats: int
    settings: Mapping[str, str]
    bot: Callable[[Entropy], Bot]


def _no_protocol_parameters(protocol: str, settings: Mapping[str, str]) -> bytes:
    return b"{}"


@dataclass(frozen=True)
class GamePackage:
    """A game, for everybody who is not one."""

    name: str
    version: int
    #: The rules of a session, from what its players agreed on. Raises `DecodeError` or `BadParameter`.
    rules: Callable[[bytes], Rules]
    #: The rules that a person wants, from all settings as they were typed. Raises `BadParameter`.
    from_settings: Callable[[Mapping[str, str]], Rules]
    settings: tuple[Setting, ...] = ()
    #: What it is played on, by how many and how often, unless somebody says otherwise.
    protocol: str = "mask"
    seats: int = 2
    hands: int = 1
    #: What the settings mean for the card protocol, as canonical JSON. Raises `BadParameter`.
    protocol_parameters: Callable[[str, Mapping[str, str]], bytes] = _no_protocol_parameters
    bot: Callable[[Entropy], Bot] | None = None
    words: Words = field(default_factory=Words)
    #: What a person sees as plain JSON; its "version" is that of the form of this document.
    page: Callable[[View], dict[str, Any]] = plain_page
    #: The Python package that has the game's own table for the browser: table.js and table.css. None for the plain one.
    table: str | None = None
    export: Export | None = None
    measured: Measured | None = None

    def settled(self, given: Mapping[str, str]) -> dict[str, str]:
        """All settings, those that were given and the others as they are by themselves."""
        known = {setting.name: setting.default for setting in self.settings}
        for name in given:
            if name not in known:
                has = ", ".join(f"--{known}" for known in known) or "none"
                raise BadParameter(f"--{name} is no setting of {self.name}; it has: {has}")
        return known | dict(given)

    def new_bot(self, entropy: Entropy) -> Bot:
        """A bot for one seat."""
        if self.bot is None:
            raise BadParameter(f"{self.name} has no bot")
        return self.bot(entropy)

    @property
    def listens(self) -> bool:
        """Whether it understands what a person types."""
        return type(self.words).read is not Words.read


def whole_number(name: str, text: str) -> int:
    """A setting that is a number. Raises `BadParameter`."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise BadParameter(f"--{name} is a whole number, not {text!r}")
    return int(text)
