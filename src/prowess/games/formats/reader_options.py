"""The keywords of the reader, checked and made into options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prowess.games.arguments import check_callable, check_flag, check_given, check_text
from prowess.games.cells.skipped_rows import parse_skip_bad
from prowess.games.errors import BadData
from prowess.games.formats.sources import take_format
from prowess.games.layout import (
    Options,
    check_choice,
    columns_by_role,
    columns_of,
    filters,
    names_once,
    scores_of_words,
)
from prowess.games.role_members import FAMILY, check_roles
from prowess.games.roles.forecasts import forecasts_of

ROLES = (
    "player_a", "player_b", "result", "score_a", "score_b", "winner", "loser", "draw", "time",
    "round", "neutral", "weight", "margin", "length", "league", "context", "variant", "contest",
    "player", "place", "points", "team", "share",
)  # fmt: skip
TEXTS = {  # keywords that are texts, and what such a text is
    "side": "a, none, or the name of a column", "fact_prefix": "fact_", "date_format": "%d/%m/%Y",
    "delimiter": '";"', "encoding": "utf-8", "table": "Results", "order": "reversed",
    "sql": "SELECT * FROM games", "format": "csv",
}  # fmt: skip
CHOICES = {
    "kind": ("games", "contests"), "score": ("share",),
    "unplaced": ("last", "skip"), "teams": ("members", "commas", "names"),
    "byes": ("players", "names", "wins"), "walkovers": ("wins",),
}  # fmt: skip


def parse_options(given: Mapping[str, Any]) -> Options:
    """The options of all keywords of `read_games`; raises BadData and BadArgument."""
    for name, such_as in TEXTS.items():
        if given[name] is not None:
            check_text(name, given[name], such_as)
    for name, known in CHOICES.items():
        if given[name] is not None:
            check_choice(name, given[name], known)
    if given["format"] is not None:
        take_format(given["format"])
    for name in ("warn", "family"):
        check_flag(name, given[name])
    check_given(check_flag, "compiled", given["compiled"])
    check_given(check_callable, "report", given["report"])
    if given["skip_bad"] is not False:
        parse_skip_bad(given["skip_bad"])
    along, family = columns_by_role(given["with_"]), given["family"]
    per = names_once("per", given["per"])
    if per or along or family:
        check_roles(per, (*along, *[FAMILY] * family))
    if given["byes"] == "wins" and (per or along or family):
        raise BadData(
            "byes count as wins of players alone",
            remedy='leave byes="wins" (--byes) out, or the roles',
            code="byes_of_roles",
        )
    forecasts = (
        *forecasts_of("chance", given["forecast"]),
        *forecasts_of("odds", given["odds"]),
    )
    return Options(
        kind=given["kind"],
        roles={role: columns_of(role, given[role]) for role in ROLES if given[role] is not None},
        side=given["side"],
        share=given["score"] is not None,
        date_format=given["date_format"],
        unplaced=given["unplaced"],
        teams=given["teams"],
        facts=names_once("facts", given["facts"]),
        fact_prefix=given["fact_prefix"],
        forecasts=forecasts,
        per=per,
        along=along,
        family=family,
        byes=given["byes"] != "players",
        nobody=given["byes"] in {None, "wins"},
        bye_wins=given["byes"] == "wins",
        outcomes=scores_of_words(given["outcomes"]),
        walkovers=given["walkovers"] is not None,
        order=given["order"],
        where=filters("where", given["where"]) if given["where"] is not None else {},
        exclude=filters("exclude", given["exclude"]) if given["exclude"] is not None else {},
    )
