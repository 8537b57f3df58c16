"""The functions at the top: what they take, what they return, and what they refuse."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from inspect import Parameter, getdoc, isclass, isfunction, signature
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import prowess
from prowess import errors
from prowess.cli.commands import VERB_GROUPS
from tests.refusals import has_remedy, refused

ROWS = [("Ann", "Bob", 1), ("Bob", "Cleo", 0.5), ("Cleo", "Ann", 0), ("Ann", "Bob", 0.5)]
NAN = float("nan")
KINDS = [None, 3, 2.5, b"ab", object(), {1, 2}, [], {}, [1, 2], NAN, int, True, (None,)]
VERBS = [
    name
    for name in prowess.__all__
    if name[0].islower() and name not in ("errors", "plot", "systems", "simulate")
]


def after_of(found):
    return {player: values.rating for player, values in found.items()}


ODD_TABLES = [
    pd.DataFrame(),
    pd.DataFrame({"x": [1, 2]}),
    pd.DataFrame({"a": [NAN, "B"], "b": ["A", NAN], "score": [1, NAN]}),
    pd.DataFrame({"a": ["A", 3], "b": [None, "A"], "score": ["x", b"1"]}),
    pl.DataFrame(),
    pa.table({"a": [1]}),
    pd.Series([1, 2]),
    {"a": ["A"], "b": ["B", "C"], "score": [1]},
    [("A", "B", NAN)],
    [("A",), ("A", "B")],
]
ODD_VALUES = [object(), NAN, -1, "", np.zeros((2, 2)), pd.DataFrame(), {}]
KNOWN = tuple(getattr(errors, name) for name in errors.__all__)


def try_call(function, *arguments, **keywords):
    """A call that succeeds, or ends in an error of the library or of the call itself."""
    try:
        function(*arguments, **keywords)
    except KNOWN:
        return
    except TypeError as error:  # of the call itself: an argument too few or too many
        if "argument" not in str(error):
            raise


@pytest.mark.parametrize("verb", VERBS)
def test_wrong_kinds_are_refused_with_a_remedy(verb, monkeypatch, tmp_path):
    """Whatever kind the arguments have, a verb ends in an error of the library, or succeeds."""
    monkeypatch.chdir(tmp_path)
    function = getattr(prowess, verb)
    for one in (*KINDS, *ODD_TABLES):
        for arguments in ((one,), (one, one), (ROWS, one), (one, "elo")):
            try_call(function, *arguments)


@pytest.mark.parametrize("verb", VERBS)
def test_wrong_options_are_refused_with_a_remedy(verb, monkeypatch, tmp_path):
    """Whatever an option is, a verb ends in an error of the library, or succeeds."""
    monkeypatch.chdir(tmp_path)
    function = getattr(prowess, verb)
    usual = {
        "forecast": (ROWS, [("Ann", "Bob")]), "assess": (ROWS, "Ann", "Bob"), "save": (),
        "rate_on": (prowess.rate(ROWS, "elo"), ROWS), "system": ("elo",), "site": (ROWS, "pages"),
        "swiss": (ROWS, 2), "table": (ROWS, "elo"),
    }.get(verb, (ROWS,))  # fmt: skip
    for name, option in signature(function).parameters.items():
        if option.kind is Parameter.KEYWORD_ONLY and name not in ("progress", "system"):
            for value in ODD_VALUES:
                try_call(function, *usual, **{name: value})


@pytest.mark.parametrize("name", prowess.plot.__all__)
def test_wrong_figures_are_refused_with_a_remedy(name):
    """Whatever is to be drawn, a figure is drawn or refused by an error of the library."""
    for one in (*KINDS, *ODD_TABLES, prowess.plot):
        for arguments in ((one,), (ROWS, one)):
            try_call(getattr(prowess.plot, name), *arguments)


def test_methods_of_results_refuse_wrong_kinds():
    """Whatever a method of a result is given, it returns, or raises an error of the library."""
    table = prowess.simulate(players=6, games=120, seed=2)
    ratings = prowess.rate(table, "elo")
    stacked = prowess.stack(table, ["elo", "glicko"], progress=False)
    season = prowess.season(ratings, best=3, runs=10)
    methods = (
        table.select, table.first, table.before, ratings.value, ratings.histories, ratings.column,
        ratings.index, season.top, season.place_cells, season.cells, season.chance,
        ratings.leaderboard().cells, ratings.leaderboard().format_html, stacked.forecast,
        prowess.diagnose(table, "elo").__getitem__, prowess.pairings(ratings).__getitem__,
    )  # fmt: skip
    for method in methods:
        for one in (*KINDS, *ODD_VALUES, [[1], [1, 2]], slice("a"), slice(0, 9, 0), [10**9]):
            try_call(method, one)
    assert len(table.select([0, -1])) == len(table.select(np.arange(120) < 2)) == 2
    assert len(table.select([])) == 0


def test_a_backtest_of_games_counts_those_put_in_order():
    """A game is in order where its likelier winner won; an even forecast is half, a draw none."""
    test = prowess.backtest([("A", "B", 1), ("A", "B", 0), ("A", "B", 1), ("A", "B", 0.5)], "elo")
    assert test.ordered[[0, 1, 3]].tolist()[:2] == [0.5, 0.0]
    assert np.isnan(test.ordered[3])


def test_public_names_alone_are_listed():
    """`dir` has the public names and nothing else, and each of them loads."""
    assert set(dir(prowess)) == {*prowess.__all__, "__version__"}
    assert all(getattr(prowess, name) is not None for name in prowess.__all__)


OF_THE_SHELL = {  # verbs that are no question about results, or stand elsewhere in Python
    "serve", "import", "add-players", "check", "token", "backup", "restore",
    "upgrade",  # a server, and its store
    "demo", "doctor", "completion", "try",  # the installation; a page of its own
    "theory",  # prowess.theory
}  # fmt: skip
NAMED_OTHERWISE = {
    "sprt": {"sprt", "plan_sprt"},
    "tournament": {"season", "bracket", "swiss"}, "teams": {"balance"}, "next": {"next_games"},
}  # fmt: skip


def test_every_verb_is_a_function():
    """Every verb of the command line is a public function, but those of the shell alone."""
    verbs = {verb for group in VERB_GROUPS.values() for verb in group} - OF_THE_SHELL
    wanted = {name for verb in verbs for name in NAMED_OTHERWISE.get(verb, {verb})}
    assert wanted <= {*dir(prowess)}


def test_a_table_without_time_is_cross_validated():
    """`folds` and `by_column` forecast rows from other rows, by the same folds as the shell."""
    league = prowess.simulate(players=6, games=120, seed=3)
    rows = {
        "a": [league.players[k] for k in league.a], "b": [league.players[k] for k in league.b],
        "score": league.score, "voter": [f"v{k % 4}" for k in range(120)],
    }  # fmt: skip
    found = prowess.compare(rows, ["elo"], folds=5, progress=False)
    assert found.count == 120
    assert "5 folds" in " ".join(found.notes)
    by_voter = prowess.compare(rows, ["elo"], by_column="voter", progress=False)
    assert "4 folds, one for each voter" in " ".join(by_voter.notes)
    with refused(errors.BadArgument, "warm_up_with_folds", about="warm_up"):
        prowess.compare(rows, ["elo"], folds=5, warm_up=0.5)


def test_a_folder_of_pages_is_ours_alone(tmp_path):
    """A site is written into a new folder, again into it, and not beside what is another's."""
    first = prowess.site(ROWS, tmp_path / "pages", system="elo", title="Our league")
    assert "Our league" in first.read_text(encoding="utf-8")
    assert prowess.site(ROWS, tmp_path / "pages", system="elo") == first
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with refused(errors.BadArgument, "folder_not_empty", about="new folder"):
        prowess.site(ROWS, tmp_path / "mine", system="elo")


