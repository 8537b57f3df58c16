"""Find the column of each role: as the caller says, else as the headings suggest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from prowess.games import headings
from prowess.games.categories import find_facts
from prowess.games.errors import quote
from prowess.games.headings import Headings
from prowess.games.layout import NONE, Best, Form, Kind, Layout, join_names
from prowess.games.member_columns import (
    MemberColumns,
    leftover_columns,
    member_columns,
    pairs_of,
    share_columns,
)
from prowess.games.values import plain_form

FOR_GAMES = (
    "player_a", "player_b", "result", "score_a", "score_b", "winner", "loser", "draw", "neutral",
    "margin", "length", "round",
)  # fmt: skip
NO_COLUMN = (NONE,)
FOR_CONTESTS = ("contest", "player", "place", "points", "team", "share")


class LayoutFinder(Headings):
    """Finds the roles of the columns of one table."""

    def find_layout(self) -> Layout:
        """The layout of the table; raises BadData."""
        kind = self.kind()
        options = self.options
        common = {
            **self.find_time(kind),
            **find_facts(self, kind),
            "per": tuple((name, self.column(name, "per")) for name in options.per),
            "weight": self.find_column("weight"),
            "where": {self.column(name, "where"): some for name, some in options.where.items()},
            "exclude": {
                self.column(name, "exclude"): some for name, some in options.exclude.items()
            },
        }
        return self.games(common) if kind == "games" else self.contests(common)

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
        if "player" in guessed and not guessed.keys().isdisjoint({"place", "points"}):
            return "contests"
        if "result of team" in guessed and self.team():
            return "contests"
        if self.members():
            return "games"
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
                )
        winner, loser = self.find_column("winner"), self.find_column("loser")
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
        points = self.points_of_both(form)
        if form == "result":
            form, result = self.form(result, points)
        sided = guessed.sided if guessed else (plain_form(a), plain_form(b)) in headings.SIDED
        draw = None
        if "winner" in form or "draw" in roles:
            draw = self.find_draw()
        outcome = None
        if form == "winner and loser" and not draw and "draw" not in roles:
            outcome = self.guessed.get("result") or self.guessed.get("score")
        side = options.side
        if side is not None:
            sided = plain_form(side) == "a"  # the first side, also where a column is called so
            side = None if sided or side == NONE else self.column(side, "side")
        neutral = self.find_column("neutral")
        if neutral and not sided:
            if "neutral" in roles:
                raise self.bad(
                    "a column of neutral ground says nothing where no side is at home",
                    'say who is with side="a" or side=COLUMN (--sides)',
                )
            neutral = None
        if options.share and not points:
            raise self.bad(
                "a share needs the points of both sides", "name them with score_a= and score_b="
            )
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
            along=tuple(self.columns_of_sides(role, a, b, form) for role in options.along),
            result="" if options.share else result or "",
            draw=draw or outcome,
            outcome=outcome is not None,
            level_draws=bool(form == "winner and loser" and points and not draw)
            and "draw" not in roles,
            points_a=points[0] if points else None,
            points_b=points[1] if points else None,
            share=options.share,
            turned="result" in form and self.names.index(a) > self.names.index(b),
            clock=self.find_clock(common) if common["time"] else None,
            round=self.named_columns("round") if "round" in roles else rounds,
            side=side,
            sided=sided,
            neutral=neutral,
            margin=self.find_column("margin"),
            length=self.find_column("length"),
            **common,  # type: ignore[arg-type]
        )
        named = ("winner", "loser") if form == "winner and loser" else ("player_a", "player_b")
        return self.with_leftover(found, sides or ((a,), (b,)), named)

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
        return replace(layout, leftover=tuple(leftover_columns(rest, sides, self.plain)))

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The two columns of players, as headings suggest them."""
        known = headings.SIDED | headings.NEUTRAL
        found = [
            (self.plain[a], self.plain[b]) for a, b in known if a in self.plain and b in self.plain
        ]
        groups = [group for each in self.groups for group in each.sides]
        found = [pair for pair in found if not any({*pair} <= {*group} for group in groups)]
        others = found
        if self.options.along:
            others = [pair for pair in found if not self.is_of_role(pair)]
        if not others and all(letter in self.plain for letter in headings.LETTERS):
            others = [(self.plain["a"], self.plain["b"])]
        found = others or found
        return sorted(found)

    @cached_property
    def groups(self) -> list[MemberColumns]:
        """The columns of the members of sides, as headings suggest them."""
        return member_columns(self.plain) if any("1" in form for form in self.plain) else []

    def is_of_role(self, pair: tuple[str, str]) -> bool:
        """Whether two columns are those of a role that the caller asks for, as engine_a is."""
        return any(
            {*pair} <= {*columns} or all(plain_form(role) in plain_form(name) for name in pair)
            for role, columns in self.options.along.items()
        )

    def pair(self) -> tuple[str, str]:
        a, b = self.named_column("player_a"), self.named_column("player_b")
        if (a is None) != (b is None):
            missing = "player_b" if b is None else "player_a"
            raise self.bad("one of the two players is not named", f"name {missing}= as well")
        if a and b:
            if a == b:
                raise self.bad(f"both players are column {quote(a)}", "name two columns")
            return a, b
        found = self.pairs
        if len(found) == 1:
            return found[0]
        name = "name them with player_a= and player_b= (--player-a, --player-b)"
        if found:
            shown = " or ".join(f"{a}, {b}" for a, b in found)
            raise self.bad(f"the two players may be {shown}", name)
        raise self.bad(
            "there are no columns that look like two players and a result, "
            "or like contests of many players",
            f"{name}, or player=, place= and contest= for contests",
        )

    def members(self) -> MemberColumns | None:
        """The columns of the members of both sides, as headings suggest them."""
        found = [] if self.pairs else self.groups
        if len(found) > 1:
            shown = " or ".join(f"{each.sides[0][0]}, {each.sides[1][0]}, ..." for each in found)
            raise self.bad(
                f"the members of the two sides may be {shown}",
                "name them with player_a= and player_b= (--player-a, --player-b)",
            )
        return found[0] if found else None

    def sides(self, form: Form, a: str, b: str) -> tuple[tuple[str, ...], ...]:
        """The columns of the members of both sides; empty where each is one column, one player."""
        roles = ("winner", "loser") if form == "winner and loser" else ("player_a", "player_b")
        groups = self.named_columns(roles[0]) or (a,), self.named_columns(roles[1]) or (b,)
        if form != "winner and loser" and len(self.named_columns("winner")) > 1:
            raise self.bad("winner is one column beside the two players", "name one")
        if both := set(groups[0]) & set(groups[1]):
            raise self.bad(f"column {quote(min(both))} is named for both sides", "name it once")
        several_names = self.options.teams == "members" or max(map(len, groups)) > 1
        return groups if several_names else ()

    def columns_of_sides(
        self, role: str, a: str, b: str, form: Form
    ) -> tuple[str, tuple[str, ...]]:
        """The columns that hold a member by role for each side."""
        option = f"with_={{{role!r}: (..., ...)}} (--with {role}=COLUMN,COLUMN)"
        if named := self.options.along[role]:
            if len(named) != 2:
                raise self.bad(
                    f"with_= names {len(named)} columns of {role}", f"name two: {option}"
                )
            return role, (self.column(named[0], "with"), self.column(named[1], "with"))
        found = pairs_of(role, self.plain, a, b, form == "winner and loser")
        if len(found) == 1:
            return role, found[0]
        if found:
            shown = " or ".join(join_names(pair) for pair in found)
            raise self.bad(f"the {role} of the two sides may be {shown}", f"say {option}")
        if plain_form(role) in self.plain:
            what = f"column {quote(self.plain[plain_form(role)])} says the same of both sides"
        else:
            what = f"there are no two columns of {role}, one for each side"
        raise self.bad(what, f"name them: {option}")

    def points_of_both(self, form: Form) -> tuple[str, str] | None:
        roles = self.options.roles
        if "score_a" in roles or "score_b" in roles:
            a, b = self.named_column("score_a"), self.named_column("score_b")
            if a and b:
                return a, b
            if b or (a and "result" in roles):
                raise self.bad("the points of one side only", "name both score_a= and score_b=")
            return None  # a score of the first side alone
        found = sorted(
            (self.plain[first], self.plain[second])
            for first, second in headings.POINTS_OF_BOTH
            if first in self.plain and second in self.plain
            and (form == "winner and loser") == first.endswith("winner")
            | first.startswith("winner")
        )  # fmt: skip
        if len(found) > 1:
            shown = " or ".join(f"{a}, {b}" for a, b in found)
            raise self.bad(
                f"the points of both sides may be {shown}", "name them with score_a= and score_b="
            )
        return found[0] if found else None

    def form(self, result: str | None, points: tuple[str, str] | None) -> tuple[Form, str | None]:
        """The form of a game's score, and the column that holds it."""
        roles = self.options.roles
        if result:
            return "result", result
        if "winner" in roles and (winner := self.named_column("winner")):
            return "winner", winner
        if "score_a" in roles and not points and (score := self.named_column("score_a")):
            return "result", score
        if "score_a" in roles and points:
            return "points", None
        if result := self.find_column("result"):
            return "result", result
        if winner := self.find_column("winner"):
            return "winner", winner
        if points and plain_form(points[0]) in headings.BESIDE_SCORE and "score" in self.plain:
            return "result", self.plain["score"]  # a score beside them is what was rated
        if points:
            return "points", None
        if "score_a" not in roles and (score := self.guessed.get("score")):
            return "result", score
        raise self.bad(
            "there is no column that looks like a result",
            "name it with result=, winner=, or score_a= and score_b= "
            "(--result, --winner, --score-a, --score-b)",
        )

    # --- contests ------------------------------------------------------------------------

    def contests(self, common: Mapping[str, object]) -> Layout:
        roles = self.options.roles
        as_contest = self.options.kind == "contests" and ("place" in roles or "points" in roles)
        if not as_contest:
            self.refuse_standings()
        player = self.find_column("player")
        place = self.named_column("place")
        if place is None and "points" not in roles and "place" not in roles:
            place = self.guessed.get("place")
        points = tuple(map(self.signed_column, roles.get("points", ())))
        best: Best = "named"
        team = self.team()
        result = self.named_column("result")
        if team and not place and not points and "result" not in roles:
            result = self.guessed.get("result of team")
        if result:
            points = ((result, 1.0), *points)
        if (
            not place
            and not points
            and "points" not in roles
            and (guessed := self.guessed.get("points"))
        ):
            sign = -1.0 if plain_form(guessed) in headings.FEWER else 1.0
            known = sign < 0.0 or plain_form(guessed) in headings.MORE or team is not None
            points, best = ((guessed, sign),), "heading" if known else "unknown"
        if player is None or not (place or points):
            what = "players" if player is None else "places or points"
            raise self.bad(
                f"there is no column that looks like {what}",
                "name them with player=, place= or points=, and contest= "
                "(--player, --place, --points, --contest)",
            )
        group = self.named_columns("player") or (player,)
        found = Layout(
            kind="contests",
            contest=self.contest_keys({player, place, team, *(name for name, _ in points)}, common),
            guessed="contest" not in roles,
            player=player,
            sides=(group,) if len(group) > 1 or self.options.teams == "members" else (),
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

    def signed_column(self, name: str) -> tuple[str, float]:
        """A column of points, and -1.0 where a minus before its name says that less is better."""
        if name in self.names or not name.startswith("-"):
            return self.column(name, "points"), 1.0
        return self.column(name[1:], "points"), -1.0

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
            )
        return role, (self.column(named[0], "with"),)

    def contest_keys(
        self, taken: Collection[str | None], common: Mapping[str, object]
    ) -> tuple[str, ...]:
        """The columns that say which contest a row belongs to, besides its date."""
        if "contest" in self.options.roles:
            return self.named_columns("contest")
        found = (self.plain[name] for name in headings.CONTEST if name in self.plain)
        return tuple(name for name in found if name not in taken and name not in common.values())
