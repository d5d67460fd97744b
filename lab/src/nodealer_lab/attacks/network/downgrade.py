"""A host proposes the game that was agreed on, in a mode that promises less."""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from nodealer.log.session import Part, Proposal
from nodealer.play.config import Parts
from nodealer.play.lobby import Expected
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.lobbies import gathered, guest, parts_of, proposed
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, home_of, small_protocol


def _plays(scene: Scene) -> Came:
    """The guests have come to play with proofs, and the host proposes to do without."""

    def parts(proposal: Proposal) -> Parts:
        return parts_of(scene, small_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters)))

    names = scene.names
    host, *others = [home_of(scene, name) for name in names]
    first = guest(scene, host, parts=parts)
    wanted = _expected(parts_of(scene, small_protocol(scene.protocol.claims.name)), names)
    people = [first, *(guest(scene, home, accept=wanted.accept, parts=parts) for home in others)]
    table = gathered(*people)
    table.say(first.propose(proposed(scene, first, parts_of(scene))))
    table.run()
    agreed = any(one.begun for one in people[1:])
    return Came("never", gain="has Ben sit down to play without proofs" if agreed else None)


def _expected(parts: Parts, names: tuple[str, ...]) -> Expected:
    protocol, rules, _ = parts
    game = Part(rules.name, rules.version, Raw(rules.parameters))
    cards = Part(protocol.claims.name, protocol.claims.version, Raw(protocol.parameters))
    return Expected(game, cards, rules.versions, names)


CLAIM: Final = Cheat("a proposal of what was agreed on, in a mode that promises less", "never", False)
DOWNGRADE: Final = Attack(
    name="downgrade",
    does="proposes what was agreed on, in a mode that promises less",
    of=("A49",),
    who="the host",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.play.lobby:Expected.accept",
                    '("protocol", _told(proposal.protocol), _told(self.protocol)),',
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("chain", "duel"),
    in_mode={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)
