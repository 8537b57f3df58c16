"""What `prowess serve` prepares before it listens: a category, a token, example games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.verbs.tables import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from prowess.live.journal.journal import Journal
    from prowess.live.journal.registry import Category
    from prowess.live.journal.submission import PlannedGame, Submission

CATEGORY = "main"  # of a new store
RETURN_GAMES = 6  # of the last example games, which are to come in the days after the start


class SampleLadder(NamedTuple):
    """A category of example games for a new store, rated by the default system."""

    key: str
    name: str
    icon: str
    noun: str
    file: Path


class CategoryAsked(NamedTuple):
    """The category that a store should have, and how it is rated if it is new."""

    category: str | None = None
    system: str | None = None
    params: Mapping[str, str] | None = None
    period: str | None = None
    side_size: int | None = None
    name: str | None = None
    sample: Path | Sequence[SampleLadder] | None = None  # example games for an empty store


def prepare_store(journal: Journal, asked: CategoryAsked) -> list[str]:
    """Make the category, the token and the example games that the store lacks; returns notes."""
    sample = asked.sample
    if sample is not None and not isinstance(sample, Path):
        fresh = not journal.categories()
        notes = [add_ladder(journal, one) for one in sample] if fresh else []
        notes += [] if fresh else ["the store has categories of its own: --sample adds none"]
        return notes + make_token(journal)
    notes = make_category(journal, asked)
    notes += make_token(journal)
    if sample is not None:
        key = asked.category or journal.categories()[0].key
        notes.append(add_sample(journal, key, sample))
    trouble = journal.clock_trouble()
    return notes if trouble is None else [*notes, trouble]


def add_ladder(journal: Journal, sample: SampleLadder) -> str:
    """Make a category of example games, as its table asks for it; returns a note."""
    from prowess.games import read_games
    from prowess.live.journal.categories import NewCategory, RenameCategory
    from prowess.live.journal.imports import find_extras
    from prowess.live.store.access import Actor

    extra = find_extras(read_games(sample.file, warn=False))
    entry = NewCategory(sample.key, sample.name, system=DEFAULT_SYSTEM, extra=extra)
    journal.commit(entry, Actor.console())
    look = RenameCategory(sample.key, icon=sample.icon, noun=sample.noun)
    journal.commit(look, Actor.console())
    return add_sample(journal, sample.key, sample.file)


def make_category(journal: Journal, asked: CategoryAsked) -> list[str]:
    """Make the category that is asked for; of one that exists, list how it differs."""
    from prowess.live.journal.categories import NewCategory
    from prowess.live.store.access import Actor

    key = asked.category
    known = {one.key: one for one in journal.categories()}
    if key in known or (known and key is None):
        names = ("system", "params", "period", "name", "side_size")
        given = [option_of(name) for name in names if getattr(asked, name)]
        if not given:
            return []
        if key is None and len(known) > 1:
            remedy = f"name the category with --category ({', '.join(known)}): "
            return [remedy + f"{', '.join(sorted(given))} changed nothing"]
        return list_differences(known[key] if key else next(iter(known.values())), asked)
    name = asked.system or DEFAULT_SYSTEM
    entry = NewCategory(
        key or CATEGORY, asked.name or "", system=name, period=asked.period,
        params=read_params(name, asked.params or {}), side_size=asked.side_size or 1,
    )  # fmt: skip
    journal.commit(entry, Actor.console())
    return [f"new category {entry.key}, rated by {name}"]


def option_of(name: str) -> str:
    """The option that gives a field of `CategoryAsked`."""
    return "--set" if name == "params" else f"--{name.replace('_', '-')}"


def read_params(system: str, params: Mapping[str, str]) -> dict[str, Any]:
    """The texts of parameters as numbers and words."""
    from prowess.engine.params import parameters
    from prowess.engine.system import Choice
    from prowess.systems.catalogue import find

    domains = {one: value.domain for one, value in parameters(find(system)).items()}
    return {
        one: text if isinstance(domains.get(one), Choice) else _number(text)
        for one, text in params.items()
    }


def list_differences(kept: Category, asked: CategoryAsked) -> list[str]:
    """The settings that were given and differ from those of the store, with the remedy.

    Raises what a new category with these settings would raise.
    """
    from dataclasses import replace

    from prowess.engine.params import display_settings, settings
    from prowess.live.journal.categories import check_method
    from prowess.systems.catalogue import find

    _, system, given_params, period, side_size, title, _ = asked
    params = given_params or {}
    name = system or kept.system
    given = read_params(name, params)
    size = side_size or kept.side_size
    check_method(
        replace(kept, system=name, params=given, period=period or kept.period, side_size=size)
    )
    now = display_settings(find(kept.system), settings(find(kept.system), dict(kept.params)))
    wanted = display_settings(find(name), settings(find(name), given))
    found = [
        (f"--system {system}", kept.system, system in (None, kept.system)),
        (f"--period {period}", f"period {kept.period or 'none'}", period in (None, kept.period)),
        (f"--side-size {side_size}", f"side_size {kept.side_size}", size == kept.side_size),
        (f"--name {title!r}", f"the name {kept.name!r}, which stays", title in (None, kept.name)),
    ]
    found += [
        (f"--set {one}={params[one]}", f"{one}={now.get(one, 'none')}", now.get(one) == wanted[one])
        for one in params
    ]
    apart = [f"{there}, not {option}" for option, there, same in found if not same]
    if not apart:
        return []
    return [
        f"to change how {kept.key} is rated use its page in the administration, or "
        f"PATCH /api/v1/categories/{kept.key}; the store has " + "; ".join(apart)
    ]


def make_token(journal: Journal) -> list[str]:
    """Make a token for the administrator of a store that has none; returns notes."""
    from prowess.live.store import access

    with journal.store.read() as connection:
        if access.list_tokens(connection):
            return []
    now = journal.clock()

    def job(connection: Any) -> str:
        secret, number = access.make_token(connection, "admin", [access.ADMIN_SCOPE], now=now)
        console = access.Actor.console()
        connection.execute(access.build_line(console, "token made", f"token {number}", now=now))
        return secret

    secret = journal.store.writer.do(job)
    return [f"token of the administrator, shown this once: {secret}"]


def add_sample(journal: Journal, key: str, file: Path) -> str:
    """Record example games in a category that has no results, and plan the last ones again with
    the sides changed; returns a note.
    """
    from prowess.games import read_games
    from prowess.games.reading import format_count
    from prowess.live.journal.corrections import Schedule
    from prowess.live.journal.imports import read_submissions
    from prowess.live.journal.record import RecordResults
    from prowess.live.store.access import Actor

    category = journal.category(key)
    if len(journal.ladder(key)):
        return f"{key} has results of its own: --sample adds none"
    table = read_games(file, warn=False)
    rows = tuple(read_submissions(table, category, "sample"))
    journal.commit(RecordResults(rows), Actor.console())
    again = plan_again(rows, journal.clock())
    if category.duels and again:
        journal.commit(Schedule(again, key), Actor.console())
    return f"{key} has {format_count(len(rows), 'example game')}"


def plan_again(rows: Sequence[Submission], now: int) -> tuple[PlannedGame, ...]:
    """The last games again with the sides changed, one a player, in the days after a moment."""
    from prowess.live.journal.submission import PlannedGame
    from prowess.live.result import DAY_US

    planned, busy = list[PlannedGame](), set[str]()
    for one in reversed(rows):
        a, b = one.player_a, one.player_b
        if a is not None and b is not None and not busy & {a, b} and len(planned) < RETURN_GAMES:
            day = 1 + len(planned)
            planned.append(PlannedGame(b, a, now + day * DAY_US, one.side or 0.0))
            busy |= {a, b}
    return tuple(planned)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
