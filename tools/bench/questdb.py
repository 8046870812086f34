# SPDX-License-Identifier: Apache-2.0
"""QuestDB as a peer: line protocol and SQL, from Maven. It acknowledges when its log is written, and applies that log to the
tables a little later; its files are compressed when somebody converts partitions to Parquet."""

import datetime
import json
import os
import time
import urllib.parse

from common import by_field_and_host
from databases import Database, http_call
from newest import VERSIONS
from peers import jar

WAIT_S = 300


class QuestDb(Database):
    name, port, ready_path = "questdb", 18510, "/ping"
    protocols = ("influx",)

    def arguments(self):
        os.makedirs(self.directory + "/conf", exist_ok=True)
        with open(self.directory + "/conf/server.conf", "w") as f:
            f.write(f"http.bind.to=127.0.0.1:{self.port}\nhttp.min.net.bind.to=127.0.0.1:18511\n"
                    "line.tcp.net.bind.to=127.0.0.1:18512\npg.net.bind.to=127.0.0.1:18513\ntelemetry.enabled=false\n"
                    "line.http.max.recv.buffer.size=1G\ncairo.partition.encoder.parquet.compression.codec=ZSTD\n")
        return ["env", "QDB_LOG_W_STDOUT_LEVEL=ERROR", "java", "-p", jar("org.questdb", "questdb", VERSIONS["questdb"]), "-Xmx3g",
                "-XX:+UseParallelGC", "-m", "io.questdb/io.questdb.ServerMain", "-d", self.directory]

    def sql(self, text):
        status, body = http_call(self.port, "GET", "/exec?" + urllib.parse.urlencode({"query": text}))
        if status != 200:
            raise RuntimeError(f"questdb {status}: {body[:300]!r}")
        return json.loads(body).get("dataset", [])

    def until(self, done):
        end = time.monotonic() + WAIT_S
        while not done():
            if time.monotonic() > end:
                raise RuntimeError("questdb is not done after five minutes")
            time.sleep(0.02)

    def tables(self):
        return [row[0] for row in self.sql("select name from wal_tables()")]

    def settle(self):
        """Until what is in its log is in its tables. Questions for some hosts get the index that its own benchmark has."""
        self.until(lambda: all(row[0] == row[1] for row in self.sql("select writerTxn, sequencerTxn from wal_tables()")))
        for table in self.tables():
            columns = self.sql(f"select \"column\", indexed from table_columns('{table}')")
            if ["hostname", False] in columns:
                self.sql(f"alter table {table} alter column hostname add index")
        self.until(lambda: all(row[0] == row[1] for row in self.sql("select writerTxn, sequencerTxn from wal_tables()")))

    def disk(self):
        """As Parquet with ZSTD; as they are written, its columns are not compressed at all."""
        total = 0
        for table in self.tables():
            self.sql(f"alter table {table} convert partition to parquet where timestamp >= 0")
            sizes = f"select isParquet, parquetFileSize from table_partitions('{table}')"
            self.until(lambda sizes=sizes: all(row[0] for row in self.sql(sizes)))
            total += sum(row[1] for row in self.sql(sizes))
        return total


def iso(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def request(q):
    columns = ", ".join(f"{q.aggregator}({f})" for f in q.fields)
    where = f"timestamp >= '{iso(q.start)}' and timestamp < '{iso(q.end)}'"
    by = f"sample by {q.step // 60_000}m"
    if q.hosts:
        hosts = ", ".join(f"'{h}'" for h in q.hosts)
        sql = f"select timestamp, {columns} from cpu where hostname in ({hosts}) and {where} {by}"
    else:
        sql = f"select timestamp, hostname, {columns} from cpu where {where} {by}"
    return "GET", "/exec?" + urllib.parse.urlencode({"query": sql}), ""


def answer(q, body):
    def begin_ms(text):
        return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)
    return by_field_and_host(q, json.loads(body)["dataset"], begin_ms)
