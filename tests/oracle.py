"""The slow, obvious way to rate: a fold of a system's functions over rounds, with dicts.

The engine is held against this. Nothing here is fast and nothing here is shared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prowess.engine.system import Dynamic, Game


def mirrored(game: Game) -> Game:
    """The same game seen from the other side."""
    return Game(1.0 - game.score, -game.side, -game.margin, game.length, game.theirs, game.mine)


def facts_of(system: Dynamic, game: Game) -> Any:
    """The game as the functions of a system see it: what they do not ask for is left out."""
    if isinstance(system.game, Game):
        return game
    known = system.game._asdict()
    return type(system.game)(*(getattr(game, name, value) for name, value in known.items()))


def learnt(system: Dynamic, p: Any, game: Game) -> tuple[Any, ...]:
    """The last argument of a system that learns numbers of all games: those before the first."""
    common = system.common
    if common is None:
        return ()
    rows = common.start(p)
    places = common.named(p, facts_of(system, game))
    return (type(common.shape)(*(common.row if at < 0 else rows[at] for at in places)),)


def evidence_of(system: Dynamic, p: Any, mine: Any, theirs: Any, game: Game) -> Any:
    """What a game between two sides says about the first."""
    common = learnt(system, p, game)
    return system.evidence(p, mine, theirs, facts_of(system, game), *common)


def expected_of(system: Dynamic, p: Any, mine: Any, theirs: Any, game: Game) -> float:
    """The expected score of the first of two sides."""
    common = learnt(system, p, game)
    return float(system.expected(p, mine, theirs, facts_of(system, game), *common))


def added(one: Any, other: Any, weight: float = 1.0) -> Any:
    """The sum of two pieces of evidence, the second counted `weight` times."""
    return type(one)(*(x + weight * y for x, y in zip(one, other, strict=True)))


def newcomer(system: Dynamic, p: Any) -> Any:
    """A player nobody has seen yet."""
    if system.newcomer is not None:
        return system.newcomer(p, *learnt(system, p, Game()))
    given = {
        "rating" if name == "start" else name.removeprefix("start_"): value
        for name, value in p._asdict().items()
        if name.startswith("start")
    }
    return system.rating._replace(**given)


def alone(system: Dynamic, me: Any, p: Any = None) -> Any:
    """The side of one player, who takes part in all of the game."""
    if system.part is None:
        return me
    return system.part(system.params if p is None else p, me, 1.0)


def judged(system: Dynamic, p: Any, sides: Sequence[Any], places: Sequence[float]) -> list[Any]:
    """What a whole contest says about each of its sides."""
    zero = system.evidence_zero
    held = type(sides[0])(*map(list, zip(*sides, strict=True)))
    out = type(zero)(*([0.0] * len(sides) for _ in zero))
    system.contest(p, held, list(places), out, *system.make_room(len(sides)))
    return [type(zero)(*row) for row in zip(*out, strict=True)]


def said(system: Dynamic, me: Any, opponent: Any, game: Game, p: Any = None) -> Any:
    """What a game between two players says about the first."""
    p = system.params if p is None else p
    mine = alone(system, me, p)
    theirs = alone(system, opponent, p)
    if vars(system)["evidence"] is not None:
        one = evidence_of(system, p, mine, theirs, game)
    else:  # the contest of both
        one = judged(system, p, (mine, theirs), (-game.score, game.score - 1.0))[0]
    return one if system.due is None else system.due(p, me, 1.0, mine, one)


def foreseen(system: Dynamic, me: Any, opponent: Any, game: Game, p: Any = None) -> float:
    """The expected score of the first of two players."""
    p = system.params if p is None else p
    mine, theirs = (alone(system, one, p) for one in (me, opponent))
    return expected_of(system, p, mine, theirs, game)


def absorbed(
    system: Dynamic,
    me: Any,
    opponents: Sequence[tuple[Any, float | Game]],
    p: Any = None,
    league: Any = None,
) -> Any:
    """`me` after one round against [(opponent, score or Game), ...]."""
    p = system.params if p is None else p
    total = system.evidence_zero
    for opponent, result in opponents:
        game = result if isinstance(result, Game) else Game(score=result)
        total = added(total, said(system, me, opponent, game, p))
    return system.absorb(p, me, total, *(() if system.league is None else (league,)))


def played(
    system: Dynamic, a: Any, b: Any, game: Game, p: Any = None, league: Any = None
) -> tuple[Any, Any]:
    """Both players after one game."""
    return (
        absorbed(system, a, [(b, game)], p, league),
        absorbed(system, b, [(a, mirrored(game))], p, league),
    )
