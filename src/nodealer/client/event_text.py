"""The text of events in one language, as `--json` lines have it and as lines of a log show it after a player's name."""

from __future__ import annotations

from nodealer.client.events import (
    CardDisputed,
    CardOperation,
    CardsOpened,
    EndSigned,
    HandDisclosed,
    LeaveSigned,
    Moved,
    Peeked,
    Result,
    Rolled,
    RosterAgreed,
    SeatsProposed,
    TableChanged,
    TableEvent,
    Unsealed,
    Word,
    WouldBreakOff,
    WouldNotWait,
)
from nodealer.games.text import Text


def event_text(event: TableEvent) -> Text:
    """Return the text of an event of the log; empty if it has none. The game's texts have their marks."""
    match event:
        case CardOperation() | CardsOpened() | Peeked() | TableChanged() | Word():
            return event.text
        case Moved() | Rolled() | Unsealed() | Result():
            return event.line
        case WouldNotWait(of=of):
            return f"votes to skip {', '.join(of)}"
        case WouldBreakOff():
            return "votes to abort the hand"
        case LeaveSigned(in_hand=in_hand):
            return "leaves the hand" if in_hand else "sits out"
        case CardDisputed():
            return "disputes a card that does not open"
        case HandDisclosed():
            return "discloses this hand"
        case SeatsProposed():
            return "proposes a change of players"
        case RosterAgreed():
            return "agrees to the change of players"
        case EndSigned(leaves=leaves):
            return "leaves the table" if leaves else "signs the end"
        case _:
            return ""
