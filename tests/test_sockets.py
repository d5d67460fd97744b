"""A game over plain TCP, with the public names of the library only.

Three players on `lock`, which goes on when somebody is gone. Ben is a process of his own: he is killed in the middle of
a hand and comes back with the same cards; then he says nothing any more, and the others go on without him.
"""

from __future__ import annotations

import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

import nodealer
from nodealer import events

NAMES = ["Ada", "Ben", "Cleo"]
DECK = ["jack", "queen", "king", "ace", "ten", "nine"]


# --- The relay: one list is one order, for everybody from its beginning ---


class Relay(socketserver.ThreadingTCPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Connection)
        self.frames: list[bytes] = []
        self.more = threading.Condition()


class Connection(socketserver.StreamRequestHandler):
    server: Relay

    def handle(self) -> None:
        self.here = True
        telling = threading.Thread(target=self.tell)
        telling.start()
        with suppress(OSError):
            for line in self.rfile:
                # Whoever is killed in the middle of a line has not said it.
                self.changed(*[line] * line.endswith(b"\n"))
        self.here = False
        self.changed()
        telling.join()

    def changed(self, *frames: bytes) -> None:
        with self.server.more:
            self.server.frames.extend(frames)
            self.server.more.notify_all()

    def tell(self) -> None:
        told, frames, more = 0, self.server.frames, self.server.more
        with suppress(OSError):
            while self.here:
                with more:
                    more.wait_for(lambda: len(frames) > told or not self.here)
                    waiting = frames[told:]
                self.wfile.write(b"".join(waiting))
                told += len(waiting)


# --- A player at a socket ---


class Client:
    """Brings frames to a player until something is so. What the player has to say goes out at once."""

    def __init__(self, player: nodealer.Player, port: int) -> None:
        self.player = player
        self.heard: list[events.Event] = []
        self._connection = socket.create_connection(("127.0.0.1", port), timeout=100)
        self._lines = self._connection.makefile("rb")
        self.say(player.resend())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._lines.close()
        self._connection.close()

    def say(self, frames: list[bytes]) -> None:
        self._connection.sendall(b"".join(frame + b"\n" for frame in frames))

    def until(self, wanted: Callable[[], object]) -> None:
        while not wanted():
            self.say(self.player.receive(self._lines.readline().rstrip(b"\n")))
            self.heard += self.player.events()

    def ask(self, *requests: Callable[[], list[bytes]]) -> None:
        """One after the other, when the table is ready for it."""
        for request in requests:
            self.until(lambda: self.player.ready)
            self.say(request())

    def has(self, kind: type) -> bool:
        return any(isinstance(event, kind) for event in self.heard)


BEN = """
import os, sys
from test_sockets import Client
import nodealer
from nodealer import events

folder, port, life = sys.argv[1:]
ben = nodealer.Player.open(folder, "Ben")
client = Client(ben, int(port))
if life == "first":
    client.until(lambda: ben.in_hand and len(ben.hand()) == 2)
    print(*ben.hand(), flush=True)
    # Signed and in the folder, and never sent.
    ben.show(ben.hand()[1])
    os._exit(9)
print(*ben.hand(), flush=True)
client.until(lambda: ben.shown("Ben"))
client.say(ben.word("I bet 10"))
client.until(lambda: any(isinstance(event, events.Word) for event in client.heard))
"""


def ben(folder: Path, port: int, life: str) -> tuple[int, list[str]]:
    command = [sys.executable, "-c", BEN, str(folder), str(port), life]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=Path(__file__).parent, check=False)
    return done.returncode, done.stdout.split() or [done.stderr]


def cleo_plays(port: int, log: Path) -> None:
    cleo = nodealer.Player("Cleo")
    with Client(cleo, port) as client:
        client.until(lambda: client.has(events.WouldNotWait))
        client.say(cleo.without("Ben"))
        client.say(cleo.end())
        client.until(lambda: cleo.ended)
        cleo.save(log)


def test_a_game_over_sockets(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(Relay())
        pool = stack.enter_context(ThreadPoolExecutor(3))
        pool.submit(server.serve_forever, 0.05)
        stack.callback(server.shutdown)
        port = server.server_address[1]
        cleo = pool.submit(cleo_plays, port, tmp_path / "cleo.jsonl")
        first_life = pool.submit(ben, tmp_path / "ben", port, "first")
        ada = nodealer.Player("Ada")
        client = stack.enter_context(Client(ada, port))
        client.until(lambda: len(ada.came) == 3)
        client.say(ada.propose(protocol="lock", cards=len(DECK), names=NAMES))
        client.ask(lambda: ada.shuffle(DECK), lambda: ada.deal({"Ada": 1, "Ben": 2, "Cleo": 1}))
        client.until(lambda: client.has(events.Dealt))
        crashed, cards = first_life.result(60)
        # He crashed with two cards in his hand. He has the same ones when he comes back, and what he had signed counts.
        second_life = pool.submit(ben, tmp_path / "ben", port, "second")
        client.until(lambda: client.has(events.Word))
        came_back, again = second_life.result(60)
        assert (crashed, came_back) == (9, 0) and cards == again and len(set(cards)) == 2
        assert ada.shown("Ben") == [cards[1]] and events.Word("Ben", "I bet 10") in client.heard

        # Now he says nothing any more.
        client.ask(lambda: ada.open_cards(1))
        client.until(lambda: ada.waits_for == ("Ben",))
        client.say(ada.without("Ben"))
        client.until(lambda: client.has(events.Left))
        assert events.Left("Ben", thrown_out=True) in client.heard
        client.ask(lambda: ada.show(ada.hand()[0]), ada.finish)
        client.say(ada.end())
        client.until(lambda: ada.ended)
        cleo.result(60)
    ada.save(tmp_path / "ada.jsonl")
    assert (tmp_path / "ada.jsonl").read_bytes() == (tmp_path / "cleo.jsonl").read_bytes()
    report = nodealer.verify(tmp_path / "ada.jsonl")
    assert report.verdict == "clean" and [report.name(seat) for seat in report.gone] == ["Ben"]
