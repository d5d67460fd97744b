"""Attacks by a dealer who makes false decks."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, permutations
from typing import Any, Final

from nodealer.errors import BadParameter
from nodealer.group import concat
from nodealer.proofs.encoding import encodings
from nodealer.protocols.chain.candidates import pick_candidate
from nodealer.protocols.chain.deck import ChainDeck, DealersDeck, LayerSecrets
from nodealer.protocols.chain.lists import CARD_BYTES, NAME_BYTES, VALUE_BYTES
from nodealer.protocols.chain.messages import Coin
from nodealer.protocols.chain.parameters import ChainParameters
from nodealer.protocols.chain.protocol import claims_of
from nodealer.tape import DIGEST_BYTES, Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, SignedMoment, with_own_claim
from nodealer_lab.attacks.dealer_decks import TWO_SEATS_GAME, dealer_forgeries
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import BOOKS
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, judge, play_with_cheater, seeded_entropy
from nodealer_lab.attacks.truth import dealt_decks

# --- aces ---

ACE: Final = 0


def deck_of_aces(moment: SignedMoment, number: int) -> DealersDeck:
    """Return a deck with one value and many nonces."""
    deck = moment.deck
    honest = deck.dealers_deck(moment.tape, number)
    place = deck.card_place(number)
    drawn = [deck._square(moment.tape, bytes([number, at]), place, ACE) for at in range(deck.size)]
    own = LayerSecrets(honest.own.key, tuple(nonce for nonce, _ in drawn), (ACE,) * deck.size)
    return DealersDeck(own, concat(*(card for _, card in drawn)))


def find_deck_of_aces(played: PlayedGame) -> str | None:
    """Find a played deck in which every card is an ace. That an honest seat holds one may be luck.

    Return the gain as a phrase, or None if there is none.

    The attack: the dealer makes decks of one repeated card and opens them as they are: six aces instead of six cards.
    """
    for one in dealt_decks(played):
        deck: Any = one.deck
        bare = deck.layers[-1].cards.numbers
        for index, seat in enumerate(deck.order):
            bare = deck.layer_secrets(played.tape(seat, one.hand), index).key.invert() * bare
        found = [deck.read(bare[place]) for place in range(deck.size)]
        if all(card is not None and card[0] == ACE for card in found):
            return "knows every card, because all are the same"
    return None


#: An opened deck must have every value once.
_EVERY_VALUE: Final = RemovedDefence(
    "nodealer.protocols.chain.candidates:check_opened", "if sorted(values) != list(range(deck.size)):", "if False:"
)

ACES: Final = Attack(
    name="aces",
    does="makes every deck from one repeated card, and opens the decks as they are",
    numbers=("A10",),
    ways={
        "chain": (
            AttackMethod(
                "a false deck of the dealer, or numbers of its choice, in a deck that is not played",
                dealer_forgeries(deck_of_aces),
                defence=(_EVERY_VALUE,),
                find_gain=find_deck_of_aces,
                seat=0,
                game=TWO_SEATS_GAME,
            ),
        ),
    },
)


# --- progression ---

#: With a nonce of zeros and zeros after the value, the numbers of these values are c, 2·c and 4·c. Two is a square
#: modulo this prime.
CHOSEN: Final = (1, 2, 4)


def _deck_with_progression(moment: SignedMoment, number: int) -> DealersDeck:
    """Return the honest deck with the three chosen cards in it."""
    deck, group = moment.deck, moment.deck.binding.group
    honest = deck.dealers_deck(moment.tape, number)
    nonces, cards = list(honest.own.nonces), [honest.cards[place] for place in range(deck.size)]
    for value in CHOSEN:
        place = honest.own.prior.index(value)
        nonces[place] = bytes(NAME_BYTES)
        bare = value.to_bytes(NAME_BYTES + VALUE_BYTES, "big")
        cards[place] = group.points(bare.ljust(CARD_BYTES, b"\0").rjust(group.point_size, b"\0"))
    return DealersDeck(LayerSecrets(honest.own.key, tuple(nonces), honest.own.prior), concat(*cards))


def _find_progression(played: PlayedGame) -> str | None:
    """Find the three cards in the last list of numbers, which is public and in drawing order.

    Return the gain as a phrase, or None if there is none.

    The attack: the dealer makes cards of its choice: three numbers of which the middle one, squared, is the product of
    the others. Encryption preserves this relation, so the dealer finds the three again in the deck that is played.

    A card that is the product of two others would do the same: encryption is a power, and preserves every relation
    between products. But here a value precedes some 1,700 bits, so such a product would have to end in as many zeros.
    In this relation there are two cards on each side, and what follows the values cancels out.
    """
    for one in dealt_decks(played):
        deck: Any = one.deck
        numbers = deck.layers[-1].cards.numbers
        codes = dict(zip(encodings(numbers + numbers), range(deck.size), strict=True))
        for first, last in permutations(range(deck.size), 2):
            middle = codes.get((numbers[first] + numbers[last]).to_bytes())
            if middle is not None and middle not in (first, last):
                return "knows where three cards of its choice lie"
    return None


#: What follows nonce and value depends on both, so that no number can be chosen.
_REDUNDANCY: Final = RemovedDefence(
    "nodealer.protocols.chain.lists:CardPlace.redundancy",
    'return expand("chain card", *bound, size=CARD_BYTES - NAME_BYTES - VALUE_BYTES)',
    "return bytes(CARD_BYTES - NAME_BYTES - VALUE_BYTES)",
)

PROGRESSION: Final = Attack(
    name="progression",
    does="makes cards with a relation between their numbers, to recognise them",
    numbers=("A2",),
    ways={
        "chain": (
            AttackMethod(
                "a false deck of the dealer, or numbers of its choice, in a deck that is not played",
                dealer_forgeries(_deck_with_progression),
                defence=(_REDUNDANCY,),
                find_gain=_find_progression,
                seat=0,
                game=TWO_SEATS_GAME,
            ),
        ),
    },
)


# --- last coin ---

#: The number of the false deck.
FALSE_NUMBER: Final = 0


def deck_or_false_one(moment: SignedMoment, number: int) -> DealersDeck:
    """Return the honest deck with this number, or a deck of aces for the false number."""
    if number == FALSE_NUMBER:
        return deck_of_aces(moment, number)
    honest: DealersDeck = moment.deck.dealers_deck(moment.tape, number)
    return honest


def _forge_coin(moment: SignedMoment) -> bytes:
    """Choose a coin that picks the false deck, after all others have revealed theirs."""
    stage, seat = moment.deck.stage, moment.duty.seat
    coins = (number.to_bytes(DIGEST_BYTES, "big") for number in count())
    false = (coin for coin in coins if pick_candidate({**stage.said, seat: coin}, len(stage.layers)) == FALSE_NUMBER)
    return encode(Coin(next(false)))


def _play_last_coin(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The attack is about one mode of one protocol, so no bot plays this in a real game.

    The attack: the dealer makes one false deck among true ones and reveals its coin last, choosing one that picks the
    false deck: the only deck that is not opened.
    """
    played = play_with_cheater(LAST_COIN, scene)
    return judge(played, find_deck_of_aces(played))


