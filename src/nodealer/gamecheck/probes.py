"""What is tried at a moment of a hand: hostile moves, two orders, default moves, and leaving."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from nodealer.gamecheck import hostile
from nodealer.gamecheck.accounts import refuse_bad_end
from nodealer.gamecheck.findings import Finding, Findings, Found
from nodealer.gamecheck.form import difference, form, named
from nodealer.gamecheck.hand import (
    REFUSE,
    CannotBe,
    HandMoment,
    Made,
    Refused,
    answered,
    answered_or_left,
    bot_move,
    chooser,
    left,
    moved,
    players,
    shown,
    wants,
)
from nodealer.gamecheck.playthrough import by_default, default_made, finish
from nodealer.games.base import Ask, Done, Turn


def turned(seats: tuple[int, ...], by: int) -> tuple[int, ...]:
    """The same seats, beginning with another one."""
    return (*seats[by % len(seats) :], *seats[: by % len(seats)]) if seats else ()


@dataclass
class Tried:
    """How much was tried."""

    hostile: int = 0
    leavings: int = 0
    orders: int = 0
    #: Hands that went on from a hostile move or a leaving to their end.
    finished: int = 0


@dataclass
class Probes:
    """Tries things, notes what is wrong, and counts."""

    findings: Findings
    #: How many hands go on to their end from one moment: after hostile moves, and after somebody left.
    finishes: int
    #: How many of the seats that are to move try hostile moves.
    seats: int
    _left: int = 0
    tried: Tried = field(default_factory=Tried)

    # --- Moves ---

    def moves(self, moment: HandMoment) -> None:
        """Hostile moves of every seat that is to move, its default move, and those of the others."""
        want = wants(moment)
        if not isinstance(want, Turn):
            return
        self._left = self.finishes
        for seat in turned((*want.seats, *want.may), moment.moves)[: self.seats]:
            for move in hostile.JUNK:
                self._junk(moment, seat, move, "which is no move of this game")
            with self.findings.noted():
                self._around(moment, seat, bot_move(moment, seat, fast=True))
            with self.findings.noted():
                default_made(moment, seat)

    def _around(self, moment: HandMoment, seat: int, honest: bytes) -> None:
        """Moves that are almost the honest one."""
        for move in hostile.loose(honest):
            self._junk(moment, seat, move, f"which is not exactly {shown(honest)}")
        for move in self._others(moment, seat, honest):
            with self.findings.noted():
                self._perhaps(moment, seat, move)

    def _others(self, moment: HandMoment, seat: int, honest: bytes) -> Iterator[bytes]:
        yield from hostile.other(honest)
        for rival in players(moment):
            if rival != seat and rival not in moment.gone:
                # What another one would do here, with cards that are not this seat's.
                try:
                    yield bot_move(moment, rival, fast=True)
                except Found:
                    # Bots answer for the seat whose turn it is; this one's is not.
                    continue

    def _junk(self, moment: HandMoment, seat: int, move: bytes, what: str) -> None:
        self.tried.hostile += 1
        try:
            moved(moment, seat, move)
        except Refused:
            return
        except Found as found:
            self.findings.add(found.finding)
            return
        what = f"{moment.when}, seat {seat} made the move {shown(move)}, {what}, and it was taken."
        remedy = "Decode moves strictly (`decode` with a struct of your own), and raise IllegalMove for the rest."
        self.findings.add(Finding("loose", f"{what} {remedy}"))

    def _perhaps(self, moment: HandMoment, seat: int, move: bytes) -> None:
        """A move that may be legal. If it is, the hand has to go on to an end that adds up."""
        self.tried.hostile += 1
        try:
            after = moved(moment, seat, move)
            if difference(form(moment.game), form(after.game)) is None:
                what = f"{moment.when}, seat {seat} made the move {shown(move)}, and it changed nothing at all."
                raise Found(Finding("idle", f"{what} It could be made forever. {REFUSE}"))
            # Also where the rules see only from a card that was shown what has to be proven.
            while isinstance(wants(after), Ask):
                after = answered_or_left(after, chooser(after))
        except Refused:
            return
        except CannotBe as cannot:
            if cannot.at_once:
                # The table refuses the move.
                return
            raise
        self._to_the_end(after)

    def _to_the_end(self, moment: HandMoment) -> None:
        if self._left > 0:
            self._left -= 1
            self.tried.finished += 1
            refuse_bad_end(finish(moment))

    def defaults(self, moment: HandMoment) -> None:
        """Nobody moves any more: the rules do."""
        with self.findings.noted():
            refuse_bad_end(by_default(moment))

    # --- Two orders ---

    def orders(self, moment: HandMoment) -> None:
        """Two seats of a round move side by side: whichever comes first, it comes to the same."""
        want = wants(moment)
        if not isinstance(want, Turn) or len(want.seats) < 2:
            return
        first, second = want.seats[0], want.seats[-1]
        self.tried.orders += 1
        with self.findings.noted():
            self._both(moment, want, first, second)

    def _both(self, moment: HandMoment, want: Turn, first: int, second: int) -> None:
        moves = {seat: bot_move(moment, seat, fast=True) for seat in (first, second)}
        ends = [self._crossed(moment, want, order, moves) for order in ((first, second), (second, first))]
        if want.round is None or None in ends:
            return
        one, other = (end for end in ends if end is not None)
        where = difference(form(one.game), form(other.game))
        if where is not None:
            what = (
                f"{moment.when}, seats {first} and {second} moved in round {want.round}, in the one order and in the "
            )
            what += (
                f"other, and {named(where)} differs. Who is first must not matter in a round: keep moves by seat, and "
            )
            raise Found(Finding("order", f"{what}judge them when all are there; or leave `round` out."))

    def _crossed(
        self, moment: HandMoment, want: Turn, order: tuple[int, int], moves: dict[int, bytes]
    ) -> HandMoment | None:
        """Both moves, the second one made before the first was seen; None where it does not count any more."""
        one, other = order
        try:
            between = moved(moment, one, moves[one])
            now = wants(between)
            if want.round is None or not isinstance(now, Turn) or now.round != want.round or other not in now.seats:
                return None
            return moved(between, other, moves[other])
        except Refused as refused:
            what = f"{moment.when}, the bots of seats {order} moved side by side in round {want.round}, and one of the "
            what += f"moves was refused: {refused}. A move that was legal in a round stays so until the round is over:"
            raise Found(Finding("order", f"{what} give the round another number when that changes.")) from None

    def rounds(self, moments: Sequence[HandMoment]) -> None:
        """A round that is over does not come again, and nobody moves twice in one."""
        over = set[int]()
        for before, after in pairwise(moments):
            was, now = wants(before), wants(after)
            if isinstance(was, Turn) and was.round is not None:
                if not isinstance(now, Turn) or now.round != was.round:
                    over.add(was.round)
                elif isinstance(act := after.course[-1], Made) and act.seat in now.seats:
                    what = f"{before.when}, seat {act.seat} moved in round {was.round}, and is asked again in the same."
                    remedy = "Its first move would count as the answer: give each question a round of its own."
                    self.findings.add(Finding("round", f"{what} {remedy}"))
            if isinstance(now, Turn) and now.round in over:
                what = f"{after.when}, the game wants moves in round {now.round}, which was over before."
                remedy = "A move that somebody made then, and that comes late, would count now: count rounds up."
                self.findings.add(Finding("round", f"{what} {remedy}"))

    # --- Leaving ---

    def leaving(self, moment: HandMoment) -> None:
        """Each seat leaves here, with and without cards that can still be opened; then the hand goes on."""
        self._left = self.finishes
        for seat in turned(players(moment), moment.moves):
            for cards in (True, False):
                if seat not in moment.gone:
                    self.tried.leavings += 1
                    with self.findings.noted():
                        self._leave(moment, seat, cards)

    def _leave(self, moment: HandMoment, seat: int, cards: bool) -> None:
        before = form(moment.game)
        try:
            after = left(moment, (seat,), cards=cards)
        finally:
            where = difference(before, form(moment.game))
        if where is not None:
            what = (
                f"{moment.when}, seat {seat} left, and `left` changed the value that it was called on: {named(where)}."
            )
            raise Found(Finding("changed", f"{what} Values never change: make a new one (`dataclasses.replace`)."))
        if isinstance(wants(moment), Ask) and cards:
            after = self._midway(moment, after, seat)
        try:
            if isinstance(wants(after), Ask) and not cards:
                answered(after, chooser(after))
        except CannotBe as cannot:
            what = f"{moment.when}, seat {seat} left with cards=False, and then: {cannot.finding.what}"
            raise Found(Finding("left", f"{what} Without cards nothing can be dealt or opened: be done.")) from None
        if not isinstance(wants(after), Done):
            self._to_the_end(after)
        else:
            refuse_bad_end(after)

    def _midway(self, moment: HandMoment, after: HandMoment, seat: int) -> HandMoment:
        """The seat left while cards were on their way: what was asked for comes, less what was for the seat."""
        want = wants(after)
        if isinstance(want, Done):
            return after
        if isinstance(want, Turn):
            what = f"{moment.when}, seat {seat} left (cards=True) while cards were on their way: the game wants a move."
            raise Found(Finding("left", f"{what} Go on asking until `told` is called: the cards are still coming."))
        asked = wants(moment)
        operations = asked.operations if isinstance(asked, Ask) else ()
        return answered(after, chooser(moment), operations)
