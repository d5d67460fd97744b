"""What a table agrees on about `chain`."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from nodealer.errors import BadParameter, DecodeError
from nodealer.wire import Message, decode, encode

KAPPA_MAX: Final = 20
KAPPA: Final = 8


class ChainParameters(Message, frozen=True, omit_defaults=True):
    """`deck`: public card numbers, or decks that the dealer makes and that are cut and chosen. `kappa`: how many decks
    are opened for each player but the dealer. `proven`: every shuffle with a proof; else every hand ends with books."""

    deck: Literal["public", "dealer"] = "public"
    kappa: Annotated[int, msgspec.Meta(ge=1, le=KAPPA_MAX)] = KAPPA
    proven: bool = True

    def candidates(self, seats: int) -> int:
        """How many decks the dealer makes. One is played, so a false one is with the odds of one to all of them."""
        return (seats - 1) * self.kappa + 1


# defence: no-openings
def read_parameters(data: bytes) -> ChainParameters:
    """ChainParameters from their canonical JSON."""
    try:
        parameters = decode(ChainParameters, data, what="the parameters of chain")
    except DecodeError as error:
        raise BadParameter(str(error)) from None
    if parameters.deck == "public" and parameters.kappa != KAPPA:
        raise BadParameter("kappa belongs to the dealer's decks: public cards need no cut-and-choose")
    return parameters


def canonical(parameters: ChainParameters) -> bytes:
    """Their one encoding. What is as by default is left out."""
    return encode(parameters)
