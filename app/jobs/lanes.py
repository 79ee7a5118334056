"""The lanes in which jobs wait, and who takes from which. Pure names: the queue itself knows no difference.

A worker that does not ask for a lane never gets a job from it.
"""

DEMO = "demo"  # any worker does these runs
SPEECH = "speech"  # recordings to be heard: workers with a model for speech take these
GPU = "gpu"  # what Triton's interpreter cannot do: only a worker that compiles kernels takes them


def takes(*, compiles: bool) -> tuple[str, ...]:
    """The lanes that a device takes runs from; the oldest run of them all is first."""
    return (GPU, DEMO) if compiles else (DEMO,)
