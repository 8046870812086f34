# SPDX-License-Identifier: Apache-2.0
"""Scenarios of log messages, beside VictoriaLogs: loading, the other ways in, who follows, datagrams."""

import http.client
import json
import socket
import statistics
import subprocess
import threading
import time

from common import Row, interleaved, measure, median, run_load
from databases import Varve, http_call
from settle import metric
from victorialogs import VictoriaLogs

MIB = 1 << 20
DAY_US = 86_400_000_000


class LogVarve(Varve):
    more = ("--syslog.tcp=127.0.0.1:18484", "--syslog.udp=127.0.0.1:18484")
    paths = {}
    syslog_port = 18484


def both(settings):
    return [LogVarve] + ([VictoriaLogs] if "victoria-logs" in settings.peers else [])


def log_flags(settings, database, protocol, count, **more):
    flags = {"protocol": protocol, "messages": count, "start": settings.start_ms, "lines": 5000, "connections": 2, **more}
    if protocol == "syslog":
        flags["connections"] = 1
        flags["url"] = f"127.0.0.1:{database.syslog_port}"
    elif protocol in database.paths:
        flags["url"] = f"127.0.0.1:{database.port}{database.paths[protocol]}"
    return flags


def count_stored(database, settings):
    """All messages of the day."""
    if database.name == "varve":
        body = {"table": "MessageTable", "start_time": settings.start_ms * 1000,
                "end_time": settings.start_ms * 1000 + DAY_US, "select_fields": [], "aggregate": ["count"]}
        status, answer = http_call(database.port, "POST", "/analytics/query", json.dumps(body))
        rows = json.loads(answer)["value"] if status == 200 else []
        return rows[0]["count"] if rows else 0
    _, answer = http_call(database.port, "GET", "/select/logsql/query?query=*%20%7C%20stats%20count()%20n")
    return int(json.loads(answer)["n"]) if answer else 0


def expect(database, settings, count):
    found = count_stored(database, settings)
    if found != count:
        raise RuntimeError(f"{database.name} has {found} messages, not {count}")


def loaded(settings, kind, protocol, count):
    """A server with these messages in their final form: (Measured, server)."""
    result, server = measure(settings, kind, settle=True, keep=True, **log_flags(settings, kind, protocol, count))
    try:
        expect(server, settings, count)
    except BaseException:
        server.close()
        raise
    return result, server


def load_once(settings, kind, protocol, count):
    result, server = loaded(settings, kind, protocol, count)
    server.close()
    return result


def log_load(settings):
    count = 200_000 if settings.quick else 2_000_000
    results = interleaved(settings, "messages by NDJSON", both(settings), settings.rounds,
                          lambda d: load_once(settings, d, "ndjson", count))
    against = {"against": "victoria-logs", "higher_is_better": False}

    def row(what, unit, pick, goal=0.0):
        return Row("messages: " + what, unit, median(results, pick), f"<= {goal} x VictoriaLogs" if goal else "", goal, **against)

    size = statistics.median(r.load["bytes"] for r in results["varve"])
    return [
        row("NDJSON, 5,000 a request, 2 connections: time", "s", lambda r: r.load["seconds"], 0.4),
        row("CPU until settled", "us/message", lambda r: r.cpu_settled_ns / 1e3, 0.33),
        row("CPU while loading", "us/message", lambda r: r.cpu_ns / 1e3, 0.2),
        row("JSON by CPU until settled", "MB/s", lambda r: size / 1e6 / r.cpu_settled_s),
        row("on disk when settled, of the JSON", "%", lambda r: 100 * r.disk / size, 0.8),
        row("peak memory", "MiB", lambda r: r.peak / MIB, 1),
        row("longest request", "ms", lambda r: r.load["latency_us"]["max"] / 1e3, 0.5),
    ]


