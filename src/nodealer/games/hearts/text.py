"""The texts of hearts: what happened, the table, and what a person can type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nodealer.cards.events import Opened
from nodealer.cards.operations import NoneOf
from nodealer.errors import IllegalMove
from nodealer.games.hearts.faces import (
    HEARTS,
    PLAIN,
    QUEEN,
    RANKS,
    SIGNS,
    SUIT_NAMES,
    SUITS,
    TWO_OF_CLUBS,
    sign,
    sort_hand,
    suit,
    suit_of,
)
from nodealer.games.hearts.hand import HeartsHand, HeartsStage
from nodealer.games.hearts.moves import GIVEN, Give, Lead, Move, Play, Without, read_move
from nodealer.games.hearts.scoring import HeartsEnding
from nodealer.games.hearts.view import game_of, hand_of, opening_move, playable
from nodealer.games.text import Line, Mark, Span, Text, Words, line, strong
from nodealer.games.view import View


class HeartsWords(Words):
    """The texts of hearts. Cards are typed as they are written: qs, 10h, 2c."""

    note = "the fewest points win"
    help = (
        line("  ", strong("qs"), " or ", strong("Q♠"), " plays the queen of spades; ", strong("10h"), " and ",
             strong("th"), " are the ten of hearts"),
        line("  ", strong("qs ah 2d"), " passes three cards"),
        line("  ", strong("ok"), " confirms whether you have the two of clubs, when you are asked"),
    )  # fmt: skip
    rules = (
        "  Four players, thirteen cards each. Before play each player passes three cards: to the left, to the right, "
        "across, and in every fourth hand not at all.",
        "  The two of clubs leads. Follow suit if you can. The highest card of the suit led takes the trick and leads "
        "the next one.",
        "  Every heart you take is one point, the queen of spades thirteen. If you take all, you shoot the moon: no "
        "points for you, and 26 for each of the others.",
        "  You cannot play points in the first trick, or lead a heart before hearts are broken, unless you have no "
        "other cards.",
        "  If you do not follow suit, or have no other cards, your program proves it without showing a card.",
        "  The game ends when a player reaches 100 points, or the number you agreed on. The fewest points win.",
    )

    # --- What happened ---

    def face(self, game: HeartsHand, deck: int, face: int) -> str:
        """Return the name of a card with its suit symbol."""
        return sign(face)

    def cards(self, game: HeartsHand, opened: Sequence[Opened]) -> Text:
        """Describe cards that were played."""
        return suit_symbols(event.face for event in opened)

    def move(self, game: HeartsHand, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """Describe a pass or a declaration about the two of clubs. Empty for a play: the card is described anyway."""
        match read_move(move):
            case Give():
                return f"passes three cards to {_name(names, game.receiver(seat))}"
            case Without():
                return f"does not have {sign(TWO_OF_CLUBS)}"
            case Lead() | Play():
                return ""

    def changed(self, before: object, after: object, names: Mapping[int, str]) -> Sequence[Text]:
        """Describe what has to be proven now, and who took a trick."""
        if not isinstance(before, HeartsHand) or not isinstance(after, HeartsHand) or before.number != after.number:
            return ()
        lines: list[Text] = []
        for claim in after.claims if after.claims != before.claims else ():
            lines.append(f"{_name(names, claim.seat)} must prove that they have no {describe_claim(claim)}")
        for trick in after.tricks[len(before.tricks) :]:
            count = f" with {_points(trick.points)}" if trick.points else ""
            lines.append(line(strong(_name(names, trick.winner)), f" takes the trick{count}"))
        return lines

    def proven(self, game: HeartsHand, deck: int, claim: NoneOf) -> str:
        """Describe what was proven, by suit if it is one suit."""
        count = len(claim.positions)
        some = "the last card is not" if count == 1 else f"none of these {count} cards is"
        return f"{some} a {describe_claim(claim)}"

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """List the points of every player, with the points of this hand."""
        return ", ".join(f"{_name(names, one['seat'])} {one['total']} (+{one['points']})" for one in result["points"])

    def outcome(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[Line]:
        """Describe who shot the moon, who ended the hand early, and who won the game."""
        lines: list[Line] = []
        if result["moon"] is not None:
            lines.append(line(strong(_name(names, result["moon"])), " shot the moon: 26 points for the others"))
        if result["spoilt"]:
            why = (
                "left" if result["ended"] == HeartsEnding.LEFT.value else f"led another card than {sign(TWO_OF_CLUBS)}"
            )
            lines.append(line(strong(_join_names(names, result["spoilt"])), f" {why}: 26 points, none for the others"))
        if result["over"]:
            verb = "wins" if len(result["winners"]) == 1 else "tie"
            lines.append(line(strong(_join_names(names, result["winners"])), f" {verb} the game to {result['goal']}"))
        return lines

    def parting(self, result: Mapping[str, Any], you: int) -> str:
        """Tell a player at the end of the game whether they won."""
        if not result["over"] or all(one["seat"] != you for one in result["points"]):
            return ""
        return "You won the game." if you in result["winners"] else "You did not win the game."

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """Return the points of the hand and the number of proofs."""
        counted = ", ".join(f"{_name(names, one['seat'])} {one['points']}" for one in result["points"])
        return {"points": counted, "proofs": str(result["proofs"])}

    # --- A person's turn ---

    def table(self, view: View) -> Sequence[Line]:
        """Describe the points, the trick, and the person's hand by suits."""
        game, mine = game_of(view), hand_of(view)
        may = set(playable(view).values()) if game.stage is HeartsStage.PLAYING else set(mine.values())
        return (*_scores(game, view), *_trick(game, view), *_hand(mine.values(), may))

    def news(self, before: View, view: View) -> Sequence[Line]:
        """Describe the cards that were passed to this person."""
        if (
            before.hand != view.hand
            or not isinstance(before.game, HeartsHand)
            or before.game.stage is not HeartsStage.PASSING
        ):
            return ()
        new = [face for at, face in view.cards.items() if at not in before.cards]
        return [line("  passed to you: ", suit_symbols(sort_hand(new)))] if new else []

    def prompt(self, view: View) -> Text:
        """Say what the person can do now."""
        game, seat = game_of(view), view.seat
        if game.stage is HeartsStage.PASSING:
            to = _name(view.names, game.receiver(seat))
            return line(f"  pass three cards to {to} ({game.direction.value}), for example: qs ah 2d")
        if game.stage is HeartsStage.OPENING:
            has = isinstance(opening_move(view), Lead)
            return line("  ", sign(TWO_OF_CLUBS), f" leads: you {'have' if has else 'do not have'} it; type ok")
        return line("  your turn: ", suit_symbols(playable(view).values()))

    def read(self, view: View, text: str) -> Move:
        """Parse typed cards."""
        game, hand = game_of(view), {face: place for place, face in hand_of(view).items()}
        words = text.lower().replace(",", " ").split()
        if game.stage is HeartsStage.OPENING:
            return _parse_opening(view, words)
        faces = [_parse_card(word) for word in words]
        for face in faces:
            if face not in hand:
                raise IllegalMove(f"{sign(face)} is not in your hand")
        if game.stage is HeartsStage.PASSING:
            if len(set(faces)) != GIVEN or len(faces) != GIVEN:
                raise IllegalMove("type three different cards, for example: qs ah 2d")
            return Give(tuple(sorted(hand[face] for face in faces)))
        if len(faces) != 1:
            raise IllegalMove("type one card, for example: qs")
        if faces[0] not in playable(view).values():
            raise IllegalMove(f"you cannot play {sign(faces[0])} now: {why_illegal(game, faces[0])}")
        return Play(hand[faces[0]])

    def sure(self, view: View, move: object) -> str:
        """Ask before an illegal card. Its player could not give the proof; only a modified program plays it."""
        place = move.place if isinstance(move, Play) else None
        face = hand_of(view).get(place) if isinstance(place, int) else None
        if game_of(view).stage is not HeartsStage.PLAYING or face is None or place in playable(view):
            return ""
        why = why_illegal(game_of(view), face)
        return f"{why}; you could not prove that {sign(face)} is legal and would be out of the hand. Play it anyway?"


