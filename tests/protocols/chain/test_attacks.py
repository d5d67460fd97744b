"""The attacks that the source discusses, under its own headings, and what PROTOCOLS adds: each names its culprit."""

from __future__ import annotations

import json
from typing import Final

import pytest

from conformance.harness import Game
from nodealer.cards.operations import NewDeck
from nodealer.engine.phases import Phase
from nodealer.errors import CardUnreadable
from nodealer.group import Group, concat
from nodealer.proofs import equality
from nodealer.protocols.base import Duty
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.chain.draw import own_links, prove
from nodealer.protocols.chain.lists import name_of
from nodealer.tape import Tape

from ..kit import changed, field_of, put
from .kit import (
    BOOKS,
    NEW,
    PROVEN,
    Forge,
    deal,
    deck_of,
    exchanged,
    faces,
    fault_of,
    said,
    seats_that_spoke,
    show,
    small,
    table,
    turn,
    with_number,
)

pytestmark = pytest.mark.sample(reference=1)

DEALT: Final = (NEW, deal({0: (0,), 1: (1,), 2: (2,)}))


def dealt(game: Game) -> bool:
    return bool(game.state.hand.decks) and bool(deck_of(game).held)


def is_named(game: Game, seat: int, step: str, reason: str) -> None:
    """The seat, its newest message of this kind, and why; and no honest seat spoke of cards after it."""
    fault = fault_of(game)
    assert (fault.seat, fault.entry) == (seat, said(game, seat, step)[-1][0]), fault
    assert reason in fault.reason, fault
    assert not seats_that_spoke(game, fault.entry + 1) - {seat}


# --- Revealing fake cards ---


