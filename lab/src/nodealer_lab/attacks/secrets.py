"""Attacks on what only its owner may know: keys, tokens, tapes, and what a coalition can read."""

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
from nodealer.protocols.base import Binding, Cheat
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
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme, SignedMoment
from nodealer_lab.attacks.cards import released
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

# --- knowledge ---
#
# The defence that several attacks on keys need to have removed.

#: Nobody looks at the proof that a seat knows the secrets of its keys.
KNOWLEDGE_PROOF: Final = RemovedDefence(
    "nodealer.proofs.equality:check_knowledge",
    "linear.check(transcript, _knowledge_statement(keys), proof)",
    'Check(transcript.seat, "no proof", (Equation.sum((keys.group.integers([0]), keys.group.G)),))',
)


# --- another key ---
#
# A seat publishes the key of another card in place of the one that was asked for: its holder cannot read it.


def _exchanged(keys: bytes, count: int) -> bytes:
    """The keys of two cards, exchanged: each of them is a true key of this deck."""
    size = len(keys) // count
    return keys[size : 2 * size] + keys[:size] + keys[2 * size :] if count > 1 else keys


def _release(moment: SignedMoment) -> bytes:
    said = read_message(Release, moment.honest)
    return encode(Release(_exchanged(said.keys, len(moment.deck.binding.group.scalars(said.keys)))))


def _part(moment: SignedMoment) -> bytes:
    said = read_message(DealFinal, moment.honest)
    return encode(replace_struct(said, dealKeyPart=_exchanged(said.dealKeyPart, len(said.dealNo))))


def _give(moment: SignedMoment) -> bytes:
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    said = read_message(Give, moment.honest)
    return encode(Give(_exchanged(said.keys, len(moment.deck.cipher.scalars(said.keys)))))


ANOTHER_KEY: Final = Attack(
    name="another-key",
    does="publishes the keys of two cards swapped",
    numbers=("A35",),
    ways={
        **released(_release),
        "offset": (
            AttackMethod(
                "a false key part for a deal", {"dealFinal": _part}, defence=(KEY_CHECK,), find_gain=find_spoilt_card
            ),
        ),
        "duel": (
            AttackMethod("a false key of the rival", {"give": _give}, defence=(KEY_CHECK,), find_gain=find_spoilt_card),
            AttackMethod(
                "a false key or card of the rival", {"give": _give}, defence=(BOOKS,), find_gain=find_spoilt_card
            ),
        ),
    },
)


# --- coalition ---
#
# All seats but one put everything together that they have, to read the last one's card.
#
# They have their own secrets and every number that anybody has said, and one key is missing. They try all that they
# have in its place, and there is no number of seats that is enough.

COALITION_VICTIM: Final = 0


def _read(played: PlayedGame) -> str | None:
    """The later they try, the more they have: once for each card, when it is hidden for the last time."""
    last: dict[tuple[int, int, int], tuple[int, Any]] = {}
    for height, state in enumerate(played.states(), 1):
        decks: Iterable[Any] = state.hand.decks.values() if state.phase is Phase.PLAYING else ()
        for deck in decks:
            hidden = deck.places.only_hidden(deck.places.hand(COALITION_VICTIM))
            last |= {(deck.binding.hand, deck.number, position): (height, deck) for position in hidden}
    for (hand, _, position), (height, deck) in last.items():
        tapes = {seat: played.tape(seat, hand) for seat in deck.binding.players if seat != COALITION_VICTIM}
        face = deck.knows(COALITION_VICTIM, played.tape(COALITION_VICTIM, hand))[deck.places.card(position)]
        if face in _faces(deck, position, tapes, played.log[:height]):
            return f"reads {played.names[COALITION_VICTIM]}'s card"
    return None


def _faces(deck: Any, position: int, tapes: Mapping[int, Tape], log: Sequence[bytes]) -> Iterator[int | None]:
    """What the card would be, by all that they have."""
    for tape in tapes.values():
        with suppress(NodealerError):
            yield deck.knows(COALITION_VICTIM, tape)[deck.places.card(position)]
    for key in _keys(deck, position, tapes, log):
        with suppress(NodealerError):
            yield _opened(deck, position, tapes, key)


