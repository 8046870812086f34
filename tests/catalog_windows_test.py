# SPDX-License-Identifier: Apache-2.0
"""The catalog's windows of time: do they count what a query of `count` counts, at once, after settling and after a restart,
of numbers and texts, late samples and deletes; in pages; of ten thousand series."""

import time
import urllib.parse

from support.case import OwnServerCase, ServerCase
from support import cluster
from support.client import wait_until
from support.cluster import above_engines

HOUR, DAY = 3_600_000, 86_400_000
NOW = int(time.time() * 1000)


def ask(server, what, tenant, **params):
    path = f"/t/{tenant}/api/v1/catalog/{what}?" + urllib.parse.urlencode(params, doseq=True)
    answer = server.get(path)
    if answer.status != 200:
        raise AssertionError(f"{path}: {answer}")
    return answer


def write(server, lines, tenant="default"):
    """A thousand lines at a time: a cluster that is just waking up is slow to learn of many new series."""
    for first in range(0, len(lines), 1000):
        some = "\n".join(lines[first:first + 1000])
        wait_until(lambda: server.post("/write?precision=ms", some, {"X-Tenant": tenant}).status == 204, 60, "the write")


def pages(server, what, tenant, **params):
    """All of a list, page by page."""
    found, after = [], {}
    while True:
        page = ask(server, what, tenant, **params, **after).json()
        found += page[what]
        if "next" not in page:
            return found
        after = {"after": page["next"]}


