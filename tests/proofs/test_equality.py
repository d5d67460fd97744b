"""Keys and equal logarithms: what is accepted, and what has been tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from nodealer.errors import BadParameter, DecodeError, Malformed, ProofRejected
from nodealer.group import Group, Points, Scalars, concat, vartime_msm
from nodealer.group import group as make_group
from nodealer.proofs import equality, labels, linear
from nodealer.proofs.checks import Check, Equation, settle
from nodealer.proofs.generators import blinding_generator, commitment_key
from nodealer_lab.terms import terms_of

from . import oracle
from .statements import (
    CONTEXT,
    EACH,
    OTHER_CONTEXTS,
    SIGMAS,
    Case,
    a_base_each,
    a_key_moved,
    a_secret_each,
    accepted,
    entropy,
    keys_joined,
    knowledge,
    one_secret,
    points,
    put,
    scalars,
    sizes,
    swapped,
    tape,
)

pytestmark = pytest.mark.sample(reference=1)

names = pytest.mark.parametrize("name", SIGMAS)
eaches = pytest.mark.parametrize("make", EACH.values(), ids=EACH.keys())


@names
@pytest.mark.parametrize("m", [1, 2, 3, 13])
def test_true_statements(group: Group, name: str, m: int) -> None:
    case = SIGMAS[name](group, m)
    proof = case.prove()
    settle([case.check(proof)], entropy("true"))
    count, responses = sizes(case, proof)
    assert len(proof) == 1 + 32 * count + 32 * responses


@pytest.mark.parametrize(
    ("name", "per_card", "rest"),
    [
        ("knowledge", 2, 1),
        ("one secret", 2, 4),
        ("a secret each", 4, 6),
        ("a base each", 5, 5),
        ("a key moved", 4, 7),
        ("keys joined", 3, 8),
        ("linear", 5, 4),
    ],
)
def test_costs(group: Group, name: str, per_card: int, rest: int) -> None:
    """Terms of the verifier's one multiplication, as docs/spec/proofs.md says."""
    for m in (2, 5):
        case = SIGMAS[name](group, m)
        terms = terms_of([case.check(case.prove())], entropy("terms"))
        assert sum(len(factors) for factors, _ in terms) == per_card * m + rest


@names
def test_large_arrays(native: Group, name: str) -> None:
    case = SIGMAS[name](native, 500)
    proof = case.prove()
    assert case.accepts(proof)
    for field, array in case.public.items():
        at = len(array) - 1
        assert not case.accepts(proof, **{field: put(array, at, array[at] + native.G)})


@names
def test_both_backends_give_the_same_bytes(native: Group, name: str) -> None:
    assert SIGMAS[name](native, 4).prove() == SIGMAS[name](make_group(backend="reference"), 4).prove()


# --- Bytes, elements, places ---


