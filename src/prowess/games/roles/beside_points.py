"""What stands beside the points of both sides, decided by whether the two agree: a result that is
their difference, several columns of winners, points of which fewer are better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prowess.games.cells.outcome_columns import decide_numbers
from prowess.games.cells.outcomes import OutcomeParser
from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.errors import InvalidValue, Question, Suspicion, quote
from prowess.games.reading import join_columns
from prowess.games.values import is_missing, parse_decimal
from prowess.games.vocabulary import read_heading

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.evidence import TableEvidence

FEWEST_GAMES_TOLD = 3  # games that tell that fewer points win, or that points are of something else
CONTRADICTING = 5  # one game in so many contradicts the points: then they are of something else


def settle_points(names: Sequence[str], evidence: TableEvidence, layout: Layout) -> Layout:
    """The layout as the points of both sides confirm it; as it is where they leave it open."""
    if not (layout.points_a and layout.points_b) or layout.share:
        return layout
    leads = [_lead(*cells) for cells in _cells(evidence, layout.points_a, layout.points_b)]
    if layout.form == "result" and _are_margins(evidence.rows[layout.result], leads):
        note = f"column {quote(layout.result)} is the difference of the points"
        return replace(layout, form="points", result="", turned=False, said=(*layout.said, note))
    if layout.form == "result" and _are_of_others(evidence, layout):
        columns = join_columns((layout.points_a, layout.points_b))
        note = f"{columns} are other points than those of {quote(layout.result)} and are not used"
        return _drop_points(layout, note)
    if layout.form == "result":
        return _leave_other_points(layout, _shares(evidence.rows[layout.result]), leads)
    if layout.form == "winner":
        if counted := _count_from(evidence, layout, leads):
            return replace(layout, form="points", result="", said=(*layout.said, counted))
        won = _winners(evidence, layout, layout.result)
        if _share_agreeing(won, leads) == 1.0:
            return layout
        others = [name for name in names if "winner" in read_heading(name).sides]
        found = [
            name for name in others
            if name != layout.result
            and _share_agreeing(_winners(evidence, layout, name), leads) == 1.0
        ]  # fmt: skip
        if len(found) == 1:
            note = f"{quote(found[0])} agrees with the points, and {quote(layout.result)} does not"
            return replace(layout, result=found[0], said=(*layout.said, note))
    elif layout.form == "winner and loser":
        won = [1.0] * len(leads)
    else:
        return layout
    decided = [(one, lead) for one, lead in zip(won, leads, strict=True) if one is not None]
    if len(decided) >= FEWEST_GAMES_TOLD and all(
        lead is not None and lead * (one - 0.5) < 0.0 for one, lead in decided
    ):
        columns = join_columns((layout.points_a, layout.points_b))
        note = f"the winner has fewer points in every game: {columns} are not used"
        return _drop_points(layout, note)
    return _leave_other_points(layout, won, leads)


def _are_of_others(evidence: TableEvidence, layout: Layout) -> bool:
    """Whether scorelines mostly tell other points than two columns, as of a league table."""
    cells = _cells(evidence, layout.result, str(layout.points_a), str(layout.points_b))
    lines = [(parse_scoreline(line) if isinstance(line, str) else None, a, b)
             for line, a, b in cells]  # fmt: skip
    told = [(line.points, (_lead(a, 0), _lead(b, 0))) for line, a, b in lines if line]
    scored = any(sum(points) > 1.0 for points, _ in told)  # 1-0 alone may be who won
    return scored and 2 * sum(points != beside for points, beside in told) >= len(told)


def _leave_other_points(
    layout: Layout, won: Sequence[float | None], leads: Sequence[float | None]
) -> Layout:
    """The layout without points that the winners contradict so often that they count something
    else, such as kills; single contradictions are refused where the rows are read.
    """
    decided = [
        (one, lead) for one, lead in zip(won, leads, strict=True) if one is not None and lead
    ]
    against = sum(lead * (one - 0.5) < 0.0 for one, lead in decided)
    if against < FEWEST_GAMES_TOLD or CONTRADICTING * against < len(decided):
        return layout
    columns = join_columns(tuple(filter(None, (layout.points_a, layout.points_b))))
    who = quote(layout.result) if layout.result else "the winner"
    note = Suspicion(
        f"{columns} contradict {who} in {against:,} of {len(decided):,} games and are not used",
        f"{columns} contradict {who}",
    )
    return _drop_points(layout, note)


def _drop_points(layout: Layout, note: str) -> Layout:
    said = (*layout.said, note)
    return replace(layout, points_a=None, points_b=None, level_draws=False, said=said)


def _shares(cells: Sequence[Any]) -> list[float | None]:
    """The score of the first side where a cell is a number from 0 to 1, None elsewhere."""
    leads = (_lead(cell, 0) for cell in cells)
    return [lead if lead is not None and 0.0 <= lead <= 1.0 else None for lead in leads]


NUMBERINGS = (  # of winners
    ("from 0", {0.0: 1.0, 1.0: 0.0, -1.0: 0.5, 2.0: 0.5}),
    ("from 1", {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}),
    ("", {1.0: 1.0, 0.0: 0.0}),
    ("", {1.0: 1.0, -1.0: 0.0, 0.0: 0.5}),
)


def contradicts_points(evidence: TableEvidence, layout: Layout) -> bool:
    """Whether a column of numbers leaves open how it counts winners, and the points of the games
    contradict it in every way.
    """
    if layout.form != "winner" or not (layout.points_a and layout.points_b):
        return False
    points = _cells(evidence, layout.result, layout.points_a, layout.points_b)
    told = [(_lead(cell, 0), _lead(a, b)) for cell, a, b in points if not is_missing(cell)]
    decided = [(at, _score_of(lead)) for at, lead in told if at is not None and lead]
    numbers = {at for at, _ in decided}
    if not decided or any(at is None for at, _ in told):
        return False
    try:
        decide_numbers(numbers, "winner", False, layout.a, layout.b)
    except Question:
        ways = [scores for _, scores in NUMBERINGS if numbers <= scores.keys()]
        against = [sum(way.get(at) != score for at, score in decided) for way in ways]
        return CONTRADICTING * min(against, default=0) >= len(decided)
    return False


def _count_from(
    evidence: TableEvidence, layout: Layout, leads: Sequence[float | None]
) -> str | None:
    """How a column of numbers counts winners, as a note says it, where its cells leave that open
    and the points of every game agree with one way alone; None for other columns.
    """
    rows = [
        (None if is_missing(cell) else _lead(cell, 0), lead, is_missing(cell))
        for cell, lead in zip(evidence.rows[layout.result], leads, strict=True)
    ]
    if any(lead is None or (number is None and not empty) for number, lead, empty in rows):
        return None
    numbers = {number for number, _, _ in rows if number is not None}

    def agree(scores: Mapping[float, float]) -> bool:
        return all(
            lead == 0.0 if number is None else scores.get(number) == _score_of(lead)
            for number, lead, _ in rows
        )

    try:
        meant = decide_numbers(numbers, "winner", False, layout.a, layout.b)
    except Question:
        meant = {}
    if len(numbers) < 2 or agree(meant):
        return None
    fitting = [way for way, scores in NUMBERINGS if agree(scores)]
    if len(fitting) != 1:
        return None
    counts = f"counts {fitting[0]}" if fitting[0] else "tells whether the first won"
    return f"column {quote(layout.result)} {counts}, as the points of every game say"


def _score_of(lead: float | None) -> float | None:
    return None if lead is None else 0.5 * ((lead > 0.0) + 1.0 - (lead < 0.0))


def _cells(evidence: TableEvidence, *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(evidence.rows[name] for name in names), strict=True)


def _lead(a: Any, b: Any) -> float | None:
    """By how much the first side leads; None where a cell is no number."""
    try:
        return parse_decimal(a) - parse_decimal(b)
    except InvalidValue:
        return None


def _are_margins(cells: Sequence[Any], leads: Sequence[float | None]) -> bool:
    """Whether the cells are the difference of the points, one way or the other, and no scores."""
    told = [
        (_lead(cell, 0), lead)
        for cell, lead in zip(cells, leads, strict=True)
        if lead is not None and not is_missing(cell)
    ]
    if not any(margin is not None and not 0.0 <= margin <= 1.0 for margin, _ in told):
        return False
    return any(
        all(margin is not None and margin == sign * lead for margin, lead in told)
        for sign in (1.0, -1.0)
    )


def _winners(evidence: TableEvidence, layout: Layout, name: str) -> list[float | None]:
    """The score of the first side as a column of winners tells it, None where it does not."""
    parser = OutcomeParser(layout.a, layout.b, layout.family)
    parser.numbers = {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}
    found: list[float | None] = []
    for a, b, cell in _cells(evidence, layout.a, layout.b, name):
        one, other, text = (str(each).strip().casefold() for each in (a, b, cell))
        try:
            won = float(text == one) if text in {one, other} else parser.winner(cell)
            found.append(1.0 - won if layout.names_loser and name == layout.result else won)
        except InvalidValue:
            found.append(None)
    return found


def _share_agreeing(won: Sequence[float | None], leads: Sequence[float | None]) -> float:
    """The share of games that a column of winners tells as the points do."""
    told = [
        (one, lead) for one, lead in zip(won, leads, strict=True) if lead is not None and lead != 0
    ]
    agreeing = sum(one is not None and lead * (one - 0.5) > 0.0 for one, lead in told)
    return agreeing / len(told) if told else 1.0
