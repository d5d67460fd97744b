"""The texts of wardens: what happened, the table, and what a person can type."""

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
from nodealer.games.wardens.view import game_of, hand_of, own_side

LETTERS: Final = "abcdefgh"


class WardensWords(Words):
    """The texts of wardens. The rival's wardens have letters, the person's own have numbers."""

    default = "end the turn"
    help = (
        line("  ", strong("p 2"), " play card 2   ", strong("p 2 b"), " play it on warden b"),
        line("  ", strong("a 1"), " warden 1 attacks your rival   ", strong("a 1 b"), " it attacks warden b"),
        line("  ", strong("b 3"), " bury card 3 for a spark, once a turn"),
        line("  ", strong("e"), " end the turn   ", strong("concede"), " give up"),
    )
    rules = (
        "  Put out your rival's light to win. Both of you start with 24.",
        "  At the start of your turn your fire grows by one, up to eight. You get that many sparks and draw a card. If "
        "your deck is empty you lose light instead: 1, then 2, then 3.",
        "  Pay a card's cost in sparks to play it. A warden (power/health) stays on the table, six at most; a rite is "
        "discarded. A card's text takes effect when you play it.",
        "  A warden attacks once a turn, but not in the turn you play it unless it is swift. It attacks your rival, "
        "who loses light equal to its power, or a warden: then each loses health equal to the other's power. A warden "
        "without health dies.",
        "  While your rival has a guard, you can attack only guards.",
        "  Once a turn you can bury a card: put it aside, face down, for one more spark.",
        "  After sixty turns the brighter light wins.",
    )

    def face(self, game: WardensGame, deck: int, face: int) -> str:
        """Return the name of a card."""
        return POOL[game.sides[deck].list[face]].name

    def looked_at(self, game: WardensGame, deck: int, face: int) -> str:
        """Describe the whole card in one line."""
        return POOL[game.sides[deck].list[face]].line

    def owner(self, game: WardensGame, opened: Opened, holder: int | None) -> int:
        """Return the seat of the card's deck, whether it was played or turned up from the pile."""
        return game.sides[opened.card.deck].seat

    def cards(self, game: WardensGame, opened: Sequence[Opened]) -> Text:
        """Describe cards that were turned up. Empty for a played card, which was named with the move."""
        play = game.playing
        if play is not None and all(_was_named(game, play, event) for event in opened):
            return ""
        return super().cards(game, opened)

    def move(self, game: WardensGame, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """Describe a move."""
        theirs = game.theirs
        match read_move(move):
            case Play(card=card, target=target):
                where = f" on {_warden_name(theirs, target)}" if target is not None else ""
                return f"plays {POOL[card].line}" + where if card < len(POOL) else "plays an unknown card"
            case Attack(place=place, target=target):
                rival = names.get(theirs.seat, "the rival")
                attacked = rival if target is None else _warden_name(theirs, target)
                return f"attacks {attacked} with {_warden_name(game.mine, place)}"
            case Bury():
                return "buries a card for a spark"
            case EndTurn():
                mine = game.mine
                return f"ends turn {game.turn} (light {mine.light} to {theirs.light})"
            case Concede():
                return "concedes"

    def changed(self, before: object, after: object, names: Mapping[int, str]) -> Sequence[str]:
        """Describe which wardens died or changed, and whose light changed."""
        if not isinstance(before, WardensGame) or not isinstance(after, WardensGame) or before.number != after.number:
            return ()
        changes = [
            text
            for was, now in zip(before.sides, after.sides, strict=True)
            for text in _changes(was, now, names.get(now.seat, str(now.seat)))
        ]
        return ("; ".join(changes),) if changes else ()

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """Describe who won, and the light that is left."""
        winner = result.get("winner")
        without_winner = "a tie" if result.get("ended") == "tied" else "no one wins"
        who = without_winner if winner is None else f"{names.get(winner, winner)} wins"
        light = ", ".join(f"{names.get(side['seat'], side['seat'])} {side['light']}" for side in result["sides"])
        return f"{who} after {result['turns']} turns; light: {light}"

    def parting(self, result: Mapping[str, Any], you: int) -> str:
        """Tell a player whether they won."""
        winner = result["winner"]
        if winner is None or all(side["seat"] != you for side in result["sides"]):
            return ""
        return "You won." if winner == you else "You lost."

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """Return the winner."""
        winner = result["winner"]
        return {"winners": "" if winner is None else str(names.get(winner, winner))}

    def table(self, view: View) -> Sequence[Line]:
        """Describe the table: the rival first, then the person, their hand last."""
        game = game_of(view)
        mine, theirs = game.mine, game.theirs
        rivals = zip(LETTERS, theirs.wardens, strict=False)
        return (
            line("  you are ", strong(view.names[mine.seat]), f"   turn {game.turn}"),
            line("  ", strong(view.names[theirs.seat]), f": {_side_line(theirs)}, fire {theirs.fire}"),
            *(line("     ", Span(letter, "rival"), " ", _warden_line(warden)) for letter, warden in rivals),
            line("  ", strong("you"), f": {_side_line(mine)}, ", strong(_sparks(mine.sparks)), f" (fire {mine.fire})"),
            *(
                line("     ", Span(str(number), "mine"), " ", _warden_line(warden), Span(_readiness(warden), "dim"))
                for number, warden in enumerate(mine.wardens, 1)
            ),
            line("  your hand" if mine.hand else "  your hand is empty"),
            *numbered([_hand_line(game, place, card) for place, card in hand_of(view).items()]),
        )

    def news(self, before: View, view: View) -> Sequence[Line]:
        """Describe the cards that the person has drawn."""
        if before.hand != view.hand:
            return ()
        new = [face for at, face in view.cards.items() if at not in before.cards]
        game, deck = game_of(view), own_side(view).deck
        return [line("  new in your hand: ", strong(self.looked_at(game, deck, face))) for face in new]

    def prompt(self, view: View) -> str:
        """List what the person can do, and why not the rest."""
        game, hand = game_of(view), hand_of(view)
        plays = [str(n) for n, (place, card) in enumerate(hand.items(), 1) if not obstacle(game, place, card)]
        ready = [str(n) for n, warden in enumerate(game.mine.wardens, 1) if warden.ready]
        may = [f"play {' '.join(plays)} (p)"] if plays else []
        may += [f"attack with {' '.join(ready)} (a)"] if ready else []
        may += ["bury (b)"] if game.mine.may_bury and hand else []
        why = [] if plays or not hand else ["you cannot play any card"]
        why += [] if ready or not game.mine.wardens else ["none of your wardens can attack"]
        why += ["you must attack guards first"] if ready and game.theirs.guards else []
        why += [] if game.mine.may_bury else ["you have already buried a card this turn"]
        return f"  your turn: {', '.join([*may, 'end (e)'])}" + "".join(f"; {reason}" for reason in why)

    def read(self, view: View, text: str) -> Move:
        """Parse a typed move, with the numbers and letters on the screen."""
        game, hand = game_of(view), list(hand_of(view).items())
        match text.lower().split():
            case ["p" | "play", card, *target] if len(target) < 2:
                place, number = hand[picked(card, len(hand), "card")]
                return Play(place, number, _parse_target(game, target))
            case ["a" | "attack", warden, *target] if len(target) < 2:
                mine = game.mine.wardens
                return Attack(mine[picked(warden, len(mine), "warden")].place, _parse_target(game, target))
            case ["b" | "bury", card]:
                return Bury(hand[picked(card, len(hand), "card")][0])
            case ["e" | "end"]:
                return EndTurn()
            case ["concede"]:
                return Concede()
        raise IllegalMove(f"{text.strip()!r} is not a move; type ? for help")


def obstacle(game: WardensGame, place: int, card: int) -> str:
    """Return why a card of the hand cannot be played now. Empty if it can."""
    printed, side = POOL[card], game.mine
    missing = printed.cost - side.sparks
    if missing > 0:
        return f"needs {_sparks(missing, 'more ')}"
    needs_target = printed.does is not None and printed.does.needs_warden
    target = next((warden.place for warden in game.theirs.wardens), None) if needs_target else None
    try:
        game.apply_move(Play(place, card, target))
    except IllegalMove as refused:
        return str(refused)
    return ""


def _hand_line(game: WardensGame, place: int, card: int) -> Line:
    """Describe a card in the hand. It is dim, with the reason, if it cannot be played now."""
    printed, why = POOL[card], obstacle(game, place, card)
    return line(Span(printed.line, "dim"), f" – {why}") if why else line(strong(printed.line))


def _sparks(count: int, more: str = "") -> str:
    """Return a number of sparks in words. `more` goes before the noun."""
    return f"{count} {more}spark{'' if count == 1 else 's'}"


def _was_named(game: WardensGame, play: Play, opened: Opened) -> bool:
    """Return whether an opened card is exactly the one that this play named."""
    side = game.sides[opened.card.deck]
    return side is game.mine and opened.card.position == play.place and side.list[opened.face] == play.card


def _changes(was: Side, now: Side, name: str) -> Iterator[str]:
    """Yield what changed on one side."""
    buried = dict(now.discards)
    for warden in was.wardens:
        after = now.warden(warden.place)
        if after is None:
            fate = "dies" if warden.place in buried else "goes back to the deck"
            yield f"{name}'s {warden.printed.name} {fate}"
        elif (after.power, after.health) != (warden.power, warden.health):
            yield f"{name}'s {warden.printed.name} is {after.power}/{after.health} now"
    if now.empty_draws > was.empty_draws:
        yield f"{name} has no cards left to draw"
    if now.light != was.light:
        yield f"{name}'s light: {was.light} → {now.light}"


def _warden_name(side: Side, place: int) -> str:
    """Return the name of the warden at a place, or "nothing"."""
    warden = side.warden(place)
    return warden.printed.name if warden is not None else "nothing"


def _parse_target(game: WardensGame, words: list[str]) -> int | None:
    """Return the place of the rival's warden with the typed letter, or None. Raise `IllegalMove` for others."""
    if not words:
        return None
    wardens = dict(zip(LETTERS, game.theirs.wardens, strict=False))
    if words[0] not in wardens:
        raise IllegalMove(f"your rival has no warden {words[0]!r}")
    return wardens[words[0]].place


def _side_line(side: Side) -> str:
    """Describe one side in one line: light, hand, deck and discards."""
    aside = [("discards", len(side.discards)), ("buried", side.buried)]
    counted = [
        ("light", side.light),
        ("hand", len(side.hand)),
        ("deck", side.pile),
        *(pair for pair in aside if pair[1]),
    ]
    return ", ".join(f"{what} {count}" for what, count in counted)


def _warden_line(warden: Warden) -> str:
    """Describe a warden in one line: name, power, health, and whether it guards."""
    return f"{warden.printed.name} {warden.power}/{warden.health}" + (" guard" if warden.printed.guard else "")


def _readiness(warden: Warden) -> str:
    """Describe whether a warden can attack this turn."""
    if warden.ready:
        return "  ready"
    return "  played this turn, or has attacked"
