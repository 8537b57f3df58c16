"""Options from annotations: the signature of a verb declares its options, each in one place.

    @verb("tune", epilog=EXAMPLES)
    def tune_verb(reading: ReadingOptions, *, level: Level = 0.95, budget: int = 100)

A parameter becomes an option of its name, type and default. What stands in `Annotated` adds the
rest: an `Option`, a text (the help), a Click type, or the `Range` or `Choice` of a library's
settings. A parameter whose type is a NamedTuple is a group of options, and the verb gets one value.

    TUNED = OptionsOf(tune, level=Level, budget=(AtLeastOne, "Settings to try at most."))

    @verb("tune")
    def tune_verb(reading: ReadingOptions, *, asked: Annotated[dict[str, Any], TUNED])

`OptionsOf` a library's function takes names, types and defaults from its signature, and says of
each what else an option has; the verb gets a dict of keywords with which to call it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from inspect import signature
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import click

from prowess.version import RENAMED, describe_renamed

READING = "Options for reading (column names are guessed where possible)"
PLAIN_OPTIONS = "Options"  # the heading under which options stand that no other has
HELP_SECTIONS = {  # headings of the help text below that, and what stands under them in any verb
    "Options of the system": (
        "--set", "--bank", "--as-of", "--start", "--continue", "--save-state", "--anchor",
    ),
    "Options of uncertainty": (
        "--level", "--reference", "--bootstrap", "--blocks", "--clusters", "--superiority",
    ),
    "Options of forecasts": ("--forecasts", "--frozen", "--judge"),
    "Options against inflation": (
        "--departed-after", "--departures", "--newcomers-mean", "--rules-every",
    ),
    "Options of what is shown": (
        "--since", "--lower", "--role", "--json", "--csv", "--width", "--no-color", "--quiet",
        "--verbose", "--help",
    ),
    "Options of the computation": ("--seed", "--jobs", "--cluster"),
}  # fmt: skip
SECTION_OF = {name: heading for heading, names in HELP_SECTIONS.items() for name in names}


class Option(NamedTuple):
    """What a type and a default do not say of an option; later ones in `Annotated` add to it."""

    help: str = ""
    metavar: str | None = None
    type: Any = None  # a Click type, where the annotated one says too little
    names: tuple[str, ...] = ()  # where the option is not called as the parameter is
    parse: Callable[[Any], Any] | None = None  # from Click's value (not None) to the parameter's
    multiple: bool = False
    envvar: str | None = None
    complete: Callable[[click.Context, click.Parameter, str], list[Any]] | None = None
    default: str | None = None  # a text that is parsed, for a parameter without a default
    section: str = PLAIN_OPTIONS  # of the help text


class Argument(NamedTuple):
    """A parameter given by its place."""

    metavar: str | None = None
    type: Any = None
    nargs: int = 1
    complete: Callable[[click.Context, click.Parameter, str], list[Any]] | None = None
    unless: tuple[str, ...] = ()  # parameters beside which it may be left out


class OptionsOf:
    """Declares options that are keywords of a library's function, with its defaults.

    What is said of a keyword is what may stand in `Annotated`, or a type that is annotated, or a
    group of options, which then stands for its attribute `choice`; a tuple has several of them.
    """

    def __init__(self, function: Callable[..., Any], **said: Any) -> None:
        known = signature(function).parameters
        self.defaults = {name: known[name].default for name in said}
        self.hints = {name: self.read_hint(name, one) for name, one in said.items()}

    def read_hint(self, name: str, said: Any) -> Any:
        """The annotation of one keyword; its type is that of the default where none is said."""
        first, *rest = said if type(said) is tuple else (said,)
        if isinstance(first, str | Option | click.ParamType):
            default = self.defaults[name]
            first, rest = str if default is None else type(default), [first, *rest]
        return Annotated[(first, *rest)] if rest else first


class GivenOf(NamedTuple):
    """Marks a dict of what is given of a library's options; `make` has a parameter for each."""

    make: Callable[[], Mapping[str, click.Parameter]]


Said = Option | Argument | OptionsOf | GivenOf  # what an annotation says of a parameter
NO_VALUES: Mapping[str, Any] = MappingProxyType({})


class SpareArgument(click.Argument):
    """An argument that may be left out beside some options."""

    unless: tuple[str, ...] = ()

    def value_is_missing(self, value: Any) -> bool:
        """Whether it is left out and has to be there."""
        context = click.get_current_context(silent=True)
        given = {} if context is None else context.params
        spare = any(given.get(name) is not None for name in self.unless)
        return not spare and super().value_is_missing(value)


class SectionOption(click.Option):
    """An option that stands under a heading of the help text."""

    section = PLAIN_OPTIONS


