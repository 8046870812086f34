# SPDX-License-Identifier: Apache-2.0
"""Any file of the data directory is damaged: bits flipped, pages zeroed, an end cut off or noise behind it, emptied, gone, or exchanged
with another one. The server then answers rightly, or with an error, or says before it answers less what is missing; a start that
is refused names the file, and one with storage.repair ends. Also while it runs. `again: …` repeats one damage."""

import collections
import os
import random
import re
import shutil
import tempfile
import time

from support import effort
from support.case import OwnServerCase

CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "10s:1y,1m:1y", "raw.retention": "20h", "telnet.listen": ""}
METRICS, SAMPLES, MESSAGES = 6, 120, 60
KINDS = {"log": r"wal/.*\.log$", "definitions": r"\.definitions$", "end": r"/END$", "table": r"\.sst$", "manifest": r"/MANIFEST-",
         "current": r"/CURRENT$", "options": r"/OPTIONS-", "identity": r"/IDENTITY$", "format": r"/FORMAT$", "lock": r"/LOCK$"}
HOWS = ("bit", "bits", "zeros", "cut", "noise", "emptied", "gone", "exchanged")


def files(root):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)


def change(path, edit):
    with open(path, "rb") as f:
        content = bytearray(f.read())
    content = edit(content)
    with open(path, "wb") as f:
        f.write(content)


def damage(chance, root, kind, how):
    """Damages one file of the kind; returns its path, or None where there is nothing to damage."""
    found = [path for path in files(root) if re.search(KINDS[kind], path)]
    if not found:
        return None
    path = chance.choice(found)
    size = os.path.getsize(path)
    if how == "gone":
        os.unlink(path)
    elif how == "exchanged":
        other = chance.choice(found)
        if other == path:
            return None
        shutil.copy(path, path + "~")
        shutil.copy(other, path)
        os.replace(path + "~", other)
    elif how == "noise":
        change(path, lambda old: old + chance.randbytes(chance.choice((1, 100, 5000))))
    elif how == "emptied":
        os.truncate(path, 0)
    elif size == 0:
        return None
    elif how == "cut":
        os.truncate(path, chance.randrange(size))
    elif how == "zeros":
        at, many = chance.randrange(size), chance.choice((16, 512, 4096))
        change(path, lambda old: old[:at] + bytes(len(old[at:at + many])) + old[at + many:])
    else:
        def flip(content):
            for _ in range(1 if how == "bit" else 10):
                content[chance.randrange(size)] ^= 1 << chance.randrange(8)
            return content
        change(path, flip)
    return path


