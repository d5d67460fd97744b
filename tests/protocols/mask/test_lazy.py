"""A table where every seat cheats: nobody verifies, and a false deck is played to the end. An auditor still sees it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest

from conformance.harness import Game
from nodealer.cards.events import Event, Opened
from nodealer.cards.operations import NewDeck, Open
from nodealer.engine.bodies import Cards
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.errors import BadParameter, EntryRefused
from nodealer.group import Group
from nodealer.log.entry import read_entry
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck

from ..script import Script, ScriptRules
from . import cheats


class DistinctRules(ScriptRules):
    """Rules that cannot cope with one face twice, as those of real games."""

    def begin(self, hand: int, seats: tuple[int, ...], before: object, chips: object) -> Script:
        return Distinct(self, hand, seats)


@dataclass(frozen=True)
class Distinct(Script):
    kind: type[Exception] = BadParameter

    def told(self, events: tuple[Event, ...]) -> Script:
        faces = [event.face for event in events if isinstance(event, Opened)]
        if len(set(faces)) != len(faces):
            raise self.kind("a card stands twice on the table")
        return super().told(events)


def false_log(group: Group, rules: ScriptRules) -> tuple[Game, list[bytes]]:
    """The log of seats that all go on with a deck in which seat 0 doubled a card."""
    game = Game(Mask(on=group), rules, seats=2, seed="all cheat")
    replica = Replica(game.config, entropy=game.source, eager=False)
    log = game.due()
    for data in log:
        replica.append(data)
    while not replica.state.faults:
        duties = [known.duty for known in replica.state.duties.open.values()]
        if not duties or duties[0].deck is None:
            break
        deck, duty = replica.state.hand.decks[0], duties[0]
        assert isinstance(deck, MaskDeck)
        message = deck.message(duty, game.tape(duty.seat))
        if (duty.kind, duty.seat) == ("shuffle", 0):
            message = cheats.false_shuffle(cheats.doubled(1))(deck, duty, game.tape(0), message)
        data = game.by_hand(duty.seat, Cards(duty.id, msgspec.Raw(message)), replica)
        log.append(data)
        taken(replica, data)
    return game, log


@pytest.mark.parametrize("distinct", [False, True])
def test_auditor_names_the_first_false_entry(fast: Group, distinct: bool) -> None:
    script = ((NewDeck(0, 3),), (Open(0, 3),))
    game, log = false_log(fast, DistinctRules(script) if distinct else ScriptRules(script))
    eager, lazy = (Replica(game.config, entropy=game.source, eager=eager) for eager in (True, False))
    outcomes = [(taken(eager, data), taken(lazy, data)) for data in log]
    lazy.settle()
    assert eager.digest() == lazy.digest()
    for replica in (eager, lazy):
        (fault,) = replica.state.faults
        assert (fault.seat, fault.entry) == (0, 2) and replica.state.expelled == {0}
        # With one of two gone there are no cards any more, and what both built on the false deck is no part of the log.
        assert replica.state.phase is Phase.BETWEEN and replica.height == 3
    assert outcomes[2][0] is Outcome.FAULT and outcomes[-1] == (None, outcomes[-1][1])
    assert read_entry(log[-1]).entry.seat in (0, 1)


def taken(replica: Replica, data: bytes) -> Outcome | None:
    try:
        return replica.append(data).outcome
    except EntryRefused:
        return None
