"""A spectator at a table: frames in, events out. A player is a spectator who also has a seat."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from nodealer.api.event_stream import EventStream
from nodealer.api.requests import FreeTable
from nodealer.api.status import names_waited_for, why_stopped
from nodealer.client.folder_store import FolderStore, open_or_create_store
from nodealer.client.policies import Policy, follow
from nodealer.client.seat_names import names_of, with_names
from nodealer.client.status import TableTimes, table_status
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.resolve import Parts, resolve_parts
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
    """A spectator: no seat and no secrets, but checks everything. Has no socket, thread or clock."""

    def __init__(self, *, games: Iterable[str | GamePackage] = (), home: PlayerStore | None = None) -> None:
        """Create a spectator. `games` are games that are not installed: packages, or "module:attribute"."""
        self._join(home or new_memory_store(None), games)

    def _join(self, home: PlayerStore, games: Iterable[str | GamePackage], *, keeps_time: bool = False) -> None:
        """Create the participant behind this object, and pick up what the store already has."""
        packages = [resolve_game(game) if isinstance(game, str) else game for game in games]
        self._games = {package.name: package for package in packages}
        self._home = home
        self._wants_more_hands = True
        self._me = Participant(
            home,
            entropy=secrets.token_bytes,
            accept=self._check_proposal,
            stay_policy=lambda state: self._wants_more_hands and stay_while_playable(state),
            parts=self._parts,
            keeps_time=keeps_time,
        )
        self._times = TableTimes()
        self._stream = EventStream(self._me)
        self._events: list[Event] = [*self._stream.new_prompts()]

    def _parts(self, proposal: Proposal) -> Parts:
        """Return the game and protocol of a proposal, using this object's own games first."""
        return resolve_parts(proposal, game=self._games.get(proposal.game.name))

    def _check_proposal(self, proposal: Proposal) -> None:
        """Do nothing: a spectator is not asked to agree to a proposal."""

    @classmethod
    def open(cls, folder: str | Path, *, games: Iterable[str | GamePackage] = ()) -> Self:
        """Open the spectator stored in a folder, or create a new one there.

        Use one folder per table. Raises `BadParameter` if the folder belongs to a player.
        """
        with ExitStack() as stack:
            home = stack.enter_context(open_or_create_store(Path(folder), None, secrets.token_bytes))
            if home.name is not None:
                raise BadParameter(f"{folder} belongs to {home.name}, a player: open it with Player.open")
            watcher = cls(games=games, home=home)
            stack.pop_all()
        return watcher

    def close(self) -> None:
        """Release the folder for another program. Does nothing if there is no folder."""
        if isinstance(self._home, FolderStore):
            self._home.close()

    # --- Transport ---

    def receive(self, frame: bytes, number: int | None = None) -> list[bytes]:
        """Process the next frame of the table and return the frames to send.

        Frames that no honest participant could have sent are ignored. If your transport numbers its frames, pass the
        `number`, counted from 0: frames may then arrive again or too early.
        """
        step = self._me.receive(frame, self._me.next_frame_number if number is None else number)
        self._events += self._stream.convert(step.happened)
        self._events += self._stream.new_prompts()
        return list(step.send)

    def resend(self, known: int | None = None) -> list[bytes]:
        """Return what to send over a new connection: everything that has not come back yet.

        Over the first connection, this is the hello. If your transport can tell, pass `known`, the number of frames the
        table has. Nothing is then signed until all of them have arrived, because this folder might be an old copy.
        `missing` says how many have not.
        """
        return self._me.resend(known)

    @property
    def missing(self) -> int:
        """The number of frames that the transport announced and that have not arrived.

        A transport that announces frames it never delivers keeps a player silent. If this number stays up, tell the
        user.
        """
        return self._me.missing_frames

    @property
    def expects(self) -> int:
        """The number of the next frame: how many have arrived. After a restart, this is 0 again."""
        return self._me.next_frame_number

    # --- State of the table ---

    def events(self) -> list[Event]:
        """Return the events since the last call."""
        events, self._events = self._events, []
        return events

    @property
    def came(self) -> list[str]:
        """The names of those who have said hello, in that order."""
        return [offer.name for offer in self._me.offers]

    @property
    def names(self) -> dict[int, str]:
        """The names of those seated, by seat number, as rules and views count seats."""
        return {member.seat: member.name for member in self._me.members}

    @property
    def words(self) -> tuple[str, ...]:
        """Three words that are the same for everyone at this table, and different at any other.

        Compare them by voice: if they differ, someone is intercepting the connection.
        """
        return self._me.session_words

    def words_of(self, name: str) -> tuple[str, ...]:
        """Return the six words of a player's key."""
        return self._me.key_words_of(self._seat_of(name))

    @property
    def agreed(self) -> bool:
        """True if the players have agreed on a game."""
        return self._me.has_session

    @property
    def in_hand(self) -> bool:
        """True if a hand is being played, so that there are cards to look at."""
        return self._me.has_session and self._me.replica.state.phase is Phase.PLAYING

    @property
    def ended(self) -> bool:
        """True if the log has ended, signed by every player who has to."""
        return self._me.has_session and self._me.replica.state.phase is Phase.ENDED

    @property
    def stopped(self) -> str | None:
        """The reason why no further hand starts, or None: a player was found at fault, or too few are left."""
        return self._me.silenced or (why_stopped(self._me.replica) if self._me.has_session else None)

    @property
    def waits_for(self) -> tuple[str, ...]:
        """The names of the players the table is waiting for."""
        return names_waited_for(self._me.replica.state)

    @property
    def game(self) -> Game | None:
        """The current hand as its rules see it: what everyone knows about it."""
        return self._me.replica.state.hand.game

    def opened(self, deck: int = 0) -> list[Face]:
        """Return the open cards on the table, in the order they were opened. For free tables."""
        return list(FreeTable(self._me, deck).open_on_table().values())

    def shown(self, name: str, deck: int = 0) -> list[Face]:
        """Return the cards that a player holds and has shown. For free tables."""
        return list(FreeTable(self._me, deck).shown_by(name).values())

    def save(self, path: str | Path) -> None:
        """Write the log, as far as it goes, to a file."""
        replica = self._me.replica
        save_log(Path(path), replica.config.session, replica.entries)

    # --- Helpers ---

    def _follow(self, policy: Policy, now: float) -> list[bytes]:
        """Let a policy act at this time, and return the frames to send."""
        self._times.observe(self._me, now)
        return follow(policy, self._me, table_status(self._me, self._times))

    def _seat_of(self, name: str) -> int:
        """Return the seat of a player. Raises `BadParameter` if there is no player of that name."""
        seats = {member.name: member.seat for member in self._me.members}
        if name not in seats:
            raise BadParameter(f"there is no player called {name!r} here")
        return seats[name]

    @contextmanager
    def _errors_with_names(self) -> Iterator[None]:
        """Replace seat numbers with names in the errors raised inside."""
        try:
            yield
        except (IllegalMove, BadParameter) as error:
            names = names_of(self._me.replica.state) if self._me.has_session else {}
            raise type(error)(with_names(str(error), names)) from None


def new_memory_store(name: str | None) -> MemoryPlayerStore:
    """Return a new player store that is lost when the program ends. A name of None is for a spectator."""
    return MemoryPlayerStore(name, Identity(secrets.token_bytes(KEY_BYTES)), secrets.token_bytes(ROOT_BYTES))
