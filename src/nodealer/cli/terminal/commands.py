"""Commands for the table, as a person types them or a program sends them, with the names resolved."""

from __future__ import annotations

from typing import Final

from nodealer.cli import text as phrases
from nodealer.client.commands import Command, IssueCode, StartGame, TurnAway
from nodealer.client.status import TableStatus
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    ComeBack,
    DiscloseHand,
    DisputeCard,
    LeaveTable,
    RemovePlayer,
    SitOut,
    VoteAbort,
    VoteSkip,
)
from nodealer.errors import IllegalMove
from nodealer.log.names import casefold_name

#: The first words of commands for the table, and of a host's commands in the lobby.
VERBS: Final = ("without", "break", "leave", "sit", "back", "seat", "remove", "agree", "claim", "book")
LOBBY_VERBS: Final = ("start", "code", "without")

_WITHOUT_DETAILS: Final[dict[str, Command]] = {
    "leave": LeaveTable(),
    "break": VoteAbort(),
    "claim": DisputeCard(),
    "book": DiscloseHand(),
    "start": StartGame(),
    "code": IssueCode(),
}


def is_host(status: TableStatus) -> bool:
    """Return whether this is the host in the lobby, whose commands differ from those at the table."""
    return status.lobby is not None and status.lobby.seats > 0


def resolve_command(verb: str, rest: str, status: TableStatus, *, network: bool) -> Command:
    """Return the command that a verb and the text after it mean at this table.

    Raise `IllegalMove` if there is no such player, proposal or command.
    """
    match verb:
        case "without":
            return TurnAway(rest) if is_host(status) else VoteSkip(frozenset({_find_awaited(status, rest)}))
        case "sit":
            if rest.lower() != "out":
                raise IllegalMove(phrases.TYPE_SIT_OUT)
            return SitOut()
        case "back":
            if status.state is not None and status.seat in status.state.ended:
                raise IllegalMove(phrases.LEFT_FOR_GOOD)
            return ComeBack()
        case "seat":
            return AdmitPlayer(rest)
        case "remove":
            if not network:
                raise IllegalMove(phrases.REMOVE_ONLY_ON_NETWORK)
            if not rest:
                raise IllegalMove(phrases.TYPE_REMOVE)
            return RemovePlayer(rest)
        case "agree":
            return AgreeToRoster(_find_proposal(status, rest))
    if verb not in _WITHOUT_DETAILS:
        raise IllegalMove(phrases.UNKNOWN_COMMAND)
    return _WITHOUT_DETAILS[verb]


def _find_awaited(status: TableStatus, name: str) -> int:
    """Return the seat of an awaited player with this name. Raise `IllegalMove` if there is none."""
    for awaited in status.awaited.values():
        if awaited.seat is not None and casefold_name(awaited.name) == casefold_name(name):
            return awaited.seat
    raise IllegalMove(phrases.not_awaited(name) if name else phrases.TYPE_WITHOUT)


def _find_proposal(status: TableStatus, by: str) -> bytes:
    """Return the one proposal that the person means. Raise `IllegalMove` if there is not exactly one.

    Every proposal in a status was shown before: see `nodealer.client.changes`.
    """
    names = {} if status.state is None else {seat: one.name for seat, one in status.state.all_members.items()}
    whose = [
        offer.id for offer in status.rosters if not by or casefold_name(names[offer.proposed.by]) == casefold_name(by)
    ]
    if len(whose) > 1:
        raise IllegalMove(phrases.SEVERAL_PROPOSALS)
    if not whose:
        raise IllegalMove(phrases.NOTHING_TO_AGREE_TO)
    return whose[0]
