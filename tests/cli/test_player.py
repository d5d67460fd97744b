"""A bot's process against somebody who proposes another game than was agreed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

import pytest
from msgspec import Raw
from msgspec.structs import replace

from cli.running import environment
from nodealer.cli.player import BotOrder
from nodealer.cli.playing import BOT, plan_of
from nodealer.keys import Identity
from nodealer.log.roster import Roster, member_of
from nodealer.log.session import Part, Proposal
from nodealer.play.lobby import Commitment, Lobby, proposed, read_frame
from nodealer.relay.client import RelayClient, connect_to
from nodealer.relay.core import RelayCore
from nodealer.relay.server import relay_on_loopback
from nodealer.wire import encode

SETTINGS = {"blinds": "1/2", "ante": "0", "stack": "200"}
PLAN = plan_of("holdem", SETTINGS, seats=2, hands=1)
RAISED = plan_of("holdem", SETTINGS | {"blinds": "50/100"}, seats=2, hands=1).expected.game


def swapped(proposal: Proposal) -> Proposal:
    """Each with the other's name."""
    one, two = proposal.roster.members
    return replace(proposal, roster=Roster((replace(one, name=two.name), replace(two, name=one.name))))


async def propose(change: Callable[[Proposal], Proposal]) -> tuple[int, str, bool]:
    """How a bot's process ends when this is proposed to it, what it says, and whether it committed."""
    async with relay_on_loopback(RelayCore()) as url, connect_to(url) as client:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *BOT, stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=environment()
        )
        order = encode(BotOrder(url, PLAN.names[1], PLAN.hands, PLAN.expected, PLAN.place)) + b"\n"
        said = asyncio.create_task(process.communicate(order))
        answer = asyncio.create_task(answered(client, change))
        ended = asyncio.create_task(process.wait())
        await asyncio.wait([answer, ended], return_when=asyncio.FIRST_COMPLETED, timeout=30)
        committed = answer.done()
        if not ended.done():
            process.terminate()
        answer.cancel()
        _, error = await said
        return await ended, error.decode(), committed


async def answered(client: RelayClient, change: Callable[[Proposal], Proposal]) -> None:
    """Propose as soon as the bot is there, and return when it commits."""
    lobby = Lobby()
    async for frame in client.frames():
        lobby.receive(frame)
        if isinstance(read_frame(frame), Commitment):
            return
        if lobby.proposal is None:
            me = member_of(Identity(bytes(32)), 0, PLAN.names[0])
            good = PLAN.proposal([me, lobby.offers[0].seated(1)], rehearsal=False)
            await client.send(proposed(change(good)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda proposal: replace(proposal, game=RAISED), "50,100"),
        (lambda proposal: replace(proposal, protocol=Part("duel", 0, Raw(b'{"mode":"xor"}'))), "another protocol"),
        (lambda proposal: replace(proposal, rehearsal=True), "rehearsal"),
        (swapped, "calls this player 'Ada'"),
    ],
    ids=["blinds", "protocol", "rehearsal", "names"],
)
def test_a_bot_declines(change: Callable[[Proposal], Proposal], said: str) -> None:
    code, error, committed = asyncio.run(propose(change))
    assert code == 2 and said in error and error.count("\n") == 1 and not committed


def test_a_bot_commits_to_what_was_agreed() -> None:
    assert asyncio.run(propose(lambda proposal: proposal))[2]
