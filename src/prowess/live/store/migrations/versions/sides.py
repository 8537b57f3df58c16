"""Results have sides of members with shares, and facts; what a contest said stays as it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; so far every placing is a side of its own, in order of the players."""
    op.add_column("method", sa.Column("side_size", sa.Integer, nullable=False, server_default="1"))
    op.add_column("version", sa.Column("facts", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("placing", sa.Column("side", sa.Integer, nullable=False, server_default="0"))
    op.add_column(
        "placing", sa.Column("share", sa.Float(precision=53), nullable=False, server_default="1")
    )
    op.execute(
        'UPDATE "placing" SET side = seat.side FROM (SELECT result_id, revision, player_id, '
        "row_number() OVER (PARTITION BY result_id, revision ORDER BY player_id) - 1 AS side "
        'FROM "placing") AS seat WHERE seat.result_id = "placing".result_id '
        'AND seat.revision = "placing".revision AND seat.player_id = "placing".player_id'
    )
