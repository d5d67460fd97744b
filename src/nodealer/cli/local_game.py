"""Local games between players that do not trust each other, each in its own process.

For `nodealer play` and `nodealer resume`. Every game is saved from its first entry on.
"""

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

from nodealer.audit.report import Report
from nodealer.audit.verify import verify_file
from nodealer.cli import text as phrases
from nodealer.cli.display import Display
from nodealer.cli.local_host import Play, host
from nodealer.cli.output import PipeClosed, err, escape_markup, print_line
from nodealer.cli.plan import PlayPlan, create_plan
from nodealer.cli.program import Program
from nodealer.cli.rehearse import rehearse
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.verify import print_report
from nodealer.client.durable_files import FILE_MODE, FOLDER_MODE
from nodealer.client.entropy import system_entropy
from nodealer.client.events import LogVerified
from nodealer.client.game_catalogue import find_game
from nodealer.client.game_loader import load_game
from nodealer.client.log_export import LogCopy, follow_all
from nodealer.client.saved_games import FORMAT, GameRecord, SavedGame, keep
from nodealer.client.time_limits import limits_for_bots
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.errors import BadParameter
from nodealer.log.session import FORMAT_VERSION
from nodealer.protocols import make_protocol

#: After how many seconds a bot votes to go on without another, by default.
PATIENCE: Final = 30.0
#: How many seconds the players have to end after their table was killed.
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
    """Play a new game, show it, verify it, and return the exit code.

    `named`: the person chose the name of the first seat. `timed`: bots play with a clock. A person among bots has
    unlimited time, unless the plan has a clock.
    """
    refuse_without_asserts()
    screen = Screen(json)
    only_bots = _why_only_bots(plan, auto=auto, json=json, seed=seed)
    person = None if only_bots else plan.names[0]
    if named and only_bots:
        raise BadParameter(phrases.name_but_only_bots(only_bots))
    if seed is not None and plan.clock is not None:
        raise BadParameter(phrases.CLOCK_IN_REHEARSAL)
    if only_bots and seed is None and timed and plan.clock is None:
        plan = replace(plan, clock=limits_for_bots(patience))
    if plan.cheat is not None:
        plan.cheat.refuse(seed, person)
    if only_bots and not auto and seed is None:
        print_line(err(), phrases.only_bots(escape_markup(only_bots)))
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        if plan.warning is not None:
            print_line(err(), f"[magenta]{escape_markup(plan.warning)}[/magenta]")
        kept = keep(game_record(plan, person, patience, seed, log))
        if not json:
            screen.say(phrases.saved_in(escape_markup(kept.folder)))
        if seed is not None:
            kept.host.mkdir(FOLDER_MODE)
            copies.append(stack.enter_context(LogCopy.new(kept.kept_log, FILE_MODE)))
        return _play_and_verify(Play(plan, kept, screen, None if only_bots else _create_player(plan, screen), copies))


def _why_only_bots(plan: PlayPlan, *, auto: bool, json: bool, seed: int | None) -> str:
    """Return why bots play all seats, or an empty string if a person or a program plays the first one."""
    if seed is not None:
        return phrases.BOTS_REHEARSE
    if auto:
        return phrases.BOTS_BY_OPTION
    if json:
        return ""
    if not sys.stdin.isatty():
        return phrases.BOTS_WITHOUT_TERMINAL
    return "" if plan.game.listens else phrases.bots_without_input(plan.game.name)


def _create_player(plan: PlayPlan, screen: Screen) -> Person | Program:
    """Create the player of the seat that no bot has: a person, or a program."""
    return Program(plan.game) if screen.json else Person(plan.game.words, screen.asking)


