"""The loop between a transport and a participant.

It brings frames in and out, asks the mind at the seat when the table waits for it, and goes on listening while the mind
thinks. What it takes from the world, a connection and a clock, it is given.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from nodealer.client.agents import Agent
from nodealer.client.policies import Policy
from nodealer.engine.frame_result import Received
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Decision, Question
from nodealer.errors import CardUnreadable, IllegalMove, RelayError

#: How often somebody with patience looks at the clock.
LOOKS_EVERY: Final = 0.25
#: How long one with nothing to say waits for the next frame, before it looks at the proofs of those that came. Seats
#: that shuffle one after the other, or publish side by side, are heard so closely together.
TOGETHER_WITHIN: Final = 0.05


@dataclass(frozen=True)
class Connected:
    """There is a new connection, the first one too. What was said and has not come back is sent again over it."""

    #: How many frames the table has now, those included that came over earlier connections.
    known: int


@dataclass(frozen=True)
class Disconnected:
    """There is no connection now. So long nothing is signed, and nobody is late."""


#: What comes from a transport; bytes are a frame.
Event = Connected | Disconnected | bytes


class Transport(Protocol):
    """What carries frames: one order for everybody."""

    async def send(self, frame: bytes) -> None:
        """Put a frame into the order. While there is no connection this does nothing."""

    def events(self) -> AsyncGenerator[Event, None]:
        """`Connected` first and after every break; and every frame of the table, from the first one on, each once,
        without gaps and in the same order for all."""


#: Looks on at what happens, and may have something to send, such as a proposal.
Watch = Callable[[Received], Iterable[bytes]]


class Loop:
    """Drives a participant until nothing more comes from it."""

    def __init__(
        self,
        participant: Participant,
        transport: Transport,
        mind: Agent | None = None,
        *,
        watch: Watch = lambda step: (),
        patience: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._participant = participant
        self._transport = transport
        self._mind = mind
        self._watch = watch
        self._patience = patience
        self._clock = clock
        #: Whether there is a connection, and how many frames have come.
        self._connected = False
        self._heard = 0
        self._thinking: asyncio.Future[Decision] | None = None
        #: What the mind is asked.
        self._question: Question | None = None

    async def run(self) -> None:
        """Take part until the end. Raises `RelayError` when the transport ends first."""
        async with aclosing(self._transport.events()) as events:
            coming = asyncio.ensure_future(anext(events, None))
            try:
                while self._participant.puts_off or not self._participant.over:
                    await self._wait(coming)
                    if coming.done():
                        await self._take(coming.result())
                        # Only now: how the next frame is read may hang on this one.
                        coming = asyncio.ensure_future(anext(events, None))
                        if self._participant.puts_off:
                            continue
                    elif self._participant.puts_off:
                        await self._tell(self._participant.rest())
                    if self._connected:
                        await self._go_on()
            except RelayError:
                # A relay that ends after a false proof does not hide it: what has come is looked at, kept and told.
                if self._participant.puts_off:
                    self._watch(self._participant.rest())
                raise
            finally:
                self._forget()
                await _ended(coming)

    async def _wait(self, coming: asyncio.Future[Event | None]) -> None:
        """Until there is something to do. A mind may go on thinking without a connection; it is heard later."""
        waiting: set[asyncio.Future[Any]] = {coming}
        if self._thinking is not None and self._connected and not self._participant.hearing:
            waiting.add(self._thinking)
        timeout = None if self._patience is None else LOOKS_EVERY
        if self._participant.puts_off:
            timeout = TOGETHER_WITHIN
        await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)

    async def _take(self, event: Event | None) -> None:
        if event is None:
            raise RelayError("the relay ended before the game did")
        if isinstance(event, bytes):
            self._participant.more = self._connected
            step = self._participant.receive(event, self._heard)
            self._heard += 1
            if step != Received() or not self._participant.puts_off:
                await self._tell(step)
            return
        if self._participant.puts_off:
            await self._tell(self._participant.rest())
        self._connected = isinstance(event, Connected)
        if isinstance(event, Connected):
            await self._send(self._participant.resend(event.known))

    async def _tell(self, step: Received) -> None:
        await self._send(step.send)
        await self._send(self._watch(step))

    async def _go_on(self) -> None:
        """Ask the mind what the table waits for, and look at the clock."""
        await self._ask()
        if self._patience is not None:
            await self._send(self._patience.on_tick(self._participant, self._clock()))

    async def _send(self, frames: Iterable[bytes]) -> None:
        for frame in frames:
            await self._transport.send(frame)

    async def _ask(self) -> None:
        """Let the mind think about what the table waits for, hear its answer, and forget what is not wanted."""
        if self._participant.hearing:
            # Whether its question still stands is in what has not been heard: until then its answer waits.
            return
        if self._thinking is not None and self._question is not None and self._thinking.done():
            decision, asked = self._thinking.result(), self._question
            self._thinking = self._question = None
            # Overtaken: what is asked now is asked anew.
            with suppress(IllegalMove):
                await self._send(self._participant.answer(asked, decision))
        options = self._participant.options()
        if options.unreadable is not None and not self._participant.asks_for_books:
            # What comes of it is for the table to say. The open books, which cost the whole hand, are for a person.
            await self._send(self._participant.claim())
            return
        if self._question is not None and options.asked != self._question.duty:
            self._forget()
        if self._thinking is None and self._mind is not None:
            # Who was given false cards, and has disputed one already, has nothing to think about.
            with suppress(CardUnreadable):
                self._question = self._participant.question()
            if self._question is not None:
                self._thinking = asyncio.ensure_future(self._mind.decide(self._question))

    def _forget(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
        self._thinking = self._question = None


async def _ended(coming: asyncio.Future[Event | None]) -> None:
    """Until nothing is read any more. A program that ends may cancel this twice, and whatever reads has to be through
    all the same: a generator that still runs cannot be closed."""
    again: asyncio.CancelledError | None = None
    coming.cancel()
    while not coming.done():
        try:
            await asyncio.wait({coming})
        except asyncio.CancelledError as error:
            again = error
            coming.cancel()
    if again is not None:
        raise again
