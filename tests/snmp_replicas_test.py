# SPDX-License-Identifier: Apache-2.0
"""Replicas share devices by leases: whichever is killed, frozen, stopped or added, and while Redis is lost or Cassandra does not
answer, every device is polled, every stored sample is one that the agent showed, and nothing is counted twice."""

import signal
import time

from support import effort
from support.client import wait_until
from support.polled import BASE, CONFIG, Polled
from support.replicas import ClusterCase

DEVICES = 6
LEASE_S = 2  # support/replicas.py


def now_ms():
    return int(time.time() * 1000)


class SnmpReplicas(Polled, ClusterCase):
    def setUp(self):
        self.since = now_ms() - 60_000
        self.device_agent = self.agent(DEVICES)

    def serve(self, count):
        self.config = {**CONFIG, "slots.quiet": "30s", "snmp.credentials": self.credentials(self.backends.directory)}
        servers = self.replicas(count, self.config)
        answer = servers[0].post(BASE + "import", self.polled(self.device_agent, DEVICES))
        self.assertEqual(answer.status, 200, answer)
        self.all_polled(servers[0], 0, 3)
        return servers

    def all_polled(self, server, since_ms, count=2, seconds=60):
        for device in range(DEVICES):
            self.wait_samples(server, device, count, since_ms, seconds)

    def pollers(self, servers):
        """Those of them that polled something within the last seconds."""
        before = [server.metric("varve_snmp_polls_total", result="ok") for server in servers]
        time.sleep(2.5)
        return [server for server, polls in zip(servers, before) if server.metric("varve_snmp_polls_total", result="ok") > polls]

    def gaps_s(self, server, from_ms):
        """The longest time between two samples of each device."""
        longest = []
        for device in range(DEVICES):
            times = [ms for ms, _ in self.samples(server, device) if ms >= from_ms]
            longest.append(max(later - earlier for earlier, later in zip(times, times[1:])) / 1000)
        return longest

    def exact(self, server):
        for device in range(DEVICES):
            self.assertGreater(self.check_samples(server, self.device_agent, device), 20)
            self.assertGreater(self.check_increases(server, device), 20)

    def one_that_polls(self, servers):
        return wait_until(lambda: self.pollers(servers), 60, "somebody polls")[0]

    def test_killed_frozen_added_and_stopped(self):
        servers = self.serve(3)
        wait_until(lambda: len(self.pollers(servers)) > 1, 60, "they share the devices")

        def without(one, what):
            """The others take its devices over."""
            began = now_ms()
            what(one)
            other = next(server for server in servers if server is not one)
            self.all_polled(other, now_ms() + 1000)
            return f"{max(self.gaps_s(other, began - 3000)):.1f} s"

        killed = self.one_that_polls(servers)
        print(f"a lease is {LEASE_S} s; at most without a poll when one is killed: {without(killed, lambda s: s.kill())}")
        killed.start()
        frozen = self.one_that_polls(servers)
        print(f"frozen: {without(frozen, lambda s: s.process.send_signal(signal.SIGSTOP))}")
        frozen.process.send_signal(signal.SIGCONT)
        self.all_polled(frozen, now_ms())
        servers.append(self.replica("test_killed_frozen_added_and_stopped", self.config).start())
        wait_until(lambda: servers[3] in self.pollers(servers), 60, "the new one takes its share")
        stopped = self.one_that_polls(servers)
        print(f"stopped: {without(stopped, lambda s: self.assertEqual(s.stop()[0], 0))}")
        servers.remove(stopped)
        self.exact(servers[0])
        self.exact(servers[-1])

    def test_redis_is_lost(self):
        a, b = self.serve(2)
        self.backends.redis.kill()
        time.sleep(LEASE_S + 3)
        self.backends.redis.start()
        self.all_polled(a, now_ms(), 3)
        self.exact(b)

    def test_cassandra_does_not_answer(self):
        a, b = self.serve(2)
        began = now_ms()
        node = self.backends.cassandra.nodes[0]
        node.send(signal.SIGSTOP)
        try:
            wait_until(lambda: a.metric("varve_snmp_buffer_bytes") + b.metric("varve_snmp_buffer_bytes") > 2000, 60, "rows wait in memory")
            time.sleep(effort.seconds(5, 60))
        finally:
            node.send(signal.SIGCONT)
        back = now_ms()
        wait_until(lambda: all(server.metric("varve_snmp_buffer_bytes") == 0 for server in (a, b)), 120, "they are stored")
        self.all_polled(a, back, 2, 120)
        self.assertEqual([server.metric("varve_snmp_samples_dropped_total") for server in (a, b)], [0, 0])
        for device in range(DEVICES):
            away = [ms for ms, _ in self.samples(b, device) if began < ms < back]
            self.assertGreater(len(away), 1, "what was polled meanwhile is there")
        self.exact(b)
