"""`nodealer play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nodealer.errors import BadParameter


def play(
    game: Annotated[str, typer.Option(help="The game: holdem or wardens.")] = "holdem",
    protocol: Annotated[
        str | None, typer.Option(help="The card protocol; see `nodealer protocols`. Default: mask, for wardens duel.")
    ] = None,
    seats: Annotated[
        int | None, typer.Option(min=2, max=9, help="How many players; 4 by default. Wardens is for 2.")
    ] = None,
    hands: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="How many hands; 3 by default, of wardens 1.")
    ] = None,
    decks: Annotated[
        str | None, typer.Option(help="Wardens: whose decks, two of ember, tide, root, veil; default: ember,tide.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="Wardens: how decks are kept honest: proven (default), committed, xor.")
    ] = None,
    parameters: Annotated[
        str | None,
        typer.Option(help='Hold\'em: of the card protocol, JSON without spaces; for chain such as {"proven":false}.'),
    ] = None,
    blinds: Annotated[str | None, typer.Option(help="Hold'em: small and big blind; default: 1/2.")] = None,
    ante: Annotated[
        int | None, typer.Option(min=0, help="Hold'em: what every player pays before each hand; default: 0.")
    ] = None,
    stack: Annotated[
        int | None, typer.Option(min=1, help="Hold'em: chips to begin with, play money; default: 200.")
    ] = None,
    log: Annotated[Path | None, typer.Option(help="Save the log here. It proves the game to anybody.")] = None,
    auto: Annotated[bool, typer.Option("--auto", help="All seats are bots.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object an event on standard output.")] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="A rehearsal: everything from this number, so nothing is secret.")
    ] = None,
) -> None:
    """Play cards without a dealer, then verify the game from its own log.

    In a terminal you play one seat and bots the others; with --auto, or without a terminal, bots play all seats. Each
    player is a process of its own with its own secrets; a relay on this machine only carries their messages.
    """
    if game not in ("holdem", "wardens"):
        raise BadParameter(f"there is no game {game!r}; there are holdem and wardens")
    # Late, like everything that imports pokerkit: no other command should wait for it.
    from nodealer.cli.playing import plan_of, run, wardens_plan

    if game == "wardens":
        _refuse_given("holdem", parameters=parameters, blinds=blinds, ante=ante, stack=stack)
        plan = wardens_plan(protocol or "duel", seats or 2, hands or 1, decks or "ember,tide", mode)
    else:
        _refuse_given("wardens", mode=mode, decks=decks)
        chips = 200 if stack is None else stack
        settings = (parameters or "{}").encode()
        plan = plan_of(protocol or "mask", seats or 4, hands or 3, blinds or "1/2", ante or 0, chips, settings)
    raise typer.Exit(run(plan, auto=auto, json=json, seed=seed, log=log))


def _refuse_given(game: str, **options: object) -> None:
    """What belongs to another game is not passed over: somebody means something by it."""
    for name, given in options.items():
        if given is not None:
            raise BadParameter(f"--{name} belongs to {game}")
