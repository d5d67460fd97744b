"""One hand of hold'em: what it asks of the cards, whose turn it is, and how it ends.

The cards flow like this: a deck and two cards for each seat in one request; three, one and one for the board; at the
showdown the hands that must be shown or that their seats choose to show. When chips are all in, the rest of the board
and all hands come in one request, the board first, so that nobody who could leave knows who is ahead before it is full.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from nodealer.cards.events import Event, Half, Moved, Opened
from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Portion, Show
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.bank import Bank
from nodealer.games.base import Ask, Done, Turn, Want
from nodealer.games.holdem.adapter import BOARD, Act, Board, Over, PokerTable, Showdown, strength
from nodealer.games.holdem.faces import CARDS
from nodealer.games.holdem.leave_price import LeavePrice
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand, read_move
from nodealer.games.holdem.result import Carry, HoldemEnding, result
from nodealer.games.pots import Pot, PotClaims, pots, winnings
from nodealer.records import replace
from nodealer.wire import encode

DECK: Final = 0
HOLE: Final = 2


class HandStage(enum.Enum):
    """Where a hand stands."""

    #: The deck is made and two cards are dealt to each seat.
    DEALING = "dealing"
    #: A seat has to bet, call or fold.
    BETTING = "betting"
    #: Cards come on the board.
    BOARD = "board"
    #: Nothing more to bet: the rest of the board is opened and all hands are shown.
    REVEALING = "revealing"
    #: A seat may show or muck at the showdown.
    CHOOSING = "choosing"
    #: A seat shows at the showdown.
    SHOWING = "showing"
    #: A seat has the pot uncontested and may show if it likes.
    CLAIMING = "claiming"
    #: It does.
    BOASTING = "boasting"
    OVER = "over"


_ASKING: Final = (HandStage.DEALING, HandStage.BOARD, HandStage.REVEALING, HandStage.SHOWING, HandStage.BOASTING)


@dataclass(frozen=True, eq=False)
class Hand:
    """One hand. Immutable: every step gives a new one."""

    number: int
    #: All seats that began, those that sit out too.
    seats: tuple[int, ...]
    #: Their chips as the hand began.
    chips: Mapping[int, int]
    table: PokerTable
    stage: HandStage = HandStage.DEALING
    #: Seat to the positions of its cards in the deck, and seat to the faces it has shown.
    held: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    shown: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    #: Board cards that were opened with the hands; the table gets them after the hands.
    runout: tuple[int, ...] = ()
    gone: frozenset[int] = frozenset()
    #: What leaving costs here.
    price: LeavePrice = field(default_factory=LeavePrice)
    #: Dead money of earlier hands in the pot, and what seats pay that leave this one at a price.
    dead: int = 0
    charges: Mapping[int, int] = field(default_factory=dict)
    #: Seats that are not dealt in, and for how many hands yet, this one included.
    benched: Mapping[int, int] = field(default_factory=dict)
    ending: HoldemEnding | None = None
    #: What the seats that played have once the hand is over, before what they are charged.
    after: Mapping[int, int] = field(default_factory=dict)
    pots: tuple[Pot, ...] = ()

    # --- What is public ---

    @property
    def players(self) -> tuple[int, ...]:
        """The seats that have cards, from the left of the button; the last is the button."""
        return self.table.seats

    @property
    def button(self) -> int:
        return self.players[-1]

    @property
    def big_blind(self) -> int:
        return self.players[0] if len(self.players) == 2 else self.players[1]

    @property
    def small_blind(self) -> int:
        return self.players[1] if len(self.players) == 2 else self.players[0]

    @property
    def board(self) -> tuple[int, ...]:
        """The faces on the board."""
        return (*self.table.board, *self.runout)

    @property
    def pot(self) -> int:
        """Everything that can be won, the bets of this round too."""
        return sum(self.table.put_in) + self.dead

    @property
    def contenders(self) -> tuple[int, ...]:
        """The seats that can still win: neither folded nor gone."""
        return tuple(seat for seat in self.table.live if seat not in self.gone)

    @property
    def carry(self) -> Carry:
        """What the next hand begins with. After one that ended without a result nobody was charged."""
        benched = Carry(None, None, benched=self.benched).a_hand_later()
        dead = sum(self.charges.values()) if self.stage is HandStage.OVER else self.dead
        out = {**benched, **dict.fromkeys(self.charges, len(self.players))}
        return Carry(self.button, self.big_blind, dead, out)

    @property
    def paid(self) -> Mapping[int, int]:
        """What each seat has put in."""
        return dict(zip(self.players, self.table.put_in, strict=True))

    def behind(self, seat: int) -> int:
        """What a player has beside the pot. A pot that nobody contests is given out on the table before its winner has
        said whether to show; people see it in the middle until then."""
        return self.table.stacks_before[seat] - self.paid[seat]

    @property
    def net(self) -> dict[int, int]:
        """What each seat has won or lost, once the hand is over, beside what it is charged."""
        return {seat: self.after[seat] - self.chips[seat] for seat in self.players}

    @property
    def stacks_after(self) -> dict[int, int]:
        """What the seats that played have, once the hand is over."""
        return {seat: stack - self.charges.get(seat, 0) for seat, stack in self.after.items()}

    def legal(self, seat: int) -> Legal:
        """What a seat may do now."""
        if not isinstance(self.wants, Turn) or type(seat) is not int or seat not in self.wants.seats:
            return Legal()
        if self.stage is HandStage.BETTING:
            call, raises = self.table.call(seat), self.table.raises(seat) or (None, None)
            return Legal(fold=bool(call), call=call, raise_from=raises[0], raise_to=raises[1])
        return Legal(show=True, muck=True)

    def default(self, seat: int) -> bytes:
        """Check, else fold; show at the showdown; do not show a pot that nobody contests."""
        if self.stage is HandStage.BETTING:
            return encode(Fold() if self.legal(seat).call else Call())
        return encode(Muck() if self.stage is HandStage.CLAIMING else ShowHand())

    # --- What the hand wants ---

    @cached_property
    def wants(self) -> Want:
        match self.stage, self.table.next:
            case HandStage.DEALING, _:
                portions = tuple(Portion(seat, HOLE) for seat in self.players)
                return Ask((NewDeck(DECK, CARDS), Deal(DECK, portions)))
            case HandStage.BOARD, Board(count):
                return Ask((Open(DECK, count, order=self._by_stake()),))
            case HandStage.REVEALING, _:
                return Ask(self._revelations())
            case (HandStage.BETTING, Act(seat)) | (HandStage.CHOOSING, Showdown(seat)):
                return Turn((seat,))
            case HandStage.SHOWING, Showdown(seat):
                return Ask((Show(DECK, seat, self.held[seat]),))
            case HandStage.CLAIMING, _:
                return Turn(self.table.live)
            case HandStage.BOASTING, _:
                seat = self.table.live[0]
                return Ask((Show(DECK, seat, self.held[seat]),))
            case HandStage.OVER, _:
                return Done(result(self), self.paid, self.net, self.charges, self.dead)
        raise AssertionError(f"a hand cannot be {self.stage.value} now")

    def _revelations(self) -> tuple[Operation, ...]:
        """The rest of the board, then the hands that are not seen yet, in the order of the showdown."""
        missing = BOARD - len(self.board)
        board = (Open(DECK, missing, order=self._by_stake()),) if missing else ()
        order = (*self.table.showdown_order, *self.table.live)
        hidden = dict.fromkeys(seat for seat in order if seat in self.contenders and seat not in self.shown)
        return (*board, *(Show(DECK, seat, self.held[seat]) for seat in hidden))

    def _by_stake(self) -> tuple[tuple[int, ...], ...]:
        """The hands that can still win, by what they have in the pot, least first; all other seats come before them.

        So nobody learns a card of the board before everybody has published who has less in the pot.
        """
        stakes = {seat: self.paid[seat] for seat in self.contenders}
        return tuple(
            tuple(sorted(seat for seat in stakes if stakes[seat] == stake)) for stake in sorted(set(stakes.values()))
        )

    # --- Moves ---

    def moved(self, seat: int, move: bytes) -> Hand:
        """A seat's move. Raises `IllegalMove` with a sentence for the person at the table."""
        made = read_move(move)
        if not isinstance(self.wants, Turn) or type(seat) is not int or seat not in self.wants.seats:
            raise IllegalMove(f"it is not the turn of seat {seat}")
        if self.stage is HandStage.BETTING:
            return self._bet(seat, made)
        if not isinstance(made, ShowHand | Muck):
            raise IllegalMove("the betting is over: show or muck")
        if self.stage is HandStage.CLAIMING:
            return replace(self, stage=HandStage.BOASTING) if isinstance(made, ShowHand) else self._collected()
        if isinstance(made, ShowHand):
            return replace(self, stage=HandStage.SHOWING)
        return replace(self, table=self.table.muck(seat))._advanced()

    def _bet(self, seat: int, move: Move) -> Hand:
        match move:
            case Fold():
                table = self.table.fold(seat)
            case Call():
                table = self.table.check_or_call(seat)
            case Raise(to=to):
                table = self.table.raise_to(seat, to)
            case _:
                raise IllegalMove(f"this is no time to show or muck; you may: {self.legal(seat)}")
        return replace(self, table=table)._advanced()

    # --- Cards ---

    def told(self, events: tuple[Event, ...]) -> Hand:
        """What the operations that were asked for have done."""
        if not isinstance(self.wants, Ask):
            raise BadParameter("the hand has asked for no cards")
        if self.stage is HandStage.DEALING:
            return self._dealt(events)
        opened = {event.card.position: event.face for event in events if isinstance(event, Opened)}
        holders = {position: seat for seat, positions in self.held.items() for position in positions}
        board = tuple(face for position, face in opened.items() if position not in holders)
        shown = {
            seat: tuple(opened[position] for position in self.held[seat])
            for seat in dict.fromkeys(holders[position] for position in opened if position in holders)
        }
        hand = replace(self, shown={**self.shown, **shown})
        match self.stage:
            case HandStage.BOARD:
                return replace(hand, table=self.table.open_board(board))._advanced()
            case HandStage.SHOWING:
                return hand._showdown_shown()
            case HandStage.BOASTING:
                return hand._collected()
        return replace(hand, runout=board)._revealed()

    def _dealt(self, events: tuple[Event, ...]) -> Hand:
        """Which positions are whose. The protocol settles which cards "the next two" are."""
        held = dict[int, tuple[int, ...]]()
        for event in events:
            if isinstance(event, Moved) and event.holder in self.players:
                held[event.holder] = (*held.get(event.holder, ()), event.card.position)
        for seat in self.players:
            if len(held.get(seat, ())) != HOLE and seat not in self.gone:
                raise BadParameter(f"seat {seat} did not get its {HOLE} cards")
        return replace(self, held=held)._advanced()

    def _showdown_shown(self) -> Hand:
        """The seat in turn has shown, or it is gone and never will."""
        seat = self.table.showdown_order[0]
        if seat in self.shown:
            return replace(self, table=self.table.show(seat, self.shown[seat]))._advanced()
        if seat not in self.gone:
            raise BadParameter(f"seat {seat} did not show its cards")
        return self._advanced()

    def _revealed(self) -> Hand:
        """Everything is face up: compare."""
        for seat in self.contenders:
            if seat not in self.shown:
                raise BadParameter(f"seat {seat} did not show its cards")
        if any(seat in self.gone for seat in self.table.live):
            return self._settled(HoldemEnding.SHOWDOWN)
        table, board = self.table, self.runout
        for seat in table.showdown_order:
            table = table.show(seat, self.shown[seat])
        while isinstance(table.next, Board):
            count = table.next.count
            table, board = table.open_board(board[:count]), board[count:]
        return replace(self, table=table, runout=())._advanced()

    # --- Leaving ---

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Hand:
        """Seats are gone for the rest of the hand; their bets stay in the pot. The rule is in docs/play/holdem.md."""
        if self.stage is HandStage.OVER:
            return self
        hand = replace(self, gone=self.gone | {seat for seat in seats if seat in self.seats})
        if self.stage in (HandStage.CLAIMING, HandStage.BOASTING):
            # The pot was won before anybody left; only the show is at stake.
            return hand if cards and self.table.live[0] not in hand.gone else hand._collected()
        if not cards or len(hand.contenders) <= 1 < len(hand.table.live):
            return hand._settled(HoldemEnding.FORFEIT)
        return hand if self.stage in _ASKING else hand._advanced()

    def charged(self, seat: int, half: Half) -> Hand:
        """A seat goes in the middle of a card. Of several prices it pays the largest, once, from what it has behind."""
        if seat not in self.players:
            return self
        others = [self.paid[other] for other in self.contenders if other != seat]
        price = min(self.price.of(half, max(others, default=0)), self.table.stacks[seat])
        return replace(self, charges={**self.charges, seat: max(price, self.charges.get(seat, 0))})

    # --- From step to step ---

    def _advanced(self) -> Hand:
        """The next stage that somebody has to do something for."""
        table, step = self.table, self.table.next
        if isinstance(step, Over) and not table.folded_out:
            compared = tuple(seat for seat in self.players if seat in self.shown)
            return self._ended(HoldemEnding.SHOWDOWN, self._claims(compared))
        if len(table.live) == 1:
            # Everybody else has folded, or mucked at the showdown.
            return self._collected() if table.live[0] in self.gone else replace(self, stage=HandStage.CLAIMING)
        if len(self.contenders) <= 1:
            return self._settled(HoldemEnding.FORFEIT)
        match step:
            case Act(seat) if seat in self.gone:
                return replace(self, table=table.check_or_fold(seat))._advanced()
            case Act():
                return replace(self, stage=HandStage.BETTING)
            case Board():
                return replace(self, stage=HandStage.BOARD)
        if table.all_in or len(self.contenders) < len(table.live):
            # With a seat gone that has not folded pokerkit can go no further; what is left is only to compare.
            return replace(self, stage=HandStage.REVEALING) if self._revelations() else self._revealed()
        may_muck = table.may_muck(table.showdown_order[0])
        return replace(self, stage=HandStage.CHOOSING if may_muck else HandStage.SHOWING)

    def _collected(self) -> Hand:
        """The only hand left takes the pot, shown or not."""
        table, seat = self.table, self.table.live[0]
        ending = HoldemEnding.FOLDED if table.folded_out else HoldemEnding.SHOWDOWN
        if isinstance(table.next, Showdown):
            table = table.show(seat, self.shown[seat]) if seat in self.shown else table.claim(seat)
        return replace(self, table=table)._ended(ending, self._claims((seat,)))

    def _ended(self, ending: HoldemEnding, claims: PotClaims) -> Hand:
        """pokerkit has paid; we say what for, and add the dead money, of which it knows nothing."""
        more, less = winnings(claims), winnings(replace(claims, dead=0))
        after = {seat: stack + more[seat] - less[seat] for seat, stack in self.table.stacks.items()}
        return replace(self, stage=HandStage.OVER, ending=ending, after=after, pots=pots(claims))

    def _settled(self, ending: HoldemEnding) -> Hand:
        """End a hand that a seat has left by our own settlement."""
        staying = self.contenders
        gone = tuple(seat for seat in self.table.live if seat in self.gone)
        if staying:
            claims = self._claims(staying)
            reach = {seat: claims.put_in[seat] + self.table.stacks[seat] for seat in staying}
            claims = replace(claims, gone=gone, reach=reach)
        else:
            # Nobody is left who could win: those who are gone divide it, as if they had agreed to.
            claims = self._claims(gone)
        after = Bank(self.table.stacks_before, claims.put_in, self.dead).after(winnings(claims))
        return replace(self, stage=HandStage.OVER, ending=ending, after=after, pots=pots(claims))

    def _claims(self, staying: tuple[int, ...]) -> PotClaims:
        put_in = dict(zip(self.players, self.table.put_in, strict=True))
        comparable = [seat for seat in staying if seat in self.shown and len(self.board) == BOARD]
        known = {seat: strength(self.shown[seat], self.board) for seat in comparable}
        return PotClaims(put_in, staying, known, dead=self.dead)


