"""Attacks without a program: cryptography cannot prevent them, or there is nothing to attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Beyond:
    """An attack without a program, and the reason why there is none."""

    #: Its number in the list of attacks that the project started from, or "–".
    number: str
    what: str
    comes: Literal["gains nothing", "cannot be seen", "does not apply"]
    why: str
    #: The test that tries it outside of a game, if there is one.
    test: str = ""
    #: The protocols that it is about; empty means all.
    only: tuple[str, ...] = ()


BEYOND: Final = (
    Beyond(
        "A3",
        "a small group, or short numbers",
        "does not apply",
        "no table chooses a group or the length of a number; what it may choose has a minimum (`no-openings`).",
    ),
    Beyond(
        "A4",
        "a composite modulus whose factors one party knows",
        "does not apply",
        "no protocol here uses a modulus that someone made: the groups are curves and the safe prime of RFC 3526.",
    ),
    Beyond(
        "A11",
        "zero in a cut-and-choose proof, so that whatever is opened passes",
        "does not apply",
        "no proof here opens a secret, and when the dealer of `chain` opens decks, zero is refused. What zero does to "
        "a rebuilt deck is tried (`zero`).",
        "proofs/test_cutandchoose.py::test_a_deck_of_identities_passes_without_the_zero_check",
    ),
    Beyond(
        "A18",
        "the secret of a trusted setup, or keys of a demonstration",
        "does not apply",
        "nothing is set up in secret: every generator is hashed from a public label, and anyone can compute it.",
    ),
    Beyond(
        "A19",
        "two statements of a proof with the same transcript encoding",
        "gains nothing",
        "every part is hashed with its kind and length before it, and the deck fixes the lengths of the arrays of a "
        "statement, so no boundary can be moved. If one party chooses both parts, it is tried (`two-bids`).",
        "proofs/test_transcript.py::test_boundaries_do_not_shift",
    ),
    Beyond(
        "A20",
        "a proof with too few repetitions",
        "does not apply",
        "no proof here is repeated: a false one passes with probability 2^-128. When the dealer of `chain` makes "
        "decks, it is one in their number at each attempt, with at least two decks (`no-openings`).",
    ),
    Beyond(
        "A21",
        "cards that pad a deck to a size that a proof needs",
        "does not apply",
        "the proofs work for any number of cards from two on, and no deck is padded. Naming a place that is not in the "
        "deck, or that the seat may not name, is tried (`another-place`).",
    ),
    Beyond(
        "A22",
        "an arithmetic error that hides a failed check",
        "gains nothing",
        "that would be a bug, not an attack: two implementations are compared, and tests set every element of a proof "
        "to zero, one and the identity. What the identity would do is tried (`fits-all`, `no-words`).",
        "proofs/test_shuffle.py::test_each_element_of_the_proof_set_to_something_special",
    ),
    Beyond(
        "A31",
        "the time that a secret operation takes, or its traces in a shared cache",
        "cannot be seen",
        "the native core computes with secrets in constant time, and docs/internals/threats.md says what was "
        "measured and what the slow reference does not promise.",
    ),
    Beyond(
        "A47",
        "how long a player thought",
        "cannot be seen",
        "everyone at the table, and the relay, sees when something is said, and nothing hides time. What places and "
        "lengths reveal is tried (`drawn-when`, `followed`, `sizes`).",
    ),
    Beyond(
        "A50",
        "a program that plays for a person",
        "cannot be seen",
        "a move does not say who thought of it. Friends, and one person at two seats, are tried (`told-outside`, "
        "`two-seats`): sit down only where you believe that more than half are different people.",
    ),
    Beyond(
        "–",
        "the arrays of the source's recovery, with factors in them that a player recognises",
        "gains nothing",
        "there are no arrays here: all faces go through one proven cascade, and no seat answers for cards without a "
        "proof (`early`). The source's own form is in the tests.",
        "protocols/lock/test_source_recovery.py::test_known_factors_read_everything",
        only=("lock",),
    ),
    Beyond(
        "–",
        "the same, with the attacker's card put back and another taken out",
        "gains nothing",
        "the holder of a card proves what it declares (`held`, `tag`).",
        "protocols/lock/test_source_recovery.py::test_own_card_put_back_and_another_taken_out",
        only=("lock",),
    ),
    Beyond(
        "–",
        "the same, in an order that no one changes",
        "gains nothing",
        "every seat that stays shuffles the cascade, and one honest shuffle is enough (`lazy`).",
        "protocols/lock/test_source_recovery.py::test_without_permuting_all_is_read",
        only=("lock",),
    ),
    Beyond(
        "–",
        "a card doubled or marked in a game against the npm package `mental-poker`",
        "cannot be seen",
        "that package proves and checks nothing: such a game is compatible, not proven. Our own seats name the culprit "
        "when all keys are open.",
        "npm/test_cheats.py::test_the_package_does_not_see_marked_cards",
        only=("lock",),
    ),
    Beyond(
        "–",
        "a deck that is published between adding a key and masking, so that it decrypts for its maker",
        "does not apply",
        "key, masks and order are one step with one proof, and nothing that is published is a secret times a point "
        "that a player chose.",
        "protocols/mask/test_secrecy.py::test_nothing_published_is_a_secret_times_an_epk",
        only=("mask",),
    ),
    Beyond(
        "–",
        "a mask that is removed when a card gets its own key, which bares the face",
        "does not apply",
        "a card keeps its mask until it is opened to everyone.",
        "protocols/mask/test_secrecy.py::test_rekey_of_a_card_with_one_key_is_not_the_bare_face",
        only=("mask",),
    ),
    Beyond(
        "–",
        "keys that are published for a player who only peeks at a card, and open it when it is dealt to another",
        "does not apply",
        "a player who peeks gets the card under a key of their own, and the keys of the card stay where they are.",
        "protocols/mask/test_secrecy.py::test_a_look_by_publishing_keys_gives_the_card_away",
        only=("mask",),
    ),
    Beyond(
        "–",
        "a passed card that giver and receiver both declare in a rebuild, so that the hand stops",
        "does not apply",
        "the log and not a message says who declares a card: the lowest seat that has it, once.",
        "protocols/mask/test_transfer.py::test_the_lowest_who_has_seen_it_declares_it_once",
        only=("mask",),
    ),
    Beyond(
        "–",
        "the second column of the pairs, from whose known factors an earlier seat reads the order of a later one",
        "does not apply",
        "every pair gets a factor of its own before all are shuffled with one; the other way round it would work.",
        "protocols/offset/test_reason.py::test_as_built_the_b_column_shows_nothing",
        only=("offset",),
    ),
    Beyond(
        "–",
        "a card drawn from elsewhere than the top, or played from a place that was already played from",
        "does not apply",
        "no draw or play names a place: the log says which cards these are, and what is shown is compared with the "
        "card that lies there (`other-card`). A search names a place (`another-place`).",
        "protocols/duel/test_cheats.py::test_a_card_that_was_not_drawn",
        only=("duel",),
    ),
)
