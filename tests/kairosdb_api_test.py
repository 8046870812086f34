# SPDX-License-Identifier: Apache-2.0
"""KairosDB's endpoints beside put and query: headers, metadata, features, roll-up tasks, administration."""

import json
import re
import unittest

from support import client, cluster
from support.case import OwnServerCase, ServerCase

HEADERS = {"cache-control": "no-cache", "pragma": "no-cache", "expires": "0",
           "content-type": "application/json;charset=utf-8"}
MINUTE = 60_000
T0 = 1_700_000_040_000  # a whole minute
# A replica that starts again at another port shares the jobs with who it was, for the time of a lease.
KEPT = {"raw.retention": "20000d", "slots.lease": "2s"}


def task(name="R", save_as="saved", metric="m", start=None, **more):
    """Sums by the minute; looked after each second."""
    query = {**(start or {"start_absolute": T0}), "metrics": [{"name": metric, "aggregators": [
        {"name": "sum", "align_start_time": True, "sampling": {"value": 1, "unit": "minutes"}}], **more}]}
    return {"name": name, "execution_interval": {"value": 1, "unit": "seconds"},
            "rollups": [{"save_as": save_as, "query": query}]}


PAGE = "http://page.example"  # of a browser


class KairosDbApi(ServerCase):
    config = {**KEPT, "http.origins": PAGE}

    def headers_of(self, answer):
        return {name: answer.headers.get(name) for name in HEADERS}

    def test_headers(self):
        put = self.server.post("/api/v1/datapoints", [{"name": "h", "timestamp": T0, "value": 1, "tags": {"a": "b"}}])
        self.assertEqual((put.status, self.headers_of(put)), (204, HEADERS))
        for origin in ({}, {"Origin": PAGE}):
            query = self.server.post("/api/v1/datapoints/query", {"start_absolute": 1, "metrics": [{"name": "none"}]},
                                     {"Accept-Encoding": "gzip", **origin})
            self.assertEqual((query.status, self.headers_of(query)), (200, HEADERS))
            self.assertEqual(query.headers.get("content-encoding"), "gzip", "small answers, too")
            self.assertEqual(query.header("Access-Control-Allow-Origin"), origin.get("Origin", ""))
        wrong = self.server.post("/api/v1/datapoints", "{")
        self.assertEqual((wrong.status, self.headers_of(wrong)), (400, HEADERS))
        for path in ("version", "health/status", "metricnames", "features", "rollups", "admin/runningqueries"):
            with self.subTest(path):
                self.assertEqual(self.headers_of(self.server.get("/api/v1/" + path)), HEADERS)

    def test_a_refused_put_leaves_no_names(self):
        def metric(name, **more):
            return {"name": name, "timestamp": T0, "value": 1, "tags": {"a": "b"}, **more}
        for bad in ({"tags": {}}, {"value": None}, {"type": "odd"}, {"timestamp": 1 << 60}, {"tags": {"k": "v" * 100_000}}):
            with self.subTest(str(bad)[:40]):
                answer = self.server.post("/api/v1/datapoints", [metric("refused.a"), metric("refused.b", **bad), metric("refused.c")])
                self.assertEqual(answer.status, 400, answer)
                self.assertFalse([name for name in self.server.metric_names() if name.startswith("refused")])
        self.server.put([metric("refused.a")])
        self.assertEqual(self.server.values("refused.a"), [(T0, 1)])

    def test_preflight(self):
        asked = {"Origin": PAGE, "Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "content-type"}
        for path in ("datapoints", "datapoints/query", "datapoints/query/tags", "datapoints/delete", "metric/m", "metricnames",
                     "version", "health/check", "features", "features/aggregators", "metadata/a/b/c", "rollups", "rollups/x",
                     "rollups/status/x", "admin/runningqueries", "admin/killquery/x", "datapoints/index"):
            with self.subTest(path):
                answer = self.server.request("OPTIONS", "/api/v1/" + path, None, asked)
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.headers.get("access-control-allow-origin"), PAGE)
                self.assertEqual(answer.headers.get("access-control-max-age"), "86400")
                self.assertEqual(answer.headers.get("access-control-allow-headers"), "content-type")
                self.assertIn("OPTIONS", answer.headers.get("access-control-allow-methods"))

    def test_version_and_health(self):
        version = self.server.get("/api/v1/version").json()["version"]
        self.assertRegex(version, r"^KairosDB 1\.3\.0-1 \(varve \d+\.\d+")
        with self.server.telnet() as t:
            t.send("version\n")
            self.assertEqual(t.read_line(), version)
        self.assertEqual(self.server.get("/api/v1/health/check").status, 204)
        self.assertEqual(self.server.get("/api/v1/health/status").json(), ["JVM-Thread-Deadlock: OK", "Datastore-Query: OK"])

    def test_administration(self):
        self.assertEqual(self.server.get("/api/v1/admin/runningqueries").json(), {"queries": [], "queries waiting": 0})
        self.assertEqual(self.server.get("/api/v1/admin/killquery/none").status, 204)
        self.assertEqual(self.server.get("/api/v1/datapoints/index?metric=m&start_absolute=1&end_absolute=2").status, 204)

    def test_metadata(self):
        def results(path):
            answer = self.server.get("/api/v1/metadata/" + path)
            self.assertEqual(answer.status, 200, answer)
            return answer.json()["results"]

        def put(path, text):
            answer = self.server.post("/api/v1/metadata/" + path, text, {"Content-Type": "text/plain"})
            self.assertEqual((answer.status, answer.body), (204, b""))

        put("s/k1/a", "one")
        put("s/k1/b", '{"x":2}')
        put("s/k2/%C3%A9%20/x", "é\n")
        self.assertEqual(results("s"), ["k1", "k1", "k2"])
        self.assertEqual(results("s/k1"), ["a", "b"])
        self.assertEqual(results("s/k1?startsWith=b"), ["b"])
        self.assertEqual(results("s/k2"), ["é /x"])
        self.assertEqual(results("none"), [])
        self.assertEqual(self.server.get("/api/v1/metadata/s/k1/b").body, b'{"x":2}')
        self.assertEqual(self.server.get("/api/v1/metadata/s/k2/%C3%A9%20/x").body, "é\n".encode())
        none = self.server.get("/api/v1/metadata/s/k1/none")
        self.assertEqual((none.status, none.json()), (404, {"errors": ["Key not found"]}))
        put("s/k1/a", "two")
        self.server.restart()
        self.assertEqual(self.server.get("/api/v1/metadata/s/k1/a").body, b"two")
        self.assertEqual(self.server.request("DELETE", "/api/v1/metadata/s/k1/a").status, 204)
        self.assertEqual(results("s/k1"), ["b"])
        for method in ("GET", "POST", "DELETE"):
            refused = self.server.request(method, "/api/v1/metadata/_x/k1/a", b"x" if method == "POST" else None)
            self.assertEqual((refused.status, refused.body), (401, b""))
        self.assertEqual(self.server.get("/api/v1/metadata/_x").status, 401)
        self.assertEqual(self.server.post("/api/v1/metadata/s/k1/" + "x" * 600, "x").status, 400)
        self.assertEqual(self.server.post("/api/v1/metadata/s/k1/large", "x" * (1 << 20) + "x").status, 413)
        self.assertEqual(self.server.get("/t/other/api/v1/metadata/s").json(), {"results": []})

    def test_metadata_outlives_a_kill(self):
        self.assertEqual(self.server.post("/api/v1/metadata/kill/k/a", "kept").status, 204)
        self.server.kill()
        self.server.start()
        self.assertEqual(self.server.get("/api/v1/metadata/kill/k/a").body, b"kept")

    def test_features(self):
        groups = self.server.get("/api/v1/features").json()
        self.assertEqual([g["name"] for g in groups], ["group_by", "aggregators"])
        for group in groups:
            own = self.server.get("/api/v1/features/" + group["name"]).json()
            self.assertEqual(sorted(map(json.dumps, own)), sorted(map(json.dumps, group["properties"])))
            for feature in own:
                self.assertEqual(list(feature), ["name", "label", "description", "properties"])
                for p in feature["properties"]:
                    leaf = {"description", "options", "defaultValue", "autocomplete", "validations"}
                    self.assertEqual(set(p), {"name", "label", "optional", "type", "multiline"} |
                                     ({"properties"} if p["type"] == "Object" and "properties" in p else leaf))
        unknown = self.server.get("/api/v1/features/groupby")
        self.assertEqual((unknown.status, unknown.json()), (404, {"errors": ["Unknown feature 'groupby'"]}))


    def test_save_as(self):
        points = [("bob", [[T0, 1], [T0 + 1000, 2]]), ("eve", [[T0, 5]])]
        self.server.put([{"name": "sa", "datapoints": d, "tags": {"host": h, "dc": "x"}} for h, d in points])
        ask = {"start_absolute": T0, "metrics": [{"name": "sa", "group_by": [{"name": "tag", "tags": ["host"]}], "aggregators": [
            {"name": "sum", "sampling": {"value": 1, "unit": "minutes"}},
            {"name": "save_as", "metric_name": "sa.saved", "tags": {"sweet_tag": "value"}, "ttl": 3600},
            {"name": "scale", "factor": 10}]}]}
        answer = self.server.post("/api/v1/datapoints/query", ask)
        self.assertEqual(answer.status, 200, answer)
        results = answer.json()["queries"][0]["results"]
        self.assertEqual([r["values"] for r in results], [[[T0, 30]], [[T0, 50]]])

        def saved():
            found = self.server.query([{"name": "sa.saved"}])[0]["results"][0]
            self.assertEqual(sorted(v for _, v in found["values"]), [3, 5], "as they were at that place of the pipeline")
            self.assertEqual(found["tags"], {"host": ["bob", "eve"], "saved_from": ["sa"], "sweet_tag": ["value"]})

        saved()
        self.assertEqual(self.server.post("/api/v1/datapoints/query", ask).status, 200)
        self.server.settle()
        saved()  # not twice
        ask["metrics"][0]["group_by"] = []
        ask["metrics"][0]["aggregators"][1].update(metric_name="sa.plain", add_saved_from=False, tags={"a": "b"})
        self.assertEqual(self.server.post("/api/v1/datapoints/query", ask).status, 200)
        self.assertEqual(self.server.query([{"name": "sa.plain"}])[0]["results"][0]["tags"], {"a": ["b"]})
        del ask["metrics"][0]["aggregators"][1]["tags"]
        ask["metrics"][0]["aggregators"][1].update(metric_name="sa.none")
        none = self.server.post("/api/v1/datapoints/query", ask)
        self.assertIn(none.status, (200, 400), none)


