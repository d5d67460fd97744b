"""The messages between a page and the program behind it: JSON, one object per message. docs/spec/page.md lists them.

A page cannot be trusted: its messages are limited in size, decoded strictly, and treated like bytes from a stranger.
Messages to a page contain text and numbers, never markup, and nothing that its person must not see.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from nodealer.errors import DecodeError
from nodealer.games.text import Line as GameLine
from nodealer.games.text import Text
from nodealer.wire import CARDS_MAX, SEATS_MAX, Natural, SeatNumber

#: The version of all messages together. A page of another version asks to be reloaded.
PAGE_VERSION: Final = 1
#: The longest message from a page, in bytes.
CLIENT_MESSAGE_BYTES_MAX: Final = 1 << 16
#: The longest chat message, in characters.
CHAT_MAX: Final = 280

#: Text in pieces, each with its kind, or null for plain text.
Spans = tuple[tuple[str, str | None], ...]


#: Why a message was refused, if the page has the text.
RefusedCode = Literal["", "late", "not now", "no log", "not here"]
#: What an abort vote ends now.
Breaks = Literal["hand", "game", "log"]


def spans(text: Text) -> Spans:
    """Convert a game's text for the page."""
    if isinstance(text, GameLine):
        return tuple((span.text, span.mark) for span in text.spans)
    return ((text, None),) if text else ()


class ServerMessage(msgspec.Struct, frozen=True):
    """Base class of messages to the page. "type" says which one it is."""


# --- From the page ---


class ClientMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of messages from the page."""


Short = Annotated[str, msgspec.Meta(max_length=200)]
Ask = Annotated[int, msgspec.Meta(ge=1, le=2**31)]


class Move(ClientMessage, frozen=True, tag="move"):
    """Make a move, in answer to the question with this number. `sure` confirms a move that raised a doubt."""

    ask: Ask
    move: Annotated[dict[str, Any], msgspec.Meta(min_length=1, max_length=6)]
    sure: bool = False


class TypedMove(ClientMessage, frozen=True, tag="typed"):
    """Make a move in words, as a person types them. For games without a table of their own."""

    ask: Ask
    text: Short
    sure: bool = False


class Choose(ClientMessage, frozen=True, tag="choose"):
    """Choose among peeked cards, by position: the one to keep, or all of them, the top card first."""

    ask: Ask
    choose: Annotated[tuple[Natural, ...], msgspec.Meta(min_length=1, max_length=CARDS_MAX)]


class SealText(ClientMessage, frozen=True, tag="seal"):
    """Seal this text in the envelope that the table is waiting for."""

    ask: Ask
    text: Short


class Without(ClientMessage, frozen=True, tag="without"):
    """Vote to go on without these seats."""

    seats: Annotated[tuple[SeatNumber, ...], msgspec.Meta(min_length=1, max_length=SEATS_MAX)]


class Break(ClientMessage, frozen=True, tag="break"):
    """Vote to abort the hand."""


class Leave(ClientMessage, frozen=True, tag="leave"):
    """Leave the hand, and play no further one."""


class SitOut(ClientMessage, frozen=True, tag="sit out"):
    """Play this hand to its end, but not the next ones."""


class Back(ClientMessage, frozen=True, tag="back"):
    """Play again from the next hand on."""


class Claim(ClientMessage, frozen=True, tag="claim"):
    """Dispute a card that does not open."""


class Book(ClientMessage, frozen=True, tag="book"):
    """Disclose this player's secrets of the disputed hands."""


class LetIn(ClientMessage, frozen=True, tag="seat"):
    """Propose a table with the person of this name, who asks for a seat."""

    name: Short


class Agree(ClientMessage, frozen=True, tag="agree"):
    """Agree to the proposed table with this number."""

    proposal: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2}){1,64}\Z")]


