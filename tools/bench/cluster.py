# SPDX-License-Identifier: Apache-2.0
"""varve's cluster engine and KairosDB, each on a fresh Cassandra of its own, one after the other: what taking samples in
costs, how large they are, how long questions take."""

import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

from common import DAY_MS, Row, data_flags, run_load
from databases import TICKS, Database, Varve, disk_bytes, http_call

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cassandra"))
import cassandra  # noqa: E402

KAIROSDB = "1.3.0-1"
POM = f"""<project><modelVersion>4.0.0</modelVersion>
<groupId>varve</groupId><artifactId>kairosdb</artifactId><version>1</version><packaging>pom</packaging><dependencies>
<dependency><groupId>org.kairosdb</groupId><artifactId>kairosdb</artifactId><version>{KAIROSDB}</version></dependency>
<dependency><groupId>com.sun.jersey.contribs</groupId><artifactId>jersey-guice</artifactId><version>1.19.4</version>
<exclusions><exclusion><groupId>com.google.inject</groupId><artifactId>*</artifactId></exclusion>
<exclusion><groupId>com.google.inject.extensions</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>
<dependency><groupId>com.sun.xml.bind</groupId><artifactId>jaxb-core</artifactId><version>2.3.0</version></dependency>
</dependencies></project>
"""
CASSANDRA_PORT, REDIS_PORT = 18490, 18494
HEAP = "2g"
STEP_MS = 10_000
WARM_S = 120
# What KairosDB's own batches need, as its manual says.
BATCHES = "batch_size_warn_threshold: 5000KiB\nbatch_size_fail_threshold: 50000KiB\n"


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class OnCassandra(Database):
    """With a node and, where wanted, a Redis, which go with it."""

    keyspace = ""

    def start_node(self):
        self.cluster = cassandra.Cluster(os.path.join(self.directory, "cassandra"), 1, CASSANDRA_PORT, heap=HEAP,
                                         tied=True)
        node = self.cluster.nodes[0]
        node.configure()
        with open(node.folder / "cassandra.yaml", "a") as f:
            f.write(BATCHES)
        node.start()
        self.node = node

    def server_cpu(self):
        return self.cpu_seconds() + cpu_seconds(self.node.pid())

    def stored(self, expected):
        """Waits until all that was acknowledged stands in Cassandra."""

    def bytes_by_table(self):
        """On disk after a major compaction."""
        self.node.nodetool("flush", self.keyspace)
        self.node.nodetool("compact", self.keyspace)
        folder = self.node.folder / "data" / self.keyspace
        return {table.name.split("-")[0]: disk_bytes(table) for table in folder.iterdir()}

    def close(self):
        self.kill()
        if hasattr(self, "cluster"):
            self.cluster.stop(signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)


