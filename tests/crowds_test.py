# SPDX-License-Identifier: Apache-2.0
"""Crowds: thousands of connections, senders that trickle, readers that stop, thousands of tenants, memory that ends. Memory
is bounded, the process stays, and a polite client is served all the time."""

import contextlib
import json
import random
import resource
import time

from support import effort
from support.case import T0, OwnServerCase
from support.client import http_request, wait_until
from support.crowd import Crowd, Polite
from support.sanitized import skip_what_measures_memory

MIB = 1 << 20


class Crowds(OwnServerCase):
    def served(self, server, seconds, disturb):
        """A polite client puts all the time; nothing of it is refused, all of it is there."""
        polite = Polite(server, "polite")
        polite.start()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            disturb()
            time.sleep(0.2)
        polite.stop()
        self.assertTrue(server.alive(), server.log()[-2000:])
        self.assertEqual(polite.refused[:3], [])
        self.assertEqual(len(server.values("polite")), polite.sent)
        print(f"    {polite.sent} puts, p99 {polite.p99_ms():.1f} ms, peak memory {server.peak_memory() / MIB:.0f} MiB", flush=True)

    def test_thousands_of_connections(self):
        """Half of them say nothing, half send a head byte by byte."""
        server = self.new_server().start()
        count = 9900 if effort.LONG else 1500
        before = server.peak_memory()
        with Crowd(server.port, count, lambda n: b"POST /write HTTP/1.1\r\nHost: x\r\nX-A: " if n % 2 else b"", b"y") as crowd:
            self.served(server, effort.seconds(4, 30), crowd.drip_once)
        self.assertLess(server.peak_memory() - before, 400 * MIB)

    def test_senders_of_bodies_that_trickle(self):
        """Each claims a body that fills all that bodies may take, and sends a byte at a time."""
        server = self.new_server().start()
        head = b"POST /write?precision=ms HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (60 * MIB)
        before = server.peak_memory()
        with Crowd(server.port, 2000 if effort.LONG else 300, lambda n: head, b"#") as crowd:
            self.served(server, effort.seconds(4, 60), crowd.drip_once)
        self.assertLess(server.peak_memory() - before, 200 * MIB)

    def test_readers_that_stop(self):
        """Each asks for a large answer and takes nothing of it."""
        server = self.new_server().start()
        for part in range(5):
            begin = T0 + part * 100_000
            server.put([{"name": "big", "tags": {"h": "a"}, "datapoints": [[begin + i, i * 1.1] for i in range(100_000)]}])
        query = json.dumps({"start_absolute": 0, "metrics": [{"name": "big"}]}).encode()
        ask = b"POST /api/v1/datapoints/query HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(query), query)
        with Crowd(server.port, 300 if effort.LONG else 30, lambda n: ask, receive_bytes=4096):
            self.served(server, effort.seconds(4, 30), lambda: None)

    def test_thousands_of_tenants(self):
        server = self.new_server().start()
        count = 10_000 if effort.LONG else 300
        with contextlib.closing(http_connection(server)) as connection:
            for n in range(count):
                connection.request("POST", f"/t/tenant-{n}/write?precision=ms", f"own value={n}i {T0}")
                answer = connection.getresponse()
                self.assertEqual((answer.status, answer.read()), (204, b""))
        print(f"    {count} tenants, peak memory {server.peak_memory() / MIB:.0f} MiB", flush=True)
        server.restart()
        for n in random.Random(1).sample(range(count), 50):
            self.assertEqual(server.values("own", prefix=f"/t/tenant-{n}"), [(T0, n)])
        self.served(server, effort.seconds(1, 5), lambda: None)

    def test_memory_ends(self):
        """Less address space than a request needs: it fails, the process does not."""
        seed = effort.seed()
        chance = random.Random(f"memory {seed}")
        server = self.new_server().start()
        for part in range(3):
            begin = T0 + part * 100_000
            server.put([{"name": "big", "tags": {"h": str(h)}, "datapoints": [[begin + i, i * 1.1] for i in range(20_000)]}
                        for h in range(5)])
        body = json.dumps([{"name": "huge", "tags": {"h": str(h)}, "datapoints": [[T0 + i, i] for i in range(20_000)]}
                           for h in range(10)])
        question = {"start_absolute": 0, "metrics": [{"name": "big"}] * 5}
        statuses = []
        for number in range(4 if not effort.LONG else max(20, int(effort.seconds(0, 40)))):
            self.limit(server, chance.choice((0, 4, 16, 40)) * MIB)
            for path, data in chance.sample([("/api/v1/datapoints", body), ("/api/v1/datapoints/query", question)], 2):
                with contextlib.suppress(OSError):
                    statuses.append(http_request(server.port, "POST", path, data).status)
            with contextlib.suppress(OSError):
                resource.prlimit(server.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            wait_until(lambda: not server.alive() or self.is_healthy(server), 20)
            self.assertTrue(server.alive(), f"try {number} ended it, {effort.again(seed, 'memory_ends')}: {server.last_words()}")
        print(f"    answers: { {status: statuses.count(status) for status in set(statuses)} }", flush=True)
        self.assertLessEqual(set(statuses), {200, 204, 422, 429, 500, 503})
        server.influx(f"after value=1 {T0}")
        self.assertEqual(server.values("after"), [(T0, 1)])

    @staticmethod
    def is_healthy(server):
        with contextlib.suppress(OSError):
            return server.get("/-/healthy").status == 200
        return False

    @staticmethod
    def limit(server, more):
        skip_what_measures_memory()
        with open(f"/proc/{server.process.pid}/status") as f:
            size = next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmSize"))
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (size + more, resource.RLIM_INFINITY))


def http_connection(server):
    import http.client
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
