"""From a proposal or session to the code that runs it: the protocol and the rules that its players agreed on."""

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

#: What runs a table: the protocol, the rules, and the game package, which is None for rules without a package.
Parts = tuple[CardProtocol, Rules, GamePackage | None]


def refuse_without_asserts() -> None:
    """Raise `BadParameter` if Python removes asserts: libraries that judge moves use them to reject illegal ones."""
    if not __debug__:
        raise BadParameter(
            "Python runs with -O or PYTHONOPTIMIZE, which removes checks of the rules: run it without them"
        )


def resolve_parts(proposal: Proposal, on: Group | None = None, game: GamePackage | None = None) -> Parts:
    """Return the protocol, rules and game package for a proposal.

    The game is the installed one that the proposal names, or `game` if given, which must match the proposal. Raise
    `BadParameter` if a game, protocol or version is not available.
    """
    refuse_without_asserts()
    package = _find_package(proposal.game, game)
    rules = package.rules(bytes(proposal.game.parameters))
    if proposal.versions != rules.versions:
        raise BadParameter(
            f"the session needs {_list_versions(proposal.versions)}; here is {_list_versions(rules.versions)}"
        )
    return make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters), on), rules, package


def resolve_config(session: Session, on: Group | None = None, game: GamePackage | None = None) -> Config:
    """Return the configuration of a session's replica. Raise the same errors as `resolve_parts`."""
    return Config(session, *resolve_parts(session.proposal, on, game))


def _find_package(wanted: Part, given: GamePackage | None) -> GamePackage:
    """Return the game package that a proposal names, or raise `BadParameter` if it is not available."""
    named = f"{wanted.name!r} version {wanted.version}"
    if given is None and not is_installed(wanted.name):
        where = "install it, or name it with --game module:attribute"
        raise BadParameter(f"the game is {named}, which is not installed here: {where}")
    package = find_game(wanted.name) if given is None else given
    if (package.name, package.version) != (wanted.name, wanted.version):
        raise BadParameter(f"the game is {named}, but here is {package.name!r} version {package.version}")
    return package


def create_proposal(
    rules: Rules,
    protocol: CardProtocol,
    members: Iterable[Member],
    *,
    hands: int = 0,
    rehearsal: bool = False,
    clock: Limits | None = None,
) -> Proposal:
    """Return the proposal for these members. Raise `BadParameter` if the protocol or the game cannot serve them."""
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


def _list_versions(versions: tuple[tuple[str, str], ...]) -> str:
    """Format pairs of names and versions as one line."""
    return ", ".join(f"{name} {version}" for name, version in versions) or "no versioned parts"
