"""Attacks on the contents of the deck: cards that are doubled, marked, moved or replaced."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any, Final

from msgspec.structs import replace

from nodealer.cheats import double, mark
from nodealer.cheats.arrays import alter_card, multiply, set_at
from nodealer.cheats.mark import POWER
from nodealer.errors import CardUnreadable
from nodealer.group import Points, concat
from nodealer.proofs.encoding import encodings
from nodealer.protocols.chain.draw import read_links
from nodealer.protocols.chain.lists import NAME_BYTES
from nodealer.protocols.chain.messages import ChainShuffle, Pass
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelReveal, DuelShuffle
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import (
    Attack,
    AttackMethod,
    SignedMoment,
    attack_from_cheat,
    with_own_claim,
)
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import BOOKS, EACH_PROOF, EQUALITY_PROOF, SHUFFLE_PROOF
from nodealer_lab.attacks.duel_seats import SMALL_DUEL
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, judge, play_with_cheater
from nodealer_lab.attacks.truth import all_faces, bare_encodings, dealt_decks, find_doubled_card, find_spoilt_card

# --- double ---
#
# One card is in the deck twice, and so another one is missing.

_SPOILT: Final = {"defence": (SHUFFLE_PROOF,), "find_gain": find_spoilt_card}

DOUBLE: Final = attack_from_cheat(
    double.DOUBLE,
    # mask
    {"defence": (SHUFFLE_PROOF,), "find_gain": find_doubled_card},
    # lock, offset
    _SPOILT,
    _SPOILT,
    # chain
    {"defence": (SHUFFLE_PROOF, EQUALITY_PROOF), "find_gain": find_spoilt_card, "seat": 1},
    {"defence": (EQUALITY_PROOF,), "find_gain": find_spoilt_card, "seat": 1},
    # duel
    _SPOILT,
    {"defence": (BOOKS,), "find_gain": find_spoilt_card},
    {"defence": (BOOKS,), "find_gain": find_spoilt_card},
    numbers=("A9",),
)


# --- mark ---


def find_marked_card(played: PlayedGame) -> str | None:
    """Find a card of another seat that equals, after removing the power, what the cheater drew.

    Return the gain as a phrase, or None if there is none.

    The attack: one card gets something of its own, by which the cheater hopes to recognise it.
    """
    for one in dealt_decks(played):
        deck, hand, me = one.deck, one.hand, played.cheater
        mine = deck.hidden(me) if me in deck.order and isinstance(one.reads.get(me), CardUnreadable) else ()
        if not mine:
            continue
        bare = deck.bare(me, played.tape(me, hand), mine)[0]
        found = deck.read(bare.group.integers([POWER]).invert() * bare)
        for seat in played.honest_seats:
            if found is not None and found[0] in one.hidden_cards(seat).values():
                return f"reads the card of {played.names[seat]}"
    return None


MARK: Final = attack_from_cheat(
    mark.MARK,
    # mask, lock, offset
    {"defence": (EACH_PROOF,), "find_gain": find_spoilt_card},
    {"defence": (EACH_PROOF,), "find_gain": find_spoilt_card},
    {"defence": (SHUFFLE_PROOF,), "find_gain": find_spoilt_card},
    # chain
    {"defence": (SHUFFLE_PROOF,), "find_gain": find_marked_card},
    {"defence": (BOOKS,), "find_gain": find_marked_card},
    # duel
    {"defence": (EACH_PROOF,), "find_gain": find_spoilt_card},
    {"defence": (BOOKS,), "find_gain": find_spoilt_card},
    {"defence": (BOOKS,), "find_gain": find_spoilt_card},
    numbers=("A7", "A8"),
)


# --- stack ---

_NO_KEY: Final = "a seat cannot make a card under the others' secrets, only take one that it was given"


def _forge_stacked(moment: SignedMoment) -> bytes:
    """Put the highest face into its own place. Anyone can mask a card under the joint key.

    The attack: the last seat to shuffle puts the card it wants where it will be dealt to that seat.
    """
    message, deck = read_message(MaskShuffle, moment.honest), moment.deck
    group, mine = deck.binding.group, deck.binding.players.index(moment.duty.seat)
    joint = deck.stage.joint + group.points(message.key)
    card = deck.faces.points[deck.faces.size - 1] + multiply(group, 5, joint)
    return encode(
        replace(
            message,
            epk=set_at(message.epk, mine, multiply(group, 5, group.G).to_bytes()),
            msg=set_at(message.msg, mine, card.to_bytes()),
        )
    )


def _find_highest_every_hand(played: PlayedGame) -> str | None:
    """Find out whether the cheater had the highest card in every hand. In one hand it may be luck.

    Return the gain as a phrase, or None if there is none.
    """
    held = dict[int, bool]()
    for one in dealt_decks(played):
        highest = one.deck.faces.size - 1 in one.hidden_cards(played.cheater).values()
        held[one.hand] = held.get(one.hand, False) or highest
    return "deals itself the highest card in every hand" if len(held) > 1 and all(held.values()) else None


STACK: Final = Attack(
    name="stack",
    does="puts the card it wants where it will be dealt to it",
    numbers=("A8",),
    ways={
        "mask": (
            AttackMethod(
                "a card doubled, dropped, replaced or marked in a shuffle",
                {"shuffle": _forge_stacked},
                defence=(SHUFFLE_PROOF,),
                find_gain=_find_highest_every_hand,
            ),
        ),
    },
    instead={
        "lock": ("a card doubled, replaced or marked in the cascade", _NO_KEY),
        "offset": ("a pair doubled, dropped or foreign in a shuffle", _NO_KEY),
        "chain": ("a number doubled, dropped or foreign in a shuffle", _NO_KEY),
        "duel": ("a card doubled, replaced or marked in a shuffle", _NO_KEY),
    },
)


# --- names ---


def _forge_names(moment: SignedMoment) -> bytes:
    """Shift all names by one place.

    The attack: a seat puts the names in another order than the numbers, so that the two of a card do not belong
    together.
    """
    message = read_message(ChainShuffle, moment.honest)
    return encode(replace(message, names=message.names[NAME_BYTES:] + message.names[:NAME_BYTES]))


def _forge_links(moment: SignedMoment) -> bytes:
    """As cards of `chain` are passed around, look them up under the shifted names, to match `_forge_names`."""
    message, deck = read_message(Pass, moment.honest), moment.deck
    turn = deck.stage.turn
    own, names = deck.layer_secrets(moment.tape, turn), {place: name for name, place in deck.names_before(turn).items()}
    linked = [(track.place + 1) % deck.size for track in deck.stage.tracks if track.looked_up_by(turn)]
    nonces = b"".join(own.nonces[place] for place in linked)
    return encode(replace(message, nonces=nonces, names=b"".join(names[own.prior[place]] for place in linked)))


def _find_mismatched_name(played: PlayedGame) -> str | None:
    """Find an accepted link of the cheater's whose name and number belong to different cards.

    Its number is then not the one under the prior name times the cheater's key. Following the names leads to another
    card than removing the keys. Return the gain as a phrase, or None if there is none.
    """
    for one in played.card_messages():
        if one.duty.kind != "pass" or one.duty.seat != played.cheater:
            continue
        deck, message = one.deck, read_message(Pass, one.message)
        turn = deck.stage.turn
        places = [track.place for track in deck.stage.tracks if track.looked_up_by(turn)]
        links = read_links(deck, one.duty.seat, places, message.nonces, message.names)
        key = deck.layer_secrets(played.tape(one.duty.seat, one.duty.binding.hand), turn).key
        if any(key * base != image for base, image in zip(links.bases, links.images, strict=True)):
            return "gives every card the name of another"
    return None


NAMES: Final = Attack(
    name="names",
    does="puts the names of the cards in a different order from their numbers",
    ways={
        "chain": (
            AttackMethod(
                "names in another order than the numbers",
                {"shuffle": _forge_names, "pass": _forge_links},
                defence=(EQUALITY_PROOF,),
                find_gain=_find_mismatched_name,
                seat=1,
            ),
        ),
    },
)


# --- slot ---


def forge_double(moment: SignedMoment) -> bytes:
    """Replace the second card of its own deck by twice the first.

    The attack: the owner of a deck puts a multiple of one card in place of another. After the rival's shuffle, these
    two are the only ones of which one is twice the other, so the owner knows where that card lies before drawing.
    """
    if moment.deck.owner != moment.duty.seat:
        return moment.honest
    message = read_message(DuelShuffle, moment.honest)
    card = alter_card(moment.deck.cipher.points(message.cards)[0])
    return encode(replace(message, cards=set_at(message.cards, 1, card.to_bytes())))


def _forge_reveal(moment: SignedMoment) -> bytes:
    """At the end, declare the doubled card's place to be the missing card: the owner cannot open it honestly."""
    deck, positions = moment.deck, moment.deck.stage.positions
    if moment.honest != b"{}":
        return moment.honest
    own = deck.layers.secrets(moment.tape, positions, deck.owner)
    index = deck.own_index(moment.tape)
    found = [index.get(code) for code in encodings(own.invert() * deck.without_published_keys(positions))]
    missing = (card for card in range(deck.size) if card not in found and card not in deck.places.opened.values())
    cards = [next(missing) if card is None else card for card in found]
    return encode(DuelReveal(tuple(cards), b"".join(deck.nonces(moment.tape, cards)), own.to_bytes()))


