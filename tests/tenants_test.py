# SPDX-License-Identifier: Apache-2.0
"""Nothing of one tenant is ever visible to another, whichever way the tenant is named."""

import json
import pathlib
import re
import unittest

from support import cluster, otlp, wire
from support.case import T0, OwnServerCase, ServerCase
from support.cluster import above_engines

QUERY = {"start_absolute": 0, "metrics": [{"name": "shared"}]}


class Tenants(ServerCase):
    def put(self, value, headers=None, prefix="", tags=None):
        self.server.put([{"name": "shared", "timestamp": T0, "value": value, "tags": tags or {"h": "a"}}], headers, prefix)

    def seen(self, headers=None, prefix=""):
        return [v for _, v in self.server.values("shared", headers=headers, prefix=prefix)]

    def test_path_header_and_default(self):
        self.put(1)
        self.put(2, prefix="/t/acme")
        self.put(3, headers={"X-Tenant": "beta"})
        self.put(4, headers={"X-Scope-OrgID": "gamma"})
        self.assertEqual(self.seen(), [1])
        self.assertEqual(self.seen(headers={"X-Tenant": "default"}), [1])
        self.assertEqual(self.seen(headers={"X-Tenant": "acme"}), [2])
        self.assertEqual(self.seen(prefix="/t/beta"), [3])
        self.assertEqual(self.seen(headers={"X-Tenant": "gamma"}), [4])
        self.assertEqual(self.seen(headers={"X-Tenant": "nobody"}), [])

    def test_the_path_beats_the_header(self):
        self.put(7, headers={"X-Tenant": "loses"}, prefix="/t/wins")
        self.assertEqual(self.seen(prefix="/t/wins"), [7])
        self.assertEqual(self.seen(prefix="/t/loses"), [])

    def test_every_endpoint_that_lists(self):
        self.server.put([{"name": "secret.metric", "timestamp": T0, "value": 1, "tags": {"secretkey": "secretvalue"}}],
                        prefix="/t/owner")
        asked = [("GET", "/api/v1/metricnames", None), ("GET", "/api/v1/metricnames?prefix=secret", None),
                 ("POST", "/api/v1/datapoints/query/tags", {"start_absolute": 0, "metrics": [{"name": "secret.metric"}]}),
                 ("POST", "/api/v1/datapoints/query", {"start_absolute": 0, "metrics": [{"name": "secret.metric"}]})]
        for method, path, body in asked:
            with self.subTest(path):
                own = self.server.request(method, "/t/owner" + path, body)
                self.assertIn(b"secret", own.body)
                for prefix in ("", "/t/other"):
                    other = self.server.request(method, prefix + path, body)
                    self.assertEqual(other.status, 200)
                    self.assertNotIn(b"secretkey", other.body)
                    self.assertNotIn(b"secretvalue", other.body)
                    if "metricnames" in path:
                        self.assertNotIn(b"secret", other.body)

    def test_tenant_tag_of_opentsdb_and_telnet(self):
        point = {"metric": "shared", "timestamp": T0, "value": 5, "tags": {"h": "a", "tenant": "tagged"}}
        self.assertEqual(self.server.post("/api/put", point).status, 204)
        with self.server.telnet() as t:
            t.send(f"putm shared {T0} 6 h=a tenant=telnetted\n")
            t.finish()
        self.assertEqual(self.seen(prefix="/t/tagged"), [5])
        self.assertEqual(self.seen(prefix="/t/telnetted"), [6])
        result = self.server.query([{"name": "shared"}], prefix="/t/tagged")[0]["results"][0]
        self.assertEqual(result["tags"], {"h": ["a"]}, "the tag is taken off")

    def test_two_tenants_in_one_put(self):
        points = [{"metric": "two", "timestamp": T0, "value": i, "tags": {"h": "a", "tenant": f"two{i}"}} for i in (1, 2)]
        self.assertEqual(self.server.post("/api/put", points).status, 204)
        self.assertEqual([v for _, v in self.server.values("two", prefix="/t/two1")], [1])
        self.assertEqual([v for _, v in self.server.values("two", prefix="/t/two2")], [2])

    def test_influx_and_remote_write(self):
        self.assertEqual(self.server.post("/t/in/write?precision=ms", f"shared,h=a value=8 {T0}").status, 204)
        rw = wire.snappy(wire.write_request([({"__name__": "shared", "h": "a"}, [(T0, 9.0)])]))
        answer = self.server.post("/t/rw/api/v1/write", rw, {"Content-Encoding": "snappy"})
        self.assertIn(answer.status, (200, 204))
        self.assertEqual(self.seen(prefix="/t/in"), [8])
        self.assertEqual(self.seen(prefix="/t/rw"), [9])

    def test_same_raw_bytes_in_two_tenants(self):
        """The cache of known raw tag sets must not cross tenants."""
        for i in range(20):
            self.assertEqual(self.server.post(f"/t/raw{i}/write?precision=ms", f"rawline,h=a value={i} {T0}").status, 204)
        for i in range(20):
            self.assertEqual([v for _, v in self.server.values("rawline", prefix=f"/t/raw{i}")], [i])

    def test_names(self):
        for good in ("a", "A-Z_0.9", "x" * 64):
            self.assertEqual(self.server.get(f"/t/{good}/api/v1/metricnames").status, 200, good)
        for bad in ("x" * 65, "%C3%A9", "a%20b", "a%00b"):
            self.assertEqual(self.server.get(f"/t/{bad}/api/v1/metricnames").status, 400, bad)

    def test_after_settle_and_restart(self):
        self.put(11, prefix="/t/keepa")
        self.put(12, prefix="/t/keepb")
        self.server.settle()
        self.server.restart()
        self.assertEqual(self.seen(prefix="/t/keepa"), [11])
        self.assertEqual(self.seen(prefix="/t/keepb"), [12])


