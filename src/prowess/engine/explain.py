"""Explanations of rating changes: every game of a player, with terms that add up to the change.

The ratings before each game of this player are kept as they are played; the system's own functions
compute each change again, in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from math import fsum, isclose, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.tree import rebuild
from prowess.engine.bank import bank_substitutes
from prowess.engine.meetings import Meeting, MeetingMember, Round, find_rounds
from prowess.engine.played import PlayedTable, shares_rounds, watch_steps
from prowess.engine.rows import common_kept, game_rules, make_mirror, make_scaling, make_sum
from prowess.engine.state import display_rating, mixture, parameters_of, weights_of
from prowess.engine.steps import (
    GENERAL,
    OF_TIME,
    REWEIGHED,
    History,
    Step,
    join_meetings,
    settle_terms,
)
from prowess.engine.system import Dynamic
from prowess.engine.watch import Watch
from prowess.games.arguments import check_place, check_series

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
            sides = (
                common_kept(system, state.lanes, state.logs is not None, sums, side)
                for side in (second, not second)
            )
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
