"""Attacks in the lobby, before a game has begun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from msgspec import Raw
from msgspec.structs import replace as replace_struct

from nodealer.cheats.cheater import Cheater
from nodealer.engine.bodies import Agree, Newcomer, Propose
from nodealer.engine.commands import ProposeSession
from nodealer.engine.lobby import Expected
from nodealer.engine.lobby_messages import Opening, sign_frame
from nodealer.engine.lobby_state import LobbyState
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import Parts
from nodealer.engine.rosters import proposal_id
from nodealer.engine.seat_requests import roster_with
from nodealer.keys import KEY_BYTES, Identity, host_mark
from nodealer.log.roster import member_of, sign_newcomer
from nodealer.log.session import FORMAT, FORMAT_VERSION, NONCE_BYTES, Part, Proposal, Session
from nodealer.protocols import make_protocol
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.parameters import canonical
from nodealer.relay.invitations import SECRET_BYTES, Invitation, parse_link
from nodealer.relay.sealing import TableSecret
from nodealer.tape import digest, expand
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.dealer_decks import TWO_SEATS_GAME, dealer_forgeries
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.lobbies import gather, new_guest, parts_of, proposal_for
from nodealer_lab.attacks.network.pairing import RELAY
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import NAMES, PlayedGame, Scene, judge, new_player, small_protocol
from nodealer_lab.attacks.shuffles.dealer import deck_of_aces, find_deck_of_aces
from nodealer_lab.attacks.stage import AttackTable, is_playing

# --- downgrade ---


def _play_downgrade(scene: Scene) -> AttackOutcome:
    """Have the host propose to play without proofs, to guests who came to play with proofs.

    The attack: a host proposes the agreed game in a mode that promises less.
    """

    def parts(proposal: Proposal) -> Parts:
        """Return what a proposal wants to play, on a fast group."""
        return parts_of(scene, small_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters)))

    names = scene.names
    host, *others = [new_player(scene, name) for name in names]
    first = new_guest(scene, host, parts=parts)
    wanted = _expectation_of(parts_of(scene, small_protocol(scene.protocol.claims.name)), names)
    people = [first, *(new_guest(scene, home, accept=wanted.accept, parts=parts) for home in others)]
    table = gather(*people)
    table.send(first.command(ProposeSession(proposal_for(scene, first, parts_of(scene)))))
    table.run()
    agreed = any(one.has_session for one in people[1:])
    return AttackOutcome("never", gain="makes Ben play without proofs" if agreed else None)


def _expectation_of(parts: Parts, names: tuple[str, ...]) -> Expected:
    """Return what guests check a proposal against if they came to play this game with these players."""
    protocol, rules, _ = parts
    game = Part(rules.name, rules.version, Raw(rules.parameters))
    cards = Part(protocol.claims.name, protocol.claims.version, Raw(protocol.parameters))
    return Expected(game, cards, rules.versions, names)


DOWNGRADE: Final = Attack(
    name="downgrade",
    does="proposes what was agreed on, in a mode that promises less",
    numbers=("A49",),
    who="the host",
    law=with_own_claim(
        AttackMethod(
            "a proposal of the agreed game in a mode that promises less",
            play=_play_downgrade,
            defence=(
                RemovedDefence(
                    "nodealer.engine.lobby:Expected.accept",
                    '("protocol", _describe(proposal.protocol), _describe(self.protocol)),',
                ),
            ),
        )
    ),
    tried_on=("chain", "duel"),
    law_modes={"chain": b'{"proven":false}', "duel": b'{"mode":"committed"}'},
)


# --- forged link ---


def _link_to_follow(first: Invitation, second: Invitation) -> Invitation | None:
    """Return the link to follow after a second one arrives: the first, or None if one of them is false."""
    return None if second.contradicts(first) else first


def _play_forged_link(scene: Scene) -> AttackOutcome:
    """Deliver the false link first, then second. Only players with its key receive anything at the false table.

    The attack: a relay, which knows the number of a table, makes a link with that number and with its own key and host.
    It sends it to an invited player, before the true link arrives or after it.
    """
    host, invited, false_host = [new_player(scene, name) for name in NAMES[:3]]
    secret = TableSecret(scene.entropy(SECRET_BYTES), "0" * 32, 0)
    true = Invitation((RELAY,), secret, host_mark(host.identity.public))
    forged = replace(
        true, key=replace(secret, secret=scene.entropy(SECRET_BYTES)), host=host_mark(false_host.identity.public)
    )
    true, forged = parse_link(true.link), parse_link(forged.link)
    for links in ((true, forged), (forged, true)):
        by = _link_to_follow(*links)
        if by is None or by.key != forged.key:
            continue
        person, stranger = new_guest(scene, invited, host=by.host), new_guest(scene, false_host)
        table = gather(person, stranger)
        table.send(stranger.command(ProposeSession(proposal_for(scene, stranger, parts_of(scene)))))
        table.run()
        if person.has_session:
            return AttackOutcome("never", gain="keeps Ben at a table of its own although he has the true link")
    return AttackOutcome("never")


FORGED_LINK: Final = Attack(
    name="forged-link",
    does="sends an invited player a link of its own, with the number of the table",
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "a link with another key and host, and the number of a table",
            play=_play_forged_link,
            defence=(
                RemovedDefence(
                    "nodealer.relay.invitations:Invitation.contradicts",
                    "self.table != came_by.table or self.host != came_by.host or other_key",
                    "self.table != came_by.table",
                ),
            ),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)


# --- ground ---

#: The wanted first byte of the session's number. About 256 nonces are tried for it.
WANTED: Final = 0


def _play_ground(scene: Scene) -> AttackOutcome:
    """Hold back the opening of the cheater's honest nonce until the others have opened theirs.

    The attack: the last seat to open its nonce chooses it, so that the words that all players compare come out as it
    wants.

    This is a small version: one side chooses one byte of the session's number. All other bits of the words could be
    chosen the same way, each for twice the work. A relay that chooses at both tables that should have the same words
    pays for only half of them.
    """
    people = [new_guest(scene, new_player(scene, name)) for name in NAMES[:3]]
    cheater = people[-1]
    _deliver_all(people, [frame for one in people for frame in one.resend()])
    floor = cheater.lobby._state
    _deliver_all(
        people, people[0].command(ProposeSession(proposal_for(scene, people[0], parts_of(scene)))), withholder=cheater
    )
    _deliver_all(people, [next(_chosen_openings(cheater, floor))])
    ground = [one.session.id[0] == WANTED for one in people[:-1] if one.has_session]
    return AttackOutcome("never", gain="chooses the words that the players compare" if any(ground) else None)


def _deliver_all(people: list[Participant], frames: list[bytes], withholder: Participant | None = None) -> None:
    """Deliver frames to all participants until there are no more. `withholder` does not open its nonce."""
    pending = list(frames)
    while pending:
        frame = pending.pop(0)
        for one in people:
            step = one.receive(frame)
            open_now = one is withholder and one.lobby._state.all_committed
            pending += () if open_now else step.send


def _chosen_openings(cheater: Participant, floor: LobbyState) -> Iterator[bytes]:
    """Yield openings of nonces that give the session's number the wanted first byte."""
    proposal, proposed = floor.proposal, floor.proposed
    seat = cheater.lobby.seat
    if proposal is None or proposed is None or seat is None:
        return
    commitments = tuple(floor.commitments[one] for one in proposal.roster.seats)
    tried = 0
    while True:
        nonce = expand("ground", tried, size=NONCE_BYTES)
        nonces = tuple({**floor.nonces, seat: nonce}[one] for one in proposal.roster.seats)
        if Session(FORMAT, FORMAT_VERSION, proposal, commitments, nonces).id[0] == WANTED:
            yield sign_frame(cheater.store.identity, cheater.lobby.table, Opening(proposed.digest, seat, nonce))
        tried += 1


