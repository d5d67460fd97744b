"""Events that a person reads as notices on the page. The page has the text for each code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from nodealer.client import events
from nodealer.client.events import TableEvent
from nodealer.log.control_characters import escape_controls
from nodealer.web import messages as doc

Kind = Literal["good", "note", "bad"]

#: The code of every notice, and how it is marked.
KINDS: Final[Mapping[str, Kind]] = {
    # The connection.
    "found": "good",
    "lost": "note",
    "unheard": "bad",
    "locked": "bad",
    "behind": "bad",
    "missing": "bad",
    "drift": "note",
    # The table.
    "asks": "note",
    "seated": "good",
    "key": "note",
    "removed": "bad",
    "declined": "note",
    "dropout": "bad",
    "stuck": "bad",
    "diverged": "bad",
    "silenced": "bad",
    "copy stopped": "note",
    # The lobby.
    "keeper awaited": "note",
    "nobody sits": "note",
    "left out": "note",
    "without": "note",
    "cannot begin": "bad",
    "code": "note",
    "code used": "good",
    "code dead": "bad",
    "no code": "bad",
}


def notice_of(event: TableEvent) -> doc.Notice | None:
    """Return the notice for an event, or None if the page shows it in another way or not at all."""
    return _connection_notice(event) or _table_notice(event) or _lobby_notice(event)


def _notice(code: str, about: str, /, **of: str | int) -> doc.Notice:
    """Return a notice. A later one about the same replaces it."""
    details = {key: escape_controls(value) if isinstance(value, str) else value for key, value in of.items()}
    return doc.Notice(KINDS[code], code, details, about)


def _connection_notice(event: TableEvent) -> doc.Notice | None:
    """Return the notice for an event of the connection."""
    match event:
        case events.ConnectionChanged(what="behind"):
            # It stays on screen: otherwise a relay could remove it by breaking the connection.
            return _notice("behind", "behind")
        case events.ConnectionChanged(what=what):
            return _notice(what, "connection")
        case events.FramesMissing(frames=frames):
            return _notice("missing", "missing", frames=frames)
        case events.ClockDrift(seconds=seconds):
            return _notice("drift", "drift", seconds=round(seconds))
    return None


def _table_notice(event: TableEvent) -> doc.Notice | None:
    """Return the notice for an event of the table."""
    match event:
        case events.SeatAsked(names=names):
            return _notice("asks", "seat", players=", ".join(names))
        case events.GotSeat(seat=seat):
            # A player who has a seat is no longer waiting for one.
            return _notice("seated", "seat", seat=seat)
        case events.NewLinks(link=link, watch=watch):
            return _notice("key", "key", link=link, watch=watch)
        case events.SeatLost():
            return _notice("removed", "removed")
        case events.Declined(name=name, reason=reason):
            return _notice("declined", f"declined {name}", name=name, reason=reason)
        case events.BotDropped(name=name, reason=reason):
            return _notice("dropout", f"dropout {name}", name=name, reason=reason)
        case events.TableStuck(reason=reason):
            return _notice("stuck", "stuck", reason=reason)
        case events.Diverged(name=name):
            heads = {"theirs": event.theirs.hex()[:16], "ours": event.ours.hex()[:16]}
            return _notice("diverged", "diverged", name=name, **heads)
        case events.LogCopyStopped(path=path, reason=reason, log=log):
            return _notice("copy stopped", f"copy {path}", path=path, reason=reason, log=log)
        case events.Silenced(reason=reason):
            return _notice("silenced", "silenced", reason=reason)
    return None


def _lobby_notice(event: TableEvent) -> doc.Notice | None:
    """Return the notice for an event of the lobby. People and seats have none: the page always shows them."""
    match event:
        case events.TimekeeperAwaited():
            return _notice("keeper awaited", "lobby")
        case events.NoOneSeated():
            return _notice("nobody sits", "lobby")
        case events.LeftOut():
            return _notice("left out", "lobby")
        case events.NotSitting(name=name, found=True):
            return _notice("without", f"lobby {name}", name=name)
        case events.CannotBegin(reason=reason):
            return _notice("cannot begin", "lobby", reason=reason)
        case events.CodeGiven(code=code, relay=relay):
            return _notice("code", "code", code=code, relay=relay)
        case events.CodeUsed(name=name):
            return _notice("code used", "code", name=name)
        case events.CodeDied(reason=reason, given=given, more=more):
            return _notice("code dead" if given else "no code", "code", reason=reason, more=more)
    return None
