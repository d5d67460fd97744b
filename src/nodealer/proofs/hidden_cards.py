"""Hidden cards as a proof sees them: faces under the holder's secret alone, after removing what others have published.

Each kind of card expresses y times its face in terms of y and one secret x_i per card, and says which rows bind that
secret to the card's key. What others have published is a scalar and stays one: no point is multiplied to remove it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars, concat, msm, vartime_msm
from nodealer.proofs import labels
from nodealer.proofs.checks import Equation
from nodealer.proofs.transcript import Transcript


class HiddenCards(Protocol):
    """Cards under the keys of one holder. `s` are the secrets of these keys, `beta` the weights of the cards."""

    def __len__(self) -> int:
        """Return the number of cards."""

    def bind(self, transcript: Transcript) -> None:
        """Absorb everything public. Raise `Malformed` if no proof could make it valid."""

    def secrets(self, y: Scalars, s: Scalars) -> Scalars:
        """Return the x_i, one for each card."""

    def multiply_faces(self, y: Scalars, x: Scalars) -> Points:
        """Return the T_i: y times the face of each card."""

    def commitments(self, k: Scalars, k_x: Scalars, s: Scalars, beta: Scalars) -> Points:
        """Evaluate the right side of each row with k for y and k_x for the x_i: one per key, then the folded cards."""

    def equations(
        self, c: Scalars, y_hat: Scalars, x_hat: Scalars, Y: Points, T: Points, C: Points, beta: Scalars
    ) -> tuple[Equation, Equation]:
        """Return the rows of the keys, and the row of the folded cards."""


def _bind(transcript: Transcript, kind: str, arrays: dict[str, Points], off: Scalars) -> None:
    """Absorb the arrays and `off`. Raise `Malformed`, naming the array, if one contains the identity."""
    for name, points in arrays.items():
        if points.first_identity() is not None:
            raise Malformed(f"{kind}: {name} {points.first_identity()} is the identity")
    transcript.absorb(labels.STATEMENT, kind, len(off))
    transcript.absorb_points(labels.STATEMENT, *arrays.values())
    transcript.absorb(labels.STATEMENT, off.to_bytes())


@dataclass(frozen=True)
class MaskedCards:
    """Cards (u, msg = M + (s + off)·u) with K = s·G, where `off` is the sum of the published secret keys.

    The secret is x_i = y·s_i, and the rows are

        0 = y·K_i − x_i·G      T_i = y·(msg_i − off_i·u_i) − x_i·u_i
    """

    epk: Points
    msg: Points
    off: Scalars
    keys: Points

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless all arrays have the same length."""
        counts = len(self.epk), len(self.msg), len(self.off), len(self.keys)
        if len(set(counts)) != 1:
            raise BadParameter(f"masked cards with {counts} epk, msg, published and own keys")

    def __len__(self) -> int:
        """Return the number of cards."""
        return len(self.epk)

    def bind(self, transcript: Transcript) -> None:
        """Absorb everything public. Raise `Malformed` if a point is the identity."""
        _bind(transcript, labels.MASKED, {"epk": self.epk, "msg": self.msg, "key": self.keys}, self.off)

    def secrets(self, y: Scalars, s: Scalars) -> Scalars:
        """Return x_i = y·s_i."""
        return y * s

    def multiply_faces(self, y: Scalars, x: Scalars) -> Points:
        """Return T_i = y·msg_i − (y·off_i + x_i)·u_i."""
        return y.group.combine(y, self.msg, -(y * self.off + x), self.epk)

    def commitments(self, k: Scalars, k_x: Scalars, s: Scalars, beta: Scalars) -> Points:
        """Evaluate the rows: k·K_i − k_x·G for each key, then the sum of the cards' rows with weights beta."""
        # k·K_i − k_x·G as a multiple of G, since the prover knows the logarithm of K_i.
        of_keys = (k * s - k_x) * k.group.G
        factors = concat(k, -(beta * (k * self.off + k_x)))
        return concat(of_keys, msm(factors, concat(vartime_msm(beta, self.msg), self.epk)))

    # defence: false-word
    def equations(
        self, c: Scalars, y_hat: Scalars, x_hat: Scalars, Y: Points, T: Points, C: Points, beta: Scalars
    ) -> tuple[Equation, Equation]:
        """Return the equations of the keys, and the equation of the cards' sum with weights beta."""
        one, h, minus_y = c.group.integers([1]), len(self), -y_hat
        of_epk = beta * (y_hat * self.off + x_hat)
        return (
            Equation.each((one, C[:h]), (minus_y, self.keys), (x_hat, c.group.G)),
            Equation.sum((one, C[h]), (c * beta, T), (minus_y * beta, self.msg), (of_epk, self.epk)),
        )


@dataclass(frozen=True)
class LockedCards:
    """Cards V = (s·off)·M with K = s·G, where `off` is the product of the published secrets, none zero.

    The secret is x_i = y/s_i, and the rows are

        Y = x_i·K_i      T_i = (x_i/off_i)·V_i
    """

    cards: Points
    off: Scalars
    keys: Points

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless all arrays have the same length."""
        counts = len(self.cards), len(self.off), len(self.keys)
        if len(set(counts)) != 1:
            raise BadParameter(f"locked cards with {counts} points, published and own secrets")

    def __len__(self) -> int:
        """Return the number of cards."""
        return len(self.cards)

    def bind(self, transcript: Transcript) -> None:
        """Absorb everything public. Raise `Malformed` if a point is the identity."""
        _bind(transcript, labels.LOCKED, {"card": self.cards, "key": self.keys}, self.off)

    def secrets(self, y: Scalars, s: Scalars) -> Scalars:
        """Return x_i = y/s_i."""
        return y * s.invert()

    def multiply_faces(self, y: Scalars, x: Scalars) -> Points:
        """Return T_i = (x_i/off_i)·V_i."""
        return (x * self.off.invert()) * self.cards

    def commitments(self, k: Scalars, k_x: Scalars, s: Scalars, beta: Scalars) -> Points:
        """Evaluate the rows: k_x·K_i for each key, then the sum of the cards' rows with weights beta."""
        # k_x·K_i as a multiple of G, since the prover knows the logarithm of K_i.
        return concat((k_x * s) * k.group.G, msm(beta * k_x * self.off.invert(), self.cards))

    # defence: false-word
    def equations(
        self, c: Scalars, y_hat: Scalars, x_hat: Scalars, Y: Points, T: Points, C: Points, beta: Scalars
    ) -> tuple[Equation, Equation]:
        """Return the equations of the keys, and the equation of the cards' sum with weights beta."""
        one, h = c.group.integers([1]), len(self)
        return (
            Equation.each((one, C[:h]), (c, Y), (-x_hat, self.keys)),
            Equation.sum((one, C[h]), (c * beta, T), (-(beta * x_hat * self.off.invert()), self.cards)),
        )
