"""The plan of a game, from what a person has typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Raw

from nodealer.cli import text as phrases
from nodealer.cli.cheat_option import Cheating, parse_cheat
from nodealer.client.game_loader import load_game
from nodealer.client.setup import GameSetup, game_setup
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
from nodealer.protocols import PROTOCOLS, make_protocol

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")


@dataclass(frozen=True)
class PlayPlan:
    """The game to be played, with all its settings."""

    game: GamePackage
    #: Where the game is found, as a person would type it: bots have to find it too.
    place: str
    #: Its settings, as a person would type them.
    settings: Mapping[str, str]
    rules: Rules
    protocol: str
    names: tuple[str, ...]
    hands: int
    #: The parameters of the protocol, as canonical JSON.
    parameters: bytes = b"{}"
    #: What players should know before they begin.
    warning: str | None = None
    #: The bot that cheats.
    cheat: Cheating | None = None
    #: The time limits, or None without a clock.
    clock: Limits | None = None

    def __post_init__(self) -> None:
        """Refuse a number of players that the game or the protocol does not support."""
        GameSetup(self.rules, make_protocol(self.protocol, self.parameters)).refuse_seats(len(self.names))

    @property
    def expected(self) -> Expected:
        """The proposal that every player expects and will agree to."""
        protocol = make_protocol(self.protocol, self.parameters)
        return Expected(
            Part(self.rules.name, self.rules.version, Raw(self.rules.parameters)),
            Part(protocol.claims.name, protocol.claims.version, Raw(protocol.parameters)),
            self.rules.versions,
            self.sitting,
            self.hands,
            self.clock,
        )

    @property
    def sitting(self) -> tuple[str, ...]:
        """Return the names of all who have to come: the players, and the timekeeper."""
        return self.names if self.clock is None else (*self.names, KEEPER)

    def proposal(self, members: Sequence[Member]) -> Proposal:
        """Return the proposal for these members. It has time limits if one of them is a timekeeper."""
        clock = self.clock if any(member.role == TIMEKEEPER for member in members) else None
        protocol = make_protocol(self.protocol, self.parameters)
        return create_proposal(self.rules, protocol, members, hands=self.hands, clock=clock)


def create_plan(
    place: str,
    settings: Mapping[str, str],
    *,
    protocol: str | None = None,
    seats: int | None = None,
    hands: int | None = None,
    parameters: bytes | None = None,
    names: tuple[str, ...] | None = None,
    person: str | None = None,
    cheat: str | None = None,
    clock: Limits | None = None,
) -> PlayPlan:
    """Return the plan of a game. None means the game's default. Raises `BadParameter` for an impossible combination."""
    game = load_game(place)
    if game.bot is None:
        raise BadParameter(phrases.no_bots(game.name))
    if protocol is not None and protocol not in PROTOCOLS:
        raise BadParameter(describe_unknown("protocol", protocol, list(PROTOCOLS)))
    table, count = game_setup(game, settings, protocol, parameters), seats or game.seats
    made, protocol_name, used_parameters = table.protocol, table.protocol.claims.name, table.protocol.parameters
    who = names or _seat_names(count, person)
    cheating = None if cheat is None else parse_cheat(cheat, who, made)
    return PlayPlan(
        game,
        place,
        dict(settings),
        table.rules,
        protocol_name,
        who,
        hands or game.hands,
        used_parameters,
        made.claims.warning_at(count),
        cheating,
        clock,
    )


def _seat_names(count: int, person: str | None) -> tuple[str, ...]:
    """Return the names at the table. A person has the first seat."""
    first, *others = NAMES[:count]
    if person is None:
        return first, *others
    refuse_bad_name(person, phrases.YOUR_NAME)
    for other in (*others, KEEPER):
        if casefold_name(other) == casefold_name(person):
            raise BadParameter(phrases.name_of_a_bot(other))
    return person, *others
