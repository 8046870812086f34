# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a cluster, one thing after the other, drawn from a seed: replicas, Redis and Cassandra are killed,
stopped and continued, slow, cut off, emptied, and have wrong clocks."""

import os
import random
import signal
import time

from . import preload
from .proxy import Proxy
from .server import Server

CLOCKS_S = (-3600, 0, 0, 3600)


def stopped(pid, seconds):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(pid, signal.SIGCONT)


class Replica:
    """A varve of its own clock, with a proxy before Redis and one before Cassandra."""

    def __init__(self, backends, keyspace, config):
        self.redis = Proxy(backends.redis.port).start()
        host, port = backends.cassandra.contact_points.split(",")[0].split(":")
        self.cassandra = Proxy(int(port), host).start()
        self.server = Server({**backends.config(keyspace), **config, "redis.url": f"redis://127.0.0.1:{self.redis.port}",
                              "cassandra.hosts": f"127.0.0.1:{self.cassandra.port}"})

    def start(self, ahead_s=0):
        """Where Cassandra does not answer at once it ends, and whoever started it starts it again."""
        self.server.env = preload.clock_ahead(ahead_s) if ahead_s else {}
        for attempt in range(10):
            try:
                self.server.start()
                return self
            except RuntimeError:
                if attempt == 9 or self.server.process.poll() != 1:
                    raise
        return self

    def close(self):
        self.server.close()
        self.redis.close()
        self.cassandra.close()


class Chaos:
    def __init__(self, seed, backends, replicas, clocks=CLOCKS_S):
        self.chance = random.Random(f"chaos {seed}")
        self.backends, self.replicas, self.clocks = backends, replicas, clocks
        self.begun, self.told, self.faults = time.monotonic(), [], []

    def run(self, seconds, long):
        """`long`: also what takes tens of seconds, the death of Cassandra."""
        events = [self.kill_replica] * 4 + [self.stop_replica] * 3 + [self.empty_redis, self.start_without_redis] * 2 + [
            self.stop_redis, self.slow, self.slow, self.cut_redis_of_one, self.stop_cassandra]
        if long:
            events += [self.kill_cassandra]
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.chance.choice(events)()
            time.sleep(self.chance.uniform(0.2, 3))
        for replica in self.replicas:
            replica.redis.restore()
            replica.cassandra.restore()
        return self

    def tell(self, what):
        self.told.append(f"{time.monotonic() - self.begun:.1f} s: {what}")

    def one(self):
        return self.chance.choice(self.replicas)

    def number(self, replica):
        return self.replicas.index(replica)

    def kill_replica(self):
        replica, ahead_s = self.one(), self.chance.choice(self.clocks)
        self.tell(f"replica {self.number(replica)} is killed, and starts {ahead_s} s ahead")
        if not replica.server.alive():
            self.faults.append(f"replica {self.number(replica)} had ended by itself: {replica.server.last_words()}")
        replica.server.kill()
        time.sleep(self.chance.choice((0, 0, 3)))
        replica.start(ahead_s)

    def stop_replica(self):
        replica, seconds = self.one(), self.chance.choice((0.5, 3, 6))
        self.tell(f"replica {self.number(replica)} stands still for {seconds} s")
        if replica.server.alive():
            stopped(replica.server.process.pid, seconds)

    def empty_redis(self):
        away, ahead_s = self.chance.choice((0, 0, 2, 6)), self.chance.choice(self.clocks)
        self.tell(f"Redis is killed, away for {away} s, and comes back empty, {ahead_s} s ahead")
        self.backends.redis.kill()
        time.sleep(away)
        self.backends.redis.start(preload.clock_ahead(ahead_s) if ahead_s else None)

    def start_without_redis(self):
        replica, ahead_s = self.one(), self.chance.choice(self.clocks)
        self.tell(f"Redis and replica {self.number(replica)} are killed; the replica starts first, {ahead_s} s ahead")
        self.backends.redis.kill()
        replica.server.kill()
        replica.server.env = preload.clock_ahead(ahead_s) if ahead_s else {}
        replica.server.spawn()
        time.sleep(self.chance.choice((0, 2)))
        self.backends.redis.start()
        if replica.server.wait_ready_or_end() is not None:
            replica.start(ahead_s)

    def stop_redis(self):
        seconds = self.chance.choice((0.5, 3, 6))
        self.tell(f"Redis stands still for {seconds} s")
        stopped(self.backends.redis.process.pid, seconds)

    def slow(self):
        replica = self.one()
        which = self.chance.choice(("redis", "cassandra"))
        delay_s, seconds = self.chance.choice((0.02, 0.1, 0.5)), self.chance.choice((1, 4))
        self.tell(f"{which} is {delay_s} s away from replica {self.number(replica)}, for {seconds} s")
        proxy = getattr(replica, which)
        proxy.delay_s = delay_s
        time.sleep(seconds)
        proxy.delay_s = 0.0

    def cut_redis_of_one(self):
        replica, seconds = self.one(), self.chance.choice((0.2, 3, 6))
        self.tell(f"replica {self.number(replica)} does not reach Redis for {seconds} s")
        replica.redis.cut(refuse=True)
        time.sleep(seconds)
        replica.redis.restore()

    def stop_cassandra(self):
        seconds = self.chance.choice((0.5, 3, 8))
        node = self.chance.choice(self.backends.cassandra.nodes)
        self.tell(f"a node of Cassandra stands still for {seconds} s")
        node.pause()
        time.sleep(seconds)
        node.resume()

    def kill_cassandra(self):
        node = self.chance.choice(self.backends.cassandra.nodes)
        self.tell("a node of Cassandra is killed and starts again")
        node.end(signal.SIGKILL)
        time.sleep(self.chance.choice((0, 3)))
        node.start()
