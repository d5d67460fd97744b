"""Events at a table, as returned by `Player.events()` and `Watcher.events()`.

Events are small values that contain player names and card faces, so there is nothing to look up. A face is the card's
number in the deck, from 0, or at a free table the name it was given. Everyone at a table gets the same events in the
same order, except for private ones: the faces of a player's own cards, that it is their turn, that a card of theirs
cannot be read, or that they cannot give a proof.

Names, reasons, notes and moves are text from other people. Filter them before you display them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

#: The face of a card: the name it was given, or its number in the deck.
Face: TypeAlias = str | int


# --- In the lobby ---


@dataclass(frozen=True)
class Came:
    """A player said hello."""

    name: str


@dataclass(frozen=True)
class Went:
    """A player took back their hello: they do not want to play after all."""

    name: str


@dataclass(frozen=True)
class Proposal:
    """A proposed game.

    `parameters` belong to the game. `roles` lists those who are not ordinary players, such as a timekeeper.
    """

    game: str
    version: int
    parameters: Any
    protocol: str
    protocol_parameters: Any
    #: The players, in the order of their seats.
    names: tuple[str, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    #: The protocol's warning, if it has one.
    warning: str | None = None


@dataclass(frozen=True)
class Proposed:
    """A player proposed a game."""

    by: str
    proposal: Proposal


@dataclass(frozen=True)
class Declined:
    """A player declined the proposal. Another proposal may follow."""

    name: str
    reason: str


@dataclass(frozen=True)
class NotTaken:
    """A lobby message of this player was rejected, or a proposal cannot be read by this version. `reason` says why."""

    reason: str


@dataclass(frozen=True)
class Agreed:
    """The players have agreed to play. `words` identify this table: compare them with the other players."""

    names: tuple[str, ...]
    words: tuple[str, ...]


# --- At the table ---


@dataclass(frozen=True)
class Began:
    """A hand began with these players."""

    hand: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class YourTurn:
    """This player can act now.

    `waited_for` is true if the others are waiting for this player. `choice` is true if it is a private choice about
    cards that this player has looked at.
    """

    hand: int
    waited_for: bool
    choice: bool = False


@dataclass(frozen=True)
class Moved:
    """A player made a move, or the rules made one for them. `text` is the game's description of it."""

    name: str
    #: The move as plain data. None if the rules made it.
    move: Any
    text: str
    by_rules: bool = False


@dataclass(frozen=True)
class Dealt:
    """A player got cards. `faces` is empty unless they are this player's own."""

    name: str
    deck: int
    positions: tuple[int, ...]
    faces: tuple[Face, ...] = ()


@dataclass(frozen=True)
class Opened:
    """Cards were turned up on the table."""

    deck: int
    positions: tuple[int, ...]
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Shown:
    """A player showed cards to everyone."""

    name: str
    deck: int
    positions: tuple[int, ...]
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Proven:
    """A player proved that none of these hidden cards is one of `none_of`."""

    name: str
    deck: int
    positions: tuple[int, ...]
    none_of: tuple[Face, ...]


@dataclass(frozen=True)
class Unprovable:
    """The table is waiting for this player to prove something about their cards that is false. Nothing is sent."""

    deck: int


@dataclass(frozen=True)
class GivenBack:
    """Cards left a hand or the table: they are back in the deck or out of play."""

    deck: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Rolled:
    """The numbers of a roll. Empty if the players in `silent` did not open their commitments."""

    numbers: tuple[int, ...]
    silent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unsealed:
    """The value that a player had sealed. None if the player left without opening it."""

    name: str
    value: bytes | None


@dataclass(frozen=True)
class Unreadable:
    """A card of this player cannot be read. `Player.claim()` disputes it."""

    deck: int
    position: int


@dataclass(frozen=True)
class Word:
    """A player wrote a signed note. It is kept in the log."""

    name: str
    text: str


@dataclass(frozen=True)
class WouldNotWait:
    """A player voted to go on without the players in `of`."""

    name: str
    of: tuple[str, ...]


@dataclass(frozen=True)
class WouldBreakOff:
    """A player voted to abort the hand."""

    name: str


@dataclass(frozen=True)
class Left:
    """A player left this hand or sits out: by choice, or because the others voted (`thrown_out`)."""

    name: str
    thrown_out: bool


@dataclass(frozen=True)
class TimeIsUp:
    """By the timekeeper's ticks, a player has used up their time limit and their time bank."""

    name: str


@dataclass(frozen=True)
class AsksToSit:
    """Someone asks for a seat at a table that is already playing. `Player.let_in()` proposes them."""

    name: str


@dataclass(frozen=True)
class SeatsProposed:
    """A player proposed who is seated from the next hand on. `Player.agree()` agrees."""

    by: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Seated:
    """The seating changed: `names` are the players seated from now on."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Late:
    """A message came too late. It is in the log but changed nothing."""

    name: str
    #: The kind of message: "move", "word", …
    what: str


@dataclass(frozen=True)
class Result:
    """A hand is over. If `void` is set, it says why the hand does not count, and there is no result."""

    hand: int
    result: Mapping[str, Any]
    #: How much each player won or lost.
    net: Mapping[str, int]
    text: str
    void: str | None = None


@dataclass(frozen=True)
class Fault:
    """The log proves that someone cheated. `name` is None if it cannot tell who."""

    name: str | None
    reason: str


@dataclass(frozen=True)
class Diverged:
    """A player signed a different log than this one. Compare both logs to find out who is to blame."""

    name: str


@dataclass(frozen=True)
class Silenced:
    """This player no longer signs anything. `reason` says why."""

    reason: str


@dataclass(frozen=True)
class Ended:
    """Every player has signed the end of the game."""


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
