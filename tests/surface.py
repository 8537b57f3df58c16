"""The public surface as text: `make surface` writes what a program or a script can rely on.

    python tests/surface.py [--write]

Names and signatures of the library, systems with their parameters, verbs with their options, the
fields of their JSON, exit codes, codes of errors, routes of the server with what they take and
answer. All of it is read from the program. `tests/surface.txt` keeps it, so that a change of it is
a line of a change, and `docs/reference/versions.md` says what such a change asks for.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).with_suffix(".txt")
RENEW = "make surface"
MODULES = (
    "prowess", "prowess.errors", "prowess.plot", "prowess.sklearn", "prowess.live.client",
    "prowess.engine.system", "prowess.engine.numeric",
)  # fmt: skip
PAIRS = ("ada,ben", "ben,cy", "cy,ada")
GAMES = [  # enough for `tune`
    f"{date(2024, 1, 1) + timedelta(day)},{PAIRS[day % 3]},{day % 5 % 3 / 2}" for day in range(120)
]
RUNS = {  # each verb that prints JSON, and what it is asked of a table of games or of a store
    "arena": "GAMES",
    "assess": "GAMES ada ben --system elo",
    "check": "--store STORE",
    "benchmark": "GAMES --systems elo --budget 5",
    "compare": "GAMES --systems elo,base_rate --warm-up 0",
    "diagnose": "GAMES --system elo",
    "doctor": "",
    "forecast": "GAMES ada ben --system elo",
    "history": "GAMES ada --system elo",
    "look": "GAMES",
    "next": "GAMES --for ada --system elo",
    "pairings": "GAMES --system elo",
    "performance": "GAMES --system elo",
    "plot": "distribution GAMES --system elo",
    "rate": "GAMES --system elo --judge",
    "simulate preset": "",
    "sprt": "--counts 3,40,95,61,9",
    "stack": "GAMES --systems elo,base_rate",
    "systems": "elo",
    "table": "GAMES --systems elo,colley",
    "teams": "GAMES ada,ben,cy --system elo",
    "theory best-step": "--games 10",
    "theory bounds": "logistic",
    "theory check": "logistic",
    "theory development": "",
    "theory markov": "tennis_game",
    "theory noise": "",
    "theory population": "",
    "theory tables": "",
    "theory wp": "logistic",
    "token list": "--store STORE",
    "tournament": "GAMES --system elo --best 3 --round-robin 1 --runs 10",
    "triangles": "GAMES --draws 5",
    "tune": "GAMES --system elo --over k --budget 6",
    "upgrade": "--store STORE --dry-run",
}
OURS = {"builtins", "functools", "prowess"}
ADDRESS = re.compile(r"<function (\w+) at 0x[0-9a-f]+>")
QUOTED_TYPE = re.compile(r": '(.*?)'(?= = |$)")


# Python: names, signatures and members.


def list_names() -> Iterator[str]:
    """Every public name with its signature, and every public member of a public class."""
    reference = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^prowess\.[\w.]+\.[A-Z]\w+$", reference, re.MULTILINE)  # returned classes
    names = {f"{module}.{name}" for module in MODULES for name in import_module(module).__all__}
    for name in sorted(names | set(listed)):
        module, _, last = name.rpartition(".")
        yield from describe_object(name, getattr(import_module(module), last))


def describe_object(name: str, value: Any) -> Iterator[str]:
    """A name with its signature, a class with its members."""
    if inspect.isclass(value):
        bases = [one.__name__ for one in value.__mro__[1:] if one.__module__ == "builtins"]
        yield f"{name}: class" + (f" ({', '.join(bases[:1])})" if bases[0] != "object" else "")
        fields = getattr(value, "_fields", ()) or getattr(value, "__dataclass_fields__", ())
        if fields or any("__init__" in vars(one) and is_ours(one) for one in value.__mro__):
            yield from list_parameters(f"{name}()", value)
        members = {key: one for one in reversed(value.__mro__) if is_ours(one)
                   for key, one in vars(one).items()}  # fmt: skip
        for key in sorted(members):
            kind = type(members[key]).__module__.split(".")[0]  # others' libraries add methods
            if not key.startswith("_") and key not in fields and kind in OURS:
                yield from describe_member(f"{name}.{key}", members[key])
    elif callable(value):
        yield from list_parameters(name, value)
    else:
        yield f"{name}: {type(value).__name__}"


def is_ours(kind: type) -> bool:
    """Whether a class is one of this library."""
    return kind.__module__.split(".")[0] == "prowess"


def describe_member(name: str, member: Any) -> Iterator[str]:
    """A method with its signature; a property or an attribute with its type."""
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    if inspect.isfunction(member):
        yield from list_parameters(name, member)
    else:
        getter = getattr(member, "fget", None) or getattr(member, "func", None)
        kind = inspect.signature(getter).return_annotation if getter else type(member).__name__
        yield f"{name}: {kind}"


def list_parameters(name: str, function: Callable[..., Any]) -> Iterator[str]:
    """The name with what is returned, then each parameter with type and default."""
    signature = inspect.signature(function)
    returned = signature.return_annotation
    yield name + ("" if returned is signature.empty else f" -> {returned}")
    for one in signature.parameters.values():
        if one.name != "self" and not one.name.startswith("_"):
            kind = "keyword " if one.kind is one.KEYWORD_ONLY else ""
            yield f"    {kind}" + ADDRESS.sub(r"\1", QUOTED_TYPE.sub(r": \1", str(one)))


def list_systems() -> Iterator[str]:
    """Every system with its parameters, their defaults and domains."""
    from prowess.engine.params import parameters
    from prowess.systems.catalogue import catalogue

    for name, system in sorted(catalogue().items()):
        yield name
        for parameter in parameters(system).values():
            default = parameter.display(parameter.default)
            yield f"    {parameter.name} = {default}, {parameter.describe()}"


# The shell: verbs, options, JSON, exit codes.


def walk_verbs() -> Iterator[tuple[str, Any]]:
    """Every verb by its words."""
    import click

    from prowess.cli.commands import prowess

    def walk(group: Any, words: str) -> Iterator[tuple[str, Any]]:
        for name in sorted(group.list_commands(None)):
            verb = group.get_command(None, name)
            yield f"{words} {name}".strip(), verb
            if isinstance(verb, click.Group):
                yield from walk(verb, f"{words} {name}".strip())

    return walk(prowess, "")


def list_options() -> Iterator[str]:
    """Every verb with its arguments and options: names, type, choices, default."""
    for words, verb in walk_verbs():
        yield f"prowess {words}"
        yield from sorted(f"    {describe_option(one)}" for one in verb.params)


def describe_option(option: Any) -> str:
    """One option as a line."""
    said = option.to_info_dict()
    if said["param_type_name"] == "argument":
        return f"{said['name'].upper()}{'' if said['nargs'] == 1 else ' ...'}"
    kind = said["type"]
    words = [", ".join([*said["opts"], *said["secondary_opts"]])]
    if not said["is_flag"]:
        words.append("|".join(map(str, kind["choices"])) if "choices" in kind else kind["name"])
    if said["nargs"] != 1:
        words.append(f"x {said['nargs']}")
    default = said["default"]
    if isinstance(default, str | int | float) and not isinstance(default, bool):
        words.append(f"= {default}")
    words += [word for word in ("multiple", "required") if said[word]]
    return " ".join([*words, *([f"${said['envvar']}"] if said["envvar"] else [])])


def list_json_fields() -> Iterator[str]:
    """The fields of the JSON that every verb of `RUNS` prints."""
    from click.testing import CliRunner

    from prowess.cli.commands import prowess

    with tempfile.TemporaryDirectory() as folder:
        places = make_places(Path(folder))
        for words, asked in sorted(RUNS.items()):
            given = [places.get(word, word) for word in asked.split()]
            done = CliRunner().invoke(prowess, [*words.split(), *given, "--json"])
            if done.exit_code:
                raise RuntimeError(f"prowess {words} {asked}: {done.output}") from done.exception
            yield f"prowess {words} {asked}".strip()
            fields: dict[str, set[str]] = {}
            gather_fields(json.loads(done.stdout), "", fields)
            for path, kinds in fields.items():
                yield f"    {path}: {' | '.join(sorted(kinds))}"


def make_places(folder: Path) -> dict[str, str]:
    """A table of games, and a store with a category and a token."""
    from prowess.live.store import access
    from tests.live.journal.journals import open_journal

    table, store = folder / "games.csv", folder / "store.db"
    table.write_text("\n".join(["date,player_a,player_b,result", *GAMES]), encoding="utf-8")
    journal = open_journal(f"sqlite:///{store}", system="elo")
    journal.store.writer.do(lambda it: access.make_token(it, "a", ["read"], now=journal.clock()))
    journal.close()
    return {"GAMES": str(table), "STORE": str(store)}


KINDS = {bool: "true or false", int: "number", float: "number", str: "text", type(None): "null"}


def gather_fields(value: Any, path: str, fields: dict[str, set[str]]) -> None:
    """Add the path of every value below `value` with its kinds; a list is one path."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            gather_fields(inner, f"{path}.{key}".lstrip("."), fields)
    elif isinstance(value, list):
        for inner in value:
            gather_fields(inner, f"{path}[]", fields)
    if not value and isinstance(value, list | Mapping):
        fields.setdefault(path, set()).add("empty")
    elif not isinstance(value, list | Mapping):
        fields.setdefault(path, set()).add(KINDS[type(value)])


