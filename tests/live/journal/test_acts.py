"""The table of write acts is complete."""

from dataclasses import is_dataclass
from importlib import import_module

from prowess.live.journal.acts import ACTS
from prowess.live.journal.unit_of_work import ACT_EVENTS
from prowess.live.store.access import SCOPES

MODULES = ("record", "corrections", "categories")


def test_every_act_is_in_the_table():
    """Every value that can be staged is a row; its kind has an event, its scope exists."""
    models: set[object] = {act.model for act in ACTS.values()}
    for module in MODULES:
        for one in vars(import_module(f"prowess.live.journal.{module}")).values():
            if hasattr(one, "stage") and hasattr(one, "kind") and is_dataclass(one):
                assert one in models, one
    for name, act in ACTS.items():
        assert (act.name, set(act.scopes) <= set(SCOPES)) == (name, True)
        assert act.model.kind in ACT_EVENTS
        assert act.model.__doc__
