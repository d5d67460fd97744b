"""The log: signed entries and how they are chained, the session and its roster, and the journal of a seat."""
