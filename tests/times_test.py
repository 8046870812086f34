# SPDX-License-Identifier: Apache-2.0
"""Samples where time is awkward: at the edges of slots and windows, before 1970, and stamped ahead of now. Every API gives
the same right answer before settling, after it, after a restart and after a late sample."""

import threading
import time
from urllib.parse import urlencode

from support import cluster
from support.case import OwnServerCase, T0
from support.client import wait_until
from support.cluster import above_engines

HOUR = 3_600_000
DAY = 24 * HOUR
KEPT = {"raw.retention": "20000d", "rollups": "5m:20000d,1h:20000d,1d:20000d", "slots.quiet": "1h"}


def windows(samples, width, first, last):
    """Start of each window that begins in [first, last) to its values."""
    found = {}
    for at, value in sorted(samples.items()):
        found.setdefault(at // width * width, []).append(value)
    return {start: values for start, values in found.items() if first <= start < last}


def around(edge):
    return [edge - 1, edge, edge + 1, edge + HOUR - 1, edge + HOUR]


class Times(OwnServerCase):
    def setUp(self):
        now = int(time.time() * 1000)
        self.past = (now - 5 * HOUR) // HOUR * HOUR
        self.ahead = (now + 2 * DAY) // HOUR * HOUR
        times = around(-2 * HOUR) + around(-DAY) + around(0) + around(self.past) + around(self.ahead) + [-1]
        self.samples = {at: i + 1 for i, at in enumerate(sorted(set(times)))}

    def put(self, server, samples):
        server.put([{"name": "edge", "tags": {"h": "a"}, "datapoints": sorted(samples.items())}])
        positive = {at: value for at, value in samples.items() if at > 0}
        points = [{"metric": "edge_tsdb", "tags": {"h": "a"}, "timestamp": f"{at / 1000:.3f}", "value": value}
                  for at, value in positive.items()]
        self.assertEqual(server.post("/api/put", points).status, 204)
        server.influx("".join(f"edge_line,h=a value={value}i {at}\n" for at, value in samples.items()))
        with server.telnet() as telnet:
            telnet.send("".join(f"putm edge_telnet {at} {value} h=a\n" for at, value in positive.items()))
            self.assertEqual(telnet.finish(), "")

    def ranges(self):
        ends = [-DAY, -2 * HOUR, -HOUR, 0, HOUR, self.past, self.past + HOUR, self.ahead, self.ahead + HOUR]
        yield -2 * DAY, self.ahead + DAY
        for first, last in zip(ends, ends[1:]):
            yield first, last
            yield first + 1, last + 1

    def check(self, server, positive):
        for metric in ("edge", "edge_tsdb", "edge_line", "edge_telnet"):
            own = {at: v for at, v in self.samples.items() if at > 0 or metric in ("edge", "edge_line")}
            for first, last in self.ranges():
                with self.subTest(f"{metric} [{first}, {last})"):
                    self.check_kairosdb(server, metric, own, first, last)
                    self.check_ceres(server, metric, own, first, last)
                    if first > 10 ** 10:  # up to ten digits are seconds
                        self.check_opentsdb(server, metric, own, first, last)
        newest = server.get("/api/query/last?timeseries=edge_tsdb").json()
        self.assertEqual([(n["timestamp"], n["value"]) for n in newest],
                         [(max(positive), str(positive[max(positive)]))])

    def check_kairosdb(self, server, metric, samples, first, last):
        inside = {at: v for at, v in samples.items() if first <= at < last}
        self.assertEqual(server.values(metric, start=first, end=last - 1), sorted(inside.items()))
        if first % HOUR == 0:  # its windows are parts at the ends of the range
            asked = {"name": metric, "aggregators": [{"name": "sum", "align_sampling": True, "sampling": {"value": 1, "unit": "hours"}}]}
            got = [tuple(v) for r in server.query([asked], first, last - 1)[0]["results"] for v in r["values"]]
            self.assertEqual([v for _, v in got], [sum(v) for v in windows(inside, HOUR, first, last).values()])

    def check_ceres(self, server, metric, samples, first, last):
        def ask(**more):
            # 13 digits are milliseconds; times nearer to 1970 are said in whole seconds
            def said(t):
                return t if abs(t) >= 10 ** 12 else instant(t)
            answer = server.get("/api/query?" + urlencode({"metricName": metric, "start": said(first), "end": said(last), **more}))
            self.assertEqual(answer.status, 200, answer)
            return answer.json()[0]["data"]["values"] if answer.json() else {}
        self.assertEqual(ask(), {instant(at): v for at, v in sorted(samples.items()) if first <= at < last})
        for width, spelled in ((5 * 60_000, "5m"), (HOUR, "1h"), (DAY, "P1D")):
            wanted = windows(samples, width, first, last)
            for name, function in (("sum", sum), ("count", len), ("max", max)):
                self.assertEqual(ask(aggregator=name, granularity=spelled), {instant(at): function(v) for at, v in wanted.items()}, (name, spelled))

    def check_opentsdb(self, server, metric, samples, first, last):
        body = {"start": first, "end": last - 1, "msResolution": True, "queries": [{"metric": metric, "aggregator": "sum"}]}
        answer = server.post("/api/query", body)
        self.assertEqual(answer.status, 200, answer)
        got = {int(at): v for r in answer.json() for at, v in r["dps"].items()}
        self.assertEqual(got, {at: v for at, v in samples.items() if first <= at < last})

    def check_states(self, server):
        slots = server.get("/api/v1/admin/slots").json()["slots"]

        def states(times):  # of the slots that they are in, of an hour or a day
            return {s["state"] for at in times for s in slots if s["start"] <= at < s["end"]}
        past = [at for at in self.samples if at < self.past + 2 * HOUR]
        self.assertEqual(states(past), {"sealed"})
        self.assertEqual(states(set(self.samples) - set(past)), {"pending"})

    def test_edges_ahead_and_before_1970(self):
        server = self.new_server(KEPT).start()
        self.put(server, self.samples)
        positive = {at: v for at, v in self.samples.items() if at > 0}
        self.check(server, positive)
        server.settle()
        if not cluster.chosen():  # there a slot stays pending until it has been quiet
            self.check_states(server)
        self.check(server, positive)
        server.restart()
        self.check(server, positive)
        late = {at: 1000 + i for i, at in enumerate([-HOUR - 1, -1, 0, self.past, self.ahead])}
        self.samples.update(late)
        positive.update({at: v for at, v in late.items() if at > 0})
        self.put(server, late)
        self.check(server, positive)
        server.settle()
        self.check(server, positive)

    def test_nothing_is_sealed_before_its_time(self):
        """Without an end a question ends now; what lies ahead is neither lost nor in the way of what is not."""
        server = self.new_server(KEPT | {"slots.quiet": "1s", "slots.width": "1s", "rollups": "1s:20000d,1m:20000d"}).start()
        now = int(time.time()) * 1000
        server.influx(f"m v=1i {now - 120_000}\nm v=2i {now + DAY}\nm v=4i {now + 400 * DAY}")
        server.settle()
        values = server.get("/api/query?metricName=m_v&start=1h-ago&aggregator=sum&granularity=1m").json()[0]["data"]["values"]
        self.assertEqual(list(values.values()), [1])
        values = server.get("/api/query?metricName=m_v&start=1h-ago&end=" + str(now + 500 * DAY)).json()[0]["data"]["values"]
        self.assertEqual(list(values.values()), [1, 2, 4])
        self.assertEqual(server.query([{"name": "m_v"}], now - HOUR, now + 500 * DAY)[0]["sample_size"], 3)

    def test_windows_before_1970_outlive_their_samples(self):
        server = self.new_server({"slots.quiet": "1h"}).start()  # samples for 90 days, days for ever
        samples = {at: 2 ** i for i, at in enumerate([-DAY - 1, -DAY, -HOUR, -1, 0, HOUR - 1, DAY - 1, DAY])}

        def check():
            for name, function in (("sum", sum), ("count", len), ("min", min), ("max", max)):
                found = server.get("/api/query?" + urlencode({"metricName": "m", "aggregator": name, "granularity": "1d",
                                                              "start": instant(-3 * DAY), "end": instant(3 * DAY)})).json()
                self.assertEqual(found[0]["data"]["values"], {
                    instant(at): function(v) for at, v in windows(samples, DAY, -3 * DAY, 3 * DAY).items()}, name)
        for late in ({}, {-2: 1000}, {-HOUR + 1: 2000, 1: 3000}):
            samples.update(late)
            server.influx("".join(f"m,h=a value={v}i {at}\n" for at, v in (late or samples).items()))
            check()
            server.settle()
            check()
            server.restart()
            check()


FIRST, LAST = -(1 << 53), 1 << 53  # the times that samples may have


class EndsOfTime(OwnServerCase):
    """Days, slots and rollups begin before the first time and end behind the last one."""

    def put(self, server, samples):
        server.put([{"name": "json", "tags": {"h": "a"}, "datapoints": sorted(samples.items())}])
        server.influx("".join(f"line,h=a value={value}i {at}\n" for at, value in samples.items()))
        with server.telnet() as telnet:
            telnet.send("".join(f"putm telnet {at} {value} h=a\n" for at, value in samples.items() if at > 0))
            self.assertEqual(telnet.finish(), "")

    def sums(self, server, metric, unit, zone, start=FIRST, end=LAST):
        asked = {"name": metric, "aggregators": [{"name": "sum", "align_sampling": True, "sampling": {"value": 1, "unit": unit}}]}
        answer = server.post("/api/v1/datapoints/query", {"start_absolute": start, "end_absolute": end, "time_zone": zone, "metrics": [asked]})
        self.assertEqual(answer.status, 200, answer)
        return [tuple(v) for r in answer.json()["queries"][0]["results"] for v in r["values"]]

    def check(self, server, samples, are_kept):
        for metric in ("json", "line", "telnet"):
            own = {at: v for at, v in sorted(samples.items()) if at > 0 or metric != "telnet"}
            with self.subTest(metric):
                for zone in ("UTC", "Europe/Paris") if are_kept else ("UTC",):
                    for unit in ("days", "months", "years"):  # nothing here is in one day but what is in one millisecond
                        self.assertEqual(self.sums(server, metric, unit, zone), self.joined(own, unit), (unit, zone))
                if not are_kept:
                    continue
                self.assertEqual(server.values(metric, start=FIRST, end=LAST), list(own.items()))
                answer = server.get("/api/query?" + urlencode({"metricName": metric, "start": FIRST, "end": LAST}))
                found = [v for one in answer.json() for v in one["data"]["values"].values()]
                self.assertEqual(found, [v for at, v in own.items() if at < LAST])
        self.assertEqual(server.get("/api/v1/admin/slots").json()["set_aside"], [])
        newest = server.get("/api/query/last?timeseries=telnet").json()
        self.assertEqual([n["timestamp"] for n in newest], [max(samples)])

    @staticmethod
    def joined(samples, unit):
        """Times near one end are of one day, month and year: their sum stands at the first of them."""
        found = {}
        for at, value in samples.items():
            found.setdefault(at < 0, []).append((at, value))
        return [(of[0][0], sum(v for _, v in of)) for of in found.values()]

    def test_samples_at_the_ends_of_time(self):
        kept = {"raw.retention": "20y", "rollups": "5m:20y,1h:20y,1d:20y", "slots.quiet": "1h"}
        narrow = kept | {"slots.width": "10s", "rollups": "5s:20y,1m:20y,1h:20y"}
        for config in (kept, narrow, {}) if not cluster.chosen() else (kept,):
            with self.subTest(config):
                server = self.new_server(config).start()
                samples = {}
                for late in ({FIRST: 1, LAST: 2}, {FIRST: 4, FIRST + 1: 8, LAST - 1: 16, LAST: 32}, {FIRST + 1: 64, LAST: 128}):
                    samples.update(late)
                    self.put(server, late)
                    for then in (lambda: None, server.settle, server.settle, server.restart, server.settle):
                        then()
                        self.check(server, samples, config != {})
                for metric in ("json", "line", "telnet"):
                    gone = {"start_absolute": FIRST, "end_absolute": FIRST, "metrics": [{"name": metric}]}
                    self.assertEqual(server.post("/api/v1/datapoints/delete", gone).status, 204)
                if config:
                    del samples[FIRST]
                    self.check(server, samples, True)
                gone = {"start_absolute": FIRST, "end_absolute": LAST, "metrics": [{"name": m} for m in ("json", "line")]}
                self.assertEqual(server.post("/api/v1/datapoints/delete", gone).status, 204)
                for then in (lambda: None, server.settle, server.restart):
                    then()
                    self.assertEqual([self.sums(server, m, "days", "UTC") for m in ("json", "line")], [[], []])
                self.put(server, {FIRST: 1, LAST: 2})
                server.settle()
                self.assertEqual(self.sums(server, "json", "days", "UTC"), [(FIRST, 1), (LAST, 2)])

    def step(self, name, value, unit, **more):
        return {"name": name, "sampling": {"value": value, "unit": unit}, **more}

    def questions(self):
        """(start, end, zone, aggregators): windows of calendars at and beyond the ends of time."""
        step = self.step
        year = 31_536_000_000
        for zone in ("UTC", "Europe/Paris", "America/New_York", "+14:00", "-03:30"):
            for value, unit in ((1, "days"), (60, "weeks"), (1, "months"), (2 ** 31 - 1, "years"), (1.5e300, "weeks")):
                for name in ("sum", "first", "least_squares", "percentile", "increase"):
                    more = {"percentile": 0.5} if name == "percentile" else {}
                    for align in (False, True):
                        yield 0, LAST, zone, [step(name, value, unit, align_sampling=align, **more)]
                        yield FIRST, LAST, zone, [step(name, value, unit, align_sampling=align, **more)]
            for start, end in ((FIRST, FIRST + year), (LAST - year, LAST)):
                yield start, end, zone, [step("gaps", 1, "days"), step("last", 1, "months")]
                yield start, end, zone, [step("movingWindow", 2, "days")]
            for first in (step("max", 300_000, "years", align_end_time=True), step("gaps", 86_400_000, "days"),
                          step("last", 253_402_300_800_000, "seconds", align_start_time=True),
                          step("max", 9_223_372_036_855, "minutes", align_end_time=True)):
                for then in (step("last", 1, "days"), step("movingWindow", 1, "months"), step("first", 1, "years"),
                             step("gaps", 40_000, "days"), {"name": "rate", "unit": "months"}):
                    yield FIRST, LAST, zone, [first, then]
                    yield 0, LAST, zone, [first, then]

    @above_engines
    def test_questions_at_the_ends_of_time_end(self):
        server = self.new_server({"query.timeout": "20s"}).start()
        server.put([{"name": "m", "tags": {"h": "a"}, "datapoints": [[5000, 1], [T0, 2], [LAST, 3], [FIRST, 4]]},
                    {"name": "inner", "tags": {"h": "a"}, "datapoints": [[5000, 1], [T0, 2]]}])
        for start, end, zone, steps in self.questions():
            asked = {"start_absolute": start, "end_absolute": end, "time_zone": zone,
                     "metrics": [{"name": name, "aggregators": steps} for name in ("m", "inner")]}
            answer = server.post("/api/v1/datapoints/query", asked)
            self.assertIn(answer.status, (200, 400, 422), (asked, answer))
            if answer.status == 200:
                times = [at for q in answer.json()["queries"] for r in q["results"] for at, _ in r["values"]]
                self.assertTrue(all(FIRST <= at <= LAST for at in times), asked)

    def long_question(self):
        """Weeks of Paris over all of time: half a minute of calendar, in half of a query's memory."""
        steps = [self.step("gaps", 7, "days"), self.step("last", 7, "days")]
        return {"start_absolute": FIRST, "end_absolute": LAST, "time_zone": "Europe/Paris", "metrics": [{"name": "m", "aggregators": steps}]}

    @above_engines
    def test_a_long_calculation_ends_when_its_time_is_over(self):
        server = self.new_server({"query.timeout": "2s"}).start()
        server.put([{"name": "m", "tags": {"h": "a"}, "datapoints": [[5000, 1], [FIRST, 4]]}])
        began = time.monotonic()
        answer = server.post("/api/v1/datapoints/query", self.long_question())
        self.assertEqual(answer.status, 504, answer)
        self.assertLess(time.monotonic() - began, 4)

    @above_engines
    def test_a_stop_does_not_wait_for_calculations(self):
        server = self.new_server().start()
        server.put([{"name": "m", "tags": {"h": "a"}, "datapoints": [[5000, 1], [FIRST, 4]]}])
        asking = [threading.Thread(target=self.ask_in_vain, args=(server,)) for _ in range(4)]
        for thread in asking:
            thread.start()
        wait_until(lambda: len(server.get("/api/v1/admin/runningqueries").json()["queries"]) >= 2)
        code, took = server.stop()
        self.assertEqual(code, 0)
        self.assertLess(took, 5)
        for thread in asking:
            thread.join()

    def ask_in_vain(self, server):
        try:
            server.post("/api/v1/datapoints/query", self.long_question())
        except OSError:
            pass


def instant(ms):
    seconds, rest = divmod(ms, 1000)
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return text + (f".{rest:03}" if rest else "") + "Z"
