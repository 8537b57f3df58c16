"""`prowess site`: a folder of linked pages about a rated table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.rating import day, rating_options

OWN = "prowess-site.json"  # says that a folder is ours, and which files we put there
EXAMPLES = """\b
prowess site games.csv -o pages --system glicko2
prowess site games.csv -o pages --title "Our league" --top 500
"""


@click.command(
    "site",
    short_help="Write a folder of pages: leaderboard, players, pairs, method.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.option(
    "--output", "-o", required=True, metavar="FOLDER", type=click.Path(),
    help="A new folder, an empty one, or one that an earlier run wrote.",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="What the pages are called; the file's name if not.")
@click.option(
    "--top", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
    help="Pages of the N best players; the leaderboard has all.",
)  # fmt: skip
@click.option(
    "--pairs", type=click.IntRange(min=0), default=100, show_default=True, metavar="N",
    help="Pages of the N pairs of them that met most.",
)  # fmt: skip
@click.option(
    "--min-games", type=click.IntRange(min=0), metavar="N",
    help="List who played N games; a tenth of the mean number when left out.",
)  # fmt: skip
@click.option(
    "--since", metavar="DATE", callback=day,
    help="List who played since that day; in the last two years when left out.",
)  # fmt: skip
def command(
    output: str,
    title: str | None,
    top: int,
    pairs: int,
    min_games: int | None,
    since: float | None,
    **options: Any,
) -> None:
    """Rate FILE... and write pages that need no server and no network."""
    from prowess.cli.talk import say
    from prowess.cli.verbs.report import forecasting, heading, listing
    from prowess.present.rendering import environment
    from prowess.present.site import Limits, Site, files

    folder = Path(output)
    earlier = files_of(folder)
    environment()  # what is missing is said before a long file is read
    ratings = forecasting(options)
    site = Site(
        forecasting=ratings,
        title=title or heading(options["files"]),
        listing=listing(ratings, min_games, since),
        limits=Limits(top, pairs),
    )
    written = put(folder, files(site), earlier)
    say(f"{folder / 'index.html'}: {ratings.head()}; {written:,} files", options["quiet"])
    everyone = int(ratings.played().sum())
    if everyone > top:
        say(
            f"pages of the best {top:,} of {everyone:,} players (--top {everyone})",
            options["quiet"],
        )


def files_of(folder: Path) -> set[str]:
    """What an earlier run wrote there; raises UsageError for a folder that is not ours."""
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return set()
        return set(json.loads((folder / OWN).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise click.UsageError(
            f"--output {folder}: there is something that `prowess site` did not write; "
            "give a new folder"
        ) from None


def put(folder: Path, files: Iterable[tuple[str, bytes]], earlier: set[str]) -> int:
    """Write the files, take away those of an earlier run that are no more; how many there are."""
    written: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        record(folder, earlier)  # before anything else: whatever stops us, the folder is ours
        for name, content in files:
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            written.append(name)
        root = folder.resolve()
        for name in earlier - set(written):
            place = folder / name
            if root in place.resolve().parents:  # the list lies where anybody may edit it
                place.unlink(missing_ok=True)
        record(folder, written)
    except OSError as error:
        raise click.ClickException(
            f"{error.filename or folder}: {error.strerror or error}"
        ) from None
    return len(written)


def record(folder: Path, names: Iterable[str]) -> None:
    """Say that the folder is ours."""
    text = json.dumps({"made by": "prowess site", "files": sorted(names)}, indent=1)
    (folder / OWN).write_text(text + "\n", encoding="utf-8")
