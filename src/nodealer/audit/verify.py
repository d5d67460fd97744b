"""Verify a saved log: every signature, proof, rule and result. Needs no secrets and trusts no one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from nodealer.audit.background import in_background
from nodealer.engine.ledger import Charge, HeldResult
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.engine.resolve import resolve_config
from nodealer.engine.state import Chronicle, Config, Fault, HandRecord, RosterPeriod, TableState, VoteResult
from nodealer.errors import BadParameter, BadSignature, DecodeError, EntryRefused, LogBroken, OtherFormat
from nodealer.games.package import GamePackage
from nodealer.group import Group
from nodealer.log.file import LineCut, read_log
from nodealer.log.session import Session
from nodealer.proofs.checks import Entropy
from nodealer.wire import LOG_BYTES_MAX

Verdict = Literal["clean", "fault", "broken", "incomplete", "not-a-log"]
Progress = Callable[[int, int], None]
Append = Callable[[bytes], Applied]
#: Takes the replica, and returns a function that appends an entry to it and observes what that does.
Watch = Callable[[Replica], Append]

NOT_PROVEN: Final = (
    "that players did not tell each other their cards outside the game",
    "that each player is a different person, or a person at all",
    "that a player who stayed silent could not have continued",
    "that the players were not shown another log of the same session",
)
#: How many hexadecimal digits of a key are shown beside a name.
FINGERPRINT: Final = 16
PUBLIC_SEEDS: Final = "anything about secrecy: this was a rehearsal with public seeds"


@dataclass
class Report:
    """The result of verifying a log."""

    verdict: Verdict
    #: One sentence for people, unless the verdict is `clean`.
    reason: str = ""
    session: Session | None = None
    entries: int = 0
    checks: dict[str, int] = field(default_factory=dict)
    #: The table at the end of the log, or None if the file could not be verified at all.
    state: TableState | None = None
    #: Whether entries were accepted that were only possible because of an earlier false one.
    undone: bool = False

    @property
    def exit_code(self) -> int:
        """The documented exit code: 0 clean, 1 fault or broken, 2 unverifiable, 3 clean so far."""
        return {"clean": 0, "fault": 1, "broken": 1, "incomplete": 3, "not-a-log": 2}[self.verdict]

    @property
    def chronicle(self) -> Chronicle:
        """What happened at the table, hand by hand."""
        return Chronicle() if self.state is None else self.state.chronicle

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All provable violations, in the order of the log."""
        return self.chronicle.faults

    @property
    def fault(self) -> Fault | None:
        """The first fault, if there is one."""
        return self.faults[0] if self.faults else None

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results of all hands that count."""
        return [dict(record.result) for record in self.chronicle.records if record.void is None]

    @property
    def gone(self) -> tuple[int, ...]:
        """The seats that were declared gone or found at fault, and have not signed the end."""
        if self.state is None:
            return ()
        return tuple(sorted((self.state.gone | self.state.expelled) - self.state.ended))

    @property
    def unchecked(self) -> list[tuple[int, int]]:
        """The hands and seats for which a disclosure is missing, as pairs (hand, seat)."""
        books = {} if self.state is None else self.state.disclosures
        return [(hand, seat) for hand, one in sorted(books.items()) for seat in sorted(one.owing)]

    @property
    def charges(self) -> list[Charge]:
        """What seats have paid for leaving an operation half done, by hand."""
        return [
            Charge(record.hand, seat, amount)
            for record in self.chronicle.records
            for seat, amount in sorted(record.charged.items())
        ]

    @property
    def dead(self) -> int:
        """The part of the charges that is not in a pot yet. Seats' chips, held gains and this are all chips."""
        return 0 if self.state is None else sum(one.amount for one in self.state.ledger.dead)

    @property
    def proven(self) -> bool:
        """Whether everything in the log rests on proofs, and nothing only on what seats disclosed afterwards."""
        return self.state is not None and not self.state.config.protocol.claims.open_book_at_end

    @property
    def not_proven(self) -> list[str]:
        """What no log can prove, or this one does not."""
        rehearsal = self.session is not None and self.session.proposal.rehearsal
        missing = [f"that {self.name(seat)} played hand {hand + 1} honestly" for hand, seat in self.unchecked]
        return [*NOT_PROVEN, *([PUBLIC_SEEDS] if rehearsal else []), *self._warnings, *missing]

    @property
    def _warnings(self) -> list[str]:
        """The protocol's own warning about what it does not protect."""
        warning = None if self.state is None else self.state.config.protocol.claims.warning
        return [] if warning is None else [f"anything about secrecy: {warning.rstrip('.')}"]

    def name(self, seat: int | None) -> str | None:
        """Return the name of the player at a seat, or None. A seat keeps its key and name for the whole log."""
        if seat is None or self.state is None or seat not in self.state.all_members:
            return None
        return self.state.all_members[seat].name

    def who(self, seat: int | None) -> str:
        """Describe a seat in a sentence by name, number and key, since anyone can choose any name."""
        if seat is None or self.state is None or seat not in self.state.all_members:
            return "no player can be named"
        member = self.state.all_members[seat]
        return f"{member.name} (seat {seat}, key {member.key.hex()[:FINGERPRINT]})"

    def as_json(self) -> dict[str, Any]:
        """Return the document of `nodealer verify --json`. Hands are counted from 1."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "entries": self.entries,
            "hands": len(self.chronicle.records),
            "checks": self.checks,
            "faults": [
                {"entry": one.entry, "seat": one.seat, "name": self.name(one.seat), "check": one.check,
                 "reason": one.reason} for one in self.faults
            ],
            "results": [self._result(record) for record in self.chronicle.records],
            "not_proven": self.not_proven,
            "withouts": [self._statement(one) for one in self.chronicle.vote_results],
            "gone": list(self.gone),
            "unchecked": [{"hand": hand + 1, "seat": seat} for hand, seat in self.unchecked],
            "rosters": [self._seating(one) for one in self.chronicle.roster_periods],
            "chips": _by_seat({} if self.state is None else self.state.ledger.chips),
            "charges": [{"hand": one.hand + 1, "seat": one.seat, "amount": one.amount} for one in self.charges],
            "dead": self.dead,
        }  # fmt: skip

    def _result(self, record: HandRecord) -> dict[str, Any]:
        """Return a hand's result for the JSON document, with the gains that are held back."""
        held = next((one.gains for one in self._held if one.hand == record.hand), {})
        # At the end such a gain was returned to the players who lost it, so the hand must not look as if it was won.
        held = held or {seat: record.net[seat] for hand, seat in self.unchecked if self._gained(record, hand, seat)}
        result = {**record.result, "hand": record.hand + 1, "void": record.void}
        return result | {"names": _by_seat(record.names), "held": _by_seat(held)}

    @staticmethod
    def _gained(record: HandRecord, hand: int, seat: int) -> bool:
        """Return whether a seat won chips in this hand and the hand counts."""
        return record.hand == hand and record.void is None and record.net.get(seat, 0) > 0

    @property
    def _held(self) -> tuple[HeldResult, ...]:
        """The results of hands that do not fully count yet. Empty if the log could not be replayed."""
        return () if self.state is None else self.state.ledger.held

    def _statement(self, one: VoteResult) -> dict[str, Any]:
        """Return the outcome of a vote for the JSON document, with what each seat won or lost in that hand."""
        net = next((record.net for record in self.chronicle.records if record.hand == one.hand), {})
        statement = {"entry": one.entry, "hand": one.hand + 1, "by": list(one.by), "of": one.of, "did": one.did}
        return statement | {"chips": _by_seat(net)}

    def _seating(self, one: RosterPeriod) -> dict[str, Any]:
        """Return a roster for the JSON document, with the seats that agreed to it."""
        seats = [{"seat": m.seat, "name": m.name, "key": m.key.hex()} for m in one.roster.members]
        chips = _by_seat(one.chips)
        return {"from_hand": one.from_hand + 1, "seats": seats, "agreed": list(one.agreed), "chips": chips}


