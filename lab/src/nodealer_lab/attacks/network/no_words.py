"""Who hears the number of a spoken code, and none of its words, answers with the identity: any secret times nothing is
nothing, so it knows the key that the host comes to."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.cpace import SHARE_BYTES, session_key, transcript
from nodealer.drive.local import KEY_BYTES
from nodealer.errors import CodeDead
from nodealer.keys import Identity, host_mark
from nodealer.protocols.base import Cheat
from nodealer.relay import codes
from nodealer.relay.codes import GuestExchange, GuestShare, HostExchange, HostShare, new_code
from nodealer.relay.links import Invitation
from nodealer.relay.sealing import TableSecret
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.guessed_code import RELAY
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene

#: The encoding of the identity.
NOTHING: Final = bytes(SHARE_BYTES)


class _Thief(GuestExchange):
    """A guest who makes nothing of the words that it was told."""

    def _answer(self, message: HostShare, frame: bytes) -> tuple[bytes, ...]:
        key = session_key(message.session, NOTHING, transcript(message.share, NOTHING))
        self._keys = codes._Keys(key, self._relay, self._code.number, frame, NOTHING)
        self._answered, self._message = frame, encode(GuestShare(NOTHING, self._keys.confirmation(codes._B)))
        return (self._message,)


def _plays(scene: Scene) -> Came:
    host, thief = Identity(scene.entropy(KEY_BYTES)), Identity(scene.entropy(KEY_BYTES))
    invitation = Invitation((RELAY,), TableSecret(scene.entropy(16), "0" * 32, 0), host_mark(host.public))
    exchange = HostExchange(new_code(7, scene.entropy), RELAY, invitation, host, scene.entropy, 0)
    guest = _Thief(new_code(7, scene.entropy), RELAY, thief, "Mallory", scene.entropy, 0)
    said = list(exchange.first_words)
    with suppress(CodeDead):
        while said and guest.finished is None:
            said = [answer for word in said for mine in guest.take(word, 0) for answer in exchange.take(mine, 0)]
    got = guest.finished is not None and guest.finished.invitation == invitation
    return Came("never", gain="gets the invitation without knowing a word" if got else None)


CLAIM: Final = Cheat("an answer to a spoken code by somebody who knows none of its words", "never", False)
NO_WORDS: Final = Attack(
    name="no-words",
    does="answers to a spoken code with the identity, and knows none of its words",
    of=("A22", "A27"),
    who="somebody who hears a code",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # Reading a point refuses the identity.
            defence=(
                Without(
                    "nodealer.cpace:Run._key",
                    "group().points(theirs)",
                    "(group().points(theirs) if any(theirs) else group().identity(1))",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