def test_columns_and_parameters_stand_in_one_call():
    """A column's keyword and a parameter rate as reading first and rating then."""
    rows = {"p": ["Ann", "Bob"], "q": ["Bob", "Cleo"], "result": [1, 0.5]}
    mixed = prowess.rate(rows, "elo", player_a="p", player_b="q", k=40)
    table = prowess.read_games(rows, player_a="p", player_b="q")
    assert mixed.to_json() == prowess.rate(table, "elo", k=40).to_json()
    with refused(errors.BadArgument, "already_read", about="player_a"):
        prowess.rate(table, "elo", player_a="p")


@pytest.mark.parametrize("name", ["elo", "glicko", "glicko2", "trueskill"])
def test_one_match_is_a_table_of_one_game(name):
    """A match updated alone has the bits of a rated table, also from given ratings."""
    made = prowess.system(name)
    first = made.update({"Ann": ..., "Bob": ...}, "1-0")
    rated = prowess.rate(ROWS[:1], name)
    assert after_of(first) == {one: rated[one].rating for one in ("Ann", "Bob")}
    second = made.update({"Ann": first["Ann"], "Bob": first["Bob"]}, 0.5)
    both = prowess.rate([ROWS[0], ROWS[3]], name)
    assert after_of(second) == {one: both[one].rating for one in ("Ann", "Bob")}
    assert second["Ann"].change == second["Ann"].rating - first["Ann"].rating