class Chat(ClientMessage, frozen=True, tag="chat"):
    """Say something to everyone at the table. It is not part of the log."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=CHAT_MAX)]


class Answer(ClientMessage, frozen=True, tag="answer"):
    """Answer the lobby question with this number. An answer to any other question is ignored."""

    ask: Ask
    text: Short


class Deal(ClientMessage, frozen=True, tag="deal"):
    """Start a table with bots on this machine: which game, how many players and hands, and how a bot cheats."""

    game: Short
    name: Short
    seats: Annotated[int, msgspec.Meta(ge=2, le=9)]
    hands: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    settings: dict[Short, Short] = {}
    cheat: Short | None = None


class Save(ClientMessage, frozen=True, tag="save"):
    """Ask for the log as a file, or for the evidence of a fault: the log up to that fault."""

    what: Literal["log", "evidence"]


class Verify(ClientMessage, frozen=True, tag="verify"):
    """Ask for an audit of the log, from its first byte."""


class Replay(ClientMessage, frozen=True, tag="replay"):
    """Ask to see a hand again. Hands are counted from 1."""

    hand: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


AnyClientMessage = (
    Move | TypedMove | Choose | SealText | Without | Break | Leave | SitOut | Back | Claim | Book | LetIn | Agree | Chat
    | Answer | Deal | Save | Verify | Replay
)  # fmt: skip
_decoder = msgspec.json.Decoder(AnyClientMessage)


def read_client_message(text: str | bytes) -> AnyClientMessage:
    """Decode a message from a page. Raises `DecodeError` if it is too long or not a valid message."""
    data = text.encode(errors="replace") if isinstance(text, str) else text
    if len(data) > CLIENT_MESSAGE_BYTES_MAX:
        raise DecodeError(f"the message from the page has {len(data)} bytes, more than {CLIENT_MESSAGE_BYTES_MAX}")
    try:
        message: AnyClientMessage = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"the message from the page is invalid: {error}") from None
    return message


# --- To the page ---


class Hello(ServerMessage, frozen=True, tag="hello"):
    """The first message of every connection."""

    page: int
    program: str
    role: Literal["player", "watcher", "replay"]
    name: str | None


class Notice(ServerMessage, frozen=True, tag="notice"):
    """Something the person should read: about the connection, a player who left, the end. The page has the text."""

    kind: Literal["good", "note", "bad"]
    code: str
    #: What the text needs: names, numbers, reasons.
    of: dict[str, str | int] = {}
    #: The topic. A later notice on the same topic replaces this one.
    about: str = ""


class GameOffer(ServerMessage, frozen=True):
    """A game that can be started here."""

    name: str
    note: str
    seats: int
    hands: int
    settings: tuple[tuple[str, str, str], ...]


class CheatOffer(ServerMessage, frozen=True):
    """A way in which a bot can cheat."""

    name: str
    does: str


class Offers(ServerMessage, frozen=True, tag="offers"):
    """The games that can be started on this machine, and how a bot may cheat there."""

    games: tuple[GameOffer, ...]
    cheats: tuple[CheatOffer, ...]
    name: str
    game: str
    seats: int
    hands: int


class LobbyPerson(ServerMessage, frozen=True):
    """A person in the lobby, and what is known about their key."""

    name: str
    state: Literal["here", "asked", "agreed", "expected"]
    you: bool = False
    known: str = ""
    warn: bool = False
    #: The words of the key, if it was compared with the contacts.
    key: str = ""


class LobbyQuestion(ServerMessage, frozen=True):
    """A question to the person: its number, what it is about, and the possible answers."""

    ask: int
    code: str
    name: str
    answers: tuple[str, ...]


class LobbyClock(ServerMessage, frozen=True):
    """The timekeeper's name, and the milliseconds for a move and in the time bank."""

    keeper: str
    move: int
    bank: int


class LobbyProposal(ServerMessage, frozen=True):
    """Everything the person agrees to, with its settings."""

    game: str
    protocol: str
    hands: int | None
    players: tuple[str, ...]
    warning: str | None
    #: Null if there is no timekeeper.
    clock: LobbyClock | None


