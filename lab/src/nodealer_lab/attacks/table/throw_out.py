"""A seat says of all others, as soon as they owe anything, that the table should not wait for them."""

from __future__ import annotations

from typing import Final

from nodealer.cheats import throw_out
from nodealer_lab.attacks.base import attack_from
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.truth import thrown_out

#: Half of the voters would not have to be more than half.
_MAJORITY: Final = Without("nodealer.play.law:_reached", "2 * len(by) > len(said)", "by")
THROW_OUT: Final = attack_from(throw_out.THROW_OUT, {"defence": (_MAJORITY,), "gained": thrown_out}, of=("A39",))
