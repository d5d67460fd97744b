"""Attacks on the law of the table."""

from typing import Final

from nodealer_lab.attacks.table.throw_out import THROW_OUT
from nodealer_lab.attacks.table.two_seats import TWO_SEATS
from nodealer_lab.attacks.table.two_things import TWO_THINGS

ATTACKS: Final = (TWO_THINGS, THROW_OUT, TWO_SEATS)
