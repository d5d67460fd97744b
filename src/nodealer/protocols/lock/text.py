"""Descriptions of the steps of `lock` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.exclusion import EXCLUDE, EXCLUDE_TEXT
from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, ORDER_UNKNOWN, SAME_CARDS, StepText

STEPS: Final = {
    "commit": StepText(
        "commits to their part of the faces",
        "The hash of the player's part of the faces, sent before anyone's part is known, so no one can choose theirs "
        "by the others'.",
    ),
    "fragments": StepText(
        "opens their part of the faces",
        "The player's part of every face, as the hash promised. A face is the sum of all parts, so no one has chosen "
        "it. It needs no proof: everyone can hash it again.",
    ),
    "cascade": StepText(
        "shuffles",
        "Multiplies every card by one secret and changes the order. The proof shows that the cards are the same, and "
        "reveals nothing about the order.",
        "shuffled",
        SAME_CARDS,
        ORDER_UNKNOWN,
    ),
    "lock": StepText(
        "locks each card",
        "Moves each card from the player's single secret to a secret for that card, so that one card can be dealt or "
        "opened without the others. The proof shows that the cards are unchanged.",
    ),
    "pick": StepText(
        "picks cards",
        "Names the places of the deck to open for the table. No one knows which cards are there, so it needs no proof.",
    ),
    "release": StepText(
        "publishes secrets",
        "Publishes the player's secrets to some cards: to another player's cards, so that only that player can read "
        f"them, or to cards on the table or their own, so that everyone can. {KEY_NEEDS_NO_PROOF}",
    ),
    "held": StepText(
        "declares their cards",
        "A player has left. Moves the cards the player holds, face down, to the secret of the new shuffle. The proof "
        "shows that they are the cards that were dealt.",
        "added their hand to the new deck, face down",
        "the cards that were dealt",
    ),
    "raise": StepText(
        "passes cards on",
        "Multiplies the cards that others hold by the player's secret of the new shuffle, so that they can be found "
        "in the new deck and taken out. The proof shows that the cards are unchanged.",
    ),
    EXCLUDE: EXCLUDE_TEXT,
}
