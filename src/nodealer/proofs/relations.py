"""What a shuffle does to a deck: the statements of the shuffle argument.

- `Remask`: every card (U, W) is re-masked to (U + ρ·G, W + ρ·K).
- `AddMask`: the shuffler first adds its key s, so that (U, W) becomes (U + ρ·G, W + s·U + ρ·(K + S)).
- `OneScalar`: every card is multiplied by one secret.
- `OneOffset`: every pair (A, B) becomes (r·(A + x·B), r·B).

ρ is indexed by the position in the output.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.shuffle import RelationRow


def _refuse_identity(outputs: Points) -> None:
    """Raise `Malformed` if an output card is the identity."""
    if (place := outputs.first_identity()) is not None:
        raise Malformed(f"card {place} of the shuffled deck is the identity")


# defence: fits-all, lazy
def _refuse_deck(inputs: Points, outputs: Points) -> None:
    """Raise `Malformed` if an output is the identity or equals an input, which means that it was not masked at all."""
    _refuse_identity(outputs)
    if (place := outputs.vartime_first_in(inputs)) is not None:
        raise Malformed(f"card {place} of the shuffled deck is a card of the deck before it")


def _refuse_sizes(keys: tuple[Points, ...], decks: tuple[Points, ...]) -> None:
    """Raise `BadParameter` unless keys are single points and all decks have the same size, at least two."""
    if any(len(key) != 1 for key in keys):
        raise BadParameter("a key of a shuffle must be a single point")
    if len({len(deck) for deck in decks}) != 1:
        raise BadParameter(f"decks of different sizes: {[len(deck) for deck in decks]}")
    if len(decks[0]) < 2:
        raise BadParameter("a shuffle needs at least two cards")


@dataclass(frozen=True)
class Remask:
    """Re-mask under the joint key K and permute. The secret is R = Σ d_j·ρ_j."""

    K: Points
    U: Points
    W: Points
    U_out: Points
    W_out: Points

    kind = "pairs"
    secrets = 1
    row_count = 2

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless K is one point and all four arrays have the same length, at least two."""
        _refuse_sizes((self.K,), (self.U, self.W, self.U_out, self.W_out))

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.U)

    @property
    def statement(self) -> tuple[Points, ...]:
        """The joint key, the input deck, the output deck."""
        return self.K, self.U, self.W, self.U_out, self.W_out

    def refuse_malformed(self) -> None:
        """Raise `Malformed` if the joint key or an output is the identity, or a card is not masked."""
        if self.K.first_identity() is not None:
            raise Malformed("the joint key is the identity")
        _refuse_deck(self.U, self.U_out)
        _refuse_identity(self.W_out)

    def rows(self, D: Scalars) -> tuple[RelationRow, ...]:
        """Return one row for the U and one for the W of all cards."""
        minus_one = -D.group.integers([1])
        return (
            RelationRow(self.U_out, ((0, minus_one, self.K.group.G),), ((D, self.U),)),
            RelationRow(self.W_out, ((0, minus_one, self.K),), ((D, self.W),)),
        )


@dataclass(frozen=True)
class AddMask:
    """Add the key S = s·G to the joint key K, re-mask under both, and permute. The secrets are R and s."""

    K: Points
    S: Points
    U: Points
    W: Points
    U_out: Points
    W_out: Points

    kind = "addmask"
    secrets = 2
    row_count = 3

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless K and S are single points and all arrays have the same length, at least two."""
        _refuse_sizes((self.K, self.S), (self.U, self.W, self.U_out, self.W_out))

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.U)

    @cached_property
    def joint(self) -> Points:
        """The joint key after this step."""
        return self.K + self.S

    @property
    def statement(self) -> tuple[Points, ...]:
        """The joint key, the shuffler's key, the input deck, the output deck."""
        return self.K, self.S, self.U, self.W, self.U_out, self.W_out

    def refuse_malformed(self) -> None:
        """Raise `Malformed` if a key or an output is the identity, or a card is not masked."""
        for name, key in (("the shuffler's key", self.S), ("the joint key", self.joint)):
            if key.first_identity() is not None:
                raise Malformed(f"{name} is the identity")
        _refuse_deck(self.U, self.U_out)
        _refuse_identity(self.W_out)

    def rows(self, D: Scalars) -> tuple[RelationRow, ...]:
        """Return one row for the U of all cards, one for the W, and one that binds s to S."""
        one = D.group.integers([1])
        G = self.K.group.G
        return (
            RelationRow(self.U_out, ((0, -one, G),), ((D, self.U),)),
            RelationRow(self.W_out, ((0, -one, self.joint), (1, -D, self.U)), ((D, self.W),)),
            RelationRow(None, ((1, one, G),), ((one, self.S),)),
        )


