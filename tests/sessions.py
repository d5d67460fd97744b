"""A session that its players agreed on, without a lobby: for tests that make one up."""

from __future__ import annotations

from nodealer.log.session import NONCE_BYTES, Proposal, Session, nonce_commitment, open_session
from nodealer.proofs.checks import Entropy


def agree_session(proposal: Proposal, entropy: Entropy) -> Session:
    """Commit, then open, for all seats at once."""
    nonces = {seat: entropy(NONCE_BYTES) for seat in proposal.roster.seats}
    commitments = {seat: nonce_commitment(proposal, seat, nonce) for seat, nonce in nonces.items()}
    return open_session(proposal, commitments, nonces)