def list_exits() -> Iterator[str]:
    """The exit codes by name, and the code of every error that has no file."""
    from prowess import errors
    from prowess.cli import exits

    source = inspect.getsource(exits).partition("\n\n\n")[0]
    yield from sorted(re.findall(r"^[A-Z_]+ = \d+$", source, re.MULTILINE))
    for name in errors.__all__:
        if name != "DataWarning":
            yield f"    {name} {exits.classify_error(getattr(errors, name)('text'))[0]}"


def list_error_codes() -> Iterator[str]:
    """Every class of errors with its codes, as `make readme` wrote them into the reference."""
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    for part in page.split("\n## ")[1:]:
        name, _, codes = part.partition("\n")
        yield name
        yield from (
            f"    {code}" for code in re.findall(r"`([a-z0-9_]+)`", codes.partition("|")[0])
        )


# The server.


def list_routes() -> Iterator[str]:
    """Every route with its methods; those of the API with parameters, and fields of bodies."""
    from prowess.live.api.application import build_application
    from prowess.live.api.middleware import ServerSettings
    from prowess.live.web.routes import add_page_routes
    from tests.live.journal.journals import open_journal

    with tempfile.TemporaryDirectory() as folder:
        journal = open_journal(f"sqlite:///{folder}/store.db")
        app = build_application(journal)
        described: dict[str, Any] = app.openapi()
        clean_up = add_page_routes(app, journal, ServerSettings())
        app.state.streams.close()
        journal.close()
        clean_up()
    routes: dict[tuple[str, str], Mapping[str, Any]] = {
        (str(vars(route)["path"]), method): {}
        for route in app.routes
        for method in getattr(route, "methods", set()) - {"HEAD"}
    }
    for path, methods in described["paths"].items():
        routes |= {(path, method.upper()): operation for method, operation in methods.items()}
    for (path, method), operation in sorted(routes.items(), key=lambda one: one[0]):
        yield f"{method} {path}"
        yield from describe_operation(operation)
    for name, schema in sorted(described["components"]["schemas"].items()):
        yield f"schema {name}"
        for field, said in schema.get("properties", {}).items():
            must = ", required" if field in schema.get("required", ()) else ""
            yield f"    {field}: {describe_schema(said)}{must}"


