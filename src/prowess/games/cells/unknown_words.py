"""Words of results that are not known: what they may mean is asked of all of a column at once."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from prowess.games.columns import as_text
from prowess.games.errors import SKIP, InvalidValue

UNKNOWN = frozenset({"unknown_outcome", "unknown_winner", "unknown_own_result"})
MOST_WORDS = 12  # that a remedy names


def refuse_word(what: str, words: Mapping[str, None], role: str, code: str) -> InvalidValue:
    """The refusal of a word of a result, with the options that say what all such `words` mean.

    >>> refuse_word("?", {"abc": None}, "result", "unknown_outcome").remedy.partition(", where")[0]
    'say what it means with outcomes={"abc": None} (--outcome abc=none)'
    """
    shown = [*words][:MOST_WORDS]
    python = ", ".join(f'"{word}": None' for word in shown)
    shell = " ".join(f"--outcome {shlex.quote(f'{word}=none')}" for word in shown)
    more = f" and {len(words) - len(shown):,} more" if len(words) > len(shown) else ""
    each = "it means" if len(words) == 1 else "they mean"
    say = (
        f"say what {each} with outcomes={{{python}}} ({shell}){more}, where none is no game and "
        "1, 0.5 or 0 the score of the first side"
    )
    other = f"name another column with {role}=... (--{role})"
    first, second = (other, say) if more else (say, other)
    return InvalidValue(what, f"{first}, {second}, or {SKIP}", code=code)


def ask_about_all(
    wrong: Mapping[int, InvalidValue], cell: Callable[[int], Any]
) -> Mapping[int, InvalidValue]:
    """The refusals of a column, in which that of an unknown word names all such words."""
    odd = sorted(row for row, refusal in wrong.items() if refusal.code in UNKNOWN)
    words = dict.fromkeys(as_text(cell(row)).strip() for row in odd)
    if len(words) < 2:
        return wrong
    role = "winner" if wrong[odd[0]].code == "unknown_winner" else "result"
    first = wrong[odd[0]]
    return {**wrong, odd[0]: refuse_word(first.what, words, role, first.code)}
