"""Hidden cards that are none of some faces: what is accepted, what has been tried, and what each piece is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends import FASTEST
from nodealer.errors import BadParameter, DecodeError, Malformed, ProofRejected, Unprovable
from nodealer.group import Group, Points, Scalars, concat
from nodealer.group import group as make_group
from nodealer.proofs import exclusion, labels
from nodealer.proofs.checks import Check, settle
from nodealer.proofs.exclusion import Exclusion, ExclusionProducts
from nodealer.proofs.hidden_cards import LockedCards, MaskedCards
from nodealer.proofs.transcript import Context
from nodealer_lab.terms import terms_of
from sampling import times

from . import oracle, plain_exclusion
from .plain_exclusion import PlainCard, PlainLocked, PlainMasked, PlainProof
from .statements import CONTEXT, OTHER_CONTEXTS, accepted, entropy, points, put, scalars, swapped, tape

pytestmark = pytest.mark.sample(reference=1)

#: A deck of so many faces.
FACES = 12


KINDS = ("masked", "locked")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Cards of `mask`, and cards of `lock`."""
    name: str = request.param
    return name


@dataclass(frozen=True)
class Claim:
    """Cards with these faces, of which it is claimed that none is one of those."""

    statement: Exclusion
    s: Scalars
    deck: Points

    def prove(self, context: Context = CONTEXT) -> tuple[ExclusionProducts, bytes]:
        return exclusion.prove(context.transcript(), tape("prover"), self.statement, self.s)

    def check(self, sent: ExclusionProducts, proof: bytes, context: Context = CONTEXT) -> Check:
        return exclusion.check(context.transcript(), self.statement, sent, proof)

    def accepts(self, sent: ExclusionProducts, proof: bytes, context: Context = CONTEXT) -> bool:
        return accepted(lambda: self.check(sent, proof, context))

    @property
    def cards(self) -> MaskedCards | LockedCards:
        assert isinstance(self.statement.cards, MaskedCards | LockedCards)
        return self.statement.cards

    @property
    def arrays(self) -> dict[str, Points]:
        """All points that the statement has."""
        own = {name: array for name, array in vars(self.cards).items() if name != "off"}
        return {"faces": self.statement.faces, **own}

    @property
    def plain(self) -> tuple[list[Points], list[PlainCard]]:
        """The same, one by one."""
        faces, at = self.statement.faces, self.cards
        s, off = integers(self.s), integers(at.off)
        cards: list[PlainCard] = []
        for i in range(len(s)):
            if isinstance(at, MaskedCards):
                cards.append(PlainMasked(at.epk[i], at.msg[i], off[i], at.keys[i], s[i]))
            else:
                cards.append(PlainLocked(at.cards[i], off[i], at.keys[i], s[i]))
        return [faces[j] for j in range(len(faces))], cards


def integers(array: Scalars) -> list[int]:
    data = array.to_bytes()
    return [int.from_bytes(data[at : at + 32], "little") for at in range(0, len(data), 32)]


@cache
def claim(group: Group, kind: str, held: tuple[int, ...], faces: tuple[int, ...], seed: str = "") -> Claim:
    """Cards that are these faces of a deck, hidden and under their holder's key, whatever is claimed of them."""
    deck, h = points(group, "deck", FACES), len(held)
    s, off = scalars(group, f"s {seed}", h), scalars(group, f"published {seed}", h)
    cards: MaskedCards | LockedCards = LockedCards((s * off) * deck.take(held), off, s * group.G)
    if kind == "masked":
        epk = points(group, f"epk {seed}", h)
        cards = MaskedCards(epk, deck.take(held) + (s + off) * epk, off, s * group.G)
    return Claim(Exclusion(deck.take(faces), cards), s, deck)


def true_claim(group: Group, kind: str) -> Claim:
    return claim(group, kind, (7, 2, 9), (0, 4, 5, 11))


def false_claim(group: Group, kind: str) -> Claim:
    """Its second card is the third of the faces."""
    return claim(group, kind, (7, 5, 9), (0, 4, 5, 11))


def with_array(one: Claim, name: str, array: Points | Scalars) -> Claim:
    """The same claim with other points, or other published keys."""
    changes: dict[str, Any] = {name: array}
    if name == "faces":
        return replace(one, statement=replace(one.statement, **changes))
    return replace(one, statement=replace(one.statement, cards=replace(one.cards, **changes)))


