"""The last to publish its keys takes them from the others', so that it knows the joint ones and nobody's secret."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.group import Scalars, concat
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.codec import read_message
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.messages import RespondDealParts
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.secrets.knowledge import KNOWLEDGE_PROOF


def _joint(deck: OffsetDeck, tape: Tape) -> Scalars:
    """The secrets that the joint keys are to have."""
    return draw_scalars(tape, "rogue", b"", deck.binding.group, deck.size)


def _offset(moment: Moment) -> bytes:
    """D = X − the others' parts: of X it knows the secrets, of D it does not. The proof is that of what it knows."""
    deck = moment.deck
    others = [parts for seat, parts in deck.parts.items() if seat != moment.duty.seat]
    if len(others) + 1 < len(deck.binding.players):
        # Not the last one.
        return moment.honest
    rogue = _joint(deck, moment.tape) * deck.binding.group.G
    for parts in others:
        rogue = rogue - parts
    said = read_message(RespondDealParts, moment.honest)
    return encode(replace(said, dealPublicKeyParts=rogue.to_bytes()))


def _reads(played: Played) -> str | None:
    """With the joint secrets and the offsets, which all have revealed, every deal is read."""
    for state in played.states():
        for deck in state.hand.decks.values():
            if not isinstance(deck, OffsetDeck) or len(deck.offsets) < len(deck.binding.players):
                continue
            keys = _joint(deck, played.tape(played.cheater, deck.binding.hand))
            offset = concat(*deck.offsets.values()).sum()
            found = [deck.steps[-1].deck.find(keys[place] + offset) for place in range(deck.size)]
            if None not in found:
                return "reads every card of the deck"
    return None


ROGUE_KEY: Final = Attack(
    name="rogue-key",
    does="takes its keys from the others', to know the joint ones",
    of=("A25",),
    ways={
        "offset": (
            Way(
                "a key part chosen to cancel the others",
                {"respondDealParts": _offset},
                defence=(KNOWLEDGE_PROOF,),
                gained=_reads,
                late=("respondDealParts",),
            ),
        ),
    },
)
