# SPDX-License-Identifier: Apache-2.0
"""Credentials of SNMP belong to tenants: whose devices may name one, where it is sent, and what those who may not learn of it."""

import json
import signal
import socket
import time

from support.client import wait_until
from support.snmp_case import BASE, FAST, SnmpCase

SECRET = "S3cretOfNetops"
FILE = f"""
core: {{community: {SECRET}, tenants: [netops]}}
near: {{community: {SECRET}, tenants: ["*"], networks: [127.0.0.0/30]}}
default: {{community: public}}
"""


class Credentials(SnmpCase):
    def setUp(self):
        super().setUp()
        self.trap = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.trap.bind(("0.0.0.0", 0))
        self.trap.settimeout(0.2)
        self.addCleanup(self.trap.close)
        self.port = self.trap.getsockname()[1]

    def heard(self):
        """All that came to the address that mallory says is his device's."""
        out = b""
        try:
            while True:
                out += self.trap.recvfrom(65536)[0]
        except TimeoutError:
            return out

    def serve_tenants(self, **config):
        """Both tenants have a set that is polled every second."""
        server = self.serve(FILE, **config)
        for tenant in ("netops", "mallory"):
            answer = server.post(f"/t/{tenant}{BASE}oidsets", json.dumps({"name": "Fast", **FAST}))
            self.assertEqual(answer.status, 201, answer)
        return server

    def add(self, server, tenant, name, credential, host="127.0.0.1"):
        body = {"name": name, "address": f"{host}:{self.port}", "oidsets": ["Fast"], "credential": credential}
        return server.post(f"/t/{tenant}{BASE}devices", json.dumps(body))

    def poll(self, server, tenant, name):
        begun = time.monotonic()
        answer = server.post(f"/t/{tenant}{BASE}devices/{name}/poll")
        sets = answer.json()["sets"]
        for one in sets:
            del one["seconds"]
        return answer.status, sets, time.monotonic() - begun

    def test_anothers_is_as_unknown_as_none(self):
        server = self.serve_tenants()
        for name in ("core", "none", "default"):
            answer = self.add(server, "mallory", "m", name)
            self.assertEqual(answer.status, 400, answer)
            self.assertEqual(answer.json()["errors"], [f'devices.m.credential: there is no credential "{name}" for this tenant'])
            imported = server.post(f"/t/mallory{BASE}import", json.dumps({"devices": {"m": {"address": "127.0.0.1", "credential": name}}}))
            self.assertEqual((imported.status, imported.json()["errors"]), (400, answer.json()["errors"]))
        self.assertEqual(self.add(server, "netops", "r", "core").status, 201)
        wait_until(lambda: SECRET.encode() in self.heard(), 20, "the tenant's own device is asked")
        # What is taken from a tenant by the file is not sent for its devices any more.
        self.write_credentials(FILE.replace("netops", "others"))
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "no credential" in server.get(f"/t/netops{BASE}devices/r").json()["last_error"], 20, "it is down")
        self.heard()
        time.sleep(2.5)  # longer than the pause
        self.assertEqual(self.heard(), b"")
        # Moved to where its tenant would like to have it, it is refused, and so is a poll now.
        moved = server.request("PUT", f"/t/netops{BASE}devices/r", json.dumps({"address": "127.0.0.2"}))
        self.assertEqual(moved.status, 400, moved)
        self.assertEqual(server.post(f"/t/netops{BASE}devices/r/poll").status, 400)
        self.assertEqual(self.heard(), b"")

    def test_elsewhere_nothing_is_sent_and_nothing_is_learnt(self):
        server = self.serve_tenants(**{"snmp.timeout": "700ms", "snmp.retries": "1"})
        hosts = {"near": "127.0.0.1", "far": "127.0.0.4", "unresolved": "no-such-host.invalid"}
        for name, host in hosts.items():
            self.assertEqual(self.add(server, "mallory", name, "near", host).status, 201)
        answers = {name: self.poll(server, "mallory", name) for name in hosts}
        self.assertEqual(answers["near"][:2], (200, [{"oidset": "Fast", "error": "timeout", "reports": [], "objects": []}]))
        for name in ("far", "unresolved"):
            self.assertEqual(answers[name][:2], answers["near"][:2])
            self.assertGreaterEqual(answers[name][2], 1.3, "as long as two tries")
        heard = []
        while True:
            try:
                heard.append(self.trap.recvfrom(65536)[0])
            except TimeoutError:
                break
        self.assertTrue(heard)
        server.request("DELETE", f"/t/mallory{BASE}devices/near")
        time.sleep(2)
        self.heard()
        time.sleep(2.5)
        self.assertEqual(self.heard(), b"", "the device that is far away is not asked")
        states = [wait_until(lambda name=name: (found := server.get(f"/t/mallory{BASE}devices/{name}").json())["state"] == "down" and found, 20, f"{name} is down")
                  for name in ("far", "unresolved")]
        self.assertEqual([state["last_error"] for state in states], ["timeout", "timeout"])
        self.assertNotIn(SECRET, json.dumps(states))