def of(sent: PlainProof) -> tuple[ExclusionProducts, bytes]:
    return ExclusionProducts(sent.Y, concat(*sent.Z), concat(*sent.T)), sent.to_bytes()


# --- True claims ---


@given(st.permutations(range(FACES)), st.integers(1, FACES - 1), st.integers(1, FACES - 1), st.sampled_from(KINDS))
@settings(max_examples=times(25, deep=400))
def test_whoever_has_none_of_the_faces_can_prove_it(order: list[int], h: int, f: int, kind: str) -> None:
    """And whoever has one of them cannot, and sends nothing."""
    held, faces = tuple(order[:h]), tuple(sorted(order[-f:]))
    one = claim(make_group(backend=FASTEST), kind, held, faces)
    if set(held) & set(faces):
        with pytest.raises(Unprovable, match="one of the excluded faces"):
            one.prove()
    else:
        settle([one.check(*one.prove())], entropy("true"))


@pytest.mark.parametrize(("f", "h"), [(1, 1), (1, 4), (4, 1), (3, 5)])
def test_costs(group: Group, kind: str, f: int, h: int) -> None:
    """Bytes, and terms of the verifier's one multiplication, as docs/spec/proofs.md says."""
    one = claim(group, kind, tuple(range(h)), tuple(range(h, h + f)))
    sent, proof = one.prove()
    assert len(sent.Y) == 1 and len(sent.Z) == f and len(sent.T) == h
    assert len(proof) == 1 + 32 * (2 * h + 4)
    check = one.check(sent, proof)
    settle([check], entropy("costs"))
    terms = terms_of([check], entropy("terms"))
    assert sum(len(factors) for factors, _ in terms) == 2 * f + {"masked": 5, "locked": 4}[kind] * h + 5


def test_proofs_about_one_deck_share_its_faces(fast: Group, kind: str) -> None:
    """In a batch an array enters once: of a second proof about the same cards, all but what was sent."""
    one, checks = true_claim(fast, kind), list[Check]()
    for context in (CONTEXT, OTHER_CONTEXTS["anchor"]):
        checks.append(one.check(*one.prove(context), context))
    settle(checks, entropy("batch"))
    count = sum(len(factors) for factors, _ in terms_of(checks, entropy("terms")))
    alone = 2 * 4 + {"masked": 5, "locked": 4}[kind] * 3 + 5
    assert count == 2 * alone - sum(map(len, one.arrays.values())) - 1  # G


def test_both_backends_give_the_same_bytes(native: Group, kind: str) -> None:
    made = [true_claim(group, kind).prove() for group in (native, make_group(backend="reference"))]
    sent, proofs = zip(*made, strict=True)
    assert proofs[0] == proofs[1]
    for name in ("Y", "Z", "T"):
        assert getattr(sent[0], name).to_bytes() == getattr(sent[1], name).to_bytes()


def test_a_second_implementation_makes_and_takes_the_same_bytes(group: Group, kind: str) -> None:
    one = true_claim(group, kind)
    faces, cards = one.plain
    again = plain_exclusion.prove(CONTEXT, tape("prover"), faces, cards)
    sent, proof = of(again)
    assert (sent.Y, sent.Z, sent.T, proof) == (*vars(one.prove()[0]).values(), one.prove()[1])
    assert plain_exclusion.refused(CONTEXT, faces, cards, again) == []
    assert one.accepts(sent, proof)


# --- Tampering ---


def test_each_byte_of_the_proof(group: Group, kind: str) -> None:
    one = true_claim(group, kind)
    sent, proof = one.prove()
    for at in range(0, len(proof), 1 if group.backend == "native" else 13):
        assert not one.accepts(sent, proof[:at] + bytes([proof[at] ^ (1 << at % 8)]) + proof[at + 1 :]), at


def test_lengths_and_version(group: Group, kind: str) -> None:
    one = true_claim(group, kind)
    sent, proof = one.prove()
    for wrong in (b"", proof[:-1], proof + b"\0", proof[:-32], proof + bytes(32)):
        with pytest.raises(DecodeError, match="bytes instead of"):
            one.check(sent, wrong)
    with pytest.raises(DecodeError, match="version 0 instead of 1"):
        one.check(sent, b"\0" + proof[1:])
    for changed in (replace(sent, Z=sent.Z[1:]), replace(sent, T=sent.T[1:]), replace(sent, Y=sent.Z)):
        with pytest.raises(BadParameter, match="products for 4 faces and 3 cards"):
            one.check(changed, proof)


