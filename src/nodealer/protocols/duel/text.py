"""The steps of `duel` for people. What is said of proofs holds in the proven mode; others have none."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, NOBODY_KNOWS, SAME_CARDS, StepText

STEPS: Final = {
    "assemble": StepText(
        "puts its deck together",
        "A commitment to every card of one's list, where nothing is proven: what is played must open one of them.",
    ),
    "gather": StepText(
        "gathers cards",
        "Moves cards that go back from their own keys to one new key, so that they can be shuffled. The proof shows "
        "that the cards stay what they are.",
    ),
    "shuffle": StepText(
        "shuffles",
        "Multiplies every card by one secret and changes the order. The proof shows that it is the same cards, and "
        "nothing of the order. Once both have, neither knows it.",
        "shuffled",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "arrange": StepText(
        "puts cards back",
        "Puts cards that one has looked at back in an order of one's choice. The proof shows that they are the same "
        "cards, and nothing of the order.",
    ),
    "lock": StepText(
        "gives each card a key",
        "Moves each card to a key of its own, so that one card can be drawn without the others. The proof shows that "
        "the cards stay what they are.",
    ),
    "give": StepText(
        "gives keys",
        "Gives one's keys of cards: to the other, who draws or looks at them; or of one's own cards, to show them. "
        f"{KEY_NEEDS_NO_PROOF}",
    ),
    "reveal": StepText(
        "says what cards are",
        "What one's cards are, where nothing is proven: it must open the commitments that one's list began with.",
    ),
    "take": StepText(
        "keeps a card",
        "Says from which place the card comes that one keeps. The rest is shuffled again, so the place says nothing.",
    ),
}
