# SPDX-License-Identifier: Apache-2.0
"""Three nodes of Cassandra with three copies: each of them dies once while samples come in and are sealed. Long: run by
./dev test --faults."""

import signal
import time
import unittest

from support.client import wait_until
from support.cluster import Backends
from support.live import without_cluster
from support.load import Load
from support.replicas import SLOTS
from support.server import Server, free_port


class NodeLoss(unittest.TestCase):
    def setUp(self):
        if without_cluster():
            self.skipTest("built with VARVE_CLUSTER=OFF")
        self.backends = Backends(free_port, nodes=3, replication=3)
        self.addCleanup(self.backends.close)
        self.backends.start()

    def replica(self):
        config = {**self.backends.config("loss"), **SLOTS}
        del config["storage.path"]
        server = Server(config)
        self.addCleanup(server.close)
        return server.start()

    def test_each_node_dies_once(self):
        servers = [self.replica(), self.replica()]
        load = Load(servers, hosts=6).start()
        time.sleep(4)
        for node in self.backends.cassandra.nodes:
            node.end(signal.SIGKILL)
            before = load.acknowledged()
            time.sleep(8)
            self.assertGreater(load.acknowledged(), before, "two of three are a quorum")
            node.start()
            time.sleep(4)  # what it missed is handed to it
        load.stop()
        self.assertEqual(load.odd(), [])
        wait_until(lambda: servers[0].get("/api/v1/admin/slots").json()["slots"] == [], 120, "nothing is pending")
        for server in servers:
            self.assertEqual(load.check(server), [])
        servers[0].settle()
        for server in servers:
            self.assertEqual(load.check(server), [])
