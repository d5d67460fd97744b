"""The last step of every `mask` shuffle: each card gets its own keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards.events import Moved
from nodealer.cards.operations import Deal, Look, NewDeck, Peek, Place, Portion, Return
from nodealer.errors import Malformed
from nodealer.group import Points
from nodealer.proofs import equality
from nodealer.proofs.equality import ManyEqualities
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.keyed_deck import release
from nodealer.protocols.layers import Layer
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskRekey
from nodealer.protocols.stages import Idle
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class Rebuild:
    """The purpose of a shuffle after seats have left. No game requested it."""

    #: The cards that the remaining seats hold, declared under the new joint key, or None if they hold none.
    held: Masked | None


@dataclass(frozen=True)
class Arranged:
    """The purpose of a shuffle after a seat reordered the cards it peeked at, or keeps the first of them."""

    operation: Peek
    #: The card that is kept while all seats shuffle the rest.
    kept: Masked | None = None


#: Why cards are shuffled and get new keys.
Purpose = NewDeck | Return | Rebuild | Arranged


@dataclass(frozen=True)
class Rekeying:
    """Stage: all seats move each card from their shuffle key to a key for that card, in parallel."""

    purpose: Purpose
    epoch: int
    cards: Masked
    #: Seat to its shuffle key.
    old: Mapping[int, Points]
    anchor: bytes
    #: Seat to its new public keys and what the cards gain.
    said: Mapping[int, tuple[Points, Points]] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not given the cards its new keys."""
        return tuple(deck.duty(seat, "rekey", self.anchor) for seat in deck.binding.players if seat not in self.said)

    # defence: only-friends
    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return a new public key for each card, what each card gains from the change of key, and a proof."""
        seat, group = duty.seat, deck.binding.group
        new = deck.layers.draw_secrets(tape, self._layer(deck), seat)
        delta = new - deck.shuffle_secret(tape, seat, self.epoch)
        keys, gains = group.products(new, group.G), group.products(delta, self.cards.epk)
        transcript = deck.transcript(duty, self.epoch)
        each = ManyEqualities(group.G, keys, self.cards.epk, gains, less=self.old[seat])
        proof = equality.prove_many_equalities(transcript, tape, each, delta)
        return encode(MaskRekey(keys.to_bytes(), gains.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a seat's keys and return the check of its proof. Raise `Malformed` if two cards have the same key."""
        said = read_message(MaskRekey, message)
        group, count = deck.binding.group, len(self.cards)
        keys = read_points(group, said.keys, count, "the new keys")
        gains = read_points(group, said.gains, count, "the gains")
        # Publishing one key must never reveal another.
        if keys.vartime_first_repeat() is not None:
            raise Malformed("two cards have the same new key")
        transcript = deck.transcript(duty, self.epoch)
        each = ManyEqualities(group.G, keys, self.cards.epk, gains, less=self.old[duty.seat])
        check = equality.check_many_equalities(transcript, each, said.proof)
        stage = replace(self, said={**self.said, duty.seat: (keys, gains)})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.in_stage(stage), (), (check,))
        step = stage._finish(deck)
        return replace(step, checks=(check, *step.checks))

    def _layer(self, deck: MaskDeck) -> Layer[Masked]:
        """Return the layer that the cards will form."""
        first = 0 if isinstance(self.purpose, NewDeck) else deck.places.position_count
        return Layer(first, self.epoch, deck.binding, self.cards.digest(), self.cards, {})

    def _finish(self, deck: MaskDeck) -> DeckChange:
        """Add the cards as a new layer, and continue according to the purpose."""
        msg = self.cards.msg
        for seat in deck.binding.players:
            msg = msg + self.said[seat][1]
        keys = {seat: keys for seat, (keys, _) in self.said.items()}
        layer = replace(self._layer(deck), cards=Masked(self.cards.epk, msg), keys=keys)
        done = deck.with_fields(layers=deck.layers.with_layer(layer))
        match self.purpose:
            case NewDeck():
                return done.finish()
            case Return(positions=back, place=place, depth=depth):
                moved = (Moved(deck.places.card(position), None) for position in back)
                return done.finish(*moved, places=deck.places.restack(back, place, depth))
            case Arranged(operation=peek):
                return _arranged(done, peek)
            case Rebuild():
                # Resume what the leaving seats interrupted.
                return done.with_new_pile(len(self.cards)).in_stage(Idle()).resume()


def _arranged(deck: MaskDeck, peek: Peek) -> DeckChange:
    """Put the reordered cards at new positions. If the seat keeps one, deal it the first."""
    places, first = deck.places, deck.places.position_count
    if peek.then is Look.TAKE:
        after = places.restack((), Place.SHUFFLED)
    else:
        looked_at = places.next_cards(peek.count)
        after = places.remove_from_pile(looked_at).restack(looked_at, Place.TOP)
    if peek.then is Look.REORDER:
        return deck.finish(places=after)
    return release(deck.with_fields(places=after), Deal(deck.number, (Portion(peek.seat, positions=(first,)),)))
