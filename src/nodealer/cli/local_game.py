"""A game between players that need not trust each other, each in a process of its own. What `nodealer play` does, and
`nodealer resume`. Every game is kept, from its first entry on."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.display import Where
from nodealer.cli.entropy import system_entropy
from nodealer.cli.game_catalogue import find_game
from nodealer.cli.games import game_of
from nodealer.cli.local_host import Play, host
from nodealer.cli.log_export import LogCopy, follow_all
from nodealer.cli.output import PipeClosed, err, print_line, shown
from nodealer.cli.plan import PlayPlan, plan_of
from nodealer.cli.program import Program
from nodealer.cli.rehearse import rehearse
from nodealer.cli.saved_games import FORMAT, Kept, KeptGame, keep
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.verify import print_report
from nodealer.client.durable_files import FILE_MODE, FOLDER_MODE
from nodealer.client.time_limits import limits_for_bots
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.errors import BadParameter
from nodealer.log.control_characters import escape_controls
from nodealer.log.session import FORMAT_VERSION
from nodealer.protocols import make_protocol

#: After how many seconds a bot would go on without another, unless somebody says otherwise.
PATIENCE: Final = 30.0
#: How many seconds the players of a game have to end, when their table has gone.
ENDING: Final = 3.0


# --- A new game ---


def run(
    plan: PlayPlan,
    *,
    auto: bool,
    json: bool,
    seed: int | None,
    log: Path | None,
    patience: float = PATIENCE,
    named: bool = False,
    timed: bool = True,
) -> int:
    """Play, tell what happens, verify. Gives the exit code. `named` says that somebody gave the first seat its name.

    `timed`: among bots somebody keeps the time. A person at a table of bots has all the time it wants, unless the plan
    says otherwise.
    """
    refuse_without_asserts()
    screen = Screen(json)
    only_bots = _only_bots(plan, auto=auto, json=json, seed=seed)
    person = None if only_bots else plan.names[0]
    if named and only_bots:
        raise BadParameter(f"--name is the name of a person, and bots play all seats: {only_bots}")
    if seed is not None and plan.clock is not None:
        raise BadParameter("nothing takes time in a rehearsal: --clock is for a game that is played")
    if only_bots and seed is None and timed and plan.clock is None:
        plan = replace(plan, clock=limits_for_bots(patience))
    if plan.cheat is not None:
        plan.cheat.refuse(seed, person)
    if only_bots and not auto and seed is None:
        print_line(err(), f"Bots play all seats: {shown(only_bots)}.")
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        if plan.warning is not None:
            print_line(err(), f"[magenta]{shown(plan.warning)}[/magenta]")
        kept = keep(kept_of(plan, person, patience, seed, log))
        if not json:
            screen.say(f"[dim]This game is kept in {shown(kept.folder)}[/dim]")
        if seed is not None:
            kept.host.mkdir(FOLDER_MODE)
            copies.append(stack.enter_context(LogCopy.new(kept.kept_log, FILE_MODE)))
        return _carry_out(Play(plan, kept, screen, None if only_bots else _somebody(plan, screen), copies))


def _only_bots(plan: PlayPlan, *, auto: bool, json: bool, seed: int | None) -> str:
    """Why bots play all seats; empty where somebody else plays the first one."""
    if seed is not None:
        return "a rehearsal has no secrets to play with"
    if auto:
        return "--auto says so"
    if json:
        return ""
    if not sys.stdin.isatty():
        return "there is no terminal here to play in; with --json a program can play"
    return "" if plan.game.listens else f"{plan.game.name} has no words for what a person types; see --json"


def _somebody(plan: PlayPlan, screen: Screen) -> Person | Program:
    """The one who plays the seat that no bot has."""
    return Program(plan.game, screen) if screen.json else Person(plan.game.words, screen.asking)


def kept_of(plan: PlayPlan, person: str | None, patience: float, seed: int | None, log: Path | None) -> Kept:
    """What is written down of a game before it begins."""
    return Kept(
        format=FORMAT,
        version=FORMAT_VERSION,
        begun=int(time.time()),
        place=plan.place,
        folder=str(Path.cwd()) if ":" in plan.place else None,
        settings=tuple(sorted(plan.settings.items())),
        protocol=plan.protocol,
        parameters=plan.parameters.decode(),
        names=plan.names,
        hands=plan.hands,
        person=person,
        patience=patience,
        seed=seed,
        log=None if log is None else str(log.absolute()),
        cheat=None if plan.cheat is None else f"{plan.cheat.seat}:{plan.cheat.attack}",
        clock=plan.clock,
    )


# --- One that goes on ---


def go_on(kept: KeptGame, *, auto: bool, json: bool, at: Where = Where.TERMINAL) -> int:
    """Play a kept game of this machine to its end. Gives the exit code."""
    refuse_without_asserts()
    what = kept.what
    if what.seed is not None:
        raise BadParameter(f"{kept.name} is a rehearsal: `nodealer play --seed {what.seed}` plays it again")
    if (ended := kept.ended) is not None:
        raise BadParameter(f"{kept.name} has ended ({ended.verdict}); its log is in {kept.log}")
    if what.folder is not None and str(Path.cwd()) != what.folder:
        # Another folder may have another file of that name.
        raise BadParameter(f"the game {what.place} was found in {what.folder}: resume it there")
    wait_until_free(kept)
    earlier = kept.earlier()
    screen = Screen(json)
    paged = at is not Where.TERMINAL and what.person is not None
    if what.person is not None and not (auto or json or paged or sys.stdin.isatty()):
        raise BadParameter(
            f"{what.person} is no bot: resume in a terminal, or with --auto let a bot play on, or with --json a program"
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
        cheat=what.cheat,
        clock=what.clock,
    )
    person = None if what.person is None or auto or paged else _somebody(plan, screen)
    with ExitStack() as stack:
        copies = [] if what.log is None else [stack.enter_context(LogCopy.again(Path(what.log)))]
        for copy in copies:
            if copy.left is not None:
                where = f"{copy.path} cannot be written: {copy.left}; the log is in {kept.kept_log}"
                print_line(err(), f"[magenta]{shown(where)}[/magenta]")
        if paged:
            from nodealer.cli.browser_table import Page, PageScreen  # late: a terminal should not wait for a server
            from nodealer.cli.play_page import go_on_in_browser

            page = Page()
            page.game = plan.game
            sits, beside = page.sit("player", what.person), PageScreen(page, at)
            return go_on_in_browser(Play(plan, kept, beside, sits, copies, earlier), page, at)
        return _carry_out(Play(plan, kept, screen, person, copies, earlier))


def wait_until_free(kept: KeptGame) -> None:
    """Players whose table was killed notice it, and end."""
    deadline = time.monotonic() + ENDING
    while kept.in_use:
        if time.monotonic() > deadline:
            raise BadParameter(f"{kept.name} is being played, or one of its players has not ended yet")
        time.sleep(0.1)


# --- Both ---


def _carry_out(play: Play) -> int:
    """Play it, and say what it came to. Whatever happens, what there is stays."""
    cheat = play.plan.cheat
    if cheat is not None:
        cheat.announce(play.screen)
    started = time.perf_counter()
    try:
        replica = _rehearsed(play) if play.kept.what.seed is not None else asyncio.run(host(play))
        play.screen.done(replica, time.perf_counter() - started)
        report = _verify(play, replica)
        if cheat is not None:
            cheat.judge(play.screen, report)
        return report.exit_code
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
    who = "You stopped" if isinstance(play.person, Person) else "Stopped"
    kept = "" if replica is None else f"; the unfinished log is in [bold]{shown(play.log)}[/bold]"
    on = "" if play.kept.what.seed is not None else f"; {_resume(play.kept)} goes on"
    print_line(err(), f"\n{who} {play.where(replica)}{kept}{on}.")


def _resume(kept: KeptGame) -> str:
    """The command that goes on with a game; without a name it takes the newest."""
    try:
        newest = find_game(None).folder
    except BadParameter:
        newest = kept.folder
    return "`nodealer resume`" if newest == kept.folder else f"`nodealer resume {kept.name}`"


def _verify(play: Play, replica: Replica) -> Report:
    """Audit the log as anybody could, from the file alone."""
    path, screen = play.log, play.screen
    report = verify_file(path, entropy=system_entropy, game=play.plan.game)
    if replica.state.phase is Phase.ENDED:
        play.kept.end(report.verdict, len(report.chronicle.records))
    if screen.json:
        screen.emit({"event": "verified", "log": escape_controls(path)} | report.as_json())
        return report
    place = play.plan.place
    found = f" --game {place}" if ":" in place else ""
    next_one = f"`nodealer show {shlex.quote(str(path))}{found}` tells it again"
    if replica.state.phase is not Phase.ENDED:
        next_one = f"{_resume(play.kept)} goes on"
    screen.say(f"The log is in [bold]{shown(path)}[/bold]; {shown(next_one)}.")
    print_report(screen.console, report, brief=True)
    return report
