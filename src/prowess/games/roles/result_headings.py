"""The columns of results, of winners and of scorelines, by their headings and by their cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from prowess.games.cells.outcome_words import DRAWN, WON
from prowess.games.cells.side_results import as_scoreline
from prowess.games.errors import quote
from prowess.games.layout import Form, Layout
from prowess.games.reading import format_option
from prowess.games.roles.beside_points import contradicts_points
from prowess.games.roles.candidates import UNNAMED, share_of_results
from prowess.games.roles.date_headings import DateHeadings
from prowess.games.roles.evidence import (
    MOST,
    ROWS,
    SHARED,
    is_clock,
    is_result_mark,
    tells_sides,
)
from prowess.games.roles.named_players import (
    are_winner_first,
    is_flag_of_win,
    may_tell_own_win,
    names_winners,
    tells_loser,
    tells_own_win,
    tells_winner,
)
from prowess.games.values import is_missing, plain_form, plain_word
from prowess.games.vocabulary import BRACKETS, read_heading
from prowess.games.words import words_for

OF_SCORELINES = ("result", "sets", "points")
NO_RESULTS = frozenset({"1", "2", "a", "b"})  # alone they may be groups or variants
LENGTHS = words_for("length")  # of games in minutes and seconds
OF_MANY_GAMES = frozenset({"league", "season", "round", "clock"})  # subjects of no result


class ResultHeadings(DateHeadings):
    """Finds the columns that tell the results of one table."""

    def verdict(self) -> str | None:
        """The column of judgments; of several, such as those of two orders of the answers, all
        have to say the same. Raises BadData.
        """
        found = self.candidates.verdicts()
        if len(found) > 1 and self.evidence is not None:
            rows = self.evidence.rows
            if self.evidence.count == ROWS or any(rows[x] != rows[found[0]] for x in found):
                shown = " or ".join(map(quote, found))
                raise self.bad(
                    f"the winner may be {shown}, which differ",
                    "name one with winner= (--winner)",
                    code="winner_ambiguous",
                )
        return found[0] if found else None

    def winner_beside(self, result: str, a: str, b: str) -> str | None:
        """The column of winners beside one of scorelines, of which it tells whose come first, or
        beside one of other words, such as `normal`.
        """
        winner = self.guessed.get("winner")
        if winner == result or self.evidence is None:
            return None
        rows = self.evidence.rows
        of_scores = self.evidence[result].scorelines >= MOST
        of_words = winner is not None and share_of_results(self.evidence[result]) < SHARED
        if not {a, b} <= rows.keys() or not (of_scores or of_words):
            return None
        tried = [winner] if winner else [each for each in self.names if each not in {a, b, result}]
        named = [each for each in tried if names_winners(rows[each], rows[a], rows[b])]
        found = [each for each in named if winner or tells_winner(each)]
        found = found or [each for each in named if tells_loser(each)]
        return found[0] if len(found) == 1 else None

    def own_beside(self, a: str, b: str) -> str | None:
        """The column that tells in a word or a flag how the first player fared, beside one of
        scorelines: `W/L`, `Won?`.
        """
        if self.evidence is None or self._names_result():
            return None
        if not any(may_tell_own_win(name) for name in self.names):
            return None
        lines = [
            name for name in self.scoreline_columns({a, b})
            if read_heading(name).subjects & {*OF_SCORELINES}
        ]  # fmt: skip
        if len(lines) != 1:
            return None
        found = [
            name for name in self.names
            if name not in {a, b, *lines} and tells_own_win(name, self.evidence[name])
        ]  # fmt: skip
        winner = self.guessed.get("winner")
        return found[0] if len(found) == 1 and winner in {None, *found} else None

    def loser_beside(self, a: str, b: str) -> tuple[Form, str] | None:
        """The column that tells who lost, by name, by side, or by a flag of the first player."""
        told = self.guessed.keys() & {"winner"} or self._names_result()
        if self.evidence is None or told:
            return None
        found = [
            name for name in self.names
            if name not in {a, b} and len(name) > 1 and tells_loser(name)
            and self.evidence[name].filled
        ]  # fmt: skip
        if len(found) != 1:
            return None
        column, rows = self.evidence[found[0]], self.evidence.rows
        if is_flag_of_win(found[0], column):
            return "result", found[0]
        named = names_winners(rows[found[0]], rows[a], rows[b])
        sided = tells_sides(column) or self.has_sides_of(found[0], a, b)
        return ("winner", found[0]) if named or sided else None

    def refuse_winner_first(self, line: str, a: str, b: str) -> None:
        """Refuse scorelines that may have the winner first, beside a column that names a player of
        each row and may say who won; raises BadData.
        """
        if self.evidence is None or self._names_result() or len(self.names) < 4:
            return
        rows = self.evidence.rows
        if not {a, b, line} <= rows.keys() or not are_winner_first(rows[line]):
            return
        if found := self.columns_naming_players(a, b):
            raise self.bad(
                f"column {quote(line)} has the larger number first in every row: the first player "
                f"may have won, or {quote(found[0])} says who did",
                f"say {won_or_lost(found[0])}, or {format_option('result', [line])} where the "
                "player named first won",
                code="points_order_ambiguous",
            )

    def refuse_contradicted_winners(self, layout: Layout) -> None:
        """Refuse numbers that contradict the points of both sides, whichever way they count the
        winners; raises BadData.
        """
        if self.evidence is not None and contradicts_points(self.evidence, layout):
            name = quote(layout.result)
            raise self.bad(
                f"column {name} contradicts the points, however it counts the winners",
                f"say {format_option('winner', ['none'])} if the points decide, or "
                f"{format_option('score_a', ['none'])} if {name} does",
                code="winners_contradict_points",
            )

    def names_losers(self, form: Form, name: str | None) -> bool:
        """Whether the column that tells who won names the loser, or is a flag of a defeat."""
        if not name or "winner" in self.options.roles or form not in {"winner", "result"}:
            return False
        if form == "result":
            return self.has_flags(name) and tells_loser(name) and not tells_winner(name)
        return "loser" in self.options.roles or (tells_loser(name) and not tells_winner(name))

    def has_flags(self, name: str) -> bool:
        """Whether a column of results says of each game whether the first side won: yes or no."""
        if self.evidence is None or self.options.outcomes:
            return False
        return is_flag_of_win(name, self.evidence[name])

    def _names_result(self) -> bool:
        return not {"result", "winner", "loser", "score_a"}.isdisjoint(self.options.roles)

    def columns_naming_players(self, a: str, b: str) -> list[str]:
        """The columns whose cells name one of the two players of their row."""
        if self.evidence is None:
            return []
        rows = self.evidence.rows
        return [
            name for name in self.names
            if name not in {a, b} and names_winners(rows[name], rows[a], rows[b])
        ]  # fmt: skip

    def refuse_named_players(self, a: str, b: str) -> None:
        """Refuse columns that name a player of each row where nothing says who won; raises
        BadData.
        """
        names = self.columns_naming_players(a, b)
        if not names or self._names_result():
            return
        raise self.bad(
            f"column {quote(names[0])} names one of the two players, and nothing says that they "
            "won or lost",
            f"say {won_or_lost(names[0])}, or name the column of results with result= (--result)",
            code="won_or_lost_ambiguous",
        )

    def score_line(
        self, form: Form, result: str | None, taken: Collection[str | None]
    ) -> str | None:
        """The column of scorelines beside one that says who won; None where none or several are."""
        if form == "points" or self.evidence is None:
            return None
        lines = self.scoreline_columns(taken)
        if form == "result":
            lines = [name for name in lines if read_heading(name).subjects & {*OF_SCORELINES}]
            if self.evidence[str(result)].scorelines:
                return None
        return lines[0] if len(lines) == 1 else None

    def scoreline_columns(self, taken: Collection[str | None]) -> list[str]:
        """The columns of scorelines, those of sets alone where there are some."""
        if self.evidence is None:
            return []
        found = []
        for name in self.names:
            heading = read_heading(BRACKETS.sub(" ", name).strip() or name)  # (winner first)
            numbered = any(map(str.isdigit, heading.words)) and not name.startswith(UNNAMED)
            part = numbered and "result" not in heading.subjects  # the third of some sets
            other = heading.sides or heading.spoiled or LENGTHS & {*heading.words}
            open_ = not (name in taken or other or part)
            if open_ and self.has_scorelines(name):
                found.append(name)
        told = [name for name in found if "clock" not in read_heading(name).subjects]
        found = told or found
        of_match = [name for name in found if plain_form(name).startswith("match")]
        if len(of_match) == 1:  # of a match of teams, which has sets and games beside
            return of_match
        for subject in OF_SCORELINES:
            told = [name for name in found if subject in read_heading(name).subjects]
            goals = [name for name in told if not is_of_match_points(self.evidence[name].texts)]
            if len(goals or told) == 1:
                return goals or told
        return [] if any(map(self.has_clocks, found)) else found

    def has_scorelines(self, name: str) -> bool:
        """Whether a column holds scorelines, also such as 03:02:00 where its heading says so."""
        assert self.evidence is not None
        column = self.evidence[name]
        if column.scorelines >= MOST or read_heading(name).subjects.isdisjoint(OF_SCORELINES):
            return column.scorelines >= MOST
        from prowess.games.cells.outcome_columns import find_notation

        return find_notation({*column.texts}) in {"times", "signed sets"}

    def has_clocks(self, name: str) -> bool:
        """Whether a column may hold times of the day or spans of time, and no scores."""
        assert self.evidence is not None
        heading = read_heading(name)
        return "clock" in heading.subjects or self.evidence[name].share(is_clock) == 1.0

    def result_by_cells(self, a: str, b: str) -> tuple[Form, str] | None:
        """The column of winners or results as its cells tell; None where none or several may be.

        A column of winners names one of the two players in each row.
        """
        if self.evidence is None or "score_a" in self.options.roles:
            return None
        open_ = {self.guessed.get(each) for each in ("round", "points", "score", "place")}
        taken = {a, b, *({*self.guessed.values()} - open_)}
        rest = [
            name for name in self.names
            if name not in taken and not read_heading(name).spoiled and self.evidence[name].filled
        ]  # fmt: skip
        rows = self.evidence.rows
        named = self.columns_naming_players(a, b)
        winners = [name for name in named if name in rest and tells_winner(name)]
        winners = winners or [name for name in named if tells_loser(name)]
        if len(winners) == 1:
            return "winner", winners[0]
        if len(lines := self.scoreline_columns(taken)) == 1:
            self.refuse_winner_first(lines[0], a, b)
            return "result", lines[0]
        sided = [] if winners or lines else [name for name in rest if self.has_sides_of(name, a, b)]
        if len(sided) == 1:
            return "winner", sided[0]
        told = [
            name for name in rest if self.evidence[name].results_only.share(is_result_mark) == 1.0
        ]
        told = [name for name in told if len(self.evidence[name].names - NO_RESULTS) > 0]
        told = [name for name in told if not read_heading(name).subjects & OF_MANY_GAMES]
        told = [name for name in told if len(self.evidence[name].names) > 1]
        if len(told) == 2 and are_opposite(rows[told[0]], rows[told[1]]):
            told = told[:1] if self.names.index(a) < self.names.index(b) else told[1:]
        return ("result", told[0]) if len(told) == 1 and not winners and not lines else None

    def judged_beside(self, a: str, b: str) -> str | None:
        """The column of judgments beside points, such as those of speakers in a debate, which
        need not agree with them.
        """
        if self.evidence is None:
            return None
        found = [
            name for name in self.names
            if "verdict" in read_heading(name).subjects and name not in {a, b}
            and not read_heading(name).spoiled and self.has_sides_of(name, a, b)
        ]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def has_sides_of(self, name: str, a: str, b: str) -> bool:
        """Whether the cells of a column name the sides by their headings: Aff, Neg, draw."""
        from prowess.games.cells.outcome_columns import name_sides

        assert self.evidence is not None
        column = self.evidence[name]
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
