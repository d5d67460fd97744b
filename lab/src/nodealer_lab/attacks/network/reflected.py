"""Who hears the number of a spoken code speaks as its host, and sends back to the guest what the guest has said."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.cpace import SHARE_BYTES
from nodealer.drive.local import KEY_BYTES
from nodealer.errors import CodeDead
from nodealer.group import group
from nodealer.keys import Identity
from nodealer.protocols.base import Cheat
from nodealer.relay.codes import SESSION_BYTES, GuestExchange, GuestShare, HostConfirms, HostShare, new_code
from nodealer.wire import decode, encode
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.guessed_code import RELAY
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene


def _plays(scene: Scene) -> Came:
    """It does not know the words: its share is any point, and the proof that it knows them is the guest's own."""
    code = new_code(7, scene.entropy)
    guest = GuestExchange(code, RELAY, Identity(scene.entropy(KEY_BYTES)), "Ben", scene.entropy, 0)
    share = group().map_to_points(scene.entropy(group().uniform_size)).to_bytes()[:SHARE_BYTES]
    (answer,) = guest.take(encode(HostShare(scene.entropy(SESSION_BYTES), share)), 0)
    confirmation = decode(GuestShare, answer, what="what the guest says").confirmation
    believed: tuple[bytes, ...] = ()
    with suppress(CodeDead):
        believed = guest.take(encode(HostConfirms(confirmation)), 0)
    return Came("never", gain="is taken for the host by Ben, without a word of the code" if believed else None)


CLAIM: Final = Cheat("what the guest of a spoken code has said, sent back to it", "never", False)
REFLECTED: Final = Attack(
    name="reflected",
    does="speaks as the host of a spoken code, and sends back what the guest says",
    who="somebody who hears a code",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # Who confirms says in which role.
            defence=(
                Without(
                    "nodealer.relay.codes:_Keys.confirmation",
                    "framed(role, *self._where, self._host, self._guest_share)",
                    "framed(*self._where, self._host, self._guest_share)",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
