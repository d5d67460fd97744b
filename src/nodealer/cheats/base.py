"""A cheat that a bot can play: the honest program with some of its messages replaced before they are signed.

A cheat refers to a claim of the protocol by the claim's own words. A cheat on a protocol that makes no such claim
cannot be written down. Cheats on the table rather than on the cards bring one claim for all protocols, their `law`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from nodealer.errors import BadParameter
from nodealer.protocols.base import CardProtocol, Cheat, Claims, Duty
from nodealer.tape import Tape

if TYPE_CHECKING:
    from nodealer.cheats.cheater import Cheater


@dataclass(frozen=True)
class SignedMoment:
    """A message about cards that is about to be signed."""

    #: A deck of the protocol under attack; the cheat knows which kind.
    deck: Any
    duty: Duty
    tape: Tape
    honest: bytes


#: Return what the cheater sends instead of the honest message, or the honest message if this is not the moment.
Forge = Callable[[SignedMoment], bytes]
#: Return what the cheater sends in addition, given what it has just signed.
Beside = Callable[["Cheater", Sequence[bytes]], list[bytes]]


@dataclass(frozen=True)
class CheatMethod:
    """One way to play a cheat on one protocol."""

    #: The claim of the protocol, in its own words.
    claim: str
    #: Step of the protocol to the message sent there.
    forge: Mapping[str, Forge] = field(default_factory=dict)
    beside: Beside | None = None
    #: Steps that the cheater answers last, after everyone else.
    late: tuple[str, ...] = ()
    #: Steps that the cheater answers although it has spoilt the cards it would have to read for it.
    blind: tuple[str, ...] = ()
    #: When the cheat is seen, for a protocol that makes the same claim in two modes; None if it does not matter.
    seen: str | None = None


AnyTrick = TypeVar("AnyTrick", bound=CheatMethod)


@dataclass(frozen=True)
class CheatScheme(Generic[AnyTrick]):
    """A cheat on one protocol, and the claim about its outcome."""

    way: AnyTrick
    claim: Cheat


@dataclass(frozen=True)
class BotCheat(Generic[AnyTrick]):
    """A cheat by its name, with the ways to play it on each protocol."""

    name: str
    #: What the cheater does; completes "the cheater …".
    does: str
    #: Protocol to the ways it has. The first one whose claim is made in the mode being played counts.
    ways: Mapping[str, tuple[AnyTrick, ...]] = field(default_factory=dict)
    #: For protocols without this cheat: the claim about the nearest thing they have, and the reason.
    instead: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    #: Set for a cheat on the table, which is the same on every protocol.
    law: CheatScheme[AnyTrick] | None = None
    #: The protocols that a `law` is tried on.
    tried_on: tuple[str, ...] = ("mask", "lock", "offset", "chain", "duel")

    def on(self, protocol: CardProtocol) -> CheatScheme[AnyTrick]:
        """Return how to play it on this protocol. Raises `BadParameter`, quoting the claim, if that is impossible."""
        claims = protocol.claims
        if self.law is not None:
            if claims.name not in self.tried_on:
                raise BadParameter(self._why_not(claims))
            return self.law
        for way in self.ways.get(claims.name, ()):
            claim = _claim(claims, way.claim)
            if claim is not None and way.seen in (None, claim.seen):
                return CheatScheme(way, claim)
        raise BadParameter(self._why_not(claims))

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols it is written for, the main one first."""
        return self.tried_on if self.law is not None else tuple(self.ways)

    def _why_not(self, claims: Claims) -> str:
        """Return why the cheat cannot be played on this protocol."""
        words, why = self.instead.get(claims.name, ("", NOT_WRITTEN))
        claim = _claim(claims, words)
        rest = "" if claim is None else f"; the nearest possible cheat is {sentence(claim)}"
        return f"{claims.name} does not have the cheat {self.name}: {why}{rest}"


#: The default reason why a cheat cannot be played on a protocol.
NOT_WRITTEN: Final = "it is not implemented for this protocol"


def _claim(claims: Claims, words: str) -> Cheat | None:
    """Return what a protocol claims about the cheat that it describes in these words, or None."""
    return next((cheat for cheat in claims.cheats if cheat.cheat == words), None)


def sentence(claim: Cheat) -> str:
    """Return a claim as one sentence."""
    if claim.seen == "never":
        return f"{claim.cheat}: never noticed"
    named = "the culprit is named" if claim.culprit else "no one can be named"
    return f"{claim.cheat}: noticed {claim.seen}, and {named}"
