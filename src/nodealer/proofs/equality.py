"""Keys and equal logarithms.

`knowledge`: of the secrets of public keys. `one secret`: Z = z·G and image_i = z·base_i for many i; the images are
folded into one row by weights hashed from the whole statement, and the key is not. `a secret each`: for every i,
key_i = s_i·B_i and image_i = s_i·base_i; the secrets are committed to, and then keys and images are folded into one row
each. docs/spec/proofs.md says why that is sound.
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


def _keys(keys: Points) -> linear.Statement:
    return linear.Statement(labels.KNOWLEDGE, (len(keys),), (linear.LinearRow(keys, ((0, keys.group.G),)),))


def prove_knowledge(transcript: Transcript, tape: Tape, keys: Points, secrets: Scalars) -> bytes:
    """Knowledge of `secrets` with keys = secrets·G, one challenge for all."""
    return linear.prove(transcript, tape, _keys(keys), [secrets])


def check_knowledge(transcript: Transcript, keys: Points, proof: bytes) -> Check:
    """What `prove_knowledge` owes."""
    if keys.first_identity() is not None:
        raise Malformed(f"key {keys.first_identity()} is the identity")
    return linear.check(transcript, _keys(keys), proof)


def _refuse_identities(kind: str, arrays: Iterable[tuple[str, Points]]) -> None:
    for name, points in arrays:
        if points.first_identity() is not None:
            raise Malformed(f"{kind}: {name} {points.first_identity()} is the identity")


def _commit(transcript: Transcript, group: Group, T: Points) -> Scalars:
    transcript.absorb_points(labels.COMMITMENT, T)
    return transcript.challenge(labels.CHALLENGE, group)


# --- One secret ---


def _fold(transcript: Transcript, Z: Points, bases: Points, images: Points) -> Scalars:
    """Bind the whole statement, then draw the weights that fold its images.

    The weights depend on all bases *and all images*: were the images chosen after them, two false ones could cancel.
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
    """Z = z·G and images = z·bases, by one folded pair beside (G, Z)."""
    weights = _fold(transcript, Z, bases, images)
    k = transcript.nonces(tape, labels.EQUALITY, Z.group, 1)
    T = Z.group.msm_each([(k, Z.group.G), (k, vartime_msm(weights, bases))])
    c = _commit(transcript, Z.group, T)
    return encode_proof(T, c * z + k)


def check_equality(transcript: Transcript, Z: Points, bases: Points, images: Points, proof: bytes) -> Check:
    """What `prove_equality` owes: (G, Z) as a row of its own, for folded in with the rest it would bind nothing."""
    group, what = Z.group, f"proof of {labels.EQUALITY}"
    weights = _fold(transcript, Z, bases, images)
    T, z_hat = decode_proof(group, proof, points=2, scalars=1, what=what)
    c = _commit(transcript, group, T)
    one = group.integers([1])
    key_row = Equation.sum((one, T[0]), (c, Z), (-z_hat, group.G))
    folded_row = Equation.sum((one, T[1]), (c * weights, images), (-z_hat * weights, bases))
    return Check(transcript.seat, what, (key_row, folded_row))


# --- A secret each ---


@dataclass(frozen=True)
class Each:
    """For every i: keys[i] − less[i] = s[i]·base[i] and images[i] = s[i]·bases[i].

    Each array but the images may be one point that stands for all i. Without `less` nothing is taken off the keys.
    """

    base: Points
    keys: Points
    bases: Points
    images: Points
    less: Points | None = None

    def __post_init__(self) -> None:
        for name, points in self.arrays:
            if len(points) not in (1, len(self.images)):
                raise BadParameter(f"{name}: {len(points)} points for {len(self.images)} images")

    @property
    def arrays(self) -> tuple[tuple[str, Points], ...]:
        """All public points, and what they are."""
        known = (("base of the keys", self.base), ("key", self.keys), ("base", self.bases), ("image", self.images))
        return known if self.less is None else (*known, ("old key", self.less))

    def bind(self, transcript: Transcript) -> None:
        """Absorb the whole statement, and refuse one that no proof could mend."""
        _refuse_identities(labels.EQUALITY_MANY, ((name, points) for name, points in self.arrays if name != "old key"))
        if self.less is not None and (index := _first_equal(self.keys, self.less)) is not None:
            raise Malformed(f"{labels.EQUALITY_MANY}: key {index} is what it was")
        transcript.absorb(labels.STATEMENT, labels.EQUALITY_MANY, self.keys.group.name, len(self.images))
        transcript.absorb_points(labels.STATEMENT, *(points for _, points in self.arrays))


def _first_equal(points: Points, others: Points) -> int | None:
    """The first place at which two arrays have the same point, where one point may stand for all."""
    if len(others) == 1:
        return points.vartime_first_in(others)
    if len(points) == 1:
        return others.vartime_first_in(points)
    pairs = zip(encodings(points), encodings(others), strict=True)
    return next((index for index, (one, other) in enumerate(pairs) if one == other), None)


def _weights(transcript: Transcript, C: Points, count: int) -> Scalars:
    """Only when C is bound: were the secrets free until the weights are known, they could be solved for."""
    transcript.absorb_points(labels.COMMITMENT, C)
    return transcript.challenges(labels.WEIGHTS, C.group, count)


def prove_each(transcript: Transcript, tape: Tape, each: Each, s: Scalars) -> bytes:
    """Knowledge of all s[i]: they are committed to, and the committed ones satisfy keys and images."""
    group, m = each.keys.group, len(each.images)
    key = commitment_key(group, m)
    each.bind(transcript)
    secrets = concat(s, transcript.nonces(tape, "r", group, 1))
    C = msm(secrets, key)
    w = _weights(transcript, C, m)
    k = transcript.nonces(tape, labels.EQUALITY_MANY, group, m + 1)
    weighted = w * k[:m]
    T = group.msm_each([(k, key), _term(weighted, each.base), _term(weighted, each.bases)])
    c = _commit(transcript, group, T)
    return encode_proof(concat(C, T), c * secrets + k)


def _term(scalars: Scalars, points: Points) -> Term:
    """Σ scalars·points, where one point may stand for all."""
    return (scalars.sum(), points) if len(points) == 1 else (scalars, points)


def check_each(transcript: Transcript, each: Each, proof: bytes) -> Check:
    """What `prove_each` owes: (1) opens C; (2) is all keys, folded; (3) all images."""
    group, m, what = each.keys.group, len(each.images), f"proof of {labels.EQUALITY_MANY}"
    each.bind(transcript)
    P, responses = decode_proof(group, proof, points=4, scalars=m + 1, what=what)
    C, T_C, T_K, T_Y = P[0], P[1], P[2], P[3]
    w = _weights(transcript, C, m)
    c = _commit(transcript, group, P[1:])
    one, minus_s, minus_r = group.integers([1]), -responses[:m], -responses[m]
    opened, claimed = w * minus_s, c * w
    less = [] if each.less is None else [_term(-claimed, each.less)]
    return Check(
        transcript.seat,
        what,
        (
            Equation.sum((one, T_C), (c, C), (minus_s, generators(group, m)), (minus_r, blinding_generator(group))),
            Equation.sum((one, T_K), _term(claimed, each.keys), *less, _term(opened, each.base)),
            Equation.sum((one, T_Y), (claimed, each.images), _term(opened, each.bases)),
        ),
    )
