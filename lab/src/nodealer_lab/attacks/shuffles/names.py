"""A seat gives the names another order than the numbers: a card has one name and another number."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.protocols.chain.drawing import read_links
from nodealer.protocols.chain.lists import NAME_BYTES
from nodealer.protocols.chain.messages import ChainShuffle, Pass
from nodealer.protocols.codec import read_message
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defences import EQUALITY_PROOF
from nodealer_lab.attacks.scene import Played


def _shuffle(moment: Moment) -> bytes:
    """Every name is that of the next number."""
    said = read_message(ChainShuffle, moment.honest)
    return encode(replace(said, names=said.names[NAME_BYTES:] + said.names[:NAME_BYTES]))


def _pass(moment: Moment) -> bytes:
    """The links of the names that it gave."""
    said, deck = read_message(Pass, moment.honest), moment.deck
    turn = deck.stage.turn
    own, names = deck.own(moment.tape, turn), {place: name for name, place in deck.names_before(turn).items()}
    linked = [(track.place + 1) % deck.size for track in deck.stage.tracks if track.looked_up_by(turn)]
    nonces = b"".join(own.nonces[place] for place in linked)
    return encode(replace(said, nonces=nonces, names=b"".join(names[own.prior[place]] for place in linked)))


def _gained(played: Played) -> str | None:
    """A link of its was taken whose number is not the one under the prior name to the power of its key: who follows
    the names comes to another card than who takes the keys off."""
    for one in played.said():
        if one.duty.kind != "pass" or one.duty.seat != played.cheater:
            continue
        deck, said = one.deck, read_message(Pass, one.message)
        turn = deck.stage.turn
        places = [track.place for track in deck.stage.tracks if track.looked_up_by(turn)]
        links = read_links(deck, one.duty.seat, places, said.nonces, said.names)
        key = deck.own(played.tape(one.duty.seat, one.duty.binding.hand), turn).key
        if any(key * base != image for base, image in zip(links.bases, links.images, strict=True)):
            return "has every card go under the name of another"
    return None


NAMES: Final = Attack(
    name="names",
    does="gives the names of the cards another order than their numbers",
    ways={
        "chain": (
            Way(
                "names in another order than the numbers",
                {"shuffle": _shuffle, "pass": _pass},
                defence=(EQUALITY_PROOF,),
                gained=_gained,
                seat=1,
            ),
        ),
    },
)
