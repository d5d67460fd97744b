"""False shuffles whose proof a verifier with a piece missing would accept."""

from __future__ import annotations

from typing import Final, TypeVar

from nodealer.cheats.arrays import put
from nodealer.group import Group, Points, Scalars, concat
from nodealer.proofs import labels, shuffle
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.generators import blinding_generator
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.proofs.shuffle_prover import attack_shuffles, forge_backwards, forge_proof
from nodealer_lab.attacks.shuffle_steps import ShuffleTurn

# --- combine ---
#
# Cards become sums of two cards. A proof that is a sum of weights, and no permutation, does not see it.

Array = TypeVar("Array", Points, Scalars)


def combined(inputs: Points) -> Points:
    """2·a − b and 2·b − a in place of two cards a and b, all over the deck; the last of an odd number stays."""
    two, a, b = inputs.group.integers([2]), *pairs(inputs)
    return concat(two * a - b, two * b - a, inputs[-1:]).take(side_by_side(len(inputs)))


def weights(numbers: Scalars) -> Scalars:
    """The numbers with which these add up to what the cards add up to with `numbers`."""
    third, two = numbers.group.integers([3]).invert(), numbers.group.integers([2])
    a, b = pairs(numbers)
    each = concat(third * (two * a + b), third * (two * b + a), numbers[-1:])
    return each.take(side_by_side(len(numbers)))


def pairs(each: Array) -> tuple[Array, Array]:
    """The first and the second of every two."""
    half = len(each) // 2
    return each.take(range(0, 2 * half, 2)), each.take(range(1, 2 * half, 2))


def side_by_side(size: int) -> list[int]:
    """From all firsts, all seconds and the last one to pairs, and to the last one where it has no other."""
    half = size // 2
    return [*(place for pair in range(half) for place in (pair, half + pair)), *range(2 * half, size)]


def _combine_false(step: ShuffleTurn) -> bytes:
    cards = step.after(combined)
    proof, _ = forge_proof(step.transcript(), step.moment.tape, step.relation(cards), step.tie(weights), step.secrets)
    return step.message(cards, proof)


COMBINE: Final = attack_shuffles(
    "combine",
    "puts sums of two cards into the deck, with weights that add up",
    ("A17",),
    _combine_false,
    # The product over all cards: without it the numbers need not be those of a permutation.
    RemovedDefence(
        "nodealer.proofs.shuffle:_permutation_equations",
        "Equation.sum((x, o.C_1), (one, o.C_0), (minus_in_C, gens), (-o.s_p_hat, H)),",
    ),
)


# --- shift ---
#
# A deck is changed after its proof was made: every two cards move so that the sum in the proof stays what it is.


def _shift_false(step: ShuffleTurn) -> bytes:
    """Σ d̂_j·out_j does not see d̂_2·P more in the first card and d̂_1·P less in the second, and so on in pairs."""
    *others, honest = step.after()
    relation = step.relation((*others, honest))
    proof, d_hat = forge_proof(step.transcript(), step.moment.tape, relation, step.tie(), step.secrets)
    P = step.group.G
    (first, second), (d_1, d_2) = pairs(honest), pairs(d_hat)
    moved = concat(first + d_2 * P, second - d_1 * P, honest[-1:]).take(side_by_side(step.size))
    return step.message((*others, moved), proof)


SHIFT: Final = attack_shuffles(
    "shift",
    "changes two cards after the proof is made, so that its sums stay the same",
    ("A13",),
    _shift_false,
    # The decks are in the challenge: without it, this is weak Fiat–Shamir.
    RemovedDefence("nodealer.proofs.shuffle:_bind", "transcript.absorb_points(labels.STATEMENT, *relation.statement)"),
)


# --- backwards ---
#
# A proof of a deck that is none, made from its end: where the challenge does not hang on what was committed to.


def _backwards_false(step: ShuffleTurn) -> bytes:
    """The cards are any points."""
    *others, last = step.after()
    cards = (*others, step.group.integers(range(5, 5 + step.size)) * last[0])
    return step.message(cards, forge_backwards(step.transcript(), step.moment.tape, step.relation(cards)))


