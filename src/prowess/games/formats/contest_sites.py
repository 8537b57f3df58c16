"""Sites whose documents hold contests of many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prowess.games.formats.sites import (
    Names,
    Record,
    ResultSite,
    Row,
    absent,
    as_number,
    find_first,
    find_name,
    find_path,
    write_moment,
)

CODEFORCES_PRESENT = frozenset({"CONTESTANT", "OUT_OF_COMPETITION"})


def codeforces_rows(row: Record, _names: Names, around: Record) -> Iterator[Row]:
    """A row of a contest's standings; virtual participants and practice are left out."""
    party = row.get("party") or {}
    kind = party.get("participantType", "CONTESTANT")
    if kind not in CODEFORCES_PRESENT:
        yield absent(f"the participant was not in the contest ({kind})")
        return
    handles = [find_path(member, "handle") for member in party.get("members") or ()]
    contest = around.get("contest") or {}
    yield {
        "contest": find_first(contest, "id", "name") or party.get("contestId"),
        "player": handles[0] if len(handles) == 1 else handles,
        "place": row.get("rank"),
        "date": write_moment(find_first(contest, "startTimeSeconds")),
    }


def codeforces_change_rows(row: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A change of a rating: the place of a player in a contest."""
    yield {
        "contest": row.get("contestId"),
        "player": row.get("handle"),
        "place": row.get("rank"),
        "date": write_moment(row.get("ratingUpdateTimeSeconds")),
    }


def bgstats_rows(play: Record, names: Names, around: Record) -> Iterator[Row]:
    """A play of BGStats: ranks where they are kept, else scores, else who has won."""
    scores = [each for each in play.get("playerScores") or () if isinstance(each, Mapping)]
    games = around.get("games")
    game: Mapping[str, Any] = {}
    for each in games if isinstance(games, list) else ():
        if isinstance(each, Mapping) and each.get("id") == play.get("gameRefId"):
            game = each
    won = [bool(each.get("winner")) for each in scores]
    if play.get("ignored") or len(scores) < 2:
        yield absent("the play is marked as ignored" if play.get("ignored") else "nobody else")
        return
    places = find_places(scores, won, bool(game.get("highestWins", True)))
    if game.get("cooperative") or places is None:
        yield absent("no player won against another")
        return
    teams = [each.get("team") if play.get("usesTeams", True) else None for each in scores]
    for each, place, team in zip(scores, places, teams, strict=True):
        name = find_name(names, each.get("playerRefId"))
        yield {
            "contest": find_first(play, "uuid", "id", "playDate"),
            "player": name,
            "place": place,
            "date": play.get("playDate"),
            "team": (f"team {team}" if team else name) if any(teams) else None,
            "context": game.get("name"),
        }


def find_places(scores: list[Any], won: list[bool], highest: bool) -> list[int] | None:
    """The places of the players of a play; None where all have won or all have lost.

    Scores decide where everyone has one and the best are those who won; members of a team have
    the place of its best.
    """
    ranks = [each.get("rank") for each in scores]
    if all(isinstance(rank, int) and rank > 0 for rank in ranks):
        return list(ranks)
    points = [as_number(each.get("score")) for each in scores]
    teams = [each.get("team") or at for at, each in enumerate(scores)]
    if None not in points:
        order = [(-each if highest else each) for each in points if each is not None]
        best = {
            team: min(value for value, one in zip(order, teams, strict=True) if one == team)
            for team in teams
        }
        places = [1 + sum(other < best[team] for other in best.values()) for team in teams]
        if not any(won) or [place == 1 for place in places] == won:
            return places if max(places) > 1 or not any(won) else None
    if all(won) or not any(won):
        return None
    return [1 if each else 2 for each in won]


ERGAST_UNPLACED = {
    "R": "DNF", "D": "DSQ", "E": "DSQ", "W": "DNS", "F": "DNQ", "N": "NC",
}  # fmt: skip


def ergast_rows(race: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A race of Ergast: a row for each driver; who retired has no place."""
    time = race.get("time")
    for each in find_first(race, "Results", "SprintResults") or ():
        text = find_path(each, "positionText")
        yield {
            "contest": f"{race.get('season')} {race.get('round')}",
            "player": find_first(each, "Driver.driverId", "Driver.familyName"),
            "place": ERGAST_UNPLACED.get(str(text), find_path(each, "position")),
            "date": f"{race.get('date')} {time}" if time else race.get("date"),
        }


def ranked_rows(row: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A row of the results of one tournament, of Lichess or AtCoder."""
    yield {
        "player": find_first(row, "username", "UserScreenName"),
        "place": find_first(row, "rank", "Rank"),
        "contest": "1",
    }


CONTEST_SITES = (
    ResultSite("results of a Lichess tournament", ("rank", "username", "performance"), ranked_rows),
    ResultSite("AtCoder standings", ("Rank", "UserScreenName", "TotalResult"), ranked_rows),
    ResultSite("Codeforces standings", ("party.members", "rank"), codeforces_rows),
    ResultSite(
        "Codeforces changes of ratings",
        ("contestId", "handle", "rank", "ratingUpdateTimeSeconds"),
        codeforces_change_rows,
    ),
    ResultSite("BGStats plays", ("playerScores", "playDate"), bgstats_rows),
    ResultSite("Ergast races", ("Results.0.Driver", "round"), ergast_rows),
    ResultSite("Ergast races", ("SprintResults.0.Driver", "round"), ergast_rows),
)
