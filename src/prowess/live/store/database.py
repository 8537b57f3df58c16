"""Addresses of stores, and engines: one connection that writes durably, many that read."""

from __future__ import annotations

import time
from pathlib import Path
from sqlite3 import Connection as SQLite, OperationalError, connect as open_sqlite
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError as PoolEmpty
from sqlalchemy.pool import NullPool

from prowess.live.errors import StoreDamaged, StoreOutOfReach, WrongUse

# -- addresses --


SQLITE, POSTGRESQL = "sqlite", "postgresql"  # kinds of stores
ADDRESS_FORMS = "give a file (ladder.db) or postgresql://USER:PASSWORD@HOST/DATABASE"


def parse_address(text: str) -> URL:
    """The address of `ladder.db`, `sqlite:///ladder.db` or `postgresql://...`."""
    if "://" not in text:
        if not text.strip():
            raise WrongUse.of("no_store_named", remedy=ADDRESS_FORMS)
        return URL.create(SQLITE, database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the text may hold a password: not repeated
        raise WrongUse.of("bad_store_address", remedy=ADDRESS_FORMS) from None
    dialect = url.drivername.partition("+")[0]
    if dialect == SQLITE:
        if url.database in {None, "", ":memory:"}:
            raise WrongUse.of("store_in_memory", remedy=ADDRESS_FORMS)
        return URL.create(SQLITE, database=url.database)
    if dialect in {POSTGRESQL, "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    raise WrongUse.of("unknown_kind_of_store", remedy=ADDRESS_FORMS, dialect=dialect)


def kind_of(url: URL) -> str:
    """`sqlite` or `postgresql`."""
    return url.get_backend_name()


def path_of(url: URL) -> Path:
    """The file of a SQLite store."""
    return Path(str(url.database))


def format_address(url: URL) -> str:
    """The address as it may be shown: without the password."""
    if kind_of(url) == SQLITE:
        return str(url.database)
    return url.set(drivername=POSTGRESQL).render_as_string(hide_password=True)


# -- connections --


BUSY = 10.0  # seconds to wait for another writer, and for a server to answer
READER_SECONDS = 0.2  # to wait for readers of an earlier moment
MAX_READERS = 40  # connections, as many as a server has threads
RETRY_SECONDS = 0.01  # between two tries of what SQLite does not wait for
WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "cache_size=-65536",
    "secure_delete=ON",  # what is forgotten is overwritten, not left in free pages
)
READER_PRAGMAS = ("query_only=ON", "cache_size=-256")  # kB each: forty readers keep 10 MB
HINTS = {
    "password": "check user and password",
    "no password supplied": "write it as postgresql://USER:PASSWORD@HOST/DATABASE",
    "permission denied": "give this user the right to create tables there",
    "does not exist": "create it first, as with createdb and createuser",
    "unable to open": "check that the folder exists and may be written to",
    "readonly": "check that file and folder may be written to",
    "locked": "another program writes to it; try again when it is done",
    "full": "make room on the disk",
}


def create_writer_engine(url: URL) -> Engine:
    """An engine whose commits are durable before they return."""
    if kind_of(url) == SQLITE:
        return create_sqlite_engine(url, "BEGIN IMMEDIATE", WRITER_PRAGMAS, poolclass=NullPool)
    engine = create_engine(url, poolclass=NullPool, connect_args=driver_arguments(url))

    @event.listens_for(engine, "connect")
    def _set_durable(connection: Any, _: Any) -> None:
        with connection.cursor() as cursor:
            if cursor.execute("SHOW synchronous_commit").fetchone() == ("off",):
                cursor.execute("SET synchronous_commit = on")
        connection.commit()

    return engine


def create_reader_engine(url: URL, *, writable: bool = True) -> Engine:
    """An engine whose connections see one snapshot for as long as a transaction lasts.

    A file that is not `writable`, nor is its folder, is read without a lock and a log beside it
    unless another program writes to it.
    """
    pool: dict[str, Any] = {"pool_size": MAX_READERS, "max_overflow": 0, "pool_timeout": BUSY}
    if kind_of(url) == SQLITE:
        if not writable:
            pool["creator"] = lambda: connect_read_only(path_of(url))
        return create_sqlite_engine(url, "BEGIN", READER_PRAGMAS, **pool)
    return create_engine(
        url,
        pool_pre_ping=True,
        connect_args=driver_arguments(url),
        execution_options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
        **pool,
    )


def create_sqlite_engine(url: URL, begin: str, pragmas: tuple[str, ...], **how: Any) -> Engine:
    """An engine for a file; the statement `begin` starts every transaction."""
    engine = create_engine(url, connect_args={"timeout": BUSY}, **how)

    @event.listens_for(engine, "connect")
    def _run_pragmas(connection: SQLite, _: Any) -> None:
        connection.isolation_level = None
        for pragma in pragmas:
            set_pragma(connection, pragma)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def set_pragma(connection: SQLite, pragma: str) -> None:
    """Set it, waiting as long as for any other writer.

    SQLite refuses at once to change the journal of a file that another connection writes to, as
    those do who open a new store at the same moment.
    """
    end = time.monotonic() + BUSY
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}").fetchall()
            return
        except OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(RETRY_SECONDS)


