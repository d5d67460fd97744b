"""What an entry can say. Protocol messages and moves stand inside as their own canonical JSON."""

from __future__ import annotations

from typing import Annotated

import msgspec

from nodealer.log.entry import Signature
from nodealer.log.roster import Roster
from nodealer.tape import SEED_BYTES
from nodealer.wire import SEATS_MAX, Digest, Message, Natural, SeatNumber, decode

Seed = Annotated[bytes, msgspec.Meta(min_length=SEED_BYTES, max_length=SEED_BYTES)]


class Begin(Message, frozen=True, tag="begin"):
    """I play the next hand; this commits me to my tape of it."""

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
    """A seat that is new in a roster agrees to sit there: its own signature."""

    seat: SeatNumber
    signature: Signature


#: SHA-512 of a table's secret, and the secret sealed to one seat: an X25519 key, the secret, and a tag.
SECRET_DIGEST_BYTES = 64
BOX_BYTES = 80


class Box(Message, frozen=True):
    """The table's next secret, for one seat."""

    seat: SeatNumber
    box: Annotated[bytes, msgspec.Meta(min_length=BOX_BYTES, max_length=BOX_BYTES)]


class NewKey(Message, frozen=True):
    """The table's next secret, for those who are in a roster: its hash, and a box for each. docs/spec/sealing.md."""

    digest: Annotated[bytes, msgspec.Meta(min_length=SECRET_DIGEST_BYTES, max_length=SECRET_DIGEST_BYTES)]
    boxes: Annotated[tuple[Box, ...], msgspec.Meta(max_length=SEATS_MAX)]


class Propose(Message, frozen=True, tag="propose"):
    """Let this be the roster, from the next hand on; and this the key of what is said then, where frames are sealed."""

    roster: Roster
    newcomers: Annotated[tuple[Newcomer, ...], msgspec.Meta(max_length=SEATS_MAX)]
    key: NewKey | None = None


class Agree(Message, frozen=True, tag="agree"):
    """I agree to a proposed roster."""

    proposal: Digest


#: Every seat but one may owe a few messages at once.
NAMED_MAX = 1024


class Without(Message, frozen=True, tag="without"):
    """Let us not wait for these duties of other seats."""

    duties: Annotated[tuple[Digest, ...], msgspec.Meta(min_length=1, max_length=NAMED_MAX)]


class Break(Message, frozen=True, tag="break"):
    """This duty of another seat is not done: let us break the hand off."""

    duty: Digest


class Leave(Message, frozen=True, tag="leave"):
    """I leave this hand, or between hands sit out."""


class Tick(Message, frozen=True, tag="tick"):
    """So much time has passed, in milliseconds, since a moment of the timekeeper's own choice."""

    time: Natural


class Word(Message, frozen=True, tag="word"):
    """Something that a player wants to have said. It is in the log, and changes nothing at the table."""

    text: Annotated[str, msgspec.Meta(min_length=1)]


class Choice(Message, frozen=True):
    """A private choice that was made for a duty."""

    duty: Digest
    choice: bytes


class Claim(Message, frozen=True, tag="claim"):
    """This card of mine does not open. I open my book first."""

    deck: Natural
    position: Natural
    seed: Seed
    choices: tuple[Choice, ...]


class Book(Message, frozen=True, tag="book"):
    """My seed and my private choices of a hand."""

    duty: Digest
    seed: Seed
    choices: tuple[Choice, ...]


class End(Message, frozen=True, tag="end"):
    """I have seen the log to here and leave the table."""

    duty: Digest


Body = Begin | Cards | Move | Propose | Agree | Without | Break | Leave | Tick | Word | Claim | Book | End
#: Those that fulfil a duty.
Answer = Begin | Cards | Move | Book | End


def read_body(data: bytes) -> Body:
    """The body of an entry, strictly decoded, the JSON inside it not looked at yet."""
    body: Body = decode(Body, data, what="the body")
    return body
