"""What the system `prowess` takes from a table: members by role, classes of margins, kinds.

The margin classes and the first cut points come from the first fifth of the table, or from as many
games as the parameter `opening` says, so forecasts of later games know nothing of their results.

Source    docs/prowess_system.md.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.params import Bank
from prowess.games.games import Games
from prowess.games.role_members import AddedMembers, add_members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

OPENING = 0.2  # share of a table from which margin classes and first cut points are taken
CLASSES = 8  # of margins, at most
GOALS = 5  # classes of margins that are small whole numbers: 1, 2, 3, 4, 5 and more
SMALL = 3.0  # mean margin up to which whole numbers are goals
WIDTH = 1.3  # of a cut point, in units of the logits of its share
RAREST = 1e-3  # share of results below a cut point, at least
CHILD = 0.1  # share of the variance that is a player's own beside a member that players share
CHILD_IN_CONTESTS = 0.5
CONTEST_VARIANCES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)  # of the bank, squared logits


class Results(NamedTuple):
    """The results of games as classes."""

    result: Floats | None  # +-j: a win by a margin of class j, 0 a draw; None: scores alone
    drawn: Floats | None  # 1: a draw was possible
    cuts: Floats  # the first cut points, c_0 first
    notes: list[str]


def prepare(p: Any, table: Games) -> tuple[Any, Games]:
    """The settings and the table as they are played, with a note on what was used."""
    if not table.pairwise:
        return _prepare_contests(p, table)
    added, used = _added_members(table)
    results = classify(table, opening_games(p, table))
    facts = {
        name: column
        for name, column in (("result", results.result), ("drawn", results.drawn))
        if column is not None
    }
    changes: dict[str, float] = {f"cut{k}": float(cut) for k, cut in enumerate(results.cuts)}
    changes |= {"classes": float(len(results.cuts)), "drawn": float(results.drawn is not None)}
    used += results.notes
    if "variant" in table.facts:
        facts["kind"] = table.facts["variant"]
        changes["kinds"] = float(facts["kind"].max(initial=0.0) + 1.0)
        used.append("variant")
    if "with" in table.role_kinds:
        changes["own"] = CHILD
    used += [*table.roles[1:], *(["dates"] if table.time is not None else [])]
    note = f"prowess uses {', '.join(used) or 'the score alone'}"
    played = table.replace(facts={**table.facts, **facts}, notes=(note,))
    return _changed(p, changes), add_members(played, added) if added else played


def _prepare_contests(p: Any, table: Games) -> tuple[Any, Games]:
    used = ["places", *table.roles[1:], *(["dates"] if table.time is not None else [])]
    own = CHILD_IN_CONTESTS if "with" in table.role_kinds else 1.0
    if isinstance(p, Bank) and p.is_default:
        grid = dict(p.grid) | {"variance": CONTEST_VARIANCES}
        p = Bank.of(p.rows[0], grid)
    note = f"prowess uses {', '.join(used)}"
    return _changed(p, {"own": own, "shared": own}), table.replace(notes=(note,))


def _changed(p: Any, changes: dict[str, float]) -> Any:
    """The settings with other values; of a bank in all of its rows."""
    if isinstance(p, Bank):
        return p.with_rows(lambda row: row._replace(**changes))
    return p._replace(**changes)


def opening_games(p: Any, table: Games) -> int:
    """How many games the classes are taken from."""
    games = int((p.rows[0] if isinstance(p, Bank) else p).opening)
    return min(games or max(ceil(OPENING * len(table)), 1), len(table))


# --- results --------------------------------------------------------------------------------------


def classify(table: Games, opening: int) -> Results:
    """The classes of all results, and the first cut points by those of the opening."""
    score = table.score
    sign = np.where(score == 1.0, 1.0, np.where(score == 0.0, -1.0, 0.0))
    whole = (sign != 0.0) | (score == 0.5)
    notes: list[str] = []
    drawn = None
    if (score == 0.5).any():
        drawn = whole.astype(np.float64)
        notes.append("draws")
    sizes = None
    if table.margin is not None and len(table):
        sizes = margin_classes(np.abs(table.margin), sign != 0.0, opening)
    if sizes is None and drawn is None:
        return Results(None, None, np.zeros(1), notes)
    result, count = sign, 1
    if sizes is not None:
        result, count = sign * sizes, int(sizes.max(initial=1.0))
        notes.append(f"margin in {count} classes")
    early = np.abs(result[:opening])
    share = np.array([(early <= j).mean() for j in range(count)])
    share = share.clip(RAREST, 1.0 - RAREST)
    cuts = WIDTH * np.log((1.0 + share) / (1.0 - share))
    if drawn is None:
        cuts[0] = 0.0
    return Results(result, drawn, cuts, notes)


def margin_classes(size: Floats, decided: NDArray[np.bool_], opening: int) -> Floats | None:
    """The class of each margin, from 1; None where the opening has no two of them.

    Small whole numbers are goals: 1, 2, 3, 4, 5 and more. Others are cut at seven quantiles.
    """
    early = size[:opening][decided[:opening] & (size[:opening] > 0.0)]
    if not len(early) or early.min() == early.max():
        return None
    if (size == np.floor(size)).all() and early.mean() <= SMALL:
        found: Floats = np.clip(size, 1.0, GOALS)
        return found
    cut = np.unique(np.quantile(early, np.arange(1, CLASSES) / CLASSES))
    if (early == early.min()).mean() < 1.0 / CLASSES:
        cut = cut[cut > early.min()]
    return np.digitize(size, cut).astype(np.float64) + 1.0


# --- members --------------------------------------------------------------------------------------


def _added_members(table: Games) -> tuple[list[AddedMembers], list[str]]:
    """The members of sides beside the players, and what they are made of."""
    added: list[AddedMembers] = []
    used: list[str] = []
    if table.side is not None and table.side.any():
        added += _side_members(table)
        used.append("side")
        if table.time is not None and has_single_players(table):
            added += _rest_members(table)
            used.append("rest")
        if "league" in table.facts:
            used.append("league")
    if "context" in table.facts:
        added.append(_context_members(table))
        used.append("context")
    return added, used


def has_single_players(table: Games) -> bool:
    """Whether every side has one player, who stands before the other members of the side."""
    if table.role is None:
        return table.single
    players = np.add.reduceat((table.role[table.player] == 0).astype(np.int64), table.ends[:-1])
    return bool((players == 1).all())


def _side_members(table: Games) -> list[AddedMembers]:
    """The side advantage of each league, and a little of each player's own."""
    assert table.side is not None
    sided = np.flatnonzero(table.side)
    sides = 2 * sided + (table.side[sided] < 0.0)
    leagues, which = ["side advantage"], np.zeros(len(sided), np.int64)
    if "league" in table.facts:
        leagues = [f"side advantage: {name}" for name in table.labels["league"]]
        which = table.facts["league"][sided].astype(np.int64)
    found = [AddedMembers("side", "side", leagues, which, sides)]
    if has_single_players(table):
        player = table.player[table.ends[sides]].astype(np.int64)
        known, own = np.unique(player, return_inverse=True)
        names = [f"{table.players[each]}, own side advantage" for each in known.tolist()]
        found.append(AddedMembers("own side", "own side", names, own, sides))
    return found


