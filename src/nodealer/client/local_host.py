"""A table on this machine: the relay, a process for each bot, the spectator who convenes it, and the person's seat."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from nodealer.audit.background import in_background
from nodealer.client.bot_process import BotConfig
from nodealer.client.entropy import system_entropy
from nodealer.client.events import BotDropped, GameContinued, TableEvent, TableStuck
from nodealer.client.folder_store import FolderStore, open_or_create_store
from nodealer.client.local_relay import serve_local_table
from nodealer.client.local_seats import LocalSeat, Overseer, Stuck, convene, play_local_seat
from nodealer.client.log_export import LogCopy, copy_log
from nodealer.client.policies import Policy
from nodealer.client.processes import TERM, Process, describe_exit, run_processes
from nodealer.client.saved_games import Earlier, SavedGame
from nodealer.client.setup import TableSetup
from nodealer.client.status import TableStatus
from nodealer.client.table_client import ClientOptions
from nodealer.client.time_limits import KEEPER
from nodealer.client.timekeeper_process import TimekeeperConfig
from nodealer.client.ui import UI, SilentUI
from nodealer.engine.commands import Command
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Replica
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter
from nodealer.keys import host_mark
from nodealer.relay.invitations import Invitation


class Decider(Enum):
    """The player of the first seat."""

    BOT = "bot"
    PERSON = "person"
    #: A program at the other end of a pipe.
    PROGRAM = "program"


@dataclass(frozen=True)
class LocalGame:
    """A game on this machine that is played now."""

    setup: TableSetup
    saved: SavedGame
    #: Who plays the person's seat.
    decider: Decider = Decider.BOT
    copies: Sequence[LogCopy] = ()
    #: What was sent before, or None for a new game.
    earlier: Earlier | None = None
    #: The Python arguments that start other programs than the usual bot's, by player.
    programs: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def person(self) -> str | None:
        """Return the name of the player who is not a bot, or None."""
        return None if self.decider is Decider.BOT else self.saved.record.person

    @property
    def spared(self) -> tuple[str, ...]:
        """Return the players whom no one votes out for being slow: without a clock, people have unlimited time."""
        return () if self.person is None or self.setup.clock is not None else (self.person,)

    @property
    def log(self) -> Path:
        """Return the log that the person asked for, or the saved one if that can no longer be written."""
        return self.saved.kept_log if any(copy.left is not None for copy in self.copies) else self.saved.log

    def open_store(self, name: str) -> FolderStore:
        """Open the store of a player. Close it after the game."""
        return open_or_create_store(self.saved.home(self.setup.names.index(name)), name, system_entropy)

    def configs(self, table: Invitation) -> dict[Path, BotConfig | TimekeeperConfig]:
        """Return the configuration of each process, by the file for its standard error."""
        setup, saved, link = self.setup, self.saved, table.link
        configs: dict[Path, BotConfig | TimekeeperConfig] = {}
        for seat, name in enumerate(setup.names):
            if name != self.person:
                home, patience = str(saved.home(seat)), saved.record.patience
                configs[saved.error_file(seat)] = BotConfig(
                    link, name, setup.hands, setup.expected, setup.place, home, patience, self.spared
                )
        if setup.clock is not None:
            seat = len(setup.names)
            home = str(saved.home(seat))
            configs[saved.error_file(seat)] = TimekeeperConfig(link, "", table.relays, KEEPER, setup.place, home)
        return configs

    def overseer(self) -> Overseer:
        """Return what ends the table when nothing more can happen. A person decides that themselves."""
        if self.decider is Decider.PERSON:
            return Overseer(self.setup.sitting)
        clock = self.setup.clock
        allowed = 0 if clock is None else (clock.move + clock.cards + clock.bank) / 1000 + 5
        # The bots have cast all their votes after twice their patience.
        return Overseer(self.setup.sitting, 2 * self.saved.record.patience + 2 + allowed, self.spared)


async def host_local_game(game: LocalGame, ui: UI, store: PlayerStore | None = None) -> Replica:
    """Play a game on this machine until it ends, and return its table.

    The front end has the person's seat, or watches if there is none. `store` is the person's, if it is open already.
    Raise `Declined` or `RelayError` if there is no game, and `BadParameter` if the folder of the game cannot be used.
    """
    async with AsyncExitStack() as stack:
        host = stack.enter_context(open_or_create_store(game.saved.host, None, system_entropy))
        mark = host_mark(host.identity.public)
        earlier = () if game.earlier is None else (*game.earlier.lobby, *game.earlier.entries)
        table = await stack.enter_async_context(serve_local_table(mark, system_entropy, earlier))
        processes = await stack.enter_async_context(run_processes(game.configs(table), game.programs))
        overseer = game.overseer()
        continued = (_Continued(ui),) if game.earlier is not None and game.earlier.entries else ()
        on_log = partial(copy_log, game.copies, game.saved.kept_log, ui.show)
        options = ClientOptions(expected=game.setup.sitting, shows_log=game.person is None, on_log=on_log)
        tasks = [asyncio.ensure_future(_report_dropouts(game, processes, overseer.dropped, ui))]
        watching: UI = SilentUI()
        policies: tuple[Policy, ...] = (overseer,)
        if game.person is None:
            watching, policies = _SpectatorUI(ui), (overseer, *continued)
        else:
            store = store or stack.enter_context(game.open_store(game.person))
            tasks.append(asyncio.ensure_future(_play_seat(game, store, table, ui, continued)))
        convened = convene(game.setup, table, host, watching, system_entropy, policies, options)
        try:
            participant = await _wait_for_end(asyncio.ensure_future(convened), tasks)
        except Stuck as stuck:
            ui.show(TableStuck(str(stuck)))
            return stuck.replica
        if participant.silenced is not None:
            raise BadParameter(f"{game.saved.folder}: {participant.silenced}")
        return participant.replica


class _SpectatorUI(SilentUI):
    """Shows a game on a front end, and asks its person nothing."""

    def __init__(self, ui: UI) -> None:
        """Show the game on this front end."""
        self._ui = ui

    def show(self, event: TableEvent) -> None:
        """Show an event."""
        self._ui.show(event)

    def status(self, status: TableStatus) -> None:
        """Pass on the status."""
        self._ui.status(status)


class _Continued:
    """Reports once where a resumed game continues."""

    def __init__(self, ui: UI) -> None:
        """Report to this front end."""
        self._ui = ui
        self._shown = False

    def on_status(self, status: TableStatus) -> Iterator[Command]:
        """Report where the game continues, once its log has been received."""
        if not self._shown and status.replica is not None and not status.is_catching_up:
            self._shown = True
            self._ui.show(GameContinued())
        yield from ()


async def _play_seat(
    game: LocalGame, store: PlayerStore, table: Invitation, ui: UI, policies: Sequence[Policy]
) -> None:
    """Play the seat that no bot has, until the game ends.

    A person decides how long to wait for a silent player. A program's seat votes after the patience of the bots.
    """
    setup, saved = game.setup, game.saved
    by_person = game.decider is Decider.PERSON
    patience = None if by_person else saved.record.patience
    seat = LocalSeat(
        table, setup.game, setup.expected, setup.hands, by_person=by_person, patience=patience, spared=game.spared
    )
    await play_local_seat(seat, store, ui, system_entropy, policies=policies, check_runner=in_background)


async def _wait_for_end(table: asyncio.Future[Participant], tasks: Iterable[asyncio.Future[None]]) -> Participant:
    """Wait for the end of the table. If a task fails meanwhile, raise its error."""
    running: set[asyncio.Future[None]] = set(tasks)
    try:
        while not table.done():
            waited: set[asyncio.Future[Any]] = {table, *running}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in running if task.done()]:
                task.result()
                running.remove(task)
        result = table.result()
        if running:
            # They receive the last entry too.
            await asyncio.wait(running, timeout=TERM)
        return result
    finally:
        unfinished: list[asyncio.Future[Any]] = [table, *running]
        for one in unfinished:
            one.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)


async def _report_dropouts(game: LocalGame, processes: Mapping[str, Process], dropped: set[str], ui: UI) -> None:
    """Report each bot whose program fails. The table rules decide how the game continues."""

    async def follow(name: str, process: Process) -> None:
        """Wait for one bot's process to end. If it failed, report why and add the bot to `dropped`."""
        code = await process.wait()
        if code != 0:
            error_file = game.saved.error_file(game.setup.sitting.index(name))
            ui.show(BotDropped(name, code, describe_exit(code, error_file)))
            dropped.add(name)

    await asyncio.gather(*(follow(name, process) for name, process in processes.items()))
