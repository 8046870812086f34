# SPDX-License-Identifier: Apache-2.0
"""ClickHouse as a peer: its engine in a process (chdb-core), for a server of today is in no package client. It has no line
protocol: it reads the same samples as a file of tab-separated values, which is a third of the text. Nothing of HTTP is in
its figures, neither of writes nor of questions."""

import json
import os
import subprocess

from common import FIELDS, by_field_and_host
from databases import Database
from newest import VERSIONS
from peers import python_with

CODEC = "Delta, T64('bit'), ZSTD(1)"  # the smallest of six that were tried with whole numbers

# The child's whole program: a line of JSON is a list of statements, and the answer what the last one said and how long each took.
CHILD = """
import json, sys, time
from chdb import session
store = session.Session(sys.argv[1])
for line in sys.stdin:
    try:
        took = []
        for sql in json.loads(line):
            begin = time.perf_counter()
            found = store.query(sql, "JSONCompactEachRow")
            text = found.bytes().decode() if hasattr(found, "bytes") else ""
            took.append(time.perf_counter() - begin)
        print(json.dumps({"text": text, "seconds": took}), flush=True)
    except Exception as e:
        print(json.dumps({"error": repr(e)[:500]}), flush=True)
"""


class ClickHouse(Database):
    name = "clickhouse"
    protocols = ("tsv",)

    def arguments(self):
        return [python_with("chdb-core", VERSIONS["clickhouse"]), "-c", CHILD, self.directory + "/store"]

    def start(self, seconds=120):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.arguments(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                                            cwd=self.directory)
        self.call("create database if not exists bench", "use bench")

    def call(self, *statements):
        self.process.stdin.write(json.dumps(statements) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"clickhouse ended; its log is {self.log_path}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"clickhouse: {answer['error']}")
        return answer

    def load(self, settings, flags):
        """As run_load(): what the generator would have sent, as a table of whole numbers or of doubles."""
        path, samples = samples_file(settings, flags)
        with open(path) as f:
            *names, _ = f.readline().split("\t")
        kind = f"Int64 codec({CODEC})" if flags["data"] == "int" else "Float64 codec(ZSTD(1))"
        columns = [f"{name} {kind if name in FIELDS else 'LowCardinality(String)'}" for name in names]
        self.call(f"create table cpu ({', '.join(columns)}, time DateTime64(3) codec(DoubleDelta, ZSTD(1))) "
                  "engine = MergeTree order by (hostname, time)")
        seconds = self.call(f"insert into cpu select * from file('{path}', 'TSVWithNames') settings max_insert_threads = 2")["seconds"][0]
        return {"samples": samples, "seconds": seconds, "samples_per_s": samples / seconds, "latency_us": {}}

    def settle(self):
        self.call("optimize table cpu final")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(60)

    def disk(self):
        text = self.call("select sum(bytes_on_disk) from system.parts where active and table = 'cpu'")["text"]
        return int(json.loads(text)[0])

    # --- questions

    def ask(self, q):
        rows = [json.loads(line) for line in self.call(statement(q))["text"].splitlines()]
        return by_field_and_host(q, rows, lambda second: int(second) * 1000)

    def median_ms(self, queries):
        seconds = sorted(self.call(*(statement(q) for q in queries))["seconds"])
        return 1000 * seconds[len(seconds) // 2]


def statement(q):
    columns = ", ".join(f"{q.aggregator}({f})" for f in q.fields)
    where = f"time >= {q.start // 1000} and time < {q.end // 1000}"
    begin = f"toUnixTimestamp(toStartOfInterval(time, interval {q.step // 1000} second)) as t"
    if q.hosts:
        hosts = ", ".join(f"'{h}'" for h in q.hosts)
        return f"select {begin}, {columns} from cpu where hostname in ({hosts}) and {where} group by t order by t"
    return f"select {begin}, hostname, {columns} from cpu where {where} group by t, hostname"


def samples_file(settings, flags):
    """(path, samples): made once of each data set of a run. Names of tags and fields, and `time`, stand in the first line."""
    path = os.path.join(settings.directory, f"{flags['data']}-{flags['hosts']}-{flags['steps']}.tsv")
    if not os.path.exists(path):
        command = [settings.load, "--url=127.0.0.1:1", f"--dry={path}.http", "--lines=10000"]
        command += [f"--{key}={flags[key]}" for key in ("data", "hosts", "steps", "start")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(path + ".http") as lines, open(path + ".new", "w") as out:
            for line in lines:
                if not line.startswith("cpu,"):
                    continue
                tags, fields, time = line[4:].split(" ")
                pairs = [pair.split("=") for pair in (tags + "," + fields).split(",")]
                if out.tell() == 0:
                    out.write("\t".join(name for name, _ in pairs) + "\ttime\n")
                out.write("\t".join(v.rstrip("i") if name in FIELDS else v for name, v in pairs) + f"\t{time[:13]}\n")
        os.unlink(path + ".http")
        os.rename(path + ".new", path)
    return path, int(flags["hosts"]) * int(flags["steps"]) * 10
