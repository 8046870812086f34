# SPDX-License-Identifier: Apache-2.0
"""Scenarios of scale: what long work costs, and whether it costs the same in the end as in the beginning. Ten minutes at
full speed, late samples, years of few hosts one after the other, many tenants, many days, one series for a year."""

import json
import os
import statistics
import threading
import time

from common import DAY_MS, Row, finish_load, median, run_load, start_load
from databases import Varve, VictoriaMetrics, http_call
from queries import HOUR, MINUTE
from settle import metric, one

MIB = 1 << 20
LATE_ROUNDS = 3
LONG = ("--raw.retention=20y", "--rollups=5m:20y,1h:20y,1d:20y", "--limits.series_per_tenant=100000000")


class LongVarve(Varve):
    more = LONG


def written_bytes(server):
    """That the process gave to the disk since its start, log included."""
    with open(f"/proc/{server.process.pid}/io") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("write_bytes:"))


def running(settings, kind=LongVarve):
    server = kind(settings.directory)
    server.start()
    return server


def kairosdb_query(name, first, last, by_minutes, tags=None):
    unit = {"value": by_minutes, "unit": "minutes"}
    return json.dumps({"start_absolute": first, "end_absolute": last - 1, "metrics": [
        {"name": name, "tags": tags or {}, "aggregators": [{"name": "avg", "sampling": unit}]}]})


