"""A seat takes part with a key of nothing: the identity, whose secret is zero."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.group import concat
from nodealer.proofs import equality
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.messages import RespondDealParts
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import IDENTITY
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Played, Scene, judged, tried


def _offset(moment: Moment) -> bytes:
    """Of the first deal; the proof is a true one, for it knows that zero."""
    deck, group = moment.deck, moment.deck.binding.group
    said = read_message(RespondDealParts, moment.honest)
    d = deck.deal_parts(moment.tape, moment.duty.seat)
    d = concat(group.integers([0]), d[1:])
    D = d * group.G
    proof = equality.prove_knowledge(deck.transcript(moment.duty, 0), moment.tape, D, d)
    return encode(replace(said, dealPublicKeyParts=D.to_bytes(), proof=proof))


def _taken(played: Played) -> str | None:
    for state in played.states():
        for deck in state.hand.decks.values():
            parts = deck.parts.get(played.cheater) if isinstance(deck, OffsetDeck) else None
            if parts is not None and parts.first_identity() is not None:
                return "has a card dealt that its key is not on"
    return None


def _plays(scene: Scene) -> Came:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = tried(IDENTITY_KEY, scene)
    return judged(played, _taken(played))


CLAIM: Final = Cheat("a key that is the identity", "never", False)
IDENTITY_KEY: Final = Attack(
    name="identity-key",
    does="takes part with a key of nothing",
    of=("A27",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            {"respondDealParts": _offset},
            defence=(
                IDENTITY,
                Without("nodealer.proofs.equality:check_knowledge", "keys.first_identity() is not None", "False"),
            ),
            plays=_plays,
        ),
        CLAIM,
    ),
    tried_on=("offset",),
)
