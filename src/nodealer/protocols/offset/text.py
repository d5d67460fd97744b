"""Descriptions of the steps of `offset` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, ORDER_UNKNOWN, SAME_CARDS, StepText

STEPS: Final = {
    "requestDealParts": StepText(
        "opens the deck",
        "The dealer names the players and the order in which they shuffle, and contributes a part of the key of "
        "every deal. The proof shows that the dealer knows these parts.",
    ),
    "respondDealParts": StepText(
        "contributes key parts",
        "The player's part of the key of every deal: only all parts together open one. The proof shows that the "
        "player knows them.",
    ),
    "shuffle": StepText(
        "shuffles",
        "Disguises every card again, changes the order, and hides the deck behind a secret offset. The proofs show "
        "that the cards are the same, and reveal nothing about the order.",
        "shuffled",
        SAME_CARDS,
        ORDER_UNKNOWN,
    ),
    "revealOffset": StepText(
        "reveals their offset",
        "The offset that the player hid the deck behind, revealed once all have shuffled. It needs no proof: it "
        "either opens the commitment that came with the shuffle or it does not.",
    ),
    "dealInitial": StepText("deals", "The dealer says which deals go to whom. This needs no proof."),
    "dealFinal": StepText(
        "publishes key parts",
        "The player's parts of the keys of deals, for the players they go to: only the receiver has the last part. "
        f"{KEY_NEEDS_NO_PROOF}",
    ),
    "revealInitial": StepText(
        "opens cards",
        "The dealer says which deals are opened to everyone, and adds the dealer's own parts of their keys.",
    ),
    "revealFinal": StepText(
        "publishes key parts",
        "The player's parts of the keys of deals that are opened, or of their own cards that they show. "
        f"{KEY_NEEDS_NO_PROOF}",
    ),
}
