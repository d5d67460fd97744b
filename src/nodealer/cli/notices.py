"""What a person at a table is told beside the game: what the relay holds back, how much time there is, who asks for a
seat, and what is proposed."""

from __future__ import annotations

from nodealer.cli import text as phrases
from nodealer.cli.output import shown
from nodealer.cli.screen import Screen
from nodealer.client.bot_roster_policy import is_away
from nodealer.client.duty_timer import DutyTimer
from nodealer.engine.participant import Participant
from nodealer.engine.state import ProposedRoster, TableState
from nodealer.errors import DecodeError, IllegalMove
from nodealer.log.names import casefold_name
from nodealer.log.roster import Member
from nodealer.wordlist import key_words


class Missing:
    """Says when a relay promises more frames than it brings: that keeps a player silent, from the lobby on."""

    def __init__(self, screen: Screen, after: float) -> None:
        self._screen = screen
        self._after = after
        #: How many frames had come and how many were promised, since when that is so, and whether it was said.
        self._stands = (-1, 0)
        self._since = 0.0
        self._told = False

    def on_tick(self, participant: Participant, now: float) -> None:
        """Say it, if it is time to."""
        stands = participant.expects, participant.missing
        if stands != self._stands:
            # A promise is as old as its connection: what came while there was none is not late yet.
            self._stands, self._since, self._told = stands, now, False
        if participant.missing > 0 and now - self._since >= self._after and not self._told:
            self._told = True
            self._screen.emit({"event": "missing", "frames": participant.missing})
            if not self._screen.json:
                self._screen.say(phrases.missing_messages(participant.missing, round(now - self._since)))


class OwnTime:
    """Says how much time the person has, where somebody keeps it: when it is asked, and when the bank runs."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._timer = DutyTimer()
        #: What was said about which duty.
        self._said: tuple[bytes, int] = (b"", 0)

    def on_tick(self, participant: Participant, now: float) -> None:
        """Say it, if it is time to. An estimate: what counts are the ticks."""
        if not participant.begun:
            return
        state, asked = participant.replica.state, participant.options().asked
        waits = self._timer.update(state, now)
        wait = None if asked is None or state.clock is None else waits.get(asked.id)
        if asked is None or wait is None or not wait.limit:
            return
        stage = 1 if wait.limit_left else 2 if wait.bank_left > 10 else 3
        if asked.id != self._said[0] or stage > self._said[1]:
            self._said = (asked.id, stage)
            bank = round(wait.bank_left)
            self._screen.say(phrases.time_left(round(wait.limit_left), bank) if stage == 1 else phrases.bank_left(bank))


class WhoSits:
    """Says who would like to sit, who could lose its seat, and which rosters are proposed."""

    def __init__(self, screen: Screen, *, across: bool) -> None:
        self._screen = screen
        #: Whether the table is across the network: at one of this machine there is nobody to be kept out.
        self._across = across
        self._told: set[bytes] = set()

    def proposed(self, participant: Participant) -> list[bytes]:
        """The rosters that this seat has not agreed to."""
        if not _has_a_word(participant):
            return []
        mine = participant.seat.number
        return [id for id, one in participant.replica.state.proposed.items() if mine not in one.agreed]

    def meant(self, participant: Participant, by: str) -> bytes:
        """What a person agrees to: what it was told of, and whose. Raises `IllegalMove` where that is not one thing."""
        state = participant.replica.state
        told = [id for id in self.proposed(participant) if id in self._told]
        whose = [
            id
            for id in told
            if not by or casefold_name(state.all_members[state.proposed[id].by].name) == casefold_name(by)
        ]
        if len(whose) > 1:
            raise IllegalMove(phrases.SEVERAL_PROPOSALS)
        if not whose:
            raise IllegalMove(phrases.NOTHING_TO_AGREE_TO)
        return whose[0]

    def on_tick(self, participant: Participant) -> bool:
        """Whether there is something to answer."""
        if not _has_a_word(participant):
            return False
        state = participant.replica.state
        for asks in participant.asking:
            if self._is_new(asks.roster.digest):
                name, words = shown(asks.who.name), " ".join(key_words(asks.who.key))
                self._screen.say(phrases.would_like_to_join(name))
                self._screen.say(phrases.check_key_words(words))
        for id in self.proposed(participant):
            if self._is_new(id):
                self._propose(state, state.proposed[id], participant.seat.number)
                self._look_into(participant, id)
        away = self._away(state)
        for member in away:
            if self._is_new(member.key):
                self._screen.say(phrases.can_remove(shown(member.name), left=member.seat in state.ended))
                self._screen.say(f"  [dim]{phrases.NEW_KEY_AFTER_LEAVING}[/dim]")
        return bool(participant.asking or self.proposed(participant) or away)

    def _is_new(self, what: bytes) -> bool:
        """Whether it was not told before. It is told now."""
        new = what not in self._told
        self._told.add(what)
        return new

    def _look_into(self, participant: Participant, proposal: bytes) -> None:
        """Others may agree to a table at which this one could not read: nobody but this one can see that."""
        if participant.seat.number not in participant.replica.state.proposed[proposal].roster.seats:
            return  # It would have no seat there, and was told so.
        try:
            participant.refuse_key(proposal)
        except DecodeError as error:
            self._screen.say(phrases.key_unreadable(shown(error)))

    def refuse_removal(self, name: str) -> None:
        """Raise `IllegalMove` where nobody can be taken out, or nobody is named."""
        if not self._across:
            raise IllegalMove(phrases.REMOVE_ONLY_ON_NETWORK)
        if not name:
            raise IllegalMove(phrases.TYPE_REMOVE)

    def say_removed(self, name: str) -> None:
        """What it means that somebody is to lose its seat."""
        self._screen.say(phrases.removal_proposed(shown(name)))
        self._screen.say(f"  {phrases.NEW_KEY_AFTER_LEAVING}")

    def _away(self, state: TableState) -> list[Member]:
        if not self._across or state.no_more_hands:
            return []
        return [state.roster.member(seat) for seat in state.roster.with_cards if is_away(state, seat)]

    def _propose(self, state: TableState, one: ProposedRoster, mine: int) -> None:
        names = ", ".join(one.roster.member(seat).name for seat in one.roster.with_cards)
        gone = [seat for seat in state.roster.with_cards if seat not in one.roster.seats]
        out = [phrases.YOU if seat == mine else state.all_members[seat].name for seat in gone]
        names += phrases.roster_without(", ".join(out)) if out else ""
        if one.roster.timekeeper != state.roster.timekeeper:
            keeper = one.roster.timekeeper
            names += phrases.ROSTER_NO_TIMEKEEPER if keeper is None else phrases.roster_timekeeper(keeper.name)
        by = shown(state.all_members[one.by].name)
        self._screen.say(phrases.proposes_roster(by, shown(names)))
        if one.key is not None:
            self._screen.say(f"  [dim]{phrases.NEW_KEY_AFTER_LEAVING}[/dim]")


def _has_a_word(participant: Participant) -> bool:
    """Whether somebody has a word on who sits here."""
    return participant.sits and participant.seat.number not in participant.replica.state.ended
