"""Games whose results have classes: what a system takes from a table, whole or as a stream.

Margin classes and first cut points come from the opening: forecasts know no later result.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from prowess.engine.params import Bank, rows_of, with_settings
from prowess.games.games import Games
from prowess.games.result_classes import ClassRule

OPENING = 0.2  # share of a table from which margin classes and first cut points are taken
FIRST_WIDTH, RAREST = 1.3, 1e-3  # of cut points, in logits of their share; least share below one
CHILD, CHILD_IN_CONTESTS = 0.1, 0.5  # of the variance, the player's own beside a shared member
CONTEST_VARIANCES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)


def opening_of(p: Any, games: int) -> int:
    """How many games the classes are taken from."""
    return int(rows_of(p)[0].opening) or max(ceil(OPENING * games), 1)


def kinds_of(table: Games) -> int:
    """How many kinds of games there are; 0: the table does not say."""
    known = table.facts.get("variant")
    return 0 if known is None else int(known.max(initial=0.0)) + 1


def grade_games(table: Games, rule: ClassRule) -> Games:
    """The table with the facts that the functions read."""
    result, drawn = rule.grade(table)
    facts = {"result": result, "drawn": drawn, "kind": table.facts.get("variant")}
    known = {name: column for name, column in facts.items() if column is not None}
    return table.replace(facts={**table.facts, **known})


def set_games(p: Any, rule: ClassRule, kinds: int, shared: bool) -> Any:
    """The settings for games of these classes."""
    share = rule.share.clip(RAREST, 1.0 - RAREST)
    cuts = FIRST_WIDTH * np.log((1.0 + share) / (1.0 - share))
    changes = {f"cut{k}": float(cut) for k, cut in enumerate(cuts)}
    changes |= {"classes": float(len(cuts)), "drawn": float(rule.draws)}
    changes |= {"kinds": float(kinds or 1)}
    changes |= {} if rule.draws else {"cut0": 0.0}
    changes |= {"own": CHILD} if shared else {}
    return with_settings(p, **changes)


def set_contests(p: Any, shared: bool) -> Any:
    """The settings for contests."""
    own = CHILD_IN_CONTESTS if shared else 1.0
    if isinstance(p, Bank) and p.is_default:
        p = Bank.of(p.rows[0], dict(p.grid) | {"variance": CONTEST_VARIANCES})
    return with_settings(p, own=own, shared=own)


def words_of(rule: ClassRule, kinds: int) -> list[str]:
    """What of the results is used."""
    words = ["draws"] * rule.draws + [f"margin in {len(rule.share)} classes"] * rule.margins
    return [*words, *["variant"] * bool(kinds)]


def note_uses(table: Games, used: list[str]) -> Games:
    dates = "no dates (strengths stand still)" if table.time is None else "dates"
    note = f"prowess uses {', '.join([*(used or ['scores']), *table.roles[1:], dates])}"
    return table.replace(notes=(note,))
