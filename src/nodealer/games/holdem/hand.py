"""One hand of hold'em: which card operations it requests, whose turn it is, and how it ends.

The card operations are: a new deck and two cards for each seat, in one request; three, one and one card for the board;
at the showdown, the hands that must be shown or that their players choose to show. When betting is over because players
are all in, the rest of the board and all hands come in one request, the board first: a player who could leave must not
know who is ahead before the board is complete.
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
    """The stage of a hand."""

    #: The deck is made and two cards are dealt to each seat.
    DEALING = "dealing"
    #: It is a seat's turn to bet, call or fold.
    BETTING = "betting"
    #: Board cards are being opened.
    BOARD = "board"
    #: Betting is over: the rest of the board is opened and all hands are shown.
    REVEALING = "revealing"
    #: A seat may show or muck at the showdown.
    CHOOSING = "choosing"
    #: A seat shows at the showdown.
    SHOWING = "showing"
    #: A seat has won the pot uncontested and may show or muck.
    CLAIMING = "claiming"
    #: That seat shows its winning hand.
    BOASTING = "boasting"
    OVER = "over"


_ASKING: Final = (HandStage.DEALING, HandStage.BOARD, HandStage.REVEALING, HandStage.SHOWING, HandStage.BOASTING)


@dataclass(frozen=True, eq=False)
class Hand:
    """One hand of hold'em. Immutable: every step returns a new hand."""

    number: int
    #: All seats at the table when the hand began, including those that sit out.
    seats: tuple[int, ...]
    #: Their chips when the hand began.
    chips: Mapping[int, int]
    table: PokerTable
    stage: HandStage = HandStage.DEALING
    #: Seat to the positions of its cards in the deck, and seat to the faces it has shown.
    held: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    shown: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    #: Board cards that were opened together with the hands. The poker table receives them after the hands.
    runout: tuple[int, ...] = ()
    gone: frozenset[int] = frozenset()
    #: The price of leaving at this table.
    price: LeavePrice = field(default_factory=LeavePrice)
    #: Dead money of earlier hands in the pot, and the penalties of seats that left this hand.
    dead: int = 0
    charges: Mapping[int, int] = field(default_factory=dict)
    #: Seats that are not dealt in, and for how many more hands, including this one.
    benched: Mapping[int, int] = field(default_factory=dict)
    ending: HoldemEnding | None = None
    #: The chips of the seats that played when the hand is over, before penalties.
    after: Mapping[int, int] = field(default_factory=dict)
    pots: tuple[Pot, ...] = ()

    # --- What is public ---

    @property
    def players(self) -> tuple[int, ...]:
        """The seats that were dealt in, from the left of the button; the last one is the button."""
        return self.table.seats

    @property
    def button(self) -> int:
        """The seat on the button."""
        return self.players[-1]

    @property
    def big_blind(self) -> int:
        """The seat that posts the big blind."""
        return self.players[0] if len(self.players) == 2 else self.players[1]

    @property
    def small_blind(self) -> int:
        """The seat that posts the small blind."""
        return self.players[1] if len(self.players) == 2 else self.players[0]

    @property
    def board(self) -> tuple[int, ...]:
        """The faces on the board."""
        return (*self.table.board, *self.runout)

    @property
    def pot(self) -> int:
        """The whole pot, including the bets of this round and dead money."""
        return sum(self.table.put_in) + self.dead

    @property
    def contenders(self) -> tuple[int, ...]:
        """The seats that can still win: they have neither folded nor left."""
        return tuple(seat for seat in self.table.live if seat not in self.gone)

    @property
    def carry(self) -> Carry:
        """What carries over to the next hand. If this one ended without a result, no penalty was charged."""
        benched = Carry(None, None, benched=self.benched).benched_after_hand()
        dead = sum(self.charges.values()) if self.stage is HandStage.OVER else self.dead
        out = {**benched, **dict.fromkeys(self.charges, len(self.players))}
        return Carry(self.button, self.big_blind, dead, out)

    @property
    def paid(self) -> Mapping[int, int]:
        """What each seat has put into the pot."""
        return dict(zip(self.players, self.table.put_in, strict=True))

    def behind(self, seat: int) -> int:
        """Return the chips a player has behind.

        pokerkit pays an uncontested pot before its winner decides whether to show. Until then players see it in the
        middle, so it is not counted here.
        """
        return self.table.stacks_before[seat] - self.paid[seat]

    @property
    def net(self) -> dict[int, int]:
        """What each seat has won or lost when the hand is over, before penalties."""
        return {seat: self.after[seat] - self.chips[seat] for seat in self.players}

    @property
    def stacks_after(self) -> dict[int, int]:
        """The chips of the seats that played when the hand is over, after penalties."""
        return {seat: stack - self.charges.get(seat, 0) for seat, stack in self.after.items()}

    def legal(self, seat: int) -> Legal:
        """Return what a seat may do now."""
        if not isinstance(self.wants, Turn) or type(seat) is not int or seat not in self.wants.seats:
            return Legal()
        if self.stage is HandStage.BETTING:
            call, raises = self.table.call_cost(seat), self.table.raise_range(seat) or (None, None)
            return Legal(fold=bool(call), call=call, raise_from=raises[0], raise_to=raises[1])
        return Legal(show=True, muck=True)

    def default(self, seat: int) -> bytes:
        """Check, or fold if there is a bet; show at a showdown; do not show after winning an uncontested pot."""
        if self.stage is HandStage.BETTING:
            return encode(Fold() if self.legal(seat).call else Call())
        return encode(Muck() if self.stage is HandStage.CLAIMING else ShowHand())

    # --- What the hand wants ---

    @cached_property
    def wants(self) -> Want:
        """The next thing the hand needs: card operations, a move, or its end."""
        match self.stage, self.table.next:
            case HandStage.DEALING, _:
                portions = tuple(Portion(seat, HOLE) for seat in self.players)
                return Ask((NewDeck(DECK, CARDS), Deal(DECK, portions)))
            case HandStage.BOARD, Board(count):
                return Ask((Open(DECK, count, order=self._publish_order()),))
            case HandStage.REVEALING, _:
                return Ask(self._reveal_operations())
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
        raise AssertionError(f"a hand cannot be in stage {self.stage.value!r} now")

    def _reveal_operations(self) -> tuple[Operation, ...]:
        """Return operations that open the rest of the board, then the hands not shown yet, in showdown order."""
        missing = BOARD - len(self.board)
        board = (Open(DECK, missing, order=self._publish_order()),) if missing else ()
        order = (*self.table.showdown_order, *self.table.live)
        hidden = dict.fromkeys(seat for seat in order if seat in self.contenders and seat not in self.shown)
        return (*board, *(Show(DECK, seat, self.held[seat]) for seat in hidden))

    def _publish_order(self) -> tuple[tuple[int, ...], ...]:
        """Return the order in which seats publish their keys for a board card: contenders by stake, smallest first.

        All other seats publish before them. So no player learns a board card before every player with less in the pot
        has published.
        """
        stakes = {seat: self.paid[seat] for seat in self.contenders}
        return tuple(
            tuple(sorted(seat for seat in stakes if stakes[seat] == stake)) for stake in sorted(set(stakes.values()))
        )

    # --- Moves ---

    def moved(self, seat: int, move: bytes) -> Hand:
        """Return the hand after a seat's move. Raises `IllegalMove` with a sentence for the person at the table."""
        made = read_move(move)
        if not isinstance(self.wants, Turn) or type(seat) is not int or seat not in self.wants.seats:
            raise IllegalMove(f"it is not seat {seat}'s turn")
        if self.stage is HandStage.BETTING:
            return self._bet(seat, made)
        if not isinstance(made, ShowHand | Muck):
            raise IllegalMove("betting is over: show or muck")
        if self.stage is HandStage.CLAIMING:
            return replace(self, stage=HandStage.BOASTING) if isinstance(made, ShowHand) else self._collect_pot()
        if isinstance(made, ShowHand):
            return replace(self, stage=HandStage.SHOWING)
        return replace(self, table=self.table.muck(seat))._advance()

    def _bet(self, seat: int, move: Move) -> Hand:
        """Apply a fold, call or raise. Raise `IllegalMove` if the rules forbid it."""
        match move:
            case Fold():
                table = self.table.fold(seat)
            case Call():
                table = self.table.check_or_call(seat)
            case Raise(to=to):
                table = self.table.raise_to(seat, to)
            case _:
                raise IllegalMove(f"you cannot show or muck now; you can: {self.legal(seat)}")
        return replace(self, table=table)._advance()

    # --- Cards ---

    def told(self, events: tuple[Event, ...]) -> Hand:
        """Return the hand after the requested operations. Raises `BadParameter` if cards are missing."""
        if not isinstance(self.wants, Ask):
            raise BadParameter("the hand has not requested any cards")
        if self.stage is HandStage.DEALING:
            return self._record_hole_cards(events)
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
                return replace(hand, table=self.table.open_board(board))._advance()
            case HandStage.SHOWING:
                return hand._continue_showdown()
            case HandStage.BOASTING:
                return hand._collect_pot()
        return replace(hand, runout=board)._compare_hands()

    def _record_hole_cards(self, events: tuple[Event, ...]) -> Hand:
        """Record the positions of each seat's hole cards. The protocol decides which cards "the next two" are."""
        held = dict[int, tuple[int, ...]]()
        for event in events:
            if isinstance(event, Moved) and event.holder in self.players:
                held[event.holder] = (*held.get(event.holder, ()), event.card.position)
        for seat in self.players:
            if len(held.get(seat, ())) != HOLE and seat not in self.gone:
                raise BadParameter(f"seat {seat} did not get its {HOLE} cards")
        return replace(self, held=held)._advance()

    def _continue_showdown(self) -> Hand:
        """Continue the showdown after the seat in turn has shown, or has left and never will."""
        seat = self.table.showdown_order[0]
        if seat in self.shown:
            return replace(self, table=self.table.show(seat, self.shown[seat]))._advance()
        if seat not in self.gone:
            raise BadParameter(f"seat {seat} did not show its cards")
        return self._advance()

    def _compare_hands(self) -> Hand:
        """Compare the hands, now that all of them are face up."""
        for seat in self.contenders:
            if seat not in self.shown:
                raise BadParameter(f"seat {seat} did not show its cards")
        if any(seat in self.gone for seat in self.table.live):
            return self._settle(HoldemEnding.SHOWDOWN)
        table, board = self.table, self.runout
        for seat in table.showdown_order:
            table = table.show(seat, self.shown[seat])
        while isinstance(table.next, Board):
            count = table.next.count
            table, board = table.open_board(board[:count]), board[count:]
        return replace(self, table=table, runout=())._advance()

    # --- Leaving ---

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Hand:
        """Return the hand after seats left for the rest of it. Their bets stay in the pot: see docs/play/holdem.md."""
        if self.stage is HandStage.OVER:
            return self
        hand = replace(self, gone=self.gone | {seat for seat in seats if seat in self.seats})
        if self.stage in (HandStage.CLAIMING, HandStage.BOASTING):
            # The pot was won before the seats left; only the show is open.
            return hand if cards and self.table.live[0] not in hand.gone else hand._collect_pot()
        if not cards or len(hand.contenders) <= 1 < len(hand.table.live):
            return hand._settle(HoldemEnding.FORFEIT)
        return hand if self.stage in _ASKING else hand._advance()

    def charged(self, seat: int, half: Half) -> Hand:
        """Charge a seat that leaves in the middle of a card operation.

        Of several prices it pays only the largest, from what it has behind.
        """
        if seat not in self.players:
            return self
        others = [self.paid[other] for other in self.contenders if other != seat]
        price = min(self.price.amount(half, max(others, default=0)), self.table.stacks[seat])
        return replace(self, charges={**self.charges, seat: max(price, self.charges.get(seat, 0))})

    # --- From step to step ---

    def _advance(self) -> Hand:
        """Advance to the next stage in which a move or a card operation is needed, or to the end."""
        table, step = self.table, self.table.next
        if isinstance(step, Over) and not table.folded_out:
            compared = tuple(seat for seat in self.players if seat in self.shown)
            return self._end(HoldemEnding.SHOWDOWN, self._pot_claims(compared))
        if len(table.live) == 1:
            # All others have folded, or mucked at the showdown.
            return self._collect_pot() if table.live[0] in self.gone else replace(self, stage=HandStage.CLAIMING)
        if len(self.contenders) <= 1:
            return self._settle(HoldemEnding.FORFEIT)
        match step:
            case Act(seat) if seat in self.gone:
                return replace(self, table=table.check_or_fold(seat))._advance()
            case Act():
                return replace(self, stage=HandStage.BETTING)
            case Board():
                return replace(self, stage=HandStage.BOARD)
        if table.all_in or len(self.contenders) < len(table.live):
            # pokerkit cannot continue if a seat left without folding. All that remains is to compare the hands.
            return replace(self, stage=HandStage.REVEALING) if self._reveal_operations() else self._compare_hands()
        may_muck = table.may_muck(table.showdown_order[0])
        return replace(self, stage=HandStage.CHOOSING if may_muck else HandStage.SHOWING)

    def _collect_pot(self) -> Hand:
        """End the hand: the only hand left takes the pot, shown or not."""
        table, seat = self.table, self.table.live[0]
        ending = HoldemEnding.FOLDED if table.folded_out else HoldemEnding.SHOWDOWN
        if isinstance(table.next, Showdown):
            table = table.show(seat, self.shown[seat]) if seat in self.shown else table.claim(seat)
        return replace(self, table=table)._end(ending, self._pot_claims((seat,)))

    def _end(self, ending: HoldemEnding, claims: PotClaims) -> Hand:
        """End a hand that pokerkit has paid out: record the pots, and add the dead money, which it does not know of."""
        more, less = winnings(claims), winnings(replace(claims, dead=0))
        after = {seat: stack + more[seat] - less[seat] for seat, stack in self.table.stacks.items()}
        return replace(self, stage=HandStage.OVER, ending=ending, after=after, pots=pots(claims))

    def _settle(self, ending: HoldemEnding) -> Hand:
        """End a hand that a seat has left. We divide the pots ourselves, because pokerkit cannot."""
        staying = self.contenders
        gone = tuple(seat for seat in self.table.live if seat in self.gone)
        if staying:
            claims = self._pot_claims(staying)
            reach = {seat: claims.put_in[seat] + self.table.stacks[seat] for seat in staying}
            claims = replace(claims, gone=gone, reach=reach)
        else:
            # No player is left who could win: those who left share the pot.
            claims = self._pot_claims(gone)
        after = Bank(self.table.stacks_before, claims.put_in, self.dead).after(winnings(claims))
        return replace(self, stage=HandStage.OVER, ending=ending, after=after, pots=pots(claims))

    def _pot_claims(self, staying: tuple[int, ...]) -> PotClaims:
        """Return the claims to the pot of the hands that are still in."""
        put_in = dict(zip(self.players, self.table.put_in, strict=True))
        comparable = [seat for seat in staying if seat in self.shown and len(self.board) == BOARD]
        known = {seat: strength(self.shown[seat], self.board) for seat in comparable}
        return PotClaims(put_in, staying, known, dead=self.dead)


@dataclass(frozen=True, eq=False)
class NoHand:
    """A hand that is not played because fewer than two seats can be dealt in.

    It is over at once. The button does not move, and dead money stays for the next hand that is played.
    """

    number: int
    seats: tuple[int, ...]
    carry: Carry
    chips: Mapping[int, int]
    players: tuple[int, ...] = ()
    paid: Mapping[int, int] = field(default_factory=dict)

    @property
    def wants(self) -> Want:
        """The end of the hand."""
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
        """Raise `BadParameter`: this hand requests no cards."""
        raise BadParameter("the hand has not requested any cards")

    def moved(self, seat: int, move: bytes) -> NoHand:
        """Raise `IllegalMove`: no seat can move."""
        raise IllegalMove("this hand is not played: fewer than two seats have chips")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> NoHand:
        """Return the hand unchanged."""
        return self

    def charged(self, seat: int, half: Half) -> NoHand:
        """Charge nothing."""
        return self

    def legal(self, seat: int) -> Legal:
        """Return no legal moves."""
        return Legal()

    def default(self, seat: int) -> None:
        """Return None: no seat moves in this hand."""
