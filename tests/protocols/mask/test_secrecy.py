"""What published points give away: nothing about a card that was not dealt to you or to all."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import pytest

from nodealer.cards.operations import Deal, Gift, Mix, NewDeck, Open, Pass, Peek, Place, Portion, Return, Show
from nodealer.errors import DecodeError
from nodealer.group import Group, Scalars, concat
from nodealer.protocols.base import Duty
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.return_cards import Gathering, Masking
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.wire import decode

from ..decks import Decks
from ..kit import changed, cheat, encodings, field_of
from .kit import fresh, played, table
from .polynomials import ONE, ZERO, Poly, in_span, symbol

pytestmark = pytest.mark.sample(reference=1)

# --- In symbols ---

SEATS: Final = 4


@dataclass
class SymbolicCard:
    """One card and all that was ever published about it, with its whole way known to everybody: the worst case.

    Seats that the attacker owns give it their secrets; what seats publish as scalars it knows as well.
    """

    known: set[str] = field(default_factory=set)
    published: list[Poly] = field(default_factory=list)
    epk: Poly = field(default_factory=lambda: symbol("y"))
    msg: Poly = ZERO
    keys: list[Poly] = field(default_factory=list)
    names: Iterable[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        """After a shuffle: the card lies under one shuffle key each, and nobody knows y."""
        self.keys = self._secrets("s")
        self.msg = symbol("card") + self._sum(self.keys) * self.epk
        self.published += [ONE, self.epk, self.msg, *self.keys]
        self.move()

    @staticmethod
    def _sum(values: Iterable[Poly]) -> Poly:
        total = ZERO
        for value in values:
            total += value
        return total

    def _secrets(self, name: str) -> list[Poly]:
        number = next(self.names)  # type: ignore[call-overload]
        return [symbol(f"{name}{number}[{seat}]") for seat in range(SEATS)]

    def move(self) -> None:
        """Rekey, or gather: every seat to a fresh key."""
        fresh_keys = self._secrets("s")
        gains = [(new - old) * self.epk for new, old in zip(fresh_keys, self.keys, strict=True)]
        self.published += [*fresh_keys, *gains]
        self.keys, self.msg = fresh_keys, self.msg + self._sum(gains)

    def mask(self) -> None:
        masks, joint = self._secrets("r"), self._sum(self.keys)
        self.published += [*masks, *(r * joint for r in masks)]
        self.epk, self.msg = self.epk + self._sum(masks), self.msg + self._sum(r * joint for r in masks)

    def deal(self, holder: int | None) -> None:
        """All but the holder publish their keys of the card; for None, all do. Who has none in it owes nothing."""
        self.known |= {key.terms[0][0][0] for seat, key in enumerate(self.keys) if seat != holder and key != ZERO}

    def hand_over(self, giver: int, to: int, key: Poly | None = None) -> tuple[Poly, Poly, Poly]:
        """What giving or showing a card publishes: the receiver's new key, and the card under it. `key` is a false one.

        The same for a card that stays where it is: shown, or in a pass that broke off.
        """
        number = next(self.names)  # type: ignore[call-overload]
        t, rho = symbol(f"t{number}[{to}]") if key is None else key, symbol(f"r{number}[{giver}]")
        self.published += [t, rho, symbol("card") + rho * t]
        return t, rho, symbol("card") + rho * t

    def give(self, giver: int, to: int) -> None:
        """Passed: the card is under the receiver's key alone, and nobody else has one in it."""
        t, self.epk, self.msg = self.hand_over(giver, to)
        self.keys = [t if seat == to else ZERO for seat in range(SEATS)]

    def peek(self, looker: int, key: Poly | None = None) -> None:
        """What a look publishes: the looker's new key, and everybody else's part of the mask. `key` is a false one."""
        number = next(self.names)  # type: ignore[call-overload]
        t = symbol(f"t{number}[{looker}]") if key is None else key
        self.published.append(t)
        for seat in range(SEATS):
            if seat != looker:
                rho = symbol(f"r{number}[{seat}]")
                self.published += [rho, self.keys[seat] * self.epk + rho * t]

    def arrange(self, looker: int) -> None:
        """The looker alone masks the card under the joint key, in an order that everybody knows."""
        rho, joint = symbol(f"r{next(self.names)}[{looker}]"), self._sum(self.keys)  # type: ignore[call-overload]
        self.epk, self.msg = self.epk + rho, self.msg + rho * joint
        self.published += [self.epk, self.msg]

    def put_in_order(self, looker: int, *, all_shuffle: bool = False) -> None:
        """Looked at, gathered, put in order by the looker, shuffled by all where it is the rest of a search."""
        self.peek(looker)
        self.move()
        self.arrange(looker)
        if all_shuffle:
            self.mask()
        self.move()

    def mix(self, holder: int) -> None:
        """In a hand that its holder shuffles: to one own key, masked under it, to a key of its own."""
        number = next(self.names)  # type: ignore[call-overload]
        s, rho, new = (symbol(f"{name}{number}[{holder}]") for name in ("s", "r", "k"))
        first = (s - self.keys[holder]) * self.epk
        epk = self.epk + rho
        self.published += [s, first, epk, symbol("card") + s * epk, new, (new - s) * epk]
        self.epk, self.msg = epk, symbol("card") + new * epk
        self.keys = [new if seat == holder else ZERO for seat in range(SEATS)]

    def gather_and_break_off(self) -> None:
        """What seats publish to give the card back, in vain: it stays under the keys that it has."""
        kept = self.keys, self.msg
        self.move()
        self.keys, self.msg = kept

    def give_back(self) -> None:
        """To the top, to the bottom, or into a shuffle whose order everybody knows."""
        self.move()
        self.mask()
        self.move()

    def tag(self, staying: tuple[int, ...], keys: list[Poly], *cards: tuple[Poly, Poly]) -> None:
        """What a rebuild publishes to find cards: multiplied by each in turn, and everybody's share of the mask."""
        number, cards_now = next(self.names), list(cards)  # type: ignore[call-overload]
        for seat in staying:
            z = symbol(f"z{number}[{seat}]")
            cards_now = [(z * epk, z * msg) for epk, msg in cards_now]
            self.published += [z, *(point for card in cards_now for point in card)]
        shares = [[keys[seat] * epk for seat in staying] for epk, _ in cards_now]
        self.published += [share for parts in shares for share in parts]

    def rebuild(self, holder: int, staying: tuple[int, ...]) -> None:
        """The card is held and stays so: its holder declares it, and everybody knows which card of the deck it is."""
        keys = self._secrets("k")
        joint = self._sum(keys[seat] for seat in staying)
        rho, y = (symbol(f"{name}{next(self.names)}[{holder}]") for name in ("r", "y"))  # type: ignore[call-overload]
        declared = rho, symbol("card") + rho * joint
        shuffled = y, symbol("card") + y * joint
        self.published += [*(keys[seat] for seat in staying), *declared, *shuffled]
        self.tag(staying, keys, declared, shuffled)

    def rebuilt_into(self, staying: tuple[int, ...]) -> None:
        """The card is in the rebuilt deck: shuffled anew, tagged, and moved to keys of its own."""
        self.keys = self._secrets("k")
        for seat in range(SEATS):
            if seat not in staying:
                self.known.add(self.keys[seat].terms[0][0][0])
        joint = self._sum(self.keys[seat] for seat in staying)
        self.epk = symbol(f"y{next(self.names)}")  # type: ignore[call-overload]
        self.msg = symbol("card") + joint * self.epk
        self.published += [self.epk, self.msg, *(self.keys[seat] for seat in staying)]
        self.tag(staying, self.keys, (self.epk, self.msg))
        self.msg = symbol("card") + self._sum(self.keys) * self.epk
        self.move()

    def read_by(self, *seats: int) -> bool:
        """Whether these seats together can compute the card."""
        names = {name for poly in self.published for monomial, _ in poly.terms for name in monomial}
        known = self.known | {name for name in names for seat in seats if name.endswith(f"[{seat}]")}
        return in_span(symbol("card"), [poly.seen_with(known) for poly in (*self.published, self.msg)])


