"""One player: bytes in, bytes out, and events. Every method that says something returns the frames to send."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from msgspec import ValidationError, convert

from nodealer import events
from nodealer.api.event_stream import proposed
from nodealer.api.requests import FreeTable, Then, To, free_rules
from nodealer.api.status import cannot_ask, listed
from nodealer.api.watcher import Watcher, in_memory
from nodealer.client.folder_store import HOME, open_or_create_store
from nodealer.client.policies import TimeoutVoter
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.resolve import proposal_of
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

#: Where is rolled and sealed, unless somebody says otherwise: the last of the numbers that decks have.
DICE = DECKS_MAX - 1
ENVELOPES = DECKS_MAX - 2

#: Looks at a proposal before a player commits to it. Raises `Declined`, with a sentence, to decline.
Accept = Callable[[events.Proposal], None]
#: Makes a move of a request, at the table as it stands.
Ask = Callable[[FreeTable], free.Move]


def accept_without_warnings(proposal: events.Proposal) -> None:
    """What a player agrees to who has said nothing else."""
    if proposal.warning is not None:
        raise Declined(f"the proposed protocol is {proposal.protocol}, which warns: {proposal.warning}")


class Player(Watcher):
    """One player. No socket, no thread, no clock; secrets never leave it.

    Your transport brings every frame to every player, the sender too, in one and the same order.
    """

    def __init__(
        self,
        name: str,
        *,
        games: Iterable[str | GamePackage] = (Free.name,),
        accept: Accept = accept_without_warnings,
        home: PlayerStore | None = None,
    ) -> None:
        """`games` are what this player plays: names of installed games, "module:attribute", or packages. Anything else,
        and any rehearsal, is declined. `accept` looks at the rest of a proposal, and raises `Declined` to decline;
        without it a player declines what comes with a warning. Without a home everything is kept in memory.
        """
        refuse_bad_name(name, "the name of this player")
        self.name = name
        self._accept = accept
        self._patience = TimeoutVoter()
        self._sit(home or in_memory(name), games)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        name: str | None = None,
        *,
        games: Iterable[str | GamePackage] = (Free.name,),
        accept: Accept = accept_without_warnings,
    ) -> Self:
        """A player whose secrets, words and log are in a folder: a new one, or one who comes back, with the same cards.

        A folder is for one table. One who comes back sends `resend()` and hears the frames of the table from the first.
        """
        path = Path(folder)
        if name is None and not (path / HOME).exists():
            raise BadParameter(f"nobody has played from {folder} yet: say who it is for")
        with ExitStack() as held:
            home = held.enter_context(open_or_create_store(path, name, secrets.token_bytes))
            if home.name is None or name not in (None, home.name):
                raise BadParameter(f"{folder} is the home of {home.name or 'one who watches'}, not of {name}")
            player = cls(home.name, games=games, accept=accept, home=home)
            held.pop_all()
        return player

    # --- Before the players have agreed ---

    def hello(self) -> list[bytes]:
        """I would like to play: my name and my public keys."""
        with self._in_words():
            return [self._me.lobby.offer()]

    def withdraw(self) -> list[bytes]:
        """I would not, after all."""
        with self._in_words():
            return self._me.withdraw()

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
        """Let us play this: one player sends it, when everybody has said hello.

        A game is one of this player's, with its settings as a person types them, or rules of such a game. `parameters`
        are those of the protocol. `names` are who sits, in this order; without them it is everybody who came. `roles`
        has who is no ordinary player. `cards` is the largest deck of a free table. Where a `Timekeeper` has said hello
        and sits, `clock` has the limits of time in milliseconds: `move`, `cards`, `bank` and `refill`.
        """
        with self._in_words():
            package = self._package(game)
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
                raise BadParameter(f"these are no limits of time: {error}") from None
            members = self._members(names, roles or {})
            if (limits is None) == any(member.role == TIMEKEEPER for member in members):
                raise BadParameter(
                    "limits of time are for a table at which a Timekeeper sits, and it sits with them only"
                )
            return self._me.propose(proposal_of(rules, served, members, clock=limits))

    def _package(self, game: str | GamePackage | Rules) -> GamePackage:
        name = (resolve_game(game) if isinstance(game, str) else game).name
        if name not in self._games:
            raise BadParameter(f"{name} is no game that {self.name} plays, only {listed(sorted(self._games))}")
        return self._games[name]

    def _members(self, names: Sequence[str] | None, roles: Mapping[str, str]) -> list[Member]:
        offers = {offer.name: offer for offer in self._me.offers}
        seated = list(offers) if names is None else list(names)
        for name in (*seated, *roles):
            if name not in offers:
                raise BadParameter(f"nobody called {name!r} has said hello")
        if len(set(seated)) != len(seated) or not set(roles) <= set(seated):
            raise BadParameter("everybody sits at one seat, and who has a role sits at one")
        return [offers[name].seated(seat, roles.get(name, PLAYER)) for seat, name in enumerate(seated)]

    def decline(self, reason: str) -> list[bytes]:
        """I do not play what is proposed. Only until everybody has agreed."""
        with self._in_words():
            return self._me.decline(reason)

    def _looks_at(self, proposal: Proposal) -> None:
        decline_rehearsals(proposal)
        if proposal.game.name not in self._games:
            raise Declined(f"the proposed game is {proposal.game.name}, and {self.name} plays {', '.join(self._games)}")
        self._accept(proposed(proposal))

    # --- Any game ---

    @property
    def ready(self) -> bool:
        """Whether this player can make a move now."""
        return self._me.options().move is not None

    def view(self) -> View:
        """What this player sees: the game, and its own cards. Raises `CardUnreadable` where one does not open."""
        return self._me.view()

    def question(self) -> Question | None:
        """What the table waits for from this player, with the view: a move, or a choice about cards it looked at."""
        return self._me.question()

    def answer(self, question: Question, decision: Decision) -> list[bytes]:
        """Say what was decided: a move, positions for a choice, or bytes to seal. Raises `IllegalMove`."""
        with self._in_words():
            return self._me.answer(question, decision)

    def move(self, move: object) -> list[bytes]:
        """Make a move in the game: a message of its rules, or plain data. Raises `IllegalMove`."""
        try:
            encode(move)
        except (TypeError, ValueError) as error:
            raise BadParameter(f"this is no move: {error}") from None
        with self._in_words():
            self._refuse_unready()
            return self._me.move(move)

    def _refuse_unready(self) -> None:
        if not self.ready:
            raise IllegalMove(cannot_ask(self._me))

    def word(self, text: str) -> list[bytes]:
        """Something that the log keeps with my signature, and that changes nothing: a bet, a remark."""
        if not _is_word(text):
            raise BadParameter(f"a word is a text of 1 to {WORD_BYTES_MAX} bytes")
        with self._in_words():
            if not self._me.begun or self.ended:
                raise IllegalMove(cannot_ask(self._me))
            return self._me.word(text)

    def leave(self) -> list[bytes]:
        """I am out of this hand, and my cards with me; I come back for the next one, unless I `end`."""
        with self._in_words():
            if not self._me.begun or self.ended:
                raise IllegalMove(cannot_ask(self._me))
            return self._me.leave()

    def sit_out(self) -> list[bytes]:
        """I play this hand to its end and not the next ones, until I `come_back`. I keep my number and my chips."""
        return self._me.sit_out()

    def come_back(self) -> list[bytes]:
        """I play again, from the next hand on."""
        return self._me.come_back()

    def ask_to_sit(self) -> list[bytes]:
        """I would like a seat at this table, which plays already: a new one, or the one that I had. Who asks plays from
        the next hand on, also if it sat out before."""
        with self._in_words():
            return self._me.ask_to_sit()

    def let_in(self, name: str) -> list[bytes]:
        """I propose that this one sits who asks to. In force between hands, when more than half of us agree."""
        with self._in_words():
            return self._me.let_in(name)

    def remove(self, name: str) -> list[bytes]:
        """I propose that this one has no seat any more who is gone, or has ended. In force as `let_in`."""
        with self._in_words():
            return self._me.remove(name)

    def agree(self, by: str | None = None) -> list[bytes]:
        """I agree to who is proposed to sit, by this player. Raises `IllegalMove` where I have nothing to agree to, or
        several propose and I do not say who."""
        with self._in_words():
            mine, state = self._me.seat.number, self._me.replica.state
            there = {id: state.known[one.by].name for id, one in state.proposed.items() if mine not in one.agreed}
            meant = [id for id, name in there.items() if by in (None, name)]
            if len(meant) > 1:
                raise IllegalMove(f"{', '.join(there.values())} propose who sits: say with whom you agree")
            for proposal in meant:
                return self._me.agree(proposal)
            raise IllegalMove("nobody proposes who sits")

    def look(self, now: float) -> list[bytes]:
        """Where somebody keeps the time: go on without who is late, once my own clock has seen the time pass too.

        To be called several times a second, with the seconds of a clock that only has to go on.
        """
        return self._patience.on_tick(self._me, now)

    def end(self) -> list[bytes]:
        """This hand is my last: I sign the end of the log as soon as it is over."""
        self._stays = False
        return self._me.due()

    def without(self, name: str, *others: str) -> list[bytes]:
        """Let us not wait for these players. When more than half say so, the rules move for them or they are out."""
        with self._in_words():
            seats, options = {self._seat_of(one) for one in (name, *others)}, self._me.options()
            if not seats & set(options.waiting_for):
                raise IllegalMove(f"the table does not wait for {listed((name, *others))}")
            if not options.may_vote:
                raise IllegalMove(f"{self.name} has no word on that now")
            return self._me.without(seats)

    def break_off(self) -> list[bytes]:
        """Let us break this hand off: it counts for nothing, and is the last. Half of the players can."""
        with self._in_words():
            if not self._me.options().may_break:
                raise IllegalMove(f"{self.name} has no word on that now: a hand is broken off when another holds it up")
            return self._me.break_off()

    def claim(self) -> list[bytes]:
        """A card of mine does not open: let everybody show what they did. Raises `IllegalMove` when all cards open."""
        with self._in_words():
            return self._me.claim()

    # --- A free table ---

    def shuffle(self, cards: int | Sequence[str], deck: int = 0) -> list[bytes]:
        """A new deck, shuffled by all: so many cards, or cards with these names."""
        return self._ask(deck, lambda table: table.shuffle(cards))

    def deal(self, portions: Mapping[str, int], deck: int = 0) -> list[bytes]:
        """The next cards to players by name, served in this order."""
        return self._ask(deck, lambda table: table.deal(portions))

    def open_cards(self, count: int = 1, deck: int = 0) -> list[bytes]:
        """The next cards for all to see."""
        return self._ask(deck, lambda table: table.open_cards(count))

    def roll(self, *sides: int, deck: int = DICE) -> list[bytes]:
        """Numbers that nobody chooses, from 0 on: `roll(6, 6)` gives two, each below six."""
        return self._ask(deck, lambda table: table.roll(sides))

    def ask_to_seal(self, *names: str, deck: int = ENVELOPES) -> list[bytes]:
        """These players seal something, or all of us. Each is asked by `question`, and answers with bytes."""
        return self._ask(deck, lambda table: table.seal(names))

    def unseal(self, deck: int = ENVELOPES) -> list[bytes]:
        """What was sealed is opened for all."""
        return self._ask(deck, lambda table: table.unseal())

    def show(self, *faces: Face, deck: int = 0, to: str | None = None) -> list[bytes]:
        """These of my cards, or all of them, for all to see, or for one other player alone."""
        return self._ask(deck, lambda table: table.show(faces) if to is None else table.show_to(to, faces))

    def prove(self, none_of: Sequence[Face], *cards: Face, deck: int = 0) -> list[bytes]:
        """I prove that none of these of my hidden cards, or of all of them, is one of `none_of`. Nothing else of them
        is seen. Raises `IllegalMove` where it is not so."""
        return self._ask(deck, lambda table: table.prove(none_of, cards))

    def give(self, name: str, *faces: Face, deck: int = 0) -> list[bytes]:
        """These of my hidden cards, or all of them, to another player; we two alone know which they are."""
        return self._ask(deck, lambda table: table.give(name, faces))

    def mix(self, *faces: Face, deck: int = 0) -> list[bytes]:
        """These of my hidden cards, or all of them, shuffled by me: nobody else knows any more which lies where."""
        return self._ask(deck, lambda table: table.mix(faces))

    def peek(self, count: int = 1, *, then: Then = "look", deck: int = 0) -> list[bytes]:
        """I look at the next cards of the deck: to know them, to "reorder" them, to "keep" one and order the others, or
        to "take" one, and the rest is shuffled. What I choose is asked by `question`, and answered with positions."""
        return self._ask(deck, lambda table: table.peek(count, then))

    def give_back(self, *faces: Face, deck: int = 0, to: To = "shuffled", depth: int = 0) -> list[bytes]:
        """These of my cards, or of those that lie open on the table, back to the deck; or all of mine. "discard" lays
        them aside for good; with `depth` they go under so many cards of the top."""
        return self._ask(deck, lambda table: table.give_back(faces, to, depth))

    def reshuffle(self, deck: int = 0) -> list[bytes]:
        """What is left of the deck, shuffled once more."""
        return self._ask(deck, lambda table: table.reshuffle())

    def put_away(self, deck: int = 0) -> list[bytes]:
        """The deck is not needed any more."""
        return self._ask(deck, lambda table: table.put_away())

    def finish(self) -> list[bytes]:
        """The hand is over."""
        return self._ask(0, lambda table: free.Finish())

    def hand(self, deck: int = 0) -> list[Face]:
        """The cards I hold, read with my own secrets. Raises `CardUnreadable`: a reason for `claim`."""
        return list(FreeTable(self._me, deck).mine().values())

    def seen(self, deck: int = 0) -> list[Face]:
        """The cards that I have looked at or was shown and do not hold, as far as I still know where they are."""
        return list(FreeTable(self._me, deck).seen().values())

    def _ask(self, deck: int, request: Ask) -> list[bytes]:
        with self._in_words():
            self._refuse_unready()
            return self._me.move(request(FreeTable(self._me, deck)))


def _is_word(text: object) -> bool:
    try:
        return isinstance(text, str) and 0 < len(text.encode()) <= WORD_BYTES_MAX
    except UnicodeEncodeError:
        return False
