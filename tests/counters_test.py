# SPDX-License-Identifier: Apache-2.0
"""Counters become the same rates in every query API (counter_cases/cases.txt), from samples that are hot, sealed and read
again after a restart; random ones are compared with a model in whole numbers and fractions."""

import datetime
import json
import pathlib
import random
import time
import unittest
from dataclasses import replace
from urllib.parse import urlencode

from support import cluster
from support.case import ServerCase
from support.counter_model import Rules, bins, intervals

CASES = pathlib.Path(__file__).resolve().parent / "counter_cases" / "cases.txt"
HOUR = 3_600_000
T = (int(time.time() * 1000) // HOUR - 5) * HOUR
UNIT_MS = {"s": 1000, "m": 60_000, "h": HOUR}
UNITS = {"s": "seconds", "m": "minutes", "h": "hours"}
UNKNOWN_GAP = 15 * 60_000


def milliseconds(text):
    return int(text[:-1]) * UNIT_MS[text[-1]]


def length(text):
    return {"value": int(text[:-1]), "unit": UNITS[text[-1]]}


def base_of(seconds):
    return 0 if seconds >= 10**8 else T


class Case:
    def __init__(self, number, line):
        self.what, rules, self.width, samples, bins = (part.strip() for part in line.split("|"))
        frequency, *options = rules.split()
        self.options = dict(option.split("=") for option in options)
        self.metric = f"{'any' if frequency == '-' else 'f' + frequency}.case{number}"
        self.samples = []
        for sample in samples.split():
            second, value = sample.split(":")
            self.samples.append([base_of(float(second)) + round(float(second) * 1000), json.loads(value)])
        self.increase, self.rate = {}, {}
        for one in bins.split():
            second, rest = one.split(":")
            increase, covered = rest.rstrip(")").split("(")
            at = base_of(int(second)) + int(second) * 1000
            self.increase[at] = json.loads(increase)
            self.rate[at] = self.increase[at] * 1000 / round(float(covered) * 1000)

    def kairosdb_options(self):
        out = {name: value for name, value in self.options.items() if name != "max_gap"}
        return out | {"max_gap": length(self.options["max_gap"])} if "max_gap" in self.options else out


def cases():
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return [Case(number, line) for number, line in enumerate(lines)]


class Counters(ServerCase):
    config = {"counters": "f30s.*:30s,f5m.*:5m,*_total:1m", "raw.retention": "20000d", "rollups": "5m:20000d,1h:20000d"}

    def put(self, metric, samples, tags=None, headers=None):
        # One after the other: of one time the last write counts, also where it came in another request.
        for one in samples:
            answer = self.server.post("/api/v1/datapoints", {"name": metric, "tags": tags or {"host": "a"}, "datapoints": [one]}, headers)
            self.assertEqual(answer.status, 204, answer)

    def kairosdb(self, metric, name, width, start, end, options=None, headers=None):
        asked = {"name": name, "sampling": length(width), **(options or {})}
        found = self.server.query([{"name": metric, "aggregators": [asked]}], start, end, headers)
        return dict(value for result in found[0]["results"] for value in result["values"])

    def opentsdb(self, metric, name, width, start, end, headers=None):
        m = f"sum:{width}-{name}:{metric}"
        answer = self.server.get("/api/query?" + urlencode({"start": start, "end": end, "m": m, "ms": "true"}), headers)
        self.assertEqual(answer.status, 200, answer)
        body = {"start": start, "end": end, "msResolution": True, "queries": [{"metric": metric, "aggregator": "sum", "downsample": f"{width}-{name}"}]}
        self.assertEqual(self.server.post("/api/query", body, headers).json(), answer.json())
        return {int(at): value for series in answer.json() for at, value in series["dps"].items()}

    def ceres(self, metric, name, width, start, end, headers=None):
        answer = self.server.get("/api/query?" + urlencode({"metricName": metric, "aggregator": name, "granularity": width,
                                                           "start": start // 1000, "end": end // 1000}), headers)
        self.assertEqual(answer.status, 200, answer)
        out = {}
        for series in answer.json():
            for at, value in series["data"]["values"].items():
                out[round(datetime.datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp() * 1000)] = value
        return out

    def same(self, got, wanted, what):
        self.assertEqual(got, wanted, what)
        # A whole increase is a whole number in the answer, too: 30 and not 30.0.
        self.assertEqual({at: type(v) for at, v in got.items()}, {at: type(v) for at, v in wanted.items()}, what)

    def check_case(self, case, when):
        times = [at for at, _ in case.samples]
        width = milliseconds(case.width)
        for name, wanted in (("increase", case.increase), ("counter_rate", case.rate)):
            ranges = [(min(times) // HOUR * HOUR - HOUR, max(times) // HOUR * HOUR + 2 * HOUR)]
            # Each bin by itself: its neighbours are outside of the range.
            ranges += [(at, at + width) for at in wanted]
            for start, end in ranges:
                inside = {at: value for at, value in wanted.items() if start <= at < end}
                what = f"{case.what} {when} {name} {start - T}..{end - T} "
                rates = (lambda got: {at: float(v) for at, v in got.items()}) if name == "counter_rate" else (lambda got: got)
                self.same(rates(self.kairosdb(case.metric, name, case.width, start, end, case.kairosdb_options())), inside, what + "kairosdb")
                if not case.options:
                    self.same(rates(self.opentsdb(case.metric, name, case.width, start, end)), inside, what + "opentsdb")
                    self.same(rates(self.ceres(case.metric, name, case.width, start, end)), inside, what + "ceres")

    def test_cases(self):
        all_cases = cases()
        self.assertGreater(len(all_cases), 40)
        if cluster.chosen():  # which tells the stores apart, not the arithmetic
            all_cases = all_cases[::5]
        for case in all_cases:
            self.put(case.metric, case.samples)
        for when, before in (("hot", lambda: None), ("sealed", self.server.settle), ("restarted", self.server.restart)):
            before()
            for case in all_cases:
                with self.subTest(case.what, when=when):
                    self.check_case(case, when)
        # Late: the slots are sealed, and this is not.
        for case in all_cases:
            case.samples.append([max(at for at, _ in case.samples) + 4 * HOUR, 1])
            self.put(case.metric, case.samples[-1:])
            self.check_case(case, "late")

    def test_groups(self):
        self.put("f30s.group", [[T, 0], [T + 30_000, 30], [T + 60_000, 60]], {"host": "a"})
        self.put("f30s.group", [[T + 15_000, 1000], [T + 45_000, 1300]], {"host": "b"})
        self.put("f30s.group", [[T, 7]], {"host": "c"})  # of one sample nothing is known
        for before in (lambda: None, self.server.settle):
            before()
            self.assertEqual(self.kairosdb("f30s.group", "increase", "30s", T, T + 120_000), {T: 30 + 150, T + 30_000: 30 + 150})
            self.assertEqual(self.kairosdb("f30s.group", "counter_rate", "30s", T, T + 120_000), {T: 1 + 10, T + 30_000: 1 + 10})
            by_host = self.server.query([{"name": "f30s.group", "group_by": [{"name": "tag", "tags": ["host"]}], "aggregators": [
                {"name": "increase", "sampling": length("30s")}, {"name": "sum", "sampling": length("1h")}]}], T, T + 120_000)
            self.assertEqual([r["values"] for r in by_host[0]["results"]], [[[T, 60]], [[T, 300]], []])
            self.assertEqual(self.opentsdb("f30s.group", "increase", "30s", T, T + 120_000), {T: 180, T + 30_000: 180})
            self.assertEqual(self.opentsdb("f30s.group", "counter_rate-zero", "30s", T, T + 120_000),
                             {T: 11, T + 30_000: 11, T + 60_000: 0, T + 90_000: 0})
            nan = self.server.get("/api/query?" + urlencode({"start": T, "end": T + 90_000, "ms": "true", "m": "sum:30s-increase-nan:f30s.group{host=a}"}))
            self.assertEqual(nan.json()[0]["dps"], {str(T): 30, str(T + 30_000): 30, str(T + 60_000): None})

    def test_chained(self):
        samples = [[T, 100], [T + 300_000, 400], [T + 2 * HOUR, 500], [T + 2 * HOUR + 300_000, 1700]]
        self.put("any.chained", samples)
        ask = lambda *aggregators: self.server.query([{"name": "any.chained", "aggregators": list(aggregators)}], T, T + 3 * HOUR)[0]["results"][0]["values"]
        rate = {"name": "counter_rate", "sampling": length("1m")}
        self.assertEqual(ask(rate, {"name": "max", "sampling": length("1h"), "align_start_time": True}), [[T, 1], [T + 2 * HOUR, 4]])
        self.assertEqual(ask({"name": "max", "sampling": length("1h"), "align_start_time": True}, {"name": "increase", "sampling": length("1h"), "max_gap": length("3h")}),
                         [[T, 650], [T + HOUR, 650]])
        gaps = ask({"name": "increase", "sampling": length("1h")}, {"name": "gaps", "sampling": length("1h")})
        self.assertEqual([value for value in gaps if value[0] == T + HOUR], [[T + HOUR, None]])
        # What was there before stays what it was.
        self.assertEqual(ask({"name": "rate", "unit": "seconds"})[0], [T + 300_000, 1])
        old = self.server.get("/api/query?" + urlencode({"start": T, "end": T + HOUR, "ms": "true", "m": "sum:rate{counter}:any.chained"}))
        self.assertEqual(old.json()[0]["dps"], {str(T + 300_000): 1})

    def test_devices_restart(self):
        def put(metric, samples, **tags):
            self.put("snmp." + metric, [[T + second * 1000, value] for second, value in samples], tags)
        times = range(0, 180, 30)
        one = {"device": "r1", "oidset": "Fast"}
        put("ifHCInOctets", [(s, s * 10) for s in times], interface="xe-0/0/0", **one)
        put("ifHCInOctets", [(s, s * 10) for s in times], interface="xe-0/0/1", **one)
        put("ifHCInOctets", [(s, s * 10) for s in times], device="r2", oidset="Fast", interface="xe-0/0/0")
        put("sysUpTime", [(0, 1000), (30, 4000), (60, 100), (90, 3100), (120, 6100), (150, 9100)], **one)
        put("sysUpTime", [(0, 4294963000), (30, 4294966000), (60, 1704), (90, 4704)], device="r2", oidset="Fast")
        put("ifCounterDiscontinuityTime", [(s, 0 if s < 120 else 6000) for s in times], interface="xe-0/0/1", **one)
        for before in (lambda: None, self.server.settle):
            before()

            def known(device, interface):
                found = self.server.query([{"name": "snmp.ifHCInOctets", "tags": {"device": device, "interface": interface},
                                            "aggregators": [{"name": "increase", "sampling": length("30s")}]}], T, T + 150_000)
                values = found[0]["results"][0]["values"]
                self.assertEqual({value for _, value in values}, {300})
                return [(at - T) // 1000 for at, _ in values]
            self.assertEqual(known("r1", "xe-0/0/0"), [0, 60, 90, 120])
            self.assertEqual(known("r1", "xe-0/0/1"), [0, 60, 120])
            self.assertEqual(known("r2", "xe-0/0/0"), [0, 30, 60, 90, 120], "after 497 days the uptime begins anew by itself")
            # The restart is seen also where the range begins behind it.
            self.assertEqual(self.kairosdb("snmp.ifHCInOctets", "increase", "30s", T + 45_000, T + 60_000), {T + 30_000: 150})

    def test_malformed(self):
        def refused(words, **options):
            body = {"start_absolute": T, "metrics": [{"name": "m", "aggregators": [{"name": "increase", "sampling": length("30s"), **options}]}]}
            answer = self.server.post("/api/v1/datapoints/query", body)
            self.assertEqual(answer.status, 400, answer)
            self.assertEqual(list(answer.json()), ["errors"])
            self.assertIn(words, answer.json()["errors"][0])
        at = "query.metric[0].aggregators[0]."
        refused(at + "max_gap must be an object", max_gap=5)
        refused(at + "max_gap.value must be greater than or equal to 1", max_gap={"value": 0, "unit": "minutes"})
        refused(at + "max_gap.unit must be weeks or shorter", max_gap={"value": 1, "unit": "months"})
        refused(at + "bits must be 32 or 64", bits=16)
        refused(at + "reset must be gap or zero", reset="never")
        refused(at + "max_rate must be greater than 0", max_rate=0)
        refused(at + "max_rate For input string", max_rate="fast")
        refused("wrap", wrap=True)
        for m in ("sum:5m-counterrate:m", "sum:5m-:m", "counter_rate:m", "counter_rate:5m-sum:m", "sum:5m-counter_rate-full:m"):
            answer = self.server.get("/api/query?" + urlencode({"start": T, "m": m}))
            self.assertEqual(answer.status, 400, (m, answer))
            self.assertEqual(answer.json()["error"]["code"], 400, m)
        answer = self.server.get("/api/query?" + urlencode({"metricName": "m", "start": T // 1000, "aggregator": "rate"}))
        self.assertEqual(answer.status, 400, answer)
        self.assertIn("increase, counter_rate", answer.body.decode())

    def test_features(self):
        features = {one["name"]: one for one in self.server.get("/api/v1/features/aggregators").json()}
        for name in ("increase", "counter_rate"):
            properties = [one["name"] for one in features[name]["properties"]]
            self.assertEqual(properties, ["align_end_time", "align_start_time", "bits", "max_gap", "max_rate", "reset", "sampling", "trim"])
            self.assertEqual(set(features[name]), set(features["avg"]))

    # --- a model ---

    @staticmethod
    def model(samples, rules, width, first, last):
        """Of bins from 1970 of what grew in [first, last): {start: (increase, covered)}."""
        return bins(intervals(samples, rules), width, first, last)

    def test_a_model(self):
        rng = random.Random(18)
        lives = []
        for life in range(2 if cluster.chosen() else 8):
            samples, at, value = [], T + rng.randrange(30_000), rng.randrange(2**32)
            while at < T + 3 * HOUR:
                samples.append([at, value])
                at += rng.choice([30_000, 30_000, rng.randrange(1, 60_000), 90_000, 90_001, rng.randrange(20 * 60_000)])
                value = rng.choice([value + rng.randrange(10_000)] * 9 + [rng.randrange(2**32), 0, (value + 2**31) % 2**32])
            rng.shuffle(samples)
            samples += [[at, value + rng.randrange(5)] for at, value in rng.sample(samples, 5)]  # written twice
            lives.append((f"f30s.life{life}", samples))
        for name, samples in lives:
            half = len(samples) // 2
            for written, more in ((half, samples[:half]), (len(samples), samples[half:])):
                self.put_many(name, more)
                self.check_life(name, samples[:written], rng)
                self.server.settle()
                self.check_life(name, samples[:written], rng)
        self.server.restart()
        for name, samples in lives:
            self.check_life(name, samples, rng)

    def put_many(self, metric, samples):
        """In order, but of each time at most one in a request."""
        while samples:
            times, count = set(), 0
            while count < len(samples) and samples[count][0] not in times:
                times.add(samples[count][0])
                count += 1
            answer = self.server.post("/api/v1/datapoints", {"name": metric, "tags": {"host": "a"}, "datapoints": samples[:count]})
            self.assertEqual(answer.status, 204, answer)
            samples = samples[count:]

    def check_life(self, metric, samples, rng):
        for _ in range(6):
            width = rng.choice(["1s", "7s", "30s", "60s", "5m", "7m", "1h", "6h"])
            first = T + rng.randrange(3 * 3600) * 1000
            last = first + rng.randrange(1, 2 * 3600) * 1000
            declared = Rules(90_000)  # of f30s.*
            options, rules = rng.choice([({}, declared), ({}, declared), ({"bits": 32}, replace(declared, bits=32)),
                                         ({"reset": "zero"}, replace(declared, reset="zero")),
                                         ({"max_gap": length("10m")}, replace(declared, gap_ms=600_000))])
            ms = milliseconds(width)
            # 7 s and 7 min do not divide a day: KairosDB's windows count from midnight, others from 1970.
            if 24 * HOUR % ms == 0:
                wanted = self.model(samples, rules, ms, first, last)
                got = self.kairosdb(metric, "increase", width, first, last, options)
                self.assertEqual(got, {at: one[0] for at, one in wanted.items()}, (metric, width, first, last, options))
            wanted = self.model(samples, declared, ms, first, last)
            got = self.opentsdb(metric, "counter_rate", width, first, last)
            self.assertEqual(got, {at: one[0] * 1000 / one[1] for at, one in wanted.items()}, (metric, width, first, last))
            first, last = first // ms * ms, -(-last // ms) * ms
            wanted = self.model(samples, declared, ms, first, last)
            self.assertEqual(self.ceres(metric, "increase", width, first, last), {at: one[0] for at, one in wanted.items()})


if __name__ == "__main__":
    unittest.main()
