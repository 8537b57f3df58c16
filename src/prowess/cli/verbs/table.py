"""`prowess table`: one league under several systems, side by side."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Annotated, Any

from prowess.cli.completion import complete_players
from prowess.cli.exits import BAD_DATA
from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.rating import Count, Day
from prowess.cli.reading import FileSource, ReadingOptions

if TYPE_CHECKING:
    from prowess.study.rankings import RankingComparison, SystemRanking

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


def expand_presets(value: str) -> str:
    """The list of systems, a preset replaced by its systems."""
    return ",".join(PRESETS.get(text.strip(), text) for text in value.split(","))


@verb("table", epilog=EXAMPLES)
def table_verb(
    reading: ReadingOptions,
    *,
    systems: Annotated[
        str,
        Option(
            f"Systems, the first sorts (k=8/16 is a bank); or a preset: {', '.join(PRESETS)}.",
            "NAME,NAME:PARAM=VALUE,...",
            names=("--systems", "-s"),
            parse=expand_presets,
        ),
    ],
    as_of: Annotated[Day, "Leave out all games after that day."] = None,
    of: Annotated[
        str | None,
        Option("How far this player is behind each leader.", "NAME", complete=complete_players),
    ] = None,
    top: Annotated[Count, "Only the best N."] = None,
    answer: AnswerOptions,
) -> int:
    """Rate FILE... under several systems: place and value of each player, and rank correlations.

    Equal players share a place, shown as 2=. Systems that refuse the table are named below it with
    the reason, and the command then ends with 3; the others are shown all the same.
    """
    from prowess.cli.output import print_note, print_text
    from prowess.verbs.judge import rank_side_by_side

    source = FileSource(reading)
    comparison, reasons = rank_side_by_side(source, systems, reading.given, as_of)
    refusals = {name: str(reason) for name, reason in reasons.items()}
    player = None if of is None else comparison.index(of)

    def render() -> None:
        print_text(format_comparison(comparison, top, player))
        for one in comparison.rankings:
            for note in one.ratings.notes:
                print_note(f"note: {one.ratings.system.name}: {note}", reading.quiet)
        for name, reason in refusals.items():
            print_text(f"\n{name} refuses this table: {reason}")

    answer.give(
        lambda: {**comparison_data(comparison, top, player), "refused": refusals},
        lambda: comparison.to_table(top),
        render,
        reading=source.table.reading,
    )
    return BAD_DATA if refusals else 0


def format_comparison(comparison: RankingComparison, top: int | None, player: int | None) -> str:
    """Places and values, then the correlations, then the gap of one player."""
    from prowess.cli.output import render_table

    rankings = comparison.rankings
    names = [one.name for one in rankings]
    header = ["player", *(text for name in names for text in ("#", name))]
    body = [
        [comparison.players[k], *(text for one in rankings for text in place_and_value(one, k))]
        for k in comparison.order[:top]
    ]
    parts = [render_table([header, *body])]
    if len(rankings) > 1:
        rows = [["name", *names]]
        for i, name in enumerate(names):
            pairs = enumerate(zip(comparison.tau[i], comparison.rho[i], strict=True))
            numbers = [tau if j <= i else rho for j, (tau, rho) in pairs]
            rows.append([name, *("-" if isnan(x) else f"{x:.3f}" for x in numbers)])
        parts.append("rank correlation: Kendall's tau-b below the diagonal, Spearman's rho above")
        parts.append(render_table(rows))
    if player is not None:
        rows = [["name", "#", "value", "leader's", "behind", "expected score against the leader"]]
        for one in rankings:
            gap = one.gap(player)
            chance = gap.reason or "-" if gap.chance is None else f"{gap.chance:.3f}"
            leader = place_and_value(one, comparison.players.index(gap.leader))[1]
            rows.append([one.name, *place_and_value(one, player), leader, f"{gap.gap:.6g}", chance])
        parts.append(f"{comparison.players[player]} and the leader under each system")
        parts.append(render_table(rows))
    return "\n\n".join(parts)


def place_and_value(one: SystemRanking, player: int) -> tuple[str, str]:
    """Place and value as text: 2= is shared, levels are named as such."""
    entry = one.entry(player)
    place = f"{entry.place}=" if entry.tied else str(entry.place)
    if one.column == "level":
        return place, f"level {entry.value:.0f}"
    return place, f"{entry.value:.1f}" if abs(entry.value) >= 100 else f"{entry.value:.4g}"


def comparison_data(
    comparison: RankingComparison, top: int | None, player: int | None
) -> dict[str, Any]:
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
    if player is not None:
        gaps = {one.name: one.gap(player)._asdict() for one in comparison.rankings}
        data["gap"] = {"player": comparison.players[player], "to_the_leader": gaps}
    return data
