"""Attacks on what is in the deck: cards that are doubled, marked, moved or replaced."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any, Final

from msgspec.structs import replace

from nodealer.cheats import double, mark
from nodealer.cheats.arrays import put, times, twice
from nodealer.cheats.mark import POWER
from nodealer.errors import CardUnreadable
from nodealer.group import Points, concat
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.draw import read_links
from nodealer.protocols.chain.lists import NAME_BYTES
from nodealer.protocols.chain.messages import ChainShuffle, Pass
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelReveal, DuelShuffle
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme, SignedMoment, attack_from_cheat
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import BOOKS, EACH_PROOF, EQUALITY_PROOF, SHUFFLE_PROOF
from nodealer_lab.attacks.duel_seats import SMALL_DUEL
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, judge, play_with_cheater
from nodealer_lab.attacks.truth import all_faces, bare_encodings, dealt_decks, find_doubled_card, find_spoilt_card

# --- double ---
#
# One card twice in the deck, and so another one not at all.

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
#
# One card gets something of its own, by which the cheater hopes to know it again.


def find_marked_card(played: PlayedGame) -> str | None:
    """What the cheater drew, without the power, is the first card that somebody else holds."""
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
#
# The last to shuffle puts the card that it wants where it will be dealt.

_NO_KEY: Final = "a seat cannot make a card under the others' secrets, only take one that it was given"


def _mask(moment: SignedMoment) -> bytes:
    """The highest face, masked with a number of its own, for anybody can mask under the joint key."""
    said, deck = read_message(MaskShuffle, moment.honest), moment.deck
    group, mine = deck.binding.group, deck.binding.players.index(moment.duty.seat)
    joint = deck.stage.joint + group.points(said.key)
    card = deck.faces.points[deck.faces.size - 1] + times(group, 5, joint)
    return encode(
        replace(
            said,
            epk=put(said.epk, mine, times(group, 5, group.G).to_bytes()),
            msg=put(said.msg, mine, card.to_bytes()),
        )
    )


def _highest(played: PlayedGame) -> str | None:
    """In every hand: in one of them anybody may have it by luck."""
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
                {"shuffle": _mask},
                defence=(SHUFFLE_PROOF,),
                find_gain=_highest,
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
#
# A seat gives the names another order than the numbers: a card has one name and another number.


def _names_shuffle(moment: SignedMoment) -> bytes:
    """Every name is that of the next number."""
    said = read_message(ChainShuffle, moment.honest)
    return encode(replace(said, names=said.names[NAME_BYTES:] + said.names[:NAME_BYTES]))


def _pass(moment: SignedMoment) -> bytes:
    """The links of the names that it gave."""
    said, deck = read_message(Pass, moment.honest), moment.deck
    turn = deck.stage.turn
    own, names = deck.own(moment.tape, turn), {place: name for name, place in deck.names_before(turn).items()}
    linked = [(track.place + 1) % deck.size for track in deck.stage.tracks if track.looked_up_by(turn)]
    nonces = b"".join(own.nonces[place] for place in linked)
    return encode(replace(said, nonces=nonces, names=b"".join(names[own.prior[place]] for place in linked)))


def _gained(played: PlayedGame) -> str | None:
    """A link of its was taken whose number is not the one under the prior name to the power of its key: who follows
    the names comes to another card than who takes the keys off."""
    for one in played.card_messages():
        if one.duty.kind != "pass" or one.duty.seat != played.cheater:
            continue
        deck, said = one.deck, read_message(Pass, one.message)
        turn = deck.stage.turn
        places = [track.place for track in deck.stage.tracks if track.looked_up_by(turn)]
        links = read_links(deck, one.duty.seat, places, said.nonces, said.names)
        key = deck.own(played.tape(one.duty.seat, one.duty.binding.hand), turn).key
        if any(key * base != image for base, image in zip(links.bases, links.images, strict=True)):
            return "has every card go under the name of another"
    return None


NAMES: Final = Attack(
    name="names",
    does="puts the names of the cards in a different order from their numbers",
    ways={
        "chain": (
            AttackMethod(
                "names in another order than the numbers",
                {"shuffle": _names_shuffle, "pass": _pass},
                defence=(EQUALITY_PROOF,),
                find_gain=_gained,
                seat=1,
            ),
        ),
    },
)


# --- slot ---
#
# The owner of a deck puts a multiple of one card in the place of another. When the rival has shuffled, the two are the
# only ones of which one is twice the other: it knows where that card lies before it draws.


def put_twice(moment: SignedMoment) -> bytes:
    if moment.deck.owner != moment.duty.seat:
        return moment.honest
    said = read_message(DuelShuffle, moment.honest)
    card = twice(moment.deck.cipher.points(said.cards)[0])
    return encode(replace(said, cards=put(said.cards, 1, card.to_bytes())))


def _reveal(moment: SignedMoment) -> bytes:
    """In the end it has to say what that slot is: the card that is missing."""
    deck, positions = moment.deck, moment.deck.stage.positions
    if moment.honest != b"{}":
        return moment.honest
    own = deck.layers.secrets(moment.tape, positions, deck.owner)
    index = deck.own_index(moment.tape)
    found = [index.get(code) for code in encodings(own.invert() * deck.stripped(positions))]
    missing = (card for card in range(deck.size) if card not in found and card not in deck.places.opened.values())
    cards = [next(missing) if card is None else card for card in found]
    return encode(DuelReveal(tuple(cards), b"".join(deck.nonces(moment.tape, cards)), own.to_bytes()))


def find_known_place(played: PlayedGame) -> str | None:
    """What it has when it is to give each card a key: the deck under both keys, in an order that it should not know."""
    for one in played.card_messages():
        deck: Any = one.deck
        if one.duty.kind == "lock" and one.duty.seat == deck.owner == played.cheater:
            cards = deck.stage.cards
            known = set(encodings(cards))
            if any(twice(cards[place]).to_bytes() in known for place in range(deck.size)):
                return "knows where a card of its choice lies in its deck"
    return None


#: Nobody holds what is said of a place against the card that lies there; and nobody makes its messages again.
_AT_THE_END: Final = (
    RemovedDefence(
        "nodealer.protocols.duel.reveal:RevealingCards._refuse_other_places", "if slots != found:", "if False:"
    ),
    BOOKS,
)
_FORGE: Final = {"shuffle": put_twice, "reveal": _reveal}
#: Where it cannot read the slot it says something all the same.
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
#
# The last to shuffle puts into its own slot the product of the numbers of all other cards, each to a power of its own.
#
# What it draws is the same product of bare cards, and only one order of the deck gives that: it knows where every card
# lies, before the first bet. With a second slot of its own it would have two products of half as many cards, which are
# found far sooner: so a whole hand of a large deck is read in seconds. Here the deck is small, and one is enough.


def _powers(mine: int, size: int) -> dict[int, int]:
    """Place to the power that its number is taken to."""
    return {place: place + 2 for place in range(size) if place != mine}


def _products_shuffle(moment: SignedMoment) -> bytes:
    """Into the place that will be dealt to it."""
    said, deck = read_message(ChainShuffle, moment.honest), moment.deck
    mine, numbers = deck.binding.players.index(moment.duty.seat), deck.binding.group.points(said.numbers)
    powers = _powers(mine, deck.size)
    product = (numbers.group.integers([*powers.values()]) * numbers.take([*powers])).sum()
    return encode(replace(said, numbers=put(said.numbers, mine, product.to_bytes())))


def _reads(played: PlayedGame) -> str | None:
    """What the honest seats hold is held against the one order that fits."""
    me = played.cheater
    for one in dealt_decks(played):
        hidden = {card.position: face for seat in played.honest_seats for card, face in one.hidden_cards(seat).items()}
        if hidden and isinstance(one.reads.get(me), CardUnreadable):
            drawn = one.deck.bare(me, played.tape(me, one.hand), one.deck.hidden(me))[0]
            if hidden.items() <= _order(one.deck, one.deck.binding.players.index(me), drawn).items():
                return "knows where every card of the deck lies"
    return None


def _order(deck: Any, mine: int, drawn: Points) -> dict[int, int]:
    """Place to face, so that the product of the bare cards is what was drawn. All orders are tried."""
    powers, cards = _powers(mine, deck.size), deck.base.numbers
    known = {at: times(drawn.group, power, cards) for at, power in powers.items()}
    for faces in permutations(range(deck.size), len(powers)):
        order = dict(zip(powers, faces, strict=True))
        if concat(*(known[at][face] for at, face in order.items())).sum() == drawn:
            return order
    return {}


def _play_products(scene: Scene) -> AttackOutcome:
    """Only where the cards are public and nothing is proven: nothing for a bot that others play with."""
    played = play_with_cheater(PRODUCTS, scene)
    return judge(played, _reads(played))


_PRODUCTS_CLAIM: Final = Cheat(
    "a product of powers of all other cards in the seat's own slot, to read them", "at the end", True
)
PRODUCTS: Final = Attack(
    name="products",
    does="puts a product of all other cards into the slot that it will draw",
    numbers=("A7", "A8"),
    law=AttackScheme(
        AttackMethod(_PRODUCTS_CLAIM.cheat, {"shuffle": _products_shuffle}, play=_play_products, defence=(BOOKS,)),
        _PRODUCTS_CLAIM,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"proven":false}'},
)


# --- twin ---
#
# The rival puts one card of the owner's deck there twice, as it is, where nothing is proven.


def _duel(moment: SignedMoment) -> bytes:
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    said = read_message(DuelShuffle, moment.honest)
    return encode(replace(said, cards=put(said.cards, 1, moment.deck.cipher.points(said.cards)[0].to_bytes())))


def _there_twice(played: PlayedGame) -> str | None:
    """What lies in the owner's deck under both keys."""
    for one in dealt_decks(played):
        deck, every = one.deck, tuple(range(one.deck.size))
        if deck.owner == played.cheater:
            continue
        if len(set(bare_encodings(one, played, every))) < len(every):
            return f"has a card in the deck of {played.names[deck.owner]} twice"
    return None


