"""An estimator for scikit-learn's pipelines: `PairwiseRater` and `TimeOrderedSplit`.

It needs the extra `sklearn`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.arguments import check_count, is_number, refuse
from prowess.verbs.match import RESULTS

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    remedy = "pip install 'prowess[sklearn]': scikit-learn is not installed"
    raise ModuleNotFoundError(remedy, name=error.name) from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games


__all__ = ["PairwiseRater", "TimeOrderedSplit"]

DAY = 86_400_000.0  # milliseconds
LABELS = 'results of the first player: 0 and 1, -1, 0 and 1, or "loss", "draw" and "win"'
DATES = "dates such as 2026-01-31, or days as numbers"
Column = str | int | None


class PairwiseRater(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A rating system as a classifier of games: who wins, and with what chance.

    A row of X is a game: the first column is a player, the second their opponent. `player_a`,
    `player_b`, `time` and `side` name other columns, by heading or number; `time` orders the games
    of the fit, without it they stand in the order in which they were played; `side` is +1 where the
    first player has White or plays at home. y has the results of the first player: 0 and 1, or -1,
    0 and 1, or 0, 0.5 and 1, or words such as `loss`, `draw`, `win`.

    `system` is a name or a value, `period` a rating period, and every other keyword a parameter of
    the system: `GridSearchCV(PairwiseRater("elo"), {"k": [10, 20, 40]})`. After the fit `ratings_`
    are what `prowess.rate` returns. Forecasts are of the ratings after the games of the fit: no
    time passes, and unknown players are newcomers (to a system that fits the whole table, the
    base rate stands in for them).

    >>> from prowess.sklearn import PairwiseRater
    >>> rater = PairwiseRater("elo", k=40).fit([["Ann", "Bob"], ["Bob", "Cleo"]], ["win", "loss"])
    >>> rater.predict([["Cleo", "Bob"]]).tolist()
    ['win']
    >>> rater.predict_proba([["Cleo", "Bob"]]).round(3).tolist()
    [[0.418, 0.582]]
    """

    def __init__(
        self,
        system: Any = "elo",
        *,
        period: str | None = None,
        player_a: Column = None,
        player_b: Column = None,
        time: Column = None,
        side: Column = None,
        **params: Any,
    ) -> None:
        self.system, self.period = system, period
        self.player_a, self.player_b, self.time, self.side = player_a, player_b, time, side
        self.params = params

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, those of the system included."""
        return {**super().get_params(deep), **self.params}

    def set_params(self, **params: Any) -> PairwiseRater:
        """Set arguments; what is none of this class is a parameter of the system."""
        own = super().get_params(deep=False)
        for name in {*params} & {*own}:
            setattr(self, name, params[name])
        self.params = {**self.params, **{n: v for n, v in params.items() if n not in own}}
        return self

    def fit(self, X: Any, y: Any) -> PairwiseRater:
        """Rate the games of X with the results y."""
        from prowess.verbs.rating import rate

        X, y = validate_data(self, take_cells(X), y, dtype=None, ensure_min_features=2)
        self.classes_ = np.unique(y)
        self._scores = class_scores(self.classes_)
        self._played = np.asarray(X)
        self._results = self._scores[np.searchsorted(self.classes_, y)]
        games, _ = self._table(self._played, self._results)
        self.ratings_: Ratings = rate(games, self.system, period=self.period, params=self.params)
        return self

    def predict_score(self, X: Any) -> Floats:
        """The expected score of the first player of each row, [rows]; a draw counts half."""
        return self._forecast(X)[0]

    def predict_proba(self, X: Any) -> Floats:
        """The chance of each class, [rows, classes], in the order of `classes_`.

        Raises Unratable where there were draws and the system has no chances of them.
        """
        return self._chances(*self._forecast(X))

    def _chances(self, expected: Floats, draw: Floats | None) -> Floats:
        """The chance of each class by expected scores and chances of a draw, [rows, classes]."""
        from prowess.engine.system import Unratable

        if 0.5 not in self._scores:
            draw = np.zeros(len(expected))
        elif draw is None:
            raise Unratable(
                f"take a system with draws, such as prowess or trueskill, or predict_score: "
                f"{self.ratings_.system.name} has no chances of a draw",
                code="no_draws",
            )
        draw = np.minimum(draw, 2.0 * np.minimum(expected, 1.0 - expected))
        win, loss = expected - 0.5 * draw, 1.0 - expected - 0.5 * draw
        chances = np.stack([{0.0: loss, 0.5: draw, 1.0: win}[one] for one in self._scores], axis=1)
        total: Floats = chances.sum(axis=1, keepdims=True)
        return chances / total

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row, [rows]; of a system without chances of a draw the class
        of who is expected to score more.
        """
        expected, draw = self._forecast(X)
        if draw is None and 0.5 in self._scores:
            likeliest = np.array([self._scores.argmin(), self._scores.argmax()])
            return self.classes_[likeliest[(expected >= 0.5).astype(np.int64)]]  # type: ignore[no-any-return]
        return self.classes_[self._chances(expected, draw).argmax(axis=1)]  # type: ignore[no-any-return]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows whose likeliest class is y."""
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=sample_weight))

    def _forecast(self, X: Any) -> tuple[Floats, Floats | None]:
        """Expected scores and chances of a draw from the games of the fit, [rows] each."""
        from prowess.study.cross_validation import forecast_apart

        check_is_fitted(self)
        X = validate_data(self, take_cells(X), dtype=None, reset=False)
        rows = np.concatenate((self._played, X), axis=0)
        games, order = self._table(rows, np.append(self._results, np.full(len(X), 0.5)))
        held = order >= len(self._played)
        expected, draw = forecast_apart(
            games, self.ratings_.system, held, period=self.period, params=self.params
        )
        back = np.argsort(order[held])
        return expected[back], None if draw is None else draw[back]

    def _table(self, rows: NDArray[Any], score: Floats) -> tuple[Games, NDArray[np.int64]]:
        """Games in order of play, and the row of each."""
        from prowess.games import Games

        order, time, side = np.arange(len(rows), dtype=np.int64), None, None
        if self.time is not None:
            time = parse_days(self._column(rows, self.time))
            order = np.argsort(time, kind="stable")
            time = time[order]
        if self.side is not None:
            side = self._column(rows, self.side).astype(np.float64)[order]
        sides = [
            [name_player(one) for one in self._column(rows, usual if given is None else given)]
            for given, usual in ((self.player_a, 0), (self.player_b, 1))
        ]
        names = list(dict.fromkeys(name for pair in zip(*sides, strict=True) for name in pair))
        number = {name: k for k, name in enumerate(names)}
        a, b = (np.array([number[one] for one in who], dtype=np.uint32)[order] for who in sides)
        if (same := np.flatnonzero(a == b)).size:
            raise refuse("name two players in every row", names[a[same[0]]], code="not_two_players")
        return Games(names, a, b, score[order], time=time, side=side), order

    def _column(self, rows: NDArray[Any], column: Column) -> NDArray[Any]:
        """A column by heading or number."""
        return rows[:, find_column(column, getattr(self, "feature_names_in_", ()), rows.shape[1])]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = False  # three results at most, of which one is a draw
        tags.classifier_tags.poor_score = True  # of points in a plane, which no rating can tell
        return tags


