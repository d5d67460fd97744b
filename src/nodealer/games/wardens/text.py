"""Wardens in words: what happens, the table as a person sees it, and what a person may type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nodealer.cards.events import Opened
from nodealer.errors import IllegalMove
from nodealer.games.text import Line, Span, Text, Words, line, numbered, picked, strong
from nodealer.games.view import View
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.moves import Attack, Bury, Concede, EndTurn, Move, Play, read_move
from nodealer.games.wardens.pool import POOL
from nodealer.games.wardens.side import Side, Warden
from nodealer.games.wardens.view import game_of, hand_of, mine_of

LETTERS: Final = "abcdefgh"


class WardensWords(Words):
    """The rival has letters, oneself has numbers."""

    default = "end the turn"
    help = (
        line("  ", strong("p 2"), " play card 2   ", strong("p 2 b"), " play it on warden b"),
        line("  ", strong("a 1"), " warden 1 attacks the rival   ", strong("a 1 b"), " warden b"),
        line("  ", strong("b 3"), " bury card 3 for a spark, once a turn"),
        line("  ", strong("e"), " end the turn   ", strong("concede"), " give up"),
    )
    rules = (
        "  Who puts the other's light out wins. Both begin with 24.",
        "  In your turn your fire grows by one, up to eight; you get as many sparks, and draw a card. With no card "
        "left to draw you lose light: 1, then 2, then 3.",
        "  Play a card for its cost in sparks. A warden (power/health) stays on the table, six at most; a rite happens "
        "and is gone. What a card says happens when it is played.",
        "  A warden attacks once a turn, not in the turn it comes unless it is swift: the rival, who loses light equal "
        "to its power, or a warden; then both lose health equal to the other's power. Without health it dies.",
        "  While the rival has a guard, only guards can be attacked.",
        "  Once a turn you can bury a card: lay it aside, face down, for one more spark.",
        "  After sixty turns the brighter light wins.",
    )

    def face(self, game: WardensGame, deck: int, face: int) -> str:
        """The name of a card."""
        return POOL[game.sides[deck].list[face]].name

    def looked_at(self, game: WardensGame, deck: int, face: int) -> str:
        """The whole card."""
        return POOL[game.sides[deck].list[face]].line

    def owner(self, game: WardensGame, opened: Opened, holder: int | None) -> int:
        """Every card has an owner, whether it was played or turned up from the pile."""
        return game.sides[opened.card.deck].seat

    def cards(self, game: WardensGame, opened: Sequence[Opened]) -> Text:
        """Cards that were turned up. One that is played was named with the move."""
        play = game.playing
        if play is not None and all(_is_said(game, play, event) for event in opened):
            return ""
        return super().cards(game, opened)

    def move(self, game: WardensGame, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """A move in words."""
        theirs = game.theirs
        match read_move(move):
            case Play(card=card, target=target):
                where = f" on {_name(theirs, target)}" if target is not None else ""
                return f"plays {POOL[card].line}" + where if card < len(POOL) else "plays a card that is none"
            case Attack(place=place, target=target):
                rival = names.get(theirs.seat, "the rival")
                return f"lets {_name(game.mine, place)} attack {rival if target is None else _name(theirs, target)}"
            case Bury():
                return "buries a card for a spark"
            case EndTurn():
                mine = game.mine
                return f"ends turn {game.turn} (light {mine.light} against {theirs.light})"
            case Concede():
                return "concedes"

    def changed(self, before: object, after: object, names: Mapping[int, str]) -> Sequence[str]:
        """Who died, who was hurt, and whose light changed."""
        if not isinstance(before, WardensGame) or not isinstance(after, WardensGame) or before.number != after.number:
            return ()
        told = [
            text
            for was, now in zip(before.sides, after.sides, strict=True)
            for text in _changes(was, now, names.get(now.seat, str(now.seat)))
        ]
        return ("; ".join(told),) if told else ()

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """Who won, and the light that is left."""
        winner = result.get("winner")
        nobody = "a tie" if result.get("ended") == "tied" else "nobody wins"
        who = nobody if winner is None else f"{names.get(winner, winner)} wins"
        light = ", ".join(f"{names.get(side['seat'], side['seat'])} {side['light']}" for side in result["sides"])
        return f"{who} after {result['turns']} turns; light: {light}"

    def parting(self, result: Mapping[str, Any], you: int) -> str:
        """Who has won knows it."""
        winner = result["winner"]
        if winner is None or all(side["seat"] != you for side in result["sides"]):
            return ""
        return "You have won." if winner == you else "You have lost."

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """Who won."""
        winner = result["winner"]
        return {"winners": "" if winner is None else str(names.get(winner, winner))}

    def table(self, view: View) -> Sequence[Line]:
        """The rival above, oneself below, the hand last."""
        game = game_of(view)
        mine, theirs = game.mine, game.theirs
        rivals = zip(LETTERS, theirs.wardens, strict=False)
        return (
            line("  you are ", strong(view.names[mine.seat]), f"   turn {game.turn}"),
            line("  ", strong(view.names[theirs.seat]), f": {_line(theirs)}, fire {theirs.fire}"),
            *(line("     ", Span(letter, "rival"), " ", _warden(warden)) for letter, warden in rivals),
            line("  ", strong("you"), f": {_line(mine)}, ", strong(_sparks(mine.sparks)), f" (fire {mine.fire})"),
            *(
                line("     ", Span(str(number), "mine"), " ", _warden(warden), Span(_state(warden), "dim"))
                for number, warden in enumerate(mine.wardens, 1)
            ),
            line("  your hand" if mine.hand else "  your hand is empty"),
            *numbered([_in_hand(game, place, card) for place, card in hand_of(view).items()]),
        )

    def news(self, before: View, view: View) -> Sequence[Line]:
        """Cards that have come to the hand."""
        if before.hand != view.hand:
            return ()
        new = [face for at, face in view.cards.items() if at not in before.cards]
        game, deck = game_of(view), mine_of(view).deck
        return [line("  new in your hand: ", strong(self.looked_at(game, deck, face))) for face in new]

    def prompt(self, view: View) -> str:
        """What may be done, and why not the rest."""
        game, hand = game_of(view), hand_of(view)
        plays = [str(n) for n, (place, card) in enumerate(hand.items(), 1) if not obstacle(game, place, card)]
        ready = [str(n) for n, warden in enumerate(game.mine.wardens, 1) if warden.ready]
        may = [f"play {' '.join(plays)} (p)"] if plays else []
        may += [f"attack with {' '.join(ready)} (a)"] if ready else []
        may += ["bury (b)"] if game.mine.may_bury and hand else []
        why = [] if plays or not hand else ["no card can be played"]
        why += [] if ready or not game.mine.wardens else ["no warden of yours can attack"]
        why += ["guards have to be attacked first"] if ready and game.theirs.guards else []
        why += [] if game.mine.may_bury else ["you have buried this turn"]
        return f"  you may: {', '.join([*may, 'end (e)'])}" + "".join(f"; {reason}" for reason in why)

    def read(self, view: View, text: str) -> Move:
        """A move, from the numbers and letters on the screen."""
        game, hand = game_of(view), list(hand_of(view).items())
        match text.lower().split():
            case ["p" | "play", card, *target] if len(target) < 2:
                place, number = hand[picked(card, len(hand), "card")]
                return Play(place, number, _target(game, target))
            case ["a" | "attack", warden, *target] if len(target) < 2:
                mine = game.mine.wardens
                return Attack(mine[picked(warden, len(mine), "warden")].place, _target(game, target))
            case ["b" | "bury", card]:
                return Bury(hand[picked(card, len(hand), "card")][0])
            case ["e" | "end"]:
                return EndTurn()
            case ["concede"]:
                return Concede()
        raise IllegalMove(f"{text.strip()!r} is not a move here; ? lists them")


def obstacle(game: WardensGame, place: int, card: int) -> str:
    """Why a card of the hand cannot be played now; empty where it can."""
    printed, side = POOL[card], game.mine
    missing = printed.cost - side.sparks
    if missing > 0:
        return f"needs {_sparks(missing, 'more ')}"
    needs_target = printed.does is not None and printed.does.needs_warden
    target = next((warden.place for warden in game.theirs.wardens), None) if needs_target else None
    try:
        game.made(Play(place, card, target))
    except IllegalMove as refused:
        return str(refused)
    return ""


def _in_hand(game: WardensGame, place: int, card: int) -> Line:
    printed, why = POOL[card], obstacle(game, place, card)
    return line(Span(printed.line, "dim"), f" – {why}") if why else line(strong(printed.line))


def _sparks(count: int, more: str = "") -> str:
    return f"{count} {more}spark{'' if count == 1 else 's'}"


def _is_said(game: WardensGame, play: Play, opened: Opened) -> bool:
    side = game.sides[opened.card.deck]
    return side is game.mine and opened.card.position == play.place and side.list[opened.face] == play.card


def _changes(was: Side, now: Side, name: str) -> Iterator[str]:
    """What became of one side."""
    buried = dict(now.discards)
    for warden in was.wardens:
        after = now.warden(warden.place)
        if after is None:
            fate = "dies" if warden.place in buried else "goes back to the deck"
            yield f"{name}'s {warden.printed.name} {fate}"
        elif (after.power, after.health) != (warden.power, warden.health):
            yield f"{name}'s {warden.printed.name} is {after.power}/{after.health} now"
    if now.empty_draws > was.empty_draws:
        yield f"{name} has no card left to draw"
    if now.light != was.light:
        yield f"{name}'s light: {was.light} to {now.light}"


def _name(side: Side, place: int) -> str:
    warden = side.warden(place)
    return warden.printed.name if warden is not None else "nothing"


def _target(game: WardensGame, words: list[str]) -> int | None:
    if not words:
        return None
    wardens = dict(zip(LETTERS, game.theirs.wardens, strict=False))
    if words[0] not in wardens:
        raise IllegalMove(f"there is no warden {words[0]!r} of the rival")
    return wardens[words[0]].place


def _line(side: Side) -> str:
    aside = [("discards", len(side.discards)), ("buried", side.buried)]
    counted = [
        ("light", side.light),
        ("hand", len(side.hand)),
        ("deck", side.pile),
        *(pair for pair in aside if pair[1]),
    ]
    return ", ".join(f"{what} {count}" for what, count in counted)


def _warden(warden: Warden) -> str:
    return f"{warden.printed.name} {warden.power}/{warden.health}" + (" guard" if warden.printed.guard else "")


def _state(warden: Warden) -> str:
    if warden.ready:
        return "  ready"
    return "  came this turn, or has attacked"
