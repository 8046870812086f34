# SPDX-License-Identifier: Apache-2.0
"""PromQL on a day of scrapes: 100 hosts, ten metrics, 15 seconds. Each kind of question is compared with the answer of
Prometheus 3 first (`--peers=today`), then timed. VictoriaMetrics is timed, but not compared: its rates extrapolate otherwise on purpose."""

import json
import math
import os
import random
import statistics
import urllib.parse
from dataclasses import dataclass

from common import Row, data_flags, interleaved, run_load
from databases import Database, Prometheus, Varve, VictoriaMetrics, http_call
from ingest import chosen
from queries import cores_awake, time_requests

MINUTE, HOUR, DAY = 60, 3600, 86_400
HOSTS, STEPS, STEP_MS = 100, 5760, 15_000


@dataclass
class Kind:
    query: str    # HOST, EIGHT: one host, a regular expression of eight
    span: int     # seconds, 0: an instant query
    step: int
    wide: bool    # all hosts


ONE = 'app_requests_total{hostname="HOST"}'
KINDS = {
    "latest of one": Kind('app_load{hostname="HOST"}', 0, 0, False),
    "rate of one, 1 h": Kind(f"rate({ONE}[5m])", HOUR, 15, False),
    "a day of one, raw": Kind('app_load{hostname="HOST"}[1d]', 0, 0, False),
    "subquery of one, 6 h": Kind(f"max_over_time(rate({ONE}[5m])[6h:1m])", 0, 0, False),
    "rate of 8, 12 h": Kind('rate(app_requests_total{hostname=~"EIGHT"}[5m])', 12 * HOUR, 60, True),
    "quantile over time of 8, 12 h": Kind('quantile_over_time(0.95, app_load{hostname=~"EIGHT"}[1h])', 12 * HOUR, 300, True),
    "sum of rates, 1 h": Kind("sum(rate(app_requests_total[5m]))", HOUR, 15, True),
    "sum of rates by region, 12 h": Kind("sum by (region) (rate(app_requests_total[5m]))", 12 * HOUR, 60, True),
    "max by region, 12 h": Kind("max by (region) (app_load)", 12 * HOUR, 60, True),
    "average of an hour, 24 h": Kind("avg by (region) (avg_over_time(app_load[1h]))", DAY - HOUR, HOUR, True),
    "sum of rates of an hour, 24 h": Kind("sum by (region) (rate(app_requests_total[1h]))", DAY - HOUR, 300, True),
    "topk of rates, 1 h": Kind("topk(5, rate(app_requests_total[5m]))", HOUR, 60, True),
    "quantile of all, 1 h": Kind("quantile(0.95, app_load)", HOUR, 15, True),
    "rate by rate, 1 h": Kind("rate(app_bytes_in_total[5m]) / on (hostname) rate(app_requests_total[5m])", HOUR, 15, True),
    "short rates by long ones, 1 h": Kind("sum(rate(app_requests_total[5m])) / sum(rate(app_requests_total[1h]))", HOUR, 60, True),
    "increase of a day": Kind("sum(increase(app_requests_total[1d]))", 0, 0, True),
}


