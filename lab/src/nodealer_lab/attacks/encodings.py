"""Attacks on how faces are represented as points and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from nodealer.engine.state import TableState
from nodealer.group import Points
from nodealer.group.integers import is_square
from nodealer.group.modp import P
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.messages import Fragments
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, SignedMoment, with_own_claim
from nodealer_lab.attacks.dealer_decks import TWO_SEATS_GAME
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.duel_seats import SMALL_DUEL
from nodealer_lab.attacks.multiples import order_of_multiples
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, read_honest_game, seeded_entropy
from nodealer_lab.attacks.stage import AttackTable
from nodealer_lab.attacks.truth import all_faces, dealt_decks
from nodealer_lab.xor import card_finder, find_own_order, find_rival_order, overhear

# --- fragments ---


def _forge_fragments(moment: SignedMoment) -> bytes:
    """Send what is missing so that the sums are the multiples P, 2·P, 3·P and so on.

    The attack: the last seat to send its part of the faces chooses them: multiples of one point, which it can recognise
    later.
    """
    deck = moment.deck
    group, others = deck.binding.group, list(deck.stage.said.values())
    wanted = group.integers(range(1, deck.size + 1)) * deck.fragments(moment.tape, moment.duty.seat)[0]
    for points in others:
        wanted = wanted - points
    return encode(Fragments(wanted.to_bytes()))


def _find_deck_read(played: PlayedGame) -> str | None:
    """Find a deck that is read after the cascade and before the locking, when its order is final.

    Return the gain as a phrase, or None if there is none.
    """
    orders: dict[int, list[int] | None] = {}
    for one in played.card_messages():
        if isinstance(one.deck.stage, Locking) and not one.deck.stage.layer.keys:
            orders[one.duty.binding.hand] = order_of_multiples(one.deck.stage.layer.cards)
    if any(
        orders.get(one.hand) is not None and all_faces(one, played) == orders[one.hand] for one in dealt_decks(played)
    ):
        return "reads every card of the deck"
    return None


#: The opened fragments must be those committed to.
_COMMITTED: Final = RemovedDefence(
    "nodealer.protocols.lock.shuffle:OpeningFragments.apply",
    "if _commitment(deck, duty.seat, data) != self.commitments[duty.seat]:",
    "if False:",
)

FRAGMENTS: Final = Attack(
    name="fragments",
    does="chooses its part of the faces after seeing the others'",
    numbers=("A2", "A6"),
    ways={
        "lock": (
            AttackMethod(
                "fragments chosen after seeing the others'",
                {"fragments": _forge_fragments},
                late=("fragments",),
                defence=(_COMMITTED,),
                find_gain=_find_deck_read,
            ),
        ),
    },
)


# --- related ---


def _find_related_deck(played: PlayedGame) -> str | None:
    """Find a deck that is read from the last list of numbers, which is in drawing order.

    Return the gain as a phrase, or None if there is none.

    The attack: a publicly known relation between faces that tells, after all shuffles, which card is which.
    """
    for one in dealt_decks(played):
        order = order_of_multiples(one.deck.layers[-1].cards.numbers)
        hidden = {card.position: face for seat in played.honest_seats for card, face in one.hidden_cards(seat).items()}
        if order is not None and hidden and all(order[position] == face for position, face in hidden.items()):
            return "reads every card of the deck"
    return None


#: The numbers of cards are hashes.
_HASHED: Final = RemovedDefence(
    "nodealer.protocols.chain.lists:PublicCards.lists",
    'group.map_to_points(b"".join(uniform))',
    "group.integers(range(1, self.size + 1)) * group.G",
)
RELATED: Final = Attack(
    name="related",
    does="looks for a relation between faces in the shuffled deck",
    numbers=("A2",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "a relation between faces that is found in the shuffled deck",
            play=read_honest_game(_find_related_deck),
            defence=(_HASHED,),
        )
    ),
    tried_on=("chain",),
)


# --- two time pad ---


def _find_own_order(played: PlayedGame) -> str | None:
    """Find the order of the owner's deck before the first draw of an honest game, and compare it with what is drawn.

    Return the gain as a phrase, or None if there is none.

    The attack: one key for a whole deck, and XOR: the owner tries each of its own cards as the first one, and so finds
    the rival's key.
    """
    me = played.cheater
    mine = [one for one in played.card_messages() if one.deck.owner == me and one.deck.epoch == 0]
    deck, tape = mine[-1].deck, played.tape(me, mine[-1].duty.binding.hand)
    key = deck.shuffle_key(tape, me, 0).to_bytes()
    plain = deck.nonces(tape, range(deck.size))
    order = find_own_order(overhear([(one.duty, one.message) for one in mine], me), key, plain)
    return "knows the order of its whole deck before it draws" if is_true_order(played, me, order) else None


def is_true_order(played: PlayedGame, owner: int, order: Sequence[int] | None) -> bool:
    """Return whether an owner's draws from its first shuffled deck agree with the order that was read."""
    if order is None:
        return False
    for one in dealt_decks(played):
        mine = one.deck.owner == owner and one.deck.epoch == 0
        drawn = {card.position: face for card, face in one.hidden_cards(owner).items()} if mine else {}
        if drawn and all(order[position] == face for position, face in drawn.items()):
            return True
    return False


