# SPDX-License-Identifier: Apache-2.0
"""The catalog: what is known of metrics, tags and series without reading samples; and that series of which nothing is
left are not in it any more, nor anywhere else, until they are written again."""

import time
import unittest
import urllib.parse

from support.case import OwnServerCase, ServerCase
from support import cluster
from support.client import wait_until


def catalog(server, what, tenant="default", **params):
    path = f"/t/{tenant}/api/v1/catalog/{what}"
    if params:
        path += "?" + urllib.parse.urlencode(params, doseq=True)
    answer = server.get(path)
    if answer.status != 200:
        raise AssertionError(f"{path}: {answer}")
    return answer.json()


def now_ms():
    return int(time.time() * 1000)


class Catalog(ServerCase):
    def test_tags_that_very_many_series_have(self):
        """Such tags are not looked at series by series; the others of the page are."""
        t = now_ms() - 3_600_000
        dcs = {f"h{i:04}": "x" if i % 5 else "y" for i in range(2500)}
        times = {host: (t + i * 7919 % 100_000, t + 200_000 + i * 104_729 % 100_000) for i, host in enumerate(dcs)}

        def write(at):
            self.server.influx("\n".join(f"cpu,dc={dc},host={host} user=1 {times[host][at]}" for host, dc in dcs.items()),
                               headers={"X-Tenant": "many"})

        def tag(key, value, hosts, until):
            return {"key": key, "value": value, "series": len(hosts), "first_seen": min(times[h][0] for h in hosts),
                    "last_seen": max(times[h][until] for h in hosts)}

        def look(until):
            expected = [tag("dc", "x", [h for h in dcs if dcs[h] == "x"], until),
                        tag("dc", "y", [h for h in dcs if dcs[h] == "y"], until),
                        tag("host", "h0000", ["h0000"], until), tag("host", "h0001", ["h0001"], until)]
            page = catalog(self.server, "tags", "many", metric="cpu_user", limit=4)
            self.assertEqual((page["tags"], page["next"]), (expected, "4:hosth0001"))
            page = catalog(self.server, "tags", "many", metric="cpu_user", limit=2, after="2:dcx")
            self.assertEqual((page["tags"], page["next"]), (expected[1:3], "4:hosth0000"))

        write(0)
        look(0)
        write(1)
        look(1)
        self.server.settle()
        look(1)

    def test_metrics_tags_and_series(self):
        t = now_ms() - 600_000
        self.server.influx(f"cpu,host=a user=1.5,in_bytes=7i {t}\ncpu,host=b user=2i {t + 1000}",
                           headers={"X-Tenant": "c1"})
        self.server.put([{"name": "state", "tags": {"host": "a"}, "type": "string", "datapoints": [[t, "up"]]}],
                        headers={"X-Tenant": "c1"})

        def look():
            metrics = catalog(self.server, "metrics", "c1")["metrics"]
            self.assertEqual([m["name"] for m in metrics], ["cpu_in_bytes", "cpu_user", "state"])
            self.assertEqual(metrics[1], {
                "name": "cpu_user", "kind": "gauge", "aggregators": ["min", "max", "avg", "sum", "count"],
                "series": 2, "types": ["long", "double"], "first_seen": t, "last_seen": t + 1000, "points": 2})
            self.assertEqual((metrics[2]["kind"], metrics[2]["aggregators"]), ("text", ["count", "last"]))
            self.assertEqual(catalog(self.server, "tags", "c1", metric="cpu_user")["tags"],
                             [{"key": "host", "value": "a", "series": 1, "first_seen": t, "last_seen": t},
                              {"key": "host", "value": "b", "series": 1, "first_seen": t + 1000, "last_seen": t + 1000}])
            self.assertEqual(catalog(self.server, "tags", "c1")["tags"],
                             [{"key": "host", "value": "a", "series": 3}, {"key": "host", "value": "b", "series": 1}])
            series = catalog(self.server, "series", "c1", metric="cpu_user", tag="host=b")["series"]
            self.assertEqual(series, [{"tags": {"host": "b"}, "types": ["long"], "first_seen": t + 1000,
                                       "last_seen": t + 1000, "points": 1}])
        look()
        self.server.settle()
        look()
        self.server.kill()
        self.server.start()
        look()
        self.assertEqual(catalog(self.server, "metrics", "c2"), {"metrics": []})

    def test_a_time_range(self):
        """What was seen in a range: before and after sealing and a restart, from the catalog, KairosDB's names and query/tags."""
        t = now_ms() - 3 * 86_400_000
        headers = {"X-Tenant": "seen"}
        day = 86_400_000
        self.server.influx(f"cpu,host=a,rack=r1 user=1 {t}\ncpu,host=b user=1 {t + day}\nmem,host=b free=1i {t + day}\n"
                           f"disk,host=c used=1 {t}\ndisk,host=c used=2 {t + 2 * day}", headers=headers)

        def names(what, **params):
            return self.server.get(f"/api/v1/{what}?" + urllib.parse.urlencode(params), headers).json()

        def tags(metric, start, end, exact):
            body = {"start_absolute": start, "end_absolute": end, "metrics": [{"name": metric}]}
            answer = self.server.post(f"/api/v1/datapoints/query/tags?exact={exact}", body, headers)
            self.assertNotIn("samples", answer.headers.get("varve-read", ""))
            return answer.json()["queries"][0]["results"][0]["tags"]

        def look():
            first, second = {"start": t, "end": t}, {"start": t + day, "end": t + day}
            self.assertEqual(names("metricnames"), {"results": ["cpu_user", "disk_used", "mem_free"]})
            self.assertEqual(names("metricnames", **first), {"results": ["cpu_user", "disk_used"]})
            self.assertEqual(names("metricnames", **second), {"results": ["cpu_user", "disk_used", "mem_free"]})
            self.assertEqual(names("metricnames", start=t + 1, end=t + day - 1), {"results": ["disk_used"]})
            self.assertEqual(names("metricnames", start=t + day, limit=1, prefix="cp"), {"results": ["cpu_user"]})
            self.assertEqual(names("metricnames", start=t + 2 * day + 1), {"results": []})
            self.assertEqual(names("tagnames", metric="cpu_user", **second), {"results": ["host"]})
            self.assertEqual(names("tagnames", **first), {"results": ["host", "rack"]})
            self.assertEqual(names("tagvalues", tag="host", **first), {"results": ["a", "c"]})
            self.assertEqual(names("tagvalues", tag="host", prefix="b", limit=1), {"results": ["b"]})
            self.assertEqual(names("tagvalues", limit=2), {"results": ["a", "b"], "next": "b"})
            self.assertEqual(names("tagvalues", limit=2, after="b"), {"results": ["c", "r1"]})
            metrics = catalog(self.server, "metrics", "seen", **second)["metrics"]
            self.assertEqual([(m["name"], m["series"], m["points"]) for m in metrics],
                             [("cpu_user", 1, 1), ("disk_used", 1, 2), ("mem_free", 1, 1)])
            self.assertEqual(catalog(self.server, "tags", "seen", metric="cpu_user", **second)["tags"],
                             [{"key": "host", "value": "b", "series": 1, "first_seen": t + day, "last_seen": t + day}])
            series = catalog(self.server, "series", "seen", metric="cpu_user", **first)["series"]
            self.assertEqual([s["tags"] for s in series], [{"host": "a", "rack": "r1"}])
            self.assertEqual(tags("cpu_user", t + day, t + day, "true"), {"host": ["b"]})
            self.assertEqual(tags("cpu_user", t + day, t + 2 * day, "true"), {"host": ["b"]})
            self.assertEqual(tags("cpu_user", t - 7 * day, t - 1, "true"), {})
            self.assertEqual(tags("cpu_user", t - 30 * day, now_ms() - day, "false"), {"host": ["a", "b"], "rack": ["r1"]})
        look()
        self.server.settle()
        look()
        self.server.kill()
        self.server.start()
        look()

    def test_pages(self):
        t = now_ms()
        self.server.influx("\n".join(f"p{i:02},h=a v=1 {t}\np00,h=x{i:02} v=1 {t}" for i in range(12)),
                           headers={"X-Tenant": "pages"})
        names, after = [], {}
        while True:
            page = catalog(self.server, "metrics", "pages", limit=5, **after)
            names += [m["name"] for m in page["metrics"]]
            if "next" not in page:
                break
            after = {"after": page["next"]}
        self.assertEqual(names, [f"p{i:02}_v" for i in range(12)])
        hosts, after = [], {}
        while True:
            page = catalog(self.server, "series", "pages", metric="p00_v", limit=5, **after)
            hosts += [s["tags"]["h"] for s in page["series"]]
            if "next" not in page:
                break
            after = {"after": page["next"]}
        self.assertEqual(sorted(hosts), ["a"] + [f"x{i:02}" for i in range(12)])
        tags, after = [], {}
        while True:
            page = catalog(self.server, "tags", "pages", limit=5, **after)
            tags += [(tag["key"], tag["value"]) for tag in page["tags"]]
            if "next" not in page:
                break
            after = {"after": page["next"]}
        self.assertEqual(tags, [("h", "a")] + [("h", f"x{i:02}") for i in range(12)])

    def test_refused(self):
        for path in ("series", "series?metric=m&limit=x", "metrics?limit=-1", "series?metric=m&tag=x",
                     "metrics?start=x", "tags?after=x", "series?metric=m&start=2&end=1"):
            answer = self.server.get("/api/v1/catalog/" + path)
            self.assertEqual(answer.status, 400, path)
            self.assertIn("errors", answer.json())


