# SPDX-License-Identifier: Apache-2.0
"""A stranger: one tenant does the most expensive things that requests of 16 KiB can do, another one writes and asks small
things meanwhile, and somebody asks whether the server is healthy. What they wait is bounded, and printed."""

import base64
import json
import os
import random
import socket
import threading
import time
import unittest
import urllib.parse

from support.client import http_request, wait_until
from support.sanitized import TIMES_SLOWER
from support.server import Server
from support.stranger import BODY_MAX, NEIGHBOUR, NOW_S, STRANGER, WAITS_MAX_S, StrangerCase

VALUES, VALUE_BYTES = 3000, 400


def costly(length, count=1):
    """Alternatives that each need a state for nearly every byte, and match nothing."""
    return "|".join(f"[ab]*{'ab'[i % 2]}[ab]{{{length - i}}}x" for i in range(count))


def kairos(values, metric="m_v", **more):
    return {"start_absolute": 0, "metrics": [{"name": metric, "tags": {"h": values}, **more}]}


class Stranger(StrangerCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server({"query.timeout": "3s", "http.origins": "", "limits.memory": "1GiB"})
        cls.addClassCleanup(cls.server.close)
        cls.server.start()
        cls.random = random.Random(1)
        cls.fill()

    @classmethod
    def fill(cls):
        """The stranger's long tag values and texts, and what the neighbour asks for."""
        text = "".join(cls.random.choice("ab") for _ in range(VALUE_BYTES + VALUES))
        cls.first = text[:VALUE_BYTES]
        for i in range(0, VALUES, 500):
            lines = "".join(f"m,h={text[k:k + VALUE_BYTES]} v=1 {NOW_S * 1000}\n" for k in range(i, i + 500))
            cls.server.influx(lines, headers=STRANGER)
        lines = "".join(f"wide{i % 300},a={i % 100},b={i % 7} v=1 {NOW_S * 1000}\n" for i in range(20_000))
        cls.server.influx(lines, headers=STRANGER)
        cls.server.influx(f"m,h=own v=1 {NOW_S * 1000}\n", headers=NEIGHBOUR)
        for size in (200, 20_000, 1_000_000):
            line = "".join(cls.random.choice("ab") for _ in range(size))
            cls.push(STRANGER, [line] * (1 if size > 100_000 else 50))
        cls.push(NEIGHBOUR, ["own"])

    @classmethod
    def push(cls, tenant, lines):
        body = "".join(json.dumps({"job": "x", "text": line}) + "\n" for line in lines)
        answer = cls.server.post("/api/v1/messages", body, tenant)
        assert answer.status == 204, answer

    # --- what he asks ---

    def loki(self, query, path="query_range", **more):
        more.setdefault("start", f"{NOW_S - 3600}")
        return self.post(f"/loki/api/v1/{path}", urllib.parse.urlencode({"query": query, **more}),
                         {"Content-Type": "application/x-www-form-urlencoded"})

    def analytics(self, *terms, path="/analytics/query"):
        where = [[{"name": "Xmlmessage", "op": 8, "value": term} for term in terms]]
        body = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now", "where": where}
        if path == "/analytics/query":
            body["select_fields"] = ["Xmlmessage"]
        return self.post(path, body)

    # --- what he does ---

    def test_expressions_that_are_large(self):
        """None is compiled on a thread that serves connections, and all of them are refused with the bound."""
        many = ["regex:(?i)\\pL{99}"] * 500
        answers = self.bear("large expressions", [
            lambda: self.post("/api/v1/datapoints/query", kairos(many)),
            lambda: self.post("/api/v1/datapoints/query", kairos(["regex:(?i)\\pL{99}"])),
            lambda: self.post("/api/v1/datapoints/query/tags", kairos(many)),
            lambda: self.post("/api/v1/datapoints/delete", kairos(many)),
            lambda: self.post("/api/query", {"start": 0, "queries": [{"metric": "m_v", "aggregator": "sum", "filters": [
                {"type": "regexp", "tagk": "h", "filter": "(?i)\\pL{99}", "groupBy": False}] * 100}]}),
            lambda: self.loki('{job="x"} ' + "|~ `(?i)\\pL{99}` " * 150),
            lambda: self.analytics(*["(?i)\\pL{99}"] * 150),
            lambda: self.analytics(*["(?i)\\pL{99}"] * 150, path="/api/v1/messages/delete"),
            lambda: self.post("/api/v1/rollups", {"name": "r", "execution_interval": {"value": 1, "unit": "hours"}, "rollups": [
                {"save_as": "s", "query": kairos(many)}]}),
        ])
        for number, answer in enumerate(answers):
            self.assertEqual(answer.status, 400, (number, answer))
            self.assertTrue(b"1 MiB" in answer.body or b"100 " in answer.body or b"16384" in answer.body, answer)
            self.assertLess(len(answer.body), 2000)

    def test_expressions_over_many_values(self):
        """They are compared without the lock that definitions need, and end with their time."""
        one = costly(VALUE_BYTES // 2, 40)
        answers = self.bear("expressions over tag values", [
            lambda: self.post("/api/v1/datapoints/query", kairos(["regex:" + one])),
            lambda: self.post("/api/v1/datapoints/query", kairos(["regex:.*(a|b).*"], aggregators=[{"name": "count", "sampling": {"value": 1, "unit": "days"}}])),
            lambda: self.post("/api/v1/datapoints/query/tags", kairos(["regex:" + one])),
            lambda: self.post("/api/query/last", {"queries": [{"metric": "m_v", "tags": {"h": f"regexp({costly(199)})"}}], "backScan": 24}),
            lambda: self.post("/api/v1/datapoints/delete", kairos(["regex:" + costly(100)], metric="m_v")),
        ])
        self.assertIn(answers[0].status, (200, 504), answers[0])

    def test_expressions_over_long_texts(self):
        """One row of a megabyte costs no more than it may, in questions and in deletes."""
        answers = self.bear("expressions over texts", [
            lambda: self.loki(f'{{job="x"}} |~ `{costly(900, 20)}`', limit=5),
            lambda: self.loki(f'{{job="x"}} |~ `{costly(90)}`', limit=5),
            lambda: self.loki(f'sum(count_over_time({{job="x"}} !~ `{costly(900, 5)}` [1h]))', step="1"),
            lambda: self.analytics(costly(900, 20)),
            lambda: self.analytics(costly(900, 20), path="/api/v1/messages/delete"),
        ])
        self.assertEqual(answers[0].status, 422, answers[0])
        self.assertIn(b"is too large for a value of", answers[0].body)
        for answer in answers:
            self.assertIn(answer.status, (200, 403, 422, 504), answer)  # 403: as analytics tells a limit

    def test_selections_and_lists(self):
        """All series, all names, all tags, as often as possible."""
        many = [{"name": f"wide{i}_v", "tags": {"a": [str(i % 100)]}} for i in range(300)]
        answers = self.bear("selections", [
            lambda: self.post("/api/v1/datapoints/query", {"start_absolute": 0, "metrics": many}),
            lambda: self.post("/api/v1/datapoints/query", {"start_absolute": 0, "metrics": [
                {"name": "m_v", "group_by": [{"name": "tag", "tags": ["h"]}]}] * 100}),
            lambda: self.ask("GET", "/api/v1/metricnames"),
            lambda: self.ask("GET", "/api/v1/tagvalues"),
            lambda: self.ask("GET", "/api/v1/catalog/series?metric=m_v&limit=100000"),
            lambda: self.ask("GET", "/api/v1/catalog/metrics?limit=100000"),
            lambda: self.post("/api/search/lookup", {"metric": "m_v", "limit": 100000}),
            lambda: self.post("/api/metadata/search", {"search": {"metricName": ["*" * 50 + "a" + "*" * 50] * 50}}),
            lambda: self.ask("GET", "/esmond/v2/inventory/?limit=1"),
        ])
        for answer in answers[:6]:
            self.assertIn(answer.status, (200, 422, 503, 504), answer)  # 503: more of his wait than may

    def test_long_windows(self):
        tiny = [{"name": "count", "sampling": {"value": 1, "unit": "milliseconds"}, "align_sampling": True}] * 20
        answers = self.bear("long windows", [
            lambda: self.post("/api/v1/datapoints/query", {"start_absolute": 0, "metrics": [{"name": "m_v", "aggregators": tiny}]}),
            lambda: self.loki('sum by (x) (count_over_time({job="x"}[365d]))', step="1", end=str(NOW_S), start=str(NOW_S - 10_000)),
            lambda: self.loki('{job="x"}', path="index/volume_range", step="1", end=str(NOW_S), start=str(NOW_S - 10_000)),
            lambda: self.ask("GET", f"/api/v1/catalog/windows?metric=m_v&width=1ms&start=0&end={NOW_S}000&limit=100000"),
        ])
        for answer in answers[:2]:
            self.assertIn(answer.status, (200, 400, 422, 504), answer)

    def test_questions_that_wait(self):
        """Tenants take turns: a question waits for those that run, not for all that another tenant has asked before."""
        for length in (5, 10, 20, 40, 90):
            def slow(expression=costly(length)):
                return self.loki(f'{{job="x"}} |~ `{expression}`', limit=5)
            begin = time.monotonic()
            slow()
            alone = time.monotonic() - begin
            if alone > 0.3:
                break
        ends = threading.Event()

        def ask_on():
            while not ends.is_set():
                slow()
        strangers = [threading.Thread(target=ask_on, daemon=True) for _ in range(20)]
        for one in strangers:
            one.start()
        wait_until(lambda: self.waiting(STRANGER) > 8, 60, "the stranger's questions wait")
        waits = []
        for _ in range(5):
            begin = time.monotonic()
            answer = http_request(self.server.port, "POST", "/api/v1/datapoints/query", kairos(["own"]), NEIGHBOUR, 120)
            waits.append(time.monotonic() - begin)
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(self.waiting(NEIGHBOUR), 0)
        ends.set()
        for one in strangers:
            one.join(120)
        print(f"    the neighbour's questions behind 20 of {alone:.2f} s: {', '.join(f'{w:.2f}' for w in waits)} s", flush=True)
        self.assertLess(max(waits), (4 * alone + WAITS_MAX_S) * TIMES_SLOWER)

    def waiting(self, tenant):
        return http_request(self.server.port, "GET", "/api/v1/admin/runningqueries", None, tenant, 120).json()["queries waiting"]

    def test_bodies_that_are_deep_or_wrong(self):
        deep = "[" * (BODY_MAX // 2 - 10) + "]" * (BODY_MAX // 2 - 10)
        answers = self.bear("deep bodies", [
            lambda path=path: self.post(path, deep)
            for path in ("/api/v1/datapoints/query", "/api/v1/datapoints", "/api/query", "/analytics/query", "/api/v1/messages",
                         "/loki/api/v1/push", "/v1/logs", "/api/metadata/search", "/api/v1/rollups", "/api/v1/snmp/devices")
        ])
        for answer in answers:
            self.assertGreaterEqual(answer.status, 400, answer)

    def test_those_who_follow(self):
        """Bad expressions end with a word; what others follow goes on."""
        neighbour = self.tail("neighbour", '{job="x"}')
        strangers = [self.tail("stranger", f'{{job="x"}} |~ `{costly(900 - i)}`') for i in range(20)]
        line = "".join(self.random.choice("ab") for _ in range(15_000))

        def push():
            body = json.dumps({"job": "x", "text": line}) + "\n"
            return self.post("/api/v1/messages", body)
        self.bear("followers", [push])
        marker = f"heard-{time.monotonic_ns()}"
        begin = time.monotonic()
        self.push(STRANGER, [line])
        self.push(NEIGHBOUR, [marker])
        self.assertTrue(self.hears(neighbour, marker.encode(), 30))
        waited = time.monotonic() - begin
        print(f"    the neighbour hears after {waited * 1000:.0f} ms", flush=True)
        self.assertLess(waited, WAITS_MAX_S * TIMES_SLOWER)
        for one in strangers:
            one.close()
        self.assertEqual(self.ask("GET", "/-/healthy").status, 200)

    def tail(self, tenant, query):
        s = socket.create_connection(("127.0.0.1", self.server.port), timeout=60)
        self.addCleanup(s.close)
        key = base64.b64encode(os.urandom(16)).decode()
        path = f"/t/{tenant}/loki/api/v1/tail?" + urllib.parse.urlencode({"query": query, "limit": 0})
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += s.recv(1)
        self.assertIn(b" 101 ", head)
        return s

    @staticmethod
    def hears(s, marker, seconds):
        until, seen = time.monotonic() + seconds, b""
        while marker not in seen:
            s.settimeout(max(0.01, until - time.monotonic()))
            piece = s.recv(65536)
            if not piece or time.monotonic() > until:
                return False
            seen = seen[-1000:] + piece
        return True


if __name__ == "__main__":
    unittest.main()
