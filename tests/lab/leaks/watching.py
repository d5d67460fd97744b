"""A small game in which everything that is drawn from a tape is written down, and everything that leaves a seat."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from lab.leaks.search import Secrets
from nodealer.api.telling import Teller
from nodealer.group import Group, Order
from nodealer.play.home import Home
from nodealer.play.participant import Participant
from nodealer.tape import Tape, hand_tape
from nodealer.web import documents as doc
from nodealer.web.person import PagePerson
from nodealer.web.seat import PageSeat
from play.circle import Circle

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


class Watched(Circle):
    """A table at which everybody has a page, and one who watches too; all that they tell is kept."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.pages: dict[Participant, Callable[[Any], object]] = {}
        self.documents: list[bytes] = []
        self.events: list[str] = []
        self._tellers: dict[Participant, Teller] = {}
        #: Hand to its decks, as they were when it was last played.
        self.decks: dict[int, dict[int, Any]] = {}
        super().__init__(*args, **options)

    def sit(self, home: Home, **options: Any) -> Participant:
        given: dict[str, Any] = {"stays": lambda state: state.hand.number < self.hands, "parts": self.parts} | options
        page = PagePerson(PageSeat(lambda one: self.documents.append(doc.encoded(one)), lambda: 0.0), lambda: 1)
        one = page.take_part(home, entropy=self.source, **given)
        self.pages[one] = page.watch(one)
        self._tellers[one] = Teller(one)
        return one

    def hear(self, place: int, one: Participant, frame: bytes, number: int) -> Iterable[bytes]:
        step = one.receive(frame, number)
        self.pages[one](step)
        if one is self.people[0] and one.begun and one.replica.state.hand.decks:
            self.decks[one.replica.state.hand.number] = dict(one.replica.state.hand.decks)
        self.events += map(repr, self._tellers[one].tell(step.happened))
        return step.send


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
        if one.seated:
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
    """What was drawn, as it is, and as the scalars that are made of it."""
    for at in range(0, len(value), ELEMENT):
        found.add(name, value[at : at + ELEMENT])
    if len(value) % group.wide_size == 0:
        scalars = group.wide_scalars(value).to_bytes()
        for at in range(0, len(scalars), group.scalar_size):
            found.add(f"{name}, a scalar", scalars[at : at + group.scalar_size])


def private_keys(home: Home) -> dict[str, bytes]:
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


def shown(*roots: object) -> Iterator[tuple[str, bytes]]:
    """The `repr` and `str` of every object of ours that can be reached from these. Bytes and texts show themselves, of
    course: what counts is who shows them."""
    seen = set[int]()
    todo: list[object] = list(roots)
    kept = list[object]()
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, bytes | str | int | float | type | None):
            continue
        seen.add(id(one))
        kept.append(one)
        if type(one).__module__.partition(".")[0] == "nodealer":
            yield (
                f"repr of {type(one).__module__}.{type(one).__qualname__}",
                f"{one!r} {one!s}".encode(errors="replace"),
            )
        todo += inside(one)


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


def complaints(*mistakes: Callable[[], object]) -> Iterator[tuple[str, bytes]]:
    """What is said of mistakes: the whole trace, as it would stand in a terminal or a report."""
    for number, mistake in enumerate(mistakes):
        try:
            mistake()
        except Exception as error:  # whatever it is
            said = "".join(traceback.format_exception(error)) + repr(error) + json.dumps([str(a) for a in error.args])
            yield f"complaint {number}: {type(error).__name__}", said.encode(errors="replace")
        else:
            raise AssertionError(f"mistake {number} is none")
