"""Hold'em without cryptography: a dealer who knows all cards, repeatable dice, and players of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from nodealer.cards.events import Event, Finished, Moved, Opened
from nodealer.cards.operations import Card, Deal, NewDeck, Open, Show
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.holdem import Call, Carry, Fold, Hand, HandStage, Holdem, Move, Muck, NoHand, Raise, ShowHand
from nodealer.games.holdem.faces import CARDS, indices
from nodealer.tape import Tape, expand
from nodealer.wire import encode

FOLD, CALL, SHOW, MUCK = encode(Fold()), encode(Call()), encode(ShowHand()), encode(Muck())


def raise_to(amount: int) -> bytes:
    return encode(Raise(amount))


class Dice:
    """Numbers that depend only on a seed."""

    def __init__(self, *seed: str | int) -> None:
        self._seed = seed
        self._rolls = 0

    def below(self, bound: int) -> int:
        self._rolls += 1
        return int.from_bytes(expand("dice", *self._seed, self._rolls, size=8), "little") % bound


@dataclass
class Dealer:
    """Performs the requested operations. `order` is position to face; cards come from `top` in steps of `stride`."""

    order: list[int]
    stride: int = 1
    dealt: list[int] = field(default_factory=list)

    @classmethod
    def shuffled(cls, *seed: str | int, stride: int = 1) -> Dealer:
        return cls(Tape(expand("deck", *seed, size=32)).permutation("deck", b"", CARDS).vartime_list(), stride)

    @classmethod
    def stacked(cls, cards: str) -> Dealer:
        """Return a deck with these cards on top, in the order of dealing."""
        top = list(indices(cards.replace(" ", "")))
        return cls(top + [face for face in range(CARDS) if face not in top])

    def _take(self, count: int) -> list[int]:
        start = len(self.dealt)
        taken = [at * self.stride % CARDS for at in range(start, start + count)]
        self.dealt += taken
        return taken

    def answer(self, ask: Ask, silent: frozenset[int] = frozenset()) -> tuple[Event, ...]:
        """Return the events a protocol would produce. Silent seats show nothing."""
        events: list[Event] = []
        for operation in ask.operations:
            match operation:
                case NewDeck():
                    self.dealt = []
                case Deal(portions=portions):
                    for portion in portions:
                        events += [Moved(Card(0, 0, at), portion.seat) for at in self._take(portion.count)]
                case Open(count=count):
                    events += [Opened(Card(0, 0, at), self.order[at]) for at in self._take(count)]
                case Show(seat=seat, positions=positions) if seat not in silent:
                    events += [Opened(Card(0, 0, at), self.order[at]) for at in positions]
            events.append(Finished(operation))
        return tuple(events)


Policy = Callable[[Hand, int], Move]
AnyHand = Hand | NoHand


def step(hand: Hand, dealer: Dealer, policy: Policy) -> Hand:
    """Take one step of a hand, whatever it wants."""
    want = hand.wants
    if isinstance(want, Ask):
        return hand.told(dealer.answer(want, hand.gone))
    assert isinstance(want, Turn)
    seat = want.seats[0]
    return hand.moved(seat, encode(policy(hand, seat)))


def play(hand: AnyHand, dealer: Dealer, policy: Policy) -> AnyHand:
    """Play a hand to its end."""
    while isinstance(hand, Hand) and not isinstance(hand.wants, Done):
        hand = step(hand, dealer, policy)
    return hand


def script(hand: AnyHand, dealer: Dealer, *moves: bytes) -> Hand:
    """Make these moves, each by the seat whose turn it is, and deal until the next move or the end."""
    assert isinstance(hand, Hand)
    hand = dealt(hand, dealer)
    for move in moves:
        assert isinstance(hand.wants, Turn)
        hand = dealt(hand.moved(hand.wants.seats[0], move), dealer)
    return hand


def dealt(hand: Hand, dealer: Dealer) -> Hand:
    while isinstance(hand.wants, Ask):
        hand = hand.told(dealer.answer(hand.wants, hand.gone))
    return hand


def checks_down(hand: Hand, seat: int) -> Move:
    return Call() if hand.stage is HandStage.BETTING else ShowHand()


def wild(dice: Dice) -> Policy:
    """Return a policy that plays any legal move, large or small, with frequencies that differ from hand to hand."""
    raises, folds, shoves, mucks = dice.below(50), dice.below(40), dice.below(15), dice.below(80)

    def policy(hand: Hand, seat: int) -> Move:
        legal = hand.legal(seat)
        if legal.call is None:
            return Muck() if dice.below(100) < mucks else ShowHand()
        roll = dice.below(100)
        if legal.raise_from is not None and legal.raise_to is not None and roll < raises:
            room = legal.raise_to - legal.raise_from
            all_in = dice.below(100) < shoves
            return Raise(legal.raise_from + (room if all_in else dice.below(room + 1) // (1 + dice.below(30))))
        return Fold() if legal.fold and dice.below(100) < folds else Call()

    return policy


def table_of(stacks: dict[int, int], rules: Holdem, *, button: int | None = None, hand: int = 0) -> Hand:
    """Return a hand of seats with given stacks; without `button`, the lowest seat has it."""
    seats = tuple(sorted(stacks))
    before = None if button is None else seats[seats.index(button) - 1]
    begun = rules.begin(hand, seats, NoHand(0, seats, Carry(before, None), stacks), stacks)
    assert isinstance(begun, Hand)
    return begun


def stacks_after(hand: AnyHand) -> dict[int, int]:
    """Return the table's balances after a finished hand."""
    assert isinstance(hand.wants, Done)
    paid, net = hand.wants.paid, hand.wants.net
    assert sum(net.values()) == 0 and all(-paid.get(seat, 0) <= amount for seat, amount in net.items())
    return {seat: stack + net.get(seat, 0) for seat, stack in hand.chips.items()}


def public(hand: Hand) -> bytes:
    """Return everything that replicas must agree on and that must not change in an old value."""
    cards = [sorted(hand.held.items()), sorted(hand.shown.items()), hand.runout]
    ending = None if hand.ending is None else hand.ending.value
    place = [hand.number, hand.seats, hand.stage.value, sorted(hand.gone), ending]
    purse = [sorted(hand.chips.items()), sorted(hand.after.items()), sorted(hand.paid.items())]
    return encode([place, purse, cards, hand.table.public()])
