"""The texts of a game: what happened, what is on the table, and how to read what a person types.

A game returns text with marks. A terminal and a page render them differently. The renderer must also sanitize the
text, because it may contain names of players.
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

#: The role of a piece of text that is not plain: "mine" and "rival" say whose it is, "number" is what a person types.
Mark = Literal["strong", "dim", "card", "red card", "mine", "rival", "number"]


#: Up to this many faces are named one by one.
_FACES_NAMED: Final = 6


@dataclass(frozen=True)
class Span:
    """A piece of text with its mark."""

    text: str
    mark: Mark | None = None


@dataclass(frozen=True)
class Line:
    """A line of marked text."""

    spans: tuple[Span, ...] = ()

    def __str__(self) -> str:
        """Return the text without the marks."""
        return "".join(span.text for span in self.spans)


#: What the methods of `Words` return. Plain text is enough.
Text = str | Line


def line(*parts: Text | Span) -> Line:
    """Join all parts into one line."""
    spans: list[Span] = []
    for part in parts:
        spans += part.spans if isinstance(part, Line) else [Span(part) if isinstance(part, str) else part]
    return Line(tuple(spans))


def strong(text: str) -> Span:
    """Return text that is marked to stand out."""
    return Span(text, "strong")


def numbered(items: Sequence[Text | Span]) -> list[Line]:
    """Return a numbered list, one line for each item, from which a person picks by number."""
    return [line("     ", Span(str(number), "number"), " ", item) for number, item in enumerate(items, 1)]


def cards_in_words(count: int) -> str:
    """Return a number of cards in words: "one card", "3 cards"."""
    return "one card" if count == 1 else f"{count} cards"


def picked(word: str, count: int, what: str) -> int:
    """Parse the number that a person typed to pick one of `count` things. Returns an index from 0.

    `what` is the name of one such thing, for the error. Raises `IllegalMove`.
    """
    if not count:
        raise IllegalMove(f"there is no {what} to choose")
    if not (word.isascii() and word.isdigit() and len(word) < 6) or not 1 <= int(word) <= count:
        raise IllegalMove(f"there is no {what} {word!r}; choose a number from 1 to {count}")
    return int(word) - 1


class Words:
    """The texts of a game. These defaults print numbers, and moves as they are in the log.

    A game overrides the methods for which it has better words, with its own game type instead of `Any`.
    """

    #: Printed beside the game's name before the first hand.
    note: str = ""
    #: In words, the move that is made for a player who runs out of time. Empty if such a player is out of the hand.
    default: str = ""
    #: What a person can type, and a summary of the rules.
    help: tuple[Text, ...] = ()
    rules: tuple[Text, ...] = ()

    # --- What happened ---

    def face(self, game: Any, deck: int, face: int) -> str:
        """Return the short name of a face."""
        return str(face)

    def owner(self, game: Any, opened: Opened, holder: int | None) -> int | None:
        """Return the seat whose card was opened, or None if it is the table's."""
        return holder

    def cards(self, game: Any, opened: Sequence[Opened]) -> Text:
        """Describe cards that were opened."""
        return line(strong(", ".join(self.face(game, event.card.deck, event.face) for event in opened)))

    def move(self, game: Any, seat: int, move: bytes, names: Mapping[int, str]) -> Text:
        """Describe a move; the text follows the player's name. Empty if its consequences are described anyway."""
        return move.decode(errors="replace")

    def changed(self, before: Any, after: Any, names: Mapping[int, str]) -> Sequence[Text]:
        """Describe what changed on the table after a move, or after the card operations that it requested."""
        return ()

    def looked(self, game: Any, operation: Operation) -> Text:
        """Describe what a player did with cards that no one else has seen; the text follows the player's name.

        Empty for every operation that is not a `Peek`.
        """
        if not isinstance(operation, Peek):
            return ""
        some = cards_in_words(operation.count)
        match operation.then:
            case Look.LOOK:
                return f"looked at {some} in secret"
            case Look.REORDER:
                return f"looked at {some} in secret and put them back in an order of their choice"
            case Look.KEEP:
                return f"looked at {some} in secret, kept one and put the others back in an order of their choice"
            case Look.TAKE:
                back = operation.count - 1
                return f"looked at {some} in secret, kept one and put {back} back"

    def proven(self, game: Any, deck: int, claim: NoneOf) -> str:
        """Describe what a seat has proven about its hidden cards: "none of these 12 cards is a heart"."""
        count = len(claim.faces)
        faces = [self.face(game, deck, face) for face in claim.faces] if count <= _FACES_NAMED else [f"{count} faces"]
        what = faces[0] if count == 1 else f"one of {', '.join(faces)}"
        some = len(claim.positions)
        return f"this card is not {what}" if some == 1 else f"none of these {some} cards is {what}"

    def rolled(self, game: Any, rolled: Rolled, names: Mapping[int, str]) -> Text:
        """Describe a roll in one line. Empty if its consequences are described anyway."""
        if rolled.silent:
            return f"no roll: {' and '.join(names[seat] for seat in rolled.silent)} did not open their part"
        return line("rolled ", strong(", ".join(map(str, rolled.numbers))))

    def unsealed(self, game: Any, unsealed: Unsealed) -> Text:
        """Describe a value that was unsealed; the text follows the player's name. Empty if it is described anyway."""
        if unsealed.value is None:
            return "left without opening the sealed value"
        # Collapse runs of blanks, as in all text from players: what follows them would look like a line of its own.
        return f"had sealed: {' '.join(unsealed.value.decode(errors='replace').split())}"

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Text:
        """Describe in one line how a hand ended."""
        return ""

    def outcome(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[Text]:
        """Describe who won what, and why. These lines are printed before the line of `result`."""
        return ()

    def parting(self, result: Mapping[str, Any], you: int) -> Text:
        """Tell the person at seat `you` what the result means for them. Empty if there is nothing special to say."""
        return ""

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, Text]:
        """Return the result as a row of a table of hands: column heading to cell."""
        return {"result": self.result(result, names)}

    # --- A person's turn ---

    def table(self, view: View) -> Sequence[Text]:
        """Describe the table while a move is awaited, from this person or from another player."""
        return ()

    def news(self, before: View, view: View) -> Sequence[Text]:
        """Describe what only this person has seen since their last turn, such as a card they drew."""
        return ()

    def prompt(self, view: View) -> Text:
        """List in one line what the person can do now."""
        return "  your move"

    def read(self, view: View, text: str) -> Message:
        """Parse the move that a person typed. Raises `IllegalMove` with a sentence for them."""
        raise IllegalMove("this game does not read typed moves")

    def sure(self, view: View, move: Message | Mapping[str, Any]) -> str:
        """Return a question to confirm before a move that the person would probably regret. Empty for other moves.

        The move is one of the game's messages. It is plain data only if the game decodes its moves without messages.
        """
        return ""

    # --- A private choice about cards that were looked at ---

    def looked_at(self, game: Any, deck: int, face: int) -> Text:
        """Describe a card that the person has looked at and is choosing about."""
        return self.face(game, deck, face)

    def offer(self, view: View, peek: Peek) -> Sequence[Text]:
        """List the cards to choose from, and ask for the choice."""
        cards = [self.looked_at(view.game, peek.deck, face) for face in view.seen_in(peek.deck).values()]
        if peek.then is Look.TAKE:
            return *numbered(cards), "  which one do you keep? the rest are shuffled"
        if peek.then is Look.KEEP:
            return *numbered(cards), "  which card do you keep, and how do the others go back? such as: 2 1 3"
        return *numbered(cards), "  in which order do they go back, top card first? such as: 2 1 3"

    def choice_help(self, peek: Peek) -> Sequence[Text]:
        """Explain how to type the choice."""
        if peek.then is Look.TAKE:
            return ("  type the number of the card you keep; no one else learns which one it is",)
        if peek.then is Look.KEEP:
            return ("  type all the numbers: first the card you keep, then the new top card; no one else learns them",)
        return ("  type all the numbers, starting with the new top card; no one else learns the order",)

    def choose(self, view: View, peek: Peek, text: str) -> tuple[int, ...]:
        """Parse a typed choice and return the chosen positions. Raise `IllegalMove` if it is not valid."""
        seen = list(view.seen_in(peek.deck))
        chosen = tuple(seen[picked(word, len(seen), "card")] for word in text.replace(",", " ").split())
        if peek.then is Look.TAKE and len(chosen) != 1:
            raise IllegalMove("type one number")
        if peek.then is not Look.TAKE and sorted(chosen) != sorted(seen):
            raise IllegalMove(f"type every number from 1 to {len(seen)} once")
        return chosen

    # --- Sealed values ---

    def sealing(self, view: View, seal: Seal) -> Text:
        """Ask in one line for the value to seal."""
        return "  what do you seal? no one can read it until it is opened, and you cannot change it"

    def seal(self, view: View, seal: Seal, text: str) -> bytes:
        """Parse the typed value into the form that the game reads. Raise `IllegalMove` if it is not valid."""
        value = text.strip().encode()
        if len(value) > SEALED_MAX:
            raise IllegalMove(f"that is too long: at most {SEALED_MAX} bytes")
        return value


def table_lines(words: Words, view: View) -> Sequence[Text]:
    """Describe the table in words, at any moment. Empty for spectators, and if the game's words fail.

    While cards are being dealt the game does not know of them yet, and a seat that is not dealt in has none. A game
    need not have words for that. `nodealer game check` requires them for every player whenever a move is awaited.
    """
    if view.game is None or view.seat == NO_SEAT:
        return ()
    if view.my_turn:
        return words.table(view)
    try:
        return words.table(view)
    # A third-party game may fail with anything. A seat must not stop because its table cannot be drawn.
    except Exception:
        return ()
