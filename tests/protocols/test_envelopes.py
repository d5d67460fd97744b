"""Something sealed now and shown later: it hides, it binds, and it belongs to one place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.errors import BadParameter, DecodeError, PeerFault
from nodealer.group import group as make_group
from nodealer.protocols.envelopes import SEAL_LIMIT, UNSEAL_LIMIT, VALUE_BYTES_MAX, Envelope
from nodealer.protocols.promises import Promise
from nodealer.tape import Tape
from nodealer.wire import encode
from sampling import times

from .decks import binding, tapes_of
from .kit import changed, field_of

TABLE = binding("mask", make_group(backend="reference"))
ENVELOPE = Envelope(TABLE, 1, b"a" * 32)
TAPE = tapes_of(3)[1]

#: The same envelope elsewhere.
ELSEWHERE = {
    "seat": replace(ENVELOPE, seat=2),
    "anchor": replace(ENVELOPE, anchor=b"b" * 32),
    **{
        name: replace(ENVELOPE, binding=replace(TABLE, **{name: value}))  # type: ignore[arg-type]
        for name, value in {
            "protocol": "lock",
            "version": 7,
            "session": b"t" * 32,
            "roster": b"q" * 32,
            "hand": 1,
        }.items()
    },
}


@given(st.binary(max_size=VALUE_BYTES_MAX))
@settings(max_examples=times(30, deep=500))
def test_what_was_sealed_comes_out(value: bytes) -> None:
    sealed = ENVELOPE.sealed(ENVELOPE.seal(TAPE, value))
    assert sealed.opened(ENVELOPE.unseal(TAPE, value)) == value


def test_the_same_words_again() -> None:
    """Restarted, a seat says the same."""
    assert ENVELOPE.seal(TAPE, b"7") == ENVELOPE.seal(TAPE, b"7")
    assert ENVELOPE.unseal(TAPE, b"7") == ENVELOPE.unseal(TAPE, b"7")


def test_limits() -> None:
    """The largest value fits, and one byte more does not: not for its writer, and not for who reads it."""
    largest = b"\xff" * VALUE_BYTES_MAX
    sealed, shown = ENVELOPE.seal(TAPE, largest), ENVELOPE.unseal(TAPE, largest)
    assert len(sealed) <= SEAL_LIMIT and len(shown) <= UNSEAL_LIMIT
    with pytest.raises(BadParameter, match="1025 bytes do not fit"):
        ENVELOPE.seal(TAPE, largest + b"x")
    with pytest.raises(DecodeError):
        ENVELOPE.sealed(sealed).opened(changed(shown, value=largest + b"x"))


def test_the_size_of_a_seal_says_nothing() -> None:
    assert len({len(ENVELOPE.seal(TAPE, b"x" * size)) for size in (0, 1, 100, 1024)}) == 1


# --- It hides ---


def test_a_guess_cannot_be_tried() -> None:
    """Of two bids, not even who knows both can say which was sealed: the blinding is on the tape."""
    commitment = ENVELOPE.sealed(ENVELOPE.seal(TAPE, b"5")).commitment
    for tape in (Tape(bytes(32)), tapes_of(3)[0]):
        for guess in (b"5", b"6"):
            assert ENVELOPE.sealed(ENVELOPE.seal(tape, guess)).commitment != commitment


def test_one_opened_on_a_fork_says_nothing_about_another() -> None:
    """Two values for one place, which only a fork can ask for: had they one blinding, who sees one opened could try all
    values for the other."""
    blinding = field_of(ENVELOPE.unseal(TAPE, b"5"), "blinding")
    other = ENVELOPE.sealed(ENVELOPE.seal(TAPE, b"6")).commitment
    guess = Promise("value", TABLE, 1, ENVELOPE.anchor, b"6")
    assert guess.commitment(blinding) != other
    assert guess.commitment(guess.blinding(TAPE)) == other


@pytest.mark.parametrize("name", ELSEWHERE)
def test_every_place_has_a_blinding_of_its_own(name: str) -> None:
    there = field_of(ELSEWHERE[name].unseal(TAPE, b"5"), "blinding")
    assert there != field_of(ENVELOPE.unseal(TAPE, b"5"), "blinding")


def test_nothing_secret_is_shown() -> None:
    assert "secret" not in repr(Promise("value", TABLE, 1, b"", b"secret"))


# --- It binds ---


def test_another_value() -> None:
    sealed = ENVELOPE.sealed(ENVELOPE.seal(TAPE, b"5"))
    honest = ENVELOPE.unseal(TAPE, b"5")
    for false in (
        ENVELOPE.unseal(TAPE, b"6"),
        changed(honest, value=b"6"),
        changed(honest, value=b""),
        changed(honest, value=b"5\0"),
        changed(honest, blinding=bytes(32)),
    ):
        with pytest.raises(PeerFault, match="the value is not the one that it committed to") as caught:
            sealed.opened(false)
        assert caught.value.seat == 1


@pytest.mark.parametrize("name", ELSEWHERE)
def test_an_envelope_of_another_place(name: str) -> None:
    """A commitment that was said elsewhere, by another seat or in another hand, does not open here."""
    there = ELSEWHERE[name]
    copied = ENVELOPE.sealed(there.seal(TAPE, b"5"))
    assert there.sealed(there.seal(TAPE, b"5")).opened(there.unseal(TAPE, b"5")) == b"5"
    with pytest.raises(PeerFault, match="committed"):
        copied.opened(there.unseal(TAPE, b"5"))


def test_a_coin_is_no_envelope() -> None:
    """What is promised for one use is not a promise for another."""
    coin = Promise("coin", TABLE, 1, ENVELOPE.anchor, b"5")
    value = replace(coin, label="value")
    assert coin.blinding(TAPE) != value.blinding(TAPE)
    assert coin.commitment(bytes(32)) != value.commitment(bytes(32))


# --- Bytes ---


def test_malformed_words() -> None:
    seal, unseal = ENVELOPE.seal(TAPE, b"5"), ENVELOPE.unseal(TAPE, b"5")
    sealed = ENVELOPE.sealed(seal)
    common = (b"", b"{}", b"[" * 100, b"x" * 100_000)
    for wrong in (
        *common,
        seal + b" ",
        unseal,
        changed(seal, commitment=bytes(31)),
        changed(seal, commitment=bytes(33)),
        encode({"type": "seal", "commitment": "?"}),
    ):
        with pytest.raises(DecodeError):
            ENVELOPE.sealed(wrong)
    for wrong in (
        *common,
        unseal + b" ",
        seal,
        changed(unseal, blinding=bytes(31)),
        changed(unseal, blinding=bytes(33)),
        changed(unseal, value=None),
        unseal.replace(b'"value"', b'"other"'),
        unseal.replace(b"}", b',"more":1}'),
    ):
        with pytest.raises(DecodeError):
            sealed.opened(wrong)
