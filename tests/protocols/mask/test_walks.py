"""Walks through all operations of a `mask` deck, drawn by lot, on which seats leave at any step."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from conformance.harness import Source
from conformance.leaving import true_faces
from nodealer.cards.operations import (
    Deal,
    Gift,
    Look,
    Mix,
    NoneOf,
    Open,
    Operation,
    Pass,
    Peek,
    Place,
    Portion,
    Prove,
    Return,
    Show,
)
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.proofs.checks import settle
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.reorder import Arranging
from nodealer.protocols.stages import Idle
from nodealer.tape import Tape
from nodealer.wire import encode
from sampling import times

from .kit import fresh


@dataclass
class Walk:
    """One deck with everybody's tape. What must be true is looked at after each step."""

    lots: random.Random
    deck: MaskDeck
    tapes: dict[int, Tape]
    #: What is said to each duty: the same whenever it is made.
    said: dict[bytes, bytes] = field(default_factory=dict)
    #: Places where no card lies any more, and who had published its key of it then.
    dead: dict[int, set[int]] = field(default_factory=dict)

    def some(self, positions: tuple[int, ...]) -> tuple[int, ...]:
        """Some of them, at least one; a place that there is not, where there are none."""
        return tuple(self.lots.sample(positions, self.lots.randint(1, len(positions)))) if positions else (999,)

    def operation(self) -> Operation:
        lots, places, players = self.lots, self.deck.places, self.deck.binding.players
        seat, other = lots.choice(players), lots.choice(players)
        hidden = {one: places.only_hidden(places.hand(one)) for one in players}
        own = tuple(position for position in places.hidden_owned if places.owner(position) == seat)
        place = lots.choice(list(Place))
        after = {one: players[(at + 1) % len(players)] for at, one in enumerate(players)}
        given = (Gift(one, after[one], self.some(cards)) for one, cards in hidden.items() if cards)
        asked: list[Operation] = [
            Deal(0, tuple(Portion(one, 1) for one in lots.sample(players, 2))),
            Open(0, 1),
            Show(0, seat, self.some(hidden[seat]), lots.choice([None, other])),
            Pass(0, tuple(given)),
            Prove(0, self.claims()),
            Return(0, self.some((*own, *places.opened)), place, seat, lots.choice([0, 0, 1])),
            Peek(0, seat, lots.randint(1, 3), lots.choice(list(Look))),
            Mix(0, seat, self.some(hidden[seat])),
        ]
        return lots.choice(asked)

    def claims(self) -> tuple[NoneOf, ...]:
        """Everybody, of all that it has: that it is nothing else."""
        kept, owner = self.deck.places.hidden_owned, self.deck.places.owner
        faces = true_faces(self.deck, self.tapes, kept)
        cards = {seat: tuple(p for p in kept if owner(p) == seat) for seat in self.deck.binding.players}
        return tuple(
            NoneOf(seat, own, tuple(sorted(set(range(self.deck.faces.size)) - {faces[p] for p in own})))
            for seat, own in cards.items()
            if own
        )

    def taken(self, change: DeckChange) -> None:
        settle(change.checks, Source("weights"))
        assert isinstance(change.deck, MaskDeck)
        self.deck = change.deck
        self.look()

    def look(self) -> None:
        deck, places = self.deck, self.deck.places
        lie = {*places.pile, *places.held, *places.opened, *places.discards}
        faces = true_faces(deck, self.tapes, lie)
        for seat, tape in self.tapes.items():
            # In every stage, also for who has left: nothing that is read is false, and nothing cannot be read.
            known = {card.position: face for card, face in deck.knows(seat, tape).items()}
            assert known.items() <= faces.items()
        for duty in deck.duties:
            if not duty.choice:
                message = deck.message(duty, self.tapes[duty.seat])
                assert self.said.setdefault(duty.id, message) == message
        if not isinstance(deck.stage, Idle):
            return
        assert sorted(faces.values()) == list(range(deck.faces.size))
        published = {position: {*deck.released.get(position, ())} for position in range(places.position_count)}
        assert self.dead.items() <= published.items()
        assert not any(published[position] for position in places.pile)
        assert not any(places.owner(position) in published[position] for position in places.hidden_owned)
        seen = {at for who in places.seen.values() for _, at in who}
        self.dead |= {position: seats for position, seats in published.items() if position not in lie | seen}

    def message(self, duty: Duty) -> bytes:
        stage = self.deck.stage
        if not isinstance(stage, Arranging):
            return self.said[duty.id]
        order = self.lots.sample(stage.positions, len(stage.positions))
        chosen = order[:1] if stage.operation.then is Look.TAKE else order
        return self.deck.message(duty, self.tapes[duty.seat], encode(chosen))

    def finish(self, odds: float) -> None:
        """Until nothing is owed; with these odds somebody leaves before a message, as long as two stay."""
        while duties := self.deck.duties:
            players = [seat for seat in self.deck.binding.players if seat not in self.deck.leavers]
            if len(players) > 2 and self.lots.random() < odds:
                change = self.deck.without((self.lots.choice(players),))
                assert change is not None
                self.taken(change)
                continue
            duty = self.lots.choice(duties)
            self.taken(self.deck.apply(duty, self.message(duty)))


@pytest.mark.parametrize("number", range(times(3, deep=150)))
def test_a_walk(fast: Group, number: int) -> None:
    """Every face is there once, nobody reads what is not so, no key of a place is published once its card has left it,
    and a message has the same bytes whenever it is made."""
    lots = random.Random(number)
    seats = lots.choice([3, 4])
    decks = fresh(fast, seats, lots.randint(6, 8))
    walk, done = Walk(lots, decks.decks[0], decks.tapes), 0
    decks.settle()
    while done < 8:
        try:
            change = walk.deck.request(walk.operation())
        except BadParameter:
            # Not every request makes sense.
            continue
        done += 1
        walk.taken(change)
        walk.finish(lots.choice([0, 0.05]))
