"""The table in docs/attacks.md, from the attacks and the claims: `python attack_table.py` in this folder writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nodealer.errors import BadParameter
from nodealer.lab.attacks import ATTACKS
from nodealer.lab.attacks.base import Attack
from nodealer.protocols import MODES, make_protocol
from nodealer.protocols.base import CardProtocol

PAGE: Final = Path(__file__).parents[1] / "docs" / "attacks.md"
BEGIN, END = "<!-- attacks: written by `make diagrams` -->", "<!-- end of the attacks -->"


def mode_of(parameters: bytes) -> str:
    """What is not as by default."""
    return ", ".join(f"{key}: {json.dumps(value)}" for key, value in json.loads(parameters).items()).replace('"', "")


def row(attack: Attack, protocol: CardProtocol) -> tuple[str, str, str]:
    """What it is called there, when it is seen, and who is named."""
    try:
        claim = attack.on(protocol).claim
    except BadParameter as absent:
        return str(absent).partition(": ")[2], "–", "–"
    return claim.cheat, claim.seen, "the culprit" if claim.culprit else "nobody"


def lines() -> Iterator[str]:
    for attack in ATTACKS.values():
        yield f"### `{attack.name}`: a seat that {attack.does}\n"
        if attack.law is not None:
            seen, named = attack.law.claim.seen, "the culprit" if attack.law.claim.culprit else "nobody"
            yield f"With every protocol: {attack.law.claim.cheat}. Seen: {seen}. Named: {named}.\n"
            continue
        yield "| protocol | what it is there | seen | named |"
        yield "| --- | --- | --- | --- |"
        for name, modes in MODES.items():
            rows: dict[tuple[str, str, str], list[str]] = {}
            for mode in modes:
                rows.setdefault(row(attack, make_protocol(name, mode)), []).append(mode_of(mode))
            for told, where in rows.items():
                beside = "" if len(rows) == 1 else f" ({'; '.join(mode or 'as by default' for mode in where)})"
                yield f"| {name}{beside} | {' | '.join(told)} |"
        yield ""


def with_table(page: str) -> str:
    """The page with the table between the markers."""
    between = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    table = "\n".join(lines())
    page, count = between.subn(lambda _: f"{BEGIN}\n\n{table}\n{END}", page)
    if count != 1:
        raise ValueError("the page needs the markers of its table once")
    return page


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