# --- Cards ---


def suit_symbols(faces: Iterable[int]) -> Line:
    """Return cards with suit symbols: "A♠ K♦"."""
    spans: list[Span] = []
    for face in faces:
        spans += [Span(" ")] if spans else []
        spans.append(Span(sign(face), "red card" if suit_of(face) in (1, 2) else "card"))
    return Line(tuple(spans))


def describe_claim(claim: NoneOf) -> str:
    """Return in words what a player must prove not to have; it follows "no" or "a"."""
    faces = frozenset(claim.faces)
    if faces == {TWO_OF_CLUBS}:
        return sign(TWO_OF_CLUBS)
    suits = {suit_of(face) for face in faces}
    if len(suits) == 1:
        return SUIT_NAMES[suits.pop()][:-1]
    # For points in the first trick, the faces exclude the queen of spades. For a heart that is led they include her,
    # unless she has been played.
    return "card other than a heart" if QUEEN in faces else "card without points"


def proven_voids(game: HeartsHand, seat: int) -> list[str]:
    """Return the letters of the suits that a seat has proven to be out of, if cards of them are still hidden."""
    lacks = game.lacks.get(seat, frozenset())
    rest = [suit(number) - game.out for number in range(len(SUITS))]
    return [SUITS[number] for number, hidden in enumerate(rest) if hidden and hidden <= lacks]