def test_each_element_sent(group: Group, kind: str) -> None:
    """Another point, the negated one, and the generator, in each place. Two of them swapped."""
    one = true_claim(group, kind)
    sent, proof = one.prove()
    for name in ("Y", "Z", "T"):
        array: Points = getattr(sent, name)
        for index in range(len(array)):
            for other in (array[index] + group.G, -array[index], group.G):
                assert not one.accepts(replace(sent, **{name: put(array, index, other)}), proof), (name, index)
    for name in ("Z", "T"):
        assert not one.accepts(replace(sent, **{name: swapped(getattr(sent, name), 0, 2)}), proof)
    exchanged = ExclusionProducts(sent.Y, put(sent.Z, 0, sent.T[0]), put(sent.T, 0, sent.Z[0]))
    assert not one.accepts(exchanged, proof)


def test_each_element_of_the_statement(group: Group, kind: str) -> None:
    """A verifier whose log says something else of one card or one face, or has two of them in another order."""
    one = true_claim(group, kind)
    sent, proof = one.prove()
    for name, array in one.arrays.items():
        assert not with_array(one, name, swapped(array, 0, 1)).accepts(sent, proof), name
        for index in range(len(array)):
            changed = put(array, index, array[index] + group.G)
            assert not with_array(one, name, changed).accepts(sent, proof), (name, index)
    for place in range(3):
        off = one.cards.off + group.integers([int(at == place) for at in range(3)])
        assert not with_array(one, "off", off).accepts(sent, proof)
    assert not with_array(one, "off", one.cards.off.take([1, 0, 2])).accepts(sent, proof)


def test_cards_of_one_kind_are_not_of_the_other(group: Group) -> None:
    """The same points, read as cards of the other protocol."""
    one = true_claim(group, "locked")
    sent, proof = one.prove()
    assert isinstance(one.cards, LockedCards)
    other = MaskedCards(one.cards.cards, one.cards.cards, one.cards.off, one.cards.keys)
    assert not replace(one, statement=replace(one.statement, cards=other)).accepts(sent, proof)


def test_a_card_swapped_for_another_of_the_same_seat(group: Group, kind: str) -> None:
    """Three of four cards proven, and the fourth, which is a forbidden one, put in the place of one of them."""
    four = claim(group, kind, (7, 2, 9, 5), (0, 4, 5, 11))
    three = _some(four, [0, 1, 2])
    sent, proof = three.prove()
    assert three.accepts(sent, proof)
    for chosen in ([3, 1, 2], [0, 3, 2], [0, 1, 3], [1, 0, 2]):
        assert not _some(four, chosen).accepts(sent, proof)


def _some(one: Claim, chosen: list[int]) -> Claim:
    """The same claim of some of the cards."""
    cards: Any = type(one.cards)(*(array.take(chosen) for array in vars(one.cards).values()))
    return replace(one, statement=replace(one.statement, cards=cards), s=one.s.take(chosen))


@pytest.mark.parametrize("left", range(4))
def test_a_face_left_out(group: Group, kind: str, left: int) -> None:
    """The holder of a forbidden face proves the rest: whoever asks about all of them does not take it."""
    one = false_claim(group, kind)
    fewer = with_array(one, "faces", one.statement.faces.take([0, 1, 3]))
    sent, proof = fewer.prove()
    assert fewer.accepts(sent, proof)
    for extra in (points(group, "anything"), sent.Y, sent.Z[0], sent.T[1]):
        Z = concat(*(sent.Z[j] for j in range(left) if j < 3), extra, *(sent.Z[j] for j in range(left, 3)))
        assert not one.accepts(replace(sent, Z=Z), proof)


@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_a_proof_fits_nowhere_else(group: Group, kind: str, other: str) -> None:
    """Not in another hand, deck, epoch or seat, and not at a later play: that has another anchor."""
    one = true_claim(group, kind)
    with pytest.raises(ProofRejected) as caught:
        settle([one.check(*one.prove(), OTHER_CONTEXTS[other])], entropy("elsewhere"))
    assert caught.value.seat == OTHER_CONTEXTS[other].seat