def outsiders(*insiders: int) -> list[tuple[int, ...]]:
    others = [seat for seat in range(SEATS) if seat not in insiders]
    return [seats for count in range(len(others) + 1) for seats in itertools.combinations(others, count)]


def test_symbols_see_a_dealt_and_an_opened_card() -> None:
    card = SymbolicCard()
    assert not any(card.read_by(*seats) for seats in outsiders(0))
    card.deal(0)
    assert card.read_by(0)
    assert not any(card.read_by(*seats) for seats in outsiders(0))
    card.deal(None)
    assert card.read_by()


@pytest.mark.parametrize("way", list(itertools.product((0, 1), repeat=3)), ids=str)
def test_a_card_that_went_back_is_read_only_by_those_who_had_it(way: tuple[int, ...]) -> None:
    """Dealt, given back where everybody sees it lie, dealt again, three times: no coalition of others learns it."""
    card, had = SymbolicCard(), set[int]()
    for holder in way:
        card.deal(holder)
        had.add(holder)
        assert all(card.read_by(seat) for seat in had)
        assert not any(card.read_by(*seats) for seats in outsiders(*had))
        card.give_back()
        assert not any(card.read_by(*seats) for seats in outsiders(*had))


def test_fresh_keys_alone_give_the_card_away() -> None:
    """Why cards that go back are masked: on the same epk, an old key that is public makes the new share public."""
    card = SymbolicCard()
    card.deal(0)
    card.move()
    assert not card.read_by()
    card.deal(1)
    assert card.read_by()


