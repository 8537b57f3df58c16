"""Save ratings in a file of their own, and load them: `save` and `load`.

The file is a zip of NumPy arrays and a JSON header: the results, how they were rated, and the
ratings. Nothing in it is executed. Loading rates the results again and checks the ratings bit for
bit, so that what is loaded goes on (`rate_on`) exactly as what was saved. Ratings of a stream have
no results: their file has all that is known after the last game.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from prowess.games.arguments import BadArgument
from prowess.games.errors import WordedError
from prowess.games.whole_files import replace_file
from prowess.version import __version__

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings

FORM = "prowess ratings"
VERSION, STREAM_VERSION = 1, 2  # of results that are rated again, of ratings of a stream


class BadSave(WordedError, ValueError):
    """A file that holds no ratings, or others than it says."""


def check_path(path: Any) -> Path:
    """A path; raises BadArgument."""
    if isinstance(path, str | Path) and str(path):
        return Path(path)
    raise BadArgument.of("not_a_file.saving", path=path)


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
    from prowess.engine.table import pack_table
    from prowess.systems.catalogue import catalogue

    file = check_path(path)
    if not isinstance(ratings, Ratings):
        raise BadArgument.of("not_ratings.saving", ratings=ratings)
    system, table, params = ratings.system, ratings.table, ratings.params
    if catalogue().get(system.name) is not system:
        raise BadArgument.of("system_of_a_file", system=system.name)
    known: dict[str, Any] = {"period": ratings.period}
    if isinstance(ratings, WholeTableRatings) and ratings.streamed is not None:
        raise BadArgument.of("no_games_kept.saving")
    if isinstance(ratings, DynamicRatings):
        if ratings.rules:
            raise BadArgument.of("rules_not_saved")
        known |= {"forecasts": ratings.forecasts is not None, "frozen": ratings.frozen}
        names = ratings.players
        known["initial"] = {names[player]: given for player, given in ratings.start.items()}
        params = {name: value for name, value in params.items() if name in system.params._fields}
        if settings(system, params) != ratings.asked:
            params = {}
        if settings(system, params) != ratings.asked:
            raise BadArgument.of("parameters_not_saved")
    elif isinstance(ratings, WholeTableRatings):
        anchors = {ratings.players[k]: rating for k, rating in ratings.anchors.items()}
        reference = None if ratings.reference is None else ratings.players[ratings.reference]
        priors = {
            ratings.players[k]: {"rating": mean, "deviation": deviation}
            for k, (mean, deviation) in ratings.priors.items()
        }
        known = {"anchors": anchors or None, "level": ratings.level, "reference": reference}
        known |= {"initial": priors} if priors else {}
    if isinstance(ratings, DynamicRatings) and ratings.streamed is not None:
        from prowess.engine.streams.further_games import pack_ratings

        said, held = pack_ratings(ratings)
        said |= {"version": STREAM_VERSION, "system": system.name, "params": params}
        write_arrays(file, {"form": FORM, "prowess": __version__, **said}, held)
        return
    if ratings.day is not None and (table.time is None or ratings.day > float(table.time.max())):
        known["as_of"] = ratings.day
    described, columns = pack_table(table)
    arrays: dict[str, Any] = dict(columns)
    header = {
        "form": FORM, "version": VERSION, "system": system.name, "params": params, "known": known,
        "players": list(table.players), **described, "reading": table.reading.to_dict(),
        "briefs": table.reading.briefs,
    }  # fmt: skip
    arrays["strength"] = np.asarray(ratings.strength, dtype=np.float64)
    write_arrays(file, header, arrays)


def write_arrays(file: Path, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a header and arrays to a file, which is whole or as it was before."""
    import numpy as np

    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with replace_file(file) as part, part.open("wb") as stream:
        np.savez_compressed(stream, header=text, **arrays)


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

    from prowess.engine.table import unpack_table
    from prowess.games.reading import Reading
    from prowess.verbs.rating import rate

    file = check_path(path)
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
        header = json.loads(arrays["header"].tobytes())
        if header["form"] != FORM:
            raise KeyError("form")
    except FileNotFoundError:
        raise BadSave.of("no_such_file.saving", file=file) from None
    except (
        ValueError, KeyError, OSError, EOFError, TypeError, BadZipFile, zlib.error, RuntimeError
    ):  # fmt: skip
        raise BadSave.of("not_a_save", file=file) from None
    if header["version"] == STREAM_VERSION:
        return load_stream(file, header, arrays)
    if header["version"] != VERSION:
        raise BadSave.of("newer_version.saving", file=file, version=header["version"])
    try:
        reading = Reading.from_dict(header["reading"], header["briefs"])
        table = unpack_table(header, arrays, header["players"], reading=reading)
        ratings = rate(table, header["system"], **header["known"], params=header["params"])
        same = np.array_equal(np.asarray(ratings.strength, dtype=np.float64), arrays["strength"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise BadSave.of("damaged_save.ratings", file=file, error=error) from None
    if not same:
        raise BadSave.of("other_ratings", file=file)
    return ratings


def load_stream(file: Path, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> DynamicRatings:
    """The ratings of a stream; raises BadSave."""
    from prowess.engine.streams.further_games import unpack_ratings
    from prowess.systems.catalogue import find

    if header["prowess"] != __version__:
        raise BadSave.of("older_version", file=file, version=header["prowess"])
    try:
        system: Any = find(header["system"])
        return unpack_ratings(header, arrays, system, header["params"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise BadSave.of("damaged_save.stream", file=file, error=error) from None
