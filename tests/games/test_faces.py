"""What may be printed on a card is the same for every Python and Unicode version; docs/build/library.md lists it."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Final

import pytest

from nodealer.games.free.faces import FACE_MAX, is_face

PAGE: Final = (Path(__file__).parents[2] / "docs" / "build" / "library.md").read_text()
NEVER: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
#: In Unicode 15 the first has a picture, and the second is a mark of format. In 14 they are nothing.
NEWER: Final = "\U0001fae8", "\U00013439"


def test_the_page_lists_the_same_characters() -> None:
    listed = re.search(r"can be printed: none of\s+U\+(.*?)\. \(", PAGE, re.DOTALL)
    assert listed is not None
    never = set[int]()
    for one in re.findall(r"[0-9A-F]{4,}(?:–[0-9A-F]{4,})?", listed[1]):
        first, _, last = one.partition("–")
        never.update(range(int(first, 16), int(last or first, 16) + 1))
    assert {code for code in range(0x110000) if not is_face(chr(code))} == never


def test_they_are_those_that_unicode_14_calls_so() -> None:
    """A later Unicode has more of them; the allowed ones stay the same."""
    here = {code for code in range(0x110000) if _never(chr(code))}
    missing = here - {code for code in range(0x110000) if not is_face(chr(code))}
    assert not missing if unicodedata.unidata_version == "14.0.0" else len(missing) < 100


def _never(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind in NEVER or (kind == "Zs" and character != " ")


@pytest.mark.parametrize("text", [*NEWER, "a b", "♠A", "x" * FACE_MAX])
def test_faces(text: str) -> None:
    assert is_face(text)


@pytest.mark.parametrize("text", ["", "x" * (FACE_MAX + 1), "a\n", "\u202e", "a\u00a0b", "\ud800", "\ue000"])
def test_no_faces(text: str) -> None:
    assert not is_face(text)
