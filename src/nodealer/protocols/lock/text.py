"""The steps of `lock` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.exclusion import EXCLUDE, WORDS
from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, NOBODY_KNOWS, SAME_CARDS, StepText

STEPS: Final = {
    "commit": StepText(
        "commits itself",
        "The hash of one's part of the faces, before anybody's is seen: nobody can choose its part by the others'.",
    ),
    "fragments": StepText(
        "says its part of the faces",
        "One's part of every face, as the hash promised. A face is the sum of all parts, so nobody has chosen it. It "
        "needs no proof: everybody hashes it again.",
    ),
    "cascade": StepText(
        "shuffles",
        "Multiplies every card by one secret and changes the order. The proof shows that it is the same cards, and "
        "nothing of the order.",
        "shuffled",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "lock": StepText(
        "locks each card",
        "Moves each card from one's single secret to a secret of its own, so that one card can be dealt or opened "
        "without the others. The proof shows that the cards stay what they are.",
    ),
    "pick": StepText(
        "picks cards",
        "Says which places of the deck are opened for the table. Nobody knows what lies there, so it needs no proof.",
    ),
    "release": StepText(
        "publishes secrets",
        "Publishes one's secrets of some cards: of another player's, so that this player alone can read them; of the "
        f"table's, or one's own, so that all can. {KEY_NEEDS_NO_PROOF}",
    ),
    "held": StepText(
        "declares its cards",
        "Somebody left. Moves the cards that one holds to the secret of the new shuffle, unseen: the proof shows that "
        "they are the cards that were dealt.",
        "put a hand to the new deck, unseen",
        "the cards that were dealt",
    ),
    "raise": StepText(
        "passes cards on",
        "Multiplies the cards that others hold by one's secret of the new shuffle, so that they are found in it and "
        "taken out. The proof shows that the cards stay what they are.",
    ),
    EXCLUDE: WORDS,
}
