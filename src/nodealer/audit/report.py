"""The result of verifying a log, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from nodealer.audit.report_text import list_unproven
from nodealer.engine.ledger import Charge, HeldResult
from nodealer.engine.state import Chronicle, Fault, HandRecord, RosterPeriod, TableState, VoteResult
from nodealer.log.roster import Member
from nodealer.log.session import Session

Verdict = Literal["clean", "fault", "broken", "incomplete", "not-a-log"]


@dataclass(frozen=True)
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
        warning = None if self.state is None else self.state.config.protocol.claims.warning
        return list_unproven(warning, ((self.name(seat), hand) for hand, seat in self.unchecked), rehearsal=rehearsal)

    def member(self, seat: int | None) -> Member | None:
        """Return who is or was at a seat, or None. A seat keeps its key and name for the whole log."""
        return None if seat is None or self.state is None else self.state.all_members.get(seat)

    def name(self, seat: int | None) -> str | None:
        """Return the name of the player at a seat, or None."""
        member = self.member(seat)
        return None if member is None else member.name

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