SECRET = {"name": "secret_metric", "timestamp": T0, "value": 424242,
          "tags": {"secret_key": "secret_value", "metricGroup": "secret_group", "resource": "secret_device"}}
ONE = {"start_absolute": 0, "metrics": [{"name": "secret_metric"}]}
TSDB = {"start": 1, "end": T0 + 1, "queries": [{"aggregator": "sum", "metric": "secret_metric", "filters": [
    {"type": "wildcard", "tagk": "secret_key", "filter": "*", "groupBy": True}]}]}

TASK = {"name": "r", "execution_interval": {"value": 1, "unit": "days"}, "rollups": [{"save_as": "s", "query": dict(
    ONE, metrics=[{"name": "secret_metric", "aggregators": [{"name": "sum", "sampling": {"value": 1, "unit": "days"}}]}])}]}

# What shows something of a tenant: its owner sees the word, nobody else does.
SHOWS = [
    ("POST", "/api/v1/datapoints/query", ONE, "424242"),
    ("GET", '/api/v1/datapoints/query?query={"start_absolute":0,"metrics":[{"name":"secret_metric"}]}', None, "424242"),
    ("POST", "/api/v1/datapoints/query/tags", ONE, "secret_value"),
    ("GET", "/api/v1/metricnames", None, "secret_metric"),
    ("GET", "/api/v1/metricnames?prefix=secret", None, "secret_metric"),
    ("GET", "/api/v1/tagnames", None, "secret_key"),
    ("GET", "/api/v1/tagvalues", None, "secret_value"),
    ("GET", f"/api/v1/query?query=secret_metric&time={T0 // 1000 + 1}", None, "424242"),
    ("GET", f"/api/v1/query_range?query=secret_metric&start={T0 // 1000}&end={T0 // 1000 + 60}&step=15", None, "424242"),
    ("GET", "/api/v1/labels", None, "secret_key"),
    ("GET", "/api/v1/label/secret_key/values", None, "secret_value"),
    ("GET", "/api/v1/series?match[]=secret_metric", None, "secret_value"),
    ("GET", "/api/v1/status/tsdb", None, "secret_value"),
    ("GET", "/api/v1/metadata", None, "secret_metric"),
    ("GET", "/api/query?start=1&m=sum:secret_metric{secret_key=*}", None, "424242"),
    ("GET", "/api/query?start=0&metricName=secret_metric", None, "424242"),
    ("GET", "/api/query?start=0&metricGroup=secret_group", None, "424242"),
    ("POST", "/api/query", TSDB, "424242"),
    ("GET", "/api/query/last?timeseries=secret_metric{secret_key=secret_value}&back_scan=999999&resolve=true", None, "424242"),
    ("POST", "/api/query/last", {"queries": [{"metric": "secret_metric"}], "resolveNames": True, "backScan": 999999}, "424242"),
    ("GET", "/api/suggest?type=metrics&q=secret", None, "secret_metric"),
    ("GET", "/api/suggest?type=tagk&q=secret", None, "secret_key"),
    ("POST", "/api/suggest", {"type": "tagv", "q": "secret"}, "secret_value"),
    ("GET", "/api/search/lookup?m=secret_metric", None, "secret_value"),
    ("POST", "/api/search/lookup", {"metric": "secret_metric"}, "secret_value"),
    ("GET", "/api/metadata/tenants", None, "owner"),
    ("GET", "/api/metadata/metricNames", None, "secret_metric"),
    ("GET", "/api/metadata/metricNames?device=secret_device", None, "secret_metric"),
    ("GET", "/api/metadata/metricGroups", None, "secret_group"),
    ("GET", "/api/metadata/devices", None, "secret_device"),
    ("GET", "/api/metadata/tagKeys?metricName=secret_metric", None, "secret_key"),
    ("GET", "/api/metadata/tagValues?metricName=secret_metric&tagKey=secret_key", None, "secret_value"),
    ("GET", "/api/metadata/tags?metricName=secret_metric", None, "secret_value"),
    ("GET", "/api/metadata/tags?metricGroup=secret_group", None, "secret_value"),
    ("POST", "/api/metadata/search", {}, "secret_value"),
    ("GET", "/api/v1/catalog/metrics", None, "secret_metric"),
    ("GET", "/api/v1/catalog/tags", None, "secret_key"),
    ("GET", "/api/v1/catalog/tags?metric=secret_metric", None, "secret_value"),
    ("GET", "/api/v1/catalog/series?metric=secret_metric", None, "secret_value"),
    ("GET", "/api/v1/catalog/windows?metric=secret_metric", None, '"points":'),
    ("GET", "/api/v1/admin/slots", None, '"samples":'),  # how many: the task may have saved one
    ("GET", "/api/v1/metadata/notes", None, "secret_value"),
    ("GET", "/api/v1/metadata/notes/secret_value", None, "secret_key"),
    ("GET", "/api/v1/metadata/notes/secret_value/secret_key", None, "424242"),
    ("GET", "/api/v1/rollups", None, "secret_metric"),
    ("GET", "/api/v1/snmp/devices", None, "secret_device"),
    ("GET", "/api/v1/snmp/devices/secret_device", None, "secret_value"),
    ("GET", "/api/v1/snmp/oidsets", None, "secret_group"),
    ("GET", "/api/v1/snmp/correlators", None, "secret_key"),
    ("GET", "/api/v1/snmp/export", None, "secret_device"),
    ("GET", f"/api/v1/snmp/usage?begin=0&end={T0 // 1000 + 60}", None, "secret_device"),
    ("GET", "/esmond/v1/device/", None, "secret_device"),
    ("GET", "/esmond/v2/device/secret_device/", None, "secret_group"),
    ("GET", "/esmond/v2/oidset/", None, "secret_group"),
    ("GET", "/esmond/v2/timeseries/RawData/secret_value/x/30000?begin=0", None, "424242"),
    ("GET", "/esmond/v1/inventory/?limit=0", None, "secret_value"),
]
SNMP = {"devices": {"secret_device": {"address": "h", "oidsets": ["secret_group"], "tags": {"secret_key": "secret_value"}}},
        "oidsets": {"secret_group": {"frequency": 60, "correlator": "secret_key", "objects": [
            {"name": "secret_octets", "oid": "1.3.6.1.2", "type": "Counter64", "alias": "in"}]}},
        "correlators": {"secret_key": {"layouts": [{"index": [{"name": "i"}], "tags": [{"name": "t", "value": "{i}"}]}]}}}
