"""Games whose results have classes: what a system takes from a table, whole or as a stream.

Margin classes and first cut points come from the opening: forecasts know no later result.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from prowess.engine.params import Bank, rows_of
from prowess.games.game_members import (
    KIND_OF_ROLE,
    Entries,
    GameMembers,
    LaterRoster,
    Told,
    mean_shares,
)
from prowess.games.games import PLAYER, Games
from prowess.games.result_classes import ClassRule
from prowess.games.role_members import add_members, place_members
from prowess.games.runs import repeat_rows

OPENING = (
    5  # the part of a table, a fifth, from which margin classes and first cut points are taken
)
OPENINGS = (25, 50, 100, 200, 500)  # games, in tables in which a fifth is as many
FIRST_WIDTH, RAREST = 1.3, 1e-3  # of cut points, in logits of their share; least share below one
CHILD, CHILD_IN_CONTESTS = 0.3, 0.5  # of the variance, the player's own beside a shared member


def opening_of(p: Any, games: int) -> int:
    """How many games the classes are taken from: few steps, between which a table may grow."""
    fifth = max(-(-games // OPENING), 1)
    steps = [step for step in OPENINGS if step <= fifth]
    return int(rows_of(p)[0].opening) or (steps[-1] if steps else fifth)


def kinds_of(table: Games) -> int:
    """How many kinds of games there are; 0: the table does not say."""
    known = table.facts.get("variant")
    return 0 if known is None else int(known.max(initial=0.0)) + 1


def grade_games(table: Games, rule: ClassRule) -> Games:
    """The table with the facts that the functions read."""
    size = None
    if not table.duels:
        role = None if table.role is None else table.role[table.player]
        players = np.ones(len(table.player)) if role is None else (role == 0).astype(np.float64)
        sizes = np.bincount(table.side_of_member, players, len(table.ends) - 1)
        size = np.maximum(sizes[0::2], sizes[1::2])
    kind = table.facts.get("variant")
    facts = {**rule.grade(table), "kind": kind, "crew": size}
    known = {name: column for name, column in facts.items() if column is not None}
    return table.replace(facts={**table.facts, **known})


def set_games(p: Any, rule: ClassRule, kinds: int, dated: bool, shared: bool) -> Any:
    """The settings for games of these classes."""
    share = rule.share.clip(RAREST, 1.0 - RAREST)
    cuts = FIRST_WIDTH * np.log((1.0 + share) / (1.0 - share))
    changes = {f"cut{k}": float(cut) for k, cut in enumerate(cuts)}
    changes |= {"classes": float(len(cuts)), "drawn": float(rule.draws)}
    changes |= {"kinds": float(kinds or 1), "dated": float(dated)}
    changes |= {} if rule.draws else {"cut0": 0.0}
    changes |= {"own": CHILD} if shared else {}
    return _change_settings(p, **changes)


def set_contests(p: Any, bank: tuple[Any, ...], dated: bool, shared: bool) -> Any:
    """The settings for contests; `bank` takes the place of the system's own."""
    own = CHILD_IN_CONTESTS if shared else 1.0
    if isinstance(p, Bank) and p.is_default:
        p = Bank.of(p.rows[0], *bank)
    changes = {"own": own, "shared": own, "contest": 1.0, "dated": float(dated)}
    return _change_settings(p, **changes)


def _change_settings(p: Any, **changes: float) -> Any:
    """The settings with these changes, and with what a newcomer's variance is the inverse of."""
    changed = [row._replace(**changes) for row in rows_of(p)]
    rows = tuple(row._replace(known=1.0 / (row.own * row.variance)) for row in changed)
    return replace(p, rows=rows) if isinstance(p, Bank) else rows[0]


def note_uses(table: Games, told: Told, rule: ClassRule | None, kinds: int) -> Games:
    """The table with a note on what is used of it and, of games, of their results."""
    used = ["places"]
    if told.pairwise and rule is not None:
        known = {
            "side advantage": told.sided,
            "rest": told.sided and told.dated,
            **{name: name in told.categories for name in ("league", "context", "voter")},
            "draws": rule.draws,
            f"margin in {len(rule.share)} classes": rule.margins,
            "variant": kinds > 0,
        }
        used = [word for word, there in known.items() if there] or ["scores"]
    dates = "no dates (games are the clock)" if table.time is None else "dates"
    note = f"prowess uses {', '.join([*used, *table.roles[1:], dates])}"
    return table.replace(notes=(note,))


def add_game_members(table: Games, members: GameMembers, to_come: int = 0) -> Games:
    """The table with the members of its games, in the mean of their sides.

    Of the last games, `to_come`, each is the next one, and nothing is learnt from it.
    """
    played = len(table) - to_come
    known = table.first(played) if to_come else table
    entries = {one.role: one for one in members.add(known)} if played else {}
    if to_come:
        sides = int(table.start[played])
        for one in members.add(table.select(slice(played, None)), learn=False):
            entries[one.role] = one.behind(entries.get(one.role), sides)
    if not table.duels:
        table = table.replace(share=mean_shares(table))
    if to_come:
        return _number_members(table, members, entries)
    if members.names_can_wait(table):
        numbered = _number_members(table, members, entries)
        count, players = len(numbered.players), table.players

        def name_members() -> list[str]:
            return [name for one in members.names(table) for name in one.names]

        return numbered.replace(players=LaterRoster(players, count, name_members))
    added = [
        one._replace(which=found.which, sides=found.sides, share=found.share)
        if (found := entries.get(one.role))
        else one
        for one in members.names(table)
    ]
    table = add_members(table, added)
    return table.replace(crew=members.crew_of(len(table.players)))


def _number_members(table: Games, members: GameMembers, entries: dict[str, Entries]) -> Games:
    """Games with their members, who have numbers but no names: by role those that are known, then
    of games to come new ones.
    """
    roles = (PLAYER, *members.roles)
    counts = [len(table.players)]
    for role in members.roles:
        most = entries[role].which.max(initial=-1) if role in entries else -1
        counts.append(max(members.numbers[role].count, int(most) + 1))
    starts = dict(zip(roles, np.cumsum([0, *counts], dtype=np.int64)[:-1].tolist(), strict=True))
    columns = place_members(
        table, table.player,
        [(starts[one.role] + one.which, one.sides, one.share) for one in entries.values()],
    )  # fmt: skip
    kinds = repeat_rows(np.arange(len(roles), dtype=np.uint8), counts)
    return table.replace(
        players=range(sum(counts)), role=kinds,
        roles=roles, role_kinds=tuple(KIND_OF_ROLE.get(role, role) for role in roles),
        crew=members.crew_of(sum(counts)), **columns,
    )  # fmt: skip
