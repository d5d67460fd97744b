"""What happens at a table, in the words of whoever plays there: what `Player.events()` and `Watcher.events()` give.

Small values with names of players and faces of cards, and nothing to look up. A face is its number in the deck, from 0,
or at a free table the name that it was given. Everybody at a table gets the same events in the same order, but for what
is told to one player alone: the faces of its own cards, its turn, a card that does not open.

A name, a reason, a word or a move is the text of another person: filter it before it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

#: What is on a card: the name it was given, or its number in the deck.
Face: TypeAlias = str | int


# --- Before the players have agreed ---


@dataclass(frozen=True)
class Came:
    """Somebody has said hello."""

    name: str


@dataclass(frozen=True)
class Went:
    """Somebody does not want to play after all."""

    name: str


@dataclass(frozen=True)
class Proposal:
    """What somebody would like to play. `parameters` are those of the game, `roles` has who is no ordinary player."""

    game: str
    version: int
    parameters: Any
    protocol: str
    protocol_parameters: Any
    #: Who would play, in the order of the seats.
    names: tuple[str, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    #: What the protocol warns of, if it does.
    warning: str | None = None


@dataclass(frozen=True)
class Proposed:
    """Somebody proposes a game."""

    by: str
    proposal: Proposal


@dataclass(frozen=True)
class Declined:
    """Somebody does not play what was proposed. There may be another proposal."""

    name: str
    reason: str


@dataclass(frozen=True)
class NotTaken:
    """What this player said in the lobby does not count, or what is proposed cannot be read here; and why."""

    reason: str


@dataclass(frozen=True)
class Agreed:
    """The players have agreed. `words` are the same for everybody at this table, and at no other: compare them."""

    names: tuple[str, ...]
    words: tuple[str, ...]


# --- At the table ---


@dataclass(frozen=True)
class Began:
    """A hand has begun, with these players."""

    hand: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class YourTurn:
    """This player can move. `waited_for` says that the others wait for it; `choice`, that it is a choice about cards
    that this player has looked at."""

    hand: int
    waited_for: bool
    choice: bool = False


@dataclass(frozen=True)
class Moved:
    """Somebody made a move in the game, or the rules made one for them. `text` is what the game says of it."""

    name: str
    #: As plain data. None for a move of the rules.
    move: Any
    text: str
    by_rules: bool = False


@dataclass(frozen=True)
class Dealt:
    """Somebody got cards. `faces` are there where they are this player's own."""

    name: str
    deck: int
    positions: tuple[int, ...]
    faces: tuple[Face, ...] = ()


@dataclass(frozen=True)
class Opened:
    """Cards lie open on the table."""

    deck: int
    positions: tuple[int, ...]
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Shown:
    """Somebody showed cards."""

    name: str
    deck: int
    positions: tuple[int, ...]
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Proven:
    """Somebody proved that none of these hidden cards is one of `none_of`."""

    name: str
    deck: int
    positions: tuple[int, ...]
    none_of: tuple[Face, ...]


@dataclass(frozen=True)
class Unprovable:
    """The table waits for this player to prove something of its cards that is not so. Nothing is sent."""

    deck: int


@dataclass(frozen=True)
class GivenBack:
    """Cards are in nobody's hand any more, and not on the table."""

    deck: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Rolled:
    """The numbers of a roll; none where the players of `silent` did not open what they had committed to."""

    numbers: tuple[int, ...]
    silent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unsealed:
    """What somebody had sealed; None where that player is gone, and nobody will know."""

    name: str
    value: bytes | None


@dataclass(frozen=True)
class Unreadable:
    """A card of this player's own does not open: a reason for `claim`."""

    deck: int
    position: int


@dataclass(frozen=True)
class Word:
    """Somebody said something that the log keeps."""

    name: str
    text: str


@dataclass(frozen=True)
class WouldNotWait:
    """Somebody says that the table should not wait for others."""

    name: str
    of: tuple[str, ...]


@dataclass(frozen=True)
class WouldBreakOff:
    """Somebody says that the hand should be broken off."""

    name: str


@dataclass(frozen=True)
class Left:
    """Somebody is out of this hand, or sits out: by their own word, or because the others did not wait."""

    name: str
    thrown_out: bool


@dataclass(frozen=True)
class TimeIsUp:
    """By the timekeeper's ticks somebody has taken longer than its limit and its bank allow."""

    name: str


@dataclass(frozen=True)
class AsksToSit:
    """Somebody would like to sit at a table that plays; `let_in` proposes it."""

    name: str


@dataclass(frozen=True)
class SeatsProposed:
    """Somebody proposes who sits from the next hand on; `agree` agrees."""

    by: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Seated:
    """Others sit at the table from now on than before."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Late:
    """What somebody said came too late. It stands in the log, and changed nothing."""

    name: str
    #: What it was: "move", "word", …
    what: str


@dataclass(frozen=True)
class Result:
    """A hand is over. `void` says why nothing of it counts; then there is no result."""

    hand: int
    result: Mapping[str, Any]
    #: What each player won or lost.
    net: Mapping[str, int]
    text: str
    void: str | None = None


@dataclass(frozen=True)
class Fault:
    """The log proves that somebody cheated. None where nobody can be named."""

    name: str | None
    reason: str


@dataclass(frozen=True)
class Diverged:
    """Somebody has signed on another log than this one. Who is to blame cannot be told from here: compare both logs."""

    name: str


@dataclass(frozen=True)
class Silenced:
    """This player signs nothing any more, and why."""

    reason: str


@dataclass(frozen=True)
class Ended:
    """Everybody has signed the end."""


Event = (
    Came
    | Went
    | Proposed
    | Declined
    | NotTaken
    | Agreed
    | Began
    | YourTurn
    | Moved
    | Dealt
    | Opened
    | Shown
    | Proven
    | Unprovable
    | GivenBack
    | Rolled
    | Unsealed
    | Unreadable
    | Word
    | WouldNotWait
    | WouldBreakOff
    | Left
    | TimeIsUp
    | AsksToSit
    | SeatsProposed
    | Seated
    | Late
    | Result
    | Fault
    | Diverged
    | Silenced
    | Ended
)
