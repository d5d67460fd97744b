"""The shuffle argument: what is accepted, and everything that has been tried against it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from nodealer.errors import BadParameter, DecodeError, Malformed, ProofRejected
from nodealer.group import Group, Points, Scalars, concat
from nodealer.group import group as make_group
from nodealer.group.order import order_of
from nodealer.proofs import shuffle
from nodealer.proofs.checks import Check, settle
from nodealer.proofs.generators import commitment_key
from nodealer.proofs.relations import AddMask, OneOffset, OneScalar, Remask
from nodealer.proofs.transcript import Transcript
from nodealer_lab.terms import terms_of
from sampling import times

from . import oracle
from .statements import (
    CONTEXT,
    INPUTS,
    OTHER_CONTEXTS,
    OUTPUTS,
    SHUFFLES,
    Shuffled,
    accepted,
    addmask,
    entropy,
    naturals,
    offset,
    pairs,
    points,
    put,
    scalar,
    scalars,
    swapped,
    tape,
)

pytestmark = pytest.mark.sample(reference=1)

kinds = pytest.mark.parametrize("kind", SHUFFLES)

TERMS = {"pairs": (5, 10), "addmask": (5, 12), "scalar": (3, 10), "offset": (5, 13)}


def count_terms(checks: list[Check], seed: str = "terms") -> int:
    return sum(len(factors) for factors, _ in terms_of(checks, entropy(seed)))


# --- Accepted ---


@kinds
@pytest.mark.parametrize("m", [2, 3, 4, 5, 13])
def test_true_shuffles_verify_with_the_promised_number_of_terms(group: Group, kind: str, m: int) -> None:
    case = SHUFFLES[kind](group, m)
    proof = case.prove()
    check = case.check(proof)
    settle([check], entropy("true"))
    assert all(oracle.equations(case.relation, oracle.opened(case.relation, proof)))
    per_card, rest = TERMS[kind]
    assert count_terms([check]) == per_card * m + rest
    rows = {"pairs": 2, "addmask": 3, "scalar": 2, "offset": 4}[kind]
    secrets = {"pairs": 1, "addmask": 2, "scalar": 1, "offset": 3}[kind]
    assert len(proof) == 1 + 32 * (5 + rows) + 32 * (2 * m + secrets)


@kinds
@pytest.mark.parametrize("m", [52, 53, 100])
def test_real_decks(native: Group, kind: str, m: int) -> None:
    case = SHUFFLES[kind](native, m)
    check = case.check(case.prove())
    settle([check], entropy("deck"))
    per_card, rest = TERMS[kind]
    assert count_terms([check]) == per_card * m + rest


def test_the_proof_of_52_cards_fits_its_size(fast: Group) -> None:
    """3.6 kB, 3.6 kB, 3.6 kB, 3.7 kB."""
    sizes = {kind: len(SHUFFLES[kind](fast, 52).prove()) for kind in SHUFFLES}
    assert sizes == {"pairs": 3585, "addmask": 3649, "scalar": 3585, "offset": 3713}


@pytest.mark.sample(cases=1)
@kinds
def test_ten_thousand_cards(native: Group, kind: str) -> None:
    case = SHUFFLES[kind](native, 10_000)
    proof = case.prove()
    check = case.check(proof)
    settle([check], entropy("large"))
    per_card, rest = TERMS[kind]
    assert count_terms([check]) == per_card * 10_000 + rest
    assert not case.accepts(proof, **{OUTPUTS[kind][0]: swapped(case.public[OUTPUTS[kind][0]], 1, 9_999)})


@kinds
@pytest.mark.parametrize("m", [2, 3, 6])
def test_identity_permutation_is_a_shuffle(group: Group, kind: str, m: int) -> None:
    case = SHUFFLES[kind](group, m, permutation=range(m))
    assert case.accepts(case.prove())


@kinds
def test_every_permutation_of_four_cards(fast: Group, kind: str) -> None:
    for order in itertools.permutations(range(4)):
        case = SHUFFLES[kind](fast, 4, permutation=order)
        assert case.accepts(case.prove())


def test_first_step_of_a_deck_has_identities_in_its_input(group: Group) -> None:
    case = addmask(group, 3, first=True)
    assert case.public["K"].first_identity() == 0
    assert case.accepts(case.prove())


def test_first_step_of_a_rebuild_has_identities_in_its_input(group: Group) -> None:
    honest = pairs(group, 3)
    rho, K = honest.masks, honest.public["K"]
    assert rho is not None
    U, W = group.identity(3), honest.public["W"]
    W_out = W.take(honest.permutation) + rho * K
    proof = honest.prove(U=U, U_out=rho * group.G, W_out=W_out)
    assert honest.accepts(proof, U=U, U_out=rho * group.G, W_out=W_out)


@kinds
def test_both_backends_give_the_same_bytes(native: Group, kind: str) -> None:
    reference = make_group(backend="reference")
    assert SHUFFLES[kind](native, 5).prove() == SHUFFLES[kind](reference, 5).prove()


@kinds
def test_the_second_prover_gives_the_same_bytes(group: Group, kind: str) -> None:
    for m in (2, 3, 5):
        case = SHUFFLES[kind](group, m)
        assert oracle.craft(case) == case.prove()


# --- Refused: sizes ---


@kinds
def test_no_cards_and_one_card(group: Group, kind: str) -> None:
    with pytest.raises(BadParameter, match="at least two cards"):
        SHUFFLES[kind](group, 1, permutation=[0])
    with pytest.raises(BadParameter):
        group.identity(0)
    case = SHUFFLES[kind](group, 2)
    with pytest.raises(BadParameter, match="at least two cards"):
        case.with_public(**{name: case.public[name][:1] for name in (*INPUTS[kind], *OUTPUTS[kind])})


@kinds
def test_decks_of_different_sizes(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 4)
    for name in (*INPUTS[kind], *OUTPUTS[kind]):
        for index in range(4):
            dropped = case.public[name].take([place for place in range(4) if place != index])
            with pytest.raises(BadParameter, match="different sizes"):
                case.with_public(**{name: dropped})
        with pytest.raises(BadParameter, match="different sizes"):
            case.with_public(**{name: concat(case.public[name], points(group, "one more"))})


@kinds
def test_a_proof_for_another_deck_size(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 4)
    decks = (*INPUTS[kind], *OUTPUTS[kind])
    proof = case.prove()
    for index in range(4):
        kept = [place for place in range(4) if place != index]
        with pytest.raises(DecodeError, match="bytes instead of"):
            case.check(proof, **{name: case.public[name].take(kept) for name in decks})
    larger = {name: concat(case.public[name], points(group, f"one more {name}")) for name in decks}
    with pytest.raises(DecodeError, match="bytes instead of"):
        case.check(proof, **larger)


@kinds
def test_the_prover_refuses_what_is_no_permutation(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 3)
    for order in ([0, 0, 1], [0, 1], [0, 1, 2, 3], [1, 2, 3], [-1, 0, 1]):
        with pytest.raises(BadParameter, match="order of"):
            shuffle.prove(CONTEXT.transcript(), tape("x"), case.relation, order_of(order), case.secrets)


# --- Refused: bytes and elements ---


@kinds
def test_each_byte_of_the_proof(fast: Group, kind: str) -> None:
    case = SHUFFLES[kind](fast, 3)
    proof = case.prove()
    # On the slower backend a byte of each element, each time another one.
    step = 1 if fast.backend == "native" else 31
    for at in range(0, len(proof), step):
        changed = bytes([proof[at] ^ (1 << at % 8)])
        assert not case.accepts(proof[:at] + changed + proof[at + 1 :]), at


@kinds
def test_each_byte_of_the_statement(fast: Group, kind: str) -> None:
    case = SHUFFLES[kind](fast, 3)
    proof = case.prove()
    step = 1 if fast.backend == "native" else 13
    for name, array in case.public.items():
        data = array.to_bytes()
        for at in range(0, len(data), step):
            changed = data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :]
            try:
                other = fast.points(changed)
            except DecodeError:
                continue
            assert not case.accepts(proof, **{name: other}), (name, at)


@kinds
def test_lengths_and_version(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 2)
    proof = case.prove()
    for wrong in (b"", proof[:-1], proof + b"\0", proof[1:], proof[:-32], proof + bytes(32)):
        with pytest.raises(DecodeError, match="bytes instead of"):
            case.check(wrong)
    for version in (0, 2, 255):
        with pytest.raises(DecodeError, match=f"version {version} instead of 1"):
            case.check(bytes([version]) + proof[1:])


@kinds
def test_each_element_of_the_proof_set_to_something_special(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 3)
    proof = case.prove()
    relation = case.relation
    boundary = 1 + 32 * (5 + relation.row_count)
    order = group.order
    identity, one_point = bytes(32), group.G.to_bytes()
    not_canonical = [b"\xff" * 32, (2**255 - 19).to_bytes(32, "little"), b"\1" + bytes(31)]
    for at in range(1, len(proof), 32):

        def replaced(by: bytes, at: int = at) -> bytes:
            return proof[:at] + by + proof[at + 32 :]

        if at < boundary:
            for bad in (identity, *not_canonical):
                with pytest.raises(DecodeError, match="malformed"):
                    case.check(replaced(bad))
            with pytest.raises(ProofRejected):
                settle([case.check(replaced(one_point))], entropy("special"))
        else:
            for value in (order, order + 1, 2**256 - 1):
                with pytest.raises(DecodeError, match="malformed"):
                    case.check(replaced(value.to_bytes(32, "little")))
            for value in (0, 1, order - 1):
                with pytest.raises(ProofRejected):
                    settle([case.check(replaced(value.to_bytes(32, "little")))], entropy("special"))


@kinds
def test_each_element_of_the_statement_set_to_something_special(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 3)
    proof = case.prove()
    for name, array in case.public.items():
        for index in range(len(array)):
            for other in (group.identity(1), group.G, -array[index], commitment_key(group, 3)[index]):
                assert not case.accepts(proof, **{name: put(array, index, other)}), (name, index)


@kinds
def test_identity_among_outputs_and_keys_is_named(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 3)
    proof = case.prove()
    for name in OUTPUTS[kind]:
        for index in range(3):
            with pytest.raises(Malformed, match=f"card {index} of the shuffled deck is the identity"):
                case.check(proof, **{name: put(case.public[name], index, group.identity(1))})
    if kind == "pairs":
        with pytest.raises(Malformed, match="the joint key is the identity"):
            case.check(proof, K=group.identity(1))
    elif kind == "offset":
        for key, name in (("R", "R"), ("W", "the commitment to the offset")):
            with pytest.raises(Malformed, match=f"{name} is the identity"):
                case.check(proof, **{key: group.identity(1)})
    else:
        with pytest.raises(Malformed, match="the shuffler's key is the identity"):
            case.check(proof, S=group.identity(1))
    if kind == "addmask":
        with pytest.raises(Malformed, match="the joint key is the identity"):
            case.check(proof, K=-case.public["S"])


# --- Refused: cards ---


@kinds
def test_two_inputs_or_two_outputs_swapped(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 4)
    proof = case.prove()
    for i, j in itertools.combinations(range(4), 2):
        for names in (*((name,) for name in (*INPUTS[kind], *OUTPUTS[kind])), INPUTS[kind], OUTPUTS[kind]):
            changed = {name: swapped(case.public[name], i, j) for name in names}
            assert not case.accepts(proof, **changed)
    decks = {**{i: case.public[o] for i, o in zip(INPUTS[kind], OUTPUTS[kind], strict=True)}}
    back = {o: case.public[i] for i, o in zip(INPUTS[kind], OUTPUTS[kind], strict=True)}
    assert not case.accepts(proof, **decks, **back)


@kinds
@pytest.mark.parametrize("again", [False, True], ids=["old proof", "proven again"])
def test_a_card_doubled_or_replaced_at_every_index(group: Group, kind: str, again: bool) -> None:
    """With the proof of the true deck, and with one that the cheater makes for the false deck."""
    m = 4
    case = SHUFFLES[kind](group, m)
    true_proof = case.prove()

    def refused(**changed: Points) -> None:
        proof = case.prove(**changed) if again else true_proof
        assert not case.accepts(proof, **changed)

    for index in range(m):
        other = (index + 1) % m
        refused(**{name: put(case.public[name], index, case.public[name][other]) for name in OUTPUTS[kind]})
        for name in (*INPUTS[kind], *OUTPUTS[kind]):
            array = case.public[name]
            refused(**{name: put(array, index, array[other])})
            refused(**{name: put(array, index, points(group, "another card"))})
            refused(**{name: put(array, index, scalars(group, "factor") * array[index])})
    # A double that was masked anew, so that no two outputs are equal: the honest work on a false order.
    if case.masks is not None:
        fresh = scalars(group, "fresh mask")
        key = case.public["K"] if kind == "pairs" else case.public["K"] + case.public["S"]
        U, W = case.public["U_out"], case.public["W_out"]
        refused(U_out=put(U, 0, U[1] + fresh * group.G), W_out=put(W, 0, W[1] + fresh * key))


def test_repeated_outputs_are_named_where_cards_are_single_points(group: Group) -> None:
    case = scalar(group, 3)
    with pytest.raises(Malformed, match="twice"):
        case.check(case.prove(), outputs=put(case.public["outputs"], 0, case.public["outputs"][2]))
    case = offset(group, 3)
    for name in OUTPUTS["offset"]:
        with pytest.raises(Malformed, match="twice"):
            case.check(case.prove(), **{name: put(case.public[name], 0, case.public[name][2])})


@kinds
def test_an_output_that_equals_an_input_was_not_masked(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 3)
    columns = list(zip(INPUTS[kind], OUTPUTS[kind], strict=True))
    # In masked pairs only the left half says whether a card was masked; in `offset` either half would show the order.
    columns = columns if kind == "offset" else columns[:1]
    for (deck_in, deck_out), i, j in itertools.product(columns, range(3), range(3)):
        changed = {deck_out: put(case.public[deck_out], j, case.public[deck_in][i])}
        with pytest.raises(Malformed, match=f"card {j} of the shuffled deck is a card of the deck before it"):
            case.check(case.prove(**changed), **changed)


def test_zero_masks_and_the_scalar_one_are_refused_though_proven(group: Group) -> None:
    """The statements are true and the proofs hold: they are refused for what they show."""
    order = order_of([2, 0, 1])
    U, W = points(group, "U", 3), points(group, "W", 3)
    K = scalars(group, "K") * group.G
    bare = Remask(K, U, W, U.take(order), W.take(order))
    proof = shuffle.prove(CONTEXT.transcript(), tape("x"), bare, order, lambda d: group.integers([0]))
    assert all(oracle.equations(bare, oracle.opened(bare, proof)))
    with pytest.raises(Malformed, match="is a card of the deck before it"):
        shuffle.check(CONTEXT.transcript(), bare, proof)
    same = OneScalar(group.G, U, U.take(order))
    proof = shuffle.prove(CONTEXT.transcript(), tape("x"), same, order, lambda d: group.integers([1]))
    assert all(oracle.equations(same, oracle.opened(same, proof)))
    with pytest.raises(Malformed, match="is a card of the deck before it"):
        shuffle.check(CONTEXT.transcript(), same, proof)
    # offset with r = 1: the B column would show the order, whatever the offset.
    w, t = scalars(group, "w"), scalars(group, "t")
    commitment = w * group.G + t * commitment_key(group, 3)[3]
    still = OneOffset(group.G, commitment, U, W, U.take(order) + w * W.take(order), W.take(order))
    secrets = concat(group.integers([1]), w, t)
    proof = shuffle.prove(CONTEXT.transcript(), tape("x"), still, order, lambda d: secrets)
    assert all(oracle.equations(still, oracle.opened(still, proof)))
    with pytest.raises(Malformed, match="is a card of the deck before it"):
        shuffle.check(CONTEXT.transcript(), still, proof)


# --- Refused: other places ---


@kinds
@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_a_proof_fits_nowhere_else(group: Group, kind: str, other: str) -> None:
    case = SHUFFLES[kind](group, 2)
    proof = case.prove()
    with pytest.raises(ProofRejected):
        settle([case.check(proof, OTHER_CONTEXTS[other])], entropy("elsewhere"))


def test_a_proof_of_one_relation_is_none_of_another(group: Group) -> None:
    """pairs and scalar have proofs of one length: the kind in the transcript keeps them apart."""
    proofs = {kind: SHUFFLES[kind](group, 3).prove() for kind in SHUFFLES}
    assert len(proofs["pairs"]) == len(proofs["scalar"])
    for kind, other in itertools.permutations(SHUFFLES, 2):
        assert not SHUFFLES[kind](group, 3).accepts(proofs[other])


def test_addmask_with_a_shuffle_key_folded_into_the_joint_key(group: Group) -> None:
    """pairs under K + S says that no key was added: the same decks, another relation."""
    case = addmask(group, 3)
    p = case.public
    relation = Remask(p["K"] + p["S"], p["U"], p["W"], p["U_out"], p["W_out"])
    order = order_of(case.permutation)
    proof = shuffle.prove(CONTEXT.transcript(), tape("x"), relation, order, lambda d: case.secrets(d)[0])
    assert not accepted(lambda: shuffle.check(CONTEXT.transcript(), relation, proof))


def test_the_seat_and_the_check_are_named(group: Group) -> None:
    case = pairs(group, 2)
    good, bad = case.check(case.prove()), case.check(case.prove(CONTEXT, "other"), OTHER_CONTEXTS["seat"])
    with pytest.raises(ProofRejected) as caught:
        settle([good, bad, good], entropy("names"))
    assert (caught.value.seat, caught.value.check) == (1, "shuffle proof (pairs)")


# --- Refused: shifts that keep every equation (weak Fiat–Shamir, A13) ---


def shifts(case: Shuffled, proof: bytes) -> dict[str, tuple[dict[str, Points], dict[str, Points]]]:
    """Changes of statement and commitments that keep every equation true as long as no challenge moves."""
    o = oracle.opened(case.relation, proof)
    group, D, p = case.group, o.D, case.public
    P = points(group, "shift")
    m = case.relation.size
    found: dict[str, tuple[dict[str, Points], dict[str, Points]]] = {}
    for row, name in enumerate(OUTPUTS[case.name]):
        for i, j in itertools.combinations(range(m), 2):
            moved = put(p[name], i, p[name][i] + o.d_hat[j] * P)
            found[f"{name} {i} against {j}"] = ({name: put(moved, j, p[name][j] - o.d_hat[i] * P)}, {})
        moved = put(p[name], 0, p[name][0] + P)
        found[f"{name} against E{row + 1}"] = ({name: moved}, {f"E{row}": o.E[row] + o.d_hat[0] * P})
    for name in INPUTS[case.name]:
        for i, j in itertools.combinations(range(m), 2):
            moved = put(p[name], i, p[name][i] + D[j] * P)
            found[f"{name} {i} against {j}"] = ({name: put(moved, j, p[name][j] - D[i] * P)}, {})
    for name, deck in zip(INPUTS[case.name], OUTPUTS[case.name], strict=True):
        if case.name == "pairs":
            both = {
                name: put(p[name], 0, p[name][0] + o.d_hat[0] * P),
                deck: put(p[deck], 0, p[deck][0] + o.x * D[0] * P),
            }
            found[f"{name} against {deck}"] = (both, {})
    commitments = {
        "A against B": {"A": o.A + P, "B": o.B - o.y * P},
        "A against C_e": {"A": o.A + P, "C_e": o.C_e - o.x * o.y * P},
        "B against C_e": {"B": o.B + P, "C_e": o.C_e - o.x * P},
        "C_1 against C_0": {"C_1": o.C_1 + P, "C_0": o.C_0 - o.x * P},
    }
    found.update({name: ({}, changed) for name, changed in commitments.items()})
    if case.name == "pairs":
        found["K against E2"] = ({"K": p["K"] + P}, {"E1": o.E[1] - o.secrets[0] * P})
    if case.name == "addmask":
        found["K against E2"] = ({"K": p["K"] + P}, {"E1": o.E[1] - o.secrets[0] * P})
        found["S against E2 and E3"] = ({"S": p["S"] + P}, {"E1": o.E[1] - o.secrets[0] * P, "E2": o.E[2] - o.x * P})
        found["K against S and E3"] = ({"S": p["S"] + P, "K": p["K"] - P}, {"E2": o.E[2] - o.x * P})
    if case.name == "scalar":
        found["S against E2"] = ({"S": p["S"] + P}, {"E1": o.E[1] - o.x * P})
        moved_in = put(p["inputs"], 0, p["inputs"][0] + o.d_hat[0] * P)
        moved_out = put(p["outputs"], 0, p["outputs"][0] + o.secrets[0] * D[0] * P)
        found["inputs against outputs"] = ({"inputs": moved_in, "outputs": moved_out}, {})
    if case.name == "offset":
        r, w, _ = o.secrets
        found["R against E3"] = ({"R": p["R"] + P}, {"E2": o.E[2] - o.x * P})
        found["W against E4"] = ({"W": p["W"] + P}, {"E3": o.E[3] - o.x * P})
        A = put(p["A"], 0, p["A"][0] + o.d_hat[0] * P)
        A_out = put(p["A_out"], 0, p["A_out"][0] + r * D[0] * P)
        found["A against A_out"] = ({"A": A, "A_out": A_out}, {})
        B = put(p["B"], 0, p["B"][0] + o.d_hat[0] * P)
        A_out = put(p["A_out"], 0, p["A_out"][0] + w * D[0] * P)
        B_out = put(p["B_out"], 0, p["B_out"][0] + r * D[0] * P)
        found["B against both outputs"] = ({"B": B, "A_out": A_out, "B_out": B_out}, {})
        A = put(p["A"], 0, p["A"][0] + w * P)
        B = put(p["B"], 0, p["B"][0] - r * P)
        found["A against B"] = ({"A": A, "B": B}, {"E1": o.E[1] + r * r * D[0] * P})
    return found


def rewritten(relation: shuffle.Relation, proof: bytes, changed: dict[str, Points]) -> bytes:
    names = ["A", "B", "C_e", "C_0", "C_1", *(f"E{row}" for row in range(relation.row_count))]
    for name, point in changed.items():
        at = 1 + 32 * names.index(name)
        proof = proof[:at] + point.to_bytes() + proof[at + 32 :]
    return proof


@kinds
def test_shifts_that_keep_every_linear_check(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 3)
    proof = case.prove()
    frozen = oracle.challenges_of(lambda transcript: case.checker(transcript, case.public, proof))
    tried = shifts(case, proof)
    assert len(tried) > 10
    for name, (statement, commitments) in tried.items():
        shifted = rewritten(case.relation, proof, commitments)
        relation = case.with_public(**statement)
        # Were the challenges not hashed from statement and commitments, each of these would pass …
        assert accepted(lambda: shuffle.check(oracle.programmed(frozen), relation, shifted)), name
        # … and they are.
        assert not accepted(lambda: shuffle.check(CONTEXT.transcript(), relation, shifted)), name


# --- Refused: provers that lie ---


def traded(case: Shuffled) -> tuple[Shuffled, oracle.OfScalars]:
    """A false statement: the first card of the output is twice what it should be, the second is half of it. With it the
    d that hides this: it has the right product, and is no permutation of D."""
    two = case.group.integers([2])
    factors = put_first(case.relation.size, concat(two, two.invert()))
    outputs = {name: factors * case.public[name] for name in OUTPUTS[case.name]}
    return replace(case, public={**case.public, **outputs}), lambda d: factors.invert() * d


def mixed(case: Shuffled) -> tuple[Shuffled, oracle.OfScalars]:
    """A false statement: the first two cards of the output, P and Q, are 2·P − Q and 2·Q − P. With it what hides this
    in the a and the b that A and B hold, and so in d: it keeps sums, as y·a + b − z needs, and not products."""
    two, third = case.group.integers([2]), case.group.integers([3]).invert()

    def mixed_deck(deck: Points) -> Points:
        return put(put(deck, 0, two * deck[0] - deck[1]), 1, two * deck[1] - deck[0])

    def hidden(v: Scalars) -> Scalars:
        first, second = third * (two * v[0] + v[1]), third * (v[0] + two * v[1])
        return concat(first, second, *([v[2:]] if len(v) > 2 else []))

    outputs = {name: mixed_deck(case.public[name]) for name in OUTPUTS[case.name]}
    return replace(case, public={**case.public, **outputs}), hidden


def put_first(m: int, first: Scalars) -> Scalars:
    """These scalars and then ones, m in all."""
    return concat(first, first.group.integers([1] * (m - len(first)))) if m > len(first) else first


def places(case: Shuffled) -> Scalars:
    """The honest a."""
    return case.group.integers([place + 1 for place in case.permutation])


def false_proofs(case: Shuffled) -> list[tuple[str, Shuffled, bytes]]:
    """For each equation of the verifier a false statement with a proof that fails this equation alone."""
    group = case.group
    (trade, d), (mixture, hidden) = traded(case), mixed(case)
    crafted = [
        ("(1): d is not what A and B hold", trade, oracle.craft(trade, d=d)),
        ("(2): d is no permutation of D", mixture, oracle.craft(mixture, a=hidden(places(case)), b=hidden)),
    ]

    def changed(**public: Points) -> Shuffled:
        return replace(case, public={**case.public, **public})

    for row, name in enumerate(OUTPUTS[case.name]):
        wrong = changed(**{name: put(case.public[name], 1, case.public[name][1] + points(group, "another card"))})
        crafted.append((f"row {row + 1}: a card of {name} replaced", wrong, oracle.craft(wrong)))
    if case.name == "offset":
        return crafted + untied(case)
    if case.name != "pairs":
        other = scalars(group, "the key that was used")
        inputs = case.public[INPUTS[case.name][0]].take(case.permutation)
        if case.name == "scalar":
            wrong = changed(outputs=other * inputs)
            proof = oracle.craft(wrong, secrets=lambda d: other)
        else:
            assert case.masks is not None
            rho, p = case.masks, case.public
            wrong = changed(W_out=p["W"].take(case.permutation) + other * inputs + rho * (p["K"] + p["S"]))
            proof = oracle.craft(wrong, secrets=lambda d: concat(d.dot(rho), other))
        crafted.append(("last row: another secret than that of S", wrong, proof))
    return crafted


def untied(case: Shuffled) -> list[tuple[str, Shuffled, bytes]]:
    """`offset` with another r than that of R, and with another offset than W holds: each fails one row."""
    assert case.s is not None
    group, p, order = case.group, case.public, case.permutation
    r, x, t = case.s[0], case.s[1], case.s[2]
    A, B, w = p["A"].take(order), p["B"].take(order), r * x
    other_r, other_w = scalars(group, "the r that was used"), r * scalars(group, "the offset that was used")
    moved = {"A_out": other_r * A + w * B, "B_out": other_r * B}
    found = []
    for name, public, secrets in (
        ("row 3: another r than that of R", moved, concat(other_r, w, t)),
        ("row 4: another offset than W holds", {"A_out": r * A + other_w * B}, concat(r, other_w, t)),
    ):
        false = replace(case, public={**p, **public})
        found.append((name, false, oracle.craft(false, secrets=lambda d: secrets)))
    return found


def test_the_offset_cannot_be_untied_from_its_commitment(group: Group) -> None:
    """W for another r, another x or another t, and an R for another r: the deck is right, the statement is not."""
    case = offset(group, 3)
    assert case.s is not None
    r, x, t = case.s[0], case.s[1], case.s[2]
    other, H = scalars(group, "other"), commitment_key(group, 3)[3]
    for changed in (
        {"W": other * x * group.G + t * H},
        {"W": r * other * group.G + t * H},
        {"W": x * group.G + t * H},
        {"W": r * x * group.G + other * H},
        {"W": t * H},
        {"R": other * group.G},
        {"R": other * group.G, "W": other * x * group.G + t * H},
    ):
        assert not case.accepts(case.prove(**changed), **changed)
        for secrets in (concat(r, r * x, t), concat(r, other * x, t), concat(other, other * x, t), case.s):
            forged = oracle.craft(case, relation=case.with_public(**changed), secrets=lambda d: secrets)
            assert not case.accepts(forged, **changed)


def test_the_offset_cannot_be_chosen_after_xi(group: Group) -> None:
    """On known logarithms: some w fits one D for any A column, but W, and so w, is hashed before ξ."""
    m, order = 3, [1, 2, 0]
    case = offset(group, m, permutation=order)
    assert case.s is not None
    r, t, H = case.s[0], case.s[2], commitment_key(group, m)[m]
    a, b, v = (scalars(group, name, m) for name in ("logs of A", "logs of B", "logs of a false A"))
    fixed, D = guess(group, m)
    w = (D.take(order).dot(v) - r * D.dot(a)) * D.dot(b).invert()
    W = w * group.G + t * H
    B = b * group.G
    relation = OneOffset(r * group.G, W, a * group.G, B, v * group.G, r * B.take(order))

    def forge(transcript: object) -> bytes:
        secrets = concat(r, w, t)
        return oracle.craft(case, relation=relation, secrets=lambda d: secrets, transcript=transcript)  # type: ignore[arg-type]

    assert accepted(lambda: shuffle.check(oracle.programmed(fixed), relation, forge(oracle.programmed(fixed))))
    assert not accepted(lambda: shuffle.check(CONTEXT.transcript(), relation, forge(None)))


def test_offset_with_the_columns_exchanged(group: Group) -> None:
    """(B, A) in place of (A, B), in the input, in the output, or in both: another statement."""
    case = offset(group, 3)
    p = case.public
    for changed in (
        {"A": p["B"], "B": p["A"]},
        {"A_out": p["B_out"], "B_out": p["A_out"]},
        {"A": p["B"], "B": p["A"], "A_out": p["B_out"], "B_out": p["A_out"]},
    ):
        assert not case.accepts(case.prove(**changed), **changed)


@kinds
@pytest.mark.parametrize("m", [2, 4])
def test_each_equation_is_needed(group: Group, kind: str, m: int) -> None:
    """Each equation removed from the verifier in turn lets one false proof pass, and only its own."""
    case = SHUFFLES[kind](group, m)
    crafted = false_proofs(case)
    for index, (name, false, proof) in enumerate(crafted):
        check = false.check(proof)
        assert len(check.equations) == len(crafted)
        with pytest.raises(ProofRejected):
            settle([check], entropy(name))
        assert [holds for (holds,) in map(oracle.holds, check.equations)] == [
            other != index for other in range(len(crafted))
        ], name
        assert oracle.equations(false.relation, oracle.opened(false.relation, proof)).index(False) == index
        for dropped in range(len(crafted)):
            assert accepted(lambda: oracle.without(check, dropped)) == (dropped == index), name


def guess(group: Group, m: int) -> tuple[dict[str, Scalars], Scalars]:
    """Challenges that a cheater would have to know in advance, and the weights D that belong to them."""
    known = {name: scalars(group, f"a guess at {name}") for name in ("xi", "y", "z")}
    return known, oracle.weights(**known, m=m)


@kinds
def test_untied_A(group: Group, kind: str) -> None:
    """A that commits to something else than the permutation, which is chosen when ξ is known."""
    case = SHUFFLES[kind](group, 3)
    random_a = scalars(group, "any", 3)
    other_a = places(case).take([1, 0, 2])
    for a in (random_a, other_a, group.integers([1, 1, 1]), group.integers([0, 1, 2])):
        assert not case.accepts(oracle.craft(case, a=a))
        assert not case.accepts(oracle.craft(case, a=a, d=lambda d: d))


@kinds
def test_a_product_over_the_powers_alone_would_leave_A_free(group: Group, kind: str) -> None:
    """y = 0 is that product: then a proof passes whose A holds anything, and π is free until ξ is known."""
    case = SHUFFLES[kind](group, 3)
    zero = {"y": group.integers([0])}
    proof = oracle.craft(case, a=scalars(group, "any", 3), transcript=oracle.programmed(zero))
    assert accepted(lambda: shuffle.check(oracle.programmed(zero), case.relation, proof))
    assert not case.accepts(proof)


@kinds
def test_a_permutation_that_is_chosen_after_the_weights_are_known(group: Group, kind: str) -> None:
    """Why A and B come before what they are tied to: with ξ, y and z known, A and B that hold nothing of π pass."""
    case = SHUFFLES[kind](group, 3)
    fixed, D = guess(group, 3)
    a = scalars(group, "any", 3)
    fitting = D.take(case.permutation) - fixed["y"] * a + fixed["z"]

    def forge(transcript: Transcript | None) -> bytes:
        return oracle.craft(case, a=a, b=lambda b: fitting, transcript=transcript)

    proof = forge(oracle.programmed(fixed))
    assert accepted(lambda: shuffle.check(oracle.programmed(fixed), case.relation, proof))
    # With y and z still to come it is a proof for no statement at all.
    early = {"xi": fixed["xi"]}
    assert not accepted(lambda: shuffle.check(oracle.programmed(early), case.relation, forge(oracle.programmed(early))))
    assert not case.accepts(forge(None))


@kinds
def test_a_false_deck_that_fits_one_D(group: Group, kind: str) -> None:
    """With ξ, y and z known in advance a false deck fits: one output takes up what another lost. With the real ones, or
    with only some of them known, it does not."""
    m = 3
    case = SHUFFLES[kind](group, m)
    fixed, D = guess(group, m)
    d = D.take(case.permutation)
    P = points(group, "moved")
    name = OUTPUTS[kind][-1]
    moved = put(case.public[name], 0, case.public[name][0] + d[1] * P)
    false = {name: put(moved, 1, case.public[name][1] - d[0] * P)}
    relation = case.with_public(**false)

    def passes(known: dict[str, Scalars]) -> bool:
        proof = oracle.craft(case, relation=relation, transcript=oracle.programmed(known))
        return accepted(lambda: shuffle.check(oracle.programmed(known), relation, proof))

    assert passes(fixed)
    for missing in fixed:
        assert not passes({name: value for name, value in fixed.items() if name != missing})
    assert not passes({})


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in SHUFFLES for name in OUTPUTS[kind]])
def test_weights_without_the_powers_of_xi_would_bind_two_sums_only(group: Group, kind: str, name: str) -> None:
    """ξ = 0 leaves D_i = y·i − z: errors X, −2·X, X at three neighbours of the input pass for every y and z."""
    m = 4
    case = SHUFFLES[kind](group, m)
    P, zero = points(group, "error"), {"xi": group.integers([0])}
    deck = case.public[name]
    for place, error in ((0, P), (1, -P - P), (2, P)):
        at = case.permutation.index(place)
        deck = put(deck, at, deck[at] + error)
    false = replace(case, public={**case.public, name: deck})

    def passes(fixed: dict[str, Scalars]) -> bool:
        proof = oracle.craft(false, transcript=oracle.programmed(fixed))
        return accepted(lambda: shuffle.check(oracle.programmed(fixed), false.relation, proof))

    assert passes(zero)
    assert passes({**zero, "y": scalars(group, "another y"), "z": scalars(group, "another z")})
    assert not passes({})
    assert not passes({"xi": scalars(group, "a guess at xi")})


@kinds
def test_a_non_permutation_of_the_right_product_for_one_y_and_z(group: Group, kind: str) -> None:
    """Why B comes before y and z: with those known, A and B can hold a d of the right product for a false deck."""
    m = 3
    case = SHUFFLES[kind](group, m)
    false, cheat = traded(case)
    fixed, D = guess(group, m)
    fitting = cheat(D.take(case.permutation)) - fixed["y"] * places(case) + fixed["z"]
    proof = oracle.craft(false, b=lambda b: fitting, transcript=oracle.programmed(fixed))
    assert accepted(lambda: shuffle.check(oracle.programmed(fixed), false.relation, proof))
    assert not false.accepts(proof)
    assert not false.accepts(oracle.craft(false, b=lambda b: fitting))


def test_the_common_scalar_cannot_be_chosen_after_xi(group: Group) -> None:
    """On known logarithms: s fits one D for any outputs, but S, and so s, is hashed before ξ."""
    m = 3
    u, v = scalars(group, "logs in", m), scalars(group, "logs out", m)
    fixed, D = guess(group, m)
    order = [1, 2, 0]
    s = D.take(order).dot(v) * D.dot(u).invert()
    relation = OneScalar(s * group.G, u * group.G, v * group.G)
    case = scalar(group, m, permutation=order)

    def forge(transcript: object) -> bytes:
        return oracle.craft(case, relation=relation, secrets=lambda d: s, transcript=transcript)  # type: ignore[arg-type]

    assert accepted(lambda: shuffle.check(oracle.programmed(fixed), relation, forge(oracle.programmed(fixed))))
    assert not accepted(lambda: shuffle.check(CONTEXT.transcript(), relation, forge(None)))


def three_verifiers_agree(group: Group, kind: str, m: int, trials: int) -> None:
    """Random changes of points and scalars, proven anew or not: the folded sum, its equations one by one, and the
    equations of docs/spec/shuffle.md give one verdict."""
    case = SHUFFLES[kind](group, m)
    proof = case.prove()
    choose = naturals(f"mutations {kind}", 1 << 64)
    verdicts = {True: 0, False: 0}
    for trial in range(trials):
        changed: dict[str, Points] = {}
        mutated = proof
        what = next(choose) % 4
        if what in (0, 1):
            name = list(case.public)[next(choose) % len(case.public)]
            index = next(choose) % len(case.public[name])
            changed[name] = put(case.public[name], index, points(group, f"mutation {trial}"))
            mutated = case.prove(**changed) if what == 0 else proof
        elif what == 2:
            at = 1 + 32 * (next(choose) % ((len(proof) - 1) // 32))
            boundary = 1 + 32 * (5 + case.relation.row_count)
            new = points(group, f"mutation {trial}") if at < boundary else scalars(group, f"mutation {trial}")
            mutated = proof[:at] + new.to_bytes() + proof[at + 32 :]
        else:
            mutated = case.prove(CONTEXT, f"honest {trial}")
        check = case.check(mutated, **changed)
        relation = case.with_public(**changed)
        unfolded = all(all(oracle.holds(equation)) for equation in check.equations)
        plain = all(oracle.equations(relation, oracle.opened(relation, mutated)))
        folded = accepted(lambda: check)
        assert folded == unfolded == plain
        verdicts[folded] += 1
    assert verdicts[True] > trials // 8 and verdicts[False] > trials // 2


@kinds
def test_folded_and_unfolded_verifiers_agree(fast: Group, kind: str) -> None:
    three_verifiers_agree(fast, kind, 3, times(80, deep=350) if fast.backend == "native" else 25)


@kinds
@pytest.mark.deep
@pytest.mark.parametrize("m", [2, 13, 52])
def test_folded_and_unfolded_verifiers_agree_on_many(native: Group, kind: str, m: int) -> None:
    three_verifiers_agree(native, kind, m, 1000)


# --- Generators ---


def commit_with(patch: pytest.MonkeyPatch, key: Points) -> None:
    """Let prover and verifier of the argument take these generators, the last one for H."""
    patch.setattr(shuffle, "commitment_key", lambda group, count: concat(key[:count], key[len(key) - 1]))
    patch.setattr(shuffle, "generators", lambda group, count: key[:-1])
    patch.setattr(shuffle, "blinding_generator", lambda group: key[len(key) - 1])


@kinds
def test_foreign_generators(group: Group, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = SHUFFLES[kind](group, 3)
    real = commitment_key(group, 3)
    for foreign in (points(group, "foreign", 4), swapped(real, 0, 1), put(real, 3, group.G), put(real, 0, group.G)):
        with monkeypatch.context() as patch:
            commit_with(patch, foreign)
            proof = case.prove()
            assert case.accepts(proof)
        assert not case.accepts(proof)


@kinds
def test_why_nobody_may_know_a_relation_between_generators(
    group: Group, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With G_j = g_j·H one commitment opens to two values, and a false deck is proven (A15)."""
    false, cheat = traded(SHUFFLES[kind](group, 3))
    g, H = scalars(group, "trapdoor", 3), commitment_key(group, 3)[3]
    trapdoored = concat(g * H, H)

    def forge() -> bytes:
        return oracle.craft(false, d=cheat, opening_shift=lambda d: (d - cheat(d)).dot(g))

    with monkeypatch.context() as patch:
        commit_with(patch, trapdoored)
        patch.setattr(oracle, "commitment_key", lambda group, count: trapdoored)
        assert false.accepts(forge())
    assert not false.accepts(forge())


