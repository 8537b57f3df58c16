"""Participants of a forecast: their strengths, the chances of their games, and draws.

If ratings have deviations, strengths are sampled: one sample (a world) holds for all games of a
simulated tournament, so that a player who is better than their rating is so in every game.

If the system has no model of draws, they have Davidson's shape, with a size measured on the table.
With win : draw : loss = s : nu : 1/s the chance of a draw is nu sqrt(win * loss). Given the
system's expected score E = win + draw/2 and v = E (1 - E), that is

    draw = 4 nu v / (nu + sqrt(nu^2 + 4 (4 - nu^2) v)),       nu / (2 + nu) at E = 1/2,

so the expected score is kept. nu is such that the expected number of draws in the latest games of
the table is the observed one.

Expected scores of games between sides of known strength are asked for many games at once: the
system's own function of one game is evaluated for every row, compiled for many rows. A deviation is
not part of a strength (`contenders` samples with it), so here it is 0. The strength of a side is
the sum of the parts of its members; without teams it is a rating.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import run_loop
from prowess.engine.fit import WholeTableRatings
from prowess.engine.fits.likelihood import FITTED_DRAWS, OutcomeModel, win_and_draw
from prowess.engine.fits.strengths import Strengths
from prowess.engine.game_forecast import AskedGame, forecast_sides, game_to_come
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.params import Bank
from prowess.engine.places import refuse_infinite
from prowess.engine.rate import DynamicRatings, rate
from prowess.engine.rows import make_function
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.whole_table import Draws, GroupedNormal, Normal, Uncertainty
from prowess.games.runs import reduce_runs, repeat_rows
from prowess.study.lineups import Side, lineups, names_in, side_text

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.engine.system import Chances
    from prowess.games.games import Games


SD_FIELD = "deviation"  # of a rating


def _identity(ratings: Floats) -> Floats:
    return ratings


@dataclass(frozen=True, eq=False)
class GameModel:
    """`ask(sides, mine, theirs, side)` gives expected scores and chances of a draw, [games].

    `sides` is [sides, numbers of a side]; `mine`, `theirs` are rows of it. Draws are None if
    the system has no model of them. `parts(ratings)` are the contributions of players, of ratings
    [players, fields]; without teams it is the rating itself. Both are picklable.
    """

    fields: tuple[str, ...]
    ask: Callable[[Floats, Ids, Ids, Floats], tuple[Floats, Floats | None]]
    parts: Callable[[Floats], Floats] = _identity


def game_model_of(ratings: Ratings) -> GameModel | None:
    """Return the game model of a system, or None if only its own players have chances.

    That is so in a bank, with roles that have parameters of their own, and if a system learns
    numbers that all games share.
    """
    if isinstance(ratings, DynamicRatings):
        system = ratings.system
        with_roles = bool(system.roles) and ratings.table.role is not None
        if isinstance(ratings.p, Bank) or with_roles or system.common is not None:
            return None
        return _dynamic_model(system, ratings.p)
    if isinstance(ratings, WholeTableRatings) and isinstance(ratings.fit.model, Strengths):
        return GameModel(ratings.fields[:1], partial(_ask_fitted, ratings.fit.model))
    return None


def _dynamic_model(system: Dynamic, p: Any) -> GameModel:
    parts = partial(_parts_of_players, system, p) if system.teams else _identity
    return GameModel(tuple(system.rating._fields), partial(_ask_system, system, p), parts)


def _ask_system(
    system: Dynamic, p: Any, sides: Floats, mine: Ids, theirs: Ids, side: Floats
) -> tuple[Floats, Floats | None]:
    asked = AskedGame(p, game_to_come(system, p), sides, ())
    return forecast_sides(system, [asked], None, mine, theirs, side)


def _parts_of_players(system: Dynamic, p: Any, ratings: Floats) -> Floats:
    brought = np.empty((len(ratings), len(system.side)))
    flat = brought.ravel()
    run_loop(parts_loop(system), len(ratings), p, len(ratings), ratings.ravel(), flat)
    return brought


def _strength_of(shape: Any) -> Callable[..., Any]:
    """Return a function (flat, row) -> that row of numbers as a NamedTuple of this shape."""
    width = len(shape)
    read = ", ".join(f"flat[{width} * row + {k}]" for k in range(width))
    return make_function("strength(flat, row)", f"return Shape({read})", shape)


@cache
def parts_loop(system: Dynamic) -> Callable[..., None]:
    """Return a loop for the part of every player in a side, present all of the time."""
    assert system.part is not None
    part, strength, width = system.part, _strength_of(system.rating), len(system.side)

    def loop(p: Any, count: int, flat: Any, out: Any) -> None:
        for k in range(count):
            brought = part(p, strength(flat, k), 1.0)
            for field in range(width):
                out[width * k + field] = brought[field]

    return loop


def _ask_fitted(
    model: Strengths, values: Floats, mine: Ids, theirs: Ids, side: Floats
) -> tuple[Floats, Floats | None]:
    known = model.model
    apart = values[mine, 0] - values[theirs, 0] + model.advantage * side
    expected, draw = np.empty(len(side)), np.zeros(len(side))
    run_loop(likelihood_loop, len(side), known, model.draw, apart, expected, draw)
    draws = known.draws in FITTED_DRAWS or model.drawless
    return expected, draw if draws else None


def likelihood_loop(model: OutcomeModel, t: float, apart: Any, expected: Any, drawn: Any) -> None:
    """Fill in the chances of `likelihood.win_and_draw` at every difference of points."""
    for k in range(len(apart)):
        win, draw = win_and_draw(model, apart[k], t)
        expected[k], drawn[k] = win + 0.5 * draw, draw


# --- participants ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Odds:
    """Chances of the first player, arrays of one shape; with `draw` they leave the loss."""

    win: Floats
    draw: Floats

    @property
    def loss(self) -> Floats:
        """The chance of a loss."""
        return np.maximum(0.0, 1.0 - self.win - self.draw)

    def scores(self, uniform: Floats) -> Floats:
        """Scores of the first player drawn by uniform numbers in [0, 1)."""
        drawn = np.where(uniform < self.win + self.draw, 0.5, 0.0)
        return np.where(uniform < self.win, 1.0, drawn)


@dataclass(frozen=True, eq=False)
class Contenders:
    """Participants by number, and the chances of any game between two of them.

    `strength` [worlds, n, numbers of a side] has one world where ratings are taken as known. `nu`
    is the size of Davidson's draws where the law has none (see `draws`). `rating` [n] ranks the
    field: of a side with several members their mean. `members` has the names of each side's
    members, none where every name is a player's.
    """

    names: tuple[str, ...]
    rating: Floats
    strength: Floats
    law: GameModel
    nu: float
    sided: bool  # whether games of this table have a side with an advantage
    notes: tuple[str, ...] = ()
    members: tuple[tuple[str, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The names by which participants are found in a table of games."""
        return self.members or self.names

    @property
    def worlds(self) -> int:
        """The number of samples of strengths; 1 if they are taken as known."""
        return len(self.strength)

    def world(self, runs: Ids) -> Ids:
        """Return the world of each run."""
        return runs % self.worlds

    def odds(self, world: Ids, a: Ids, b: Ids, side: Floats) -> Odds:
        """Return chances of a against b; arguments are broadcast, side is +1 where a has it."""
        world, a, b, side = np.broadcast_arrays(world, a, b, side)
        if self.worlds == 1 and a.size > self._known.win.size:
            turn = (side + 1.0).astype(np.int64)
            return Odds(self._known.win[turn, a, b], self._known.draw[turn, a, b])
        return self._ask_in_world(world, a, b, side)

    def _ask_in_world(self, world: Ids, a: Ids, b: Ids, side: Floats) -> Odds:
        n, fields = self.strength.shape[1:]
        values = self.strength.reshape(-1, fields)
        mine, theirs = (world * n + a).ravel(), (world * n + b).ravel()
        if 2 * len(mine) < len(values):  # a plain loop would make a list of all of them
            values = values[np.concatenate((mine, theirs))]
            mine, theirs = (
                np.arange(len(mine), dtype=np.int64),
                len(mine) + np.arange(len(theirs), dtype=np.int64),
            )
        expected, draw = self.law.ask(values, mine, theirs, np.array(side).ravel())
        refuse_infinite(expected)
        if draw is None:
            draw = davidson_draws(expected, self.nu)
        win = np.maximum(0.0, expected - 0.5 * draw)
        return Odds(win.reshape(a.shape), draw.reshape(a.shape))

    @cached_property
    def _known(self) -> Odds:
        """Every pair on every side, [3, n, n]: b has the side, neutral, a has it."""
        n = len(self)
        side, a, b = np.meshgrid(
            [-1.0, 0.0, 1.0],
            np.arange(n, dtype=np.int64),
            np.arange(n, dtype=np.int64),
            indexing="ij",
        )
        return self._ask_in_world(np.zeros_like(a), a, b, side)


