# SPDX-License-Identifier: Apache-2.0
"""Scenarios of SNMP: devices polled and stored, beside what only polls; counters sealed and asked for, beside VictoriaMetrics."""

import json
import os
import time

from common import Row, interleaved, median
from databases import Varve, http_call
from settle import metric
from snmp_agents import Fleet, GoSnmp, Libsnmp, SnmpExporter

MIB = 1 << 20
COLUMNS = {"ifHCInOctets": 6, "ifHCOutOctets": 10, "ifHCInUcastPkts": 7, "ifHCOutUcastPkts": 11, "ifHCInMulticastPkts": 8,
           "ifHCOutMulticastPkts": 12, "ifHCInBroadcastPkts": 9, "ifHCOutBroadcastPkts": 13}
ERRORS = {"ifInErrors": 14, "ifOutErrors": 20}


def oidset(frequency_s):
    objects = [{"name": name, "oid": f"1.3.6.1.2.1.31.1.1.1.{n}", "type": "Counter64", "aggregate": True} for name, n in COLUMNS.items()]
    objects += [{"name": name, "oid": f"1.3.6.1.2.1.2.2.1.{n}", "type": "Counter32", "aggregate": True} for name, n in ERRORS.items()]
    return {"frequency": f"{frequency_s}s", "correlator": "ifName", "aggregates": ["1h", "1d"], "objects": objects}


class Poller(Varve):
    """A varve that polls a fleet."""

    def arguments(self):
        path = os.path.join(self.directory, "credentials.yaml")
        with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as f:
            f.write("default: {version: 2c, community: public}\n")
        return [*super().arguments(), f"--snmp.credentials={path}"]

    def poll(self, fleet, frequency_s):
        devices = {f"dev-{n}": {"address": fleet.address(n), "oidsets": ["Bench"]} for n in range(fleet.devices)}
        body = json.dumps({"oidsets": {"Bench": oidset(frequency_s)}, "devices": devices})
        status, answer = http_call(self.port, "POST", "/api/v1/snmp/import", body)
        if status != 200:
            raise RuntimeError(f"import: {status} {answer[:300]!r}")

    def histogram(self, name):
        """Upper bound in seconds → how many were at most that."""
        _, text = http_call(self.port, "GET", "/metrics")
        found = {}
        for line in text.decode().splitlines():
            if line.startswith(name + "_bucket"):
                bound = float(line.split('le="')[1].split('"')[0].replace("+Inf", "inf"))
                found[bound] = found.get(bound, 0) + float(line.rsplit(" ", 1)[1])
        if not found:
            raise RuntimeError(f"no histogram {name}")
        return found

    def results(self):
        return {result: metric_of(self, f'varve_snmp_polls_total{{result="{result}"}}') for result in ("ok", "timeout", "error", "skipped")}

    def stored(self, begin_ms, end_ms):
        """Samples of all ten objects in [begin, end)."""
        count = [{"name": "count", "sampling": {"value": 100, "unit": "years"}}]
        asked = [{"name": "snmp." + name, "aggregators": count} for name in (*COLUMNS, *ERRORS)]
        body = {"start_absolute": begin_ms, "end_absolute": end_ms - 1, "metrics": asked}
        status, answer = http_call(self.port, "POST", "/api/v1/datapoints/query", json.dumps(body))
        if status != 200:
            raise RuntimeError(f"query: {status} {answer[:300]!r}")
        return sum(value for query in json.loads(answer)["queries"] for result in query["results"] for _, value in result["values"])


def metric_of(database, name):
    """0 where it was never counted."""
    try:
        return metric(database, name)
    except RuntimeError:
        return 0.0


def quantile(before, after, share):
    """Of what came in between, in ms: the upper bound of its bucket, never less than it was."""
    counts = {bound: after[bound] - before.get(bound, 0) for bound in sorted(after)}
    total = max(counts.values())
    return next(bound for bound, count in counts.items() if count >= share * total) * 1000


