"""Attacks on what is proven about hidden cards, and on what proofs reveal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Final, Self

from nodealer.cards.events import Event, Finished
from nodealer.cards.operations import Capability, NoneOf, Prove
from nodealer.games.base import Ask, Game, Want
from nodealer.games.free.rules import ProveCards
from nodealer.games.package import GamePackage
from nodealer.group import Points, Scalars, concat, vartime_msm
from nodealer.proofs import exclusion, labels, shuffle
from nodealer.proofs.encoding import encode_proof, encodings
from nodealer.proofs.exclusion import Exclusion, ExclusionProducts
from nodealer.proofs.relations import AddMask, OneOffset, OneScalar
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.codec import read_message
from nodealer.protocols.exclusion import EXCLUDE, Exclude, _excluded, _transcript
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, SignedMoment, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.free_table import CARDS, deal_free_table, hand_of
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, card_messages_in, read_honest_game
from nodealer_lab.attacks.truth import DealtDeck, dealt_decks
from nodealer_lab.sim.highcard import HighBot, HighCard, HighHand

# --- swearing ---
#
# The smallest game in which something is proven about a hidden card: the last seat swears that it holds the highest.

#: The seat that swears. No other seat could be asked to, because a seat with another card can prove nothing.
SWEARER: Final = 2


@dataclass(frozen=True)
class SwearHand(HighHand):
    """One hand of the game."""

    sworn: bool = False

    @property
    def wants(self) -> Want:
        """Once the cards are dealt, ask the swearing seat to prove that it holds the highest. Then play on as usual."""
        if self.dealt and not self.sworn and not self.spoken and SWEARER in self.live:
            return Ask((Prove(0, (NoneOf(SWEARER, (self.held[SWEARER],), tuple(range(self.cards - 1))),)),))
        return super().wants

    def told(self, events: tuple[Event, ...]) -> Self:
        """Record whether the seat has proven it."""
        sworn = any(isinstance(one, Finished) and isinstance(one.operation, Prove) for one in events)
        return replace(super().told(events), sworn=self.sworn or sworn)


@dataclass(frozen=True)
class Swear(HighCard):
    """The rules of the game."""

    name = "swear"
    operations = HighCard.operations | {Capability.PROVE}

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> SwearHand:
        """Begin a hand in which every seat with a chip pays one."""
        players = tuple(seat for seat in seats if chips[seat] > 0)
        return SwearHand(hand, self.deck_max, players, chips, dict.fromkeys(players, 1), players)


SWEAR: Final = GamePackage(
    name=Swear.name,
    version=Swear.version,
    rules=Swear.from_parameters,
    from_settings=lambda settings: Swear(),
    bot=HighBot,
    seats=3,
)


# --- false word ---


def _forge_exclusion(moment: SignedMoment) -> bytes:
    """Send a forged proof, whether there is something true to prove or not.

    The attack: a seat proves something false about a hidden card.
    """
    deck, seat = moment.deck, moment.duty.seat
    claim = deck.stage._claim(seat)
    s = deck.card_secrets(moment.tape, claim.positions, seat)
    sent, proof = _prove_falsely(_transcript(deck, moment.duty, claim), moment.tape, _excluded(deck, claim), s)
    return encode(Exclude(sent.Y.to_bytes(), sent.Z.to_bytes(), sent.T.to_bytes(), proof))


def _prove_falsely(
    transcript: Transcript, tape: Tape, excluded: Exclusion, s: Scalars
) -> tuple[ExclusionProducts, bytes]:
    """Prove like an honest holder, but with other points as products of the cards, so that none matches a face."""
    faces, cards, group = excluded.faces, excluded.cards, excluded.faces.group
    excluded.bind(transcript)
    y = transcript.nonces(tape, "y", group, 1)
    x = cards.secrets(y, s)
    sent = ExclusionProducts(y * group.G, y * faces, cards.multiply_faces(y, x) + group.G)
    alpha, beta = exclusion._draw_weights(transcript, sent)
    k = transcript.nonces(tape, labels.EXCLUSION, group, 1 + len(cards))
    C = concat(k[0] * group.G, k[0] * vartime_msm(alpha, faces), cards.commitments(k[0], k[1:], s, beta))
    transcript.absorb_points(labels.COMMITMENT, C)
    c = transcript.challenge(labels.CHALLENGE, group)
    return sent, encode_proof(C, c * concat(y, x) + k)


def _find_accepted_oath(played: PlayedGame) -> str | None:
    """Find a false proof of the cheater's in a game without a fault.

    Return the gain as a phrase, or None if there is none.
    """
    sworn = False
    for one in played.card_messages():
        if one.duty.kind == EXCLUDE and one.duty.seat == played.cheater:
            claim = one.deck.stage._claim(played.cheater)
            known = one.deck.knows(played.cheater, played.tape(played.cheater, one.duty.binding.hand))
            sworn |= any(known[one.deck.places.card(position)] in claim.faces for position in claim.positions)
    named = any(state.fault is not None for state in played.states())
    return "proves that its card is not what it is" if sworn and not named else None


#: The row that ties the products to the cards, for `mask` and for `lock`.
_MASK: Final = RemovedDefence(
    "nodealer.proofs.hidden_cards:MaskedCards.equations",
    "Equation.sum((one, C[h]), (c * beta, T), (minus_y * beta, self.msg), (of_epk, self.epk)),",
)
_LOCK: Final = RemovedDefence(
    "nodealer.proofs.hidden_cards:LockedCards.equations",
    "Equation.sum((one, C[h]), (c * beta, T), (-(beta * x_hat * self.off.invert()), self.cards)),",
)
_FALSE_WORD_CLAIM: Final = "a false claim about what hidden cards are not"

FALSE_WORD: Final = Attack(
    name="false-word",
    does="proves something false about its hidden cards",
    ways={
        "mask": (
            AttackMethod(
                _FALSE_WORD_CLAIM,
                {EXCLUDE: _forge_exclusion},
                defence=(_MASK,),
                find_gain=_find_accepted_oath,
                game=SWEAR,
            ),
        ),
        "lock": (
            AttackMethod(
                _FALSE_WORD_CLAIM,
                {EXCLUDE: _forge_exclusion},
                defence=(_LOCK,),
                find_gain=_find_accepted_oath,
                game=SWEAR,
            ),
        ),
    },
)


# --- two words ---

VICTIM: Final = 0


def _play_two_words(scene: Scene) -> AttackOutcome:
    """Prove of each of two cards that it is not one of half of the faces, which include the other card.

    The attack: a player proves two true statements about hidden cards. If both used one secret, a product of a card in
    the first would equal that of a face in the second, and any reader of the log would know the card.
    """
    stage = deal_free_table(None, scene)
    held = hand_of(stage, VICTIM)
    rest = [face for face in range(CARDS) if face not in held.values()]
    for position, face in held.items():
        others = (*(other for other in held.values() if other != face), *rest[: CARDS // 2 - 1])
        stage.play_move(VICTIM, ProveCards(0, (position,), tuple(sorted(others))))
    replica = stage[1].replica
    read: set[int] = set()
    cards: set[bytes] = set()
    for one in card_messages_in(replica.config, replica.entries):
        if one.duty.kind == EXCLUDE:
            message, group = read_message(Exclude, one.message), one.deck.binding.group
            claim = one.deck.stage._claim(VICTIM)
            faces = dict(zip(encodings(group.points(message.faces)), claim.faces, strict=True))
            read |= {faces[card] for card in cards if card in faces}
            cards |= set(encodings(group.points(message.cards)))
    return stage.outcome("reads Ada's card" if read and read <= set(held.values()) else None)


TWO_WORDS: Final = Attack(
    name="two-words",
    does="works out a card in one statement about hidden cards from the faces in another",
    numbers=("A29",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "a card in one statement about hidden cards, read from the faces in another",
            play=_play_two_words,
            # The secret depends on the whole statement.
            defence=(
                RemovedDefence(
                    "nodealer.proofs.exclusion:prove",
                    'transcript.nonces(tape, "y", group, 1)',
                    'group.wide_scalars(tape.draw("y", b"", size=group.wide_size))',
                ),
            ),
        )
    ),
    tried_on=("mask", "lock"),
)


# --- leak ---

#: Values to try as the nonce.
GUESSES: Final = (0, 1, 2)
#: For each card, its place before the shuffle.
Order = list[int]


def _leaked_orders(played: PlayedGame) -> Iterator[tuple[tuple[int, int], list[Order]]]:
    """Yield the hand and deck of every shuffle, with the possible orders that its proof leaks.

    The log is read as anyone reads it, with a hook that keeps what the verifier opens of each proof.

    The attack: a reader of a shuffle proof looks for the order. The opened numbers are those of the cards, their
    products and the secrets of the step, each hidden by a nonce. The nonce may be missing, or easy to guess.
    """
    seen: list[tuple[shuffle.Relation, shuffle._OpenedProof]] = []
    #: The sum of the keys on each deck, as far as proofs have leaked them.
    under: dict[tuple[int, int], Scalars] = {}
    read_proof = shuffle._read_proof

    def record_proof(transcript: Transcript, relation: shuffle.Relation, proof: bytes) -> shuffle._OpenedProof:
        """Read a proof as the verifier does, and keep what it opens."""
        seen.append((relation, read_proof(transcript, relation, proof)))
        return seen[-1][1]

    shuffle._read_proof = record_proof
    try:
        for one in played.card_messages():
            for relation, opened in seen:
                deck = one.duty.binding.hand, one.deck.number
                yield deck, _orders_from_numbers(opened) or _orders_from_secrets(relation, opened, deck, under)
            seen.clear()
    finally:
        shuffle._read_proof = read_proof


def _orders_from_numbers(o: shuffle._OpenedProof) -> list[Order]:
    """Return the orders if the opened numbers, or the running products, are the cards' own times the challenge."""
    for guess in GUESSES:
        less = o.x.group.integers([guess])
        if orders := _find_places(o.x.invert() * (o.d_hat - less), o.D) or _orders_from_products(
            o.x.invert() * (o.p_hat - less), o.D
        ):
            return orders
    return []