def connect_read_only(path: Path) -> SQLite:
    """A connection that writes nothing, not even the index of the log beside the file."""
    kept = "" if path.with_name(f"{path.name}-shm").exists() else "&immutable=1"
    place = f"{path.resolve().as_uri()}?mode=ro{kept}"
    return open_sqlite(place, uri=True, timeout=BUSY, check_same_thread=False)


def write_back_log(connection: Connection, *, empty: bool) -> bool:
    """Write all that was committed into the file of a store, so that a copy of it has everything.

    With `empty` the log beside it is emptied, for which readers are waited for a moment; else it
    stays, and nobody waits. Returns False if a reader of an earlier moment still needs the log.
    """
    if connection.dialect.name != SQLITE:
        return True
    driver: SQLite = connection.connection.driver_connection  # type: ignore[assignment]
    mode, patience = ("TRUNCATE", READER_SECONDS) if empty else ("PASSIVE", BUSY)
    driver.execute(f"PRAGMA busy_timeout={round(1000 * patience)}").fetchall()
    try:
        found = driver.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    finally:
        driver.execute(f"PRAGMA busy_timeout={round(1000 * BUSY)}").fetchall()
    busy, logged, copied = found
    return not busy and logged == copied


def driver_arguments(url: URL) -> dict[str, Any]:
    """The arguments of the PostgreSQL driver besides the address."""
    return {} if "connect_timeout" in url.query else {"connect_timeout": int(BUSY)}


def connect(engine: Engine) -> Connection:
    """A connection; raises StoreOutOfReach with the server's own words."""
    try:
        return engine.connect()
    except DBAPIError as error:
        raise out_of_reach(engine.url, error) from error
    except PoolEmpty as error:
        raise StoreOutOfReach.of(
            "readers_busy", store=format_address(engine.url), readers=MAX_READERS
        ) from error
    except ModuleNotFoundError as error:
        if kind_of(engine.url) != POSTGRESQL:
            raise
        raise missing_driver() from error


def missing_driver() -> ModuleNotFoundError:
    """What to install for PostgreSQL."""
    return ModuleNotFoundError("PostgreSQL needs psycopg: pip install 'prowess[postgres]'")


NO_DATABASE = "not a database"
DAMAGE = ("malformed", NO_DATABASE)  # words of SQLite for a file that it cannot read


def tells_of_damage(error: BaseException) -> bool:
    """Whether SQLite says that its file is damaged, or no database at all."""
    said = str(getattr(error, "orig", None))
    return isinstance(error, DBAPIError) and any(words in said for words in DAMAGE)


def damage(shown: str, said: str) -> StoreDamaged:
    """The one line for a damaged file."""
    if NO_DATABASE in said:
        remedy = "give the file of a store, or restore the backup if this was one"
    else:
        remedy = "restore the backup into a new file (prowess restore)"
    return StoreDamaged(f"{remedy}: {shown} is damaged: {said}", code="store_damaged")


def out_of_reach(url: URL, error: BaseException) -> StoreOutOfReach:
    """The one line for an error of the database."""
    said = " ".join(str(getattr(error, "orig", None) or error).split())
    if tells_of_damage(error):
        return damage(f"store {format_address(url)}", said)
    hint = next(
        (hint for words, hint in HINTS.items() if words in said),
        "check that the server runs and the address is right"
        if kind_of(url) == POSTGRESQL
        else "check the file and its disk",
    )
    return StoreOutOfReach.of(
        "store_out_of_reach.opening", store=format_address(url), said=said, hint=hint
    )
