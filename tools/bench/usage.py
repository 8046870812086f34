# SPDX-License-Identifier: Apache-2.0
"""Scenarios of what network teams ask: the usage of a thousand interfaces over a day, and a month of one by esmond's REST."""

import json
import os
import random
import time
import urllib.parse

from common import DAY_MS, Row, run_load
from counters import HOUR_MS, STEP_MS, milliseconds
from databases import Varve, http_call

OBJECTS = ("ifHCInOctets", "ifHCOutOctets")


def requests_of(path, interfaces, start_ms, days):
    """KairosDB's JSON, a request for an interface and a day."""
    r = random.Random(5)
    with open(path, "w") as f:
        for n in range(interfaces):
            phase, value = r.randrange(STEP_MS), [r.randrange(1 << 40) for _ in OBJECTS]
            rates = [r.randrange(1000, 10_000_000) for _ in OBJECTS]
            for day in range(days):
                metrics = []
                for which, name in enumerate(OBJECTS):
                    points = []
                    for at in range(start_ms + day * DAY_MS, start_ms + (day + 1) * DAY_MS, STEP_MS):
                        value[which] += int(rates[which] * 30 * (0.5 + r.random()))
                        points.append([at + phase + r.randrange(10), value[which]])
                    metrics.append({"name": "snmp." + name, "datapoints": points,
                                    "tags": {"device": f"rtr{n // 48}", "interface": f"xe-0/0/{n % 48}", "oidset": "FastPollHC"}})
                body = json.dumps(metrics, separators=(",", ":"))
                f.write(f"POST /api/v1/datapoints {len(body)}\n{body}\n")
    return path


def asked(settings, interfaces, start_ms, days, path_of, check):
    """Milliseconds of a question, when everything is settled."""
    path = requests_of(os.path.join(settings.directory, "usage"), interfaces, start_ms, days)
    server = Varve(settings.directory)
    try:
        server.start()
        run_load(settings, server, queries=path, connections=2)
        server.settle()
        request = ("GET", path_of(start_ms), None)
        status, answer = http_call(server.port, *request)
        if status != 200:
            raise RuntimeError(f"{request[1]}: {status} {answer[:300]!r}")
        check(json.loads(answer))
        return milliseconds(server, request)
    finally:
        server.close()
        os.unlink(path)


def usage(settings):
    interfaces = 100 if settings.quick else 1000

    def check(answer):
        listed = answer["interfaces"]
        if len(listed) != interfaces or min(one["coverage"] for one in listed) < 0.99:
            raise RuntimeError(f"{len(listed)} interfaces: {json.dumps(listed)[:300]}")

    took = asked(settings, interfaces, settings.start_ms, 1,
                 lambda start: "/api/v1/snmp/usage?" + urllib.parse.urlencode({"begin": start // 1000, "end": (start + DAY_MS) // 1000, "agg": 300,
                                                                              "sort": "in.p95"}), check)
    return [Row(f"snmp: usage of {interfaces} interfaces over 24 h, sorted", "ms", {"varve": took}, "<= 150 ms", goal_value=150,
                higher_is_better=False)]


def esmond_month(settings):
    start = int(time.time() * 1000) // DAY_MS * DAY_MS - 31 * DAY_MS

    def check(answer):
        points = answer["data"]
        if len(points) < 720 or any(point["val"] is None for point in points[1:-1]):
            raise RuntimeError(json.dumps(points)[:300])

    took = asked(settings, 1, start, 30,
                 lambda start: f"/esmond/v2/timeseries/Aggs/snmp/rtr0/FastPollHC/ifHCInOctets/xe-0@2F0@2F0/{HOUR_MS}?"
                               f"begin={start}&end={start + 30 * DAY_MS - HOUR_MS}", check)
    return [Row("esmond: 30 d of one interface at 1 h", "ms", {"varve": took}, "<= 3 ms", goal_value=3, higher_is_better=False)]
