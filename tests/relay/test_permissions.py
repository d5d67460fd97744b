"""The decisions of a relay, without a socket: whose token is valid, how much is too much, how fast is too fast."""

from __future__ import annotations

import re
from dataclasses import fields
from hashlib import sha512
from itertools import islice
from pathlib import Path
from typing import get_args

import pytest

from nodealer.errors import BadParameter, RelayError
from nodealer.relay.limits import LOCAL_LIMITS, RelayLimits
from nodealer.relay.messages import (
    FRAME_BYTES_MAX,
    PAGE_BYTES_MAX,
    RelayReply,
    RelayRequest,
    encode_page,
    parse_page,
    split_into_pages,
)
from nodealer.relay.permissions import (
    EndedRecord,
    GivenRecord,
    MadeRecord,
    PermissionRecord,
    ReachedRecord,
    Refusal,
    RekeyedRecord,
    TablePermissions,
    check_frame,
    encode_record,
    mailbox_name,
    mailbox_numbers,
    new_claim,
    permissions_of,
)
from nodealer.relay.server import connection
from nodealer.relay.server.metrics import Metrics, table_alias
from nodealer.relay.server.rate_limit import _ADDRESSES_MAX, ConnectionCounts, Quota, RateLimit
from nodealer.relay.server.sockets import address_group, is_loopback
from relay.wires import counting, writer

TOKENS = [bytes([epoch]) * 32 for epoch in range(5)]


def said(*notes: PermissionRecord) -> TablePermissions:
    rules = permissions_of([encode_record(note) for note in notes])
    assert rules is not None
    return rules


# --- Notes ---


def test_a_table_without_notes_is_none() -> None:
    assert permissions_of([]) is None


def test_whoever_was_first_has_the_table() -> None:
    rules = said(MadeRecord(writer(TOKENS[0])), MadeRecord(writer(TOKENS[1])))
    assert (rules.epoch_of(TOKENS[0]), rules.epoch_of(TOKENS[1])) == (0, None)
    box = said(GivenRecord(b"a" * 16), GivenRecord(b"b" * 16), MadeRecord(writer()))
    assert box.claim == b"a" * 16 and box.is_mailbox and box.writers == ()


def test_a_new_key_ends_the_old_one_when_it_is_used() -> None:
    notes: list[PermissionRecord] = [MadeRecord(writer(TOKENS[0])), RekeyedRecord(writer(TOKENS[1]), 0)]
    both = said(*notes)
    assert [both.epoch_of(token) for token in TOKENS[:3]] == [0, 1, None]
    assert both.can_write(0) and both.can_write(1) and not both.can_write(None)
    used = said(*notes, ReachedRecord(1))
    assert [used.epoch_of(token) for token in TOKENS[:3]] == [None, 1, None]
    assert not used.can_write(0) and used.can_write(1)


def test_who_leaves_leaves_no_key_behind() -> None:
    """A key registered with the old one, and one registered with that, become invalid with it."""
    notes: list[PermissionRecord] = [MadeRecord(writer(TOKENS[0]))]
    notes += [RekeyedRecord(writer(token), by) for token, by in zip(TOKENS[1:4], (0, 0, 2), strict=True)]
    assert [said(*notes).epoch_of(token) for token in TOKENS[:4]] == [0, 1, 2, 3]
    used = said(*notes, ReachedRecord(1))
    assert [used.epoch_of(token) for token in TOKENS[:4]] == [None, 1, None, None]
    assert not used.can_write(2) and not used.can_write(3)
    assert said(*notes, ReachedRecord(1), ReachedRecord(3)) == used
    # A holder of the new key registers the next one.
    assert said(*notes, RekeyedRecord(writer(TOKENS[4]), 1), ReachedRecord(1)).epoch_of(TOKENS[4]) == 4


def test_notes_that_change_nothing() -> None:
    notes: list[PermissionRecord] = [
        MadeRecord(writer(TOKENS[0])),
        RekeyedRecord(writer(TOKENS[1]), 0),
        ReachedRecord(1),
    ]
    rules = said(*notes)
    for more in (
        RekeyedRecord(writer(TOKENS[1]), 0),
        RekeyedRecord(writer(TOKENS[0]), 1),
        ReachedRecord(0),
        ReachedRecord(2),
        ReachedRecord(1),
    ):
        assert said(*notes, more) == rules, more
    assert not rules.ended and said(*notes, EndedRecord()).ended
    assert said(*notes, EndedRecord(), RekeyedRecord(writer(TOKENS[2]), 1)).epoch_of(TOKENS[2]) == 2


