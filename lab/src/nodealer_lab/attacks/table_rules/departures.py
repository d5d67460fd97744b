"""Attacks by leaving a hand: to see a card first, to have a deck made again, or to get bets back."""

from __future__ import annotations

from typing import Any, Final

from nodealer.cards.events import Half
from nodealer.cards.operations import Open
from nodealer.engine.bodies import Break, Leave, Word
from nodealer.engine.participant import Participant
from nodealer.engine.state import TableState
from nodealer.games.registry import find_game
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.deck import ChainDeck
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, blocking_duties

# --- deals again ---
#
# A dealer with decks of its own opens its coin last, leaves when another deck is picked than it wants, and deals anew;
# or a friend does the leaving for it.
#
# Among the decks that it makes one may be false; the coin of all picks which is played, and all others are opened. Who
# may try as often as it likes has its false deck played one day.

COIN: Final = "coin"


class _KeepsItsCoin(Participant):
    """Opens nothing in the first hand."""

    def due(self) -> list[bytes]:
        mine = self.replica.state.duties.of(self.seat.number).values() if self.seated else ()
        return [] if any(known.duty.kind == COIN and not known.duty.binding.hand for known in mine) else super().due()


DEALER, FRIEND, HONEST = 0, 1, 2


def _alone(scene: Scene) -> AttackOutcome:
    return _leaves(scene, DEALER, "makes decks again, as often as it likes")


def _helped(scene: Scene) -> AttackOutcome:
    return _leaves(scene, FRIEND, "has its friend make decks again, as often as it likes")


def _leaves(scene: Scene, leaver: int, gain: str) -> AttackOutcome:
    stage = AttackTable(scene, hands=2, makers={leaver: _KeepsItsCoin})
    stage.run_to_end()
    stage.sign_and_send(leaver, Leave())
    # Whose deck it is in the second hand is known when there is one: nobody has to wait for the end of that hand.
    stage.run_until(lambda state: bool(_dealers(state)))
    return stage.outcome(gain if DEALER in _dealers(stage.state(HONEST)) else None, seat=HONEST)


def _dealers(state: TableState) -> list[int | None]:
    """Who makes the decks that lie there in the second hand; None where their cards are public."""
    decks = state.hand.decks.values() if state.hand.number == 1 else ()
    return [deck.dealer if deck.public is None else None for deck in decks if isinstance(deck, ChainDeck)]


