"""`nodealer play`: a game between players that need not trust each other, each in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import Raw

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.entropy import system_entropy
from nodealer.cli.player import Player, sit
from nodealer.cli.rehearse import rehearse
from nodealer.cli.stage import Stage
from nodealer.cli.terminal import Person
from nodealer.cli.verify import print_report
from nodealer.errors import BadParameter, RelayError
from nodealer.games.holdem.adapter import POKERKIT_VERSION
from nodealer.games.holdem.rules import Holdem
from nodealer.log.file import save_log
from nodealer.log.roster import Player as RosterPlayer
from nodealer.log.roster import Roster
from nodealer.log.session import Part, Proposal
from nodealer.play.config import config_of
from nodealer.play.lobby import Lobby, Offer, Proposed
from nodealer.play.replica import Replica
from nodealer.play.state import Phase
from nodealer.protocols import make_protocol
from nodealer.relay.client import connect_to
from nodealer.relay.core import RelayCore
from nodealer.relay.server import relay_on_loopback
from nodealer.wire import encode

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")


@dataclass(frozen=True)
class Plan:
    """What is to be played."""

    rules: Holdem
    protocol: str
    names: tuple[str, ...]
    hands: int

    def proposal(self, players: Sequence[RosterPlayer], *, rehearsal: bool) -> Proposal:
        """What the players are asked to agree to."""
        protocol = make_protocol(self.protocol)
        return Proposal(
            Part(self.rules.name, self.rules.version, Raw(self.rules.parameters)),
            Part(protocol.claims.name, protocol.claims.version, Raw(protocol.parameters)),
            (("pokerkit", POKERKIT_VERSION),),
            Roster(tuple(players)),
            rehearsal,
        )


def play(
    game: Annotated[str, typer.Option(help="The game: holdem.")] = "holdem",
    protocol: Annotated[str, typer.Option(help="The card protocol; see `nodealer protocols`.")] = "mask",
    seats: Annotated[int, typer.Option(min=2, max=9, help="How many players.")] = 4,
    hands: Annotated[int, typer.Option(min=1, max=10_000, help="How many hands.")] = 3,
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
    if game != "holdem":
        raise BadParameter(f"there is no game {game!r}; there is holdem")
    plan = Plan(Holdem(stack, _blinds(blinds), ante), protocol, NAMES[:seats], hands)
    stage = Stage(json)
    started = time.perf_counter()
    if seed is not None:
        replica = rehearse(plan.rules, plan.proposal, plan.names, hands, seed, stage)
    else:
        person = None if auto or json or not sys.stdin.isatty() else Person()
        replica = asyncio.run(_play(plan, person, stage))
    stage.done(replica, time.perf_counter() - started)
    raise typer.Exit(_verify(replica, log, stage).exit_code)


def _blinds(text: str) -> tuple[int, int]:
    small, _, big = text.partition("/")
    if not (small.isascii() and small.isdigit() and big.isascii() and big.isdigit()):
        raise BadParameter(f"blinds are two numbers such as 1/2, not {text!r}")
    return int(small), int(big)


async def _play(plan: Plan, person: Person | None, stage: Stage) -> Replica:
    """The relay, a process for each bot, and here: the one who proposes and tells what happens."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(relay_on_loopback(RelayCore()))
        bots = plan.names if person is None else plan.names[1:]
        processes = await stack.enter_async_context(_bots(url, bots, plan.hands))
        table = asyncio.create_task(_watch(url, plan, stage))
        tasks = [asyncio.create_task(_alive(processes))]
        if person is not None:
            tasks.append(asyncio.create_task(_sit(url, person, plan)))
        try:
            done, _ = await asyncio.wait([table, *tasks], return_when=asyncio.FIRST_COMPLETED)
            while table not in done:
                for task in done:
                    task.result()
                tasks = [task for task in tasks if task not in done]
                done, _ = await asyncio.wait([table, *tasks], return_when=asyncio.FIRST_COMPLETED)
            return table.result()
        finally:
            for task in [table, *tasks]:
                task.cancel()


async def _sit(url: str, person: Person, plan: Plan) -> None:
    async with connect_to(url) as client:
        await sit(client, plan.names[0], plan.hands, person.move)


async def _watch(url: str, plan: Plan, stage: Stage) -> Replica:
    """Propose the game once all players are there, then follow the log like any spectator."""
    lobby = Lobby()
    replica: Replica | None = None
    async with connect_to(url) as client:
        async for frame in client.frames():
            if replica is not None:
                stage.take(frame)
                if replica.state.phase in (Phase.ENDED, Phase.STOPPED):
                    return replica
                continue
            lobby.receive(frame)
            if lobby.proposal is None and len(lobby.offers) == len(plan.names):
                players = _seat_players(lobby.offers, plan.names)
                await client.send(encode(Proposed(plan.proposal(players, rehearsal=False))))
            if lobby.session is not None:
                replica = Replica(config_of(lobby.session), entropy=system_entropy, eager=False)
                stage.open(replica)
    raise RelayError("the relay ended before the game did")


def _seat_players(offers: Sequence[Offer], names: Sequence[str]) -> list[RosterPlayer]:
    keys = {offer.name: offer.key for offer in offers}
    if sorted(keys) != sorted(names):
        raise RelayError("other players came than were called")
    return [RosterPlayer(seat, name, keys[name]) for seat, name in enumerate(names)]


@asynccontextmanager
async def _bots(url: str, names: Sequence[str], hands: int) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """A process for each bot, gone when this ends, however it ends."""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "nodealer.cli.player", stdin=asyncio.subprocess.PIPE, start_new_session=True
        )
        for _ in names
    ]
    try:
        for process, name in zip(processes, names, strict=True):
            if process.stdin is not None:
                process.stdin.write(encode(Player(url, name, hands)) + b"\n")
                process.stdin.close()
        yield processes
    finally:
        for process in processes:
            if process.returncode is None:
                process.terminate()
        await asyncio.gather(*(process.wait() for process in processes))


async def _alive(processes: Sequence[asyncio.subprocess.Process]) -> None:
    """Return when all bots have ended well; complain about the first that has not."""
    for ended in asyncio.as_completed([process.wait() for process in processes]):
        if await ended not in (0, 1):
            raise RelayError("a player's process ended in the middle of the game")


def _verify(replica: Replica, log: Path | None, stage: Stage) -> Report:
    """Save the log and audit it as anybody could, from the file alone. A fault's evidence is always kept."""
    session = replica.config.session
    with tempfile.TemporaryDirectory() as folder:
        path = log if log is not None else Path(folder) / "game.jsonl"
        if log is None and replica.state.fault is not None:
            path = Path(f"nodealer-fault-{session.id.hex()[:8]}.jsonl")
        save_log(path, session, replica.entries)
        report = verify_file(path, entropy=system_entropy)
        if stage.json:
            kept = str(path) if path.parent != Path(folder) else None
            stage.emit({"event": "verified", "log": kept} | report.as_json())
        else:
            if path.parent != Path(folder):
                stage.say(f"The log is in [bold]{path}[/bold].")
            print_report(stage.console, report, brief=True)
        return report
