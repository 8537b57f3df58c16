"""`prowess theory`: why rating systems behave as they do, in tables and figures."""

from __future__ import annotations

from prowess.cli.commands import LazyGroup

THEORY_VERBS = {  # word -> its module, and what the list of words says of it
    "wp": ("win_probability", "Win probabilities by rating difference, curves side by side."),
    "markov": ("win_probability", "A game described by its points: its exact win probability."),
    "bounds": ("steps", "How far one game may move the ratings."),
    "check": ("steps", "Check a win probability, or an update, against the theory."),
    "noise": ("steps", "The error of ratings, by three models."),
    "best-step": ("steps", "How far one game should move the ratings."),
    "population": ("population", "The distribution of ratings where players learn and leave."),
    "development": ("population", "The development of an average player."),
    "tables": ("population", "The report's tables of the Internet chess server."),
}

theory_verb = LazyGroup(
    "prowess.cli.theory",
    {"Tables and figures": THEORY_VERBS},
    name="theory",
    help="Tables from the theory of rating systems; every one of them takes --json, --csv and -o.",
)