class Verb(click.Command):
    """A command whose help lists options by section, and --skip-bad takes a value only after =."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an option by its old name is noted on stderr, once."""
        today, old = complete_arguments(ctx.command_path, args)
        if not ctx.resilient_parsing:
            refuse_repeated(ctx, today)
        rest = super().parse_args(ctx, today)
        if ctx.params.get("no_color"):  # of all that the run prints, its errors among them
            os.environ["NO_COLOR"] = "1"
        if not (ctx.resilient_parsing or ctx.params.get("quiet")):
            for name in old:
                click.echo(f"note: {describe_renamed(name)}", err=True)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of a section together."""
        sections: dict[str, list[tuple[str, str]]] = {
            name: [] for name in (PLAIN_OPTIONS, *HELP_SECTIONS)
        }
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                sections.setdefault(name_section(option), []).append(record)
        for heading, records in sections.items():
            if not records:
                continue
            with formatter.section(heading):
                formatter.write_dl(records)


def name_section(option: click.Option) -> str:
    """The heading of the help text under which an option stands."""
    named = (SECTION_OF[name] for name in option.opts if name in SECTION_OF)
    return next(named, getattr(option, "section", PLAIN_OPTIONS))


SKIP_BAD = "--skip-bad"
READER_FLAGS = {  # of the keywords of the reader whose names a shell has for another thing
    "side": "--sides", "order": "--row-order", "outcomes": "--outcome",
}  # fmt: skip
A_FEW = "a few"  # the value of --skip-bad where none is given


def name_flag(keyword: str) -> str:
    """The option of a keyword of the reader."""
    return READER_FLAGS.get(keyword, f"--{keyword.strip('_').replace('_', '-')}")


def complete_arguments(command: str, args: list[str]) -> tuple[list[str], list[str]]:
    """The arguments with a value for a bare --skip-bad and new names for old ones; the old ones."""
    end = args.index("--") if "--" in args else len(args)
    today, old = [], []
    for one in args[:end]:
        option, equals, value = one.partition("=")
        name = f"{command} {option}"
        if name in RENAMED:
            old.append(name)
            option = RENAMED[name].name
        today.append(f"{SKIP_BAD}={A_FEW}" if one == SKIP_BAD else option + equals + value)
    return [*today, *args[end:]], old


def refuse_repeated(ctx: click.Context, args: list[str]) -> None:
    """Refuse an option that takes one value and is given twice: Click would take the last."""
    _, _, order = ctx.command.make_parser(ctx).parse_args([*args])
    for option, times in Counter(order).items():
        if times > 1 and isinstance(option, click.Option) and not (
            option.multiple or option.count or option.is_flag
        ):  # fmt: skip
            word = "twice" if times == 2 else f"{times} times"
            raise click.UsageError(f"give {option.opts[0]} once: it is given {word}", ctx)


def verb(
    name: str,
    short_help: str | None = None,
    *,
    epilog: str | None = None,
    group: click.Group | None = None,
    files: str | None = None,
) -> Callable[[Callable[..., Any]], Verb]:
    """Make a command of a function: its docstring is the help, its signature the options.

    `files` is what the usage says in place of FILE..., where more than files stands there.
    """

    def decorate(function: Callable[..., Any]) -> Verb:
        parameters = [*make_parameters(function)]
        known = {name for one in parameters for name in one.opts}
        if "--json" in known and "--width" not in known:
            parameters += make_parameters(TableDisplay)
        parameters += make_parameters(Display)
        for one in parameters:
            if files is not None and one.name == "files":
                one.metavar = files
        command = Verb(
            name,
            params=parameters,
            callback=lambda **values: function(**gather_values(function, values)),
            help=function.__doc__,
            short_help=short_help,
            epilog=epilog,
        )
        if group is not None:
            group.add_command(command)
        return command

    return decorate


class TableDisplay(NamedTuple):
    """How the table of an answer is shown; verbs that print JSON instead print tables."""

    table_width: Annotated[
        int | None,
        Option(metavar="N", type=click.IntRange(min=20), names=("--width",)),
        "Columns of a printed table. Default: the terminal's.",
    ] = None


class Display(NamedTuple):
    """How what a verb prints is shown; every verb takes these options."""

    no_color: Annotated[bool, Option("No colours (so does NO_COLOR in the environment).")] = False


def make_parameters(declaration: Any) -> Iterator[click.Parameter]:
    """The Click parameters of a function's signature or of a NamedTuple, in order."""
    hints, defaults = read_declaration(declaration)
    for name, hint in hints.items():
        kind, said = read_annotation(hint)
        if isinstance(said, GivenOf):
            yield from said.make().values()
        elif isinstance(said, OptionsOf):
            yield from make_parameters(said)
        elif hasattr(kind, "_fields"):  # a group of options
            yield from make_parameters(kind)
        else:
            yield make_parameter(name, kind, said, defaults)


