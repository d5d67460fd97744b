"""The event loop between a transport and a participant.

It passes frames in and out, asks the agent when the table waits for this seat, and keeps receiving while the agent
thinks. Transport and clock are passed in.
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

#: How often the policy's `on_tick` is called, in seconds.
TICK_SECONDS: Final = 0.25
#: How long to wait for another frame before checking the proofs of those received, when there is nothing to send. Seats
#: that shuffle in turn, or publish in parallel, send their frames this close together.
BATCH_WINDOW: Final = 0.05


@dataclass(frozen=True)
class Connected:
    """A connection was established, also the first one. Frames that were not confirmed are sent again over it."""

    #: How many frames the table has now, including those received over earlier connections.
    known: int


@dataclass(frozen=True)
class Disconnected:
    """The connection was lost. Until the next one, nothing is signed and no one is late."""


#: What a transport yields; bytes are a frame.
Event = Connected | Disconnected | bytes


class Transport(Protocol):
    """Carries frames, in one order for everyone."""

    async def send(self, frame: bytes) -> None:
        """Submit a frame to the order. Does nothing while there is no connection."""

    def events(self) -> AsyncGenerator[Event, None]:
        """Yield `Connected` first and after every reconnect, and each frame of the table once.

        Frames come from the first one on, without gaps and in the same order for everyone.
        """


#: Observes what a frame changed, and returns frames to send, such as a proposal.
Watch = Callable[[Received], Iterable[bytes]]


class Loop:
    """Drives a participant until it is done."""

    def __init__(
        self,
        participant: Participant,
        transport: Transport,
        agent: Agent | None = None,
        *,
        watch: Watch = lambda step: (),
        policy: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Connect a participant to its transport.

        `agent` decides, `watch` sees each step, and `policy` acts on time.
        """
        self._participant = participant
        self._transport = transport
        self._agent = agent
        self._watch = watch
        self._policy = policy
        self._clock = clock
        #: Whether there is a connection, and how many frames have arrived.
        self._connected = False
        self._received = 0
        self._thinking: asyncio.Future[Decision] | None = None
        #: The question that the agent is working on.
        self._question: Question | None = None

    async def run(self) -> None:
        """Take part until the end. Raise `RelayError` if the transport ends first."""
        async with aclosing(self._transport.events()) as events:
            coming = asyncio.ensure_future(anext(events, None))
            try:
                while not (self._participant.is_settled and self._participant.is_over):
                    await self._wait(coming)
                    if coming.done():
                        await self._handle(coming.result())
                        # Only now, because this frame may change how the next one is decrypted.
                        coming = asyncio.ensure_future(anext(events, None))
                        if not self._participant.is_settled:
                            continue
                    elif not self._participant.is_settled:
                        await self._process(self._participant.settle())
                    if self._connected:
                        await self._act()
            except RelayError:
                # A relay that ends after a false proof does not hide it: what has come is looked at, kept and told.
                if not self._participant.is_settled:
                    self._watch(self._participant.settle())
                raise
            finally:
                self._cancel_question()
                await _cancel_and_wait(coming)

    async def _wait(self, coming: asyncio.Future[Event | None]) -> None:
        """Wait until there is something to do.

        The agent may go on thinking while disconnected; its answer is used later.
        """
        waiting: set[asyncio.Future[Any]] = {coming}
        if self._thinking is not None and self._connected and not self._participant.is_catching_up:
            waiting.add(self._thinking)
        timeout = None if self._policy is None else TICK_SECONDS
        if not self._participant.is_settled:
            timeout = BATCH_WINDOW
        await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)

    async def _handle(self, event: Event | None) -> None:
        """Process an event of the transport; None means that it has ended."""
        if event is None:
            raise RelayError("the connection ended before the game did")
        if isinstance(event, bytes):
            step = self._participant.receive(event, self._received, more=self._connected)
            self._received += 1
            if self._participant.is_settled:
                await self._process(step)
            return
        if not self._participant.is_settled:
            await self._process(self._participant.settle())
        self._connected = isinstance(event, Connected)
        if isinstance(event, Connected):
            await self._send(self._participant.resend(event.known))

    async def _process(self, step: Received) -> None:
        """Send what a frame called for, and show it to the observer."""
        await self._send(step.send)
        await self._send(self._watch(step))

    async def _act(self) -> None:
        """Consult the agent and call the policy."""
        await self._consult_agent()
        if self._policy is not None:
            await self._send(self._policy.on_tick(self._participant, self._clock()))

    async def _send(self, frames: Iterable[bytes]) -> None:
        """Send the frames, in order."""
        for frame in frames:
            await self._transport.send(frame)

    async def _consult_agent(self) -> None:
        """Give the agent the open question, use its answer, and cancel a question that is no longer open."""
        if self._participant.is_catching_up:
            # Frames that are still missing may answer the question, so the agent's answer waits for them.
            return
        if self._thinking is not None and self._question is not None and self._thinking.done():
            decision, asked = self._thinking.result(), self._question
            self._thinking = self._question = None
            # If the answer came too late, the current question is asked instead.
            with suppress(IllegalMove):
                await self._send(self._participant.answer(asked, decision))
        options = self._participant.options()
        if options.unreadable is not None and not self._participant.by_person:
            # The dispute starts without asking; the table decides it. Opening the books costs the whole hand, so that
            # is up to a person.
            await self._send(self._participant.dispute())
            return
        if self._question is not None and options.required != self._question.duty:
            self._cancel_question()
        if self._thinking is None and self._agent is not None:
            # A player with false cards who has already disputed one has nothing to decide.
            with suppress(CardUnreadable):
                self._question = self._participant.question()
            if self._question is not None:
                self._thinking = asyncio.ensure_future(self._agent.decide(self._question))

    def _cancel_question(self) -> None:
        """Withdraw the question that the agent is working on."""
        if self._thinking is not None:
            self._thinking.cancel()
        self._thinking = self._question = None


async def _cancel_and_wait(coming: asyncio.Future[Event | None]) -> None:
    """Cancel a pending read and wait until it has ended.

    A program that is shutting down may cancel this wait too. The reader must have finished all the same, because a
    running generator cannot be closed.
    """
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
