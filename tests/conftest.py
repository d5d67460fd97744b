"""Hypothesis for the whole suite: the same examples for everybody, and no deadline, for machines are busy.

`make deep` draws new examples each time, and many more of them.
"""

from __future__ import annotations

import os
import signal

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("deep", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# A shell that starts the tests in the background lets them ignore interrupts, and all they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
