# SPDX-License-Identifier: Apache-2.0
"""Contrail's analytics API: queries that are answered later, and the purge."""

import http.client
import json
import threading
import time
import unittest

from support import cluster
from support.case import ServerCase
from support.logs import SECOND, Logs, now_us, term

HOUR = 3600 * SECOND
LATER = {"Expect": "202-accepted"}


class Later(ServerCase):
    tenants = 0

    def setUp(self):
        Later.tenants += 1
        self.logs = Logs(self.server, f"l{self.tenants}")

    def get(self, path, tenant=None):
        return self.server.request("GET", path, headers={"X-Tenant": tenant or self.logs.headers["X-Tenant"]})

    def begin(self, headers=LATER, **more):
        body = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now", "select_fields": ["Xmlmessage"], **more}
        return self.server.request("POST", "/analytics/query", json.dumps(body).encode(), {**self.logs.headers, **headers})

    def begun(self, **more):
        answer = self.begin(**more)
        self.assertEqual(answer.status, 202, answer.body)
        said = json.loads(answer.body)
        self.assertEqual(list(said), ["href"])
        return said["href"]

    def state(self, href):
        answer = self.get(href)
        self.assertEqual(answer.status, 200, answer.body)
        return json.loads(answer.body)

    def ended(self, href):
        until = time.monotonic() + 60
        while True:
            state = self.state(href)
            if state["progress"] == 100 or state["progress"] < 0:
                return state
            self.assertLess(time.monotonic(), until, state)
            threading.Event().wait(0.02)

    def lists(self, tenant=None):
        return json.loads(self.get("/analytics/queries", tenant).body)


