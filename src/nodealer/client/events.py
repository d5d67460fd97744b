"""Everything that a front end shows, as one union of small values: what happened at the table, once each.

The public ones are in `nodealer.events`, which the library returns. Terminal, `--json` lines and page are made from the
same values. Fields that compare and print are the public ones; keyword fields hold what only front ends need, such as
seat numbers, entries and the game's marked texts.

Names, reasons, notes and moves are text from other people. Filter them before you display them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nodealer.games.text import Text, Words
from nodealer.log.session import Part
from nodealer.log.session import Proposal as SignedProposal

if TYPE_CHECKING:
    from nodealer.audit.report import Report
    from nodealer.engine.replica import Replica

#: The face of a card: the name it was given, or its number in the deck.
Face: TypeAlias = str | int


# --- In the lobby ---


@dataclass(frozen=True)
class Came:
    """A player said hello."""

    name: str
    #: Their key, and whether they would be the timekeeper.
    key: bytes = field(default=b"", compare=False, repr=False, kw_only=True)
    keeps_time: bool = field(default=False, compare=False, repr=False, kw_only=True)


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
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The number of the log entry.
    entry: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The game's text, with its marks.
    line: Text = field(default="", compare=False, repr=False, kw_only=True)


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
    #: The seats of the players in `silent`.
    silent_seats: tuple[int, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    #: The game's text, with its marks.
    line: Text = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Unsealed:
    """The value that a player had sealed. None if the player left without opening it."""

    name: str
    value: bytes | None
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The game's text, with its marks.
    line: Text = field(default="", compare=False, repr=False, kw_only=True)


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
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The number of the log entry.
    entry: int = field(default=-1, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class WouldNotWait:
    """A player voted to go on without the players in `of`."""

    name: str
    of: tuple[str, ...]
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The number of the log entry.
    entry: int = field(default=-1, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class WouldBreakOff:
    """A player voted to abort the hand."""

    name: str
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The number of the log entry.
    entry: int = field(default=-1, compare=False, repr=False, kw_only=True)


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
    #: Their key.
    key: bytes = field(default=b"", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class SeatsProposed:
    """A player proposed who is seated from the next hand on. `Player.agree()` agrees."""

    by: str
    names: tuple[str, ...]
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The number of the log entry.
    entry: int = field(default=-1, compare=False, repr=False, kw_only=True)


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
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The number of the log entry.
    entry: int = field(default=-1, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Result:
    """A hand is over. If `void` is set, it says why the hand does not count, and there is no result."""

    hand: int
    result: Mapping[str, Any]
    #: How much each player won or lost.
    net: Mapping[str, int]
    text: str
    void: str | None = None
    #: The game's text with its marks, its lines about the outcome, and what it says to this person.
    line: Text = field(default="", compare=False, repr=False, kw_only=True)
    outcome: tuple[Text, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    parting: Text = field(default="", compare=False, repr=False, kw_only=True)
    #: The same as `void`, with seat numbers instead of names, as the engine says it.
    reason: str = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Fault:
    """The log proves that someone cheated. `name` is None if it cannot tell who."""

    name: str | None
    reason: str
    #: Their seat.
    seat: int | None = field(default=None, compare=False, repr=False, kw_only=True)
    #: The number of the log entry.
    entry: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The same as `reason`, with seat numbers instead of names, as the engine says it.
    finding: str = field(default="", compare=False, repr=False, kw_only=True)
    #: The name of the check that failed.
    check: str = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Diverged:
    """A player signed a different log than this one. Compare both logs to find out who is to blame."""

    name: str
    #: Their seat.
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)
    #: The heads of their log and of this one.
    theirs: bytes = field(default=b"", compare=False, repr=False, kw_only=True)
    ours: bytes = field(default=b"", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Silenced:
    """This player no longer signs anything. `reason` says why."""

    reason: str


@dataclass(frozen=True)
class Ended:
    """Every player has signed the end of the game."""


# --- Entries of the log, for front ends ---


@dataclass(frozen=True)
class ReadyForHand:
    """A player signed that they play the next hand, counted from 1."""

    name: str
    seat: int
    entry: int
    hand: int


@dataclass(frozen=True)
class CardOperation:
    """A player did their part of a card operation, and this machine checked what it proves."""

    name: str
    seat: int
    entry: int
    #: The hand that it belongs to, counted from 1.
    hand: int
    #: The type of the message, the kind of duty that it fulfils, and the size of the entry in bytes.
    step: str
    kind: str
    size: int
    #: The names of the proofs that it requires.
    proofs: tuple[str, ...]
    #: A line about it for players; empty if it is only internal work.
    text: str
    state: Literal["false", "own", "verified", "unproven"]
    #: The protocol's words: what the player is doing, and what such a step is and why it can be trusted.
    doing: str
    means: str
    #: How many seconds this machine took to check it; None if that was not measured.
    seconds: float | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class LeaveSigned:
    """A player signed that they leave this hand or, between hands, sit out."""

    name: str
    seat: int
    entry: int
    in_hand: bool


@dataclass(frozen=True)
class Ticked:
    """The timekeeper signed a time, in milliseconds."""

    name: str
    seat: int
    entry: int
    time: int


@dataclass(frozen=True)
class CardDisputed:
    """A player disclosed their hand and claims that a card does not open."""

    name: str
    seat: int
    entry: int


@dataclass(frozen=True)
class HandDisclosed:
    """A player disclosed their hand after it was over."""

    name: str
    seat: int
    entry: int


@dataclass(frozen=True)
class RosterAgreed:
    """A player agreed to a proposed change of players."""

    name: str
    seat: int
    entry: int


@dataclass(frozen=True)
class EndSigned:
    """A player signed the end of their game. `leaves`: the others could play on."""

    name: str
    seat: int
    entry: int
    leaves: bool


@dataclass(frozen=True)
class CardsOpened:
    """Cards of one owner were opened, from any of the decks. `seat` and `name` are None for cards of the table."""

    name: str | None
    seat: int | None
    #: The game's short names of the cards, and its description of all of them.
    cards: tuple[str, ...]
    text: Text


@dataclass(frozen=True)
class Peeked:
    """Another player looked at hidden cards. `text` is the game's description of what they did."""

    name: str
    seat: int
    text: Text


