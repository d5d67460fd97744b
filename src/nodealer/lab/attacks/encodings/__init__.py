"""Attacks on what faces are as points and numbers."""

from typing import Final

from nodealer.lab.attacks.encodings.fragments import FRAGMENTS
from nodealer.lab.attacks.encodings.related import RELATED

ATTACKS: Final = (FRAGMENTS, RELATED)
