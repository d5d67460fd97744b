"""An independent count of votes and roster changes, based on what was owed at each place of the log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from nodealer.engine.bodies import Agree, Answer, Break, End, Leave, Propose, Tick, Without
from nodealer.engine.duties import OpenDuty, TableDuty
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.rosters import proposal_id
from nodealer.engine.state import TableState, VoteResult
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.base import Game
from nodealer.log.roster import Roster
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog, hands_begun


def check_votes(played: FinishedGame) -> Iterator[str]:
    """Yield votes and rosters that took effect without enough support, or had enough and did not take effect."""
    for log in played.logs:
        votes, rosters = _VoteTracker(log), _RosterTracker()
        for applied in log.applied:
            for wrong in (*votes.violations_of(applied), *rosters.violations_of(applied)):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


# --- What is owed, and which seats can vote ---


def _is_blocking(known: OpenDuty) -> bool:
    """Return whether others wait for a duty. No one waits for a disclosure."""
    return not known.duty.optional and (known.duty.deck is not None or known.duty.kind != TableDuty.BOOK)


def _is_move(known: OpenDuty) -> bool:
    """Return whether the duty is to make a move in the game."""
    return known.duty.deck is None and known.duty.kind == TableDuty.MOVE


def _owes_cards(state: TableState, seat: int) -> bool:
    """Return whether a seat owes a message about cards. Such a seat cannot vote."""
    owed = (known.duty for known in state.duties.open.values())
    return any(duty.seat == seat and duty.deck is not None and not duty.optional for duty in owed)


def _voters(state: TableState, gone: Collection[int], ended: Collection[int]) -> frozenset[int]:
    """Return the voters, given the seats that have left and those that have ended."""
    if state.phase is Phase.PLAYING and state.hand.game is not None:
        return frozenset(state.hand.game.players).difference(gone)
    there = frozenset(state.roster.with_cards).difference(gone, state.expelled)
    sitting = there.difference(ended)
    return there if state.no_more_hands or len(sitting) < 2 else sitting


def _late_duties(state: TableState) -> frozenset[bytes]:
    """Return the ids of the duties that the clock has declared late; none without a clock."""
    return frozenset() if state.clock is None else state.clock.late


@dataclass(frozen=True)
class _Owed:
    """The duties with which a seat blocks the table: moves and others, and which duties are late."""

    moves: frozenset[bytes]
    others: frozenset[bytes]
    late: frozenset[bytes]


class _VoteTracker:
    """The valid votes against seats that block the table."""

    def __init__(self, log: ReplayedLog) -> None:
        """Start at the beginning of this log, without votes."""
        self._log = log
        self._votes: dict[int, set[bytes]] = {}
        self._breaks: dict[int, bytes] = {}

    def violations_of(self, applied: Applied) -> Iterator[str]:
        """Yield the violations caused by an entry."""
        before, after = applied.before, applied.after
        self._record(applied)
        said = after.chronicle.vote_results[len(before.chronicle.vote_results) :]
        if not (said or self._votes or self._breaks or after.hand.skip_votes or after.hand.abort_votes):
            return
        closes = False
        for place, one in enumerate(said):
            ways = _possible_voters(applied, said[:place])
            if self._is_skip_backed(applied, ways, one):
                continue
            closes |= one.of is not None
            if not self._is_abort_backed(before, ways, one):
                yield f"{one.by} have not enough votes for: {one.did}, {one.of}"
        self._drop_void(applied)
        if closes:
            # The abort votes have served their purpose.
            self._breaks.clear()
        if self._valid(after) != (_votes(after, after.hand.skip_votes), _breaks(after, after.hand.abort_votes)):
            yield f"other votes count than {self._valid(after)}"
        yield from self._ignored_votes(after)

    def _record(self, applied: Applied) -> None:
        """Record the vote in an entry, if its seat can vote and the named duties can be voted on."""
        before, seat, body = applied.before, applied.entry.seat, applied.body
        if not isinstance(body, Without | Break) or applied.outcome not in (Outcome.ACCEPTED, Outcome.DROPPED):
            return
        gone = seat not in _voters(before, before.gone, before.ended)
        if gone or _owes_cards(before, seat) or applied.entry.hand != before.hand.number:
            return
        seen = self._log.replica.height_of(applied.entry.seen) or 0
        named = {
            id for id in (body.duties if isinstance(body, Without) else (body.duty,)) if _is_votable(before, id, seen)
        }
        if isinstance(body, Without) and named:
            self._votes.setdefault(seat, set()).update(named)
        elif named:
            self._breaks[seat] = named.pop()

    def _drop_void(self, applied: Applied) -> None:
        """Drop votes about duties that are closed, and votes by seats that have left."""
        after = applied.after
        still = {id for id, known in after.duties.open.items() if known.since <= applied.number}
        went = (after.gone | after.expelled) - applied.before.gone
        self._votes = {seat: named & still for seat, named in self._votes.items() if seat not in went and named & still}
        self._breaks = {seat: one for seat, one in self._breaks.items() if seat not in went and one in still}

    def _valid(self, state: TableState) -> tuple[dict[int, set[bytes]], dict[int, bytes]]:
        """Return the skip votes and the abort votes, by voter, that this checker counts as valid in this state."""
        return _votes(state, self._votes), _breaks(state, self._breaks)

    # --- Counting ---

    def _is_skip_backed(self, applied: Applied, ways: Collection[frozenset[int]], one: VoteResult) -> bool:
        """Return whether enough seats had voted to skip this seat."""
        if one.of is None:
            return False
        before, by = applied.before, frozenset(one.by)
        answered = applied.body.duty if isinstance(applied.body, Answer) else None
        # Duties that became late with this very tick are no longer listed as late. Another checker covers that.
        owes = _owed_by(before, one.of, answered, everything_late=isinstance(applied.body, Tick))
        by_move, leaves = self._enough(ways, owes.moves, owes.late, by), _has_no_move(before.hand.game, one.of)
        if one.did == "move":
            return by_move and not leaves
        return self._enough(ways, owes.others, owes.late, by) or (by_move and leaves)

    def _enough(
        self, ways: Iterable[frozenset[int]], duties: frozenset[bytes], late: frozenset[bytes], by: frozenset[int]
    ) -> bool:
        """Return whether exactly the seats `by` voted to skip these duties, and are enough to do so.

        `ways` holds the possible sets of voters. One set for which this is true is enough.
        """
        return any(
            self._voters_against(voters, duties) == by and self._is_enough(voters, duties, late) for voters in ways
        )

    def _is_enough(self, voters: frozenset[int], duties: frozenset[bytes], late: frozenset[bytes]) -> bool:
        """Return whether more than half of the voters voted to skip these duties.

        For duties that are late, exactly half of the voters is also enough.
        """
        by, pressing = self._voters_against(voters, duties), self._voters_against(voters, duties & late)
        return len(by) > len(voters) - len(by) or (bool(pressing) and len(pressing) == len(voters) - len(pressing))

    def _voters_against(self, voters: frozenset[int], duties: frozenset[bytes]) -> frozenset[int]:
        """Return the voters who voted to skip at least one of these duties."""
        return frozenset(voter for voter in voters if not duties.isdisjoint(self._votes.get(voter, ())))

    def _abort_voters(self, state: TableState, voters: frozenset[int]) -> frozenset[int]:
        """Return the abort voters if they are at least half and there is no timekeeper; otherwise an empty set."""
        by = voters.intersection(self._breaks)
        return by if len(by) >= len(voters) - len(by) and state.roster.timekeeper is None else frozenset()

    def _is_abort_backed(self, state: TableState, ways: Collection[frozenset[int]], one: VoteResult) -> bool:
        """Return whether at least half of the table voted to abort.

        An abort vote after the last hand declares the missing seats gone.
        """
        last = state.phase is Phase.BETWEEN and state.no_more_hands and one.did == "gone"
        right = (last and one.of not in one.by) if one.of is not None else (one.did == "broken off" and not last)
        return right and any(self._abort_voters(state, voters) == frozenset(one.by) for voters in ways)

    def _ignored_votes(self, state: TableState) -> Iterator[str]:
        """Yield votes that have enough support and have not taken effect."""
        if state.phase is Phase.ENDED:
            return
        voters = _voters(state, state.gone, state.ended)
        for seat in {known.duty.seat for known in state.duties.open.values()} if self._votes else ():
            owes = _owed_by(state, seat)
            if any(self._is_enough(voters, duties, owes.late) for duties in (owes.moves, owes.others)):
                yield f"enough have voted to skip seat {seat}, and the table still waits"
        # As long as a seat owes a disclosure, no one can force the end of the log.
        waits = state.phase is Phase.BETWEEN and state.no_more_hands and bool(state.disclosures)
        if self._abort_voters(state, voters) and not waits:
            yield "half of the table has aborted, and the table continues"


def _is_votable(state: TableState, id: bytes, seen: int) -> bool:
    """Return whether a duty blocks the table and had already been open in the log that the voter had seen."""
    known = state.duties.open.get(id)
    return known is not None and _is_blocking(known) and known.since <= seen


def _votes(state: TableState, votes: Mapping[int, Collection[bytes]]) -> dict[int, set[bytes]]:
    """Return the votes without those about duties that no longer block anyone."""
    idle = {id for id, known in state.duties.open.items() if not _is_blocking(known)}
    kept = {seat: {*named} - idle for seat, named in votes.items()}
    return {seat: named for seat, named in kept.items() if named}


def _breaks(state: TableState, breaks: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the abort votes, by voter, without those about duties that no longer block anyone."""
    kept = _votes(state, {seat: (id,) for seat, id in breaks.items()})
    return {seat: id for seat, id in breaks.items() if seat in kept}


