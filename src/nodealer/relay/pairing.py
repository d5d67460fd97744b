"""Spoken codes: how somebody who was told a number and two words gets the invitation, and nobody else does.

Both sides read and write one mailbox, a short list of frames at the relay that anybody may write to. Neither trusts it:
the words go into CPace, and whoever does not know them has one guess before the code is dead. docs/spec/invitations.md
has
the bytes, and says what this does not protect against.

No socket and no clock here: frames of the mailbox come in, in their order and with one's own among them, and frames to
append come out. An exchange is for one code and one person, and is never stored.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Final, NoReturn

import msgspec

from nodealer.cpace import ENTROPY_BYTES, SHARE_BYTES, Run
from nodealer.errors import BadParameter, BadSignature, CodeDead, DecodeError
from nodealer.keys import KEY_BYTES, SIGNATURE_BYTES, Identity, VerifyingKey, derive, extract, host_mark, seal, unseal
from nodealer.relay.invitations import Invitation, read_link, relay_address
from nodealer.relay.messages import MAILBOX_MAX
from nodealer.tape import digest, framed
from nodealer.wire import NAME_BYTES_MAX, Message, decode, encode
from nodealer.wordlist import WORD_BITS, word_list

_LABEL: Final = "nodealer/invite/v1"
CODE_WORDS: Final = 2
#: How long a code is good for.
SECONDS: Final = 600
#: After so many codes that somebody has tried, a host gives no more.
TRIED_MAX: Final = 3
SESSION_BYTES: Final = 16
CONFIRMATION_BYTES: Final = 64
FRAME_BYTES_MAX: Final = 4096
#: No relay of ours keeps so many in one mailbox. One that shows more does so to keep somebody busy.
FRAMES_MAX: Final = 64

_A: Final = "A"
_B: Final = "B"

Entropy = Callable[[int], bytes]

_Session = Annotated[bytes, msgspec.Meta(min_length=SESSION_BYTES, max_length=SESSION_BYTES)]
_Share = Annotated[bytes, msgspec.Meta(min_length=SHARE_BYTES, max_length=SHARE_BYTES)]
_Confirmation = Annotated[bytes, msgspec.Meta(min_length=CONFIRMATION_BYTES, max_length=CONFIRMATION_BYTES)]
_Key = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
_Signature = Annotated[bytes, msgspec.Meta(min_length=SIGNATURE_BYTES, max_length=SIGNATURE_BYTES)]


# --- The code ---


@dataclass(frozen=True)
class Code:
    """What one says and the other types. The number is public."""

    number: int
    words: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.number <= MAILBOX_MAX:
            raise BadParameter(f"a mailbox has a number from 1 to {MAILBOX_MAX}")
        if len(self.words) != CODE_WORDS or not set(self.words) <= set(word_list()):
            raise BadParameter(f"a code has {CODE_WORDS} words of the list")

    def __str__(self) -> str:
        return "-".join((str(self.number), *self.words))


def new_code(number: int, entropy: Entropy) -> Code:
    """A fresh code for a mailbox that the relay has given."""
    bits = int.from_bytes(entropy(4), "big")
    places = (bits >> (WORD_BITS * place) for place in range(CODE_WORDS))
    return Code(number, tuple(word_list()[place % (1 << WORD_BITS)] for place in places))


_CODE: Final = re.compile(r"([0-9]{1,6})[- ]+([a-z]+)[- ]+([a-z]+)")


def read_code(text: str) -> Code:
    """The code that somebody has typed: with hyphens or spaces, in letters of any size.

    Raises `DecodeError`, which says what is wrong: a mistyped word that is not in the list costs no try.
    """
    found = _CODE.fullmatch(text.strip().lower()) if len(text) <= 100 else None
    if found is None:
        raise DecodeError("a code is a number and two words, like 7-apple-river")
    number, *words = found.groups()
    for word in words:
        if word not in word_list():
            raise DecodeError(f"no code has the word {word!r}: look at it again")
    if not 1 <= int(number) <= MAILBOX_MAX:
        raise DecodeError(f"a code begins with a number from 1 to {MAILBOX_MAX}")
    return Code(int(number), tuple(words))


# --- The frames of a mailbox ---


class HostShare(Message, frozen=True, tag="host"):
    """1: message A."""

    session: _Session
    share: _Share


class GuestShare(Message, frozen=True, tag="guest"):
    """1 and 2: message B, and that its sender knows the words."""

    share: _Share
    confirmation: _Confirmation


class HostConfirms(Message, frozen=True, tag="hostConfirms"):
    """3: that the sender of message A knows the words."""

    confirmation: _Confirmation


class GuestSeals(Message, frozen=True, tag="guestSeals"):
    """4: who the guest is, as `GuestSays`, sealed."""

    sealed: bytes


class HostSeals(Message, frozen=True, tag="hostSeals"):
    """4: the invitation, as `HostSays`, sealed."""

    sealed: bytes


class PairingOver(Message, frozen=True, tag="over"):
    """One side has given up. Anybody can say this, as anybody can spoil a code."""


_Frame = HostShare | GuestShare | HostConfirms | GuestSeals | HostSeals | PairingOver


class GuestSays(Message, frozen=True):
    """The guest's key and name, and its signature over them and over what was said before."""

    key: _Key
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_BYTES_MAX)]
    signature: _Signature


