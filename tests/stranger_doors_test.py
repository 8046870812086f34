# SPDX-License-Identifier: Apache-2.0
"""A stranger at every door: each route with what is expensive to read, compressed bodies, and the listeners that are not HTTP.
stranger_test has the questions that cost most."""

import gzip
import json
import re
import socket
import struct
import time
import unittest

from routes_test import documented
from support import wire
from support.server import Server, free_port
from support.stranger import BODY_MAX, NEIGHBOUR, NOW_S, StrangerCase

MIB = 1 << 20
# What all tenants share: to settle is what an operator asks for.
OPERATOR = {"/-/settle", "/-/trust-clock"}
WRITES = ("/write", "/api/v2/write", "/api/v1/write", "/api/v1/datapoints", "/api/put", "/api/v1/messages", "/loki/api/v1/push", "/v1/logs",
          "/_bulk")


def filled(pattern, size=BODY_MAX - 400):
    """The pattern with other numbers again and again."""
    out = []
    while sum(map(len, out)) < size:
        out.append(pattern % {"n": len(out)})
    return out


class Doors(StrangerCase):
    @classmethod
    def setUpClass(cls):
        cls.syslog_port = free_port()
        cls.server = Server({"query.timeout": "3s", "limits.memory": "1GiB", "syslog.tenant": "stranger",
                             "syslog.udp": f"127.0.0.1:{cls.syslog_port}", "syslog.tcp": f"127.0.0.1:{cls.syslog_port}"})
        cls.addClassCleanup(cls.server.close)
        cls.server.start()
        cls.server.influx(f"m,h=own v=1 {NOW_S * 1000}\n", headers=NEIGHBOUR)

    def assert_bounded(self, before):
        """What requests of 16 KiB made the server hold."""
        self.assertLess(self.server.peak_memory() - before, 512 * MIB)

    def test_every_route(self):
        """Each method of each path, with lists as long as a request can be, as JSON, as a form and as parameters."""
        before = self.server.peak_memory()
        table = {path: methods for path, (methods, _) in documented().items() if path not in OPERATOR}
        self.assertGreater(len(table), 50)
        bodies = [
            json.dumps({"start_absolute": 0, "metrics": json.loads("[" + ",".join(filled('{"name":"m%(n)d"}')) + "]")}),
            "[" + ",".join(filled('{"name":"m%(n)d","timestamp":1,"value":1,"tags":{"a":"%(n)d"}}')) + "]",
            "&".join(filled("match[]=%%7Ba%(n)d%%3D~%%22.*x%%22%%7D")),
            "\n".join(filled("m%(n)d,a=%(n)d v=1 1")),
        ]
        query = "&".join(filled("metric=m%(n)d", 7000))

        def act(path, methods):
            def walk():
                for method in methods:
                    for body in bodies if method in ("POST", "PUT") else [None]:
                        answer = self.ask(method, path + ("" if body else "?" + query), body and body[:BODY_MAX])
                        self.assertLess(answer.status, 600, path)
                return answer
            return walk
        paths = [(re.sub(r"\{\w+\}", "x", path), methods) for path, methods in sorted(table.items())]
        # A dozen at a time: each is asked by two, for as long as the neighbour is watched.
        for at in range(0, len(paths), 12):
            self.bear(f"routes from {paths[at][0]}", [act(*one) for one in paths[at:at + 12]], 1)
        self.assert_bounded(before)

    def test_compressed_bodies(self):
        """A body of 16 KiB may be 16 MiB of zeros, or of JSON that opens lists."""
        before = self.server.peak_memory()
        zeros = wire.gzip_bomb(12 * MIB)
        lists = gzip.compress(b"[" * 8 * MIB, 9)
        numbers = gzip.compress(b"[" + b"1," * (4 * MIB) + b"1]", 9)
        snappy = b"\xff\xff\xff\x7f" + bytes(BODY_MAX - 100)  # claims 256 MiB

        def act(path):
            def one():
                for body in (zeros, lists, numbers):
                    self.assertLess(len(body), BODY_MAX)
                    answer = self.ask("POST", path, body, {"Content-Encoding": "gzip", "Content-Type": "application/json"})
                    self.assertGreaterEqual(answer.status, 400, (path, answer))
                return self.ask("POST", path, snappy, {"Content-Encoding": "snappy", "Content-Type": "application/x-protobuf"})
            return one
        for answer in self.bear("compressed bodies", [act(path) for path in WRITES]):
            self.assertGreaterEqual(answer.status, 400, answer)
        self.assert_bounded(before)

    def test_lines_that_are_not_http(self):
        """Telnet and syslog: new series, lines without an end, frames that lie about their length, datagrams as fast as they go."""
        before = self.server.peak_memory()

        def send(port, data, seconds=1.0):
            end = time.monotonic() + seconds
            with socket.create_connection(("127.0.0.1", port), timeout=30) as s:
                s.settimeout(5)
                try:
                    while time.monotonic() < end:
                        s.sendall(data())
                except OSError:
                    pass  # closed, as it may be
            return True

        def put():
            return "".join(f"put n{time.monotonic_ns()}.{i} {NOW_S} 1 a={i}\n" for i in range(200)).encode()

        def datagrams():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                for i in range(3000):
                    s.sendto(f"<13>1 - h{i} app{i} - - [a@1 k{i}=\"v\"] {'x' * 800}".encode(), ("127.0.0.1", self.syslog_port))
            return True
        self.bear("listeners", [
            lambda: send(self.server.telnet_port, put),
            lambda: send(self.server.telnet_port, lambda: b"put m " + b"x" * 65536),
            lambda: send(self.server.telnet_port, lambda: b"version\n" * 1000),
            lambda: send(self.syslog_port, lambda: b"999999999 <13>x"),
            lambda: send(self.syslog_port, lambda: b"<13>" + b"y" * 65536),
            lambda: send(self.syslog_port, lambda: b"".join(b"<13>Jan  1 00:00:00 h p%d: t\n" % i for i in range(500))),
            datagrams,
        ])
        self.assert_bounded(before)

    def test_connections(self):
        """Half a thousand that say little: heads without an end, bodies byte by byte, one that reads nothing of what it asked for."""
        held, deafs = [], []
        self.addCleanup(lambda: [s.close() for s in held + deafs])

        def hold():
            for _ in range(20 if len(held) < 500 else 0):
                s = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
                s.sendall(b"POST /write HTTP/1.1\r\nHost: x\r\nX-Tenant: stranger\r\nContent-Length: 1000\r\n\r\nm")
                held.append(s)
            time.sleep(0.05)
            return True

        def deaf():
            time.sleep(0.05)
            if len(deafs) == 20:
                return True
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", self.server.port))
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 300)  # more than is sent without a reader
            deafs.append(s)
            return True

        def reset():
            time.sleep(0.05)
            for _ in range(20):
                with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as s:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    s.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
            return True
        self.bear("connections", [hold, deaf, reset])


if __name__ == "__main__":
    unittest.main()
