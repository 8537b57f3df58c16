"""What emitting asks of flat functions: which names stand in the stack frame, what costs little."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from prowess.compile.source import walk


def find_moving_names(body: list[ast.stmt]) -> set[str]:
    """The names that are set more than once, or read outside of the block that sets them."""
    stores: Counter[str] = Counter()
    homes: dict[str, tuple[int, ...]] = {}
    moving: set[str] = set()
    for node, path in walk_blocks(body, ()):
        if isinstance(node.ctx, ast.Store):
            stores[node.id] += 1
            homes[node.id] = path
        elif node.id in homes and path[: len(homes[node.id])] != homes[node.id]:
            moving.add(node.id)
    return moving | {one for one, count in stores.items() if count > 1}


def walk_blocks(
    body: list[ast.stmt], path: tuple[int, ...]
) -> Iterator[tuple[ast.Name, tuple[int, ...]]]:
    """All names with the blocks around them, in the order in which they are reached."""
    for statement in body:
        inner: list[list[ast.stmt]] = []
        heads: list[ast.AST] = [statement]
        if isinstance(statement, ast.If):
            heads, inner = [statement.test], [statement.body, statement.orelse]
        elif isinstance(statement, ast.While):
            heads, inner = [], [statement.body]
        elif isinstance(statement, ast.For):
            heads, inner = [statement.iter], [statement.body]
        elif isinstance(statement, ast.Assign):
            heads = [statement.value, *statement.targets]
        for head in heads:
            for node in walk(head):
                if isinstance(node, ast.Name):
                    yield node, path
        for block in inner:
            deeper = (*path, id(block))
            if isinstance(statement, ast.For):
                assert isinstance(statement.target, ast.Name)
                yield statement.target, deeper
            yield from walk_blocks(block, deeper)


def is_at_hand(node: ast.expr) -> bool:
    """Whether a value costs so little that it is evaluated even where it is not needed."""
    if isinstance(node, ast.UnaryOp):
        return is_at_hand(node.operand)
    if isinstance(node, ast.IfExp):
        return is_at_hand(node.body) and is_at_hand(node.orelse) and not has_branches(node.test)
    return isinstance(node, ast.Name | ast.Constant)


def has_branches(node: ast.expr) -> bool:
    """Whether a test is evaluated in parts."""
    return any(isinstance(one, ast.BoolOp | ast.IfExp) for one in walk(node))


def list_places(node: ast.expr) -> list[ast.expr]:
    """The places that an item is asked for by."""
    return node.elts if isinstance(node, ast.Tuple) else [node]
