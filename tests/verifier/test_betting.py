"""Hold'em without cryptography: both verifiers' rules say the same of thousands of hands by chance.

Our rules play: bets of all sizes, all-ins below the blinds, odd chips, moves that cannot be, seats that leave at a
price, hands that nobody can go on with. Each step is then told to the rules of the second verifier (`betting.mjs`).
"""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.harness import Source
from games.dealer import Dealer
from nodealer.cards.events import Half, Moved, Opened
from nodealer.cards.operations import operation_fields, without_seats
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.holdem import Holdem
from nodealer.games.holdem.leave_price import LeavePricing
from nodealer.wire import encode

from .judging import ROOT

TOLD: Final = ("button", "ended", "stacks", "board", "pots", "shown", "gone", "dead", "charged")
HANDS: Final = 6


def wants(game: Any) -> dict[str, Any]:
    """What a hand wants, as the other program says it."""
    want = game.wants
    if isinstance(want, Turn):
        return {"turn": list(want.seats)}
    if isinstance(want, Ask):
        return {"ask": [operation_fields(operation) for operation in want.operations]}
    net = {seat: want.net.get(seat, 0) - want.charged.get(seat, 0) for seat in game.seats}
    return {
        "done": {name: want.result[name] for name in TOLD},
        "net": [[seat, amount] for seat, amount in net.items() if amount],
    }


class Evening:
    """One session, step by step."""

    def __init__(self, seed: str) -> None:
        self.chance = Source(seed)
        stack = 2 + self.below(self.one_of((8, 40, 400)))
        big = 1 + self.below(min(stack, 9))
        leaving = self.one_of((LeavePricing.STRICT, LeavePricing.GENTLE))
        self.rules = Holdem(stack, (1 + self.below(big), big), self.below(min(4, stack)), leaving)
        self.seats = tuple(sorted({self.below(12) for _ in range(3 + self.below(9))} | {0, 5}))
        self.chips = dict.fromkeys(self.seats, stack)
        self.hands: list[list[dict[str, Any]]] = []
        self.game: Any = None

    def below(self, bound: int) -> int:
        return self.chance.below(bound)

    def one_of(self, things: Any) -> Any:
        return things[self.below(len(things))]

    def play(self) -> dict[str, Any]:
        for number in range(HANDS):
            self.game = self.rules.begin(number, self.seats, self.game, self.chips)
            self.steps: list[dict[str, Any]] = []
            self.hands.append(self.steps)
            self.gone: set[int] = set()
            self.asked: list[Any] | None = None
            self.dealer = Dealer.shuffled(str(self.chance(8)))
            self.leaves = self.below(3) == 0
            self._note(["begun"])
            while not isinstance(self.game.wants, Done):
                self._step()
            done = self.game.wants
            for seat in self.seats:
                self.chips[seat] += done.net.get(seat, 0) - done.charged.get(seat, 0)
        return {"parameters": json.loads(self.rules.parameters), "seats": self.seats, "hands": self.hands}

    def _note(self, done: list[Any]) -> None:
        now = wants(self.game)
        if "ask" in now and self.asked is not None:
            # What is asked for is on its way: who leaves does not change it.
            now = {"ask": self.asked}
        self.asked = now.get("ask")
        self.steps.append({"do": done, "wants": now})

    def _step(self) -> None:
        if self.leaves and self.below(6) == 0:
            self._leave()
            return
        want = self.game.wants
        if isinstance(want, Ask):
            self._tell(want)
        else:
            self._move(want.seats[0])

    def _tell(self, ask: Ask) -> None:
        """What is asked for is done; where somebody leaves meanwhile, for those who stay."""
        if self.leaves and self.below(8) == 0:
            self._leave()
            if not isinstance(self.game.wants, Ask):
                return
        rest = (without_seats(operation, frozenset(self.gone)) for operation in ask.operations)
        events = self.dealer.answer(Ask(tuple(operation for operation in rest if operation is not None)))
        self.game = self.game.told(events)
        told: list[Any] = []
        for event in events:
            if isinstance(event, Moved):
                told.append({"type": "moved", "position": event.card.position, "holder": event.holder})
            elif isinstance(event, Opened):
                told.append({"type": "opened", "position": event.card.position, "face": event.face})
        self.asked = None
        self._note(["told", told])

    def _move(self, seat: int) -> None:
        default = self.game.default(seat)
        if default is not None:
            self.steps.append({"do": ["default", seat, default.decode()], "wants": wants(self.game)})
        for _ in range(40):
            kind = self.one_of(("call", "call", "raise", "raise", "fold", "show", "muck"))
            move: dict[str, Any] = {"type": kind}
            if kind == "raise":
                move["to"] = self.one_of(
                    (self.below(12), self.below(60), self.chips[seat], self.below(2 * self.rules.stack))
                )
            try:
                self.game = self.game.moved(seat, encode(move))
            except (IllegalMove, BadParameter):
                self.steps.append({"do": ["moved", seat, encode(move).decode()], "wants": None})
                continue
            self._note(["moved", seat, encode(move).decode()])
            return
        self.game = self.game.moved(seat, default)
        self._note(["moved", seat, default.decode()])

    def _leave(self) -> None:
        there = [seat for seat in self.game.players if seat not in self.gone]
        leaving = sorted({self.one_of(there) for _ in range(1 + self.below(2))})
        for seat in leaving:
            if self.below(2):
                half = self.one_of((Half.DEALT, Half.OPENED, Half.REBUILT))
                self.game = self.game.charged(seat, half)
                self._note(["charged", seat, half.value])
        self.gone.update(leaving)
        cards = len(there) - len(leaving) > 1 and self.below(4) > 0
        self.game = self.game.left(tuple(leaving), cards=cards)
        self._note(["left", leaving, cards])


def found(folder: Path, seed: str, count: int) -> list[str]:
    evenings = folder / "evenings.jsonl"
    evenings.write_bytes(b"".join(encode(Evening(f"{seed} {n}").play()) + b"\n" for n in range(count)))
    command = ["node", str(ROOT / "tests" / "verifier" / "betting.mjs"), str(evenings)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_both_play_hold_em_by_the_same_rules(tmp_path: Path) -> None:
    assert found(tmp_path, "a few", 15) == []


@pytest.mark.deep
@pytest.mark.timeout(7200)
def test_both_play_much_hold_em_by_the_same_rules(tmp_path: Path) -> None:
    assert found(tmp_path, "many", 3000) == []
