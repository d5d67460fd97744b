"""What a person at the table is told of what was proven, of looks at cards, and of how a hand ended."""

from __future__ import annotations

from typing import Any

import pytest

from nodealer.cards.events import Unsealed
from nodealer.cli.terminal.event_lines import event_lines
from nodealer.client.agents import BotAgent
from nodealer.client.entropy import rehearsal_entropy
from nodealer.client.event_json import event_tag
from nodealer.client.event_text import event_text
from nodealer.client.events import CardsOpened, Moved, Peeked, Result, TableEvent
from nodealer.client.events import Unsealed as UnsealedEvent
from nodealer.client.game_loader import load_game
from nodealer.client.local_table import seat_players
from nodealer.client.narrator import Narrator
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.replica import Applied
from nodealer.games.text import Words
from nodealer.protocols import make_protocol


def told(
    game: str, protocol: str, settings: dict[str, str], *, parameters: bytes = b"{}", you: int | None = 0
) -> list[TableEvent]:
    """A game of bots, as somebody hears of it."""
    package = load_game(game)
    rules, seed = package.from_settings(package.settled(settings)), rehearsal_entropy(3, f"{game} {protocol}")
    table = seat_players(
        ("Ada", "Ben"), make_protocol(protocol, parameters), rules, seed, stays=stay_for_hands(1), package=package
    )
    first, events = table.participants[0], list[TableEvent]()
    minds = {one: BotAgent(package, one.store.root) for one in table.participants}
    narrator: list[Narrator] = []

    def watch(step: Received) -> list[bytes]:
        if first.has_session and not narrator:
            narrator.append(Narrator.for_table(first.replica.config, you))
        events.extend(event for one in step.happened if isinstance(one, Applied) for event in narrator[0].describe(one))
        return []

    table.run(lambda one: minds[one].act(one), watch)
    return events


def of(events: list[TableEvent], kind: str) -> list[Any]:
    return [text for event in events if event_tag(event) == kind and str(text := event_text(event))]


def test_shuffles_at_a_table_of_poker() -> None:
    events = told("holdem", "mask", {"stack": "20"})
    assert of(events, "cards") == [
        "You shuffled; proven: the same cards",
        "Ben shuffled; proven, you checked it: no one knows the order",
    ]
    (result,) = [event for event in events if isinstance(event, Result)]
    lines = event_lines(result)
    assert "wins" in lines[0] and lines[1].startswith("  [green]result[/green]")
    shows = [line for event in events if isinstance(event, Moved | CardsOpened) for line in event_lines(event)]
    assert sum("Ben shows" in line for line in shows) == 1


@pytest.mark.parametrize("you", [0, None])
def test_a_collectible_game(you: int | None) -> None:
    events = told("wardens", "duel", {"decks": "tide,tide"}, you=you)
    whose = "your" if you == 0 else "Ada's"
    checked = "proven, you checked it" if you == 0 else "proven"
    assert f"Ben shuffled {whose} deck; {checked}: no one knows the order" in of(events, "cards")
    # Who looked is told to the others; what one saw oneself one knows.
    names = {event.name for event in events if isinstance(event, Peeked)}
    assert names == ({"Ben"} if you == 0 else {"Ada", "Ben"})
    assert any("in secret" in str(text) for text in of(events, "looked"))
    assert any("light: 24 →" in str(text) for text in of(events, "changed"))
    (result,) = [event for event in events if isinstance(event, Result)]
    assert str(result.parting).startswith(("You won", "You lost")) is (you == 0)


def test_what_is_not_proven_is_not_called_so() -> None:
    events = told("wardens", "duel", {"mode": "committed"}, parameters=b'{"mode":"committed"}')
    said = of(events, "cards")
    assert said and all("not proven yet: all players disclose after the hand" in text for text in said)


def test_what_was_sealed_looks_like_no_other_line() -> None:
    """A terminal goes on in the next line where one is full: blanks would put anything at its beginning."""
    said = Words().unsealed(None, Unsealed(8, 0, b"7" + b" " * 200 + b"FAULT Ada:\n\x1b[2J false proof"))
    (line,) = event_lines(UnsealedEvent("Eve", None, seat=0, line=said))
    assert line == "  Eve had sealed: 7 FAULT Ada: \\u{1b}[2J false proof"