class Polled:
    """What a poller did in a stretch of time, after every device was polled twice."""

    def __init__(self, settings, fleet, frequency_s, seconds, settle=False):
        server = Poller(settings.directory)
        try:
            server.start()
            server.poll(fleet, frequency_s)
            self.await_polls(server, 2 * (fleet.devices - fleet.silent), 20 * frequency_s + 60)
            results, late = server.results(), server.histogram("varve_snmp_lateness_seconds")
            objects, cpu, begin = metric(server, "varve_snmp_objects_total"), server.cpu_seconds(), time.time()
            time.sleep(seconds)
            objects, polled_s = metric(server, "varve_snmp_objects_total") - objects, time.time() - begin
            after = server.histogram("varve_snmp_lateness_seconds")
            self.results = {name: count - results[name] for name, count in server.results().items()}
            if settle:
                server.settle()
            self.cpu_s, self.resident = server.cpu_seconds() - cpu, server.memory("VmRSS")
            self.objects_per_cpu_s = objects / self.cpu_s
            self.core_percent = 100 * self.cpu_s / polled_s
            self.late_p99_ms, self.late_max_ms = quantile(late, after, 0.99), quantile(late, after, 1)
            # Whole periods: in each there is one poll of each device.
            periods = int((polled_s - 1) // frequency_s)
            first = int(begin * 1000) + 500
            wanted = (fleet.devices - fleet.silent) * fleet.interfaces * (len(COLUMNS) + len(ERRORS)) * periods
            self.lost_percent = 100 * (1 - server.stored(first, first + periods * frequency_s * 1000) / wanted) if wanted else 0.0
        finally:
            server.close()

    @staticmethod
    def await_polls(server, count, seconds):
        deadline = time.monotonic() + seconds
        while server.results()["ok"] < count:
            if time.monotonic() > deadline:
                raise RuntimeError(f"after {seconds} s there were {server.results()}, not {count} polls")
            time.sleep(0.2)

    def __str__(self):
        return (f"{self.objects_per_cpu_s / 1e6:.2f} M objects/CPU s, {self.core_percent:.1f} % of a core, late p99 {self.late_p99_ms:.0f} ms, "
                f"{self.resident / MIB:.0f} MiB, lost {self.lost_percent:.3f} %, {self.results}")


def snmp_polled(settings):
    seconds, devices, interfaces = (5, 200, 48) if settings.quick else (30, 1000, 48)
    with Fleet(settings, devices, interfaces) as fleet:
        def once(kind):
            if kind is Poller:
                return Polled(settings, fleet, 1, seconds)
            return kind.once(settings, fleet, min(seconds, 5))
        peers = [kind for kind in (Libsnmp, GoSnmp, SnmpExporter) if kind.name in settings.peers]
        found = interleaved(settings, f"{devices} x {interfaces} x 10 each second", [*peers, Poller], settings.rounds, once)
    rates = {name: value / 1e6 for name, value in median(found, lambda r: r.objects_per_cpu_s).items()}
    rows = [Row("snmp: polled and stored (others: polled)", "M/CPU s", rates, ">= 1.2 M, >= 0.5 x libsnmp", 0.5, 1.2, against="libsnmp")]
    if "snmp-exporter" in rates:
        rows.append(Row("snmp: beside snmp_exporter", "M/CPU s", {k: v for k, v in rates.items() if k in ("varve", "snmp-exporter")},
                        ">= 15 x snmp_exporter", 15, against="snmp-exporter"))
    own = found.get("varve", [])
    if own:
        rows += [Row("snmp: lost of what was polled", "%", {"varve": max(r.lost_percent for r in own)}, "none", goal_value=1e-9, higher_is_better=False),
                 Row("snmp: polls skipped", "", {"varve": max(r.results["skipped"] for r in own)}, "none", goal_value=1e-9, higher_is_better=False)]
    return rows


def shape_rows(what, polled):
    return [Row(f"snmp: {what}, CPU with sealing", "% of a core", {"varve": polled.core_percent}, "<= 30 %", goal_value=30, higher_is_better=False),
            Row(f"snmp: {what}, lateness p99", "ms", {"varve": polled.late_p99_ms}, "<= 100 ms", goal_value=100, higher_is_better=False)]


def snmp_wide(settings):
    """A hundred thousand interfaces every half minute, of few large devices and of many small ones."""
    scale, seconds = (10, 40) if settings.quick else (1, 150)
    rows, resident = [], {}
    for devices, interfaces in ((1000 // scale, 100), (10_000 // scale, 10)):
        with Fleet(settings, devices, interfaces) as fleet:
            polled = Polled(settings, fleet, 30, seconds, settle=True)
        settings.say(f"{devices} x {interfaces}: {polled}")
        resident[devices] = polled.resident
        rows += shape_rows(f"{devices} x {interfaces} x 10 / 30 s", polled)
    (few, at_few), (many, at_many) = resident.items()
    # As many series of interfaces in both; what is more is that of the devices, with three series of each.
    rows.append(Row("snmp: memory a device beside its interfaces", "KiB", {"varve": (at_many - at_few) / (many - few) / 1024}, "<= 8 KiB",
                    goal_value=8, higher_is_better=False))
    return rows


def snmp_dead(settings):
    devices, seconds = (1000, 40) if settings.quick else (10_000, 150)
    with Fleet(settings, devices, 10) as fleet:
        fleet.silence(devices // 10)
        polled = Polled(settings, fleet, 30, seconds, settle=True)
    settings.say(f"{devices // 10} of {devices} dead: {polled}")
    what = f"{devices // 10} of {devices} dead"
    return [*shape_rows(what, polled),
            Row(f"snmp: {what}, the latest poll", "ms", {"varve": polled.late_max_ms}, "<= 100 ms", goal_value=100, higher_is_better=False)]


