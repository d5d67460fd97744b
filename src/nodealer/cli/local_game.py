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
from nodealer.cli.cheat_option import Cheating, parse_cheat
from nodealer.cli.display import Display
from nodealer.cli.front_end import create_ui
from nodealer.cli.output import err, escape_markup, out, print_line
from nodealer.cli.terminal.event_lines import describe_progress
from nodealer.client.durable_files import FILE_MODE, FOLDER_MODE
from nodealer.client.entropy import system_entropy
from nodealer.client.events import LogVerified
from nodealer.client.front_end import FrontEndGone
from nodealer.client.game_catalogue import find_game
from nodealer.client.local_host import Decider, LocalGame, host_local_game
from nodealer.client.log_export import LogCopy, copy_log
from nodealer.client.narrator import game_summary
from nodealer.client.rehearsal import rehearse
from nodealer.client.saved_games import SavedGame, create_game_folder, game_record, recorded_setup
from nodealer.client.setup import TableSetup
from nodealer.client.time_limits import limits_for_bots
from nodealer.client.ui import UI
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.errors import BadParameter

#: After how many seconds a bot votes to go on without another, by default.
PATIENCE: Final = 30.0
#: How many seconds the players have to end after their table was killed.
ENDING: Final = 10.0


# --- A new game ---


def run(
    setup: TableSetup,
    *,
    auto: bool,
    json: bool,
    seed: int | None,
    log: Path | None,
    cheat: Cheating | None = None,
    patience: float = PATIENCE,
    named: bool = False,
    timed: bool = True,
) -> int:
    """Play a new game, show it, verify it, and return the exit code.

    `named`: the person chose the name of the first seat. `timed`: bots play with a clock. A person among bots has
    unlimited time, unless the setup has a clock.
    """
    refuse_without_asserts()
    only_bots = _why_only_bots(setup, auto=auto, json=json, seed=seed)
    person = None if only_bots else setup.names[0]
    if named and only_bots:
        raise BadParameter(phrases.name_but_only_bots(only_bots))
    if seed is not None and setup.clock is not None:
        raise BadParameter(phrases.CLOCK_IN_REHEARSAL)
    if only_bots and seed is None and timed and setup.clock is None:
        setup = replace(setup, clock=limits_for_bots(patience))
    if cheat is not None:
        cheat.refuse(seed, person)
    if only_bots and not auto and seed is None:
        print_line(err(), phrases.only_bots(escape_markup(only_bots)))
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        warning = setup.protocol.claims.warning_at(setup.seats)
        if warning is not None:
            print_line(err(), f"[magenta]{escape_markup(warning)}[/magenta]")
        option = None if cheat is None else cheat.option
        saved = create_game_folder(
            game_record(setup, person=person, patience=patience, seed=seed, log=log, cheat=option)
        )
        if not json:
            print_line(out(), phrases.saved_in(escape_markup(saved.folder)))
        if seed is not None:
            saved.host.mkdir(FOLDER_MODE)
            copies.append(stack.enter_context(LogCopy.new(saved.kept_log, FILE_MODE)))
        decider = Decider.BOT if person is None else Decider.PROGRAM if json else Decider.PERSON
        return _play_and_verify(LocalGame(setup, saved, decider, copies), cheat, json=json)


def _why_only_bots(setup: TableSetup, *, auto: bool, json: bool, seed: int | None) -> str:
    """Return why bots play all seats, or an empty string if a person or a program plays the first one."""
    if seed is not None:
        return phrases.BOTS_REHEARSE
    if auto:
        return phrases.BOTS_BY_OPTION
    if json:
        return ""
    if not sys.stdin.isatty():
        return phrases.BOTS_WITHOUT_TERMINAL
    return "" if setup.game.listens else phrases.bots_without_input(setup.game.name)


# --- One that goes on ---


