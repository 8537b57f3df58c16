"""`prowess demo`: a real table, what can be asked of it, and what to try next."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """Rate a small table of real matches and show what can be asked."""
    from pathlib import Path

    import prowess
    from prowess.cli.output import put
    from prowess.cli.table import drawn, screen
    from prowess.cli.verbs.history import sentence

    file = Path(__file__).parent.parent / "data" / "football.csv"
    ratings = prowess.rate(prowess.read_games(file, warn=False), "elo")
    best, second = ratings.leaderboard(2).columns["player"]
    forecast = ratings.forecast(best, second)
    put(
        f"$ prowess rate football.csv --system elo --top 10     # {ratings.head()}\n"
        f"{drawn(ratings.leaderboard(10).cells(), screen())}\n\n"
        f'$ prowess forecast football.csv "{best}" "{second}"\n'
        f"{forecast}\n\n"
        f'$ prowess history football.csv "{best}" --why --last 3\n'
        + "\n".join(map(sentence, ratings.history(best).steps[-3:]))
        + "\n\nThe table is a part of the package (CC0, see README.md beside it). Try next:\n\n"
        f"  prowess rate {file} --system glicko2 --period 1mo\n"
        "  prowess rate YOUR_GAMES.csv\n"
        "  prowess systems\n"
        "  prowess systems glicko2\n"
        "  prowess rate --help\n"
    )