def _find_places(numbers: Scalars, known: Scalars) -> list[Order]:
    """Return the place of each of these numbers among the known ones, as the only order, or []."""
    index = {known[place].to_bytes(): place for place in range(len(known))}
    places = [index.get(numbers[place].to_bytes()) for place in range(len(numbers))]
    return [] if None in places else [[place for place in places if place is not None]]


def _orders_from_products(products: Scalars, known: Scalars) -> list[Order]:
    """Return the orders that fit the running products, whose quotients are the numbers.

    The first and the last product say nothing, so the first two cards may be swapped.
    """
    if len(products) < 4 or (inner := products[1:-1]).first_zero() is not None:
        return []
    for places in _find_places(inner[1:] * inner[:-1].invert(), known):
        left = {*range(len(known))} - {*places}
        three = permutations(left) if len(left) == 3 else ()
        return [[a, b, *places, c] for a, b, c in three if known[a] * known[b] == inner[0]]
    return []


def _orders_from_secrets(
    relation: shuffle.Relation, o: shuffle._OpenedProof, deck: tuple[int, int], under: dict[tuple[int, int], Scalars]
) -> list[Order]:
    """Return the orders that follow from the secrets of the step, if those were answered without a nonce.

    With them anyone can repeat the step and see where each card goes.
    """
    none = o.x.group.integers([0])
    for guess in GUESSES:
        secrets = o.x.invert() * (o.secret_hats - o.x.group.integers([guess]))
        match relation:
            case OneScalar() if secrets * o.x.group.G == relation.S:
                return _match_cards(secrets * relation.inputs, relation.outputs)
            case OneOffset() if secrets[0] * o.x.group.G == relation.R:
                return _match_cards(secrets[0] * relation.B, relation.B_out)
            case AddMask() if secrets[1] * o.x.group.G == relation.S:
                before = under.get(deck, none)
                under[deck] = after = before + secrets[1]
                return _match_cards(relation.W - before * relation.U, relation.W_out - after * relation.U_out)
            case _:
                continue
    return []


