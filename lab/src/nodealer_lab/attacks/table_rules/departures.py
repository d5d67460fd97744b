"""Attacks by leaving a hand: to see a card first, to have a deck made again, or to get bets back."""

from __future__ import annotations

from typing import Any, Final

from nodealer.cards.events import Half
from nodealer.cards.operations import Open
from nodealer.engine.bodies import Break, Leave, Word
from nodealer.engine.commands import MakeMove
from nodealer.engine.participant import Participant
from nodealer.engine.state import TableState
from nodealer.games.registry import find_game
from nodealer.protocols.chain.deck import ChainDeck
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, blocking_duties

# --- deals again ---

COIN: Final = "coin"


class _CoinKeeper(Participant):
    """A participant that does not open its coin in the first hand."""

    def outgoing(self) -> list[bytes]:
        """Return nothing while it owes the coin of the first hand."""
        mine = self.replica.state.duties.of_seat(self.seat.number).values() if self.has_seat else ()
        return (
            [] if any(known.duty.kind == COIN and not known.duty.binding.hand for known in mine) else super().outgoing()
        )


DEALER, FRIEND, HONEST = 0, 1, 2


def _play_alone(scene: Scene) -> AttackOutcome:
    """Carry out the attack with a dealer who leaves itself when the coins pick a deck that it does not want."""
    return _leave_and_redeal(scene, DEALER, "makes decks again as often as it likes")


def _play_with_friend(scene: Scene) -> AttackOutcome:
    """Carry out the attack with a friend who leaves in place of the dealer."""
    return _leave_and_redeal(scene, FRIEND, "lets its friend make decks again as often as it likes")


def _leave_and_redeal(scene: Scene, leaver: int, gain: str) -> AttackOutcome:
    """Have a seat leave the first hand, and see whether the dealer makes a deck of the second.

    The attack: a dealer who makes the decks opens its coin last, leaves when the coins pick another deck than it wants,
    and deals again. Or a friend leaves for it.

    One of the dealer's decks may be false. The coins of all seats pick the deck that is played, and all others are
    opened. A dealer who may try as often as it likes has the false deck played eventually.
    """
    stage = AttackTable(scene, hands=2, makers={leaver: _CoinKeeper})
    stage.run_to_end()
    stage.sign_and_send(leaver, Leave())
    # The maker of the second hand's deck is known when there is one, so that hand need not be finished.
    stage.run_until(lambda state: bool(_dealers_of_second_hand(state)))
    return stage.outcome(gain if DEALER in _dealers_of_second_hand(stage.state(HONEST)) else None, seat=HONEST)


def _dealers_of_second_hand(state: TableState) -> list[int | None]:
    """Return the makers of the decks of the second hand, None for one with public cards."""
    decks = state.hand.decks.values() if state.hand.number == 1 else ()
    return [deck.dealer if deck.public is None else None for deck in decks if isinstance(deck, ChainDeck)]


