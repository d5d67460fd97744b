"""Settling checks on another thread: the arithmetic core releases the GIL, so other Python code runs meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from nodealer.engine.replica import CheckRunner
from nodealer.proofs.checks import Check, Entropy, settle


@contextmanager
def in_background() -> Iterator[CheckRunner]:
    """Yield a function that starts settling checks in the background and returns a function to wait for the result.

    Errors are raised by the function that waits.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="settle") as pool:

        def begin(checks: Sequence[Check], entropy: Entropy) -> Callable[[], None]:
            """Start settling checks, and return a function that waits for the end and raises what failed."""
            try:
                return pool.submit(settle, checks, entropy).result
            except RuntimeError:
                # There are no threads in a browser: settle when the caller waits.
                return lambda: settle(checks, entropy)

        yield begin
