"""A table on this machine: the relay, a process for each bot, the host that proposes and watches, and the person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nodealer.cli import text as phrases
from nodealer.cli.bot_process import PlayerConfig, ReportProblem, local_transport, play_seat
from nodealer.cli.bots import TERM, Process, bots, describe_exit
from nodealer.cli.output import err, escape_markup, print_line
from nodealer.cli.plan import PlayPlan
from nodealer.cli.program import Program
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.timekeeper_process import TimekeeperConfig
from nodealer.cli.wait_notices import Overseer, PersonAtTable, Stuck, WaitNotices
from nodealer.client.entropy import system_entropy
from nodealer.client.events import BotDropped, ConnectionChanged, ConnectionCode, TableStuck
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.keyring import Keyring
from nodealer.client.local_relay import serve_local_table
from nodealer.client.log_export import LogCopy
from nodealer.client.loop import Loop
from nodealer.client.policies import PolicyGroup, TimeoutVoter
from nodealer.client.saved_games import Earlier, SavedGame
from nodealer.client.time_limits import KEEPER
from nodealer.engine.frame_result import Received
from nodealer.engine.lobby_messages import ProposalDeclined
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import resolve_parts
from nodealer.errors import BadParameter, Declined
from nodealer.keys import host_mark
from nodealer.relay.invitations import Invitation
from nodealer.web.person import PagePerson


@dataclass(frozen=True)
class Play:
    """A game that is being played: its plan, its folder, its screen, its players, and its earlier messages."""

    plan: PlayPlan
    kept: SavedGame
    screen: Screen
    #: The player who is not a bot: at the keyboard, on a page, or a program at the other end of a pipe.
    person: Person | Program | PagePerson | None
    copies: Sequence[LogCopy]
    #: None for a new game.
    earlier: Earlier | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Return the names of the players who are not bots."""
        name = self.kept.what.person
        return () if self.person is None or name is None else (name,)

    @property
    def bots(self) -> list[int]:
        """Return the seats that bots play."""
        return [seat for seat, name in enumerate(self.plan.names) if name not in self.people]

    @property
    def log(self) -> Path:
        """Return the log that the person asked for, or the saved one if that can no longer be written."""
        return self.kept.kept_log if any(copy.left is not None for copy in self.copies) else self.kept.log

    def progress(self, replica: Replica | None) -> str:
        """Describe how far the game has come, such as the current hand."""
        if replica is None:
            return phrases.BEFORE_THE_GAME
        number = replica.state.hand.number
        if replica.state.phase is Phase.PLAYING:
            return phrases.in_hand(number + 1)
        over = replica.state.no_more_hands or number >= self.plan.hands
        return phrases.AFTER_THE_LAST_HAND if over else phrases.before_hand(number + 1)

    def order(self, invitation: Invitation, seat: int) -> PlayerConfig:
        """Return the configuration of the player at a seat. Without a clock, people have unlimited time."""
        plan, home, patience = self.plan, str(self.kept.home(seat)), self.kept.what.patience
        link, name, spared = invitation.link, plan.names[seat], self.people if plan.clock is None else ()
        return PlayerConfig(link, name, plan.hands, plan.expected, plan.place, home, patience, spared)

    def orders(self, table: Invitation) -> dict[Path, PlayerConfig | TimekeeperConfig]:
        """Return the configuration of each process, by the file for its standard error."""
        orders: dict[Path, PlayerConfig | TimekeeperConfig] = {
            self.kept.error_file(seat): self.order(table, seat) for seat in self.bots
        }
        if self.plan.clock is not None:
            seat, place = len(self.plan.names), self.plan.place
            home = str(self.kept.home(seat))
            orders[self.kept.error_file(seat)] = TimekeeperConfig(table.link, "", table.relays, KEEPER, place, home)
        return orders


async def host(play: Play) -> Replica:
    """Run the relay, the bots, the host that proposes and reports, and the person. Return the replica at the end."""
    plan, screen = play.plan, play.screen
    async with AsyncExitStack() as stack:
        home = stack.enter_context(open_or_create_store(play.kept.host, None, system_entropy))
        mark = host_mark(home.identity.public)
        earlier = () if play.earlier is None else (*play.earlier.lobby, *play.earlier.entries)
        table = await stack.enter_async_context(serve_local_table(mark, system_entropy, earlier))
        processes = await stack.enter_async_context(bots(play.orders(table), plan.cheat))
        watcher = Participant(
            home,
            entropy=system_entropy,
            host=mark,
            parts=partial(resolve_parts, game=plan.game),
            keys=(keys := Keyring((table.key,), system_entropy)),
        )
        if isinstance(play.person, Person | PagePerson):
            overseer = Overseer(plan.sitting, None, None)
        else:
            # The bots have cast all their votes after twice their patience.
            allowed = 0 if plan.clock is None else (plan.clock.move + plan.clock.cards + plan.clock.bank) / 1000 + 5
            limit = 2 * play.kept.what.patience + 2 + allowed
            spared = play.people if plan.clock is None else ()
            overseer = Overseer(plan.sitting, WaitNotices(screen, plan.sitting), limit, spared)
        tasks = [asyncio.ensure_future(_report_dropouts(play, processes, overseer.dropped))]
        if play.person is not None:
            (seat,) = set(range(len(plan.names))) - set(play.bots)
            tasks.append(asyncio.ensure_future(_play_person(play, play.order(table, seat), play.person)))
        return await _wait_for_end(asyncio.ensure_future(_host_table(table, play, watcher, keys, overseer)), tasks)


