"""How cards get their order and their keys: the eleven steps of the source, and what goes back through them.

One stage, with a list of tasks that it works through: *gather* brings cards that are under keys of their own under one
key, *shuffle* multiplies all by one secret and permutes, *arrange* is a shuffle in an order that the owner chooses, and
*lock* gives each card a key of its own. A new deck is shuffle, shuffle, lock, lock.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from nodealer.cards import Event, Finished, Places
from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars, concat
from nodealer.proofs.checks import Check
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel import secrets
from nodealer.protocols.duel.messages import Assemble
from nodealer.protocols.staged import Idle
from nodealer.tape import DIGEST_BYTES, Tape
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.protocols.duel.deck import DuelDeck


class Kind(enum.Enum):
    """What a task does to the cards."""

    GATHER = "gather"
    SHUFFLE = "shuffle"
    ARRANGE = "arrange"
    LOCK = "lock"


@dataclass(frozen=True)
class Task:
    """One message of one seat."""

    kind: Kind
    seat: int


class Under(enum.Enum):
    """Which secret of a seat the cards are under, so that the seat finds it on its tape."""

    #: Those of the places where the cards lay; none where they are published.
    PLACES = "places"
    GATHERED = "gathered"
    SHUFFLED = "shuffled"
    #: Gathered, then shuffled: the product of both keys.
    BOTH = "both"


AFTER_SHUFFLE: Final = {Under.PLACES: Under.SHUFFLED, Under.GATHERED: Under.BOTH}


@dataclass(frozen=True)
class Assembling:
    """The owner commits to a nonce for each card, where faces are not public points."""

    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.owner, "assemble", self.anchor),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        return encode(Assemble(fresh_commitments(deck, tape, range(deck.size), 0)))

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        said = split_commitments(read_message(Assemble, message).commitments, deck.size)
        return Working.of_new(deck.at(commitments=tuple(said), made=(0,) * deck.size))


def fresh_commitments(deck: DuelDeck, tape: Tape, cards: Sequence[int], epoch: int) -> bytes:
    """Commitments to nonces of this epoch."""
    nonces = secrets.fresh_nonces(deck, tape, cards, epoch)
    return b"".join(secrets.commitment(deck, card, nonce) for card, nonce in zip(cards, nonces, strict=True))


def split_commitments(data: bytes, count: int) -> list[bytes]:
    """So many commitments, all different."""
    said = [data[at : at + DIGEST_BYTES] for at in range(0, len(data), DIGEST_BYTES)]
    if len(data) != count * DIGEST_BYTES or len(set(said)) != count:
        raise Malformed(f"{count} different commitments are owed")
    return said


@dataclass(frozen=True)
class Working:
    """Cards on their way to a new layer."""

    epoch: int
    #: Where the cards lay; empty for a new deck.
    positions: tuple[int, ...]
    cards: Points
    #: Seat to the public key that all cards are under, or the keys of each; empty where keys are not public.
    keys: Mapping[int, Points]
    under: Mapping[int, Under]
    tasks: tuple[Task, ...]
    anchor: bytes
    #: Where the cards lie when all is done, and what is told then.
    after: Places
    events: tuple[Event, ...] = ()
    #: Places whose cards lay face up and get new nonces.
    renew: tuple[int, ...] = ()
    #: Set when the lock begins: the digest of the deck that the keys are put on.
    origin: bytes = b""
    locked: Mapping[int, Points] = field(default_factory=dict)

    # --- Beginnings ---

    @staticmethod
    def of_new(deck: DuelDeck) -> DeckChange:
        """A new deck. Without public faces the first cards are the owner's to say."""
        first = deck.cipher.integers([1] * deck.size)
        cards = deck.faces if deck.faces is not None else _nothing(deck, first)
        tasks = _tasks(deck, Kind.SHUFFLE, Kind.LOCK)
        renew = () if deck.mode.proofs else tuple(range(deck.size))
        return Working._begin(deck, (), cards, tasks, deck.places, (), renew)

    @staticmethod
    def lay(deck: DuelDeck, positions: tuple[int, ...], after: Places, events: tuple[Event, ...]) -> DeckChange:
        """Cards get new keys in the order in which they are."""
        return Working._begin_again(deck, positions, _tasks(deck, Kind.LOCK), after, events)

    @staticmethod
    def reshuffle(deck: DuelDeck, positions: tuple[int, ...], after: Places, events: tuple[Event, ...]) -> DeckChange:
        """Cards go through all steps again, once those under keys of their own are gathered."""
        if not positions:
            return _finish(deck.at(places=after), events, ())
        if len(positions) == 1:
            return Working.lay(deck, positions, after, events)
        gather = tuple(
            Task(Kind.GATHER, seat) for seat in (deck.owner, deck.rival) if not _all_bare(deck, positions, seat)
        )
        tasks = (*gather, *_tasks(deck, Kind.SHUFFLE, Kind.LOCK))
        return Working._begin_again(deck, positions, tasks, after, events)

    @staticmethod
    def arrange(deck: DuelDeck, positions: tuple[int, ...], after: Places) -> DeckChange:
        """Cards that the owner has seen go back in the order it chooses; only the rival's keys are off them."""
        if len(positions) == 1:
            return Working.lay(deck, positions, after, ())
        tasks = (Task(Kind.GATHER, deck.owner), Task(Kind.ARRANGE, deck.owner), *_tasks(deck, Kind.LOCK))
        return Working._begin_again(deck, positions, tasks, after, ())

    @staticmethod
    def _begin_again(
        deck: DuelDeck, positions: tuple[int, ...], tasks: tuple[Task, ...], after: Places, events: tuple[Event, ...]
    ) -> DeckChange:
        """Cards that lay somewhere, with the published keys off them."""
        return Working._begin(
            deck, positions, deck.stripped(positions), tasks, after, events, _face_up(deck, positions)
        )

    @staticmethod
    def _begin(
        deck: DuelDeck,
        positions: tuple[int, ...],
        cards: Points,
        tasks: tuple[Task, ...],
        after: Places,
        events: tuple[Event, ...],
        renew: tuple[int, ...],
    ) -> DeckChange:
        epoch = deck.epoch + 1 if positions else deck.epoch
        keys = {}
        if deck.mode.proofs:
            keys = {seat: _keys_of(deck, positions, seat) for seat in (deck.owner, deck.rival)}
        under = dict.fromkeys((deck.owner, deck.rival), Under.PLACES)
        stage = Working(epoch, positions, cards, keys, under, tasks, deck.trail, after, events, renew)
        return DeckChange(deck.at(stage=stage._ready(), epoch=epoch))

    def _ready(self) -> Working:
        """Fix what the keys of a lock are drawn for when the first lock is next."""
        if self.tasks and self.tasks[0].kind is Kind.LOCK and not self.origin:
            return replace(self, origin=secrets.cards_digest(self.cards))
        return self

    # --- What is owed ---

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        task = self.tasks[0]
        return (deck.duty(task.seat, task.kind.value, self.anchor, choice=task.kind is Kind.ARRANGE),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        from nodealer.protocols.duel import tasks

        return tasks.message(self, deck, duty, tape, choice)

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        from nodealer.protocols.duel import tasks

        return tasks.apply(self, deck, duty, message)

    # --- For the tasks ---

    def secret(self, deck: DuelDeck, tape: Tape, seat: int) -> Scalars:
        """The secret of a seat that the cards are under now: one, or one for each card."""
        under = self.under[seat]
        if under is Under.PLACES:
            return _secrets_of(deck, tape, self.positions, seat)
        gathered = secrets.gather_key(deck, tape, self.epoch, seat)
        if under is Under.GATHERED:
            return gathered
        shuffled = secrets.shuffle_key(deck, tape, self.epoch, seat)
        return shuffled if under is Under.SHUFFLED else shuffled * gathered

    def renewed_faces(self, deck: DuelDeck) -> list[int]:
        """The cards that get new nonces: all of a new deck, or those that lay face up."""
        if not self.positions:
            return list(self.renew)
        faces = (deck.places.face(self.positions[place]) for place in self.renew)
        return [face for face in faces if face is not None]

    def renewed(self, deck: DuelDeck, tape: Tape) -> Points:
        """The cards as the owner puts them in: new points where nonces are new."""
        if not self.renew:
            return self.cards
        faces = self.renewed_faces(deck)
        points = secrets.committed_points(deck, faces, secrets.fresh_nonces(deck, tape, faces, self.epoch))
        order = list(range(len(self.cards)))
        for number, place in enumerate(self.renew):
            order[place] = len(self.cards) + number
        return concat(self.cards, points).take(order)

    def went_on(
        self,
        deck: DuelDeck,
        cards: Points,
        check: tuple[Check, ...],
        *,
        keys: Points | None = None,
        under: Under | None = None,
        locked: Points | None = None,
    ) -> DeckChange:
        """One task is done."""
        seat = self.tasks[0].seat
        stage = replace(
            self,
            cards=cards,
            tasks=self.tasks[1:],
            anchor=deck.trail,
            renew=(),
            keys=self.keys if keys is None else {**self.keys, seat: keys},
            under=self.under if under is None else {**self.under, seat: under},
            locked=self.locked if locked is None else {**self.locked, seat: locked},
        )
        if stage.tasks:
            return DeckChange(deck.at(stage=stage._ready()), (), check)
        return stage._finish(deck, check)

    def _finish(self, deck: DuelDeck, checks: tuple[Check, ...]) -> DeckChange:
        """The cards as a new layer."""
        from nodealer.protocols.duel.deck import Layer

        first = deck.layers[-1].first + len(deck.layers[-1].cards) if deck.layers else 0
        layer = Layer(first, self.epoch, self.origin, self.cards, self.locked)
        return _finish(deck.at(layers=(*deck.layers, layer), places=self.after), self.events, checks)


def _finish(deck: DuelDeck, events: tuple[Event, ...], checks: tuple[Check, ...]) -> DeckChange:
    if deck.asked is None:
        raise BadParameter("nothing was asked")
    peeked = tuple(position for position in deck.peeked if position in deck.places.pile)
    return DeckChange(deck.at(stage=Idle(), asked=None, peeked=peeked), (*events, Finished(deck.asked)), checks)


def _tasks(deck: DuelDeck, *kinds: Kind) -> tuple[Task, ...]:
    """Each kind by the owner, then by the rival."""
    return tuple(Task(kind, seat) for kind in kinds for seat in (deck.owner, deck.rival))


def _nothing(deck: DuelDeck, ones: Scalars) -> Points:
    """Cards that nobody has put in yet: the owner's first message replaces every one."""
    return ones * deck.cipher.G if deck.mode.keys else deck.cipher.points(ones.to_bytes())


def _all_bare(deck: DuelDeck, positions: tuple[int, ...], seat: int) -> bool:
    return all(deck.is_bare(position, seat) for position in positions)


def _face_up(deck: DuelDeck, positions: tuple[int, ...]) -> tuple[int, ...]:
    """The places of cards whose nonces are known, where there are nonces."""
    if deck.mode.proofs:
        return ()
    return tuple(place for place, position in enumerate(positions) if deck.places.face(position) is not None)


def _keys_of(deck: DuelDeck, positions: tuple[int, ...], seat: int) -> Points:
    """The public keys that cards are under at their places: the generator where a key is off."""
    if _all_bare(deck, positions, seat):
        return deck.cipher.G
    public = concat(deck.card_keys(positions, seat), deck.cipher.G)
    count = len(positions)
    return public.take([count if deck.is_bare(p, seat) else place for place, p in enumerate(positions)])


def _secrets_of(deck: DuelDeck, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
    if _all_bare(deck, positions, seat):
        return deck.cipher.integers([1])
    own = concat(deck.card_secrets(tape, positions, seat), deck.cipher.integers([1]))
    count = len(positions)
    return own.take([count if deck.is_bare(p, seat) else place for place, p in enumerate(positions)])


def refuse_equal(cards: Points) -> None:
    """Two equal cards: a card was doubled."""
    if len(set(encodings(cards))) != len(cards):
        raise Malformed("a card stands twice in the deck")