def gather_values(declaration: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the declaration, from the values of all parameters by name."""
    gathered = {}
    for name, hint in read_declaration(declaration)[0].items():
        kind, said = read_annotation(hint)
        if isinstance(said, OptionsOf):
            asked = gather_values(said, values)
            gathered[name] = {key: getattr(one, "choice", one) for key, one in asked.items()}
        elif isinstance(said, GivenOf):
            found = {key: values[str(one.name)] for key, one in said.make().items()}
            gathered[name] = {  # those that are given
                key: value for key, value in found.items()
                if value is not None and value is not False and value not in ("", (), {})
            }  # fmt: skip
        elif hasattr(kind, "_fields"):
            group = gathered[name] = kind(**gather_values(kind, values))
            if check := getattr(group, "check", None):  # of what no single option can refuse
                check()
        else:
            gathered[name] = values[name]
    return gathered


@cache  # a verb is declared once, and called by the same annotations
def read_declaration(declaration: Any) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The annotations and the defaults of a function's parameters or of a NamedTuple's fields."""
    if isinstance(declaration, OptionsOf):
        return declaration.hints, declaration.defaults
    module = vars(sys.modules[declaration.__module__])
    hints = get_type_hints(declaration, module, include_extras=True)
    hints.pop("return", None)
    if isinstance(declaration, type):
        return hints, declaration._field_defaults  # type: ignore[attr-defined]
    return hints, declaration.__kwdefaults__ or {}


def read_annotation(hint: Any) -> tuple[Any, Said]:
    """The type of an annotation without None, and what `Annotated` says beside it.

    Texts there are help and Click types are types: they and all that is an `Option` are one.
    """
    kind, *beside = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    said = Option()
    for one in beside:
        if isinstance(one, Argument | GivenOf | OptionsOf):
            return kind, one
        if isinstance(one, Option):
            added = {k: v for k, v in one._asdict().items() if v != Option._field_defaults[k]}
            said = said._replace(**added)
        elif isinstance(one, str):
            said = said._replace(help=one)
        elif isinstance(one, click.ParamType):
            said = said._replace(type=one)
    if get_origin(kind) in (Union, UnionType):
        kinds = [one for one in get_args(kind) if one is not NoneType]
        kind = kinds[0] if len(kinds) == 1 else str
    return kind, said


def make_parameter(
    name: str, kind: Any, said: Said, defaults: Mapping[str, Any]
) -> click.Parameter:
    """The option or argument of one parameter."""
    if isinstance(said, Argument):
        made = SpareArgument(
            [name],
            metavar=said.metavar,
            type=said.type,
            nargs=said.nargs,
            required=name not in defaults,
            shell_complete=said.complete,
        )
        made.unless = said.unless
        return made
    assert isinstance(said, Option)
    default = defaults.get(name, said.default)
    required = name not in defaults and default is None
    shape: dict[str, Any] = {"type": said.type or click_type(kind), "metavar": said.metavar}
    if kind is bool:
        shape = {"is_flag": True}
    elif said.multiple:
        shape |= {"multiple": True, "required": required}
    elif default is not None:
        shape |= {"default": default, "show_default": default != ""}
    else:
        shape["required"] = required
    if get_origin(kind) is tuple and not said.multiple:
        shape["nargs"] = len(get_args(kind))
    option = SectionOption(
        [*(said.names or (f"--{name.strip('_').replace('_', '-')}",)), name],
        help=said.help,
        envvar=said.envvar,
        shell_complete=said.complete,
        callback=said.parse and partial(parse_value, said.parse, defaults.get(name)),
        **shape,
    )
    option.section = said.section
    return option


def parse_value(
    parse: Callable[[Any], Any], absent: Any, context: click.Context, parameter: click.Parameter,
    value: Any,
) -> Any:  # fmt: skip
    """A value parsed, as Click calls it; a multiple option without values is `absent`."""
    if value is None:
        return None
    return absent if value == () else parse(value)


def click_type(kind: Any) -> Any:
    """The Click type of an annotated one; text where nothing else is said."""
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if get_origin(kind) is tuple:
        return get_args(kind)[0]
    return kind if kind in (int, float) else str


def make_setting_options(
    declaration: type, instead: Mapping[str, Option] = NO_VALUES
) -> dict[str, click.Parameter]:
    """An option for each setting of a library that is annotated with a Range or a Choice.

    The options have no default: a setting that is not given stays at the library's, which the help
    shows.
    """
    from prowess.engine.params import read_parameter
    from prowess.engine.system import Choice

    made: dict[str, click.Parameter] = {}
    hints, defaults = read_declaration(declaration)
    for name, hint in hints.items():
        if name in instead:
            made[name] = make_parameter(name, str, instead[name], {name: None})
            continue
        default = defaults[name]
        setting = read_parameter(name, default, hint)
        shape: dict[str, Any] = {"type": float, "metavar": "NUMBER"}
        help_text = f"{setting.describe()}. [{default:g}]"
        if isinstance(setting.domain, Choice):
            shape = {"type": click.Choice(setting.domain.words)}
            help_text = f"[{setting.display(default)}]"
        made[name] = click.Option([f"--{name.replace('_', '-')}"], help=help_text, **shape)
    return made