def contenders(
    ratings: Ratings,
    names: Sequence[Side],
    *,
    worlds: int = 10_000,
    seed: int = 0,
    draws: float | None = None,
) -> Contenders:
    """Return the named players, or line-ups, with strengths sampled `worlds` times or known.

    A line-up is a text (`Ann & Bob`) or the names of its members.

    `draws` is the chance of a draw between equals where the system has no model of draws; None
    measures it on the table. Raises UnknownPlayer, Unratable for a member named twice or too few,
    NoModel for systems without a model of a game.
    """
    names = [_checked_side(side) for side in names]
    if len(names) < 2:
        raise Unratable.of("too_few_players.contenders", names=len(names))
    sides = lineups(ratings, names)
    texts = tuple(map(side_text, names))
    members = tuple(names_in(ratings.players, side) for side in names)
    ids = np.array([member for side in sides for member in side], dtype=np.int64)
    starts = np.cumsum([0, *map(len, sides)], dtype=np.int64)[:-1]
    _chances(ratings, sides[0], sides[1], 0.0)  # raises NoModel
    each = np.asarray(ratings.columns[ratings.fields[0]], dtype=np.float64)[ids]
    rating = reduce_runs(np.add, each, starts) / [len(side) for side in sides]
    law = game_model_of(ratings)
    if law is None:
        law, note = _tabulated_model(ratings, sides), RATINGS_KNOWN
        strength = np.arange(len(sides), dtype=np.float64)[None, :, None]
    else:
        drawn_ratings, note = _draw_ratings(ratings, ids, law, worlds, np.random.default_rng(seed))
        if note != RATINGS_KNOWN:
            note += f" (seed {seed})"
        parts = law.parts(drawn_ratings.reshape(-1, drawn_ratings.shape[2]))
        strength = parts.reshape(*drawn_ratings.shape[:2], -1)
        if len(ids) > len(sides):
            strength = reduce_runs(np.add, strength, starts, axis=1)
    if not np.isfinite(strength).all():
        lost = texts[int(np.flatnonzero(~np.isfinite(strength).all(axis=(0, 2)))[0])]
        raise Unratable.of("player_without_games.contenders", lost=lost)
    none = np.zeros(1, dtype=np.int64)
    modelled = law.ask(strength.reshape(-1, strength.shape[2]), none, none + 1, np.zeros(1))[1]
    nu, draw_note = 0.0, "draws by the system's own model"
    if modelled is None:
        nu = measure_draws(ratings) if draws is None else nu_of(draws)
        draw_note = f"draws {'measured on the table' if draws is None else 'as given'}: "
        draw_note += f"{share_of(nu):.1%} of games between equals"
    elif draws is not None:
        raise Unratable.of("draws_known", system=ratings.system.name)
    side = getattr(ratings.table, "side", None)
    sided = side is not None and bool(np.any(side))
    return Contenders(texts, rating, strength, law, nu, sided, (note, draw_note), members)