@names
def test_each_byte_of_proof_and_statement(group: Group, name: str) -> None:
    case = SIGMAS[name](group, 2)
    proof = case.prove()
    step = 1 if group.backend == "native" else 7
    for at in range(0, len(proof), step):
        assert not case.accepts(proof[:at] + bytes([proof[at] ^ (1 << at % 8)]) + proof[at + 1 :]), at
    for field, array in case.public.items():
        data = array.to_bytes()
        for at in range(0, len(data), step):
            try:
                other = group.points(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
            except DecodeError:
                continue
            assert not case.accepts(proof, **{field: other}), (field, at)


@names
def test_each_element_set_to_something_special(group: Group, name: str) -> None:
    case = SIGMAS[name](group, 2)
    proof = case.prove()
    count, _ = sizes(case, proof)
    boundary = 1 + 32 * count
    order = group.order
    for at in range(1, len(proof), 32):

        def replaced(by: bytes, at: int = at) -> bytes:
            return proof[:at] + by + proof[at + 32 :]

        if at < boundary:
            malformed = [bytes(32), b"\xff" * 32, b"\1" + bytes(31), (2**255 - 19).to_bytes(32, "little")]
            wrong = [group.G.to_bytes()]
        else:
            malformed = [value.to_bytes(32, "little") for value in (order, order + 1, 2**256 - 1)]
            wrong = [value.to_bytes(32, "little") for value in (0, 1, order - 1)]
        for bad in malformed:
            with pytest.raises(DecodeError, match="malformed"):
                case.check(replaced(bad))
        for bad in wrong:
            with pytest.raises(ProofRejected):
                settle([case.check(replaced(bad))], entropy("special"))
    for field, array in case.public.items():
        for index in range(len(array)):
            for other in (group.identity(1), group.G, -array[index]):
                assert not case.accepts(proof, **{field: put(array, index, other)}), (field, index)


@names
def test_lengths_and_version(group: Group, name: str) -> None:
    case = SIGMAS[name](group, 2)
    proof = case.prove()
    for wrong in (b"", proof[:-1], proof + b"\0", proof[:-32], proof + bytes(32)):
        with pytest.raises(DecodeError, match="bytes instead of"):
            case.check(wrong)
    with pytest.raises(DecodeError, match="version 0 instead of 1"):
        case.check(b"\0" + proof[1:])


@names
@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_a_proof_fits_nowhere_else(group: Group, name: str, other: str) -> None:
    case = SIGMAS[name](group, 2)
    with pytest.raises(ProofRejected) as caught:
        settle([case.check(case.prove(), OTHER_CONTEXTS[other])], entropy("elsewhere"))
    assert caught.value.seat == OTHER_CONTEXTS[other].seat


@names
def test_two_elements_swapped(group: Group, name: str) -> None:
    case = SIGMAS[name](group, 3)
    proof = case.prove()
    arrays = {field: array for field, array in case.public.items() if len(array) == 3}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for field, array in arrays.items():
            assert not case.accepts(proof, **{field: swapped(array, i, j)})
        # The same statement in another order is another statement.
        assert not case.accepts(proof, **{field: swapped(array, i, j) for field, array in arrays.items()})


@names
def test_a_prover_on_a_false_statement(group: Group, name: str) -> None:
    case = SIGMAS[name](group, 3)
    for field, array in case.public.items():
        for index in range(len(array)):
            changed = {field: put(array, index, points(group, "false"))}
            assert not case.accepts(case.prove(**changed), **changed)


# --- Each row is needed ---


@pytest.mark.parametrize("name", ["knowledge", "linear"])
def test_each_row_of_each_equation_is_needed(group: Group, name: str) -> None:
    """A verifier that forgets the i-th row of the k-th equation believes the false statement made for that row."""
    m = 3
    case = SIGMAS[name](group, m)
    images = {"knowledge": ["keys"], "linear": ["image", "P", "Q"]}[name]
    for dropped, field in enumerate(images):
        array = case.public[field]
        for row in range(len(array)):
            false = {field: put(array, row, points(group, "of unknown logarithm"))}
            check = case.check(case.prove(**false), **false)
            assert len(check.equations) == len(images)
            verdicts = [oracle.holds(equation) for equation in check.equations]
            assert [(k, i) for k, rows in enumerate(verdicts) for i, ok in enumerate(rows) if not ok] == [
                (dropped, row)
            ]
            assert not accepted(lambda: check)
            if len(array) == 1 or len(images) > 1:
                assert accepted(lambda: oracle.without(check, dropped))
            if len(array) > 1:
                assert accepted(lambda: oracle.without_row(check, dropped, row))
                assert not accepted(lambda: oracle.without_row(check, dropped, (row + 1) % m))


@eaches
def test_every_row_of_a_secret_each_is_needed(group: Group, make: Callable[..., Case]) -> None:
    """(2) holds the keys, (3) the images; each of them off at each place fails its own row alone."""
    m = 3
    case = make(group, m)
    for dropped, field in ((1, "keys"), (1, "less"), (2, "images")):
        for row in range(len(case.public.get(field, ()))):
            false = {field: put(case.public[field], row, points(group, f"another {field}"))}
            check = case.check(case.prove(**false), **false)
            assert [holds for (holds,) in map(oracle.holds, check.equations)] == [
                index != dropped for index in range(3)
            ]
            assert not accepted(lambda: check)
            assert [accepted(lambda: oracle.without(check, index)) for index in range(3)] == [
                index == dropped for index in range(3)
            ]


def test_both_rows_of_one_secret_are_needed(group: Group) -> None:
    case = one_secret(group, 3)
    falsities = [
        {"Z": points(group, "another key")},
        {"images": put(case.public["images"], 1, points(group, "another image"))},
    ]
    for index, false in enumerate(falsities):
        check = case.check(case.prove(**false), **false)
        assert not accepted(lambda: check)
        assert accepted(lambda: oracle.without(check, index))
        assert not accepted(lambda: oracle.without(check, 1 - index))


#: For each public element of a statement of one card: the commitment of its row, and what multiplies it there.
PLACES: dict[str, dict[str, tuple[int, str]]] = {
    "knowledge": {"keys": (0, "-c")},
    "one secret": {"Z": (0, "-c"), "bases": (1, "zw"), "images": (1, "-cw")},
    "a secret each": {"base": (2, "zw"), "keys": (2, "-cw"), "bases": (3, "zw"), "images": (3, "-cw")},
    "a base each": {"base": (2, "zw"), "keys": (2, "-cw"), "bases": (3, "zw"), "images": (3, "-cw")},
    "a key moved": {
        "base": (2, "zw"),
        "keys": (2, "-cw"),
        "less": (2, "+cw"),
        "bases": (3, "zw"),
        "images": (3, "-cw"),
    },
    "keys joined": {
        "base": (2, "zw"),
        "keys": (2, "-cw"),
        "less": (2, "+cw"),
        "bases": (3, "zw"),
        "images": (3, "-cw"),
    },
    "linear": {"X": (0, "z"), "Y": (0, "z1"), "image": (0, "-c"), "P": (1, "-c"), "Q": (2, "-c")},
}


@names
def test_no_element_can_be_solved_for_after_the_challenge(group: Group, name: str) -> None:
    """A13: were an element not hashed, a cheater could spoil a commitment, see the challenge, and mend the element."""
    case = SIGMAS[name](group, 1)
    assert set(PLACES[name]) == set(case.public)
    # Two answers with one nonce give the secrets away (which is why the proof is sound), and then the nonces.
    c = scalars(group, "two challenges", 2)
    answers = [case.prover(oracle.programmed({labels.CHALLENGE: c[i]}), tape("x"), case.public) for i in (0, 1)]
    boundary = 1 + 32 * sizes(case, answers[0])[0]
    assert answers[0][:boundary] == answers[1][:boundary]
    first, second = (group.scalars(answer[boundary:]) for answer in answers)
    secrets = (first - second) * (c[0] - c[1]).invert()
    nonces, T = first - c[0] * secrets, group.points(answers[0][1:boundary])
    P = points(group, "spoilt")
    for field, (row, factor) in PLACES[name].items():
        spoilt = b"\1" + put(T, row, T[row] + P).to_bytes()
        frozen = oracle.challenges_of(lambda t: case.checker(t, case.public, spoilt + first.to_bytes()))
        z = frozen[labels.CHALLENGE] * secrets + nonces
        signed = {"-": -frozen[labels.CHALLENGE], "+": frozen[labels.CHALLENGE], "z": z[1 if factor == "z1" else 0]}
        multiple = signed[factor[0]]
        multiple = multiple * frozen[labels.WEIGHTS] if factor[-1] == "w" else multiple
        mended = {field: case.public[field] + multiple.invert() * P}
        proof = spoilt + z.to_bytes()
        assert accepted(lambda: case.checker(oracle.programmed(frozen), {**case.public, **mended}, proof)), field
        assert not case.accepts(proof, **mended), field


# --- One secret: the fold ---


@pytest.mark.parametrize("make", [one_secret, *EACH.values()])
def test_two_false_images_that_cancel_under_known_weights(group: Group, make: Callable[..., Case]) -> None:
    """Weights that do not depend on the images let two errors cancel. The real ones do depend on them."""
    case = make(group, 3)
    guessed = scalars(group, "guessed weights", 3)
    P = points(group, "error")
    images = case.public["images"]
    false = put(put(images, 0, images[0] + guessed[2] * P), 2, images[2] - guessed[0] * P)
    fixed = {labels.WEIGHTS: guessed}
    changed = {**case.public, "images": false}
    proof = case.prover(oracle.programmed(fixed), tape("x"), changed)
    assert accepted(lambda: case.checker(oracle.programmed(fixed), changed, proof))
    assert not case.accepts(proof, images=false)
    assert not case.accepts(case.prove(images=false), images=false)


#: The arrays of each statement that have a point for every secret.
ARRAYS = {
    "one secret": ["images", "bases"],
    "a secret each": ["images", "bases", "keys"],
    "a base each": ["images", "bases", "keys", "base"],
    "a key moved": ["images", "bases", "keys"],
    "keys joined": ["images", "less"],
}


@pytest.mark.parametrize(("name", "field"), [(name, field) for name, fields in ARRAYS.items() for field in fields])
def test_shifts_that_keep_the_folded_rows(group: Group, name: str, field: str) -> None:
    """A13: two points of an array moved against each other under known weights. The moved statement has others."""
    case = SIGMAS[name](group, 2)
    array, proof = case.public[field], case.prove()
    frozen = oracle.challenges_of(lambda t: case.checker(t, case.public, proof))
    P = points(group, "error")
    factors = frozen[labels.WEIGHTS]
    if field in ("bases", "base") and case.name != "one secret":
        factors = factors * group.scalars(proof[-96:-32])
    shifted = put(put(array, 0, array[0] + factors[1] * P), 1, array[1] - factors[0] * P)
    changed = {**case.public, field: shifted}
    assert accepted(lambda: case.checker(oracle.programmed(frozen), changed, proof))
    assert not case.accepts(proof, **{field: shifted})


def test_the_key_in_a_row_of_its_own(group: Group) -> None:
    """Folded in with the rest, (G, Z) binds nothing: on known logarithms the key can be off, and the bases make up
    for it. The folded verifier is written out here; ours has the row apart and refuses."""
    z, logs = scalars(group, "z"), scalars(group, "logs", 2)
    w = scalars(group, "weights of a verifier that folds the key in", 3)
    bases = logs * group.G
    # Z is off by ε, image 0 by −ε·w_Z/w_0, both times G.
    epsilon = scalars(group, "epsilon")
    Z = z * group.G + epsilon * group.G
    images = z * bases
    images = put(images, 0, images[0] - epsilon * w[2] * w[0].invert() * group.G)
    folded_base = vartime_msm(w, concat(bases, group.G))
    folded_image = vartime_msm(w, concat(images, Z))
    assert folded_image == z * folded_base
    case = one_secret(group, 2)
    proof = equality.prove_equality(CONTEXT.transcript(), tape("x"), Z, bases, images, z)
    assert not case.accepts(proof, Z=Z, bases=bases, images=images)


def solved(group: Group, w: Scalars) -> tuple[dict[str, Points], Scalars]:
    """A false statement on known logarithms, keys and images both, and secrets that fit it for these weights."""
    m = 4
    base, logs, keys, images = (
        scalars(group, name, m) for name in ("logs of B", "logs of X", "logs of K", "logs of Y")
    )
    public = {"base": base * group.G, "keys": keys * group.G, "bases": logs * group.G, "images": images * group.G}
    # Σ w_i·s_i·B_i = Σ w_i·K_i and Σ w_i·s_i·X_i = Σ w_i·Y_i: two equations for the last two of the secrets.
    free = scalars(group, "any secrets", m - 2)
    known = w[: m - 2] * free
    right = [w.dot(keys) - known.dot(base[: m - 2]), w.dot(images) - known.dot(logs[: m - 2])]
    (a, b), (c, d) = ((w[i] * base[i], w[i] * logs[i]) for i in (2, 3))
    over = (a * d - b * c).invert()
    return public, concat(free, over * (d * right[0] - c * right[1]), over * (a * right[1] - b * right[0]))


def test_the_secrets_are_committed_before_the_weights(group: Group) -> None:
    """Free until the weights are known, the secrets can be solved for: then false keys and false images pass."""
    w = scalars(group, "guessed weights", 4)
    public, secrets = solved(group, w)
    each, fixed = equality.ManyEqualities(**public), {labels.WEIGHTS: w}
    case = a_base_each(group, 4)
    proof = equality.prove_many_equalities(oracle.programmed(fixed), tape("x"), each, secrets)
    assert accepted(lambda: equality.check_many_equalities(oracle.programmed(fixed), each, proof))
    assert not case.accepts(proof, **public)
    assert not case.accepts(equality.prove_many_equalities(CONTEXT.transcript(), tape("x"), each, secrets), **public)


def test_the_rows_are_for_what_is_committed(group: Group) -> None:
    """A verifier without (1) lets a prover commit to anything, and solve for the secrets when the weights are there."""
    case = a_base_each(group, 4)
    public, _ = solved(group, scalars(group, "any weights", 4))
    each, key = equality.ManyEqualities(**public), commitment_key(group, 4)
    transcript = CONTEXT.transcript()
    each.bind(transcript)
    C = scalars(group, "commits to nothing") * group.G
    w = equality._draw_weights(transcript, C, 4)
    _, secrets = solved(group, w)
    k = scalars(group, "nonces", 5)
    T = [vartime_msm(k, key), *(vartime_msm(w * k[:4], public[name]) for name in ("base", "bases"))]
    c = equality._draw_challenge(transcript, group, concat(*T))
    proof = b"\1" + concat(C, *T).to_bytes() + (c * concat(secrets, scalars(group, "r")) + k).to_bytes()
    check = case.check(proof, **public)
    assert [holds for (holds,) in map(oracle.holds, check.equations)] == [False, True, True]
    assert accepted(lambda: oracle.without(check, 0))
    assert not accepted(lambda: check)


def test_why_nobody_may_know_a_relation_between_the_generators(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    """With G_i = g_i·H a commitment to anything opens to the secrets that are solved for later."""
    g, H = scalars(group, "trapdoor", 4), blinding_generator(group)
    case = a_base_each(group, 4)
    public, _ = solved(group, scalars(group, "any weights", 4))
    each = equality.ManyEqualities(**public)

    def forge(key: Points) -> bytes:
        transcript = CONTEXT.transcript()
        each.bind(transcript)
        total = scalars(group, "logarithm of C")
        w = equality._draw_weights(transcript, total * H, 4)
        _, secrets = solved(group, w)
        k = scalars(group, "nonces", 5)
        T = [vartime_msm(k, key), *(vartime_msm(w * k[:4], public[name]) for name in ("base", "bases"))]
        c = equality._draw_challenge(transcript, group, concat(*T))
        opened = concat(secrets, total - g.dot(secrets))
        return b"\1" + concat(total * H, *T).to_bytes() + (c * opened + k).to_bytes()

    with monkeypatch.context() as patch:
        patch.setattr(equality, "generators", lambda group, count: g * H)
        assert case.accepts(forge(concat(g * H, H)), **public)
    assert not case.accepts(forge(commitment_key(group, 4)), **public)


def test_the_extractor_of_a_secret_each(group: Group) -> None:
    """Two answers on the same commitments open C, and what they open satisfies every key and every image."""
    for make in EACH.values():
        case = make(group, 3)
        c = scalars(group, "two challenges", 2)
        answers = [case.prover(oracle.programmed({labels.CHALLENGE: c[i]}), tape("x"), case.public) for i in (0, 1)]
        boundary = 1 + 4 * 32
        assert answers[0][:boundary] == answers[1][:boundary]
        first, second = (group.scalars(answer[boundary:]) for answer in answers)
        opened = (first - second) * (c[0] - c[1]).invert()
        C, s, p = group.points(answers[0][1:33]), opened[:3], case.public
        assert vartime_msm(opened, commitment_key(group, 3)) == C
        keys = p["keys"] - p["less"] if "less" in p else p["keys"]
        assert s * p["bases"] == p["images"] and s * p["base"] == keys


@eaches
def test_the_blindings_of_a_secret_each(group: Group, make: Callable[..., Case]) -> None:
    """Where r is missing C is a test for a guess of the secrets; where k_r is, r̂ gives r, and C is one again."""
    case = make(group, 2)
    c = scalars(group, "two challenges", 2)
    answers = [case.prover(oracle.programmed({labels.CHALLENGE: c[i]}), tape("x"), case.public) for i in (0, 1)]
    first, second = (group.scalars(answer[1 + 4 * 32 :]) for answer in answers)
    opened = (first - second) * (c[0] - c[1]).invert()
    nonces, key = first - c[0] * opened, commitment_key(group, 2)
    C = group.points(answers[0][1:33])
    guessed = vartime_msm(opened[:2], key[:2])
    assert guessed != C and guessed + opened[2] * key[2] == C
    assert opened.first_zero() is None and nonces.first_zero() is None
    assert first[2] * c[0].invert() != opened[2]


def test_wrong_lengths_and_identities(group: Group) -> None:
    case = one_secret(group, 3)
    proof, p = case.prove(), case.public
    for field in ("bases", "images"):
        with pytest.raises(BadParameter, match="bases and"):
            case.check(proof, **{field: p[field][:2]})
        with pytest.raises(Malformed, match=f"{field[:-1]} 1 is the identity"):
            case.check(proof, **{field: put(p[field], 1, group.identity(1))})
    with pytest.raises(BadParameter, match="2 keys"):
        case.check(proof, Z=concat(p["Z"], p["Z"]))
    with pytest.raises(Malformed, match="key 0 is the identity"):
        case.check(proof, Z=group.identity(1))
    fewer = {field: p[field][:2] for field in ("bases", "images")}
    assert not case.accepts(proof, **fewer)
    more = {field: concat(p[field], p[field][0]) for field in ("bases", "images")}
    assert not case.accepts(proof, **more)


def test_different_secrets_given_to_the_proof_of_one(group: Group) -> None:
    """A true statement of "a secret each" is false for "one secret", whatever secret its prover takes."""
    secrets, bases = scalars(group, "secrets", 3), points(group, "bases", 3)
    p = {"base": group.G, "keys": secrets * group.G, "bases": bases, "images": secrets * bases}
    each = a_secret_each(group, 3)
    proof = equality.prove_many_equalities(CONTEXT.transcript(), tape("x"), equality.ManyEqualities(**p), secrets)
    assert each.accepts(proof, **p)
    for index in range(3):
        proof = equality.prove_equality(
            CONTEXT.transcript(), tape("x"), p["keys"][index], p["bases"], p["images"], secrets[index]
        )
        check = equality.check_equality(CONTEXT.transcript(), p["keys"][index], p["bases"], p["images"], proof)
        assert not accepted(lambda: check)


# --- A secret each ---


def test_each_wrong_lengths_and_identities(group: Group) -> None:
    case = a_secret_each(group, 3)
    proof, p = case.prove(), case.public
    with pytest.raises(Malformed, match="base of the keys 0 is the identity"):
        case.check(proof, base=group.identity(1))
    with pytest.raises(BadParameter, match="points for"):
        case.check(proof, base=p["bases"][:2])
    with pytest.raises(BadParameter, match="points for"):
        case.check(proof, less=p["bases"][:2])
    for field in ("keys", "bases", "images"):
        with pytest.raises(BadParameter, match="points for"):
            case.check(proof, **{field: p[field][:2]})
        with pytest.raises(Malformed, match=f"{field[:-1]} 2 is the identity"):
            case.check(proof, **{field: put(p[field], 2, group.identity(1))})


@pytest.mark.parametrize("make", [a_key_moved, keys_joined])
def test_a_key_that_did_not_change(group: Group, make: Callable[..., Case]) -> None:
    case = make(group, 3)
    for index in range(3):
        key = case.public["keys"][index % len(case.public["keys"])]
        less = put(concat(*[case.public["less"]] * 3)[:3], index, key)
        with pytest.raises(Malformed, match=f"key {index} did not change"):
            case.check(case.prove(), less=less)
        # One point that is taken off all of them.
        with pytest.raises(Malformed, match=f"key {index % len(case.public['keys'])} did not change"):
            case.check(case.prove(), less=key)


def test_a_base_each_wrong_lengths_and_identities(group: Group) -> None:
    """One base for all, or one for each key; nothing between."""
    case = a_base_each(group, 3)
    proof, p = case.prove(), case.public
    for wrong in (p["base"][:2], concat(p["base"], group.G)):
        with pytest.raises(BadParameter, match="points for"):
            case.check(proof, base=wrong)
    for index in range(3):
        with pytest.raises(Malformed, match=f"base of the keys {index} is the identity"):
            case.check(proof, base=put(p["base"], index, group.identity(1)))
    # One base, or the same one three times: as statements they are two.
    same = concat(*[p["base"][0]] * 3)
    secrets = scalars(group, "each ", 3)
    proof = case.prove(base=same, keys=secrets * same)
    assert case.accepts(proof, base=same, keys=secrets * same)
    assert not case.accepts(proof, base=p["base"][0], keys=secrets * same)


def test_bases_exchanged_between_cards(group: Group) -> None:
    """Each key is over its own base: two bases, or two whole columns, exchanged are another statement."""
    case = a_base_each(group, 3)
    proof, p = case.prove(), case.public
    for changed in (
        {"base": swapped(p["base"], 0, 1)},
        {"base": swapped(p["base"], 0, 1), "keys": swapped(p["keys"], 0, 1)},
        {"base": p["bases"], "bases": p["base"]},
        {"base": p["bases"], "bases": p["base"], "keys": p["images"], "images": p["keys"]},
    ):
        assert not case.accepts(proof, **changed)
    # The last of them is true, and has a proof of its own.
    turned = {"base": p["bases"], "bases": p["base"], "keys": p["images"], "images": p["keys"]}
    assert case.accepts(case.prove(**turned), **turned)
    # The first is false, whoever proves it.
    false = {"base": swapped(p["base"], 0, 1)}
    assert not case.accepts(case.prove(**false), **false)


@eaches
def test_images_whose_sum_is_right(group: Group, make: Callable[..., Case]) -> None:
    """Errors that cancel in the plain sum do not cancel in the weighted one."""
    case = make(group, 2)
    proof = case.prove()
    frozen = oracle.challenges_of(lambda t: case.checker(t, case.public, proof))
    P = points(group, "error")
    images = case.public["images"]
    shifted = put(put(images, 0, images[0] + P), 1, images[1] - P)
    changed = {**case.public, "images": shifted}
    assert not accepted(lambda: case.checker(oracle.programmed(frozen), changed, proof))
    assert not case.accepts(proof, images=shifted)


# --- Knowledge ---


def test_rogue_key(group: Group) -> None:
    """A25: the last key is made so that the sum is known. Nobody can prove knowledge of it."""
    victim = knowledge(group, 1)
    mine = scalars(group, "what I want the joint key to be")
    rogue = mine * group.G - victim.public["keys"]
    proof = equality.prove_knowledge(CONTEXT.transcript(), tape("x"), rogue, mine)
    assert not victim.accepts(proof, keys=rogue)


def test_copied_key_and_proof(group: Group) -> None:
    """A26: the victim's key with the victim's proof at another seat."""
    victim = knowledge(group, 1)
    proof = victim.prove()
    assert victim.accepts(proof)
    assert not victim.accepts(proof, OTHER_CONTEXTS["seat"])


def test_identity_key(group: Group) -> None:
    case = knowledge(group, 3)
    for index in range(3):
        with pytest.raises(Malformed, match=f"key {index} is the identity"):
            case.check(case.prove(), keys=put(case.public["keys"], index, group.identity(1)))


def test_a_proof_of_one_kind_is_none_of_another(group: Group) -> None:
    """On one card "one secret" and the linear relation of two rows have proofs of one length."""
    s, base = scalars(group, "s"), points(group, "base")
    Z, image = s * group.G, s * base
    rows = (linear.LinearRow(Z, ((0, group.G),)), linear.LinearRow(image, ((0, base),)))
    statement = linear.Statement("two rows", (1,), rows)
    proofs = [
        equality.prove_equality(CONTEXT.transcript(), tape("x"), Z, base, image, s),
        linear.prove(CONTEXT.transcript(), tape("x"), statement, [s]),
    ]
    checkers: list[Callable[[bytes], Check]] = [
        lambda proof: equality.check_equality(CONTEXT.transcript(), Z, base, image, proof),
        lambda proof: linear.check(CONTEXT.transcript(), statement, proof),
    ]
    assert len(set(map(len, proofs))) == 1
    for i, proof in enumerate(proofs):
        for j, checker in enumerate(checkers):
            assert accepted(lambda: checker(proof)) == (i == j)


def test_what_is_taken_off_is_part_of_the_statement(group: Group) -> None:
    """A key moved from nothing, from itself doubled, or with old and new exchanged: all other statements."""
    case = a_key_moved(group, 3)
    proof, p = case.prove(), case.public
    without = {field: array for field, array in p.items() if field != "less"}
    assert not accepted(
        lambda: equality.check_many_equalities(CONTEXT.transcript(), equality.ManyEqualities(**without), proof)
    )
    for changed in ({"less": p["less"] + p["less"]}, {"less": p["keys"], "keys": p["less"]}, {"less": p["base"]}):
        assert not case.accepts(proof, **changed)
        assert not case.accepts(case.prove(**changed), **changed)
    # The same differences under other keys are true, and have a proof of their own.
    moved = {"less": p["less"] + group.G, "keys": p["keys"] + group.G}
    assert not case.accepts(proof, **moved)
    assert case.accepts(case.prove(**moved), **moved)


# --- Simulator ---


def _simulated(case: Case, c: Scalars) -> bytes:
    """Responses first, then the commitments that fit them and a challenge known in advance."""
    group = case.group
    p = case.public
    if case.name == "knowledge":
        r = scalars(group, "responses", len(p["keys"]))
        return b"\1" + (r * group.G - c * p["keys"]).to_bytes() + r.to_bytes()
    if case.name in EACH:
        m, C = len(p["images"]), scalars(group, "C") * group.G
        r = scalars(group, "responses", m + 1)
        transcript = CONTEXT.transcript()
        equality.ManyEqualities(**p).bind(transcript)
        w = equality._draw_weights(transcript, C, m)
        keys = p["keys"] - p["less"] if "less" in p else p["keys"]
        T_K = ((w * r[:m]) * p["base"] - (c * w) * keys).sum()
        T_Y = ((w * r[:m]) * p["bases"] - (c * w) * p["images"]).sum()
        T_C = vartime_msm(r, commitment_key(group, m)) - c * C
        return b"\1" + concat(C, T_C, T_K, T_Y).to_bytes() + r.to_bytes()
    assert case.name == "one secret"
    r = scalars(group, "responses")
    w = oracle.challenges_of(lambda t: equality._folding_weights(t, *p.values()))[labels.WEIGHTS]
    T = concat(r * group.G - c * p["Z"], r * vartime_msm(w, p["bases"]) - c * vartime_msm(w, p["images"]))
    return b"\1" + T.to_bytes() + r.to_bytes()


@pytest.mark.parametrize("name", ["knowledge", "one secret", *EACH])
def test_the_simulator_needs_no_witness(group: Group, name: str) -> None:
    """Neither for a true statement nor for a false one."""
    case = SIGMAS[name](group, 2)
    c = scalars(group, "programmed")
    field = "keys" if name == "knowledge" else "images"
    false = replace(case, public={**case.public, field: put(case.public[field], 1, points(group, "false"))})
    for simulated in (case, false):
        proof = _simulated(simulated, c)
        assert accepted(lambda: case.checker(oracle.programmed({labels.CHALLENGE: c}), simulated.public, proof))
        assert not simulated.accepts(proof)
        assert len(proof) == len(case.prove())


def test_folded_and_unfolded_agree_on_shared_and_single_arrays(group: Group) -> None:
    """`Equation.each` with every mix of lengths, against one equation after the other."""
    n = 3
    P, Q = points(group, "P", n), points(group, "Q")
    a, b = scalars(group, "a", n), scalars(group, "b")
    one = group.integers([1])
    total: Points = a * P + b * P + a * Q + b * Q
    true = Equation.each((a, P), (b, P), (a, Q), (b, Q), (-one, total))
    assert oracle.holds(true) == [True] * n
    assert accepted(lambda: Check(0, "mix", (true,)))
    for index in range(n):
        false = Equation.each((a, P), (b, P), (a, Q), (b, Q), (-one, put(total, index, total[index] + Q)))
        assert oracle.holds(false) == [row != index for row in range(n)]
        assert not accepted(lambda: Check(0, "mix", (false,)))
