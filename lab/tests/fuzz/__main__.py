"""Fuzz the readers: `python -m fuzz SECONDS [TARGET …] [--json]`, by `make fuzz` and `make deep`.

With atheris, which follows what the code does with its input, where it is installed: each target in a process of its
own, on all processors. Without it, or with `--plain`, by the loop that `make test` runs. What fails is left in
build/fuzz/<target>, and the command ends with 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from fuzz.mutator import Mutator
from fuzz.target import Target
from fuzz.targets import TARGETS

HERE: Final = Path(__file__).parents[3]
FOUND: Final = HERE / "build" / "fuzz"
#: With less for each target, most of it would be loading modules, which atheris looks at one by one.
SHORT: Final = 30


@dataclass(frozen=True)
class Run:
    """What came of fuzzing one target."""

    target: str
    by: str
    executions: int
    #: Of the processor for the plain loop; of the clock for atheris, once it has looked at the modules.
    seconds: float
    failed: str = ""

    @property
    def line(self) -> str:
        rate = self.executions / self.seconds if self.seconds else 0
        said = f"FAILED: {self.failed}" if self.failed else ""
        return f"{self.target:28} {self.by:8} {self.executions:12,} executions {rate:10,.0f} a second  {said}".rstrip()


def plain(target: Target, seconds: float, seed: str) -> Run:
    """Run the corpus, then mutations of it, for the given time."""
    corpus, count = target.corpus, 0
    target.run(corpus[0])
    begin, used = time.monotonic(), time.process_time()
    mutator = Mutator(f"{target.name} {seed}", corpus, target.largest)
    waiting = list(corpus)
    while waiting or time.monotonic() - begin < seconds:
        data = waiting.pop() if waiting else mutator.next()
        try:
            target.run(data)
        except Exception as error:
            path = kept(target, data)
            return Run(target.name, "plain", count, time.process_time() - used, f"{error!r}, by {path}")
        count += 1
    return Run(target.name, "plain", count, time.process_time() - used)


def kept(target: Target, data: bytes) -> Path:
    """Where an input that fails is left."""
    folder = FOUND / target.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"found-{len(list(folder.iterdir()))}"
    path.write_bytes(data)
    return path


def by_atheris(target: Target, seconds: float, seed: str) -> Run:
    """In a process of its own: libFuzzer ends it."""
    folder = FOUND / target.name
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.corpus):
        (folder / "corpus" / f"seed-{number}").write_bytes(data)
    options = [f"-max_len={target.largest}", "-print_final_stats=1", "-timeout=60", f"-artifact_prefix={folder}/"]
    options += [f"-seed={int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], 'big')}", str(folder / "corpus")]
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.one", target.name, str(seconds), *options],
        cwd=HERE / "lab" / "tests", capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip
    counted = re.search(r"Done (\d+) runs in (\d+) second", done.stderr)
    failed = ""
    if done.returncode or counted is None:
        (folder / "output.txt").write_text(done.stderr)
        failed = f"see {folder}/output.txt"
    executions, took = (int(counted[1]), float(counted[2])) if counted else (0, 0.0)
    return Run(target.name, "atheris", executions, took, failed)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description="Fuzz the readers of what others write.")
    parser.add_argument("seconds", type=float, help="for all targets together, on all processors")
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], default=[], help="all where none is named")
    parser.add_argument("--seed", default=str(time.time_ns()), help="other inputs for every other one")
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--json", action="store_true", help="what came of it as JSON")
    asked = parser.parse_args(arguments)
    chosen = [TARGETS[name] for name in asked.targets or TARGETS]
    guided = not asked.plain and find_spec("atheris") is not None
    workers = len(os.sched_getaffinity(0)) if guided else 1
    each = asked.seconds * workers / len(chosen)
    if guided and each < SHORT:
        print(f"{len(chosen)} targets take some seconds each to begin: this will be longer than asked", file=sys.stderr)
    fuzz = by_atheris if guided else plain
    runs: list[Run] = []
    with ThreadPoolExecutor(workers) as pool:
        for run in pool.map(lambda target: fuzz(target, each, asked.seed), chosen):
            runs.append(run)
            print(run.line, file=sys.stderr if asked.json else sys.stdout, flush=True)
    total = sum(run.executions for run in runs)
    if asked.json:
        print(json.dumps({"seed": asked.seed, "executions": total, "runs": [asdict(run) for run in runs]}, indent=2))
    else:
        print(f"{total:,} executions of {len(runs)} targets, seed {asked.seed}")
    return int(any(run.failed for run in runs))


if __name__ == "__main__":
    sys.exit(main())
