# SPDX-License-Identifier: Apache-2.0
"""Scenarios of writing: bulk, remote write, JSON, one line a request, size on disk, new series, restart."""

from clickhouse import ClickHouse
from common import Row, data_flags, interleaved, measure, median, run_load
from databases import DurableVarve, InfluxDb, Plain, Prometheus, Varve, VictoriaMetrics
from questdb import QuestDb

MIB = 1 << 20


def chosen(settings, *databases):
    return [d for d in databases if d.name == "varve" or d.name in settings.peers]


def cost_rows(what, results):
    """CPU and memory beside the speed of a scenario."""
    return [
        Row(what + ": server CPU while loading", "ns/sample", median(results, lambda r: r.cpu_ns), higher_is_better=False),
        Row(what + ": peak memory", "MiB", median(results, lambda r: r.peak / MIB), higher_is_better=False),
    ]


def bulk(settings):
    steps = 864 if settings.quick else 8640
    flags = data_flags(settings, "int", 400, steps, protocol="influx", lines=10_000, connections=2)
    results = interleaved(settings, "bulk Influx line", chosen(settings, Varve, VictoriaMetrics, QuestDb, ClickHouse, InfluxDb), settings.rounds,
                          lambda d: measure(settings, d, settle=True, **flags))
    return [
        Row("bulk Influx line, 10k lines a request, 2 connections", "M samples/s",
            median(results, lambda r: r.load["samples_per_s"] / 1e6), ">= 12 x VictoriaMetrics", 12,
            against="victoria-metrics"),
        Row("bulk: server CPU while loading", "ns/sample", median(results, lambda r: r.cpu_ns), "<= 60 ns", goal_value=60,
            higher_is_better=False),
        Row("bulk: server CPU until settled", "ns/sample", median(results, lambda r: r.cpu_settled_ns),
            higher_is_better=False),
        Row("bulk: server CPU until settled", "s", median(results, lambda r: r.cpu_settled_s), higher_is_better=False),
        Row("bulk: peak memory", "MiB", median(results, lambda r: r.peak / MIB), higher_is_better=False),
        Row("bulk: on disk when settled", "MB", median(results, lambda r: r.disk / 1e6), higher_is_better=False),
    ]


