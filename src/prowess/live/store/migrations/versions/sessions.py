"""Sessions stand in the store; the key that signed their cookies is gone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table; a browser signs in again."""
    op.create_table(
        "session",
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.Column("expires", BIG, nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_session_token_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_session")),
    )
    op.execute("DELETE FROM setting WHERE key = 'cookie_key'")
