"""A game between players that need not trust each other, each in a process of its own. What `nodealer play` does."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Raw

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.cheating import Cheating, cheating_of
from nodealer.cli.entropy import system_entropy
from nodealer.cli.games import game_of
from nodealer.cli.output import err, shown, visible
from nodealer.cli.player import PlayerOrder, sit
from nodealer.cli.rehearse import rehearse
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.verify import print_report
from nodealer.drive.loop import Loop
from nodealer.errors import BadParameter, Declined, RelayError
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.keys import Identity
from nodealer.log.file import save_log
from nodealer.log.roster import Member
from nodealer.log.session import Part, Proposal
from nodealer.play.config import parts_of, proposal_of, refuse_without_asserts
from nodealer.play.frames import Refuses
from nodealer.play.home import MemoryHome
from nodealer.play.lobby import Expected
from nodealer.play.participant import Participant, Step
from nodealer.play.replica import Replica
from nodealer.protocols import make_protocol, refuse_unserved
from nodealer.protocols.base import Needs
from nodealer.protocols.chain import Chain
from nodealer.relay.client import connect_to
from nodealer.relay.core import RelayCore
from nodealer.relay.server import relay_on_loopback
from nodealer.tape import ROOT_BYTES
from nodealer.wire import encode

#: What Python is told to run for each bot.
BOT: Final = ("-P", "-m", "nodealer.cli.player")
#: And for one that cheats, before the name of its attack.
CHEATER: Final = ("-P", "-m", "nodealer.cli.cheater")
NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")


@dataclass(frozen=True)
class Plan:
    """What is to be played."""

    game: GamePackage
    #: Where the game is found, as a person would type it: bots have to find it too.
    place: str
    rules: Rules
    protocol: str
    names: tuple[str, ...]
    hands: int
    #: The parameters of the protocol, as canonical JSON.
    parameters: bytes = b"{}"
    #: What a player should know before it begins.
    warning: str | None = None
    #: Who cheats, and how.
    cheat: Cheating | None = None

    def __post_init__(self) -> None:
        needs = Needs(self.rules.name, len(self.names), self.rules.deck_max, self.rules.operations)
        refuse_unserved(make_protocol(self.protocol, self.parameters).claims, needs)

    @property
    def expected(self) -> Expected:
        """What every player is told that it will be asked to agree to."""
        protocol = make_protocol(self.protocol, self.parameters)
        return Expected(
            Part(self.rules.name, self.rules.version, Raw(self.rules.parameters)),
            Part(protocol.claims.name, protocol.claims.version, Raw(protocol.parameters)),
            self.rules.versions,
            self.names,
        )

    def proposal(self, members: Sequence[Member]) -> Proposal:
        """What the players are asked to agree to."""
        return proposal_of(self.rules, make_protocol(self.protocol, self.parameters), members)


def run(plan: Plan, *, auto: bool, json: bool, seed: int | None, log: Path | None) -> int:
    """Play, tell what happens, verify. Gives the exit code."""
    refuse_without_asserts()
    if log is not None:
        _refuse_unwritable(log)
    asks = seed is None and plan.game.listens and sys.stdin.isatty() and not (auto or json)
    if plan.cheat is not None:
        plan.cheat.refuse(seed, plan.names[0] if asks else None)
    screen = Screen(json)
    if plan.warning is not None:
        err().print(f"[magenta]{shown(plan.warning)}[/magenta]", soft_wrap=True)
    started = time.perf_counter()
    if plan.cheat is not None:
        plan.cheat.announce(screen)
    if seed is not None:
        protocol = make_protocol(plan.protocol, plan.parameters)
        replica = rehearse(plan.game, plan.rules, protocol, plan.names, plan.hands, seed, screen)
    else:
        person = Person(plan.game.words, screen.asking) if asks else None
        try:
            replica = asyncio.run(_play(plan, person, screen))
        except KeyboardInterrupt:
            _keep(log, screen)
            raise
    screen.done(replica, time.perf_counter() - started)
    report = _verify(replica, plan.game, log, screen)
    if plan.cheat is not None:
        plan.cheat.judge(screen, report)
    return report.exit_code


def _refuse_unwritable(log: Path) -> None:
    """Before the game, not after it."""
    partial = log.with_name(log.name + ".partial")
    try:
        if log.is_dir():
            raise BadParameter(f"the log cannot be written to {log}: it is a folder")
        partial.touch()
        partial.unlink()
    except OSError as error:
        raise BadParameter(f"the log cannot be written to {log}: {error.strerror}") from None


def _keep(log: Path | None, screen: Screen) -> None:
    """Somebody goes in the middle of the game: what was signed so far is theirs."""
    if log is not None and screen.replica is not None:
        save_log(log, screen.replica.config.session, screen.replica.entries)
        err().print(f"\nThe log so far is in [bold]{shown(log)}[/bold].", soft_wrap=True)


def plan_of(
    place: str,
    settings: Mapping[str, str],
    *,
    protocol: str | None = None,
    seats: int | None = None,
    hands: int | None = None,
    parameters: bytes | None = None,
    cheat: str | None = None,
) -> Plan:
    """A game with all its settings; what is None is as the game has it. Raises `BadParameter` for what cannot be."""
    game = game_of(place)
    if game.bot is None:
        raise BadParameter(f"{game.name} has no bots to play with: it is played by programs, with the library")
    rules, on, count = game.from_settings(settings), protocol or game.protocol, seats or game.seats
    meant = game.protocol_parameters(on, settings)
    if parameters is not None and meant not in (b"{}", parameters):
        raise BadParameter("--parameters says one thing of the protocol, and a setting of the game another")
    said = meant if parameters is None else parameters
    made = make_protocol(on, said)
    # What cut-and-choose is worth, where cards are made so: the players should know before they begin.
    odds = made.odds(count) if isinstance(made, Chain) else None
    warning = " ".join(filter(None, (made.claims.cost.get("warning"), odds))) or None
    cheating = None if cheat is None else cheating_of(cheat, NAMES[:count], made)
    return Plan(game, place, rules, on, NAMES[:count], hands or game.hands, said, warning, cheating)


async def _play(plan: Plan, person: Person | None, screen: Screen) -> Replica:
    """The relay, a process for each bot, and here: the one who proposes and tells what happens."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(relay_on_loopback(RelayCore()))
        homes = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nodealer-")))
        host = MemoryHome(None, Identity(system_entropy(32)), system_entropy(ROOT_BYTES))
        bots = plan.names if person is None else plan.names[1:]
        orders = [_order(url, name, plan, host.identity.public, homes) for name in bots]
        processes = await stack.enter_async_context(_bots(orders, plan.cheat))
        parts = partial(parts_of, game=plan.game)
        watcher = Participant(host, entropy=system_entropy, host=host.identity.public, parts=parts)
        # A person sees what its own seat sees, and has checked.
        table = asyncio.create_task(_watch(url, plan, watcher, screen if person is None else None))
        tasks: list[asyncio.Task[object]] = [asyncio.create_task(_alive(processes))]
        if person is not None:
            order = _order(url, plan.names[0], plan, host.identity.public, homes)
            tasks.append(asyncio.create_task(sit(order, person, follow=partial(screen.follow, you=True))))
        try:
            done, _ = await asyncio.wait([table, *tasks], return_when=asyncio.FIRST_COMPLETED)
            while table not in done:
                for task in done:
                    task.result()
                tasks = [task for task in tasks if task not in done]
                done, _ = await asyncio.wait([table, *tasks], return_when=asyncio.FIRST_COMPLETED)
            return table.result()
        finally:
            for task in [table, *tasks]:
                task.cancel()