def remote_write(settings):
    steps = 432 if settings.quick else 4320

    def once(database):
        # Prometheus takes a tenth of what the others do: less data, the same rate. And one connection, because it
        # refuses a sample when another sender is an hour ahead.
        small = database is Prometheus
        return measure(settings, database, **data_flags(settings, "int", 400, max(steps // 8, 60) if small else steps,
                                                        protocol="remote_write", lines=1000,
                                                        connections=1 if small else 2))

    results = interleaved(settings, "remote write", chosen(settings, Varve, VictoriaMetrics, Prometheus), settings.rounds, once)
    return [Row("remote write, 10k samples a request", "M samples/s",
                median(results, lambda r: r.load["samples_per_s"] / 1e6), ">= 8 x VictoriaMetrics", 8,
                against="victoria-metrics")] + cost_rows("remote write", results)


def kairosdb(settings):
    steps = 500 if settings.quick else 4000
    rows = []
    results = interleaved(settings, "KairosDB JSON", [Varve], settings.rounds, lambda d: measure(
        settings, d, **data_flags(settings, "decimal", 400, steps, protocol="kairosdb", lines=1000, connections=2)))
    rows.append(Row("KairosDB JSON, 10k points a request: stored", "M samples/s",
                    median(results, lambda r: r.load["samples_per_s"] / 1e6), ">= 3 M samples/s", goal_value=3))
    rows.append(Row("KairosDB JSON: bytes taken in per second of server CPU", "MB/s",
                    median(results, lambda r: r.load["bytes"] / 1e6 / max(r.cpu_s, 1e-3))))
    return rows + cost_rows("KairosDB JSON", results)


def one_line(settings):
    rows = []
    seconds = 3 if settings.quick else 6
    for connections in (2, 64):
        flags = data_flags(settings, "int", 400, 500 * seconds, lines=1, connections=connections, seconds=seconds)
        results = interleaved(settings, f"one line a request, {connections} connections",
                              chosen(settings, Varve, VictoriaMetrics), settings.rounds,
                              lambda d, flags=flags: measure(settings, d, **flags))
        rows.append(Row(f"one line a request, {connections} connections", "thousand requests/s",
                        median(results, lambda r: r.load["requests_per_s"] / 1e3), ">= 2.5 x VictoriaMetrics", 2.5,
                        against="victoria-metrics"))
        rows.append(Row(f"one line, {connections} connections: p99", "ms",
                        median(results, lambda r: r.load["latency_us"]["p99"] / 1e3), higher_is_better=False))
        rows.append(Row(f"one line, {connections} connections: server CPU", "us/request",
                        median(results, lambda r: r.cpu_s * 1e6 / r.load["requests"]), higher_is_better=False))
    return rows


def durable_goal(connections):
    """Two clients that wait for each other's fsync are bound by the disk, whatever the database: no goal there."""
    return (">= 4 x InfluxDB", 4) if connections > 2 else ()


def durable(settings):
    rows = []
    seconds = 3 if settings.quick else 6
    for connections in (2, 64):
        flags = data_flags(settings, "int", 400, 200 * seconds, lines=1, connections=connections, seconds=seconds)
        results = interleaved(settings, f"one line, fsync before the answer, {connections} connections",
                              chosen(settings, DurableVarve, InfluxDb), settings.rounds,
                              lambda d, flags=flags: measure(settings, d, **flags))
        rows.append(Row(f"one line, storage.sync=always, {connections} connections", "thousand requests/s",
                        median(results, lambda r: r.load["requests_per_s"] / 1e3), *durable_goal(connections), against="influxdb"))
        rows.append(Row(f"one line, sync, {connections} connections: p99", "ms",
                        median(results, lambda r: r.load["latency_us"]["p99"] / 1e3), higher_is_better=False))
    return rows


def size(settings):
    """Varve's data are read back and compared, value by value, so that its size is that of exact data. Compared is what
    all have, the samples; what the default rollups add is a row of its own."""
    rows = []
    for kind, goal in (("int", 0.8), ("decimal", 0.9), ("mix", 0.6)):
        steps = (1440 if kind != "mix" else 960) if settings.quick else (8640 if kind != "mix" else 5760)
        sizes = {}
        peers = chosen(settings, Varve, VictoriaMetrics, QuestDb, InfluxDb) + (chosen(settings, ClickHouse) if kind != "mix" else [])
        for database in [Plain, *peers]:
            flags = data_flags(settings, kind, 400, steps, lines=10_000)
            if issubclass(database, Varve):
                flags["verify"] = 2
            name = database.name
            result = interleaved(settings, f"size of {kind}", [database], 1,
                                 lambda d, flags=flags: measure(settings, d, settle=True, **flags))
            if name in result:
                sizes[name] = result[name][0].disk / result[name][0].load["samples"]
        rolled_up = sizes.pop("varve")
        sizes = {"varve": sizes.pop("varve-plain"), **sizes}
        rows.append(Row(f"size when settled: {kind}", "B/sample", sizes, f"<= {goal} x VictoriaMetrics, exact", goal,
                        higher_is_better=False, against="victoria-metrics"))
        rows.append(Row(f"size when settled: {kind}, with three rollups", "B/sample", {"varve": rolled_up},
                        higher_is_better=False))
    return rows


def new_series(settings):
    hosts = 20_000 if settings.quick else 100_000
    flags = data_flags(settings, "new-series", hosts, 6, lines=10_000, connections=2)
    results = interleaved(settings, f"{hosts // 100 / 1000:g} M new series",
                          chosen(settings, Varve, VictoriaMetrics, QuestDb, InfluxDb), 1 if settings.quick else min(settings.rounds, 2),
                          lambda d: measure(settings, d, **flags))
    series = hosts * 10
    what = f"{series / 1e6:g} M new series"
    return [
        Row(f"{what}, 6 samples each", "s", median(results, lambda r: r.load["seconds"]), "<= 0.15 x VictoriaMetrics", 0.15,
            higher_is_better=False, against="victoria-metrics"),
        Row(f"{what}: peak memory above idle", "KiB/series",
            median(results, lambda r: (r.peak - r.idle) / 1024 / series), "<= 0.25 KiB", goal_value=0.25,
            higher_is_better=False),
        Row(f"{what}: longest answer", "ms", median(results, lambda r: r.load["latency_us"]["max"] / 1e3), "<= 250 ms",
            goal_value=250, higher_is_better=False),
        Row(f"{what}: longest time without any answer", "ms", median(results, lambda r: r.load["longest_gap_us"] / 1e3),
            higher_is_better=False),
    ]


def restart(settings):
    """kill -9, start, and the seconds until it is ready."""
    rows = []
    hosts = 20_000 if settings.quick else 100_000
    steps = 2500 if settings.quick else 25_000
    cases = [
        (f"restart after kill -9 with {hosts / 1e5:g} M series", "new-series", hosts, 2, 1.0 * hosts / 1e5),
        (f"restart after kill -9, {400 * steps * 10 / 1e6:g} M samples written", "int", 400, steps, 2.0 * steps / 25_000),
    ]
    for what, kind, host_count, step_count, goal in cases:
        def once(database, kind=kind, host_count=host_count, step_count=step_count):
            server = database(settings.directory)
            try:
                server.start()
                run_load(settings, server, **data_flags(settings, kind, host_count, step_count, lines=10_000))
                server.kill()
                return server.start()
            finally:
                server.close()
        results = interleaved(settings, what, [Varve], settings.rounds, once)
        rows.append(Row(what, "s", median(results, lambda r: r), f"<= {goal:g} s", goal_value=goal, higher_is_better=False))
    return rows


