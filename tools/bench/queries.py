# SPDX-License-Identifier: Apache-2.0
"""TSBS-like queries through each database's own API, first compared answer by answer, then timed.

A query is (fields, hosts, aggregator, step, window). Buckets begin at whole steps and hold [begin, begin + step). PromQL
looks back from the last sample of a bucket over a little less than the step, which is the same set of samples."""

import contextlib
import json
import os
import random
import statistics
import struct
import urllib.parse
from dataclasses import dataclass

import questdb
from clickhouse import ClickHouse
from common import FIELDS, Row, data_flags, interleaved, run_load
from databases import InfluxDb, Prometheus, Varve, VictoriaMetrics, http_call
from ingest import chosen
from questdb import QuestDb

MINUTE, HOUR, SAMPLE_MS = 60_000, 3_600_000, 10_000
WARM_S = 0.5


@dataclass
class Query:
    fields: list
    hosts: list      # empty: all, and grouped by host
    aggregator: str  # max or avg
    step: int
    start: int
    end: int


# name: (fields, hosts, aggregator, step, window); hosts 0: all, by host
TYPES = {
    "single-groupby-1-1-1": (1, 1, "max", MINUTE, HOUR),
    "single-groupby-1-1-12": (1, 1, "max", MINUTE, 12 * HOUR),
    "single-groupby-1-8-1": (1, 8, "max", MINUTE, HOUR),
    "single-groupby-5-1-1": (5, 1, "max", MINUTE, HOUR),
    "single-groupby-5-1-12": (5, 1, "max", MINUTE, 12 * HOUR),
    "single-groupby-5-8-1": (5, 8, "max", MINUTE, HOUR),
    "cpu-max-all-1": (10, 1, "max", HOUR, 8 * HOUR),
    "cpu-max-all-8": (10, 8, "max", HOUR, 8 * HOUR),
    "double-groupby-1": (1, 0, "avg", HOUR, 12 * HOUR),
    "double-groupby-5": (5, 0, "avg", HOUR, 12 * HOUR),
    "double-groupby-all": (10, 0, "avg", HOUR, 12 * HOUR),
}


