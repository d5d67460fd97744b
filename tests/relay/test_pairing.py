"""Pairing codes: a guest who knows the words gets in, anyone else has one guess, and no one can get in between."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from nodealer import keys
from nodealer.cpace import Run
from nodealer.errors import BadParameter, CodeDead, DecodeError
from nodealer.keys import Identity, host_mark, seal
from nodealer.relay import pairing
from nodealer.relay.invitations import Invitation
from nodealer.relay.pairing import (
    FRAME_BYTES_MAX,
    FRAMES_MAX,
    Code,
    GuestExchange,
    GuestIdentity,
    GuestSeals,
    GuestShare,
    HostConfirms,
    HostExchange,
    HostInvitation,
    HostSeals,
    HostShare,
    PairedGuest,
    PairingOver,
    PairingRecord,
    PairingWelcome,
    new_code,
    parse_code,
)
from nodealer.relay.sealing import TableSecret
from nodealer.tape import digest, expand, framed
from nodealer.wire import encode

RELAY = "wss://relay.example"
CODE = Code(7, ("apple", "river"))
HOST, GUEST, EVE = (Identity(bytes([place]) * 32) for place in range(3))
INVITATION = Invitation((RELAY,), TableSecret(bytes(16), "5a" * 16, 0), host_mark(HOST.public))
#: From an unrelated exchange.
GUEST_SHARE = Run(b"", b"", b"", bytes([1]) * 64).share


@pytest.fixture(params=["library", "here"], autouse=True)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with `cryptography`, and with the package's own arithmetic."""
    if request.param == "library":
        found = keys.LibraryCiphers()
        monkeypatch.setattr(keys, "ciphers", lambda: found)


def source(label: str) -> Callable[[int], bytes]:
    drawn = iter(range(100))
    return lambda size: expand("codes", label, next(drawn), size=size)


def host(code: Code = CODE, relay: str = RELAY, label: str = "host", **change: Any) -> HostExchange:
    options: dict[str, Any] = {"invitation": INVITATION, "identity": HOST, "now": 0.0} | change
    return HostExchange(code, relay, entropy=source(label), **options)


def guest(code: Code = CODE, relay: str = RELAY, label: str = "guest", now: float = 5) -> GuestExchange:
    return GuestExchange(code, relay, GUEST, "Ada", source(label), now)


class Box:
    """A mailbox and the two sides that read it. `meanwhile` may write after each frame."""

    def __init__(self, *parties: HostExchange | GuestExchange) -> None:
        self.parties = list(parties)
        self.frames: list[bytes] = [frame for party in parties for frame in party.first_frames]
        self.read = dict.fromkeys(range(len(parties)), 0)
        self.dead: dict[int, CodeDead] = {}

    def go_on(self, meanwhile: Callable[[list[bytes]], None] = lambda frames: None) -> Box:
        """Deliver frames until neither side has anything to send."""
        while waiting := [place for place in self.read if self.read[place] < len(self.frames)]:
            for place in waiting:
                self._hear(place)
                meanwhile(self.frames)
        return self

    def _hear(self, place: int) -> None:
        if self.read[place] == len(self.frames):
            return
        frame = self.frames[self.read[place]]
        self.read[place] += 1
        try:
            self.frames += self.parties[place].receive(frame, 10.0)
        except CodeDead as dead:
            if place not in self.dead:
                self.dead[place] = dead
                self.frames += self.parties[place].last_frames


def parts(box: Box) -> list[Any]:
    return [found for frame in box.frames if (found := pairing._read(frame)) is not None]


# --- What should happen ---


def test_the_guest_gets_the_invitation_and_the_host_the_guest() -> None:
    a, b = host(), guest()
    box = Box(a, b).go_on()
    assert a.finished == PairedGuest(GUEST.public, "Ada") and b.finished == PairingWelcome(INVITATION, HOST.public)
    assert [type(part) for part in parts(box)] == [HostShare, GuestShare, HostConfirms, GuestSeals, HostSeals]
    # None of it is readable in the mailbox.
    everything = b"".join(box.frames)
    for secret in (INVITATION.fragment.encode(), b"Ada", b"apple", encode(GUEST.public)[1:-2]):
        assert secret not in everything


def test_a_guest_may_come_late_and_both_may_read_again() -> None:
    """They read from the first frame on, and some frames twice, because a connection was lost."""
    a, b = host(), guest()
    box = Box(a, b)
    box.frames *= 2
    box.go_on(lambda frames: frames.append(frames[-1]) if len(frames) < 14 else None)
    assert a.finished and b.finished and not box.dead