def made(settings, kind, count, seed=321):
    """Requests of a kind, at random times within the day and of random hosts."""
    chance = random.Random(seed)
    begin, end = settings.start_ms // 1000, settings.start_ms // 1000 + DAY
    out = []
    for _ in range(count):
        hosts = [f"host_{h}" for h in sorted(chance.sample(range(HOSTS), 8))]
        query = kind.query.replace("HOST", hosts[0]).replace("EIGHT", "|".join(hosts))
        grid = kind.step or 15
        if kind.span:
            earliest = begin + HOUR
            start = earliest + chance.randrange(max(1, (end - earliest - kind.span) // grid + 1)) * grid
            out.append(("query_range", {"query": query, "start": start, "end": start + kind.span, "step": kind.step}))
        else:
            back = chance.randrange(HOUR // grid) * grid if "1d" not in kind.query else 0
            out.append(("query", {"query": query, "time": end - back}))
    return out


def answer(database, request):
    path, parameters = request
    status, body = http_call(database.port, "POST", f"/api/v1/{path}", urllib.parse.urlencode(parameters),
                             {"Content-Type": "application/x-www-form-urlencoded"})
    if status != 200:
        raise RuntimeError(f"{database.name} answers {status} to {parameters}: {body[:300]!r}")
    data = json.loads(body)["data"]
    return {json.dumps(one["metric"], sort_keys=True): [(t, float(v)) for t, v in one.get("values") or [one["value"]]]
            for one in data["result"]}


def difference(ours, theirs):
    """Numbers that agree to the eleventh digit are equal: the order of sums is nobody's promise."""
    if ours.keys() != theirs.keys():
        return f"other series: {sorted(ours.keys() ^ theirs.keys())[:2]}"
    for name, values in ours.items():
        if [t for t, _ in values] != [t for t, _ in theirs[name]]:
            return f"{name}: other times"
        for (t, a), (_, b) in zip(values, theirs[name]):
            if not (a == b or abs(a - b) <= 1e-11 * max(abs(a), abs(b)) or (math.isnan(a) and math.isnan(b))):
                return f"{name} at {t}: {a} and {b}"
    return ""


def time_kind(settings, database, requests):
    path = os.path.join(settings.directory, "promql")
    with open(path, "wb") as f:
        for name, parameters in requests:
            # VictoriaMetrics is told not to cache; to the others it means nothing.
            f.write(f"GET /api/v1/{name}?{urllib.parse.urlencode({**parameters, 'nocache': 1})} 0\n\n".encode())
    return time_requests(settings, database, path)


def loaded(settings, cls, **flags):
    database = cls(settings.directory)
    try:
        database.start()
        # Prometheus refuses samples when another sender is an hour ahead: see ingest.remote_write.
        how = {"lines": 1000, "connections": 1} if cls is Prometheus else {"lines": 10_000}
        run_load(settings, database, **data_flags(settings, "mix", flags.pop("hosts", HOSTS), flags.pop("steps", STEPS),
                                                  protocol="remote_write", **how))
        database.settle()
        return database
    except BaseException:
        database.close()
        raise


def promql(settings):
    databases, rows = [], []
    try:
        for kind in chosen(settings, Varve, VictoriaMetrics, Prometheus):
            def once(cls):
                databases.append(loaded(settings, cls))
                return "loaded and settled"
            interleaved(settings, "promql", [kind], 1, once)
        with cores_awake(settings):
            rows += [one_kind(settings, databases, name, kind) for name, kind in KINDS.items()]
        rows.append(cost_of_a_sample(settings, databases[0]))
    finally:
        for database in databases:
            database.close()
    ratios = [row.ratio() for row in rows if row.ratio()]
    if ratios:
        mean = math.exp(statistics.fmean(math.log(r) for r in ratios))
        rows.append(Row(f"promql: {len(ratios)} kinds, by the faster peer", "x geometric", {"varve": mean}, "<= 0.5", goal_value=0.5,
                        higher_is_better=False))
    return rows


def one_kind(settings, databases, name, kind):
    requests = made(settings, kind, 20 if kind.wide else 200)
    # Before 3.0 a range had its left edge, too: Debian's is timed, not compared.
    reference = next((d for d in databases if isinstance(d, Prometheus) and Database.newest), None)
    for request in requests[:3] if reference else []:
        fault = difference(answer(databases[0], request), answer(reference, request))
        if fault:
            raise RuntimeError(f"{name}: varve and Prometheus answer {request[1]['query']} differently: {fault}")
    times = {d.name: [] for d in databases}
    for _ in range(settings.rounds):
        for database in databases:
            times[database.name].append(time_kind(settings, database, requests))
    cells = {n: statistics.median(v) for n, v in times.items()}
    settings.say(f"promql: {name}: " + ", ".join(f"{n} {v:.2f} ms" for n, v in cells.items()))
    goal = 0.33 if kind.wide else 0.8
    return Row(f"promql {name}", "ms p50", cells, f"<= {goal} x the faster peer", goal, higher_is_better=False)


def cost_of_a_sample(settings, varve):
    """sum(rate(x[5m])) over the whole day: each sample is in twenty windows."""
    begin = settings.start_ms // 1000
    request = ("query_range", {"query": "sum(rate(app_requests_total[5m]))", "start": begin, "end": begin + DAY, "step": 15})
    answer(varve, request)
    before, repeats = varve.cpu_seconds(), 10
    for _ in range(repeats):
        answer(varve, request)
    ns = (varve.cpu_seconds() - before) * 1e9 / (repeats * HOSTS * STEPS)
    return Row("promql: CPU of a sample read by sum(rate(x[5m]))", "ns", {"varve": ns}, "<= 6", goal_value=6, higher_is_better=False)


def promql_memory(settings):
    """sum(rate(x[5m])) of 10,000 series over an hour: nobody holds the matrix."""
    varve = loaded(settings, Varve, hosts=10_000, steps=240)
    try:
        varve.stop()
        varve.start()
        begin = settings.start_ms // 1000
        idle = varve.memory("VmRSS")
        answer(varve, ("query_range", {"query": "sum(rate(app_requests_total[5m]))", "start": begin, "end": begin + HOUR, "step": 15}))
        mib = (varve.memory("VmHWM") - idle) / 2**20
    finally:
        varve.close()
    return [Row("promql: memory above idle, sum(rate()) of 10,000 series", "MiB", {"varve": mib}, "<= 64", goal_value=64,
                higher_is_better=False)]
