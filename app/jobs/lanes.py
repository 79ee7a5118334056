"""The lanes in which jobs wait, and who takes from which. Pure names: the queue itself knows no difference.

Work that needs no device (speech, fitting, exports) will wait in a lane of its own once there is any; a worker that
does not ask for it will never get it.
"""

DEMO = "demo"  # any worker does these runs
GPU = "gpu"  # what Triton's interpreter cannot do: only a worker that compiles kernels takes them


def takes(*, compiles: bool) -> tuple[str, ...]:
    """The lanes that a device takes runs from; the oldest run of them all is first."""
    return (GPU, DEMO) if compiles else (DEMO,)
