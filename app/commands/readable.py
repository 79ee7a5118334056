"""Whether a command may read the database: it is there, and of this code's version. It is not changed by looking."""

from sqlalchemy.exc import DatabaseError

from app.commands import Refused
from app.db.migrate import versions
from app.db.trouble import sentence
from app.settings import Settings


def database(settings: Settings) -> None:
    """Raises Refused, with a sentence, unless it is."""
    path = settings.database
    if not path.exists():
        raise Refused(f"There is no database in {settings.data} yet; name its folder with --data.")
    try:
        have, wanted = versions(path)
    except DatabaseError as error:
        raise Refused(sentence(path, error)) from None
    if have is None:
        raise Refused(f"{path} holds no tables of Aloud; name the folder of its data with --data.")
    if have != wanted:
        raise Refused(
            f"{path} is of version {have}, and this Aloud reads {wanted}; `aloud serve` updates it, or says why not."
        )
