"""The game that is being played: one record, built from options, from a page, or from disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import Raw

from nodealer.client.suggestions import describe_unknown
from nodealer.client.time_limits import KEEPER
from nodealer.engine.lobby import Expected
from nodealer.engine.resolve import create_proposal
from nodealer.errors import BadParameter
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.log.names import casefold_name, refuse_bad_name
from nodealer.log.roster import TIMEKEEPER, Member
from nodealer.log.session import Limits, Part, Proposal
from nodealer.protocols import PROTOCOLS, make_protocol, refuse_unserved
from nodealer.protocols.base import CardProtocol, Needs

#: The names at a table with bots. A person takes the place of the first.
BOT_NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")


@dataclass(frozen=True)
class TableSetup:
    """A game with all its settings, the protocol for its cards, and the table."""

    game: GamePackage
    #: Where the game is found, as a person would type it: bots have to find it too.
    place: str
    #: Its settings, as a person would type them.
    settings: Mapping[str, str]
    rules: Rules
    protocol: CardProtocol
    seats: int
    hands: int
    #: The time limits, or None without a clock.
    clock: Limits | None = None
    #: The players, if they are known before they come.
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a number of players that the game or the protocol does not support."""
        rules, seats = self.rules, self.seats
        refuse_unserved(self.protocol.claims, Needs(rules.name, seats, rules.deck_max, rules.operations))
        rules.begin(0, tuple(range(seats)), None, dict.fromkeys(range(seats), rules.stake))

    def with_names(self, names: tuple[str, ...]) -> TableSetup:
        """Return the setup for exactly these players."""
        return replace(self, seats=len(names), names=names)

    def with_bots(self, person: str | None = None) -> TableSetup:
        """Return the setup for bots and perhaps a person. Raise `BadParameter` if that is not possible."""
        refuse_without_bots(self.game)
        return self.with_names(_names_with_person(self.seats, person))

    @property
    def sitting(self) -> tuple[str, ...]:
        """Return the names of all who have to come: the players, and the timekeeper."""
        return self.names if self.clock is None else (*self.names, KEEPER)

    @property
    def expected(self) -> Expected:
        """The proposal that every player with a known name expects and will agree to."""
        claims = self.protocol.claims
        return Expected(
            Part(self.rules.name, self.rules.version, Raw(self.rules.parameters)),
            Part(claims.name, claims.version, Raw(self.protocol.parameters)),
            self.rules.versions,
            self.sitting,
            self.hands,
            self.clock,
        )

    def proposal(self, members: Sequence[Member]) -> Proposal:
        """Return the proposal for these members. It has time limits if one of them is a timekeeper."""
        clock = self.clock if any(member.role == TIMEKEEPER for member in members) else None
        return create_proposal(self.rules, self.protocol, members, hands=self.hands, clock=clock)


def refuse_without_bots(game: GamePackage) -> None:
    """Raise `BadParameter` for a game without bots, which only programs can play."""
    if game.bot is None:
        raise BadParameter(f"{game.name} has no bots; play it from a program, with the library")


def table_setup(
    game: GamePackage,
    settings: Mapping[str, str],
    *,
    place: str | None = None,
    protocol: str | None = None,
    parameters: bytes | None = None,
    seats: int | None = None,
    hands: int | None = None,
    clock: Limits | None = None,
) -> TableSetup:
    """Return the setup of a table. None means the game's default. Raise `BadParameter` if it is not possible."""
    name = protocol or game.protocol
    if name not in PROTOCOLS:
        raise BadParameter(describe_unknown("protocol", name, list(PROTOCOLS)))
    meant = game.protocol_parameters(name, settings)
    if parameters is not None and meant not in (b"{}", parameters):
        raise BadParameter("--parameters contradicts a setting of the game")
    return TableSetup(
        game,
        place or game.name,
        dict(settings),
        game.from_settings(settings),
        make_protocol(name, meant if parameters is None else parameters),
        seats or game.seats,
        hands or game.hands,
        clock,
    )


def _names_with_person(seats: int, person: str | None) -> tuple[str, ...]:
    """Return the names at a table with bots. A person has the first seat. Raise `BadParameter` for a bot's name."""
    first, *others = BOT_NAMES[:seats]
    if person is None:
        return first, *others
    refuse_bad_name(person, "your name")
    for other in (*others, KEEPER):
        if casefold_name(other) == casefold_name(person):
            raise BadParameter(f"{other} is the name of a bot at this table; choose another name")
    return person, *others
