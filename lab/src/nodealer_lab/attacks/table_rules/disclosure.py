"""Attacks on the opening of hand seeds, and on who has to wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from nodealer.cheats.cheater import Cheater, CheatingSeat
from nodealer.engine.bodies import Body
from nodealer.engine.bodies import Without as SkipVote
from nodealer.engine.duties import OpenDuty, Owed
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.seat import Seat
from nodealer.engine.state import TableState
from nodealer.engine.store import PlayerStore
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, with_chips
from nodealer_lab.attacks.shuffles.contents import MARK, find_marked_card
from nodealer_lab.attacks.stage import AttackTable

# --- hurried begin ---
#
# Two losers would not wait for the winner to begin the next hand, and end the session before its book comes.
#
# More than half of a table can do that, and the log shows who said it. Where books end every hand, what was won and not
# yet covered by a book goes back when the session ends.


def winner_of(state: TableState) -> int | None:
    """Who has won the first hand, once it is over."""
    records = state.chronicle.records
    return next((seat for seat, net in records[0].net.items() if net > 0), None) if records else None


def hurried(scene: Scene, owed: Owed, hands: int = 1) -> tuple[AttackTable, int, int]:
    """The table, its winner and a loser. What the winner says is on its way, and the relay is slow: the losers name
    something that the winner owes, and only then it is heard."""
    stage = AttackTable(scene, hands=hands)
    stage.hold_when = lambda state: {winner} if (winner := winner_of(state)) is not None else ()
    stage.run_until(lambda state: winner_of(state) is not None)
    winner = winner_of(stage.state()) or 0
    losers = [seat for seat in range(3) if seat != winner]
    for seat in losers:
        duties = stage.state(seat).duties.of(winner).values()
        stage.sign_and_send(seat, SkipVote(tuple(known.duty.id for known in duties if known.duty.kind == owed)))
    stage.run_to_end()
    stage.release_held()
    stage.run_to_end()
    return stage, winner, losers[0]


def _play_hurried_begin(scene: Scene) -> AttackOutcome:
    """They do not wait for it to begin, and end."""
    stage, winner, loser = hurried(scene, Owed.BEGIN)
    state = stage.state(loser)
    ended = state.phase is Phase.ENDED and state.account.chips[winner] <= state.config.rules.stake
    return stage.outcome("ends the session before the winner's book is in, and has its bets back" if ended else None)


_HURRIED_BEGIN_CLAIM: Final = Cheat("more than half that end a session before the winner's book is in", "never", False)
HURRIED_BEGIN: Final = Attack(
    name="hurried-begin",
    does="ends the session before the winner's disclosure is in the log, with more than half of the table",
    numbers=("A39",),
    who="a coalition",
    law=AttackScheme(
        AttackMethod(_HURRIED_BEGIN_CLAIM.cheat, play=_play_hurried_begin, if_unseen="cannot be seen"),
        _HURRIED_BEGIN_CLAIM,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)


# --- hurried book ---
#
# Two losers would not wait for the winner's book, which the relay holds back a moment: they say that it does not open
# it, as soon as they have opened theirs. Were their word a proof, the log would name who did nothing wrong.


def _play_hurried_book(scene: Scene) -> AttackOutcome:
    """As soon as the hand is over they name the book that it owes."""
    stage, winner, loser = hurried(scene, Owed.BOOK, hands=2)
    state = stage.state(loser)
    named = any(fault.seat == winner for fault in state.faults)
    out = any(one.of == winner for one in state.chronicle.statements)
    gain = "has the winner named, whose book was on its way" if named else "puts the winner out" if out else None
    return stage.outcome(gain, seat=loser)


_HURRIED_BOOK_CLAIM: Final = Cheat("seats that would not wait for another's book", "never", False)
HURRIED_BOOK: Final = Attack(
    name="hurried-book",
    does="tries to skip the winner's disclosure, with more than half of the table",
    numbers=("A39",),
    who="a coalition",
    law=AttackScheme(
        AttackMethod(
            _HURRIED_BOOK_CLAIM.cheat,
            play=_play_hurried_book,
            # A book is never too late; and whom others do not wait for is gone, and not at fault.
            defence=(
                RemovedDefence(
                    "nodealer.engine.duties:OpenDuty.holds_up",
                    " and not (self.duty.deck is None and self.duty.kind == Owed.BOOK)",
                ),
                RemovedDefence(
                    "nodealer.engine.votes:_done",
                    "return leave(change, frozenset(reached.gone))",
                    """for seat in reached.gone:
            change = expel(change, Fault(entry, seat, "book", "the others say that it does not open its book"))
        return change""",
                ),
            ),
        ),
        _HURRIED_BOOK_CLAIM,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)


# --- kept book ---
#
# Who has won keeps its book shut, where every hand ends with open books: what it did is never looked at.


class _ShutSeat(Seat):
    """Opens no book of a hand with such a result."""

    def __init__(self, *arguments: Any, shut: Callable[[int], bool], **named: Any) -> None:
        self._shut = shut
        super().__init__(*arguments, **named)

    def _answer(self, open_duty: OpenDuty) -> Body | None:
        duty = open_duty.duty
        if duty.deck is None and duty.kind == Owed.BOOK:
            record = self.replica.state.chronicle.records[duty.binding.hand]
            if self._shut(record.net.get(self.number, 0)):
                return None
        return super()._answer(open_duty)


class Shut(Participant):
    """Takes part as everybody does, but for that."""

    def __init__(self, home: PlayerStore, *, shut: Callable[[int], bool], **named: Any) -> None:
        self._shut = shut
        super().__init__(home, **named)

    def _new_seat(self, number: int, log: Iterable[bytes]) -> Seat:
        home, config = self.home, self.replica.config
        return _ShutSeat(
            config,
            number,
            shut=self._shut,
            root=home.root,
            key=home.identity,
            journal=home.journal,
            entropy=self._entropy,
            log=log,
        )


def _play_kept_book(scene: Scene) -> AttackOutcome:
    """Whoever wins the hand is the cheater. At the end all sign what there is."""
    scene = with_chips(scene)
    stage = AttackTable(scene, makers=dict.fromkeys(range(scene.game.seats), partial(Shut, shut=lambda net: net > 0)))
    stage.run_to_end()
    state = stage.state()
    stake = state.config.rules.stake
    kept = state.phase is Phase.ENDED and any(chips > stake for chips in state.account.chips.values())
    return stage.outcome("keeps a pot whose book nobody has seen" if kept else None)


_KEPT_BOOK_CLAIM: Final = Cheat("a winner that never opens its book", "never", False)
KEPT_BOOK: Final = Attack(
    name="kept-book",
    does="wins and never discloses",
    numbers=("A36",),
    law=AttackScheme(
        AttackMethod(
            _KEPT_BOOK_CLAIM.cheat,
            play=_play_kept_book,
            defence=(RemovedDefence("nodealer.engine.ledger:Ledger.closed", "if not books:", "if True:"),),
        ),
        _KEPT_BOOK_CLAIM,
    ),
    tried_on=("chain", "duel"),
    law_modes={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)


# --- lost book ---
#
# Who has lost keeps its book shut, where every hand ends with open books: if the winner had to wait for it, what was
# won would go back when the session ends.


def _play_lost_book(scene: Scene) -> AttackOutcome:
    """Whoever loses the hand is a cheater. At the end all sign what there is."""
    scene = with_chips(scene)
    stage = AttackTable(scene, makers=dict.fromkeys(range(scene.game.seats), partial(Shut, shut=lambda net: net < 0)))
    stage.run_to_end()
    state = stage.state()
    back = state.phase is Phase.ENDED and not any(chips > state.config.rules.stake for chips in _chips(stage))
    return stage.outcome("has its bets back, by a book that it never opens" if back else None)


def _chips(stage: AttackTable) -> list[int]:
    return list(stage.state().account.chips.values())


_LOST_BOOK_CLAIM: Final = Cheat("a loser that never opens its book", "never", False)
LOST_BOOK: Final = Attack(
    name="lost-book",
    does="loses and never discloses",
    numbers=("A36",),
    law=AttackScheme(
        AttackMethod(
            _LOST_BOOK_CLAIM.cheat,
            play=_play_lost_book,
            # What somebody has won waits for its own book, and for nobody else's.
            defence=(
                RemovedDefence(
                    "nodealer.engine.ledger:Ledger.released",
                    "if seat in held.covered}",
                    "if held.covered >= held.net.keys()}",
                ),
            ),
        ),
        _LOST_BOOK_CLAIM,
    ),
    tried_on=("chain", "duel"),
    law_modes={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)


# --- folded friend ---
#
# Where nothing is proven, a seat spoils a place of the deck to read another player's card, tells a friend, folds, and
# never opens its book. The friend has done nothing wrong, and its own book says so: it keeps the pot.


class _Shut(CheatingSeat):
    """Opens no book."""

    def _answer(self, open_duty: OpenDuty) -> Body | None:
        duty = open_duty.duty
        return None if duty.deck is None and duty.kind == Owed.BOOK else super()._answer(open_duty)


class _Friend(Cheater):
    """Who cannot read its own card, since it has spoilt it, folds."""

    signs = _Shut


def _play_folded_friend(scene: Scene) -> AttackOutcome:
    """Whoever of the others wins is its friend."""
    stage = AttackTable(scene, makers={scene.cheater: partial(_Friend, attack=MARK)})
    stage.run_to_end()
    state, replica = stage.state(), stage[0].replica
    roots = {seat: store.root for seat, store in enumerate(stage.stores)}
    played = PlayedGame(replica.config, tuple(replica.entries), scene.cheater, (), scene.names, roots)
    chips = state.account.chips.values() if state.phase is Phase.ENDED else ()
    kept = max(chips, default=0) > state.config.rules.stake
    return stage.outcome(
        "has a friend keep a pot that it has read another's card for" if kept and find_marked_card(played) else None
    )


_FOLDED_FRIEND_CLAIM: Final = Cheat("a folded friend that cheats for another and never opens its book", "never", False)
FOLDED_FRIEND: Final = Attack(
    name="folded-friend",
    does="reads a card for a friend, folds, and never discloses",
    numbers=("A36", "A50"),
    who="a coalition",
    law=AttackScheme(
        AttackMethod(_FOLDED_FRIEND_CLAIM.cheat, play=_play_folded_friend, if_unseen="cannot be seen"),
        _FOLDED_FRIEND_CLAIM,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)
