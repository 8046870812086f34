# SPDX-License-Identifier: Apache-2.0
"""Deletes through the program: exact to the sample, in samples and rollups, for one tenant only, and for good."""

from urllib.parse import urlencode

from support.case import OwnServerCase

HOUR = 3_600_000
BASE = 1_600_041_600_000  # 2020-09-14T00:00:00Z
ONE = {"X-Tenant": "one"}
TWO = {"X-Tenant": "two"}


class Delete(OwnServerCase):
    config = {"rollups": "5m:9000d,1h:9000d,1d:9000d", "raw.retention": "9000d"}

    def setUp(self):
        self.server = self.new_server(self.config)
        self.server.start()

    def fill(self):
        for tenant in (ONE, TWO):
            points = [[BASE + minute * 60_000, minute] for minute in range(0, 1440, 2)]
            self.server.put([{"name": name, "tags": {"host": host, "metricGroup": group}, "datapoints": points}
                             for name, group in (("cpu", "CPU"), ("load", "CPU"), ("disk", "Disk"))
                             for host in ("a", "b")], tenant)

    def delete(self, path, tenant=ONE, status=200, prefix="", **parameters):
        answer = self.server.request("DELETE", prefix + path + ("?" + urlencode(parameters, doseq=True) if parameters else ""),
                                     headers=tenant)
        self.assertEqual((answer.status, answer.body), (status, b""), answer)

    def minutes(self, metric, host, tenant=ONE):
        return [(t - BASE) // 60_000 for t, _ in self.server.values(metric, {"host": [host]}, headers=tenant)]

    def windows(self, metric, host, width, aggregator="sum", tenant=ONE):
        query = dict(metricName=metric, tag="host=" + host, aggregator=aggregator, granularity=width, start=BASE,
                     end=BASE + 24 * HOUR)
        answer = self.server.get("/api/query?" + urlencode(query), tenant)
        self.assertEqual(answer.status, 200, answer)
        found = answer.json()
        return found[0]["data"]["values"] if found else {}

    def check(self, gone):
        """`gone`: (metric, host) → the minutes that are not there."""
        for tenant in (ONE, TWO):
            for metric in ("cpu", "load", "disk"):
                for host in ("a", "b"):
                    holes = gone.get((metric, host), ()) if tenant is ONE else ()
                    want = [m for m in range(0, 1440, 2) if m not in holes]
                    where = (tenant, metric, host)
                    self.assertEqual(self.minutes(metric, host, tenant), want, where)
                    for width, minutes in (("5m", 5), ("1h", 60), ("1d", 1440)):
                        sums = {}
                        for m in want:
                            sums[m // minutes] = sums.get(m // minutes, 0) + m
                        got = list(self.windows(metric, host, width, tenant=tenant).values())
                        self.assertEqual(got, list(sums.values()), (where, width))

    def test_life(self):
        self.fill()
        self.server.settle()
        gone = {}
        self.check(gone)
        self.delete("/api/metric/metricName/cpu", tag="host=a", start=BASE + 90 * 60_000, end=BASE + 431 * 60_000)
        gone["cpu", "a"] = set(range(90, 431))
        self.check(gone)
        answer = self.server.post("/api/v1/datapoints/delete", {
            "start_absolute": BASE + 600_000, "end_absolute": BASE + 1_200_000,
            "metrics": [{"name": "load", "tags": {"host": ["b"]}}]}, ONE)
        self.assertEqual(answer.status, 204, answer)
        gone["load", "b"] = set(range(10, 21))
        self.check(gone)
        self.server.settle()
        self.check(gone)
        self.server.kill()
        self.server.start()
        self.check(gone)

        # The same times again, and a whole metric, group and tenant.
        self.server.put([{"name": "cpu", "tags": {"host": "a", "metricGroup": "CPU"},
                          "datapoints": [[BASE + m * 60_000, m] for m in range(90, 431, 2)]}], ONE)
        del gone["cpu", "a"]
        self.check(gone)
        self.server.settle()
        self.check(gone)
        self.delete("/api/v1/metric/disk", status=204)
        self.assertEqual(self.server.metric_names(ONE), ["cpu", "load"])
        self.delete("/api/metric/metricGroup/CPU", tenant=None, prefix="/t/one")
        self.assertEqual(self.server.metric_names(ONE), [])
        for metric in ("cpu", "load", "disk"):
            self.assertEqual(self.windows(metric, "a", "1d"), {})
            self.assertEqual(len(self.minutes(metric, "a", TWO)), 720)
        self.delete("/api/metric", TWO)
        self.server.settle()
        self.server.restart()
        self.assertEqual(self.server.metric_names(TWO), [])
        self.assertEqual(self.minutes("cpu", "a", TWO), [])

    def test_what_is_not_understood_deletes_nothing(self):
        self.fill()
        for path, status in (("/api/metric?metricName=cpu", 400), ("/api/metric?tag=host=a", 400),
                             ("/api/metric/metricName/cpu?tags=host=a", 400), ("/api/metric/metricName/cpu?tag=", 400),
                             ("/api/metric?start=2d-ago&end=3d-ago", 400), ("/api/metric?tenant=two", 400),
                             ("/api/metric/metricName/", 404)):
            answer = self.server.request("DELETE", path, headers=ONE)
            self.assertEqual(answer.status, status, (path, answer))
        self.check({})
