"""Run a pairing exchange through a mailbox at a relay, for both sides, until it succeeds or fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final, Protocol

from nodealer.errors import CodeDead, RelayError
from nodealer.relay.messages import Accepted, StoredFrame
from nodealer.relay.pairing import Exchange, GuestExchange, HostExchange, PairedGuest, PairingWelcome

#: How many seconds a side that gives up waits for the relay to accept its last frames.
GOODBYE_SECONDS: Final = 2.0


class Mailbox(Protocol):
    """A list of frames at a relay that both sides read and append to."""

    async def append(self, frame: bytes) -> None:
        """Append a frame. Raises `RelayError`."""

    def frames(self) -> AsyncIterator[bytes]:
        """Yield all frames in order, including one's own, and each new one as it arrives."""


class TableConnection(Protocol):
    """The part of a relay client that a mailbox needs, with a table open."""

    async def append(self, frame: bytes) -> None:
        """Append a frame to the open table."""

    async def read(self) -> list[StoredFrame] | Accepted:
        """Return the next page of frames, or `Accepted`, which is the reply to a request."""


class OpenMailbox:
    """The mailbox that a relay client has open. `frames` can be iterated only once."""

    def __init__(self, client: TableConnection) -> None:
        """Use a client that has opened the mailbox."""
        self._client = client

    async def append(self, frame: bytes) -> None:
        """Append a frame to the mailbox."""
        await self._client.append(frame)

    async def frames(self) -> AsyncIterator[bytes]:
        """Yield the frames of the mailbox, also those still to come. Never ends by itself."""
        while True:
            page = await self._client.read()
            for _, frame in () if isinstance(page, Accepted) else page:
                yield frame


async def send_invitation(exchange: HostExchange, mailbox: Mailbox, clock: Callable[[], float]) -> PairedGuest:
    """Run the host's side of one code, and return the guest.

    Raise `CodeDead` or `RelayError`; either way the code cannot be used again. If this is cancelled, it tells a
    guest who has connected that the code is dead.
    """
    try:
        await _run_exchange(exchange, mailbox, clock)
    except asyncio.CancelledError:
        exchange.give_up()
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await _send_last_frames(exchange, mailbox)
        raise
    if exchange.finished is None:
        raise RelayError("the mailbox was closed before a guest used the code")
    return exchange.finished


async def receive_invitation(exchange: GuestExchange, mailbox: Mailbox, clock: Callable[[], float]) -> PairingWelcome:
    """Run the guest's side of one code, and return the invitation. Raises like `send_invitation`."""
    await _run_exchange(exchange, mailbox, clock)
    if exchange.finished is None:
        raise RelayError("the mailbox was closed before the invitation arrived")
    return exchange.finished


async def _run_exchange(exchange: Exchange, mailbox: Mailbox, clock: Callable[[], float]) -> None:
    """Run an exchange until it ends or expires. `clock` gives seconds and must not jump."""
    try:
        try:
            async with asyncio.timeout(max(0.0, exchange.expires - clock())):
                await _exchange_frames(exchange, mailbox, clock)
        except TimeoutError:
            exchange.expire()
    except CodeDead:
        await _send_last_frames(exchange, mailbox)
        raise


async def _exchange_frames(exchange: Exchange, mailbox: Mailbox, clock: Callable[[], float]) -> None:
    """Pass frames between exchange and mailbox until the exchange is finished."""
    for frame in exchange.first_frames:
        await mailbox.append(frame)
    async for frame in mailbox.frames():
        for answer in exchange.receive(frame, clock()):
            await mailbox.append(answer)
        if exchange.finished is not None:
            return


async def _send_last_frames(exchange: Exchange, mailbox: Mailbox) -> None:
    """Tell the other side that it need not wait. This may fail, and nothing depends on it."""
    with suppress(RelayError):
        for frame in exchange.last_frames:
            await mailbox.append(frame)
