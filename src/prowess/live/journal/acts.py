"""The table of write acts: everything that can change the facts of a live ladder.

Each row names an act, the value that says what is to change (`model`), the scope a token needs and
whether the effect can be previewed. API routes and page forms are made from it; the command line
commits the same values (`prowess import`: RecordResults or Opening):

    for act in ACTS.values():
        act.name            "correct": the name of the act, unique
        act.model           Correct: a frozen dataclass; its fields are the body, form or options
        act.model.kind      "correct": the kind of the revision it writes, shared by some acts
        act.scopes          ("correct", "submit"): a token needs one of them
        act.preview         whether `Journal.preview(act.model(...), actor)` is offered
        act.title           "Correct a result": of its form; "" without one

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
    Correct,
    Merge,
    Reject,
    Rename,
    Restore,
    RestoreWhere,
    Split,
    Void,
    VoidWhere,
)
from prowess.live.journal.record import RecordResults
from prowess.live.journal.unit_of_work import WriteAct, scopes_of


class Act(NamedTuple):
    """One row of the table."""

    name: str
    model: type[WriteAct]
    title: str = ""  # of its form, if it has one
    button: str = ""  # what its button says, with the fields of the act in braces
    preview: bool = True
    needed: tuple[str, ...] = ()  # fields that a form must fill in though they have a default
    empty: tuple[tuple[str, str], ...] = ()  # what fields left empty mean

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of which a token needs one."""
        return scopes_of(self.model)


ACTS = {
    act.name: act
    for act in (
        Act("record", RecordResults),
        Act("correct", Correct, "Correct a result", "Change to {score}", needed=("reason",)),
        Act("void", Void, "Strike results", "Strike {results}"),
        Act("void_where", VoidWhere, "Strike results", "Strike {results}"),
        Act("restore", Restore, "Count results again", "Count {results} again"),
        Act("restore_where", RestoreWhere),
        Act("accept", Accept, "Confirm results", "Confirm {results}"),
        Act("reject", Reject, "Send results back", "Send {results} back", needed=("reason",)),
        Act("add_players", AddPlayers, "Add players", "Add {names}", preview=False),
        Act("alias", Alias, "Add a name", "Add {name}", preview=False),
        Act("rename", Rename, "Rename a player", "Rename to {name}", preview=False),
        Act("merge", Merge, "Join two names", "Join {player} with {into}"),
        Act("split", Split, "Take two names apart", "Take {player} apart"),
        Act(
            "anonymise", Anonymise, "Forget a player's names for good", "Forget {player} for good",
            preview=False,
        ),
        Act(
            "new_category", NewCategory, "Make a category", "Make {key}", preview=False,
            needed=("system", "provisional_games", "inactive_days"),
        ),
        Act(
            "rename_category", RenameCategory, "Change a category", "Change it",
            preview=False,
        ),
        Act(
            "change_method", ChangeMethod, "Change the formula", "Rate by {system}",
            empty=(("period", "none"),),
        ),
        Act(
            "change_site", ChangeSite, "Change the site", "Change the site", preview=False,
            needed=("name",),
            empty=tuple((one, "") for one in ("accent", "home", "links", "imprint")),
        ),
        Act("opening", Opening, preview=False),
        Act("new_season", NewSeason, "Make a season", "Make {name}", preview=False),
        Act("publish", Publish, "Publish a list", "Publish {name}", preview=False),
    )
}  # fmt: skip
