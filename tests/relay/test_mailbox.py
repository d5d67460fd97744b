"""Pairing codes through a mailbox in memory, which has nothing of a relay but its order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from nodealer.errors import CodeDead, RelayError
from nodealer.relay.mailbox import Mailbox, OpenMailbox, receive_invitation, send_invitation
from nodealer.relay.messages import Accepted, StoredFrame
from nodealer.relay.pairing import Code, PairedGuest, PairingOver
from nodealer.wire import encode

from .test_pairing import GUEST, INVITATION, guest, host


class List:
    """A mailbox in memory. It `ends` after this many frames, like a relay that goes away."""

    def __init__(self, ends: int | None = None) -> None:
        self.kept: list[bytes] = []
        self._ends = ends
        self._changed = asyncio.Condition()

    async def append(self, frame: bytes) -> None:
        if self._ends is not None and len(self.kept) >= self._ends:
            raise RelayError("gone")
        async with self._changed:
            self.kept.append(frame)
            self._changed.notify_all()

    async def frames(self) -> AsyncIterator[bytes]:
        at = 0
        while self._ends is None or at < self._ends:
            async with self._changed:
                await self._changed.wait_for(lambda: at < len(self.kept))
            yield self.kept[at]
            at += 1


class Pages:
    """A client whose frames come in pages, among replies."""

    def __init__(self, box: List) -> None:
        self._box = box
        self._told = box.frames()
        self._count = 0

    async def append(self, frame: bytes) -> None:
        await self._box.append(frame)

    async def read(self) -> list[StoredFrame] | Accepted:
        self._count += 1
        return Accepted() if self._count % 2 else [(self._count, await anext(self._told))]


def zero() -> float:
    return 0.0


async def both(box: Mailbox, **change: Any) -> tuple[Any, Any]:
    a, b = send_invitation(host(), box, zero), receive_invitation(guest(now=0, **change), box, zero)
    return await asyncio.gather(a, b, return_exceptions=True)


def test_both_sides() -> None:
    async def run() -> None:
        came, welcome = await both(List())
        assert came == PairedGuest(GUEST.public, "Ada") and welcome.invitation == INVITATION

    asyncio.run(run())


def test_through_a_client() -> None:
    async def run() -> None:
        box = List()
        host_side = send_invitation(host(), OpenMailbox(Pages(box)), zero)
        came, welcome = await asyncio.gather(host_side, receive_invitation(guest(now=0), OpenMailbox(Pages(box)), zero))
        assert came == PairedGuest(GUEST.public, "Ada") and welcome.invitation == INVITATION

    asyncio.run(run())


def test_a_wrong_code_ends_both_at_once() -> None:
    async def run() -> None:
        box = List()
        came, welcome = await both(box, code=Code(7, ("zoo", "zoo")))
        assert isinstance(came, CodeDead) and isinstance(welcome, CodeDead) and "wrong code" in str(came)
        assert encode(PairingOver()) in box.kept

    asyncio.run(run())


def test_nobody_comes() -> None:
    """The caller's clock counts if it is later."""

    async def run() -> None:
        box = List()
        with pytest.raises(CodeDead, match="ten minutes"):
            await send_invitation(host(), box, lambda: 599.99)
        assert box.kept[-1] == encode(PairingOver())

    asyncio.run(run())


def test_a_host_that_gives_up_says_so_and_the_guest_waits_no_longer() -> None:
    async def run() -> None:
        box = List()
        giving = asyncio.ensure_future(send_invitation(host(), box, zero))
        while not box.kept:
            await asyncio.sleep(0)
        giving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await giving
        assert box.kept[-1] == encode(PairingOver())
        with pytest.raises(CodeDead, match="ask the host for another"):
            await receive_invitation(guest(now=0), box, zero)

    asyncio.run(run())


class Deaf(List):
    """A relay that accepts the first frames and then no more."""

    async def append(self, frame: bytes) -> None:
        if self.kept:
            await asyncio.Event().wait()
        await super().append(frame)


def test_a_relay_that_takes_no_goodbye_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.relay.mailbox.GOODBYE_SECONDS", 0.01)

    async def run() -> None:
        box = Deaf()
        giving = asyncio.ensure_future(send_invitation(host(), box, zero))
        while not box.kept:
            await asyncio.sleep(0)
        giving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await giving
        assert len(box.kept) == 1

    asyncio.run(run())


def test_the_relay_goes_away() -> None:
    async def run() -> None:
        came, welcome = await both(List(ends=2))
        assert isinstance(came, RelayError) and isinstance(welcome, RelayError)
        # Between two frames.
        box = List(ends=1)
        await box.append(b"junk")
        with pytest.raises(RelayError, match="before the invitation arrived"):
            await receive_invitation(guest(now=0), box, zero)
        # After it has died, in vain.
        box = List(ends=3)
        for _ in range(2):
            await box.append(b"junk")
        await box.append(encode(PairingOver()))
        with pytest.raises(CodeDead, match="does not work"):
            await receive_invitation(guest(now=0), box, zero)

    asyncio.run(run())