def _possible_voters(applied: Applied, earlier: Iterable[VoteResult]) -> list[frozenset[int]]:
    """Return the possible sets of voters at the moment when a vote took effect.

    If several take effect at one entry, their order of cause is unknown: seats that an earlier one removed may or may
    not have counted.
    """
    before = applied.before
    gone, ended = _absent_at_count(applied)
    ways = [_voters(before, gone, ended)]
    for other in earlier:
        gone = gone | ({other.of} if other.of is not None and other.did == "gone" else frozenset())
        ways.append(_voters(before, gone, ended))
    return ways


def _absent_at_count(applied: Applied) -> tuple[frozenset[int], frozenset[int]]:
    """Return the seats that have left and those that have ended when votes are counted.

    That is after the effect of the entry itself and before the effect of the votes.
    """
    before, after, seat = applied.before, applied.after, applied.entry.seat
    taken = applied.outcome is Outcome.ACCEPTED
    left = {seat} if taken and isinstance(applied.body, Leave) else set[int]()
    ended = {seat} if taken and isinstance(applied.body, End) else set[int]()
    return before.gone | left | (after.expelled - before.expelled), before.ended | ended


def _owed_by(state: TableState, seat: int, answered: bytes | None = None, *, everything_late: bool = False) -> _Owed:
    """Return the duties with which a seat blocks the table, without the one that was just answered.

    With `everything_late`, all of them count as late.
    """
    owed = {id: known for id, known in state.duties.open.items() if known.duty.seat == seat and _is_blocking(known)}
    owed.pop(answered or b"", None)
    moves = frozenset(id for id, known in owed.items() if _is_move(known))
    return _Owed(moves, frozenset(owed) - moves, frozenset(owed) if everything_late else _late_duties(state))


