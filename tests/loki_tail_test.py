# SPDX-License-Identifier: Apache-2.0
"""Loki's tail over a WebSocket, by a client from PyPI: what is stored and what comes, once each, to the tenant that asks."""

import json
import time
import urllib.parse

from support import pypi
from support.case import ServerCase

VERSION = "1.9.2"


class LokiTail(ServerCase):
    def tail(self, tenant, **parameters):
        folder = pypi.fetch(f"websocket-client-{VERSION}", f"websocket-client=={VERSION}")
        with pypi.importable(folder):
            import websocket
        path = f"/t/{tenant}/loki/api/v1/tail?" + urllib.parse.urlencode({"query": '{job="web"}', **parameters})
        client = websocket.create_connection(f"ws://127.0.0.1:{self.server.port}{path}", timeout=30)
        self.addCleanup(client.close)
        return client

    def put(self, tenant, *texts, job="web"):
        body = "".join(json.dumps({"job": job, "text": text}) + "\n" for text in texts)
        answer = self.server.request("POST", f"/t/{tenant}/api/v1/messages", body.encode())
        self.assertEqual(answer.status, 204, answer)

    def lines(self, client, count):
        out = []
        while len(out) < count:
            told = json.loads(client.recv())
            self.assertEqual(told["dropped_entries"], [])
            for stream in told["streams"]:
                self.assertEqual(stream["stream"], {"job": "web"})
                out += [line for _, line in stream["values"]]
        return out

    def test_stored_and_coming(self):
        self.put("a", "one", "two")
        self.put("b", "of another tenant")
        client, late = self.tail("a"), self.tail("a", limit=1)
        self.assertEqual(self.lines(client, 2), ["one", "two"])
        self.assertEqual(self.lines(late, 1), ["two"])
        self.put("b", "of another tenant")
        self.put("a", "not this", job="other")
        began = time.monotonic()
        self.put("a", "three")
        self.assertEqual(self.lines(client, 1), ["three"])
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(self.lines(late, 1), ["three"])

    def test_pings_and_the_end(self):
        client = self.tail("ping")
        client.ping(b"there?")
        opcode, frame = client.recv_data_frame(control_frame=True)
        self.assertEqual((opcode, frame.data), (10, b"there?"))
        client.send_close()
        opcode, frame = client.recv_data_frame(control_frame=True)
        self.assertEqual((opcode, frame.data), (8, b"\x03\xe8"))
        self.assertIn("\nvarve_loki_tails 0\n", self.metrics_until("\nvarve_loki_tails 0\n"))

    def metrics_until(self, wanted):
        """They say so once the connection is gone."""
        until = time.monotonic() + 30
        while True:
            text = self.server.request("GET", "/metrics").body.decode()
            if wanted in text or time.monotonic() > until:
                return text

    def test_refused(self):
        answer = self.server.request("GET", "/loki/api/v1/tail?query=%7Bjob=%22web%22%7D")
        self.assertEqual(answer.status, 400, answer)
        self.assertIn("WebSocket", answer.body.decode())
