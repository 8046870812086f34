# SPDX-License-Identifier: Apache-2.0
"""Histograms are rolled up: what is asked of all values that they counted has the same answer of samples and of windows,
after a restart, with late ones, and where the samples are gone."""

import time

from support.case import OwnServerCase
from support.client import wait_until
from support.cluster import chosen

CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "5s:1d,10s:1d"}
ASKED = [{"name": name} for name in ("count", "sum", "min", "max", "avg", "dev", "merge")] + [
    {"name": "percentile", "percentile": p} for p in (0.05, 0.5, 0.99)] + [{"name": "merge", "precision": 3}] + [
    {"name": "apdex", "target": target} for target in (20, 100)]
# The same of histograms alone: of `OF_ALL[i]`.
OF_ALL = ASKED[:6] + ASKED[8:9]
ALONE = [a | {"name": "h" + a["name"]} for a in OF_ALL]


def histogram(number):
    """Of some whole numbers, so that sums are exact."""
    values = [(number * 37 + i * i) % 200 + 1 for i in range(1 + number % 7)]
    bins = {}
    for v in values:
        bins[f"{float(v)}"] = bins.get(f"{float(v)}", 0) + 1
    return {"bins": bins, "min": min(values), "max": max(values), "mean": sum(values) / len(values), "sum": sum(values)}


