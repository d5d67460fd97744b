"""Descriptions of the steps of `duel` for people. Remarks about proofs apply to the proven mode; others have none."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, ORDER_UNKNOWN, SAME_CARDS, StepText

STEPS: Final = {
    "assemble": StepText(
        "assembles their deck",
        "A commitment to every card of the player's list, if nothing is proven: a played card must open one of them.",
    ),
    "gather": StepText(
        "gathers cards",
        "Moves returned cards from their own keys to one new key, so that they can be shuffled. The proof shows that "
        "the cards are unchanged.",
    ),
    "shuffle": StepText(
        "shuffles",
        "Multiplies every card by one secret and changes the order. The proof shows that the cards are the same, and "
        "reveals nothing about the order. Once both players have shuffled, neither knows it.",
        "shuffled",
        SAME_CARDS,
        ORDER_UNKNOWN,
    ),
    "arrange": StepText(
        "puts cards back",
        "Puts cards the player has looked at back in an order of their choice. The proof shows that the cards are "
        "the same, and reveals nothing about the order.",
    ),
    "lock": StepText(
        "gives each card a key",
        "Moves each card to a key of its own, so that one card can be drawn without the others. The proof shows that "
        "the cards are unchanged.",
    ),
    "give": StepText(
        "gives keys",
        "Publishes the player's keys to cards that the other player draws or looks at, or to their own cards, to "
        f"show them. {KEY_NEEDS_NO_PROOF}",
    ),
    "reveal": StepText(
        "reveals cards",
        "The player's cards, if nothing is proven: they must open the commitments made at the start.",
    ),
    "take": StepText(
        "keeps a card",
        "Names the place of the card that the player keeps. The rest is shuffled again, so the place reveals nothing.",
    ),
}
