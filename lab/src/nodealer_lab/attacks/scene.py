"""A short game in one process in which somebody carries an attack out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from nodealer.cheats.cheater import Cheater
from nodealer.client.agents import BotAgent
from nodealer.client.local_table import KEY_BYTES, LocalTable
from nodealer.engine.bodies import Cards
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.resolve import proposal_of
from nodealer.engine.state import Config, TableState
from nodealer.engine.store import MemoryPlayerStore, PlayerStore
from nodealer.errors import BadParameter, CardUnreadable
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game
from nodealer.group import group
from nodealer.keys import Identity
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
#: Decks that the dealer makes are of large numbers: few of them are enough here.
_SMALLER: Final = {
    b'{"deck":"dealer"}': b'{"deck":"dealer","kappa":1}',
    b'{"deck":"dealer","proven":false}': b'{"deck":"dealer","kappa":1,"proven":false}',
}
#: A seat that serves and does not play is given by the table, and no attack is about it.
_SERVED: Final = b'{"community":"server"}'


def modes_of(protocol: str) -> tuple[bytes, ...]:
    """The modes of a protocol that attacks are carried out in."""
    return tuple(mode for mode in MODES[protocol] if mode != _SERVED)


def small_protocol(name: str, mode: bytes = b"{}") -> CardProtocol:
    """A protocol, on a group that is quick where the protocol lets one choose."""
    if mode in _SMALLER:
        return make_protocol(name, _SMALLER[mode])
    return make_protocol(name, mode, group() if name == "chain" else None)


def small_game(protocol: str) -> GamePackage:
    """The smallest that a protocol serves."""
    return find_game("wardens") if protocol == "duel" else replace(HIGHCARD, seats=3)


def with_chips(scene: Scene) -> Scene:
    """The same with the smallest game that has chips: for a duel that is another one."""
    return replace(scene, game=replace(OWN, seats=2)) if scene.protocol.claims.name == "duel" else scene


@dataclass(frozen=True)
class Scene:
    """Where an attack is carried out."""

    protocol: CardProtocol
    game: GamePackage
    entropy: Entropy
    #: How many hands are played: one more of the small game, in which a cheater that is not caught goes on.
    hands: int
    #: The seat that cheats, where it is a seat.
    cheater: int
    #: The seat that leaves when it is to move.
    leaver: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Who sits there."""
        return NAMES[: self.game.seats]


def scene_of(attack: Attack, protocol: CardProtocol, seed: int = 4, cheater: int | None = None) -> Scene:
    """The smallest that will do, the same for the same seed. The last to shuffle knows where its cards come to lie."""
    way, name = attack.on(protocol).way, protocol.claims.name
    game = way.game or small_game(name)
    seat = way.seat if cheater is None else cheater
    hands = 1 if name == "duel" else 2
    cheats = game.seats - 1 if seat is None else seat
    return Scene(
        protocol, game, seeded_entropy(seed, attack.name), hands, cheats, None if way.leaver == cheats else way.leaver
    )


