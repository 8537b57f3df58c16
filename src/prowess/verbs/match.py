"""One match for a bot or an app, without a table: `system("glicko2").update(ratings, result)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from prowess.games.arguments import BadArgument, check_mapping, check_number, is_number, refuse
from prowess.verbs.tables import take_system

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic
    from prowess.games.games import Games

RESULTS = {
    "1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "½-½": 0.5, "draw": 0.5, "win": 1.0, "loss": 0.0,
    "won": 1.0, "lost": 0.0, "drawn": 0.5, "tie": 0.5,
}  # fmt: skip
RESULT = 'a score of the first player from 0 to 1, a word such as "1-0" or "draw", or places [1, 2]'


@dataclass(frozen=True)
class MatchRating:
    """A player after a match: the values of the system, also as attributes, and what moved them."""

    player: str
    values: Mapping[str, float]
    change: float
    expected: float  # score, in a contest of many the mean against the others

    def __getattr__(self, name: str) -> float:
        values = self.__dict__.get("values", {})
        if name in values:
            return float(values[name])
        raise AttributeError(f"no {name!r} here; there is {', '.join(values)}")


@dataclass(frozen=True)
class MatchSystem:
    """A dynamic system with its parameters, for matches one at a time."""

    system: Dynamic
    params: Mapping[str, Any] = field(default_factory=dict)

    def update(
        self, ratings: Mapping[str, Any], result: Any, *, side: float = 0.0
    ) -> dict[str, MatchRating]:
        """The players of a match after it, as rating a table of this match alone gives them.

        `ratings` are the players in order: a number, a mapping of the system's values
        ({"rating": 1600, "deviation": 80}), what an earlier update returned, or ... for a new
        player. `result` is the score of the first player (0 to 1), a word (`1-0`, `draw`, `win`),
        or the places of all in their order (`[1, 2, 2]`). `side` is +1 where the first has White or
        plays at home. No time passes. Raises BadArgument, and Unratable as `rate` does.

        >>> import prowess
        >>> after = prowess.system("elo", k=20).update({"Ann": 1500, "Bob": ...}, "1-0")
        >>> after["Ann"].rating, after["Bob"].change, after["Ann"].expected
        (1510.0, -10.0, 0.5)
        """
        from prowess.engine.rate import rate

        names = list(check_mapping("ratings", ratings, '{"Ann": 1500, "Bob": ...}'))
        if len(names) < 2:
            raise refuse("name at least two players", ratings, code="too_few_players")
        table = one_match(names, result, side)
        start = {name: given for name in names if (given := self.read_values(name, ratings[name]))}
        period = None
        if self.system.rounds == "period" and table.pairwise:
            period = "round"
        before = rate(table, self.system, params=self.params, start=start, period=period,
                      compiled=False, forecasts=True, follow=True)  # fmt: skip
        found = before.history()
        expected = dict(zip(found["player"], found["expected"].tolist(), strict=True))
        change = dict(zip(found["player"], found["change"].tolist(), strict=True))
        return {
            name: MatchRating(name, before[name].values._asdict(), change[name], expected[name])
            for name in names
        }

    def read_values(self, name: str, given: Any) -> dict[str, float]:
        """The values with which a player begins; none for a new player."""
        if given is None or given is ...:
            return {}
        if isinstance(given, MatchRating):
            given = given.values
        if is_number(given):
            given = {"rating": given}
        if not isinstance(given, Mapping):
            remedy = f'give {name!r} a number, a dict such as {{"rating": 1500}}, or ... if new'
            raise refuse(remedy, given, code="not_values")
        return {part: check_number(f"{part} of {name!r}", value) for part, value in given.items()}


def one_match(names: Sequence[str], result: Any, side: Any) -> Games:
    """A table of one match; raises BadArgument."""
    import numpy as np

    from prowess.engine.ratings import check_side
    from prowess.games import Games

    who = np.arange(len(names), dtype=np.uint32)
    if isinstance(result, list | tuple) and len(result) == len(names):
        places = [check_number("a place", one) for one in result]
        if len(names) > 2:
            start = np.array([0, len(names)])
            return Games(list(names), player=who, place=np.array(places), start=start)
        result = float(np.sign(places[1] - places[0]) + 1.0) / 2.0
    if len(names) > 2:
        raise refuse(
            f"give result as the places of all {len(names)} players, 1 the best",
            result,
            code="not_places",
        )
    score: Any = RESULTS.get(result.strip().lower()) if isinstance(result, str) else result
    if not is_number(score) or not 0.0 <= score <= 1.0:
        raise refuse(f"give result as {RESULT}", result, code="not_a_result")
    number = np.array([check_side(side)])
    return Games(
        list(names), who[:1].copy(), who[1:].copy(), np.array([float(score)]),
        round=np.zeros(1, dtype=np.int32), side=number if number[0] else None,
    )  # fmt: skip


def system(name: Any = "glicko2", **params: Any) -> MatchSystem:
    """A dynamic system by name (or as a value) with its parameters, for one match at a time.

    Raises BadArgument for a system that learns from a whole table, UnknownSystem, BadSetting.

    >>> import prowess
    >>> round(prowess.system("glicko2").update({"Ann": ..., "Bob": ...}, 1)["Ann"].rating, 1)
    1662.3
    """
    from prowess.engine.params import Bank, settings
    from prowess.engine.system import Dynamic

    chosen = take_system(name)
    if not isinstance(chosen, Dynamic) or chosen.prepare is not None:
        raise BadArgument(
            f"take a system such as glicko2: {chosen.name} learns from a table",
            code="learns_from_a_table",
        )
    if isinstance(settings(chosen, params), Bank):
        raise BadArgument(
            "give every parameter one value: a bank learns from a table", code="no_bank"
        )
    return MatchSystem(chosen, params)