def test_masks_without_keys_that_are_never_published_give_the_card_away() -> None:
    """Why there is a joint key in between: move and mask, and the keys that are published later undo the mask."""
    card = SymbolicCard()
    card.deal(0)
    card.move()
    card.mask()
    card.deal(1)
    assert card.read_by()


def test_masks_under_the_old_keys_give_the_card_away() -> None:
    card = SymbolicCard()
    card.deal(0)
    card.mask()
    card.move()
    card.deal(1)
    assert card.read_by()


@pytest.mark.parametrize("leavers", [(3,), (2, 3), (3, 2)], ids=str)
def test_a_held_card_is_not_read_in_a_rebuild(leavers: tuple[int, ...]) -> None:
    """Held by seat 0 through one or two rebuilds: no coalition of others reads it, with all that the leavers know."""
    card, staying = SymbolicCard(), tuple(range(SEATS))
    card.deal(0)
    for leaver in leavers:
        staying = tuple(seat for seat in staying if seat != leaver)
        card.rebuild(0, staying)
        assert card.read_by(0)
        assert not any(card.read_by(*seats) for seats in outsiders(0))


@pytest.mark.parametrize("had", [None, 0, 3])
def test_a_card_of_a_rebuilt_deck_is_read_only_by_who_is_dealt_it(had: int | None) -> None:
    """Never dealt, or half dealt to one who stays, or the leaver's: it goes back, and is dealt to seat 1."""
    card, knew = SymbolicCard(), () if had is None else (had,)
    if had is not None:
        card.deal(had)
    card.rebuilt_into((0, 1, 2))
    assert not any(card.read_by(*seats) for seats in outsiders(*knew) if not {0, 1, 2} <= {*seats})
    card.deal(1)
    assert card.read_by(1)
    assert not any(card.read_by(*seats) for seats in outsiders(1, *knew))


def nobody_else_reads(card: SymbolicCard, *had: int) -> bool:
    return all(card.read_by(seat) for seat in had) and not any(card.read_by(*seats) for seats in outsiders(*had))


@pytest.mark.parametrize("way", [(1,), (1, 2), (1, 0), (1, 2, 1)], ids=str)
def test_a_passed_card_is_read_only_by_those_who_had_it(way: tuple[int, ...]) -> None:
    """From seat 0 on, and back where everybody sees it lie, with a gathering that broke off before; dealt to seat 3."""
    card, had = SymbolicCard(), [0]
    card.deal(0)
    for to in way:
        card.give(had[-1], to)
        had.append(to)
        assert nobody_else_reads(card, *had)
    card.gather_and_break_off()
    assert nobody_else_reads(card, *had)
    card.give_back()
    assert nobody_else_reads(card, *had)
    card.deal(3)
    assert nobody_else_reads(card, *had, 3)
    card.give(3, 0)
    card.give_back()
    assert nobody_else_reads(card, *had, 3)


