"""Attacks on pairing codes, by someone who hears the number of a code."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.cpace import SHARE_BYTES, session_key, transcript
from nodealer.errors import CodeDead
from nodealer.group import group
from nodealer.keys import KEY_BYTES, Identity, host_mark
from nodealer.relay import pairing
from nodealer.relay.invitations import Invitation
from nodealer.relay.pairing import (
    SESSION_BYTES,
    Code,
    GuestExchange,
    GuestShare,
    HostConfirms,
    HostExchange,
    HostShare,
    new_code,
)
from nodealer.relay.sealing import TableSecret
from nodealer.wire import decode, encode
from nodealer.wordlist import word_list
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene

# --- guessed code ---

RELAY: Final = "wss://relay.example"
#: The number of wrong codes to try, out of four million, before the right one.
WRONG_GUESSES: Final = 5


def _play_guessed_code(scene: Scene) -> AttackOutcome:
    """Try some wrong codes and then the right one at one mailbox.

    The attack: someone who hears the number of a pairing code tries words at its mailbox until they are right.
    """
    host, thief = Identity(scene.entropy(KEY_BYTES)), Identity(scene.entropy(KEY_BYTES))
    invitation = Invitation((RELAY,), TableSecret(scene.entropy(16), "0" * 32, 0), host_mark(host.public))
    code = new_code(7, scene.entropy)
    exchange = HostExchange(code, RELAY, invitation, host, scene.entropy, 0)
    guesses = [Code(7, (code.words[0], word)) for word in word_list()[:WRONG_GUESSES] if word != code.words[1]]
    got = False
    with suppress(CodeDead):
        for guess in [*guesses, code]:
            guest = GuestExchange(guess, RELAY, thief, "Mallory", scene.entropy, 0)
            mailbox = list(guest.receive(exchange.first_frames[0], 0))
            # Deliver messages in both directions until there are no more.
            while mailbox and guest.finished is None:
                answers = exchange.receive(mailbox.pop(0), 0)
                mailbox += [reply for answer in answers for reply in guest.receive(answer, 0)]
            got = got or guest.finished is not None
    return AttackOutcome("never", gain="gets the invitation by trying words" if got else None)


GUESSED_CODE: Final = Attack(
    name="guessed-code",
    does="guesses words at the mailbox of a pairing code",
    who="someone who hears a pairing code",
    law=with_own_claim(
        AttackMethod(
            "guessed words at the mailbox of a pairing code",
            play=_play_guessed_code,
            defence=(
                RemovedDefence(
                    "nodealer.relay.pairing:HostExchange._confirm",
                    'self._fail("someone answered with a wrong code", tried=True)',
                    "return ()",
                ),
            ),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)


# --- reflected ---


def _play_reflected(scene: Scene) -> AttackOutcome:
    """Pose as the host without knowing the words: send any point as share, and the guest's own confirmation.

    The attack: someone who hears the number of a pairing code poses as its host, and sends the guest's own messages
    back.
    """
    code = new_code(7, scene.entropy)
    guest = GuestExchange(code, RELAY, Identity(scene.entropy(KEY_BYTES)), "Ben", scene.entropy, 0)
    share = group().map_to_points(scene.entropy(group().uniform_size)).to_bytes()[:SHARE_BYTES]
    (answer,) = guest.receive(encode(HostShare(scene.entropy(SESSION_BYTES), share)), 0)
    confirmation = decode(GuestShare, answer, what="what the guest says").confirmation
    believed: tuple[bytes, ...] = ()
    with suppress(CodeDead):
        believed = guest.receive(encode(HostConfirms(confirmation)), 0)
    return AttackOutcome("never", gain="passes for the host without knowing a word of the code" if believed else None)


REFLECTED: Final = Attack(
    name="reflected",
    does="plays the host of a pairing code, and sends back what the guest says",
    who="someone who hears a pairing code",
    law=with_own_claim(
        AttackMethod(
            "the messages of a pairing code's guest, sent back to them",
            play=_play_reflected,
            # A confirmation contains the role of its sender.
            defence=(
                RemovedDefence(
                    "nodealer.relay.pairing:_Keys.confirmation",
                    "framed(role, *self._mailbox, self._host, self._guest_share)",
                    "framed(*self._mailbox, self._host, self._guest_share)",
                ),
            ),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)


# --- no words ---

#: The encoding of the identity.
IDENTITY_SHARE: Final = bytes(SHARE_BYTES)


class _IdentityGuest(GuestExchange):
    """A guest who answers with the identity instead of a share made from the words."""

    def _answer_host(self, message: HostShare, frame: bytes) -> tuple[bytes, ...]:
        """Answer the host's share with the identity, and compute the key that follows from it."""
        key = session_key(message.session, IDENTITY_SHARE, transcript(message.share, IDENTITY_SHARE))
        self._keys = pairing._Keys(key, self._relay, self._code.number, frame, IDENTITY_SHARE)
        self._answered, self._message = frame, encode(GuestShare(IDENTITY_SHARE, self._keys.confirmation(pairing._B)))
        return (self._message,)


def _play_no_words(scene: Scene) -> AttackOutcome:
    """Run the exchange with a guest who knows none of the words.

    The attack: someone who hears the number of a pairing code, but none of its words, answers with the identity. Any
    secret times the identity is the identity, so they know the key that the host computes.
    """
    host, thief = Identity(scene.entropy(KEY_BYTES)), Identity(scene.entropy(KEY_BYTES))
    invitation = Invitation((RELAY,), TableSecret(scene.entropy(16), "0" * 32, 0), host_mark(host.public))
    exchange = HostExchange(new_code(7, scene.entropy), RELAY, invitation, host, scene.entropy, 0)
    guest = _IdentityGuest(new_code(7, scene.entropy), RELAY, thief, "Mallory", scene.entropy, 0)
    messages = list(exchange.first_frames)
    with suppress(CodeDead):
        while messages and guest.finished is None:
            messages = [
                answer
                for message in messages
                for reply in guest.receive(message, 0)
                for answer in exchange.receive(reply, 0)
            ]
    got = guest.finished is not None and guest.finished.invitation == invitation
    return AttackOutcome("never", gain="gets the invitation without knowing a word" if got else None)


NO_WORDS: Final = Attack(
    name="no-words",
    does="answers a pairing code with the identity, without knowing its words",
    numbers=("A22", "A27"),
    who="someone who hears a pairing code",
    law=with_own_claim(
        AttackMethod(
            "an answer to a pairing code by someone who knows none of its words",
            play=_play_no_words,
            # The identity is refused when points are read.
            defence=(
                RemovedDefence(
                    "nodealer.cpace:Run._key",
                    "group().points(theirs)",
                    "(group().points(theirs) if any(theirs) else group().identity(1))",
                ),
            ),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)
