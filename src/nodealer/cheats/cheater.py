"""A participant that cheats: the honest program, with some messages replaced before they are signed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from msgspec import Raw

from nodealer.cheats.base import BotCheat, CheatScheme, SignedMoment
from nodealer.engine.bodies import Body, Cards
from nodealer.engine.commands import LeaveHand, MakeMove
from nodealer.engine.duties import OpenDuty
from nodealer.engine.participant import Participant
from nodealer.engine.seat import Seat
from nodealer.engine.store import PlayerStore
from nodealer.errors import CardUnreadable, IllegalMove
from nodealer.protocols.base import Duty

#: The moves that fold a hand, in games that have one.
FOLDS: Final = ({"type": "fold"}, {"chips": 0, "fold": True})


class CheatingSeat(Seat):
    """A seat that signs forged messages instead of honest ones. It records what it signed and goes on from there."""

    def __init__(self, *arguments: Any, scheme: CheatScheme[Any], lies: list[bytes], **named: Any) -> None:
        """Create the seat of a cheat. Entries with a forged message are also appended to `lies`."""
        self._scheme = scheme
        self._lies = lies
        super().__init__(*arguments, **named)

    def _answer_duty(self, open_duty: OpenDuty) -> Body | None:
        """Answer like an honest seat, but hold back steps to send last, and forge an answer if there is no true one."""
        duty, way = open_duty.duty, self._scheme.way
        if duty.seat == self.number and duty.kind in way.late and self._others_owe(duty):
            return None
        body = super()._answer_duty(open_duty)
        if body is None and duty.kind in way.forge and self._cannot_answer(open_duty):
            # An honest seat would send nothing here, because nothing true can be sent.
            return Cards(duty.id, Raw(b"{}"))
        return body

    def _cannot_answer(self, open_duty: OpenDuty) -> bool:
        """Return whether it owes a message that it cannot produce: it cannot prove it, or has spoilt its own cards."""
        duty = open_duty.duty
        if duty.deck is None or duty.seat != self.number or duty.optional or self._has_answered(open_duty):
            return False
        if duty.id in self._unprovable_ids or duty.kind not in self._scheme.way.blind:
            return duty.id in self._unprovable_ids
        try:
            choice = self._choices.get(duty.chosen)
            self.replica.state.hand.decks[duty.deck].message(duty, self._tape(duty.binding.hand), choice)
        except CardUnreadable:
            return True
        return False

    def _others_owe(self, duty: Duty) -> bool:
        """Return whether another seat owes a message of the same kind for the same deck."""
        every = (known.duty for known in self.replica.state.duties.open.values())
        return any(one.kind == duty.kind and one.deck == duty.deck and one.seat != self.number for one in every)

    def _sign(self, body: Body) -> bytes:
        """Sign an entry, with its card message forged if the scheme says so. Record it as a lie if it was."""
        sent = self._forge(body) if isinstance(body, Cards) else body
        data = super()._sign(sent)
        if sent != body:
            self._lies.append(data)
        return data

    def _forge(self, body: Cards) -> Cards:
        """Return the forged message instead of an honest one, if the scheme forges this step."""
        duty = self.replica.state.duties.open[body.duty].duty
        forge = self._scheme.way.forge.get(duty.kind)
        if forge is None or duty.deck is None:
            return body
        deck, honest = self.replica.state.hand.decks[duty.deck], bytes(body.message)
        false = forge(SignedMoment(deck, duty, self._tape(duty.binding.hand), honest))
        return body if false == honest else Cards(body.duty, Raw(false))


class Cheater(Participant):
    """A participant that plays like everyone else, and carries out its attack whenever it can."""

    #: The class of its seat.
    seat_class: type[CheatingSeat] = CheatingSeat

    def __init__(self, home: PlayerStore, *, attack: BotCheat[Any], **named: Any) -> None:
        """Create a participant that carries out `attack`. All other arguments are those of `Participant`."""
        self.attack = attack
        #: The entries that an honest player would not have signed.
        self.lies: list[bytes] = []
        super().__init__(home, **named)

    def _create_seat(self, number: int, log: Iterable[bytes]) -> Seat:
        """Create a seat that forges messages as the attack does on this table's protocol."""
        home, config = self.store, self.replica.config
        return self.seat_class(
            config,
            number,
            scheme=self.attack.on(config.protocol),
            lies=self.lies,
            root=home.root,
            key=home.identity,
            journal=home.journal,
            entropy=self._entropy,
            log=log,
        )

    def outgoing(self) -> list[bytes]:
        """Return the messages it owes, and those the attack sends in addition."""
        sent = super().outgoing()
        if not self.has_seat or self.is_over or self.is_catching_up:
            return sent
        if self._cannot_read_own_cards():
            return [*sent, *self._give_up()]
        more = self._beside(sent)
        self.lies.extend(more)
        return [*sent, *more]

    def _beside(self, sent: list[bytes]) -> list[bytes]:
        """Return the additional messages that the attack sends along with these."""
        beside = self.attack.on(self.replica.config.protocol).way.beside
        return [] if beside is None else beside(self, sent)

    def _give_up(self) -> list[bytes]:
        """Fold if the game has that, or else leave: leaving draws attention."""
        for fold in FOLDS:
            with suppress(IllegalMove):
                return self.command(MakeMove(fold))
        return self.command(LeaveHand())

    def _cannot_read_own_cards(self) -> bool:
        """Return whether it has to move or choose but cannot read its own cards, and can blame no other seat."""
        seat = self.seat
        if seat.unconfirmed or not (seat.must_move or (self.lies and self.options().choices)):
            return False
        try:
            seat.known_cards()
        except CardUnreadable as unreadable:
            return bool(self.lies) or not seat.can_dispute(unreadable)
        return False
