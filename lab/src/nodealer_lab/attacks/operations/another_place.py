"""A seat that may name a place of the deck names one that is not its to name: a card in another hand, or one that it
has played."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from msgspec import Raw

from nodealer.games.free.rules import OpenCards
from nodealer.play.bodies import Cards
from nodealer.protocols.base import MISDEAL, Cheat
from nodealer.protocols.chain.deck import Stuck
from nodealer.protocols.chain.drawing import own_links, prove
from nodealer.protocols.chain.messages import Misdeal
from nodealer.protocols.duel.messages import Take
from nodealer.protocols.lock.messages import Pick
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.duelling import SPENT_DUEL
from nodealer_lab.attacks.operations.free import free_stage, lies
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, judged, tried
from nodealer_lab.attacks.secrets.picker import first_to_pick

VICTIM: Final = 0


def _pick(moment: Moment) -> bytes:
    """In `lock` one seat names the cards of the board."""
    return encode(Pick(moment.deck.places.hand(VICTIM)[:1]))


def _lock(scene: Scene) -> Came:
    """It has drawn keys until it is the one who names them."""
    stage = free_stage(ANOTHER_PLACE, scene, each=1, homes=first_to_pick(scene))
    mine = stage.state().hand.decks[0].places.hand(VICTIM)
    stage.asks(VICTIM, OpenCards(0, 1))
    opened = set(mine) & stage.state().hand.decks[0].places.opened.keys()
    gain = "has a card in Ada's hand opened for all, in the place of one of the deck" if opened else None
    return stage.came(gain, lies(stage, scene.cheater))


def _chain(scene: Scene) -> Came:
    """In `chain` whoever holds a card may say that it is none. Under its own key another seat's is none, and it can
    prove that."""
    stage, seat = free_stage(None, scene, each=1), scene.cheater
    deck: Any = stage.state(seat).hand.decks[0]
    duty = next(known.duty for known in stage.state(seat).duties.of(seat).values() if known.duty.kind == MISDEAL)
    tape, index, theirs = stage[seat].seat._tape(0), deck.order.index(seat), deck.hidden(VICTIM)[:1]
    own, (held,) = deck.own(tape, index), [deck.held[position] for position in theirs]
    links, bare = own_links(deck, own, index, [held.place]), own.key.invert() * held.number
    proof = prove(deck, duty, tape, own.key, [*links.bases, bare], [*links.images, held.number])
    claim = Misdeal(theirs, bare.to_bytes(), b"".join(links.nonces), b"".join(links.names), proof)
    said = stage.says(seat, Cards(duty.id, Raw(encode(claim))))
    stage.end()
    after: Any = stage.state().hand.decks[0]
    return stage.came(
        "has the hand stopped over a card of Ada's that she can read" if isinstance(after.stage, Stuck) else None, said
    )


def _take(moment: Moment) -> bytes:
    """In `duel` the owner of a deck names the card that it has searched for."""
    return encode(Take(next(iter(moment.deck.places.aside))))


def _duel(scene: Scene) -> Came:
    played = tried(ANOTHER_PLACE, replace(scene, game=SPENT_DUEL))
    every = (deck.places for state in played.states() for deck in state.hand.decks.values())
    again = any(places.aside.keys() & set(places.hand(scene.cheater)) for places in every)
    return judged(played, "has a card in its hand again that it has played" if again else None)


_ON: Final = {"lock": _lock, "chain": _chain, "duel": _duel}


def _plays(scene: Scene) -> Came:
    return _ON[scene.protocol.claims.name](scene)


CLAIM: Final = Cheat("a place of the deck that is not the seat's to name", "never", False)
ANOTHER_PLACE: Final = Attack(
    name="another-place",
    does="names a place of the deck that is not its to name",
    of=("A21",),
    law=Scheme(Way(CLAIM.cheat, {"pick": _pick, "take": _take}, plays=_plays), CLAIM),
    # Elsewhere no message names a place, but where the log has said which.
    tried_on=tuple(_ON),
    stands_in={
        "lock": (
            Without("nodealer.protocols.lock.picking:_refuse", "if position not in deck.places.in_pile:", "if False:"),
        ),
        "chain": (
            Without(
                "nodealer.protocols.chain.misdeal:Disputes.apply", "not named <= set(deck.hidden(duty.seat))", "False"
            ),
        ),
        "duel": (
            Without("nodealer.protocols.duel.peeking:Taking.apply", "if position not in self.positions:", "if False:"),
        ),
    },
)