def test_a_card_that_was_shown_to_one_or_half_passed_is_read_by_no_other() -> None:
    """Twice, as when a pass broke off and was begun anew; then it goes back, and is dealt to seat 2."""
    card = SymbolicCard()
    card.deal(0)
    card.hand_over(0, 1)
    card.hand_over(0, 1)
    assert nobody_else_reads(card, 0, 1)
    card.give_back()
    card.deal(2)
    assert nobody_else_reads(card, 0, 1, 2)


@pytest.mark.parametrize("declarer", [0, 1])
def test_a_passed_card_is_not_read_in_a_rebuild(declarer: int) -> None:
    """Declared by who has it, or, if that one leaves, by who gave it; then it goes back, and is dealt to seat 2."""
    card, staying = SymbolicCard(), (0, 2, 3) if declarer == 0 else (0, 1, 2)
    card.deal(0)
    held = card.keys, card.epk, card.msg
    card.give(0, 1)
    card.rebuild(declarer, staying)
    assert nobody_else_reads(card, 0, 1)
    if declarer == 0:
        card.keys, card.epk, card.msg = held
    card.give_back()
    card.deal(2)
    assert nobody_else_reads(card, 0, 1, 2)


def test_a_passed_card_of_a_rebuilt_deck_is_read_only_by_those_who_had_it() -> None:
    """Giver and receiver leave: it is in the deck again, and is dealt to seat 2."""
    card = SymbolicCard()
    card.deal(0)
    card.give(0, 1)
    card.rebuilt_into((2, 3))
    assert not card.read_by(2) and not card.read_by(3)
    card.deal(2)
    assert nobody_else_reads(card, 0, 1, 2)


def test_a_card_given_under_a_key_that_was_published_is_read_by_all() -> None:
    """Why the receiver's key is a new one: its key of this very card was published when the giver got it."""
    card = SymbolicCard()
    card.deal(0)
    card.hand_over(0, 1, key=card.keys[1])
    assert card.read_by()


@pytest.mark.parametrize("lookers", [(1,), (1, 1), (1, 2)], ids=str)
def test_a_card_that_was_looked_at_is_read_only_by_who_looked_and_who_gets_it(lookers: tuple[int, ...]) -> None:
    """Looked at where it lies; then dealt to seat 3, given back where everybody sees it, and dealt to seat 0."""
    card = SymbolicCard()
    for looker in lookers:
        card.peek(looker)
        assert card.read_by(looker)
    assert nobody_else_reads(card, *{*lookers})
    card.deal(3)
    assert nobody_else_reads(card, *{*lookers, 3})
    card.give_back()
    assert nobody_else_reads(card, *{*lookers, 3})
    card.deal(0)
    assert nobody_else_reads(card, *{*lookers, 3, 0})


@pytest.mark.parametrize("all_shuffle", [False, True])
def test_a_card_that_was_put_in_order_is_read_only_by_who_looked(all_shuffle: bool) -> None:
    """Twice by seat 1, once begun and broken off before; then dealt to seat 2; and, instead, kept by seat 1."""
    card = SymbolicCard()
    card.peek(1)
    card.gather_and_break_off()
    assert nobody_else_reads(card, 1)
    card.put_in_order(1, all_shuffle=all_shuffle)
    assert nobody_else_reads(card, 1)
    card.put_in_order(1)
    card.deal(2)
    assert nobody_else_reads(card, 1, 2)
    kept = SymbolicCard()
    kept.put_in_order(1)
    kept.deal(1)
    assert nobody_else_reads(kept, 1)
    kept.give_back()
    kept.deal(3)
    assert nobody_else_reads(kept, 1, 3)


