"""The static folder from which a seat runs inside a browser tab: how it is built, served and checked."""