def log_pushes(settings):
    count = 100_000 if settings.quick else 400_000
    rows = []
    for protocol in ("loki", "otlp_logs", "bulk", "syslog"):
        results = interleaved(settings, f"messages by {protocol}", both(settings), settings.rounds,
                              lambda d, p=protocol: load_once(settings, d, p, count))
        rows.append(Row(f"messages: {protocol}, CPU until settled", "us/message",
                        median(results, lambda r: r.cpu_settled_ns / 1e3), "<= 0.4 x VictoriaLogs", 0.4,
                        higher_is_better=False, against="victoria-logs"))
    return rows


class Follower(threading.Thread):
    """Notes how long each message took from being sent to being seen."""

    def __init__(self, port, expected):
        super().__init__(daemon=True)
        self.port, self.expected, self.took_ms, self.ready = port, expected, [], threading.Event()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = {"table": "MessageTable", "start_time": "now", "select_fields": ["Xmlmessage"], "follow": True,
                "where": [[{"name": "Source", "value": "followed", "op": 1}]]}
        connection.request("POST", "/analytics/query", json.dumps(body), {"Accept": "application/x-ndjson"})
        answer = connection.getresponse()
        self.ready.set()
        while len(self.took_ms) < self.expected:
            line = answer.readline()
            if not line:
                return
            self.took_ms.append((time.time() - float(json.loads(line)["Xmlmessage"])) * 1000)
        connection.close()


def log_follow(settings):
    """Messages one by one, fifty a second, each seen by twenty who follow; others are written meanwhile."""
    count, followers = (50, 20) if settings.quick else (250, 20)
    server = LogVarve(settings.directory)
    try:
        server.start()
        watching = [Follower(server.port, count) for _ in range(followers)]
        for follower in watching:
            follower.start()
            follower.ready.wait(10)
        begin = time.monotonic()
        for i in range(count):
            time.sleep(max(0, begin + i / 50 - time.monotonic()))
            http_call(server.port, "POST", "/api/v1/messages", json.dumps({"source": "followed", "text": f"{time.time():.6f}"}))
        for follower in watching:
            follower.join(30)
            if len(follower.took_ms) != count:
                raise RuntimeError(f"a follower saw {len(follower.took_ms)} messages of {count}")
        took = sorted(t for follower in watching for t in follower.took_ms)
        return [Row("messages: written to seen by twenty who follow", "ms p95", {"varve": took[len(took) * 95 // 100]},
                    "<= 100 ms", goal_value=100, higher_is_better=False)]
    finally:
        server.close()


def log_datagrams(settings):
    """Syslog over UDP at 100,000 messages a second: all that was sent has to be there."""
    seconds, rate = (1, 100_000) if settings.quick else (5, 100_000)
    server = LogVarve(settings.directory)
    try:
        server.start()
        before = server.cpu_seconds()
        subprocess.run(["python3", __file__, str(server.syslog_port), str(rate), str(seconds)], check=True)
        sent, stored, quiet = rate * seconds, 0, 0
        while stored < sent and quiet < 30:
            time.sleep(0.1)
            now = metric(server, 'varve_messages_accepted_total{protocol="syslog"}')
            quiet, stored = (quiet + 1 if now == stored else 0), now
        cpu = server.cpu_seconds() - before
        settings.say(f"datagrams: {stored:.0f} of {sent} stored, {cpu * 1e6 / sent:.2f} us CPU a message")
        return [Row(f"messages: lost of {rate} datagrams a second", "%", {"varve": 100 * (1 - stored / sent)}, "none",
                    goal_value=1e-9, higher_is_better=False),
                Row("messages: syslog over UDP, CPU while loading", "us/message", {"varve": cpu * 1e6 / sent},
                    higher_is_better=False)]
    finally:
        server.close()


def send_datagrams(port, rate, seconds):
    """Held to the rate by hundreds; runs in a process of its own."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.connect(("127.0.0.1", port))
    texts = [f"<13>1 - web{i % 40:02} app {i} - - request {i * 7919 % 100_000} served in {i % 977} ms".encode() for i in range(1000)]
    begin = time.monotonic()
    for i in range(0, rate * seconds, 100):
        ahead = begin + i / rate - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        for text in texts[i % 1000:i % 1000 + 100]:
            out.send(text)


if __name__ == "__main__":
    import sys
    send_datagrams(*map(int, sys.argv[1:]))
