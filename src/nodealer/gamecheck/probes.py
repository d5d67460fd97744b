"""What is tried at each moment of a hand: hostile moves, moves in two orders, default moves, and leaving."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from nodealer.gamecheck import hostile
from nodealer.gamecheck.accounts import refuse_bad_end
from nodealer.gamecheck.findings import Finding, Findings, Found
from nodealer.gamecheck.form import difference, form, quote
from nodealer.gamecheck.hand import (
    REFUSE,
    HandMoment,
    ImpossibleRequest,
    MoveMade,
    Refused,
    apply_move,
    bot_chooser,
    bot_move,
    format_move,
    leave_seats,
    players,
    run_operations,
    run_operations_or_leave,
    want_of,
)
from nodealer.gamecheck.playthrough import make_default_move, play_defaults, play_to_end
from nodealer.games.base import Ask, Done, Turn


def rotate(seats: tuple[int, ...], by: int) -> tuple[int, ...]:
    """Return the same seats, rotated by `by` places."""
    return (*seats[by % len(seats) :], *seats[: by % len(seats)]) if seats else ()


@dataclass
class Tried:
    """Counts of what was tried."""

    hostile: int = 0
    leavings: int = 0
    orders: int = 0
    #: Hands that continued to their end after a hostile move or after a seat left.
    finished: int = 0


@dataclass
class Probes:
    """Tries hostile moves, default moves, other orders and leaving at each moment of a hand, and collects findings."""

    findings: Findings
    #: How many hands continue to their end from one moment: after hostile moves, and after a seat left.
    finishes: int
    #: How many of the seats that have to move try hostile moves.
    seats: int
    _left: int = 0
    tried: Tried = field(default_factory=Tried)

    # --- Moves ---

    def try_moves(self, moment: HandMoment) -> None:
        """Try hostile moves of every seat that can move, moves of other seats' bots, and the default move."""
        want = want_of(moment)
        if not isinstance(want, Turn):
            return
        self._left = self.finishes
        for seat in rotate((*want.seats, *want.may), moment.moves)[: self.seats]:
            for move in hostile.JUNK:
                self._expect_refusal(moment, seat, move, "which is not a move of this game")
            with self.findings.collect():
                self._try_variants(moment, seat, bot_move(moment, seat, fast=True))
            with self.findings.collect():
                make_default_move(moment, seat)

    def _try_variants(self, moment: HandMoment, seat: int, honest: bytes) -> None:
        """Try moves that are almost the honest one."""
        for move in hostile.loose_variants(honest):
            self._expect_refusal(moment, seat, move, f"which is not exactly {format_move(honest)}")
        for move in self._other_moves(moment, seat, honest):
            with self.findings.collect():
                self._try_move(moment, seat, move)

    def _other_moves(self, moment: HandMoment, seat: int, honest: bytes) -> Iterator[bytes]:
        """Yield variants of the honest move, and moves that other seats' bots would make."""
        yield from hostile.changed_variants(honest)
        for rival in players(moment):
            if rival != seat and rival not in moment.gone:
                # What another player would do here, with cards that are not this seat's.
                try:
                    yield bot_move(moment, rival, fast=True)
                except Found:
                    # A bot need not have a move if it is not its turn.
                    continue

    def _expect_refusal(self, moment: HandMoment, seat: int, move: bytes, what: str) -> None:
        """Make an invalid move, and add a finding if it is accepted."""
        self.tried.hostile += 1
        try:
            apply_move(moment, seat, move)
        except Refused:
            return
        except Found as found:
            self.findings.add(found.finding)
            return
        what = f"{moment.when}, seat {seat} made the move {format_move(move)}, {what}, and it was accepted."
        remedy = "Decode moves strictly (`decode` with your own struct), and raise IllegalMove for everything else."
        self.findings.add(Finding("loose", f"{what} {remedy}"))

    def _try_move(self, moment: HandMoment, seat: int, move: bytes) -> None:
        """Try a move that may be legal. If it is, the hand must continue to a valid end."""
        self.tried.hostile += 1
        try:
            after = apply_move(moment, seat, move)
            if difference(form(moment.game), form(after.game)) is None:
                what = f"{moment.when}, seat {seat} made the move {format_move(move)}, and it changed nothing."
                raise Found(Finding("idle", f"{what} It could be repeated forever. {REFUSE}"))
            # Several times: the rules may need to see a shown card before they require a proof.
            while isinstance(want_of(after), Ask):
                after = run_operations_or_leave(after, bot_chooser(after))
        except Refused:
            return
        except ImpossibleRequest as cannot:
            if cannot.at_once:
                # The table rejects the move.
                return
            raise
        self._play_to_end(after)

    def _play_to_end(self, moment: HandMoment) -> None:
        """Play the hand to its end and check the end. Do nothing once `finishes` hands were played from this moment."""
        if self._left > 0:
            self._left -= 1
            self.tried.finished += 1
            refuse_bad_end(play_to_end(moment))

    def try_defaults(self, moment: HandMoment) -> None:
        """Try a hand in which no player moves, and the rules move for them."""
        with self.findings.collect():
            refuse_bad_end(play_defaults(moment))

    # --- Two orders ---

    def try_orders(self, moment: HandMoment) -> None:
        """If several seats move at the same time, make two of their moves in both orders. The results must be equal."""
        want = want_of(moment)
        if not isinstance(want, Turn) or len(want.seats) < 2:
            return
        first, second = want.seats[0], want.seats[-1]
        self.tried.orders += 1
        with self.findings.collect():
            self._try_both_orders(moment, want, first, second)

    def _try_both_orders(self, moment: HandMoment, want: Turn, first: int, second: int) -> None:
        """Make the moves of two seats in both orders. Raise `Found` if the results differ."""
        moves = {seat: bot_move(moment, seat, fast=True) for seat in (first, second)}
        ends = [self._move_in_order(moment, want, order, moves) for order in ((first, second), (second, first))]
        if want.round is None or None in ends:
            return
        one, other = (end for end in ends if end is not None)
        where = difference(form(one.game), form(other.game))
        if where is not None:
            what = f"{moment.when}, seats {first} and {second} moved in round {want.round} in both orders, and "
            what += f"{quote(where)} differs. The order must not matter in a round: store moves by seat and judge them "
            raise Found(Finding("order", f"{what}when all have arrived, or leave out `round`."))

    def _move_in_order(
        self, moment: HandMoment, want: Turn, order: tuple[int, int], moves: dict[int, bytes]
    ) -> HandMoment | None:
        """Return the moment after both moves, the second made without seeing the first. None if it no longer counts."""
        one, other = order
        try:
            between = apply_move(moment, one, moves[one])
            now = want_of(between)
            if want.round is None or not isinstance(now, Turn) or now.round != want.round or other not in now.seats:
                return None
            return apply_move(between, other, moves[other])
        except Refused as refused:
            what = f"{moment.when}, the bots of seats {order} moved at the same time in round {want.round}, and one of "
            what += f"the moves was rejected: {refused}. A move that is legal in a round must stay legal until its end:"
            raise Found(Finding("order", f"{what} start a new round when that changes.")) from None

    def check_rounds(self, moments: Sequence[HandMoment]) -> None:
        """Add a finding if a finished round comes back, or if a seat moves twice in one."""
        over = set[int]()
        for before, after in pairwise(moments):
            was, now = want_of(before), want_of(after)
            if isinstance(was, Turn) and was.round is not None:
                if not isinstance(now, Turn) or now.round != was.round:
                    over.add(was.round)
                elif isinstance(act := after.course[-1], MoveMade) and act.seat in now.seats:
                    what = f"{before.when}, seat {act.seat} moved in round {was.round}, and has to move in it again."
                    remedy = "Its first move would count as the second: use a new round for each move of a seat."
                    self.findings.add(Finding("round", f"{what} {remedy}"))
            if isinstance(now, Turn) and now.round in over:
                what = f"{after.when}, the game wants moves in round {now.round}, which was already over."
                remedy = "A late move from that round would count now: never reuse a round number."
                self.findings.add(Finding("round", f"{what} {remedy}"))

    # --- Leaving ---

    def try_leaving(self, moment: HandMoment) -> None:
        """Let each seat leave here, with and without further card operations, and continue the hand."""
        self._left = self.finishes
        for seat in rotate(players(moment), moment.moves):
            for cards in (True, False):
                if seat not in moment.gone:
                    self.tried.leavings += 1
                    with self.findings.collect():
                        self._leave(moment, seat, cards)

    def _leave(self, moment: HandMoment, seat: int, cards: bool) -> None:
        """Let a seat leave and continue the hand. Raise `Found` if it cannot go on to a valid end."""
        before = form(moment.game)
        try:
            after = leave_seats(moment, (seat,), cards=cards)
        finally:
            where = difference(before, form(moment.game))
        if where is not None:
            what = (
                f"{moment.when}, seat {seat} left, and `left` changed the value that it was called on: {quote(where)}."
            )
            raise Found(Finding("changed", f"{what} Values must not change: make a new one (`dataclasses.replace`)."))
        if isinstance(want_of(moment), Ask) and cards:
            after = self._finish_operations(moment, after, seat)
        try:
            if isinstance(want_of(after), Ask) and not cards:
                run_operations(after, bot_chooser(after))
        except ImpossibleRequest as cannot:
            what = f"{moment.when}, seat {seat} left with cards=False, and then: {cannot.finding.what}"
            remedy = "With cards=False no card operation can run: return Done."
            raise Found(Finding("left", f"{what} {remedy}")) from None
        if not isinstance(want_of(after), Done):
            self._play_to_end(after)
        else:
            refuse_bad_end(after)

    def _finish_operations(self, moment: HandMoment, after: HandMoment, seat: int) -> HandMoment:
        """Finish the requested operations after a seat left in the middle of them, without that seat's part."""
        want = want_of(after)
        if isinstance(want, Done):
            return after
        if isinstance(want, Turn):
            what = f"{moment.when}, seat {seat} left (cards=True) during card operations, and the game wants a move."
            raise Found(Finding("left", f"{what} Keep requesting them until `told` is called: they still run."))
        asked = want_of(moment)
        operations = asked.operations if isinstance(asked, Ask) else ()
        return run_operations(after, bot_chooser(moment), operations)