@dataclass(frozen=True, eq=False)
class NoHand:
    """A hand that cannot be played because fewer than two seats have chips and are to be dealt in.

    Over at once; the button stays where it is, and dead money for the next hand that is played.
    """

    number: int
    seats: tuple[int, ...]
    carry: Carry
    chips: Mapping[int, int]
    players: tuple[int, ...] = ()
    paid: Mapping[int, int] = field(default_factory=dict)

    @property
    def wants(self) -> Want:
        outcome: dict[str, Any] = {
            "hand": self.number,
            "button": self.carry.button,
            "ended": HoldemEnding.NOT_PLAYED.value,
            "stacks": [{"seat": seat, "before": stack, "after": stack} for seat, stack in sorted(self.chips.items())],
            "board": [],
            "pots": [],
            "shown": [],
            "gone": [],
            "dead": 0,
            "charged": [],
        }
        return Done(outcome)

    def told(self, events: tuple[Event, ...]) -> NoHand:
        raise BadParameter("the hand has asked for no cards")

    def moved(self, seat: int, move: bytes) -> NoHand:
        raise IllegalMove("this hand is not played: fewer than two seats have chips")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> NoHand:
        return self

    def charged(self, seat: int, half: Half) -> NoHand:
        return self

    def legal(self, seat: int) -> Legal:
        return Legal()

    def default(self, seat: int) -> None:
        """Nobody moves."""
