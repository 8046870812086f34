# SPDX-License-Identifier: Apache-2.0
"""varve and its peers as child processes on loopback ports with data directories of their own: start, watch, measure,
end by process id."""

import http.client
import os
import shutil
import signal
import subprocess
import time
import urllib.parse

import newest
from peers import Missing

TICKS = os.sysconf("SC_CLK_TCK")
PATHS = os.environ["PATH"] + ":/usr/sbin"


def http_call(port, method, path, body=None, headers=None, timeout=600):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def disk_bytes(path, suffix=""):
    """What the files hold: a sparse file what was written of it, a preallocated one what it is long."""
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            if name.endswith(suffix):
                try:
                    found = os.stat(os.path.join(folder, name))
                    total += min(found.st_blocks * 512, found.st_size)
                except FileNotFoundError:
                    pass  # merged away meanwhile
    return total


class Database:
    """One run with a fresh directory, unless start() is called again after kill() or stop()."""

    name, port, ready_path = "", 0, "/"
    protocols = ()
    newest = False  # of all: the newest versions instead of Debian's

    def __init__(self, directory):
        self.directory = os.path.join(directory, self.name)
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        self.process = None
        self.log_path = os.path.join(directory, self.name + ".log")

    def arguments(self):
        raise NotImplementedError

    def program(self, name):
        if Database.newest:
            return newest.PROGRAMS[name]()
        path = shutil.which(name, path=PATHS)
        if not path:
            raise Missing(f"{name} is not installed")
        return path

    def start(self, seconds=120):
        """Returns the seconds until it answered."""
        begin = time.monotonic()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.arguments(), stdout=log, stderr=log, cwd=self.directory)
        while True:
            try:
                if http_call(self.port, "GET", self.ready_path, timeout=5)[0] in (200, 204):
                    break
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() - begin > seconds:
                self.kill()
                raise RuntimeError(f"{self.name} does not answer; its log is {self.log_path}")
            time.sleep(0.002)
        took = time.monotonic() - begin
        self.prepare()
        return took

    def prepare(self):
        """What has to be done once before the first write."""

    def settle(self):
        """Brings everything to disk in its final form."""

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(120)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- /proc

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def threads_cpu_ns(self):
        """For short work: exact, but without threads that have ended."""
        ns = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/schedstat") as f:
                ns += int(f.read().split()[0])
        return ns

    def memory(self, key="VmHWM"):
        with open(f"/proc/{self.process.pid}/status") as f:
            for line in f:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
        return 0

    def disk(self):
        """Bytes of the data in their final form."""
        return disk_bytes(self.directory)


class Varve(Database):
    name, port, ready_path = "varve", 18480, "/-/ready"
    protocols = ("influx", "remote_write", "kairosdb", "opentsdb", "telnet")
    binary = "build/varve"
    more = ()

    def arguments(self):
        return [os.path.abspath(self.binary), "serve", f"--storage.path={self.directory}/data",
                f"--http.listen=127.0.0.1:{self.port}", "--telnet.listen=127.0.0.1:18481", *self.more]

    def settle(self):
        status, body = http_call(self.port, "POST", "/-/settle", b"")
        if status != 200:
            raise RuntimeError(f"settle: {status} {body[:300]!r}")


class DurableVarve(Varve):
    """storage.sync=always: an acknowledged write survives the loss of power."""

    more = ("--storage.sync=always",)


class Plain(Varve):
    """Without rollups: the same samples, never sealed into windows."""

    name, port = "varve-plain", 18488
    more = ("--rollups=", "--telnet.listen=")


class VictoriaMetrics(Database):
    name, port, ready_path = "victoria-metrics", 18482, "/health"
    protocols = ("influx", "remote_write")

    def arguments(self):
        return [self.program("victoria-metrics"), "-storageDataPath=data", f"-httpListenAddr=127.0.0.1:{self.port}",
                "-retentionPeriod=100y", "-search.maxQueryDuration=60s", "-search.latencyOffset=0s",
                "-search.disableCache"]

    def settle(self):
        http_call(self.port, "GET", "/internal/force_flush")
        http_call(self.port, "GET", "/internal/force_merge")
        self.await_merges()

    def await_merges(self):
        # The merge runs behind the answer; it is over when nothing is merged and the size stands still.
        deadline, last, quiet = time.monotonic() + 120, -1, 0
        while time.monotonic() < deadline and quiet < 5:
            _, text = http_call(self.port, "GET", "/metrics")
            active = sum(float(line.rsplit(b" ", 1)[1]) for line in text.splitlines()
                         if line.startswith((b"vm_active_merges{", b"vl_active_merges{")))
            size = self.disk()
            quiet = quiet + 1 if active == 0 and size == last else 0
            last = size
            time.sleep(0.2)

    def disk(self):
        return disk_bytes(os.path.join(self.directory, "data/data")) + disk_bytes(
            os.path.join(self.directory, "data/indexdb"))


class InfluxDb(Database):
    name, port, ready_path = "influxdb", 18484, "/ping"
    protocols = ("influx",)

    def arguments(self):
        path = os.path.join(self.directory, "influx.conf")
        with open(path, "w") as f:
            f.write(f"""reporting-disabled = true
bind-address = "127.0.0.1:18485"
[meta]
  dir = "{self.directory}/meta"
[data]
  dir = "{self.directory}/data"
  wal-dir = "{self.directory}/wal"
  index-version = "tsi1"
  max-series-per-database = 0
  max-values-per-tag = 0
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:{self.port}"
  max-body-size = 0
  log-enabled = false
""")
        return [self.program("influxd"), "run", "-config", path]

    def prepare(self):
        http_call(self.port, "POST", "/query?q=" + urllib.parse.quote('CREATE DATABASE "bench"'), b"")

    def settle(self):
        # A cold cache is written out and compacted after a while only; a restart writes it at once.
        self.stop()
        self.start()

    def disk(self):
        return disk_bytes(os.path.join(self.directory, "data"), ".tsm") + disk_bytes(os.path.join(self.directory, "wal"))


class Prometheus(Database):
    name, port, ready_path = "prometheus", 18486, "/-/ready"
    protocols = ("remote_write",)

    def arguments(self):
        path = os.path.join(self.directory, "prom.yml")
        with open(path, "w") as f:
            f.write("scrape_configs: []\n")
        return [self.program("prometheus"), f"--config.file={path}", f"--storage.tsdb.path={self.directory}/data",
                f"--web.listen-address=127.0.0.1:{self.port}", "--web.enable-remote-write-receiver",
                "--storage.tsdb.retention.time=100y", "--log.level=warn"]


ALL = {d.name: d for d in (Varve, VictoriaMetrics, InfluxDb, Prometheus)}
