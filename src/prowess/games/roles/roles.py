"""Find the column of each role: as the caller says, else as the headings suggest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from prowess.games.cells.outcome_words import CERTAIN
from prowess.games.cells.side_results import as_scoreline
from prowess.games.errors import BadData, quote
from prowess.games.layout import NONE, Best, Form, Kind, Layout
from prowess.games.reading import format_options
from prowess.games.roles.beside_points import settle_points
from prowess.games.roles.beside_results import (
    BESIDE_NAMED,
    KICKS,
    find_beside,
    find_ground,
    find_reasons,
)
from prowess.games.roles.candidates import names_side
from prowess.games.roles.contests import find_contestant
from prowess.games.roles.date_headings import find_clock, find_time, find_year_of_contests
from prowess.games.roles.evidence import is_scoreline
from prowess.games.roles.forecasts import find_facts
from prowess.games.roles.headings import (
    Headings,
    deciding_columns,
    find_draw,
    find_numbered,
    once,
    refuse_ratings,
    refuse_standings,
    refuse_totals,
)
from prowess.games.roles.member_columns import leftover_columns, leftover_twins, share_columns
from prowess.games.roles.named_players import is_flag_of_win
from prowess.games.roles.pairs import (
    choose_form,
    choose_members,
    choose_pair,
    find_columns_of_sides,
    find_family,
    find_pairs,
    find_points_of_both,
    find_spare,
    list_sides,
)
from prowess.games.roles.result_headings import (
    find_score_line,
    names_losers,
    refuse_contradicted_winners,
)
from prowess.games.values import plain_form
from prowess.games.vocabulary import (
    CONTEST,
    FEWER,
    MORE,
    SIDED,
    is_task,
    read_heading,
    tells_contests,
)

FOR_GAMES = (
    "player_a", "player_b", "result", "score_a", "score_b", "winner", "loser", "draw", "neutral",
    "margin", "length", "round",
)  # fmt: skip
NO_COLUMN = (NONE,)
FOR_CONTESTS = ("contest", "player", "place", "points", "team", "share")


@once
def find_layout(headings: Headings) -> Layout:
    """The layout of the table; raises BadData."""
    kind = decide_kind(headings)
    options = headings.options
    common = {
        **find_time(headings, kind),
        **find_facts(headings, kind),
        "per": tuple((name, headings.column(name, "per")) for name in options.per),
        "weight": headings.find_column("weight"),
        "counted": "weight" in headings.by_shape,
        "where": {headings.column(name, "where"): some for name, some in options.where.items()},
        "exclude": {
            headings.column(name, "exclude"): some for name, some in options.exclude.items()
        },
    }
    return (
        lay_out_games(headings, common) if kind == "games" else lay_out_contests(headings, common)
    )


def names_roles(headings: Headings, but: Collection[str] = ()) -> bool:
    """Whether the caller or the shape of the table names columns of players or results, leaving
    some roles out of account, or asks for contests.
    """
    given = headings.options.roles.items()
    named = {role for role, columns in given if columns != NO_COLUMN and role not in but}
    named &= {*FOR_GAMES, *FOR_CONTESTS}
    return bool(named) or headings.options.kind == "contests" or bool(headings.options.along)


def is_of_kind(headings: Headings, kind: Kind) -> bool:
    """Whether a table is of this kind; of neither where that is refused as the table is read."""
    try:
        return decide_kind(headings) == kind
    except BadData:
        return False


def decide_kind(headings: Headings) -> Kind:
    kind, roles, guessed = headings.options.kind, headings.options.roles, headings.guessed
    if kind is None and roles.get("team", NO_COLUMN) != NO_COLUMN:
        return "contests"
    if kind == "games" or (
        kind is None and (headings.options.side or any(role in roles for role in FOR_GAMES))
    ):
        return "games"
    if kind == "contests" or any(roles.get(role, NO_COLUMN) != NO_COLUMN for role in FOR_CONTESTS):
        return "contests"
    if find_pairs(headings) or {"winner", "loser"} <= guessed.keys():
        return "games"
    ranked = not guessed.keys().isdisjoint({"place", "points"}) or deciding_columns(headings)
    of_one = ranked and ("player" in guessed or not choose_members(headings))
    if of_one and (player := find_contestant(headings)):
        guessed["player"] = player
        return "contests"
    if find_own_result(headings):
        return "contests"
    if not choose_members(headings):
        refuse_standings(headings)
    return "games"


def lay_out_games(headings: Headings, common: Mapping[str, object]) -> Layout:
    roles, options = headings.options.roles, headings.options
    for role in {"team", "share"} & roles.keys():
        if headings.named_column(role):
            raise headings.bad(
                f"{role}= is for tables with one player a row",
                'say kind="contests" (--kind contests), or leave it out',
                code="option_of_contests",
            )
    winner, loser = headings.find_column("winner"), headings.find_column("loser")
    if winner and loser:
        refuse_totals(headings, winner, loser)
    asked = "player_a" in roles or "player_b" in roles
    form: Form = "result"
    result = headings.named_column("result") if "result" in roles else None
    guessed = None
    if winner and loser and not asked and not result and not find_pairs(headings):
        a, b, form = winner, loser, "winner and loser"
    elif not asked and len(find_pairs(headings)) == 1:
        a, b = find_pairs(headings)[0]
    elif asked or find_pairs(headings) or not (guessed := choose_members(headings)):
        a, b = choose_pair(headings)
    else:
        a, b = guessed.sides[0][0], guessed.sides[1][0]
        form = "winner and loser" if guessed.won and not result else form
    points = find_points_of_both(headings, form, a, b)
    if form == "result":
        form, result = choose_form(headings, result, points, a, b)
    family = find_family(a, b)
    if family and form == "result" and result and "result" not in roles:
        refuse_second_side(headings, result, a, b, family, asked)
    sided = guessed.sided if guessed else family in SIDED
    draw = find_draw(headings) if "winner" in form or "draw" in roles else None
    outcome = None
    if form == "winner and loser" and not draw and "draw" not in roles:
        outcome = headings.guessed.get("result") or headings.guessed.get("score")
    line, spare = None, find_spare(headings)
    if spare and not points and not options.share and "score_a" not in roles:
        taken = [a, b, result, draw, common["time"]]
        line = find_score_line(headings, form, result, taken)  # type: ignore[arg-type]
    side = options.side
    if side is not None:
        sided = plain_form(side) == "a"  # the first side, also where a column is called so
        side = None if sided or side == NONE else headings.column(side, "side")
    neutral = headings.find_column("neutral")
    if neutral and not sided:
        if "neutral" in roles:
            raise headings.bad(
                "a column of neutral ground says nothing where no side is at home",
                'say who is with side="a" or side=COLUMN (--sides)', code="neutral_without_home"
            )  # fmt: skip
        neutral = None
    if options.share and not points:
        raise headings.bad(
            "a share needs the points of both sides", "name them with score_a= and score_b=",
            code="share_without_points"
        )  # fmt: skip
    sides: tuple[tuple[str, ...], ...] = guessed.sides if guessed else ()
    if not guessed and (roles or options.teams):
        sides = list_sides(headings, form, a, b)
    rounds = tuple(filter(None, [headings.guessed.get("round")]))
    flagged = form == "result" and bool(result) and not options.outcomes
    flagged = flagged and is_flag_of_win(str(result), headings.evidence[str(result)])
    found = Layout(
        kind="games",
        form="points" if options.share else form,
        a=a,
        b=b,
        sides=sides,
        shares=share_columns(headings.plain, sides) if sides and "share" not in roles else (),
        guessed_sides=guessed is not None,
        said=tuple(headings.said),
        along=tuple(find_columns_of_sides(headings, role, a, b, form) for role in options.along),
        result="" if options.share else result or "",
        draw=draw or outcome,
        outcome=outcome is not None,
        line=line,
        flagged=flagged,
        names_loser=(flagged or form == "winner") and names_losers(headings, form, str(result)),
        has_kicks=any(KICKS & {*read_heading(name).words} for name in headings.names),
        level_draws=bool(form == "winner and loser" and points and not draw)
        and "draw" not in roles,
        points_a=points[0] if points else None,
        points_b=points[1] if points else None,
        share=options.share,
        turned=form in {"result", "winner"} and headings.names.index(a) > headings.names.index(b),
        clock=find_clock(headings, common) if common["time"] else None,
        round=headings.named_columns("round") if "round" in roles else rounds,
        side=side,
        family=family,
        sided=sided,
        neutral=neutral,
        margin=headings.find_column("margin"),
        length=headings.find_column("length"),
        **common,  # type: ignore[arg-type]
    )
    beside = find_beside(headings.names, headings.evidence, found) if spare else {}
    if names_roles(headings, headings.by_shape):  # the caller says what tells the result
        beside = {name: beside[name] for name in BESIDE_NAMED if name in beside}
    elif spare:
        found = settle_points(headings.names, headings.evidence, found)
        refuse_contradicted_winners(headings, found)
        if ground := find_ground(headings.names, headings.evidence, found):
            found = replace(found, side=ground)
        if reasons := find_reasons(headings.names, headings.evidence, found):
            found = replace(found, reasons=reasons)
    if marks := beside.pop("marks", ()):
        found = replace(found, marks=marks[0])
    found = replace(found, **beside)  # type: ignore[arg-type]
    named = ("winner", "loser") if form == "winner and loser" else ("player_a", "player_b")
    return add_leftover(headings, found, sides or ((a,), (b,)), named)


def refuse_second_side(
    headings: Headings, result: str, a: str, b: str, family: tuple[str, str], asked: bool
) -> None:
    """Refuse a guessed result whose heading names the second side and, where no player is `asked`
    for, scorelines behind the second and the first side, in this order; raises BadData.
    """
    heading, at = read_heading(result), [headings.names.index(name) for name in (b, a, result)]
    if names_side(heading, family[1]) and not names_side(heading, family[0]):
        raise headings.bad(
            f"column {quote(result)} may be the result of {quote(b)}",
            f"say {format_options(player_a=b, player_b=a)} if it is, "
            f"{format_options(result=result)} if it is that of {quote(a)}",
            code="result_of_second"
        )  # fmt: skip
    texts = [] if asked or at != sorted(at) else headings.evidence[result].texts
    if any(is_scoreline(text) and as_scoreline(text) not in CERTAIN for text in texts):
        raise headings.bad(
            f"column {quote(result)} may have the points of {quote(b)} or of {quote(a)} first",
            f"say {format_options(player_a=a, player_b=b)} if those of {quote(a)} are first, else "
            f"{format_options(player_a=b, player_b=a)}",
            code="points_order_ambiguous",
        )


def add_leftover(
    headings: Headings, layout: Layout, sides: Sequence[Sequence[str]], roles: Collection[str]
) -> Layout:
    """The layout and the columns of players that it leaves over, unless a role was named."""
    if not headings.options.roles.keys().isdisjoint(roles):
        return layout
    used = layout.columns()
    rest = {form: name for form, name in headings.plain.items() if name not in used}
    if not rest:
        return layout
    left = leftover_columns(rest, sides, headings.plain)
    if layout.kind == "games" and not headings.by_shape:
        left += leftover_twins([*rest.values()], sides, headings.evidence)
    return replace(layout, leftover=tuple(dict.fromkeys(left)))


def lay_out_contests(headings: Headings, common: Mapping[str, object]) -> Layout:
    roles = headings.options.roles
    as_contest = headings.options.kind == "contests" and ("place" in roles or "points" in roles)
    if not as_contest:
        refuse_standings(headings)
        refuse_ratings(headings, common)
    player = headings.find_column("player")
    if player is None and "player" not in roles:
        player = find_contestant(headings)
    place = headings.named_column("place")
    if place is None and "points" not in roles and "place" not in roles:
        place = choose_place(headings)
    points = tuple(read_sign(headings, name) for name in roles.get("points", ()))
    best: Best = "named"
    team = find_team(headings)
    result = headings.named_column("result")
    keys = find_contest_keys(headings, {player, place, team, *(name for name, _ in points)}, common)
    guessed = None if place or points or "points" in roles else headings.guessed.get("points")
    if (
        "time" not in roles
        and not common["time"]
        and (year := find_year_of_contests(headings, keys))
    ):
        common = {**common, "time": year, "years": True}
    sign = find_better_end(headings, guessed, team, [*keys, common["time"]]) if guessed else 0.0
    if not place and not points and "result" not in roles and (team or not sign):
        result = find_own_result(headings)
    if result:
        points = ((result, 1.0), *points)
    elif guessed:
        points, best = ((guessed, sign or 1.0),), "heading" if sign else "unknown"
    elif not place and not points and "points" not in roles and deciding_columns(headings):
        name, sign = deciding_columns(headings)[0]
        if not sign and headings.evidence[name].numbers == 1.0:
            sign = find_better_end(headings, name, team, [*keys, common["time"]])
        points = ((name, sign or 1.0), *deciding_columns(headings)[1:])
        best = "heading" if sign else "unknown"
    if player is None or not (place or points):
        what = "players" if player is None else "places or points"
        raise headings.bad(
            f"there is no column that looks like {what}",
            "name them with player=, place= or points=, and contest= "
            "(--player, --place, --points, --contest)", code="column_not_found"
        )  # fmt: skip
    group = headings.named_columns("player") or (player,)
    found = Layout(
        kind="contests",
        contest=tuple(name for name in keys if name not in {each for each, _ in points}),
        guessed="contest" not in roles,
        player=player,
        sides=(group,) if len(group) > 1 or headings.options.splits_teams else (),
        team=team,
        guessed_team="team" not in roles,
        taken_part=headings.find_column("share") if team or "share" in roles else None,
        along=tuple(find_role_column(headings, role) for role in headings.options.along),
        result=result or "",
        place=place,
        points=points,
        best=best,
        numbered=() if as_contest else find_numbered(headings),
        **common,  # type: ignore[arg-type]
    )
    return add_leftover(headings, found, (group,), ("player",))


def choose_place(headings: Headings) -> str | None:
    """The column of places; a rank that a player keeps from contest to contest is none.

    Raises BadData where there are several.
    """
    guessed = headings.guessed.get("place")
    if guessed is None or "player" not in headings.guessed:
        return guessed
    from prowess.games.roles.deciding import find_places

    found = find_places(headings.names, headings.evidence, headings.guessed["player"])
    if guessed not in found or len(found) == 1:
        return found[0] if len(found) == 1 else guessed
    shown = " or ".join(map(quote, found))
    raise headings.bad(
        f"the place may be {shown}", "name it with place= (--place)", code="place_ambiguous"
    )


def read_sign(headings: Headings, name: str) -> tuple[str, float]:
    """A column of points, and -1.0 where a minus before its name says that less is better."""
    if name in headings.names or not name.startswith(("-", "+")):
        return headings.column(name, "points"), 1.0
    return headings.column(name[1:], "points"), -1.0 if name.startswith("-") else 1.0


def find_better_end(
    headings: Headings, points: str, team: str | None, keys: Sequence[Any]
) -> float:
    """1.0 where more points are better, -1.0 where less are, 0.0 where that is open."""
    if plain_form(points) in FEWER:
        return -1.0
    if plain_form(points) in MORE or team is not None:
        return 1.0
    from prowess.games.roles.contests import better_end

    if plain_form(points) == "score" and any(map(is_task, headings.names)):
        return 1.0

    player = headings.find_column("player") or points
    return better_end(headings.names, headings.evidence, points, [*filter(None, keys)], player)


@once
def find_own_result(headings: Headings) -> str | None:
    """The column that says how the player or team of a row fared, as headings suggest it."""
    team, match, player = (
        find_team(headings),
        headings.guessed.get("match"),
        headings.find_column("player"),
    )
    if team and (exact := headings.guessed.get("result of team")):
        return exact
    if not match or not player:
        return None
    from prowess.games.roles.contests import find_own_results

    found = find_own_results(headings.names, headings.evidence, match)
    return found[0] if len(found) == 1 else None


def find_team(headings: Headings) -> str | None:
    """The column that says to which side of its contest a row belongs."""
    if "team" in headings.options.roles:
        return headings.named_column("team")
    found, player = headings.guessed.get("team"), headings.find_column("player")
    return found if "match" in headings.guessed and player and player != found else None


def find_role_column(headings: Headings, role: str) -> tuple[str, tuple[str, ...]]:
    """The column that holds a member by role for the player of its row."""
    named = headings.options.along[role] or (role,)
    if len(named) > 1:
        raise headings.bad(
            f"with_= names {len(named)} columns of {role}, and a row holds one player",
            f"name one: with_={{{role!r}: ...}} (--with {role}=COLUMN)",
            code="not_that_many_columns",
        )
    return role, (headings.column(named[0], "with"),)


def find_contest_keys(
    headings: Headings, taken: Collection[str | None], common: Mapping[str, object]
) -> tuple[str, ...]:
    """The columns that say which contest a row belongs to, besides its date."""
    if "contest" in headings.options.roles:
        return headings.named_columns("contest")
    found = [headings.plain[name] for name in CONTEST if name in headings.plain]
    found += [headings.guessed["match"]] if "match" in headings.guessed else []
    found += [name for name in headings.names if tells_contests(name)]
    found = [
        name for name in dict.fromkeys(found)
        if name not in taken and name not in common.values()
    ]  # fmt: skip
    player = headings.find_column("player")
    if player is None or find_team(headings):
        return tuple(found)
    from prowess.games.roles.contests import complete_keys

    deciding = (headings.guessed.get("points"), *(name for name, _ in deciding_columns(headings)))
    return complete_keys(
        found, headings.names, headings.evidence, player, {*taken, *deciding}, common["time"]
    )
