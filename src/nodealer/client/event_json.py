"""Events as `--json` lines. Their keys and values are public: programs read them."""

from __future__ import annotations

from typing import Any, Final

from nodealer.client import events
from nodealer.client.event_text import event_text
from nodealer.client.events import TableEvent
from nodealer.log.control_characters import escape_controls
from nodealer.log.session import Proposal

#: The tag of each event that has a line. Of three, the tag also depends on what they contain: see `event_tag`.
_TAGS: Final[dict[type, str]] = {
    events.CardOperation: "cards",
    events.Moved: "move",
    events.Ticked: "tick",
    events.ReadyForHand: "begin",
    events.Late: "dropped",
    events.Word: "word",
    events.WouldNotWait: "without",
    events.WouldBreakOff: "break",
    events.LeaveSigned: "leave",
    events.CardDisputed: "claim",
    events.HandDisclosed: "book",
    events.SeatsProposed: "roster",
    events.RosterAgreed: "roster",
    events.EndSigned: "end",
    events.CardsOpened: "shows",
    events.Peeked: "looked",
    events.TableChanged: "changed",
    events.Rolled: "rolled",
    events.Unsealed: "unsealed",
    events.VoteDecided: "statement",
    events.Fault: "fault",
    events.Result: "result",
    events.Diverged: "diverged",
    events.Came: "offer",
    events.CheckedContact: "player",
    events.PlayersHere: "lobby",
    events.SeatRequested: "lobby",
    events.ProposalReceived: "proposal",
    events.Declined: "declined",
    events.Agreed: "words",
    events.CodeGiven: "code",
    events.CodeUsed: "code-used",
    events.CodeDied: "code-dead",
    events.TableLinks: "table",
    events.SessionOpened: "session",
    events.NewLinks: "key",
    events.SeatAsked: "asks",
    events.GotSeat: "seated",
    events.SeatLost: "removed",
    events.ConnectionChanged: "connection",
    events.FramesMissing: "missing",
    events.ClockDrift: "drift",
    events.WaitingFor: "waiting",
    events.TooFewPlayers: "alone",
    events.BotDropped: "dropout",
    events.TableStuck: "stuck",
    events.CommandRefused: "refused",
    events.CheatAnnounced: "cheat",
    events.GameSummary: "done",
    events.LogVerified: "verified",
}


def event_tag(event: TableEvent) -> str | None:
    """Return the tag of an event's `--json` line, or None if it has none."""
    match event:
        case events.Moved(by_rules=True):
            return None
        case events.CardsOpened(seat=None):
            return "board"
        case events.Result(void=void) if void is not None:
            return "void"
    return _TAGS.get(type(event))


def event_json(event: TableEvent) -> dict[str, Any] | None:
    """Return the `--json` line of an event, or None if it has none."""
    tag = event_tag(event)
    if tag is None:
        return None
    return {"event": tag} | (_entry_json(event) or _outcome_json(event) or _lobby_json(event) or _client_json(event))


def _entry_json(event: TableEvent) -> dict[str, Any]:
    """Return the fields of an event that is the content of a log entry; empty for others."""
    match event:
        case events.CardOperation(name, seat, entry):
            about = {"step": event.step, "kind": event.kind, "bytes": event.size, "entry": entry}
            return {"seat": seat, "name": name, **about, "proofs": list(event.proofs), "text": event.text}
        case events.Moved(name, move, by_rules=False):
            text = {"text": str(event.line), "entry": event.entry}
            return {"seat": event.seat, "name": name, "move": move, **text}
        case events.Ticked(name, seat, entry, time):
            return {"seat": seat, "name": name, "time": time, "entry": entry}
        case events.ReadyForHand(name, seat, entry, hand):
            return {"hand": hand, "seat": seat, "name": name, "entry": entry}
        case events.Late(name):
            return {"seat": event.seat, "name": name, "entry": event.entry}
        case (
            events.Word(name)
            | events.WouldNotWait(name)
            | events.WouldBreakOff(name)
            | events.LeaveSigned(name)
            | events.CardDisputed(name)
            | events.HandDisclosed(name)
            | events.SeatsProposed(name)
            | events.RosterAgreed(name)
            | events.EndSigned(name)
        ):
            text = {"text": str(event_text(event)), "entry": event.entry}
            return {"seat": event.seat, "name": name, **text}
    return {}


