"""Self-tests of tape and wire, against vectors of our own that must never change."""

from __future__ import annotations

from functools import partial
from typing import Final

from nodealer import wire as encoding
from nodealer.cli.selftest.expect import expect, expect_refused
from nodealer.errors import DecodeError
from nodealer.group import Group
from nodealer.tape import digest, hand_tape, seed_commitment

SEED: Final = "c4afe22e20d13a743a4bd42bfa5ff9d0c98150a2cf09ddf1cb9c33f9a1723d9f"
COMMITMENT: Final = "4698ccdaaf618a02b9b79035571fc9aa5edd14ff197a83b8d5c74d343819207d"
DRAWN: Final = "acc204f138ce98ff41e91842f6a77985"
ORDER: Final = [1, 6, 8, 5, 2, 9, 0, 11, 3, 10, 4, 7]
DIGEST: Final = "8196107724503148323fffa5a02d31f2f9ef950c1b9cc846e049efc406bae4e5"

#: The one encoding of a message, and others that JSON readers would take for the same.
ENCODED: Final = b'{"name":"\xc3\x84","data":"AQI="}'
OTHERS: Final = {
    "white space": b'{"name": "\xc3\x84","data":"AQI="}',
    "an escape": b'{"name":"\\u00c4","data":"AQI="}',
    "a doubled key": b'{"name":"x","name":"\xc3\x84","data":"AQI="}',
    "another order": b'{"data":"AQI=","name":"\xc3\x84"}',
    "loose base64": b'{"name":"\xc3\x84","data":"AQJ="}',
    "trailing bytes": ENCODED + b" ",
}


class Sample(encoding.Message, frozen=True):
    """A sample message."""

    name: str
    data: bytes


def tape(group: Group) -> None:
    """Test the derivation of seeds, commitments, values and permutations."""
    session = b"s" * 32
    found = hand_tape(bytes(range(32)), session=session, seat=1, hand=2)
    expect("the seed of a hand", found.seed.hex(), SEED)
    expect("the commitment", seed_commitment(found, session=session, seat=1, hand=2).hex(), COMMITMENT)
    expect("a drawn value", found.draw("x", b"in", size=16).hex(), DRAWN)
    expect("a permutation", found.permutation("order", b"in", len(ORDER)).vartime_list(), ORDER)
    expect("a digest", digest("label", b"a", "b", 3).hex(), DIGEST)


def wire(group: Group) -> None:
    """Test that a message has exactly one encoding."""
    expect("an encoded message", encoding.encode(Sample("Ä", b"\1\2")), ENCODED)
    expect("a decoded message", encoding.decode(Sample, ENCODED, what="sample"), Sample("Ä", b"\1\2"))
    for what, data in OTHERS.items():
        expect_refused(what, DecodeError, partial(encoding.decode, Sample, data, what="sample"))
