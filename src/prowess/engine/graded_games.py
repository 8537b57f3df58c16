"""Games whose results have classes: what a system takes from a table, whole or as a stream.

Margin classes and first cut points come from the opening: forecasts know no later result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.params import Bank, rows_of
from prowess.games.errors import Detail
from prowess.games.game_members import (
    KIND_OF_ROLE,
    Entries,
    GameMembers,
    LaterRoster,
    Told,
    mean_shares,
)
from prowess.games.games import PLAYER, Games
from prowess.games.names import Roster
from prowess.games.result_classes import ClassRule
from prowess.games.role_members import name_members, place_members
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
    used, notes = ["places"], []
    if told.pairwise and rule is not None:
        roles = told.roles()
        kept = {
            name: any(role.startswith(name) for role in roles)
            for name in ("league", "context", "voter")
        }
        if "voter" in told.categories and not kept["voter"]:
            notes.append(
                "name the side that has the advantage with side= (--sides): without sides and "
                "draws voters tell nothing"
            )
        known = {
            "side advantage": told.sided,
            "rest": told.sided and told.dated,
            **kept,
            "draws": rule.draws,
            f"margin in {len(rule.share)} classes": rule.margins,
            "variant": kinds > 0,
        }
        used = [word for word, there in known.items() if there] or ["scores"]
    dates = "no dates (games are the clock)" if table.time is None else "dates"
    note = f"prowess uses {', '.join([*used, *table.roles[1:], dates])}"
    return table.replace(notes=(Detail(note), *notes))


def add_game_members(
    table: Games,
    members: GameMembers,
    learn: bool = True,
    taught: Truths | None = None,
    span: Floats | None = None,
) -> tuple[Games, Games]:
    """The table with the members of its games, in the mean of their sides, as it is played and as
    its games are foreseen: see `GameMembers.add`.
    """
    found: list[list[Entries]] = [[], []]
    if len(table):
        found = [*members.add(table, learn, taught=taught, span=span)]
    if not table.duels:
        table = table.replace(share=mean_shares(table))
    if learn and not members.names_can_wait(table):
        known = [(one.role, one.kind, one.names) for one in members.names(table)]
        named, numbers = name_members(table, known)
        places = dict(zip(members.roles, numbers, strict=True))
        named = named.replace(crew=members.crew_of(len(named.players)))
    else:
        named, places = _number_members(table, members, found)
    if learn and not isinstance(named.players, Roster):

        def make_names() -> list[str]:
            return [name for one in members.names(table) for name in one.names]

        named = named.replace(players=LaterRoster(table.players, len(named.players), make_names))
    played, *foreseen = [
        named.replace(
            **place_members(
                table, table.player,
                [(places[one.role][one.which], one.sides, one.share) for one in entries],
            )
        )
        for entries in (found[:1] if span is None else found)
    ]  # fmt: skip
    return played, foreseen[0] if foreseen else played


def _number_members(
    table: Games, members: GameMembers, found: Sequence[Sequence[Entries]]
) -> tuple[Games, dict[str, Ids]]:
    """The table with members who have numbers but no names, and these numbers by role: those that
    are known, then of games to come new ones.
    """
    counts = {PLAYER: len(table.players)}
    counts |= {role: members.numbers[role].count for role in members.roles}
    for one in (one for entries in found for one in entries):
        counts[one.role] = max(counts[one.role], int(one.which.max(initial=-1)) + 1)
    roles, sizes = tuple(counts), [*counts.values()]
    places = np.split(np.arange(sum(sizes), dtype=np.int64), np.cumsum(sizes, dtype=np.int64)[:-1])
    named = table.replace(
        players=range(sum(sizes)), role=repeat_rows(np.arange(len(roles), dtype=np.uint8), sizes),
        roles=roles, role_kinds=tuple(KIND_OF_ROLE.get(role, role) for role in roles),
        crew=members.crew_of(sum(sizes)),
    )  # fmt: skip
    return named, dict(zip(roles, places, strict=True))
