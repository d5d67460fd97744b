"""The texts of the free table: what its players request."""

from __future__ import annotations

from collections.abc import Mapping

from nodealer.errors import IllegalMove
from nodealer.games.free.rules import (
    DealCards,
    Finish,
    FreeHand,
    GiveBack,
    Insert,
    LookAt,
    MixHand,
    OpenCards,
    PassOn,
    ProveCards,
    PutAway,
    Roll,
    SealAll,
    ShowCards,
    ShowToOne,
    Shuffle,
    UnsealAll,
    read_move,
)
from nodealer.games.text import Words, cards_in_words


class FreeWords(Words):
    """Texts for reading a log. No one types moves here: programs make the requests and know what they mean."""

    def face(self, game: FreeHand, deck: int, face: int) -> str:
        """Return what the players agreed is printed on the face."""
        return str(game.face(deck, face))

    def move(self, game: FreeHand, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """Describe a request."""
        try:
            made = read_move(move)
        except IllegalMove:
            return "makes an invalid request"
        match made:
            case Shuffle(deck=deck, cards=cards):
                return f"asks for deck {deck}, {cards} cards"
            case DealCards(portions=portions):
                return "asks to deal: " + ", ".join(f"{names.get(to, to)} {count}" for to, count in portions)
            case OpenCards(count=count):
                return f"asks to open {count}"
            case ShowCards(positions=positions):
                return f"shows {len(positions)}"
            case ShowToOne(positions=positions, to=to):
                return f"shows {len(positions)} only to {names.get(to, to)}"
            case PassOn(positions=positions, to=to):
                return f"passes {len(positions)} on to {names.get(to, to)}"
            case Insert(positions=positions, depth=depth):
                return f"puts {len(positions)} back below the top {depth} of the deck"
            case LookAt(count=count, then=then):
                return f"asks to look at {count} ({then})"
            case MixHand(positions=positions):
                return f"shuffles {len(positions)} of their cards"
            case ProveCards(positions=positions):
                return f"offers a proof about {cards_in_words(len(positions))}"
            case GiveBack(positions=positions, place=place):
                return f"gives back {len(positions)} ({place})"
            case Roll(sides=sides):
                return f"asks to roll {len(sides)}: {' '.join(f'1 of {count}' for count in sides[:8])}"
            case SealAll(seats=seats):
                return f"asks {', '.join(str(names.get(seat, seat)) for seat in seats) or 'everyone'} to seal a value"
            case UnsealAll():
                return "asks to open the sealed values"
            case PutAway(deck=deck):
                return f"puts deck {deck} away"
            case Finish():
                return "ends the hand"