def test_one_contest_takes_places():
    """Three players by places move as in a table of one contest."""
    found = prowess.system("elo").update({"Ann": 1500, "Bob": 1500, "Cleo": 1500}, [1, 2, 2])
    assert found["Ann"].rating > found["Bob"].rating == found["Cleo"].rating


@pytest.mark.parametrize("name", ["elo", "glicko2", "prowess", "bradley_terry"])
def test_saved_ratings_go_on(name, tmp_path):
    """What is loaded is what was saved, and goes on as it would have."""
    ratings = prowess.rate(ROWS * 3, name)
    prowess.save(ratings, tmp_path / "r.prowess")
    again = prowess.load(tmp_path / "r.prowess")
    assert again.leaderboard().to_json() == ratings.leaderboard().to_json()
    if name != "bradley_terry":
        both = [prowess.rate_on(one, ROWS).leaderboard().to_json() for one in (again, ratings)]
        assert both[0] == both[1]


@pytest.mark.parametrize("name", ["elo", "glicko2", "trueskill", "prowess"])
def test_games_rated_on_are_forecast(name, tmp_path):
    """`rate_on` keeps forecasts as one run keeps them, also from a file, with chances of draws."""
    first, more = ROWS[:2], ROWS[2:]
    whole: Any = prowess.rate(ROWS, name, forecasts=True)
    kept = prowess.rate(first, name, forecasts=True)
    prowess.save(kept, tmp_path / "r.prowess")
    for before in (kept, prowess.load(tmp_path / "r.prowess")):
        after: Any = prowess.rate_on(before, more)
        assert after.forecasts.tolist() == whole.forecasts.tolist()
        assert (after.draws is None) == (whole.draws is None)
    late: Any = prowess.rate_on(prowess.rate(first, name), more, forecasts=True)
    assert np.isnan(late.forecasts[:2]).all()
    assert late.forecasts[2:].tolist() == whole.forecasts[2:].tolist()


def test_files_of_others_are_refused(tmp_path):
    """Neither a pickle nor a changed file is loaded."""
    file = tmp_path / "r.prowess"
    file.write_bytes(pickle.dumps([1]))
    with refused(errors.BadSave, "not_a_save"):
        prowess.load(file)
    prowess.save(prowess.rate(ROWS, "elo"), file)
    whole = file.read_bytes()
    entry = whole.index(b"PK\1\2")
    for at, value in (
        (entry + 8, 1),
        (entry + 10, 99),
        (60, 255),
    ):  # password, method, packed bytes
        file.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
        with refused(errors.BadSave, "not_a_save"):
            prowess.load(file)
    file.write_bytes(whole)
    with zipfile.ZipFile(file) as held:
        parts = {name: held.read(name) for name in held.namelist()}
    parts["strength.npy"] = parts["strength.npy"][:-8] + b"\0" * 8
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as held:
        for name, part in parts.items():
            held.writestr(name, part)
    file.write_bytes(changed.getvalue())
    with refused(errors.BadSave, "other_ratings"):
        prowess.load(file)


