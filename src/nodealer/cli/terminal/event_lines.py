"""Events as lines of markup for a terminal. Nothing here remembers anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup, to_markup
from nodealer.client import events
from nodealer.client.event_text import event_text
from nodealer.client.events import TableEvent
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.wordlist import key_words

#: The lines for events without details.
_REMARKS: Final[dict[type, tuple[str, ...]]] = {
    events.TimekeeperAwaited: (phrases.TIMEKEEPER_AWAITED,),
    events.NoOneSeated: (phrases.NO_ONE_SEATED,),
    events.SeatRequested: (phrases.SEAT_REQUESTED,),
    events.LeftOut: (phrases.LEFT_OUT,),
    events.GotSeat: (phrases.YOU_HAVE_A_SEAT,),
    events.SeatLost: (phrases.REMOVED,),
    events.SittingOut: (phrases.YOU_SIT_OUT,),
    events.Unreadable: phrases.CARD_UNREADABLE,
    events.Unprovable: phrases.UNPROVABLE,
}


def event_lines(event: TableEvent, you: str | None = None) -> list[str]:
    """Return the lines for an event; none for an event that would only be noise. `you` is the person's name."""
    if isinstance(event, events.RosterProposed):
        return list(_proposal_lines(event, you))
    for lines_of in (_log_lines, _lobby_lines, _seat_lines, _client_lines):
        if lines := list(lines_of(event)):
            return lines
    return list(_REMARKS.get(type(event), ()))


# --- The log ---


def _log_lines(event: TableEvent) -> Iterator[str]:
    """Yield the lines for an event of the log."""
    match event:
        case events.VoteDecided():
            yield _vote(event)
        case events.Result():
            yield from _result(event)
        case events.Fault(name):
            yield phrases.fault(escape_markup(name or ""), escape_markup(event.finding))
        case events.Diverged(name):
            yield phrases.diverged(escape_markup(name), event.theirs.hex()[:16], event.ours.hex()[:16])
        case events.Silenced(reason):
            yield f"[red]{escape_markup(reason)}[/red]"
        case events.Began(hand):
            yield phrases.hand_heading(hand + 1)
        case _ if str(event_text(event)):
            yield from _text_lines(event)


def _text_lines(event: TableEvent) -> Iterator[str]:
    """Yield the lines for an event of the log that has a text."""
    text = event_text(event)
    match event:
        case events.CardOperation():
            yield f"  [dim]{escape_markup(text)}[/dim]"
        case events.Word(name):
            # Without rows of blanks, which would move the rest to the beginning of the terminal's next line.
            yield phrases.spoken(escape_markup(name), escape_markup(" ".join(event.text.split())))
        case events.TableChanged() | events.Rolled():
            yield f"    {to_markup(text)}"
        case events.CardsOpened(name):
            shown = to_markup(text)
            yield phrases.board(shown) if name is None else phrases.shows(escape_markup(name), shown)
        case events.EndSigned(leaves=False):
            return
        case (
            events.Moved(name)
            | events.Peeked(name)
            | events.Unsealed(name)
            | events.SeatsProposed(name)
            | events.WouldNotWait(name)
            | events.WouldBreakOff(name)
            | events.LeaveSigned(name)
            | events.CardDisputed(name)
            | events.HandDisclosed(name)
            | events.RosterAgreed(name)
            | events.EndSigned(name)
        ):
            yield f"  {escape_markup(name)} {to_markup(text)}"


def _vote(event: events.VoteDecided) -> str:
    """Describe what the table decided by vote instead of waiting."""
    if event.name is None:
        return phrases.HAND_ABORTED
    if event.did == "gone":
        return phrases.dropped_from_hand(escape_markup(event.name))
    move = to_markup(event.move) if str(event.move) else phrases.DEFAULT_MOVE
    return phrases.moved_automatically(escape_markup(event.name), move)


def _result(event: events.Result) -> Iterator[str]:
    """Yield the lines about the result of a hand."""
    if event.void is not None:
        yield phrases.no_result(escape_markup(event.reason))
        return
    parting = to_markup(event.parting)
    yield from (f"  {to_markup(line)}" for line in event.outcome)
    yield phrases.result(escape_markup(event.result.get("ended", "")), to_markup(event.line))
    if parting:
        yield f"  [bold]{parting}[/bold]"


# --- The lobby ---


def _lobby_lines(event: TableEvent) -> Iterator[str]:
    """Yield the lines for an event of the lobby or of a pairing code."""
    match event:
        case events.Came(name):
            wants = phrases.wants_to_keep_time if event.keeps_time else phrases.wants_to_sit
            yield wants(escape_markup(name))
        case events.CheckedContact(text=text):
            yield f"  [{'bold red' if event.needs_warning else 'dim'}]{escape_markup(text)}[/]"
        case events.ProposalReceived(proposal):
            players = escape_markup(", ".join(member.name for member in proposal.roster.members))
            yield phrases.proposal(escape_markup(event.game), escape_markup(event.protocol), proposal.hands, players)
        case events.Declined(name, reason):
            yield phrases.has_declined(escape_markup(name), escape_markup(reason))
        case events.Agreed(words=words):
            yield phrases.table_words(" ".join(words))
            yield phrases.COMPARE_WORDS
        case events.PlayersHere(names, first):
            yield phrases.at_the_table(escape_markup(", ".join(names)), first=first)
        case events.MaySit(name, keeps_time, taken, seats):
            name = escape_markup(name)
            yield phrases.may_keep_time(name) if keeps_time else phrases.may_sit(name, taken, seats)
        case events.NotSitting(name, found):
            yield phrases.not_seated(escape_markup(name)) if found else phrases.no_such_guest(escape_markup(name))
        case events.CannotBegin(reason):
            yield phrases.cannot_begin(escape_markup(reason))
        case events.CodeGiven(code, relay):
            yield phrases.pairing_code(code)
            yield phrases.how_to_use_code(escape_markup(code), escape_markup(relay))
        case events.CodeUsed(name):
            yield phrases.code_used(escape_markup(name))
        case events.CodeDied(reason, given, more):
            reason = escape_markup(reason)
            yield phrases.code_expired(reason, escape_markup(more)) if given else phrases.no_code(reason)


