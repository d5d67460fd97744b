"""Attacks on disclosures, and on who has to wait for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from nodealer.cheats.cheater import Cheater, CheatingSeat
from nodealer.engine.bodies import Body
from nodealer.engine.bodies import Without as SkipVote
from nodealer.engine.duties import OpenDuty, TableDuty
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.seat import Seat
from nodealer.engine.state import TableState
from nodealer.engine.store import PlayerStore
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, with_chips
from nodealer_lab.attacks.shuffles.contents import MARK, find_marked_card
from nodealer_lab.attacks.stage import AttackTable

# --- hurried begin ---


def winner_of(state: TableState) -> int | None:
    """Return the winner of the first hand once it is over, otherwise None."""
    records = state.chronicle.records
    return next((seat for seat, net in records[0].net.items() if net > 0), None) if records else None


def vote_before_winner_discloses(scene: Scene, owed: TableDuty, hands: int = 1) -> tuple[AttackTable, int, int]:
    """Have the losers vote to skip a duty of the winner, whose messages a slow relay delivers only afterwards.

    Return the table, its winner and a loser.
    """
    stage = AttackTable(scene, hands=hands)
    stage.hold_when = lambda state: {winner} if (winner := winner_of(state)) is not None else ()
    stage.run_until(lambda state: winner_of(state) is not None)
    winner = winner_of(stage.state()) or 0
    losers = [seat for seat in range(3) if seat != winner]
    for seat in losers:
        duties = stage.state(seat).duties.of_seat(winner).values()
        stage.sign_and_send(seat, SkipVote(tuple(known.duty.id for known in duties if known.duty.kind == owed)))
    stage.run_to_end()
    stage.release_held()
    stage.run_to_end()
    return stage, winner, losers[0]


def _play_hurried_begin(scene: Scene) -> AttackOutcome:
    """Have the losers skip the winner's start of the next hand, which ends the session.

    The attack: two losers vote not to wait for the winner to begin the next hand, and end the session before the
    winner's disclosure arrives.

    More than half of a table can do that, and the log shows the votes. If every hand ends with disclosures, winnings
    that are not yet covered by one are returned when the session ends.
    """
    stage, winner, loser = vote_before_winner_discloses(scene, TableDuty.BEGIN)
    state = stage.state(loser)
    ended = state.phase is Phase.ENDED and state.ledger.chips[winner] <= state.config.rules.stake
    return stage.outcome("ends the session before the winner discloses, and gets its bets back" if ended else None)


HURRIED_BEGIN: Final = Attack(
    name="hurried-begin",
    does="ends the session before the winner's disclosure is in the log, with more than half of the table",
    numbers=("A39",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "more than half of a table that ends a session before the winner discloses",
            play=_play_hurried_begin,
            if_unseen="cannot be seen",
        )
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)


# --- hurried book ---


def _play_hurried_book(scene: Scene) -> AttackOutcome:
    """Have the losers name the winner's disclosure as soon as the hand is over.

    The attack: two losers vote not to wait for the winner's disclosure, which the relay holds back for a moment, as
    soon as they have made their own. If their votes were a proof, the log would name a player who did nothing wrong.
    """
    stage, winner, loser = vote_before_winner_discloses(scene, TableDuty.BOOK, hands=2)
    state = stage.state(loser)
    named = any(fault.seat == winner for fault in state.faults)
    out = any(one.of == winner for one in state.chronicle.vote_results)
    gain = (
        "gets the winner blamed, whose disclosure was on its way" if named else "votes the winner out" if out else None
    )
    return stage.outcome(gain, seat=loser)


HURRIED_BOOK: Final = Attack(
    name="hurried-book",
    does="tries to skip the winner's disclosure, with more than half of the table",
    numbers=("A39",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "seats that vote not to wait for another's disclosure",
            play=_play_hurried_book,
            # A disclosure is never late, and a skipped player has left but is not at fault.
            defence=(
                RemovedDefence(
                    "nodealer.engine.duties:OpenDuty.is_blocking",
                    " and not (self.duty.deck is None and self.duty.kind == TableDuty.BOOK)",
                ),
                RemovedDefence(
                    "nodealer.engine.votes:_apply_decisions",
                    "return remove_seats(change, frozenset(reached.gone))",
                    """for seat in reached.gone:
            change = expel(change, Fault(entry, seat, "book", "the others say that it does not open its book"))
        return change""",
                ),
            ),
        )
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)


# --- kept book ---


class _NonDisclosingSeat(Seat):
    """A seat that does not disclose a hand with a certain result."""

    def __init__(self, *arguments: Any, withholds: Callable[[int], bool], **named: Any) -> None:
        """Create the seat. `withholds` says of a seat's net result whether the hand is not disclosed."""
        self._withholds = withholds
        super().__init__(*arguments, **named)

    def _answer_duty(self, open_duty: OpenDuty) -> Body | None:
        """Return None for the disclosure of such a hand, otherwise the usual answer."""
        duty = open_duty.duty
        if duty.deck is None and duty.kind == TableDuty.BOOK:
            record = self.replica.state.chronicle.records[duty.binding.hand]
            if self._withholds(record.net.get(self.number, 0)):
                return None
        return super()._answer_duty(open_duty)


