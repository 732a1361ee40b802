"""A camera over a real backgammon board that referees, records and teaches."""

__version__ = "0.1.0"
