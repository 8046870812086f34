# SPDX-License-Identifier: Apache-2.0
"""KairosDB's query language: varve's embedded engine beside a KairosDB on its own H2 and one on Cassandra, all with the same
samples. Each question is first answered by all of them and compared, which warms them up, and then timed in turns."""

import http.client
import json
import os
import random
import statistics
import time

from cluster import STEP_MS, KairosDb, ask, question, same
from common import DAY_MS, Row
from databases import Database, Varve, http_call

METRIC, ZONE = "load", "America/New_York"
FASTER = 20


class OnH2(KairosDb):
    name, port = "kairosdb-h2", 18500

    def start(self, seconds=120):
        return Database.start(self, seconds)

    def store(self):
        return f"""service.datastore: "org.kairosdb.datastore.h2.H2Module"
 datastore.h2.database_path: "{os.path.join(self.directory, 'h2db')}\""""


def points(host, start, steps):
    """A walk with two decimals; ten minutes in the middle are missing."""
    generator, value, out = random.Random(host), 5000, []
    for step in range(steps):
        value = min(10_000, max(0, value + generator.randint(-150, 150)))
        if not steps // 2 <= step < steps // 2 + 60:
            out.append([start + step * STEP_MS, value / 100])
    return out


def fill(database, start, hosts, steps):
    for host in range(hosts):
        body = [{"name": METRIC, "tags": {"host": f"host_{host}", "dc": f"dc_{host % 5}"}, "datapoints": points(host, start, steps)}]
        status, answer = http_call(database.port, "POST", "/api/v1/datapoints", json.dumps(body))
        if status != 204:
            raise RuntimeError(f"{database.name}: {status} {answer[:300]!r}")
    if isinstance(database, KairosDb):
        database.stored({"hosts": hosts, "metric": METRIC, "end": start + steps * STEP_MS})
    database.settle()


def windows(name, value=1, unit="hours", **more):
    return {"name": name, "sampling": {"value": value, "unit": unit}, "align_sampling": True, "align_start_time": True, **more}


def aggregators():
    """Every one of KairosDB, as a pipeline."""
    ranges = {name: [windows(name)] for name in ("avg", "sum", "min", "max", "count", "dev", "first", "last", "least_squares")}
    return {
        "raw": [], **ranges,
        "percentile": [windows("percentile", percentile=0.95)],  # of so few that KairosDB does not draw lots
        "gaps": [windows("gaps", unit="minutes")],
        "diff": [{"name": "diff"}],
        "rate": [{"name": "rate", "sampling": {"value": 1, "unit": "seconds"}}],
        "sampler": [{"name": "sampler", "unit": "minutes"}],
        "scale": [{"name": "scale", "factor": 1.5}],
        "div": [{"name": "div", "divisor": 3}],
        "sma": [{"name": "sma", "size": 10}],
        "trim": [{"name": "trim", "trim": "both"}],
        "filter": [{"name": "filter", "filter_op": "gt", "threshold": 50}],
        "score": [{"name": "score", "order": "ascending", "thresholds": [{"value": 25, "boundary": "superior"},
                                                                         {"value": 75, "boundary": "superior"}]}],
        "save_as": [windows("avg"), {"name": "save_as", "metric_name": "saved"}],
        "avg, scale, max": [windows("avg", unit="minutes"), {"name": "scale", "factor": 2}, windows("max")],
    }


def questions(hosts):
    """{what: (metric, what else stands in the question)}"""
    one, each = {"tags": {"host": ["host_7"]}}, {"group_by": [{"name": "tag", "tags": ["host"]}]}
    out = {}
    for name, pipeline in aggregators().items():
        for many, more in ((1, one), (hosts, each)):
            out[f"{name}, {many} series"] = ({"name": METRIC, "aggregators": pipeline, **more}, {})
    for unit in ("hours", "days", "months"):
        for many, more in ((1, one), (hosts, each), (hosts, {})):
            together = " together" if many == hosts and not more else ""
            out[f"sum by {unit} of a zone, {many} series{together}"] = (
                {"name": METRIC, "aggregators": [windows("sum", unit=unit)], **more}, {"time_zone": ZONE})
    groups = {
        "tag": {"name": "tag", "tags": ["dc"]},
        "time": {"name": "time", "group_count": 24, "range_size": {"value": 1, "unit": "hours"}},
        "value": {"name": "value", "range_size": 20},
        "bin": {"name": "bin", "bins": [25, 50, 75]},
    }
    for name, group in groups.items():
        for many, more in ((1, one), (hosts, {})):
            out[f"avg by {name}, {many} series"] = (
                {"name": METRIC, "aggregators": [windows("avg")], "group_by": [group], **more}, {})
    return out


def answer(database, metric, more, start):
    """By group and tags."""
    results = ask(database, [metric], start, start + DAY_MS, **more)["queries"][0]["results"]
    return {json.dumps([[g.get("group") for g in r.get("group_by", [])], {k: sorted(v) for k, v in r["tags"].items()}],
                       sort_keys=True): r["values"] for r in results}


# How long questions that take a millisecond are asked again: fifteen of those are over before the peers are at rest.
SHORT_S = 0.4


def milliseconds(database, metric, more, start, budget_s):
    """The median, over a connection that is kept, until the last byte; nobody parses."""
    body = question([metric], start, start + DAY_MS, **more).encode()
    connection = http.client.HTTPConnection("127.0.0.1", database.port, timeout=600)
    times, first = [], time.perf_counter()
    while True:
        began = time.perf_counter()
        if len(times) >= 3 and began - first > (SHORT_S if len(times) >= 15 else budget_s):
            break
        connection.request("POST", "/api/v1/datapoints/query", body, {"Content-Type": "application/json"})
        connection.getresponse().read()
        times.append((time.perf_counter() - began) * 1000)
    connection.close()
    return statistics.median(times)


def one_question(settings, databases, what, metric, more):
    answers = {database.name: answer(database, metric, more, settings.start_ms) for database in databases}
    wrong = [name for name, found in answers.items() if not found or not same(answers["varve"], found)]
    cells = {database.name: milliseconds(database, metric, more, settings.start_ms, 0.5 if settings.quick else 3)
             for database in databases}
    settings.say(f"{what}: " + ", ".join(f"{name} {ms:.2f} ms" for name, ms in cells.items())
                 + (f"; OTHER ANSWERS: {wrong}" if wrong else ""))
    if wrong:
        settings.faults.append(f"{what}: {', '.join(wrong)} answers other than varve")
        return Row(what, "ms", cells, higher_is_better=False)
    return Row(what, "ms", cells, f"<= 1/{FASTER} of each KairosDB", 1 / FASTER, higher_is_better=False)


def kairosdb_queries(settings):
    hosts, steps = (20, 2160) if settings.quick else (100, DAY_MS // STEP_MS)
    start, databases = settings.start_ms, []
    try:
        for kind in (Varve, OnH2, KairosDb):
            database = kind(settings.directory)
            databases.append(database)
            database.start()
            fill(database, start, hosts, steps)
            settings.say(f"{database.name} holds {hosts} series of {steps - 60} samples")
        rows = [one_question(settings, databases, what, *asked) for what, asked in questions(hosts).items()]
    finally:
        for database in databases:
            database.close()
    ratios = {row.what: 1 / row.ratio() for row in rows}
    least = min(ratios, key=ratios.get)
    settings.say(f"{sum(r >= FASTER for r in ratios.values())} of {len(ratios)} questions at least {FASTER} times as fast as the "
                 f"faster KairosDB; median {statistics.median(ratios.values()):.0f} times, least {ratios[least]:.1f} times: {least}")
    return rows