def seeded_entropy(seed: int, label: str) -> Entropy:
    """Bytes that are the same for the same seed. For games that nobody plays for anything."""
    drawn = 0

    def entropy(size: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return expand("lab attack", seed, label, drawn, size=size)

    return entropy


@dataclass(frozen=True)
class CardMessage:
    """A message about cards as everybody has it: the deck before it, what it answers, and what it owes."""

    deck: Any
    duty: Duty
    message: bytes
    checks: tuple[Check, ...]


def card_messages_in(config: Config, log: Iterable[bytes]) -> Iterator[CardMessage]:
    """Every message about cards that was taken in a log."""
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
    """What was played, with everybody's secrets."""

    config: Config
    log: Sequence[bytes]
    cheater: int
    #: The cheater's entries that an honest player would not have signed.
    lies: tuple[bytes, ...]
    names: tuple[str, ...]
    #: Seat to the root of its secrets.
    roots: Mapping[int, bytes]

    def tape(self, seat: int, hand: int) -> Tape:
        """A seat's secrets of a hand."""
        return hand_tape(self.roots[seat], session=self.config.session.id, seat=seat, hand=hand)

    def states(self) -> Iterator[TableState]:
        """The table after each entry."""
        replica = Replica(self.config, entropy=bytes)
        for data in self.log:
            replica.append(data)
            yield replica.state

    def card_messages(self) -> Iterator[CardMessage]:
        """Every message about cards that was taken."""
        return card_messages_in(self.config, self.log)

    @property
    def honest_seats(self) -> tuple[int, ...]:
        """Who does not cheat."""
        return tuple(seat for seat in range(len(self.names)) if seat != self.cheater)


#: Makes a participant for a seat.
MakeParticipant = Callable[..., Participant]


def default_rules(scene: Scene) -> Rules:
    """The game's rules as they are by default."""
    return scene.game.from_settings({setting.name: setting.default for setting in scene.game.settings})


def new_player(scene: Scene, name: str) -> MemoryPlayerStore:
    """A fresh player."""
    return MemoryPlayerStore(name, Identity(scene.entropy(KEY_BYTES)), scene.entropy(ROOT_BYTES))


def participant_arguments(scene: Scene, rules: Rules) -> dict[str, Any]:
    """As what everybody sits down."""
    return {
        "entropy": scene.entropy,
        "accept": lambda proposal: None,
        "stays": stay_for_hands(scene.hands),
        "parts": lambda proposal: (scene.protocol, rules, scene.game),
    }


def seat_players(
    scene: Scene,
    makes: Mapping[int, MakeParticipant],
    *,
    rules: Rules | None = None,
    clock: Limits | None = None,
    homes: Mapping[int, MemoryPlayerStore] | None = None,
) -> tuple[LocalTable, list[MemoryPlayerStore]]:
    """A table that has agreed on the game; `makes` are the seats that are not honest, and `homes` those who come with
    what they had at another table. With `clock` there is one more, who keeps the time."""
    rules = rules or default_rules(scene)
    names, known = NAMES[: scene.game.seats + (clock is not None)], homes or {}
    at = [known.get(seat) or new_player(scene, name) for seat, name in enumerate(names)]
    keeper = None if clock is None else len(names) - 1
    table = LocalTable(
        makes.get(seat, Participant)(home, keeps_time=seat == keeper, **participant_arguments(scene, rules))
        for seat, home in enumerate(at)
    )
    table.run()
    offers = {offer.name: offer for offer in table.participants[0].offers}
    members = [offers[name].seated(seat, PLAYER) for seat, name in enumerate(names)]
    table.agree(proposal_of(rules, scene.protocol, members, clock=clock))
    return table, at


def play_out(scene: Scene, table: LocalTable, homes: Sequence[PlayerStore]) -> PlayedGame:
    """Play until nobody has anything to say. What is kept is what an honest seat has."""
    minds = {one: BotAgent(scene.game, one.home.root) for one in table.participants}
    leaver = None if scene.leaver is None else table.participants[scene.leaver]
    table.run(lambda one: decide(one, None if one is leaver else minds[one]))
    caught = table.participants[scene.cheater]
    honest = next(one for one in table.participants if one is not caught)
    lies = tuple(caught.lies) if isinstance(caught, Cheater) else ()
    roots = {seat: home.root for seat, home in enumerate(homes)}
    replica = honest.replica
    return PlayedGame(replica.config, tuple(replica.entries), scene.cheater, lies, scene.names, roots)


def decide(one: Participant, mind: BotAgent | None) -> list[bytes]:
    """As a bot does: a card that does not open is claimed, and otherwise what the table waits for is decided. Who has
    no mind leaves."""
    if one.options().unreadable is not None:
        return one.claim()
    if mind is None:
        return one.leave() if one.seat.must_move else []
    # Who was given false cards, and has disputed one already, has nothing to think about.
    with suppress(CardUnreadable):
        return mind.act(one)
    return []


def play_with_cheater(attack: Attack, scene: Scene) -> PlayedGame:
    """A seat carries it out."""
    return play_out(scene, *seat_players(scene, {scene.cheater: partial(Cheater, attack=attack)}))


def read_honest_game(read: Callable[[PlayedGame], str | None]) -> Callable[[Scene], AttackOutcome]:
    """An honest game, which somebody reads afterwards: `read` says what it has of it."""

    def plays(scene: Scene) -> AttackOutcome:
        played = play_out(scene, *seat_players(scene, {}))
        return judge(played, read(played))

    return plays


def carry_out_once(attack: Attack, scene: Scene, *, honest: bool = False) -> AttackOutcome:
    """Carry an attack out, once, with the program as it is in this process. With `honest` there are no lies in it."""
    way = attack.on(scene.protocol).way
    if way.play is not None:
        return way.play(scene)
    played = play_with_cheater(attack, scene)
    if bool(played.lies) is honest:
        raise BadParameter(f"{attack.name} {'lies' if honest else 'never came to it'} on {scene.protocol.claims.name}")
    return judge(played, None if way.find_gain is None else way.find_gain(played))


def judge(played: PlayedGame, gain: str | None) -> AttackOutcome:
    """What the log shows, and what was gained."""
    return judge_log(played.config, played.log, played.lies, gain)
