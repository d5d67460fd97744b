"""The tape: what depends on what, and whether orders are uniform."""

from __future__ import annotations

import gc
import hashlib
import itertools
import weakref

import pytest

from nodealer.errors import BadParameter
from nodealer.group.order import uniform_below
from nodealer.tape import Tape, digest, expand, framed, hand_tape, seed_commitment

ROOT = bytes(range(32))
SESSION = b"s" * 32


def tape(seed: str = "") -> Tape:
    return Tape(hashlib.sha256(seed.encode()).digest())


# --- Framing ---


def test_framing_by_hand() -> None:
    assert framed("a", b"bc", 5) == (
        b"s"
        + bytes([1, 0, 0, 0, 0, 0, 0, 0])
        + b"a"
        + b"b"
        + bytes([2, 0, 0, 0, 0, 0, 0, 0])
        + b"bc"
        + b"i\5"
        + bytes(7)
    )
    assert digest("a", b"bc", 5) == hashlib.sha512(framed("a", b"bc", 5)).digest()[:32]
    assert expand("a", b"bc", size=40) == hashlib.shake_256(framed("a", b"bc", 40)).digest(40)


def test_no_two_lists_have_one_frame() -> None:
    """Every way to cut and type a few characters, with every label."""
    parts = ("", "a", "b", "ab", "ba")
    items: list[bytes | str | int] = [*parts, *(part.encode() for part in parts), 0, 1, 97, 2**64 - 1]
    lists = [(label, *rest) for label in parts for count in range(3) for rest in itertools.product(items, repeat=count)]
    assert len({framed(*entry) for entry in lists}) == len(lists)


def test_text_is_utf8() -> None:
    assert framed("é") == b"s\2" + bytes(7) + "é".encode()


def test_no_text_is_kept() -> None:
    """An invitation is hashed too. Only what stands first, a word of this program, is framed once for all."""

    class Text(str):
        """One that can be watched."""

    secret = Text("the key of a table")
    gone = weakref.ref(secret)
    framed("label", secret)
    del secret
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("number", [-1, 2**64])
def test_numbers_out_of_range_are_no_items(number: int) -> None:
    with pytest.raises(OverflowError):
        framed("a", number)


def test_no_output_is_a_prefix_of_another() -> None:
    blocks = [expand("a", b"x", size=size) for size in (16, 32, 33, 64, 128)]
    assert len({block[:16] for block in blocks}) == len(blocks)


# --- Values ---


def test_same_inputs_same_bytes() -> None:
    assert tape().draw("k", b"in", size=64) == tape().draw("k", b"in", size=64)
    assert tape().permutation("p", b"in", 52).vartime_list() == tape().permutation("p", b"in", 52).vartime_list()


def test_other_inputs_other_bytes() -> None:
    blocks = [
        tape().draw("k", b"in", size=32),
        tape("other").draw("k", b"in", size=32),
        tape().draw("l", b"in", size=32),
        tape().draw("ki", b"n", size=32),
        tape().draw("k", b"i", size=32),
        tape().draw("k", b"", size=32),
        tape().draw("k", b"in", size=32, index=1),
        tape().draw("k", b"in", size=64)[:32],
        tape().draw("k", b"in", size=64)[32:],
    ]
    assert len(set(blocks)) == len(blocks)


def test_the_definition() -> None:
    t = tape()
    expected = hashlib.shake_256(framed("value", t.seed, "k", b"in", 3, 48)).digest(48)
    assert t.draw("k", b"in", size=48, index=3) == expected


def test_seeds_and_roots_have_their_size() -> None:
    for wrong in (b"", bytes(31), bytes(33), "x" * 32, bytearray(32)):
        with pytest.raises(BadParameter, match="seed"):
            Tape(wrong)  # type: ignore[arg-type]
        with pytest.raises(BadParameter, match="root"):
            hand_tape(wrong, session=SESSION, seat=0, hand=0)  # type: ignore[arg-type]


def test_a_tape_shows_nothing() -> None:
    t = tape()
    for shown in (repr(t), str(t), f"{t}", repr([t]), repr({"tape": t})):
        assert t.seed.hex() not in shown and repr(t.seed) not in shown
    assert "<Tape>" in repr([t])


# --- Hands ---


