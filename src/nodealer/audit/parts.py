"""Verify a long log in several processes, as strictly as in one.

This process follows the whole log and applies every rule, but looks at no signature and no proof (`skim.py`). For each
hand it writes down what was done to the cards; with that and the log, any process can check the hand's signatures and
proofs alone (`scripts.py`). Each hand is checked by exactly one process, and its cards must come out as they did here.

This only ever says that a log is good. Whatever is not (a proof that fails, a process that dies, a seat that leaves, a
dispute, a roster that changes) is judged again by one process, from the start, and that one names the culprit.

Run as a program it is one of the other processes: scripts come in, one after the other, on standard input.
"""

from __future__ import annotations

import pickle
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from nodealer.audit.scripts import Script, check_script
from nodealer.audit.skim import NotInParts, Skimmer
from nodealer.audit.verify import Progress, Report, judge, read_file
from nodealer.errors import LogBroken, NodealerError
from nodealer.log.file import read_log
from nodealer.log.session import Session
from nodealer.play.config import config_of
from nodealer.proofs.checks import Entropy

#: The least log that is worth starting processes for.
PARTS_BYTES_MIN: Final = 4_000_000
#: Hands that another process is given before it is done with the first: it should never wait for this one.
AHEAD: Final = 2

#: Scripts that nobody has taken yet; None is the end.
Scripts = SimpleQueue[Script | None]


def verify_in_parts(path: Path, *, jobs: int, entropy: Entropy, progress: Progress | None = None) -> Report | None:
    """The report on a good log. None for one that is not good, too short, or not to be judged in parts."""
    try:
        if not path.is_file() or path.stat().st_size < PARTS_BYTES_MIN:
            return None
        return _verify(path, jobs, entropy, progress)
    except (NotInParts, NodealerError, OSError, EOFError, ValueError):
        # Whatever it is: one process, from the start, finds out what and names it.
        return None


def _verify(path: Path, jobs: int, entropy: Entropy, progress: Progress | None) -> Report:
    scripts: Scripts = SimpleQueue()
    replica: Skimmer | None = None

    def audit(session: Session, lines: Iterator[bytes]) -> Report:
        nonlocal replica
        replica = Skimmer(session, scripts.put)
        report = judge(replica, replica.append, lines)
        replica.finish()
        return report

    others = [_Process(path, scripts) for _ in range(jobs - 1)]
    try:
        report = read_file(path, audit, progress)
        if report.verdict not in ("clean", "incomplete") or replica is None:
            raise LogBroken("not a good log")
        scripts.put(None)
        proofs = _help(scripts, replica, entropy)
        report.checks["proofs"] = proofs + sum(process.result() for process in others)
        return report
    finally:
        for process in others:
            process.stop()


def _help(scripts: Scripts, replica: Skimmer, entropy: Entropy) -> int:
    """Check hands like the others, as long as there are any; gives the number of proofs."""
    session, proofs = replica.config.session, 0
    protocol = config_of(session).protocol
    while (script := _next(scripts)) is not None:
        proofs += check_script(script, replica.entries.__getitem__, session, protocol, entropy)
    return proofs


def _next(scripts: Scripts) -> Script | None:
    script = scripts.get()
    if script is None:
        scripts.put(None)  # the others must find it too
    return script


class _Process:
    """Another process that checks hands of the same file, with a thread that gives it the next one in time."""

    def __init__(self, path: Path, scripts: Scripts) -> None:
        self._scripts = scripts
        self._proofs = self._taken = self._done = 0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "nodealer.audit.parts", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def result(self) -> int:
        """How many proofs it found, all of them right. Raises if anything is not."""
        self._feeder.join()
        if self._process.wait() != 0 or self._done != self._taken:
            raise LogBroken("a part could not be verified")
        return self._proofs

    def stop(self) -> None:
        """End it, if it has not ended."""
        self._scripts.put(None)
        self._process.kill()
        self._process.wait()
        self._feeder.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _feed(self) -> None:
        # When it has ended early, `result` finds that less is done than was taken.
        with suppress(OSError, ValueError):
            while (script := _next(self._scripts)) is not None:
                self._taken += 1
                self._send(script)
                if self._taken - self._done >= AHEAD:
                    self._receive()
            if self._process.stdin is not None:
                self._process.stdin.close()
            while self._done < self._taken:
                self._receive()

    def _send(self, script: Script) -> None:
        if self._process.stdin is not None:
            pickle.dump(script, self._process.stdin)
            self._process.stdin.flush()

    def _receive(self) -> None:
        """The number of proofs of one more hand. Raises `ValueError` when there is none."""
        if self._process.stdout is not None:
            self._proofs += int(self._process.stdout.readline())
            self._done += 1


class _Lines:
    """The entries of a file by number, each asked for once and in order: only one hand is kept in memory."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = enumerate(lines)

    def __call__(self, number: int) -> bytes:
        return next(line for at, line in self._lines if at == number)


def main() -> int:
    """Check hands until there are no more, and say for each how many proofs it has. Dies of whatever is not right."""
    with Path(sys.argv[1]).open("rb") as file:
        session, lines = read_log(file)
        protocol, entry = config_of(session).protocol, _Lines(lines)
        while True:
            try:
                script = pickle.load(sys.stdin.buffer)
            except EOFError:
                return 0
            print(check_script(script, entry, session, protocol, secrets.token_bytes), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
