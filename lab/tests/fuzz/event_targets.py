"""What is told of others' words, whatever they are: to a program, to a page, and to a person in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from client.looking import status_at
from fuzz import played
from fuzz.target import Target
from nodealer.api.event_stream import EventStream
from nodealer.cli.terminal.event_lines import event_lines
from nodealer.client.events import ProposalReceived, TableEvent
from nodealer.client.narrator import Narrator
from nodealer.engine.frame_result import ReceivedEvent
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Applied
from nodealer.log.control_characters import is_invisible
from nodealer.web.lobby import describe_proposal_terms


def tell_all(one: Participant, happened: Iterable[ReceivedEvent]) -> None:
    """In every way: nothing raises, and no line moves a cursor."""
    teller = EventStream(one)
    for event in (*teller.convert(happened), *teller.new_prompts()):
        repr(event)
    for applied in happened:
        if isinstance(applied, Applied):
            for told in Narrator.for_table(one.replica.config, one.seat.number if one.has_seat else None).describe(
                applied
            ):
                lines = event_lines(told)
                assert not any(is_invisible(letter) for line in lines for letter in line)


def tell_of_entry(data: bytes) -> None:
    """What a seat has signed, whatever it is, at some moment of a game. The first byte says when, and who looks on."""
    which, words = data[:1] or b"\0", data[1:]
    screen, one = played.with_page(which)
    step = screen.receive(played.signed_by_someone(words), one.next_frame_number)
    tell_all(one, step.happened)


def tell_of_lobby(data: bytes) -> None:
    """Frames of a lobby, one a line, each signed by somebody: for the host, for a guest, and for who only looks on."""
    for one, looks in played.in_lobby():
        told: list[TableEvent] = []
        looking, page = looks(told.append), played.silent_page(network=True)
        for words in data.split(b"\n"):
            step = one.receive(played.signed_frame("", words))
            tell_all(one, step.happened)
            status = status_at(one)
            for command in looking.on_status(status):
                for frame in one.command(command):
                    one.receive(frame)
            page.status(status)
        for news in told:
            page.show(news)
            if isinstance(news, ProposalReceived):
                assert not any(is_invisible(letter) for letter in describe_proposal_terms(news).game)


TELLING: Final = (
    Target("told of an entry", tell_of_entry, (), largest=2048),
    Target("told of a lobby", tell_of_lobby, ()),
)
