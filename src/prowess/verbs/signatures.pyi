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
    voter: str | None
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
    active_days: Number  # ics: idle time after which that mean leaves a player out
    advantage: Literal["none", "fitted"] | Number  # bradley_terry, davidson, map, rao_kupper and 1 more: whether the side advantage is fitted with the ratings; elo, federation_elo, glicko, glicko2 and 15 more: lead of the side with the advantage
    alpha: Number  # apterous: points of a game without a margin
    base: Number  # batch_elo, rumble_elo: odds at a lead of `scale`
    beside: Literal["nothing", "mean"] | Number  # iterated_mean: whether the true mean is shown beside it
    beta: Number  # apterous: further points by the margin; trueskill, weng_lin, weng_lin_partial, weng_lin_pl and 2 more: scatter of one performance
    birth: Number  # iterated_mean, map, posterior_mean, smith_complete: lowest rating (extreme_value)
    c8: Number  # iterated_mean, map, posterior_mean, smith_complete: share lost per 1/q of strength (extreme_value)
    cap: Number  # massey: greatest margin that counts
    combine: Literal["mean", "sum"] | Number  # weng_lin_partial, weng_lin_tm_partial: how a side's pairs are put together
    curve: Literal["logistic", "timesharing", "normal", "stob2", "stob3", "stob4", "stob5"] | Number  # iterated_mean, map, normal_elo, posterior_mean and 3 more: the form of the win probability
    damping: Number  # pagerank: chance that a vote is passed on
    defeat: Literal["winning_votes", "margins", "opposition"] | Number  # minimax: what measures a defeat
    departed_days: Number  # smith_complete: idle time after which a player has departed
    deviation_max: Number  # glicko, glicko2: greatest deviation
    draw: Number  # points: points for a draw
    draw_probability: Number  # trueskill: how often equal sides draw
    draws: Literal["ignored", "half", "literal", "davidson", "rao_kupper"] | Number  # apterous: how a newcomer's draws count; bradley_terry, davidson, map, rao_kupper and 1 more: half a win each, a win and a loss, or forecast; iterated_mean, posterior_mean: half a win each, or a win and a loss while others count twice
    drift: Number  # glicko: how fast idle ratings get uncertain
    epsilon: Number  # weng_lin_tm, weng_lin_tm_partial: lead below which a game is drawn
    established: Number  # ics: games after which a player is established
    experience: Number  # prowess: 1: who has played more may be better
    floor_drop: Number  # federation_elo: most that a rating falls below its best
    gamma: Number  # apterous: how steeply a lead counts
    growth: Literal["on", "off"] | Number  # arimaa: whether K grows with each idle week
    h: Number  # ics, normal_elo, smith, smith_by_games and 1 more: twice the most that one game moves a rating
    h_cap: Number  # normal_elo, smith, smith_by_games: greatest h
    h_min: Number  # normal_elo, smith, smith_by_games: least h
    h_of: Literal["constant", "games"] | Number  # normal_elo, smith, smith_by_games, smith_complete: h is the same for all, or shrinks with games played
    half_life: Number  # aps, batch_elo, bivariate_poisson, borda and 21 more: age at which a game counts half
    high_rating: Number  # federation_elo: best rating from which K is k_high
    home: Literal["fitted", "ignored"] | Number  # bivariate_poisson, dixon_coles, massey, poisson_goals: whether home advantage is fitted
    k: Number  # elo, federation_elo, ratio_elo, season_elo and 1 more: most that one game moves a rating; rumble_elo: most that one opponent moves a rating
    k_high: Number  # federation_elo: K from the high rating on
    k_max: Number  # arimaa: K up to which idle weeks raise it
    k_min: Number  # arimaa: K from which idle weeks raise it
    k_new: Number  # federation_elo: K of a newcomer
    kappa: Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more: least part of a variance that a round leaves
    keep: Number  # season_elo: part of a lead that a new season keeps
    lamda: Number  # apterous: most that a long game counts
    law: Literal["poisson", "dixon_coles", "bivariate"] | Number  # bivariate_poisson, dixon_coles, poisson_goals: how the goals of both go together
    limit_sigma: Literal["no", "yes"] | Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more: whether a deviation may never grow
    loss: Number  # points: points for a loss
    mean: Number  # batch_elo, bradley_terry, davidson, rao_kupper and 1 more: mean rating of all players; iterated_mean, map, posterior_mean, smith_complete: mean of the prior (normal); season_elo: rating to which a season draws all
    mode: Literal["whole_field", "per_battle"] | Number  # rumble_elo, rumble_glicko, rumble_glicko2: a battle counts all opponents met so far, or one
    model: Literal["published", "lifetime"] | Number  # normal_elo, smith, smith_by_games: how h shrinks with games
    mu: Number  # apterous: how the length of a game counts
    new_games: Number  # federation_elo: games for which a player is a newcomer
    newcomers_mean: Number  # smith_complete: mean to which a period's newcomers are shifted
    omega: Number  # apterous: games that a newcomer's rating takes
    opening: Number  # prowess: first games, whose margins make the classes
    pairing: Literal["average", "running"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more: score of a pair: mean of its battles, or 0.7 old + 0.3 new
    period_days: Number  # smith_complete: length of a period
    prior: Literal["normal", "extreme_value", "histogram"] | Number  # iterated_mean, map, posterior_mean, smith_complete: what is believed before any game
    reversion: Number  # prowess: how fast idle strengths return to the mean
    rich: Number  # prowess: 1: with recent sides, sides of a league, matchups
    rounds: Number  # apterous: length of a game of unknown length
    samples: Number  # iterated_mean, posterior_mean, smith_complete: more draws are more exact
    scale: Number  # batch_elo, rumble_elo: lead at which the odds are `base` to one; bradley_terry, davidson, rao_kupper: lead at which the odds are 10 to 1; codeforces, elo, federation_elo, ics and 2 more: lead at which the odds are ten to one; iterated_mean, map, normal_elo, posterior_mean and 3 more: lead with odds of ten to one; normal: two deviations; thurstone: spread of performances
    scores: Literal["share", "result"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more: a battle counts by its share of the points, or as won
    sd: Number  # bivariate_poisson, dixon_coles, poisson_goals: deviation of the prior; iterated_mean, map, posterior_mean, smith_complete: standard deviation of the prior (normal)
    seed: Number  # iterated_mean, posterior_mean, smith_complete: number from which the draws are made
    sigma: Number  # apterous: rating of a newcomer who has won or lost all games; normal_elo, smith, smith_by_games, smith_complete: typical difference of two players, for h by games
    skew: Literal["square_root", "none"] | Number  # keener: the weight of one-sided results
    smoothing: Number  # keener: points added to both of a pair
    solver: Literal["halley", "illinois"] | Number  # glicko2: the method for the volatility
    start: Number  # arimaa, codechef, codeforces, elo and 19 more: rating of a newcomer
    start_deviation: Number  # glicko, glicko2, rumble_glicko, rumble_glicko2 and 6 more: deviation of a newcomer
    start_k: Number  # arimaa: K of a newcomer
    start_volatility: Number  # codechef, glicko2, rumble_glicko2: volatility of a newcomer
    strength: Literal["winning_votes", "losing_votes", "margins", "ratio"] | Number  # ranked_pairs, schulze: what a majority is measured by
    tally: Literal["result", "share"] | Number  # batch_elo: a battle counts as won, or by its points; borda, borda_tally, copeland, kemeny and 3 more: a game is a vote by its share of the points, or by who won
    target: Number  # ics: mean rating of the established, to which newcomers are corrected
    tau: Number  # apterous: spread of a newcomer's performance rating; glicko2, rumble_glicko2: how fast volatilities change; trueskill: uncertainty that a round adds; weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more: uncertainty a round adds
    tau_per_day: Number  # trueskill: uncertainty that an idle day adds
    ties: Literal["goals", "fifa", "head_to_head", "uefa", "wins", "berger", "buchholz", "none"] | Number  # points: what separates equal points, in order
    uncertainty: Literal["shrinking", "fixed"] | Number  # arimaa: K with each game
    unranked: Literal["below", "ignored"] | Number  # borda, borda_tally, copeland, kemeny and 3 more: candidates that a ballot leaves out: last, or not compared
    v_max: Number  # codechef: greatest volatility
    v_min: Number  # codechef: least volatility
    variance: Number  # prowess: scatter of strengths
    volatility_from: Literal["capped", "uncapped"] | Number  # codechef: the change that moves it: limited, or all of it
    volatility_max: Number  # glicko2: where the volatility stops
    votes: Literal["games", "margins"] | Number  # pagerank: votes of a loss
    walk: Number  # prowess: how much a strength wanders with time
    win: Number  # points: points for a win
    window: Number  # weng_lin_partial, weng_lin_tm_partial: most places between neighbours
    young_age: Number  # federation_elo: age up to which a player is young
    young_rating: Number  # federation_elo: rating below which the young have k_new

class SharedKeywords(Columns, total=False):
    active_days: Number  # ics: idle time after which that mean leaves a player out
    advantage: Literal["none", "fitted"] | Number  # bradley_terry, davidson, map, rao_kupper and 1 more: whether the side advantage is fitted with the ratings; elo, federation_elo, glicko, glicko2 and 15 more: lead of the side with the advantage
    alpha: Number  # apterous: points of a game without a margin
    base: Number  # batch_elo, rumble_elo: odds at a lead of `scale`
    beside: Literal["nothing", "mean"] | Number  # iterated_mean: whether the true mean is shown beside it
    beta: Number  # apterous: further points by the margin; trueskill, weng_lin, weng_lin_partial, weng_lin_pl and 2 more: scatter of one performance
    birth: Number  # iterated_mean, map, posterior_mean, smith_complete: lowest rating (extreme_value)
    c8: Number  # iterated_mean, map, posterior_mean, smith_complete: share lost per 1/q of strength (extreme_value)
    cap: Number  # massey: greatest margin that counts
    combine: Literal["mean", "sum"] | Number  # weng_lin_partial, weng_lin_tm_partial: how a side's pairs are put together
    curve: Literal["logistic", "timesharing", "normal", "stob2", "stob3", "stob4", "stob5"] | Number  # iterated_mean, map, normal_elo, posterior_mean and 3 more: the form of the win probability
    damping: Number  # pagerank: chance that a vote is passed on
    defeat: Literal["winning_votes", "margins", "opposition"] | Number  # minimax: what measures a defeat
    departed_days: Number  # smith_complete: idle time after which a player has departed
    deviation_max: Number  # glicko, glicko2: greatest deviation
    draw_probability: Number  # trueskill: how often equal sides draw
    draws: Literal["ignored", "half", "literal", "davidson", "rao_kupper"] | Number  # apterous: how a newcomer's draws count; bradley_terry, davidson, map, rao_kupper and 1 more: half a win each, a win and a loss, or forecast; iterated_mean, posterior_mean: half a win each, or a win and a loss while others count twice
    drift: Number  # glicko: how fast idle ratings get uncertain
    epsilon: Number  # weng_lin_tm, weng_lin_tm_partial: lead below which a game is drawn
    established: Number  # ics: games after which a player is established
    experience: Number  # prowess: 1: who has played more may be better
    floor_drop: Number  # federation_elo: most that a rating falls below its best
    gamma: Number  # apterous: how steeply a lead counts
    growth: Literal["on", "off"] | Number  # arimaa: whether K grows with each idle week
    h: Number  # ics, normal_elo, smith, smith_by_games and 1 more: twice the most that one game moves a rating
    h_cap: Number  # normal_elo, smith, smith_by_games: greatest h
    h_min: Number  # normal_elo, smith, smith_by_games: least h
    h_of: Literal["constant", "games"] | Number  # normal_elo, smith, smith_by_games, smith_complete: h is the same for all, or shrinks with games played
    half_life: Number  # aps, batch_elo, bivariate_poisson, borda and 21 more: age at which a game counts half
    high_rating: Number  # federation_elo: best rating from which K is k_high
    home: Literal["fitted", "ignored"] | Number  # bivariate_poisson, dixon_coles, massey, poisson_goals: whether home advantage is fitted
    k: Number  # elo, federation_elo, ratio_elo, season_elo and 1 more: most that one game moves a rating; rumble_elo: most that one opponent moves a rating
    k_high: Number  # federation_elo: K from the high rating on
    k_max: Number  # arimaa: K up to which idle weeks raise it
    k_min: Number  # arimaa: K from which idle weeks raise it
    k_new: Number  # federation_elo: K of a newcomer
    kappa: Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more: least part of a variance that a round leaves
    keep: Number  # season_elo: part of a lead that a new season keeps
    lamda: Number  # apterous: most that a long game counts
    law: Literal["poisson", "dixon_coles", "bivariate"] | Number  # bivariate_poisson, dixon_coles, poisson_goals: how the goals of both go together
    limit_sigma: Literal["no", "yes"] | Number  # weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more: whether a deviation may never grow
    loss: Number  # points: points for a loss
    mean: Number  # batch_elo, bradley_terry, davidson, rao_kupper and 1 more: mean rating of all players; iterated_mean, map, posterior_mean, smith_complete: mean of the prior (normal); season_elo: rating to which a season draws all
    mode: Literal["whole_field", "per_battle"] | Number  # rumble_elo, rumble_glicko, rumble_glicko2: a battle counts all opponents met so far, or one
    model: Literal["published", "lifetime"] | Number  # normal_elo, smith, smith_by_games: how h shrinks with games
    mu: Number  # apterous: how the length of a game counts
    new_games: Number  # federation_elo: games for which a player is a newcomer
    newcomers_mean: Number  # smith_complete: mean to which a period's newcomers are shifted
    omega: Number  # apterous: games that a newcomer's rating takes
    opening: Number  # prowess: first games, whose margins make the classes
    pairing: Literal["average", "running"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more: score of a pair: mean of its battles, or 0.7 old + 0.3 new
    period_days: Number  # smith_complete: length of a period
    prior: Literal["normal", "extreme_value", "histogram"] | Number  # iterated_mean, map, posterior_mean, smith_complete: what is believed before any game
    reversion: Number  # prowess: how fast idle strengths return to the mean
    rich: Number  # prowess: 1: with recent sides, sides of a league, matchups
    rounds: Number  # apterous: length of a game of unknown length
    samples: Number  # iterated_mean, posterior_mean, smith_complete: more draws are more exact
    scale: Number  # batch_elo, rumble_elo: lead at which the odds are `base` to one; bradley_terry, davidson, rao_kupper: lead at which the odds are 10 to 1; codeforces, elo, federation_elo, ics and 2 more: lead at which the odds are ten to one; iterated_mean, map, normal_elo, posterior_mean and 3 more: lead with odds of ten to one; normal: two deviations; thurstone: spread of performances
    scores: Literal["share", "result"] | Number  # aps, pl, rumble_elo, rumble_glicko and 1 more: a battle counts by its share of the points, or as won
    sd: Number  # bivariate_poisson, dixon_coles, poisson_goals: deviation of the prior; iterated_mean, map, posterior_mean, smith_complete: standard deviation of the prior (normal)
    sigma: Number  # apterous: rating of a newcomer who has won or lost all games; normal_elo, smith, smith_by_games, smith_complete: typical difference of two players, for h by games
    skew: Literal["square_root", "none"] | Number  # keener: the weight of one-sided results
    smoothing: Number  # keener: points added to both of a pair
    solver: Literal["halley", "illinois"] | Number  # glicko2: the method for the volatility
    start: Number  # arimaa, codechef, codeforces, elo and 19 more: rating of a newcomer
    start_deviation: Number  # glicko, glicko2, rumble_glicko, rumble_glicko2 and 6 more: deviation of a newcomer
    start_k: Number  # arimaa: K of a newcomer
    start_volatility: Number  # codechef, glicko2, rumble_glicko2: volatility of a newcomer
    strength: Literal["winning_votes", "losing_votes", "margins", "ratio"] | Number  # ranked_pairs, schulze: what a majority is measured by
    tally: Literal["result", "share"] | Number  # batch_elo: a battle counts as won, or by its points; borda, borda_tally, copeland, kemeny and 3 more: a game is a vote by its share of the points, or by who won
    target: Number  # ics: mean rating of the established, to which newcomers are corrected
    tau: Number  # apterous: spread of a newcomer's performance rating; glicko2, rumble_glicko2: how fast volatilities change; trueskill: uncertainty that a round adds; weng_lin, weng_lin_partial, weng_lin_pl, weng_lin_tm and 1 more: uncertainty a round adds
    tau_per_day: Number  # trueskill: uncertainty that an idle day adds
    ties: Literal["goals", "fifa", "head_to_head", "uefa", "wins", "berger", "buchholz", "none"] | Number  # points: what separates equal points, in order
    uncertainty: Literal["shrinking", "fixed"] | Number  # arimaa: K with each game
    unranked: Literal["below", "ignored"] | Number  # borda, borda_tally, copeland, kemeny and 3 more: candidates that a ballot leaves out: last, or not compared
    v_max: Number  # codechef: greatest volatility
    v_min: Number  # codechef: least volatility
    variance: Number  # prowess: scatter of strengths
    volatility_from: Literal["capped", "uncapped"] | Number  # codechef: the change that moves it: limited, or all of it
    volatility_max: Number  # glicko2: where the volatility stops
    votes: Literal["games", "margins"] | Number  # pagerank: votes of a loss
    walk: Number  # prowess: how much a strength wanders with time
    win: Number  # points: points for a win
    window: Number  # weng_lin_partial, weng_lin_tm_partial: most places between neighbours
    young_age: Number  # federation_elo: age up to which a player is young
    young_rating: Number  # federation_elo: rating below which the young have k_new

class Keywords(SharedKeywords, total=False):
    seed: Number  # iterated_mean, posterior_mean, smith_complete: number from which the draws are made

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
    params: Mapping[str, Any] | None = ..., **keywords: Unpack[SharedKeywords],
) -> Diagnosis: ...

def rate_on(
    ratings: Ratings, games: Games | Any, *, forecasts: bool | str | Path = ...,
    memory: str | float | None = ..., sort: bool = ..., temp: str | Path | None = ...,
    **columns: Unpack[Columns],
) -> Ratings: ...

def arena(
    votes: Any, *, control: Sequence[str] | str | None = ...,
    clusters: Sequence[str] | str | None = ..., by: str | None = ..., balance: str | None = ...,
    ridge: float | str = ..., folds: int = ..., level: float = ..., seed: int = ...,
    bootstrap: int = ..., blocks: str | None = ..., **columns: Unpack[Columns],
) -> Arena: ...

def benchmark(
    games: Any, systems: Any = ..., *, metric: str | None = ..., frozen: str | None = ...,
    warm_up: float = ..., until: float = ..., budget: int = ..., level: float = ...,
    cluster: Any = ..., progress: Progress = ..., **columns: Unpack[Columns],
) -> Comparison: ...

def compare(
    games: Any, systems: Any = ..., *, metric: str | None = ..., warm_up: float | None = ...,
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