def test_a_card_alone_that_was_looked_at_and_kept() -> None:
    """It has no order, and nobody masks it: its old keys were never published."""
    card = SymbolicCard()
    card.peek(1)
    card.move()
    card.move()
    card.deal(1)
    assert nobody_else_reads(card, 1)
    card.give_back()
    card.deal(2)
    assert nobody_else_reads(card, 1, 2)


def test_a_card_of_a_hand_that_was_shuffled_is_read_only_by_its_holder() -> None:
    """Twice, then passed to seat 1, who shuffles it too; given back, and dealt to seat 3."""
    card = SymbolicCard()
    card.deal(0)
    card.mix(0)
    card.mix(0)
    assert nobody_else_reads(card, 0)
    card.give(0, 1)
    card.mix(1)
    assert nobody_else_reads(card, 0, 1)
    card.gather_and_break_off()
    card.give_back()
    card.deal(3)
    assert nobody_else_reads(card, 0, 1, 3)


def test_a_looked_at_card_in_rebuilds() -> None:
    """In the pile it goes back, and is dealt to seat 2; in the hand of who kept it, it stays."""
    card = SymbolicCard()
    card.peek(1)
    card.rebuilt_into((0, 1, 2))
    card.deal(2)
    assert nobody_else_reads(card, 1, 2)
    kept = SymbolicCard()
    kept.put_in_order(1)
    kept.deal(1)
    kept.mix(1)
    kept.rebuild(1, (0, 1, 2))
    assert nobody_else_reads(kept, 1)


def test_a_look_by_publishing_keys_gives_the_card_away() -> None:
    """Why nobody publishes a key for a look: the card is under the looker's alone then, and when it is dealt to seat 2
    the looker publishes that one."""
    card = SymbolicCard()
    card.deal(1)
    assert nobody_else_reads(card, 1)
    card.deal(2)
    assert card.read_by()


def test_a_look_under_a_key_of_a_card_gives_the_card_away() -> None:
    """Why the key of a look is a new one: its key of this very card is published when seat 2 gets it."""
    card = SymbolicCard()
    card.peek(1, key=card.keys[1])
    card.deal(2)
    assert card.read_by(3)


def test_tags_with_a_known_secret_give_the_card_away() -> None:
    """Why z is everybody's: if it were known, a tag would be the face."""
    card = SymbolicCard()
    card.deal(0)
    card.rebuild(0, (0, 1, 2))
    assert not card.read_by(1, 2)
    card.known |= {name for poly in card.published for monomial, _ in poly.terms for name in monomial if name[0] == "z"}
    assert card.read_by()


# --- On the log ---


@pytest.mark.parametrize("place", [Place.TOP, Place.BOTTOM])
def test_outsider_reads_nothing_after_a_return(group: Group, place: Place) -> None:
    """The attack of the third test above, with numbers, on what a table publishes."""
    decks = fresh(group, 3, 2)
    decks.ask(Deal(0, (Portion(0, 1),)))
    decks.ask(Return(0, (0,), place))
    deck = decks.ask(Deal(0, (Portion(1, positions=(2,)),)))
    said = {(duty.kind, duty.seat, count): message for count, (duty, message) in enumerate(decks.said)}

    def of(step: str, seat: int, name: str, which: int) -> bytes:
        return field_of([m for (s, p, _), m in said.items() if (s, p) == (step, seat)][which], name)

    cards, G = deck.layers.cards((2,)), group.G
    first, old = deck.layers.cards((0,)), group.scalars(of("release", 1, "keys", 0))
    assert old * G == deck.layers.all_layers[0].keys[1][0], "seat 1 published its key when seat 0 got the card"
    gathered = group.points(of("gather", 1, "gains", 0)) + old * first.epk
    gained = group.points(of("rekey", 1, "gains", -1))
    others = group.scalars(of("release", 0, "keys", -1)) + group.scalars(of("release", 2, "keys", -1))
    for share in (gathered, gathered + gained, gained, gained + old * cards.epk):
        assert encodings(cards.msg - others * cards.epk - share)[0] not in deck.faces.index
    assert cards.epk != first.epk
    own = deck.layers.draw_secrets(decks.tapes[1], deck.layers.all_layers[1], 1)
    assert encodings(cards.msg - (others + own) * cards.epk)[0] in deck.faces.index