async def _play_person(play: Play, order: PlayerConfig, person: Person | Program | PagePerson) -> None:
    """Play the seat that no bot has, until the game ends.

    A person at a terminal is shown what their own seat has received and checked, and decides how long to wait for a
    silent player. A page does the same in the browser. A program reads events and answers on standard input and
    output; its seat votes to skip silent players after the configured patience, as a bot's does.
    """
    if isinstance(person, PagePerson):
        policy, seat = PolicyGroup(TimeoutVoter(), person), person.seat

        def notify_page(code: ConnectionCode, sentence: str) -> None:
            """Show a connection problem on the page, which has its own sentence for each code."""
            seat.notify("bad", code, code if code == "behind" else "connection")

        await play_seat(
            order, person, person.observer_of, says=notify_page, looks=policy, take_part=person.create_participant
        )
        return
    follow = partial(play.screen.follow, you=True)
    notices = PersonAtTable(person, play.screen, play.plan.names) if isinstance(person, Person) else None
    make = partial(Participant, by_person=True) if notices else Participant
    await play_seat(order, person, follow, says=_reporter_on(play.screen), looks=notices, take_part=make)


def _reporter_on(screen: Screen) -> ReportProblem:
    """Return a function that reports connection problems on the screen."""

    def says(code: ConnectionCode, sentence: str) -> None:
        """Emit the problem as an event with `--json`, or else print the sentence."""
        screen.emit(ConnectionChanged(code, reason=sentence))
        if not screen.json:
            screen.say(f"[red]{escape_markup(sentence)}[/red]")

    return says


async def _wait_for_end(table: asyncio.Future[Replica], tasks: Iterable[asyncio.Future[None]]) -> Replica:
    """Wait for the end of the table. If a task fails meanwhile, raise its error."""
    running: set[asyncio.Future[None]] = set(tasks)
    try:
        while not table.done():
            waited: set[asyncio.Future[Any]] = {table, *running}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in running if task.done()]:
                task.result()
                running.remove(task)
        replica = table.result()
        if running:
            # They receive the last entry too.
            await asyncio.wait(running, timeout=TERM)
        return replica
    finally:
        unfinished: list[asyncio.Future[Any]] = [table, *running]
        for one in unfinished:
            one.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)


async def _report_dropouts(play: Play, processes: Mapping[str, Process], dropped: set[str]) -> None:
    """Report each bot whose program fails. The table rules decide how the game continues."""

    async def follow(name: str, process: Process) -> None:
        """Wait for one bot's process to end. If it failed, report why and add the bot to `dropped`."""
        code = await process.wait()
        if code != 0:
            reason = describe_exit(code, play.kept.error_file(play.plan.sitting.index(name)))
            play.screen.emit(BotDropped(name, code, reason))
            if not play.screen.json:
                play.screen.say(phrases.dropped_out(escape_markup(name), escape_markup(reason)))
            dropped.add(name)

    await asyncio.gather(*(follow(name, process) for name, process in processes.items()))


async def _host_table(table: Invitation, play: Play, host: Participant, keys: Keyring, overseer: Overseer) -> Replica:
    """Propose the game once all players are there, then follow the log like any spectator."""
    plan, screen = play.plan, play.screen
    follow, proposed = None if play.person is not None else screen.follow(host), False
    goes_on = play.earlier is not None and bool(play.earlier.entries)

    def watch(step: Received) -> list[bytes]:
        """React to each step: copy the log, update the screen, and return the proposal once all players are there."""
        nonlocal proposed, goes_on
        for news in step.happened:
            if isinstance(news, ProposalDeclined):
                raise Declined(phrases.declined(str(news.name), news.reason))
        if host.has_session:
            _update_copies(play, host.replica)
        if follow is not None:
            follow(step)
        if goes_on and not host.is_catching_up:
            goes_on = False
            screen.say(phrases.continuing(play.progress(host.replica)))
        if proposed or host.has_session or host.is_catching_up or host.lobby.proposal is not None:
            return []
        offers = {offer.name: offer for offer in host.offers}
        if not offers.keys() >= set(plan.sitting):
            return []
        proposed = True
        return host.propose(plan.proposal([offers[name].as_member(seat) for seat, name in enumerate(plan.sitting)]))

    try:
        await Loop(host, local_transport(table, host, keys, _reporter_on(screen)), watch=watch, policy=overseer).run()
    except Stuck as stuck:
        screen.emit(TableStuck(str(stuck)))
        if not screen.json:
            screen.say(phrases.game_stopped(play.progress(host.replica), escape_markup(stuck)))
    if host.silenced is not None:
        raise BadParameter(f"{play.kept.folder}: {host.silenced}")
    return host.replica


def _update_copies(play: Play, replica: Replica) -> None:
    """Write the new entries to the copies of the log, and say once if a copy cannot be written."""
    for copy in play.copies:
        earlier_problem = copy.left
        copy.follow(replica)
        if copy.left is not None and earlier_problem is None:
            stopped = phrases.log_copy_stopped(
                escape_markup(copy.path), escape_markup(copy.left), escape_markup(play.kept.kept_log)
            )
            print_line(err(), stopped)
