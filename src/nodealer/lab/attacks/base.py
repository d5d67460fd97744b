"""What an attack is: who does what at which table, without which defence it would work, and what the claims say comes
of it.

A claim is named by its own words, as the protocol has them: an attack on a protocol that says nothing of it cannot be
written down. What is attacked is not the cards of one protocol but the table has one claim for all, its `law`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.lab.attacks.defence import Without
from nodealer.protocols.base import CardProtocol, Cheat, Claims, Duty
from nodealer.tape import Tape

if TYPE_CHECKING:
    from nodealer.lab.attacks.cheater import Cheater
    from nodealer.lab.attacks.outcome import Came
    from nodealer.lab.attacks.scene import Played, Scene

#: What comes of an attack, in the words of the matrix.
Outcome = Literal["at once", "at opening", "at the end", "gains nothing", "cannot be seen"]
#: Who attacks, besides a seat.
Who = Literal[
    "a seat",
    "the relay",
    "the timekeeper",
    "a coalition",
    "a reader of the log",
    "the host",
    "somebody with a link",
    "somebody who hears a code",
    "somebody who was put out",
]


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
#: What came of it, in words after "it": "reads Ada's card". None for nothing.
Gained = Callable[["Played"], "str | None"]
#: An attack that is more than one seat with false words: it plays a game of its own and says what came of it.
Plays = Callable[["Scene"], "Came"]


@dataclass(frozen=True)
class Way:
    """One way to carry an attack out."""

    #: What the claims call it.
    claim: str
    #: Step of the protocol to what is sent there.
    forge: Mapping[str, Forge] = field(default_factory=dict)
    beside: Beside | None = None
    #: The defence that it must have removed to work, as few words of the program as will do.
    defence: tuple[Without, ...] = ()
    #: What it has of it, found with everybody's secrets after the game.
    gained: Gained | None = None
    #: In place of `forge`, `beside` and `gained`.
    plays: Plays | None = None
    #: The steps that it says last, when all others have said theirs.
    late: tuple[str, ...] = ()
    #: The steps at which it says something although it has spoilt the cards that it should read for it.
    blind: tuple[str, ...] = ()
    #: An honest seat that leaves when it is to move: then the others make the deck again.
    leaver: int | None = None
    #: What no log shows gains nothing, unless it is said that it cannot be seen.
    unseen: Outcome = "gains nothing"
    #: The seat that cheats; None for the last.
    seat: int | None = None
    #: The game that it needs; None for the smallest that the protocol serves.
    game: GamePackage | None = None
    #: Where a protocol claims the same in two modes, but is seen then: only there it is done so.
    seen: str | None = None


@dataclass(frozen=True)
class Scheme:
    """An attack on one protocol, and what must come of it."""

    way: Way
    claim: Cheat

    @property
    def outcome(self) -> Outcome:
        """What must come of it."""
        return self.way.unseen if self.claim.seen == "never" else self.claim.seen


@dataclass(frozen=True)
class Attack:
    """Something that somebody tries."""

    name: str
    #: What it does, after the name of whoever does it.
    does: str
    #: Its numbers in the list of attacks that the project began with (docs/internals/attacks.md): A1 to A50.
    of: tuple[str, ...] = ()
    who: Who = "a seat"
    #: Protocol to the ways it has; of several, that one counts whose claim is made in the mode that is played.
    ways: Mapping[str, tuple[Way, ...]] = field(default_factory=dict)
    #: Protocol that does not have this to the claim about what there is in its place, and why it is all there is.
    instead: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    #: An attack on the table, which is the same whatever is played on it.
    law: Scheme | None = None
    #: The protocols that a law is tried on.
    tried_on: tuple[str, ...] = ("mask", "lock", "offset", "chain", "duel")
    #: Whether it never comes to any cards: then it is tried once, and is the same whatever is played.
    anywhere: bool = False
    #: Protocol to the mode that a law is tried in, where it is about another than the default.
    in_mode: Mapping[str, bytes] = field(default_factory=dict)
    #: Protocol to the defence that a law must have removed there, where each has its own.
    stands_in: Mapping[str, tuple[Without, ...]] = field(default_factory=dict)

    def on(self, protocol: CardProtocol) -> Scheme:
        """How it is carried out where this is played. Raises `BadParameter`, with the claim's sentence, where not."""
        claims = protocol.claims
        if self.law is not None:
            if claims.name not in self.tried_on:
                raise BadParameter(self._why_not(claims))
            defence = self.stands_in.get(claims.name, self.law.way.defence)
            return replace(self.law, way=replace(self.law.way, defence=defence))
        for way in self.ways.get(claims.name, ()):
            claim = _claim(claims, way.claim)
            if claim is not None and way.seen in (None, claim.seen):
                return Scheme(way, claim)
        raise BadParameter(self._why_not(claims))

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols that it is written for, the first being the one that is tried everywhere."""
        return self.tried_on if self.law is not None else tuple(self.ways)

    @property
    def by_a_seat(self) -> bool:
        """Whether a bot can do it in any game: false words at the table, and nothing else."""
        ways = [self.law.way] if self.law is not None else [way for ways in self.ways.values() for way in ways]
        return all(way.plays is None for way in ways)

    def _why_not(self, claims: Claims) -> str:
        words, why = self.instead.get(claims.name, ("", NOT_WRITTEN))
        claim = _claim(claims, words)
        rest = "" if claim is None else f"; what can be tried is {sentence(claim)}"
        return f"{claims.name} does not have the cheat {self.name}: {why}{rest}"


#: Why an attack is not carried out on a protocol, where nothing else is said.
NOT_WRITTEN: Final = "nobody has written it for this protocol"


def _claim(claims: Claims, words: str) -> Cheat | None:
    return next((cheat for cheat in claims.cheats if cheat.cheat == words), None)


def sentence(claim: Cheat) -> str:
    """A claim as one sentence."""
    if claim.seen == "never":
        return f"{claim.cheat}: it is never seen"
    named = "the culprit is named" if claim.culprit else "nobody can be named"
    return f"{claim.cheat}: it is seen {claim.seen}, and {named}"