def test_one_hand_says_nothing_of_another() -> None:
    """What anybody can compute from the opened seed of hand 3, recomputed: no other seed, and not the root."""
    opened = hand_tape(ROOT, session=SESSION, seat=1, hand=3)
    others = {
        hand_tape(ROOT, session=session, seat=seat, hand=hand).seed
        for session in (SESSION, b"t" * 32)
        for seat in range(3)
        for hand in range(8)
        if (session, seat, hand) != (SESSION, 1, 3)
    }
    assert len(others) == 47
    computable = {
        # The opened seed in the place of the root, with every index …
        *(hand_tape(opened.seed, session=SESSION, seat=seat, hand=hand).seed for seat in range(3) for hand in range(8)),
        # … and values and digests that it gives.
        *(opened.draw("hand", SESSION, size=32, index=hand) for hand in range(8)),
        *(expand("hand", opened.seed, SESSION, 1, hand, size=32) for hand in range(8)),
        hashlib.sha256(opened.seed).digest(),
        opened.seed,
    }
    assert not computable & {*others, ROOT}


def test_a_seed_is_bound_to_session_seat_and_hand() -> None:
    assert hand_tape(ROOT, session=SESSION, seat=1, hand=3).seed == hashlib.shake_256(
        framed("hand", ROOT, SESSION, 1, 3, 32)
    ).digest(32)
    seeds = {
        hand_tape(root, session=session, seat=seat, hand=hand).seed
        for root in (ROOT, bytes(32))
        for session in (SESSION, b"t" * 32)
        for seat in (0, 1)
        for hand in (0, 1)
    }
    assert len(seeds) == 16


def test_the_commitment_opens_one_seed_for_one_place() -> None:
    t = hand_tape(ROOT, session=SESSION, seat=1, hand=3)
    made = seed_commitment(t, session=SESSION, seat=1, hand=3)
    assert made == digest("tape", SESSION, 1, 3, t.seed)
    others = [
        seed_commitment(tape(), session=SESSION, seat=1, hand=3),
        seed_commitment(t, session=b"t" * 32, seat=1, hand=3),
        seed_commitment(t, session=SESSION, seat=2, hand=3),
        seed_commitment(t, session=SESSION, seat=3, hand=1),
        seed_commitment(t, session=SESSION, seat=1, hand=4),
    ]
    assert made not in others and len(set(others)) == len(others)


# --- Orders ---


@pytest.mark.parametrize("count", [0, 1, 2, 3, 52, 1000])
def test_an_order_is_a_permutation(count: int) -> None:
    assert sorted(tape().permutation("p", b"", count).vartime_list()) == list(range(count))


def test_orders_of_four_cards_are_uniform() -> None:
    """Chi-square over all 24 orders: 23 degrees of freedom, 58.6 is passed once in 16,000 by chance."""
    trials = 24 * 500
    counts = dict.fromkeys(itertools.permutations(range(4)), 0)
    t = tape("uniform")
    for index in range(trials):
        counts[tuple(t.permutation("p", index.to_bytes(4, "little"), 4).vartime_list())] += 1
    expected = trials / 24
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 58.6


def test_places_of_a_deck_are_uniform() -> None:
    """Where the first card of 13 goes: 12 degrees of freedom."""
    trials = 13 * 300
    counts = [0] * 13
    for index in range(trials):
        counts[tape("places").permutation("p", index.to_bytes(4, "little"), 13).vartime_list().index(0)] += 1
    assert sum((count - 300) ** 2 / 300 for count in counts) < 40


def test_words_of_the_incomplete_run_are_thrown_away() -> None:
    for bound in (3, 5, 6, 7, 52, 10_000):
        fair = 2**64 - 2**64 % bound
        assert fair % bound == 0
        words = iter([2**64 - 1, fair, fair + (2**64 - fair) // 2, fair - 1, 0])
        assert uniform_below(bound, words) == bound - 1
        assert list(words) == [0]


def test_powers_of_two_throw_nothing_away() -> None:
    assert uniform_below(4, iter([2**64 - 1])) == 3
    assert uniform_below(1, iter([2**64 - 1])) == 0


def test_every_remainder_has_the_same_number_of_words() -> None:
    """The rule on words of 8 bits instead of 64: exact counts."""
    for bound in range(1, 100):
        fair = 256 - 256 % bound
        counts = [sum(1 for word in range(fair) if word % bound == value) for value in range(bound)]
        assert len(set(counts)) == 1


def test_an_order_goes_on_when_its_words_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first block is all rejected words: the second one is drawn with the next index."""
    honest = Tape.draw
    indices: list[int] = []

    def draw(self: Tape, label: str, inputs: bytes, *, size: int, index: int = 0) -> bytes:
        indices.append(index)
        return b"\xff" * size if index == 0 else honest(self, label, inputs, size=size, index=index)

    monkeypatch.setattr(Tape, "draw", draw)
    # 7 does not divide 2^64, nor do 6, 5 and 3: for those the words 2^64 − 1 are thrown away.
    assert sorted(tape().permutation("p", b"", 7).vartime_list()) == list(range(7))
    assert indices == [0, 1]
