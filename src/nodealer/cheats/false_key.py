"""Publish a false key when a card is dealt or opened."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import falsify_first, multiply, set_at
from nodealer.cheats.base import BotCheat, CheatMethod, Forge, SignedMoment
from nodealer.protocols.chain.messages import Pass
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.bits import Bits
from nodealer.protocols.duel.messages import Give
from nodealer.protocols.keyed_deck import Release
from nodealer.protocols.offset.messages import DealFinal, RevealFinal, RevealInitial
from nodealer.wire import encode


def _forge_release(moment: SignedMoment) -> bytes:
    """Release a false key for the first card."""
    keys = moment.deck.binding.group.scalars(read_message(Release, moment.honest).keys)
    return encode(Release(falsify_first(keys)))


def _forge_part(kind: type[DealFinal] | type[RevealInitial] | type[RevealFinal]) -> Forge:
    """Return a function that falsifies the first key part in messages of this kind."""

    def forge(moment: SignedMoment) -> bytes:
        """Return the honest message with a false first key part, or unchanged if it has none."""
        message = read_message(kind, moment.honest)
        if not message.dealKeyPart:
            return moment.honest
        return encode(
            replace(message, dealKeyPart=falsify_first(moment.deck.binding.group.scalars(message.dealKeyPart)))
        )

    return forge


def _forge_chain(moment: SignedMoment) -> bytes:
    """Double the first decrypted number or, if the seat only looks cards up, flip a bit of the first nonce."""
    message, group = read_message(Pass, moment.honest), moment.deck.binding.group
    if message.numbers:
        number = multiply(group, 2, group.points(message.numbers)[0])
        return encode(replace(message, numbers=set_at(message.numbers, 0, number.to_bytes())))
    return encode(replace(message, nonces=set_at(message.nonces, 0, bytes([message.nonces[0] ^ 1]))))


def _forge_duel(moment: SignedMoment) -> bytes:
    """Send a false key for a card of the rival's deck."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    keys = moment.deck.cipher.scalars(read_message(Give, moment.honest).keys)
    false = (
        set_at(keys.to_bytes(), 0, (keys[0] * Bits((7,))).to_bytes()) if isinstance(keys, Bits) else falsify_first(keys)
    )
    return encode(Give(false))


FALSE_KEY: Final = BotCheat(
    name="false-key",
    does="publishes a false key of a card",
    ways={
        "mask": (CheatMethod("a false key for a card that is dealt or opened", {"release": _forge_release}),),
        "lock": (CheatMethod("a false secret for a card that is dealt or opened", {"release": _forge_release}),),
        "offset": (
            CheatMethod(
                "a false key part for a deal",
                {
                    "dealFinal": _forge_part(DealFinal),
                    "revealInitial": _forge_part(RevealInitial),
                    "revealFinal": _forge_part(RevealFinal),
                },
            ),
        ),
        "chain": (
            CheatMethod(
                "a false nonce, prior name or decryption in a draw",
                {"pass": _forge_chain},
            ),
        ),
        "duel": (
            CheatMethod("a false key of the rival", {"give": _forge_duel}),
            CheatMethod("a false key or card of the rival", {"give": _forge_duel}),
        ),
    },
)