def find_known_place(played: PlayedGame) -> str | None:
    """Find out whether the deck's owner recognises the doubled card after the rival's shuffle.

    Return the gain as a phrase, or None if there is none.

    The order should be unknown to the owner then, but a card that is twice another one gives its place away.
    """
    for one in played.card_messages():
        deck: Any = one.deck
        if one.duty.kind == "lock" and one.duty.seat == deck.owner == played.cheater:
            cards = deck.stage.cards
            known = set(encodings(cards))
            if any(alter_card(cards[place]).to_bytes() in known for place in range(deck.size)):
                return "knows where a card of its choice lies in its deck"
    return None


#: Compares what is revealed of a place with the card that lies there, and recomputes all messages from the disclosures.
_AT_THE_END: Final = (
    RemovedDefence(
        "nodealer.protocols.duel.reveal:RevealingCards._refuse_other_places", "if slots != found:", "if False:"
    ),
    BOOKS,
)
_FORGE: Final = {"shuffle": forge_double, "reveal": _forge_reveal}
#: The step that it answers although it cannot read the slot.
_BLIND: Final = ("reveal",)

SLOT: Final = Attack(
    name="slot",
    does="puts a multiple of a card into its own deck, to recognise that card",
    numbers=("A7",),
    ways={
        "duel": (
            AttackMethod(
                "a card that the owner replaced or marked, also after a search",
                _FORGE,
                defence=_AT_THE_END,
                find_gain=find_known_place,
                blind=_BLIND,
                game=SMALL_DUEL,
            ),
            AttackMethod(
                "a card that the owner replaced",
                _FORGE,
                defence=_AT_THE_END,
                find_gain=find_known_place,
                blind=_BLIND,
                game=SMALL_DUEL,
            ),
            AttackMethod(
                "a card doubled, replaced or marked in a shuffle",
                _FORGE,
                defence=(SHUFFLE_PROOF,),
                find_gain=find_known_place,
                blind=_BLIND,
                game=SMALL_DUEL,
            ),
        ),
    },
)


