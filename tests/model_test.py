# SPDX-License-Identifier: Apache-2.0
"""A random life against a plain map: put, overwrite, late, restart, kill, settle; every query answers what the map says."""

import os
import random
import unittest

from support.case import T0, OwnServerCase

SERIES = [("m1", {"h": "a"}), ("m1", {"h": "b"}), ("m1", {"h": "b", "d": "x"}), ("m2", {"h": "a"}), ("m2", {"h": "c"})]
HOUR = 3_600_000


class Model:
    def __init__(self):
        self.data = [{} for _ in SERIES]

    def values(self, metric, tags, start, end):
        """All samples of the series that match, in time order; ties in any order."""
        out = []
        for (name, own), samples in zip(SERIES, self.data):
            if name == metric and all(own.get(k) in v for k, v in tags.items()):
                out += [(t, v) for t, v in samples.items() if start <= t <= end]
        return sorted(out, key=order)


def order(pair):
    return pair[0], isinstance(pair[1], str), str(pair[1]) if isinstance(pair[1], str) else pair[1]


class RandomLife(OwnServerCase):
    def random_value(self, chance):
        kind = chance.random()
        if kind < 0.4:
            return chance.randrange(-1000, 1000)
        if kind < 0.6:
            return chance.randrange(-(2**62), 2**62)
        if kind < 0.9:
            return round(chance.uniform(-100, 100), 2)
        return chance.uniform(-1e9, 1e9)

    def random_time(self, chance, step):
        kind = chance.random()
        if kind < 0.6:
            return T0 + step * 60_000 + chance.randrange(60_000)     # about now
        if kind < 0.8:
            return T0 + chance.randrange(step + 1) * 60_000          # again, or late
        if kind < 0.95:
            return T0 - chance.randrange(48) * HOUR + chance.choice([0, -1, 1])  # at the edges of old slots
        return chance.randrange(-10, 10)

    def put(self, server, model, chance, step):
        count = chance.choice([1, 3, 30, 300])
        points = {}
        for _ in range(count):
            points.setdefault(chance.randrange(len(SERIES)), []).append(
                (self.random_time(chance, step), self.random_value(chance)))
        if chance.random() < 0.5:
            server.put([{"name": SERIES[i][0], "tags": SERIES[i][1], "datapoints": p} for i, p in points.items()])
        else:
            lines = []
            for i, samples in points.items():
                name, tags = SERIES[i]
                head = ",".join([name] + [f"{k}={v}" for k, v in tags.items()])
                lines += [f"{head} value={v}{'i' if isinstance(v, int) else ''} {t}" for t, v in samples]
            server.influx("\n".join(lines))
        for i, samples in points.items():
            model.data[i].update(samples)

    def compare(self, server, model, chance, step):
        metric = chance.choice(["m1", "m2"])
        tags = chance.choice([{}, {"h": ["a"]}, {"h": ["a", "b"]}, {"h": ["b"], "d": ["x"]}, {"h": ["zzz"]}])
        start, end = sorted((self.random_time(chance, step), self.random_time(chance, step)))
        if chance.random() < 0.3:
            start, end = -(2**53), 2**53
        expected = model.values(metric, tags, start, end)
        got = server.values(metric, tags, start, end)
        self.assertEqual(sorted(got, key=order), expected, f"step {step}: {metric} {tags} {start}..{end}")
        self.assertEqual([t for t, _ in got], [t for t, _ in expected])

        limits = {"name": metric, "tags": tags, "aggregators": [{"name": "count", "sampling": {"value": 1, "unit": "hours"},
                                                                 "align_start_time": True}]}
        if expected:
            results = server.query([limits], start, end)[0]["results"]
            buckets = {}
            for t, _ in expected:
                buckets[t // HOUR * HOUR] = buckets.get(t // HOUR * HOUR, 0) + 1
            self.assertEqual({t: v for r in results for t, v in r["values"]}, buckets)
            limits["aggregators"][0]["name"] = "max"
            results = server.query([limits], start, end)[0]["results"]
            self.assertEqual(max(v for r in results for _, v in r["values"]), max(float(v) for _, v in expected))

    def life(self, seed, steps):
        chance = random.Random(seed)
        server = self.new_server().start()
        model = Model()
        for step in range(steps):
            kind = chance.random()
            if kind < 0.6:
                self.put(server, model, chance, step)
            elif kind < 0.94:
                self.compare(server, model, chance, step)
            elif kind < 0.97:
                server.settle()
            elif kind < 0.985:
                server.restart()
            else:
                server.kill()
                server.start()
        for metric in ("m1", "m2"):
            self.assertEqual(sorted(server.values(metric), key=order), model.values(metric, {}, -(2**53), 2**53))

    def test_lives(self):
        seeds = [int(s) for s in os.environ.get("MODEL_SEEDS", "1,2,3").split(",")]
        for seed in seeds:
            with self.subTest(seed=seed):
                self.life(seed, int(os.environ.get("MODEL_STEPS", "250")))


if __name__ == "__main__":
    unittest.main()
