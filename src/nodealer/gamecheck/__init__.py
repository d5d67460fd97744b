"""`nodealer game check`: find out what is wrong with a game, and tell its author."""

from nodealer.gamecheck.check import DEEP, QUICK, Depth, GameReport, check

__all__ = ["DEEP", "QUICK", "Depth", "GameReport", "check"]
