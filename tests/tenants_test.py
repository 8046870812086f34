# SPDX-License-Identifier: Apache-2.0
"""Nothing of one tenant is ever visible to another, whichever way the tenant is named."""

import unittest

from support import wire
from support.case import T0, OwnServerCase, ServerCase

QUERY = {"start_absolute": 0, "metrics": [{"name": "shared"}]}


class Tenants(ServerCase):
    def put(self, value, headers=None, prefix="", tags=None):
        self.server.put([{"name": "shared", "timestamp": T0, "value": value, "tags": tags or {"h": "a"}}], headers, prefix)

    def seen(self, headers=None, prefix=""):
        return [v for _, v in self.server.values("shared", headers=headers, prefix=prefix)]

    def test_path_header_and_default(self):
        self.put(1)
        self.put(2, prefix="/t/acme")
        self.put(3, headers={"X-Tenant": "beta"})
        self.put(4, headers={"X-Scope-OrgID": "gamma"})
        self.assertEqual(self.seen(), [1])
        self.assertEqual(self.seen(headers={"X-Tenant": "default"}), [1])
        self.assertEqual(self.seen(headers={"X-Tenant": "acme"}), [2])
        self.assertEqual(self.seen(prefix="/t/beta"), [3])
        self.assertEqual(self.seen(headers={"X-Tenant": "gamma"}), [4])
        self.assertEqual(self.seen(headers={"X-Tenant": "nobody"}), [])

    def test_the_path_beats_the_header(self):
        self.put(7, headers={"X-Tenant": "loses"}, prefix="/t/wins")
        self.assertEqual(self.seen(prefix="/t/wins"), [7])
        self.assertEqual(self.seen(prefix="/t/loses"), [])

    def test_every_endpoint_that_lists(self):
        self.server.put([{"name": "secret.metric", "timestamp": T0, "value": 1, "tags": {"secretkey": "secretvalue"}}],
                        prefix="/t/owner")
        asked = [("GET", "/api/v1/metricnames", None), ("GET", "/api/v1/metricnames?prefix=secret", None),
                 ("POST", "/api/v1/datapoints/query/tags", {"start_absolute": 0, "metrics": [{"name": "secret.metric"}]}),
                 ("POST", "/api/v1/datapoints/query", {"start_absolute": 0, "metrics": [{"name": "secret.metric"}]})]
        for method, path, body in asked:
            with self.subTest(path):
                own = self.server.request(method, "/t/owner" + path, body)
                self.assertIn(b"secret", own.body)
                for prefix in ("", "/t/other"):
                    other = self.server.request(method, prefix + path, body)
                    self.assertEqual(other.status, 200)
                    self.assertNotIn(b"secretkey", other.body)
                    self.assertNotIn(b"secretvalue", other.body)
                    if "metricnames" in path:
                        self.assertNotIn(b"secret", other.body)

    def test_tenant_tag_of_opentsdb_and_telnet(self):
        point = {"metric": "shared", "timestamp": T0, "value": 5, "tags": {"h": "a", "tenant": "tagged"}}
        self.assertEqual(self.server.post("/api/put", point).status, 204)
        with self.server.telnet() as t:
            t.send(f"putm shared {T0} 6 h=a tenant=telnetted\n")
            t.finish()
        self.assertEqual(self.seen(prefix="/t/tagged"), [5])
        self.assertEqual(self.seen(prefix="/t/telnetted"), [6])
        result = self.server.query([{"name": "shared"}], prefix="/t/tagged")[0]["results"][0]
        self.assertEqual(result["tags"], {"h": ["a"]}, "the tag is taken off")

    def test_two_tenants_in_one_put(self):
        points = [{"metric": "two", "timestamp": T0, "value": i, "tags": {"h": "a", "tenant": f"two{i}"}} for i in (1, 2)]
        self.assertEqual(self.server.post("/api/put", points).status, 204)
        self.assertEqual([v for _, v in self.server.values("two", prefix="/t/two1")], [1])
        self.assertEqual([v for _, v in self.server.values("two", prefix="/t/two2")], [2])

    def test_influx_and_remote_write(self):
        self.assertEqual(self.server.post("/t/in/write?precision=ms", f"shared,h=a value=8 {T0}").status, 204)
        rw = wire.snappy(wire.write_request([({"__name__": "shared", "h": "a"}, [(T0, 9.0)])]))
        answer = self.server.post("/t/rw/api/v1/write", rw, {"Content-Encoding": "snappy"})
        self.assertIn(answer.status, (200, 204))
        self.assertEqual(self.seen(prefix="/t/in"), [8])
        self.assertEqual(self.seen(prefix="/t/rw"), [9])

    def test_same_raw_bytes_in_two_tenants(self):
        """The cache of known raw tag sets must not cross tenants."""
        for i in range(20):
            self.assertEqual(self.server.post(f"/t/raw{i}/write?precision=ms", f"rawline,h=a value={i} {T0}").status, 204)
        for i in range(20):
            self.assertEqual([v for _, v in self.server.values("rawline", prefix=f"/t/raw{i}")], [i])

    def test_names(self):
        for good in ("a", "A-Z_0.9", "x" * 64):
            self.assertEqual(self.server.get(f"/t/{good}/api/v1/metricnames").status, 200, good)
        for bad in ("x" * 65, "%C3%A9", "a%20b", "a%00b"):
            self.assertEqual(self.server.get(f"/t/{bad}/api/v1/metricnames").status, 400, bad)

    def test_after_settle_and_restart(self):
        self.put(11, prefix="/t/keepa")
        self.put(12, prefix="/t/keepb")
        self.server.settle()
        self.server.restart()
        self.assertEqual(self.seen(prefix="/t/keepa"), [11])
        self.assertEqual(self.seen(prefix="/t/keepb"), [12])


class NoDefault(OwnServerCase):
    def test_a_request_without_a_tenant_is_refused(self):
        server = self.new_server({"tenant.default": ""}).start()
        put = [{"name": "x", "timestamp": T0, "value": 1, "tags": {"h": "a"}}]
        self.assertEqual(server.post("/api/v1/datapoints", put).status, 400)
        self.assertEqual(server.post("/write", "x value=1").status, 400)
        self.assertEqual(server.post("/api/v1/datapoints/query", QUERY).status, 400)
        self.assertEqual(server.post("/t/x/api/v1/datapoints", put).status, 204)


class Limit(OwnServerCase):
    def test_series_per_tenant(self):
        server = self.new_server({"limits.series_per_tenant": "5"}).start()
        server.influx("".join(f"lim,h=h{i} value={i} {T0}\n" for i in range(5)))
        over = server.post("/write?precision=ms", f"lim,h=h9 value=9 {T0}\nlim,h=h1 value=7 {T0 + 1}\n")
        self.assertGreaterEqual(over.status, 400)
        self.assertEqual(server.values("lim", {"h": "h9"}), [])
        self.assertEqual([v for _, v in server.values("lim", {"h": "h1"})], [1, 7], "known series go on")
        other = server.post("/t/other/write?precision=ms", f"lim,h=h9 value=9 {T0}\n")
        self.assertEqual(other.status, 204, "another tenant has its own limit")


if __name__ == "__main__":
    unittest.main()
