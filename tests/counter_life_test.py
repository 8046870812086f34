# SPDX-License-Identifier: Apache-2.0
"""A random life of counters against the model: samples come in any order, again and late; slots are sealed, the server is restarted
and killed in between. By how much counters grew is always what the model says of the samples that were acknowledged, so the order of
arrival, the number of seals and of restarts change nothing. COUNTER_SEEDS=4,5,6 COUNTER_STEPS=100 for a longer run."""

import os
import random
import time

from support import cluster, counter_model
from support.case import OwnServerCase
from support.counter_model import Rules

MINUTE, HOUR = 60_000, 3_600_000
# Long ago enough to be sealed, and a whole day.
BEGIN = (int(time.time() * 1000) // (24 * HOUR) - 3) * 24 * HOUR
UNKNOWN_GAP, DECLARED_GAP = 15 * MINUTE, 3 * MINUTE  # of *_total, every minute
WIDTHS = [(30, "seconds", 30_000), (7, "minutes", 7 * MINUTE), (1, "hours", HOUR), (90, "minutes", 90 * MINUTE), (1, "days", 24 * HOUR)]


class Counter:
    """One series, and what of it was acknowledged."""

    def __init__(self, metric, device, interface):
        self.metric, self.tags, self.samples = metric, {"device": device, "interface": interface, "oidset": "Own"}, {}

    def random_samples(self, chance, count):
        """Resets, wraps of 32 bits, gaps, twice the same time; a poller's steps or anybody's."""
        real, at = chance.random() < 0.3, BEGIN + chance.randrange(2 * HOUR)
        value = chance.choice((0, chance.randrange(1 << 32), 4_294_000_000, chance.randrange(1 << 60)))
        points, step = [], chance.choice((1000, 30_000, 60_000))
        for _ in range(count):
            at += chance.choice((step, step, step, step + chance.randrange(10), chance.randrange(1, 6 * step), 40 * MINUTE if chance.random() < 0.1 else 1))
            kind = chance.random()
            value = (chance.randrange(1000) if kind < 0.03 else value if kind < 0.1 else value + chance.randrange(1 << chance.choice((4, 16, 30))))
            if chance.random() < 0.05 and 1 << 32 <= value < 1 << 33:
                value -= 1 << 32
            points.append((at, value + 0.25 if real else value))
            if chance.random() < 0.05:
                points.append((at, (value + 0.5) if real else value + 7))  # at the same time
        return points


class Devices:
    """When devices restarted, and interfaces were discontinued, which the samples of two metrics say."""

    def __init__(self, chance):
        self.uptimes, self.discontinuities = {}, {}
        for device in ("a", "b"):
            booted, ticks = BEGIN - (1 << 32) * 10 + chance.randrange(3 * HOUR), []  # whose ticks are over once
            for at in range(BEGIN, BEGIN + 9 * HOUR, 60_000):
                if chance.random() < 0.005:
                    booted = at - chance.randrange(60_000)
                ticks.append((at, (at - booted) // 10 % (1 << 32)))
            self.uptimes[device] = ticks
        for interface in ("1", "2"):
            since, told = 0, []
            for at in range(BEGIN, BEGIN + 9 * HOUR, 60_000):
                since = chance.randrange(1 << 30) if chance.random() < 0.02 else since
                told.append((at, since))
            self.discontinuities[interface] = told

    def put(self, server):
        server.put([{"name": "snmp.sysUpTime", "tags": {"device": device, "oidset": "Own"}, "datapoints": points}
                    for device, points in self.uptimes.items()])
        server.put([{"name": "snmp.ifCounterDiscontinuityTime", "datapoints": points,
                     "tags": {"device": "a", "oidset": "Own", "interface": interface}} for interface, points in self.discontinuities.items()])

    def breaks(self, counter):
        device, interface = counter.tags["device"], counter.tags["interface"]
        found = counter_model.restarts(self.uptimes.get(device, []))
        if device == "a":
            found += counter_model.changes(self.discontinuities.get(interface, []))
        return tuple(found)


class Life(OwnServerCase):
    def setUp(self):
        self.server = self.new_server().start()

    def question(self, chance):
        """(aggregator, the rules it asks for)"""
        value, unit, width = chance.choice(WIDTHS)
        aligned = chance.random() < 0.6 and 24 * HOUR % width == 0
        asked = {"name": chance.choice(("increase", "counter_rate")), "sampling": {"value": value, "unit": unit}, "align_sampling": aligned}
        rules = {}
        if chance.random() < 0.4:
            seconds = chance.choice((29, 30, 95, 3600))
            asked["max_gap"], rules["gap_ms"] = {"value": seconds, "unit": "seconds"}, seconds * 1000
        if chance.random() < 0.3:
            asked["bits"] = rules["bits"] = 32
        if chance.random() < 0.3:
            asked["reset"] = rules["reset"] = "zero"
        if chance.random() < 0.2:
            asked["max_rate"] = rules["max_rate"] = chance.choice((2.5, 5001.75, 1e7))
        return asked, width, rules

    def check(self, counters, devices, chance):
        asked, width, said = self.question(chance)
        metric = chance.choice(sorted({counter.metric for counter in counters}))
        start = BEGIN + (chance.randrange(8 * HOUR) if not asked["align_sampling"] or chance.random() < 0.5 else chance.randrange(8) * HOUR)
        end = start + chance.choice((chance.randrange(1, 4 * HOUR), 24 * HOUR))
        origin = start // (24 * HOUR) * 24 * HOUR if asked["align_sampling"] else start
        wanted = {}
        for counter in (c for c in counters if c.metric == metric):
            rules = Rules(**{"gap_ms": DECLARED_GAP if metric.endswith("_total") else UNKNOWN_GAP, **said},
                          breaks=devices.breaks(counter) if metric.startswith("snmp.") else ())
            shifted = [(t0 - origin, t1 - origin, d) for t0, t1, d in counter_model.intervals(counter.samples.items(), rules)]
            for at, (increase, covered) in counter_model.bins(shifted, width, start - origin, end - origin).items():
                grown = increase if asked["name"] == "increase" else counter_model.rate(increase, covered)
                wanted[at + origin] = wanted.get(at + origin, 0) + grown
        result = self.server.query([{"name": metric, "aggregators": [asked]}], start, end)[0]["results"][0]["values"]
        what = f"{metric} {asked} {start}..{end}"
        self.assertEqual([t for t, _ in result], sorted(wanted), what)
        for at, value in result:
            if isinstance(wanted[at], int):
                self.assertEqual(value, wanted[at], f"{what} at {at}")
            else:
                self.assertAlmostEqual(value / float(wanted[at]) if wanted[at] else value + 1, 1, 9, f"{what} at {at}")

    def live(self, seed, steps):
        chance = random.Random(seed)
        devices = Devices(chance)
        counters = [Counter(metric, device, interface) for metric in ("plain", "octets_total", "snmp.ifHCInOctets")
                    for device, interface in (("a", "1"), ("a", "2"), ("b", "1"), ("c", "1"))]
        pieces = []
        for counter in counters:
            points = counter.random_samples(chance, chance.randrange(50, 400))
            size = chance.choice((3, 50, 400))
            pieces += [(counter, points[i:i + size]) for i in range(0, len(points), size)]
        if chance.random() < 0.7:
            chance.shuffle(pieces)
        devices.put(self.server)
        for step in range(steps):
            for counter, points in pieces[step * len(pieces) // steps:(step + 1) * len(pieces) // steps]:
                once = list(dict(points).items())  # of one request, none is before the other
                self.server.put([{"name": counter.metric, "tags": counter.tags, "datapoints": once}])
                counter.samples.update(once)
            kind = chance.random()
            if kind < 0.3:
                self.server.settle()
            elif kind < 0.4:
                self.server.restart()
            elif kind < 0.5:
                self.server.kill()
                self.server.start()
            for _ in range(5):
                self.check(counters, devices, chance)
        self.server.settle()
        for _ in range(20 if cluster.chosen() else 100):
            self.check(counters, devices, chance)

    def test_any_order(self):
        for seed in map(int, os.environ.get("COUNTER_SEEDS", "1" if cluster.chosen() else "1,2").split(",")):
            with self.subTest(seed=seed):
                self.live(seed, int(os.environ.get("COUNTER_STEPS", "10")))
                self.server.close()
                self.server = self.new_server().start()