def _checked_side(side: Any) -> Side:
    """Return a text or the names of several members; raises UnknownPlayer for anything else."""
    if isinstance(side, str | list | tuple):
        return side
    raise UnknownPlayer.of("name_not_a_text.contenders", side=side)


RATINGS_KNOWN = "ratings are taken as known"
STRENGTHS_DRAWN = "strengths are drawn from what is known of the ratings, once a run"


def _draw_ratings(
    ratings: Ratings, ids: Ids, law: GameModel, worlds: int, random: np.random.Generator
) -> tuple[Floats, str]:
    """Sample ratings of players [worlds, n, fields]; also return a note on how."""
    values = np.stack([ratings.columns[f] for f in law.fields], axis=1).astype(np.float64)[ids]
    if isinstance(ratings, WholeTableRatings):
        sure = ratings.fit.uncertainty
        if sure is None:
            return values[None], RATINGS_KNOWN
        return _draw_jointly(sure, values[:, 0], ids, worlds, random)[
            :, :, None
        ], f"{STRENGTHS_DRAWN}, jointly"
    if SD_FIELD not in law.fields:
        return values[None], RATINGS_KNOWN
    unsure = law.fields.index(SD_FIELD)
    strength = repeat_rows(values[None], worlds, axis=0)
    strength[:, :, 0] += values[:, unsure] * random.standard_normal((worlds, len(ids)))
    strength[:, :, unsure] = 0.0
    return strength, STRENGTHS_DRAWN


def _draw_jointly(
    sure: Uncertainty, rating: Floats, ids: Ids, worlds: int, random: np.random.Generator
) -> Floats:
    """Sample the ratings of some players jointly, [worlds, n]."""
    if isinstance(sure, Draws):
        chosen: Floats = sure.ratings[random.integers(len(sure.ratings), size=worlds)][:, ids]
        return chosen
    if isinstance(sure, Normal):
        covariance = sure.covariance[np.ix_(ids, ids)]
    elif isinstance(sure, GroupedNormal):
        covariance = sure.columns(ids)[ids]
    else:
        covariance = np.diag(sure.deviations()[ids] ** 2)
    if not np.isfinite(covariance).all():
        return np.full((worlds, len(ids)), np.nan)
    size, turn = np.linalg.eigh(0.5 * (covariance + covariance.T))
    root = turn * np.sqrt(np.maximum(size, 0.0))
    drawn_apart: Floats = rating + random.standard_normal((worlds, len(ids))) @ root.T
    return drawn_apart