class DamagedFiles(OwnServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.new_server(CONFIG).start()
        self.start_ms = int(time.time() - 10_800) // 60 * 60_000
        # Nothing but its table has a text: what comes behind it shows whether the list of tables has lost its end.
        self.assertEqual(self.server.post("/api/v1/metadata/service/key/name", b"text").status, 204)
        self.put(0, SAMPLES // 2)
        self.server.settle()
        self.put(SAMPLES // 2, SAMPLES * 3 // 4)
        self.server.restart()  # two segments of the log are alive, neither of them the first there was
        self.put(SAMPLES * 3 // 4, SAMPLES)
        self.server.stop()
        self.whole = tempfile.mkdtemp(prefix="varve-test-")
        self.addCleanup(shutil.rmtree, self.whole, True)
        shutil.copytree(self.server.path, self.whole, dirs_exist_ok=True)

    def put(self, first, end):
        for m in range(METRICS):
            self.server.influx("".join(f"m{m} value={i}i {self.start_ms + i * 10_000}\n" for i in range(first, end)))
        entries = [[str((self.start_ms + i * 10_000) * 1_000_000), f"message {i}"] for i in range(first, end)]
        answer = self.server.post("/loki/api/v1/push", {"streams": [{"stream": {"app": "x"}, "values": entries}]},
                                  headers={"Content-Type": "application/json"})
        self.assertEqual(answer.status, 204, answer)

    def as_before(self):
        self.server.kill()  # which a failure may have left
        shutil.rmtree(self.server.path)
        shutil.copytree(self.whole, self.server.path)

    def look(self):
        """How many answers are right, errors, or have less; anything else is a failure."""
        seen = collections.Counter()
        for m in range(METRICS):
            answer = self.server.post("/api/v1/datapoints/query", {"start_absolute": self.start_ms, "metrics": [{"name": f"m{m}"}]})
            if answer.status != 200:
                seen["error"] += 1
                continue
            values = [tuple(v) for result in answer.json()["queries"][0]["results"] for v in result["values"]]
            self.assertEqual([t for t, v in values if t != self.start_ms + v * 10_000], [], "no other values")
            self.assertEqual(len(set(values)), len(values), "none twice")
            seen["right" if len(values) == SAMPLES else "less"] += 1
        answer = self.server.get(f"/loki/api/v1/query_range?query=%7Bapp%3D%22x%22%7D&limit=1000&start={self.start_ms - 1000}000000"
                                 f"&end={self.start_ms + SAMPLES * 10_000}000000")
        if answer.status == 200:
            texts = [text for stream in answer.json()["data"]["result"] for _, text in stream["values"]]
            self.assertLessEqual(set(texts), {f"message {i}" for i in range(SAMPLES)})
            seen["right" if len(texts) == SAMPLES else "less"] += 1
        else:
            seen["error"] += 1
        answer = self.server.get("/api/v1/metadata/service/key/name")
        seen["right" if answer.body == b"text" else "less" if answer.status == 404 else "error"] += 1
        return seen

    def start_on(self, path, said_from, **options):
        """Is it ready? If not, it has ended in order and named the file, or what it is a part of."""
        self.server.spawn(**options)
        code = self.server.wait_ready_or_end()
        said = self.server.log()[said_from:]
        if code is None:
            return True
        self.assertIn(code, (1, 2) if os.path.basename(path) == "FORMAT" else (1,), said[-1000:])  # 2: it says another width
        name = os.path.basename(path)
        database = os.path.basename(os.path.dirname(path)) == "db"
        self.assertRegex(said, rf"{re.escape(name)}|{'/db|database|reading the ' if database else '/wal/'}", f"{name} is not named")
        return False

    def trial(self, chance, kind, how):
        self.as_before()
        path = damage(chance, self.server.path, kind, how)
        if path is None:
            return "nothing"
        said_from = len(self.server.log())
        started = self.start_on(path, said_from)
        outcome = "started"
        if not started:
            outcome = "refused"
            if not self.start_on(path, said_from, **{"storage.repair": "true"}):
                return outcome
            outcome = "repaired"
        seen = self.look()
        if seen["less"]:
            self.assertRegex(self.server.log()[said_from:], r"level=(warn|error) ", f"less without a word: {seen}")
            outcome += ", less"
        self.server.influx(f"after value=1i {self.start_ms}\n")
        self.server.post("/-/settle")
        self.assertLessEqual(self.look()["less"], seen["less"], "what was there stays when it is worked on")
        self.assertTrue(self.server.alive(), self.server.last_words())
        self.server.stop()
        if self.start_on(path, said_from):
            self.assertLessEqual(self.look()["less"], seen["less"], "and at the next start")
            self.server.kill()
        return outcome

    def test_a_file(self):
        outcomes = collections.Counter()
        for seed in effort.seeds(range(1, 25), 300):
            chance = random.Random(f"damaged files {seed}")
            # In turn, so that each kind comes in the short run; the log and the tables more often.
            kinds = list(KINDS) + ["log", "table", "table", "manifest"]
            kind, how = kinds[seed % len(kinds)], chance.choice(HOWS)
            with self.subTest(kind=kind, how=how, again=effort.again(seed, "damaged_files")):
                outcomes[self.trial(chance, kind, how)] += 1
        print(dict(outcomes))
        self.assertGreater(outcomes.total(), outcomes["nothing"])

    def test_tables_while_it_runs(self):
        for seed in effort.seeds(range(1, 4), 60):
            chance = random.Random(f"damaged while it runs {seed}")
            self.as_before()
            self.server.start()
            for _ in range(3):
                damage(chance, self.server.path, "table", "bits")
            with self.subTest(again=effort.again(seed, "damaged_files")):
                for _ in range(2):
                    self.assertEqual(self.look()["less"], 0)
                    self.server.influx(f"after value=1i {self.start_ms}\n")
                    self.server.post("/-/settle")
                self.assertTrue(self.server.alive(), self.server.last_words())
            self.server.kill()
