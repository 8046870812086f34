# SPDX-License-Identifier: Apache-2.0
"""What a browser's page, a foreign name and a trailer can do to a server that has no passwords: nothing."""

import gzip
import json
import unittest
import urllib.parse

from support.case import T0, OwnServerCase, ServerCase
from support.client import raw_http

EVIL = "http://evil.example"
GRAFANA = "https://grafana.example:3000"


def access(answer):
    return sorted(name for name in answer.headers if name.startswith("access-control-"))


class Pages(ServerCase):
    def put(self, metric):
        self.server.put([{"name": metric, "timestamp": T0, "value": 1, "tags": {"h": "a"}}])

    def test_a_foreign_page_writes_and_erases_nothing(self):
        self.put("safe")
        one = [{"name": "evil", "timestamp": T0, "value": 1, "tags": {"h": "a"}}]
        for origin in (EVIL, "null", "", f"http://127.0.0.1:{self.server.port + 1}", f"https://127.0.0.1:{self.server.port}"):
            for method, path, body in (("POST", "/api/v1/datapoints", one), ("POST", "/write", "evil,h=a v=1"),
                                       ("POST", "/api/put", {"metric": "evil", "timestamp": T0, "value": 1, "tags": {"h": "a"}}),
                                       ("DELETE", "/api/v1/metric/safe", None), ("DELETE", "/api/metric", None),
                                       ("POST", "/api/v1/datapoints/query", {"start_absolute": 0, "metrics": [{"name": "safe"}]}),
                                       ("POST", "/-/settle", b""), ("DELETE", "/api/v1/admin/killquery/x", None),
                                       ("GET", "/api/v1/admin/killquery/x", None), ("GET", "/api/v1/rollups/backfill/x", None)):
                with self.subTest(f"{origin} {method} {path}"):
                    answer = self.server.request(method, path, body, {"Origin": origin})
                    self.assertEqual((answer.status, access(answer)), (403, []), answer)
        for method in ("GET", "HEAD"):
            answer = self.server.request(method, "/api/v1/metricnames", None, {"Origin": EVIL})
            self.assertEqual((answer.status, access(answer)), (200, []))
        preflight = self.server.request("OPTIONS", "/api/v1/metric/safe", None, {"Origin": EVIL, "Access-Control-Request-Method": "DELETE"})
        self.assertEqual(access(preflight), [])
        self.assertIn("safe", self.server.metric_names())
        self.assertFalse([name for name in self.server.metric_names() if name.startswith("evil")])
        self.assertEqual(self.server.values("safe"), [(T0, 1)])

    def test_a_page_of_this_server_may(self):
        answer = self.server.post("/write?precision=ms", f"own,h=a v=1 {T0}", {"Origin": f"http://127.0.0.1:{self.server.port}"})
        self.assertEqual(answer.status, 204, answer)

    def test_an_image_changes_nothing(self):
        for path in ("/api/v1/admin/killquery/x", "/api/v1/rollups/backfill/x"):
            self.assertEqual(self.server.get(path, {"Sec-Fetch-Site": "cross-site"}).status, 403)
            self.assertNotEqual(self.server.get(path, {"Sec-Fetch-Site": "same-origin"}).status, 403)
        self.assertEqual(self.server.get("/api/v1/metricnames", {"Sec-Fetch-Site": "cross-site"}).status, 200)

    def test_a_get_saves_nothing(self):
        self.put("seen")
        query = {"start_absolute": 0, "metrics": [{"name": "seen", "aggregators": [{"name": "save_as", "metric_name": "saved"}]}]}
        answer = self.server.get("/api/v1/datapoints/query?query=" + urllib.parse.quote(json.dumps(query)))
        self.assertEqual(answer.status, 400, answer)
        self.assertNotIn("saved", self.server.metric_names())
        self.assertEqual(self.server.post("/api/v1/datapoints/query", query).status, 200)
        self.assertEqual(self.server.values("saved"), [(T0, 1)])

    def test_names_of_this_server(self):
        def status(*lines, version="1.1", target="/-/healthy"):
            head = "".join(f"{line}\r\n" for line in lines)
            got = raw_http(self.server.port, f"GET {target} HTTP/{version}\r\n{head}Connection: close\r\n\r\n".encode())
            return int(got.split()[1])
        for host in ("127.0.0.1", f"127.0.0.1:{self.server.port}", "10.1.2.3", "[::1]:80", "localhost", "LOCALHOST:1", "a.localhost", "varve"):
            self.assertEqual(status(f"Host: {host}"), 200, host)
        for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example"):
            self.assertEqual(status(f"Host: {host}"), 421, host)
        self.assertEqual(status(), 400)
        self.assertEqual(status("Host: localhost", "Host: localhost"), 400)
        self.assertEqual(status("Host: localhost", "Host: evil.example"), 400)
        self.assertEqual(status("Host: a b"), 400)
        self.assertEqual(status(version="1.0"), 200)
        self.assertEqual(status("Host: localhost", target="http://evil.example/-/healthy"), 421)

    def test_a_trailer_is_no_header(self):
        line = f"trailed,h=a v=1 {T0}".encode()
        for name, value in (("Content-Encoding", "gzip"), ("X-Tenant", "other"), ("Origin", EVIL)):
            body = gzip.compress(line) if name == "Content-Encoding" else line
            got = raw_http(self.server.port, b"POST /write?precision=ms HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
                           b"\r\n%x\r\n%s\r\n0\r\n%s: %s\r\n\r\n" % (len(body), body, name.encode(), value.encode()))
            self.assertEqual(got.split()[1], b"400" if name == "Content-Encoding" else b"204", (name, got))
            self.assertNotIn(b"Access-Control", got)
        self.assertEqual(self.server.metric_names(prefix="/t/other"), [])
        self.assertEqual(self.server.values("trailed_v"), [(T0, 1)])


