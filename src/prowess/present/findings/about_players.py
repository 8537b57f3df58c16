"""Figures of findings about players: pools, and those whom chance explains least."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prowess.present.figures.marks import isolated
from prowess.present.figures.refusal import Undrawable
from prowess.present.findings.entries import Entries, Entry
from prowess.present.findings.told import Told, plain
from prowess.study.diagnosis.findings import Finding

Drawer = Callable[[Finding], Told]


def pools(one: Finding) -> Told:
    """Games of the groups that never met."""
    rows = [
        {"what": "the largest group", **one.numbers["largest"]},
        *(
            {"what": "a group", "player": row["one_of_them"],
             "players": row["players"], "games": row["games"]}
            for row in one.numbers["apart"]
        ),
    ]  # fmt: skip
    return Entries(
        "Groups that never met", one.says,
        "Games of the largest groups.",
        [{"group": row.get("player", row["what"]), "players": row["players"],
          "games": row["games"]} for row in rows],
        "games",
        tuple(
            Entry(row.get("player", row["what"]), f"{row['players']:,} players", row["games"],
                  f"{row['games']:,} games")
            for row in rows
        ),
    )  # fmt: skip


def bridges(one: Finding) -> Told:
    """Games within two pools, and across."""
    seen = one.numbers
    rows = [
        {"what": "smaller pool", "games": seen["within"]},
        {"what": "across", "games": seen["across"]},
        {"what": "larger pool", "games": seen["elsewhere"]},
    ]
    return Entries(
        "The thinnest bridge", one.says,
        "Games within both pools and across the bridge. "
        f"The smaller pool: {seen['players']:,} players, such as {plain(seen['some'])}.",
        rows, "games",
        tuple(Entry(row["what"], "", row["games"], f"{row['games']:,} games") for row in rows),
    )  # fmt: skip


def worst(heading: str, axis: str, value: str, expected: str | None, reading: str) -> Drawer:
    """The drawer of a list of the most remarkable players or pairs."""

    def drawn(one: Finding) -> Told:
        rows: list[dict[str, Any]] = one.numbers["worst"]
        if not rows:
            raise Undrawable("nobody at all to show")
        mark = "" if expected is None else " Upright marks: what was expected."
        return Entries(
            heading, one.says, f"{reading}{mark}", rows, axis,
            tuple(
                Entry(row["player"], _beneath(row), row[value],
                      f"{isolated(row['player'])}: {row[value]:.4g} in {row['games']:,} games",
                      mark=None if expected is None else row[expected])
                for row in rows
            ),
        )  # fmt: skip

    return drawn


def _beneath(row: dict[str, Any]) -> str:
    """The second line of an entry: whom he met, or when."""
    if row.get("opponent"):
        return f"and {row['opponent']}"
    return f"from {row['when']}" if row.get("when") else f"{row['games']:,} games"
