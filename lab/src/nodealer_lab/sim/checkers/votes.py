"""Who had said what when the table went on without somebody, or took another roster: counted once more from the log, in
another way than the table does, by what was owed at each place of it."""

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
from nodealer_lab.sim.checkers.replay import Replayed, Seen, hands_begun


def same_votes(seen: Seen) -> Iterator[str]:
    """What the table has done without somebody had the words that the law asks for, and what had them was done; and the
    same of rosters."""
    for log in seen.logs:
        words, rosters = _Words(log), _Rosters()
        for applied in log.applied:
            for wrong in (*words.after(applied), *rosters.after(applied)):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


# --- What is owed, and who has a word ---


def _holds_up(known: OpenDuty) -> bool:
    """Whether others wait for it. Nobody waits for a book."""
    return not known.duty.optional and (known.duty.deck is not None or known.duty.kind != TableDuty.BOOK)


def _is_move(known: OpenDuty) -> bool:
    return known.duty.deck is None and known.duty.kind == TableDuty.MOVE


def _owes_cards(state: TableState, seat: int) -> bool:
    owed = (known.duty for known in state.duties.open.values())
    return any(duty.seat == seat and duty.deck is not None and not duty.optional for duty in owed)


def _have_word(state: TableState, gone: Collection[int], ended: Collection[int]) -> frozenset[int]:
    """The voters, where these are gone and these have ended."""
    if state.phase is Phase.PLAYING and state.hand.game is not None:
        return frozenset(state.hand.game.players).difference(gone)
    there = frozenset(state.roster.with_cards).difference(gone, state.expelled)
    sitting = there.difference(ended)
    return there if state.no_more_hands or len(sitting) < 2 else sitting


def _late(state: TableState) -> frozenset[bytes]:
    return frozenset() if state.clock is None else state.clock.late


@dataclass(frozen=True)
class _Owes:
    """What a seat holds the table up with: its moves and the rest, and which of that is late by the ticks."""

    moves: frozenset[bytes]
    others: frozenset[bytes]
    late: frozenset[bytes]


