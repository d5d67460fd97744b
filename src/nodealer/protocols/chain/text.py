"""Descriptions of the steps of `chain` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.text import ORDER_UNKNOWN, SAME_CARDS, StepText

STEPS: Final = {
    "candidate": StepText(
        "makes a deck",
        "One of several decks that the dealer makes. A joint coin toss then picks the one that is played; all others "
        "are opened. The proof only shows that the dealer knows its key.",
    ),
    "commit": StepText(
        "commits to a coin",
        "The hash of the player's coin, sent before anyone's coin is known, so no one can choose theirs by the "
        "others'.",
    ),
    "coin": StepText(
        "opens their coin",
        "The player's coin, as the hash promised. It needs no proof: everyone can hash it again. All coins together "
        "decide which deck is played.",
    ),
    "unblind": StepText(
        "opens a deck",
        "Everything about a deck that is not played. It needs no proof: everyone can recompute and compare it.",
    ),
    "shuffle": StepText(
        "shuffles",
        "Gives every card a new name, encrypts its number with the player's key, and changes the order. If shuffles "
        "are proven, the proof shows that the numbers are the same cards, and reveals nothing about the order.",
        "shuffled",
        SAME_CARDS,
        ORDER_UNKNOWN,
    ),
    "pass": StepText(
        "passes cards on",
        "The player's part of a draw: the card's name before their shuffle, or its number without their key. Names "
        "are checked by hashing; the proof shows that the number is the right one.",
    ),
    "reveal": StepText(
        "shows cards",
        "The faces of cards that the player holds. The proof shows that the numbers under the player's key are these "
        "cards.",
    ),
    "misdeal": StepText(
        "reports a misdeal",
        "Shows that cards the player got are not cards of the deck. The proof shows that the player has read them "
        "correctly. The player who slipped them in is named.",
        "got cards that are not in the deck",
        "they read them correctly",
    ),
}
