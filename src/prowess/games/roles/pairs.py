"""Find the columns of the two sides of games: their players, members, points and results."""

from __future__ import annotations

from itertools import chain, combinations

from prowess.games.layout import NONE, Form
from prowess.games.reading import format_count, format_option, join_names
from prowess.games.roles.candidates import (
    POINTS_OF_BOTH,
    POINTS_OF_WINNERS,
    SETS_OF_WINNERS,
    Family,
    says_result,
    side_family,
    turn_to_players,
)
from prowess.games.roles.evidence import (
    MOST_FIT,
    choose_only,
    is_number,
    is_of_official,
    names_winners,
    scores_of_words,
)
from prowess.games.roles.headings import (
    AT_HOME,
    BESIDE_SCORE,
    EQUAL_SIDES,
    LETTERS,
    NEUTRAL_PAIRS,
    Headings,
    once,
)
from prowess.games.roles.member_columns import (
    MemberColumns,
    members_by_marks,
    members_by_words,
    pairs_of,
)
from prowess.games.roles.results import (
    JUDGMENT,
    find_result_by_cells,
    find_told,
    find_told_beside,
    find_verdict,
    find_winner_beside,
    refuse_named_players,
    refuse_winner_first,
)
from prowess.games.values import plain_form
from prowess.games.vocabulary import marks_of_twins, read_heading, tell_apart

OF_PLAYERS = frozenset({"winner", "loser", "player", "team"})  # roles that members may seem to have
WHICH_SIDES = "name them with player_a= and player_b= (--player-a, --player-b)"
FEWEST_MEMBERS = 3  # columns of two sides, one of which has several members
FEWEST_ROWS, FEWEST_NAMES = 4, 3  # of a table whose columns of players are found by their cells


KNOWN_FAMILIES: dict[tuple[str, str], Family] = {  # of whole headings
    **dict.fromkeys(AT_HOME, ("home", "away")), **dict.fromkeys(EQUAL_SIDES, ("first", "second")),
    **{pair: ("white", "black") for pair in AT_HOME if "white" in pair[0]},
    ("winner", "loser"): ("winner", "loser"),
}  # fmt: skip


@once
def find_pairs(headings: Headings) -> list[tuple[str, str]]:
    """The two columns of players, as headings suggest them."""
    plain, groups = headings.plain, find_groups(headings)
    members = {name for each in groups for side in each.sides for name in side}
    known = [(plain[a], plain[b]) for a, b in AT_HOME | NEUTRAL_PAIRS if {a, b} <= plain.keys()]
    found = [pair for pair in known if not {*pair} <= members]
    if headings.options.along:
        found = [pair for pair in found if not is_of_role(headings, pair)]
    if not found and all(letter in headings.plain for letter in LETTERS):
        found = [(headings.plain["a"], headings.plain["b"])]
    if not found:
        found = [pair for pair in headings.candidates.players() if members.isdisjoint(pair)]
        found = found or ([] if members else find_pairs_by_cells(headings))
    return sorted(found)


def find_only_pair(headings: Headings) -> tuple[str, str] | None:
    """The two columns of players, None where there are none or several."""
    return choose_only(find_pairs(headings))


def find_pairs_by_cells(headings: Headings) -> list[tuple[str, str]]:
    """The two columns of players as their cells tell: they share names, and no others do.

    A column beside that of players belongs to the opponents, whatever it is called.
    """
    guessed = headings.guessed
    told = {"winner", "loser"} <= guessed.keys() or not guessed.keys().isdisjoint(
        {"place", "team"}
    )  # fmt: skip
    if told or headings.evidence.count < FEWEST_ROWS:
        return []
    of_contests = "points" in guessed and not headings.evidence[guessed["points"]].scorelines
    rows = headings.evidence.rows
    names = [
        name for name in headings.names
        if headings.evidence[name].words >= MOST_FIT
        and len(headings.evidence[name].names) >= FEWEST_NAMES
        and not read_heading(name).subjects & {"round", "league", "season", "draw"}
        and not is_of_official(read_heading(name))
    ]  # fmt: skip
    found = [
        (a, b) for at, a in enumerate(names) for b in names[at + 1 :]
        if headings.evidence.share_names(a, b)
    ]  # fmt: skip
    if len(found) == 3:  # two players and the winner
        found = [
            (a, b) for a, b in found
            if any(names_winners(rows[c], rows[a], rows[b]) for c in names if c not in {a, b})
        ]  # fmt: skip
    if len(found) > 1:  # a judge may be a player of other games
        found = [
            (a, b) for a, b in found
            if len(read_heading(a).words) > 1 and tell_apart(a, b) != (a, b)
        ]  # fmt: skip
    if of_contests and "player" in guessed and not any(guessed["player"] in p for p in found):
        return []
    if found:
        return found if len(found) == 1 else []
    members = {name: headings.evidence[name].members for name in headings.names}
    found = [
        (a, b) for a, b in combinations(filter(members.get, headings.names), 2)
        if 2 * len(members[a] & members[b]) >= min(len(members[a]), len(members[b]))
    ]  # fmt: skip
    return found if len(found) == 1 else []


