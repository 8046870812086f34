# SPDX-License-Identifier: Apache-2.0
"""A small file system of a test's own, and somebody who fills it and makes room again at random."""

import concurrent.futures
import contextlib
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

MIB = 1 << 20


def mount_small(case, size="64m"):
    """A tmpfs that is gone after the test; skips it where nobody may mount."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("needs root to mount a small file system")
    path = tempfile.mkdtemp(prefix="varve-small-")
    case.addCleanup(shutil.rmtree, path, True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise unittest.SkipTest("mount is not allowed here: " + done.stderr.decode().strip())
    case.addCleanup(subprocess.run, ["umount", "-l", path], check=False)
    return path


class Filler(threading.Thread):
    """Takes all room but a few pages, for up to a second and a half, and gives it back."""

    def __init__(self, path, seed):
        super().__init__(daemon=True)
        self.path, self.ballast = path, os.path.join(path, "ballast")
        self.chance = random.Random(f"filler {seed}")
        self.stopping = threading.Event()
        self.rounds = 0

    def run(self):
        while not self.stopping.is_set():
            self.fill(leave=self.chance.choice((0, 0, 4096, 65_536, 400_000)))
            self.rounds += 1
            self.stopping.wait(self.chance.choice((0.05, 0.2, 0.6, 1.5)))
            self.free()
            self.stopping.wait(self.chance.choice((0.1, 0.5, 1.0, 1.5)))

    def fill(self, leave):
        with open(self.ballast, "wb") as f:
            for _ in range(100):  # the others may make room meanwhile
                room = os.statvfs(self.path)
                room = room.f_bavail * room.f_bsize - leave
                if room <= 0:
                    return
                with contextlib.suppress(OSError):
                    os.posix_fallocate(f.fileno(), f.seek(0, os.SEEK_END), room)
                    f.seek(0, os.SEEK_END)

    def free(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.ballast)

    def stop(self):
        self.stopping.set()
        self.join(30)
        self.free()


class Descriptors(threading.Thread):
    """Takes the file descriptors of a server away (what it has it keeps) and gives them back."""

    def __init__(self, server, seed):
        super().__init__(daemon=True)
        self.server = server
        self.chance = random.Random(f"descriptors {seed}")
        self.stopping = threading.Event()
        self.rounds = 0

    def run(self):
        while not self.stopping.is_set():
            with contextlib.suppress(OSError, ValueError):
                self.limit(len(os.listdir(f"/proc/{self.server.process.pid}/fd")) + self.chance.choice((0, 1, 3, 8)))
                self.rounds += 1
                self.stopping.wait(self.chance.choice((0.2, 0.6, 1.5)))
                self.limit(4096)
            self.stopping.wait(self.chance.choice((0.2, 0.5, 1.0)))

    def limit(self, count):
        import resource
        resource.prlimit(self.server.process.pid, resource.RLIMIT_NOFILE, (count, 4096))

    def stop(self):
        self.stopping.set()
        self.join(30)
        with contextlib.suppress(OSError):
            self.limit(4096)


class Watch:
    """Keeps a server running: kills it now and then, and notes when it ended by itself or did not start. It belongs to the
    thread that made it: a server dies with the thread that started it."""

    def __init__(self, server, seed, make_room):
        self.server, self.make_room = server, make_room
        self.chance = random.Random(f"watch {seed}")
        self.faults, self.killed = [], 0

    def run(self, seconds):
        """With kills."""
        end = time.monotonic() + seconds
        next_kill = time.monotonic() + self.chance.uniform(1, 4)
        while time.monotonic() < end:
            time.sleep(0.05)
            self.look()
            if time.monotonic() > next_kill:
                self.killed += 1
                self.server.kill()
                self.up()
                next_kill = time.monotonic() + self.chance.uniform(1, 4)

    def look(self):
        if not self.server.alive():
            self.faults.append(f"it ended by itself in {self.server.process.returncode}: {self.server.last_words()}")
            self.up()

    def during(self, work):
        """Runs `work` on another thread; what it raises is raised here."""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            done = pool.submit(work)
            while not done.done():
                time.sleep(0.05)
                self.look()
            return done.result()

    def up(self):
        """A start may be refused while there is no room; with room it needs no hand."""
        for attempt in range(20):
            self.server.spawn()
            if self.server.wait_ready_or_end() is None:
                return
            if self.server.process.returncode != 1:
                self.faults.append(f"a start ended in {self.server.process.returncode}: {self.server.last_words()}")
            if attempt >= 10:
                self.make_room()
            time.sleep(0.3)
        kept = tempfile.mkdtemp(prefix="varve-kept-")
        shutil.copytree(self.server.path, kept + "/data")
        shutil.copy(self.server.log_path, kept + "/log")
        raise AssertionError(f"it does not start any more; {kept} has its directory and its log: {self.server.last_words()}")
