"""Settling checks on another thread: the arithmetic core lets other Python code run while it adds up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from nodealer.engine.replica import Begin
from nodealer.proofs.checks import Check, Entropy, settle


@contextmanager
def in_background() -> Iterator[Begin]:
    """A way to settle checks while the caller goes on. Whatever goes wrong there is raised where it is waited for."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="settle") as pool:

        def begin(checks: Sequence[Check], entropy: Entropy) -> Callable[[], None]:
            try:
                return pool.submit(settle, checks, entropy).result
            except RuntimeError:
                # A browser has no threads. What was not begun is done when it is waited for.
                return lambda: settle(checks, entropy)

        yield begin
