# SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm or are merely broken: bombs, slow senders, readers who never read, floods. The others must not
notice, and memory stays bounded."""

import gzip
import json
import socket
import threading
import time
import unittest

from support import wire
from support.case import T0, OwnServerCase
from support.client import http_request, read_to_end, wait_until
from support.sanitized import TIMES_SLOWER

MIB = 1 << 20


class Hostile(OwnServerCase):
    def assert_serves(self, server, name="fine"):
        begin = time.monotonic()
        server.influx(f"{name} value=1 {T0}")
        self.assertEqual(server.values(name), [(T0, 1)])
        self.assertLess(time.monotonic() - begin, 5 * TIMES_SLOWER)

    # --- bombs ---

    def bomb(self, path, body, headers):
        server = self.new_server({"http.body_max": "8MiB"}).start()
        before = server.peak_memory()
        answer = server.post(path, body, headers, timeout=60)
        self.assertEqual(answer.status, 413, answer)
        self.assertLess(server.peak_memory() - before, 64 * MIB, "the bomb went off")
        self.assert_serves(server)

    def test_gzip_bomb(self):
        self.bomb("/api/v1/datapoints", wire.gzip_bomb(256 * MIB), {"Content-Encoding": "gzip"})

    def test_gzip_bomb_by_content_type(self):
        self.bomb("/api/v1/datapoints", wire.gzip_bomb(128 * MIB), {"Content-Type": "application/gzip"})

    def test_gzip_in_members(self):
        self.bomb("/write", gzip.compress(bytes(4 * MIB)) * 100, {"Content-Encoding": "gzip"})

    def test_deflate_bomb(self):
        self.bomb("/api/put", wire.deflate(bytes(128 * MIB)), {"Content-Encoding": "deflate"})

    def test_zstd_bomb(self):
        self.bomb("/write", wire.zstd_bomb(1024 * MIB), {"Content-Encoding": "zstd"})

    def test_snappy_bomb(self):
        self.bomb("/api/v1/write", wire.snappy_bomb(100 * MIB), {"Content-Encoding": "snappy"})

    def test_body_limit(self):
        server = self.new_server({"http.body_max": "1MiB"}).start()
        line = f"limit value=1 {T0}\n".encode()
        fits = line * (MIB // len(line))
        self.assertEqual(server.post("/write?precision=ms", fits).status, 204)
        self.assertEqual(server.post("/write?precision=ms", fits + line * 2).status, 413)
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (2 * MIB, line * (2 * MIB // len(line)) + b"#" * (2 * MIB % len(line)))
        answer = http_request_or_reset(server.port, "/write?precision=ms", chunked, {"Transfer-Encoding": "chunked"})
        self.assertIn(answer, (413, "reset"))
        kairos = server.post("/api/v1/datapoints", b"[" + b" " * 2 * MIB + b"]")
        self.assertEqual(kairos.status, 413)
        self.assert_serves(server)

    def test_zstd_and_deflate_bodies_work(self):
        server = self.new_server().start()
        line = b"enc value=%d %d\n"
        for i, (name, encode) in enumerate([("zstd", wire.zstd), ("deflate", wire.deflate), ("gzip", gzip.compress)]):
            with self.subTest(name):
                answer = server.post("/write?precision=ms", encode(line % (i, T0 + i)), {"Content-Encoding": name})
                self.assertEqual(answer.status, 204, answer)
                self.assertIn((T0 + i, i), server.values("enc"))

    # --- slow clients ---

    def test_slow_heads_and_bodies_do_not_stop_others(self):
        server = self.new_server().start()
        slow = []
        for i in range(300):
            s = socket.create_connection(("127.0.0.1", server.port))
            s.sendall(b"POST /write HTTP/1.1\r\nHost: x\r\nX-A: " if i % 2 else
                      b"POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nslow")
            slow.append(s)
        before = server.peak_memory()
        for i in range(20):
            slow[i].sendall(b"y")
            self.assert_serves(server, f"fine{i}")
        self.assertLess(server.peak_memory() - before, 64 * MIB)
        for s in slow:
            s.close()

    def test_a_slow_head_is_cut_off(self):
        server = self.new_server().start()
        s = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        s.sendall(b"GET /-/healthy HTTP/1.1\r\nHo")
        got = read_to_end(s)  # the deadline is the test: the server has to end it
        self.assertTrue(got == b"" or got.startswith(b"HTTP/1.1 408"), got)
        self.assert_serves(server)

    def test_a_reader_who_never_reads(self):
        server = self.new_server().start()
        server.put([{"name": "big", "tags": {"h": "a"}, "datapoints": [[T0 + i, i * 1.1] for i in range(200_000)]}])
        query = json.dumps({"start_absolute": 0, "metrics": [{"name": "big"}]}).encode()
        stuck = []
        for _ in range(20):
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", server.port))
            s.sendall(b"POST /api/v1/datapoints/query HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(query), query))
            stuck.append(s)
        for i in range(5):
            self.assert_serves(server, f"fine{i}")
        for s in stuck:
            s.close()
        self.assert_serves(server, "after")

    def test_an_answer_that_nobody_reads_is_seen_and_ended(self):
        # On a slow machine the server must not end them before they are killed.
        server = self.new_server({"limits.memory": "64MiB", "http.write_timeout": "600s"}).start()
        for part in range(5):
            base = T0 + part * 100_000
            server.put([{"name": "big", "tags": {"h": "a"}, "datapoints": [[base + i, i * 1.1] for i in range(100_000)]}])
        query = json.dumps({"start_absolute": 0, "metrics": [{"name": "big"}]}).encode()
        request = b"POST /api/v1/datapoints/query HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(query), query)
        stuck = []

        def ask():
            s = socket.socket()
            s.settimeout(60)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", server.port))
            s.sendall(request)
            stuck.append(s)
            return s

        # Two that find all the memory there is, then ten at once. When their first bytes have come, all are on their
        # way or refused, and none can begin after the others have been killed.
        for _ in range(2):
            self.assertEqual(ask().recv(12), b"HTTP/1.1 200")
        for s in [ask() for _ in range(10)]:
            self.assertIn(s.recv(12), (b"HTTP/1.1 200", b"HTTP/1.1 503"))
        running = lambda: server.get("/api/v1/admin/runningqueries").json()["queries"]
        held = lambda: server.metric("varve_memory_bytes")
        wait_until(lambda: server.metric("varve_memory_bytes", kind="answer") > 16 * MIB, 30)
        self.assertLessEqual(held(), 64 * MIB)
        self.assert_serves(server)  # small ones find room
        # Its own query leaves the list when its last byte is sent, which may be after the client has read it.
        wait_until(lambda: all("big" in found["metric name"] for found in running()), 30)
        for found in running():
            self.assertIn("big", found["metric name"])
            server.request("DELETE", "/api/v1/admin/killquery/" + found["query hash"])
        wait_until(lambda: not running() and held() < MIB, 30)
        for s in stuck:
            s.close()

    def test_a_part_of_an_answer_does_not_pass_for_the_whole(self):
        """HTTP/1.0 ends an answer with its connection: one that is killed is reset."""
        server = self.new_server({"http.write_timeout": "600s"}).start()
        for part in range(5):
            base = T0 + part * 100_000
            server.put([{"name": "big", "tags": {"h": "a"}, "datapoints": [[base + i, i * 1.1] for i in range(100_000)]}])
        query = json.dumps({"start_absolute": 0, "metrics": [{"name": "big"}]}).encode()
        with socket.socket() as s:
            s.settimeout(60)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", server.port))
            s.sendall(b"POST /api/v1/datapoints/query HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s" % (len(query), query))
            self.assertEqual(s.recv(12), b"HTTP/1.0 200")
            for found in server.get("/api/v1/admin/runningqueries").json()["queries"]:
                server.request("DELETE", "/api/v1/admin/killquery/" + found["query hash"])
            with self.assertRaises(ConnectionResetError):
                while s.recv(65536):
                    pass

    def test_bodies_that_trickle_do_not_keep_others_out(self):
        server = self.new_server({"limits.memory": "64MiB"}).start()
        trickling = []
        for _ in range(64):
            s = socket.create_connection(("127.0.0.1", server.port))
            s.sendall(b"POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (16 * MIB, b"#" * 12_000))
            trickling.append(s)
        wait_until(lambda: server.metric("varve_memory_bytes", kind="body") >= 64 * 12_000, 30)
        text = "".join(f"fine value={i}i {T0 + i}\n" for i in range(100_000)).encode()
        self.assertEqual(server.post("/write?precision=ms", text).status, 204)
        self.assertEqual(server.metric("varve_http_shed_total"), 0)
        for s in trickling:
            s.close()

    def test_telnet_flood_without_newline(self):
        server = self.new_server().start()
        before = server.peak_memory()
        with server.telnet() as t:
            try:
                for _ in range(64):
                    t.send(b"x" * MIB)
                t.send(f"\nputm flood {T0} 1 h=a\n")
                t.finish()
            except OSError:
                pass  # the server may end it
        self.assertLess(server.peak_memory() - before, 32 * MIB)
        self.assert_serves(server)

    def test_telnet_client_that_does_not_read_errors(self):
        server = self.new_server().start()
        before = server.peak_memory()
        s = socket.create_connection(("127.0.0.1", server.telnet_port), timeout=5)
        try:
            for _ in range(200):
                s.sendall(b"bogus command\n" * 5000)
        except OSError:
            pass  # back-pressure, as it should be
        self.assertLess(server.peak_memory() - before, 64 * MIB)
        self.assert_serves(server)
        s.close()

    def test_many_idle_connections(self):
        server = self.new_server().start()
        before = server.peak_memory()
        idle = [socket.create_connection(("127.0.0.1", port)) for port in (server.port, server.telnet_port)
                for _ in range(400)]
        self.assert_serves(server)
        self.assertLess(server.peak_memory() - before, 800 * 64 * 1024 + 32 * MIB)
        for s in idle:
            s.close()

    def test_half_closed_and_reset(self):
        server = self.new_server().start()
        for i in range(200):
            s = socket.create_connection(("127.0.0.1", server.port))
            s.sendall(b"POST /write?precision=ms HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
            if i % 2:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            s.close()
        self.assert_serves(server)
        self.assertEqual(server.values("half"), [])

    def test_pipelined_requests_are_answered_in_order(self):
        server = self.new_server().start()
        requests = b"".join(
            b"POST /write?precision=ms HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            for body in (b"pipe value=%d %d" % (i, T0 + i) for i in range(100)))
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as s:
            s.sendall(requests + b"GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            got = read_to_end(s)
        self.assertEqual(got.count(b"HTTP/1.1 204"), 100)
        self.assertEqual(got.count(b"HTTP/1.1 200"), 1)
        self.assertEqual(server.values("pipe"), [(T0 + i, i) for i in range(100)])

    # --- overload ---

    def test_overload_sheds_and_loses_nothing(self):
        """More bodies at once than the server holds: some are refused and told when to come again, each 204 is stored,
        and it serves on afterwards."""
        server = self.new_server({"limits.memory": "512MiB"}).start()
        senders, size, lines = 24, 40 * MIB, 1000
        held = threading.Barrier(senders)
        answers = [b""] * senders

        def send(index):
            text = "".join(f"over,s={index} value={i}i {T0 + i}\n" for i in range(lines)).encode()
            head = b"POST /write?precision=ms HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % size
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as s:
                try:
                    s.sendall(head + text + b"#" * (size - len(text) - 1))
                except OSError:
                    pass  # refused while sending
                held.wait(60)  # all but the last byte of every body is there
                try:
                    s.sendall(b"#")
                except OSError:
                    pass
                answers[index] = read_to_end(s)

        threads = [threading.Thread(target=send, args=(i,)) for i in range(senders)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertTrue(server.alive())
        self.assertLess(server.peak_memory(), 1024 * MIB)
        refused = [a for a in answers if not a.startswith(b"HTTP/1.1 204")]
        self.assertTrue(0 < len(refused) < senders, f"{len(refused)} of {senders} were refused")
        for answer in refused:
            self.assertRegex(answer, rb"^HTTP/1.1 (429|503) [^\0]*\r\n(?i:retry-after): \d", answer[:200])
        for index, answer in enumerate(answers):
            count = len(server.values("over", {"s": str(index)}))
            self.assertEqual(count, lines if answer.startswith(b"HTTP/1.1 204") else 0)
        self.assert_serves(server)

    def test_a_query_over_its_memory_is_a_clear_error(self):
        server = self.new_server({"query.memory": "1MiB"}).start()
        for part in range(5):
            base = T0 + part * 100_000
            server.put([{"name": "wide", "tags": {"h": "a"}, "datapoints": [[base + i, i * 1.7] for i in range(100_000)]}])
        answer = server.post("/api/v1/datapoints/query", {"start_absolute": 0, "metrics": [{"name": "wide", "aggregators": [
            {"name": "avg", "sampling": {"value": 1, "unit": "milliseconds"}}]}]})
        self.assertIn(answer.status, (400, 413, 422, 429, 500, 503), answer.status)
        self.assertRegex(answer.json()["errors"][0], "(?i)memory")
        self.assert_serves(server)

    def test_a_client_that_hangs_up_frees_the_query(self):
        server = self.new_server().start()
        server.put([{"name": "hang", "tags": {"h": str(h)}, "datapoints": [[T0 + i, i] for i in range(50_000)]}
                    for h in range(10)])
        query = json.dumps({"start_absolute": 0, "metrics": [{"name": "hang"}]}).encode()
        for _ in range(30):
            with socket.create_connection(("127.0.0.1", server.port)) as s:
                s.sendall(b"POST /api/v1/datapoints/query HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
                          % (len(query), query))
        wait_until(lambda: server.get("/-/healthy").status == 200, 10)
        self.assert_serves(server)


def http_request_or_reset(port, path, body, headers):
    try:
        return http_request(port, "POST", path, body, headers).status
    except OSError:
        return "reset"


if __name__ == "__main__":
    unittest.main()