def _has_no_move(game: Game | None, seat: int) -> bool:
    """Return whether the rules have no default move for the seat, so that it is dropped instead.

    A seat without cards has none.
    """
    if game is None or seat not in game.players:
        return True
    with suppress(BadParameter, IllegalMove):
        move = game.default(seat)
        if move is not None:
            game.moved(seat, move)
            return False
    return True


# --- Rosters ---


@dataclass
class _Proposed:
    roster: Roster
    agreed: set[int] = field(default_factory=set)
    begins: int = 0

    def has_enough(self, now: Roster, ended: Collection[int]) -> bool:
        """Return whether more than half of the active seats with cards agreed, and at least two.

        Another timekeeper needs all of them.
        """
        asked = {seat for seat in now.with_cards if seat not in ended}
        agreed = len(asked & self.agreed)
        if self.roster.timekeeper != now.timekeeper:
            return agreed == len(asked) and agreed > 1
        return agreed > len(asked) - agreed and agreed > 1


class _RosterTracker:
    """The proposed rosters that have not lapsed, with the seats that agreed."""

    def __init__(self) -> None:
        """Start without any proposed roster."""
        self._proposed: dict[bytes, _Proposed] = {}

    def violations_of(self, applied: Applied) -> Iterator[str]:
        """Yield the violations caused by an entry."""
        before, after = applied.before, applied.after
        self._record(applied)
        for _ in range(hands_begun(after) - hands_begun(before)):
            # A proposal lapses at the second begin after it.
            self._proposed = {id: one for id, one in self._proposed.items() if one.begins == 0}
            for one in self._proposed.values():
                one.begins += 1
        if after.roster is not before.roster:
            proposed = [one for one in self._proposed.values() if one.roster == after.roster]
            if after.phase is not Phase.BETWEEN or not any(
                one.has_enough(before.roster, after.ended) for one in proposed
            ):
                yield f"a roster is in force to which {[sorted(one.agreed) for one in proposed]} agreed"
            self._proposed.clear()
        for one in self._proposed.values() if after.phase is Phase.BETWEEN else ():
            if one.has_enough(after.roster, after.ended):
                yield f"{sorted(one.agreed)} agreed to a roster, and it is not in force"

    def _record(self, applied: Applied) -> None:
        """Record an accepted proposal of a new roster, or a seat's agreement to one."""
        seat, body = applied.entry.seat, applied.body
        if applied.outcome is not Outcome.ACCEPTED:
            return
        if isinstance(body, Propose):
            proposal = proposal_id(body.roster, seat, applied.before.hand.number)
            self._proposed[proposal] = _Proposed(body.roster, {seat})
        elif isinstance(body, Agree) and body.proposal in self._proposed:
            self._proposed[body.proposal].agreed.add(seat)
