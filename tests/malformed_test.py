# SPDX-License-Identifier: Apache-2.0
"""Malformed input of every protocol: the right status, the right shape of error, the neighbours kept, the server well."""

import json
import unittest

import malformed_cases as cases
from support.case import T0, ServerCase
from support.client import raw_http


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
            return None if partial.get("rejectedLogRecords") == "1" and partial.get("errorMessage") else "no partialSuccess"
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
        names = [c.name for c in cases.ALL]
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

    def test_messages(self):
        self.run_table(cases.LOKI + cases.OTLP + cases.BULK)

    def test_analytics(self):
        self.run_table(cases.ANALYTICS)

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


if __name__ == "__main__":
    unittest.main()
