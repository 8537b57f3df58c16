"""The tables of the first stores, as the first Prowess made them, and stores that have them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.migration import MigrationContext
from alembic.operations import Operations

from prowess.live.store.database import create_writer_engine, parse_address
from prowess.live.store.migrations import MIGRATIONS
from prowess.live.store.store import Store

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def make_old_store(url: str, version: str = "0001") -> Store:
    """A store with the tables of an earlier version, open, and not brought up to date."""
    engine = create_writer_engine(parse_address(url))
    with engine.begin() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            make_first_tables()
        connection.execute(
            sa.text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        )
        for earlier, step in MIGRATIONS.items():
            if earlier < version:
                step(connection)
        connection.execute(sa.text("INSERT INTO alembic_version VALUES (:v)"), {"v": version})
    engine.dispose()
    return Store(parse_address(url))


def make_first_tables() -> None:
    """Make all tables."""
    op.create_table(
        "setting",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_setting")),
    )
    op.create_table(
        "token",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("start", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("source", sa.Text, nullable=True),
        sa.Column("review", sa.Boolean, nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.Column("expires", BIG, nullable=True),
        sa.Column("revoked", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("hash", name=op.f("uq_token_hash")),
    )
    op.create_table(
        "webhook",
        sa.Column("id", BIG, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("events", sa.JSON, nullable=False),
        sa.Column("shape", sa.Text, nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.Column("stopped", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_table(
        "answer",
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("receipt", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_answer_token_id")),
        sa.PrimaryKeyConstraint("token_id", "key", name=op.f("pk_answer")),
    )
    op.create_index(op.f("ix_answer_at"), "answer", ["at"], unique=False)
    op.create_table(
        "audit",
        sa.Column("id", BIG, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("token_id", BIG, nullable=True),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=True),
        sa.Column("request_id", sa.Text, nullable=True),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_audit_token_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_table(
        "revision",
        sa.Column("id", BIG, autoincrement=False, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("token_id", BIG, nullable=True),
        sa.Column("category_id", BIG, nullable=True),
        sa.Column("reason", sa.Text, nullable=True),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_revision_token_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_revision")),
    )
    op.create_table(
        "category",
        sa.Column("id", BIG, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("extra", sa.JSON, nullable=False),
        sa.Column("created_revision", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["created_revision"], ["revision.id"], name=op.f("fk_category_created_revision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_category")),
        sa.UniqueConstraint("key", name=op.f("uq_category_key")),
    )
    op.create_table(
        "delivery",
        sa.Column("id", BIG, nullable=False),
        sa.Column("webhook_id", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", BIG, nullable=True),
        sa.Column("outcome", sa.Text, nullable=True),
        sa.ForeignKeyConstraint(["revision"], ["revision.id"], name=op.f("fk_delivery_revision")),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_delivery_webhook_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery")),
        sa.UniqueConstraint("webhook_id", "revision", name=op.f("uq_delivery_webhook_id_revision")),
    )
    op.create_index(
        "ix_delivery_waiting",
        "delivery",
        ["webhook_id", "id"],
        sqlite_where=sa.text("next_at IS NOT NULL"),
        postgresql_where=sa.text("next_at IS NOT NULL"),
    )
    op.create_table(
        "player",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("merged_into", BIG, nullable=True),
        sa.Column("anonymous", sa.Boolean, nullable=False),
        sa.Column("created_revision", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["created_revision"], ["revision.id"], name=op.f("fk_player_created_revision")
        ),
        sa.ForeignKeyConstraint(
            ["merged_into"], ["player.id"], name=op.f("fk_player_merged_into"), deferrable=True
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player")),
        sa.UniqueConstraint("name", name=op.f("uq_player_name")),
    )
    op.create_index(op.f("ix_player_merged_into"), "player", ["merged_into"], unique=False)
    op.create_table(
        "checkpoint",
        sa.Column("category_id", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["category_id"], ["category.id"], name=op.f("fk_checkpoint_category_id")
        ),
        sa.PrimaryKeyConstraint("category_id", name=op.f("pk_checkpoint")),
    )
    op.create_table(
        "identity",
        sa.Column("revision", BIG, nullable=False),
        sa.Column("player_id", BIG, nullable=False),
        sa.Column("merged_into", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["merged_into"], ["player.id"], name=op.f("fk_identity_merged_into")
        ),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_identity_player_id")),
        sa.ForeignKeyConstraint(["revision"], ["revision.id"], name=op.f("fk_identity_revision")),
        sa.PrimaryKeyConstraint("revision", "player_id", name=op.f("pk_identity")),
    )
    op.create_table(
        "method",
        sa.Column("category_id", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("system", sa.Text, nullable=False),
        sa.Column("params", sa.JSON, nullable=False),
        sa.Column("period", sa.Text, nullable=True),
        sa.Column("provisional_games", sa.Integer, nullable=False),
        sa.Column("inactive_days", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(
            ["category_id"], ["category.id"], name=op.f("fk_method_category_id")
        ),
        sa.ForeignKeyConstraint(["revision"], ["revision.id"], name=op.f("fk_method_revision")),
        sa.PrimaryKeyConstraint("category_id", "revision", name=op.f("pk_method")),
    )
    op.create_table(
        "name",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("player_id", BIG, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_name_player_id")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_name")),
    )
    op.create_index(op.f("ix_name_player_id"), "name", ["player_id"], unique=False)
    op.create_table(
        "published",
        sa.Column("id", BIG, nullable=False),
        sa.Column("category_id", BIG, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("as_of", BIG, nullable=True),
        sa.Column("known_at", BIG, nullable=False),
        sa.Column("head", sa.JSON, nullable=False),
        sa.Column("created_revision", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["category_id"], ["category.id"], name=op.f("fk_published_category_id")
        ),
        sa.ForeignKeyConstraint(
            ["created_revision"], ["revision.id"], name=op.f("fk_published_created_revision")
        ),
        sa.ForeignKeyConstraint(["known_at"], ["revision.id"], name=op.f("fk_published_known_at")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_published")),
        sa.UniqueConstraint("category_id", "key", name=op.f("uq_published_category_id_key")),
    )
    op.create_table(
        "result",
        sa.Column("id", BIG, nullable=False),
        sa.Column("category_id", BIG, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("external_id", sa.Text, nullable=True),
        sa.Column("created_revision", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["category_id"], ["category.id"], name=op.f("fk_result_category_id")
        ),
        sa.ForeignKeyConstraint(
            ["created_revision"], ["revision.id"], name=op.f("fk_result_created_revision")
        ),
        sa.ForeignKeyConstraint(["revision"], ["revision.id"], name=op.f("fk_result_revision")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_result")),
        sa.UniqueConstraint("source", "external_id", name=op.f("uq_result_source_external_id")),
    )
    op.create_index("ix_result_category", "result", ["category_id", "id"], unique=False)
    op.create_table(
        "season",
        sa.Column("id", BIG, nullable=False),
        sa.Column("category_id", BIG, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("starts", BIG, nullable=False),
        sa.Column("ends", BIG, nullable=False),
        sa.Column("created_revision", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["category_id"], ["category.id"], name=op.f("fk_season_category_id")
        ),
        sa.ForeignKeyConstraint(
            ["created_revision"], ["revision.id"], name=op.f("fk_season_created_revision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_season")),
        sa.UniqueConstraint("category_id", "key", name=op.f("uq_season_category_id_key")),
    )
    op.create_table(
        "placing",
        sa.Column("result_id", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("player_id", BIG, nullable=False),
        sa.Column("place", sa.Float(precision=53), nullable=False),
        sa.Column("points", sa.Float(precision=53), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_placing_player_id")),
        sa.ForeignKeyConstraint(["result_id"], ["result.id"], name=op.f("fk_placing_result_id")),
        sa.ForeignKeyConstraint(["revision"], ["revision.id"], name=op.f("fk_placing_revision")),
        sa.PrimaryKeyConstraint("result_id", "revision", "player_id", name=op.f("pk_placing")),
    )
    op.create_index("ix_placing_player", "placing", ["player_id"], unique=False)
    op.create_table(
        "published_row",
        sa.Column("published_id", BIG, nullable=False),
        sa.Column("player_id", BIG, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_published_row_player_id")
        ),
        sa.ForeignKeyConstraint(
            ["published_id"], ["published.id"], name=op.f("fk_published_row_published_id")
        ),
        sa.PrimaryKeyConstraint("published_id", "player_id", name=op.f("pk_published_row")),
    )
    op.create_table(
        "version",
        sa.Column("result_id", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("time", BIG, nullable=False),
        sa.Column("a", BIG, nullable=True),
        sa.Column("b", BIG, nullable=True),
        sa.Column("score", sa.Float(precision=53), nullable=True),
        sa.Column("side", sa.Float(precision=53), nullable=True),
        sa.Column("margin", sa.Float(precision=53), nullable=True),
        sa.Column("length", sa.Float(precision=53), nullable=True),
        sa.Column("points_a", sa.Float(precision=53), nullable=True),
        sa.Column("points_b", sa.Float(precision=53), nullable=True),
        sa.Column("weight", sa.Float(precision=53), nullable=False),
        sa.Column("round", sa.Text, nullable=True),
        sa.ForeignKeyConstraint(["a"], ["player.id"], name=op.f("fk_version_a")),
        sa.ForeignKeyConstraint(["b"], ["player.id"], name=op.f("fk_version_b")),
        sa.ForeignKeyConstraint(["result_id"], ["result.id"], name=op.f("fk_version_result_id")),
        sa.ForeignKeyConstraint(["revision"], ["revision.id"], name=op.f("fk_version_revision")),
        sa.PrimaryKeyConstraint("result_id", "revision", name=op.f("pk_version")),
    )
    op.create_index("ix_version_a", "version", ["a"], unique=False)
    op.create_index("ix_version_b", "version", ["b"], unique=False)
    op.create_index("ix_version_revision", "version", ["revision"], unique=False)
