"""A relay brings a lobby the offer that somebody made in another one: the table waits for who never came."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.lobbies import gathered, guest
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import NAMES, Scene, home_of


def _plays(scene: Scene) -> Came:
    host, other, absent = [home_of(scene, name) for name in NAMES[:3]]
    (offer,) = guest(scene, absent, table="another").resend()
    people = [guest(scene, home, table="this one") for home in (host, other)]
    table = gathered(*people)
    table.say([offer])
    table.run()
    there = any(one.key == absent.identity.public for one in people[0].offers)
    return Came("never", gain="has Cleo stand in a lobby that she never came to" if there else None)


CLAIM: Final = Cheat("an offer that was made in another lobby", "never", False)
OTHER_LOBBY: Final = Attack(
    name="other-lobby",
    does="brings a lobby what was said in another",
    of=("A43",),
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.frames:_signed_words", "table, words", '"", words'),),
        ),
        CLAIM,
    ),
)
