"""Names that stand for one player: a table of synonyms, applied to the players of a table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from prowess.games.errors import BadData, quote
from prowess.games.games import Games, players_of
from prowess.games.names import Roster, normal_name
from prowess.games.reading import format_count
from prowess.games.values import plain_form
from prowess.games.words import words_for

REMEDY = "give two columns: the name in the table, and the name to use"


class SynonymRow(NamedTuple):
    """Two names of one player, and where they stand."""

    first: str
    second: str
    line: int | None = None


class Synonyms:
    """Pairs of names; which of the two stands in a table may be open until it is read."""

    def __init__(self, rows: Sequence[SynonymRow], file: str | None, order: int | None) -> None:
        self.rows, self.file = rows, file
        self.order = order  # the place of the name in the table, 0 or 1; None: not known

    def find_names(self, players: Sequence[str]) -> dict[str, str]:
        """The name to use for each name in the table; raises BadData for a contradiction."""
        order = self.order
        if order is None:
            known = set(players)
            shares = [sum(row[at] in known for row in self.rows) for at in (0, 1)]
            if shares[0] == shares[1] and shares[0]:
                raise BadData(
                    "either column of synonyms may hold the names to use",
                    file=self.file, remedy='call one of the columns "also"',
                    code="synonyms_ambiguous",
                )  # fmt: skip
            order = int(shares[1] > shares[0])
        found: dict[str, str] = {}
        for row in self.rows:
            pair = row.first, row.second
            other, name = pair[order], pair[1 - order]
            if found.setdefault(other, name) != name:
                raise BadData(
                    f"{quote(other)} stands for {quote(found[other])} and for {quote(name)}",
                    file=self.file, line=row.line, remedy="keep one of the two rows",
                    code="synonym_twice",
                )  # fmt: skip
        return {other: self._end(found, other) for other in found}

    def _end(self, found: Mapping[str, str], name: str) -> str:
        seen = {name}
        while (name := found[name]) in found and found[name] != name:
            if name in seen:
                raise BadData(
                    f"the synonyms of {quote(name)} go round in a circle",
                    file=self.file, remedy="keep one name to use", code="synonym_circle",
                )  # fmt: skip
            seen.add(name)
        return name


def read_synonyms(given: Any) -> Synonyms:
    """Synonyms of a dict {name in the table: name to use}, or of a CSV file with two columns.

    A heading such as `also`, `alias` or `id` tells the column of names in the table. Raises
    BadData.
    """
    if isinstance(given, Mapping):
        pairs = [SynonymRow(normal_name(str(a)), normal_name(str(b))) for a, b in given.items()]
        return Synonyms(pairs, None, 0)
    if not isinstance(given, str | os.PathLike):
        raise BadData(
            f"names= is {quote(given)}",
            remedy="give names= as a dict or a CSV file",
            code="bad_names",
        )
    from prowess.games.formats.opened_tables import read_cells

    headings, rows, lines, file = read_cells(given)
    if len(headings) != 2:
        raise BadData(
            f"{format_count(len(headings), 'column')} of names",
            file=file,
            remedy=REMEDY,
            code="not_that_many_columns",
        )
    plain = [plain_form(heading) for heading in headings]
    of_table, to_use = words_for("other_name"), words_for("name_to_use")
    order = next((at for at in (0, 1) if plain[at] in of_table or plain[1 - at] in to_use), None)
    found = []
    for (first, second), line in zip(rows, lines, strict=True):
        names = normal_name(str(first)), normal_name(str(second))
        if not all(names):
            raise BadData(
                "a name is missing", file=file, line=line, remedy=REMEDY, code="name_missing"
            )
        found.append(SynonymRow(*names, line))
    return Synonyms(found, file, order)


def rename_players(table: Games, synonyms: Synonyms) -> Games:
    """The table with one name for each player; raises BadData where a player would meet
    themselves.
    """
    names = synonyms.find_names(players_of(table))
    roles = [0] * len(table.players) if table.role is None else table.role.tolist()
    used: dict[tuple[str, int], int] = {}
    first_of: list[int] = []
    ids = np.empty(len(table.players), np.uint32)
    count = 0
    for index, (name, role) in enumerate(zip(table.players, roles, strict=True)):
        new = names.get(name, name) if not role else name
        count += new != name
        key = new, role
        if key not in used:
            used[key] = len(used)
            first_of.append(index)
        ids[index] = used[key]
    unknown = [name for name in names if name not in set(table.players)]
    notes = [*table.notes, f"{format_count(count, 'name')} replaced by synonyms"]
    if unknown:
        notes.append(f"{format_count(len(unknown), 'synonym')} of players who have no game here")
    players = Roster(name for name, _ in used)
    changes: dict[str, Any] = {"players": players, "notes": tuple(notes)}
    if table.role is not None:
        changes["role"] = table.role[first_of]
    if table.duels:
        a, b = ids[table.a], ids[table.b]
        if (a == b).any():
            at = int(np.flatnonzero(a == b)[0])
            pair = table.players[int(table.a[at])], table.players[int(table.b[at])]
            raise BadData(
                f"{quote(pair[0])} and {quote(pair[1])} play one another and are one player",
                file=synonyms.file, remedy="correct the synonyms", code="synonyms_play",
            )  # fmt: skip
        return table.replace(a=a, b=b, **changes)
    return table.replace(player=ids[table.player], **changes)
