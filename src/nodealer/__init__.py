"""Cards without a dealer."""

__version__ = "0.1.0"
