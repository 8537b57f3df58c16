"""The syntax tree of a function, read from the lines of its text and no others."""

from __future__ import annotations

import ast
import dis
import linecache
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from prowess.compile import Uncompilable

Function = ast.FunctionDef | ast.Lambda
RETURNING = (ast.If, ast.For, ast.While)
CLOSING = (")", "]", "}")


class Source(NamedTuple):
    """What compiling reads of a function's text."""

    tree: Function
    first: int  # the line of the file that is line 1 of the tree
    stores: Counter[str]  # how often each name is set, parameters included; twice if it is kept
    within: frozenset[str]  # the names of loops that nothing reads outside of them
    returning: frozenset[int]  # ids of the statements that contain a `return`


def source_of(function: FunctionType) -> Source:
    """The source of a function; raises Uncompilable where its text is not known."""
    return _source_of_code(function.__code__)


@cache
def source_lines(code: CodeType) -> tuple[str, ...]:
    """The lines of a function's text, from the first to the last that has code."""
    linecache.checkcache(code.co_filename)  # the file may have been edited and read again
    lines = linecache.getlines(code.co_filename)
    last = max(_last_lines(code))
    if not lines or last > len(lines):
        raise Uncompilable(
            f"write {code.co_name} into a file: its text is not known", code="no_source"
        )
    while last < len(lines) and lines[last].lstrip().startswith(CLOSING):
        last += 1  # code without columns, as a browser has, knows only where a last call begins
    return tuple(lines[code.co_firstlineno - 1 : last])


@cache
def _source_of_code(code: CodeType) -> Source:
    tree, first = _find_function(code)
    stores = Counter(one.arg for one in _parameters(tree.args))
    for node in walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores[node.id] += 1
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            stores[node.target.id] += 1
    stores.update(_kept_names(tree))
    returning = frozenset(
        id(node)
        for node in walk(tree)
        if isinstance(node, RETURNING) and any(isinstance(x, ast.Return) for x in walk(node))
    )
    return Source(tree, first, stores, _names_within_loops(tree), returning)


def _kept_names(tree: Function) -> set[str]:
    """The names that a loop may keep: they are set in it and read elsewhere than after that, so
    what is read may be of an earlier round.
    """
    reads = count_reads([tree])
    kept: set[str] = set()

    def look(body: list[ast.stmt], *, in_loop: bool) -> None:
        for place, statement in enumerate(body):
            after = body[place + 1 :]
            if isinstance(statement, ast.If):
                look(statement.body, in_loop=in_loop)
                look(statement.orelse, in_loop=in_loop)
            elif isinstance(statement, ast.For | ast.While):
                look(statement.body, in_loop=True)
                if isinstance(statement, ast.For):
                    note(statement.target, statement.body)
            elif in_loop:
                note(statement, after)

    def note(setter: ast.AST, after: list[ast.stmt]) -> None:
        seen = count_reads(after)
        for node in walk(setter):
            if isinstance(node, ast.Name) and seen[node.id] < reads[node.id]:
                kept.update([node.id] if isinstance(node.ctx, ast.Store) else ())

    if isinstance(tree, ast.FunctionDef):
        look(tree.body, in_loop=False)
    return kept


def _names_within_loops(tree: Function) -> frozenset[str]:
    """The names that are read in loops that set them alone, and of which none holds another."""
    loops: dict[str, list[ast.For]] = {}
    for node in walk(tree):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            loops.setdefault(node.target.id, []).append(node)
    reads = count_reads([tree])
    within = set[str]()
    for name, some in loops.items():
        inner = [node for one in some for part in one.body for node in walk(part)]
        apart = not any(one is node for one in some for node in inner)
        seen = sum(count_reads(one.body)[name] for one in some)
        if apart and seen == reads[name]:
            within.add(name)
    return frozenset(within)


def count_reads(nodes: Iterable[ast.AST]) -> Counter[str]:
    """How often names are read."""
    reads = Counter[str]()
    for one in nodes:
        for node in walk(one):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                reads[node.id] += 1
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                reads[node.target.id] += 1
    return reads


def _find_function(code: CodeType) -> tuple[Function, int]:
    """The tree of a function, and the line of the file that is line 1 of it."""
    if code.co_name != "<lambda>":
        lines = "".join(source_lines(code))
        within = lines[0].isspace()  # of another function: its text is indented
        text = ast.parse(f"if within:\n{lines}" if within else lines)
        tree = _pick_function(text, code, 1 + within)
        _check_unchanged(tree, code)
        return tree, code.co_firstlineno - within
    return _pick_function(_tree_of_file(code.co_filename), code, code.co_firstlineno), 1


