"""The protocols that the suite runs over. A new one is a line in `CASES`."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

import msgspec

from nodealer.cards.operations import (
    Card,
    Close,
    Deal,
    Look,
    NewDeck,
    Open,
    Operation,
    Place,
    Portion,
    Prove,
    Return,
    Show,
)
from nodealer.group import Group, concat, group
from nodealer.protocols.base import Binding
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.deck import ChainDeck, SeatLayer
from nodealer.protocols.exclusion import Proving
from nodealer.protocols.keyed_deck import Releasing
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.community import Picking
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.return_cards import Gathering
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.deck import OffsetDeck, OffsetPairs
from nodealer.protocols.stages import Idle
from nodealer.tape import DIGEST_BYTES, Tape

from .clear import SHARE_BYTES, ClearDeck, ClearProtocol, KeyMessage, ShareMessage, ShuffleMessage, permuted
from .games import TinyRules
from .harness import Game
from .suite import SECRECY, ProtocolCase, faces_by_differences


def _clear_values(group: Group, message: bytes) -> list[bytes]:
    """Keys, commitments of proofs, commitments to shares, and shares."""
    fields = msgspec.json.decode(message)
    if "key" in fields:
        said = msgspec.json.decode(message, type=KeyMessage)
        return [said.key, said.proof[1 : 1 + group.point_size]]
    if "commitments" in fields:
        text, size = msgspec.json.decode(message, type=ShuffleMessage).commitments, DIGEST_BYTES
    elif "shares" in fields:
        text, size = msgspec.json.decode(message, type=ShareMessage).shares, SHARE_BYTES
    else:
        return []
    return [text[at : at + size] for at in range(0, len(text), size)]


def _clear_shuffle(seats: int, honest: int, tape: Tape) -> tuple[int, ...]:
    faces: tuple[int, ...] = (0, 1, 2, 3)
    for seat in range(seats):
        faces = permuted(faces, tape, b"") if seat == honest else faces
    return faces


def _clear_attack(game: Game, tapes: Mapping[int, Tape]) -> Mapping[Card, int]:
    """Nothing is hidden: the faces stand in the deck."""
    deck = game.state.hand.decks[0]
    assert isinstance(deck, ClearDeck)
    return {deck.places.card(position): face for position, face in enumerate(deck.faces)}


CLEAR: Final = ProtocolCase(
    name="clear",
    make=ClearProtocol,
    fresh_values=_clear_values,
    shuffle_alone=_clear_shuffle,
    attack=_clear_attack,
    rules=(
        TinyRules(),
        TinyRules(printed="AABBBC", together=True),
        TinyRules(peek=Look.REORDER, discard=True),
        TinyRules(peek=Look.TAKE),
    ),
    fails=frozenset(SECRECY),
)

# --- What is asked of decks that go on when seats leave ---

_DEAL: Final = Deal(0, tuple(Portion(seat, 1) for seat in range(4)))
#: Cards held, laid aside, on the table, shown and in the pile; and everything is done twice.
_BEGUN: Final[tuple[tuple[Operation, ...], ...]] = (
    (NewDeck(0, 14), _DEAL),
    (Open(0, 2), _DEAL),
    (Return(0, (), Place.DISCARD),),
    (Prove(0, ()),),
    (Show(0, 2, ()), Open(0, 1)),
)

# --- mask ---


def _mask_values(group: Group, message: bytes) -> list[bytes]:
    """Every point and scalar of every message: keys, masked cards, commitments, responses, published keys."""
    values: list[bytes] = []
    for name, field in msgspec.json.decode(message).items():
        if name != "type":
            # A proof begins with a byte for its version.
            text = base64.b64decode(field)[1 if name in ("proof", "knowledge") else 0 :]
            values += [text[at : at + 32] for at in range(0, len(text), 32)]
    return values


def _mask_shuffle(seats: int, honest: int, tape: Tape) -> tuple[int, ...]:
    """The order that one seat draws. All others leave the deck as it is, so where it sits does not matter."""
    table = Binding("mask", 0, bytes(32), bytes(32), 0, tuple(range(seats)), (), group())
    deck = Mask(on=table.group).new_deck(table, 0, 4, None)
    order, _ = deck.shuffle_draws(tape, honest, 0, deck.bare(range(4)), table.group.G)
    return tuple(order.vartime_list())


def _mask_attack(game: Game, tapes: Mapping[int, Tape]) -> Mapping[Card, int]:
    """Open every hidden card with all keys that are published or on a tape, as if the missing ones were zero."""
    deck = game.state.hand.decks[0]
    assert isinstance(deck, MaskDeck)
    read = dict[Card, int]()
    for position in deck.places.only_hidden(deck.places.held):
        secrets = {seat: deck.binding.group.integers([0]) for seat in deck.masked_by(position)}
        secrets |= deck.released.get(position, {})
        secrets |= {seat: deck.card_secrets(tape, (position,), seat) for seat, tape in tapes.items()}
        (face,) = deck.unmask((position,), secrets)
        if face is not None:
            read[deck.places.card(position)] = face
    if not tapes and faces_by_differences(deck.binding.group, game.log, deck.faces.points):
        read |= {deck.places.card(position): -1 for position in deck.places.held}
    return read


MASK: Final = ProtocolCase(
    name="mask",
    make=lambda group: Mask(on=group),
    fresh_values=_mask_values,
    shuffle_alone=_mask_shuffle,
    attack=_mask_attack,
    rules=(TinyRules(), TinyRules(printed="AABBBC", together=True, prove=True, discard=True)),
    lasting=(
        *_BEGUN,
        (Return(0, (), Place.SHUFFLED),),
        (_DEAL,),
        (Return(0, (), Place.TOP),),
        (Open(0, 1),),
        (Close(0),),
    ),
    resting=(Idle, Releasing, Gathering, Proving),
)

# --- lock ---


def _lock_values(group: Group, message: bytes) -> list[bytes]:
    """Every commitment, point and scalar of every message. A pick has none."""
    said = msgspec.json.decode(message)
    return [] if said["type"] == "pick" else _mask_values(group, message)


def _lock_shuffle(seats: int, honest: int, tape: Tape) -> tuple[int, ...]:
    """The order that one seat draws for four cards."""
    table = Binding("lock", 0, bytes(32), bytes(32), 0, tuple(range(seats)), (), group())
    deck = Lock(on=table.group).new_deck(table, 0, 4, None)
    return tuple(deck.cascade_order(tape, honest, deck.fragments(Tape(bytes(32)), 0)).vartime_list())


def _lock_attack(game: Game, tapes: Mapping[int, Tape]) -> Mapping[Card, int]:
    """Open every hidden card with all secrets that are published or on a tape, as if the missing ones were one."""
    deck = game.state.hand.decks[0]
    assert isinstance(deck, LockDeck) and deck.faces is not None
    read = dict[Card, int]()
    for position in deck.places.only_hidden(deck.places.held):
        secrets = {seat: deck.binding.group.integers([1]) for seat in deck.masked_by(position)}
        secrets |= deck.released.get(position, {})
        secrets |= {seat: deck.card_secrets(tape, (position,), seat) for seat, tape in tapes.items()}
        (face,) = deck.faces_at((position,), secrets)
        if face is not None:
            read[deck.places.card(position)] = face
    if not tapes and faces_by_differences(deck.binding.group, game.log, deck.faces):
        read |= {deck.places.card(position): -1 for position in deck.places.held}
    return read


LOCK: Final = ProtocolCase(
    name="lock",
    make=lambda group: Lock(on=group),
    fresh_values=_lock_values,
    shuffle_alone=_lock_shuffle,
    attack=_lock_attack,
    rules=(TinyRules(), TinyRules(printed="AABBBC", together=True, prove=True, discard=True)),
    lasting=(*_BEGUN, (Open(0, 1),), (Close(0),)),
    resting=(Idle, Releasing, Picking, Proving),
)

# --- offset ---

#: Fields that are numbers, or that name things.
_OFFSET_NAMES: Final = ("type", "system", "playerId", "players", "player", "cards", "shuffleOrder", "step", "dealNo")


def _offset_values(group: Group, message: bytes) -> list[bytes]:
    """Every point and scalar of every message: key parts, pairs, commitments, responses, offsets and blindings."""
    values: list[bytes] = []
    for name, field in msgspec.json.decode(message).items():
        if name not in _OFFSET_NAMES and isinstance(field, str):
            text = base64.b64decode(field)[1 if name in ("proof", "scaledProof") else 0 :]
            values += [text[at : at + 32] for at in range(0, len(text), 32)]
    return values


def _offset_shuffle(seats: int, honest: int, tape: Tape) -> tuple[int, ...]:
    """The order that one seat draws. All others leave the deck as it is, so where it sits does not matter."""
    table = Binding("offset", 0, bytes(32), bytes(32), 0, tuple(range(seats)), (), group())
    G = table.group.integers([1, 2, 3, 4]) * table.group.G
    order, _, _ = Offset(on=table.group).new_deck(table, 0, 4, None).step_secrets(tape, honest, OffsetPairs(G, G))
    return tuple(order.vartime_list())


def _offset_attack(game: Game, tapes: Mapping[int, Tape]) -> Mapping[Card, int]:
    """Look every hidden deal up in the last deck and in those before, with all key parts and offsets that are published
    or on a tape, as if the missing parts were zero."""
    deck = game.state.hand.decks[0]
    assert isinstance(deck, OffsetDeck)
    read = dict[Card, int]()
    for position in deck.places.only_hidden(deck.places.held):
        parts = dict(deck.released.get(position, {}))
        parts |= {seat: deck.card_secrets(tape, (position,), seat) for seat, tape in tapes.items()}
        key = concat(*parts.values()).sum() if parts else game.config.protocol.group.integers([0])
        for step in deck.steps:
            key = key + deck.offsets[step.seat]
            face = step.deck.find(key)
            if face is not None:
                read[deck.places.card(position)] = face
    return read


OFFSET: Final = ProtocolCase(
    name="offset",
    make=lambda group: Offset(on=group),
    fresh_values=_offset_values,
    shuffle_alone=_offset_shuffle,
    attack=_offset_attack,
    rules=(TinyRules(), TinyRules(printed="AABBBC", together=True, discard=True)),
    roles={1: "dealer"},
)

# --- chain ---


def _chain_values(group: Group, message: bytes) -> list[bytes]:
    """Keys, new names, numbers, nonces and proofs. The names of a pass or a reveal are those of the deck before."""
    said = msgspec.json.decode(message)
    values: list[bytes] = []
    for name, field in said.items():
        if name in ("type", "faces") or (name == "names" and said["type"] != "shuffle"):
            continue
        text = base64.b64decode(field)[1 if name in ("proof", "knowledge") else 0 :]
        values += [text[at : at + 32] for at in range(0, len(text), 32)]
    return values


@cache
def _chain_deck(seats: int, honest: int) -> ChainDeck:
    """A deck of four on which all seats before the honest one have put a layer that changes nothing."""
    table = Binding("chain", 0, bytes(32), bytes(32), 0, tuple(range(seats)), (), group())
    deck = Chain(on=table.group).new_deck(table, 0, 4, None)
    assert deck.base is not None
    return replace(deck, layers=tuple(SeatLayer(seat, table.group.G, deck.base) for seat in range(honest)))


def _chain_shuffle(seats: int, honest: int, tape: Tape) -> tuple[int, ...]:
    return _chain_deck(seats, honest).layer_secrets(tape, honest).prior


def _chain_attack(game: Game, tapes: Mapping[int, Tape]) -> Mapping[Card, int]:
    """Take every key that is on a tape off the number that a holder was left with, and off the one in the last layer,
    as if the missing keys were one."""
    deck = game.state.hand.decks[0]
    assert isinstance(deck, ChainDeck) and deck.base is not None
    read = dict[Card, int]()
    for position in deck.places.only_hidden(deck.places.held):
        keys = {seat: deck.layer_secrets(tape, deck.order.index(seat)).key for seat, tape in tapes.items()}
        one = deck.binding.group.integers([1])
        held, last = deck.held[position], deck.layers[-1].cards.numbers[position]
        bare = [keys.get(deck.order[held.index], one).invert() * held.number]
        for key in keys.values():
            last = key.invert() * last
        cards = [deck.read(number) for number in (*bare, last, held.number)]
        read |= {deck.places.card(position): card[0] for card in cards if card is not None}
    if not tapes and faces_by_differences(deck.binding.group, game.log, deck.base.numbers):
        read |= {deck.places.card(position): -1 for position in deck.places.held}
    return read


CHAIN: Final = ProtocolCase(
    name="chain",
    make=lambda group: Chain(b'{"proven":false}', group),
    fresh_values=_chain_values,
    shuffle_alone=_chain_shuffle,
    attack=_chain_attack,
    rules=(TinyRules(), TinyRules(printed="AABBBC", together=True, discard=True)),
    roles={1: "dealer"},
    full_seats=(2, 6),
)
#: The same with every shuffle proven, and without books at the end.
CHAIN_PROVEN: Final = replace(CHAIN, name="chain proven", make=lambda group: Chain(on=group), rules=(TinyRules(),))

#: The protocols of the package. The clear one is the test of the suite and is not among them.
CASES: Final[tuple[ProtocolCase, ...]] = (MASK, LOCK, OFFSET, CHAIN)

ALL: Final = (CLEAR, *CASES, CHAIN_PROVEN)

#: Those whose decks go on when seats leave.
LASTING: Final = tuple(case for case in CASES if case.lasting)
