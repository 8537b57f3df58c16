"""The tables. Facts are appended and never changed; what may be made anew is marked a cache.

`result` and `player` carry two pointers that later entries move: the current version of a
result, and the player another one was merged into. Every move is an entry of its own, so the
state at any revision can be read back. Names stand in `player` and `name` only, so that a
player's names can be deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Executable,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    delete,
    insert,
    select,
    text,
)

TABLES = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
BIG = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows only in INTEGER columns

# Every change of facts, numbered without gaps in the order in which they took effect.
revision = Table(
    "revision", TABLES,
    Column("id", BIG, primary_key=True, autoincrement=False),
    Column("at", BIG, nullable=False),  # microseconds
    Column("kind", Text, nullable=False),  # record, correct, void, restore, accept, reject, ...
    Column("token_id", BIG, ForeignKey("token.id")),  # None: the command line
    Column("category_id", BIG),  # no reference: a new category refers to its revision
    Column("reason", Text),
    Column("detail", JSON, nullable=False),  # numbers of results and players; never a name
)  # fmt: skip

category = Table(
    "category", TABLES,
    Column("id", BIG, primary_key=True),
    Column("key", Text, nullable=False, unique=True),  # in addresses
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),  # games, contests
    Column("extra", JSON, nullable=False),  # of margin, length, points: asked of every game
    Column("created_revision", BIG, ForeignKey("revision.id"), nullable=False),
)  # fmt: skip

# Keys that a category had before; their addresses lead on.
category_key = Table(
    "category_key", TABLES,
    Column("key", Text, primary_key=True),
    Column("category_id", BIG, ForeignKey("category.id"), nullable=False),
    Column("revision", BIG, ForeignKey("revision.id"), nullable=False),  # that replaced it
)  # fmt: skip

# The system and constants of a category from a revision on.
method = Table(
    "method", TABLES,
    Column("category_id", BIG, ForeignKey("category.id"), primary_key=True),
    Column("revision", BIG, ForeignKey("revision.id"), primary_key=True),
    Column("system", Text, nullable=False),
    Column("params", JSON, nullable=False),
    Column("period", Text),
    Column("provisional_games", Integer, nullable=False),  # fewer: shown as provisional
    Column("inactive_days", Integer, nullable=False),  # longer: shown as inactive
    Column("side_size", Integer, nullable=False, server_default="1"),  # members of a side at most
)  # fmt: skip

player = Table(
    "player", TABLES,
    Column("id", BIG, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("merged_into", BIG, ForeignKey("player.id", deferrable=True), index=True),
    Column("anonymous", Boolean, nullable=False, default=False),
    Column("created_revision", BIG, ForeignKey("revision.id"), nullable=False),
)  # fmt: skip

# Every spelling that leads to a player, the present name among them.
name = Table(
    "name", TABLES,
    Column("name", Text, primary_key=True),
    Column("player_id", BIG, ForeignKey("player.id"), nullable=False, index=True),
)  # fmt: skip

# Players who were added to a category, with or without a game.
member = Table(
    "member", TABLES,
    Column("category_id", BIG, ForeignKey("category.id"), primary_key=True),
    Column("player_id", BIG, ForeignKey("player.id"), primary_key=True),
    Column("revision", BIG, ForeignKey("revision.id"), nullable=False),
)  # fmt: skip

# Mergers and splits by revision.
identity = Table(
    "identity", TABLES,
    Column("revision", BIG, ForeignKey("revision.id"), primary_key=True),
    Column("player_id", BIG, ForeignKey("player.id"), primary_key=True),
    Column("merged_into", BIG, ForeignKey("player.id")),  # None: stands alone from here on
)  # fmt: skip

result = Table(
    "result", TABLES,
    Column("id", BIG, primary_key=True),
    Column("category_id", BIG, ForeignKey("category.id"), nullable=False),
    Column("source", Text, nullable=False),
    Column("external_id", Text),
    Column("created_revision", BIG, ForeignKey("revision.id"), nullable=False),
    Column("revision", BIG, ForeignKey("revision.id"), nullable=False),  # of the current version
    UniqueConstraint("source", "external_id"),
    Index("ix_result_category", "category_id", "id"),
)  # fmt: skip

# What a result said from a revision on.
version = Table(
    "version", TABLES,
    Column("result_id", BIG, ForeignKey("result.id"), primary_key=True),
    Column("revision", BIG, ForeignKey("revision.id"), primary_key=True),
    Column("state", Text, nullable=False),  # counts, held, void, rejected
    Column("time", BIG, nullable=False),
    Column("a", BIG, ForeignKey("player.id")),  # as entered, before mergers; None: see placing
    Column("b", BIG, ForeignKey("player.id")),
    Column("score", Float(53)),  # of the first side; None: a contest
    Column("side", Float(53)),
    Column("margin", Float(53)),
    Column("length", Float(53)),
    Column("points_a", Float(53)),
    Column("points_b", Float(53)),
    Column("weight", Float(53), nullable=False),
    Column("round", Text),
    Column("facts", JSON(none_as_null=True)),  # numbers and categories by name; None: no facts
    Index("ix_version_revision", "revision"),
    Index("ix_version_a", "a"),
    Index("ix_version_b", "b"),
)  # fmt: skip

# The members of the sides of a result, unless it is a game of one player against one.
placing = Table(
    "placing", TABLES,
    Column("result_id", BIG, ForeignKey("result.id"), primary_key=True),
    Column("revision", BIG, ForeignKey("revision.id"), primary_key=True),
    Column("player_id", BIG, ForeignKey("player.id"), primary_key=True),
    Column("place", Float(53), nullable=False),  # of the side, repeated for each member
    Column("points", Float(53)),  # of the side in a contest
    Column("side", Integer, nullable=False, server_default="0"),  # the number of the side, from 0
    Column("share", Float(53), nullable=False, server_default="1"),  # of the result
    Index("ix_placing_player", "player_id"),
)  # fmt: skip

# Games to come; a result of the two ends one while it counts, and an entry that strikes it.
fixture = Table(
    "fixture", TABLES,
    Column("id", BIG, primary_key=True),
    Column("category_id", BIG, ForeignKey("category.id"), nullable=False),
    Column("time", BIG, nullable=False),  # microseconds
    Column("a", BIG, ForeignKey("player.id"), nullable=False),
    Column("b", BIG, ForeignKey("player.id"), nullable=False),
    Column("side", Float(53), nullable=False),  # 1: the first has the side advantage, -1, 0
    Column("created_revision", BIG, ForeignKey("revision.id"), nullable=False),
    Column("ended_revision", BIG, ForeignKey("revision.id")),  # None: still to come
    Column("result_id", BIG),  # of the result that settled it; None: it was struck
)  # fmt: skip

season = Table(
    "season", TABLES,
    Column("id", BIG, primary_key=True),
    Column("category_id", BIG, ForeignKey("category.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("starts", BIG, nullable=False),
    Column("ends", BIG, nullable=False),  # the last moment that belongs to it
    Column("created_revision", BIG, ForeignKey("revision.id"), nullable=False),
    UniqueConstraint("category_id", "key"),
)  # fmt: skip

# A published list stays as it was published.
published = Table(
    "published", TABLES,
    Column("id", BIG, primary_key=True),
    Column("category_id", BIG, ForeignKey("category.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("as_of", BIG),  # microseconds; None: after the last result
    Column("known_at", BIG, ForeignKey("revision.id"), nullable=False),
    Column("head", JSON, nullable=False),  # system, params, period, columns, counts
    Column("created_revision", BIG, ForeignKey("revision.id"), nullable=False),
    UniqueConstraint("category_id", "key"),
)  # fmt: skip

published_row = Table(
    "published_row", TABLES,
    Column("published_id", BIG, ForeignKey("published.id"), primary_key=True),
    Column("player_id", BIG, ForeignKey("player.id"), primary_key=True),
    Column("rank", Integer, nullable=False),
    Column("name", Text, nullable=False),  # as it was then; the pseudonym after forgetting
    Column("data", JSON, nullable=False),
)  # fmt: skip

token = Table(
    "token", TABLES,
    Column("id", BIG, primary_key=True),
    Column("name", Text, nullable=False),
    Column("start", Text, nullable=False),  # the first letters, to tell tokens apart
    Column("hash", Text, nullable=False, unique=True),  # SHA-256 of the secret, hex
    Column("scopes", JSON, nullable=False),  # of read, submit, correct, admin
    Column("source", Text),  # results come in under this source only
    Column("review", Boolean, nullable=False, default=False),  # results are held for acceptance
    Column("created", BIG, nullable=False),
    Column("expires", BIG),
    Column("revoked", BIG),
)  # fmt: skip

audit = Table(
    "audit", TABLES,
    Column("id", BIG, primary_key=True),
    Column("at", BIG, nullable=False),
    Column("token_id", BIG, ForeignKey("token.id")),
    Column("action", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("outcome", Text, nullable=False),  # done, refused: why
    Column("address", Text),
    Column("request_id", Text),
)  # fmt: skip

# Answers to requests with an Idempotency-Key, kept for a day at least.
answer = Table(
    "answer", TABLES,
    Column("token_id", BIG, ForeignKey("token.id"), primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request", Text, nullable=False),  # SHA-256 of method, path and body
    Column("at", BIG, nullable=False, index=True),
    Column("receipt", JSON, nullable=False),  # numbers only; never a name
)  # fmt: skip

webhook = Table(
    "webhook", TABLES,
    Column("id", BIG, primary_key=True),
    Column("url", Text, nullable=False),
    Column("secret", Text, nullable=False),  # signs; cannot be kept as a hash
    Column("events", JSON, nullable=False),
    Column("shape", Text, nullable=False),  # prowess, discord, slack
    Column("created", BIG, nullable=False),
    Column("stopped", BIG),
)  # fmt: skip

delivery = Table(
    "delivery", TABLES,
    Column("id", BIG, primary_key=True),
    Column("webhook_id", BIG, ForeignKey("webhook.id"), nullable=False),
    Column("revision", BIG, ForeignKey("revision.id"), nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", BIG),  # None: delivered or given up
    Column("outcome", Text),
    UniqueConstraint("webhook_id", "revision"),
    Index("ix_delivery_waiting", "webhook_id", "id", sqlite_where=text("next_at IS NOT NULL")),
)  # fmt: skip

# Browsers that are signed in. No fact: a backup holds none of them.
session = Table(
    "session", TABLES,
    Column("hash", Text, primary_key=True),  # SHA-256 of the cookie, hex
    Column("token_id", BIG, ForeignKey("token.id"), nullable=False),
    Column("created", BIG, nullable=False),
    Column("expires", BIG, nullable=False),
)  # fmt: skip

# Small things the server must remember, such as the bots that have left a rumble.
setting = Table(
    "setting", TABLES,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)  # fmt: skip

# A cache: the log of a ladder at a revision, as columns. May be deleted at any time.
checkpoint = Table(
    "checkpoint", TABLES,
    Column("category_id", BIG, ForeignKey("category.id"), primary_key=True),
    Column("revision", BIG, nullable=False),
    Column("fingerprint", Text, nullable=False),  # the form of the data
    Column("at", BIG, nullable=False),
    Column("data", LargeBinary, nullable=False),
)  # fmt: skip

# Tables that others refer to first, as rows are added to them: sorted only once.
IN_ORDER = tuple(TABLES.sorted_tables)


def tables_of(database: str) -> MetaData:
    """The tables as a kind of database makes them; above, indexes of some rows are SQLite's.

    A mention of another's options there would import its code with every store.
    """
    if database == "sqlite":
        return TABLES
    copied = MetaData(naming_convention=TABLES.naming_convention)
    for table in TABLES.sorted_tables:
        for index in table.to_metadata(copied).indexes:
            options = index.dialect_options
            options[database]["where"] = options["sqlite"]["where"]
    return copied


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, all with the columns of the first, by one statement.

    The driver gets them as they are: SQLAlchemy takes longer for a row than SQLite.
    """
    statement, order, dumps = prepare_insert(table, tuple(rows[0]), connection.dialect)
    for name, dump in dumps.items():
        rows = [{**row, name: dump(row[name])} for row in rows]
    given: Any = rows
    if order is not None:
        given = [tuple(map(row.__getitem__, order)) for row in rows]
    connection.exec_driver_sql(statement, given)


