"""Options are what the signature of a verb declares, and agree with the library's functions."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import click
import pytest
from click.testing import CliRunner

from prowess.cli.commands import LazyGroup, prowess
from prowess.cli.options import (
    Argument,
    GivenOf,
    Option,
    OptionsOf,
    make_parameters,
    make_setting_options,
    verb,
)
from prowess.cli.reading import ReadingOptions, make_reader_options
from prowess.engine.system import Choice, Range


class Pair(NamedTuple):
    """A group of two options."""

    low: Annotated[float, Option("The lower end.", "X")] = 0.0
    high: Annotated[float | None, Option("The upper end.", "X", click.FloatRange(0.0, 9.0))] = None


class Declared(NamedTuple):
    """Settings of a library."""

    spread: Annotated[float, Range(0, 2000, "points")] = 200.0
    form: Annotated[int, Choice("even", "odd")] = 1


def count_games(
    games: Any, *, share: float = 0.5, most: int = 3, names: Any = None, sided: bool = False,
    ends: Any = None,
) -> None:  # fmt: skip
    """A function of a library."""


class Chosen(Pair):
    """A group that stands for one value."""

    @property
    def chosen(self) -> tuple[float, float | None]:
        """The value."""
        return self.low, self.high


COUNTED = OptionsOf(
    count_games, share="How many.", most=(click.IntRange(1), "At most."),
    names=Option("Whose.", "NAME", multiple=True), sided="With sides.", ends=Chosen,
)  # fmt: skip


def call(*arguments: str) -> tuple[list[dict[str, Any]], str]:
    """The keywords that a verb gets of a library's function, and what it prints."""
    got: list[dict[str, Any]] = []

    @verb("try")
    def command(*, asked: Annotated[dict[str, Any], COUNTED]) -> None:
        got.append(asked)

    return got, CliRunner().invoke(command, list(arguments)).output


def test_options_of_a_function_have_its_names_types_and_defaults():
    """What is not given is as the function has it; a group becomes the value it stands for."""
    ((asked,), _) = call()
    assert asked == {"share": 0.5, "most": 3, "names": (), "sided": False, "ends": (0.0, None)}
    ((asked,), _) = call("--share", "1", "--names", "Ann", "--sided", "--high", "2")
    assert asked == {
        "share": 1.0, "most": 3, "names": ("Ann",), "sided": True, "ends": (0.0, 2.0),
    }  # fmt: skip
    got, output = call("--most", "0")
    assert got == []
    assert "--most" in output
    _, output = call("--help")
    for words in ("--share FLOAT", "[default: 0.5]", "At most.", "--names NAME", "With sides."):
        assert words in output


def run(*arguments: str) -> tuple[list[dict[str, Any]], str]:
    """What a verb with an option of every kind gets, and what it prints."""
    got: list[dict[str, Any]] = []

    @verb("try")
    def command(
        *,
        name: Annotated[str, Argument("NAME")],
        pair: Pair,
        kind: Annotated[Literal["one", "two"], "Which."] = "one",
        loud: Annotated[bool, Option("Aloud.", names=("--loud", "-l"))] = False,
        numbers: Annotated[list[int], Option("Some.", default="1,2", parse=whole_numbers)],
        words: Annotated[tuple[str, ...], Option("Many.", multiple=True)] = (),
        given: Annotated[dict[str, Any], GivenOf(partial(make_setting_options, Declared))],
    ) -> None:
        got.append(locals())

    result = CliRunner().invoke(command, list(arguments))
    return got, result.output


def whole_numbers(text: str) -> list[int]:
    """Numbers between commas."""
    return [int(part) for part in text.split(",")]


def test_defaults():
    """A parameter that is not given has its default; a setting that is not given is left out."""
    ((got,), _) = run("Ann")
    assert {one: got[one] for one in ("name", "pair", "kind", "loud", "words", "given")} == {
        "name": "Ann", "pair": Pair(0.0, None), "kind": "one", "loud": False, "words": (),
        "given": {},
    }  # fmt: skip
    assert got["numbers"] == [1, 2]