def _opened(deck: Any, position: int, tapes: Mapping[int, Tape], key: Scalars) -> int | None:
    """The face of a card whose holder's key this would be; None where it is none."""
    if isinstance(deck, ChainDeck):
        card = deck.read(key.invert() * deck.held[position].number)
        return None if card is None else card[0]
    if isinstance(deck, DuelDeck):
        both = key * deck.layers.secrets(tapes[deck.rival], (position,), deck.rival)
        return None if deck.faces is None else deck.faces.find(both.invert() * deck.layers.cards((position,)))[0]
    known = {seat: deck.card_secrets(tape, (position,), seat) for seat, tape in tapes.items()}
    (face,) = deck.unmask((position,), {**known, COALITION_VICTIM: key})
    return face  # type: ignore[no-any-return]


def _keys(deck: Any, position: int, tapes: Mapping[int, Tape], log: Sequence[bytes]) -> Iterator[Scalars]:
    """Their own keys of that card, and all that anybody has said, once each."""
    group: Group = deck.binding.group
    said = {number for data in log for number in _numbers(data, group.scalar_size)}
    said |= {_own(deck, position, tape, seat).to_bytes() for seat, tape in tapes.items()}
    for number in sorted(said):
        with suppress(NodealerError):
            if (key := group.scalars(number)).first_zero() is None:
                yield key


def _own(deck: Any, position: int, tape: Tape, seat: int) -> Scalars:
    if isinstance(deck, ChainDeck):
        return deck.own(tape, deck.order.index(seat)).key
    if isinstance(deck, DuelDeck):
        return deck.layers.secrets(tape, (position,), seat)
    return deck.card_secrets(tape, (position,), seat)  # type: ignore[no-any-return]


def _numbers(data: bytes, size: int) -> Iterator[bytes]:
    """All numbers in what was said of cards. A field may begin with something else, or end with it."""
    body = read_body(bytes(read_entry(data).entry.body))
    fields = msgspec.json.decode(body.message) if isinstance(body, Cards) else {}
    for field in fields.values():
        # What is no number here is a word, or a list of places.
        with suppress(msgspec.ValidationError):
            read = msgspec.convert(field, bytes)
            for start in {0, len(read) % size}:
                yield from (read[at : at + size] for at in range(start, len(read) - size + 1, size))


#: Who holds a card publishes its key when the card is dealt, as all others do.
_OWN_KEY: Final = RemovedDefence(
    "nodealer.protocols.keyed_deck:Releasing.of", "if to != seat for p in ps", "for p in ps"
)
#: A tape that is not its seat's alone is everybody's.
_TAPE: Final = RemovedDefence("nodealer.tape:hand_tape", "root, session, seat, hand, size", "session, hand, size")
_COALITION_CLAIM: Final = Cheat("all seats but one that put together what they have", "never", False)
COALITION: Final = Attack(
    name="coalition",
    does="combines what all seats but one know",
    numbers=("A40",),
    who="a coalition",
    law=AttackScheme(
        AttackMethod(_COALITION_CLAIM.cheat, play=read_honest_game(_read), defence=(_TAPE,)), _COALITION_CLAIM
    ),
    law_defences=dict.fromkeys(("mask", "lock", "offset"), (_OWN_KEY,)),
)


# --- copied key ---
#
# A seat publishes another seat's keys as its own, with the proof that the other has made.

COPIED_KEY_VICTIM: Final = 1
STEP: Final = "respondDealParts"


class _Copies(Participant):
    """Waits for the victim's keys, and says them once more."""

    lies: tuple[bytes, ...] = ()

    def due(self) -> list[bytes]:
        if not self.seated or self.over:
            return super().due()
        mine = self.replica.state.duties.of(self.seat.number).values()
        duty = next((known.duty for known in mine if known.duty.kind == STEP), None)
        if duty is None or self.lies:
            return super().due()
        bodies = (read_body(bytes(read_entry(data).entry.body)) for data in self.replica.entries[-2:])
        said = [bytes(body.message) for body in bodies if isinstance(body, Cards)]
        if not said or b'"respondDealParts"' not in said[-1]:
            return []
        copied = replace_struct(read_message(RespondDealParts, said[-1]), playerId=self.seat.number + 1)
        self.lies = (self.seat._send(Cards(duty.id, Raw(encode(copied)))),)
        return list(self.lies)


def _play_copied_key(scene: Scene) -> AttackOutcome:
    stage = AttackTable(scene, makers={scene.cheater: _Copies})
    stage.run_to_end()
    one = stage[scene.cheater]
    lies = one.lies if isinstance(one, _Copies) else ()
    decks = (deck for state in stage.states() for deck in state.hand.decks.values() if isinstance(deck, OffsetDeck))
    took = any(deck.start is not None and deck.parts[scene.cheater] == deck.parts[COPIED_KEY_VICTIM] for deck in decks)
    return stage.outcome("takes part with keys that it has no secret of" if took else None, lies)


