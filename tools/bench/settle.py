# SPDX-License-Identifier: Apache-2.0
"""Scenarios of settling: what sealing and rollups cost, how large they are, what they spare queries, and what a query
feels of ingest. varve against itself: the same data with and without rollups, idle and busy."""

import random
import statistics
import threading
import time

from common import DAY_MS, Row, data_flags, finish_load, interleaved, measure, median, run_load, start_load
from databases import Plain, Varve, http_call
from queries import FIELDS, HOUR, MINUTE, SAMPLE_MS, Query, ask, difference, make, write_requests


def rolled(rollups="5m:1y,1h:5y,1d:20y", quiet="5m", retention="90d"):
    """A varve with these settings, not the defaults that stand here."""
    return type("Rolled", (Varve,), {"more": (f"--rollups={rollups}", f"--slots.quiet={quiet}", f"--raw.retention={retention}")})


def metric(database, name):
    """The sum over all labels that `name` does not give."""
    _, text = http_call(database.port, "GET", "/metrics")
    values = [float(line.rsplit(" ", 1)[1]) for line in text.decode().splitlines()
              if line.startswith(name) and line[len(name):len(name) + 1] in ("{", " ", ",")]
    if not values:
        raise RuntimeError(f"no metric {name}")
    return sum(values)


def one(value, what, unit, goal="", limit=0, higher=False):
    return Row(what, unit, {"varve": value}, goal, goal_value=limit, higher_is_better=higher)


class Loading:
    """The generator in the background, from its first acknowledged sample to the end of the block. `aside`: it stands
    for other machines, and leaves the processors to the server and to who asks it."""

    def __init__(self, settings, server, flags, aside=False):
        self.settings, self.server, self.flags, self.aside = settings, server, flags, aside

    def __enter__(self):
        before = metric(self.server, "varve_samples_accepted_total")
        self.process = start_load(self.settings, self.server, aside=self.aside, **self.flags)
        while metric(self.server, "varve_samples_accepted_total") == before:
            if not self.runs():
                self.wait()
            time.sleep(0.01)
        return self

    def runs(self):
        return self.process.poll() is None

    def wait(self):
        return finish_load(self.process)

    def __exit__(self, *_):
        if self.runs():
            self.process.terminate()
        self.process.communicate()


# --- what sealing costs

