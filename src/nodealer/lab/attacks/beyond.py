"""What no program here carries out: what cryptography cannot prevent, and what there is nothing to attack of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Beyond:
    """An attack of the list, and one sentence on why no program here sits at a table with it."""

    of: str
    what: str
    comes: Literal["gains nothing", "cannot be seen", "does not apply"]
    why: str
    #: The test that tries it outside of a game, where there is one.
    test: str = ""


BEYOND: Final = (
    Beyond(
        "A1",
        "the residue symbol of a card, which exponentiation keeps",
        "gains nothing",
        "cards are elements of groups of prime order: what is no square is no encoding and is refused as such, and the "
        "numbers of `chain` are squares from the beginning.",
        "group/test_modp.py::test_numbers_that_are_no_elements",
    ),
    Beyond(
        "A3",
        "small parameters",
        "does not apply",
        "no table chooses a group or the length of a number; what it may choose, such as `kappa`, has a least value.",
    ),
    Beyond(
        "A4",
        "a composite modulus that one party knows the factors of",
        "does not apply",
        "no protocol here has a modulus that somebody made: the groups are curves and the safe prime of RFC 3526.",
    ),
    Beyond(
        "A11",
        "zero as the secret of a shuffle, so that every card is the identity",
        "gains nothing",
        "no proof here opens a secret, and zero and the identity are refused where messages are read.",
        "proofs/test_cutandchoose.py::test_a_deck_of_identities_passes_without_the_zero_check",
    ),
    Beyond(
        "A18",
        "the secret of a trusted set-up, or keys of a demonstration",
        "does not apply",
        "nothing is set up in secret: every generator is hashed from a public label, and anybody can make it again.",
    ),
    Beyond(
        "A19",
        "two statements with one encoding in a transcript",
        "gains nothing",
        "every part is hashed with its kind and length before it, and the arrays of a statement have the lengths that "
        "the deck says: no boundary can be moved.",
        "proofs/test_transcript.py::test_boundaries_do_not_shift",
    ),
    Beyond(
        "A20",
        "a proof by too few repetitions",
        "does not apply",
        "no proof here is repeated: what is false passes with a chance of 2^-128. Where the dealer of `chain` makes "
        "decks the chance is one to their number at each attempt, and the claims say so.",
    ),
    Beyond(
        "A21",
        "cards that fill a deck up to a size that a proof needs",
        "does not apply",
        "the proofs are for any number of cards from two on, and nothing is filled up.",
    ),
    Beyond(
        "A22",
        "an error of the arithmetic that hides a failed check",
        "gains nothing",
        "it is no attack but a bug: two implementations are held against each other, and every element of a proof is "
        "set to zero, one and the identity in the tests.",
        "proofs/test_shuffle.py::test_each_element_of_the_proof_set_to_something_special",
    ),
    Beyond(
        "A24",
        "only some players shuffle, and all of them are friends",
        "does not apply",
        "every seat that is dealt in shuffles, so that one honest seat is enough: if all others are friends, they "
        "still know nothing of the honest seat's cards.",
    ),
    Beyond(
        "A31",
        "the time that a secret operation takes, or what it leaves in a shared cache",
        "cannot be seen",
        "the native core computes with secrets in constant time, and docs/threats.md says what was measured and what "
        "the slow reference does not promise.",
    ),
    Beyond(
        "A47",
        "when a card was drawn, how long somebody thought, which place of a hand was played",
        "cannot be seen",
        "whoever is at the table or carries its frames sees when something is said; the order of one's own hand can be "
        "hidden by shuffling it, where the game has that, and nothing hides time.",
    ),
    Beyond(
        "A50",
        "players who tell each other their cards, one person in two seats, bots",
        "cannot be seen",
        "what people say to each other outside the table is in no log: sit down where you would believe that more than "
        "half are different people.",
    ),
)