BACKWARDS: Final = attack_shuffles(
    "backwards",
    "knows the challenge, and builds a proof of false cards from its end",
    ("A14",),
    _backwards_false,
    # The last challenge hangs on the commitments, for who proves and for who verifies.
    RemovedDefence(
        "nodealer.proofs.shuffle:_read_proof",
        "transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, P[COMMITMENTS:])",
    ),
    RemovedDefence(
        "nodealer.proofs.shuffle:prove", "transcript.absorb_points(labels.COMMITMENT, C[0], C[1], C[2], C[3:])"
    ),
)


# --- cancel ---
#
# Two false equations that cancel: a batch that adds them up with equal weights sees neither.


def _cancel_false(step: ShuffleTurn) -> bytes:
    """P more in every card makes one row false by x·Σ d_j·P; the commitment to the products takes it up."""
    *others, honest = step.after()
    P = step.group.G
    cards = (*others, honest + P)

    def adds(d: Scalars, e: Scalars) -> tuple[Points, Points]:
        return d.group.identity(1), d.sum() * P

    relation = step.relation(cards)
    proof, _ = forge_proof(step.transcript(), step.moment.tape, relation, step.tie(), step.secrets, adds)
    return step.message(cards, proof)


CANCEL: Final = attack_shuffles(
    "cancel",
    "makes two equations false so that their sum is true",
    ("A16",),
    _cancel_false,
    # Every equation of a batch has a weight that nobody can foresee.
    RemovedDefence(
        "nodealer.proofs.checks:weights_of",
        'expand("weights", fresh, digest_of(checks), size=WEIGHT_BYTES * rows)',
        '(b"\\1" + bytes(WEIGHT_BYTES - 1)) * rows',
    ),
)


# --- trapdoor ---
#
# Generators of which somebody knows a relation: then a commitment opens to anything, and a proof says anything.


def _trapdoor_false(step: ShuffleTurn) -> bytes:
    """The cards are sums of two. Their weights are chosen to fit when all challenges are known, and the openings of the
    commitments, every one a multiple of H, are computed to fit that."""
    group, m, tape = step.group, step.size, step.moment.tape
    H, cards = blinding_generator(group), step.after(combined)
    relation, transcript = step.relation(cards), step.transcript()
    shuffle._bind(transcript, relation)
    a, b, e_0, c_0, c_1 = (transcript.nonces(tape, f"log {number}", group, 1) for number in range(5))
    transcript.absorb_points(labels.COMMITMENT, a * H)
    powers = transcript.challenge("xi", group).powers(m)
    transcript.absorb_points(labels.COMMITMENT, b * H)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    D = shuffle._weights(powers, y, z)
    d = step.tie(weights)(D)
    e, k = transcript.nonces(tape, "e", group, m), transcript.nonces(tape, "k", group, relation.secrets)
    E = group.msm_each([shuffle._masked_row(row, e, k) for row in relation.rows(D)])
    commitments = e_0 * H, c_0 * H, c_1 * H, E
    transcript.absorb_points(labels.COMMITMENT, *commitments)
    x = transcript.challenge("x", group)
    d_hat, inner = x * d + e, transcript.nonces(tape, "inner", group, m - 2)
    p_hat = concat(d_hat[0], inner, x * D.cumprod()[-1])
    logs = group.integers(range(2, m + 2))
    in_C = concat(x * p_hat[1:] - p_hat[:-1] * d_hat[1:], group.integers([0]))
    r_hat = x * (y * a + b) + e_0 - (d_hat + x * z).dot(logs)
    s_hat = x * c_1 + c_0 - in_C.dot(logs)
    answers = concat(d_hat, r_hat, inner, s_hat, x * step.secrets(d) + k)
    return step.message(cards, encode_proof(concat(a * H, b * H, *commitments), answers))


TRAPDOOR: Final = attack_shuffles(
    "trapdoor",
    "knows a relation between the generators of commitments, and opens them as it likes",
    ("A15",),
    _trapdoor_false,
    # The generators are hashes, and not multiples of H that anybody knows.
    RemovedDefence(
        "nodealer.proofs.generators:generators",
        "return hash_to_points(group, labels.GENERATORS, messages)",
        "return group.integers(range(2, count + 2)) * blinding_generator(group)",
    ),
)


