"""False shuffles whose proof a verifier with a piece missing would accept."""

from __future__ import annotations

from typing import Final, TypeVar

from nodealer.cheats.arrays import set_at
from nodealer.group import Group, Points, Scalars, concat
from nodealer.proofs import labels, shuffle
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.generators import blinding_generator
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.proofs.shuffle_prover import attack_shuffles, forge_backwards, forge_proof
from nodealer_lab.attacks.shuffle_steps import ShuffleTurn

# --- combine ---

Array = TypeVar("Array", Points, Scalars)


def combine_pairs(inputs: Points) -> Points:
    """Replace each two cards a and b by 2·a − b and 2·b − a. The last card of an odd number stays."""
    two, a, b = inputs.group.integers([2]), *split_pairs(inputs)
    return concat(two * a - b, two * b - a, inputs[-1:]).take(pair_order(len(inputs)))


def combined_weights(numbers: Scalars) -> Scalars:
    """Return the weights that give the combined cards the sum that the original cards have with `numbers`."""
    third, two = numbers.group.integers([3]).invert(), numbers.group.integers([2])
    a, b = split_pairs(numbers)
    each = concat(third * (two * a + b), third * (two * b + a), numbers[-1:])
    return each.take(pair_order(len(numbers)))


def split_pairs(each: Array) -> tuple[Array, Array]:
    """Return the first and the second element of every pair. An unpaired last element is left out."""
    half = len(each) // 2
    return each.take(range(0, 2 * half, 2)), each.take(range(1, 2 * half, 2))


def pair_order(size: int) -> list[int]:
    """Return the order that turns all firsts, all seconds and an unpaired last element into pairs again."""
    half = size // 2
    return [*(place for pair in range(half) for place in (pair, half + pair)), *range(2 * half, size)]


def _forge_combined(step: ShuffleTurn) -> bytes:
    """Pass on sums of two cards, with a proof whose weights add up.

    The attack: cards become sums of two cards. A proof about weighted sums alone, without a permutation, would not
    notice.
    """
    cards = step.after(combine_pairs)
    proof, _ = forge_proof(
        step.transcript(), step.moment.tape, step.relation(cards), step.tie(combined_weights), step.secrets
    )
    return step.message(cards, proof)


COMBINE: Final = attack_shuffles(
    "combine",
    "puts sums of two cards into the deck, with weights that add up",
    ("A17",),
    _forge_combined,
    # The product over all cards: without it, the numbers need not be a permutation.
    RemovedDefence(
        "nodealer.proofs.shuffle:_permutation_equations",
        "Equation.sum((x, o.C_1), (one, o.C_0), (minus_in_C, gens), (-o.s_p_hat, H)),",
    ),
)


# --- shift ---


def _forge_shifted(step: ShuffleTurn) -> bytes:
    """Add d̂_2·P to the first card of each pair and subtract d̂_1·P from the second: Σ d̂_j·out_j stays the same.

    The attack: a deck is changed after its proof was made. Two cards at a time move so that the sum in the proof stays
    the same.
    """
    *others, honest = step.after()
    relation = step.relation((*others, honest))
    proof, d_hat = forge_proof(step.transcript(), step.moment.tape, relation, step.tie(), step.secrets)
    P = step.group.G
    (first, second), (d_1, d_2) = split_pairs(honest), split_pairs(d_hat)
    moved = concat(first + d_2 * P, second - d_1 * P, honest[-1:]).take(pair_order(step.size))
    return step.message((*others, moved), proof)


SHIFT: Final = attack_shuffles(
    "shift",
    "changes two cards after the proof is made, so that its sums stay the same",
    ("A13",),
    _forge_shifted,
    # The decks are part of the challenge. Without them, this is weak Fiat–Shamir.
    RemovedDefence("nodealer.proofs.shuffle:_bind", "transcript.absorb_points(labels.STATEMENT, *relation.statement)"),
)


# --- backwards ---


