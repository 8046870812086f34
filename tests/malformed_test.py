# SPDX-License-Identifier: Apache-2.0
"""Malformed input of every protocol: the right status, the right shape of error, the neighbours kept, the server well."""

import json
import socket
import unittest

import malformed_analytics
import malformed_cases as cases
import malformed_messages as messages
import malformed_otlp
from support.case import T0, ServerCase
from support.client import raw_http
from support.logs import Logs
from support.server import free_port


class Shapes:
    """Whether an error has the shape its protocol promises; each returns a complaint or None."""

    @staticmethod
    def kairosdb(answer):
        errors = answer.json().get("errors")
        if not isinstance(errors, list) or not errors or not all(isinstance(e, str) and e for e in errors):
            return "not {\"errors\":[text, …]}"
        return None

    @staticmethod
    def opentsdb(answer):
        got = answer.json()
        if "error" in got:
            error = got["error"]
            return None if error.get("code") == answer.status and error.get("message") else "not {error:{code,message}}"
        if got.get("failed", 0) < 1:
            return "neither an error nor a count of failures"
        if "errors" in got and len(got["errors"]) != got["failed"]:
            return "not one error for each failure"
        return None

    @staticmethod
    def influx(answer):
        got = answer.json()
        text = got.get("error") or got.get("message")  # v1, v2
        return None if isinstance(text, str) and text else "no error text"

    @staticmethod
    def otlp(answer):
        if answer.header("Content-Type") == "application/x-protobuf":
            return None if answer.body.startswith(b"\x08\x03\x12") else "not a Status in protobuf"
        got = answer.json()
        if answer.status == 200:
            partial = got.get("partialSuccess", {})
            return None if partial.get("rejectedLogRecords", partial.get("rejectedDataPoints")) == "1" and partial.get("errorMessage") else "no partialSuccess"
        return None if got.get("code") and got.get("message") else "not a Status"

    @staticmethod
    def bulk(answer):
        got = answer.json()
        if answer.status != 200:
            return None if got["error"]["reason"] and got["error"]["root_cause"] and got["status"] == answer.status else "no error"
        (item,) = (item for items in got["items"] for item in items.values())
        refused = got["errors"] and item["status"] == 400 and item["error"]["type"] and item["error"]["reason"]
        return None if refused else "an item that is not refused"

    @staticmethod
    def text(answer):
        return None if answer.body.strip() else "no reason"

    @staticmethod
    def plain(answer):
        return None if answer.header("Content-Type").startswith("text/plain") and answer.body.strip() else "not plain text"

    @staticmethod
    def json(answer):
        answer.json()
        return None

    @staticmethod
    def error(answer):
        return None if answer.json().get("error") else "no error text"

    @staticmethod
    def allow(answer):
        return None if answer.header("Allow") else "no Allow header"


