"""What things cost: multiplications of a deal, terms of a verification, bytes of a message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from conformance.harness import Source
from nodealer.cards.operations import Deal, NewDeck, Open, Portion, Show
from nodealer.engine.bodies import Cards, read_body
from nodealer.group import Group
from nodealer.group import group as make_group
from nodealer.group.reference import PointArray, ScalarArray
from nodealer.log.entry import read_entry
from nodealer_lab.terms import terms_of

from .kit import decks_of, played


class Count:
    """Scalars times points, each element one."""

    def __init__(self) -> None:
        self.products = 0


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch, group: Group) -> Iterator[Count]:
    count = Count()
    product, sums = ScalarArray.__mul__, {name: getattr(type(group), name) for name in ("msm",)}

    def multiplied(self: ScalarArray, other: object) -> object:
        result = product(self, other)  # type: ignore[call-overload]
        count.products += len(result) if isinstance(result, PointArray) else 0
        return result

    with monkeypatch.context() as patch:
        patch.setattr(ScalarArray, "__mul__", multiplied)
        for name, real in sums.items():

            def summed(self: object, scalars: object, points: object, real: object = real) -> object:
                count.products += len(points)  # type: ignore[arg-type]
                return real(self, scalars, points)  # type: ignore[operator]

            patch.setattr(type(group), name, summed)
        yield count


@pytest.mark.parametrize(("seats", "m"), [(2, 5), (3, 7), (5, 12)])
def test_dealing_a_card_costs_m_plus_n_multiplications(monkeypatch: pytest.MonkeyPatch, seats: int, m: int) -> None:
    """Everything from the request to the face, at the seat that gets the card: n − 1 parts are checked, and the card is
    found among m. However often the seat looks at it afterwards, that is all. One that others get costs n − 1."""
    group = make_group(backend="reference")
    decks = decks_of(group, seats)
    decks.make(m)
    decks.settle()
    with counting(monkeypatch, group) as count:
        decks.ask(Deal(0, (Portion(1, 1),)))
        assert count.products == seats - 1
        for _ in range(3):
            assert len(decks.knows(1)) == 1
        assert count.products == m + seats - 1 <= m + seats
    with counting(monkeypatch, group) as count:
        decks.ask(Open(0, 1))
        assert count.products == m + seats
    with counting(monkeypatch, group) as count:
        decks.ask(Show(0, 1, (0,)))
        assert count.products <= m + 1


def test_counting_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    group = make_group(backend="reference")
    with counting(monkeypatch, group) as count:
        P = group.integers([1, 2, 3]) * group.G
        assert count.products == 3
        group.vartime_msm(group.integers([1, 2, 3]), P)
        group.integers([1, 2]) * group.integers([3, 4])
        assert count.products == 6


def test_terms_of_a_step(fast: Group) -> None:
    """Verified together, the two stages share the deck between them: once, where each alone would have it again."""
    m = 8
    decks = decks_of(fast, 2)
    decks.make(m)
    checks = [check for check in decks.checks if "knowledge" not in check.name]
    assert len(checks) == 4
    terms = [sum(len(factors) for factors, _ in terms_of(pair, Source("terms"))) for pair in (checks[:2], checks[2:])]
    # First stage: before and scaled, two columns each, and four commitments. Second: after, R, W, G, five commitments
    # and four rows; scaled and the generators are shared.
    assert set(terms) == {4 * m + 4 + 2 * m + (m + 1) + 3 + 9}


def test_bytes(fast: Group) -> None:
    """Proofs of a step at 52 cards, and the messages, as docs/spec/protocols/offset.md has them."""
    m = 52
    script = ((NewDeck(0, m), Deal(0, tuple(Portion(seat, 2) for seat in range(2)))),)
    game = played(fast, *script, seats=2).play()
    sizes: dict[str, int] = {}
    for data in game.log:
        body = read_body(bytes(read_entry(data).entry.body))
        if isinstance(body, Cards):
            message = json.loads(bytes(body.message))
            text = [
                value for name, value in message.items() if isinstance(value, str) and name not in ("type", "system")
            ]
            sizes[message["type"]] = sum(len(value) * 3 // 4 - value.count("=") for value in text)
            if message["type"] == "shuffle":
                names = ("scaled", "scaledProof", "key", "commitment", "proof")
                added = sum(len(message[name]) * 3 // 4 - message[name].count("=") for name in names)
                assert added == 64 * m + (32 * m + 161) + 64 + (64 * m + 385) <= 10_000
    assert sizes["requestDealParts"] == sizes["respondDealParts"] == 96 * m + 1
    assert sizes["shuffle"] == 224 * m + 610
    assert sizes["revealOffset"] == 64
    assert sizes["dealFinal"] == 64