def _by_seat(values: Mapping[int, Any]) -> dict[str, Any]:
    """Convert seat numbers to strings, because JSON keys must be strings."""
    return {str(seat): value for seat, value in sorted(values.items())}


def verify_file(
    path: Path,
    *,
    entropy: Entropy,
    on: Group | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
    game: GamePackage | None = None,
    called: str | None = None,
) -> Report:
    """Verify a log and return the report. Never raise because of what is in the file; the report says what is wrong.

    `watch` observes every entry as it is applied. Each proof is then checked immediately, not in batches. `game` is
    for a log of a game that is not installed: the user has chosen it, not the log. `called` is the name by which
    messages refer to the file, if not its path.
    """

    def config(session: Session) -> Config:
        """Resolve the protocol and the game that the session of the log names."""
        return resolve_config(session, on, game)

    def audit_with(eager: bool) -> Callable[[Session, Iterator[bytes]], Report]:
        """Return the function that audits a log. `eager`: check each proof with its entry, not in batches."""
        return lambda session, lines: _audit(session, lines, config, entropy, watch, eager=eager)

    report = _read_file(path, called or str(path), audit_with(eager=watch is not None), progress)
    if report.undone:
        # The log has entries that were only possible because of an earlier false one. Verify again, one entry at a
        # time, to find where it breaks.
        report = _read_file(path, called or str(path), audit_with(eager=True), progress)
    return report


