"""The home of a seat in a tab: it comes back as it was, and what the storage refuses is said and never signed twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodealer.errors import BadParameter, DecodeError, HomeUnusable, OtherFormat
from nodealer.keys import MARK_BYTES
from nodealer.log.journal import Sent
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.web.tab.opfs_store import StoredTable, TabStore, new_saved, read_saved, rejoin_invitation
from nodealer.wire import encode

SAVED = new_saved("Ada", "AQ", bytes(range(32)), bytes(32), StoredTable(game="holdem", settings={}, seats=3, hands=2))


class MemoryStore:
    """A file in memory, which can be full."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.flushed = 0
        self.full = False
        self.open = True

    def read(self) -> bytes:
        return bytes(self.data)

    def write(self, data: bytes, at: int) -> None:
        if self.full:
            self.data[at:] = data[:3]
            raise OSError("QuotaExceededError: no space is left")
        self.data[at : at + len(data)] = data

    def flush(self) -> None:
        self.flushed = len(self.data)

    def truncate(self, size: int) -> None:
        del self.data[size:]

    def close(self) -> None:
        self.open = False


def record() -> Sent:
    return Sent(b"{}")


def lived_in() -> MemoryStore:
    store = MemoryStore()
    home = TabStore.create(store, SAVED)
    home.append_lobby_frame(b'{"a":1}')
    home.journal.write(record())
    return store


def test_it_comes_back_as_it_was() -> None:
    store = lived_in()
    assert store.flushed == len(store.data), "a record is on the disk before anybody acts upon it"
    home = TabStore.open(MemoryStore(bytes(store.data)))
    assert (home.name, home.root, home.saved) == ("Ada", bytes(32), SAVED)
    assert home.lobby == [b'{"a":1}'] and home.journal.records == (record(),)
    assert "Ada" not in repr(home.saved) or "key" not in repr(home.saved)


def test_half_a_line_was_never_acted_upon() -> None:
    whole = bytes(lived_in().data)
    for cut in (1, 5):
        store = MemoryStore(whole[:-cut])
        assert TabStore.open(store).journal.records == ()
        assert store.data.endswith(b"\n")
        home = TabStore.open(store)
        home.journal.write(record())
        assert TabStore.open(MemoryStore(bytes(store.data))).journal.records == (record(),)


def test_a_full_storage_is_told_and_nothing_more_is_taken() -> None:
    store = lived_in()
    home = TabStore.open(store)
    store.full = True
    with pytest.raises(HomeUnusable, match="QuotaExceededError"):
        home.journal.write(record())
    store.full = False
    with pytest.raises(HomeUnusable, match="nothing more can be stored"):
        home.journal.write(record())
    # What was half written is gone when it is opened again.
    assert TabStore.open(store).journal.records == (record(),)


def test_nothing_is_taken_that_does_not_belong() -> None:
    home = TabStore.create(MemoryStore(), SAVED)
    with pytest.raises(BadParameter, match="before the players have agreed"):
        home.append(b"{}")
    with pytest.raises(DecodeError):
        home.append_lobby_frame(b"no frame")
    with pytest.raises(BadParameter, match="single lines"):
        home.append_line(b"e", b"two\nlines", flush=True)
    home.close()
    with pytest.raises(HomeUnusable, match="nothing more can be stored"):
        home.append_lobby_frame(b"{}")
    with pytest.raises(DecodeError, match="empty"):
        TabStore.create(MemoryStore(), new_saved("", "AQ", bytes(32), bytes(32)))


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"", HomeUnusable),
        (b"{", HomeUnusable),
        (b'{"format":"nodealer-home","version":"1"}', HomeUnusable),
        (encode(SAVED).replace(b'"version":"1"', b'"version":"9"'), OtherFormat),
        (encode(SAVED)[:-1] + b',"more":1}', HomeUnusable),
    ],
)
def test_a_first_line_that_is_none(line: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_saved(line)


def test_a_name_that_nobody_may_have_is_in_no_home() -> None:
    for name in ("<b>", "a" * 99, "A\u202eb"):
        with pytest.raises(HomeUnusable, match="name"):
            read_saved(encode(new_saved(name, "AQ", bytes(32), bytes(32))))


# --- A link that is opened again ---

FIRST = Invitation(("wss://a",), TableSecret(bytes(16), "5a" * 16, 0), bytes(MARK_BYTES))
LATER = TableSecret(bytes(32), "5a" * 16, 3)


def test_the_same_link_leads_back_and_a_later_one_brings_its_key_and_its_relays_behind_the_known() -> None:
    saved = new_saved("Ada", FIRST.link, bytes(32), bytes(32))
    assert rejoin_invitation(saved, FIRST) == (FIRST, ())
    # The relays of a host who has moved; and who plays there opens the link for those who watch.
    moved = replace(FIRST, relays=("wss://b",))
    assert rejoin_invitation(saved, moved) == (moved, ())
    assert rejoin_invitation(saved, FIRST.for_spectators()) == (FIRST, ())
    later = replace(moved, key=LATER)
    assert rejoin_invitation(saved, later) == (replace(FIRST, relays=("wss://a", "wss://b")), (LATER,))
    # A host knows best where its table is.
    hosts = new_saved("Ada", FIRST.link, bytes(32), bytes(32), SAVED.hosted)
    assert rejoin_invitation(hosts, moved) == (FIRST, ())


@pytest.mark.parametrize(
    "false",
    [
        # As a relay would make one, which knows the number of the table and nothing else.
        replace(FIRST, relays=("wss://evil",), key=TableSecret(b"e" * 16, "5a" * 16, 0)),
        replace(FIRST, key=ReadKey(b"e" * 32, "5a" * 16, 0)),
        replace(FIRST, host=b"e" * MARK_BYTES),
        replace(FIRST, host=b"e" * MARK_BYTES, key=LATER),
        replace(FIRST, key=TableSecret(bytes(16), "5b" * 16, 0)),
    ],
)
def test_a_link_that_only_has_the_number_of_a_table_leads_no_seat_away(false: Invitation) -> None:
    with pytest.raises(BadParameter, match="One of the two links is fake"):
        rejoin_invitation(new_saved("Ada", FIRST.link, bytes(32), bytes(32)), false)


@pytest.mark.parametrize("line", [b"x{}", b"e{}", b"j{}", b"lnothing", b"s{}", b""])
def test_a_damaged_line_is_named(line: bytes) -> None:
    with pytest.raises(HomeUnusable, match="line 2"):
        TabStore.open(MemoryStore(encode(SAVED) + b"\n" + line + b"\n"))
