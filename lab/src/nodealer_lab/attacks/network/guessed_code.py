"""Who hears the number of a spoken code tries words at its mailbox until they are the right ones."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.drive.local import KEY_BYTES
from nodealer.errors import CodeDead
from nodealer.keys import Identity, host_mark
from nodealer.protocols.base import Cheat
from nodealer.relay.codes import Code, GuestExchange, HostExchange, new_code
from nodealer.relay.links import Invitation
from nodealer.relay.sealing import TableSecret
from nodealer.words import word_list
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene

RELAY: Final = "wss://relay.example"
#: Of the four million codes it tries these few, and among them is the right one.
WRONG: Final = 5


def _plays(scene: Scene) -> Came:
    host, thief = Identity(scene.entropy(KEY_BYTES)), Identity(scene.entropy(KEY_BYTES))
    invitation = Invitation((RELAY,), TableSecret(scene.entropy(16), "0" * 32, 0), host_mark(host.public))
    code = new_code(7, scene.entropy)
    exchange = HostExchange(code, RELAY, invitation, host, scene.entropy, 0)
    guesses = [Code(7, (code.words[0], word)) for word in word_list()[:WRONG] if word != code.words[1]]
    got = False
    with suppress(CodeDead):
        for guess in [*guesses, code]:
            guest = GuestExchange(guess, RELAY, thief, "Mallory", scene.entropy, 0)
            mailbox = list(guest.take(exchange.first_words[0], 0))
            # What one says the other hears, until nobody has anything to say.
            while mailbox and guest.finished is None:
                answers = exchange.take(mailbox.pop(0), 0)
                mailbox += [said for answer in answers for said in guest.take(answer, 0)]
            got = got or guest.finished is not None
    return Came("never", gain="gets the invitation by trying words" if got else None)


CLAIM: Final = Cheat("words that are tried at the mailbox of a spoken code", "never", False)
GUESSED_CODE: Final = Attack(
    name="guessed-code",
    does="tries words at the mailbox of a spoken code",
    who="somebody who hears a code",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.relay.codes:HostExchange._confirm",
                    'self._die("somebody has answered with a wrong code", tried=True)',
                    "return ()",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
    anywhere=True,
)
