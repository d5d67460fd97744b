"""Short games in one process in which an attack is carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from nodealer.cheats.cheater import Cheater
from nodealer.client.agents import BotAgent
from nodealer.client.local_table import LocalTable
from nodealer.engine.bodies import Cards
from nodealer.engine.commands import DisputeCard, LeaveHand
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.resolve import create_proposal
from nodealer.engine.state import Config, TableState
from nodealer.engine.store import MemoryPlayerStore, PlayerStore
from nodealer.errors import BadParameter, CardUnreadable
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game
from nodealer.group import group
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.roster import PLAYER
from nodealer.log.session import Limits
from nodealer.proofs.checks import Check, Entropy
from nodealer.protocols import MODES, make_protocol
from nodealer.protocols.base import CardProtocol, Duty
from nodealer.tape import ROOT_BYTES, Tape, expand, hand_tape
from nodealer_lab.attacks.base import Attack
from nodealer_lab.attacks.outcome import AttackOutcome, judge_log
from nodealer_lab.sim.highcard import GAME as HIGHCARD
from nodealer_lab.sim.highcard import OWN

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve")
#: The dealer's decks consist of large numbers, so a few of them are enough here.
_SMALLER: Final = {
    b'{"deck":"dealer"}': b'{"deck":"dealer","kappa":1}',
    b'{"deck":"dealer","proven":false}': b'{"deck":"dealer","kappa":1,"proven":false}',
}
#: No attack is about a seat that serves cards without playing.
_SERVED: Final = b'{"community":"server"}'


def modes_of(protocol: str) -> tuple[bytes, ...]:
    """Return the modes of a protocol in which attacks are carried out."""
    return tuple(mode for mode in MODES[protocol] if mode != _SERVED)


def small_protocol(name: str, mode: bytes = b"{}") -> CardProtocol:
    """Return a protocol in one of its modes, on a fast group if the protocol leaves the choice."""
    if mode in _SMALLER:
        return make_protocol(name, _SMALLER[mode])
    return make_protocol(name, mode, group() if name == "chain" else None)


def small_game(protocol: str) -> GamePackage:
    """Return the smallest game that a protocol supports."""
    return find_game("wardens") if protocol == "duel" else replace(HIGHCARD, seats=3)


def with_chips(scene: Scene) -> Scene:
    """Return the scene with the smallest game that has chips. Only for a duel is that another game."""
    return replace(scene, game=replace(OWN, seats=2)) if scene.protocol.claims.name == "duel" else scene


@dataclass(frozen=True)
class Scene:
    """The table at which an attack is carried out."""

    protocol: CardProtocol
    game: GamePackage
    entropy: Entropy
    #: The number of hands: the small game has one more, in which a cheater who is not caught goes on.
    hands: int
    #: The seat that cheats, if the attacker is a seat.
    cheater: int
    #: The seat that leaves on its turn.
    leaver: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players, by seat."""
        return NAMES[: self.game.seats]


def scene_of(attack: Attack, protocol: CardProtocol, seed: int = 4, cheater: int | None = None) -> Scene:
    """Return the smallest table that an attack needs; the same seed gives the same game.

    Unless the attack names a seat, the last one cheats: the last to shuffle knows where its cards end up.
    """
    way, name = attack.on(protocol).way, protocol.claims.name
    game = way.game or small_game(name)
    seat = way.seat if cheater is None else cheater
    hands = 1 if name == "duel" else 2
    cheating_seat = game.seats - 1 if seat is None else seat
    return Scene(
        protocol,
        game,
        seeded_entropy(seed, attack.name),
        hands,
        cheating_seat,
        None if way.leaver == cheating_seat else way.leaver,
    )


def seeded_entropy(seed: int, label: str) -> Entropy:
    """Return a source of bytes that depends only on the seed and the label. For games without stakes only."""
    drawn = 0

    def entropy(size: int) -> bytes:
        """Return the next `size` bytes, from the seed, the label and the number of the call."""
        nonlocal drawn
        drawn += 1
        return expand("lab attack", seed, label, drawn, size=size)

    return entropy


@dataclass(frozen=True)
class CardMessage:
    """A message about cards: the deck before it, the duty it answers, the message, and the checks it requires."""

    deck: Any
    duty: Duty
    message: bytes
    checks: tuple[Check, ...]


def card_messages_in(config: Config, log: Iterable[bytes]) -> Iterator[CardMessage]:
    """Yield every message about cards that a log accepted."""
    replica = Replica(config, entropy=bytes)
    for data in log:
        applied = replica.append(data)
        body = applied.body
        known = applied.before.duties.open.get(body.duty) if isinstance(body, Cards) else None
        if applied.outcome is Outcome.FAULT:
            continue
        if isinstance(body, Cards) and known is not None and known.duty.deck is not None:
            deck = applied.before.hand.decks[known.duty.deck]
            yield CardMessage(deck, known.duty, bytes(body.message), applied.checks)


@dataclass(frozen=True)
class PlayedGame:
    """A finished game, with all players' secrets."""

    config: Config
    log: Sequence[bytes]
    cheater: int
    #: The cheater's entries that an honest player would not have signed.
    lies: tuple[bytes, ...]
    names: tuple[str, ...]
    #: The root of each seat's secrets.
    roots: Mapping[int, bytes]

    def tape(self, seat: int, hand: int) -> Tape:
        """Return the tape of a seat in a hand."""
        return hand_tape(self.roots[seat], session=self.config.session.id, seat=seat, hand=hand)

    def states(self) -> Iterator[TableState]:
        """Yield the state of the table after each entry."""
        replica = Replica(self.config, entropy=bytes)
        for data in self.log:
            replica.append(data)
            yield replica.state

    def card_messages(self) -> Iterator[CardMessage]:
        """Yield every message about cards that was accepted."""
        return card_messages_in(self.config, self.log)

    @property
    def honest_seats(self) -> tuple[int, ...]:
        """All seats but the cheater's."""
        return tuple(seat for seat in range(len(self.names)) if seat != self.cheater)