def _outcome_json(event: TableEvent) -> dict[str, Any]:
    """Return the fields of an event that a log entry caused."""
    match event:
        case events.CardsOpened(name, seat, cards, text):
            who = {} if seat is None else {"seat": seat, "name": name}
            return {**who, "cards": list(cards), "text": str(text)}
        case events.Peeked(name, seat, text):
            return {"seat": seat, "name": name, "text": str(text)}
        case events.TableChanged(text):
            return {"text": str(text)}
        case events.Rolled(numbers):
            silent = list(event.silent_seats)
            return {"numbers": list(numbers), "silent": silent, "text": str(event.line)}
        case events.Unsealed(name):
            return {"seat": event.seat, "name": name, "text": str(event.line)}
        case events.VoteDecided(name, seat, did, by, move):
            return {"seat": seat, "name": name, "did": did, "by": list(by), "move": str(move)}
        case events.Fault(name):
            place = {"seat": event.seat, "name": name, "entry": event.entry}
            return {**place, "reason": event.finding}
        case events.Result(hand, void=void) if void is not None:
            return {"hand": hand + 1, "reason": event.reason}
        case events.Result(hand, result):
            outcome, parting = [str(line) for line in event.outcome], str(event.parting)
            texts = {"outcome": outcome, "text": str(event.line), "parting": parting}
            return {**result, "hand": hand + 1, **texts}
        case events.Diverged(name):
            heads = {"theirs": event.theirs.hex(), "ours": event.ours.hex()}
            return {"seat": event.seat, "name": name, **heads}
    return {}


def _lobby_json(event: TableEvent) -> dict[str, Any]:
    """Return the fields of an event of the lobby."""
    match event:
        case events.Came(name):
            return {"name": name, "key": event.key.hex()}
        case events.CheckedContact(name, key, status):
            return {"name": name, "key": key.hex(), "sight": status.value}
        case events.PlayersHere(names):
            return {"players": list(names)}
        case events.ProposalReceived(proposal, warning):
            parts = {"game": proposal.game.name, "protocol": proposal.protocol.name}
            players = {"players": [member.name for member in proposal.roster.members], "hands": proposal.hands}
            terms = {"told": [event.game, event.protocol], "warning": warning, "clock": _clock_json(proposal)}
            return {**parts, **players, **terms}
        case events.Declined(name, reason):
            return {"name": name or None, "reason": reason}
        case events.Agreed(words=words):
            return {"words": " ".join(words)}
        case events.CodeGiven(code, relay):
            return {"code": code, "relay": relay}
        case events.TableLinks(link, watch, relays):
            return {"link": link, "watch": watch, "relays": list(relays)}
    return {}


def _clock_json(proposal: Proposal) -> dict[str, str | int] | None:
    """Return the timekeeper's name and the time limits in milliseconds, or None without a clock."""
    keeper, limits = proposal.roster.timekeeper, proposal.clock
    if keeper is None or limits is None:
        return None
    return {"keeper": keeper.name, "move": limits.move, "bank": limits.bank}


def _client_json(event: TableEvent) -> dict[str, Any]:
    """Return the fields of an event of the client itself."""
    match event:
        case events.SessionOpened(session, names):
            return {"session": session.hex(), "players": list(names)}
        case events.NewLinks(epoch, link, watch):
            return {"epoch": epoch, "link": link, "watch": watch}
        case events.SeatAsked(names):
            return {"players": ", ".join(names)}
        case events.GotSeat(seat):
            return {"seat": seat}
        case events.ConnectionChanged(what, relay, reason):
            where = {"reason": reason} if relay is None else {"relay": relay}
            return {"what": what, **where}
        case events.FramesMissing(frames):
            return {"frames": frames}
        case events.ClockDrift(seconds):
            return {"seconds": round(seconds, 1)}
        case events.WaitingFor(name, seconds):
            return {"name": name, "seconds": round(seconds, 1)}
        case events.TooFewPlayers(gone):
            return {"gone": list(gone)}
        case events.BotDropped(name, code, reason):
            return {"name": name, "code": code, "reason": reason}
        case events.TableStuck(reason):
            return {"reason": reason}
        case events.CommandRefused(what, reason):
            return {"command": what.replace(" ", "_"), "reason": reason}
        case events.CheatAnnounced(name, seat, cheat):
            claim = {"claim": event.claim, "seen": event.seen, "culprit": event.culprit}
            return {"seat": seat, "name": name, "cheat": cheat, **claim}
        case events.GameSummary(seconds, entries, size, proofs, crypto_size):
            sizes = {"entries": entries, "bytes": size, "proofs": proofs, "crypto_bytes": crypto_size}
            return {"seconds": round(seconds, 3), **sizes}
        case events.LogVerified(path, report):
            where = {} if path is None else {"log": escape_controls(path)}
            return {**where, **report.as_json()}
    return {}
