"""Every refusal has a code that stays with it, whatever its words, and wherever it is told."""

from __future__ import annotations

import ast
import pickle
import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

from prowess import errors
from prowess.compile.refusals import ProwessError
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.system import Unratable
from prowess.games.arguments import refuse
from prowess.games.cells.validation import RowError
from prowess.games.errors import (
    IN_SENTENCES,
    PLACE_FIELDS,
    BadData,
    InvalidValue,
    NoGame,
    Question,
    load_sentences,
)
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
    found |= {name.partition(".")[0] for name in load_sentences()}
    assert len(found) > 650, len(found)
    assert [code for code in found if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", code)] == []


def list_calls(source):
    """The literal sentence and the facts of every refusal by a sentence in a source."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=kind), attr="of" | "bad"),
                args=[ast.Constant(value=str(sentence))],
            ) if kind[:1].isupper() or kind in {"headings", "self"}:
                yield sentence, {word.arg for word in node.keywords}


def find_wrong_facts(source):
    """Calls that name no sentence, or leave a fact of it out, or give one too many."""
    wrong = []
    for sentence, given in list_calls(source):
        texts = load_sentences().get(sentence, ("{no such sentence}", None))
        fields = {name for text in texts if text for _, name, *_ in Formatter().parse(text)}
        facts = fields - {None, *IN_SENTENCES}
        beside = {*PLACE_FIELDS, "field", "wait", "cell"}
        free = {*beside, None, "remedy" if texts[1] is None else None}
        if (facts - given and None not in given) or given - facts - free:
            wrong.append((sentence, facts ^ given))
    return wrong


def test_every_refusal_gives_the_facts_of_its_sentence():
    """A sentence without a fact would end in a KeyError in place of a refusal."""
    texts = [path.read_text(encoding="utf-8") for path in house.SRC.rglob("*.py")]
    assert [wrong for text in texts for wrong in find_wrong_facts(text)] == []
    calls = sum(len([*list_calls(text)]) for text in texts)
    assert calls > 600, calls


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ('BadData.of("no_table.archive", file=name, held=held)', 0),
        ('BadData.of("no_table.archive", **facts)', 0),
        ('InvalidValue.of("no_value", name=name, fault=what, remedy=fault.remedy)', 0),
        ('InvalidValue.of("no_value", name=name, fault=what)', 0),
        ('BadData.of("no_table.archive", held=held, remedy=remedy)', 1),
        ('BadData.of("no_table.archive", file=name)', 1),
        ('BadData.of("no_table.archive", held=held, word=word)', 1),
        ('BadData.of("no_such_sentence")', 1),
        ('BadSystem.of("no_part", system=name, role=role)', 0),
        ('BadSystem.of("no_part", system=name)', 1),
    ],
)
def test_wrong_facts_are_found(call, wrong):
    """The law of facts can fail."""
    assert len(find_wrong_facts(call)) == wrong


def test_every_sentence_of_refusals_is_used():
    """A sentence that no call names is dead."""
    source = "".join(path.read_text(encoding="utf-8") for path in house.SRC.rglob("*.py"))
    begun = {*re.findall(r'"(\w+)\.?\{\w+\}"', source)}  # codes of sentences whose names vary
    dead = [
        name
        for name in load_sentences()
        if f'"{name}"' not in source and name.partition(".")[0] not in begun
    ]
    assert dead == []


def list_names(entry, name):
    """The names of the sentences in a part of a table."""
    if isinstance(entry, str):
        return [name]
    words = [word for word in entry if word not in {"what", "remedy"}]
    own = [name] if "what" in entry else []
    return own + [one for word in words for one in list_names(entry[word], f"{name}.{word}")]


def test_no_name_stands_in_two_tables():
    """A sentence of one room would hide that of another with its name."""
    names = [
        name
        for file in house.SRC.rglob("refusals.toml")
        for code, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()
        for name in list_names(entry, code)
    ]
    assert sorted(names) == sorted(load_sentences())


def test_no_sentence_repeats_its_remedy():
    """A remedy that is a fact stands before the sentence, which does not name it."""
    assert [name for name, words in load_sentences().items() if "{remedy" in str(words)] == []


@pytest.mark.parametrize(
    ("field", "fact", "shown"),
    [
        ("{n}", 3, "3"),
        ("{n:q}", "Ann", '"Ann"'),
        ("{n:brief}", [1], "a value of type list"),
        ("{n:list}", ["Ann", "Bob"], "Ann, Bob"),
        ("{n:type}", 1.5, "float"),
        ("{n!r:>7}", "Ann", "  'Ann'"),
        ("{{{n:,}}}", 1000, "{1,000}"),
    ],
)
def test_a_fact_is_shown_in_the_form_that_its_sentence_asks_for(monkeypatch, field, fact, shown):
    """A fact stands as it is, in quotes, in a few characters, as a list or as Python formats it."""
    table = {"two_words.here": (f"leave {field} out", None), "one": ("it is", f"leave {field}")}
    monkeypatch.setattr("prowess.games.errors.load_sentences", lambda: table)
    error = Unratable.of("two_words.here", n=fact)
    assert (str(error), error.code) == (f"leave {shown} out", "two_words")
    assert str(Unratable.of("one", n=fact)) == f"leave {shown}: it is"