class ClusterVarve(OnCassandra):
    name, port, ready_path, keyspace = "varve", 18480, "/-/ready", "varve"

    def start(self, seconds=120):
        self.start_node()
        program = self.program("redis-server")
        self.redis = subprocess.Popen([program, "--port", str(REDIS_PORT), "--bind", "127.0.0.1", "--save", "",
                                       "--logfile", "/dev/null"], preexec_fn=cassandra.die_with_parent)
        done = subprocess.run([os.path.abspath(Varve.binary), "schema", "--apply", *self.keys()], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return super().start(seconds)

    @staticmethod
    def keys():
        return [f"--cassandra.hosts=127.0.0.1:{CASSANDRA_PORT}", f"--redis.url=redis://127.0.0.1:{REDIS_PORT}"]

    def arguments(self):
        return [os.path.abspath(Varve.binary), "serve", "--engine=cluster", *self.keys(),
                f"--http.listen=127.0.0.1:{self.port}", "--telnet.listen=", "--slots.quiet=10s", "--slots.period=2s"]

    def server_cpu(self):
        return super().server_cpu() + cpu_seconds(self.redis.pid)

    def settle(self):
        """Until no slot is pending; what wide windows wait for is not waited for."""
        deadline = time.monotonic() + 600
        while json.loads(http_call(self.port, "GET", "/api/v1/admin/slots")[1])["slots"]:
            if time.monotonic() > deadline:
                raise RuntimeError("slots stay pending")
            time.sleep(0.5)
        status, body = http_call(self.port, "POST", "/-/settle", b"")
        if status != 200:
            raise RuntimeError(f"settle: {status} {body[:300]!r}")

    def close(self):
        super().close()
        if hasattr(self, "redis"):
            self.redis.kill()
            self.redis.wait()


class KairosDb(OnCassandra):
    name, port, ready_path, keyspace = "kairosdb", 18496, "/api/v1/version", "kairosdb"

    def start(self, seconds=120):
        self.start_node()
        return super().start(seconds)

    def store(self):
        """What its configuration says of where it stores."""
        return f"""service.datastore: "org.kairosdb.datastore.cassandra.CassandraModule"
 datastore.cassandra.write_cluster.cql_host_list: ["127.0.0.1:{CASSANDRA_PORT}"]"""

    def arguments(self):
        folder = self.directory
        for sub in ("web", "cache"):
            os.makedirs(os.path.join(folder, sub), exist_ok=True)
        pathlib.Path(folder, "logback.xml").write_text(cassandra.LOGBACK.format(folder=folder).replace("INFO", "WARN"))
        pathlib.Path(folder, "kairosdb.conf").write_text(f"""kairosdb: {{
 telnetserver: {{ port: {self.port + 1}, address: "127.0.0.1" }}
 jetty: {{ port: {self.port}, address: "127.0.0.1", static_web_root: "{folder}/web" }}
 {self.store()}
 query_cache.cache_dir: "{folder}/cache"
 queue_processor.queue_path: "{folder}/queue"
 service.reporter: "<disabled>"
}}
""")
        opened = ["java.base/java.lang", "java.base/java.nio", "java.base/sun.nio.ch", "java.base/java.util",
                  "java.base/jdk.internal.ref", "java.base/jdk.internal.misc", "java.base/java.io", "java.base/java.net"]
        flags = [f"--add-{what}={name}=ALL-UNNAMED" for name in opened for what in ("opens", "exports")]
        return [cassandra.java(), *flags, f"-Xmx{HEAP}", "-Duser.timezone=UTC", "-Djava.net.preferIPv4Stack=true",
                f"-Dlogback.configurationFile={folder}/logback.xml",
                "-cp", f"{cassandra.maven('kairosdb-' + KAIROSDB, POM)}/*", "org.kairosdb.core.Main", "-c", "run",
                "-p", f"{folder}/kairosdb.conf"]

    def stored(self, expected):
        """It acknowledges what stands in its queue, whose end is stored last. Only that is counted until it is there: a
        count of everything costs more than storing it."""
        hosts, metric, end = expected["hosts"], expected["metric"], expected["end"]
        deadline = time.monotonic() + 1800
        while count(self, metric, end - 100_000, end) < hosts * 10:
            if time.monotonic() > deadline:
                raise RuntimeError("KairosDB has not stored everything")
            time.sleep(0.5)


def count(database, metric, start, end):
    body = ask(database, [{"name": metric, "aggregators": [
        {"name": "count", "sampling": {"value": 10, "unit": "years"}}]}], start, end)
    return sum(v for result in body["queries"][0]["results"] for _, v in result["values"])


def question(metrics, start, end, **more):
    return json.dumps({"start_absolute": start, "end_absolute": end - 1, "metrics": metrics, **more})


def ask(database, metrics, start, end, **more):
    status, body = http_call(database.port, "POST", "/api/v1/datapoints/query", question(metrics, start, end, **more))
    if status != 200:
        raise RuntimeError(f"{database.name}: {status} {body[:300]!r}")
    return json.loads(body)


QUERIES = {
    "24 h of one series, raw": {"name": "cpu_usage_user", "tags": {"hostname": ["host_7"]}},
    "24 h of 100 series, avg 1 h by host": {
        "name": "cpu_usage_user", "group_by": [{"name": "tag", "tags": ["hostname"]}],
        "aggregators": [{"name": "avg", "sampling": {"value": 1, "unit": "hours"}, "align_start_time": True}]},
}


def answers(database, metric, start):
    """Milliseconds until the answer is there, the median of warm ones; and what was answered, to be compared. To make
    sense of it is the asking program's work and not timed."""
    asked, times = question([metric], start, start + DAY_MS), []
    for _ in range(40):
        began = time.perf_counter()
        status, body = http_call(database.port, "POST", "/api/v1/datapoints/query", asked)
        times.append((time.perf_counter() - began) * 1000)
        if status != 200:
            raise RuntimeError(f"{database.name}: {status} {body[:300]!r}")
    results = {tuple(sorted((k, tuple(v)) for k, v in r["tags"].items() if k == "hostname")): r["values"]
               for r in json.loads(body)["queries"][0]["results"]}
    return statistics.median(times[20:]), results


def same(a, b):
    if a.keys() != b.keys():
        return False
    return all(len(a[k]) == len(b[k]) and all(x == y or (x[0] == y[0] and abs(x[1] - y[1]) <= 1e-9 * max(1, abs(x[1])))
                                              for x, y in zip(a[k], b[k])) for k in a)


def per_sample(settings, database, tables, samples):
    """Bytes: of what stays, of hot rows, which go after slots.hot_kept, and of rollups, which KairosDB has not."""
    sizes = {name: size / samples for name, size in tables.items()}
    settings.say(f"cluster: {database.name}: bytes a sample: "
                 + ", ".join(f"{name} {size:.3f}" for name, size in sorted(sizes.items()) if size >= 0.001))
    hot = sum(sizes.pop(name, 0) for name in ("data_raw_p_pt1h", "pending_journal"))
    rollups = sum(sizes.pop(name) for name in list(sizes) if name.startswith("data_pt") or name.startswith("data_p1d"))
    return {"size": sum(sizes.values()), "hot": hot, "rollups": rollups}


def load_until_stored(settings, database, metric, flags):
    """How many samples, and the seconds from the first request until all of them stand in Cassandra. That the generator
    prepares its requests before is not counted."""
    load = run_load(settings, database, **flags)
    ended = time.monotonic()
    database.stored({"hosts": flags["hosts"], "metric": metric, "end": flags["start"] + flags["steps"] * STEP_MS})
    return load["samples"], load["seconds"] + time.monotonic() - ended


def few_senders(settings, database, metric, flags):
    """Samples a second of two connections, requests of 10,000: what one after the other takes."""
    flags = {**flags, "lines": 1000, "connections": 2, "start": settings.start_ms - 5 * DAY_MS}
    samples, seconds = load_until_stored(settings, database, metric, flags)
    return samples / seconds


def warm_up(settings, database, metric, flags):
    """Both are mostly Java, which compiles itself for its first minutes. Sealing is warmed up, too. How many samples it
    took."""
    began, day, samples = time.monotonic(), 10, 0
    while samples == 0 or time.monotonic() - began < (10 if settings.quick else WARM_S):
        start = settings.start_ms - day * DAY_MS
        # Other values each time: what is the same in two days, Cassandra's compression would find.
        samples += load_until_stored(settings, database, metric, {**flags, "start": start, "seed": 1000 + day})[0]
        database.settle()
        day += 1
    return samples


def run_one(settings, kind, hosts, steps):
    database = kind(settings.directory)
    try:
        settings.say(f"cluster: {database.name} and its Cassandra start")
        database.start()
        flags = data_flags(settings, "decimal", hosts, steps, protocol="kairosdb", lines=500, connections=8)
        metric = "cpu_usage_guest_nice"  # the last one of each host
        warm = steps // 2
        warmed = warm_up(settings, database, metric, {**flags, "steps": warm})
        before = database.server_cpu()
        samples, seconds = load_until_stored(settings, database, metric, flags)
        cpu = database.server_cpu() - before
        found = count(database, metric, settings.start_ms, settings.start_ms + steps * STEP_MS)
        if found != hosts * steps:
            raise RuntimeError(f"{database.name} has {found} samples of {metric}, not {hosts * steps}")
        settings.say(f"cluster: {database.name}: {samples / seconds / 1e3:.0f} k samples/s stored, "
                     f"{cpu * 1e6 / samples:.2f} us CPU a sample")
        before = database.server_cpu()
        database.settle()
        settled = database.server_cpu() - before
        found = {what: answers(database, metric, settings.start_ms) for what, metric in QUERIES.items()}
        # The load that warmed it up stands there, too.
        tables = database.bytes_by_table()
        sizes = per_sample(settings, database, tables, samples + warmed)
        # Whole numbers, which say less, in the same series.
        whole = {**flags, "data": "int", "steps": warm, "start": settings.start_ms - 60 * DAY_MS}
        ints, _ = load_until_stored(settings, database, metric, whole)
        database.settle()
        more = {name: size - tables.get(name, 0) for name, size in database.bytes_by_table().items()}
        few = few_senders(settings, database, metric, {**flags, "steps": warm})
        return {"rate": samples / seconds, "few": few, "cpu": (cpu + settled) / samples, "ingest_cpu": cpu / samples, **sizes,
                "whole_size": per_sample(settings, database, more, ints)["size"], "answers": found}
    finally:
        database.close()


def cluster(settings):
    hosts, steps = 100, 2160 if settings.quick else 8640
    found = {kind.name: run_one(settings, kind, hosts, steps) for kind in (ClusterVarve, KairosDb)}
    for what in QUERIES:
        if not same(*(one["answers"][what][1] for one in found.values())):
            raise RuntimeError(f"the answers differ: {what}")

    def row(what, unit, pick, **more):
        return Row(what, unit, {name: pick(one) for name, one in found.items()}, **more)
    rows = [
        row("cluster: ingest, stored", "k samples/s", lambda r: r["rate"] / 1e3, goal=">= 20 x KairosDB", goal_ratio=20),
        row("cluster: ingest of two connections, 10,000 a request", "k samples/s", lambda r: r["few"] / 1e3,
            goal=">= 20 x KairosDB", goal_ratio=20),
        row("cluster: all servers' CPU, taking in", "us/sample", lambda r: r["ingest_cpu"] * 1e6, goal="<= 1/20 of KairosDB",
            goal_ratio=0.05, higher_is_better=False),
        row("cluster: all servers' CPU, until sealed and rolled up", "us/sample", lambda r: r["cpu"] * 1e6,
            goal="<= 2 us", goal_value=2, higher_is_better=False),
        row("cluster: on disk, sealed, with the index", "B/sample", lambda r: r["size"], goal="<= 0.1 x KairosDB",
            goal_ratio=0.1, higher_is_better=False),
        row("cluster: on disk, the same of whole numbers", "B/sample", lambda r: r["whole_size"], goal="<= 0.1 x KairosDB",
            goal_ratio=0.1, higher_is_better=False),
        row("cluster: on disk, with rollups", "B/sample", lambda r: r["size"] + r["rollups"],
            goal="<= 0.13 x KairosDB", goal_ratio=0.13, higher_is_better=False),
        Row("cluster: on disk, hot rows, which go after six hours", "B/sample", {"varve": found["varve"]["hot"]},
            higher_is_better=False),
    ]
    for what in QUERIES:
        rows.append(row(f"cluster: {what}", "ms", lambda r, what=what: r["answers"][what][0], goal="<= 0.1 x KairosDB",
                        goal_ratio=0.1, higher_is_better=False))
    return rows
