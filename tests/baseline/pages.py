"""The documents that two pages get during one game of each kind: a player's page, and a spectator's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from baseline.masks import PAGE_PROSE, lines_of
from nodealer.client.agents import BotAgent
from nodealer.engine.commands import MakeMove
from nodealer.engine.participant import Participant
from nodealer.games import free
from nodealer.web import messages as doc
from web.tables import Table

HERE: Final = Path(__file__).parent

#: Name of the game to what its table is made with.
TABLES: Final[dict[str, dict[str, Any]]] = {
    "holdem": {"seats": 3, "hands": 2},
    "hearts": {"seats": 4, "hands": 1},
    "wardens": {"protocol": "duel", "seats": 2, "hands": 1},
    "free": {"seats": 3, "hands": 1},
}


def recording_of(game: str) -> Path:
    """Return where the recording of a game's pages is."""
    return HERE / "pages" / f"{game}.jsonl.gz"


def told(game: str) -> list[str]:
    """Play a game and return what the pages are told: both as it happens, then what one gets that loads at the end,
    then the first hand again."""
    table = Table(game=game, label="baseline", **TABLES[game])
    act = _free(table) if game == "free" else _bot(table)
    table.play(_on_the_page(table, act), others=act if game == "free" else None)
    assert table.people[0].is_over
    page = table.pages[0].presenter
    replayed = page.stored_replay(1)
    assert replayed is not None
    later = [json.loads(doc.encode_message(one)) for one in (*page.snapshot(), replayed)]
    return lines_of([*table.told, *table.watched, *later], PAGE_PROSE)


Act = Callable[[Participant], list[bytes]]


def _bot(table: Table) -> Act:
    return lambda one: BotAgent(table.package, one.store.root).act(one)


def _on_the_page(table: Table, act: Act) -> Act:
    """Show the page each question that its player is asked, before the answer is given."""
    page = table.pages[0]

    def decide(one: Participant) -> list[bytes]:
        question = one.question()
        if question is None:
            return act(one)
        page.ask(question)
        answer = act(one)
        page.withdraw_question()
        return answer

    return decide


def _free(table: Table) -> Act:
    """Return the players of a free table: they ask for cards in turn."""
    asked: list[tuple[int, free.Move]] = [
        (0, free.Shuffle(0, 8, tuple("abcdefgh"))),
        (1, free.DealCards(0, ((0, 2), (1, 1), (2, 1)))),
        (0, free.OpenCards(0, 1)),
        (1, free.ShowCards(0, (2,))),
        (2, free.Roll(15, (6, 6))),
        (0, free.GiveBack(0, (0,), "discard")),
        (2, free.Finish()),
    ]

    def act(one: Participant) -> list[bytes]:
        # The next move is for what comes of the last one.
        if table.waiting or not asked or one.seat.number != asked[0][0] or one.options().move is None:
            return []
        return one.command(MakeMove(asked.pop(0)[1]))

    return act
