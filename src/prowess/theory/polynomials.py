"""Polynomials in t with whole coefficients, exactly."""

from __future__ import annotations

from math import gcd

Polynomial = tuple[int, ...]  # coefficients, the constant first; the last is not 0


def added(p: Polynomial, q: Polynomial) -> Polynomial:
    """p + q."""
    size = max(len(p), len(q))
    long, more = (*p, *[0] * (size - len(p))), (*q, *[0] * (size - len(q)))
    return _trimmed([a + b for a, b in zip(long, more, strict=True)])


def multiplied(p: Polynomial, q: Polynomial) -> Polynomial:
    """p q."""
    if not p or not q:
        return ()
    product = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        if a:
            for k, b in enumerate(q):
                product[i + k] += a * b
    return tuple(product)


def common_factor(p: Polynomial, q: Polynomial) -> Polynomial:
    """The greatest common divisor without numeric factors, by Euclid's algorithm."""
    p, q = _primitive(p), _primitive(q)
    while q:
        p, q = q, _primitive(_remainder(p, q))
    return p


def divided(p: Polynomial, q: Polynomial) -> Polynomial:
    """p / q for a q that divides p and has no numeric factor."""
    left, quotient = list(p), [0] * (len(p) - len(q) + 1)
    for k in reversed(range(len(quotient))):
        quotient[k] = left[k + len(q) - 1] // q[-1]
        for i, c in enumerate(q):
            left[k + i] -= quotient[k] * c
    return tuple(quotient)


def at(p: Polynomial, t: float) -> float:
    """p(t), by Horner's rule."""
    total = 0.0
    for c in reversed(p):
        total = total * t + c
    return total


def derived(p: Polynomial) -> Polynomial:
    """dp / dt."""
    return tuple(k * c for k, c in enumerate(p))[1:]


def lowest(p: Polynomial) -> int:
    """The power of the first coefficient that is not 0."""
    return next(k for k, c in enumerate(p) if c)


def written(p: Polynomial, degree: int) -> str:
    """The form Y^degree p(X / Y), highest power of X first."""
    terms = []
    for k in reversed(range(len(p))):
        if p[k]:
            powers = [_power("X", k), _power("Y", degree - k)]
            factor = str(abs(p[k])) if abs(p[k]) != 1 or k == degree == 0 else ""
            sign = "- " if p[k] < 0 else "+ "
            terms.append(sign + " ".join(filter(None, [factor, *powers])))
    text = " ".join(terms)
    return "-" + text[2:] if text.startswith("- ") else text[2:]


def _power(letter: str, exponent: int) -> str:
    return "" if exponent == 0 else letter if exponent == 1 else f"{letter}^{exponent}"


def turned(p: Polynomial, size: int) -> Polynomial:
    """t^(size - 1) p(1 / t)."""
    return _trimmed([*[0] * (size - len(p)), *p[::-1]])


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    left = list(p)
    while len(left) >= len(q):
        factor = left[-1]
        left = [c * q[-1] for c in left]
        for i, c in enumerate(q):
            left[len(left) - len(q) + i] -= factor * c
        left = list(_trimmed(left))
    return tuple(left)


def _primitive(p: Polynomial) -> Polynomial:
    content = gcd(*p)
    return tuple(c // content for c in p) if content > 1 else p


def _trimmed(p: list[int]) -> Polynomial:
    size = len(p)
    while size and p[size - 1] == 0:
        size -= 1
    return tuple(p[:size])
