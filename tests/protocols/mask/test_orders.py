"""Deal, open, show, give back and reshuffle in any legal order: no face is lost or made, all know their own."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backends import FASTEST, HAS_NATIVE
from conformance.harness import Source, events_of
from nodealer.cards.operations import Close, Deal, NewDeck, Open, Operation, Place, Portion, Return, Show
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.group import group as make_group
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck
from sampling import times

from ..decks import Decks
from .kit import decks_on, fresh, played, table

SEATS = 3


@dataclass
class Model:
    """The truth about a deck, from everybody's tape, beside what the deck says."""

    decks: Decks[MaskDeck]
    size: int
    number: int = 0

    @property
    def places(self) -> Places:
        return self.decks.decks[self.number].places

    def truth(self, positions: tuple[int, ...]) -> list[int]:
        if not positions:
            return []
        deck, seats = self.decks.decks[self.number], self.decks.table.seats
        secrets = {s: deck.card_secrets(self.decks.tapes[s], positions, s) for s in seats}
        faces = deck.unmask(positions, secrets)
        return [self.opened(p) if f is None else f for p, f in zip(positions, faces, strict=True)]

    def opened(self, position: int) -> int:
        face = self.places.face(position)
        assert face is not None
        return face

    @property
    def on_table(self) -> tuple[int, ...]:
        """In hands, open, or laid aside."""
        places = self.places
        return tuple(sorted({*places.held, *places.opened, *places.discards}))

    def check(self) -> None:
        """The union of faces is the deck, and every seat knows its own cards and the open ones, and nothing else."""
        held, opened = self.places.held, self.places.opened
        assert sorted([*self.truth(self.places.pile), *self.truth(self.on_table)]) == list(range(self.size))
        for seat in self.decks.table.seats:
            mine = tuple(p for p in self.on_table if p in opened or held.get(p) == seat)
            expected = dict(zip(map(self.places.card, mine), self.truth(mine), strict=True))
            assert self.decks.knows(seat, self.number) == expected

    def ask(self, operation: Operation) -> None:
        """Do it, and hold the pile against what it must be afterwards."""
        pile = self.truth(self.places.pile)
        given_back = tuple(self.truth(operation.positions)) if isinstance(operation, Return) else ()
        self.decks.ask(operation)
        after = self.truth(self.places.pile)
        if isinstance(operation, Return):
            expected = {
                Place.TOP: [*given_back, *pile],
                Place.BOTTOM: [*pile, *given_back],
                Place.DISCARD: pile,
                Place.SHUFFLED: None,
            }[operation.place]
            assert expected is None or after == expected
            assert operation.place is not Place.SHUFFLED or sorted(after) == sorted([*pile, *given_back])
        self.check()

    def choose(self, draw: Source) -> Operation | None:
        """Something legal, or None when this choice has nothing to work on."""
        number, pile, known = self.number, self.places.pile, self.on_table
        kind = draw.below(7)
        if kind < 2 and len(pile) >= 2:
            one, two = draw.below(SEATS), draw.below(SEATS)
            portions = (Portion(one, 1),) if one == two else (Portion(one, 1), Portion(two, positions=pile[-1:]))
            return Deal(number, portions)
        if kind == 2 and pile:
            return Open(number, 1) if draw.below(2) else Open(number, positions=pile[-1:])
        if kind == 3:
            hidden = [(p, s) for p, s in self.places.held.items() if self.places.face(p) is None]
            if hidden:
                position, seat = hidden[draw.below(len(hidden))]
                return Show(number, seat, (position,))
        if kind > 3 and known:
            count = 1 + draw.below(min(3, len(known)))
            start = draw.below(len(known))
            positions = tuple({known[(start + i) % len(known)]: None for i in range(count)})
            place = (Place.TOP, Place.BOTTOM, Place.SHUFFLED, Place.SHUFFLED, Place.DISCARD)[draw.below(5)]
            if place is not Place.SHUFFLED or len(positions) + len(pile) > 1:
                return Return(number, positions, place)
        return None


def walk(group: Group, seed: str, size: int, steps: int) -> None:
    model = Model(fresh(group, SEATS, size), size)
    model.check()
    draw = Source(seed)
    for _ in range(steps):
        operation = model.choose(draw)
        if operation is not None:
            model.ask(operation)
    model.decks.settle()


@pytest.mark.parametrize("seed", range(3))
def test_walks(group: Group, seed: int) -> None:
    walk(group, f"walk {seed}", 4, 6 if group.backend == "reference" else 25)


@settings(max_examples=times(10, deep=25), deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), size=st.integers(2, 7))
def test_many_walks(seed: int, size: int) -> None:
    walk(make_group(backend=FASTEST), f"many {seed}", size, 15 if HAS_NATIVE else 3)


@pytest.mark.deep
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), size=st.integers(2, 9))
def test_more_walks(seed: int, size: int) -> None:
    walk(make_group(backend=FASTEST), f"more {seed}", size, 40)


def test_everything_goes_back(group: Group) -> None:
    """All cards dealt, opened or shown, all of them returned: from open cards alone a deck is made anew."""
    model = Model(fresh(group, 2, 3), 3)
    for operation in (
        Deal(0, (Portion(0, 1), Portion(1, 1))),
        Open(0, 1),
        Show(0, 0, (0,)),
        Show(0, 1, (1,)),
        Return(0, (2, 0, 1), Place.SHUFFLED),
        Open(0, 3),
        Return(0, (4, 3, 5), Place.BOTTOM),
        Deal(0, (Portion(1, 3),)),
    ):
        model.ask(operation)
    model.decks.settle()


