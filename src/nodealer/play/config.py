"""From a session to what runs it: the protocol and the rules that its players agreed on."""

from __future__ import annotations

from nodealer.errors import BadParameter
from nodealer.games import GAMES
from nodealer.group import Group
from nodealer.log.session import Session
from nodealer.play.state import Config
from nodealer.protocols import make_protocol


def config_of(session: Session, on: Group | None = None) -> Config:
    """Everything a replica needs. Raises `BadParameter` for a game, protocol or version that is not here."""
    proposal = session.proposal
    if proposal.game.name not in GAMES:
        raise BadParameter(f"there is no game {proposal.game.name!r} here")
    for name, version in proposal.versions:
        if version != _known_version(name):
            raise BadParameter(f"the session is for {name} {version}; here is {_known_version(name) or 'none'}")
    rules = GAMES[proposal.game.name](bytes(proposal.game.parameters))
    protocol = make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters), on)
    return Config(session, protocol, rules)


def _known_version(name: str) -> str | None:
    """The version of something outside whose behaviour the players must share, as it is here."""
    if name != "pokerkit":
        return None
    # Late: it takes a third of a second to import, and only hold'em names it.
    from nodealer.games.holdem.adapter import POKERKIT_VERSION

    return POKERKIT_VERSION