def _forge_from_the_end(step: ShuffleTurn) -> bytes:
    """Pass on arbitrary points as cards, with a proof that starts from the answers.

    The attack: a proof about points that are not a deck, built from its end, in case the challenge does not depend on
    the commitments.
    """
    *others, last = step.after()
    cards = (*others, step.group.integers(range(5, 5 + step.size)) * last[0])
    return step.message(cards, forge_backwards(step.transcript(), step.moment.tape, step.relation(cards)))


BACKWARDS: Final = attack_shuffles(
    "backwards",
    "knows the challenge, and builds a proof of false cards from its end",
    ("A14",),
    _forge_from_the_end,
    # The last challenge depends on the commitments, for the prover and for the verifier.
    RemovedDefence(
        "nodealer.proofs.shuffle:_read_proof",
        "transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, P[COMMITMENTS:])",
    ),
    RemovedDefence(
        "nodealer.proofs.shuffle:prove", "transcript.absorb_points(labels.COMMITMENT, C[0], C[1], C[2], C[3:])"
    ),
)


# --- cancel ---


def _forge_cancelling(step: ShuffleTurn) -> bytes:
    """Add P to every card, which falsifies one row by x·Σ d_j·P, and the same to the commitment to the products.

    The attack: two false equations that cancel: a batch that adds them with equal weights notices neither.
    """
    *others, honest = step.after()
    P = step.group.G
    cards = (*others, honest + P)

    def extra_terms(d: Scalars, e: Scalars) -> tuple[Points, Points]:
        """Return the false terms that cancel: none for the first row, and Σ d_j·P for the products."""
        return d.group.identity(1), d.sum() * P

    relation = step.relation(cards)
    proof, _ = forge_proof(step.transcript(), step.moment.tape, relation, step.tie(), step.secrets, extra_terms)
    return step.message(cards, proof)


CANCEL: Final = attack_shuffles(
    "cancel",
    "makes two equations false so that their sum is true",
    ("A16",),
    _forge_cancelling,
    # Every equation of a batch has an unpredictable weight.
    RemovedDefence(
        "nodealer.proofs.checks:weights_of",
        'expand("weights", fresh, digest_of(checks), size=WEIGHT_BYTES * rows)',
        '(b"\\1" + bytes(WEIGHT_BYTES - 1)) * rows',
    ),
)


# --- trapdoor ---


def _forge_with_trapdoor(step: ShuffleTurn) -> bytes:
    """Pass on sums of two cards.

    Their weights are chosen when all challenges are known, and the openings of the commitments, all multiples of H, are
    computed to fit.

    The attack: if someone knew a relation between the generators, a commitment could open to anything, and a proof
    could state anything.
    """
    group, m, tape = step.group, step.size, step.moment.tape
    H, cards = blinding_generator(group), step.after(combine_pairs)
    relation, transcript = step.relation(cards), step.transcript()
    shuffle._bind(transcript, relation)
    a, b, e_0, c_0, c_1 = (transcript.nonces(tape, f"log {number}", group, 1) for number in range(5))
    transcript.absorb_points(labels.COMMITMENT, a * H)
    powers = transcript.challenge("xi", group).powers(m)
    transcript.absorb_points(labels.COMMITMENT, b * H)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    D = shuffle._weights(powers, y, z)
    d = step.tie(combined_weights)(D)
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
    _forge_with_trapdoor,
    # The generators are hashes, not known multiples of H.
    RemovedDefence(
        "nodealer.proofs.generators:generators",
        "return hash_to_points(group, labels.GENERATORS, messages)",
        "return group.integers(range(2, count + 2)) * blinding_generator(group)",
    ),
)


# --- loose ---


def _forge_other_secret(step: ShuffleTurn) -> bytes:
    """Use twice the secret, for the cards and for the proof. All rows but that of the key are true.

    The attack: all cards are multiplied by one secret, but not by that of the published key.
    """
    two = step.group.integers([2])
    cards = step.after(lambda points: two * points)
    transcript, tape = step.transcript(), step.moment.tape
    proof, _ = forge_proof(transcript, tape, step.relation(cards), step.tie(), lambda d: two * step.s)
    return step.message(cards, proof)