def test_the_largest_invitation_fits() -> None:
    relays = tuple(f"wss://{place}{190 * 'x'}" for place in range(4))
    largest = replace(INVITATION, relays=relays, page=f"https://{190 * 'y'}")
    a, b = host(invitation=largest), guest()
    box = Box(a, b).go_on()
    assert b.finished and b.finished.invitation == largest
    assert max(map(len, box.frames)) <= FRAME_BYTES_MAX


def test_the_bytes_are_those_of_the_page() -> None:
    """The exchange as in docs/spec/invitations.md, using only our CPace, framing and sealing."""
    frames = Box(host(), guest()).go_on().frames
    draws, drawn = source("host"), source("guest")
    sid = draws(16)
    channel = framed("nodealer/invite/v1", "A", RELAY, 7) + framed("nodealer/invite/v1", "B", RELAY, 7)
    a, b = Run(b"apple-river", channel, sid, draws(64)), Run(b"apple-river", channel, sid, drawn(64))
    prk = hmac.digest(b"nodealer/invite/v1", a.key_of_initiator(b.share), "sha512")

    def derived(*info: str) -> bytes:
        return hmac.digest(prk, framed(*info) + b"\1", "sha512")

    message = b'{"type":"host","session":' + encode(sid) + b',"share":' + encode(a.share) + b"}"
    said = (RELAY, 7, message, b.share)

    def confirmation(role: str) -> bytes:
        return hmac.digest(derived("confirm"), framed(role, *said), hashlib.sha512)

    transcript = digest("invitation exchange", *said)
    words = framed("nodealer/invite/v1", "B", transcript, GUEST.public, "Ada")
    who = encode({"key": GUEST.public, "name": "Ada", "signature": GUEST.sign(words)})
    words = framed("nodealer/invite/v1", "A", transcript, HOST.public, GUEST.public, INVITATION.fragment)
    where = encode({"key": HOST.public, "invitation": INVITATION.fragment, "signature": HOST.sign(words)})
    wanted: list[dict[str, Any]] = [
        {"type": "host", "session": sid, "share": a.share},
        {"type": "guest", "share": b.share, "confirmation": confirmation("B")},
        {"type": "hostConfirms", "confirmation": confirmation("A")},
        {"type": "guestSeals", "sealed": seal(derived("seal", "B")[:32], transcript, who)},
        {"type": "hostSeals", "sealed": seal(derived("seal", "A")[:32], transcript, where)},
    ]
    assert frames == [encode(frame) for frame in wanted]


def test_the_host_waits_until_the_invitation_is_kept() -> None:
    """Nothing that arrives meanwhile can replace the guest."""
    a, b = host(), guest()
    frames = Box(a, b).go_on().frames
    a = host()
    for frame in (*frames[:4], encode(GuestShare(GUEST_SHARE, bytes(64))), encode(PairingOver())):
        a.receive(frame, 10.0)
        assert a.finished is None
    assert a.receive(frames[4], 10.0) == () and a.finished == PairedGuest(GUEST.public, "Ada")


# --- Who does not know the words ---


def died(box: Box, place: int, said: str, *, tried: bool = True) -> None:
    """Check that one side has failed for this reason, for good, and neither got anything from the other."""
    assert said in str(box.dead[place]) and box.dead[place].tried is tried
    assert not any(party.finished for party in box.parties)
    for frame in (*box.frames, b"anything"):
        with pytest.raises(CodeDead, match=str(box.dead[place])):
            box.parties[place].receive(frame, 10.0)


@pytest.mark.parametrize(
    "change",
    [
        {"code": Code(7, ("apple", "rival"))},
        {"code": Code(7, ("river", "apple"))},
        {"code": Code(8, CODE.words)},
        {"relay": "wss://other.example"},
    ],
    ids=["word", "order", "number", "relay"],
)
def test_a_wrong_code(change: dict[str, Any]) -> None:
    box = Box(host(), guest(**change)).go_on()
    died(box, 0, "someone answered with a wrong code")
    assert "the code does not work" in str(box.dead[1])
    # Before anything is sent under the key.
    assert [type(part) for part in parts(box)] == [HostShare, GuestShare, PairingOver, PairingOver]


def test_a_right_code_after_a_wrong_one_is_too_late() -> None:
    a = host()
    box = Box(a, guest(Code(7, ("zoo", "zoo")))).go_on()
    late = guest(label="late")
    with pytest.raises(CodeDead):
        for frame in box.frames:
            late.receive(frame, 10.0)
    with pytest.raises(CodeDead, match="wrong code"):
        a.receive(b"", 10.0)


