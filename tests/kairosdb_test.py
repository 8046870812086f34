# SPDX-License-Identifier: Apache-2.0
"""Queries answered as KairosDB 1.3.0 answered them: data/kairosdb.json holds what was put, asked and answered there, one
case a line; those called random were asked at random, of random series. Lists of tag values are sets, 1 is 1.0, results
are matched by their groups, and samples of one time may come in any order."""

import json
import os
import unittest

from support.case import ServerCase

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "kairosdb.json")


def normal(answer):
    """The answer without what is not promised: order of results, of tag values, and of samples of one time."""
    queries = []
    for query in answer["queries"]:
        results = []
        for result in query["results"]:
            results.append({
                "name": result["name"],
                "group_by": result.get("group_by", []),
                "tags": {k: sorted(v) for k, v in result["tags"].items()} if "tags" in result else "excluded",
                "values": sorted(([t, v] for t, v in result["values"]), key=lambda p: (p[0], str(type(p[1])), p[1]))
                if all(not isinstance(v, (dict, type(None))) for _, v in result["values"]) else result["values"],
            })
        results.sort(key=lambda r: json.dumps([r["name"], r["group_by"], r["tags"]], sort_keys=True))
        queries.append({"sample_size": query.get("sample_size"), "results": results})
    return queries


def close(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))
    return a == b


class KairosDb(ServerCase):
    config = {"raw.retention": "20000d"}  # the samples are of 1970 and 2023

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(DATA, encoding="utf-8") as f:
            cls.cases = json.load(f)
        for case in cls.cases:
            if case["put"]:
                cls.server.put(case["put"])

    def ask_all(self):
        for case in self.cases:
            with self.subTest(case["name"]):
                answer = self.server.post(case.get("path", "/api/v1/datapoints/query"), case["query"])
                self.assertEqual(answer.status, case.get("status", 200), answer)
                if "status" in case:
                    self.assertEqual(answer.json()["errors"], case["response"]["errors"])
                    continue
                got, expected = normal(answer.json()), normal(case["response"])
                self.assertTrue(close(got, expected), f"{case.get('note', '')}\nquery    {json.dumps(case['query'])}\n"
                                                      f"expected {json.dumps(expected)}\ngot      {json.dumps(got)}")

    def test_1_at_once(self):
        self.assertGreater(len(self.cases), 50)
        self.ask_all()

    def test_2_settled(self):
        self.server.settle()
        self.ask_all()

    def test_3_restarted(self):
        self.server.restart()
        self.ask_all()


if __name__ == "__main__":
    unittest.main()
