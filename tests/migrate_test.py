# SPDX-License-Identifier: Apache-2.0
"""`varve migrate kairosdb`: keyspaces as KairosDB writes them (src/migrate/migrate_live.cc) into varve's engines and a running server."""

import json
import os
import time

from support.cluster import Redis, apply_schema
from support.cql import Cql
from support.migrating import MigrateCase
from support.server import BINARY, Server, free_port

NOW = 1_790_000_000_000


class Migrate(MigrateCase):
    database, ranges, options = "kairosdb", 4096, ("--rollups=", "--raw.retention=100y")
    config = {"raw.retention": "100y", "rollups": ""}

    def test_every_kind_of_value(self):
        self.play("Old")
        for attempt in ("first", "again"):
            with self.subTest(attempt):
                status, out, err = self.migrate("old", "--tenant=t")
                self.assertEqual(status, 1, out + err)
                self.assertIn("count: KairosDB held 8 samples, varve holds 4: 3 of types that are not migrated, "
                              "1 that are damaged or not taken\n", out)
                self.assertIn("both: KairosDB held 60 samples, varve holds 40: 20 at the time of another", out)
                self.assertIn("ancient: KairosDB held 3 samples, varve holds 2: 1 at the time of another", out)
                self.assertIn("not migrated: 3 of type kairos_unknown\n", out)
                self.assertIn("not migrated: 1 whose key names no metric\n", out)
                self.assertIn("6 metrics, 12150 samples in varve; 1 metrics differ\n", out)
                self.assertNotIn("load:", out)
                self.assertIn("ranges 4096/4096", err)
                if attempt == "first":
                    self.assertIn("bad: key " + b"no key at all".hex() + ", 1 samples: ", err)
                    self.assertRegex(err, r"bad: key 636f756e7400[0-9a-f]+, 1 samples: column [0-9a-f]{8}: the value is not a packed long")

        self.old_is_there(self.served(), {"X-Tenant": "t"})

    def old_is_there(self, server, head):
        self.assertEqual(server.metric_names(head), ["ancient", "both", "count", "load", "object", "state"])
        self.assertEqual(server.values("load", {"host": "a"}, headers=head), [(NOW + i * 1000, i * 0.1) for i in range(12000)])
        self.assertEqual(server.values("load", {"host": "b"}, headers=head),
                         [(NOW - i * 86_400_000, i) for i in reversed(range(100))])
        self.assertEqual(server.values("count", {"a=a": "=b"}, headers=head), [(-1, 7), (0, 8), (NOW, 2**63 - 1), (NOW + 1, -1)])
        self.assertEqual(server.values("state", headers=head), [(NOW, "café 😀")])
        self.assertEqual(server.values("ancient", headers=head), [(NOW, 1.5), (NOW + 1, 0)])
        query = {"start_absolute": NOW, "end_absolute": NOW + 10, "metrics": [{"name": "object"}]}
        results = server.post("/api/v1/datapoints/query", query, head).json()["queries"][0]["results"]
        self.assertEqual({result["group_by"][-1]["type"]: result["values"] for result in results}, {
            "complex": [[NOW, {"real": 1.5, "imaginary": -2}]],
            "histogram": [[NOW + 1, {"bins": {"2.0": 3}, "min": 2, "max": 2, "mean": 2, "sum": 6, "precision": 7}],
                          [NOW + 2, {"bins": {"1.0": 5}, "min": 0, "max": 0, "mean": 0, "sum": 0, "precision": 7}]]})
        for i in range(20):
            self.assertEqual(server.values("both", {"host": str(i)}, headers=head), [(NOW, i if i % 2 == 0 else i + 0.5), (NOW + 1, 1)])

    def test_goes_on_after_kill(self):
        self.play("New")
        out = self.interrupted("kairosdb", also_cassandra=True)
        self.assertEqual(out, "10 metrics, 400000 samples in varve: all that KairosDB held\n")
        self.counts_are_right(self.served())

    def test_into_the_cluster_engine(self):
        self.play("New")
        redis = Redis(free_port()).start()
        self.addCleanup(redis.kill)
        config = {"engine": "cluster", "cassandra.hosts": self.cluster.contact_points, "cassandra.keyspace": "target",
                  "redis.url": redis.url, "raw.retention": "100y", "rollups": ""}
        apply_schema(BINARY, config)
        status, out, err = self.migrate("kairosdb", *(f"--{key}={value}" for key, value in config.items()))
        self.assertEqual((status, out), (0, "10 metrics, 400000 samples in varve: all that KairosDB held\n"), err)
        self.counts_are_right(self.served(**config))
        status, _, err = self.migrate("kairosdb")
        self.assertEqual(status, 1, "the progress is another engine's")
        self.assertIn("name another file with --progress", err)

    def test_into_a_running_server(self):
        """Its clients write meanwhile; roll-up tasks and metadata come along; done again, nothing is there twice."""
        self.play("Old")
        self.play("New")
        task = {"name": "hourly", "execution_interval": {"value": 1, "unit": "hours"}, "rollups": [{"save_as": "m0_1h", "query": {
            "start_relative": {"value": 1, "unit": "days"}, "metrics": [{"name": "m0", "aggregators": [
                {"name": "sum", "sampling": {"value": 1, "unit": "hours"}}]}]}}]}
        with Cql(self.cluster.contact_points.split(",")[0]) as cql:
            cql.query("CREATE TABLE IF NOT EXISTS kairosdb.service_index (service text, service_key text, key text, mtime timeuuid static, "
                      "value text, PRIMARY KEY ((service, service_key), key))")
            for row in (("_Rollups", "Config", "some id", json.dumps(task)), ("_Rollups", "Assignment", "some id", "host"),
                        ("owners", "racks/1", "a b", "the team")):
                cql.query("INSERT INTO kairosdb.service_index (service, service_key, key, value) VALUES (%s)" % ", ".join(f"'{v}'" for v in row))
        server = Server(self.config)
        self.addCleanup(server.close)
        server.start()
        to = f"--to=http://127.0.0.1:{server.port}"
        head = {"X-Tenant": "t"}
        server.put([{"name": "m0", "tags": {"host": "new"}, "datapoints": [[int(time.time() * 1000), 1]]}], headers=head)
        for attempt, tasks in (("first", "1 roll-up tasks and 1 texts of metadata copied"),
                               ("again", "0 roll-up tasks and 1 texts of metadata copied, 1 tasks were there")):
            with self.subTest(attempt):
                if attempt == "again":
                    os.remove(self.progress)
                status, out, err = self.migrate("kairosdb", "--tenant=t", to)
                self.assertEqual((status, out), (0, f"{tasks}\n10 metrics, 400000 samples in varve: all that KairosDB held\n"), err)
                self.counts_are_right(server, {"m0": [1] + [4000] * 10}, head)
        tasks = server.get("/api/v1/rollups", head).json()
        self.assertEqual([(t["name"], t["rollups"][0]["save_as"]) for t in tasks], [("hourly", "m0_1h")])
        self.assertEqual(server.get("/api/v1/metadata/owners/racks%2F1/a%20b", head).body, b"the team")
        os.remove(self.progress)

        # Of every kind of value, bit for bit, and what is bad is named.
        status, out, err = self.migrate("old", "--tenant=old", to)
        self.assertEqual(status, 1, out + err)
        self.assertIn("count: KairosDB held 8 samples, varve holds 4: 3 of types that are not migrated, "
                      "1 that are damaged or not taken\n", out)
        self.assertIn("both: KairosDB held 60 samples, varve holds 40: 20 at the time of another", out)
        self.assertIn("6 metrics, 12150 samples in varve; 1 metrics differ\n", out)
        self.old_is_there(server, {"X-Tenant": "old"})
        status, _, err = self.migrate("old", "--to=http://127.0.0.1:1", f"--progress={self.root}/other")
        self.assertEqual(status, 1)
        self.assertIn("cannot connect to 127.0.0.1:1: Connection refused; is the server running? --to names another", err)
        self.assertEqual(self.migrate("old", "--to=ftp://h")[0], 2)

    def test_a_server_that_dies_and_one_that_is_full(self):
        self.play("New")
        server = Server({**self.config, "http.listen": f"127.0.0.1:{free_port()}"})
        self.addCleanup(server.close)
        server.start()
        to = f"--to=http://{server.config['http.listen']}"
        process = self.begun(100, "kairosdb", to)
        server.kill()
        server.start()
        out, err = process.communicate(timeout=150)
        self.assertEqual((process.returncode, out.splitlines()[-1]), (0, "10 metrics, 400000 samples in varve: all that KairosDB held"), err)
        self.counts_are_right(server)
        full = Server({**self.config, "limits.series_per_tenant": "20"})
        self.addCleanup(full.close)
        full.start()
        status, _, err = self.migrate("kairosdb", f"--to=http://127.0.0.1:{full.port}", f"--progress={self.root}/full")
        self.assertEqual(status, 1)
        self.assertIn("429", err)
        self.assertIn("limits.series_per_tenant", err)

    def counts_are_right(self, server, wanted=None, headers=None):
        count = {"name": "count", "sampling": {"value": 100, "unit": "years"}}
        for metric in range(10):
            answer = server.query([{"name": f"m{metric}", "aggregators": [count], "group_by": [{"name": "tag", "tags": ["host"]}]}],
                                  headers=headers)
            found = sorted(value for result in answer[0]["results"] for _, value in result["values"])
            self.assertEqual(found, (wanted or {}).get(f"m{metric}", [4000] * 10))

    def test_says_what_is_wrong(self):
        status, _, err = self.migrate("nowhere")
        self.assertEqual(status, 1)
        self.assertIn("nowhere", err)
        self.assertEqual(self.migrate("any", parameters="?tls=perhaps")[0], 2)
        self.assertEqual(self.migrate("any", "--tenant=not a tenant")[0], 2)
        status, _, err = self.migrate("system")
        self.assertEqual(status, 1)
        self.assertIn("has no table data_points", err)
