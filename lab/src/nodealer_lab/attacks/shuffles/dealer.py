"""Attacks by a dealer who makes decks of its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, permutations
from typing import Any, Final

from nodealer.errors import BadParameter
from nodealer.group import concat
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.candidates import picked
from nodealer.protocols.chain.deck import ChainDeck, DealersDeck, LayerSecrets
from nodealer.protocols.chain.lists import CARD_BYTES, NAME_BYTES, VALUE_BYTES
from nodealer.protocols.chain.messages import Coin
from nodealer.protocols.chain.parameters import ChainParameters
from nodealer.protocols.chain.protocol import claims_of
from nodealer.tape import DIGEST_BYTES, Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme, SignedMoment
from nodealer_lab.attacks.dealer_decks import TWO_SEATS_GAME, dealer_forgeries
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import BOOKS
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, judge, play_with_cheater, seeded_entropy
from nodealer_lab.attacks.truth import dealt_decks

# --- aces ---
#
# The dealer makes decks of one card only, and opens them as they are: six aces instead of six cards.

ACE: Final = 0


def all_aces(moment: SignedMoment, number: int) -> DealersDeck:
    """A deck that has one value and many nonces."""
    deck = moment.deck
    honest = deck.made(moment.tape, number)
    place = deck.card_place(number)
    drawn = [deck._square(moment.tape, bytes([number, at]), place, ACE) for at in range(deck.size)]
    own = LayerSecrets(honest.own.key, tuple(nonce for nonce, _ in drawn), (ACE,) * deck.size)
    return DealersDeck(own, concat(*(card for _, card in drawn)))


def knows_all(played: PlayedGame) -> str | None:
    """Every card of the deck that is played is an ace: that an honest seat holds one may be luck."""
    for one in dealt_decks(played):
        deck: Any = one.deck
        bare = deck.layers[-1].cards.numbers
        for index, seat in enumerate(deck.order):
            bare = deck.own(played.tape(seat, one.hand), index).key.invert() * bare
        found = [deck.read(bare[place]) for place in range(deck.size)]
        if all(card is not None and card[0] == ACE for card in found):
            return "knows every card, for all are the same"
    return None


#: An opened deck has every value once.
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
                "a false deck of the dealer's, or numbers of its choice, in a deck that is not played",
                dealer_forgeries(all_aces),
                defence=(_EVERY_VALUE,),
                find_gain=knows_all,
                seat=0,
                game=TWO_SEATS_GAME,
            ),
        ),
    },
)


# --- progression ---
#
# The dealer makes cards of its choice: three numbers of which the middle one, squared, is the product of the others.
# That stays so whoever encrypts them, and so it finds the three again in the deck that is played.
#
# A card that is the product of two others does the same: encryption is a power, and every relation of products outlives
# it. Here a value stands above some 1,700 bits, so such a product would have to end in as many zeros; in this relation
# there are two cards on each side, and what stands below the values falls out of it.

#: With a nonce of nothing, and nothing behind the value, the numbers of these values are c, 2·c and 4·c. Two is a
#: square modulo this prime.
CHOSEN: Final = (1, 2, 4)


def _made(moment: SignedMoment, number: int) -> DealersDeck:
    """The honest deck, but for these three."""
    deck, group = moment.deck, moment.deck.binding.group
    honest = deck.made(moment.tape, number)
    nonces, cards = list(honest.own.nonces), [honest.cards[place] for place in range(deck.size)]
    for value in CHOSEN:
        place = honest.own.prior.index(value)
        nonces[place] = bytes(NAME_BYTES)
        bare = value.to_bytes(NAME_BYTES + VALUE_BYTES, "big")
        cards[place] = group.points(bare.ljust(CARD_BYTES, b"\0").rjust(group.point_size, b"\0"))
    return DealersDeck(LayerSecrets(honest.own.key, tuple(nonces), honest.own.prior), concat(*cards))


def _finds(played: PlayedGame) -> str | None:
    """The last list of numbers, as everybody has it, in the order in which they are drawn."""
    for one in dealt_decks(played):
        deck: Any = one.deck
        numbers = deck.layers[-1].cards.numbers
        codes = dict(zip(encodings(numbers + numbers), range(deck.size), strict=True))
        for first, last in permutations(range(deck.size), 2):
            middle = codes.get((numbers[first] + numbers[last]).to_bytes())
            if middle is not None and middle not in (first, last):
                return "knows where three cards of its choice lie"
    return None


#: What stands behind nonce and value hangs on both, so that no number can be chosen.
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
                "a false deck of the dealer's, or numbers of its choice, in a deck that is not played",
                dealer_forgeries(_made),
                defence=(_REDUNDANCY,),
                find_gain=_finds,
                seat=0,
                game=TWO_SEATS_GAME,
            ),
        ),
    },
)


# --- last coin ---
#
# The dealer makes one false deck among the true ones, says its coin last, and says the one that picks the false deck:
# that is the only one that nobody opens.

#: The deck that is false, and that it would like to play.
FALSE: Final = 0


def one_false(moment: SignedMoment, number: int) -> DealersDeck:
    """All are as they should be but one."""
    if number == FALSE:
        return all_aces(moment, number)
    honest: DealersDeck = moment.deck.made(moment.tape, number)
    return honest


def _coin(moment: SignedMoment) -> bytes:
    """All others have said theirs."""
    stage, seat = moment.deck.stage, moment.duty.seat
    coins = (number.to_bytes(DIGEST_BYTES, "big") for number in count())
    false = (coin for coin in coins if picked({**stage.said, seat: coin}, len(stage.layers)) == FALSE)
    return encode(Coin(next(false)))


def _play_last_coin(scene: Scene) -> AttackOutcome:
    """In one mode of one protocol: nothing for a bot that others play with."""
    played = play_with_cheater(LAST_COIN, scene)
    return judge(played, knows_all(played))


_LAST_COIN_CLAIM: Final = Cheat("a coin that is chosen when all others are open", "at once", True)

LAST_COIN: Final = Attack(
    name="last-coin",
    does="reveals its coin last, to have its false deck played",
    numbers=("A37",),
    law=AttackScheme(
        AttackMethod(
            _LAST_COIN_CLAIM.cheat,
            {**dealer_forgeries(one_false), "coin": _coin},
            defence=(
                RemovedDefence(
                    "nodealer.protocols.chain.candidates:Tossing.apply",
                    "if _commitment(deck, duty.seat, self.layers, coin) != self.commitments[duty.seat]:",
                    "if False:",
                ),
            ),
            play=_play_last_coin,
            late=("coin",),
            seat=0,
            game=TWO_SEATS_GAME,
        ),
        _LAST_COIN_CLAIM,
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer","proven":false}'},
)


# --- false deck ---
#
# The dealer makes one false deck among the true ones, and is lucky: the coins of all pick it, and nobody opens it.


class _Its(ChainDeck):
    """The deck as its dealer has it, who answers for what it has made."""

    def made(self, tape: Tape, number: int) -> DealersDeck:
        """One of them is false."""
        honest = SignedMoment(ChainDeck(**vars(self)), self.duties[0], tape, b"")
        return one_false(honest, number)


def _its_own(moment: SignedMoment) -> bytes:
    """What the honest program would say of that deck."""
    deck = moment.deck
    if deck.order[0] != moment.duty.seat:
        return moment.honest
    return _Its(**vars(deck)).message(moment.duty, moment.tape)


#: Of two decks each is picked every second time.
GAMES_MAX: Final = 16


def _play_false_deck(scene: Scene) -> AttackOutcome:
    """It tries until nobody has opened it. Whoever is dealt its cards sees one that is there twice."""
    for seed in range(GAMES_MAX):
        played = play_with_cheater(FALSE_DECK, replace(scene, entropy=seeded_entropy(seed, FALSE_DECK.name), hands=1))
        if (gain := knows_all(played)) is not None:
            return judge(played, gain)
    raise BadParameter(f"in {GAMES_MAX} games its false deck was never picked")


#: The decks of the lab are two.
_FALSE_DECK_CLAIM: Final = next(
    one.cheat
    for one in claims_of(ChainParameters(deck="dealer", kappa=1)).cheats
    if one.cheat.startswith("a false deck of the dealer's that is the one played")
)

FALSE_DECK: Final = Attack(
    name="false-deck",
    does="makes one false deck among true ones, and is lucky",
    numbers=("A10",),
    ways={
        "chain": (
            AttackMethod(
                _FALSE_DECK_CLAIM,
                dict.fromkeys(("candidate", "unblind", "pass", "reveal"), _its_own),
                play=_play_false_deck,
                # A face that is there twice was in the dealer's deck twice: for who holds it, and for all. And
                # without proofs every hand ends with open books.
                defence=(
                    RemovedDefence(
                        "nodealer.protocols.chain.deck:doubled",
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