def _chances(ratings: Ratings, a: Sequence[int], b: Sequence[int], side: float) -> Chances:
    """Return the chances of two line-ups, by number."""
    if len(a) == len(b) == 1:
        return ratings.chances(a[0], b[0], side)
    return ratings.chances([(k, 1.0) for k in a], [(k, 1.0) for k in b], side)


def _tabulated_model(ratings: Ratings, sides: Sequence[Sequence[int]]) -> GameModel:
    """Return the model of a system that knows only its own players: a strength is a number."""
    return GameModel(("number",), TabulatedChances(ratings, sides))


class TabulatedChances:
    """The chances of pairs of sides by number, each asked for once."""

    def __init__(self, ratings: Ratings, sides: Sequence[Sequence[int]]) -> None:
        self.ratings = ratings
        self.sides = [side[0] if len(side) == 1 else [(k, 1.0) for k in side] for side in sides]
        self.known: dict[tuple[float, ...], tuple[float, float]] = {}

    def __call__(
        self, values: Floats, mine: Ids, theirs: Ids, side: Floats
    ) -> tuple[Floats, Floats | None]:
        """See GameModel."""
        asked = np.stack((values[mine, 0], values[theirs, 0], side), axis=1)
        rows, place = np.unique(asked, axis=0, return_inverse=True)
        keys = list(map(tuple, rows.tolist()))
        fresh = rows[[key not in self.known and key[0] != key[1] for key in keys]]
        if len(fresh):
            a, b = (fresh[:, k].astype(np.int64) for k in (0, 1))
            expected, drawn = self.ratings.forecast_pairs(self.sides, a, b, fresh[:, 2])
            draws = np.full(len(fresh), np.nan) if drawn is None else drawn
            found = zip(expected.tolist(), draws.tolist(), strict=True)
            self.known |= dict(zip(map(tuple, fresh.tolist()), found, strict=True))
        columns = np.array([self.known.get(key, (0.5, np.nan)) for key in keys])[place.ravel()]
        modelled = not np.isnan(columns[:, 1]).all()
        return columns[:, 0], np.nan_to_num(columns[:, 1]) if modelled else None


LATEST = 5_000  # games from which the share of draws is measured


def davidson_draws(expected: Floats, nu: float) -> Floats:
    """Return the chance of a draw at an expected score, by Davidson's law."""
    if nu == 0.0:
        return np.zeros_like(expected)
    v = expected * (1.0 - expected)
    chance: Floats = 4.0 * nu * v / (nu + np.sqrt(nu * nu + 4.0 * (4.0 - nu * nu) * v))
    return chance


def nu_of(share: float) -> float:
    """Return Davidson's nu at which equals draw with this chance, in [0, 1)."""
    return 2.0 * share / (1.0 - share)


def share_of(nu: float) -> float:
    """Return the chance of a draw between equals."""
    return nu / (2.0 + nu)


def measure_draws(ratings: Ratings) -> float:
    """Measure nu on the latest games of the table; 0 for contests and without draws.

    A system that rates game by game is used by its forecasts before each game, a whole-table
    system by its current chances. If all games were drawn, equals draw with the chance 0.999.
    """
    table = ratings.table
    if not table.pairwise or not len(table):
        return 0.0
    from scipy.optimize import brentq

    first = max(0, len(table) - LATEST)
    share = float((table.score[first:] == 0.5).mean())
    if share == 0.0:
        return 0.0
    if isinstance(ratings, DynamicRatings):
        expected = forecasts_before(ratings)[first:]
    else:
        side = np.zeros(len(table)) if table.side is None else table.side
        a, b = table.a[first:].astype(np.int64), table.b[first:].astype(np.int64)
        expected, _ = ratings.forecast_players(a, b, side[first:])
    largest = nu_of(0.999)
    if float(davidson_draws(expected, largest).mean()) <= share:
        return largest
    nu = brentq(lambda nu: float(davidson_draws(expected, nu).mean()) - share, 0.0, largest)
    return float(nu)


def forecasts_before(ratings: DynamicRatings) -> Floats:
    """Return the forecasts before each game, in the order of play; replay if not kept."""
    kept = ratings.forecasts
    if kept is not None:
        return kept if ratings.rounds.order is None else kept[ratings.rounds.order]
    again = rate_again(ratings, ratings.table, forecasts=True)
    assert again.forecasts is not None
    return again.forecasts


def rate_again(ratings: DynamicRatings, table: Games, *, forecasts: bool = False) -> DynamicRatings:
    """Rate a table of the same players as these ratings were made."""
    return rate(
        table,
        ratings.system,
        period=ratings.period,
        start={ratings.players[k]: values for k, values in ratings.start.items()},
        rules=ratings.rules,
        forecasts=forecasts,
        params=ratings.params,
    )
