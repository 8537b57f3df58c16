"""Known headings of tables, and the search for columns among them.

Headings are compared in plain form: without case, spaces, underscores and hyphens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from prowess.games.errors import BadData, quote
from prowess.games.layout import NONE, Options
from prowess.games.roles.contest_words import (
    CONTEST,
    GAMES,
    PLACE,
    PLAYED,
    POINTS,
    STANDINGS,
    SUMS,
    TIMES,
)
from prowess.games.roles.evidence import MOST, has_digit, is_number, may_be_place
from prowess.games.roles.points_columns import PointsColumns
from prowess.games.values import plain_form
from prowess.games.vocabulary import (
    is_draw,
    is_match,
    words_of,
)
from prowess.games.words import WORDS_IN_ORDER, pairs_for, words_for

if TYPE_CHECKING:
    from prowess.games.roles.deciding import Deciding
    from prowess.games.roles.evidence import TableEvidence

SIDED = {*pairs_for("pair_at_home")}  # the first has White or is at home
NEUTRAL = {*pairs_for("pair_of_players")}
LETTERS = ("a", "b")  # taken for players only where no other pair is found
BESIDE_SCORE = ("pointsa",)  # points that stand beside a score, as in the exports of a live ladder
ENTERED = words_for("entered")  # when a row was entered, which need not be when the game was played
MEANINGS = {  # of a column, and the headings that tell it, the first the most certain
    "result": ("result", "outcome"),
    "winner": ("winner", "winnername"),
    "loser": ("loser", "losername"),
    "score": ("score", "scorea"),
    "draw": (*WORDS_IN_ORDER["draw"], *WORDS_IN_ORDER["heading_draw"]),
    "date": (*WORDS_IN_ORDER["heading_date"], *WORDS_IN_ORDER["entered"]),
    "clock": WORDS_IN_ORDER["heading_clock"],
    "maybe date": WORDS_IN_ORDER["heading_maybe_date"],
    # of another meaning, too: the first cell tells whether they are dates
    "year": WORDS_IN_ORDER["year"],
    "round": ("round",),
    "neutral": WORDS_IN_ORDER["neutral"],
    "weight": ("weight",),
    "margin": ("margin",),
    "length": ("length", "rounds", "moves"),
    "player": (*WORDS_IN_ORDER["heading_player"], "team", "teamname"),
    "team": WORDS_IN_ORDER["heading_team"],
    "match": WORDS_IN_ORDER["heading_match"],
    # beside it and a player rows of one team may be one side
    "result of team": ("result", "outcome", "won", "win"),
    "share": WORDS_IN_ORDER["heading_share"],
    "place": PLACE,
    "points": (*POINTS, *TIMES, "score"),
}
BY_WORDS = ("date", "result", "round", "draw", "neutral", "weight", "place", "points", "player")
ROUNDS = ("", *WORDS_IN_ORDER["numbered_round"])  # before a number, in a crosstable

CONTEST_SET = frozenset(CONTEST)
RATINGS = words_for("rating") | {"votes"}
BESIDE_RATINGS = words_for("beside_rating")
HOLD_NUMBERS = {  # `position` may be a role, `moves` those of a game, `margin` 3&2
    "margin": is_number, "length": is_number, "place": may_be_place, "points": has_digit,
}  # fmt: skip
COUNTED = frozenset(word for pair in STANDINGS for word in pair)
NAMED_BY_CALLER = ("place", "points", "result", "contest")  # what decides contests, and their keys
SHARED_ROLES = (  # of contests
    "player", "team", "points", "score", "match", "maybe date", "result of team",
)  # fmt: skip
OF_MEMBERS = ("player_a", "player_b", "winner", "loser", "player")  # take several columns
FEWEST_ROUNDS = 3  # numbered columns that make a crosstable
SHOWN = 40  # headings that a message names
GAMES_WANTED = (
    'give the table of games, or take it as one contest with kind="contests" and place= '
    "(--kind contests --place COLUMN)"
)


WON_GAMES = (words_for("won") - words_for("winner")) | {"w"}  # columns of sums of games


class Headings:
    """The headings of one table, and what the caller says of them."""

    def __init__(
        self,
        names: Sequence[str],
        options: Options,
        file: str,
        line: int | None,
        evidence: TableEvidence | None = None,
    ) -> None:
        self.names, self.options, self.file, self.line = names, options, file, line
        self.evidence = evidence
        self.said: dict[str, None] = {}  # how columns were chosen where headings leave it open
        self.by_shape: frozenset[str] = frozenset()  # roles that the shape of the table tells
        self.plain: dict[str, str] = {}
        for name in names:
            self.plain.setdefault(plain_form(name), name)
        self.guessed = {  # the first column of each meaning
            meaning: found
            for meaning, words in MEANINGS.items()
            if (found := self._first_column(meaning, words))
        }
        self._guess_by_words()

    def _first_column(self, meaning: str, words: Sequence[str]) -> str | None:
        """The first column with one of these headings; one of numbers holds a number."""
        found = (self.plain[word] for word in words if word in self.plain)
        if self.evidence is None or meaning not in HOLD_NUMBERS:
            return next(found, None)
        holds = HOLD_NUMBERS[meaning]
        evidence = self.evidence
        return next(
            (name for name in found if not evidence[name].filled or evidence[name].share(holds)),
            None,
        )

    @cached_property
    def candidates(self) -> PointsColumns:
        """The columns without an exact heading, and those that the caller does not name."""
        named = {plain_form(name) for name in self.options.columns_with_role()}
        taken = {name for name in self.names if plain_form(name) in named}
        taken |= {name for role, name in self.guessed.items() if role not in SHARED_ROLES}
        return PointsColumns(self.names, self.evidence, taken)

    def _guess_by_words(self) -> None:
        """Find the columns of further meanings by the words of headings and by their cells."""
        found: dict[str, list[str]] = {}
        for meaning in BY_WORDS:
            if meaning not in self.guessed:
                found[meaning] = self.candidates.alone(meaning)
        if "winner" not in self.guessed:
            found["winner"] = self.candidates.winners("winner")
        if "loser" not in self.guessed:
            found["loser"] = self.candidates.winners("loser")
        if "match" not in self.guessed:
            found["match"] = [name for name in self.names if is_match(name)]
        dates = self.guessed.keys() & {"date", "maybe date"}
        if dates:
            found.pop("date", None)
        for meaning, names in found.items():
            if len(names) == 1:
                self.guessed[meaning] = names[0]

    def find_column(self, role: str) -> str | None:
        """The column that the caller names for a role, else the first that looks like it."""
        if role in self.options.roles:
            return self.named_column(role)
        return self.guessed.get(role)

    def named_column(self, role: str) -> str | None:
        """The column that the caller names for a role; raises BadData."""
        named = self.named_columns(role)
        if len(named) > 1 and role not in OF_MEMBERS:
            raise self.bad(
                f"{role} is one column, not {len(named)}", "name one", code="not_one_column"
            )
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
            raise self.bad(f"{role}= names a column twice", "name each once", code="column_twice")
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
        hint = f"name another with {role}= (--{role.rstrip('_').replace('_', '-')})"
        if near:
            hint = f"did you mean {quote(near[0])}?"
        raise self.bad(
            f"{role}= names column {quote(name)}, which is not there", hint, code="no_such_column"
        )

    def bad(self, what: str, remedy: str, *, code: str | None = None) -> BadData:
        """An error about the headings, which names them."""
        found = ", ".join(quote(name)[1:-1] for name in self.names[:SHOWN])
        more = f" and {len(self.names) - SHOWN} more" if len(self.names) > SHOWN else ""
        return BadData(
            f"{what}; columns found: {found}{more}",
            file=self.file,
            line=self.line,
            remedy=remedy,
            code=code,
        )

    @cached_property
    def numbered(self) -> tuple[str, ...]:
        """Columns 1, 2, 3, ... or R1, R2, R3, ..., empty where there are fewer than three."""
        for word in ROUNDS:
            found: list[str] = []
            while (name := f"{word}{len(found) + 1}") in self.plain:
                found.append(self.plain[name])
            if len(found) >= FEWEST_ROUNDS:
                return tuple(found)
        return ()

    @cached_property
    def deciding(self) -> Deciding:
        """The columns that decide contests without places and points, with their better ends."""
        if self.evidence is None or not self.guessed.keys().isdisjoint({"place", "points"}):
            return ()
        from prowess.games.roles.deciding import find_deciding

        return find_deciding(self.names, self.evidence)

    def refuse_standings(self) -> None:
        """Refuse league tables and crosstables, which sum up games; raises BadData."""
        if not self.options.roles.keys().isdisjoint(NAMED_BY_CALLER):
            return
        known = {word for word, name in self.plain.items() if self._may_count(name)}
        sums = next((set(pair) for pair in STANDINGS if known.issuperset(pair)), set())
        player = self.guessed.get("player")
        if not sums and player:
            sums = set(PLAYED & known)
            if known.isdisjoint({*CONTEST, *MEANINGS["date"]}):
                sums |= GAMES & known
        rated = [name for name in self.names if not words_of(name).isdisjoint(RATINGS)]
        counted = [self.plain[word] for word in sorted((GAMES | PLAYED) & known)]
        if player:  # beside ranks, votes or intervals
            counted += [name for name in self.names if words_of(name) & BESIDE_RATINGS]
        counted = [name for name in counted if name not in rated[:1]]
        if rated and counted and known.isdisjoint({*CONTEST, *MEANINGS["date"]}):
            columns = f"{rated[0]}, {counted[0]}"
            raise self.bad(
                f"these are standings, not games (columns {columns})",
                GAMES_WANTED,
                code="standings",
            )
        beside = (SUMS & known) - sums
        if sums and beside:
            columns = ", ".join(self.plain[name] for name in [*sorted(sums), *sorted(beside)][:4])
            raise self.bad(
                f"these are standings, not games (columns {columns})",
                GAMES_WANTED,
                code="standings",
            )
        open_ = self.guessed.keys().isdisjoint({"place", "points"}) and not self.deciding
        if player and self.numbered and open_:
            raise self.bad(
                "this is a crosstable, not a table of games", GAMES_WANTED, code="crosstable"
            )

    def refuse_totals(self, winner: str | None, loser: str | None) -> None:
        """Refuse numbers won and lost in a season in place of names; raises BadData.

        Numbers are names where they are ids: of the same players in both columns, or called so.
        """
        named = self.options.roles.keys() & {"winner", "loser"}
        if not (winner and loser) or self.evidence is None or named:
            return
        if "id" in words_of(winner) | words_of(loser):
            return
        numbers = all(self.evidence[name].numbers >= MOST for name in (winner, loser))
        summed = bool(WON_GAMES & words_of(winner))
        if numbers and (summed or not self.evidence.share_names(winner, loser)):
            columns = f"{winner}, {loser}"
            raise self.bad(
                f"these are standings, not games (columns {columns})", GAMES_WANTED,
                code="standings",
            )  # fmt: skip

    def _may_count(self, name: str) -> bool:
        """Whether a column may hold sums of games, or tell contests: it is no time of a game."""
        if plain_form(name) not in PLAYED | GAMES | COUNTED or self.evidence is None:
            return True
        column = self.evidence[name]
        return not column.filled or column.share(is_number) >= MOST

    def refuse_ratings(self, common: Mapping[str, object]) -> None:
        """Refuse a list of ratings, which is no contest; raises BadData."""
        if (
            "contest" in self.options.roles
            or common["time"]
            or not CONTEST_SET.isdisjoint(self.plain)
        ):
            return
        rated = [name for name in self.names if not words_of(name).isdisjoint(RATINGS)]
        if rated and "place" in self.guessed:
            raise self.bad(
                f"these are standings, not games (column {quote(rated[0])})",
                GAMES_WANTED,
                code="standings",
            )

    def find_draw(self) -> str | None:
        """The column that says which games were drawn."""
        if "draw" in self.options.roles:
            return self.named_column("draw")
        named = (name for name in self.names if is_draw(name))
        return self.guessed.get("draw") or next(named, None)
