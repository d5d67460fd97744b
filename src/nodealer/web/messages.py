"""What a page and a seat say to each other: plain JSON, one document a message. docs/spec/page.md describes them.

A page may be anybody's: what it says is measured, decoded strictly and judged like bytes from a stranger. What is told
to it is text and numbers, never markup, and nothing that its person must not see.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from nodealer.errors import DecodeError
from nodealer.games.text import Line as GameLine
from nodealer.games.text import Text
from nodealer.wire import CARDS_MAX, SEATS_MAX, Natural, SeatNumber

#: Of all documents together. A page of another version says so, and is not spoken to.
PAGE_VERSION: Final = 1
#: The longest document of a page.
SAID_BYTES_MAX: Final = 1 << 16
#: The longest chat, in characters.
CHAT_MAX: Final = 280

#: Text in pieces, each with what it is, or null for plain text.
Spans = tuple[tuple[str, str | None], ...]


#: Why something is not possible, where the page has the words.
RefusedCode = Literal["", "late", "not now", "no log", "not here"]
#: What a break does now.
Breaks = Literal["hand", "game", "log"]


def spans(text: Text) -> Spans:
    """A game's text for a page."""
    if isinstance(text, GameLine):
        return tuple((span.text, span.mark) for span in text.spans)
    return ((text, None),) if text else ()


class ServerMessage(msgspec.Struct, frozen=True):
    """The base of all documents; "type" says which."""


# --- From the page ---


class ClientMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of what a page says."""


Short = Annotated[str, msgspec.Meta(max_length=200)]
Ask = Annotated[int, msgspec.Meta(ge=1, le=2**31)]


class Move(ClientMessage, frozen=True, tag="move"):
    """A move in the game, for the question of this number. `sure`: yes, also if it is likely to be regretted."""

    ask: Ask
    move: Annotated[dict[str, Any], msgspec.Meta(min_length=1, max_length=6)]
    sure: bool = False


class Typed(ClientMessage, frozen=True, tag="typed"):
    """The same in words, as a person types them: for games without a table of their own."""

    ask: Ask
    text: Short
    sure: bool = False


class Choose(ClientMessage, frozen=True, tag="choose"):
    """Positions of cards that were looked at: the one to keep, or all, the one on top first."""

    ask: Ask
    choose: Annotated[tuple[Natural, ...], msgspec.Meta(min_length=1, max_length=CARDS_MAX)]


class SealText(ClientMessage, frozen=True, tag="seal"):
    """What goes into the envelope that the table waits for."""

    ask: Ask
    text: Short


class Without(ClientMessage, frozen=True, tag="without"):
    """The table should not wait for these seats."""

    seats: Annotated[tuple[SeatNumber, ...], msgspec.Meta(min_length=1, max_length=SEATS_MAX)]


class Break(ClientMessage, frozen=True, tag="break"):
    """The hand should be broken off."""


class Leave(ClientMessage, frozen=True, tag="leave"):
    """I leave the hand, and sit out."""


class SitOut(ClientMessage, frozen=True, tag="sit out"):
    """I play this hand to its end, and not the next ones."""


class Back(ClientMessage, frozen=True, tag="back"):
    """I play again, from the next hand on."""


class Claim(ClientMessage, frozen=True, tag="claim"):
    """A card of mine does not open: open the books."""


class Book(ClientMessage, frozen=True, tag="book"):
    """I open my books of the hands that are disputed."""


class LetIn(ClientMessage, frozen=True, tag="seat"):
    """Propose the table with the one of this name, who asks for a seat."""

    name: Short


class Agree(ClientMessage, frozen=True, tag="agree"):
    """I agree to the table that was proposed under this number."""

    proposal: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2}){1,64}\Z")]


class Chat(ClientMessage, frozen=True, tag="chat"):
    """Something for all at the table, beside the log."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=CHAT_MAX)]


class Answer(ClientMessage, frozen=True, tag="answer"):
    """What the person says to the question of the lobby that has this number, and to no other."""

    ask: Ask
    text: Short


class Deal(ClientMessage, frozen=True, tag="deal"):
    """Begin a table on this machine, with bots: which of those on offer, by how many, for how long, and who cheats."""

    game: Short
    name: Short
    seats: Annotated[int, msgspec.Meta(ge=2, le=9)]
    hands: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    settings: dict[Short, Short] = {}
    cheat: Short | None = None


class Save(ClientMessage, frozen=True, tag="save"):
    """Give me the log as a file; or the evidence of a fault, which is the log up to it."""

    what: Literal["log", "evidence"]


class Verify(ClientMessage, frozen=True, tag="verify"):
    """Verify the log in front of me, from its first byte."""


class Replay(ClientMessage, frozen=True, tag="replay"):
    """Show me a hand again, as people count."""

    hand: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


Said_ = (
    Move | Typed | Choose | SealText | Without | Break | Leave | SitOut | Back | Claim | Book | LetIn | Agree | Chat
    | Answer | Deal | Save | Verify | Replay
)  # fmt: skip
_said = msgspec.json.Decoder(Said_)


