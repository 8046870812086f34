# SPDX-License-Identifier: Apache-2.0
"""A long time at half of what the machine takes, with all background work: memory, files and latencies stay flat. Long:
./dev test --faults soak --seconds=3600."""

import json
import os
import statistics
import subprocess
import threading
import time
import unittest

from support import effort
from support.case import OwnServerCase
from support.client import http_request, wait_until
from support.cluster import die_with_parent
from support.senders import HTTP_FAULTS
from support.server import BINARY

LOAD = os.path.join(os.path.dirname(BINARY), "bin", "varve-load")
HOSTS, SAMPLES_A_LINE, LAP = 2000, 10, 50  # lines of a host that are prepared, and sent again with later times
MIB = 1 << 20


class Probe(threading.Thread):
    """Asks the same again and again; `take()` gives the seconds that it took since it was last called."""

    def __init__(self, ask, pause):
        super().__init__(daemon=True)
        self.ask, self.pause = ask, pause
        self.lock, self.took, self.faults = threading.Lock(), [], []
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(self.pause):
            begin = time.monotonic()
            try:
                answer = self.ask()
                fault = None if answer.status in (200, 204) else str(answer)
            except HTTP_FAULTS as e:
                fault = repr(e)
            with self.lock:
                self.took.append(time.monotonic() - begin)
                self.faults += [fault] if fault else []

    def take(self):
        with self.lock:
            took, self.took = self.took, []
        return took


def p99_ms(took):
    return sorted(took)[int(len(took) * 0.99)] * 1000 if took else 0.0


