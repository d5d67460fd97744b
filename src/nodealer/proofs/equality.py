"""Keys and equal logarithms.

`knowledge`: of the secrets of public keys. `one secret`: Z = z·G and image_i = z·base_i for many i, folded into one
pair. `a secret each`: for every i, key_i = s_i·G and image_i = s_i·base_i. docs/proofs.md says why each is sound.
"""

from __future__ import annotations

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Group, Points, Scalars, concat, vartime_msm
from nodealer.proofs import labels, linear
from nodealer.proofs.checks import Check, Equation
from nodealer.proofs.encoding import decode_proof, encode_proof
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape


def _keys(keys: Points) -> linear.Statement:
    return linear.Statement(labels.KNOWLEDGE, (len(keys),), (linear.Row(keys, ((0, keys.group.G),)),))


def prove_knowledge(transcript: Transcript, tape: Tape, keys: Points, secrets: Scalars) -> bytes:
    """Knowledge of `secrets` with keys = secrets·G, one challenge for all."""
    return linear.prove(transcript, tape, _keys(keys), [secrets])


def check_knowledge(transcript: Transcript, keys: Points, proof: bytes) -> Check:
    """What `prove_knowledge` owes."""
    if keys.first_identity() is not None:
        raise Malformed(f"key {keys.first_identity()} is the identity")
    return linear.check(transcript, _keys(keys), proof)


def _each(keys: Points, bases: Points, images: Points) -> linear.Statement:
    if not len(keys) == len(bases) == len(images):
        raise BadParameter(f"{len(keys)} keys, {len(bases)} bases and {len(images)} images")
    rows = (linear.Row(keys, ((0, keys.group.G),)), linear.Row(images, ((0, bases),)))
    return linear.Statement(labels.EQUALITY_MANY, (len(keys),), rows)


def prove_each(transcript: Transcript, tape: Tape, keys: Points, bases: Points, images: Points, s: Scalars) -> bytes:
    """For every i: keys[i] = s[i]·G and images[i] = s[i]·bases[i]. Nothing is folded: the secrets differ."""
    return linear.prove(transcript, tape, _each(keys, bases, images), [s])


def check_each(transcript: Transcript, keys: Points, bases: Points, images: Points, proof: bytes) -> Check:
    """What `prove_each` owes."""
    return linear.check(transcript, _each(keys, bases, images), proof)


def _fold(transcript: Transcript, Z: Points, bases: Points, images: Points) -> Scalars:
    """Bind the whole statement, then draw the weights that fold it.

    The weights depend on all bases *and all images*: were the images chosen after them, two false ones could cancel.
    """
    if len(Z) != 1 or len(bases) != len(images):
        raise BadParameter(f"{len(Z)} keys, {len(bases)} bases and {len(images)} images")
    transcript.absorb(labels.STATEMENT, labels.EQUALITY, Z.group.name, len(bases))
    transcript.absorb_points(labels.STATEMENT, Z, bases, images)
    return transcript.challenges(labels.WEIGHTS, Z.group, len(bases))


def _commit(transcript: Transcript, group: Group, T: Points) -> Scalars:
    transcript.absorb_points(labels.COMMITMENT, T)
    return transcript.challenge(labels.CHALLENGE, group)


def prove_equality(transcript: Transcript, tape: Tape, Z: Points, bases: Points, images: Points, z: Scalars) -> bytes:
    """Z = z·G and images = z·bases, by one folded pair beside (G, Z)."""
    weights = _fold(transcript, Z, bases, images)
    k = transcript.nonces(tape, labels.EQUALITY, Z.group, 1)
    T = concat(k * Z.group.G, k * vartime_msm(weights, bases))
    c = _commit(transcript, Z.group, T)
    return encode_proof(T, c * z + k)


def check_equality(transcript: Transcript, Z: Points, bases: Points, images: Points, proof: bytes) -> Check:
    """What `prove_equality` owes: (G, Z) as a row of its own, for folded in with the rest it would bind nothing."""
    group = Z.group
    for name, points in (("key", Z), ("base", bases), ("image", images)):
        if points.first_identity() is not None:
            raise Malformed(f"{labels.EQUALITY}: {name} {points.first_identity()} is the identity")
    weights = _fold(transcript, Z, bases, images)
    T, r = decode_proof(group, proof, points=2, scalars=1, what=f"proof of {labels.EQUALITY}")
    c = _commit(transcript, group, T)
    minus_one = -group.integers([1])
    key_row = Equation.sum((r, group.G), (-c, Z), (minus_one, T[0]))
    folded_row = Equation.sum((r * weights, bases), (-c * weights, images), (minus_one, T[1]))
    return Check(transcript.seat, f"proof of {labels.EQUALITY}", (key_row, folded_row))