@lru_cache(maxsize=256)
def prepare_insert(
    table: Table, names: tuple[str, ...], dialect: Dialect
) -> tuple[str, Sequence[str] | None, dict[str, Callable[[Any], Any]]]:
    """The statement that adds rows of these columns, their order where the driver goes by it, and
    what writes the values of columns of JSON.
    """
    compiled: Any = insert(table).compile(
        dialect=dialect, column_keys=[*names], for_executemany=True
    )
    kinds: dict[str, Any] = {
        name: table.c[name].type.dialect_impl(dialect)
        for name in names
        if isinstance(table.c[name].type, JSON)
    }
    dumps = {name: kind.bind_processor(dialect) for name, kind in kinds.items()}
    return str(compiled), compiled.positiontup, dumps


# -- settings, which hold texts by their keys --


def read_setting(connection: Connection, key: str) -> str | None:
    """The value of a setting; None where it has none."""
    return connection.scalar(select(setting.c.value).where(setting.c.key == key))


def replace_setting(key: str, value: str | None) -> tuple[Executable, ...]:
    """The statements that give a setting another value; None takes it away."""
    taken = delete(setting).where(setting.c.key == key)
    return (taken,) if value is None else (taken, insert(setting).values(key=key, value=value))


def write_setting(connection: Connection, key: str, value: str | None) -> None:
    """Give a setting another value; None takes it away."""
    for statement in replace_setting(key, value):
        connection.execute(statement)
