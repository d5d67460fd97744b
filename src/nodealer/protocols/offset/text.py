"""The steps of `offset` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, NOBODY_KNOWS, SAME_CARDS, StepText

STEPS: Final = {
    "requestDealParts": StepText(
        "opens the deck",
        "The dealer names the players and the order in which they shuffle, and gives its part of the key of every "
        "deal. The proof shows that it knows these parts.",
    ),
    "respondDealParts": StepText(
        "joins with its key parts",
        "One's part of the key of every deal: only all parts together open one. The proof shows that one knows them.",
    ),
    "shuffle": StepText(
        "shuffles",
        "Gives every card a fresh disguise, changes the order, and hides the deck behind a secret offset. The proofs "
        "show that it is the same cards, and nothing of the order.",
        "shuffled",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "revealOffset": StepText(
        "takes its offset off",
        "The offset that one hid the deck behind, once all have shuffled. It needs no proof: it opens the commitment "
        "that came with the shuffle, or it does not.",
    ),
    "dealInitial": StepText("deals", "The dealer says which deals go to whom. That is a word, and needs no proof."),
    "dealFinal": StepText(
        "publishes key parts",
        f"One's parts of the keys of deals, for the players they go to: they alone have the last one. "
        f"{KEY_NEEDS_NO_PROOF}",
    ),
    "revealInitial": StepText(
        "opens cards", "The dealer says which deals are opened to all, with its own parts of their keys."
    ),
    "revealFinal": StepText(
        "publishes key parts",
        f"One's parts of the keys of deals that are opened, or of one's own that one shows. {KEY_NEEDS_NO_PROOF}",
    ),
}
