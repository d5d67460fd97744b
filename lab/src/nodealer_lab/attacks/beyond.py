"""What no program here carries out: what cryptography cannot prevent, and what there is nothing to attack of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Beyond:
    """An attack that was thought of, its number in the list where it has one, and one sentence on why no program here
    sits at a table with it."""

    of: str
    what: str
    comes: Literal["gains nothing", "cannot be seen", "does not apply"]
    why: str
    #: The test that tries it outside of a game, where there is one.
    test: str = ""
    #: The protocols that it is about; none for all.
    only: tuple[str, ...] = ()


BEYOND: Final = (
    Beyond(
        "A3",
        "a small group, or short numbers",
        "does not apply",
        "no table chooses a group or the length of a number; what it may choose has a least value (`no-openings`).",
    ),
    Beyond(
        "A4",
        "a composite modulus that one party knows the factors of",
        "does not apply",
        "no protocol here has a modulus that somebody made: the groups are curves and the safe prime of RFC 3526.",
    ),
    Beyond(
        "A11",
        "zero in a proof by cut-and-choose, so that whatever is opened passes",
        "does not apply",
        "no proof here opens a secret, and where the dealer of `chain` opens decks zero is refused; what it does to a "
        "deck that is made again is tried (`zero`).",
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
        "two statements of a proof with one encoding in its transcript",
        "gains nothing",
        "every part is hashed with its kind and length before it, and the arrays of a statement have the lengths that "
        "the deck says: no boundary can be moved. Where somebody chooses both parts, it is tried (`two-bids`).",
        "proofs/test_transcript.py::test_boundaries_do_not_shift",
    ),
    Beyond(
        "A20",
        "a proof by too few repetitions",
        "does not apply",
        "no proof here is repeated: what is false passes with a chance of 2^-128. Where the dealer of `chain` makes "
        "decks the chance is one to their number at each attempt, and there are two at least (`no-openings`).",
    ),
    Beyond(
        "A21",
        "cards that fill a deck up to a size that a proof needs",
        "does not apply",
        "the proofs are for any number of cards from two on, and nothing is filled up; a place that is not in the "
        "deck, or not the seat's to name, is tried (`another-place`).",
    ),
    Beyond(
        "A22",
        "an error of the arithmetic that hides a failed check",
        "gains nothing",
        "it is no attack but a bug: two implementations are held against each other, and every element of a proof is "
        "set to zero, one and the identity in the tests. What the identity would do is tried (`fits-all`, `no-words`).",
        "proofs/test_shuffle.py::test_each_element_of_the_proof_set_to_something_special",
    ),
    Beyond(
        "A31",
        "the time that a secret operation takes, or what it leaves in a shared cache",
        "cannot be seen",
        "the native core computes with secrets in constant time, and docs/internals/threats.md says what was "
        "measured and what the slow reference does not promise.",
    ),
    Beyond(
        "A47",
        "how long somebody thought",
        "cannot be seen",
        "whoever is at the table or carries its frames sees when something is said, and nothing hides time. What "
        "places and lengths tell is tried (`drawn-when`, `followed`, `sizes`).",
    ),
    Beyond(
        "A50",
        "a program that plays for somebody",
        "cannot be seen",
        "a move does not say who thought of it. Friends, and one person in two seats, are tried (`told-outside`, "
        "`two-seats`): sit down where you would believe that more than half are different people.",
    ),
    Beyond(
        "–",
        "the arrays of the source's recovery, with factors in them that somebody knows again",
        "gains nothing",
        "there are no arrays here: all faces go through one proven cascade, and nobody answers for cards of which a "
        "proof is missing (`early`). The source's own form is in the tests.",
        "protocols/lock/test_source_recovery.py::test_known_factors_read_everything",
        only=("lock",),
    ),
    Beyond(
        "–",
        "the same, with an own card put back and another taken out",
        "gains nothing",
        "who holds a card proves what it declares (`held`, `tag`).",
        "protocols/lock/test_source_recovery.py::test_own_card_put_back_and_another_taken_out",
        only=("lock",),
    ),
    Beyond(
        "–",
        "the same, in an order that nobody changes",
        "gains nothing",
        "every seat that stays shuffles the cascade, and one that does is enough (`lazy`).",
        "protocols/lock/test_source_recovery.py::test_without_permuting_all_is_read",
        only=("lock",),
    ),
    Beyond(
        "–",
        "a card doubled or marked in a game against the npm package `mental-poker`",
        "cannot be seen",
        "that package proves nothing and looks at nothing: such a game is compatible, not proven. Our own seats name "
        "the culprit when all keys are open.",
        "npm/test_cheats.py::test_the_package_does_not_see_marked_cards",
        only=("lock",),
    ),
    Beyond(
        "–",
        "a deck that is published between adding a key and masking, so that it decrypts for who made it",
        "does not apply",
        "key, masks and order are one step with one proof, and nothing that is published is a secret times a point "
        "that somebody chose.",
        "protocols/mask/test_secrecy.py::test_nothing_published_is_a_secret_times_an_epk",
        only=("mask",),
    ),
    Beyond(
        "–",
        "a mask that is taken off when a card gets its own key, which bares the face",
        "does not apply",
        "a card keeps its mask until it is opened to all.",
        "protocols/mask/test_secrecy.py::test_rekey_of_a_card_with_one_key_is_not_the_bare_face",
        only=("mask",),
    ),
    Beyond(
        "–",
        "keys that are published for somebody who only looks at a card, and open it when it is dealt to another",
        "does not apply",
        "who looks is told under a key of its own, and the keys of the card stay where they are.",
        "protocols/mask/test_secrecy.py::test_a_look_by_publishing_keys_gives_the_card_away",
        only=("mask",),
    ),
    Beyond(
        "–",
        "a passed card that giver and receiver both declare in a rebuild, so that the hand stops",
        "does not apply",
        "who declares a card is in the log and not in a message: the lowest seat that has it, once.",
        "protocols/mask/test_handing.py::test_the_lowest_who_has_seen_it_declares_it_once",
        only=("mask",),
    ),
    Beyond(
        "–",
        "the second half of the pairs, from whose known factors an earlier seat reads the order of a later one",
        "does not apply",
        "every pair gets a factor of its own before all are shuffled with one: the other way round it would work.",
        "protocols/offset/test_reason.py::test_as_built_the_b_column_shows_nothing",
        only=("offset",),
    ),
    Beyond(
        "–",
        "a card drawn from elsewhere than the top, or played from a place that was played from",
        "does not apply",
        "no draw or play names a place: which cards these are is in the log, and what is shown is held against the "
        "card that lies there (`other-card`). Who searches names one (`another-place`).",
        "protocols/duel/test_cheats.py::test_a_card_that_was_not_drawn",
        only=("duel",),
    ),
)
