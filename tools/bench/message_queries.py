# SPDX-License-Identifier: Apache-2.0
"""Questions about a day of log messages, to varve and to VictoriaLogs: first compared answer by answer, then timed."""

import json
import os
import statistics
import urllib.parse
from dataclasses import dataclass, field

from common import Row, run_load
from databases import Varve, http_call
from messages import DAY_US, both, loaded

NEEDLE = "needle000000005003"
SLOW = r"duration: 19[0-9]{3}\.[0-9]+ ms  statement: SELECT id, state, total FROM inventory"
DEEP = "ObjectVNTable:default-domain:proj-7:vn-1"


@dataclass
class Question:
    logsql: str
    goal: float
    where: list = field(default_factory=list)  # (name, value, operator)
    group: list = field(default_factory=list)  # columns of a count
    newest: int = 0                            # rows, newest first; 0: counted
    rows: bool = False


QUESTIONS = {
    "a word that is there once": Question(NEEDLE, 0.5, [("Keyword", NEEDLE, 1)], rows=True),
    "count of a word in 1 %": Question("exhausted | stats count() n", 0.33, [("Keyword", "exhausted", 1)]),
    "count of a regular expression": Question(f"_msg:~{json.dumps(SLOW)} | stats count() n", 0.5,
                                              [("Xmlmessage", f".*{SLOW}.*", 8)]),
    "newest 100 with a word": Question("exhausted | sort by (_time desc) limit 100", 0.1, [("Keyword", "exhausted", 1)], newest=100),
    "newest 100 of a module": Question("{module=\"nginx\"} | sort by (_time desc) limit 100", 0.15, [("ModuleId", "nginx", 1)], newest=100),
    "count by prefix of an object": Question(f'objects:"{DEEP}"* | stats count() n', 0.2, [("ObjectName", DEEP, 7)]),
    "counts by type and level": Question("* | stats by (type, level) count() n", 0.33, group=["Messagetype", "Level"]),
    "counts by hour": Question("* | stats by (_time:1h) count() n", 0.33, group=["T=3600"]),
    "count of level <= 3": Question("level:<=3 | stats count() n", 0.5, [("Level", 3, 5)]),
    "counts by module": Question("* | stats by (module) count() n", 2, group=["ModuleId"]),
}


def request(database, question, start_us):
    """(method, path, body)"""
    if isinstance(database, Varve):
        body = {"table": "MessageTable", "start_time": start_us, "end_time": start_us + DAY_US,
                "where": [[{"name": n, "value": v, "op": op} for n, v, op in question.where]] if question.where else None,
                "select_fields": ["MessageTS", "Source", "Xmlmessage"]}
        if question.newest:
            body.update(sort_fields=["MessageTS"], sort=2, limit=question.newest)
        elif not question.rows:
            body.update(select_fields=question.group, aggregate=["count"])
        return "POST", "/analytics/query", json.dumps({k: v for k, v in body.items() if v is not None})
    asked = question.logsql + (" | fields _time, source, _msg" if question.rows or question.newest else "")
    form = urllib.parse.urlencode({"query": asked, "start": start_us * 1000, "end": (start_us + DAY_US) * 1000})
    return "GET", "/select/logsql/query?" + form, ""


def counts(rows, pick):
    return sorted((tuple(str(v) for k, v in sorted(pick(row).items())), int(row.get("count", row.get("n")))) for row in rows)


def ask(database, question, start_us):
    """The texts of rows, or counts with what they are grouped by, in an order of its own."""
    method, path, body = request(database, question, start_us)
    status, answer = http_call(database.port, method, path, body or None, {"Content-Type": "application/json"} if body else {})
    if status != 200:
        raise RuntimeError(f"{database.name} answers {status} to {question.logsql}: {answer[:300]!r}")
    rows = json.loads(answer)["value"] if isinstance(database, Varve) else [json.loads(r) for r in answer.splitlines()]
    if question.rows or question.newest:
        return sorted(row.get("Xmlmessage", row.get("_msg")) for row in rows)
    if question.group == ["T=3600"]:
        return sorted(int(row.get("count", row.get("n"))) for row in rows)
    names = {"Messagetype": "type", "Level": "level", "ModuleId": "module"}
    return counts(rows, lambda row: {names.get(k, k): v for k, v in row.items() if k not in ("count", "n")})


def time_question(settings, database, question):
    method, path, body = request(database, question, settings.start_ms * 1000)
    name = os.path.join(settings.directory, "questions")
    with open(name, "wb") as f:
        f.write(f"{method} {path} {len(body)}\n{body}\n".encode())
    run_load(settings, database, queries=name, connections=1, repeat=5)  # warm
    got = run_load(settings, database, queries=name, connections=1, repeat=200, seconds=3)
    return got["latency_us"]["p50"] / 1000


def log_queries(settings):
    count = 200_000 if settings.quick else 2_000_000
    servers, rows = [], []
    try:
        for kind in both(settings):
            servers.append(loaded(settings, kind, "ndjson", count)[1])
            settings.say(f"message queries: {kind.name} loaded and settled")
        for what, question in QUESTIONS.items():
            answers = [ask(server, question, settings.start_ms * 1000) for server in servers]
            if any(answer != answers[0] for answer in answers) or not answers[0]:
                raise RuntimeError(f"{what}: the answers differ: {[str(a)[:300] for a in answers]}")
            times = {server.name: [] for server in servers}
            for _ in range(settings.rounds):
                for server in servers:
                    times[server.name].append(time_question(settings, server, question))
            cells = {name: statistics.median(values) for name, values in times.items()}
            settings.say(f"message queries: {what}: " + ", ".join(f"{n} {v:.2f} ms" for n, v in cells.items()))
            rows.append(Row(f"messages: {what}", "ms p50", cells, f"<= {question.goal} x VictoriaLogs", question.goal,
                            higher_is_better=False, against="victoria-logs"))
    finally:
        for server in servers:
            server.close()
    return rows
