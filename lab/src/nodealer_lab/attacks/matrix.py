"""What came of all attacks, as data: what `nodealer lab run --json` prints, and what the table of the docs is from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from nodealer_lab.attacks.base import Attack
from nodealer_lab.attacks.comparison import AttackComparison, compare_runs, iter_cases
from nodealer_lab.attacks.process import AttackProcess


class AttackRow(msgspec.Struct, frozen=True):
    """One attack on one protocol in one mode."""

    attack: str
    of: tuple[str, ...]
    who: str
    does: str
    protocol: str
    mode: str
    #: What the claims call it, what comes of it, and whether the culprit is named.
    claim: str
    comes: str
    named: bool
    why: str
    #: The functions that the defence is in, and what is gained without it.
    defence: tuple[str, ...]
    without: str | None
    #: Why it is not as it should be; empty if it is.
    wrong: str = ""


def row_of(both: AttackComparison) -> AttackRow:
    """What came of an attack."""
    attack, real = both.attack, both.real
    return AttackRow(
        attack.name,
        attack.numbers,
        attack.who,
        attack.does,
        both.protocol,
        both.mode,
        both.scheme.claim.cheat,
        real.outcome,
        real.culprit is not None,
        real.gain or "" if real.outcome == "cannot be seen" else real.why,
        tuple(dict.fromkeys(one.name for one in both.scheme.way.defence)),
        None if both.weak is None else both.weak.gain,
        both.wrong,
    )


def carry_out(
    attacks: Iterable[Attack],
    protocol: str | None = None,
    *,
    everywhere: bool = False,
    doing: Callable[[str], None] = lambda what: None,
) -> Iterator[AttackComparison]:
    """Carry attacks out, each both ways."""
    with AttackProcess() as child:
        for attack in attacks:
            for name, mode in iter_cases(attack, protocol, everywhere=everywhere):
                doing(f"{attack.name} on {name} {mode.decode() if mode != b'{}' else ''}".strip())
                yield compare_runs(child, attack, name, mode)
