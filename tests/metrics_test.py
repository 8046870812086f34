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


if __name__ == "__main__":
    unittest.main()