#: Creates the participant of a seat.
MakeParticipant = Callable[..., Participant]


def default_rules(scene: Scene) -> Rules:
    """Return the rules of the game with its default settings."""
    return scene.game.from_settings({setting.name: setting.default for setting in scene.game.settings})


def new_player(scene: Scene, name: str) -> MemoryPlayerStore:
    """Return the store of a new player."""
    return MemoryPlayerStore(name, Identity(scene.entropy(KEY_BYTES)), scene.entropy(ROOT_BYTES))


def participant_arguments(scene: Scene, rules: Rules) -> dict[str, Any]:
    """Return the keyword arguments that every participant is created with."""
    return {
        "entropy": scene.entropy,
        "accept": lambda proposal: None,
        "stay_policy": stay_for_hands(scene.hands),
        "parts": lambda proposal: (scene.protocol, rules, scene.game),
    }


def seat_players(
    scene: Scene,
    makers: Mapping[int, MakeParticipant],
    *,
    rules: Rules | None = None,
    clock: Limits | None = None,
    stores: Mapping[int, MemoryPlayerStore] | None = None,
) -> tuple[LocalTable, list[MemoryPlayerStore]]:
    """Return a table that has agreed on the game, and the players' stores.

    `makers` creates the participants that are not honest. `stores` are of players who come from another table. With
    `clock` there is one more seat, the timekeeper.
    """
    rules = rules or default_rules(scene)
    names, known = NAMES[: scene.game.seats + (clock is not None)], stores or {}
    seated = [known.get(seat) or new_player(scene, name) for seat, name in enumerate(names)]
    keeper = None if clock is None else len(names) - 1
    table = LocalTable(
        makers.get(seat, Participant)(store, keeps_time=seat == keeper, **participant_arguments(scene, rules))
        for seat, store in enumerate(seated)
    )
    table.run()
    offers = {offer.name: offer for offer in table.participants[0].offers}
    members = [offers[name].as_member(seat, PLAYER) for seat, name in enumerate(names)]
    table.agree(create_proposal(rules, scene.protocol, members, clock=clock))
    return table, seated


def play_out(scene: Scene, table: LocalTable, stores: Sequence[PlayerStore]) -> PlayedGame:
    """Play with bots until no one has anything to send. Return the game with the log of an honest seat."""
    agents = {one: BotAgent(scene.game, one.store.root) for one in table.participants}
    leaver = None if scene.leaver is None else table.participants[scene.leaver]
    table.run(lambda one: decide(one, None if one is leaver else agents[one]))
    cheater = table.participants[scene.cheater]
    honest = next(one for one in table.participants if one is not cheater)
    lies = tuple(cheater.lies) if isinstance(cheater, Cheater) else ()
    roots = {seat: store.root for seat, store in enumerate(stores)}
    replica = honest.replica
    return PlayedGame(replica.config, tuple(replica.entries), scene.cheater, lies, scene.names, roots)


def decide(participant: Participant, agent: BotAgent | None) -> list[bytes]:
    """Return what a bot sends now: a claim if a card does not open, otherwise its move.

    A participant without an agent leaves on its turn.
    """
    if participant.options().unreadable is not None:
        return participant.command(DisputeCard())
    if agent is None:
        return participant.command(LeaveHand()) if participant.seat.must_move else []
    # A player with false cards who has already disputed one has nothing to decide.
    with suppress(CardUnreadable):
        return agent.act(participant)
    return []


def play_with_cheater(attack: Attack, scene: Scene) -> PlayedGame:
    """Play a game in which the scene's cheater carries out the attack."""
    return play_out(scene, *seat_players(scene, {scene.cheater: partial(Cheater, attack=attack)}))


def read_honest_game(read: Callable[[PlayedGame], str | None]) -> Callable[[Scene], AttackOutcome]:
    """Return an attack that reads an honest game afterwards: `read` returns what the reader gains from it."""

    def play(scene: Scene) -> AttackOutcome:
        """Play an honest game to its end, and judge what `read` finds in it."""
        played = play_out(scene, *seat_players(scene, {}))
        return judge(played, read(played))

    return play


def carry_out_once(attack: Attack, scene: Scene, *, honest: bool = False) -> AttackOutcome:
    """Carry out an attack once, with the program as it is in this process. With `honest` the cheater must not lie.

    Raise `BadParameter` if the attack never found its moment, or lied although it should not.
    """
    way = attack.on(scene.protocol).way
    if way.play is not None:
        return way.play(scene)
    played = play_with_cheater(attack, scene)
    if bool(played.lies) is honest:
        raise BadParameter(
            f"{attack.name} {'lies' if honest else 'never found its moment'} on {scene.protocol.claims.name}"
        )
    return judge(played, None if way.find_gain is None else way.find_gain(played))


def judge(played: PlayedGame, gain: str | None) -> AttackOutcome:
    """Return the outcome of a game: what its log shows, and this gain."""
    return judge_log(played.config, played.log, played.lies, gain)
