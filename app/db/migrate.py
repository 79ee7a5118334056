"""Bring a database to the newest schema. Only `aloud serve` does, while it holds the data folder."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from app.settings import ROOT, own_folder

SCRIPTS = ROOT / "alembic"


def config(path: Path, scripts: Path = SCRIPTS) -> Config:
    made = Config()
    made.set_main_option("script_location", str(scripts).replace("%", "%%"))
    made.attributes["database"] = path
    return made


def upgrade(path: Path, scripts: Path = SCRIPTS) -> None:
    """Run every missing migration, each in a transaction of its own that either holds whole or not at all."""
    own_folder(path.parent)
    command.upgrade(config(path, scripts), "head")


def knows(version: str) -> bool:
    """Whether this code has the migration to `version`; a newer Aloud's it has not."""
    return any(script.revision == version for script in ScriptDirectory(str(SCRIPTS)).walk_revisions())


def versions(path: Path) -> tuple[str | None, str | None]:
    """The schema version that `path` has, and the one that this code wants."""
    wanted = ScriptDirectory.from_config(config(path)).get_current_head()
    if not path.exists():
        return None, wanted
    engine = create_engine(f"sqlite:///{path}")
    try:
        with engine.connect() as conn:
            return MigrationContext.configure(conn).get_current_revision(), wanted
    finally:
        engine.dispose()