class HostSays(Message, frozen=True):
    """The host's key, the fragment of a link to play, and its signature over them and over what was said before."""

    key: _Key
    invitation: str
    signature: _Signature


def _read(frame: bytes) -> _Frame | None:
    """A frame of ours, or None: anybody may write anything."""
    try:
        found: _Frame = decode(_Frame, frame, what="a frame", limit=FRAME_BYTES_MAX)
    except DecodeError:
        return None
    return found


# --- What both sides have once they have the key ---


class _Keys:
    """Everything that comes from the key of the exchange. Each sealing key seals one text."""

    def __init__(self, key: bytes, relay: str, number: int, host: bytes, guest_share: bytes) -> None:
        self._prk = extract(_LABEL, key)
        self._where = (relay, number)
        self._host, self._guest_share = host, guest_share

    # defence: reflected
    def confirmation(self, role: str) -> bytes:
        """That who says this has the key, for what both have said."""
        key = derive(self._prk, "confirm", size=CONFIRMATION_BYTES)
        return hmac.digest(key, framed(role, *self._where, self._host, self._guest_share), hashlib.sha512)

    def confirms(self, role: str, confirmation: bytes) -> bool:
        return hmac.compare_digest(self.confirmation(role), confirmation)

    @property
    def transcript(self) -> bytes:
        """What both have signed and sealed for: this exchange and no other."""
        return digest("invitation exchange", *self._where, self._host, self._guest_share)

    def seal(self, role: str, text: bytes) -> bytes:
        return seal(self._sealing(role), self.transcript, text)

    def unseal(self, role: str, sealed: bytes) -> bytes:
        return unseal(self._sealing(role), self.transcript, sealed)

    def _sealing(self, role: str) -> bytes:
        return derive(self._prk, "seal", role, size=KEY_BYTES)

    def guest_words(self, key: bytes, name: str) -> bytes:
        return framed(_LABEL, _B, self.transcript, key, name)

    def host_words(self, key: bytes, guest: bytes, invitation: str) -> bytes:
        return framed(_LABEL, _A, self.transcript, key, guest, invitation)


def _channel(relay: str, number: int) -> bytes:
    """Who the two are: their roles at this mailbox of this relay, the initiator first. The table is not in it, because
    the guest learns it only from the invitation."""
    return b"".join(framed(_LABEL, role, relay, number) for role in (_A, _B))


def _run(code: Code, relay: str, session: bytes, entropy: Entropy) -> Run:
    return Run("-".join(code.words).encode(), _channel(relay, code.number), session, entropy(ENTROPY_BYTES))


