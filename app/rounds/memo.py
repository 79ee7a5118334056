"""What was worked out once in a day and stays true for it: kept in memory, the newest few only."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Found = TypeVar("Found")
MOST = 32


class Memo(Generic[Found]):
    """Values by key. Two requests that miss at the same moment both work it out; they find the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Found] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Found]) -> Found:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return made
