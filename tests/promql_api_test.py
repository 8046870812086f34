# SPDX-License-Identifier: Apache-2.0
"""Prometheus' API beside queries: metadata of metrics, trees of queries, the status of the server and of a tenant's index."""

import json
import time
from urllib.parse import urlencode

from support import otlp, wire
from support.case import OwnServerCase

T = int(time.time()) // 60 * 60_000 - 600_000
REMOTE_WRITE = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"}
COUNTER, GAUGE, STATESET = 1, 2, 7


class Api(OwnServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.new_server({"raw.retention": "200y"})
        self.server.start()

    def ask(self, path, tenant="rw", **parameters):
        answer = self.server.get(f"/t/{tenant}/api/v1/{path}?" + urlencode(parameters))
        return answer.status, json.loads(answer.body)

    def data(self, path, tenant="rw", **parameters):
        status, body = self.ask(path, tenant, **parameters)
        self.assertEqual((status, body["status"]), (200, "success"), body)
        return body["data"]

    def refused(self, path, error, **parameters):
        status, body = self.ask(path, **parameters)
        self.assertEqual((status, body["status"], body["errorType"]), (400, "error", "bad_data"), body)
        self.assertIn(error, body["error"])

    def write(self, tenant, series, metadata=()):
        answer = self.server.post(f"/t/{tenant}/api/v1/write", wire.snappy(wire.write_request(series, metadata)), REMOTE_WRITE)
        self.assertEqual(answer.status, 204, answer)

    def test_metadata(self):
        samples = [({"__name__": "requests_total", "job": "a"}, [(T, 1.0)])]
        self.write("rw", samples, [(COUNTER, "requests_total", 'Requests "in".', ""), (GAUGE, "heap_bytes", "Ä", "bytes")])
        self.write("rw", [], [(STATESET, "state", "", ""), (99, "odd", "", "")])  # without a sample
        described = {**otlp.total("http.requests", [otlp.point(T, 7)], "By"), "description": "Sent."}
        body = otlp.request([described, {**otlp.gauge("heap_bytes", [otlp.point(T, 1)]), "description": "Another."}])
        for number, (form, headers) in enumerate(((otlp.protobuf(body), otlp.PROTOBUF), (json.dumps(body).encode(), otlp.JSON))):
            self.assertEqual(self.server.post(f"/t/otlp{number}/v1/metrics", form, headers).status, 200)
        of_otlp = {"http_requests_bytes_total": [{"type": "counter", "help": "Sent.", "unit": "By"}],
                   "heap_bytes": [{"type": "gauge", "help": "Another.", "unit": ""}]}
        of_remote_write = {"requests_total": [{"type": "counter", "help": 'Requests "in".', "unit": ""}],
                           "heap_bytes": [{"type": "gauge", "help": "Ä", "unit": "bytes"}],
                           "state": [{"type": "stateset", "help": "", "unit": ""}],
                           "odd": [{"type": "unknown", "help": "", "unit": ""}]}
        for state in ("new", "restarted", "killed"):
            with self.subTest(state):
                self.assertEqual(self.data("metadata"), of_remote_write)
                self.assertEqual(self.data("metadata", "otlp0"), of_otlp)
                self.assertEqual(self.data("metadata", "otlp1"), of_otlp)
                self.assertEqual(self.data("metadata", "nobody"), {})
                self.assertEqual(self.data("metadata", metric="state"), {"state": of_remote_write["state"]})
                self.assertEqual(self.data("metadata", metric="nothing"), {})
            if state == "new":
                self.server.restart()
            elif state == "restarted":
                self.server.kill()
                self.server.start()
        time.sleep(0.01)  # so that the next one is newer
        self.write("rw", [], [(COUNTER, "requests_total", "Changed.", "")])
        self.assertEqual([one["help"] for one in self.data("metadata")["requests_total"]], ["Changed.", 'Requests "in".'])
        self.assertEqual([one["help"] for one in self.data("metadata", limit_per_metric=1)["requests_total"]], ["Changed."])
        self.assertEqual(len(self.data("metadata", limit=2)), 2)
        self.assertEqual(self.data("metadata", limit=0), {})
        self.assertEqual(len(self.data("metadata", limit=-1)), 4)
        self.refused("metadata", "limit must be a number", limit="x")
        self.refused("metadata", "limit_per_metric must be a number", limit_per_metric="1x")

    def test_metadata_never_costs_a_sample(self):
        broken = wire.field(3, b"\x08")  # a type without its number
        body = wire.write_request([({"__name__": "m"}, [(T, 4.0)])], [(GAUGE, "", "no name", ""), (GAUGE, "m", "x" * 5000, "")])
        answer = self.server.post("/t/rw/api/v1/write", wire.snappy(broken + body), REMOTE_WRITE)
        self.assertEqual(answer.status, 204, answer)
        self.assertEqual(self.data("query", query="m", time=T / 1000)["result"][0]["value"][1], "4")
        self.assertEqual(self.data("metadata"), {"m": [{"type": "gauge", "help": "x" * 400, "unit": ""}]})
        # Of a tenant without samples it is not kept, and taken once there are some.
        self.write("late", [], [(GAUGE, "m", "h", "")])
        self.assertEqual(self.data("metadata", "late"), {})
        self.write("late", [({"__name__": "m"}, [(T, 4.0)])], [(GAUGE, "m", "h", "")])
        self.assertEqual(self.data("metadata", "late"), {"m": [{"type": "gauge", "help": "h", "unit": ""}]})

    def test_trees(self):
        query = 'sum by (job) (rate(m{a!="b"}[5m] offset 1m)) / 2'
        tree = self.data("parse_query", query=query)
        posted = self.server.post("/api/v1/parse_query", urlencode({"query": query}), {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(posted.json()["data"], tree)
        self.assertEqual((tree["type"], tree["op"], tree["matching"], tree["rhs"]),
                         ("binaryExpr", "/", None, {"type": "numberLiteral", "val": "2"}))
        self.assertEqual((tree["lhs"]["type"], tree["lhs"]["grouping"]), ("aggregation", ["job"]))
        call = tree["lhs"]["expr"]
        self.assertEqual(call["func"], {"name": "rate", "argTypes": ["matrix"], "variadic": 0, "returnType": "vector"})
        self.assertEqual(call["args"][0], {
            "type": "matrixSelector", "name": "m", "range": 300000, "rangeExpr": None, "offset": 60000, "offsetExpr": None, "timestamp": None, "startOrEnd": None,
            "matchers": [{"name": "a", "value": "b", "type": "!="}, {"name": "__name__", "value": "m", "type": "="}],
            "anchored": False, "smoothed": False})
        self.refused("parse_query", "parse error", query="sum(")

    def test_the_index(self):
        self.write("rw", [({"__name__": "a", "host": f"h{i}", "job": "j"}, [(T + i, 1.0)]) for i in range(3)] + [({"__name__": "b", "job": "j"}, [(T + 9, 1.0)])])
        self.write("other", [({"__name__": "hidden"}, [(T, 1.0)])])
        for settled in (False, True):
            with self.subTest(settled=settled):
                found = self.data("status/tsdb")
                self.assertEqual(found["headStats"], {"numSeries": 4, "numLabelPairs": 6, "chunkCount": 0, "minTime": T, "maxTime": T + 9})
                self.assertEqual(found["seriesCountByMetricName"], [{"name": "a", "value": 3}, {"name": "b", "value": 1}])
                self.assertEqual(found["labelValueCountByLabelName"],
                                 [{"name": "host", "value": 3}, {"name": "__name__", "value": 2}, {"name": "job", "value": 1}])
                self.assertEqual(found["memoryInBytesByLabelName"],
                                 [{"name": "host", "value": 6}, {"name": "__name__", "value": 4}, {"name": "job", "value": 4}])
                self.assertEqual(found["seriesCountByLabelValuePair"][:2], [{"name": "job=j", "value": 4}, {"name": "__name__=a", "value": 3}])
                self.assertEqual(self.data("status/tsdb", limit=1)["seriesCountByMetricName"], [{"name": "a", "value": 3}])
            self.server.settle()
        self.assertEqual(self.data("status/tsdb", "nobody")["headStats"]["numSeries"], 0)
        for limit in ("0", "x", "-1"):
            self.refused("status/tsdb", "limit must be a positive number", limit=limit)
        self.refused("status/tsdb", "limit must not exceed 10000", limit=10001)

    def test_the_server(self):
        self.server.restart(**{"promql.lookback": "7m"})
        runtime = self.data("status/runtimeinfo")
        started = time.mktime(time.strptime(runtime["startTime"], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
        self.assertLess(abs(time.time() - started), 600)
        self.assertGreaterEqual(runtime["serverTime"], runtime["startTime"])
        self.assertTrue(runtime["storageRetention"].endswith("y"), runtime)
        flags = self.data("status/flags")
        self.assertEqual(flags["promql.lookback"], "7m")
        self.assertIn("http.listen", flags)
        lines = self.data("status/config")["yaml"].splitlines()
        self.assertIn('promql.lookback: "7m"', lines)
        self.assertEqual(len(lines), len(flags))
