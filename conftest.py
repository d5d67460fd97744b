"""What the whole suite shares: how Hypothesis draws, and the backends as fixtures.

Hypothesis: the same examples for everybody, and no deadline, for machines are busy. `make deep` draws new examples each
time, and many more of them.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from backends import FASTEST, HAS_NATIVE
from nodealer.group import Group
from nodealer.group import group as make_group

pytest_plugins = ["sampling", "budget", "simulated"]

settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("deep", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# The tests start many processes. Where no bytecode is to be left beside the sources it is left elsewhere: else each of
# them compiles everything anew.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parent / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that starts the tests in the background lets them ignore interrupts, and all they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: to look for garbage in it, now or later, costs a third of collecting."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Games that tests play are not kept among those of who runs the tests, nor do they play with that user's key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture(autouse=True)
def no_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """A browser that an earlier test started keeps its loop in this thread; who needs no browser does not see it."""
    loop = asyncio._get_running_loop()
    if loop is None or "browser" in request.fixturenames:
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture
def native() -> Group:
    """The native core, for large decks."""
    if not HAS_NATIVE:
        pytest.skip("the native core is not built")
    return make_group(backend="native")


@pytest.fixture(params=["reference", "native"])
def group(request: pytest.FixtureRequest) -> Group:
    """Each backend in turn, for small decks."""
    if request.param == "native" and not HAS_NATIVE:
        pytest.skip("the native core is not built")
    return make_group(backend=request.param)


@pytest.fixture
def fast() -> Group:
    """The quicker one of those that are there: for tests of many trials, which need not run on both."""
    return make_group(backend=FASTEST)