def _check_unchanged(tree: Any, code: CodeType) -> None:
    """Raise Uncompilable where a file has been edited since the function was read from it."""
    known = " = ".join((*code.co_freevars, "None"))
    module: Any = ast.parse(f"def outer():\n    {known}\n    def made(): pass")
    bare = module.body[0].body[-1]
    bare.args, bare.body = tree.args, tree.body
    made = _inner(_inner(compile(module, code.co_filename, "exec", dont_inherit=True)))
    if made.co_code == code.co_code and _list_names(made) == _list_names(code):
        return
    if list(_describe_code(made)) != list(_describe_code(code)):
        raise Uncompilable(
            f"start again: {code.co_filename} was edited after {code.co_name} was read",
            code="file_edited",
        )


def _inner(code: CodeType) -> CodeType:
    """The code of the function in code of one function."""
    return next(one for one in reversed(code.co_consts) if isinstance(one, CodeType))


OF_NAMES_AND_OPERATORS = ("ctx", "id", "op", "ops", "attr", "kind", "type_comment", "type_params")
CALLING = ("PUSH_NULL", "PRECALL", "CALL", "EXTENDED_ARG", "CACHE", "NOP", "RESUME")


def _list_names(code: CodeType) -> list[object]:
    """What code names: names and constants."""
    constants = (repr(one) for one in code.co_consts if not isinstance(one, CodeType))
    return [code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars, *constants]


def _describe_code(code: CodeType) -> Iterator[object]:
    """What code of one text has in common, however its module imports the names in it."""
    yield from _list_names(code)
    steps = [one for one in dis.get_instructions(code) if one.opname not in CALLING]
    for one in steps:
        if one.opcode in dis.hasjrel or one.opcode in dis.hasjabs:
            yield one.opname, sum(other.offset < one.argval for other in steps)
        elif one.opcode in dis.hasconst:
            yield one.opname  # the constants are compared above; code is of its own place
        else:
            what = re.sub(r"NULL(\|self)?", "", one.argrepr).strip(" +")  # asked for to call it
            yield one.opname.replace("LOAD_METHOD", "LOAD_ATTR"), what or one.arg


def _pick_function(tree: ast.AST, code: CodeType, line: int) -> Function:
    """The function of a tree that begins in a line; of several there, the one of this code."""
    found = [
        node
        for node in walk(tree)
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and getattr(node, "name", "<lambda>") == code.co_name
        and min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) == line
    ]
    if len(found) > 1:  # lambdas in one line: by the columns of their instructions
        columns = {at[2] for at in code.co_positions() if at[2] is not None and at[0] == line}
        found = [
            node
            for node in found
            if isinstance(node, ast.Lambda)
            and all(node.body.col_offset <= at < (node.end_col_offset or 0) for at in columns)
        ]
    if len(found) != 1:
        raise Uncompilable(
            f"write {code.co_name} as a function of its own: its text is not found",
            code="no_source",
        )
    return found[0]


@cache
def _tree_of_file(file: str) -> ast.Module:
    return ast.parse("".join(linecache.getlines(file)))


def walk(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree but its operators and contexts, outer ones first; `ast.walk` would take
    several times as long.
    """
    found = [tree]
    for node in found:
        kind: Any = type(node)
        for field in _fields_with_nodes(kind):
            value = getattr(node, field)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
    return found


@cache
def _fields_with_nodes(kind: Any) -> tuple[str, ...]:
    """The fields of such nodes in which others are."""
    return tuple(one for one in kind._fields if one not in OF_NAMES_AND_OPERATORS)


def is_endless(loop: ast.For | ast.While) -> bool:
    """Whether nothing follows a loop: `while True` without a `break` of its own."""
    test = loop.test if isinstance(loop, ast.While) else None
    return isinstance(test, ast.Constant) and bool(test.value) and not any(map(leaves, loop.body))


def leaves(statement: ast.stmt) -> bool:
    """Whether a statement has a `break` of the loop around it."""
    if isinstance(statement, ast.If):
        return any(map(leaves, (*statement.body, *statement.orelse)))
    return isinstance(statement, ast.Break)


def _last_lines(code: CodeType) -> Iterator[int]:
    yield code.co_firstlineno
    yield from (at[1] for at in code.co_positions() if at[1] is not None)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _last_lines(constant)


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    if arguments.vararg is not None:
        yield arguments.vararg


def remember_source(name: str, text: str) -> str:
    """Note the text of a function that is made of text; returns the name of its file."""
    file = f"<{name} {next(_file_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    return file


_file_numbers = count()


def place_of(function: FunctionType, source: Source, node: Any) -> str:
    """File and line of a node of a function's tree."""
    line = getattr(node, "lineno", 1) + source.first - 1
    return f"{function.__code__.co_filename}:{line}"