def describe_operation(operation: Mapping[str, Any]) -> Iterator[str]:
    """Parameters, body and answers of an operation."""
    for one in operation.get("parameters", ()):
        must = ", required" if one.get("required") else ""
        yield f"    {one['in']} {one['name']}: {describe_schema(one['schema'])}{must}"
    for where, holder in (("body", operation.get("requestBody", {})), *(
        (status, answer) for status, answer in sorted(operation.get("responses", {}).items())
    )):  # fmt: skip
        for media, content in holder.get("content", {}).items():
            yield f"    {where}: {media} {describe_schema(content.get('schema', {}))}".rstrip()


def describe_schema(schema: Mapping[str, Any]) -> str:
    """A schema in one line: the type, the values, the default, or the name of another."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    several = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if several:
        text = " | ".join(dict.fromkeys(map(describe_schema, several)))
    elif "enum" in schema:
        text = "|".join(map(str, schema["enum"]))
    elif schema.get("type") == "array":
        text = f"[{describe_schema(schema.get('items', {}))}]"
    else:
        text = str(schema.get("type", ""))
    return text + (f" = {schema['default']}" if schema.get("default") is not None else "")


def list_old_names() -> Iterator[str]:
    """Every old name that works, its new one, and until when."""
    from prowess.version import RENAMED

    for old, (new, until) in sorted(RENAMED.items()):
        yield f"{old} is {new}, until {until}"


SECTIONS: dict[str, Callable[[], Iterator[str]]] = {
    "Python": list_names,
    "Old names": list_old_names,
    "Systems": list_systems,
    "Verbs and options": list_options,
    "JSON of verbs": list_json_fields,
    "Exit codes": list_exits,
    "Codes of errors": list_error_codes,
    "Routes of the server": list_routes,
}


def write_surface() -> str:
    """The whole surface, section after section."""
    parts = [f"Written by `{RENEW}`; see docs/reference/versions.md."]
    for heading, lines in SECTIONS.items():
        parts += ["", f"== {heading} ==", "", *lines()]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    text = write_surface()
    if "--write" in sys.argv:
        FILE.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
