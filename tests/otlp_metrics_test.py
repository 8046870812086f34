# SPDX-License-Identifier: Apache-2.0
"""Metrics by OTLP over HTTP are found by PromQL under the names that Prometheus' receiver gives them, whatever form they come
in; bad points cost no other; an SDK of OpenTelemetry is a client."""

import gzip
import http.client
import json
import os
import subprocess
import sys
import time
import unittest
from urllib.parse import urlencode

from support import otlp, pypi, wire
from support.case import OwnServerCase, ServerCase
from support.otlp import CUMULATIVE, DELTA, JSON, PROTOBUF, gauge, histogram, point, total

T = int(time.time()) // 60 * 60_000 - 3_600_000  # a whole minute, an hour ago
RESOURCE = {"service.namespace": "shop", "service.name": "cart", "service.instance.id": "i1", "host.name": "web01", "process.tags": ["a", 1]}
LABELS = {"job": "shop/cart", "instance": "i1"}
PATH = "/v1/metrics"


class Metrics(ServerCase):
    config = {"raw.retention": "200y"}

    def push(self, tenant, body, headers=None, path=PATH):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.server.post(f"/t/{tenant}{path}", body, JSON if headers is None else headers)

    def stored(self, tenant, metrics, resource=None):
        answer = self.push(tenant, otlp.request(metrics, resource))
        self.assertEqual((answer.status, answer.body), (200, b"{}"), answer)

    def ask(self, tenant, query, at=T):
        """[({label: value}, number)] in order."""
        answer = self.server.get(f"/t/{tenant}/api/v1/query?" + urlencode({"query": query, "time": at / 1000}))
        self.assertEqual(answer.status, 200, answer)
        return sorted(((row["metric"], row["value"][1]) for row in answer.json()["data"]["result"]), key=str)

    def counted(self, name, **labels):
        text = self.server.get("/metrics").body.decode()
        want = "".join(f'{k}="{v}"' for k, v in labels.items())
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name) and want in line)


class Forms(Metrics):
    BODY = otlp.request([
        total("http.server.requests", [point(T, 7, {"http.route": "/pay", "ok": True}), point(T, 8, {"http.route": "/x", "ok": False})]),
        gauge("cpu.use", [point(T, 0.25)], "1"),
        histogram("http.server.duration", [{"timeUnixNano": str(T * 10**6), "count": "6", "sum": 2.5, "bucketCounts": ["1", "2", "3"], "explicitBounds": [0.005, 10.0]}], "s"),
        {"name": "gc", "unit": "ms", "summary": {"dataPoints": [{"timeUnixNano": str(T * 10**6), "count": "3", "sum": 9.0,
                                                                  "quantileValues": [{"quantile": 0.5, "value": 2.0}, {"quantile": 1.0, "value": 4.5}]}]}},
    ], RESOURCE)

    def test_every_form_gives_the_same(self):
        plain, protobuf = json.dumps(self.BODY).encode(), otlp.protobuf(self.BODY)
        forms = [(protobuf, PROTOBUF, b""), (plain, JSON, b"{}"), (gzip.compress(protobuf), {**PROTOBUF, "Content-Encoding": "gzip"}, b""),
                 (wire.zstd(protobuf), {**PROTOBUF, "Content-Encoding": "zstd"}, b""), (gzip.compress(plain), {**JSON, "Content-Encoding": "gzip"}, b"{}"),
                 (wire.zstd(plain), {**JSON, "Content-Encoding": "zstd"}, b"{}")]
        want = [("http_server_requests_total", {"http_route": "/pay", "ok": "true"}, "7"), ("http_server_requests_total", {"http_route": "/x", "ok": "false"}, "8"),
                ("cpu_use_ratio", {}, "0.25"), ("http_server_duration_seconds_sum", {}, "2.5"), ("http_server_duration_seconds_count", {}, "6"),
                ("http_server_duration_seconds_bucket", {"le": "0.005"}, "1"), ("http_server_duration_seconds_bucket", {"le": "10"}, "3"),
                ("http_server_duration_seconds_bucket", {"le": "+Inf"}, "6"), ("gc_milliseconds_sum", {}, "9"), ("gc_milliseconds_count", {}, "3"),
                ("gc_milliseconds", {"quantile": "0.5"}, "2"), ("gc_milliseconds", {"quantile": "1"}, "4.5"),
                ("target_info", {"host_name": "web01", "process_tags": '["a",1]'}, "1")]
        want = sorted((({"__name__": name, **LABELS, **labels}, value) for name, labels, value in want), key=str)
        for number, (body, headers, answered) in enumerate(forms):
            with self.subTest(headers):
                answer = self.push(f"form{number}", body, headers, PATH if number % 2 else "/api/v1/otlp/v1/metrics")
                self.assertEqual((answer.status, answer.header("Content-Type"), answer.body), (200, headers["Content-Type"], answered))
                self.assertEqual(self.ask(f"form{number}", '{job="shop/cart"}'), want)
        self.server.settle()
        for number in range(len(forms)):
            self.assertEqual(self.ask(f"form{number}", '{job="shop/cart"}'), want, "settled")

    def test_chunked(self):
        body = otlp.protobuf(self.BODY)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        connection.request("POST", "/t/chunked/v1/metrics", iter([body[:10], body[10:]]), PROTOBUF, encode_chunked=True)
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b""))
        connection.close()
        self.assertEqual(len(self.ask("chunked", "http_server_requests_total")), 2)

    def test_other_apis_see_the_same(self):
        self.stored("apis", [gauge("m", [point(T, 2**62 + 1, {"a.b": "1", "a_b": "2"}), point(T + 1, 0.1, {"a.b": "1", "a_b": "2"})])])
        self.assertEqual(self.server.values("m", {"a_b": "1;2"}, prefix="/t/apis"), [(T, 2**62 + 1), (T + 1, 0.1)])


