"""The table of write acts: everything that can change the facts of a live ladder.

Each row names an act, the value that says what is to change (`model`), the scope a token needs,
whether the effect can be previewed, its form and its route. API routes and page forms are made from
it; the command line commits the same values (`prowess import`: RecordTable or Opening):

    for act in ACTS.values():
        act.name            "correct": the name of the act, unique
        act.model           Correct: a frozen dataclass; its fields are the body, form or options
        act.model.kind      "correct": the kind of the revision it writes, shared by some acts
        act.scopes          ("correct", "submit"): a token needs one of them
        act.preview         whether `Journal.preview(act.model(...), actor)` is offered
        act.title           "Correct a result": of its form; "" without one
        act.route           PUT /results/{number}, and what the description of the API says

A model's `stage(unit)` is the one function of an act: it checks the values and adds the rows to a
unit of work. `Journal.commit` and `Journal.preview` do the rest, the same for all acts.
"""

from __future__ import annotations

from typing import NamedTuple

from prowess.live.journal.categories import (
    ChangeMethod,
    ChangeSite,
    NewCategory,
    NewSeason,
    Opening,
    Publish,
    RenameCategory,
)
from prowess.live.journal.corrections import (
    Accept,
    AddPlayers,
    Alias,
    Anonymise,
    Cancel,
    Correct,
    Merge,
    RecordTable,
    Reject,
    Rename,
    Restore,
    RestoreWhere,
    Schedule,
    Split,
    Void,
    VoidWhere,
)
from prowess.live.journal.record import RecordResults
from prowess.live.journal.unit_of_work import WriteAct, scopes_of

RESULT_PATH, CATEGORY_PATH, PLAYER_PATH = (
    "/results/{number}",
    "/categories/{c}",
    "/players/{player}",
)


MOMENTS = {"since": False, "starts": False, "until": True, "ends": True}
# fields of acts in microseconds, and whether a date there means its last moment


class WriteRoute(NamedTuple):
    """The route of an act in the API; `about` is the description of the operation."""

    method: str
    path: str
    answers: str  # what the response is about: result, receipt, category, created, player
    about: str
    summary: str = ""  # unless it is the title of the form
    status: int = 200
    operation: str = ""  # its name, unless it is that of the act
    body: str = "Reason"  # what is sent, in the description of the API