@dataclass(frozen=True)
class OneScalar:
    """Multiply every card by the secret of S = s·G, and permute. S must be bound before ξ, or any output would fit."""

    S: Points
    inputs: Points
    outputs: Points

    kind = "scalar"
    secrets = 1
    row_count = 2

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless S is one point and both decks have the same length, at least two."""
        _refuse_sizes((self.S,), (self.inputs, self.outputs))

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.inputs)

    @property
    def statement(self) -> tuple[Points, ...]:
        """The shuffler's key, the input deck, the output deck."""
        return self.S, self.inputs, self.outputs

    # defence: zero
    def refuse_malformed(self) -> None:
        """Raise `Malformed` if the key or an output is the identity, or a card is unchanged or repeated."""
        if self.S.first_identity() is not None:
            raise Malformed("the shuffler's key is the identity")
        _refuse_deck(self.inputs, self.outputs)
        if self.outputs.vartime_first_repeat() is not None:
            raise Malformed("the shuffled deck contains a card twice")

    def rows(self, D: Scalars) -> tuple[RelationRow, ...]:
        """Return the row of the cards, and one that binds s to S."""
        one = D.group.integers([1])
        return (
            RelationRow(self.outputs, ((0, -D, self.inputs),), ()),
            RelationRow(None, ((0, one, self.S.group.G),), ((one, self.S),)),
        )


@dataclass(frozen=True)
class OneOffset:
    """Turn every pair (A, B) into (r·(A + x·B), r·B) with one r and one x for all, and permute.

    R = r·G, and W = w·G + t·H with w = r·x is a hiding and binding commitment to the offset x. The secrets are r, w
    and t.
    """

    R: Points
    W: Points
    A: Points
    B: Points
    A_out: Points
    B_out: Points

    kind = "offset"
    secrets = 3
    row_count = 4

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless R and W are single points and all arrays have the same length, at least two."""
        _refuse_sizes((self.R, self.W), (self.A, self.B, self.A_out, self.B_out))

    @property
    def size(self) -> int:
        """The number of pairs."""
        return len(self.A)

    @property
    def statement(self) -> tuple[Points, ...]:
        """R, the commitment to the offset, the input pairs, the output pairs."""
        return self.R, self.W, self.A, self.B, self.A_out, self.B_out

    def refuse_malformed(self) -> None:
        """Raise `Malformed` if R, W or an output is the identity, or a point is unchanged or repeated."""
        for name, point in (("R", self.R), ("the commitment to the offset", self.W)):
            if point.first_identity() is not None:
                raise Malformed(f"{name} is the identity")
        for before, after in ((self.A, self.A_out), (self.B, self.B_out)):
            _refuse_deck(before, after)
        if any(deck.vartime_first_repeat() is not None for deck in (self.A_out, self.B_out)):
            raise Malformed("the shuffled deck contains a point twice")

    def rows(self, D: Scalars) -> tuple[RelationRow, ...]:
        """Return one row for the A of all pairs, one for the B, one that binds r to R, and one that opens W."""
        group = self.R.group
        one = group.integers([1])
        return (
            RelationRow(self.A_out, ((0, -D, self.A), (1, -D, self.B)), ()),
            RelationRow(self.B_out, ((0, -D, self.B),), ()),
            RelationRow(None, ((0, one, group.G),), ((one, self.R),)),
            RelationRow(None, ((1, one, group.G), (2, one, blinding_generator(group))), ((one, self.W),)),
        )
