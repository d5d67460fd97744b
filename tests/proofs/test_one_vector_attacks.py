"""Forgers against the argument that opens one vector, and against the proof that commits once.

Each attack is run twice: against a verifier from which the piece is missing that stops it, where it works, and against
the real one. What is missing is an item of the hash, the size of a challenge, or an equation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from nodealer.errors import DecodeError
from nodealer.group import Group, Points, Scalars, concat, vartime_msm
from nodealer.proofs import equality, labels, shuffle
from nodealer.proofs.checks import Check, Equation
from nodealer.proofs.generators import commitment_key
from nodealer.proofs.relations import AddMask
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape

from . import oracle
from .statements import (
    CASES,
    CONTEXT,
    EACH,
    INPUTS,
    OTHER_CONTEXTS,
    OUTPUTS,
    SHUFFLES,
    Case,
    Shuffled,
    a_base_each,
    accepted,
    addmask,
    points,
    put,
    scalars,
    sizes,
    tape,
)
from .test_equality import solved
from .test_extractor import solve
from .test_shuffle import mixed, places, traded

kinds = pytest.mark.parametrize("kind", SHUFFLES)
eaches = pytest.mark.parametrize("make", EACH.values(), ids=EACH.keys())

MakeTranscript = Callable[[], Transcript]


def forgetful(label: str, turn: int, item: int) -> Transcript:
    """The transcript of a verifier that leaves one item out of the hash: of the entries with this label, counted after
    the context, the `turn`-th lacks it."""
    transcript, turns = CONTEXT.transcript(), iter(range(1 << 30))
    honest = transcript.absorb

    def absorb(name: str, *items: bytes | str | int) -> None:
        if name == label and next(turns) == turn:
            items = (*items[:item], b"", *items[item + 1 :])
        honest(name, *items)

    transcript.absorb = absorb  # type: ignore[method-assign, assignment]
    return transcript


def residual(equation: Equation) -> Points:
    """What an equation comes to: the identity, if it holds."""
    return concat(*(vartime_msm(factors, bases) for factors, bases in equation.terms)).sum()


def factors_of(equation: Equation, array: Points) -> Scalars | None:
    """What multiplies this array in an equation."""
    return next((factors for factors, bases in equation.terms if bases == array), None)


def mended(equation: Equation, array: Points, index: int = 0, named: Points | None = None) -> Points:
    """The array with one point moved so that this equation holds. `named`: as what it stands in the equation."""
    factors = factors_of(equation, array if named is None else named)
    assert factors is not None
    return put(array, index, array[index] - factors[index].invert() * residual(equation))


# --- Shuffles: lies that one equation sees, and what could mend it ---


def lies(case: Shuffled) -> list[tuple[Shuffled, dict[str, Any]]]:
    """For each equation a false statement, and what to tell `oracle.craft`, so that this equation alone fails."""
    (trade, d), (mixture, hidden) = traded(case), mixed(case)
    found: list[tuple[Shuffled, dict[str, Any]]] = [
        (trade, {"d": d}),
        (mixture, {"a": hidden(places(case)), "b": hidden}),
    ]

    def changed(**public: Points) -> Shuffled:
        return replace(case, public={**case.public, **public})

    group, p, order, s = case.group, case.public, case.permutation, case.s
    for name in OUTPUTS[case.name]:
        found.append((changed(**{name: put(p[name], 1, p[name][1] + points(group, "another card"))}), {}))
    other = scalars(group, "another secret")
    if case.name == "scalar":
        found.append((changed(outputs=other * p["inputs"].take(order)), {"secrets": lambda d: other}))
    if case.name == "addmask":
        rho = case.masks
        assert rho is not None
        W_out = p["W"].take(order) + other * p["U"].take(order) + rho * (p["K"] + p["S"])
        found.append((changed(W_out=W_out), {"secrets": lambda d: concat(d.dot(rho), other)}))
    if case.name == "offset":
        assert s is not None
        A, B, w = p["A"].take(order), p["B"].take(order), s[0] * s[1]
        moved = changed(A_out=other * A + w * B, B_out=other * B)
        found.append((moved, {"secrets": lambda d: concat(other, w, s[2])}))
        found.append((changed(A_out=s[0] * A + other * B), {"secrets": lambda d: concat(s[0], other, s[2])}))
    return found


#: The points of a proof before its rows: entry and item of the hash, and the equation that each could mend.
COMMITMENTS = {"A": (0, 0, 0), "B": (1, 0, 0), "C_e": (2, 0, 0), "C_0": (2, 1, 1), "C_1": (2, 2, 1)}


def put_in_proof(proof: bytes, index: int, point: Points) -> bytes:
    at = 1 + 32 * index
    return proof[:at] + point.to_bytes() + proof[at + 32 :]


@kinds
@pytest.mark.parametrize("m", [2, 3])
def test_a_commitment_that_is_chosen_after_the_challenges(fast: Group, kind: str, m: int) -> None:
    """A13, for each commitment by itself: left out of the hash, it can be solved for, and a false deck passes."""
    case = SHUFFLES[kind](fast, m)
    false_decks = lies(case)
    rows = {f"E_{row + 1}": (2, 3, 2 + row) for row in range(case.relation.row_count)}
    for index, (name, (turn, item, at)) in enumerate({**COMMITMENTS, **rows}.items()):
        false, how = false_decks[at]

        def forge(make: MakeTranscript, index: int = index, at: int = at) -> bytes:
            proof = oracle.craft(false, transcript=make(), **how)
            equation = shuffle.check(make(), false.relation, proof).equations[at]
            point = fast.points(proof[1 + 32 * index : 33 + 32 * index])
            return put_in_proof(proof, index, mended(equation, point))

        def without(turn: int = turn, item: int = item) -> Transcript:
            return forgetful(labels.COMMITMENT, turn, item)

        forged = forge(without)
        assert accepted(lambda: shuffle.check(without(), false.relation, forged)), name
        assert not false.accepts(forged), name
        assert not false.accepts(forge(CONTEXT.transcript)), name


def moved_cards(check: Check, name: str, array: Points) -> Points:
    """Two points of a deck moved against each other by what multiplies them: in every equation they cancel."""
    factors = next(found for equation in check.equations if (found := factors_of(equation, array)) is not None)
    P = points(array.group, f"moved {name}")
    return put(put(array, 0, array[0] + factors[1] * P), 1, array[1] - factors[0] * P)


#: The keys that stand in one equation only, and in which.
KEY_ROWS = {"pairs": {"K": 3}, "addmask": {"K": 3}, "scalar": {"S": 3}, "offset": {"R": 4, "W": 5}}


@kinds
@pytest.mark.parametrize("m", [2, 3])
def test_a_point_of_the_statement_that_is_chosen_after_the_challenges(fast: Group, kind: str, m: int) -> None:
    """A13, for each array of the statement by itself. (The S of `addmask` has a test of its own.)"""
    case = SHUFFLES[kind](fast, m)
    false_decks = lies(case)
    tried = set()
    for item, name in enumerate(case.public):
        at = KEY_ROWS[kind].get(name)
        if at is None and name not in (*INPUTS[kind], *OUTPUTS[kind]):
            continue
        false, how = (case, dict[str, Any]()) if at is None else false_decks[at]

        def forge(make: MakeTranscript, name: str = name, at: int | None = at) -> tuple[bytes, Points]:
            proof, array = oracle.craft(false, transcript=make(), **how), false.public[name]
            check = shuffle.check(make(), false.relation, proof)
            if at is None:
                return proof, moved_cards(check, name, array)
            relation = false.relation
            named = relation.joint if isinstance(relation, AddMask) else None
            return proof, mended(check.equations[at], array, named=named)

        def without(item: int = item) -> Transcript:
            return forgetful(labels.STATEMENT, 1, item)

        proof, point = forge(without)
        assert point != false.public[name]
        assert accepted(lambda: shuffle.check(without(), false.with_public(**{name: point}), proof)), name
        assert not false.accepts(proof, **{name: point}), name
        proof, point = forge(CONTEXT.transcript)
        assert not false.accepts(proof, **{name: point}), name
        tried.add(name)
    assert set(case.public) - tried == ({"S"} if kind == "addmask" else set())


def test_the_key_of_addmask_that_is_chosen_after_the_challenges(fast: Group) -> None:
    """On known logarithms some S, with an s that its forger knows, makes up for any false card."""
    m, group, order = 3, fast, (1, 2, 0)
    kappa, s = scalars(group, "log of K"), scalars(group, "log of S")
    u, w, rho = (scalars(group, name, m) for name in ("logs of U", "logs of W", "masks"))
    false_w = scalars(group, "logs of any W'", m)
    G = group.G
    public = {
        "K": kappa * G,
        "S": s * G,
        "U": u * G,
        "W": w * G,
        "U_out": (u.take(order) + rho) * G,
        "W_out": false_w * G,
    }
    case = replace(addmask(group, m, permutation=order), public=public)

    def forge(make: MakeTranscript) -> tuple[bytes, Points]:
        proof = oracle.craft(case, transcript=make(), secrets=lambda d: concat(d.dot(rho), s))
        o = oracle.opened(case.relation, proof, make())
        d, U = o.D.take(order), o.D.dot(u)
        off = o.x * (d.dot(false_w) - d.dot(rho) * (kappa + s) - s * U - o.D.dot(w))
        step = off * (o.secrets[0] * o.x.invert() + U).invert()
        moved = proof[:-32] + (o.secrets[1] + step).to_bytes()
        return moved, (s + step * o.x.invert()) * G

    def without() -> Transcript:
        return forgetful(labels.STATEMENT, 1, 1)

    proof, S = forge(without)
    assert accepted(lambda: shuffle.check(without(), case.with_public(S=S), proof))
    assert not case.accepts(proof, S=S)
    proof, S = forge(CONTEXT.transcript)
    assert not case.accepts(proof, S=S)


# --- Shuffles: the first step of a deck ---


def test_the_first_step_of_a_deck_has_no_weak_row(group: Group) -> None:
    """K and all U are the identity: each lie that there is fails one equation, as anywhere else."""
    case = addmask(group, 3, first=True)
    other = scalars(group, "another key") * group.G
    p, rho = case.public, case.masks
    assert rho is not None
    false_decks = lies(case)[:-1]
    # A mask under another key than S, and the same cards masked under a key of which nobody knows the logarithm.
    under_other = replace(case, public={**p, "W_out": p["W"].take(case.permutation) + rho * other})
    rogue = points(group, "rogue key")
    under_rogue = replace(case, public={**p, "S": rogue, "W_out": p["W"].take(case.permutation) + rho * rogue})
    tried = [*enumerate(false_decks), (3, (under_other, {})), (4, (under_rogue, {}))]
    for at, (false, how) in tried:
        check = false.check(oracle.craft(false, **how))
        assert [holds for (holds,) in map(oracle.holds, check.equations)] == [index != at for index in range(5)]
        assert accepted(lambda: oracle.without(check, at))
        assert not accepted(lambda: check)


def test_a_mask_that_forgets_the_key_which_joins(group: Group) -> None:
    """Errors P and κ·P in the two halves of a card are a mask under K; under K + S they are a mark."""
    kappa, case = scalars(group, "joint key "), addmask(group, 3)
    assert kappa * group.G == case.public["K"]
    P = scalars(group, "mark") * group.G
    marked = {
        name: put(case.public[name], 0, case.public[name][0] + by) for name, by in (("U_out", P), ("W_out", kappa * P))
    }
    false = replace(case, public={**case.public, **marked})
    mask = scalars(group, "mark")
    proof = oracle.craft(false, secrets=lambda d: case.secrets(d) + concat(d[0] * mask, group.integers([0])))
    check = false.check(proof)
    assert [holds for (holds,) in map(oracle.holds, check.equations)] == [True, True, True, False, True]
    assert not accepted(lambda: check)


# --- Shuffles: grinding ---

BITS = 3


def coarse(*short: str) -> Transcript:
    """A transcript in which these challenges have only a few bits."""
    transcript = CONTEXT.transcript()
    honest = transcript.challenges

    def challenges(label: str, group: Group, count: int) -> Scalars:
        drawn = honest(label, group, count)
        return group.integers([1 + drawn.to_bytes()[0] % (1 << BITS)]) if label in short else drawn

    transcript.challenges = challenges  # type: ignore[method-assign]
    return transcript


def ground(relation: shuffle.Relation, short: tuple[str, ...], forge: Callable[[Tape], bytes], tries: int) -> bool:
    """Whether one of so many proofs passes a verifier with these challenges short. None passes the real one."""
    for index in range(tries):
        proof = forge(tape(f"grinding {index}"))
        if accepted(lambda: shuffle.check(coarse(*short), relation, proof)):
            assert not accepted(lambda: shuffle.check(CONTEXT.transcript(), relation, proof))
            return True
    return False


@kinds
def test_grinding_x(fast: Group, kind: str) -> None:
    """A simulated proof of a false deck passes when its x comes up: all of q must be there to choose from."""
    case = SHUFFLES[kind](fast, 2)
    relation = lies(case)[2][0].relation
    seeds = iter(range(1 << 30))

    def forge(nonces: Tape) -> bytes:
        return oracle.simulate(relation, f"grinding {next(seeds)}", fast.integers([5]))

    assert ground(relation, ("x",), forge, 40 << BITS)


@kinds
def test_grinding_xi(fast: Group, kind: str) -> None:
    """Errors c_i·P with Σ c_i = Σ i·c_i = Σ ξ^i·c_i = 0 for one ξ pass for every y and z, when that ξ comes up."""
    m, guess = 4, 5
    case, q = SHUFFLES[kind](fast, m), fast.order
    rows = [[1, 1, 1], [1, 2, 3], [guess, guess**2, guess**3]]
    errors = [-value % q for value in solve(rows, [1, m, guess**m], q)]
    c = fast.scalars(b"".join(value.to_bytes(32, "little") for value in (*errors, 1)))
    name, P = OUTPUTS[kind][-1], points(fast, "error")
    false = replace(case, public={**case.public, name: case.public[name] + c.take(case.permutation) * P})
    relation = false.relation
    assert ground(relation, ("xi",), lambda t: oracle.craft(false, transcript=coarse("xi"), nonces=t), 40 << BITS)
    fixed = {"xi": fast.integers([guess])}
    proof = oracle.craft(false, transcript=oracle.programmed(fixed))
    assert accepted(lambda: shuffle.check(oracle.programmed(fixed), relation, proof))
    assert not false.accepts(oracle.craft(false))


@kinds
def test_grinding_y_and_z(fast: Group, kind: str) -> None:
    """For one y and z some B gives a d that is no permutation the right product: it passes when they come up."""
    m = 3
    case = SHUFFLES[kind](fast, m)
    false, cheat = traded(case)
    y, z = fast.integers([3]), fast.integers([6])

    def fitting(b: Scalars) -> Scalars:
        return cheat(y * places(case) + b - z) - y * places(case) + z

    def forge(nonces: Tape) -> bytes:
        return oracle.craft(false, b=fitting, transcript=coarse("y", "z"), nonces=nonces)

    assert ground(false.relation, ("y", "z"), forge, 20 << (2 * BITS))


@eaches
def test_grinding_a_secret_each(fast: Group, make: Callable[..., Case]) -> None:
    """The same for c, by the simulator of docs/spec/proofs.md on false images."""
    case = make(fast, 2)
    images = case.public["images"]
    public = {**case.public, "images": put(images, 1, images[1] + fast.G)}
    each, c = equality.ManyEqualities(**public), fast.integers([5])
    keys = public["keys"] - public["less"] if "less" in public else public["keys"]
    for index in range(40 << BITS):
        hats, C = scalars(fast, f"hats {index}", 3), scalars(fast, f"C {index}") * fast.G
        transcript = CONTEXT.transcript()
        each.bind(transcript)
        w = equality._draw_weights(transcript, C, 2)
        T_C = vartime_msm(hats, commitment_key(fast, 2)) - c * C
        T_K = ((w * hats[:2]) * public["base"] - (c * w) * keys).sum()
        T_Y = ((w * hats[:2]) * public["bases"] - (c * w) * public["images"]).sum()
        proof = b"\1" + concat(C, T_C, T_K, T_Y).to_bytes() + hats.to_bytes()
        assert not case.accepts(proof, **public)
        if accepted(lambda: equality.check_many_equalities(coarse(labels.CHALLENGE), each, proof)):
            return
    raise AssertionError("the attack does not work")


# --- A secret each ---


def craft_each(
    transcript: Transcript,
    each: equality.ManyEqualities,
    s: Scalars,
    *,
    late: Callable[[Scalars], Scalars] | None = None,
    bare: frozenset[str] = frozenset(),
) -> bytes:
    """The prover of docs/spec/proofs.md, "Equality, a secret each". `late` gives other secrets when the weights are
    known;
    the randomness named in `bare` is zero."""
    group, m = each.keys.group, len(each.images)
    key, zero = commitment_key(group, m), group.integers([0])
    each.bind(transcript)
    r = zero if "r" in bare else transcript.nonces(tape("prover"), "r", group, 1)
    C = vartime_msm(concat(s, r), key)
    w = equality._draw_weights(transcript, C, m)
    used = s if late is None else late(w)
    k = transcript.nonces(tape("prover"), labels.EQUALITY_MANY, group, m + 1)
    k = concat(k[:m], zero) if "k_r" in bare else k
    k = concat(zero, k[1:]) if "k_1" in bare else k
    T_K, T_Y = (((w * k[:m]) * array).sum() for array in (each.base, each.bases))
    T = concat(vartime_msm(k, key), T_K, T_Y)
    c = equality._draw_challenge(transcript, group, T)
    return b"\1" + concat(C, T).to_bytes() + (c * concat(used, r) + k).to_bytes()


@pytest.mark.parametrize("name", ["C", "T_C"])
def test_what_opens_the_commitment_is_hashed(fast: Group, name: str) -> None:
    """C, or T_C, left out of the hash: secrets that are solved for when the weights are known open it after all."""
    m = 4
    case = a_base_each(fast, m)
    public, _ = solved(fast, scalars(fast, "any weights", m))
    each = equality.ManyEqualities(**public)
    index = ["C", "T_C"].index(name)

    def forge(make: MakeTranscript) -> bytes:
        s = scalars(fast, "commits to anything", m)
        proof = craft_each(make(), each, s, late=lambda w: solved(fast, w)[1])
        check = equality.check_many_equalities(make(), each, proof)
        assert [holds for (holds,) in map(oracle.holds, check.equations)] == [False, True, True]
        point = fast.points(proof[1 + 32 * index : 33 + 32 * index])
        return put_in_proof(proof, index, mended(check.equations[0], point))

    def without() -> Transcript:
        return forgetful(labels.COMMITMENT, index, 0)

    forged = forge(without)
    assert accepted(lambda: equality.check_many_equalities(without(), each, forged))
    assert not case.accepts(forged, **public)
    assert not case.accepts(forge(CONTEXT.transcript), **public)


#: What stands in the second and in the third equation of `Each`.
ROWS = {1: ("base", "keys", "less", "T_K"), 2: ("bases", "images", "T_Y")}


@eaches
@pytest.mark.parametrize("m", [2, 3])
def test_each_item_of_a_secret_each_is_hashed(fast: Group, make: Callable[..., Case], m: int) -> None:
    """A13: each array, and T_K and T_Y, left out of the hash makes up for a false point of another."""
    case = make(fast, m)
    items = {name: (labels.STATEMENT, 1, item) for item, name in enumerate(case.public)}
    items |= dict.fromkeys(("T_K", "T_Y"), (labels.COMMITMENT, 1, 0))
    for at, name in ((at, name) for at, names in ROWS.items() for name in names if name in items):
        # The last point of some array of this row is false, and the first point of this one is to make up for it.
        long = [other for other in ROWS[at] if len(case.public.get(other, ())) == m]
        lie = next((other for other in long if other != name), name)
        array = case.public[lie]
        public = {**case.public, lie: put(array, m - 1, array[m - 1] + points(fast, "false"))}

        def forge(new: MakeTranscript, name: str = name, at: int = at) -> tuple[bytes, Mapping[str, Points]]:
            proof = case.prover(new(), tape("forger"), public)
            equation = case.checker(new(), public, proof).equations[at]
            if name in public:
                return proof, {**public, name: mended(equation, public[name])}
            point = fast.points(proof[33 + 32 * at : 65 + 32 * at])
            return put_in_proof(proof, 1 + at, mended(equation, point)), public

        def without(name: str = name) -> Transcript:
            return forgetful(*items[name])

        proof, statement = forge(without)
        assert accepted(lambda: case.checker(without(), statement, proof)), name
        assert not case.accepts(proof, **statement), name
        proof, statement = forge(CONTEXT.transcript)
        assert not case.accepts(proof, **statement), name


@eaches
def test_errors_in_keys_and_images_do_not_make_up_for_each_other(group: Group, make: Callable[..., Case]) -> None:
    """s_1 moved in one row only, two secrets exchanged, and a key and its image moved by one P: all refused."""
    case = make(group, 3)
    p, P = case.public, points(group, "error")
    step, n = scalars(group, "step"), len(case.public["keys"])
    for changed in (
        {"images": put(p["images"], 0, p["images"][0] + step * p["bases"][0])},
        {"images": put(p["images"], 0, p["images"][0] + P), "keys": put(p["keys"], n - 1, p["keys"][n - 1] - P)},
        {"images": put(p["images"], 0, p["images"][0] + P), "keys": put(p["keys"], 0, p["keys"][0] + P)},
        {"images": p["images"].take([1, 0, 2])},
    ):
        assert not case.accepts(case.prove(**changed), **changed)


@eaches
@pytest.mark.parametrize("bare", ["r", "k_r", "k_1"])
def test_what_a_missing_blinding_of_a_secret_each_shows(fast: Group, make: Callable[..., Case], bare: str) -> None:
    """Who guesses all secrets can tell whether that is right, or reads one: only when a blinding is missing."""
    m = 2
    case = make(fast, m)
    c = scalars(fast, "two challenges", 2)
    answers = [case.prover(oracle.programmed({labels.CHALLENGE: c[i]}), tape("x"), case.public) for i in (0, 1)]
    first, second = (fast.scalars(answer[1 + 4 * 32 :]) for answer in answers)
    s = ((first - second) * (c[0] - c[1]).invert())[:m]
    each, key = equality.ManyEqualities(**case.public), commitment_key(fast, m)

    def shown(proof: bytes) -> set[str]:
        seen = oracle.challenges_of(lambda t: case.checker(t, case.public, proof))[labels.CHALLENGE]
        C, hats = fast.points(proof[1:33]), fast.scalars(proof[129:])
        over, guess = seen.invert(), vartime_msm(s, key[:m])
        tests = {"r": guess == C, "k_r": guess + (over * hats[m]) * key[m] == C, "k_1": over * hats[0] == s[0]}
        return {name for name, found in tests.items() if found}

    bared = craft_each(CONTEXT.transcript(), each, s, bare=frozenset([bare]))
    assert case.accepts(bared)
    assert shown(bared) == {bare}
    assert craft_each(CONTEXT.transcript(), each, s) == case.prove()
    assert shown(case.prove()) == set()


# --- Encoding ---


@pytest.mark.parametrize("name", [*SHUFFLES, *EACH])
def test_a_response_has_one_encoding(fast: Group, name: str) -> None:
    """The order added to a response is the same number, and is refused; so are two proofs in one."""
    case = CASES[name](fast, 2)
    proof = case.prove()
    for at in range(1 + 32 * sizes(case, proof)[0], len(proof), 32):
        alias = int.from_bytes(proof[at : at + 32], "little") + fast.order
        with pytest.raises(DecodeError, match="malformed"):
            case.check(proof[:at] + alias.to_bytes(32, "little") + proof[at + 32 :])
    for longer in (proof + proof, proof + proof[-32:], proof[:1] + proof):
        with pytest.raises(DecodeError, match="bytes instead of"):
            case.check(longer)


# --- Randomness ---


@dataclass(frozen=True, repr=False)
class Watched(Tape):
    """A tape that notes what is drawn from it."""

    drawn: list[tuple[str, bytes, bytes]] = field(default_factory=list)

    def draw(self, label: str, inputs: bytes, *, size: int, index: int = 0) -> bytes:
        out = super().draw(label, inputs, size=size, index=index)
        self.drawn.append((label, inputs, out))
        return out


def test_no_two_statements_share_a_nonce(fast: Group) -> None:
    """One tape, all kinds of proof, statements and contexts that differ in one thing: every nonce stands alone."""
    watched, width = Watched(tape("one for all").seed), fast.wide_size
    for name in (*SHUFFLES, *EACH):
        case = CASES[name](fast, 3)
        statements = [case.public]
        statements += [{**case.public, n: put(a, 0, points(fast, "something else"))} for n, a in case.public.items()]
        for public in statements:
            case.prover(CONTEXT.transcript(), watched, public)
        for context in OTHER_CONTEXTS.values():
            case.prover(context.transcript(), watched, case.public)
    nonces = [out[at : at + width] for _, _, out in watched.drawn for at in range(0, len(out), width)]
    assert len(nonces) > 900
    assert len(set(nonces)) == len(nonces)
    assert len({(label, inputs) for label, inputs, _ in watched.drawn}) == len(watched.drawn)


FORKS = [*((kind, label) for kind in SHUFFLES for label in ("xi", "y", "z", "x"))]
FORKS += [(name, label) for name in EACH for label in (labels.WEIGHTS, labels.CHALLENGE)]


@pytest.mark.parametrize(("name", "label"), FORKS)
def test_a_prover_that_is_reset_at_a_challenge_has_other_nonces_after_it(fast: Group, name: str, label: str) -> None:
    """Run again up to a challenge and given another one, a prover masks nothing with what it used before."""
    case = CASES[name](fast, 3)

    def drawn(forked: bool) -> tuple[int, list[bytes]]:
        transcript, watched, before = CONTEXT.transcript(), Watched(tape("reset").seed), list[int]()
        honest = transcript.challenges

        def challenges(asked: str, group: Group, count: int) -> Scalars:
            if asked == label:
                before.append(len(watched.drawn))
                if forked:
                    transcript.absorb("another challenge")
            return honest(asked, group, count)

        transcript.challenges = challenges  # type: ignore[assignment, method-assign]
        case.prover(transcript, watched, case.public)
        return before[0], [out for _, _, out in watched.drawn]

    (at, once), (_, again) = drawn(False), drawn(True)
    assert once[:at] == again[:at]
    assert not set(once[at:]) & set(again[at:])
    # After x, and after c, nothing is drawn: the answer is all that is left.
    assert (at == len(once)) == (label in ("x", labels.CHALLENGE))
