"""Save ratings in a file of their own, and load them: `save` and `load`.

The file is a zip of NumPy arrays and a JSON header: the results, how they were rated, and the
ratings. Nothing in it is executed. Loading rates the results again and checks the ratings bit for
bit, so that what is loaded goes on (`rate_on`) exactly as what was saved.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from prowess.arguments import BadArgument, refuse

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

FORM = "prowess ratings"
VERSION = 1
MARKS = ("labels", "roles", "role_kinds")


class BadSave(ValueError):
    """A file that holds no ratings, or others than it says."""


def check_path(path: Any) -> Path:
    """A path; raises BadArgument."""
    if isinstance(path, str | Path) and str(path):
        return Path(path)
    raise refuse('name a file such as "r.prowess"', path)


def save(ratings: Ratings, path: str | Path) -> None:
    """Write ratings to a file that `load` reads; raises BadArgument for what no file can hold.

    Ratings under rules against inflation or of a system of a user's own file are not saved: pickle
    keeps those. An example stands at `load`; this writes a file of the ratings of two players.

    >>> import prowess, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "r.prowess"
    >>> prowess.save(prowess.rate([("Ann", "Bob", 1)], "elo"), file)
    >>> file.exists()
    True
    """
    import numpy as np

    from prowess.engine.fit import WholeTableRatings
    from prowess.engine.params import settings
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings
    from prowess.systems.catalogue import catalogue

    file = check_path(path)
    if not isinstance(ratings, Ratings):
        raise refuse("give ratings that prowess.rate made, then a file", ratings)
    system, table, params = ratings.system, ratings.table, ratings.params
    if catalogue().get(system.name) is not system:
        raise BadArgument(f"keep {system.name} by pickle: it is a system of a file of your own")
    known: dict[str, Any] = {"period": ratings.period}
    if isinstance(ratings, DynamicRatings):
        if ratings.rules:
            raise BadArgument("rate without rules, or keep these ratings by pickle")
        known["forecasts"] = ratings.forecasts is not None
        names = ratings.players
        known["initial"] = {names[player]: given for player, given in ratings.start.items()}
        params = {name: value for name, value in params.items() if name in system.params._fields}
        if settings(system, params) != ratings.asked:
            params = {}
        if settings(system, params) != ratings.asked:
            raise BadArgument("keep these ratings by pickle: their parameters follow the table")
    elif isinstance(ratings, WholeTableRatings):
        anchors = {ratings.players[k]: rating for k, rating in ratings.anchors.items()}
        reference = None if ratings.reference is None else ratings.players[ratings.reference]
        known = {"anchors": anchors or None, "level": ratings.level, "reference": reference}
    if ratings.day is not None and (table.time is None or ratings.day > float(table.time.max())):
        known["as_of"] = ratings.day
    header = {
        "form": FORM, "version": VERSION, "system": system.name, "params": params, "known": known,
        "players": list(table.players), "facts": list(table.facts), "columns": list(table.columns),
        "labels": {name: list(words) for name, words in table.labels.items()},
        "roles": list(table.roles), "role_kinds": list(table.role_kinds),
        "reading": table.reading.to_dict(),
        "briefs": {note: note.brief for note in table.reading.suspicions},
    }  # fmt: skip
    arrays: dict[str, Any] = {f"column_{name}": column for name, column in table.columns.items()}
    arrays |= {f"fact_{name}": column for name, column in table.facts.items()}
    if table.role is not None:
        arrays["role"] = table.role
    arrays["strength"] = np.asarray(ratings.strength, dtype=np.float64)
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    part = file.with_name(f"{file.name}.part")  # a run that ends midway leaves the old file
    try:
        with part.open("wb") as stream:
            np.savez_compressed(stream, header=text, **arrays)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def load(path: str | Path) -> Ratings:
    """Read ratings that `save` wrote; raises BadSave for another file, or for other numbers.

    >>> import prowess, tempfile, os
    >>> r = prowess.rate([("Ann", "Bob", 1)], "glicko2")
    >>> file = os.path.join(tempfile.mkdtemp(), "r.prowess")
    >>> prowess.save(r, file)
    >>> prowess.load(file)["Ann"].rating == r["Ann"].rating
    True
    """
    import numpy as np

    from prowess.games import Games
    from prowess.games.reading import Reading
    from prowess.rating import rate

    file = check_path(path)
    try:
        with np.load(file, allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
        header = json.loads(arrays["header"].tobytes())
        if header["form"] != FORM:
            raise KeyError("form")
    except FileNotFoundError:
        raise BadSave(f"name a file that prowess.save wrote: there is no {file}") from None
    except (ValueError, KeyError, OSError, EOFError, BadZipFile, TypeError):
        raise BadSave(f"name a file that prowess.save wrote: {file} is none") from None
    if header["version"] != VERSION:
        raise BadSave(f"install a newer Prowess: {file} has version {header['version']}")
    try:
        table = Games(
            header["players"],
            **{name: arrays[f"column_{name}"] for name in header["columns"]},
            facts={name: arrays[f"fact_{name}"] for name in header["facts"]},
            labels={name: tuple(words) for name, words in header["labels"].items()},
            role=arrays.get("role"),
            roles=tuple(header["roles"]),
            role_kinds=tuple(header["role_kinds"]),
            reading=Reading.from_dict(header["reading"], header["briefs"]),
        )
        ratings = rate(table, header["system"], **header["known"], **header["params"])
        same = np.array_equal(np.asarray(ratings.strength, dtype=np.float64), arrays["strength"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise BadSave(f"save the ratings again: {file} is damaged ({error})") from None
    if not same:
        raise BadSave(
            f"rate the results again and save them: {file} holds ratings that this version of "
            "Prowess does not give"
        )
    return ratings