def test_a_pile_alone_is_reshuffled(fast: Group) -> None:
    model = Model(fresh(fast, SEATS, 4), 4)
    model.ask(Return(0, (), Place.SHUFFLED))
    model.ask(Deal(0, (Portion(0, 4),)))
    with pytest.raises(BadParameter):
        model.decks.decks[0].request(Return(0, (), Place.TOP))


def test_one_card_and_none_are_shuffled_too(fast: Group) -> None:
    """A game that shuffles its discards back does not count them first."""
    decks = fresh(fast, SEATS, 4)
    decks.ask(Deal(0, (Portion(0, 4),)))
    assert decks.ask(Return(0, (), Place.SHUFFLED)).places.pile == ()
    face = dict(decks.knows(0))[decks.decks[0].places.card(2)]
    assert decks.ask(Return(0, (2,), Place.SHUFFLED)).places.pile == (4,)
    decks.ask(Open(0, 1))
    assert decks.ask(Return(0, (4,), Place.SHUFFLED)).places.pile == (5,), "and one that lay open"
    deck = decks.ask(Deal(0, (Portion(1, 1),)))
    assert decks.knows(1)[deck.places.card(5)] == face
    decks.settle()


def test_several_decks_interleaved(fast: Group) -> None:
    """Messages of three decks in turn: each deck is what it would be alone."""
    alone, together = [], decks_on(table(fast, SEATS))
    decks = {n: Mask(on=fast).new_deck(together.table, n, 3 + n, None) for n in range(3)}
    for n in range(3):
        single = decks_on(table(fast, SEATS))
        single.make(3 + n, n)
        single.ask(Deal(n, (Portion(n, 2),)))
        single.ask(Return(n, (0,), Place.SHUFFLED))
        alone.append(single)
    for request in (None, lambda n: Deal(n, (Portion(n, 2),)), lambda n: Return(n, (0,), Place.SHUFFLED)):
        if request is not None:
            decks = {n: deck.request(request(n)).deck for n, deck in decks.items()}  # type: ignore[misc]
        while any(deck.duties for deck in decks.values()):
            for n, deck in decks.items():
                if deck.duties:
                    decks[n] = together.step(deck, deck.duties[-1 if n == 1 else 0])
    for n, deck in decks.items():
        together.decks[n] = deck
        assert [together.knows(s, n) for s in range(SEATS)] == [alone[n].knows(s, n) for s in range(SEATS)]
        Model(together, 3 + n, n).check()
    together.settle()


def test_several_decks_at_one_table(fast: Group) -> None:
    """One log, two decks asked at once; eager and lazy replicas agree at every height."""
    script: tuple[list[Operation], ...] = (
        [NewDeck(0, 4), NewDeck(1, 3)],
        [Deal(0, (Portion(0, 1), Portion(1, 1))), Deal(1, (Portion(2, 2),)), Open(0, 1)],
        [Return(1, (0,), Place.TOP), Return(0, (0, 1, 2), Place.SHUFFLED), Open(1, 1)],
        [Open(0, 4), Show(1, 2, (1,)), Open(1, positions=(2,))],
    )
    game = played(fast, *script, hands=2).play()
    assert game.state.fault is None and len(game.state.results) == 2
    eager, lazy = game.replica(), game.replica(eager=False)
    lazy.settle()
    assert {eager.digest(), lazy.digest()} == game.digests()
    opened = [event.face for event in events_of(eager) if hasattr(event, "face")]
    assert len(opened) == 2 * (1 + 4 + 3)


def test_a_closed_deck_takes_no_requests(fast: Group) -> None:
    decks = fresh(fast, 2, 2)
    deck = decks.ask(Close(0))
    with pytest.raises(BadParameter):
        deck.request(Open(0, 1))


# --- Sizes ---


@pytest.mark.parametrize("size", [2, 3])
def test_small_decks(group: Group, size: int) -> None:
    model = Model(fresh(group, 2, size), size)
    model.ask(Deal(0, (Portion(1, 1),)))
    model.ask(Return(0, (0,), Place.SHUFFLED))
    model.ask(Open(0, size))
    model.decks.settle()


@pytest.mark.parametrize("size", [52, 54, 108])
def test_usual_decks(fast: Group, size: int) -> None:
    if not HAS_NATIVE:
        pytest.skip("the native core is not built")
    model = Model(fresh(fast, SEATS, size), size)
    model.ask(Deal(0, tuple(Portion(seat, 2) for seat in range(SEATS))))
    model.ask(Open(0, 5))
    model.ask(Return(0, (0, 6, 2), Place.SHUFFLED))
    model.ask(Deal(0, (Portion(0, size - 8),)))
    model.decks.settle()


@pytest.mark.deep
def test_largest_deck(native: Group) -> None:
    size = 10_000
    model = Model(fresh(native, 2, size), size)
    model.ask(Deal(0, (Portion(0, 50), Portion(1, 50))))
    model.ask(Return(0, tuple(range(10)), Place.SHUFFLED))
    model.ask(Open(0, 100))
    model.decks.settle()
