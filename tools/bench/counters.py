# SPDX-License-Identifier: Apache-2.0
"""Scenarios of counters: the same samples as counters and as gauges, sealed; by how much they grew, and how large they are, beside
VictoriaMetrics. A day of a thousand counters, one sample every half minute, as a poller writes them."""

import http.client
import json
import os
import random
import statistics
import time
import urllib.parse

from common import DAY_MS, Row, interleaved, median, run_load
from databases import Plain, Varve, VictoriaMetrics, http_call

HOUR_MS, STEP_MS = 3_600_000, 30_000
LOG_CLOSED_S = 2  # within a second or so of a settle the log's files are closed, which frees their pages


def write_requests(path, start_ms, series, steps, field):
    """Influx lines, a request for each time: every device has its phase, and answers a few milliseconds later than asked."""
    r = random.Random(18)
    phases, rates = [r.randrange(STEP_MS) for _ in range(series)], [r.randrange(1000, 10_000_000) for _ in range(series)]
    values = [r.randrange(1 << 40) for _ in range(series)]
    with open(path, "w") as f:
        for step in range(steps):
            lines = []
            for i in range(series):
                values[i] += int(rates[i] * 30 * (0.5 + r.random()))
                lines.append(f"if,device=rtr{i} {field}={values[i]}i {start_ms + step * STEP_MS + phases[i] + r.randrange(10)}\n")
            body = "".join(lines)
            f.write(f"POST /write?precision=ms {len(body)}\n{body}\n")
    return path


class CounterLoad:
    """The server with these samples in their final form, and what they cost."""

    def __init__(self, settings, kind, path, samples, settle=True):
        self.server = kind(settings.directory)
        try:
            self.server.start()
            run_load(settings, self.server, queries=path, connections=1)
            before = self.server.threads_cpu_ns()
            if settle:
                self.server.settle()
                time.sleep(LOG_CLOSED_S)
            self.cpu_ns = (self.server.threads_cpu_ns() - before) / samples
            self.bytes = self.server.disk() / samples
        except BaseException:
            self.server.close()
            raise

    def __str__(self):
        return f"{self.cpu_ns:.0f} ns CPU a sample to settle, {self.bytes:.2f} bytes a sample"

    def close(self):
        self.server.close()
        return self


def shape(settings):
    return (100, 2880) if settings.quick else (1000, 2880)


def path_of(settings, field):
    series, steps = shape(settings)
    path = os.path.join(settings.directory, f"counters-{field}")
    if not os.path.exists(path):
        settings.say(f"preparing {series * steps} samples")
        write_requests(path, settings.start_ms, series, steps, field)
    return path, series * steps


def counter_seal(settings):
    """Sealing is what settling costs more than in a server without rollups. A name that ends in _total is a counter's."""
    costs = {}
    for field in ("octets_total", "octets"):
        path, samples = path_of(settings, field)
        found = interleaved(settings, f"sealing {field}", [Varve, Plain], settings.rounds,
                            lambda kind, p=path, n=samples: CounterLoad(settings, kind, p, n).close())
        cost = median(found, lambda r: r.cpu_ns)
        costs[field] = cost["varve"] - cost["varve-plain"]
    return [Row("counters: sealing, beside the same as gauges", "ns/sample", {"varve": costs["octets_total"], "as gauges": costs["octets"]},
                "<= 1.5 x as gauges", 1.5, higher_is_better=False, against="as gauges")]


def counter_size(settings):
    path, samples = path_of(settings, "octets_total")
    kinds = [Plain] + ([VictoriaMetrics] if "victoria-metrics" in settings.peers else [])
    found = interleaved(settings, "size of counters", kinds, 1, lambda kind: CounterLoad(settings, kind, path, samples).close())
    sizes = median(found, lambda r: r.bytes)
    return [Row("counters: a raw sample, settled", "bytes", {"varve": sizes.pop("varve-plain"), **sizes}, "<= 0.9 x VictoriaMetrics", 0.9,
                higher_is_better=False, against="victoria-metrics")]


def increase_of(server, start_ms):
    """{hour: increase} of all counters together, by the server's own language, and a way to ask for it again."""
    if isinstance(server, VictoriaMetrics):
        # What it calls the increase at a time is that of the hour before.
        question = urllib.parse.urlencode({"query": "sum(increase(if_octets_total[1h]))", "start": (start_ms + HOUR_MS) / 1000,
                                           "end": (start_ms + DAY_MS) / 1000, "step": "1h", "nocache": "1"})
        request = ("GET", f"/api/v1/query_range?{question}", None)
    else:
        steps = [{"name": "increase", "sampling": {"value": 1, "unit": "hours"}, "align_sampling": True}]
        # The end is a point in time: what grew until then.
        body = {"start_absolute": start_ms, "end_absolute": start_ms + DAY_MS, "metrics": [{"name": "if_octets_total", "aggregators": steps}]}
        request = ("POST", "/api/v1/datapoints/query", json.dumps(body))
    status, answer = http_call(server.port, *request)
    if status != 200:
        raise RuntimeError(f"{server.name}: {status} {answer[:300]!r}")
    answer = json.loads(answer)
    if isinstance(server, VictoriaMetrics):
        points = answer["data"]["result"][0]["values"]
        return {int(t * 1000) - HOUR_MS: float(v) for t, v in points}, request
    return dict(answer["queries"][0]["results"][0]["values"]), request


def milliseconds(server, request, seconds=3):
    connection, times, end = http.client.HTTPConnection("127.0.0.1", server.port), [], time.monotonic() + seconds
    while len(times) < 7 or time.monotonic() < end:
        begin = time.perf_counter()
        connection.request(*request)
        connection.getresponse().read()
        times.append((time.perf_counter() - begin) * 1000)
    connection.close()
    return statistics.median(times)


def asked(settings, kind, path, samples):
    load = CounterLoad(settings, kind, path, samples)
    try:
        answer, request = increase_of(load.server, settings.start_ms)
        took = milliseconds(load.server, request)
        settings.say(f"increase: {load.server.name}, {took:.2f} ms")
        return answer, took
    finally:
        load.close()


def counter_increase(settings):
    path, samples = path_of(settings, "octets_total")
    sealed, sealed_ms = asked(settings, Varve, path, samples)
    raw, raw_ms = asked(settings, Plain, path, samples)
    if raw != sealed or len(raw) != 24:
        raise RuntimeError(f"from samples and from windows the answers differ: {raw} {sealed}")
    peer = {}
    if "victoria-metrics" in settings.peers:
        theirs, took = asked(settings, VictoriaMetrics, path, samples)
        peer = {"victoria-metrics": took}
        # It does not split what crosses an hour.
        for hour, increase in sorted(theirs.items())[1:-1]:
            if abs(increase / raw[hour] - 1) > 0.02:
                raise RuntimeError(f"the answers for {hour} differ: {increase} and {raw[hour]}")
    series, what = shape(settings)[0], {"higher_is_better": False, "against": "victoria-metrics"}
    return [Row(f"counters: increase of {series} by hour, from samples", "ms", {"varve": raw_ms, **peer}, "<= 1 x VictoriaMetrics", 1, **what),
            Row(f"counters: increase of {series} by hour, sealed", "ms", {"varve": sealed_ms, **peer}, "<= 0.25 x VictoriaMetrics", 0.25, **what)]
