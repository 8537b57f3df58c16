"""Simulated leagues: games and the true strengths behind them, in memory and as text.

Text tables can be read by `prowess rate` without options. Numbers are written so that reading gives
the same bits; times are whole seconds, UTC.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting
from prowess.games.dates import format_date
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.study.simulation.play import FIRST_CANDIDATE, GameColumns, loop, outcome_model
from prowess.study.simulation.population import (
    Births,
    Field,
    field_of,
    people_of,
    true_strength,
    whole_seconds,
)
from prowess.study.simulation.settings import (
    NEAR,
    RATING,
    ROUND_ROBIN,
    SECONDS,
    SWISS,
    LeagueSettings,
    check_settings,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


BLOCK = 65_536  # games whose chances are drawn at a time


@dataclass(frozen=True, eq=False)
class Truth:
    """The true values of players, one row a player, in the order of the roster."""

    born: Floats  # day; before the first game for players who were there already
    died: Floats  # day; nan: lives
    at_birth: Floats  # strength, points
    strength: Floats  # at the end, or at death; a walk as it was at the last game
    style: Floats  # angle, 0 to 2 pi: for the cyclic part
    activity: Floats  # in units of the idlest possible player
    games: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedLeague:
    """A table of games, and for every game and player what was true.

    `strength_a`, `strength_b` (points) and `expected` (the true expected score of a) have one
    entry a game. `births` and `deaths` count the whole league, including players without games.
    """

    settings: LeagueSettings
    seed: int
    games: Games
    strength_a: Floats
    strength_b: Floats
    expected: Floats
    truth: Truth
    births: int
    deaths: int

    def __repr__(self) -> str:
        return f"<League: {self.games!r}, seed {self.seed}>"

    def departures(self) -> tuple[tuple[str, float], ...]:
        """Return (name, day) of every player who died, for the rule of redistribution."""
        gone = np.flatnonzero(np.isfinite(self.truth.died))
        return tuple((self.games.players[i], float(self.truth.died[i])) for i in gone.tolist())


def simulate(
    settings: LeagueSettings | None = None,
    seed: int = 1,
    *,
    strengths: Sequence[float] | None = None,
    compiled: bool | None = None,
) -> SimulatedLeague:
    """Simulate a league; the same settings and seed give the same league on every computer.

    `strengths` are the true ones at birth of the first players, in points, instead of drawn ones.
    `compiled` None chooses by size; the numbers are the same. People, times and games have
    separate random numbers: another matchmaking keeps the people.

    Raises BadSetting for impossible settings and if fewer than two players are left.
    """
    p = check_settings(LeagueSettings() if settings is None else settings)
    if type(seed) is not int or seed < 0:
        raise BadSetting(f"give a seed of 0 or more, a whole number, not {seed!r}")
    for_people, for_times, for_games = (
        np.random.Generator(np.random.PCG64(child))
        for child in np.random.SeedSequence(seed).spawn(3)
    )
    people = people_of(p, for_people, strengths)
    field = field_of(p, people)
    record = _new_record(int(p.games), _times(p, for_times))
    _play(p, people, field, record, for_games, compiled)
    return _make_league(p, seed, people, field, record)


def _times(p: LeagueSettings, rng: np.random.Generator) -> Floats:
    """Sample the days of all games, ascending, in whole seconds."""
    return whole_seconds(p.first_day + p.days * np.sort(rng.random(int(p.games))))


def _new_record(games: int, time: Floats) -> GameColumns:
    ids = np.zeros((2, games), np.uint32)
    numbers = np.zeros((6, games))
    return GameColumns(
        time,
        ids[0],
        ids[1],
        score=numbers[0],
        side=numbers[1],
        margin=numbers[2],
        strength_a=numbers[3],
        strength_b=numbers[4],
        expected=numbers[5],
        round=np.zeros(games, np.int32),
    )


def _play(
    p: LeagueSettings,
    people: Births,
    field: Field,
    record: GameColumns,
    rng: np.random.Generator,
    compiled: bool | None,
) -> None:
    """Fill the record block by block."""
    games, law = len(record.time), outcome_model(p)
    play = loop(games, compiled)
    looked_at = int(p.candidates) if p.matchmaking in (NEAR, RATING) else 1
    for low in range(0, games, BLOCK):
        high = min(games, low + BLOCK)
        chance = rng.random((high - low, FIRST_CANDIDATE + looked_at))
        normal = rng.standard_normal((high - low if p.drift else 1, 2))
        with np.errstate(all="ignore"):
            played = play(p, law, people, field, record, low, high, chance, normal)
        if played < high:
            day = format_date(float(record.time[played]))
            raise BadSetting(
                f"fewer than two players are left after {played:,} of {games:,} games, on {day}: "
                "more births, longer lives or fewer days"
            )


def _make_league(
    p: LeagueSettings, seed: int, people: Births, field: Field, record: GameColumns
) -> SimulatedLeague:
    """Make the league, its players numbered by first appearance."""
    both = np.stack((record.a, record.b), axis=1).ravel()
    seen, first = np.unique(both, return_index=True)
    who = seen[np.argsort(first)].astype(np.int64)
    number = np.zeros(len(people.born), np.uint32)
    number[who] = np.arange(len(who), dtype=np.uint32)
    width = len(str(len(people.born)))
    sided = p.neutral < 1.0
    in_rounds = p.matchmaking in (SWISS, ROUND_ROBIN)
    games = Games(
        players=Roster(f"P{person + 1:0{width}d}" for person in who.tolist()),
        a=number[record.a],
        b=number[record.b],
        score=record.score,
        time=record.time,
        round=record.round if in_rounds else None,
        side=record.side if sided else None,
        margin=record.margin if p.margins else None,
    )
    last_day = p.first_day + p.days
    days = np.where(np.isfinite(field.died[who]), field.died[who], last_day)
    strength = [
        true_strength(p, people, field, person, day)
        for person, day in zip(who.tolist(), days.tolist(), strict=True)
    ]
    truth = Truth(
        born=people.born[who],
        died=field.died[who],
        at_birth=people.strength[who],
        strength=np.array(strength),
        style=np.arctan2(people.sin[who], people.cos[who]) % (2.0 * np.pi),
        activity=people.activity[who].astype(np.float64),
        games=field.games[who],
    )
    return SimulatedLeague(
        settings=p,
        seed=seed,
        games=games,
        strength_a=record.strength_a,
        strength_b=record.strength_b,
        expected=record.expected,
        truth=truth,
        births=len(people.born) - int(p.players),
        deaths=int(np.isfinite(field.died).sum()),
    )


BLOCK = 65_536  # rows turned into text at a time
FORMS = ("csv", "jsonl")
RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def game_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the games as text, many rows at a time: date, players, result, other columns."""
    games = league.games
    names, side = list(games.players), games.side
    one, other = ("player_a", "player_b") if side is None else ("white", "black")
    assert games.time is not None
    header = ["date", one, other, "result"]
    also: dict[str, NDArray[Any]] = {}
    if games.round is not None:
        also["round"] = games.round + 1
    if side is not None and not side.all():
        also["neutral"] = np.array(["true", "false"])[side.astype(np.int64)]
    if games.margin is not None:
        also["margin"] = games.margin
    yield from _header([*header, *also], form)
    for rows in _blocks(len(games)):
        columns = {
            "date": dates(games.time[rows]),
            one: [names[player] for player in games.a[rows].tolist()],
            other: [names[player] for player in games.b[rows].tolist()],
            "result": [RESULTS[score] for score in games.score[rows].tolist()],
        }
        columns |= {name: values[rows].tolist() for name, values in also.items()}
        yield _text(columns, form)