def test_a_second_message_b() -> None:
    """It is refused even with the right words: one code is for one person."""
    a, first, second = host(), guest(), guest(label="another")
    box = Box(a, first, second).go_on()
    died(box, 0, "two people answered the same code")
    assert not any(isinstance(part, HostSeals) for part in parts(box))


def test_a_second_message_b_while_the_guest_says_who_it_is() -> None:
    a, b = host(), guest()

    def intrude(frames: list[bytes]) -> None:
        if len(frames) == 3:
            frames.append(encode(GuestShare(GUEST_SHARE, bytes(64))))

    box = Box(a, b).go_on(intrude)
    died(box, 0, "two people answered the same code")


def test_a_code_that_somebody_has_used() -> None:
    a = host()
    used = Box(a, guest()).go_on()
    late = guest(label="late")
    with pytest.raises(CodeDead, match="someone else has used this code"):
        for frame in used.frames:
            late.receive(frame, 10.0)
    # The host cannot be reached a second time.
    assert a.finished and all(a.receive(frame, 10.0) == () for frame in used.frames)


def test_what_was_said_at_another_time() -> None:
    """Replay everything that a guest sent to the same host and mailbox with the same words."""
    before = Box(host(label="before"), guest()).go_on()
    for frame in [frame for frame in before.frames if isinstance(pairing._read(frame), GuestShare)]:
        box = Box(host())
        box.frames.append(frame)
        died(box.go_on(), 0, "wrong code")
    # Likewise everything that a host has sent.
    box = Box(guest(label="later"))
    box.frames += [frame for frame in before.frames if not isinstance(pairing._read(frame), GuestShare | GuestSeals)]
    died(box.go_on(), 0, "does not know the code")


def test_what_the_host_said_comes_back_to_it() -> None:
    a = host()
    message = pairing._read(a.first_frames[0])
    assert isinstance(message, HostShare)
    box = Box(a)
    box.frames.append(encode(GuestShare(message.share, bytes(64))))
    died(box.go_on(), 0, "wrong code")
    # The confirmation of one role is not valid for the other.
    a, b = host(), guest()
    box = Box(a, b)

    def reflect(frames: list[bytes]) -> None:
        if len(frames) == 2:
            mine = pairing._read(frames[1])
            assert isinstance(mine, GuestShare)
            frames.append(encode(HostConfirms(mine.confirmation)))

    died(box.go_on(reflect), 1, "does not know the code")


#: The identity, a non-canonical encoding, and an encoding of no point.
BAD_SHARES = [bytes(32), b"\xed" + 30 * b"\xff" + b"\x7f", b"\x01" + bytes(31)]


@pytest.mark.parametrize("share", BAD_SHARES)
def test_a_share_that_is_none(share: bytes) -> None:
    box = Box(host())
    box.frames.append(encode(GuestShare(share, bytes(64))))
    died(box.go_on(), 0, "someone answered with an invalid message")
    box = Box(guest())
    box.frames.append(encode(HostShare(bytes(16), share)))
    died(box.go_on(), 0, "posing as the host with an invalid message")


def test_two_hosts() -> None:
    other = host(label="other")
    box = Box(host(), other).go_on()
    died(box, 0, "someone else is posing as the host")
    box = Box(guest())
    box.frames += [host().first_frames[0], other.first_frames[0]]
    died(box.go_on(), 0, "two parties are posing as the host")


def test_somebody_who_plays_the_host() -> None:
    """Without the words they learn neither the guest's name nor key."""
    eve = host(Code(7, ("zoo", "zoo")), identity=EVE, invitation=replace(INVITATION, host=host_mark(EVE.public)))
    box = Box(eve, guest()).go_on()
    died(box, 0, "wrong code")
    assert not any(isinstance(part, GuestSeals) for part in parts(box))


# --- What is changed on the way ---


def with_changed(kind: type, change: Callable[[Any], Any]) -> Box:
    """Run the exchange through a relay that replaces one frame for the other side."""
    a, b = host(), guest()
    lists: list[list[bytes]] = [[*a.first_frames], []]
    dead: dict[int, CodeDead] = {}

    def give(place: int, frame: bytes) -> None:
        found = pairing._read(frame)
        lists[place].append(encode(change(found)) if isinstance(found, kind) else frame)

    give(1, a.first_frames[0])
    read = [0, 0]
    while any(read[place] < len(lists[place]) for place in (0, 1)):
        for place, party in enumerate((a, b)):
            if read[place] == len(lists[place]):
                continue
            frame = lists[place][read[place]]
            read[place] += 1
            try:
                said = party.receive(frame, 10.0)
            except CodeDead as error:
                said = () if place in dead else party.last_frames
                dead.setdefault(place, error)
            for answer in said:
                lists[place].append(answer)
                give(1 - place, answer)
    box = Box(a, b)
    box.dead, box.frames = dead, [*lists[0]]
    return box


