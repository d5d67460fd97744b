"""What a person at a table is told beside the game: how much time it has, who asks for a seat, what is proposed."""

from __future__ import annotations

from nodealer.cli.output import shown
from nodealer.cli.screen import Screen
from nodealer.drive.stopwatch import Stopwatch
from nodealer.log.roster import Roster
from nodealer.play.participant import Participant
from nodealer.play.state import TableState
from nodealer.words import key_words


class OwnTime:
    """Says how much time the person has, where somebody keeps it: when it is asked, and when the bank runs."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._watch = Stopwatch()
        #: What was said about which duty.
        self._said: tuple[bytes, int] = (b"", 0)

    def look(self, participant: Participant, now: float) -> None:
        """Say it, if it is time to. An estimate: what counts are the ticks."""
        if not participant.begun:
            return
        state, asked = participant.replica.state, participant.options().asked
        waits = self._watch.look(state, now)
        wait = None if asked is None or state.clock is None else waits.get(asked.id)
        if asked is None or wait is None or not wait.limit:
            return
        stage = 1 if wait.limit_left else 2 if wait.bank_left > 10 else 3
        if asked.id != self._said[0] or stage > self._said[1]:
            self._said = (asked.id, stage)
            bank = f", and {round(wait.bank_left)} s in your bank" if wait.bank_left else ""
            self._screen.say(
                f"[dim]You have about {round(wait.limit_left)} s{bank}.[/dim]"
                if stage == 1
                else f"[magenta]Your time is up: about {round(wait.bank_left)} s of your bank are left.[/magenta]"
            )


class WhoSits:
    """Says who would like to sit, and which rosters are proposed."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._told: set[bytes] = set()

    def look(self, participant: Participant) -> bool:
        """Whether there is something to answer."""
        if not participant.begun or not participant.seated:
            return False
        state = participant.replica.state
        for asks in participant.asking:
            if asks.roster.digest not in self._told:
                self._told.add(asks.roster.digest)
                name, words = shown(asks.who.name), " ".join(key_words(asks.who.key))
                self._screen.say(f"[bold]{name}[/bold] would like to sit; [bold]seat {name}[/bold] proposes it.")
                self._screen.say(f"[dim]Its key has the words {words}: nodealer whoami shows the same there.[/dim]")
        for id in participant.proposals:
            if id not in self._told:
                self._told.add(id)
                by, table = shown(state.known[state.proposed[id].by].name), _table(state, state.proposed[id].roster)
                self._screen.say(f"{by} proposes a table of {table}; [bold]agree {by}[/bold] if you want that.")
        return bool(participant.asking or participant.proposals)


def _table(state: TableState, roster: Roster) -> str:
    """Who would sit there, who would not any more, and who would keep the time, where that would be another."""
    names = ", ".join(roster.member(seat).name for seat in roster.with_cards)
    out = ", ".join(state.known[seat].name for seat in state.roster.with_cards if seat not in roster.with_cards)
    text = shown(names) + (f", without {shown(out)}" if out else "")
    if roster.timekeeper == state.roster.timekeeper:
        return text
    keeper = "nobody" if roster.timekeeper is None else roster.timekeeper.name
    return f"{text}, where {shown(keeper)} keeps the time"
