"""Cached pages in an anonymous file: they keep their contents as long as a reader holds them."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from websockets.frames import Frame, Opcode

from nodealer.relay.messages import encode_page, message_head, message_payload, page_message, parse_page
from nodealer.relay.stores import page_cache
from nodealer.relay.stores.base import FramePage
from nodealer.relay.stores.page_cache import PageCache

LARGE = encode_page([(number, bytes([number]) * 20_000) for number in range(1, 11)])


def kept(on: PageCache, number: int = 1, after: int = 0) -> FramePage:
    return on.add(number, after, LARGE, last=10, frames=10)


@pytest.mark.parametrize("size", [13, 125, 126, 65_535, 65_536, 300_000])
def test_a_message_is_what_the_library_sends(size: int) -> None:
    frames = [(1, bytes(size - 12))]
    assert page_message(frames) == bytes(Frame(Opcode.BINARY, encode_page(frames)).serialize(mask=False))
    assert parse_page(message_payload(page_message(frames))) == frames


def test_a_page_is_found_by_its_table_and_cursor(tmp_path: Path) -> None:
    on = PageCache(tmp_path)
    one = kept(on, 1, 0)
    assert on.find(1, 0) is one and on.find(2, 0) is None is on.find(1, 10)
    assert not isinstance(one.message, bytes)
    assert one.message.read() == message_head(len(LARGE)) + LARGE and one.data == LARGE
    assert one.message.read(len(LARGE)) == one.message.read()[len(LARGE) :]
    assert list(tmp_path.iterdir()) == []


def test_small_pages_are_not_put_down(tmp_path: Path) -> None:
    on = PageCache(tmp_path)
    small = on.add(1, 0, encode_page([(1, b"x")]), last=1, frames=1)
    assert small.message == page_message([(1, b"x")]) and on.find(1, 0) is None


def test_a_shelf_that_is_full_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "_FILE_BYTES_MAX", 2 * len(LARGE) + 20)
    on, before = PageCache(tmp_path), len(os.listdir("/proc/self/fd"))
    old = [kept(on, 1), kept(on, 2)]
    assert on.find(1, 0) is old[0]
    new = kept(on, 3)
    # A reader that was about to send an old page still can.
    assert on.find(1, 0) is None is on.find(2, 0) and [one.data for one in (*old, new)] == [LARGE] * 3
    assert len(os.listdir("/proc/self/fd")) == before + 2
    old.clear()
    assert len(os.listdir("/proc/self/fd")) == before + 1
    on.close()
    del new
    assert len(os.listdir("/proc/self/fd")) == before


def test_readers_who_stay_keep_one_file_and_not_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow reader's page holds a whole file, while others could fill one after the other."""
    monkeypatch.setattr(page_cache, "_FILE_BYTES_MAX", len(LARGE) + 10)
    on, before = PageCache(tmp_path), len(os.listdir("/proc/self/fd"))
    slow = [kept(on, number) for number in range(10)]
    assert len(os.listdir("/proc/self/fd")) == before + 2
    assert [one.data for one in slow] == [LARGE] * 10
    assert on.find(1, 0) is slow[1] and slow[9].message == message_head(len(LARGE)) + LARGE
    slow.clear()
    kept(on, 11)
    assert on.find(1, 0) is None is not on.find(11, 0)
    assert len(os.listdir("/proc/self/fd")) == before + 1


def test_a_disk_with_little_room_is_left_to_who_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers must not fill the disk with copies, so that writers still have space."""
    on, before = PageCache(tmp_path), len(os.listdir("/proc/self/fd"))
    assert not isinstance(kept(on).message, bytes)
    real = os.statvfs(tmp_path)
    free = page_cache._FILE_BYTES_MAX // real.f_frsize
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=free - 1, f_frsize=real.f_frsize))
    assert kept(on, 2).message == message_head(len(LARGE)) + LARGE
    assert on.find(1, 0) is None is on.find(2, 0) and len(os.listdir("/proc/self/fd")) == before
    monkeypatch.undo()
    assert on.find(3, 0) is None and kept(on, 3) is on.find(3, 0)


@pytest.mark.parametrize("folder", ["missing", "part"])
def test_a_disk_that_takes_no_copies(tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if folder == "part":
        monkeypatch.setattr(os, "pwritev", lambda *_: 7)
    on = PageCache(tmp_path if folder == "part" else tmp_path / folder)
    assert kept(on).message == message_head(len(LARGE)) + LARGE and on.find(1, 0) is None
