"""Who reads the book of one hand, which all open, tries its seed on the next one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from nodealer.cards import Card
from nodealer.errors import NodealerError
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Book, read_body
from nodealer.protocols.base import Cheat
from nodealer.tape import Tape
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, with_chips
from nodealer_lab.attacks.stage import Stage, to_move

VICTIM: Final = 1


def _plays(scene: Scene) -> Came:
    """Without proofs every hand ends with open books."""
    stage = Stage(with_chips(scene), hands=2)
    stage.until(lambda state: state.hand.number == 1 and to_move(0)(state))
    entries = (read_entry(data).entry for data in stage[0].replica.entries)
    books = [read_body(bytes(entry.body)) for entry in entries if entry.seat == VICTIM]
    seeds = [book.seed for book in books if isinstance(book, Book)]
    holds = stage[VICTIM].seat.cards()
    read: Mapping[Card, int] = {}
    with suppress(NodealerError):
        decks = stage.state().hand.decks
        # Where everybody has a deck, it is that of its number.
        read = decks.get(VICTIM, decks[0]).knows(VICTIM, Tape(seeds[0]))
    return stage.came("reads Ben's card of the next hand" if holds and read == holds else None)


CLAIM: Final = Cheat("the book of one hand, tried on another", "never", False)
OPENED_BOOK: Final = Attack(
    name="opened-book",
    does="tries the book of one hand on the next",
    of=("A30",),
    who="a reader of the log",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.tape:hand_tape", "session, seat, hand, size", "session, seat, 0, size"),),
        ),
        CLAIM,
    ),
    tried_on=("chain", "duel"),
    in_mode={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)
