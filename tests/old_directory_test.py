# SPDX-License-Identifier: Apache-2.0
"""A directory that an older build wrote is opened, and answers as it did: before anything is written to it, after it has
taken more, and after its slots were merged and sealed again.

The archives in data/ were made by such builds: BINARY=OLDER_VARVE python3 tests/old_directory_test.py make FILE"""

import hashlib
import json
import os
import shutil
import sys
import tarfile
import unittest

from support.case import OwnServerCase
from support.logs import SECOND, Logs
from support.server import Server

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
T = 1_700_000_000_000 // 86_400_000 * 86_400_000  # a day's beginning, ms
HOUR = 3_600_000
MINUTE = 60_000
HOSTS = ("a", "b", "c")
CONFIG = {"raw.retention": "200y", "messages.retention": "200y", "rollups": "5m:200y,1h:200y,1d:200y",
          "counters": "*octets:1m"}


def lines(hours, value):
    """Influx lines of some hours, one a minute."""
    text = []
    for hour in hours:
        for t in range(T + hour * HOUR, T + (hour + 1) * HOUR, MINUTE):
            step = (t - T) // MINUTE
            for n, host in enumerate(HOSTS):
                text.append(f"net,host={host} load={value + (step * 7 + n) % 100 / 4},octets={step * 1000 + n}i,"
                            f"state=\"s{step % 5}\" {t}\n")
    return "".join(text)


def messages(hours, word):
    return [{"time": (T + hour * HOUR) * 1000 + i * SECOND, "source": f"host-{i % 7}", "module": "m", "level": i % 8,
             "text": f"{word} {i} of hour {hour}"} for hour in hours for i in range(50)]


def fill(server):
    """Sealed slots, one of them with late samples that were sealed again, and what is only in the log."""
    for tenant in ("default", "acme"):
        headers = {"X-Tenant": tenant}
        server.influx(lines(range(30), 1), headers=headers)
        Logs(server, tenant).put(*messages(range(0, 30, 5), "first"))
    server.settle()
    server.influx(lines([3, 4], 2))
    Logs(server).put(*messages([5, 6], "late"))
    server.settle()
    server.influx(lines([4, 31], 3), headers={"X-Tenant": "acme"})
    Logs(server, "acme").put(*messages([31], "last"))


def metric(name, aggregators=(), **more):
    return {"name": name, "group_by": [{"name": "tag", "tags": ["host"]}], "aggregators": list(aggregators), **more}


def by(aggregator, value, unit):
    return {"name": aggregator, "sampling": {"value": value, "unit": unit}, "align_start_time": True}


def answers(server):
    """What is asked of the directory, by tenant and question."""
    said = {}
    for tenant in ("default", "acme"):
        headers = {"X-Tenant": tenant}
        for name, what in {"samples": metric("net_load"), "texts": metric("net_state"),
                           "hours": metric("net_load", [by("sum", 1, "hours")]),
                           "days": metric("net_load", [by("max", 1, "days")]),
                           "growth": metric("net_octets", [by("increase", 1, "hours")])}.items():
            said[f"{tenant} {name}"] = server.query([what], T, T + 40 * HOUR, headers=headers)
        logs = Logs(server, tenant)
        said[f"{tenant} messages"] = logs.rows(start=T * 1000, end=(T + 40 * HOUR) * 1000)
        said[f"{tenant} word"] = logs.texts(start=T * 1000, end=(T + 40 * HOUR) * 1000, where=[[
            {"name": "Keyword", "value": "late", "op": 1}]])
    return said


def digest(answer):
    """A long answer is kept as its hash."""
    text = json.dumps(answer, sort_keys=True)
    return answer if len(text) < 300 else hashlib.sha256(text.encode()).hexdigest()


def make(archive):
    with Server(CONFIG) as server:
        fill(server)
        said = {question: digest(answer) for question, answer in answers(server).items()}
        server.kill()
        with tarfile.open(archive, "w:xz") as out:
            out.add(server.path, "data")
        with open(archive.replace(".tar.xz", ".json"), "w", encoding="utf-8") as out:
            json.dump(said, out, indent=1)


class Older(OwnServerCase):
    def open(self, name):
        server = self.new_server(CONFIG)
        with tarfile.open(os.path.join(DATA, name + ".tar.xz")) as archive:
            archive.extractall(server.root, filter="data")
        self.assertEqual(server.path, os.path.join(server.root, "data"))
        with open(os.path.join(DATA, name + ".json"), encoding="utf-8") as file:
            return server.start(), json.load(file)

    def check(self, server, wanted):
        said = answers(server)
        for question, answer in wanted.items():
            self.assertEqual(digest(said[question]), answer, question)

    def test_blocks_by_slot(self):
        """Run records of versions 1 and 2."""
        server, wanted = self.open("directory-runs-2")
        self.check(server, wanted)
        server.settle()
        self.check(server, wanted)
        server.influx(lines([3, 4], 2))  # the same again: what is old is merged with what is new
        server.settle()
        self.check(server, wanted)
        server.restart()
        self.check(server, wanted)
        self.assertEqual(server.request("DELETE", "/api/v1/metric/net_state").status, 204)
        self.assertEqual(server.query([metric("net_state")], T, T + 40 * HOUR)[0]["sample_size"], 0)
        self.check(server, {question: answer for question, answer in wanted.items() if question != "default texts"})


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2])
    else:
        unittest.main()
