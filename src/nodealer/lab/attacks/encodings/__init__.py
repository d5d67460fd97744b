"""Attacks on what faces are as points and numbers."""

from typing import Final

from nodealer.lab.attacks.encodings.fragments import FRAGMENTS
from nodealer.lab.attacks.encodings.related import RELATED
from nodealer.lab.attacks.encodings.residue import RESIDUE
from nodealer.lab.attacks.encodings.two_played import TWO_PLAYED
from nodealer.lab.attacks.encodings.two_time_pad import TWO_TIME_PAD

ATTACKS: Final = (FRAGMENTS, RELATED, TWO_TIME_PAD, TWO_PLAYED, RESIDUE)
