"""All seats but one are friends, and only they shuffle. They know all orders then, and with them where every face went:
that the last one's key is on its card as well does not help it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.offset.messages import RequestDealParts
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.proofs.leak import faces_of
from nodealer_lab.attacks.scene import Played, Scene, judged, tried, with_chips
from nodealer_lab.attacks.shuffles.everybody import EVERYBODY
from nodealer_lab.attacks.truth import Dealt, dealt, under_no_key, whole

#: What a shuffle is called.
STEPS: Final = ("shuffle", "cascade")


def _offset(moment: Moment) -> bytes:
    """In `offset` the dealer names the order of the shuffles: it names all but the last player."""
    said = read_message(RequestDealParts, moment.honest)
    return encode(structs.replace(said, shuffleOrder=said.shuffleOrder[:-1]))


def _order(deck: Any, seat: int, tape: Tape) -> list[int]:
    """The order in which a friend shuffles what it has got."""
    stage = deck.stage
    match deck.binding.protocol:
        case "mask":
            S = deck.shuffle_secret(tape, seat, stage.epoch) * deck.binding.group.G
            order, _ = deck.shuffle_draws(tape, seat, stage.epoch, stage.before(deck), stage.joint + S)
        case "lock":
            order = deck.cascade_order(tape, seat, stage.cards)
        case "offset":
            order, _, _ = deck.step_secrets(tape, seat, stage._before(deck))
        case "chain":
            return list(deck.own(tape, len(deck.layers)).prior)
        case _:
            order = deck.order(tape, seat, deck.epoch, deck.faces.points)
    places: list[int] = order.vartime_list()
    return places


def _faces(one: Dealt, played: Played) -> Mapping[int, int | None]:
    """What lies where: in the whole deck, or in everybody's hands where only hands are read."""
    match one.deck.binding.protocol:
        case "chain":
            players = one.deck.binding.players
            return {card.position: face for seat in players for card, face in one.hidden(seat).items()}
        case "duel":
            bare = under_no_key(one, played, tuple(range(one.deck.size)))
            return dict(enumerate(map(one.deck.faces.index.get, bare)))
        case _:
            return dict(enumerate(whole(one, played)))


def _read(played: Played) -> str | None:
    """With the friends' orders alone, as if the last seat had moved nothing. What is true is held against it."""
    alone, known = len(played.names) - 1, defaultdict[tuple[int, int], list[list[int]]](list)
    for said in played.said():
        seat, hand = said.duty.seat, said.duty.binding.hand
        # A deck that belongs to somebody is its owner's business.
        if said.duty.kind in STEPS and seat != alone and getattr(said.deck, "owner", seat) == seat:
            known[hand, said.deck.number].append(_order(said.deck, seat, played.tape(seat, hand)))
    decks = [one for one in dealt(played) if (one.hand, one.deck.number) in known]
    for one in decks:
        guess, true = faces_of(one, known[one.hand, one.deck.number]), _faces(one, played)
        if any(guess[at] != face for at, face in true.items()):
            return None
    own, name = len(played.names) == 2, played.names[alone]
    gain = f"knows its own deck in order, with {name}'s key on every card" if own else f"reads {name}'s card"
    return gain if decks else None


def _plays(scene: Scene) -> Came:
    """The dealer of `offset` says who is to shuffle, and is not heard; elsewhere nobody can say so."""
    played = tried(ONLY_FRIENDS, replace(with_chips(scene), hands=1))
    return judged(played, _read(played))


CLAIM: Final = Cheat("a deck that only friends shuffle", "never", False)
ONLY_FRIENDS: Final = Attack(
    name="only-friends",
    does="shuffles with its friends alone, and leaves an honest seat out",
    of=("A24",),
    who="a coalition",
    law=Scheme(Way(CLAIM.cheat, {"requestDealParts": _offset}, plays=_plays, seat=0), CLAIM),
    stands_in=EVERYBODY,
)
