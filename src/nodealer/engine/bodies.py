"""The bodies of log entries.

Protocol messages and moves are embedded as their own canonical JSON.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from nodealer.log.entry import Signature
from nodealer.log.roster import Roster
from nodealer.tape import SEED_BYTES
from nodealer.wire import SEATS_MAX, Digest, Message, Natural, SeatNumber, decode

Seed = Annotated[bytes, msgspec.Meta(min_length=SEED_BYTES, max_length=SEED_BYTES)]


class Begin(Message, frozen=True, tag="begin"):
    """A seat's promise to play the next hand, with a commitment to its tape for that hand."""

    duty: Digest
    commitment: Digest


class Cards(Message, frozen=True, tag="cards"):
    """A message of the card protocol."""

    duty: Digest
    message: msgspec.Raw


class Move(Message, frozen=True, tag="move"):
    """A move in the game."""

    duty: Digest
    move: msgspec.Raw


class Newcomer(Message, frozen=True):
    """The signature with which a new seat agrees to join a roster."""

    seat: SeatNumber
    signature: Signature


#: Sizes of the SHA-512 hash of a table's secret, and of a box: an X25519 key, the sealed secret and a tag.
SECRET_DIGEST_BYTES = 64
BOX_BYTES = 80


class Box(Message, frozen=True):
    """The table's next secret, sealed to one seat."""

    seat: SeatNumber
    box: Annotated[bytes, msgspec.Meta(min_length=BOX_BYTES, max_length=BOX_BYTES)]


class NewKey(Message, frozen=True):
    """The table's next secret for the members of a roster: its hash, and a box for each seat.

    See docs/spec/sealing.md.
    """

    digest: Annotated[bytes, msgspec.Meta(min_length=SECRET_DIGEST_BYTES, max_length=SECRET_DIGEST_BYTES)]
    boxes: Annotated[tuple[Box, ...], msgspec.Meta(max_length=SEATS_MAX)]


class Propose(Message, frozen=True, tag="propose"):
    """A proposed roster, which applies from the next hand, with a new table key if frames are sealed."""

    roster: Roster
    newcomers: Annotated[tuple[Newcomer, ...], msgspec.Meta(max_length=SEATS_MAX)]
    key: NewKey | None = None


class Agree(Message, frozen=True, tag="agree"):
    """A seat's agreement to a proposed roster."""

    proposal: Digest


#: The most duties that one skip vote can name: every other seat may owe a few messages at once.
NAMED_MAX = 1024


class Without(Message, frozen=True, tag="without"):
    """A skip vote: the signer no longer wants to wait for these duties of other seats."""

    duties: Annotated[tuple[Digest, ...], msgspec.Meta(min_length=1, max_length=NAMED_MAX)]


class Break(Message, frozen=True, tag="break"):
    """An abort vote: another seat has not met this duty, and the signer wants to abort the hand."""

    duty: Digest


class Leave(Message, frozen=True, tag="leave"):
    """A seat's announcement that it leaves this hand or, between hands, sits out."""


class Tick(Message, frozen=True, tag="tick"):
    """The timekeeper's time in milliseconds, counted from a moment that the timekeeper chose."""

    time: Natural


class Word(Message, frozen=True, tag="word"):
    """A note by a player. It is kept in the log and changes nothing at the table."""

    text: Annotated[str, msgspec.Meta(min_length=1)]


class Choice(Message, frozen=True):
    """A private choice that a seat made for a duty."""

    duty: Digest
    choice: bytes


class Claim(Message, frozen=True, tag="claim"):
    """A dispute: the signer discloses their own hand and claims that this card does not open."""

    deck: Natural
    position: Natural
    seed: Seed
    choices: tuple[Choice, ...]


class Book(Message, frozen=True, tag="book"):
    """A disclosure: the signer's seed and private choices of one hand."""

    duty: Digest
    seed: Seed
    choices: tuple[Choice, ...]


class End(Message, frozen=True, tag="end"):
    """A seat's confirmation that it has seen the log up to here and leaves the table."""

    duty: Digest


Body = Begin | Cards | Move | Propose | Agree | Without | Break | Leave | Tick | Word | Claim | Book | End
#: The bodies that fulfil a duty.
Answer = Begin | Cards | Move | Book | End


def read_body(data: bytes) -> Body:
    """Decode the body of an entry strictly.

    Protocol messages and moves in it stay encoded. Raise `DecodeError` if it is invalid.
    """
    body: Body = decode(Body, data, what="the body")
    return body
