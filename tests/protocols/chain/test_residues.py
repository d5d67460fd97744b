"""A number that is no square, at every place where a number is sent: refused, with the seat that sent it."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

import pytest

from conformance.harness import Game, refusal, resigned
from nodealer.cards.operations import NewDeck
from nodealer.engine.bodies import Cards, read_body
from nodealer.engine.phases import Phase
from nodealer.errors import EntryRefused
from nodealer.group import group
from nodealer.group.modp import SIZE, P
from nodealer.log.entry import read_entry

from .kit import DEALER_DECK, deal, show, table, turn

#: Fields with numbers, and how many bytes stand before the first.
FIELDS = {"key": 0, "numbers": 0, "knowledge": 1, "proof": 1}


@cache
def played() -> Game:
    """The dealer's decks, a draw for a player, an opening, a show."""
    script = (NewDeck(0, 4),), deal({1: (0,), 0: (3,)}), turn(1), show(1, 0)
    game = table(group("modp2048"), *script, seats=2, parameters=DEALER_DECK).play()
    assert game.state.phase is Phase.ENDED
    return game


def spoilt(kind: str, number: int) -> int:
    return {"minus": int(P) - number, "zero": 0, "one": 1, "minus one": int(P) - 1, "p": int(P), "more": 2**2048 - 1}[
        kind
    ]


@pytest.mark.parametrize("kind", ["minus", "zero", "one", "minus one", "p", "more"])
def test_at_every_place(kind: str) -> None:
    game = played()
    replica, tried = game.replica(0), set()
    for number, data in enumerate(game.log):
        body = read_body(bytes(read_entry(data).entry.body))
        message: dict[str, Any] = read_message(body) if isinstance(body, Cards) else {}
        for field, start in FIELDS.items():
            text = base64.b64decode(message.get(field, ""))
            if len(text) < SIZE or (message["type"], field) == ("unblind", "key"):
                continue
            for at in (start,) if field in ("proof", "knowledge", "key") else (0, len(text) - SIZE):
                element = int.from_bytes(text[at : at + SIZE], "big")
                wrong = text[:at] + spoilt(kind, element).to_bytes(SIZE, "big") + text[at + SIZE :]
                answer = refusal(replica, spoil(game, data, field, wrong))
                assert isinstance(answer, EntryRefused) and answer.seat == game.signer(data), (number, field, answer)
                tried.add((message["type"], field))
        replica.append(data)
    kinds = {"candidate", "shuffle"}
    assert {(kind, field) for kind in kinds for field in ("key", "knowledge", "numbers")} <= tried
    assert {("pass", "numbers"), ("pass", "proof"), ("reveal", "proof")} <= tried


def read_message(body: Cards) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads(bytes(body.message))
    return found


def spoil(game: Game, data: bytes, field: str, value: bytes) -> bytes:
    def change(entry: dict[str, Any]) -> None:
        entry["body"]["message"][field] = base64.b64encode(value).decode()

    return resigned(data, game.persons[game.signer(data)].key, change)


def test_a_shown_card_whose_number_is_no_square() -> None:
    """The dealer's nonces that a player shows make numbers too."""
    game = played()
    replica = game.replica(0)
    for data in game.log:
        body = read_body(bytes(read_entry(data).entry.body))
        message = read_message(body) if isinstance(body, Cards) else {"type": ""}
        if message["type"] == "reveal" and message["cardNonces"]:
            for start in range(6):
                nonce = start.to_bytes(32, "big")
                twin = game.replica(replica.height)
                twin.append(spoil(game, data, "cardNonces", nonce))
                assert twin.state.fault is not None and twin.state.fault.seat == game.signer(data)
            return
        replica.append(data)
    raise AssertionError("nobody showed a card")
