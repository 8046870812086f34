# SPDX-License-Identifier: Apache-2.0
"""KairosDB's ttl: samples are there for so many seconds, whoever says it: a put, a line of telnet, a save_as; and others
of the same series longer. What is old when it is put is there for as long from then, at least."""

import time

from support.case import OwnServerCase, ServerCase
from support.client import wait_until

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
            {"ttl": 3600, "name": "p.old", "timestamp": old, "value": 5, "tags": {"a": "b"}},
            {"name": "p.ever", "timestamp": old, "value": 6, "tags": {"a": "b"}, "ttl": 0},
        ])
        for _ in range(2):
            self.expect("p.mixed", [(old, 1), (old + 1, 3), (old + 2, 4), (now - 1, 2)])
            self.expect("p.old", [(old, 5)])
            self.expect("p.ever", [(old, 6)])
            total = self.server.query([{"name": "p.mixed", "aggregators": [
                {"name": "count", "align_start_time": True, "sampling": {"value": 1, "unit": "days"}}]}])
            self.assertEqual(sum(v for _, v in total[0]["results"][0]["values"]), 4)
            self.server.settle()

    def test_telnet(self):
        old, now = self.now - 2 * HOUR, self.now - 1
        with self.server.telnet() as t:
            t.send(f"putm t.m {old} 1 host=a kairos_opt.ttl=3600\nputm t.m {old + 1} 2 host=a\n"
                   f"putm t.m {now} 3 kairos_opt.ttl=3600 host=a\n")
            t.finish()
        self.expect("t.m", [(old, 1), (old + 1, 2), (now, 3)])
        tags = self.server.query([{"name": "t.m"}])[0]["results"][0]["tags"]
        self.assertEqual(tags, {"host": ["a"]}, "the ttl is no tag, and no series of its own")

    def test_save_as(self):
        old, now = self.now - 2 * HOUR, self.now - 1
        self.server.put([{"name": "s", "datapoints": [[old, 1], [now, 2]], "tags": {"a": "b"}}])
        self.server.query([{"name": "s", "aggregators": [{"name": "save_as", "metric_name": "s.saved", "ttl": 3600}]}])
        self.expect("s.saved", [(old, 1), (now, 2)])

    def test_time_passes(self):
        long_ago, ttl = self.now - 30 * 86_400_000, 8
        def ours(metric):
            return {"name": metric, "datapoints": [[self.now, 1]], "tags": {"a": "b"}}
        self.server.put([ours("w") | {"ttl": ttl}, ours("save")])
        self.server.put([{"name": "w", "timestamp": long_ago, "value": 2, "tags": {"a": "b"}},
                         {"name": "w", "timestamp": long_ago + 1, "value": 3, "tags": {"a": "b"}, "ttl": ttl}])
        self.server.query([{"name": "save", "aggregators": [{"name": "save_as", "metric_name": "saved", "ttl": ttl}]}])
        with self.server.telnet() as t:
            t.send(f"putm telnet {self.now} 1 a=b kairos_opt.ttl={ttl}\n")
            t.finish()
        for _ in range(2):
            self.expect("w", [(long_ago, 2), (long_ago + 1, 3), (self.now, 1)])
            self.expect("saved", [(self.now, 1)])
            self.expect("telnet", [(self.now, 1)])
            self.server.settle()
        # They may stay a little longer: what arrived late is there for as long from then.
        wait_until(lambda: not any(self.server.values(metric, start=self.now) for metric in ("w", "saved", "telnet")), 60, "they are gone")
        self.expect("w", [(long_ago, 2), (long_ago + 1, 3)])


class Restart(OwnServerCase):
    def test_the_same_after_a_restart(self):
        server = self.new_server(CONFIG).start()
        now, ttl = int(time.time() * 1000), 10
        metrics = [{"name": "r", "timestamp": now - i, "value": i, "tags": {"a": "b"}, "ttl": t}
                   for i, t in enumerate((ttl, 86400, 0))]
        server.put(metrics)
        for stop in (server.kill, server.stop):
            self.assertEqual(sorted(v for _, v in server.values("r")), [0, 1, 2])
            stop()
            server.start()
        server.settle()
        # It counts from when the sample came, if that is later than its time.
        wait_until(lambda: sorted(v for _, v in server.values("r")) == [1, 2], ttl + 10, "it is gone")
        self.assertGreater(time.time() * 1000, now + ttl * 1000)
        server.kill()
        server.start()
        self.assertEqual(sorted(v for _, v in server.values("r")), [1, 2])