def windows_of(hosts, span_ms):
    return hosts * len(FIELDS) * sum(span_ms // width for width in (5 * MINUTE, HOUR, DAY_MS))


def sealing(settings):
    """CPU until settled with the default rollups, less the same without any: spill, merges and compaction of samples
    are in both, and are what ingest costs."""
    hosts, steps = (100, 8640) if settings.quick else (400, 8640)
    flags = data_flags(settings, "int", hosts, steps, protocol="influx", lines=10_000, connections=2)

    def once(database):
        result, server = measure(settings, database, settle=True, keep=True, **flags)
        try:
            written, expected = metric(server, "varve_rollups_written_total"), windows_of(hosts, steps * SAMPLE_MS)
            if database is Varve and written < expected:
                raise RuntimeError(f"{written:.0f} windows written, not {expected}")
        finally:
            server.close()
        return result

    results = interleaved(settings, "sealing", [Plain, Varve], settings.rounds, once)
    cpu = median(results, lambda r: r.cpu_settled_ns)
    ingest, cost = cpu["varve-plain"], cpu["varve"] - cpu["varve-plain"]
    return [
        one(ingest, "sealing: CPU of ingest alone, until settled", "ns/sample"),
        one(cost, "sealing: CPU of sealing and three rollups", "ns/sample"),
        one(cost / ingest, "sealing: CPU of sealing and rollups, by ingest's", "x", "<= 0.25 x", 0.25),
    ]


class Watch(threading.Thread):
    """Looks at the slots that wait, ten times a second."""

    def __init__(self, database):
        super().__init__(daemon=True)
        self.database, self.over, self.begin = database, threading.Event(), time.monotonic()
        self.seen = []  # (seconds, slots)

    def run(self):
        while not self.over.wait(0.1):
            self.seen.append((time.monotonic() - self.begin, metric(self.database, "varve_slots_pending")))

    def stop(self):
        self.over.set()
        self.join()

    def most(self, first, last):
        """The most slots that waited in this part of the time."""
        end = self.seen[-1][0]
        return max((slots for at, slots in self.seen if first * end <= at <= last * end), default=0)


def backlog(settings):
    """Old data as fast as it is taken, a day in about a second: every slot is due as soon as it is written, and rounds
    of sealing run every second meanwhile."""
    seconds = 20 if settings.quick else 80
    laps = seconds * 3 // 2 + 10  # more than it gets through
    flags = data_flags(settings, "int", 400, 8640, protocol="influx", lines=10_000, connections=2, laps=laps, seconds=seconds)
    flags["start"] = settings.start_ms - laps * DAY_MS

    def once(database):
        server = database(settings.directory)
        try:
            server.start()
            with Loading(settings, server, flags) as loading:
                watch = Watch(server)
                watch.start()
                load = loading.wait()
                watch.stop()
            ended = time.monotonic()
            while metric(server, "varve_slots_pending") > 1 and time.monotonic() - ended < 180:
                time.sleep(0.1)
            settings.say(f"backlog: slots that wait, by the second: {[int(slots) for _, slots in watch.seen[::10]]}")
            return {"rate": load["samples_per_s"] / 1e6, "before": watch.most(0.5, 0.75), "end": watch.most(0.75, 1),
                    "sealed": metric(server, "varve_slots_sealed_total"), "drained": time.monotonic() - ended,
                    "longest": load["latency_us"]["max"] / 1e3}
        finally:
            server.close()

    results = interleaved(settings, "backlog", [rolled(quiet="1s", retention="2y")], 1, once)
    figures = results["varve"][0]
    return [
        one(figures["rate"], "backlog: ingest while sealing", "M samples/s", higher=True),
        one(figures["longest"], "backlog: longest answer", "ms"),
        one(figures["end"], "backlog: most slots that waited, last quarter", "slots"),
        one(figures["end"] / max(figures["before"], 1), "backlog: the same by the quarter before", "x", "<= 1.3 x", 1.3),
        one(figures["drained"], "backlog: until nothing waits, after the last sample", "s"),
    ]


# --- how large rollups are

def rollup_size(settings):
    hosts = 100 if settings.quick else 400
    rows = []
    for kind in ("int", "decimal", "mix", "real"):
        step = 15_000 if kind == "mix" else SAMPLE_MS
        flags = data_flags(settings, kind, hosts, DAY_MS // step, lines=10_000)

        def once(database, flags=flags):
            _, server = measure(settings, database, settle=True, keep=True, **flags)
            try:
                # Counted by what they must be: what is written twice is still one window.
                return metric(server, 'varve_storage_bytes{kind="rollup"}') / (hosts * len(FIELDS) * DAY_MS // (5 * MINUTE))
            finally:
                server.close()

        results = interleaved(settings, f"rollup size of {kind}", [rolled("5m:1y")], 1, once)
        goal = ("<= 6 bytes", 6) if kind != "real" else ()
        rows.append(one(results["varve"][0], f"rollup size: a gauge's five minutes, {kind}", "bytes", *goal))
    return rows


# --- what rollups spare queries

def rollup_query(settings):
    """30 days by the hour over 1,000 series: ten metrics of 100 hosts, a sample a minute."""
    hosts, days = (20 if settings.quick else 100), 30
    start = settings.start_ms - days * DAY_MS
    servers, rows = [], []
    try:
        for kind in (Varve, Plain):
            server = kind(settings.directory)
            servers.append(server)
            server.start()
            run_load(settings, server, data="int", hosts=hosts, steps=days * DAY_MS // MINUTE, start=start, step=MINUTE, lines=10_000)
            server.settle()
            settings.say(f"rollup query: {server.name} loaded and settled")
        names = [f"host_{h}" for h in range(hosts)]
        for what, chosen_hosts, goal in (("a line a metric", names, (">= 20 x", 20)), ("a line a series", [], ())):
            query = Query(FIELDS, chosen_hosts, "avg", HOUR, start, start + days * DAY_MS)
            fault = difference(*(ask(server, query) for server in servers))
            if fault:
                raise RuntimeError(f"with rollups and without the answers differ: {fault}")
            times = {server.name: [] for server in servers}
            for _ in range(settings.rounds):
                for server in servers:
                    path = write_requests(settings, server, [query])
                    got = run_load(settings, server, queries=path, connections=1, repeat=10)
                    times[server.name].append(got["latency_us"]["p50"] / 1e3)
            fast, slow = (statistics.median(times[server.name]) for server in servers)
            title = f"30 days by hour, {hosts * len(FIELDS)} series, {what}"
            settings.say(f"{title}: {fast:.1f} ms from rollups, {slow:.1f} ms from samples")
            rows += [one(fast, f"{title}: rollups", "ms p50"), one(slow, f"{title}: samples", "ms p50"),
                     one(slow / fast, f"{title}: faster", "x", *goal, higher=True)]
    finally:
        for server in servers:
            server.close()
    return rows


# --- what a query feels of ingest

QUERY_LISTS = {
    "small": ("single-groupby-1-1-1", "single-groupby-1-8-1", "single-groupby-5-1-1"),
    "middle": ("single-groupby-5-8-1", "single-groupby-1-1-12", "single-groupby-5-1-12", "cpu-max-all-1", "cpu-max-all-8"),
}


def time_lists(settings, server, queries):
    """{list: 95th percentile in ms}"""
    times = {}
    for name, batch in queries.items():
        path = write_requests(settings, server, batch)
        got = run_load(settings, server, queries=path, connections=1, repeat=1000, seconds=2 if settings.quick else 5)
        times[name] = got["latency_us"]["p95"] / 1e3
    return times


def under_ingest(settings):
    hosts = 400
    end = settings.start_ms + DAY_MS
    queries = {}
    for name, types in QUERY_LISTS.items():
        queries[name] = [q for t in types for q in make(t, 100, hosts, settings.start_ms, end)]
        random.Random(7).shuffle(queries[name])
    flags = data_flags(settings, "int", hosts, 8640, protocol="influx", lines=10_000, connections=2)
    steps, laps = (864, 400) if settings.quick else (8640, 40)  # more than it gets through
    older = dict(flags, steps=steps, laps=laps)

    def once(database):
        server = database(settings.directory)
        try:
            server.start()
            full = run_load(settings, server, **flags)["samples_per_s"]
            server.settle()
            time_lists(settings, server, queries)  # warm
            times = {"idle": time_lists(settings, server, queries)}
            for busy, rate, days in (("half", int(full / 2), 40), ("full", 0, 80)):
                load = dict(older, rate=rate, start=settings.start_ms - days * DAY_MS)
                with Loading(settings, server, load, aside=True) as loading:
                    times[busy] = time_lists(settings, server, queries)
                    if not loading.runs():
                        raise RuntimeError("the ingest ended before the queries did")
                server.settle()
            return times
        finally:
            server.close()

    results = interleaved(settings, "queries under ingest", [Varve], settings.rounds, once)["varve"]
    rows = []
    for name in QUERY_LISTS:
        p95 = {busy: statistics.median(r[busy][name] for r in results) for busy in ("idle", "half", "full")}
        rows += [
            one(p95["idle"], f"{name} queries, idle", "ms p95"),
            one(p95["half"], f"{name} queries, ingest at half its full rate", "ms p95"),
            one(p95["half"] / p95["idle"], f"{name} queries: half rate by idle", "x", "<= 2 x", 2),
            one(p95["full"] / p95["idle"], f"{name} queries: full rate by idle", "x"),
        ]
    return rows