class Soak(OwnServerCase):
    columns = ("second", "rss_mib", "data_mib", "files", "descriptors", "threads", "pending", "put_p99_ms", "query_p99_ms",
               "health_p99_ms", "samples_s")

    def generate(self, server, rate=0, seconds=0, start_ms=0, step_ms=100):
        command = [LOAD, f"--url=127.0.0.1:{server.port}", f"--hosts={HOSTS}", f"--steps={LAP}", f"--step={step_ms}",
                   f"--start={start_ms}", f"--rate={rate}", f"--seconds={seconds}", "--laps=1000000", "--lines=1000"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent)

    def most(self):
        """Samples a second that a server takes here for some seconds."""
        server = self.new_server().start()
        load = self.generate(server, seconds=10, start_ms=int(time.time() * 1000))
        out, err = load.communicate(timeout=120)
        self.assertEqual(load.returncode, 0, err)
        server.close()
        return json.loads(out.splitlines()[-1])["samples_per_s"]

    @unittest.skipUnless(os.access(LOAD, os.X_OK), f"{LOAD} is not built: ./dev build varve-load")
    def test_soak(self):
        seconds = effort.seconds(60, 600)
        most = self.most()
        step_ms = max(1, round(HOSTS * SAMPLES_A_LINE * 1000 / (most / 2)))
        rate = HOSTS * SAMPLES_A_LINE * 1000 // step_ms
        width = max(2, int(seconds) // 60)
        server = self.new_server({"slots.width": f"{width}s", "slots.quiet": f"{width}s", "raw.retention": f"{width * 10}s",
                                  "rollups": f"{width}s:{width * 10}s,{width * 2}s:{width * 15}s"}).start()
        print(f"    {most:.0f} samples/s at most; {rate} samples/s for {seconds:.0f} s", flush=True)
        load = self.generate(server, rate, int(seconds), int(time.time() * 1000), step_ms)
        wait_until(lambda: server.metric("varve_samples_accepted_total") > 0 or load.poll() is not None, 120, "samples come")
        rows = self.watch(server, load, seconds)
        load.terminate()
        load.communicate()
        self.judge_rate(rows, rate)
        self.judge(rows)

    def watch(self, server, load, seconds):
        """A row of the table each sixtieth of the time."""
        probes = {"put_p99_ms": Probe(lambda: server_write(server), 0.05), "query_p99_ms": Probe(lambda: ask(server), 0.2),
                  "health_p99_ms": Probe(lambda: http_request(server.port, "GET", "/-/healthy"), 0.05),
                  "other": Probe(lambda: disturb(server), seconds / 40)}
        for probe in probes.values():
            probe.start()
        print("    " + " ".join(f"{name:>13}" for name in self.columns), flush=True)
        rows, begin, taken = [], time.monotonic(), 0
        while time.monotonic() - begin < seconds and load.poll() is None:
            time.sleep(seconds / 60)
            row = self.measured(server)
            row["second"] = time.monotonic() - begin
            row["samples_s"] = (row["samples"] - taken) / (seconds / 60)
            taken = row["samples"]
            row |= {name: p99_ms(probe.take()) for name, probe in probes.items()}
            rows.append(row)
            print("    " + " ".join(f"{row[name]:13.1f}" for name in self.columns), flush=True)
        for probe in probes.values():
            probe.stopping.set()
            self.assertEqual(probe.faults[:5], [])
        self.assertTrue(server.alive(), server.log()[-2000:])
        return rows

    def judge_rate(self, rows, rate):
        """Where much less comes in, as on a busy machine, the table means little."""
        self.assertGreater(statistics.median(row["samples_s"] for row in rows), rate * 0.2)

    @staticmethod
    def measured(server):
        process = f"/proc/{server.process.pid}"
        with open(process + "/status") as f:
            status = dict(line.split(":", 1) for line in f if ":" in line)
        files = [os.path.join(folder, name) for folder, _, names in os.walk(server.path) for name in names]
        size = 0
        for path in files:
            try:
                size += os.stat(path).st_blocks * 512
            except FileNotFoundError:
                pass  # compacted meanwhile
        return {"rss_mib": int(status["VmRSS"].split()[0]) / 1024, "threads": int(status["Threads"]),
                "descriptors": len(os.listdir(process + "/fd")), "files": len(files), "data_mib": size / MIB,
                "pending": server.metric("varve_slots_pending"), "samples": server.metric("varve_samples_accepted_total")}

    def judge(self, rows):
        """The last third beside the one before, in which all that is kept is already there."""
        third = len(rows) // 3
        self.assertGreater(third, 3)
        for name, factor, more in (("rss_mib", 1.1, 32), ("data_mib", 1.2, 32), ("files", 1.3, 10), ("descriptors", 1.1, 10),
                                   ("threads", 1, 2), ("put_p99_ms", 2, 20), ("query_p99_ms", 2, 20), ("health_p99_ms", 2, 20)):
            middle = statistics.median(row[name] for row in rows[third:2 * third])
            last = statistics.median(row[name] for row in rows[2 * third:])
            print(f"    {name}: {middle:.1f} then {last:.1f}", flush=True)
            with self.subTest(name):
                self.assertLessEqual(last, middle * factor + more)


def server_write(server):
    now = int(time.time() * 1000)
    return http_request(server.port, "POST", "/write?precision=ms", f"probe,host=a value=1i {now}\nprobe,host=b value=2 {now}")


def ask(server):
    body = {"start_relative": {"value": 1, "unit": "minutes"}, "metrics": [
        {"name": "probe", "aggregators": [{"name": "avg", "sampling": {"value": 10, "unit": "seconds"}}]}]}
    return http_request(server.port, "POST", "/api/v1/datapoints/query", body)


def disturb(server):
    """What is done by hand: a late sample, a delete, settling."""
    now = int(time.time() * 1000)
    late = http_request(server.port, "POST", "/write?precision=ms", f"probe,host=late value=1i {now - 20_000}")
    gone = http_request(server.port, "POST", "/api/v1/datapoints/delete", {
        "start_absolute": now - 10_000, "end_absolute": now - 5000, "metrics": [{"name": "probe", "tags": {"host": "b"}}]}, None, 300)
    settled = http_request(server.port, "POST", "/-/settle", b"", None, 300)
    return next((answer for answer in (late, gone) if answer.status != 204), settled)
