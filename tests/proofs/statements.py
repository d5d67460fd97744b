"""Statements with their witnesses, of every kind of proof, on any backend, from seeds.

A `Case` is a true statement whose public points can be exchanged one by one: `case.check(proof, U=other)`. The prover
may also be run on a false one, which is what a cheater does first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nodealer.errors import Malformed, ProofRejected
from nodealer.group import Group, Points, Scalars, concat, hash_to_points
from nodealer.group.order import order_of
from nodealer.proofs import equality, linear, shuffle
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.relations import AddMask, OneOffset, OneScalar, Remask
from nodealer.proofs.transcript import Context, Transcript
from nodealer.tape import Tape

CONTEXT = Context("mask", 0, b"s" * 32, b"r" * 32, 3, 0, 0, "shuffle 1", 2, b"a" * 32)

#: The same context with one field changed, for every field.
OTHER_CONTEXTS: Mapping[str, Context] = {
    "protocol": replace(CONTEXT, protocol="lock"),
    "version": replace(CONTEXT, version=1),
    "session": replace(CONTEXT, session=b"t" * 32),
    "roster": replace(CONTEXT, roster=b"q" * 32),
    "hand": replace(CONTEXT, hand=4),
    "deck": replace(CONTEXT, deck=1),
    "epoch": replace(CONTEXT, epoch=1),
    "step": replace(CONTEXT, step="shuffle 2"),
    "seat": replace(CONTEXT, seat=1),
    "anchor": replace(CONTEXT, anchor=b"b" * 32),
}

Public = Mapping[str, Points]


def tape(seed: str) -> Tape:
    return Tape(hashlib.sha256(f"tape {seed}".encode()).digest())


def entropy(seed: str) -> Entropy:
    """A source that never repeats itself and is the same in every run."""
    calls = iter(range(1 << 62))
    return lambda size: hashlib.shake_256(f"entropy {seed} {next(calls)}".encode()).digest(size)


def naturals(seed: str, below: int) -> Iterator[int]:
    """Small numbers that choose what a random test does. The bias does not matter here."""
    for index in range(1 << 62):
        yield int.from_bytes(hashlib.sha256(f"naturals {seed} {index}".encode()).digest()[:16], "little") % below


def scalars(group: Group, seed: str, count: int = 1) -> Scalars:
    wide = hashlib.shake_256(f"scalars {seed}".encode()).digest(group.wide_size * count)
    return group.wide_scalars(wide)


def points(group: Group, seed: str, count: int = 1) -> Points:
    """Points of which nobody knows a logarithm."""
    return hash_to_points(group, b"nodealer tests", [f"{seed} {index}".encode() for index in range(count)])


def put(array: Points, index: int, point: Points) -> Points:
    """The array with another point at one place."""
    parts = [array[:index]] if index else []
    parts.append(point)
    if index + 1 < len(array):
        parts.append(array[index + 1 :])
    return concat(*parts)


def swapped(array: Points, i: int, j: int) -> Points:
    order = list(range(len(array)))
    order[i], order[j] = order[j], order[i]
    return array.take(order)


@dataclass(frozen=True)
class Case:
    """A statement, who proves it and who checks it."""

    name: str
    public: Public
    prover: Callable[[Transcript, Tape, Public], bytes]
    checker: Callable[[Transcript, Public, bytes], Check]

    @property
    def group(self) -> Group:
        return next(iter(self.public.values())).group

    def prove(self, context: Context = CONTEXT, seed: str = "prover", /, **changed: Points) -> bytes:
        return self.prover(context.transcript(), tape(seed), {**self.public, **changed})

    def check(self, proof: bytes, context: Context = CONTEXT, /, **changed: Points) -> Check:
        return self.checker(context.transcript(), {**self.public, **changed}, proof)

    def accepts(self, proof: bytes, context: Context = CONTEXT, /, **changed: Points) -> bool:
        return accepted(lambda: self.check(proof, context, **changed))


@dataclass(frozen=True)
class Shuffled(Case):
    """A shuffle with all that its prover knows. `masks` is ρ by output place, `s` the shuffler's key; in `offset` it is
    r, x and t."""

    relation_type: Callable[..., shuffle.Relation] = Remask
    permutation: tuple[int, ...] = ()
    secrets: Callable[[Scalars], Scalars] = field(default=lambda d: d)
    masks: Scalars | None = None
    s: Scalars | None = None

    @property
    def relation(self) -> shuffle.Relation:
        return self.relation_type(**self.public)

    def with_public(self, **changed: Points) -> shuffle.Relation:
        return self.relation_type(**{**self.public, **changed})


def accepted(make: Callable[[], Check]) -> bool:
    """Whether a check can be made and holds. Only the two verdicts on a peer count as a refusal, nothing else."""
    try:
        settle([make()], entropy("accepted"))
    except (Malformed, ProofRejected):
        return False
    return True


# --- Shuffles ---


def _order(seed: str, m: int, permutation: Sequence[int] | None) -> list[int]:
    drawn = tape(f"order {seed}").permutation("order", b"", m).vartime_list()
    return drawn if permutation is None else list(permutation)


def _shuffled(
    relation_type: Callable[..., shuffle.Relation],
    public: Public,
    permutation: Sequence[int],
    secrets: Callable[[Scalars], Scalars],
    masks: Scalars | None,
    s: Scalars | None,
) -> Shuffled:
    def prove(transcript: Transcript, tape: Tape, public: Public) -> bytes:
        return shuffle.prove(transcript, tape, relation_type(**public), order_of(permutation), secrets)

    def check(transcript: Transcript, public: Public, proof: bytes) -> Check:
        return shuffle.check(transcript, relation_type(**public), proof)

    name = relation_type(**public).kind
    return Shuffled(name, public, prove, check, relation_type, tuple(permutation), secrets, masks, s)


def pairs(group: Group, m: int, seed: str = "", permutation: Sequence[int] | None = None) -> Shuffled:
    order = _order(seed, m, permutation)
    rho = scalars(group, f"rho {seed}", m)
    K = scalars(group, f"joint key {seed}") * group.G
    U, W = points(group, f"U {seed}", m), points(group, f"W {seed}", m)
    public = {"K": K, "U": U, "W": W, "U_out": U.take(order) + rho * group.G, "W_out": W.take(order) + rho * K}
    return _shuffled(Remask, public, order, lambda d: d.dot(rho), rho, None)


def addmask(
    group: Group, m: int, seed: str = "", permutation: Sequence[int] | None = None, *, first: bool = False
) -> Shuffled:
    """`first`: the first step of a deck, where the joint key and the left halves are the identity."""
    order = _order(seed, m, permutation)
    rho, s = scalars(group, f"rho {seed}", m), scalars(group, f"s {seed}")
    K = group.identity(1) if first else scalars(group, f"joint key {seed}") * group.G
    U, W = group.identity(m) if first else points(group, f"U {seed}", m), points(group, f"W {seed}", m)
    S = s * group.G
    U_out = U.take(order) + rho * group.G
    W_out = W.take(order) + s * U.take(order) + rho * (K + S)
    public = {"K": K, "S": S, "U": U, "W": W, "U_out": U_out, "W_out": W_out}
    return _shuffled(AddMask, public, order, lambda d: concat(d.dot(rho), s), rho, s)


def scalar(group: Group, m: int, seed: str = "", permutation: Sequence[int] | None = None) -> Shuffled:
    order = _order(seed, m, permutation)
    s = scalars(group, f"s {seed}")
    inputs = points(group, f"inputs {seed}", m)
    public = {"S": s * group.G, "inputs": inputs, "outputs": s * inputs.take(order)}
    return _shuffled(OneScalar, public, order, lambda d: s, None, s)


def offset(group: Group, m: int, seed: str = "", permutation: Sequence[int] | None = None) -> Shuffled:
    order = _order(seed, m, permutation)
    rest = scalars(group, f"r, x, t {seed}", 3)
    r, x, t = rest[0], rest[1], rest[2]
    w, A, B = r * x, points(group, f"A {seed}", m), points(group, f"B {seed}", m)
    public = {
        "R": r * group.G,
        "W": w * group.G + t * blinding_generator(group),
        "A": A,
        "B": B,
        "A_out": r * A.take(order) + w * B.take(order),
        "B_out": r * B.take(order),
    }
    return _shuffled(OneOffset, public, order, lambda d: concat(r, w, t), None, rest)


SHUFFLES: Mapping[str, Callable[..., Shuffled]] = {
    "pairs": pairs,
    "addmask": addmask,
    "scalar": scalar,
    "offset": offset,
}
#: What the output decks and the input decks of each relation are called.
OUTPUTS = {
    "pairs": ("U_out", "W_out"),
    "addmask": ("U_out", "W_out"),
    "scalar": ("outputs",),
    "offset": ("A_out", "B_out"),
}
INPUTS = {"pairs": ("U", "W"), "addmask": ("U", "W"), "scalar": ("inputs",), "offset": ("A", "B")}


# --- Keys, equalities, linear relations ---


def knowledge(group: Group, m: int, seed: str = "") -> Case:
    secrets = scalars(group, f"keys {seed}", m)
    return Case(
        "knowledge",
        {"keys": secrets * group.G},
        lambda transcript, tape, p: equality.prove_knowledge(transcript, tape, p["keys"], secrets),
        lambda transcript, p, proof: equality.check_knowledge(transcript, p["keys"], proof),
    )


def one_secret(group: Group, m: int, seed: str = "") -> Case:
    z = scalars(group, f"z {seed}")
    bases = points(group, f"bases {seed}", m)
    return Case(
        "one secret",
        {"Z": z * group.G, "bases": bases, "images": z * bases},
        lambda transcript, tape, p: equality.prove_equality(transcript, tape, p["Z"], p["bases"], p["images"], z),
        lambda transcript, p, proof: equality.check_equality(transcript, p["Z"], p["bases"], p["images"], proof),
    )


def a_secret_each(group: Group, m: int, seed: str = "") -> Case:
    return _each("a secret each", group, m, 1, seed)


def a_base_each(group: Group, m: int, seed: str = "") -> Case:
    """A secret each, and the keys over a base each: the first stage of an `offset` step."""
    return _each("a base each", group, m, m, seed)


def a_key_moved(group: Group, m: int, seed: str = "") -> Case:
    """A secret each, by which one key becomes many: a re-key."""
    base, bases = points(group, f"base of the keys {seed}"), points(group, f"bases {seed}", m)
    s, old = scalars(group, f"moved {seed}", m), scalars(group, f"old {seed}") * base
    public = {"base": base, "keys": old + s * base, "bases": bases, "images": s * bases, "less": old}
    return _each_case("a key moved", public, s)


def keys_joined(group: Group, m: int, seed: str = "") -> Case:
    """A secret each, by which many keys become one: a gather. The bases are one point too, as for masks."""
    base, bases = points(group, f"base of the keys {seed}"), points(group, f"bases {seed}")
    new, old = scalars(group, f"new {seed}"), scalars(group, f"old {seed}", m)
    s = new - old
    public = {"base": base, "keys": new * base, "bases": bases, "images": s * bases, "less": old * base}
    return _each_case("keys joined", public, s)


def _each(name: str, group: Group, m: int, count: int, seed: str) -> Case:
    s = scalars(group, f"each {seed}", m)
    base, bases = points(group, f"base of the keys {seed}", count), points(group, f"bases {seed}", m)
    return _each_case(name, {"base": base, "keys": s * base, "bases": bases, "images": s * bases}, s)


def _each_case(name: str, public: Public, s: Scalars) -> Case:
    return Case(
        name,
        public,
        lambda transcript, tape, p: equality.prove_many_equalities(transcript, tape, equality.ManyEqualities(**p), s),
        lambda transcript, p, proof: equality.check_many_equalities(transcript, equality.ManyEqualities(**p), proof),
    )


def linear_statement(p: Public) -> linear.Statement:
    """image_i = a·X_i + b_i·Y, P = a·G, Q_i = b_i·G: shared and single secrets, shared and single bases."""
    G = p["P"].group.G
    rows = (
        linear.LinearRow(p["image"], ((0, p["X"]), (1, p["Y"]))),
        linear.LinearRow(p["P"], ((0, G),)),
        linear.LinearRow(p["Q"], ((1, G),)),
    )
    return linear.Statement("test of linear relations", (1, len(p["Q"])), rows)


def linear_relation(group: Group, m: int, seed: str = "") -> Case:
    a, b = scalars(group, f"a {seed}"), scalars(group, f"b {seed}", m)
    X, Y = points(group, f"X {seed}", m), points(group, f"Y {seed}")
    public = {"X": X, "Y": Y, "image": a * X + b * Y, "P": a * group.G, "Q": b * group.G}
    return Case(
        "linear",
        public,
        lambda transcript, tape, p: linear.prove(transcript, tape, linear_statement(p), [a, b]),
        lambda transcript, p, proof: linear.check(transcript, linear_statement(p), proof),
    )


SIGMAS: Mapping[str, Callable[..., Case]] = {
    "knowledge": knowledge,
    "one secret": one_secret,
    "a secret each": a_secret_each,
    "a base each": a_base_each,
    "a key moved": a_key_moved,
    "keys joined": keys_joined,
    "linear": linear_relation,
}
#: The statements of `equality.ManyEqualities`.
EACH: Mapping[str, Callable[..., Case]] = {
    name: SIGMAS[name] for name in ("a secret each", "a base each", "a key moved", "keys joined")
}
CASES: Mapping[str, Callable[..., Case]] = {**SHUFFLES, **SIGMAS}


def sizes(case: Case, proof: bytes) -> tuple[int, int]:
    """How many points and how many scalars a proof has, from the statement."""
    lengths = {name: len(array) for name, array in case.public.items()}
    if isinstance(case, Shuffled):
        m, relation = case.relation.size, case.relation
        return 5 + relation.row_count, 2 * m + relation.secrets
    counts: dict[str, Callable[[], tuple[int, int]]] = {
        "knowledge": lambda: (lengths["keys"], lengths["keys"]),
        "one secret": lambda: (2, 1),
        **{name: lambda: (4, lengths["images"] + 1) for name in EACH},
        "linear": lambda: (2 * lengths["Q"] + 1, lengths["Q"] + 1),
    }
    return counts[case.name]()


def commitments(case: Case, proof: bytes) -> list[bytes]:
    """The encodings of the points of a proof."""
    size = case.group.point_size
    count, _ = sizes(case, proof)
    return [proof[at : at + size] for at in range(1, 1 + count * size, size)]
