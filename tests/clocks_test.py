# SPDX-License-Identifier: Apache-2.0
"""Replicas whose clocks differ by hours, a Redis that is away when one starts, a Redis whose clock goes back: every
acknowledged sample, every window and every delete is exact, at every replica."""

import contextlib
import time

from support import preload
from support.actor import TENANTS, Shape
from support.chaos import Replica
from support.client import wait_until
from support.ledger import Ledger
from support.life import Life
from support.replicas import SLOTS, ClusterCase

HOUR_S = 3600


class Clocks(ClusterCase):
    def setUp(self):
        self.ledger = Ledger()
        self.servers = []

    def server(self, ahead_s=0):
        server = self.replica(self._testMethodName[:48], {"query.timeout": "5m"})
        server.env = preload.clock_ahead(ahead_s) if ahead_s else {}
        self.servers.append(server)
        return server

    def live(self, seed, servers=None):
        """Puts, late puts, overwritten ones, deletes and questions; and one after the other settles."""
        servers = servers or self.servers
        life = Life(seed, servers, self.ledger, actors=2, shape=Shape(queries_may_fail=True, batch=(1, 5, 20)))
        for server in servers * 2:
            life.steps(12)
            answer = server.post("/-/settle", timeout=120)
            self.assertIn(answer.status, (200, 503), answer)
        life.finish(60)
        self.assertEqual(life.faults(), [])
        self.faults(f"life {seed}", servers[seed % len(servers):][:1])

    def faults(self, when, servers=None):
        for server in servers or self.servers:
            self.assertEqual(self.ledger.check(server), [], f"{when}, replica {self.servers.index(server)}")

    def end(self):
        """All is sealed by itself, and exact before, after, and when it is rolled up."""
        self.faults("at the end")
        for tenant in TENANTS:
            wait_until(lambda t=tenant: self.servers[0].get(f"/t/{t}/api/v1/admin/slots").json()["slots"] == [], 60, "nothing is pending")
        for server in self.servers:
            server.settle()
        self.faults("settled")
        self.assertGreater(self.ledger.acknowledged(), 100)

    def redis_again(self, ahead_s):
        """It comes back empty and of another time."""
        self.backends.redis.kill()
        self.backends.redis.start(preload.clock_ahead(ahead_s) if ahead_s else None)

    def test_an_hour_ahead_and_behind(self):
        for ahead_s in (HOUR_S, -HOUR_S):
            self.server(ahead_s).start()
        for seed in (1, 2):
            self.live(seed)
        self.end()

    def waits_for_redis(self, server):
        def said():
            with contextlib.suppress(OSError):
                answer = server.get("/-/ready")
                return answer.status == 503 and b"waiting for Redis" in answer.body
        wait_until(said, 60, "it says what it waits for")
        self.assertEqual(server.get("/-/healthy").status, 200)

    def test_redis_is_away_when_one_starts(self):
        self.server().start()
        self.live(4)
        late = self.server(-HOUR_S)
        self.servers.remove(late)
        self.backends.redis.kill()
        late.spawn()
        self.waits_for_redis(late)
        self.assertEqual(late.stop()[0], 0, "it need not be killed")
        late.spawn()
        life = Life(5, self.servers[:1], self.ledger, actors=2, shape=Shape(deletes=False))  # which need Redis
        life.steps(20)
        life.finish()
        self.assertEqual(life.faults(), [])
        self.waits_for_redis(late)
        self.backends.redis.start()
        self.assertIsNone(late.wait_ready_or_end())
        self.servers.append(late)
        self.faults("just started", [late])
        self.live(6)
        self.end()

    def test_the_clock_of_redis_goes_back(self):
        first = self.server().start()
        self.live(7)
        self.redis_again(-HOUR_S)
        self.server(HOUR_S).start()
        self.live(8)
        first.kill()
        self.live(9, self.servers[1:])
        first.start()
        for server in self.servers:
            server.kill()
        self.redis_again(-2 * HOUR_S)  # and nobody is left who knew the time
        for server in self.servers:
            server.start()
        self.live(10)
        self.end()

    def test_what_one_without_redis_takes_in_all_see(self):
        """Whenever it is acknowledged: the very next question at another replica has it."""
        start_ms = int(time.time() - 10_800) * 1000
        alone, other = (self.behind_proxies() for _ in range(2))

        def write(host, value, t):
            wait_until(lambda: alone.server.post("/write?precision=ms", f"seen,host={host} value={value}i {t}").status == 204, 30, "taken in")

        for number in range(3):
            write(f"h{number}", 1, start_ms)
            self.assertEqual(len(other.server.values("seen")), number + 1)
        alone.redis.cut(refuse=True)
        write("h0", 2, start_ms)
        for number in range(1, 10):
            write(f"h{number % 5}", number, start_ms + number % 3 * 10_000 + number)
            self.assertEqual(len(other.server.values("seen")), number + 3)
        alone.redis.restore()
        wait_until(lambda: alone.server.metric("varve_redis_lost") == 0, 60, "Redis is found again")
        self.assertEqual(len(other.server.values("seen")), 12)

    def behind_proxies(self):
        replica = Replica(self.backends, "alone", SLOTS)
        self.addCleanup(replica.close)
        del replica.server.config["storage.path"]
        return replica.start()
