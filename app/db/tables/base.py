"""How every table is made: STRICT, with names for its constraints, and a learner's rows with learner_id."""

from typing import Any

from sqlalchemy import Column, ForeignKey, Integer, MetaData, Table

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def table(name: str, *items: Any, **options: Any) -> Table:
    return Table(name, metadata, *items, sqlite_strict=True, **options)


def of_learner() -> Column[int]:
    return Column("learner_id", Integer, ForeignKey("learner.id"), nullable=False)
