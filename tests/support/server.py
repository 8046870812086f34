# SPDX-License-Identifier: Apache-2.0
"""One varve server under test: its process, ports, data directory, log, and the questions tests ask it."""

import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import client, cluster, sanitized

BINARY = os.path.abspath(os.environ.get("BINARY", "build/varve"))
READY_SECONDS = 60
KAIROS = "/api/v1/datapoints"
PATIENCE_S = 120  # for one answer: on a busy machine a cold Cassandra needs half a minute for thousands of reads


GIVEN = set()


def free_port():
    """Below what the kernel gives to connections, so that no connection takes it while a server starts again. Never the same one twice:
    it may be asked for again before the first one is used."""
    while True:
        port = random.SystemRandom().randrange(10_000, 21_000)
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp, contextlib.suppress(OSError):
            for s in (tcp, udp):
                s.bind(("127.0.0.1", port))
            if port not in GIVEN:
                GIVEN.add(port)
                return port


def run_varve(*arguments, env=None, timeout=30, cwd=None):
    """Runs the program to its end."""
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          env={**os.environ, **(env or {})}, preexec_fn=cluster.die_with_parent, check=False)


class Server:
    """Server(config={'storage.sync': 'always'}); a key is a configuration path. Keeps its directory until close()."""

    def __init__(self, config=None, path=None, preexec=None, env=None):
        self.root = tempfile.mkdtemp(prefix="varve-test-")
        self.path = path or os.path.join(self.root, "data")
        self.config = dict(config or {})
        self.preexec, self.env = preexec, env
        self.process = None
        self.log_path = os.path.join(self.root, "log")
        self.port = self.telnet_port = 0

    # --- process ---

    def arguments(self, **extra):
        self.port, self.telnet_port = free_port(), free_port()
        config = {**self._engine(), "http.listen": f"127.0.0.1:{self.port}",
                  "telnet.listen": f"127.0.0.1:{self.telnet_port}", **self.config, **extra}
        self.port = int(config["http.listen"].rpartition(":")[2])
        if config.get("engine") == "cluster":
            cluster.apply_schema(BINARY, config)
        return ["serve"] + [f"--{key}={value}" for key, value in config.items()]

    def _engine(self):
        return cluster.config_for(self.path) if cluster.chosen() else {"storage.path": self.path}

    def spawn(self, **extra):
        def before():
            cluster.die_with_parent()
            if self.preexec:
                self.preexec()
        arguments = self.arguments(**extra)
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([BINARY, *arguments], stdout=log, stderr=log, preexec_fn=before,
                                            env={**os.environ, **(self.env or {})})

    def start(self, **extra):
        for attempt in (1, 2, 3):
            size = os.path.getsize(self.log_path) if os.path.exists(self.log_path) else 0
            self.spawn(**extra)
            if self._becomes_ready():
                return self
            if attempt < 3 and re.search("address.*in use", self.log()[size:], re.I):
                continue  # another test got the port first
            raise RuntimeError(f"exit {self.process.poll()} before it was ready:\n{self.log()[size:][-3000:]}")

    def _becomes_ready(self):
        def ready():
            if self.process.poll() is not None:
                return "ended"
            with contextlib.suppress(OSError):
                return self.get("/-/ready").status == 200 and "ready"
            return None
        try:
            return client.wait_until(ready, READY_SECONDS, "ready") == "ready"
        except TimeoutError:
            self.kill()
            raise

    def wait_ready_or_end(self):
        """None when it is ready, or the exit code."""
        return None if self._becomes_ready() else self.process.poll()

    def wait(self, seconds=30):
        return self.process.wait(seconds)

    def stop(self, sig=signal.SIGTERM, seconds=20):
        """Stops it in order; returns (exit code, seconds it took)."""
        begin = time.monotonic()
        self.process.send_signal(sig)
        code = self.process.wait(seconds * sanitized.TIMES_SLOWER)
        return code, time.monotonic() - begin

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def restart(self, **extra):
        code, _ = self.stop()
        if code != 0:
            raise RuntimeError(f"exit {code} on SIGTERM:\n{self.log()[-3000:]}")
        return self.start(**extra)

    def alive(self):
        return self.process.poll() is None

    def close(self):
        self.kill()
        if cluster.chosen():
            cluster.drop(self.path)
        shutil.rmtree(self.root, ignore_errors=True)

    def log(self):
        with open(self.log_path, errors="replace") as f:
            return f.read()

    def last_words(self):
        """The last lines of the log that are more than information."""
        lines = [line[:400] for line in self.log()[-50_000:].splitlines() if line and " level=info " not in line]
        return "\n".join(lines[-4:])

    def peak_memory(self):
        """Skips the test under a sanitizer."""
        sanitized.skip_what_measures_memory()
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) * 1024

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, *_):
        self.close()

    # --- HTTP ---

    def request(self, method, path, body=None, headers=None, timeout=PATIENCE_S):
        try:
            return client.http_request(self.port, method, path, body, headers, timeout)
        except ConnectionRefusedError as e:
            if self.process is None or self.alive():
                raise
            raise ConnectionRefusedError(f"the server ended in {self.process.returncode}: {self.last_words()}") from e

    def get(self, path, headers=None):
        return self.request("GET", path, None, headers)

    def post(self, path, body=b"", headers=None, timeout=PATIENCE_S):
        return self.request("POST", path, body, headers, timeout)

    def telnet(self):
        return client.Telnet(self.telnet_port)

    def accepted(self, path, body, headers=None):
        """The answer to a write, sent again as a client does while a busy cluster says that it took too long."""
        until = time.monotonic() + 60
        while True:
            answer = self.post(path, body, headers)
            if answer.status != 503 or b"too long: try again" not in answer.body or time.monotonic() > until:
                return answer
            time.sleep(0.2)

    def put(self, metrics, headers=None, prefix=""):
        """KairosDB put that has to succeed."""
        answer = self.accepted(prefix + KAIROS, metrics, headers)
        if answer.status != 204:
            raise AssertionError(f"put: {answer}")

    def influx(self, text, params="", headers=None):
        answer = self.accepted(f"/write?precision=ms{params}", text, headers)
        if answer.status != 204:
            raise AssertionError(f"write: {answer}")

    def settle(self):
        answer = self.post("/-/settle", timeout=300)  # one Cassandra may serve many tests
        if answer.status != 200:
            raise AssertionError(f"settle: {answer}")
        return answer.json()

    # --- questions ---

    def query(self, metrics, start=0, end=None, headers=None, prefix=""):
        body = {"start_absolute": start, "metrics": metrics}
        if end is not None:
            body["end_absolute"] = end
        answer = self.post(prefix + KAIROS + "/query", body, headers)
        if answer.status != 200:
            raise AssertionError(f"query: {answer}")
        return answer.json()["queries"]

    def values(self, metric, tags=None, start=-(1 << 53), end=1 << 53, headers=None, prefix=""):
        """All samples of one metric (and tags) in one list of (time, value)."""
        asked = {"name": metric}
        if tags:
            asked["tags"] = tags
        results = self.query([asked], start, end, headers, prefix)[0]["results"]
        return [tuple(v) for result in results for v in result["values"]]

    def metric_names(self, headers=None, prefix=""):
        answer = self.request("GET", prefix + "/api/v1/metricnames", None, headers)
        return answer.json()["results"]

    def metric(self, name, **labels):
        """A number of /metrics: the sum over all label sets that have these labels; 0 if there is none."""
        total = 0.0
        for line in self.get("/metrics").body.decode().splitlines():
            found = re.match(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)$", line)
            if found and found.group(1) == name and all(
                    f'{k}="{v}"' in (found.group(2) or "") for k, v in labels.items()):
                total += float(found.group(3))
        return total
