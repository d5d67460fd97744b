"""The card protocols behind one interface (`base.py`), and the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.protocols.base import CardProtocol, Claims, Needs
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.text import STEPS as CHAIN_STEPS
from nodealer.protocols.duel import Duel
from nodealer.protocols.duel.text import STEPS as DUEL_STEPS
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.text import STEPS as LOCK_STEPS
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.text import STEPS as MASK_STEPS
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.text import STEPS as OFFSET_STEPS
from nodealer.protocols.text import StepText

#: Protocol name to its constructor, which takes parameters (canonical JSON) and a group.
PROTOCOLS: Final[dict[str, Callable[[bytes, Group | None], CardProtocol]]] = {
    "mask": Mask,
    "lock": Lock,
    "offset": Offset,
    "chain": Chain,
    "duel": Duel,
}

#: Protocol name to the descriptions of its steps, by kind of duty.
STEPS: Final[dict[str, dict[str, StepText]]] = {
    "mask": MASK_STEPS,
    "lock": LOCK_STEPS,
    "offset": OFFSET_STEPS,
    "chain": CHAIN_STEPS,
    "duel": DUEL_STEPS,
}

#: Protocol name to the parameters of each of its modes, the default first. Numeric parameters have their defaults.
MODES: Final[dict[str, tuple[bytes, ...]]] = {
    "mask": (b"{}",),
    "lock": (b"{}", b'{"community":"server"}'),
    "offset": (b"{}",),
    "chain": (b"{}", b'{"deck":"dealer"}', b'{"proven":false}', b'{"deck":"dealer","proven":false}'),
    "duel": (b"{}", b'{"mode":"committed"}', b'{"mode":"xor"}'),
}


def make_protocol(name: str, parameters: bytes = b"{}", on: Group | None = None) -> CardProtocol:
    """Create a protocol by name. Without a group, it uses the default one.

    Raise `BadParameter` if the name is unknown.
    """
    if name not in PROTOCOLS:
        raise BadParameter(f"there is no protocol {name!r}; there are {', '.join(sorted(PROTOCOLS)) or 'none'}")
    return PROTOCOLS[name](parameters, on)


def refuse_unserved(claims: Claims, needs: Needs) -> None:
    """Raise `BadParameter` if a protocol cannot serve a table, naming the protocols that could."""
    try:
        claims.refuse(needs)
    except BadParameter as reason:
        able = [name for name in PROTOCOLS if name != claims.name and _can_serve(name, needs)]
        others = " and ".join(filter(None, (", ".join(able[:-1]), *able[-1:]))) or "no other protocol"
        raise BadParameter(f"{reason}; {others} can") from None


def _can_serve(name: str, needs: Needs) -> bool:
    """Return whether a protocol can serve a table in at least one of its modes."""
    for parameters in MODES[name]:
        with suppress(BadParameter):
            make_protocol(name, parameters).claims.refuse(needs)
            return True
    return False
