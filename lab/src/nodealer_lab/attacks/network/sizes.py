"""A relay cannot read a word, and sees how long each is: a fold is longer than a bet."""

from __future__ import annotations

from collections import Counter
from typing import Final

from msgspec import Raw

from nodealer.drive.local import KEY_BYTES
from nodealer.keys import Identity
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.play.bodies import Move, read_body
from nodealer.protocols.base import Cheat
from nodealer.relay.sealing import SENDER_BYTES, TableSecret
from nodealer.tape import DIGEST_BYTES
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, with_chips
from nodealer_lab.attacks.stage import Stage, to_move
from nodealer_lab.sim.highcard import Bet

FOLDS: Final = 0
FOLD: Final = encode(Bet(0, fold=True))


def _plays(scene: Scene) -> Came:
    """It has the program, as everybody has, and makes a fold of its own to see how long one is: the how-manieth of its
    sender a frame is, it has counted."""
    stage = Stage(with_chips(scene))
    stage.until(to_move(FOLDS))
    stage.asks(FOLDS, Bet(0, fold=True))
    log, key = stage[1].replica.entries, TableSecret(scene.entropy(16), "0" * 32, 0).reading
    senders = [scene.entropy(SENDER_BYTES) for _ in scene.names]
    told, counts = list[bool](), Counter[bytes]()
    for sender, frame in [(sender := senders[read_entry(data).entry.seat], key.seal(sender, data)) for data in log]:
        told.append(len(frame) == len(key.seal(sender, _fold(scene, counts[sender]))))
        counts[sender] += 1
    known = told == [_is_fold(data) for data in log] and any(told)
    return stage.came("knows who folds and when, and has not read a word" if known else None)


def _fold(scene: Scene, number: int) -> bytes:
    """What a fold looks like, of somebody and somewhere."""
    nothing = bytes(DIGEST_BYTES)
    body = Raw(encode(Move(nothing, Raw(FOLD))))
    return sign_entry(Identity(scene.entropy(KEY_BYTES)), Entry(nothing, nothing, 0, 0, number, nothing, body))


def _is_fold(data: bytes) -> bool:
    body = read_body(bytes(read_entry(data).entry.body))
    return isinstance(body, Move) and bytes(body.move) == FOLD


CLAIM: Final = Cheat("what is said, guessed by its length", "never", False)
SIZES: Final = Attack(
    name="sizes",
    does="guesses moves by the lengths of sealed frames",
    of=("A47",),
    who="the relay",
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen"), CLAIM),
)
