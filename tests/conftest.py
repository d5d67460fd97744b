"""Hypothesis for the whole suite: the same examples for everybody, and no deadline, for machines are busy.

`make deep` draws new examples each time, and many more of them.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("deep", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
