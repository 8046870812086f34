# SPDX-License-Identifier: Apache-2.0
"""PromQL by Prometheus' API: values, names, errors, tenants; before and after sealing and a restart."""

import json
import struct
import unittest
from urllib.parse import quote, urlencode

from support import wire
from support.case import OwnServerCase

START = 1_699_999_200  # a whole hour


class PromQl(OwnServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.new_server({"raw.retention": "200y"})
        self.server.start()
        lines = []
        for minute in range(60):
            for number, host in enumerate(("a", "b")):
                ns = (START + 60 * minute) * 10**9
                lines.append(f"requests,host={host},job=api total={minute * 60 * (number + 1)}i {ns}")
            lines.append(f"load,host=a value={minute / 4} {START * 10**9 + 60 * minute * 10**9}")
        self.assertEqual(self.server.post("/write", "\n".join(lines)).status, 204)

    def ask(self, path, headers=None, **parameters):
        answer = self.server.get(f"/api/v1/{path}?" + urlencode(parameters, doseq=True), headers=headers)
        return answer.status, json.loads(answer.body)

    def data(self, path, **parameters):
        status, body = self.ask(path, **parameters)
        self.assertEqual((status, body["status"]), (200, "success"), body)
        return body["data"]

    def values(self, query, time=START + 3540, **more):
        found = self.data("query", query=query, time=time, **more)
        self.assertEqual(found["resultType"], "vector")
        return {row["metric"].get("host", ""): row["value"][1] for row in found["result"]}

    def test_values_stay_the_same_when_they_are_sealed(self):
        for state in ("hot", "settled", "restarted"):
            with self.subTest(state):
                self.assertEqual(self.values("requests_total"), {"a": "3540", "b": "7080"})
                self.assertEqual(self.values("rate(requests_total[10m])"), {"a": "1", "b": "2"})
                self.assertEqual(self.values("sum(rate(requests_total[10m]))"), {"": "3"})
                self.assertEqual(self.values('{__name__=~"load.*",host="a"} * 4'), {"a": "59"})
                self.assertEqual(self.values("load offset 30m"), {"a": "7.25"})
                self.assertEqual(self.values("count_over_time(load[1h])"), {"a": "60"})
                self.assertEqual(self.values("requests_total", START + 3540 + 299), {"a": "3540", "b": "7080"})
                self.assertEqual(self.values("requests_total", START + 3540 + 300), {})
                self.assertEqual(self.values("requests_total", START + 3540 + 300, lookback_delta="10m")["a"], "3540")
                matrix = self.data("query_range", query="load", start=START, end=START + 180, step="1m")
                self.assertEqual(matrix, {"resultType": "matrix", "result": [
                    {"metric": {"__name__": "load", "host": "a"},
                     "values": [[START + 60 * i, str(i / 4).removesuffix(".0")] for i in range(4)]}]})
            if state == "hot":
                self.server.settle()
            elif state == "settled":
                self.server.kill()
                self.server.start()

    def test_configured(self):
        self.server.restart(**{"promql.lookback": "1m", "promql.strict": "true", "promql.max_series": "1"})
        self.assertEqual(self.values("load", START + 3540 + 59), {"a": "14.75"})
        self.assertEqual(self.values("load", START + 3540 + 60), {})
        self.assertEqual(self.values("load", START + 3540 + 60, lookback_delta="2m"), {"a": "14.75"})
        status, body = self.ask("query", query="load default 1", time=START)
        self.assertEqual((status, body["errorType"]), (400, "bad_data"), body)
        status, body = self.ask("query", query="requests_total", time=START)
        self.assertEqual((status, body["errorType"], body["error"]),
                         (422, "execution", "more than 1 series are selected: name more labels"), body)
        self.assertEqual(self.values('requests_total{host="a"}', START), {"a": "0"})

    def remote_write(self, *series):
        answer = self.server.post("/api/v1/write", wire.snappy(wire.write_request(series)),
                                  {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"})
        self.assertIn(answer.status, (200, 204), answer)

    def test_markers_end_a_series(self):
        def at(minute):
            return (START + 60 * minute) * 1000

        stale, nan = wire.STALE_MARKER, float("nan")
        up = {"__name__": "up", "host": "a"}
        self.remote_write((up, [(at(m), float(m)) for m in range(10)] + [(at(10), stale), (at(12), 12.0), (at(13), nan)]),
                          ({**up, "host": "b"}, [(at(9), 1.0), (at(10), 2.0)]),
                          ({**up, "host": "only"}, [(at(9), stale)]))
        # The last write of a time wins: over a value, and a value over it.
        self.remote_write((up, [(at(5), stale), (at(11), stale)]), ({**up, "host": "b"}, [(at(10), stale)]))
        self.remote_write((up, [(at(11), 11.0)]))
        for state in ("hot", "settled", "restarted"):
            with self.subTest(state):
                self.assertEqual(self.values("up", at(4) / 1000), {"a": "4"})
                self.assertEqual(self.values("up", at(5) / 1000 + 59), {})
                self.assertEqual(self.values("up", at(6) / 1000), {"a": "6"})
                self.assertEqual(self.values("up", at(10) / 1000 - 1), {"a": "9", "b": "1"})
                self.assertEqual(self.values("up", at(10) / 1000), {})
                self.assertEqual(self.values("up", at(11) / 1000), {"a": "11"})
                self.assertEqual(self.values("up", at(13) / 1000), {"a": "NaN"})
                self.assertEqual(self.values("count_over_time(up[20m])", at(13) / 1000), {"a": "12", "b": "1"})
                self.assertEqual(self.values("absent(up)", at(10) / 1000), {"": "1"})
                found = self.data("query_range", query='up{host="a"}', start=at(8) / 1000, end=at(12) / 1000, step="1m")
                self.assertEqual([value for _, value in found["result"][0]["values"]], ["8", "9", "11", "12"])
                # Nobody else sees them.
                self.assertEqual([t for t, _ in self.server.values("up", {"host": "a"}, at(0), at(12))],
                                 [at(m) for m in range(13) if m not in (5, 10)])
                self.assertEqual(self.server.values("up", {"host": "b"}, at(0), at(20)), [(at(9), 1)])
                self.assertEqual(self.data("label/host/values", **{"match[]": "up"}), ["a", "b"])
            if state == "hot":
                self.server.settle()
            elif state == "settled":
                self.server.kill()
                self.server.start()
        # One that comes late changes what is sealed, also as rolled up.
        self.remote_write((up, [(at(9), stale)]))
        self.server.settle()
        self.assertEqual(self.values("count_over_time(up[20m])", at(13) / 1000), {"a": "11", "b": "1"})
        body = {"start_absolute": at(0), "end_absolute": at(12), "metrics": [{"name": "up", "tags": {"host": ["a"]}, "aggregators": [
            {"name": "count", "sampling": {"value": 1, "unit": "hours"}}]}]}
        answer = json.loads(self.server.post("/api/v1/datapoints/query", body).body)
        self.assertEqual([value for _, value in answer["queries"][0]["results"][0]["values"]], [10])

    def test_a_marker_does_not_bring_back_what_was_deleted(self):
        self.server.settle()
        answer = self.server.post("/api/v1/datapoints/delete", {"start_absolute": 0, "metrics": [{"name": "load"}]})
        self.assertEqual(answer.status, 204)
        self.assertNotIn("load", self.server.metric_names())
        self.remote_write(({"__name__": "load", "host": "a"}, [((START + 3600) * 1000, wire.STALE_MARKER)]))
        self.assertNotIn("load", self.server.metric_names())
        self.assertEqual(self.data("series", **{"match[]": "load"}), [])

    def test_kinds_of_answers(self):
        self.assertEqual(self.data("query", query="1 + 0.5", time=START + 0.25), {"resultType": "scalar", "result": [START + 0.25, "1.5"]})
        self.assertEqual(self.data("query", query='"text"', time=START), {"resultType": "string", "result": [START, "text"]})
        self.assertEqual(self.data("query", query="load[2m]", time=START + 60)["result"][0]["values"], [[START, "0"], [START + 60, "0.25"]])
        self.assertEqual(self.data("query_range", query="time()", start=START, end=START + 1, step=1)["result"],
                         [{"metric": {}, "values": [[START, str(START)], [START + 1, str(START + 1)]]}])
        self.assertEqual(self.data("query", query="1/0 > bool 0", time=START)["result"][1], "1")
        self.assertEqual(self.data("query", query="-1/0", time=START)["result"][1], "-Inf")
        for number, text in (("1e23", "1" + "0" * 23), ("-2.5e-7", "-0.00000025"), ("1234567890123456789012", "1234567890123456800000")):
            self.assertEqual(self.data("query", query=number, time=START)["result"][1], text)
        status, body = self.ask("query", query="requests_total", time=START, limit=1)
        self.assertEqual((len(body["data"]["result"]), body["warnings"]), (1, ["results truncated due to limit"]))
        status, body = self.ask("query", query="rate(load[10m])", time=START + 3000)
        self.assertEqual((status, len(body["infos"])), (200, 1), body)
        self.assertEqual(self.data("format_query", query="sum(x)by(y)"), "sum by (y) (x)")

    def test_names(self):
        self.assertEqual(self.data("labels"), ["__name__", "host", "job"])
        self.assertEqual(self.data("labels", **{"match[]": "load"}), ["__name__", "host"])
        self.assertEqual(self.data("label/__name__/values"), ["load", "requests_total"])
        self.assertEqual(self.data("label/__name__/values", **{"match[]": '{job="api"}'}), ["requests_total"])
        self.assertEqual(self.data("label/host/values"), ["a", "b"])
        self.assertEqual(self.data("label/host/values", **{"match[]": "load"}), ["a"])
        self.assertEqual(self.data("label/U__host/values"), ["a", "b"])
        self.assertEqual(self.data("label/none/values"), [])
        self.assertEqual(self.data("series", **{"match[]": ["load", '{host="a"}']}),
                         [{"__name__": "load", "host": "a"}, {"__name__": "requests_total", "host": "a", "job": "api"}])
        self.assertEqual(len(self.data("series", limit=1, **{"match[]": '{host=~".+"}'})), 1)
        self.assertEqual(self.data("status/buildinfo")["version"].split(".")[0], "3")
        for path, empty in (("rules", {"groups": []}), ("alerts", {"alerts": []}), ("query_exemplars", [])):
            self.assertEqual(self.data(path), empty)

    def read(self, queries, prefix=""):
        answer = self.server.post(prefix + "/api/v1/read", wire.snappy(wire.read_request(queries)),
                                  {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Read-Version": "0.1.0"})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual((answer.headers["content-type"], answer.headers["content-encoding"]), ("application/x-protobuf", "snappy"))
        return wire.read_response(wire.unsnappy(answer.body))

    def test_remote_read(self):
        def double(value):
            return struct.pack("<d", value)

        up = {"__name__": "up", "job": "b"}
        stale_at = (START + 60) * 1000
        self.remote_write((up, [(START * 1000, 1.0), (stale_at, wire.STALE_MARKER)]), ({**up, "job": "a"}, [(START * 1000, 2.5)]))
        for state in ("hot", "settled", "restarted"):
            with self.subTest(state):
                both, totals, none = self.read([
                    (START * 1000, stale_at, [("=", "__name__", "up")]),
                    (START * 1000 + 60_000, START * 1000 + 120_000, [("=~", "__name__", "req.*"), ("!=", "host", "a")]),
                    (0, 1, [("=", "__name__", "up")])])
                self.assertEqual(both, [({**up, "job": "a"}, [(START * 1000, double(2.5))]),
                                        (up, [(START * 1000, double(1)), (stale_at, wire.STALE_MARKER)])])
                self.assertEqual(totals, [({"__name__": "requests_total", "host": "b", "job": "api"},
                                           [(START * 1000 + 60_000, double(120)), (START * 1000 + 120_000, double(240))])])
                self.assertEqual(none, [])
            if state == "hot":
                self.server.settle()
            elif state == "settled":
                self.server.kill()
                self.server.start()
        self.assertEqual(self.read([(0, 1 << 60, [("=", "__name__", "up")])], "/t/stranger"), [[]])
        for body, status in ((b"\x0a\x05", 400), (wire.read_request([(0, 1, [("=~", "a", "(")])]), 400)):
            answer = self.server.post("/api/v1/read", wire.snappy(body), {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"})
            self.assertEqual(answer.status, status, answer)

    def test_costs(self):
        for state in ("hot", "settled"):
            found = self.data("query_range", query="sum(rate(requests_total[10m])) / -load{host='a'}", start=START, end=START + 3540,
                              step="1m", stats="all", explain="true")
            division = found["explain"]
            self.assertEqual(division["operation"], "/")
            (sum_of, minus) = division["children"]
            (requests,) = sum_of["children"][0]["children"]
            (load,) = minus["children"]
            self.assertEqual([sum_of["operation"], sum_of["children"][0]["operation"], minus["operation"]], ["sum", "rate", "-"])
            self.assertEqual((requests["selector"], requests["series"], requests["samples"]), ("requests_total[10m]", 2, 120))
            self.assertEqual((load["selector"], load["series"], load["samples"], load["read"]), ('load{host="a"}', 1, 60, "samples"))
            self.assertEqual(found["stats"]["samples"]["totalQueryableSamples"], 180)
            timings = found["stats"]["timings"]
            self.assertLessEqual(0, timings["queryPreparationTime"])
            self.assertLessEqual(timings["evalTotalTime"], timings["execTotalTime"])
            self.server.settle()
        self.assertEqual(set(self.data("query", query="load", time=START)), {"resultType", "result"})
        self.assertEqual(set(self.data("query", query="load", time=START, stats="1")), {"resultType", "result", "stats"})

    def test_a_query_may_have_less_time(self):
        slow = "sum(sum_over_time(sum_over_time(load[1h:1ms])[1h:1ms]))"
        status, body = self.ask("query", query=slow, time=START + 3540, timeout="20ms")
        self.assertEqual((status, body["errorType"]), (503, "timeout"), body)
        self.assertIn("its timeout (20 ms)", body["error"])
        self.assertEqual(self.values("load", timeout="1d"), {"a": "14.75"})  # query.timeout stays

    def test_a_form_is_the_same_question(self):
        form = urlencode({"query": "load", "time": START})
        answer = self.server.request("POST", "/api/v1/query", form, {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(json.loads(answer.body)["data"], self.data("query", query="load", time=START))
        answer = self.server.request("POST", "/api/v1/query", form, {"Content-Type": "application/json"})
        self.assertEqual((answer.status, json.loads(answer.body)["errorType"]), (400, "bad_data"))

    def test_errors(self):
        times = {"start": START, "end": START + 60, "step": 15}
        for path, parameters, status, kind, part in (
                ("query", {}, 400, "bad_data", 'invalid parameter "query"'),
                ("query", {"query": "sum("}, 400, "bad_data", "1:5: parse error"),
                ("query", {"query": "x", "time": "soon"}, 400, "bad_data", 'cannot parse "soon" to a valid timestamp'),
                ("query", {"query": "x", "limit": "-1"}, 400, "bad_data", "limit"),
                ("query_range", {"query": "x"}, 400, "bad_data", 'invalid parameter "start"'),
                ("query_range", {"query": "x", **times, "end": START - 1}, 400, "bad_data", "end timestamp must not be before start time"),
                ("query_range", {"query": "x", **times, "step": 0}, 400, "bad_data", "zero or negative"),
                ("query_range", {"query": "x", **times, "end": START + 10**6}, 400, "bad_data", "11,000 points"),
                ("query_range", {"query": "x[5m]", **times}, 400, "bad_data", "invalid expression type"),
                ("query", {"query": "requests_total * on(job) requests_total", "time": START}, 422, "execution", "many"),
                ("series", {}, 400, "bad_data", "no match[] parameter provided"),
                ("series", {"match[]": '{a=~".*"}'}, 400, "bad_data", "non-empty matcher"),
                ("labels", {"start": 9, "end": 8}, 400, "bad_data", "end")):
            with self.subTest(f"{path} {parameters}"):
                got, body = self.ask(path, **parameters)
                self.assertEqual((got, body["status"], body["errorType"]), (status, "error", kind), body)
                self.assertIn(part, body["error"])

    def test_the_ends_of_time(self):
        for time in (-9e30, -1e9, 0, 1e18, 9e30):
            self.assertEqual(self.data("query", query="requests_total", time=time)["result"], [], time)
        self.assertEqual(self.values("count_over_time(load[200y])"), {"a": "60"})
        self.assertEqual(self.values("load @ 1e12"), {})
        self.assertEqual(self.values("load offset -290y"), {})
        self.assertEqual(self.data("query_range", query="load", start=-9e30, end=9e30, step=9e9)["result"], [])
        self.assertEqual(len(self.data("series", start=-9e30, end=9e30, **{"match[]": "load"})), 1)

    def test_tenants_are_apart(self):
        other = {"X-Scope-OrgID": "other"}
        self.assertEqual(self.ask("query", other, query="load", time=START)[1]["data"]["result"], [])
        self.assertEqual(self.ask("labels", other)[1]["data"], [])
        answer = self.server.get("/t/other/api/v1/series?match[]=" + quote('{__name__=~".+"}'))
        self.assertEqual(json.loads(answer.body)["data"], [])


if __name__ == "__main__":
    unittest.main()
