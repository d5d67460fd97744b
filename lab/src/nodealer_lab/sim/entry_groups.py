"""Entries that reach one node together, so that it verifies their proofs as one batch.

For some groups, and for every group in which a seat is blamed, a second program receives the same frames one by one,
starting from a copy of the store as it was before the group. It must sign the same bytes, end with the same log, and
blame the same seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from nodealer.engine.commands import SitOut
from nodealer.engine.frame_result import Received
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Applied, Outcome
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.faults.fragile_store import FragileHome

if TYPE_CHECKING:
    from nodealer_lab.sim.node import Node
    from nodealer_lab.sim.world import World

#: How many of a thousand groups are also received one by one.
REPLAY_RATE: Final = 40


@dataclass(frozen=True)
class GroupStart:
    """A node before the first frame of a group: the size of its store, and how many frames its process had received."""

    entries: int
    records: int
    heard: int
    sits_out: bool


class EntryGroups:
    """The frames of one node, some of which are processed in groups."""

    def __init__(self, world: World, node: Node) -> None:
        """Start without a group, for one node of the world."""
        #: Differences between processing a group together and processing it one by one.
        self.differences: list[str] = []
        #: How many frames this process has received.
        self.count = 0
        self._world = world
        self._node = node
        self._dice = SeededDice(world.plan.seed, node.name, "together")
        self._heard: dict[int, bytes] = {}
        self._before: GroupStart | None = None
        self._frames: list[tuple[bytes, int]] = []
        self._steps: list[Received] = []

    def reset(self) -> None:
        """Forget everything, because a new process starts."""
        self._heard.clear()
        self._forget()
        self.count = 0

    def receive(self, participant: Participant, frame: bytes, number: int) -> Received:
        """Pass a frame to the participant, sometimes announcing that more frames follow."""
        more = self._roll(self._world.plan.together)
        if participant.is_settled:
            self._end_group(participant)
            home = self._node.home
            self._before = GroupStart(
                len(home.entries), len(home.journal.records), len(self._heard), participant.sits_out
            )
        self._heard[number] = frame
        self.count += 1
        step = participant.receive(frame, number, more=more)
        if not participant.is_settled or self._frames:
            self._frames.append((frame, number))
            self._steps.append(step)
        if participant.is_settled:
            self._end_group(participant)
        return step

    def flush(self, participant: Participant) -> Received:
        """Let the participant process its batch, because no more frames follow for now."""
        step = participant.settle()
        if self._frames:
            self._steps.append(step)
            self._end_group(participant)
        return step

    def _roll(self, often: int) -> bool:
        """Return True in `often` of a thousand cases."""
        return often > 0 and self._dice.chance(often)

    def _forget(self) -> None:
        """Drop the current group."""
        self._before, self._frames, self._steps = None, [], []

    def _end_group(self, participant: Participant) -> None:
        """Close the current group, and compare it with a replay if a seat was blamed or the dice say so."""
        before, frames, steps = self._before, self._frames, self._steps
        self._forget()
        outcomes = [one.outcome for step in steps for one in step.happened if isinstance(one, Applied)]
        if before is None or len(outcomes) < 2:
            return
        self._world.struck["grouped"] += 1
        if not self._node.lies and (Outcome.FAULT in outcomes or self._roll(REPLAY_RATE)):
            self._compare(participant, before, frames, steps)

    def _compare(
        self,
        participant: Participant,
        before: GroupStart,
        frames: Sequence[tuple[bytes, int]],
        steps: Sequence[Received],
    ) -> None:
        """Replay the group one by one on a copy of the store, and record every difference."""
        known, home = (self._node.home.copy(before.entries, before.records) for _ in range(2))
        alone = self._world.new_participant(self._node, home, self._node.keys)
        if before.sits_out:
            alone.command(SitOut())
        for number, frame in sorted(islice(self._heard.items(), before.heard)):
            alone.receive(frame, number)
        one_by_one = [alone.receive(frame, number) for frame, number in frames]
        for what, here, there in (
            ("signs", _newly_signed(known, steps), _newly_signed(known, one_by_one)),
            ("applies", _applied_results(steps), _applied_results(one_by_one)),
            ("blames", participant.replica.state.faults, alone.replica.state.faults),
            ("has the digest", participant.replica.digest(), alone.replica.digest()),
            ("is silenced by", participant.silenced, alone.silenced),
        ):
            if here != there:
                self.differences.append(
                    f"{len(frames)} frames together: {self._node.name} {what} {here!r}, alone {there!r}"
                )


def _newly_signed(known: FragileHome, steps: Sequence[Received]) -> list[bytes]:
    """Return the frames signed in these steps. Frames that the store already had may be sent again at any time."""
    return [frame for step in steps for frame in step.send if not known.has_signed(frame)]


def _applied_results(steps: Sequence[Received]) -> list[tuple[int, object, bytes]]:
    """Return the number, the outcome and the state digest of each log entry that was applied in these steps."""
    applied = (one for step in steps for one in step.happened if isinstance(one, Applied))
    return [(one.number, one.outcome, one.after.digest()) for one in applied]
