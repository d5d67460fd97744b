"""A game between players that need not trust each other, each in a process of its own. What `nodealer play` does, and
`nodealer resume`. Every game is kept, from its first entry on."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Raw

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.attention import Attention, AtTheTable, Overseer, Stuck
from nodealer.cli.bots import Process, bots, how_it_ended
from nodealer.cli.entropy import system_entropy
from nodealer.cli.games import game_of
from nodealer.cli.kept import FORMAT, Earlier, Kept, KeptGame, find_game, keep
from nodealer.cli.logcopy import LogCopy, follow_all
from nodealer.cli.output import PipeClosed, err, shown, visible
from nodealer.cli.player import PlayerOrder, sit
from nodealer.cli.rehearse import rehearse
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.verify import print_report
from nodealer.drive.files import FILE_MODE, FOLDER_MODE
from nodealer.drive.homes import home_in
from nodealer.drive.loop import Loop
from nodealer.errors import BadParameter, Declined
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.log.roster import Member
from nodealer.log.session import FORMAT_VERSION, Part, Proposal
from nodealer.play.config import parts_of, proposal_of, refuse_without_asserts
from nodealer.play.frames import Refuses
from nodealer.play.lobby import Expected
from nodealer.play.participant import Participant, Step
from nodealer.play.phases import Phase
from nodealer.play.replica import Replica
from nodealer.protocols import make_protocol, refuse_unserved
from nodealer.protocols.base import Needs
from nodealer.protocols.chain import Chain
from nodealer.relay.client import connect_to
from nodealer.relay.core import RelayCore
from nodealer.relay.server import relay_on_loopback

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")
#: After how many seconds a bot would go on without another, unless somebody says otherwise.
PATIENCE: Final = 30.0
#: How many seconds the players of a game have to end, when their table has gone.
ENDING: Final = 3.0


@dataclass(frozen=True)
class Plan:
    """What is to be played."""

    game: GamePackage
    #: Where the game is found, as a person would type it: bots have to find it too.
    place: str
    #: What was set for it, as a person would type it.
    settings: Mapping[str, str]
    rules: Rules
    protocol: str
    names: tuple[str, ...]
    hands: int
    #: The parameters of the protocol, as canonical JSON.
    parameters: bytes = b"{}"
    #: What a player should know before it begins.
    warning: str | None = None

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


@dataclass(frozen=True)
class Play:
    """A game that is played now: what, where it is kept, who looks on, and what was said before."""

    plan: Plan
    kept: KeptGame
    screen: Screen
    person: Person | None
    copies: Sequence[LogCopy]
    #: None for a game that is new.
    earlier: Earlier | None = None

    @property
    def bots(self) -> list[int]:
        """The seats that no person plays."""
        return [seat for seat, name in enumerate(self.plan.names) if self.person is None or name != self._person_name]

    @property
    def _person_name(self) -> str | None:
        return self.kept.what.person

    def order(self, url: str, seat: int, host: bytes) -> PlayerOrder:
        """What a player is told."""
        plan, home = self.plan, str(self.kept.home(seat))
        spared = () if self.person is None or self._person_name is None else (self._person_name,)
        return PlayerOrder(
            url, plan.names[seat], plan.hands, plan.expected, plan.place, host, home, self.kept.what.patience, spared
        )


# --- A new game ---


def run(plan: Plan, *, auto: bool, json: bool, seed: int | None, log: Path | None, patience: float = PATIENCE) -> int:
    """Play, tell what happens, verify. Gives the exit code."""
    refuse_without_asserts()
    screen = Screen(json)
    asks = seed is None and plan.game.listens and sys.stdin.isatty() and not (auto or json)
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        if plan.warning is not None:
            err().print(f"[yellow]{shown(plan.warning)}[/yellow]", soft_wrap=True)
        kept = keep(_kept(plan, plan.names[0] if asks else None, patience, seed, log))
        if not json:
            screen.say(f"[dim]This game is kept in {shown(kept.folder)}[/dim]")
        if seed is not None:
            kept.host.mkdir(FOLDER_MODE)
            copies.append(stack.enter_context(LogCopy.new(kept.kept_log, FILE_MODE)))
        person = Person(plan.game.words, screen.asking) if asks else None
        return _carry_out(Play(plan, kept, screen, person, copies))


def _kept(plan: Plan, person: str | None, patience: float, seed: int | None, log: Path | None) -> Kept:
    return Kept(
        format=FORMAT,
        version=FORMAT_VERSION,
        begun=int(time.time()),
        place=plan.place,
        settings=tuple(sorted(plan.settings.items())),
        protocol=plan.protocol,
        parameters=plan.parameters.decode(),
        names=plan.names,
        hands=plan.hands,
        person=person,
        patience=patience,
        seed=seed,
        log=None if log is None else str(log.absolute()),
    )


def plan_of(
    place: str,
    settings: Mapping[str, str],
    *,
    protocol: str | None = None,
    seats: int | None = None,
    hands: int | None = None,
    parameters: bytes | None = None,
    names: tuple[str, ...] | None = None,
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
    return Plan(game, place, dict(settings), rules, on, names or NAMES[:count], hands or game.hands, said, warning)


# --- One that goes on ---


def go_on(name: str | None, *, auto: bool, json: bool) -> int:
    """Play a kept game to its end. Gives the exit code."""
    refuse_without_asserts()
    kept = find_game(name)
    what = kept.what
    if what.seed is not None:
        raise BadParameter(f"{kept.name} is a rehearsal: `nodealer play --seed {what.seed}` plays it again")
    if (ended := kept.ended) is not None:
        raise BadParameter(f"{kept.name} has ended ({ended.verdict}); its log is in {kept.log}")
    _wait_until_free(kept)
    earlier = kept.earlier()
    screen = Screen(json)
    if what.person is not None and not auto and (json or not sys.stdin.isatty()):
        raise BadParameter(
            f"{what.person} is played by a person: resume in a terminal, or with --auto let a bot play on"
        )
    settings = game_of(what.place).settled(dict(what.settings))
    plan = plan_of(
        what.place,
        settings,
        protocol=what.protocol,
        seats=len(what.names),
        hands=what.hands,
        parameters=what.parameters.encode(),
        names=what.names,
    )
    person = None if what.person is None or auto else Person(plan.game.words, screen.asking)
    with ExitStack() as stack:
        copies = [] if what.log is None else [stack.enter_context(LogCopy.again(Path(what.log)))]
        return _carry_out(Play(plan, kept, screen, person, copies, earlier))


def _wait_until_free(kept: KeptGame) -> None:
    """Players whose table was killed notice it, and end."""
    deadline = time.monotonic() + ENDING
    while kept.in_use:
        if time.monotonic() > deadline:
            raise BadParameter(f"{kept.name} is being played, or one of its players has not ended yet")
        time.sleep(0.1)


# --- Both ---


def _carry_out(play: Play) -> int:
    """Play it, and say what it came to. Whatever happens, what there is stays."""
    started = time.perf_counter()
    try:
        replica = _rehearsed(play) if play.kept.what.seed is not None else asyncio.run(_play(play))
        play.screen.done(replica, time.perf_counter() - started)
        return _verify(play, replica).exit_code
    except (KeyboardInterrupt, PipeClosed):
        _left(play)
        raise


def _rehearsed(play: Play) -> Replica:
    plan, seed = play.plan, play.kept.what.seed
    protocol = make_protocol(plan.protocol, plan.parameters)
    follow = partial(follow_all, play.copies)
    return rehearse(plan.game, plan.rules, protocol, plan.names, plan.hands, seed or 0, play.screen, follow)


def _left(play: Play) -> None:
    """Somebody goes in the middle of the game: what was signed so far is theirs."""
    replica = play.screen.replica
    who = "Stopped" if play.person is None else "You left"
    kept = "" if replica is None else f"; the unfinished log is in [bold]{shown(_log_of(play))}[/bold]"
    on = "" if play.kept.what.seed is not None else f"; {_resume(play.kept)} goes on"
    err().print(f"\n{who} {_where(play, replica)}{kept}{on}.", soft_wrap=True)


def _where(play: Play, replica: Replica | None) -> str:
    if replica is None:
        return "before the game began"
    number = replica.state.hand.number
    if replica.state.phase is Phase.PLAYING:
        return f"in hand {number + 1}"
    over = replica.state.over or number >= play.plan.hands
    return "after the last hand" if over else f"before hand {number + 1}"


def _resume(kept: KeptGame) -> str:
    """The command that goes on with a game; without a name it takes the newest."""
    try:
        newest = find_game(None).folder
    except BadParameter:
        newest = kept.folder
    return "`nodealer resume`" if newest == kept.folder else f"`nodealer resume {kept.name}`"


def _log_of(play: Play) -> Path:
    """The log as the person knows it, unless somebody has taken that one away."""
    return play.kept.kept_log if any(copy.left is not None for copy in play.copies) else play.kept.log


async def _play(play: Play) -> Replica:
    """The relay, a process for each bot, and here: the one who proposes and tells what happens, and the person."""
    plan, screen = play.plan, play.screen
    async with AsyncExitStack() as stack:
        host = stack.enter_context(home_in(play.kept.host, None, system_entropy))
        core = RelayCore()
        for frame in () if play.earlier is None else (*play.earlier.lobby, *play.earlier.entries):
            core.append(frame)
        url = await stack.enter_async_context(relay_on_loopback(core))
        key = host.identity.public
        orders = {play.kept.complaints(seat): play.order(url, seat, key) for seat in play.bots}
        processes = await stack.enter_async_context(bots(orders))
        watcher = Participant(host, entropy=system_entropy, host=key, parts=partial(parts_of, game=plan.game))
        if play.person is None:
            # Those who vote have said all they can after twice their patience.
            overseer = Overseer(plan.names, Attention(screen, plan.names), 2 * play.kept.what.patience + 2)
        else:
            overseer = Overseer(plan.names, None, None)
        tasks = [asyncio.ensure_future(_dropouts(play, processes, overseer.dropped))]
        if play.person is not None:
            (seat,) = set(range(len(plan.names))) - set(play.bots)
            looks = AtTheTable(play.person, screen, plan.names)
            tasks.append(asyncio.ensure_future(_sit(play.order(url, seat, key), play.person, looks)))
        return await _until(asyncio.ensure_future(_watch(url, play, watcher, overseer)), tasks)


async def _sit(order: PlayerOrder, person: Person, looks: AtTheTable) -> None:
    await sit(order, person, looks=looks)


async def _until(table: asyncio.Future[Replica], tasks: Iterable[asyncio.Future[None]]) -> Replica:
    """Wait for the end of the table. What fails meanwhile fails the game."""
    running: set[asyncio.Future[None]] = set(tasks)
    try:
        while not table.done():
            waited: set[asyncio.Future[Any]] = {table, *running}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in running if task.done()]:
                task.result()
                running.remove(task)
        return table.result()
    finally:
        left: list[asyncio.Future[Any]] = [table, *running]
        for one in left:
            one.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _dropouts(play: Play, processes: Mapping[str, Process], dropped: set[str]) -> None:
    """Say of each bot whose program does not end well that it has dropped out. The law says how it goes on."""

    async def follow(name: str, process: Process) -> None:
        code = await process.wait()
        if code != 0:
            how = how_it_ended(code, play.kept.complaints(play.plan.names.index(name)))
            play.screen.emit({"event": "dropout", "name": name, "code": code, "reason": how})
            if not play.screen.json:
                play.screen.say(f"[red]{shown(name)} has dropped out[/red]: {shown(how)}")
            dropped.add(name)

    await asyncio.gather(*(follow(name, process) for name, process in processes.items()))


async def _watch(url: str, play: Play, host: Participant, overseer: Overseer) -> Replica:
    """Propose the game once all players are there, then follow the log like any spectator."""
    plan, screen = play.plan, play.screen
    follow, proposed = screen.follow(host), False
    goes_on = play.earlier is not None and bool(play.earlier.entries)

    def watch(step: Step) -> list[bytes]:
        nonlocal proposed, goes_on
        for news in step.happened:
            if isinstance(news, Refuses):
                raise Declined(f"{news.name} declines: {news.reason}")
        if host.begun:
            _follow(play, host.replica)
        follow(step)
        if goes_on and not host.hearing:
            goes_on = False
            screen.say(f"[dim]It goes on {_where(play, host.replica)}.[/dim]")
        if proposed or host.begun or host.hearing or host.lobby.proposal is not None:
            return []
        came = {offer.name: offer for offer in host.offers}
        if not came.keys() >= set(plan.names):
            return []
        proposed = True
        return host.propose(plan.proposal([came[name].seated(seat) for seat, name in enumerate(plan.names)]))

    try:
        async with connect_to(url) as client:
            await Loop(host, client, watch=watch, patience=overseer).run()
    except Stuck as stuck:
        screen.emit({"event": "stuck", "reason": str(stuck)})
        if not screen.json:
            screen.say(f"[yellow]The game stops {_where(play, host.replica)}:[/yellow] {shown(stuck)}.")
    if host.silenced is not None:
        raise BadParameter(f"{play.kept.folder}: {host.silenced}")
    return host.replica


def _follow(play: Play, replica: Replica) -> None:
    for copy in play.copies:
        left = copy.left
        copy.follow(replica)
        if copy.left is not None and left is None:
            where = f"the log is in {play.kept.kept_log}"
            err().print(f"[yellow]{shown(copy.path)} is left alone: {shown(copy.left)}; {shown(where)}[/yellow]")


def _verify(play: Play, replica: Replica) -> Report:
    """Audit the log as anybody could, from the file alone."""
    path, screen = _log_of(play), play.screen
    report = verify_file(path, entropy=system_entropy, game=play.plan.game)
    if replica.state.phase is Phase.ENDED:
        play.kept.end(report.verdict, len(report.chronicle.records))
    if screen.json:
        screen.emit({"event": "verified", "log": visible(path)} | report.as_json())
        return report
    next_one = f"`nodealer show {shlex.quote(str(path))}` tells it again"
    if replica.state.phase is not Phase.ENDED:
        next_one = f"{_resume(play.kept)} goes on"
    screen.say(f"The log is in [bold]{shown(path)}[/bold]; {shown(next_one)}.")
    print_report(screen.console, report, brief=True)
    return report
