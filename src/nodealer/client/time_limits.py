"""Time limits, how to describe them to people, and what playing with or without a timekeeper means."""

from __future__ import annotations

from typing import Final

from nodealer.games.text import Words
from nodealer.log.session import LIMIT_MIN, Limits, Proposal

#: The name of this program's timekeepers.
KEEPER: Final = "Clock"
#: The default number of seconds for a move.
MOVE: Final = 60.0
#: The minimum number of seconds for a program's part in handling the cards: machines are slow and busy.
CARDS: Final = 30.0


def limits_for_people(move: float) -> Limits:
    """Return limits for people.

    They have `move` seconds per move, a time bank of twice that, a quarter of it refilled each hand.
    """
    most = _ms(move)
    return Limits(move=most, cards=_ms(max(move, CARDS)), bank=2 * most, refill=most // 4)


def limits_for_bots(patience: float) -> Limits:
    """Return limits for bots, which need no time to think."""
    return Limits(move=_ms(patience), cards=_ms(patience), bank=0, refill=0)


def _ms(seconds: float) -> int:
    """Convert seconds to milliseconds, at least the minimum for a limit."""
    return max(LIMIT_MIN, int(seconds * 1000))


def format_seconds(milliseconds: float) -> str:
    """Return milliseconds as text in whole seconds."""
    return f"{round(milliseconds / 1000)} s"


def describe_time_limits(proposal: Proposal, words: Words) -> str:
    """Return what playing with this timekeeper, or without one, means. Shown once, before a player sits down."""
    keeper, limits, players = proposal.roster.timekeeper, proposal.clock, len(proposal.roster.with_cards)
    if keeper is None or limits is None:
        half = "a player who is losing" if players == 2 else "half of the table together"
        return f"There is no timekeeper: {half} can undo the hand by not answering."
    bank = f", plus a time bank of {format_seconds(limits.bank)}" if limits.bank else ""
    return (
        f"{keeper.name} is the timekeeper: {format_seconds(limits.move)} per move{bank}. {describe_timeout(words)} If "
        "one party runs both the relay and the clock, they and half of the table could delay your move and time "
        "you out."
    )


def describe_timeout(words: Words) -> str:
    """Return what happens to a player who is late with a move, in the game's own words."""
    if not words.default:
        return "A player who takes longer is dropped from the hand if half of the table agrees."
    return f"If a player takes longer and half of the table agrees, the rules move for them ({words.default})."
