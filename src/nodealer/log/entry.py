"""Entries: what a seat signs, and how entries are chained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import msgspec

from nodealer.errors import BadSignature, EntryRefused
from nodealer.keys import SIGNATURE_BYTES, Identity, VerifyingKey
from nodealer.tape import digest
from nodealer.wire import Digest, Message, Natural, SeatNumber, decode, encode

Signature = Annotated[bytes, msgspec.Meta(min_length=SIGNATURE_BYTES, max_length=SIGNATURE_BYTES)]


class Entry(Message, frozen=True):
    """What a seat says once: where (session, roster, hand), who (seat), as which of its entries (`seq`), having seen
    which log (`seen`, a head), and what (`body`)."""

    session: Digest
    roster: Digest
    hand: Natural
    seat: SeatNumber
    seq: Natural
    seen: Digest
    body: msgspec.Raw


class Signed(Message, frozen=True):
    """A line of the log: an entry exactly as it was signed, and the signature."""

    entry: msgspec.Raw
    signature: Signature


@dataclass(frozen=True)
class Arrival:
    """An entry as it came in: its bytes, what they say, and the signature over `signed`."""

    data: bytes
    entry: Entry
    signed: bytes
    signature: bytes


def sign_entry(key: Identity, entry: Entry) -> bytes:
    """The bytes that go into the log."""
    signed = encode(entry)
    return encode(Signed(msgspec.Raw(signed), key.sign(signed)))


def read_entry(data: bytes) -> Arrival:
    """Decode the outside of an entry, strictly. The signature is not looked at, and nobody is to blame yet."""
    outer = decode(Signed, data, what="the entry")
    signed = bytes(outer.entry)
    return Arrival(data, decode(Entry, signed, what="the entry"), signed, outer.signature)


def authenticate(arrival: Arrival, keys: Mapping[int, VerifyingKey], session: bytes) -> None:
    """Raise `BadSignature`, naming nobody, or `EntryRefused`, naming a seat that signed for another session."""
    entry = arrival.entry
    if entry.seat not in keys:
        raise BadSignature(f"an entry in the name of seat {entry.seat}, which does not exist")
    keys[entry.seat].verify(arrival.signature, arrival.signed)
    if entry.session != session:
        raise EntryRefused(entry.seat, "the entry is signed for another session")


def first_head(session: bytes) -> bytes:
    """The head of a log without entries."""
    return digest("log", session)


def next_head(head: bytes, data: bytes) -> bytes:
    """The head after one more entry."""
    return digest("head", head, data)
