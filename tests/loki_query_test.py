# SPDX-License-Identifier: Apache-2.0
"""Loki's queries of messages, as Grafana's data source sends them; the same answers from memory, from the database and after
a restart."""

import json
import time
import unittest
import urllib.parse

from support.case import ServerCase

SECOND = 1_000_000_000  # ns
T = time.time_ns() // SECOND * SECOND - 3 * 3600 * SECOND  # three hours ago: slots that have ended
RANGE = {"start": T, "end": T + 60 * SECOND}
FLAGS = {"X-Loki-Response-Encoding-Flags": "categorize-labels"}

# As a push of Loki's agents stores them: labels are fields, and source and module are taken from them.
PUSHED = [{"time": T + i * SECOND + 7, "source": f"h{i % 2}", "module": "web", "job": "web", "host": f"h{i % 2}",
           "text": json.dumps({"status": 200 + 100 * (i % 4), "took": f"{i}ms"})} for i in range(8)]
OTHERS = [
    {"time": T + 10 * SECOND, "source": "node-1", "module": "nginx", "type": "Access", "level": "warn", "category": "daemon",
     "user": {"name": "joe"}, "text": 'msg="a slow one" took=1.5s'},
    {"time": T + 11 * SECOND, "source": "node-1", "module": "nginx", "type": "Access", "level": "err", "text": "grüße \"x\"\\"},
]


