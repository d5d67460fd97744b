"""The contract of all stores, as tests: each gets a store, and a function that lets time pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from itertools import count

import pytest

from nodealer.relay.messages import PAGE_BYTES, StoredFrame, parse_page
from nodealer.relay.stores.base import Store, TableExtent

#: Lets this many seconds pass.
Later = Callable[[float], Awaitable[None]]
Promise = Callable[[Store, Later], Awaitable[None]]

_numbers = count()


def new_table() -> str:
    """Return a name that no other test uses: tests may share a store."""
    return sha256(b"%d" % next(_numbers)).hexdigest()[:32]


async def made(store: Store) -> str:
    table = new_table()
    await store.add_note(table, b"made")
    return table


class Ears:
    """Collects the frames of a table."""

    def __init__(self) -> None:
        self.heard: list[StoredFrame] = []
        self._more = asyncio.Event()

    def __call__(self, frames: Sequence[StoredFrame]) -> None:
        self.heard += frames
        self._more.set()

    async def until(self, frames: int, seconds: float = 20) -> list[StoredFrame]:
        async with asyncio.timeout(seconds):
            while len(self.heard) < frames:
                self._more.clear()
                await self._more.wait()
        return self.heard


async def pages(store: Store, table: str, after: int = 0) -> list[list[StoredFrame]]:
    found: list[list[StoredFrame]] = []
    while page := await store.read(table, after):
        found.append(parse_page(page.data))
        assert (page.last, page.frames) == (found[-1][-1][0], len(found[-1]))
        after = page.last
    return found


async def whole(store: Store, table: str, after: int = 0) -> list[StoredFrame]:
    return [frame for page in await pages(store, table, after) for frame in page]


async def notes_are_kept_in_their_order(store: Store, later: Later) -> None:
    table = new_table()
    assert await store.notes(table) == []
    assert await store.add_note(table, b"one") == [b"one"]
    assert await store.add_note(table, b"two") == [b"one", b"two"]
    assert await store.add_note(table, b"one") == [b"one", b"two", b"one"]
    assert await store.notes(table) == [b"one", b"two", b"one"]
    assert await store.read(table, 0) is None


async def frames_are_kept_in_their_order(store: Store, later: Later) -> None:
    table, other = await made(store), await made(store)
    frames = [b"frame %d" % number for number in range(10)]
    for frame in frames:
        await store.append(table, frame)
        await store.append(other, b"other " + frame)
    stored = await whole(store, table)
    assert [frame for _, frame in stored] == frames
    cursors = [cursor for cursor, _ in stored]
    assert cursors == sorted(set(cursors)) and cursors[0] > 0
    for number, cursor in enumerate([0, *cursors]):
        assert await store.count(table, cursor) == 10 - number
        assert await whole(store, table, cursor) == stored[number:]
    assert [frame for _, frame in await whole(store, other)] == [b"other " + frame for frame in frames]


async def frames_are_any_bytes(store: Store, later: Later) -> None:
    table = await made(store)
    frames = [b"\0", b"\xff", bytes(range(256)), b"\0" * 100, b"'", b"\xed\xa0\x80", b"\xfe\xff\0a"]
    for frame in frames:
        await store.append(table, frame)
    assert [frame for _, frame in await whole(store, table)] == frames


async def pages_have_a_size(store: Store, later: Later) -> None:
    table = await made(store)
    sizes = [1, PAGE_BYTES // 2, PAGE_BYTES // 2, PAGE_BYTES // 3, PAGE_BYTES + 5, 7, PAGE_BYTES // 2, PAGE_BYTES // 2]
    for number, size in enumerate(sizes):
        await store.append(table, bytes([number]) * size)
    found = await pages(store, table)
    assert [len(frame) for page in found for _, frame in page] == sizes
    assert 2 < len(found) < len(sizes)
    for page in found:
        # Frames up to the limit, and then one more.
        assert sum(len(frame) for _, frame in page[:-1]) <= PAGE_BYTES


async def the_largest_frame_fits(store: Store, later: Later) -> None:
    table, ears = await made(store), Ears()
    await store.subscribe(table, ears)
    await store.append(table, b"x" * store.largest)
    assert [len(frame) for _, frame in await ears.until(1)] == [store.largest]
    assert await whole(store, table) == ears.heard
    await store.unsubscribe(table)


async def who_follows_hears_what_comes(store: Store, later: Later) -> None:
    table, other, ears = await made(store), await made(store), Ears()
    assert await store.subscribe(table, ears) == TableExtent(0, 0, 0)
    await store.append(table, b"one")
    await store.append(other, b"nothing to do with it")
    await store.append(table, b"three")
    assert [frame for _, frame in await ears.until(2)] == [b"one", b"three"]
    await store.unsubscribe(table)
    await store.append(table, b"unheard")
    again = Ears()
    standing = await store.subscribe(table, again)
    stored = await whole(store, table)
    assert standing == TableExtent(stored[-1][0], 3, len(b"onethreeunheard"))
    await store.append(table, b"four")
    assert [frame for _, frame in await again.until(1)] == [b"four"]
    assert ears.heard == stored[:2]
    await store.unsubscribe(table)
    await store.unsubscribe(table)


async def nothing_is_missed_while_others_write(store: Store, later: Later) -> None:
    table, ears = await made(store), Ears()

    async def write(who: int) -> None:
        for number in range(40):
            await store.append(table, b"%d says %d" % (who, number))
            await asyncio.sleep(0)

    writers = [asyncio.create_task(write(who)) for who in range(4)]
    while await store.count(table, 0) < 20:
        await asyncio.sleep(0)
    standing = await store.subscribe(table, ears)
    await asyncio.gather(*writers)
    stored = await whole(store, table)
    before = [(cursor, frame) for cursor, frame in stored if cursor <= standing.last]
    assert (standing.frames, standing.bytes) == (len(before), sum(len(frame) for _, frame in before))
    assert before + await ears.until(160 - len(before)) == stored
    for who in range(4):
        assert [frame for _, frame in stored if frame.startswith(b"%d" % who)] == [
            b"%d says %d" % (who, number) for number in range(40)
        ]
    await store.unsubscribe(table)


async def sizes_are_told(store: Store, later: Later) -> None:
    table, before = await made(store), await store.size()
    for number in range(4):
        await store.append(table, bytes([number]) * 25_000)
    assert await store.size() - before == pytest.approx(100_000, rel=0.1)


async def what_has_expired_is_forgotten(store: Store, later: Later) -> None:
    soon, late = await made(store), await made(store)
    for table in (soon, late):
        await store.append(table, b"frame")
    await store.expire(soon, 0.5)
    await store.expire(late, 1000)
    await later(0.6)
    await store.append(soon, b"written after the end")
    assert await store.sweep(10_000) >= 1
    assert (await store.notes(soon), await store.read(soon, 0)) == ([], None)
    assert (await store.notes(late), len(await whole(store, late))) == ([b"made"], 1)


async def what_is_idle_is_forgotten_and_can_be_made_again(store: Store, later: Later) -> None:
    table, used = await made(store), await made(store)
    await store.append(table, b"frame")
    await store.sweep(1000)
    assert len(await whole(store, table)) == 1
    await later(2.1)
    await store.append(used, b"frame")
    assert await store.sweep(2) >= 1
    assert (await store.notes(table), await store.read(table, 0), await store.count(table, 0)) == ([], None, 0)
    assert (await store.notes(used), len(await whole(store, used))) == ([b"made"], 1)
    # Mailbox numbers are reused, with the same note.
    assert await store.add_note(table, b"made") == [b"made"]
    await store.append(table, b"another frame")
    assert [frame for _, frame in await whole(store, table)] == [b"another frame"]


CONTRACT: list[Promise] = [
    notes_are_kept_in_their_order,
    frames_are_kept_in_their_order,
    frames_are_any_bytes,
    pages_have_a_size,
    the_largest_frame_fits,
    who_follows_hears_what_comes,
    nothing_is_missed_while_others_write,
    sizes_are_told,
    what_has_expired_is_forgotten,
    what_is_idle_is_forgotten_and_can_be_made_again,
]
