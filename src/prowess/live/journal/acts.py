"""The table of write acts: everything that can change the facts of a live ladder.

Each row names an act, the value that says what is to change (`model`), the scope a token needs and
whether the effect can be previewed. API routes and page forms are made from it; the command line
commits the same values (`prowess import`: RecordResults or Opening):

    for act in ACTS.values():
        act.name            "correct": the name of the act, unique
        act.model           Correct: a frozen dataclass; its fields are the body, form or options
        act.model.kind      "correct": the kind of the revision it writes, shared by some acts
        act.scope           "correct": of submit, correct, admin
        act.preview         whether `Journal.preview(act.model(...), actor)` is offered

A model's `stage(unit)` is the one function of an act: it checks the values and adds the rows to a
unit of work. `Journal.commit` and `Journal.preview` do the rest, the same for all acts.
"""

from __future__ import annotations

from typing import NamedTuple

from prowess.live.journal.categories import ChangeMethod, NewCategory, NewSeason, Opening, Publish
from prowess.live.journal.corrections import (
    Accept,
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
from prowess.live.journal.unit_of_work import WriteAct


class Act(NamedTuple):
    """One row of the table."""

    name: str
    model: type[WriteAct]
    preview: bool = True

    @property
    def scope(self) -> str:
        """What a token must be allowed."""
        return self.model.scope


ACTS = {
    act.name: act
    for act in (
        Act("record", RecordResults),
        Act("correct", Correct),
        Act("void", Void),
        Act("void_where", VoidWhere),
        Act("restore", Restore),
        Act("restore_where", RestoreWhere),
        Act("accept", Accept),
        Act("reject", Reject),
        Act("alias", Alias, preview=False),
        Act("rename", Rename, preview=False),
        Act("merge", Merge),
        Act("split", Split),
        Act("anonymise", Anonymise, preview=False),
        Act("new_category", NewCategory, preview=False),
        Act("change_method", ChangeMethod),
        Act("opening", Opening, preview=False),
        Act("new_season", NewSeason, preview=False),
        Act("publish", Publish, preview=False),
    )
}