_DEALS_AGAIN_CLAIM: Final = Cheat(
    "a dealer that leaves when it sees which deck is picked, and deals again", "never", False
)
DEALS_AGAIN: Final = Attack(
    name="deals-again",
    does="leaves when it sees which of its decks is picked, to deal again",
    numbers=("A36", "A38"),
    law=AttackScheme(
        AttackMethod(
            _DEALS_AGAIN_CLAIM.cheat,
            play=_alone,
            seat=DEALER,
            defence=(RemovedDefence("nodealer.engine.votes:leave", "tried=state.tried | tried", "tried=state.tried"),),
        ),
        _DEALS_AGAIN_CLAIM,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer"}'},
)

HELPED_CLAIM: Final = Cheat("a dealer's friend that leaves when it sees which deck is picked", "never", False)
FRIEND_LEAVES: Final = Attack(
    name="friend-leaves",
    does="leaves when it sees which of the dealer's decks is picked, so that the dealer deals again",
    numbers=("A36", "A38"),
    law=AttackScheme(
        AttackMethod(
            HELPED_CLAIM.cheat,
            play=_helped,
            seat=FRIEND,
            # As if only the dealer itself could want other coins.
            defence=(
                RemovedDefence(
                    "nodealer.engine.votes:leave", "frozenset(leaving) if", "frozenset({0}) & {*leaving} if"
                ),
            ),
        ),
        HELPED_CLAIM,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer"}'},
)


# --- price ---
#
# Who sees the next card of the board first leaves instead of opening it, to have another one dealt, at no price.


def opening(state: TableState) -> bool:
    """A card of the board is being opened."""
    return any(isinstance(getattr(deck, "asked", None), Open) for deck in state.hand.decks.values())


class Waits(Participant):
    """Publishes no key of the board."""

    def due(self) -> list[bytes]:
        return [] if self.begun and opening(self.replica.state) else super().due()


def _play_price(scene: Scene) -> AttackOutcome:
    """The others have published theirs: it knows the card, and they do not."""
    stage = AttackTable(scene, seats=3, makers={scene.cheater: Waits})
    stage.run_to_end()
    state = stage.state()
    left = {half for deck in state.hand.decks.values() for seat, half in deck.half.items() if seat == scene.cheater}
    stage.sign_and_send(scene.cheater, Leave())
    stage.run_to_end()
    charged = stage.state().chronicle.records[0].charged.get(scene.cheater, 0)
    free = Half.OPENED in left and not charged
    return stage.outcome("takes a card of the board back and pays nothing for it" if free else None)


_PRICE_CLAIM: Final = Cheat("a seat that leaves rather than open a card that it has seen, at no price", "never", False)
PRICE: Final = Attack(
    name="price",
    does="leaves rather than open a card that it has seen",
    numbers=("A36", "A38"),
    law=AttackScheme(
        AttackMethod(
            _PRICE_CLAIM.cheat,
            play=_play_price,
            seat=2,
            game=find_game("holdem"),
            defence=(RemovedDefence("nodealer.engine.votes:_left", "hand = _charged(hand, seats)"),),
        ),
        _PRICE_CLAIM,
    ),
    tried_on=("mask", "offset"),
)


# --- no stake ---
#
# A seat that has folded waits until all others have published their keys of the next card, and knows it first.
#
# It tells a friend who is still in the hand, or leaves if the friend would like another card.


def _play_no_stake(scene: Scene) -> AttackOutcome:
    stage = AttackTable(scene, seats=3, makers={scene.cheater: Waits})
    stage.run_until(awaits_move_of(scene.cheater))
    stage.send(stage[scene.cheater].move({"type": "fold"}))
    stage.run_to_end()
    state = stage.state(1)
    decks: list[Any] = [deck for deck in state.hand.decks.values() if opening(state)]
    others = set(range(3)) - {scene.cheater}
    first = any(others <= keys.keys() for deck in decks for at, keys in deck.released.items() if at in deck.places.pile)
    return stage.outcome("knows the next card first, with nothing at stake" if first else None, seat=1)


_NO_STAKE_CLAIM: Final = Cheat(
    "a seat without a stake that waits for the others' keys, to know a card first", "never", False
)
NO_STAKE: Final = Attack(
    name="no-stake",
    does="folds and waits for the others' keys, to see a card first",
    numbers=("A36",),
    law=AttackScheme(
        AttackMethod(
            _NO_STAKE_CLAIM.cheat,
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
        ),
        _NO_STAKE_CLAIM,
    ),
    tried_on=("mask", "lock"),
)


# --- refund ---
#
# A friend with a throw-away key lets itself be named, so that its partner gets its bets back.


def _play_refund(scene: Scene) -> AttackOutcome:
    """It says two things with one number, which the log itself shows, when the others have bet."""
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(scene.cheater))
    (said,) = stage.sign_and_send(scene.cheater, Word("I stay"))
    lie = stage.sign_again(scene.cheater, said, Word("I go"))
    stage.run_to_end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.outcome("gives its partner's bets back" if void else None, [lie])


_REFUND_CLAIM: Final = Cheat(
    "a friend that lets itself be named, to have the bets of a hand given back", "at once", True
)
REFUND: Final = Attack(
    name="refund",
    does="lets itself be named, so that a friend gets its bets back",
    who="a coalition",
    law=AttackScheme(
        AttackMethod(
            _REFUND_CLAIM.cheat,
            play=_play_refund,
            defence=(RemovedDefence("nodealer.engine.votes:expel", "if not play_on:", "if True:"),),
        ),
        _REFUND_CLAIM,
    ),
    # Of two nobody is a third whose bets would be lost.
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- undo ---
#
# Two sit at a table at which nobody keeps the time, and the one that is about to lose breaks the hand off.
#
# Half of a table can do that, and of two each is half. The log shows who said it, and it is the session's last hand.

OTHER: Final = 0


def _play_undo(scene: Scene) -> AttackOutcome:
    """It has seen its own cards, and the other is to move."""
    stage = AttackTable(scene, seats=2)
    stage.run_until(awaits_move_of(OTHER))
    stage.sign_and_send(1, Break(blocking_duties(stage.state(), OTHER)[0]))
    stage.run_to_end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.outcome("undoes a hand that it may lose, and the log shows who said so" if void else None)


_UNDO_CLAIM: Final = Cheat("one of two that breaks a hand off, where nobody keeps the time", "never", False)
UNDO: Final = Attack(
    name="undo",
    does="aborts a hand that it may lose, at a table of two without a timekeeper",
    numbers=("A36",),
    law=AttackScheme(AttackMethod(_UNDO_CLAIM.cheat, play=_play_undo, if_unseen="cannot be seen", seat=1), _UNDO_CLAIM),
)
