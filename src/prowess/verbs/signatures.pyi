"""Signatures that editors complete; written by `make readme` from the declarations."""

# fmt: off
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from numpy.typing import NDArray

from prowess.engine.check import System
from prowess.engine.inflation import Rule
from prowess.engine.league_ratings import LeagueRatings
from prowess.engine.ratings import Ratings
from prowess.engine.tabular import ResultTable
from prowess.games.cells.skipped_rows import SkipBad
from prowess.games.errors import BadData
from prowess.games.games import Games
from prowess.games.layout import Columns as Headings
from prowess.study.arena import Arena
from prowess.study.backtest import Backtest
from prowess.study.compare import Comparison
from prowess.study.diagnosis.diagnose import Diagnosis
from prowess.study.sequential import SequentialTest
from prowess.study.stack import Stack
from prowess.study.tuning.outcome import TuningResult
from prowess.verbs.judge import Progress
from prowess.verbs.match import MatchSystem

Number = float | str | Sequence[float | str] | NDArray[Any]  # several values make a bank

class Columns(TypedDict, total=False):
    format: str | None
    table: str | None
    sql: str | None
    delimiter: str | None
    encoding: str | None
    kind: Literal['games', 'contests'] | None
    player_a: Headings | None
    player_b: Headings | None
    result: str | None
    score_a: str | None
    score_b: str | None
    winner: Headings | None
    loser: Headings | None
    draw: str | None
    time: str | None
    round: Headings | None
    neutral: str | None
    weight: str | None
    margin: str | None
    length: str | None
    league: str | None
    context: str | None
    variant: str | None
    contest: Headings | None
    player: Headings | None
    team: str | None
    share: str | None
    place: str | None
    points: Headings | None
    facts: Headings
    fact_prefix: str | None
    forecast: Headings | Mapping[str, Headings]
    odds: Headings | Mapping[str, Headings]
    per: Headings
    with_: Headings | Mapping[str, Headings]
    family: bool
    unplaced: Literal['last', 'skip'] | None
    teams: Literal['members', 'commas', 'names'] | None
    side: str | None
    score: Literal['share'] | None
    date_format: str | None
    byes: Literal['players', 'names', 'wins'] | None
    walkovers: Literal['wins'] | None
    order: str | None
    outcomes: Mapping[str, float | None] | None
    names: Any
    season: str | None
    player_facts: Any
    plan: Any
    where: Mapping[str, Any] | None
    exclude: Mapping[str, Any] | None
    skip_bad: SkipBad
    report: Callable[[BadData], Any] | None
    warn: bool