def take_cells(X: Any) -> Any:
    """A frame of pandas with cells as they are: NumPy has no common type of dates and numbers."""
    return X.astype(object) if hasattr(X, "columns") and hasattr(X, "astype") else X


def find_column(column: Column, names: Any, width: int) -> int:
    """The number of a column given by heading or number."""
    headings = [str(one) for one in names]
    if isinstance(column, str) and column in headings:
        return headings.index(column)
    if is_number(column, int) and -width <= column < width:  # type: ignore[operator]
        return column  # type: ignore[return-value]
    known = ", ".join(headings) or f"from 0 to {width - 1}"
    raise refuse(f"name one of the columns {known}", column, code="unknown_column")


def name_player(value: Any) -> str:
    """A cell of a column of players as a name: whole numbers without a point."""
    if isinstance(value, str) and value.strip():
        return value.strip()
    if is_number(value):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    raise refuse("name every player by text or number", value, code="name_not_a_text")


def class_scores(classes: NDArray[Any]) -> Floats:
    """The score of each class, [classes]; raises BadArgument for what is no result."""
    found: list[float]
    if all(isinstance(one, str) for one in classes.tolist()):
        found = [RESULTS.get(one.strip().lower(), np.nan) for one in classes.tolist()]
    else:
        numbers = [float(one) for one in classes.tolist() if isinstance(one, bool | int | float)]
        if {*numbers} <= {0.0, 0.5, 1.0}:
            found = numbers
        elif {*numbers} <= {-1.0, 0.0, 1.0}:
            found = [0.5 + 0.5 * one for one in numbers]
        else:
            found = [np.nan]
    if len(found) != len(classes) or len({*found}) < len(found) or np.isnan(found).any():
        raise refuse(
            f"Unknown label type: give y as {LABELS}",
            ", ".join(map(str, classes[:4])),
            code="unknown_labels",
        )
    if len(found) < 2:
        raise refuse(
            "give y with wins and losses: it has one class", str(classes[0]), code="one_class"
        )
    return np.array(found)


