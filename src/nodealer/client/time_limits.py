"""Limits of time, as a person says them and reads them, and what choosing a timekeeper or none means."""

from __future__ import annotations

from typing import Final

from nodealer.games.text import Words
from nodealer.log.session import LIMIT_MIN, Limits, Proposal

#: What a timekeeper of this program is called.
KEEPER: Final = "Clock"
#: How many seconds a move may take, unless somebody says otherwise.
MOVE: Final = 60.0
#: How many seconds a program has at least for its part in the cards: machines are slow, and busy.
CARDS: Final = 30.0


def limits_of(move: float) -> Limits:
    """For people: so many seconds for a move, twice as many in the bank, and a part of them back in each hand."""
    most = _ms(move)
    return Limits(move=most, cards=_ms(max(move, CARDS)), bank=2 * most, refill=most // 4)


def limits_for_bots(patience: float) -> Limits:
    """For bots, who need no time to think."""
    return Limits(move=_ms(patience), cards=_ms(patience), bank=0, refill=0)


def _ms(seconds: float) -> int:
    return max(LIMIT_MIN, int(seconds * 1000))


def seconds(milliseconds: float) -> str:
    """For a line of text."""
    return f"{round(milliseconds / 1000)} s"


def about_time(proposal: Proposal, words: Words) -> str:
    """What it means that somebody keeps the time at a table, or nobody: said once, before one sits down."""
    keeper, limits, players = proposal.roster.timekeeper, proposal.clock, len(proposal.roster.with_cards)
    if keeper is None or limits is None:
        half = "a player who is losing" if players == 2 else "half of the table together"
        return f"Nobody keeps the time: {half} can undo the hand by not answering."
    bank = f", {seconds(limits.bank)} in the bank" if limits.bank else ""
    return (
        f"{keeper.name} keeps the time: {seconds(limits.move)} for a move{bank}. {late(words)} Relay and timekeeper in "
        "one hand, with half of the table, can hold your answer back and call you late."
    )


def late(words: Words) -> str:
    """What becomes of somebody who is late with a move, in the game's own words."""
    if not words.default:
        return "Who takes longer is out of the hand, once half of the table says so."
    return f"Who takes longer gets the move of the rules ({words.default}), once half of the table says so."
