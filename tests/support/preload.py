# SPDX-License-Identifier: Apache-2.0
"""Libraries that are preloaded into a server to make its world another one: calls on files that fail, a wall clock that is
ahead, clocks that go faster. Compiled with the C compiler when they are first asked for."""

import atexit
import ctypes
import errno
import mmap
import os
import shutil
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
OPEN, WRITE, SYNC, SIZE, NAME, UNLINK, READ = 1, 2, 4, 8, 16, 32, 64
CHANGES = OPEN | WRITE | SYNC | SIZE | NAME | UNLINK
ALL = CHANGES | READ
_built = {}


def library(name):
    """Path of support/NAME.c as a shared library."""
    if name not in _built:
        compiler = shutil.which("cc")
        if not compiler:
            raise unittest.SkipTest("no C compiler")
        if not _built:
            _built[""] = tempfile.mkdtemp(prefix="varve-preload-")
            atexit.register(shutil.rmtree, _built[""], True)
        path = os.path.join(_built[""], name + ".so")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", path,
                        os.path.join(HERE, name + ".c"), "-ldl"], check=True)
        _built[name] = path
    return _built[name]


def clock_ahead(seconds):
    """Environment of a process whose wall clock is so far ahead (behind, if negative)."""
    return {"LD_PRELOAD": library("clock"), "CLOCK_AHEAD_S": str(seconds)}


class FastClock:
    """Clocks of the processes that get `.env`: as many times faster as a test says, while they run."""

    class Control(ctypes.Structure):
        """As in fast_clock.c."""
        _fields_ = [(name, ctypes.c_longlong) for name in ("version", "times", "since_ns", "ahead_ns")]

    def __init__(self):
        handle, self.path = tempfile.mkstemp(prefix="varve-fast-clock-")
        os.ftruncate(handle, ctypes.sizeof(self.Control))
        self.map = mmap.mmap(handle, ctypes.sizeof(self.Control))
        os.close(handle)
        self.control = self.Control.from_buffer(self.map)
        self.control.times, self.control.since_ns = 1, time.monotonic_ns()
        self.env = {"LD_PRELOAD": library("fast_clock"), "FAST_CLOCK": self.path}

    def close(self):
        del self.control
        self.map.close()
        os.unlink(self.path)

    def _ahead_ns(self, now_ns):
        return self.control.ahead_ns + (now_ns - self.control.since_ns) * (self.control.times - 1)

    def now_ms(self):
        return (time.time_ns() + self._ahead_ns(time.monotonic_ns())) // 1_000_000

    def go(self, times):
        now_ns = time.monotonic_ns()
        ahead_ns = self._ahead_ns(now_ns)
        self.control.version += 1
        self.control.times, self.control.since_ns, self.control.ahead_ns = times, now_ns, ahead_ns
        self.control.version += 1

    def let_pass(self, seconds):
        """Returns when so many seconds of their clocks are over."""
        time.sleep(seconds / self.control.times)


class JumpingClock:
    """The wall clock of the processes that get `.env`: it jumps while they run. Their monotonic clocks stay."""

    def __init__(self):
        handle, self.path = tempfile.mkstemp(prefix="varve-clock-")
        os.ftruncate(handle, 8)
        self.map = mmap.mmap(handle, 8)
        os.close(handle)
        self.ahead_s = ctypes.c_longlong.from_buffer(self.map)
        self.env = {"LD_PRELOAD": library("clock"), "CLOCK_AHEAD": self.path}

    def close(self):
        del self.ahead_s
        self.map.close()
        os.unlink(self.path)

    def jump(self, seconds):
        self.ahead_s.value += seconds


class Control(ctypes.Structure):
    """As in failing_calls.c."""
    _fields_ = [(name, ctypes.c_longlong) for name in
                ("kinds", "calls", "first", "count", "window_ms", "error", "part", "kill", "failed", "failed_kinds",
                 "until_ms")] + [("of_kind", ctypes.c_longlong * 7), ("under", ctypes.c_char * 256), ("last", ctypes.c_char * 256)]


class FailingCalls:
    """Which calls of a server on files below `under` fail. Give `.env` to the server; one server at a time."""

    def __init__(self, under):
        handle, self.path = tempfile.mkstemp(prefix="varve-failing-calls-")
        os.ftruncate(handle, ctypes.sizeof(Control))
        self.map = mmap.mmap(handle, ctypes.sizeof(Control))
        os.close(handle)
        self.control = Control.from_buffer(self.map)
        self.control.under = under.encode()
        self.control.kinds = ALL
        self.env = {"LD_PRELOAD": library("failing_calls"), "FAILING_CALLS": self.path}

    def close(self):
        del self.control
        self.map.close()
        os.unlink(self.path)

    def arm(self, first, error=errno.ENOSPC, count=1, window_ms=0, kinds=ALL, part=False, kill=False):
        """From the `first` matching call from now on, `count` of them fail, or all in `window_ms`; `part`: the first write
        among them is short instead; `kill`: the process is killed in its place."""
        self.disarm()
        c = self.control
        c.kinds, c.error, c.count, c.window_ms, c.part, c.kill = kinds, error, count, window_ms, int(part), int(kill)
        c.calls = c.failed = c.failed_kinds = c.until_ms = 0
        c.last = b""
        c.first = first

    def disarm(self):
        self.control.first = 0

    def calls(self, kinds):
        """How many calls of these kinds there were since this object was made."""
        return sum(count for bit, count in enumerate(self.control.of_kind) if kinds >> bit & 1)

    @property
    def failed(self):
        return self.control.failed

    @property
    def synced_badly(self):
        return bool(self.control.failed_kinds & SYNC)

    @property
    def last(self):
        return self.control.last.decode(errors="replace")
