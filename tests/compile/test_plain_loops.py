"""Loops, branches and names, compiled beside plain Python: the same number and arrays."""
# ruff: noqa: B007, F841, PLR1704, PLW2901 - odd Python is what is tested
# mypy: disable-error-code="call-arg, call-overload, no-redef, unreachable"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from prowess.compile.kernel import compile_function

pytest.importorskip("llvmlite")

SAME: list[Any] = []  # (function, arguments)


def floats(*numbers):
    return np.array(numbers, float)


def case(*arguments):
    """Compiled, the function is to give what Python gives for these arguments."""

    def note(function):
        SAME.append(pytest.param(function, arguments, id=function.__name__))
        return function

    return note


def side(a):
    a[0] += 1
    return a[0] > 2


def early(a, n):
    for i in range(n):
        for j in range(n):
            if a[j] > i:
                if j == 1:
                    continue
                if i == 2:
                    return i * 10 + j
                break
            if a[j] == 7:
                return -1
        a[0] += 1
    return 99


def one_more(f):
    def inner(*a):
        return f(*a) + 1

    return inner


@one_more
def decorated(x):
    return x * 2


def same(x):
    return x + 1


one = same


def same(x):
    return x + 2


def shadow(x, k=3):
    if x > 2:
        x = k
    for k in range(2):
        x += k
    return x * 10 + k


def leave_early(numbers, x):
    for i in range(3):
        if x > 3:
            return
        numbers[i] = x


@case(floats(1, 2, 3), 0)
def loop_var_kept(a, n):
    i = 5
    for i in range(n):
        pass
    return i


@case(floats(1, 2, 3), -1)
def loop_var_branch(a, n):
    t = 0
    for i in range(3):
        if n > 0:
            for i in range(n):
                pass
        t += i
    return t


@case(floats(5, -1, 7, -2))
def alias_branch(a):
    for i in range(len(a)):
        y = a[i]
        if y > 0:
            last = y
    return last


@case(floats(0, 0, 0, 0, 0))
def alias_counter(a):
    for i in range(len(a)):
        if i % 2 == 0:
            e = i
        a[i] = e
    return 0


@case(floats(5, 6, -1, 7))
def alias_break(a):
    for i in range(len(a)):
        y = a[i]
        if y < 0:
            break
        last = y
    return last


@case(floats(1.5))
def unroll_if(a):
    t = 0
    for v in (1, 2, 3):
        if a[0] > v:
            y = v
        t += y
    return t * 10 + y


@case(floats(1, -5))
def dup_rest(a):
    for i in range(len(a)):
        if a[i] < 0:
            if a[i] < -100:
                return -1.0
            a[i] = 1
        last = a[i] + 10
    return last


@case(floats(3, 1, 2), 4)
def swaps(a, n):
    x, y = (1.0, (2.0, 3.0)), 4.0
    (p, q), r = (a[0], a[1]), a[2]
    while n:
        p, q, r = q, r, p
        a[0], a[1] = a[1], a[0]
        n -= 1
    return p + 10 * q + 100 * r + 1000 * a[0]


@case(10, 0)
def ranges(a, b):
    t = 0
    for i in range(a, b, -3):
        t = t * 10 + i
    for j in range(b, a, 4):
        t = t * 10 + j
    for k in range(b, a, -1):
        t += 1
    return t


@case(floats(1, 2, 0, 1), 4)
def nested_ret(a, n):
    return early(a, n) + 1000 * early(a, n)


@case(floats(1, 2, 3), 5)
def while_many(a, n):
    k = 0
    while True:
        k += 1
        if k > n:
            break
        if a[k % 3] == 3 and k > 3:
            return k
        if k == 2:
            continue
        a[k % 3] += 1
    return -k


@case(floats(1, 2, 3), 5)
def body_breaks(a, n):
    for i in range(n):
        x = a[i]
        break
    return x + i


@case(floats(3, 1, 2))
def tern(a):
    x, y = (a[0], 1) if side(a) else (2, a[1])
    return x if x > y else y if side(a) else -1


@case(np.zeros(0))
def zero(a):
    t = 1
    for i in range(len(a)):
        t = a[i]
    return t


@case(4)
def use_deco(x):
    return decorated(x) + decorated(x + 1)


@case(4)
def two_names(x):
    return one(x) * 10 + same(x)


@case(5)
def shadows(x):
    y = shadow(x) + shadow(x, k=7)
    return x * 1000 + y


@case(5)
def deep(n):
    t = 0
    for i in range(n):
        for j in range(i, n):
            if j == 3:
                break
            for k in range(j):
                if k == i:
                    continue
                if i + j + k == 7:
                    return t * 1000 + i * 100 + j * 10 + k
                t += 1
        else_ = j
    return t * 10 + else_


@case(5.5)
def early_none(x):
    leave_early([0.0] * 3, x)
    return x


@case(floats(1, 2, 3))
def tuples_in_loop(a):
    best = (0.0, -1)
    for i in range(len(a)):
        if a[i] > best[0]:
            best = (a[i], i)
    return best[1] * 10 + best[0]


@case(floats(1, 2), 1)
def outer_kept(a, n):
    for i in range(3):
        for j in range(i):
            k = j
        if i:
            a[0] += k
    return a[0] + j


@case(1)
def longrange(n):
    c = 0
    for i in range(2**63 - 3, 2**63 - 1, 5):
        c += 1
    return c


@case(3)
def while_false(n):
    while False:
        n = 7
    while n < 3:
        n = n + 1.5
    return n


NUMBERS = (0.5, -0.0, 3.0, 1e300, -7.25, 2.0)
ROWS = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, -0.0))


class Point(NamedTuple):
    x: float
    y: float


POINTS = (Point(1.0, 2.0), Point(3.0, 4.0), Point(5.0, 6.0))


@case(floats(0, 0, 0, 0, 0, 0, 0))
def item_of_a_table(a):
    for k in range(-6, 6):
        a[k % 7] += NUMBERS[k] + k * NUMBERS[5 - k if k > 0 else 0]
    return a[3] * NUMBERS[int(a[0]) % 6]


@case(floats(0, 0, 0, 0, 0, 0, 0))
def item_of_a_row_of_a_table(a):
    for i in range(-3, 3):
        row = ROWS[i]
        x, _, z = row
        for k in range(3):
            a[k] = a[k] * 2.0 + ROWS[i][k] - ROWS[k][i] * row[1] + x
        a[3 + i % 3] = z / 3.0 + len(row)
    return a[1]


@case(floats(0, 0, 0))
def field_of_a_row_of_a_table(a):
    for k in range(3):
        point = POINTS[k]
        a[k] = point.x * 10.0 + point.y - POINTS[k - 3].y
    return POINTS[int(a[0]) % 3].x


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("function", "arguments"), SAME)
def test_compiled_is_plain_python(function, arguments, monkeypatch):
    """The result and the arrays are those of plain Python."""
    monkeypatch.setenv("PROWESS_CACHE", "off")
    plain, given = ([np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments]
                    for _ in range(2))  # fmt: skip
    expected = function(*plain)
    found = compile_function(function)(*given)
    assert found == expected
    for one, other in zip(plain, given, strict=True):
        assert np.array_equal(one, other)
