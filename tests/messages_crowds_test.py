# SPDX-License-Identifier: Apache-2.0
"""What would fill the memory of whoever takes in log messages carelessly: bombs, bodies that trickle or never end, a name of a
field that is new in each message, a million of sources. Memory is bounded and measured, and others are served."""

import contextlib
import gzip
import select
import socket
import time
import unittest

from support import effort, wire
from support.case import OwnServerCase
from support.client import http_request
from support.crowd import Crowd
from support.logs import SECOND, Logs, now_us, term

MIB = 1 << 20
JSON = {"Content-Type": "application/json"}
PROTOBUF = {"Content-Type": "application/x-protobuf"}
WAYS = {"/api/v1/messages": {}, "/loki/api/v1/push": JSON, "/v1/logs": JSON, "/_bulk": {}}
COUNT = 1_000_000
BATCH = 5000


class MessagesCrowds(OwnServerCase):
    def start(self, config=None):
        self.server = self.new_server(config).start()
        self.logs = Logs(self.server)
        self.before = self.server.peak_memory()

    def grown(self, mebibytes, what):
        got = (self.server.peak_memory() - self.before) / MIB
        print(f"    {what}: {got:.0f} MiB more", flush=True)
        self.assertLess(got, mebibytes, what)

    def assert_serves(self):
        self.assertTrue(self.server.alive(), self.server.log()[-2000:])
        text = f"polite {now_us()}"
        self.logs.put({"text": text})
        self.assertEqual(self.logs.texts(where=[[term("Xmlmessage", text)]]), [text])

    def test_bombs(self):
        self.start({"http.body_max": "8MiB"})
        zeros = 128 * MIB
        bombs = {"gzip": wire.gzip_bomb(zeros), "deflate": wire.deflate(bytes(zeros)), "zstd": wire.zstd_bomb(16 * zeros),
                 "snappy": wire.snappy_bomb(zeros), "gzip, gzip": gzip.compress(wire.gzip_bomb(2 * zeros))}
        for path, headers in WAYS.items():
            for encoding, bomb in bombs.items():
                with self.subTest(f"{path} {encoding}"):
                    answer = self.server.post(path, bomb, {**headers, "Content-Encoding": encoding}, timeout=60)
                    self.assertEqual(answer.status, 413, answer)
        # Without a word about its encoding.
        self.assertIn(self.server.post("/loki/api/v1/push", bombs["snappy"], PROTOBUF, timeout=60).status, (400, 413))
        self.grown(100, "bombs")  # 64 of it are buffers that are kept
        self.assert_serves()

    def test_texts_that_grow(self):
        """XML with entities that name each other, and labels that many entries share."""
        self.start()
        entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "xxxxxxxxxx"}">' for n in range(12))
        self.logs.put({"text": f'<!DOCTYPE l [{entities}]><l><v key="T">&e11;</v></l>'}, objects="xml")
        label = "x" * 60_000
        entries = ",".join(f'["{now_us() * 1000 + n}","y"]' for n in range(20_000))
        body = f'{{"streams":[{{"stream":{{"app":"{label}"}},"values":[{entries}]}}]}}'  # 1.2 GB, if it were written out
        answer = self.server.post("/loki/api/v1/push", body, JSON, timeout=120)
        self.assertEqual(answer.status, 400)
        self.assertIn(b"repeated for its entries, are more than", answer.body)
        self.grown(100, "texts that grow")
        self.assert_serves()

    def test_bodies_that_trickle(self):
        self.start()
        paths = list(WAYS)

        def greeting(n):
            path = paths[n % len(paths)]
            kind = "application/json" if path != "/_bulk" else "application/x-ndjson"
            return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {60 * MIB}\r\n\r\n".encode()
        with Crowd(self.server.port, 2000 if effort.LONG else 400, greeting, b"{") as crowd:
            for _ in range(5):
                crowd.drip_once()
                self.assert_serves()
        self.grown(100, "bodies that trickle")

    def test_bodies_that_never_end(self):
        """Chunks for as long as they are taken: lines without an end, and lines that are good."""
        self.start({"http.body_max": "8MiB"})
        for path in WAYS:
            for piece in (b"x" * 65536, b'{"text":"good"}\n' * 4096):
                with self.subTest(path), socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as s:
                    s.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
                    answer, until = b"", time.monotonic() + 30
                    with contextlib.suppress(OSError):  # it is ended while this goes on sending
                        while time.monotonic() < until:
                            s.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                            if not answer and select.select([s], [], [], 0)[0]:
                                answer = s.recv(65536)
                        self.fail("all was taken")
                    self.assertEqual(answer[:12], b"HTTP/1.1 413")
        self.assertEqual(self.logs.texts(where=[[term("Xmlmessage", "good")]]), [])
        self.grown(64, "bodies that never end")
        self.assert_serves()

    # --- names and values without an end ---

    def fill(self, line):
        """Posts COUNT messages of three hours ago, each a line of its own; the slots have ended."""
        begin = now_us() - 3 * 3600 * SECOND
        for first in range(0, COUNT, BATCH):
            body = "".join(f'{{"time":{begin + n * 1000},{line(n)}}}\n' for n in range(first, first + BATCH))
            answer = http_request(self.server.port, "POST", "/api/v1/messages", body, timeout=120)
            self.assertEqual(answer.status, 204, answer)

    def look(self, where):
        started = self.server.peak_memory()
        self.assertEqual(self.logs.texts(where=where), ["needle"])
        return started

    def in_all_states(self, where, mebibytes):
        self.look(where)
        self.grown(mebibytes[0], "taken in")
        self.server.settle()
        self.look(where)
        self.grown(mebibytes[1], "sealed, and one found")
        self.server.restart()
        self.before = self.server.peak_memory()
        self.look(where)
        self.grown(mebibytes[2], "after a restart, and one found")
        self.assert_serves()

    def test_a_name_that_is_new_in_each_message(self):
        self.start()
        self.fill(lambda n: f'"field.{n}":{n},"text":"{"needle" if n == 777_777 else "hay"}"')
        # Some were flushed while others were taken in.
        self.in_all_states([[term("field.777777", 777_777)]], (500, 500, 300))
        self.assertEqual(self.logs.ask(where=[[term("field.1000000", 1)]]).status, 404)

    def test_a_million_of_sources(self):
        self.start()
        self.fill(lambda n: f'"source":"host-{n}","text":"{"needle" if n == 777_777 else "hay"}"')
        self.in_all_states([[term("Source", "host-777777")]], (128, 200, 100))
        self.assertEqual(len(self.logs.rows(["Source"], where=[[term("Source", "host-77777", 7)]])), 11)
        values = self.server.get("/analytics/table/MessageTable/column-values/Source").json()
        self.assertEqual(len(values), COUNT)
        self.grown(500, "all of them listed")


if __name__ == "__main__":
    unittest.main()