def make(name, count, hosts, start, end, seed=123):
    fields, host_count, aggregator, step, window = TYPES[name]
    chance = random.Random(seed)
    queries = []
    for _ in range(count):
        begin = start + chance.randrange((end - start - window) // step + 1) * step
        queries.append(Query(FIELDS[:fields], [f"host_{h}" for h in sorted(chance.sample(range(hosts), host_count))],
                             aggregator, step, begin, begin + window))
    return queries


# --- one database's language each: request(query) -> (method, path, body), answer(query, bytes) -> {(field, host): {begin: value}}

def kairos_request(q):
    unit = "minutes" if q.step == MINUTE else "hours"
    metrics = []
    for name in q.fields:
        metric = {"name": "cpu_" + name, "aggregators": [
            {"name": q.aggregator, "sampling": {"value": 1, "unit": unit}, "align_start_time": True}]}
        if q.hosts:
            metric["tags"] = {"hostname": q.hosts}
        else:
            metric["group_by"] = [{"name": "tag", "tags": ["hostname"]}]
        metrics.append(metric)
    body = json.dumps({"start_absolute": q.start, "end_absolute": q.end - 1, "metrics": metrics})
    return "POST", "/api/v1/datapoints/query", body


def kairos_answer(q, body):
    out = {}
    for name, one in zip(q.fields, json.loads(body)["queries"]):
        for result in one["results"]:
            host = "" if q.hosts else result["tags"]["hostname"][0]
            out[name, host] = {t: v for t, v in result["values"]}
    return out


def prom_request(q):
    names = "|".join("cpu_" + f for f in q.fields)
    selector = f'{{__name__=~"{names}"' if len(q.fields) > 1 else f'cpu_{q.fields[0]}{{'
    matchers = f'hostname=~"{"|".join(q.hosts)}"' if q.hosts else ""
    selector += ("," if len(q.fields) > 1 and matchers else "") + matchers + "}"
    over = f"{q.aggregator}_over_time({selector}[{q.step // 1000 - 1}s])"
    by = "__name__" if q.hosts else "__name__, hostname"
    # The last sample of the bucket that begins at t is at t + step - 10 s.
    shift = q.step - SAMPLE_MS
    parameters = urllib.parse.urlencode({"query": f"{q.aggregator}({over}) by ({by})", "start": (q.start + shift) / 1000,
                                         "end": (q.end - q.step + shift) / 1000, "step": q.step // 1000, "nocache": 1})
    return "GET", "/api/v1/query_range?" + parameters, ""


def prom_answer(q, body):
    out = {}
    for series in json.loads(body)["data"]["result"]:
        name = series["metric"].get("__name__", "cpu_" + q.fields[0]).removeprefix("cpu_")
        host = "" if q.hosts else series["metric"]["hostname"]
        out[name, host] = {round(t * 1000) - q.step + SAMPLE_MS: float(v) for t, v in series["values"]}
    return out


def influx_request(q):
    function = {"max": "max", "avg": "mean"}[q.aggregator]
    columns = ", ".join(f"{function}({f})" for f in q.fields)
    where = f"time >= {q.start}ms and time < {q.end}ms"
    if q.hosts:
        where = "(" + " or ".join(f"hostname = '{h}'" for h in q.hosts) + ") and " + where
    by = f"time({q.step // 1000}s)" + ("" if q.hosts else ", hostname")
    body = urllib.parse.urlencode({"db": "bench", "epoch": "ms", "q": f"SELECT {columns} FROM cpu WHERE {where} GROUP BY {by}"})
    return "POST", "/query", body


def influx_answer(q, body):
    out = {}
    for series in json.loads(body)["results"][0].get("series", []):
        host = "" if q.hosts else series["tags"]["hostname"]
        for i, name in enumerate(q.fields):
            out[name, host] = {row[0]: row[i + 1] for row in series["values"] if row[i + 1] is not None}
    return out


LANGUAGES = {"varve": (kairos_request, kairos_answer), "victoria-metrics": (prom_request, prom_answer),
             "prometheus": (prom_request, prom_answer), "influxdb": (influx_request, influx_answer),
             "questdb": (questdb.request, questdb.answer)}


def language(database):
    return LANGUAGES["varve" if isinstance(database, Varve) else database.name]


def ask(database, query):
    if isinstance(database, ClickHouse):
        return database.ask(query)
    make_request, read_answer = language(database)
    method, path, body = make_request(query)
    headers = {"Content-Type": "application/x-www-form-urlencoded" if path == "/query" else "application/json"}
    status, answer = http_call(database.port, method, path, body or None, headers)
    if status != 200:
        raise RuntimeError(f"{database.name} answers {status} to {path[:200]} {body[:500]}: {answer[:300]!r}")
    return read_answer(query, answer)


def difference(a, b):
    """"" if both answers have the same groups, buckets and values (averages up to the last digits)."""
    if a.keys() != b.keys():
        return f"other groups: {sorted(a.keys() ^ b.keys())[:3]}"
    for key, values in a.items():
        if values.keys() != b[key].keys():
            return f"{key}: other buckets: {sorted(values.keys() ^ b[key].keys())[:3]}"
        for t, v in values.items():
            if abs(v - b[key][t]) > 1e-9 * max(1.0, abs(v)):
                return f"{key} at {t}: {v} and {b[key][t]}"
    return ""


def able(database, name):
    # PromQL of Prometheus drops the metric's name in *_over_time: several metrics in one query are an error there.
    return database.name != "prometheus" or TYPES[name][0] == 1


def write_requests(settings, database, queries):
    path = os.path.join(settings.directory, "queries")
    with open(path, "wb") as f:
        for query in queries:
            method, target, body = language(database)[0](query)
            f.write(f"{method} {target} {len(body)}\n{body}\n".encode())
    return path


def time_type(settings, database, queries):
    if isinstance(database, ClickHouse):
        database.median_ms(queries)  # warm
        return database.median_ms(queries)
    return time_requests(settings, database, write_requests(settings, database, queries))


def time_requests(settings, database, path):
    """The median of the requests in the file, in ms, by one client and a warm server."""
    took = run_load(settings, database, queries=path, connections=1)["seconds"]  # warm
    # Servers take longer to reach their pace than the milliseconds that a small type takes.
    if took < WARM_S:
        run_load(settings, database, queries=path, connections=1, repeat=int(WARM_S / took) + 1)
    got = run_load(settings, database, queries=path, connections=1)
    return got["latency_us"]["p50"] / 1000


@contextlib.contextmanager
def cores_awake(settings):
    """Idle cores poll (the kernel's PM QoS) instead of sleeping. In a virtual machine a core takes longer to wake than a
    small question to answer, and whether it has to depends on where the kernel puts client and server."""
    try:
        file = open("/dev/cpu_dma_latency", "wb", buffering=0)
    except OSError as error:
        settings.say(f"queries: idle cores sleep, and small queries are timed with their waking: {error}")
        yield
        return
    with file:
        file.write(struct.pack("i", 0))
        yield


def queries(settings):
    hosts, steps = (100, 8640) if settings.quick else (400, 8640)
    end = settings.start_ms + steps * SAMPLE_MS
    databases, rows = [], []
    try:
        for kind in chosen(settings, Varve, VictoriaMetrics, QuestDb, ClickHouse, InfluxDb, Prometheus):
            def loaded(cls):
                database = cls(settings.directory)
                databases.append(database)
                database.start()
                how = {"protocol": "influx", "lines": 10_000}
                if database.protocols == ("remote_write",):  # Prometheus: see ingest.remote_write
                    how = {"protocol": "remote_write", "lines": 1000, "connections": 1}
                run_load(settings, database, **data_flags(settings, "int", hosts, steps, **how))
                database.settle()
                return "loaded and settled"
            if kind is Prometheus and not settings.quick:
                settings.say("queries: Prometheus takes about two minutes to load")
            interleaved(settings, "queries", [kind], 1, loaded)
        databases = [d for d in databases if d.process and d.process.poll() is None]
        with cores_awake(settings):
            for name in TYPES:
                rows.append(one_type(settings, databases, name, hosts, end))
    finally:
        for database in databases:
            database.close()
    return rows


def one_type(settings, databases, name, hosts, end):
    usable = [d for d in databases if able(d, name)]
    heavy = name.startswith("double")
    batch = make(name, 10 if heavy else 200, hosts, settings.start_ms, end)
    for query in batch[:3]:
        answers = {d.name: ask(d, query) for d in usable}
        for other in answers:
            fault = difference(answers["varve"], answers[other])
            if fault:
                raise RuntimeError(f"{name}: varve and {other} answer differently: {fault}")
    times = {d.name: [] for d in usable}
    for _ in range(settings.rounds):
        for database in usable:
            times[database.name].append(time_type(settings, database, batch))
    cells = {n: statistics.median(v) for n, v in times.items()}
    settings.say(f"queries: {name}: " + ", ".join(f"{n} {v:.2f} ms" for n, v in cells.items()))
    goal = 0.33 if name == "double-groupby-all" else 0 if heavy else 0.5
    return Row(f"query {name}", "ms p50", cells, f"<= {goal} x the best peer" if goal else "", goal, higher_is_better=False)
