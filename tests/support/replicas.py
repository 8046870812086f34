# SPDX-License-Identifier: Apache-2.0
"""Several replicas of varve on servers of the test's own."""

import unittest

from .client import wait_until
from .cluster import Backends
from .live import without_cluster
from .server import Server, free_port

SLOTS = {"slots.width": "10s", "slots.quiet": "2s", "slots.period": "1s", "slots.hot_kept": "0s", "slots.lease": "2s", "slots.jobs": "6",
         "slots.partitions": "12", "rollups": "5s:1y,10s:1y,1m:1y", "storage.path": "",
         "query.timeout": "2m"}  # its Cassandra is busy with other tests, too


class ClusterCase(unittest.TestCase):
    restarts = False  # of Cassandra, with what it holds; without them a change of the schema costs a fifth

    @classmethod
    def setUpClass(cls):
        if without_cluster():
            raise unittest.SkipTest("built with VARVE_CLUSTER=OFF")
        cls.backends = Backends(free_port, sync="group", restarts=cls.restarts)
        cls.addClassCleanup(cls.backends.close)
        cls.backends.start()

    def replicas(self, count=3, config=None):
        """In a keyspace of the test's own."""
        keyspace = self.id().rsplit(".", 1)[1][:48].lower()
        servers = [self.replica(keyspace, config) for _ in range(count)]
        for server in servers:
            server.start()
        return servers

    def replica(self, keyspace, config=None):
        server = Server({**self.backends.config(keyspace), **SLOTS, **(config or {})})
        del server.config["storage.path"]
        self.addCleanup(server.close)
        return server

    def settled(self, replica, load, seconds=180):
        """All is sealed by itself, and exact: before it is rolled up as well, and after."""
        self.assertEqual(load.check(replica), [])
        wait_until(lambda: replica.get("/api/v1/admin/slots").json()["slots"] == [], seconds, "nothing is pending")
        self.assertEqual(load.check(replica), [])
        replica.settle()
        self.assertEqual(load.check(replica), [])

    def held(self, servers):
        return [int(server.metric("varve_jobs_held")) for server in servers]