def test_a_writer_that_was_named_too_early_is_named_again() -> None:
    """Otherwise a player could register a later key too early, and no one could write with it."""
    notes: list[PermissionRecord] = [
        MadeRecord(writer(TOKENS[0])),
        RekeyedRecord(writer(TOKENS[2]), 0),
        RekeyedRecord(writer(TOKENS[1]), 0),
        ReachedRecord(2),
    ]
    assert said(*notes).epoch_of(TOKENS[2]) is None and not said(*notes).is_redundant(writer(TOKENS[2]))
    again = said(*notes, RekeyedRecord(writer(TOKENS[2]), 2))
    assert again.epoch_of(TOKENS[2]) == 3 and again.is_redundant(writer(TOKENS[2]))
    used = said(*notes, RekeyedRecord(writer(TOKENS[2]), 2), ReachedRecord(3))
    assert used.epoch_of(TOKENS[2]) == 3 and used.epoch_of(TOKENS[1]) is None
    assert (
        said(*notes, RekeyedRecord(writer(TOKENS[2]), 2), ReachedRecord(3), RekeyedRecord(writer(TOKENS[1]), 3)) == used
    )


@pytest.mark.parametrize("data", [b"", b"{}", encode_record(EndedRecord()), encode_record(MadeRecord(writer())) + b" "])
def test_notes_that_no_relay_wrote(data: bytes) -> None:
    with pytest.raises(RelayError):
        permissions_of([data])


def test_a_token_is_judged_by_its_hash() -> None:
    rules = TablePermissions(writers=(sha512(b"x" * 32).digest(),))
    assert rules.epoch_of(b"x" * 32) == 0
    assert rules.epoch_of(rules.writers[0][:32]) is None and rules.epoch_of(b"") is None


# --- Frames ---

LIMITS = RelayLimits(frame_bytes=100, frames_per_table=3, bytes_per_table=250, mailbox_bytes=50, mailbox_frames=2)
TABLE = TablePermissions(writers=(writer(), writer(TOKENS[1])), by=(0,), reached=1)
BOX = TablePermissions(claim=b"a" * 16)


def refusal(
    rules: TablePermissions, epoch: int | None, size: int, frames: int = 0, total: int = 0
) -> tuple[str, bool] | None:
    try:
        check_frame(LIMITS, rules, epoch, size, frames=frames, total=total)
    except Refusal as refused:
        return refused.code, refused.last
    return None


def test_who_may_write() -> None:
    assert refusal(TABLE, 1, 1) is None
    assert refusal(TABLE, None, 1) == ("token", True)
    assert refusal(TABLE, 0, 1) == ("key", False)
    assert refusal(BOX, None, 1) is None


def test_how_large_a_frame_is() -> None:
    assert refusal(TABLE, 1, 100) is None and refusal(BOX, None, 50) is None
    for rules, size in ((TABLE, 0), (TABLE, 101), (BOX, 0), (BOX, 51)):
        assert refusal(rules, 1, size) == ("frame", True)


def test_how_much_a_table_holds() -> None:
    assert refusal(TABLE, 1, 10, 2, 240) is None and refusal(BOX, None, 10, 1) is None
    assert refusal(TABLE, 1, 10, 3, 30) == ("full", False)
    assert refusal(TABLE, 1, 11, 2, 240) == ("full", False)
    assert refusal(BOX, None, 10, 2) == ("full", False)


# --- Mailboxes ---


def test_numbers_that_are_easy_to_say_come_first() -> None:
    numbers = list(mailbox_numbers(counting()))
    assert sorted(numbers[:9]) == list(range(1, 10))
    assert all(10 <= number < 100 for number in numbers[9:21]) and max(numbers) < 1_000_000
    assert len(set(numbers)) == len(numbers)
    entropy = counting()
    assert len({tuple(islice(mailbox_numbers(entropy), 9)) for _ in range(30)}) > 5
    assert new_claim(entropy) != new_claim(entropy) and mailbox_name(7) == "box-7"


# --- Pace ---


def test_a_client_that_is_too_fast_waits() -> None:
    pace = RateLimit(RelayLimits(frames_per_second=10, bytes_per_second=1000, burst_seconds=2), 0.0)
    assert [pace.spend(0.0, 1) for _ in range(20)] == [0.0] * 20
    assert pace.spend(0.0, 1) == pytest.approx(0.1)
    assert pace.spend(0.2, 1) == 0.0
    # The burst is two seconds' worth, and no more.
    assert [pace.spend(100.0, 1) for _ in range(20)] == [0.0] * 20
    assert pace.spend(100.0, 1) > 0


