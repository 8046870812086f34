# SPDX-License-Identifier: Apache-2.0
"""The driver against a real Cassandra: src/driver/cassandra_live.cc, with a node that is paused, killed and started."""

import os
import tempfile

from support import cluster
from support.client import wait_until
from support.live import CassandraCase
from support.server import Server, free_port, run_varve


class Driver(CassandraCase):
    secure = restarts = True

    def test_live(self):
        self.run_live("driver_live")

    def test_varve_serves_with_passwords_and_tls(self):
        redis = cluster.Redis(free_port(), "--requirepass", "sesame").start()
        self.addCleanup(redis.kill)
        with tempfile.TemporaryDirectory() as directory:
            files = {}
            for name, text in (("cassandra", "cassandra\n"), ("redis", "sesame\n")):
                files[name] = os.path.join(directory, name)
                with open(files[name], "w") as f:
                    f.write(text)
            config = {"engine": "cluster", "cassandra.hosts": self.cluster.contact_points, "cassandra.keyspace": "secure",
                      "cassandra.username": "cassandra", "cassandra.password_file": files["cassandra"],
                      "cassandra.tls": "true", "tls.ca": str(self.cluster.nodes[0].certificate),
                      "redis.url": redis.url, "redis.password_file": files["redis"]}
            flags = [f"--{key}={value}" for key, value in config.items()]
            applied = run_varve("schema", "--apply", *flags, timeout=120)
            self.assertEqual(applied.returncode, 0, applied.stderr)
            server = Server(config)
            self.addCleanup(server.close)
            server.start()
            server.influx("m value=1i 1790000000000")
            self.assertEqual(server.values("m"), [(1790000000000, 1)])
            wait_until(lambda: server.metric("varve_redis_lost") == 0, 30, "Redis has taken the password")
            refused = run_varve("schema", "--apply", *flags, "--cassandra.password_file=" + files["redis"], timeout=120)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("Cassandra", refused.stderr)