@dataclass(frozen=True)
class TableChanged:
    """A change on the table, as the game describes it."""

    text: Text


@dataclass(frozen=True)
class VoteDecided:
    """The table decided by vote, or by the clock, instead of waiting."""

    #: The player it is about; None if it aborted the hand.
    name: str | None
    seat: int | None
    did: str
    #: The seats that voted.
    by: tuple[int, ...]
    #: The game's text for the move that the rules made, if they made one.
    move: Text


# --- In the lobby, for front ends ---


class KeyStatus(Enum):
    """How a player's name and key compare with the known players."""

    #: Neither the key nor the name is known.
    NEW = "new"
    #: The key is known by this name.
    KNOWN = "known"
    #: The key is known by another name.
    RENAMED = "renamed"
    #: The key is known by this name, and the name is also known with another key.
    TWO_KEYS = "two keys"
    #: The name is known, but with another key.
    OTHER_KEY = "other key"


@dataclass(frozen=True)
class CheckedContact:
    """A player, how they compare with the known players, and a sentence about it for the user."""

    name: str
    key: bytes
    status: KeyStatus
    text: str

    @property
    def needs_warning(self) -> bool:
        """Return whether the name is also known with another key."""
        return self.status in (KeyStatus.OTHER_KEY, KeyStatus.TWO_KEYS)


@dataclass(frozen=True)
class ProposalReceived:
    """A proposal that a guest is asked to agree to, its protocol's warning, and its game's texts."""

    proposal: SignedProposal
    warning: str | None
    words: Words

    @property
    def game(self) -> str:
        """Return the game with all parameters, because a host could have set what a guest would not play."""
        return _with_parameters(self.proposal.game)

    @property
    def protocol(self) -> str:
        """Return the protocol with all parameters."""
        return _with_parameters(self.proposal.protocol)


def _with_parameters(part: Part) -> str:
    """Return a game's or protocol's name, with its parameters if there are any."""
    parameters = bytes(part.parameters).decode(errors="replace")
    return part.name if parameters == "{}" else f"{part.name} {parameters}"


@dataclass(frozen=True)
class PlayersHere:
    """The names of those who have arrived, for spectators; `first` for the first report."""

    names: tuple[str, ...]
    first: bool


