"""What a shell offers for a value: names of protocols, games and attacks. Loaded with every command, so all is late."""

from __future__ import annotations


def _begun(names: list[str], begin: str) -> list[str]:
    return [name for name in names if name.startswith(begin)]


def protocols(incomplete: str) -> list[str]:
    """The card protocols."""
    from nodealer.protocols import PROTOCOLS

    return _begun([*PROTOCOLS], incomplete)


def games(incomplete: str) -> list[str]:
    """The games that are installed."""
    from nodealer.cli.games import games_here

    return _begun([game.name for game in games_here()], incomplete)


def attacks(incomplete: str) -> list[str]:
    """The attacks of the lab."""
    from nodealer.lab.attacks import ATTACKS

    return _begun([*ATTACKS], incomplete)