def game_record(plan: PlayPlan, person: str | None, patience: float, seed: int | None, log: Path | None) -> GameRecord:
    """Return the record of a game that is saved before it begins."""
    return GameRecord(
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


def resume_game(kept: SavedGame, *, auto: bool, json: bool, at: Display = Display.TERMINAL) -> int:
    """Play a saved local game to its end, and return the exit code."""
    refuse_without_asserts()
    what = kept.what
    if what.seed is not None:
        raise BadParameter(phrases.is_rehearsal(kept.name, what.seed))
    if (ended := kept.ended) is not None:
        raise BadParameter(phrases.has_ended(kept.name, ended.verdict, kept.log))
    if what.folder is not None and str(Path.cwd()) != what.folder:
        # Another folder may have a different file of that name.
        raise BadParameter(phrases.resume_elsewhere(what.place, what.folder))
    wait_until_free(kept)
    earlier = kept.earlier()
    screen = Screen(json)
    paged = at is not Display.TERMINAL and what.person is not None
    if what.person is not None and not (auto or json or paged or sys.stdin.isatty()):
        raise BadParameter(phrases.needs_player(what.person))
    settings = load_game(what.place).settled(dict(what.settings))
    plan = create_plan(
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
    person = None if what.person is None or auto or paged else _create_player(plan, screen)
    with ExitStack() as stack:
        copies = [] if what.log is None else [stack.enter_context(LogCopy.again(Path(what.log)))]
        for copy in copies:
            if copy.left is not None:
                unusable = phrases.log_copy_unusable(
                    escape_markup(copy.path), escape_markup(copy.left), escape_markup(kept.kept_log)
                )
                print_line(err(), unusable)
        if paged:
            from nodealer.cli.browser_table import Page, PageScreen  # late: a terminal should not wait for a server
            from nodealer.cli.play_page import resume_in_browser

            page = Page()
            page.game = plan.game
            page_person, page_screen = page.sit("player", what.person), PageScreen(page, at)
            return resume_in_browser(Play(plan, kept, page_screen, page_person, copies, earlier), page, at)
        return _play_and_verify(Play(plan, kept, screen, person, copies, earlier))


def wait_until_free(kept: SavedGame) -> None:
    """Wait for the players of a killed table to notice it and end. Raises `BadParameter` if they do not."""
    deadline = time.monotonic() + ENDING
    while kept.in_use:
        if time.monotonic() > deadline:
            raise BadParameter(phrases.still_played(kept.name))
        time.sleep(0.1)


# --- Both ---


def _play_and_verify(play: Play) -> int:
    """Play the game, verify it, and return the exit code. If it is interrupted, say how to continue."""
    cheat = play.plan.cheat
    if cheat is not None:
        cheat.announce(play.screen)
    started = time.perf_counter()
    try:
        replica = _rehearse(play) if play.kept.what.seed is not None else asyncio.run(host(play))
        play.screen.print_summary(replica, time.perf_counter() - started)
        report = _verify(play, replica)
        if cheat is not None:
            cheat.judge(play.screen, report)
        return report.exit_code
    except (KeyboardInterrupt, PipeClosed):
        _report_interruption(play)
        raise


def _rehearse(play: Play) -> Replica:
    """Play the rehearsal and return its replica."""
    plan, seed = play.plan, play.kept.what.seed
    protocol = make_protocol(plan.protocol, plan.parameters)
    follow = partial(follow_all, play.copies)
    return rehearse(plan.game, plan.rules, protocol, plan.names, plan.hands, seed or 0, play.screen, follow)


def _report_interruption(play: Play) -> None:
    """Say where the game was interrupted, where its log is, and how to continue."""
    replica = play.screen.replica
    log = None if replica is None else escape_markup(play.log)
    resume = None if play.kept.what.seed is not None else _resume_command(play.kept)
    by_person = isinstance(play.person, Person)
    print_line(err(), phrases.interrupted(play.progress(replica), log, resume, by_person=by_person))


def _resume_command(kept: SavedGame) -> str:
    """Return the command that continues this game; it needs no name if the game is the latest."""
    try:
        newest = find_game(None).folder
    except BadParameter:
        newest = kept.folder
    return phrases.resume_command(None if newest == kept.folder else kept.name)


def _verify(play: Play, replica: Replica) -> Report:
    """Verify the log from its file alone, and print or emit the report."""
    path, screen = play.log, play.screen
    report = verify_file(path, entropy=system_entropy, game=play.plan.game)
    if replica.state.phase is Phase.ENDED:
        play.kept.end(report.verdict, len(report.chronicle.records))
    if screen.json:
        screen.emit(LogVerified(str(path), report))
        return report
    place = play.plan.place
    found = f" --game {place}" if ":" in place else ""
    next_step = phrases.replay_with(shlex.quote(str(path)), found)
    if replica.state.phase is not Phase.ENDED:
        next_step = phrases.continue_with(_resume_command(play.kept))
    screen.say(f"{phrases.log_in(escape_markup(path))} {escape_markup(next_step)}")
    print_report(screen.console, report, brief=True)
    return report
