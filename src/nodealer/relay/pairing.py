"""Pairing codes: a guest who knows a number and two words gets the invitation, and no one else does.

Both sides read and write one mailbox, a short list of frames at the relay to which anyone may write. Neither side
trusts it: the words are the password of a CPace exchange, and anyone who does not know them has one guess before the
code is dead. docs/spec/invitations.md specifies the bytes, and says what this does not protect against.

This module has no socket and no clock: the mailbox's frames come in, in order and including one's own, and frames to
append are returned. An exchange is for one code and one person, and is never stored.
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
from nodealer.relay.invitations import Invitation, normalize_relay_address, parse_link
from nodealer.relay.messages import MAILBOX_MAX
from nodealer.tape import digest, framed
from nodealer.wire import NAME_BYTES_MAX, Message, decode, encode
from nodealer.wordlist import WORD_BITS, word_list

_LABEL: Final = "nodealer/invite/v1"
CODE_WORDS: Final = 2
#: How many seconds a code is valid.
SECONDS: Final = 600
#: A host issues no more codes after this many were attacked.
TRIED_MAX: Final = 3
SESSION_BYTES: Final = 16
CONFIRMATION_BYTES: Final = 64
FRAME_BYTES_MAX: Final = 4096
#: More frames than a mailbox of our relay can have. A relay that shows more is trying to keep the client busy.
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
    """A pairing code, which one person says and the other types. The number is public."""

    number: int
    words: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        """Check the mailbox number and the words. Raises `BadParameter`."""
        if not 1 <= self.number <= MAILBOX_MAX:
            raise BadParameter(f"a mailbox number must be from 1 to {MAILBOX_MAX}")
        if len(self.words) != CODE_WORDS or not set(self.words) <= set(word_list()):
            raise BadParameter(f"a code must have {CODE_WORDS} words of the word list")

    def __str__(self) -> str:
        """Return the code as people say it: number and words, joined by hyphens."""
        return "-".join((str(self.number), *self.words))


def new_code(number: int, entropy: Entropy) -> Code:
    """Return a random code for a mailbox that the relay has issued."""
    bits = int.from_bytes(entropy(4), "big")
    places = (bits >> (WORD_BITS * place) for place in range(CODE_WORDS))
    return Code(number, tuple(word_list()[place % (1 << WORD_BITS)] for place in places))


_CODE: Final = re.compile(r"([0-9]{1,6})[- ]+([a-z]+)[- ]+([a-z]+)")


def parse_code(text: str) -> Code:
    """Parse a code as typed: with hyphens or spaces, in upper or lower case.

    Raise `DecodeError` with a sentence that says what is wrong. A mistyped word that is not in the list does not use up
    the code.
    """
    found = _CODE.fullmatch(text.strip().lower()) if len(text) <= 100 else None
    if found is None:
        raise DecodeError("a code is a number and two words, such as 7-apple-river")
    number, *words = found.groups()
    for word in words:
        if word not in word_list():
            raise DecodeError(f"{word!r} is not in the list of code words; check the spelling")
    if not 1 <= int(number) <= MAILBOX_MAX:
        raise DecodeError(f"a code starts with a number from 1 to {MAILBOX_MAX}")
    return Code(int(number), tuple(words))


# --- The frames of a mailbox ---


class HostShare(Message, frozen=True, tag="host"):
    """Step 1: message A of CPace."""

    session: _Session
    share: _Share


class GuestShare(Message, frozen=True, tag="guest"):
    """Steps 1 and 2: message B of CPace, and the proof that its sender knows the words."""

    share: _Share
    confirmation: _Confirmation


class HostConfirms(Message, frozen=True, tag="hostConfirms"):
    """Step 3: the proof that the sender of message A knows the words."""

    confirmation: _Confirmation


class GuestSeals(Message, frozen=True, tag="guestSeals"):
    """Step 4: the guest's identity, a sealed `GuestIdentity`."""

    sealed: bytes


class HostSeals(Message, frozen=True, tag="hostSeals"):
    """Step 4: the invitation, a sealed `HostInvitation`."""

    sealed: bytes


class PairingOver(Message, frozen=True, tag="over"):
    """One side has given up. Anyone can send this, just as anyone can spoil a code."""


_Frame = HostShare | GuestShare | HostConfirms | GuestSeals | HostSeals | PairingOver


class GuestIdentity(Message, frozen=True):
    """The guest's key and name, and their signature over these and the exchange so far."""

    key: _Key
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_BYTES_MAX)]
    signature: _Signature


