# SPDX-License-Identifier: Apache-2.0
"""What Contrail's own tests ask of its analytics API (contrail_cases/), of messages that are hot, sealed and half of each, and
again after a restart. docs/contrail.md says which cases there are."""

import datetime
import json
import pathlib
import re
import socket
import time
import unittest

from support.case import ServerCase
from support.logs import Logs, now_us
from support.server import free_port

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "contrail.md"
STEP = 1 << 23  # µs
HOUR = 3600 * 1_000_000
T = (now_us() - 3 * HOUR) // STEP * STEP
LATER = {"Expect": "202-accepted"}


def cases(name):
    return json.loads((HERE / "contrail_cases" / f"{name}.json").read_text(encoding="utf-8"))


def time_of(at):
    return T + at if isinstance(at, int) else at


def terms(group):
    out = []
    for name, op, *values in group:
        values = [T + v for v in values] if name == "MessageTS" else values
        out.append({"name": name, "op": op, **dict(zip(("value", "value2"), values))})
    return out


def question(case):
    """The body of a query."""
    body = {"table": case.get("table", "MessageTable"), "start_time": time_of(case.get("from", 0)), "end_time": time_of(case.get("to", "now")),
            "select_fields": case["select"], **{key: case[key] for key in ("sort_fields", "sort", "limit") if key in case}}
    if "where" in case:
        body["where"] = [terms(group) for group in case["where"]]
    if "filter" in case:
        flat = case["filter"] and isinstance(case["filter"][0][0], str)
        body["filter"] = terms(case["filter"]) if flat else [terms(group) for group in case["filter"]]
    return body


def placed(row):
    return {**row, "MessageTS": T + row["MessageTS"]} if "MessageTS" in row else row


