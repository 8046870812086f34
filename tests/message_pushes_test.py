# SPDX-License-Identifier: Apache-2.0
"""Log messages pushed as other products' clients push them are found with all that they say; bad ones are refused in the
product's words, and nothing of one tenant reaches another."""

import gzip
import json
import struct
import time
import unittest

from support import wire
from support.case import ServerCase
from support.logs import SECOND, Logs, now_us, term

T = now_us() // SECOND * SECOND - 3600 * SECOND
OLD = T - 40 * 86400 * SECOND
AHEAD = T + 3 * 86400 * SECOND
ALL = ["MessageTS", "Source", "ModuleId", "Level", "Xmlmessage"]
JSON = {"Content-Type": "application/json"}
PROTOBUF = {"Content-Type": "application/x-protobuf"}
NDJSON = {"Content-Type": "application/x-ndjson"}


def fixed64(number, value):
    return wire.varint(number << 3 | 1) + struct.pack("<Q", value)


def integer(number, value):
    return wire.varint(number << 3) + wire.varint(value)


def text(number, value):
    return wire.field(number, value.encode())


class Pushes(ServerCase):
    """What the cases of all protocols do alike: one tenant each."""

    path = ""

    def push(self, tenant, body, headers, path=None):
        return self.server.post(f"/t/{tenant}{path or self.path}", body, headers)

    def rows(self, tenant, select, **more):
        return Logs(self.server, tenant).rows(select, **more)

    def counted(self, name, protocol):
        got = self.server.get("/metrics").body.decode()
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in got.splitlines()
                   if line.startswith(name + "{") and f'protocol="{protocol}"' in line)


class Loki(Pushes):
    path = "/loki/api/v1/push"

    @staticmethod
    def body(labels, *entries):
        return json.dumps({"streams": [{"stream": labels, "values": [[str(e[0]), *e[1:]] for e in entries]}]}).encode()

    @staticmethod
    def protobuf(labels, *entries):
        stream = text(1, "{" + ", ".join(f"{k}={json.dumps(v)}" for k, v in labels.items()) + "}")
        for ns, line, metadata in entries:
            stamp = integer(1, ns // 10**9) + integer(2, ns % 10**9)
            stream += wire.field(2, wire.field(1, stamp) + text(2, line) +
                                 b"".join(wire.field(3, wire.label(k, v)) for k, v in metadata.items()))
        return wire.snappy(wire.field(1, stream))

    def test_all_forms(self):
        labels = {"host": "web01", "job": "orders", "level": "warn", "Env": "prod ü"}
        entries = [(T * 1000 + 7, 'a "line"\n', {"trace_id": "00ff"}), (T * 1000 + 1000, "second", {})]
        plain, packed = self.body(labels, *entries), self.protobuf(labels, *entries)
        forms = [(plain, JSON), (gzip.compress(plain), {**JSON, "Content-Encoding": "gzip"}),
                 (wire.zstd(plain), {"Content-Type": "application/json; charset=utf-8", "Content-Encoding": "zstd"}),
                 (packed, PROTOBUF), (packed, {**PROTOBUF, "Content-Encoding": "snappy"})]
        for number, (body, headers) in enumerate(forms):
            with self.subTest(headers):
                tenant = f"forms{number}"
                answer = self.push(tenant, body, headers)
                self.assertEqual((answer.status, answer.body), (204, b""))
                for settled in (False, True):
                    got = self.rows(tenant, [*ALL, "host", "job", "Env", "trace_id"])
                    self.assertEqual(got, [
                        {"MessageTS": T, "Source": "web01", "ModuleId": "orders", "Level": 4, "Xmlmessage": 'a "line"\n', "host": "web01",
                         "job": "orders", "Env": "prod ü", "trace_id": "00ff"},
                        {"MessageTS": T + 1, "Source": "web01", "ModuleId": "orders", "Level": 4, "Xmlmessage": "second", "host": "web01",
                         "job": "orders", "Env": "prod ü", "trace_id": None}], settled)
                    self.assertEqual(len(self.rows(tenant, ["Xmlmessage"], where=[[term("Env", "prod", 7), term("trace_id", "00ff")]])), 1)
                    self.server.settle()

    def test_tenants_by_header(self):
        answer = self.server.post(self.path, self.body({"a": "b"}, (T * 1000, "mine")), {**JSON, "X-Scope-OrgID": "lokiown"})
        self.assertEqual(answer.status, 204)
        self.assertEqual(self.rows("lokiown", ["Xmlmessage"]), [{"Xmlmessage": "mine"}])
        self.assertEqual(self.rows("lokiother", ["Xmlmessage"]), [])
        bad = self.server.post(self.path, self.body({"a": "b"}, (T * 1000, "mine")), {**JSON, "X-Scope-OrgID": "a|b"})
        self.assertEqual(bad.status, 400)
        self.assertIn(b"tenant", bad.body)

    def test_all_or_nothing(self):
        good, accepted = (T * 1000, "good"), self.counted("varve_messages_accepted_total", "loki")
        rejected = self.counted("varve_messages_rejected_total", "loki")
        cases = [(self.body({"a": "b"}, good, (OLD * 1000, "x")), "entry for stream '{a=\"b\"}' has timestamp too old: "),
                 (self.body({"a": "b"}, good, (AHEAD * 1000, "x")), "entry for stream '{a=\"b\"}' has timestamp too new: "),
                 (self.body({"a": "b"}, good, ("soon", "x")), "strconv.ParseInt: parsing \"soon\""),
                 (self.body({"a": "b"}, good, (T * 1000, "x" * (2**20 + 1))), "max entry size '1048576' bytes exceeded for stream '{a=\"b\"}'"),
                 (self.body({}, good), "error at least one label pair is required per stream")]
        for body, words in cases:
            answer = self.push("nothing", body, JSON)
            self.assertEqual((answer.status, answer.header("Content-Type")), (400, "text/plain; charset=utf-8"))
            self.assertIn(words, answer.body.decode())
        self.assertEqual(self.rows("nothing", ["Xmlmessage"]), [])
        self.assertEqual(self.counted("varve_messages_accepted_total", "loki"), accepted)
        self.assertEqual(self.counted("varve_messages_rejected_total", "loki"), rejected + len(cases))
        self.assertEqual(self.push("nothing", self.body({"a": "b"}, good, good), JSON).status, 204)
        self.assertEqual(self.counted("varve_messages_accepted_total", "loki"), accepted + 2)
        self.assertEqual(self.push("nothing", self.body({"a": "b"}, good), {"Content-Type": "text/plain"}).status, 400)


if __name__ == "__main__":
    unittest.main()
