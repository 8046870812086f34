# SPDX-License-Identifier: Apache-2.0
"""What the tests of `varve migrate` have in common: a database in a Cassandra, played once, and a command that is interrupted."""

import os
import re
import shutil
import signal
import subprocess
import tempfile

from .client import wait_until
from .cluster import die_with_parent
from .live import CassandraCase
from .server import BINARY, Server


class MigrateCase(CassandraCase):
    """A subclass names its database and says with `options` what every command and with `config` what every server is given."""

    database, ranges, options, config = "", 0, (), {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.played = set()

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="varve-migrate-")
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.progress = os.path.join(self.root, "progress")

    def play(self, name):
        """Once for all tests."""
        if name not in self.played:
            self.run_live("migrate_live", f"--gtest_filter=Play.{name}")
            self.played.add(name)

    def command(self, keyspace, *more, parameters=""):
        source = f"cassandra://{self.cluster.contact_points}/{keyspace}{parameters}"
        return [BINARY, "migrate", self.database, f"--from={source}", f"--progress={self.progress}", "--log.level=warn",
                f"--storage.path={self.root}/data", *self.options, *more]

    def migrate(self, keyspace, *more, parameters=""):
        done = subprocess.run(self.command(keyspace, *more, parameters=parameters), capture_output=True, text=True, timeout=120,
                              check=False, preexec_fn=die_with_parent)
        return done.returncode, done.stdout, done.stderr

    def served(self, **config):
        server = Server({**self.config, **config}, path=f"{self.root}/data")
        self.addCleanup(server.close)
        return server.start()

    def ranges_done(self):
        try:
            with open(self.progress) as f:
                ranges = re.search("^done (.*)$", f.read(), re.M)[1]
        except FileNotFoundError:
            return 0
        pairs = [] if ranges == "none" else [pair.split("-") for pair in ranges.split(",")]
        return sum(int(last) - int(first) + 1 for first, last in pairs)

    def begun(self, done, keyspace, *more):
        """The command, when more than `done` ranges are done."""
        process = subprocess.Popen(self.command(keyspace, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=die_with_parent)
        wait_until(lambda: self.ranges_done() > done or process.poll() is not None, 60, "more ranges")
        return process

    def interrupted(self, keyspace, *more, also_cassandra):
        """Killed, then stopped, then with a Cassandra that dies, if it is the test's own; returns what the last one, which takes the rest, wrote to stdout."""
        process = self.begun(0, keyspace, *more)
        process.kill()
        process.communicate()
        done = self.ranges_done()
        self.assertTrue(0 < done < self.ranges, f"it was killed too early or too late: {done} ranges done")

        process = self.begun(done, keyspace, *more)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("stopped; the same command goes on from here", err)

        process = self.begun(self.ranges_done(), keyspace, *more)
        if also_cassandra and self.cluster.nodes:
            self.control("kill", self.cluster.nodes[0])
            self.control("start", self.cluster.nodes[0])
        out, err = process.communicate(timeout=150)
        self.assertEqual(process.returncode, 0, out + err)
        first = re.search(rf"ranges (\d+)/{self.ranges}", err)
        self.assertGreaterEqual(int(first[1]), done, "it began anew")
        return out