GROUND: Final = Attack(
    name="ground",
    does="chooses its session nonce after seeing the others'",
    law=with_own_claim(
        AttackMethod(
            "a session nonce that is chosen after the others are known",
            play=_play_ground,
            defence=(
                RemovedDefence(
                    "nodealer.engine.lobby_state:LobbyState._open",
                    "nonce_commitment(self.proposal, frame.seat, frame.nonce) != self.commitments[frame.seat]",
                    "False",
                ),
                RemovedDefence(
                    "nodealer.log.session:open_session",
                    "nonce_commitment(proposal, seat, nonces[seat]) != commitments[seat]",
                    "False",
                ),
            ),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- newcomer ---

NEW: Final = 3


def _play_newcomer(scene: Scene) -> AttackOutcome:
    """Propose the newcomer, and have more than half agree, who believe that the newcomer wants the seat.

    The attack: a player proposes a roster with someone who has signed for a seat at another table, but not for this
    one.
    """
    stage = AttackTable(scene, hands=2)
    stage.run_until(is_playing)
    dov = Identity(scene.entropy(KEY_BYTES))
    member = member_of(dov, NEW, "Dov")
    state = stage.state()
    roster = roster_with(state, member)
    elsewhere = sign_newcomer(dov, digest("another session"), roster.digest, member)
    stage.sign_and_send(scene.cheater, Propose(roster, (Newcomer(NEW, elsewhere),)))
    stage.run_until(lambda state: bool(state.proposed))
    stage.sign_and_send(1, Agree(proposal_id(roster, scene.cheater, state.hand.number)))
    stage.run_to_end()
    seated = any(NEW in seating.roster.seats for seating in stage.state().chronicle.roster_periods)
    return stage.outcome("seats Dov, who never asked for a seat" if seated else None)


NEWCOMER: Final = Attack(
    name="newcomer",
    does="proposes a roster with a player who has signed for another table",
    numbers=("A43", "A44"),
    law=with_own_claim(
        AttackMethod(
            "a roster with a player who has not signed for it",
            play=_play_newcomer,
            defence=(
                RemovedDefence(
                    "nodealer.log.roster:newcomer_signed_bytes", "session, roster_digest", 'b"", roster_digest'
                ),
            ),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- no openings ---


def _chain_without_openings(scene: Scene) -> Chain:
    """Return the protocol `chain` with parameters by which no deck of the dealer is opened.

    An honest program need not be able to read these parameters.
    """
    chain = Chain(scene.protocol.parameters)
    chain.chosen = replace_struct(chain.chosen, kappa=0)
    chain.parameters = canonical(chain.chosen)
    return chain


def _play_no_openings(scene: Scene) -> AttackOutcome:
    """Play with a guest who accepts whatever their program supports, without looking at the proposal.

    The attack: a host who deals proposes to use the dealer's decks and to open none of them, and then plays a false
    one.
    """

    def parts(proposal: Proposal) -> Parts:
        """Return what a proposal wants to play, as far as an honest program supports it."""
        return parts_of(scene, make_protocol(proposal.protocol.name, bytes(proposal.protocol.parameters)))

    stores = [new_player(scene, name) for name in scene.names]
    its = parts_of(scene, _chain_without_openings(scene))
    host = Cheater(
        stores[0], attack=NO_OPENINGS, entropy=scene.entropy, accept=lambda proposal: None, parts=lambda proposal: its
    )
    other = new_guest(scene, stores[1], parts=parts)
    table = gather(host, other)
    table.send(host.command(ProposeSession(proposal_for(scene, host, its))))
    table.run()
    if not other.has_session:
        return AttackOutcome("never")
    replica = other.replica
    roots = {seat: store.root for seat, store in enumerate(stores)}
    played = PlayedGame(replica.config, tuple(replica.entries), 0, tuple(host.lies), scene.names, roots)
    return judge(played, find_deck_of_aces(played))


NO_OPENINGS: Final = Attack(
    name="no-openings",
    does="proposes to deal from a deck of its own, and to open none",
    numbers=("A3", "A20"),
    who="the host",
    law=with_own_claim(
        AttackMethod(
            "a proposal to use the dealer's decks and open none",
            dealer_forgeries(deck_of_aces),
            play=_play_no_openings,
            # A table must agree on at least one opening for each player. A program that accepted less would have
            # nothing to open, and would play the only deck there is.
            defence=(
                RemovedDefence(
                    "nodealer.protocols.chain.parameters:read_parameters",
                    'decode(ChainParameters, data, what="the parameters of chain")',
                    "ChainParameters(**msgspec.json.decode(data))",
                ),
                RemovedDefence(
                    "nodealer.protocols.chain.candidates:OpeningCoins.apply",
                    "deck.in_stage(OpeningDecks(self.layers, played, deck.trail), candidate=played)",
                    "deck.in_stage(ChainShuffling(deck.trail), candidate=played, layers=self.layers)",
                ),
            ),
            seat=0,
            game=TWO_SEATS_GAME,
        )
    ),
    tried_on=("chain",),
    law_modes={"chain": b'{"deck":"dealer","proven":false}'},
)


# --- other lobby ---


def _play_other_lobby(scene: Scene) -> AttackOutcome:
    """Deliver an offer from another lobby, and see whether it counts.

    The attack: a relay delivers an offer made in another lobby, so that the table waits for a player who never came.
    """
    host, other, absent = [new_player(scene, name) for name in NAMES[:3]]
    (offer,) = new_guest(scene, absent, table="another").resend()
    people = [new_guest(scene, home, table="this one") for home in (host, other)]
    table = gather(*people)
    table.send([offer])
    table.run()
    there = any(one.key == absent.identity.public for one in people[0].offers)
    return AttackOutcome("never", gain="puts Cleo into a lobby that she never entered" if there else None)


OTHER_LOBBY: Final = Attack(
    name="other-lobby",
    does="delivers to a lobby what was said in another",
    numbers=("A43",),
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "an offer that was made in another lobby",
            play=_play_other_lobby,
            defence=(RemovedDefence("nodealer.engine.lobby_messages:_bytes_to_sign", "table, words", '"", words'),),
        )
    ),
)


# --- stranger ---


def _play_stranger(scene: Scene) -> AttackOutcome:
    """Have a guest propose before the host has come. The guests know the host's mark from their links.

    The attack: someone with the link proposes a game in place of the host.
    """
    host, *others = [new_player(scene, name) for name in NAMES[:4]]
    mark = host_mark(host.identity.public)
    people = [new_guest(scene, home, host=mark) for home in others]
    table = gather(*people)
    stranger = people[-1]
    table.send(stranger.command(ProposeSession(proposal_for(scene, stranger, parts_of(scene)))))
    table.run()
    agreed = any(one.has_session for one in people[:-1])
    return AttackOutcome(
        "never", gain="makes the guests sit down at a table that is not the host's" if agreed else None
    )


STRANGER: Final = Attack(
    name="stranger",
    does="proposes a game in place of the host",
    who="someone with a link",
    law=with_own_claim(
        AttackMethod(
            "a proposal by someone who is not the host",
            play=_play_stranger,
            defence=(
                RemovedDefence(
                    "nodealer.engine.lobby_state:LobbyState.may_propose", "host_mark(key) == self._host", "True"
                ),
            ),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
