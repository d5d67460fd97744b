"""From a session to what runs it: the protocol and the rules that its players agreed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Raw

from nodealer.errors import BadParameter
from nodealer.games.base import Rules
from nodealer.group import Group
from nodealer.log.roster import Member, Roster
from nodealer.log.session import Part, Proposal, Session
from nodealer.play.state import Config, refuse_unfit
from nodealer.protocols import make_protocol
from nodealer.protocols.base import CardProtocol


def _holdem(parameters: bytes) -> Rules:
    # Here and not above: pokerkit takes a third of a second to import, and most commands play no hold'em.
    from nodealer.games.holdem.rules import Holdem

    return Holdem.from_parameters(parameters)


def _free(parameters: bytes) -> Rules:
    from nodealer.games.free import Free

    return Free.from_parameters(parameters)


def _wardens(parameters: bytes) -> Rules:
    from nodealer.games.wardens.rules import WardensRules

    return WardensRules.from_parameters(parameters)


#: The games that can be played, by name: each makes its rules from the parameters that a session agreed on.
GAMES: Final[dict[str, Callable[[bytes], Rules]]] = {"free": _free, "holdem": _holdem, "wardens": _wardens}


def refuse_without_asserts() -> None:
    """Raise `BadParameter` where Python removes asserts: libraries that judge a move say by them that it is illegal."""
    if not __debug__:
        raise BadParameter("Python runs with -O or PYTHONOPTIMIZE, which removes checks of the rules: run it without")


def parts_of(proposal: Proposal, on: Group | None = None) -> tuple[CardProtocol, Rules]:
    """What runs a proposal. Raises `BadParameter` for a game, protocol or version that is not here."""
    refuse_without_asserts()
    if proposal.game.name not in GAMES:
        raise BadParameter(f"there is no game {proposal.game.name!r} here")
    rules = GAMES[proposal.game.name](bytes(proposal.game.parameters))
    if proposal.versions != rules.versions:
        raise BadParameter(f"the session is for {_listed(proposal.versions)}; here is {_listed(rules.versions)}")
    return make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters), on), rules


def config_of(session: Session, on: Group | None = None) -> Config:
    """Everything a replica needs. Raises what `parts_of` raises."""
    return Config(session, *parts_of(session.proposal, on))


def proposal_of(
    rules: Rules, protocol: CardProtocol, members: Iterable[Member], *, rehearsal: bool = False
) -> Proposal:
    """What these people are asked to agree to. Raises `BadParameter` where the protocol cannot serve them."""
    claims = protocol.claims
    proposal = Proposal(
        Part(rules.name, rules.version, Raw(rules.parameters)),
        Part(claims.name, claims.version, Raw(protocol.parameters)),
        rules.versions,
        Roster(tuple(members)),
        rehearsal,
    )
    refuse_unfit(proposal, protocol, rules)
    return proposal


def _listed(versions: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions) or "nothing that has a version"