_COPIED_KEY_CLAIM: Final = Cheat("the keys and the proof of another seat", "at once", True)
COPIED_KEY: Final = Attack(
    name="copied-key",
    does="publishes another seat's keys, with the other's proof",
    numbers=("A26",),
    law=AttackScheme(
        AttackMethod(
            _COPIED_KEY_CLAIM.cheat,
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
        _COPIED_KEY_CLAIM,
    ),
    tried_on=("offset",),
)


# --- identity key ---
#
# A seat takes part with a key of nothing: the identity, whose secret is zero.


def _identity_key_offset(moment: SignedMoment) -> bytes:
    """Of the first deal; the proof is a true one, for it knows that zero."""
    deck, group = moment.deck, moment.deck.binding.group
    said = read_message(RespondDealParts, moment.honest)
    d = deck.deal_parts(moment.tape, moment.duty.seat)
    d = concat(group.integers([0]), d[1:])
    D = d * group.G
    proof = equality.prove_knowledge(deck.transcript(moment.duty, 0), moment.tape, D, d)
    return encode(replace_struct(said, dealPublicKeyParts=D.to_bytes(), proof=proof))


def _taken(played: PlayedGame) -> str | None:
    for state in played.states():
        for deck in state.hand.decks.values():
            parts = deck.parts.get(played.cheater) if isinstance(deck, OffsetDeck) else None
            if parts is not None and parts.first_identity() is not None:
                return "has a card dealt that its key is not on"
    return None


def _play_identity_key(scene: Scene) -> AttackOutcome:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = play_with_cheater(IDENTITY_KEY, scene)
    return judge(played, _taken(played))


_IDENTITY_KEY_CLAIM: Final = Cheat("a key that is the identity", "never", False)
IDENTITY_KEY: Final = Attack(
    name="identity-key",
    does="takes part with the identity as its key",
    numbers=("A27",),
    law=AttackScheme(
        AttackMethod(
            _IDENTITY_KEY_CLAIM.cheat,
            {"respondDealParts": _identity_key_offset},
            defence=(
                IDENTITY,
                RemovedDefence(
                    "nodealer.proofs.equality:check_knowledge", "keys.first_identity() is not None", "False"
                ),
            ),
            play=_play_identity_key,
        ),
        _IDENTITY_KEY_CLAIM,
    ),
    tried_on=("offset",),
)


# --- opened book ---
#
# Who reads the book of one hand, which all open, tries its seed on the next one.

OPENED_BOOK_VICTIM: Final = 1


def _play_opened_book(scene: Scene) -> AttackOutcome:
    """Without proofs every hand ends with open books."""
    stage = AttackTable(with_chips(scene), hands=2)
    stage.run_until(lambda state: state.hand.number == 1 and awaits_move_of(0)(state))
    entries = (read_entry(data).entry for data in stage[0].replica.entries)
    books = [read_body(bytes(entry.body)) for entry in entries if entry.seat == OPENED_BOOK_VICTIM]
    seeds = [book.seed for book in books if isinstance(book, Book)]
    holds = stage[OPENED_BOOK_VICTIM].seat.cards()
    read: Mapping[Card, int] = {}
    with suppress(NodealerError):
        decks = stage.state().hand.decks
        # Where everybody has a deck, it is that of its number.
        read = decks.get(OPENED_BOOK_VICTIM, decks[0]).knows(OPENED_BOOK_VICTIM, Tape(seeds[0]))
    return stage.outcome("reads Ben's card of the next hand" if holds and read == holds else None)


_OPENED_BOOK_CLAIM: Final = Cheat("the book of one hand, tried on another", "never", False)
OPENED_BOOK: Final = Attack(
    name="opened-book",
    does="tries the disclosure of one hand on the next",
    numbers=("A30",),
    who="a reader of the log",
    law=AttackScheme(
        AttackMethod(
            _OPENED_BOOK_CLAIM.cheat,
            play=_play_opened_book,
            defence=(RemovedDefence("nodealer.tape:hand_tape", "session, seat, hand, size", "session, seat, 0, size"),),
        ),
        _OPENED_BOOK_CLAIM,
    ),
    tried_on=("chain", "duel"),
    law_modes={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)


# --- rogue key ---
#
# The last to publish its keys takes them from the others', so that it knows the joint ones and nobody's secret.


def _joint(deck: OffsetDeck, tape: Tape) -> Scalars:
    """The secrets that the joint keys are to have."""
    return draw_scalars(tape, "rogue", b"", deck.binding.group, deck.size)


def _rogue_key_offset(moment: SignedMoment) -> bytes:
    """D = X − the others' parts: of X it knows the secrets, of D it does not. The proof is that of what it knows."""
    deck = moment.deck
    others = [parts for seat, parts in deck.parts.items() if seat != moment.duty.seat]
    if len(others) + 1 < len(deck.binding.players):
        # Not the last one.
        return moment.honest
    rogue = _joint(deck, moment.tape) * deck.binding.group.G
    for parts in others:
        rogue = rogue - parts
    said = read_message(RespondDealParts, moment.honest)
    return encode(replace_struct(said, dealPublicKeyParts=rogue.to_bytes()))


def _reads(played: PlayedGame) -> str | None:
    """With the joint secrets and the offsets, which all have revealed, every deal is read."""
    for state in played.states():
        for deck in state.hand.decks.values():
            if not isinstance(deck, OffsetDeck) or len(deck.offsets) < len(deck.binding.players):
                continue
            keys = _joint(deck, played.tape(played.cheater, deck.binding.hand))
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
                {"respondDealParts": _rogue_key_offset},
                defence=(KNOWLEDGE_PROOF,),
                find_gain=_reads,
                late=("respondDealParts",),
            ),
        ),
    },
)


