"""Kernels are tested on the device that is here: Triton must know of it before it is first imported.

These tests need torch, triton and pytest only, so that they run on a GPU machine where nothing else is installed.
"""

from __future__ import annotations

import pytest

from kernels.device import settle

settle()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs a CUDA device")
    config.addinivalue_line(
        "markers", "ahead: compiles every setting for chips that are not here, for minutes"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is compiled for minutes is compiled when it is asked for: pytest -m ahead."""
    if "ahead" not in str(config.option.markexpr):
        for item in items:
            if "ahead" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes; pytest -m ahead tests/kernels"))