def lying_face(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    return changed(honest, faces=[(face + 1) % deck.size for face in _faces(honest)])


def _faces(message: bytes) -> list[int]:
    return list(json.loads(message)["faces"])


@pytest.mark.parametrize("parameters", [BOOKS, PROVEN], ids=["books", "proven"])
@pytest.mark.parametrize("seat", [1, 2])
def test_another_face_is_shown(fast: Group, seat: int, parameters: bytes) -> None:
    """The number left under the owner's key is not the card that it says."""
    game = table(fast, *DEALT, show(seat, seat), lies={seat: {"reveal": lying_face}}, parameters=parameters).play()
    is_named(game, seat, "reveal", "equality")


def of_another_place() -> Forge:
    """All as it is for another card of the liar's own layer: a true nonce and a true prior name, of the wrong card."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        index = deck.order.index(duty.seat)
        own = deck.layer_secrets(tape, index)
        for place in range(deck.size):
            other = own_links(deck, own, index, [place])
            made = changed(honest, nonces=b"".join(other.nonces), names=b"".join(other.names))
            if made != honest:
                return made
        raise AssertionError("a deck of one card")

    return forge


def test_player_and_dealer_claim_a_card_of_their_choice(fast: Group) -> None:
    """Together they know every nonce of the dealer's, and where each of its names went. The table knows which name was
    drawn, and the chain does not lead to it."""
    for liar in (0, 1):
        lies = {liar: {"reveal": of_another_place()}}
        game = table(fast, *DEALT, show(liar, liar), lies=lies).play()
        is_named(game, liar, "reveal", "do not give the name")


def test_they_cannot_make_names_up_either(fast: Group) -> None:
    """A nonce of one's own and a prior name that is in no deck."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, nonces=bytes(32), names=bytes(range(32)))

    for seat in (0, 1, 2):
        game = table(fast, *DEALT, show(seat, seat), lies={seat: {"reveal": forge}}).play()
        is_named(game, seat, "reveal", "do not give the name")


# --- Subverting the deal ---


def false_decryption(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    """The first number is not what the key makes of it; the rest, proof included, is as an honest seat's."""
    numbers = deck.binding.group.points(field_of(honest, "numbers"))
    return changed(honest, numbers=put(numbers.to_bytes(), 0, (numbers[0] + numbers[0]).to_bytes()))


@pytest.mark.parametrize("liar", [0, 1, 2, 3])
def test_a_false_decryption_anywhere(fast: Group, liar: int) -> None:
    game = table(fast, NEW, deal({4: (0, 5)}), seats=5, lies={liar: {"pass": false_decryption}}).play()
    is_named(game, liar, "pass", "equality")
    assert {seat for seat in range(5) if said(game, seat, "pass")} == set(range(liar, 4)), "nobody answers it"


def test_a_decryption_with_another_key_and_a_proof_for_it(fast: Group) -> None:
    """The proof is good for the key it was made with, and that is not the one that was published with the deck."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        other = small(fast, 7)
        given = deck.layers[2].cards.numbers[0]
        bare = other.invert() * given
        proof = equality.prove_equality(deck.transcript(duty, 0), tape, other * fast.G, bare, given, other)
        return changed(honest, numbers=bare.to_bytes(), proof=proof)

    game = table(fast, NEW, deal({2: (0,)}), lies={1: {"pass": forge}}).play()
    is_named(game, 1, "pass", "equality")


def oracle(victim: int, factor: int = 5) -> Forge:
    """In the place of what one should pass on: a card in the victim's hand, to the power of a number one knows."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        target = next(held for held in deck.held.values() if deck.order[held.index] == victim)
        marked = small(deck.binding.group, factor) * target.number
        return changed(honest, numbers=put(field_of(honest, "numbers"), 0, marked.to_bytes()))

    return forge


@pytest.mark.parametrize("parameters", [BOOKS, PROVEN], ids=["books", "proven"])
@pytest.mark.parametrize(("liar", "victim"), [(3, 2), (3, 1), (3, 0), (2, 1), (2, 0), (1, 0)])
def test_the_draw_is_no_decryption_oracle(fast: Group, liar: int, victim: int, parameters: bytes) -> None:
    """(c^K)^t handed on at every position: refused before the victim, or anybody, answers it."""
    script = NEW, deal({victim: (0,)}), deal({4: (1,)})
    game = table(fast, *script, seats=5, lies={liar: {"pass": once(2, oracle(victim))}}, parameters=parameters).play()
    is_named(game, liar, "pass", "equality")
    spoke = [seat for seat in range(5) if any(number > fault_of(game).entry for number, _ in said(game, seat, "pass"))]
    assert not spoke


def once(time: int, forge: Forge) -> Forge:
    """Lie the so-manieth time only."""
    count = [0]

    def lie(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        count[0] += 1
        # The second draw is the one after a card is held; a liar for whom the first draw had no part counts alike.
        return forge(deck, duty, tape, honest) if deck.held and count[0] <= time else honest

    return lie


@pytest.mark.parametrize("liar", [1, 2])
def test_no_oracle_by_a_link(fast: Group, liar: int) -> None:
    """A link to another card of the list before, so that the wrong number is decrypted: the hash does not fit, and with
    names in another order than numbers the proof does not."""
    game = table(fast, NEW, deal({0: (0,)}), lies={liar: {"pass": of_another_place()}}).play()
    is_named(game, liar, "pass", "do not give the name")


# --- Shuffle stage cheat ---


def fake_card(deck: ChainDeck, numbers: object) -> object:
    """A number that is no card of the deck."""
    return small(deck.binding.group, 12345) * deck.binding.group.G


@pytest.mark.parametrize("liar", [0, 1, 2])
def test_a_fake_card_in_a_shuffle_is_found_by_its_drawer(fast: Group, liar: int) -> None:
    """The one who drew it discloses it; whoever put it in cannot prove its link."""
    lies = {liar: {"shuffle": with_number(0, fake_card)}}  # type: ignore[arg-type]
    victim = 3
    whole = (NewDeck(0, 4),), deal({victim: (0, 1, 2, 3)}), show(victim, 0)
    game = table(fast, *whole, seats=4, lies=lies).play(until=dealt)
    seat = game.seats[victim]
    with pytest.raises(CardUnreadable) as caught:
        seat.known_cards()
    game.order(seat.dispute(caught.value))
    game.play()
    fault = fault_of(game)
    assert fault.seat == liar and fault.entry == said(game, liar, "pass")[-1][0]
    books = [number for number, data in enumerate(game.log) if b'"type":"book"' in data]
    assert game.state.phase is Phase.ENDED and all(number > fault.entry for number in books), "no book was needed"
    assert {game.signer(game.log[number]) for number in books} == {0, 1, 2, 3} - {liar}


def test_with_proven_it_is_found_at_once(fast: Group) -> None:
    for liar in (0, 1, 2):
        lies = {liar: {"shuffle": with_number(0, fake_card)}}  # type: ignore[arg-type]
        game = table(fast, *DEALT, lies=lies, parameters=PROVEN).play()
        is_named(game, liar, "shuffle", "shuffle proof (scalar)")


def exchange(name: str, one: int, two: int) -> Forge:
    """Two names, or two numbers, change places; the other list stays."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        size = 32 if name == "names" else deck.binding.group.point_size
        return changed(honest, **{name: exchanged(field_of(honest, name), size, one, two)})

    return forge


@pytest.mark.parametrize("coalition", [(0,), (0, 1), (0, 1, 2)])
def test_everybody_but_one_gives_it_a_card_of_their_choice(fast: Group, coalition: tuple[int, ...]) -> None:
    """All others know every name and number, and put other numbers under the names: what the victim decrypts looks
    valid. It shows that card in good faith, and the one who exchanged the numbers is named, not the victim."""
    victim, positions = 3, (0, 1, 2, 3)
    lies = {seat: {"shuffle": exchange("numbers", 0, 1)} for seat in coalition[:1]}
    lies |= {seat: {} for seat in coalition[1:]}
    script = (NewDeck(0, 4),), deal({victim: positions}), show(victim, *positions)
    game = table(fast, *script, seats=4, lies=lies).play(until=dealt)
    assert sorted(faces(game, victim).values()) == [0, 1, 2, 3], "it looks valid"
    game.play()
    fault = fault_of(game)
    assert fault.seat == coalition[0] and fault.entry == said(game, coalition[0], "pass")[-1][0]
    assert said(game, victim, "reveal"), "the victim had shown its card"


def test_two_before_the_victim_hide_a_doubled_card(fast: Group) -> None:
    """The dealer puts B^s in A's slot and its friend takes s off again: then B is in the deck twice, and refused."""
    s = 9

    def first(deck: ChainDeck, numbers: object) -> object:
        return small(fast, s) * numbers[1]  # type: ignore[index]

    def second(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        prior = deck.layer_secrets(tape, 1).prior
        place, group = prior.index(0), deck.binding.group
        numbers = group.points(field_of(honest, "numbers"))
        mended = small(group, s).invert() * numbers[place]
        return changed(honest, numbers=put(numbers.to_bytes(), place, mended.to_bytes()))

    lies: dict[int, dict[str, Forge]] = {
        0: {"shuffle": with_number(0, first)},  # type: ignore[arg-type]
        1: {"shuffle": second},
    }
    game = table(fast, *DEALT, lies=lies)
    with pytest.raises(Exception, match="appears twice"):
        game.play()


# --- Dealing stage cheat ---


def test_the_last_player_publishes_another_card(fast: Group) -> None:
    """The chain from it to the dealer would be right, and from it to the final name is wrong."""
    game = table(fast, NEW, turn(0), lies={2: {"pass": of_another_place()}}).play()
    is_named(game, 2, "pass", "do not give the name")


def wrong_nonce(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    nonces = field_of(honest, "nonces")
    return changed(honest, nonces=bytes([nonces[0] ^ 1]) + nonces[1:])


def wrong_prior(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    """Another name of the right deck."""
    names = deck.names_before(deck.order.index(duty.seat))
    said = field_of(honest, "names")
    other = next(name for name in names if name != said[:32])
    return changed(honest, names=other + said[32:])


@pytest.mark.parametrize("forge", [wrong_nonce, wrong_prior])
@pytest.mark.parametrize("liar", [0, 1, 2])
def test_wrong_nonce_and_wrong_prior_name(fast: Group, liar: int, forge: Forge) -> None:
    game = table(fast, NEW, turn(0, 3), lies={liar: {"pass": forge}}).play()
    is_named(game, liar, "pass", "do not give the name")


def test_a_prior_name_that_never_was(fast: Group) -> None:
    """A seat that chained a name of its own invention cannot say where it came from."""
    invented, nonce = bytes(range(32)), bytes(32)

    def shuffle(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, names=put(field_of(honest, "names"), 0, name_of(nonce, invented)))

    def link(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, nonces=nonce, names=invented)

    game = table(fast, NEW, turn(0), lies={2: {"shuffle": shuffle, "pass": link}}).play()
    is_named(game, 2, "pass", "not in the deck it got")


# --- The false slot ---


def test_the_false_slot(fast: Group) -> None:
    """The last player puts B^t in A's place, draws A, and reads B, which is in another hand. Nothing sees it while the
    hand is played, and the audit at its end names it."""
    t, liar, victim = 7, 2, 1

    def marked(deck: ChainDeck, numbers: object) -> object:
        return small(fast, t) * numbers[1]  # type: ignore[index]

    lies = {liar: {"shuffle": with_number(0, marked)}}  # type: ignore[arg-type]
    game = table(fast, NEW, deal({liar: (0,), victim: (1,)}), turn(2, 3), lies=lies)
    game.play(until=dealt)
    deck = deck_of(game)
    stolen = small(fast, t).invert() * deck.bare(liar, game.tape(liar), (0,))
    read = deck.read(stolen)
    assert read is not None and read[0] == faces(game, victim)[1], "it reads the victim's card"
    game.play(until=lambda g: bool(g.state.disclosures))
    assert game.state.fault is None and game.state.results, "the hand is over, and nobody has seen it"
    game.play()
    fault = fault_of(game)
    assert fault.seat == liar and fault.entry == said(game, liar, "shuffle")[0][0]
    assert not len(game.state.results) and "by its book" in str(game.state.chronicle.records[0].void)
    at_once = table(fast, NEW, deal({liar: (0,), victim: (1,)}), lies=lies, parameters=PROVEN).play()
    is_named(at_once, liar, "shuffle", "shuffle proof (scalar)")


# --- Names and numbers in different orders ---


@pytest.mark.parametrize("parameters", [BOOKS, PROVEN], ids=["books", "proven"])
@pytest.mark.parametrize("liar", [0, 1, 2])
def test_misaligned_names_are_named_at_the_draw(fast: Group, liar: int, parameters: bytes) -> None:
    """With `proven` too: the argument is about the numbers, and a hash is not proven by it."""
    lies = {liar: {"shuffle": exchange("names", 0, 1)}}
    game = table(fast, (NewDeck(0, 4),), turn(0, 1, 2, 3), lies=lies, parameters=parameters).play()
    fault = fault_of(game)
    assert fault.seat == liar and fault.entry == said(game, liar, "pass")[-1][0]


@pytest.mark.parametrize("liar", [0, 1])
def test_misaligned_names_are_named_at_the_reveal(fast: Group, liar: int) -> None:
    """The seats before the drawer are not asked for names until the card is shown."""
    positions = (0, 1, 2, 3)
    lies = {liar: {"shuffle": exchange("names", 0, 1)}}
    script = (NewDeck(0, 4),), deal({2: positions}), show(2, *positions)
    game = table(fast, *script, lies=lies).play()
    fault = fault_of(game)
    assert fault.seat == liar and fault.entry == said(game, liar, "pass")[-1][0]
    assert said(game, 2, "reveal")


def test_a_liar_who_owns_the_card_names_itself(fast: Group) -> None:
    lies = {2: {"shuffle": exchange("names", 0, 1)}}
    game = table(fast, NEW, deal({2: (0,)}), show(2, 0), lies=lies).play()
    is_named(game, 2, "reveal", "do not give the name")


# --- What is said only once ---


def test_the_same_key_twice(fast: Group) -> None:
    """Another seat's key, which one cannot take off again, is refused."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, key=deck.layers[0].key.to_bytes())

    with pytest.raises(Exception, match="another seat's"):
        table(fast, NEW, lies={1: {"shuffle": forge}}).play()


@pytest.mark.parametrize(
    ("what", "reason"),
    [("old numbers", "same as before"), ("old names", "same as before"), ("double", "appears twice")],
)
def test_lists_that_cannot_be_right(fast: Group, what: str, reason: str) -> None:
    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        before = deck.layers[-1].cards
        if what == "old numbers":
            return changed(honest, numbers=put(field_of(honest, "numbers"), 2, before.numbers[3].to_bytes()))
        if what == "old names":
            return changed(honest, names=put(field_of(honest, "names"), 2, before.names[3]))
        names = field_of(honest, "names")
        return changed(honest, names=put(names, 2, names[:32]))

    with pytest.raises(Exception, match=reason):
        table(fast, NEW, lies={1: {"shuffle": forge}}).play()


def test_two_places_of_one_prior_name(fast: Group) -> None:
    """A seat chains two names to one, so that a card is there twice: two numbers are not one number to one power."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        own = deck.layer_secrets(tape, 2)
        name = name_of(own.nonces[1], deck.layers[1].cards.names[own.prior[0]])
        return changed(honest, names=put(field_of(honest, "names"), 1, name))

    def link(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        own = deck.layer_secrets(tape, 2)
        prior = deck.layers[1].cards
        names = prior.names[own.prior[0]] * 2
        bases = [prior.numbers[own.prior[0]]] * 2
        images = [deck.layers[2].cards.numbers[0], deck.layers[2].cards.numbers[1]]
        proof = prove(deck, duty, tape, own.key, [concat(*bases)], images)
        return changed(honest, nonces=own.nonces[0] + own.nonces[1], names=names, proof=proof)

    game = table(fast, NEW, turn(0, 1), lies={2: {"shuffle": forge, "pass": link}}).play()
    is_named(game, 2, "pass", "equality")
