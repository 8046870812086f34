# SPDX-License-Identifier: Apache-2.0
"""Power cuts: what was not synced is thrown away, or some of it, in any order. The store opens by itself; with
`storage.sync=always` every acknowledged sample and text is there, with `1s` all but those of the last two seconds.

A real server runs over a library that writes down its calls (support/power/recorder.c). The record is cut at random
points; for each the folder is built as a disk could have it then, and a server is started on it. FAULTS_SEED repeats."""

import os
import random
import shutil
import tempfile
import threading
import time
import unittest

from support import effort
from support.case import T0, OwnServerCase
from support.client import http_request
from support.power import disk
from support.server import Server

SECONDS, CUTS = (20, 400) if effort.LONG else (3, 8)
CHECKING_SECONDS = effort.seconds(60, 150)  # of each test; no cut is begun after that
CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "slots.period": "1s", "rollups": "10s:10y,1m:10y"}
BATCH = 5


class Writer(threading.Thread):
    """Samples of one metric: number n at T0 + n, of value n; and a text after each tenth batch."""

    def __init__(self, server, number, record, stopping):
        super().__init__(daemon=True)
        self.server, self.metric, self.record, self.stopping = server, f"p{number}", record, stopping
        self.sent, self.acknowledged, self.texts = 0, [], []  # (position in the record, ms, first number)

    def run(self):
        while not self.stopping.is_set():
            numbers = range(self.sent, self.sent + BATCH)
            self.sent += BATCH
            # Now and then a new series, which has to be defined first.
            tag = numbers[0] // (BATCH * 7)
            lines = "".join(f"{self.metric},t=h{tag} value={n}i {T0 + n * 100}\n" for n in numbers)
            answer = http_request(self.server.port, "POST", "/write?precision=ms", lines, None, 30)
            if answer.status != 204:
                raise AssertionError(answer)
            self.acknowledged.append((os.path.getsize(self.record), time.monotonic() * 1000, numbers[0]))
            if self.sent % (BATCH * 10) == 0:
                key = str(numbers[0])
                answer = self.server.post(f"/api/v1/metadata/power/{self.metric}/{key}", f"text {key}")
                if answer.status != 204:
                    raise AssertionError(answer)
                self.texts.append((os.path.getsize(self.record), key))
            time.sleep(0.001)


class Power(OwnServerCase):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(prefix="varve-power-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.seed = effort.seed()
        self.chance = random.Random(self.seed)
        print(f"    {effort.again(self.seed, 'power_test')}", flush=True)

    def recorded(self, sync):
        """Runs a server for a while. Returns its record, and the writers."""
        root = os.path.join(self.folder, "disk")
        os.mkdir(root)
        record = os.path.join(self.folder, "record")
        env = {"LD_PRELOAD": disk.build_recorder(self.folder), "POWER_UNDER": root, "POWER_RECORD": record}
        server = Server({**CONFIG, "storage.sync": sync}, path=os.path.join(root, "data"), env=env)
        self.addCleanup(server.close)
        server.start()
        stopping = threading.Event()
        writers = [Writer(server, n, record, stopping) for n in range(3)]
        for writer in writers:
            writer.start()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(self.chance.random())
            server.settle()
        stopping.set()
        for writer in writers:
            writer.join(60)
            self.assertTrue(writer.acknowledged)
        server.kill()
        with open(record, "rb") as f:
            return root, f.read(), writers

    def try_cuts(self, sync, tolerated_ms):
        root, record, writers = self.recorded(sync)
        ends = [entry.end for entry in disk.entries(memoryview(record))]
        # Some at the very beginning, where everything is made.
        points = {self.chance.choice(ends) for _ in range(CUTS)} | {self.chance.choice(ends[:200]) for _ in range(CUTS // 4)}
        playing, done, end = disk.Disk(root), 0, time.monotonic() + CHECKING_SECONDS
        for entry in disk.entries(memoryview(record)):
            playing.play(entry)
            if entry.end in points and time.monotonic() < end:
                done += 1
                for mode in self.chance.sample(disk.MODES, 3 if effort.LONG else 1):
                    with self.subTest(sync=sync, seed=self.seed, cut=entry.end, mode=mode):
                        self.cut_and_check(playing, entry, mode, writers, tolerated_ms)
        print(f"    {sync}: {done} cuts of {len(ends)} calls, {sum(len(w.acknowledged) for w in writers) * BATCH} samples")

    def cut_and_check(self, playing, entry, mode, writers, tolerated_ms):
        target = tempfile.mkdtemp(dir=self.folder)
        try:
            playing.cut(target, mode, self.chance)
            path = os.path.join(target, "data")
            with Server(CONFIG, path=path) as server:
                self.check(server, entry, writers, tolerated_ms)
                if self.chance.random() < 0.3:
                    server.settle()
                    server.kill()
                    server.start()
                    self.check(server, entry, writers, tolerated_ms)
        finally:
            shutil.rmtree(target, True)

    def check(self, server, entry, writers, tolerated_ms):
        for writer in writers:
            got = dict(server.values(writer.metric))
            promised = [first for position, at_ms, first in writer.acknowledged
                        if position <= entry.end and at_ms <= entry.time_ms - tolerated_ms]
            wanted = {T0 + n * 100: n for first in promised for n in range(first, first + BATCH)}
            lost = sorted(set(wanted) - set(got))
            self.assertEqual(len(lost), 0, f"{len(lost)} of {len(wanted)} samples lost:\n{server.log()[-2000:]}")
            self.assertTrue(all(n == (t - T0) // 100 < writer.sent for t, n in got.items()), "invented")
            for position, key in writer.texts:
                answer = server.get(f"/api/v1/metadata/power/{writer.metric}/{key}")
                if position <= entry.end:
                    self.assertEqual((answer.status, answer.body), (200, f"text {key}".encode()), server.log()[-2000:])

    def test_always(self):
        self.try_cuts("always", 0)

    def test_once_a_second(self):
        self.try_cuts("1s", 2000)


if __name__ == "__main__":
    unittest.main()
