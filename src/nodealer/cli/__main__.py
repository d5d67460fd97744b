"""`python -m nodealer.cli`."""

from nodealer.cli import main

main()
