"""Every kind of step has words, and no words are of a step that there is not."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import msgspec
import pytest

import nodealer.protocols as protocols
from conformance.transitions import TABLES
from nodealer.protocols import PROTOCOLS, STEPS
from nodealer.protocols.duel.work import TaskKind
from nodealer.protocols.exclusion import Exclude, Proving
from nodealer.protocols.keyed_deck import Release, Releasing
from nodealer.protocols.text import KEY_NEEDS_NO_PROOF
from nodealer.wire import Message

ROOM = Path(protocols.__file__).parent
#: What fulfils a duty of another name.
OTHER_NAMES = {"lock": {"raised"}}
#: Stages that several protocols share, with their messages.
SHARED = {Releasing: Release, Proving: Exclude}
NAMED_BY_ENUM = {"duel": {kind.value for kind in TaskKind}}


def messages(name: str) -> set[str]:
    """The kinds of messages of a protocol."""
    module = importlib.import_module(f"nodealer.protocols.{name}.messages")
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    return {str(kind.__struct_config__.tag) for kind in kinds if kind is not Message}


def duties(name: str) -> set[str]:
    """The kinds of duties that its files name."""
    found = set()
    for path in (ROOM / name).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "duty":
                found |= {str(word.value) for word in node.args if isinstance(word, ast.Constant)}
    return found


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_kind_of_step_has_words(name: str) -> None:
    kinds = messages(name) - OTHER_NAMES.get(name, set()) | duties(name)
    kinds |= {str(said.__struct_config__.tag) for stage, said in SHARED.items() if stage in TABLES[name]}
    assert set(STEPS[name]) == kinds | NAMED_BY_ENUM.get(name, set())


@pytest.mark.parametrize("name", PROTOCOLS)
def test_what_they_say(name: str) -> None:
    """In sentences, and about a proof or the reason why none is needed wherever there are keys."""
    for kind, words in STEPS[name].items():
        assert words.doing and words.means.endswith("."), kind
        assert bool(words.done) == bool(words.shows), kind
    shuffles = [words for words in STEPS[name].values() if words.done.startswith("shuffled")]
    assert shuffles and all(words.last == "no one knows the order" for words in shuffles)
    if name != "chain":
        assert any(KEY_NEEDS_NO_PROOF in words.means for words in STEPS[name].values())
