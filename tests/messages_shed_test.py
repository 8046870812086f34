# SPDX-License-Identifier: Apache-2.0
"""A store that is nearly full drops the least severe messages, by every way in: the sender is told, the dropped ones are
counted, and whatever is severe enough is kept."""

import json
import socket
import time
import unittest

from support.case import OwnServerCase
from support.logs import Logs, now_us
from support.server import free_port

JSON = {"Content-Type": "application/json"}
NDJSON = {"Content-Type": "application/x-ndjson"}
WANTED = 20  # seconds


class Shed(OwnServerCase):
    def shed(self, level):
        return self.metric(f'varve_messages_shed_total{{level="{level}"}}')

    def metric(self, name):
        lines = self.server.get("/metrics").body.decode().splitlines()
        return next(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))

    def wait(self, what, wanted):
        deadline = time.monotonic() + WANTED
        while what() != wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(what(), wanted)


class FullDisk(Shed):
    """Any disk is as full as nothing: the mark holds from the first request on."""

    def setUp(self):
        super().setUp()
        self.tcp, self.udp = free_port(), free_port()
        self.server = self.new_server({"messages.shed.disk": "0/0:info", "messages.shed.backlog": "",
                    "syslog.tcp": f"127.0.0.1:{self.tcp}", "syslog.udp": f"127.0.0.1:{self.udp}"}).start()
        self.logs = Logs(self.server)

    def test_ndjson(self):
        answer = self.logs.post([{"level": "debug", "text": "a"}, {"level": "err", "text": "b"}, {"text": "c"},
                                 {"level": 1, "kind": "uve", "text": "d"}, {"level": "loud", "text": "e"}])
        self.assertEqual(answer.status, 429)
        self.assertTrue(int(answer.headers["retry-after"]) > 0)
        body = json.loads(answer.body)
        self.assertEqual((body["accepted"], body["rejected"]), (1, 4))
        self.assertEqual([e["line"] for e in body["errors"]], [1, 3, 4, 5])
        self.assertIn("messages.shed.disk", body["errors"][0]["error"])
        self.assertEqual(self.logs.texts(), ["b"])
        self.assertEqual([self.shed(level) for level in ("debug", "none", "alert", "err")], [1, 1, 1, 0])
        self.assertEqual(self.logs.post([{"level": "notice", "text": "f"}]).status, 204)

    def test_loki(self):
        ns = now_us() * 1000
        streams = [{"stream": {"job": "j", "level": level}, "values": [[str(ns + i), level]]}
                   for i, level in enumerate(("debug", "warn"))]
        answer = self.server.post("/loki/api/v1/push", json.dumps({"streams": streams}).encode(), JSON)
        self.assertEqual(answer.status, 429)
        self.assertIn("retry-after", answer.headers)
        self.assertIn(b"1 of 2 entries are dropped", answer.body)
        self.assertEqual(self.logs.texts(), ["warn"])
        severe = self.server.post("/loki/api/v1/push", json.dumps({"streams": streams[1:]}).encode(), JSON)
        self.assertEqual(severe.status, 204)
        self.assertEqual(self.logs.texts(), ["warn"])  # a client sends all of it again, and it counts once

    def otlp(self, *severities):
        records = [{"severityNumber": n, "body": {"stringValue": str(n)}} for n in severities]
        body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).encode()
        return self.server.post("/v1/logs", body, JSON)

    def test_otlp(self):
        some = self.otlp(5, 17)
        self.assertEqual(some.status, 200)  # a client sends nothing of it again
        self.assertEqual(json.loads(some.body)["partialSuccess"]["rejectedLogRecords"], "1")
        self.assertIn("messages.shed.disk", json.loads(some.body)["partialSuccess"]["errorMessage"])
        none = self.otlp(5, 9)
        self.assertEqual(none.status, 429)  # it sends all of it again
        self.assertIn("retry-after", none.headers)
        self.assertEqual(json.loads(none.body)["code"], 8)
        self.assertEqual(self.logs.texts(), ["17"])
        self.assertEqual(self.shed("debug") + self.shed("info"), 3)

    def test_bulk(self):
        lines = [line for level in ("info", "error") for line in
                 ({"create": {"_index": "i"}}, {"log.level": level, "message": level})]
        answer = self.server.post("/_bulk", "".join(json.dumps(line) + "\n" for line in lines).encode(), NDJSON)
        self.assertEqual(answer.status, 200)
        body = json.loads(answer.body)
        self.assertTrue(body["errors"])
        self.assertEqual([item["create"]["status"] for item in body["items"]], [429, 201])
        self.assertEqual(body["items"][0]["create"]["error"]["type"], "es_rejected_execution_exception")
        self.assertEqual(self.logs.texts(), ["error"])

    def test_syslog(self):
        with socket.create_connection(("127.0.0.1", self.tcp), timeout=30) as tcp:
            tcp.sendall(b"".join(b"<%d>1 - h a - - - tcp %d\n" % (8 + level, level) for level in range(8)))
            tcp.shutdown(socket.SHUT_WR)
            self.assertEqual(tcp.recv(1), b"")  # what was kept is durable
        self.assertEqual(sorted(self.logs.texts()), [f"tcp {level}" for level in range(6)])
        self.assertEqual(self.metric('varve_messages_accepted_total{protocol="syslog"}'), 6)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            for level in (7, 3):
                udp.sendto(b"<%d>1 - h u - - - udp %d" % (8 + level, level), ("127.0.0.1", self.udp))
        self.wait(lambda: [t for t in self.logs.texts() if t.startswith("udp")], ["udp 3"])
        self.wait(lambda: self.shed("debug"), 2)

    def test_a_connection_is_slowed(self):
        """Half a second a piece of 64 KiB: a megabyte that would take milliseconds takes seconds, and severe ones are kept."""
        line = b"<11>1 - h a - - - " + b"x" * 1000 + b"\n"
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.tcp), timeout=60) as tcp:
            tcp.sendall(line * 400)
            tcp.shutdown(socket.SHUT_WR)
            self.assertEqual(tcp.recv(1), b"")
        self.assertGreater(time.monotonic() - began, 1)
        self.assertEqual(len(self.logs.texts()), 400)


class Backlog(Shed):
    def test_it_ends_when_memory_is_stored(self):
        """1 % are reached with an eightieth of the log of 256 MiB: four megabytes of errors are enough."""
        self.server = self.new_server({"messages.shed.disk": "", "messages.shed.backlog": "1/1:debug"}).start()
        logs = Logs(self.server)
        self.assertEqual(logs.post([{"level": "debug", "text": "before"}]).status, 204)
        logs.put(*({"level": "err", "text": "x" * 1000} for _ in range(4000)))
        self.assertEqual(logs.post([{"level": "debug", "text": "while"}]).status, 429)
        self.assertEqual(self.shed("debug"), 1)
        logs.put({"level": "info", "text": "severe enough"})
        self.server.settle()
        self.assertEqual(logs.post([{"level": "debug", "text": "behind"}]).status, 204)
        self.assertEqual(len(logs.texts()), 4003)


if __name__ == "__main__":
    unittest.main()