def ask_ms(server, body, times=5):
    took = []
    for _ in range(times):
        begin = time.monotonic()
        status, answer = http_call(server.port, "POST", "/api/v1/datapoints/query", body)
        if status != 200:
            raise RuntimeError(f"query: {status} {answer[:200]!r}")
        took.append((time.monotonic() - begin) * 1000)
    return sorted(took)[len(took) // 2]


class Watch(threading.Thread):
    """What was accepted and written, each second."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.seconds, self.over = server, [], threading.Event()

    def run(self):
        while not self.over.wait(1):
            self.seconds.append((metric(self.server, "varve_samples_accepted_total"), written_bytes(self.server),
                                 self.server.memory("VmRSS")))

    def rates(self):
        counts = [accepted for accepted, _, _ in self.seconds]
        return [b - a for a, b in zip(counts, counts[1:])]


# --- new hours at full speed

def sustained(settings):
    """1,000 hosts x 10, a step each 10 s, one hour after the other, while a question for one host is asked twice a second."""
    seconds = 60 if settings.quick else 600
    flags = {"data": "int", "hosts": 1000, "steps": 360, "laps": 1_000_000, "seconds": seconds, "lines": 10_000,
             "connections": 2, "start": settings.start_ms - 700 * DAY_MS}
    server = running(settings)
    try:
        watch = Watch(server)
        process = start_load(settings, server, **flags)
        watch.start()
        longest = 0
        while process.poll() is None:
            hour = flags["start"] + int(metric(server, "varve_samples_accepted_total") / 10_000) * 10_000 // HOUR * HOUR
            longest = max(longest, ask_ms(server, kairosdb_query("cpu_usage_user", hour - 2 * HOUR, hour, 1,
                                                                 {"hostname": ["host_7"]}), 1))
            time.sleep(0.5)
        load = finish_load(process)
        watch.over.set()
        watch.join()
        cpu, written, peak = server.cpu_seconds(), written_bytes(server), server.memory("VmHWM")
    finally:
        server.close()
    rates = watch.rates()[2:-2]
    middle = sorted(rates)[len(rates) // 2]
    slow = [f"{at + 2} s: {rate / middle:.2f}" for at, rate in enumerate(rates) if rate < 0.6 * middle]
    settings.say("sustained: seconds below 0.6 of the median: " + (", ".join(slow) or "none"))
    minutes = [f"{statistics.mean(rates[at:at + 60]) / 1e6:.1f}" for at in range(0, len(rates), 60)]
    settings.say("sustained: M samples/s by the minute: " + ", ".join(minutes))
    span = min(60, len(rates) // 3)
    second, last = sum(rates[span:2 * span]), sum(rates[-span:])
    half = watch.seconds[len(watch.seconds) // 2]
    later = (watch.seconds[-1][1] - half[1]) / max(1, watch.seconds[-1][0] - half[0])
    rows = {"varve": load["samples_per_s"] / 1e6}
    if "victoria-metrics" in settings.peers:
        peer = running(settings, VictoriaMetrics)
        try:
            rows[peer.name] = run_load(settings, peer, **{**flags, "seconds": min(seconds, 120)})["samples_per_s"] / 1e6
        finally:
            peer.close()
    return [
        Row(f"sustained for {seconds} s", "M samples/s", rows, ">= 20 x VictoriaMetrics", 20, against="victoria-metrics"),
        one(min(rates) / middle, "sustained: the slowest second, by the median", "x", ">= 0.5 x", 0.5, True),
        one(last / second, f"sustained: the last {span} s, by the second {span}", "x", ">= 0.9 x", 0.9, True),
        one(written / load["samples"], "sustained: written to the disk, log included", "B/sample", "<= 8 B", 8),
        one(later, "sustained: the same in the second half", "B/sample", "<= 8 B", 8),
        one(cpu * 1e9 / load["samples"], "sustained: CPU, everything included", "ns/sample"),
        one(peak / MIB, "sustained: peak memory", "MiB"),
        one(longest, "sustained: longest of the questions meanwhile", "ms"),
    ]


# --- samples that do not come in order

def settled_load(settings, loads):
    """Loads one after the other, then settles; returns (samples, CPU seconds, bytes written, bytes on disk)."""
    server = running(settings)
    try:
        samples = sum(run_load(settings, server, **flags)["samples"] for flags in loads)
        server.settle()
        return samples, server.cpu_seconds(), written_bytes(server), server.disk()
    finally:
        server.close()


def late(settings):
    """A tenth of the lines late by up to ten days, in turn with the same data in order: medians."""
    flags = {"data": "int", "hosts": 200, "steps": 8640, "laps": 6 if settings.quick else 24, "lines": 10_000,
             "connections": 2, "start": settings.start_ms - 60 * DAY_MS}
    in_order, with_late = [], []
    for _ in range(1 if settings.quick else LATE_ROUNDS):
        in_order.append(settled_load(settings, [flags]))
        with_late.append(settled_load(settings, [{**flags, "late": 10}]))
    rows = []
    for what, loads in (("in order", in_order), ("a tenth late", with_late)):
        each = [(cpu * 1e9 / samples, written / samples, disk / samples) for samples, cpu, written, disk in loads]
        cpu, written, disk = (statistics.median(column) for column in zip(*each))
        rows += [one(cpu, f"{what}: CPU until settled", "ns/sample"),
                 one(written, f"{what}: written to the disk", "B/sample"),
                 one(disk, f"{what}: on disk", "B/sample")]
    cpu, written = (statistics.median(late[i] / order[i] for late, order in zip(with_late, in_order)) for i in (1, 2))
    return rows + [
        one(cpu, "a tenth late: CPU, by that in order", "x", "<= 1.4 x", 1.4),
        one(written, "a tenth late: written, by that in order", "x", "<= 2 x", 2),
    ]


def backfill(settings):
    """A migration: a year of one host after the other, a sample each five minutes."""
    hosts = 4 if settings.quick else 16
    loads = [{"data": "int", "hosts": 1, "first_host": host, "steps": 105_120, "step": 5 * MINUTE, "lines": 10_000,
              "connections": 1, "start": settings.start_ms - 370 * DAY_MS} for host in range(hosts)]
    samples, cpu, written, disk = settled_load(settings, loads)
    return [one(cpu * 1e9 / samples, f"a year of {hosts} hosts, one after the other: CPU until settled", "ns/sample",
                "<= 100 ns", 100),
            one(written / samples, "the same: written to the disk", "B/sample"),
            one(disk / samples, "the same: on disk", "B/sample")]


# --- many slots

def settled(server):
    begin, before = time.monotonic(), written_bytes(server)
    server.settle()
    return time.monotonic() - begin, written_bytes(server) - before


def tenants(settings):
    """Each sends 26 hours of two hosts, six samples an hour: a slot of 120 samples for each tenant and hour."""
    count = 1000 if settings.quick else 10_000
    hours, start = 26, (settings.start_ms - 3 * DAY_MS) * 1_000_000
    lines = [f"cpu,hostname=host_{host} " + ",".join(f"f{i}={host + i}i" for i in range(10))
             + f" {start + step * 600_000_000_000}" for host in range(2) for step in range(hours * 6)]
    body = "\n".join(lines).encode()
    server = running(settings)
    try:
        for tenant in range(count):
            status, answer = http_call(server.port, "POST", "/write", body, {"X-Tenant": f"t{tenant}"})
            if status != 204:
                raise RuntimeError(f"tenant {tenant}: {status} {answer[:200]!r}")
        took, written = settled(server)
        disk, rss = server.disk(), server.memory("VmRSS")
        begin = time.monotonic()
        for _ in range(5):
            http_call(server.port, "GET", "/metrics")
        scrape = (time.monotonic() - begin) * 200
    finally:
        server.close()
    goal = {} if settings.quick else {"goal": "<= 15 s", "limit": 15}
    return [one(took, f"settle of {count:,} tenants x {hours} h", "s", **goal),
            one(written / disk, "the same: written, by what is kept", "x", "<= 3 x", 3),
            one(rss / MIB, "the same: memory afterwards", "MiB"),
            one(scrape, "the same: /metrics", "ms", "<= 3 ms", 3)]


def month(settings):
    """30 days of 1,000 hosts x 10, a step each 30 s; then an hour, a day, a month of some of them."""
    hosts = 100 if settings.quick else 1000
    start = settings.start_ms - 40 * DAY_MS
    server = running(settings)
    try:
        load = run_load(settings, server, data="int", hosts=hosts, steps=720, step=30_000, laps=120, lines=10_000,
                        connections=2, start=start)
        took, written = settled(server)
        disk = server.disk()
        name = "cpu_usage_user"
        asked = {"an hour of all": ask_ms(server, kairosdb_query(name, start + 9 * DAY_MS, start + 9 * DAY_MS + HOUR, 1)),
                 "a month of one": ask_ms(server, kairosdb_query(name, start, start + 30 * DAY_MS, 1,
                                                                 {"hostname": ["host_7"]}))}
    finally:
        server.close()
    goal = ("", 0) if settings.quick else ("<= 20 s", 20)
    return [one(took, f"settle of 30 d x {hosts * 10:,} series", "s", *goal),
            one(written / 1e9, "the same: written", "GB", *(("", 0) if settings.quick else ("<= 3 GB", 3))),
            one(disk / load["samples"], "the same: on disk", "B/sample"),
            *(one(took, f"the same: {what} by the minute", "ms") for what, took in asked.items())]


def churn(settings):
    """A million new series a day: pods that live for a day, each of its own name, four samples a series. Beside it a
    store that has only ever seen the last of these days."""
    days, pods = (5, 20_000) if settings.quick else (30, 100_000)
    start = settings.start_ms - (days + 5) * DAY_MS

    def measured(first_day):
        server = running(settings)
        try:
            for day in range(first_day, days):
                run_load(settings, server, data="int", hosts=pods, first_host=day * pods, steps=4, step=6 * HOUR,
                         lines=10_000, connections=2, start=start + day * DAY_MS)
            server.settle()
            server.stop()
            took = server.start()
            time.sleep(20)
            rss = server.memory("VmRSS")
            last = start + (days - 1) * DAY_MS
            asked = ask_ms(server, kairosdb_query("cpu_usage_user", last, last + DAY_MS, 360), 3)
            begin = time.monotonic()
            status, answer = http_call(server.port, "POST", "/api/v1/datapoints/query/tags?exact=true", json.dumps({
                "start_absolute": last, "end_absolute": last + DAY_MS - 1, "metrics": [{"name": "cpu_usage_user"}]}))
            if status != 200 or len(json.loads(answer)["queries"][0]["results"][0]["tags"]["hostname"]) != pods:
                raise RuntimeError(f"names of a day: {status} {answer[:200]!r}")
            return took, rss, asked, (time.monotonic() - begin) * 1000
        finally:
            server.close()

    all_days, last_day = measured(0), measured(days - 1)
    rows = []
    for what, unit, scale, one_of in (("start", "s", 1, 0), ("memory after a start", "MiB", MIB, 1),
                                      ("avg of all series of the last day", "ms", 1, 2),
                                      ("names of the last day", "ms", 1, 3)):
        rows += [one(all_days[one_of] / scale, f"{days} days of {pods * 10:,} new series: {what}", unit),
                 one(last_day[one_of] / scale, f"only the last of these days: {what}", unit)]
    return rows


def idle(settings):
    """Ten million new series, a sample each: how long until they are taken in and settled, what they need after a restart,
    and how much more a process has that took them in, settled, was asked for all of a metric, and is idle for a minute."""
    hosts = 100_000 if settings.quick else 1_000_000
    flags = {"data": "int", "hosts": hosts, "steps": 1, "lines": 10_000, "connections": 2, "start": settings.start_ms}
    question = kairosdb_query("cpu_usage_user", settings.start_ms, settings.start_ms + HOUR, 1)
    server = running(settings)
    try:
        empty, begin = server.memory("VmRSS"), time.monotonic()
        run_load(settings, server, **flags)
        loaded = time.monotonic() - begin
        server.settle()
        settled, peak = time.monotonic() - begin, server.memory("VmHWM")
        time.sleep(70)
        after_settle = server.memory("VmRSS")
        asked = ask_ms(server, question, 2)
        time.sleep(70)
        after_question = server.memory("VmRSS")
        server.stop()
        restart = server.start()
        time.sleep(20)
        needed = server.memory("VmRSS")
    finally:
        server.close()
    what = f"{hosts * 10:,} new series"
    return [one(loaded, f"{what}: taken in", "s", "<= 15 s", 15), one(settled, f"{what}: and settled", "s"),
            one(peak / MIB, f"{what}: peak memory", "MiB"), one(asked / 1000, f"{what}: avg of a tenth of them", "s"),
            one(restart, f"{what}: restart", "s", "<= 4 s", 4),
            one((needed - empty) / hosts / 10, f"{what}: memory of each after a restart", "bytes", "<= 154", 154),
            one(after_settle / needed, f"{what}: idle after a settle, by a restart", "x", "<= 1.3 x", 1.3),
            one(after_question / needed, f"{what}: idle after the question, by a restart", "x", "<= 1.3 x", 1.3)]


def year(settings):
    """One series for a year as samples; VictoriaMetrics exports the same."""
    flags = {"data": "int", "hosts": 20, "steps": 1440, "step": MINUTE, "laps": 365, "lines": 10_000, "connections": 2,
             "start": settings.start_ms - 370 * DAY_MS}
    first, last = flags["start"], flags["start"] + 365 * DAY_MS
    cells = {}
    for kind in (LongVarve, VictoriaMetrics):
        if kind is VictoriaMetrics and kind.name not in settings.peers:
            continue
        server = running(settings, kind)
        try:
            run_load(settings, server, **flags)
            server.settle()
            took = []
            for host in range(5):
                begin = time.monotonic()
                if kind is VictoriaMetrics:
                    selector = f"cpu_usage_user%7Bhostname=%22host_{host}%22%7D"
                    status, answer = http_call(server.port, "GET", f"/api/v1/export?match[]={selector}&start={first / 1000}"
                                               f"&end={last / 1000}")
                else:
                    status, answer = http_call(server.port, "POST", "/api/v1/datapoints/query", json.dumps({
                        "start_absolute": first, "end_absolute": last - 1,
                        "metrics": [{"name": "cpu_usage_user", "tags": {"hostname": [f"host_{host}"]}}]}))
                if status != 200 or len(answer) < 525_600 * 3:
                    raise RuntimeError(f"a year of one series: {status}, {len(answer)} bytes")
                took.append((time.monotonic() - begin) * 1000)
            cells.setdefault(server.name, []).extend(took)
        finally:
            server.close()
    return [Row("one series for a year, 525,600 samples as JSON", "ms", median(cells, lambda v: v), "<= 1 x VictoriaMetrics",
                1, higher_is_better=False, against="victoria-metrics")]