class RollupTasks(ServerCase):
    config = KEPT

    def make(self, body, prefix=""):
        answer = self.server.post(prefix + "/api/v1/rollups", body)
        self.assertEqual(answer.status, 200, answer)
        made = answer.json()
        self.assertEqual(made, {"id": made["id"], "name": body["name"],
                                "attributes": {"url": "/api/v1/rollups/" + made["id"]}})
        self.assertRegex(made["id"], r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        return made["id"]

    def put(self, metric, values, host="a", at=T0, prefix=""):
        self.server.put([{"name": metric, "tags": {"host": host}, "datapoints": [
            [at + i * MINUTE, v] for i, v in enumerate(values)]}], prefix=prefix)

    def wait_saved(self, expected, metric, prefix=""):
        def saved():
            found = [[(t - T0) // MINUTE, v] for t, v in self.server.values(metric, prefix=prefix)]
            return found == expected
        client.wait_until(saved, 20, f"{expected} in {metric}")

    def test_live_and_die(self):
        body = task("L", "l.saved", "l")
        for slash in ("", "/"):
            self.assertEqual(self.server.get("/t/l/api/v1/rollups" + slash).json(), [])
        made = self.make(body, "/t/l")
        self.assertEqual(self.server.get("/t/l/api/v1/rollups/" + made).json(), {"id": made, **body})
        self.assertEqual(self.server.get("/t/l/api/v1/rollups/").json(), [{"id": made, **body}])
        other = {**body, "name": "M"}
        changed = self.server.request("PUT", "/t/l/api/v1/rollups/" + made, json.dumps(other).encode())
        self.assertEqual((changed.status, changed.json()["id"], changed.json()["name"]), (200, made, "M"))
        self.server.restart()
        self.assertEqual(self.server.get("/t/l/api/v1/rollups/" + made).json(), {"id": made, **other})
        self.assertEqual(self.server.get("/t/else/api/v1/rollups/" + made).status, 404)
        self.assertEqual(self.server.request("DELETE", "/t/l/api/v1/rollups/" + made).status, 204)
        gone = self.server.request("DELETE", "/t/l/api/v1/rollups/" + made)
        self.assertEqual((gone.status, gone.json()), (404, {"errors": [f"Resource not found for id {made}"]}))
        self.assertEqual(self.server.get("/t/l/api/v1/rollups").json(), [])

    def test_errors(self):
        body = task("R", "e_1h", "e")

        def errors(**changed):
            wrong = {k: v for k, v in {**body, **changed}.items() if v is not None}
            answer = self.server.post("/api/v1/rollups", wrong)
            self.assertEqual(answer.status, 400, answer)
            return answer.json()["errors"]

        self.assertEqual(errors(name=None, execution_interval=None, rollups=None),
                         ["name may not be null", "executionInterval may not be null"])
        self.assertEqual(errors(name=""), ["name may not be empty"])
        self.assertEqual(errors(execution_interval=None), ["executionInterval may not be null"])
        self.assertEqual(errors(rollups=[{"query": body["rollups"][0]["query"]}]), ["rollup[0].saveAs may not be null"])
        self.assertEqual(errors(rollups=[{"save_as": "x", "query": {"start_absolute": 1, "metrics": [{"name": "e"}]}}]),
                         ["rollup[0].query[0].aggregator At least one aggregator must be a range aggregator"])
        self.assertEqual(self.server.post("/api/v1/rollups", "not json").status, 400)
        empty = self.make({**body, "rollups": []})
        self.assertEqual(self.server.request("DELETE", "/api/v1/rollups/" + empty).status, 204)

    def test_runs_saves_and_goes_on(self):
        self.put("m", [1, 2, 3])
        self.put("m", [10, 20], host="b")
        made = self.make(task())
        self.wait_saved([[0, 11], [1, 22], [2, 3]], "saved")
        found = self.server.query([{"name": "saved"}])[0]["results"][0]
        self.assertEqual(found["tags"], {"saved_from": ["m"]})
        path = "/api/v1/rollups/status/" + made
        client.wait_until(lambda: self.server.get(path).status == 200, 20, "its status")
        shown = self.server.get(path).json()
        self.assertEqual(set(shown), {"nextScheduled", "executingHost", "statuses"})
        self.assertEqual(shown["statuses"][0]["metricName"], "m")
        self.assertNotIn("errorMessage", shown["statuses"][0])
        self.assertTrue(re.match(r"\d\d \w{3} \d{4} \d\d:\d\d:\d\d [AP]M$", shown["nextScheduled"]), shown)
        self.assertEqual(self.server.get("/api/v1/rollups/status/none").status, 404)

    def test_by_tag_and_after_settling(self):
        self.put("g", [1, 2])
        self.put("g", [10], host="b")
        self.server.settle()
        self.make(task("G", "g.saved", "g", group_by=[{"name": "tag", "tags": ["host"]}]))
        client.wait_until(lambda: len(self.server.values("g.saved")) == 3, 20, "three points")
        self.assertEqual([v for _, v in self.server.values("g.saved", {"host": "a"})], [1, 2])
        self.assertEqual([v for _, v in self.server.values("g.saved", {"host": "b"})], [10])

    def test_survives_a_restart(self):
        self.put("s", [5], prefix="/t/s")
        made = self.make(task("S", "s.saved", "s"), "/t/s")
        self.wait_saved([[0, 5]], "s.saved", "/t/s")

        def last_run():
            return self.server.get("/t/s/api/v1/rollups/status/" + made).json()["statuses"][0]["lastExecutionTime"]

        client.wait_until(lambda: self.server.get("/t/s/api/v1/rollups/status/" + made).status == 200, 20, "its status")
        before = last_run()
        self.server.restart()
        client.wait_until(lambda: last_run() > before, 60, "a run after the restart")
        self.wait_saved([[0, 5]], "s.saved", "/t/s")

    def test_backfill(self):
        start = {"start_relative": {"value": 5, "unit": "minutes"}}
        self.put("b", [1, 2, 3])
        made = self.make(task("B", "b.saved", "b", start))
        path = "/api/v1/rollups/backfill/" + made
        self.assertEqual(self.server.get(path + "?startTime=yesterday").status, 400)
        self.assertEqual(self.server.get("/api/v1/rollups/backfill/none?startTime=2023-11-14-22-14-00-000").status, 404)
        done = self.server.get(path + "?startTime=2023-11-14-22-14-00-000&endTime=2023-11-14-22-16-00-000")
        self.assertEqual(done.status, 204)
        self.wait_saved([[0, 1], [1, 2]], "b.saved")


@unittest.skipUnless(cluster.chosen(), "of several replicas")
class Replicas(OwnServerCase):
    def test_one_of_them_runs_a_task(self):
        one = self.new_server(KEPT).start()
        other = self.new_server(KEPT, path=one.path).start()
        one.put([{"name": "r", "timestamp": T0, "value": 7, "tags": {"h": "a"}}])
        made = other.post("/api/v1/rollups", task("R", "r.saved", "r")).json()["id"]
        client.wait_until(lambda: [v for _, v in one.values("r.saved")] == [7], 60, "the point")
        client.wait_until(lambda: one.get("/api/v1/rollups/status/" + made).status == 200, 20, "its status")
        saved = sum(server.metric("varve_rollup_task_points_total") for server in (one, other))
        self.assertEqual(saved, 1, "by one of them, once")
        shown = [server.get("/api/v1/rollups/" + made).json()["id"] for server in (one, other)]
        self.assertEqual(shown, [made, made])