DEALS_AGAIN: Final = Attack(
    name="deals-again",
    does="leaves when it sees which of its decks is picked, to deal again",
    numbers=("A36", "A38"),
    law=with_own_claim(
        AttackMethod(
            "a dealer that leaves when it sees which deck is picked, and deals again",
            play=_play_alone,
            seat=DEALER,
            defence=(
                RemovedDefence("nodealer.engine.votes:remove_seats", "tried=state.tried | tried", "tried=state.tried"),
            ),
        )
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer"}'},
)

FRIEND_LEAVES: Final = Attack(
    name="friend-leaves",
    does="leaves when it sees which of the dealer's decks is picked, so that the dealer deals again",
    numbers=("A36", "A38"),
    law=with_own_claim(
        AttackMethod(
            "a dealer's friend that leaves when it sees which deck is picked",
            play=_play_with_friend,
            seat=FRIEND,
            # This leaves only the dealer itself under suspicion of wanting other coins.
            defence=(
                RemovedDefence(
                    "nodealer.engine.votes:remove_seats", "frozenset(leaving) if", "frozenset({0}) & {*leaving} if"
                ),
            ),
        )
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer"}'},
)


# --- price ---


def is_opening_board(state: TableState) -> bool:
    """Return whether a card of the board is being opened."""
    return any(isinstance(getattr(deck, "asked", None), Open) for deck in state.hand.decks.values())


class BoardWithholder(Participant):
    """A participant that publishes no key of the board."""

    def outgoing(self) -> list[bytes]:
        """Return nothing while a card of the board is being opened."""
        return [] if self.has_session and is_opening_board(self.replica.state) else super().outgoing()


def _play_price(scene: Scene) -> AttackOutcome:
    """Leave when the others have published their keys, so that only the cheater knows the card.

    The attack: a player who is the first to see the next card of the board leaves instead of opening it, so that
    another one is dealt, and pays nothing for it.
    """
    stage = AttackTable(scene, seats=3, makers={scene.cheater: BoardWithholder})
    stage.run_to_end()
    state = stage.state()
    left = {half for deck in state.hand.decks.values() for seat, half in deck.half.items() if seat == scene.cheater}
    stage.sign_and_send(scene.cheater, Leave())
    stage.run_to_end()
    charged = stage.state().chronicle.records[0].charged.get(scene.cheater, 0)
    free = Half.OPENED in left and not charged
    return stage.outcome("takes back a card of the board without paying for it" if free else None)


PRICE: Final = Attack(
    name="price",
    does="leaves rather than open a card that it has seen",
    numbers=("A36", "A38"),
    law=with_own_claim(
        AttackMethod(
            "a seat that leaves instead of opening a card that it has seen, without paying",
            play=_play_price,
            seat=2,
            game=find_game("holdem"),
            defence=(RemovedDefence("nodealer.engine.votes:_remove_from_hand", "hand = _charge_leavers(hand, seats)"),),
        )
    ),
    tried_on=("mask", "offset"),
)


# --- no stake ---


def _play_no_stake(scene: Scene) -> AttackOutcome:
    """Fold, and withhold the key of the next card until all others have published theirs.

    The attack: a seat that has folded waits until all others have published their keys of the next card, and knows it
    first.

    It tells a friend who is still in the hand, or leaves if the friend would like another card.
    """
    stage = AttackTable(scene, seats=3, makers={scene.cheater: BoardWithholder})
    stage.run_until(awaits_move_of(scene.cheater))
    stage.send(stage[scene.cheater].command(MakeMove({"type": "fold"})))
    stage.run_to_end()
    state = stage.state(1)
    decks: list[Any] = [deck for deck in state.hand.decks.values() if is_opening_board(state)]
    others = set(range(3)) - {scene.cheater}
    first = any(others <= keys.keys() for deck in decks for at, keys in deck.released.items() if at in deck.places.pile)
    return stage.outcome("knows the next card first, with nothing at stake" if first else None, seat=1)


NO_STAKE: Final = Attack(
    name="no-stake",
    does="folds and waits for the others' keys, to see a card first",
    numbers=("A36",),
    law=with_own_claim(
        AttackMethod(
            "a seat without a stake that waits for the others' keys, to know a card first",
            play=_play_no_stake,
            seat=0,
            game=find_game("holdem"),
            defence=(
                RemovedDefence(
                    "nodealer.cards.operations:Open.in_turn",
                    "return tuple(seat for seat in waiting if group.get(seat, -1) == first)",
                    "return waiting",
                ),
            ),
        )
    ),
    tried_on=("mask", "lock"),
)


# --- refund ---


def _play_refund(scene: Scene) -> AttackOutcome:
    """Sign two entries with one number after the others have bet. The log itself proves that.

    The attack: a friend with a throw-away key lets itself be named, so that its partner gets its bets back.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(scene.cheater))
    (entry,) = stage.sign_and_send(scene.cheater, Word("I stay"))
    lie = stage.sign_again(scene.cheater, entry, Word("I go"))
    stage.run_to_end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.outcome("gets its partner's bets returned" if void else None, [lie])


REFUND: Final = Attack(
    name="refund",
    does="lets itself be named, so that a friend gets its bets back",
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "a friend that lets itself be named so that the bets of a hand are returned",
            play=_play_refund,
            defence=(RemovedDefence("nodealer.engine.votes:expel", "if not play_on:", "if True:"),),
        ),
        "at once",
        culprit=True,
    ),
    # At a table of two there is no third player whose bets would be lost.
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- undo ---

OTHER: Final = 0


def _play_undo(scene: Scene) -> AttackOutcome:
    """Abort the hand when the other is to move and the cheater has seen its cards.

    The attack: at a table of two without a timekeeper, the player who is about to lose aborts the hand.

    Half of a table can do that, and each of two is half. The log shows who did it, and it is the session's last hand.
    """
    stage = AttackTable(scene, seats=2)
    stage.run_until(awaits_move_of(OTHER))
    stage.sign_and_send(1, Break(blocking_duties(stage.state(), OTHER)[0]))
    stage.run_to_end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.outcome("undoes a hand that it may lose, and the log shows who voted" if void else None)


UNDO: Final = Attack(
    name="undo",
    does="aborts a hand that it may lose, at a table of two without a timekeeper",
    numbers=("A36",),
    law=with_own_claim(
        AttackMethod(
            "one of two players who aborts a hand, without a timekeeper",
            play=_play_undo,
            if_unseen="cannot be seen",
            seat=1,
        )
    ),
)
