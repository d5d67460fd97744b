"""The steps of `chain` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.text import NOBODY_KNOWS, SAME_CARDS, StepText

STEPS: Final = {
    "candidate": StepText(
        "makes a deck",
        "One of several decks that the dealer makes. Which one is played is drawn by lot afterwards; all others are "
        "opened. The proof shows only that the dealer knows its key.",
    ),
    "commit": StepText(
        "puts a coin down",
        "The hash of one's coin for the lot, before anybody's is seen: nobody can choose by the others'.",
    ),
    "coin": StepText(
        "turns its coin up",
        "One's coin, as the hash promised. It needs no proof: everybody hashes it again. All coins together say "
        "which deck is played.",
    ),
    "unblind": StepText(
        "opens a deck",
        "Everything about a deck that is not played. It needs no proof: everybody makes it again and compares.",
    ),
    "shuffle": StepText(
        "shuffles",
        "Gives every card a new name, encrypts its number with one's key, and changes the order. Where shuffles are "
        "proven, the proof shows that the numbers are the same cards, and nothing of the order.",
        "shuffled",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "pass": StepText(
        "passes cards on",
        "One's part of a draw: the card's name as it was before one's shuffle, or its number without one's key. "
        "Names are checked by hashing; the proof shows that the number is the right one.",
    ),
    "reveal": StepText(
        "shows cards",
        "What cards are that one holds. The proof shows that the numbers under one's key are these cards.",
    ),
    "misdeal": StepText(
        "says that cards are none",
        "Shows cards that one got and that are no cards. The proof shows that one has read them rightly; whoever "
        "slipped them in is named.",
        "got cards that are none",
        "it has read them rightly",
    ),
}
