# SPDX-License-Identifier: Apache-2.0
"""`varve migrate contrail`: tables as Contrail's collector writes them (src/migrate/contrail_live.cc) into varve's engines."""

import json
import os
import time

from support.cluster import Redis, apply_schema
from support.long import only_long
from support.migrating import MigrateCase
from support.server import BINARY, free_port

SECOND, DAY = 1_000_000, 86_400_000_000
RANGES = 2 * 4096
COLUMNS = ["MessageTS", "Source", "Messagetype", "ModuleId", "NodeType", "InstanceId", "IPAddress", "Pid", "Category", "Level",
           "SequenceNum", "Type", "Xmlmessage", "ObjectName", "id"]


class MigrateContrail(MigrateCase):
    database, ranges = "contrail", RANGES
    now = time.time_ns() // 1000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ["CONTRAIL_NOW"] = str(cls.now)

    def ask(self, server, head=None, **query):
        query = {"table": "MessageTable", "start_time": self.now - 3 * DAY, "end_time": self.now + DAY,
                 "select_fields": COLUMNS, **query}
        answer = server.request("POST", "/analytics/query", json.dumps(query).encode(), headers=head or {})
        self.assertEqual(answer.status, 200, answer.body)
        return json.loads(answer.body)["value"]

    def messages(self, server, head=None):
        """By the last two digits of their ids, and without what they do not have."""
        found = {}
        for row in self.ask(server, head):
            number = row.pop("id")
            self.assertTrue(number.startswith("5e0c5621-7039-4497-a11a-0000000000"), number)
            self.assertNotIn(int(number[-2:]), found, "a message is there twice")
            found[int(number[-2:])] = {name: value for name, value in row.items() if value is not None}
        return found

    def check_both_tables(self, server, head):
        found = self.messages(server, head)
        full = {"Source": "a1s42", "Messagetype": "CollectorInfo", "ModuleId": "contrail-collector", "NodeType": "Control",
                "InstanceId": "0", "IPAddress": "10.1.2.3", "Pid": 4711, "Category": "XMPP", "Level": 3, "SequenceNum": 17,
                "Type": 1, "Xmlmessage": "<CollectorInfo>a&amp;b</CollectorInfo>",
                "ObjectName": ["ObjectGeneratorInfo:a1s42:Control:contrail-dns:0", "ObjectVNTable:default:vn 1"]}
        for number in (11, 12, 13, 14):
            self.assertEqual(found.pop(number), {"MessageTS": self.now - (number - 10) * 10 * SECOND, **full}, number)
        at = self.now - 50 * SECOND
        t2 = at >> 23
        self.assertEqual(found.pop(15), {"MessageTS": at, "Source": f"{t2 - 1}:host", "Messagetype": f"{t2}:type",
                                         "ObjectName": [f"{t2 - 1}:value"]})
        names = found.pop(16)["ObjectName"]
        self.assertEqual(sorted(names), [f"T{i}:v{i}" for i in range(1, 8)])
        self.assertEqual(found.pop(17), {"MessageTS": self.now - 70 * SECOND, "Source": "h", "Level": 2**31 - 1,
                                         "SequenceNum": 2**32 - 2})
        self.assertEqual(found.pop(18), {"MessageTS": self.now - 80 * SECOND, "Level": -100})
        first = self.now - 3600 * SECOND
        names = found[31].pop("ObjectName")
        self.assertEqual(sorted(names), ["ObjectGeneratorInfo:a1s42:Control:contrail-dns:0",
                                         *(f"ObjectVNTable:vn{i}:x" for i in range(1, 9))])
        self.assertEqual(found.pop(31), {"MessageTS": first, "Category": "c", "IPAddress": "::1", "InstanceId": "0", "Level": 6,
                                         "Messagetype": "T", "ModuleId": "m", "NodeType": "Analytics", "Pid": 1, "SequenceNum": 2,
                                         "Source": "s", "Type": 7, "Xmlmessage": "<T/>"})
        self.assertEqual(found.pop(32), {"MessageTS": first + 1, "Source": "s"})
        self.assertEqual(found, {})
        fields = self.ask(server, head, select_fields=["Namespace", "VersionSig"],
                          where=[[{"name": "Namespace", "value": "ns", "op": 1}]])
        self.assertEqual([(row["Namespace"], row["VersionSig"]) for row in fields], [("ns", -5)])
        ids = self.ask(server, head, table="ObjectVNTable", select_fields=["ObjectId"])
        self.assertEqual([row["ObjectId"] for row in ids], ["default:vn 1", *(f"vn{i}:x" for i in range(1, 9))])

    def test_both_generations_of_tables(self):
        self.play("ContrailV2")
        self.play("ContrailV1")
        for attempt in ("first", "from the beginning", "only counts"):
            with self.subTest(attempt):
                status, out, err = self.migrate("ContrailAnalyticsCql", "--tenant=t")
                self.assertEqual(status, 1, out + err)
                self.assertIn("messagetablev2: 11 messages read, 8 written, 1 skipped, 2 refused (1 older than messages.retention, "
                              "1 further ahead than messages.future)\n", out)
                self.assertIn("messagetable: 4 messages read, 2 written, 1 skipped, 1 refused (1 older than", out)
                self.assertIn("skipped: 1: column1: 8388608 is not a T1 of 23 bits\n", out)
                self.assertIn("skipped: 1: it has no time\n", out)
                self.assertIn("1 were written without a name that is not an object's\n", out)
                self.assertRegex(out, r"varve holds 10 messages of tenant t from .* UTC to .* UTC\n")
                self.assertNotIn("progress.names", os.listdir(self.root))
                if attempt == "only counts":
                    self.assertNotIn("bad:", err)
                    continue
                t2 = self.now >> 23
                self.assertIn(f"bad: messagetablev2 key {t2} column1 8388608 column2 5e0c5621-7039-4497-a11a-000000000021: column1: ", err)
                self.assertIn("bad: messagetable key 5e0c5621-7039-4497-a11a-000000000033: it has no time\n", err)
                self.assertIn("'no name' is not an object's name, and is left out", err)
                self.assertRegex(err, r"are older than messages.retention and will be refused: 2 of \d+ partitions, the first of ")
                self.assertLess(err.index("older than messages.retention"), err.index("bad: "))
                self.assertIn(f"ranges {RANGES}/{RANGES}", err)
            if attempt == "first":
                os.remove(self.progress)
        head = {"X-Tenant": "t"}
        server = self.served()
        self.check_both_tables(server, head)
        server.request("POST", "/-/settle")
        self.check_both_tables(server, head)

    def test_forms_of_old(self):
        self.play("ContrailDesigned")
        status, out, err = self.migrate("OldContrail")
        self.assertEqual((status, err.count("refused")), (0, 0), out + err)
        found = self.messages(self.served())
        self.assertEqual(found, {11: {"MessageTS": self.now - 10 * SECOND, "Source": "a1s42", "IPAddress": "fe80::1",
                                      "Xmlmessage": "<x/>", "ObjectName": ["ObjectVNTable:vn:1"]},
                                 12: {"MessageTS": self.now - 10 * SECOND, "Source": "b", "Level": 4,
                                      "Xmlmessage": '<m><n key="ObjectVNTable">vn:2</n></m>', "ObjectName": ["ObjectVNTable:vn:2"]}})

    def test_longer_retention_takes_what_is_older(self):
        self.play("ContrailV2")
        _, out, err = self.migrate("ContrailAnalyticsCql", "--messages.retention=1y", "--messages.future=7d")
        self.assertRegex(out, r"messagetablev2: 11 messages read, 10 written, 1 skipped, 0 refused")
        self.assertNotIn("older than messages.retention and will", err)
        server = self.served(**{"messages.retention": "1y", "messages.future": "7d"})
        rows = self.ask(server, start_time=self.now - 60 * DAY, end_time=self.now + 7 * DAY,
                        where=[[{"name": "Source", "value": name, "op": 1}] for name in ("too old", "ahead")])
        self.assertIn("too old", [row["Source"] for row in rows])

    def killed_and_resumed(self, *more, also_cassandra):
        self.play("ContrailMany")
        out = self.interrupted("many", *more, also_cassandra=also_cassandra)
        self.assertIn("messagetablev2: 20000 messages read, 20000 written, 0 skipped, 0 refused", out)
        self.assertIn("messagetable: 10000 messages read, 10000 written, 0 skipped, 0 refused", out)
        self.assertIn("varve holds 30000 messages of tenant ", out)

    def check_many(self, server):
        """Each message once, with its own names."""
        rows = self.ask(server, select_fields=["MessageTS", "id", "Source", "ObjectName", "Level"])
        self.assertEqual(len(rows), 30000)
        numbers = set()
        for row in rows:
            number = int(row["id"][-12:], 16)
            numbers.add(number)
            self.assertEqual((row["Source"], row["Level"], sorted(row["ObjectName"])),
                             (f"host{number % 40}", number % 8, [f"ObjectVMTable:o{number}", f"ObjectVNTable:o{number}"]))
        self.assertEqual(numbers, set(range(30000)))

    @only_long
    def test_goes_on_after_kill(self):
        self.killed_and_resumed(also_cassandra=True)
        self.check_many(self.served())

    def test_into_the_cluster_engine(self):
        redis = Redis(free_port()).start()
        self.addCleanup(redis.kill)
        config = {"engine": "cluster", "cassandra.hosts": self.cluster.contact_points, "cassandra.keyspace": "target",
                  "redis.url": redis.url}
        apply_schema(BINARY, config)
        self.killed_and_resumed(*(f"--{key}={value}" for key, value in config.items()),
                                also_cassandra=False)  # alone and killed, it may forget what it has just acknowledged
        self.check_many(self.served(**config))
        status, _, err = self.migrate("many")
        self.assertEqual(status, 1, "the progress is another engine's")
        self.assertIn("name another file with --progress", err)

    def test_says_what_is_wrong(self):
        for keyspace in ("nowhere", "system"):
            status, _, err = self.migrate(keyspace)
            self.assertEqual(status, 1)
            self.assertIn(f"keyspace {keyspace} has neither messagetablev2 nor messagetable", err)
        self.assertEqual(self.migrate("any", "--tenant=not a tenant")[0], 2)
        with open(self.progress, "w") as f:
            f.write("varve migrate kairosdb 2\n")
        self.play("ContrailDesigned")
        status, _, err = self.migrate("oldcontrail")
        self.assertEqual(status, 1)
        self.assertIn("this is not the progress of such a migration", err)