LAST_COIN: Final = Attack(
    name="last-coin",
    does="reveals its coin last, to have its false deck played",
    numbers=("A37",),
    law=with_own_claim(
        AttackMethod(
            "a coin that is chosen after all others are open",
            {**dealer_forgeries(deck_or_false_one), "coin": _forge_coin},
            defence=(
                RemovedDefence(
                    "nodealer.protocols.chain.candidates:OpeningCoins.apply",
                    "if _commitment(deck, duty.seat, self.layers, coin) != self.commitments[duty.seat]:",
                    "if False:",
                ),
            ),
            play=_play_last_coin,
            late=("coin",),
            seat=0,
            game=TWO_SEATS_GAME,
        ),
        "at once",
        culprit=True,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer","proven":false}'},
)


# --- false deck ---


class _DealersFalseDeck(ChainDeck):
    """The deck as its cheating dealer has it, who answers consistently with the false deck."""

    def dealers_deck(self, tape: Tape, number: int) -> DealersDeck:
        """Return the deck with this number, one of which is false."""
        honest = SignedMoment(ChainDeck(**vars(self)), self.duties[0], tape, b"")
        return deck_or_false_one(honest, number)


def _forge_with_false_deck(moment: SignedMoment) -> bytes:
    """Return what the honest program would send if the false deck were its own."""
    deck = moment.deck
    if deck.order[0] != moment.duty.seat:
        return moment.honest
    return _DealersFalseDeck(**vars(deck)).message(moment.duty, moment.tape)


#: The attack tries this many games. Of two decks, each is picked in half of them.
GAMES_MAX: Final = 16


def _play_false_deck(scene: Scene) -> AttackOutcome:
    """Play until the false deck is not opened. A player who is dealt its cards notices a double.

    The attack: the dealer makes one false deck among true ones and is lucky: the coins pick it, and it is not opened.
    """
    for seed in range(GAMES_MAX):
        played = play_with_cheater(FALSE_DECK, replace(scene, entropy=seeded_entropy(seed, FALSE_DECK.name), hands=1))
        if (gain := find_deck_of_aces(played)) is not None:
            return judge(played, gain)
    raise BadParameter(f"in {GAMES_MAX} games the false deck was never picked")


#: In the lab the dealer makes two decks.
_FALSE_DECK_CLAIM: Final = next(
    one.cheat
    for one in claims_of(ChainParameters(deck="dealer", kappa=1)).cheats
    if one.cheat.startswith("a false deck of the dealer that is the one played")
)

FALSE_DECK: Final = Attack(
    name="false-deck",
    does="makes one false deck among true ones, and is lucky",
    numbers=("A10",),
    ways={
        "chain": (
            AttackMethod(
                _FALSE_DECK_CLAIM,
                dict.fromkeys(("candidate", "unblind", "pass", "reveal"), _forge_with_false_deck),
                play=_play_false_deck,
                # A face that exists twice was twice in the dealer's deck, for its holder and for all. And without
                # proofs every hand ends with disclosures.
                defence=(
                    RemovedDefence(
                        "nodealer.protocols.chain.deck:find_repeated_face",
                        "return next((face for face in seen if seen.count(face) > 1), None)",
                        "return None",
                    ),
                    RemovedDefence(
                        "nodealer.protocols.chain.deck:ChainDeck.knows", "if card[0] in known.values():", "if False:"
                    ),
                    BOOKS,
                ),
                seat=0,
                game=TWO_SEATS_GAME,
            ),
        ),
    },
)
