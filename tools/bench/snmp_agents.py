# SPDX-License-Identifier: Apache-2.0
"""What is polled, a fleet of simulated devices, and who else polls: libsnmp alone, gosnmp and snmp_exporter."""

import json
import os
import subprocess
import time
from dataclasses import dataclass

from databases import Database, http_call
from peers import built

OIDS = [f"1.3.6.1.2.1.31.1.1.1.{n}" for n in (6, 10, 7, 11, 8, 12, 9, 13)] + ["1.3.6.1.2.1.2.2.1.14", "1.3.6.1.2.1.2.2.1.20"]


class Fleet:
    """varve-snmp-agent: device n is at 127.x.y.z of one port, and behind the community dev-n."""

    def __init__(self, settings, devices, interfaces):
        self.settings, self.devices, self.interfaces, self.silent = settings, devices, interfaces, 0

    def __enter__(self):
        program = os.path.join(self.settings.build, "bin", "varve-snmp-agent")
        self.process = subprocess.Popen([program, "--listen=0.0.0.0:0", f"--devices={self.devices}", f"--interfaces={self.interfaces}"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()

    def address(self, device):
        return f"127.{(device + 1) >> 16 & 255}.{(device + 1) >> 8 & 255}.{(device + 1) & 255}:{self.port}"

    def silence(self, count):
        """The last ones."""
        self.process.stdin.write(f"{self.devices - count}-{self.devices - 1} silent=1\n")
        self.process.stdin.flush()
        if not self.process.stdout.readline().startswith("ok "):
            raise RuntimeError("the fleet does not understand")
        self.silent = count


@dataclass
class Fetched:
    objects: int
    cpu_s: float

    @property
    def objects_per_cpu_s(self):
        return self.objects / self.cpu_s

    def __str__(self):
        return f"{self.objects_per_cpu_s / 1e6:.3f} M objects/CPU s"


def _run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr[-300:]}")
    said = json.loads(done.stdout)
    return Fetched(said["objects"], said["cpu_s"])


class Libsnmp:
    """An event loop over libsnmp that keeps nothing."""

    name = "libsnmp"

    @staticmethod
    def once(settings, fleet, seconds):
        return _run(os.path.join(settings.build, "bin", "varve-snmp-loop"), fleet.port, fleet.devices, 200, seconds)


class GoSnmp:
    """gosnmp, which telegraf polls with; it keeps nothing."""

    name = "gosnmp"

    @staticmethod
    def once(_settings, fleet, seconds):
        program = built("gosnmp-loop", "github.com/gosnmp/gosnmp", "v1.42.1",
                        own=os.path.join(os.path.dirname(os.path.abspath(__file__)), "gosnmp"))
        return _run(program, f"127.0.0.1:{fleet.port}", fleet.devices, seconds, 20)


class SnmpExporter(Database):
    """Each scrape of a device is text for Prometheus, which then has to read and to store it."""

    name, port, ready_path = "snmp-exporter", 18489, "/"

    def arguments(self):
        metrics = [{"name": f"column{n}", "oid": oid, "type": "counter", "help": "-",
                    "indexes": [{"labelname": "ifIndex", "type": "gauge"}],
                    "lookups": [{"labels": ["ifIndex"], "labelname": "ifName", "oid": "1.3.6.1.2.1.31.1.1.1.1", "type": "DisplayString"}]}
                   for n, oid in enumerate(OIDS)]
        config = {"auths": {"public": {"community": "public", "version": 2}},
                  "modules": {"bench": {"walk": [*OIDS, "1.3.6.1.2.1.31.1.1.1.1"], "metrics": metrics, "max_repetitions": 25}}}
        path = os.path.join(self.directory, "snmp.yml")
        with open(path, "w") as f:
            json.dump(config, f)  # which is YAML, too
        return [built("snmp-exporter", "github.com/prometheus/snmp_exporter", "v0.29.0"), f"--config.file={path}",
                f"--web.listen-address=127.0.0.1:{self.port}"]

    @classmethod
    def once(cls, settings, fleet, seconds):
        server = cls(settings.directory)
        try:
            server.start()
            objects, device, cpu, end = 0, 0, server.cpu_seconds(), time.monotonic() + seconds
            while time.monotonic() < end:
                status, text = http_call(server.port, "GET", f"/snmp?module=bench&auth=public&target={fleet.address(device % fleet.devices)}")
                lines = sum(line.startswith(b"column") for line in text.splitlines())
                if status != 200 or lines != fleet.interfaces * len(OIDS):
                    raise RuntimeError(f"snmp_exporter: {status}, {lines} lines: {text[:300]!r}")
                objects, device = objects + lines, device + 1
            return Fetched(objects, server.cpu_seconds() - cpu)
        finally:
            server.close()