class Parameters(TypedDict, total=False):
    active_days: Number  # ics
    advantage: Literal["none", "fitted"] | Number  # bradley_terry, davidson, elo, federation_elo and 20 more
    alpha: Number  # apterous
    base: Number  # batch_elo, rumble_elo
    beside: Literal["nothing", "mean"] | Number  # iterated_mean
    beta: Number  # apterous, trueskill, weng_lin, weng_lin_partial and 3 more
    birth: Number  # iterated_mean, map, posterior_mean, smith_complete
    c8: Number  # iterated_mean, map, posterior_mean, smith_complete
    cap: Number  # massey
    combine: Literal["mean", "sum"] | Number  # weng_lin_partial, weng_lin_tm_partial
    curve: Literal["logistic", "timesharing", "normal", "stob2", "stob3", "stob4", "stob5"] | Number  # iterated_mean, map, normal_elo, posterior_mean and 3 more
    damping: Number  # pagerank
    defeat: Literal["winning_votes", "margins", "opposition"] | Number  # minimax
    departed_days: Number  # smith_complete
    deviation_max: Number  # glicko, glicko2
    draw: Number  # points
    draw_probability: Number  # trueskill
    draws: Literal["ignored", "half", "literal", "davidson", "rao_kupper"] | Number  # apterous, bradley_terry, davidson, iterated_mean and 4 more
    drift: Number  # glicko
    epsilon: Number  # weng_lin_tm, weng_lin_tm_partial
    established: Number  # ics
    experience: Number  # prowess
    floor_drop: Number  # federation_elo
    gamma: Number  # apterous
    growth: Literal["on", "off"] | Number  # arimaa
    h: Number  # ics, normal_elo, smith, smith_by_games and 1 more
    h_cap: Number  # normal_elo, smith, smith_by_games
    h_min: Number  # normal_elo, smith, smith_by_games
    h_of: Literal["constant", "games"] | Number  # normal_elo, smith, smith_by_games, smith_complete
    half_life: Number  # aps, batch_elo, borda, borda_tally and 18 more
    high_rating: Number  # federation_elo
    home: Literal["ignored", "fitted"] | Number  # massey
    k: Number  # elo, federation_elo, ratio_elo, rumble_elo and 2 more
    k_high: Number  # federation_elo
    k_max: Number  # arimaa
    k_min: Number  # arimaa
    k_new: Number  # federation_elo
    kappa: Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more
    keep: Number  # season_elo
    lamda: Number  # apterous
    limit_sigma: Literal["no", "yes"] | Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more
    loss: Number  # points
    mean: Number  # batch_elo, bradley_terry, davidson, iterated_mean and 6 more
    mode: Literal["whole_field", "per_battle"] | Number  # rumble_elo, rumble_glicko, rumble_glicko2
    model: Literal["published", "lifetime"] | Number  # normal_elo, smith, smith_by_games
    mu: Number  # apterous
    new_games: Number  # federation_elo
    newcomers_mean: Number  # smith_complete
    omega: Number  # apterous
    opening: Number  # prowess
    pairing: Literal["average", "running"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more
    period_days: Number  # smith_complete
    prior: Literal["normal", "extreme_value", "histogram"] | Number  # iterated_mean, map, posterior_mean, smith_complete
    reversion: Number  # prowess
    rich: Number  # prowess
    rounds: Number  # apterous
    samples: Number  # iterated_mean, posterior_mean, smith_complete
    scale: Number  # batch_elo, bradley_terry, codeforces, davidson and 15 more
    scores: Literal["share", "result"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more
    sd: Number  # iterated_mean, map, posterior_mean, smith_complete
    seed: Number  # iterated_mean, posterior_mean, smith_complete
    sigma: Number  # apterous, normal_elo, smith, smith_by_games and 1 more
    skew: Literal["square_root", "none"] | Number  # keener
    smoothing: Number  # keener
    solver: Literal["halley", "illinois"] | Number  # glicko2
    start: Number  # arimaa, codechef, codeforces, elo and 19 more
    start_deviation: Number  # glicko, glicko2, rumble_glicko, rumble_glicko2 and 6 more
    start_k: Number  # arimaa
    start_volatility: Number  # codechef, glicko2, rumble_glicko2
    strength: Literal["winning_votes", "losing_votes", "margins", "ratio"] | Number  # ranked_pairs, schulze
    tally: Literal["result", "share"] | Number  # batch_elo, borda, borda_tally, copeland and 4 more
    target: Number  # ics
    tau: Number  # apterous, glicko2, rumble_glicko2, trueskill and 5 more
    tau_per_day: Number  # trueskill
    ties: Literal["goals", "fifa", "head_to_head", "uefa", "wins", "berger", "buchholz", "none"] | Number  # points
    uncertainty: Literal["shrinking", "fixed"] | Number  # arimaa
    unranked: Literal["below", "ignored"] | Number  # borda, borda_tally, copeland, kemeny and 3 more
    v_max: Number  # codechef
    v_min: Number  # codechef
    variance: Number  # prowess
    volatility_from: Literal["capped", "uncapped"] | Number  # codechef
    volatility_max: Number  # glicko2
    votes: Literal["games", "margins"] | Number  # pagerank
    walk: Number  # prowess
    win: Number  # points
    window: Number  # weng_lin_partial, weng_lin_tm_partial
    young_age: Number  # federation_elo
    young_rating: Number  # federation_elo

class SharedKeywords(Columns, total=False):
    active_days: Number  # ics
    advantage: Literal["none", "fitted"] | Number  # bradley_terry, davidson, elo, federation_elo and 20 more
    alpha: Number  # apterous
    base: Number  # batch_elo, rumble_elo
    beside: Literal["nothing", "mean"] | Number  # iterated_mean
    beta: Number  # apterous, trueskill, weng_lin, weng_lin_partial and 3 more
    birth: Number  # iterated_mean, map, posterior_mean, smith_complete
    c8: Number  # iterated_mean, map, posterior_mean, smith_complete
    cap: Number  # massey
    combine: Literal["mean", "sum"] | Number  # weng_lin_partial, weng_lin_tm_partial
    curve: Literal["logistic", "timesharing", "normal", "stob2", "stob3", "stob4", "stob5"] | Number  # iterated_mean, map, normal_elo, posterior_mean and 3 more
    damping: Number  # pagerank
    defeat: Literal["winning_votes", "margins", "opposition"] | Number  # minimax
    departed_days: Number  # smith_complete
    deviation_max: Number  # glicko, glicko2
    draw_probability: Number  # trueskill
    draws: Literal["ignored", "half", "literal", "davidson", "rao_kupper"] | Number  # apterous, bradley_terry, davidson, iterated_mean and 4 more
    drift: Number  # glicko
    epsilon: Number  # weng_lin_tm, weng_lin_tm_partial
    established: Number  # ics
    experience: Number  # prowess
    floor_drop: Number  # federation_elo
    gamma: Number  # apterous
    growth: Literal["on", "off"] | Number  # arimaa
    h: Number  # ics, normal_elo, smith, smith_by_games and 1 more
    h_cap: Number  # normal_elo, smith, smith_by_games
    h_min: Number  # normal_elo, smith, smith_by_games
    h_of: Literal["constant", "games"] | Number  # normal_elo, smith, smith_by_games, smith_complete
    half_life: Number  # aps, batch_elo, borda, borda_tally and 18 more
    high_rating: Number  # federation_elo
    home: Literal["ignored", "fitted"] | Number  # massey
    k: Number  # elo, federation_elo, ratio_elo, rumble_elo and 2 more
    k_high: Number  # federation_elo
    k_max: Number  # arimaa
    k_min: Number  # arimaa
    k_new: Number  # federation_elo
    kappa: Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more
    keep: Number  # season_elo
    lamda: Number  # apterous
    limit_sigma: Literal["no", "yes"] | Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more
    loss: Number  # points
    mean: Number  # batch_elo, bradley_terry, davidson, iterated_mean and 6 more
    mode: Literal["whole_field", "per_battle"] | Number  # rumble_elo, rumble_glicko, rumble_glicko2
    model: Literal["published", "lifetime"] | Number  # normal_elo, smith, smith_by_games
    mu: Number  # apterous
    new_games: Number  # federation_elo
    newcomers_mean: Number  # smith_complete
    omega: Number  # apterous
    opening: Number  # prowess
    pairing: Literal["average", "running"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more
    period_days: Number  # smith_complete
    prior: Literal["normal", "extreme_value", "histogram"] | Number  # iterated_mean, map, posterior_mean, smith_complete
    reversion: Number  # prowess
    rich: Number  # prowess
    rounds: Number  # apterous
    samples: Number  # iterated_mean, posterior_mean, smith_complete
    scale: Number  # batch_elo, bradley_terry, codeforces, davidson and 15 more
    scores: Literal["share", "result"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more
    sd: Number  # iterated_mean, map, posterior_mean, smith_complete
    sigma: Number  # apterous, normal_elo, smith, smith_by_games and 1 more
    skew: Literal["square_root", "none"] | Number  # keener
    smoothing: Number  # keener
    solver: Literal["halley", "illinois"] | Number  # glicko2
    start: Number  # arimaa, codechef, codeforces, elo and 19 more
    start_deviation: Number  # glicko, glicko2, rumble_glicko, rumble_glicko2 and 6 more
    start_k: Number  # arimaa
    start_volatility: Number  # codechef, glicko2, rumble_glicko2
    strength: Literal["winning_votes", "losing_votes", "margins", "ratio"] | Number  # ranked_pairs, schulze
    tally: Literal["result", "share"] | Number  # batch_elo, borda, borda_tally, copeland and 4 more
    target: Number  # ics
    tau: Number  # apterous, glicko2, rumble_glicko2, trueskill and 5 more
    tau_per_day: Number  # trueskill
    ties: Literal["goals", "fifa", "head_to_head", "uefa", "wins", "berger", "buchholz", "none"] | Number  # points
    uncertainty: Literal["shrinking", "fixed"] | Number  # arimaa
    unranked: Literal["below", "ignored"] | Number  # borda, borda_tally, copeland, kemeny and 3 more
    v_max: Number  # codechef
    v_min: Number  # codechef
    variance: Number  # prowess
    volatility_from: Literal["capped", "uncapped"] | Number  # codechef
    volatility_max: Number  # glicko2
    votes: Literal["games", "margins"] | Number  # pagerank
    walk: Number  # prowess
    win: Number  # points
    window: Number  # weng_lin_partial, weng_lin_tm_partial
    young_age: Number  # federation_elo
    young_rating: Number  # federation_elo

class Keywords(SharedKeywords, total=False):
    seed: Number  # iterated_mean, posterior_mean, smith_complete

def rate(
    games: Games | Any, system: str | System | None = ..., *, period: str | None = ...,
    as_of: str | date | float | None = ..., initial: Mapping[str, Mapping[str, float]] | None = ...,
    rules: Sequence[Rule] = ..., forecasts: bool | str | Path = ..., frozen: str | None = ...,
    anchors: Mapping[str, float] | None = ..., level: float = ..., reference: str | None = ...,
    compiled: bool | None = ..., progress: Callable[[int, int], None] | None = ...,
    cluster: Any = ..., memory: str | float | None = ..., resume: str | Path | None = ...,
    checkpoint_every: float = ..., sort: bool = ..., temp: str | Path | None = ...,
    params: Mapping[str, Any] | None = ..., **keywords: Unpack[Keywords],
) -> Ratings: ...

def rate_leagues(
    games: Games | Any, system: str | System | None = ..., *, by: str | Sequence[str] = ...,
    period: str | None = ..., as_of: str | date | float | None = ..., rules: Sequence[Rule] = ...,
    level: float = ..., reference: str | None = ..., compiled: bool | None = ...,
    progress: Callable[[int, int], None] | None = ..., cluster: Any = ...,
    memory: str | float | None = ..., resume: str | Path | None = ...,
    checkpoint_every: float = ..., sort: bool = ..., temp: str | Path | None = ...,
    params: Mapping[str, Any] | None = ..., **keywords: Unpack[Keywords],
) -> LeagueRatings: ...

def backtest(
    games: Any, system: Any = ..., *, period: str | None = ..., frozen: str | None = ...,
    warm_up: float = ..., params: Mapping[str, Any] | None = ..., **keywords: Unpack[Keywords],
) -> Backtest: ...

def tune(
    games: Any, system: Any = ..., *,
    over: Mapping[str, tuple[float, float] | None] | Sequence[str] | None = ...,
    period: str | None = ..., metric: str | None = ..., warm_up: float = ..., until: float = ...,
    seed: int = ..., budget: int = ..., starts: int = ..., search: str = ..., level: float = ...,
    resume: str | Path | None = ..., cluster: Any = ..., progress: Progress = ...,
    params: Mapping[str, Any] | None = ..., **keywords: Unpack[SharedKeywords],
) -> TuningResult: ...

def diagnose(
    games: Any, system: Any = ..., *, period: str | None = ..., level: float = ..., seed: int = ...,
    voter: str | None = ..., params: Mapping[str, Any] | None = ...,
    **keywords: Unpack[SharedKeywords],
) -> Diagnosis: ...

def rate_on(
    ratings: Ratings, games: Games | Any, *, forecasts: bool | str | Path = ...,
    memory: str | float | None = ..., sort: bool = ..., temp: str | Path | None = ...,
    **columns: Unpack[Columns],
) -> Ratings: ...

def arena(
    votes: Any, *, control: Sequence[str] | str | None = ..., voter: str | None = ...,
    clusters: Sequence[str] | str | None = ..., by: str | None = ..., balance: str | None = ...,
    ridge: float | str = ..., folds: int = ..., level: float = ..., seed: int = ...,
    **columns: Unpack[Columns],
) -> Arena: ...

def compare(
    games: Any, systems: Any = ..., *, metric: str | None = ..., warm_up: float = ...,
    folds: int | None = ..., by_column: str | None = ..., frozen: str | None = ...,
    level: float = ..., seed: int = ..., cluster: Any = ..., progress: Progress = ...,
    **columns: Unpack[Columns],
) -> Comparison: ...

def sprt(
    games: Any = ..., program: str | None = ..., *, counts: Sequence[int] | None = ...,
    elo0: float = ..., elo1: float = ..., alpha: float = ..., beta: float = ..., model: str = ...,
    unit: str | None = ..., overshoot: bool = ..., **columns: Unpack[Columns],
) -> SequentialTest: ...

def stack(
    games: Any, systems: Any = ..., *, warm_up: float = ..., cluster: Any = ...,
    progress: Progress = ..., **columns: Unpack[Columns],
) -> Stack: ...

def table(
    games: Any, systems: Any, **columns: Unpack[Columns],
) -> ResultTable: ...

def triangles(
    games: Any, top: int | None = ..., *, significance: float | None = ...,
    **columns: Unpack[Columns],
) -> ResultTable: ...

def read_games(
    source: Any, *, compiled: bool | None = ..., **options: Unpack[Columns]
) -> Games: ...

def system(
    name: Any = ..., **params: Unpack[Parameters],
) -> MatchSystem: ...
