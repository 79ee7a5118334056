"""The real child process with demos that go wrong, one for each way in which a kernel can.

Behind a web side, which takes no demo that is not in the catalogue, `kv-cache batch=N` is the Nth of WAYS.
ALOUD_TEST_GPUS makes it see so many GPUs that are not there, as far as CUDA_VISIBLE_DEVICES lets it.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import kernels.device
import kernels.run
from app.worker import child, pipe
from kernels.result import MOST_BYTES, Block, Device, Note, Refused, Result

CPU = {"kind": "cpu", "name": "test", "driver": "", "torch": "", "triton": "", "interpreter": False}
WAYS = (
    "fine", "dies", "is killed", "cuda", "memory runs out", "stuck", "meets another", "waits", "dies within a line",
)  # fmt: skip
real_run = kernels.run.run
own_output = pipe.own_output
outs = []


def capabilities():
    gpu = {"kind": "cuda", "driver": "1", "torch": "2", "triton": "3", "interpreter": False}
    return [*({**gpu, "name": f"GPU {number}"} for number in gpus()), CPU]


def gpus():
    every = [str(number) for number in range(int(os.environ.get("ALOUD_TEST_GPUS", "0")))]
    shown = os.environ.get("CUDA_VISIBLE_DEVICES")
    return every if shown is None else [number for number in every if number in shown.split(",")]


def run(name, params, *, progress):
    way = WAYS[params["batch"] - 1] if name == "kv-cache" else name
    go_wrong(way, params, progress)
    if way == "memory runs out":
        kernels.run._body = lambda name: lambda job: bytearray(2**60)
        return real_run(name, params)
    if way == "huge":
        return result(name, {"text": "x" * MOST_BYTES})
    if name == "kv-cache":
        told = Block("child", Note(f"process {os.getpid()} sees {gpus()}"))
        return result(name, params, told)
    return result(name, {"pid": os.getpid()})


def go_wrong(name, params, progress):
    if name == "progress":
        progress(0.5, "halfway")
    elif name == "cuda":
        raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore lines")
    elif name == "refused":
        raise Refused("bf16 needs a GPU.")
    elif name == "bug":
        raise ZeroDivisionError("division by zero")
    elif name == "dies":
        os._exit(3)
    elif name == "dies within a line":
        print('{"result":{"schema":1,"bl', file=outs[0], end="", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "prints":
        print("a library prints this", flush=True)
        os.system("echo a process prints this")
    elif name == "stuck":
        ctypes.PyDLL(None).sleep(1000)  # a call into C that keeps the interpreter's lock
    elif name == "sleeps":
        time.sleep(1000)
    elif name == "starts another":
        other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        progress(0.1, str(other.pid))
        time.sleep(1000)
    elif name == "meets another":
        meet(params)
    elif name == "waits":
        progress(0.5, "waiting")
        until((folder() / f"go-{params.get('tokens')}").exists)


def remembered():
    """The child's end of the pipe, for a demo that writes there itself."""
    outs.append(own_output())
    return outs[0]


def meet(params):
    """Ends only if another process is in the same demo at the same time."""
    (folder() / f"met-{os.getpid()}").touch()
    until(lambda: len(list(folder().glob("met-*"))) == 2)


def folder():
    return Path(os.environ["ALOUD_DATA"])


def until(holds):
    while not holds():
        time.sleep(0.01)


def result(name, params, *blocks):
    device = Device("cpu", "test", "", "", "")
    return Result(name, params, 0, "live", "eager", device, "code", "2026-11-29T18:00:00Z", 1, blocks)


if __name__ == "__main__":
    kernels.device.capabilities = capabilities
    kernels.device.settle = lambda: kernels.device.Machine("cpu", interpreter=True)  # without importing torch
    kernels.device.describe = lambda kind: {
        name: CPU[name] for name in ("kind", "name", "driver", "torch", "triton")
    }
    kernels.run.run = run
    pipe.own_output = remembered
    sys.exit(child.main())