TWO_TIME_PAD: Final = Attack(
    name="two-time-pad",
    does="finds the opponent's key in its own deck",
    numbers=("A5",),
    ways={
        "duel": (
            AttackMethod(
                "the owner reads the order of the whole deck before the first draw",
                play=read_honest_game(_find_own_order),
                if_unseen="cannot be seen",
                game=SMALL_DUEL,
            ),
        ),
    },
)


# --- two played ---


def _find_rival_deck(played: PlayedGame) -> str | None:
    """Find the order of the owner's deck with what the rival has of an honest game.

    Return the gain as a phrase, or None if there is none.

    The attack: one key for a whole deck, and XOR: the rival tries each card of the deck as the first one played, and
    finds the owner's key when a second card is played.
    """
    me = played.cheater
    messages = [one for one in played.card_messages() if one.deck.rival == me and one.deck.epoch == 0]
    deck, tape = messages[-1].deck, played.tape(me, messages[-1].duty.binding.hand)
    shuffled = next(one for one in messages if one.duty.kind == "shuffle" and one.duty.seat == me)
    order = deck.order(tape, me, 0, shuffled.deck.stage.cards).vartime_list()
    seen = overhear([(one.duty, one.message) for one in messages], deck.owner)
    cards = find_rival_order(seen, order, card_finder(seen.commitments))
    return "knows the order of its opponent's whole deck" if is_true_order(played, deck.owner, cards) else None


TWO_PLAYED: Final = Attack(
    name="two-played",
    does="works out the opponent's key when two cards are played",
    numbers=("A5",),
    ways={
        "duel": (
            AttackMethod(
                "the rival reads the whole deck, in order, after two played cards",
                play=read_honest_game(_find_rival_deck),
                if_unseen="cannot be seen",
            ),
        ),
    },
)


# --- residue ---

#: Even powers turn all cards into squares. With this seed no one uses one; about one seed in ten is like that.
SEED: Final = 1


def _is_shuffled(state: TableState) -> bool:
    """Return whether all seats have shuffled a deck."""
    decks: Any = state.hand.decks
    return any(len(deck.layers) == len(deck.order) for deck in decks.values())


def _play_residue(scene: Scene) -> AttackOutcome:
    """Play until the deck is shuffled, and compare what the dealer can tell with the truth.

    The attack: the dealer makes some cards squares and others not. Odd powers preserve that, so the dealer can see for
    each card in the shuffled deck which half it belongs to.
    """
    stage = AttackTable(replace(scene, entropy=seeded_entropy(SEED, "residue")))
    shuffled = stage.run_until(_is_shuffled)
    return stage.outcome(_find_halves(stage) if shuffled else None)


def _find_halves(stage: AttackTable) -> str | None:
    """Compare what the dealer sees at each place with the card that lies there.

    Return the gain as a phrase, or None if there is none.
    """
    deck: Any = stage.state().hand.decks[0]
    made = deck.dealers_deck(stage[deck.dealer].seat._tape(0), deck.candidate)
    lies = list(range(deck.size))
    for index, seat in enumerate(deck.order[1:], 1):
        lies = [lies[place] for place in deck.layer_secrets(stage[seat].seat._tape(0), index).prior]
    known, sees = _are_squares(made.cards), _are_squares(deck.layers[-1].cards.numbers)
    if all(sees) or [known[place] for place in lies] != sees:
        return None
    return "knows for each card which half of the deck it is from"


def _are_squares(numbers: Points) -> list[bool]:
    """Return for each number whether it is a square modulo the prime."""
    return [is_square(int.from_bytes(numbers[place].to_bytes(), "big"), P) for place in range(len(numbers))]


RESIDUE: Final = Attack(
    name="residue",
    does="makes some cards squares and others not, and tells them apart in the shuffled deck",
    numbers=("A1",),
    law=with_own_claim(
        AttackMethod(
            "cards that are squares and cards that are not, told apart in the shuffled deck",
            play=_play_residue,
            seat=0,
            game=TWO_SEATS_GAME,
            # A number that is not a square is not in the group. The dealer draws another nonce, and no one accepts such
            # a number.
            defence=(RemovedDefence("nodealer.group.modp:_decode", " or not is_square(value, P)"),),
        )
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer","proven":false}'},
)


ATTACKS: Final = (
    FRAGMENTS,
    RELATED,
    TWO_TIME_PAD,
    TWO_PLAYED,
    RESIDUE,
)
