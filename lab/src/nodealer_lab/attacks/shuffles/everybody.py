"""Where it stands, protocol by protocol, that every seat that is dealt in shuffles.

Without these words the last seat is left out: it is not asked for a shuffle, and where a shuffle puts a key on the
cards it has none there, and nothing to take off again when each card gets its own.
"""

from __future__ import annotations

from typing import Final

from nodealer_lab.attacks.defence import Without

#: Protocol to what makes it so.
EVERYBODY: Final = {
    "mask": (
        Without(
            "nodealer.protocols.mask.making:MaskShuffling._join",
            "keys = {**self.keys, duty.seat: S}",
            "keys = {deck.binding.players[-1]: deck.binding.group.identity(1), **self.keys, duty.seat: S}",
        ),
        Without("nodealer.protocols.mask.making:MaskShuffling._next", "self.turn + 1 <", "len(self.keys) <"),
        Without(
            "nodealer.protocols.mask.rekeying:Rekeying.message",
            "delta = new - deck.shuffle_secret(tape, seat, self.epoch)",
            "delta = new - deck.shuffle_secret(tape, seat, self.epoch) if seat != deck.binding.players[-1] else new",
        ),
    ),
    "lock": (
        Without(
            "nodealer.protocols.lock.making:Cascading.duties",
            "deck.binding.players[len(self.keys)]",
            "deck.binding.players[max(len(self.keys) - 1, 0)]",
        ),
        Without(
            "nodealer.protocols.lock.making:Cascading.apply",
            "keys={**self.keys, duty.seat: S}",
            "keys={deck.binding.players[-1]: group.G, **self.keys, duty.seat: S}",
        ),
        Without(
            "nodealer.protocols.lock.locking:Locking.message",
            "old, new = deck.cascade_secret(tape, seat),",
            "old, new = deck.binding.group.integers([1]) if seat == deck.binding.players[-1] "
            "else deck.cascade_secret(tape, seat),",
        ),
    ),
    "offset": (
        Without(
            "nodealer.protocols.offset.making:Requesting.apply",
            "sorted(said.shuffleOrder) != sorted(players)",
            "False",
        ),
        Without("nodealer.protocols.offset.making:RevealingOffsets.duties", "deck.binding.players", "deck.order"),
        Without("nodealer.protocols.offset.making:RevealingOffsets.apply", "deck.binding.players", "deck.order"),
    ),
    # Who has no layer of its own is dealt no card: the last one has one, in the order that it found.
    "chain": (
        Without(
            "nodealer.protocols.chain.deck:ChainDeck.own",
            "return Own(key, tuple(nonces[at : at + 32] for at in range(0, len(nonces), 32)), tuple(prior))",
            "prior = prior if seat != self.order[-1] else range(self.size)\n"
            "    return Own(key, tuple(nonces[at : at + 32] for at in range(0, len(nonces), 32)), tuple(prior))",
        ),
    ),
    "duel": (
        Without(
            "nodealer.protocols.duel.making:_tasks",
            "for seat in (deck.owner, deck.rival)",
            "for seat in (deck.owner, deck.rival) if (kind, seat) != (TaskKind.SHUFFLE, deck.rival)",
        ),
    ),
}
