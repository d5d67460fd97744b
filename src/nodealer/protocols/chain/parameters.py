"""The parameters of `chain` that a table agrees on."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from nodealer.errors import BadParameter, DecodeError
from nodealer.wire import Message, decode, encode

KAPPA_MAX: Final = 20
KAPPA: Final = 8


class ChainParameters(Message, frozen=True, omit_defaults=True):
    """The parameters of `chain`.

    `deck`: public card numbers, or decks made by the dealer and checked by cut and choose. `kappa`: how many decks are
    opened for each player except the dealer. `proven`: whether every shuffle has a proof; if not, every hand ends with
    disclosure.
    """

    deck: Literal["public", "dealer"] = "public"
    kappa: Annotated[int, msgspec.Meta(ge=1, le=KAPPA_MAX)] = KAPPA
    proven: bool = True

    def candidates(self, seats: int) -> int:
        """Return how many decks the dealer makes.

        One is played, so a false one is played with a chance of one in that many.
        """
        return (seats - 1) * self.kappa + 1


# defence: no-openings
def read_parameters(data: bytes) -> ChainParameters:
    """Decode parameters from canonical JSON. Raise `BadParameter` if they are not valid."""
    try:
        parameters = decode(ChainParameters, data, what="the parameters of chain")
    except DecodeError as error:
        raise BadParameter(str(error)) from None
    if parameters.deck == "public" and parameters.kappa != KAPPA:
        raise BadParameter("kappa applies only to the dealer's decks: public cards need no cut and choose")
    return parameters


def canonical(parameters: ChainParameters) -> bytes:
    """Return the one encoding of the parameters. Defaults are left out."""
    return encode(parameters)
