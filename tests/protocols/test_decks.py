"""What decks of all protocols have in common."""

from __future__ import annotations

from typing import Any

import pytest

from nodealer.cards.operations import NewDeck
from nodealer.errors import BadParameter
from nodealer.protocols import PROTOCOLS, make_protocol
from nodealer.protocols.base import Binding
from nodealer.protocols.stages import StagedDeck


def new_deck(name: str, size: int) -> Any:
    protocol = make_protocol(name)
    identities = ((0, b"a"), (1, b"b"))
    binding = Binding(name, 0, bytes(32), bytes(32), 0, (0, 1), (), protocol.group, identities)
    return protocol.new_deck(binding, 0, size, 0 if name == "duel" else None)


@pytest.mark.parametrize(("name", "lazy"), [("mask", "faces"), ("duel", "faces"), ("chain", "public")])
def test_faces_are_made_when_they_are_needed(name: str, lazy: str) -> None:
    """Asking for a deck, and asking it what is owed, costs nothing."""
    deck = new_deck(name, 1000)
    faces = getattr(deck, lazy)
    assert len(deck.duties) == 1 and deck.digest() and not {"points", "index", "lists"} & vars(faces).keys()
    with pytest.raises(BadParameter, match="busy"):
        deck.request(NewDeck(0, 1000))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_nothing_finishes_that_nobody_asked_for(name: str) -> None:
    deck = new_deck(name, 4)
    assert isinstance(deck, StagedDeck)
    with pytest.raises(BadParameter, match="no operation is in progress"):
        deck.with_fields(asked=None).finish()
