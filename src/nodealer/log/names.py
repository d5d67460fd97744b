"""The rule for player names, written out here so that every reader of a log applies the same one.

Names are shown beside results and accusations, so a name must not be mistaken for another or affect the screen. The
tables below are the rule. They contain the letters and marks that Unicode 14.0 lists for these scripts and recommends
for identifiers (UTS #39), without invisible characters and compatibility forms, up to U+FFFF and beyond that for Han.
Later versions of Unicode never change the normal form or the case folding of an assigned character, so the rule does
not depend on the Unicode version of a program.

Letters of one script can still look alike (I and l), and so can whole names in two scripts. Only keys tell players
apart for certain.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from nodealer.errors import DecodeError
from nodealer.wire import NAME_BYTES_MAX

#: The most marks on one letter: enough for every script here, too few to reach into the next line.
MARKS_MAX: Final = 4
#: Digits and punctuation allowed in names of every script.
DIGITS: Final = "0123456789"
SIGNS: Final = " -'."


@dataclass(frozen=True)
class Script:
    """The letters of a script, and the marks that combine with them, as hexadecimal code points and ranges."""

    letters: str
    marks: str = ""

    @cached_property
    def letter_set(self) -> frozenset[str]:
        """All letters."""
        return _characters(self.letters)

    @cached_property
    def mark_set(self) -> frozenset[str]:
        """All marks."""
        return _characters(self.marks)


def _characters(ranges: str) -> frozenset[str]:
    """Expand code points and ranges, written in hexadecimal, to a set of characters."""
    ends = [written.partition("-") for written in ranges.split()]
    return frozenset(chr(code) for low, _, high in ends for code in range(int(low, 16), int(high or low, 16) + 1))


#: Han, Hiragana and Katakana count as one script: Japanese names use all three, Chinese names only the first.
SCRIPTS: Final[dict[str, Script]] = {
    "Latin": Script(
        (
            "41-5A 61-7A C0-D6 D8-F6 F8-131 134-13E 141-148 14A-17E 18F 1A0-1A1 1AF-1B0 1CD-1DC 1DE-1E3 1E6-1F0 "
            "1F4-1F5 1F8-21B 21E-21F 226-233 259 1E00-1E99 1E9E 1EA0-1EF9 A78D A792-A793 A7AA A7AE A7B8-A7B9 "
            "A7C0-A7CA A7D0-A7D1 A7D3 A7D5-A7D9 AB66-AB67"
        ),
        "300-304 306 308-30C 323-324 327-328 32D-32E 330-331",
    ),
    "Greek": Script(
        (
            "37B-37D 386 388-38A 38C 38E-3A1 3A3-3CE 3FC-3FF 1F00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 "
            "1F59 1F5B 1F5D 1F5F-1F70 1F72 1F74 1F76 1F78 1F7A 1F7C 1F80-1FB4 1FB6-1FBA 1FBC 1FC2-1FC4 1FC6-1FC8 "
            "1FCA 1FCC 1FD0-1FD2 1FD6-1FDA 1FE0-1FE2 1FE4-1FEA 1FEC 1FF2-1FF4 1FF6-1FF8 1FFA 1FFC"
        ),
    ),
    "Cyrillic": Script(
        "400-45F 48A-4FF 510-529 52E-52F A67F",
        "300-301 304 308",
    ),
    "Armenian": Script(
        "531-556 561-586",
    ),
    "Georgian": Script(
        "10C7 10CD 10D0-10F0 10F7-10FA 10FD-10FF 1C90-1CBA 1CBD-1CBF 2D27 2D2D",
    ),
    "Hebrew": Script(
        "5D0-5EA 5EF-5F2",
        "5B4",
    ),
    "Arabic": Script(
        (
            "620-63F 641-64A 671-672 674 679-68D 68F-6A0 6A2-6D3 6D5 6E5-6E6 6EE-6EF 6FA-6FC 6FF 750-77F 870-887 "
            "889-88E 8A0-8AC 8B2 8B5-8C9"
        ),
        "64B-655 670",
    ),
    "Thaana": Script(
        "780-7A5 7B1",
        "7A6-7B0",
    ),
    "Devanagari": Script(
        "904-939 93D 950 960-961 971-977 979-97F",
        "901-903 93A-93C 93E-94D 94F 956-957 962-963",
    ),
    "Bengali": Script(
        "985-98C 98F-990 993-9A8 9AA-9B0 9B2 9B6-9B9 9BD 9CE 9E0-9E1 9F0-9F1",
        "981-983 9BC 9BE-9C4 9C7-9C8 9CB-9CD 9D7 9E2-9E3 9FE",
    ),
    "Gurmukhi": Script(
        "A05-A0A A0F-A10 A13-A28 A2A-A30 A32 A35 A38-A39 A5C A72-A74",
        "A01-A03 A3C A3E-A42 A47-A48 A4B-A4D A70-A71",
    ),
    "Gujarati": Script(
        "A85-A8D A8F-A91 A93-AA8 AAA-AB0 AB2-AB3 AB5-AB9 ABD AD0 AE0-AE1",
        "A81-A83 ABC ABE-AC5 AC7-AC9 ACB-ACD AE2-AE3 AFA-AFF",
    ),
    "Oriya": Script(
        "B05-B0C B0F-B10 B13-B28 B2A-B30 B32-B33 B35-B39 B3D B5F-B61 B71",
        "B01-B03 B3C B3E-B43 B47-B48 B4B-B4D B55-B57",
    ),
    "Tamil": Script(
        "B83 B85-B8A B8E-B90 B92-B95 B99-B9A B9C B9E-B9F BA3-BA4 BA8-BAA BAE-BB9 BD0",
        "B82 BBE-BC2 BC6-BC8 BCA-BCD BD7",
    ),
    "Telugu": Script(
        "C05-C0C C0E-C10 C12-C28 C2A-C33 C35-C39 C3D C5D C60-C61",
        "C01-C04 C3C C3E-C44 C46-C48 C4A-C4D C55-C56",
    ),
    "Kannada": Script(
        "C80 C85-C8C C8E-C90 C92-CA8 CAA-CB3 CB5-CB9 CBD CDD CE0-CE1 CF1-CF2",
        "C82-C83 CBC CBE-CC4 CC6-CC8 CCA-CCD CD5-CD6 CE2-CE3",
    ),
    "Malayalam": Script(
        "D05-D0C D0E-D10 D12-D3A D3D D4E D54-D56 D60-D61 D7A-D7F",
        "D00 D02-D03 D3E-D43 D46-D48 D4A-D4D D57",
    ),
    "Sinhala": Script(
        "D85-D8E D91-D96 D9A-DA5 DA7-DB1 DB3-DBB DBD DC0-DC6",
        "D82-D83 DCA DCF-DD4 DD6 DD8-DDE DF2",
    ),
    "Thai": Script(
        "E01-E30 E32 E40-E46",
        "E31 E34-E3A E47-E4E",
    ),
    "Lao": Script(
        "E81-E82 E84 E86-E8A E8C-EA3 EA5 EA7-EB0 EB2 EBD EC0-EC4 EC6 EDE-EDF",
        "EB1 EB4-EBC EC8-ECD",
    ),
    "Myanmar": Script(
        (
            "1000-102A 103F 1050-1055 105A-105D 1061 1065-1066 106E-1070 1075-1081 108E A9E7-A9EF A9FA-A9FE "
            "AA60-AA76 AA7A AA7E-AA7F"
        ),
        "102B-103E 1056-1059 105E-1060 1062-1064 1067-106D 1071-1074 1082-108D 108F 109A-109D AA7B-AA7D",
    ),
    "Khmer": Script(
        "1780-17A2 17A5-17A7 17A9-17B3 17D7 17DC",
        "17B6-17CD 17D0 17D2",
    ),
    "Ethiopic": Script(
        (
            "1200-1248 124A-124D 1250-1256 1258 125A-125D 1260-1288 128A-128D 1290-12B0 12B2-12B5 12B8-12BE 12C0 "
            "12C2-12C5 12C8-12D6 12D8-1310 1312-1315 1318-135A 1380-138F 2D80-2D96 2DA0-2DA6 2DA8-2DAE 2DB0-2DB6 "
            "2DB8-2DBE 2DC0-2DC6 2DC8-2DCE 2DD0-2DD6 2DD8-2DDE AB01-AB06 AB09-AB0E AB11-AB16 AB20-AB26 AB28-AB2E"
        ),
        "135D-135F",
    ),
    "Hangul": Script(
        "AC00-D7A3",
    ),
    "Japanese": Script(
        (
            "3005-3006 3041-3096 309D-309E 30A1-30FA 30FC-30FE 3400-4DBF 4E00-9FFF FA0E-FA0F FA11 FA13-FA14 FA1F "
            "FA21 FA23-FA24 FA27-FA29 20000-2A6DF 2A700-2B738 2B740-2B81D 2B820-2CEA1 2CEB0-2EBE0 30000-3134A"
        ),
    ),
}


def refuse_bad_name(name: str, what: str) -> None:
    """Raise `DecodeError`, with a sentence that starts with `what`, if a name is not allowed."""
    if not name:
        raise DecodeError(f"{what} is empty")
    if len(name.encode(errors="surrogatepass")) > NAME_BYTES_MAX:
        raise DecodeError(f"{what} has more than {NAME_BYTES_MAX} bytes")
    if name != name.strip(" ") or "  " in name:
        raise DecodeError(f"{what} begins or ends with a space, or has two spaces in a row")
    script = _script_of(name, what)
    marks = 0
    for before, here in zip(" " + name, name, strict=False):
        marks = marks + 1 if here in script.mark_set else 0
        if marks == 1 and before not in script.letter_set:
            raise DecodeError(f"{what} has a combining mark without a letter")
        if marks > MARKS_MAX:
            raise DecodeError(f"{what} has more than {MARKS_MAX} marks on one letter")
    if name != unicodedata.normalize("NFC", name):
        raise DecodeError(f"{what} is not in Unicode normal form (NFC)")


def _script_of(name: str, what: str) -> Script:
    """Return the script that a name is written in. Raise `DecodeError` if there is not exactly one."""
    own = [character for character in name if character not in DIGITS and character not in SIGNS]
    for script in SCRIPTS.values():
        if own and all(character in script.letter_set or character in script.mark_set for character in own):
            return script
    for character in own:
        if not any(character in script.letter_set or character in script.mark_set for script in SCRIPTS.values()):
            raise DecodeError(f"{what} contains U+{ord(character):04X}, which is not allowed in names")
    raise DecodeError(f"{what} mixes letters of two scripts" if own else f"{what} has no letter")


def casefold_name(name: str) -> str:
    """Return the name without spaces and case. No two players at a table may share it."""
    return unicodedata.normalize("NFC", name.replace(" ", "").casefold())
