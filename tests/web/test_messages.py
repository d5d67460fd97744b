"""What a page says is judged like bytes from a stranger, and what it is told is plain JSON."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from nodealer.errors import DecodeError
from nodealer.games.text import line, strong
from nodealer.web import messages as doc
from nodealer.web.messages import CHAT_MAX, CLIENT_MESSAGE_BYTES_MAX, read_client_message, spans

GOOD: dict[str, dict[str, Any]] = {
    "move": {"ask": 1, "move": {"type": "raise", "to": 20}, "sure": True},
    "typed": {"ask": 2, "text": "raise to 20"},
    "choose": {"ask": 3, "choose": [4, 7]},
    "seal": {"ask": 3, "text": "seven"},
    "without": {"seats": [1]},
    "break": {},
    "leave": {},
    "claim": {},
    "book": {},
    "sit out": {},
    "back": {},
    "seat": {"name": "Dan"},
    "agree": {"proposal": "00ff"},
    "chat": {"text": "hello"},
    "answer": {"ask": 1, "text": "y"},
    "deal": {"game": "free", "name": "Ada", "seats": 4, "hands": 3, "settings": {"stack": "100"}, "cheat": "2:double"},
    "save": {"what": "evidence"},
    "verify": {},
    "replay": {"hand": 2},
}


@pytest.mark.parametrize("kind", GOOD)
def test_every_document_of_a_page_is_read(kind: str) -> None:
    said = read_client_message(json.dumps({"type": kind} | GOOD[kind]))
    assert json.loads(msgspec.json.encode(said)).items() >= GOOD[kind].items()
    assert read_client_message(json.dumps({"type": kind} | GOOD[kind]).encode()) == said


@pytest.mark.parametrize("kind", GOOD)
def test_no_document_has_other_fields(kind: str) -> None:
    with pytest.raises(DecodeError, match="unknown field"):
        read_client_message(json.dumps({"type": kind, "html": "<b>"} | GOOD[kind]))


BAD: list[tuple[str, dict[str, Any]]] = [
    ("move", {"ask": 0}),
    ("move", {"ask": "1"}),
    ("move", {"ask": 2**40}),
    ("move", {"move": {}}),
    ("move", {"move": "fold"}),
    ("move", {"move": {str(n): 1 for n in range(7)}}),
    ("move", {"sure": 1}),
    ("typed", {"text": "x" * 201}),
    ("typed", {"ask": -1}),
    ("choose", {"choose": []}),
    ("choose", {"choose": [-1]}),
    ("choose", {"choose": ["1"]}),
    ("choose", {"choose": list(range(10_001))}),
    ("without", {"seats": []}),
    ("without", {"seats": [20]}),
    ("without", {"seats": [0] * 21}),
    ("chat", {"text": ""}),
    ("chat", {"text": "x" * (CHAT_MAX + 1)}),
    ("answer", {"ask": 1, "text": "x" * 201}),
    ("answer", {"ask": 0}),
    ("deal", {"seats": 1}),
    ("deal", {"seats": 10}),
    ("deal", {"hands": 0}),
    ("deal", {"hands": 10_001}),
    ("deal", {"game": 3}),
    ("deal", {"name": "x" * 201}),
    ("deal", {"settings": {"stack": 100}}),
    ("deal", {"settings": {"stack": "x" * 201}}),
    ("deal", {"cheat": "x" * 201}),
    ("save", {"what": "keys"}),
    ("seat", {"name": "x" * 201}),
    ("agree", {"proposal": "0"}),
    ("agree", {"proposal": "0G"}),
    ("agree", {"proposal": "00" * 65}),
    ("replay", {"hand": 0}),
    ("replay", {"hand": 1_000_001}),
]


@pytest.mark.parametrize(("kind", "change"), BAD)
def test_every_field_is_judged(kind: str, change: dict[str, Any]) -> None:
    with pytest.raises(DecodeError, match="message from the page"):
        read_client_message(json.dumps({"type": kind} | GOOD[kind] | change))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"type":"hello"}', '{"type":"eval"}', "x", "[" * 3000, b"\xff\xfe"])
def test_what_is_no_document_is_refused(text: str | bytes) -> None:
    with pytest.raises(DecodeError):
        read_client_message(text)


def test_a_long_document_is_not_even_read() -> None:
    with pytest.raises(DecodeError, match="bytes, more than"):
        read_client_message('{"type":"chat","text":"' + "x" * CLIENT_MESSAGE_BYTES_MAX + '"}')


def test_text_has_marks_and_no_markup() -> None:
    assert spans("") == () and spans("<b>") == (("<b>", None),)
    assert spans(line("a ", strong("b"))) == (("a ", None), ("b", "strong"))


def test_every_document_to_a_page_is_json_with_a_type() -> None:
    told = doc.QuestionOpen(1, "choose", (), (), "take", (doc.PeekedCard(3, (("x", None),)),))
    assert json.loads(doc.encode_message(told)) == {
        "type": "ask", "ask": 1, "for": "choose", "prompt": [], "help": [], "then": "take",
        "seen": [{"position": 3, "text": [["x", None]]}], "typed": False,
    }  # fmt: skip
