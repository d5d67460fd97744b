"""A lobby in one process, for attacks before a game has begun."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.client.local_table import LocalTable
from nodealer.engine.lobby import Accept
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import Parts, create_proposal
from nodealer.engine.store import MemoryPlayerStore
from nodealer.log.roster import PLAYER
from nodealer.log.session import Proposal
from nodealer.protocols.base import CardProtocol
from nodealer_lab.attacks.scene import NAMES, Scene, default_rules


def parts_of(scene: Scene, protocol: CardProtocol | None = None) -> Parts:
    """Return what is played: the scene's protocol or another one, the default rules, and the game."""
    return protocol or scene.protocol, default_rules(scene), scene.game


def new_guest(
    scene: Scene,
    store: MemoryPlayerStore,
    *,
    table: str = "",
    host: bytes | None = None,
    accept: Accept = lambda proposal: None,
    parts: Callable[[Proposal], Parts] | None = None,
) -> Participant:
    """Return a participant who came to play the scene's game."""
    parts = parts or (lambda proposal: parts_of(scene))
    return Participant(store, entropy=scene.entropy, accept=accept, table=table, host=host, parts=parts)


def proposal_for(scene: Scene, proposer: Participant, parts: Parts) -> Proposal:
    """Return the proposal that a participant would make to everyone in the lobby."""
    protocol, rules, _ = parts
    offers = {offer.name: offer for offer in proposer.offers}
    present = [name for name in NAMES if name in offers]
    return create_proposal(rules, protocol, [offers[name].as_member(seat, PLAYER) for seat, name in enumerate(present)])


def gather(*participants: Participant) -> LocalTable:
    """Return a lobby in which all these participants have received each other's offers."""
    table = LocalTable(participants)
    table.run()
    return table
