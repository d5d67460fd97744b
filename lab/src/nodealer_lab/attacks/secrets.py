"""Attacks on what only its owner may know: keys, tapes, disclosures, and what a coalition can work out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import msgspec
from msgspec import Raw
from msgspec.structs import replace as replace_struct

from nodealer.cards.operations import Card
from nodealer.engine.bodies import Book, Cards, read_body
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import NodealerError
from nodealer.group import Group, Points, Scalars, concat
from nodealer.group.order import order_of
from nodealer.log.entry import read_entry
from nodealer.proofs import equality, labels, linear, shuffle
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.relations import OneScalar
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import Binding
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.deck import DuelDeck
from nodealer.protocols.duel.messages import Give
from nodealer.protocols.keyed_deck import Release
from nodealer.protocols.lock import recovery
from nodealer.protocols.lock.community import picker_order
from nodealer.protocols.lock.messages import Cascade, HeldCards, RaisedCards
from nodealer.protocols.mask.messages import MaskTags
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.messages import DealFinal, RespondDealParts
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, SignedMoment, with_own_claim
from nodealer_lab.attacks.cards import release_methods
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import BOOKS, IDENTITY, IDENTITY_IN_PROOF, KEY_CHECK
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import (
    PlayedGame,
    Scene,
    judge,
    new_player,
    play_with_cheater,
    read_honest_game,
    with_chips,
)
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, is_playing
from nodealer_lab.attacks.truth import dealt_decks, find_spoilt_card, find_stopped_hand

# --- a shared defence ---

#: Checks the proof that a seat knows the secrets of its keys.
KNOWLEDGE_PROOF: Final = RemovedDefence(
    "nodealer.proofs.equality:check_knowledge",
    "linear.check(transcript, _knowledge_statement(keys), proof)",
    'Check(transcript.seat, "no proof", (Equation.sum((keys.group.integers([0]), keys.group.G)),))',
)


# --- another key ---


def _swap_first_two(keys: bytes, count: int) -> bytes:
    """Return the keys with those of the first two cards swapped. Both are true keys of this deck."""
    size = len(keys) // count
    return keys[size : 2 * size] + keys[:size] + keys[2 * size :] if count > 1 else keys


def _forge_release(moment: SignedMoment) -> bytes:
    """Swap the released keys of two cards.

    The attack: a seat publishes the key of another card instead of the requested one, so that the holder cannot read
    the card.
    """
    honest = read_message(Release, moment.honest)
    return encode(Release(_swap_first_two(honest.keys, len(moment.deck.binding.group.scalars(honest.keys)))))


def _forge_deal_part(moment: SignedMoment) -> bytes:
    """Attack `offset`: swap the seat's key parts of two deals."""
    message = read_message(DealFinal, moment.honest)
    return encode(replace_struct(message, dealKeyPart=_swap_first_two(message.dealKeyPart, len(message.dealNo))))


