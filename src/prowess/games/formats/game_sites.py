"""Sites whose documents hold games between two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prowess.games.formats.sites import (
    AT_HOME,
    CHESS,
    DRAWN,
    LOST,
    NO_ADVANTAGE,
    WON,
    Names,
    Record,
    ResultSite,
    Row,
    absent,
    as_number,
    duel,
    find_first,
    find_name,
    find_path,
    has_path,
    result_of,
    result_of_points,
    with_points,
)

# Chess


LICHESS_NOT_PLAYED = frozenset({"created", "started", "aborted", "noStart", "unknownFinish"})


def lichess_rows(game: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A game of Lichess: a draw has no winner."""
    status = game.get("status")
    if status in LICHESS_NOT_PLAYED:
        yield absent(f"the game was not finished (status {status})")
        return
    players = []
    for side in CHESS:
        player = find_path(game, f"players.{side}")
        level = find_path(player, "aiLevel")
        name = find_first(player, "user.name", "user.id", "userId", "name")
        players.append(f"Stockfish level {level}" if name is None and level is not None else name)
    if None in players:
        yield absent("a player is anonymous")
        return
    result = {"white": WON, "black": LOST, None: DRAWN}.get(game.get("winner"), "?")
    began = as_number(game.get("createdAt"))
    yield duel(
        CHESS, (players[0], players[1]), None if began is None else began / 1000, result=result,
        variant=game.get("variant"),
    )  # fmt: skip


CHESSCOM_DRAWN = frozenset(
    {"agreed", "repetition", "stalemate", "insufficient", "50move", "timevsinsufficient"}
)


