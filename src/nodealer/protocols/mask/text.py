"""The steps of `mask` for people."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.exclusion import EXCLUDE, WORDS
from nodealer.protocols.text import KEY_NEEDS_NO_PROOF, NOBODY_KNOWS, SAME_CARDS, StepText

STEPS: Final = {
    "shuffle": StepText(
        "shuffles",
        "Masks every card with a key of one's own and changes the order. The proof shows that it is the same cards, "
        "and nothing of the order. Who has shuffled honestly knows that nobody knows the order.",
        "shuffled",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "reshuffle": StepText(
        "shuffles again",
        "A shuffle of cards that came back, or of a deck that is rebuilt, under keys that are known already. The proof "
        "is that of a shuffle.",
        "shuffled again",
        SAME_CARDS,
        NOBODY_KNOWS,
    ),
    "rekey": StepText(
        "gives each card a key",
        "Moves each card from one's shuffle key to a key of its own, so that one card can be dealt or opened without "
        "the others. The proof shows that the cards stay what they are.",
    ),
    "gather": StepText(
        "gathers cards",
        "Moves cards that go back to one new key, so that what was published about them says nothing any more. The "
        "proof shows that the cards stay what they are.",
    ),
    "mask": StepText(
        "masks cards",
        "Masks cards that go back as they lie, so that their old keys say nothing about them. The proof shows that the "
        "cards stay what they are.",
    ),
    "release": StepText(
        "publishes keys",
        "Publishes one's keys of some cards: of another player's, so that this player alone can read them; of the "
        f"board's, or one's own, so that all can. {KEY_NEEDS_NO_PROOF}",
    ),
    "receive": StepText(
        "takes cards",
        "Publishes a new key for each card that one is given, or is shown alone. The proof shows that one knows its "
        "secret: nobody can have a card put under another's key.",
    ),
    "hand": StepText(
        "hands cards over",
        "Masks cards of one's own anew, under keys of who gets them, so that these two alone know them. The proof "
        "shows that they are the cards that one held.",
        "handed cards over, unseen",
        "the cards that were held",
    ),
    "look": StepText(
        "asks to look at cards",
        "Publishes a new key, under which the others show one cards of the pile. The proof shows that one knows its "
        "secret: nobody can have cards shown under another's key.",
    ),
    "tell": StepText(
        "shows cards to one player",
        "Publishes one's part of the masks of some cards, under the key of who looks at them: this player alone can "
        "read them. The cards stay under everybody's keys. The proof shows that it is one's part.",
    ),
    "arrange": StepText(
        "puts cards in order",
        "Masks the cards that one has looked at anew, in an order of one's own. The proof shows that they are the same "
        "cards, and nothing of the order.",
        "put them in a secret order",
        SAME_CARDS,
    ),
    "mix": StepText(
        "shuffles its hand",
        "Masks cards of one's own hand anew and changes their order, so that their places say nothing of them. The "
        "proofs show that they are the same cards, and nothing of the order.",
        "has shuffled its own hand",
        SAME_CARDS,
    ),
    "join": StepText(
        "joins the new deck",
        "Somebody left. Publishes a new key, which the deck is rebuilt under by those who stay. The proof shows that "
        "one knows its secret.",
    ),
    "held": StepText(
        "declares its cards",
        "Masks the cards that one holds anew, unseen, under the key of all who stay: the proof shows that they are the "
        "cards that were dealt.",
        "put a hand to the new deck, unseen",
        "the cards that were dealt",
    ),
    "tag": StepText(
        "tags the cards",
        "Multiplies every card, of the new deck and of the hands, by one secret, so that a held card can be found in "
        "the deck and nobody can say which face it is. The proof shows that it was one secret for all.",
    ),
    "share": StepText(
        "helps to compare the tags",
        "Takes one's part off the masks of the tags. Equal tags are one card: it is in a hand, and is taken out of the "
        "deck. The proof shows that it was one's own key that was taken off.",
    ),
    EXCLUDE: WORDS,
}
