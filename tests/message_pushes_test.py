# SPDX-License-Identifier: Apache-2.0
"""Log messages pushed as other products' clients push them are found with all that they say; bad ones are refused in the
product's words, and nothing of one tenant reaches another."""

import datetime
import gzip
import http.client
import json
import os
import struct
import subprocess
import sys
import unittest

from support import pypi, wire
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


class Repeats(Pushes):
    """What says its time and has no id: senders repeat a request whose answer they did not see."""

    def check(self, tenant, path, body, headers, wanted):
        for settled in (False, True):
            for _ in range(2):
                self.assertIn(self.push(tenant, body, headers, path).status, (200, 204))
                self.assertEqual(sorted(r["Xmlmessage"] for r in self.rows(tenant, ["Xmlmessage"])), wanted, settled)
            self.server.settle()
            self.assertEqual(len(self.rows(tenant, ["Xmlmessage"])), len(wanted))

    def test_json(self):
        said = [{"time": T, "text": "a"}, {"time": T, "text": "a"}, {"time": T, "text": "b", "x": 1}, {"time": T + 1, "text": "b"}]
        self.check("again-json", "/api/v1/messages", Bulk.body(*said), NDJSON, ["a", "a", "b", "b"])

    def test_otlp(self):
        records = [{"timeUnixNano": str(T * 1000 + ns), "body": {"stringValue": line}} for ns, line in ((7, "a"), (7, "a"), (8, "a"), (7, "b"))]
        body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).encode()
        self.check("again-otlp", "/v1/logs", body, JSON, ["a", "a", "a", "b"])

    def test_bulk(self):
        said = [{"@timestamp": T // 1000, "message": line} for line in ("a", "a", "b")]
        body = Bulk.body(*(line for one in said for line in ({"create": {}}, one)))
        self.check("again-bulk", "/_bulk", body, NDJSON, ["a", "a", "b"])

    def test_what_says_no_time_is_another_one(self):
        for _ in range(2):
            self.assertEqual(self.push("now", b'{"text":"a"}', NDJSON, "/api/v1/messages").status, 204)
        self.assertEqual(len(self.rows("now", ["Xmlmessage"])), 2)


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

    def test_what_comes_again_is_one(self):
        """Agents repeat a push whose answer they did not see."""
        entries = [(T * 1000 + 7, "line", {"trace_id": "00ff"}), (T * 1000 + 7, "other", {})]
        forms = [(self.body({"job": "a", "host": "h"}, *entries), JSON), (self.body({"host": "h", "job": "a"}, *entries), JSON),
                 (self.protobuf({"job": "a", "host": "h"}, *entries), PROTOBUF)]
        for settled in (False, True):
            for body, headers in forms:
                self.assertEqual(self.push("again", body, headers).status, 204)
                self.assertEqual(sorted(r["Xmlmessage"] for r in self.rows("again", ["Xmlmessage"])), ["line", "other"], settled)
            self.server.settle()
            self.assertEqual(len(self.rows("again", ["Xmlmessage"])), 2)

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


class LokiClient(Pushes):
    """A handler of Python's logging from PyPI, as it is."""

    VERSION = "0.3.1"

    def test_handler(self):
        folder = pypi.fetch(f"python-logging-loki-{self.VERSION}", f"python-logging-loki=={self.VERSION}")
        with pypi.importable(folder):
            import logging
            import logging_loki
            handler = logging_loki.LokiHandler(url=f"http://127.0.0.1:{self.server.port}/t/handler{Loki.path}", version="1",
                                               tags={"app": "shop", "host": "web01"})
            errors = []
            handler.handleError = errors.append
            record = logging.LogRecord("cart", logging.WARNING, __file__, 1, "order %d is \"late\"", (7,), None)
            for _ in range(3):
                handler.emit(record)
        self.assertEqual(errors, [])
        got = self.rows("handler", [*ALL[1:], "app", "severity", "logger"])
        self.assertEqual(got, 3 * [{"Source": "web01", "ModuleId": "shop", "Level": 4, "Xmlmessage": 'order 7 is "late"', "app": "shop",
                                    "severity": "warning", "logger": "cart"}])


class Otlp(Pushes):
    path = "/v1/logs"
    RESOURCE = {"host.name": "web01", "service.name": "cart", "k8s": {"pod": "p1"}, "n": 5}

    @classmethod
    def value(cls, of):
        """AnyValue, in protobuf."""
        if isinstance(of, dict):
            return wire.field(6, b"".join(wire.field(1, cls.pair(k, v)) for k, v in of.items()))
        return integer(3, of) if isinstance(of, int) else text(1, of)

    @classmethod
    def pair(cls, key, value):
        return text(1, key) + wire.field(2, cls.value(value))

    @classmethod
    def json_value(cls, of):
        if isinstance(of, dict):
            return {"kvlistValue": {"values": cls.json_pairs(of)}}
        return {"intValue": str(of)} if isinstance(of, int) else {"stringValue": of}

    @classmethod
    def json_pairs(cls, of):
        return [{"key": k, "value": cls.json_value(v)} for k, v in of.items()]

    def bodies(self):
        """The same two records: the second has nothing but a time."""
        record = (fixed64(1, T * 1000 + 7) + integer(2, 17) + text(3, "ERROR") + wire.field(5, self.value("a line")) +
                  wire.field(6, self.pair("user.id", 7)) + wire.field(9, bytes(range(16))) + wire.field(10, bytes(range(8))))
        resource = b"".join(wire.field(1, self.pair(k, v)) for k, v in self.RESOURCE.items())
        protobuf = wire.field(1, wire.field(1, resource) + wire.field(2, wire.field(2, record) + wire.field(2, fixed64(11, T * 1000 + 1000))))
        plain = {"resourceLogs": [{"resource": {"attributes": self.json_pairs(self.RESOURCE)}, "scopeLogs": [{"logRecords": [
            {"timeUnixNano": str(T * 1000 + 7), "severityNumber": 17, "severityText": "ERROR", "body": {"stringValue": "a line"},
             "attributes": self.json_pairs({"user.id": 7}), "traceId": bytes(range(16)).hex().upper(), "spanId": bytes(range(8)).hex()},
            {"observedTimeUnixNano": str(T * 1000 + 1000)}]}]}]}
        return protobuf, json.dumps(plain).encode()

    def test_all_forms(self):
        protobuf, plain = self.bodies()
        forms = [(protobuf, PROTOBUF, b""), (plain, JSON, b"{}"), (gzip.compress(protobuf), {**PROTOBUF, "Content-Encoding": "gzip"}, b""),
                 (wire.zstd(plain), {**JSON, "Content-Encoding": "zstd"}, b"{}"), (gzip.compress(plain), {**JSON, "Content-Encoding": "gzip"}, b"{}")]
        for number, (body, headers, answered) in enumerate(forms):
            with self.subTest(headers):
                tenant = f"otlp{number}"
                answer = self.push(tenant, body, headers)
                self.assertEqual((answer.status, answer.header("Content-Type"), answer.body), (200, headers["Content-Type"], answered))
                for settled in (False, True):
                    shared = {"Source": "web01", "ModuleId": "cart", "service.name": "cart", "k8s.pod": "p1", "n": 5}
                    nothing = {"Level": None, "Xmlmessage": None, "user.id": None, "trace_id": None, "span_id": None, "severity_text": None}
                    self.assertEqual(self.rows(tenant, [*ALL, "service.name", "k8s.pod", "n", "user.id", "trace_id", "span_id", "severity_text"]), [
                        {**shared, "MessageTS": T, "Level": 3, "Xmlmessage": "a line", "user.id": 7, "trace_id": bytes(range(16)).hex(),
                         "span_id": bytes(range(8)).hex(), "severity_text": "ERROR"}, {**shared, **nothing, "MessageTS": T + 1}], settled)
                    self.assertEqual(len(self.rows(tenant, ["Xmlmessage"], where=[[term("user.id", 6, 6), term("k8s.pod", "p1")]])), 1)
                    self.server.settle()

    def test_chunked(self):
        """As the exporters of Node send them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        body = self.bodies()[0]
        connection.request("POST", "/t/chunked/v1/logs", iter([body[:10], body[10:]]), PROTOBUF, encode_chunked=True)
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b""))
        connection.close()
        self.assertEqual(len(self.rows("chunked", ["Source"])), 2)

    def test_bad_records_cost_no_other(self):
        rejected = self.counted("varve_messages_rejected_total", "otlp")
        records = [{"body": {"stringValue": "good"}}, {"timeUnixNano": str(OLD * 1000)}, {"timeUnixNano": str(AHEAD * 1000)},
                   {"body": {"stringValue": "x" * (2**20 + 1)}}, {"body": {"stringValue": "good, too"}}]
        answer = self.push("partial", json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}), JSON)
        self.assertEqual(answer.status, 200)
        partial = answer.json()["partialSuccess"]
        self.assertEqual(partial["rejectedLogRecords"], "3")
        self.assertRegex(partial["errorMessage"], "^record 2: time .* is older than messages.retention; record 3: time .* is further ahead than "
                                                  "messages.future; record 4: text has 1048577 bytes; at most 1048576$")
        self.assertEqual(sorted(r["Xmlmessage"] for r in self.rows("partial", ["Xmlmessage"])), ["good", "good, too"])
        self.assertEqual(self.counted("varve_messages_rejected_total", "otlp"), rejected + 3)

    def test_tenants(self):
        answer = self.server.post(self.path, self.bodies()[1], {**JSON, "X-Tenant": "otlpown"})
        self.assertEqual(answer.status, 200)
        self.assertEqual((len(self.rows("otlpown", ["Source"])), self.rows("otlpother", ["Source"])), (2, []))
        self.assertEqual(self.push("varve", self.bodies()[1], JSON).status, 403)


class Exporter(Pushes):
    """OpenTelemetry's SDK and exporter of Python, as they are."""

    VERSION = "1.37.0"

    def test_sdk(self):
        folder = pypi.fetch(f"opentelemetry-{self.VERSION}", f"opentelemetry-sdk=={self.VERSION}",
                            f"opentelemetry-exporter-otlp-proto-http=={self.VERSION}")
        program = """if True:
            import logging, sys
            from opentelemetry.exporter.otlp.proto.http import Compression
            from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
            from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
            from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
            from opentelemetry.sdk.resources import Resource
            provider = LoggerProvider(resource=Resource.create({"service.name": "cart", "host.name": "web01"}))
            exporter = OTLPLogExporter(endpoint=sys.argv[1], headers={"x-tenant": "sdk"}, compression=Compression.Gzip)
            provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
            log = logging.getLogger("shop")
            log.addHandler(LoggingHandler(logger_provider=provider))
            for number in range(100):
                log.warning("order %d is late", number, extra={"order": number, "tags": ["a", "b"]})
            log.error("paid grüße")
            provider.shutdown()
        """
        done = subprocess.run([sys.executable, "-c", program, f"http://127.0.0.1:{self.server.port}/v1/logs"], timeout=120, check=False,
                              env={**os.environ, "PYTHONPATH": str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((done.returncode, [line for line in done.stdout.splitlines() if "otlp" in line.lower()]), (0, []), done.stdout)
        got = self.rows("sdk", ["Source", "ModuleId", "Level", "Xmlmessage", "order", "tags", "scope.name"], where=[[term("Level", 4)]])
        self.assertEqual(got, [{"Source": "web01", "ModuleId": "cart", "Level": 4, "Xmlmessage": f"order {n} is late", "order": n,
                                "tags": got[0]["tags"], "scope.name": "shop"} for n in range(100)])
        self.assertIn("b", str(got[0]["tags"]))
        self.assertEqual(self.rows("sdk", ["Xmlmessage"], where=[[term("Level", 3)]]), [{"Xmlmessage": "paid grüße"}])


class Bulk(Pushes):
    path = "/_bulk"

    @staticmethod
    def body(*lines):
        return "".join(json.dumps(line) + "\n" for line in lines).encode()

    def test_all_forms(self):
        stamp = datetime.datetime.fromtimestamp(T // SECOND, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000002Z")
        nested = {"@timestamp": stamp, "message": "a line", "host": {"name": "web01", "ip": ["::1"]}, "log": {"level": "ERROR"},
                  "service": {"name": "cart"}, "process": {"name": "java", "pid": 7}, "tries": 3}
        flat = {"@timestamp": T // 1000, "message": "second", "host.name": "web01", "process.name": "java"}
        body = self.body({"create": {}}, nested, {"index": {"_index": "other", "_id": "x1"}}, flat)
        forms = [("/_bulk", body, {}), ("/logs/_bulk", gzip.compress(body), {"Content-Encoding": "gzip"}), ("/logs/_doc/_bulk", body, {}),
                 ("/elasticsearch/_bulk", body, {}), ("/elasticsearch/logs/_bulk?filter_path=errors", wire.zstd(body), {"Content-Encoding": "zstd"}),
                 ("/elasticsearch/logs/_doc/_bulk", body, {})]
        for number, (path, sent, headers) in enumerate(forms):
            with self.subTest(path):
                tenant, index = f"bulk{number}", "logs" if "logs" in path else None
                answer = self.push(tenant, sent, {**NDJSON, **headers}, path)
                self.assertEqual((answer.status, answer.header("X-Elastic-Product")), (200, "Elasticsearch"))
                got = answer.json()
                self.assertGreaterEqual(got.pop("took"), 0)
                named = {"_index": index} if index else {}
                self.assertEqual(got, {"errors": False, "items": [{"create": {**named, "result": "created", "status": 201}},
                                                                  {"index": {"_index": "other", "_id": "x1", "result": "created", "status": 201}}]})
                self.push(tenant, self.body({"index": {"_index": "other", "_id": "x1"}}, flat), NDJSON, path)  # the same again
                for settled in (False, True):
                    rows = self.rows(tenant, [*ALL, "Pid", "process.name", "host.ip", "tries", "_index"])
                    self.assertEqual(rows, [
                        {"MessageTS": T, "Source": "web01", "ModuleId": "java", "Level": None, "Xmlmessage": "second", "Pid": None,
                         "process.name": None, "host.ip": None, "tries": None, "_index": "other"},
                        {"MessageTS": T + 2, "Source": "web01", "ModuleId": "cart", "Level": 3, "Xmlmessage": "a line", "Pid": 7,
                         "process.name": "java", "host.ip": rows[1]["host.ip"], "tries": 3, "_index": index}], settled)
                    self.assertIn("::1", str(rows[1]["host.ip"]))
                    self.server.settle()

    def test_bad_items_cost_no_other(self):
        rejected = self.counted("varve_messages_rejected_total", "bulk")
        body = self.body({"create": {}}, {"message": "good"}, {"create": {}}, {"@timestamp": OLD // 1000}, {"delete": {"_id": "1"}},
                         {"create": {}}, [], {"index": {}}, {"message": "good, too"})
        got = self.push("items", body, NDJSON).json()
        self.assertEqual((got["errors"], [item["status"] for items in got["items"] for item in items.values()]), (True, [201, 400, 400, 400, 201]))
        self.assertIn("is older than messages.retention", got["items"][1]["create"]["error"]["reason"])
        self.assertEqual(sorted(row["Xmlmessage"] for row in self.rows("items", ["Xmlmessage"])), ["good", "good, too"])
        self.assertEqual(self.counted("varve_messages_rejected_total", "bulk"), rejected + 3)

    def test_a_bad_action_stores_nothing(self):
        answer = self.push("action", self.body({"create": {}}, {"message": "x"}, {"put": {}}, {"message": "y"}), NDJSON)
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.json()["error"]["type"], "illegal_argument_exception")
        self.assertIn("Malformed action/metadata line [3]", answer.json()["error"]["reason"])
        self.assertEqual(self.rows("action", ["Xmlmessage"]), [])

    def test_what_senders_ask_at_their_start(self):
        for path in ("/elasticsearch", "/elasticsearch/"):
            about = self.server.get(path)
            self.assertEqual((about.status, about.json()["version"]["number"].split(".")[0]), (200, "8"))
        self.assertEqual(self.server.get("/elasticsearch/_license").json()["license"]["status"], "active")
        for path in ("/_cat/health", "/elasticsearch/_cat/health"):
            self.assertRegex(self.server.get(path).body, rb"^\d+ \d\d:\d\d:\d\d varve green ")
        for path in ("_index_template/filebeat-8", "_ilm/policy/filebeat", "_template/x", "_ingest/pipeline/y"):
            self.assertEqual(self.server.request("HEAD", "/elasticsearch/" + path).status, 200)
            self.assertEqual(self.server.get("/elasticsearch/" + path).body, b"{}")
            self.assertEqual(self.server.request("PUT", "/elasticsearch/" + path, b"{}").json(), {"acknowledged": True})
        missing = self.server.get("/elasticsearch/logs/_search")
        self.assertEqual((missing.status, missing.json()["status"]), (404, 404))

    def test_tenants(self):
        body = self.body({"create": {}}, {"message": "mine"})
        self.assertEqual(self.server.post("/elasticsearch/_bulk", body, {"X-Tenant": "bulkown"}).status, 200)
        self.assertEqual((len(self.rows("bulkown", ["Source"])), self.rows("bulkother", ["Source"])), (1, []))
        self.assertEqual(self.push("varve", body, NDJSON).status, 403)


class ElasticClient(Pushes):
    """Elasticsearch's own client of Python, as it is."""

    VERSION = "8.19.0"

    def test_helpers(self):
        folder = pypi.fetch(f"elasticsearch-{self.VERSION}", f"elasticsearch=={self.VERSION}")
        with pypi.importable(folder):
            from elasticsearch import Elasticsearch, helpers
            with Elasticsearch(f"http://127.0.0.1:{self.server.port}/t/elastic/elasticsearch", http_compress=True) as client:
                self.assertEqual(client.info()["tagline"], "You Know, for Search")
                documents = [{"_op_type": "create", "_index": "logs", "@timestamp": T // 1000 + n, "message": f"line {n}", "n": n} for n in range(1200)]
                done, errors = helpers.bulk(client, documents, chunk_size=500)
                self.assertEqual((done, errors), (1200, []))
                bad = [{"_index": "logs", "message": "good"}, {"_index": "logs", "@timestamp": "soon"}]
                done, errors = helpers.bulk(client, bad, raise_on_error=False)
                self.assertEqual((done, [e["index"]["status"] for e in errors]), (1, [400]))
        self.assertEqual([row["n"] for row in self.rows("elastic", ["n"], where=[[term("_index", "logs"), term("n", 0, 6)]])], list(range(1200)))


if __name__ == "__main__":
    unittest.main()
