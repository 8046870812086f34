# SPDX-License-Identifier: Apache-2.0
"""A sample older than what is kept of its series is refused by name in every protocol, and counted; one that is older than
raw samples are kept, but not older than rollups, is taken and shows there."""

import json
import time

from support import cluster, otlp, wire
from support.case import ServerCase

HOUR = 3_600_000
CONFIG = {"raw.retention": "1h", "rollups": "5m:6h", "slots.width": "1h"}
OLDER = "is older than what is kept of its series, which begins at "


class TooOld(ServerCase):
    config = CONFIG

    def setUp(self):
        self.now = int(time.time()) * 1000
        self.old = self.now - 7 * HOUR
        self.before = self.server.metric("varve_samples_rejected_total", reason="too_old")

    def refused(self, count):
        after = self.server.metric("varve_samples_rejected_total", reason="too_old")
        self.assertEqual(after - self.before, count)

    def test_kairosdb_is_all_or_nothing(self):
        answer = self.server.post("/api/v1/datapoints", [
            {"name": "k", "tags": {"a": "b"}, "datapoints": [[self.now, 1], [self.now // 1000, 2]]}])
        self.assertEqual(answer.status, 400)
        error, = answer.json()["errors"]
        self.assertIn("metric[0](name=k).datapoints[1].timestamp", error)
        self.assertIn(OLDER, error)
        self.assertIn("timestamps are taken as milliseconds here: is that their unit?", error)
        self.assertEqual(self.server.values("k"), [])
        self.refused(1)

    def test_opentsdb_keeps_the_good_points(self):
        points = [{"metric": "o", "timestamp": t, "value": i, "tags": {"a": "b"}}
                  for i, t in enumerate([self.now, self.old, self.old // 1000])]
        answer = self.server.post("/api/put?details", points)
        self.assertEqual(answer.status, 400)
        self.assertEqual((answer.json()["success"], answer.json()["failed"]), (1, 2))
        self.assertEqual([e["datapoint"] for e in answer.json()["errors"]], points[1:])
        for error in answer.json()["errors"]:
            self.assertIn(OLDER, error["error"])
        plain = self.server.post("/api/put", points)
        self.assertIn("2 of 3 refused, the first: o at ", plain.json()["error"]["details"])
        self.assertEqual(self.server.values("o"), [(self.now, 0)])
        self.refused(4)

    def test_influx_names_the_lines(self):
        answer = self.server.post("/write?precision=ms", f"i,h=a value=1 {self.now}\ni,h=a value=2 {self.old}\n")
        self.assertEqual(answer.status, 400)
        self.assertIn("partial write: line 2: i,h=a at ", answer.json()["error"])
        self.assertIn(OLDER, answer.json()["error"])
        self.assertEqual(self.server.values("i"), [(self.now, 1)])
        self.refused(1)

    def test_remote_write_is_not_to_be_repeated(self):
        series = [({"__name__": "r", "a": "b"}, [(self.old, 1.0), (self.now, 2.0)])]
        answer = self.server.post("/api/v1/write", wire.snappy(wire.write_request(series)),
                                  {"Content-Encoding": "snappy"})
        self.assertEqual(answer.status, 400)
        self.assertTrue(answer.body.decode().startswith("1 refused: series 0: r at "), answer)
        self.assertIn(OLDER, answer.body.decode())
        self.assertEqual(self.server.values("r"), [(self.now, 2)])
        self.refused(1)

    def test_otlp_counts_a_point(self):
        body = otlp.request([otlp.gauge("otlp", [otlp.point(self.old, 1.0), otlp.point(self.now, 2.0)])])
        answer = self.server.post("/v1/metrics", json.dumps(body), otlp.JSON)
        self.assertEqual(answer.status, 200)
        partial = answer.json()["partialSuccess"]
        self.assertEqual(partial["rejectedDataPoints"], "1")
        self.assertTrue(partial["errorMessage"].startswith("point 1: otlp at "), answer)
        self.assertIn(OLDER, partial["errorMessage"])
        self.assertEqual(self.server.values("otlp"), [(self.now, 2)])
        self.refused(1)

    def test_telnet_answers_a_line(self):
        with self.server.telnet() as telnet:
            telnet.send(f"put t {self.old // 1000} 1 a=b\nput t {self.now // 1000} 2 a=b\n")
            said = telnet.finish()
        self.assertTrue(said.startswith("put: illegal argument: t at "), said)
        self.assertIn(OLDER, said)
        self.assertEqual(self.server.values("t"), [(self.now, 2)])
        self.refused(1)

    def test_between_the_two_retentions_it_goes_into_the_rollups(self):
        late = (self.now - 3 * HOUR) // HOUR * HOUR
        self.server.influx(f"b value=4 {late}\nb value=6 {late + 1000}")
        self.server.settle()
        answer = self.server.post("/api/v1/datapoints/query", {
            "start_absolute": late, "end_absolute": late + HOUR - 1,
            "metrics": [{"name": "b", "aggregators": [
                {"name": "sum", "align_start_time": True, "sampling": {"value": 5, "unit": "minutes"}}]}]})
        self.assertEqual(answer.json()["queries"][0]["results"][0]["values"], [[late, 10]])
        if not cluster.chosen():  # there samples are read until the slot has been quiet
            self.assertIn("series=1, 5m=1, ms=", answer.header("Varve-Read"))
            self.assertGreaterEqual(self.server.metric("varve_query_windows_read_total"), 1)
        self.refused(0)
