"""Spoken codes at a relay in this process: guessed, guessed too often, and used."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import pytest

from nodealer.cli.network import ENVIRONMENT
from nodealer.cli.terminal.event_lines import event_lines
from nodealer.client.event_json import event_json
from nodealer.client.events import TableEvent
from nodealer.client.pairing import PairingCodes, use_code
from nodealer.errors import CodeDead
from nodealer.keys import Identity, host_mark
from nodealer.relay.invitations import Invitation
from nodealer.relay.pairing import Code, parse_code
from nodealer.relay.sealing import TableSecret
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.stores.memory import MemoryStore

HOST, GUEST = Identity(bytes(32)), Identity(bytes([1]) * 32)


class Ears:
    """A screen and a lobby that only remember."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.admitted: list[tuple[bytes, str]] = []

    def show(self, event: TableEvent) -> None:
        if (line := event_json(event)) is not None:
            self.events.append(line)
        self.said += event_lines(event)

    def admit(self, key: bytes, name: str) -> None:
        self.admitted.append((key, name))

    def all(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == kind]

    async def until(self, kind: str, count: int) -> None:
        async with asyncio.timeout(60):
            while len(self.all(kind)) < count:
                await asyncio.sleep(0.01)


def wrong(code: Code) -> Code:
    return Code(code.number, ("zoo", "zoo") if code.words != ("zoo", "zoo") else ("zoo", "zone"))


def test_a_guest_with_a_code_that_is_given_up_is_told_at_once() -> None:
    """It need not wait for the ten minutes."""

    async def run() -> None:
        async with serve_relay(MemoryStore(time.monotonic), entropy=os.urandom) as relay, asyncio.timeout(60):
            url = f"ws://127.0.0.1:{relay.port}"
            invitation = Invitation((url,), TableSecret(bytes(16), "5a" * 16, 0), host_mark(HOST.public))
            ears = Ears()
            codes = PairingCodes(invitation, url, HOST, ENVIRONMENT, ears.show, ears.admit)
            codes.issue()
            await ears.until("code", 1)
            await codes.stop()
            with pytest.raises(CodeDead, match="ask the host for another"):
                await use_code(parse_code(ears.all("code")[-1]["code"]), url, GUEST, "Ben", ENVIRONMENT)
            assert not ears.admitted

    asyncio.run(run())


def test_three_guesses_end_all_codes_of_a_host() -> None:
    """A code that is right is used once; each wrong one kills a code; after three there are none, also none of those
    that were given and not used."""

    async def run() -> None:
        async with serve_relay(MemoryStore(time.monotonic), entropy=os.urandom) as relay:
            url = f"ws://127.0.0.1:{relay.port}"
            invitation = Invitation((url,), TableSecret(bytes(16), "5a" * 16, 0), host_mark(HOST.public))
            ears = Ears()
            codes = PairingCodes(invitation, url, HOST, ENVIRONMENT, ears.show, ears.admit)

            async def given() -> Code:
                count = len(ears.all("code"))
                codes.issue()
                await ears.until("code", count + 1)
                return parse_code(ears.all("code")[-1]["code"])

            assert await use_code(await given(), url, GUEST, "Ben", ENVIRONMENT) == invitation
            await ears.until("code-used", 1)
            assert ears.admitted == [(GUEST.public, "Ben")]
            await given()  # and never used
            for guesses in (1, 2, 3):
                code = await given()
                with pytest.raises(CodeDead):
                    await use_code(wrong(code), url, GUEST, "Eve", ENVIRONMENT)
                await ears.until("code-dead", guesses)
                assert ("Type code for another" in ears.said[-1]) is (guesses < 3)
                with pytest.raises(CodeDead):
                    await use_code(code, url, GUEST, "Ben", ENVIRONMENT)
            assert "someone may be trying to get in" in ears.said[-1]
            codes.issue()
            await ears.until("code-dead", 4)
            assert "There is no pairing code" in ears.said[-1] and "someone may be trying" in ears.said[-1]
            async with asyncio.timeout(60):
                await asyncio.gather(*codes._tasks, return_exceptions=True)
            assert len(ears.admitted) == 1

    asyncio.run(run())