def test_results_are_escaped_and_convert():
    """Names from files are escaped in a page; every library gets the same columns."""
    ratings = prowess.rate([("<i Ann", "Bob", 1)], "elo")
    for one in (ratings, ratings.history(), ratings.leaderboard(), prowess.forecast(
        ratings, [("<i Ann", "Bob")]
    )):  # fmt: skip
        assert "<i " not in one._repr_html_()
        assert one.to_pandas().columns.tolist() == one.to_polars().columns
        assert one.to_arrow().num_rows
        assert json.loads(one.to_json())


def test_an_interrupt_keeps_what_is_judged(monkeypatch):
    """Ctrl-C in the second system leaves the comparison of the first, and says so."""
    from prowess.study import judging

    table = prowess.simulate(players=6, games=200, seed=2)
    judge, asked = judging.backtest_selection, []

    def interrupt(games, one, warm_up, frozen):
        asked.append(one)
        if len(asked) > 1:
            raise KeyboardInterrupt
        return judge(games, one, warm_up, frozen)

    monkeypatch.setattr(judging, "backtest_selection", interrupt)
    found = prowess.compare(table, ["glicko", "trueskill"], progress=False)
    assert found.interrupted
    assert len(found.entries) == 2  # and the base rate


def walk_public():
    """The public functions and classes with their docstrings, by name."""
    for room, names in ((prowess, prowess.__all__), (prowess.plot, prowess.plot.__all__)):
        for name in names:
            one = getattr(room, name)
            if callable(one) and not (isclass(one) and issubclass(one, Exception | Warning)):
                yield f"{room.__name__}.{name}", one


DECLARATIONS = {"Chances", "Choice", "Dynamic", "Fit", "Game", "League", "NewcomersMean", "Range",
                "Redistribution", "WholeTable"}  # fmt: skip


@pytest.mark.parametrize(("name", "one"), [pytest.param(*one, id=one[0]) for one in walk_public()])
def test_what_is_public_has_an_example(name, one):
    """Every public function has an example, and every class one that names its methods.

    The values of which systems are declared are shown by CONTRIBUTING.md, whose example runs.
    """
    text = getdoc(one) or ""
    assert len(text) > 20, name
    if name.rpartition(".")[2] in DECLARATIONS:
        return
    assert ">>>" in text, name
    if isclass(one):
        shown = "\n".join(line for line in text.splitlines() if line.startswith((">>>", "...")))
        for method, what in vars(one).items():
            own = getdoc(what) or ""
            if method.startswith("_") or not isfunction(what) or "see `" in own.lower():
                continue
            assert f".{method}(" in shown or f".{method}(" in own, f"{name}.{method}"


@pytest.mark.parametrize("wrong", [None, "two", 2.5, object(), [1], pd.DataFrame(), (), NAN])
def test_wrong_kinds_are_refused_by_results(wrong):
    """Methods of results refuse what they do not take as the functions at the top do."""
    ratings = prowess.rate(ROWS, "elo")
    found = prowess.season(ROWS, ["Ann", "Bob"], system="elo", runs=10)
    for refuse_it in (
        lambda: ratings.has_played("two"), lambda: ratings.history("Ann")[wrong],
        lambda: ratings.table.first(wrong), lambda: ratings.table.before("two"),
        lambda: ratings.leaderboard().write(None), lambda: found.chance("Ann", wrong),
        lambda: found.chance("Ann", 9),
    ):  # fmt: skip
        with pytest.raises(errors.BadArgument) as caught:
            refuse_it()
        assert has_remedy(caught.value)
    assert ratings.contexts() == {}
    assert len(list(ratings.history("Ann"))) == 3


def test_a_leaderboard_is_drawn():
    """A leaderboard alone draws its players, with 95 % by their deviations where it has them."""
    board = prowess.rate(ROWS, "glicko2").leaderboard()
    first = board.plot().data[0]
    columns = board.columns
    assert first["player"] == columns["player"][0]
    assert first["high"] - first["low"] == pytest.approx(2 * 1.96 * columns["deviation"][0], 1e-4)
    assert "low" not in prowess.rate(ROWS, "elo").leaderboard(1).plot().data[0]
