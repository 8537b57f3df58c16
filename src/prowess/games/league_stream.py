"""A stream of games whose players are numbered in each league by itself."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.assembly.stream_state import add_prefix, take_prefixed
from prowess.games.by_league import League, RenamedRoster, number_leagues
from prowess.games.cells.integer_names import IntegerNames
from prowess.games.names import Roster
from prowess.games.stream import START_OF_STREAM, GameStream, Piece, Position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.formats.stream_files import StreamFile
    from prowess.games.games import Games
    from prowess.games.reading import Reading

PLAYER_BITS = np.int64(32)  # of a key: the league stands above, the player below
PLAYER_MASK = (1 << 32) - 1
STREAM, LEAGUES = "stream_", "leagues_"  # before the names of arrays of a checkpoint


@dataclass(eq=False)
class LeagueStream:
    """The games of a stream; each player of a league is a player of their own.

    `by` are the facts that tell leagues apart, `until` the last day that is played. Days are since
    1970-01-01, UTC; those of `later` are of the first games of leagues that have none until then.
    """

    stream: GameStream
    by: tuple[str, ...]
    until: float | None = None
    only: League | None = None  # the league whose games alone are played
    leagues: dict[League, int] = field(default_factory=dict)  # in order of their first games
    games: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # of each
    keys: IntegerNames = field(default_factory=IntegerNames)  # of players of leagues
    later: dict[League, float] = field(default_factory=dict)
    words: Sequence[str] = ()  # of the last pieces, all of them leagues that are known
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # of each

    @property
    def rows(self) -> int | None:
        """See GameStream."""
        return self.stream.rows

    @property
    def reading(self) -> Reading:
        """See GameStream."""
        return self.stream.reading

    @property
    def files(self) -> tuple[StreamFile, ...]:
        """See GameStream."""
        return self.stream.files

    def pieces(self, start: Position = START_OF_STREAM) -> Generator[Piece]:
        """The pieces of the stream, with other numbers and names of players."""
        for piece in self.stream.pieces(start):
            found = piece.games if self.only is None else self._select_only(piece.games)
            games = found if self.until is None else found.before(self.until)
            numbered = self._number(games) if len(games) else games
            if len(games) < len(found):
                self._note_later(found.select(slice(len(games), None)))
            yield Piece(numbered, piece.end)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See GameStream; with the leagues and their players."""
        said = {"leagues": list(self.leagues), "later": list(self.later.items())}
        own: dict[str, NDArray[Any]] = {
            "said": np.frombuffer(json.dumps(said).encode(), np.uint8),
            "games": self.games, "keys": self.keys.known[: len(self.keys)],
        }  # fmt: skip
        return add_prefix(STREAM, self.stream.arrays()) | add_prefix(LEAGUES, own)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from such arrays."""
        self.stream.restore(take_prefixed(arrays, STREAM))
        said = json.loads(arrays[f"{LEAGUES}said"].tobytes())
        self.leagues = {_league_of(name): at for at, name in enumerate(said["leagues"])}
        self.later = {_league_of(name): day for name, day in said["later"]}
        self.games = arrays[f"{LEAGUES}games"]
        self.keys = IntegerNames(arrays[f"{LEAGUES}keys"])

    def _select_only(self, table: Games) -> Games:
        here, names = number_leagues(table, self.by)
        return table.select(np.array([name == self.only for name in names], np.bool_)[here])

    def _note_later(self, table: Games) -> None:
        """Note the first days of leagues that have no game until then."""
        here, names = number_leagues(table, self.by)
        assert table.time is not None
        _, first = np.unique(here, return_index=True)
        for name, day in zip(names, table.time[first].tolist(), strict=True):
            if name not in self.leagues:
                self.later.setdefault(name, day)

    def _number(self, table: Games) -> Games:
        league = self._find_leagues(table)
        counts = np.bincount(league, minlength=len(self.leagues))
        counts[: len(self.games)] += self.games
        self.games = counts
        facts = {name: column for name, column in table.facts.items() if name not in self.by}
        labels = {name: words for name, words in table.labels.items() if name in facts}
        above = league << PLAYER_BITS
        changes: dict[str, Any]
        if table.duels:
            numbers = self.keys.number(np.stack((above | table.a, above | table.b)))
            changes = {"a": numbers[0].copy(), "b": numbers[1].copy()}
        else:
            members = above[table.contest_of_member] | table.player
            changes = {"player": self.keys.number(members[None, :])[0].copy()}
        players = RenamedRoster(table.players, PlayersOfKeys(self.keys.known[: len(self.keys)]))
        return table.replace(players=players, facts=facts, labels=labels, **changes)

    def _find_leagues(self, table: Games) -> NDArray[np.int64]:
        """The number of the league of each contest."""
        words = table.labels.get(self.by[0]) if len(self.by) == 1 else None
        if words is not None and words is self.words and self.until is None:
            return self.numbers[table.facts[self.by[0]].astype(np.int64)]
        here, names = number_leagues(table, self.by)
        known = [self.leagues.setdefault(name, len(self.leagues)) for name in names]
        if words is not None and set(words) <= self.leagues.keys():
            self.words = words
            self.numbers = np.array([self.leagues[word] for word in words], np.int64)
        return np.array(known, np.int64)[here]

    def roster(self) -> Roster:
        """The name of each player of a league, by number."""
        return self.stream.roster().take(self.keys.known[: len(self.keys)] & PLAYER_MASK)

    def find_leagues(self) -> NDArray[np.int64]:
        """The league of each player."""
        return self.keys.known[: len(self.keys)] >> PLAYER_BITS


def _league_of(name: Any) -> League:
    """The name of a league as JSON gives it."""
    return tuple(name) if isinstance(name, list) else name


class PlayersOfKeys(Sequence[int]):
    """The numbers of the players in keys; most pieces ask for none of them."""

    def __init__(self, keys: NDArray[np.int64]) -> None:
        self.keys = keys

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: Any) -> Any:
        found = self.keys[index] & PLAYER_MASK
        return found.tolist() if isinstance(index, slice) else int(found)
