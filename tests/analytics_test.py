# SPDX-License-Identifier: Apache-2.0
"""Contrail's analytics API beyond the plain question: answers that stream, and that go on with what comes."""

import http.client
import json
import socket
import threading
import time
import unittest

from support.case import ServerCase

SECOND = 1_000_000  # us
LINES = {"Accept": "application/x-ndjson"}


def now_us():
    return time.time_ns() // 1000


class Tail:
    """A question whose answer is read line by line."""

    def __init__(self, server, tenant, **body):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        body = {"table": "MessageTable", "start_time": "now-1h", "select_fields": ["Xmlmessage"], **body}
        self.connection.request("POST", "/analytics/query", json.dumps(body), {"X-Tenant": tenant, **LINES})
        self.answer = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def line(self):
        """The next one; None at the end."""
        text = self.answer.readline()
        return json.loads(text) if text else None

    def text(self):
        line = self.line()
        return line and line["Xmlmessage"]

    def close(self):
        if self.connection.sock is not None:
            self.connection.sock.close()
        self.answer.close()
        self.connection.close()


class Analytics(ServerCase):
    tenants = 0

    def setUp(self):
        Analytics.tenants += 1
        self.tenant = f"t{self.tenants}"

    def put(self, *messages, tenant=None):
        body = "".join(json.dumps(m) + "\n" for m in messages).encode()
        answer = self.server.request("POST", "/api/v1/messages", body, {"X-Tenant": tenant or self.tenant})
        self.assertEqual(answer.status, 204, answer.body)

    def ask(self, headers=None, **body):
        body = {"table": "MessageTable", "start_time": "now-1h", "select_fields": ["Xmlmessage"], **body}
        return self.server.request("POST", "/analytics/query", json.dumps(body).encode(), {"X-Tenant": self.tenant, **(headers or {})})

    def get(self, path, tenant=None):
        return self.server.request("GET", path, headers={"X-Tenant": tenant or self.tenant})

    def tail(self, **body):
        return Tail(self.server, self.tenant, **body)

    def follow(self, **body):
        return self.tail(follow=True, **body)

    def until(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "it takes too long")
            threading.Event().wait(0.02)


class Streams(Analytics):
    def test_rows_are_lines(self):
        begin = now_us() - 60 * SECOND
        count = 30_000  # several pieces
        for first in range(0, count, 5000):
            self.put(*({"time": begin + i, "source": f"h{i % 3}", "text": f"text {i}"} for i in range(first, first + 5000)))
        with self.tail(select_fields=["MessageTS"], end_time="now") as tail:
            self.assertEqual(tail.answer.getheader("Content-Type"), "application/x-ndjson")
            for i in range(count):
                self.assertEqual(tail.line(), {"MessageTS": begin + i})
            self.assertIsNone(tail.line())
        whole = json.loads(self.ask(end_time="now", select_fields=["MessageTS"]).body)["value"]
        self.assertEqual(len(whole), count)
        kinds = [dict(select_fields=["MessageTS"], sort_fields=["MessageTS"], sort=2, limit=3), dict(sort_fields=["Xmlmessage"], limit=7), dict(limit=1),
                 dict(select_fields=["Source"], aggregate=["count"]), dict(where=[[{"name": "Source", "value": "none", "op": 1}]]),
                 dict(table="StatTable.FieldNames.fields", select_fields=["name", "fields.value"])]
        for kind in kinds:
            with self.subTest(kind):
                expected = json.loads(self.ask(end_time="now", **kind).body)["value"]
                with self.tail(end_time="now", **kind) as tail:
                    self.assertEqual([tail.line() for _ in expected], expected)
                    self.assertIsNone(tail.line())

    def test_what_is_wrong_is_no_stream(self):
        for status, body in [(410, dict(table="NoTable", end_time="now")), (404, dict(select_fields=["nothing"], end_time="now")),
                             (400, dict(end_time="soon")), (404, dict(follow=True, sort_fields=["Xmlmessage"])),
                             (404, dict(follow=True, select_fields=["id"]))]:
            with self.subTest(body), self.tail(**body) as tail:
                self.assertEqual(tail.answer.status, status)
                self.assertIn("error", json.loads(tail.answer.read()))
        self.assertEqual(self.ask(follow=True).status, 404)


