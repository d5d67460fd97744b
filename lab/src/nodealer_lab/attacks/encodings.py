"""Attacks on what faces are as points and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from nodealer.engine.state import TableState
from nodealer.group import Points
from nodealer.group.integers import is_square
from nodealer.group.modp import P
from nodealer.protocols.base import Cheat
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.messages import Fragments
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme, SignedMoment
from nodealer_lab.attacks.dealer_decks import TWO_SEATS_GAME
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.duel_seats import SMALL_DUEL
from nodealer_lab.attacks.multiples import order_of_multiples
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, read_honest_game, seeded_entropy
from nodealer_lab.attacks.stage import AttackTable
from nodealer_lab.attacks.truth import all_faces, dealt_decks
from nodealer_lab.xor import name_by_commitment, overhear, owner_reads_the_order, rival_reads_the_deck

# --- fragments ---
#
# Who says its part of the faces last makes them what it likes: multiples of one point, which it knows again.


def _lock(moment: SignedMoment) -> bytes:
    """What is missing so that the sums are P, 2·P, 3·P, …"""
    deck = moment.deck
    group, others = deck.binding.group, list(deck.stage.said.values())
    wanted = group.integers(range(1, deck.size + 1)) * deck.fragments(moment.tape, moment.duty.seat)[0]
    for points in others:
        wanted = wanted - points
    return encode(Fragments(wanted.to_bytes()))


def _reads(played: PlayedGame) -> str | None:
    """The deck as it came from the cascade, before anybody has locked it: its cards lie as they will lie."""
    orders: dict[int, list[int] | None] = {}
    for one in played.card_messages():
        if isinstance(one.deck.stage, Locking) and not one.deck.stage.layer.keys:
            orders[one.duty.binding.hand] = order_of_multiples(one.deck.stage.layer.cards)
    if any(
        orders.get(one.hand) is not None and all_faces(one, played) == orders[one.hand] for one in dealt_decks(played)
    ):
        return "reads every card of the deck"
    return None


#: What is opened is what was committed to.
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
                {"fragments": _lock},
                late=("fragments",),
                defence=(_COMMITTED,),
                find_gain=_reads,
            ),
        ),
    },
)


# --- related ---
#
# Faces with a relation that everybody knows: after all shuffles it says which card is which.


def _related_read(played: PlayedGame) -> str | None:
    """The last list of numbers, in the order in which they are drawn."""
    for one in dealt_decks(played):
        order = order_of_multiples(one.deck.layers[-1].cards.numbers)
        hidden = {card.position: face for seat in played.honest_seats for card, face in one.hidden_cards(seat).items()}
        if order is not None and hidden and all(order[position] == face for position, face in hidden.items()):
            return "reads every card of the deck"
    return None


#: The numbers of cards are hashed.
_HASHED: Final = RemovedDefence(
    "nodealer.protocols.chain.lists:PublicCards.lists",
    'group.map_to_points(b"".join(uniform))',
    "group.integers(range(1, self.size + 1)) * group.G",
)
_RELATED_CLAIM: Final = Cheat("a relation between faces, found again in the shuffled deck", "never", False)

RELATED: Final = Attack(
    name="related",
    does="looks for a relation between faces in the shuffled deck",
    numbers=("A2",),
    who="a reader of the log",
    law=AttackScheme(
        AttackMethod(_RELATED_CLAIM.cheat, play=read_honest_game(_related_read), defence=(_HASHED,)), _RELATED_CLAIM
    ),
    tried_on=("chain",),
)


# --- two time pad ---
#
# One key for a whole deck, and XOR: the owner tries its own cards as the first one, and finds the rival's key.


def _two_time_pad_read(played: PlayedGame) -> str | None:
    """What the owner has in an honest game, before the first draw; and what it draws then is held against it."""
    me = played.cheater
    mine = [one for one in played.card_messages() if one.deck.owner == me and one.deck.epoch == 0]
    deck, tape = mine[-1].deck, played.tape(me, mine[-1].duty.binding.hand)
    key = deck.shuffle_key(tape, me, 0).to_bytes()
    plain = deck.nonces(tape, range(deck.size))
    order = owner_reads_the_order(overhear([(one.duty, one.message) for one in mine], me), key, plain)
    return "knows the order of its whole deck before it draws" if is_so(played, me, order) else None


def is_so(played: PlayedGame, owner: int, order: Sequence[int] | None) -> bool:
    """Whether what an owner draws from its deck, as it was first shuffled, is what somebody has read of it."""
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
                play=read_honest_game(_two_time_pad_read),
                if_unseen="cannot be seen",
                game=SMALL_DUEL,
            ),
        ),
    },
)


# --- two played ---
#
# One key for a whole deck, and XOR: the rival tries what lay in the deck as the first card that is played, and finds
# the owner's key when the second is.


def _two_played_read(played: PlayedGame) -> str | None:
    """What the rival has of an honest game; what its owner holds is held against it."""
    me = played.cheater
    said = [one for one in played.card_messages() if one.deck.rival == me and one.deck.epoch == 0]
    deck, tape = said[-1].deck, played.tape(me, said[-1].duty.binding.hand)
    shuffled = next(one for one in said if one.duty.kind == "shuffle" and one.duty.seat == me)
    order = deck.order(tape, me, 0, shuffled.deck.stage.cards).vartime_list()
    seen = overhear([(one.duty, one.message) for one in said], deck.owner)
    cards = rival_reads_the_deck(seen, order, name_by_commitment(seen.commitments))
    return "knows every card of the other's deck, in order" if is_so(played, deck.owner, cards) else None


TWO_PLAYED: Final = Attack(
    name="two-played",
    does="works out the opponent's key when two cards are played",
    numbers=("A5",),
    ways={
        "duel": (
            AttackMethod(
                "the rival reads the whole deck, in order, after two played cards",
                play=read_honest_game(_two_played_read),
                if_unseen="cannot be seen",
            ),
        ),
    },
)


# --- residue ---
#
# The dealer makes cards of which some are squares and some are not. To whatever odd power they are raised, that stays
# so: it sees of every card in the shuffled deck to which half it belongs.

#: Raised to an even power all are squares: this is a game in which nobody does that. One in some ten is.
SEED: Final = 1


def _shuffled(state: TableState) -> bool:
    """All have shuffled, and nobody has drawn."""
    decks: Any = state.hand.decks
    return any(len(deck.layers) == len(deck.order) for deck in decks.values())


def _play_residue(scene: Scene) -> AttackOutcome:
    stage = AttackTable(replace(scene, entropy=seeded_entropy(SEED, "residue")))
    shuffled = stage.run_until(_shuffled)
    return stage.outcome(_gain(stage) if shuffled else None)


def _gain(stage: AttackTable) -> str | None:
    """What it sees of each place is held against the card that lies there."""
    deck: Any = stage.state().hand.decks[0]
    made = deck.made(stage[deck.dealer].seat._tape(0), deck.candidate)
    lies = list(range(deck.size))
    for index, seat in enumerate(deck.order[1:], 1):
        lies = [lies[place] for place in deck.own(stage[seat].seat._tape(0), index).prior]
    known, sees = _squares(made.cards), _squares(deck.layers[-1].cards.numbers)
    if all(sees) or [known[place] for place in lies] != sees:
        return None
    return "knows of every card in which half of the deck it is"


def _squares(numbers: Points) -> list[bool]:
    return [is_square(int.from_bytes(numbers[place].to_bytes(), "big"), P) for place in range(len(numbers))]


_RESIDUE_CLAIM: Final = Cheat(
    "cards that are squares and cards that are none, told apart in the shuffled deck", "never", False
)
RESIDUE: Final = Attack(
    name="residue",
    does="makes some cards squares and others not, and tells them apart in the shuffled deck",
    numbers=("A1",),
    law=AttackScheme(
        AttackMethod(
            _RESIDUE_CLAIM.cheat,
            play=_play_residue,
            seat=0,
            game=TWO_SEATS_GAME,
            # What is no square is no number of the group: the dealer draws another nonce, and nobody takes one.
            defence=(RemovedDefence("nodealer.group.modp:_decode", " or not is_square(value, P)"),),
        ),
        _RESIDUE_CLAIM,
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
