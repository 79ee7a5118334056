"""What some tests need of the machine. Elsewhere they skip, and say what is missing: Aloud runs on macOS, too."""

import sys
from importlib.util import find_spec

import pytest

linux = pytest.mark.skipif(
    sys.platform != "linux", reason="This test looks at processes by /proc or pidfd, which only Linux has."
)
TRITON_MISSING = "This test needs Triton, which exists for Linux only."
triton = pytest.mark.skipif(find_spec("triton") is None, reason=TRITON_MISSING)
