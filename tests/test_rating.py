"""The public names with arguments of the wrong kind: one clear error, never one from inside."""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.periods import BadPeriod
from prowess.engine.system import BadSystem
from prowess.games.arguments import BadArgument
from tests.refusals import refused

TABLE = {
    "a": ["Ada", "Ben", "Cleo", "Ada"],
    "b": ["Ben", "Cleo", "Ada", "Cleo"],
    "result": ["1-0", "1/2-1/2", "1-0", "0-1"],
    "date": ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"],
}
GAMES = prowess.read_games(TABLE)
ELO = prowess.rate(GAMES, "elo")
STRENGTHS: Any = prowess.rate(GAMES, "map")
LINES = ["Ada > Ben", "Ben > Ada"]

WRONG: list[Any] = [
    5, -1, 0, 1.5, float("nan"), float("inf"), 10**400, None, True, "x", "", b"x", 1 + 2j,
    object(), (), [], {}, set(), [1], ("Ada",), [("Ada", "Ben", 1)], {"a": 1}, {1: 2}, {"Ada": 5},
    {"a": {"rating": "x"}}, {"Ada": {"rating": "x"}}, {"Ada": {1: 2}}, iter([]), int, len,
    np.array([1, 2]), np.zeros((2, 2)), np.array(["a"], dtype=object), np.float64(3.0),
    np.int64(2), dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, tzinfo=dt.UTC), prowess, GAMES, ELO,
]  # fmt: skip


def with_option(function: Callable[..., Any], *given: Any, name: str) -> Callable[[Any], Any]:
    """The call with one option."""
    return lambda wrong: function(*given, **{name: wrong})


RATING = ("period", "as_of", "initial", "rules", "forecasts", "anchors", "level", "reference",
          "compiled", "progress")  # fmt: skip
READING = [name for name in inspect.signature(prowess.read_games).parameters if name != "source"]
BALLOTS = [name for name in inspect.signature(prowess.read_ballots).parameters if name != "source"]
CALLS: dict[str, Callable[[Any], Any]] = {
    "rate(x)": prowess.rate,
    "rate(games, x)": lambda wrong: prowess.rate(GAMES, wrong),
    "rate(games, k=x)": lambda wrong: prowess.rate(GAMES, "elo", k=wrong),
    "rate(games, draws=x)": lambda wrong: prowess.rate(GAMES, "map", draws=wrong),
    **{f"rate(games, {n}=x)": with_option(prowess.rate, GAMES, "elo", name=n) for n in RATING},
    **{f"rate(games, map, {n}=x)": with_option(prowess.rate, GAMES, "map", name=n) for n in RATING},
    "rate_on(x, games)": lambda wrong: prowess.rate_on(wrong, GAMES),
    "rate_on(ratings, x)": lambda wrong: prowess.rate_on(ELO, wrong),
    "Redistribution(after=x)": lambda wrong: ruled(prowess.Redistribution(after=wrong)),
    "Redistribution(every=x)": lambda wrong: ruled(prowess.Redistribution("7d", wrong)),
    "Redistribution(departures=x)": lambda wrong: ruled(prowess.Redistribution(departures=wrong)),
    "departure of x": lambda wrong: ruled(prowess.Redistribution(departures=((wrong, 1.0),))),
    "departure on x": lambda wrong: ruled(prowess.Redistribution(departures=(("Ada", wrong),))),
    "NewcomersMean(x)": lambda wrong: ruled(prowess.NewcomersMean(wrong)),
    "NewcomersMean(1, x)": lambda wrong: ruled(prowess.NewcomersMean(1.0, wrong)),
    "read_games(x)": prowess.read_games,
    **{f"read_games({n}=x)": with_option(prowess.read_games, TABLE, name=n) for n in READING},
    **{
        f"read_games, column {name}": lambda wrong, name=name: prowess.read_games(
            {**TABLE, name: wrong}
        )
        for name in TABLE
    },
    **{
        f"read_games, cells of {name}": lambda wrong, name=name: prowess.read_games(
            {**TABLE, name: [wrong] * 4}
        )
        for name in ("a", "result", "date")
    },
    "read_ballots(x)": prowess.read_ballots,
    "read_ballots([x])": lambda wrong: prowess.read_ballots([wrong]),
    **{f"read_ballots({n}=x)": with_option(prowess.read_ballots, LINES, name=n) for n in BALLOTS},
    "superiority(x)": STRENGTHS.superiority,
    "bootstrap(x)": STRENGTHS.bootstrap,
    "bootstrap(5, x)": lambda wrong: STRENGTHS.bootstrap(5, wrong),
    **{
        f"{ratings.system.name}: {text}": lambda wrong, ratings=ratings, asked=asked: asked(
            ratings, wrong
        )
        for ratings in (ELO, STRENGTHS)
        for text, asked in {
            "leaderboard(x)": lambda ratings, wrong: ratings.leaderboard(wrong),
            "leaderboard(min_games=x)": lambda ratings, wrong: ratings.leaderboard(min_games=wrong),
            "leaderboard(since=x)": lambda ratings, wrong: ratings.leaderboard(since=wrong),
            "[x]": lambda ratings, wrong: ratings[wrong],
            "index(x)": lambda ratings, wrong: ratings.index(wrong),
            "column(x)": lambda ratings, wrong: ratings.column(wrong),
            "history(x)": lambda ratings, wrong: ratings.history(wrong),
            "forecast(x, Ada)": lambda ratings, wrong: ratings.forecast(wrong, "Ada"),
            "forecast(Ada, x)": lambda ratings, wrong: ratings.forecast("Ada", wrong),
            "forecast(Ada, Ben, x)": lambda ratings, wrong: ratings.forecast("Ada", "Ben", wrong),
            "to_json(x)": lambda ratings, wrong: ratings.to_json(wrong),
        }.items()
    },
}


