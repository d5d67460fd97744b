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
from nodealer.audit.skim import Skimmer
from nodealer.audit.verify import Progress, Report, judge, read_file
from nodealer.errors import LogBroken
from nodealer.log.file import read_log
from nodealer.log.session import Session
from nodealer.play.config import config_of
from nodealer.proofs.checks import Entropy

#: Shares of the time that verifying takes: following the log, and checking its signatures and proofs.
FOLLOWING: Final = 0.38
CHECKING: Final = 0.7
#: What starting a process costs, as bytes of log that could be verified meanwhile; and the least log worth the trouble.
START_BYTES: Final = 1_500_000
PARTS_BYTES_MIN: Final = 4_000_000


def verify_in_parts(path: Path, *, jobs: int, entropy: Entropy, progress: Progress | None = None) -> Report | None:
    """The report on a good log. None for one that is not good, too short, or not to be judged in parts."""
    try:
        if not path.is_file() or path.stat().st_size < PARTS_BYTES_MIN:
            return None
        return _verify(path, jobs, entropy, progress)
    except Exception:
        # Whatever it is: one process, from the start, finds out what and names it.
        return None


def own_share(jobs: int, size: int) -> float:
    """The share of the log that this process checks itself, so that all are done at the same time."""
    others, start = jobs - 1, START_BYTES / size
    return min(1.0, max(0.0, (others * (start - FOLLOWING) + CHECKING) / (jobs * CHECKING)))


def _verify(path: Path, jobs: int, entropy: Entropy, progress: Progress | None) -> Report:
    size = path.stat().st_size
    others = [_Process(path) for _ in range(jobs - 1)]
    # The last hands: the others can begin with the first ones while this process is still reading.
    theirs, read = (1 - own_share(jobs, size)) * size, 0
    mine: list[Script] = []
    replica: Skimmer | None = None

    def assign(script: Script) -> None:
        if read < theirs:
            min(others, key=lambda process: process.entries).take(script)
        else:
            mine.append(script)

    def audit(session: Session, lines: Iterator[bytes]) -> Report:
        nonlocal replica, read
        replica = Skimmer(session, assign)

        def counted() -> Iterator[bytes]:
            nonlocal read
            for line in lines:
                read += len(line) + 1
                yield line

        report = judge(replica, replica.append, counted())
        replica.finish()
        return report

    try:
        report = read_file(path, audit, progress)
        if report.verdict not in ("clean", "incomplete") or replica is None:
            raise LogBroken("not a good log")
        for process in others:
            process.finish()
        session, entries = replica.config.session, replica.entries
        protocol = config_of(session).protocol
        proofs = sum(check_script(script, entries.__getitem__, session, protocol, entropy) for script in mine)
        report.checks["proofs"] = proofs + sum(process.result() for process in others)
        return report
    finally:
        for process in others:
            process.stop()


class _Process:
    """Another process that checks hands of the same file."""

    def __init__(self, path: Path) -> None:
        #: How much it has been given so far.
        self.entries = 0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "nodealer.audit.parts", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._scripts: SimpleQueue[Script | None] = SimpleQueue()
        # A pipe holds little: a thread waits for the other process, so that this one need not.
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def take(self, script: Script) -> None:
        self.entries += script.last - script.first
        self._scripts.put(script)

    def finish(self) -> None:
        """There is no more to come."""
        self._scripts.put(None)

    def result(self) -> int:
        """How many proofs it found, all of them right. Raises if anything is not."""
        output = self._process.stdout.read() if self._process.stdout is not None else b""
        if self._process.wait() != 0:
            raise LogBroken("a part could not be verified")
        return int(output)

    def stop(self) -> None:
        """End it, if it has not ended."""
        self.finish()
        self._process.kill()
        self._process.wait()
        self._feeder.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _feed(self) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        # When it has ended early, `result` says so.
        with suppress(OSError):
            while (script := self._scripts.get()) is not None:
                pickle.dump(script, pipe)
                pipe.flush()
        with suppress(OSError):
            pipe.close()


class _Lines:
    """The entries of a file by number, each asked for once and in order: only one hand is kept in memory."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = enumerate(lines)

    def __call__(self, number: int) -> bytes:
        return next(line for at, line in self._lines if at == number)


def main() -> int:
    """Check hands until there are no more. Ends with 0 and the number of proofs when everything is right."""
    proofs = 0
    with Path(sys.argv[1]).open("rb") as file:
        session, lines = read_log(file)
        protocol, entry = config_of(session).protocol, _Lines(lines)
        while True:
            try:
                script = pickle.load(sys.stdin.buffer)
            except EOFError:
                break
            proofs += check_script(script, entry, session, protocol, secrets.token_bytes)
    sys.stdout.write(str(proofs))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
