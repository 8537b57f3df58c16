"""Find names that look alike.

Two names look alike where they differ by case, accents, characters that show nothing or the order
of their words only, or by one letter that one has and the other has not, or has otherwise. Not so
names whose digits differ (Player 1, Player 2) or whose differing letter stands first (Zambia,
Gambia) or alone (Team A, Team B), names of fewer than five letters that differ by a letter, names
with more than two such neighbours (a series), and pairs that met in a game or a contest: those are
two players. Names that differ by marks at their ends only ([1] Ana, Ana (WC)) look alike as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from prowess.games.errors import Suspicion, quote
from prowess.games.games import Games, players_of
from prowess.games.patterns import lazy_pattern
from prowess.games.words import alternatives

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


MOST_NAMES = 50_000  # of a roster in which such names are sought; 0.2 s
SHOWN = 5  # pairs that a note names
LOOKED_AT = 200  # pairs of which it is found out whether they met
LEAST_LETTERS = 5  # of names that differ by a letter
MOST_TWINS = 2  # of one name; names with more are a series
PARTS = re.compile(r"[^\s,]+")
JOINS = lazy_pattern(  # in teams and the like the order may count
    rf"[&+/;@]| (?:{alternatives('and', 'and_in_lower_case')}|vs?)\.? "
)
BASE = 0x9E3779B97F4A7C15  # odd, so that it can be divided by among numbers of 64 bits
INVERSE = pow(BASE, -1, 1 << 64)


def look_alike_note(table: Games) -> Suspicion | None:
    """The note about names of a table that look alike; None where there are none."""
    players, names = players_of(table), table.players
    pairs, own = look_alikes(players), len(players)
    if own < len(names):  # `Nadal@clay` beside `Nadall@clay` says no more than their players do
        others = [(a + own, b + own) for a, b in look_alikes(names[own:])]
        pairs += [
            (a, b) for a, b in others
            if "@" not in names[a] or names[a].split("@")[-1] != names[b].split("@")[-1]
        ]  # fmt: skip
    pairs = [*_never_met(table, pairs), *_pairs_by_marks(table, players)]
    if not (pairs := sorted({*pairs})):
        return None
    shown = ", ".join(f"{quote(names[a])}/{quote(names[b])}" for a, b in pairs[:SHOWN])
    more = f" and {len(pairs) - SHOWN:,} more" if len(pairs) > SHOWN else ""
    return Suspicion(
        f"these names look alike and count as different players: {shown}{more}",
        f"{shown}{more} look alike",
    )


def _pairs_by_marks(table: Games, players: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names that differ by marks such as `[1]` and `(WC)`, of players who never met."""
    if len(players) > MOST_NAMES:
        return []
    found = []
    for group in differ_by_marks(players)[:LOOKED_AT]:
        first, *others = group
        pairs = [(first, other) for other in others]
        near = [*pairs, *pairwise(others)][:LOOKED_AT]
        if len(_never_met(table, near)) == len(near):
            found += pairs
    return found


