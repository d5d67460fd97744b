"""`nodealer game check`: what is wrong with a game, for the one who wrote it."""

from nodealer.lab.gamecheck.check import DEEP, QUICK, Depth, Report, check

__all__ = ["DEEP", "QUICK", "Depth", "Report", "check"]