def ruled(rule: Any) -> Any:
    """The table rated under a rule against inflation."""
    return prowess.rate(GAMES, "elo", rules=[rule])


def test_only_public_names_are_listed():
    """What an editor offers after `prowess.` is what there is to use, and every name is there."""
    names = [name for name in dir(prowess) if not name.startswith("__")]
    assert names == sorted(prowess.__all__)
    assert all(hasattr(prowess, name) for name in names)
    assert "__version__" in dir(prowess)


@pytest.mark.filterwarnings("ignore::prowess.games.errors.DataWarning")
@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_argument_is_refused_in_one_line(call, monkeypatch, tmp_path):
    """Whatever is given: an answer, or an error of ours of at most two short lines."""
    monkeypatch.chdir(tmp_path)
    for wrong in WRONG:
        error = raised(CALLS[call], wrong)
        if error is not None:
            assert isinstance(error, ValueError | TypeError | KeyError), (wrong, error)
            assert type(error).__module__.startswith("prowess."), (wrong, type(error), error)
            assert len(str(error)) <= 700, wrong
            assert "\n" not in str(error), wrong


def as_any(value: Any) -> Any:
    """A value of which the types are not checked."""
    return value


def raised(call: Callable[[Any], Any], wrong: Any) -> Exception | None:
    """What a call raises."""
    try:
        call(wrong)
    except Exception as error:
        return error
    return None


