"""How migrations run: our own BEGIN, so that a killed upgrade rolls back whole, and foreign keys off meanwhile.

Rebuilding a table with foreign keys on deletes, through ON DELETE CASCADE, the rows that point to it. Switching them
off works only outside a transaction, so it comes before BEGIN; what is left is checked before each COMMIT.
"""

from alembic import context
from sqlalchemy import create_engine, event
from sqlalchemy.pool import NullPool
from sqlalchemy.types import TypeDecorator

from app.db.tables import metadata


def as_stored(kind, value, _autogen):
    """In migrations, name the plain SQL type: our decorators may change, what was stored does not."""
    if kind == "type" and isinstance(value, TypeDecorator):
        return f"sa.{type(value.impl).__name__}()"
    return False


def check_foreign_keys(*, ctx, **_ignored):
    """Called by Alembic after each migration, within its transaction."""
    broken = ctx.connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise RuntimeError(f"The migration left rows that point nowhere: {broken[:5]}")


def run() -> None:
    database = context.config.attributes["database"]
    engine = create_engine(
        f"sqlite:///{database}", poolclass=NullPool, connect_args={"isolation_level": None}
    )

    @event.listens_for(engine, "connect")
    def _connect(raw, _entry):
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("PRAGMA foreign_keys = OFF")

    @event.listens_for(engine, "begin")
    def _begin(conn):
        conn.exec_driver_sql("BEGIN IMMEDIATE")

    with engine.connect() as conn:
        context.configure(
            connection=conn,
            target_metadata=metadata,
            transactional_ddl=True,
            transaction_per_migration=True,
            render_as_batch=True,
            render_item=as_stored,
            on_version_apply=check_foreign_keys,
        )
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


run()
