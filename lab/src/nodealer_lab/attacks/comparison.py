"""Runs each attack with and without its defence: the attack must work without it, and be stopped as claimed with it.

The gain must come from the false messages and from nothing else. So if an attack is a seat with false messages, the
game without the defence is also played with that seat honest: it must gain nothing then.
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
    """The outcomes of one attack on one protocol and mode, with and without the defence."""

    attack: Attack
    protocol: str
    mode: str
    cheater: int
    scheme: AttackScheme
    #: The outcome without the defence; None if the attack works as it is and nothing has to be removed.
    weak: AttackOutcome | None
    real: AttackOutcome
    #: The outcome without the defence and without the lies; None if the attack is not a seat with false messages.
    honest: AttackOutcome | None = None

    @property
    def wrong(self) -> str:
        """The difference from the expected outcomes; empty if there is none."""
        claim = self.scheme.claim
        if self.weak is not None and self.weak.gain is None:
            return "it gains nothing without the defence, so it proves nothing"
        if self.honest is not None and self.honest.gain is not None:
            return f"it {self.honest.gain} without a false message, so it proves nothing"
        if self.weak is not None and self.real.gain is not None and self.weak.culprit == self.cheater:
            return "the cheater is named without the defence as well, so that defence is not what named them"
        if self.real.outcome != expected_outcome(self.scheme):
            return f"expected: {expected_outcome(self.scheme)}; result: {self.real.outcome}"
        culprit = self.cheater if claim.culprit else None
        if self.real.culprit != culprit:
            return f"it should name seat {culprit} but names {self.real.culprit}"
        if expected_outcome(self.scheme) != "cannot be seen" and self.real.gain is not None and claim.seen == "at once":
            return f"it is seen at once, but still it {self.real.gain}"
        return ""

    @property
    def sentence(self) -> str:
        """Both outcomes as one sentence."""
        if self.weak is None:
            return self._real_sentence
        weak = f"with {self._defence_names} removed: it {self.weak.gain or 'gains nothing'}"
        return f"{weak}; with all defences: {self._real_sentence}"

    @property
    def _defence_names(self) -> str:
        """The names of the removed functions, joined by "and"."""
        return " and ".join(dict.fromkeys(one.name for one in self.scheme.way.defence))

    @property
    def _real_sentence(self) -> str:
        """The outcome with the defence in place, as part of a sentence."""
        if self.real.outcome == "cannot be seen":
            return f"it {self.real.gain}; no log shows a fault"
        if self.real.outcome == "gains nothing":
            return "it gains nothing"
        who = "no one" if self.real.culprit is None else NAMES[self.real.culprit]
        return f"caught {self.real.outcome}, {who} named ({self.real.why})"


def iter_cases(attack: Attack, protocol: str | None = None, *, everywhere: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield the protocols and modes to try an attack on: the first, those of the named protocol, or all of them.

    Raise `BadParameter` if the protocol is unknown or the attack is not written for it.
    """
    if attack.without_cards:
        # The attack happens before any cards, so the protocol does not matter.
        protocol = None
    if protocol is not None and protocol not in MODES:
        raise BadParameter(f"unknown protocol {protocol!r}; choose from {', '.join(MODES)}")
    if protocol is not None and protocol not in attack.protocols:
        raise BadParameter(f"{attack.name} is not written for {protocol}, only for {', '.join(attack.protocols)}")
    names = attack.protocols if everywhere else (protocol or attack.protocols[0],)
    for name in names:
        # A law holds for all modes alike, or is about one of them.
        modes = modes_of(name) if attack.law is None else (attack.law_modes.get(name, modes_of(name)[0]),)
        found = [mode for mode in modes if _is_possible(attack, name, mode)]
        yield from ((name, mode) for mode in (found if everywhere or protocol else found[:1]))


def _is_possible(attack: Attack, name: str, mode: bytes) -> bool:
    """Return whether the attack can be carried out on this protocol and mode."""
    try:
        attack.on(small_protocol(name, mode))
    except BadParameter:
        return False
    return True


def compare_runs(
    child: AttackProcess, attack: Attack, name: str, mode: bytes, *, honestly: bool = True
) -> AttackComparison:
    """Carry out an attack without the defence and with it.

    Unless `honestly` is false, an attack that consists only of lies is also carried out without them.
    """
    protocol = small_protocol(name, mode)
    way = (scheme := attack.on(protocol)).way
    task, without = AttackTask(attack.name, name, mode.decode()), bool(way.defence)
    weak = child.run(replace(task, weak=True)) if without else None
    honest = child.run(replace(task, weak=without, honest=True)) if honestly and way.find_gain is not None else None
    cheater = scene_of(attack, protocol).cheater
    return AttackComparison(attack, name, mode.decode(), cheater, scheme, weak, child.run(task), honest)
