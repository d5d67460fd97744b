"""The recovery of source 002 in its own form, with arrays: for tests only. It has no proofs, and it is broken.

Each player who stays sends the faces that are neither in its hand nor on the table, multiplied by its one secret and
permuted. Everybody multiplies everybody's array by one secret. What all arrays have in common is the deck that is left,
in ascending order; it is shuffled and locked as at the start. `permuting` says whether the others also permute the
arrays they multiply, which the source does not ask for; `decodes` whether the lock takes off the secrets of the arrays,
which the source forgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.harness import Source
from nodealer.group import Group, Points, Scalars, concat, hash_to_points


def encodings(points: Points) -> list[bytes]:
    data = points.to_bytes()
    return [data[at : at + 32] for at in range(0, len(data), 32)]


#: From a player, the faces it should send and their encrypted array (not permuted yet) to what it sends.
Send = Callable[["SourceRecovery", int, list[int], Points], Points]


def honestly(recovery: SourceRecovery, player: int, faces: list[int], array: Points) -> Points:
    return array.take(recovery.order(len(array)))


@dataclass
class SourceRecovery:
    """A table after some players have left: the faces, the hands of those who stay, and what is on the table."""

    group: Group
    hands: Mapping[int, Sequence[int]]
    on_table: Sequence[int]
    size: int
    permuting: bool = True
    decodes: bool = True
    source: Source = field(default_factory=lambda: Source("source recovery"))

    def __post_init__(self) -> None:
        labels = [b"face %d" % j for j in range(self.size)]
        self.faces = hash_to_points(self.group, b"nodealer/tests", labels)
        self.e = {player: self.secret() for player in self.hands}
        #: The arrays as everybody sees them, after each multiplication.
        self.seen: dict[int, list[Points]] = {}

    def secret(self) -> Scalars:
        return self.group.wide_scalars(self.source(self.group.wide_size))

    def order(self, count: int) -> list[int]:
        order = list(range(count))
        for last in range(count - 1, 0, -1):
            chosen = self.source.below(last + 1)
            order[last], order[chosen] = order[chosen], order[last]
        return order

    def expected(self, player: int) -> list[int]:
        return [j for j in range(self.size) if j not in self.hands[player] and j not in self.on_table]

    def arrays(self, send: Mapping[int, Send] | None = None) -> dict[int, Points]:
        """All arrays under all secrets."""
        done = dict[int, Points]()
        for player in self.hands:
            faces = self.expected(player)
            array = (send or {}).get(player, honestly)(self, player, faces, self.e[player] * self.faces.take(faces))
            assert len(array) == len(faces), "the sizes are all that anybody can check"
            self.seen[player] = [array]
            for other in self.hands:
                if other != player:
                    array = self.e[other] * (array.take(self.order(len(array))) if self.permuting else array)
                    self.seen[player].append(array)
            done[player] = array
        return done

    def common(self, arrays: Mapping[int, Points]) -> list[bytes]:
        """The deck that is left, in ascending order."""
        return sorted(set.intersection(*(set(encodings(array)) for array in arrays.values())))

    def locked(self, deck: list[bytes]) -> tuple[Points, list[Scalars]]:
        """Shuffled and locked: the cards, and all secrets of each card."""
        cards = self.group.points(b"".join(deck))
        s = {player: self.secret() for player in self.hands}
        for player in self.hands:
            cards = s[player] * cards.take(self.order(len(cards)))
        keys: list[Scalars] = []
        for player in self.hands:
            lock = concat(*(self.secret() for _ in deck))
            off = s[player] * self.e[player] if self.decodes else s[player]
            cards = off.invert() * lock * cards
            keys.append(lock)
        return cards, keys

    def opened(self, deck: list[bytes]) -> list[int | None]:
        """All cards of the deck, opened with everybody's secrets."""
        cards, keys = self.locked(deck)
        for key in keys:
            cards = key.invert() * cards
        index = {encoding: j for j, encoding in enumerate(encodings(self.faces))}
        return [index.get(encoding) for encoding in encodings(cards)]