class _Words:
    """What was said against those who hold up the table, and is not void."""

    def __init__(self, log: Replayed) -> None:
        self._log = log
        self._votes: dict[int, set[bytes]] = {}
        self._breaks: dict[int, bytes] = {}

    def after(self, applied: Applied) -> Iterator[str]:
        """What is wrong with what an entry did."""
        before, after = applied.before, applied.after
        self._hear(applied)
        said = after.chronicle.vote_results[len(before.chronicle.vote_results) :]
        if not (said or self._votes or self._breaks or after.hand.skip_votes or after.hand.abort_votes):
            return
        closes = False
        for place, one in enumerate(said):
            ways = _ways(applied, said[:place])
            if self._have_voted(applied, ways, one):
                continue
            closes |= one.of is not None
            if not self._have_broken_off(before, ways, one):
                yield f"{one.by} have not said enough for it: {one.did}, {one.of}"
        self._forget(applied)
        if closes:
            # They have done what they could.
            self._breaks.clear()
        if self._told(after) != (_votes(after, after.hand.skip_votes), _breaks(after, after.hand.abort_votes)):
            yield f"other words count than {self._told(after)}"
        yield from self._undone(after)

    def _hear(self, applied: Applied) -> None:
        before, seat, body = applied.before, applied.entry.seat, applied.body
        if not isinstance(body, Without | Break) or applied.outcome not in (Outcome.ACCEPTED, Outcome.DROPPED):
            return
        gone = seat not in _have_word(before, before.gone, before.ended)
        if gone or _owes_cards(before, seat) or applied.entry.hand != before.hand.number:
            return
        seen = self._log.replica.height_of(applied.entry.seen) or 0
        named = {
            id for id in (body.duties if isinstance(body, Without) else (body.duty,)) if _is_named(before, id, seen)
        }
        if isinstance(body, Without) and named:
            self._votes.setdefault(seat, set()).update(named)
        elif named:
            self._breaks[seat] = named.pop()

    def _forget(self, applied: Applied) -> None:
        """What is closed, by whatever closed it; and what those have said who are gone now."""
        after = applied.after
        still = {id for id, known in after.duties.open.items() if known.since <= applied.number}
        went = (after.gone | after.expelled) - applied.before.gone
        self._votes = {seat: named & still for seat, named in self._votes.items() if seat not in went and named & still}
        self._breaks = {seat: one for seat, one in self._breaks.items() if seat not in went and one in still}

    def _told(self, state: TableState) -> tuple[dict[int, set[bytes]], dict[int, bytes]]:
        return _votes(state, self._votes), _breaks(state, self._breaks)

    # --- Counting ---

    def _have_voted(self, applied: Applied, ways: Collection[frozenset[int]], one: VoteResult) -> bool:
        """Whether enough had said that nobody should wait for a seat."""
        if one.of is None:
            return False
        before, by = applied.before, frozenset(one.by)
        answered = applied.body.duty if isinstance(applied.body, Answer) else None
        # What is late by this very tick is not among what is late any more: another checker looks at that.
        owes = _owed_by(before, one.of, answered, everything_late=isinstance(applied.body, Tick))
        by_move, leaves = self._enough(ways, owes.moves, owes.late, by), _has_no_move(before.hand.game, one.of)
        if one.did == "move":
            return by_move and not leaves
        return self._enough(ways, owes.others, owes.late, by) or (by_move and leaves)

    def _enough(
        self, ways: Iterable[frozenset[int]], duties: frozenset[bytes], late: frozenset[bytes], by: frozenset[int]
    ) -> bool:
        return any(self._naming(voters, duties) == by and self._is_enough(voters, duties, late) for voters in ways)

    def _is_enough(self, voters: frozenset[int], duties: frozenset[bytes], late: frozenset[bytes]) -> bool:
        """More than half; half, of what is late."""
        by, pressing = self._naming(voters, duties), self._naming(voters, duties & late)
        return len(by) > len(voters) - len(by) or (bool(pressing) and len(pressing) == len(voters) - len(pressing))

    def _naming(self, voters: frozenset[int], duties: frozenset[bytes]) -> frozenset[int]:
        return frozenset(voter for voter in voters if not duties.isdisjoint(self._votes.get(voter, ())))

    def _breaks_off(self, state: TableState, voters: frozenset[int]) -> frozenset[int]:
        """Who breaks off, if these are half of those who have a word, and nobody keeps the time."""
        by = voters.intersection(self._breaks)
        return by if len(by) >= len(voters) - len(by) and state.roster.timekeeper is None else frozenset()

    def _have_broken_off(self, state: TableState, ways: Collection[frozenset[int]], one: VoteResult) -> bool:
        """Whether half of the table has broken off; after the last hand it signs so that nobody else comes."""
        last = state.phase is Phase.BETWEEN and state.no_more_hands and one.did == "gone"
        right = (last and one.of not in one.by) if one.of is not None else (one.did == "broken off" and not last)
        return right and any(self._breaks_off(state, voters) == frozenset(one.by) for voters in ways)

    def _undone(self, state: TableState) -> Iterator[str]:
        """What has the words that it needs, and was not done."""
        if state.phase is Phase.ENDED:
            return
        voters = _have_word(state, state.gone, state.ended)
        for seat in {known.duty.seat for known in state.duties.open.values()} if self._votes else ():
            owes = _owed_by(state, seat)
            if any(self._is_enough(voters, duties, owes.late) for duties in (owes.moves, owes.others)):
                yield f"enough have said that nobody waits for seat {seat}, and all wait"
        # As long as somebody owes a book, nobody can hurry the end of the log.
        waits = state.phase is Phase.BETWEEN and state.no_more_hands and bool(state.disclosures)
        if self._breaks_off(state, voters) and not waits:
            yield "half of the table has broken off, and the table goes on"


