"""One player: frames in, frames and events out. Every method that sends something returns the frames to send."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from msgspec import ValidationError, convert

from nodealer import events
from nodealer.api.event_stream import describe_proposal
from nodealer.api.requests import FreeTable, Then, To, free_rules
from nodealer.api.status import join_names, why_no_move
from nodealer.api.watcher import Watcher, new_memory_store
from nodealer.client.folder_store import HOME, open_or_create_store
from nodealer.client.policies import TimeoutVoter
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    AnswerQuestion,
    ComeBack,
    DeclineProposal,
    DisputeCard,
    LeaveHand,
    MakeMove,
    ProposeSession,
    RemovePlayer,
    RequestSeat,
    SitOut,
    VoteAbort,
    VoteSkip,
    WithdrawOffer,
    WriteNote,
)
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.resolve import create_proposal
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter, Declined, IllegalMove
from nodealer.events import Face
from nodealer.games import free
from nodealer.games.base import Rules
from nodealer.games.free import Free
from nodealer.games.package import GamePackage
from nodealer.games.registry import resolve_game
from nodealer.games.view import View
from nodealer.log.names import refuse_bad_name
from nodealer.log.roster import PLAYER, TIMEKEEPER, Member
from nodealer.log.session import Limits, Proposal
from nodealer.protocols import make_protocol
from nodealer.wire import DECKS_MAX, WORD_BYTES_MAX, encode

#: The default deck numbers of rolls and envelopes: the last ones, which decks of cards rarely use.
DICE = DECKS_MAX - 1
ENVELOPES = DECKS_MAX - 2

#: Checks a proposal before a player commits to it. Raises `Declined`, with a reason, to decline it.
Accept = Callable[[events.Proposal], None]
#: Turns a request into a move, given the current state of the table.
Request = Callable[[FreeTable], free.Move]


def accept_without_warnings(proposal: events.Proposal) -> None:
    """Raise `Declined` if the proposed protocol comes with a warning. The default for `accept`."""
    if proposal.warning is not None:
        raise Declined(f"the proposed protocol is {proposal.protocol}, which comes with a warning: {proposal.warning}")


class Player(Watcher):
    """One player, with their own secrets, which never leave this object. Has no socket, thread or clock.

    Your transport must deliver every frame to every player, including the sender, in the same order.
    """

    def __init__(
        self,
        name: str,
        *,
        games: Iterable[str | GamePackage] = (Free.name,),
        accept: Accept = accept_without_warnings,
        home: PlayerStore | None = None,
    ) -> None:
        """Create a player.

        `games` are the games this player is willing to play: names of installed games, "module:attribute", or packages.
        Any other game is declined, and so is any rehearsal. `accept` checks the rest of a proposal and raises
        `Declined` to decline it; by default, protocols that come with a warning are declined. `home` stores the
        player's state; by default it is kept in memory.
        """
        refuse_bad_name(name, "the name of this player")
        self.name = name
        self._accept = accept
        self._timeout_voter = TimeoutVoter()
        self._join(home or new_memory_store(name), games)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        name: str | None = None,
        *,
        games: Iterable[str | GamePackage] = (Free.name,),
        accept: Accept = accept_without_warnings,
    ) -> Self:
        """Open the player stored in a folder, or create a new one called `name` there.

        A returning player has the same keys and the same cards. Send what `resend()` returns, then deliver the frames
        of the table again from the first one. Use one folder per table. Raises `BadParameter` if the folder is empty
        and there is no name, or if it belongs to another player or to a spectator.
        """
        path = Path(folder)
        if name is None and not (path / HOME).exists():
            raise BadParameter(f"there is no player in {folder} yet: pass a name to create one")
        with ExitStack() as stack:
            home = stack.enter_context(open_or_create_store(path, name, secrets.token_bytes))
            if home.name is None or name not in (None, home.name):
                owner = home.name or "a spectator"
                raise BadParameter(f"{folder} belongs to {owner}, not to {name or 'a player'}")
            player = cls(home.name, games=games, accept=accept, home=home)
            stack.pop_all()
        return player

    # --- In the lobby ---

    def hello(self) -> list[bytes]:
        """Offer to play, with this player's name and public keys."""
        with self._errors_with_names():
            return [self._me.lobby.offer()]

    def withdraw(self) -> list[bytes]:
        """Take back the offer to play."""
        with self._errors_with_names():
            return self._me.command(WithdrawOffer())

    def propose(
        self,
        game: str | GamePackage | Rules = Free.name,
        *,
        settings: Mapping[str, str] | None = None,
        protocol: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        roles: Mapping[str, str] | None = None,
        names: Sequence[str] | None = None,
        cards: int | None = None,
        clock: Mapping[str, int] | None = None,
    ) -> list[bytes]:
        """Propose a game. One player does this when everyone has said hello.

        `game` is one of this player's games, with `settings` as a person would type them, or a `Rules` object of such a
        game. `protocol` and its `parameters` default to the game's own. `names` are the players to seat, in this order;
        by default, everyone who said hello. `roles` maps the names of those who are not ordinary players to their
        roles. `cards` is the size of the largest deck at a free table. If a `Timekeeper` is seated, `clock` must give
        the time limits in milliseconds: `move`, `cards`, `bank` and `refill`.

        Raises `BadParameter` if the proposal makes no sense.
        """
        with self._errors_with_names():
            package = self._package_for(game)
            given = package.settled(settings or {})
            on = protocol or package.protocol
            raw = package.protocol_parameters(on, given) if parameters is None else encode(dict(parameters))
            served = make_protocol(on, raw)
            if not isinstance(game, str | GamePackage):
                rules = game
            elif package.name == Free.name:
                rules = free_rules(served, cards)
            else:
                rules = package.from_settings(given)
            try:
                limits = None if clock is None else convert(dict(clock), Limits)
            except ValidationError as error:
                raise BadParameter(f"these time limits are invalid: {error}") from None
            members = self._seated_members(names, roles or {})
            if (limits is None) == any(member.role == TIMEKEEPER for member in members):
                raise BadParameter(
                    "a Timekeeper needs time limits, and time limits need a Timekeeper: use both or neither"
                )
            return self._me.command(ProposeSession(create_proposal(rules, served, members, clock=limits)))

    def _package_for(self, game: str | GamePackage | Rules) -> GamePackage:
        """Return this player's package for a game. Raises `BadParameter` if they do not play it."""
        name = (resolve_game(game) if isinstance(game, str) else game).name
        if name not in self._games:
            raise BadParameter(f"{self.name} does not play {name}, only {join_names(sorted(self._games))}")
        return self._games[name]

    def _seated_members(self, names: Sequence[str] | None, roles: Mapping[str, str]) -> list[Member]:
        """Return the roster members for these names and roles, in the order of their seats."""
        offers = {offer.name: offer for offer in self._me.offers}
        seated = list(offers) if names is None else list(names)
        for name in (*seated, *roles):
            if name not in offers:
                raise BadParameter(f"no one called {name!r} has said hello")
        if len(set(seated)) != len(seated) or not set(roles) <= set(seated):
            raise BadParameter("each name may appear only once, and each name in `roles` needs a seat")
        return [offers[name].as_member(seat, roles.get(name, PLAYER)) for seat, name in enumerate(seated)]

    def decline(self, reason: str) -> list[bytes]:
        """Decline the current proposal. Possible until everyone has agreed."""
        with self._errors_with_names():
            return self._me.command(DeclineProposal(reason))

    def _check_proposal(self, proposal: Proposal) -> None:
        """Raise `Declined` if this player does not want to play what is proposed."""
        decline_rehearsals(proposal)
        if proposal.game.name not in self._games:
            raise Declined(
                f"the proposed game is {proposal.game.name}, but {self.name} only plays {', '.join(self._games)}"
            )
        self._accept(describe_proposal(proposal))

    # --- Any game ---

    @property
    def ready(self) -> bool:
        """True if this player can make a move now."""
        return self._me.options().move is not None

    def view(self) -> View:
        """Return what this player sees: the game and their own cards.

        Raises `CardUnreadable` if a card does not open. `claim` disputes it.
        """
        return self._me.view()

    def question(self) -> Question | None:
        """Return what the table is waiting for from this player, or None.

        A question contains the player's view, and asks for a move, for a choice about cards they looked at, or for a
        value to seal. Pass the decision to `answer`.
        """
        return self._me.question()

    def answer(self, question: Question, decision: Decision) -> list[bytes]:
        """Answer a question with a move, with positions for a choice, or with bytes to seal.

        Raises `IllegalMove` if the question is no longer open or does not allow this answer.
        """
        with self._errors_with_names():
            return self._me.command(AnswerQuestion(question, decision))

    def move(self, move: object) -> list[bytes]:
        """Make a move in the game: a message of its rules, or plain data.

        Raises `IllegalMove` if it is not this player's turn or the rules forbid the move.
        """
        try:
            encode(move)
        except (TypeError, ValueError) as error:
            raise BadParameter(f"this is not a move: {error}") from None
        with self._errors_with_names():
            self._require_ready()
            return self._me.command(MakeMove(move))

    def _require_ready(self) -> None:
        """Raise `IllegalMove`, with the reason, if this player cannot move now."""
        if not self.ready:
            raise IllegalMove(why_no_move(self._me))

    def word(self, text: str) -> list[bytes]:
        """Write a signed note into the log: a bet, a remark. It changes nothing.

        Raises `BadParameter` if the text is empty or longer than 4,096 bytes.
        """
        if not _is_note(text):
            raise BadParameter(f"a note is text of 1 to {WORD_BYTES_MAX} bytes")
        with self._errors_with_names():
            if not self._me.has_session or self.ended:
                raise IllegalMove(why_no_move(self._me))
            return self._me.command(WriteNote(text))

    def leave(self) -> list[bytes]:
        """Leave this hand and give up its cards. The player is back for the next hand, unless they call `end`."""
        with self._errors_with_names():
            if not self._me.has_session or self.ended:
                raise IllegalMove(why_no_move(self._me))
            return self._me.command(LeaveHand())

    def sit_out(self) -> list[bytes]:
        """Play this hand to its end but not the next ones, until `come_back`.

        The player keeps their seat number and their chips.
        """
        return self._me.command(SitOut())

    def come_back(self) -> list[bytes]:
        """Play again from the next hand on."""
        return self._me.command(ComeBack())

    def ask_to_sit(self) -> list[bytes]:
        """Ask for a seat at a table that is already playing: a new seat, or the one this player had before.

        Whoever gets a seat plays from the next hand on, even if they were sitting out. Raises `IllegalMove` if there is
        no seat to ask for.
        """
        with self._errors_with_names():
            return self._me.command(RequestSeat())

    def let_in(self, name: str) -> list[bytes]:
        """Propose a seat for someone who has asked for one.

        Takes effect between hands, once more than half of the players agree.
        """
        with self._errors_with_names():
            return self._me.command(AdmitPlayer(name))

    def remove(self, name: str) -> list[bytes]:
        """Propose that a player who has left, or has called `end`, loses their seat.

        Takes effect between hands, once more than half of the players agree.
        """
        with self._errors_with_names():
            return self._me.command(RemovePlayer(name))

    def agree(self, by: str | None = None) -> list[bytes]:
        """Agree to the roster that `by` has proposed.

        `by` can be omitted if there is only one proposal. Raises `IllegalMove` if there is nothing to agree to, or if
        there are several proposals and `by` is missing.
        """
        with self._errors_with_names():
            mine, state = self._me.seat.number, self._me.replica.state
            proposers = {
                id: state.all_members[one.by].name for id, one in state.proposed.items() if mine not in one.agreed
            }
            meant = [id for id, name in proposers.items() if by in (None, name)]
            if len(meant) > 1:
                raise IllegalMove(
                    f"{join_names(proposers.values())} have each proposed a roster: say whose you agree to"
                )
            for proposal in meant:
                return self._me.command(AgreeToRoster(proposal))
            raise IllegalMove("there is no proposed roster to agree to")

    def look(self, now: float) -> list[bytes]:
        """Vote to go on without late players, at a table with a timekeeper.

        A player counts as late when the ticks say so and this player's own clock agrees. Call this several times a
        second. `now` is in seconds, from any clock that only moves forward.
        """
        return self._follow(self._timeout_voter, now)

    def end(self) -> list[bytes]:
        """Make this hand the last one. The player signs the end of the log as soon as the hand is over."""
        self._wants_more_hands = False
        return self._me.outgoing()

    def without(self, name: str, *others: str) -> list[bytes]:
        """Vote to go on without these players.

        Once more than half of the players vote so, the rules move for those players, or they are dropped from the hand.
        Raises `IllegalMove` if the table is not waiting for any of them, or if this player cannot vote now.
        """
        with self._errors_with_names():
            seats, options = {self._seat_of(one) for one in (name, *others)}, self._me.options()
            if not seats & set(options.waiting_for):
                raise IllegalMove(f"the table is not waiting for {join_names((name, *others))}")
            if not options.can_vote_skip:
                raise IllegalMove(f"{self.name} cannot vote on that now")
            return self._me.command(VoteSkip(frozenset(seats)))

    def break_off(self) -> list[bytes]:
        """Vote to abort this hand. It then has no result and is the last one.

        Half of the players are enough. Raises `IllegalMove` unless another player is holding up the hand.
        """
        with self._errors_with_names():
            if not self._me.options().can_vote_abort:
                raise IllegalMove(f"{self.name} cannot abort the hand now: another player has to be holding it up")
            return self._me.command(VoteAbort())

    def claim(self) -> list[bytes]:
        """Dispute a card of this player that does not open.

        If the protocol allows it, only that card is shown. Otherwise the players are asked to disclose their secrets of
        this hand, and the hand has no result. Raises `IllegalMove` if every card opens.
        """
        with self._errors_with_names():
            return self._me.command(DisputeCard())

    # --- A free table ---

    def shuffle(self, cards: int | Sequence[str], deck: int = 0) -> list[bytes]:
        """Request a new deck, shuffled by all players: a number of cards, or cards with these names."""
        return self._request(deck, lambda table: table.shuffle(cards))

    def deal(self, portions: Mapping[str, int], deck: int = 0) -> list[bytes]:
        """Request that the next cards are dealt: player name to number of cards, served in this order."""
        return self._request(deck, lambda table: table.deal(portions))

    def open_cards(self, count: int = 1, deck: int = 0) -> list[bytes]:
        """Request that the next cards of the deck are turned up for everyone."""
        return self._request(deck, lambda table: table.open_cards(count))

    def roll(self, *sides: int, deck: int = DICE) -> list[bytes]:
        """Request random numbers that no one can choose, from 0: `roll(6, 6)` gives two, each below six."""
        return self._request(deck, lambda table: table.roll(sides))

    def ask_to_seal(self, *names: str, deck: int = ENVELOPES) -> list[bytes]:
        """Request that these players, or all if you name none, seal a value.

        Each of them gets a `question` and answers it with bytes.
        """
        return self._request(deck, lambda table: table.seal(names))

    def unseal(self, deck: int = ENVELOPES) -> list[bytes]:
        """Request that all sealed values are opened for everyone."""
        return self._request(deck, lambda table: table.unseal())

    def show(self, *faces: Face, deck: int = 0, to: str | None = None) -> list[bytes]:
        """Show these cards of this player, or all of them, to everyone or only to the player `to`."""
        return self._request(deck, lambda table: table.show(faces) if to is None else table.show_to(to, faces))

    def prove(self, none_of: Sequence[Face], *cards: Face, deck: int = 0) -> list[bytes]:
        """Prove that none of these hidden cards of this player, or of all of them, is one of `none_of`.

        Nothing else is revealed. Raises `IllegalMove` if it is not true.
        """
        return self._request(deck, lambda table: table.prove(none_of, cards))

    def give(self, name: str, *faces: Face, deck: int = 0) -> list[bytes]:
        """Give these hidden cards of this player, or all of them, to another player.

        Only the two of them know which cards these are.
        """
        return self._request(deck, lambda table: table.give(name, faces))

    def mix(self, *faces: Face, deck: int = 0) -> list[bytes]:
        """Shuffle these hidden cards of this player, or all of them, within the hand.

        No one else knows any more which card is which.
        """
        return self._request(deck, lambda table: table.mix(faces))

    def peek(self, count: int = 1, *, then: Then = "look", deck: int = 0) -> list[bytes]:
        """Look at the next cards of the deck, for this player alone.

        `then` says what happens next: "look" only shows them, "reorder" lets the player reorder them, "keep" lets them
        keep one and reorder the others, and "take" lets them take one, after which the rest is shuffled. The player
        then gets a `question` and answers it with positions.
        """
        return self._request(deck, lambda table: table.peek(count, then))

    def give_back(self, *faces: Face, deck: int = 0, to: To = "shuffled", depth: int = 0) -> list[bytes]:
        """Return these cards to the deck: cards of this player, or open ones on the table.

        If none is named, all of the player's cards go back. "discard" lays them aside for good. With `depth`, they go
        under this many cards from the top.
        """
        return self._request(deck, lambda table: table.give_back(faces, to, depth))

    def reshuffle(self, deck: int = 0) -> list[bytes]:
        """Request that the rest of the deck is shuffled again."""
        return self._request(deck, lambda table: table.reshuffle())

    def put_away(self, deck: int = 0) -> list[bytes]:
        """Put the deck away. It can no longer be used in this hand."""
        return self._request(deck, lambda table: table.put_away())

    def finish(self) -> list[bytes]:
        """End the hand."""
        return self._request(0, lambda table: free.Finish())

    def hand(self, deck: int = 0) -> list[Face]:
        """Return the cards this player holds. Raises `CardUnreadable` if one does not open; `claim` disputes it."""
        return list(FreeTable(self._me, deck).own_cards().values())

    def seen(self, deck: int = 0) -> list[Face]:
        """Return the cards this player has looked at or was shown, and does not hold.

        Only those whose place the player still knows.
        """
        return list(FreeTable(self._me, deck).seen_cards().values())

    def _request(self, deck: int, request: Request) -> list[bytes]:
        """Send a free-table request as a move. Raises `IllegalMove` if this player cannot move now."""
        with self._errors_with_names():
            self._require_ready()
            return self._me.command(MakeMove(request(FreeTable(self._me, deck))))


def _is_note(text: object) -> bool:
    """Return whether this is text that fits into a note."""
    try:
        return isinstance(text, str) and 0 < len(text.encode()) <= WORD_BYTES_MAX
    except UnicodeEncodeError:
        return False