OCTETS = {"name": "snmp.secret_octets", "timestamp": T0, "value": 424242, "tags": {"device": "secret_device", "oidset": "secret_group", "interface": "i"}}
LOKI_ALL = "{source=~%22.%2B%22}"
ROWS = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now+1h"}
SHOWS += [
    ("POST", "/analytics/query", dict(ROWS, select_fields=["Source", "Xmlmessage"]), "secret_value"),
    ("POST", "/analytics/query", dict(ROWS, table="StatTable.FieldNames.fields", select_fields=["fields.value"]), "secret_device"),
    ("POST", "/analytics/query", dict(ROWS, select_fields=["Source"], aggregate=["count"]), "secret_device"),
    ("POST", "/api/v1/read", wire.read_request([(0, 1 << 50, [("=", "__name__", "secret_metric")])]), "secret_metric"),
    ("GET", "/loki/api/v1/query_range?query=" + LOKI_ALL, None, "424242"),
    ("GET", "/loki/api/v1/query?query=sum+by+(source)+(count_over_time(" + LOKI_ALL + "%5B1h%5D))", None, "secret_device"),
    ("GET", "/loki/api/v1/labels", None, "source"),
    ("GET", "/loki/api/v1/label/source/values", None, "secret_device"),
    ("GET", "/loki/api/v1/series", None, "secret_device"),
    ("GET", "/loki/api/v1/index/stats", None, '"entries":'),
    ("GET", "/loki/api/v1/index/volume", None, "secret_device"),
    ("GET", "/loki/api/v1/index/volume_range", None, "secret_device"),
    ("GET", "/loki/api/v1/detected_fields?query=" + LOKI_ALL, None, "fields"),
    ("GET", "/loki/api/v1/detected_field/x/values?query=" + LOKI_ALL, None, "values"),
    ("GET", "/analytics/tables", None, "secret_group"),
    ("GET", "/analytics/table/MessageTable/column-values/Source", None, "secret_device"),
    ("GET", "/analytics/table/secret_group/column-values/ObjectId", None, "secret_value"),
]
MESSAGE = {"source": "secret_device", "objects": ["secret_group:secret_value"], "text": "secret_value 424242"}
PUT = {"metric": "secret_metric", "timestamp": T0, "value": 666, "tags": SECRET["tags"]}
LINE = f"secret_metric,secret_key=secret_value,metricGroup=secret_group,resource=secret_device value=666 {T0}"
# What changes something: done by another tenant it changes nothing of the owner's.
CHANGES = [
    ("POST", "/api/v1/datapoints", [dict(SECRET, value=666)]),
    ("POST", "/api/put", PUT),
    ("POST", "/write?precision=ms", LINE),
    ("POST", "/api/v2/write?precision=ms", LINE),
    ("POST", "/api/v1/write", wire.snappy(wire.write_request([({"__name__": "secret_metric", **SECRET["tags"]}, [(T0, 666.0)])]))),
    ("POST", "/v1/metrics", json.dumps(otlp.request([otlp.gauge("secret_metric", [otlp.point(T0, 666, SECRET["tags"])])]))),
    ("POST", "/api/v1/otlp/v1/metrics", otlp.protobuf(otlp.request([otlp.gauge("secret_metric", [otlp.point(T0, 666, SECRET["tags"])])]))),
    ("DELETE", "/api/metric", None),
    ("DELETE", "/api/metric?start=0", None),
    ("DELETE", "/api/metric/metricName/secret_metric", None),
    ("DELETE", "/api/metric/metricGroup/secret_group", None),
    ("DELETE", "/api/v1/metric/secret_metric", None),
    ("POST", "/api/v1/datapoints/delete", ONE),
]
# Seen and killed while it runs: ceres_test.py and admin_queries_test.cc. The others say the same to everybody.
SAME = ["/api/v1/format_query?query=x", "/api/v1/parse_query?query=x", "/api/v1/status/buildinfo", "/api/v1/status/runtimeinfo", "/api/v1/status/flags",
        "/api/v1/status/config", "/api/v1/rules", "/api/v1/alerts", "/api/v1/targets", "/api/v1/query_exemplars",
        "/api/v1/features", "/api/v1/datapoints/index", "/api/v1/admin/runningqueries", "/api/v1/admin/killquery/x", "/api/v1/admin/jobs", "/api/v1/version",
        "/api/v1/health/status", "/api/v1/health/check", "/api/aggregators", "/api/config/filters", "/api/version",
        "/-/healthy", "/-/ready", "/metrics", "/ping", "/health", "/query?q=SHOW+DATABASES", "/loki/api/v1/status/buildinfo", "/_cat/health"]
