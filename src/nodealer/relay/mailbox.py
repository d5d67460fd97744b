"""A spoken code through a mailbox of a relay: both sides, until one is dead or both have what they came for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final, Protocol

from nodealer.errors import CodeDead, RelayError
from nodealer.relay.messages import Accepted, Stored
from nodealer.relay.pairing import Exchange, GuestExchange, HostExchange, PairedGuest, PairingWelcome

#: For how long somebody who gives up waits for the relay to take that.
GOODBYE_SECONDS: Final = 2.0


class Mailbox(Protocol):
    """A list of frames at a relay, that both sides read and append to."""

    async def append(self, frame: bytes) -> None:
        """One more. Raises `RelayError`."""

    def frames(self) -> AsyncIterator[bytes]:
        """All frames in their order, from the first one on, one's own too; and each new one when it comes."""


class TableConnection(Protocol):
    """What a client has that has a table of a relay open."""

    async def append(self, frame: bytes) -> None: ...
    async def read(self) -> list[Stored] | Accepted: ...


class OpenMailbox:
    """The mailbox that a client has open. There is one `frames` for each."""

    def __init__(self, client: TableConnection) -> None:
        self._client = client

    async def append(self, frame: bytes) -> None:
        await self._client.append(frame)

    async def frames(self) -> AsyncIterator[bytes]:
        while True:
            page = await self._client.read()
            for _, frame in () if isinstance(page, Accepted) else page:
                yield frame


async def give_invitation(exchange: HostExchange, mailbox: Mailbox, clock: Callable[[], float]) -> PairedGuest:
    """The host's side of one code. Raises `CodeDead`, or `RelayError`; either way the code is not used again. If it is
    cancelled, a guest who has come is told that the code is dead."""
    try:
        await _talk(exchange, mailbox, clock)
    except asyncio.CancelledError:
        exchange.give_up()
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await _say_goodbye(exchange, mailbox)
        raise
    if exchange.finished is None:
        raise RelayError("the mailbox was closed before the guest came")
    return exchange.finished


async def get_invitation(exchange: GuestExchange, mailbox: Mailbox, clock: Callable[[], float]) -> PairingWelcome:
    """The guest's side. Raises as the other one."""
    await _talk(exchange, mailbox, clock)
    if exchange.finished is None:
        raise RelayError("the mailbox was closed before the invitation came")
    return exchange.finished


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
