"""Whether somebody could know a card before the log says that it may, looked at from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import Card, Close, Deal, Open, Peek, Portion, Show
from nodealer.engine.state import TableState
from nodealer.protocols.base import Deck
from nodealer.protocols.duel import DuelDeck
from nodealer.protocols.keyed_deck import KeyedDeck
from nodealer_lab.sim.checkers.replay import Replayed, Seen

#: The decks of which keys of cards are published, one by one.
WithKeys = KeyedDeck | DuelDeck


def old_places_closed(seen: Seen) -> Iterator[str]:
    """No key is published of a place where no card lies any more: it was passed, put back, gathered or made again."""
    for log in seen.logs:
        for applied in log.applied:
            for wrong in keys_of_old_places(applied.before, applied.after):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


def keys_of_old_places(before: TableState, after: TableState) -> Iterator[str]:
    """The keys that were published between two moments of places that were dead by then."""
    for number, was, deck in _published(before, after):
        places = was.places
        living = {*places.pile, *places.held, *places.discards, *places.opened}
        for position, _ in _new_keys(was, deck):
            if position not in living:
                yield f"a key of card {position} of deck {number} is published, and no card lies there"


def nobody_knows_early(seen: Seen) -> Iterator[str]:
    """What opens a card is published when the game has asked for it, and by nobody whom it was not asked of; and who
    can read a face holds the card by then, or it lies open."""
    for log in seen.logs:
        for applied in log.applied:
            for wrong in keys_too_soon(applied.before, applied.after):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"
    for log in seen.lasting:
        yield from _read_too_soon(seen, log)


def keys_too_soon(before: TableState, after: TableState) -> Iterator[str]:
    """The keys of cards, published between two moments, that nobody had asked for."""
    for number, was, deck in _published(before, after):
        wanted = asked_for(was)
        for position, seat in _new_keys(was, deck):
            if position in was.places.opened or seat in wanted.get(position, ()):
                continue
            yield f"seat {seat} publishes its key of card {position} of deck {number}, and nobody asked for it"


def asked_for(deck: WithKeys) -> Mapping[int, frozenset[int]]:
    """Position to the seats whose keys what is asked of the deck takes, as the operation itself says."""
    return _asked_of_all(deck) if isinstance(deck, KeyedDeck) else _asked_of_two(deck)


def opened_in_turn(seen: Seen) -> Iterator[str]:
    """A key of a card that all see comes after those of the groups before its own."""
    for log in seen.logs:
        for applied in log.applied:
            for wrong in out_of_turn(applied.before, applied.after):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


def out_of_turn(before: TableState, after: TableState) -> Iterator[str]:
    """The keys of cards that all see, published between two moments before it was their turn."""
    for number, was, deck in _published(before, after):
        groups = was.asked.order if isinstance(was.asked, Open) else ()
        for position, seat in _new_keys(was, deck) if groups else ():
            # Whom no group names is in the first one.
            turn = next((place for place, group in enumerate(groups) if seat in group), -1)
            later = (
                {other for group in groups[max(turn, 0) :] for other in group} if turn >= 0 else {*was.binding.players}
            )
            missing = {*was.binding.players} - later - was.released.get(position, {}).keys()
            if missing:
                yield f"seat {seat} publishes its key of card {position} of deck {number} before {sorted(missing)}"


def _asked_of_two(deck: DuelDeck) -> Mapping[int, frozenset[int]]:
    """Of a deck that one player has: what the owner sees takes the rival's keys, and what both see the owner's too."""
    places, owner, rival = deck.places, frozenset({deck.owner}), frozenset({deck.rival})
    match deck.asked:
        case Deal(portions=portions):
            return dict.fromkeys(places.pile[: sum(portion.count for portion in portions)], rival)
        case Peek(count=count):
            return dict.fromkeys(places.pile[:count], rival)
        case Open(count=count):
            return dict.fromkeys(places.pile[:count], owner | rival)
        case Show(positions=positions):
            return dict.fromkeys(positions, owner)
        case Close():
            return dict.fromkeys((*places.pile, *places.held, *places.discards), owner | rival)
    return {}


def _asked_of_all(deck: KeyedDeck) -> Mapping[int, frozenset[int]]:
    players, places = frozenset(deck.binding.players), deck.places
    match deck.asked:
        case Deal(portions=portions):
            # It may have been asked before seats left: those who stay get the next cards.
            stay = tuple(portion for portion in portions if portion.seat in players)
            if not places.in_pile.issuperset(position for portion in stay for position in portion.positions):
                stay = tuple(Portion(portion.seat, portion.count or len(portion.positions)) for portion in stay)
            dealt = places.resolve_deal(replace(deck.asked, portions=stay), deck.binding.players) if stay else {}
            return {position: players - {to} for to, positions in dealt.items() for position in positions}
        case Open():
            return dict.fromkeys(places.pile, players)
        case Show(seat=seat, positions=positions):
            return dict.fromkeys(positions, frozenset({seat}))
        case Peek(seat=seat):
            # The one card that it keeps: which, is not known from outside.
            return {
                position: players - {seat} for position in range(places.position_count) if position not in places.held
            }
    return {}


def _published(before: TableState, after: TableState) -> Iterator[tuple[int, WithKeys, WithKeys]]:
    """The decks of which keys were published between two moments, as they were and as they are."""
    for number, deck in after.hand.decks.items():
        was: Deck | None = before.hand.decks.get(number)
        if isinstance(deck, WithKeys) and isinstance(was, WithKeys) and deck.released is not was.released:
            yield number, was, deck


def _new_keys(was: WithKeys, deck: WithKeys) -> Iterator[tuple[int, int]]:
    for position, keys in deck.released.items():
        for seat in keys.keys() - was.released.get(position, {}).keys():
            yield position, seat


# --- By what players read ---


def _read_too_soon(seen: Seen, log: Replayed) -> Iterator[str]:
    """By the events alone: when a card first came into a hand, and when it was opened."""
    since = dict[tuple[int, Card, int | None], int]()
    for applied in log.applied:
        hand = applied.before.hand.number
        for event in applied.events:
            if (known := known_by(event)) is not None:
                since.setdefault((hand, *known), applied.number)
            if isinstance(event, Moved) and event.was is not None:
                # Whoever knew it before it was passed on knows it still.
                knew = [(who, first) for (then, card, who), first in since.items() if (then, card) == (hand, event.was)]
                since |= {(hand, event.card, who): first for who, first in knew}
        for card, looker in seen_by_one(applied.after):
            since.setdefault((hand, card, looker), applied.number)
    for node in seen.begun:
        seat = node.living_participant.seat.number if node.living_participant.seated else None
        for height, hand, card, face in node.player.faces if node in seen.world.lasting else ():
            first = min(since.get((hand, card, who), height) for who in (seat, None))
            if first >= height:
                yield f"{node.name} reads {card} of hand {hand} as {face} at entry {height}, and may not yet"


def seen_by_one(state: TableState) -> Iterator[tuple[Card, int]]:
    """The cards that a seat has looked at in the pile, or was shown: the table keeps who, but tells no event of it."""
    for deck in state.hand.decks.values():
        if isinstance(deck, KeyedDeck):
            for position, who in (*deck.places.peeked.items(), *deck.places.seen.items()):
                yield from ((deck.places.card(position), seat) for seat, _ in who)
        elif isinstance(deck, DuelDeck):
            # Of what both will see the owner has the rival's keys before the rival has its own.
            coming: tuple[int, ...] = ()
            match deck.asked:
                case Open(count=count):
                    coming = deck.places.pile[:count]
                case Close():
                    coming = (*deck.places.pile, *deck.places.held)
            for position in (*deck.peeked, *deck.places.discards, *coming):
                yield deck.places.card(position), deck.owner


def known_by(event: Event) -> tuple[Card, int | None] | None:
    """A card that somebody may know from an event on; None, where that is everybody."""
    if isinstance(event, Opened):
        return event.card, None
    if isinstance(event, Moved) and event.holder is not None:
        return event.card, event.holder
    return None