class NonDisclosingParticipant(Participant):
    """A participant that is honest except that it does not disclose hands with a certain result."""

    def __init__(self, home: PlayerStore, *, withholds: Callable[[int], bool], **named: Any) -> None:
        """Create the participant. `withholds` says of its net result whether the hand is not disclosed."""
        self._withholds = withholds
        super().__init__(home, **named)

    def _create_seat(self, number: int, log: Iterable[bytes]) -> Seat:
        """Return a seat that does not disclose, in place of an honest one."""
        home, config = self.store, self.replica.config
        return _NonDisclosingSeat(
            config,
            number,
            withholds=self._withholds,
            root=home.root,
            key=home.identity,
            journal=home.journal,
            entropy=self._entropy,
            log=log,
        )


def _play_kept_book(scene: Scene) -> AttackOutcome:
    """Play with seats that do not disclose a hand they won. At the end all sign what there is.

    The attack: the winner does not disclose, in a mode in which every hand ends with disclosures. What they did is
    never checked.
    """
    scene = with_chips(scene)
    stage = AttackTable(
        scene,
        makers=dict.fromkeys(range(scene.game.seats), partial(NonDisclosingParticipant, withholds=lambda net: net > 0)),
    )
    stage.run_to_end()
    state = stage.state()
    stake = state.config.rules.stake
    kept = state.phase is Phase.ENDED and any(chips > stake for chips in state.ledger.chips.values())
    return stage.outcome("keeps a pot without disclosing" if kept else None)


KEPT_BOOK: Final = Attack(
    name="kept-book",
    does="wins and never discloses",
    numbers=("A36",),
    law=with_own_claim(
        AttackMethod(
            "a winner that never discloses",
            play=_play_kept_book,
            defence=(RemovedDefence("nodealer.engine.ledger:Ledger.close_hand", "if not books:", "if True:"),),
        )
    ),
    tried_on=("chain", "duel"),
    law_modes={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)


# --- lost book ---


def _play_lost_book(scene: Scene) -> AttackOutcome:
    """Play with seats that do not disclose a hand they lost. At the end all sign what there is.

    The attack: the loser does not disclose, in a mode in which every hand ends with disclosures. If the winner had to
    wait for it, the winnings would be returned when the session ends.
    """
    scene = with_chips(scene)
    stage = AttackTable(
        scene,
        makers=dict.fromkeys(range(scene.game.seats), partial(NonDisclosingParticipant, withholds=lambda net: net < 0)),
    )
    stage.run_to_end()
    state = stage.state()
    back = state.phase is Phase.ENDED and not any(chips > state.config.rules.stake for chips in _all_chips(stage))
    return stage.outcome("gets its bets back by not disclosing" if back else None)


def _all_chips(stage: AttackTable) -> list[int]:
    """Return the chips of all seats."""
    return list(stage.state().ledger.chips.values())


LOST_BOOK: Final = Attack(
    name="lost-book",
    does="loses and never discloses",
    numbers=("A36",),
    law=with_own_claim(
        AttackMethod(
            "a loser that never discloses",
            play=_play_lost_book,
            # Winnings wait for the winner's own disclosure, and for no other.
            defence=(
                RemovedDefence(
                    "nodealer.engine.ledger:Ledger.release_covered",
                    "if seat in held.covered}",
                    "if held.covered >= held.net.keys()}",
                ),
            ),
        )
    ),
    tried_on=("chain", "duel"),
    law_modes={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)


# --- folded friend ---


class _NonDisclosingCheatingSeat(CheatingSeat):
    """A cheating seat that never discloses."""

    def _answer_duty(self, open_duty: OpenDuty) -> Body | None:
        """Return None for a disclosure, otherwise the usual answer."""
        duty = open_duty.duty
        return None if duty.deck is None and duty.kind == TableDuty.BOOK else super()._answer_duty(open_duty)


class _FoldingCheater(Cheater):
    """A cheater that folds, because it has spoilt its own card, and never discloses."""

    seat_class = _NonDisclosingCheatingSeat


def _play_folded_friend(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The winner among the others is its friend.

    The attack: in a mode without proofs, a seat spoils a place of the deck to read another player's card, tells a
    friend, folds, and never discloses. The friend has done nothing wrong, as its own disclosure shows, and keeps the
    pot.
    """
    stage = AttackTable(scene, makers={scene.cheater: partial(_FoldingCheater, attack=MARK)})
    stage.run_to_end()
    state, replica = stage.state(), stage[0].replica
    roots = {seat: store.root for seat, store in enumerate(stage.stores)}
    played = PlayedGame(replica.config, tuple(replica.entries), scene.cheater, (), scene.names, roots)
    chips = state.ledger.chips.values() if state.phase is Phase.ENDED else ()
    kept = max(chips, default=0) > state.config.rules.stake
    return stage.outcome("reads a card for a friend, who keeps the pot" if kept and find_marked_card(played) else None)


FOLDED_FRIEND: Final = Attack(
    name="folded-friend",
    does="reads a card for a friend, folds, and never discloses",
    numbers=("A36", "A50"),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "a folded friend that cheats for another player and never discloses",
            play=_play_folded_friend,
            if_unseen="cannot be seen",
        )
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)
