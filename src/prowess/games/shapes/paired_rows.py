"""Games that stand in two rows, one for each side: `game_id, team, home/away, goals, won`.

A column that says who was at home, or one that says who won beside points, makes games of them.
Tables with a match and a player alone stay contests, of which those of two are games.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prowess.games.cells.side_results import parse_own_result
from prowess.games.columns import Chunk, InputTable, as_name, as_text
from prowess.games.errors import MEND, InvalidValue, quote
from prowess.games.roles.contests import own_score, tells_own_result
from prowess.games.roles.evidence import is_number
from prowess.games.roles.roles import is_of_kind
from prowess.games.shapes.derived_columns import choose_rows, column_cells, join_chunks, name_column
from prowess.games.shapes.team_logs import AWAY, HOME, NEUTRAL
from prowess.games.values import is_missing, plain_form
from prowess.games.vocabulary import read_heading

if TYPE_CHECKING:
    from prowess.games.roles.evidence import TableEvidence
    from prowess.games.roles.headings import Headings

Pairs = list[tuple[int, int]]
FEW = 0.2  # of the games may be incomplete: they are refused
FLAGS = frozenset({"0", "1", "0.0", "1.0", "true", "false", "yes", "no"})  # under `is_home`


def pair_rows(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with one row for each game, that of the side at home; None for another table."""
    evidence, match, player = (
        headings.evidence,
        headings.guessed.get("match"),
        headings.guessed.get("player"),
    )
    if not match or not player or "place" in headings.guessed:
        return None
    if not is_of_kind(headings, "contests"):
        return None
    rows = evidence.rows
    pairs, rest = _pair_by(rows[match], rows[player])
    if len(pairs) < 2 or len(rest) > FEW * evidence.count:
        return None
    points = headings.guessed.get("points")
    if points and not (evidence[points].points == 1.0 and evidence[points].filled):
        points = None
    result = _find_result(headings.names, evidence, pairs)
    if result and points and _are_fewer_better(rows[result], rows[points], pairs):
        return None
    home = _find_home(headings.names, evidence, pairs, {match, player})
    if not (result or points) or not (home or (result and points)):
        return None
    made = {
        what: name_column(table, f"{source}, {what}")
        for what, source in (("other", player), ("own", result), ("points", points), ("side", home))
        if source
    }

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        sources = [name for name in (match, player, result, points, home) if name]
        needed = [name for name in wanted if name not in made.values()]
        needed = list(dict.fromkeys([*needed, *sources]))
        chunk = join_chunks(list(table.chunks(needed)), needed)
        cells = {name: column_cells(chunk, name) for name in needed}
        pairs, rest = _pair_by(cells[match], cells[player], {*chunk.absent})
        refused = dict(chunk.refused)
        for row in rest:
            what = f"game {quote(cells[match][row])} has no row of the other side, or several"
            refused.setdefault(row, InvalidValue(what, MEND, code="row_without_partner"))
        if home:
            pairs = [pair if _side_of(cells[home][pair[0]]) >= 0 else pair[::-1] for pair in pairs]
        for name in made.values():
            cells[name] = [None] * chunk.count
        for one, other in pairs:
            cells[made["other"]][one] = cells[player][other]
            if home:
                cells[made["side"]][one] = _side_of(cells[home][one])
            if points:
                cells[made["points"]][one] = cells[points][other]
            if result:
                try:
                    own = _own_result(cells[result][one], cells[result][other])
                    cells[made["own"]][one] = own
                except InvalidValue as fault:
                    refused.setdefault(one, fault)
        kept = sorted([*rest, *chunk.absent, *(one for one, _ in pairs)])
        cells = {name: cells[name] for name in wanted}
        yield choose_rows(replace(chunk, refused=refused), cells, kept)

    names = [*table.names, *made.values()]
    roles = {"player_a": player, "player_b": made["other"]}
    roles |= {"result": made["own"]} if result else {}
    roles |= {"score_a": points, "score_b": made["points"]} if points else {}
    return replace(
        table, chunks=chunks, beginning=None,
        names=[name for name in names if name not in {result, home}],
        roles={**table.roles, **{role: (name,) for role, name in roles.items()}},
        side=made.get("side") or table.side, shape="a row for each side",
        notes=(*table.notes, f"the two rows of one {quote(match)} are one game"),
    )  # fmt: skip


def _pair_by(
    keys: Sequence[Any], players: Sequence[Any], absent: set[int] | None = None
) -> tuple[Pairs, list[int]]:
    """The two rows of each game, and the rows of games that have another number of rows."""
    games: dict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if row not in (absent or ()):
            games[as_text(key)].append(row)
    pairs, rest = [], []
    for key, rows in games.items():
        names = {as_name(players[row]).casefold() for row in rows}
        if key and len(rows) == len(names) == 2:
            pairs.append((rows[0], rows[1]))
        else:
            rest += rows
    return pairs, rest


def _find_home(
    names: Sequence[str], evidence: TableEvidence, pairs: Pairs, taken: set[str]
) -> str | None:
    """The column that says of each row whether its side was at home: one of each game was."""
    for name in names:
        words = {plain_form(text) for text in evidence[name].names}
        flags = "home" in read_heading(name).sides and words <= FLAGS
        if name in taken or not words or words <= NEUTRAL:
            continue
        if not flags and (not words <= HOME | AWAY | NEUTRAL or words <= FLAGS):
            continue
        sides = [_side_of(cell) for cell in evidence.rows[name]]
        if all(sides[one] == -sides[other] for one, other in pairs) and any(sides):
            return name
    return None


def _find_result(names: Sequence[str], evidence: TableEvidence, pairs: Pairs) -> str | None:
    """The column that says of each row whether its side won: the rows of most games fit."""
    found = []
    for name in filter(tells_own_result, names):
        scores = [own_score(cell) for cell in evidence.rows[name]]
        told = [
            (scores[one], scores[other]) for one, other in pairs
            if not (is_missing(evidence.rows[name][one]) and is_missing(evidence.rows[name][other]))
        ]  # fmt: skip
        fit = sum(None not in (a, b) and (a or 0.0) + (b or 0.0) == 1.0 for a, b in told)
        if told and 2 * fit > len(told):
            found.append(name)
    return found[0] if len(found) == 1 else None


def _are_fewer_better(results: Sequence[Any], points: Sequence[Any], pairs: Pairs) -> bool:
    """Whether the winners have fewer points in each game."""
    scores = [own_score(cell) for cell in results]
    won = [pair if scores[pair[0]] == 1.0 else pair[::-1] for pair in pairs]
    return all(
        is_number(points[one]) and is_number(points[other])
        and float(points[one]) < float(points[other])
        for one, other in won
    )  # fmt: skip


def _side_of(cell: Any) -> int:
    """1 at home, -1 away, 0 on neutral ground."""
    word = "" if is_missing(cell) else plain_form(str(cell))
    if word in FLAGS:
        return 1 if word in {"1", "1.0", "true", "yes"} else -1
    return 0 if word in NEUTRAL or not word else -1 if word in AWAY else 1


def _own_result(one: Any, other: Any) -> float | None:
    """The score of the side of a row; raises InvalidValue where the two rows do not fit."""
    if is_missing(one) and is_missing(other):
        return None
    scores = parse_own_result(one), parse_own_result(other)
    if sum(scores) != 1.0:
        raise InvalidValue(
            f"{quote(one)} and {quote(other)} of one game do not fit together",
            MEND,
            code="results_contradict",
        )
    return scores[0]
