# SPDX-License-Identifier: Apache-2.0
"""docs/operate/metrics.md names every metric of /metrics, and no other, on both engines."""

import re
import unittest

from support import cluster
from support.case import ServerCase
from support.documents import DOCS


class Metrics(ServerCase):
    config = {"syslog.tcp": "127.0.0.1:0"}

    def test_documented(self):
        self.server.post("/write", "m,host=a v=1")
        self.server.query([{"name": "m"}])
        self.server.request("DELETE", "/api/v1/metric/m")  # counted from the first one on
        served = set(re.findall(r"^# TYPE (\w+)", self.server.get("/metrics").body.decode(), re.M))
        rows = re.findall(r"^\| `(\w+)(?:\{[\w,]+\})?` \| (\w*) ?\|", (DOCS / "operate/metrics.md").read_text(encoding="utf-8"), re.M)
        engine = "cluster" if cluster.chosen() else "embedded"
        self.assertEqual({name for name, only in rows if only in ("", engine)}, served)


    def test_of_tenants(self):
        """The largest hundred; who writes nothing is not among them."""
        for n in range(105):
            lines = "".join(f"t,host=h{i} v={i}\n" for i in range(n + 1))
            self.assertEqual(self.server.post("/write", lines, {"X-Tenant": f"of.{n}"}).status, 204)
        self.assertEqual(self.server.post("/api/v1/messages", b'{"text":"a"}\n{"text":"b"}\n', {"X-Tenant": "of.1"}).status, 204)
        self.server.get("/api/v1/metricnames", {"X-Tenant": "nobody"})
        text = self.server.get("/metrics").body.decode()

        def of(name):
            return {tenant: int(value) for tenant, value in re.findall(rf'^{name}\{{tenant="([^"]*)"\}} (\d+)$', text, re.M)}
        for name in ("varve_tenant_series", "varve_tenant_samples_total"):
            found = of(name)
            self.assertLessEqual(len(found), 100, name)
            self.assertEqual((found["of.104"], found["of.50"]), (105, 51), name)
            self.assertNotIn("of.0", found, name)
        self.assertEqual(of("varve_tenant_messages_total"), {"of.1": 2})
        self.assertNotIn("nobody", text)


if __name__ == "__main__":
    unittest.main()
