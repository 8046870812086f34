# SPDX-License-Identifier: Apache-2.0
"""OpenTSDB's questions to a whole server: what is put comes back, before it is settled, after it and after a restart;
and Grafana's data source finds what it asks for."""

import unittest
import urllib.parse

from support.case import ServerCase

START = 1_790_000_040  # a whole minute
HOSTS = {"web01": "lga", "web02": "lga", "db01": "ams"}


def value(host, i):
    return (i * 7 + len(host) * 13) % 101 if host != "db01" else i / 4


def expected_sum(width, filters, points):
    """Average in windows, then a sum over hosts, which all have a sample in each window."""
    windows = {}
    for host in filters:
        for i in range(points):
            at = (START + 10 * i) // width * width
            windows.setdefault(at, {}).setdefault(host, []).append(value(host, i))
    return {str(at): sum(sum(v) / len(v) for v in hosts.values()) for at, hosts in sorted(windows.items())}


class OpenTsdbQuery(ServerCase):
    points = 360

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        batch = [{"metric": "cpu.load", "timestamp": START + 10 * i, "value": value(host, i),
                  "tags": {"host": host, "dc": dc}} for host, dc in HOSTS.items() for i in range(cls.points)]
        batch += [{"metric": "if.octets", "timestamp": START + 60 * i, "value": v,
                   "tags": {"host": "web01", "if": "eth0"}} for i, v in enumerate([100, 700, 65000, 64])]
        assert cls.server.post("/api/put", batch).status == 204

    def get(self, path, **parameters):
        answer = self.server.get(path + "?" + urllib.parse.urlencode(parameters, doseq=True))
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def query(self, *queries, **more):
        answer = self.server.post("/api/query", {"start": START, "end": START + 3600, "queries": list(queries), **more})
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def close(self, got, wanted):
        self.assertEqual(list(got), list(wanted))
        for key, number in wanted.items():
            self.assertAlmostEqual(got[key], number, places=9)

    def ask_all(self):
        with self.subTest("raw"):
            result, = self.get("/api/query", start=START, end=START + 3600, m="sum:cpu.load{host=web01}")
            self.assertEqual(result["tags"], {"host": "web01", "dc": "lga"})
            self.assertEqual(result["aggregateTags"], [])
            self.assertEqual(result["dps"], {str(START + 10 * i): value("web01", i) for i in range(self.points)})
        with self.subTest("downsampled, and grouped"):
            result, = self.query({"metric": "cpu.load", "aggregator": "sum", "downsample": "1m-avg"})
            self.assertEqual((result["tags"], result["aggregateTags"]), ({}, ["dc", "host"]))
            self.close(result["dps"], expected_sum(60, HOSTS, self.points))
            ams, lga = self.query({"metric": "cpu.load", "aggregator": "sum", "downsample": "5m-avg",
                                   "filters": [{"type": "wildcard", "tagk": "dc", "filter": "*", "groupBy": True}]})
            self.assertEqual((ams["tags"], ams["aggregateTags"]), ({"dc": "ams", "host": "db01"}, []))
            self.assertEqual((lga["tags"], lga["aggregateTags"]), ({"dc": "lga"}, ["host"]))
            self.close(ams["dps"], expected_sum(300, ["db01"], self.points))
            self.close(lga["dps"], expected_sum(300, ["web01", "web02"], self.points))
        with self.subTest("rate"):
            result, = self.query({"metric": "if.octets", "aggregator": "sum", "rate": True,
                                  "rateOptions": {"counter": True, "counterMax": 65536}})
            self.assertEqual(result["dps"], {str(START + 60): 10, str(START + 120): 64300 / 60, str(START + 180): 10})
        with self.subTest("newest"):
            result, = self.get("/api/query/last", timeseries="cpu.load{host=db01}", resolve="true")
            self.assertEqual((result["metric"], result["timestamp"], result["value"], result["tags"]),
                             ("cpu.load", (START + 3590) * 1000, "89.75", {"host": "db01", "dc": "ams"}))

    def test_1_at_once(self):
        self.ask_all()

    def test_2_settled(self):
        self.server.settle()
        self.ask_all()

    def test_3_restarted(self):
        self.server.restart()
        self.ask_all()

    def test_4_grafana(self):
        self.assertEqual(self.server.get("/api/suggest?q=cpu&type=metrics").json(), ["cpu.load"])
        self.assertIn("zimsum", self.get("/api/aggregators"))
        self.assertIn("literal_or", self.get("/api/config/filters"))
        self.assertEqual(self.get("/api/suggest", type="tagk", q="", max=1000), ["dc", "host", "if"])
        self.assertEqual(self.get("/api/suggest", type="tagv", q="web", max=1000), ["web01", "web02"])
        found = self.get("/api/search/lookup", m="cpu.load{dc=lga,host=*}", limit=1000)
        self.assertEqual(sorted(r["tags"]["host"] for r in found["results"]), ["web01", "web02"])
        self.assertEqual(found["totalResults"], 2)
        answer = self.server.post("/api/query?arrays=true", {
            "start": START, "end": START + 600,
            "queries": [{"metric": "cpu.load", "aggregator": "avg", "downsample": "1m-avg-null", "explicitTags": False,
                         "rate": False, "tags": {}, "filters": [
                             {"type": "literal_or", "tagk": "host", "filter": "web01|web02", "groupBy": True}]}]})
        results = answer.json()
        self.assertEqual([r["tags"]["host"] for r in results], ["web01", "web02"])
        self.assertEqual([t for t, _ in results[0]["dps"]], list(range(START, START + 601, 60)))
        self.assertTrue(all(isinstance(v, (int, float)) for r in results for _, v in r["dps"]))

    def test_5_both_families_share_the_path(self):
        answer = self.server.get(f"/api/query?metricName=cpu.load&tag=host%3Dweb01&start={START}&end={START + 20}")
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.json()[0]["data"]["metricName"], "cpu.load")

    def test_6_tenants_do_not_see_one_another(self):
        for path in ("/api/query?start=0&m=sum:cpu.load", "/api/query/last?timeseries=cpu.load",
                     "/api/suggest?type=metrics", "/api/suggest?type=tagv"):
            self.assertEqual(self.server.get("/t/another" + path).json(), [], path)
        self.assertEqual(self.server.get("/t/another/api/search/lookup?m=cpu.load").json()["results"], [])

    def test_7_errors_have_their_shape(self):
        for path in ("/api/query", "/api/query?start=1h-ago&m=odd:cpu.load", "/api/query?start=never&m=sum:cpu.load",
                     "/api/suggest", "/api/search/lookup", "/api/query/last"):
            answer = self.server.get(path)
            self.assertEqual(answer.status, 400, path)
            self.assertEqual(answer.json()["error"]["code"], 400, path)
            self.assertTrue(answer.json()["error"]["message"], path)
        self.assertEqual(self.server.post("/api/query", "{").status, 400)
        self.assertIn('varve_queries_total{api="opentsdb"}', self.server.get("/metrics").body.decode())


if __name__ == "__main__":
    unittest.main()
