"""Pages that need no server: a report in one file, a site in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.games.arguments import BadArgument, check_count, check_text, refuse
from prowess.games.whole_files import replace_file
from prowess.verbs.rating import rate, take_ratings
from prowess.verbs.tables import Keywords, take_keywords

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.present.report import Report

RECORD = "prowess-site.json"  # in a folder of ours: the files that we wrote there


def report(ratings: Any, path: Any = None, *, system: Any = None, title: str = "Ratings",
           **keywords: Any) -> Report:  # fmt: skip
    """A report of ratings (or of a table, rated under `system`), written to `path` if given.

    >>> import prowess
    >>> prowess.report([("Ann", "Bob", 1)], system="elo", title="Our league").headline
    'Our league: elo, 1 game, 2 players'
    """
    from prowess.engine.system import Unratable
    from prowess.present.report import own_forecasts, report as build

    if path is not None and (not isinstance(path, str | Path) or not str(path)):
        raise refuse('name a file such as "report.html"', path, code="not_a_file")
    title = check_text("title", title, '"Our league"')
    rated = rate_for_pages(ratings, system, keywords)
    try:
        forecasts = own_forecasts(rated)
    except Unratable:  # contests in which the system forecasts nothing
        forecasts = None
    made = build(rated, title=title, forecasts=forecasts)
    if path is not None:
        page = made.to_html().encode()
        with replace_file(path) as part:
            part.write_bytes(page)
    return made


def site(
    ratings: Any, folder: Any, *, players: int = 100, pairs: int = 100, system: Any = None,
    title: str = "Ratings", **keywords: Any,
) -> Path:  # fmt: skip
    """Write a folder of pages: leaderboard, the best `players`, the `pairs` that met most, method.

    The folder is new, empty, or one that this function wrote before; the first page is returned.
    Raises BadArgument for a folder with something else in it.

    >>> import prowess, tempfile
    >>> prowess.site([("Ann", "Bob", 1)], tempfile.mkdtemp(), system="elo").name
    'index.html'
    """
    from prowess.present.listing import usual_listing
    from prowess.present.site import Limits, Site, files

    if not isinstance(folder, str | Path) or not str(folder):
        raise refuse('name a folder such as "pages"', folder, code="not_a_folder")
    limits = Limits(check_count("players", players, 1), check_count("pairs", pairs))
    title = check_text("title", title, '"Our league"')
    place = Path(folder)
    earlier = read_record(place)
    made = rate_for_pages(ratings, system, keywords)
    write_folder(place, files(Site(made, title, usual_listing(made), limits)),
                 earlier)  # fmt: skip
    return place / "index.html"


def rate_for_pages(source: Any, system: Any, keywords: Keywords) -> Ratings:
    """Ratings as they are, or of a table, with the forecast of every game where a system has it."""
    from prowess.engine.ratings import Ratings
    from prowess.engine.whole_table import WholeTable

    if isinstance(source, Ratings):
        return take_ratings(source, system, keywords)
    chosen, _, _ = take_keywords(source, system, keywords)
    options: Keywords = {"forecasts": not isinstance(chosen, WholeTable), **keywords}
    return rate(source, chosen, **options)


def read_record(folder: Path) -> set[str]:
    """The files that an earlier run wrote there; raises BadArgument for another's folder."""
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return set()
        return set(json.loads((folder / RECORD).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadArgument(
            f"give a new folder: {folder} has something that `prowess site` did not write",
            code="folder_not_empty",
        ) from None


def write_folder(folder: Path, files: Iterable[tuple[str, bytes]], earlier: set[str]) -> int:
    """Write the files, delete those of an earlier run that are no more; returns their number.

    Raises OSError.
    """
    names: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    write_record(folder, earlier)  # first: a run that is interrupted leaves a folder of ours
    for name, content in files:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        names.append(name)
    root = folder.resolve()
    for name in earlier - set(names):
        place = folder / name
        if root in place.resolve().parents:  # the record may have been edited
            place.unlink(missing_ok=True)
    write_record(folder, names)
    return len(names)


def write_record(folder: Path, names: Iterable[str]) -> None:
    """List the files that we wrote into the folder."""
    text = json.dumps({"made by": "prowess site", "files": sorted(names)}, indent=1)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")