def read_said(text: str | bytes) -> Said_:
    """What a page says. Raises `DecodeError`."""
    data = text.encode(errors="replace") if isinstance(text, str) else text
    if len(data) > SAID_BYTES_MAX:
        raise DecodeError(f"what the page says has {len(data)} bytes, more than {SAID_BYTES_MAX}")
    try:
        said: Said_ = _said.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"what the page says: {error}") from None
    return said


# --- To the page ---


class Hello(ServerMessage, frozen=True, tag="hello"):
    """The first one of every connection."""

    page: int
    program: str
    role: Literal["player", "watcher", "replay"]
    name: str | None


class Notice(ServerMessage, frozen=True, tag="notice"):
    """Something that a person should read: of the connection, of a dropout, of an end. The page has the words."""

    kind: Literal["good", "note", "bad"]
    code: str
    #: What the words are about: names, numbers, reasons.
    of: dict[str, str | int] = {}
    #: What it is about, so that a later one takes its place.
    about: str = ""


class GameOffer(ServerMessage, frozen=True):
    """A game that can be begun here."""

    name: str
    note: str
    seats: int
    hands: int
    settings: tuple[tuple[str, str, str], ...]


class CheatOffer(ServerMessage, frozen=True):
    """A way to cheat that a bot can be told to take."""

    name: str
    does: str


class Offers(ServerMessage, frozen=True, tag="offers"):
    """What can be begun on this machine, and how a bot may cheat there."""

    games: tuple[GameOffer, ...]
    cheats: tuple[CheatOffer, ...]
    name: str
    game: str
    seats: int
    hands: int


class LobbyPerson(ServerMessage, frozen=True):
    """Somebody who has come, and what is known of the key behind the name."""

    name: str
    state: Literal["here", "asked", "agreed", "expected"]
    you: bool = False
    known: str = ""
    warn: bool = False
    #: The words of the key, where somebody has looked.
    key: str = ""


class LobbyQuestion(ServerMessage, frozen=True):
    """What the person is asked, about whom, and what can be answered. Another question has another number."""

    ask: int
    code: str
    name: str
    answers: tuple[str, ...]


class LobbyClock(ServerMessage, frozen=True):
    """Who keeps the time, and how many milliseconds there are for a move and in the bank."""

    keeper: str
    move: int
    bank: int


class LobbyProposal(ServerMessage, frozen=True):
    """All that the person agrees to, with what is set for it."""

    game: str
    protocol: str
    hands: int | None
    players: tuple[str, ...]
    warning: str | None
    #: Null where nobody keeps the time.
    clock: LobbyClock | None


class Lobby(ServerMessage, frozen=True, tag="lobby"):
    """Before the first hand."""

    people: tuple[LobbyPerson, ...]
    seats: int
    #: Links to play and to watch, and the first as a QR code: rows of "1" for dark.
    link: str | None = None
    watch: str | None = None
    qr: tuple[str, ...] = ()
    proposal: LobbyProposal | None = None
    question: LobbyQuestion | None = None


class Seated(ServerMessage, frozen=True):
    """A player, and six words of its key."""

    seat: int
    name: str
    key: str


class Table(ServerMessage, frozen=True, tag="table"):
    """What was agreed."""

    session: str
    words: tuple[str, ...]
    game: str
    #: Where the module of the game's table is, or null for the plain one.
    module: str | None
    note: str
    rules: tuple[Spans, ...]
    protocol: str
    proven: bool
    claims: tuple[tuple[str, str, bool], ...]
    warning: str | None
    rehearsal: bool
    you: int | None
    seats: tuple[Seated, ...]


class SeatNow(ServerMessage, frozen=True):
    """How a seat is."""

    seat: int
    name: str
    #: "gone" from this hand, "out" for good, "ended", or "here".
    state: Literal["here", "gone", "out", "ended"]
    chips: int | None
    #: What it owes: in words, and for how long the table has waited for it.
    owes: str | None = None
    waited: int = 0
    #: What is left of its time with its bank, in milliseconds, as the ticks and this machine's clock show it.
    left: int | None = None


class Named(ServerMessage, frozen=True):
    """A card of one's own by its name."""

    deck: int
    position: int
    name: str


class MayDo(ServerMessage, frozen=True):
    """What the person may do beside the game."""

    vote: bool = False
    #: Seats that this person has said so of, for all that they owe now.
    voted: tuple[int, ...] = ()
    votes_needed: int = 0
    voters: int = 0
    #: How many are enough where somebody's time is over; 0 where that makes no difference.
    late_needed: int = 0
    break_off: bool = False
    breaks_needed: int = 0
    #: What a break does now: ends the "hand", the "game" before its next hand, or the "log" after the last one.
    breaks: Breaks = "hand"
    leave: bool = False
    sit_out: bool = False
    back: bool = False
    claim: bool = False
    #: The table waits for a proof of this person's cards that cannot be given.
    unprovable: bool = False
    #: The hands whose books the person is asked for, as people count.
    books: tuple[int, ...] = ()


