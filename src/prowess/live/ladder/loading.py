"""Make ladders: empty, from the columns of a store, or from the bytes of a saved log."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting, settings
from prowess.engine.periods import BY_LABEL
from prowess.engine.system import Dynamic
from prowess.games.games import gather_runs
from prowess.games.numbering import number_by_appearance
from prowess.live.ladder.fitted import FittedLadder
from prowess.live.ladder.ladder import Ladder, LadderView, Preview, build_preview
from prowess.live.ladder.log import EXTRAS, ResultLog, number_label
from prowess.live.ladder.players import Names, Players
from prowess.live.ladder.state import LadderState
from prowess.live.result import CONTESTS, FIELD_DEFAULTS, days
from prowess.systems.catalogue import find

if TYPE_CHECKING:
    from prowess.engine.check import System


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
            raise BadSetting(
                f"leave the period out: {chosen.name} looks at the whole table at once",
                code="no_periods",
            )
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
