# SPDX-License-Identifier: Apache-2.0
"""What an acknowledged write is worth: how soon it is seen, and how much of it is gone after kill -9 and after a power cut.

A power cut is a copy of the disk as it is at that moment: the server writes to an ext4 in a file, which is mounted by a loop
device, and what its kernel has not written yet is not in the copy. That needs root; without it the row is left out."""

import contextlib
import json
import os
import signal
import struct
import subprocess
import threading
import time
import urllib.parse

from common import Row, interleaved, median
from databases import DurableVarve, InfluxDb, Prometheus, Varve, VictoriaMetrics, http_call
from ingest import chosen
from peers import Missing
from questdb import QuestDb

WRITERS = 2
IMAGE_BYTES = 4 << 30


class AlwaysVarve(DurableVarve):
    """A column of its own beside the default."""

    name, port = "varve-always", 18489
    more = (*DurableVarve.more, "--telnet.listen=")


# --- one sample, and how many are there

def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def remote_write(writer, time_ms, value):
    labels = b"".join(field(1, field(1, k.encode()) + field(2, v.encode()))
                      for k, v in (("__name__", "trust_v"), ("writer", str(writer))))
    sample = field(2, b"\x09" + struct.pack("<d", value) + b"\x10" + varint(time_ms))
    body = field(1, labels + sample)
    return varint(len(body)) + b"\xf4" + struct.pack("<H", len(body) - 1) + body  # Snappy: one literal, not compressed


def write(database, writer, time_ms, value):
    if "influx" in database.protocols:
        status, body = http_call(database.port, "POST", "/write?precision=ms&db=bench", f"trust,writer={writer} v={value} {time_ms}")
    else:
        status, body = http_call(database.port, "POST", "/api/v1/write", remote_write(writer, time_ms, value),
                                 {"Content-Encoding": "snappy", "Content-Type": "application/x-protobuf"})
    if status not in (200, 204):
        raise RuntimeError(f"{database.name}: {status} {body[:200]!r}")


def count(database, end_ms):
    """How many samples of the last hour are seen."""
    if isinstance(database, Varve):
        query = {"start_absolute": end_ms - 3_600_000, "end_absolute": end_ms, "metrics": [
            {"name": "trust_v", "aggregators": [{"name": "count", "sampling": {"value": 10, "unit": "years"}}]}]}
        values = json.loads(http_call(database.port, "POST", "/api/v1/datapoints/query", json.dumps(query))[1])["queries"][0]["results"]
        return sum(v[1] for v in values[0]["values"])
    if isinstance(database, InfluxDb):
        path = "/query?" + urllib.parse.urlencode({"db": "bench", "q": "select count(v) from trust"})
        series = json.loads(http_call(database.port, "GET", path)[1])["results"][0].get("series")
        return series[0]["values"][0][1] if series else 0
    if isinstance(database, QuestDb):
        return database.sql("select count() from trust")[0][0] if "trust" in database.tables() else 0
    path = "/api/v1/query?" + urllib.parse.urlencode({"query": "sum(count_over_time(trust_v[1h]))", "time": end_ms / 1000, "nocache": 1})
    found = json.loads(http_call(database.port, "GET", path)[1])["data"]["result"]
    return int(float(found[0]["value"][1])) if found else 0


# --- from acknowledged to visible

def visible_ms(settings, kind):
    database = kind(settings.directory)
    try:
        database.start()
        took, begin_ms = [], int(time.time() * 1000)
        for number in range(1, (10 if settings.quick else 30) + 1):
            write(database, 0, begin_ms + number, number)
            acknowledged = time.monotonic()
            while count(database, begin_ms + 60_000) < number:
                if time.monotonic() - acknowledged > 60:
                    raise RuntimeError(f"{database.name}: a sample is not seen after a minute")
            took.append(1000 * (time.monotonic() - acknowledged))
        return sorted(took)[len(took) // 2]
    finally:
        database.close()


# --- what is lost

class Writer(threading.Thread):
    def __init__(self, database, number, begin_ms):
        super().__init__(daemon=True)
        self.database, self.number, self.begin_ms = database, number, begin_ms
        self.acknowledged, self.ends = [], threading.Event()  # when

    def run(self):
        with contextlib.suppress(OSError, RuntimeError):  # the server is gone
            while not self.ends.is_set():
                write(self.database, self.number, self.begin_ms + len(self.acknowledged) * WRITERS + self.number, 1)
                self.acknowledged.append(time.monotonic())


def lost_ms(database, cut, seconds):
    """Writes one sample a request until the server is gone; how many milliseconds of acknowledged writes are missing."""
    begin_ms = int(time.time() * 1000) - 1_800_000
    writers = [Writer(database, n, begin_ms) for n in range(WRITERS)]
    for writer in writers:
        writer.start()
    time.sleep(seconds)
    kept = cut()
    for writer in writers:
        writer.ends.set()
        writer.join()
    acknowledged = sorted(t for writer in writers for t in writer.acknowledged if t < kept)
    database.start()
    database.settle()
    found = count(database, begin_ms + 3_600_000)
    lost = max(0, len(acknowledged) - found)
    return 1000 * (acknowledged[-1] - acknowledged[-lost - 1]) if 0 < lost < len(acknowledged) else 1000.0 * seconds * bool(lost)


def killed(settings, kind):
    database = kind(settings.directory)
    try:
        database.start()

        def cut():
            at = time.monotonic()
            database.kill()
            return at
        return lost_ms(database, cut, 5 if settings.quick else 10)
    finally:
        database.close()


def mounted(image, folder):
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"a power cut needs a loop device: {done.stderr.strip()[-200:]}")


def powerless(settings, kind):
    image, folder = os.path.join(settings.directory, "disk"), os.path.join(settings.directory, "mounted")
    with open(image, "wb") as f:
        f.truncate(IMAGE_BYTES)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    mounted(image, folder)
    database = None
    try:
        database = kind(folder)
        database.start()

        def cut():
            at = time.monotonic()
            database.process.send_signal(signal.SIGSTOP)  # nothing is written while the disk is copied
            subprocess.run(["cp", "--sparse=always", image, image + ".cut"], check=True)
            database.process.send_signal(signal.SIGCONT)
            database.kill()
            subprocess.run(["umount", folder], check=True)
            os.replace(image + ".cut", image)
            mounted(image, folder)
            return at
        return lost_ms(database, cut, 5 if settings.quick else 10)
    finally:
        if database:
            database.kill()
        subprocess.run(["umount", folder], check=False)


def tried(settings, once, kind):
    """A peer that does not start again, or takes nothing, is left out; varve is not."""
    try:
        return once(settings, kind)
    except RuntimeError as e:
        if issubclass(kind, Varve):
            raise
        raise Missing(str(e)) from e


def durability(settings):
    kinds = chosen(settings, Varve, VictoriaMetrics, QuestDb, InfluxDb, Prometheus)
    rows = []
    for what, once, goal in (("from acknowledged to visible", visible_ms, 50), ("acknowledged writes lost by kill -9", killed, 1e-9),
                             ("acknowledged writes lost by a power cut", powerless, 1000)):
        more = [AlwaysVarve] if once is powerless else []
        results = interleaved(settings, what, kinds + more, 1 if settings.quick else settings.rounds,
                              lambda d, once=once: tried(settings, once, d))
        rows.append(Row(what, "ms", median(results, lambda r: r), higher_is_better=False,
                        goal=f"<= {goal} ms" if goal > 1 else "none", goal_value=goal))
    return rows
