"""The results of all attacks as data, for `nodealer lab run --json` and for the tables in the documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from nodealer_lab.attacks.base import Attack
from nodealer_lab.attacks.comparison import AttackComparison, compare_runs, iter_cases
from nodealer_lab.attacks.process import AttackProcess


class AttackRow(msgspec.Struct, frozen=True):
    """The result of one attack on one protocol in one mode."""

    attack: str
    of: tuple[str, ...]
    who: str
    does: str
    protocol: str
    mode: str
    #: The claim about it, its outcome, and whether the culprit is named.
    claim: str
    comes: str
    named: bool
    why: str
    #: The functions that contain the defence, and what the attacker gains without it.
    defence: tuple[str, ...]
    without: str | None
    #: Why the result is not the expected one; empty if it is.
    wrong: str = ""


def row_of(comparison: AttackComparison) -> AttackRow:
    """Return the result of an attack as a row."""
    attack, real = comparison.attack, comparison.real
    return AttackRow(
        attack.name,
        attack.numbers,
        attack.who,
        attack.does,
        comparison.protocol,
        comparison.mode,
        comparison.scheme.claim.cheat,
        real.outcome,
        real.culprit is not None,
        real.gain or "" if real.outcome == "cannot be seen" else real.why,
        tuple(dict.fromkeys(one.name for one in comparison.scheme.way.defence)),
        None if comparison.weak is None else comparison.weak.gain,
        comparison.wrong,
    )


def carry_out(
    attacks: Iterable[Attack],
    protocol: str | None = None,
    *,
    everywhere: bool = False,
    on_start: Callable[[str], None] = lambda what: None,
) -> Iterator[AttackComparison]:
    """Carry out attacks, each with and without its defence. Call `on_start` with the name of each run before it."""
    with AttackProcess() as child:
        for attack in attacks:
            for name, mode in iter_cases(attack, protocol, everywhere=everywhere):
                on_start(f"{attack.name} on {name} {mode.decode() if mode != b'{}' else ''}".strip())
                yield compare_runs(child, attack, name, mode)
