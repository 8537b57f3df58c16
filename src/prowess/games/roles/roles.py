"""Find the column of each role: as the caller says, else as the headings suggest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from prowess.games.cells.outcome_words import EXACT
from prowess.games.cells.side_results import as_scoreline
from prowess.games.errors import quote
from prowess.games.layout import NONE, Best, Form, Kind, Layout
from prowess.games.reading import format_options
from prowess.games.roles import contest_words
from prowess.games.roles.beside_points import settle_points
from prowess.games.roles.beside_results import BESIDE_NAMED, KICKS, find_beside, find_ground
from prowess.games.roles.candidates import names_side
from prowess.games.roles.categories import find_facts
from prowess.games.roles.contestants import find_contestant
from prowess.games.roles.evidence import is_scoreline
from prowess.games.roles.marked_members import leftover_twins
from prowess.games.roles.member_columns import leftover_columns, share_columns
from prowess.games.roles.missing_winners import find_reasons
from prowess.games.roles.pairs import PairFinder
from prowess.games.values import plain_form
from prowess.games.vocabulary import SIDED, read_heading, tells_contests

FOR_GAMES = (
    "player_a", "player_b", "result", "score_a", "score_b", "winner", "loser", "draw", "neutral",
    "margin", "length", "round",
)  # fmt: skip
NO_COLUMN = (NONE,)
FOR_CONTESTS = ("contest", "player", "place", "points", "team", "share")


class LayoutFinder(PairFinder):
    """Finds the roles of the columns of one table."""

    def find_layout(self) -> Layout:
        """The layout of the table; raises BadData."""
        return self._layout

    @cached_property
    def _layout(self) -> Layout:
        kind = self.kind()
        options = self.options
        common = {
            **self.find_time(kind),
            **find_facts(self, kind),
            "per": tuple((name, self.column(name, "per")) for name in options.per),
            "weight": self.find_column("weight"),
            "counted": "weight" in self.by_shape,
            "where": {self.column(name, "where"): some for name, some in options.where.items()},
            "exclude": {
                self.column(name, "exclude"): some for name, some in options.exclude.items()
            },
        }
        return self.games(common) if kind == "games" else self.contests(common)

    @property
    def is_asked(self) -> bool:
        """Whether the caller or the shape of the table names columns of players or results, or
        asks for contests.
        """
        return self._names_roles(())

    def _names_roles(self, but: Collection[str]) -> bool:
        """Whether columns of players or results are named, leaving some roles out of account."""
        given = self.options.roles.items()
        named = {role for role, columns in given if columns != NO_COLUMN and role not in but}
        named &= {*FOR_GAMES, *FOR_CONTESTS}
        return bool(named) or self.options.kind == "contests" or bool(self.options.along)

    def kind(self) -> Kind:
        kind, roles, guessed = self.options.kind, self.options.roles, self.guessed
        if kind is None and roles.get("team", NO_COLUMN) != NO_COLUMN:
            return "contests"
        if kind == "games" or (
            kind is None and (self.options.side or any(role in roles for role in FOR_GAMES))
        ):
            return "games"
        if kind == "contests" or any(
            roles.get(role, NO_COLUMN) != NO_COLUMN for role in FOR_CONTESTS
        ):
            return "contests"
        if self.pairs or {"winner", "loser"} <= guessed.keys():
            return "games"
        ranked = not guessed.keys().isdisjoint({"place", "points"}) or self.deciding
        of_one = ranked and ("player" in guessed or not self.members())
        if of_one and (player := find_contestant(self)):
            guessed["player"] = player
            return "contests"
        if self.own_result:
            return "contests"
        if not self.members():
            self.refuse_standings()
        return "games"

    # --- games ---------------------------------------------------------------------------

    def games(self, common: Mapping[str, object]) -> Layout:
        roles, options = self.options.roles, self.options
        for role in {"team", "share"} & roles.keys():
            if self.named_column(role):
                raise self.bad(
                    f"{role}= is for tables with one player a row",
                    'say kind="contests" (--kind contests), or leave it out',
                    code="option_of_contests",
                )
        winner, loser = self.find_column("winner"), self.find_column("loser")
        self.refuse_totals(winner, loser)
        asked = "player_a" in roles or "player_b" in roles
        form: Form = "result"
        result = self.named_column("result") if "result" in roles else None
        guessed = None
        if winner and loser and not asked and not result and not self.pairs:
            a, b, form = winner, loser, "winner and loser"
        elif not asked and len(self.pairs) == 1:
            a, b = self.pairs[0]
        elif asked or self.pairs or not (guessed := self.members()):
            a, b = self.pair()
        else:
            a, b = guessed.sides[0][0], guessed.sides[1][0]
            form = "winner and loser" if guessed.won and not result else form
        points = self.points_of_both(form, a, b)
        if form == "result":
            form, result = self.form(result, points, a, b)
            if form == "result" and result and "result" not in roles:
                self.refuse_result_of_second(result, a, b)
                if not asked:
                    self.refuse_second_first(result, a, b)
        family = self.family(a, b)
        sided = guessed.sided if guessed else family in SIDED
        draw = self.find_draw() if "winner" in form or "draw" in roles else None
        outcome = None
        if form == "winner and loser" and not draw and "draw" not in roles:
            outcome = self.guessed.get("result") or self.guessed.get("score")
        line = None
        if not points and not options.share and "score_a" not in roles:
            taken = [a, b, result, draw, common["time"]]
            line = self.score_line(form, result, taken)  # type: ignore[arg-type]
        side = options.side
        if side is not None:
            sided = plain_form(side) == "a"  # the first side, also where a column is called so
            side = None if sided or side == NONE else self.column(side, "side")
        neutral = self.find_column("neutral")
        if neutral and not sided:
            if "neutral" in roles:
                raise self.bad(
                    "a column of neutral ground says nothing where no side is at home",
                    'say who is with side="a" or side=COLUMN (--sides)', code="neutral_without_home"
                )  # fmt: skip
            neutral = None
        if options.share and not points:
            raise self.bad(
                "a share needs the points of both sides", "name them with score_a= and score_b=",
                code="share_without_points"
            )  # fmt: skip
        sides: tuple[tuple[str, ...], ...] = guessed.sides if guessed else ()
        if not guessed and (roles or options.teams):
            sides = self.sides(form, a, b)
        rounds = tuple(filter(None, [self.guessed.get("round")]))
        found = Layout(
            kind="games",
            form="points" if options.share else form,
            a=a,
            b=b,
            sides=sides,
            shares=share_columns(self.plain, sides) if sides and "share" not in roles else (),
            guessed_sides=guessed is not None,
            said=tuple(self.said),
            along=tuple(self.columns_of_sides(role, a, b, form) for role in options.along),
            result="" if options.share else result or "",
            draw=draw or outcome,
            outcome=outcome is not None,
            line=line,
            flagged=form == "result" and bool(result) and self.has_flags(str(result)),
            names_loser=self.names_losers(form, result),
            has_kicks=any(KICKS & {*read_heading(name).words} for name in self.names),
            level_draws=bool(form == "winner and loser" and points and not draw)
            and "draw" not in roles,
            points_a=points[0] if points else None,
            points_b=points[1] if points else None,
            share=options.share,
            turned=form in {"result", "winner"} and self.names.index(a) > self.names.index(b),
            clock=self.find_clock(common) if common["time"] else None,
            round=self.named_columns("round") if "round" in roles else rounds,
            side=side,
            family=family,
            sided=sided,
            neutral=neutral,
            margin=self.find_column("margin"),
            length=self.find_column("length"),
            **common,  # type: ignore[arg-type]
        )
        beside = find_beside(self.names, self.evidence, found) if self.evidence else {}
        if self._names_roles(self.by_shape):  # the caller says what tells the result
            beside = {name: beside[name] for name in BESIDE_NAMED if name in beside}
        elif self.evidence is not None:
            found = settle_points(self.names, self.evidence, found)
            self.refuse_contradicted_winners(found)
            if ground := find_ground(self.names, self.evidence, found):
                found = replace(found, side=ground)
            if reasons := find_reasons(self.names, self.evidence, found):
                found = replace(found, reasons=reasons)
        if marks := beside.pop("marks", ()):
            found = replace(found, marks=marks[0])
        found = replace(found, **beside)  # type: ignore[arg-type]
        named = ("winner", "loser") if form == "winner and loser" else ("player_a", "player_b")
        return self.with_leftover(found, sides or ((a,), (b,)), named)

    def refuse_result_of_second(self, result: str, a: str, b: str) -> None:
        """Refuse a guessed result whose heading names the second side; raises BadData."""
        family, heading = self.family(a, b), read_heading(result)
        if family is None or not names_side(heading, family[1]) or names_side(heading, family[0]):
            return
        raise self.bad(
            f"column {quote(result)} may be the result of {quote(b)}",
            f"say {format_options(player_a=b, player_b=a)} if it is, "
            f"{format_options(result=result)} if it is that of {quote(a)}",
            code="result_of_second"
        )  # fmt: skip

    def refuse_second_first(self, line: str, a: str, b: str) -> None:
        """Refuse scorelines behind the second and the first side, in this order; raises BadData."""
        behind = self.names.index(b) < self.names.index(a) < self.names.index(line)
        if not behind or self.family(a, b) is None or self.evidence is None:
            return
        texts = self.evidence[line].texts
        if not any(is_scoreline(text) and as_scoreline(text) not in EXACT for text in texts):
            return
        raise self.bad(
            f"column {quote(line)} may have the points of {quote(b)} or of {quote(a)} first",
            f"say {format_options(player_a=a, player_b=b)} if those of {quote(a)} are first, else "
            f"{format_options(player_a=b, player_b=a)}",
            code="points_order_ambiguous",
        )

    def with_leftover(
        self, layout: Layout, sides: Sequence[Sequence[str]], roles: Collection[str]
    ) -> Layout:
        """The layout and the columns of players that it leaves over, unless a role was named."""
        if not self.options.roles.keys().isdisjoint(roles):
            return layout
        used = layout.columns()
        rest = {form: name for form, name in self.plain.items() if name not in used}
        if not rest:
            return layout
        left = leftover_columns(rest, sides, self.plain)
        if layout.kind == "games" and self.evidence is not None and not self.by_shape:
            left += leftover_twins([*rest.values()], sides, self.evidence)
        return replace(layout, leftover=tuple(dict.fromkeys(left)))

    # --- contests ------------------------------------------------------------------------

    def contests(self, common: Mapping[str, object]) -> Layout:
        roles = self.options.roles
        as_contest = self.options.kind == "contests" and ("place" in roles or "points" in roles)
        if not as_contest:
            self.refuse_standings()
            self.refuse_ratings(common)
        player = self.find_column("player")
        if player is None and "player" not in roles:
            player = find_contestant(self)
        place = self.named_column("place")
        if place is None and "points" not in roles and "place" not in roles:
            place = self.choose_place()
        points = tuple(map(self.signed_column, roles.get("points", ())))
        best: Best = "named"
        team = self.team()
        result = self.named_column("result")
        keys = self.contest_keys({player, place, team, *(name for name, _ in points)}, common)
        guessed = None if place or points or "points" in roles else self.guessed.get("points")
        if "time" not in roles and not common["time"] and (year := self.year_of_contests(keys)):
            common = {**common, "time": year, "years": True}
        sign = self.better_end(guessed, team, [*keys, common["time"]]) if guessed else 0.0
        if not place and not points and "result" not in roles and (team or not sign):
            result = self.own_result
        if result:
            points = ((result, 1.0), *points)
        elif guessed:
            points, best = ((guessed, sign or 1.0),), "heading" if sign else "unknown"
        elif not place and not points and "points" not in roles and self.deciding:
            name, sign = self.deciding[0]
            if not sign and self.evidence is not None and self.evidence[name].numbers == 1.0:
                sign = self.better_end(name, team, [*keys, common["time"]])
            points = ((name, sign or 1.0), *self.deciding[1:])
            best = "heading" if sign else "unknown"
        if player is None or not (place or points):
            what = "players" if player is None else "places or points"
            raise self.bad(
                f"there is no column that looks like {what}",
                "name them with player=, place= or points=, and contest= "
                "(--player, --place, --points, --contest)", code="column_not_found"
            )  # fmt: skip
        group = self.named_columns("player") or (player,)
        found = Layout(
            kind="contests",
            contest=tuple(name for name in keys if name not in {each for each, _ in points}),
            guessed="contest" not in roles,
            player=player,
            sides=(group,) if len(group) > 1 or self.options.splits_teams else (),
            team=team,
            guessed_team="team" not in roles,
            taken_part=self.find_column("share") if team or "share" in roles else None,
            along=tuple(self.role_column(role) for role in self.options.along),
            result=result or "",
            place=place,
            points=points,
            best=best,
            numbered=() if as_contest else self.numbered,
            **common,  # type: ignore[arg-type]
        )
        return self.with_leftover(found, (group,), ("player",))

    def choose_place(self) -> str | None:
        """The column of places; a rank that a player keeps from contest to contest is none.

        Raises BadData where there are several.
        """
        guessed = self.guessed.get("place")
        if guessed is None or self.evidence is None or "player" not in self.guessed:
            return guessed
        from prowess.games.roles.deciding import find_places

        found = find_places(self.names, self.evidence, self.guessed["player"])
        if guessed not in found or len(found) == 1:
            return found[0] if len(found) == 1 else guessed
        shown = " or ".join(map(quote, found))
        raise self.bad(
            f"the place may be {shown}", "name it with place= (--place)", code="place_ambiguous"
        )

    def signed_column(self, name: str) -> tuple[str, float]:
        """A column of points, and -1.0 where a minus before its name says that less is better."""
        if name in self.names or not name.startswith(("-", "+")):
            return self.column(name, "points"), 1.0
        return self.column(name[1:], "points"), -1.0 if name.startswith("-") else 1.0

    def better_end(self, points: str, team: str | None, keys: Sequence[Any]) -> float:
        """1.0 where more points are better, -1.0 where less are, 0.0 where that is open."""
        if plain_form(points) in contest_words.FEWER:
            return -1.0
        if plain_form(points) in contest_words.MORE or team is not None:
            return 1.0
        if self.evidence is None:
            return 0.0
        from prowess.games.roles.contest_keys import is_task
        from prowess.games.roles.own_results import better_end

        if plain_form(points) == "score" and any(map(is_task, self.names)):
            return 1.0

        player = self.find_column("player") or points
        return better_end(self.names, self.evidence, points, [*filter(None, keys)], player)

    @cached_property
    def own_result(self) -> str | None:
        """The column that says how the player or team of a row fared, as headings suggest it."""
        team, match, player = self.team(), self.guessed.get("match"), self.find_column("player")
        if team and (exact := self.guessed.get("result of team")):
            return exact
        if self.evidence is None or not match or not player:
            return None
        from prowess.games.roles.own_results import find_own_results

        found = find_own_results(self.names, self.evidence, match)
        return found[0] if len(found) == 1 else None

    def team(self) -> str | None:
        """The column that says to which side of its contest a row belongs."""
        if "team" in self.options.roles:
            return self.named_column("team")
        found, player = self.guessed.get("team"), self.find_column("player")
        return found if "match" in self.guessed and player and player != found else None

    def role_column(self, role: str) -> tuple[str, tuple[str, ...]]:
        """The column that holds a member by role for the player of its row."""
        named = self.options.along[role] or (role,)
        if len(named) > 1:
            raise self.bad(
                f"with_= names {len(named)} columns of {role}, and a row holds one player",
                f"name one: with_={{{role!r}: ...}} (--with {role}=COLUMN)",
                code="not_that_many_columns",
            )
        return role, (self.column(named[0], "with"),)

    def contest_keys(
        self, taken: Collection[str | None], common: Mapping[str, object]
    ) -> tuple[str, ...]:
        """The columns that say which contest a row belongs to, besides its date."""
        if "contest" in self.options.roles:
            return self.named_columns("contest")
        found = [self.plain[name] for name in contest_words.CONTEST if name in self.plain]
        found += [self.guessed["match"]] if "match" in self.guessed else []
        found += [name for name in self.names if tells_contests(name)]
        found = [
            name for name in dict.fromkeys(found)
            if name not in taken and name not in common.values()
        ]  # fmt: skip
        player = self.find_column("player")
        if self.evidence is None or player is None or self.team():
            return tuple(found)
        from prowess.games.roles.contest_keys import complete_keys

        deciding = (self.guessed.get("points"), *(name for name, _ in self.deciding))
        return complete_keys(
            found, self.names, self.evidence, player, {*taken, *deciding}, common["time"]
        )
