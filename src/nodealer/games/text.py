"""How a game speaks: what happened, what lies on the table, and what a person's answers mean.

A game gives text and marks. A terminal renders them in its way and a page in its own, and whoever renders filters the
text: names of players may be in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from nodealer.cards.events import Opened, Rolled, Unsealed
from nodealer.cards.operations import SEALED_MAX, Look, NoneOf, Operation, Peek, Seal
from nodealer.errors import IllegalMove
from nodealer.games.view import NO_SEAT, View
from nodealer.wire import Message

#: What a piece of text is, where it is not plain: "mine" and "rival" say whose, "number" is what a person types.
Mark = Literal["strong", "dim", "card", "red card", "mine", "rival", "number"]


#: So many faces are named one by one.
_FACES_NAMED: Final = 6


@dataclass(frozen=True)
class Span:
    """A piece of text, and what it is."""

    text: str
    mark: Mark | None = None


@dataclass(frozen=True)
class Line:
    """Text with marks."""

    spans: tuple[Span, ...] = ()

    def __str__(self) -> str:
        """Without the marks."""
        return "".join(span.text for span in self.spans)


#: What words are made of: plain text will do.
Text = str | Line


def line(*parts: Text | Span) -> Line:
    """One line of all parts."""
    spans: list[Span] = []
    for part in parts:
        spans += part.spans if isinstance(part, Line) else [Span(part) if isinstance(part, str) else part]
    return Line(tuple(spans))


def strong(text: str) -> Span:
    """Text that stands out."""
    return Span(text, "strong")


def numbered(items: Sequence[Text | Span]) -> list[Line]:
    """A list from which a person picks by number."""
    return [line("     ", Span(str(number), "number"), " ", item) for number, item in enumerate(items, 1)]


def cards_in_words(count: int) -> str:
    """How many cards."""
    return "one card" if count == 1 else f"{count} cards"


def picked(word: str, count: int, what: str) -> int:
    """Which of `count` things a person means, from 0. Raises `IllegalMove`."""
    if not count:
        raise IllegalMove(f"there is no {what} here")
    if not (word.isascii() and word.isdigit() and len(word) < 6) or not 1 <= int(word) <= count:
        raise IllegalMove(f"there is no {what} {word!r}; they are numbered 1 to {count}")
    return int(word) - 1


class Words:
    """What a game without words says: numbers, and moves as they stand in the log. A game overrides what it can say
    better; its own type stands for `Any` there."""

    #: Beside the game's name, before the first hand.
    note: str = ""
    #: The move that is made for somebody who makes none, in words; empty where such a seat is out of the hand.
    default: str = ""
    #: What a person can type, and the rules of the game in short.
    help: tuple[Text, ...] = ()
    rules: tuple[Text, ...] = ()

    # --- What happened ---

    def face(self, game: Any, deck: int, face: int) -> str:
        """The short name of a face."""
        return str(face)

    def owner(self, game: Any, opened: Opened, holder: int | None) -> int | None:
        """The seat whose card was opened, or None for the table's."""
        return holder

    def cards(self, game: Any, opened: Sequence[Opened]) -> Text:
        """Cards that were opened."""
        return line(strong(", ".join(self.face(game, event.card.deck, event.face) for event in opened)))

    def move(self, game: Any, seat: int, move: bytes, names: Mapping[int, str]) -> Text:
        """A move that was made, after the player's name; empty where what comes of it says so by itself."""
        return move.decode(errors="replace")

    def changed(self, before: Any, after: Any, names: Mapping[int, str]) -> Sequence[Text]:
        """What is different on the table after a move, or after cards that it asked for."""
        return ()

    def looked(self, game: Any, operation: Operation) -> Text:
        """What somebody did with cards that nobody else has seen, after the player's name; empty for other things."""
        if not isinstance(operation, Peek):
            return ""
        some = cards_in_words(operation.count)
        match operation.then:
            case Look.LOOK:
                return f"looked at {some}; you know that, not which"
            case Look.REORDER:
                return f"looked at {some} and put them back in an order of its own; you know that, not which"
            case Look.KEEP:
                return f"looked at {some}, kept one and put the others back in an order of its own; you know that"
            case Look.TAKE:
                back = operation.count - 1
                return f"looked at {some}, kept one and put {back} back; you know that, not which"

    def proven(self, game: Any, deck: int, claim: NoneOf) -> str:
        """What a seat has proven of its hidden cards: "none of these 12 cards is a heart"."""
        count = len(claim.faces)
        faces = [self.face(game, deck, face) for face in claim.faces] if count <= _FACES_NAMED else [f"{count} faces"]
        what = faces[0] if count == 1 else f"one of {', '.join(faces)}"
        some = len(claim.positions)
        return f"this card is not {what}" if some == 1 else f"none of these {some} cards is {what}"

    def rolled(self, game: Any, rolled: Rolled, names: Mapping[int, str]) -> Text:
        """What a roll gave, in one line; empty where what comes of it says so by itself."""
        if rolled.silent:
            return f"no roll: {' and '.join(names[seat] for seat in rolled.silent)} did not open it"
        return line("rolled ", strong(", ".join(map(str, rolled.numbers))))

    def unsealed(self, game: Any, unsealed: Unsealed) -> Text:
        """What was in an envelope, after the player's name; empty where what comes of it says so by itself."""
        if unsealed.value is None:
            return "is gone, and nobody will know what it had sealed"
        # Without rows of blanks, like every word of a player: what comes after them would look like a line of its own.
        return f"had sealed: {' '.join(unsealed.value.decode(errors='replace').split())}"

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Text:
        """How a hand ended, in one line."""
        return ""

    def outcome(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[Text]:
        """Who won what, and why: what stands before that line."""
        return ()

    def parting(self, result: Mapping[str, Any], you: int) -> Text:
        """What it means for the person at a seat; empty for nothing in particular."""
        return ""

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, Text]:
        """The same for a table of hands: headings and what stands below them."""
        return {"result": self.result(result, names)}

    # --- A person's turn ---

    def table(self, view: View) -> Sequence[Text]:
        """The table while a move is wanted: of this person, or of somebody else."""
        return ()

    def news(self, before: View, view: View) -> Sequence[Text]:
        """What only this person has seen since it was last asked, such as a card that was drawn."""
        return ()

    def prompt(self, view: View) -> Text:
        """What may be done now, in a line."""
        return "  your move"

    def read(self, view: View, text: str) -> Message:
        """The move that was typed. Raises `IllegalMove` with a sentence for the person."""
        raise IllegalMove("this game has no words for what a person types")

    def sure(self, view: View, move: Message | Mapping[str, Any]) -> str:
        """A question to answer with yes before a move that is likely to be regretted; empty for all others.

        The move is a message of the game, or the plain data of one.
        """
        return ""

    # --- A private choice about cards that were looked at ---

    def looked_at(self, game: Any, deck: int, face: int) -> Text:
        """A card that a person has looked at, and chooses about."""
        return self.face(game, deck, face)

    def offer(self, view: View, peek: Peek) -> Sequence[Text]:
        """What is to be chosen."""
        cards = [self.looked_at(view.game, peek.deck, face) for face in view.seen_in(peek.deck).values()]
        if peek.then is Look.TAKE:
            return *numbered(cards), "  which one do you keep? the rest is shuffled"
        if peek.then is Look.KEEP:
            return *numbered(cards), "  which one do you keep, and in which order go the others back? such as: 2 1 3"
        return *numbered(cards), "  in which order do they go back, the top first? such as: 2 1 3"

    def choice_help(self, peek: Peek) -> Sequence[Text]:
        """How a choice is made."""
        if peek.then is Look.TAKE:
            return ("  type the number of the card that you keep: nobody else learns which it is",)
        if peek.then is Look.KEEP:
            return ("  type all the numbers, first the card that you keep, then the one on top: nobody else learns it",)
        return ("  type all the numbers, first the card that is to lie on top: nobody else learns the order",)

    def choose(self, view: View, peek: Peek, text: str) -> tuple[int, ...]:
        """The positions that were chosen. Raises `IllegalMove`."""
        seen = list(view.seen_in(peek.deck))
        chosen = tuple(seen[picked(word, len(seen), "card")] for word in text.replace(",", " ").split())
        if peek.then is Look.TAKE and len(chosen) != 1:
            raise IllegalMove("one number, please")
        if peek.then is not Look.TAKE and sorted(chosen) != sorted(seen):
            raise IllegalMove(f"every number from 1 to {len(seen)} once, please")
        return chosen

    # --- What is sealed ---

    def sealing(self, view: View, seal: Seal) -> Text:
        """What is to be sealed, in a line."""
        return "  what do you seal? nobody can read it before it is opened, and you cannot change it"

    def seal(self, view: View, seal: Seal, text: str) -> bytes:
        """What was typed, in the form that the game reads. Raises `IllegalMove`."""
        value = text.strip().encode()
        if len(value) > SEALED_MAX:
            raise IllegalMove(f"at most {SEALED_MAX} bytes, please")
        return value


def laid_out(words: Words, view: View) -> Sequence[Text]:
    """The table in words, at any moment. Empty for who has no seat, and where the words cannot say it.

    While cards are on their way the game has not heard of them, and who is not dealt in has none: a game need have no
    words for that. `nodealer game check` wants them for everybody who plays, whenever somebody is to move.
    """
    if view.game is None or view.seat == NO_SEAT:
        return ()
    if view.my_turn:
        return words.table(view)
    try:
        return words.table(view)
    # Whatever it is that somebody's words fail with: a seat does not end for want of a picture.
    except Exception:
        return ()