class Malformed(ServerCase):
    def assert_healthy(self):
        self.assertTrue(self.server.alive())
        self.assertEqual(self.server.get("/-/healthy").status, 200)

    def run_table(self, table):
        for case in table:
            with self.subTest(case.name):
                answer = self.server.request(case.method, case.path, case.body, case.headers)
                allowed = case.status if isinstance(case.status, tuple) else (case.status,)
                self.assertIn(answer.status, allowed, answer)
                if case.shape:
                    complaint = getattr(Shapes, case.shape)(answer)
                    self.assertIsNone(complaint, answer)
                for metric in case.kept:
                    self.assertEqual(self.server.values(metric), [(T0, 1)], metric)
                for metric in case.absent:
                    self.assertEqual(self.server.values(metric), [], metric)
        self.assert_healthy()

    def test_enough_cases(self):
        self.assertGreaterEqual(len(cases.ALL) + len(cases.TELNET), 60)
        names = [c.name for c in cases.ALL + malformed_otlp.OTLP_METRICS + malformed_analytics.ANALYTICS]
        self.assertEqual(len(names), len(set(names)))

    def test_kairosdb(self):
        self.run_table(cases.KAIROSDB)

    def test_query(self):
        self.run_table(cases.QUERY)

    def test_opentsdb(self):
        self.run_table(cases.OPENTSDB)

    def test_influx(self):
        self.run_table(cases.INFLUX)

    def test_remote_write(self):
        self.run_table(cases.REMOTE_WRITE)

    def test_otlp_metrics(self):
        self.run_table(malformed_otlp.OTLP_METRICS)

    def test_messages(self):
        self.run_table(cases.LOKI + cases.OTLP + cases.BULK)

    def test_analytics(self):
        self.run_table(malformed_analytics.ANALYTICS)

    def test_http(self):
        self.run_table(cases.HTTP)

    def test_loki_queries(self):
        self.run_table(cases.LOGQL)

    def test_opentsdb_names_each_bad_point(self):
        points = [cases.point("od.a"), cases.point("od.b", value="x"), cases.point("od.c"), cases.point("od.d", tags={})]
        answer = self.server.post("/api/put?details", points)
        self.assertEqual(answer.status, 400)
        got = answer.json()
        self.assertEqual((got["success"], got["failed"]), (2, 2))
        self.assertEqual([e["datapoint"]["metric"] for e in got["errors"]], ["od.b", "od.d"])
        self.assertTrue(all(e["error"] for e in got["errors"]))

    def test_influx_names_the_line(self):
        answer = self.server.post("/write?precision=ms", f"il value=1 {T0}\nil value= {T0 + 1}\nil value=3 {T0 + 2}\n")
        self.assertEqual(answer.status, 400)
        self.assertRegex(answer.json()["error"], "(?i)partial write.*line 2|line 2.*partial write|2")
        self.assertEqual(self.server.values("il"), [(T0, 1), (T0 + 2, 3)])

    def test_telnet_keeps_the_neighbours(self):
        for i, (name, line) in enumerate(cases.TELNET):
            with self.subTest(name):
                metric = f"tb.good.{i}"
                bad = line if isinstance(line, bytes) else line.encode()
                with self.server.telnet() as t:
                    t.send(f"putm {metric} {T0} 1 h=a\n".encode() + bad + f"\nputm {metric} {T0 + 1} 2 h=a\n".encode())
                    t.finish()
                self.assertEqual(self.server.values(metric), [(T0, 1), (T0 + 1, 2)])
        self.assertEqual(self.server.values("tb.bad"), [])
        self.assert_healthy()

    def test_broken_http(self):
        for name, data in {
            "not HTTP": b"hello\r\n\r\n",
            "no version": b"GET /-/healthy\r\n\r\n",
            "bad version": b"GET /-/healthy HTTP/9.9\r\n\r\n",
            "binary": bytes(range(256)) * 4,
            "bad content length": b"POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
            "negative content length": b"POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
            "two content lengths": b"POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            "bad chunk": b"POST /write HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
            "chunk too long": b"POST /write HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            "huge header": b"GET /-/healthy HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 1_000_000 + b"\r\n\r\n",
            "many headers": b"GET /-/healthy HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(20_000)) + b"\r\n",
            "long target": b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
            "bad escape in the path": b"GET /t/%zz/metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        }.items():
            with self.subTest(name):
                got = raw_http(self.server.port, data)
                self.assertRegex(got[:12].decode("latin-1"), r"^(HTTP/1\.[01] (400|404|405|413|414|431|505)|$)")
        self.assert_healthy()

    def test_content_length_over_the_limit_is_refused_unread(self):
        got = raw_http(self.server.port, b"POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
        self.assertEqual(got[:12], b"HTTP/1.1 413")

    def test_errors_are_counted(self):
        before = self.server.metric("varve_samples_rejected_total")
        self.server.post("/write?precision=ms", f"ic value=abc {T0}\n")
        self.assertEqual(self.server.metric("varve_samples_rejected_total"), before + 1)


class MalformedMessages(ServerCase):
    """Each case has a tenant of its own."""

    config = {"syslog.tcp": f"127.0.0.1:{free_port()}", "syslog.tenant": "syslog"}

    def stored(self, number):
        logs = Logs(self.server, f"t{number}")
        return logs.texts() if logs.rows(["Source"]) else []

    def test_enough_cases(self):
        pushed = cases.LOKI + cases.OTLP + cases.BULK + cases.LOGQL
        of_messages = (messages.LINES, messages.BODIES, messages.XML, messages.SYSLOG, messages.ANALYTICS, pushed)
        self.assertGreaterEqual(sum(map(len, of_messages)), 270)
        for table in of_messages[:-1]:
            self.assertEqual(len({case[0] for case in table}), len(table))

    def test_lines(self):
        for number, (name, line, says) in enumerate(messages.LINES):
            with self.subTest(name):
                bad = line if isinstance(line, bytes) else line.encode()
                answer = self.server.post("/api/v1/messages", b'{"text":"before"}\n' + bad + b'\n\n{"text":"after"}\n', {"X-Tenant": f"t{number}"})
                self.assertEqual(answer.status, 400)
                got = answer.json()
                self.assertEqual((got["accepted"], got["rejected"], [e["line"] for e in got["errors"]]), (2, 1, [2]), got)
                self.assertIn(says, got["errors"][0]["error"])
                self.assertLess(len(got["errors"][0]["error"]), 1000)
                self.assertEqual(self.stored(number), ["before", "after"])
        self.assertTrue(self.server.alive())

    def test_bodies(self):
        for number, (name, body, headers, parameters, status, kept) in enumerate(messages.BODIES, 1000):
            with self.subTest(name):
                answer = self.server.post("/api/v1/messages" + parameters, body, {"X-Tenant": f"t{number}", **headers})
                self.assertEqual(answer.status, status, answer)
                self.assertTrue(answer.body.strip())
                if kept is not None:
                    self.assertEqual(self.stored(number), kept)

    def test_xml(self):
        table = [(*case, None) for case in messages.XML] + messages.XML_NAMES
        for number, (name, text, named) in enumerate(table, 2000):
            with self.subTest(name):
                logs = Logs(self.server, f"t{number}")
                logs.put({"text": text}, objects="xml")
                self.assertEqual(logs.rows(["Xmlmessage", "ObjectName"]), [{"Xmlmessage": text, "ObjectName": named and [named]}])

    def test_analytics(self):
        Logs(self.server).put({"text": "x", "source": "a", "objects": ["ObjectVNTable:x"]})
        for name, body, status in messages.ANALYTICS:
            with self.subTest(name):
                answer = self.server.post("/analytics/query", body)
                self.assertIn(answer.status, status if isinstance(status, tuple) else (status,), answer)
                self.assertTrue(answer.body.strip())
                self.assertLess(len(answer.body), 2000)
        self.assertTrue(self.server.alive())

    def test_syslog(self):
        def refused(reason):
            return self.server.metric("varve_messages_rejected_total", protocol="syslog", reason=reason)
        logs, address = Logs(self.server, "syslog"), ("127.0.0.1", int(self.config["syslog.tcp"].rpartition(":")[2]))
        expected = []
        for name, text, reason in messages.SYSLOG:
            frame = text if isinstance(text, bytes) else text.encode()
            for way, framed in (("line", frame + b"\n"), ("counted", b"%d %s" % (len(frame), frame))):
                with self.subTest(f"{name}, {way}"):
                    before = refused(reason)
                    good = f"{name} {way}"
                    lines = [f"<13>1 - h good - - - {good} {n}".encode() for n in (1, 2)]
                    with socket.create_connection(address, timeout=20) as s:
                        s.sendall(b"%d %s" % (len(lines[0]), lines[0]) + framed + lines[1] + b"\n")
                        s.shutdown(socket.SHUT_WR)
                        self.assertEqual(s.recv(1), b"")
                    self.assertEqual(refused(reason), before + 1)
                    expected += [f"{good} 1", f"{good} 2"]
                    self.assertEqual(logs.texts(), expected)


if __name__ == "__main__":
    unittest.main()