def _forge_give(moment: SignedMoment) -> bytes:
    """Attack `duel`: swap the keys of two cards, as the rival of the deck's owner."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    message = read_message(Give, moment.honest)
    return encode(Give(_swap_first_two(message.keys, len(moment.deck.cipher.scalars(message.keys)))))


ANOTHER_KEY: Final = Attack(
    name="another-key",
    does="publishes the keys of two cards swapped",
    numbers=("A35",),
    ways={
        **release_methods(_forge_release),
        "offset": (
            AttackMethod(
                "a false key part for a deal",
                {"dealFinal": _forge_deal_part},
                defence=(KEY_CHECK,),
                find_gain=find_spoilt_card,
            ),
        ),
        "duel": (
            AttackMethod(
                "a false key of the rival", {"give": _forge_give}, defence=(KEY_CHECK,), find_gain=find_spoilt_card
            ),
            AttackMethod(
                "a false key or card of the rival", {"give": _forge_give}, defence=(BOOKS,), find_gain=find_spoilt_card
            ),
        ),
    },
)


# --- coalition ---

COALITION_VICTIM: Final = 0


def _find_card_read_by_coalition(played: PlayedGame) -> str | None:
    """Find a card of the victim that the others can read.

    Return the gain as a phrase, or None if there is none.

    The later they try, the more they have, so each card is tried once, when it is hidden for the last time.

    The attack: all seats but one combine what they have, to read the last one's card.

    They have their own secrets and every number that was ever sent, and one key is missing. They try all these numbers
    as that key. No number of colluding seats is enough.
    """
    last: dict[tuple[int, int, int], tuple[int, Any]] = {}
    for height, state in enumerate(played.states(), 1):
        decks: Iterable[Any] = state.hand.decks.values() if state.phase is Phase.PLAYING else ()
        for deck in decks:
            hidden = deck.places.only_hidden(deck.places.hand(COALITION_VICTIM))
            last |= {(deck.binding.hand, deck.number, position): (height, deck) for position in hidden}
    for (hand, _, position), (height, deck) in last.items():
        tapes = {seat: played.tape(seat, hand) for seat in deck.binding.players if seat != COALITION_VICTIM}
        face = deck.knows(COALITION_VICTIM, played.tape(COALITION_VICTIM, hand))[deck.places.card(position)]
        if face in _candidate_faces(deck, position, tapes, played.log[:height]):
            return f"reads {played.names[COALITION_VICTIM]}'s card"
    return None


def _candidate_faces(deck: Any, position: int, tapes: Mapping[int, Tape], log: Sequence[bytes]) -> Iterator[int | None]:
    """Yield every face that the victim's card could have, by trying all keys that the coalition can think of."""
    for tape in tapes.values():
        with suppress(NodealerError):
            yield deck.knows(COALITION_VICTIM, tape)[deck.places.card(position)]
    for key in _candidate_keys(deck, position, tapes, log):
        with suppress(NodealerError):
            yield _open_with_key(deck, position, tapes, key)


def _open_with_key(deck: Any, position: int, tapes: Mapping[int, Tape], key: Scalars) -> int | None:
    """Return the face of a card if this is its holder's key, or None if the result is not a face."""
    if isinstance(deck, ChainDeck):
        card = deck.read(key.invert() * deck.held[position].number)
        return None if card is None else card[0]
    if isinstance(deck, DuelDeck):
        both = key * deck.layers.secrets(tapes[deck.rival], (position,), deck.rival)
        return None if deck.faces is None else deck.faces.find(both.invert() * deck.layers.cards((position,)))[0]
    known = {seat: deck.card_secrets(tape, (position,), seat) for seat, tape in tapes.items()}
    (face,) = deck.unmask((position,), {**known, COALITION_VICTIM: key})
    return face  # type: ignore[no-any-return]


def _candidate_keys(deck: Any, position: int, tapes: Mapping[int, Tape], log: Sequence[bytes]) -> Iterator[Scalars]:
    """Yield the coalition's own keys of that card and all numbers that were sent, once each."""
    group: Group = deck.binding.group
    sent = {number for data in log for number in _sent_numbers(data, group.scalar_size)}
    sent |= {_own_key(deck, position, tape, seat).to_bytes() for seat, tape in tapes.items()}
    for number in sorted(sent):
        with suppress(NodealerError):
            if (key := group.scalars(number)).first_zero() is None:
                yield key


def _own_key(deck: Any, position: int, tape: Tape, seat: int) -> Scalars:
    """Return a seat's own key of a card."""
    if isinstance(deck, ChainDeck):
        return deck.layer_secrets(tape, deck.order.index(seat)).key
    if isinstance(deck, DuelDeck):
        return deck.layers.secrets(tape, (position,), seat)
    return deck.card_secrets(tape, (position,), seat)  # type: ignore[no-any-return]


def _sent_numbers(data: bytes, size: int) -> Iterator[bytes]:
    """Yield all numbers in a message about cards. Other bytes may precede or follow them in a field."""
    body = read_body(bytes(read_entry(data).entry.body))
    fields = msgspec.json.decode(body.message) if isinstance(body, Cards) else {}
    for field in fields.values():
        # Other fields are text or lists of places.
        with suppress(msgspec.ValidationError):
            read = msgspec.convert(field, bytes)
            for start in {0, len(read) % size}:
                yield from (read[at : at + size] for at in range(start, len(read) - size + 1, size))