def counted(server, tenant, metric, width, tags=None, start=NOW - 60 * DAY, end=NOW + DAY):
    """{start of window: points} by KairosDB's count over windows that begin where the catalog's do."""
    start = start // width * width
    body = {"start_absolute": start, "end_absolute": end, "metrics": [{"name": metric, "tags": tags or {}, "aggregators": [
        {"name": "count", "sampling": {"value": width, "unit": "milliseconds"}, "align_start_time": True}]}]}
    answer = server.post("/api/v1/datapoints/query", body, {"X-Tenant": tenant}).json()
    found = {}
    for result in answer["queries"][0]["results"]:
        for at, points in result["values"]:
            found[at // width * width] = found.get(at // width * width, 0) + points
    return found


class CatalogWindows(ServerCase):
    # Many slots, and wide windows that are made of narrow ones.
    config = {"slots.width": "5m", "slots.quiet": "1s", "rollups": "5m:1y,1h:5y,1d:20y"}

    def same_as_count(self, tenant, metric, widths=("1h", "1d", "3w")):
        for width in widths:
            ms = int(width[:-1]) * {"h": HOUR, "d": DAY, "w": 7 * DAY}[width[-1]]
            windows = ask(self.server, "windows", tenant, metric=metric, width=width).json()["windows"]
            self.assertEqual({w["start"]: w["points"] for w in windows}, counted(self.server, tenant, metric, ms), width)
            self.assertTrue(all(w["end"] == w["start"] + ms and w["start"] % ms == 0 for w in windows))
            self.assertEqual([w["start"] for w in windows], sorted(w["start"] for w in windows))
            series = ask(self.server, "series", tenant, metric=metric, width=width).json()["series"]
            for window in windows:
                mine = [w for one in series for w in one["windows"] if w["start"] == window["start"]]
                self.assertEqual((len(mine), sum(w["points"] for w in mine), min(w["first_seen"] for w in mine)),
                                 (window["series"], window["points"], window["first_seen"]))

    def test_the_same_as_count(self):
        begin = (NOW - 40 * DAY) // DAY * DAY
        lines, first = [], {}
        for host, step in (("a", 37 * 60_000), ("b", 5 * HOUR + 1), ("c", 11 * DAY)):
            for i, t in enumerate(range(begin + 17_000, NOW - HOUR, step)):
                lines.append(f"w,host={host} v={i} {t}")
                first.setdefault((host, t // DAY * DAY), t)
        self.server.influx("\n".join(lines), headers={"X-Tenant": "w"})
        texts = [[begin + 9 * DAY + i * HOUR, f"up {i}"] for i in range(50)]
        self.server.put([{"name": "w_v", "tags": {"host": "b"}, "type": "string", "datapoints": texts},
                         {"name": "state", "tags": {"host": "a"}, "type": "string", "datapoints": texts}],
                        headers={"X-Tenant": "w"})
        for at, _ in texts:
            first[("b", at // DAY * DAY)] = min(at, first.get(("b", at // DAY * DAY), at))

        def look():
            self.same_as_count("w", "w_v")
            self.same_as_count("w", "state")
            series = pages(self.server, "series", "w", metric="w_v", width="1d", limit=1)
            self.assertEqual({(one["tags"]["host"], w["start"]): w["first_seen"] for one in series for w in one["windows"]},
                             first)
            of_b = ask(self.server, "windows", "w", metric="w_v", tag="host=b").json()["windows"]
            self.assertEqual({w["start"]: w["points"] for w in of_b},
                             counted(self.server, "w", "w_v", DAY, {"host": ["b"]}))
            some = ask(self.server, "windows", "w", metric="w_v", start=begin + 3 * DAY + 5, end=begin + 5 * DAY - 1).json()
            self.assertEqual([w["start"] for w in some["windows"]], [begin + 3 * DAY, begin + 4 * DAY])
            self.assertEqual(some["windows"], [w for w in pages(self.server, "windows", "w", metric="w_v", limit=7)
                                               if begin + 3 * DAY <= w["start"] < begin + 5 * DAY])
        look()
        self.server.settle()
        look()
        # Nothing of the sealed days is read as samples.
        read = ask(self.server, "windows", "w", metric="w_v", tag="host=a", end=NOW - 2 * DAY).headers["varve-read"]
        self.assertIn("series=1, ", read)
        self.assertNotIn("samples=", read)
        self.assertNotIn("chunks=", read)
        # What comes late, and a delete.
        late = begin + 2 * DAY + 1
        self.server.influx(f"w,host=a v=1 {late}", headers={"X-Tenant": "w"})
        first[("a", begin + 2 * DAY)] = late
        look()
        self.server.settle()
        look()
        body = {"start_absolute": begin + 2 * DAY, "end_absolute": begin + 3 * DAY - 1,
                "metrics": [{"name": "w_v", "tags": {"host": ["a"]}}]}
        self.assertEqual(self.server.post("/api/v1/datapoints/delete", body, {"X-Tenant": "w"}).status, 204)
        del first[("a", begin + 2 * DAY)]
        look()
        self.server.kill()
        self.server.start()
        look()

    def test_what_is_not_there(self):
        self.assertEqual(ask(self.server, "windows", "none", metric="none").json(), {"windows": []})
        self.assertEqual(ask(self.server, "series", "none", metric="none", width="1d").json(), {"series": []})
        self.server.influx(f"gap,host=a v=1 {NOW - 30 * DAY}\ngap,host=a v=1 {NOW}", headers={"X-Tenant": "gap"})
        between = {"start": NOW - 20 * DAY, "end": NOW - 10 * DAY}
        self.assertEqual(ask(self.server, "windows", "gap", metric="gap_v", **between).json(), {"windows": []})
        series = ask(self.server, "series", "gap", metric="gap_v", width="1d", **between).json()["series"]
        self.assertEqual([(one["points"], one["windows"]) for one in series], [(2, [])])
        self.assertEqual(ask(self.server, "windows", "other", metric="gap_v").json(), {"windows": []})

    def test_refused(self):
        for path in ("windows", "windows?metric=m&width=5m", "windows?metric=m&width=0h", "windows?metric=m&width=367d",
                     "windows?metric=m&after=x", "windows?metric=m&limit=-1", "windows?metric=m&tag=x",
                     "windows?metric=m&start=2&end=1", "series?metric=m&width=1", "series?width=1d"):
            answer = self.server.get("/api/v1/catalog/" + path)
            self.assertEqual(answer.status, 400, path)
            self.assertIn("errors", answer.json())
        self.assertIn(b"from 1h to 366d", self.server.get("/api/v1/catalog/windows?metric=m&width=5m").body)

    def test_many_series(self):
        begin = (NOW - 3 * DAY) // DAY * DAY
        n = 300 if cluster.chosen() else 10_000  # of which every one has partitions of its own in Cassandra
        for day in range(3):
            # Every host on the first day, every second on the second, every third on the third.
            lines = [f"many,host=h{h} v={h} {begin + day * DAY + h}\nmany,host=h{h} v=1 {begin + day * DAY + HOUR + h}"
                     for h in range(0, n, day + 1)]
            write(self.server, lines, "many")
        expected = [{"start": begin + day * DAY, "end": begin + (day + 1) * DAY, "series": len(range(0, n, day + 1)),
                     "points": 2 * len(range(0, n, day + 1)), "first_seen": begin + day * DAY} for day in range(3)]
        for _ in range(2):
            self.assertEqual(pages(self.server, "windows", "many", metric="many_v"), expected)
            self.assertEqual(pages(self.server, "windows", "many", metric="many_v", limit=1), expected)
            series = pages(self.server, "series", "many", metric="many_v", width="1d", limit=n * 2 // 5)
            self.assertEqual(len({one["tags"]["host"] for one in series}), n)
            self.assertTrue(all(one["points"] == sum(w["points"] for w in one["windows"]) for one in series))
            hours = pages(self.server, "series", "many", metric="many_v", width="1h", limit=100_000)
            self.assertEqual(sum(len(one["windows"]) for one in hours), sum(w["points"] for w in expected))
            self.server.settle()


class Limits(OwnServerCase):
    @above_engines
    def test_memory_has_an_end(self):
        server = self.new_server({"query.memory": "1MiB"}).start()
        write(server, [f"big,host=h{i} v=1 {NOW - i * 1000}" for i in range(40_000)])
        answer = server.get("/api/v1/catalog/windows?metric=big_v")
        self.assertEqual(answer.status, 422, answer)
        self.assertIn("query.memory", answer.json()["errors"][0])
        self.assertEqual(ask(server, "windows", "default", metric="big_v", tag="host=h1").json()["windows"][0]["points"], 1)

    def test_rollups_answer_where_samples_are_gone(self):
        server = self.new_server({"slots.width": "5s", "slots.quiet": "1s", "raw.retention": "10s",
                                  "rollups": "5s:1y,1h:20y"}).start()
        at = int(time.time() * 1000) - 7000
        server.influx(f"old,host=a v=1 {at}\nold,host=a v=1 {at + 1}\nold,host=b v=1 {at}")

        def left():
            server.settle()
            return server.values("old_v")

        wait_until(lambda: not left(), 60, "the samples to be dropped")
        windows = ask(server, "windows", "default", metric="old_v", width="1h").json()["windows"]
        self.assertEqual([(w["points"], w["series"], w["first_seen"]) for w in windows], [(3, 2, at)])
