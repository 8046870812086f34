# SPDX-License-Identifier: Apache-2.0
"""A full disk: writes get 503 with a reason, reads go on, nothing acknowledged is lost, and it recovers with room.

As root a small tmpfs is really filled; otherwise a limit of the file size (RLIMIT_FSIZE) makes every write fail, and
is lifted from outside."""

import contextlib
import os
import resource
import signal
import unittest

from support.case import T0, OwnServerCase
from support.client import wait_until
from support.small_disk import mount_small

LINES = 2000


def body(number):
    # Digits that do not compress, so that the disk fills soon.
    return "".join(f"full,h=h{i % 7} value={(i * 2654435761 + number * 40503) % 2**53}i {T0 + number * LINES + i}\n"
                   for i in range(LINES))


def fill(path):
    """A file that takes all the room that there is."""
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as f:
        while True:
            f.write(bytes(4096))


class DiskFull(OwnServerCase):
    def write_until_full(self, server):
        """Returns how many bodies were acknowledged, and the refusal."""
        for number in range(100_000):
            answer = server.post("/write?precision=ms", body(number))
            if answer.status != 204:
                return number, answer
        raise AssertionError("the disk never became full")

    def check_refusal_and_reads(self, server, acknowledged, answer):
        self.assertEqual(answer.status, 503, answer)
        self.assertRegex(answer.body.decode(), r"(?i)space|disk|full|file too large|storage")
        self.assertTrue(answer.header("Retry-After"))
        self.assertTrue(server.alive())
        self.assertEqual(server.get("/-/healthy").status, 200)
        self.check_told(server)
        self.assertEqual(self.count(server), acknowledged * LINES)
        # As large as what did not fit: something smaller may still find room.
        values = [(T0 + i, i * 2654435761 % 2**53) for i in range(3 * LINES)]
        kairos = server.post("/api/v1/datapoints", [{"name": "full.k", "tags": {"a": "b"}, "datapoints": values}])
        self.assertEqual(kairos.status, 503, kairos)
        self.assertTrue(kairos.json()["errors"][0])
        tsdb = server.post("/api/put", [{"metric": "full.o", "timestamp": t, "value": v, "tags": {"a": "b"}}
                                        for t, v in values])
        self.assertEqual(tsdb.status, 503, tsdb)
        self.assertEqual(server.values("full.k") + server.values("full.o"), [])

    def lines(self, server, said):
        with open(server.log_path, encoding="utf-8") as log:
            return [line for line in log if f'msg="{said}"' in line]

    def check_told(self, server):
        """One line of the log however often it is refused; who asks whether it is ready is told, too."""
        for _ in range(3):
            self.assertEqual(server.post("/write?precision=ms", body(100_000)).status, 503)
        (line,) = self.lines(server, "writes are refused")
        self.assertIn("level=warn", line)
        self.assertRegex(line, r'reason=".*(?i:space|disk|full|file too large)')
        ready = server.get("/-/ready")
        self.assertEqual(ready.status, 200, ready)  # queries are answered
        self.assertRegex(ready.body.decode(), r"^ready\nwrites are refused: .+\n$")
        self.assertIn("Writes: FAIL: writes are refused: ", server.get("/api/v1/health/status").json()[-1])
        self.assertEqual(server.get("/api/v1/health/check").status, 204)
        health = server.get("/health")
        self.assertEqual((health.status, health.json()["status"]), (200, "pass"))
        self.assertIn("writes are refused: ", health.json()["message"])
        self.assertEqual(self.lines(server, "writes go on again"), [])

    def check_told_of_the_end(self, server):
        wait_until(lambda: server.get("/-/ready").body == b"ready\n", 30, "nothing is refused any more")
        (line,) = self.lines(server, "writes go on again")
        self.assertIn("level=info", line)
        self.assertRegex(line, r'reason=".+" refused=\d+ seconds=[\d.]+')
        self.assertEqual(len(self.lines(server, "writes are refused")), 1)
        self.assertEqual(server.get("/api/v1/health/status").json(), ["JVM-Thread-Deadlock: OK", "Datastore-Query: OK"])

    def count(self, server):
        results = server.query([{"name": "full", "aggregators": [
            {"name": "count", "sampling": {"value": 10, "unit": "years"}}]}], T0 - 1)[0]["results"]
        return sum(v for r in results for _, v in r["values"])

    def recover(self, server, acknowledged):
        def accepted():
            return server.post("/write?precision=ms", body(acknowledged)).status == 204
        wait_until(accepted, 15, "writes are taken again")
        self.assertEqual(self.count(server), (acknowledged + 1) * LINES)
        self.check_told_of_the_end(server)
        server.kill()
        server.start()
        self.assertEqual(self.count(server), (acknowledged + 1) * LINES)

    def test_small_file_system(self):
        mount = mount_small(self, "24m")
        ballast = os.path.join(mount, "ballast")
        with open(ballast, "wb") as f:
            f.write(bytes(12 << 20))
        server = self.new_server(path=os.path.join(mount, "data")).start()
        acknowledged, answer = self.write_until_full(server)
        self.assertGreater(acknowledged, 0)
        self.check_refusal_and_reads(server, acknowledged, answer)
        # What is left is too little for the log, but may be enough for a delete: samples are far smaller in the database.
        rest = os.path.join(mount, "rest")
        fill(rest)
        gone = server.request("DELETE", "/api/metric/metricName/full?tag=h=h0")
        self.assertEqual(gone.status, 503, gone)
        self.assertEqual(self.count(server), acknowledged * LINES)
        os.unlink(ballast)
        os.unlink(rest)
        self.recover(server, acknowledged)

    def test_limit_of_the_file_size(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, resource.RLIM_INFINITY))
        server = self.new_server(preexec=limit).start()
        acknowledged, answer = self.write_until_full(server)
        self.assertGreater(acknowledged, 0)
        self.check_refusal_and_reads(server, acknowledged, answer)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        server.preexec = None
        self.recover(server, acknowledged)


if __name__ == "__main__":
    unittest.main()