class Time(Metrics):
    def test_rates_of_cumulative_and_increases_of_delta_sums(self):
        minutes = range(-10, 1)
        self.stored("rates", [total("c", [point(T + i * 60_000, (i + 10) * 60) for i in minutes]),
                              total("d", [point(T + i * 60_000, 60) for i in minutes], temporality=DELTA)])
        for state in ("hot", "settled"):
            self.assertEqual(self.ask("rates", "rate(c_total[5m])"), [({}, "1")], state)
            self.assertEqual(self.ask("rates", "sum_over_time(d_total[5m])"), [({}, "300")], state)
            self.server.settle()

    def test_what_ends_a_series_is_counted_and_no_sample(self):
        before = self.counted("varve_stale_markers_total")
        self.stored("ends", [gauge("m", [point(T, 1), {"timeUnixNano": str((T + 1) * 10**6), "flags": 1}])])
        self.assertEqual(self.server.values("m", prefix="/t/ends"), [(T, 1)])
        self.assertEqual(self.counted("varve_stale_markers_total"), before + 1)
        self.assertEqual(self.ask("ends", "m", T), [({"__name__": "m"}, "1")])
        self.assertEqual(self.ask("ends", "m", T + 1), [])

    def test_exemplars_are_left_out_and_counted(self):
        before = self.counted("varve_exemplars_skipped_total")
        body = otlp.protobuf(otlp.request([gauge("m", [point(T, 1, exemplars=[{"asDouble": 1.0}, {"asDouble": 2.0}])])]))
        self.assertEqual(self.push("exemplars", body, PROTOBUF).status, 200)
        self.assertEqual(self.server.values("m", prefix="/t/exemplars"), [(T, 1)])
        self.assertEqual(self.counted("varve_exemplars_skipped_total"), before + 2)

    def test_target_info_is_written_once_in_half_a_lookback(self):
        seconds = range(0, 301, 15)
        for second in seconds:
            self.stored("targets", [gauge("m", [point(T + second * 1000, 1)])], RESOURCE)
        self.assertEqual([(t - T) // 1000 for t, _ in self.server.values("target_info", prefix="/t/targets")], [0, 150, 300])
        self.assertEqual(len(self.server.values("m", prefix="/t/targets")), len(seconds))
        self.stored("targets", [gauge("m", [point(T + 301_000, 1)])], {**RESOURCE, "host.name": "web02"})
        self.assertEqual([row[0]["host_name"] for row in self.ask("targets", "target_info", T + 301_000)], ["web01", "web02"])


class Refusals(Metrics):
    def test_bad_points_cost_no_other(self):
        self.stored("partial", [gauge("known", [point(T, 1)])])
        body = otlp.request([gauge("known", [point(T + 1, 2), {"timeUnixNano": str(T * 10**6)}, {"asInt": "1"}]),
                             {"name": "e", "exponentialHistogram": {"aggregationTemporality": CUMULATIVE, "dataPoints": [{"timeUnixNano": str(T * 10**6), "count": "1", "scale": 3}]}},
                             gauge("", [point(T, 1)]), gauge("last", [point(T, 3)])])
        why = ("point 2: the point has no value; point 3: the point has no time; point 4: 'e' is an exponential histogram, which is not stored yet; "
               "send explicit buckets; point 5: the metric has no name")
        unsupported = self.counted("varve_samples_rejected_total", reason="unsupported")
        answer = self.push("partial", body)
        self.assertEqual((answer.status, answer.json()), (200, {"partialSuccess": {"rejectedDataPoints": "4", "errorMessage": why}}))
        answer = self.push("partial", otlp.protobuf(body), PROTOBUF)
        self.assertEqual((answer.status, answer.body), (200, wire.field(1, b"\x08\x04" + wire.field(2, why.encode()))))
        self.assertEqual(self.server.values("known", prefix="/t/partial"), [(T, 1), (T + 1, 2)])
        self.assertEqual(self.server.values("last", prefix="/t/partial"), [(T, 3)])
        self.assertEqual(self.counted("varve_samples_rejected_total", reason="unsupported"), unsupported + 2)
        self.assertEqual(self.server.metric_names(prefix="/t/partial"), ["known", "last"])

    def test_bad_requests(self):
        for body, headers, status, begin in ((b"{", JSON, 400, b'{"code":3,"message":"not JSON'), (b"\x0a\x05x", PROTOBUF, 400, b"\x08\x03\x12"), (b"{}", {}, 415, b'{"code":3,'),
                                             (b"{}", {"Content-Type": "text/plain"}, 415, b'{"code":3,'), (b"junk", {**PROTOBUF, "Content-Encoding": "gzip"}, 400, b"\x08\x03\x12")):
            with self.subTest(headers):
                answer = self.push("bad", body, headers)
                self.assertEqual(answer.status, status, answer)
                self.assertTrue(answer.body.startswith(begin), answer)
        self.assertEqual(self.push("varve", otlp.request([gauge("m", [point(T, 1)])])).status, 403)
        self.assertEqual(self.server.get(PATH).status, 405)

    def test_tenants(self):
        self.stored("own", [gauge("secret", [point(T, 1)])])
        self.assertEqual(self.ask("other", "secret"), [])
        for headers in ({"X-Tenant": "named"}, {"X-Scope-OrgID": "scoped"}):
            self.assertEqual(self.server.post(PATH, json.dumps(otlp.request([gauge("m", [point(T, 1)])])), {**JSON, **headers}).status, 200)
            self.assertEqual(len(self.ask(*headers.values(), "m")), 1)


class Configured(OwnServerCase):
    def test_translations_and_promoted_attributes(self):
        wanted = {"UnderscoreEscapingWithSuffixes": ("http_requests_bytes_total", "http_route", "host_name"),
                  "UnderscoreEscapingWithoutSuffixes": ("http_requests", "http_route", "host_name"),
                  "NoUTF8EscapingWithSuffixes": ("http.requests_bytes_total", "http.route", "host.name"),
                  "NoTranslation": ("http.requests", "http.route", "host.name")}
        body = json.dumps(otlp.request([total("http.requests", [point(T, 1, {"http.route": "/"})], "By")], RESOURCE))
        for translation, (name, route, host) in wanted.items():
            with self.subTest(translation):
                server = self.new_server({"otlp.translation": translation, "otlp.promote_resource_attributes": "host.name,absent"}).start()
                self.assertEqual(server.post(PATH, body, JSON).status, 200)
                found = server.get("/api/v1/series?" + urlencode({"match[]": f'{{"{name}"}}', "start": 0})).json()["data"]
                self.assertEqual(found, [{"__name__": name, **LABELS, route: "/", host: "web01"}])
                server.stop()

    def test_a_full_tenant(self):
        server = self.new_server({"limits.series_per_tenant": "2"}).start()
        self.assertEqual(server.post(PATH, json.dumps(otlp.request([gauge("m", [point(T, i, {"i": i}) for i in range(2)])])), JSON).body, b"{}")
        full = server.post(PATH, json.dumps(otlp.request([gauge("m", [point(T, 7, {"i": 7})])])), JSON)
        self.assertEqual((full.status, full.json()["code"]), (429, 8), full)
        self.assertTrue(full.header("Retry-After"))
        self.assertIn("limits.series_per_tenant", full.json()["message"])
        part = server.post(PATH, json.dumps(otlp.request([gauge("m", [point(T, 7, {"i": 7}), point(T + 1, 1, {"i": 1})])])), JSON)
        self.assertEqual((part.status, part.json()["partialSuccess"]["rejectedDataPoints"]), (200, "1"))
        self.assertEqual([v for _, v in server.values("m", {"i": "1"})], [1, 1])


class Sdk(Metrics):
    """OpenTelemetry's SDK and exporter of Python, as they are."""

    VERSION = "1.37.0"

    def test_sdk(self):
        folder = pypi.fetch(f"opentelemetry-{self.VERSION}", f"opentelemetry-sdk=={self.VERSION}", f"opentelemetry-exporter-otlp-proto-http=={self.VERSION}")
        program = """if True:
            import sys
            from opentelemetry.exporter.otlp.proto.http import Compression
            from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
            from opentelemetry.sdk.metrics import Counter, MeterProvider
            from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
            from opentelemetry.sdk.resources import Resource
            reader = lambda tenant, **more: PeriodicExportingMetricReader(
                OTLPMetricExporter(endpoint=sys.argv[1], headers={"x-tenant": tenant}, compression=Compression.Gzip, **more), export_interval_millis=3600_000)
            provider = MeterProvider(resource=Resource.create({"service.name": "cart", "service.instance.id": "i1", "host.name": "web01"}), metric_readers=[
                reader("sdk"), reader("sdkdelta", preferred_temporality={Counter: AggregationTemporality.DELTA})])
            meter = provider.get_meter("shop")
            orders = meter.create_counter("cart.orders", unit="{order}")
            open_carts = meter.create_up_down_counter("cart.open", unit="1")
            duration = meter.create_histogram("cart.duration", unit="s", explicit_bucket_boundaries_advisory=[0.1, 1, 10])
            meter.create_observable_gauge("cart.memory", unit="By", callbacks=[lambda _: [__import__("opentelemetry.metrics").metrics.Observation(5.5, {"pool": "a"})]])
            for number in range(10):
                orders.add(number, {"payment.method": "card" if number % 2 else "cash"})
                duration.record(number)
            open_carts.add(5)
            open_carts.add(-2)
            provider.force_flush()
            orders.add(5, {"payment.method": "card"})
            provider.shutdown()
        """
        done = subprocess.run([sys.executable, "-c", program, f"http://127.0.0.1:{self.server.port}/v1/metrics"], timeout=120, check=False,
                              env={**os.environ, "PYTHONPATH": str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        now, labels = int(time.time() * 1000) + 1000, {"job": "cart", "instance": "i1"}

        def seen(tenant, query):
            return [({k: v for k, v in row.items() if k != "__name__"}, value) for row, value in self.ask(tenant, query, now)]
        card, cash = {**labels, "payment_method": "card"}, {**labels, "payment_method": "cash"}
        self.assertEqual(seen("sdk", "cart_orders_total"), [(card, "30"), (cash, "20")])
        self.assertEqual(seen("sdkdelta", "sum_over_time(cart_orders_total[5m])"), [(card, "30"), (cash, "20")])
        self.assertEqual(seen("sdk", "cart_open"), [(labels, "3")])
        self.assertEqual(seen("sdk", "cart_memory_bytes"), [({**labels, "pool": "a"}, "5.5")])
        self.assertEqual(seen("sdk", "cart_duration_seconds_count"), [(labels, "10")])
        self.assertEqual(seen("sdk", "cart_duration_seconds_sum"), [(labels, "45")])
        self.assertEqual(seen("sdk", "cart_duration_seconds_bucket"), sorted([({**labels, "le": le}, n) for le, n in (("0.1", "1"), ("1", "2"), ("10", "10"), ("+Inf", "10"))], key=str))
        ((target, value),) = seen("sdk", "target_info")
        self.assertEqual((value, target["host_name"], target["telemetry_sdk_language"], target["job"]), ("1", "web01", "python", "cart"))
        self.assertEqual(len(seen("sdk", "cart_orders_total * on (job, instance) group_left (host_name) target_info")), 2)


if __name__ == "__main__":
    unittest.main()
