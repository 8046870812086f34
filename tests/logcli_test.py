# SPDX-License-Identifier: Apache-2.0
"""logcli itself, Loki's command line, as it is: lines, metrics, labels, streams, volumes, fields and the tail.
./dev test --faults logcli builds it, which takes minutes; where it was built once, the normal run has it, too."""

import json
import os
import signal
import subprocess
import threading
import time
import unittest

from support import golang
from support.case import ServerCase
from support.client import wait_until

VERSION = "v3.4.2"
SECOND = 1_000_000_000  # ns
T = time.time_ns() // SECOND * SECOND - 1800 * SECOND
COUNT = 2500  # lines, which are more than two of logcli's batches
START = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(T // SECOND - 60))
END = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(T // SECOND + 3000))


def line(i):
    return json.dumps({"n": i, "status": 200 + 100 * (i % 4), "took": f"{i}ms"})


class Logcli(ServerCase):
    @classmethod
    def setUpClass(cls):
        # Loki's module names a folder of its repository, which is a module of its own, and published.
        cls.program = golang.built("logcli", "github.com/grafana/loki/v3", VERSION, "./cmd/logcli",
                                   edit=["-dropreplace=github.com/grafana/loki/pkg/push"], long=True)
        super().setUpClass()
        for host in ("h0", "h1"):
            cls.push({"job": "web", "host": host, "level": "info" if host == "h0" else "error"},
                     [(T + i * SECOND // 10, line(i)) for i in range(COUNT) if i % 2 == int(host[1])])
        cls.push({"job": "other"}, [(T, "another line")])

    @classmethod
    def push(cls, labels, lines, tenant="cli"):
        body = {"streams": [{"stream": labels, "values": [[str(ns), text] for ns, text in lines]}]}
        answer = cls.server.request("POST", "/loki/api/v1/push", json.dumps(body).encode(),
                                    {"Content-Type": "application/json", "X-Scope-OrgID": tenant})
        assert answer.status == 204, answer

    def command(self, *arguments):
        return [self.program, f"--addr=http://127.0.0.1:{self.server.port}", "--org-id=cli", "--timezone=UTC", *arguments]

    def run_it(self, *arguments):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lines(self, *arguments):
        out = self.run_it("--quiet", "--output=jsonl", "query", "--include-common-labels", f"--from={START}", f"--to={END}", *arguments)
        return [json.loads(each) for each in out.splitlines()]

    def test_lines(self):
        newest = self.lines("--limit=3", '{job="web"}')
        self.assertEqual([one["line"] for one in newest], [line(COUNT - 1 - i) for i in range(3)])
        self.assertEqual(newest[0]["labels"], {"job": "web", "host": "h1", "level": "error"})
        self.assertEqual(newest[2]["timestamp"], time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime((T + (COUNT - 3) * SECOND // 10) // SECOND)) + ".7Z")
        oldest = self.lines("--limit=3", "--forward", '{job="web"}')
        self.assertEqual([one["line"] for one in oldest], [line(i) for i in range(3)])

    def test_batches(self):
        """All lines, a thousand at a time: each once."""
        wanted = [line(i) for i in range(COUNT)]
        self.assertEqual([one["line"] for one in self.lines("--limit=5000", "--forward", '{job="web"}')], wanted)
        self.assertEqual([one["line"] for one in self.lines("--limit=5000", '{job="web"}')], wanted[::-1])

    def test_stages(self):
        got = self.lines("--limit=10", "--forward", '{job="web"} |= "status" | json | status >= 500 | n < 10')
        self.assertEqual([one["line"] for one in got], [line(3), line(7)])
        self.assertEqual(got[0]["labels"], {"job": "web", "host": "h1", "level": "error", "n": "3", "status": "500", "took": "3ms"})
        raw = self.run_it("--quiet", "--output=raw", "query", f"--from={START}", f"--to={END}", '{job="other"}')
        self.assertEqual(raw, "another line\n")

    def test_metrics(self):
        got = json.loads(self.run_it("--quiet", "instant-query", f"--now={END}", 'sum by (host) (count_over_time({job="web"}[2h]))'))
        self.assertEqual({one["metric"]["host"]: one["value"][1] for one in got}, {"h0": str(COUNT // 2), "h1": str(COUNT // 2)})
        got = json.loads(self.run_it("--quiet", "query", f"--from={START}", f"--to={END}", "--step=10m", 'count_over_time({job="other"}[10m])'))
        self.assertEqual([value for one in got for _, value in one["values"]], ["1"])

    def test_names(self):
        span = (f"--from={START}", f"--to={END}")
        self.assertEqual(self.run_it("--quiet", "labels", *span).split(), ["host", "job", "level"])
        self.assertEqual(self.run_it("--quiet", "labels", *span, "host").split(), ["h0", "h1"])
        self.assertEqual(self.run_it("--quiet", "series", *span, '{host="h1"}').splitlines(), ['{host="h1", job="web", level="error"}'])
        analyzed = self.run_it("--quiet", "series", *span, "--analyze-labels", '{job=~".+"}')
        self.assertIn("Total Streams:  3", analyzed)

    def test_how_much(self):
        span = (f"--from={START}", f"--to={END}")
        stats = self.run_it("--quiet", "stats", *span, '{job="web"}')
        size = sum(len(line(i)) for i in range(COUNT))
        self.assertRegex(stats, rf"streams: 2\b(?s:.*)entries: {COUNT}\b", stats)
        for command in ("volume", "volume_range"):
            got = json.loads(self.run_it("--quiet", command, *span, "--targetLabels=job", '{job=~".+"}'))
            volumes = {}
            for one in got:
                values = one["values"] if command == "volume_range" else [one["value"]]
                volumes[one["metric"]["job"]] = sum(int(value) for _, value in values)
            self.assertEqual(volumes, {"web": size, "other": len("another line")})

    def test_detected_fields(self):
        got = json.loads(self.run_it("--quiet", "--output=raw", "detected-fields", f"--from={START}", f"--to={END}", "--line-limit=8", '{job="web"}'))
        fields = {one["label"]: (one["type"], one["cardinality"]) for one in got["fields"]}
        self.assertEqual(fields, {"n": ("int", 8), "status": ("int", 4), "took": ("duration", 8)})
        values = self.run_it("--quiet", "detected-fields", f"--from={START}", f"--to={END}", '{job="web"}', "status")
        self.assertEqual(values.split(), ["200", "300", "400", "500"])

    def test_tail(self):
        self.push({"job": "tail"}, [(time.time_ns(), "stored")])
        process = subprocess.Popen(self.command("--quiet", "--output=raw", "query", "--tail", '{job="tail"}'),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        seen = []
        reader = threading.Thread(target=lambda: seen.extend(each.rstrip("\n") for each in process.stdout), daemon=True)
        reader.start()
        wait_until(lambda: seen, 30)
        self.push({"job": "tail"}, [(time.time_ns(), "coming")])
        self.push({"job": "other"}, [(time.time_ns(), "not this")])
        self.push({"job": "tail"}, [(time.time_ns(), "the last")])
        wait_until(lambda: len(seen) >= 3, 30)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 0)
        reader.join(30)
        self.assertEqual(seen, ["stored", "coming", "the last"])

    def test_errors_are_said(self):
        done = subprocess.run(self.command("query", '{job="web"} | unwrap n'), capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("unwrap", done.stderr)


if __name__ == "__main__":
    unittest.main()