# --- products ---


def _powers(mine: int, size: int) -> dict[int, int]:
    """Return the power for the number at each place but the cheater's own."""
    return {place: place + 2 for place in range(size) if place != mine}


def _forge_product(moment: SignedMoment) -> bytes:
    """Put the product into the place that will be dealt to the cheater."""
    message, deck = read_message(ChainShuffle, moment.honest), moment.deck
    mine, numbers = deck.binding.players.index(moment.duty.seat), deck.binding.group.points(message.numbers)
    powers = _powers(mine, deck.size)
    product = (numbers.group.integers([*powers.values()]) * numbers.take([*powers])).sum()
    return encode(replace(message, numbers=set_at(message.numbers, mine, product.to_bytes())))


def _find_known_order(played: PlayedGame) -> str | None:
    """Find a deck whose order the cheater knows, by comparing it with what honest seats hold.

    Return the gain as a phrase, or None if there is none.
    """
    me = played.cheater
    for one in dealt_decks(played):
        hidden = {card.position: face for seat in played.honest_seats for card, face in one.hidden_cards(seat).items()}
        if hidden and isinstance(one.reads.get(me), CardUnreadable):
            drawn = one.deck.bare(me, played.tape(me, one.hand), one.deck.hidden(me))[0]
            if hidden.items() <= _solve_order(one.deck, one.deck.binding.players.index(me), drawn).items():
                return "knows where every card of the deck lies"
    return None


def _solve_order(deck: Any, mine: int, drawn: Points) -> dict[int, int]:
    """Return the face at each place such that the product of the bare cards is what was drawn, trying all orders."""
    powers, cards = _powers(mine, deck.size), deck.base.numbers
    known = {at: multiply(drawn.group, power, cards) for at, power in powers.items()}
    for faces in permutations(range(deck.size), len(powers)):
        order = dict(zip(powers, faces, strict=True))
        if concat(*(known[at][face] for at, face in order.items())).sum() == drawn:
            return order
    return {}


