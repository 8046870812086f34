# SPDX-License-Identifier: Apache-2.0
"""docs/start/logs.md, pasted from its first to its last command: on one server, in this order, with nothing else done."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

import syslog_clients_test
from support import pypi
from support.case import OwnServerCase
from support.client import wait_until
from support.cluster import die_with_parent
from support.documents import DOCS
from support.logs import Logs
from support.server import BINARY, free_port

OTEL = "1.37.0"


class Page(OwnServerCase):
    file = syslog_clients_test.Daemons.file
    rsyslog = syslog_clients_test.Daemons.rsyslog

    def test_the_page(self):
        tcp, udp = free_port(), free_port()
        self.server = self.new_server({"syslog.tcp": f"127.0.0.1:{tcp}", "syslog.udp": f"127.0.0.1:{udp}"}).start()
        self.ports = {"8080": str(self.server.port), "5514": str(tcp)}
        text = (DOCS / "start/logs.md").read_text(encoding="utf-8")
        done = []
        for language, block in re.findall(r"^```([\w-]*)\n(.*?)^```", text, re.M | re.S):
            block = re.sub(r"\b(8080|5514)\b", lambda found: self.ports[found[0]], block)
            with self.subTest(block):
                if language not in ("rsyslog-tls", "syslog-ng"):  # syslog_clients_test runs these
                    getattr(self, f"run_{language or 'plain'}")(block)
            done.append(language)
        self.assertEqual(sorted(set(done)), ["", "follow", "python", "rsyslog", "rsyslog-tls", "sh", "syslog-ng", "yaml"])
        sources = {(row["Source"], row["ModuleId"]) for row in Logs(self.server).rows(["Source", "ModuleId"])}
        self.assertLessEqual({("web-1", "shop"), ("web-1", "cart"), ("web-2", "nginx")}, sources)
        self.assertLessEqual({"page", "fan"}, {module for _, module in sources})

    def run_plain(self, block):
        """How it is started, with keys that there are, and pip."""
        if block.startswith("pip "):
            self.packages = block.split()[2:]
            return
        self.assertTrue(block.startswith("varve serve "))
        for flag in re.findall(r"--(\S+)=", block):
            self.assertIn(flag, ("storage.path", *self.server.config))

    def shell(self, block):
        varve = f'varve() {{ "{BINARY}" "$@" --url http://127.0.0.1:{self.ports["8080"]}; }}\n'
        return varve + re.sub(r"\bcurl ", "curl -fsS ", block)

    def run_sh(self, block):
        for line in block.splitlines():
            done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", self.shell(line)], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), line)
            if line.startswith("varve") or "/analytics/query" in line:
                self.assertIn("user.name" if "--fields" in line else "payment timeout" if "count" not in line else '"count":', done.stdout, line)
            if line.startswith("logger"):
                wait_until(lambda: any("rack 7" in text for text in Logs(self.server).texts()), 20, "logger's message")

    def run_rsyslog(self, block):
        child = self.rsyslog("page", "", more=block)
        child.send(b"<30>Oct  3 10:11:12 page[42]: of the machine")
        now = time.strftime("%b %e %H:%M:%S").encode()
        child.send(b"<30>" + now + b" page[42]: of the machine")
        wait_until(lambda: any("of the machine" in (row["Xmlmessage"] or "") for row in Logs(self.server).rows()), 30, "rsyslog's message")
        child.stop()

    def run_python(self, block):
        folder = pypi.fetch(f"opentelemetry-{OTEL}", *[f"{name}=={OTEL}" for name in self.packages])
        done = subprocess.run([sys.executable, "-c", block], timeout=120, check=False, env={**os.environ, "PYTHONPATH": str(folder)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("order 7 cannot be paid", Logs(self.server).texts())

    def run_yaml(self, block):
        """What Grafana asks: when the data source is saved, and for the questions that the page shows."""
        url = re.search(r"\burl: (\S+)", block)[1]
        self.assertEqual((url, re.search(r"\btype: (\S+)", block)[1]), (f"http://127.0.0.1:{self.server.port}", "loki"))

        def asked(path, **parameters):
            answer = self.server.get(f"/loki/api/v1/{path}?{urllib.parse.urlencode(parameters)}")
            self.assertEqual(answer.status, 200, answer)
            return answer.json()["data"]
        self.assertEqual(asked("query", query="vector(1)+vector(1)")["result"][0]["value"][1], "2")
        self.assertIn("source", asked("labels"))
        page = (DOCS / "start/logs.md").read_text(encoding="utf-8")
        questions = re.findall(r"`(\{source.*?)`", page)
        self.assertEqual(len(questions), 2)
        for question, expected in zip(questions, ({"payment timeout after 30s", "upstream timed out", "order 7 cannot be paid"}, {"upstream timed out"}), strict=True):
            now = time.time_ns()
            streams = asked("query_range", query=question, start=now - 3600 * 10**9, end=now + 10**9, limit=1000, direction="backward")["result"]
            self.assertEqual({value[1] for stream in streams for value in stream["values"]}, expected)

    def run_follow(self, block):
        process = subprocess.Popen(["bash", "-eu", "-c", self.shell(block).replace(f'"{BINARY}"', f'exec "{BINARY}"')],
                                   stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.addCleanup(process.kill)
        wait_until(lambda: self.server.metric("varve_followers") == 1, 20, "it follows")
        Logs(self.server).put({"source": "h", "level": "info", "text": "not so bad"}, {"source": "h", "level": "crit", "text": "the roof is on fire"})
        patience = threading.Timer(60, process.kill)
        patience.start()
        with process.stdout:
            line = next((line for line in process.stdout if " h: " in line), "nothing came")
        patience.cancel()
        self.assertIn("the roof is on fire", line)
        process.send_signal(signal.SIGINT)
        process.wait(20)


if __name__ == "__main__":
    unittest.main()
