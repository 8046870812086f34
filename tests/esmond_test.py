# SPDX-License-Identifier: Apache-2.0
"""esmond's REST API: its shapes, its numbers (counter_cases, as RawData that is posted), its keys, and its own client."""

import json
import os
import signal
import time
import unittest
import warnings

from counters_test import HOUR, T, cases, milliseconds
from support import esmond_client, pypi
from support.case import OwnServerCase, ServerCase
from support.client import wait_until
from support.cluster import above_engines
from support.snmpd import IN, OUT, Snmpd

SERIES = "/esmond/v2/timeseries/"
FOR_EVER = 253402127999


def posted(server, path, points, version="v2", status=201, **more):
    answer = server.post(f"/esmond/{version}/timeseries/{path}", json.dumps([{"ts": ts, "val": val} for ts, val in points]), **more)
    assert answer.status == status, answer
    return answer


def asked(server, path, **parameters):
    answer = server.get(path + "?" + "&".join(f"{name}={value}" for name, value in parameters.items()))
    return answer.json() if answer.status in (200, 201) else answer


def data(server, path, **parameters):
    found = asked(server, path, **parameters)
    assert isinstance(found, dict), found
    return found["data"]


def known(points):
    return {point["ts"]: point["val"] for point in points if point["val"] is not None}


