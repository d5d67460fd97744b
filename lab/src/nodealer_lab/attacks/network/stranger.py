"""Somebody who has the link proposes a game in the lobby in place of its host."""

from __future__ import annotations

from typing import Final

from nodealer.keys import host_mark
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.lobbies import gathered, guest, parts_of, proposed
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import NAMES, Scene, home_of


def _plays(scene: Scene) -> Came:
    """The host has not come yet; the guests know its mark from their links."""
    host, *others = [home_of(scene, name) for name in NAMES[:4]]
    mark = host_mark(host.identity.public)
    people = [guest(scene, home, host=mark) for home in others]
    table = gathered(*people)
    stranger = people[-1]
    table.say(stranger.propose(proposed(scene, stranger, parts_of(scene))))
    table.run()
    agreed = any(one.begun for one in people[:-1])
    return Came("never", gain="has the guests sit down at a table that is not the host's" if agreed else None)


CLAIM: Final = Cheat("a proposal of somebody who is not the host", "never", False)
STRANGER: Final = Attack(
    name="stranger",
    does="proposes a game in place of the host",
    who="somebody with a link",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.floor:Floor.may_propose", "host_mark(key) == self._host", "True"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