def parse_days(column: NDArray[Any]) -> Floats:
    """Dates, moments or ISO texts as days since 1970; numbers stay; raises BadArgument."""
    if all(is_number(one) for one in column):
        return column.astype(np.float64)
    plain = [
        one.timestamp() * 1000.0 if isinstance(one, datetime) and one.tzinfo else one
        for one in column.tolist()
    ]
    try:
        moments = np.array(plain, dtype="datetime64[ms]")
    except (ValueError, TypeError) as error:
        raise refuse(f"give the column of time as {DATES}", str(error), code="not_dates") from None
    if np.isnat(moments).any():
        raise refuse(
            f"give the column of time as {DATES}", "a date that is missing", code="date_missing"
        )
    return moments.astype(np.float64) / DAY


class TimeOrderedSplit:
    """A cross-validator in which every game is forecast from earlier games alone.

    The games are ordered by the column `time` of X (or by `groups`) and cut into `n_splits` + 1
    parts; each part but the first is tested after a fit to all parts before it. Games of one moment
    stay in one part, so that none is forecast from another of the same day.

    >>> from prowess.sklearn import TimeOrderedSplit
    >>> X = [["Ann", "Bob", 3], ["Bob", "Cleo", 1], ["Cleo", "Ann", 1], ["Ann", "Bob", 2]]
    >>> [test.tolist() for _, test in TimeOrderedSplit(2, time=2).split(X)]
    [[3], [0]]
    """

    def __init__(self, n_splits: int = 5, *, time: Column = None) -> None:
        self.n_splits = check_count("n_splits", n_splits, 1)
        self.time = time

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Rows to fit and rows to test, split after split; raises BadArgument for too few days."""
        rows = np.asarray(X, dtype=object)
        if groups is not None:
            time = parse_days(np.asarray(groups, dtype=object))
        elif self.time is None:
            time = np.arange(len(rows), dtype=np.float64)
        else:
            names = getattr(X, "columns", ())
            time = parse_days(rows[:, find_column(self.time, names, rows.shape[1])])
        order = np.argsort(time, kind="stable")
        first = np.flatnonzero(np.append(True, np.diff(time[order]) > 0.0))  # of each moment
        wanted = np.linspace(0, len(order), self.n_splits + 2)[1:-1]
        cuts = np.unique(first[np.abs(first[:, None] - wanted).argmin(axis=0)])
        if len(cuts) < self.n_splits or cuts[0] == 0:
            raise refuse(
                "give fewer n_splits: the games have too few moments",
                self.n_splits,
                code="too_few_moments",
            )
        for low, high in zip(cuts, [*cuts[1:], len(order)], strict=True):
            yield np.sort(order[:low]), np.sort(order[low:high])