class HostInvitation(Message, frozen=True):
    """The host's key, the fragment of a player link, and their signature over these and the exchange so far."""

    key: _Key
    invitation: str
    signature: _Signature


def _read(frame: bytes) -> _Frame | None:
    """Parse a frame; None if it is not one of ours, because anyone may write anything."""
    try:
        found: _Frame = decode(_Frame, frame, what="a frame", limit=FRAME_BYTES_MAX)
    except DecodeError:
        return None
    return found


# --- What both sides derive from the shared key ---


class _Keys:
    """Everything derived from the exchange's shared key. Each sealing key seals only one text."""

    def __init__(self, key: bytes, relay: str, number: int, host: bytes, guest_share: bytes) -> None:
        """Derive the keys from the CPace key `key` for this mailbox, and bind them to the shares of both sides."""
        self._prk = extract(_LABEL, key)
        self._mailbox = (relay, number)
        self._host, self._guest_share = host, guest_share

    # defence: reflected
    def confirmation(self, role: str) -> bytes:
        """Return the proof that the sender has the key, bound to what both sides have sent."""
        key = derive(self._prk, "confirm", size=CONFIRMATION_BYTES)
        return hmac.digest(key, framed(role, *self._mailbox, self._host, self._guest_share), hashlib.sha512)

    def confirms(self, role: str, confirmation: bytes) -> bool:
        """Return whether a confirmation is the one expected of this role."""
        return hmac.compare_digest(self.confirmation(role), confirmation)

    @property
    def transcript(self) -> bytes:
        """Return the hash that both sides sign and seal for: it identifies this exchange."""
        return digest("invitation exchange", *self._mailbox, self._host, self._guest_share)

    def seal(self, role: str, text: bytes) -> bytes:
        """Seal a text as this role."""
        return seal(self._sealing_key(role), self.transcript, text)

    def unseal(self, role: str, sealed: bytes) -> bytes:
        """Open what this role sealed. Raise `DecodeError` if it was changed."""
        return unseal(self._sealing_key(role), self.transcript, sealed)

    def _sealing_key(self, role: str) -> bytes:
        """Return the key that seals the one text of this role."""
        return derive(self._prk, "seal", role, size=KEY_BYTES)

    def guest_signed_bytes(self, key: bytes, name: str) -> bytes:
        """Return the bytes that the guest signs."""
        return framed(_LABEL, _B, self.transcript, key, name)

    def host_signed_bytes(self, key: bytes, guest: bytes, invitation: str) -> bytes:
        """Return the bytes that the host signs."""
        return framed(_LABEL, _A, self.transcript, key, guest, invitation)


def _channel(relay: str, number: int) -> bytes:
    """Return the identifiers of the two parties: their roles at this mailbox of this relay, the initiator first.

    The table is not included, because the guest learns it only from the invitation.
    """
    return b"".join(framed(_LABEL, role, relay, number) for role in (_A, _B))


def _start_cpace(code: Code, relay: str, session: bytes, entropy: Entropy) -> Run:
    """Start this side's run of CPace with the words of the code as the password."""
    return Run("-".join(code.words).encode(), _channel(relay, code.number), session, entropy(ENTROPY_BYTES))


class _Exchange(ABC):
    """What host and guest have in common: a deadline, failure, and skipping foreign frames."""

    def __init__(self, code: Code, relay: str, now: float) -> None:
        """Start the exchange of one code at `now`, in seconds. It expires if it takes too long."""
        self._code = code
        self._relay = normalize_relay_address(relay)
        #: When the code expires, on the caller's clock.
        self.expires = now + SECONDS
        #: Frames to append when the exchange has failed, so that the other side need not wait.
        self.last_frames: tuple[bytes, ...] = ()
        self._dead: CodeDead | None = None
        self._seen: set[bytes] = set()
        self._count = 0

    def __repr__(self) -> str:
        """Show the mailbox number, but not the secret words."""
        return f"<{type(self).__name__} {self._code.number}>"

    def receive(self, frame: bytes, now: float) -> tuple[bytes, ...]:
        """Process the next frame of the mailbox, and return the frames to append.

        Raise `CodeDead` when the code is dead, and on every later call. A repeated frame is ignored: it was only sent
        again.
        """
        if self._dead is not None:
            raise self._dead
        if now > self.expires:
            self.expire()
        self._count += 1
        if self._count > FRAMES_MAX:
            self._fail("someone has flooded the mailbox", tried=True)
        found = _read(frame)
        if found is None or frame in self._seen:
            return ()
        self._seen.add(frame)
        return self._handle(found, frame)

    def expire(self) -> NoReturn:
        """Fail because the time is up: always raises `CodeDead`."""
        self._fail("the code has expired; codes are valid for ten minutes", tried=False)

    def give_up(self) -> None:
        """Stop waiting for the other side; `last_frames` tell it so."""
        self._dead = self._dead or CodeDead("the code was withdrawn", tried=False)
        self.last_frames = (encode(PairingOver()),)

    @abstractmethod
    def _handle(self, found: _Frame, frame: bytes) -> tuple[bytes, ...]:
        """Process a valid frame that was not seen before, and return the frames to append."""

    def _fail(self, reason: str, *, tried: bool) -> NoReturn:
        """Mark the code as dead and raise `CodeDead`. `tried` means that it may have been attacked."""
        self._dead = CodeDead(reason, tried=tried)
        self.last_frames = (encode(PairingOver()),)
        raise self._dead


