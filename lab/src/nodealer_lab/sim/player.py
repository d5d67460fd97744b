"""The decisions at a simulated place: a bot, with the habits that the plan gives it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from nodealer.cards.operations import Card
from nodealer.client.agents import BotAgent
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    AnswerQuestion,
    ComeBack,
    DisputeCard,
    LeaveHand,
    MakeMove,
    ProposeSession,
    RemovePlayer,
    RequestSeat,
    SitOut,
)
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import create_proposal
from nodealer.engine.state import TableState
from nodealer.errors import CardUnreadable, IllegalMove
from nodealer.games.base import Turn
from nodealer.games.free.rules import FreeHand, free_hand
from nodealer.games.package import Bot
from nodealer.protocols.recoverable import RecoverableDeck
from nodealer_lab.sim.agents import pick_free_move
from nodealer_lab.sim.plan import BOUND, HEALED

if TYPE_CHECKING:
    from nodealer_lab.sim.node import Node
    from nodealer_lab.sim.world import World

#: In milliseconds: how much longer each seat waits than the one before it when any seat may move, and how often it
#: checks.
TURN_DELAY: Final = 5000
CHECK_INTERVAL: Final = 500
#: From when on no seat is slow any more, because a long game would not end in time.
HURRY_TIME: Final = HEALED + BOUND // 2


class SimPlayer:
    """The person at a node. Their memory survives the process."""

    def __init__(self, world: World, node: Node) -> None:
        """Create the person at this node: a bot with planned slowness, absences and requests."""
        #: The faces that they could read, each with the log length, the hand, the card and the face.
        self.faces: set[tuple[int, int, Card, int]] = set()
        self._remembered = -1
        self._world = world
        self._node = node
        self._clock = world.clock
        self._dice = node.dice
        self._mind = BotAgent(world.plan.package, node.home.root)
        self._proposed = False
        #: What a slow player is thinking about, and until when.
        self._pondered: tuple[bytes, int] = (b"", 0)
        #: The log length, and since when it has been that.
        self._grown = (0, 0)
        #: Whether a decision is already scheduled.
        self._is_scheduled = False
        #: Whether they have left as planned.
        self._left = False

    def reset(self) -> None:
        """Note that a new process has started, which may propose or ask for a seat again."""
        self._proposed = False

    def on_change(self) -> None:
        """Schedule a decision, because something has happened at the table."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self._clock.after(self._dice.between(20, 300), self._decide_now)

    def _decide_now(self) -> None:
        """Carry out the scheduled decision."""
        self._is_scheduled = False
        self._node.act(self.decide)

    # --- In the lobby ---

    def propose(self, participant: Participant) -> Iterable[bytes]:
        """Propose the session once everyone has joined, if this is the first player."""
        plan, lobby = self._world.plan, participant.lobby
        if self._node.place or self._proposed or participant.has_session or lobby.proposal:
            return []
        offers = {offer.name: offer for offer in lobby.offers}
        names = [node.name for node in self._world.nodes[: plan.sitting]]
        if not offers.keys() >= {*names}:
            return []
        self._proposed = True
        members = [offers[name].as_member(seat) for seat, name in enumerate(names)]
        limits = None if plan.keeper is None else plan.keeper.limits
        return participant.command(ProposeSession(create_proposal(plan.rules, plan.protocol, members, clock=limits)))

    # --- At the table ---

    def decide(self, participant: Participant) -> Iterable[bytes]:
        """Return the frames that the player sends of their own accord."""
        if not participant.has_session or self._node.keeps_time:
            return []
        if not participant.has_seat:
            return self._ask_to_sit(participant)
        with suppress(IllegalMove):
            if rosters := self._update_roster(participant):
                return rosters
        self._record_faces(participant)
        if self._is_pondering(participant):
            return []
        # A player who was given false cards, and has already disputed one, has nothing to decide.
        with suppress(IllegalMove, CardUnreadable):
            if participant.options().unreadable is not None:
                return participant.command(DisputeCard())
            if (hand := free_hand(participant.replica.state.hand.game)) is not None:
                return self._answer_peek(participant) or self._make_free_move(participant, hand)
            return self._mind.act(participant)
        return []

    def _ask_to_sit(self, participant: Participant) -> Iterable[bytes]:
        """Return the request for a seat if this is a stranger who wants one and has not asked, otherwise nothing."""
        if self._proposed or not self._node.asks_to_sit or participant.is_catching_up:
            return []
        with suppress(IllegalMove):
            said = participant.command(RequestSeat())
            self._proposed = True
            return said
        return []

    def _update_roster(self, participant: Participant) -> Iterable[bytes]:
        """Propose and agree to roster changes at a table with sealed frames.

        The lowest remaining seat removes seats that have left and admits newcomers; all others agree.
        """
        state = participant.replica.state
        if (
            not self._world.plan.sealed
            or participant.is_over
            or participant.is_catching_up
            or participant.seat.unconfirmed
        ):
            return []
        mine = participant.seat.number
        for proposal, one in state.proposed.items():
            if mine not in one.agreed and mine in one.roster.seats:
                return participant.command(AgreeToRoster(proposal))
        there = [seat for seat in state.roster.with_cards if seat not in state.gone | state.ended | state.expelled]
        if state.no_more_hands or state.proposed or there[:1] != [mine]:
            return []
        for seat in state.roster.with_cards:
            if seat in state.gone | state.expelled and len(there) > 1:
                return participant.command(RemovePlayer(state.all_members[seat].name))
        return (
            participant.command(AdmitPlayer(participant.seat_requests[0].who.name)) if participant.seat_requests else []
        )

    def leave_if_planned(self, participant: Participant) -> Iterable[bytes]:
        """Leave or sit out if the plan says so now, and schedule the return."""
        if self._left or not participant.has_seat or participant.is_catching_up:
            return []
        plan, replica = self._world.plan, participant.replica
        mine = next((leaver for leaver in plan.leavers if leaver.seat == self._node.place), None)
        now = mine is not None and replica.height >= mine.entries and (not mine.dealt or _is_dealt(replica.state))
        again = self._node.place in plan.again and is_rebuilding(replica.state.hand.decks.values())
        if not now and not again:
            return []
        sits_out = now and mine is not None and mine.sits_out
        away = mine.away if mine is not None else 0
        self._left = True
        if away is not None:
            self._clock.after(away, lambda: self._node.act(lambda participant: participant.command(ComeBack())))
        said: list[bytes] = []
        with suppress(IllegalMove):
            said += [] if sits_out else participant.command(LeaveHand())
            self._world.struck["left"] += 1
        if sits_out or away is None or away:
            said += participant.command(SitOut())
        return said

    def _is_pondering(self, participant: Participant) -> bool:
        """Return whether this is a slow player who is still thinking about a question."""
        asked = participant.options().required if self._node.place in self._world.plan.slow else None
        if asked is None:
            return False
        if self._pondered[0] != asked.id:
            delay = self._dice.pick((100, 6000, 9000)) if self._clock.now < HURRY_TIME else 100
            self._pondered = (asked.id, self._clock.now + delay)
            self._clock.after(delay, lambda: self._node.act(self.decide))
        return self._clock.now < self._pondered[1]

    def _record_faces(self, participant: Participant) -> None:
        """Record the known faces for the checkers: each face must be there once, and none may be known too early."""
        replica = participant.replica
        if self._node.place not in self._world.doomed and replica.height != self._remembered:
            self._remembered = replica.height
            with suppress(CardUnreadable):
                known = participant.seat.known_cards().items()
                self.faces |= {(replica.height, replica.state.hand.number, card, face) for card, face in known}

    def _answer_peek(self, participant: Participant) -> Iterable[bytes]:
        """Answer a pending peek: decide what to do with the cards."""
        question = participant.question()
        if question is None or question.peek is None:
            return []
        return participant.command(AnswerQuestion(question, Bot().choose(question.view, question.peek)))

    def _make_free_move(self, participant: Participant, game: FreeHand) -> Iterable[bytes]:
        """Make a free-table move. No seat owes one, so the first seat in order moves, and after a while the next."""
        want, duty, seat = game.wants, participant.options().move, participant.seat.number
        if duty is None or not isinstance(want, Turn) or seat not in want.may:
            return []
        patience = want.may.index(seat) * TURN_DELAY
        # Measured by the log, not by received frames: a seat whose entries are rejected resends them again and again.
        if self._grown[0] != participant.replica.height:
            self._grown = participant.replica.height, self._clock.now
        if self._clock.now - self._grown[1] < patience:
            self._clock.after(CHECK_INTERVAL, lambda: self._node.act(self.decide))
            return []
        faces = {card.position: face for card, face in participant.seat.known_cards().items() if card.deck == 0}
        return participant.command(
            MakeMove(pick_free_move(game, seat, self._world.plan.rules.deck_max, faces, self._dice))
        )


def is_rebuilding(decks: Iterable[object]) -> bool:
    """Return whether one of the decks is being rebuilt because a seat has left."""
    return any(isinstance(deck, RecoverableDeck) and deck.rebuilding for deck in decks)


def _is_dealt(state: TableState) -> bool:
    """Return whether there is a complete deck of which cards are dealt."""
    decks = [deck for deck in state.hand.decks.values() if isinstance(deck, RecoverableDeck)]
    return any(deck.places.held and not deck.rebuilding for deck in decks)
