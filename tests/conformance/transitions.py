"""Which stage follows which: no deck of any test leaves its protocol's table, and what it did is on record."""

from __future__ import annotations

from typing import Any, Final

from nodealer.protocols.chain.stages import TRANSITIONS as CHAIN
from nodealer.protocols.duel.stages import TRANSITIONS as DUEL
from nodealer.protocols.lock.stages import TRANSITIONS as LOCK
from nodealer.protocols.mask.stages import TRANSITIONS as MASK
from nodealer.protocols.offset.stages import TRANSITIONS as OFFSET
from nodealer.protocols.stages import AnyStage, Stage, StagedDeck, Transitions

TABLES: Final[dict[str, Transitions]] = {"mask": MASK, "lock": LOCK, "offset": OFFSET, "chain": CHAIN, "duel": DUEL}

Step = tuple[type[AnyStage], type[AnyStage]]
#: What the decks of each protocol have done so far.
seen: Final[dict[str, set[Step]]] = {name: set() for name in TABLES}


def steps(table: Transitions) -> set[Step]:
    """A table as a set of steps."""
    return {(before, after) for before, following in table.items() for after in following}


def watch() -> None:
    """From now on a step that is in no table is an error."""
    honest = StagedDeck.in_stage

    def in_stage(self: StagedDeck, stage: Stage[StagedDeck], **changes: Any) -> StagedDeck:
        name, step = self.binding.protocol, (type(self.stage), type(stage))
        assert step in steps(TABLES[name]), f"{name}: {step[0].__name__} is followed by {step[1].__name__}"
        seen[name].add(step)
        return honest(self, stage, **changes)

    StagedDeck.in_stage = in_stage  # type: ignore[method-assign, assignment]