def look_alikes(names: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names that look alike, by their ids; none of a roster of more than 50,000."""
    if not 1 < len(names) <= MOST_NAMES:
        return []
    text = "\0".join(names).casefold()
    if not text.isascii():
        text = "".join(
            letter
            for letter in unicodedata.normalize("NFKD", text)
            if not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf"
        )  # Cf: characters that show nothing, such as a zero-width space
    folded = text.split("\0")  # without case and accents
    if len(folded) != len(names):  # a name holds the separator
        folded = list(names)
    pairs = []
    number: dict[str, int] = {}
    for at, name in enumerate(folded):
        if (first := number.setdefault(name, at)) != at:
            pairs.append((first, at))
    turned: dict[str, int] = {}
    for name, at in number.items():
        if len(parts := PARTS.findall(name)) > 1 and not JOINS.search(name):
            same = turned.setdefault(" ".join(sorted(parts)), at)
            if same != at and min(map(len, parts)) > 1:
                pairs.append((same, at))
    del text, folded, turned  # memory counts here, beside the columns of a long table
    number = {name: at for name, at in number.items() if len(name) >= LEAST_LETTERS}
    if len(number) > 1:
        ids = list(number.values())
        near = [(ids[a], ids[b]) for a, b in _one_letter_apart(list(number))]
        pairs += [(min(pair), max(pair)) for pair in near]
    return sorted(pairs)


def _one_letter_apart(names: list[str]) -> list[tuple[int, int]]:
    """Pairs of different names that differ by one letter.

    Each name is looked up without each of its letters in turn, by a polynomial of the others:
    two names that agree so differ in that letter, and a name that agrees with a whole one has one
    letter more.
    """
    length = np.array([len(name) for name in names], np.int64)
    text = "".join(names)
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    letters, kind = np.unique(code, return_inverse=True)
    digit = np.array([chr(letter).isdigit() for letter in letters.tolist()], np.bool_)[kind]
    of_word = np.array([chr(letter).isalnum() for letter in letters.tolist()], np.bool_)[kind]
    end = np.cumsum(length)
    start = end - length
    name = np.repeat(np.arange(len(names)), length)
    place = np.arange(len(code)) - start[name]
    joins_left, joins_right = np.zeros((2, len(code)), np.bool_)
    joins_left[1:] = of_word[1:] & of_word[:-1] & (place[1:] > 0)
    joins_right[:-1] = joins_left[1:]
    counted = of_word & ~digit
    count = np.bincount(name[counted], minlength=len(names))
    alone = of_word & ~joins_left & ~joins_right
    power = np.cumprod(np.full(int(length.max(initial=0)), BASE, np.uint64))
    term = (code.astype(np.uint64) + np.uint64(1)) * power[place]
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(term)))
    whole = total[end] - total[start]
    at = np.flatnonzero((place > 0) & ~digit & ~alone & (count[name] >= LEAST_LETTERS))
    before = total[at] - total[start[name[at]]]
    after = total[end[name[at]]] - total[at + 1]
    without = before + after * np.uint64(INVERSE)

    mixed = without * np.uint64(BASE) + place[at].astype(np.uint64)
    mixed = mixed * np.uint64(BASE) + length[name[at]].astype(np.uint64)
    order = np.argsort(mixed, kind="stable")
    group = np.concatenate(([0], np.cumsum(mixed[order][1:] != mixed[order][:-1])))
    size = np.bincount(group) if len(order) else np.zeros(0, np.int64)
    pairs = []
    for first in np.flatnonzero((size > 1) & (size <= 1 + MOST_TWINS)).tolist():
        low, high = np.searchsorted(group, [first, first + 1]).tolist()
        several = name[at[order[low:high]]].tolist()
        pairs += [(a, b) for k, a in enumerate(several) for b in several[k + 1 :]]
    by_whole = np.argsort(whole, kind="stable")
    found = np.minimum(np.searchsorted(whole[by_whole], without), len(names) - 1)
    shorter = by_whole[found]
    agrees = (
        (whole[shorter] == without)
        & (length[shorter] == length[name[at]] - 1)
        & (count[shorter] >= LEAST_LETTERS)
    )
    pairs += zip(shorter[agrees].tolist(), name[at[agrees]].tolist(), strict=True)
    pairs = [(a, b) for a, b in dict.fromkeys(pairs) if a != b]
    twins = np.bincount(np.array(pairs, np.int64).ravel(), minlength=len(names))
    return [(a, b) for a, b in pairs if max(twins[a], twins[b]) <= MOST_TWINS]


def _never_met(table: Games, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs, of the first of them, that met in no game and no contest."""
    pairs = pairs[:LOOKED_AT]
    if not pairs:
        return []
    if table.duels:
        a, b = table.a.astype(np.int64), table.b.astype(np.int64)
        met = np.minimum(a, b) * len(table.players) + np.maximum(a, b)
        wanted = np.array([min(pair) * len(table.players) + max(pair) for pair in pairs])
        fresh = ~np.isin(wanted, met)
        return [pair for pair, never in zip(pairs, fresh.tolist(), strict=True) if never]
    contest = table.contest_of_member
    return [
        (a, b)
        for a, b in pairs
        if not len(np.intersect1d(contest[table.player == a], contest[table.player == b]))
    ]


# Names that differ by a mark only: `[1] Ana` and `[2] Ana`, `Cleo (WC)`, `GM Alder`.


TITLE = re.compile(
    r"(?:w?[gifcn]m|a[gifc]m|dr|prof|mr|mrs|ms|herr|frau|sir)\.?\s+(?=\S{2})", re.IGNORECASE
)
IN_FRONT = re.compile(r"[\[(](?P<mark>[^\[\]()]{1,12})[\])]\s*|#\s?(?P<number>\d{1,3})\s+")
BEHIND = re.compile(r"\s*[\[(](?P<mark>[^\[\]()]{1,12})[\])]$|\s*[*†‡]+$")
ENTRIES = frozenset(
    ["wc", "q", "ll", "pr", "alt", "se", "sr", "c", "cap", "h", "host", "ret"]
)  # how a player came in
MARKED = re.compile(rf"[\[(#*†‡]|(?:^|\0){TITLE.pattern}", re.IGNORECASE)


def differ_by_marks(names: Sequence[str]) -> list[list[int]]:
    """Groups of names that are the same without marks at their ends, by their ids.

    Two names of different words in brackets, (Berlin) and (Wien), are two players.
    """
    if not MARKED.search("\0".join(names)):
        return []
    groups: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for at, name in enumerate(names):
        bare, mark = _split_mark(name)
        groups[bare.casefold()].append((at, mark.casefold()))
    found = []
    for group in groups.values():
        words = {mark for _, mark in group if mark and _is_of_player(mark)}
        ids = [at for at, mark in group if not (len(words) > 1 and mark in words)]
        if len(ids) > 1:
            found.append(ids)
    return found


def _is_of_player(mark: str) -> bool:
    """Whether a mark may tell two players of one name apart: a town, a club, a size (13B)."""
    return mark not in ENTRIES and any(map(str.isalpha, mark)) and len(mark) > 1


def _split_mark(name: str) -> tuple[str, str]:
    """A name without marks at its ends, and the last of them."""
    bare, mark = TITLE.sub("", name, count=1) if TITLE.match(name) else name, ""
    for form in (IN_FRONT, BEHIND):
        found = form.match(bare) if form is IN_FRONT else form.search(bare)
        if found is None:
            continue
        rest = bare[found.end() :] if form is IN_FRONT else bare[: found.start()]
        if any(map(str.isalpha, rest)):
            bare, mark = rest, next(filter(None, found.groupdict().values()), "*")
    return bare.strip(), mark.strip()
