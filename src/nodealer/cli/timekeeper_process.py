"""A timekeeper in its own process.

It is started as `python -m nodealer.cli.timekeeper_process`, with its configuration as one line of JSON on standard
input, which stays open as long as the timekeeper is needed; or as `nodealer timekeeper`. Started again with the same
home, it continues where it was.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from nodealer.audit.background import in_background
from nodealer.cli import text as phrases
from nodealer.client.entropy import system_entropy
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.game_loader import load_game_or_none
from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import ConnectionEvent, RelayTransport
from nodealer.client.timekeeper import keep_time
from nodealer.engine.frame_result import Received
from nodealer.engine.lobby_messages import ProposalDeclined
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import resolve_parts
from nodealer.errors import Declined, NodealerError
from nodealer.relay.invitations import parse_link
from nodealer.wire import Message, decode


class TimekeeperConfig(Message, frozen=True):
    """The configuration of a timekeeper's process."""

    #: The player link, the table's name at the relay, and the addresses of its relays for this machine.
    invitation: str
    table: str
    relays: tuple[str, ...]
    name: str
    #: Where the game is found; None for the installed one that is proposed.
    game: str | None
    #: The folder of its home.
    home: str


def _ignore(participant: Participant, step: Received) -> None:
    """Ignore the step."""


async def keep(
    order: TimekeeperConfig,
    tell: Callable[[ConnectionEvent], None],
    see: Callable[[Participant, Received], None] = _ignore,
) -> Participant:
    """Keep the time of a table until its end.

    `tell` is called with the state of the connection, `see` with each step.
    """
    invitation, game = parse_link(order.invitation), load_game_or_none(order.game)
    with open_or_create_store(Path(order.home), order.name, system_entropy) as home:
        keys = Keyring((invitation.key,), system_entropy)
        with in_background() as begin:
            participant = Participant(
                home,
                entropy=system_entropy,
                table=order.table,
                host=invitation.host,
                parts=partial(resolve_parts, game=game),
                check_runner=begin,
                keeps_time=True,
                keys=keys,
            )

        def watch(step: Received) -> list[bytes]:
            """Report the step. Raises `Declined` if this timekeeper declined the game, or the game has another one."""
            for news in step.happened:
                if isinstance(news, ProposalDeclined) and news.mine:
                    raise Declined(news.reason)
            if participant.has_session and not participant.has_seat:
                raise Declined(phrases.OTHER_TIMEKEEPER)
            see(participant, step)
            return []

        transport = RelayTransport(participant, keys, order.relays, entropy=system_entropy, emit=tell)
        await keep_time(participant, transport, time.monotonic, watch)
        return participant


async def _keep_until_orphaned(order: TimekeeperConfig) -> None:
    """Keep the time until the table has ended, or the program that started this one has gone.

    The successor of that program needs the home. The relay may go and come back meanwhile.
    """
    keeping, gone = asyncio.ensure_future(keep(order, lambda line: None)), asyncio.ensure_future(_end_of_input())
    try:
        await asyncio.wait({keeping, gone}, return_when=asyncio.FIRST_COMPLETED)
        if keeping.done():
            keeping.result()
    finally:
        keeping.cancel()
        gone.cancel()
        await asyncio.gather(keeping, gone, return_exceptions=True)


async def _end_of_input() -> None:
    """Wait until standard input is closed."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        await reader.read()
    finally:
        transport.close()


def main() -> int:
    """Run a timekeeper.

    Return 0 if its table has ended or the program that started it has gone, 2 if it could not or would not keep the
    time.
    """
    try:
        order = decode(TimekeeperConfig, sys.stdin.buffer.readline().strip(), what="the order")
        asyncio.run(_keep_until_orphaned(order))
        return 0
    except KeyboardInterrupt:
        return 130
    except NodealerError as error:
        from nodealer.cli.exits import (  # late: slow to import, and most timekeepers print nothing
            NO_VERDICT,
            report_error,
        )

        report_error(error)
        return NO_VERDICT


if __name__ == "__main__":
    raise SystemExit(main())
