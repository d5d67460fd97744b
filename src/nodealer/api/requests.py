"""Requests at a free table: turns names and faces into a move, or raises `IllegalMove` in the caller's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from nodealer.cards.operations import ROLLS_MAX, SIDES_MAX, WITHOUT_CARDS
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter, IllegalMove
from nodealer.events import Face
from nodealer.games import free
from nodealer.games.free import Free, face_of, free_hand
from nodealer.games.free.faces import FACE_MAX, is_face
from nodealer.protocols.base import CardProtocol
from nodealer.wire import CARDS_MAX, CARDS_MIN, DECKS_MAX

#: Where returned cards go.
To = Literal["top", "bottom", "shuffled", "discard"]
#: What a player does with cards of the deck that they look at.
Then = Literal["look", "reorder", "keep", "take"]


def free_rules(protocol: CardProtocol, cards: int | None) -> Free:
    """Return rules that allow every request the protocol supports, with decks of at most `cards` cards."""
    claims = protocol.claims
    offered = (claims.operations | WITHOUT_CARDS) & frozenset(free.OPERATIONS)
    most = claims.cards[1] if cards is None else min(cards, claims.cards[1])
    return Free(most, offered | {free.OPERATIONS[0]})


class FreeTable:
    """One deck of the current hand at a free table, as one participant sees it."""

    def __init__(self, me: Participant, deck: int) -> None:
        """Raise `IllegalMove` if this is not a free table, no hand is being played, or there is no such deck."""
        state = me.replica.state
        hand = free_hand(state.hand.game)
        if hand is None and state.config.rules.name != Free.name:
            raise IllegalMove(f"this is a table for {state.config.rules.name}, not a free table: use `move`")
        if type(deck) is not int or not 0 <= deck < DECKS_MAX:
            raise IllegalMove(f"decks are numbered 0 to {DECKS_MAX - 1}, not {deck!r}")
        if state.phase is not Phase.PLAYING or hand is None:
            raise IllegalMove("no hand is being played")
        self._me = me
        self._deck = deck
        self._hand = hand
        self._seats = {member.name: member.seat for member in state.roster.members}
        self._most = state.config.rules.deck_max

    # --- Cards ---

    def own_cards(self) -> dict[int, Face]:
        """Return the cards this player holds, by position. Raises `CardUnreadable` if one does not open."""
        known = {card.position: face for card, face in self._me.seat.known_cards().items() if card.deck == self._deck}
        held = self._held_by(self._me.seat.number)
        return {position: face_of(self._hand, self._deck, known[position]) for position in held if position in known}

    def seen_cards(self) -> dict[int, Face]:
        """Return the cards this player has looked at or was shown and does not hold, by position."""
        seen = self._me.view().seen_in(self._deck)
        return {position: face_of(self._hand, self._deck, face) for position, face in seen.items()}

    def open_on_table(self) -> dict[int, Face]:
        """Return the open cards that no one holds, by position, in the order they were opened."""
        return {position: face for position, face in self._opened().items() if self._holder(position) is None}

    def shown_by(self, name: str) -> dict[int, Face]:
        """Return the cards that a player holds and has shown, by position."""
        seat = self._seat_of(name)
        return {position: face for position, face in self._opened().items() if self._holder(position) == seat}

    def _opened(self) -> dict[int, Face]:
        """Return all open cards of this deck, by position."""
        opened = self._hand.opened.items()
        return {at: face_of(self._hand, on, face) for (on, at), face in opened if on == self._deck}

    def _holder(self, position: int) -> int | None:
        """Return the seat that holds a card, or None."""
        return self._hand.held.get((self._deck, position))

    def _held_by(self, seat: int) -> list[int]:
        """Return the positions of the cards that a seat holds."""
        return [at for (on, at), holder in self._hand.held.items() if (on, holder) == (self._deck, seat)]

    def _seat_of(self, name: str) -> int:
        """Return the seat of a player. Raises `BadParameter` if there is no player of that name."""
        if name not in self._seats:
            raise BadParameter(f"there is no player called {name!r} here")
        return self._seats[name]

    # --- Requests ---

    def shuffle(self, cards: int | Sequence[str]) -> free.Move:
        """Return the move that requests a new deck."""
        faces = () if isinstance(cards, int) else tuple(cards)
        count = cards if isinstance(cards, int) else len(faces)
        if not CARDS_MIN <= count <= self._most:
            raise IllegalMove(f"a deck at this table has {CARDS_MIN} to {self._most} cards, not {count}")
        for face in faces:
            if not isinstance(face, str) or not is_face(face):
                raise IllegalMove(f"the name of a card has 1 to {FACE_MAX} printable characters, not {face!r}")
        if len(set(faces)) != len(faces):
            raise IllegalMove("two cards of a deck cannot have the same name")
        return free.Shuffle(self._deck, count, faces)

    def deal(self, portions: Mapping[str, int]) -> free.Move:
        """Return the move that deals the next cards to players."""
        if not portions:
            raise IllegalMove("a deal must name at least one player")
        seats = {self._seat_of(name): count for name, count in portions.items()}
        return free.DealCards(
            self._deck, tuple((seat, _require_count("a deal gives", count)) for seat, count in seats.items())
        )

    def open_cards(self, count: int) -> free.Move:
        """Return the move that turns up the next cards."""
        return free.OpenCards(self._deck, _require_count("a request opens", count))

    def show(self, faces: Sequence[Face]) -> free.Move:
        """Return the move that shows these cards of this player, or all their hidden ones, to everyone."""
        mine, opened = self.own_cards(), self._opened()
        hidden = {position: face for position, face in mine.items() if position not in opened}
        for face in faces:
            if face not in hidden.values() and face in mine.values():
                raise IllegalMove(f"{face!r} has already been shown")
        return free.ShowCards(self._deck, self._positions_of(hidden, faces, "to show"))

    def prove(self, none_of: Sequence[Face], cards: Sequence[Face]) -> free.Move:
        """Return the move that proves that none of these hidden cards, or of all of them, is one of `none_of`.

        Raises `IllegalMove` if one of them is.
        """
        opened = self._opened()
        hidden = {position: face for position, face in self.own_cards().items() if position not in opened}
        positions, numbers = self._positions_of(hidden, cards, "to prove anything about"), self._face_numbers(none_of)
        if any(hidden[position] in none_of for position in positions):
            raise IllegalMove("that cannot be proved: one of these cards is in `none_of`")
        return free.ProveCards(self._deck, tuple(sorted(positions)), numbers)

    def _face_numbers(self, faces: Sequence[Face]) -> tuple[int, ...]:
        """Return the numbers of these faces, in ascending order."""
        size = self._me.replica.state.hand.decks[self._deck].places.face_count
        known = {face_of(self._hand, self._deck, number): number for number in range(size)}
        if not faces:
            raise IllegalMove("a proof must name at least one face")
        for face in faces:
            if face not in known:
                raise IllegalMove(f"no card of this deck is {face!r}")
        return tuple(sorted({known[face] for face in faces}))

    def show_to(self, name: str, faces: Sequence[Face]) -> free.Move:
        """Return the move that shows these cards of this player, or all their hidden ones, to one other player."""
        return free.ShowToOne(self._deck, self._hidden_positions(faces, "to show"), self._other_seat(name))

    def give(self, name: str, faces: Sequence[Face]) -> free.Move:
        """Return the move that gives these cards of this player, or all their hidden ones, to another player."""
        return free.PassOn(self._deck, self._hidden_positions(faces, "to give"), self._other_seat(name))

    def mix(self, faces: Sequence[Face]) -> free.Move:
        """Return the move that shuffles these cards of this player, or all their hidden ones."""
        return free.MixHand(self._deck, self._hidden_positions(faces, "to shuffle"))

    def peek(self, count: int, then: Then) -> free.Move:
        """Return the move with which this player looks at the next cards of the deck."""
        if then not in ("look", "reorder", "keep", "take"):
            raise IllegalMove(f"`then` is 'look', 'reorder', 'keep' or 'take', not {then!r}")
        return free.LookAt(self._deck, _require_count("a peek takes", count), then)

    def give_back(self, faces: Sequence[Face], to: To, depth: int) -> free.Move:
        """Return the move that puts cards back: this player's, or open ones on the table.

        All of the player's cards if none is named.
        """
        mine = self.own_cards()
        available = {**self.open_on_table(), **mine} if faces else mine
        if to not in ("top", "bottom", "shuffled", "discard"):
            raise IllegalMove(f"`to` is 'top', 'bottom', 'shuffled' or 'discard', not {to!r}")
        positions = self._positions_of(available, faces, "to give back")
        if not depth:
            return free.GiveBack(self._deck, positions, to)
        if to != "top":
            raise IllegalMove('`depth` counts from the top, so it needs to="top"')
        return free.Insert(self._deck, positions, _require_count("a depth is", depth))

    def reshuffle(self) -> free.Move:
        """Return the move that shuffles the rest of the deck again."""
        return free.GiveBack(self._deck, (), "shuffled")

    def roll(self, sides: Sequence[int]) -> free.Move:
        """Return the move that rolls one number for each entry of `sides`."""
        if not 1 <= len(sides) <= ROLLS_MAX:
            raise IllegalMove(f"a roll gives 1 to {ROLLS_MAX} numbers, not {len(sides)}")
        for count in sides:
            if type(count) is not int or not 2 <= count <= SIDES_MAX:
                raise IllegalMove(f"each number of a roll has 2 to {SIDES_MAX} sides, not {count!r}")
        return free.Roll(self._deck, tuple(sides))

    def seal(self, names: Sequence[str]) -> free.Move:
        """Return the move that asks these players, or all of them, to seal a value."""
        return free.SealAll(self._deck, tuple(sorted({self._seat_of(name) for name in names})))

    def unseal(self) -> free.Move:
        """Return the move that opens all sealed values."""
        return free.UnsealAll(self._deck)

    def put_away(self) -> free.Move:
        """Return the move that puts the deck away."""
        return free.PutAway(self._deck)

    def _hidden_positions(self, faces: Sequence[Face], what: str) -> tuple[int, ...]:
        """Return the positions of these hidden cards of this player, or of all of them."""
        opened = self._opened()
        return self._positions_of({at: face for at, face in self.own_cards().items() if at not in opened}, faces, what)

    def _other_seat(self, name: str) -> int:
        """Return the seat of another player. Raises `IllegalMove` for this player's own name."""
        if (seat := self._seat_of(name)) == self._me.seat.number:
            raise IllegalMove(f"{name} is not another player")
        return seat

    def _positions_of(self, available: Mapping[int, Face], faces: Sequence[Face], what: str) -> tuple[int, ...]:
        """Return the positions of these faces in `available`, or all positions if no face is named."""
        name = self._me.store.name
        if not available:
            raise IllegalMove(f"{name} has no card {what}")
        if len(set(faces)) != len(faces):
            raise IllegalMove(f"a card is named more than once: {list(faces)}")
        at = {face: position for position, face in available.items()}
        for face in faces:
            if face not in at:
                raise IllegalMove(f"{name} has no {face!r} {what}")
        return tuple(at[face] for face in faces) or tuple(available)


def _require_count(what: str, count: int) -> int:
    """Return `count`. Raises `IllegalMove` if it is not a possible number of cards."""
    if type(count) is not int or not 1 <= count <= CARDS_MAX:
        raise IllegalMove(f"{what} at least one card and no more than there are, not {count!r}")
    return count