class Contrail(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.tcp = free_port()
        cls.config = {"syslog.tcp": f"127.0.0.1:{cls.tcp}", "syslog.tenant": "syslog"}
        super().setUpClass()
        cls.hot, cls.sealed, cls.half = (Logs(cls.server, name) for name in ("hot", "sealed", "half"))

    def ask(self, logs, body, headers=()):
        return self.server.request("POST", "/analytics/query", body if isinstance(body, bytes) else json.dumps(body).encode(),
                                   {**logs.headers, **dict(headers)})

    def later(self, logs, body):
        """The answer that comes later, and how its state describes it."""
        begun = self.ask(logs, body, LATER.items())
        self.assertEqual(begun.status, 202, begun.body)
        href = json.loads(begun.body)["href"]
        until = time.monotonic() + 60
        while True:
            state = json.loads(self.server.request("GET", href, headers=logs.headers).body)
            if state["progress"] == 100:
                break
            self.assertGreaterEqual(state["progress"], 0, state)
            self.assertLess(time.monotonic(), until)
        return self.server.request("GET", state["chunks"][0]["href"], headers=logs.headers), state["chunks"][0]


class Stored(Contrail):
    def put(self, logs, messages):
        for is_xml in (False, True):
            some = [m for m in messages if m.get("xml", False) == is_xml]
            batch = [{"time": T + m["at"], **{k: v for k, v in m.items() if k not in ("at", "xml")}} for m in some]
            logs.put(*batch, **({"objects": "xml"} if is_xml else {}))

    def ways(self):
        population = cases("population")
        self.put(self.sealed, population)
        self.put(self.half, population[::2])
        self.server.settle()
        self.put(self.half, population[1::2])
        self.put(self.hot, population)
        for restarted in ("", ", after a restart"):
            for way in ("hot", "sealed", "half"):
                yield way + restarted, getattr(self, way)
            self.server.restart()

    def test_cases(self):
        asked = cases("queries") + cases("objects")
        for way, logs in self.ways():
            for case in asked:
                with self.subTest(f"case {case['case']}, {way}", case=case):
                    self.check(logs, case, "restart" in way)

    def check(self, logs, case, also_later):
        body = question(case)
        answer = self.ask(logs, body)
        expect = case["expect"]
        self.assertEqual(answer.status, expect.get("status", 200), answer.body)
        if answer.status != 200:
            self.assertIn(expect.get("says", "error"), answer.body.decode())
            self.assertEqual(self.ask(logs, body, LATER.items()).status, answer.status)
            return
        rows = json.loads(answer.body)["value"]
        self.check_rows(rows, expect)
        self.assertTrue(all(list(row) == case["select"] for row in rows), rows)
        if also_later:
            again, chunk = self.later(logs, body)
            self.assertEqual(json.loads(again.body)["value"], rows)
            self.assertEqual(chunk["count"], len(rows))

    def check_rows(self, rows, expect):
        if "rows" in expect:
            self.assertEqual(rows, [placed(row) for row in expect["rows"]])
        if "count" in expect:
            self.assertEqual(len(rows), expect["count"], rows)
        for column, value in expect.get("each", {}).items():
            self.assertEqual({row[column] for row in rows}, {value})
        for column, values in expect.get("values", {}).items():
            self.assertEqual(sorted({row[column] for row in rows}), values)
        for column, prefix in expect.get("prefix", {}).items():
            self.assertTrue(all(row[column].startswith(prefix) for row in rows), rows)
        for column in expect.get("integers", []):
            self.assertTrue(all(type(row[column]) is int for row in rows), rows)
        for order, down in (("rising", False), ("falling", True)):
            if order in expect:
                values = [row[expect[order]] for row in rows]
                self.assertEqual(values, sorted(values, reverse=down))


class Requests(Contrail):
    def test_cases(self):
        logs = Logs(self.server, "requests")
        logs.put({"text": "any"})
        for case in cases("requests"):
            with self.subTest(f"case {case['case']}", case=case):
                if "body" in case:
                    self.assertEqual(self.ask(logs, case["body"].encode()).status, case["status"])
                    continue
                body = {"table": "MessageTable", "start_time": case["start"], "end_time": case["end"], "select_fields": ["Source"]}
                self.assertEqual(self.ask(logs, body).status, case.get("status", 200))
                if "span" in case:
                    _, chunk = self.later(logs, body)
                    self.assertEqual(chunk["end_time"] - chunk["start_time"], case["span"])
                    if case["end"] in ("now", "now+3600s"):
                        self.assertLess(abs(chunk["end_time"] - now_us() - (HOUR if case["end"] != "now" else 0)), 60_000_000)
        self.assertEqual(logs.texts(), ["any"])  # it is still there


class Syslog(Contrail):
    def refused(self, reason):
        return self.server.metric("varve_messages_rejected_total", protocol="syslog", reason=reason)

    def send(self, frame):
        now = datetime.datetime.now()
        utc = datetime.datetime.now(datetime.timezone.utc)
        values = {"{date}": f"{now:%b} {now.day:2} {now:%H:%M:%S}", "{iso}": f"{utc:%Y-%m-%dT%H:%M:%S}.125Z", "{iso+}": f"{utc:%Y-%m-%dT%H:%M:%S}+00:00"}
        for name, value in values.items():
            frame = frame.replace(name, value)
        if frame.startswith("{count} "):
            text = frame.removeprefix("{count} ")
            frame = f"{len(text.encode())} {text}"
        with socket.create_connection(("127.0.0.1", self.tcp), timeout=20) as connection:
            connection.sendall(frame.encode())
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(connection.recv(1), b"")  # closed in order: durable

    def test_cases(self):
        logs = Logs(self.server, "syslog")
        seen = 0
        for case in cases("syslog"):
            with self.subTest(f"case {case['case']}", case=case):
                rows = case.get("rows") or [case[key] for key in ("row",) if key in case]
                before = self.refused(case["refused"]) if "refused" in case else 0
                self.send(case["frame"])
                if "refused" in case:
                    self.assertEqual(self.refused(case["refused"]), before + 1)
                found = logs.rows(["MessageTS"])
                self.assertEqual(len(found), seen + len(rows))
                seen = len(found)
                for row in rows:
                    where = [[{"name": name, "value": value, "op": 1} for name, value in row.items() if value is not None]]
                    self.assertEqual(logs.rows(list(row), where=where), [row])


class Document(unittest.TestCase):
    def test_every_case_is_named(self):
        """docs/contrail.md has a row for each of the 69, and says of which the cases are here."""
        listed = {}
        for first, last, where in re.findall(r"^\| (\d+)(?:–(\d+))? \|[^|]*\| (.*) \|$", DOCUMENT.read_text(encoding="utf-8"), re.M):
            for number in range(int(first), int(last or first) + 1):
                self.assertNotIn(number, listed)
                listed[number] = where
        self.assertEqual(sorted(listed), list(range(1, 70)))
        here = {case["case"] for name in ("queries", "objects", "requests", "syslog") for case in cases(name)}
        self.assertEqual(here, {number for number, where in listed.items() if "contrail_test" in where})


if __name__ == "__main__":
    unittest.main()