@dataclass(frozen=True)
class MaySit:
    """The host has admitted a player or timekeeper; `taken` of the seats are taken now."""

    name: str
    keeps_time: bool
    taken: int
    seats: int


@dataclass(frozen=True)
class NotSitting:
    """The host goes on without a player; or, if not `found`, no one has that name."""

    name: str
    found: bool


@dataclass(frozen=True)
class CannotBegin:
    """The seated players cannot play the game, and why."""

    reason: str


@dataclass(frozen=True)
class TimekeeperAwaited:
    """The table is full, and the host waits for a timekeeper to arrive."""


@dataclass(frozen=True)
class NoOneSeated:
    """The host wants to start, but has not admitted anyone yet."""


@dataclass(frozen=True)
class SeatRequested:
    """This guest has said hello, and waits for the host's proposal."""


@dataclass(frozen=True)
class LeftOut:
    """The host has proposed a game without this guest."""


@dataclass(frozen=True)
class CodeGiven:
    """A code for one guest, to be passed on by voice, and the relay where it works."""

    code: str
    relay: str


@dataclass(frozen=True)
class CodeUsed:
    """A guest has used a code and may sit down."""

    name: str


@dataclass(frozen=True)
class CodeDied:
    """A code expired or failed, or, if not `given`, could not be issued.

    `more` says why no more codes are issued, if that is so.
    """

    reason: str
    given: bool
    more: str = ""


@dataclass(frozen=True)
class TableLinks:
    """The links to a new table, for players and for spectators, and the relays that have it."""

    link: str
    watch: str
    relays: tuple[str, ...]
    #: How many players the table is for, and where its game is found, as the host typed it.
    seats: int = field(default=0, compare=False, repr=False, kw_only=True)
    place: str = field(default="", compare=False, repr=False, kw_only=True)
    #: Whether guests can play on a page, and whether the host decides who sits down.
    has_page: bool = field(default=False, compare=False, repr=False, kw_only=True)
    asks_host: bool = field(default=False, compare=False, repr=False, kw_only=True)


# --- The client's table ---


