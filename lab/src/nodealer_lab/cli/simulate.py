"""`nodealer lab sim`: simulated games with every kind of fault."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.output import err, escape_markup, out, print_json
from nodealer.client.entropy import system_entropy
from nodealer.errors import BadParameter
from nodealer.log.control_characters import escape_controls

#: The length of a generated seed.
_SEED_BYTES = 6


def simulate(
    seed: Annotated[str | None, typer.Argument(help="Any word. Default: a new one, which is printed.")] = None,
    games: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Play N games: SEED-0, SEED-1 and so on.")
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="Print every event of a single game.")] = False,
    cores: Annotated[int, typer.Option(min=1, metavar="N", help="Play many games on N cores.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON document about many games.")] = False,
) -> None:
    """Play simulated games: participants and a relay in one process, with everything that can go wrong between them.

    The seed determines the game, to the byte. Exits with 0 if all is well and 1 if something is wrong. With --games, it
    also exits with 1 if a kind of fault was so rare that the games prove nothing about it.
    """
    if games is None and (json or cores > 1):
        raise BadParameter("--json and --cores need --games")
    if games is not None and steps:
        raise BadParameter("--steps is for a single game; leave out --games")
    chosen = seed if seed is not None else system_entropy(_SEED_BYTES).hex()
    raise typer.Exit(_play_one(chosen, steps) if games is None else _play_many(chosen, games, cores, json))


def _play_one(seed: str, steps: bool) -> int:
    """Play one game, and print its steps if wanted and what is wrong with it. Return the exit code."""
    from nodealer_lab.sim.runs import fault_table, play  # late: no other command should wait for it
    from nodealer_lab.sim.swarm import draw_plan

    def print_step(now: int, who: str, what: str) -> None:
        """Print one event of the simulation: the virtual time, who, and what."""
        typer.echo(f"{now:7} {who}: {what}")

    typer.echo(f"seed {escape_controls(seed)}: {draw_plan(seed)}")
    played = play(seed, print_step if steps else None)
    for line in fault_table(played.struck, 1):
        typer.echo(line)
    typer.echo(f"wrong: {played.wrong}" if played.wrong is not None else "all is well")
    return GOOD if played.wrong is None else BAD


def _play_many(seed: str, games: int, cores: int, json: bool) -> int:
    """Play many games, and print those with something wrong and how often each fault struck. Return the exit code."""
    from nodealer_lab.bench import describe_machine  # late: no other command should wait for it
    from nodealer_lab.sim.runs import RunSummary, fault_table, play_many, replay_command

    found, began = RunSummary(), time.monotonic()
    with err().status("simulating …") as status:
        for played in play_many(seed, games, cores):
            found.add(played)
            status.update(f"simulating: {found.games} of {games} games")
            if played.wrong is not None and not json:
                out().print(
                    f"[red]{escape_markup(replay_command(played.seed))}[/red]: {escape_markup(str(played.wrong))}",
                    soft_wrap=True,
                )
    document = found.document(seed, cores, time.monotonic() - began)
    if json:
        print_json(document | {"machine": describe_machine()})
    else:
        typer.echo(f"seed {escape_controls(seed)}, {found.entries} entries in {document['seconds']} s")
        for line in fault_table(found.struck, found.games):
            typer.echo(line)
        typer.echo(f"wrong: {len(found.wrong)} games" if found.wrong else "nothing was wrong in any game")
        if document["too_rare"]:
            typer.echo(f"too rare to prove anything: {', '.join(document['too_rare'])}; play more games")
    return BAD if found.wrong or document["too_rare"] else GOOD