def everything(group: Group) -> Decks[MaskDeck]:
    """A deck that has been through all operations."""
    decks = fresh(group, 3, 5)
    for operation in (
        Deal(0, (Portion(0, 1), Portion(1, 1))),
        Open(0, 1),
        Return(0, (0,), Place.TOP),
        Deal(0, (Portion(2, 1),)),
        Return(0, (1, 2), Place.SHUFFLED),
        Deal(0, (Portion(0, 2), Portion(1, 1))),
        Show(0, 2, (5,)),
        Peek(0, 2, 1),
        Mix(0, 0, (6, 7)),
        Pass(0, (Gift(1, 2, (8,)),)),
    ):
        decks.ask(operation)
    return decks


def published_points(group: Group, said: Iterable[tuple[Duty, bytes]]) -> list[bytes]:
    """Every run of 32 bytes in every field that is a point, in messages and in proofs."""
    found = []
    for _, message in said:
        for value in decode(dict, message, what="a message").items():
            raw = b"" if value[0] == "type" else field_of(message, value[0])
            for start in (0, 1):
                for at in range(start, len(raw) - 31, 32):
                    try:
                        found.append(group.points(raw[at : at + 32]).to_bytes())
                    except DecodeError:
                        continue
    return found


def secrets_of(decks: Decks[MaskDeck], seat: int) -> Scalars:
    deck, tape = decks.decks[0], decks.tapes[seat]
    shuffles = [deck.shuffle_secret(tape, seat, epoch) for epoch in range(deck.places.epoch + 1)]
    return concat(*shuffles, *(deck.layers.draw_secrets(tape, layer, seat) for layer in deck.layers.all_layers))


def test_nothing_published_is_a_secret_times_an_epk(fast: Group) -> None:
    """s·epk, for every secret key of every seat and every epk that was ever published, in no message and no proof."""
    decks = everything(fast)
    decks.settle()
    public = published_points(fast, decks.said)
    assert len(public) > 250
    epks = [
        field_of(m, "epk") for d, m in decks.said if d.kind in ("shuffle", "reshuffle", "mask", "tell", "mix", "hand")
    ]
    epk = concat(
        *(fast.points(data) for data in epks), *(layer.cards.epk for layer in decks.decks[0].layers.all_layers)
    )
    for seat in range(3):
        secrets = secrets_of(decks, seat)
        for index in range(len(secrets)):
            assert not set(encodings(secrets[index] * epk)) & set(public)


def test_fork_that_feeds_a_seat_its_own_epk(fast: Group) -> None:
    """Made to shuffle its own cards, or points it published elsewhere, a seat still publishes no s·epk."""
    decks = fresh(fast, 3, 3)
    duty, message = next((d, m) for d, m in decks.said if d.kind == "shuffle" and d.seat == 1)
    own = Masked(fast.points(field_of(message, "epk")), fast.points(field_of(message, "msg")))
    S = fast.points(field_of(message, "key"))
    for cards in (own, Masked(own.msg, own.epk), Masked(concat(S, own.epk[1:]), own.msg)):
        stage = MaskShuffling(NewDeck(0, 3), 0, cards, S + fast.G, {0: fast.G}, 1, b"")
        fork = replace(decks.decks[0], stage=stage)
        said = fork.message(duty, decks.tapes[1])
        s = fork.shuffle_secret(decks.tapes[1], 1, 0)
        oracle = set(encodings(s * cards.epk))
        assert not oracle & set(published_points(fast, [(duty, said)]))
        out = fast.points(field_of(said, "msg"))
        assert not any(oracle & set(encodings(out - cards.msg[place])) for place in range(3))
        assert out != fast.points(field_of(message, "msg")), "other cards, other masks"


def test_a_seat_sends_nothing_on_a_false_deck(fast: Group) -> None:
    """Verify before you send: fed points of its own in place of a deck, the next seat names the cheater and is silent.

    `cheat` asserts that no honest seat says anything after the false message.
    """

    def forge(deck: MaskDeck, duty: Duty, tape: object, honest: bytes) -> bytes:
        return changed(honest, epk=field_of(honest, "msg"), msg=field_of(honest, "epk"))

    verdict = cheat(played(fast, (NewDeck(0, 4),)), 0, "shuffle", forge)
    assert verdict.fault is not None and verdict.fault.entry == 3


