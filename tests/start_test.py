# SPDX-License-Identifier: Apache-2.0
"""A newcomer's first page for each client works as it stands: the snippets of docs/start that are no curl commands (docs_test
runs those, and clients_test those of collectd, Prometheus and vmagent)."""

import gzip
import os
import re
import subprocess
import sys
import time
import tomllib
import unittest
import urllib.parse
import urllib.request

from support import otlp, pypi, wire
from support.case import OwnServerCase
from support.documents import snippets
from support.logs import Logs

OTEL = "1.37.0"


class Start(OwnServerCase):
    def test_opentsdb_lines(self):
        server = self.new_server().start()
        (shell,) = snippets("start/opentsdb.md", "sh", server)
        done = subprocess.run(["bash", "-eu", "-c", shell], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("KairosDB", done.stdout)
        self.assertEqual(sorted(v for _, v in server.values("cpu.user")), [12.5, 40])

    def test_python(self):
        server = self.new_server().start()
        (program,) = snippets("start/kairosdb.md", "python", server)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"21(\.0)?\]\]")

    def test_telegraf(self):
        """Debian has no Telegraf: what its output does with these settings is done here."""
        server = self.new_server().start()
        (text,) = snippets("start/telegraf.md", "toml", server)
        (output,) = tomllib.loads(text)["outputs"]["influxdb"]
        self.assertTrue(output["skip_database_creation"])
        url = f"{output['urls'][0]}/write?db={urllib.parse.quote(output['database'])}"
        lines = f"cpu,cpu=cpu0,host=web-1 usage_idle=97.5,usage_user=2i {time.time_ns()}\n"
        request = urllib.request.Request(url, gzip.compress(lines.encode()), {
            **output["http_headers"], "Content-Type": "text/plain; charset=utf-8", "Content-Encoding": "gzip",
            "User-Agent": "Telegraf/1.37.0"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.assertEqual(answer.status, 204)
        self.assertEqual([v for _, v in server.values("cpu_usage_idle", prefix=f"/t/{output['http_headers']['X-Tenant']}")], [97.5])

    def test_opentelemetry_collector(self):
        """What its exporter sends with these settings, byte by byte: the collector itself is hundreds of megabytes."""
        server = self.new_server().start()
        (text,) = snippets("start/opentelemetry.md", "yaml", server)
        exporters = text[text.index("exporters:"):text.index("service:")]
        metrics, logs = (re.search(rf"{key}: (http\S+)", exporters)[1] for key in ("metrics_endpoint", "logs_endpoint"))
        tenant = re.search(r"X-Tenant: (\S+)", exporters)[1]
        now = time.time_ns()

        def sent(url, body, headers):
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10) as answer:
                return answer.status, answer.read()
        body = otlp.protobuf(otlp.request([otlp.total("system.cpu.time", [otlp.point(now // 10**6, 12.5, {"cpu": "cpu0"})], "s")],
                                          {"service.name": "cart", "host.name": "web-1"}))
        sender = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip", "X-Tenant": tenant, "User-Agent": "otelcol-contrib/0.139.0"}
        self.assertEqual(sent(metrics, gzip.compress(body), sender), (200, b""))
        self.assertEqual([v for _, v in server.values("system_cpu_time_seconds_total", {"cpu": "cpu0", "job": "cart"}, prefix=f"/t/{tenant}")], [12.5])
        self.assertEqual([v for _, v in server.values("target_info", {"host_name": "web-1"}, prefix=f"/t/{tenant}")], [1])

        def attribute(key, value):
            return wire.field(1, wire.field(1, key.encode()) + wire.field(2, wire.field(1, value.encode())))
        record = b"\x09" + now.to_bytes(8, "little") + b"\x10\x11" + wire.field(5, wire.field(1, b"it is full"))
        resource = wire.field(1, attribute("host.name", "web-1") + attribute("service.name", "cart"))
        export = wire.field(1, resource + wire.field(2, wire.field(2, record)))
        self.assertEqual(sent(logs, gzip.compress(export), sender), (200, b""))
        (row,) = Logs(server, tenant).rows(["Source", "ModuleId", "Level", "Xmlmessage"])
        self.assertEqual((row["Source"], row["ModuleId"], row["Level"], row["Xmlmessage"]), ("web-1", "cart", 3, "it is full"))
        self.assertEqual(server.post("/v1/traces", b"", {"Content-Type": "application/x-protobuf"}).status, 404, "as the page says")

    def test_opentelemetry_sdk(self):
        server = self.new_server().start()
        (program,) = snippets("start/opentelemetry.md", "python", server)
        folder = pypi.fetch(f"opentelemetry-{OTEL}", f"opentelemetry-sdk=={OTEL}", f"opentelemetry-exporter-otlp-proto-http=={OTEL}")
        done = subprocess.run([sys.executable, "-c", program], timeout=120, check=False, env={**os.environ, "PYTHONPATH": str(folder)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual([v for _, v in server.values("cart_orders_total", {"job": "cart", "payment_method": "card"})], [1])

    def data_source(self, number, kind, server):
        """The header that the page's data source sends."""
        text = snippets("start/grafana.md", "yaml", server)[number]
        value = {key: re.search(rf"\b{key}: (\S+)", text)[1] for key in ("type", "url", "httpHeaderName1", "httpHeaderValue1")}
        self.assertEqual((value["type"], value["url"]), (kind, f"http://127.0.0.1:{server.port}"))
        return {value["httpHeaderName1"]: value["httpHeaderValue1"]}

    def test_grafana_with_promql(self):
        """The requests that the Prometheus data source makes for its test button, its variables and a panel."""
        server = self.new_server().start()
        header = self.data_source(0, "prometheus", server)
        now = int(time.time())
        self.assertEqual(server.post("/api/put", [{"metric": "cpu", "timestamp": now, "value": 1.5, "tags": {"host": "a"}}], header).status, 204)
        form = header | {"Content-Type": "application/x-www-form-urlencoded"}

        def data(method, path, body=None):
            answer = server.request(method, path, body, form)
            self.assertEqual((answer.status, answer.json()["status"]), (200, "success"), path)
            return answer.json()["data"]
        self.assertEqual(data("POST", "/api/v1/query", f"query=1%2B1&time={now}")["result"], [now, "2"])
        self.assertIn("version", data("GET", "/api/v1/status/buildinfo"))
        self.assertEqual(data("GET", f"/api/v1/label/__name__/values?start={now - 3600}&end={now}"), ["cpu"])
        self.assertEqual(data("POST", "/api/v1/labels", f"match[]=cpu&start={now - 3600}&end={now}"), ["__name__", "host"])
        panel = data("POST", "/api/v1/query_range", f"query=avg+by+(host)+(cpu)&start={now}&end={now + 30}&step=15")
        self.assertEqual([(row["metric"], [value for _, value in row["values"]]) for row in panel["result"]], [({"host": "a"}, ["1.5"] * 3)])

    def test_grafana(self):
        """The requests that the OpenTSDB data source makes for its test button, its variables and a panel."""
        server = self.new_server().start()
        header = self.data_source(1, "opentsdb", server)
        self.assertEqual(server.post("/api/put", [{"metric": "cpu", "timestamp": int(time.time()), "value": 1.5,
                                                   "tags": {"host": "a"}}], header).status, 204)

        def asked(method, path, body=None):
            answer = server.request(method, path, body, header)
            self.assertEqual(answer.status, 200, path)
            return answer.json()
        self.assertEqual(asked("GET", "/api/suggest?type=metrics&q=cpu&max=1000"), ["cpu"])
        self.assertIn("avg", asked("GET", "/api/aggregators"))
        self.assertIn("wildcard", asked("GET", "/api/config/filters"))
        self.assertEqual(asked("GET", "/api/search/lookup?m=cpu%7Bhost=*%7D&limit=1000")["results"][0]["tags"], {"host": "a"})
        (result,) = asked("POST", "/api/query", {
            "start": int(time.time() * 1000) - 3_600_000, "msResolution": True, "globalAnnotations": True,
            "queries": [{"metric": "cpu", "aggregator": "avg", "downsample": "1m-avg",
                         "filters": [{"type": "wildcard", "tagk": "host", "filter": "*", "groupBy": True}]}]})
        self.assertEqual((result["tags"], list(result["dps"].values())), ({"host": "a"}, [1.5]))


if __name__ == "__main__":
    unittest.main()
