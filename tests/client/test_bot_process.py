"""A bot's process against somebody who proposes another game than was agreed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec import Raw
from msgspec.structs import replace

from cli.running import environment
from nodealer.client.bot_process import BotConfig
from nodealer.client.connection import ConnectionMonitor
from nodealer.client.game_loader import load_game
from nodealer.client.keyring import Keyring
from nodealer.client.lobby import Onlooker
from nodealer.client.local_relay import serve_local_table
from nodealer.client.processes import BOT_PROGRAM
from nodealer.client.relay_transport import RelayTransport
from nodealer.client.setup import table_setup
from nodealer.client.status import TableStatus
from nodealer.client.table_client import Behaviour, TableClient
from nodealer.client.ui import SilentUI
from nodealer.engine.commands import Command, ProposeSession
from nodealer.engine.lobby import Lobby
from nodealer.engine.lobby_messages import ProposalDeclined
from nodealer.engine.participant import Participant
from nodealer.engine.store import MemoryPlayerStore
from nodealer.keys import Identity, host_mark
from nodealer.log.session import Part, Proposal
from nodealer.wire import encode

SETTINGS = {"blinds": "1/2", "ante": "0", "stack": "200", "leaving": "strict"}
HOLDEM = load_game("holdem")
PLAN = table_setup(HOLDEM, SETTINGS, seats=2, hands=1).with_bots()
RAISED = table_setup(HOLDEM, SETTINGS | {"blinds": "50/100"}, seats=2, hands=1).with_bots().expected.game


class Answered(Exception):
    """What the bot said to the proposal."""


class Proposer(Onlooker):
    """Proposes something when both are there, and ends with the bot's answer."""

    def __init__(self, change: Callable[[Proposal], Proposal]) -> None:
        super().__init__(lambda event: None)
        self.change = change
        self.proposed = False

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        lobby = status.lobby
        assert lobby is not None
        if lobby.proposal is not None and PLAN.names[1] not in lobby.awaited:
            raise Answered(True)
        came = {offer.name: offer for offer in lobby.offers}
        if self.proposed or len(came) < 2:
            return ()
        self.proposed = True
        members = [came[name].as_member(seat) for seat, name in enumerate(PLAN.names)]
        return (ProposeSession(self.change(PLAN.proposal(members))),)

    def on_declined(self, declined: ProposalDeclined) -> None:
        raise Answered(False)


async def propose(home: Path, change: Callable[[Proposal], Proposal], host: bytes) -> tuple[int | None, str, bool]:
    """How a bot's process ends when this is proposed to it by a host, what it says, and whether it committed."""
    home_of_host = MemoryPlayerStore(None, Identity(host), os.urandom(32))
    other = Lobby("", Identity(os.urandom(32)), os.urandom(32), PLAN.names[0])
    async with serve_local_table(host_mark(Identity(bytes(32)).public), os.urandom, [other.offer()]) as table:
        keys = Keyring((table.key,), os.urandom)
        me = Participant(home_of_host, entropy=os.urandom, host=host_mark(home_of_host.identity.public), keys=keys)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *BOT_PROGRAM,
            stdin=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(),
        )
        order = BotConfig(table.link, PLAN.names[1], PLAN.hands, PLAN.expected, "holdem", str(home / "bot"))
        said = asyncio.create_task(process.communicate(encode(order) + b"\n"))
        committed = False
        try:
            async with asyncio.timeout(60 if host == bytes(32) else 4):
                monitor = ConnectionMonitor(lambda event: None, local=True)
                transport = RelayTransport(me, keys, table.relays, entropy=os.urandom, emit=monitor)
                await TableClient(me, transport, SilentUI(), Behaviour(role=Proposer(change))).run()
        except Answered as answered:
            (committed,) = answered.args
        except TimeoutError:
            process.terminate()
        if committed:
            process.terminate()
        _, error = await said
        return process.returncode, error.decode(), committed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda proposal: replace(proposal, game=RAISED), "50,100"),
        (
            lambda proposal: replace(proposal, protocol=Part("duel", 0, Raw(b'{"mode":"xor"}'))),
            "differs from what was agreed in its protocol",
        ),
        (lambda proposal: replace(proposal, rehearsal=True), "rehearsal"),
    ],
    ids=["blinds", "protocol", "rehearsal"],
)
def test_a_bot_declines(tmp_path: Path, change: Callable[[Proposal], Proposal], said: str) -> None:
    code, error, committed = asyncio.run(propose(tmp_path, change, bytes(32)))
    assert code == 2 and said in error and error.count("\n") == 1 and not committed


def test_a_bot_commits_to_what_was_agreed(tmp_path: Path) -> None:
    assert asyncio.run(propose(tmp_path, lambda proposal: proposal, bytes(32)))[2]


def test_a_bot_does_not_hear_another_host(tmp_path: Path) -> None:
    code, error, committed = asyncio.run(propose(tmp_path, lambda proposal: proposal, bytes([1]) * 32))
    assert not committed and error == "" and code is not None and code < 0
