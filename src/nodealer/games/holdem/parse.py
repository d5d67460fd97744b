"""Parse what a person types in hold'em, in the words that poker players use."""

from __future__ import annotations

from nodealer.errors import IllegalMove
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand

#: The most digits that a number of chips can have.
_DIGITS_MAX = 15


def parse_move(text: str, legal: Legal, stack: int) -> Move:
    """Parse a typed move. `stack` is what the player has behind. Raises `IllegalMove` with a sentence for them."""
    match _split_words(text):
        case ["f" | "fold"]:
            return Fold()
        case ["k" | "x" | "check"]:
            return _check(legal)
        case ["c"]:
            return Call()
        case ["call"]:
            return _call(legal)
        case ["call", amount] if legal.call and amount == str(legal.call):
            return Call()
        case ["r" | "raise" | "b" | "bet", amount] | ["r" | "raise" | "b" | "bet", "to", amount]:
            return Raise(_parse_chips(amount))
        case ["a" | "all" | "allin" | "all-in" | "shove"] | ["all", "in"]:
            return _all_in(legal, stack)
        case ["r" | "raise" | "b" | "bet"]:
            raise IllegalMove(f"how much? for example: raise to {legal.raise_from or 10}")
        case ["s" | "show"]:
            return ShowHand()
        case ["m" | "muck"]:
            return Muck()
        case [amount] if _is_number(amount):
            return _number_alone(int(amount), legal)
    raise IllegalMove(f"{text.strip()!r} is not a move; type ? for help")


def _split_words(text: str) -> list[str]:
    """Split into lower-case words. A number attached to a word is a separate word: "R40" is "r 40"."""
    spaced = text.lower()
    for at in range(len(spaced) - 1, 0, -1):
        if spaced[at].isdigit() and spaced[at - 1].isalpha():
            spaced = f"{spaced[:at]} {spaced[at:]}"
    return spaced.split()


def _is_number(word: str) -> bool:
    """Return whether a word is a whole number with few enough digits."""
    return word.isascii() and word.isdigit() and len(word) <= _DIGITS_MAX


def _parse_chips(word: str) -> int:
    """Return a word as a positive number of chips. Raise `IllegalMove` if it is not one."""
    if not _is_number(word) or int(word) == 0:
        raise IllegalMove(f"{word!r} is not a number of chips")
    return int(word)


def _check(legal: Legal) -> Move:
    """Return a check, or raise `IllegalMove` if it would put chips in."""
    if legal.call:
        raise IllegalMove(f"you cannot check: it is {legal.call} to call. Call or fold")
    return Call()


def _call(legal: Legal) -> Move:
    """Return a call. Raise `IllegalMove` if there is no bet to call."""
    if legal.call == 0:
        raise IllegalMove("there is no bet to call: check or bet")
    return Call()


def _all_in(legal: Legal, stack: int) -> Move:
    """Return the move that goes all in. Raises `IllegalMove` if that is not possible."""
    if legal.raise_to is not None:
        return Raise(legal.raise_to)
    if legal.call and legal.call == stack:
        return Call()
    raise IllegalMove(f"you cannot raise now; you can only {'call or fold' if legal.call else 'check'}")


def _number_alone(amount: int, legal: Legal) -> Move:
    """Return a call or a raise for a bare number. Raises `IllegalMove` if it could be both, or neither."""
    raises = legal.raise_from is not None and legal.raise_to is not None
    may_bet = raises and (legal.raise_from or 0) <= amount <= (legal.raise_to or 0)
    if amount == legal.call and not may_bet:
        return Call()
    if may_bet and amount != legal.call:
        return Raise(amount)
    if may_bet:
        raise IllegalMove(f"do you want to call {amount} or raise to {amount}? type 'call' or 'raise {amount}'")
    raise IllegalMove(f"you cannot call or bet {amount}; you can: {legal}")
