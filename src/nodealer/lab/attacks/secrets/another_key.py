"""A seat publishes the key of another card in place of the one that was asked for: its holder cannot read it."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer.lab.attacks.base import Attack, Moment
from nodealer.lab.attacks.cards.false_key import released
from nodealer.protocols.codec import read_message
from nodealer.protocols.keyed import Release
from nodealer.wire import encode


def _release(moment: Moment) -> bytes:
    """The keys of two cards, exchanged: each of them is a true key of this deck."""
    keys = moment.deck.binding.group.scalars(read_message(Release, moment.honest).keys)
    if len(keys) < 2:
        return moment.honest
    return encode(Release(concat(keys[1], keys[0], *(() if len(keys) == 2 else (keys[2:],))).to_bytes()))


ANOTHER_KEY: Final = Attack(
    name="another-key",
    does="publishes the keys of two cards in each other's place",
    of=("A35",),
    ways=released(_release),
)
