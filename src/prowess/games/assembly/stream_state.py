"""What a checkpoint keeps of the reader of a stream: names, words, and how games were numbered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.columns import NameIndex, PlainNames
from prowess.games.errors import Suspicion
from prowess.games.names import Roster
from prowess.games.numbering import GrowingNumbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.assembly.gathered import GatheredGames
    from prowess.games.assembly.settling import GameSettler

    Arrays = dict[str, NDArray[Any]]


def gather_state(rows: GatheredGames, settler: GameSettler, further: Mapping[str, Any]) -> Arrays:
    """The state as arrays, while a thread may go on reading; `further` is plain data.

    The order of players and words is taken before their texts, so that none is missing.
    """
    found: Arrays = {}
    if settler.players.by_game is not None:
        found["players"] = _numbers_so_far(settler.players.by_game)
    for name, order in list(rows.facts.order.items()):
        found[f"order {name}"] = _numbers_so_far(order)
    found["order of rounds"] = _numbers_so_far(settler.rounds.numbers)
    further = {
        **further, "rounds": [*settler.rounds.known], "kind": type(rows.names).__name__,
        "decided": {**settler.decided}, "decisions": [*rows.decisions], "details": {**rows.details},
        "options": {**rows.decided},
        "joined": rows.cells.joined,
    }  # fmt: skip
    found |= _index_arrays("names", rows.names)
    for key, index in list(rows.labels.known.items()):
        found |= _index_arrays(f"label {key}", index)
    found["further"] = np.frombuffer(json.dumps(further).encode(), np.uint8)
    return found


def restore_state(
    arrays: Mapping[str, NDArray[Any]], rows: GatheredGames, settler: GameSettler
) -> dict[str, Any]:
    """Go on from such arrays; the further data, and what is `decided`."""
    further: dict[str, Any] = json.loads(arrays["further"].tobytes())
    rows.decisions, rows.details = dict.fromkeys(further["decisions"]), further["details"]
    rows.decided = further["options"]
    rows.cells.joined = further["joined"]
    rows.names = _index_of("names", arrays, further["kind"] == PlainNames.__name__)
    if "players" in arrays:
        settler.players.by_game = _numbers_of(arrays["players"])
    settler.rounds.numbers = _numbers_of(arrays["order of rounds"])
    settler.rounds.known = {tuple(row): at for at, row in enumerate(further["rounds"])}
    for name in arrays:
        if name.startswith("order ") and name != "order of rounds":
            rows.facts.order[name.removeprefix("order ")] = _numbers_of(arrays[name])
        if name.startswith("label ") and name.endswith(" ends"):
            key = name.removeprefix("label ").removesuffix(" ends")
            rows.labels.known[key] = _index_of(f"label {key}", arrays, True)
    return further


def pack_notes(notes: Sequence[str]) -> list[list[Any]]:
    """Notes as plain data: texts, and what else a suspicion has."""
    return [
        [note, note.brief, note.warns] if isinstance(note, Suspicion) else [note] for note in notes
    ]


def unpack_notes(packed: Sequence[Sequence[Any]]) -> list[str]:
    """Such notes again."""
    return [Suspicion(text, more[0], warns=more[1]) if more else text for text, *more in packed]


def add_prefix(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays with longer names, so that several parts of a run stand side by side."""
    return {f"{prefix}{name}": one for name, one in arrays.items()}


def take_prefixed(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays whose names begin so, without it."""
    return {
        name.removeprefix(prefix): one for name, one in arrays.items() if name.startswith(prefix)
    }


def _numbers_so_far(numbers: GrowingNumbers) -> NDArray[np.int64]:
    return numbers.keys.whole().copy() if len(numbers) else np.empty(0, np.int64)


def _numbers_of(keys: NDArray[np.int64]) -> GrowingNumbers:
    found = GrowingNumbers()
    found.number(keys)
    return found


def _index_arrays(name: str, index: NameIndex) -> Arrays:
    count = len(index)  # before the array, which the reading thread may replace by a larger one
    if (whole := getattr(index, "known", None)) is not None:
        return {f"{name} whole": whole[:count].copy()}
    roster = index.roster()
    return {f"{name} bytes": np.frombuffer(roster.buffer, np.uint8), f"{name} ends": roster.ends}


def _index_of(name: str, arrays: Mapping[str, NDArray[Any]], plain: bool) -> NameIndex:
    if f"{name} whole" in arrays:
        from prowess.games.cells.integer_names import IntegerNames

        return IntegerNames(arrays[f"{name} whole"])
    roster = Roster.from_buffer(arrays[f"{name} bytes"].tobytes(), arrays[f"{name} ends"])
    if plain:
        return PlainNames({text: at for at, text in enumerate(roster)})
    from prowess.games.cells.fields import HashedNames

    return HashedNames(roster)
