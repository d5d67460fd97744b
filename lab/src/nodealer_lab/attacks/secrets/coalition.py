"""All seats but one put everything together that they have, to read the last one's card.

They have their own secrets and every number that anybody has said, and one key is missing. They try all that they have
in its place, and there is no number of seats that is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from nodealer.errors import NodealerError
from nodealer.group import Group, Scalars
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.phases import Phase
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.duel.deck import DuelDeck
from nodealer.tape import Tape
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played, watched

VICTIM: Final = 0


def _read(played: Played) -> str | None:
    """The later they try, the more they have: once for each card, when it is hidden for the last time."""
    last: dict[tuple[int, int, int], tuple[int, Any]] = {}
    for height, state in enumerate(played.states(), 1):
        decks: Iterable[Any] = state.hand.decks.values() if state.phase is Phase.PLAYING else ()
        for deck in decks:
            hidden = deck.places.hidden(deck.places.hand(VICTIM))
            last |= {(deck.binding.hand, deck.number, position): (height, deck) for position in hidden}
    for (hand, _, position), (height, deck) in last.items():
        tapes = {seat: played.tape(seat, hand) for seat in deck.binding.players if seat != VICTIM}
        face = deck.knows(VICTIM, played.tape(VICTIM, hand))[deck.places.card(position)]
        if face in _faces(deck, position, tapes, played.log[:height]):
            return f"reads {played.names[VICTIM]}'s card"
    return None


def _faces(deck: Any, position: int, tapes: Mapping[int, Tape], log: Sequence[bytes]) -> Iterator[int | None]:
    """What the card would be, by all that they have."""
    for tape in tapes.values():
        with suppress(NodealerError):
            yield deck.knows(VICTIM, tape)[deck.places.card(position)]
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
    (face,) = deck.unmask((position,), {**known, VICTIM: key})
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
_OWN_KEY: Final = Without("nodealer.protocols.keyed:Releasing.of", "if to != seat for p in ps", "for p in ps")
#: A tape that is not its seat's alone is everybody's.
_TAPE: Final = Without("nodealer.tape:hand_tape", "root, session, seat, hand, size", "session, hand, size")
CLAIM: Final = Cheat("all seats but one that put together what they have", "never", False)
COALITION: Final = Attack(
    name="coalition",
    does="puts together what all seats but one have",
    of=("A40",),
    who="a coalition",
    law=Scheme(Way(CLAIM.cheat, plays=watched(_read), defence=(_TAPE,)), CLAIM),
    stands_in=dict.fromkeys(("mask", "lock", "offset"), (_OWN_KEY,)),
)
