# SPDX-License-Identifier: Apache-2.0
"""KairosDB's complex numbers and histograms: put, asked for, aggregated, saved and deleted; at once, when they are settled,
and after a restart."""

import unittest

from support.case import ServerCase

T0 = 1_700_000_040_000  # a whole minute
END = T0 + 3_600_000


def histogram(counts, precision=7):
    """Of whole numbers below 256, which are their bins."""
    values = [v for v, n in counts.items() for _ in range(n)]
    return {"bins": {f"{float(v)}": n for v, n in counts.items()}, "min": min(values), "max": max(values),
            "mean": sum(values) / len(values), "sum": sum(values), "precision": precision}


H1, H2, H3 = histogram({1: 3, 2: 1}), histogram({2: 2, 10: 1}), histogram({100: 1, 101: 1}, 5)
H3["bins"] = {"100.0": 2}  # bins of precision 5 are wider
C1, C2 = {"real": 1.5, "imaginary": -2}, {"real": -0.25, "imaginary": 1e100}

PUT = [
    {"name": "t.complex", "tags": {"host": "a"}, "type": "complex", "timestamp": T0, "value": C1},
    {"name": "t.complex", "tags": {"host": "b"}, "datapoints": [[T0 + 60_000, C2, "complex"]]},
    {"name": "t.h", "tags": {"host": "a"}, "type": "histogram", "datapoints": [[T0, H1], [T0 + 60_000, H2]]},
    {"name": "t.h", "tags": {"host": "b"}, "type": "histogram", "datapoints": [[T0 + 60_000, H3]]},
    # One series with values of every kind.
    {"name": "t.mixed", "tags": {"host": "a"},
     "datapoints": [[T0, 1], [T0 + 1000, "text"], [T0 + 2000, C1, "complex"], [T0 + 3000, H1, "histogram"], [T0 + 4000, 2.5],
                    [T0 + 5000, H2, "histogram"]]},
]


