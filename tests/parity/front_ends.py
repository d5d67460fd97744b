"""The four front ends, each reduced to what a person or a program reads there."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest
from rich.console import Console

from nodealer.cli.json_ui import JsonUI
from nodealer.cli.terminal.ui import TerminalUI
from nodealer.client.ui import UI
from nodealer.web import messages as doc
from nodealer.web.page_ui import PageUI
from nodealer.web.tab.table import TabEnvironment, TabTable

TEXTS = Path(__file__).parents[2] / "src/nodealer/web/static/js/text.js"
#: Renders the notices that come in, one JSON document a line, with the page's own texts.
RENDER = """
import { createInterface } from "node:readline";
const { T } = await import(process.argv[1]);
for await (const line of createInterface({ input: process.stdin })) {
  const { code, of } = JSON.parse(line);
  console.log(JSON.stringify(T.notices[code](of)));
}
"""


class FrontEnd:
    """A front end of Ada's, and what it says."""

    ui: UI

    def said(self) -> str:
        """What it has said since it was last asked."""
        raise NotImplementedError


class Terminal(FrontEnd):
    """What is printed on the screen."""

    def __init__(self) -> None:
        self._paper = io.StringIO()
        terminal = TerminalUI(name="Ada", network=True)
        terminal.console = Console(file=self._paper, width=400)
        self.ui = terminal

    def said(self) -> str:
        text = self._paper.getvalue()
        self._paper.seek(0)
        self._paper.truncate()
        return text


class Lines(FrontEnd):
    """What a program reads."""

    def __init__(self, paper: io.StringIO) -> None:
        self.ui = JsonUI(name="Ada")
        self._paper = paper

    def said(self) -> str:
        lines = self._paper.getvalue().splitlines()
        self._paper.seek(0)
        self._paper.truncate()
        return "\n".join(json.dumps(json.loads(line), ensure_ascii=False) for line in lines)


class Page(FrontEnd):
    """What a page of `nodealer play`, `host`, `join` or `watch` reads, with its notices as sentences."""

    def __init__(self, notices: Notices) -> None:
        self._messages: list[dict[str, Any]] = []
        self._notices = notices
        self.ui = PageUI(self._hear, lambda: 0.0, name="Ada", network=True)

    def _hear(self, message: doc.ServerMessage) -> None:
        self._messages.append(json.loads(doc.encode_message(message)))

    def said(self) -> str:
        messages, self._messages = self._messages, []
        return "\n".join(self._notices.read(message) for message in messages)


class Tab(Page):
    """What the page in a tab reads: the messages that its worker posts."""

    def __init__(self, notices: Notices, folder: Path) -> None:
        self._messages = []
        self._notices = notices
        world = TabEnvironment(token_bytes, lambda url: pytest.fail(url), lambda: 0, self._post, folder / "log")
        self.ui = TabTable(world).start("player", "Ada", network=True)
        self._messages.clear()

    def _post(self, text: str) -> None:
        self._messages.append(json.loads(text))


class Notices:
    """The page's own sentences for notices, from its text.js."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def read(self, message: dict[str, Any]) -> str:
        """What a person reads in a message: the sentence of a notice, and all that is in any other."""
        if message["type"] != "notice":
            return json.dumps(message, ensure_ascii=False)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"code": message["code"], "of": message.get("of", {})}) + "\n")
        self._process.stdin.flush()
        sentence = self._process.stdout.readline()
        assert sentence, f"text.js has no sentence for the notice {message['code']!r}"
        # The page lays links and what is replaced beside the sentence.
        return f"{json.loads(sentence)} {json.dumps(message, ensure_ascii=False)}"


@contextmanager
def notices() -> Iterator[Notices]:
    """Run the page's texts in Node."""
    command = ["node", "--input-type=module", "--eval", RENDER, TEXTS.as_uri()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Notices(process)
        finally:
            process.kill()


@contextmanager
def all_front_ends(sentences: Notices, folder: Path) -> Iterator[dict[str, FrontEnd]]:
    """All four, side by side."""
    paper = io.StringIO()
    with redirect_stdout(paper):
        yield {
            "terminal": Terminal(),
            "json": Lines(paper),
            "page": Page(sentences),
            "tab": Tab(sentences, folder),
        }
