# SPDX-License-Identifier: Apache-2.0
"""KairosDB's own clients: its Java client from Maven does what it can do, and the requests of the two Grafana data sources
are sent as those make them, and their answers read as those read them."""

import gzip
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import unittest

from support import client
from support.case import ServerCase
from support.cluster import cassandra, die_with_parent

JAVA_CLIENT = "3.1.1"
POM = f"""<project><modelVersion>4.0.0</modelVersion>
<groupId>varve</groupId><artifactId>kairosdb-client</artifactId><version>1</version><packaging>pom</packaging>
<dependencies><dependency><groupId>org.kairosdb</groupId><artifactId>client</artifactId>
<version>{JAVA_CLIENT}</version></dependency></dependencies></project>
"""
SOURCE = pathlib.Path(__file__).resolve().parent / "support" / "KairosClient.java"
# The client hands Java's own classes to Gson, which a Java of today has to be told to allow.
OPENS = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in ("java.util", "sun.util.calendar")]

T0 = 1_700_000_040_000  # a whole minute: 22:14 in UTC, 17:14 in New York
STEP, STEPS, MINUTE = 10_000, 12, 60_000
TIMES = [T0 + i * STEP for i in range(STEPS)]
SQUARES, HALVES = [i * i for i in range(STEPS)], [i / 2 for i in range(STEPS)]
FIRST, SECOND = SQUARES[:6], SQUARES[6:]  # a minute each
A, B = [list(p) for p in zip(TIMES, SQUARES)], [list(p) for p in zip(TIMES, HALVES)]
BOTH = sorted(A + B)
NUMBER = {"name": "type", "type": "number"}
CONFIG = {"raw.retention": "20000d", "http.origins": "http://grafana"}


def by_minute(first, second, at=(T0, T0 + MINUTE)):
    return [[at[0], first], [at[1], second]]


def line(values, times):
    """The straight line of least squares at the first and the last time."""
    slope, start = statistics.linear_regression([t - times[0] for t in times], values)
    return [[times[0], start], [times[-1], start + slope * (times[-1] - times[0])]]


class Close(ServerCase):
    config = CONFIG

    def assert_points(self, got, expected, what=""):
        # A line is laid through the times since 1970, which leaves fewer digits; so it is in KairosDB.
        digits = 1e-6 if what == "least_squares" else 1e-12

        def close(a, b):
            return a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=digits))
        same = len(got) == len(expected) and all(x[0] == y[0] and close(x[1], y[1]) for x, y in zip(got, expected))
        self.assertTrue(same, f"{what}: {got}, expected {expected}")