class Histograms(OwnServerCase):
    def fill(self, server, start, seconds):
        server.put([{"name": "h", "tags": {"host": f"h{host}"}, "type": "histogram",
                     "datapoints": [[start + s * 1000 + host, histogram(s + 100 * host)] for s in range(seconds)]}
                    for host in range(3)])

    def ask(self, server, aggregator, width, start, end, metric="h", **more):
        """Results by kind and tags, and how many samples there are."""
        aggregator = {**aggregator, "align_sampling": True, "sampling": {"value": width, "unit": "seconds"}, **more}
        answer = server.query([{"name": metric, "group_by": [{"name": "tag", "tags": ["host"]}], "aggregators": [aggregator]}],
                              start=start, end=end)[0]
        return answer["sample_size"], [(r["group_by"][-1].get("type"), r["tags"], r["values"])
                                       for r in answer["results"] if r["values"]]

    def all(self, server, start, end, widths=(5, 10, 20, 7)):
        return [(a, width, self.ask(server, a, width, start, end)) for a in ASKED for width in widths]

    def gone(self, server, metric, start, end):
        return not server.query([{"name": metric, "tags": {}}], start=start, end=end)[0]["sample_size"]

    def test_the_same_of_windows(self):
        server = self.new_server(CONFIG).start()
        start = int(time.time() - 300) // 60 * 60 * 1000
        end = start + 59_999
        self.fill(server, start, 60)
        before = self.all(server, start, end)
        self.assertEqual(before[0][2][0], 180, "samples")
        self.assertEqual(len(before[0][2][1]), 3)
        wait_until(lambda: server.metric("varve_slots_sealed_total") >= 6, 30, "6 slots sealed")
        server.settle()

        def windows_are_read():
            read = server.metric("varve_query_windows_read_total")
            self.assertEqual(self.all(server, start, end), before)
            return server.metric("varve_query_windows_read_total") >= read + len(ASKED) * 3 * 3
        wait_until(windows_are_read, 30, "answers of windows")
        late = {"name": "h", "tags": {"host": "h1"}, "type": "histogram",
                "datapoints": [[start + 11_001, histogram(999)], [start + 11_500, histogram(998)]]}  # one over another
        server.put([late])
        after = self.all(server, start, end)
        self.assertEqual(after[0][2][0], 181)
        server.settle()
        self.assertEqual(self.all(server, start, end), after)
        server.restart()
        self.assertEqual(self.all(server, start, end), after)
        server.kill()
        server.start()
        self.assertEqual(self.all(server, start, end), after)

    def test_windows_outlive_their_samples(self):
        server = self.new_server(CONFIG | {"raw.retention": "8s"}).start()
        start = int(time.time() - 120) // 60 * 60 * 1000
        end = start + 59_999
        self.fill(server, start, 60)
        wait_until(lambda: self.gone(server, "h", start, end), 40, "the samples dropped")
        answers = self.all(server, start, end, (5, 10, 20))
        # Of samples that are kept, in another store: the same.
        kept = self.new_server(CONFIG).start()
        self.fill(kept, start, 60)
        self.assertEqual(answers, self.all(kept, start, end, (5, 10, 20)))
        late = {"name": "h", "tags": {"host": "h2"}, "type": "histogram", "timestamp": start + 500, "value": histogram(77)}
        for one in (server, kept):
            one.put([late])
        self.assertEqual(self.all(server, start, end, (5, 10, 20)), self.all(kept, start, end, (5, 10, 20)))
        for _ in range(2):
            server.settle()
            self.assertEqual(self.all(server, start, end, (5, 10, 20)), self.all(kept, start, end, (5, 10, 20)))
            server.kill()
            server.start()

    def test_of_histograms_alone(self):
        server = self.new_server(CONFIG).start()
        start = int(time.time() - 300) // 60 * 60 * 1000
        end = start + 59_999
        self.fill(server, start, 60)
        server.put([{"name": "h", "tags": {"host": "h0"}, "datapoints": [[start + 500, 4], [start + 30_500, "text"]]}])
        others = [("number", {"host": ["h0"]}, [[start + 500, 4]]), ("text", {"host": ["h0"]}, [[start + 30_500, "text"]])]

        def ask_all():
            for plain, alone in zip(OF_ALL, ALONE):
                samples, results = self.ask(server, alone, 10, start, end)
                self.assertEqual((samples, results[:2]), (182, others), alone)
                self.assertEqual(results[2:], [r for r in self.ask(server, plain, 10, start, end)[1] if r[0] == "histogram"])
        ask_all()
        wait_until(lambda: server.metric("varve_slots_sealed_total") >= 6, 30, "6 slots sealed")
        server.settle()
        ask_all()

        def windows_are_read():
            read = server.metric("varve_query_windows_read_total")
            self.ask(server, ALONE[0], 10, start, end)
            return server.metric("varve_query_windows_read_total") >= read + 12
        wait_until(windows_are_read, 30, "answers of windows")

    # Whole numbers up to 256 are bins of their own, so that what is left of one of them is known.
    def test_filters(self):
        server = self.new_server(CONFIG).start()
        start = int(time.time() - 300) // 60 * 60 * 1000
        end = start + 59_999
        self.fill(server, start, 60)

        def left(numbers, stays):
            """Of these histograms those that have something left: (bins, min, max, sum)."""
            for h in map(histogram, numbers):
                bins = {float(v): count for v, count in h["bins"].items() if stays(float(v))}
                if bins:
                    yield bins, min(bins), max(bins), sum(v * count for v, count in bins.items())

        def shares(numbers, stays):
            for h in map(histogram, numbers):
                kept = sum(count for v, count in h["bins"].items() if stays(float(v)))
                if kept:
                    yield kept / sum(h["bins"].values())

        def ask(*steps):
            answer = server.query([{"name": "h", "tags": {"host": "h1"}, "aggregators": list(steps)}], start=start, end=end)[0]
            return [value for _, value in answer["results"][0]["values"]]

        def ask_all():
            minute = {"sampling": {"value": 1, "unit": "minutes"}}
            for name in ("filter", "hfilter"):
                for op, stays in (("lt", lambda v: v >= 100), ("gte", lambda v: v < 100), ("ne", lambda v: v == 100)):
                    step = {"name": name, "filter_op": op, "threshold": 100}
                    got = [({float(v): count for v, count in h["bins"].items()}, h["min"], h["sum"]) for h in ask(step)]
                    wanted = list(left(range(100, 160), stays))
                    self.assertEqual(got, [(bins, least, total) for bins, least, _, total in wanted], op)
                    counts = sum(sum(bins.values()) for bins, *_ in wanted)
                    self.assertEqual(ask(step, {"name": "hcount", **minute}), [counts], op)
                    self.assertEqual(ask({"name": "merge", **minute}, step, {"name": "hcount", **minute}), [counts], op)
                    remaining = {"name": "percent_remaining"}
                    self.assertEqual(ask(step, remaining), list(shares(range(100, 160), stays)))
                    all_of_them = sum(1 + number % 7 for number in range(100, 160))
                    self.assertEqual(ask({"name": "merge", **minute}, step, remaining), [counts / all_of_them])
        ask_all()
        server.settle()
        ask_all()
        server.restart()
        ask_all()

    def test_beside_others(self):
        server = self.new_server(CONFIG | {"raw.retention": "15s"}).start()
        start = int(time.time()) // 10 * 10 * 1000 - 10_000
        end = start + 9_999
        server.put([{"name": "m", "tags": {"host": "a"},
                     "datapoints": [[start + 1000, "text"], [start + 2000, histogram(3), "histogram"], [start + 3000, 5],
                                    [start + 6000, 7], [start + 7000, histogram(4), "histogram"]]}])
        ten = {"align_start_time": True}
        before = {a["name"]: self.ask(server, a, 10, start, end, "m", **ten) for a in ASKED[:7]}
        server.settle()
        self.assertEqual({a["name"]: self.ask(server, a, 10, start, end, "m", **ten) for a in ASKED[:7]}, before)
        percentile = self.ask(server, ASKED[8], 10, start, end, "m", **ten)
        self.assertEqual([kind for kind, _, _ in percentile[1]], ["number", "text", "histogram"])
        wait_until(lambda: self.gone(server, "m", start, end), 60, "the samples dropped")
        # The cluster counts samples as gone a little before their time is over; until then it looks for them.
        wait_until(lambda: time.time() * 1000 > end + 15_500, 30, "their time is over")
        after = {a["name"]: self.ask(server, a, 10, start, end, "m", **ten) for a in ASKED[:7]}
        for name, (_, results) in after.items():
            want = [r for r in before[name][1] if r[0] == "histogram" or (r[0] == "number" and name not in ("dev", "merge"))]
            if chosen():
                # The cluster stores samples a day longer, and reads them where windows are not made yet.
                self.assertTrue(all(r in before[name][1] for r in results), (name, results))
                results = [r for r in results if r in want]
            self.assertEqual(results, want, name)
