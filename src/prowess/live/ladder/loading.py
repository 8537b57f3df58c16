"""Make ladders: empty, from the columns of a store, or from the bytes of a saved log.

The ladder of a whole-table system, `FittedLadder`, is fitted again in a background thread. Its
results are those of a ladder of a dynamic system, whose interim ratings are shown until the first
fit is finished.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from io import BytesIO
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import WholeTableRatings, fit_table, refuse_table
from prowess.engine.params import BadSetting, settings
from prowess.engine.periods import BY_LABEL
from prowess.engine.system import Dynamic, Unratable
from prowess.games.games import Games, gather_runs
from prowess.games.numbering import number_by_appearance
from prowess.live.ladder.ladder import (
    Ladder,
    LadderView,
    PlayersView,
    PlayerValues,
    Preview,
    advance_ratable,
    build_preview,
)
from prowess.live.ladder.log import EXTRAS, ResultLog, number_label
from prowess.live.ladder.players import Names, Players
from prowess.live.ladder.state import LadderState, advance
from prowess.live.result import CONTESTS, FIELD_DEFAULTS, days
from prowess.systems.catalogue import find

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.check import System
    from prowess.engine.ratings import Ratings
    from prowess.engine.whole_table import WholeTable
    from prowess.live.result import Changes


INTERIM = "elo"  # the system whose ratings are shown until those of a whole table are fitted


def load_ladder(
    given: Mapping[str, Any] | bytes,
    system: str | System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str,
    extra: Sequence[str],
    names: Names,
) -> Ladder:
    """A ladder of results that count: columns, in any order, or the bytes of `pack_log`.

    All have id and time (microseconds), and weight where it is not the usual one. Games have
    score, side, those of `extra`, round (texts) where rounds go by label; and a and b (the store's
    numbers), or, where sides have several members, ends, player and share as a table has them.
    Contests have start, player, and per side place and points; ends and share where sides have
    several members. Raises Unratable, BadSetting, BadPeriod, BadRounds, UnknownSystem; ValueError
    for bytes that are damaged or of other columns.
    """
    chosen = played = find(system)
    constants = settings(chosen, params)
    if not isinstance(chosen, Dynamic):
        if period is not None:
            raise BadSetting.of("no_periods.static", system=chosen.name)
        played = find(INTERIM)
        constants = settings(played, {})
    columns = column_names(kind, extra, period == BY_LABEL)
    if isinstance(given, bytes):
        players, log = unpack_log(given, columns, names)
    else:
        players, log = build_log(given, columns, kind == CONTESTS, names)
    assert isinstance(played, Dynamic)
    state = LadderState.of(played, constants, period, players, log)
    if isinstance(chosen, Dynamic):
        return Ladder(state)
    return FittedLadder(chosen, params, state)


def preview_replacement(now: LadderView, count: int, after: Ladder) -> Preview:
    """The preview of replacing a ladder, of which this is shown of `count` results, by another."""
    later = after.view()
    counts = count, len(after), len(after)
    preview = build_preview(now.ratings, later.ratings, *counts)
    return preview._replace(trouble=later.trouble, interim=later.interim)


# -- from columns as a store gives them --


def column_names(kind: str, extra: Sequence[str], labelled: bool) -> dict[str, list[str]]:
    """The columns that a category keeps of its results, and of their sides."""
    if kind == CONTESTS:
        points = ["points"] if "points" in extra else []
        return {"results": ["id", "time", "weight"], "sides": ["place", *points]}
    asked = [name for word in extra for name in EXTRAS[word]]
    rounds = ["round"] if labelled else []
    return {"results": ["id", "time", "weight", "score", "side", *asked, *rounds], "sides": []}


def build_log(
    given: Mapping[str, Any], columns: Mapping[str, Sequence[str]], contests: bool, names: Names
) -> tuple[Players, ResultLog]:
    """The players and the log of columns in any order; see `load_ladder`."""
    if not len(given.get("id", ())):
        given = {
            name: np.empty(0) for name in ("id", "time", "a", "b", "player", "place", "points")
        }
        given["start"] = np.zeros(1, dtype=np.int64)
    count = len(given["id"])
    order = np.lexsort((given["id"], given["time"]))
    start = given["start"] if contests else np.arange(0, 2 * count + 1, 2, dtype=np.int64)
    ends = given["ends"] if "ends" in given else np.arange(start[-1] + 1, dtype=np.int64)
    player = given["player"] if contests or "ends" in given else None
    if player is None:  # games of one player against one
        player = np.stack((given["a"], given["b"]), axis=1).ravel()
    sides, start = gather_runs(start, order)
    members, ends = gather_runs(ends, sides)
    moments: Any = np.asarray(given["time"], dtype=np.int64)
    known = {**given, "time": days(moments)}
    labels: dict[str, int] | None = None
    if "round" in columns["results"]:
        labels, texts = {}, given.get("round")
        texts = [None] * count if texts is None else np.asarray(texts, dtype=object)[order].tolist()
        known["round"] = np.empty(count, dtype=np.int32)
        known["round"][order] = [number_label(labels, one) for one in texts]
    results = {}
    for name in columns["results"]:
        column = known.get(name)
        if column is None:
            column = np.full(count, FIELD_DEFAULTS.get(name, np.nan))
        results[name] = column[order]
    ids, row = number_by_appearance(np.asarray(player, dtype=np.int64)[members])
    share = given["share"][members] if "share" in given else np.ones(len(members))
    levels = {
        "results": results,
        "members": {"player": row, "share": share},
        "ends": {"ends": ends},
    }
    if contests:
        levels["sides"] = {name: given[name][sides] for name in columns["sides"]}
        levels["start"] = {"start": start}
    return Players(ids, names), ResultLog.of(levels, labels).narrow()


# -- as bytes: the one persisted cache, so that a start need not read every result --

LOG_TAG = "log 1"  # of the bytes


def pack_log(state: LadderState) -> bytes:
    """The log of a ladder as bytes: arrays and a head of JSON, no pickle."""
    arrays: dict[str, Any] = {"ids": state.players.ids}
    for level, block in state.log.levels.items():
        arrays |= {f"{level}.{name}": column for name, column in block.part(0, block.count).items()}
    head = json.dumps({"form": LOG_TAG, "labels": state.log.labels})
    arrays["head"] = np.frombuffer(head.encode(), dtype=np.uint8)
    data = BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def unpack_log(
    data: bytes, columns: Mapping[str, Sequence[str]], names: Names
) -> tuple[Players, ResultLog]:
    """The players and the log that were packed; raises ValueError for anything else."""
    try:
        with np.load(BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head = json.loads(arrays.pop("head").tobytes())
        players = Players(arrays.pop("ids"), names)
        levels: dict[str, dict[str, Any]] = {}
        for name, column in arrays.items():
            level, _, name = name.partition(".")  # noqa: PLW2901
            levels.setdefault(level, {})[name] = column
        kept = {level: set(levels.get(level, ())) - {"a", "b"} for level in columns}
        if head["form"] != LOG_TAG or kept != {level: set(held) for level, held in columns.items()}:
            raise ValueError("it keeps other columns")
        return players, ResultLog.of(levels, head["labels"])
    except Exception as error:  # a damaged file may raise anything
        raise ValueError(f"no log of this ladder: {error}") from error


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LadderFit(WholeTableRatings):
    """The ratings of a whole-table system, and the number of the result of each row."""

    results: NDArray[np.int64]

    @classmethod
    def of(cls, fitted: WholeTableRatings, results: NDArray[np.int64]) -> LadderFit:
        """The same ratings of these results."""
        known = {one.name: getattr(fitted, one.name) for one in fields(fitted)}
        return cls(**known, results=results)


class SuccessfulFit(NamedTuple):
    """The last fit that succeeded."""

    changes: int  # how many had been made when it began
    revision: int  # of its table
    ratings: LadderFit | None


class FitAttempt(NamedTuple):
    """The outcome of the last attempt at fitting."""

    changes: int  # how many had been made when it began
    trouble: str | None  # why it failed


class FittedLadder(Ladder):
    """The last successful fit, and a thread that makes the next; see Ladder."""

    def __init__(self, system: WholeTable, params: Mapping[str, Any], interim: LadderState) -> None:
        super().__init__(interim)
        self.system, self.params = system, dict(params)
        refuse_table(system, interim.log.table(interim.players))
        self._changes = len(interim.log)  # published, so many results changed since the beginning
        self._fit, self._last = SuccessfulFit(0, 0, None), FitAttempt(0, None)
        self._closed = False
        self._changed = Condition(self._lock)

    # -- changing --

    @property
    def takes_all(self) -> bool:
        """See Ladder; what a whole-table system takes may depend on any column."""
        return False

    def _check_table(self, table: Games) -> None:
        refuse_table(self.system, table)

    def publish(self, revision: int) -> None:
        """See Ladder; the next fit begins."""
        with self._changed:
            self._changes += self._applied
            super().publish(revision)
            if self._fit.ratings is not None:  # another object: names may have changed
                self._fit = self._fit._replace(ratings=replace(self._fit.ratings))
            self._wake()

    # -- fitting --

    @property
    def waiting(self) -> int:
        """How many results changed since the last successful fit."""
        return super().waiting + self._changes - self._fit.changes

    @property
    def trouble(self) -> str | None:
        """Why the last fit failed, so that `ratings` are older, or else see Ladder."""
        return self._last.trouble or super().trouble

    @property
    def _untried(self) -> bool:
        """Whether something changed since the last attempt began."""
        return self._changes > self._last.changes

    def settle(self, seconds: float | None = None) -> bool:
        """See Ladder; waits for the fit as well, also for one that fails."""
        played = super().settle(seconds)
        with self._changed:
            self._wake()
            return played and self._changed.wait_for(
                lambda: self._closed or not self._untried, seconds
            )

    def close(self) -> None:
        """See Ladder; the result of a running fit is dropped."""
        super().close()
        with self._changed:
            self._changed.notify_all()

    def _wake(self) -> None:
        if self._untried and self._worker is None and not self._closed:
            self._worker = Thread(target=self._work, name="fit", daemon=True)
            self._worker.start()

    def _work(self) -> None:
        """Fit until no change is waiting; changes made meanwhile are in the next fit together."""
        while True:
            with self._changed:
                if not self._untried or self._closed:
                    self._worker = None
                    self._changed.notify_all()
                    return
                changes, revision, state = self._changes, self.revision, self.published
            made, trouble = self._try_fit(state)
            with self._changed:
                self._last = FitAttempt(changes, trouble)
                if trouble is None:
                    self._fit = SuccessfulFit(changes, revision, made)
                self.editions += 1
                self._changed.notify_all()

    def _try_fit(self, state: LadderState) -> tuple[LadderFit | None, str | None]:
        """A fit, or why it fails: an error must not end the thread silently."""
        try:
            return self._fit_state(state), None
        except Exception as error:
            return None, str(error) or type(error).__name__

    def _fit_state(self, state: LadderState, day: float | None = None) -> LadderFit | None:
        """The fit as of a day, or as of the day of the last result; None without results."""
        table = state.log.table(state.players)
        if day is not None:
            table = table.before(day)
        if not len(table):
            return None
        fitted = fit_table(select_participants(table), self.system, as_of=day, params=self.params)
        return LadderFit.of(fitted, state.log["id"][: len(table)])

    # -- reading --

    def ratings(self) -> LadderFit | None:
        """See Ladder; None until the first fit."""
        return self._fit.ratings

    def view(self, day: float | None = None) -> LadderView:
        """The last fit, or the interim while there is none, now or as of a day.

        An earlier day is fitted when it is asked for: only its own results are in it.
        """
        if day is None:
            with self._changed:
                fit, waiting, trouble = self._fit, self.waiting, self.trouble
                interim = super().ratings() if fit.ratings is None and waiting else None
                if interim is not None:
                    return LadderView(interim, self.applied, waiting, trouble, True)
            applied = fit.revision if waiting else None
            return LadderView(fit.ratings, applied, waiting, trouble, False)
        try:
            return LadderView(self.as_of(day))
        except Unratable as error:
            if not np.isfinite(day):
                raise
            earlier = super()._rate_as_of(self.published, day)
            count = 0 if earlier is None else len(earlier.table)
            return LadderView(earlier, None, count, str(error), True)

    def view_players(self, players: Sequence[int]) -> PlayersView:
        """See Ladder."""
        view, known = self.view(), dict[int, PlayerValues]()
        if (found := view.ratings) is not None:
            assert isinstance(found.players, Players)
            names = [name for name in found.fields if name not in found.inner]
            for player, k in found.players.find_rows(players).items():
                values = {name: getattr(found.value(k), name) for name in names}
                known[player] = PlayerValues(values, int(found.game_counts[k]))
        return PlayersView(known, *view[1:])

    def _rate_as_of(self, state: LadderState, day: float) -> Ratings | None:
        """See Ladder; raises Unratable where these results cannot be fitted."""
        return self._fit_state(state, day)

    def begin_preview(self, changes: Changes, names: Mapping[int, str]) -> Callable[[], Preview]:
        """See Ladder."""
        count = super().waiting + self._changes
        return partial(self._preview_fit, count, *self._newest(names), changes)

    def _preview_fit(
        self, count: int, state: LadderState, before: Changes, changes: Changes
    ) -> Preview:
        """The effect of changes of a state, to which with those before `count` have led.

        Fits the changed table at once, and before it the one that waits. If the fit fails,
        `trouble` says why, and the preview has the ratings shown then.
        """
        self.check(changes)
        state, _, _ = advance_ratable(state, before)
        after = advance(state, changes, keep_prior=False)
        if super().waiting + self._changes == count:
            self.settle()
        old = self.ratings()
        if self._last.changes != count:  # others came behind it
            made, wrong = self._try_fit(state)
            old = old if wrong else made
        later, trouble = self._try_fit(after)
        if trouble is not None and old is None:
            preview = self._preview(state, {}, changes)
            return preview._replace(trouble=trouble, interim=True)
        shown: Ratings | None = state.ratings() if old is None else old
        counts = len(state.log), len(after.log), len(after.log)
        return build_preview(shown, shown if trouble else later, *counts)._replace(trouble=trouble)


def select_participants(table: Games) -> Games:
    """The table with the players who are in it, in order of first appearance.

    So that the numbers follow from the results alone, not from what was corrected on the way.
    """
    assert isinstance(table.players, Players)
    rows, number = number_by_appearance(table.player.astype(np.int64))
    players, number = Players(table.players.ids[rows], table.players.names), number.astype("u4")
    if table.duels:
        return table.replace(players=players, a=number[0::2].copy(), b=number[1::2].copy())
    return table.replace(players=players, player=number)
