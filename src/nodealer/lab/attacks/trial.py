"""A short game in one process in which one seat carries an attack out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from nodealer.drive.local import KEY_BYTES, LocalTable
from nodealer.drive.minds import BotMind
from nodealer.errors import CardUnreadable
from nodealer.games.package import GamePackage
from nodealer.keys import Identity
from nodealer.lab.attacks.base import Attack
from nodealer.lab.attacks.cheater import Cheater
from nodealer.log.roster import PLAYER
from nodealer.play.config import proposal_of
from nodealer.play.home import MemoryHome
from nodealer.play.participant import Participant
from nodealer.play.state import Config
from nodealer.play.stays import for_hands
from nodealer.proofs.checks import Entropy
from nodealer.protocols.base import CardProtocol
from nodealer.tape import ROOT_BYTES

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve")


@dataclass(frozen=True)
class Trial:
    """What was played."""

    config: Config
    log: Sequence[bytes]
    #: The cheater's entries that an honest player would not have signed.
    lies: tuple[bytes, ...]


def tried(
    attack: Attack,
    protocol: CardProtocol,
    game: GamePackage,
    entropy: Entropy,
    *,
    cheater: int,
    seats: int | None = None,
    hands: int = 1,
) -> Trial:
    """Play until nobody has anything to say."""
    rules = game.from_settings({setting.name: setting.default for setting in game.settings})
    names = NAMES[: seats or game.seats]
    homes = [MemoryHome(name, Identity(entropy(KEY_BYTES)), entropy(ROOT_BYTES)) for name in names]
    liar = partial(Cheater, attack=attack)
    table = LocalTable(
        (liar if seat == cheater else Participant)(
            home,
            entropy=entropy,
            accept=lambda proposal: None,
            stays=for_hands(hands),
            parts=lambda proposal: (protocol, rules, game),
        )
        for seat, home in enumerate(homes)
    )
    table.run()
    offers = {offer.name: offer for offer in table.participants[0].offers}
    table.agree(proposal_of(rules, protocol, [offers[name].seated(seat, PLAYER) for seat, name in enumerate(names)]))
    minds = {one: BotMind(game, one.home.root) for one in table.participants}
    table.run(lambda one: _decided(one, minds[one]))
    caught = table.participants[cheater]
    honest = next(one for one in table.participants if one is not caught)
    lies = tuple(caught.lies) if isinstance(caught, Cheater) else ()
    return Trial(honest.replica.config, tuple(honest.replica.entries), lies)


def _decided(one: Participant, mind: BotMind) -> list[bytes]:
    """As a bot does: a card that does not open is claimed, and otherwise what the table waits for is decided."""
    if one.options().unreadable is not None:
        return one.claim()
    # Who was given false cards, and has disputed one already, has nothing to think about.
    with suppress(CardUnreadable):
        return mind.act(one)
    return []