SAID = [
    (lambda: prowess.rate(5), (BadArgument, "not_a_table")),
    (lambda: prowess.rate(GAMES, 5), (BadSystem, "not_a_system", "FILE.py", "NAME")),
    (lambda: prowess.rate(GAMES, []), (BadSystem, "not_a_system")),
    (
        lambda: prowess.rate(GAMES, as_of="yesterday"),
        (BadArgument, "not_a_day", "as_of", "yesterday"),
    ),
    (lambda: prowess.rate(GAMES, as_of=b"x"), (BadArgument, "not_a_number", "2024-06-30", "as_of")),
    (
        lambda: prowess.rate(GAMES, period=7),
        (BadPeriod, "not_a_period"),
    ),
    (
        lambda: prowess.rate(GAMES, initial=as_any({"Ada": 5})),
        (BadArgument, "not_a_dict", "Ada"),
    ),
    (lambda: ELO.forecast(1, 2), (UnknownPlayer, "name_not_a_text")),
    (lambda: ELO.forecast("Ada", "Ben", float("nan")), (BadArgument, "not_a_number", "nan")),
    (lambda: ELO.forecast("Ada", "Ben", 5), (BadArgument, "not_a_side")),
    (lambda: ELO.forecast("Ada", "Ada"), (BadArgument, "player_twice")),
    (lambda: ELO.forecast(["Ada"], "Ada"), (BadArgument, "player_twice")),
    (lambda: ELO.forecast(["Ada", "Ada"], ["Ada", "Ada"]), (BadArgument, "player_twice")),
    (lambda: ELO.forecast(["Ada", "Ben"], ["Ada", "Ben"]), (BadArgument, "player_twice")),
    (lambda: ELO.leaderboard("x"), (BadArgument, "not_a_count", "x")),
    (lambda: ELO.leaderboard(since="2024"), (BadArgument, "not_a_day", "2024", "1970")),
    (lambda: ELO["nobody"], (UnknownPlayer, "unknown_player", "nobody")),
    (lambda: ELO.column("deviation"), (BadArgument, "unknown_column", "deviation")),
    (lambda: prowess.rate_on(GAMES, GAMES), (BadArgument, "not_ratings", "prowess")),
    (lambda: prowess.read_ballots(5), (BadArgument, "not_ballots")),
    (lambda: prowess.read_games(TABLE, side=5), (BadArgument, "not_a_text")),
]


@pytest.mark.parametrize(("call", "said"), SAID)
def test_the_remedy_comes_first(call, said):
    """What to give instead, then what was given."""
    with refused(said[0], said[1], about=said[2:]):
        call()


def test_an_error_of_a_wrong_argument_is_both_kinds():
    """Whoever expects a ValueError or a TypeError of a wrong argument catches it."""
    with pytest.raises(BadArgument) as caught:
        ELO.leaderboard(-1)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)


def test_a_number_that_is_a_name_is_told_as_text():
    """A table whose players are numbers holds their names as texts, and says so."""
    ratings: Any = prowess.rate({"a": [1, 2], "b": [2, 1], "result": [1, 0]})
    with refused(UnknownPlayer, "name_not_a_text", about="1"):
        ratings[1]


def test_dates_may_be_of_any_kind():
    """A date as text, of the standard library or of NumPy, or days since 1970: the same day."""
    days = ["2024-01-02", dt.date(2024, 1, 2), np.datetime64("2024-01-02")]
    boards = [prowess.rate(GAMES, "elo", as_of=day).to_csv() for day in days]
    assert boards == [prowess.rate(GAMES, "elo", as_of=19_724.5).to_csv()] * 3


OWN = """
from typing import Annotated, NamedTuple
from prowess.engine.system import Dynamic, Range

class Params(NamedTuple):
    NAME: Annotated[float, Range(0, 100, "points")] = 1.0

class Rating(NamedTuple):
    rating: float = 0.0

class Evidence(NamedTuple):
    change: float = 0.0

def expected(p, me, opponent, game):
    return 0.5

def evidence(p, me, opponent, game):
    return Evidence(p.NAME * (game.score - 0.5))

def absorb(p, me, total):
    return Rating(me.rating + total.change)

OWN = Dynamic(
    name="own", params=Params(), rating=Rating(), evidence_zero=Evidence(), expected=expected,
    evidence=evidence, absorb=absorb,
)
"""


def test_settings_called_as_options_of_the_reader(tmp_path):
    """Of games that are read, what the system knows is a parameter, also of a user's own system."""
    games = prowess.read_games([("Ann", "Bob", 1), ("Bob", "Cid", 0.5), ("Cid", "Ann", 0)])
    found = prowess.rate(games, "points", win=1, draw=0.5)
    assert [found[name].points for name in ("Ann", "Bob", "Cid")] == [2.0, 0.5, 0.5]  # by hand
    for name in ("margin", "length", "round", "weight", "share", "side", "place"):
        own = tmp_path / f"own_{name}.py"
        own.write_text(OWN.replace("NAME", name), "utf-8")
        rated = prowess.rate(games, f"{own}:OWN", **{name: 10.0})
        assert rated["Ann"].rating == 10.0  # two wins, half of the setting each
    with refused(prowess.errors.BadArgument, "option_and_parameter", about="draw"):
        prowess.rate([("Ann", "Bob", 1)], "points", draw=0.5)


