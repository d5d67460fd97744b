"""How cards get their order and their keys: the eleven steps of the source, and how cards return through them.

A new deck is shuffled by both players, then locked by both.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.cards.events import Event, Moved
from nodealer.cards.operations import Place, Return
from nodealer.cards.places import Places
from nodealer.group import Points
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.deck import DuelDeck
from nodealer.protocols.duel.messages import Assemble
from nodealer.protocols.duel.tasks import Working, split_commitments
from nodealer.protocols.duel.work import Task, TaskKind, Under, all_bare, finish, keys_at
from nodealer.protocols.layers import Faces
from nodealer.protocols.stages import discard_cards
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class Assembling:
    """Stage: the owner commits to a nonce for each card, if faces are not public points."""

    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        """Return the owner's duty to assemble the deck."""
        return (deck.duty(deck.owner, "assemble", self.anchor),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return a commitment for each card of the deck."""
        return encode(Assemble(deck.fresh_commitments(tape, range(deck.size), 0)))

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record the commitments and begin to shuffle.

        Raise `Malformed` unless there is a different one for each card.
        """
        said = split_commitments(read_message(Assemble, message).commitments, deck.size)
        assembled = deck.with_fields(commitments=tuple(said), made=(0,) * deck.size)
        # Placeholders: the owner's first message replaces every card.
        ones = deck.cipher.integers([1] * deck.size)
        nothing = ones * deck.cipher.G if deck.mode.keys else deck.cipher.points(ones.to_bytes())
        return DeckChange(assembled.in_stage(_new_deck_work(assembled, nothing, renew=tuple(range(deck.size)))))


@dataclass(frozen=True)
class FirstShuffling:
    """Stage: the owner shuffles a new deck of public faces, which are computed only then."""

    faces: Faces
    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        """Return the owner's duty to shuffle the faces."""
        return (deck.duty(deck.owner, TaskKind.SHUFFLE.value, self.anchor),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the owner's shuffle of the public faces, as the first task of making a deck."""
        return _new_deck_work(deck, self.faces.points).message(deck, duty, tape, choice)

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        """Check the owner's shuffle of the public faces and go on to the next task of making a deck."""
        return _new_deck_work(deck, self.faces.points).apply(deck, duty, message)


def _new_deck_work(deck: DuelDeck, cards: Points, renew: tuple[int, ...] = ()) -> Working:
    """Return the work of making a new deck: both shuffle, then both lock."""
    return _work(deck, (), cards, _tasks(deck, TaskKind.SHUFFLE, TaskKind.LOCK), deck.places, renew=renew)


# defence: only-friends
def _tasks(deck: DuelDeck, *kinds: TaskKind) -> tuple[Task, ...]:
    """Return one task of each kind for the owner, then for the rival."""
    return tuple(Task(kind, seat) for kind in kinds for seat in (deck.owner, deck.rival))


def return_cards(deck: DuelDeck, operation: Return) -> DeckChange:
    """Begin a return: discard cards, put them on or under the pile, or shuffle them in."""
    if operation.place is Place.DISCARD:
        return discard_cards(deck, operation)
    positions = deck.places.validate_return(operation)
    after = deck.places.restack(positions, operation.place, operation.depth)
    moved = tuple(Moved(deck.places.card(position), None) for position in positions)
    if operation.place is not Place.SHUFFLED:
        return lock_in_place(deck, positions, after, moved)
    return reshuffle(deck, (*deck.places.pile, *positions), after, moved)


def lock_in_place(deck: DuelDeck, positions: tuple[int, ...], after: Places, events: tuple[Event, ...]) -> DeckChange:
    """Begin to give cards new keys without changing their order."""
    return _begin(deck, positions, _tasks(deck, TaskKind.LOCK), after, events)


def reshuffle(deck: DuelDeck, positions: tuple[int, ...], after: Places, events: tuple[Event, ...]) -> DeckChange:
    """Begin to shuffle cards again. Those under keys of their own are gathered first."""
    if not positions:
        return finish(deck, after, events)
    if len(positions) == 1:
        return lock_in_place(deck, positions, after, events)
    under_keys = (seat for seat in (deck.owner, deck.rival) if not all_bare(deck, positions, seat))
    gather = tuple(Task(TaskKind.GATHER, seat) for seat in under_keys)
    tasks = (*gather, *_tasks(deck, TaskKind.SHUFFLE, TaskKind.LOCK))
    return _begin(deck, positions, tasks, after, events)


def arrange(deck: DuelDeck, positions: tuple[int, ...], after: Places) -> DeckChange:
    """Begin to put back cards that the owner has seen, in the order it chooses. Only the rival's keys are published."""
    if len(positions) == 1:
        return lock_in_place(deck, positions, after, ())
    own = (Task(TaskKind.GATHER, deck.owner), Task(TaskKind.ARRANGE, deck.owner))
    return _begin(deck, positions, (*own, *_tasks(deck, TaskKind.LOCK)), after, ())


def _begin(
    deck: DuelDeck, positions: tuple[int, ...], tasks: tuple[Task, ...], after: Places, events: tuple[Event, ...]
) -> DeckChange:
    """Begin work on existing cards, with published keys removed. Known nonces are renewed, if there are nonces."""
    again = deck.with_fields(epoch=deck.epoch + 1)
    face_up = tuple(place for place, position in enumerate(positions) if position in deck.places.opened)
    renew = () if deck.mode.proofs else face_up
    work = _work(again, positions, deck.without_published_keys(positions), tasks, after, events=events, renew=renew)
    return DeckChange(again.in_stage(work))


def _work(
    deck: DuelDeck,
    positions: tuple[int, ...],
    cards: Points,
    tasks: tuple[Task, ...],
    after: Places,
    *,
    events: tuple[Event, ...] = (),
    renew: tuple[int, ...] = (),
) -> Working:
    """Return the stage that works through these tasks, with cards under the keys of their positions."""
    seats = (deck.owner, deck.rival)
    keys = {seat: keys_at(deck, positions, seat) for seat in seats} if deck.mode.proofs else {}
    under = dict.fromkeys(seats, Under.PLACES)
    return Working(deck.epoch, positions, cards, keys, under, tasks, deck.trail, after, events, renew).with_origin()