def find_family(a: str, b: str) -> Family | None:
    """The sides that the headings of both players name, such as home and away."""
    return KNOWN_FAMILIES.get((plain_form(a), plain_form(b))) or side_family(a, b)


def has_players(headings: Headings) -> bool:
    """Whether headings tell the players of games or contests."""
    guessed = headings.guessed.keys()
    of_contests = "player" in guessed and not guessed.isdisjoint({"place", "points"})
    return has_sides(headings) or of_contests


def has_sides(headings: Headings) -> bool:
    """Whether headings tell the two sides of games."""
    return bool(
        find_pairs(headings)
        or find_groups(headings)
        or {"winner", "loser"} <= headings.guessed.keys()
    )


def has_result(headings: Headings, a: str, b: str) -> bool:
    """Whether headings tell the results of games of these two players."""
    told = headings.guessed.keys() & {"result", "winner", "score"}
    return bool(told) or find_points_of_both(headings, "result", a, b) is not None


@once
def find_groups(headings: Headings) -> list[MemberColumns]:
    """The columns of the members of sides, as headings suggest them: three or more."""
    evidence = headings.evidence
    others = {column for role, column in headings.guessed.items() if role not in OF_PLAYERS}
    if len({*headings.names} - others) < FEWEST_MEMBERS:
        return []
    return members_by_words(headings.plain) or members_by_marks(headings.names, evidence)


def note_rosters(headings: Headings, a: str, b: str) -> str | None:
    """How to rate the players of teams, where columns of them stand beside those of the teams."""
    evidence, further = headings.evidence, [name for name in headings.names if name not in (a, b)]
    found = [one.sides for one in find_groups(headings) if not {a, b} & {*chain(*one.sides)}]
    joined = [
        ((x,), (y,)) for x, y in combinations(further, 2)
        if have_same_marks((x, y), (a, b)) and evidence[x].members and evidence[y].members
    ]  # fmt: skip
    if len(found or joined) != 1:
        return None
    ((first, second),) = found or joined
    held = "members" if joined and not found else "names"
    players = {name for column in (*first, *second) for name in getattr(evidence[column], held)}
    teams = evidence[a].names | evidence[b].names
    named = all(players) and not all(map(is_number, players))
    if not named or len(players) <= len(teams) or not players.isdisjoint(teams):
        return None
    options = [format_option("player_a", first), format_option("player_b", second)]
    options += ['teams="members" (--teams members)'] if held == "members" else []
    return (
        f"the teams have rosters: {' and '.join(options)} rates their players, which mostly "
        "forecasts better"
    )