@pytest.mark.parametrize("name", ["draw", "margin", "level", "memory", "system", "games"])
def test_params_are_of_the_system_whatever_they_are_called(name, tmp_path):
    """What stands in `params` goes to the system, also by the name of a column or an argument."""
    own = tmp_path / f"own_{name}.py"
    own.write_text(OWN.replace("NAME", name), "utf-8")
    rows = [
        {"league": "x", "a": "Ann", "b": "Bob", "score": 1},
        {"league": "x", "a": "Bob", "b": "Ann", "score": 0},
    ]
    given = {name: 10.0}
    # two wins, half of the setting each, by hand
    assert prowess.rate(rows, f"{own}:OWN", params=given)["Ann"].rating == 10.0
    leagues = prowess.rate_leagues(rows, f"{own}:OWN", by="league", params=given)
    assert leagues["x"]["Ann"].rating == 10.0
    board = prowess.table(rows, f"{own}:OWN:{name}=10")
    assert list(board[f"{own}:OWN:{name}=10"]) == [10.0, -10.0]


@pytest.mark.parametrize("name", ["seed", "level", "margin"])
def test_judges_take_params_whatever_they_are_called(name, tmp_path):
    """backtest, tune and diagnose hand `params` to the system alone."""
    own = tmp_path / f"own_{name}.py"
    own.write_text(OWN.replace("NAME", name), "utf-8")
    table = prowess.simulate(players=6, games=200, seed=2)
    test = prowess.backtest(table, f"{own}:OWN", params={name: 3.0})
    assert test.params[name] == 3.0
    found = prowess.diagnose(table, f"{own}:OWN", params={name: 3.0})
    assert found.params[name] == 3.0
    with refused(prowess.errors.BadArgument, "range_as_setting", about="1.0"):
        prowess.tune(table, f"{own}:OWN", params={name: (1.0, 2.0)})


def test_beside_params_a_keyword_is_a_column():
    """Where `params` has the parameters, a keyword that the reader knows too names a column."""
    drawn = {"p": ["Ann", "Ann"], "q": ["Bob", "Bob"], "won": ["Ann", None], "level": [0, 1]}
    found = prowess.rate(
        drawn, "points", player_a="p", player_b="q", winner="won", draw="level",
        params={"win": 1, "draw": 0.25},
    )  # fmt: skip
    assert [found[name].points for name in ("Ann", "Bob")] == [1.25, 0.25]  # a win and a draw


class OwnSource:
    """Results that are read when they are asked for."""

    asked: dict[str, str] | None = None

    def read_games(self, **options):
        """The results, read with options of the reader."""
        self.asked = options
        return prowess.read_games({"p": ["Ann"], "q": ["Bob"], "won": ["Ann"]}, **options)


def test_a_source_is_read_once_the_arguments_are_checked():
    """A source gets the columns; a wrong setting is refused before it is read."""
    columns, source = {"player_a": "p", "player_b": "q", "winner": "won"}, OwnSource()
    with refused(prowess.errors.BadSetting, "unknown_setting", about="kk"):
        prowess.diagnose(source, "elo", params={"kk": 1}, **columns)
    assert source.asked is None
    assert prowess.table(source, "elo", **columns)["player"] == ["Ann", "Bob"]
    assert source.asked == columns


def test_params_of_unread_games():
    """A parameter that is called as a column needs no reading first; given twice it is refused."""
    found = prowess.rate([("Ann", "Bob", 0.5)], "points", params={"win": 1, "draw": 0.5})
    assert [found[name].points for name in ("Ann", "Bob")] == [0.5, 0.5]  # half a point a draw
    with refused(prowess.errors.BadArgument, "setting_twice", about="k"):
        prowess.rate([("Ann", "Bob", 1)], "elo", k=20, params={"k": 30})
    with refused(prowess.errors.BadArgument, "not_a_dict"):
        prowess.rate([("Ann", "Bob", 1)], "elo", params=30)