class Allowed(OwnServerCase):
    def test_pages_and_names_of_the_configuration(self):
        server = self.new_server({"http.origins": GRAFANA + ",http://b.example", "http.hosts": "db.example.org,*.lan.example"}).start()
        query = {"start_absolute": 0, "metrics": [{"name": "m"}]}
        for origin, status in ((GRAFANA, 200), ("http://b.example", 200), ("https://grafana.example", 403), (EVIL, 403)):
            answer = server.post("/api/v1/datapoints/query", query, {"Origin": origin})
            self.assertEqual(answer.status, status)
            self.assertEqual(answer.header("Access-Control-Allow-Origin"), origin if status == 200 else "")
            self.assertIn("Origin", answer.header("Vary"))
        asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,x-a"}
        preflight = server.request("OPTIONS", "/api/v1/datapoints/query", None, {"Origin": GRAFANA, **asked})
        self.assertEqual(preflight.status, 200)
        self.assertEqual(preflight.header("Access-Control-Allow-Origin"), GRAFANA)
        self.assertEqual(preflight.header("Access-Control-Allow-Headers"), "content-type,x-a")
        self.assertIn("POST", preflight.header("Access-Control-Allow-Methods"))
        self.assertTrue(preflight.header("Access-Control-Max-Age"))
        for host, status in (("db.example.org", 200), ("DB.example.org:9", 200), ("a.b.lan.example", 200), ("lan.example", 421), ("x.db.example.org", 421)):
            self.assertEqual(server.get("/-/healthy", {"Host": host}).status, status, host)


class Tenants(OwnServerCase):
    def test_only_the_header_of_the_proxy_names_the_tenant(self):
        server = self.new_server({"tenant.from": "x-scope-orgid"}).start()
        sample = [{"name": "m", "timestamp": T0, "value": 1, "tags": {"h": "a"}}]
        pinned = {"X-Scope-OrgID": "acme"}
        server.put(sample, pinned)
        self.assertEqual(server.metric_names(headers=pinned), ["m"])
        self.assertEqual(server.get("/t/victim/api/v1/metricnames", pinned).status, 400)
        self.assertEqual(server.get("/api/v1/metricnames", {**pinned, "X-Tenant": "victim"}).status, 400)
        tagged = {"metric": "tagged", "timestamp": T0, "value": 1, "tags": {"h": "a", "tenant": "victim"}}
        self.assertEqual(server.post("/api/put", tagged, pinned).status, 204)
        with server.telnet() as t:
            t.send(f"putm tagged {T0} 1 h=a tenant=victim\n")
            t.finish()
        for headers in (pinned, {}):
            results = server.query([{"name": "tagged"}], headers=headers)[0]["results"]
            self.assertEqual(results[0]["tags"], {"h": ["a"], "tenant": ["victim"]})
        self.assertEqual(server.metric_names(headers={"X-Scope-OrgID": "victim"}), [])

    def test_the_servers_own_tenant_is_read_only(self):
        server = self.new_server().start()
        own = "/t/varve"
        sample = {"name": "m", "timestamp": T0, "value": 1, "tags": {"h": "a"}}
        task = {"name": "R", "execution_interval": {"value": 1, "unit": "hours"}, "rollups": []}
        put = {"metric": "m", "timestamp": T0, "value": 1, "tags": {"h": "a"}}
        for method, path, body in (("POST", "/api/v1/datapoints", [sample]), ("POST", "/write", "m v=1"), ("POST", "/api/v2/write", "m v=1"),
                                   ("POST", "/api/put", put), ("DELETE", "/api/v1/metric/varve_series", None), ("DELETE", "/api/metric", None),
                                   ("POST", "/api/v1/datapoints/delete", {"start_absolute": 0, "metrics": [{"name": "varve_series"}]}),
                                   ("POST", "/api/v1/metadata/a/b/c", "x"), ("DELETE", "/api/v1/metadata/a/b/c", None),
                                   ("POST", "/api/v1/rollups", task)):
            with self.subTest(f"{method} {path}"):
                self.assertEqual(server.request(method, own + path, body).status, 403)
        put["tags"]["tenant"] = "varve"
        self.assertEqual(server.post("/api/put", put).status, 403)
        with server.telnet() as t:
            t.send(f"putm m {T0} 1 h=a tenant=varve\n")
            self.assertIn("read only", t.read_line())
        self.assertNotIn("m", server.metric_names(prefix=own))


if __name__ == "__main__":
    unittest.main()
