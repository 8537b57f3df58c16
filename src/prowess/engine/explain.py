"""Explanations of rating changes: every game of a player, with terms that add up to the change.

The ratings before each game of this player are kept as they are played; the system's own functions
compute each change again, in plain Python.

The games of a rated table as one table, and the histories of all its players as one, are joins of
what was kept of each member of a side with the columns of the table. The rows of histories are the
steps of every player (see `histories`), to the bit, without the terms; a contest is one row, not
one for each opponent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby, pairwise
from math import fsum, isclose, isnan, nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.compile.tree import rebuild
from prowess.engine.bank import bank_substitutes
from prowess.engine.meetings import Meeting, MeetingMember, Round, find_rounds
from prowess.engine.played import (
    PlayedTable,
    replay_members,
    shares_rounds,
    shows_member,
    watch_all,
    watch_steps,
)
from prowess.engine.rows import common_kept, game_rules, make_mirror, make_scaling, make_sum
from prowess.engine.run import Watch, uses_duel_loops
from prowess.engine.state import (
    display_rating,
    displayed_fields,
    mixture,
    parameters_of,
    weights_of,
)
from prowess.engine.steps import (
    GENERAL,
    OF_TIME,
    REWEIGHED,
    History,
    Step,
    join_meetings,
    separate_meetings,
    settle_terms,
)
from prowess.engine.system import Dynamic
from prowess.engine.tabular import ResultTable, moments
from prowess.games.arguments import check_place, check_series
from prowess.games.runs import reduce_runs, repeat_rows

if TYPE_CHECKING:
    from prowess.games.games import Games

    Columns = dict[str, AnyArray]


TRACE = 1e-9  # a remainder below this part of the change is rounding and belongs to the game


def histories(
    ratings: PlayedTable, players: Sequence[int], last: int | None = None, until: int | None = None
) -> tuple[History, ...]:
    """The histories of players by number, in that order, from one replay of the whole table.

    The replay is kept for further calls, unless it is too large. Only the `last` rounds are
    explained, where that is given, up to that of the contest `until`. Raises BadArgument.
    """
    known = len(ratings.players)
    players = [check_place("player", k, known) for k in check_series("players", players, "[0, 1]")]
    seen, explainer = watch_steps(ratings, players), _Explainer(ratings)
    return tuple(
        History(ratings.players[k], ratings.system.name, explainer.explain(k, seen, last, until))
        for k in players
    )


# Of a meeting: points, expected score, the chances of at least and at most the result (nan: not
# known), and the points of each member beside the player. Of a bank they are means.
Numbers = Sequence[float]


def find_alternatives(
    ratings: PlayedTable, row: int, scores: Sequence[float]
) -> list[tuple[float, float]]:
    """The changes of both players of a game, had the first scored each of `scores`.

    Of games between two players that are rated one by one, by the score alone, in the table as
    it is, and by one setting (the weights of a bank follow the result): else nothing.
    """
    table, system = ratings.table, ratings.system
    by_margin = table.margin is not None and "margin" in system.uses
    as_given = system.prepare is None and ratings.state.logs is None
    if not (table.duels and as_given) or by_margin or shares_rounds(ratings):
        return []
    explainer, changes = _Explainer(ratings), []
    for player, sign in ((int(table.a[row]), 1.0), (int(table.b[row]), -1.0)):
        (of_round,) = find_rounds(ratings, player, ratings.watch, 1, row)
        (meeting,) = of_round.meetings
        for score in scores:
            game = meeting.game._replace(score=0.5 + sign * (score - 0.5))
            other = of_round._replace(meetings=[meeting._replace(game=game)])
            changes.append(explainer._explain_round(other, None)[-1].change)
    return list(zip(changes[: len(scores)], changes[len(scores) :], strict=True))


class _Outcome(NamedTuple):
    """What a round made of a player, as displayed."""

    before: float
    values: Any  # the system's values after the round
    reweighed: float  # of the change, what the new weights of a bank made
    meetings: Sequence[Numbers]


@cache
def evidence_of_loop(system: Dynamic, lanes: int) -> Callable[..., Any]:
    """The evidence as the loop finds it: under a bank its exp and log are polynomials."""
    if lanes == 1 or system.evidence is None:
        return system.evidence
    return rebuild(system.evidence, bank_substitutes(system, compiled=False))


class _Explainer:
    """Explains rounds of a table by the functions of its system."""

    def __init__(self, ratings: PlayedTable) -> None:
        self.ratings, self.system, self.table = ratings, ratings.system, ratings.played_table
        shape, roles = self.system.evidence_zero, ratings.state.roles
        self.add, self.weigh = make_sum(shape), make_scaling(shape)
        self.opposite = make_mirror(shape, self.system.mirrors)
        self.evidence = evidence_of_loop(self.system, ratings.state.lanes)
        self.mirror = game_rules(self.system.game).mirror
        # those by which games are judged, one entry a setting: of the first role
        self.parameters = parameters_of(self.system, ratings.p, roles)[:: len(roles)]

    def explain(
        self, player: int, seen: Watch, last: int | None, until: int | None
    ) -> tuple[Step, ...]:
        """The steps of a player, of all rounds or the last ones up to that of a contest."""
        by_round: list[list[Step]] = []
        rating: float | None = None
        # The first of the last rounds begins with the rating after the round before it.
        before = None if last is None else last + 1
        for of_round in find_rounds(self.ratings, player, seen, before, until):
            steps = self._explain_round(of_round, rating)
            if of_round.field is not None and not self.table.pairwise:
                # What the contest gave stands with its last meeting, which did not earn it alone.
                steps = [join_meetings(steps, [meeting.at for meeting in of_round.meetings])]
            by_round.append(steps)
            rating = steps[-1].after
        return tuple(chain.from_iterable(by_round if last is None else by_round[-last:]))

    def _explain_round(self, of_round: Round, earlier: float | None) -> list[Step]:
        """The steps of a round: what each game brought, and last what no single game brought."""
        system, meetings, outcome = self.system, of_round.meetings, self._judge_round(of_round)
        between = 0.0 if earlier is None else outcome.before - earlier
        rating = outcome.before if earlier is None else earlier
        steps = []
        for k, (meeting, numbers) in enumerate(zip(meetings, outcome.meetings, strict=True)):
            terms = {OF_TIME: between} if k == 0 and between else {}
            points, expected, at_least, at_most, *beside = numbers
            if k < len(meetings) - 1:
                target = fsum((rating, *terms.values(), points))
            else:
                target = outcome.values.rating
                if outcome.reweighed:
                    terms[REWEIGHED] = outcome.reweighed
            change = target - rating
            rest = fsum((change, -points, *(-term for term in terms.values())))
            if system.credit is None or isclose(rest, 0.0, abs_tol=TRACE * max(1.0, abs(target))):
                points = fsum((change, *(-term for term in terms.values())))
                rest = 0.0
            terms["game"] = points
            if rest:
                terms[system.rest] = rest
            settle_terms(terms, change)
            steps.append(
                Step(
                    row=meeting.row,
                    round=of_round.number,
                    time=meeting.time,
                    opponent=self._join_names(meeting.opponents),
                    opponent_rating=meeting.opponent_rating,
                    score=meeting.game.score,
                    expected=expected,
                    before=rating,
                    after=target,
                    change=change,
                    terms=terms,
                    values=outcome.values,
                    partners=self._join_names(meeting.partners),
                    parts=self._find_parts(meeting, terms["game"], beside),
                    margin=meeting.margin,
                    at_least=None if isnan(at_least) else at_least,
                    at_most=None if isnan(at_most) else at_most,
                )
            )
            rating = target
        return steps

    # --- what a meeting was -----------------------------------------------------------------------

    def _join_names(self, members: Sequence[MeetingMember]) -> str:
        return " & ".join(self.ratings.players[member.player] for member in members)

    def _find_parts(
        self, meeting: Meeting, own: float, beside: Sequence[float]
    ) -> dict[str, float]:
        """The points of a game by whom they went to: the player, and the members beside them."""
        parts = {GENERAL: own}
        for member, points in zip(meeting.beside, beside, strict=True):
            name = self._name_part(meeting.me.player, member)
            if name is not None and points != 0.0:
                parts[name] = parts.get(name, 0.0) + points
        return parts

    def _name_part(self, player: int, member: MeetingMember) -> str | None:
        """What a part is called: a context by its word, others by their role; None: not theirs.

        A context of another player of the side belongs to them.
        """
        table, names = self.table, self.ratings.players
        assert table.role is not None
        role = int(table.role[member.player])
        if table.role_kinds[role] == "per":
            of_player, name = f"{names[player]}@", names[member.player]
            return f"on {name.removeprefix(of_player)}" if name.startswith(of_player) else None
        named = table.roles[role]
        return f"{named} advantage" if table.role_kinds[role].endswith("side") else named

    # --- what the functions of the system made of a round -----------------------------------------

    def _judge_round(self, of_round: Round) -> _Outcome:
        """What a round made of the player; of a bank the mean of its settings."""
        system, state, sums = self.system, self.ratings.state, of_round.sums
        me, second = of_round.meetings[-1].me, of_round.meetings[-1].at == 1
        learnt = [((), ())] * state.lanes
        if system.common is not None:
            sides = (common_kept(system, state.lanes, sums, side) for side in (second, not second))
            learnt = [*zip(*sides, strict=True)]
        found = [self._judge_setting(of_round, lane, both) for lane, both in enumerate(learnt)]
        if state.logs is None:
            ((after, numbers),) = found
            values = display_rating(system, after)
            return _Outcome(me.ratings[0].rating, values, 0.0, numbers)
        weights = weights_of(sums[: state.lanes]).tolist()
        later = weights_of(sums[state.lanes : 2 * state.lanes])

        def mean(numbers: Iterable[float]) -> float:
            return fsum(w * number for w, number in zip(weights, numbers, strict=True))

        rows = np.array([after for after, _ in found]).T.reshape(1, -1)
        (mixed,) = mixture(system.rating._fields, rows, later).tolist()
        values = display_rating(system, mixed)
        return _Outcome(
            mean(rating.rating for rating in me.ratings),
            values,
            values.rating - mean(after.rating for after, _ in found),
            [
                [*map(mean, zip(*by_setting, strict=True))]
                for by_setting in zip(*(numbers for _, numbers in found), strict=True)
            ],
        )

    def _judge_setting(
        self, of_round: Round, lane: int, learnt: tuple[Any, Any]
    ) -> tuple[Any, list[Numbers]]:
        """The rating of the player after a round, and its meetings, under one setting.

        `learnt` is the last argument of the functions as both sides read it, () for none.
        """
        system, meetings = self.system, of_round.meetings
        league: tuple[Any, ...] = ()
        if system.league is not None:
            league = (system.league.empty._make(of_round.sums.tolist()),)
        sides = [self._find_arguments(meeting, lane, learnt) for meeting in meetings]
        if of_round.field is not None:
            evidence = self._judge_contest(of_round, lane)
        else:
            evidence = [
                self.opposite(self.evidence(*theirs)) if meeting.derived
                else self.evidence(*mine[:2], meeting.carried[lane], *mine[3:])
                for meeting, (mine, theirs) in zip(meetings, sides, strict=True)
            ]  # fmt: skip

        def credit_member(by_meeting: dict[int, MeetingMember]) -> tuple[Any, dict[int, float]]:
            """The rating of a member after the round, and the points of their meetings."""
            total, pieces = system.evidence_zero, {}
            for k, member in by_meeting.items():
                p, me, piece = member.parameters[lane], member.ratings[lane], evidence[k]
                if piece is not None:
                    if system.due is not None:
                        piece = system.due(
                            p, me, member.shares[lane], meetings[k].mine[lane], piece
                        )
                    piece = self.weigh(piece, meetings[k].weight)
                pieces[k] = piece or system.evidence_zero
                total = self.add(total, pieces[k])
            after = system.absorb(p, me, total, *league)
            if system.credit is None:
                return after, dict.fromkeys(pieces, 0.0) | {max(pieces): after.rating - me.rating}
            return after, {k: float(system.credit(p, me, after, x)) for k, x in pieces.items()}

        after, points = credit_member({k: meeting.me for k, meeting in enumerate(meetings)})
        if system.credit is None:
            points = dict.fromkeys(points, 0.0)
        places: dict[int, dict[int, MeetingMember]] = {}  # of the members beside: by meeting
        for k, meeting in enumerate(meetings):
            for member in meeting.beside:
                places.setdefault(member.player, {})[k] = member
        beside = {player: credit_member(by_meeting)[1] for player, by_meeting in places.items()}
        return after, [
            (points[k], *self._forecast(*sides[k]), *(beside[m.player][k] for m in meeting.beside))
            for k, meeting in enumerate(meetings)
        ]

    def _find_arguments(
        self, meeting: Meeting, lane: int, learnt: tuple[Any, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The arguments of the system's functions for a meeting, as both sides see it."""
        p, mine, theirs = self.parameters[lane], meeting.mine[lane], meeting.theirs[lane]
        back = (p, theirs, mine, self.mirror(meeting.game), *learnt[1])
        return (p, mine, theirs, meeting.game, *learnt[0]), back

    def _forecast(self, mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> Numbers:
        """The expected score, and the chances of at least and of at most the result."""
        system, expected = self.system, float(self.system.expected(*mine))
        if system.at_least is not None:
            return expected, float(system.at_least(*mine)), float(system.at_least(*theirs))
        if system.chances is None:
            return expected, nan, nan
        found = (system.chances(*side).at_least(side[3].score) for side in (mine, theirs))
        return expected, *found

    def _judge_contest(self, of_round: Round, lane: int) -> list[Any]:
        """The evidence of a contest judged at once: it stands with the last meeting.

        A member of two sides has it with the last meeting of each.
        """
        system, meetings, zero = self.system, of_round.meetings, self.system.evidence_zero
        assert of_round.field is not None
        assert system.contest is not None
        place, added = of_round.field
        sides = [side[lane] for side in added]
        columns = type(sides[0])(*map(list, zip(*sides, strict=True)))
        out = type(zero)(*([0.0] * len(sides) for _ in zero))
        room = system.make_room(len(sides))
        system.contest(self.parameters[lane], columns, list(place), out, *room)
        sides_after = [*(meeting.at for meeting in meetings[1:]), None]
        return [
            None if meeting.at == later else type(zero)(*(column[meeting.at] for column in out))
            for meeting, later in zip(meetings, sides_after, strict=True)
        ]


# --- the games of a table, and all histories ------------------------------------------------------


def all_games(ratings: PlayedTable) -> ResultTable:
    """See `Ratings.games`; from one replay."""
    table, played = ratings.played_table, replay_members(ratings)
    before = ratings_of_sides(table, played.before)
    names = names_of_sides(table)
    columns: Columns = {}
    contest = np.arange(len(table), dtype=np.int64) if table.pairwise else table.contest_of_side
    if table.time is not None:
        columns["date"] = moments(table.time[contest])
    columns["row"] = contest
    if table.pairwise:
        columns |= {"a": names[0::2], "b": names[1::2]}
        columns |= {"rating_a": before[0::2], "rating_b": before[1::2]}
    else:
        before[np.diff(table.start)[contest] == 1] = np.nan  # alone: nothing was rated
        columns |= {"side": names, "rating": before, "place": table.place}
    columns["expected"] = played.expected
    if played.draws is not None:
        columns["draw"] = played.draws
    columns["score"] = table.outcome
    return ResultTable(columns, f"Games under {ratings.system.name}")


def all_histories(ratings: PlayedTable) -> ResultTable:
    """See `Ratings.history`.

    `columns` have one entry for a player and a game, player by player: player, date (datetime64,
    where the table has dates), row (the game or contest by number), round, opponent,
    opponent_rating, score, expected, before, after, change, and the system's other values after the
    round (one that has the name of a column before it is called `NAME_after`). In a round of
    several games the rows lead from the rating before the round to the one after it. A row of a
    contest has, in place of the opponent, `opponents`, how many sides were met (by a car on two of
    them each of these as well); score and expected are means over all meetings.
    """
    duels = uses_duel_loops(ratings.system, ratings.p, ratings.played_table)
    by_steps = ratings.played_table.repeats or (shares_rounds(ratings) and not duels)
    found, values = (_columns_of_steps if by_steps else _columns_of_members)(ratings)
    for name, column in zip(displayed_fields(ratings.system)[1:], values.T, strict=True):
        found[f"{name}_after" if name in found else name] = column
    return ResultTable(found, f"Histories under {ratings.system.name}")


def _columns_of_members(ratings: PlayedTable) -> tuple[Columns, Floats]:
    """Histories, and further values after each row, from what was kept of every member."""
    table, bounds = ratings.played_table, ratings.rounds.bounds
    played = replay_members(ratings, follow=True)
    assert played.after is not None
    listed = np.isfinite(played.after[:, 0]) & (table.player < len(ratings.table.players))
    entries = np.flatnonzero(listed)
    entries = entries[np.argsort(table.player[entries], kind="stable")]
    player = table.player[entries].astype(np.int64)
    side = entries if table.single else table.side_of_member[entries]
    contest = number = side // 2 if table.pairwise else table.contest_of_side[side]
    if shares_rounds(ratings):
        assert bounds is not None
        number = repeat_rows(np.arange(len(bounds) - 1, dtype=np.int64), np.diff(bounds))[contest]
    after = played.after[entries]
    found: Columns = {"player": np.array(list(ratings.players), dtype=object)[player]}
    if table.time is not None:
        found["date"] = moments(table.time)[contest]
    found |= {"row": contest, "round": number}
    if not table.pairwise:
        found["opponents"] = np.diff(table.start)[contest] - 1
    else:
        if played.own is None:
            found["partners"] = names_of_partners(table)[entries]
        found["opponent"] = names_of_sides(table, side ^ 1)
        found["opponent_rating"] = ratings_of_sides(table, played.before)[side ^ 1]
    of_side = side // 2 if table.pairwise else side
    score, expected = table.outcome[of_side], played.expected[of_side]
    if table.pairwise:
        score, expected = (np.where(side % 2, 1.0 - column, column) for column in (score, expected))
    if played.own is not None:
        expected = played.own[entries]
    before, ends = _rows_of_rounds(ratings, entries, player, number, played.first, after[:, 0])
    found |= {"score": score, "expected": expected}
    found |= {"before": before, "after": ends, "change": ends - before}
    return found, after[:, 1:]


def _rows_of_rounds(
    ratings: PlayedTable, entries: Ids, player: Ids, number: Ids, first: Floats, after: Floats
) -> tuple[Floats, Floats]:
    """The ratings from which and to which each row leads.

    A round begins where the player's last one ended, for the first with the player's own rating;
    between the games of a round stand the points that each brought.
    """
    if not len(player):
        return after, after
    own = first[entries]
    same = np.append(False, player[1:] == player[:-1])
    begins = ~same | np.append(True, number[1:] != number[:-1])
    at = np.flatnonzero(begins)
    last = np.append(at[1:], len(player)) - 1
    rating = own[at]
    rating[1:] = np.where(same[at[1:]], after[last[:-1]], rating[1:])
    before, ends = after.copy(), after.copy()
    before[at] = rating
    several = np.flatnonzero(last > at)
    points = np.zeros(len(after))
    if len(several) and ratings.system.credit is not None:
        seen = ratings.watch if len(ratings.watch.memory.credit) else watch_all(ratings)
        points = seen.memory.credit[entries]
    row, end, start = at[several], last[several], rating[several]
    reached = start + points[row]
    for k in np.flatnonzero(own[row] != start).tolist():  # time passed, or a rule acted
        reached[k] = fsum((start[k], own[row[k]] - start[k], points[row[k]]))
    while len(row):
        ends[row] = before[row + 1] = reached
        row = row + 1
        going = row < end
        row, end, reached = row[going], end[going], reached[going] + points[row[going]]
    return before, ends


def _columns_of_steps(ratings: PlayedTable) -> tuple[Columns, Floats]:
    """The same from the steps of each player, one after the other: of rounds whose games no loop
    keeps apart, and of contests in which a member stands on two sides.
    """
    table, contests = ratings.played_table, not ratings.played_table.pairwise
    rows = [
        (history.player, step)
        for history in histories(ratings, range(len(ratings.table.players)))
        for step in (_join_rounds(history.steps) if contests else history.steps)
    ]
    steps = [step for _, step in rows]
    at = np.array([step.row for step in steps], dtype=np.int64)
    found: Columns = {"player": np.array([player for player, _ in rows], dtype=object)}
    if table.time is not None:
        found["date"] = moments(table.time[at])
    found |= {"row": at, "round": np.array([step.round for step in steps])}
    names = ["score", "expected", "before", "after", "change"]
    if contests:  # a member of two sides met both of them
        sides, met = np.diff(table.start)[at], np.array([len(step.meetings) for step in steps])
        found["opponents"] = sides - (met < sides)
    else:
        names = ["partners", "opponent", "opponent_rating", *names]
    for name in names:
        text = object if name in ("partners", "opponent") else None
        found[name] = np.array([getattr(step, name) for step in steps], dtype=text)
    values = np.array([step.values[1:] for step in steps], dtype=np.float64)
    return found, values.reshape(len(steps), len(ratings.system.rating) - 1)


def _join_rounds(steps: Sequence[Step]) -> Iterator[Step]:
    """One step of all meetings of each contest."""
    for number, group in groupby(separate_meetings(steps), key=attrgetter("round")):
        meetings = [*group]
        yield join_meetings(meetings, [0] * len(meetings))._replace(row=number)


def ratings_of_sides(table: Games, rating: Floats) -> Floats:
    """The rating of each side, [sides]: of several members the mean by their shares."""
    if table.single:
        return rating
    share = np.ones(len(rating)) if table.share is None else table.share
    share, first = share * shows_member(table), table.ends[:-1]
    parts = np.multiply(share, rating, where=share > 0.0, out=np.zeros(len(share)))
    mean: Floats = reduce_runs(np.add, parts, first) / reduce_runs(np.add, share, first)
    return mean


def names_of_sides(table: Games, sides: Any = slice(None)) -> AnyArray:
    """The members of each side, or of some, as one text."""
    names: AnyArray = np.array(list(table.players), dtype=object)
    if table.single:
        names = names[table.player[sides]]
        return names
    shown = shows_member(table)
    sizes = np.bincount(table.side_of_member[shown], minlength=len(table.ends) - 1)
    names, bounds = (
        names[table.player[shown]],
        np.append(0, np.cumsum(sizes, dtype=np.int64)).tolist(),
    )
    if not (sizes == 1).all():
        names = np.array([" & ".join(names[a:b]) for a, b in pairwise(bounds)], dtype=object)
    found: AnyArray = names[sides]
    return found


def names_of_partners(table: Games) -> AnyArray:
    """The other players on the side of each member as one text, [members]; empty for none."""
    found = np.full(len(table.player), "", dtype=object)
    if table.single:
        return found
    is_player = np.ones(len(found), bool) if table.role is None else table.role[table.player] == 0
    names = np.array(list(table.players), dtype=object)[table.player]
    for side in np.flatnonzero(
        reduce_runs(np.add, is_player.astype(np.int64), table.ends[:-1]) > 1
    ):
        members = np.arange(table.ends[side], table.ends[side + 1], dtype=np.int64)[
            is_player[table.ends[side] : table.ends[side + 1]]
        ]
        for member in members:
            found[member] = " & ".join(names[members[members != member]])
    return found
