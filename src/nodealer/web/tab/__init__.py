"""A seat inside a browser tab: its home, its way to the relay, its lobby. What it takes from a browser, it is given."""