class _Exchange(ABC):
    """What host and guest share: a deadline, an end, and passing over what is not theirs."""

    def __init__(self, code: Code, relay: str, now: float) -> None:
        self._code = code
        self._relay = relay_address(relay)
        #: When the code is too old, on the clock that is given.
        self.expires = now + SECONDS
        #: What to append when the code is dead, so that the other side need not wait.
        self.last_words: tuple[bytes, ...] = ()
        self._dead: CodeDead | None = None
        self._seen: set[bytes] = set()
        self._count = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._code.number}>"

    def take(self, frame: bytes, now: float) -> tuple[bytes, ...]:
        """The next frame of the mailbox. Gives what to append.

        Raises `CodeDead` when the code is dead, and every time from then on. A frame that is there twice is the same
        frame: it was sent again.
        """
        if self._dead is not None:
            raise self._dead
        if now > self.expires:
            self.expire()
        self._count += 1
        if self._count > FRAMES_MAX:
            self._die("somebody has filled the mailbox", tried=True)
        found = _read(frame)
        if found is None or frame in self._seen:
            return ()
        self._seen.add(frame)
        return self._took(found, frame)

    def expire(self) -> NoReturn:
        """The time is over."""
        self._die("the code is too old: one is good for ten minutes", tried=False)

    def give_up(self) -> None:
        """Nobody waits for the other side any more, and it is to hear so."""
        self._dead = self._dead or CodeDead("it was given up", tried=False)
        self.last_words = (encode(PairingOver()),)

    @abstractmethod
    def _took(self, found: _Frame, frame: bytes) -> tuple[bytes, ...]:
        """What this side makes of a frame of ours that it has not seen. Gives what to append."""

    def _die(self, reason: str, *, tried: bool) -> NoReturn:
        self._dead = CodeDead(reason, tried=tried)
        self.last_words = (encode(PairingOver()),)
        raise self._dead


# --- The host ---


@dataclass(frozen=True)
class PairedGuest:
    """Who has come with a code. The name is as the guest has written it."""

    key: bytes
    name: str


class HostExchange(_Exchange):
    """A: the side that has made the code. `finished` is there when the invitation is in the mailbox."""

    def __init__(
        self, code: Code, relay: str, invitation: Invitation, identity: Identity, entropy: Entropy, now: float
    ) -> None:
        super().__init__(code, relay, now)
        if invitation.host != host_mark(identity.public):
            raise BadParameter("an invitation is handed out by the host whose mark it has")
        invitation.table_secret()
        self._invitation = invitation
        self._identity = identity
        session = entropy(SESSION_BYTES)
        self._run = _run(code, self._relay, session, entropy)
        self._message = encode(HostShare(session, self._run.share))
        self._keys: _Keys | None = None
        self._guest: PairedGuest | None = None
        #: The frame with the invitation, and whether the mailbox has it.
        self._sent = b""
        self._kept = False

    @property
    def first_words(self) -> tuple[bytes, ...]:
        """What to append before anything is read."""
        return (self._message,)

    @property
    def finished(self) -> PairedGuest | None:
        """Who has come, once everything is said."""
        return self._guest if self._kept else None

    def _took(self, found: _Frame, frame: bytes) -> tuple[bytes, ...]:
        if self._guest is not None:
            # Whatever comes now comes too late.
            self._kept = self._kept or frame == self._sent
            return ()
        match found:
            case HostShare() if frame != self._message:
                self._die("somebody else speaks as the host in this mailbox", tried=True)
            case GuestShare():
                return self._confirm(found)
            case GuestSeals() if self._keys is not None:
                return self._admit(self._keys, found)
            case PairingOver():
                self._die("the other side has given up: ask whether the code was typed rightly", tried=True)
        return ()

    # defence: guessed-code
    def _confirm(self, message: GuestShare) -> tuple[bytes, ...]:
        if self._keys is not None:
            self._die("two have answered to one code", tried=True)
        try:
            key = self._run.key_of_initiator(message.share)
        except DecodeError:
            self._die("somebody has answered with what no program of ours sends", tried=True)
        keys = _Keys(key, self._relay, self._code.number, self._message, message.share)
        if not keys.confirms(_B, message.confirmation):
            self._die("somebody has answered with a wrong code", tried=True)
        self._keys = keys
        return (encode(HostConfirms(keys.confirmation(_A))),)

    def _admit(self, keys: _Keys, message: GuestSeals) -> tuple[bytes, ...]:
        try:
            said = decode(GuestSays, keys.unseal(_B, message.sealed), what="what the guest says")
            VerifyingKey(said.key).verify(said.signature, keys.guest_words(said.key, said.name))
        except (DecodeError, BadSignature):
            self._die("somebody has changed what the guest says", tried=True)
        key, fragment = self._identity.public, self._invitation.fragment
        signature = self._identity.sign(keys.host_words(key, said.key, fragment))
        sealed = keys.seal(_A, encode(HostSays(key, fragment, signature)))
        self._guest, self._sent = PairedGuest(said.key, said.name), encode(HostSeals(sealed))
        return (self._sent,)


