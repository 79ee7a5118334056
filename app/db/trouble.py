"""What to say of a database that SQLite refuses: why, and what helps. Only a damaged one is restored from a backup."""

import sqlite3
from pathlib import Path

from sqlalchemy.exc import DatabaseError

ACCESS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
PRIMARY = 0xFF  # of an extended code, such as SQLITE_READONLY_DIRECTORY


def sentence(database: Path, error: DatabaseError) -> str:
    """What a command says that cannot use the database."""
    what_helps = remedy(database, error)
    return f"{database} cannot be used ({cause(error)}). {what_helps}, or name another folder with --data."


def cause(error: DatabaseError | OSError) -> str:
    """Why, in the words of SQLite or of the system."""
    return str(error.orig if isinstance(error, DatabaseError) else error.strerror)


def remedy(database: Path, error: DatabaseError | OSError) -> str:
    """What helps, as the beginning of a sentence."""
    code = getattr(error.orig, "sqlite_errorcode", 0) & PRIMARY if isinstance(error, DatabaseError) else 0
    if code in ACCESS or isinstance(error, PermissionError):
        return f"Let this user read and write {database.parent} and all in it"
    if code == sqlite3.SQLITE_FULL:
        return "Make room on its disk"
    if code in HELD:
        return "Stop what else holds it"
    return "Restore it from a backup"
