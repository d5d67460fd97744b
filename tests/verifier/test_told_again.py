"""Logs that both verifiers once judged differently, told from the small game up to some entry and then otherwise."""

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Raw

import nodealer
from nodealer.engine.bodies import Body, Cards, Choice, Claim, End, Leave, Move
from nodealer.engine.replica import replay
from nodealer.engine.resolve import resolve_config
from nodealer.keys import Identity
from nodealer.log.entry import Entry, sign_entry
from nodealer.log.file import read_log
from nodealer.tape import Tape, hand_tape
from nodealer.wire import encode

from .make import Players, carry, write
from .test_mutants import HERE, ROOT

LOG: Final = HERE / "free.jsonl"
ADA, BEN, CLEO = range(3)


class Telling:
    """The first entries of the game, and what is said after them."""

    def __init__(self, entries: int | None, log: Path = LOG) -> None:
        with log.open("rb") as file:
            self.session, lines = read_log(file)
            self.was = list(lines)
        keys = json.loads(log.with_suffix(".keys.json").read_text())
        self.secrets = {one.seat: keys[one.name] for one in self.session.proposal.roster.members}
        self.lines = self.was[:entries]
        self.replica = replay(resolve_config(self.session), self.lines, entropy=os.urandom)

    def put(self, line: bytes) -> None:
        self.replica.append(line)
        self.lines.append(line)

    def say(self, seat: int, body: Body) -> int:
        """The number of the entry."""
        key, state = Identity(base64.b64decode(self.secrets[seat]["key"])), self.replica.state
        number, seq = self.replica.height, self.replica.count_signed_by(key.public)
        entry = Entry(
            self.session.id, state.roster.digest, state.hand.number, seat, seq, self.replica.head, Raw(encode(body))
        )
        self.put(sign_entry(key, entry))
        return number

    def duty(self, seat: int, kind: str) -> bytes:
        return next(one.duty.id for one in self.replica.state.duties.of_seat(seat).values() if one.duty.kind == kind)

    def move(self, seat: int, move: dict[str, Any]) -> None:
        self.say(seat, Move(self.duty(seat, "move"), Raw(encode(move))))

    def claim(self, seat: int, *choices: Choice) -> int:
        return self.say(seat, Claim(0, 0, self.tape(seat).seed, choices))

    def tape(self, seat: int) -> Tape:
        root = base64.b64decode(self.secrets[seat]["root"])
        return hand_tape(root, session=self.session.id, seat=seat, hand=0)

    def write(self, path: Path) -> None:
        path.write_bytes(b"".join(line + b"\n" for line in (encode(self.session), *self.lines)))

    def verdicts(self, folder: Path) -> list[tuple[str, list[tuple[int, int]], int]]:
        """Verdict, faults and good entries: what ours says, and what the second one says."""
        path = folder / "log.jsonl"
        self.write(path)
        command = ["node", str(ROOT / "verifier" / "main.mjs"), str(path), "--json"]
        second = json.loads(subprocess.run(command, check=False, capture_output=True, text=True).stdout)
        return [
            (one["verdict"], [(fault["seat"], fault["entry"]) for fault in one["faults"]], one["entries"])
            for one in (nodealer.verify(path).as_json(), second)
        ]


def test_a_deck_that_is_put_away_while_it_is_rebuilt_is_put_away_at_once(tmp_path: Path) -> None:
    # Cleo has left, and the keys of those who stay are there; Ben owes what he holds.
    told = Telling(44)
    told.move(ADA, {"type": "put away", "deck": 0})
    told.put(told.was[44])  # it crossed, and is dropped
    told.move(ADA, {"type": "finish"})
    for seat in (ADA, BEN):
        told.say(seat, End(told.duty(seat, "end")))
    assert told.verdicts(tmp_path) == [("clean", [], 49)] * 2


def test_a_hand_without_a_deck_that_all_leave_is_over(tmp_path: Path) -> None:
    told = Telling(3)
    for seat in (ADA, BEN, CLEO):
        told.say(seat, Leave())
    told.say(ADA, End(told.duty(ADA, "end")))
    (record,) = told.replica.state.chronicle.records
    assert record.result is not None and record.result["ended"] == "given up"
    assert told.verdicts(tmp_path) == [("clean", [], 7)] * 2


