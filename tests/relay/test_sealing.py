"""Sealed frames follow the specification, and everything else is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nodealer import keys
from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import agreement_key, derive, extract
from nodealer.keys import seal as seal_text
from nodealer.relay.sealing import HEADER_BYTES, ReadKey, TableSecret, open_box
from nodealer.tape import framed

from . import sealing_oracle

VECTORS: dict[str, Any] = json.loads(sealing_oracle.FILE.read_text())
SECRET = TableSecret(b"S" * 32, "T", 4)
SENDER = b"from one home..."


@pytest.fixture(params=["library", "here"], autouse=True)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with `cryptography`, and with the package's own arithmetic."""
    if request.param == "library":
        found = keys.LibraryCiphers()
        monkeypatch.setattr(keys, "ciphers", lambda: found)


def test_the_vectors_are_those_of_the_oracle() -> None:
    assert sealing_oracle.vectors() == VECTORS


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=lambda vector: vector["table"] + vector["text"][:4])
def test_frames(vector: dict[str, Any]) -> None:
    secret = TableSecret(bytes.fromhex(vector["secret"]), vector["table"], vector["epoch"])
    assert (secret.read_key.key.hex(), secret.write_token.hex()) == (vector["read"], vector["write"])
    sender, text = bytes.fromhex(vector["sender"]), bytes.fromhex(vector["text"])
    frame = secret.read_key.seal(sender, text)
    assert frame.hex() == vector["frame"]
    assert secret.read_key.open(frame) == (sender, text)


def test_a_watcher_reads_and_cannot_write() -> None:
    """R and W are both derived from S by one-way steps."""
    watcher = ReadKey(SECRET.read_key.key, "T", 4)
    assert watcher.open(SECRET.read_key.seal(SENDER, b"text")) == (SENDER, b"text")
    assert SECRET.write_token not in (
        watcher.key,
        derive(extract("nodealer/seal/v1", watcher.key), "write", "T", 4, size=32),
    )
    assert "S" * 8 not in repr(SECRET) and watcher.key.hex()[:8] not in repr(watcher)


def test_the_same_words_give_the_same_bytes_and_others_another_key() -> None:
    reading = SECRET.read_key
    frame = reading.seal(SENDER, b"text")
    assert reading.seal(SENDER, b"text") == frame
    others = [reading.seal(SENDER, b"texu"), reading.seal(b"from another one", b"text")]
    for other in others:
        assert other[HEADER_BYTES - 32 :][:32] != frame[HEADER_BYTES - 32 :][:32]
        # A frame with the text of one and the tag of another does not open.
        with pytest.raises(DecodeError):
            reading.open(frame[:HEADER_BYTES] + other[HEADER_BYTES:])
        with pytest.raises(DecodeError):
            reading.open(other[:HEADER_BYTES] + frame[HEADER_BYTES:])


def test_every_byte_of_a_frame_counts() -> None:
    frame = SECRET.read_key.seal(SENDER, b"text")
    for at in range(len(frame)):
        for flip in (1, 0x80):
            with pytest.raises(DecodeError):
                SECRET.read_key.open(frame[:at] + bytes([frame[at] ^ flip]) + frame[at + 1 :])
    for length in range(len(frame)):
        with pytest.raises(DecodeError):
            SECRET.read_key.open(frame[:length])
    with pytest.raises(DecodeError):
        SECRET.read_key.open(frame + b"\0")


def test_a_frame_fits_one_table_epoch_and_key() -> None:
    frame = SECRET.read_key.seal(SENDER, b"text")
    for other in (TableSecret(b"S" * 32, "U", 4), TableSecret(b"S" * 32, "T", 5), TableSecret(b"R" * 32, "T", 4)):
        with pytest.raises(DecodeError):
            other.read_key.open(frame)
        with pytest.raises(DecodeError):
            other.read_key.open(other.epoch.to_bytes(8, "little") + frame[8:])


def test_the_tag_commits_to_the_words() -> None:
    """A frame is sealed correctly, but with the key of another text's tag: it decrypts, and is refused."""
    reading, words = SECRET.read_key, b"n" * 32
    prk = extract("nodealer/seal/v1", reading.key)
    ke = derive(prk, "enc", "T", 4, SENDER, size=64)
    sealed = seal_text(derive(ke, "msg", words, size=32), framed("nodealer/frame/v1", "T", 4, SENDER), b"text")
    with pytest.raises(DecodeError, match="tag does not match its text"):
        reading.open((4).to_bytes(8, "little") + SENDER + words + sealed)


def test_senders_and_secrets_have_a_size() -> None:
    for sender in (b"", bytes(15), bytes(17)):
        with pytest.raises(BadParameter, match="16 bytes"):
            SECRET.read_key.seal(sender, b"")
    for secret in (b"", bytes(15), "text"):
        with pytest.raises(BadParameter, match="16 bytes"):
            TableSecret(secret, "T", 0)  # type: ignore[arg-type]
    with pytest.raises(BadParameter, match="32 bytes"):
        TableSecret(bytes(16), "T", 0).box(b"e" * 32, agreement_key(b"o" * 32), b"", b"")


# --- Boxes ---


def opened(vector: dict[str, Any], **changed: Any) -> TableSecret:
    given: dict[str, Any] = {
        name: bytes.fromhex(vector[name]) for name in ("box", "own", "session", "roster", "digest")
    }
    given |= {"table": "T", "epoch": vector["epoch"], **changed}
    return open_box(given.pop("box"), given.pop("own"), **given)


@pytest.mark.parametrize("vector", VECTORS["boxes"])
def test_boxes(vector: dict[str, Any]) -> None:
    raw = {name: bytes.fromhex(value) for name, value in vector.items() if isinstance(value, str)}
    secret = TableSecret(raw["secret"], "T", vector["epoch"])
    assert agreement_key(raw["own"]) == raw["public"]
    assert secret.box(raw["ephemeral"], raw["public"], raw["session"], raw["roster"]) == raw["box"]
    assert opened(vector) == secret


def test_a_box_is_for_one_seat_and_one_place() -> None:
    (vector,) = VECTORS["boxes"]
    box = bytes.fromhex(vector["box"])
    for changed in ({"own": b"p" * 32}, {"session": bytes(32)}, {"roster": bytes(32)}, {"epoch": 3}):
        with pytest.raises(DecodeError, match="not sealed"):
            opened(vector, **changed)
    with pytest.raises(DecodeError, match="another secret"):
        opened(vector, digest=bytes(64))
    for at in range(len(box)):
        with pytest.raises(DecodeError):
            opened(vector, box=box[:at] + bytes([box[at] ^ 1]) + box[at + 1 :])
    for wrong in (b"", box[:-1], box + b"\0"):
        with pytest.raises(DecodeError, match="80 bytes"):
            opened(vector, box=wrong)
    with pytest.raises(DecodeError, match="small order"):
        opened(vector, box=bytes(32) + box[32:])
