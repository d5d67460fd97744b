"""What a person types in hold'em, in the words of people who play it."""

from __future__ import annotations

from nodealer.errors import IllegalMove
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand

#: As many digits as a number of chips has.
_DIGITS_MAX = 15


def read_answer(text: str, legal: Legal, stack: int) -> Move:
    """The move that somebody means who has so many chips behind. Raises `IllegalMove` with a sentence for them."""
    match _words(text):
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
            return Raise(_chips(amount))
        case ["a" | "all" | "allin" | "all-in" | "shove"] | ["all", "in"]:
            return _all_in(legal, stack)
        case ["r" | "raise" | "b" | "bet"]:
            raise IllegalMove(f"how much? such as: raise to {legal.raise_from or 10}")
        case ["s" | "show"]:
            return ShowHand()
        case ["m" | "muck"]:
            return Muck()
        case [amount] if _is_number(amount):
            return _number_alone(int(amount), legal)
    raise IllegalMove(f"{text.strip()!r} is not a move here; ? lists them")


def _words(text: str) -> list[str]:
    """Words in small letters; a number that sticks to a word is a word of its own: "R40" is "r 40"."""
    spaced = text.lower()
    for at in range(len(spaced) - 1, 0, -1):
        if spaced[at].isdigit() and spaced[at - 1].isalpha():
            spaced = f"{spaced[:at]} {spaced[at:]}"
    return spaced.split()


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _DIGITS_MAX


def _chips(word: str) -> int:
    if not _is_number(word) or int(word) == 0:
        raise IllegalMove(f"{word!r} is no number of chips")
    return int(word)


def _check(legal: Legal) -> Move:
    """A check never puts chips in."""
    if legal.call:
        raise IllegalMove(f"you cannot check: it is {legal.call} to call; call or fold")
    return Call()


def _call(legal: Legal) -> Move:
    if legal.call == 0:
        raise IllegalMove("there is nothing to call: check, or bet")
    return Call()


def _all_in(legal: Legal, stack: int) -> Move:
    if legal.raise_to is not None:
        return Raise(legal.raise_to)
    if legal.call and legal.call == stack:
        return Call()
    raise IllegalMove(f"you cannot raise here: {'call' if legal.call else 'check'}, and that is all")


def _number_alone(amount: int, legal: Legal) -> Move:
    """Clear where it is either the price of a call or something that can be bet, and not both."""
    raises = legal.raise_from is not None and legal.raise_to is not None
    may_bet = raises and (legal.raise_from or 0) <= amount <= (legal.raise_to or 0)
    if amount == legal.call and not may_bet:
        return Call()
    if may_bet and amount != legal.call:
        return Raise(amount)
    if may_bet:
        raise IllegalMove(f"call {amount}, or raise to {amount}? say which")
    raise IllegalMove(f"{amount} is nothing that you can call or bet here; you may: {legal}")
