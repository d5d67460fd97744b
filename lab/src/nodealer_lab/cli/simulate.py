"""`nodealer lab sim`: simulated games, in which everything goes wrong that can."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from nodealer.cli.entropy import system_entropy
from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.output import err, out, print_json, shown
from nodealer.errors import BadParameter
from nodealer.log.control_characters import escape_controls

#: Bytes of a seed that nobody has named.
_SEED_BYTES = 6


def simulate(
    seed: Annotated[str | None, typer.Argument(help="Any word; without it, a new one, which is printed.")] = None,
    games: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Play the games SEED-0, SEED-1 and so on, as many as this.")
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="Print every event of a single game.")] = False,
    cores: Annotated[int, typer.Option(min=1, metavar="N", help="Play many games on so many cores.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON document about many games.")] = False,
) -> None:
    """Play simulated games: participants and a relay in one process, with everything that can go wrong between them.

    The seed decides all of it, to the byte. Ends with 0 when all is well, 1 when something is wrong; with --games, also
    when a kind of fault struck so rarely that the games have shown nothing of it.
    """
    if games is None and (json or cores > 1):
        raise BadParameter("--json and --cores are about many games: say how many, with --games")
    if games is not None and steps:
        raise BadParameter("--steps is about a single game: leave --games out")
    named = seed if seed is not None else system_entropy(_SEED_BYTES).hex()
    raise typer.Exit(_one(named, steps) if games is None else _many(named, games, cores, json))


def _one(seed: str, steps: bool) -> int:
    """One game: every step of it, if wanted, and what is wrong with it."""
    from nodealer_lab.sim.runs import play, table  # late: no other command should wait for it
    from nodealer_lab.sim.swarm import plan_of

    def step(now: int, who: str, what: str) -> None:
        typer.echo(f"{now:7} {who}: {what}")

    typer.echo(f"seed {escape_controls(seed)}: {plan_of(seed)}")
    played = play(seed, step if steps else None)
    for line in table(played.struck, 1):
        typer.echo(line)
    typer.echo(f"wrong: {played.wrong}" if played.wrong is not None else "all is well")
    return GOOD if played.wrong is None else BAD


def _many(seed: str, games: int, cores: int, json: bool) -> int:
    """Many games: those in which something is wrong, and how often each kind of fault struck."""
    from nodealer_lab.bench import describe_machine  # late: no other command should wait for it
    from nodealer_lab.sim.runs import Sum, play_many, repeat, table

    found, began = Sum(), time.monotonic()
    with err().status("simulating …") as status:
        for played in play_many(seed, games, cores):
            found.add(played)
            status.update(f"simulating: {found.games} of {games} games")
            if played.wrong is not None and not json:
                out().print(f"[red]{shown(repeat(played.seed))}[/red]: {shown(str(played.wrong))}", soft_wrap=True)
    document = found.document(seed, cores, time.monotonic() - began)
    if json:
        print_json(document | {"machine": describe_machine()})
    else:
        typer.echo(f"seed {escape_controls(seed)}, {found.entries} entries in {document['seconds']} s")
        for line in table(found.struck, found.games):
            typer.echo(line)
        typer.echo(f"wrong: in {len(found.wrong)} of them" if found.wrong else "nothing was wrong in any of them")
        if document["too_rare"]:
            typer.echo(f"too rare: {', '.join(document['too_rare'])}; of these the games have shown nothing, play more")
    return BAD if found.wrong or document["too_rare"] else GOOD
