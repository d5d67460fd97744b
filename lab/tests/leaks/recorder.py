"""A small game in which everything that is drawn from a tape is written down, and everything that leaves a seat."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from engine.circle import Circle
from leaks.keys import Due, due
from leaks.mistakes import complaints, mistakes, of_cards
from leaks.search import Secrets
from nodealer.api.event_stream import EventStream
from nodealer.engine.participant import Participant
from nodealer.engine.store import PlayerStore
from nodealer.group import Group, Order
from nodealer.tape import Tape, hand_tape
from nodealer.web import messages as doc
from nodealer.web.page_ui import PageUI
from web.tables import Screen

#: What is cut into elements: scalars, nonces and shares have 32 bytes.
ELEMENT: Final = 32


@dataclass
class Drawn:
    """What was drawn from tapes while this was open."""

    values: list[tuple[bytes, str, bytes]] = field(default_factory=list)
    orders: list[tuple[bytes, str, list[int]]] = field(default_factory=list)


@contextmanager
def written_down() -> Iterator[Drawn]:
    """Every draw, with its seed and its label."""
    drawn, draw, permutation = Drawn(), Tape.draw, Tape.permutation

    def drawing(self: Tape, label: str, inputs: bytes, *, size: int, index: int = 0) -> bytes:
        value = draw(self, label, inputs, size=size, index=index)
        drawn.values.append((self.seed, label, value))
        return value

    def ordering(self: Tape, label: str, inputs: bytes, count: int) -> Order:
        order = permutation(self, label, inputs, count)
        drawn.orders.append((self.seed, label, order.vartime_list()))
        return order

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tape, "draw", drawing)
        patch.setattr(Tape, "permutation", ordering)
        yield drawn


@contextmanager
def printed() -> Iterator[dict[str, bytes]]:
    """What is printed while this is open, or logged: by Python, and below it by the core. Of our own code at any level;
    libraries that others wrote are told by whoever wants it to say every byte that they carry."""
    found, texts = dict[str, bytes](), {name: io.StringIO() for name in ("stdout", "stderr", "logging")}
    root, ours, handler = logging.getLogger(), logging.getLogger("nodealer"), logging.StreamHandler(texts["logging"])
    level, kept = ours.level, [os.dup(1), os.dup(2)]
    with tempfile.TemporaryFile() as below:
        root.addHandler(handler)
        ours.setLevel(1)
        for descriptor in (1, 2):
            os.dup2(below.fileno(), descriptor)
        try:
            with redirect_stdout(texts["stdout"]), redirect_stderr(texts["stderr"]):
                yield found
        finally:
            for descriptor, was in enumerate(kept, 1):
                os.dup2(was, descriptor)
                os.close(was)
            ours.setLevel(level)
            root.removeHandler(handler)
            below.seek(0)
            found |= {name: text.getvalue().encode() for name, text in texts.items()} | {"descriptors": below.read()}


class Watched(Circle):
    """A table at which everybody has a page, and one who watches too; all that they tell is kept.

    Whenever a deck is in a kind of stage for the first time, every mistake is made that there is, those about cards by
    everybody, and all that can be reached from a seat shows itself.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self.pages: dict[Participant, Callable[[Any], object]] = {}
        self.documents: list[bytes] = []
        self.events: list[str] = []
        self._streams: dict[Participant, EventStream] = {}
        #: Hand to its decks, as they were when it was last played.
        self.decks: dict[int, dict[int, Any]] = {}
        #: For each frame, the keys of cards that were owed when it came, or before.
        self.due: list[frozenset[Due]] = []
        self._stages = set[tuple[int, type]]()
        #: What was said of mistakes in the middle of a hand.
        self.complaints: list[tuple[str, bytes]] = []
        self.mirror = Mirror()
        super().__init__(*args, **options)

    def sit(self, home: PlayerStore, **options: Any) -> Participant:
        given: dict[str, Any] = {
            "stay_policy": lambda state: state.hand.number < self.hands,
            "parts": self.parts,
        } | options
        one = Participant(home, entropy=self.source, by_person=True, **given)
        page = PageUI(lambda message: self.documents.append(doc.encode_message(message)), lambda: 0.0, store=home)
        self.pages[one] = Screen(one, page, lambda: 0.0).show
        self._streams[one] = EventStream(one)
        return one

    def hear(self, place: int, one: Participant, frame: bytes, number: int) -> Iterable[bytes]:
        if place == 0:
            # What is in a frame was said before it came.
            self.due.append(self._due_now())
        step = one.receive(frame, number)
        self.pages[one](step)
        stream = self._streams[one]
        self.events += map(repr, [*stream.convert(step.happened), *stream.new_prompts()])
        if one is self.people[-1]:
            self._look()
        return step.send

    def _due_now(self) -> frozenset[Due]:
        before = self.due[-1] if self.due else frozenset()
        now = ((hand, deck) for hand, decks in self.decks.items() for deck in decks.values())
        return before | {(hand, *key) for hand, deck in now for key in due(deck)}

    def _look(self) -> None:
        """All have heard a frame."""
        first = self.people[0]
        if not first.has_session or not first.replica.state.hand.decks:
            return
        hand = first.replica.state.hand
        decks = self.decks[hand.number] = dict[int, Any](hand.decks)
        stages = {(number, type(deck.stage)) for number, deck in decks.items()}
        if not stages <= self._stages:
            self._stages |= stages
            for one in self.people:
                if one.has_seat:
                    self.complaints += complaints(mistakes(one) if one is first else of_cards(one))
            # All others are made of the same.
            self.mirror.look(first, self.homes[0])


