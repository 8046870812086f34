# SPDX-License-Identifier: Apache-2.0
"""Ceres' API as its clients use it: put, query, metadata, errors, limits of tags, running queries."""

import threading
import time
import unittest
from urllib.parse import urlencode

from support.case import OwnServerCase, ServerCase
from support.client import wait_until
from support.cluster import above_engines

HOUR = 3_600_000


class CeresCase:
    def put_one(self, server, metric, tags, ms, value, headers=None):
        answer = server.post("/api/put", {"metric": metric, "tags": tags, "timestamp": ms, "value": value}, headers)
        self.assertEqual(answer.status, 204, answer)

    def ask(self, server, path, headers=None, **parameters):
        return server.get(path + ("?" + urlencode(parameters, doseq=True) if parameters else ""), headers)


class Ceres(CeresCase, ServerCase):
    config = {"rollups": "5m:14d,1h:365d,2h:500d", "raw.retention": "20000d"}

    def get(self, path, headers=None, **parameters):
        answer = self.ask(self.server, path, headers, **parameters)
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def test_query_shape(self):
        base = 1_599_998_400_000  # 2020-09-13T12:00:00Z
        tenant = {"X-Tenant": "t-shape"}
        for minute, value in ((1, 1.5), (2, 2.5), (3, 2), (16, 1.25)):
            self.put_one(self.server, "cpu_idle", {"os": "linux", "host": "h-1"}, base + minute * 60_000, value, tenant)
        self.put_one(self.server, "cpu_idle", {"os": "linux", "host": "h-2"}, base + 250, 7, tenant)
        found = self.get("/api/query", tenant, metricName="cpu_idle", tag=["os=linux", "host=h-1"],
                         aggregator="sum", granularity="PT5M", start="2020-09-13T11:00:00Z", end="1600002000")
        self.assertEqual(found, [{
            "data": {"tenant": "t-shape", "metricName": "cpu_idle", "tags": {"host": "h-1", "os": "linux"},
                     "values": {"2020-09-13T12:00:00Z": 6, "2020-09-13T12:15:00Z": 1.25}},
            "metadata": {"aggregator": "sum", "startTime": "2020-09-13T11:00:00Z", "endTime": "2020-09-13T13:00:00Z",
                         "granularity": "PT5M"}}])
        raw = self.get("/api/query", tenant, metricName="cpu_idle", tag="host=h-2", start=base // 1000)
        self.assertEqual(raw[0]["data"]["values"], {"2020-09-13T12:00:00.250Z": 7})
        self.assertNotIn("granularity", raw[0]["metadata"])
        self.assertEqual(len(self.get("/api/query", tenant, metricName="cpu_idle", start=0)), 2, "no tags: every series")
        self.assertEqual(self.get("/api/query", tenant, metricName="cpu_idle", tag="os=bsd", start=0), [])

    def test_the_same_answer_after_settling(self):
        self.check_settling("t-recent", (int(time.time()) // 3600 - 30) * HOUR)
        # Its rollups have expired, its samples are kept.
        self.check_settling("t-long-ago", 1_599_998_400_000)

    def check_settling(self, name, base):
        tenant = {"X-Tenant": name}
        points = [{"metric": "m", "tags": {"h": f"h-{i % 3}"}, "timestamp": base + i * 1000, "value": i % 17} for i in range(9000)]
        self.assertEqual(self.server.post("/api/put", points, tenant).status, 204)
        asked = [dict(metricName="m", start=base, end=base + 3 * HOUR, aggregator=a, granularity=g)
                 for a in ("min", "max", "sum", "avg", "count") for g in ("5m", "PT1H", "7m")]
        before = [self.get("/api/query", tenant, **q) for q in asked]
        self.server.settle()
        self.assertEqual([self.get("/api/query", tenant, **q) for q in asked], before)
        self.assertEqual(sum(before[12][0]["data"]["values"].values()), 3000)

    def test_relative_times_and_automatic_granularity(self):
        now = int(time.time() * 1000)
        tenant = {"X-Tenant": "t-auto"}
        for days in (0, 10, 300, 450):
            self.put_one(self.server, "m", {"h": "a"}, now - days * 24 * HOUR - 20 * 60_000, 1, tenant)

        def granularity(**times):
            return self.get("/api/query", tenant, metricName="m", aggregator="max", **times)[0]["metadata"]["granularity"]
        # raw is kept for ever here, so the finest will do
        self.assertEqual(granularity(start="1h-ago"), "PT5M")
        self.assertEqual(granularity(start="2y-ago"), "PT5M")
        for start in ("90m-ago", "5400s-ago", "5400000ms-ago", "2h-ago", "1d-ago", "1w-ago", "1n-ago", "1y-ago"):
            self.assertGreaterEqual(len(self.get("/api/query", tenant, metricName="m", start=start)[0]["data"]["values"]), 1, start)

    def test_groups_and_devices(self):
        tenant = {"X-Tenant": "t-groups"}
        for metric, group, device in (("cpu_idle", "CPU", "h-1"), ("cpu_user", "CPU", "h-2"), ("disk_free", "Disk", "h-1")):
            self.put_one(self.server, metric, {"metricGroup": group, "resource": device}, 1_600_000_000_000, 1, tenant)
        self.assertEqual(self.get("/api/metadata/metricGroups", tenant), ["CPU", "Disk"])
        self.assertEqual(self.get("/api/metadata/devices", tenant), ["h-1", "h-2"])
        self.assertEqual(self.get("/api/metadata/metricNames", tenant), ["cpu_idle", "cpu_user", "disk_free"])
        self.assertEqual(self.get("/api/metadata/metricNames", tenant, device="h-1"), ["cpu_idle", "disk_free"])
        self.assertEqual(self.get("/api/metadata/tagKeys", tenant, metricName="cpu_idle"), ["metricGroup", "resource"])
        self.assertEqual(self.get("/api/metadata/tagValues", tenant, metricName="cpu_user", tagKey="resource"), ["h-2"])
        self.assertEqual(self.get("/api/metadata/tags", tenant, metricGroup="CPU"), {
            "tenantId": "t-groups", "metricGroup": "CPU", "tags": {"metricGroup": "CPU", "resource": "h-2"},
            "tagValues": {"metricGroup": ["CPU"], "resource": ["h-1", "h-2"]}})
        found = self.get("/api/query", tenant, metricGroup="CPU", start=0)
        self.assertEqual([f["data"]["metricName"] for f in found], ["cpu_idle", "cpu_user"])
        answer = self.server.post("/api/metadata/search", {
            "filter": [{"filterKey": "tags.metricGroup", "filterValue": "CP*"}], "includeFields": ["metricName"]}, tenant)
        self.assertEqual(answer.json(), [{"metricName": "cpu_idle"}, {"metricName": "cpu_user"}])
        self.assertEqual(answer.header("X-Total-Count"), "2")

    def test_tenant_tag_is_no_part_of_the_identity(self):
        self.put_one(self.server, "tagged", {"h": "a", "tenant": "t-tag"}, 1_600_000_000_000, 1)
        self.put_one(self.server, "tagged", {"h": "a", "tenant": "other"}, 1_600_000_001_000, 2, {"X-Tenant": "t-tag"})
        found = self.get("/api/query", {"X-Tenant": "t-tag"}, metricName="tagged", start=0)
        self.assertEqual([f["data"]["tags"] for f in found], [{"h": "a"}])
        self.assertEqual(list(found[0]["data"]["values"].values()), [1, 2])

    def test_put_with_instants(self):
        point = {"metric": "m", "tags": {"h": "a"}, "value": 1}
        answer = self.server.post("/api/put?details", [point | {"timestamp": t} for t in (
            "2020-09-12T18:42:23.658447900Z", "2020-09-12T19:42:24+01:00", "13:03:15.454+0530Z")], {"X-Tenant": "t-instants"})
        self.assertEqual((answer.status, answer.json()["success"], answer.json()["failed"]), (400, 2, 1))
        self.assertEqual(answer.json()["errors"], [{"datapoint": point | {"timestamp": "13:03:15.454+0530Z"}, "error": "Invalid timestamp"}])
        found = self.get("/api/query", {"X-Tenant": "t-instants"}, metricName="m", start=0)
        self.assertEqual(found[0]["data"]["values"], {"2020-09-12T18:42:23.658Z": 1, "2020-09-12T18:42:24Z": 1})

    def test_errors(self):
        cases = [("/api/query", dict(metricName="m")), ("/api/query", dict(metricName="m", metricGroup="g", start=0)),
                 ("/api/query", dict(metricName="m", start="1ss-ago")), ("/api/query", dict(metricName="m", start=0, aggregator="SUM")),
                 ("/api/query", dict(metricName="m", start=0, tag="os")), ("/api/query", dict(metricName="m", start=0, tags="os=x")),
                 ("/api/query", dict(metricName="m", start=0, aggregator="sum", granularity="P1M")),
                 ("/api/query", dict(metricName="m", start=0, maskTenantId="other")),
                 ("/api/metadata/tags", {}), ("/api/metadata/tagKeys", {}), ("/api/metadata/tenants", dict(tenant="other"))]
        for path, parameters in cases:
            with self.subTest(f"{path} {parameters}"):
                answer = self.ask(self.server, path, **parameters)
                self.assertEqual(answer.status, 400, answer)
                body = answer.json()
                self.assertEqual(set(body), {"timestamp", "path", "status", "error", "message", "requestId"})
                self.assertEqual((body["path"], body["status"], body["error"]), (path, 400, "Bad Request"))
                self.assertRegex(body["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$")
                self.assertNotIn("xception", answer.body.decode())
        self.assertEqual(self.server.post("/api/metadata/search", "{").status, 400)
        wrong = self.server.post("/api/metadata/tenants", "{}")
        self.assertEqual((wrong.status, wrong.json()["status"]), (405, 405))

    def test_nothing_of_another_tenant(self):
        mine = {"X-Tenant": "t-mine"}
        self.put_one(self.server, "secret_name", {"metricGroup": "secret_group", "resource": "secret_device",
                                                  "secret_key": "secret_value"}, 1_600_000_000_000, 424242, mine)
        asked = [("GET", "/api/query?metricName=secret_name&start=0", None), ("GET", "/api/query?metricGroup=secret_group&start=0", None),
                 ("GET", "/api/metadata/tenants", None), ("GET", "/api/metadata/metricNames", None),
                 ("GET", "/api/metadata/metricNames?device=secret_device", None),
                 ("GET", "/api/metadata/metricGroups", None), ("GET", "/api/metadata/devices", None),
                 ("GET", "/api/metadata/tagKeys?metricName=secret_name", None),
                 ("GET", "/api/metadata/tagValues?metricName=secret_name&tagKey=secret_key", None),
                 ("POST", "/api/metadata/search", "{}")]
        self.put_one(self.server, "open", {"h": "a"}, 1_600_000_000_000, 1, {"X-Tenant": "t-yours"})
        for method, path, body in asked:
            with self.subTest(path):
                self.assertNotEqual(self.server.request(method, path, body, mine).json(), [])
                for headers, prefix in (({"X-Tenant": "t-yours"}, ""), ({}, "/t/t-yours"), ({}, ""), (mine, "/t/t-yours")):
                    other = self.server.request(method, prefix + path, body, headers)
                    self.assertEqual(other.status, 200, other)
                    for word in (b"secret", b"424242", b"t-mine"):
                        self.assertNotIn(word, other.body)
        self.assertEqual(self.get("/api/metadata/tags", {"X-Tenant": "t-yours"}, metricName="secret_name")["tags"], {})

    def test_running_queries(self):
        self.assertEqual(self.server.get("/api/v1/admin/runningqueries").json(), {"queries": [], "queries waiting": 0})
        self.assertEqual(self.server.get("/api/v1/admin/killquery/abc").status, 204)
        gone = self.server.request("DELETE", "/api/v1/admin/killquery/abc")
        self.assertEqual(gone.status, 404)
        self.assertRegex(gone.json()["errors"][0], "abc")

    @above_engines
    def test_a_running_query_is_seen_and_killed(self):
        base = (int(time.time()) // 3600 - 2) * HOUR
        for part in range(3):
            self.server.influx("".join(f"long,h=h{i % 100} value={i} {base + part * 100_000 + i}\n" for i in range(100_000)))
        answers = []

        def ask():
            sampling = {"name": "sum", "sampling": {"value": 1, "unit": "milliseconds"}}
            asked = {"start_absolute": base, "metrics": [{"name": "long", "aggregators": [sampling] * 5}]}
            while not answers:
                answer = self.server.post("/api/v1/datapoints/query", asked)
                if answer.status != 200:
                    answers.append(answer)

        def kill():
            for query in self.server.get("/api/v1/admin/runningqueries").json()["queries"]:
                self.assertEqual((query["api"], query["metric name"], query["query JSON"]["start_absolute"]), ("kairosdb", "long", base))
                path = "/api/v1/admin/killquery/" + query["query hash"]
                self.assertEqual(self.server.request("DELETE", "/t/other" + path).status, 404, "of another tenant")
                self.server.request("DELETE", path)
            self.assertEqual(self.server.get("/t/other/api/v1/admin/runningqueries").json()["queries"], [])
            return answers
        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        wait_until(kill, 30, "a killed query")
        thread.join()
        self.assertEqual(answers[0].status, 422, answers[0])
        self.assertEqual(answers[0].json(), {"errors": ["the query was killed by an operator"]})

    def test_metrics(self):
        before = self.server.metric("varve_queries_total", api="ceres")
        self.get("/api/query", metricName="m", start="1h-ago")
        self.assertEqual(self.server.metric("varve_queries_total", api="ceres"), before + 1)


LONG = "this-is-tag-with-invalid-length"


@above_engines
class TagLimits(CeresCase, OwnServerCase):
    def tags_of(self, config):
        """The tags of a series put by each protocol, as sets that have to be the same."""
        server = self.new_server(config).start()
        t0 = 1_600_000_000_000
        self.put_one(server, "m_http", {"host": LONG, "os": "linux", "pid": "7"}, t0, 1)
        server.influx(f"m_influx,host={LONG},os=linux,pid=7 value=1 {t0}\n")
        server.put([{"name": "m_kairos", "tags": {"host": LONG, "os": "linux", "pid": "7"}, "timestamp": t0, "value": 1}])
        with server.telnet() as t:
            t.send(f"putm m_telnet {t0} 1 host={LONG} os=linux pid=7\n")
            self.assertEqual(t.finish(), "")
        answer = server.post("/api/metadata/search", {"includeFields": ["tags"]})
        names = server.get("/api/metadata/metricNames").json()
        self.assertEqual([n.split("_")[1] for n in names], ["http", "influx", "kairos", "telnet"])
        return answer.json()

    def test_exclude(self):
        self.assertEqual(self.tags_of({"tags.limit_action": "exclude", "tags.value_max": "10"}),
                         [{"tags": {"os": "linux", "pid": "7"}}])

    def test_truncate_and_excluded_keys(self):
        self.assertEqual(self.tags_of({"tags.limit_action": "truncate", "tags.value_max": "10", "tags.excluded_keys": "pid"}),
                         [{"tags": {"host": "this-is-ta", "os": "linux"}}])

    def test_reject(self):
        server = self.new_server({"tags.value_max": "10"}).start()
        answer = server.post("/api/put?details", {"metric": "m", "tags": {"host": LONG}, "timestamp": 1_600_000_000, "value": 1})
        self.assertEqual(answer.status, 400)
        self.assertRegex(answer.json()["errors"][0]["error"], "'host' has 31 bytes; at most 10")
        # The tenant's tag is not one of the series' tags.
        self.put_one(server, "m", {"h": "a", "tenant": "a-long-tenant-name"}, 1_600_000_000, 1)


if __name__ == "__main__":
    unittest.main()
