"""The columns of results, of winners and of scorelines, by their headings and by their cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from prowess.games.cells.outcome_columns import find_notation, name_sides
from prowess.games.cells.outcome_words import DRAWN, WON, as_scoreline
from prowess.games.errors import quote
from prowess.games.layout import Form
from prowess.games.reading import format_option
from prowess.games.roles.candidates import UNNAMED, share_of_results
from prowess.games.roles.evidence import (
    MOST_FIT,
    MOST_ROWS_SEEN,
    SHARED,
    are_winner_first,
    is_clock,
    is_flag_of_win,
    is_result_mark,
    may_tell_own_win,
    names_winners,
    tells_loser,
    tells_own_win,
    tells_sides,
    tells_winner,
)
from prowess.games.roles.headings import Headings
from prowess.games.values import is_missing, plain_form, plain_word
from prowess.games.vocabulary import BRACKETS, read_heading
from prowess.games.words import words_for

OF_SCORELINES = ("result", "sets", "points")
NO_RESULTS = frozenset({"1", "2", "a", "b"})  # alone they may be groups or variants
LENGTHS = words_for("length")  # of games in minutes and seconds
OF_MANY_GAMES = frozenset({"league", "season", "round", "clock"})  # subjects of no result


def find_verdict(headings: Headings) -> str | None:
    """The column of judgments; of several, such as those of two orders of the answers, all
    have to say the same. Raises BadData.
    """
    found = headings.candidates.verdicts()
    if len(found) > 1:
        rows = headings.evidence.rows
        if headings.evidence.count == MOST_ROWS_SEEN or any(
            rows[x] != rows[found[0]] for x in found
        ):
            shown = " or ".join(map(quote, found))
            raise headings.bad(
                f"the winner may be {shown}, which differ",
                "name one with winner= (--winner)",
                code="winner_ambiguous",
            )
    return found[0] if found else None


def find_winner_beside(headings: Headings, result: str, a: str, b: str) -> str | None:
    """The column of winners beside one of scorelines, of which it tells whose come first, or
    beside one of other words, such as `normal`.
    """
    winner = headings.guessed.get("winner")
    if winner == result:
        return None
    rows = headings.evidence.rows
    of_scores = headings.evidence[result].scorelines >= MOST_FIT
    of_words = winner is not None and share_of_results(headings.evidence[result]) < SHARED
    if not {a, b} <= rows.keys() or not (of_scores or of_words):
        return None
    tried = [winner] if winner else [each for each in headings.names if each not in {a, b, result}]
    named = [each for each in tried if names_winners(rows[each], rows[a], rows[b])]
    found = [each for each in named if winner or tells_winner(each)]
    found = found or [each for each in named if tells_loser(each)]
    return found[0] if len(found) == 1 else None


def find_own_beside(headings: Headings, a: str, b: str) -> str | None:
    """The column that tells in a word or a flag how the first player fared, beside one of
    scorelines: `W/L`, `Won?`.
    """
    if names_result(headings):
        return None
    if not any(may_tell_own_win(name) for name in headings.names):
        return None
    lines = [
        name for name in find_scorelines(headings, {a, b})
        if read_heading(name).subjects & {*OF_SCORELINES}
    ]  # fmt: skip
    if len(lines) != 1:
        return None
    found = [
        name for name in headings.names
        if name not in {a, b, *lines} and tells_own_win(name, headings.evidence[name])
    ]  # fmt: skip
    winner = headings.guessed.get("winner")
    return found[0] if len(found) == 1 and winner in {None, *found} else None


def find_loser_beside(headings: Headings, a: str, b: str) -> tuple[Form, str] | None:
    """The column that tells who lost, by name, by side, or by a flag of the first player."""
    told = headings.guessed.keys() & {"winner"} or names_result(headings)
    if told:
        return None
    found = [
        name for name in headings.names
        if name not in {a, b} and len(name) > 1 and tells_loser(name)
        and headings.evidence[name].filled
    ]  # fmt: skip
    if len(found) != 1:
        return None
    column, rows = headings.evidence[found[0]], headings.evidence.rows
    if is_flag_of_win(found[0], column):
        return "result", found[0]
    named = names_winners(rows[found[0]], rows[a], rows[b])
    sided = tells_sides(column) or has_sides_of(headings, found[0], a, b)
    return ("winner", found[0]) if named or sided else None


def refuse_winner_first(headings: Headings, line: str, a: str, b: str) -> None:
    """Refuse scorelines that may have the winner first, beside a column that names a player of
    each row and may say who won; raises BadData.
    """
    if names_result(headings) or len(headings.names) < 4:
        return
    rows = headings.evidence.rows
    if not {a, b, line} <= rows.keys() or not are_winner_first(rows[line]):
        return
    if found := find_naming_players(headings, a, b):
        raise headings.bad(
            f"column {quote(line)} has the larger number first in every row: the first player "
            f"may have won, or {quote(found[0])} says who did",
            f"say {won_or_lost(found[0])}, or {format_option('result', [line])} where the "
            "player named first won",
            code="points_order_ambiguous",
        )


def names_losers(headings: Headings, form: Form, name: str) -> bool:
    """Whether a column of winners names the loser, or one of flags tells a defeat."""
    if "winner" in headings.options.roles:
        return False
    named = form == "winner" and "loser" in headings.options.roles
    return named or (tells_loser(name) and not tells_winner(name))


def names_result(headings: Headings) -> bool:
    return not {"result", "winner", "loser", "score_a"}.isdisjoint(headings.options.roles)


def find_naming_players(headings: Headings, a: str, b: str) -> list[str]:
    """The columns whose cells name one of the two players of their row."""
    rows = headings.evidence.rows
    return [
        name for name in headings.names
        if name not in {a, b} and names_winners(rows[name], rows[a], rows[b])
    ]  # fmt: skip


def refuse_named_players(headings: Headings, a: str, b: str) -> None:
    """Refuse columns that name a player of each row where nothing says who won; raises
    BadData.
    """
    names = find_naming_players(headings, a, b)
    if not names or names_result(headings):
        return
    raise headings.bad(
        f"column {quote(names[0])} names one of the two players, and nothing says that they "
        "won or lost",
        f"say {won_or_lost(names[0])}, or name the column of results with result= (--result)",
        code="won_or_lost_ambiguous",
    )


def find_score_line(
    headings: Headings, form: Form, result: str | None, taken: Collection[str | None]
) -> str | None:
    """The column of scorelines beside one that says who won; None where none or several are."""
    if form == "points":
        return None
    lines = find_scorelines(headings, taken)
    if form == "result":
        lines = [name for name in lines if read_heading(name).subjects & {*OF_SCORELINES}]
        if headings.evidence[str(result)].scorelines:
            return None
    return lines[0] if len(lines) == 1 else None


def find_scorelines(headings: Headings, taken: Collection[str | None]) -> list[str]:
    """The columns of scorelines, those of sets alone where there are some."""
    found = []
    for name in headings.names:
        heading = read_heading(BRACKETS.sub(" ", name).strip() or name)  # (winner first)
        numbered = any(map(str.isdigit, heading.words)) and not name.startswith(UNNAMED)
        part = numbered and "result" not in heading.subjects  # the third of some sets
        other = heading.sides or heading.spoiled or LENGTHS & {*heading.words}
        open_ = not (name in taken or other or part)
        if open_ and has_scorelines(headings, name):
            found.append(name)
    told = [name for name in found if "clock" not in read_heading(name).subjects]
    found = told or found
    of_match = [name for name in found if plain_form(name).startswith("match")]
    if len(of_match) == 1:  # of a match of teams, which has sets and games beside
        return of_match
    for subject in OF_SCORELINES:
        told = [name for name in found if subject in read_heading(name).subjects]
        goals = [name for name in told if not is_of_match_points(headings.evidence[name].texts)]
        if len(goals or told) == 1:
            return goals or told
    return [] if any(has_clocks(headings, name) for name in found) else found


def has_scorelines(headings: Headings, name: str) -> bool:
    """Whether a column holds scorelines, also such as 03:02:00 where its heading says so."""
    column = headings.evidence[name]
    if column.scorelines >= MOST_FIT or read_heading(name).subjects.isdisjoint(OF_SCORELINES):
        return column.scorelines >= MOST_FIT
    return find_notation({*column.texts}) in {"times", "signed sets"}


def has_clocks(headings: Headings, name: str) -> bool:
    """Whether a column may hold times of the day or spans of time, and no scores."""
    heading = read_heading(name)
    return "clock" in heading.subjects or headings.evidence[name].share(is_clock) == 1.0


def find_result_by_cells(headings: Headings, a: str, b: str) -> tuple[Form, str] | None:
    """The column of winners or results as its cells tell; None where none or several may be.

    A column of winners names one of the two players in each row.
    """
    if "score_a" in headings.options.roles:
        return None
    open_ = {headings.guessed.get(each) for each in ("round", "points", "score", "place")}
    taken = {a, b, *({*headings.guessed.values()} - open_)}
    rest = [
        name for name in headings.names
        if name not in taken and not read_heading(name).spoiled and headings.evidence[name].filled
    ]  # fmt: skip
    rows = headings.evidence.rows
    named = find_naming_players(headings, a, b)
    winners = [name for name in named if name in rest and tells_winner(name)]
    winners = winners or [name for name in named if tells_loser(name)]
    if len(winners) == 1:
        return "winner", winners[0]
    if len(lines := find_scorelines(headings, taken)) == 1:
        refuse_winner_first(headings, lines[0], a, b)
        return "result", lines[0]
    sided = (
        [] if winners or lines else [name for name in rest if has_sides_of(headings, name, a, b)]
    )
    if len(sided) == 1:
        return "winner", sided[0]
    evidence = headings.evidence
    told = [
        name for name in rest
        if evidence[name].results_only.share(is_result_mark) == 1.0
        and evidence[name].names - NO_RESULTS and len(evidence[name].names) > 1
        and not read_heading(name).subjects & OF_MANY_GAMES
    ]  # fmt: skip
    if len(told) == 2 and are_opposite(rows[told[0]], rows[told[1]]):
        told = told[:1] if headings.names.index(a) < headings.names.index(b) else told[1:]
    return ("result", told[0]) if len(told) == 1 and not winners and not lines else None


def find_judged_beside(headings: Headings, a: str, b: str) -> str | None:
    """The column of judgments beside points, such as those of speakers in a debate, which
    need not agree with them.
    """
    found = [
        name for name in headings.names
        if "verdict" in read_heading(name).subjects and name not in {a, b}
        and not read_heading(name).spoiled and has_sides_of(headings, name, a, b)
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def has_sides_of(headings: Headings, name: str, a: str, b: str) -> bool:
    """Whether the cells of a column name the sides by their headings: Aff, Neg, draw."""
    column = headings.evidence[name]
    if read_heading(name).subjects & OF_MANY_GAMES or not column.names - NO_RESULTS:
        return False
    return bool(name_sides({*column.results_only.texts}, a, b))


def won_or_lost(name: str) -> str:
    """The options of a column that names the winner, or the loser."""
    return f"{format_option('winner', [name])} or {format_option('loser', [name])}"


def are_opposite(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two columns say of both sides of each game how they fared: `○ ●`, `W L`, `D D`."""
    told = {**WON, **DRAWN}
    scores = [
        (told.get(plain_word(str(a))), told.get(plain_word(str(b))))
        for a, b in zip(one, other, strict=True)
        if not (is_missing(a) and is_missing(b))
    ]
    return all(a is not None and b is not None and a + b == 1.0 for a, b in scores)


def is_of_match_points(texts: Sequence[str]) -> bool:
    """Whether all scorelines are 2:0, 1:1 and 0:2, or 3:0, 1:1 and 0:3: points for the result."""
    lines = {as_scoreline(text) for text in texts}
    return any(lines <= {f"{win}-0", "1-1", f"0-{win}"} for win in (2, 3))
