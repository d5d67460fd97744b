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
    decks: Annotated[str, typer.Option(help="Wardens: whose decks, two of ember, tide, root, veil.")] = "ember,tide",
    mode: Annotated[
        str | None, typer.Option(help="Wardens: how decks are kept honest: proven (default), committed, xor.")
    ] = None,
    parameters: Annotated[
        str, typer.Option(help='Of the card protocol, in canonical JSON; for chain such as {"proven":false}.')
    ] = "{}",
    blinds: Annotated[str, typer.Option(help="Small and big blind.")] = "1/2",
    ante: Annotated[int, typer.Option(min=0, help="What every player pays before each hand.")] = 0,
    stack: Annotated[int, typer.Option(min=1, help="Chips to begin with. Play money.")] = 200,
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
        plan = wardens_plan(protocol or "duel", seats or 2, hands or 1, decks, mode)
    elif mode is not None:
        raise BadParameter("--mode belongs to wardens")
    else:
        plan = plan_of(protocol or "mask", seats or 4, hands or 3, blinds, ante, stack, parameters.encode())
    raise typer.Exit(run(plan, auto=auto, json=json, seed=seed, log=log))
