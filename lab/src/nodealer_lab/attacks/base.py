"""What an attack is: who does what at which table, without which defence it would work, and what the claims say comes
of it.

Many attacks are cheats that a bot can play (`nodealer.cheats`). To those the lab adds the defence that must be removed
for the attack to work, and what the attacker gains then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from nodealer.cheats.base import Beside, BotCheat, CheatMethod, CheatScheme, Forge, SignedMoment, sentence
from nodealer.games.package import GamePackage
from nodealer.protocols.base import CardProtocol
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
    "attack_from_cheat",
    "expected_outcome",
    "sentence",
]

#: What comes of an attack, in the words of the matrix.
OutcomeLabel = Literal["at once", "at opening", "at the end", "gains nothing", "cannot be seen"]
#: Who attacks, besides a seat.
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

#: What came of it, in words after "it": "reads Ada's card". None for nothing.
FindGain = Callable[["PlayedGame"], "str | None"]
#: An attack that is more than one seat with false words: it plays a game of its own and says what came of it.
PlayAttack = Callable[["Scene"], "AttackOutcome"]


@dataclass(frozen=True)
class AttackMethod(CheatMethod):
    """One way to carry an attack out."""

    #: The defence that it must have removed to work, as few words of the program as will do.
    defence: tuple[RemovedDefence, ...] = ()
    #: What it has of it, found with everybody's secrets after the game.
    find_gain: FindGain | None = None
    #: In place of `forge`, `beside` and `gained`.
    play: PlayAttack | None = None
    #: An honest seat that leaves when it is to move: then the others make the deck again.
    leaver: int | None = None
    #: What no log shows gains nothing, unless it is said that it cannot be seen.
    if_unseen: OutcomeLabel = "gains nothing"
    #: The seat that cheats; None for the last.
    seat: int | None = None
    #: The game that it needs; None for the smallest that the protocol serves.
    game: GamePackage | None = None


#: An attack on one protocol, and what must come of it.
AttackScheme = CheatScheme[AttackMethod]


def expected_outcome(scheme: AttackScheme) -> OutcomeLabel:
    """Return what must come of an attack."""
    return scheme.way.if_unseen if scheme.claim.seen == "never" else scheme.claim.seen


@dataclass(frozen=True)
class Attack(BotCheat[AttackMethod]):
    """Something that somebody tries."""

    #: Its numbers in the list of attacks that the project began with (docs/internals/attacks.md): A1 to A50.
    numbers: tuple[str, ...] = ()
    who: Attacker = "a seat"
    #: Whether it never comes to any cards: then it is tried once, and is the same whatever is played.
    without_cards: bool = False
    #: Protocol to the mode that a law is tried in, where it is about another than the default.
    law_modes: Mapping[str, bytes] = field(default_factory=dict)
    #: Protocol to the defence that a law must have removed there, where each has its own.
    law_defences: Mapping[str, tuple[RemovedDefence, ...]] = field(default_factory=dict)

    def on(self, protocol: CardProtocol) -> AttackScheme:
        """Return how to carry it out on this protocol. Raises `BadParameter`, quoting the claim, if it cannot be."""
        scheme = super().on(protocol)
        defence = self.law_defences.get(protocol.claims.name, scheme.way.defence)
        return replace(scheme, way=replace(scheme.way, defence=defence))

    @property
    def is_bot_cheat(self) -> bool:
        """Whether a bot can do it in any game: false words at the table, and nothing else."""
        ways = [self.law.way] if self.law is not None else [way for ways in self.ways.values() for way in ways]
        return all(way.play is None for way in ways)


def attack_from_cheat(cheat: BotCheat[CheatMethod], *added: Mapping[str, Any], numbers: tuple[str, ...]) -> Attack:
    """Return the attack that a bot's cheat is, given what the lab adds to each of its ways, in their order."""
    tricks = [cheat.law.way] if cheat.law is not None else [way for ways in cheat.ways.values() for way in ways]
    made = {id(trick): AttackMethod(**vars(trick), **more) for trick, more in zip(tricks, added, strict=True)}
    return Attack(
        name=cheat.name,
        does=cheat.does,
        numbers=numbers,
        ways={name: tuple(made[id(trick)] for trick in ways) for name, ways in cheat.ways.items()},
        instead=cheat.instead,
        law=None if cheat.law is None else CheatScheme(made[id(cheat.law.way)], cheat.law.claim),
        tried_on=cheat.tried_on,
    )
