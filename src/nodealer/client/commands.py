"""The wishes of a person or a program: commands for the participant, for the lobby, and chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    ComeBack,
    DiscloseHand,
    DisputeCard,
    LeaveHand,
    LeaveTable,
    RemovePlayer,
    SitOut,
    VoteAbort,
    VoteSkip,
)
from nodealer.engine.commands import Command as TableCommand


@dataclass(frozen=True)
class StartGame:
    """Propose the game to the players who are seated, without waiting for more, as the host."""


@dataclass(frozen=True)
class IssueCode:
    """Issue a pairing code for one more guest, as the host."""


@dataclass(frozen=True)
class TurnAway:
    """Go on without the guests with this name, as the host."""

    name: str


@dataclass(frozen=True)
class SendChat:
    """Send a chat message, which is not part of the log."""

    text: str


LobbyCommand = StartGame | IssueCode | TurnAway
Command = TableCommand | LobbyCommand | SendChat

#: The word with which a person gives each command, for messages that refuse one.
WORDS: Final[Mapping[type[Command], str]] = {
    LeaveTable: "leave",
    LeaveHand: "leave",
    SitOut: "sit out",
    ComeBack: "back",
    VoteSkip: "without",
    VoteAbort: "break",
    AdmitPlayer: "seat",
    RemovePlayer: "remove",
    AgreeToRoster: "agree",
    DisputeCard: "claim",
    DiscloseHand: "book",
    StartGame: "start",
    IssueCode: "code",
    TurnAway: "without",
    SendChat: "chat",
}
