"""Who is who: every name that was ever used, the player it leads to, and mergers of players."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from prowess.games.names import normal_name
from prowess.live.desk.refusals import NotFound
from prowess.live.names import skeleton
from prowess.live.store.tables import name as names_table, player as players_table


class People:
    """Names and numbers of all players, in memory; the store has the same."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}  # every spelling -> the player as entered
        self.otherwise: dict[str, set[str]] = {}  # how to write -> spellings that are not so
        self.looks: dict[str, set[str]] = {}  # what is seen -> spellings that hold other letters
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
            people.add_name(name, number)
        return people

    def copied(self, into: Iterable[tuple[int, int]]) -> People:
        """The same people with other mergers."""
        other = People()
        other.names, other.shown = self.names, self.shown
        other.otherwise, other.looks = self.otherwise, self.looks
        for number, target in into:
            other.merge(number, target)
        return other

    def add_name(self, name: str, number: int) -> None:
        """From now on a spelling leads to a player."""
        self.names[name] = number
        for index, key in self._indices(name):
            index.setdefault(key, set()).add(name)

    def forget_names(self, number: int) -> None:
        """From now on no spelling leads to a player."""
        for name in [name for name, one in self.names.items() if one == number]:
            for index, key in self._indices(name):
                index[key].discard(name)
            del self.names[name]

    def number_of(self, name: str) -> int | None:
        """The number a name was entered for, however its blanks and accents are written.

        None where nobody is called so. The exact spelling counts first: before names were written
        in one way, two spellings could be two players.
        """
        number = self.names.get(name)
        if number is not None:
            return number
        written = normal_name(name)
        number = self.names.get(written)
        if number is not None:
            return number
        numbers = {self.names[one] for one in tuple(self.otherwise.get(written, ()))}
        return min(numbers) if len(set(map(self.canonical, numbers))) == 1 else None

    def look_alike(self, name: str) -> str | None:
        """A known name that a reader cannot tell from a new one; None where there is none."""
        seen = skeleton(name)
        return seen if seen in self.names else min(self.looks.get(seen, ()), default=None)

    def _indices(self, name: str) -> list[tuple[dict[str, set[str]], str]]:
        """Where else than under its own letters a name is found, and under which text."""
        found = (self.otherwise, normal_name(name)), (self.looks, skeleton(name))
        return [(index, key) for index, key in found if key != name]

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
        number = self.number_of(name)
        if number is None:
            raise NotFound("no_such_player", f"nobody is called {name!r}")
        return number

    def find(self, name: str) -> int:
        """The player a name leads to, mergers resolved; raises NotFound."""
        return self.canonical(self.entered(name))
