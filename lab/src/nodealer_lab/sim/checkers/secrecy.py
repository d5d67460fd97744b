"""Independent checks that no one could know a card before the log allows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import Card, Close, Deal, Open, Peek, Portion, Show
from nodealer.engine.state import TableState
from nodealer.protocols.base import Deck
from nodealer.protocols.duel import DuelDeck
from nodealer.protocols.keyed_deck import KeyedDeck
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog

#: The decks for which card keys are published one by one.
WithKeys = KeyedDeck | DuelDeck


def check_old_places(played: FinishedGame) -> Iterator[str]:
    """Yield keys published for places that hold no card any more: it was passed, put back, gathered or rebuilt."""
    for log in played.logs:
        for applied in log.applied:
            for wrong in keys_of_old_places(applied.before, applied.after):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


def keys_of_old_places(before: TableState, after: TableState) -> Iterator[str]:
    """Yield the keys published between two states for places that were already empty."""
    for number, was, deck in _published(before, after):
        places = was.places
        living = {*places.pile, *places.held, *places.discards, *places.opened}
        for position, _ in _new_keys(was, deck):
            if position not in living:
                yield f"a key of card {position} of deck {number} is published, but there is no card"


def check_early_knowledge(played: FinishedGame) -> Iterator[str]:
    """Yield keys published before the game asked for them or by the wrong seat, and faces that were readable too early.

    A player may read a face only if they hold the card by then or it is open.
    """
    for log in played.logs:
        for applied in log.applied:
            for wrong in unrequested_keys(applied.before, applied.after):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"
    for log in played.lasting:
        yield from _read_too_soon(played, log)


def unrequested_keys(before: TableState, after: TableState) -> Iterator[str]:
    """Yield the keys published between two states that no operation had asked for."""
    for number, was, deck in _published(before, after):
        wanted = keys_needed(was)
        for position, seat in _new_keys(was, deck):
            if position in was.places.opened or seat in wanted.get(position, ()):
                continue
            yield f"seat {seat} publishes its key of card {position} of deck {number}, which no operation asked for"


def keys_needed(deck: WithKeys) -> Mapping[int, frozenset[int]]:
    """Map each position to the seats whose keys the pending operation needs, derived from the operation itself."""
    return _asked_of_all(deck) if isinstance(deck, KeyedDeck) else _asked_of_two(deck)


def check_opening_order(played: FinishedGame) -> Iterator[str]:
    """Yield keys of cards for everyone that were published before those of the earlier groups."""
    for log in played.logs:
        for applied in log.applied:
            for wrong in keys_out_of_turn(applied.before, applied.after):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


def keys_out_of_turn(before: TableState, after: TableState) -> Iterator[str]:
    """Yield the keys of cards for everyone that were published between two states before their turn."""
    for number, was, deck in _published(before, after):
        groups = was.asked.order if isinstance(was.asked, Open) else ()
        for position, seat in _new_keys(was, deck) if groups else ():
            # Seats that no group names belong to the first one.
            turn = next((place for place, group in enumerate(groups) if seat in group), -1)
            later = (
                {other for group in groups[max(turn, 0) :] for other in group} if turn >= 0 else {*was.binding.players}
            )
            missing = {*was.binding.players} - later - was.released.get(position, {}).keys()
            if missing:
                yield f"seat {seat} publishes its key of card {position} of deck {number} before {sorted(missing)}"


def _asked_of_two(deck: DuelDeck) -> Mapping[int, frozenset[int]]:
    """Return the same for a deck with one owner.

    What the owner sees needs the rival's keys, and what both see also needs the owner's.
    """
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
    """Return which seats must release their key to each card, for the operation in progress.

    The result maps a card's position to seats. The deck is one that all players have shuffled.
    """
    players, places = frozenset(deck.binding.players), deck.places
    match deck.asked:
        case Deal(portions=portions):
            # It may have been asked before seats left. The remaining seats then get the next cards.
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
            # The one card that it keeps. An observer does not know which.
            return {
                position: players - {seat} for position in range(places.position_count) if position not in places.held
            }
    return {}


def _published(before: TableState, after: TableState) -> Iterator[tuple[int, WithKeys, WithKeys]]:
    """Yield the decks for which keys were published between two states: number, old deck, new deck."""
    for number, deck in after.hand.decks.items():
        was: Deck | None = before.hand.decks.get(number)
        if isinstance(deck, WithKeys) and isinstance(was, WithKeys) and deck.released is not was.released:
            yield number, was, deck


def _new_keys(was: WithKeys, deck: WithKeys) -> Iterator[tuple[int, int]]:
    """Yield the position and the seat of each key that was released since the deck was `was`."""
    for position, keys in deck.released.items():
        for seat in keys.keys() - was.released.get(position, {}).keys():
            yield position, seat


# --- Faces that players read ---


def _read_too_soon(played: FinishedGame, log: ReplayedLog) -> Iterator[str]:
    """Yield faces that a player read before the events put the card into their hand or opened it."""
    since = dict[tuple[int, Card, int | None], int]()
    for applied in log.applied:
        hand = applied.before.hand.number
        for event in applied.events:
            if (known := known_by(event)) is not None:
                since.setdefault((hand, *known), applied.number)
            if isinstance(event, Moved) and event.was is not None:
                # A player who knew a card before it was passed on still knows it.
                knew = [(who, first) for (then, card, who), first in since.items() if (then, card) == (hand, event.was)]
                since |= {(hand, event.card, who): first for who, first in knew}
        for card, looker in seen_by_one(applied.after):
            since.setdefault((hand, card, looker), applied.number)
    for node in played.begun:
        seat = node.living_participant.seat.number if node.living_participant.has_seat else None
        for height, hand, card, face in node.player.faces if node in played.world.lasting else ():
            first = min(since.get((hand, card, who), height) for who in (seat, None))
            if first >= height:
                yield f"{node.name} reads {card} of hand {hand} as {face} at entry {height}, which is too early"


def seen_by_one(state: TableState) -> Iterator[tuple[Card, int]]:
    """Yield the cards that a seat peeked at or was shown. The table records the seat but emits no event."""
    for deck in state.hand.decks.values():
        if isinstance(deck, KeyedDeck):
            for position, who in (*deck.places.peeked.items(), *deck.places.seen.items()):
                yield from ((deck.places.card(position), seat) for seat, _ in who)
        elif isinstance(deck, DuelDeck):
            # For cards that both will see, the owner has the rival's keys before the rival has the owner's.
            coming: tuple[int, ...] = ()
            match deck.asked:
                case Open(count=count):
                    coming = deck.places.pile[:count]
                case Close():
                    coming = (*deck.places.pile, *deck.places.held)
            for position in (*deck.peeked, *deck.places.discards, *coming):
                yield deck.places.card(position), deck.owner


def known_by(event: Event) -> tuple[Card, int | None] | None:
    """Return the card that an event makes known and the seat that learns it, or None for the seat if it is everyone.

    Return None if the event reveals nothing.
    """
    if isinstance(event, Opened):
        return event.card, None
    if isinstance(event, Moved) and event.holder is not None:
        return event.card, event.holder
    return None
