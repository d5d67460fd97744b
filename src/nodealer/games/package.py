"""A game as one package: everything that a table, the command line or the page needs to know about it.

Looking up a game by name returns a `GamePackage`. Only its rules decide anything; the rest is for people and bots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import Any

from nodealer.cards.operations import Look, Peek, Seal
from nodealer.errors import BadParameter
from nodealer.games.base import Entropy, Game, Rules
from nodealer.games.text import Words
from nodealer.games.view import View, plain_page
from nodealer.wire import Message


@dataclass(frozen=True)
class Setting:
    """An option that players can set before a game begins. `default` is text, as a person would type it."""

    name: str
    help: str
    default: str


class Bot:
    """A program that plays a seat. It sees no more than a person would."""

    def move(self, view: View) -> Message:
        """Return a legal move for the seat whose turn it is."""
        raise NotImplementedError

    def choose(self, view: View, peek: Peek) -> tuple[int, ...]:
        """Choose among the cards looked at: return the position to take, or all positions in their new order."""
        seen = tuple(view.seen_in(peek.deck))
        return seen[:1] if peek.then is Look.TAKE else seen

    def seal(self, view: View, seal: Seal) -> bytes:
        """Return the value to seal, in the form the game reads."""
        return b""


@dataclass(frozen=True)
class Export:
    """Export of finished hands in a format that other programs read."""

    format: str
    #: Convert a finished hand, with the names of its players. Returns None if the format cannot represent it.
    hand: Callable[[Game, Mapping[int, str]], Any]
    #: Join all converted hands into one text.
    text: Callable[[Sequence[Any]], str]


@dataclass(frozen=True)
class Measured:
    """A benchmark setup: settings with which no player is out early, and a bot that decides at once."""

    seats: int
    settings: Mapping[str, str]
    bot: Callable[[Entropy], Bot]


def _no_protocol_parameters(protocol: str, settings: Mapping[str, str]) -> bytes:
    """Return empty parameters: by default, the settings of a game do not change its protocol."""
    return b"{}"


@dataclass(frozen=True)
class GamePackage:
    """A game with everything around its rules: settings, bot, texts, page and export."""

    name: str
    version: int
    #: Make the rules from the parameters that a session agreed on. Raises `DecodeError` or `BadParameter`.
    rules: Callable[[bytes], Rules]
    #: Make the rules from all settings, as they were typed. Raises `BadParameter`.
    from_settings: Callable[[Mapping[str, str]], Rules]
    settings: tuple[Setting, ...] = ()
    #: Defaults: the card protocol, the number of seats and the number of hands.
    protocol: str = "mask"
    seats: int = 2
    hands: int = 1
    #: Make the card protocol's parameters from the settings, as canonical JSON. Raises `BadParameter`.
    protocol_parameters: Callable[[str, Mapping[str, str]], bytes] = _no_protocol_parameters
    #: The type of the game's moves: a message, or a union of tagged messages. Pages and programs send a move as plain
    #: data, which is decoded into this type. Without it, the messages in the game's own modules are tried.
    moves: type[Message] | UnionType | None = None
    bot: Callable[[Entropy], Bot] | None = None
    words: Words = field(default_factory=Words)
    #: Return a view as plain JSON. Its "version" is the version of this document's format.
    page: Callable[[View], dict[str, Any]] = plain_page
    #: The Python package with the game's own browser table: table.js and table.css. None for the plain table.
    table: str | None = None
    export: Export | None = None
    measured: Measured | None = None

    def settled(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return all settings: those given, and defaults for the rest. Raises `BadParameter` for an unknown name."""
        known = {setting.name: setting.default for setting in self.settings}
        for name in given:
            if name not in known:
                has = ", ".join(f"--{known}" for known in known) or "none"
                raise BadParameter(f"{self.name} has no setting --{name}; its settings: {has}")
        return known | dict(given)

    def new_bot(self, entropy: Entropy) -> Bot:
        """Create a bot for one seat. Raises `BadParameter` if the game has none."""
        if self.bot is None:
            raise BadParameter(f"{self.name} has no bot")
        return self.bot(entropy)

    @property
    def listens(self) -> bool:
        """True if the game can read moves that a person types."""
        return type(self.words).read is not Words.read


def whole_number(name: str, text: str) -> int:
    """Parse a setting that is a whole number. Raise `BadParameter` if it is not one."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise BadParameter(f"--{name} must be a whole number, not {text!r}")
    return int(text)