def test_a_shuffle_and_masks_in_place_share_no_randomness(fast: Group) -> None:
    """Forked between giving the same cards back shuffled and to the top, a seat uses other masks for each."""
    decks = fresh(fast, 2, 2)
    decks.ask(Deal(0, (Portion(0, 2),)))
    forks = {}
    for place in (Place.SHUFFLED, Place.TOP):
        deck = decks.decks[0].request(Return(0, (0, 1), place)).deck
        for _ in range(2):
            deck = decks.step(deck, deck.duties[0])  # type: ignore[arg-type]
        forks[place] = deck
    shuffled, stacked = forks[Place.SHUFFLED].stage, forks[Place.TOP].stage  # type: ignore[attr-defined]
    assert isinstance(shuffled, MaskShuffling) and isinstance(stacked, Masking)
    assert (
        shuffled.cards is not None
        and shuffled.cards.digest() == stacked.cards.digest()
        and shuffled.joint == stacked.joint
    )
    there = decks.tapes[0], 0, 1, shuffled.cards, shuffled.joint
    _, masks = decks.decks[0].shuffle_draws(*there)
    in_place = decks.decks[0].mask_draws(*there)
    assert all(masks[i] != in_place[j] for i in range(2) for j in range(2))


def test_gather_after_a_deal_shows_shares_of_known_cards_only(fast: Group) -> None:
    """A key that was published makes the seat's share of that card's gathered mask public, and of no other card."""
    decks = fresh(fast, 3, 4)
    decks.ask(Deal(0, (Portion(0, 1),)))
    deck = decks.decks[0].request(Return(0, (0,), Place.SHUFFLED)).deck
    stage = deck.stage  # type: ignore[attr-defined]
    assert isinstance(stage, Gathering)
    for _ in range(3):
        deck = decks.step(deck, deck.duties[0])  # type: ignore[arg-type]
    gains = fast.points(field_of(decks.said[-2][1], "gains"))
    old = fast.scalars(field_of(next(m for d, m in decks.said if (d.kind, d.seat) == ("release", 1)), "keys"))
    s = decks.decks[0].shuffle_secret(decks.tapes[1], 1, 1)
    cards = decks.decks[0].layers.cards(stage.masked)
    assert gains[0] + old * cards.epk[0] == s * cards.epk[0]
    for place in range(1, 4):
        assert gains[place] + old * cards.epk[place] != s * cards.epk[place]


def test_rekey_of_a_card_with_one_key_is_not_the_bare_face(group: Group) -> None:
    """At no step does a deck hold a face in the clear: between unmasking and masking again there is no message."""
    decks = fresh(group, 2, 2)
    deck = decks.decks[0]
    bare = set(encodings(deck.faces.points))
    assert not bare & set(published_points(group, decks.said))
    # A card under one key, moved by its only owner: the source's re-mask in three steps would show it.
    layer = deck.layers.all_layers[0]
    other = deck.layers.draw_secrets(decks.tapes[1], layer, 1)
    single = layer.cards.msg - other * layer.cards.epk
    own = deck.layers.draw_secrets(decks.tapes[0], layer, 0)
    new = own + group.integers([5])
    gain = (new - own) * layer.cards.epk
    assert not bare & set(encodings(gain)) and not bare & set(encodings(single + gain))
    assert bare == set(encodings(single + gain - new * layer.cards.epk))


def test_equal_prints_are_different_faces(group: Group) -> None:
    """Faces are indices: two cards with the same print have unrelated points, other in every deck, hand and session."""
    tables = [table(group), table(group, hand=1), table(group, session=bytes(32))]
    faces = (Mask(on=group).new_deck(t, deck, 3, None).faces.points for t in tables for deck in (0, 1))
    points = [encoding for each in faces for encoding in encodings(each)]
    assert len(set(points)) == len(points) == 18
