# SPDX-License-Identifier: Apache-2.0
"""Whatever dies, hangs or is slow, nothing that was acknowledged is lost and every window ends exact."""

import os
import signal
import time

from support.client import wait_until
from support.load import Load
from support.replicas import ClusterCase


class Faults(ClusterCase):
    restarts = True

    def test_one_is_killed_in_mid_work(self):
        servers = self.replicas()
        load = Load(servers[:2], hosts=6).start()
        for _ in range(4):
            time.sleep(4)
            servers[2].kill()
            time.sleep(1)
            servers[2].start()
        load.stop()
        self.assertEqual(load.odd(), [])
        self.settled(servers[0], load)
        self.assertEqual(load.check(servers[2]), [])

    def test_a_writer_is_killed(self):
        servers = self.replicas()
        load = Load(servers, hosts=6).start()
        for victim in (0, 1, 0):
            time.sleep(4)
            servers[victim].kill()
            servers[victim].start()
        load.stop()
        self.assertGreater(load.total("broken") + load.total("refused"), 0)
        self.settled(servers[2], load)

    def test_a_paused_one_does_no_harm(self):
        servers = self.replicas()
        load = Load([servers[2]], hosts=6).start()
        for victim in (0, 1, 0, 1):
            time.sleep(2)
            os.kill(servers[victim].process.pid, signal.SIGSTOP)
            time.sleep(4)  # its lease is over
            os.kill(servers[victim].process.pid, signal.SIGCONT)
        load.stop()
        self.settled(servers[0], load)

    def test_redis_is_killed_and_comes_back_empty(self):
        servers = self.replicas()
        redis = self.backends.redis
        load = Load(servers).start()
        time.sleep(5)
        for away in (6, 0):
            redis.kill()
            before = load.acknowledged()
            time.sleep(away)
            if away:
                self.assertGreater(load.acknowledged(), before)
                self.assertEqual(servers[0].metric("varve_redis_lost"), 1)
            redis.start()
            time.sleep(4)
        load.stop()
        self.assertEqual(load.odd(), [])
        self.assertEqual(load.check(servers[1]), [])
        wait_until(lambda: servers[1].metric("varve_redis_lost") == 0, 60, "recovered")
        self.settled(servers[1], load)

    def test_cassandra_does_not_answer(self):
        """Paused, as after a broken switch, then killed."""
        servers = self.replicas(2)
        node = self.backends.cassandra.nodes[0]
        load = Load(servers).start()
        time.sleep(4)
        node.pause()
        time.sleep(30)
        self.assertEqual(servers[0].get("/-/healthy").status, 200)
        node.resume()
        time.sleep(3)
        node.end(signal.SIGKILL)
        refused = load.total("refused")
        time.sleep(5)
        self.assertGreater(load.total("refused"), refused)
        node.start()
        # Each tries to connect again by itself, ever more rarely: up to ten seconds pass between two attempts.
        for server in servers:
            wait_until(lambda: server.post("/write", "back value=1i").status == 204, 60, "writes are taken again")
        time.sleep(2)
        load.stop()
        self.assertEqual(load.odd(), [])
        self.assertEqual(load.total("retry_after"), load.total("refused"))
        self.settled(servers[0], load)

    def test_a_slow_cassandra_holds_writers_up(self):
        """Many writers on a Cassandra that hardly gets to run: memory stays bounded, nothing acknowledged is lost."""
        server, = self.replicas(1)
        pid = self.backends.cassandra.nodes[0].pid()
        load = Load([server], hosts=40, pace=0).start()
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.4)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.1)
        load.stop()
        self.assertEqual(load.odd(), [])
        self.assertLess(server.peak_memory(), 1 << 30)
        self.settled(server, load, 120)