@dataclass(frozen=True)
class SessionOpened:
    """The session that the players agreed on is on the table, with its game's texts."""

    session: bytes
    #: The players who sign the log, without those whom no one waits for.
    names: tuple[str, ...]
    proposal: SignedProposal
    words: Words
    #: The table, this player's seat at it, and how many entries its log had before those that are shown next.
    replica: Replica | None = field(default=None, compare=False, repr=False, kw_only=True)
    seat: int | None = field(default=None, compare=False, repr=False, kw_only=True)
    past: int = field(default=0, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class NewLinks:
    """The table has a new key, of this epoch, and so new links for players and for spectators."""

    epoch: int
    link: str
    watch: str


@dataclass(frozen=True)
class SeatAsked:
    """This player has asked the players in `names` for a seat at their table. `key` is this player's own."""

    names: tuple[str, ...]
    key: bytes


@dataclass(frozen=True)
class GotSeat:
    """This player asked for a seat and has it now."""

    seat: int


@dataclass(frozen=True)
class SeatLost:
    """The others have decided that this player no longer has a seat."""


#: Explained in `ConnectionChanged`.
ConnectionCode = Literal["found", "lost", "unheard", "locked", "behind"]


@dataclass(frozen=True)
class ConnectionChanged:
    """The connection to the table has changed.

    found: a relay has the table again. lost: there is no connection. unheard: the relay rejects this player's messages.
    locked: this program does not have the table's new key. behind: the relay may be withholding a key change.
    """

    what: ConnectionCode
    #: None at a table on this machine.
    relay: str | None = None
    reason: str = ""
    #: For unheard: whether the relay ends the connection, and the program tries again.
    retrying: bool = False


@dataclass(frozen=True)
class FramesMissing:
    """The relay has announced this many frames that it has not delivered for this many seconds."""

    frames: int
    seconds: float


@dataclass(frozen=True)
class ClockDrift:
    """The timekeeper's clock runs ahead of this machine's by this many seconds."""

    seconds: float


@dataclass(frozen=True)
class WaitingFor:
    """The table has waited this many seconds for a player, since a time of day ("20:15:00")."""

    name: str
    seconds: float
    since: str


@dataclass(frozen=True)
class TooFewPlayers:
    """There are too few players for another hand: `gone` have left or sit out."""

    gone: tuple[str, ...]


@dataclass(frozen=True)
class BotDropped:
    """The program of a bot has ended with this exit code, and why."""

    name: str
    code: int
    reason: str


@dataclass(frozen=True)
class GameContinued:
    """An interrupted game goes on from here."""


@dataclass(frozen=True)
class LogCopyStopped:
    """A copy of the log can no longer be written, and why. The whole log is in `log`."""

    path: str
    reason: str
    log: str


@dataclass(frozen=True)
class TableStuck:
    """The players who are left cannot continue."""

    reason: str


@dataclass(frozen=True)
class OwnTime:
    """The seconds that this player has for what they are asked: until the limit, and then in their time bank."""

    limit: float
    bank: float


@dataclass(frozen=True)
class RosterProposed:
    """A proposed change of players that this player may agree to."""

    by: str
    #: The players who would be seated, and those who would lose their seat; `yourself` if this player is one of them.
    names: tuple[str, ...]
    removed: tuple[str, ...]
    yourself: bool
    #: Whether the timekeeper changes, and the new one's name, if there is one.
    changes_timekeeper: bool
    timekeeper: str | None
    new_key: bool
    #: Why this player could not read the table with the new key; None if they could.
    unreadable: str | None = None


@dataclass(frozen=True)
class PlayerAway:
    """A player who has left the table, or missed several hands, could lose their seat. `left`: they signed the end."""

    name: str
    left: bool


@dataclass(frozen=True)
class DisclosureAsked:
    """A hand, counted from 1, is disputed for a reason, and this player may disclose theirs."""

    hand: int
    reason: str


@dataclass(frozen=True)
class SittingOut:
    """This player had left the table or sat out when the program ended, and is not dealt in."""


@dataclass(frozen=True)
class Chatted:
    """A player sent a chat message, which is not part of the log."""

    name: str
    text: str
    seat: int = field(default=-1, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class CommandRefused:
    """A command of this person is not possible now, and why."""

    what: str
    reason: str


@dataclass(frozen=True)
class CheatAnnounced:
    """A bot cheats on request: how, and what the protocol claims about it."""

    name: str
    seat: int
    cheat: str
    #: What the cheat does, and what is claimed, for people.
    does: str
    sentence: str
    #: The claim: its name, whether the cheat is noticed, and whether the log names the culprit.
    claim: str
    seen: str
    culprit: bool


@dataclass(frozen=True)
class GameSummary:
    """The game is over, or stops here: how long this part took, and the size of its log."""

    seconds: float
    entries: int
    size: int
    proofs: int
    #: The bytes of all card operations.
    crypto_size: int


@dataclass(frozen=True)
class LogVerified:
    """The log was verified from its file alone. `path` is None if the user named the file."""

    path: str | None
    report: Report
    #: What the user can do with the log, as a sentence for people.
    next_step: str = field(default="", compare=False, repr=False, kw_only=True)
    #: How many seconds that took.
    seconds: float = field(default=0.0, compare=False, repr=False, kw_only=True)


#: The events of the library.
PublicEvent = (
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

#: Everything that a front end shows.
TableEvent = (
    PublicEvent
    | ReadyForHand
    | CardOperation
    | LeaveSigned
    | Ticked
    | CardDisputed
    | HandDisclosed
    | RosterAgreed
    | EndSigned
    | CardsOpened
    | Peeked
    | TableChanged
    | VoteDecided
    | CheckedContact
    | ProposalReceived
    | PlayersHere
    | MaySit
    | NotSitting
    | CannotBegin
    | TimekeeperAwaited
    | NoOneSeated
    | SeatRequested
    | LeftOut
    | CodeGiven
    | CodeUsed
    | CodeDied
    | TableLinks
    | SessionOpened
    | NewLinks
    | SeatAsked
    | GotSeat
    | SeatLost
    | ConnectionChanged
    | FramesMissing
    | ClockDrift
    | WaitingFor
    | TooFewPlayers
    | BotDropped
    | GameContinued
    | LogCopyStopped
    | TableStuck
    | OwnTime
    | RosterProposed
    | PlayerAway
    | DisclosureAsked
    | SittingOut
    | Chatted
    | CommandRefused
    | CheatAnnounced
    | GameSummary
    | LogVerified
)
