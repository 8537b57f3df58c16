"""Find the column of each role, dates first: as the caller says, else as the headings suggest."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from prowess.games.cells.date_columns import MONTHS, WEEKDAYS
from prowess.games.cells.outcome_words import CERTAIN, as_scoreline
from prowess.games.dates import DATED, is_season, is_year
from prowess.games.errors import BadData
from prowess.games.games import CATEGORIES
from prowess.games.layout import (
    NONE,
    SIDE_ENDS,
    Best,
    ForecastColumns,
    Form,
    Kind,
    Layout,
    Options,
)
from prowess.games.reading import format_options
from prowess.games.roles.candidates import POINTS_OF_BOTH, names_side, turn_to_players
from prowess.games.roles.contests import (
    choose_place,
    deciding_columns,
    find_better_end,
    find_contest_keys,
    find_contestant,
    find_numbered,
    find_own_result,
    find_team,
    refuse_standings,
    refuse_totals,
)
from prowess.games.roles.evidence import (
    MOST_FIT,
    choose_only,
    is_clock,
    is_flag_of_win,
    is_moment_or_count,
    is_number,
    is_scoreline,
    is_serial,
    is_whole,
)
from prowess.games.roles.headings import (
    ENTERED,
    ROLES,
    Headings,
    once,
)
from prowess.games.roles.member_columns import leftover_columns, leftover_twins, share_columns
from prowess.games.roles.pairs import (
    KNOWN_FAMILIES,
    choose_form,
    choose_members,
    choose_pair,
    find_columns_of_sides,
    find_family,
    find_pairs,
    find_points_of_both,
    list_sides,
    note_rosters,
)
from prowess.games.roles.results import (
    KICKS,
    find_beside,
    find_ground,
    find_reasons,
    find_score_line,
    names_losers,
    settle_points,
)
from prowess.games.values import fold_text, lazy_pattern, plain_form
from prowess.games.vocabulary import (
    OTHER_DATES,
    SIDED,
    WORDS_IN_ORDER,
    is_date,
    read_heading,
    words_for,
    words_of,
)

# The columns of dates and of times of the day, by their headings and by their cells.


PLAYED_WORDS = words_for("played_when") | {"match"}
LETTER_RUNS = re.compile(r"[^\W\d_]+")
DATE_LIKE = re.compile("date|datum|stamp", re.IGNORECASE)
BY_CELLS, MAYBE = ("dates_by_cells",), ("maybe_time",)  # fields of the layout


def find_time(headings: Headings, kind: Kind) -> dict[str, object]:
    """The column of dates, and of what kind it is; raises BadData where there are several."""
    if "time" in headings.options.roles:
        named = headings.named_column("time")
        years = named is not None and plain_form(named) in ROLES["year"].headings
        return {"time": named, "years": years}
    if exact := headings.guessed.get("date"):
        entered = plain_form(exact) in {*ENTERED, "timestamp"}
        played = [
            name for name in headings.names
            if entered and name != exact and words_of(name).isdisjoint(OTHER_DATES)
            and tells_day_of_play(headings, name)
        ]  # fmt: skip
        time = choose_only(played) or exact
        return {"time": time, "other_dates": find_other_dates(headings, time)}
    for fits, said, asks in DATE_RULES[kind]:
        found = [name for name in headings.names if fits(headings, name)]
        if len(found) == 1:
            other = find_other_dates(headings, found[0])
            return {"time": found[0], "other_dates": other, **dict.fromkeys(said, True)}
        if found and asks:
            remedy = 'name it with time=, or time="none" (--time)'
            raise headings.ask("date_ambiguous", remedy, found[:3])
    return {"time": None}


def find_other_dates(headings: Headings, time: str) -> str | None:
    """A column beside that of dates whose cells are dates, too, of when games were played."""
    for name in headings.names:
        first = headings.evidence[name].cells[:1]  # tells most columns apart at once
        if name != time and any(map(begins_as_date, first)) and are_dates(headings, name):
            return name
    return None


def has_date_word(_: Headings, name: str) -> bool:
    return DATE_LIKE.search(name) is not None and is_date(name)


def tells_day_of_play(headings: Headings, name: str) -> bool:
    """Whether a column holds dates, and a word of its heading says that of games."""
    words = read_heading(name).subjects & {"date", "day"} or words_of(name) & PLAYED_WORDS
    return bool(words) and are_moments(headings, name)


def may_be_date(headings: Headings, name: str) -> bool:
    return name == headings.guessed.get("maybe date")


def are_moments(headings: Headings, name: str) -> bool:
    return headings.evidence[name].share(is_moment_or_count) == 1.0


def are_times_of_day(headings: Headings, name: str) -> bool:
    return headings.evidence[name].share(is_clock) == 1.0


def is_of_games(headings: Headings, name: str) -> bool:
    """Whether a heading says nothing else, such as a birthday, and 2003/04 are no seasons."""
    of_seasons = "season" in read_heading(name).subjects
    return words_of(name).isdisjoint(OTHER_DATES | {"id"}) and not (
        of_seasons and headings.evidence[name].share(is_season) == 1.0
    )


def are_dates(headings: Headings, name: str) -> bool:
    """Whether the cells of a column are dates, whatever its heading, and no players or results."""
    taken = {headings.guessed.get("result"), headings.guessed.get("winner")}
    if name in taken.union(*find_pairs(headings)) or not is_of_games(headings, name):
        return False
    counted = are_moments(headings, name) or has_serials(headings, name)
    return counted and headings.evidence[name].share(begins_as_date) == 1.0


def has_moment(word: str, headings: Headings, name: str) -> bool:
    """Whether a column has seconds or milliseconds of a moment of games, by a word of it."""
    return word in words_of(name) and "id" not in words_of(name) and are_moments(headings, name)


def has_serials(headings: Headings, name: str) -> bool:
    """Whether a column holds days as Excel counts them: its heading or parts of days say so."""
    heading, column = read_heading(name), headings.evidence[name]
    if column.share(is_serial) < 1.0 or heading.spoiled:
        return False
    return bool(heading.subjects & {"date", "clock"}) or column.share(is_whole) < 1.0


def find_clock(headings: Headings, common: Mapping[str, object]) -> str | None:
    """The column of times of the day that stands beside one of dates."""
    if common["time"] is None or "time" in headings.options.roles:
        return None
    found = [headings.plain[name] for name in ROLES["clock"].headings if name in headings.plain]
    if not found:
        found = [
            name
            for name in headings.names
            if "clock" in read_heading(name).subjects
            and headings.evidence[name].share(is_clock) >= MOST_FIT
        ]
    return next((name for name in found if name != common["time"]), None)


def begins_as_date(cell: Any) -> bool:
    """Whether nothing but a day of the week or a month stands before the digits of a date."""
    found = DATED.search(cell) if isinstance(cell, str) else None
    if found is None:
        return True
    before = LETTER_RUNS.findall(fold_text(str(cell)[: found.start()]))
    return {*before} <= MONTHS.keys() | WEEKDAYS.keys()


class DateRule(NamedTuple):
    """Which columns may hold dates; the first rule that tells only one decides."""

    fits: Callable[[Headings, str], object]
    said: tuple[str, ...] = ()  # of such a column in the layout
    asks: bool = False  # whether several are a question


DATE_RULES: Mapping[Kind, Sequence[DateRule]] = {
    "games": (
        DateRule(has_date_word, asks=True),
        DateRule(lambda h, name: name == h.plain.get("time") and not are_times_of_day(h, name)),
        DateRule(lambda h, name: is_of_games(h, name) and tells_day_of_play(h, name)),
        DateRule(lambda h, name: "time" in h.plain and are_dates(h, name), BY_CELLS, True),
        DateRule(lambda h, name: may_be_date(h, name) and has_serials(h, name)),
        DateRule(lambda h, name: may_be_date(h, name) and not are_times_of_day(h, name), MAYBE),
        DateRule(lambda h, name: "year" not in h.guessed and are_dates(h, name), BY_CELLS, True),
        DateRule(lambda h, name: name == h.guessed.get("year"), (*MAYBE, "years")),
    ),
    "contests": (  # of which a column `time` may hold results
        DateRule(has_date_word, asks=True),
        DateRule(lambda h, name: may_be_date(h, name) and h.evidence[name].dates == 1.0),
        DateRule(lambda h, name: is_of_games(h, name) and h.evidence[name].dates == 1.0),
        *(DateRule(partial(has_moment, word)) for word in WORDS_IN_ORDER["moment"]),
    ),
}  # fmt: skip


def find_year_of_contests(headings: Headings, keys: Sequence[str]) -> str | None:
    """The key that holds years or seasons, of each of which there is one contest: it is the
    date, too.
    """
    rows = headings.evidence.rows
    contests = {*zip(*(map(str, rows[name]) for name in keys), strict=True)}
    found = [
        name for name in keys if read_heading(name).subjects & {"year", "season"}
        and headings.evidence[name].share(is_year) + headings.evidence[name].share(is_season) == 1.0
        and len({*map(str, rows[name])}) == len(contests)
    ]  # fmt: skip
    return choose_only(found)


# Columns of facts: those that the caller names, and the categories of a game.
#
# A category tells kinds of games apart: the league of a game, the context in which players may be
# better or worse (a surface, a map, a time control), and its variant (best of three or of five).
# The reader keeps one column of each under these names. In tables of games it looks for a context
# and a variant; a league is a column that the caller names, as most tables forecast worse with a
# side advantage of each league than with one of all. Voters are looked for where facts ask for
# `voter?`.


HEADINGS = {  # of categories, the first the most certain
    "context": WORDS_IN_ORDER["context"], "variant": WORDS_IN_ORDER["variant"],
}  # fmt: skip
VOTER = "voter"
ASKED_VOTER = "voter?"  # a fact: the column of voters, if a heading says which it is
OF_VOTERS = tuple(
    f"{word}{end}" for word in WORDS_IN_ORDER["voter"] for end in ("", "id", "name", "hash")
)


def find_facts(headings: Headings, kind: Kind) -> dict[str, object]:
    """The columns of facts by name, which are kept as text and which guessed; and of forecasts."""
    options, names, plain = headings.options, headings.names, headings.plain
    none = options.facts == (NONE,) and NONE not in names
    found: dict[str, str] = {}
    for name in () if none else options.facts:
        if name != ASKED_VOTER:
            pair = [f"{name}{end}" for end in SIDE_ENDS]
            there = name not in names and {*pair} <= {*names}
            role = "season" if name == options.season else "facts"
            found |= {one: headings.column(one, role) for one in (pair if there else [name])}
    prefix, named = options.fact_prefix, options.columns_with_role()
    begun = [name for name in names if prefix and not none and name.startswith(prefix)]
    text = [name for name in begun if name != prefix and name not in named]
    found |= zip(text, text, strict=True)
    taken, kept = {*map(plain_form, named)}, dict[str, str]()
    for name in CATEGORIES:
        column = headings.named_column(name)
        if column and name in found:
            raise headings.bad("column_twice.fact", name=name)
        if kind == "games" and not prefix and name not in {*found, *options.roles}:
            words = (word for word in HEADINGS.get(name, ()) if word not in taken)
            column = next((plain[word] for word in words if word in plain), None)
        if column:
            kept[name] = column
    return {
        "facts": (*found.items(), *kept.items()),
        "text_facts": frozenset({*text, *kept}),
        "guessed_facts": frozenset(kept.keys() - options.roles.keys()),
        "forecasts": find_forecasts(headings, kind) if options.forecasts else (),
    }


def keep_voters(headings: Headings, layout: Layout) -> Layout:
    """The layout with a column of voters, where a free heading names it."""
    if VOTER in dict(layout.facts):
        return layout
    taken = replace(layout, where={}, exclude={}).columns()  # a filter may look at voters, too
    found = find_voters(name for name in headings.names if name not in taken)
    if found is None:
        return layout
    facts, words = (*layout.facts, (VOTER, found)), layout.text_facts | {VOTER}
    return replace(layout, facts=facts, text_facts=words)


def find_voters(names: Iterable[str]) -> str | None:
    """The name that says most surely that a column holds who voted."""
    plain = {plain_form(name): name for name in names}
    return next((plain[word] for word in OF_VOTERS if word in plain), None)


def find_forecasts(headings: Headings, kind: Kind) -> tuple[ForecastColumns, ...]:
    """The forecasts that the caller names, with the columns as the table calls them."""
    if kind != "games":
        raise headings.bad("forecasts_of_contests")
    return tuple(
        one._replace(columns=tuple(headings.column(name, one.option) for name in one.columns))
        for one in headings.options.forecasts
    )


# The kind of a table, and its layout as games or as contests.


FOR_GAMES = (
    "player_a", "player_b", "result", "score_a", "score_b", "winner", "loser", "draw", "neutral",
    "margin", "length", "round",
)  # fmt: skip
NO_COLUMN = (NONE,)
FOR_CONTESTS = ("contest", "player", "place", "points", "team", "share")
FOR_BOTH = ("time", "weight", "league", "context", "variant", "voter")
NAMED_ROLES = frozenset({*FOR_GAMES, *FOR_CONTESTS, *FOR_BOTH})  # by the caller, or by a shape


# Plain tables: whole headings of which each says what it holds, and cells that are names without
# marks, numbers, scorelines of two numbers, and dates with a year. Nothing else is asked of them.


NO_OPTIONS = Options()
PLAIN_DATES = {*WORDS_IN_ORDER["heading_date"]}
PLAIN_NAME = lazy_pattern(r"[^\W\d_]\w*(?:[ .'-]{1,2}(?:[^\W\d_]\w*|\d{1,3}\b))*\.?")
PLAIN_DATE = lazy_pattern(r"\d{4}-\d\d?-\d\d?(?:[ T]\d\d?:\d\d(?::\d\d)?Z?)?")
PLAIN_LINE = lazy_pattern(r"\d{1,2}[-:]\d{1,2}")
PLAIN_FORMS: tuple[Form, ...] = ("winner and loser", "result", "points")  # by columns of results
PLAIN_TOLD = {  # headings of the result, by their set
    frozenset(told): told
    for told in ((), *zip((*ROLES["result"].headings, "score")), *POINTS_OF_BOTH)
}


@once
def find_plain_layout(headings: Headings) -> Layout | None:
    """The layout of a plain table of games between two, None of another table."""
    plain, order = headings.plain, headings.names
    dates = plain.keys() & PLAIN_DATES
    sides = next((each for each in KNOWN_FAMILIES if plain.keys() >= {*each}), ())
    known = PLAIN_TOLD.get(frozenset(plain.keys() - dates - {*sides}))
    if not sides or known is None or bool(known) is ("winner" in sides) or len(dates) > 1:
        return None
    if headings.options != NO_OPTIONS or len(order) > len(plain):
        return None
    (a, b), told = ([plain[word] for word in words] for words in (sides, known))
    time = next((plain[word] for word in dates), None)
    form, turned = PLAIN_FORMS[len(told)], order.index(a) > order.index(b)
    is_result = is_number if turned or form == "points" else is_plain_result
    tests = {a: is_plain_name, b: is_plain_name, **dict.fromkeys(told, is_result)}
    tests |= {time: is_plain_date} if time else {}
    rows = headings.evidence.rows
    if not rows[a] or not all(all(map(test, rows[name])) for name, test in tests.items()):
        return None
    family = KNOWN_FAMILIES[sides]
    points = turn_to_players(a, b, (told[0], told[1]), turned) if len(told) == 2 else (None, None)
    return Layout(
        kind="games", form=form, a=a, b=b, time=time, family=family, sided=family in SIDED,
        result=told[0] if form == "result" else "", turned=turned and form == "result",
        points_a=points[0], points_b=points[1],
    )  # fmt: skip


def is_plain_name(cell: Any) -> bool:
    return isinstance(cell, str) and PLAIN_NAME.fullmatch(cell) is not None


def is_plain_result(cell: Any) -> bool:
    return is_number(cell) or (isinstance(cell, str) and PLAIN_LINE.fullmatch(cell) is not None)


def is_plain_date(cell: Any) -> bool:
    return isinstance(cell, str) and PLAIN_DATE.fullmatch(cell) is not None


@once
def find_layout(headings: Headings) -> Layout:
    """The layout of the table; raises BadData."""
    if plain := find_plain_layout(headings):
        return plain
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
    lay_out = lay_out_games if kind == "games" else lay_out_contests
    layout = lay_out(headings, common)
    return keep_voters(headings, layout) if ASKED_VOTER in options.facts else layout


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
            raise headings.bad("option_of_contests", role=role)
    winner, loser = headings.find_column("winner"), headings.find_column("loser")
    if winner and loser:
        refuse_totals(headings, winner, loser)
    asked = "player_a" in roles or "player_b" in roles
    form: Form = "result"
    result = headings.named_column("result") if "result" in roles else None
    guessed = None
    if winner and loser and not asked and not result and not find_pairs(headings):
        a, b, form = winner, loser, "winner and loser"
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
    draw = headings.find_column("draw") if "winner" in form or "draw" in roles else None
    outcome = None
    if form == "winner and loser" and not draw and "draw" not in roles:
        outcome = headings.guessed.get("result") or headings.guessed.get("score")
    line = None
    if not points and not options.share and "score_a" not in roles:
        taken = [a, b, result, draw, common["time"]]
        line = find_score_line(headings, form, result, taken)  # type: ignore[arg-type]
    side = options.side
    if side is not None:
        sided = plain_form(side) == "a"  # the first side, also where a column is called so
        side = None if sided or side == NONE else headings.column(side, "side")
    neutral = headings.find_column("neutral")
    if neutral and not sided:
        if "neutral" in roles:
            raise headings.bad("neutral_without_home")
        neutral = None
    if options.share and not points:
        raise headings.bad("share_without_points")
    if not asked and not guessed and not options.teams and not options.along:
        headings.said |= dict.fromkeys(filter(None, [note_rosters(headings, a, b)]))
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
    beside = find_beside(headings, found)
    if names_roles(headings, headings.by_shape):  # the caller says what tells the result
        kept = tuple(each for each in beside.states if each[1] != "status")
        found = replace(found, states=kept)
    else:
        found = settle_points(headings, found)
        found = replace(
            found, states=beside.states, kicks=beside.kicks, marks=beside.marks,
            side=found.side or find_ground(headings, found),
            reasons=find_reasons(headings, found),
        )  # fmt: skip
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
            "result_of_second",
            result=result,
            b=b,
            turned=format_options(player_a=b, player_b=a),
            as_it_is=format_options(result=result),
            a=a,
        )
    texts = [] if asked or at != sorted(at) else headings.evidence[result].texts
    if any(is_scoreline(text) and as_scoreline(text) not in CERTAIN for text in texts):
        raise headings.bad(
            "points_order_ambiguous.sides",
            result=result,
            b=b,
            a=a,
            as_they_stand=format_options(player_a=a, player_b=b),
            turned=format_options(player_a=b, player_b=a),
        )


def add_leftover(
    headings: Headings, layout: Layout, sides: Sequence[Sequence[str]], roles: Collection[str]
) -> Layout:
    """The layout and the columns of players that it leaves over, unless a role was named."""
    if not headings.options.roles.keys().isdisjoint(roles):
        return layout
    used = layout.columns()
    rest = [name for name in headings.plain.values() if name not in used]
    if not rest:
        return layout
    left = leftover_columns(rest, sides, headings.names)
    if layout.kind == "games" and not headings.by_shape:
        left += leftover_twins(rest, sides, headings.evidence)
    return replace(layout, leftover=tuple(dict.fromkeys(left)))


def lay_out_contests(headings: Headings, common: Mapping[str, object]) -> Layout:
    roles = headings.options.roles
    as_contest = headings.options.kind == "contests" and ("place" in roles or "points" in roles)
    if not as_contest:
        refuse_standings(headings)
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
        raise headings.bad("column_not_found", what=what)
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


def read_sign(headings: Headings, name: str) -> tuple[str, float]:
    """A column of points, and -1.0 where a minus before its name says that less is better."""
    if name in headings.names or not name.startswith(("-", "+")):
        return headings.column(name, "points"), 1.0
    return headings.column(name[1:], "points"), -1.0 if name.startswith("-") else 1.0


def find_role_column(headings: Headings, role: str) -> tuple[str, tuple[str, ...]]:
    """The column that holds a member by role for the player of its row."""
    named = headings.options.along[role] or (role,)
    if len(named) > 1:
        raise headings.bad("not_that_many_columns.one", count=len(named), role=role, key=repr(role))
    return role, (headings.column(named[0], "with"),)