class LokiQueries(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        body = "".join(json.dumps(m) + "\n" for m in PUSHED + OTHERS)
        answer = cls.server.request("POST", "/api/v1/messages?precision=ns", body.encode())
        assert answer.status == 204, answer

    def ask(self, path, headers=None, method="GET", **parameters):
        text = urllib.parse.urlencode(parameters, doseq=True)
        path = "/loki/api/v1/" + path
        if method == "GET":
            return self.server.request("GET", path + "?" + text, None, headers)
        return self.server.request("POST", path, text.encode(), {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})})

    def data(self, path, headers=None, **parameters):
        answer = self.ask(path, headers, **parameters)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.json()["status"], "success")
        return answer.json()["data"]

    def lines(self, query, **more):
        """(labels, time, line) of each line, as they come."""
        data = self.data("query_range", query=query, **{**RANGE, **more})
        self.assertEqual(data["resultType"], "streams")
        return [(s["stream"], int(v[0]), v[1]) for s in data["result"] for v in s["values"]]

    def test_the_same_from_everywhere(self):
        for way in ("hot", "in the database", "after a restart"):
            if way == "in the database":
                self.server.settle()
            if way == "after a restart":
                self.server.restart()
            for check in (self.check_health, self.check_lines, self.check_grafana_lines, self.check_metrics, self.check_names,
                          self.check_index, self.check_fields):
                with self.subTest(f"{way}: {check.__name__}"):
                    check()

    def check_health(self):
        """What Grafana asks when a data source is saved."""
        data = self.data("query", query="vector(1)+vector(1)", time=str(T), direction="backward")
        self.assertEqual(data["resultType"], "vector")
        self.assertEqual(data["result"], [{"metric": {}, "value": [T // SECOND, "2"]}])
        self.assertIn("version", self.ask("status/buildinfo").json())

    def check_lines(self):
        web = [({"job": "web", "host": m["host"]}, m["time"], m["text"]) for m in PUSHED]
        by_stream = sorted(web, key=lambda line: (line[0]["host"], line[1]))
        self.assertEqual(self.lines('{job="web"}', direction="forward"), by_stream)
        self.assertEqual(self.lines('{job="web"}', limit=2), sorted(web[-2:], key=lambda line: line[0]["host"]))
        self.assertEqual(self.lines('{job="web"}', limit=1, direction="forward"), web[:1])
        # The start belongs to the range, to the nanosecond; the end does not.
        self.assertEqual(self.lines('{job="web"}', start=PUSHED[2]["time"], end=PUSHED[3]["time"]), web[2:3])
        self.assertEqual(self.lines('{job="web"}', start=PUSHED[2]["time"], end=PUSHED[2]["time"]), [])
        self.assertEqual(self.lines('{host="h1"} | json | status>=500 | keep job, host'), web[7:2:-4])
        other = {"source": "node-1", "module": "nginx", "type": "Access"}
        self.assertEqual(self.lines('{level="error"}'), [({**other, "level": "err"}, OTHERS[1]["time"], OTHERS[1]["text"])])
        self.assertEqual(self.lines('{source="node-1"} |= "slow" | logfmt | took>1s | keep level'),
                         [({"level": "warning"}, OTHERS[0]["time"], OTHERS[0]["text"])])
        self.assertEqual(self.lines('{source="nobody"}'), [])

    def check_grafana_lines(self):
        """Explore: lines with categorized labels; its form by POST is answered alike."""
        asked = {"query": '{source="node-1"} |= `slow` | logfmt', "direction": "backward", "limit": "1000", "step": "15000ms", **RANGE}
        data = self.data("query_range", FLAGS, **asked)
        self.assertEqual(data["encodingFlags"], ["categorize-labels"])
        self.assertEqual(data["result"], [{
            "stream": {"source": "node-1", "module": "nginx", "type": "Access", "level": "warning", "category": "daemon"},
            "values": [[str(OTHERS[0]["time"]), OTHERS[0]["text"],
                        {"structuredMetadata": {"user_name": "joe"}, "parsed": {"msg": "a slow one", "took": "1.5s"}}]]}])
        posted = self.ask("query_range", FLAGS, "POST", **asked)
        self.assertEqual((posted.status, posted.json()["data"]), (200, data))

    def check_metrics(self):
        # The histogram above the lines.
        data = self.data("query_range", query='sum by (level, detected_level) (count_over_time({source=~".+"} | drop __error__[20s]))',
                         step="20000ms", **RANGE)
        self.assertEqual(data["resultType"], "matrix")
        at = T // SECOND + 20
        self.assertEqual(data["result"], [{"metric": {}, "values": [[at, "8"]]}, {"metric": {"level": "err"}, "values": [[at, "1"]]},
                                          {"metric": {"level": "warning"}, "values": [[at, "1"]]}])
        data = self.data("query", query='topk(1, sum by (status) (rate({job="web"} | json [10s])))', time=T + 9 * SECOND)
        self.assertEqual(data["result"], [{"metric": {"status": "200"}, "value": [T // SECOND + 9, "0.2"]}])
        data = self.data("query", query='sum(bytes_over_time({job="web"}[1m]))', time=(T + 59 * SECOND) / SECOND)
        self.assertEqual(data["result"][0]["value"][1], str(sum(len(m["text"]) for m in PUSHED)))

    def check_names(self):
        self.assertEqual(self.data("labels", **RANGE), ["category", "host", "job", "level", "module", "source", "type"])
        self.assertEqual(self.data("labels", query='{job="web"}', **RANGE), ["host", "job"])
        self.assertEqual(self.data("label/host/values", **RANGE), ["h0", "h1"])
        self.assertEqual(self.data("label/level/values", query='{source="node-1"}', **RANGE), ["err", "warning"])
        self.assertEqual(self.data("label/nothing/values", **RANGE), [])
        self.assertEqual(self.data("labels", start=1, end=2), [])
        series = [{"job": "web", "host": "h0"}, {"job": "web", "host": "h1"}]
        self.assertEqual(self.data("series", **{"match[]": '{job="web"}'}, **RANGE), series)
        self.assertEqual(len(self.data("series", **{"match[]": ['{job="web"}', '{level="err"}']}, **RANGE)), 3)

    def check_index(self):
        answer = self.ask("index/stats", query='{job="web"}', **RANGE).json()
        size = sum(len(m["text"]) for m in PUSHED)
        self.assertEqual(answer, {"streams": 2, "chunks": 2, "bytes": size, "entries": 8})
        data = self.data("index/volume", query='{job="web"}', **RANGE)
        self.assertEqual(data["result"], [{"metric": {"job": "web"}, "value": [T // SECOND + 60, str(size)]}])
        data = self.data("index/volume", query='{job="web"}', targetLabels="host", limit=1, **RANGE)
        self.assertEqual(len(data["result"]), 1)
        data = self.data("index/volume", query='{job="web"}', targetLabels="host,job", aggregateBy="labels", **RANGE)
        self.assertEqual([one["metric"] for one in data["result"]], [{"host": ""}, {"job": ""}])

    def check_fields(self):
        answer = self.ask("detected_fields", query='{source=~".+"}', **RANGE).json()
        self.assertEqual({f["label"]: (f["type"], f["cardinality"], f["parsers"]) for f in answer["fields"]}, {
            "status": ("int", 4, ["json"]), "took": ("duration", 9, ["json", "logfmt"]), "msg": ("string", 1, ["logfmt"]),
            "user_name": ("string", 1, None)})
        answer = self.ask("detected_field/status/values", query='{source=~".+"}', limit=3, **RANGE).json()
        self.assertEqual(answer, {"values": ["200", "300", "400"], "limit": 3})
        self.assertEqual(self.ask("detected_field/nothing/values", query='{source=~".+"}', **RANGE).json()["values"], [])

    def test_it_is_a_running_query(self):
        before = self.server.request("GET", "/metrics").body.decode()
        self.lines('{job="web"}')
        after = self.server.request("GET", "/metrics").body.decode()
        count = [next(float(line.split()[-1]) for line in text.splitlines() if line.startswith('varve_queries_total{api="loki"}'))
                 for text in (before, after)]
        self.assertEqual(count[1], count[0] + 1)

    def test_depth(self):
        answer = self.ask("query", query="sum(" * 60 + "vector(1)" + ")" * 60)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.ask("query", query="sum(" * 70 + "vector(1)" + ")" * 70).status, 400)


class Bounded(ServerCase):
    config = {"query.memory": "1MiB", "messages.rows_max": "50"}

    def test_memory_and_rows(self):
        now = time.time_ns() // 1000
        body = "".join(json.dumps({"time": now - i, "stream": f"s{i}", "text": "x" * 50}) + "\n" for i in range(8000))
        self.assertEqual(self.server.request("POST", "/api/v1/messages", body.encode()).status, 204)

        def status(path, **parameters):
            return self.server.get(f"/loki/api/v1/{path}?" + urllib.parse.urlencode(parameters)).status

        everything = '{stream=~".+"}'
        self.assertEqual(status("query_range", query=everything, limit=20), 200)
        self.assertEqual(status("query_range", query=everything, limit=51), 400)
        self.assertEqual(status("query_range", query="vector(1)", step=1), 422)
        self.assertEqual(status("query", query=f"count_over_time({everything}[1h])"), 422)
        self.assertEqual(status("query", query=f"sum(count_over_time({everything}[1h]))"), 200)
        self.assertEqual(status("labels"), 200)


if __name__ == "__main__":
    unittest.main()
