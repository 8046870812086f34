#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows live what varve is about: samples land in slots, slots go quiet and are sealed into windows, and a late sample
makes it happen again. The same hosts log, and their messages are found by column, object, field and word. Runs a server of
its own, with slots of ten seconds, for about a minute.

  ./dev demo [--seconds=40]
"""
import argparse
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

CONFIG = {"slots.width": "10s", "slots.quiet": "3s", "rollups": "5s:1d,10s:30d,1m:1y", "telnet.listen": ""}
SLOT_S = 10
HOSTS = 5


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, binary):
        self.url = f"http://127.0.0.1:{free_port()}"
        self.directory = tempfile.mkdtemp(prefix="varve-demo-")
        flags = [f"--{k}={v}" for k, v in CONFIG.items()]
        self.log = open(os.path.join(self.directory, "log"), "wb")
        self.process = subprocess.Popen([binary, "serve", f"--storage.path={self.directory}/data",
                                         f"--http.listen={self.url[7:]}", *flags], stderr=self.log)

    def call(self, path, body=None):
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data=body), timeout=10) as answer:
            return answer.read().decode()

    def wait_ready(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                return self.call("/-/ready")
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        sys.exit("demo: the server did not start:\n" + open(self.log.name).read())

    def metric(self, name):
        found = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", self.call("/metrics"), re.M)
        return int(sum(float(v) for v in found))

    def slots(self):
        """{start: state} of the demo's tenant (the server's own metrics have one of their own): open, pending, sealed."""
        now = time.time() * 1000
        slots = json.loads(self.call("/api/v1/admin/slots"))["slots"]
        return {s["start"]: "sealed" if s["state"] == "sealed" else "open" if s["end"] > now else "pending" for s in slots}

    def average(self, start, end):
        """The hourly kind of question, at the demo's scale: the average of each ten seconds, over all hosts."""
        answer = json.loads(self.call("/api/v1/datapoints/query", json.dumps({
            "start_absolute": start, "end_absolute": end, "metrics": [{"name": "room_temperature", "tags": {}, "aggregators": [
                {"name": "avg", "align_sampling": True, "sampling": {"value": 10, "unit": "seconds"}}]}]}).encode()))
        return answer["queries"][0]["results"][0]["values"]

    def messages(self, **query):
        """Rows of log messages."""
        return json.loads(self.call("/analytics/query", json.dumps(
            {"table": "MessageTable", "start_time": "now-1h", "end_time": "now", **query}).encode()))["value"]

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.directory, ignore_errors=True)


def sample_lines(second):
    """A few hosts' worth of varied metrics, at this second."""
    lines = []
    for host in range(HOSTS):
        wave = 20 + 3 * math.sin((second + host * 7) / 9)
        lines.append(f"room,host=h{host} temperature={wave:.2f},people={(second // 11 + host) % 6}i {second * 1000}")
        lines.append(f"if,host=h{host} bytes={1000 * (host + 1)}i {second * 1000}")
        if second % 5 == 0:
            lines.append(f'door,host=h{host} state="{"open" if (second // 5 + host) % 3 else "shut"}" {second * 1000}')
    return "\n".join(lines)


def log_lines(second):
    """What the same hosts log in this second, as NDJSON; objects are what a message is about, and order is a field of the shop's own."""
    lines = []
    for host in range(HOSTS):
        request = second * HOSTS + host
        about = {"time": second * 1_000_000 + host, "source": f"h{host}"}
        lines.append({**about, "module": "web", "type": "access", "level": "info",
                      "text": f"GET /orders/{request % 977} {500 if request % 23 == 0 else 200} {request * 7 % 91} ms"})
        if request % 3 == 0:
            lines.append({**about, "module": "shop", "type": "order", "level": "notice", "order": request % 977,
                          "objects": [f"customer:{'abc'[request % 2]}:{request % 17}"], "text": f"order {request % 977} was paid"})
        if request % 23 == 0:
            lines.append({**about, "module": "shop", "type": "order", "level": "err", "order": request % 977,
                          "objects": [f"customer:a:{request % 17}"], "text": f"payment timeout after {request % 40} s"})
    return "".join(json.dumps(line) + "\n" for line in lines)


