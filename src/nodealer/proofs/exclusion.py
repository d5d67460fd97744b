"""None of these hidden cards is one of these faces.

A card is (u, msg = M + (s + off)·u): under the holder's key, K = s·G, and under keys that others have published, whose
sum is `off`. That M is a face of the deck is proven elsewhere. The holder multiplies the forbidden faces and the faces
of its cards by one fresh secret y, and sends the products: two are equal exactly when the faces are, and otherwise they
say nothing. Rows, in the secrets y and a_i = y·s_i:

    Y = y·G      0 = y·K_i − a_i·G      Σ α_c·Z_c = y·Σ α_c·M_c      Σ β_i·T_i = y·Σ β_i·w_i − Σ β_i·a_i·u_i

with w_i = msg_i − off_i·u_i, which is never computed. docs/proofs.md, "Hidden cards, none of these faces".
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars, concat, msm, vartime_msm
from nodealer.proofs import labels
from nodealer.proofs.checks import Check, Equation
from nodealer.proofs.encoding import decode_proof, encode_proof, encodings
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape


@dataclass(frozen=True)
class Excluded:
    """The faces M_c, and the cards that are none of them: u, msg, the sums of the published keys, and the holder's
    own."""

    faces: Points
    epk: Points
    msg: Points
    off: Scalars
    keys: Points

    def __post_init__(self) -> None:
        if not len(self.epk) == len(self.msg) == len(self.off) == len(self.keys):
            counts = len(self.epk), len(self.msg), len(self.off), len(self.keys)
            raise BadParameter(f"cards with {counts} epk, msg, published keys and own keys")

    def bind(self, transcript: Transcript) -> None:
        """Absorb the whole statement, and refuse one that no proof could mend."""
        for name, points in (("face", self.faces), ("epk", self.epk), ("key", self.keys)):
            if points.first_identity() is not None:
                raise Malformed(f"{labels.EXCLUSION}: {name} {points.first_identity()} is the identity")
        group = self.faces.group
        transcript.absorb(labels.STATEMENT, labels.EXCLUSION, group.name, len(self.faces), len(self.epk))
        transcript.absorb_points(labels.STATEMENT, self.faces, self.epk, self.msg, self.keys)
        transcript.absorb(labels.STATEMENT, self.off.to_bytes())


@dataclass(frozen=True)
class Multiplied:
    """What the holder sends: y·G, y times each forbidden face, and y times the face of each card."""

    Y: Points
    Z: Points
    T: Points

    def collision(self) -> str | None:
        """Why these cannot show what they should: a face, or a card, stands twice among them."""
        forbidden = set(encodings(self.Z))
        if len(forbidden) < len(self.Z):
            return "a face is multiplied twice"
        known: set[bytes] = set()
        for index, card in enumerate(encodings(self.T)):
            if card in forbidden:
                return f"card {index} is one of the faces that it should not be"
            if card in known:
                return f"card {index} stands twice"
            known.add(card)
        return None


def _weights(transcript: Transcript, sent: Multiplied) -> Scalars:
    """Only when all products are bound: were they chosen after the weights, two false ones could cancel."""
    transcript.absorb_points(labels.COMMITMENT, sent.Y, sent.Z, sent.T)
    return transcript.challenges(labels.WEIGHTS, sent.Y.group, len(sent.Z) + len(sent.T))


def prove(transcript: Transcript, tape: Tape, hidden: Excluded, s: Scalars) -> tuple[Multiplied, bytes]:
    """The products and their proof, from the secrets of the cards' keys. Raises `BadParameter` where a card *is* one of
    the faces: what would be sent says which."""
    group, f = hidden.faces.group, len(hidden.faces)
    hidden.bind(transcript)
    # Fresh for every statement and place: with one y for two proofs, a card of one is read from the faces of the other.
    y = transcript.nonces(tape, "y", group, 1)
    a = y * s
    sent = Multiplied(y * group.G, y * hidden.faces, group.combine(y, hidden.msg, -(y * hidden.off + a), hidden.epk))
    if (why := sent.collision()) is not None:
        raise BadParameter(why)
    weights = _weights(transcript, sent)
    alpha, beta = weights[:f], weights[f:]
    k = transcript.nonces(tape, labels.EXCLUSION, group, 1 + len(s))
    k_y, k_a = k[0], k[1:]
    # k_y·K_i − k_a·G, by who knows the logarithm of K_i: a multiple of G.
    of_keys = concat(k_y, k_y * s - k_a) * group.G
    of_faces = k_y * vartime_msm(alpha, hidden.faces)
    of_cards = msm(concat(k_y, -(beta * (k_y * hidden.off + k_a))), concat(vartime_msm(beta, hidden.msg), hidden.epk))
    C = concat(of_keys, of_faces, of_cards)
    transcript.absorb_points(labels.COMMITMENT, C)
    c = transcript.challenge(labels.CHALLENGE, group)
    return sent, encode_proof(C, c * concat(y, a) + k)


def check(transcript: Transcript, hidden: Excluded, sent: Multiplied, proof: bytes) -> Check:
    """What `prove` owes. Raises `Malformed` where the products themselves say that it is not so."""
    group, f, h = hidden.faces.group, len(hidden.faces), len(hidden.epk)
    what = f"proof of {labels.EXCLUSION}"
    if (len(sent.Y), len(sent.Z), len(sent.T)) != (1, f, h):
        raise BadParameter(f"{len(sent.Z)} and {len(sent.T)} products for {f} faces and {h} cards")
    if sent.Y.first_identity() is not None:
        raise Malformed(f"{labels.EXCLUSION}: the key is the identity")
    if (why := sent.collision()) is not None:
        raise Malformed(f"{labels.EXCLUSION}: {why}")
    P, responses = decode_proof(group, proof, points=h + 3, scalars=h + 1, what=what)
    hidden.bind(transcript)
    weights = _weights(transcript, sent)
    alpha, beta = weights[:f], weights[f:]
    transcript.absorb_points(labels.COMMITMENT, P)
    c = transcript.challenge(labels.CHALLENGE, group)
    one, minus_y, a_hat = group.integers([1]), -responses[0], responses[1:]
    return Check(
        transcript.seat,
        what,
        (
            Equation.sum((one, P[0]), (c, sent.Y), (minus_y, group.G)),
            Equation.each((one, P[1 : h + 1]), (minus_y, hidden.keys), (a_hat, group.G)),
            Equation.sum((one, P[h + 1]), (c * alpha, sent.Z), (minus_y * alpha, hidden.faces)),
            Equation.sum(
                (one, P[h + 2]),
                (c * beta, sent.T),
                (minus_y * beta, hidden.msg),
                (beta * (a_hat - minus_y * hidden.off), hidden.epk),
            ),
        ),
    )
