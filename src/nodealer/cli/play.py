"""`nodealer play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from nodealer.cli.commands import Command
from nodealer.cli.completion import games, protocols
from nodealer.cli.display import NoBrowser, Terminal, Where, where
from nodealer.cli.games import game_of, games_here, settings_of
from nodealer.cli.output import shown
from nodealer.client.time_limits import limits_of
from nodealer.errors import BadParameter
from nodealer.games.registry import FIRST


class PlayCommand(Command):
    """Its help tells the settings of every game that is here: they are looked for when somebody asks."""

    #: What `play` does not know itself, the game that is played may.
    takes_all = True

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help of the command, with the games before its example."""
        example = self.epilog
        self.epilog = f"{_games()}\n\n{example}"
        try:
            super().format_help(ctx, formatter)
        finally:
            self.epilog = example


#: How it is made a command.
COMMAND: Final = PlayCommand


def _games() -> str:
    told = []
    for game in games_here():
        if game.bot is not None:
            told.append(f"[bold]--game {shown(game.name)}[/bold] ({game.seats} seats, {shown(game.protocol)})")
            told += [
                f"  --{shown(setting.name)}: {shown(setting.help)}; default: {shown(setting.default)}"
                for setting in game.settings
            ]
    return "\n".join(["Games, and what can be set for each:", *told])


def play(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Option(
            metavar="GAME",
            help="The game: one that is installed (see below), or where one is, as module:attribute.",
            autocompletion=games,
        ),
    ] = FIRST,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="PROTOCOL",
            help="The card protocol; see `nodealer protocols`. Default: the game's own.",
            autocompletion=protocols,
        ),
    ] = None,
    seats: Annotated[
        int | None, typer.Option(min=2, max=9, metavar="N", help="How many players. Default: the game's own.")
    ] = None,
    hands: Annotated[
        int | None, typer.Option(min=1, max=10_000, metavar="N", help="How many hands. Default: the game's own.")
    ] = None,
    parameters: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help='What is set for the card protocol, as JSON without spaces; for chain such as {"proven":false}.',
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the log here too. It proves the game to anybody. Never over a file."),
    ] = None,
    patience: Annotated[
        float,
        typer.Option(
            min=0.1,
            metavar="SECONDS",
            help="After how many seconds bots would go on without a bot that does not answer.",
        ),
    ] = 30.0,
    clock: Annotated[
        float | None,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Somebody keeps the time: so many seconds for a move, and twice as many in the bank; whoever takes "
            "longer gets the move of the rules. Default: bots wait for you as long as you like.",
        ),
    ] = None,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="Nobody keeps the time, among bots too.")] = False,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Your name at the table. Default: Ada.")] = None,
    auto: Annotated[bool, typer.Option("--auto", help="All seats are bots.")] = False,
    json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object an event. Without --auto a program plays your seat, by JSON too."),
    ] = False,
    cheat: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT[:KIND]",
            help="A bot that cheats, by name or number from 0, and how: double, mark, false-key, other-card, "
            "two-things, throw-out, or another attack that a seat alone can try. Default: double.",
        ),
    ] = None,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="A rehearsal: everything from this number, so nothing is secret."),
    ] = None,
) -> None:
    """Play cards without a dealer, then verify the game from its own log.

    Your table opens in the browser, or with --terminal, or where no browser is, in the terminal: you play one seat and
    bots the others; with --auto, or without a browser and a terminal, bots play all seats. Each
    player is a process of its own with its own secrets; a relay on this machine only carries their messages.

    With --json a program in any language plays your seat: an event "ask" says what is asked and what the seat sees, and
    one line on standard input answers, such as {"ask":1,"move":{"type":"call"}}. docs/build/programs.md has the rest.

    Every game is kept, from its first entry on, whatever ends it: `nodealer games` lists them, `nodealer resume` goes
    on with one that was interrupted. Ends with 0 when the log of the game is clean, 1 when somebody cheated, 3 when
    the game is not complete, 4 when players did not come to the table.
    """
    settings = settings_of(game_of(game), context.args)
    from nodealer.cli.local_game import run
    from nodealer.cli.plan import plan_of  # late: no other command should wait for protocols and sockets

    if clock is not None and no_clock:
        raise BadParameter("--clock says that somebody keeps the time, and --no-clock that nobody does")
    plan = plan_of(
        game,
        settings,
        protocol=protocol,
        seats=seats,
        hands=hands,
        parameters=None if parameters is None else parameters.encode(),
        person=name,
        cheat=cheat,
        clock=None if clock is None else limits_of(clock),
    )
    at = where(terminal=terminal, no_browser=no_browser, by_hand=not (auto or json) and seed is None)
    if at is not Where.TERMINAL:
        from nodealer.cli.play_page import play_in_browser

        play_in_browser(plan, at=at, log=log, patience=patience)
    told = {"auto": auto, "json": json, "named": name is not None, "timed": not no_clock}
    raise typer.Exit(run(plan, seed=seed, log=log, patience=patience, **told))
