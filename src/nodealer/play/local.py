"""A table in one process: an order for the entries and seats that take them, and nothing else.

It stands in for a relay where there is no network: in the library's example, in benchmarks, simulations and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Raw

from nodealer.errors import NodealerError
from nodealer.games.base import Rules
from nodealer.keys import Identity
from nodealer.log.journal import MemoryJournal
from nodealer.log.roster import PLAYER, Roster, member_of
from nodealer.log.session import NONCE_BYTES, Part, Proposal, Session, nonce_commitment, open_session
from nodealer.play.seat import Seat
from nodealer.play.state import Config
from nodealer.proofs.checks import Entropy
from nodealer.protocols.base import CardProtocol
from nodealer.tape import ROOT_BYTES


class LocalTable:
    """Seats around one log. `run` carries entries until nobody owes anything that needs no person."""

    def __init__(self, seats: Mapping[int, Seat]) -> None:
        self.seats = dict(seats)
        self.log: list[bytes] = []

    def order(self, data: bytes) -> None:
        """Put an entry into the log and bring it to everybody. One that is refused is refused by all and forgotten."""
        refused: list[NodealerError] = []
        for seat in self.seats.values():
            try:
                seat.receive(data)
            except NodealerError as error:
                refused.append(error)
        if refused:
            raise refused[0]
        self.log.append(data)

    def run(self, decide: Callable[[Seat], bool] | None = None) -> None:
        """Let every seat do what it owes. `decide` makes a person's move for a seat, and says whether it made one."""
        while self.step() or (decide is not None and any(decide(seat) for seat in self.seats.values())):
            pass

    def step(self) -> bool:
        """Let every seat do once what it owes now. Says whether anybody did anything."""
        sent = [data for seat in self.seats.values() for data in seat.due()]
        for data in sent:
            self.order(data)
        return bool(sent)


def seat_players(
    names: Sequence[str],
    protocol: CardProtocol,
    rules: Rules,
    entropy: Entropy,
    *,
    roles: Mapping[int, str] | None = None,
) -> LocalTable:
    """A table of fresh players, with roots, keys and session nonces drawn from `entropy`."""
    keys = [Identity(entropy(32)) for _ in names]
    given = roles or {}
    players = tuple(
        member_of(key, seat, name, given.get(seat, PLAYER))
        for seat, (name, key) in enumerate(zip(names, keys, strict=True))
    )
    claims = protocol.claims
    session = agree_session(
        Proposal(
            Part(rules.name, rules.version, Raw(rules.parameters)),
            Part(claims.name, claims.version, Raw(protocol.parameters)),
            rules.versions,
            Roster(players),
        ),
        entropy,
    )
    config = Config(session, protocol, rules)
    return LocalTable(
        {
            seat: Seat(config, seat, root=entropy(ROOT_BYTES), key=key, journal=MemoryJournal(), entropy=entropy)
            for seat, key in enumerate(keys)
        }
    )


def agree_session(proposal: Proposal, entropy: Entropy) -> Session:
    """Commit, then open, for all seats at once."""
    nonces = {seat: entropy(NONCE_BYTES) for seat in proposal.roster.seats}
    commitments = {seat: nonce_commitment(proposal, seat, nonce) for seat, nonce in nonces.items()}
    return open_session(proposal, commitments, nonces)
