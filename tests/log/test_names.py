"""Names: every refusal, the tables against this Python's Unicode, and look-alikes."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import msgspec
import pytest

from nodealer.errors import DecodeError
from nodealer.log.names import DIGITS, SCRIPTS, SIGNS, casefold_name, refuse_bad_name
from nodealer.log.roster import refuse_bad_roster

from .test_roster import roster

ROOT = Path(__file__).parents[2]
#: Unicode's list (confusables.txt, as the library confusable_homoglyphs 3.3.1 carries it): what looks like each letter.
CONFUSABLES: dict[str, str] = json.loads((ROOT / "tests" / "vectors" / "confusables.json").read_text())


@pytest.mark.parametrize(
    "name",
    [
        *("Ada", "x", "x" * 64, "Zoë", "two words", "O'Brien-Smith Jr.", "player 1", "2pac", "Işık", "Nguyễn", "Ẹ̀kọ́"),
        *("李", "山田 太郎", "ひらカナ漢字", "ラーメン", "佐々木", "김철수", "Ελένη", "Ґанна", "Շուշան", "ქეთევან"),
        *("דָוִד".replace("\u05b8", ""), "محمّد", "अनुष्का", "মৌমি", "தமிழ்", "മലയാളം", "สมชาย", "မြွှေ", "ភ្នំ", "ሰላም"),
    ],
)
def test_good_names(name: str) -> None:
    refuse_bad_name(unicodedata.normalize("NFC", name), "the name")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "empty"),
        ("x" * 65, "more than 64 bytes"),
        ("ä" * 33, "more than 64 bytes"),
        ("x" * 10_000, "more than 64 bytes"),
        (" Ada", "begins or ends with a space"),
        ("Ada ", "begins or ends with a space"),
        (" ", "begins or ends with a space"),
        ("Ada  B", "two spaces in a row"),
        ("A\u0308da", "normal form"),
        ("e\u0323\u0302", "normal form"),
        ("\u0301Ada", "combining mark without a letter"),
        ("Ada 1\u0301", "combining mark without a letter"),
        ("Ada \u0301", "combining mark without a letter"),
        ("x" + "\u0330" * 5, "more than 4 marks"),
        ("12", "no letter"),
        ("-.'", "no letter"),
        ("Аda", "two scripts"),
        ("Ada\u0430", "two scripts"),
        ("AdaΒ", "two scripts"),
        ("김Kim", "two scripts"),
        ("李김", "two scripts"),
        ("a\u0901", "two scripts"),
        *(
            (f"a{bad}b", "not allowed in names")
            for bad in "\n\x00\x1b\x7f\x85\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u200e"
            "\u2028\u202e\u2060\u2066\u2800\u3000\u3164\ufe0f\ufeff\uffa0\ufffd\ue000\ud800\U000e0041\U0001f600"
        ),
        *((f"a{bad}b", "not allowed in names") for bad in '[]<>&"`\\/_%$’‘ʼ‐–・ｌℓ𝐥ǀǃɑⅼ١६'),
    ],
)
def test_bad_names(name: str, said: str) -> None:
    with pytest.raises(DecodeError, match=said):
        refuse_bad_name(name, "the name")


@pytest.mark.parametrize(
    ("one", "two"),
    [("Ada", "ada"), ("ADA", "Ada"), ("Ada B", "AdaB"), ("a da", "A Da"), ("Straße", "STRASSE"), ("É", "é")],
)
def test_two_names_that_are_one(one: str, two: str) -> None:
    assert casefold_name(one) == casefold_name(two)
    table = roster(2, name=two)
    renamed = type(table)((msgspec.structs.replace(roster(2).members[0], name=one), table.members[1]))
    with pytest.raises(DecodeError, match="same name"):
        refuse_bad_roster(renamed)


def test_look_alikes_are_no_part_of_a_latin_name() -> None:
    """Whatever looks like a letter a-z, A-Z is refused among such letters; but for what is Latin itself."""
    within = {("i", "ı"), ("l", "I"), ("I", "l")}
    tried = 0
    for letter, others in CONFUSABLES.items():
        for other in others:
            if (letter, other) in within or other in DIGITS:
                continue
            tried += 1
            for name in (f"{other}da", f"A{other}a", f"Ad{other}"):
                with pytest.raises(DecodeError):
                    refuse_bad_name(name, f"a name with {other!r} for {letter!r}")
    assert tried > 500


def test_the_tables_are_letters_and_marks_in_their_normal_form() -> None:
    seen: dict[str, str] = {}
    for name, script in SCRIPTS.items():
        for characters, category in ((script.letter_set, "L"), (script.mark_set, "M")):
            for character in characters:
                assert unicodedata.category(character)[0] == category
                assert unicodedata.normalize("NFKC", character) == character
                assert unicodedata.name(character)
        for letter in script.letter_set:
            assert seen.setdefault(letter, name) == name, "no letter is in two scripts"
    assert not any(character in seen for character in DIGITS + SIGNS)


def test_the_tables_stand_in_the_docs() -> None:
    page = (ROOT / "docs" / "spec" / "log.md").read_text()
    for name, script in SCRIPTS.items():
        assert f"| {name} | {script.letters} | {script.marks or '–'} |" in page