class Describes(Analytics):
    def value(self, path, tenant=None):
        answer = self.get(path, tenant)
        self.assertEqual(answer.status, 200, (path, answer.body))
        return json.loads(answer.body)

    def links(self, path):
        return {one["name"]: one["href"] for one in self.value(path)}

    def test_tables_columns_and_values(self):
        self.assertEqual(self.links("/analytics")["tables"], "/analytics/tables")
        self.assertNotIn("Rack/1", self.links("/analytics/tables"))
        self.put({"source": "h2", "module": "m", "objects": ["Rack:r1", "ObjectVNTable:a:b"]}, {"source": "h1", "level": "err"})
        tables = {one["name"]: one for one in self.value("/analytics/tables")}
        self.assertEqual(tables["MessageTable"]["type"], "LOG")
        self.assertEqual(tables["StatTable.FieldNames.fields"]["type"], "STAT")
        self.assertEqual(tables["ObjectVNTable"], {"name": "ObjectVNTable", "type": "OBJECT", "display_name": "Virtual Network",
                                                   "href": "/analytics/table/ObjectVNTable"})
        self.assertEqual(tables["Rack"]["type"], "OBJECT")
        for name, table in tables.items():
            parts = self.links(table["href"])
            schema = self.value(parts["schema"])
            self.assertEqual(schema["type"], table["type"], name)
            self.assertTrue(all(set(column) == {"name", "datatype", "index"} for column in schema["columns"]))
            self.links(parts["column-values"])
        columns = {c["name"]: c for c in self.value("/analytics/table/MessageTable/schema")["columns"]}
        self.assertEqual(columns["Source"], {"name": "Source", "datatype": "string", "index": True})
        self.assertFalse(columns["Xmlmessage"]["index"])
        links = self.links("/analytics/table/MessageTable/column-values")
        self.assertNotIn("Xmlmessage", links)
        self.assertEqual(self.value(links["Source"]), ["h1", "h2"])
        self.assertEqual(self.value(links["Level"]), ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"])
        self.assertEqual(self.value("/analytics/table/Rack/column-values/ObjectId"), ["r1"])
        self.assertEqual(self.value("/analytics/table/Rack/column-values/Source"), ["h2"])

    def test_unknown_names(self):
        self.put({"source": "h", "objects": ["Secret:x"]}, tenant="stranger")
        for path in ["", "/schema", "/column-values", "/column-values/Source"]:
            self.assertEqual(self.get("/analytics/table/NoTable" + path).status, 410, path)
            self.assertEqual(self.get("/analytics/table/Secret" + path).status, 410, path)
            self.assertEqual(self.get("/analytics/table/Secret" + path, "stranger").status, 200, path)
        self.assertEqual(self.get("/analytics/table/MessageTable/column-values/Xmlmessage").status, 404)
        self.assertEqual(self.get("/analytics/table/MessageTable/column-values/nothing").status, 404)
        self.assertEqual(self.value("/analytics/table/MessageTable/column-values/Source"), [])

    def test_start_time(self):
        def start():
            return self.value("/analytics/operation/analytics-data-start-time")["analytics_data_start_time"]

        before = now_us()
        self.assertGreaterEqual(start(), before // 1000 * 1000)
        first = before - 3600 * SECOND
        self.put({"time": first + 5, "text": "second"}, {"time": first, "text": "first"})
        self.assertEqual(start(), first)
        self.server.settle()
        self.assertEqual(start(), first)


class Follows(Analytics):
    def test_what_is_stored_and_then_what_comes(self):
        self.put({"text": "before"}, {"source": "other", "text": "not asked for"})
        with self.follow(where=[[{"name": "Source", "value": "other", "op": 2}]]) as tail:
            self.assertEqual(tail.text(), "before")
            for i in range(20):
                begun = time.monotonic()
                self.put({"text": f"new {i}"}, {"source": "other", "text": "not asked for"})
                self.assertEqual(tail.text(), f"new {i}")
                self.assertLess(time.monotonic() - begun, 1)
            self.put({"text": "another tenant's"}, tenant="stranger")
            self.put({"text": "last"})
            self.assertEqual(tail.text(), "last")

    def test_each_once_while_others_write(self):
        """Followers that come while messages are written see each of them, those from before and those from then on."""
        writers, tails, written = 3, [], []

        def write(writer):
            # As long as it takes until some have come.
            for i in range(10_000):
                if i >= 300 and len(tails) > 4:
                    return
                written.append(f"{writer}-{i}")
                self.put({"text": f"{writer}-{i}"})

        threads = [threading.Thread(target=write, args=(w,)) for w in range(writers)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            tails.append(self.follow())
        for thread in threads:
            thread.join()
        self.assertGreater(len(tails), 3)
        self.put({"text": "end"})
        for tail in tails:
            with tail:
                seen = []
                while (text := tail.text()) != "end":
                    seen.append(text)
                self.assertEqual(sorted(seen), sorted(written))

    def test_object_tables_limits_and_repeats(self):
        with self.follow(table="ObjectVNTable", select_fields=["ObjectId", "Source"], where=[[{"name": "ObjectId", "value": "a", "op": 7}]],
                         limit=3) as ids, self.follow(start_time=now_us() - 5 * SECOND) as tail:
            self.put({"text": "1", "objects": ["ObjectVNTable:a1", "ObjectVNTable:b", "ObjectVNTable:a2"]})
            self.put({"time": now_us() - 60 * SECOND, "text": "before the start", "objects": ["ObjectVNTable:a3"]})
            self.put({"text": "no object"})
            self.assertEqual([ids.line()["ObjectId"] for _ in range(3)], ["a1", "a2", "a3"])
            self.assertIsNone(ids.line())  # it was the third
            self.assertEqual([tail.text(), tail.text()], ["1", "no object"])
            once = {"time": now_us(), "id": "0a1b2c3d-0000-4000-8000-00000000002a", "text": "once"}
            self.put(once, once)
            self.put(once)
            self.put({"text": "end"})
            self.assertEqual([tail.text(), tail.text()], ["once", "end"])

    def test_many_share_one_evaluation(self):
        metric = self.server.metric
        tails = [self.follow(start_time="now", select_fields=["Xmlmessage", "Source"]) for _ in range(200)]
        try:
            self.until(lambda: metric("varve_followers") == 200)
            self.assertEqual(metric("varve_followed_questions"), 1)
            before = metric("varve_followed_messages_total")
            for i in range(10):
                self.put({"source": "s", "text": str(i)})
            for tail in tails:
                self.assertEqual([tail.text() for _ in range(10)], [str(i) for i in range(10)])
            self.assertEqual(metric("varve_followed_messages_total") - before, 10)
        finally:
            for tail in tails:
                tail.close()
        self.until(lambda: metric("varve_followers") == 0)
        self.assertEqual(metric("varve_followed_questions"), 0)

    def test_who_reads_nothing_is_told_and_holds_up_nobody(self):
        body = json.dumps({"table": "MessageTable", "start_time": "now", "select_fields": ["Xmlmessage"], "follow": True}).encode()
        lazy = socket.create_connection(("127.0.0.1", self.server.port), timeout=60)
        lazy.sendall(b"POST /analytics/query HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\nX-Tenant: " + self.tenant.encode() +
                     b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)
        with lazy, self.follow(start_time="now", select_fields=["MessageTS", "Xmlmessage"]) as tail:
            self.until(lambda: self.server.metric("varve_followers") == 2)
            sent = 0
            while self.server.metric("varve_followers_dropped_total") == 0:
                self.put({"text": f"{sent} " + "x" * 1_000_000})
                self.assertTrue(tail.text().startswith(f"{sent} "))
                sent += 1
                self.assertLess(sent, 200)
            self.put({"text": "still here"})
            self.assertEqual(tail.text(), "still here")
            read = b""
            while not read.endswith(b"0\r\n\r\n"):
                piece = lazy.recv(1 << 20)
                self.assertTrue(piece)
                read = read[-300:] + piece
            self.assertIn(b'{"error":"messages come faster than they are read', read[-300:])

    def test_killed_and_listed(self):
        with self.follow(start_time="now") as tail:
            listed = json.loads(self.get("/api/v1/admin/runningqueries").body)["queries"]
            self.assertEqual([q["api"] for q in listed], ["analytics"])
            self.server.request("DELETE", "/api/v1/admin/killquery/" + listed[0]["query hash"], headers={"X-Tenant": self.tenant})
            with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
                if tail.answer.read() == b"":
                    raise ConnectionError
        self.until(lambda: json.loads(self.get("/api/v1/admin/runningqueries").body)["queries"] == [])


if __name__ == "__main__":
    unittest.main()