class Forget(OwnServerCase):
    config = {"slots.width": "5s", "slots.quiet": "1s", "raw.retention": "5s", "rollups": "",
              "limits.series_per_tenant": "3"}

    def names(self, server):
        return server.metric_names(headers={"X-Tenant": "f"})

    def gone(self, server):
        server.settle()
        return self.names(server) == []

    @unittest.skipIf(cluster.chosen(), "the cluster's index forgets by periods of seven days")
    def test_after_retention_until_written_again(self):
        server = self.new_server(self.config).start()
        line = "old,host=a user=1,idle=2,nice=3"
        headers = {"X-Tenant": "f"}
        server.influx(f"{line} {now_ms()}", headers=headers)
        self.assertEqual(len(self.names(server)), 3)
        wait_until(lambda: self.gone(server), 60, "nothing left of the series")
        self.assertEqual(catalog(server, "tags", "f"), {"tags": []})
        self.assertEqual(catalog(server, "metrics", "f"), {"metrics": []})
        server.kill()
        server.start()
        self.assertTrue(self.gone(server))
        # There is room under the limit again, and what is known comes back as soon as it is acknowledged.
        server.influx(f"new,host=a user=1 {now_ms()}", headers=headers)
        server.influx(f"old,host=a user=1 {now_ms()}", headers=headers)
        self.assertEqual(self.names(server), ["new_user", "old_user"])
        server.kill()
        server.start()
        self.assertEqual(self.names(server), ["new_user", "old_user"])
