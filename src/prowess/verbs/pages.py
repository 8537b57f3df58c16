"""Pages that need no server: a report in one file, a site in a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, get_args

from prowess.games.arguments import (
    BadArgument,
    check_choice,
    check_count,
    check_day,
    check_flag,
    check_given,
    check_level,
    check_series,
    check_text,
)
from prowess.games.whole_files import replace_file
from prowess.verbs.rating import rate, take_ratings
from prowess.verbs.tables import Keywords, take_keywords, take_selections

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games
    from prowess.present.brand import Brand
    from prowess.present.listing import Listing
    from prowess.present.report import Report
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.judging import Selection, Trials

Audience = Literal["club", "league", "arena", "races", "bots"]  # those for whom reports are
RECORD = "prowess-site.json"  # in a folder of ours: the files that we wrote there
# compared when no systems are named: well known, one pass each
USUAL_SYSTEMS = {"games": "elo,glicko2@1mo,weng_lin", "contests": "elo,codechef,weng_lin"}


def report(
    ratings: Any, path: Any = None, *, system: Any = None, title: str | None = None,
    credit: str = "", players: Sequence[str] | None = None, top: int = 25,
    min_games: int | None = None, since: Any = None, systems: Any = None,
    no_compare: bool = False, level: float = 0.95, audience: Audience | None = None,
    **keywords: Any,
) -> Report:  # fmt: skip
    """A report of ratings (or of a table, rated under `system`), written to `path` if given.

    `players` are those whose histories are drawn (default: the best), `top` the rows of the
    leaderboard. Players are listed with `min_games` games (default: a tenth of the mean number) and
    a game since the day `since` (default: in the last two years). `systems` are compared, named as
    in `compare` (default: some fast ones; `no_compare` leaves the comparison out). Intervals have
    probability `level`; `credit` names source and licence of the data. `notes` say why a section is
    missing. `audience` is club, league, arena, races or bots: what stands first, and in whose words
    (default: by the table's headings and games; the statistics follow, folded).

    >>> import prowess
    >>> prowess.report([("Ann", "Bob", 1)], system="elo", title="Our league").headline
    'Our league: elo, 1 game, 2 players'
    """
    from prowess.present.report import report as build

    if path is not None and (not isinstance(path, str | Path) or not str(path)):
        raise BadArgument.of("not_a_file.pages", path=path)
    title = take_title(title, ratings)
    credit = check_text("credit", credit, '"Our club"')
    top, level = check_count("top", top, 1), check_level(level)
    names = check_given(check_series, "players", players, '["Ann", "Bob"]')
    check_given(check_choice, "audience", audience, get_args(Audience))
    chosen = None if systems is None else take_selections(systems)
    if check_flag("no_compare", no_compare) and chosen is not None:
        raise BadArgument.of("systems_not_compared")
    rated = rate_for_pages(ratings, system, keywords | {"level": level})
    forecasts, notes = judge_own(rated)
    comparison = None
    if not no_compare:
        comparison, further = compare_own(rated, forecasts, chosen)
        notes += further
    made = build(
        rated, title=title, top=top, players=names, listing=list_players(rated, min_games, since),
        forecasts=forecasts, comparison=comparison, level=level, credit=credit, notes=notes,
        audience=audience,
    )  # fmt: skip
    if path is not None:
        page = made.to_html().encode()
        with replace_file(path) as part:
            part.write_bytes(page)
    return made


def site(
    ratings: Any, folder: Any, *, players: int = 100, pairs: int = 100, system: Any = None,
    title: str | None = None, min_games: int | None = None, since: Any = None,
    brand: Brand | None = None, **keywords: Any,
) -> Path:  # fmt: skip
    """Write a folder of pages: leaderboard, the best `players`, the `pairs` that met most, method.

    The folder is new, empty, or one that this function wrote before; the first page is returned.
    `min_games` and `since` as of `report`; `brand` has logo, colour and texts of the owner. Raises
    BadArgument for a folder with something else in it.

    >>> import prowess, tempfile
    >>> prowess.site([("Ann", "Bob", 1)], tempfile.mkdtemp(), system="elo").name
    'index.html'
    """
    from prowess.present.brand import NO_BRAND, Brand
    from prowess.present.rendering import environment
    from prowess.present.site import Limits, Site, files

    if not isinstance(folder, str | Path) or not str(folder):
        raise BadArgument.of("not_a_folder.pages", folder=folder)
    limits = Limits(check_count("players", players, 1), check_count("pairs", pairs))
    brand = NO_BRAND if brand is None else brand
    if not isinstance(brand, Brand):
        raise BadArgument.of("not_a_brand", brand=brand)
    title = take_title(brand.name or None if title is None else title, ratings)
    place = Path(folder)
    earlier = read_record(place)
    environment()  # a missing library is reported before a long file is read
    made = rate_for_pages(ratings, system, keywords)
    listing = list_players(made, min_games, since)
    write_folder(place, files(Site(made, title, listing, limits, brand)), earlier)
    return place / "index.html"


class RatingsSource(Protocol):
    """Ratings that are made in a way of their own, once the other arguments are checked."""

    name: str  # of the file

    def rate_with_forecasts(self) -> Ratings:
        """The ratings, with the forecast of every game where a system makes it as it rates."""


def rate_for_pages(source: Any, system: Any, keywords: Keywords) -> Ratings:
    """Ratings as they are, or of a table, with the forecast of every game where a system has it."""
    from prowess.engine.periods import SPAN_BY_TABLE
    from prowess.engine.ratings import Ratings
    from prowess.engine.whole_table import WholeTable

    if callable(getattr(type(source), "rate_with_forecasts", None)):
        return cast("RatingsSource", source).rate_with_forecasts()
    if isinstance(source, Ratings):
        given = {name: one for name, one in keywords.items() if name != "level"}
        return take_ratings(source, system, given)
    chosen, _, _ = take_keywords(source, system, keywords)
    forecasts = not isinstance(chosen, WholeTable)
    options: Keywords = {"forecasts": forecasts, **keywords}
    if forecasts:
        options.setdefault("frozen", SPAN_BY_TABLE)
    return rate(source, chosen, **options)


def take_title(title: Any, source: Any, what: str = "Ratings") -> str:
    """The heading of a page; where there is none, from the name of the file; raises BadArgument."""
    if title is not None:
        return check_text("title", title, '"Our league"')
    name = getattr(source, "name", source)  # of a path, an open file, a RatingsSource
    if not isinstance(name, str | Path) or str(name) == "-":
        return what
    stem = Path(name).name.partition(".")[0].replace("_", " ").replace("-", " ").strip()
    return f"{what}: {stem}" if stem else what


def list_players(ratings: Ratings, min_games: Any = None, since: Any = None) -> Listing:
    """The rule of who is listed; games on the day `since` count. Raises BadArgument."""
    from math import floor

    from prowess.present.listing import usual_listing

    day = None if since is None else float(floor(check_day("since", since)))
    return usual_listing(ratings, check_given(check_count, "min_games", min_games), day)


def judge_own(ratings: Ratings) -> tuple[Backtest | None, list[str]]:
    """The system's own forecasts under its label, None where there are none, and notes."""
    from dataclasses import replace

    from prowess.engine.params import display_settings, settings
    from prowess.engine.system import Unratable
    from prowess.present.methods import own_forecasts
    from prowess.study.judging import format_settings

    try:
        found = own_forecasts(ratings)
    except Unratable as reason:  # contests in which the system forecasts nothing
        return None, [f"no forecasts: {reason}"]
    if found is None or not found.count:
        return None, []
    asked = display_settings(ratings.system, getattr(ratings, "asked", None) or ratings.p)
    usual = display_settings(ratings.system, settings(ratings.system, {}))
    given = {name: value for name, value in asked.items() if value != usual[name]}
    label = found.name + (f":{format_settings(given)}" if given else "")
    return replace(found, name=f"{label}@{ratings.period}" if ratings.period else label), []


def compare_own(
    ratings: Ratings, own: Backtest | None, selections: Sequence[Selection] | None = None
) -> tuple[Comparison | None, list[str]]:
    """The systems named, or the usual ones, beside the system of a page, and notes.

    The comparison is None if too few are left.
    """
    from prowess.engine.periods import has_order
    from prowess.study.cross_validation import run_folds
    from prowess.study.folds import random_folds
    from prowess.study.judging import compare_beside, refuse_few_games, run_trials

    table = ratings.table
    judge: Callable[..., Trials] = run_trials
    if selections is None:
        usual = USUAL_SYSTEMS[f"{table.unit}s"]
        if table.time is None:
            usual = usual.replace("@1mo", "")  # a month needs dates
        selections = take_selections(usual)
    if table.pairwise and not has_order(table):

        def judge(table: Games, selections: Sequence[Selection]) -> Trials:
            """By folds: votes have no order, and forecasts by that of rows judge Elo too well."""
            refuse_few_games(table)
            return run_folds(table, selections, (own and own.folds) or random_folds(table))

    return compare_beside(table, own, selections, judge)


def read_record(folder: Path) -> set[str]:
    """The files that an earlier run wrote there; raises BadArgument for another's folder."""
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return set()
        return set(json.loads((folder / RECORD).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadArgument.of("folder_not_empty", folder=folder) from None


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
