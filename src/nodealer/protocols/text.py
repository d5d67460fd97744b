"""Descriptions of protocol steps for people. Each protocol's own descriptions are in its `text.py`.

A step is named by the kind of duty that it fulfils. `done`, `shows` and `last` are filled in only for steps that a
player wants to know about during a game: who shuffled, and what that proves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class StepText:
    """The description of one kind of step."""

    #: What a player is doing, after their name: "shuffles".
    doing: str
    #: What the step is and why it can be trusted, in a sentence or two for readers of a log.
    means: str
    #: What players see when it is done, after a name. Empty for steps that are only internal work.
    done: str = ""
    #: What its proof shows, and what holds once everyone who owed such a step has done it.
    shows: str = ""
    last: str = ""


#: Why published keys can be trusted, in every protocol that publishes keys.
KEY_NEEDS_NO_PROOF: Final = (
    "A published key needs no proof: the public key of every card is known, so everyone can check that the secret fits."
)
SAME_CARDS: Final = "the same cards"
ORDER_UNKNOWN: Final = "no one knows the order"
