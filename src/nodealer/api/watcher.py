"""One who watches a table: bytes in, events out. A player is one who also sits at it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from nodealer.api.event_stream import EventStream
from nodealer.api.requests import FreeTable
from nodealer.api.status import holding_up, named, names_of, stopped
from nodealer.client.folder_store import FolderStore, open_or_create_store
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.resolve import Parts, parts_of
from nodealer.engine.store import MemoryPlayerStore, PlayerStore
from nodealer.errors import BadParameter, IllegalMove
from nodealer.events import Event, Face
from nodealer.games.base import Game
from nodealer.games.package import GamePackage
from nodealer.games.registry import resolve_game
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.file import save_log
from nodealer.log.session import Proposal
from nodealer.tape import ROOT_BYTES


class Watcher:
    """Somebody who watches: no seat, no secrets, and everything checked. No socket, no thread, no clock."""

    def __init__(self, *, games: Iterable[str | GamePackage] = (), home: PlayerStore | None = None) -> None:
        """`games` are those that are not installed here, as packages or as "module:attribute"."""
        self._sit(home or in_memory(None), games)

    def _sit(self, home: PlayerStore, games: Iterable[str | GamePackage], *, keeps_time: bool = False) -> None:
        packages = [resolve_game(game) if isinstance(game, str) else game for game in games]
        self._games = {package.name: package for package in packages}
        self._home = home
        self._stays = True
        self._me = Participant(
            home,
            entropy=secrets.token_bytes,
            accept=self._looks_at,
            stays=lambda state: self._stays and stay_while_playable(state),
            parts=self._parts,
            keeps_time=keeps_time,
        )
        self._teller = EventStream(self._me)
        self._events: list[Event] = [*self._teller.asked()]

    def _parts(self, proposal: Proposal) -> Parts:
        return parts_of(proposal, game=self._games.get(proposal.game.name))

    def _looks_at(self, proposal: Proposal) -> None:
        """Nobody asks one who watches."""

    @classmethod
    def open(cls, folder: str | Path, *, games: Iterable[str | GamePackage] = ()) -> Self:
        """One who keeps what it has seen in a folder, and comes back to it. A folder is for one table."""
        with ExitStack() as held:
            home = held.enter_context(open_or_create_store(Path(folder), None, secrets.token_bytes))
            if home.name is not None:
                raise BadParameter(f"{folder} is the home of {home.name}, who plays")
            watcher = cls(games=games, home=home)
            held.pop_all()
        return watcher

    def close(self) -> None:
        """Let another program have the folder. Without a folder this does nothing."""
        if isinstance(self._home, FolderStore):
            self._home.close()

    # --- Bytes ---

    def receive(self, frame: bytes, number: int | None = None) -> list[bytes]:
        """The next frame of the order; what is returned is to be sent. What nobody could have sent honestly is passed
        over, and changes nothing.

        `number` says which frame of the order it is, from 0, where the transport knows. Then frames may come again or
        too soon.
        """
        step = self._me.receive(frame, self._me.expects if number is None else number)
        self._events += self._teller.tell(step.happened)
        self._events += self._teller.asked()
        return list(step.send)

    def resend(self, known: int | None = None) -> list[bytes]:
        """What to send over a new connection: what was said and has not come back. Over the first one it says hello.

        `known` is how many frames the order has, where the transport can tell. Then nothing is signed before all of
        them have come: this folder might be an old copy. `missing` says how many have not.
        """
        return self._me.resend(known)

    @property
    def missing(self) -> int:
        """How many frames have not come of those that the transport said there are. A transport that says too much, and
        brings less, keeps a player silent: say so after a while."""
        return self._me.missing

    @property
    def expects(self) -> int:
        """How many frames have come: the number of the next one. One who comes back hears all of them again."""
        return self._me.expects

    # --- What happens ---

    def events(self) -> list[Event]:
        """What happened since this was last asked."""
        told, self._events = self._events, []
        return told

    @property
    def came(self) -> list[str]:
        """Who has said hello, in the order in which they did."""
        return [offer.name for offer in self._me.offers]

    @property
    def names(self) -> dict[int, str]:
        """Who sits at the table: seat to name, as rules and views count them."""
        return {member.seat: member.name for member in self._me.members}

    @property
    def words(self) -> tuple[str, ...]:
        """Three words that are the same for everybody at this table, and at no other. Compare them by voice."""
        return self._me.words

    def words_of(self, name: str) -> tuple[str, ...]:
        """Six words of a player's key."""
        return self._me.words_of(self._seat_of(name))

    @property
    def agreed(self) -> bool:
        """Whether the players have agreed on what they play."""
        return self._me.begun

    @property
    def in_hand(self) -> bool:
        """Whether a hand is played, so that there are cards to look at."""
        return self._me.begun and self._me.replica.state.phase is Phase.PLAYING

    @property
    def ended(self) -> bool:
        """Whether everybody has signed the end."""
        return self._me.begun and self._me.replica.state.phase is Phase.ENDED

    @property
    def stopped(self) -> str | None:
        """Why no further hand begins, where that is so: somebody was found at fault, or too few are left."""
        return self._me.silenced or (stopped(self._me.replica) if self._me.begun else None)

    @property
    def waits_for(self) -> tuple[str, ...]:
        """Whom the table waits for now."""
        return holding_up(self._me.replica.state)

    @property
    def game(self) -> Game | None:
        """The hand as its rules have it: what everybody knows of it."""
        return self._me.replica.state.hand.game

    def opened(self, deck: int = 0) -> list[Face]:
        """At a free table: the cards that lie open, in the order in which they were opened."""
        return list(FreeTable(self._me, deck).on_the_table().values())

    def shown(self, name: str, deck: int = 0) -> list[Face]:
        """At a free table: the cards that a player holds and has shown."""
        return list(FreeTable(self._me, deck).shown_by(name).values())

    def save(self, path: str | Path) -> None:
        """Write the log as far as it has come."""
        replica = self._me.replica
        save_log(Path(path), replica.config.session, replica.entries)

    # --- Inside ---

    def _seat_of(self, name: str) -> int:
        seats = {member.name: member.seat for member in self._me.members}
        if name not in seats:
            raise BadParameter(f"nobody here is called {name!r}")
        return seats[name]

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Whatever is refused inside is refused with names instead of seats."""
        try:
            yield
        except (IllegalMove, BadParameter) as error:
            names = names_of(self._me.replica.state) if self._me.begun else {}
            raise type(error)(named(str(error), names)) from None


def in_memory(name: str | None) -> MemoryPlayerStore:
    """A home that nobody comes back to."""
    return MemoryPlayerStore(name, Identity(secrets.token_bytes(KEY_BYTES)), secrets.token_bytes(ROOT_BYTES))