SAME += ["/elasticsearch" + path for path in ("", "/", "/_license", "/_cluster/health", "/_cat/health")]
# messages_test.py, analytics_test.py, loki_tail_test.py and message_pushes_test.py put and ask as several tenants.
ELSEWHERE = ["/analytics", "/analytics/operation/analytics-data-start-time", "/analytics/query", "/api/v1/messages", "/loki/api/v1/push", "/loki/api/v1/patterns", "/loki/api/v1/tail", "/v1/logs",
             "/_bulk", "/elasticsearch/_bulk", "/api/v1/messages/delete"]
# analytics_later_test.py has what is answered later, and the purge.
ELSEWHERE += ["/analytics/queries", "/analytics/operation/database-purge"]
# snmp_inventory_test.py changes the inventories of several tenants.
ELSEWHERE += ["/api/v1/snmp/import"]
# Beginnings and ends that the sources compare with.
NO_ROUTES = {"/api/v1/rollups/", "/esmond", "/v2/", "/v1/device/", "/v2/device/", "/interface/", "/outlet", "/outlet/", "/load", "/poll", "/analytics/table/", "/analytics/query/", "/chunk-final/", "/chunk-final/0", "/column-values", "/schema", "/api/", "/api/v1/", "/api/v2/", "/api/metadata/", "/t/", "/loki/", "/v1/"}


