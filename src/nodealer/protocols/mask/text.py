"""Descriptions of the steps of `mask` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.exclusion import EXCLUDE, EXCLUDE_TEXT
from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, ORDER_UNKNOWN, SAME_CARDS, StepText

STEPS: Final = {
    "shuffle": StepText(
        "shuffles",
        "Masks every card with the player's own key and changes the order. The proof shows that the cards are the "
        "same, and reveals nothing about the order. If at least one player shuffled honestly, no one knows the "
        "order.",
        "shuffled",
        SAME_CARDS,
        ORDER_UNKNOWN,
    ),
    "reshuffle": StepText(
        "shuffles again",
        "A shuffle of returned cards, or of a deck that is being rebuilt, under keys that are already known. The "
        "proof is the same as for a shuffle.",
        "shuffled again",
        SAME_CARDS,
        ORDER_UNKNOWN,
    ),
    "rekey": StepText(
        "gives each card a key",
        "Moves each card from the player's shuffle key to a key for that card, so that one card can be dealt or "
        "opened without the others. The proof shows that the cards are unchanged.",
    ),
    "gather": StepText(
        "gathers cards",
        "Moves returned cards to one new key, so that everything published about them before becomes useless. The "
        "proof shows that the cards are unchanged.",
    ),
    "mask": StepText(
        "masks cards",
        "Masks returned cards in place, so that their old keys reveal nothing about them. The proof shows that the "
        "cards are unchanged.",
    ),
    "release": StepText(
        "publishes keys",
        "Publishes the player's keys to some cards: to another player's cards, so that only that player can read "
        f"them, or to cards on the board or their own, so that everyone can. {KEY_NEEDS_NO_PROOF}",
    ),
    "receive": StepText(
        "takes cards",
        "Publishes a new key for each card that the player is given or is shown privately. The proof shows that the "
        "player knows its secret, so no one can have a card put under someone else's key.",
    ),
    "hand": StepText(
        "hands cards over",
        "Masks the player's cards again under keys of the receiver, so that only these two know them. The proof "
        "shows that they are the cards the player held.",
        "handed cards over face down",
        "the cards they held",
    ),
    "look": StepText(
        "asks to look at cards",
        "Publishes a new key, under which the others show this player cards of the pile. The proof shows that the "
        "player knows its secret, so no one can have cards shown under someone else's key.",
    ),
    "tell": StepText(
        "shows cards to one player",
        "Publishes the player's part of the masks of some cards, under the key of the player who looks at them: only "
        "that player can read them. The cards stay under everyone's keys. The proof shows that the part is correct.",
    ),
    "arrange": StepText(
        "puts cards in order",
        "Masks the cards the player has looked at again, in an order of their choice. The proof shows that the cards "
        "are the same, and reveals nothing about the order.",
        "put them in a secret order",
        SAME_CARDS,
    ),
    "mix": StepText(
        "shuffles their hand",
        "Masks cards of the player's own hand again and changes their order, so that their places reveal nothing. "
        "The proofs show that the cards are the same, and reveal nothing about the order.",
        "reshuffled their own hand",
        SAME_CARDS,
    ),
    "join": StepText(
        "joins the new deck",
        "A player has left. Publishes a new key, under which the remaining players rebuild the deck. The proof shows "
        "that the player knows its secret.",
    ),
    "held": StepText(
        "declares their cards",
        "Masks the cards the player holds again, face down, under the joint key of the remaining players. The proof "
        "shows that they are the cards that were dealt.",
        "added their hand to the new deck, face down",
        "the cards that were dealt",
    ),
    "tag": StepText(
        "tags the cards",
        "Multiplies every card, of the new deck and of the hands, by one secret, so that a held card can be found in "
        "the deck without anyone learning its face. The proof shows that the secret was the same for all.",
    ),
    "share": StepText(
        "helps to compare the tags",
        "Removes the player's part of the masks of the tags. Two equal tags are the same card: it is in a hand, so "
        "it is taken out of the deck. The proof shows that the player removed their own key.",
    ),
    EXCLUDE: EXCLUDE_TEXT,
}
