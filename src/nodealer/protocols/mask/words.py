"""The steps of `mask` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.words import KEY_NEEDS_NO_PROOF, NOBODY_KNOWS, SAME_CARDS, StepWords

STEPS: Final = {
    "shuffle": StepWords(
        "shuffles",
        "Masks every card with a key of one's own and changes the order. The proof shows that it is the same cards, "
        "and nothing of the order. Who has shuffled honestly knows that nobody knows the order.",
        "shuffled",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "reshuffle": StepWords(
        "shuffles again",
        "A shuffle of cards that came back, under keys that are known already. The proof is that of a shuffle.",
        "shuffled again",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "rekey": StepWords(
        "gives each card a key",
        "Moves each card from one's shuffle key to a key of its own, so that one card can be dealt or opened without "
        "the others. The proof shows that the cards stay what they are.",
    ),
    "gather": StepWords(
        "gathers cards",
        "Moves cards that go back to one new key, so that what was published about them says nothing any more. The "
        "proof shows that the cards stay what they are.",
    ),
    "mask": StepWords(
        "masks cards",
        "Masks cards that go back as they lie, so that their old keys say nothing about them. The proof shows that the "
        "cards stay what they are.",
    ),
    "release": StepWords(
        "publishes keys",
        "Publishes one's keys of some cards: of another player's, so that this player alone can read them; of the "
        f"board's, or one's own, so that all can. {KEY_NEEDS_NO_PROOF}",
    ),
}