def _play_twin(scene: Scene) -> AttackOutcome:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = play_with_cheater(TWIN, scene)
    return judge(played, _there_twice(played))


#: Two cards that are the same are refused; and where they are not, the books say who did it.
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
                "two equal cards in a shuffle: it is refused, and the seat is waited for",
                {"shuffle": _duel},
                defence=_TWO_OF_ONE,
                play=_play_twin,
                game=SMALL_DUEL,
            ),
        ),
    },
)


# --- sums ---
#
# The first to shuffle puts the sum of two cards in the place of a third. That stays so whatever all are multiplied by,
# and in whatever order: it finds the three again, and knows where two cards of its choice lie.

#: Two faces that it wants to follow, and the one that it gives up for that.
CHOSEN: Final = (0, 1)
LOST: Final = 2


def _lock(moment: SignedMoment) -> bytes:
    """Under its own secret already, in the order that it has drawn."""
    said, deck = read_message(Cascade, moment.honest), moment.deck
    cards, given = deck.binding.group.points(said.cards), deck.stage.cards
    if len(given) <= LOST:
        # What is left of a deck that is made again.
        return moment.honest
    s = deck.cascade_secret(moment.tape, moment.duty.seat)
    places = {code: place for place, code in enumerate(encodings(cards))}
    first, second, lost = (places[(s * given[face]).to_bytes()] for face in (*CHOSEN, LOST))
    return encode(replace(said, cards=put(said.cards, lost, (cards[first] + cards[second]).to_bytes())))


def _finds(played: PlayedGame) -> str | None:
    """The deck as it came from the cascade: its cards lie as they will lie."""
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
                {"cascade": _lock},
                defence=(SHUFFLE_PROOF,),
                find_gain=_finds,
                seat=0,
            ),
        ),
    },
)
