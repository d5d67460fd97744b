"""The operations of source 001, written out, on any group; and the two-player example of its last section.

The source writes the group with multiplication: its `msg * epk^s` is msg + s·epk here. Run as a program, this file
writes the vector.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nodealer.group import Group, Points, Scalars
from nodealer.group import group as make_group

VECTOR: Final = Path(__file__).parents[2] / "vectors" / "mask_source001.json"
#: The secrets of the example, as integers; the face is `msg`·G, which only an example may know.
SECRETS: Final = {"msg": 1001, "s1": 2003, "r1": 3001, "s2": 4001, "r2": 5003}


@dataclass(frozen=True)
class SourceCard:
    """(msg, pk, epk) as in the source."""

    msg: Points
    pk: Points
    epk: Points

    def add_key(self, s: Scalars) -> SourceCard:
        return SourceCard(self.msg + s * self.epk, self.pk + s * self.msg.group.G, self.epk)

    def mask(self, r: Scalars) -> SourceCard:
        return SourceCard(self.msg + r * self.pk, self.pk, self.epk + r * self.msg.group.G)

    def unmask(self, s: Scalars) -> SourceCard:
        return SourceCard(self.msg - s * self.epk, self.pk - s * self.msg.group.G, self.epk)

    def cleared(self) -> SourceCard:
        """With no key left, epk is cleared too."""
        assert self.pk.first_identity() is not None
        return SourceCard(self.msg, self.pk, self.msg.group.identity(1))

    def encoded(self) -> dict[str, str]:
        return {name: getattr(self, name).to_bytes().hex() for name in ("msg", "pk", "epk")}


def example(group: Group, secrets: Mapping[str, int]) -> list[tuple[str, SourceCard]]:
    """The steps of the source's example, each with the card after it."""
    s1, r1, s2, r2 = (group.integers([secrets[name]]) for name in ("s1", "r1", "s2", "r2"))
    nothing = group.identity(1)
    steps = [("init", SourceCard(group.integers([secrets["msg"]]) * group.G, nothing, nothing))]
    for name, operation, value in (
        ("add player 1", SourceCard.add_key, s1),
        ("mask with r1", SourceCard.mask, r1),
        ("add player 2", SourceCard.add_key, s2),
        ("mask with r2", SourceCard.mask, r2),
        ("unmask by player 1", SourceCard.unmask, s1),
        ("unmask by player 2", SourceCard.unmask, s2),
    ):
        steps.append((name, operation(steps[-1][1], value)))
    return [*steps, ("cleared", steps[-1][1].cleared())]


#: What the source says each card is, as exponents of g, with m for the exponent of msg.
SYMBOLIC: Final[dict[str, tuple[str, str, str]]] = {
    "init": ("m", "0", "0"),
    "add player 1": ("m", "s1", "0"),
    "mask with r1": ("m + s1*r1", "s1", "r1"),
    "add player 2": ("m + s1*r1 + r1*s2", "s1 + s2", "r1"),
    "mask with r2": ("m + (s1 + s2)*(r1 + r2)", "s1 + s2", "r1 + r2"),
    "unmask by player 1": ("m + s2*(r1 + r2)", "s2", "r1 + r2"),
    "unmask by player 2": ("m", "0", "r1 + r2"),
    "cleared": ("m", "0", "0"),
}


def vector() -> dict[str, Any]:
    steps = [{"step": name, **card.encoded()} for name, card in example(make_group(backend="reference"), SECRETS)]
    return {"source": "001", "group": "ristretto255", "secrets": SECRETS, "steps": steps}


if __name__ == "__main__":
    VECTOR.write_text(json.dumps(vector(), indent=1) + "\n")
