"""From a session to what runs it: the protocol and the rules that its players agreed on."""

from __future__ import annotations

from nodealer.errors import BadParameter
from nodealer.games.found import find, is_installed
from nodealer.games.package import GamePackage
from nodealer.group import Group
from nodealer.log.session import Part, Session
from nodealer.play.state import Config
from nodealer.protocols import make_protocol


def refuse_without_asserts() -> None:
    """Raise `BadParameter` where Python removes asserts: libraries that judge a move say by them that it is illegal."""
    if not __debug__:
        raise BadParameter("Python runs with -O or PYTHONOPTIMIZE, which removes checks of the rules: run it without")


def config_of(session: Session, on: Group | None = None, game: GamePackage | None = None) -> Config:
    """Everything a replica needs. Raises `BadParameter` for a game, protocol or version that is not here.

    The game is the installed one that the session names, or `game`, if somebody has chosen it: then it has to be the
    one that the session names.
    """
    refuse_without_asserts()
    proposal = session.proposal
    package = _package(proposal.game, game)
    rules = package.rules(bytes(proposal.game.parameters))
    if proposal.versions != rules.versions:
        raise BadParameter(f"the session is for {_listed(proposal.versions)}; here is {_listed(rules.versions)}")
    protocol = make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters), on)
    return Config(session, protocol, rules, package)


def _package(wanted: Part, given: GamePackage | None) -> GamePackage:
    named = f"{wanted.name!r} version {wanted.version}"
    if given is None and not is_installed(wanted.name):
        raise BadParameter(f"its game is {named}, which is not installed here")
    package = find(wanted.name) if given is None else given
    if (package.name, package.version) != (wanted.name, wanted.version):
        raise BadParameter(f"its game is {named}, and here is {package.name!r} version {package.version}")
    return package


def _listed(versions: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions) or "nothing that has a version"
