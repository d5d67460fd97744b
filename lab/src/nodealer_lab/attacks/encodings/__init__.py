"""Attacks on what faces are as points and numbers."""

from typing import Final

from nodealer_lab.attacks.encodings.fragments import FRAGMENTS
from nodealer_lab.attacks.encodings.related import RELATED
from nodealer_lab.attacks.encodings.residue import RESIDUE
from nodealer_lab.attacks.encodings.two_played import TWO_PLAYED
from nodealer_lab.attacks.encodings.two_time_pad import TWO_TIME_PAD

ATTACKS: Final = (FRAGMENTS, RELATED, TWO_TIME_PAD, TWO_PLAYED, RESIDUE)
