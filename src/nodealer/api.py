"""The library for game developers: `nodealer.table` for a table in one process, `nodealer.Player` for a transport
of your own, `nodealer.verify` for a saved log. Everything behind it is in the rooms `play`, `games` and `audit`.

Both kinds of table play the game "free": every request is a signed entry of the log, so what happened can be verified
by anybody, and what it means for your game is yours to say.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from nodealer.audit.verify import Report, verify_file
from nodealer.cards import Capability
from nodealer.errors import (
    BadParameter,
    Declined,
    IllegalMove,
    JournalLost,
    LogsParted,
    NodealerError,
    PeerFault,
)
from nodealer.games import free
from nodealer.games.free import Free, FreeHand
from nodealer.keys import Identity
from nodealer.log.file import save_log
from nodealer.log.names import refuse_bad_name
from nodealer.log.session import Proposal
from nodealer.play.config import proposal_of
from nodealer.play.frames import Refuses
from nodealer.play.home import Home, MemoryHome
from nodealer.play.lobby import Accept, decline_rehearsals
from nodealer.play.participant import Diverged, Happened, Participant, Silenced
from nodealer.play.phases import Phase
from nodealer.protocols import make_protocol
from nodealer.tape import ROOT_BYTES
from nodealer.wire import CARDS_MAX, encode

__all__ = ["Face", "Player", "Table", "table", "verify"]

#: What is on a card: the name it was given, or its number in the deck.
Face: TypeAlias = str | int


class Player:
    """One player: bytes in, bytes out. No socket, no thread, no clock.

    Your transport brings every frame to every player, the sender too, in one and the same order. Whatever a method
    returns is to be sent. Secrets never leave this object.
    """

    def __init__(self, name: str, *, home: Home | None = None, accept: Accept | None = None) -> None:
        """`accept` looks at a proposal before this player commits to it, and raises `Declined` to decline.

        Without one, a player takes only what is secret: no rehearsal, no other game than "free", and no protocol that
        comes with a warning. Without a home everything is kept in memory.
        """
        refuse_bad_name(name, "the name of this player")
        self.name = name
        if home is None:
            home = MemoryHome(name, Identity(secrets.token_bytes(32)), secrets.token_bytes(ROOT_BYTES))
        self._stays = True
        self._me = Participant(
            home,
            entropy=secrets.token_bytes,
            accept=accept or accept_without_warnings,
            stays=lambda state: self._stays,
        )
        self._received = 0
        #: How many faults were told by an error, and what was to be sent when the last one was.
        self._told = 0
        self._unsent: list[bytes] = []

    # --- Bytes ---

    def hello(self) -> bytes:
        """The first frame: my name and my public keys."""
        return self._me.lobby.offer()

    def propose(self, *, protocol: str = "mask", cards: int = CARDS_MAX) -> bytes:
        """Everybody has said hello: let us begin. One player sends this; `cards` is the largest deck."""
        served = make_protocol(protocol)
        offered = served.claims.operations & frozenset(free.OPERATIONS)
        rules = Free(min(cards, served.claims.cards[1]), offered | {Capability.SHARED_DECK})
        members = [offer.seated(seat) for seat, offer in enumerate(self._me.offers)]
        (frame,) = self._me.propose(proposal_of(rules, served, members))
        return frame

    def receive(self, frame: bytes) -> list[bytes]:
        """The next frame of the order. What nobody could have sent honestly is passed over, and changes nothing.

        Raises `Declined` for a proposal that this player does not agree to, and `PeerFault` when the log proves that a
        player cheated: the game is over, and `save` keeps the evidence. Raises `LogsParted` when a player has signed on
        another log than this one: the transport has two orders, or that player lies. `JournalLost` says that this
        player signs nothing any more. What was to be sent then comes with the next frame.

        A player that comes back with its home gets every frame again, from the first one on.
        """
        step = self._me.receive(frame, self._received)
        self._received += 1
        for news in step.happened:
            if (error := _raised(news)) is not None:
                self._unsent += step.send
                raise error
        return self._checked(step.send)

    def _checked(self, sent: Iterable[bytes]) -> list[bytes]:
        faults = self._me.replica.state.faults if self._me.begun else ()
        if len(faults) > self._told:
            fault, self._told = faults[self._told], self._told + 1
            self._unsent += sent
            raise PeerFault(-1 if fault.seat is None else fault.seat, fault.reason, fault.entry)
        unsent, self._unsent = self._unsent, list[bytes]()
        return [*unsent, *sent]

    # --- What to ask for ---

    def shuffle(self, cards: int | Sequence[str], deck: int = 0) -> bytes:
        """A new deck: so many cards, or cards with these names."""
        if isinstance(cards, int):
            return self._move(free.Shuffle(deck, cards))
        return self._move(free.Shuffle(deck, len(cards), tuple(cards)))

    def deal(self, portions: Mapping[str, int], deck: int = 0) -> bytes:
        """The next cards to players by name, served in this order."""
        seats = {name: seat for seat, name in self.names.items()}
        unknown = [name for name in portions if name not in seats]
        if unknown:
            raise BadParameter(f"nobody here is called {unknown[0]!r}")
        return self._move(free.DealCards(deck, tuple((seats[name], count) for name, count in portions.items())))

    def open(self, count: int = 1, deck: int = 0) -> bytes:
        """The next cards for all to see."""
        return self._move(free.OpenCards(deck, count))

    def show(self, deck: int = 0) -> bytes:
        """My cards for all to see."""
        hidden = tuple(position for position in self._mine(deck) if (deck, position) not in self._hand.opened)
        return self._move(free.ShowCards(deck, hidden))

    def give_back(self, deck: int = 0, *, shuffled: bool = True) -> bytes:
        """My cards back into the deck, shuffled in, or away from it for good."""
        return self._move(free.GiveBack(deck, tuple(self._mine(deck)), "shuffled" if shuffled else "discard"))

    def finish(self) -> bytes:
        """The hand is over."""
        return self._move(free.Finish())

    def leave(self) -> list[bytes]:
        """Do not begin another hand: sign the end of the log as soon as this one is over."""
        self._stays = False
        return self._me.due()

    # --- What I see ---

    @property
    def ready(self) -> bool:
        """Whether something can be asked for now."""
        return self._me.options().move is not None

    @property
    def in_hand(self) -> bool:
        """Whether a hand has begun, so that there are cards to look at."""
        return self._me.begun and isinstance(self._me.replica.state.hand.game, FreeHand)

    @property
    def ended(self) -> bool:
        """Whether every player has signed the end."""
        return self._me.begun and self._me.replica.state.phase is Phase.ENDED

    @property
    def names(self) -> dict[int, str]:
        """Seat to name."""
        return {member.seat: member.name for member in self._me.members}

    def hand(self, deck: int = 0) -> list[Face]:
        """The cards I hold, read with my own secrets."""
        mine = self._mine(deck)
        known = {card.position: face for card, face in self._me.seat.cards().items() if card.deck == deck}
        return [self._hand.face(deck, known[position]) for position in mine]

    def opened(self, deck: int = 0) -> list[Face]:
        """The cards on the table, open and in nobody's hand, in the order in which they were opened."""
        game = self._hand
        spots = [(spot, face) for spot, face in game.opened.items() if spot[0] == deck and spot not in game.held]
        return [game.face(deck, face) for _, face in spots]

    def shown(self, name: str, deck: int = 0) -> list[Face]:
        """The cards that a player holds and has shown."""
        game, names = self._hand, self.names
        return [
            game.face(deck, face)
            for spot, face in game.opened.items()
            if spot[0] == deck and spot in game.held and names[game.held[spot]] == name
        ]

    def save(self, path: str | Path) -> None:
        """Write the log as far as I have seen it."""
        replica = self._me.replica
        save_log(Path(path), replica.config.session, replica.entries)

    # --- Inside ---

    @property
    def _hand(self) -> FreeHand:
        game = self._me.replica.state.hand.game
        if not isinstance(game, FreeHand):
            raise IllegalMove("no hand has begun yet")
        return game

    def _mine(self, deck: int) -> list[int]:
        return [at for (on, at), holder in self._hand.held.items() if (on, holder) == (deck, self._me.seat.number)]

    def _move(self, move: free.Move) -> bytes:
        # What the sender of a false number would learn too late: an entry that every other seat refuses.
        free.read_move(encode(move))
        (frame,) = self._me.move(move)
        return frame


