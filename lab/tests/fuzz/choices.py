"""What persons choose, and what they answer: at one's own seat, or in a book that somebody else opens."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import cache
from typing import Final

from fuzz import played
from fuzz.target import Target
from games import hearts_dealer, wardens_dealer
from nodealer.cards.operations import Look, Peek, Seal
from nodealer.cli.json_ui import JsonUI
from nodealer.engine.prompts import Question
from nodealer.errors import BadParameter, DecodeError, IllegalMove, Malformed
from nodealer.games.registry import find_game
from nodealer.games.view import View
from nodealer.protocols.base import Deck, Duty
from nodealer.protocols.codec import read_choice
from nodealer.protocols.offset.shuffle import _chosen_order
from nodealer.tape import Tape
from nodealer.web.messages import read_client_message

# --- Private choices ---

#: The games in which somebody has, or may have, something to choose.
CHOSEN: Final = ("choices", "books", "lock", "offset", "dice and envelopes")


@cache
def to_choose() -> list[tuple[Deck, Duty, Tape]]:
    """Every message that is made of a choice."""
    return [
        (deck, duty, played.game(name).tape(duty.seat))
        for name in CHOSEN
        for deck, duty, _ in played.moments(name)
        if duty.choice or duty.may_choose or duty.recalls is not None
    ]


def choose(data: bytes) -> None:
    """A choice, for whoever reads one: what it is not is said, as a seat wants to hear it."""
    with suppress(BadParameter):
        assert all(isinstance(position, int) for position in read_choice(data))
    with suppress(BadParameter):
        assert sorted(_chosen_order(data, (1, 2, 3))) == [1, 2, 3]
    for deck, duty, tape in to_choose():
        with suppress(BadParameter, Malformed):
            deck.message(duty, tape, data)


# --- Answers of programs and of pages ---


@cache
def questions() -> list[Question]:
    """Moves of four games, cards to choose from, and something to seal."""
    names, free, (_, duty, _) = {0: "Ada", 1: "Bo"}, find_game("free"), played.moments("choices")[0]
    hearts, wardens = hearts_dealer.Dealer.stacked(), wardens_dealer.dealt()
    hearts.settle()
    hand = free.from_settings(free.settled({})).begin(0, (0, 1), None, {0: 0, 1: 0})
    leads = next(view for seat in range(4) if (view := hearts.view(seat)).my_turn)
    moving = [leads, wardens.view(), View(0, names, 0, hand, {}, True)]
    looked = View(0, names, 0, None, {}, True, {(0, 3): 1, (0, 4): 2})
    return [
        played.asked_in_holdem(),
        *(Question(duty, view, None) for view in moving),
        *(Question(duty, looked, Peek(0, 0, 2, then)) for then in (Look.REORDER, Look.TAKE)),
        Question(duty, looked, None, Seal(8)),
    ]


def answer(data: bytes) -> None:
    """A line of a program. The first byte says which question it answers."""
    every, program = questions(), JsonUI(name="Ada")
    program._asked = 1
    program._read(find_game("holdem"), every[data[0] % len(every) if data else 0], data[1:])


def say_on_a_page(data: bytes) -> None:
    """What a page says to somebody at a table, in the middle of a hand: it is done, or refused. The first byte says to
    whom, and when."""
    which, said = data[:1] or b"\0", read_client_message(data[1:])
    screen, one = played.with_page(which)

    async def hear() -> None:
        page = screen.ui
        if (question := one.question()) is not None:
            page.ask(question)
            # As if the client waited for it.
            page._decided = asyncio.get_running_loop().create_future()
        page.receive(said)
        if page._replaying is not None:
            await page._replaying

    asyncio.run(hear())
    screen.carry_out()


CHOOSING: Final = (
    Target("choice", choose, (), largest=512),
    Target("answer of a program", answer, (IllegalMove,)),
    Target("word of a page", say_on_a_page, (DecodeError,), largest=1024),
)
