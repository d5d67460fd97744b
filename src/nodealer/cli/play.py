"""`nodealer play`."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from nodealer.cli import text as phrases
from nodealer.cli.commands import Command, option_names
from nodealer.cli.display import Display, choose_display
from nodealer.cli.options import GameName, Hands, LogCopyFile, NoBrowser, Parameters, Protocol, Terminal
from nodealer.cli.output import escape_markup
from nodealer.cli.settings import parse_settings
from nodealer.client.game_loader import installed_games, load_game
from nodealer.client.time_limits import limits_for_people
from nodealer.errors import BadParameter
from nodealer.games.registry import DEFAULT_GAME


class PlayCommand(Command):
    """A command whose help lists the settings of every installed game. The games are loaded only for the help."""

    #: Options that `play` does not know may be settings of the game.
    accepts_unknown = True

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Format the help of the command, with the games before its example."""
        example = self.epilog
        self.epilog = f"{_games_help()}\n\n{example}"
        try:
            super().format_help(ctx, formatter)
        finally:
            self.epilog = example


#: The class of this command.
COMMAND: Final = PlayCommand


def _games_help() -> str:
    """Return the part of the help text that lists the installed games that have a bot, and their settings."""
    lines = []
    for game in installed_games():
        if game.bot is not None:
            lines.append(
                f"[bold]--game {escape_markup(game.name)}[/bold] ({game.seats} seats, {escape_markup(game.protocol)})"
            )
            lines += [
                escape_markup(f"  --{setting.name}: {setting.help} (default: {setting.default})")
                for setting in game.settings
            ]
    return "\n".join(["Games and their settings:", *lines])


def play(
    context: typer.Context,
    game: GameName = DEFAULT_GAME,
    protocol: Protocol = None,
    seats: Annotated[
        int | None, typer.Option(min=2, max=9, metavar="N", help="Number of players. Default: the game's own.")
    ] = None,
    hands: Hands = None,
    parameters: Parameters = None,
    log: LogCopyFile = None,
    patience: Annotated[
        float,
        typer.Option(
            min=0.1,
            metavar="SECONDS",
            help="Bots vote to go on without a bot that has not answered for SECONDS.",
        ),
    ] = 30.0,
    clock: Annotated[
        float | None,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Shot clock: SECONDS per move, plus a time bank of twice that. A player who runs out of time gets "
            "the game's default move. Default: bots wait for you as long as you like.",
        ),
    ] = None,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="No shot clock, not even among bots.")] = False,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Your name at the table. Default: Ada.")] = None,
    auto: Annotated[bool, typer.Option("--auto", help="Bots play all seats.")] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="One JSON object per event. Unless --auto is given, a program plays your seat through JSON."
        ),
    ] = False,
    cheat: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT[:KIND]",
            help="Let the bot at SEAT (a name, or a number from 0) cheat. KIND is double (default), mark, false-key, "
            "other-card, two-things, throw-out, or another installed cheat.",
        ),
    ] = None,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Rehearsal: derive everything from the number N, so nothing is secret."),
    ] = None,
) -> None:
    """Play cards without a dealer, then verify the game from its log.

    Your table opens in the browser, or in the terminal with --terminal or if there is no browser. You play one seat and
    bots play the others. With --auto, or if there is neither a browser nor a terminal, bots play all seats. Each player
    is a separate process with its own secrets. A relay on this machine carries their messages.

    With --json, a program in any language plays your seat. An "ask" event says what is asked and what the seat sees;
    one line on standard input answers it, such as {"ask":1,"move":{"type":"call"}}. See docs/build/programs.md.

    Every game is saved from its first entry on. `nodealer games` lists saved games and `nodealer resume` continues an
    interrupted one.

    Exit codes: 0 the log is clean, 1 a player cheated, 3 the game is incomplete, 4 players did not come to the table.
    """
    package = load_game(game)
    settings = parse_settings(package, context.args, option_names(context))
    from nodealer.cli.cheat_option import parse_cheat  # late: no other command should wait for protocols and sockets
    from nodealer.cli.local_game import run
    from nodealer.client.setup import table_setup

    if clock is not None and no_clock:
        raise BadParameter(phrases.cannot_combine("--clock", "--no-clock"))
    setup = table_setup(
        package,
        settings,
        place=game,
        protocol=protocol,
        seats=seats,
        hands=hands,
        parameters=None if parameters is None else parameters.encode(),
        clock=None if clock is None else limits_for_people(clock),
    ).with_bots(name)
    cheating = None if cheat is None else parse_cheat(cheat, setup.names, setup.protocol)
    at = choose_display(terminal=terminal, no_browser=no_browser, by_hand=not (auto or json) and seed is None)
    if at is not Display.TERMINAL:
        from nodealer.cli.play_page import play_in_browser

        play_in_browser(setup, at=at, log=log, patience=patience)
    told = {"auto": auto, "json": json, "named": name is not None, "timed": not no_clock}
    raise typer.Exit(run(setup, cheat=cheating, seed=seed, log=log, patience=patience, **told))
