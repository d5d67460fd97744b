"""What an entry can say. Protocol messages and moves stand inside as their own canonical JSON."""

from __future__ import annotations

from typing import Annotated

import msgspec

from nodealer.log.roster import Roster
from nodealer.tape import SEED_BYTES
from nodealer.wire import Digest, Message, Natural, SeatNumber, decode

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


class Propose(Message, frozen=True, tag="propose"):
    """From the next hand on, let this be the roster."""

    duty: Digest
    roster: Roster


class Agree(Message, frozen=True, tag="agree"):
    """My answer to a proposed roster."""

    duty: Digest
    yes: bool


class Without(Message, frozen=True, tag="without"):
    """Let us go on without these seats. Holds when every seat that stays has said so."""

    seats: tuple[SeatNumber, ...]


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
    """My seed and my private choices of this hand."""

    duty: Digest
    seed: Seed
    choices: tuple[Choice, ...]


class End(Message, frozen=True, tag="end"):
    """I have seen the log to here and leave the table."""

    duty: Digest


Body = Begin | Cards | Move | Propose | Agree | Without | Claim | Book | End


def read_body(data: bytes) -> Body:
    """The body of an entry, strictly decoded, the JSON inside it not looked at yet."""
    body: Body = decode(Body, data, what="the body")
    return body
