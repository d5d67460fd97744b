"""The pool of legal cards: four courts of sixteen cards, and a ready-made deck of thirty for each."""

from __future__ import annotations

from typing import Final

from nodealer.games.wardens.cards import Does, Printed

D = Does


def _ember(name: str, cost: int, power: int = 0, health: int = 0, **more: bool | Does | int) -> Printed:
    """Return a card of the court of Ember."""
    return Printed(name, "ember", cost, power, health, **more)  # type: ignore[arg-type]


def _tide(name: str, cost: int, power: int = 0, health: int = 0, **more: bool | Does | int) -> Printed:
    """Return a card of the court of Tide."""
    return Printed(name, "tide", cost, power, health, **more)  # type: ignore[arg-type]


def _root(name: str, cost: int, power: int = 0, health: int = 0, **more: bool | Does | int) -> Printed:
    """Return a card of the court of Root."""
    return Printed(name, "root", cost, power, health, **more)  # type: ignore[arg-type]


def _veil(name: str, cost: int, power: int = 0, health: int = 0, **more: bool | Does | int) -> Printed:
    """Return a card of the court of Veil."""
    return Printed(name, "veil", cost, power, health, **more)  # type: ignore[arg-type]


#: A card's number is its index here, so new cards go to the end.
POOL: Final[tuple[Printed, ...]] = (
    # Ember: quick, and in a hurry.
    _ember("Cinder Pup", 1, 2, 1),
    _ember("Spark Courier", 1, 1, 1, swift=True),
    _ember("Kiln Apprentice", 2, 2, 2, does=D.BURN, n=1),
    _ember("Ash Runner", 2, 2, 1, swift=True),
    _ember("Soot Sentry", 2, 2, 3),
    _ember("Bellows Ogre", 3, 4, 3),
    _ember("Brand Dancer", 3, 3, 2, swift=True),
    _ember("Glasswright", 3, 2, 3, does=D.DRAW, n=1),
    _ember("Furnace Hound", 4, 5, 3),
    _ember("Char Marshal", 4, 3, 4, does=D.RALLY, n=1),
    _ember("Slag Colossus", 5, 5, 6),
    _ember("Sunspill Drake", 6, 5, 5, swift=True),
    _ember("Flick of Flame", 1, does=D.STRIKE, n=2),
    _ember("Long Burn", 2, does=D.BURN, n=3),
    _ember("Scatter Embers", 3, does=D.SEAR, n=2),
    _ember("Call the Forge", 2, does=D.SEARCH),
    # Tide: patient, takes things away.
    _tide("Brine Sprite", 1, 1, 2),
    _tide("Pearl Diver", 2, 2, 2, does=D.SCRY, n=2),
    _tide("Reef Warden", 2, 1, 4, guard=True),
    _tide("Harbour Clerk", 2, 1, 3, does=D.SCRY, n=3),
    _tide("Net Caster", 3, 3, 3, does=D.MILL, n=2),
    _tide("Salt Widow", 3, 3, 4),
    _tide("Undertow Eel", 3, 4, 2),
    _tide("Bell Diver", 4, 3, 4, does=D.DRAW, n=1),
    _tide("Breakwater", 4, 2, 7, guard=True),
    _tide("Fog Pilot", 4, 3, 4, does=D.SCRY, n=3),
    _tide("Storm Matron", 5, 4, 4, does=D.SEAR, n=1),
    _tide("Old Leviathan", 7, 7, 8),
    _tide("Ebb", 2, does=D.LIFT),
    _tide("Drag Under", 4, does=D.SINK),
    _tide("Sounding", 2, does=D.DRAW, n=2),
    _tide("Chart Room", 3, does=D.SEARCH),
    # Root: slow, large, hard to kill.
    _root("Seed Bearer", 1, 1, 1, does=D.MEND, n=1),
    _root("Moss Hare", 1, 1, 2),
    _root("Bramble Guard", 2, 2, 3, guard=True),
    _root("Grove Tender", 2, 2, 2, does=D.MEND, n=2),
    _root("Bark Walker", 3, 3, 4),
    _root("Honey Thief", 3, 3, 2, does=D.DRAW, n=1),
    _root("Thornback", 3, 2, 5, guard=True),
    _root("Antler Sage", 4, 3, 4, does=D.SEARCH),
    _root("Hollow Oak", 4, 3, 6),
    _root("Stag of Noon", 5, 5, 5),
    _root("Canopy Keeper", 5, 4, 6, guard=True),
    _root("Mother Mycel", 6, 5, 7, does=D.RECLAIM, n=5),
    _root("Mountain That Walks", 8, 9, 9),
    _root("Deep Breath", 2, does=D.MEND, n=5),
    _root("Compost", 2, does=D.RECLAIM, n=6),
    _root("Strangle Vine", 3, does=D.STRIKE, n=4),
    # Veil: knows more than it says.
    _veil("Moth Page", 1, 1, 1, does=D.SCRY, n=2),
    _veil("Candle Thief", 1, 2, 1),
    _veil("Whisper Cat", 2, 2, 2, swift=True),
    _veil("Mask Maker", 2, 3, 3),
    _veil("Ledger Ghost", 2, 2, 2, does=D.MILL, n=2),
    _veil("Gutter Oracle", 3, 2, 3, does=D.SCRY, n=4),
    _veil("Paper Duelist", 3, 4, 2, swift=True),
    _veil("Hush Warden", 3, 2, 4, guard=True),
    _veil("Velvet Judge", 4, 4, 5),
    _veil("Crow Broker", 4, 3, 3, does=D.SEARCH),
    _veil("Nightjar", 5, 5, 4, swift=True),
    _veil("The Second Moon", 6, 6, 6, does=D.DRAW, n=1),
    _veil("Needle", 1, does=D.STRIKE, n=1),
    _veil("Erase", 4, does=D.SINK),
    _veil("Burn the Archive", 2, does=D.MILL, n=4),
    _veil("Inside Word", 2, does=D.SEARCH),
)

COURTS: Final = ("ember", "tide", "root", "veil")
DECK_MIN, DECK_MAX, COPIES_MAX = 20, 60, 3
#: How many of its sixteen cards a court's deck contains twice; it contains the others once.
_TWICE: Final = 14


def court_deck(court: str) -> tuple[int, ...]:
    """Return a court's ready-made deck: thirty cards, the two most expensive once, all others twice."""
    numbers = sorted((n for n, card in enumerate(POOL) if card.court == court), key=lambda n: (POOL[n].cost, n))
    return tuple(sorted([*numbers, *numbers[:_TWICE]]))