def _match_cards(before: Points, after: Points) -> list[Order]:
    """Return the place that each card had before, as the only order, or []."""
    index = {code: place for place, code in enumerate(encodings(before))}
    found = [index.get(code) for code in encodings(after)]
    return [] if None in found else [[place for place in found if place is not None]]


def _find_deck_read(played: PlayedGame) -> str | None:
    """Find decks whose order is known from the proofs, by comparing it with what honest seats hold.

    Return the gain as a phrase, or None if there is none.
    """
    orders: dict[tuple[int, int], list[list[Order]]] = defaultdict(list)
    for deck, some in _leaked_orders(played):
        if some:
            orders[deck].append(some)
    known = dict[tuple[int, int], int]()
    for one in dealt_decks(played):
        deck, players = (one.hand, one.deck.number), len(one.deck.binding.players)
        hidden = {card.position: face for seat in played.honest_seats for card, face in one.hidden_cards(seat).items()}
        if deck in known or not hidden or len(orders[deck]) < players:
            continue
        every = [faces_of(one, list(these)) for these in product(*orders[deck][:players])]
        right = any(all(faces[at] == face for at, face in hidden.items()) for faces in every)
        known[deck] = len(every) if right else 0
    fewest = min(filter(None, known.values()), default=None)
    if fewest is None:
        return None
    return "reads every card of the deck" if fewest == 1 else f"knows that the deck is in one of {fewest} orders"


def faces_of(one: DealtDeck, orders: list[Order]) -> list[int]:
    """Return the face at each place after these shuffles.

    In `offset` the deals are shuffled, and their places are the faces.
    """
    found = list(range(len(orders[0])))
    for order in orders:
        found = [found[place] for place in order]
    return [found.index(place) for place in range(len(found))] if one.deck.binding.protocol == "offset" else found


#: The nonces that hide the opened numbers, their products, and the secrets of the step.
_NUMBERS: Final = RemovedDefence(
    "nodealer.proofs.shuffle:prove",
    'e = transcript.nonces(tape, "e", group, m)',
    "e = group.integers([0] * m)",
)
_PRODUCTS: Final = RemovedDefence(
    "nodealer.proofs.shuffle:prove",
    'transcript.nonces(tape, "delta", group, m - 2)',
    "group.integers([0] * (m - 2))",
)
#: One, not zero: the point that zero gives is refused.
_SECRETS: Final = RemovedDefence(
    "nodealer.proofs.shuffle:prove",
    'k = transcript.nonces(tape, "k", group, relation.secrets)',
    "k = group.integers([1] * relation.secrets)",
)
LEAK: Final = Attack(
    name="leak",
    does="reads the order of the cards from the shuffle proofs",
    numbers=("A12",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "the order of a shuffle, read from its proof", play=read_honest_game(_find_deck_read), defence=(_NUMBERS,)
        )
    ),
    law_defences={"lock": (_SECRETS,), "offset": (_SECRETS,), "chain": (_PRODUCTS,)},
)
