"""Entries of the log: what a seat signs, and how entries are chained by their hashes."""

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
    """What a seat signs: the context (session, roster, hand), the seat, and the content (`body`).

    `seq` counts the entries of the seat. `seen` is the head of the log that the seat had seen.
    """

    session: Digest
    roster: Digest
    hand: Natural
    seat: SeatNumber
    seq: Natural
    seen: Digest
    body: msgspec.Raw


class Signed(Message, frozen=True):
    """A line of the log: an entry exactly as it was signed, and its signature."""

    entry: msgspec.Raw
    signature: Signature


@dataclass(frozen=True)
class Arrival:
    """An entry as received: the whole line, the decoded entry, the bytes that were signed and their signature."""

    data: bytes
    entry: Entry
    signed: bytes
    signature: bytes


def sign_entry(key: Identity, entry: Entry) -> bytes:
    """Sign an entry and return the line for the log."""
    signed = encode(entry)
    return encode(Signed(msgspec.Raw(signed), key.sign(signed)))


def read_entry(data: bytes) -> Arrival:
    """Decode a line of the log, strictly, except for the entry's body. Raise `DecodeError` if it is malformed.

    The signature is not verified, so no seat can be blamed yet. Call `authenticate` next.
    """
    outer = decode(Signed, data, what="the entry")
    signed = bytes(outer.entry)
    return Arrival(data, decode(Entry, signed, what="the entry"), signed, outer.signature)


# defence: spoofed, two-tables
def authenticate(arrival: Arrival, keys: Mapping[int, VerifyingKey], session: bytes) -> None:
    """Verify an entry's signature and session.

    Raise `BadSignature`, which blames no seat, if the signature is not valid. Raise `EntryRefused`, which names the
    seat, if the seat signed the entry for another session.
    """
    entry = arrival.entry
    if entry.seat not in keys:
        raise BadSignature(f"an entry claims to be from seat {entry.seat}, which does not exist")
    keys[entry.seat].verify(arrival.signature, arrival.signed)
    if entry.session != session:
        raise EntryRefused(entry.seat, "the entry is signed for another session")


def first_head(session: bytes) -> bytes:
    """Return the head of a log without entries."""
    return digest("log", session)


def next_head(head: bytes, data: bytes) -> bytes:
    """Return the head after one more entry."""
    return digest("head", head, data)
