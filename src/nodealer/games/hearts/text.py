"""Hearts in words: what happens, the table as a person sees it, and what a person may type."""

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
    in_hand,
    sign,
    suit,
    suit_of,
)
from nodealer.games.hearts.hand import HeartsHand, HeartsStage
from nodealer.games.hearts.moves import GIVEN, Give, Lead, Move, Play, Without, read_move
from nodealer.games.hearts.scoring import HeartsEnding
from nodealer.games.hearts.view import game_of, hand_of, opening, playable
from nodealer.games.text import Line, Mark, Span, Text, Words, line, strong
from nodealer.games.view import View


class HeartsWords(Words):
    """Cards are typed as they are read: qs, 10h, 2c."""

    note = "few points are good"
    help = (
        line("  ", strong("qs"), " or ", strong("Q♠"), " plays the queen of spades; ", strong("10h"), " and ",
             strong("th"), " are the ten of hearts"),
        line("  ", strong("qs ah 2d"), " passes three cards on"),
        line("  ", strong("ok"), " says what is true of the two of clubs, when that is asked"),
    )  # fmt: skip
    rules = (
        "  Four players, thirteen cards each. Before the play three are passed on: to the left, to the right, across, "
        "and in every fourth hand not at all.",
        "  The two of clubs leads. Follow the suit that was led if you can; the highest card of it takes the trick and "
        "leads the next.",
        "  Every heart that you take is a point, the queen of spades thirteen. Who takes all of them has none, and the "
        "three others 26 each.",
        "  No points in the first trick, and no heart is led before one was thrown, unless you have nothing else.",
        "  Whoever plays what only an empty suit allows proves it then, and shows no card.",
        "  When somebody has reached 100, or what was agreed, the game is over, and the fewest points win.",
    )

    # --- What happened ---

    def face(self, game: HeartsHand, deck: int, face: int) -> str:
        """With the sign of its suit."""
        return sign(face)

    def cards(self, game: HeartsHand, opened: Sequence[Opened]) -> Text:
        """Cards that were played."""
        return pretty(event.face for event in opened)

    def move(self, game: HeartsHand, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """What is passed, and what is said of the two of clubs. What is played the card says."""
        match read_move(move):
            case Give():
                return f"passes three cards to {_called(names, game.receiver(seat))}"
            case Without():
                return f"does not have {sign(TWO_OF_CLUBS)}"
            case Lead() | Play():
                return ""

    def changed(self, before: object, after: object, names: Mapping[int, str]) -> Sequence[Text]:
        """What has to be proven now, and who took a trick."""
        if not isinstance(before, HeartsHand) or not isinstance(after, HeartsHand) or before.number != after.number:
            return ()
        told: list[Text] = []
        for claim in after.claims if after.claims != before.claims else ():
            told.append(f"{_called(names, claim.seat)} has to prove that it has no {asked_of(claim)}")
        for trick in after.tricks[len(before.tricks) :]:
            count = f" with {_points(trick.points)}" if trick.points else ""
            told.append(line(strong(_called(names, trick.winner)), f" takes the trick{count}"))
        return told

    def proven(self, game: HeartsHand, deck: int, claim: NoneOf) -> str:
        """What was proven, by its suit where it is one."""
        some = "the last card is" if len(claim.positions) == 1 else f"none of these {len(claim.positions)} cards is"
        return f"{some} {'no' if len(claim.positions) == 1 else 'a'} {asked_of(claim)}"

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """What everybody has now."""
        return ", ".join(f"{_called(names, one['seat'])} {one['total']} (+{one['points']})" for one in result["points"])

    def outcome(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[Line]:
        """Who took all, who spoilt it, and who has won the game."""
        told: list[Line] = []
        if result["moon"] is not None:
            told.append(line(strong(_called(names, result["moon"])), " shot the moon: 26 points for the others"))
        if result["spoilt"]:
            why = (
                "left" if result["ended"] == HeartsEnding.LEFT.value else f"led another card than {sign(TWO_OF_CLUBS)}"
            )
            told.append(line(strong(_listed(names, result["spoilt"])), f" {why}: 26 points, and none for the others"))
        if result["over"]:
            verb = "wins" if len(result["winners"]) == 1 else "share"
            told.append(line(strong(_listed(names, result["winners"])), f" {verb} the game to {result['goal']}"))
        return told

    def parting(self, result: Mapping[str, Any], you: int) -> str:
        """Who has won the game knows it."""
        if not result["over"] or all(one["seat"] != you for one in result["points"]):
            return ""
        return "You have won the game." if you in result["winners"] else "You have not won the game."

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """The points of the hand."""
        counted = ", ".join(f"{_called(names, one['seat'])} {one['points']}" for one in result["points"])
        return {"points": counted, "proofs": str(result["proofs"])}

    # --- A person's turn ---

    def table(self, view: View) -> Sequence[Line]:
        """Points, the trick, and the hand by suits."""
        game, mine = game_of(view), hand_of(view)
        may = set(playable(view).values()) if game.stage is HeartsStage.PLAYING else set(mine.values())
        return (*_scores(game, view), *_trick(game, view), *_hand(mine.values(), may))

    def news(self, before: View, view: View) -> Sequence[Line]:
        """Cards that were passed to this person."""
        if (
            before.hand != view.hand
            or not isinstance(before.game, HeartsHand)
            or before.game.stage is not HeartsStage.PASSING
        ):
            return ()
        new = [face for at, face in view.cards.items() if at not in before.cards]
        return [line("  passed to you: ", pretty(in_hand(new)))] if new else []

    def prompt(self, view: View) -> Text:
        """What may be done now."""
        game, seat = game_of(view), view.seat
        if game.stage is HeartsStage.PASSING:
            to = _called(view.names, game.receiver(seat))
            return line(f"  pass three cards to {to} ({game.direction.value}), such as: qs ah 2d")
        if game.stage is HeartsStage.OPENING:
            has = isinstance(opening(view), Lead)
            return line("  ", sign(TWO_OF_CLUBS), f" leads: you {'have' if has else 'do not have'} it; ok says so")
        return line("  you may play ", pretty(playable(view).values()))

    def read(self, view: View, text: str) -> Move:
        """Cards as they are read on the screen."""
        game, hand = game_of(view), {face: place for place, face in hand_of(view).items()}
        words = text.lower().replace(",", " ").split()
        if game.stage is HeartsStage.OPENING:
            return _opened(view, words)
        faces = [_typed(word) for word in words]
        for face in faces:
            if face not in hand:
                raise IllegalMove(f"{sign(face)} is not in your hand")
        if game.stage is HeartsStage.PASSING:
            if len(set(faces)) != GIVEN or len(faces) != GIVEN:
                raise IllegalMove("three different cards, please, such as: qs ah 2d")
            return Give(tuple(sorted(hand[face] for face in faces)))
        if len(faces) != 1:
            raise IllegalMove("one card, please, such as: qs")
        if faces[0] not in playable(view).values():
            raise IllegalMove(f"{sign(faces[0])} cannot be played now: {why_not(game, faces[0])}")
        return Play(hand[faces[0]])

    def sure(self, view: View, move: object) -> str:
        """Before a card that its player cannot prove to be allowed: only a program of one's own plays such."""
        place = move.place if isinstance(move, Play) else move.get("place") if isinstance(move, Mapping) else None
        face = hand_of(view).get(place) if isinstance(place, int) else None
        if game_of(view).stage is not HeartsStage.PLAYING or face is None or place in playable(view):
            return ""
        return f"{why_not(game_of(view), face)}: you could not prove otherwise, and would be out. Play {sign(face)}?"


# --- Cards and what is said of them ---


def pretty(faces: Iterable[int]) -> Line:
    """Cards for people: "A♠ K♦"."""
    spans: list[Span] = []
    for face in faces:
        spans += [Span(" ")] if spans else []
        spans.append(Span(sign(face), "red card" if suit_of(face) in (1, 2) else "card"))
    return Line(tuple(spans))


def asked_of(claim: NoneOf) -> str:
    """What somebody has to prove not to have, in words, after "no"."""
    faces = frozenset(claim.faces)
    if faces == {TWO_OF_CLUBS}:
        return sign(TWO_OF_CLUBS)
    suits = {suit_of(face) for face in faces}
    if len(suits) == 1:
        return SUIT_NAMES[suits.pop()][:-1]
    # Points in the first trick leave the queen of spades out; a heart that is led does not, unless she was played.
    return "card but hearts" if QUEEN in faces else "card that counts nothing"


def lacking(game: HeartsHand, seat: int) -> list[str]:
    """The suits of which a seat has proven to have none, by their letters, as far as cards of them are still hidden."""
    lacks = game.lacks.get(seat, frozenset())
    rest = [suit(number) - game.out for number in range(len(SUITS))]
    return [SUITS[number] for number, hidden in enumerate(rest) if hidden and hidden <= lacks]


def why_not(game: HeartsHand, face: int) -> str:
    """Why a card of a hand cannot be played, when it cannot."""
    if game.trick.led is None:
        return "no heart has been thrown yet, and you have other cards"
    if game.first and face not in PLAIN:
        return "no points in the first trick, and you have other cards"
    return f"you have {SUIT_NAMES[game.trick.led]}, which were led"


def _typed(word: str) -> int:
    """A card as it was typed. Raises `IllegalMove`."""
    short = word.upper().replace("10", "T")
    signs = {**{name.upper(): number for number, name in enumerate(SUITS)}, **{s: n for n, s in enumerate(SIGNS)}}
    if len(short) != 2 or short[0] not in RANKS or short[1] not in signs:
        raise IllegalMove(f"{word!r} is no card; the queen of spades is qs, the ten of hearts 10h")
    return 13 * signs[short[1]] + RANKS.index(short[0])


def _opened(view: View, words: list[str]) -> Move:
    truth = opening(view)
    if words in (["ok"], ["y"], ["yes"]) or (isinstance(truth, Lead) and words in (["2c"], ["2♣"])):
        return truth
    raise IllegalMove(f"who has {sign(TWO_OF_CLUBS)} leads it, and the others say that they do not have it: ok")


# --- The table ---


def _scores(game: HeartsHand, view: View) -> list[Line]:
    wide = max(len(_called(view.names, seat)) for seat in game.seats)
    told = [line(Span(f"  {'':<{wide}}  points  taken  cards", "dim"))]
    for seat in game.seats:
        who = Span(f"{_called(view.names, seat):<{wide}}", "mine" if seat == view.seat else None)
        voids = "".join(SIGNS[SUITS.index(letter)] for letter in lacking(game, seat))
        row = f"  {game.scores[seat]:>6}  {game.taken[seat]:>5}  {len(game.held.get(seat, ())):>5}"
        told.append(line("  ", who, row, f"  proven: no {voids}" if voids else ""))
    return told


def _trick(game: HeartsHand, view: View) -> list[Line]:
    if game.stage is not HeartsStage.PLAYING:
        return []
    lies = [line(f"{_called(view.names, seat)} ", pretty([face])) for seat, face in game.trick.cards]
    parts = [part for one in lies for part in (one, "   ")]
    broken = "" if game.broken else "   no heart thrown yet"
    return [line(f"  trick {len(game.tricks) + 1}   ", *(parts or ["you lead"]), Span(broken, "dim"))]


def _hand(mine: Iterable[int], may: set[int]) -> list[Line]:
    """A line for each suit; what cannot be played now is dim."""
    told: list[Line] = []
    for number in (0, 1, 3, HEARTS):
        cards = [face for face in mine if suit_of(face) == number]
        spans: list[Span | str] = [f"  {SIGNS[number]} "]
        for face in cards:
            mark: Mark = "dim" if face not in may else "red card" if number in (1, 2) else "card"
            spans += [" ", Span(sign(face), mark)]
        if cards:
            told.append(line(*spans))
    return told


def _called(names: Mapping[int, str], seat: int) -> str:
    return str(names.get(seat, seat))


def _listed(names: Mapping[int, str], seats: Sequence[int]) -> str:
    return " and ".join(_called(names, seat) for seat in seats)


def _points(count: int) -> str:
    return "one point" if count == 1 else f"{count} points"
