# SPDX-License-Identifier: Apache-2.0
"""esmond's cf=min and cf=max (esmond_cases): of samples, of sealed windows, and of windows whose samples are gone."""

import fractions
import pathlib
import unittest

from counters_test import HOUR, T, milliseconds
from esmond_test import SERIES, data, known, posted
from support import cluster
from support.case import OwnServerCase
from support.client import wait_until

CASES = pathlib.Path(__file__).resolve().parent / "esmond_cases" / "cases.txt"


class Extremes(OwnServerCase):
    def check(self, todo, when):
        for what, path, wanted in todo:
            for place, cf in enumerate(("min", "max")):
                points = data(self.server, SERIES + path, cf=cf, begin=T - HOUR, end=T + 2 * HOUR)
                got = known(points)
                self.assertEqual(sorted(got), [at for at, _ in wanted], (what, when, cf))
                for at, both in wanted:
                    self.assertAlmostEqual(got[at], both[place], places=12, msg=(what, when, cf))
                self.assertTrue(all(set(point) == {"ts", "val"} for point in points))

    def test_extremes(self):
        self.server = self.new_server({"raw.retention": "20000d", "rollups": "5m:20000d,1h:20000d"}).start()
        todo = []
        for number, line in enumerate(CASES.read_text(encoding="utf-8").splitlines()):
            what, frequency, width, samples, bins = (part.strip() for part in line.split("|"))
            samples = [(T + int(s) * 1000, int(v)) for s, v in (one.split(":") for one in samples.split())]
            posted(self.server, f"RawData/extremes/{number}/{milliseconds(frequency)}", samples)
            wanted = [(T + int(s) * 1000, [float(fractions.Fraction(v)) for v in both.split(",")]) for s, both in (b.split(":") for b in bins.split())]
            todo.append((what, f"Aggs/extremes/{number}/{milliseconds(width)}", wanted))
        for when, before in (("hot", lambda: None), ("sealed", self.server.settle)):
            before()
            self.check(todo, when)
        if cluster.chosen():
            return  # samples are stored for as long as was configured when they were written
        # Windows know them when the samples are gone.
        whole = [one for one in todo if int(one[1].rsplit("/", 1)[1]) % 300_000 == 0]
        self.assertGreater(len(whole), 3)
        self.server.config["raw.retention"] = "8s"
        self.server.restart()
        samples = f"{SERIES}RawData/extremes/0/{milliseconds('30s')}"
        wait_until(lambda: self.server.settle() and not data(self.server, samples, begin=T - HOUR, end=T + HOUR), 60, "the samples are gone")
        self.check(whole, "gone")


if __name__ == "__main__":
    unittest.main()
