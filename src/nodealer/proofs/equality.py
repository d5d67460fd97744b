"""Proofs about keys and equal discrete logarithms.

- Knowledge: the prover knows the secrets of public keys.
- One secret: Z = z·G and image_i = z·base_i for many i. The images are folded into one row with weights hashed from the
  whole statement. The key is not folded in.
- A secret each: for every i, key_i = s_i·B_i and image_i = s_i·base_i. The prover commits to the secrets first; then
  the keys are folded into one row and the images into another.

docs/spec/proofs.md explains why this is sound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Group, Points, Scalars, concat, msm, vartime_msm
from nodealer.proofs import labels, linear
from nodealer.proofs.checks import Check, Equation, Term
from nodealer.proofs.encoding import decode_proof, encode_proof, encodings
from nodealer.proofs.generators import blinding_generator, commitment_key, generators
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape


def _knowledge_statement(keys: Points) -> linear.Statement:
    """Return the statement keys = secrets·G."""
    return linear.Statement(labels.KNOWLEDGE, (len(keys),), (linear.LinearRow(keys, ((0, keys.group.G),)),))


def prove_knowledge(transcript: Transcript, tape: Tape, keys: Points, secrets: Scalars) -> bytes:
    """Prove knowledge of `secrets` with keys = secrets·G, with one challenge for all."""
    return linear.prove(transcript, tape, _knowledge_statement(keys), [secrets])


# defence: borrowed-key, identity-key, rogue-join, rogue-key
def check_knowledge(transcript: Transcript, keys: Points, proof: bytes) -> Check:
    """Return the check of a proof by `prove_knowledge`. Raise `Malformed` if a key is the identity."""
    if keys.first_identity() is not None:
        raise Malformed(f"key {keys.first_identity()} is the identity")
    return linear.check(transcript, _knowledge_statement(keys), proof)


# defence: fits-all, zero
def _refuse_identities(kind: str, arrays: Iterable[tuple[str, Points]]) -> None:
    """Raise `Malformed`, naming the array, if one contains the identity."""
    for name, points in arrays:
        if points.first_identity() is not None:
            raise Malformed(f"{kind}: {name} {points.first_identity()} is the identity")


def _draw_challenge(transcript: Transcript, group: Group, T: Points) -> Scalars:
    """Bind the commitments T, then draw the challenge."""
    transcript.absorb_points(labels.COMMITMENT, T)
    return transcript.challenge(labels.CHALLENGE, group)


# --- One secret ---


# defence: fold
def _folding_weights(transcript: Transcript, Z: Points, bases: Points, images: Points) -> Scalars:
    """Bind the whole statement, then draw the weights that fold its images.

    The weights depend on all bases *and all images*. If the images could be chosen afterwards, two false ones could
    cancel out.
    """
    if len(Z) != 1:
        raise BadParameter(f"{len(Z)} keys for one secret")
    if len(bases) != len(images):
        raise BadParameter(f"{len(bases)} bases and {len(images)} images")
    _refuse_identities(labels.EQUALITY, (("key", Z), ("base", bases), ("image", images)))
    transcript.absorb(labels.STATEMENT, labels.EQUALITY, Z.group.name, len(bases))
    transcript.absorb_points(labels.STATEMENT, Z, bases, images)
    return transcript.challenges(labels.WEIGHTS, Z.group, len(bases))


def prove_equality(transcript: Transcript, tape: Tape, Z: Points, bases: Points, images: Points, z: Scalars) -> bytes:
    """Prove Z = z·G and images = z·bases, with one folded pair beside (G, Z)."""
    weights = _folding_weights(transcript, Z, bases, images)
    k = transcript.nonces(tape, labels.EQUALITY, Z.group, 1)
    T = Z.group.msm_each([(k, Z.group.G), (k, vartime_msm(weights, bases))])
    c = _draw_challenge(transcript, Z.group, T)
    return encode_proof(T, c * z + k)


# defence: backwards, cancel, combine, double, false-key, halved, loose, names, neighbours, oracle, other-card,
#   other-secret, shift, tag, trapdoor
def check_equality(transcript: Transcript, Z: Points, bases: Points, images: Points, proof: bytes) -> Check:
    """Return the check of a proof by `prove_equality`.

    (G, Z) is a row of its own: folded in with the rest, it would bind nothing.
    """
    group, what = Z.group, f"proof of {labels.EQUALITY}"
    weights = _folding_weights(transcript, Z, bases, images)
    T, z_hat = decode_proof(group, proof, points=2, scalars=1, what=what)
    c = _draw_challenge(transcript, group, T)
    one = group.integers([1])
    key_row = Equation.sum((one, T[0]), (c, Z), (-z_hat, group.G))
    folded_row = Equation.sum((one, T[1]), (c * weights, images), (-z_hat * weights, bases))
    return Check(transcript.seat, what, (key_row, folded_row))


# --- A secret each ---


@dataclass(frozen=True)
class ManyEqualities:
    """The statement that, for every i, keys[i] − less[i] = s[i]·base[i] and images[i] = s[i]·bases[i].

    Each array except the images may be a single point that is used for all i. Without `less` nothing is subtracted.
    """

    base: Points
    keys: Points
    bases: Points
    images: Points
    less: Points | None = None

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless each array has one point or as many as there are images."""
        for name, points in self.arrays:
            if len(points) not in (1, len(self.images)):
                raise BadParameter(f"{name}: {len(points)} points for {len(self.images)} images")

    @property
    def arrays(self) -> tuple[tuple[str, Points], ...]:
        """All public points, each array with its name."""
        known = (("base of the keys", self.base), ("key", self.keys), ("base", self.bases), ("image", self.images))
        return known if self.less is None else (*known, ("old key", self.less))

    def bind(self, transcript: Transcript) -> None:
        """Absorb the whole statement. Raise `Malformed` if no proof could make it valid."""
        _refuse_identities(labels.EQUALITY_MANY, ((name, points) for name, points in self.arrays if name != "old key"))
        if self.less is not None and (index := _first_equal(self.keys, self.less)) is not None:
            raise Malformed(f"{labels.EQUALITY_MANY}: key {index} did not change")
        transcript.absorb(labels.STATEMENT, labels.EQUALITY_MANY, self.keys.group.name, len(self.images))
        transcript.absorb_points(labels.STATEMENT, *(points for _, points in self.arrays))


