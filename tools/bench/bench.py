#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares varve with VictoriaMetrics, InfluxDB and Prometheus on this machine: the same bytes, in turns, medians.

  ./dev bench                    everything (about 35 minutes on two cores)
  ./dev bench --quick            small data sets (about 6 minutes): for a look, not for a quotation
  ./dev bench --only=bulk,size   some scenarios
  ./dev bench --peers=today      beside the newest versions, and QuestDB and ClickHouse (builds what is missing, once: half an hour)
  ./dev bench --cluster          the cluster engine and KairosDB, each on a Cassandra (about 10 minutes)
  ./dev bench --kairosdb         KairosDB's query language, here and in a KairosDB on H2 and on Cassandra
  ./dev bench --messages         log messages, beside VictoriaLogs (about 20 minutes)
  ./dev bench --scale            long work: ten minutes at full speed, late samples, years, tenants (about 35 minutes; --quick: 8)
  ./dev bench --promql             PromQL, beside VictoriaMetrics and Prometheus (about 5 minutes)
  ./dev bench --snmp             devices polled and counters, beside libsnmp, gosnmp, snmp_exporter, VictoriaMetrics (about 20 minutes)
docs/internals/benchmarks.md says what each row means."""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cluster  # noqa: E402
import counters  # noqa: E402
import durability  # noqa: E402
import ingest  # noqa: E402
import kairosdb  # noqa: E402
import message_cluster  # noqa: E402
import message_queries  # noqa: E402
import messages  # noqa: E402
import micro  # noqa: E402
import newest  # noqa: E402
import promql  # noqa: E402
import queries  # noqa: E402
import scale  # noqa: E402
import settle  # noqa: E402
import snmp  # noqa: E402
import usage  # noqa: E402
from common import Settings  # noqa: E402
from clickhouse import ClickHouse  # noqa: E402
from databases import ALL, Database, Varve  # noqa: E402
from questdb import QuestDb  # noqa: E402
from snmp_agents import GoSnmp, Libsnmp, SnmpExporter  # noqa: E402
from victorialogs import VictoriaLogs  # noqa: E402

SCENARIOS = {
    "bulk": ingest.bulk,
    "remote_write": ingest.remote_write,
    "kairosdb": ingest.kairosdb,
    "one_line": ingest.one_line,
    "durable": ingest.durable,
    "size": ingest.size,
    "queries": queries.queries,
    "sealing": settle.sealing,
    "backlog": settle.backlog,
    "rollup_size": settle.rollup_size,
    "rollup_query": settle.rollup_query,
    "under_ingest": settle.under_ingest,
    "new_series": ingest.new_series,
    "restart": ingest.restart,
    "durability": durability.durability,
}
CLUSTER = {"cluster": cluster.cluster}
KAIROSDB = {"kairosdb_queries": kairosdb.kairosdb_queries}
MESSAGES = {
    "log_load": messages.log_load,
    "log_queries": message_queries.log_queries,
    "log_pushes": messages.log_pushes,
    "log_follow": messages.log_follow,
    "log_datagrams": messages.log_datagrams,
    "log_cluster": message_cluster.log_cluster,
}
SNMP = {
    "snmp_polled": snmp.snmp_polled,
    "snmp_wide": snmp.snmp_wide,
    "snmp_dead": snmp.snmp_dead,
    "usage": usage.usage,
    "esmond_month": usage.esmond_month,
    "counter_seal": counters.counter_seal,
    "counter_increase": counters.counter_increase,
    "counter_size": counters.counter_size,
}

SCALE = {name: getattr(scale, name) for name in ("sustained", "late", "backfill", "tenants", "month", "churn", "year", "idle")}

PROMQL = {"promql": promql.promql, "promql_memory": promql.promql_memory}

PEERS = [n for n in ALL if n != "varve"] + [peer.name for peer in (VictoriaLogs, Libsnmp, GoSnmp, SnmpExporter)]
NEWEST = [peer.name for peer in (QuestDb, ClickHouse)]  # Debian has none
DEBIAN = {"victoria-metrics": "victoria-metrics", "influxdb": "influxdb", "prometheus": "prometheus"}


def number(value):
    if value is None:
        return "-"
    magnitude = abs(value)
    return f"{value:.0f}" if magnitude >= 100 else f"{value:.1f}" if magnitude >= 10 else f"{value:.3g}"


def print_table(rows, out):
    columns = list(dict.fromkeys(name for row in rows for name in row.cells))
    out.write(f"\n{'what':58} {'unit':>12} " + " ".join(f"{c.replace('victoria-', 'vict.'):>12}" for c in columns)
              + f" {'ratio':>8}  goal\n")
    for row in rows:
        cells = " ".join(f"{number(row.cells.get(c)):>12}" for c in columns)
        ratio = row.ratio()
        reached = {True: "reached: ", False: "MISSED: ", None: ""}[row.reached()]
        out.write(f"{row.what:58.58} {row.unit:>12} {cells} {number(ratio) + ' x' if ratio else '-':>8}  "
                  f"{reached + row.goal if row.goal else ''}\n")
    goals = [r.reached() for r in rows if r.reached() is not None]
    out.write(f"{sum(goals)} of {len(goals)} goals reached. The ratio is varve's figure to the peer that the goal names, "
              "else to the best peer.\n")


def machine():
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} x {model}, {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def versions(names):
    """Of the databases that were compared, by name."""
    told = []
    for name in names:
        version = newest.VERSIONS.get(name) if Database.newest else None
        if name in DEBIAN and not Database.newest:
            version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", DEBIAN[name]], capture_output=True, text=True,
                                     check=False).stdout
        told += [f"{name} {version}"] if version else []
    return ", ".join(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--kairosdb", action="store_true")
    parser.add_argument("--messages", action="store_true")
    parser.add_argument("--snmp", action="store_true")
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--promql", action="store_true")
    parser.add_argument("--only", default="", help="comma separated: micro, " + ", ".join(SCENARIOS))
    parser.add_argument("--peers", default=",".join(n for n in PEERS), help="comma separated; '' for none; today: the newest "
                        "versions of all, instead of Debian's; today,questdb: of these")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", default="build", help="directory of the build")
    parser.add_argument("--directory", help="where the databases keep their data (a temporary directory)")
    parser.add_argument("--json", help="write every figure into this file")
    arguments = parser.parse_args()

    scenarios = (CLUSTER if arguments.cluster else KAIROSDB if arguments.kairosdb else MESSAGES if arguments.messages
                 else SNMP if arguments.snmp else SCALE if arguments.scale
                 else PROMQL if arguments.promql else SCENARIOS)
    wanted = [w for w in arguments.only.split(",") if w] or (["micro"] if scenarios is SCENARIOS else []) + [*scenarios]
    unknown = [w for w in wanted if w != "micro" and w not in scenarios]
    peers = [p for p in arguments.peers.split(",") if p]
    Database.newest = "today" in peers
    if Database.newest:
        peers.remove("today")
        peers = peers or PEERS + NEWEST
    unknown += [p for p in peers if p not in (PEERS + NEWEST if Database.newest else PEERS)]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    Varve.binary = os.path.join(arguments.build, "varve")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # so that each scenario ends its servers

    rows, budget, faults = [], [], []
    if arguments.directory:
        os.makedirs(arguments.directory, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="varve-bench-", dir=arguments.directory) as directory:
        settings = Settings(arguments.build, directory, arguments.quick, arguments.rounds, peers)
        settings.say(f"{machine()}; load {os.getloadavg()[0]:.1f}")
        for name in wanted:
            if name == "micro":
                budget = micro.print_budget(settings, sys.stdout)
                continue
            try:
                found = scenarios[name](settings)
                rows += found
                settings.say(f"{name}: " + "; ".join(f"{r.what} {number(r.cells.get('varve'))} {r.unit}" for r in found))
            except (RuntimeError, OSError, KeyError) as e:
                faults.append(f"{name}: {e}")
                settings.say(f"{name} FAILED: {e}")
        faults += settings.faults
    if rows:
        version = subprocess.run([Varve.binary, "version"], capture_output=True, text=True, check=False).stdout.strip()
        sys.stdout.write(f"\n{version} on {machine()}; medians of {arguments.rounds}"
                         f"{'; QUICK: small data sets, do not quote' if arguments.quick else ''}; {versions(dict.fromkeys(n for r in rows for n in r.cells))}")
        print_table(rows, sys.stdout)
    for fault in faults:
        print(f"failed: {fault}")
    if arguments.json:
        with open(arguments.json, "w") as f:
            json.dump({"machine": machine(), "quick": arguments.quick, "rounds": arguments.rounds, "budget": budget,
                       "failed": faults, "rows": [{**r.__dict__, "ratio": r.ratio(), "reached": r.reached()} for r in rows]},
                      f, indent=1)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
