"""The steps of the protocols for people. What each protocol does stands beside it, in its own `words.py`.

A step is named by the kind of duty that it fulfils. Only what a player would want to hear of while it plays has a line
there: who shuffled, and what that proves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class StepText:
    """A kind of step."""

    #: What somebody is doing, after a name: "shuffles".
    doing: str
    #: What it is, and why it can be trusted: a sentence or two for somebody who reads a log.
    means: str
    #: What a player is told when it is done, after a name; empty for what is only work.
    done: str = ""
    #: What its proof shows, and what holds once everybody who owed such a step has made it.
    shows: str = ""
    last: str = ""


#: What a published key is worth, wherever keys are published.
KEY_NEEDS_NO_PROOF: Final = (
    "A published key needs no proof: everybody knows the public key of every card and sees whether this is its secret."
)
SAME_CARDS: Final = "the same cards"
NOBODY_KNOWS: Final = "nobody knows the order"
