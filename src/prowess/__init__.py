"""Game results in, ratings out."""

__version__ = "0.1.0"
