# SPDX-License-Identifier: Apache-2.0
"""Slots that have ended are sealed into windows by themselves, and the same question has the same answer before and
after: with late samples, after a restart, and where the raw samples are gone."""

import time

from support.case import OwnServerCase

CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "5s:1d,10s:1d,1m:1y"}


def wait_for(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not in {seconds} s: {what}")
        time.sleep(0.05)


class Settle(OwnServerCase):
    def fill(self, server, start, seconds):
        lines = []
        for host in range(4):
            for s in range(seconds):
                lines.append(f"cpu,host=h{host} user={s % 50 + host},idle={100 - s % 50}.25 {start + s * 1000}")
        server.influx("\n".join(lines))

    def windows(self, server, aggregator, width, start, end, metric="cpu_user"):
        answer = server.query([{"name": metric, "tags": {}, "group_by": [{"name": "tag", "tags": ["host"]}],
                                "aggregators": [{"name": aggregator, "align_sampling": True,
                                                 "sampling": {"value": width, "unit": "seconds"}}]}],
                              start=start, end=end)
        return [(r["tags"], r["values"]) for q in answer for r in q["results"]]

    def all_windows(self, server, start, end):
        return {(a, w): self.windows(server, a, w, start, end)
                for a in ("avg", "sum", "min", "max", "count") for w in (5, 10, 60, 7)}

    def test_slots_seal_by_themselves_and_answers_stay(self):
        server = self.new_server(CONFIG).start()
        start = int(time.time() - 600) // 60 * 60 * 1000
        end = start + 299_999
        self.fill(server, start, 300)
        before = self.all_windows(server, start, end)
        wait_for(lambda: server.metric("varve_slots_sealed_total") >= 30, "30 slots sealed")
        wait_for(lambda: server.metric("varve_rollups_written_total") > 300, "windows written")
        self.assertEqual(self.all_windows(server, start, end), before)
        # A late sample, over one that is rolled up, and a new one.
        server.influx(f"cpu,host=h1 user=1000i {start + 33_000}\ncpu,host=h1 user=7i {start + 33_500}")
        late = self.all_windows(server, start, end)
        self.assertNotEqual(late, before)
        sealed = server.metric("varve_slots_sealed_total")
        wait_for(lambda: server.metric("varve_slots_sealed_total") > sealed, "the late slot sealed again")
        self.assertEqual(self.all_windows(server, start, end), late)
        server.settle()
        self.assertEqual(self.all_windows(server, start, end), late)
        server.restart()
        self.assertEqual(self.all_windows(server, start, end), late)
        server.kill()
        server.start()
        self.assertEqual(self.all_windows(server, start, end), late)

    def test_windows_outlive_their_samples(self):
        config = CONFIG | {"raw.retention": "8s", "rollups": "5s:1d,10s:1d"}
        server = self.new_server(config).start()
        start = int(time.time() - 120) // 60 * 60 * 1000
        self.fill(server, start, 60)
        before = self.windows(server, "sum", 10, start, start + 59_999)
        wait_for(lambda: not server.query([{"name": "cpu_user", "tags": {}}], start=start, end=start + 59_999)
                 [0]["sample_size"], "raw samples dropped")
        self.assertEqual(self.windows(server, "sum", 10, start, start + 59_999), before)
        server.influx(f"cpu,host=h0 user=500i {start + 500}")
        late = self.windows(server, "sum", 10, start, start + 59_999)
        self.assertEqual(late[0][1][0][1], before[0][1][0][1] + 500)
        for _ in range(2):
            server.settle()
            self.assertEqual(self.windows(server, "sum", 10, start, start + 59_999), late)
            server.kill()
            server.start()
        self.assertEqual(self.windows(server, "sum", 10, start, start + 59_999), late)

    def test_widths_that_do_not_fit_are_refused_with_what_would(self):
        server = self.new_server({"slots.width": "7m"})
        server.spawn()
        self.assertEqual(server.wait(), 2)
        self.assertIn("10m would do", server.log())