# --- loose ---
#
# All cards are multiplied by one secret, but by another than that of the key that was published for it.


def _loose_false(step: ShuffleTurn) -> bytes:
    """Twice the secret; the proof is made with that one, and all but the row of the key is true."""
    two = step.group.integers([2])
    cards = step.after(lambda points: two * points)
    transcript, tape = step.transcript(), step.moment.tape
    proof, _ = forge_proof(transcript, tape, step.relation(cards), step.tie(), lambda d: two * step.s)
    return step.message(cards, proof)


LOOSE: Final = attack_shuffles(
    "loose",
    "multiplies all cards by a different secret than that of its key",
    ("A7",),
    _loose_false,
    # The key has a row of its own in the proof.
    RemovedDefence(
        "nodealer.proofs.shuffle:check",
        "*_relation_equations(relation, opened))",
        "*_relation_equations(relation, opened)[:-1])",
    ),
    # Where cards are masked and pairs are offset it is no one secret that makes them.
    only=("lock", "chain", "duel"),
)


# --- neighbours ---
#
# Three cards that were neighbours get errors P, −2·P and P: weights that only count the cards do not see it.


def _neighbours_false(step: ShuffleTurn) -> bytes:
    """All over the deck, three after three. They were neighbours before the shuffle, wherever they lie now."""
    *others, honest = step.after()
    data, order, P = honest.to_bytes(), list(step.order), step.group.G
    errors = (P, -P - P, P)
    for place in range(step.size - step.size % len(errors)):
        at = order.index(place)
        data = put(data, at, (honest[at] + errors[place % len(errors)]).to_bytes())
    cards = (*others, step.group.points(data))
    proof, _ = forge_proof(step.transcript(), step.moment.tape, step.relation(cards), step.tie(), step.secrets)
    return step.message(cards, proof)


NEIGHBOURS: Final = attack_shuffles(
    "neighbours",
    "changes three neighbouring cards so that weights which only count the cards do not notice",
    ("A17",),
    _neighbours_false,
    # The weights have powers of a challenge in them; with nothing in its place they only count.
    RemovedDefence(
        "nodealer.proofs.transcript:Transcript.challenge",
        "return self.challenges(label, group, 1)",
        'return group.integers([0]) if label == "xi" else self.challenges(label, group, 1)',
    ),
)


# --- halved ---
#
# Every second card is doubled and the next one halved. The product over all cards is what it was, and a proof that
# looks only at the product of powers of ξ, which the prover can still choose factors for, does not see it.


def _factors(group: Group, size: int) -> Scalars:
    """2, 1/2, 2, 1/2 and so on; the last of an odd number is one. Their product is one."""
    two, one = group.integers([2]), group.integers([1])
    each = concat(two, two.invert(), one)
    return each.take([2 if size % 2 and place == size - 1 else place % 2 for place in range(size)])


def _halved_false(step: ShuffleTurn) -> bytes:
    """What is committed to when ξ is known is not what was committed to before: each power of ξ gets the factor that
    takes its card's own off again. All sums are right then, and the product is too."""
    factors = _factors(step.group, step.size)

    def marked(cards: Points) -> Points:
        return factors * cards

    def weights(numbers: Scalars) -> Scalars:
        return factors.invert() * numbers

    cards = step.after(marked)
    proof, _ = forge_proof(step.transcript(), step.moment.tape, step.relation(cards), step.tie(weights), step.secrets)
    return step.message(cards, proof)


HALVED: Final = attack_shuffles(
    "halved",
    "doubles a card and halves another, so that the product stays the same",
    ("A17",),
    _halved_false,
    # y·π + ξ^π − z: with nothing for y and z the product is over the powers of ξ alone, and no π is bound before ξ.
    RemovedDefence(
        "nodealer.proofs.transcript:Transcript.challenge",
        "return self.challenges(label, group, 1)",
        'return group.integers([0]) if label in ("y", "z") else self.challenges(label, group, 1)',
    ),
    # A pair of `offset` that is multiplied is the same card.
    only=("lock", "mask", "chain", "duel"),
)
