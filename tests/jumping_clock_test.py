# SPDX-License-Identifier: Apache-2.0
"""A wall clock that jumps: what retention keeps stays, all goes on afterwards without a restart, and it is said."""

import time

from support import preload
from support.case import OwnServerCase
from support.client import wait_until
from support.logs import Logs

HOUR, DAY = 3_600_000, 86_400_000
YEAR_S = 365 * 86_400
# A short retention makes it look every second what is over.
CONFIG = {"slots.quiet": "1s", "messages.classes": "brief:8s:Source=nobody", "raw.retention": "90d", "messages.retention": "30d", "rollups": "5m:200d,1h:200d"}


class JumpingClock(OwnServerCase):
    def setUp(self):
        self.clock = preload.JumpingClock()
        self.addCleanup(self.clock.close)

    def server(self, config=None):
        return self.new_server({**CONFIG, **(config or {})}, env=self.clock.env).start()

    def put(self, server, start, metric="m"):
        points = [(start + i * 60_000, i) for i in range(60)]
        server.put([{"name": metric, "tags": {"a": "b"}, "datapoints": points}])
        return points

    def test_a_year_ahead_for_seconds(self):
        server = self.server()
        now = int(time.time() * 1000)
        old = (now - 10 * DAY) // HOUR * HOUR
        points = self.put(server, old)
        logs = Logs(server)
        logs.put(*({"time": (old + i) * 1000, "source": "s", "text": f"{i}"} for i in range(5)))
        server.settle()
        for restarts in (False, True):
            if restarts:
                self.assertEqual(server.stop()[0], 0)
            self.clock.jump(YEAR_S)
            if restarts:
                server.start()
            wait_until(lambda: server.metric("varve_clock_jumps_total") == 1, 20, "it is seen")
            self.assertGreater(server.metric("varve_clock_held_seconds"), YEAR_S - 100)
            server.settle()
            self.assertIn("the clock is ahead", server.log())
            purged = server.post("/analytics/operation/database-purge", {"purge_input": "now-20d"})
            self.assertEqual(purged.status, 200, purged)
            wait_until(lambda purge=purged.json()["purge_id"]: purge in server.log(), 20, "it has ended")
            self.clock.jump(-YEAR_S)
            wait_until(lambda: server.metric("varve_clock_held_seconds") == 0, 20, "it is right again")
            server.settle()
            self.assertEqual(server.values("m", start=old), points)
            self.assertEqual(sorted(logs.texts(end=(now + DAY) * 1000)), list("01234"))
            fresh = self.put(server, int(time.time() * 1000) - HOUR, f"fresh{restarts}")
            server.settle()
            self.assertEqual(server.values(f"fresh{restarts}"), fresh)

    def test_an_operator_is_believed(self):
        server = self.server()
        old = int(time.time() * 1000 - 10 * DAY) // HOUR * HOUR
        self.put(server, old)
        server.settle()
        self.clock.jump(100 * 86_400)
        wait_until(lambda: server.metric("varve_clock_held_seconds") > 0, 20, "it is seen")
        self.assertEqual(server.post("/-/trust-clock").status, 200)
        self.assertEqual(server.metric("varve_clock_held_seconds"), 0)

        def dropped():
            server.settle()
            return server.values("m", start=old) == []
        wait_until(dropped, 60, "the samples go with their time")

    def test_before_1970(self):
        self.clock.jump(-int(time.time()) - 1000)
        server = self.new_server(CONFIG, env=self.clock.env)
        server.spawn()
        self.assertNotEqual(server.wait_ready_or_end(), None)
        self.assertIn("before 1970", server.log())
