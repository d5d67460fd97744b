"""What a player asks for at a free table: from the caller's words to a move, or to `IllegalMove` in the same words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from nodealer.api.event_stream import face_of
from nodealer.cards.operations import ROLLS_MAX, SIDES_MAX, WITHOUT_CARDS
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter, IllegalMove
from nodealer.events import Face
from nodealer.games import free
from nodealer.games.free import Free, FreeHand
from nodealer.games.free.faces import FACE_MAX, is_face
from nodealer.protocols.base import CardProtocol
from nodealer.wire import CARDS_MAX, CARDS_MIN, DECKS_MAX

#: Where cards go that are given back.
To = Literal["top", "bottom", "shuffled", "discard"]
#: What a player does with cards of the deck that it looks at.
Then = Literal["look", "reorder", "keep", "take"]


def free_rules(protocol: CardProtocol, cards: int | None) -> Free:
    """A table at which everything can be asked for that the protocol has."""
    claims = protocol.claims
    offered = (claims.operations | WITHOUT_CARDS) & frozenset(free.OPERATIONS)
    most = claims.cards[1] if cards is None else min(cards, claims.cards[1])
    return Free(most, offered | {free.OPERATIONS[0]})


class FreeTable:
    """A hand at a free table, as one who takes part sees it."""

    def __init__(self, me: Participant, deck: int) -> None:
        state = me.replica.state
        if not isinstance(state.hand.game, FreeHand) and state.config.rules.name != Free.name:
            raise IllegalMove(f"this is a table for {state.config.rules.name}: its moves are made by `move`")
        if type(deck) is not int or not 0 <= deck < DECKS_MAX:
            raise IllegalMove(f"decks are numbered 0 to {DECKS_MAX - 1}, not {deck!r}")
        if state.phase is not Phase.PLAYING or not isinstance(state.hand.game, FreeHand):
            raise IllegalMove("no hand is played now")
        self._me = me
        self._deck = deck
        self._hand = state.hand.game
        self._seats = {member.name: member.seat for member in state.roster.members}
        self._most = state.config.rules.deck_max

    # --- What there is to see ---

    def mine(self) -> dict[int, Face]:
        """The cards that this player holds: position to face. Raises `CardUnreadable`."""
        known = {card.position: face for card, face in self._me.seat.cards().items() if card.deck == self._deck}
        held = self._held_by(self._me.seat.number)
        return {position: face_of(self._hand, self._deck, known[position]) for position in held if position in known}

    def seen(self) -> dict[int, Face]:
        """The cards that this player has looked at or was shown, and does not hold: position to face."""
        seen = self._me.view().seen_in(self._deck)
        return {position: face_of(self._hand, self._deck, face) for position, face in seen.items()}

    def on_the_table(self) -> dict[int, Face]:
        """The cards that lie open and are in nobody's hand, in the order in which they were opened."""
        return {position: face for position, face in self._opened().items() if self._holder(position) is None}

    def shown_by(self, name: str) -> dict[int, Face]:
        """The cards that a player holds and has shown."""
        seat = self._seat(name)
        return {position: face for position, face in self._opened().items() if self._holder(position) == seat}

    def _opened(self) -> dict[int, Face]:
        opened = self._hand.opened.items()
        return {at: face_of(self._hand, on, face) for (on, at), face in opened if on == self._deck}

    def _holder(self, position: int) -> int | None:
        return self._hand.held.get((self._deck, position))

    def _held_by(self, seat: int) -> list[int]:
        return [at for (on, at), holder in self._hand.held.items() if (on, holder) == (self._deck, seat)]

    def _seat(self, name: str) -> int:
        if name not in self._seats:
            raise BadParameter(f"nobody here is called {name!r}")
        return self._seats[name]

    # --- What can be asked for ---

    def shuffle(self, cards: int | Sequence[str]) -> free.Move:
        """A new deck."""
        faces = () if isinstance(cards, int) else tuple(cards)
        count = cards if isinstance(cards, int) else len(faces)
        if not CARDS_MIN <= count <= self._most:
            raise IllegalMove(f"a deck at this table has {CARDS_MIN} to {self._most} cards, not {count}")
        for face in faces:
            if not isinstance(face, str) or not is_face(face):
                raise IllegalMove(
                    f"the name of a card has 1 to {FACE_MAX} characters that can be printed, not {face!r}"
                )
        if len(set(faces)) != len(faces):
            raise IllegalMove("the cards of a deck have different names")
        return free.Shuffle(self._deck, count, faces)

    def deal(self, portions: Mapping[str, int]) -> free.Move:
        """The next cards to players."""
        if not portions:
            raise IllegalMove("a deal names at least one player")
        seats = {self._seat(name): count for name, count in portions.items()}
        return free.DealCards(self._deck, tuple((seat, _count("deal gives", count)) for seat, count in seats.items()))

    def open_cards(self, count: int) -> free.Move:
        """The next cards for all."""
        return free.OpenCards(self._deck, _count("request opens", count))

    def show(self, faces: Sequence[Face]) -> free.Move:
        """Some of this player's cards, or all that are not open."""
        mine, opened = self.mine(), self._opened()
        hidden = {position: face for position, face in mine.items() if position not in opened}
        for face in faces:
            if face not in hidden.values() and face in mine.values():
                raise IllegalMove(f"{face!r} is shown already")
        return free.ShowCards(self._deck, self._picked(hidden, faces, "to show"))

    def prove(self, none_of: Sequence[Face], cards: Sequence[Face]) -> free.Move:
        """None of this player's hidden cards, or of some of them, is one of these."""
        opened = self._opened()
        hidden = {position: face for position, face in self.mine().items() if position not in opened}
        positions, names = self._picked(hidden, cards, "to prove anything of"), self._numbers(none_of)
        if any(hidden[position] in none_of for position in positions):
            raise IllegalMove("that cannot be proven: one of these cards is one of those")
        return free.ProveCards(self._deck, tuple(sorted(positions)), names)

    def _numbers(self, faces: Sequence[Face]) -> tuple[int, ...]:
        """The numbers of faces, in ascending order."""
        size = self._me.replica.state.hand.decks[self._deck].places.face_count
        known = {face_of(self._hand, self._deck, number): number for number in range(size)}
        if not faces:
            raise IllegalMove("a proof names at least one face")
        for face in faces:
            if face not in known:
                raise IllegalMove(f"no card of this deck is {face!r}")
        return tuple(sorted({known[face] for face in faces}))

    def show_to(self, name: str, faces: Sequence[Face]) -> free.Move:
        """Some of this player's cards, or all that are not open, to one other player."""
        return free.ShowToOne(self._deck, self._hidden(faces, "to show"), self._other(name))

    def give(self, name: str, faces: Sequence[Face]) -> free.Move:
        """Some of this player's cards, or all that are not open, to another player."""
        return free.PassOn(self._deck, self._hidden(faces, "to give"), self._other(name))

    def mix(self, faces: Sequence[Face]) -> free.Move:
        """Some of this player's cards, or all that are not open, shuffled."""
        return free.MixHand(self._deck, self._hidden(faces, "to shuffle"))

    def peek(self, count: int, then: Then) -> free.Move:
        """The next cards of the deck, for this player alone."""
        if then not in ("look", "reorder", "keep", "take"):
            raise IllegalMove(f"who looks may look, reorder, keep or take; not {then!r}")
        return free.LookAt(self._deck, _count("look is at", count), then)

    def give_back(self, faces: Sequence[Face], to: To, depth: int) -> free.Move:
        """Some of this player's cards, or of those that lie open on the table, or all of this player's."""
        mine = self.mine()
        there = {**self.on_the_table(), **mine} if faces else mine
        if to not in ("top", "bottom", "shuffled", "discard"):
            raise IllegalMove(f"cards go to the top, the bottom, shuffled in, or to the discard; not {to!r}")
        positions = self._picked(there, faces, "to give back")
        if not depth:
            return free.GiveBack(self._deck, positions, to)
        if to != "top":
            raise IllegalMove('a depth is under the top: to="top"')
        return free.Insert(self._deck, positions, _count("depth is", depth))

    def reshuffle(self) -> free.Move:
        """What is left of the deck, shuffled once more."""
        return free.GiveBack(self._deck, (), "shuffled")

    def roll(self, sides: Sequence[int]) -> free.Move:
        """Numbers that nobody chooses."""
        if not 1 <= len(sides) <= ROLLS_MAX:
            raise IllegalMove(f"a roll gives 1 to {ROLLS_MAX} numbers, not {len(sides)}")
        for count in sides:
            if type(count) is not int or not 2 <= count <= SIDES_MAX:
                raise IllegalMove(f"a number of a roll is one of 2 to {SIDES_MAX}, not of {count!r}")
        return free.Roll(self._deck, tuple(sides))

    def seal(self, names: Sequence[str]) -> free.Move:
        """Each of these players seals something, or all of them."""
        return free.SealAll(self._deck, tuple(sorted({self._seat(name) for name in names})))

    def unseal(self) -> free.Move:
        """What was sealed is opened."""
        return free.UnsealAll(self._deck)

    def put_away(self) -> free.Move:
        """The deck is not needed any more."""
        return free.PutAway(self._deck)

    def _hidden(self, faces: Sequence[Face], what: str) -> tuple[int, ...]:
        opened = self._opened()
        return self._picked({at: face for at, face in self.mine().items() if at not in opened}, faces, what)

    def _other(self, name: str) -> int:
        if (seat := self._seat(name)) == self._me.seat.number:
            raise IllegalMove(f"{name} is not another player")
        return seat

    def _picked(self, there: Mapping[int, Face], faces: Sequence[Face], what: str) -> tuple[int, ...]:
        """The positions of these faces, or of all."""
        name = self._me.home.name
        if not there:
            raise IllegalMove(f"{name} has no card {what}")
        if len(set(faces)) != len(faces):
            raise IllegalMove(f"a card is named twice: {list(faces)}")
        at = {face: position for position, face in there.items()}
        for face in faces:
            if face not in at:
                raise IllegalMove(f"{name} has no {face!r} {what}")
        return tuple(at[face] for face in faces) or tuple(there)


def _count(what: str, count: int) -> int:
    if type(count) is not int or not 1 <= count <= CARDS_MAX:
        raise IllegalMove(f"a {what} at least one card, and no more than there are; not {count!r}")
    return count
