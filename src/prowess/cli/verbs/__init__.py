"""The verbs: the command `best-step` is `best_step_verb` of its module."""

from pathlib import Path

SAMPLE_GAMES = Path(__file__).parent.parent / "data" / "football.csv"  # for demo and serve
