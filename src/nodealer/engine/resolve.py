"""From a session to what runs it: the protocol and the rules that its players agreed on."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Raw

from nodealer.engine.state import Config, refuse_unfit
from nodealer.errors import BadParameter
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game, is_installed
from nodealer.group import Group
from nodealer.log.roster import Member, Roster
from nodealer.log.session import Limits, Part, Proposal, Session
from nodealer.protocols import make_protocol
from nodealer.protocols.base import CardProtocol

#: What runs a table: the protocol, the rules, and where the rules are from; None where somebody brought rules alone.
Parts = tuple[CardProtocol, Rules, GamePackage | None]


def refuse_without_asserts() -> None:
    """Raise `BadParameter` where Python removes asserts: libraries that judge a move say by them that it is illegal."""
    if not __debug__:
        raise BadParameter("Python runs with -O or PYTHONOPTIMIZE, which removes checks of the rules: run it without")


def parts_of(proposal: Proposal, on: Group | None = None, game: GamePackage | None = None) -> Parts:
    """What runs a proposal. Raises `BadParameter` for a game, protocol or version that is not here.

    The game is the installed one that the proposal names, or `game`, if somebody has chosen it: then it has to be the
    one that the proposal names.
    """
    refuse_without_asserts()
    package = _package(proposal.game, game)
    rules = package.rules(bytes(proposal.game.parameters))
    if proposal.versions != rules.versions:
        raise BadParameter(f"the session is for {_listed(proposal.versions)}; here is {_listed(rules.versions)}")
    return make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters), on), rules, package


def config_of(session: Session, on: Group | None = None, game: GamePackage | None = None) -> Config:
    """Everything a replica needs. Raises what `parts_of` raises."""
    return Config(session, *parts_of(session.proposal, on, game))


def _package(wanted: Part, given: GamePackage | None) -> GamePackage:
    named = f"{wanted.name!r} version {wanted.version}"
    if given is None and not is_installed(wanted.name):
        where = "say where it is (--game), as module:attribute"
        raise BadParameter(f"its game is {named}, which is not installed here: {where}")
    package = find_game(wanted.name) if given is None else given
    if (package.name, package.version) != (wanted.name, wanted.version):
        raise BadParameter(f"its game is {named}, and here is {package.name!r} version {package.version}")
    return package


def proposal_of(
    rules: Rules,
    protocol: CardProtocol,
    members: Iterable[Member],
    *,
    hands: int = 0,
    rehearsal: bool = False,
    clock: Limits | None = None,
) -> Proposal:
    """What these people are asked to agree to. Raises `BadParameter` where the protocol cannot serve them."""
    claims = protocol.claims
    proposal = Proposal(
        Part(rules.name, rules.version, Raw(rules.parameters)),
        Part(claims.name, claims.version, Raw(protocol.parameters)),
        rules.versions,
        Roster(tuple(members)),
        hands,
        rehearsal,
        clock,
    )
    refuse_unfit(proposal, protocol, rules)
    return proposal


def _listed(versions: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions) or "nothing that has a version"
