"""Rehearsals: all seats in one process, everything from one number, the same log every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nodealer.cli.entropy import rehearsal_entropy
from nodealer.cli.player import wants_another
from nodealer.cli.screen import Screen
from nodealer.games.package import GamePackage
from nodealer.keys import Identity
from nodealer.log.journal import MemoryJournal
from nodealer.log.roster import member_of
from nodealer.log.session import Proposal
from nodealer.play.config import config_of
from nodealer.play.local import LocalTable, agree_session
from nodealer.play.phases import Phase
from nodealer.play.replica import Replica
from nodealer.play.seat import Seat
from nodealer.play.view import peek_of, view_of
from nodealer.tape import ROOT_BYTES
from nodealer.wire import encode


def rehearse(
    game: GamePackage,
    proposal: Callable[..., Proposal],
    names: Sequence[str],
    hands: int,
    seed: int,
    screen: Screen,
) -> Replica:
    """Play a whole game from a seed. The session says that its seeds are public."""
    keys = [Identity(rehearsal_entropy(seed, f"key of {name}")(32)) for name in names]
    players = [member_of(key, seat, name) for seat, (name, key) in enumerate(zip(names, keys, strict=True))]
    session = agree_session(proposal(players, rehearsal=True), rehearsal_entropy(seed, "session"))
    config = config_of(session, game=game)
    seats = {
        seat: Seat(
            config,
            seat,
            root=rehearsal_entropy(seed, f"root of {name}")(ROOT_BYTES),
            key=key,
            journal=MemoryJournal(),
            entropy=rehearsal_entropy(seed, f"weights of {name}"),
        )
        for seat, (name, key) in enumerate(zip(names, keys, strict=True))
    }
    table = LocalTable(seats)
    bots = {seat: game.new_bot(rehearsal_entropy(seed, f"mind of {name}")) for seat, name in enumerate(names)}
    watcher = Replica(config, entropy=rehearsal_entropy(seed, "weights of the watcher"), eager=False)
    screen.open(watcher)

    def decide(seat: Seat) -> bool:
        for duty in seat.to_choose:
            seat.choose(duty, encode(bots[seat.number].choose(view_of(seat), peek_of(seat, duty))))
            return True
        if not seat.must_move:
            return False
        table.order(seat.move(bots[seat.number].move(view_of(seat))))
        return True

    busy = True
    while busy:
        shown = len(table.log)
        if watcher.state.phase is Phase.BETWEEN:
            for seat in seats.values():
                seat.stays = wants_another(watcher.state, hands)
        busy = table.step() or any(decide(seat) for seat in seats.values())
        for entry in table.log[shown:]:
            screen.take(entry)
    watcher.settle()
    return watcher