class EveryRoute(ServerCase):
    config = {"rollups": "5m:1d", "raw.retention": "20000d"}

    @staticmethod
    def quoted(path):
        return path.replace("{", "%7B").replace("}", "%7D").replace('"', "%22").replace("[", "%5B").replace("]", "%5D")

    def test_no_route_is_left_out(self):
        sources = pathlib.Path(__file__).resolve().parent.parent / "src"
        routes = set()
        for source in [*sources.glob("http/*.cc"), *sources.glob("api/**/*.cc"), *sources.glob("task/*.cc")]:
            if not re.search("_(test|bench|fuzz)\\.cc$", source.name):
                routes.update(re.findall(r'"(/[\w/.-]+)"', source.read_text()))
        self.assertGreater(len(routes), 40)
        asked = [path.split("?")[0] for path in SAME + [case[1] for case in SHOWS + CHANGES] + ["/-/settle", "/-/trust-clock"] + ELSEWHERE]
        missing = [route for route in sorted(routes - NO_ROUTES)
                   if not any(path == route or (route.endswith("/") and path.startswith(route)) for path in asked)]
        self.assertEqual(missing, [], "routes that no test of tenants asks")

    def test_nobody_sees_another_tenant(self):
        self.server.put([SECRET, OCTETS], prefix="/t/owner")
        self.assertEqual(self.server.post("/t/owner/api/v1/metadata/notes/secret_value/secret_key", "424242").status, 204)
        described = wire.snappy(wire.write_request([], [(2, "secret_metric", "secret_value", "")]))
        self.assertEqual(self.server.post("/t/owner/api/v1/write", described, self.headers_of("/api/v1/write")).status, 204)
        self.assertEqual(self.server.post("/t/owner/api/v1/rollups", TASK).status, 200)
        self.assertEqual(self.server.post("/t/owner/api/v1/snmp/import", json.dumps(SNMP)).status, 200)
        self.assertEqual(self.server.post("/t/owner/esmond/v2/timeseries/RawData/secret_value/x/30000", [{"ts": T0, "val": 424242}]).status, 201)
        self.server.put([{"name": "open", "timestamp": T0, "value": 1, "tags": {"h": "a"}}], prefix="/t/other")
        self.assertEqual(self.server.post("/t/owner/api/v1/messages", json.dumps(MESSAGE)).status, 204)
        for settled in (False, True):
            for method, path, body, word in SHOWS:
                if cluster.chosen() and "admin/slots" in path:
                    continue  # shows what is pending, not what it holds
                with self.subTest(f"{method} {path} settled={settled}"):
                    path = self.quoted(path)
                    own = self.server.request(method, "/t/owner" + path, body)
                    if settled or "admin" not in path:
                        self.assertEqual(own.status, 200, own)
                        self.assertIn(word.encode(), own.body, "the case shows nothing")
                    for prefix, headers in (("/t/other", {}), ("", {"X-Tenant": "other"}), ("", {}), ("/t/nobody", {}),
                                            ("/t/other", {"X-Tenant": "owner"}), ("/t/other", {"X-Scope-OrgID": "owner"})):
                        seen = self.server.request(method, prefix + path, body, headers)
                        self.assertLess(seen.status, 500, seen)
                        asked = {b"secret_metric"} if b"secret_metric" in str((path, body)).encode() else set()
                        for secret in {b"secret_value", b"424242", b"owner", b"secret_device", b"secret_metric"} - asked:
                            if secret.decode() not in str((path, body)):
                                self.assertNotIn(secret, seen.body)
            for path in SAME:
                seen = self.server.get(path, {"X-Tenant": "other"})
                self.assertNotIn(b"secret", seen.body, path)
            self.server.settle()

    def test_nobody_changes_another_tenant(self):
        for number, (method, path, body) in enumerate(CHANGES):
            owner, other = f"/t/own{number}", f"/t/oth{number}"
            with self.subTest(f"{method} {path}"):
                self.server.put([SECRET], prefix=owner)
                self.server.put([dict(SECRET, value=5), dict(SECRET, value=5, name="more")], prefix=other)
                answer = self.server.request(method, other + path, body, self.headers_of(path))
                self.assertIn(answer.status, (200, 204), answer)
                self.assertEqual([v for _, v in self.server.values("secret_metric", prefix=owner)], [424242])
                self.assertNotEqual([v for _, v in self.server.values("secret_metric", prefix=other)], [5], "nothing was changed at all")
                self.assertEqual(self.server.get(owner + "/api/metadata/metricNames").json(), ["secret_metric"])

    @staticmethod
    def headers_of(path):
        if path.endswith("/v1/metrics"):
            return otlp.PROTOBUF if "otlp" in path else otlp.JSON
        if path != "/api/v1/write":
            return {}
        return {"Content-Encoding": "snappy", "Content-Type": "application/x-protobuf"}


