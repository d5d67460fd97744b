"""Writes the corpus: for each target a few inputs that are right, and that a fuzzer begins with.

`python -m lab.fuzz.seeds`, after a change of the format, and never a test. What a fuzzer has found is put beside them
by hand, under a name that says what it was, and stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lab.fuzz import played
from lab.fuzz.targets import CORPUS, SECRET, TABLE, TARGETS
from nodealer.drive.history import history
from nodealer.group import group
from nodealer.keys import Identity, host_mark
from nodealer.log.entry import read_entry
from nodealer.play.chat import sign_chat
from nodealer.play.lobby import Lobby
from nodealer.proofs.encoding import encode_proof
from nodealer.protocols import MODES, PROTOCOLS
from nodealer.relay.core import Made, note_bytes
from nodealer.relay.links import Invitation
from nodealer.relay.messages import Create, Open, Opened, Refused, Token, page
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.web import documents as doc
from nodealer.web.tab.home import new_saved
from nodealer.wire import encode

ADA: Final = Identity(bytes(32))


def seeds() -> dict[str, list[bytes]]:
    """Name of a target to what it reads without complaint."""
    game, circle = played.game("mask"), played.circle()
    session = game.config.session
    log, lines = game.log, [encode(session), *game.log]
    entries = [bytes(read_entry(data).signed) for data in log]
    found: dict[str, list[bytes]] = {
        "json": [b'{"a":[1,"b",null,true]}', b'{"\xc3\xa4":{"b":{}}}'],
        "proofs": [b"\x11" + _proof()],
        "counted elements": [group().G.to_bytes(), group().integers([1, 2]).to_bytes()],
        "weights": [bytes(range(64))],
        "session": [encode(session)],
        "entry": log[:3],
        "signed entry": [bytes([at]) + entries[at] for at in range(0, len(entries), max(1, len(entries) // 6))],
        "file": [b"".join(line + b"\n" for line in lines[:4])],
        "verify": [b"".join(line + b"\n" for line in lines)],
        "chat": [sign_chat(game.persons[0].key, session.id, 0, 0, "hello")],
        "keys": [ADA.public + ADA.sign(b"")],
        "page": [encode(one) for one in (doc.Leave(), doc.Replay(1), doc.Chat("hello"))],
        "name": [b"Ada Lovelace", "Zoë".encode(), "Юлия".encode()],
        "spoken code": [b"7-apple-river", b"  12 Apple RIVER "],
    }
    for name in ("ristretto255", "secp256k1"):
        on = group(name)
        found[f"points of {name}"] = [(on.integers([1, 2]) * on.G).to_bytes()]
        found[f"scalars of {name}"] = [on.integers([0, 1, 2**64 - 1]).to_bytes()]
    for name in PROTOCOLS:
        said = [message for _, _, message in played.moments(name)]
        found[f"message of {name}"] = [bytes([at]) + message for at, message in enumerate(said)]
    return found | _tables(circle.frames) | _outside() | _kept()


def _proof() -> bytes:
    on = group()
    return encode_proof(on.integers([1, 2]) * on.G, on.integers([3, 4]))


def _tables(frames: list[bytes]) -> dict[str, list[bytes]]:
    lobby = Lobby(TABLE, ADA, bytes(32), "Ada")
    offer = lobby.offer()
    words = offer.partition(b'{"lobby":')[2].partition(b',"key":')[0]
    half = len(frames) // 2
    return {
        "lobby frame": [offer],
        "lobby": [words, b'{"type":"withdraw","number":0}'],
        "frames": [b"\x00" + b"\n".join(frames[:3]), bytes([128]) + b"\n".join(frames[half : half + 2])],
        "sealed frame": [SECRET.reading.seal(bytes(16), offer[:200]), history([ReadKey(bytes(32), TABLE, 0)])],
    }


def _outside() -> dict[str, list[bytes]]:
    relay = "wss://relay.example"
    invitation = Invitation(
        (relay,), TableSecret(bytes(16), "5a" * 16, 0), host_mark(ADA.public), "https://a.example/t"
    )
    host, guest = played.exchanges()
    (first,) = host.first_words
    asked = (Create(TABLE, bytes(64)), Open(TABLE, None), Token(bytes(32)), Opened(1, 2), Refused("a", "b"))
    notes = b"\n".join(map(note_bytes, (Made(bytes(64)),)))
    parameters = [parameters for modes in MODES.values() for parameters in modes[1:]]
    return {
        "invitation": [invitation.link.encode(), invitation.to_watch().fragment.encode(), relay.encode()],
        "mailbox": [b"\n".join((first, *guest.take(first, 0.0)))],
        "relay": [*map(encode, asked), page([(1, b"frame"), (2, b"another")]), notes],
        "game": [
            b'{"type":"raise","to":40}',
            b'{"type":"play","card":3}',
            b'{"type":"open","deck":0,"count":1}',
            *parameters,
        ],
    }


def _kept() -> dict[str, list[bytes]]:
    saved = new_saved("Ada", "nodealer:#x", bytes(32), bytes(32))
    return {"home": [encode(saved), *(bytes([at]) + text for at, text in enumerate(played.home_files().values()))]}


def write(made: Iterable[tuple[str, list[bytes]]]) -> None:
    for name, inputs in made:
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(inputs):
            (folder / f"seed-{number}").write_bytes(data)


if __name__ == "__main__":
    made = seeds()
    assert made.keys() == TARGETS.keys(), made.keys() ^ TARGETS.keys()
    write(made.items())