class Numbers(ServerCase):
    config = {"raw.retention": "20000d", "rollups": "5m:20000d,1h:20000d"}

    def check(self, path, case, frequency, when):
        width = milliseconds(case.width)
        times = [at for at, _ in case.samples]
        begin, end = min(times) // HOUR * HOUR - HOUR, max(times) // HOUR * HOUR + HOUR
        kind = "BaseRate" if width == frequency else "Aggs"
        whole = {"begin": begin, "end": end - 1}
        for cf, wanted in (("raw", case.increase), ("average", case.rate)):
            points = data(self.server, f"{SERIES}{kind}/{path}/{width}", cf=cf, **whole)
            self.assertEqual([p["ts"] for p in points], list(range(begin // width * width, end, width)), (case.what, when))
            got = known(points)
            self.assertEqual(got, wanted, (case.what, when, cf))
            self.assertEqual({type(v) for v in got.values()} - {type(v) for v in wanted.values()}, set(), (case.what, when, cf))
        for at in wanted:  # alone: what is beside the range counts, too
            one = data(self.server, f"{SERIES}{kind}/{path}/{width}", begin=at, end=at)
            self.assertEqual(known(one), {at: wanted[at]}, (case.what, when))

    def test_bins(self):
        todo = []
        for number, case in enumerate(cases()):
            frequency = case.metric.split(".")[0].removeprefix("f")
            # Fractions of a millisecond and a year of half minutes are other tests' business.
            if frequency == "any" or case.options or any(v < 0 for _, v in case.samples if not isinstance(v, float)):
                continue
            frequency = milliseconds(frequency)
            spread = max(at for at, _ in case.samples) - min(at for at, _ in case.samples)
            width = milliseconds(case.width)
            if spread > 24 * HOUR or (width != frequency and width not in (60_000, 300_000, HOUR)):
                continue
            for sample in case.samples:
                posted(self.server, f"RawData/cases/{number}/{frequency}", [sample])
            todo.append((f"cases/{number}", case, frequency))
        self.assertGreater(len(todo), 25)
        for when, before in (("hot", lambda: None), ("sealed", self.server.settle), ("restarted", self.server.restart)):
            before()
            for path, case, frequency in todo:
                with self.subTest(case.what, when=when):
                    self.check(path, case, frequency, when)

    def test_raw_data(self):
        values = [0, 1, 2**63 - 1, 2**63, 2**64 - 1, 1.5]
        samples = [[T + i * 30_000, value] for i, value in enumerate(values)]
        path = "RawData/raw/a@2fb/@59/30000"
        posted(self.server, path, samples)
        self.assertEqual(asked(self.server, SERIES + path, begin=T, end=T + 60_000), {
            "agg": "30000", "begin_time": T, "cf": "raw", "data": [{"ts": ts, "val": val} for ts, val in samples[:3]], "end_time": T + 60_000,
            "resource_uri": "/v2/timeseries/RawData/raw/a@2Fb/@59/30000"})
        for before in (lambda: None, self.server.settle):
            before()
            found = data(self.server, SERIES + "RawData/raw/a%2Fb/Y/30000/", begin=T, end=T + HOUR)
            self.assertEqual([[p["ts"], p["val"]] for p in found], samples)
        # 2^63 + 30 seconds later is a rise, although it is the sign bit.
        rise = data(self.server, SERIES + "BaseRate/raw/a@2Fb/@59/30000", begin=T + 60_000, end=T + 90_000, cf="raw")
        self.assertEqual([p["val"] for p in rise], [1, 2**63 - 1])
        self.assertEqual([p["ts"] for p in data(self.server, SERIES + path, begin=T, end=T + HOUR, limit=2, offset=1)], [T + 30_000, T + 60_000])
        self.assertEqual(data(self.server, SERIES + path, begin=T - 2 * HOUR, end=T - HOUR), [], "it is never filled")
        bins = data(self.server, SERIES + "BaseRate/raw/a@2Fb/@59/30000", begin=T - 2 * HOUR, end=T - 2 * HOUR + 59_999)
        self.assertEqual(bins, [{"ts": T - 2 * HOUR, "val": None}, {"ts": T - 2 * HOUR + 30_000, "val": None}])

    def test_base_rates_that_are_posted(self):
        path = "posted/rates/30000"
        posted(self.server, f"BaseRate/{path}", [[T + 5_000, 700], [T + 7_000, 1000], [T + 60_000, 30]])
        found = data(self.server, f"{SERIES}BaseRate/{path}", begin=T, end=T + 90_000)
        self.assertEqual(found, [{"ts": T, "val": 1000 / 30}, {"ts": T + 30_000, "val": None}, {"ts": T + 60_000, "val": 1.0}, {"ts": T + 90_000, "val": None}])
        # Beside samples a posted one counts in its bin; it is added to no other.
        posted(self.server, f"RawData/{path}", [[T, 0], [T + 30_000, 300], [T + 60_000, 600], [T + 90_000, 900]])
        found = data(self.server, f"{SERIES}BaseRate/{path}", begin=T, end=T + 89_999, cf="raw")
        self.assertEqual([p["val"] for p in found], [1000, 300, 30])
        self.assertEqual(known(data(self.server, f"{SERIES}Aggs/posted/rates/3600000", begin=T, end=T, cf="raw")), {T: 900})
        self.assertEqual(asked(self.server, f"{SERIES}RawData/other/rates/30000").status, 400)

    def test_aggs_are_of_the_least_frequency(self):
        for frequency, step in ((60_000, 600), (30_000, 30), (300_000, 3000)):
            posted(self.server, f"RawData/several/x/{frequency}", [[T + i * frequency, i * step] for i in range(5)])
        self.assertEqual(known(data(self.server, SERIES + "Aggs/several/x/60000", begin=T, end=T + 60_000)), {T: 1.0, T + 60_000: 1.0})

    def test_refused(self):
        for body in ("{", "{}", '[{"ts":1}]', '[{"val":1}]', '[{"ts":"x","val":1}]', f'[{{"ts":{T},"val":1}},{{"ts":{T},"val":null}}]'):
            answer = self.server.post(SERIES + "RawData/bad/x/30000", body)
            self.assertEqual((answer.status, list(answer.json())), (400, ["error"]), body)
        self.assertEqual(asked(self.server, SERIES + "RawData/bad/x/30000").status, 400, "nothing of it is kept")
        posted(self.server, "RawData/good/x/30000", [[T, 1], [T + 30_000, 2]])
        for path, status in (("RawData/good/x/60000", 400), ("BaseRate/good/x/60000", 400), ("Aggs/good/x/31000", 400), ("Aggs/nobody/x/60000", 400),
                             ("RawData/good/x/30000?cf=bad", 400), ("BaseRate/good/x/30000?begin=2&end=1", 400), ("BaseRate/good/x/30000?begin=x", 400),
                             ("BaseRate/good/x/30000?agg=60000", 400), ("RawData/good/x/0", 400), ("RawData/good/x/y", 400), ("RawData/30000", 404),
                             ("Other/good/x/30000", 404), ("RawData/good/@FF/30000", 400)):
            answer = self.server.get(SERIES + path)
            self.assertEqual((answer.status, list(answer.json())), (status, ["error"]), path)
            self.assertEqual(answer.header("Content-Type"), "application/json")
        self.assertEqual(self.server.post(SERIES + "Aggs/good/x/60000", "[]").status, 400)
        self.assertEqual(self.server.get("/esmond/v3/device/").status, 404)
        huge = self.server.get(SERIES + "BaseRate/good/x/1?begin=0&end=9007199254740991")
        self.assertEqual(huge.status, 400)
        posted(self.server, "RawData/good/x/1", [[T, 1]])
        self.assertEqual(self.server.get(SERIES + "BaseRate/good/x/1?begin=0&end=9007199254740991").status, 422)

    def test_bulk(self):
        paths = []
        for number in range(3):
            posted(self.server, f"RawData/bulk/i@2F{number}/30000", [[T + i * 30_000, i * 30 * number] for i in range(4)])
            paths.append(["bulk", f"i/{number}", 30_000])
        for kind, values in (("BaseRate", lambda n: [n, n, n]), ("RawData", lambda n: [0, 30 * n, 60 * n])):
            answer = self.server.post("/esmond/v1/bulk/timeseries/", {"type": kind, "paths": paths, "begin": T, "end": T + 60_000})
            self.assertEqual((answer.status, answer.header("Content-Type")), (201, "application/json"), answer)
            found = answer.json()
            self.assertEqual((found["begin_time"], found["end_time"], found["cf"]), (T, T + 60_000, "raw" if kind == "RawData" else "average"))
            self.assertEqual([row["path"] for row in found["data"]], paths)
            for number, row in enumerate(found["data"]):
                self.assertEqual(row["data"], [{"ts": T + i * 30_000, "val": v} for i, v in enumerate(values(number))])
        for body in ({"type": "RawData", "paths": [["bulk", "no", 30_000]]}, {"type": "Other", "paths": paths}, {"type": "RawData"}, [],
                     {"type": "RawData", "paths": paths, "begin": 2, "end": 1}, {"type": "RawData", "paths": [["bulk"]]}):
            self.assertEqual(self.server.post("/esmond/v2/bulk/timeseries", body).status, 400, body)

    def test_row_keys(self):
        year = 1_388_534_385_000
        posted(self.server, "RawData/rows/a@3Ab/30000", [[year, 0], [year + 30_000, 300]])
        self.assertEqual(asked(self.server, "/esmond/v1/inventory/", row_key__startswith="rows:", limit=0),
                         ["rows:a\\:b:30000:2013", "rows:a\\:b:30000:2014"])

    def test_tenants(self):
        self.assertEqual(self.server.post("/t/owner" + SERIES + "RawData/own/x/30000", json.dumps([{"ts": T, "val": 5}])).status, 201)
        self.assertEqual(self.server.get(f"/t/owner{SERIES}RawData/own/x/30000?begin={T}").json()["data"], [{"ts": T, "val": 5}])
        self.assertEqual(self.server.get(SERIES + "RawData/own/x/30000").status, 400)
        self.assertEqual(self.server.post("/t/varve" + SERIES + "RawData/own/x/30000", json.dumps([{"ts": T, "val": 5}])).status, 403)


REFERENCE = {"frequency": "1s", "correlator": "ifNameOrDescr", "history": "interfaces", "objects": [
    {"name": "ifDescr", "oid": "1.3.6.1.2.1.2.2.1.2", "type": "DisplayString"},
    {"name": "ifAlias", "oid": "1.3.6.1.2.1.31.1.1.1.18", "type": "DisplayString"},
    {"name": "ifMtu", "oid": "1.3.6.1.2.1.2.2.1.4", "type": "Integer32"}]}
FAST = {"frequency": "1s", "correlator": "ifName", "aggregates": ["30s", "1h"], "objects": [
    {"name": "ifHCInOctets", "oid": IN, "type": "Counter64", "alias": "in", "aggregate": True},
    {"name": "ifHCOutOctets", "oid": OUT, "type": "Counter64", "alias": "out"}]}


class Inventory(ServerCase):
    def setUp(self):
        devices = {name: {"address": "h", "oidsets": ["FastPollHC", "Errors"]} for name in ("rtr_a", "rtr_y", "rtr/Z")}
        devices["rtr_b"] = {"address": "h", "begin": "2013-06-01", "end": "2013-06-15"}
        answer = self.server.post("/api/v1/snmp/import", json.dumps({"devices": devices}))
        self.assertEqual(answer.status, 200, answer)

    def names(self, path, **parameters):
        return [device["name"] for device in asked(self.server, path, **parameters)]

    def test_devices(self):
        for version in ("v1", "v2"):
            root = f"/esmond/{version}/device"
            self.assertEqual(self.names(root + "/"), ["rtr/Z", "rtr_a", "rtr_y"])
            self.assertEqual(self.names(root, begin=1370044800), ["rtr/Z", "rtr_a", "rtr_b", "rtr_y"])
            self.assertEqual(self.names(root, name="rtr_a"), ["rtr_a"])
            self.assertEqual(self.names(root, name__contains="r_"), ["rtr_a", "rtr_y"])
            self.assertEqual(self.names(root, name__icontains="z"), ["rtr/Z"])
            self.assertEqual(self.names(root, name__startswith="rtr_"), ["rtr_a", "rtr_y"])
            self.assertEqual(self.names(root, name__in="rtr_y,x,rtr/Z"), ["rtr/Z", "rtr_y"])
            self.assertEqual(self.names(root, limit=1, offset=1), ["rtr_a"])
            self.assertEqual(len(self.names(root, limit=0)), 3)
            self.assertEqual(asked(self.server, root, name__regex="x").status, 400)
            one = asked(self.server, root + "/rtr@2fZ/")
            self.assertEqual(self.server.get(root + "/rtr%2FZ").json(), one)
            uri = f"/{version}/device/rtr@2FZ"
            number = one.pop("id")
            self.assertGreater(number, 0)
            self.assertEqual(one, {
                "active": True, "begin_time": 0, "end_time": FOR_EVER, "leaf": False, "name": "rtr/Z", "oidsets": ["FastPollHC", "Errors"],
                "children": [{"leaf": False, "name": name, "uri": f"{uri}/{name}"} for name in ("interface", "system", "all")],
                "resource_uri": uri + "/", "uri": uri})
            self.assertEqual(asked(self.server, root + "/nobody/").status, 400)
            self.assertEqual(asked(self.server, root + "/rtr_a/system").status, 404)
            self.assertEqual(asked(self.server, root + "/rtr_a/interface/"), {
                "children": [], "meta": {"limit": 20, "next": None, "offset": 0, "previous": None, "total_count": 0}})
            self.assertEqual(asked(self.server, root + "/rtr_a/interface/xe-0/in").status, 400)
            self.assertEqual(asked(self.server, root + "/rtr_a/interface/xe-0").status, 400)

    def test_put(self):
        for version in ("v1", "v2"):
            path = f"/esmond/{version}/device/rtr_a/"
            device = self.server.get(path).json()
            device.update(active=False, begin_time=1384000000, end_time=1385000000, oidsets=["FastPollHC"])
            answer = self.server.request("PUT", path, json.dumps(device))
            self.assertEqual((answer.status, answer.body), (204, b""), answer)
            self.assertEqual(self.server.get(path).json(), device)
            self.assertEqual(self.server.get("/api/v1/snmp/devices/rtr_a").json()["begin"], 1384000000000)
            device.update(active=True, begin_time=0, end_time=FOR_EVER, oidsets=["FastPollHC", "Errors"])
            self.assertEqual(self.server.request("PUT", path, json.dumps(device)).status, 204)
            self.assertEqual(self.server.get(path).json(), device)
        for path, body in (("rtr_a", '{"oidsets":["no"]}'), ("rtr_a", "[]"), ("rtr_a", '{"active":7}'), ("nobody", "{}"), ("rtr_a", "{")):
            self.assertEqual(self.server.request("PUT", "/esmond/v2/device/" + path, body).status, 400, body)

    def test_oidsets(self):
        self.assertIn("ALUErrors", asked(self.server, "/esmond/v1/oidset/"))
        found = asked(self.server, "/esmond/v2/oidsetmap")
        self.assertEqual(found["FastPollHC"], {"in": "ifHCInOctets", "out": "ifHCOutOctets"})
        self.assertNotIn("CiscoCPU", found)

    def test_series_of_the_poller(self):
        """A path of a known oidset is the very series of the poller, and an alias leads to it."""
        posted(self.server, "RawData/snmp/rtr_a/FastPollHC/ifHCInOctets/xe-0@2F0/30000", [[T + i * 30_000, i * 300] for i in range(241)])
        stored = self.server.values("snmp.ifHCInOctets", {"device": "rtr_a", "oidset": "FastPollHC", "interface": "xe-0/0"})
        self.assertEqual(len(stored), 241)
        begin = T // 1000
        for before in (lambda: None, self.server.settle):
            before()
            path = "/esmond/v1/device/rtr_a/interface/xe-0@2F0/in"
            self.assertEqual(asked(self.server, path, begin=begin, end=begin + 59), {
                "agg": "30", "begin_time": begin, "cf": "average", "data": [{"ts": begin, "val": 10.0}, {"ts": begin + 30, "val": 10.0}],
                "end_time": begin + 59, "resource_uri": path.removeprefix("/esmond")})
            self.assertEqual(data(self.server, path, begin=begin, end=begin + 3600, agg=3600, cf="raw"),
                             [{"ts": begin, "val": 36000}, {"ts": begin + 3600, "val": 36000}])
            self.assertEqual(data(self.server, path, begin=begin, end=begin, agg=3600, cf="max"), [{"m_ts": begin, "ts": begin, "val": 10.0}])
            for wrong in ({"agg": 10800}, {"agg": 3601}, {"cf": "bad"}):
                self.assertEqual(asked(self.server, path, begin=begin, end=begin, **wrong).status, 400, wrong)
            self.assertEqual(asked(self.server, "/esmond/v1/device/rtr_a/interface/xe-0@2F0/error").status, 400)
            self.assertEqual(asked(self.server, "/esmond/v1/device/rtr_a/interface/xe-0@2F0/error/in").status, 400, "nobody has seen it")
            bulk = self.server.post("/esmond/v1/bulk/interface/", {"interfaces": [{"device": "/v1/device/rtr_a/", "iface": "xe-0/0"}],
                                                                   "endpoint": ["in"], "cf": "average", "begin": begin, "end": begin + 59})
            self.assertEqual((bulk.status, bulk.json()), (201, {
                "begin_time": begin, "end_time": begin + 59, "cf": "average", "agg": None, "iface_dataset": ["in"], "device_names": ["rtr_a"],
                "data": [{"path": {"dev": "rtr_a", "iface": "xe-0/0", "endpoint": "in"},
                          "data": [{"ts": begin, "val": 10.0}, {"ts": begin + 30, "val": 10.0}]}]}))
        self.assertIn("snmp:rtr_a:FastPollHC:ifHCInOctets:xe-0/0:30000:" + time.strftime("%Y", time.gmtime(begin)),
                      asked(self.server, "/esmond/v2/inventory/", row_key__contains="rtr_a", limit=0))
        # A gauge has no rates, and what is beyond its 63 bits becomes a real number.
        posted(self.server, "RawData/snmp/rtr_a/FastPollHC/sysUpTime/30000", [[T + 30_000, 2**64 - 1]])
        self.assertEqual(data(self.server, SERIES + "RawData/snmp/rtr_a/FastPollHC/sysUpTime/30000", begin=T + 30_000, end=T + 30_000)[0]["val"], 2.0**64)
        posted(self.server, "RawData/snmp/rtr_a/FastPollHC/sysUpTime/30000", [[T, 100]])
        self.assertEqual(data(self.server, SERIES + "RawData/snmp/rtr_a/FastPollHC/sysUpTime/30000", begin=T, end=T), [{"ts": T, "val": 100}])
        self.assertEqual(asked(self.server, SERIES + "BaseRate/snmp/rtr_a/FastPollHC/sysUpTime/30000", begin=T, end=T).status, 400)


@above_engines
class Keys(OwnServerCase):
    KEY = {"Authorization": "Token sesame"}

    def serve(self, text="ada: sesame\nbob: open\n"):
        server = self.new_server({})
        self.path = os.path.join(server.root, "esmond.yaml")
        self.write(text)
        server.config["esmond.keys"] = self.path
        server.start()
        server.post("/api/v1/snmp/import", json.dumps({"devices": {"rtr_a": {"address": "h", "oidsets": ["FastPollHC"]}}}))
        return server

    def write(self, text, mode=0o600):
        with open(self.path, "w") as f:
            f.write(text)
        os.chmod(self.path, mode)

    def test_keys(self):
        server = self.serve()
        path = "RawData/keys/x/30000"
        body = json.dumps([{"ts": T, "val": 1}])
        self.assertEqual(server.post(SERIES + path, body).status, 401)
        for wrong in ("Token no", "ApiKey ada:open", "ApiKey sesame", "Basic sesame"):
            self.assertEqual(server.post(SERIES + path, body, {"Authorization": wrong}).status, 401, wrong)
        self.assertEqual(server.post(SERIES + path, body, {"Authorization": "ApiKey ada:sesame"}).status, 201)
        self.assertEqual(server.request("PUT", "/esmond/v1/device/rtr_a/", "{}").status, 401)
        self.assertEqual(server.request("PUT", "/esmond/v1/device/rtr_a/", "{}", self.KEY).status, 204)
        day = 86_400_000
        for kind, days in (("RawData/keys/x/30000", 30), ("Aggs/keys/x/3600000", 365), ("Aggs/keys/x/86400000", 3650), ("Aggs/keys/x/60000", 30)):
            for more, status in ((0, 200), (1, 400)):
                asks = f"{SERIES}{kind}?begin={T - days * day - more}&end={T}"
                self.assertEqual(server.get(asks).status, status, asks)
                self.assertEqual(server.get(asks, self.KEY).status, 200, asks)
        many = {"type": "RawData", "paths": [["keys", "x", 30_000]] * 31, "begin": T, "end": T}
        self.assertEqual(server.post("/esmond/v2/bulk/timeseries/", many).status, 401)
        self.assertEqual(server.post("/esmond/v2/bulk/timeseries/", many, self.KEY).status, 201)
        posted(server, "RawData/snmp/rtr_a/FastPollHC/ifHCInOctets/a/30000", [[T, 1]], headers=self.KEY)
        both = {"interfaces": [{"device": "rtr_a", "iface": "a"}] * 16, "endpoint": ["in", "out"], "begin": T // 1000, "end": T // 1000}
        self.assertEqual(server.post("/esmond/v1/bulk/interface/", both).status, 401)
        self.assertEqual(server.post("/esmond/v1/bulk/interface/", both, self.KEY).status, 400, "nobody has seen its out")
        # Reloaded; what is wrong leaves what there was.
        self.write("ada: other\n")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: server.post(SERIES + path, body, self.KEY).status == 401, 10, "the key is gone")
        self.write("ada: [")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "not reloaded" in server.log(), 10, "it says so")
        self.assertEqual(server.post(SERIES + path, body, {"Authorization": "Token other"}).status, 201)

    def test_without_keys_an_authorization_means_nothing(self):
        server = self.new_server({}).start()
        posted(server, "RawData/keys/x/30000", [[T, 1]], headers={"Authorization": "Token of no use"})

    def test_a_file_that_others_can_read(self):
        server = self.new_server({})
        self.path = os.path.join(server.root, "esmond.yaml")
        self.write("ada: sesame\n", 0o644)
        server.config["esmond.keys"] = self.path
        server.spawn()
        server.wait_ready_or_end()
        self.assertFalse(server.alive())
        self.assertIn("others can read", server.last_words())


@above_engines
class Client(OwnServerCase):
    """The real client walks devices, interfaces, endpoints and data of a real agent, posts, and asks in bulk."""

    def agent(self):
        agent = Snmpd({IN: {1: (0, 1000)}, OUT: {1: (2**63, 500)}}, int(time.time()) - 1000)
        self.addCleanup(agent.close)
        return agent.start()

    def walked(self, server, root):
        from esmond_client.snmp import ApiConnect, ApiFilters
        filters = ApiFilters()
        filters.begin_time, filters.end_time = int(time.time()) - 60, int(time.time())
        filters.endpoint = ["in", "out"]
        api = ApiConnect(root, filters, "ada", "sesame")
        devices = list(api.get_devices())
        self.assertEqual([device.name for device in devices], ["rtr/a"])
        interface = devices[0].get_interface("lo")
        self.assertEqual((interface.device, interface.ifName, interface.ifMtu), ("rtr/a", "lo", 65536))
        endpoints = {endpoint.name: endpoint for endpoint in interface.get_endpoints()}
        self.assertEqual(set(endpoints), {"in", "out"})
        for name, rate in (("in", 1000), ("out", 500)):
            payload = endpoints[name].get_data()
            self.assertEqual((payload.agg, payload.cf), ("1", "average"))
            rates = [point.val for point in payload.data if point.val is not None]
            self.assertGreater(len(rates), 3)
            self.assertTrue(all(rate * 0.2 < one < rate * 5 for one in rates), rates)
            extreme = [point for point in endpoints[name].get_data(cf="max", agg=30).data if point.val is not None] if name == "in" else []
            self.assertTrue(all(point.m_ts for point in extreme))
        bulk = api.get_interface_bulk_data(ifName="lo")
        self.assertEqual(sorted((row.device, row.interface, row.endpoint) for row in bulk.data), [("rtr/a", "lo", "in"), ("rtr/a", "lo", "out")])
        self.assertTrue(all(any(point.val for point in row.data) for row in bulk.data))
        devices[0].set_oidsets(["Fast"])
        self.assertEqual(server.get("/t/acme/api/v1/snmp/devices/rtr%2Fa").json()["oidsets"], ["Fast"])

    def posts(self, root):
        from esmond_client.timeseries import GetBaseRate, GetBulkBaseRate, GetRawData, PostBaseRate, PostRawData
        path = ["summary", "Total/Traffic", "in"]
        made = {"api_url": root, "path": path, "freq": 30000}
        post = PostRawData(**made, username="ada", api_key="sesame")
        post.set_payload([{"ts": T, "val": 0}, {"ts": T + 30_000, "val": 300}])
        post.add_to_payload({"ts": T + 60_000, "val": 900})
        post.send_data()
        self.assertIsNone(post.get_error)
        span = {"begin": T, "end": T + 60_000}
        raw = GetRawData(**made, params=span).get_data()
        self.assertEqual([(point.ts, point.val) for point in raw.data], [(T, 0), (T + 30_000, 300), (T + 60_000, 900)])
        rates = PostBaseRate(**made, username="ada", api_key="sesame")
        rates.set_payload([{"ts": T + 60_000, "val": 1000}])
        rates.send_data()
        self.assertIsNone(rates.get_error)
        base = GetBaseRate(**made, params=span).get_data()
        self.assertEqual([point.val for point in base.data], [10, 20, 1000 / 30])
        bulk = GetBulkBaseRate(root).get_data([[*path, 30000]], T, T + 60_000)
        self.assertEqual([[point.val for point in row.data] for row in bulk.data], [[10, 20, 1000 / 30]])

    def test_the_client(self):
        folder, translated = esmond_client.translated(self)
        agent = self.agent()
        server = self.new_server({"raw.retention": "20000d"})
        server.config["snmp.credentials"] = os.path.join(server.root, "credentials.yaml")
        with open(server.config["snmp.credentials"], "w") as f:
            f.write("default: {version: 2c, community: public, tenants: [acme]}\n")
        os.chmod(server.config["snmp.credentials"], 0o600)
        server.start()
        body = {"oidsets": {"Fast": FAST, "Reference": REFERENCE},
                "devices": {"rtr/a": {"address": f"127.0.0.1:{agent.port}", "oidsets": ["Fast", "Reference"]}}}
        self.assertEqual(server.post("/t/acme/api/v1/snmp/import", json.dumps(body)).status, 200)
        root = f"http://127.0.0.1:{server.port}/t/acme/esmond"
        interfaces = "/t/acme/esmond/v1/device/rtr@2Fa/interface/"
        wait_until(lambda: server.get(interfaces).json()["meta"]["total_count"], 60, "its interfaces are known")
        wait_until(lambda: len(known(data(server, interfaces + "lo/out"))) > 5, 60, "its counters are polled")
        shown = server.get(interfaces + "lo").json()
        self.assertRegex(shown["begin_time"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d")
        self.assertEqual((shown["end_time"], shown["device"]), ("9999-12-29T23:59:59.999999", "/v1/device/rtr@2Fa/"))
        self.assertEqual(server.get(interfaces + "?ifName__in=x,lo&limit=1").json()["children"], [shown])
        self.assertEqual(server.get("/t/acme/esmond/v1/interface/?device__name=rtr/a&ifName=lo").json()["children"], [shown])
        self.assertEqual(server.get("/t/acme/esmond/v1/interface/?device__name=other").json()["children"], [])
        self.assertEqual(server.get(interfaces + "lo?begin=0&end=1").status, 400)
        with pypi.importable(folder), pypi.importable(translated), warnings.catch_warnings():
            warnings.filterwarnings("error", category=Warning, module="esmond_client")
            self.walked(server, root)
            self.posts(root)


if __name__ == "__main__":
    unittest.main()