@above_engines
class NoDefault(OwnServerCase):
    def test_a_request_without_a_tenant_is_refused(self):
        server = self.new_server({"tenant.default": ""}).start()
        put = [{"name": "x", "timestamp": T0, "value": 1, "tags": {"h": "a"}}]
        self.assertEqual(server.post("/api/v1/datapoints", put).status, 400)
        self.assertEqual(server.post("/write", "x value=1").status, 400)
        self.assertEqual(server.post("/api/v1/datapoints/query", QUERY).status, 400)
        self.assertEqual(server.post("/t/x/api/v1/datapoints", put).status, 204)


class Limit(OwnServerCase):
    def test_series_per_tenant(self):
        server = self.new_server({"limits.series_per_tenant": "5"}).start()
        server.influx("".join(f"lim,h=h{i} value={i} {T0}\n" for i in range(5)))
        over = server.post("/write?precision=ms", f"lim,h=h9 value=9 {T0}\nlim,h=h1 value=7 {T0 + 1}\n")
        self.assertGreaterEqual(over.status, 400)
        self.assertEqual(server.values("lim", {"h": "h9"}), [])
        self.assertEqual([v for _, v in server.values("lim", {"h": "h1"})], [1, 7], "known series go on")
        other = server.post("/t/other/write?precision=ms", f"lim,h=h9 value=9 {T0}\n")
        self.assertEqual(other.status, 204, "another tenant has its own limit")

    def test_tenants(self):
        """A tenant comes to be with its first series, and no more than limits.tenants do."""
        server = self.new_server({"limits.tenants": "2"}).start()
        for i in range(30):  # nothing of these is a tenant
            tenant = f"/t/nothing{i}"
            self.assertEqual(server.post(tenant + "/write", "").status, 204)
            self.assertEqual(server.post(tenant + "/write", "no line").status, 400)
            self.assertEqual(server.post(tenant + "/api/v1/datapoints", "[]").status, 204)
            self.assertEqual(server.post(tenant + "/api/v1/datapoints", [{"name": "x"}]).status, 400)
            self.assertEqual(server.post(tenant + "/api/v1/write", wire.snappy(wire.write_request([({"__name__": "r"}, [])])),
                                         {"Content-Encoding": "snappy"}).status, 204)
            self.assertEqual(server.post(tenant + "/v1/metrics", json.dumps(otlp.request([otlp.gauge("o", [])])), otlp.JSON).status, 200)
            self.assertEqual(server.post(tenant + "/api/v1/datapoints/query", QUERY).status, 200)
        server.influx(f"one value=1 {T0}")
        server.put([{"name": "two", "tags": {"h": "a"}, "datapoints": [[T0, 2]]}], prefix="/t/second")
        self.assertEqual(server.post("/t/second/write?precision=ms", f"more value=1 {T0}").status, 204)

        point = {"metric": "m", "timestamp": T0, "value": 1, "tags": {"h": "a"}}
        for answer in (server.post("/t/third/write?precision=ms", f"m value=1 {T0}\nm,h=b value=1 {T0}"),
                       server.post("/t/third/api/v1/datapoints", [{"name": "m", "tags": {"h": "a"}, "datapoints": [[T0, 1]]}]),
                       server.post("/t/third/api/put", [point]),
                       server.post("/t/third/api/v1/write", wire.snappy(wire.write_request([({"__name__": "r"}, [(T0, 1.0)])])),
                                   {"Content-Encoding": "snappy"}),
                       server.post("/t/third/v1/metrics", json.dumps(otlp.request([otlp.gauge("o", [otlp.point(T0, 1)])])), otlp.JSON)):
            self.assertEqual(answer.status, 429, answer)
            self.assertTrue(answer.header("Retry-After"))
            self.assertIn("limits.tenants", answer.body.decode())
        tagged = server.post("/api/put?details", [dict(point, tags={"h": "a", "tenant": "third"}), point])
        self.assertGreaterEqual(tagged.status, 400, tagged)
        self.assertIn("limits.tenants", tagged.body.decode())
        self.assertEqual(tagged.json()["success"], 1, tagged)
        with server.telnet() as telnet:
            telnet.send(f"put m {T0} 1 h=a tenant=third\n")
            self.assertIn("limits.tenants", telnet.read_line())
        self.assertEqual(server.metric_names(prefix="/t/third"), [])
        self.assertEqual(server.post("/t/third/write", "").status, 204, "nothing in it that would make a tenant")
        server.restart()
        self.assertEqual(server.post("/t/third/write?precision=ms", f"m value=1 {T0}").status, 429)
        self.assertEqual(server.post("/t/second/write?precision=ms", f"new value=1 {T0}").status, 204)
        self.assertEqual(server.get("/t/varve/api/v1/metricnames").status, 200)

    @unittest.skipIf(cluster.chosen(), "a replica of a cluster limits what it meets for the first time only")
    def test_a_forgotten_series_that_comes_back(self):
        """Who knew it from before is refused as it would be for a new one, in every protocol; others of the request go on."""
        server = self.new_server({"limits.series_per_tenant": "6", "raw.retention": "20000d"}).start()

        def ways(metric, values, at):
            points = [{"metric": f"o.{metric}", "tags": {"h": "a"}, "timestamp": at, "value": v} for v in values[:1]]
            samples = [({"__name__": f"r.{metric}", "h": "a"}, [(at, float(values[0]))])]
            yield "o", lambda more: server.post("/api/put", points + more)
            yield "i", lambda _: server.post("/write?precision=ms", f"i.{metric},h=a value={values[0]}i {at}\n")
            yield "k", lambda _: server.post("/api/v1/datapoints", [
                {"name": f"k.{metric}", "tags": {"h": "a"}, "datapoints": [[at, values[0]]]}])
            yield "r", lambda _: server.post("/api/v1/write", wire.snappy(wire.write_request(samples)), {"Content-Encoding": "snappy"})

        for _, send in ways("old", [1], T0):
            self.assertIn(send([]).status, (200, 204))
        with server.telnet() as telnet:
            telnet.send(f"put t.old {T0} 1 h=a\n")
            self.assertEqual(telnet.finish(), "")
        for metric in ("o.old", "i.old", "k.old", "r.old", "t.old"):
            self.assertEqual(server.request("DELETE", f"/api/v1/metric/{metric}").status, 204)
        self.assertEqual(server.get("/api/metadata/metricNames").json(), [])
        server.influx("".join(f"new,h=h{i} value={i}i {T0}\n" for i in range(6)))

        full = "tenant 'default' has 6 series; at most 6 (limits.series_per_tenant)"
        for name, send in ways("old", [2], T0 + 1):
            answer = send([])
            self.assertEqual(answer.status, 429, (name, answer))
            self.assertIn(full, answer.body.decode())
            self.assertTrue(answer.header("Retry-After"))
        both = server.post("/write?precision=ms", f"i.old,h=a value=2i {T0 + 1}\nnew,h=h1 value=7i {T0 + 1}\n")
        self.assertEqual(both.status, 400, both)
        self.assertIn("1 sample is refused, the others are kept: " + full, both.body.decode())
        with server.telnet() as telnet:
            telnet.send(f"put t.old {T0 + 1} 1 h=a\nputm new {T0 + 2} 8 h=h1\n")
            self.assertIn("1 sample is refused, the others are kept: " + full, telnet.read_line())
            telnet.send(f"putm new {T0 + 3} 9 h=h1\n")
            telnet.finish()
        self.assertEqual([v for _, v in server.values("new", {"h": "h1"})], [1, 7, 8, 9], "known series go on")
        self.assertEqual(server.metric_names(), ["new"])
        server.restart()
        self.assertEqual(server.get("/api/metadata/metricNames").json(), ["new"])
        # There is room again.
        self.assertEqual(server.request("DELETE", "/api/metric/metricName/new?tag=h=h5").status, 200)
        server.influx(f"i.old,h=a value=3i {T0 + 4}\n")
        self.assertEqual(server.values("i.old"), [(T0 + 4, 3)])


if __name__ == "__main__":
    unittest.main()