def test_a_client_that_says_too_much_waits() -> None:
    pace = RateLimit(RelayLimits(frames_per_second=10, bytes_per_second=1000, burst_seconds=2), 0.0)
    assert pace.spend(0.0, 2000) == 0.0
    assert pace.spend(0.0, 500) == pytest.approx(0.5)
    assert pace.spend(0.5, 0) == 0.0


def test_an_address_makes_so_many_an_hour() -> None:
    quota = Quota(3)
    assert [quota.try_take(0.0, "a") for _ in range(4)] == [True, True, True, False]
    assert quota.try_take(0.0, "b")
    assert not quota.try_take(1100.0, "a") and quota.try_take(1300.0, "a") and not quota.try_take(1300.0, "a")


def test_no_more_addresses_are_remembered_than_fit() -> None:
    quota = Quota(1)
    for number in range(_ADDRESSES_MAX + 10):
        assert quota.try_take(0.0, str(number))
    assert len(quota._left) == _ADDRESSES_MAX


def test_places_of_an_address() -> None:
    places = ConnectionCounts(2)
    first, second = places.acquire("a"), places.acquire("a")
    assert not places.has_room("a") and places.has_room("b")
    first()
    assert places.has_room("a")
    second()
    assert not places._counts


def test_what_an_address_counts_as() -> None:
    assert address_group("192.0.2.1") == "192.0.2.1" == address_group("::ffff:192.0.2.1")
    assert address_group("2001:db8::1") == address_group("2001:db8::ffff%eth0") != address_group("2001:db8:1::1")
    assert address_group("") == address_group("x") == "unknown"
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("::ffff:127.0.0.1")
    assert not is_loopback("192.0.2.1") and not is_loopback("")


# --- Limits, pages, numbers ---


@pytest.mark.parametrize("wrong", [{"refusals": 0}, {"refusals": True}, {"frame_bytes": FRAME_BYTES_MAX + 1}])
def test_limits_are_whole_numbers(wrong: dict[str, int]) -> None:
    with pytest.raises(BadParameter):
        RelayLimits(**wrong)


def test_every_limit_says_what_it_means() -> None:
    assert all(each.metadata["meaning"] for each in fields(RelayLimits))
    assert LOCAL_LIMITS.frames_per_second > RelayLimits().frames_per_second


def test_no_page_is_larger_than_a_client_takes() -> None:
    """This holds even if the frames are smaller than their headers."""
    frames = [(number + 1, b"x") for number in range(30_000)] + [(40_000, bytes(FRAME_BYTES_MAX))]
    pages = [encode_page(some) for some in split_into_pages(frames)]
    assert [frame for each in pages for frame in parse_page(each)] == frames
    assert len(pages) == 2 and max(map(len, pages)) <= PAGE_BYTES_MAX
    assert list(split_into_pages([])) == []


def test_metrics_are_what_prometheus_reads() -> None:
    text = Metrics(taken=3).text()
    assert "# TYPE nodealer_relay_taken_total counter\nnodealer_relay_taken_total 3\n" in text
    assert "# TYPE nodealer_relay_tables gauge\nnodealer_relay_tables 0\n" in text


def test_a_log_names_no_table() -> None:
    assert table_alias("ab" * 16) != table_alias("cd" * 16) and "abab" not in table_alias("ab" * 16)
    assert table_alias("box-7") == table_alias("box-8")


# --- The page ---

PAGE = (Path(__file__).parents[2] / "docs/spec/relay.md").read_text()


def test_the_page_has_every_limit() -> None:
    rows = [f"| `{each.name}` | {each.default:,} | {each.metadata['meaning']} |" for each in fields(RelayLimits)]
    assert "\n".join(rows) in PAGE


def test_the_page_has_every_message_and_every_code() -> None:
    for kind in (*get_args(RelayRequest), *get_args(RelayReply)):
        assert f'{{"type":"{kind.__struct_config__.tag}"' in PAGE, kind
        names = ",".join(f'"{name}":' for name in kind.__struct_fields__)
        assert all(name in PAGE for name in names.split(",")), kind
    sources = "".join(path.read_text() for path in Path(connection.__file__).parents[1].rglob("*.py"))
    codes = PAGE.partition("| Code | Means |")[2].partition("\n\n")[0]
    assert set(re.findall(r'Refusal\(\s*"(\w+)"', sources)) == set(re.findall(r"^\| `(\w+)` ", codes, re.M))