def _first_equal(points: Points, others: Points) -> int | None:
    """Return the first index at which two arrays have the same point. A single point is compared with all."""
    if len(others) == 1:
        return points.vartime_first_in(others)
    if len(points) == 1:
        return others.vartime_first_in(points)
    pairs = zip(encodings(points), encodings(others), strict=True)
    return next((index for index, (one, other) in enumerate(pairs) if one == other), None)


def _draw_weights(transcript: Transcript, C: Points, count: int) -> Scalars:
    """Bind C, then draw the weights. If the secrets could be chosen afterwards, false ones could be solved for."""
    transcript.absorb_points(labels.COMMITMENT, C)
    return transcript.challenges(labels.WEIGHTS, C.group, count)


def prove_many_equalities(transcript: Transcript, tape: Tape, each: ManyEqualities, s: Scalars) -> bytes:
    """Prove knowledge of all s[i]: commit to them, and show that the committed ones satisfy keys and images."""
    group, m = each.keys.group, len(each.images)
    key = commitment_key(group, m)
    each.bind(transcript)
    secrets = concat(s, transcript.nonces(tape, "r", group, 1))
    C = msm(secrets, key)
    w = _draw_weights(transcript, C, m)
    k = transcript.nonces(tape, labels.EQUALITY_MANY, group, m + 1)
    weighted = w * k[:m]
    T = group.msm_each([(k, key), _sum_term(weighted, each.base), _sum_term(weighted, each.bases)])
    c = _draw_challenge(transcript, group, T)
    return encode_proof(concat(C, T), c * secrets + k)


def _sum_term(scalars: Scalars, points: Points) -> Term:
    """Return the term Σ scalars·points. A single point is used for all scalars."""
    return (scalars.sum(), points) if len(points) == 1 else (scalars, points)


# defence: mark, searched
def check_many_equalities(transcript: Transcript, each: ManyEqualities, proof: bytes) -> Check:
    """Return the check of a proof by `prove_many_equalities`.

    Its equations are (1) the opening of C, (2) all keys, folded, and (3) all images, folded.
    """
    group, m, what = each.keys.group, len(each.images), f"proof of {labels.EQUALITY_MANY}"
    each.bind(transcript)
    P, responses = decode_proof(group, proof, points=4, scalars=m + 1, what=what)
    C, T_C, T_K, T_Y = P[0], P[1], P[2], P[3]
    w = _draw_weights(transcript, C, m)
    c = _draw_challenge(transcript, group, P[1:])
    one, minus_s, minus_r = group.integers([1]), -responses[:m], -responses[m]
    opened, claimed = w * minus_s, c * w
    less = [] if each.less is None else [_sum_term(-claimed, each.less)]
    return Check(
        transcript.seat,
        what,
        (
            Equation.sum((one, T_C), (c, C), (minus_s, generators(group, m)), (minus_r, blinding_generator(group))),
            Equation.sum((one, T_K), _sum_term(claimed, each.keys), *less, _sum_term(opened, each.base)),
            Equation.sum((one, T_Y), (claimed, each.images), _sum_term(opened, each.bases)),
        ),
    )