class Answers(Later):
    def test_a_result_is_read_as_often_as_one_likes(self):
        self.logs.put({"text": "a"}, {"text": "b & <c>"})
        for headers in (LATER, {"Expect": "202-Accepted"}, {"Postman-Expect": "202-accepted"}):
            href = self.begun(headers=headers)
            self.assertRegex(href, "^/analytics/query/[0-9a-f-]+$")
            state = self.ended(href)
            self.assertEqual(state["progress"], 100)
            (chunk,) = state["chunks"]
            self.assertEqual(chunk["href"], href + "/chunk-final/0")
            self.assertEqual((chunk["progress"], chunk["count"], chunk["lines"]), (100, 2, 1))
            self.assertEqual(chunk["end_time"] - chunk["start_time"], HOUR)
            self.assertTrue(0 < chunk["ttl"] <= 300)
            for _ in range(3):
                self.assertEqual(json.loads(self.get(chunk["href"]).body), {"value": [{"Xmlmessage": "a"}, {"Xmlmessage": "b & <c>"}]})

    def test_an_href_names_the_tenant_where_the_path_did(self):
        self.logs.put({"text": "mine"})
        tenant = "/t/" + self.logs.headers["X-Tenant"]
        body = json.dumps({"table": "MessageTable", "start_time": "now-1h", "end_time": "now", "select_fields": ["Xmlmessage"]})
        href = json.loads(self.server.request("POST", tenant + "/analytics/query", body.encode(), LATER).body)["href"]
        self.assertTrue(href.startswith(tenant + "/analytics/query/"), href)
        until = time.monotonic() + 60
        while (state := json.loads(self.server.request("GET", href).body))["progress"] != 100:
            self.assertLess(time.monotonic(), until)
        self.assertEqual(json.loads(self.server.request("GET", state["chunks"][0]["href"]).body), {"value": [{"Xmlmessage": "mine"}]})

    def test_every_kind_of_question(self):
        self.logs.put(*({"source": f"h{i % 3}", "text": f"text {i}", "objects": [f"Rack:r{i % 4}"]} for i in range(50)))
        kinds = [{}, dict(limit=3), dict(sort_fields=["Xmlmessage"], sort=2), dict(where=[[term("Source", "none")]]),
                 dict(select_fields=["Source"], aggregate=["count"]), dict(table="Rack", select_fields=["ObjectId"]),
                 dict(table="StatTable.FieldNames.fields", select_fields=["name", "fields.value"])]
        for kind in kinds:
            with self.subTest(kind):
                now = self.begin(headers={}, **kind)
                self.assertEqual(now.status, 200)
                href = self.begun(**kind)
                count = self.ended(href)["chunks"][0]["count"]
                later = json.loads(self.get(href + "/chunk-final/0").body)
                self.assertEqual(later, json.loads(now.body))
                self.assertEqual(count, len(later["value"]))

    def test_a_large_result(self):
        begin = now_us() - 60 * SECOND
        count = 4000
        for first in range(0, count, 1000):
            self.logs.put(*({"time": begin + i, "text": f"{i} " + "x" * 500} for i in range(first, first + 1000)))
        href = self.begun(select_fields=["MessageTS", "Xmlmessage"])
        state = self.ended(href)
        self.assertEqual(state["chunks"][0]["count"], count)
        self.assertGreater(state["chunks"][0]["lines"], 3)
        rows = json.loads(self.get(href + "/chunk-final/0").body)["value"]
        self.assertEqual([row["MessageTS"] for row in rows], [begin + i for i in range(count)])

    def test_what_is_wrong_is_said_at_once(self):
        for status, body in [(410, dict(table="NoTable")), (404, dict(select_fields=["nothing"])), (404, dict(where=[[]])),
                             (400, dict(end_time="soon")), (400, dict(limit=0)), (404, dict(follow=True))]:
            with self.subTest(body):
                self.assertEqual(self.begin(**body).status, status)
        self.assertEqual(self.server.request("POST", "/analytics/query", b"{", {**self.logs.headers, **LATER}).status, 400)

    def test_only_where_a_handler_knows_it(self):
        for method, path in [("POST", "/api/v1/messages"), ("GET", "/analytics/queries"), ("POST", "/api/put")]:
            with self.subTest(path):
                self.assertEqual(self.server.request(method, path, b"{}" if method == "POST" else None, {**self.logs.headers, **LATER}).status, 417)
        self.assertEqual(self.begin(headers={"Expect": "gold"}).status, 417)

    def test_unknown_ids_and_other_tenants(self):
        self.logs.put({"text": "secret"})
        href = self.begun()
        self.ended(href)
        for path in (href, href + "/chunk-final/0"):
            self.assertEqual(self.get(path).status, 200)
            self.assertEqual(self.get(path, "stranger").status, 410)
        for path in (href + "/chunk-final/1", href + "/chunk-final/", href + "0", "/analytics/query/none", "/analytics/query/none/chunk-final/0"):
            self.assertEqual(self.get(path).status, 410, path)


class Lists(Later):
    def test_running_and_failed(self):
        self.assertEqual(self.lists(), {"pending_queries": [], "queries_being_processed": [], "abandoned_queries": [], "error_queries": []})
        self.logs.put(*({"text": f"{i}"} for i in range(2000)))
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        body = json.dumps({"table": "MessageTable", "start_time": "now", "select_fields": ["Source"], "follow": True})
        connection.request("POST", "/analytics/query", body, {**self.logs.headers, "Accept": "application/x-ndjson"})
        with connection.getresponse():
            (one,) = self.lists()["queries_being_processed"]
            self.assertEqual(one["query"], body)
            self.assertLess(abs(one["enqueue_time"] - now_us()), 60 * SECOND)
            self.assertEqual(self.lists("stranger")["queries_being_processed"], [])
            self.assertEqual(self.server.request("DELETE", "/api/v1/admin/killquery/" + one["query_id"], headers=self.logs.headers).status, 204)
        connection.close()
        until = time.monotonic() + 30
        while self.lists()["queries_being_processed"]:
            self.assertLess(time.monotonic(), until)


class Bounded(Later):
    config = {"messages.rows_max": "10"}

    def test_a_failure_is_shown_as_one_at_once_would_be(self):
        self.logs.put(*({"text": f"{i}"} for i in range(11)))
        at_once = self.begin(headers={})
        self.assertEqual(at_once.status, 403)
        href = self.begun()
        state = self.ended(href)
        self.assertEqual(state["progress"], -105)  # ENOBUFS
        self.assertIn("messages.rows_max", state["error"])
        chunk = self.get(href + "/chunk-final/0")
        self.assertEqual(chunk.status, 403)
        self.assertIn(b"messages.rows_max", chunk.body)
        (failed,) = self.lists()["error_queries"]
        self.assertEqual((failed["error_code"], failed["query_id"]), (-105, href.split("/")[-1]))
        self.assertEqual(self.lists("stranger")["error_queries"], [])