def chesscom_rows(game: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A game of chess.com: each side has a code of how it ended."""
    codes = [find_path(game, f"{side}.result") for side in CHESS]
    if "win" in codes and codes[0] != codes[1]:
        result = WON if codes[0] == "win" else LOST
    elif set(codes) <= CHESSCOM_DRAWN:
        result = DRAWN
    else:
        result = " and ".join(map(str, codes))  # is refused
    white, black = (find_path(game, f"{side}.username") for side in CHESS)
    yield duel(
        CHESS, (white, black), game.get("end_time"), result=result, variant=game.get("rules")
    )


# Brackets


STARTGG_DONE = 3


def startgg_rows(match: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A set of start.gg: two slots with an entrant and its score, -1 for a disqualification."""
    entrants = [
        find_first(match, f"slots.{side}.entrant", f"slots.{side}.standing.entrant")
        for side in (0, 1)
    ]
    names = [_name_entrant(each) for each in entrants]
    ids = [find_path(each, "id") for each in entrants]
    points = [find_path(match, f"slots.{side}.standing.stats.score.value") for side in (0, 1)]
    if match.get("state", STARTGG_DONE) not in (STARTGG_DONE, "COMPLETED") or None in names:
        yield absent("the set was not played")
        return
    if match.get("displayScore") == "DQ" or any((as_number(each) or 0) < 0 for each in points):
        yield absent("a player was disqualified before the set", "walkover")
        return
    result = result_of(ids[0], ids[1], match.get("winnerId")) or result_of_points(*points)
    yield with_points(
        NO_ADVANTAGE, (names[0], names[1]), find_first(match, "completedAt", "startedAt"),
        result or "not played", points,
    )  # fmt: skip


def _name_entrant(entrant: Any) -> Any:
    """The name of an entrant, else those of its participants."""
    if (name := find_path(entrant, "name")) is not None:
        return name
    tags = [find_first(each, "gamerTag", "player.gamerTag")
            for each in find_path(entrant, "participants") or ()]  # fmt: skip
    return None if None in tags or not tags else tags if len(tags) > 1 else tags[0]


def challonge_rows(match: Record, names: Names, _around: Record) -> Iterator[Row]:
    """A match of Challonge: participants by id, a score such as 3-1, or 11-9,8-11,11-5 of sets."""
    ids = [match.get("player1_id"), match.get("player2_id")]
    if match.get("state") not in (None, "complete") or None in ids:
        yield absent("the match was not played")
        return
    points = count_sets(str(match.get("scores_csv") or ""))
    if match.get("forfeited") or (points and min(points) < 0):
        yield absent("the match was forfeited", "walkover")
        return
    players = [find_name(names, each) for each in ids]
    result = result_of(ids[0], ids[1], match.get("winner_id"))
    yield with_points(
        NO_ADVANTAGE, (players[0], players[1]),
        find_first(match, "completed_at", "started_at", "updated_at"),
        result or (result_of_points(*points) if points else "not played"), points or [None, None],
    )  # fmt: skip


def count_sets(text: str) -> list[int]:
    """The points of one score, the sets won of several; empty where they are not scores."""
    sets = []
    for each in text.split(","):
        first, _, second = each.strip().rpartition("-")
        if first.endswith("-"):  # 0--1
            first, second = first[:-1], f"-{second}"
        try:
            sets.append((int(first), int(second)))
        except ValueError:
            return []
    if len(sets) == 1:
        return [*sets[0]]
    return [sum(a > b for a, b in sets), sum(a < b for a, b in sets)]


def challonge_v2_rows(match: Record, names: Names, _around: Record) -> Iterator[Row]:
    """A match of Challonge's later interface: attributes with the points of each participant."""
    attributes = match.get("attributes") or {}
    sides = find_path(attributes, "points_by_participant")
    if attributes.get("state") != "complete" or not isinstance(sides, list) or len(sides) != 2:
        yield absent("the match was not played")
        return
    ids = [find_path(side, "participant_id") for side in sides]
    scores = [find_path(side, "scores") for side in sides]
    lists = [each if isinstance(each, list) else [each] for each in scores]
    numbers = [[as_number(each) or 0.0 for each in side] for side in lists]
    if any(each < 0 for side in numbers for each in side):
        yield absent("the match was forfeited", "walkover")
        return
    points = [side[0] if len(side) == 1 else None for side in numbers]
    if len(numbers[0]) == len(numbers[1]) > 1:
        pairs = list(zip(*numbers, strict=True))
        points = [float(sum(a > b for a, b in pairs)), float(sum(a < b for a, b in pairs))]
    players = [find_name(names, each) for each in ids]
    result = result_of(str(ids[0]), str(ids[1]), as_id(attributes.get("winner_id")))
    yield with_points(
        NO_ADVANTAGE, (players[0], players[1]),
        find_first(attributes, "timestamps.completed_at", "timestamps.started_at"),
        result or result_of_points(*points), points,
    )  # fmt: skip


def as_id(value: Any) -> str | None:
    """An id as text, None where there is none."""
    return None if value is None else str(value)


def toornament_rows(match: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A match of Toornament: two opponents with score and result."""
    sides = [find_path(match, f"opponents.{side}") for side in (0, 1)]
    names = [find_path(side, "participant.name") for side in sides]
    if match.get("status") != "completed" or None in names:
        yield absent("the match was not played")
        return
    if any(find_path(side, "forfeit") for side in sides):
        yield absent("the match was forfeited", "walkover")
        return
    points = [find_path(side, "score") for side in sides]
    results = [find_path(side, "result") for side in sides]
    by_result = {("win", "loss"): WON, ("loss", "win"): LOST, ("draw", "draw"): DRAWN}
    yield with_points(
        NO_ADVANTAGE, (names[0], names[1]), find_first(match, "played_at", "scheduled_datetime"),
        result_of_points(*points) or by_result.get((results[0], results[1])), points,
    )  # fmt: skip


# Team sports


FOOTBALL_DONE = frozenset({"FT", "AET", "PEN"})


def api_football_rows(game: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A fixture of API-Football: goals with those of extra time, the winner of a shoot-out."""
    status = find_path(game, "fixture.status.short")
    if status not in FOOTBALL_DONE:
        yield absent(f"the game was not played to its end (status {status})")
        return
    goals = [find_path(game, f"goals.{side}") for side in AT_HOME]
    won = [find_path(game, f"teams.{side}.winner") for side in AT_HOME]
    result = {(True, False): WON, (False, True): LOST}.get((won[0], won[1]))
    teams = [find_path(game, f"teams.{side}.name") for side in AT_HOME]
    yield with_points(
        AT_HOME, (teams[0], teams[1]), find_path(game, "fixture.date"),
        result or result_of_points(*goals), goals, round=find_path(game, "league.round"),
    )  # fmt: skip


def football_data_rows(game: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A match of football-data.org: after a shoot-out the full time counts its goals, too."""
    if game.get("status") != "FINISHED":
        yield absent(f"the game was not played (status {game.get('status')})")
        return
    score = game["score"]
    goals = [find_first(score, f"fullTime.{side}", f"fullTime.{side}Team") for side in AT_HOME]
    if find_path(score, "duration") == "PENALTY_SHOOTOUT":
        parts = [
            [as_number(find_path(score, f"{part}.{side}")) for part in ("regularTime", "extraTime")]
            for side in AT_HOME
        ]
        if parts[0][0] is not None and parts[1][0] is not None:
            goals = [sum(each or 0.0 for each in side) for side in parts]
    by_word = {"HOME_TEAM": WON, "AWAY_TEAM": LOST, "DRAW": DRAWN}
    result = by_word.get(find_path(score, "winner")) or result_of_points(*goals)
    teams = [find_path(game, f"{side}Team.name") for side in AT_HOME]
    yield with_points(
        AT_HOME, (teams[0], teams[1]), game.get("utcDate"), result, goals,
        round=find_first(game, "matchday", "stage"),
    )  # fmt: skip


def mlb_rows(game: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A game of a baseball schedule."""
    if find_path(game, "status.abstractGameState") != "Final":
        yield absent("the game was not played to its end")
        return
    teams = [find_path(game, f"teams.{side}.team.name") for side in AT_HOME]
    runs = [find_path(game, f"teams.{side}.score") for side in AT_HOME]
    if None in runs or find_path(game, "status.detailedState") in ("Postponed", "Cancelled"):
        yield absent("the game was not played")
        return
    yield with_points(
        AT_HOME, (teams[0], teams[1]), game.get("gameDate"), result_of_points(*runs), runs
    )


def espn_rows(event: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """An event of a scoreboard: competitions with two competitors, home and away."""
    for game in event.get("competitions") or ():
        sides = {find_path(each, "homeAway"): each for each in game.get("competitors") or ()}
        status = find_first(game, "status.type", "status") or find_path(event, "status.type")
        if not find_path(status, "completed") or set(sides) != set(AT_HOME):
            yield absent("the game was not played to its end")
            continue
        teams = [
            find_first(sides[side], "team.displayName", "team.name", "athlete.displayName")
            for side in AT_HOME
        ]
        points = [find_path(sides[side], "score") for side in AT_HOME]
        won = [find_path(sides[side], "winner") for side in AT_HOME]
        by_mark = {(True, False): WON, (False, True): LOST}.get((won[0], won[1]))
        result = by_mark or result_of_points(*points)
        cells = {"neutral": True} if game.get("neutralSite") else {}
        yield with_points(
            AT_HOME, (teams[0], teams[1]), find_first(game, "date") or event.get("date"), result,
            points, **cells,
        )  # fmt: skip


def openfootball_rows(game: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A match of openfootball: goals of full time, extra time and a shoot-out."""
    score = game.get("score")
    goals = score if isinstance(score, list) else find_first(score, "et", "ft")
    if score is None and has_path(game, "score1"):
        goals = [game.get("score1"), game.get("score2")]
    if not isinstance(goals, list) or len(goals) != 2 or None in goals:
        yield absent("the game has no result")
        return
    shootout = find_path(score, "p")
    decided = shootout if isinstance(shootout, list) and len(shootout) == 2 else goals
    teams = [game.get("team1"), game.get("team2")]
    names = [team.get("name") if isinstance(team, Mapping) else team for team in teams]
    yield with_points(
        NO_ADVANTAGE, (names[0], names[1]), game.get("date"), result_of_points(*decided), goals
    )


def go_server_rows(game: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """A game of a server of go: one of both colours has lost."""
    lost = [game.get(f"{side}_lost") for side in ("black", "white")]
    if game.get("annulled") or (has_path(game, "ended") and game.get("ended") is None):
        yield absent("the game was annulled or is not finished")
        return
    players = [find_path(game, f"players.{side}.username") for side in ("black", "white")]
    by_mark = {(False, True): WON, (True, False): LOST}
    result = by_mark.get((bool(lost[0]), bool(lost[1])), DRAWN)
    yield duel(
        NO_ADVANTAGE, (players[0], players[1]), find_first(game, "ended", "started"), result=result
    )


def kaggle_rows(episode: Record, _names: Names, _around: Record) -> Iterator[Row]:
    """An episode of a simulation: two agents with a reward."""
    agents = episode.get("agents") or []
    rewards = [find_path(agent, "reward") for agent in agents]
    if len(agents) != 2 or None in rewards:
        yield absent("the episode has no two agents with a reward")
        return
    names = [find_first(agent, "teamName", "submissionId") for agent in agents]
    yield duel(
        NO_ADVANTAGE, (names[0], names[1]), find_first(episode, "createTime", "endTime"),
        result=result_of_points(*rewards),
    )  # fmt: skip


GAME_SITES = (
    ResultSite("Lichess games", ("players.white", "players.black", "status", "perf"), lichess_rows),
    ResultSite(
        "chess.com games", ("white.result", "black.result", "white.username"), chesscom_rows
    ),
    ResultSite("start.gg sets", ("slots.0.entrant", "slots.1.entrant"), startgg_rows),
    ResultSite(
        "start.gg sets",
        ("slots.0.standing.entrant", "slots.1.standing.entrant", "slots.0.standing.stats.score"),
        startgg_rows,
    ),
    ResultSite("Challonge matches", ("player1_id", "player2_id", "scores_csv"), challonge_rows),
    ResultSite("Challonge matches", ("attributes.points_by_participant",), challonge_v2_rows),
    ResultSite("Toornament matches", ("opponents.0.participant", "status"), toornament_rows),
    ResultSite(
        "API-Football fixtures",
        ("fixture.status.short", "teams.home.name", "goals.home"),
        api_football_rows,
    ),
    ResultSite(
        "football-data.org matches",
        ("homeTeam.name", "awayTeam.name", "score.fullTime", "status"),
        football_data_rows,
    ),
    ResultSite(
        "games of a baseball schedule",
        ("teams.home.team.name", "teams.away.team.name", "status.abstractGameState"),
        mlb_rows,
    ),
    ResultSite("events of a scoreboard", ("competitions.0.competitors.0.homeAway",), espn_rows),
    ResultSite("openfootball matches", ("team1", "team2", "score.ft"), openfootball_rows),
    ResultSite("openfootball matches", ("team1", "team2", "score1", "score2"), openfootball_rows),
    ResultSite("games of a go server", ("players.black.username", "black_lost"), go_server_rows),
    ResultSite("Kaggle episodes", ("agents.0.submissionId", "agents.0.reward"), kaggle_rows),
)
