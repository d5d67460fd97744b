"""The questions to a person before the first hand. Terminal and page have their own words for each question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Asked(Enum):
    """The questions that a person is asked in a lobby. All of them are answered with yes or no, except `GUESTS`."""

    SIT = "sit"
    KEEP_TIME = "keep time"
    #: Nothing is asked: a host may give commands while guests arrive.
    GUESTS = "guests"
    UNANSWERED = "unanswered"
    PROPOSAL = "proposal"
    ANOTHER = "another proposal"


@dataclass(frozen=True)
class LobbyQuestion:
    """A question for a person, and what it is about, so that an answer cannot be taken for another question's."""

    asked: Asked
    name: str = ""
    about: object = None
