"""Who won, in the words of a judge: `[[A]]`, `A>>B`, `Ann wins`, `A is slightly better`."""

from __future__ import annotations

from collections.abc import Mapping

from prowess.games.cells.outcome_words import DRAWN
from prowess.games.patterns import lazy_pattern
from prowess.games.values import fold_text, plain_word
from prowess.games.words import alternatives

JUDGED = lazy_pattern(r"\[\[(.+)\]\]")  # the form that models are asked to judge in
COMPARED = lazy_pattern(r"([^<>=≈~]+)(>+|<+|=+|≈|~)([^<>=≈~]+)")  # A>>B
WINS = lazy_pattern(
    rf"(?:{alternatives('winning')})[: ]+(?:de |of |fur )?(.+)|"
    rf"(?:{alternatives('wins')}) (?:las? |los? |il |i |o |os |as |les? )?(.+)|"
    rf"(.+?) (?:{alternatives('wins')})\b.*"
)
_DEGREE = rf"(?:(?:{alternatives('degree')}) )*"
BETTER = lazy_pattern(
    rf"(?:i )?{_DEGREE}prefer(?:s|red)?:? (?:the )?(.+)|"
    rf"{_DEGREE}better:? (?:is )?(?:the )?(.+)|"
    rf"(?:the )?(.+?) (?:is |was |ist |est |es |e )?{_DEGREE}"
    rf"(?:{alternatives('better')})"
)


def parse_verdict(text: str, sides: Mapping[str, float]) -> float | None:
    """The score of the first side that a judge tells, such as A>>B, [[B]] and [[C]] for a draw.

    None for another text; `sides` are words for the two sides.

    >>> parse_verdict("B>A", {"a": 1.0, "b": 0.0}), parse_verdict("[[C]]", {"a": 1.0, "b": 0.0})
    (0.0, 0.5)
    >>> parse_verdict("A is much better", {"a": 1.0}), parse_verdict("A_WINS", {"a": 1.0})
    (1.0, 1.0)
    """
    judged = JUDGED.fullmatch(text.strip())
    bare = judged[1] if judged else text
    if compared := COMPARED.fullmatch(bare):
        first, second = (sides.get(plain_word(compared[at])) for at in (1, 3))
        if first is None or second is None or first == second:
            return None
        mark = compared[2][0]
        return first if mark == ">" else second if mark == "<" else 0.5
    if judged:
        word = plain_word(bare)
        return 0.5 if word == "c" else sides.get(word, DRAWN.get(word))
    name = winner_in_words(text.replace("_", " "))
    return sides.get(plain_word(name)) if name else None


def winner_in_words(text: str) -> str | None:
    """The name in `Ann wins`, `Sieg Ann` and `Ann is better`, None where there is no such word."""
    folded = fold_text(text)
    found = WINS.fullmatch(folded) or BETTER.fullmatch(folded)
    return next(filter(None, found.groups())) if found else None
