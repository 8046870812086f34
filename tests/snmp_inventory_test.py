# SPDX-License-Identifier: Apache-2.0
"""What is polled by SNMP: devices, oidsets and correlators over HTTP and by `varve device`; credentials. No device is polled here."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import urllib.parse

from support import cluster
from support.case import OwnServerCase, ServerCase
from support.client import wait_until
from support.cluster import above_engines, die_with_parent
from support.server import BINARY

BASE = "/api/v1/snmp/"
SETS = {"Mine": {"frequency": "30s", "correlator": "ifName", "aggregates": ["1h", "1d"], "objects": [
    {"name": "ifHCInOctets", "oid": "1.3.6.1.2.1.31.1.1.1.6", "type": "Counter64", "aggregate": True, "alias": "in"}]}}
NONE = {"added": 0, "changed": 0, "removed": 0}


def counts(devices=(0, 0, 0), oidsets=(0, 0, 0), correlators=(0, 0, 0)):
    words = ("added", "changed", "removed")
    return {"devices": dict(zip(words, devices)), "oidsets": dict(zip(words, oidsets)), "correlators": dict(zip(words, correlators))}


class Inventory(ServerCase):
    def ask(self, method, path, body=None, tenant="default"):
        return self.server.request(method, f"/t/{tenant}{BASE}{path}", json.dumps(body) if body is not None else None)

    def names(self, tenant):
        return [device["name"] for device in self.ask("GET", "devices", tenant=tenant).json()["devices"]]

    def test_any_name(self):
        names = ["a", "a/b", "a/poll", "ü", "r_1_2", "x y?&#%", "'\"\\", "\u0001", "n" * 255, "🛰" * 63]
        for name in names:
            path = "devices/" + urllib.parse.quote(name, safe="")
            with self.subTest(name):
                self.assertEqual(self.ask("POST", "devices", {"name": name, "address": "10.0.0.1"}, "names").status, 201)
                self.assertEqual(self.ask("POST", "devices", {"name": name, "address": "10.0.0.1"}, "names").status, 409)
                self.assertEqual(self.ask("PUT", path, {"address": "10.0.0.2", "tags": {"k": name}}, "names").status, 200)
                seen = self.ask("GET", path, tenant="names").json()
                self.assertEqual((seen["name"], seen["address"], seen["tags"]["k"]), (name, "10.0.0.2", name))
        self.assertEqual(self.names("names"), sorted(names, key=str.encode))
        for name in names:
            self.assertEqual(self.ask("DELETE", "devices/" + urllib.parse.quote(name, safe=""), tenant="names").status, 204)
        self.assertEqual(self.names("names"), [])
        for name in ("", "n" * 256, "a\0b"):
            answer = self.ask("POST", "devices", {"name": name, "address": "h"}, "names")
            self.assertEqual(answer.status, 400, answer)

    def test_import(self):
        body = {"oidsets": SETS, "devices": {"r": {"address": "10.0.0.1:161", "credential": "lab", "oidsets": ["Mine"]}, "s": {"address": "s"}}}
        done = counts(devices=(2, 0, 0), oidsets=(1, 0, 0))
        self.assertEqual(self.ask("POST", "import?check=1", body, "import").json(), done)
        self.assertEqual(self.names("import"), [])
        self.assertEqual(self.ask("POST", "import", body, "import").json(), done)
        self.assertEqual(self.ask("POST", "import", body, "import").json(), counts())
        self.assertEqual(self.ask("GET", "devices/r", tenant="import").json(), {
            "name": "r", "address": "10.0.0.1:161", "credential": "lab", "oidsets": ["Mine"], "active": True, "begin": None, "end": None,
            "tags": {}, "state": "unknown", "last_poll": None, "interfaces": 0, "left_out": [],
            "unknown_increases": {"gap": 0, "restart": 0, "discontinuity": 0, "fell": 0, "speed": 0},
            "last_error": 'there is no credential "lab" for this tenant: snmp.credentials, their file, is not set'})
        exported = self.ask("GET", "export", tenant="import").json()
        self.assertEqual(exported["oidsets"], SETS)
        self.assertEqual(self.ask("POST", "import?prune=1&check=1", exported, "import").json(), counts())
        wrong = self.ask("POST", "import?prune=1", {"devices": {"r": {"address": "no port:x"}, "t": {"oidsets": ["None"]}}}, "import")
        self.assertEqual(wrong.status, 400)
        places = [error.split(": ")[0] for error in wrong.json()["errors"]]
        self.assertEqual(places, ["devices.r.address", "devices.t.address", "devices.t.oidsets[0]"])
        self.assertEqual(self.names("import"), ["r", "s"], "nothing was changed")
        self.assertEqual(self.ask("POST", "import?prune=1", {"devices": {"s": {"active": False}}}, "import").json(), counts(devices=(0, 1, 1)))
        self.assertEqual(self.names("import"), ["s"])

    def test_what_is_malformed(self):
        for method, path in (("POST", "devices"), ("PUT", "devices/m"), ("POST", "oidsets"), ("PUT", "oidsets/m"), ("POST", "correlators"),
                             ("PUT", "correlators/m"), ("POST", "import")):
            for body in (b"", b"hello", b"5", b"null", b'"x"', b"[1]", b'{"devices":', b'{"name":"m\xff"}', b"[" * 100_000, b'{"a":' * 50_000,
                         b'{"devices":{"x":[]}}', b'{"name":"m","name":7}', b'{"name":{}}', b'{"frequency":-1}', b'{"layouts":[{}]}'):
                with self.subTest(f"{method} {path} {body[:30]}"):
                    answer = self.server.request(method, "/t/malformed" + BASE + path, body)
                    self.assertEqual(answer.status, 400, answer)
                    self.assertTrue(answer.json()["errors"], answer)
        self.assertEqual(self.ask("GET", "export", tenant="malformed").json(), {"correlators": {}, "oidsets": {}, "devices": {}})
        self.assertEqual(self.server.get(BASE + "devices/%FF").status, 404)

    def test_sets_and_correlators(self):
        self.assertEqual(len(self.ask("GET", "oidsets", tenant="sets").json()["oidsets"]), 17)
        for kind in ("oidsets", "correlators"):
            for one in self.ask("GET", kind, tenant="sets").json()[kind]:
                self.assertTrue(one.pop("built_in"))
                name = one.pop("name")
                self.assertEqual(self.ask("POST", "import", {kind: {name: one}}, "sets").json(), counts(), "what is shown means itself")
        mine = {"name": "c", "layouts": [{"index": [{"name": "i"}], "columns": [], "tags": [{"name": "t", "value": "{i}"}], "where": []}]}
        self.assertEqual(self.ask("POST", "correlators", mine, "sets").status, 201)
        self.assertEqual(self.ask("POST", "oidsets", dict(SETS["Mine"], name="S", correlator="c"), "sets").status, 201)
        self.assertEqual(self.ask("DELETE", "correlators/c", tenant="sets").status, 400, "it is in use")
        self.assertEqual(self.ask("DELETE", "oidsets/S", tenant="sets").status, 204)
        self.assertEqual(self.ask("DELETE", "correlators/c", tenant="sets").status, 204)
        self.assertEqual(self.ask("DELETE", "oidsets/FastPoll", tenant="sets").status, 409)

    def test_tenants_are_apart(self):
        self.ask("POST", "devices", {"name": "r", "address": "h"}, "one")
        self.assertEqual(self.names("two"), [])
        self.assertEqual(self.ask("POST", "devices/r/poll", tenant="two").status, 404)
        self.assertEqual(self.ask("POST", "import?prune=1", {"devices": {}}, "two").json(), counts())
        self.assertEqual(self.names("one"), ["r"])
        self.assertEqual(self.ask("POST", "devices", {"name": "r", "address": "h"}, "varve").status, 403)

    def test_after_a_restart(self):
        many = {f"device-{i:04}": {"address": f"10.0.{i // 256}.{i % 256}", "tags": {"n": str(i)}} for i in range(1500)}
        self.assertEqual(self.ask("POST", "import", {"devices": many}, "restart").json(), counts(devices=(1500, 0, 0)))
        self.server.restart()
        exported = self.ask("GET", "export", tenant="restart").json()["devices"]
        self.assertEqual({name: device["tags"]["n"] for name, device in exported.items()}, {name: device["tags"]["n"] for name, device in many.items()})
        self.assertEqual(self.ask("POST", "import?prune=1", {"devices": {}}, "restart").json(), counts(devices=(0, 0, 1500)))


@above_engines
class Command(ServerCase):
    def device(self, *arguments, status=0, text=None, tenant="command"):
        done = subprocess.run([BINARY, "device", *arguments, "--server", f"http://127.0.0.1:{self.server.port}", "--tenant", tenant],
                              input=text, capture_output=True, text=True, timeout=60, check=False, preexec_fn=die_with_parent)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_one_device(self):
        shown = self.device("add", "a/b", "--address", "10.0.0.1:1161", "--credential=lab", "--oidset", "FastPoll", "--oidset", "Errors",
                            "--tag", "site=oslo", "--tag", "rack=7", "--begin", "2026-01-01")
        self.assertIn("oidsets: FastPoll, Errors\n", shown)
        self.assertIn("begin: 2026-01-01T00:00:00.000Z\n", shown)
        self.assertIn("already", self.device("add", "a/b", "--address", "x", status=1))
        self.device("set", "a/b", "--inactive", "--tag", "rack=", "--begin", "none")
        device = json.loads(self.device("show", "a/b", "--json"))
        self.assertEqual((device["active"], device["tags"], device["begin"], device["address"]), (False, {"site": "oslo"}, None, "10.0.0.1:1161"))
        self.assertRegex(self.device("list"), r"NAME +ADDRESS .*\na/b +10.0.0.1:1161 +inactive +- +0 +FastPoll,Errors\n")
        self.assertEqual([one["name"] for one in json.loads(self.device("list", "--json"))["devices"]], ["a/b"])
        self.assertIn("there is no oidset \"Nope\"", self.device("set", "a/b", "--oidset", "Nope", status=1))
        self.assertIn('there is no device "none"', self.device("set", "none", "--inactive", status=1))
        self.assertEqual(self.device("remove", "a/b"), "")
        self.assertIn('there is no device "a/b"', self.device("remove", "a/b", status=1))
        self.assertIn('there is no device "a/b"', self.device("poll", "a/b", status=1))

    def test_the_credential_is_named(self):
        def said(*arguments):
            done = subprocess.run([BINARY, "device", "add", *arguments, "--address=10.0.0.1", "--server", f"http://127.0.0.1:{self.server.port}",
                                   "--tenant=named"], capture_output=True, text=True, timeout=60, check=False, preexec_fn=die_with_parent)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        none = 'varve: it cannot be polled: there is no credential "{}" for this tenant: snmp.credentials, their file, is not set\n'
        self.assertEqual(said("a"), 'varve: no --credential is given: it is polled with "default" of the server\'s file snmp.credentials\n' + none.format("default"))
        self.assertEqual(said("b", "--credential=lab"), none.format("lab"))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "network.yaml"
            path.write_text("devices:\n  core1: {address: 10.0.0.1, tags: {n: 7, on: 'true'}}\n  core2: {address: '10.0.0.2:1161', active: false}\n"
                            "oidsets:\n  FastPollHC: {frequency: 10}\n", encoding="utf-8")
            added = "devices: 2 added, 0 changed, 0 removed\noidsets: 1 added, 0 changed, 0 removed\ncorrelators: 0 added, 0 changed, 0 removed\n"
            self.assertEqual(self.device("import", str(path), "--check", tenant="files"), added + "nothing was changed (--check)\n")
            self.assertEqual(self.device("import", str(path), tenant="files"), added)
            exported = self.device("export", tenant="files")
            core1 = json.loads(exported)["devices"]["core1"]
            self.assertEqual((core1["tags"], core1["oidsets"]), ({"n": "7", "on": "true"}, ["FastPollHC", "Errors", "IfRefPoll"]))
            self.assertEqual(json.loads(exported)["oidsets"]["FastPollHC"]["frequency"], "10s")
            self.assertIn("0 added, 0 changed, 0 removed", self.device("import", "-", "--prune", text=exported, tenant="files"))
            self.assertIn("1 removed", self.device("import", "-", "--prune", text="devices: {core1: {}}", tenant="files"))
            path.write_text("devices:\n  x: {adress: a}\n  y: {address: [1]}\n", encoding="utf-8")
            said = self.device("import", str(path), status=1, tenant="files")
            self.assertIn("devices.x.adress: no such field", said)
            self.assertIn("devices.y.address: a list is not a text", said)
            path.write_text("devices:\n  x: {address: 'open\n", encoding="utf-8")
            self.assertIn("network.yaml:", self.device("import", str(path), status=1, tenant="files"))
            self.assertIn("cannot be read", self.device("import", folder + "/none", status=1, tenant="files"))
            path.write_text(json.dumps([{"pk": 1, "model": "api.device", "fields": {"name": "rtr_d", "community": "hush", "active": True,
                                                                                    "end_time": "9999-12-31T23:59:59.999"}},
                                        {"pk": 1, "model": "api.deviceoidsetmap", "fields": {"device": 1, "oid_set": 2}}]), encoding="utf-8")
            self.assertIn("snmp.credentials: community-of-rtr_d\n", self.device("import", str(path), tenant="esmond"))
            shown = self.device("show", "rtr_d", tenant="esmond")
            self.assertIn("oidsets: FastPollHC\n", shown)
            self.assertNotIn("hush", self.device("export", tenant="esmond") + self.server.log())

    def test_wrong_arguments(self):
        for arguments, words in ((["add", "x"], "--address: it is missing"), (["ad"], "no such verb"), (["list", "--jsn"], "no such flag"),
                                 (["show"], "expected: varve device show NAME")):
            self.assertIn(words, self.device(*arguments, status=2))
        done = subprocess.run([BINARY, "device", "--help"], capture_output=True, text=True, timeout=60, check=True, preexec_fn=die_with_parent)
        self.assertIn("varve device add core1 --address", done.stdout)
        done = subprocess.run([BINARY, "device", "list", "--server", "http://127.0.0.1:1"], capture_output=True, text=True, timeout=60, check=False,
                              preexec_fn=die_with_parent)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--server names another", done.stderr)


@above_engines
class Credentials(OwnServerCase):
    SECRET = "a-secret-community"

    def file(self, text, mode=0o600):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = pathlib.Path(folder) / "snmp.yaml"
        path.write_text(text, encoding="utf-8")
        os.chmod(path, mode)
        return path

    def refused(self, path):
        server = self.new_server({"snmp.credentials": str(path)})
        server.spawn()
        server.wait_ready_or_end()
        self.assertFalse(server.alive())
        self.assertNotIn(self.SECRET, server.log())
        return server.log()

    def test_are_reloaded(self):
        path = self.file(f"default: {{community: {self.SECRET}}}\n")
        server = self.new_server({"snmp.credentials": str(path)}).start()
        for text, said in ((f"default: {{community: {self.SECRET}2}}\nlab: {{version: 1, community: {self.SECRET}}}\n", "credentials of SNMP reloaded"),
                           ("default: {comunity: x}\n", "default.comunity: no such field"),
                           (f"default: {self.SECRET}\n", "default: a map was expected")):
            path.write_text(text, encoding="utf-8")
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda said=said: said in server.log(), what=said)
        os.chmod(path, 0o644)
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "others can read" in server.log(), what="the refusal")
        server.post("/api/v1/snmp/devices", json.dumps({"name": "r", "address": "127.0.0.1:1"}))
        shown = b"".join(server.get(path).body for path in ("/api/v1/snmp/devices", "/api/v1/snmp/export", "/metrics"))
        self.assertNotIn(self.SECRET, shown.decode() + server.log())

    def test_are_refused(self):
        self.assertIn("others can read", self.refused(self.file("a: {community: x}\n", 0o644)))
        self.assertIn("cannot be read", self.refused("/nowhere/snmp.yaml"))
        self.assertIn("core.auth_secret: a secret has 8 characters at least",
                      self.refused(self.file("core: {version: 3, user: u, auth: SHA, auth_secret: short}\n")))
        self.assertIn("core.priv: allowed is DES or AES", self.refused(self.file(f"core: {{version: 3, user: u, priv: {self.SECRET}}}\n")))


class Replicas(OwnServerCase):
    def test_a_change_is_seen_by_others(self):
        if not cluster.chosen():
            self.skipTest("one replica only")
        one = self.new_server().start()
        other = self.new_server(path=one.path).start()
        self.assertEqual(one.post("/api/v1/snmp/devices", json.dumps({"name": "r", "address": "h"})).status, 201)
        self.assertEqual(other.get("/api/v1/snmp/devices/r").json()["address"], "h")
        self.assertEqual(other.request("PUT", "/api/v1/snmp/devices/r", json.dumps({"address": "i"})).status, 200)
        self.assertEqual(one.get("/api/v1/snmp/devices/r").json()["address"], "i")