class PairingRecord:
    """All codes of one host at one table: who has come by them, and how many were tried by somebody else."""

    def __init__(self) -> None:
        #: Key to name: who has come by a code.
        self.admitted: dict[bytes, str] = {}
        self._tried = 0

    def refuse_when_tried(self) -> None:
        """Raise `CodeDead` when no more codes may be given."""
        if self._tried >= TRIED_MAX:
            raise CodeDead(
                f"{TRIED_MAX} codes did not work: somebody may be trying to get in. Send a link instead, by a way on "
                "which only your guest reads it",
                tried=True,
            )

    def dead(self, error: CodeDead) -> None:
        """A code is dead."""
        self._tried += error.tried

    def admit(self, guest: PairedGuest) -> None:
        """A code has done its work."""
        self.admitted[guest.key] = guest.name


# --- The guest ---


@dataclass(frozen=True)
class PairingWelcome:
    """What a guest gets: the way to the table, and whose it is."""

    invitation: Invitation
    host: bytes


class GuestExchange(_Exchange):
    """B: the side that was told the code. `finished` is there when the invitation has come."""

    def __init__(self, code: Code, relay: str, identity: Identity, name: str, entropy: Entropy, now: float) -> None:
        super().__init__(code, relay, now)
        self._identity = identity
        self._name = name
        self._entropy = entropy
        #: What this side has said as message B, and the message A that it answers.
        self._message: bytes | None = None
        self._answered: bytes | None = None
        self._keys: _Keys | None = None
        self._confirmed = False
        self._welcome: PairingWelcome | None = None

    @property
    def first_words(self) -> tuple[bytes, ...]:
        """Nothing: the host speaks first."""
        return ()

    @property
    def finished(self) -> PairingWelcome | None:
        """The invitation, once everything is said."""
        return self._welcome

    def _took(self, found: _Frame, frame: bytes) -> tuple[bytes, ...]:
        match found:
            case HostShare():
                return self._answer(found, frame)
            case GuestShare() if frame != self._message:
                self._die("somebody else has used this code, or tries to: ask the host for another", tried=True)
            case HostConfirms() if self._keys is not None and not self._confirmed:
                return self._say_who(self._keys, found)
            case HostSeals() if self._keys is not None and self._confirmed:
                return self._come(self._keys, found)
            case PairingOver():
                self._die("the code does not work: ask the host for another", tried=False)
        return ()

    def _answer(self, message: HostShare, frame: bytes) -> tuple[bytes, ...]:
        if self._answered is not None:
            self._die("two speak as the host in this mailbox: ask the host for another code", tried=True)
        run = _run(self._code, self._relay, message.session, self._entropy)
        try:
            key = run.key_of_responder(message.share)
        except DecodeError:
            self._die("somebody speaks as the host who is no program of ours", tried=True)
        self._keys = _Keys(key, self._relay, self._code.number, frame, run.share)
        self._answered = frame
        self._message = encode(GuestShare(run.share, self._keys.confirmation(_B)))
        return (self._message,)

    def _say_who(self, keys: _Keys, message: HostConfirms) -> tuple[bytes, ...]:
        if not keys.confirms(_A, message.confirmation):
            self._die("whoever has answered does not know the code: ask the host for another", tried=True)
        self._confirmed = True
        key = self._identity.public
        signature = self._identity.sign(keys.guest_words(key, self._name))
        sealed = keys.seal(_B, encode(GuestSays(key, self._name, signature)))
        return (encode(GuestSeals(sealed)),)

    def _come(self, keys: _Keys, message: HostSeals) -> tuple[bytes, ...]:
        try:
            said = decode(HostSays, keys.unseal(_A, message.sealed), what="what the host says")
            words = keys.host_words(said.key, self._identity.public, said.invitation)
            VerifyingKey(said.key).verify(said.signature, words)
            invitation = read_link(said.invitation)
        except (DecodeError, BadSignature):
            self._die("somebody has changed what the host says: ask for another code", tried=True)
        if invitation.host != host_mark(said.key) or not invitation.to_play:
            self._die("the host has sent an invitation that is not its own", tried=False)
        self._welcome = PairingWelcome(invitation, said.key)
        return ()


Exchange = HostExchange | GuestExchange