def _play_products(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The attack works only with public cards and without proofs, so no bot plays this in a real game.

    The attack: the last seat to shuffle puts into its own slot the product of all other numbers, each to a power of its
    own.

    What it draws is the same product of bare cards, which only one order of the deck gives. So it knows where every
    card lies before the first bet. With a second slot of its own it would have two products of half as many cards,
    which are found far sooner: a whole hand of a large deck is read in seconds. Here the deck is small, and one slot is
    enough.
    """
    played = play_with_cheater(PRODUCTS, scene)
    return judge(played, _find_known_order(played))


PRODUCTS: Final = Attack(
    name="products",
    does="puts a product of all other cards into the slot that it will draw",
    numbers=("A7", "A8"),
    law=with_own_claim(
        AttackMethod(
            "a product of powers of all other cards in the seat's own slot, to read them",
            {"shuffle": _forge_product},
            play=_play_products,
            defence=(BOOKS,),
        ),
        "at the end",
        culprit=True,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)


# --- twin ---


def _forge_twin(moment: SignedMoment) -> bytes:
    """Replace the second card of the owner's deck by the first, so that the deck has one card twice."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    message = read_message(DuelShuffle, moment.honest)
    return encode(
        replace(message, cards=set_at(message.cards, 1, moment.deck.cipher.points(message.cards)[0].to_bytes()))
    )


def _find_twin(played: PlayedGame) -> str | None:
    """Find two equal cards in a deck of an honest owner. Return the gain as a phrase, or None if there is none."""
    for one in dealt_decks(played):
        deck, every = one.deck, tuple(range(one.deck.size))
        if deck.owner == played.cheater:
            continue
        if len(set(bare_encodings(one, played, every))) < len(every):
            return f"has a card twice in the deck of {played.names[deck.owner]}"
    return None


def _play_twin(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The message is refused and the table waits, so no bot plays this in a real game.

    The attack: the rival puts one card of the owner's deck in twice, unchanged, in a mode without proofs.
    """
    played = play_with_cheater(TWIN, scene)
    return judge(played, _find_twin(played))


#: Two equal cards are refused; otherwise the disclosures would name who put them there.
_TWO_OF_ONE: Final = (
    RemovedDefence(
        "nodealer.protocols.duel.tasks:_read_cards", "if len(set(encodings(cards))) != len(cards):", "if False:"
    ),
    BOOKS,
)

TWIN: Final = Attack(
    name="twin",
    does="puts a card of the opponent's deck in twice, unchanged",
    numbers=("A9",),
    ways={
        "duel": (
            AttackMethod(
                "two equal cards in a shuffle: it is rejected, and the seat must send another",
                {"shuffle": _forge_twin},
                defence=_TWO_OF_ONE,
                play=_play_twin,
                game=SMALL_DUEL,
            ),
        ),
    },
)


# --- sums ---

#: The two faces to follow, and the one that is given up for that.
CHOSEN: Final = (0, 1)
LOST: Final = 2


def _forge_sum(moment: SignedMoment) -> bytes:
    """Replace the lost card by the sum of the chosen ones, under its own secret and in its own order.

    The attack: the first seat to shuffle puts the sum of two cards in place of a third. This relation survives any
    factor and any order, so the seat finds the three again, and knows where two cards of its choice lie.
    """
    message, deck = read_message(Cascade, moment.honest), moment.deck
    cards, given = deck.binding.group.points(message.cards), deck.stage.cards
    if len(given) <= LOST:
        # Too few cards are left in this rebuilt deck.
        return moment.honest
    s = deck.cascade_secret(moment.tape, moment.duty.seat)
    places = {code: place for place, code in enumerate(encodings(cards))}
    first, second, lost = (places[(s * given[face]).to_bytes()] for face in (*CHOSEN, LOST))
    return encode(replace(message, cards=set_at(message.cards, lost, (cards[first] + cards[second]).to_bytes())))


def _find_sum(played: PlayedGame) -> str | None:
    """Find the three cards in the deck as it left the cascade, when its cards already lie in their final order.

    Return the gain as a phrase, or None if there is none.
    """
    found: dict[int, set[int]] = {}
    for one in played.card_messages():
        if isinstance(one.deck.stage, Locking) and not one.deck.stage.layer.keys:
            cards = one.deck.stage.layer.cards
            known = set(encodings(cards))
            for pair in combinations(range(len(cards)), 2):
                if (cards[pair[0]] + cards[pair[1]]).to_bytes() in known:
                    found[one.duty.binding.hand] = set(pair)
    for deck in dealt_decks(played):
        faces = all_faces(deck, played)
        if faces and {faces[place] for place in found.get(deck.hand, ())} == set(CHOSEN):
            return "knows where two cards of its choice lie"
    return None


SUMS: Final = Attack(
    name="sums",
    does="puts the sum of two cards in place of a third, to recognise them",
    numbers=("A2", "A7"),
    ways={
        "lock": (
            AttackMethod(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _forge_sum},
                defence=(SHUFFLE_PROOF,),
                find_gain=_find_sum,
                seat=0,
            ),
        ),
    },
)