# --- picker ---
#
# The last to join draws keys until the order of pickers, which hangs on all keys, begins with it.


def first_to_pick(scene: Scene) -> dict[int, MemoryPlayerStore]:
    """Who sits there: the cheater knows the others' keys from the lobby."""
    me, stores = scene.cheater, [new_player(scene, name) for name in scene.names]
    while _order(scene, stores)[0] != me:
        stores[me] = new_player(scene, scene.names[me])
    return dict(enumerate(stores))


def _play_picker(scene: Scene) -> AttackOutcome:
    """The order says who names the cards of the board, and nothing else: what cards these are nobody knows."""
    me, stage = scene.cheater, AttackTable(scene, stores=first_to_pick(scene))
    stage.run_until(is_playing)
    deck: Any = stage.state().hand.decks[0]
    return stage.outcome("is the one who names the cards of the board" if deck.pickers[0] == me else None)


def _order(scene: Scene, stores: list[MemoryPlayerStore]) -> tuple[int, ...]:
    """Who would pick, with these keys, before there is a table."""
    keys = tuple((seat, store.identity.public) for seat, store in enumerate(stores))
    seats = tuple(range(len(stores)))
    return picker_order(Binding("lock", 0, bytes(32), bytes(32), 0, seats, (), scene.protocol.group, keys))


PICKER: Final = Attack(
    name="picker",
    does="draws keys until it is the first of the pickers",
    ways={
        "lock": (
            AttackMethod("the last to join grinds the order of pickers", play=_play_picker, if_unseen="cannot be seen"),
        )
    },
)


# --- zero ---
#
# Somebody left, and the others make the deck again. A seat takes zero as its secret: every card becomes the identity,
# and what it proves of them is true.


def _nothing(moment: SignedMoment, count: int = 1) -> Points:
    """Zero times so many points."""
    points: Points = moment.deck.binding.group.identity(count)
    return points


def _proof(moment: SignedMoment, bases: Points) -> bytes:
    """That the key and the images are zero times the generator and the bases. The program itself would not prove it."""
    group, deck = bases.group, moment.deck
    transcript = deck.transcript(moment.duty, deck.epoch)
    transcript.absorb(labels.STATEMENT, labels.EQUALITY, group.name, len(bases))
    transcript.absorb_points(labels.STATEMENT, _nothing(moment), bases, _nothing(moment, len(bases)))
    weights = transcript.challenges(labels.WEIGHTS, group, len(bases))
    k = transcript.nonces(moment.tape, labels.EQUALITY, group, 1)
    # Whatever the challenge is, zero times it is zero.
    return encode_proof(group.msm_each([(k, group.G), (k * weights, bases)]), k)


def _tag(moment: SignedMoment) -> bytes:
    """In `mask` all cards are multiplied by one secret to be compared."""
    given = moment.deck.stage.points
    return encode(MaskTags(_nothing(moment).to_bytes(), _nothing(moment, len(given)).to_bytes(), _proof(moment, given)))