# --- The host ---


@dataclass(frozen=True)
class PairedGuest:
    """A guest who has used a code. The name is as the guest wrote it."""

    key: bytes
    name: str


class HostExchange(_Exchange):
    """Side A, which created the code. `finished` is set once the invitation is in the mailbox."""

    def __init__(
        self, code: Code, relay: str, invitation: Invitation, identity: Identity, entropy: Entropy, now: float
    ) -> None:
        """Prepare the host's first message. Raises `BadParameter` if the invitation names another host."""
        super().__init__(code, relay, now)
        if invitation.host != host_mark(identity.public):
            raise BadParameter("only the host named in an invitation can hand it out")
        invitation.table_secret()
        self._invitation = invitation
        self._identity = identity
        session = entropy(SESSION_BYTES)
        self._cpace = _start_cpace(code, self._relay, session, entropy)
        self._message = encode(HostShare(session, self._cpace.share))
        self._keys: _Keys | None = None
        self._guest: PairedGuest | None = None
        #: The frame with the invitation, and whether the mailbox has stored it.
        self._sent = b""
        self._delivered = False

    @property
    def first_frames(self) -> tuple[bytes, ...]:
        """Return the frames to append before reading anything."""
        return (self._message,)

    @property
    def finished(self) -> PairedGuest | None:
        """Return the guest once the exchange is complete, else None."""
        return self._guest if self._delivered else None

    def _handle(self, found: _Frame, frame: bytes) -> tuple[bytes, ...]:
        """Handle the guest's next frame, and return the frames to send. Ends the exchange if someone interferes."""
        if self._guest is not None:
            # Anything that arrives now is too late.
            self._delivered = self._delivered or frame == self._sent
            return ()
        match found:
            case HostShare() if frame != self._message:
                self._fail("someone else is posing as the host in this mailbox", tried=True)
            case GuestShare():
                return self._confirm(found)
            case GuestSeals() if self._keys is not None:
                return self._accept_guest(self._keys, found)
            case PairingOver():
                self._fail("the guest's program gave up: ask whether the code was typed correctly", tried=True)
        return ()

    # defence: guessed-code
    def _confirm(self, message: GuestShare) -> tuple[bytes, ...]:
        """Check that the guest knows the words, and return the host's confirmation."""
        if self._keys is not None:
            self._fail("two people answered the same code", tried=True)
        try:
            key = self._cpace.key_of_initiator(message.share)
        except DecodeError:
            self._fail("someone answered with an invalid message", tried=True)
        keys = _Keys(key, self._relay, self._code.number, self._message, message.share)
        if not keys.confirms(_B, message.confirmation):
            self._fail("someone answered with a wrong code", tried=True)
        self._keys = keys
        return (encode(HostConfirms(keys.confirmation(_A))),)

    def _accept_guest(self, keys: _Keys, message: GuestSeals) -> tuple[bytes, ...]:
        """Check the guest's identity, and return the sealed invitation."""
        try:
            said = decode(GuestIdentity, keys.unseal(_B, message.sealed), what="the guest's message")
            VerifyingKey(said.key).verify(said.signature, keys.guest_signed_bytes(said.key, said.name))
        except (DecodeError, BadSignature):
            self._fail("someone has changed the guest's message", tried=True)
        key, fragment = self._identity.public, self._invitation.fragment
        signature = self._identity.sign(keys.host_signed_bytes(key, said.key, fragment))
        sealed = keys.seal(_A, encode(HostInvitation(key, fragment, signature)))
        self._guest, self._sent = PairedGuest(said.key, said.name), encode(HostSeals(sealed))
        return (self._sent,)