# --- Seats ---


def _seat_lines(event: TableEvent) -> Iterator[str]:
    """Yield the lines for an event about who has a seat."""
    match event:
        case events.AsksToSit(name):
            yield phrases.would_like_to_join(escape_markup(name))
            yield phrases.check_key_words(" ".join(key_words(event.key)))
        case events.PlayerAway(name, left):
            yield phrases.can_remove(escape_markup(name), left=left)
            yield f"  [dim]{phrases.NEW_KEY_AFTER_LEAVING}[/dim]"
        case events.SeatAsked(names, key):
            yield phrases.asked_for_seat(escape_markup(", ".join(names)))
            yield phrases.own_key_words(" ".join(key_words(key)))
        case events.NewLinks(link=link, watch=watch):
            yield phrases.NEW_SPECTATOR_LINK
            yield f"\n{escape_markup(watch)}\n"
            yield phrases.NEW_PLAYER_LINK
            yield f"\n{escape_markup(link)}\n"


def _proposal_lines(event: events.RosterProposed, you: str | None) -> Iterator[str]:
    """Yield the lines for a proposed roster: its players, and those who would lose their seat."""
    players = ", ".join(event.names)
    if event.removed:
        players += phrases.roster_without(
            ", ".join(phrases.YOU if event.yourself and name == you else name for name in event.removed)
        )
    if event.changes_timekeeper:
        keeper = event.timekeeper
        players += phrases.ROSTER_NO_TIMEKEEPER if keeper is None else phrases.roster_timekeeper(keeper)
    yield phrases.proposes_roster(escape_markup(event.by), escape_markup(players))
    if event.new_key:
        yield f"  [dim]{phrases.NEW_KEY_AFTER_LEAVING}[/dim]"
    if event.unreadable is not None:
        yield phrases.key_unreadable(escape_markup(event.unreadable))


# --- The client itself ---


def _client_lines(event: TableEvent) -> Iterator[str]:
    """Yield the lines for an event of the client itself: the connection, waits, disputes, bots and the end."""
    match event:
        case events.ConnectionChanged():
            yield _connection(event)
        case events.FramesMissing(frames, seconds):
            yield phrases.missing_messages(frames, round(seconds))
        case events.ClockDrift(seconds):
            yield phrases.clock_drift(round(seconds))
        case events.WaitingFor(name, since=since):
            yield phrases.waiting_for(escape_markup(name), since)
        case events.TooFewPlayers(gone):
            yield phrases.too_few_players([escape_markup(name) for name in gone])
        case events.OwnTime(limit, bank):
            yield phrases.time_left(round(limit), round(bank)) if limit else phrases.bank_left(round(bank))
        case events.DisclosureAsked(hand, reason):
            yield phrases.hand_disputed(hand, escape_markup(reason))
            yield phrases.DISCLOSE
        case events.Chatted(name, text):
            yield phrases.chatted(escape_markup(name), escape_markup(" ".join(text.split())))
        case events.CommandRefused(what, reason):
            yield phrases.refused(escape_markup(what), escape_markup(reason))
        case events.LogCopyStopped(path, reason, log):
            yield phrases.log_copy_stopped(escape_markup(path), escape_markup(reason), escape_markup(log))
        case events.BotDropped(name, reason=reason):
            yield phrases.dropped_out(escape_markup(name), escape_markup(reason))
        case events.CheatAnnounced(name):
            yield phrases.cheats(escape_markup(name), escape_markup(event.does))
            yield phrases.cheat_claim(escape_markup(event.sentence))
        case events.GameSummary(seconds, entries, size, proofs, crypto_size):
            yield phrases.summary(entries, size / 1000, crypto_size / 1000, proofs, seconds)


def _connection(event: events.ConnectionChanged) -> str:
    """Describe a change of the connection."""
    relay, reason = escape_markup(event.relay or phrases.RELAY_HERE), escape_markup(event.reason)
    match event.what:
        case "found":
            return phrases.reconnected(relay)
        case "lost":
            return phrases.connection_lost(reason)
        case "unheard":
            return phrases.messages_rejected(reason, retrying=event.retrying)
        case "behind":
            return phrases.newer_key(relay)
        case "locked":
            return phrases.LOCKED_OUT


def describe_progress(replica: Replica | None) -> str:
    """Describe how far a game has come, such as the current hand. None before the players have agreed."""
    if replica is None:
        return phrases.BEFORE_THE_GAME
    number, hands = replica.state.hand.number, replica.config.session.proposal.hands
    if replica.state.phase is Phase.PLAYING:
        return phrases.in_hand(number + 1)
    over = replica.state.no_more_hands or 0 < hands <= number
    return phrases.AFTER_THE_LAST_HAND if over else phrases.before_hand(number + 1)
