# SPDX-License-Identifier: Apache-2.0
"""A log message that was acknowledged is found by any of its fields: at once, after a flush and a restart."""

import json
import socket
import subprocess
import threading
import time
import unittest

from support import cluster
from support.case import OwnServerCase, ServerCase
from support.logs import SECOND, Logs, now_us, term
from support.server import free_port

T = now_us() // SECOND * SECOND - 3 * 3600 * SECOND  # three hours ago: slots that have ended

POPULATION = [
    {"time": T + 1, "source": "node-1", "module": "contrail-collector", "type": "CollectorInfo", "level": "info", "kind": "system",
     "pid": 7, "sequence": 1, "objects": ["ObjectVNTable:a:b", "ObjectVMTable:1"], "text": "started & <ready> in 5ms"},
    {"time": T + 2, "source": "node-1", "module": "contrail-query-engine", "type": "QueryLog", "level": 4, "kind": "object",
     "category": "db", "objects": ["ObjectVNTable:a:c"], "text": "Timeout after 30s: %'\"\\*"},
    {"time": T + 3, "source": "node-2", "module": "contrail-query-engine", "type": "QueryLog", "level": "err", "kind": "uve",
     "ip": "10.0.0.2", "objects": ["ConfigObjectTableByUser:x", "ObjectVNTable:a:b"], "text": "grüße", "user": {"name": "joe", "tries": 12}},
    {"time": T + 4, "source": "node-2", "module": "contrail-analytics-api", "level": 7, "kind": "trace", "text": "traced",
     "objects": ["ObjectVNTable:a:b"]},
]