LOOSE: Final = attack_shuffles(
    "loose",
    "multiplies all cards by a different secret than that of its key",
    ("A7",),
    _forge_other_secret,
    # The key has its own row in the proof.
    RemovedDefence(
        "nodealer.proofs.shuffle:check",
        "*_relation_equations(relation, opened))",
        "*_relation_equations(relation, opened)[:-1])",
    ),
    # Masked cards and offset pairs are not made with one secret.
    only=("lock", "chain", "duel"),
)


# --- neighbours ---


def _forge_neighbours(step: ShuffleTurn) -> bytes:
    """Change all cards, three neighbours at a time. They were neighbours before the shuffle, wherever they lie now.

    The attack: three neighbouring cards get the errors P, −2·P and P. Weights that only count the cards do not notice.
    """
    *others, honest = step.after()
    data, order, P = honest.to_bytes(), list(step.order), step.group.G
    errors = (P, -P - P, P)
    for place in range(step.size - step.size % len(errors)):
        at = order.index(place)
        data = set_at(data, at, (honest[at] + errors[place % len(errors)]).to_bytes())
    cards = (*others, step.group.points(data))
    proof, _ = forge_proof(step.transcript(), step.moment.tape, step.relation(cards), step.tie(), step.secrets)
    return step.message(cards, proof)


NEIGHBOURS: Final = attack_shuffles(
    "neighbours",
    "changes three neighbouring cards so that weights which only count the cards do not notice",
    ("A17",),
    _forge_neighbours,
    # The weights contain powers of a challenge; with zero in its place they only count.
    RemovedDefence(
        "nodealer.proofs.transcript:Transcript.challenge",
        "return self.challenges(label, group, 1)",
        'return group.integers([0]) if label == "xi" else self.challenges(label, group, 1)',
    ),
)


# --- halved ---


def _alternating_factors(group: Group, size: int) -> Scalars:
    """Return 2, 1/2, 2, 1/2 and so on, ending with 1 if the number is odd. Their product is 1."""
    two, one = group.integers([2]), group.integers([1])
    each = concat(two, two.invert(), one)
    return each.take([2 if size % 2 and place == size - 1 else place % 2 for place in range(size)])


def _forge_halved(step: ShuffleTurn) -> bytes:
    """Double and halve cards, and commit to other numbers once ξ is known than before.

    Each power of ξ gets the factor that undoes its card's own. All sums are right then, and so is the product.

    The attack: every second card is doubled and the next one halved. The product over all cards stays the same, so a
    proof that only looks at the product of the powers of ξ, for which the prover can still choose factors, does not
    notice.
    """
    factors = _alternating_factors(step.group, step.size)

    def marked(cards: Points) -> Points:
        """Double or halve each card."""
        return factors * cards

    def undo_factors(numbers: Scalars) -> Scalars:
        """Divide each number by its card's factor."""
        return factors.invert() * numbers

    cards = step.after(marked)
    proof, _ = forge_proof(
        step.transcript(), step.moment.tape, step.relation(cards), step.tie(undo_factors), step.secrets
    )
    return step.message(cards, proof)


HALVED: Final = attack_shuffles(
    "halved",
    "doubles a card and halves another, so that the product stays the same",
    ("A17",),
    _forge_halved,
    # y·π + ξ^π − z: with zero for y and z, the product is over the powers of ξ alone, and no π is bound before ξ.
    RemovedDefence(
        "nodealer.proofs.transcript:Transcript.challenge",
        "return self.challenges(label, group, 1)",
        'return group.integers([0]) if label in ("y", "z") else self.challenges(label, group, 1)',
    ),
    # A multiplied pair of `offset` is still the same card.
    only=("lock", "mask", "chain", "duel"),
)
