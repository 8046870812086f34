# SPDX-License-Identifier: Apache-2.0
"""What interfaces carried, over HTTP and by `varve device usage`: against a model in whole numbers and fractions, before and after
settling. The samples are put here; no device is polled."""

import csv
import io
import json
import random
import subprocess
import time
from fractions import Fraction
from urllib.parse import urlencode

from support.case import ServerCase
from support.counter_model import Rules, bins, intervals, rate
from support.server import BINARY

HOUR = 3_600_000
BEGIN = (int(time.time() * 1000) // HOUR - 30) * HOUR
RULES = Rules(gap_ms=90_000)  # 3 × 30 s; no two samples here are between that and 15 minutes apart
FIELDS = ("bytes", "average", "max", "p95", "utilisation")
UNKNOWN = dict.fromkeys(FIELDS)
SETS = {"Pair": {"frequency": "30s", "correlator": "ifName", "objects": [
    {"name": "mineIn", "oid": "1.3.6.1.4.1.1.1", "type": "Counter64", "alias": "in"},
    {"name": "mineOut", "oid": "1.3.6.1.4.1.1.2", "type": "Counter64", "alias": "out"},
    {"name": "mineError", "oid": "1.3.6.1.4.1.1.3", "type": "Counter64", "alias": "error/in"}]}}


def figures(known):
    """Of {start: (increase, covered ms)}."""
    if not known:
        return UNKNOWN
    total, covered = (sum(one[i] for one in known.values()) for i in (0, 1))
    rates = sorted(rate(*one) for one in known.values())
    return {"bytes": total, "average": rate(total, covered), "max": rates[-1], "p95": rates[-(-95 * len(rates) // 100) - 1], "utilisation": None}


def sum_figures(all_known):
    totals = {}
    for known in all_known:
        for start, one in known.items():
            before = totals.get(start, (0, 0))
            totals[start] = (before[0] + rate(*one), max(before[1], one[1]))
    if not totals:
        return UNKNOWN
    rates = sorted(one for one, _ in totals.values())
    return {"bytes": sum(increase for known in all_known for increase, _ in known.values()),
            "average": Fraction(sum(one * covered for one, covered in totals.values())) / sum(covered for _, covered in totals.values()),
            "max": rates[-1], "p95": rates[-(-95 * len(rates) // 100) - 1], "utilisation": None}


class Usage(ServerCase):
    def ask(self, tenant, parameters, status=200):
        answer = self.server.get(f"/t/{tenant}/api/v1/snmp/usage?{urlencode(parameters, doseq=True)}")
        self.assertEqual(answer.status, status, answer)
        return answer.json()

    def put(self, tenant, metric, device, interface, points):
        self.server.put([{"name": "snmp." + metric, "tags": {"device": device, "oidset": "Pair", "interface": interface},
                          "datapoints": points}], prefix=f"/t/{tenant}")

    def assert_figures(self, found, wanted, what):
        self.assertEqual(list(found), list(FIELDS), what)
        for field in FIELDS:
            if wanted[field] is None or field == "bytes":
                self.assertEqual(found[field], wanted[field], f"{what} {field}")
            else:
                self.assertAlmostEqual(found[field], float(wanted[field]), delta=1e-9 * max(1, abs(wanted[field])), msg=f"{what} {field}")

    @staticmethod
    def random_samples(chance):
        """A poller's: some are lost, some outages are long, and now and then the counter begins anew."""
        at, value, points = BEGIN + chance.randrange(30_000), chance.choice((0, chance.randrange(1 << 62))), []
        while at < BEGIN + 4 * HOUR:
            points.append([at, value])
            at += chance.choice((30_000, 30_000, 30_000, 30_001, 60_000, 90_000, 20 * 60_000 if chance.random() < 0.1 else 30_000))
            value = value + chance.randrange(1 << chance.choice((1, 10, 30))) if chance.random() > 0.02 else chance.randrange(100)
        return points

    def check_against_the_model(self, tenant, series, chance):
        first = BEGIN // 1000 + chance.randrange(-100, 4 * 3600)
        last = first + chance.choice((1, 300, chance.randrange(1, 4 * 3600), 86_400))
        width = chance.choice((7, 60, 300, 300, 3600, 86_400))
        found = self.ask(tenant, {"begin": first, "end": last, "agg": width, "sum": 1})
        self.assertEqual((found["begin"], found["end"], found["agg"]), (first, last, width))
        wanted, sums, sampled = {}, {"in": [], "out": []}, set()
        for (device, interface, direction), points in series.items():
            known = bins(intervals(points, RULES), width * 1000, first * 1000, last * 1000)
            if known or any(first * 1000 <= at < last * 1000 for at, _ in points):
                sampled.add((device, interface))
            wanted.setdefault((device, interface), {})[direction] = known
            sums[direction].append(known)
        what = f"{first} {last} {width}"
        self.assertEqual([(one["device"], one["interface"]) for one in found["interfaces"]], sorted(sampled), what)
        for one in found["interfaces"]:
            known = wanted[one["device"], one["interface"]]
            covered = sum(ms for _, ms in known.get("in", {}).values())
            self.assertAlmostEqual(one["coverage"], covered / 1000 / (last - first), 12, what)
            self.assertEqual((one["ifAlias"], one["speed"]), (None, None))
            for direction in ("in", "out"):
                self.assert_figures(one[direction], figures(known.get(direction, {})), f"{what} {one['device']} {one['interface']} {direction}")
        for direction in ("in", "out"):
            self.assert_figures(found["sum"][direction], sum_figures(sums[direction]), f"{what} sum {direction}")

    def test_values(self):
        chance, tenant, series = random.Random(18), "values", {}
        self.assertEqual(self.server.post(f"/t/{tenant}/api/v1/snmp/import", json.dumps({"oidsets": SETS})).status, 200)
        for device in ("r/1", "r2"):
            for interface in ("xe-0/0/0", "ae1", "lo"):
                for direction, metric in (("in", "mineIn"), ("out", "mineOut")):
                    if chance.random() < 0.8:
                        series[device, interface, direction] = points = self.random_samples(chance)
                        self.put(tenant, metric, device, interface, points)
        self.put(tenant, "mineError", "r2", "none", [[BEGIN, 5], [BEGIN + 1000, 6]])
        for settled in (False, True):
            for _ in range(40):
                self.check_against_the_model(tenant, series, chance)
            if not settled:
                self.server.settle()

    def busy(self, tenant, count=12):
        """Interface n carries n·1000 bytes a second for ten minutes in, and twice that out; n % 3 is its device."""
        devices = {f"d{n}": {"address": "10.0.0.1", "active": False, "tags": {"site": "oslo" if n else "bergen"}} for n in range(3)}
        self.assertEqual(self.server.post(f"/t/{tenant}/api/v1/snmp/import", json.dumps({"oidsets": SETS, "devices": devices})).status, 200)
        for n in range(count):
            for metric, factor in (("mineIn", 1), ("mineOut", 2)):
                self.put(tenant, metric, f"d{n % 3}", f"i{n:02}", [[BEGIN + 30_000 * k, 30_000 * k * n * factor] for k in range(21)])
        return {"begin": BEGIN // 1000, "end": BEGIN // 1000 + 600}

    def names(self, tenant, parameters):
        return [one["interface"] for one in self.ask(tenant, parameters)["interfaces"]]

    def test_the_busiest_first(self):
        when = self.busy("busy")
        self.put("busy", "mineOut", "d9", "one-way", [[BEGIN, 0], [BEGIN + 30_000, 1]])
        for field in ("bytes", "average", "max", "p95"):
            self.assertEqual(self.names("busy", {**when, "sort": f"in.{field}", "limit": 3}), ["i11", "i10", "i09"])
        self.assertEqual(self.names("busy", {**when, "sort": "in.bytes"})[-1], "one-way", "the unknown last")
        self.assertEqual(self.names("busy", {**when, "limit": 2}), ["i00", "i03"])
        total = self.ask("busy", {**when, "sort": "out.max", "limit": 1, "sum": 1})
        self.assertEqual([one["out"]["bytes"] for one in total["interfaces"]], [600 * 22_000])
        self.assertEqual(total["sum"]["in"], {"bytes": 600 * 66_000, "average": 66_000, "max": 66_000, "p95": 66_000, "utilisation": None})

    def test_filters(self):
        when = self.busy("filters")
        self.assertEqual(self.names("filters", {**when, "device": "d1"}), ["i01", "i04", "i07", "i10"])
        self.assertEqual(self.names("filters", {**when, "device": ["d1", "d0", "none"], "interface": ["i00", "i01", "i02"]}), ["i00", "i01"])
        self.assertEqual(self.names("filters", {**when, "tag": "site=bergen"}), ["i00", "i03", "i06", "i09"])
        self.assertEqual(self.names("filters", {**when, "tag": "site=bergen", "device": "d1"}), [])
        self.assertEqual(self.names("filters", {**when, "ifAlias__contains": "x"}), [])
        self.assertEqual(self.names("nobody", when), [])
        for wrong in ({"agg": "5m"}, {"sort": "p95"}, {"begin": 5, "end": 5}, {"limit": "x"}, {"tag": "x"}, {"ifalias": "x"}):
            self.assertTrue(self.ask("filters", {**when, **wrong}, 400)["errors"])

    def run_varve(self, *arguments, code=0):
        done = subprocess.run([BINARY, "device", "usage", "--server", f"http://127.0.0.1:{self.server.port}", *arguments],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_the_command(self):
        self.busy("command", 3)
        when = ["--tenant", "command", "--begin", str(BEGIN), "--end", str(BEGIN + 600_000)]
        lines = self.run_varve(*when, "--sort", "in.p95", "--limit", "2", "--sum").splitlines()
        self.assertEqual([line.split()[:2] for line in lines[1:3]], [["d2", "i02"], ["d1", "i01"]])
        self.assertIn("16.0k", lines[1])  # bits
        self.assertTrue(lines[3].startswith("(sum)"), lines)
        rows = list(csv.DictReader(io.StringIO(self.run_varve(*when, "--csv", "--device", "d2"))))
        self.assertEqual([(row["device"], row["interface"], row["in.bytes"], row["out.p95"], row["in.utilisation"]) for row in rows],
                         [("d2", "i02", "1200000", "4000", "")])
        self.assertEqual(len(json.loads(self.run_varve(*when, "--json"))["interfaces"]), 3)
        self.assertIn("agg is a number", self.run_varve(*when, "--agg", "5m", code=1))
        self.assertIn("a time is", self.run_varve("--begin", "now", code=1))