def player_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the truth about players: strengths (points), birth and death, style, games."""
    truth = league.truth
    alive = np.isnan(truth.died)
    died = dates(np.where(alive, 0.0, truth.died))
    columns: dict[str, list[Any]] = {
        "player": list(league.games.players),
        "strength": truth.strength.tolist(),
        "strength_at_birth": truth.at_birth.tolist(),
        "born": dates(truth.born),
        "died": ["" if lives else day for lives, day in zip(alive.tolist(), died, strict=True)],
        "style": truth.style.tolist(),
        "activity": truth.activity.tolist(),
        "games": truth.games.tolist(),
    }
    yield from _header(columns, form)
    yield _text(columns, form)


def true_game_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the truth about every game: both strengths (points), expected score of the first."""
    games = league.games
    names = list(games.players)
    assert games.time is not None
    names_of = ["date", "player_a", "player_b", "strength_a", "strength_b", "expected", "score"]
    yield from _header(names_of, form)
    for rows in _blocks(len(games)):
        values: list[list[Any]] = [
            dates(games.time[rows]),
            [names[player] for player in games.a[rows].tolist()],
            [names[player] for player in games.b[rows].tolist()],
            league.strength_a[rows].tolist(),
            league.strength_b[rows].tolist(),
            league.expected[rows].tolist(),
            games.score[rows].tolist(),
        ]
        yield _text(dict(zip(names_of, values, strict=True)), form)


def dates(days: NDArray[np.float64]) -> list[str]:
    """Format days since 1970 as ISO text, to the second."""
    seconds = np.rint(days * SECONDS).astype("datetime64[s]")
    return np.datetime_as_string(seconds, unit="s").tolist()  # type: ignore[no-any-return]


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(low, low + BLOCK) for low in range(0, rows, BLOCK))


def _header(names: Any, form: str) -> Iterator[str]:
    if form == "csv":
        yield ",".join(names) + "\n"


def _text(columns: Mapping[str, list[Any]], form: str) -> str:
    rows = zip(*columns.values(), strict=True)
    if form == "csv":
        return "".join(",".join(map(str, row)) + "\n" for row in rows)
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)
