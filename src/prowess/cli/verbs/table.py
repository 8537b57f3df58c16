"""`prowess table`: one league under several systems, side by side."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.banks import several
from prowess.cli.columns import TableCommand, reading_options
from prowess.cli.exits import BAD_DATA
from prowess.cli.output import json_option
from prowess.cli.rating import day

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.ratings import Ratings
    from prowess.study.rankings import Gap, Ranking, RankingComparison

# The ten rankings of the bot rumble ("Darkcanuck/RRServer/Ratings", RoboWiki).
PRESETS = {
    "rumble": "aps,pl,rumble_elo,rumble_glicko,rumble_glicko2,batch_elo,schulze,ranked_pairs,"
    "borda,borda_tally",
    "tables": "points,massey,colley,keener,pagerank",
}
EXAMPLES = """\b
prowess table battles.csv --systems rumble
prowess table games.csv --systems elo:k=20,glicko2,colley --of "Ada Lovelace"
prowess table season.csv --systems points:ties=head_to_head,massey,elo --top 10
"""


class Asked:
    """A system as it was asked for: heading, system, settings."""

    def __init__(self, text: str) -> None:
        self.heading = text
        parts = text.split(":")
        self.name = ":".join(part for part in parts if "=" not in part)
        self.params: dict[str, Any] = {}
        for part in parts:
            name, sign, value = part.partition("=")
            if sign:  # 8/16/32 is a bank
                self.params[name] = several(part, value, "/") if "/" in value else value


def asked(context: click.Context, parameter: click.Parameter, value: str) -> list[Asked]:
    """`NAME,NAME:PARAM=VALUE,...`, each once; a preset stands for its systems."""
    texts: list[str] = []
    for text in (part.strip() for part in value.split(",")):
        texts += PRESETS[text].split(",") if text in PRESETS else [text] if text else []
    if not texts:
        raise click.BadParameter("name at least one system")
    return [Asked(text) for text in dict.fromkeys(texts)]


@click.command(
    "table",
    short_help="One league under several systems, side by side.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)
)
@reading_options
@click.option(
    "--systems", "-s", "wanted", required=True, metavar="NAME,NAME:PARAM=VALUE,...",
    callback=asked,
    help=f"Systems, the first sorts (k=8/16 is a bank); or a preset: {', '.join(PRESETS)}.",
)  # fmt: skip
@click.option("--as-of", metavar="DATE", callback=day, help="Leave out all games after that day.")
@click.option("--of", "of", metavar="NAME", help="How far this player is behind each leader.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the best N.")
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
def command(
    files: tuple[str, ...],
    wanted: list[Asked],
    as_of: float | None,
    of: str | None,
    top: int | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Rate FILE... under several systems: place and value of each player, and how alike they are.

    Equal players share a place, shown as 2=. A system that refuses the table says why below it,
    and the command then ends with 3; the others are shown all the same.
    """
    from prowess.cli.columns import table_of
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import chosen
    from prowess.cli.talk import say
    from prowess.engine.params import settings
    from prowess.engine.periods import BadRounds
    from prowess.engine.system import Unratable
    from prowess.rating import rate
    from prowess.study.rankings import compare_rankings

    systems: list[tuple[Asked, System]] = [(one, chosen(one.name)) for one in wanted]
    for one, system in systems:
        settings(system, one.params)
    table = table_of(files, {**options}, quiet)
    rated: dict[str, Ratings] = {}
    refusals: dict[str, str] = {}
    for one, system in systems:
        given: dict[str, Any] = dict(one.params)
        try:
            rated[one.heading] = rate(table, system, as_of=as_of, **given)
        except (Unratable, BadRounds) as refusal:
            refusals[one.heading] = str(refusal)
    if not rated:
        raise Unratable("\n".join(f"{name}: {reason}" for name, reason in refusals.items()))
    comparison = compare_rankings(rated)
    who = None if of is None else comparison.index(of)
    if as_json:
        put(json_text({**plain(comparison, top, who), "refused": refusals}))
    else:
        put(shown(comparison, top, who))
        for ratings in rated.values():
            for note in ratings.notes:
                say(f"note: {ratings.system.name}: {note}", quiet)
        for name, reason in refusals.items():
            put(f"\n{name} refuses this table: {reason}")
    return BAD_DATA if refusals else 0


def shown(comparison: RankingComparison, top: int | None, who: int | None) -> str:
    """Places and values, then the correlations, then the gap of one player."""
    from prowess.cli.table import drawn, screen

    rankings, columns = comparison.rankings, screen()
    header = ["player", *(text for one in rankings for text in ("#", one.name))]
    body = [
        [comparison.players[k], *(text for one in rankings for text in cells(one, k))]
        for k in comparison.order[:top]
    ]
    parts = [drawn([header, *body], columns)]
    if len(rankings) > 1:
        names = [one.name for one in rankings]
        rows = [["name", *names]]
        for i, name in enumerate(names):
            pairs = zip(comparison.tau[i], comparison.rho[i], strict=True)
            rows.append([name, *(_number(t if j <= i else r, 3) for j, (t, r) in enumerate(pairs))])
        parts.append("rank correlation: Kendall's tau-b below the diagonal, Spearman's rho above")
        parts.append(drawn(rows, columns))
    if who is not None:
        rows = [["name", "#", "value", "leader's", "behind", "expected score against the leader"]]
        for one in rankings:
            gap = one.gap(who)
            place, value = cells(one, who)
            first = comparison.players.index(gap.leader)
            rows.append(
                [one.name, place, value, cells(one, first)[1], f"{gap.gap:.6g}", chance(gap)]
            )
        parts.append(f"{comparison.players[who]} and the leader under each system")
        parts.append(drawn(rows, columns))
    return "\n\n".join(parts)


def cells(one: Ranking, player: int) -> tuple[str, str]:
    """Place and value as people read them: 2= is shared, levels are named as such."""
    entry = one.entry(player)
    place = f"{entry.place}=" if entry.tied else str(entry.place)
    if one.column == "level":
        return place, f"level {entry.value:.0f}"
    return place, f"{entry.value:.1f}" if abs(entry.value) >= 100 else f"{entry.value:.4g}"


def chance(gap: Gap) -> str:
    """The expected score, or why there is none."""
    return gap.reason or "-" if gap.chance is None else f"{gap.chance:.3f}"


def plain(comparison: RankingComparison, top: int | None, who: int | None) -> dict[str, Any]:
    """The comparison as plain data at full precision."""
    names = [one.name for one in comparison.rankings]
    data: dict[str, Any] = {
        "systems": {one.name: one.ratings.params for one in comparison.rankings},
        "players": [
            {
                "player": comparison.players[k],
                **{one.name: one.entry(k)._asdict() for one in comparison.rankings},
            }
            for k in comparison.order[:top]
        ],
    }
    for word, matrix in (("kendall", comparison.tau), ("spearman", comparison.rho)):
        data[word] = {
            name: {other: None if isnan(x) else x for other, x in zip(names, row, strict=True)}
            for name, row in zip(names, matrix.tolist(), strict=True)
        }
    if who is not None:
        gaps = {one.name: one.gap(who)._asdict() for one in comparison.rankings}
        data["gap"] = {"player": comparison.players[who], "to_the_leader": gaps}
    return data


def _number(x: float, digits: int) -> str:
    return "-" if isnan(x) else f"{x:.{digits}f}"
