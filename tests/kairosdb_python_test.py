# SPDX-License-Identifier: Apache-2.0
"""A Python client of KairosDB from PyPI (kairosdb-python, on httpx) does what it can do: all but puts."""

import functools
import sys
import types
import unittest
import unittest.mock

from support import pypi
from support.case import ServerCase

CLIENT, HTTPX = "0.0.1", "0.28.1"
T0 = 1_700_000_040_000
A, B = [[T0 + i * 10_000, i] for i in range(6)], [[T0 + i * 10_000, i / 4] for i in range(6)]


class PythonClient(ServerCase):
    config = {"raw.retention": "20000d"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pypi.fetch(f"kairosdb-python-{CLIENT}", f"kairosdb-python=={CLIENT}", f"httpx=={HTTPX}")
        if "pandas" not in sys.modules:  # it is only named, for what it says of a type
            sys.modules["pandas"] = types.SimpleNamespace(DataFrame=dict)
            cls.addClassCleanup(sys.modules.pop, "pandas")
        cls.enterClassContext(pypi.importable(folder))
        import httpx
        import kairosdb
        from kairosdb.errors import ApiCallError
        cls.ApiCallError = ApiCallError
        # The client cannot be told how long to wait, and five seconds may be too few on a busy machine.
        patient = functools.partial(httpx.Client, timeout=60)
        cls.enterClassContext(unittest.mock.patch.object(httpx, "Client", patient))
        cls.api = kairosdb.KairosDB(f"http://127.0.0.1:{cls.server.port}/")
        cls.server.put([{"name": "py.load", "tags": {"host": host, "dc": "x"}, "datapoints": points} for host, points in (("a", A), ("b", B))])
        cls.server.put([{"name": "py.text", "tags": {"host": "a é"}, "timestamp": T0, "value": "up ü"}])

    def query(self, **metric):
        return self.api.query({"start_absolute": T0, "end_absolute": T0 + 60_000, "metrics": [metric]})["queries"][0]

    def test_server(self):
        self.assertTrue(self.api.check_health())
        self.assertEqual(self.api.check_health_status(), ["JVM-Thread-Deadlock: OK", "Datastore-Query: OK"])
        self.assertEqual([feature["name"] for feature in self.api.features()], ["group_by", "aggregators"])
        self.assertIn("percentile", [feature["name"] for feature in self.api.features("aggregators")])

    def test_names(self):
        self.assertEqual(self.api.get_metric_names(), {"results": ["py.load", "py.text"]})
        self.assertEqual(self.api.get_metric_names("py.t"), {"results": ["py.text"]})

    def test_queries(self):
        query = self.query(name="py.load", group_by=[{"name": "tag", "tags": ["host"]}])
        self.assertEqual(query["sample_size"], 12)
        self.assertEqual([(r["tags"], r["values"]) for r in query["results"]],
                         [({"dc": ["x"], "host": ["a"]}, A), ({"dc": ["x"], "host": ["b"]}, B)])
        minute = {"sampling": {"value": 1, "unit": "minutes"}, "align_start_time": True}
        query = self.query(name="py.load", tags={"host": ["a"]}, aggregators=[{"name": "sum", **minute}])
        self.assertEqual(query["results"][0]["values"], [[T0, 15]])
        self.assertEqual(self.query(name="py.text")["results"][0]["values"], [[T0, "up ü"]])

    def test_errors(self):
        with self.assertRaises(self.ApiCallError) as caught:
            self.query(name="py.load", aggregators=[{"name": "bogus"}])
        self.assertEqual(caught.exception.details, {"errors": ["query.metric[0].aggregators[0].bogus invalid aggregators name"]})
        self.assertIn("400", caught.exception.message)


if __name__ == "__main__":
    unittest.main()