@pytest.mark.parametrize(
    ("kind", "change", "place", "said"),
    [
        (HostShare, lambda frame: msgspec.structs.replace(frame, session=bytes(16)), 0, "wrong code"),
        (HostShare, lambda frame: msgspec.structs.replace(frame, share=GUEST_SHARE), 0, "wrong code"),
        (GuestShare, lambda frame: msgspec.structs.replace(frame, share=GUEST_SHARE), 0, "wrong code"),
        (GuestShare, lambda frame: msgspec.structs.replace(frame, confirmation=bytes(64)), 0, "wrong code"),
        (HostConfirms, lambda frame: HostConfirms(bytes(64)), 1, "does not know the code"),
        (GuestSeals, lambda frame: GuestSeals(frame.sealed[:-1] + b"\0"), 0, "changed the guest's message"),
        (GuestSeals, lambda frame: GuestSeals(b""), 0, "changed the guest's message"),
        (HostSeals, lambda frame: HostSeals(b"\0" + frame.sealed[1:]), 1, "changed the host's message"),
    ],
)
def test_what_is_changed_on_the_way(kind: type, change: Callable[[Any], Any], place: int, said: str) -> None:
    box = with_changed(kind, change)
    assert said in str(box.dead[place]) and box.dead[place].tried
    assert box.parties[1].finished is None and (box.parties[0].finished is None or kind is HostSeals)


# --- Those who know the words, and lie ---


def lying_guest(says: Callable[[pairing._Keys], GuestIdentity]) -> Box:
    a, b = host(), guest()
    box = Box(a)
    box.frames += b.receive(box.frames[0], 10.0)
    box.go_on()
    assert b._keys is not None
    box.frames.append(encode(GuestSeals(b._keys.seal("B", encode(says(b._keys))))))
    return box.go_on()


@pytest.mark.parametrize(
    "says",
    [
        lambda k: GuestIdentity(HOST.public, "Ada", GUEST.sign(k.guest_signed_bytes(HOST.public, "Ada"))),
        lambda k: GuestIdentity(GUEST.public, "Bo", GUEST.sign(k.guest_signed_bytes(GUEST.public, "Ada"))),
        lambda k: GuestIdentity(GUEST.public, "Ada", GUEST.sign(b"")),
        lambda k: GuestIdentity(bytes(32), "Ada", bytes(64)),
        lambda k: GuestIdentity(GUEST.public, "", GUEST.sign(k.guest_signed_bytes(GUEST.public, ""))),
        lambda k: GuestIdentity(GUEST.public, 65 * "A", GUEST.sign(k.guest_signed_bytes(GUEST.public, 65 * "A"))),
    ],
    ids=["key of another", "another name", "signature", "weak key", "no name", "long name"],
)
def test_a_guest_who_lies(says: Callable[[pairing._Keys], GuestIdentity]) -> None:
    died(lying_guest(says), 0, "changed the guest's message")


def lying_host(says: Callable[[pairing._Keys], HostInvitation]) -> Box:
    a, b = host(), guest()
    box = Box(b)
    box.frames += a.first_frames
    box.go_on()
    box.frames += [answer for frame in box.frames for answer in a.receive(frame, 10.0)]
    box.go_on()
    assert a._keys is not None
    box.frames.append(encode(HostSeals(a._keys.seal("A", encode(says(a._keys))))))
    return box.go_on()


def signed(k: pairing._Keys, signer: Identity, invitation: Invitation, guest: bytes = GUEST.public) -> HostInvitation:
    fragment = invitation.fragment
    return HostInvitation(signer.public, fragment, signer.sign(k.host_signed_bytes(signer.public, guest, fragment)))


@pytest.mark.parametrize(
    ("says", "said", "tried"),
    [
        (lambda k: signed(k, EVE, INVITATION), "that is not theirs", False),
        (lambda k: signed(k, HOST, INVITATION.for_spectators()), "that is not theirs", False),
        (lambda k: signed(k, HOST, INVITATION, EVE.public), "changed the host's message", True),
        (lambda k: HostInvitation(HOST.public, INVITATION.fragment, bytes(64)), "changed the host's message", True),
        (
            lambda k: HostInvitation(HOST.public, "x", HOST.sign(k.host_signed_bytes(HOST.public, GUEST.public, "x"))),
            "chang",
            True,
        ),
    ],
    ids=["another key", "to watch", "for another guest", "signature", "no link"],
)
def test_a_host_who_lies(says: Callable[[pairing._Keys], HostInvitation], said: str, tried: bool) -> None:
    died(lying_host(says), 0, said, tried=tried)


