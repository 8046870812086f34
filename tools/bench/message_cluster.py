# SPDX-License-Identifier: Apache-2.0
"""Log messages on Cassandra: varve's cluster engine, and beside it one prepared INSERT a message into Contrail's table
messagetablev2 without its indexes, each on a node of its own, one after the other."""

import json
import os
import statistics
import subprocess
import sys
import time

from cluster import CASSANDRA_PORT, ClusterVarve, OnCassandra, cpu_seconds
from common import DAY_MS, Row, run_load
from databases import http_call
from messages import LogVarve, count_stored, log_flags

INSERTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrail_inserts.py")


class Inserts(OnCassandra):
    """The table alone: who writes into it is a process of its own, and not counted."""

    name, keyspace = "insert", "contrail"

    def start(self, seconds=120):
        self.start_node()

    def server_cpu(self):
        return cpu_seconds(self.node.pid())

    def load(self, settings, start, count):
        path = prepared(settings, start, count)
        subprocess.run([sys.executable, INSERTER, str(CASSANDRA_PORT), path], check=True)


class LogCluster(ClusterVarve):
    paths, syslog_port = {}, 0

    def load(self, settings, start, count):
        flags = {**log_flags(settings, LogVarve, "ndjson", count), "start": start}
        run_load(settings, self, **flags)


def prepared(settings, start, count):
    """A file with a message a line, among other lines."""
    path = os.path.join(settings.directory, "messages.ndjson")
    subprocess.run([settings.load, "--protocol=ndjson", f"--messages={count}", f"--start={start}", "--lines=5000",
                    "--connections=1", f"--dry={path}"], check=True, stderr=subprocess.DEVNULL)
    return path


def run_one(settings, kind, count):
    database = kind(settings.directory)
    try:
        settings.say(f"messages on Cassandra: {database.name} starts")
        database.start()
        warm = min(count, 300_000)
        # Warm: it is mostly Java, which is slow for its first minute.
        database.load(settings, settings.start_ms - 4 * DAY_MS, warm)
        database.settle()  # sealing these is not what the others cost
        before, began = database.server_cpu(), time.monotonic()
        database.load(settings, settings.start_ms, count)
        taken, seconds = database.server_cpu() - before, time.monotonic() - began
        database.settle()
        settled = database.server_cpu() - before
        hour = None
        if isinstance(database, LogCluster):
            found = count_stored(database, settings)
            if found != count:
                raise RuntimeError(f"varve has {found} messages, not {count}")
            hour = host_hour(settings, database)
        size = sum(size for name, size in database.bytes_by_table().items() if not name.startswith("messages_p"))
        settings.say(f"messages on Cassandra: {database.name}: {count / seconds:.0f} messages/s, {settled * 1e6 / count:.2f} us CPU")
        return {"taken": taken / count, "settled": settled / count, "size": size / (count + warm), "hour": hour}
    finally:
        database.close()


def host_hour(settings, database):
    """Milliseconds of a question for one host's hour, and how many rows it has."""
    start = (settings.start_ms + 12 * 3_600_000) * 1000
    body = json.dumps({"table": "MessageTable", "start_time": start, "end_time": start + 3_600_000_000 - 1,
                       "select_fields": ["MessageTS", "Source", "ModuleId", "Messagetype", "Level", "Xmlmessage"],
                       "where": [[{"name": "Source", "value": "web03", "op": 1}]]})
    times = []
    for _ in range(20):
        began = time.perf_counter()
        status, answer = http_call(database.port, "POST", "/analytics/query", body)
        times.append((time.perf_counter() - began) * 1000)
        if status != 200 or not json.loads(answer)["value"]:
            raise RuntimeError(f"a host's hour: {status} {answer[:300]!r}")
    return statistics.median(times[5:])


def log_cluster(settings):
    count = 60_000 if settings.quick else 1_000_000
    found = {kind.name: run_one(settings, kind, count) for kind in (LogCluster, Inserts)}

    def row(what, unit, pick, goal=0.0):
        return Row("messages on Cassandra: " + what, unit, {n: pick(one) for n, one in found.items()},
                   f"<= {goal} x an INSERT each" if goal else "", goal, higher_is_better=False)
    return [row("all servers' CPU, taking in", "us/message", lambda r: r["taken"] * 1e6),
            row("all servers' CPU, until sealed", "us/message", lambda r: r["settled"] * 1e6, 0.1),
            row("bytes after compaction, sealed", "B/message", lambda r: r["size"], 0.15),
            Row("messages on Cassandra: a host's hour", "ms", {"varve": found["varve"]["hour"]}, "<= 20 ms", goal_value=20,
                higher_is_better=False)]