class Act(NamedTuple):
    """One row of the table."""

    name: str
    model: type[WriteAct]
    title: str = ""  # of its form, if it has one
    button: str = ""  # what its button says, with the fields of the act in braces
    preview: bool = True
    needed: tuple[str, ...] = ()  # fields that a form must fill in though they have a default
    empty: tuple[tuple[str, str], ...] = ()  # what fields left empty mean
    route: WriteRoute | None = None

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of which a token needs one."""
        return scopes_of(self.model)


ACTS = {
    act.name: act
    for act in (
        Act("record", RecordResults),
        Act("record_table", RecordTable),
        Act(
            "correct", Correct, "Correct a result", "Change to {score}", needed=("reason",),
            route=WriteRoute(
                "PUT", RESULT_PATH, "result", body="Correction",
                about="""
                Replace the content of a result; the old version stays on record.

                Fields that are left out are reset: no round, no side, weight 1. Only the time
                stays, because a result without one would move to the present; category, source and
                external number cannot change.

                Who entered a result may correct and strike it for an hour with the scope `submit`,
                with the same token and unless somebody else has changed it; later keepers do.

                With If-Match and the ETag of the result, only if it has not changed since; with the
                ETag of a preview, only if nothing was entered since.
                """,
            ),
        ),
        Act(
            "void", Void, "Strike results", "Strike {results}",
            route=WriteRoute(
                "DELETE", RESULT_PATH, "result", summary="Make a result void",
                about="""
                Make a result void: it no longer counts, stays on record and can be restored.

                Give the reason in the body or in the query.
                """,
            ),
        ),
        Act(
            "void_where", VoidWhere, "Strike results", "Strike {results}",
            route=WriteRoute(
                "POST", "/results:void", "receipt", summary="Make many results void",
                operation="void_many", body="Void",
                about="Make all results void that meet all conditions, of a player, a source or a "
                "time span with both its ends, as one revision.",
            ),
        ),
        Act(
            "restore", Restore, "Count results again", "Count {results} again",
            route=WriteRoute(
                "POST", f"{RESULT_PATH}:restore", "result", summary="Restore a result",
                about="Restore a void or rejected result: it counts again.",
            ),
        ),
        Act(
            "restore_where", RestoreWhere,
            route=WriteRoute(
                "POST", "/results:restore", "receipt", summary="Restore what one entry made void",
                operation="restore_many", body="Restore",
                about="Restore all results that one entry made void and that are still void, as "
                "one revision.",
            ),
        ),
        Act(
            "accept", Accept, "Confirm results", "Confirm {results}",
            route=WriteRoute(
                "POST", f"{RESULT_PATH}:accept", "result", summary="Accept a held result",
                about="Accept a held result: it counts from now on.",
            ),
        ),
        Act(
            "reject", Reject, "Send results back", "Send {results} back", needed=("reason",),
            route=WriteRoute(
                "POST", f"{RESULT_PATH}:reject", "result", summary="Reject a held result",
                about="Reject a held result.",
            ),
        ),
        Act(
            "add_players", AddPlayers, "Add players", "Add {names}", preview=False,
            route=WriteRoute(
                "POST", f"{CATEGORY_PATH}/players", "receipt", body="Players",
                about="""
                Add players to a category, also before their first game; an unknown name makes a
                player.

                `players` is how many were added. Who is there already is not added again; if all
                are, 409 `nothing_changes`.
                """,
            ),
        ),
        Act(
            "schedule", Schedule, "Add games to come", "Add {games}", preview=False,
            route=WriteRoute(
                "POST", f"{CATEGORY_PATH}/fixtures", "receipt", summary="Add games to come",
                body="Fixtures",
                about="""
                Add games to come; an unknown name makes a player.

                `fixtures` is how many were added. One that is there already is not added again, nor
                with `once` one that ended; if all are, 409 `nothing_changes`. A result of the two
                that is entered later, dated from a week before the game to 30 days after it, ends
                the earliest. It comes again when that result is void, unless it is overdue.
                """,
            ),
        ),
        Act(
            "cancel", Cancel, "Strike a game to come", "Strike it", preview=False,
            route=WriteRoute(
                "DELETE", "/fixtures/{fixture}", "receipt", summary="Strike a game to come",
                about="Strike a game that will not be played, or on another day.",
            ),
        ),
        Act(
            "alias", Alias, "Add a name", "Add {name}", preview=False,
            route=WriteRoute(
                "POST", f"{PLAYER_PATH}:alias", "player", summary="Give a player a further name",
                body="Name",
                about="Give a player a further name that leads to them.",
            ),
        ),
        Act(
            "rename", Rename, "Rename a player", "Rename to {name}", preview=False,
            route=WriteRoute(
                "POST", f"{PLAYER_PATH}:rename", "player", body="Name",
                about="Rename a player; the old name still leads to them.",
            ),
        ),
        Act(
            "merge", Merge, "Join two names", "Join {player} with {into}",
            route=WriteRoute(
                "POST", f"{PLAYER_PATH}:merge", "player", summary="Merge two players",
                body="Merger",
                about="Merge a player into another, who gets their results; a split undoes it.",
            ),
        ),
        Act(
            "split", Split, "Take two names apart", "Take {player} apart",
            route=WriteRoute(
                "POST", f"{PLAYER_PATH}:split", "player", summary="Undo a merger",
                about="Undo a merge: the player has a separate name and their results again.",
            ),
        ),
        Act(
            "anonymise", Anonymise, "Forget a player's names for good", "Forget {player} for good",
            preview=False,
            route=WriteRoute(
                "POST", f"{PLAYER_PATH}:anonymise", "player", summary="Forget a player's names",
                about="Forget a player's names for good; their results stay, under a pseudonym.",
            ),
        ),
        Act(
            "new_category", NewCategory, "Make a category", "Make {key}", preview=False,
            needed=("system", "provisional_games", "inactive_days"),
            route=WriteRoute(
                "POST", "/categories", "category", status=201, operation="create", body="Category",
                about="Make a category with its ladder.",
            ),
        ),
        Act(
            "rename_category", RenameCategory, "Change a category", "Change it", preview=False,
            route=WriteRoute(
                "POST", f"{CATEGORY_PATH}:rename", "category", summary="Rename a category",
                body="CategoryName",
                about="""
                Give a category another name, key or icon, another noun (player, team, engine,
                bot, model: what its pages call those who are rated), or all of them. What is left
                out stays.

                A former key still leads to it: GET answers 301, writes take it as it is.
                """,
            ),
        ),
        Act(
            "change_method", ChangeMethod, "Change the formula", "Rate by {system}",
            empty=(("period", "none"),),
            route=WriteRoute(
                "PATCH", CATEGORY_PATH, "category", summary="Change how a category is rated",
                operation="change", body="Method",
                about="Rate a category by another system or other parameters; all results are "
                "replayed. What is left out stays; the period none rates each game on its own.",
            ),
        ),
        Act(
            "change_site", ChangeSite, "Change the site", "Change the site", preview=False,
            empty=tuple((one, "") for one in ("name", "accent", "home", "links", "imprint")),
            route=WriteRoute(
                "PUT", "/site", "receipt", body="Site",
                about="""
                Give the whole site another name, accent colour, logo or words. What is left out
                stays as it is; an empty text takes it away. Words are plain text, in which
                addresses become links.
                """,
            ),
        ),
        Act("opening", Opening, preview=False),
        Act(
            "new_season", NewSeason, "Make a season", "Make {name}", preview=False,
            route=WriteRoute(
                "POST", f"{CATEGORY_PATH}/seasons", "created", status=201, body="Season",
                about="Make a season: a named time span with both its ends.",
            ),
        ),
        Act(
            "publish", Publish, "Publish a list", "Publish {name}", preview=False,
            route=WriteRoute(
                "POST", f"{CATEGORY_PATH}/lists", "created",
                summary="Publish the leaderboard as a list", status=201, body="List",
                about="Publish the leaderboard as a list that never changes: that after all games "
                "up to `until`, or after all games.",
            ),
        ),
    )
}  # fmt: skip