def _rest_members(table: Games) -> list[AddedMembers]:
    """One member that stands beside a player who did not play the day before, unlike the other.

    Its clock begins with the table: it stands in the first game with a share of 0.
    """
    assert table.time is not None
    player = table.player[table.ends[:-1]]
    day = np.repeat(np.floor(table.time), 2)
    order = np.argsort(player, kind="stable")
    same = np.zeros(len(order), np.bool_)
    same[1:] = player[order][1:] == player[order][:-1]
    before = np.full(len(order), -np.inf)
    before[1:] = day[order][:-1]
    tired = np.empty(len(order), np.bool_)
    tired[order] = same & (day[order] - before == 1.0)
    fresh = np.flatnonzero(tired[1::2].astype(np.int64) - tired[0::2])
    if not len(fresh):
        return []
    sides = 2 * fresh + tired[0::2][fresh]
    share = np.ones(len(sides))
    if fresh[0] > 0:
        sides, share = np.append(0, sides), np.append(0.0, share)
    return [AddedMembers("rest", "rest", ["rest"], np.zeros(len(sides), np.int64), sides, share)]


def _context_members(table: Games) -> AddedMembers:
    """A member for each player and value of the context."""
    words = table.labels["context"]
    chosen = slice(None) if table.role is None else table.role[table.player] == 0
    ids = table.facts["context"].astype(np.int64)[table.contest_of_member[chosen]]
    player = table.player[chosen].astype(np.int64)
    known, which = np.unique(player * len(words) + ids, return_inverse=True)
    names = [
        f"{table.players[pair // len(words)]}@{words[pair % len(words)]}" for pair in known.tolist()
    ]
    share = None if table.share is None else table.share[chosen]
    return AddedMembers("context", "per", names, which, table.side_of_member[chosen], share)