def have_same_marks(pair: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether the headings of two pairs of columns differ in the same words of the sides."""
    marks = [marks_of_twins(*map(read_heading, each)) for each in (pair, other)]
    return marks[0] is not None and marks[0] == marks[1]


def is_of_role(headings: Headings, pair: tuple[str, str]) -> bool:
    """Whether two columns are those of a role that the caller asks for, as engine_a is."""
    return any(
        {*pair} <= {*columns} or all(plain_form(role) in plain_form(name) for name in pair)
        for role, columns in headings.options.along.items()
    )


def choose_pair(headings: Headings) -> tuple[str, str]:
    a, b = headings.named_column("player_a"), headings.named_column("player_b")
    if (a is None) != (b is None):
        missing = "player_b" if b is None else "player_a"
        raise headings.bad("second_player_not_named", missing=missing)
    if a and b:
        return a, b
    found = find_pairs(headings)
    if len(found) == 1:
        return found[0]
    if found:
        raise headings.ask("players_ambiguous.sides", WHICH_SIDES, map(", ".join, found))
    raise headings.bad("no_players_found", name=WHICH_SIDES)


def choose_members(headings: Headings) -> MemberColumns | None:
    """The columns of the members of both sides, as headings suggest them."""
    found = [] if find_pairs(headings) else find_groups(headings)
    if len(found) > 1:
        groups = (f"{each.sides[0][0]}, {each.sides[1][0]}, ..." for each in found)
        raise headings.ask("members_ambiguous", WHICH_SIDES, groups)
    return found[0] if found else None


def list_sides(headings: Headings, form: Form, a: str, b: str) -> tuple[tuple[str, ...], ...]:
    """The columns of the members of both sides; empty where each is one column, one player."""
    roles = ("winner", "loser") if form == "winner and loser" else ("player_a", "player_b")
    groups = headings.named_columns(roles[0]) or (a,), headings.named_columns(roles[1]) or (b,)
    if form != "winner and loser" and len(headings.named_columns("winner")) > 1:
        raise headings.bad("not_one_column.winner")
    if both := set(groups[0]) & set(groups[1]):
        raise headings.bad("column_twice.both_sides", name=min(both))
    several_names = headings.options.splits_teams or max(map(len, groups)) > 1
    return groups if several_names else ()


def find_columns_of_sides(
    headings: Headings, role: str, a: str, b: str, form: Form
) -> tuple[str, tuple[str, ...]]:
    """The columns that hold a member by role for each side."""
    option = f"with_={{{role!r}: (..., ...)}} (--with {role}=COLUMN,COLUMN)"
    if named := headings.options.along[role]:
        if len(named) != 2:
            raise headings.bad(
                "not_that_many_columns.two",
                count=format_count(len(named), "column"),
                role=role,
                option=option,
            )
        return role, (headings.column(named[0], "with"), headings.column(named[1], "with"))
    found = pairs_of(role, headings.plain, a, b, form == "winner and loser")
    if len(found) == 1:
        return role, found[0]
    if found:
        several = " or ".join(map(join_names, found))
        raise headings.bad("role_ambiguous", role=role, found=several, option=option)
    if column := headings.plain.get(plain_form(role)):
        raise headings.bad("role_not_found.same", name=column, option=option)
    raise headings.bad("role_not_found", role=role, option=option)


def find_points_of_both(headings: Headings, form: Form, a: str, b: str) -> tuple[str, str] | None:
    roles = headings.options.roles
    if "score_a" in roles or "score_b" in roles:
        one, other = headings.named_column("score_a"), headings.named_column("score_b")
        if one and other:
            return one, other
        if other or (one and "result" in roles):
            raise headings.bad("points_of_one_side")
        return None  # a score of the first side alone
    winners, plain = form == "winner and loser", headings.plain
    known = POINTS_OF_WINNERS if winners else POINTS_OF_BOTH
    if winners and {*SETS_OF_WINNERS} <= plain.keys():
        known = {SETS_OF_WINNERS}
    found = sorted((plain[x], plain[y]) for x, y in known if {x, y} <= plain.keys())
    found = found or headings.candidates.points(a, b, winners)
    told = {*headings.guessed, *roles} & {"result", "winner", "score"}
    if not found and form == "result" and not told and not find_result_by_cells(headings, a, b):
        found = headings.candidates.large_points(a, b)
    totals = {*filter(None, map(headings.candidates.find_total, found))}
    if len(totals) == 1:
        ((pair, note),) = totals
        if note:
            headings.said[note] = None
            return pair
        found = sorted({*found, pair})
    if len(found) > 1 and "result" in roles:
        return None  # the result is told without them
    if len(found) > 1:
        remedy = "name them with score_a= and score_b="
        raise headings.ask("points_ambiguous", remedy, map(join_names, found))
    b_first = not winners and headings.names.index(a) > headings.names.index(b)
    return turn_to_players(a, b, found[0], b_first) if found else None


def choose_form(
    headings: Headings, result: str | None, points: tuple[str, str] | None, a: str, b: str
) -> tuple[Form, str | None]:
    """The form of a game's score, and the column that holds it."""
    roles = headings.options.roles
    if result:
        return "result", result
    for role in ("winner", "loser"):
        if role in roles and (column := headings.named_column(role)):
            return "winner", column
    if "score_a" in roles and not points and (score := headings.named_column("score_a")):
        return "result", score
    if "score_a" in roles and points:
        return "points", None
    if told := find_told_beside(headings, a, b):
        return told
    if result := headings.find_column("result"):
        beside = find_winner_beside(headings, result, a, b)
        if beside:
            return beside
        refuse_winner_first(headings, result, a, b)
        return "result", result
    winner = headings.find_column("winner")
    if winner and (winner not in {a, b} or "winner" in roles):  # `Challenger`, `Champion`
        own = scores_of_words(headings.evidence[winner], 2) == {0.0, 1.0}
        return ("result" if own else "winner"), winner
    if points and (judged := choose_only(find_told(headings, a, b, [JUDGMENT]))):
        return judged  # such as that of a debate, which need not agree with points of speakers
    if points and plain_form(points[0]) in BESIDE_SCORE and "score" in headings.plain:
        return "result", headings.plain["score"]  # a score beside them is what was rated
    if points:
        return "points", None
    if "score_a" not in roles and (score := headings.guessed.get("score")):
        refuse_winner_first(headings, score, a, b)
        return "result", score
    if verdict := find_verdict(headings):
        return "winner", verdict
    if found := find_result_by_cells(headings, a, b):
        return found
    refuse_named_players(headings, a, b)
    empty = headings.candidates.take_as_points(a, b, lambda column: not column.filled)
    if of_points := choose_only(empty):
        return "result", of_points[0]  # of games of which none was played
    if roles.get("result") == (NONE,):
        return "to come", None
    named = [
        heading.name for heading in map(read_heading, headings.names)
        if heading.subjects == {"result", "points"} and not heading.sides
        and heading.name not in {a, b}
        and (says_result(heading) or not headings.evidence[heading.name].numbers)  # of anything
    ]  # fmt: skip
    if len(named) == 1:  # what its cells lack is said where they are parsed
        return "result", named[0]
    raise headings.bad("no_result_found")