def resume_game(saved: SavedGame, *, auto: bool, json: bool, at: Display = Display.TERMINAL) -> int:
    """Play a saved local game to its end, and return the exit code."""
    refuse_without_asserts()
    record = saved.record
    if record.seed is not None:
        raise BadParameter(phrases.is_rehearsal(saved.name, record.seed))
    if (ended := saved.ended) is not None:
        raise BadParameter(phrases.has_ended(saved.name, ended.verdict, saved.log))
    if record.folder is not None and str(Path.cwd()) != record.folder:
        # Another folder may have a different file of that name.
        raise BadParameter(phrases.resume_elsewhere(record.place, record.folder))
    wait_until_free(saved)
    earlier = saved.earlier()
    paged = at is not Display.TERMINAL and record.person is not None
    if record.person is not None and not (auto or json or paged or sys.stdin.isatty()):
        raise BadParameter(phrases.needs_player(record.person))
    setup = recorded_setup(record)
    cheat = None if record.cheat is None else parse_cheat(record.cheat, setup.names, setup.protocol)
    decider = Decider.PROGRAM if json else Decider.PERSON
    if record.person is None or (auto and not paged):
        decider = Decider.BOT
    with ExitStack() as stack:
        copies = [] if record.log is None else [stack.enter_context(LogCopy.again(Path(record.log)))]
        for copy in copies:
            if copy.left is not None:
                unusable = phrases.log_copy_unusable(
                    escape_markup(copy.path), escape_markup(copy.left), escape_markup(saved.kept_log)
                )
                print_line(err(), unusable)
        game = LocalGame(setup, saved, decider, copies, earlier)
        if paged:
            from nodealer.cli.play_page import resume_in_browser  # late: a terminal should not wait for a server

            return resume_in_browser(game, cheat, at)
        return _play_and_verify(game, cheat, json=json)


def wait_until_free(saved: SavedGame) -> None:
    """Wait for the players of a killed table to notice it and end. Raises `BadParameter` if they do not."""
    deadline = time.monotonic() + ENDING
    while saved.in_use:
        if time.monotonic() > deadline:
            raise BadParameter(phrases.still_played(saved.name))
        time.sleep(0.1)


# --- Both ---


def _play_and_verify(game: LocalGame, cheat: Cheating | None, *, json: bool) -> int:
    """Play the game, verify it, and return the exit code. If it is interrupted, say how to continue."""
    ui = create_ui(json=json, name=game.person, network=False)
    if cheat is not None:
        game = replace(game, programs=cheat.programs)
        ui.show(cheat.announcement)
    started = time.perf_counter()
    try:
        replica = _play(game, ui)
        ui.show(game_summary(replica, time.perf_counter() - started))
        report = _verify(game, ui, replica)
        if cheat is not None and not json:
            print_line(out(), phrases.cheat_outcome(escape_markup(cheat.outcome(report))))
        return report.exit_code
    except (KeyboardInterrupt, FrontEndGone):
        _report_interruption(game, ui.replica)
        raise


def _play(game: LocalGame, ui: UI) -> Replica:
    """Play the game or the rehearsal, and return its table."""
    seed = game.saved.record.seed
    if seed is None:
        return asyncio.run(host_local_game(game, ui))
    return rehearse(game.setup, seed, ui, partial(copy_log, game.copies, game.saved.kept_log, ui.show))


def _report_interruption(game: LocalGame, replica: Replica | None) -> None:
    """Say where the game was interrupted, where its log is, and how to continue."""
    log = None if replica is None else escape_markup(game.log)
    resume = None if game.saved.record.seed is not None else _resume_command(game.saved)
    by_person = game.decider is Decider.PERSON
    print_line(err(), phrases.interrupted(describe_progress(replica), log, resume, by_person=by_person))


def _resume_command(saved: SavedGame) -> str:
    """Return the command that continues this game; it needs no name if the game is the latest."""
    try:
        newest = find_game(None).folder
    except BadParameter:
        newest = saved.folder
    return phrases.resume_command(None if newest == saved.folder else saved.name)


def _verify(game: LocalGame, ui: UI, replica: Replica) -> Report:
    """Verify the log from its file alone, and show the report."""
    report = verify_file(game.log, entropy=system_entropy, game=game.setup.game)
    place = game.setup.place
    if replica.state.phase is Phase.ENDED:
        game.saved.end(report.verdict, len(report.chronicle.records))
        found = f" --game {place}" if ":" in place else ""
        next_step = phrases.replay_with(shlex.quote(str(game.log)), found)
    else:
        next_step = phrases.continue_with(_resume_command(game.saved))
    ui.show(LogVerified(str(game.log), report, next_step=next_step))
    return report
