"""Writes the corpus: for each target a few inputs that are right, and that a fuzzer begins with.

`python -m fuzz.seeds`, after a change of the format, and never a test. What a fuzzer has found is put beside them
by hand, under a name that says what it was, and stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from conformance.harness import Source
from fuzz import choices, played
from fuzz.stored import FILES
from fuzz.target import CORPUS
from fuzz.targets import SECRET, TABLE, TARGETS
from nodealer.client.bot_process import BotConfig
from nodealer.client.key_history import encode_history
from nodealer.client.saved_games import GAME, Ended, GameRecord
from nodealer.client.table_folders import TABLE as TABLE_FILE
from nodealer.client.table_folders import TableRecord
from nodealer.client.timekeeper_process import TimekeeperConfig
from nodealer.engine.bodies import Book, Claim, read_body
from nodealer.engine.chat import sign_chat
from nodealer.engine.lobby import Expected, Lobby
from nodealer.engine.lobby_messages import Proposed
from nodealer.engine.replica import Replica
from nodealer.games.hearts.bot import HeartsBot
from nodealer.games.wardens.bot import WardensBot
from nodealer.group import group
from nodealer.group.modp import modp2048
from nodealer.keys import Identity, host_mark
from nodealer.log.entry import read_entry
from nodealer.log.session import FORMAT_VERSION
from nodealer.proofs.encoding import encode_proof
from nodealer.protocols import MODES, PROTOCOLS
from nodealer.relay.invitations import Invitation
from nodealer.relay.messages import Create, Open, Opened, Refused, Token, encode_page
from nodealer.relay.permissions import MadeRecord, encode_record
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.web import messages as doc
from nodealer.web.tab.opfs_store import new_saved
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
    found["points of modp2048"] = [(modp2048.integers([1, 2]) * modp2048.G).to_bytes()]
    found["scalars of modp2048"] = [modp2048.integers([0, 1, 2**64 - 1]).to_bytes()]
    found["bits"] = [bytes(range(64)), bytes(32)]
    for name in (*PROTOCOLS, *played.MORE):
        said = [message for _, _, message in played.moments(name)]
        found[f"message of {name}"] = [bytes([at]) + message for at, message in enumerate(said)]
    return found | _tables(circle.frames) | _outside() | _kept() | _books() | _chosen() | _programs() | _told()


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
        "sealed frame": [SECRET.read_key.seal(bytes(16), offer[:200]), encode_history([ReadKey(bytes(32), TABLE, 0)])],
    }


def _outside() -> dict[str, list[bytes]]:
    relay = "wss://relay.example"
    invitation = Invitation(
        (relay,), TableSecret(bytes(16), "5a" * 16, 0), host_mark(ADA.public), "https://a.example/t"
    )
    host, guest = played.exchanges()
    (first,) = host.first_frames
    asked = (Create(TABLE, bytes(64)), Open(TABLE, None), Token(bytes(32)), Opened(1, 2), Refused("a", "b"))
    notes = b"\n".join(map(encode_record, (MadeRecord(bytes(64)),)))
    parameters = [parameters for modes in MODES.values() for parameters in modes[1:]]
    return {
        "invitation": [invitation.link.encode(), invitation.for_spectators().fragment.encode(), relay.encode()],
        "mailbox": [b"\n".join((first, *guest.receive(first, 0.0)))],
        "relay": [*map(encode, asked), encode_page([(1, b"frame"), (2, b"another")]), notes],
        "game": [
            b'{"type":"raise","to":40}',
            b'{"type":"play","card":3}',
            b'{"type":"open","deck":0,"count":1}',
            *parameters,
        ],
    }


def _kept() -> dict[str, list[bytes]]:
    saved, link = new_saved("Ada", "nodealer:#x", bytes(32), bytes(32)), _invitation().link
    what = GameRecord(
        format="nodealer-game", version=FORMAT_VERSION, begun=0, place="holdem", folder=None,
        settings=(("blinds", "1/2"),), protocol="mask", parameters="{}", names=("Ada", "Ben"), hands=1, person="Ada",
        patience=20.0, seed=None, log=None, cheat=None,
    )  # fmt: skip
    table = TableRecord("nodealer-table", FORMAT_VERSION, 0, "Ada", link, None, None, None, False, None)
    game = played.game("mask")
    log = b"".join(line + b"\n" for line in (encode(game.config.session), *game.log[:2]))
    files = (encode(what), encode(table), encode(Ended("clean", 1)), link.encode(), log, b"it failed\n\n")
    assert FILES[:2] == (GAME, TABLE_FILE)
    return {
        "home": [encode(saved), *(bytes([at]) + text for at, text in enumerate(played.home_files().values()))],
        "kept game": [bytes([at]) + text for at, text in enumerate(files)],
        "store": [b"", b"\x00\x12\x00\x02", b"\x10\x00\x03abcd", b"\x08\x01\x01\xff\xff"],
    }


def _books() -> dict[str, list[bytes]]:
    """Every book of a game that ends with them, what came before, and a claim that a card does not open."""
    game = played.game("books")
    bodies = [read_body(bytes(read_entry(data).entry.body)) for data in game.log]
    books = [at for at, body in enumerate(bodies) if isinstance(body, Book)]
    found = [bytes([at]) + bytes(read_entry(game.log[at]).signed) for at in (2, 14, *books)]
    book = bodies[books[0]]
    assert isinstance(book, Book) and book.choices
    at = next(at for at, one in enumerate(played.replicas("books")) if one.state.hand.decks and not owed(one))
    claim = Claim(0, 0, book.seed, book.choices)
    said = game.by_hand(game.signer(game.log[books[0]]), claim, played.replicas("books")[at])
    return {"signed book": [*found, bytes([at]) + bytes(read_entry(said).signed)]}


def owed(replica: Replica) -> bool:
    """Whether a card was not dealt yet."""
    return not any(deck.places.held for deck in replica.state.hand.decks.values())


def _chosen() -> dict[str, list[bytes]]:
    positions = [list(deck.places.pile[:2]) for deck, duty, _ in choices.to_choose() if duty.choice]
    pick = next(message for _, duty, message in played.moments("lock") if duty.kind == "pick")
    _, hearts, wardens, *_ = choices.questions()
    moves = (
        b'{"type":"call"}',
        *(encode(bot().move(one.view)) for bot, one in ((HeartsBot, hearts), (WardensBot, wardens))),
    )
    shuffle = b'{"type":"shuffle","deck":0,"cards":5,"faces":[]}'
    answers = [*(b'"move":' + move for move in (*moves, shuffle)), b'"choose":[3,4]', b'"choose":[3]', b'"seal":"10"']
    said = (
        doc.Move(1, {"show": True}), doc.TypedMove(1, "show"), doc.Choose(1, (0,)), doc.SealText(1, "10"),
        doc.Without((1,)), doc.Break(), doc.Leave(), doc.SitOut(), doc.Back(), doc.Claim(), doc.Book(), doc.LetIn("Bo"),
        doc.Agree("5a" * 32), doc.Chat("hello"), doc.Replay(1),
    )  # fmt: skip
    return {
        "choice": [*map(encode, positions), b"[3,1,2]", pick, b"10"],
        "answer of a program": [bytes([at]) + b'{"ask":1,' + one + b"}" for at, one in enumerate(answers)],
        # In the middle of the hand, each to another of those who are there.
        "word of a page": [bytes([180 + at]) + encode(one) for at, one in enumerate(said)],
    }


def _invitation() -> Invitation:
    return Invitation(("wss://relay.example",), TableSecret(bytes(16), "5a" * 16, 0), host_mark(ADA.public))


def _programs() -> dict[str, list[bytes]]:
    proposal, link = played.game("mask").config.session.proposal, _invitation().link
    expected = Expected(proposal.game, proposal.protocol, proposal.versions, ("Ada", "Bo"))
    wish = {"name": "Ada", "relay": "wss://relay.example", "page": "https://a.example/t", "game": "holdem"}
    more = {"protocol": "mask", "parameters": "{}", "move": 30, "settings": {"blinds": "1/2"}}
    token = Source("door")(32).hex()
    return {
        "order": [
            encode(BotConfig(link, "Bo", 1, expected, "holdem", "/nowhere", 20.0, ("Ada",))),
            encode(TimekeeperConfig(link, TABLE, ("wss://relay.example",), "Clock", None, "/nowhere")),
        ],
        "wish": [encode(wish | {"seats": 2, "hands": 1}), encode(wish | {"seats": 2, "hands": 1} | more)],
        "door": [encode({"token": token}), b'{"token":"no"}'],
        "words of a code": [b"Bo", _invitation().fragment.encode(), encode({"key": ADA.public, "name": "Bo"})],
    }


def _told() -> dict[str, list[bytes]]:
    """Entries at the moments before they came, and frames of a lobby in which Ada proposes what Bo may play."""
    frames = played.circle().frames
    entries = [(at, frame) for at, frame in enumerate(frames) if frame.startswith(b'{"entry":')]
    words = [bytes([-(-at * 256 // len(frames))]) + bytes(read_entry(frame).signed) for at, frame in entries[::3]]
    offer = Lobby("", played.SOMEBODY, bytes(32), "Ada").offer().partition(b'{"lobby":')[2].partition(b',"key":')[0]
    one = next(one for one, _ in played.in_lobby() if one.store.name == "Bo")
    one.receive(played.signed_frame("", offer))
    members = [offer.as_member(seat) for seat, offer in enumerate(one.offers)]
    said = encode(Proposed(FORMAT_VERSION, 0, played.Holdem().proposal(members)))
    return {"told of an entry": words, "told of a lobby": [offer, offer + b"\n" + said]}


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
