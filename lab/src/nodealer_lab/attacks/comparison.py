"""An attack both ways: without the one defence, where it must work, and against the program as it is.

What is gained by false words must not be there without them. So where an attack is a seat with false words, the game
without the defence is played once more, with a seat that says what it should: there it must gain nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from nodealer.errors import BadParameter
from nodealer.protocols import MODES
from nodealer_lab.attacks.base import Attack, AttackScheme, expected_outcome
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.process import AttackProcess, AttackTask
from nodealer_lab.attacks.scene import NAMES, modes_of, scene_of, small_protocol


@dataclass(frozen=True)
class AttackComparison:
    """What came of an attack, both times."""

    attack: Attack
    protocol: str
    mode: str
    cheater: int
    scheme: AttackScheme
    #: Without the defence; None where it works as it is, and nothing has to be removed.
    weak: AttackOutcome | None
    real: AttackOutcome
    #: Without the defence and without the lies; None where it is not a seat's false words that gain it.
    honest: AttackOutcome | None = None

    @property
    def wrong(self) -> str:
        """Why this is not what it should be; empty if it is."""
        claim = self.scheme.claim
        if self.weak is not None and self.weak.gain is None:
            return "it gains nothing without the defence: it proves nothing"
        if self.honest is not None and self.honest.gain is not None:
            return f"it {self.honest.gain} without a false word: it proves nothing"
        if self.weak is not None and self.real.gain is not None and self.weak.culprit == self.cheater:
            return "it is named without the defence as well: that was not what named it"
        if self.real.outcome != expected_outcome(self.scheme):
            return f"it should be: {expected_outcome(self.scheme)}; it is: {self.real.outcome}"
        culprit = self.cheater if claim.culprit else None
        if self.real.culprit != culprit:
            return f"it should name {culprit}, and names {self.real.culprit}"
        if expected_outcome(self.scheme) != "cannot be seen" and self.real.gain is not None and claim.seen == "at once":
            return f"it is seen at once, and all the same it {self.real.gain}"
        return ""

    @property
    def sentence(self) -> str:
        """Both, for people."""
        weak = "" if self.weak is None else f"with {self._defence} removed: it {self.weak.gain or 'gains nothing'}; "
        return f"{weak}as it is: {self._real}"

    @property
    def _defence(self) -> str:
        return " and ".join(dict.fromkeys(one.name for one in self.scheme.way.defence))

    @property
    def _real(self) -> str:
        if self.real.outcome == "cannot be seen":
            return f"it {self.real.gain}, and no log shows a fault"
        if self.real.outcome == "gains nothing":
            return "it gains nothing"
        who = "nobody" if self.real.culprit is None else NAMES[self.real.culprit]
        return f"caught {self.real.outcome}, {who} named ({self.real.why})"


def iter_cases(attack: Attack, protocol: str | None = None, *, everywhere: bool = False) -> Iterator[tuple[str, bytes]]:
    """The protocols and modes that an attack is tried on: the first, one that was named, or all."""
    if attack.without_cards:
        # It never comes to any cards: what is played does not matter.
        protocol = None
    if protocol is not None and protocol not in MODES:
        raise BadParameter(f"there is no protocol {protocol!r}; there are {', '.join(MODES)}")
    if protocol is not None and protocol not in attack.protocols:
        raise BadParameter(f"{attack.name} is not written for {protocol}, only for {', '.join(attack.protocols)}")
    names = attack.protocols if everywhere else (protocol or attack.protocols[0],)
    for name in names:
        # What the law says, it says of all modes alike, or of one.
        modes = modes_of(name) if attack.law is None else (attack.law_modes.get(name, modes_of(name)[0]),)
        found = [mode for mode in modes if _has(attack, name, mode)]
        yield from ((name, mode) for mode in (found if everywhere or protocol else found[:1]))


def _has(attack: Attack, name: str, mode: bytes) -> bool:
    try:
        attack.on(small_protocol(name, mode))
    except BadParameter:
        return False
    return True


def compare_runs(
    child: AttackProcess, attack: Attack, name: str, mode: bytes, *, honestly: bool = True
) -> AttackComparison:
    """Carry an attack out twice; and, unless that is not wanted, once more without its lies, where it is nothing but
    lies."""
    protocol = small_protocol(name, mode)
    way = (scheme := attack.on(protocol)).way
    task, without = AttackTask(attack.name, name, mode.decode()), bool(way.defence)
    weak = child.run(replace(task, weak=True)) if without else None
    honest = child.run(replace(task, weak=without, honest=True)) if honestly and way.find_gain is not None else None
    cheater = scene_of(attack, protocol).cheater
    return AttackComparison(attack, name, mode.decode(), cheater, scheme, weak, child.run(task), honest)