class JavaClient(Close):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        jars = cassandra.maven(f"kairosdb-client-{JAVA_CLIENT}", POM)
        classes = tempfile.mkdtemp(prefix="varve-java-")
        cls.addClassCleanup(shutil.rmtree, classes, ignore_errors=True)
        java = cassandra.java()
        compiler = os.path.join(os.path.dirname(os.path.realpath(java)), "javac")
        done = subprocess.run([compiler, "-d", classes, "-cp", f"{jars}/*", str(SOURCE)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        cls.command = [java, "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", *OPENS,
                       "-cp", f"{classes}:{jars}/*", "KairosClient"]
        cls.client("put")

    @classmethod
    def client(cls, verb, *more):
        """What the Java client found."""
        ports = [str(cls.server.port), str(cls.server.telnet_port)]
        done = subprocess.run([*cls.command, verb, *ports, str(T0), *more], capture_output=True, timeout=120, check=False,
                              preexec_fn=die_with_parent)
        if done.returncode != 0:
            raise AssertionError(f"{verb}: {done.stdout.decode()}{done.stderr.decode()}\n{cls.server.log()[-2000:]}")
        return json.loads(done.stdout)

    def one_result(self, query, expected, tags, size):
        self.assertEqual(query["size"], size)
        (result,) = query["results"]
        self.assertEqual({k: sorted(v) for k, v in result["tags"].items()}, tags)
        self.assertEqual(result["points"], expected)

    def test_server(self):
        found = self.client("server")
        self.assertEqual(found["version"], self.server.get("/api/v1/version").json()["version"])
        self.assertEqual(found["status"], ["JVM-Thread-Deadlock: OK", "Datastore-Query: OK"])
        self.assertEqual(found["check"], 204)
        self.assertEqual(found["names"], self.server.metric_names())
        self.assertLessEqual({"java.load", "java.state", "zipped.load", "zipped.state"}, set(found["names"]))

    def test_values(self):
        for when in ("at once", "settled"):
            with self.subTest(when):
                load, state, none, zipped, zipped_state, limited, descending = self.client("values")
                for query in (load, zipped):
                    query["results"][0]["points"].sort()
                    self.one_result(query, BOTH, {"dc": ["x"], "host": ["a", "b"]}, 24)
                    self.assertEqual(query["results"][0]["groups"], [NUMBER])
                for query in (state, zipped_state):
                    self.one_result(query, [[T0, "up é"], [T0 + 1, "down"]], {"host": ["a"]}, 2)
                    self.assertEqual(query["results"][0]["groups"], [{"name": "type", "type": "text"}])
                self.assertEqual(none, {"size": 0, "results": [{"name": "java.none", "tags": {}, "groups": [], "points": []}]})
                self.one_result(limited, B[:3], {"dc": ["x"], "host": ["b"]}, 3)
                self.one_result(descending, A[::-1], {"dc": ["x"], "host": ["a"]}, 12)
            self.server.settle()

    def test_aggregators(self):
        # The months of New York: November begins at four in UTC, after the change of clocks at five.
        november, december = 1_698_811_200_000, 1_701_406_800_000
        self.assertLess(november, T0)
        self.assertLess(T0, december)
        expected = {
            "min": by_minute(0, 36), "max": by_minute(25, 121), "sum": by_minute(55, 451), "count": by_minute(6, 6),
            "avg": by_minute(55 / 6, 451 / 6), "first": by_minute(0, 36), "last": by_minute(25, 121),
            "dev": by_minute(statistics.stdev(FIRST), statistics.stdev(SECOND)),
            "percentile": by_minute(6.5, 72.5),  # the place 0.5 · (6 + 1), between the third and the fourth
            "sum at the end": by_minute(55, 451, (T0 + MINUTE, T0 + 2 * MINUTE)),
            "sum of hours": [[T0, 506]], "sum of months": [[november, 506]],
            "gaps": [*A, [T0 + STEPS * STEP, None]],
            "least_squares": line(FIRST, TIMES[:6]) + line(SECOND, TIMES[6:]),
            "div": [[t, v / 2] for t, v in A], "scale": [[t, v * 3] for t, v in A],
            "diff": [[t, 2 * i - 1] for i, t in enumerate(TIMES)][1:],
            "sampler": [[t, v / STEP] for t, v in A[1:]],  # its unit is the millisecond
            "sma": [[TIMES[i], sum(SQUARES[i - 2:i + 1]) / 3] for i in range(2, STEPS)],
            "rate": [[t, (2 * i - 1) / 10] for i, t in enumerate(TIMES)][1:],
            "trim": A[1:-1], "filter": [p for p in A if p[1] > 16], "save_as": A, "custom": [[T0, 506 / 12]],
            "chain": by_minute((55 + 7.5) / 2, (451 + 25.5) / 2),
        }
        found = self.client("aggregators")
        self.assertEqual(found.keys(), expected.keys())
        for name, points in expected.items():
            with self.subTest(name):
                (result,) = found[name]["results"]
                self.assertEqual(result["groups"], [NUMBER])
                self.assert_points(result["points"], points, name)
        self.assertEqual([list(p) for p in self.server.values("java.saved")], A)
        self.assertEqual(self.server.query([{"name": "java.saved"}])[0]["results"][0]["tags"], {"saved_from": ["java.load"]})

    def test_groups(self):
        def expected(*groups):
            return [(group, sorted(points)) for group, points in groups]

        def split(what, key, of):
            return expected(*(([{**what, "group": {key: n}, }, NUMBER], [p for p in BOTH if of(p) == n])
                              for n in sorted({of(p) for p in BOTH})))

        def tag(host):
            return {"name": "tag", "tags": ["host", "dc", "none"], "group": {"host": host, "dc": "x", "none": ""}}

        answers = self.client("groups")
        found = [[(r["groups"], sorted(r["points"])) for r in query["results"]] for query in answers]
        self.assertEqual({query["size"] for query in answers}, {24})
        tags, times, values, bins, custom, both = found
        self.assertEqual(tags, expected(([tag("a"), NUMBER], A), ([tag("b"), NUMBER], B)))
        self.assertEqual(times, split({"name": "time", "range_size": {"value": 1, "unit": "MINUTES"}, "group_count": 3},
                                      "group_number", lambda p: (p[0] - T0) // MINUTE))
        self.assertEqual(values, split({"name": "value", "range_size": 50}, "group_number", lambda p: int(p[1]) // 50))
        self.assertEqual(bins, split({"name": "bin", "bins": [10, 100]}, "bin_number", lambda p: (p[1] >= 10) + (p[1] >= 100)))
        self.assertEqual(custom, split({"name": "value", "range_size": 100}, "group_number", lambda p: int(p[1]) // 100))
        self.assertEqual(both, [([{"name": "bin", "bins": [5], "group": {"bin_number": number}},
                                  {"name": "tag", "tags": ["host"], "group": {"host": host}}, NUMBER], [[time, count]])
                                for host, number, time, count in (("a", 0, TIMES[0], 3), ("a", 1, TIMES[3], 9),
                                                                  ("b", 0, TIMES[0], 10), ("b", 1, TIMES[10], 2))])

    def test_tags(self):
        found = [[(r["name"], r["tags"]) for r in query["results"]] for query in self.client("tags")]
        self.assertEqual(found, [[("java.load", {"dc": ["x"], "host": ["a", "b"]})],
                                 [("java.load", {"dc": ["x"], "host": ["b"]})], [("java.none", {})]])

    def test_telnet(self):
        self.client("telnet")
        client.wait_until(lambda: len(self.server.values("telnet.push")) + len(self.server.values("telnet.put")) == 2 * STEPS,
                          20, "all that came in by telnet")
        self.assertEqual([list(p) for p in self.server.values("telnet.push", {"host": "a", "dc": "x"})], A)
        self.assertEqual([list(p) for p in self.server.values("telnet.put", {"host": "a"})], B)

    def test_errors(self):
        status, text = self.client("wrong")
        self.assertEqual(status, 400)
        self.assertIn("Errors: query.metric[0].aggregators[0].bogus invalid aggregators name\n", text)

    def test_rollups(self):
        found = self.client("rollup")
        made, name = found["made"]
        task = {"id": made, "name": "Sums", "interval": "1 SECONDS", "save_as": "java.sums", "metric": "java.load",
                "aggregator": "sum"}
        self.assertEqual((name, found["before"], found["one"], found["listed"]), ("Sums", 0, task, [task]))
        client.wait_until(lambda: self.server.values("java.sums") == [(T0, 55), (T0 + MINUTE, 451)], 30, "the sums")
        self.assertEqual(self.client("rollup-delete", made), 0)

    def test_z_delete(self):
        """The last one: it takes away what the others ask for."""
        found = self.client("delete")
        self.assertIn("java.load", found["names"])
        self.assertNotIn("zipped.load", found["names"])
        self.one_result(found["left"][0], A, {"dc": ["x"], "host": ["a"]}, 12)
        self.assertEqual(found["left"][1]["results"][0]["points"], [])
        self.client("put")  # and what is deleted can be written again
        self.assertEqual(sorted(map(list, self.server.values("zipped.load"))), BOTH)


class Grafana(Close):
    """A panel's range is T0 to a minute behind the last sample; Grafana's interval is a minute."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.put([{"name": "panel.load", "tags": {"host": host, "dc": "x"}, "datapoints": points}
                        for host, points in (("a", A), ("b", B))])
        cls.server.put([{"name": "panel.text", "tags": {"host": "a"}, "datapoints": [[T0, "12.5"], [T0 + 1, "none"]], "type": "string"}])

    def fetch(self, method, path, body=None, headers=None):
        headers = {"Accept": "application/json, text/plain, */*", "Accept-Encoding": "gzip", **(headers or {})}
        if body is not None:
            headers["Content-Type"] = "application/json"
        answer = self.server.request(method, "/api/v1" + path, body, headers)
        if answer.header("Content-Encoding") == "gzip":
            answer.body = gzip.decompress(answer.body)
        self.assertEqual(answer.status, 200, answer)
        return answer.json()


class GrafanaFork(Grafana):
    """ArpNetworking/kairosdb-datasource 4.0.0."""

    def frames(self, *targets):
        """(query of the panel, name, times, numbers), as its `query` makes them of `targets`."""
        metrics = [{key: value for key, value in target.items() if key != "alias"} for target in targets]
        data = self.fetch("POST", "/datapoints/query", {"start_absolute": T0, "end_absolute": TIMES[-1] + MINUTE, "metrics": metrics})
        self.assertEqual(len(data["queries"]), len(targets), "one for each, in their order")
        out = []
        for number, (target, query) in enumerate(zip(targets, data["queries"])):
            for result in query["results"]:
                self.assertEqual(result["name"], target["name"])
                named = [tag for group in target.get("group_by", []) if group["name"] == "tag" for tag in group["tags"]]
                name = target.get("alias", result["name"])
                named = [tag for tag in named if tag in result["tags"]]
                for tag in named:
                    name = name.replace("$_tag_group_" + tag, result["tags"][tag][0])
                if "alias" not in target and named:
                    name += "{" + ", ".join(f"{tag}={','.join(result['tags'][tag])}" for tag in named) + "}"
                points = []
                for time, value in result["values"]:
                    try:
                        points.append([time, float(value)])
                    except (TypeError, ValueError):
                        pass  # what is no number is left out
                if points:
                    out.append((number, name, points))
        return out

    def test_health_and_names(self):
        self.assertIn("KairosDB 1.3.0", self.fetch("GET", "/version")["version"])
        self.assertEqual(self.fetch("GET", "/metricnames")["results"], ["panel.load", "panel.text"])
        self.assertEqual(self.fetch("GET", "/metricnames?prefix=panel.l")["results"], ["panel.load"])
        self.assertEqual(self.fetch("GET", "/metricnames?prefix=none")["results"], [])

    def test_tags(self):
        def tags(name, **more):
            asked = {"start_absolute": T0 - 86_400_000, "end_absolute": T0 + 86_400_000, "metrics": [{"name": name, **more}]}
            return self.fetch("POST", "/datapoints/query/tags", asked)["queries"][0]["results"][0]["tags"]
        self.assertEqual(tags("panel.load"), {"dc": ["x"], "host": ["a", "b"]})
        self.assertEqual(tags("panel.load", tags={"host": ["b"]}), {"dc": ["x"], "host": ["b"]})
        self.assertEqual(tags("none"), {})

    def test_targets(self):
        minute = {"sampling": {"value": 1, "unit": "minutes"}}
        by_host = [{"name": "tag", "tags": ["host"]}]
        targets = [
            {"name": "panel.load", "tags": {"host": ["a"]}},
            {"name": "panel.load", "group_by": by_host, "aggregators": [{"name": "avg", "align_sampling": True, **minute}]},
            {"name": "panel.load", "tags": {"host": ["a", "b"]}, "group_by": by_host, "alias": "load of $_tag_group_host",
             "aggregators": [{"name": "max", **minute}, {"name": "scale", "factor": 2}]},
            {"name": "none", "group_by": by_host},
            {"name": "panel.text"},
            {"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [{"name": "rate", "unit": "SECONDS"}]},
            # Only with this alignment it sends a sampling; else each sample is a window of its own.
            {"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [{"name": "sum", "align_start_time": True}]},
            {"name": "panel.load", "tags": {"host": ["a"]},
             "aggregators": [{"name": "percentile", "percentile": 0.5, "align_sampling": True, **minute}]},
            {"name": "panel.load", "tags": {"host": ["a"]}, "group_by": [
                {"name": "time", "range_size": {"value": 1, "unit": "minutes"}, "group_count": 2}, {"name": "value", "range_size": 50}]},
        ]
        expected = [
            (0, "panel.load", A),
            (1, "panel.load{host=a}", by_minute(55 / 6, 451 / 6)), (1, "panel.load{host=b}", by_minute(1.25, 4.25)),
            (2, "load of a", by_minute(50, 242)), (2, "load of b", by_minute(5, 11)),
            (4, "panel.text", [[T0, 12.5]]),
            (5, "panel.load", [[t, (2 * i - 1) / 10] for i, t in enumerate(TIMES)][1:]),
            (6, "panel.load", A),
            (7, "panel.load", by_minute(6.5, 72.5)),
            (8, "panel.load", A[:6]), (8, "panel.load", A[6:8]), (8, "panel.load", A[8:10]), (8, "panel.load", A[10:]),
        ]
        found = self.frames(*targets)
        self.assertEqual([f[:2] for f in found], [e[:2] for e in expected])
        for (number, name, got), (_, _, points) in zip(found, expected):
            self.assert_points(got, points, f"{number} {name}")

    def test_every_aggregator_of_its_editor(self):
        minute = {"align_sampling": True, "sampling": {"value": 1, "unit": "minutes"}}
        names = ("avg", "count", "dev", "first", "last", "max", "min", "sum")
        aggregators = [{"name": name, **minute} for name in names] + [
            {"name": "diff"}, {"name": "percentile", "percentile": 0.95, **minute}, {"name": "rate", "unit": "SECONDS"},
            {"name": "sampler", "unit": "MINUTES"}, {"name": "scale", "factor": 1}]
        found = self.frames(*({"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [one]} for one in aggregators))
        self.assertEqual([f[0] for f in found], list(range(len(aggregators))))
        self.assertEqual([len(f[2]) for f in found], [2] * 8 + [11, 2, 11, 11, 12])


class GrafanaArchived(Grafana):
    """grafana/kairosdb-datasource: numbers are texts, units in capitals, and a header of its own."""

    TOKEN = {"X-Grafana-Token": ""}

    def series(self, *targets):
        """(name, points) as its response handler and its builder of names make them."""
        metrics = [{"tags": {}, "aggregators": [], "group_by": [], **target} for target in targets]
        body = {"cache_time": 0, "start_absolute": T0, "end_absolute": TIMES[-1] + MINUTE,
                "metrics": [{k: v for k, v in m.items() if k != "alias"} | {"limit": 0} for m in metrics]}
        data = self.fetch("POST", "/datapoints/query", body, self.TOKEN)
        self.assertEqual(len(data["queries"]), len(targets))
        out = []
        for target, query in zip(targets, data["queries"]):
            for result in query["results"]:
                groups = result.get("group_by", [])
                tags = next((g["group"] for g in groups if g["name"] == "tag"), {})
                words = [f"{tag}={value}" for tag, value in tags.items()]
                words += [f"{kind}_group={g['group']['group_number']}" for kind in ("value", "time") for g in groups if g["name"] == kind]
                alias = target.get("alias", "")
                if "$_" in alias:
                    for tag, value in tags.items():
                        alias = alias.replace("$_tag_group_" + tag, value)
                elif words:
                    alias = f"{alias} ({' '.join(words)})" if alias else " ".join(words)
                out.append((alias or result["name"], result["values"]))
        return out

    def test_start(self):
        self.assertEqual(self.fetch("GET", "/metricnames", headers=self.TOKEN)["results"], ["panel.load", "panel.text"])
        self.assertEqual(self.fetch("GET", "/health/status", headers=self.TOKEN), ["JVM-Thread-Deadlock: OK", "Datastore-Query: OK"])
        # In direct mode the browser asks first, for the sake of that header.
        asked = {"Origin": "http://grafana", "Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "content-type,x-grafana-token"}
        answer = self.server.request("OPTIONS", "/api/v1/datapoints/query", None, asked)
        self.assertEqual((answer.status, answer.header("Access-Control-Allow-Headers")), (200, "content-type,x-grafana-token"))

    def test_tags(self):
        for filters, hosts in (({}, ["a", "b"]), ({"host": ["b"]}, ["b"])):
            asked = {"cache_time": 0, "metrics": [{"name": "panel.load", "tags": filters}], "start_absolute": 0}
            data = self.fetch("POST", "/datapoints/query/tags", asked, self.TOKEN)
            self.assertEqual(data["queries"][0]["results"][0]["tags"], {"dc": ["x"], "host": hosts})

    def test_targets(self):
        def sampled(name, value="1", unit="MINUTES", **more):
            return {"name": name, "sampling": {"value": value, "unit": unit}, **more}
        found = self.series(
            {"name": "panel.load", "tags": {"host": ["a"]}},
            {"name": "panel.load", "group_by": [{"name": "tag", "tags": ["host"]}], "aggregators": [sampled("sum", align_sampling=True)]},
            {"name": "panel.load", "group_by": [{"name": "tag", "tags": ["host"]}], "alias": "load of $_tag_group_host",
             "aggregators": [sampled("min", "60000", "milliseconds", align_start_time=True), {"name": "div", "divisor": "2"}]},
            {"name": "panel.load", "tags": {"host": ["a"]}, "alias": "by",
             "group_by": [{"name": "tag", "tags": ["dc"]}, {"name": "value", "range_size": "50"},
                          {"name": "time", "group_count": "2", "range_size": {"unit": "MINUTES", "value": "1"}}]},
            {"name": "none"},
            {"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [
                {"name": "filter", "filter_op": "lt", "threshold": 100}, {"name": "trim", "trim": "first"}]},
            {"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [
                sampled("percentile", percentile="0.5"), {"name": "sma", "size": "2"}]},
            {"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [{"name": "rate", "unit": "SECONDS"}]},
            {"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [{"name": "sampler", "unit": "SECONDS"}]},
            {"name": "panel.load", "tags": {"host": ["a"]}, "aggregators": [sampled("gaps", "10", "SECONDS")]},
        )
        expected = [
            ("panel.load", A), ("host=a", by_minute(55, 451)), ("host=b", by_minute(7.5, 25.5)),
            ("load of a", by_minute(0, 18)), ("load of b", by_minute(0, 1.5)),
            ("by (dc=x value_group=0 time_group=0)", A[:6]), ("by (dc=x value_group=0 time_group=1)", A[6:8]),
            ("by (dc=x value_group=1 time_group=1)", A[8:10]), ("by (dc=x value_group=2 time_group=1)", A[10:]),
            ("none", []), ("panel.load", [A[11]]), ("panel.load", [[T0 + MINUTE, 39.5]]),
            ("panel.load", [[t, (2 * i - 1) / 10] for i, t in enumerate(TIMES)][1:]),
            ("panel.load", [[t, v / 10] for t, v in A[1:]]),
            ("panel.load", A + [[TIMES[-1] + i * STEP, None] for i in range(1, 7)]),
        ]
        # Groups come in the order of the values, or of what is grouped by.
        by_group = {(number, name): points for number, (name, points) in enumerate(found)}
        self.assertEqual([name for name, _ in found], [name for name, _ in expected])
        for (number, name), got in by_group.items():
            self.assert_points(got, expected[number][1], name)


if __name__ == "__main__":
    unittest.main()
