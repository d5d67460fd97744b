"""What Fiat–Shamir hashes: framing, order, labels, context; and the nonces that hang on it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from nodealer.group import Group
from nodealer.proofs import labels
from nodealer.proofs.transcript import Transcript, draw_scalars
from nodealer.tape import Tape

from .statements import CASES, CONTEXT, OTHER_CONTEXTS, SHUFFLES, points, tape

Steps = Callable[[Transcript], object]


def drawn(group: Group, *steps: Steps) -> bytes:
    transcript = CONTEXT.transcript()
    for step in steps:
        step(transcript)
    return transcript.challenge("end", group).to_bytes()


def test_boundaries_do_not_shift(group: Group) -> None:
    """A19: the same bytes cut in other places, in other kinds, or in other calls, give other challenges."""
    one, two = points(group, "P"), points(group, "Q")
    both = points(group, "P").concat([two])
    variants: list[tuple[Steps, ...]] = [
        (lambda t: t.absorb("label", b"ab", b"c"),),
        (lambda t: t.absorb("label", b"a", b"bc"),),
        (lambda t: t.absorb("label", b"abc"),),
        (lambda t: t.absorb("label", b"abc", b""),),
        (lambda t: t.absorb("label", b"", b"abc"),),
        (lambda t: t.absorb("labela", b"bc"),),
        (lambda t: t.absorb("label", "abc"),),
        (lambda t: t.absorb("label", "ab", "c"),),
        (lambda t: t.absorb("label", b"ab"), lambda t: t.absorb("label", b"c")),
        (lambda t: t.absorb("label"), lambda t: t.absorb("label", b"abc")),
        (lambda t: t.absorb("label", b"abc"), lambda t: t.absorb("label")),
        (lambda t: t.absorb("label", 1, 2),),
        (lambda t: t.absorb("label", 2, 1),),
        (lambda t: t.absorb("label", (1).to_bytes(8, "little"), 2),),
        (lambda t: t.absorb("label", 1 + (2 << 8)),),
        (lambda t: t.absorb_points("label", one, two),),
        (lambda t: t.absorb_points("label", two, one),),
        (lambda t: t.absorb_points("label", both),),
        (lambda t: t.absorb_points("label", one), lambda t: t.absorb_points("label", two)),
        (),
    ]
    found = [drawn(group, *steps) for steps in variants]
    assert len(set(found)) == len(found)


def test_a_challenge_hangs_on_everything_before_it(group: Group) -> None:
    def absorb(value: int) -> Steps:
        return lambda t: t.absorb("label", value)

    def challenge(label: str, count: int = 1) -> Steps:
        return lambda t: t.challenges(label, group, count)

    found = [
        drawn(group, *steps)
        for steps in (
            (absorb(1), absorb(2)),
            (absorb(2), absorb(1)),
            (absorb(1), challenge("c"), absorb(2)),
            (challenge("c"), absorb(1), absorb(2)),
            (challenge("d"), absorb(1), absorb(2)),
            (challenge("c", 2), absorb(1), absorb(2)),
            (challenge("c"), challenge("c"), absorb(1), absorb(2)),
        )
    ]
    assert len(set(found)) == len(found)


def test_challenges_of_one_state_differ_by_label_and_count(group: Group) -> None:
    values = [
        CONTEXT.transcript().challenges(label, group, count).to_bytes()[:32]
        for label, count in itertools.product(("x", "y"), (1, 2, 3))
    ]
    assert len(set(values)) == len(values)
    transcript = CONTEXT.transcript()
    again = [transcript.challenge("x", group).to_bytes() for _ in range(4)]
    assert len(set(again)) == 4


def test_challenges_are_not_zero_and_not_short(group: Group) -> None:
    """Reduced from 64 bytes: the top bits are used."""
    values = CONTEXT.transcript().challenges("many", group, 64)
    assert values.first_zero() is None
    size = group.scalar_size
    tops = [values.to_bytes()[at + size - 1] for at in range(0, 64 * size, size)]
    assert len(set(tops)) > 8


@pytest.mark.parametrize("field", OTHER_CONTEXTS)
def test_every_field_of_the_context_counts(group: Group, field: str) -> None:
    other = OTHER_CONTEXTS[field].transcript()
    assert other.challenge("x", group).to_bytes() != CONTEXT.transcript().challenge("x", group).to_bytes()


def test_neighbouring_fields_of_the_context_do_not_run_together(group: Group) -> None:
    contexts = [
        replace(CONTEXT, hand=1, deck=2),
        replace(CONTEXT, hand=2, deck=1),
        replace(CONTEXT, deck=1, epoch=2),
        replace(CONTEXT, deck=2, epoch=1),
        replace(CONTEXT, session=b"ab", roster=b"c"),
        replace(CONTEXT, session=b"a", roster=b"bc"),
        replace(CONTEXT, step="1", seat=1),
        replace(CONTEXT, step="11", seat=1),
    ]
    found = {context.transcript().challenge("x", group).to_bytes() for context in contexts}
    assert len(found) == len(contexts)


def test_prover_and_verifier_say_the_same(group: Group) -> None:
    """The trace of both, item by item, for every kind of proof."""
    for make in CASES.values():
        case = make(group, 2)
        said: dict[str, list[str]] = {"prover": [], "verifier": []}
        proof = case.prover(CONTEXT.transcript(said["prover"].append), tape("x"), case.public)
        case.checker(CONTEXT.transcript(said["verifier"].append), case.public, proof)
        assert said["prover"] == said["verifier"]
        assert len(said["prover"]) > 4


def test_everything_public_is_in_the_transcript_before_the_first_challenge(group: Group) -> None:
    """A13, by looking: every array of the statement has been absorbed when the first challenge is drawn."""
    for make in CASES.values():
        case = make(group, 1 if make not in SHUFFLES.values() else 2)
        said: list[str] = []
        # The trace shortens long items; so it is compared with the same shortening.
        case.prover(CONTEXT.transcript(said.append), tape("x"), case.public)
        first = next(index for index, line in enumerate(said) if line.startswith(f"{labels.CHALLENGE}: "))
        before = "\n".join(said[:first])
        for name, array in case.public.items():
            data = array.to_bytes()
            assert (data if len(data) <= 64 else data[:16]).hex() in before, (case.name, name)


def test_the_trace_shows_no_secret(group: Group) -> None:
    """What is traced is public: the same lines come out of the verifier, who knows nothing else. And no seed."""
    case = CASES["addmask"](group, 2)
    said: list[str] = []
    secret = tape("x")
    case.prover(CONTEXT.transcript(said.append), secret, case.public)
    assert secret.seed.hex() not in "\n".join(said)
    assert repr(secret) == "<Tape>"


# --- Nonces ---


def test_nonces_leave_the_transcript_as_it_was(group: Group) -> None:
    """They must not be hashed, or the verifier could not follow."""
    transcript = CONTEXT.transcript()
    transcript.nonces(tape("x"), "k", group, 3)
    assert transcript.challenge("x", group) == CONTEXT.transcript().challenge("x", group)


def test_nonces_hang_on_tape_label_count_and_state(group: Group) -> None:
    def first(transcript: Transcript, seed: str = "x", label: str = "k", count: int = 1) -> bytes:
        return transcript.nonces(tape(seed), label, group, count).to_bytes()[:32]

    moved = CONTEXT.transcript()
    moved.absorb("label", 1)
    later = CONTEXT.transcript()
    later.challenge("x", group)
    found = [
        first(CONTEXT.transcript()),
        first(CONTEXT.transcript(), seed="y"),
        first(CONTEXT.transcript(), label="l"),
        first(CONTEXT.transcript(), count=2),
        first(moved),
        first(later),
        *(first(context.transcript()) for context in OTHER_CONTEXTS.values()),
    ]
    assert len(set(found)) == len(found)
    assert first(CONTEXT.transcript()) == found[0]


def test_an_array_with_a_zero_is_drawn_again(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Tape.draw
    indices: list[int] = []

    def draw(self: Tape, label: str, inputs: bytes, *, size: int, index: int = 0) -> bytes:
        indices.append(index)
        block = honest(self, label, inputs, size=size, index=index)
        return block[: size - group.wide_size] + bytes(group.wide_size) if index < 2 else block

    monkeypatch.setattr(Tape, "draw", draw)
    values = draw_scalars(tape("x"), "k", b"", group, 3)
    assert indices == [0, 1, 2]
    assert values.first_zero() is None


def test_the_definition(group: Group) -> None:
    """A challenge computed by hand: SHA-512 over framed items, SHAKE256 of that to 64 bytes, reduced."""

    def text(value: str) -> bytes:
        return b"s" + len(value).to_bytes(8, "little") + value.encode()

    def number(value: int) -> bytes:
        return b"i" + value.to_bytes(8, "little")

    def data(value: bytes) -> bytes:
        return b"b" + len(value).to_bytes(8, "little") + value

    state = text("nodealer/proof") + number(1) + number(1)
    state += text("context") + number(10) + text("mask") + number(0) + data(CONTEXT.session) + data(CONTEXT.roster)
    state += number(3) + number(0) + number(0) + text("shuffle 1") + number(2) + data(CONTEXT.anchor)
    state += text("label") + number(2) + data(b"item") + number(7)
    state += text("x") + number(2) + text(group.name) + number(1)
    wide = hashlib.shake_256(hashlib.sha512(state).digest()).digest(64)
    transcript = CONTEXT.transcript()
    transcript.absorb("label", b"item", 7)
    assert transcript.challenge("x", group) == group.wide_scalars(wide)
    state += text("challenge") + number(1) + data(wide) + text("y") + number(2) + text(group.name) + number(1)
    wide = hashlib.shake_256(hashlib.sha512(state).digest()).digest(64)
    assert transcript.challenge("y", group) == group.wide_scalars(wide)


def test_every_label_names_one_use() -> None:
    values = [value for name, value in vars(labels).items() if name.isupper() and isinstance(value, str | bytes)]
    assert len(set(values)) == len(values)