def test_statements_that_no_proof_could_mend(group: Group, kind: str) -> None:
    one = true_claim(group, kind)
    sent, proof = one.prove()
    for name, array in one.arrays.items():
        bad = with_array(one, name, put(array, 1, group.identity(1)))
        with pytest.raises(Malformed, match=f"{WORDS.get(name, name)} 1 is the identity"):
            bad.check(sent, proof)
        with pytest.raises(Malformed, match=f"{WORDS.get(name, name)} 1 is the identity"):
            bad.prove()
    for name in vars(one.cards):
        with pytest.raises(BadParameter, match=f"{kind} cards with"):
            with_array(one, name, vars(one.cards)[name][:2])


#: What an array is called where one of it is meant.
WORDS = {"faces": "face", "cards": "card", "keys": "key"}


# --- A holder that lies ---


def test_an_honest_holder_of_such_a_card_sends_nothing(group: Group, kind: str) -> None:
    with pytest.raises(Unprovable, match="one of the excluded faces"):
        false_claim(group, kind).prove()


def test_products_that_say_it_themselves(group: Group, kind: str) -> None:
    """Equal products are refused before anything is computed; so is y = 0, with which all products are one."""
    one = false_claim(group, kind)
    sent, proof = of(plain_exclusion.prove(CONTEXT, tape("prover"), *one.plain))
    with pytest.raises(Malformed, match="card 1 is one of the excluded faces"):
        one.check(sent, proof)
    # The proof itself would hold: nothing else stands between the holder and a false claim.
    alone = plain_exclusion.prove(CONTEXT, tape("prover"), *one.plain)
    assert plain_exclusion.refused(CONTEXT, *one.plain, alone) == ["distinct"]
    true, (true_sent, true_proof) = true_claim(group, kind), true_claim(group, kind).prove()
    with pytest.raises(Malformed, match="card 2 is listed twice"):
        true.check(replace(true_sent, T=put(true_sent.T, 2, true_sent.T[0])), true_proof)
    with pytest.raises(Malformed, match="a face is multiplied twice"):
        true.check(replace(true_sent, Z=put(true_sent.Z, 2, true_sent.Z[0])), true_proof)
    with pytest.raises(Malformed, match="the key is the identity"):
        true.check(replace(true_sent, Y=group.identity(1)), true_proof)


Lie = dict[str, Callable[..., object]]


def lies(group: Group, kind: str) -> dict[str, tuple[Lie, set[str]]]:
    """How a holder of a forbidden card might go about it, and which equations of the proof then fail."""
    other, elsewhere = points(group, "deck", FACES)[8], points(group, "no face at all")

    def at_1(new: Points) -> Callable[[int, list[Points]], list[Points]]:
        return lambda y, T: [T[0], plain_exclusion.times(y, new), *T[2:]]

    def moved(y: int, T: list[Points]) -> list[Points]:
        """T_1 as it comes out for x_1 + 1."""
        at = false_claim(group, kind).plain[1][1]
        return [T[0], T[1] - at.u if isinstance(at, PlainMasked) else T[1] + at.own, *T[2:]]

    return {
        "another face for its card": ({"T": at_1(other)}, {"cards"}),
        "a point that is no face": ({"T": at_1(elsewhere)}, {"cards"}),
        "another y for its card": ({"T": lambda y, T: [T[0], T[1] + T[1], *T[2:]]}, {"cards"}),
        "another y for all cards": ({"T": lambda y, T: [point + point for point in T]}, {"cards"}),
        "another y for all faces": ({"Z": lambda y, Z: [point + point for point in Z]}, {"faces"}),
        "another point for the face": (
            {"Z": lambda y, Z: [*Z[:2], plain_exclusion.times(y, other), *Z[3:]]},
            {"faces"},
        ),
        # With x_1 moved T_1 is some point that fits its row: the key's row does not.
        "another key for its card": (
            {"x": lambda x: [x[0], (x[1] + 1) % group.order, *x[2:]], "T": moved},
            {"key of card 1"},
        ),
    }