def _raised(news: Happened) -> NodealerError | None:
    """What a player must hear of, though it asked for nothing."""
    match news:
        case Refuses(mine=True):
            return Declined(news.reason)
        case Diverged():
            return LogsParted(news.seat, news.theirs, news.ours)
        case Silenced():
            return JournalLost(news.reason)
        case _:
            return None


def accept_without_warnings(proposal: Proposal) -> None:
    """What a player agrees to who has said nothing else."""
    decline_rehearsals(proposal)
    if proposal.game.name != Free.name:
        raise Declined(f"the proposed game is {proposal.game.name!r}, and here is a player of {Free.name!r}")
    part = proposal.protocol
    warning = make_protocol(part.name, bytes(part.parameters)).claims.cost.get("warning")
    if warning is not None:
        raise Declined(f"the proposed protocol is {part.name}, which warns: {warning}")


class Table:
    """Players in one process, who still trust nobody: each has its own secrets and checks everything."""

    def __init__(self, names: Sequence[str], *, protocol: str = "mask", cards: int = CARDS_MAX) -> None:
        # Who makes the table has chosen its protocol, warnings and all.
        self.players = {name: Player(name, accept=decline_rehearsals) for name in names}
        if len(self.players) != len(names) or len(names) < 2:
            raise BadParameter("a table needs at least two players with different names")
        self._first = self.players[names[0]]
        self._carry(*(player.hello() for player in self.players.values()))
        self._carry(self._first.propose(protocol=protocol, cards=cards))

    def shuffle(self, cards: int | Sequence[str] = 52, deck: int = 0) -> None:
        """A new deck, shuffled by all players: so many cards, or cards with these names."""
        self._ask(lambda: self._first.shuffle(cards, deck))

    def deal(self, portions: Mapping[str, int] | None = None, *, deck: int = 0, **by_name: int) -> None:
        """The next cards to players: `deal(Ada=2, Ben=1)`. Each sees only their own."""
        self._ask(lambda: self._first.deal({**(portions or {}), **by_name}, deck))

    def open(self, count: int = 1, *, deck: int = 0) -> list[Face]:
        """The next cards for all to see, and what they are."""
        before = len(self._first.opened(deck))
        self._ask(lambda: self._first.open(count, deck))
        return self._first.opened(deck)[before:]

    def show(self, name: str, *, deck: int = 0) -> list[Face]:
        """A player's cards for all to see, and what they are."""
        player = self._player(name)
        self._ask(lambda: player.show(deck))
        return self._first.shown(name, deck)

    def give_back(self, name: str, *, deck: int = 0, shuffled: bool = True) -> None:
        """A player's cards back into the deck, or away."""
        player = self._player(name)
        self._ask(lambda: player.give_back(deck, shuffled=shuffled))

    def hand(self, name: str, *, deck: int = 0) -> list[Face]:
        """What this player sees of their cards, and nobody else does."""
        return self._player(name).hand(deck)

    def next_hand(self) -> None:
        """End this hand and begin another, with new secrets."""
        self._ask(self._first.finish)

    def close(self) -> None:
        """End the game: every player signs the end of the log."""
        if not self._first.ended:
            self._carry(*(frame for player in self.players.values() for frame in player.leave()))
            if self._first.ready:
                self._ask(self._first.finish)

    def save(self, path: str | Path) -> None:
        """End the game and write its log, which proves it to anybody."""
        self.close()
        self._first.save(path)

    def _player(self, name: str) -> Player:
        if name not in self.players:
            raise BadParameter(f"nobody here is called {name!r}")
        return self.players[name]

    def _ask(self, request: Callable[[], bytes]) -> None:
        if self._first.ended:
            raise IllegalMove("the game is over: its end is signed")
        self._carry(request())

    def _carry(self, *frames: bytes) -> None:
        """The transport: one queue is one order."""
        waiting = deque(frames)
        while waiting:
            frame = waiting.popleft()
            for player in self.players.values():
                waiting.extend(player.receive(frame))


def table(names: Sequence[str], *, protocol: str = "mask", cards: int = CARDS_MAX) -> Table:
    """Sit players down at a new table in this process. `cards` is the largest deck they will use."""
    return Table(names, protocol=protocol, cards=cards)


def verify(path: str | Path) -> Report:
    """Audit a saved log: `.verdict` is "clean", "fault", "broken", "incomplete" or "not-a-log"."""
    return verify_file(Path(path), entropy=secrets.token_bytes)
