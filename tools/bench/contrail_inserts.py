# SPDX-License-Identifier: Apache-2.0
"""Writes log messages into Contrail's table messagetablev2 without its indexes, one prepared INSERT each:
contrail_inserts.py PORT FILE, where lines of the file that begin with {"time" are messages."""

import json
import os
import sys
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests"))
from support import pypi  # noqa: E402

DRIVER = "3.29.2"
TABLE = """CREATE TABLE contrail.messagetablev2 (key int, key2 int, column1 int, column2 uuid, column3 text, column4 text,
column5 text, column6 text, column7 text, column8 text, column9 text, column10 text, column11 text, column12 text, column13 int,
column14 text, column15 int, column16 text, column17 text, column18 int, value text,
PRIMARY KEY ((key, key2), column1, column2))"""
T1_BITS = 23  # of the microseconds, below the row's T2
PARTITIONS = 15



def insert_all(port, path):
    from cassandra.cluster import Cluster
    from cassandra.concurrent import execute_concurrent_with_args
    session = Cluster(["127.0.0.1"], port=port).connect()
    session.execute("CREATE KEYSPACE IF NOT EXISTS contrail WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.execute(TABLE.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
    names = ["key", "key2", *(f"column{i}" for i in range(1, 19)), "value"]
    insert = session.prepare(f"INSERT INTO contrail.messagetablev2 ({', '.join(names)}) VALUES "
                             f"({', '.join('?' * len(names))}) USING TTL 2592000")
    with open(path, encoding="utf-8", newline="\n") as f:
        rows = (row_of(json.loads(line)) for line in f if line.startswith('{"time"'))
        for done, error in execute_concurrent_with_args(session, insert, rows, concurrency=200, results_generator=True):
            if not done:
                raise error


def row_of(m):
    t2, t1 = m["time"] >> T1_BITS, m["time"] & (1 << T1_BITS) - 1
    objects = [f"{t2}:{o}" for o in m.get("objects", [])]
    objects += [None] * (6 - len(objects))
    return (t2, hash((m["source"], m["module"])) % PARTITIONS, t1, uuid.uuid4(), f"{t2}:{m['source']}", f"{t2}:{m['type']}",
            f"{t2}:{m['module']}", *objects, m["ip"], m["pid"], m.get("category"), m["level"], m.get("node_type"),
            m.get("instance"), m.get("sequence"), m["text"])


if __name__ == "__main__":
    with pypi.importable(pypi.fetch(f"cassandra-driver-{DRIVER}", f"cassandra-driver=={DRIVER}")):
        insert_all(int(sys.argv[1]), sys.argv[2])