def secrets_of(circle: Circle, drawn: Drawn, group: Group) -> Secrets:
    """All that only one seat knows at first: keys, roots, seeds, and everything that was drawn from them."""
    found = Secrets()
    seeds = dict[bytes, str]()
    session = circle.people[0].replica.config.session.id
    for one, home in zip(circle.people, circle.homes, strict=True):
        whose = home.name or "watcher"
        found.add(f"{whose}: root", home.root)
        for name, secret in private_keys(home).items():
            found.add(f"{whose}: {name}", secret)
        if one.has_seat:
            for hand in range(circle.hands + 1):
                seed = hand_tape(home.root, session=session, seat=one.seat.number, hand=hand).seed
                seeds[seed] = f"{whose}, hand {hand}"
                found.add(f"{seeds[seed]}: seed", seed)
    for seed, label, value in drawn.values:
        if seed in seeds:
            add_value(found, f"{seeds[seed]}: {label}", value, group)
    for seed, label, order in drawn.orders:
        if seed in seeds and len(order) >= 6:
            found.add_order(f"{seeds[seed]}: {label}", order)
    return found


def add_value(found: Secrets, name: str, value: bytes, group: Group) -> None:
    """What was drawn, as it is, and as the scalars that are made of it; and what gives a scalar away as well as it
    would itself: its negative and its inverse."""
    for at in range(0, len(value), ELEMENT):
        found.add(name, value[at : at + ELEMENT])
    if len(value) % group.wide_size == 0:
        scalars = group.wide_scalars(value)
        for what, derived in (("", scalars), (", negative", -scalars), (", inverse", scalars.invert())):
            data = derived.to_bytes()
            for at in range(0, len(data), group.scalar_size):
                found.add(f"{name}, a scalar{what}", data[at : at + group.scalar_size])


def private_keys(home: PlayerStore) -> dict[str, bytes]:
    """The signing key and what is made of it: the scalar that signs, the prefix of its nonces, and the box's secret."""
    identity: Any = home.identity
    wide = hashlib.sha512(identity._seed).digest()
    scalar = bytes([wide[0] & 248, *wide[1:31], (wide[31] & 63) | 64])
    return {
        "signing key": identity._seed,
        "signing scalar": scalar,
        "prefix of nonces": wide[32:],
        "box secret": identity.box_secret,
    }


# --- What shows itself ---


class Mirror:
    """The `repr` and `str` of every object of ours that can be reached. Bytes and texts show themselves, of course:
    what counts is who shows them."""

    def __init__(self) -> None:
        #: What was shown, each text once, and who has shown it.
        self.texts: dict[bytes, str] = {}
        self.kinds = set[str]()
        #: What never changes, and is not looked at again. It is kept, so that its number stays its own.
        self._known: dict[int, object] = {}

    def look(self, *roots: object) -> None:
        """At all that can be reached from these now."""
        todo, seen = [(root, "") for root in roots], dict[int, object]()
        while todo:
            one, around = todo.pop()
            if isinstance(one, bytes | str | int | float | type | None) or id(one) in seen or id(one) in self._known:
                continue
            (self._known if _frozen(one) else seen)[id(one)] = one
            if type(one).__module__.partition(".")[0] == "nodealer":
                around = self._show(one, around)
            todo += [(part, around) for part in inside(one)]

    def _show(self, one: object, around: str) -> str:
        """What one shows of itself. Where whatever it is a part of has shown it already, that is enough."""
        said, other = repr(one), str(one)
        kind = f"repr of {type(one).__module__}.{type(one).__qualname__}"
        self.kinds.add(kind)
        for text in dict.fromkeys((said, other)):
            if text not in around:
                self.texts.setdefault(text.encode(errors="replace"), kind)
        return around if said in around else said


def _frozen(one: object) -> bool:
    """Whether it is of a kind that never changes."""
    parameters = getattr(one, "__dataclass_params__", None) or getattr(one, "__struct_config__", None)
    return parameters is not None and bool(parameters.frozen)


def inside(one: object) -> list[object]:
    """What an object holds."""
    found: list[object] = []
    if isinstance(one, dict):
        found += [*one.keys(), *one.values()]
    elif isinstance(one, list | tuple | set | frozenset):
        found += one
    elif callable(getattr(one, "__closure__", None)):
        return found
    slots = [name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())]
    fields = getattr(type(one), "__struct_fields__", ())
    found += [getattr(one, name) for name in (*slots, *fields) if isinstance(name, str) and hasattr(one, name)]
    found += vars(one).values() if hasattr(one, "__dict__") and not isinstance(one, type) else ()
    closure = getattr(one, "__closure__", None) or ()
    found += [cell.cell_contents for cell in closure if _full(cell)]
    return found


def _full(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
