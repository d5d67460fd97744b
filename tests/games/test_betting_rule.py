"""docs/play/holdem.md, "Betting, exactly": the page's rule, written out, allows what pokerkit allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.games.holdem.adapter import Act, Board, PokerTable
from sampling import times


@dataclass
class Rule:
    """The rule of the page, for seats in order from the left of the button."""

    behind: list[int]
    blinds: tuple[int, int]
    ante: int
    bets: list[int] = field(default_factory=list)
    folded: set[int] = field(default_factory=set)
    largest: int = 0
    acted: set[int] = field(default_factory=set)
    short: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.behind)
        self._post([self.ante] * count)
        self._collect()
        small, big = (1, 0) if count == 2 else (0, 1)
        self._post([{small: self.blinds[0], big: self.blinds[1]}.get(seat, 0) for seat in range(count)])
        largest = max(range(count), key=lambda seat: (self.bets[seat], seat))
        self._begin((largest + 1) % count)

    def _post(self, wanted: list[int]) -> None:
        self.bets = [min(one, behind) for one, behind in zip(wanted, self.behind, strict=True)]
        self.behind = [behind - bet for behind, bet in zip(self.behind, self.bets, strict=True)]

    def _collect(self) -> None:
        second = sorted(self.bets)[-2]
        for seat, bet in enumerate(self.bets):
            self.behind[seat] += max(0, bet - second)
        self.bets = [0] * len(self.bets)

    @property
    def inside(self) -> list[int]:
        return [seat for seat in range(len(self.bets)) if seat not in self.folded]

    def _from(self, first: int) -> Iterator[int]:
        count = len(self.bets)
        return (seat for seat in ((first + step) % count for step in range(count)) if seat not in self.folded)

    def _begin(self, first: int) -> None:
        self.largest, self.acted, self.short = 0, set(), []
        second = sorted(self.bets[seat] + self.behind[seat] for seat in self.inside)[-2]
        self.turns = [seat for seat in self._from(first) if self.behind[seat] and second > self.bets[seat]]
        if len(self.turns) == 1 and self.bets[self.turns[0]] >= max(self.bets):
            self.turns = []

    @property
    def over(self) -> bool:
        return not self.turns or len(self.inside) == 1

    @property
    def all_in(self) -> bool:
        return sum(bool(self.behind[seat]) for seat in self.inside) <= 1

    def next_round(self) -> None:
        self._collect()
        self._begin(0)

    def call(self) -> int:
        seat = self.turns[0]
        return min(self.behind[seat], max(self.bets) - self.bets[seat])

    def raises(self) -> tuple[int, int] | None:
        seat, top = self.turns[0], max(self.bets)
        whole = self.behind[seat] + self.bets[seat]
        if self.call() < self.largest or (self.short and sum(self.short) < self.largest and seat in self.acted):
            return None
        others = (other for other in self.inside if other != seat)
        if self.behind[seat] <= self.call() or not any(self.bets[one] + self.behind[one] > top for one in others):
            return None
        return min(whole, top + max(self.largest, self.blinds[1])), whole

    def do(self, move: str, to: int = 0) -> None:
        seat, top = self.turns.pop(0), max(self.bets)
        if move == "fold":
            self.folded.add(seat)
            return
        to = to or min(self.bets[seat] + self.behind[seat], top)
        self.behind[seat] -= to - self.bets[seat]
        self.bets[seat] = to
        self.acted.add(seat)
        if move != "raise":
            return
        by = to - top
        if by >= self.largest:
            self.acted = {seat}
        self.largest = max(self.largest, by)
        self.short = [] if self.behind[seat] else [*self.short, by]
        if sum(self.short) >= self.largest:
            self.short = []
        self.turns = [other for other in self._from(seat) if other != seat and self.behind[other]]


@settings(max_examples=times(150, deep=6_000))
@given(st.data(), st.lists(st.integers(1, 60), min_size=2, max_size=6), st.sampled_from([(1, 2), (2, 10), (5, 5)]))
def test_the_page_allows_what_pokerkit_allows(data: st.DataObject, stacks: list[int], blinds: tuple[int, int]) -> None:
    ante = data.draw(st.sampled_from([0, 0, 3]))
    table = PokerTable.deal(tuple(range(len(stacks))), tuple(stacks), blinds, ante)
    rule, face = Rule(stacks, blinds, ante), 0
    while True:
        if rule.over:
            assert not isinstance(table.next, Act)
            if len(rule.inside) == 1 or not isinstance(table.next, Board) or rule.all_in:
                break
            faces = tuple(range(face, face := face + table.next.count))
            table = table.open_board(faces)
            rule.next_round()
            continue
        seat = rule.turns[0]
        assert table.next == Act(seat)
        assert (table.call_cost(seat), table.raise_range(seat)) == (rule.call(), rule.raises())
        assert (list(table.bets.values()), list(table.stacks.values())) == (rule.bets, rule.behind)
        allowed = rule.raises()
        moves = ["call", *(["fold"] if rule.call() else []), *(["raise", "raise"] if allowed else [])]
        move = data.draw(st.sampled_from(moves))
        if move == "raise" and allowed:
            to = data.draw(st.one_of(st.just(allowed[0]), st.just(allowed[1]), st.integers(*allowed)))
            table = table.raise_to(seat, to)
            rule.do("raise", to)
        else:
            table = table.fold(seat) if move == "fold" else table.check_or_call(seat)
            rule.do(move)
