# SPDX-License-Identifier: Apache-2.0
"""Who seals what, and how far it has come: slots.own, /api/v1/admin/jobs and /api/v1/admin/slots."""

import time

from support.case import OwnServerCase
from support.client import wait_until

CONFIG = {"slots.width": "10s", "slots.quiet": "1h", "rollups": "5s:1d,10s:1d"}


class Slots(OwnServerCase):
    def fill(self, server):
        start = int(time.time() - 600) // 60 * 60 * 1000
        server.influx("\n".join(f"cpu,host=h{h} v={s}i {start + s * 1000}" for h in range(8) for s in range(30)))
        return start

    def slots(self, server, query="", tenant=""):
        return server.get(f"{tenant}/api/v1/admin/slots{query}").json()

    def jobs(self, server):
        return server.get("/api/v1/admin/jobs").json()

    def test_slots_are_shown_as_they_settle(self):
        server = self.new_server(CONFIG).start()
        start = self.fill(server)
        shown = self.slots(server)
        self.assertEqual([(s["start"], s["state"]) for s in shown["slots"]],
                         [(start + 20_000, "hot"), (start + 10_000, "hot"), (start, "hot")])
        self.assertEqual(shown["set_aside"], [])
        server.settle()
        shown = self.slots(server)
        self.assertEqual([(s["start"], s["end"], s["state"], s["samples"], s["fragments"]) for s in shown["slots"]],
                         [(start + i * 10_000, start + (i + 1) * 10_000, "sealed", 80, 1) for i in (2, 1, 0)])
        server.influx(f"cpu,host=h0 v=7i {start + 1}")
        self.assertEqual(self.slots(server)["slots"][-1]["state"], "hot")
        self.assertEqual(len(self.slots(server, "?limit=2")["slots"]), 2)
        self.assertEqual(self.slots(server, tenant="/t/other")["slots"], [])
        self.assertEqual(server.get("/api/v1/admin/slots?limit=x").status, 400)

    def test_one_process_holds_all_jobs(self):
        server = self.new_server(CONFIG | {"slots.jobs": "3", "slots.lease": "1s"}).start()
        wait_until(lambda: server.metric("varve_jobs_held") == 3, what="three jobs held")
        shown = self.jobs(server)
        self.assertEqual(shown["own"], "jobs")
        self.assertEqual(shown["partitions"], list(range(64)))
        self.assertEqual({j["holder"] for j in shown["jobs"]}, {shown["replica"]})
        self.assertEqual([j["job"] for j in shown["jobs"]], [0, 1, 2])
        before = {j["job"]: j["lease_until"] for j in shown["jobs"]}
        wait_until(lambda: all(j["lease_until"] > before[j["job"]] for j in
                               self.jobs(server)["jobs"]), what="every lease renewed")

    def test_a_list_of_partitions_leaves_the_others(self):
        server = self.new_server(CONFIG | {"slots.own": "0-31"}).start()
        wait_until(lambda: server.metric("varve_jobs_held") > 0, what="jobs held")
        self.assertEqual(self.jobs(server)["partitions"], list(range(32)))
        start = self.fill(server)
        question = [{"name": "cpu_v", "tags": {}, "group_by": [{"name": "tag", "tags": ["host"]}],
                     "aggregators": [{"name": "sum", "align_sampling": True,
                                      "sampling": {"value": 10, "unit": "seconds"}}]}]
        before = server.query(question, start=start, end=start + 29_999)
        server.settle()
        opened = [s["open_groups"] for s in self.slots(server)["slots"]]
        self.assertEqual(len(opened), 3)
        self.assertTrue(all(0 < n < 8 for n in opened), opened)
        self.assertEqual(server.query(question, start=start, end=start + 29_999), before)
        server.config.pop("slots.own")
        server.restart()
        wait_until(lambda: server.metric("varve_jobs_held") == 4, what="all jobs held")
        server.settle()
        self.assertEqual([s["open_groups"] for s in self.slots(server)["slots"]], [0, 0, 0])
        self.assertEqual(server.query(question, start=start, end=start + 29_999), before)

    def test_none_seals_nothing(self):
        server = self.new_server(CONFIG | {"slots.own": "none"}).start()
        self.fill(server)
        server.settle()
        self.assertEqual(server.metric("varve_rollups_written_total"), 0)
        self.assertEqual(server.metric("varve_jobs_held"), 0)
        self.assertEqual(self.jobs(server)["jobs"], [])
        self.assertEqual({s["state"] for s in self.slots(server)["slots"]}, {"pending"})
