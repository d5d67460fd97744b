"""Proof that none of these hidden cards is one of these faces.

That a card is a face of its deck is proven elsewhere. The holder multiplies the forbidden faces M_c and the faces of
its cards by one fresh secret y, and sends the products. Two products are equal exactly if the faces are; otherwise they
reveal nothing. Rows, in y and a secret x_i for each card:

    Y = y·G      a row for each key, which binds x_i      Σ α_c·Z_c = y·Σ α_c·M_c      Σ β_i·T_i in terms of y and x_i

The rows of keys and cards depend on the kind of card (`hidden_cards.py`). See docs/spec/proofs.md, "Hidden cards,
none of these faces".
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed, Unprovable
from nodealer.group import Points, Scalars, concat, vartime_msm
from nodealer.proofs import labels
from nodealer.proofs.checks import Check, Equation
from nodealer.proofs.encoding import decode_proof, encode_proof, encodings
from nodealer.proofs.hidden_cards import HiddenCards
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape


@dataclass(frozen=True)
class Exclusion:
    """The statement: the faces M_c, and the cards that are none of them."""

    faces: Points
    cards: HiddenCards

    def bind(self, transcript: Transcript) -> None:
        """Absorb the whole statement. Raise `Malformed` if no proof could make it valid."""
        if self.faces.first_identity() is not None:
            raise Malformed(f"{labels.EXCLUSION}: face {self.faces.first_identity()} is the identity")
        transcript.absorb(labels.STATEMENT, labels.EXCLUSION, self.faces.group.name, len(self.faces))
        transcript.absorb_points(labels.STATEMENT, self.faces)
        self.cards.bind(transcript)


@dataclass(frozen=True)
class ExclusionProducts:
    """The products that the holder sends: y·G, y times each forbidden face, and y times the face of each card."""

    Y: Points
    Z: Points
    T: Points

    def find_collision(self) -> str | None:
        """Return why these products cannot support the statement, or None: a face or a card is among them twice."""
        forbidden = set(encodings(self.Z))
        if len(forbidden) < len(self.Z):
            return "a face is multiplied twice"
        known: set[bytes] = set()
        for index, card in enumerate(encodings(self.T)):
            if card in forbidden:
                return f"card {index} is one of the excluded faces"
            if card in known:
                return f"card {index} is listed twice"
            known.add(card)
        return None


def _draw_weights(transcript: Transcript, sent: ExclusionProducts) -> tuple[Scalars, Scalars]:
    """Bind all products, then draw the weights of the faces and of the cards.

    If the products could be chosen afterwards, two false ones could cancel out.
    """
    transcript.absorb_points(labels.COMMITMENT, sent.Y, sent.Z, sent.T)
    weights = transcript.challenges(labels.WEIGHTS, sent.Y.group, len(sent.Z) + len(sent.T))
    return weights[: len(sent.Z)], weights[len(sent.Z) :]


# defence: two-words
def prove(transcript: Transcript, tape: Tape, excluded: Exclusion, s: Scalars) -> tuple[ExclusionProducts, bytes]:
    """Return the products and their proof, from the secrets of the cards' keys.

    Raise `Unprovable` if a card *is* one of the faces: the products would reveal which.
    """
    faces, cards = excluded.faces, excluded.cards
    group = faces.group
    excluded.bind(transcript)
    # Fresh for every statement and context: if two proofs shared y, the faces of one would reveal a card of the other.
    y = transcript.nonces(tape, "y", group, 1)
    x = cards.secrets(y, s)
    # All points that are sent are computed as doubles: encoding twenty then costs as much as encoding a few.
    h, f = y.half(), len(faces)
    products = concat(h * group.G, h * faces, cards.multiply_faces(h, x.half())).doubled()
    sent = ExclusionProducts(products[:1], products[1 : f + 1], products[f + 1 :])
    if products[1:].vartime_first_repeat() is not None:
        # Do not say which: others may see the message.
        raise Unprovable("one of the cards is one of the excluded faces")
    alpha, beta = _draw_weights(transcript, sent)
    nonces = transcript.nonces(tape, labels.EXCLUSION, group, 1 + len(cards))
    halves = nonces.half()
    k = halves[0]
    C = concat(k * group.G, k * vartime_msm(alpha, faces), cards.commitments(k, halves[1:], s, beta)).doubled()
    transcript.absorb_points(labels.COMMITMENT, C)
    c = transcript.challenge(labels.CHALLENGE, group)
    return sent, encode_proof(C, c * concat(y, x) + nonces)


def check(transcript: Transcript, excluded: Exclusion, sent: ExclusionProducts, proof: bytes) -> Check:
    """Return the check of a proof by `prove`. Raise `Malformed` if the products themselves disprove the statement."""
    faces, cards = excluded.faces, excluded.cards
    group, h, what = faces.group, len(cards), f"proof of {labels.EXCLUSION}"
    if (len(sent.Y), len(sent.Z), len(sent.T)) != (1, len(faces), h):
        raise BadParameter(f"{len(sent.Z)} and {len(sent.T)} products for {len(faces)} faces and {h} cards")
    if sent.Y.first_identity() is not None:
        raise Malformed(f"{labels.EXCLUSION}: the key is the identity")
    if (why := sent.find_collision()) is not None:
        raise Malformed(f"{labels.EXCLUSION}: {why}")
    C, responses = decode_proof(group, proof, points=h + 3, scalars=h + 1, what=what)
    excluded.bind(transcript)
    alpha, beta = _draw_weights(transcript, sent)
    transcript.absorb_points(labels.COMMITMENT, C)
    c = transcript.challenge(labels.CHALLENGE, group)
    one, y_hat = group.integers([1]), responses[0]
    return Check(
        transcript.seat,
        what,
        (
            Equation.sum((one, C[0]), (c, sent.Y), (-y_hat, group.G)),
            Equation.sum((one, C[1]), (c * alpha, sent.Z), (-y_hat * alpha, faces)),
            *cards.equations(c, y_hat, responses[1:], sent.Y, sent.T, C[2:], beta),
        ),
    )