class Lobby(ServerMessage, frozen=True, tag="lobby"):
    """The lobby: what is shown before the first hand."""

    people: tuple[LobbyPerson, ...]
    seats: int
    #: Player link and spectator link, and the first as a QR code: rows of "1" for dark.
    link: str | None = None
    watch: str | None = None
    qr: tuple[str, ...] = ()
    proposal: LobbyProposal | None = None
    question: LobbyQuestion | None = None


class SeatedPlayer(ServerMessage, frozen=True):
    """A player, and the six words of their key."""

    seat: int
    name: str
    key: str


class Table(ServerMessage, frozen=True, tag="table"):
    """The game that the players agreed on, and who is seated."""

    session: str
    words: tuple[str, ...]
    game: str
    #: The path of the game's table module, or null for the plain table.
    module: str | None
    note: str
    rules: tuple[Spans, ...]
    protocol: str
    proven: bool
    claims: tuple[tuple[str, str, bool], ...]
    warning: str | None
    rehearsal: bool
    you: int | None
    seats: tuple[SeatedPlayer, ...]


class SeatStatus(ServerMessage, frozen=True):
    """The current status of a seat."""

    seat: int
    name: str
    #: "gone" from this hand, "out" for good (caught cheating), "ended", or "here".
    state: Literal["here", "gone", "out", "ended"]
    chips: int | None
    #: What the seat owes, in words, and for how many seconds the table has waited for it.
    owes: str | None = None
    waited: int = 0
    #: The seat's remaining time including its bank, in milliseconds, by the ticks and this machine's clock.
    left: int | None = None


class OwnCard(ServerMessage, frozen=True):
    """One of the person's own cards, by name."""

    deck: int
    position: int
    name: str


class AllowedActions(ServerMessage, frozen=True):
    """The actions the person may take besides playing: votes, leaving, disputes."""

    vote: bool = False
    #: Seats that this person has voted to go on without, for everything they owe now.
    voted: tuple[int, ...] = ()
    votes_needed: int = 0
    voters: int = 0
    #: How many votes are enough once a player's time is up; 0 if that makes no difference.
    late_needed: int = 0
    break_off: bool = False
    breaks_needed: int = 0
    #: What an abort vote ends now: the "hand", the "game" before its next hand, or the "log" after the last one.
    breaks: Breaks = "hand"
    leave: bool = False
    sit_out: bool = False
    back: bool = False
    claim: bool = False
    #: The table is waiting for a proof about this person's cards that they cannot give.
    unprovable: bool = False
    #: The disputed hands whose secrets the person is asked to disclose, counted from 1.
    books: tuple[int, ...] = ()


class SeatRequest(ServerMessage, frozen=True):
    """A person who asks for a seat, the words of their key, and what is known about it."""

    name: str
    key: str
    known: str = ""


class ProposedTable(ServerMessage, frozen=True):
    """A proposed roster that this person has not agreed to yet."""

    proposal: str
    by: str
    players: tuple[str, ...]
    without: tuple[str, ...]
    keeper: str | None


class View(ServerMessage, frozen=True, tag="view"):
    """The table as the person sees it now. `page` is the game's own part."""

    entry: int
    hand: int
    phase: Literal["between", "playing", "ended"]
    page: dict[str, Any]
    seats: tuple[SeatStatus, ...]
    turn: tuple[int, ...]
    mine: tuple[OwnCard, ...] = ()
    text: tuple[Spans, ...] = ()
    may: AllowedActions = AllowedActions()
    #: If too few players are left for another hand: who would have to come back. Null if there are enough.
    alone: tuple[str, ...] | None = None
    asking: tuple[SeatRequest, ...] = ()
    proposed: tuple[ProposedTable, ...] = ()


class PeekedCard(ServerMessage, frozen=True):
    """A card that the person has peeked at and has to make a choice about."""

    position: int
    text: Spans


