"""A table for practice, without a browser: the person's seat, the bots beside it, and the documents between."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest

from nodealer.errors import Declined, NodealerError
from nodealer.log.roster import Roster
from nodealer.log.session import Part, Proposal
from nodealer.web import messages as doc
from nodealer.web.tab.practice import Bots, BotTransport, offers, practice_setup
from nodealer.web.tab.setup import ask_in_tab
from nodealer.web.tab.table import TabEnvironment, TabTable


def deal(**changed: Any) -> doc.Deal:
    fields: dict[str, Any] = {"game": "holdem", "name": "Tabea", "seats": 3, "hands": 1} | changed
    return doc.Deal(**fields)


def test_a_hand_against_bots(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    setup = practice_setup(deal())

    async def play() -> None:
        def tell(text: str) -> None:
            document = json.loads(text)
            told.append(document)
            if document["type"] == "ask":
                # A page answers later; one of these is legal.
                for text in ("call", "check", "show"):
                    said = json.dumps({"type": "typed", "ask": document["ask"], "text": text, "sure": True})
                    asyncio.get_running_loop().call_soon(table.receive, said)

        table = TabTable(TabEnvironment(token_bytes, lambda url: pytest.fail(url), lambda: 0, tell, tmp_path / "log"))
        table.start("player", "Tabea", offers("Tabea"))
        bots: list[Bots] = []
        beside = BotTransport(lambda frame: bots[0].receive(frame))
        bots.append(Bots(setup, token_bytes, beside.receive))
        playing = asyncio.ensure_future(table.practise(setup, beside))
        while not playing.done():
            if not bots[0].step():
                await asyncio.sleep(0.001)
            await asyncio.sleep(0)
        await playing
        table.receive(json.dumps({"type": "save", "what": "log"}))
        table.receive("nonsense")

    asyncio.run(asyncio.wait_for(play(), 100))
    kinds = [one["type"] for one in told]
    assert kinds[:2] == ["hello", "offers"]
    assert {"table", "view", "ask", "proof", "hand", "file", "refused"} <= set(kinds)
    verdict = next(one for one in told if one["type"] == "verdict")
    assert verdict["verdict"] == "clean", verdict
    assert [one for one in told if one["type"] == "over"][-1]["again"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"game": "nodealer.games:GAME"}, "not available here"),
        ({"cheat": "2:mark"}, "cheat"),
        ({"name": "ben"}, "a bot"),
        ({"name": "a\nb"}, "name"),
        ({"settings": {"none": "1"}}, "no setting"),
        ({"game": "hearts"}, "for four"),
    ],
)
def test_what_cannot_be_practised(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(NodealerError, match=why):
        practice_setup(deal(**changed))


def test_a_protocol_that_a_tab_cannot_serve_is_declined_before_sitting_down() -> None:
    proposal = Proposal(Part("holdem", 1), Part("chain", 1), (), Roster(()))
    with pytest.raises(Declined, match="mask, lock, offset, duel"):
        ask_in_tab(proposal)
    assert ask_in_tab(Proposal(Part("holdem", 1), Part("mask", 1), (), Roster(()))) is False
    with pytest.raises(Declined, match="rehearsal"):
        ask_in_tab(Proposal(Part("holdem", 1), Part("mask", 1), (), Roster(()), rehearsal=True))
