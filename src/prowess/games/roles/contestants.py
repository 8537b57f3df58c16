"""The column of players of contests, by its heading and by its cells.

Players are told by a word of many languages, else by cells: names of which none stands twice in a
contest. Of several such columns the players are those to whom the others belong: a golfer has a
club, and a club several golfers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prowess.games.errors import quote
from prowess.games.roles.contest_words import CONTEST
from prowess.games.roles.evidence import MOST
from prowess.games.roles.named_players import is_of_official
from prowess.games.values import plain_form
from prowess.games.vocabulary import SIDE_WORDS, read_heading, tells_contests
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.roles.evidence import TableEvidence
    from prowess.games.roles.headings import Headings

OF_TEAMS = words_for("team")  # players that may stand for the team of those in another column


RIDERS, HORSES = words_for("jockey"), words_for("horse")  # who ride other horses from race to race
GROUND = SIDE_WORDS["home"] | SIDE_WORDS["away"] | {"a", "n", "neutral", "@", "vs"}


def find_contestant(finder: Headings) -> str | None:
    """The column of players of a table that ranks them; None where there is none.

    Raises BadData where there are several.
    """
    guessed, evidence = finder.guessed.get("player"), finder.evidence
    ridden = next((name for name in finder.names if HORSES & {*read_heading(name).words}), None)
    if guessed and ridden and RIDERS & {*read_heading(guessed).words}:
        shown = f"{quote(ridden)} or {quote(guessed)}"
        raise finder.bad(
            f"the players may be {shown}",
            "name them with player= (--player)",
            code="players_ambiguous",
        )
    of_person = guessed and OF_TEAMS.isdisjoint(read_heading(guessed).words)
    if evidence is None or of_person or {"result", "result of team"} & finder.guessed.keys():
        return guessed
    keys = _find_keys(finder)
    found = [
        name for name in finder.names
        if (name == guessed or _may_name(finder, name)) and evidence[name].words >= MOST
        and evidence[name].filled >= MOST * evidence.count and _is_once(evidence, name, keys)
    ]  # fmt: skip
    persons = [
        name for name in found
        if read_heading(name).subjects and OF_TEAMS.isdisjoint(read_heading(name).words)
    ]  # fmt: skip
    found = persons or found
    if len(found) < 2:
        return found[0] if found else guessed
    owners = [name for name in found if all(_belongs(evidence, other, name) for other in found)]
    if len(owners) == 1:
        return owners[0]
    shown = " or ".join(map(quote, found))
    raise finder.bad(
        f"the players may be {shown}", "name them with player= (--player)", code="players_ambiguous"
    )


def _may_name(finder: Headings, name: str) -> bool:
    """Whether a heading may be that of players: it means nothing else."""
    heading = read_heading(name)
    taken = {column for role, column in finder.guessed.items() if role != "player"}
    if heading.spoiled or heading.sides or heading.subjects - {"player"} or name in taken:
        return False
    if is_of_official(heading):
        return False
    return finder.evidence is None or not finder.evidence[name].names <= GROUND


def _find_keys(finder: Headings) -> list[str]:
    """The columns that tell contests apart."""
    dates = {finder.guessed.get("date"), finder.guessed.get("maybe date")}
    return [
        name for name in finder.names
        if name in dates or plain_form(name) in CONTEST or tells_contests(name)
    ]  # fmt: skip


def _is_once(evidence: TableEvidence, name: str, keys: Sequence[str]) -> bool:
    """Whether no name stands twice in a contest, but for a few."""
    columns = [map(str, evidence.rows[each]) for each in (*keys, name)]
    counts = Counter(zip(*columns, strict=True))
    return len(counts) >= MOST * evidence.count


def _belongs(evidence: TableEvidence, other: str, name: str) -> bool:
    """Whether each value of a column has one value of another, of which it has no fewer."""
    if other == name:
        return True
    pairs: dict[Any, set[Any]] = {}
    for who, of in zip(evidence.rows[name], evidence.rows[other], strict=True):
        pairs.setdefault(who, set()).add(of)
    return all(len(each) == 1 for each in pairs.values()) and len(evidence[other].names) < len(
        evidence[name].names
    )
