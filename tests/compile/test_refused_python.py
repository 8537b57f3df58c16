"""Small functions that machine code would run otherwise than Python are refused."""
# ruff: noqa: F823, F841, FURB163, RET503, RET504 - odd Python is what is tested
# mypy: disable-error-code="call-arg, call-overload, no-redef, unreachable"

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from prowess.compile import Uncompilable
from prowess.compile.kernel import compile_function
from tests.refusals import check_refusal

pytest.importorskip("llvmlite")

REFUSED: list[Any] = []  # (function, arguments)
prev = 100.0  # a name that a function below has of its own


def floats(*numbers):
    return np.array(numbers, float)


def odd(*arguments):
    """The function is to be refused for these arguments."""

    def note(function):
        REFUSED.append(pytest.param(function, arguments, id=function.__name__))
        return function

    return note


def maybe(a):
    if a[0] > 0:
        return None
    return 1.0


def ident(x):
    return x


def even(n):
    return True if n == 0 else uneven(n - 1)


def uneven(n):
    return False if n == 0 else even(n - 1)


class P(NamedTuple):
    x: float
    y: float = 4.0
    K = 3

    @staticmethod
    def pick(k=1, j=2):
        return j

    @property
    def area(self):
        return self.x * self.y

    def total(self, z):
        return self.x * 100 + self.y * 10 + z

    def plus(self, k, *, s=2):
        return P(self.x + k * s, self.y)

    def norm(self):
        return self.x * self.y


@odd(floats(1, 2, 3))
def global_shadow(a):
    s = 0.0
    for i in range(3):
        if i > 0:
            s += prev
        prev = a[i]
    return s


@odd(floats(3, 2))
def and_const(a):
    x = a[0] > 1 and 5
    return x


@odd(floats(3, 2))
def or_const(a):
    x = a[0] > 10 or 5
    return x


@odd(floats(3, 2))
def none_fold(a):
    best = None
    for i in range(len(a)):
        if best is None:
            a[1] = a[i] + 40
            best = 1.0
    return 0


@odd(floats(3, 2))
def none_result(a):
    if maybe(a) is None:
        return 1
    return 2


@odd(floats(-3, 2))
def fall(a):
    if a[0] > 0:
        return 1.0


@odd(floats(3, 2))
def fall2(a):
    if a[0] > 0:
        return None
    return 1.0


@odd(floats(1))
def list_float(a):
    acc = [0] * 3
    acc[0] = 1.5
    return acc[0]


@odd(floats(1))
def list_copy(a):
    acc = [0.0] * 3
    b = acc[:]
    b[0] = 9.0
    return acc[0]


@odd(floats(1))
def list_neg(a):
    acc = [0.0] * -1
    return len(acc)


@odd(floats(1, 2, 3))
def bool_index(a):
    a[a[0] > 0] += 1
    return 0


@odd(P(1.0, 2.0))
def static(p):
    return p.pick(7)


@odd(P(1.0, 2.0))
def prop(p):
    return p.area


@odd(P(1.0, 2.0))
def klass(p):
    return p.K


@odd(floats(3, 2))
def logbase(a):
    return math.log(a[0], 2.0)


@odd(floats(3, 2))
def absbad(a):
    return abs(a[0], 2)


@odd(floats(3, 2))
def shape2(a):
    return a.shape[2]


@odd(1)
def badkw(x):
    return ident(x, nokey=3)


@odd(1)
def dupkw(x):
    return ident(x, x=3)


@odd(4)
def mutual(x):
    return even(x)


@odd(floats(1, 2, 3))
def arrbranch(a):
    b = a
    if a[0] > 0:
        b = a[1:]
    return b[0]


@odd(floats(1))
def two_result(a):
    return a[0], 1


@pytest.mark.parametrize(("function", "arguments"), REFUSED)
def test_what_python_would_do_otherwise_is_refused(function, arguments, monkeypatch):
    """What cannot be as in Python is refused before anything has run."""
    monkeypatch.setenv("PROWESS_CACHE", "off")
    before = [np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments]
    with pytest.raises(Uncompilable) as caught:
        compile_function(function)(*arguments)
    code = "recursive_function" if function is mutual else "not_compilable"
    check_refusal(caught.value, Uncompilable, code)
    assert all(np.array_equal(one, other) for one, other in zip(before, arguments, strict=True))