# --- Randomness ---


@kinds
def test_one_statement_always_gives_the_same_bytes(group: Group, kind: str) -> None:
    case = SHUFFLES[kind](group, 3)
    assert case.prove() == case.prove()
    assert case.prove() != case.prove(CONTEXT, "another tape")


# --- Chains ---


def chain(group: Group, m: int, length: int) -> list[Shuffled]:
    """Shuffles by one player after the other, each on the deck object of the one before."""
    K = scalars(group, "joint key") * group.G
    U, W = points(group, "U", m), points(group, "W", m)
    steps = []
    for step in range(length):
        template = pairs(group, m, seed=f"step {step}")
        rho, order = template.masks, template.permutation
        assert rho is not None
        U_out, W_out = U.take(order) + rho * group.G, W.take(order) + rho * K
        public = {"K": K, "U": U, "W": W, "U_out": U_out, "W_out": W_out}
        steps.append(
            Shuffled("pairs", public, template.prover, template.checker, Remask, order, template.secrets, rho, None)
        )
        U, W = U_out, W_out
    return steps


@pytest.mark.parametrize("m", [3, 52])
def test_six_chained_shuffles_share_their_decks(fast: Group, m: int) -> None:
    steps = chain(fast, m, 6)
    checks = [step.check(step.prove()) for step in steps]
    settle(checks, entropy("chain"))
    # Seven decks and the generators once, K and G once, six times A, B, C_e, C_0, C_1, E_1, E_2.
    assert count_terms(checks) == 2 * m * (6 + 1) + (m + 1) + 2 + 6 * 7
    assert sum(count_terms([check]) for check in checks) == 6 * (5 * m + 10)