def _is_named(state: TableState, id: bytes, seen: int) -> bool:
    known = state.duties.open.get(id)
    return known is not None and _holds_up(known) and known.since <= seen


def _votes(state: TableState, votes: Mapping[int, Collection[bytes]]) -> dict[int, set[bytes]]:
    """Without those for what holds up nobody any more."""
    idle = {id for id, known in state.duties.open.items() if not _holds_up(known)}
    kept = {seat: {*named} - idle for seat, named in votes.items()}
    return {seat: named for seat, named in kept.items() if named}


def _breaks(state: TableState, breaks: Mapping[int, bytes]) -> dict[int, bytes]:
    kept = _votes(state, {seat: (id,) for seat, id in breaks.items()})
    return {seat: id for seat, id in breaks.items() if seat in kept}


def _ways(applied: Applied, earlier: Iterable[VoteResult]) -> list[frozenset[int]]:
    """Who may have had a word when a statement took effect. Of several at one entry it is not told which came of which:
    those who are gone by an earlier one may have had theirs, or not."""
    before = applied.before
    gone, ended = _at_count(applied)
    ways = [_have_word(before, gone, ended)]
    for other in earlier:
        gone = gone | ({other.of} if other.of is not None and other.did == "gone" else frozenset())
        ways.append(_have_word(before, gone, ended))
    return ways


def _at_count(applied: Applied) -> tuple[frozenset[int], frozenset[int]]:
    """Who is gone, and who has ended, when it is counted: before what the count does, and after what the entry says."""
    before, after, seat = applied.before, applied.after, applied.entry.seat
    taken = applied.outcome is Outcome.ACCEPTED
    left = {seat} if taken and isinstance(applied.body, Leave) else set[int]()
    ended = {seat} if taken and isinstance(applied.body, End) else set[int]()
    return before.gone | left | (after.expelled - before.expelled), before.ended | ended


def _owed_by(state: TableState, seat: int, answered: bytes | None = None, *, everything_late: bool = False) -> _Owes:
    owed = {id: known for id, known in state.duties.open.items() if known.duty.seat == seat and _holds_up(known)}
    owed.pop(answered or b"", None)
    moves = frozenset(id for id, known in owed.items() if _is_move(known))
    return _Owes(moves, frozenset(owed) - moves, frozenset(owed) if everything_late else _late(state))


def _has_no_move(game: Game | None, seat: int) -> bool:
    """Whether the rules have no move for a seat that makes none: then it is gone. So is one without cards."""
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
        """More than half of the seats with cards that have not ended, and two; all of them for another timekeeper."""
        asked = {seat for seat in now.with_cards if seat not in ended}
        agreed = len(asked & self.agreed)
        if self.roster.timekeeper != now.timekeeper:
            return agreed == len(asked) and agreed > 1
        return agreed > len(asked) - agreed and agreed > 1


class _Rosters:
    """The rosters that were proposed and have not lapsed, with who agreed."""

    def __init__(self) -> None:
        self._proposed: dict[bytes, _Proposed] = {}

    def after(self, applied: Applied) -> Iterator[str]:
        """What is wrong with what an entry did."""
        before, after = applied.before, applied.after
        self._hear(applied)
        for _ in range(hands_begun(after) - hands_begun(before)):
            # It lapses at the second begin after it.
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

    def _hear(self, applied: Applied) -> None:
        seat, body = applied.entry.seat, applied.body
        if applied.outcome is not Outcome.ACCEPTED:
            return
        if isinstance(body, Propose):
            proposal = proposal_id(body.roster, seat, applied.before.hand.number)
            self._proposed[proposal] = _Proposed(body.roster, {seat})
        elif isinstance(body, Agree) and body.proposal in self._proposed:
            self._proposed[body.proposal].agreed.add(seat)
