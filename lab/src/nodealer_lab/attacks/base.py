"""The type of an attack: who does what at which table, which defence it tests, and which outcome the claims promise.

Many attacks are cheats that a bot can play (`nodealer.cheats`). The lab adds to them the defence that must be removed
for the attack to work, and a function that finds what the attacker gains in that case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from nodealer.cheats.base import Beside, BotCheat, CheatMethod, CheatScheme, Forge, SignedMoment, sentence
from nodealer.games.package import GamePackage
from nodealer.protocols.base import CardProtocol, Cheat
from nodealer_lab.attacks.defence import RemovedDefence

if TYPE_CHECKING:
    from nodealer_lab.attacks.outcome import AttackOutcome
    from nodealer_lab.attacks.scene import PlayedGame, Scene

__all__ = [
    "Attack",
    "AttackMethod",
    "AttackScheme",
    "Attacker",
    "Beside",
    "FindGain",
    "Forge",
    "OutcomeLabel",
    "PlayAttack",
    "SignedMoment",
    "WhenSeen",
    "attack_from_cheat",
    "expected_outcome",
    "sentence",
    "with_own_claim",
]

#: The result of an attack, as the attack matrix prints it.
OutcomeLabel = Literal["at once", "at opening", "at the end", "gains nothing", "cannot be seen"]
#: When an attack is seen.
WhenSeen = Literal["at once", "at opening", "at the end", "never"]
#: Who carries out an attack.
Attacker = Literal[
    "a seat",
    "the relay",
    "the timekeeper",
    "a coalition",
    "a reader of the log",
    "the host",
    "someone with a link",
    "someone who hears a pairing code",
    "a player who was removed",
]

#: Return what the attacker gained, as a phrase that completes "it …" ("reads Ada's card"), or None if nothing.
FindGain = Callable[["PlayedGame"], "str | None"]
#: Play the whole attack and return its outcome. For attacks that are more than one seat sending false messages.
PlayAttack = Callable[["Scene"], "AttackOutcome"]


@dataclass(frozen=True)
class AttackMethod(CheatMethod):
    """One way to carry out an attack on one protocol."""

    #: The defences to remove so that the attack works: as little source code as possible.
    defence: tuple[RemovedDefence, ...] = ()
    #: Finds what the attacker gained, using all players' secrets after the game.
    find_gain: FindGain | None = None
    #: Plays the attack, instead of `forge`, `beside` and `find_gain`.
    play: PlayAttack | None = None
    #: An honest seat that leaves on its turn, so that the others rebuild the deck.
    leaver: int | None = None
    #: The expected result if no log shows the attack.
    if_unseen: OutcomeLabel = "gains nothing"
    #: The seat that cheats; None means the last one.
    seat: int | None = None
    #: The game that the attack needs; None means the smallest one that the protocol supports.
    game: GamePackage | None = None


#: An attack on one protocol, with the claim about its outcome.
AttackScheme = CheatScheme[AttackMethod]


def with_own_claim(method: AttackMethod, seen: WhenSeen = "never", *, culprit: bool = False) -> AttackScheme:
    """Return a scheme with a claim of its own, the same on every protocol, instead of one that a protocol makes.

    `seen` says when the attack is seen, and `culprit` whether the log names the culprit.
    """
    return AttackScheme(method, Cheat(method.claim, seen, culprit))


def expected_outcome(scheme: AttackScheme) -> OutcomeLabel:
    """Return the result that the claim promises for an attack."""
    return scheme.way.if_unseen if scheme.claim.seen == "never" else scheme.claim.seen


@dataclass(frozen=True)
class Attack(BotCheat[AttackMethod]):
    """An attack by its name, with the ways to carry it out on each protocol."""

    #: Its numbers, A1 to A50, in the list of attacks that the project started from (docs/internals/attacks.md).
    numbers: tuple[str, ...] = ()
    who: Attacker = "a seat"
    #: Whether the attack happens before any cards are dealt. It is then tried once, because the game does not
    #: matter.
    without_cards: bool = False
    #: For an attack with a `law`: the mode to try on a protocol, if it is not the default.
    law_modes: Mapping[str, bytes] = field(default_factory=dict)
    #: For an attack with a `law`: the defences to remove on a protocol that has its own.
    law_defences: Mapping[str, tuple[RemovedDefence, ...]] = field(default_factory=dict)

    def on(self, protocol: CardProtocol) -> AttackScheme:
        """Return how to carry out the attack on this protocol.

        Raise `BadParameter`, quoting the claim, if it cannot be.
        """
        scheme = super().on(protocol)
        defence = self.law_defences.get(protocol.claims.name, scheme.way.defence)
        return replace(scheme, way=replace(scheme.way, defence=defence))

    @property
    def is_bot_cheat(self) -> bool:
        """True if a bot can play it in any game, because it is nothing but false messages of one seat."""
        ways = [self.law.way] if self.law is not None else [way for ways in self.ways.values() for way in ways]
        return all(way.play is None for way in ways)


def attack_from_cheat(cheat: BotCheat[CheatMethod], *added: Mapping[str, Any], numbers: tuple[str, ...]) -> Attack:
    """Return a bot's cheat as an attack. `added` holds what the lab adds to each of its methods, in their order."""
    methods = [cheat.law.way] if cheat.law is not None else [way for ways in cheat.ways.values() for way in ways]
    extended = {id(method): AttackMethod(**vars(method), **more) for method, more in zip(methods, added, strict=True)}
    return Attack(
        name=cheat.name,
        does=cheat.does,
        numbers=numbers,
        ways={name: tuple(extended[id(method)] for method in ways) for name, ways in cheat.ways.items()},
        instead=cheat.instead,
        law=None if cheat.law is None else CheatScheme(extended[id(cheat.law.way)], cheat.law.claim),
        tried_on=cheat.tried_on,
    )