class Types(ServerCase):
    config = {"raw.retention": "20000d"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.put(PUT)

    def ask(self, name, *aggregators, **more):
        """{kind: values}, for one group of each kind; or the answer's results with group_by."""
        query = {"start_absolute": T0, "end_absolute": END, "metrics": [{"name": name, "aggregators": list(aggregators), **more}]}
        answer = self.server.post("/api/v1/datapoints/query", query)
        self.assertEqual(answer.status, 200, answer)
        results = answer.json()["queries"][0]["results"]
        if "group_by" in more:
            return results
        kinds = [result["group_by"][-1] for result in results]
        self.assertTrue(all(kind["name"] == "type" for kind in kinds), kinds)
        self.assertEqual(len({kind["type"] for kind in kinds}), len(results), "a group a kind")
        return {kind["type"]: result["values"] for kind, result in zip(kinds, results)}

    def of_histograms(self, name, seconds=60, **more):
        aggregator = {"name": name, "align_start_time": True, "sampling": {"value": seconds, "unit": "seconds"}, **more}
        return self.ask("t.h", aggregator)["histogram"]

    def look(self):
        self.assertEqual(self.ask("t.complex"), {"complex": [[T0, C1], [T0 + 60_000, C2]]})
        second = sorted([H2, H3], key=lambda h: h["sum"])
        values = self.ask("t.h")["histogram"]
        self.assertEqual(values[0], [T0, H1])
        self.assertEqual(sorted((v for t, v in values[1:]), key=lambda h: h["sum"]), second)
        self.assertEqual(self.ask("t.mixed"), {
            "number": [[T0, 1], [T0 + 4000, 2.5]], "text": [[T0 + 1000, "text"]], "complex": [[T0 + 2000, C1]],
            "histogram": [[T0 + 3000, H1], [T0 + 5000, H2]]})
        by_host = self.ask("t.complex", group_by=[{"name": "tag", "tags": ["host"]}])
        self.assertEqual([r["values"] for r in by_host], [[[T0, C1]], [[T0 + 60_000, C2]]])
        by_value = self.ask("t.complex", group_by=[{"name": "value", "range_size": 10}])
        self.assertEqual([r["group_by"][0]["group"] for r in by_value], [{"group_number": -1}])

        # What takes any value.
        hour = {"sampling": {"value": 1, "unit": "hours"}}
        self.assertEqual(self.ask("t.complex", {"name": "count", **hour}), {"complex": [[T0, 2]]})
        self.assertEqual(self.ask("t.complex", {"name": "first", **hour}), {"complex": [[T0, C1]]})
        self.assertEqual(self.ask("t.complex", {"name": "last", **hour}), {"complex": [[T0 + 60_000, C2]]})
        gaps = self.ask("t.complex", {"name": "gaps", "trim": True, "sampling": {"value": 30, "unit": "seconds"}})
        self.assertEqual(gaps, {"complex": [[T0, C1], [T0 + 30_000, None], [T0 + 60_000, C2]]})
        self.assertEqual(self.ask("t.complex", {"name": "trim", "trim": "first"}), {"complex": [[T0 + 60_000, C2]]})
        self.assertEqual(self.ask("t.complex", limit=1), {"complex": [[T0, C1]]})
        self.assertEqual(self.ask("t.complex", order="desc"), {"complex": [[T0 + 60_000, C2], [T0, C1]]})
        # What takes numbers leaves them as they are.
        for name in ("sum", "percentile", "diff", "merge"):
            more = {"percentile": 0.5} if name == "percentile" else {}
            self.assertEqual(self.ask("t.complex", {"name": name, **more}), {"complex": [[T0, C1], [T0 + 60_000, C2]]}, name)

        # Histograms are taken for the values that they counted.
        self.assertEqual(self.of_histograms("count"), [[T0, 4], [T0 + 60_000, 5]])
        self.assertEqual(self.of_histograms("sum"), [[T0, 5], [T0 + 60_000, 215]])
        self.assertEqual(self.of_histograms("avg"), [[T0, 1.25], [T0 + 60_000, 43]])
        self.assertEqual(self.of_histograms("min"), [[T0, 1], [T0 + 60_000, 2]])
        self.assertEqual(self.of_histograms("max"), [[T0, 2], [T0 + 60_000, 101]])
        self.assertEqual(self.of_histograms("dev"), [[T0, 0.5], [T0 + 60_000, self.of_histograms("dev")[1][1]]])
        self.assertEqual(self.of_histograms("percentile", percentile=0.75), [[T0, 1], [T0 + 60_000, 100]])
        self.assertEqual(self.of_histograms("percentile", percentile=0.6), [[T0, 1], [T0 + 60_000, 10]])
        merged = {"bins": {"2.0": 2, "10.0": 1, "100.0": 2}, "min": 2, "max": 101, "mean": 43, "sum": 215, "precision": 5}
        self.assertEqual(self.of_histograms("merge"), [[T0, H1], [T0 + 60_000, merged]])
        self.assertEqual(self.of_histograms("merge", precision=3)[0][1]["precision"], 3)
        self.assertEqual(self.of_histograms("count", 3600), [[T0 - T0 % 3_600_000, 9]])
        # Numbers beside them are summed for themselves.
        self.assertEqual(self.ask("t.mixed", {"name": "sum", **hour}),
                         {"number": [[T0, 3.5]], "text": [[T0 + 1000, "text"]], "complex": [[T0 + 2000, C1]],
                          "histogram": [[T0 + 3000, 19]]})

    def test_1_at_once(self):
        self.look()

    def test_2_settled(self):
        self.server.settle()
        self.look()

    def test_3_restarted(self):
        self.server.restart()
        self.look()

    def test_4_saved_late_and_deleted(self):
        self.ask("t.mixed", {"name": "save_as", "metric_name": "t.saved"})
        self.server.put([{"name": "t.saved", "tags": {"saved_from": "t.mixed"}, "type": "histogram", "timestamp": T0, "value": H3}])
        kept = {"number": [[T0 + 4000, 2.5]], "text": [[T0 + 1000, "text"]], "complex": [[T0 + 2000, C1]],
                "histogram": [[T0, H3], [T0 + 3000, H1], [T0 + 5000, H2]]}
        for _ in range(2):
            self.assertEqual(self.ask("t.saved"), kept)
            self.server.settle()
        gone = {"start_absolute": T0 + 2000, "end_absolute": T0 + 3000, "metrics": [{"name": "t.saved"}]}
        self.assertEqual(self.server.post("/api/v1/datapoints/delete", gone).status, 204)
        del kept["complex"], kept["histogram"][1]
        for _ in range(2):
            self.assertEqual(self.ask("t.saved"), kept)
            self.server.settle()

    def test_5_other_interfaces_leave_them_out(self):
        listed = self.server.get("/api/v1/catalog/metrics?prefix=t.").json()["metrics"]
        kinds = {metric["name"]: (metric["kind"], metric["types"]) for metric in listed}
        self.assertEqual(kinds["t.complex"], ("text", ["complex"]))
        self.assertEqual(kinds["t.h"], ("text", ["histogram"]))
        self.assertEqual(kinds["t.mixed"], ("gauge", ["long", "double", "string", "complex", "histogram"]))
        for name, numbers in (("t.complex", 0), ("t.h", 0), ("t.mixed", 2)):
            answer = self.server.get(f"/api/query?start={T0}&end={END}&m=none:{name}")
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(sum(len(series["dps"]) for series in answer.json()), numbers, name)
        tags = self.server.post("/api/v1/datapoints/query/tags", {"start_absolute": T0, "metrics": [{"name": "t.h"}]})
        self.assertEqual(tags.json()["queries"][0]["results"][0]["tags"], {"host": ["a", "b"]})

    def test_6_what_is_refused(self):
        for value, kind, error in (({"real": 1}, "complex", "metric[0](name=t.bad).value is not a complex number: 'imaginary' is missing"),
                                   ({"bins": {}}, "histogram", "metric[0](name=t.bad).value is not a histogram: 'min' is missing"),
                                   ({"a": 1}, "other", "Unregistered data point type 'other'"),
                                   ({"a": 1}, None, "metric[0](name=t.bad) value is an invalid type")):
            body = [{"name": "t.bad", "tags": {"a": "b"}, "timestamp": T0, "value": value, **({"type": kind} if kind else {})}]
            answer = self.server.post("/api/v1/datapoints", body)
            self.assertEqual((answer.status, answer.json()), (400, {"errors": [error]}))
        query = {"start_absolute": T0, "end_absolute": END, "metrics": [{"name": "t.bad"}]}
        self.assertEqual(self.server.post("/api/v1/datapoints/query", query).json()["queries"][0]["sample_size"], 0)


if __name__ == "__main__":
    unittest.main()