#: The holder of a card does not publish its key when it is dealt, unlike all others.
_OWN_KEY: Final = RemovedDefence(
    "nodealer.protocols.keyed_deck:Releasing.of", "if to != seat for p in ps", "for p in ps"
)
#: A tape depends on its seat, and on a root that only this seat knows.
_TAPE: Final = RemovedDefence("nodealer.tape:hand_tape", "root, session, seat, hand, size", "session, hand, size")
COALITION: Final = Attack(
    name="coalition",
    does="combines what all seats but one know",
    numbers=("A40",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "all seats but one that combine what they have",
            play=read_honest_game(_find_card_read_by_coalition),
            defence=(_TAPE,),
        )
    ),
    law_defences=dict.fromkeys(("mask", "lock", "offset"), (_OWN_KEY,)),
)


# --- copied key ---

COPIED_KEY_VICTIM: Final = 1
COPIED_STEP: Final = "respondDealParts"


class _KeyCopier(Participant):
    """Waits for the victim's keys and publishes them as its own."""

    lies: tuple[bytes, ...] = ()

    def outgoing(self) -> list[bytes]:
        """Return nothing until the victim has published its keys, then a copy of them."""
        if not self.has_seat or self.is_over:
            return super().outgoing()
        mine = self.replica.state.duties.of_seat(self.seat.number).values()
        duty = next((known.duty for known in mine if known.duty.kind == COPIED_STEP), None)
        if duty is None or self.lies:
            return super().outgoing()
        bodies = (read_body(bytes(read_entry(data).entry.body)) for data in self.replica.entries[-2:])
        sent = [bytes(body.message) for body in bodies if isinstance(body, Cards)]
        if not sent or b'"respondDealParts"' not in sent[-1]:
            return []
        copied = replace_struct(read_message(RespondDealParts, sent[-1]), playerId=self.seat.number + 1)
        self.lies = (self.seat._sign(Cards(duty.id, Raw(encode(copied)))),)
        return list(self.lies)


def _play_copied_key(scene: Scene) -> AttackOutcome:
    """Play with a cheater who publishes the victim's keys, and see whether they count.

    The attack: a seat publishes another seat's keys as its own, with the proof of the other seat.
    """
    stage = AttackTable(scene, makers={scene.cheater: _KeyCopier})
    stage.run_to_end()
    one = stage[scene.cheater]
    lies = one.lies if isinstance(one, _KeyCopier) else ()
    decks = (deck for state in stage.states() for deck in state.hand.decks.values() if isinstance(deck, OffsetDeck))
    took = any(deck.start is not None and deck.parts[scene.cheater] == deck.parts[COPIED_KEY_VICTIM] for deck in decks)
    return stage.outcome("takes part with keys whose secrets it does not know" if took else None, lies)


COPIED_KEY: Final = Attack(
    name="copied-key",
    does="publishes another seat's keys, with the other's proof",
    numbers=("A26",),
    law=with_own_claim(
        AttackMethod(
            "the keys and the proof of another seat",
            play=_play_copied_key,
            # The seat is not in the challenge.
            defence=(
                RemovedDefence(
                    "nodealer.protocols.base:Binding.context",
                    "deck, epoch, step, seat, anchor)",
                    "deck, epoch, step, 0, anchor)",
                ),
            ),
        ),
        "at once",
        culprit=True,
    ),
    tried_on=("offset",),
)


# --- identity key ---


def _forge_identity_key(moment: SignedMoment) -> bytes:
    """Use the identity as the key of the first deal.

    The proof is true, because the seat knows the secret of that key: zero.
    """
    deck, group = moment.deck, moment.deck.binding.group
    message = read_message(RespondDealParts, moment.honest)
    d = deck.deal_parts(moment.tape, moment.duty.seat)
    d = concat(group.integers([0]), d[1:])
    D = d * group.G
    proof = equality.prove_knowledge(deck.transcript(moment.duty, 0), moment.tape, D, d)
    return encode(replace_struct(message, dealPublicKeyParts=D.to_bytes(), proof=proof))


def _find_identity_key(played: PlayedGame) -> str | None:
    """Find a deal with a key of the cheater that is the identity.

    Return the gain as a phrase, or None if there is none.
    """
    for state in played.states():
        for deck in state.hand.decks.values():
            parts = deck.parts.get(played.cheater) if isinstance(deck, OffsetDeck) else None
            if parts is not None and parts.first_identity() is not None:
                return "gets a card dealt without its key on it"
    return None


