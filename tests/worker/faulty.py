"""The real child process with demos that go wrong, one for each way in which a kernel can."""

import ctypes
import os
import signal
import subprocess
import sys
import time

import kernels.device
import kernels.run
from app.worker import child
from kernels.result import MOST_BYTES, Device, Refused, Result

CPU = {"kind": "cpu", "name": "test", "driver": "", "torch": "", "triton": "", "interpreter": False}


def capabilities():
    return [CPU]


def run(name, params, *, progress):
    if name == "progress":
        progress(0.5, "halfway")
    elif name == "cuda":
        raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore lines")
    elif name == "memory":
        raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory")
    elif name == "refused":
        raise Refused("bf16 needs a GPU.")
    elif name == "bug":
        raise ZeroDivisionError("division by zero")
    elif name == "dies":
        os._exit(3)
    elif name == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "prints":
        print("a library prints this", flush=True)
        os.system("echo a process prints this")
    elif name == "huge":
        return result(name, {"text": "x" * MOST_BYTES})
    elif name == "stuck":
        ctypes.PyDLL(None).sleep(1000)  # a call into C that keeps the interpreter's lock
    elif name == "sleeps":
        time.sleep(1000)
    elif name == "starts another":
        other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        progress(0.1, str(other.pid))
        time.sleep(1000)
    return result(name, {"pid": os.getpid()})


def result(name, params):
    device = Device("cpu", "test", "", "", "")
    return Result(name, params, 0, "live", "eager", device, "code", "2026-11-29T18:00:00Z", 1, ())


if __name__ == "__main__":
    kernels.device.capabilities = capabilities
    kernels.run.run = run
    sys.exit(child.main())
