"""A host who deals proposes decks of its own, and that none of them is opened: then it plays a false one."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.cheater import Cheater
from nodealer.log.session import Proposal
from nodealer.play.config import Parts
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.parameters import canonical
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.lobbies import gathered, guest, parts_of, proposed
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Played, Scene, home_of, judged
from nodealer_lab.attacks.shuffles.aces import all_aces, knows_all
from nodealer_lab.attacks.shuffles.dealing import FOR_TWO, dealing


def _its_own(scene: Scene) -> Chain:
    """The protocol as its own program has it, which no other need be able to read."""
    chain = Chain(scene.protocol.parameters)
    chain.chosen = replace(chain.chosen, kappa=0)
    chain.parameters = canonical(chain.chosen)
    return chain


def _plays(scene: Scene) -> Came:
    """The guest has come to play whatever its program can, and looks at nothing itself."""

    def parts(proposal: Proposal) -> Parts:
        return parts_of(scene, make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters)))

    homes = [home_of(scene, name) for name in scene.names]
    its = parts_of(scene, _its_own(scene))
    host = Cheater(
        homes[0], attack=NO_OPENINGS, entropy=scene.entropy, accept=lambda proposal: None, parts=lambda proposal: its
    )
    other = guest(scene, homes[1], parts=parts)
    table = gathered(host, other)
    table.say(host.propose(proposed(scene, host, its)))
    table.run()
    if not other.begun:
        return Came("never")
    replica = other.replica
    roots = {seat: home.root for seat, home in enumerate(homes)}
    played = Played(replica.config, tuple(replica.entries), 0, tuple(host.lies), scene.names, roots)
    return judged(played, knows_all(played))


CLAIM: Final = Cheat("a proposal of the dealer's decks of which none is opened", "never", False)
NO_OPENINGS: Final = Attack(
    name="no-openings",
    does="proposes to deal from a deck of its own, and to open none",
    of=("A3", "A20"),
    who="the host",
    law=Scheme(
        Way(
            CLAIM.cheat,
            dealing(all_aces),
            plays=_plays,
            # That one is opened for each player is the least that a table can agree on. A program that took less would
            # have nothing to open, and would play the only deck there is.
            defence=(
                Without(
                    "nodealer.protocols.chain.parameters:read_parameters",
                    'decode(ChainParameters, data, what="the parameters of chain")',
                    "ChainParameters(**msgspec.json.decode(data))",
                ),
                Without(
                    "nodealer.protocols.chain.candidates:Tossing.apply",
                    "deck.to(Unblinding(self.layers, played, deck.trail), candidate=played)",
                    "deck.to(ChainShuffling(deck.trail), candidate=played, layers=self.layers)",
                ),
            ),
            seat=0,
            game=FOR_TWO,
        ),
        CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"deck":"dealer","proven":false}'},
)