class Asker(ServerMessage, frozen=True):
    """Somebody who would like to sit, the words of its key, and what is known of it."""

    name: str
    key: str
    known: str = ""


class ProposedTable(ServerMessage, frozen=True):
    """A table that somebody proposes, and that this person has not agreed to."""

    proposal: str
    by: str
    players: tuple[str, ...]
    without: tuple[str, ...]
    keeper: str | None


class View(ServerMessage, frozen=True, tag="view"):
    """What the person sees now. `page` is the game's own document."""

    entry: int
    hand: int
    phase: Literal["between", "playing", "ended"]
    page: dict[str, Any]
    seats: tuple[SeatNow, ...]
    turn: tuple[int, ...]
    mine: tuple[Named, ...] = ()
    text: tuple[Spans, ...] = ()
    may: MayDo = MayDo()
    #: Too few are here for another hand: who would have to come back. Null where there are enough.
    alone: tuple[str, ...] | None = None
    asking: tuple[Asker, ...] = ()
    proposed: tuple[ProposedTable, ...] = ()


class Looked(ServerMessage, frozen=True):
    """A card that was looked at and has to be chosen about."""

    position: int
    text: Spans


class Asked(ServerMessage, frozen=True, tag="ask"):
    """The table waits for this person: for a move, for a choice about cards that it looked at, or for something to
    seal."""

    ask: int
    for_: Literal["move", "choose", "seal"] = msgspec.field(name="for")
    prompt: Spans = ()
    help: tuple[Spans, ...] = ()
    then: str | None = None
    seen: tuple[Looked, ...] = ()
    typed: bool = False


class Unasked(ServerMessage, frozen=True, tag="unask"):
    """Nothing is asked any more."""


class Refused(ServerMessage, frozen=True, tag="refused"):
    """What the page said is not possible: why, in the words of the game or the command, or else a code. The question
    stays open."""

    reason: str = ""
    ask: int | None = None
    code: RefusedCode = ""


class Doubt(ServerMessage, frozen=True, tag="doubt"):
    """A move that is likely to be regretted: say it again, with `sure`, if it is meant."""

    ask: int
    text: str


class Line(ServerMessage, frozen=True, tag="line"):
    """Something that happened, as the log has it."""

    entry: int | None
    hand: int
    event: str
    seat: int | None
    name: str | None
    lines: tuple[Spans, ...]
    #: For `begin`, `result`, `move` and `statement`: the data itself.
    data: Any = None


class Proof(ServerMessage, frozen=True, tag="proof"):
    """A step of the cards: sent, proven, and verified here. `took` is how many milliseconds this machine checked it."""

    entry: int
    hand: int
    seat: int
    name: str
    kind: str
    doing: str
    text: str
    bytes: int
    #: The names of its proofs, and how it stands: "own" for what this seat sent itself.
    checks: tuple[str, ...]
    state: Literal["verified", "own", "unproven", "false"]
    at: int
    took: float | None
    means: str = ""


class Working(ServerMessage, frozen=True, tag="working"):
    """Who is at work on the cards now: seat, kind of step, and what that is in words."""

    hand: int
    steps: tuple[tuple[int, str, str], ...]


class FaultFound(ServerMessage, frozen=True, tag="fault"):
    """The log proves that somebody cheated."""

    entry: int
    seat: int | None
    name: str | None
    check: str
    reason: str


class LogGrown(ServerMessage, frozen=True, tag="log"):
    """How long the log is, its head, and how many proofs were checked here."""

    entries: int
    bytes: int
    head: str
    proofs: int


class Chatted(ServerMessage, frozen=True, tag="chat"):
    """Somebody said something beside the log, and signed it."""

    seat: int
    name: str
    text: str


class HandDone(ServerMessage, frozen=True, tag="hand"):
    """A hand that can be shown again."""

    hand: int
    text: str


class Frame(ServerMessage, frozen=True):
    """A moment of a hand."""

    view: View
    lines: tuple[Line, ...]


class Replayed(ServerMessage, frozen=True, tag="replay"):
    """A hand, moment by moment; and how many there are to choose from."""

    hand: int
    frames: tuple[Frame, ...]


class File(ServerMessage, frozen=True, tag="file"):
    """A file to save."""

    name: str
    text: str


class Verdict(ServerMessage, frozen=True, tag="verdict"):
    """What an audit of the log found."""

    verdict: str
    report: dict[str, Any]
    took: float


class Cheating(ServerMessage, frozen=True, tag="cheat"):
    """A bot cheats, and what is claimed of that."""

    seat: int
    name: str
    does: str
    claim: str
    #: What came of it, once the game is over.
    came: str | None = None


class Over(ServerMessage, frozen=True, tag="over"):
    """Nothing more comes from this table. `again`: another one can be begun. `reason`: there was nothing to show."""

    again: bool
    reason: str = ""


def encoded(document: ServerMessage) -> bytes:
    """The bytes of a document."""
    return msgspec.json.encode(document)
