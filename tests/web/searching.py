"""The collectible game with lists in which three of four cards search: whoever holds six cards holds a search."""

from __future__ import annotations

from dataclasses import replace

from nodealer.games.wardens.cards import Does
from nodealer.games.wardens.package import GAME as WARDENS
from nodealer.games.wardens.pool import COPIES_MAX, DECK_MIN, POOL
from nodealer.games.wardens.rules import WardensRules

SEARCHES = [number for number, card in enumerate(POOL) if card.does is Does.SEARCH]
LIST = tuple(sorted((SEARCHES * COPIES_MAX + [0] * COPIES_MAX + [1] * COPIES_MAX)[:DECK_MIN]))
GAME = replace(WARDENS, from_settings=lambda settings: WardensRules((LIST, LIST)))