@pytest.mark.parametrize("name", list(lies(make_group(backend="reference"), "masked")))
def test_lies(group: Group, kind: str, name: str) -> None:
    """Each is refused, by the row that it breaks and by no other: so each row is needed."""
    one = false_claim(group, kind)
    faces, cards = one.plain
    lie, broken = lies(group, kind)[name]
    forged = plain_exclusion.prove(CONTEXT, tape("prover"), faces, cards, **lie)  # type: ignore[arg-type]
    assert set(plain_exclusion.refused(CONTEXT, faces, cards, forged)) == broken
    check = one.check(*of(forged))
    assert not accepted(lambda: check)
    rows = [all(oracle.holds(equation)) for equation in check.equations]
    place = {"faces": 1, "key of card 1": 2, "cards": 3}
    assert [row for row, holds in enumerate(rows) if not holds] == sorted(place[row] for row in broken)
    # A verifier that forgets that row believes it.
    for row in broken:
        settle([oracle.without(check, place[row])], entropy("forgotten"))


def test_what_the_row_of_the_key_is_for(group: Group, kind: str) -> None:
    """Without it a key passes of which nobody knows the secret: then y is not bound to be the one of the key."""
    one = true_claim(group, kind)
    faces, cards = one.plain
    secret = integers(scalars(group, "y"))[0]
    assert one.accepts(*of(plain_exclusion.prove(CONTEXT, tape("prover"), faces, cards, y=secret)))
    # Nobody knows a relation of this Y to G; the challenges are hashed as always.
    sent, proof = _with_key(one, points(group, "another key"))
    check = one.check(sent, proof)
    holds = [all(oracle.holds(equation)) for equation in check.equations]
    assert not accepted(lambda: check)
    if kind == "masked":
        assert holds == [False, True, True, True]
        settle([oracle.without(check, 0)], entropy("forgotten"))
    else:
        assert holds == [False, True, False, True], "there Y stands in the rows of the keys, too"


def _with_key(one: Claim, Y: Points) -> tuple[ExclusionProducts, bytes]:
    """A proof that is right but for its key."""
    faces, cards = one.plain
    return of(plain_exclusion.prove(CONTEXT, tape("prover"), faces, cards, Y=Y))


def test_weights_that_are_known_first(group: Group, kind: str) -> None:
    """With weights that do not depend on the products, two false ones cancel, and any claim gets through."""
    one = false_claim(group, kind)
    faces, cards = one.plain
    guessed = scalars(group, "guessed weights", 7)
    error, beta = points(group, "error"), guessed[4:]

    def cancelling(y: int, T: list[Points]) -> list[Points]:
        return [T[0] + beta[0].invert() * error, T[1] - beta[1].invert() * error, *T[2:]]

    forged = of(plain_exclusion.prove(CONTEXT, tape("x"), faces, cards, T=cancelling, weights=integers(guessed)))
    frozen = oracle.programmed({labels.WEIGHTS: guessed})
    assert accepted(lambda: exclusion.check(frozen, one.statement, *forged))
    assert not one.accepts(*forged)


def test_all_that_is_public_is_in_the_challenges(group: Group, kind: str) -> None:
    """The whole statement and all products in the weights; these, and what is committed to, in the challenge."""
    one = true_claim(group, kind)
    sent, proof = one.prove()
    before = drawn(one, sent, proof)
    for name, array in one.arrays.items():
        for index in range(len(array)):
            changed = with_array(one, name, put(array, index, array[index] + group.G))
            assert differ(before, drawn(changed, sent, proof))
    off = one.cards.off + group.integers([0, 0, 1])
    assert differ(before, drawn(with_array(one, "off", off), sent, proof))
    for name in ("Y", "Z", "T"):
        sent_array: Points = getattr(sent, name)
        for index in range(len(sent_array)):
            changed_array = put(sent_array, index, sent_array[index] + group.G)
            assert differ(before, drawn(one, replace(sent, **{name: changed_array}), proof))
    for index in range(6):
        C = group.points(proof[1 : 1 + 6 * 32])
        other = b"\1" + put(C, index, C[index] + group.G).to_bytes() + proof[1 + 6 * 32 :]
        after = drawn(one, sent, other)
        assert after[labels.WEIGHTS] == before[labels.WEIGHTS] and after[labels.CHALLENGE] != before[labels.CHALLENGE]
    for context in OTHER_CONTEXTS.values():
        assert differ(before, drawn(one, sent, proof, context))


def drawn(one: Claim, sent: ExclusionProducts, proof: bytes, context: Context = CONTEXT) -> dict[str, Scalars]:
    return oracle.challenges_of(lambda t: exclusion.check(t, one.statement, sent, proof), context)


