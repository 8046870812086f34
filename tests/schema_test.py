# SPDX-License-Identifier: Apache-2.0
"""`varve schema`, and the schema in a real Cassandra: src/engine/cassandra/tables/."""

import subprocess

from support.live import CassandraCase
from support.long import only_long
from support.server import BINARY, run_varve


class Schema(CassandraCase):
    def varve(self, *arguments):
        done = subprocess.run([BINARY, "schema", *arguments], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def test_live(self):
        self.run_live("engine_cassandra_live", "--gtest_filter=-*StoreContract*:*Speed*")

    @only_long
    def test_contract_of_stores(self):
        """The unit tests of engine/cassandra run the same cases in memory."""
        self.run_live("engine_cassandra_live", "--gtest_filter=*StoreContract*:*Speed*")

    def test_is_printed_without_a_cassandra(self):
        status, out, err = self.varve("--slots.width=30m", "--cassandra.keyspace=mine", "--cassandra.hosts=127.0.0.1:1")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("CREATE KEYSPACE IF NOT EXISTS mine ", out)
        self.assertIn("mine.data_sealed_p_pt30m", out)

    def test_is_applied(self):
        hosts = f"--cassandra.hosts={self.cluster.contact_points}"
        for _ in range(2):
            status, out, err = self.varve("--apply", hosts, "--cassandra.keyspace=applied")
            self.assertEqual((status, err), (0, ""))
            self.assertIn("data_pt5m_p_pt1h", out)
            self.assertIn("is ready in the keyspace applied", out)

    def test_a_replica_wants_it(self):
        flags = ["--engine=cluster", f"--cassandra.hosts={self.cluster.contact_points}", "--cassandra.keyspace=nothing",
                 "--http.listen=127.0.0.1:0", "--telnet.listen="]
        done = run_varve("serve", *flags, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no varve schema in the keyspace nothing of Cassandra: run varve schema --apply", done.stderr)
        done = run_varve("serve", *flags, "--cassandra.hosts=127.0.0.1:1", timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no Cassandra answers at 127.0.0.1:1", done.stderr)

    def test_says_what_is_wrong(self):
        status, _, err = self.varve("--apply", "--cassandra.hosts=127.0.0.1:1")
        self.assertEqual(status, 1)
        self.assertIn("127.0.0.1:1", err)