def test_a_host_hands_out_its_own_invitation() -> None:
    with pytest.raises(BadParameter, match="only the host named in"):
        host(identity=EVE)
    with pytest.raises(BadParameter, match="spectator link"):
        host(invitation=INVITATION.for_spectators())


# --- Junk, time, and many codes ---


JUNK = [b"", b"\0", b"{}", b"null", b'{"type":"guest"}', 4097 * b"x"]
JUNK += [b'{"type":"guest","share":"AA==","confirmation":""}']


def test_junk_is_passed_over() -> None:
    out_of_turn = [encode(HostSeals(b"")), encode(GuestSeals(b"")), encode(HostConfirms(bytes(64)))]
    a, b = host(), guest()
    box = Box(a, b)
    box.frames[:0] = [*JUNK, *out_of_turn]

    def litter(frames: list[bytes]) -> None:
        if len(frames) < 40:
            frames.append(JUNK[len(frames) % len(JUNK)] + b" ")

    box.go_on(litter)
    assert a.finished and b.finished and not box.dead


def test_a_mailbox_without_end() -> None:
    for party in (host(), guest()):
        for _ in range(FRAMES_MAX):
            assert party.receive(b"junk", 10.0) == ()
        with pytest.raises(CodeDead, match="flooded the mailbox"):
            party.receive(b"junk", 10.0)


def test_a_code_is_good_for_ten_minutes() -> None:
    a, b = host(), guest(now=0)
    assert b.receive(a.first_frames[0], 600.0)
    for party in (a, b):
        with pytest.raises(CodeDead, match="valid for ten minutes") as dead:
            party.receive(b"", 600.5)
        assert not dead.value.tried and party.last_frames == (encode(PairingOver()),)
        with pytest.raises(CodeDead, match="valid for ten minutes"):
            party.receive(b"", 0.0)


def test_one_side_gives_up() -> None:
    for party in (host(), guest()):
        with pytest.raises(CodeDead):
            party.receive(encode(PairingOver()), 10.0)


def test_three_dead_codes() -> None:
    desk = PairingRecord()
    desk.admit(PairedGuest(GUEST.public, "Ada"))
    assert desk.admitted == {GUEST.public: "Ada"}
    for _ in range(3):
        desk.refuse_after_attacks()
        # No guest has come: this does not count as an attack.
        desk.count_failure(CodeDead("too old", tried=False))
        desk.count_failure(CodeDead("wrong", tried=True))
    with pytest.raises(CodeDead, match="someone may be trying to get in"):
        desk.refuse_after_attacks()


def test_nothing_is_shown() -> None:
    assert repr(CODE) == "Code(number=7)" and str(CODE) == "7-apple-river"
    assert repr(host()) == "<HostExchange 7>" and repr(guest()) == "<GuestExchange 7>"


# --- The code ---


@pytest.mark.parametrize("text", ["7-apple-river", " 7 Apple RIVER\n", "7-apple river", "07 - apple - river"])
def test_a_code_that_was_typed(text: str) -> None:
    assert parse_code(text) == CODE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a number and two words"),
        ("apple-river", "a number and two words"),
        ("7-apple", "a number and two words"),
        ("7-apple-river-zoo", "a number and two words"),
        ("7-appel-river", "'appel' is not in the list"),
        ("0-apple-river", "from 1 to 999999"),
        ("1234567-apple-river", "a number and two words"),
        ("٧-apple-river", "a number and two words"),
        ("7-" + 200 * "a" + "-river", "a number and two words"),
    ],
)
def test_what_is_no_code(text: str, said: str) -> None:
    with pytest.raises(DecodeError, match=said):
        parse_code(text)


@pytest.mark.parametrize(("number", "words"), [(0, CODE.words), (10**6, CODE.words), (7, ("apple",)), (7, ("a", "b"))])
def test_a_bad_code(number: int, words: tuple[str, ...]) -> None:
    with pytest.raises(BadParameter):
        Code(number, words)


def test_new_codes() -> None:
    """Every word can be first and second, and both depend only on the entropy."""
    assert new_code(1, lambda size: bytes(size)).words == ("abandon", "abandon")
    assert new_code(1, lambda size: (1 << 11 | 2).to_bytes(size, "big")).words == ("able", "ability")
    assert new_code(1, lambda size: b"\xff" * size).words == ("zoo", "zoo")
    assert parse_code(str(new_code(31, source("code")))).number == 31