class PairingRecord:
    """All codes of one host at one table: the guests who used them, and how many were attacked."""

    def __init__(self) -> None:
        """Start without codes."""
        #: The names of the guests who used a code, by key.
        self.admitted: dict[bytes, str] = {}
        self._tried = 0

    def refuse_after_attacks(self) -> None:
        """Raise `CodeDead` if no more codes may be issued."""
        if self._tried >= TRIED_MAX:
            raise CodeDead(
                f"{TRIED_MAX} codes failed: someone may be trying to get in. Send a link instead, over a channel "
                "that only your guest can read",
                tried=True,
            )

    def count_failure(self, error: CodeDead) -> None:
        """Count a dead code if it may have been attacked."""
        self._tried += error.tried

    def admit(self, guest: PairedGuest) -> None:
        """Remember the guest who used a code."""
        self.admitted[guest.key] = guest.name


# --- The guest ---


@dataclass(frozen=True)
class PairingWelcome:
    """What a guest receives: the invitation, and the host's key."""

    invitation: Invitation
    host: bytes


class GuestExchange(_Exchange):
    """Side B: the guest, who has the code. `finished` is set once the invitation has arrived."""

    def __init__(self, code: Code, relay: str, identity: Identity, name: str, entropy: Entropy, now: float) -> None:
        """Prepare to answer the host, as the guest with this identity and name."""
        super().__init__(code, relay, now)
        self._identity = identity
        self._name = name
        self._entropy = entropy
        #: The message B that this side sent, and the message A that it answers.
        self._message: bytes | None = None
        self._answered: bytes | None = None
        self._keys: _Keys | None = None
        self._confirmed = False
        self._welcome: PairingWelcome | None = None

    @property
    def first_frames(self) -> tuple[bytes, ...]:
        """Return nothing: the host sends the first frame."""
        return ()

    @property
    def finished(self) -> PairingWelcome | None:
        """Return the invitation once the exchange is complete, else None."""
        return self._welcome

    def _handle(self, found: _Frame, frame: bytes) -> tuple[bytes, ...]:
        """Handle the host's next frame, and return the frames to send. Ends the exchange if someone interferes."""
        match found:
            case HostShare():
                return self._answer_host(found, frame)
            case GuestShare() if frame != self._message:
                self._fail("someone else has used this code, or is trying to; ask the host for another", tried=True)
            case HostConfirms() if self._keys is not None and not self._confirmed:
                return self._send_identity(self._keys, found)
            case HostSeals() if self._keys is not None and self._confirmed:
                return self._accept_invitation(self._keys, found)
            case PairingOver():
                self._fail("the code does not work; ask the host for another", tried=False)
        return ()

    def _answer_host(self, message: HostShare, frame: bytes) -> tuple[bytes, ...]:
        """Start CPace with the host's message, and return message B."""
        if self._answered is not None:
            self._fail("two parties are posing as the host in this mailbox; ask the host for another code", tried=True)
        run = _start_cpace(self._code, self._relay, message.session, self._entropy)
        try:
            key = run.key_of_responder(message.share)
        except DecodeError:
            self._fail("someone is posing as the host with an invalid message", tried=True)
        self._keys = _Keys(key, self._relay, self._code.number, frame, run.share)
        self._answered = frame
        self._message = encode(GuestShare(run.share, self._keys.confirmation(_B)))
        return (self._message,)

    def _send_identity(self, keys: _Keys, message: HostConfirms) -> tuple[bytes, ...]:
        """Check that the host knows the words, and return the guest's sealed identity."""
        if not keys.confirms(_A, message.confirmation):
            self._fail("the other side does not know the code; ask the host for another", tried=True)
        self._confirmed = True
        key = self._identity.public
        signature = self._identity.sign(keys.guest_signed_bytes(key, self._name))
        sealed = keys.seal(_B, encode(GuestIdentity(key, self._name, signature)))
        return (encode(GuestSeals(sealed)),)

    def _accept_invitation(self, keys: _Keys, message: HostSeals) -> tuple[bytes, ...]:
        """Check the host's signature, and store the invitation."""
        try:
            said = decode(HostInvitation, keys.unseal(_A, message.sealed), what="the host's message")
            words = keys.host_signed_bytes(said.key, self._identity.public, said.invitation)
            VerifyingKey(said.key).verify(said.signature, words)
            invitation = parse_link(said.invitation)
        except (DecodeError, BadSignature):
            self._fail("someone has changed the host's message; ask for another code", tried=True)
        if invitation.host != host_mark(said.key) or not invitation.can_play:
            self._fail("the host sent an invitation that is not theirs", tried=False)
        self._welcome = PairingWelcome(invitation, said.key)
        return ()


Exchange = HostExchange | GuestExchange
