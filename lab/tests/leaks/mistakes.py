"""Mistakes that can be made in the middle of a hand, and what is said of each.

Whatever raises there has secrets at hand: a seat's root, its tape, the keys of its cards.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.harness import Source
from nodealer.cards.operations import Capability, Deal, NoneOf, Open, Portion, Prove
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    AnswerQuestion,
    DiscloseHand,
    DisputeCard,
    MakeMove,
    ProposeRoster,
    RemovePlayer,
    RequestSeat,
    SendTick,
    VoteAbort,
    VoteSkip,
    VoteSkipDuties,
    WriteNote,
)
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Question
from nodealer.engine.seat import Seat
from nodealer.log.entry import read_entry
from nodealer.log.journal import Journal, MemoryJournal, Sent
from nodealer.protocols.base import Duty
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.tape import Tape

Mistake = Callable[[], object]

#: A choice that is none, in each way in which one is read.
CHOICES: Final = (b"nonsense", b"[99]", b'{"type":"pick","positions":[99]}')


def complaints(made: Mapping[str, Mistake]) -> Iterator[tuple[str, bytes]]:
    """What is said of mistakes: the whole trace, as it would stand in a terminal or a report."""
    for name, mistake in made.items():
        try:
            mistake()
        except Exception as error:  # whatever it is
            said = "".join(traceback.format_exception(error)) + repr(error) + json.dumps([str(a) for a in error.args])
            yield f"{name}: {type(error).__name__}", said.encode(errors="replace")
        else:
            raise AssertionError(f"{name} is no mistake")


def mistakes(one: Participant) -> dict[str, Mistake]:
    """All that somebody with a seat can get wrong now. Each of them raises, and changes nothing."""
    return of_a_person(one) | of_a_disk(one) | of_cards(one)


def of_cards(one: Participant) -> dict[str, Mistake]:
    """Of decks alone: what is true of one seat there need not be of another."""
    found: dict[str, Mistake] = {}
    for deck in one.replica.state.hand.decks.values():
        found |= of_a_deck(one, deck)
    return found


def of_a_person(one: Participant) -> dict[str, Mistake]:
    seat, state = one.seat, one.replica.state
    deck: Any = state.hand.decks[min(state.hand.decks)]
    duty = deck.binding.duty(None, seat.number, "none", bytes(64))
    unasked: Any = Question(duty, None, None)  # type: ignore[arg-type]
    found: dict[str, Mistake] = {
        "a move that is none": lambda: one.command(MakeMove({"no": "move"})),
        "an answer that nobody asked for": lambda: one.command(AnswerQuestion(unasked, (1, 2))),
        "a choice about nothing": lambda: one.seat.choose(duty, b"[]"),
        "a word that is too long": lambda: one.command(WriteNote("x" * 10_000)),
        "going on without nobody": lambda: one.command(VoteSkip(frozenset(()))),
        "going on without what nobody owes": lambda: one.command(VoteSkipDuties(frozenset({bytes(64)}))),
        "a claim of a card that opens": lambda: one.command(DisputeCard()),
        "a book that nobody asks for": lambda: one.command(DiscloseHand()),
        "the time of who keeps none": lambda: one.command(SendTick(1)),
        "agreeing to nothing": lambda: one.command(AgreeToRoster(bytes(64))),
        "a newcomer who did not sign": lambda: one.command(ProposeRoster(state.roster, {99: bytes(64)})),
        "letting in nobody": lambda: one.command(AdmitPlayer("Nobody")),
        "taking out nobody": lambda: one.command(RemovePlayer("Nobody")),
        "sitting twice": lambda: one.command(RequestSeat()),
        "fewer frames than none": lambda: one.resend(-1),
    }
    if not seat.can_vote_abort:
        found["breaking off"] = lambda: one.command(VoteAbort())
    return found


def of_a_disk(one: Participant) -> dict[str, Mistake]:
    """A journal or a log that is lost, and lines that are damaged."""
    entries = list(one.replica.entries)

    def again(journal: Journal, log: list[bytes]) -> Seat:
        home, number = one.store, one.seat.number
        return Seat(
            one.replica.config, number, root=home.root, key=home.identity, journal=journal, entropy=Source("again"),
            log=log,
        )  # fmt: skip

    heads = {read_entry(record.entry).entry.seen for record in one.store.journal.records if isinstance(record, Sent)}
    # A log that is lost at its beginning lacks nothing.
    lost: dict[str, Mistake] = {"a log that is lost": lambda: again(one.store.journal, [])} if len(heads) > 1 else {}
    return lost | {
        "a journal that is lost": lambda: again(MemoryJournal(), entries),
        "an entry that is cut off": lambda: one.seat.receive(entries[-1][:-5]),
        "an entry that nobody signed": lambda: one.seat.receive(entries[-1].replace(b'"seq":', b'"seq":1')),
    }


# --- Decks ---


def of_a_deck(one: Participant, deck: Any) -> dict[str, Mistake]:
    seat, hand = one.seat, one.replica.state.hand.number
    tape, where = seat._tape(hand), f"deck {deck.number}"
    many = Deal(deck.number, (Portion(seat.number, 10_000),))
    found: dict[str, Mistake] = {f"too many cards of {where}": lambda: deck.request(many)}
    for duty in seat.open_duties:
        if duty.deck == deck.number and (duty.choice or duty.may_choose):
            found |= of_a_choice(one, deck, duty, tape)
    mine = deck.places.only_hidden(deck.places.hand(seat.number))
    if mine:
        found[f"a card of {where} that is none"] = lambda: spoiled(deck, mine[0], seat.number).knows(seat.number, tape)
    if mine and not any(not duty.optional for duty in deck.duties):
        found[f"opening cards of {where} that are held"] = lambda: deck.request(Open(deck.number, positions=mine))
        if Capability.PROVE in one.replica.config.protocol.claims.operations:
            found[f"a claim about {where} that is false"] = lambda: false_claim(deck, mine[0], seat.number, tape)
    return found


def of_a_choice(one: Participant, deck: Any, duty: Duty, tape: Tape) -> dict[str, Mistake]:
    found: dict[str, Mistake] = {}
    for choice in CHOICES:
        found[f"to choose {choice!r}"] = lambda choice=choice: one.seat.choose(duty, choice)  # type: ignore[misc]
        found[f"a message of {choice!r}"] = lambda choice=choice: deck.message(duty, tape, choice)  # type: ignore[misc]
    return found


def spoiled(deck: Any, position: int, seat: int) -> Any:
    """The same deck, in which others have given this seat false data for a card that it holds."""
    if isinstance(deck, ChainDeck):
        held = deck.held[position]
        return replace(deck, held={**deck.held, position: replace(held, number=held.number + held.number)})
    false = {other: key + key for other, key in deck.released[position].items() if other != seat}
    return replace(deck, released={**deck.released, position: deck.released[position] | false})


def false_claim(deck: Any, position: int, seat: int, tape: Tape) -> bytes:
    """That a card is not what it is."""
    face = deck.knows(seat, tape)[deck.places.card(position)]
    asked = deck.request(Prove(deck.number, (NoneOf(seat, (position,), (face,)),))).deck
    said: bytes = asked.message(asked.duties[0], tape)
    return said
