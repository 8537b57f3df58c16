"""Who is who: every name that was ever used, the player it leads to, and mergers of players."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from prowess.live.desk.refusals import NotFound
from prowess.live.store.tables import name as names_table, player as players_table


class People:
    """Names and numbers of all players, in memory; the store has the same."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}  # every spelling -> the player as entered
        self.shown: dict[int, str] = {}  # the present name of each number
        self.into: dict[int, int] = {}  # merged into
        self.merged: dict[int, set[int]] = {}  # the other way round

    @classmethod
    def read(cls, connection: Connection) -> People:
        """Everyone in the store."""
        people = cls()
        chosen = select(players_table.c.id, players_table.c.name, players_table.c.merged_into)
        for number, name, into in connection.execute(chosen):
            people.shown[number] = name
            if into is not None:
                people.merge(number, into)
        for name, number in connection.execute(select(names_table.c.name, names_table.c.player_id)):
            people.names[name] = number
        return people

    def copied(self, into: Iterable[tuple[int, int]]) -> People:
        """The same people with other mergers."""
        other = People()
        other.names, other.shown = self.names, self.shown
        for number, target in into:
            other.merge(number, target)
        return other

    def merge(self, number: int, into: int) -> None:
        """From now on results of one player are another's."""
        self.into[number] = into
        self.merged.setdefault(into, set()).add(number)

    def split(self, number: int) -> None:
        """Undo a merger."""
        self.merged[self.into.pop(number)].discard(number)

    def canonical(self, number: int) -> int:
        """The player who has the results entered for a number."""
        while number in self.into:
            number = self.into[number]
        return number

    def group(self, number: int) -> list[int]:
        """All numbers whose results a player has, his own first."""
        found = [number]
        for one in found:
            found += sorted(self.merged.get(one, ()))
        return found

    def entered(self, name: str) -> int:
        """The number a name was entered for; raises NotFound."""
        try:
            return self.names[name]
        except KeyError:
            raise NotFound("no_such_player", f"nobody is called {name!r}") from None

    def find(self, name: str) -> int:
        """The player a name leads to, mergers resolved; raises NotFound."""
        return self.canonical(self.entered(name))
