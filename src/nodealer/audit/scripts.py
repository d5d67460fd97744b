"""What happened to the cards of one hand, apart from the game around them: enough to check all its proofs alone.

A script is the requests that the game made of each deck and the numbers of the entries that answered, in order. Whoever
has it, and the log, plays the decks through again with the real group, and compares what came out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from nodealer.cards import Event, Operation
from nodealer.errors import LogBroken
from nodealer.log.entry import Arrival, authenticate, read_entry
from nodealer.log.session import Session
from nodealer.play.bodies import Cards, read_body
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.protocols.base import CardProtocol, Deck, Table
from nodealer.tape import digest


@dataclass(frozen=True)
class Made:
    """A deck was made at this table: everything that `Table` says but its group."""

    deck: int
    size: int
    owner: int | None
    table: dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """The game asked a deck for something."""

    deck: int
    operation: Operation


@dataclass(frozen=True)
class Answered:
    """An entry fulfilled a duty."""

    deck: int
    entry: int
    duty: bytes


@dataclass
class Script:
    """One hand: its entries from `first` up to `last`, what was done to its decks, and what came out."""

    first: int
    last: int = 0
    steps: list[Made | Asked | Answered] = field(default_factory=list)
    outcome: bytes = b""


def table_facts(table: Table) -> dict[str, Any]:
    """A table without its group, which only this process has."""
    return {item.name: getattr(table, item.name) for item in fields(table) if item.name != "group"}


def outcome_of(decks: dict[int, Deck], events: Sequence[Event]) -> bytes:
    """Equal for two runs of a script that give the same decks and the same events, every opened face among them."""
    return digest("script", *(deck.digest() for _, deck in sorted(decks.items())), repr(tuple(events)))


def check_script(
    script: Script, entry: Callable[[int], bytes], session: Session, protocol: CardProtocol, entropy: Entropy
) -> int:
    """Check the signatures of a hand's entries and all proofs among them; gives the number of proofs.

    Raises an error for anything that is not right. Who is to blame is not looked into.
    """
    arrivals = {number: read_entry(entry(number)) for number in range(script.first, script.last)}
    for arrival in arrivals.values():
        authenticate(arrival, session.proposal.roster, session.id)
    decks, events, checks = dict[int, Deck](), list[Event](), list[Check]()
    for step in script.steps:
        if isinstance(step, Made):
            table = Table(**step.table, group=protocol.group)
            decks[step.deck] = protocol.new_deck(table, step.deck, step.size, step.owner)
            continue
        if isinstance(step, Asked):
            done = decks[step.deck].request(step.operation)
        else:
            done = _answer(decks[step.deck], step, arrivals[step.entry])
        decks[step.deck] = done.deck
        events += done.events
        checks += done.checks
    settle(checks, entropy)
    if outcome_of(decks, events) != script.outcome:
        raise LogBroken("the cards of a hand came out differently")
    return len(checks)


def _answer(deck: Deck, step: Answered, arrival: Arrival) -> Any:
    duty = next((duty for duty in deck.duties if duty.id == step.duty), None)
    body = read_body(bytes(arrival.entry.body))
    if duty is None or duty.seat != arrival.entry.seat or not isinstance(body, Cards) or body.duty != step.duty:
        raise LogBroken("an entry answers what nobody asked")
    return deck.apply(duty, bytes(body.message))
