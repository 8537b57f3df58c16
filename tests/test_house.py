"""The structure of the source: names, files and imports, as `make house` counts them."""

from __future__ import annotations

import signal
import tomllib

import pytest

from tests import house
from tests.test_error_codes import list_errors

READ_WITH_A_PLACE = (  # a file, a row or a field stands before what is wrong with it
    "prowess.games", "prowess.live", "prowess.theory.markov",
)  # fmt: skip


@pytest.fixture(scope="module")
def modules():
    """Every module of the package, parsed."""
    return house.load_modules(house.SRC)


def test_functions_are_named_by_act_or_quantity(modules):
    """No function is named by a lone past participle, unless it is a field or a truth."""
    lone = house.find_lone_participles(modules)
    assert not lone, "\n".join([*lone, "name the act and its object, or the quantity returned"])


def test_class_names_have_one_meaning(modules):
    """No two modules define a class of one name, but for what the contract of systems asks for."""
    double = house.find_double_classes(modules)
    assert not double, "\n".join([*double, "give one of them another name"])


def test_imports_make_no_circle(modules):
    """No module imports itself by way of others, also for types alone."""
    assert house.find_circles(modules, types=True) == []


def test_no_number_of_the_house_rises(modules):
    """Files, lines and faults are those of `tests/house.toml`, which may only be lowered."""
    counted = house.count_rooms(modules) | {"counts": house.count_each(house.find_faults(modules))}
    differences = house.compare_with_budget(counted, house.read_budget())
    assert not differences, house.explain_differences(differences)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="a signal asks for the functions")
def test_a_row_and_a_result_pass_no_more_functions():
    """A row of a CSV, a posted result and its page pass as many functions as the budget says."""
    counted = {"functions_passed": house.count_each(house.trace_functions(house.SRC))}
    differences = house.compare_with_budget(counted, house.read_budget())
    assert not differences, house.explain_differences(differences)


def test_every_refusal_has_a_code_of_its_own(modules):
    """No error for users is raised with the name of its class alone."""
    without = {"TooFew", "Damage", "NoGame", "Busy", "RefusedMany", "TooManyRefused"}
    without |= {"Refused", "NotFound"}
    coded = list_errors() - without - {"NotAllowed", "Conflict", "Stale", "BadRecord"}
    assert house.find_uncoded_refusals(modules, coded) == []


def test_a_budget_is_lowered_and_never_raised():
    """What rose and what fell is reported; only what fell is written."""
    budget = {"files": {"games": 5, "gone": 2}, "counts": {"circles": 1}}
    counted = {"files": {"games": 6, "live": 1}, "counts": {"circles": 0}}
    differences = house.compare_with_budget(counted, budget)
    assert differences == [
        "files.games rose from 5 to 6", "files.live rose from 0 to 1",
        "files.gone fell from 2 to 0", "counts.circles fell from 1 to 0",
    ]  # fmt: skip
    told = house.explain_differences(differences)
    assert told.endswith(f"{house.ROSE}\n{house.FELL}")
    assert house.ROSE not in house.explain_differences(differences[2:])
    lower = house.lower_budget(counted, budget)
    assert lower == {"files": {"games": 5}, "counts": {"circles": 0}}
    assert house.lower_budget({}, budget) == budget  # without --trace its numbers stay
    assert tomllib.loads(house.format_budget(lower)) == lower


@pytest.mark.parametrize(
    ("source", "lists"),
    [
        ("A = {WORDS}", 1),
        ("def f(x):\n    return x in ({WORDS})", 1),
        ("A = {{'a': [{WORDS}], 'b': [{WORDS}]}}", 1),
        ("A = 'a b c d e f g h i j k l'.split()", 1),
        ("A = ['a', 'b', 'c']", 0),
        ("A = ['a_1', *({NAMES})]", 0),
    ],
)
def test_word_lists_are_found(tmp_path, source, lists):
    """Lists of 12 words, wherever they stand, count once; names of columns do not (by hand)."""
    words = ", ".join(["'gana'", "'won by'", "'siegt'"] * 4)
    names = ", ".join(repr(f"column_{k}") for k in range(12))
    text = source.format(WORDS=words, NAMES=names)
    (tmp_path / "prowess" / "games").mkdir(parents=True)
    (tmp_path / "prowess" / "games" / "one.py").write_text(text, encoding="utf-8")
    assert len(house.find_word_lists(house.load_modules(tmp_path))) == lists


