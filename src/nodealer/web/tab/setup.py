"""What a tab plays: what there is to be hosted, and what was asked for, made ready."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Final

import msgspec

from nodealer.client.lobby import ask_first
from nodealer.client.setup import GameSetup, game_setup
from nodealer.client.time_limits import MOVE, limits_of
from nodealer.engine.resolve import proposal_of
from nodealer.errors import BadParameter, Declined
from nodealer.games.package import GamePackage
from nodealer.games.registry import DEFAULT_GAME, OURS, find_game
from nodealer.log.names import refuse_bad_name
from nodealer.log.roster import TIMEKEEPER, Member
from nodealer.log.session import Limits, Proposal
from nodealer.protocols import MODES
from nodealer.web.messages import GameOffer, Short
from nodealer.web.tab.opfs_store import HostedTable

#: What a tab plays. `chain` computes with numbers of 2048 bits, for which a browser has nothing that is fast enough.
SERVED: Final = ("mask", "lock", "offset", "duel")
_Name = Annotated[str, msgspec.Meta(max_length=40)]


def ask_in_tab(proposal: Proposal) -> bool:
    """Decline what a tab cannot play, or nobody should, and leave the rest to the person."""
    decline_unserved(proposal.protocol.name)
    return ask_first(proposal)


def decline_unserved(protocol: str) -> None:
    """Raise `Declined` for a protocol that a tab has not got."""
    if protocol not in SERVED:
        raise Declined(f"the cards are dealt by {protocol}, and a browser tab can serve {', '.join(SERVED)}")


# --- What there is ---


class CardsOffer(msgspec.Struct, frozen=True):
    """How the cards of a game can be dealt: a protocol, its parameters, and what it warns of."""

    protocol: str
    parameters: str
    warning: str | None


class HostOffer(msgspec.Struct, frozen=True):
    """A game that can be hosted here."""

    game: GameOffer
    #: The first one is the game's own.
    cards: tuple[CardsOffer, ...]


class HostOffers(msgspec.Struct, frozen=True):
    """All of them, which is the first one, and how many seconds a move has where somebody keeps the time."""

    games: tuple[HostOffer, ...]
    first: str
    move: int


def games_here() -> list[GamePackage]:
    """The games that people play here. One without a bot is played by programs only."""
    games = [find_game(name) for name in sorted(OURS)]
    return [game for game in games if game.bot is not None and game.protocol in SERVED]


def game_offer(game: GamePackage) -> GameOffer:
    """A game, with what can be set."""
    settings = tuple((one.name, one.help, one.default) for one in game.settings)
    return GameOffer(game.name, game.words.note, game.seats, game.hands, settings)


def host_offers() -> HostOffers:
    """What can be hosted here."""
    games = tuple(HostOffer(game_offer(game), tuple(_cards(game))) for game in games_here())
    return HostOffers(games, DEFAULT_GAME, int(MOVE))


def _cards(game: GamePackage) -> Sequence[CardsOffer]:
    own = [game.protocol, *(name for name in SERVED if name != game.protocol)]
    found = []
    for name in own:
        for parameters in MODES[name]:
            with suppress(BadParameter):
                made = game_setup(game, game.settled({}), name, parameters)
                made.refuse_seats(game.seats)
                warning = made.protocol.claims.cost.get("warning")
                found.append(CardsOffer(name, parameters.decode(), warning))
    return found


# --- What was asked for ---


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page wants to host."""

    name: _Name
    relay: Short
    page: Short
    game: Short
    seats: Annotated[int, msgspec.Meta(ge=2, le=9)]
    hands: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    settings: dict[Short, Short] = {}
    #: Null for the game's own.
    protocol: Short | None = None
    parameters: Short | None = None
    #: Seconds for a move where somebody keeps the time; null where nobody shall.
    move: Annotated[float, msgspec.Meta(ge=1, le=86_400)] | None = None
    #: Whether to begin only when somebody has come to keep the time.
    awaits_keeper: bool = False


def read_wish(text: str) -> Wish:
    """What a page wants. Raises `BadParameter`, or `DecodeError` for a name that nobody may have."""
    try:
        wish = msgspec.json.decode(text, type=Wish)
    except msgspec.MsgspecError as error:
        raise BadParameter(f"that cannot be hosted: {error}") from None
    refuse_bad_name(wish.name, "your name")
    return wish


def hosted_of(wish: Wish) -> HostedTable:
    """What a host keeps of it. Raises `BadParameter` for what cannot be played, and `Declined` for cards that a tab
    cannot serve."""
    hosted = HostedTable(
        game=wish.game,
        settings=wish.settings,
        seats=wish.seats,
        hands=wish.hands,
        protocol=wish.protocol,
        parameters=wish.parameters,
        clock=None if wish.move is None else limits_of(wish.move),
        awaits_keeper=wish.awaits_keeper and wish.move is not None,
    )
    TabPlan(hosted)
    return hosted


class TabPlan:
    """What a host in a tab proposes. Raises `BadParameter` for what cannot be."""

    def __init__(self, hosted: HostedTable) -> None:
        if hosted.game not in OURS:
            raise BadParameter(f"{hosted.game} is not on offer")
        game = find_game(hosted.game)
        parameters = None if hosted.parameters is None else hosted.parameters.encode()
        self.made: GameSetup = game_setup(game, game.settled(hosted.settings), hosted.protocol, parameters)
        decline_unserved(self.made.protocol.claims.name)
        self.made.refuse_seats(hosted.seats)
        self.clock: Limits | None = hosted.clock
        self._hands = hosted.hands

    def proposal(self, members: Sequence[Member]) -> Proposal:
        """What these are asked to agree to. There are limits of time if one of them is to keep it."""
        clock = self.clock if any(member.role == TIMEKEEPER for member in members) else None
        return proposal_of(self.made.rules, self.made.protocol, members, hands=self._hands, clock=clock)