def differ(before: dict[str, Scalars], after: dict[str, Scalars]) -> bool:
    return all(before[label] != after[label] for label in (labels.WEIGHTS, labels.CHALLENGE))


# --- y ---


def test_with_one_y_for_two_proofs_a_card_is_read(group: Group, kind: str) -> None:
    """Of a card it was proven that it is no heart, and then of another that it is none of some other faces: where y is
    the same, the second list is a table in which the first card is looked up."""
    secret = integers(scalars(group, "y"))[0]
    first, second = claim(group, kind, (7,), (0, 4, 5, 11)), claim(group, kind, (9,), (2, 6, 7, 8), "later")
    sent = [
        of(plain_exclusion.prove(CONTEXT, tape("x"), *one.plain, y=secret))[0] if reused else one.prove()[0]
        for reused in (True, False)
        for one in (first, second)
    ]
    assert sent[0].T[0] == sent[1].Z[2], "the first card is the third face of the second list"
    assert all(sent[2].T[0] != sent[3].Z[face] for face in range(4))


def test_y_is_fresh_for_every_proof(group: Group, kind: str) -> None:
    """Whatever differs, the place in the log, the faces, the cards or the order of either: y is another. For the same
    proof it is the same, and so is every byte."""
    one = true_claim(group, kind)
    again, proof = one.prove()
    assert (again.T, proof) == (one.prove()[0].T, one.prove()[1])
    others = [one.prove(context)[0] for context in OTHER_CONTEXTS.values()]
    others += [claim(group, kind, held, faces).prove()[0] for held, faces in [
        ((7, 2, 9), (0, 4, 5)), ((7, 2, 9), (0, 4, 5, 10)), ((7, 2), (0, 4, 5, 11)), ((2, 7, 9), (0, 4, 5, 11)),
    ]]  # fmt: skip
    keys = {sent.Y.to_bytes() for sent in (again, *others)}
    assert len(keys) == 1 + len(others)
    assert exclusion.prove(CONTEXT.transcript(), tape("another"), one.statement, one.s)[0].Y.to_bytes() not in keys


# --- Why it is a proof, and what it does not show ---


def test_two_answers_give_the_secrets(group: Group, kind: str) -> None:
    """Two answers on the same commitments are y and all y·s_i; with these every product is that of its face."""
    one = true_claim(group, kind)
    c = scalars(group, "two challenges", 2)
    made = [
        exclusion.prove(oracle.programmed({labels.CHALLENGE: c[i]}), tape("x"), one.statement, one.s) for i in (0, 1)
    ]
    boundary = 1 + 6 * 32
    assert made[0][1][:boundary] == made[1][1][:boundary]
    first, second = (group.scalars(proof[boundary:]) for _, proof in made)
    found = (first - second) * (c[0] - c[1]).invert()
    y, sent = found[0], made[0][0]
    assert found[1:] == (y * one.s if kind == "masked" else y * one.s.invert()) and y * group.G == sent.Y
    assert y * one.statement.faces == sent.Z and y * one.deck.take([7, 2, 9]) == sent.T


def test_who_knows_no_secret_of_a_card_can_simulate_the_proof(group: Group, kind: str) -> None:
    """For a challenge that is known first: so beside the products a proof says nothing."""
    one = true_claim(group, kind)
    sent, honest = one.prove()
    _, cards = one.plain
    c, responses = scalars(group, "c"), scalars(group, "responses", 4)
    y, *x = integers(responses)
    weights = oracle.challenges_of(lambda t: exclusion.check(t, one.statement, sent, honest))[labels.WEIGHTS]
    alpha, beta = weights[:4], weights[4:]
    C = [
        responses[0] * group.G - c * sent.Y,
        ((responses[0] * alpha) * one.statement.faces - (c * alpha) * sent.Z).sum(),
        *(card.key_row(y, x[i]) - c * card.key_image(sent.Y) for i, card in enumerate(cards)),
        concat(*(beta[i] * card.card_row(y, x[i]) - (c * beta[i]) * sent.T[i] for i, card in enumerate(cards))).sum(),
    ]
    proof = b"\1" + concat(*C).to_bytes() + responses.to_bytes()
    assert accepted(lambda: exclusion.check(oracle.programmed({labels.CHALLENGE: c}), one.statement, sent, proof))
    assert not one.accepts(sent, proof)
