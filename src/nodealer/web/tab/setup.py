"""The tables that a tab can host, and the setup of a table it was asked to host."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Final

import msgspec

from nodealer.client.lobby import ask_first
from nodealer.client.setup import TableSetup, table_setup
from nodealer.client.time_limits import MOVE, limits_for_people
from nodealer.errors import BadParameter, Declined
from nodealer.games.package import GamePackage
from nodealer.games.registry import DEFAULT_GAME, OURS, find_game
from nodealer.log.names import refuse_bad_name
from nodealer.log.session import Proposal
from nodealer.protocols import MODES
from nodealer.web.messages import GameOffer, Short
from nodealer.web.tab.opfs_store import StoredTable

#: The protocols a tab supports. `chain` uses 2048-bit numbers, for which browsers are too slow.
SUPPORTED_PROTOCOLS: Final = ("mask", "lock", "offset", "duel")
_Name = Annotated[str, msgspec.Meta(max_length=40)]


def ask_in_tab(proposal: Proposal) -> bool:
    """Raise `Declined` for a protocol that a tab does not support and for a rehearsal.

    Otherwise return False, which leaves the decision to the person.
    """
    decline_unsupported(proposal.protocol.name)
    return ask_first(proposal)


def decline_unsupported(protocol: str) -> None:
    """Raise `Declined` if a tab does not support this protocol."""
    if protocol not in SUPPORTED_PROTOCOLS:
        raise Declined(f"a browser tab does not support the protocol {protocol}, only {', '.join(SUPPORTED_PROTOCOLS)}")


# --- Offers ---


class CardsOffer(msgspec.Struct, frozen=True):
    """A way to deal the cards of a game: a protocol, its parameters, and its warning."""

    protocol: str
    parameters: str
    warning: str | None


class HostOffer(msgspec.Struct, frozen=True):
    """A game that can be hosted here."""

    game: GameOffer
    #: The first one is the game's default.
    cards: tuple[CardsOffer, ...]


class HostOffers(msgspec.Struct, frozen=True):
    """All games that can be hosted here, the default one, and the default seconds per move with a timekeeper."""

    games: tuple[HostOffer, ...]
    first: str
    move: int


def games_here() -> list[GamePackage]:
    """Return the games for people. Games without a bot are only played by programs."""
    games = [find_game(name) for name in sorted(OURS)]
    return [game for game in games if game.bot is not None and game.protocol in SUPPORTED_PROTOCOLS]


def game_here(name: str) -> GamePackage:
    """Return the game of this name. Raises `BadParameter` if it is not available in a tab."""
    if name not in OURS:
        raise BadParameter(f"{name} is not available here")
    return find_game(name)


def game_offer(game: GamePackage) -> GameOffer:
    """Describe a game and its settings."""
    settings = tuple((one.name, one.help, one.default) for one in game.settings)
    return GameOffer(game.name, game.words.note, game.seats, game.hands, settings)


def host_offers() -> HostOffers:
    """Describe what can be hosted here."""
    games = tuple(HostOffer(game_offer(game), tuple(_card_offers(game))) for game in games_here())
    return HostOffers(games, DEFAULT_GAME, int(MOVE))


def _card_offers(game: GamePackage) -> Sequence[CardsOffer]:
    """Return the protocols and parameters that work for a game, its own first."""
    protocols = [game.protocol, *(name for name in SUPPORTED_PROTOCOLS if name != game.protocol)]
    found = []
    for name in protocols:
        for parameters in MODES[name]:
            with suppress(BadParameter):
                setup = table_setup(game, game.settled({}), protocol=name, parameters=parameters)
                found.append(CardsOffer(name, parameters.decode(), setup.protocol.claims.warning))
    return found


# --- Requests ---


class HostRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request from the page to host a table."""

    name: _Name
    relay: Short
    page: Short
    game: Short
    seats: Annotated[int, msgspec.Meta(ge=2, le=9)]
    hands: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    settings: dict[Short, Short] = {}
    #: Null for the game's default.
    protocol: Short | None = None
    parameters: Short | None = None
    #: Seconds per move if there is a timekeeper. Null means that there is none.
    move: Annotated[float, msgspec.Meta(ge=1, le=86_400)] | None = None
    #: Whether to wait for a timekeeper before starting.
    awaits_keeper: bool = False


def read_host_request(text: str) -> HostRequest:
    """Decode a request to host. Raises `BadParameter`, or `DecodeError` if the name is not allowed."""
    try:
        request = msgspec.json.decode(text, type=HostRequest)
    except msgspec.MsgspecError as error:
        raise BadParameter(f"this table cannot be hosted: {error}") from None
    refuse_bad_name(request.name, "your name")
    return request


def hosted_table_of(request: HostRequest) -> StoredTable:
    """Return what a host has to store about the requested table.

    Raises `BadParameter` if it cannot be played, and `Declined` if a tab does not support its protocol.
    """
    hosted = StoredTable(
        game=request.game,
        settings=request.settings,
        seats=request.seats,
        hands=request.hands,
        protocol=request.protocol,
        parameters=request.parameters,
        clock=None if request.move is None else limits_for_people(request.move),
        awaits_keeper=request.awaits_keeper and request.move is not None,
    )
    setup_of(hosted)
    return hosted


def setup_of(hosted: StoredTable) -> TableSetup:
    """Return the setup of a table that is hosted here.

    Raises `BadParameter` if it cannot be played, and `Declined` if a tab does not support its protocol.
    """
    game = game_here(hosted.game)
    decline_unsupported(hosted.protocol or game.protocol)
    return table_setup(
        game,
        game.settled(hosted.settings),
        protocol=hosted.protocol,
        parameters=None if hosted.parameters is None else hosted.parameters.encode(),
        seats=hosted.seats,
        hands=hosted.hands,
        clock=hosted.clock,
    )
