# SPDX-License-Identifier: Apache-2.0
"""Series that are kept for another time by tenant, metric or tag: what is older is refused by name or not shown, and a
list may change at a start."""

import time

from support import wire
from support.case import OwnServerCase
from support.client import wait_until

HOUR = 3_600_000
CONFIG = {"slots.quiet": "1s", "slots.width": "1h", "raw.retention": "10h", "rollups": "5m:10h"}
CLASSES = "brief:1h:metric=brief*,test:2h:tag.env=test&metric=app*,long:20h:tenant=acme"
OLDER = "is older than what is kept of its series, which begins at "


class RetentionClasses(OwnServerCase):
    def setUp(self):
        self.now = int(time.time()) * 1000
        self.server = self.new_server(CONFIG)

    def start(self, classes):
        self.server.config["retention.classes"] = classes
        self.server.start()

    def ages(self, metric, tenant="default"):
        """In half hours, youngest first."""
        found = self.server.values(metric, headers={"X-Tenant": tenant})
        return sorted((self.now - t) // (HOUR // 2) for t, _ in found)

    def put(self, metric, halves, tags=None, tenant="default"):
        return self.server.accepted("/api/put?details", [
            {"metric": metric, "timestamp": self.now - half * HOUR // 2, "value": 1, "tags": tags or {"a": "b"}}
            for half in halves], {"X-Tenant": tenant})

    def test_what_is_older_is_refused(self):
        self.start(CLASSES)
        for metric, tags, tenant, good, bad in (
                ("brief", {"a": "b"}, "default", [1], [3, 19, 100]),
                ("app.x", {"env": "test"}, "default", [1, 3], [5, 19]),
                ("app.x", {"env": "live"}, "other", [1, 19], [21, 100]),
                ("brief.x", {"a": "b"}, "acme", [1], [3]),
                ("x", {"env": "test"}, "acme", [1, 39], [41])):
            for _ in range(2):  # a tenant, and a name, that is new, and one that is known
                answer = self.put(metric, good + bad, tags, tenant)
                said = answer.json()
                self.assertEqual((said.get("success"), said.get("failed")), (len(good), len(bad)), answer)
                for error in answer.json()["errors"]:
                    self.assertIn(OLDER, error["error"])
            self.assertEqual(self.ages(metric, tenant), good, metric)
        self.server.settle()
        self.server.restart()
        self.assertEqual(self.ages("brief"), [1])
        self.assertEqual(self.ages("app.x"), [1, 3])
        self.assertEqual(self.ages("app.x", "other"), [1, 19])
        self.assertEqual(self.ages("x", "acme"), [1, 39])

    def test_in_every_protocol(self):
        self.start(CLASSES)
        old, now = self.now - 2 * HOUR, self.now
        for again in range(2):
            answer = self.server.post("/api/v1/datapoints", [
                {"name": "brief.k", "tags": {"a": "b"}, "datapoints": [[now, 1], [old, 2]]}])
            self.assertEqual(answer.status, 400)
            self.assertIn(OLDER, answer.json()["errors"][0])
            self.server.put([{"name": "brief.k", "tags": {"a": "b"}, "datapoints": [[now - 1, 1]]}])
            answer = self.server.accepted("/write?precision=ms", f"brief,h=a value=1 {now}\nbrief,h=a value=2 {old}\n")
            self.assertIn("partial write: line 2: brief,h=a at ", answer.json()["error"])
            answer = self.server.accepted("/api/v1/write", wire.snappy(wire.write_request(
                [({"__name__": "brief_r", "a": "b"}, [(old, 1.0), (now, 2.0)])])), {"Content-Encoding": "snappy"})
            self.assertTrue(answer.body.decode().startswith("1 refused: series 0: brief_r at "), answer)
            with self.server.telnet() as telnet:
                telnet.send(f"put brief.t {old} 1 a=b\nput brief.t {now} 2 a=b\n")
                self.assertIn(OLDER, telnet.finish())
        for metric in ("brief.k", "brief", "brief_r", "brief.t"):
            self.assertEqual(self.ages(metric), [0], metric)

    def test_what_is_refused_leaves_no_name(self):
        self.start(CLASSES)
        self.put("x", [1])
        old = self.now - 2 * HOUR
        for _ in range(2):
            answer = self.server.post("/api/v1/datapoints", {"name": "brief.k", "tags": {"a": "b"}, "timestamp": old, "value": 1})
            self.assertEqual(answer.status, 400)
            answer = self.server.accepted("/write?precision=ms", f'brief,h=a value=1,text="t" {old}\nbrief,h=a more=2 {old}\n')
            self.assertIn("is older", answer.json()["error"])
            answer = self.server.accepted("/api/v1/write", wire.snappy(wire.write_request(
                [({"__name__": "brief_r", "a": "b"}, [(old, 1.0), (old + 1, 2.0)])])), {"Content-Encoding": "snappy"})
            self.assertIn("2 refused", answer.body.decode())
            self.assertEqual(self.put("brief.p", [4]).json()["failed"], 1)
            with self.server.telnet() as telnet:
                telnet.send(f"put brief.t {old} 1 a=b\n")
                self.assertIn(OLDER, telnet.finish())
            self.assertEqual(self.server.get("/api/v1/metricnames").json()["results"], ["x"])

    def test_another_list_counts_for_what_is_stored(self):
        self.start("")
        for metric in ("brief", "x"):
            answer = self.put(metric, [1, 3, 5])
            self.assertEqual(answer.json().get("failed"), 0, answer)
        self.server.settle()
        self.server.stop()
        self.start(CLASSES)
        self.assertEqual(self.ages("brief"), [1])
        self.assertEqual(self.ages("x"), [1, 3, 5])
        self.server.settle()
        self.assertEqual(self.ages("brief"), [1])

    def test_it_goes_by_its_own_time(self):
        self.start("brief:3s:metric=brief*")
        now = int(time.time() * 1000)
        self.server.put([{"name": name, "timestamp": now, "value": 1, "tags": {"a": "b"}} for name in ("brief", "x")])
        wait_until(lambda: self.server.values("brief") == [], 30, "it is over")
        self.assertEqual(len(self.server.values("x")), 1)
