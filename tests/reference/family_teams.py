"""The reference cases of sides: Elo, Glicko, Weng-Lin and TrueSkill for teams and fields."""

from __future__ import annotations

from typing import Any

from prowess.engine.system import Dynamic, Game
from prowess.systems import elo, glicko, trueskill, weng_lin
from tests.systems.team_fold import played, side_of


def places_of(score: float) -> list[float]:
    """The places of two sides."""
    return [1.0 + (score < 0.5), 1.0 + (score > 0.5)]


def numbers(sides: Any) -> list[Any]:
    """Ratings as lists of their numbers."""
    return [[list(me) for me in members] for members in sides]


def elo_teams(inputs: dict[str, Any]) -> dict[str, Any]:
    """Two sides by Elo."""
    assert inputs["size_bonus"] == 0
    p, first = elo.Params(k=inputs["K"]), Game()
    sides = [[(elo.Rating(r), 1.0) for r in members] for members in inputs["teams"]]
    chance = elo.expected_score(
        p, side_of(elo.ELO, p, sides[0]), side_of(elo.ELO, p, sides[1]), first
    )
    after = played(elo.ELO, p, sides, places_of(inputs["score"]), Game(inputs["score"]))
    return {"expected": chance, "ratings": [[me.rating for me in members] for members in after]}


def elo_many(inputs: dict[str, Any]) -> dict[str, Any]:
    """A field of single players by Elo."""
    p = elo.Params(k=inputs["K"])
    sides = [[(elo.Rating(r), 1.0)] for r in inputs["ratings"]]
    after = played(elo.ELO, p, sides, inputs["ranks"])
    return {"ratings": [members[0].rating for members in after]}


def glicko_teams(inputs: dict[str, Any]) -> dict[str, Any]:
    """Two sides by Glicko."""
    p = glicko.Params()
    sides = [[(glicko.Rating(*me), 1.0) for me in members] for members in inputs["teams"]]
    return {"ratings": numbers(played(glicko.GLICKO, p, sides, places_of(inputs["score"])))}


def of_weng_lin(system: Dynamic) -> Any:
    """The answer by one of the three models."""

    def answer(inputs: dict[str, Any]) -> dict[str, Any]:
        assert (inputs["gamma"], inputs["limit_sigma"]) == ("sigma/c", False)
        known = {
            name: inputs[name] for name in ("beta", "kappa", "tau", "epsilon") if name in inputs
        }
        p = system.params._replace(**known)
        sides = [[(weng_lin.Rating(*me), 1.0) for me in members] for members in inputs["teams"]]
        return {"ratings": numbers(played(system, p, sides, inputs["ranks"]))}

    return answer


def trueskill_rate(inputs: dict[str, Any]) -> dict[str, Any]:
    """A contest of sides by TrueSkill, with shares where they are given."""
    names = ("beta", "tau", "draw_probability")
    p = trueskill.Params(**{name: inputs[name] for name in names})
    shares = inputs["weights"] or [[1.0] * len(members) for members in inputs["teams"]]
    sides = [
        [(trueskill.Rating(*me), float(share)) for me, share in zip(members, mine, strict=True)]
        for members, mine in zip(inputs["teams"], shares, strict=True)
    ]
    after = numbers(played(trueskill.TRUESKILL, p, sides, inputs["ranks"]))
    if len(sides) > 2:
        in_order = along_the_chain(p, sides, inputs["ranks"])
        if len(set(inputs["ranks"])) < len(sides):  # the peer keeps tied sides as they were given
            return {"ratings": in_order}
        assert after == in_order
    return {"ratings": after}


def along_the_chain(p: trueskill.Params, contest: Any, ranks: list[float]) -> list[Any]:
    """A contest whose tied sides stand in the chain in the order in which they are given."""
    sides: list[Any] = [side_of(trueskill.TRUESKILL, p, members) for members in contest]
    order = sorted(range(len(sides)), key=ranks.__getitem__)
    columns: Any = [list(column) for column in zip(*sides, strict=True)]
    empty: Any = ([0.0] * len(sides), [0.0] * len(sides))
    held: Any = trueskill.Side(*columns)
    out: Any = trueskill.Evidence(*empty)
    (room,) = trueskill.TRUESKILL.make_room(len(sides))
    room.order[:] = map(float, order)
    trueskill.run_chain(p, held, ranks, room, out)
    ones = list(map(trueskill.Evidence, *out))
    return numbers(
        [trueskill.absorb(p, me, trueskill.due(p, me, share, mine, one)) for me, share in members]
        for members, mine, one in zip(contest, sides, ones, strict=True)
    )


def trueskill_outcome(inputs: dict[str, Any]) -> dict[str, Any]:
    """The chances of two sides."""
    p = trueskill.Params(beta=inputs["beta"], draw_probability=inputs["draw_probability"])
    mine, theirs = (
        side_of(trueskill.TRUESKILL, p, [(trueskill.Rating(*me), 1.0) for me in members])
        for members in inputs["teams"]
    )
    win, draw = trueskill.chances(p, mine, theirs, Game())
    assert draw is not None
    return {"win": win, "draw": draw, "lose": 1.0 - win - draw}


FAMILIES = {
    "elo.teams": elo_teams,
    "elo.many": elo_many,
    "glicko.teams": glicko_teams,
    "wenglin.bt_full_teams": of_weng_lin(weng_lin.WENG_LIN),
    "wenglin.tm_full_teams": of_weng_lin(weng_lin.WENG_LIN_TM),
    "wenglin.pl_teams": of_weng_lin(weng_lin.WENG_LIN_PL),
    "trueskill.rate_two": trueskill_rate,
    "trueskill.rate_many": trueskill_rate,
    "trueskill.partial_play": trueskill_rate,
    "trueskill.outcome": trueskill_outcome,
}
