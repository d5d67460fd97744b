"""What is fuzzed: every function that reads bytes which somebody else has written, and what it may raise for them.

A target takes any bytes. What it raises beyond `allowed` is a bug, and so is a failed `assert`: what is accepted is
written again as it was, and both backends say the same.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from backends import HAS_NATIVE
from conformance.harness import Source
from fuzz import played
from fuzz.choices import CHOOSING
from fuzz.event_targets import TELLING
from fuzz.outside import OUTSIDE
from fuzz.stored import STORED
from fuzz.target import MALFORMED, Target, text_of
from nodealer.audit.verify import verify_file
from nodealer.client.contacts import PLAYERS, PLAYERS_BYTES_MAX, Contacts
from nodealer.client.durable_files import SmallFile
from nodealer.client.folder_store import HOME, FolderStore
from nodealer.client.identity import load_or_create_identity
from nodealer.client.key_history import decode_history
from nodealer.engine.bodies import read_body
from nodealer.engine.chat import read_chat
from nodealer.engine.lobby import Lobby
from nodealer.engine.lobby_messages import read_ask, read_frame, read_signed_frame
from nodealer.errors import (
    BadParameter,
    BadSignature,
    CodeDead,
    DecodeError,
    HomeUnusable,
    IllegalMove,
    Malformed,
    NodealerError,
    OtherFormat,
    PeerError,
    RelayError,
)
from nodealer.games.free.rules import read_move as free_move
from nodealer.games.hearts.moves import read_move as hearts_move
from nodealer.games.holdem.moves import read_move as holdem_move
from nodealer.games.registry import find_game
from nodealer.games.wardens.moves import read_move as wardens_move
from nodealer.group import Group, group
from nodealer.group.modp import modp2048
from nodealer.keys import Identity, VerifyingKey, refuse_weak_box, refuse_weak_key
from nodealer.log.entry import Signed, authenticate, read_entry
from nodealer.log.file import read_log
from nodealer.log.names import refuse_bad_name
from nodealer.log.session import read_session
from nodealer.proofs.checks import settle, weights_from_bytes
from nodealer.proofs.encoding import decode_proof, encode_proof
from nodealer.protocols import PROTOCOLS, make_protocol
from nodealer.protocols.codec import read_points, read_secrets
from nodealer.protocols.duel.bits import XOR
from nodealer.relay.invitations import normalize_page_address, normalize_relay_address, parse_link
from nodealer.relay.messages import Create, Open, encode_page, parse_page, parse_reply, parse_request
from nodealer.relay.pairing import parse_code
from nodealer.relay.permissions import permissions_of
from nodealer.relay.sealing import ReadKey, TableSecret, open_box
from nodealer.web.messages import read_client_message
from nodealer.web.tab.opfs_store import read_saved
from nodealer.wire import decode, encode

# --- The wire, and elements of groups ---


def read_any_json(data: bytes) -> None:
    message = decode(dict, data, what="a message", limit=1 << 16)
    assert json.loads(data) is not None and encode(message) == data


def backends(name: str) -> list[Group]:
    kinds = ["native", "reference"] if HAS_NATIVE else ["reference"]
    return [group(name, backend=kind) for kind in kinds]


def read_elements(name: str, kind: str, data: bytes) -> None:
    """Both backends accept the same, and what they accept has one encoding."""
    said = list[bytes | str]()
    for on in backends(name):
        try:
            said.append(getattr(on, kind)(data).to_bytes())
        except DecodeError as error:
            said.append(str(error))
    assert len(set(said)) == 1, said
    if isinstance(said[0], str):
        raise DecodeError(said[0])
    assert said[0] == data


def read_big_elements(kind: str, data: bytes) -> None:
    """Numbers of 2,048 bits: one backend, and what it accepts has one encoding."""
    found = getattr(modp2048, kind)(data)
    assert found.to_bytes() == data and len(found) * modp2048.point_size == len(data)


def read_bits(data: bytes) -> None:
    """Strings of bits, where any will do; as keys none of them is zero."""
    found, one = XOR.points(data), XOR.integers([1])
    assert found.to_bytes() == data == XOR.products(one, found).to_bytes()
    with suppress(DecodeError):
        assert read_secrets(XOR, data, len(found), "keys").first_zero() is None


def read_proof(data: bytes) -> None:
    on, (points, scalars) = group(), divmod(data[0] if data else 0, 16)
    rest = data[1:]
    found = decode_proof(on, rest, points=points + 1, scalars=scalars + 1, what="proof")
    assert encode_proof(*found) == rest


def read_counted(data: bytes) -> None:
    on = group()
    count = max(1, len(data) // 32)
    with suppress(DecodeError):
        assert read_secrets(on, data, count, "keys").first_zero() is None
    assert read_points(on, data, count, "points").first_identity() is None


# --- Logs ---


def read_signed(data: bytes) -> None:
    """An entry as it came; and its body, which may be wrong in its own way."""
    arrival = read_entry(data)
    assert encode(Signed(msgspec.Raw(bytes(arrival.signed)), arrival.signature)) == data
    with suppress(*MALFORMED):
        read_body(bytes(arrival.entry.body))
    game = played.game("mask")
    keys = {person.number: VerifyingKey(person.key.public) for person in game.persons}
    authenticate(arrival, keys, game.config.session.id)


def take_entry(data: bytes, of: str = "mask") -> None:
    """What a seat has signed, whatever it is, at some moment of a game. The first byte says which."""
    if not data:
        raise DecodeError("nothing")
    game, replica = played.at_moment(of, data[0])
    before = replica.digest()
    try:
        replica.append(played.signed_again(game, data[1:]))
    except NodealerError:
        assert replica.digest() == before
        raise


def read_file(data: bytes) -> None:
    session, lines = read_log(io.BytesIO(data))
    for line in lines:
        with suppress(*MALFORMED):
            read_entry(line)
    assert data.startswith(encode(session) + b"\n")


def verify(data: bytes) -> None:
    """A whole file, with every line signed again by the seat that it names: what is wrong must be found behind that."""
    game = played.game("mask")
    lines = [played.signed_again(game, line) for line in data.split(b"\n")[1:-1]]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        for text in (data, data.split(b"\n")[0] + b"\n" + b"".join(line + b"\n" for line in lines)):
            path.write_bytes(text)
            report = verify_file(path, entropy=Source("verify"), game=played.TINY)
            encode(report.as_json())
            assert report.exit_code in (0, 1, 2, 3)


# --- Lobby and frames ---

TABLE: Final = "0" * 32
SECRET: Final = TableSecret(bytes(16), TABLE, 0)


def read_lobby(data: bytes) -> None:
    said = read_signed_frame(TABLE, data)
    with suppress(*MALFORMED):
        read_ask(TABLE, data)
    read_frame(said.payload)


def hear_lobby(data: bytes) -> None:
    """What somebody has signed, whatever it is, in a lobby where others have offered: it never raises."""
    one = Lobby(TABLE, Identity(bytes(32)), bytes(32), "Ada")
    one.receive(one.offer())
    for frame in (data, played.signed_frame(TABLE, data)):
        heard = one.receive(frame)
        assert all(isinstance(answer, bytes) for answer in heard.answers)


def hear_frames(data: bytes) -> None:
    """Frames, one a line, for somebody at a table: it never raises. The first byte says for whom, and when."""
    which, frames = data[:1] or b"\0", data[1:].split(b"\n")
    one = played.listener(which)
    for number, frame in enumerate(frames):
        one.receive(frame, None if which[0] & 1 else number)
        one.options(), one.resend()


def hear_chat(data: bytes) -> None:
    game = played.game("mask")
    keys = {person.number: person.key.public for person in game.persons}
    if read_chat(data, game.config.session.id, keys) is None:
        raise DecodeError("no chat")


def open_frame(data: bytes) -> None:
    key, place = SECRET.read_key, {"session": b"s" * 32, "roster": b"r" * 32}
    decode_history(data, ReadKey(bytes(32), TABLE, len(data) % 5))
    assert key.open(key.seal(bytes(16), data))[1] == data
    with suppress(DecodeError):
        open_box(data, bytes(range(32)), **place, table=TABLE, epoch=1, digest=bytes(64))
    sender, text = key.open(data)
    assert key.seal(sender, text) == data


def read_keys(data: bytes) -> None:
    with suppress(DecodeError):
        refuse_weak_box(data[:32])
    refuse_weak_key(data[:32])
    with suppress(BadSignature):
        VerifyingKey(data[:32]).verify(data[32:], b"")


# --- Invitations and the relay ---


def read_invitation(data: bytes) -> None:
    text = text_of(data)
    for address in (normalize_relay_address, normalize_page_address):
        with suppress(BadParameter):
            found = address(text)
            assert address(found) == found
    invitation = parse_link(text)
    assert parse_link(invitation.link) == invitation and parse_link(invitation.fragment) == invitation


def read_spoken(data: bytes) -> None:
    code = parse_code(text_of(data))
    assert parse_code(str(code)) == code


def take_mailbox(data: bytes) -> None:
    """Frames of a mailbox, one a line, to both sides of a code."""
    host, guest = played.exchanges()
    for frame in data.split(b"\n"):
        for side in (host, guest):
            with suppress(CodeDead):
                side.receive(frame, 0.0)
        assert host.finished is None and guest.finished is None, "nobody who lacks the code gets through"


def read_relay(data: bytes) -> None:
    text = text_of(data)
    for read in (parse_request, parse_reply):
        with suppress(DecodeError):
            said = read(text)
            assert encode(said) == text.encode()
            # It stands in names of stores, and in lines of logs.
            assert not isinstance(said, Create | Open) or said.table.replace("-", "").isalnum()
    with suppress(RelayError):
        permissions_of(data.split(b"\n"))
    assert encode_page(parse_page(data)) == data


# --- Homes and pages ---


def read_home(data: bytes) -> None:
    """What a damaged disk could have: a home and a user's folder in which one file, which the first byte names, is
    something else."""
    with suppress(HomeUnusable, OtherFormat):
        read_saved(data)
    files = played.home_files()
    changed = list(files)[data[0] % len(files)] if data else HOME
    with TemporaryDirectory() as folder:
        path = Path(folder)
        for name, content in files.items():
            (path / name).write_bytes(data[1:] if name == changed else content)
            (path / name).chmod(0o600)
        for read in (
            lambda: load_or_create_identity(path, Source("home")),
            lambda: Contacts(SmallFile(path / PLAYERS, PLAYERS_BYTES_MAX)).all,
            lambda: _opened_and_closed(path),
        ):
            with suppress(HomeUnusable, OtherFormat):
                read()


def _opened_and_closed(folder: Path) -> None:
    with FolderStore.open(folder) as home:
        list(home.entries)


# --- Games and protocols ---

MOVES: Final[tuple[Callable[[bytes], object], ...]] = (free_move, hearts_move, holdem_move, wardens_move)


def read_game(data: bytes) -> None:
    for move in MOVES:
        with suppress(IllegalMove, Malformed):
            move(data)
    for name in ("free", "hearts", "holdem", "wardens"):
        with suppress(BadParameter, Malformed):
            rules = find_game(name).rules(data)
            assert rules.deck_max >= 0
    for name in PROTOCOLS:
        with suppress(BadParameter, Malformed):
            make_protocol(name, data)


def take_message(protocol: str, data: bytes) -> None:
    """A message for a duty of a deck. The first byte says which duty. What is accepted is settled too."""
    if not data:
        raise DecodeError("nothing")
    moments = played.moments(protocol)
    deck, duty, _ = moments[data[0] % len(moments)]
    before = deck.digest()
    try:
        step = deck.apply(duty, data[1:])
        settle(list(step.checks), Source("weights"))
        step.deck.digest()
    finally:
        assert deck.digest() == before


TARGETS: Final[dict[str, Target]] = {
    target.name: target
    for target in (
        Target("json", read_any_json),
        *(
            Target(f"{kind} of {name}", partial(read_elements, name, kind), largest=132)
            for name in ("ristretto255", "secp256k1")
            for kind in ("points", "scalars")
        ),
        *(
            Target(f"{kind} of modp2048", partial(read_big_elements, kind), largest=1024)
            for kind in ("points", "scalars")
        ),
        Target("bits", read_bits, largest=256),
        Target("proofs", read_proof),
        Target("counted elements", read_counted, largest=256),
        Target("weights", lambda data: weights_from_bytes(group(), data), (Malformed, BadParameter)),
        Target("session", read_session),
        Target("entry", read_signed, (Malformed, BadSignature, PeerError)),
        Target("signed entry", take_entry, (Malformed, BadSignature, PeerError)),
        Target("signed book", partial(take_entry, of="books"), (Malformed, BadSignature, PeerError)),
        Target("file", read_file),
        Target("verify", verify, largest=1 << 16),
        Target("lobby frame", read_lobby, (Malformed, BadSignature)),
        Target("lobby", hear_lobby, ()),
        Target("frames", hear_frames, ()),
        Target("chat", hear_chat),
        Target("sealed frame", open_frame),
        Target("keys", read_keys, largest=100),
        Target("invitation", read_invitation, largest=1 << 13),
        Target("spoken code", read_spoken, largest=120),
        Target("mailbox", take_mailbox, ()),
        Target("relay", read_relay),
        Target("home", read_home, ()),
        Target("page", read_client_message),
        Target("name", lambda data: refuse_bad_name(text_of(data), "the name"), largest=100),
        Target("game", read_game, ()),
        *(
            Target(f"message of {name}", partial(take_message, name), (Malformed, PeerError), largest=1 << 14)
            for name in (*PROTOCOLS, *played.MORE)
        ),
        *CHOOSING,
        *OUTSIDE,
        *STORED,
        *TELLING,
    )
}
