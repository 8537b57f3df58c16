"""Settings: what may be given, and what the error says when it may not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from prowess.engine.params import BadSetting, display_settings, parameters, settings
from prowess.systems.catalogue import find
from tests.refusals import refused

ELO, GLICKO2 = find("elo"), find("glicko2")
SOLVERS = parameters(GLICKO2)["solver"].domain.words


def test_given_values_replace_defaults():
    """What is not given keeps its default."""
    p = settings(ELO, {"k": 20})
    assert (p.k, p.scale) == (20.0, ELO.params.scale)
    assert type(p.k) is float


def test_a_text_that_is_a_number_is_one():
    """The command line gives texts."""
    assert settings(ELO, {"k": "20"}).k == 20.0


@pytest.mark.parametrize("value", ["high", None, True, "nan", float("inf"), {20}])
def test_what_is_no_number_is_refused(value):
    """A word, a truth value or an infinity is not a number."""
    with refused(BadSetting, "setting_out_of_range", about="10000"):
        settings(ELO, {"k": value})


@pytest.mark.parametrize("value", [-1, 10000.5, "1e9"])
def test_a_value_out_of_range_is_refused(value):
    """The error gives the range with its unit."""
    with refused(BadSetting, "setting_out_of_range", about=("10000", str(value))):
        settings(ELO, {"k": value})


def test_the_edges_are_inside():
    """A range is closed."""
    assert [settings(ELO, {"k": edge}).k for edge in (0, 10_000)] == [0.0, 10_000.0]


def test_an_unknown_name_is_refused():
    """The nearest known name is offered, or all are listed."""
    with refused(BadSetting, "unknown_setting", about=("advantag", "you")):
        settings(ELO, {"advantag": 30})
    with refused(BadSetting, "unknown_setting") as said:
        settings(ELO, {"zzz": 30})
    assert all(name in str(said.value) for name in parameters(ELO))


def test_a_choice_is_a_word():
    """A word becomes its number, which compiled code can compare, and is shown as the word."""
    for number, word in enumerate(SOLVERS):
        p = settings(GLICKO2, {"solver": word})
        assert type(p.solver) is int
        assert p.solver == number
        assert display_settings(GLICKO2, p)["solver"] == word


@pytest.mark.parametrize("value", ["bisection", 1, 0.0, None, ""])
def test_another_word_is_refused(value):
    """A choice's number is not a word of it, and the error lists the words."""
    with refused(BadSetting, "setting_out_of_range", about=("solver", str(", ".join(SOLVERS)))):
        settings(GLICKO2, {"solver": value})


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pl.Series])
def test_any_series_of_numbers_is_a_bank(kind):
    """Lists, tuples, arrays and columns."""
    bank = settings(ELO, {"k": kind([8, 12, 16])})
    assert [row.k for row in bank.rows[: bank.count]] == [8.0, 12.0, 16.0]
    assert settings(ELO, {"k": range(8, 17, 4)}) == bank


@pytest.mark.parametrize("value", [np.array([True, False]), np.eye(2), {"k": 8}, "8,16", b"8,16"])
def test_what_is_no_series_of_numbers_is_no_bank(value):
    """Truths, tables, texts and dicts; an array without a dimension is its number."""
    with refused(BadSetting, "setting_out_of_range", about="10000"):
        settings(ELO, {"k": value})
    assert settings(ELO, {"k": np.array(8.0)}).k == 8.0