def show_messages(server):
    """Asked in five ways; each row is one message, and each name a column of it."""
    def row_of(row):
        when = time.strftime("%H:%M:%S", time.localtime(row["MessageTS"] / 1_000_000))
        return f"    {when} {row['Source']} {row['ModuleId']} [{row['Level']}] {row['Xmlmessage']}"

    shown = ["MessageTS", "Source", "ModuleId", "Level", "Xmlmessage"]
    total = server.messages(select_fields=[], aggregate=["count"])[0]["count"]
    print(f"\nLog messages. The hosts logged {total} of them.\n  the newest three errors:")
    errors = server.messages(select_fields=shown, where=[[{"name": "Level", "value": 3, "op": 5}]],
                             sort_fields=["MessageTS"], sort=2, limit=3)
    print("\n".join(map(row_of, errors)))
    counts = server.messages(select_fields=["ModuleId", "Level"], aggregate=["count"], sort_fields=["ModuleId", "Level"])
    print("  how many, by module and level: " + ", ".join(f"{row['ModuleId']} {row['Level']}: {row['count']}" for row in counts))
    word = server.messages(select_fields=[], aggregate=["count"], where=[[{"name": "Keyword", "value": "timeout", "op": 1}]])
    about = server.messages(select_fields=[], aggregate=["count"], where=[[{"name": "ObjectName", "value": "customer:a:", "op": 7}]])
    print(f"  with the word timeout: {word[0]['count'] if word else 0}; about customers of a: {about[0]['count'] if about else 0}")
    return bool(errors) and sum(row["count"] for row in counts) == total


def progress(server, what):
    counts = {state: 0 for state in ("open", "pending", "sealed")}
    for state in server.slots().values():
        counts[state] += 1
    states = " · ".join(f"{state} {count:>2}" for state, count in counts.items())
    print(f"{what:<34} slots: {states} · windows written {server.metric('varve_rollups_written_total'):>5}", flush=True)


def wait_until_sealed(server, start, what):
    """Prints how the slot does, once a second."""
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        state = server.slots().get(start, "unknown")
        progress(server, f"  {what}: {state}")
        if state == "sealed":
            return
        time.sleep(1)
    sys.exit(f"demo: the slot was not sealed; the server's log is {server.log.name}")


def late_sample(server, first):
    slot = (first // SLOT_S * SLOT_S + SLOT_S) * 1000  # the first whole slot
    end = slot + SLOT_S * 1000 - 1
    clock = time.strftime("%H:%M:%S", time.localtime(slot / 1000))
    print(f"\nA late sample. The slot of {clock} was sealed; one host remembers 99 degrees in it.")
    wait_until_sealed(server, slot, f"slot of {clock}")
    before = server.average(slot, end)[0][1]
    server.call("/write?precision=ms", f"room,host=h0 temperature=99 {slot + 500}".encode())
    after = server.average(slot, end)[0][1]
    print(f"  the slot's average: {before:.3f} from its windows; {after:.3f} at once after the write, from samples again")
    wait_until_sealed(server, slot, f"slot of {clock}")
    again = server.average(slot, end)[0][1]
    print(f"  the slot's average: {again:.3f} from the windows that were made anew")
    return after != before and abs(again - after) < 1e-9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/varve")
    parser.add_argument("--seconds", type=int, default=40, help="of live samples")
    options = parser.parse_args()
    server = Server(options.binary)
    try:
        server.wait_ready()
        print(f"varve at {server.url}: slots of {CONFIG['slots.width']}, sealed {CONFIG['slots.quiet']} after their end at the earliest, "
              f"into windows of 5s, 10s and 1m ({CONFIG['rollups']}).\n"
              "A slot is open until its time is over, pending until all its samples are in its windows, then sealed.\n"
              "(Windows of the server's own metrics are counted too.)\n"
              f"Log messages, as they come, in another terminal: {options.binary} logs -f --url {server.url}\n")
        first = int(time.time())
        for second in range(first, first + options.seconds):
            while time.time() < second:
                time.sleep(0.02)
            server.call("/write?precision=ms", sample_lines(second).encode())
            server.call("/api/v1/messages", log_lines(second).encode())
            if (second - first) % 2 == 0:
                progress(server, f"{second - first:>3} s: samples and logs of {HOSTS} hosts")
        found = show_messages(server)
        exact = late_sample(server, first)
        print("\nThe same question, the same answer: before sealing, after it, and after the late sample."
              if exact else "\nThe answers differ: that is a bug.")
        return 0 if exact and found else 1
    finally:
        server.close()


if __name__ == "__main__":
    sys.exit(main())
