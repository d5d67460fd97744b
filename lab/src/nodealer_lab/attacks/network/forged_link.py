"""A relay, which knows the number of a table, makes a link of that number with a key and a host of its own, and sends
it to somebody who was invited there: before the true one comes, or after it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nodealer.keys import host_mark
from nodealer.protocols.base import Cheat
from nodealer.relay.links import SECRET_BYTES, Invitation, read_link
from nodealer.relay.sealing import TableSecret
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.guessed_code import RELAY
from nodealer_lab.attacks.network.lobbies import gathered, guest, parts_of, proposed
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import NAMES, Scene, home_of


def _returns(came_by: Invitation, given: Invitation) -> Invitation | None:
    """As the program does with a second link of one table: it goes on by the first one, unless one of them is false."""
    return None if given.is_false_beside(came_by) else came_by


def _plays(scene: Scene) -> Came:
    """The false link comes first, or second. At the table of the false one only who has its key hears anything."""
    host, invited, false_host = [home_of(scene, name) for name in NAMES[:3]]
    secret = TableSecret(scene.entropy(SECRET_BYTES), "0" * 32, 0)
    true = Invitation((RELAY,), secret, host_mark(host.identity.public))
    forged = replace(
        true, key=replace(secret, secret=scene.entropy(SECRET_BYTES)), host=host_mark(false_host.identity.public)
    )
    true, forged = read_link(true.link), read_link(forged.link)
    for links in ((true, forged), (forged, true)):
        by = _returns(*links)
        if by is None or by.key != forged.key:
            continue
        person, stranger = guest(scene, invited, host=by.host), guest(scene, false_host)
        table = gathered(person, stranger)
        table.say(stranger.propose(proposed(scene, stranger, parts_of(scene))))
        table.run()
        if person.begun:
            return Came("never", gain="has Ben stay at a table of its own, with the link to the true one in his hands")
    return Came("never")


CLAIM: Final = Cheat("a link of another key and host, with the number of a table", "never", False)
FORGED_LINK: Final = Attack(
    name="forged-link",
    does="sends somebody who is invited a link of its own, with the number of the table",
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.relay.links:Invitation.is_false_beside",
                    "self.table != came_by.table or self.host != came_by.host or other_key",
                    "self.table != came_by.table",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
