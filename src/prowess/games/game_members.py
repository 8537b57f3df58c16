"""Members that stand beside the players of a game: sides, rest, contexts, experience, matchups.

They are found game by game from what was before, so that a piece of a stream, a game of a live
ladder and a game to come have those of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from math import exp, log, nan
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from prowess.compile import kernel
from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import LIGHT, compiled_once, is_worth_compiling, run_loop
from prowess.games.games import BETWEEN_MEMBERS, CATEGORIES, Games
from prowess.games.names import Roster
from prowess.games.numbering import number_by_appearance
from prowess.games.role_members import AddedMembers
from prowess.games.runs import reduce_runs
from prowess.games.totals import extend_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.result_classes import ClassRule


FADING_DAYS = 365.0  # days in which a game counts half as experience
FADE = log(2.0) / FADING_DAYS
FACTS = ("games", "games of late", "idle days")  # of experience: a member each
OF_PLAYER = 1 << 32  # below it a key is a player
SECOND_BITS = 32  # bits of the second of two numbers in a key
PLAYER_ARRAYS = {"played": 0.0, "recent": 0.0, "last": nan}  # of a player, before the first game
MOST_IN_CREW = 100  # sizes that are told apart
LIGHT_STEPS = 11  # light steps of an entry of experience
NUMBERING_STEPS = 15  # and of a key that is numbered
NO_KEYS = np.zeros(0, np.int64)
HALF, SPREAD, SPREAD_BITS = (1 << 31) - 1, 0x4F1BBCDD, 20  # of keys among slots


# what only names of members hold: where players' names do not, no name can be there twice
MARKS = (
    " - ", ", draws", ", own side advantage", ", voter", "@", "side advantage", "recent side",
    "experience: ", BETWEEN_MEMBERS,
)  # fmt: skip


class LaterRoster(Roster):
    """Players and the members of their games, who are named when a name is asked for."""

    __slots__ = ("make", "players", "size")

    def __init__(
        self, players: Sequence[str], size: int, make: Callable[[], Iterable[str]]
    ) -> None:
        self.players, self.size, self.make = players, size, make

    def __len__(self) -> int:
        return self.size

    def __getattr__(self, name: str) -> Any:
        if name not in Roster.__slots__:
            raise AttributeError(name)
        made = Roster([*self.players, *self.make()])
        self.buffer, self.ends = made.buffer, made.ends
        return getattr(made, name)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """The name of a player or member, or a list of names."""
        if not isinstance(index, slice) and 0 <= index < len(self.players):
            return self.players[index]
        return super().__getitem__(index)

    def take(self, ids: NDArray[np.integer[Any]]) -> Roster:
        """See Roster; of players alone no member is named."""
        if isinstance(self.players, Roster) and ids.max(initial=-1) < len(self.players):
            return self.players.take(ids)
        return super().take(ids)

    def __reduce__(self) -> Any:
        return Roster.from_buffer, (self.buffer, self.ends)


class Entries(NamedTuple):
    """Members of a role on some sides: numbers within the role, sides, shares."""

    role: str
    which: Ids
    sides: Ids
    share: Floats


@dataclass(eq=False)
class Numbers:
    """Numbers of keys by first appearance, that come piece by piece; keys are not negative.

    Copies share their keys: what the newest one adds stands behind what the others know.
    """

    table: KeyTable = field(default_factory=lambda: KeyTable(NO_KEYS))
    count: int = 0

    def copy(self, apart: bool) -> Numbers:
        """The same numbers; `apart`: in memory of its own, for other keys than those to come."""
        return Numbers(KeyTable(self.keys.copy()) if apart else self.table, self.count)

    @property
    def keys(self) -> Ids:
        """The keys by number."""
        return self.table.keys[: self.count]

    def of(self, keys: Ids, learn: bool = True) -> Ids:
        """The number of each key; without `learn` new keys have numbers and are forgotten."""
        keys = keys.astype(np.int64, copy=False)  # places are shorter in a browser
        if not learn:
            found = self.table.find(keys, self.count)
            fresh = found < 0
            found[fresh] = self.count + number_by_appearance(keys[fresh])[1]
        elif self.count:
            found, self.count = self.table.add(keys, self.count)
        else:
            first, found = number_by_appearance(keys)
            self.count, self.table = len(first), KeyTable(first)
        return found


@dataclass(eq=False)
class KeyTable:
    """Keys by number, and where to find the number of a key; one adds to it and many read.

    Who asks says how many keys count: those behind them are later ones, or were taken back.
    """

    keys: Ids  # with room behind them
    # numbers + 1, by `slot_of`; 0: free; none until one is asked for
    slots: Ids = field(default_factory=lambda: NO_KEYS)
    used: int = 0  # slots

    def find(self, keys: Ids, count: int) -> Ids:
        """The number of each key; -1: none below the count."""
        found = np.empty(len(keys), np.int64)
        with _adding:
            held, slots = self._fit(count, 0)
        loop_for(find_keys, count)(keys, held, slots, count, found)
        return found

    def add(self, keys: Ids, count: int) -> tuple[Ids, int]:
        """The number of each key, those of new ones behind the count; and how many count then."""
        found = np.empty(len(keys), np.int64)
        with _adding:
            held, slots = self._fit(count, len(keys))
            after: int = loop_for(number_keys, len(keys))(keys, held, slots, count, found)
            self.used += after - count
        return found, after

    def _fit(self, count: int, more: int) -> tuple[Ids, Ids]:
        """The keys and the slots, with room for more of them."""
        if count + more > len(self.keys):
            self.keys = extend_rows(self.keys, count + more, None)
        if 2 * (self.used + more) >= len(self.slots):
            slots, known = np.zeros(1 << (4 * (count + more)).bit_length(), np.int64), self.keys
            found = np.empty(count, np.int64)
            loop_for(number_keys, count)(known[:count].copy(), known, slots, 0, found)
            self.slots, self.used = slots, count  # readers go on with the old ones
        return self.keys, self.slots


_adding = Lock()  # keys to a table


@dataclass(eq=False)
class Crews:
    """Numbers of sets of players by first appearance; copies share them as those of `Numbers`."""

    held: list[tuple[int, ...]] = field(default_factory=list)
    known: dict[tuple[int, ...], int] = field(default_factory=dict)
    count: int = 0

    def copy(self, apart: bool) -> Crews:
        """See Numbers."""
        if not apart:
            return copy(self)
        other = Crews()
        other.of(self.crews, learn=True)
        return other

    @property
    def crews(self) -> list[tuple[int, ...]]:
        """The sets by number."""
        return self.held[: self.count]

    def of(self, crews: Iterable[tuple[int, ...]], learn: bool) -> dict[tuple[int, ...], int]:
        """The numbers of sets; see Numbers."""
        found: dict[tuple[int, ...], int] = {}
        fresh = list[tuple[int, ...]]()
        for crew in dict.fromkeys(crews):
            number = self.known.get(crew, self.count)
            if number >= self.count or self.held[number] != crew:  # of a newer copy, or of none
                number = self.count + len(fresh)
                fresh.append(crew)
            found[crew] = number
        if learn and fresh:
            del self.held[self.count :]
            self.known |= {crew: found[crew] for crew in fresh}
            self.held += fresh
            self.count += len(fresh)
        return found


class Past(NamedTuple):
    """What was before games, and what is known after them."""

    before: Floats  # [sides, ...]
    after: dict[str, Floats]  # columns of `GameMembers`
    stood: dict[str, Floats]  # the same when the last span began


class Told(NamedTuple):
    """What a whole table tells, on which it depends what members there are."""

    dated: bool
    sided: bool  # some game has a side with the advantage
    drawn: bool
    pairwise: bool
    categories: tuple[str, ...]  # league, context, voter, where games have them

    @classmethod
    def of(cls, table: Games, rule: ClassRule | None) -> Told:
        """What this table tells, whose results have these classes."""
        drawn = rule is not None and rule.draws
        sided = table.pairwise and table.side is not None and bool(table.side.any())
        return cls(table.time is not None, sided, drawn, table.pairwise, tuple(table.facts))

    def roles(self) -> tuple[str, ...]:
        """The roles of the members, in their order."""
        if not self.pairwise:
            return ("experience",)
        sided = {
            "side": True,
            "recent side": True,
            "league side": "league" in self.categories,
            "own side": True,
            "rest": self.dated,
            "voter side": "voter" in self.categories,
        }
        others = {
            "context": "context" in self.categories,
            "experience": True,
            "matchup": True,
            "draws": self.drawn,
            "voter draws": self.drawn and "voter" in self.categories,
        }
        return tuple(
            role for role, there in ((sided if self.sided else {}) | others).items() if there
        )


class GameMembers:
    """The members of games, given one after the other, and what players have played so far."""

    def __init__(self, told: Told) -> None:
        self.told, self.roles = told, told.roles()
        self.numbers = {role: Numbers() for role in (*self.roles, "name")}
        self.crews = Crews()  # of sides of several players
        self.played, self.recent, self.last = np.zeros(0), np.zeros(0), np.zeros(0)  # by player
        # of each player, the size of the side they first played in
        self.crew = np.zeros(0, np.uint8)
        self.day = np.zeros(0)  # of the last game of each name
        self.span = nan  # the last one from whose start games were foreseen
        self.stood: dict[str, Floats] = {}  # these columns as they were at its start

    def copy(self, apart: bool) -> GameMembers:
        """The same members, to add games to; `apart`: other games than those to come."""
        other = copy(self)
        other.numbers = {role: one.copy(apart) for role, one in self.numbers.items()}
        other.crews = self.crews.copy(apart)
        return other

    def add(
        self,
        table: Games,
        learn: bool = True,
        *,
        taught: NDArray[np.bool_] | None = None,
        span: Floats | None = None,
    ) -> tuple[list[Entries], list[Entries]]:
        """The members of further games as they are played, and as they are foreseen.

        Without `learn` each is the next game, and is forgotten: those that are not known yet have
        numbers behind the others, and some facts may be missing. Else those that are `taught`,
        [games], count in what was before others. Games are foreseen from the start of their `span`,
        the number of a run of games, [games]; None: as they are played.
        """
        who = np.arange(len(table.player), dtype=np.int64)
        if table.role is not None:
            who = np.flatnonzero(table.role[table.player] == 0)
        player, side = table.player[who].astype(np.int64), table.side_of_member[who]
        sides = len(table.contest_of_side)
        ends = np.append(0, np.cumsum(np.bincount(side, minlength=sides), dtype=np.int64))
        found: dict[str, Entries] = {}
        taught = np.full(len(table), learn) if taught is None else taught
        spans = [(np.arange(len(table), dtype=np.float64), False)]  # played, each is its own
        if span is not None:
            spans.append((span, bool(len(span)) and float(span[0]) == self.span))
        past = [self._find_experience(table, player, ends, taught, *one) for one in spans]
        experience = self._compare_experience(table, [one.before for one in past], learn)
        if not self.told.pairwise:
            self._keep(past, span, learn)
            return [experience[0]], [experience[-1]]
        found["experience"] = experience[0]
        names = self.numbers["name"].of(self._name_sides(player, ends, learn), learn)
        first, second = names[0::2], names[1::2]
        low = np.minimum(first, second)
        firsts = np.arange(0, sides, 2, dtype=np.int64)
        facts = {
            name: table.facts[name].astype(np.int64) for name in CATEGORIES if name in table.facts
        }
        keys = {  # of roles whose members are alone with a key, and the sides on which they stand
            "matchup": ((low << SECOND_BITS) + np.maximum(first, second), firsts + (first != low)),
            "draws": (names, np.arange(sides, dtype=np.int64)),
            "voter draws": (facts.get("voter"), firsts),
        }
        rest: list[Entries] = []
        if self.told.sided and table.side is not None:
            sided = np.flatnonzero(table.side)
            at = 2 * sided + (table.side[sided] < 0.0)
            none = np.zeros(len(sided), np.int64)
            keys |= {f"{name} side": (words[sided], at) for name, words in facts.items()}
            keys |= {"side": (none, at), "recent side": (none, at), "own side": (names[at], at)}
            if "rest" in self.roles:
                days = [self._find_last_days(table, names, taught, *one) for one in spans]
                rest = self._add_rest(table, [one.before for one in days], taught, learn)
                past = [
                    Past(one.before, one.after | day.after, one.stood | day.stood)
                    for one, day in zip(past, days, strict=True)
                ]
                found["rest"] = rest[0]
        if "context" in self.roles and "context" in facts:
            words = facts["context"][side // 2]
            found["context"] = Entries(
                "context", self.numbers["context"].of((words << SECOND_BITS) + player, learn), side,
                mean_shares(table)[who],
            )  # fmt: skip
        for role, (each, where) in keys.items():
            if role in self.roles and each is not None:
                which = self.numbers[role].of(each, learn)
                found[role] = Entries(role, which, where, np.ones(len(where)))
        self._keep(past, span, learn)
        early = found | {one[-1].role: one[-1] for one in (experience, rest) if one}
        there = [role for role in self.roles if role in found]
        return [found[role] for role in there], [early[role] for role in there]

    def _keep(self, past: Sequence[Past], span: Floats | None, learn: bool) -> None:
        """Keep what is known after games, and at the start of the last span."""
        if learn:
            vars(self).update(past[0].after)
            if span is not None and len(span):
                self.span, self.stood = float(span[-1]), past[-1].stood

    def _values_before(
        self, name: str, count: int, first: float, goes_on: bool
    ) -> tuple[Floats, Floats]:
        """A column of so many players or names now, and when the span began that goes on."""
        now, known = np.full(count, first), getattr(self, name)
        now[: len(known)] = known
        if not goes_on:
            return now, now
        then, known = np.full(count, first), self.stood[name]
        then[: len(known)] = known
        return now, then

    def _name_sides(self, player: Ids, ends: Ids, learn: bool) -> Ids:
        """A key of each side: its player, or the set of its players."""
        size = np.diff(ends)
        keys = np.zeros(len(size), np.int64)
        keys[size == 1] = player[ends[:-1][size == 1]]
        several = np.flatnonzero(size != 1)
        crews = [tuple(sorted(player[ends[at] : ends[at + 1]].tolist())) for at in several.tolist()]
        numbers = self.crews.of(crews, learn) if crews else {}
        keys[several] = [OF_PLAYER + numbers[crew] for crew in crews]
        return keys

    def _find_experience(
        self,
        table: Games,
        player: Ids,
        ends: Ids,
        taught: NDArray[np.bool_],
        span: Floats,
        goes_on: bool,
    ) -> Past:
        """[sides, 3] means over the players of a side of what they had played before its span; of
        the idle days over those who had played, nan where nobody had.
        """
        who, local = np.unique(player, return_inverse=True)
        count = max(len(self.played), int(player.max(initial=-1)) + 1)
        now: dict[str, Floats] = {}
        then: dict[str, Floats] = {}
        for name, first in PLAYER_ARRAYS.items():
            now[name], then[name] = self._values_before(name, count, first, goes_on)
        crew, _ = self._values_before("crew", count, 0.0, goes_on=False)
        held = [rows[who] for rows in (*now.values(), *then.values())]
        met = np.full(len(who), self.span if goes_on else nan)  # the span each was met in last
        sizes = crew[who]
        time = np.zeros(1) if table.time is None else table.time
        found = np.full((3, len(ends) - 1), np.nan)
        counted = taught.astype(np.float64)
        places = np.asarray(local, dtype=np.int64)
        columns = (places, ends, table.contest_of_side, time, span, counted, self.told.dated)
        steps = len(player) * LIGHT_STEPS
        run_loop(count_experience, steps, *columns, *held, met, sizes, *found, alone=True)
        one_span = goes_on and float(span[-1]) == self.span
        here = met == (span[-1] if len(span) else nan)
        crew[who] = sizes
        for k, name in enumerate(PLAYER_ARRAYS):
            now[name][who] = held[k]
            then[name] = then[name] if one_span else now[name].copy()
            then[name][who[here]] = held[len(PLAYER_ARRAYS) + k][here]
        return Past(found.T, now | {"crew": crew.astype(np.uint8)}, then)

    def _compare_experience(
        self, table: Games, logs: Sequence[Floats], learn: bool
    ) -> list[Entries]:
        """What sides have played more than others, of each of several pasts."""
        if self.told.pairwise:  # what the first side of each game has played more than the second
            more = [one[0::2] - one[1::2] for one in logs]
            games = [np.nonzero((one < 0.0) | (one > 0.0)) for one in more]  # nan: not known
            found = [
                (facts, 2 * game, one[game, facts])
                for one, (game, facts) in zip(more, games, strict=True)
            ]
        else:
            found = [_experience_of_contests(table, one) for one in logs]
        facts = self.numbers["experience"].of(np.concatenate([one for one, _, _ in found]), learn)
        ends = np.cumsum([len(one) for one, _, _ in found], dtype=np.int64).tolist()
        return [
            Entries("experience", facts[end - len(where) : end], where, share)
            for end, (_, where, share) in zip(ends, found, strict=True)
        ]

    def _find_last_days(
        self, table: Games, names: Ids, taught: NDArray[np.bool_], span: Floats, goes_on: bool
    ) -> Past:
        """[sides] the day on which each had last played before its span; -inf: never."""
        assert table.time is not None
        count = max(len(self.day), int(names.max(initial=-1)) + 1)
        now, then = self._values_before("day", count, -np.inf, goes_on)
        day, of_side = np.repeat(np.floor(table.time), 2), np.repeat(span, 2)
        counted = np.repeat(taught, 2)
        order = np.argsort(names, kind="stable")
        name, number = names[order], of_side[order]
        places = np.arange(len(order), dtype=np.int64)
        changes = (name[1:] != name[:-1]) | (number[1:] != number[:-1])
        begins = np.append(True, changes)[: len(order)]
        first = np.maximum.accumulate(np.where(begins, places, 0))
        last = np.append(-1, np.maximum.accumulate(np.where(counted[order], places, -1)))[first]
        known = (last >= 0) & (name[last] == name)
        before = np.where(of_side == self.span, then[names], now[names]) if goes_on else now[names]
        before[order] = np.where(known, day[order][last], before[order])
        now[names[counted]] = day[counted]  # ascending, so the last is written last
        if not (goes_on and span[-1] == self.span):
            then = now.copy()
        here = of_side == span[-1] if len(span) else counted
        then[names[here]] = before[here]
        return Past(before, {"day": now}, {"day": then})

    def _add_rest(
        self, table: Games, pasts: Sequence[Floats], taught: NDArray[np.bool_], learn: bool
    ) -> list[Entries]:
        """The member beside a side that did not play the day before, unlike the other, of each of
        several pasts.

        Its clock begins with the table: as games are played it stands in the first, with a share of
        0.
        """
        assert table.time is not None
        found, day = list[Entries](), np.repeat(np.floor(table.time), 2)
        begins = learn and not self.numbers["rest"].count
        for before in pasts:
            tired = day - before == 1.0
            fresh = np.flatnonzero(tired[1::2].astype(np.int64) - tired[0::2])
            sides = 2 * fresh + tired[0::2][fresh]
            share = np.ones(len(sides))
            for first in np.flatnonzero(taught)[: int(begins)].tolist():
                if first not in fresh:
                    sides, share = np.append(2 * first, sides), np.append(0.0, share)
                begins = False
            which = self.numbers["rest"].of(np.zeros(len(sides), np.int64), learn)
            found.append(Entries("rest", which, sides, share))
        return found

    def crew_of(self, players: int) -> NDArray[np.uint8] | None:
        """The size of the first side of each of so many members; None: all were alone."""
        if self.crew.max(initial=1) < 2:
            return None
        return np.concatenate((self.crew, np.zeros(players - len(self.crew), np.uint8)))

    def names_can_wait(self, table: Games) -> bool:
        """Whether no player has a name that a member may have."""
        known = [*table.players, *(word for words in table.labels.values() for word in words)]
        text = "\n".join(known)
        return table.role is None and "rest" not in known and not any(map(text.__contains__, MARKS))

    def names(self, table: Games) -> list[AddedMembers]:
        """The roles with the names of their members, after the games of a table; no entries."""
        none = np.zeros(0, np.int64)
        return [
            AddedMembers(
                role, KIND_OF_ROLE.get(role, role), self._names_of(role, table), none, none
            )
            for role in self.roles
        ]

    def _names_of(self, role: str, table: Games) -> list[str]:
        keys, players = self.numbers[role].keys.tolist(), table.players
        if len(keys) > len(players):  # a list is read faster than a roster
            players = list(players)
        if role == "experience":
            return [f"experience: {FACTS[key]}" for key in keys]
        if role in ("side", "recent side", "rest"):
            return [{"side": "side advantage"}.get(role, role)] * len(keys)
        if role == "context":
            words = table.labels["context"]
            return [f"{players[key & (OF_PLAYER - 1)]}@{words[key >> SECOND_BITS]}" for key in keys]
        if role == "league side":
            return [f"side advantage: {table.labels['league'][key]}" for key in keys]
        if role.startswith("voter"):
            return [f"{table.labels['voter'][key]}, {role}" for key in keys]
        sides = self._side_names(players)
        if role == "matchup":
            return [f"{sides[key >> SECOND_BITS]} - {sides[key & (OF_PLAYER - 1)]}" for key in keys]
        what = {"own side": "own side advantage"}.get(role, role)
        return [f"{sides[key]}, {what}" for key in keys]

    def _side_names(self, players: Sequence[str]) -> list[str]:
        """The names of the sides, by number."""
        crews = self.crews.crews
        return [
            players[key]
            if key < OF_PLAYER
            else BETWEEN_MEMBERS.join(sorted(players[each] for each in crews[key - OF_PLAYER]))
            for key in self.numbers["name"].keys.tolist()
        ]

    # -- what a checkpoint keeps --

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays."""
        found = {name: getattr(self, name) for name in (*PLAYER_ARRAYS, "day", "crew")}
        found |= {f"keys of {role}": one.keys for role, one in self.numbers.items()}
        crews = self.crews.crews
        found["crews"] = np.array([each for crew in crews for each in crew], np.int64)
        found["crew sizes"] = np.array([len(crew) for crew in crews], np.int64)
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring it to where another was."""
        for name in (*PLAYER_ARRAYS, "day", "crew"):
            setattr(self, name, arrays[name])
        for role in self.numbers:
            keys = arrays[f"keys of {role}"]
            self.numbers[role] = Numbers(KeyTable(keys), len(keys))
        ends = np.cumsum(arrays["crew sizes"], dtype=np.int64).tolist()
        crews = [
            arrays["crews"][end - size : end].tolist()
            for end, size in zip(ends, arrays["crew sizes"].tolist(), strict=True)
        ]
        self.crews = Crews()
        self.crews.of([tuple(crew) for crew in crews], learn=True)


KIND_OF_ROLE = {"context": "per"}  # of roles; the others are kinds of their own


def has_single_players(table: Games) -> bool:
    """Whether every side has one player, who stands before the other members of the side."""
    if table.role is None:
        return table.single
    players = reduce_runs(np.add, (table.role[table.player] == 0).astype(np.int64), table.ends[:-1])
    return bool((players == 1).all())


def mean_shares(table: Games) -> Floats:
    """[members] the share of players, and of what is theirs, in the mean of their side."""
    share = np.ones(len(table.player)) if table.share is None else table.share
    side = table.side_of_member
    role = np.zeros(len(share), np.int64) if table.role is None else table.role[table.player]
    total = np.bincount(side, np.where(role == 0, share, 0.0), len(table.contest_of_side))
    of_players = np.array([kind in ("player", "per") for kind in table.role_kinds])[role]
    found: Floats = np.where(of_players, share / np.where(total > 0.0, total, 1.0)[side], share)
    return found


def _experience_of_contests(table: Games, logs: Floats) -> tuple[Ids, Ids, Floats]:
    """What each side of a contest has played more than the mean of all: facts, sides, shares; idle
    days of those who played before, newcomers 0.
    """
    contest, count = table.contest_of_side, len(table)
    known = ~np.isnan(logs)
    filled = np.where(known, logs, 0.0)
    for k in range(logs.shape[1]):
        mean = np.bincount(contest, filled[:, k], count) / np.maximum(
            np.bincount(contest, known[:, k], count), 1.0
        )
        filled[:, k] = np.where(known[:, k], filled[:, k] - mean[contest], 0.0)
    side, which = np.nonzero(filled)
    return which, side, filled[side, which]


def slot_of(key: int, held: Any, slots: Any, count: int) -> int:
    """The slot of a key among the first `count` that are held, or the free one where it belongs."""
    last = len(slots) - 1
    mixed = ((key & HALF) + (key >> SECOND_BITS) * SPREAD) & HALF
    at = ((mixed * SPREAD) >> SPREAD_BITS) & last
    number = slots[at] - 1
    while number >= 0 and (number >= count or held[number] != key):
        at = (at + 1) & last
        number = slots[at] - 1
    return at


def find_keys(keys: Any, held: Any, slots: Any, count: int, found: Any) -> None:
    """Find the numbers of keys among the first `count` that are held; -1: none."""
    for k in range(len(keys)):
        found[k] = slots[slot_of(keys[k], held, slots, count)] - 1


def number_keys(keys: Any, held: Any, slots: Any, count: int, found: Any) -> int:
    """Number keys by first appearance behind `count` that are held; how many are held then."""
    for k in range(len(keys)):
        at = slot_of(keys[k], held, slots, count)
        if slots[at] == 0:
            held[count] = keys[k]
            count += 1
            slots[at] = count
        found[k] = slots[at] - 1
    return count


def loop_for(loop: Callable[..., Any], keys: int) -> Callable[..., Any]:
    """The loop over so many keys, compiled where that pays."""
    if is_worth_compiling(keys / LIGHT * NUMBERING_STEPS, linked=kernel.loaded()):
        return compiled_once(loop)
    return loop


def count_experience(
    player: Any, ends: Any, contest: Any, time: Any, span: Any, taught: Any, dated: bool,
    played: Any, recent: Any, last: Any, played_then: Any, recent_then: Any, last_then: Any,
    met: Any, crew: Any, games: Any, lately: Any, idle: Any,
) -> None:  # fmt: skip
    """What the players of each side had played before its span; contests that are `taught` count.

    `met` is the span in which a player was met last, and what ends in `then` is of its start;
    `crew` is the size of the first side of each, 0 before it.
    """
    side, sides = 0, len(ends) - 1
    while side < sides:
        first_side, this = side, contest[side]
        now = 0.0
        if dated:
            now = time[this]
        while side < sides and contest[side] == this:
            count = float(ends[side + 1] - ends[side])
            sum_games, sum_lately, sum_idle, old = 0.0, 0.0, 0.0, 0.0
            for m in range(ends[side], ends[side + 1]):
                i, faded = player[m], 0.0
                if met[i] != span[this]:
                    met[i] = span[this]
                    played_then[i] = played[i]
                    recent_then[i] = recent[i]
                    last_then[i] = last[i]
                if dated and last_then[i] == last_then[i]:  # nan: never
                    faded = recent_then[i] * exp(-FADE * (now - last_then[i]))
                    sum_idle += log(1.0 + (now - last_then[i]))
                    old += 1.0
                sum_games += log(1.0 + played_then[i])
                sum_lately += log(1.0 + faded)
                if taught[this] > 0.0 and crew[i] == 0.0:
                    crew[i] = min(count, float(MOST_IN_CREW))
            games[side] = sum_games / count
            if dated:
                lately[side] = sum_lately / count
                if old > 0.0:
                    idle[side] = sum_idle / old
            side += 1
        if taught[this] > 0.0:
            for m in range(ends[first_side], ends[side]):
                i, kept = player[m], 0.0
                if dated and last[i] == last[i]:
                    kept = recent[i] * exp(-FADE * (now - last[i]))
                played[i] += 1.0
                recent[i] = kept + 1.0
                last[i] = now