class QuestionOpen(ServerMessage, frozen=True, tag="ask"):
    """The table is waiting for this person: for a move, a choice about peeked cards, or something to seal."""

    ask: int
    for_: Literal["move", "choose", "seal"] = msgspec.field(name="for")
    prompt: Spans = ()
    help: tuple[Spans, ...] = ()
    then: str | None = None
    seen: tuple[PeekedCard, ...] = ()
    typed: bool = False


class QuestionClosed(ServerMessage, frozen=True, tag="unask"):
    """The question is no longer open."""


class Refused(ServerMessage, frozen=True, tag="refused"):
    """A message from the page was refused. The question stays open.

    `reason` is in the words of the game or the command; if it is empty, `code` says why and the page has the text.
    """

    reason: str = ""
    ask: int | None = None
    code: RefusedCode = ""


class Doubt(ServerMessage, frozen=True, tag="doubt"):
    """The move is one the person might regret. To make it anyway, send it again with `sure`."""

    ask: int
    text: str


class Line(ServerMessage, frozen=True, tag="line"):
    """Something that happened, as it is in the log."""

    entry: int | None
    hand: int
    event: str
    seat: int | None
    name: str | None
    lines: tuple[Spans, ...]
    #: The data, for `begin`, `result`, `move` and `statement`.
    data: Any = None


class Proof(ServerMessage, frozen=True, tag="proof"):
    """A card operation: sent, proved and verified here. `took` is how many milliseconds the check took."""

    entry: int
    hand: int
    seat: int
    name: str
    kind: str
    doing: str
    text: str
    bytes: int
    #: The names of its proofs, and the result of the check: "own" for what this seat sent itself.
    checks: tuple[str, ...]
    state: Literal["verified", "own", "unproven", "false"]
    at: int
    took: float | None
    means: str = ""


class CardWork(ServerMessage, frozen=True, tag="working"):
    """The card operations in progress: seat, kind of step, and its description."""

    hand: int
    steps: tuple[tuple[int, str, str], ...]


class FaultFound(ServerMessage, frozen=True, tag="fault"):
    """The log proves that a player cheated."""

    entry: int
    seat: int | None
    name: str | None
    check: str
    reason: str


class LogStatus(ServerMessage, frozen=True, tag="log"):
    """The length of the log, its head, and how many proofs were checked here."""

    entries: int
    bytes: int
    head: str
    proofs: int


class ChatLine(ServerMessage, frozen=True, tag="chat"):
    """A signed chat message from a player. It is not part of the log."""

    seat: int
    name: str
    text: str


class HandDone(ServerMessage, frozen=True, tag="hand"):
    """A finished hand, which can be replayed."""

    hand: int
    text: str


class ReplayFrame(ServerMessage, frozen=True):
    """One moment of a replayed hand."""

    view: View
    lines: tuple[Line, ...]


class HandReplay(ServerMessage, frozen=True, tag="replay"):
    """A hand, moment by moment. It has no frames if the log has no such hand."""

    hand: int
    frames: tuple[ReplayFrame, ...]


class File(ServerMessage, frozen=True, tag="file"):
    """A file to save."""

    name: str
    text: str


class Verdict(ServerMessage, frozen=True, tag="verdict"):
    """The result of an audit of the log."""

    verdict: str
    report: dict[str, Any]
    took: float


class CheatStatus(ServerMessage, frozen=True, tag="cheat"):
    """A bot that cheats on request, and what the protocol claims about that cheat."""

    seat: int
    name: str
    does: str
    claim: str
    #: What the cheat led to, once the game is over.
    came: str | None = None


class TableOver(ServerMessage, frozen=True, tag="over"):
    """This table is finished. `again`: another can be started. `reason`: why there was nothing to show."""

    again: bool
    reason: str = ""


def encode_message(message: ServerMessage) -> bytes:
    """Encode a message to the page."""
    return msgspec.json.encode(message)
