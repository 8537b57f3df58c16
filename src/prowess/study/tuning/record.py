"""Evaluated settings as lines of JSON, so that a search that was stopped goes on.

Each line holds the key of its task: the results, the system, the period and the split. Lines of
other tasks may stand in the same file and are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import inf, isfinite

from prowess.study.tuning.evaluation import Evaluated


class BadRecord(ValueError):
    """A file of evaluated settings that holds something else."""


def line(key: str, one: Evaluated) -> str:
    """One evaluation; an infinite score is null."""
    score = one.score if isfinite(one.score) else None
    return json.dumps({"key": key, "setting": one.setting, "score": score}) + "\n"


def recalled(lines: Iterable[str], key: str) -> list[Evaluated]:
    """The evaluations of a task; a last line that was cut off is passed over.

    Raises BadRecord, naming the line.
    """
    found = []
    texts = list(lines)
    for number, text in enumerate(texts, 1):
        try:
            data = json.loads(text)
            of_this = data["key"] == key
            score = inf if data["score"] is None else float(data["score"])
            setting = {str(name): float(value) for name, value in data["setting"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            if number == len(texts) and not text.endswith("\n"):
                break
            raise BadRecord(
                f"line {number} is no evaluated setting: name a file that tune wrote, or a new one"
            ) from None
        if of_this:
            found.append(Evaluated(setting, score))
    return found
