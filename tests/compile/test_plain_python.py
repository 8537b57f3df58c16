"""Numbers, arrays and the order of evaluation, compiled beside plain Python."""
# ruff: noqa: SIM201 - odd Python is what is tested
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


def bump(a):
    a[0] += 1
    return a[0]


def put(a, k, v):
    a[k] = v
    return k


def side(a):
    a[0] += 1
    return a[0] > 2


def same(x):
    return x + 1


one = same


def same(x):
    return x + 2


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


class Q(NamedTuple):
    p: P
    z: int


@case(floats(3, 2))
def chain_effect(a):
    if 5 < 1 + a[1] < bump(a):
        pass
    return a[0]


@case(floats(3, 2))
def aug_effect(a):
    a[0] += bump(a)
    return a[0]


@case(np.array([1.5], "f"))
def ret32(a):
    return a[0]


@case(2**53 + 1, 2.0**53)
def cmpexact(x, y):
    return x == y


@case(5)
def bigconst(x):
    return x < 0xFFFFFFFFFFFFFFFF


@case(floats(3, 2))
def receiver(a):
    return P(a[0], a[1]).total(bump(a))


@case(
    np.array([3, 0, 1]),
)
def slice_order(k):
    return len(k[k[0] - 3 : bump(k) - 2])


@case(floats(1, 2, 3, 4, 5), 10)
def slices(a, n):
    b = a[1:n]
    c = b[-2:]
    c[0] = 50
    d = a[7:2]
    return len(b) * 1000 + len(c) * 100 + len(d) * 10 + a[-2] + b[-1]


@case(1, 2, 3)
def varargs(*v):
    return v[0] * 100 + v[1] * 10 + v[2]


@case(floats(0, 1, 2))
def order1(a):
    a[put(a, 0, 1.0)] = a[1] + a[put(a, 1, 7.0)] * 10
    return a[0]


@case(floats(0, 1, 2))
def order2(a):
    return a[0] + put(a, 0, 5.0) + a[0]


@case(floats(0, 1, 2))
def order3(a):
    x = a[0], put(a, 0, 5.0), a[0]
    return x[0] + 10 * x[1] + 100 * x[2]


@case(floats(0, 1, 2))
def mix(a):
    t = 0
    for k in range(5):
        if side(a) and (k > 2 or not side(a)):
            t += 1
        elif (not (k == 1) and side(a)) or a[1] > 5:
            t += 10
        t = t * 2
    return t + a[0]


@case(2.0, 3)
def nt(x, k):
    p = P(x)
    q = Q(p.plus(k, s=3), k)
    p, q = q.p, Q(p, q.z + 1)
    return p.norm() + q.p.x * 100 + q.z


@case(floats(1, 2, 3, 4))
def views(a):
    b = a[1:]
    c = b[1:]
    b[1] = 50
    c[-1] = c[0] + 1
    return a[3] + a[2]


@case(np.arange(12.0).reshape(3, 4)[::-1, ::2])
def strided(m):
    n, k = m.shape
    t = 0.0
    for i in range(n):
        r = m[i]
        for j in range(-1, -k - 1, -1):
            t = t * 2 + r[j]
    m[1, :] = 3.0
    m[-1][0] = 5.0
    return t


@case(7, -3)
def chain(x, y):
    return (y < x <= 7 != y) + 2 * (x in (1, 7)) + 4 * (y not in (1, x))


@case(floats(1, 2, 3), floats(1, 2, 3))
def alias(a, b):
    c = a if len(a) > 5 else b
    c[0] = 9
    return a[0] + b[0]


@case(floats(5, 2))
def aug(a):
    a[put(a, 1, 0) - 1] += 2
    a[0] -= a[0] * 2
    return a[0]


@case(floats(5, 2))
def swap_nested(a):
    (x, (y, z)), w = (1, (2, 3)), 4
    (x, (y, z)), w = (w, (x, y)), z
    return x * 1000 + y * 100 + z * 10 + w


@case(floats(1, 2, 3))
def tup_neg(a):
    t = (a[0], a[1], a[2])
    s = 0
    for i in range(-3, 0):
        s = s * 10 + t[i]
    return s


@case(np.array([-5, 5, 1 << 62]), 67)
def shifts(a, n):
    return (a[0] >> n) + (a[1] >> n) * 10 + (a[2] >> (n - 5)) * 100


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
