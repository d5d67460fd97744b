"""From a session to what runs it: the protocol and the rules that its players agreed on."""

from __future__ import annotations

from nodealer.errors import BadParameter
from nodealer.games import GAMES
from nodealer.group import Group
from nodealer.log.session import Session
from nodealer.play.state import Config
from nodealer.protocols import make_protocol


def refuse_without_asserts() -> None:
    """Raise `BadParameter` where Python removes asserts: libraries that judge a move say by them that it is illegal."""
    if not __debug__:
        raise BadParameter("Python runs with -O or PYTHONOPTIMIZE, which removes checks of the rules: run it without")


def config_of(session: Session, on: Group | None = None) -> Config:
    """Everything a replica needs. Raises `BadParameter` for a game, protocol or version that is not here."""
    refuse_without_asserts()
    proposal = session.proposal
    if proposal.game.name not in GAMES:
        raise BadParameter(f"there is no game {proposal.game.name!r} here")
    rules = GAMES[proposal.game.name](bytes(proposal.game.parameters))
    if proposal.versions != rules.versions:
        raise BadParameter(f"the session is for {_listed(proposal.versions)}; here is {_listed(rules.versions)}")
    protocol = make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters), on)
    return Config(session, protocol, rules)


def _listed(versions: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions) or "nothing that has a version"