def _cascade(moment: SignedMoment) -> bytes:
    """In `lock` all cards go through another cascade, and those that are held are brought to where it came to."""
    deck, given = moment.deck, moment.deck.stage.cards
    if not deck.stage.held:
        return moment.honest
    key, cards, zero = _nothing(moment), _nothing(moment, len(given)), deck.binding.group.integers([0])
    transcript, relation = deck.transcript(moment.duty, deck.epoch), OneScalar(key, given, cards)
    proof = shuffle.prove(transcript, moment.tape, relation, order_of(range(len(given))), lambda d: zero)
    return encode(Cascade(key.to_bytes(), cards.to_bytes(), proof))


def _held(moment: SignedMoment) -> bytes:
    """The cards in its own hand, and after them all others."""
    if not isinstance(moment.deck.stage, recovery.LockDeclaring):
        return moment.honest
    deck, positions = moment.deck, moment.deck.stage._mine(moment.deck, moment.duty.seat)
    cards, zeros = _nothing(moment, len(positions)), deck.binding.group.integers([0] * len(positions))
    statement = recovery._statement(deck, moment.duty.seat, positions, _nothing(moment), cards)
    proof = linear.prove(deck.transcript(moment.duty, deck.epoch), moment.tape, statement, [zeros])
    return encode(HeldCards(cards.to_bytes(), proof))


def _raise(moment: SignedMoment) -> bytes:
    given = moment.deck.stage._points(moment.deck, moment.duty.seat)
    return encode(RaisedCards(_nothing(moment, len(given)).to_bytes(), _proof(moment, given)))


def _play_zero(scene: Scene) -> AttackOutcome:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = play_with_cheater(ZERO, replace(scene, hands=1))
    return judge(played, find_stopped_hand(played))


#: The identity is refused in what is sent, in what is to be proven, and in a proof.
_ANYWHERE: Final = (
    IDENTITY,
    IDENTITY_IN_PROOF,
    RemovedDefence("nodealer.proofs.equality:_refuse_identities", "points.first_identity() is not None", "False"),
)
#: And where a deck is shuffled, as are two equal cards.
_SHUFFLED: Final = RemovedDefence(
    "nodealer.proofs.relations:OneScalar.refuse_malformed",
    "if self.S.first_identity() is not None:",
    "return\n    if False:",
)
_ZERO_CLAIM: Final = Cheat("zero as the secret that all cards are multiplied by", "never", False)
ZERO: Final = Attack(
    name="zero",
    does="multiplies all cards by zero when the deck is rebuilt, and proves it",
    numbers=("A11",),
    law=AttackScheme(
        AttackMethod(
            _ZERO_CLAIM.cheat,
            {"tag": _tag, "cascade": _cascade, "held": _held, "raise": _raise},
            leaver=0,
            play=_play_zero,
            defence=_ANYWHERE,
        ),
        _ZERO_CLAIM,
    ),
    # Elsewhere who is dealt such a card disputes it, and the books name who made it.
    tried_on=("mask", "lock"),
    law_defences={"lock": (*_ANYWHERE, _SHUFFLED)},
)


# --- told outside ---
#
# Two players tell each other their cards where no log is: each plays with both hands before it.

#: The last two seats.
FRIENDS: Final = 2


def _told(played: PlayedGame) -> str | None:
    """Each reads its own cards, by its own secrets and nobody else's, and hears those of its friend."""
    friends = range(len(played.names) - FRIENDS, len(played.names))
    for one in dealt_decks(played):
        own = [one.hidden_cards(seat) for seat in friends]
        both = {card: face for hand in own for card, face in hand.items()}
        if all(0 < len(hand) < len(both) for hand in own):
            names = " and ".join(played.names[seat] for seat in friends)
            count = one.deck.places.face_count
            return f"has {names} know {len(both)} of {count} cards, where each was dealt {len(own[0])}"
    return None


#: The same everywhere: all messages are honest ones.
_WAYS: Final = (
    AttackMethod(
        "players telling each other their cards outside the table",
        play=read_honest_game(_told),
        if_unseen="cannot be seen",
    ),
)
TOLD_OUTSIDE: Final = Attack(
    name="told-outside",
    does="tells a friend its cards outside the table",
    numbers=("A50",),
    who="a coalition",
    ways=dict.fromkeys(("mask", "lock", "offset", "chain"), _WAYS),
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