def test_a_bad_link_of_a_chain_is_found_wherever_it_is(group: Group) -> None:
    steps = chain(group, 2, 3)
    for bad in range(3):
        checks = []
        for index, step in enumerate(steps):
            context = CONTEXT if index != bad else OTHER_CONTEXTS["seat"]
            checks.append(step.check(step.prove(), context))
        with pytest.raises(ProofRejected) as caught:
            settle(checks, entropy("chain"))
        assert caught.value.seat == OTHER_CONTEXTS["seat"].seat


def test_addmask_chain_from_the_first_step(fast: Group) -> None:
    """Add a key, mask and permute, three players, all verified as one."""
    m, group = 5, fast
    K, U, W = group.identity(1), group.identity(m), points(group, "faces", m)
    checks = []
    for player in range(3):
        t = addmask(group, m, seed=f"player {player}")
        rho, s, order = t.masks, t.s, order_of(t.permutation)
        assert rho is not None and s is not None
        S = s * group.G
        U_out, W_out = U.take(order) + rho * group.G, W.take(order) + s * U.take(order) + rho * (K + S)
        relation = AddMask(K, S, U, W, U_out, W_out)
        proof = shuffle.prove(CONTEXT.transcript(), tape(f"{player}"), relation, order, t.secrets)
        checks.append(shuffle.check(CONTEXT.transcript(), relation, proof))
        K, U, W = K + S, U_out, W_out
    settle(checks, entropy("players"))
    # Four decks, the generators, G, and S, K + S and eight points of each proof.
    assert count_terms(checks) == 2 * m * 4 + (m + 1) + 1 + 3 * (2 + 8)
    # The deck really is what the keys open.
    total = group.integers([0])
    for player in range(3):
        s = addmask(group, m, seed=f"player {player}").s
        assert s is not None
        total = total + s
    opened = W - total * U
    size = group.point_size
    cards = {opened.to_bytes()[at : at + size] for at in range(0, m * size, size)}
    faces = points(group, "faces", m).to_bytes()
    assert cards == {faces[at : at + size] for at in range(0, m * size, size)}


def test_a_key_is_one_point(fast: Group) -> None:
    """Two keys would broadcast over the cards, and the statement would be another one than it looks."""
    p, two = points(fast, "deck", 4), points(fast, "keys", 2)
    one, deck = two[0], (p, p, p, p)
    for make in (
        lambda: Remask(two, *deck),
        lambda: AddMask(two, one, *deck),
        lambda: AddMask(one, two, *deck),
        lambda: OneScalar(two, p, p),
        lambda: OneOffset(two, one, *deck),
        lambda: OneOffset(one, two, *deck),
    ):
        with pytest.raises(BadParameter, match="single point"):
            make()
