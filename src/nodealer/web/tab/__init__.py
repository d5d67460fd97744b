"""A seat inside a browser tab: its store, transport and lobby. Browser features are passed in, not imported."""