def _play_identity_key(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge its outcome.

    The message is refused and the table waits, so no bot plays this in a real game.

    The attack: a seat takes part with the identity as its key, whose secret is zero.
    """
    played = play_with_cheater(IDENTITY_KEY, scene)
    return judge(played, _find_identity_key(played))


IDENTITY_KEY: Final = Attack(
    name="identity-key",
    does="takes part with the identity as its key",
    numbers=("A27",),
    law=with_own_claim(
        AttackMethod(
            "a key that is the identity",
            {"respondDealParts": _forge_identity_key},
            defence=(
                IDENTITY,
                RemovedDefence(
                    "nodealer.proofs.equality:check_knowledge", "keys.first_identity() is not None", "False"
                ),
            ),
            play=_play_identity_key,
        )
    ),
    tried_on=("offset",),
)


# --- opened book ---

OPENED_BOOK_VICTIM: Final = 1


def _play_opened_book(scene: Scene) -> AttackOutcome:
    """Play two hands and try the victim's first seed on the second. In this mode every hand ends with disclosures.

    The attack: a reader of one hand's disclosures, which are public, tries their seed on the next hand.
    """
    stage = AttackTable(with_chips(scene), hands=2)
    stage.run_until(lambda state: state.hand.number == 1 and awaits_move_of(0)(state))
    entries = (read_entry(data).entry for data in stage[0].replica.entries)
    books = [read_body(bytes(entry.body)) for entry in entries if entry.seat == OPENED_BOOK_VICTIM]
    seeds = [book.seed for book in books if isinstance(book, Book)]
    holds = stage[OPENED_BOOK_VICTIM].seat.known_cards()
    read: Mapping[Card, int] = {}
    with suppress(NodealerError):
        decks = stage.state().hand.decks
        # If every seat has a deck of its own, the deck's number is the seat's.
        read = decks.get(OPENED_BOOK_VICTIM, decks[0]).knows(OPENED_BOOK_VICTIM, Tape(seeds[0]))
    return stage.outcome("reads Ben's card in the next hand" if holds and read == holds else None)


OPENED_BOOK: Final = Attack(
    name="opened-book",
    does="tries the disclosure of one hand on the next",
    numbers=("A30",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "the disclosure of one hand, tried on another",
            play=_play_opened_book,
            defence=(RemovedDefence("nodealer.tape:hand_tape", "session, seat, hand, size", "session, seat, 0, size"),),
        )
    ),
    tried_on=("chain", "duel"),
    law_modes={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)


# --- rogue key ---


def _joint_secrets(deck: OffsetDeck, tape: Tape) -> Scalars:
    """Return the secrets that the cheater wants the joint keys to have."""
    return draw_scalars(tape, "rogue", b"", deck.binding.group, deck.size)


def _forge_rogue_keys(moment: SignedMoment) -> bytes:
    """Publish D = X − the others' parts. It knows the secrets of X but not of D, and proves what it knows.

    The attack: the last seat to publish keys derives them from the others', so that it knows the secrets of the joint
    keys.
    """
    deck = moment.deck
    others = [parts for seat, parts in deck.parts.items() if seat != moment.duty.seat]
    if len(others) + 1 < len(deck.binding.players):
        # Another seat has still to publish.
        return moment.honest
    rogue = _joint_secrets(deck, moment.tape) * deck.binding.group.G
    for parts in others:
        rogue = rogue - parts
    message = read_message(RespondDealParts, moment.honest)
    return encode(replace_struct(message, dealPublicKeyParts=rogue.to_bytes()))


def _find_deck_read(played: PlayedGame) -> str | None:
    """Find a deck whose every deal can be read with the joint secrets and the offsets, which all have revealed.

    Return the gain as a phrase, or None if there is none.
    """
    for state in played.states():
        for deck in state.hand.decks.values():
            if not isinstance(deck, OffsetDeck) or len(deck.offsets) < len(deck.binding.players):
                continue
            keys = _joint_secrets(deck, played.tape(played.cheater, deck.binding.hand))
            offset = concat(*deck.offsets.values()).sum()
            found = [deck.steps[-1].deck.find(keys[place] + offset) for place in range(deck.size)]
            if None not in found:
                return "reads every card of the deck"
    return None


ROGUE_KEY: Final = Attack(
    name="rogue-key",
    does="derives its keys from the others', to know the joint keys",
    numbers=("A25",),
    ways={
        "offset": (
            AttackMethod(
                "a key part chosen to cancel the others",
                {"respondDealParts": _forge_rogue_keys},
                defence=(KNOWLEDGE_PROOF,),
                find_gain=_find_deck_read,
                late=("respondDealParts",),
            ),
        ),
    },
)


# --- picker ---


def players_with_cheater_first(scene: Scene) -> dict[int, MemoryPlayerStore]:
    """Return the players, with a cheater who drew keys until it is the first to pick.

    The lobby shows the others' keys.
    """
    me, stores = scene.cheater, [new_player(scene, name) for name in scene.names]
    while _picker_order(scene, stores)[0] != me:
        stores[me] = new_player(scene, scene.names[me])
    return dict(enumerate(stores))


def _play_picker(scene: Scene) -> AttackOutcome:
    """Play with a cheater who picks first.

    The picker names the cards of the board, but no one knows which cards they are.

    The attack: the last to join draws keys until the order of pickers, which depends on all keys, begins with their
    seat.
    """
    me, stage = scene.cheater, AttackTable(scene, stores=players_with_cheater_first(scene))
    stage.run_until(is_playing)
    deck: Any = stage.state().hand.decks[0]
    return stage.outcome("is the seat that picks the cards of the board" if deck.pickers[0] == me else None)


def _picker_order(scene: Scene, stores: list[MemoryPlayerStore]) -> tuple[int, ...]:
    """Return the order in which these players would pick."""
    keys = tuple((seat, store.identity.public) for seat, store in enumerate(stores))
    seats = tuple(range(len(stores)))
    return picker_order(Binding("lock", 0, bytes(32), bytes(32), 0, seats, (), scene.protocol.group, keys))


PICKER: Final = Attack(
    name="picker",
    does="draws keys until it is the first of the pickers",
    ways={
        "lock": (
            AttackMethod(
                "the last player to join tries keys until they like the order of pickers",
                play=_play_picker,
                if_unseen="cannot be seen",
            ),
        )
    },
)


# --- zero ---


def _identities(moment: SignedMoment, count: int = 1) -> Points:
    """Return this many identities of the group, each computed as zero times another point."""
    points: Points = moment.deck.binding.group.identity(count)
    return points


def _prove_zero(moment: SignedMoment, bases: Points) -> bytes:
    """Prove that the key and the images are zero times the generator and the bases. The real prover would refuse."""
    group, deck = bases.group, moment.deck
    transcript = deck.transcript(moment.duty, deck.epoch)
    transcript.absorb(labels.STATEMENT, labels.EQUALITY, group.name, len(bases))
    transcript.absorb_points(labels.STATEMENT, _identities(moment), bases, _identities(moment, len(bases)))
    weights = transcript.challenges(labels.WEIGHTS, group, len(bases))
    k = transcript.nonces(moment.tape, labels.EQUALITY, group, 1)
    # Zero times any challenge is zero.
    return encode_proof(group.msm_each([(k, group.G), (k * weights, bases)]), k)


def _forge_tag(moment: SignedMoment) -> bytes:
    """Forge a step with the secret zero: that of `mask` that multiplies all cards by one secret to compare them."""
    given = moment.deck.stage.points
    return encode(
        MaskTags(_identities(moment).to_bytes(), _identities(moment, len(given)).to_bytes(), _prove_zero(moment, given))
    )


def _forge_cascade(moment: SignedMoment) -> bytes:
    """Forge a step with the secret zero: that of `lock` that sends all cards through another cascade.

    Held cards are brought to its result later.
    """
    deck, given = moment.deck, moment.deck.stage.cards
    if not deck.stage.held:
        return moment.honest
    key, cards, zero = _identities(moment), _identities(moment, len(given)), deck.binding.group.integers([0])
    transcript, relation = deck.transcript(moment.duty, deck.epoch), OneScalar(key, given, cards)
    proof = shuffle.prove(transcript, moment.tape, relation, order_of(range(len(given))), lambda d: zero)
    return encode(Cascade(key.to_bytes(), cards.to_bytes(), proof))


def _forge_held(moment: SignedMoment) -> bytes:
    """Forge the declaration of the cards in the cheater's own hand, which comes before that of all others."""
    if not isinstance(moment.deck.stage, recovery.LockDeclaring):
        return moment.honest
    deck, positions = moment.deck, moment.deck.stage._mine(moment.deck, moment.duty.seat)
    cards, zeros = _identities(moment, len(positions)), deck.binding.group.integers([0] * len(positions))
    statement = recovery._statement(deck, moment.duty.seat, positions, _identities(moment), cards)
    proof = linear.prove(deck.transcript(moment.duty, deck.epoch), moment.tape, statement, [zeros])
    return encode(HeldCards(cards.to_bytes(), proof))


def _forge_raise(moment: SignedMoment) -> bytes:
    """Forge a step with the secret zero: that of `lock` that brings held cards to the result of the cascade."""
    given = moment.deck.stage._points(moment.deck, moment.duty.seat)
    return encode(RaisedCards(_identities(moment, len(given)).to_bytes(), _prove_zero(moment, given)))


def _play_zero(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The message is refused and the table waits, so no bot plays this in a real game.

    The attack: a player left, and the others rebuild the deck. A seat takes zero as its secret: every card becomes the
    identity, and what the seat proves about them is true.
    """
    played = play_with_cheater(ZERO, replace(scene, hands=1))
    return judge(played, find_stopped_hand(played))


#: The identity is refused in messages, in statements to be proven, and in proofs.
_ANYWHERE: Final = (
    IDENTITY,
    IDENTITY_IN_PROOF,
    RemovedDefence("nodealer.proofs.equality:_refuse_identities", "points.first_identity() is not None", "False"),
)
#: It is also refused in a shuffled deck, as are two equal cards.
_SHUFFLED: Final = RemovedDefence(
    "nodealer.proofs.relations:OneScalar.refuse_malformed",
    "if self.S.first_identity() is not None:",
    "return\n    if False:",
)
ZERO: Final = Attack(
    name="zero",
    does="multiplies all cards by zero when the deck is rebuilt, and proves it",
    numbers=("A11",),
    law=with_own_claim(
        AttackMethod(
            "zero as the secret that all cards are multiplied by",
            {"tag": _forge_tag, "cascade": _forge_cascade, "held": _forge_held, "raise": _forge_raise},
            leaver=0,
            play=_play_zero,
            defence=_ANYWHERE,
        )
    ),
    # On other protocols, a player who is dealt such a card disputes it, and the disclosures name who made it.
    tried_on=("mask", "lock"),
    law_defences={"lock": (*_ANYWHERE, _SHUFFLED)},
)


# --- told outside ---

#: The number of friends, who have the last seats.
FRIENDS: Final = 2


def _find_shared_hands(played: PlayedGame) -> str | None:
    """Find a deal in which each friend, with the other's cards, knows more than its own hand.

    Return the gain as a phrase, or None if there is none.

    The attack: two players tell each other their cards outside the log. Each plays with knowledge of both hands.
    """
    friends = range(len(played.names) - FRIENDS, len(played.names))
    for one in dealt_decks(played):
        own = [one.hidden_cards(seat) for seat in friends]
        both = {card: face for hand in own for card, face in hand.items()}
        if all(0 < len(hand) < len(both) for hand in own):
            names = " and ".join(played.names[seat] for seat in friends)
            count = one.deck.places.face_count
            return f"lets {names} know {len(both)} of {count} cards, where each was dealt {len(own[0])}"
    return None


#: The same on every protocol, because all messages are honest.
_METHODS: Final = (
    AttackMethod(
        "players telling each other their cards outside the table",
        play=read_honest_game(_find_shared_hands),
        if_unseen="cannot be seen",
    ),
)
TOLD_OUTSIDE: Final = Attack(
    name="told-outside",
    does="tells a friend its cards outside the table",
    numbers=("A50",),
    who="a coalition",
    ways=dict.fromkeys(("mask", "lock", "offset", "chain"), _METHODS),
)


ATTACKS: Final = (
    ANOTHER_KEY,
    COALITION,
    COPIED_KEY,
    IDENTITY_KEY,
    OPENED_BOOK,
    ROGUE_KEY,
    PICKER,
    ZERO,
    TOLD_OUTSIDE,
)
