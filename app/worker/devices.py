"""Which of the devices that a child sees it runs on, and how to show a child only one of them. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from app.jobs import lanes

Devices = Sequence[Mapping[str, object]]


def served(devices: Devices) -> Devices:
    """The devices that a child's runs take place on: its GPU where it has one, else the CPU."""
    return [device for device in devices if device["kind"] == "cuda"] or devices


def hears(device: Mapping[str, object]) -> bool:
    """Whether it is a model for speech, which a child of its own has."""
    return device["kind"] == "speech"


def named(devices: Devices) -> str:
    return ", ".join(str(device["name"]) for device in served(devices))


def takes(devices: Devices) -> tuple[str, ...]:
    """The lanes of the queue from which a child that sees these devices takes its jobs."""
    if any(hears(device) for device in devices):
        return (lanes.SPEECH,)
    return lanes.takes(compiles=any(d["kind"] == "cuda" and not d["interpreter"] for d in served(devices)))


def cuda_names(devices: Devices, environment: Mapping[str, str]) -> Iterator[str]:
    """What CUDA_VISIBLE_DEVICES has to say to show only one of `devices`, for each CUDA device in turn."""
    count = sum(device["kind"] == "cuda" for device in devices)
    chosen = [name for name in environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    yield from (chosen if len(chosen) == count else map(str, range(count)))