def why_illegal(game: HeartsHand, face: int) -> str:
    """Return why a card of the person's hand may not be played. Only for a card that may not."""
    if game.trick.led is None:
        return "hearts are not broken yet, and you have other cards"
    if game.first and face not in PLAIN:
        return "no points in the first trick, and you have other cards"
    return f"you must follow suit, and you have {SUIT_NAMES[game.trick.led]}"


def _parse_card(word: str) -> int:
    """Parse one typed card. Raise `IllegalMove` if it is not a card."""
    short = word.upper().replace("10", "T")
    signs = {**{name.upper(): number for number, name in enumerate(SUITS)}, **{s: n for n, s in enumerate(SIGNS)}}
    if len(short) != 2 or short[0] not in RANKS or short[1] not in signs:
        raise IllegalMove(f"{word!r} is not a card; the queen of spades is qs, the ten of hearts 10h")
    return 13 * signs[short[1]] + RANKS.index(short[0])


def _parse_opening(view: View, words: list[str]) -> Move:
    """Parse the answer about the two of clubs. Raise `IllegalMove` if it is not one."""
    truth = opening_move(view)
    if words in (["ok"], ["y"], ["yes"]) or (isinstance(truth, Lead) and words in (["2c"], ["2♣"])):
        return truth
    raise IllegalMove(f"the player with {sign(TWO_OF_CLUBS)} leads it; type ok to confirm whether you have it")


# --- The table ---


def _scores(game: HeartsHand, view: View) -> list[Line]:
    """Return a table of the points of all seats."""
    wide = max(len(_name(view.names, seat)) for seat in game.seats)
    lines = [line(Span(f"  {'':<{wide}}  points  taken  cards", "dim"))]
    for seat in game.seats:
        who = Span(f"{_name(view.names, seat):<{wide}}", "mine" if seat == view.seat else None)
        voids = "".join(SIGNS[SUITS.index(letter)] for letter in proven_voids(game, seat))
        row = f"  {game.scores[seat]:>6}  {game.taken[seat]:>5}  {len(game.held.get(seat, ())):>5}"
        lines.append(line("  ", who, row, f"  proven: no {voids}" if voids else ""))
    return lines


def _trick(game: HeartsHand, view: View) -> list[Line]:
    """Return a line with the current trick, while cards are played."""
    if game.stage is not HeartsStage.PLAYING:
        return []
    lies = [line(f"{_name(view.names, seat)} ", suit_symbols([face])) for seat, face in game.trick.cards]
    parts = [part for one in lies for part in (one, "   ")]
    broken = "" if game.broken else "   hearts not broken"
    return [line(f"  trick {len(game.tricks) + 1}   ", *(parts or ["you lead"]), Span(broken, "dim"))]


def _hand(mine: Iterable[int], may: set[int]) -> list[Line]:
    """Return a line for each suit; cards that may not be played now are dim."""
    lines: list[Line] = []
    for number in (0, 1, 3, HEARTS):
        cards = [face for face in mine if suit_of(face) == number]
        spans: list[Span | str] = [f"  {SIGNS[number]} "]
        for face in cards:
            mark: Mark = "dim" if face not in may else "red card" if number in (1, 2) else "card"
            spans += [" ", Span(sign(face), mark)]
        if cards:
            lines.append(line(*spans))
    return lines


def _name(names: Mapping[int, str], seat: int) -> str:
    """Return a seat's name, or its number if it has none."""
    return str(names.get(seat, seat))


def _join_names(names: Mapping[int, str], seats: Sequence[int]) -> str:
    """Return the names of seats, joined with "and"."""
    return " and ".join(_name(names, seat) for seat in seats)


def _points(count: int) -> str:
    """Return a number of points in words."""
    return "one point" if count == 1 else f"{count} points"