def _order(url: str, name: str, plan: Plan, host: bytes, homes: Path) -> PlayerOrder:
    return PlayerOrder(url, name, plan.hands, plan.expected, plan.place, host, str(homes / name))


async def _watch(url: str, plan: Plan, host: Participant, screen: Screen | None) -> Replica:
    """Propose the game once all players are there, then follow the log like any spectator."""
    follow, proposed = None if screen is None else screen.follow(host), False

    def watch(step: Step) -> list[bytes]:
        nonlocal proposed
        for news in step.happened:
            if isinstance(news, Refuses):
                raise Declined(f"{news.name} declines: {news.reason}")
        if follow is not None:
            follow(step)
        came = {offer.name: offer for offer in host.offers}
        if proposed or not came.keys() >= set(plan.names):
            return []
        proposed = True
        return host.propose(plan.proposal([came[name].seated(seat) for seat, name in enumerate(plan.names)]))

    async with connect_to(url) as client:
        await Loop(host, client, watch=watch).run()
    return host.replica


@asynccontextmanager
async def _bots(
    orders: Sequence[PlayerOrder], cheat: Cheating | None
) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """A process for each bot, gone when this ends, however it ends."""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, *_command(order, cheat), stdin=asyncio.subprocess.PIPE, start_new_session=True
        )
        for order in orders
    ]
    try:
        for process, order in zip(processes, orders, strict=True):
            if process.stdin is not None:
                process.stdin.write(encode(order) + b"\n")
                process.stdin.close()
        yield processes
    finally:
        for process in processes:
            if process.returncode is None:
                process.terminate()
        await asyncio.gather(*(process.wait() for process in processes))


def _command(order: PlayerOrder, cheat: Cheating | None) -> tuple[str, ...]:
    return BOT if cheat is None or cheat.name != order.name else (*CHEATER, cheat.attack)


async def _alive(processes: Sequence[asyncio.subprocess.Process]) -> None:
    """Return when all bots have ended well; complain about the first that has not."""
    for ended in asyncio.as_completed([process.wait() for process in processes]):
        if await ended not in (0, 1):
            raise RelayError("a player's process ended in the middle of the game")


def _verify(replica: Replica, game: GamePackage, log: Path | None, screen: Screen) -> Report:
    """Save the log and audit it as anybody could, from the file alone. A fault's evidence is always kept."""
    session = replica.config.session
    with tempfile.TemporaryDirectory() as folder:
        path = log if log is not None else Path(folder) / "game.jsonl"
        if log is None and replica.state.faults:
            path = Path(f"nodealer-fault-{session.id.hex()[:8]}.jsonl")
        save_log(path, session, replica.entries)
        report = verify_file(path, entropy=system_entropy, game=game)
        if screen.json:
            kept = visible(path) if path.parent != Path(folder) else None
            screen.emit({"event": "verified", "log": kept} | report.as_json())
        else:
            if path.parent != Path(folder):
                screen.say(f"The log is in [bold]{shown(path)}[/bold].")
            print_report(screen.console, report, brief=True)
        return report
