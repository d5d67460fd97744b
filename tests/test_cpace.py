"""CPace: the vectors of the draft, and what it says must be refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from nodealer import cpace
from nodealer.cpace import Run, generator, generator_string, lv_cat, session_key, transcript
from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors" / "cpace.json").read_text())


def vector(name: str) -> bytes:
    return bytes.fromhex(VECTORS[name])


def run(secret: str, words: bytes = vector("PRS"), channel: bytes = vector("CI"), sid: bytes = vector("sid")) -> Run:
    return Run(words, channel, sid, vector(secret) + bytes(32))


@pytest.fixture(autouse=True)
def backend(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpace, "group", lambda: group)


def test_the_generator() -> None:
    string = generator_string(vector("PRS"), vector("CI"), vector("sid"))
    head = b"\x11CPaceRistretto255\x08Password" + bytes([VECTORS["zpad"]]) + bytes(VECTORS["zpad"])
    assert string == head + b"\x18" + vector("CI") + b"\x10" + vector("sid") and len(head) == 128
    assert hashlib.sha512(string).hexdigest() == VECTORS["generator_hash"]
    assert generator(vector("PRS"), vector("CI"), vector("sid")).to_bytes() == vector("g")


def test_long_words_need_no_padding() -> None:
    assert generator_string(bytes(200), b"", b"") == b"\x11CPaceRistretto255\xc8\x01" + bytes(200) + bytes(3)


def test_shares_and_key() -> None:
    a, b = run("ya"), run("yb")
    assert (a.share, b.share) == (vector("Ya"), vector("Yb"))
    said = transcript(a.share, b.share, vector("ADa"), vector("ADb"))
    assert said == vector("transcript_ir")
    assert session_key(vector("sid"), vector("K"), said) == vector("ISK_IR")
    # We send no data beside the shares.
    key = session_key(vector("sid"), vector("K"), transcript(a.share, b.share))
    assert a.key_of_initiator(b.share) == b.key_of_responder(a.share) == key


def test_multiplication(group: Group) -> None:
    found = VECTORS["valid"]
    product = group.scalars(bytes.fromhex(found["s"])) * group.points(bytes.fromhex(found["X"]))
    assert product.to_bytes().hex() == found["sX"]


#: Of the draft; and a field element that is not reduced, a negative one, nothing, and two shares.
BAD = [*VECTORS["invalid"], "ed" + 30 * "ff" + "7f", "01" + 31 * "00", "", 2 * VECTORS["Yb"]]


@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_share(bad: str) -> None:
    for one in (run("ya").key_of_initiator, run("ya").key_of_responder):
        with pytest.raises(DecodeError):
            one(bytes.fromhex(bad))


@pytest.mark.parametrize("other", [{"words": b"password"}, {"channel": b""}, {"sid": bytes(16)}])
def test_what_differs_makes_another_key(other: dict[str, bytes]) -> None:
    a, b = run("ya"), run("yb", **other)
    assert a.key_of_initiator(b.share) != b.key_of_responder(a.share)


def test_roles_are_in_the_key() -> None:
    a, b = run("ya"), run("yb")
    assert a.key_of_initiator(b.share) != a.key_of_responder(b.share)


@pytest.mark.parametrize("entropy", [bytes(64), bytes(63), bytes(65), "x" * 64])
def test_bad_entropy(entropy: Any) -> None:
    with pytest.raises(BadParameter, match="is zero" if entropy == bytes(64) else "needs 64 bytes"):
        Run(b"", b"", b"", entropy)


def test_lengths() -> None:
    """LEB128, as the draft's appendix has it."""
    assert lv_cat(b"1234", b"5", b"", b"678") == b"\x041234\x015\x00\x03678"
    for size, head in ((127, b"\x7f"), (128, b"\x80\x01"), (16384, b"\x80\x80\x01")):
        assert lv_cat(bytes(size)) == head + bytes(size)


def test_nothing_is_shown() -> None:
    assert repr(run("ya")) == "<Run>"
