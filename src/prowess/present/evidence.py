"""Views of what ratings rest on: histories of players, pairs, circles, as plain data and as text.

What is for people is a list of parts: texts, tables (rows, the header first), and tuples of such
that stand together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.steps import (
    GENERAL,
    OF_TIME,
    REWEIGHED,
    describe_contrary,
    describe_parts,
    describe_surprise,
)
from prowess.engine.tabular import ResultTable, list_rows
from prowess.engine.text_table import format_signed
from prowess.games.dates import format_date
from prowess.games.errors import escape_unprintable
from prowess.games.reading import format_count
from prowess.study.lineups import side_names

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.steps import History, Step
    from prowess.engine.text_table import Rows
    from prowess.study.cycles import CyclicShare, Triangles
    from prowess.study.pairings import PairingTable, PairRecord, SuggestedGame

    Parts = list[str | Rows]

GAME_HISTORY_COLUMNS = (
    "time", "partners", "place", "sides", "expected_place", "opponent", "opponent_rating", "score",
    "margin", "expected", "at_least", "at_most", "before", "after", "change",
)  # fmt: skip
WHERE_KNOWN = ("partners", "margin", "at_least", "at_most")
POINTS_SHOWN = 0.05  # points: a smaller term would be printed as 0.0


def choose_last(steps: Sequence[Step], last: int | None, pairwise: bool) -> Sequence[Step]:
    """The steps of the last games; of a table of contests, of the last contests."""
    if not last or not steps:
        return steps
    if pairwise:
        return steps[-last:]
    contests = list(dict.fromkeys(step.round for step in steps))[-last:]
    return [step for step in steps if step.round >= contests[0]]


def rows_of(steps: Sequence[Step]) -> Iterator[tuple[Step, dict[str, Any]]]:
    """Each game with its row of the table, at full precision."""
    columns = shown_columns(steps)
    for step in steps:
        data = step._asdict() | step.as_dict()
        yield step, {name: data[name] for name in columns}


def shown_columns(steps: Sequence[Step]) -> list[str]:
    """The columns of these games: some only where they are known of a game."""
    placed = any(step.placing is not None for step in steps)
    absent = {"opponent"} if placed else {"place", "sides", "expected_place"}
    absent |= {
        name for name in WHERE_KNOWN if all(getattr(step, name) in (None, "") for step in steps)
    }
    return [name for name in GAME_HISTORY_COLUMNS if name not in absent]


def history_data(history: History, why: bool) -> dict[str, Any]:
    """A history as plain data, with `why` also the terms of each change."""
    games = []
    for step, row in rows_of(history.steps):
        parts = {"parts": dict(step.parts)} if len(step.parts) > 1 else {}
        terms = {"terms": dict(step.terms)} if why else {}
        games.append(row | parts | terms | {"sentence": step.sentence})
    return {"player": history.player, "system": history.system, "games": games}


def history_table(history: History, why: bool) -> ResultTable:
    """The games as a table: columns of each part, with `why` of each term."""
    steps = history.steps
    terms = list(dict.fromkeys(name for step in steps for name in step.terms)) if why else []
    parts = list(dict.fromkeys(name for step in steps for name in step.parts))
    parts = parts if len(parts) > 1 else []
    rows = [
        row
        | {f"part: {name}": step.parts.get(name, 0.0) for name in parts}
        | {name: step.terms.get(name, 0.0) for name in terms}
        for step, row in rows_of(steps)
    ]
    return ResultTable.of_rows(rows, history.caption)


def format_step(step: Step) -> str:
    """One game as a sentence: result, expected score, change of the rating, and what made it.

    Of a contest that was judged as a whole: the place and the place that was expected.
    """
    when = step.as_dict()["time"]
    contrary = describe_contrary(step.score, step.expected, step.change, step.terms)
    beside = f" with {escape_unprintable(step.partners)}" if step.partners else ""
    if step.placing is not None:
        deed = f"{step.placing}{beside}, {step.placing.expected:.1f}th was expected"
    else:
        deed = {1.0: "beat", 0.5: "drew with", 0.0: "lost to"}.get(step.score, "met")
        share = "" if step.score in (0.0, 0.5, 1.0) else f" and scored {step.score:.2f}"
        opponent = f"{escape_unprintable(step.opponent)} ({step.opponent_rating:.1f})"
        deed += f" {opponent}{beside}{share}, {step.expected:.2f} was expected"
    return (
        f"{f'{when}: ' if when else ''}{deed}: "
        f"{step.before:.1f} {format_signed(step.change)} = {step.after:.1f}"
        f"{escape_unprintable(describe_terms(step))}" + (f" ({contrary})" if contrary else "")
    )


def describe_terms(step: Step) -> str:
    """What made the change, where that is more than the game: `; -8.9 for a draw that ...; ...`.

    Members of other roles, such as a side advantage, moved beside the player, not as a part of it.

    Terms below 0.05 points are left out.
    """
    terms = dict(step.terms)
    of_game = terms.pop("game", 0.0)
    apart = {
        name: terms.pop(key)
        for key, name in ((OF_TIME, "time"), (REWEIGHED, "other results"))
        if abs(terms.get(key, 0.0)) >= POINTS_SHOWN
    }
    pieces = [f"{format_signed(sum(apart.values()))} for {' and '.join(apart)}"] if apart else []
    pieces += [
        f"{format_signed(points)} for {name}"
        for name, points in terms.items()
        if abs(points) >= POINTS_SHOWN
    ]
    others = {
        name: points
        for name, points in step.parts.items()
        if name != GENERAL and abs(points) >= POINTS_SHOWN
    }
    parts = f" (beside it {describe_parts(others)})" if others else ""
    if not pieces and not parts:
        return ""
    return "; ".join(
        ["", f"{format_signed(of_game)} for {describe_surprise(step)}{parts}", *pieces]
    )


def pairing_data(
    found: PairingTable, pairs: Sequence[Any], battles: Sequence[SuggestedGame]
) -> dict[str, Any]:
    """Pairs of players as plain data: their rows, those that never met, games to play next."""
    return {
        "level": found.level,
        "pairs": pairs,
        "never_met": [list(names) for names in found.holes],
        "next": [one._asdict() for one in battles],
    }


def pairing_parts(found: PairingTable, battles: Sequence[SuggestedGame], top: int | None) -> Parts:
    """The pairs, those that never met, the battles to play next."""
    parts: Parts = []
    if found.pairs:
        header = ["player", "opponent", "battles", "score", "low", "high", "expected", "surplus"]
        rows = [pair_cells(pair) for pair in found.pairs[:top]]
        parts.append([header, *rows])
        surprising = sum(pair.surprising for pair in found.pairs)
        text = f"{format_count(len(found.pairs), 'pair')} met"
        if found.pairs[0].expected is None:
            text += "; the system has no model of a game, so it gives no expected scores"
        else:
            text += f"; the expected score of {surprising:,} lies outside the {found.level:g} "
            text += "interval (*)"
        parts.append(text)
    if found.holes:
        named = found.holes[: min(top or 5, 5)]
        some = "; ".join(f"{escape_unprintable(a)} - {escape_unprintable(b)}" for a, b in named)
        more = len(found.holes) - len(named)
        tail = f"; and {more:,} more" if more > 0 else ""
        parts.append(f"{format_count(len(found.holes), 'pair')} never met: {some}{tail}")
    else:
        parts.append("every pair met")
    if battles:
        rows = [["player", "opponent", "battles", "expected", "why"]]
        for one in battles:
            chance = "-" if one.expected is None else f"{one.expected:.3f}"
            rows.append([one.player, one.opponent, f"{one.battles:g}", chance, one.why])
        parts += ["worth playing next", rows]
    return parts


def pair_cells(pair: PairRecord) -> list[str]:
    """A row of the table of pairs."""
    mark = " *" if pair.surprising else "  "
    expected = "-" if pair.expected is None else f"{pair.expected:.3f}"
    surplus = "-" if pair.surplus is None else f"{pair.surplus:+.3f}"
    numbers = [f"{x:.3f}" for x in (pair.score, pair.low, pair.high)]
    return [pair.player, pair.opponent, f"{pair.battles:g}", *numbers, expected, surplus + mark]


def triangle_data(found: Triangles) -> dict[str, Any]:
    """The triangles as plain data at full precision."""
    return {
        "circular": found.count,
        "triples": found.triples,
        "circular_if_random": found.random,
        "consistency": found.consistency,
        "triangles": [one._asdict() | {"strength": one.strength} for one in found.strongest],
    }


def triangle_parts(found: Triangles) -> Parts:
    """The number of triangles, and the strongest."""
    first = (
        f"{found.count:,} of {found.triples:,} triples are circular; of random results "
        f"{found.random:,.1f} would be\n"
    )
    if found.consistency is not None:
        first += f"Kendall's coefficient of consistency {found.consistency:.3f} (1: none are)"
    else:
        first += "no coefficient of consistency: some pairs are even, undecided or never met"
    if not found.strongest:
        return [first]
    rows = [["player", "opponent", "name", "1 v 2", "2 v 3", "3 v 1", "weakest - 1/2"]]
    for one in found.strongest:
        scores = [f"{share:.3f}" for share in one.shares]
        rows.append([*one.players, *scores, f"{one.strength:.3f}"])
    return [first, rows]


def cycle_data(parts: CyclicShare) -> dict[str, Any]:
    """The share of circles as plain data at full precision."""
    return {
        "cyclic_share": parts.share,
        "cyclic_share_by_chance": parts.expected,
        "p": parts.likelihood,
        "players": list_rows(
            {
                "player": parts.players,
                "missed_by": parts.by_player,
                "by_chance": parts.player_by_chance.mean(axis=0),
                "p": parts.player_likelihood,
            }
        ),
    }


def cycle_parts(parts: CyclicShare, top: int) -> Parts:
    """How much of the results is circles, for the league and for the players with the most."""
    low, high = np.quantile(parts.by_chance, [0.025, 0.975])
    share = (
        f"no rating explains {parts.share:.1%} of the results; of a league in which ratings "
        f"explain everything it would be {parts.expected:.1%} by chance "
        f"({low:.1%} to {high:.1%} in 19 of 20 of {len(parts.by_chance):,} drawn leagues, seed "
        f"{parts.seed})\n"
        f"as much or more by chance: p = {parts.likelihood:.3g}"
    )
    if not top:
        return [share]
    likely, usual = parts.player_likelihood, parts.player_by_chance.mean(axis=0)
    order = np.argsort(usual - parts.by_player, kind="stable")[:top]
    rows = [["player", "missed by", "by chance", "p"]]
    rows += [
        [parts.players[k], f"{parts.by_player[k]:.3f}", f"{usual[k]:.3f}", f"{likely[k]:.3g}"]
        for k in order.tolist()
    ]
    what = "by how much a rating misses the margins of a player, root mean square"
    return [share, what, rows]


def describe_scores(scores: Mapping[str, float]) -> str:
    """The scores of forecasts in a line.

    >>> describe_scores({"games": 2, "log_loss": 0.64921, "brier": 0.22809})
    'forecasts of 2 games: log_loss 0.6492, brier 0.2281'
    """
    means = ", ".join(f"{name} {mean:.4f}" for name, mean in scores.items() if name != "games")
    return f"forecasts of {format_count(int(scores['games']), 'game')}: {means}"


def forecast_rows(ratings: DynamicRatings) -> Iterator[tuple[Any, ...]]:
    """A header, then a row a game in the order of the table (of play, with --period round).

    Contests of many give a row a side: the expected score is the mean against the field. A side
    of several members is called `Ann & Bob`. Where the system models draws, the chance of one
    stands last.
    """
    table, names = ratings.table, side_names(ratings.table)
    expected, draws = ratings.forecasts, ratings.draws
    assert expected is not None
    days: Any = None if table.time is None else [format_date(day) for day in table.time.tolist()]
    if not table.pairwise:
        yield "contest", "date", "player", "place", "expected"
        rows = zip(
            table.contest_of_side.tolist(), names, table.place.tolist(), expected.tolist(),
            strict=True,
        )  # fmt: skip
        for number, name, place, chance in rows:
            yield number + 1, days[number] if days else "", name, place, chance
        return
    if ratings.rounds.order is not None:  # forecasts are in the order of the file
        expected = expected[ratings.rounds.order]
        draws = None if draws is None else draws[ratings.rounds.order]
    last: Any = [()] * len(table) if draws is None else [(chance,) for chance in draws.tolist()]
    yield "date", "player_a", "player_b", "score", "expected", *(() if draws is None else ("draw",))
    columns = names[::2], names[1::2], table.score.tolist(), expected.tolist(), last
    for row, (a, b, score, chance, draw) in enumerate(zip(*columns, strict=True)):
        yield days[row] if days else "", a, b, score, chance, *draw