def test_values():
    """Options have the types of their annotations, groups are one value."""
    ((got,), _) = run(
        "Ann", "--low", "2", "--high", "8", "--kind", "two", "-l", "--numbers", "3", "--words", "a",
        "--words", "b", "--spread", "50", "--form", "even",
    )  # fmt: skip
    assert (got["pair"], got["kind"], got["loud"]) == (Pair(2.0, 8.0), "two", True)
    assert (got["numbers"], got["words"]) == ([3], ("a", "b"))
    assert got["given"] == {"spread": 50.0, "form": "even"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "NAME"),
        (["Ann", "--high", "10"], "--high"),
        (["Ann", "--kind", "three"], "'one', 'two'"),
        (["Ann", "--low", "x"], "not a valid float"),
    ],
)
def test_refusals(arguments, words):
    """A value of another type or outside its range is refused, with the option's name."""
    got, output = run(*arguments)
    assert got == []
    assert words in output


def test_help():
    """The help has text, metavar, range and default of each option."""
    _, output = run("--help")
    expected = (
        "--low X", "The lower end.", "[default: 0.0]", "0.0<=x<=9.0", "[one|two]", "-l, --loud",
        "0 to 2000 points. [200]", "[even|odd]", "[default: 1,2]",
    )  # fmt: skip
    for words in expected:
        assert words in output


def commands(group: click.Group, path: str) -> list[tuple[str, click.Command]]:
    """Every command below a group, by its words."""
    context = click.Context(group)
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        below = f"{path} {name}".strip()
        found += (
            commands(command, below) if isinstance(command, click.Group) else [(below, command)]
        )
    return found


COMMANDS = commands(prowess, "")


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[path for path, _ in COMMANDS])
def test_every_option_is_described(path, command):
    """Every verb and every option of it has a help text, and no name stands for two options."""
    assert command.help
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert [one.opts for one in options if not one.help] == []
    for names in ([name for one in options for name in one.opts], [p.name for p in command.params]):
        assert len(names) == len(set(names))


def test_short_helps_are_of_the_verbs():
    """The list of verbs has a sentence for each, without loading one."""
    assert isinstance(prowess, LazyGroup)
    assert all(text.endswith((".", "?")) for _, text in prowess.commands_of.values())


def library_functions() -> list[tuple[str, Any, dict[str, str]]]:
    """Verbs, the library function that each calls, and options that are called otherwise there."""
    from prowess.study.compare import compare
    from prowess.study.cycles import measure_cycles
    from prowess.study.diagnosis.diagnose import diagnose
    from prowess.study.forecasting.contenders import contenders
    from prowess.study.forecasting.performance import performances
    from prowess.study.tuning.tune import tune

    return [
        ("compare", compare, {}),
        ("triangles", measure_cycles, {}),
        ("diagnose", diagnose, {}),
        ("tournament", contenders, {"runs": "worlds"}),
        ("performance", performances, {}),
        ("tune", tune, {}),
    ]


@pytest.mark.parametrize(
    ("path", "function", "others"),
    library_functions(),
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_defaults_are_the_librarys(path, function, others):
    """An option and the keyword that it becomes have the same default."""
    signature = inspect.signature(function).parameters
    found = 0
    for option in dict(COMMANDS)[path].params:
        name = others.get(option.name, option.name)
        if name in signature and signature[name].default not in (None, inspect.Parameter.empty):
            assert option.default == signature[name].default, option.name
            found += 1
    assert found


def test_reading_has_the_keywords_of_the_reader():
    """The options of reading are the keywords of `read_games`."""
    from prowess.games import read_games

    options = set(make_reader_options())
    beside = {"source", "report", "compiled", "warn", "fact_prefix", "forecast", "odds"}
    assert options == set(inspect.signature(read_games).parameters) - beside
    assert len(list(make_parameters(ReadingOptions))) == len(options) + 3  # files, quiet, verbose


def test_no_verb_has_an_option_twice():
    """Every verb has each option and each parameter once."""
    top = click.Context(prowess)
    for name in prowess.list_commands(top):
        command = prowess.get_command(top, name)
        flags = [flag for one in command.params for flag in one.opts]
        names = [one.name for one in command.params]
        assert (len(set(flags)), len(set(names))) == (len(flags), len(names)), name