def left(players: Players) -> None:
    """Ada has a card, and Cleo leaves: a deck of `lock` is made again."""
    ada, _, cleo = players.values()
    carry(players, ada.propose(cards=3, protocol="lock"))
    carry(players, ada.shuffle(3))
    carry(players, ada.deal({"Ada": 1}))
    carry(players, cleo.leave())


def test_so_is_a_deck_of_lock(tmp_path: Path) -> None:
    log = tmp_path / "left.jsonl"
    write(log, ("Ada", "Ben", "Cleo"), ("free",), left)
    said = [json.loads(line)["entry"]["body"]["type"] for line in log.read_bytes().splitlines()[1:]]
    told = Telling(said.index("leave") + 1, log)
    assert told.duty(ADA, "cascade")
    told.move(ADA, {"type": "put away", "deck": 0})
    told.move(BEN, {"type": "finish"})
    for seat in (ADA, BEN):
        told.say(seat, End(told.duty(seat, "end")))
    assert told.verdicts(tmp_path) == [("clean", [], len(told.lines))] * 2


SEAL: Final = 24


@pytest.mark.parametrize("value", [None, b"another bid", b"a bid"], ids=["none", "other", "true"])
def test_a_false_claim_is_named_at_the_first_message_that_its_book_does_not_make(
    tmp_path: Path, value: bytes | None
) -> None:
    told = Telling(34)
    sealing = json.loads(told.was[SEAL])["entry"]
    assert (sealing["seat"], sealing["body"]["message"]["type"]) == (CLEO, "seal")
    duty = base64.b64decode(sealing["body"]["duty"])
    claim = told.claim(CLEO, *([] if value is None else [Choice(duty, value)]))
    named = claim if value == b"a bid" else SEAL
    assert told.verdicts(tmp_path) == [("fault", [(CLEO, named)], 35)] * 2


def test_a_share_of_a_roll_that_is_not_of_the_tape_is_not_what_the_book_makes(tmp_path: Path) -> None:
    told = Telling(16)
    message = {"type": "roll", "commitment": base64.b64encode(bytes(32)).decode()}
    roll = told.say(CLEO, Cards(told.duty(CLEO, "roll"), Raw(encode(message))))
    told.claim(CLEO)
    assert told.verdicts(tmp_path) == [("fault", [(CLEO, roll)], 18)] * 2


def test_a_claim_with_another_seed_is_named_at_the_claim(tmp_path: Path) -> None:
    told = Telling(34)
    claim = told.say(CLEO, Claim(0, 0, bytes(32), ()))
    assert told.verdicts(tmp_path) == [("fault", [(CLEO, claim)], 35)] * 2


def looked(players: Players) -> None:
    """Ada looks at two cards and lays the second on top."""
    ada = players["Ada"]
    carry(players, ada.propose(cards=2))
    carry(players, ada.shuffle(2))
    carry(players, ada.peek(2, then="reorder"))
    question = ada.question()
    assert question is not None
    carry(players, ada.answer(question, (1, 0)))


@pytest.mark.parametrize("choice", [None, b"[1,1]", b"[1,0]"])
def test_an_order_of_cards_that_a_book_lacks_is_not_what_it_makes(
    choice: bytes | None, tmp_path: Path, looked_at: Path
) -> None:
    told = Telling(None, looked_at)
    said = [json.loads(line)["entry"]["body"] for line in told.was]
    arranged = next(n for n, body in enumerate(said) if body.get("message", {}).get("type") == "arrange")
    duty = base64.b64decode(said[arranged]["duty"])
    claim = told.claim(ADA, *([] if choice is None else [Choice(duty, choice)]))
    named = claim if choice == b"[1,0]" else arranged
    assert told.verdicts(tmp_path) == [("fault", [(ADA, named)], claim + 1)] * 2


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = tmp_path_factory.mktemp("looked") / "looked.jsonl"
    write(log, ("Ada", "Ben"), ("free",), looked)
    return log