def _audit(
    session: Session,
    lines: Iterator[bytes],
    config: Callable[[Session], Config],
    entropy: Entropy,
    watch: Watch | None,
    *,
    eager: bool,
) -> Report:
    """Verify a session and its entries. A session that this program cannot play is "not-a-log"."""
    with in_background() as begin:
        try:
            replica = Replica(config(session), entropy=entropy, eager=eager, check_runner=begin)
        except (BadParameter, DecodeError) as error:
            return Report("not-a-log", f"this program cannot verify the log: {error}", session)
        return _verify_entries(replica, watch(replica) if watch is not None else replica.append, lines)


def _read_file(
    path: Path, name: str, audit: Callable[[Session, Iterator[bytes]], Report], progress: Progress | None
) -> Report:
    """Call `audit` with the session and the lines of a file, unless the file is not a log."""
    try:
        if not path.is_file():
            return Report("not-a-log", f"{name} {'is not a file' if path.exists() else 'does not exist'}")
        size = path.stat().st_size
        if size > LOG_BYTES_MAX:
            return Report("not-a-log", f"{name} has {size:,} bytes; a log has at most {LOG_BYTES_MAX:,}")
        with path.open("rb") as file:
            session, lines = read_log(file)
            return audit(session, _with_progress(lines, progress, file.tell, size))
    except OSError as error:
        return Report("not-a-log", f"{name} cannot be read: {error.strerror}")
    except OtherFormat as error:
        return Report("not-a-log", f"{name}: {error}")
    except DecodeError as error:
        return Report("not-a-log", f"{name} is not a log: {error}")


def _with_progress(
    lines: Iterator[bytes], progress: Progress | None, at: Callable[[], int], size: int
) -> Iterator[bytes]:
    """Yield lines, and report the position in the file after each."""
    for line in lines:
        yield line
        if progress is not None:
            progress(at(), size)


# defence: cut-log
def _verify_entries(replica: Replica, append: Append, lines: Iterator[bytes]) -> Report:
    """Apply all lines and return the report."""
    cut = False
    try:
        for line in lines:
            _apply_line(replica, append, line)
    except LineCut:
        cut = True
    except (LogBroken, DecodeError) as error:
        # What was signed before the log broke still counts: a false proof in that part names its seat.
        replica.settle()
        return _report(replica, "broken", str(error))
    replica.settle()
    if cut or replica.state.phase is not Phase.ENDED:
        missing = "the last line is cut off" if cut else "not every seat has signed the end"
        return _report(replica, "incomplete", f"everything so far is correct, but {missing}")
    return _report(replica, "clean", "")


def _apply_line(replica: Replica, append: Append, line: bytes) -> None:
    """Apply the next entry of a saved log. Raise `LogBroken` for an entry that seats would have refused."""
    number = replica.height
    try:
        applied = append(line)
    except (EntryRefused, BadSignature, DecodeError) as error:
        raise LogBroken(f"entry {number} cannot be part of a log: {error}") from None
    if applied.outcome is Outcome.REPEATED:
        raise LogBroken(f"entry {number} is in the log twice")


def _report(replica: Replica, verdict: Verdict, reason: str) -> Report:
    """Build the report. Any fault that the replica found overrides the verdict."""
    checks = {"signatures": replica.height, "proofs": replica.checks_settled}
    session, undone = replica.config.session, bool(replica.undone)
    report = Report(verdict, reason, session, replica.height, checks, replica.state, undone)
    if report.faults:
        first = report.faults[0]
        report.verdict, report.reason = "fault", f"{report.who(first.seat)}: {first.reason} (entry {first.entry})"
    return report
