"""Which cards an address asks for: the filters that the list, the print view and the exchange have in common."""

from typing import Annotated

from fastapi import Depends

from app.library.service import Wanted


def _asked(q: str = "", tag: str = "", level: str = "", deck: str = "") -> Wanted:
    return Wanted(q.strip(), tag, level, deck)


ByAddress = Annotated[Wanted, Depends(_asked)]
