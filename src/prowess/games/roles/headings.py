"""Known headings of tables, and the search for columns among them.

Headings are compared in plain form: without case, spaces, underscores and hyphens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, wraps
from typing import Any, NamedTuple, TypeVar

from prowess.games.errors import BadData, quote
from prowess.games.layout import NONE, Options
from prowess.games.roles.candidates import (
    POINTS_OF_BOTH,
    Candidates,
    fits_all,
    fits_date,
    fits_first_place,
    fits_names,
    fits_place,
    fits_points,
    fits_result,
    fits_round,
)
from prowess.games.roles.evidence import (
    ColumnEvidence,
    TableEvidence,
    has_digit,
    is_number,
    may_be_place,
)
from prowess.games.values import plain_form
from prowess.games.vocabulary import (
    PLACE,
    TIMES,
    WORDS_IN_ORDER,
    is_match,
    pairs_for,
    words_for,
)

Found = TypeVar("Found")
AT_HOME = {*pairs_for("pair_at_home")}  # the first has White or is at home
EQUAL_SIDES = {*pairs_for("pair_of_players")}
NEUTRAL_PAIRS = EQUAL_SIDES | {*pairs_for("pair_of_opponents")}
LETTERS = ("a", "b")  # taken for players only where no other pair is found
BESIDE_SCORE = ("pointsa",)  # points that stand beside a score, as in the exports of a live ladder
ENTERED = words_for("entered")  # when a row was entered, which need not be when the game was played


class Role(NamedTuple):
    """What makes a column that of a role: a whole heading, or words of one and cells that fit."""

    headings: tuple[str, ...]  # in plain form, the first the most certain
    subject: str = ""  # of a heading by its words, where no whole heading is known
    fits: Callable[[ColumnEvidence], bool] = fits_all  # of such columns
    side: str = ""  # of which headings by words name the player
    holds: Callable[[Any], bool] | None = None  # a cell of a whole heading's column, if any is so
    shared: bool = False  # of contests: a column may have another role in games


ROLES = {
    "result": Role(("result", "outcome"), "result", fits_result),
    "winner": Role(("winner", "winnername"), side="winner"),
    "loser": Role(("loser", "losername"), side="loser"),
    "score": Role(("score", "scorea"), shared=True),
    "draw": Role((*WORDS_IN_ORDER["draw"], *WORDS_IN_ORDER["heading_draw"]), "draw"),
    "date": Role((*WORDS_IN_ORDER["heading_date"], *WORDS_IN_ORDER["entered"]), "date", fits_date),
    "clock": Role(WORDS_IN_ORDER["heading_clock"]),
    # of another meaning, too: the first cell tells whether they are dates
    "maybe date": Role(WORDS_IN_ORDER["heading_maybe_date"], shared=True),
    "year": Role(WORDS_IN_ORDER["year"]),
    "round": Role(("round",), "round", fits_round),
    "neutral": Role(WORDS_IN_ORDER["neutral"], "neutral"),
    "weight": Role(("weight",), "weight", fits_points),
    "margin": Role(("margin",), holds=is_number),  # it may be 3&2
    "length": Role(("length", "rounds", "moves"), holds=is_number),  # `moves` those of a game
    "player": Role(
        (*WORDS_IN_ORDER["heading_player"], "team", "teamname"), "player", fits_names, shared=True
    ),
    "team": Role(WORDS_IN_ORDER["heading_team"], shared=True),
    "match": Role(WORDS_IN_ORDER["heading_match"], shared=True),
    # beside it and a player rows of one team may be one side
    "result of team": Role(("result", "outcome", "won", "win"), shared=True),
    "share": Role(WORDS_IN_ORDER["heading_share"]),
    "place": Role(PLACE, "place", fits_first_place, holds=may_be_place),  # `position` in a team
    "points": Role(
        (*WORDS_IN_ORDER["heading_points"], *TIMES, "score"),
        "points",
        fits_place,
        holds=has_digit,
        shared=True,
    ),
}
WHOLE = {  # headings that are known as they are: of tables of these alone no word is read
    *(word for pair in (*AT_HOME, *NEUTRAL_PAIRS) for word in pair),
    *(word for role in ROLES.values() for word in role.headings),
}
TAKES_SEVERAL = ("player_a", "player_b", "winner", "loser", "player")  # take several columns
LISTED = 40  # headings that a message names


class Headings:
    """The headings of one table, and what the caller says of them."""

    def __init__(
        self,
        names: Sequence[str],
        options: Options,
        file: str,
        line: int | None,
        evidence: TableEvidence,
    ) -> None:
        self.names, self.options, self.file, self.line = names, options, file, line
        self.evidence = evidence
        self.said: dict[str, None] = {}  # how columns were chosen where headings leave it open
        self.by_shape: frozenset[str] = frozenset()  # roles that the shape of the table tells
        self.found: dict[Callable[[Headings], Any], Any] = {}  # by functions that are called once
        self.plain: dict[str, str] = {}
        for name in names:
            self.plain.setdefault(plain_form(name), name)

    @cached_property
    def whole(self) -> dict[str, str]:
        """The column of each role by whole headings."""
        return {name: found for name, role in ROLES.items() if (found := self._find_heading(role))}

    @cached_property
    def guessed(self) -> dict[str, str]:
        """The column of each role by whole headings, else by their words and by cells."""
        points = [pair for pair in POINTS_OF_BOTH if self.plain.keys() >= {*pair}]
        known = self.plain.keys() <= WHOLE.union(*points)
        return self.whole | ({} if known else self._find_by_words())

    def _find_heading(self, role: Role) -> str | None:
        """The first column with a whole heading of a role and, if they matter, cells of its."""
        found = (self.plain[word] for word in role.headings if word in self.plain)
        if role.holds is None:
            return next(found, None)
        columns = ((name, self.evidence[name]) for name in found)
        return next(
            (name for name, cells in columns if not cells.filled or cells.share(role.holds)), None
        )

    @cached_property
    def candidates(self) -> Candidates:
        """The columns without an exact heading, and those that the caller does not name."""
        named = {plain_form(name) for name in self.options.columns_with_role()}
        taken = {name for name in self.names if plain_form(name) in named}
        taken |= {name for role, name in self.whole.items() if not ROLES[role].shared}
        return Candidates(self.names, self.evidence, taken)

    def _find_by_words(self) -> dict[str, str]:
        """The only column of each further role by the words of headings and by their cells."""
        dated = "maybe date" in self.whole
        found: dict[str, list[str]] = {}
        for name, role in ROLES.items():
            if name in self.whole or (name == "date" and dated):
                continue
            if role.side:
                found[name] = self.candidates.winners(role.side)
            elif role.subject:
                found[name] = self.candidates.alone(role.subject, role.fits)
            elif name == "match":
                found[name] = [*filter(is_match, self.names)]
        return {name: columns[0] for name, columns in found.items() if len(columns) == 1}

    def find_column(self, role: str) -> str | None:
        """The column that the caller names for a role, else the first that looks like it."""
        if role in self.options.roles:
            return self.named_column(role)
        return self.guessed.get(role)

    def named_column(self, role: str) -> str | None:
        """The column that the caller names for a role; raises BadData."""
        named = self.named_columns(role)
        if len(named) > 1 and role not in TAKES_SEVERAL:
            raise self.bad("not_one_column", role=role, count=len(named))
        return named[0] if named else None

    def named_columns(self, role: str) -> tuple[str, ...]:
        """The columns that the caller names for a role, each once; raises BadData."""
        if role not in self.options.roles:
            return ()
        named = self.options.roles[role]
        if named == (NONE,) and NONE not in self.names:
            return ()
        found = tuple(self.column(name, role) for name in named)
        if len(set(found)) < len(found):
            raise self.bad("column_twice.option", role=role)
        return found

    def column(self, name: str, role: str) -> str:
        """The column of that name, read without regard to case and separators if need be."""
        if name in self.names:
            return name
        alike = [each for each in self.names if plain_form(each) == plain_form(name)]
        if len(alike) == 1:
            return alike[0]
        from difflib import get_close_matches

        near = get_close_matches(name, self.names, n=1)
        hint = f"did you mean {quote(near[0])}?" if near else f"name another with {role}="
        raise self.bad("no_such_column", role=role, name=name, remedy=hint)

    def ask(self, sentence: str, remedy: str, found: Iterable[str]) -> BadData:
        """The question which of several columns, or groups of them, is meant."""
        return self.bad(sentence, remedy=remedy, found=" or ".join(found))

    def bad(self, sentence: str, **facts: Any) -> BadData:
        """An error about the headings, which names them: see `BadData.of`."""
        bad = BadData.of(sentence, file=self.file, line=self.line, **facts)
        found = ", ".join(quote(name)[1:-1] for name in self.names[:LISTED])
        more = f" and {len(self.names) - LISTED} more" if len(self.names) > LISTED else ""
        return bad.reword(f"{bad.what}; columns found: {found}{more}", bad.remedy)


def once(find: Callable[[Headings], Found]) -> Callable[[Headings], Found]:
    """The function, which keeps what it finds among the headings of a table."""

    @wraps(find)
    def find_once(headings: Headings) -> Found:
        if find not in headings.found:
            headings.found[find] = find(headings)
        found: Found = headings.found[find]
        return found

    return find_once