@unittest.skipIf(cluster.chosen(), "results of a cluster are in Cassandra")
class Memory(Later):
    config = {"limits.memory": "32MiB"}

    def test_results_take_a_part_of_it(self):
        """A quarter. What finds no room fails and says so; what is kept stays."""
        for first in range(0, 3000, 500):
            self.logs.put(*({"text": f"{i} " + "x" * 1000} for i in range(first, first + 500)))
        kept, ended = [], None
        while ended is None or ended["progress"] == 100:
            href = self.begun()
            ended = self.ended(href)
            if ended["progress"] == 100:
                kept.append(href)
            self.assertLess(len(kept), 5)
        self.assertEqual(len(kept), 2)  # of 3 MB
        self.assertEqual(ended["progress"], -16)  # EBUSY
        self.assertIn("results that are kept", ended["error"])
        self.assertEqual(self.get(href + "/chunk-final/0").status, 503)
        self.assertLess(self.server.metric("varve_query_results_bytes"), 8 << 20)
        for href in kept:
            self.assertEqual(len(json.loads(self.get(href + "/chunk-final/0").body)["value"]), 3000)


class Purge(Later):
    def purge(self, body):
        return self.server.request("POST", "/analytics/operation/database-purge", body if isinstance(body, bytes) else json.dumps(body).encode(),
                                   self.logs.headers)

    def purged(self, purge_input):
        """Begins one, when the one before, whose messages may be gone already, has come to its end."""
        end = time.monotonic() + 30
        said = {"status": "running"}
        while said["status"] == "running":
            self.assertLess(time.monotonic(), end, said)
            answer = self.purge({"purge_input": purge_input})
            self.assertEqual(answer.status, 200, answer.body)
            said = json.loads(answer.body)
        self.assertEqual(said["status"], "started")
        self.assertRegex(said["purge_id"], "^[0-9a-f-]{36}$")

    def until(self, texts):
        end = time.monotonic() + 30
        while self.logs.texts() != texts:
            self.assertLess(time.monotonic(), end, self.logs.texts())
            threading.Event().wait(0.05)

    def test_what_is_older_goes(self):
        other = Logs(self.server, "other")
        now = now_us()
        times = [now - h * HOUR for h in (10, 8, 6, 4, 2)]
        messages = [{"time": t, "text": str(i)} for i, t in enumerate(times)] + [{"text": "new"}]
        other.put(*messages)
        self.logs.put(*messages)
        self.server.settle()
        self.purged(times[1])  # what is older, not what is as old
        self.until(["1", "2", "3", "4", "new"])
        self.purged("now-7h")
        self.until(["2", "3", "4", "new"])
        self.logs.put({"time": now - 9 * HOUR, "text": "late"})
        self.purged(50)  # 4.5 h of 9
        self.until(["3", "4", "new"])
        self.purged(100)
        self.until([])
        self.logs.put({"text": "after"})
        self.assertEqual(self.logs.texts(), ["after"])
        self.assertEqual(len(other.texts()), len(messages))

    def test_of_nothing(self):
        self.purged(20)

    def test_bad_input(self):
        self.logs.put({"text": "stays"})
        for body in (b"{", b"", {}, [], {"purge_input": None}, {"purge_input": 0}, {"purge_input": -5}, {"purge_input": "soon"},
                     {"purge_input": 1.5}, {"purge_input": [1]}, {"purge_input": 5, "other": 1}):
            with self.subTest(body):
                answer = self.purge(body)
                self.assertEqual(answer.status, 400, answer.body)
                self.assertIn("error", json.loads(answer.body))
        self.assertEqual(self.logs.texts(), ["stays"])


if __name__ == "__main__":
    unittest.main()
