# SPDX-License-Identifier: Apache-2.0
"""movingWindow reads what lies before the query's start, and gives the same before a slot is sealed, after it and after a
restart."""

import time

from support.case import OwnServerCase
from support.client import wait_until

CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "1s:1d,5s:1d,10s:1d"}
SECONDS = 120
EACH = {"name": "sum"}  # of each time by itself


def moving(value, unit="seconds", **more):
    return {"name": "movingWindow", "sampling": {"value": value, "unit": unit}, **more}


class MovingWindow(OwnServerCase):
    def fill(self, server, start):
        """Of each host a sample every two seconds: [time, value]."""
        samples = {f"h{host}": [[start + s * 1000 + host * 100, (s * 7 + host) % 50] for s in range(0, SECONDS, 2)]
                   for host in range(3)}
        server.put([{"name": "w", "tags": {"host": host}, "datapoints": points} for host, points in samples.items()])
        return samples

    def moved(self, points, first_end, width, of, unit=1000):
        """What `of` makes of each window."""
        ends = range(first_end, max(first_end, points[-1][0]) + unit, unit)
        windows = [(end, [v for t, v in points if end - width < t <= end]) for end in ends]
        return [[end, of(values)] for end, values in windows if values]

    def ask(self, server, steps, start, end, **more):
        answer = server.query([{"name": "w", "aggregators": steps, **more}], start=start, end=end)[0]
        return answer["sample_size"], {tuple(r["tags"]["host"]): r["values"] for r in answer["results"]}

    def test_the_same_of_windows(self):
        server = self.new_server(CONFIG).start()
        start = int(time.time() - 300) // 60 * 60 * 1000
        samples = self.fill(server, start)
        together = sorted(point for points in samples.values() for point in points)
        first, last = start + 60_250, start + 89_999

        def between(points, since, until=last):
            return [point for point in points if since <= point[0] <= until]

        def ask_all():
            read = between(together, first - 20_000)
            self.assertEqual(self.ask(server, [moving(20), EACH], first, last),
                             (len(read), {("h0", "h1", "h2"): self.moved(read, first, 20_000, sum)}))
            for name, of in (("max", max), ("count", len), ("first", lambda v: v[0]), ("last", lambda v: v[-1])):
                read = between(together, first - 250 - 20_000)
                self.assertEqual(self.ask(server, [moving(20, align_sampling=True), {"name": name}], first, last)[1],
                                 {("h0", "h1", "h2"): self.moved(read, first - 250, 20_000, of)}, name)
            by_host = self.ask(server, [moving(20), EACH], first, last, group_by=[{"name": "tag", "tags": ["host"]}])[1]
            self.assertEqual(by_host, {(host,): self.moved(between(points, first - 20_000), first, 20_000, sum)
                                       for host, points in samples.items()})
            newest_first = self.ask(server, [moving(20), EACH], first, last, order="desc")[1]
            self.assertEqual(newest_first[("h0", "h1", "h2")][::-1],
                             self.moved(between(together, first - 20_000), first, 20_000, sum))
            # Sums of seconds, which are read from windows of rollups once there are some, also of what lies before.
            read = between(together, start + 40_000)
            seconds = [[t, sum(v for at, v in read if at // 1000 * 1000 == t)] for t in sorted({t // 1000 * 1000 for t, _ in read})]
            self.assertEqual(
                self.ask(server, [{"name": "sum", "align_start_time": True, "sampling": {"value": 1, "unit": "seconds"}},
                                  moving(20), EACH], start + 60_000, last)[1],
                {("h0", "h1", "h2"): self.moved(seconds, start + 60_000, 20_000, sum)})
        ask_all()
        wait_until(lambda: server.metric("varve_slots_sealed_total") >= SECONDS // 10, 30, "all slots sealed")
        server.settle()
        ask_all()
        server.restart()
        ask_all()

    def test_beside_a_metric_that_does_not_move(self):
        server = self.new_server(CONFIG).start()
        start = int(time.time() - 300) // 60 * 60 * 1000
        self.fill(server, start)
        count = {"name": "count", "sampling": {"value": 1, "unit": "hours"}}
        metrics = [{"name": "w", "aggregators": steps} for steps in ([count], [moving(1, "minutes"), EACH], [count])]
        answers = server.query(metrics, start=start + 60_000, end=start + 119_999)
        self.assertEqual([a["sample_size"] for a in answers], [90, 180, 90])

    def test_too_much_is_told(self):
        server = self.new_server(CONFIG | {"query.memory": "1MiB"}).start()
        start = int(time.time() - 300) // 60 * 60 * 1000
        self.fill(server, start)
        answer = server.post("/api/v1/datapoints/query", {"start_absolute": start, "metrics": [
            {"name": "w", "aggregators": [moving(10**9, "milliseconds")]}]})
        self.assertEqual(answer.status, 422, answer)
