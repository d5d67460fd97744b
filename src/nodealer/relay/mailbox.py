"""A spoken code through a mailbox of a relay. What the mailbox is made of is the client's affair."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Protocol

from nodealer.errors import CodeDead, RelayError
from nodealer.relay.codes import Exchange, Guest, GuestExchange, HostExchange, Welcome


class Mailbox(Protocol):
    """A list of frames at a relay, that both sides read and append to."""

    async def append(self, frame: bytes) -> None:
        """One more. Raises `RelayError`."""

    def frames(self) -> AsyncIterator[bytes]:
        """All frames in their order, from the first one on, one's own too; and each new one when it comes."""


async def give_invitation(exchange: HostExchange, mailbox: Mailbox, clock: Callable[[], float]) -> Guest:
    """The host's side of one code. Raises `CodeDead`, or `RelayError`; either way the code is not used again."""
    await _talk(exchange, mailbox, clock)
    if exchange.guest is None:
        raise RelayError("the mailbox was closed before the guest came")
    return exchange.guest


async def get_invitation(exchange: GuestExchange, mailbox: Mailbox, clock: Callable[[], float]) -> Welcome:
    """The guest's side. Raises as the other one."""
    await _talk(exchange, mailbox, clock)
    if exchange.welcome is None:
        raise RelayError("the mailbox was closed before the invitation came")
    return exchange.welcome


async def _talk(exchange: Exchange, mailbox: Mailbox, clock: Callable[[], float]) -> None:
    """Until it is over. Time is the clock's, in seconds: it must not jump."""
    try:
        try:
            async with asyncio.timeout(max(0.0, exchange.expires - clock())):
                await _speak(exchange, mailbox, clock)
        except TimeoutError:
            exchange.expire()
    except CodeDead:
        await _say_goodbye(exchange, mailbox)
        raise


async def _speak(exchange: Exchange, mailbox: Mailbox, clock: Callable[[], float]) -> None:
    for frame in exchange.first_words:
        await mailbox.append(frame)
    async for frame in mailbox.frames():
        for answer in exchange.take(frame, clock()):
            await mailbox.append(answer)
        if exchange.finished is not None:
            return


async def _say_goodbye(exchange: Exchange, mailbox: Mailbox) -> None:
    """So that the other side need not wait. It may not arrive, and nothing hangs on it."""
    with suppress(RelayError):
        for frame in exchange.last_words:
            await mailbox.append(frame)
