# SPDX-License-Identifier: Apache-2.0
"""Tables of the database that are damaged, or that cannot be read for a moment: a start is refused, a question fails and
says so, or the answer is right; and when the tables can be read again, all is there as before."""

import errno
import glob
import os
import random
import shutil
import tempfile
import time

from support import effort, preload
from support.case import OwnServerCase

# So many slots that their runs and marks are several blocks of a table; days are not made of them.
CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "10s:1y,1m:1y", "raw.retention": "20h", "telnet.listen": ""}
METRICS, SAMPLES, TENANTS = 12, 300, 4


class DamagedTables(OwnServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.new_server(CONFIG).start()
        self.start_ms = int(time.time() - 10_800) // 60 * 60_000
        for m in range(METRICS):
            self.server.influx("".join(f"m{m:02} value={i}i {self.start_ms + i * 10_000 + m}\n" for i in range(SAMPLES)),
                               headers={"X-Tenant": f"t{m % TENANTS}"})
            if m % 4 == 3:
                self.server.settle()
        self.server.stop()
        self.whole = tempfile.mkdtemp(prefix="varve-test-")
        self.addCleanup(shutil.rmtree, self.whole, True)
        shutil.copytree(self.server.path, self.whole, dirs_exist_ok=True)

    def as_before(self):
        self.server.kill()
        shutil.rmtree(self.server.path)
        shutil.copytree(self.whole, self.server.path)

    def wrong(self, errors_may_be):
        """What is missing or different without an error."""
        faults = []
        for m in range(METRICS):
            answer = self.server.post("/api/v1/datapoints/query", {"start_absolute": self.start_ms,
                                      "metrics": [{"name": f"m{m:02}"}]}, headers={"X-Tenant": f"t{m % TENANTS}"})
            if answer.status != 200:
                if not errors_may_be:
                    faults.append(f"m{m:02}: {answer}")
                continue
            values = [v for result in answer.json()["queries"][0]["results"] for _, v in result["values"]]
            if values != list(range(SAMPLES)):
                faults.append(f"m{m:02}: {len(values)} of {SAMPLES} samples")
        return faults

    def look(self, what):
        """Starts, asks, lets it work, asks again."""
        self.server.spawn()
        if self.server.wait_ready_or_end() is not None:
            self.assertNotIn("fatal", self.server.last_words(), what)
            return "refused"
        self.assertFalse(self.wrong(errors_may_be=True), what)
        self.server.post("/-/settle")
        self.assertFalse(self.wrong(errors_may_be=True), f"{what}, after settling")
        self.server.kill()
        return "started"

    def test_a_flipped_bit(self):
        seen = set()
        for seed in effort.seeds(range(1, 13), 120):
            chance = random.Random(f"damaged tables {seed}")
            self.as_before()
            tables = sorted(glob.glob(os.path.join(self.server.path, "db", "*.sst")), key=os.path.getsize)
            table = chance.choice([tables[-1], chance.choice(tables)])
            size = os.path.getsize(table)
            offset = size - 1 - chance.randrange(chance.choice([size, size // 3]))  # the list of runs is near the end
            mask = 1 << chance.randrange(8)
            self.flip(table, offset, mask)
            with self.subTest(seed=seed, table=os.path.basename(table), offset=offset):
                seen.add(self.look(f"seed {seed}"))
                if os.path.exists(table):
                    self.flip(table, offset, mask)
                self.server.start()
                self.assertFalse(self.wrong(errors_may_be=not os.path.exists(table)), "whole again")
                self.server.kill()

    @staticmethod
    def flip(path, offset, mask):
        with open(path, "r+b") as f:
            f.seek(offset)
            byte = f.read(1)[0]
            f.seek(offset)
            f.write(bytes([byte ^ mask]))

    def test_a_read_that_fails_at_a_start(self):
        failing = preload.FailingCalls(os.path.join(self.server.path, "db"))
        self.addCleanup(failing.close)
        self.server.env = failing.env
        self.server.start()
        reads = failing.calls(preload.READ)
        self.server.kill()
        self.assertGreater(reads, 10, "what reads is looked at")
        seen = []
        for seed in effort.seeds(range(1, 11), 120):
            first = random.Random(f"reads {seed}").randrange(1, reads + 1)
            self.as_before()
            failing.arm(first, errno.EIO, kinds=preload.READ)
            with self.subTest(seed=seed, first=first):
                seen.append(self.look(f"read {first}"))
                self.assertGreater(failing.failed, 0)
                failing.disarm()
                self.server.start()
                self.assertFalse(self.wrong(errors_may_be=False), "when it can be read again")
                self.server.kill()
        self.assertIn("refused", seen)

    def test_a_damaged_block_that_is_compacted(self):
        """Writes and texts go on; the database is opened again once or twice, not for ever."""
        table = max(glob.glob(os.path.join(self.server.path, "db", "*.sst")), key=os.path.getsize)
        self.flip(table, os.path.getsize(table) // 8, 4)
        self.server.start()
        rounds, texts = 12, 0
        for i in range(rounds):
            late = "".join(f"m{m:02} value={i}i {self.start_ms + i * 1000 + 500 + m}\n" for m in range(METRICS))
            self.server.influx(late, headers={"X-Tenant": "t0"})
            self.server.post("/-/settle")
            texts += self.server.post(f"/api/v1/metadata/s/k/{i}", "text").status < 300
        self.assertGreaterEqual(texts, rounds - 2)
        self.assertLessEqual(self.server.log().count("the database is open again"), 3)
        self.assertEqual(self.server.metric("varve_database_compactions_off"), 1)
        self.assertIn(os.path.basename(table), self.server.log(), "it names the file")

    def test_a_list_of_tables_that_lost_its_end(self):
        """A start that is refused deletes nothing, and what it advises gets everything back."""
        for part in (0.05, 0.5, 0.9):
            self.as_before()
            manifest, = glob.glob(os.path.join(self.server.path, "db", "MANIFEST-*"))
            os.truncate(manifest, int(os.path.getsize(manifest) * part))
            before = self.tables()
            with self.subTest(part=part):
                seen = len(self.server.log())
                self.server.spawn()
                self.assertEqual(self.server.wait_ready_or_end(), 1)
                self.assertIn("--storage.repair", self.server.log()[seen:])
                self.assertEqual(self.tables(), before)
                self.server.start(**{"storage.repair": "true"})
                self.assertFalse(self.wrong(errors_may_be=False), "repaired")
                self.server.kill()
                self.server.start()
                self.assertFalse(self.wrong(errors_may_be=False), "after another start")
                self.server.kill()

    def tables(self):
        return {path: os.path.getsize(path) for path in glob.glob(os.path.join(self.server.path, "db", "*.sst"))}
