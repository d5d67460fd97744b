"""docs/spec/log.md: its example is a log, read here by nothing but what the page says."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from nodealer.engine import bodies
from nodealer.log.entry import first_head, next_head, read_entry
from nodealer.log.session import read_session

from .make_example import rewritten

PAGE = (Path(__file__).parents[2] / "docs" / "spec" / "log.md").read_text()
SESSION, *ENTRIES = [
    line for block in re.findall(r"```json\n(.*?)```", PAGE, re.S) for line in block.strip().split("\n")
]
VALUES = dict(re.findall(r"^(session|proposal|roster|head \d)\s+([0-9a-f]{64})$", PAGE, re.M))


def framed(*parts: str | bytes | int) -> bytes:
    out = b""
    for part in parts:
        if isinstance(part, int):
            out += b"i" + part.to_bytes(8, "little")
        else:
            data = part if isinstance(part, bytes) else part.encode()
            out += (b"b" if isinstance(part, bytes) else b"s") + len(data).to_bytes(8, "little") + data
    return out


def H(*parts: str | bytes | int) -> bytes:
    return hashlib.sha512(framed(*parts)).digest()[:32]


def compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def test_the_session_by_the_page_alone() -> None:
    session = json.loads(SESSION)
    proposal = session["proposal"]
    assert H("session", SESSION.encode()).hex() == VALUES["session"]
    assert H("proposal", compact(proposal)).hex() == VALUES["proposal"]
    assert H("roster", compact(proposal["roster"])).hex() == VALUES["roster"]
    for place, player in enumerate(proposal["roster"]["members"]):
        nonce = base64.b64decode(session["nonces"][place])
        committed = H("session nonce", bytes.fromhex(VALUES["proposal"]), player["seat"], nonce)
        assert committed == base64.b64decode(session["commitments"][place])


def test_the_entries_by_the_page_alone() -> None:
    keys = [base64.b64decode(p["key"]) for p in json.loads(SESSION)["proposal"]["roster"]["members"]]
    session, roster = bytes.fromhex(VALUES["session"]), bytes.fromhex(VALUES["roster"])
    head = H("log", session)
    assert head.hex() == VALUES["head 0"]
    for number, line in enumerate(ENTRIES):
        signed = json.loads(line)
        entry = signed["entry"]
        Ed25519PublicKey.from_public_bytes(keys[entry["seat"]]).verify(
            base64.b64decode(signed["signature"]), compact(entry)
        )
        assert base64.b64decode(entry["session"]) == session and base64.b64decode(entry["roster"]) == roster
        anchor = H("between", roster)
        duty = H("duty", session, 0, "table", entry["seat"], entry["body"]["type"], anchor)
        assert base64.b64decode(entry["body"]["duty"]) == duty
        head = H("head", head, line.encode())
        assert head.hex() == VALUES[f"head {number + 1}"]


def test_the_package_reads_them_too() -> None:
    session = read_session(SESSION.encode())
    head = first_head(session.id)
    for line in ENTRIES:
        read_entry(line.encode())
        head = next_head(head, line.encode())
    assert head.hex() == VALUES[f"head {len(ENTRIES)}"]


def test_the_example_is_what_the_package_writes() -> None:
    assert rewritten(PAGE) == PAGE


def test_every_body_and_field_is_on_the_page() -> None:
    table = PAGE.split("## Bodies")[1].splitlines()
    for kind in bodies.Body.__args__:
        row = next(line for line in table if line.startswith(f"| `{kind.__struct_config__.tag}` |"))
        assert all(f"`{field}`" in row for field in kind.__struct_fields__)
