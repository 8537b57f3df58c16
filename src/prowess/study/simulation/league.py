"""Simulated leagues: games and the true strengths behind them, in memory and as text.

Text tables can be read by `prowess rate` without options. Numbers are written so that reading gives
the same bits; times are whole seconds, UTC.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting
from prowess.games.dates import format_date
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.reading import format_count
from prowess.study.simulation.play import FIRST_CANDIDATE, GameColumns, loop, outcome_model
from prowess.study.simulation.settings import (
    NEAR,
    RATING,
    ROUND_ROBIN,
    SECONDS_PER_DAY,
    SWISS,
    Births,
    Field,
    LeagueSettings,
    check_settings,
    field_of,
    people_of,
    true_strength,
    whole_seconds,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


BLOCK_ROWS = 65_536  # turned into text at a time


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

    @property
    def headline(self) -> str:
        """The league in one line."""
        games = self.games
        parts = [
            f"{format_count(len(games), 'game')} of {format_count(len(games.players), 'player')}",
            f"the first side scores {games.score.mean():.3f}",
            f"{(games.score == 0.5).mean():.1%} draws",
        ]
        if self.births or self.deaths:
            parts.append(f"{self.births:,} births, {self.deaths:,} deaths")
        return ", ".join([*parts, f"seed {self.seed}"])

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
        raise BadSetting(
            f"give a seed of 0 or more, a whole number, not {seed!r}", code="not_a_seed"
        )
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
    for low in range(0, games, BLOCK_ROWS):
        high = min(games, low + BLOCK_ROWS)
        chance = rng.random((high - low, FIRST_CANDIDATE + looked_at))
        normal = rng.standard_normal((high - low if p.drift else 1, 2))
        with np.errstate(all="ignore"):
            played = play(p, law, people, field, record, low, high, chance, normal)
        if played < high:
            day = format_date(float(record.time[played]))
            raise BadSetting(
                "give more births, longer lives or fewer days: fewer than two players are left "
                f"after {played:,} of {games:,} games, on {day}",
                code="players_died_out",
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


BLOCK_ROWS = 65_536  # rows turned into text at a time
LEAGUE_FORMS = ("csv", "jsonl")
RESULT_TEXTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def game_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the games as text, many rows at a time: date, players, result, other columns."""
    games, side = league.games, league.games.side
    one, other = ("player_a", "player_b") if side is None else ("white", "black")
    columns = {
        **_dates_and_players(league, one, other),
        "result": lambda rows: [RESULT_TEXTS[score] for score in games.score[rows].tolist()],
    }
    also: dict[str, NDArray[Any]] = {}
    if games.round is not None:
        also["round"] = games.round + 1
    if side is not None and not side.all():
        also["neutral"] = np.array(["true", "false"])[side.astype(np.int64)]
    if games.margin is not None:
        also["margin"] = games.margin
    return _lines(columns | _numbers(also), len(games), form)


def player_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the truth about players: strengths (points), birth and death, style, games."""
    truth = league.truth
    alive = np.isnan(truth.died)
    columns: Columns = {
        "player": lambda rows: list(league.games.players)[rows],
        **_numbers({"strength": truth.strength, "strength_at_birth": truth.at_birth}),
        "born": lambda rows: dates(truth.born[rows]),
        "died": lambda rows: np.where(
            alive[rows], "", dates(np.where(alive, 0.0, truth.died)[rows])
        ).tolist(),
        **_numbers({"style": truth.style, "activity": truth.activity, "games": truth.games}),
    }
    return _lines(columns, len(alive), form)


def true_game_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the truth about every game: both strengths (points), expected score of the first."""
    truth = {
        "strength_a": league.strength_a,
        "strength_b": league.strength_b,
        "expected": league.expected,
        "score": league.games.score,
    }
    columns = _dates_and_players(league, "player_a", "player_b") | _numbers(truth)
    return _lines(columns, len(league.games), form)


Columns = dict[str, Callable[[slice], list[Any]]]  # the values of some rows, by heading


def _dates_and_players(league: SimulatedLeague, one: str, other: str) -> Columns:
    games, names = league.games, list(league.games.players)
    time = games.time
    assert time is not None
    return {
        "date": lambda rows: dates(time[rows]),
        one: lambda rows: [names[player] for player in games.a[rows].tolist()],
        other: lambda rows: [names[player] for player in games.b[rows].tolist()],
    }


def _numbers(columns: Mapping[str, NDArray[Any]]) -> Columns:
    return {name: lambda rows, of=of: of[rows].tolist() for name, of in columns.items()}  # type: ignore[misc]


def _lines(columns: Columns, count: int, form: str) -> Iterator[str]:
    """Yield the heading of a CSV, then blocks of rows as text."""
    if form == "csv":
        yield ",".join(columns) + "\n"
    for low in range(0, count, BLOCK_ROWS):
        block = slice(low, low + BLOCK_ROWS)
        rows = zip(*(values(block) for values in columns.values()), strict=True)
        if form == "csv":
            yield "".join(",".join(map(str, row)) + "\n" for row in rows)
        else:
            yield "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)


def dates(days: NDArray[np.float64]) -> list[str]:
    """Format days since 1970 as ISO text, to the second."""
    seconds = np.rint(days * SECONDS_PER_DAY).astype("datetime64[s]")
    return np.datetime_as_string(seconds, unit="s").tolist()  # type: ignore[no-any-return]