class Found(ServerCase):
    """The same answers from memory, from the database and after a restart."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.logs = Logs(cls.server)
        cls.logs.put(*POPULATION)

    def ways(self):
        yield "hot"
        self.server.settle()
        yield "in the database"
        self.server.restart()
        yield "after a restart"

    def test_everything(self):
        for way in self.ways():
            with self.subTest(way):
                self.check_conditions()
                self.check_order_and_limits()
                self.check_object_tables()
                self.check_counts_and_values()
                self.check_errors()

    def check_conditions(self):
        ask = self.logs.texts
        texts = [m["text"] for m in POPULATION]
        first, second, third, fourth = texts
        cases = [
            ({}, texts),
            ({"where": [[term("Source", "node-1")]]}, [first, second]),
            ({"where": [[term("ModuleId", "contrail-query", 7)]]}, [second, third]),
            ({"where": [[term("ModuleId", "contrail-query-engine"), term("Source", "node-1")]]}, [second]),
            ({"where": [[term("ModuleId", "contrail-collector")], [term("Source", "node-2")]]}, [first, third, fourth]),
            ({"where": [[term("Level", 4, 5)]]}, [second, third]),
            ({"where": [[term("Level", 4, 3, value2=6)]]}, [first, second]),
            ({"where": [[term("Level", "err")]]}, [third]),
            ({"where": [[term("Keyword", "TIMEOUT")]]}, [second]),
            ({"where": [[term("Keyword", "tim", 7)]]}, [second]),
            ({"where": [[term("Xmlmessage", "after 30s", 9)]]}, [second]),
            ({"where": [[term("Xmlmessage", "Timeout after 30s: %'\"\\*")]]}, [second]),
            ({"where": [[term("Xmlmessage", "gr.*e", 8)]]}, [third]),
            ({"where": [[term("ObjectName", "ObjectVNTable:a", 7)]]}, texts),
            ({"where": [[term("ObjectName", "ObjectVNTable:a:c")]]}, [second]),
            ({"where": [[term("ObjectName", "ObjectVNTable:a:c", 2)]]}, [first, third, fourth]),
            ({"where": [[term("user.name", "joe")]]}, [third]),
            ({"where": [[term("user.tries", 10, 6)]]}, [third]),
            ({"where": [[term("Category", "db", 2)]]}, [first, third, fourth]),
            ({"where": [[term("Source", "node-1")]], "filter": [[term("Level", 4, 5)]]}, [second]),
            ({"filter": [[term("ModuleId", "contrail-collector")], [term("ModuleId", "contrail-analytics-api")]]}, [first, fourth]),
            ({"where": [[term("Source", "nobody")]]}, []),
            ({"start": T + 2, "end": T + 3}, [second, third]),
            ({"start": T + 5}, []),
        ]
        for more, expected in cases:
            with self.subTest(more):
                self.assertEqual(ask(**more), expected)

    def check_order_and_limits(self):
        rows = self.logs.rows
        self.assertEqual([r["ModuleId"] for r in rows(["ModuleId"], sort_fields=["ModuleId"], sort=1, limit=1)],
                         ["contrail-analytics-api"])
        down = [r["MessageTS"] for r in rows(["MessageTS"], sort_fields=["MessageTS"], sort=2, limit=2)]
        self.assertEqual(down, [T + 4, T + 3])
        self.assertEqual(rows(["Level", "Type", "MessageTS", "SequenceNum", "Pid", "IPAddress"], limit=1),
                         [{"Level": 6, "Type": 1, "MessageTS": T + 1, "SequenceNum": 1, "Pid": 7, "IPAddress": None}])
        self.assertEqual(rows(["ObjectName", "user.tries"], start=T + 3, end=T + 3),
                         [{"ObjectName": ["ConfigObjectTableByUser:x", "ObjectVNTable:a:b"], "user.tries": 12}])

    def check_object_tables(self):
        rows = self.logs.rows
        self.assertEqual(rows(["ObjectId"], table="ObjectVNTable"), [{"ObjectId": "a:b"}, {"ObjectId": "a:c"}])
        self.assertEqual(rows(["ObjectId"], table="ConfigObjectTable"), [])
        got = rows(["ObjectId", "ObjectLog", "SystemLog"], table="ObjectVNTable", where=[[term("ObjectId", "a:b")]])
        self.assertEqual(got, [{"ObjectId": "a:b", "ObjectLog": None, "SystemLog": "started & <ready> in 5ms"},
                               {"ObjectId": "a:b", "ObjectLog": "grüße", "SystemLog": None}])
        self.assertEqual(len(rows(["ObjectId", "MessageTS", "ObjectLog", "SystemLog"], table="ObjectVNTable",
                                  where=[[term("ObjectId", "a", 7)]])), 3)

    def check_counts_and_values(self):
        rows = self.logs.rows
        self.assertEqual(rows(["Source"], aggregate=["count"]), [{"Source": "node-1", "count": 2}, {"Source": "node-2", "count": 2}])
        hours = rows(["T=3600"], aggregate=["count"])
        self.assertEqual(sum(r["count"] for r in hours), 4)
        values = rows(["fields.value"], table="StatTable.FieldNames.fields", where=[[term("name", "MessageTable:Messagetype")]])
        self.assertEqual([r["fields.value"] for r in values], ["CollectorInfo", "QueryLog"])
        values = rows(["fields.value"], table="StatTable.FieldNames.fields", where=[[term("name", "ObjectVNTable:ObjectId")]])
        self.assertEqual([r["fields.value"] for r in values], ["a:b", "a:c"])

    def check_errors(self):
        ask = self.logs.ask
        self.assertEqual(ask(table="NoTable").status, 410)
        self.assertEqual(ask(where=[[term("NoField", "x")]]).status, 404)
        self.assertEqual(ask(where=[[]]).status, 404)
        self.assertEqual(ask(["Source"], sort_fields=["Level"]).status, 404)
        self.assertEqual(ask(start=T + 9, end=T).status, 404)
        self.assertEqual(ask(limit=0).status, 400)
        self.assertEqual(ask(start="now-2d2h").status, 400)
        self.assertEqual(self.server.request("POST", "/analytics/query", b"{", self.logs.headers).status, 400)


class Kept(OwnServerCase):
    def test_bad_lines_cost_no_other(self):
        server = self.new_server()
        server.start()
        logs = Logs(server)
        body = b'{"text":"a"}\n\n{"text":\n{"time":1,"text":"old"}\n{"text":"b"}\n'
        answer = server.request("POST", "/api/v1/messages", body)
        self.assertEqual(answer.status, 400)
        said = json.loads(answer.body)
        self.assertEqual((said["accepted"], said["rejected"]), (2, 2))
        self.assertEqual([e["line"] for e in said["errors"]], [3, 4])
        self.assertIn("messages.retention", said["errors"][1]["error"])
        self.assertEqual(logs.texts(), ["a", "b"])
        ahead = logs.post([{"time": now_us() + 25 * 3600 * SECOND, "text": "ahead"}])
        self.assertIn(b"messages.future", ahead.body)
        self.assertEqual(server.metric("varve_messages_accepted_total", protocol="ndjson"), 2)

    def test_tenants_are_apart(self):
        server = self.new_server()
        server.start()
        one, other = Logs(server, "one"), Logs(server, "other")
        one.put({"text": "secret", "objects": ["SecretTable:x"], "secret": 1})
        for way in ("hot", "flushed"):
            with self.subTest(way):
                self.assertEqual(other.texts(), [])
                self.assertEqual(other.ask(table="SecretTable").status, 410)
                self.assertEqual(other.ask(where=[[term("secret", 1)]]).status, 404)
                self.assertEqual(one.texts(where=[[term("secret", 1)]]), ["secret"])
                self.assertEqual(one.rows(["ObjectId"], table="SecretTable"), [{"ObjectId": "x"}])
            server.settle()

    def test_tenants_have_their_bounds(self):
        server = self.new_server({"limits.tenants": "2"})
        server.start()
        self.assertEqual(Logs(server, "varve").post([{"text": "x"}]).status, 403)
        self.assertEqual(Logs(server, "empty").post([]).status, 204)
        Logs(server, "one").put({"text": "1"})
        Logs(server, "two").put({"text": "2"})
        refused = Logs(server, "three").post([{"text": "3"}])
        self.assertEqual(refused.status, 429)
        self.assertIn(b"limits.tenants", refused.body)
        self.assertEqual(Logs(server, "three").texts(), [])
        Logs(server, "one").put({"text": "more"})

    @unittest.skipIf(cluster.chosen(), "a replica of a cluster limits what it meets for the first time only")
    def test_tenants_with_messages_only_are_counted(self):
        server = self.new_server({"limits.tenants": "1"}).start()
        first = Logs(server, "first")
        for way in ("hot", "after a restart", "sealed"):
            with self.subTest(way):
                first.put({"time": T, "text": way})
                refused = server.post("/t/second/api/v1/messages", "{}")
                self.assertEqual(refused.status, 429, refused)
                self.assertIn("limits.tenants", refused.body.decode())
            if way != "sealed":
                server.restart()
                server.settle()

    def test_deletes(self):
        server = self.new_server()
        server.start()
        logs, other = Logs(server), Logs(server, "other")
        hour = 3600 * SECOND
        before = now_us() - 5 * hour

        def delete(**asked):
            return server.request("POST", "/api/v1/messages/delete", json.dumps(asked).encode(), logs.headers)

        def deleted(**asked):
            answer = delete(**asked)
            self.assertEqual(answer.status, 200, answer.body)
            return json.loads(answer.body)["deleted"]

        for way in ("sealed", "hot"):
            logs.put({"time": before, "text": f"one {way}", "source": "a", "objects": ["ObjectVNTable:x"]},
                     {"time": before + 1, "text": f"two {way}", "source": "b"}, {"time": before + 2 * hour, "text": f"three {way}", "source": "a"})
            if way == "sealed":
                server.settle()
        other.put({"time": before, "text": "theirs", "source": "a"})
        for missing in ("table", "start_time", "end_time"):
            asked = {"table": "MessageTable", "start_time": before, "end_time": "now"}
            del asked[missing]
            answer = delete(**asked)
            self.assertEqual(answer.status, 400)
            self.assertIn(missing.encode(), answer.body)
        self.assertEqual(delete(table="NoTable", start_time=0, end_time=1).status, 410)
        self.assertEqual(delete(table="MessageTable", start_time=0, end_time=1, where=[[term("nothing", "x")]]).status, 404)
        self.assertEqual(delete(table="MessageTable", start_time=0, end_time=1, limit=1).status, 400)
        self.assertEqual(delete(table="ObjectVNTable", start_time=0, end_time=1, where=[[term("ObjectId", "x", 2)]]).status, 404)
        self.assertEqual(deleted(table="MessageTable", start_time=before, end_time=before, where=[[term("Source", "b")]]), 0)
        self.assertEqual(deleted(table="ObjectVNTable", start_time=before, end_time=before, where=[[term("ObjectId", "x")]]), 2)
        self.assertEqual(deleted(table="MessageTable", start_time=before, end_time="now", where=[[term("Source", "b")]]), 2)
        self.assertEqual(sorted(logs.texts()), ["three hot", "three sealed"])
        server.kill()
        server.start()
        self.assertEqual(sorted(logs.texts()), ["three hot", "three sealed"])
        self.assertEqual(deleted(table="MessageTable", start_time=0, end_time="now"), 2)
        self.assertEqual(logs.texts(), [])
        self.assertEqual(other.texts(), ["theirs"])

    def test_the_same_id_is_the_same_message(self):
        server = self.new_server()
        server.start()
        logs = Logs(server)
        message = {"time": T, "id": "0a1b2c3d-0000-4000-8000-00000000002a", "text": "once"}
        logs.put(message, message)
        server.settle()
        logs.put(message, {"time": T, "text": "another"})
        self.assertEqual(logs.texts(), ["once", "another"])

    def test_a_message_is_found_by_its_id(self):
        server = self.new_server()
        server.start()
        logs = Logs(server)
        given = "0a1b2c3d-0000-4000-8000-00000000002a"
        messages = [{"time": T, "id": given, "text": "given"}, {"time": T, "text": "of its content"},
                    {"time": T, "text": "of its content"}, {"text": "of its arrival"}]
        logs.put(*messages)
        ids = {row["id"]: row["Xmlmessage"] for row in logs.rows(["id", "Xmlmessage"])}
        self.assertEqual(len(ids), 4)
        self.assertEqual(ids[given], "given")
        for settled in (False, True):
            if settled:
                server.settle()
                logs.put(*messages[:3])  # comes again
            self.assertEqual({row["id"]: row["Xmlmessage"] for row in logs.rows(["id", "Xmlmessage"])}, ids)
            for one, text in ids.items():
                self.assertEqual(logs.rows(["Xmlmessage"], where=[[term("id", one)]]), [{"Xmlmessage": text}], settled)
            self.assertEqual(logs.rows(["Xmlmessage"], where=[[term("id", "ffffffff-0000-8000-8000-000000000000")]]), [])

    def test_retention_drops_whole_slots(self):
        server = self.new_server({"messages.retention": "3s", "slots.width": "1s", "rollups": "1s:1h", "slots.quiet": "1s"})
        server.start()
        logs = Logs(server)
        logs.put({"text": "soon gone"})
        server.settle()
        self.assertEqual(logs.texts(), ["soon gone"])
        if not cluster.chosen():  # there Cassandra knows, and drops what is over after another day
            self.assertGreater(server.metric("varve_storage_bytes", kind="message"), 0)
        until = time.monotonic() + 60
        while logs.texts() != [] and time.monotonic() < until:
            threading.Event().wait(0.2)
        self.assertEqual(logs.texts(), [])
        if cluster.chosen():
            return
        while server.metric("varve_storage_bytes", kind="message") > 0 and time.monotonic() < until:
            threading.Event().wait(0.2)
        self.assertEqual(server.metric("varve_storage_bytes", kind="message"), 0)

    def test_syslog(self):
        udp, tcp = free_port(), free_port()
        server = self.new_server({"syslog.udp": f"127.0.0.1:{udp}", "syslog.tcp": f"127.0.0.1:{tcp}", "syslog.tenant": "net",
                                  "syslog.zone": "UTC"})
        server.start()
        logs = Logs(server, "net")
        for arguments in (["--tcp", "--port", str(tcp), "--octet-count"], ["--tcp", "--port", str(tcp), "--rfc3164"],
                          ["--udp", "--port", str(udp)]):
            subprocess.run(["logger", "--server", "127.0.0.1", "--priority", "daemon.warning", "--tag", "fan", *arguments,
                            "rack 7: " + " ".join(arguments)], check=True, timeout=20)
        with socket.create_connection(("127.0.0.1", tcp), timeout=20) as raw:
            raw.sendall(b"<13>1 2001-02-03T04:05:06Z h old - - - too old\nnot syslog\n<13>1 - h app 9 - [a b=\"c\"] last\n")
            raw.shutdown(socket.SHUT_WR)
            self.assertEqual(raw.recv(1), b"")  # closed in order: durable
        until = time.monotonic() + 20  # nobody says when a datagram has come
        while len(logs.texts()) < 5 and time.monotonic() < until:
            threading.Event().wait(0.05)
        rows = logs.rows(["ModuleId", "Level", "Category", "Type", "Xmlmessage"], where=[[term("ModuleId", "fan")]])
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertEqual((row["Level"], row["Category"], row["Type"]), (4, "daemon", 10))
            self.assertTrue(row["Xmlmessage"].startswith("rack 7: "), row)
        self.assertEqual(logs.rows(["Pid", "a.b", "Xmlmessage"], where=[[term("Source", "h"), term("ModuleId", "app")]]),
                         [{"Pid": 9, "a.b": "c", "Xmlmessage": "last"}])
        # A device whose clock is wrong: stored when it came, its own time is a field.
        self.assertEqual(logs.rows(["device_time", "Xmlmessage"], where=[[term("ModuleId", "old")]]),
                         [{"device_time": "2001-02-03T04:05:06.000000Z", "Xmlmessage": "too old"}])
        self.assertEqual(server.metric("varve_messages_retimed_total", protocol="syslog"), 1)
        self.assertEqual(server.metric("varve_messages_rejected_total", protocol="syslog", reason="no_priority"), 1)
        self.assertEqual(Logs(server).texts(), [])


if __name__ == "__main__":
    unittest.main()
