"""Every reader on its corpus, and on what comes of it in a hundred tries; `make fuzz` and `make deep` try for long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from fuzz import __main__ as command
from fuzz.mutator import Mutator
from fuzz.target import CORPUS, Target
from fuzz.targets import TARGETS
from nodealer.engine.participant import Participant
from nodealer.errors import DecodeError
from nodealer.wire import decode
from sampling import times

#: Those that take milliseconds, and how often they are tried.
SLOW = {
    "verify": 4, "home": 12, "store": 12, "told of an entry": 12, "frames": 20, "kept game": 20, "told of a lobby": 20,
    "words of a code": 20, "choice": 40, "door": 40, "message of chain": 40, "lobby": 60, "word of a page": 60,
}  # fmt: skip


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_says_what_is_wrong(name: str) -> None:
    """Nothing else is raised, and nothing that is asserted in a target is false."""
    target = TARGETS[name]
    corpus = target.corpus
    accepted = [target.run(data) for data in corpus]
    assert any(accepted), "nothing in the corpus is read: it is of another format"
    mutator = Mutator(f"make test {name}", corpus, target.largest)
    for _ in range(times(SLOW.get(name, 150), deep=20 * SLOW.get(name, 150))):
        target.run(mutator.next())


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} == TARGETS.keys()
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < 400_000


# --- That it would be found ---


def reads_badly(data: bytes) -> None:
    """Raises what it should, and a `KeyError` for objects without an "a"."""
    message: Any = decode(dict, data, what="a message")
    message["a"]


def test_what_is_not_allowed_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "FOUND", tmp_path)
    bad = Target("json", reads_badly, (DecodeError,))
    run = command.plain(bad, 5.0, "found")
    assert "KeyError" in run.failed and "FAILED" in run.line
    (left,) = (tmp_path / "json").iterdir()
    with pytest.raises(KeyError):
        bad.run(left.read_bytes())


def test_an_error_inside_is_found_where_nothing_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by an input that has no first byte."""
    target = TARGETS["frames"]
    assert target.run(b"")

    def stumbles(self: Participant, frame: bytes, number: int | None = None) -> NoReturn:
        raise IndexError("a frame")

    monkeypatch.setattr(Participant, "receive", stumbles)
    for data in (b"", *target.corpus):
        with pytest.raises(IndexError, match="a frame"):
            target.run(data)


def test_mutations_reach_what_stands_in_base64() -> None:
    """The message stays one, with another element in it."""
    honest = b'{"type":"key","key":"' + b"QUFB" * 32 + b'"}'
    mutator = Mutator("inside", [honest], 1000)
    made = {mutator._inside(honest) for _ in range(50)}
    assert len(made) > 5 and all(json.loads(data).keys() == {"type", "key"} for data in made)


def test_mutations_leave_JSON_what_it_is() -> None:
    """And say something else in it."""
    honest = b'{"type":"key","number":5,"list":[1,"a"]}'
    mutator = Mutator("values", [honest], 1000)
    made = [json.loads(mutator._another_value(honest)) for _ in range(200)]
    assert len({json.dumps(one) for one in made}) > 30 and any(one.get("number") == [0] for one in made)


def test_the_same_seed_makes_the_same() -> None:
    one, two = (Mutator("same", [b"abc", b"{}"], 100) for _ in range(2))
    assert [one.next() for _ in range(50)] == [two.next() for _ in range(50)]


def test_the_command_says_what_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["0.2", "page", "json", "--plain", "--seed", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [run["target"] for run in said["runs"]] == ["page", "json"]
    assert said["executions"] == sum(run["executions"] for run in said["runs"]) > 20
    assert command.main(["0.1", "page", "--plain"]) == 0
    assert "executions of 1 targets, seed" in capsys.readouterr().out
