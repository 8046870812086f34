# SPDX-License-Identifier: Apache-2.0
"""What operators and scripts rely on: health, metrics, settle, headers, compression of answers, self-metrics."""

import collections
import contextlib
import gzip
import os
import pathlib
import re
import resource
import socket
import unittest

from support.case import T0, OwnServerCase, ServerCase
from support.client import wait_until
from support.server import Server

PROMISED = """varve_build_info varve_samples_accepted_total varve_samples_rejected_total varve_series
varve_series_created_total varve_slots_pending varve_slots_sealed_total varve_rollups_written_total varve_jobs_held
varve_storage_bytes varve_queries_total varve_query_seconds_bucket varve_query_seconds_sum varve_query_seconds_count
varve_http_requests_total process_resident_memory_bytes process_cpu_seconds_total process_start_time_seconds
process_open_fds""".split()


class Operations(ServerCase):
    def test_health(self):
        self.assertEqual(self.server.get("/-/healthy").status, 200)
        self.assertEqual(self.server.get("/-/ready").status, 200)
        self.assertEqual(self.server.get("/health").status, 200)
        self.assertEqual(self.server.get("/api/v1/health/check").status, 204)
        status = self.server.get("/api/v1/health/status")
        self.assertEqual(status.status, 200)
        self.assertTrue(all(s.endswith(": OK") for s in status.json()), status)
        self.assertRegex(self.server.get("/api/v1/version").json()["version"], r"\d")

    def test_metrics_names(self):
        self.server.influx(f"mx value=1 {T0}\n")
        self.server.post("/write", "mx value=abc")
        self.server.values("mx")
        text = self.server.get("/metrics").body.decode()
        names = set(re.findall(r"^([a-zA-Z_:][\w:]*)", text, re.M))
        self.assertEqual([n for n in PROMISED if n not in names], [])
        self.assertRegex(text, r'varve_samples_rejected_total\{reason="[a-z_]+"\} [1-9]')
        self.assertRegex(text, r'varve_http_requests_total\{[^}]*code="204"')
        self.assertRegex(text, r'varve_queries_total\{api="kairosdb"\} [1-9]')
        for kind in ("wal", "hot", "sealed", "rollup", "index", "message"):
            self.assertIn(f'varve_storage_bytes{{kind="{kind}"}}', text)

    def test_metrics_are_valid_text(self):
        answer = self.server.get("/metrics")
        self.assertRegex(answer.header("Content-Type"), "^text/plain")
        typed = set()
        for line in answer.body.decode().splitlines():
            if line.startswith("# TYPE "):
                name = line.split()[2]
                self.assertNotIn(name, typed, "one TYPE a name")
                typed.add(name)
            elif line and not line.startswith("#"):
                found = re.match(r'([a-zA-Z_:][\w:]*)(\{([a-zA-Z_]\w*="([^"\\\n]|\\.)*",?)*\})? (\S+)$', line)
                self.assertTrue(found, line)
                float(found.group(5).replace("Inf", "inf"))
                self.assertIn(re.sub("_(bucket|sum|count)$", "", found.group(1)) if found.group(1) not in typed
                              else found.group(1), typed)

    def test_counters_count(self):
        server = self.server
        accepted = server.metric("varve_samples_accepted_total")
        created = server.metric("varve_series_created_total")
        server.influx("".join(f"cnt,h=h{i} value={i} {T0}\n" for i in range(250)))
        # The server's own metrics are counted too.
        self.assertGreaterEqual(server.metric("varve_samples_accepted_total"), accepted + 250)
        self.assertGreaterEqual(server.metric("varve_series_created_total"), created + 250)
        self.assertGreaterEqual(server.metric("varve_series"), 250)

    def test_settle(self):
        self.server.influx("".join(f"settle value={i} {T0 + i}\n" for i in range(1000)))
        done = self.server.settle()
        self.assertIsInstance(done, dict)
        self.assertTrue(done)
        self.assertEqual(len(self.server.values("settle")), 1000)
        self.server.settle()
        self.assertEqual(len(self.server.values("settle")), 1000)

    def test_unknown_path_is_404_in_json(self):
        for path in ("/nope", "/api/v1/nope", "/t/x/nope"):
            answer = self.server.get(path)
            self.assertEqual(answer.status, 404, path)
            self.assertIn("json", answer.header("Content-Type"))
            answer.json()

    def test_wrong_method_is_405_with_allow(self):
        for method, path, allowed in (("GET", "/api/v1/datapoints", "POST"), ("GET", "/api/put", "POST"),
                                      ("GET", "/write", "POST"), ("DELETE", "/api/v1/write", "POST"),
                                      ("POST", "/api/v1/metricnames", "GET"), ("POST", "/-/healthy", "GET")):
            answer = self.server.request(method, path)
            self.assertEqual(answer.status, 405, path)
            self.assertIn(allowed, answer.header("Allow"), path)

    def test_answers_are_compressed_for_who_accepts_it(self):
        self.server.put([{"name": "zip", "tags": {"h": "a"}, "datapoints": [[T0 + i, 1] for i in range(5000)]}])
        query = {"start_absolute": 0, "metrics": [{"name": "zip"}]}
        plain = self.server.post("/api/v1/datapoints/query", query)
        self.assertEqual(plain.header("Content-Encoding"), "")
        packed = self.server.post("/api/v1/datapoints/query", query, {"Accept-Encoding": "gzip"})
        self.assertEqual(packed.header("Content-Encoding"), "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)

    def test_head_and_options(self):
        head = self.server.request("HEAD", "/ping")
        self.assertEqual((head.status, head.body), (204, b""))
        options = self.server.request("OPTIONS", "/api/v1/datapoints/query", None, {
            "Origin": "http://x", "Access-Control-Request-Method": "POST"})
        self.assertIn(options.status, (200, 204))
        self.assertEqual(options.header("Access-Control-Allow-Origin"), "", "no page of a browser is allowed")

    def test_log_is_logfmt(self):
        for line in self.server.log().splitlines():
            self.assertRegex(line, r'^ts=\S+ level=(debug|info|warn|error) msg=("([^"\\]|\\.)*"|\S+)( \S+=("([^"\\]|\\.)*"|\S*))*$')


class Own(OwnServerCase):
    def test_the_service_manager_is_told(self):
        """As a unit of Type=notify wants it."""
        server = self.new_server()
        path = os.path.join(server.root, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(20)
            server.env = {"NOTIFY_SOCKET": path}
            server.start()
            self.assertEqual(manager.recv(100), b"READY=1")
            server.stop()
            self.assertEqual(manager.recv(100), b"STOPPING=1")

    def test_threads_have_names(self):
        server = self.new_server().start()
        tasks = pathlib.Path(f"/proc/{server.process.pid}/task")
        names = collections.Counter((task / "comm").read_text().strip() for task in tasks.iterdir())
        self.assertLessEqual({"varve", "http", "engine", "query", "settle", "snmp", "tasks", "telnet"}, set(names), names)
        self.assertEqual(names["varve"], 1, names)

    def test_few_descriptors_are_told_at_the_start(self):
        def limited(most):
            return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        few = self.new_server(preexec=limited(1024)).start()
        self.assertRegex(few.log(), r"level=warn .*LimitNOFILE.* allowed=1024 wanted=\d+")
        with contextlib.ExitStack() as connections:
            for _ in range(1100):
                connections.enter_context(socket.create_connection(("127.0.0.1", few.port), timeout=10))
            wait_until(lambda: "cannot accept a connection: LimitNOFILE" in few.log(), 20)
        wait_until(lambda: few.get("/-/ready").status == 200, 20)
        self.assertLessEqual(few.log().count("cannot accept"), 2)  # it was tried ten times a second
        enough = self.new_server({"http.connections_max": "1000", "telnet.connections_max": "1000"}, preexec=limited(4096)).start()
        self.assertNotIn("LimitNOFILE", enough.log())

    def test_an_empty_store_records_itself(self):
        server = self.new_server().start()
        names = wait_until(lambda: server.metric_names(prefix="/t/varve"), 12, "self-metrics")
        self.assertTrue(any(n.startswith("varve_") for n in names), names)
        self.assertEqual(server.metric_names(), [], "and into its own tenant only")
        self.assertTrue(wait_until(lambda: server.values("varve_series", prefix="/t/varve"), 12, "a sample of varve_series"))

    def test_ready_is_503_or_refused_until_ready(self):
        server = self.new_server()
        server.spawn()
        def status():
            try:
                return server.get("/-/ready").status
            except OSError:
                return None
        seen = []
        wait_until(lambda: seen.append(status()) or seen[-1] == 200, 30)
        self.assertLessEqual(set(seen), {None, 503, 200})

    def test_telnet_can_be_off(self):
        server = self.new_server({"telnet.listen": ""}).start()
        with self.assertRaises(OSError):
            server.telnet()


if __name__ == "__main__":
    unittest.main()
