# SPDX-License-Identifier: Apache-2.0
"""Base classes of the tests: one server a class, or one a test."""

import unittest

from .server import Server

T0 = 1_790_000_000_000  # "now" of most test data, ms


class ServerCase(unittest.TestCase):
    """One server for all tests of the class; they use metrics and tenants of their own."""

    config = {}

    @classmethod
    def setUpClass(cls):
        cls.server = Server(cls.config)
        cls.addClassCleanup(cls.server.close)
        cls.server.start()

    def tearDown(self):
        self.assertTrue(self.server.alive(), "the server died:\n" + self.server.log()[-3000:])


class OwnServerCase(unittest.TestCase):
    """Each test makes the servers it needs."""

    def new_server(self, config=None, **more):
        server = Server(config, **more)
        self.addCleanup(server.close)
        return server
