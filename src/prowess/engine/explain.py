"""Explanations of rating changes: every game of a player, with terms that add up to the change.

The games are replayed, recording the ratings before each game of this player; then the system's
own functions compute each change again, in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import fsum, isclose, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.contest_steps import join_meetings, settle_terms
from prowess.engine.meetings import (
    Meeting,
    MeetingMember,
    PlayedTable,
    Round,
    bytes_watched,
    rounds,
    watch_players,
)
from prowess.engine.rows import common_kept, game_rules, make_mirror, make_scaling, make_sum
from prowess.engine.state import display_values, displayed_tuple, mixture, parameters_of, weights_of
from prowess.engine.steps import GENERAL, OF_TIME, REWEIGHED, History, Step
from prowess.engine.watch import Watch
from prowess.games.arguments import check_place, check_series

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic

KEPT_AT_MOST = 2**28  # bytes of ratings before every game that are kept with the ratings
TRACE = 1e-9  # a remainder below this part of the change is rounding and belongs to the game


class Formulas(NamedTuple):
    """The functions of evidence, made once for all steps."""

    add: Callable[..., Any]
    weigh: Callable[..., Any]
    opposite: Callable[..., Any]
    mirror: Callable[..., Any]
    of_side: tuple[Any, ...]  # see _side_parameters


def histories(
    ratings: PlayedTable, players: Sequence[int], last: int | None = None
) -> tuple[History, ...]:
    """The histories of players by number, in that order, from one replay of the whole table.

    The replay is kept for further calls, unless it is too large. Only the `last` rounds are
    explained, where that is given. Raises BadArgument.
    """
    known = len(ratings.players)
    players = [check_place("player", k, known) for k in check_series("players", players, "[0, 1]")]
    keep = "watch" in vars(ratings) or bytes_watched(ratings) <= KEPT_AT_MOST
    seen = ratings.watch if keep else watch_players(ratings, players)
    system = ratings.system
    shape = system.evidence_zero
    formulas = Formulas(
        make_sum(shape),
        make_scaling(shape),
        make_mirror(shape, system.mirrors),
        game_rules(system.game).mirror,
        _side_parameters(ratings),
    )
    return tuple(_history(ratings, player, seen, formulas, last) for player in players)


def _history(
    ratings: PlayedTable, player: int, seen: Watch, formulas: Formulas, last: int | None
) -> History:
    by_round: list[list[Step]] = []
    rating: float | None = None
    # The first of the last rounds begins with the rating after the round before it.
    for one in rounds(ratings, player, seen, None if last is None else last + 1):
        found = _steps(ratings, formulas, rating, one)
        if one.field is not None and not ratings.played_table.pairwise:
            # What the contest gave stands with its last meeting, which did not earn it alone.
            found = [join_meetings(found, [meeting.at for meeting in one.meetings])]
        by_round.append(found)
        rating = found[-1].after
    steps = chain.from_iterable(by_round if last is None else by_round[-last:])
    return History(ratings.players[player], ratings.system.name, tuple(steps))


class _Found(NamedTuple):
    """What one setting made of a round; lists have an entry a meeting."""

    after: Any  # the rating
    points: list[float]
    expected: list[float]
    at_least: list[float]
    at_most: list[float]
    beside: list[list[float]]  # points of each member beside the player


class _Outcome(NamedTuple):
    """What a round made of a player, as displayed."""

    before: float
    after: float
    values: Any  # the system's values after the round
    reweighed: float  # of the change, what the new weights of a bank made
    meetings: list[dict[str, Any]]  # the fields of a `_Found`, by name


def _steps(
    ratings: PlayedTable, formulas: Formulas, earlier: float | None, one: Round
) -> list[Step]:
    """The steps of one round: what each game brought, and last what no single game brought."""
    system, meetings = ratings.system, one.meetings
    found = _outcome(ratings, formulas, one)
    between = 0.0 if earlier is None else found.before - earlier
    rating = found.before if earlier is None else earlier
    steps = []
    for k, meeting in enumerate(meetings):
        of_game = found.meetings[k]
        terms = {OF_TIME: between} if k == 0 and between else {}
        points = of_game["points"]
        if k < len(meetings) - 1:
            target = fsum((rating, *terms.values(), points))
        else:
            target = found.after
            if found.reweighed:
                terms[REWEIGHED] = found.reweighed
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
                round=one.number,
                time=_time(ratings, meeting.row, one.number),
                opponent=_names(ratings, meeting.opponents),
                opponent_rating=meeting.opponent_rating,
                score=meeting.game.score,
                expected=of_game["expected"],
                before=rating,
                after=target,
                change=change,
                terms=terms,
                values=found.values,
                partners=_names(ratings, meeting.partners),
                parts=_parts(ratings, one.player, meeting, terms["game"], of_game["beside"]),
                margin=_margin(ratings, meeting),
                at_least=_number_or_none(of_game["at_least"]),
                at_most=_number_or_none(of_game["at_most"]),
            )
        )
        rating = target
    return steps


def _names(ratings: PlayedTable, players: tuple[int, ...]) -> str:
    """The players of a side, as one text."""
    return " & ".join(ratings.players[player] for player in players)


def _parts(
    ratings: PlayedTable, player: int, meeting: Meeting, own: float, beside: Sequence[float]
) -> dict[str, float]:
    """The points of a game by whom they went to: the player, and the members beside them."""
    parts = {GENERAL: own}
    for member, points in zip(meeting.beside, beside, strict=True):
        name = _part_name(ratings, player, member)
        if name is not None:
            parts[name] = parts.get(name, 0.0) + points
    return parts


def _part_name(ratings: PlayedTable, player: int, member: MeetingMember) -> str | None:
    """What a part is called: a context by its word, others by their role; None: not the player's.

    A context of another player of the side belongs to them.
    """
    table = ratings.played_table
    assert table.role is not None
    role = int(table.role[member.player])
    if table.role_kinds[role] == "per":
        of_player = f"{ratings.players[player]}@"
        name = ratings.players[member.player]
        return f"on {name.removeprefix(of_player)}" if name.startswith(of_player) else None
    named = table.roles[role]
    return f"{named} advantage" if table.role_kinds[role].endswith("side") else named


def _margin(ratings: PlayedTable, meeting: Meeting) -> float | None:
    """By how much the player won a game, where the table says."""
    table = ratings.played_table
    if not table.pairwise or table.margin is None:
        return None
    margin = float(table.margin[meeting.row])
    return _number_or_none(-margin if meeting.at else margin)


def _number_or_none(number: float) -> float | None:
    return None if isnan(number) else number


def _outcome(ratings: PlayedTable, formulas: Formulas, one: Round) -> _Outcome:
    """What the functions of the system made of a round; of a bank the mean of its settings."""
    system = ratings.system
    learnt = _learnt(ratings, one)
    found = [_of_setting(ratings, formulas, one, *each) for each in enumerate(learnt)]
    names = _Found._fields[1:]
    if one.logs is None:
        after = found[0].after
        row = display_values(system, np.array([after], dtype=np.float64))[0].tolist()
        meetings = [dict(zip(names, each, strict=True)) for each in zip(*found[0][1:], strict=True)]
        values = displayed_tuple(system, row)
        return _Outcome(one.before[0].rating, after.rating, values, 0.0, meetings)
    assert one.later is not None
    weights = weights_of(one.logs).tolist()

    def mean(numbers: Any) -> Any:
        """The mean over the settings, of lists entry by entry."""
        if isinstance(numbers[0], list):
            return [mean(each) for each in zip(*numbers, strict=True)]
        return fsum(w * number for w, number in zip(weights, numbers, strict=True))

    by_name = [mean([getattr(each, name) for each in found]) for name in names]
    rows = np.array([each.after for each in found]).T.reshape(1, -1)
    mixed = display_values(system, mixture(system.rating._fields, rows, weights_of(one.later)))
    values = displayed_tuple(system, mixed[0].tolist())
    return _Outcome(
        mean([before.rating for before in one.before]),
        values.rating,
        values,
        values.rating - mean([each.after.rating for each in found]),
        [dict(zip(names, each, strict=True)) for each in zip(*by_name, strict=True)],
    )


def _side_parameters(ratings: PlayedTable) -> tuple[Any, ...]:
    """The parameters by which games are judged, one entry a setting: those of the first role."""
    roles = ratings.state.roles
    return parameters_of(ratings.system, ratings.p, roles)[:: len(roles)]


def _of_setting(
    ratings: PlayedTable, formulas: Formulas, one: Round, lane: int, learnt: tuple[Any, Any]
) -> _Found:
    """What a round made of a player and of the members beside them, under one setting."""
    system, me, p = ratings.system, one.before[lane], one.parameters[lane]
    of_side = p if len(ratings.state.roles) == 1 else formulas.of_side[lane]
    if one.field is not None:
        evidence = _evidence_of_contest(system, of_side, one, lane)
    else:
        evidence = [
            (_evidence(system, formulas, of_side, m, lane, learnt), m.weight) for m in one.meetings
        ]

    def credit_member(p: Any, me: Any, shares: dict[int, float]) -> tuple[Any, dict[int, float]]:
        """The rating of a member after the round, and the points of the meetings they are in."""
        pieces = {}
        for k, share in shares.items():
            piece, weight = evidence[k]
            if piece is None:
                pieces[k] = system.evidence_zero
                continue
            if system.due is not None:
                piece = system.due(p, me, share, one.meetings[k].mine[lane], piece)
            pieces[k] = formulas.weigh(piece, weight)
        total = system.evidence_zero
        for piece in pieces.values():
            total = formulas.add(total, piece)
        after = system.absorb(p, me, total, *(() if system.league is None else (one.league,)))
        points = dict.fromkeys(pieces, 0.0)
        if system.credit is not None:
            points = {k: float(system.credit(p, me, after, each)) for k, each in pieces.items()}
        elif points:
            points[max(points)] = after.rating - me.rating
        return after, points

    after, points = credit_member(p, me, {k: m.share for k, m in enumerate(one.meetings)})
    if system.credit is None:
        points = dict.fromkeys(points, 0.0)
    places: dict[int, dict[int, MeetingMember]] = {}  # of the members beside: by meeting
    for k, meeting in enumerate(one.meetings):
        for member in meeting.beside:
            places.setdefault(member.player, {})[k] = member
    beside = {}
    for player, by_meeting in places.items():
        first = next(iter(by_meeting.values()))
        shares = {k: member.share for k, member in by_meeting.items()}
        beside[player] = credit_member(first.parameters[lane], first.ratings[lane], shares)[1]
    foreseen = [_forecast_meeting(system, formulas, of_side, m, lane, learnt) for m in one.meetings]
    return _Found(
        after,
        list(points.values()),
        [expected for expected, _, _ in foreseen],
        [at_least for _, at_least, _ in foreseen],
        [at_most for _, _, at_most in foreseen],
        [
            [beside[member.player][k] for member in meeting.beside]
            for k, meeting in enumerate(one.meetings)
        ],
    )


def _learnt(ratings: PlayedTable, one: Round) -> list[tuple[Any, Any]]:
    """The last argument of the functions as both sides saw the game, by setting; () for none."""
    lanes, bank = ratings.state.lanes, ratings.state.logs is not None
    mine, theirs = (
        common_kept(ratings.system, lanes, bank, one.kept, second)
        for second in (one.second, not one.second)
    )
    return [*zip(mine, theirs, strict=True)]


def _forecast_meeting(
    system: Dynamic, formulas: Formulas, p: Any, meeting: Meeting, lane: int, learnt: Any
) -> tuple[float, float, float]:
    """The expected score, and the chances of at least and of at most the result; nan: unknown."""
    mine, theirs, game = meeting.mine[lane], meeting.theirs[lane], meeting.game
    expected = float(system.expected(p, mine, theirs, game, *learnt[0]))
    if system.chances is None and system.at_least is None:
        return expected, nan, nan
    back = formulas.mirror(game)
    return (
        expected,
        _chance_at_least(system, p, mine, theirs, game, learnt[0]),
        _chance_at_least(system, p, theirs, mine, back, learnt[1]),
    )


def _chance_at_least(
    system: Dynamic, p: Any, mine: Any, theirs: Any, game: Any, learnt: tuple[Any, ...]
) -> float:
    """The chance of this result or a better one for the first side."""
    if system.at_least is not None:
        return float(system.at_least(p, mine, theirs, game, *learnt))
    assert system.chances is not None
    return system.chances(p, mine, theirs, game, *learnt).at_least(game.score)


def _evidence(
    system: Dynamic, formulas: Formulas, p: Any, meeting: Meeting, lane: int, learnt: Any
) -> Any:
    """What the loop computed of a meeting for the side; a derived one from the first side."""
    mine, theirs, game = meeting.mine[lane], meeting.theirs[lane], meeting.game
    if meeting.derived:
        back = formulas.mirror(game)
        return formulas.opposite(system.evidence(p, theirs, mine, back, *learnt[1]))
    return system.evidence(p, mine, theirs, game, *learnt[0])


def _evidence_of_contest(
    system: Dynamic, of_side: Any, one: Round, lane: int
) -> list[tuple[Any, float]]:
    """The evidence of a contest judged at once, with its weight: it stands with the last meeting.

    A member of two sides has it with the last meeting of each.
    """
    assert one.field is not None
    assert system.contest is not None
    sides = one.field.sides[lane]
    columns = type(sides[0])(*map(list, zip(*sides, strict=True)))
    zero = system.evidence_zero
    out = type(zero)(*([0.0] * len(sides) for _ in zero))
    system.contest(of_side, columns, list(one.field.place), out, *system.make_room(len(sides)))
    pieces: list[tuple[Any, float]] = [(None, 0.0)] * len(one.meetings)
    for k, meeting in enumerate(one.meetings):
        if k + 1 < len(one.meetings) and one.meetings[k + 1].at == meeting.at:
            continue
        whole = type(zero)(*(column[meeting.at] for column in out))
        pieces[k] = whole, meeting.weight / system.pair_weight(float(len(sides)))
    return pieces


def _time(ratings: PlayedTable, row: int, number: int) -> float | None:
    time = ratings.played_table.time
    if time is None:
        return None
    return float(time[number if not ratings.played_table.pairwise else row])