def test_constants_and_upward_imports_are_found(tmp_path):
    """One name with two values, and imports by whatever statement that lead up, are found."""
    (tmp_path / "prowess" / "games").mkdir(parents=True)
    (tmp_path / "prowess" / "cli").mkdir()
    (tmp_path / "prowess" / "games" / "a.py").write_text(
        "MOST = 1\nSAME = 2\nONCE = 3\nfrom importlib import import_module\n"
        "def f():\n    import_module('prowess.cli.b')\n"
    )
    (tmp_path / "prowess" / "cli" / "b.py").write_text(
        "MOST: int = 2\nSAME = 2\nimport prowess.games.a\n"
    )
    modules = house.load_modules(tmp_path)
    assert house.find_double_constants(modules) == ["MOST: prowess.cli.b, prowess.games.a"]
    assert house.find_upward_imports(modules) == ["prowess.games.a -> prowess.cli.b"]


def test_errors_begin_with_the_remedy(modules):
    """What a refusal says begins with what to do, but where it is told with a place."""
    own = {name: one for name, one in modules.items() if not name.startswith(READ_WITH_A_PLACE)}
    assert house.find_faults_first(own) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("'give k as a number'", 0),
        ("f'leave {name} out: it is no date'", 0),
        ("f'{hint} no such name'", 0),
        ("str(error)", 0),
        ("f'{name}: outside its range'", 1),
        ("'the table has no dates'", 1),
    ],
)
def test_faults_first_are_found(tmp_path, text, wrong):
    """An error that begins with the fault is found (so the law can fail)."""
    (tmp_path / "one.py").write_text(f"raise Unratable({text})", encoding="utf-8")
    assert len(house.find_faults_first(house.load_modules(tmp_path))) == wrong


@pytest.mark.parametrize(("name", "wrong"), [("no_dates.table", 0), ("no_games.rows", 1)])
def test_faults_first_are_found_in_tables(tmp_path, name, wrong):
    """A sentence of a table that begins with the fault is found where it is raised."""
    (tmp_path / "one.py").write_text(f"raise Unratable.of({name!r}, a=b)", encoding="utf-8")
    assert len(house.find_faults_first(house.load_modules(tmp_path))) == wrong


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("def shown(): ...", 1),
        ("class A:\n    def _settled(self): ...", 1),
        ("def f():\n    async def asked(): ...", 1),
        ("def seed(): ...\ndef read(): ...\ndef fit(): ...\ndef rank_players(): ...", 0),
        ("class A:\n    @property\n    def rated(self): ...", 0),
        ("def established() -> bool: ...", 0),
    ],
)
def test_participles_are_found(tmp_path, source, wrong):
    """The rule of names finds functions, methods and inner functions (so the law can fail)."""
    (tmp_path / "one.py").write_text(source, encoding="utf-8")
    assert len(house.find_lone_participles(house.load_modules(tmp_path))) == wrong


def test_integers_have_64_bits(modules):
    """Arrays of whole numbers are the same on a computer and in a browser."""
    assert house.find_short_integers(modules) == []


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("np.arange(3), x.cumsum(), np.cumsum(x, dtype=int)", 3),
        ("np.zeros(3, int), x.astype(int), np.full(3, 0, dtype=np.intp)", 3),
        ("np.repeat(x, sizes), np.add.reduceat(x, at), x.view(np.uint64)", 3),
        ("np.arange(3, dtype=np.int64), np.repeat(x, 2), x.astype(np.int64), int(3)", 0),
        ("x.astype(np.float64).view(np.uint64), np.cumsum(x, dtype=np.float64)", 0),
    ],
)
def test_short_integers_are_found(tmp_path, source, wrong):
    """Those without a size, and functions of NumPy that take the machine's alone."""
    (tmp_path / "a.py").write_text(source)
    assert len(house.find_short_integers(house.load_modules(tmp_path))) == wrong


def test_circles_and_doubles_are_found(tmp_path):
    """Circles by way of a third module and of types alone, and doubled classes, are found."""
    (tmp_path / "a.py").write_text("import b\nclass One: ...\n")
    (tmp_path / "b.py").write_text("def f():\n    import c\n")
    (tmp_path / "c.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nclass One: ...\n"
    )
    modules = house.load_modules(tmp_path)
    assert house.find_circles(modules) == []
    assert house.find_circles(modules, types=True) == ["a <-> b <-> c"]
    assert house.find_double_classes(modules) == ["One: a, c"]
    assert house.find_single_imports(modules) == ["a <- c", "b <- a", "c <- b"]
