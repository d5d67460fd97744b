"""Keys and equal logarithms.

`knowledge`: of the secrets of public keys. `one secret`: Z = z·G and image_i = z·base_i for many i. `a secret each`:
for every i, key_i = s_i·B_i and image_i = s_i·base_i. In both, the images are folded into one row by
weights hashed from the whole statement, and the keys are not. docs/proofs.md says why that is sound.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Group, Points, Scalars, concat, msm, vartime_msm
from nodealer.proofs import labels, linear
from nodealer.proofs.checks import Check, Equation
from nodealer.proofs.encoding import decode_proof, encode_proof
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


def _fold(transcript: Transcript, kind: str, base: Points, keys: Points, bases: Points, images: Points) -> Scalars:
    """Bind the whole statement, then draw the weights that fold its images.

    The weights depend on all bases *and all images*: were the images chosen after them, two false ones could cancel.
    """
    if len(bases) != len(images):
        raise BadParameter(f"{len(bases)} bases and {len(images)} images")
    for name, points in (("base of the keys", base), ("key", keys), ("base", bases), ("image", images)):
        if points.first_identity() is not None:
            raise Malformed(f"{kind}: {name} {points.first_identity()} is the identity")
    transcript.absorb(labels.STATEMENT, kind, keys.group.name, len(keys), len(bases))
    transcript.absorb_points(labels.STATEMENT, base, keys, bases, images)
    return transcript.challenges(labels.WEIGHTS, keys.group, len(bases))


def _commit(transcript: Transcript, group: Group, T: Points) -> Scalars:
    transcript.absorb_points(labels.COMMITMENT, T)
    return transcript.challenge(labels.CHALLENGE, group)


def prove_equality(transcript: Transcript, tape: Tape, Z: Points, bases: Points, images: Points, z: Scalars) -> bytes:
    """Z = z·G and images = z·bases, by one folded pair beside (G, Z)."""
    weights = _fold(transcript, labels.EQUALITY, Z.group.G, Z, bases, images)
    k = transcript.nonces(tape, labels.EQUALITY, Z.group, 1)
    T = concat(k * Z.group.G, k * vartime_msm(weights, bases))
    c = _commit(transcript, Z.group, T)
    return encode_proof(T, c * z + k)


def check_equality(transcript: Transcript, Z: Points, bases: Points, images: Points, proof: bytes) -> Check:
    """What `prove_equality` owes: (G, Z) as a row of its own, for folded in with the rest it would bind nothing."""
    if len(Z) != 1:
        raise BadParameter(f"{len(Z)} keys for one secret")
    return _check(transcript, labels.EQUALITY, Z.group.G, Z, bases, images, proof)


@dataclass(frozen=True)
class Each:
    """For every i: keys[i] = s[i]·base and images[i] = s[i]·bases[i]. `base` is one point, or one for each i."""

    base: Points
    keys: Points
    bases: Points
    images: Points

    def __post_init__(self) -> None:
        if len(self.base) not in (1, len(self.keys)) or not len(self.keys) == len(self.bases) == len(self.images):
            raise BadParameter(f"{len(self.keys)} keys, {len(self.bases)} bases and {len(self.images)} images")


def prove_each(transcript: Transcript, tape: Tape, each: Each, s: Scalars, *, root: Scalars | None = None) -> bytes:
    """Knowledge of all s[i]. A prover who knows `root`, with base = root·G, is faster; the proof is the same.

    The rows of the keys stay apart, so that each s[i] is fixed by its key; then the weights may fold the images.
    """
    group = each.keys.group
    weights = _fold(transcript, labels.EQUALITY_MANY, each.base, each.keys, each.bases, each.images)
    k = transcript.nonces(tape, labels.EQUALITY_MANY, group, len(each.keys))
    key_rows = k * each.base if root is None else (k * root) * group.G
    T = concat(key_rows, msm(k * weights, each.bases))
    c = _commit(transcript, group, T)
    return encode_proof(T, c * s + k)


def check_each(transcript: Transcript, each: Each, proof: bytes) -> Check:
    """What `prove_each` owes."""
    return _check(transcript, labels.EQUALITY_MANY, each.base, each.keys, each.bases, each.images, proof)


def _check(
    transcript: Transcript, kind: str, base: Points, keys: Points, bases: Points, images: Points, proof: bytes
) -> Check:
    """One row for each key, T + c·key − z·base = 0, and one for all images together."""
    group, count = keys.group, len(keys)
    weights = _fold(transcript, kind, base, keys, bases, images)
    T, z = decode_proof(group, proof, points=count + 1, scalars=count, what=f"proof of {kind}")
    c = _commit(transcript, group, T)
    one, minus_z = group.integers([1]), -z
    key_rows = Equation.each((one, T[:count]), (c, keys), (minus_z, base))
    folded_row = Equation.sum((one, T[count]), (c * weights, images), (minus_z * weights, bases))
    return Check(transcript.seat, f"proof of {kind}", (key_rows, folded_row))
