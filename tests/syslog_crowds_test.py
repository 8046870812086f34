# SPDX-License-Identifier: Apache-2.0
"""Thousands of syslog connections that are silent, slow, endless or never shake hands: memory is bounded, and a polite sender
loses nothing."""

import json
import os
import socket
import ssl
import threading
import time

from support import certificates, effort
from support.case import OwnServerCase
from support.client import wait_until
from support.crowd import Crowd
from support.server import Server, free_port

MIB = 1 << 20


class Polite(threading.Thread):
    """Sends a line now and then on a connection of its own, all the time."""

    def __init__(self, port, module, context=None):
        super().__init__(daemon=True)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        if context:
            self.socket = context.wrap_socket(self.socket)
        self.module, self.sent, self.stopped = module, 0, threading.Event()

    def run(self):
        while not self.stopped.wait(0.005):
            self.socket.sendall(b"<13>1 - h %s - - - %d\n" % (self.module.encode(), self.sent))
            self.sent += 1

    def stop(self):
        """Closes in order, and waits until the server has, too: then all is durable."""
        self.stopped.set()
        self.join(30)
        if isinstance(self.socket, ssl.SSLSocket):
            self.socket.unwrap().close()
        else:
            self.socket.shutdown(socket.SHUT_WR)
            assert self.socket.recv(1) == b""


class SyslogCrowds(OwnServerCase):
    def setUp(self):
        self.ports = {"tcp": free_port(), "tls": free_port()}
        server = Server()
        self.addCleanup(server.close)
        certificate, key = certificates.make(server.root, "server")
        server.config = {"syslog.certificate": certificate, "syslog.key": key,
                         **{f"syslog.{way}": f"127.0.0.1:{port}" for way, port in self.ports.items()}}
        self.server = server.start()
        self.context = ssl.create_default_context(cafile=os.path.join(server.root, "server.crt"))
        self.context.check_hostname = False
        self.count = 9900 if effort.LONG else 2000
        self.before = server.peak_memory()

    def found(self, module):
        body = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now", "select_fields": ["Source"],
                "where": [[{"name": "ModuleId", "value": module, "op": 1}]], "aggregate": ["count"]}
        rows = self.server.post("/analytics/query", json.dumps(body).encode(), timeout=120).json()["value"]
        return rows[0]["count"] if rows else 0

    def served(self, mebibytes, disturb=lambda: None):
        """What happens meanwhile costs at most so much memory in all, and polite senders lose nothing."""
        polite = [Polite(self.ports["tcp"], "polite-tcp"), Polite(self.ports["tls"], "polite-tls", self.context)]
        for sender in polite:
            sender.start()
        deadline = time.monotonic() + effort.seconds(3, 30)
        while time.monotonic() < deadline:
            disturb()
            time.sleep(0.2)
        for sender in polite:
            sender.stop()
            self.assertEqual(self.found(sender.module), sender.sent)
            self.assertGreater(sender.sent, 10)
        grown = self.server.peak_memory() - self.before
        print(f"    {self.count} connections, {grown / MIB:.0f} MiB more", flush=True)
        self.assertLess(grown, mebibytes * MIB)
        self.assertTrue(self.server.alive(), self.server.log()[-2000:])

    def test_connections_that_say_nothing_or_little(self):
        """A third say nothing, the others are inside a line or a counted message, which goes on byte by byte."""
        greetings = [b"", b"<13>1 - h slow - - - ", b"60000 <13>1 - h slow - - - "]
        with Crowd(self.ports["tcp"], self.count, lambda n: greetings[n % 3], b"y") as crowd:
            self.served(200, crowd.drip_once)
            self.assertEqual(crowd.still_open(), self.count)
        wait_until(lambda: self.server.metric("varve_messages_rejected_total", protocol="syslog", reason="incomplete") > 0, 30)

    def test_ten_thousand_connections(self):
        """As many as there may be, each of which has sent a message and stays; who comes then is told."""
        count = 9_998
        message = lambda n: b"<13>1 - h open - - - %d\n" % n  # noqa: E731
        with Crowd(self.ports["tcp"], count, message) as crowd:
            wait_until(lambda: self.found("open") == count, 60, "a message of each")
            with socket.create_connection(("127.0.0.1", self.ports["tcp"]), timeout=30) as last, \
                    socket.create_connection(("127.0.0.1", self.ports["tcp"]), timeout=30) as before_last:
                last.sendall(message(count))
                before_last.sendall(message(count + 1))
                wait_until(lambda: self.found("open") == count + 2, 60, "10,000 messages")
                with socket.create_connection(("127.0.0.1", self.ports["tcp"]), timeout=30) as refused:
                    self.assertEqual(refused.recv(1), b"")
                self.assertEqual(self.server.metric("varve_syslog_connections_refused_total"), 1)
            self.assertEqual(crowd.still_open(), count)
            grown = self.server.peak_memory() - self.before
            print(f"    10,000 connections, {grown / MIB:.0f} MiB more, {grown / 10_000 / 1024:.1f} KiB each", flush=True)
            self.assertLess(grown, 200 * MIB)

    def test_frames_that_never_end(self):
        """Each sends as much as it can of one line, or of one counted message, which are longer than any may be."""
        piece = b"y" * 65536

        def greeting(n):
            return (b"<13>1 - h endless - - - " if n % 2 else b"16000000 <13>1 - h endless - - - ") + piece
        self.count //= 10
        with Crowd(self.ports["tcp"], self.count, greeting, piece) as crowd:
            self.served(100, crowd.drip_once)
        self.assertEqual(self.found("endless"), 0)
        self.assertGreaterEqual(self.server.metric("varve_messages_rejected_total", protocol="syslog", reason="too_long"), self.count)

    def test_handshakes_that_never_end(self):
        """Some say nothing, some begin as TLS does."""
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
        with Crowd(self.ports["tls"], self.count, lambda n: hello if n % 2 else b"", b"") as crowd:
            self.served(50 + self.count * 40 / 1024)  # 64 KiB each that began
            failed = lambda: self.server.metric("varve_syslog_handshakes_failed_total", reason="timeout")  # noqa: E731
            wait_until(lambda: failed() == self.count, 60, "timeouts")
            self.assertEqual(crowd.still_open(), 0)

    def test_tls_connections_that_are_quiet(self):
        """Each has shaken hands and sent a message."""
        self.count //= 4
        connections = []
        self.addCleanup(lambda: [s.close() for s in connections])
        for n in range(self.count):
            s = self.context.wrap_socket(socket.create_connection(("127.0.0.1", self.ports["tls"]), timeout=30))
            s.sendall(b"<13>1 - h quiet - - - %d\n" % n)
            connections.append(s)
        wait_until(lambda: self.found("quiet") == self.count, 30, "messages")
        grown = self.server.peak_memory() - self.before
        print(f"    {grown / self.count / 1024:.0f} KiB a connection", flush=True)
        self.served(100)


if __name__ == "__main__":
    import unittest
    unittest.main()
