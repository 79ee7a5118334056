"""What the web process does by itself, beside answering, for as long as it lives."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def lasting(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """They go on side by side until the context is left, which cancels them and waits for their end."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
