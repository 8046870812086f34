# SPDX-License-Identifier: Apache-2.0
"""What all scenarios share: the settings of a run, running the load generator, medians, and the rows of the table."""

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field

from peers import Missing

DAY_MS = 86_400_000
# The ten values of a host (`varve-load --data=int`).
FIELDS = ["usage_user", "usage_system", "usage_idle", "usage_nice", "usage_iowait", "usage_irq", "usage_softirq",
          "usage_steal", "usage_guest", "usage_guest_nice"]


@dataclass
class Settings:
    build: str
    directory: str
    quick: bool
    rounds: int
    peers: list
    start_ms: int = 0
    begin: float = field(default_factory=time.monotonic)
    faults: list = field(default_factory=list)  # of a row; a scenario that cannot go on raises

    def __post_init__(self):
        # Two whole days ago: inside every retention, and a round number in every unit.
        self.start_ms = (int(time.time() * 1000) // DAY_MS - 2) * DAY_MS

    @property
    def load(self):
        return os.path.join(self.build, "bin", "varve-load")

    def say(self, text):
        print(f"[{time.monotonic() - self.begin:6.0f} s] {text}", file=sys.stderr, flush=True)


@dataclass
class Row:
    """One line of the table. `cells` are numbers by database; the ratio is varve's to `against` (or to the best peer)."""

    what: str
    unit: str
    cells: dict
    goal: str = ""
    goal_ratio: float = 0      # ratio to reach; 0: none
    goal_value: float = 0      # or the value of varve to reach; 0: none
    higher_is_better: bool = True
    against: str = ""          # "" : the best peer

    def peer(self):
        others = {k: v for k, v in self.cells.items() if k != "varve" and v}
        if self.against:
            return others.get(self.against)
        if not others:
            return None
        return max(others.values()) if self.higher_is_better else min(others.values())

    def ratio(self):
        peer, own = self.peer(), self.cells.get("varve")
        return own / peer if peer and own is not None else None

    def reached(self):
        """True, False, or None where there is no goal or nothing to compare."""
        own, ratio = self.cells.get("varve"), self.ratio()
        checks = []
        if self.goal_ratio and ratio is not None:
            checks.append(ratio >= self.goal_ratio if self.higher_is_better else ratio <= self.goal_ratio)
        if self.goal_value and own is not None:
            checks.append(own >= self.goal_value if self.higher_is_better else own <= self.goal_value)
        return all(checks) if checks else None


def start_load(settings, database, aside=False, **flags):
    """Starts the generator; `aside`: at the lowest priority."""
    command = ["nice", "-n", "19"] if aside else []
    command += [settings.load, f"--url=127.0.0.1:{database.port}"]
    command += [f"--{key.replace('_', '-')}={value}" for key, value in flags.items()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish_load(process):
    """Waits for it; returns what it measured. A failed request is an error: a comparison needs equal work."""
    out, errors = process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(process.args)}: {errors.strip()[-600:]}")
    return json.loads(out)


def run_load(settings, database, **flags):
    if "tsv" in database.protocols and "data" in flags:
        return database.load(settings, flags)
    return finish_load(start_load(settings, database, **flags))


def data_flags(settings, kind, hosts, steps, **more):
    return {"data": kind, "hosts": hosts, "steps": steps, "start": settings.start_ms, **more}


def by_field_and_host(query, rows, begin_ms):
    """{(field, host): {begin: value}} of rows of SQL: begin, the host where the query is by host, a value for each field."""
    out = {}
    for row in rows:
        host, values = ("", row[1:]) if query.hosts else (row[1], row[2:])
        for field_name, value in zip(query.fields, values):
            out.setdefault((field_name, host), {})[begin_ms(row[0])] = float(value)
    return out


@dataclass
class Measured:
    load: dict
    cpu_s: float          # of the server, while loading
    cpu_settled_s: float  # and until everything is in its final form
    peak: int
    idle: int             # resident before the first byte
    disk: int

    @property
    def cpu_ns(self):
        return self.cpu_s * 1e9 / max(self.load["samples"], 1)

    @property
    def cpu_settled_ns(self):
        return self.cpu_settled_s * 1e9 / max(self.load["samples"], 1)


def measure(settings, kind_of_database, settle=False, keep=False, **flags):
    """One fresh server, one load, its cost. Returns Measured (and the running server if `keep`)."""
    database = kind_of_database(settings.directory)
    try:
        database.start()
        idle, before = database.memory("VmRSS"), database.cpu_seconds()
        load = run_load(settings, database, **flags)
        cpu, peak = database.cpu_seconds() - before, database.memory("VmHWM")
        settled, disk = cpu, 0
        if settle:
            pid = database.process.pid
            database.settle()
            if database.process.pid == pid:
                settled, peak = database.cpu_seconds() - before, database.memory("VmHWM")
            disk = database.disk()
        result = Measured(load, cpu, settled, peak, idle, disk)
        if keep:
            return result, database
        return result
    finally:
        if not keep or sys.exc_info()[0]:
            database.close()


def interleaved(settings, title, databases, rounds, once):
    """once(database class) in turns, A B A B; returns {name: [results]}. A database that cannot run is left out."""
    results = {}
    for number in range(rounds):
        for database in databases:
            label = "varve" if database.name == "varve" else database.name
            if number > 0 and label not in results:
                continue
            try:
                result = once(database)
            except Missing as e:
                settings.say(f"{title}: {label} left out: {e}")
                continue
            results.setdefault(label, []).append(result)
            settings.say(f"{title}: round {number + 1}/{rounds}, {label}: {brief(result)}")
    return results


def brief(result):
    if isinstance(result, Measured):
        return (f"{result.load['samples_per_s'] / 1e6:.2f} M samples/s, {result.cpu_ns:.0f} ns CPU a sample, "
                f"peak {result.peak / 2**20:.0f} MiB")
    return str(result)


def median(results, pick):
    return {name: statistics.median(pick(r) for r in values) for name, values in results.items()}
