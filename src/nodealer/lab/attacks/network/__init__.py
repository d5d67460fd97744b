"""Attacks on the way to the cards: by the relay, by whoever has a link, and by players who are not who they say."""
