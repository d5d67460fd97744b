"""A lobby in one process, with whoever comes to it: for attacks before a game has begun."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.client.local_table import LocalTable
from nodealer.engine.lobby import Accept
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import Parts, proposal_of
from nodealer.engine.store import MemoryPlayerStore
from nodealer.log.roster import PLAYER
from nodealer.log.session import Proposal
from nodealer.protocols.base import CardProtocol
from nodealer_lab.attacks.scene import NAMES, Scene, default_rules


def parts_of(scene: Scene, protocol: CardProtocol | None = None) -> Parts:
    """What is played: the rules of the scene, on its protocol or on another."""
    return protocol or scene.protocol, default_rules(scene), scene.game


def new_guest(
    scene: Scene,
    home: MemoryPlayerStore,
    *,
    table: str = "",
    host: bytes | None = None,
    accept: Accept = lambda proposal: None,
    parts: Callable[[Proposal], Parts] | None = None,
) -> Participant:
    """Somebody who has come to play what the scene plays."""
    wanted = parts or (lambda proposal: parts_of(scene))
    return Participant(home, entropy=scene.entropy, accept=accept, table=table, host=host, parts=wanted)


def proposal_for(scene: Scene, one: Participant, parts: Parts) -> Proposal:
    """What somebody would propose to all who are there."""
    protocol, rules, _ = parts
    offers = {offer.name: offer for offer in one.offers}
    there = [name for name in NAMES if name in offers]
    return proposal_of(rules, protocol, [offers[name].seated(seat, PLAYER) for seat, name in enumerate(there)])


def gather(*people: Participant) -> LocalTable:
    """All of them in one lobby, and each has heard the others."""
    table = LocalTable(people)
    table.run()
    return table
