# SPDX-License-Identifier: Apache-2.0
"""KairosDB's ttl: samples are there for so many seconds from their times, whoever says it: a put, a line of telnet, a
save_as; and others of the same series longer."""

import time

from support.case import OwnServerCase, ServerCase

HOUR = 3_600_000
CONFIG = {"slots.quiet": "1s", "slots.width": "1h", "rollups": "5m:30d,1h:30d"}


class Ttl(ServerCase):
    config = CONFIG

    def setUp(self):
        self.now = int(time.time() * 1000)

    def expect(self, metric, want):
        self.assertEqual(sorted(self.server.values(metric)), want, metric)

    def test_put(self):
        old, now = self.now - 2 * HOUR, self.now
        self.server.put([
            {"name": "p.mixed", "datapoints": [[old, 1], [now - 1, 2]], "tags": {"a": "b"}, "ttl": 3600},
            {"name": "p.mixed", "timestamp": old + 1, "value": 3, "tags": {"a": "b"}},
            {"name": "p.mixed", "timestamp": old + 2, "value": 4, "tags": {"a": "b"}, "ttl": "86400"},
            {"ttl": 3600, "name": "p.over", "timestamp": old, "value": 5, "tags": {"a": "b"}},
            {"name": "p.ever", "timestamp": old, "value": 6, "tags": {"a": "b"}, "ttl": 0},
        ])
        for _ in range(2):
            self.expect("p.mixed", [(old + 1, 3), (old + 2, 4), (now - 1, 2)])
            self.expect("p.over", [])
            self.expect("p.ever", [(old, 6)])
            total = self.server.query([{"name": "p.mixed", "aggregators": [
                {"name": "count", "align_start_time": True, "sampling": {"value": 1, "unit": "days"}}]}])
            self.assertEqual(sum(v for _, v in total[0]["results"][0]["values"]), 3)
            self.server.settle()

    def test_telnet(self):
        old, now = self.now - 2 * HOUR, self.now - 1
        with self.server.telnet() as t:
            t.send(f"putm t.m {old} 1 host=a kairos_opt.ttl=3600\nputm t.m {old + 1} 2 host=a\n"
                   f"putm t.m {now} 3 kairos_opt.ttl=3600 host=a\n")
            t.finish()
        self.expect("t.m", [(old + 1, 2), (now, 3)])
        tags = self.server.query([{"name": "t.m"}])[0]["results"][0]["tags"]
        self.assertEqual(tags, {"host": ["a"]}, "the ttl is no tag, and no series of its own")

    def test_save_as(self):
        old, now = self.now - 2 * HOUR, self.now - 1
        self.server.put([{"name": "s", "datapoints": [[old, 1], [now, 2]], "tags": {"a": "b"}}])
        for metric, ttl, want in (("s.short", 3600, [(now, 2)]), ("s.long", 86400, [(old, 1), (now, 2)])):
            self.server.query([{"name": "s", "aggregators": [{"name": "save_as", "metric_name": metric, "ttl": ttl}]}])
            self.expect(metric, want)

    def test_time_passes(self):
        long_ago = self.now - 30 * 86_400_000
        self.server.put([{"name": "w", "datapoints": [[self.now, 1]], "tags": {"a": "b"}, "ttl": 6},
                         {"name": "w", "timestamp": long_ago, "value": 2, "tags": {"a": "b"}}])
        self.expect("w", [(long_ago, 2), (self.now, 1)])
        self.server.settle()
        self.expect("w", [(long_ago, 2), (self.now, 1)])
        while time.time() * 1000 < self.now + 6001:
            time.sleep(0.1)
        self.expect("w", [(long_ago, 2)])


class Restart(OwnServerCase):
    def test_the_same_after_a_restart(self):
        server = self.new_server(CONFIG).start()
        now = int(time.time() * 1000)
        metrics = [{"name": "r", "timestamp": now - 2 * HOUR + i, "value": i, "tags": {"a": "b"}, "ttl": ttl}
                   for i, ttl in enumerate((3600, 86400, 0))]
        server.put(metrics)
        for stop in (server.kill, server.stop):
            self.assertEqual([v for _, v in sorted(server.values("r"))], [1, 2])
            stop()
            server.start()
        server.settle()
        server.put(metrics)
        self.assertEqual([v for _, v in sorted(server.values("r"))], [1, 2])
