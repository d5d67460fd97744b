"""The cascade of `lock` as a cheater sees it: what all forged proofs of one secret for all cards begin with."""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.group import Points, Scalars
from nodealer.lab.attacks.base import Moment
from nodealer.proofs.relations import OneScalar
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.lock.messages import Cascade
from nodealer.wire import encode


@dataclass(frozen=True)
class Step:
    """A seat's turn."""

    moment: Moment
    s: Scalars
    order: tuple[int, ...]

    @staticmethod
    def of(moment: Moment) -> Step:
        """The turn that a message is about."""
        deck, seat = moment.deck, moment.duty.seat
        order = deck.cascade_order(moment.tape, seat, deck.stage.cards)
        return Step(moment, deck.cascade_secret(moment.tape, seat), tuple(order))

    @property
    def S(self) -> Points:
        """The key that it publishes."""
        return self.s * self.s.group.G

    @property
    def before(self) -> Points:
        """The cards as it got them."""
        return self.moment.deck.stage.cards  # type: ignore[no-any-return]

    def relation(self, cards: Points) -> OneScalar:
        """What it says of the cards that it passes on."""
        return OneScalar(self.S, self.before, cards)

    def transcript(self) -> Transcript:
        """A new one."""
        deck = self.moment.deck
        return deck.transcript(self.moment.duty, deck.epoch)  # type: ignore[no-any-return]

    def message(self, cards: Points, proof: bytes) -> bytes:
        """What it sends."""
        return encode(Cascade(self.S.to_bytes(), cards.to_bytes(), proof))
