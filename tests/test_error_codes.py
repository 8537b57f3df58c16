"""Every refusal has a code that stays with it, whatever its words, and wherever it is told."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from prowess import errors
from prowess.compile.refusals import ProwessError
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.system import Unratable
from prowess.games.arguments import refuse
from prowess.games.cells.validation import RowError
from prowess.games.errors import BadData, InvalidValue, NoGame, Question
from prowess.live.errors import Conflict, RefusedMany
from tests import house
from tests.refusals import refused

CODE = re.compile(r'code="([^"]+)"')


def test_a_code_is_that_of_the_class_until_one_is_given():
    """An error that is raised without a code has the name of its class."""
    assert Unratable("leave it out").code == "unratable"
    assert Unratable("leave it out", code="no_dates").code == "no_dates"
    assert Unratable.code == "unratable"
    assert str(UnknownPlayer("did you mean Ann?", code="no_such")) == "did you mean Ann?"
    assert refuse("give k as a number", "x", code="not_a_number").code == "not_a_number"
    assert NoGame("no game", "bye", code="a_bye").code == "a_bye"
    assert Question("two ways", "say which", "1/2", code="order_of_date").code == "order_of_date"


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name != "DataWarning"])
def test_all_errors_have_one_base(name):
    """A program catches every error of the library by one class."""
    assert issubclass(getattr(errors, name), ProwessError)


def test_a_code_stays_when_a_place_is_added():
    """What is wrong with a cell keeps its code with file and line, and in other words."""
    fault = RowError("result", InvalidValue("x is no result", "write 1", code="no_result"))
    bad = fault.in_file("games.csv", "line", 7)
    assert (bad.code, bad.line) == ("no_result", 7)
    assert bad.reword("another", None).code == "no_result"
    many = RefusedMany([Conflict("taken", "it is taken").at(3)], 9)
    assert (many.code, many.row) == ("taken", 3)


@pytest.mark.parametrize(
    "error",
    [
        Unratable("leave it out", code="no_dates"),
        BadData("no result", file="a.csv", line=7, column="b", remedy="write 1", code="no_result"),
        UnknownPlayer("did you mean Ann?", code="no_such"),
    ],
)
def test_a_code_crosses_processes(error):
    """A pickled error comes back with code, words and place."""
    other = pickle.loads(pickle.dumps(error))
    assert (str(other), vars(other)) == (str(error), vars(error))


def test_what_is_expected_can_fail():
    """The law of the tests finds another code, another class, and a remedy that is not there."""

    def expect(code, error, **place):
        with refused(BadData, code, **place):
            raise error

    bad = BadData("wrong", line=7, remedy="write 1", code="no_result")
    expect("no_result", bad, about="wrong", line=7)
    for code, error, place in (
        ("other", bad, {}),
        ("no_result", bad, {"line": 8}),
        ("no_result", bad, {"about": "Adam"}),
        ("no_result", BadData("wrong", code="no_result"), {}),
    ):
        with pytest.raises(AssertionError):
            expect(code, error, **place)


def list_errors(kind=ProwessError):
    """The names of all errors of the library."""
    return {kind.__name__}.union(*map(list_errors, kind.__subclasses__()))


def test_no_test_matches_a_sentence_of_ours():
    """Tests assert codes and data of our errors, so that sentences may be worded anew."""
    assert house.find_matched_sentences(Path(__file__).parent, list_errors()) == []


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ('pytest.raises(Unratable, match="no dates")', 1),
        ('pytest.raises((ValueError, errors.BadData), match="no dates")', 1),
        ('pytest.raises(OSError, match="No space left")', 0),
        ("pytest.raises(Unratable)", 0),
    ],
)
def test_matched_sentences_are_found(tmp_path, source, wrong):
    """A test of a sentence is found (so the law can fail)."""
    (tmp_path / "test_one.py").write_text(source, encoding="utf-8")
    assert len(house.find_matched_sentences(tmp_path, list_errors())) == wrong


def test_codes_are_words():
    """A code is in small letters, digits and single underscores."""
    written = house.SRC.rglob("*.py")
    found = {code for file in written for code in CODE.findall(file.read_text(encoding="utf-8"))}
    assert len(found) > 400
    assert [code for code in found if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", code)] == []
