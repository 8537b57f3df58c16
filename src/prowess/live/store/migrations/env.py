"""What Alembic runs: the versions, on the connection and in the transaction it was given."""

from __future__ import annotations

from alembic import context

from prowess.live.store.tables import TABLES

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=TABLES,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
