"""What an attack is: what a seat does, at which tables it can, and what the claims say comes of it.

A claim is named by its own words, as the protocol has them: an attack on a protocol that says nothing of it cannot be
written down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nodealer.errors import BadParameter
from nodealer.protocols.base import CardProtocol, Cheat, Claims, Duty
from nodealer.tape import Tape

if TYPE_CHECKING:
    from nodealer.lab.attacks.cheater import Cheater


@dataclass(frozen=True)
class Moment:
    """A message about cards that is about to be signed."""

    #: A deck of the protocol under attack: what is done to it knows which.
    deck: Any
    duty: Duty
    tape: Tape
    honest: bytes


#: What a cheater sends in place of the honest message; that message itself, where the moment is not right.
Forge = Callable[[Moment], bytes]
#: What a cheater says besides, given what it has just signed as it should.
Beside = Callable[["Cheater", Sequence[bytes]], list[bytes]]


@dataclass(frozen=True)
class Way:
    """One way to carry an attack out."""

    #: What the claims call it.
    claim: str
    #: Step of the protocol to what is sent there.
    forge: Mapping[str, Forge] = field(default_factory=dict)
    beside: Beside | None = None


@dataclass(frozen=True)
class Scheme:
    """An attack on one protocol, and what must come of it."""

    way: Way
    claim: Cheat


@dataclass(frozen=True)
class Attack:
    """Something that one seat tries."""

    name: str
    #: What it does, after the name of whoever does it.
    does: str
    #: Protocol to the ways it has; of several, that one counts whose claim is made in the mode that is played.
    ways: Mapping[str, tuple[Way, ...]] = field(default_factory=dict)
    #: Protocol that does not have this to the claim about what there is in its place, and why it is all there is.
    instead: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    #: An attack on the table, which is the same whatever is played on it.
    law: Scheme | None = None

    def on(self, protocol: CardProtocol) -> Scheme:
        """How it is carried out where this is played. Raises `BadParameter`, with the claim's sentence, where not."""
        if self.law is not None:
            return self.law
        claims = protocol.claims
        for way in self.ways.get(claims.name, ()):
            if (claim := _claim(claims, way.claim)) is not None:
                return Scheme(way, claim)
        raise BadParameter(self._why_not(claims))

    def _why_not(self, claims: Claims) -> str:
        words, why = self.instead.get(claims.name, ("", "nobody has written it for this protocol"))
        claim = _claim(claims, words)
        rest = "" if claim is None else f"; what can be tried is {sentence(claim)}"
        return f"{claims.name} does not have the cheat {self.name}: {why}{rest}"


def _claim(claims: Claims, words: str) -> Cheat | None:
    return next((cheat for cheat in claims.cheats if cheat.cheat == words), None)


def sentence(claim: Cheat) -> str:
    """A claim as one sentence."""
    if claim.seen == "never":
        return f"{claim.cheat}: it is never seen"
    named = "the culprit is named" if claim.culprit else "nobody can be named"
    return f"{claim.cheat}: it is seen {claim.seen}, and {named}"
