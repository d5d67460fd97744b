"""The lobby on a page: who is here, what is proposed, and what the person is asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

import segno

from nodealer.client.events import CheckedContact, ProposalReceived, TableLinks
from nodealer.client.questions import Asked
from nodealer.client.status import LobbyStatus
from nodealer.log.control_characters import escape_controls
from nodealer.web import messages as doc
from nodealer.wordlist import key_words

#: The possible answers to each question, the likely one first.
ANSWERS: Final = {
    Asked.SIT: ("y", "n"),
    Asked.KEEP_TIME: ("y", "n"),
    Asked.GUESTS: ("start", "code"),
    Asked.UNANSWERED: ("n", "y"),
    Asked.PROPOSAL: ("y", "n"),
    Asked.ANOTHER: ("y", "n"),
}


def lobby_message(
    lobby: LobbyStatus,
    contacts: Mapping[bytes, CheckedContact],
    links: TableLinks | None,
    proposal: doc.LobbyProposal | None,
    question: doc.LobbyQuestion | None,
) -> doc.Lobby:
    """Return the lobby as a message to the page: with the links to the table, if this person can pass them on."""
    proposed = () if lobby.proposal is None else lobby.proposal.roster.members
    asked, awaited = {member.key for member in proposed}, set(lobby.awaited)

    def person(name: str, key: bytes) -> doc.LobbyPerson:
        """Describe one person in the lobby: whether they have agreed, and whether their key is known."""
        state: Literal["here", "asked", "agreed"]
        state = "here" if key not in asked else "asked" if name in awaited else "agreed"
        contact, mine = contacts.get(key), key == lobby.key
        words = " ".join(key_words(key)) if contact is not None or mine else ""
        if contact is None:
            return doc.LobbyPerson(name, state, mine, key=words)
        return doc.LobbyPerson(name, state, mine, contact.status.value, contact.needs_warning, words)

    people = tuple(person(offer.name, offer.key) for offer in lobby.offers)
    count = len(proposed) or max(lobby.seats, len(people))
    if links is None:
        return doc.Lobby(people, count, proposal=proposal, question=question)
    return doc.Lobby(people, count, links.link, links.watch, qr_rows(links.link), proposal, question)


def describe_proposal_terms(proposed: ProposalReceived) -> doc.LobbyProposal:
    """Describe everything the person would agree to: a host could have set what a guest would not play."""
    proposal = proposed.proposal
    keeper, limits = proposal.roster.timekeeper, proposal.clock
    clock = (
        None
        if keeper is None or limits is None
        else doc.LobbyClock(escape_controls(keeper.name), limits.move, limits.bank)
    )
    names = tuple(escape_controls(member.name) for member in proposal.roster.members)
    game, protocol = escape_controls(proposed.game), escape_controls(proposed.protocol)
    return doc.LobbyProposal(game, protocol, proposal.hands or None, names, proposed.warning, clock)


@lru_cache(maxsize=2)
def qr_rows(link: str) -> tuple[str, ...]:
    """Return a QR code of a link: one string per row, "1" for dark."""
    code = segno.make_qr(link, error="l", boost_error=False)
    return tuple("".join("1" if dark else "0" for dark in row) for row in code.matrix)
