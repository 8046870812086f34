# SPDX-License-Identifier: Apache-2.0
"""Traps, sent by Net-SNMP's commands and by its agent, make polls due; those of others do nothing."""

import json
import os
import socket
import subprocess

from support.client import wait_until
from support.server import free_port
from support.snmp_case import BASE, FAST, SnmpCase
from support.snmpd import AUTH, IN, PRIV, Snmpd

RARE = {**FAST, "frequency": "1d"}
ENGINE = ("-e", "0x80001f88010a000001")  # of whoever sends a trap by v3
V3 = ("-v3", *ENGINE, "-u", "varve", "-l", "authPriv", "-a", "SHA", "-A", AUTH, "-x", "AES", "-X", PRIV)
LINK_DOWN, LINK_UP = (f"1.3.6.1.6.3.1.1.5.{n}" for n in (3, 4))


class Traps(SnmpCase):
    def trap(self, port, name, *options, command="snmptrap", values=()):
        """By Net-SNMP's own command; returns whether it was content."""
        done = subprocess.run([command, "-r0", "-t1", *options, f"127.0.0.1:{port}", "4711", name, *values], capture_output=True, timeout=60, check=False,
                              env={**os.environ, "MIBS": "", "SNMPCONFPATH": "/dev/null", "SNMP_PERSISTENT_DIR": "/dev/null"})
        return done.returncode == 0

    def wait_traps(self, server, count, result):
        wait_until(lambda: server.metric("varve_snmp_traps_total", result=result) >= count, 20, f"{count} traps {result}")
        self.assertEqual(server.metric("varve_snmp_traps_total", result=result), count)

    def rare_devices(self, server, agent, **credentials):
        body = {"oidsets": {"Rare": RARE}, "devices": {name: {"address": f"127.0.0.1:{agent.port}", "oidsets": ["Rare"], "credential": credential}
                                                       for name, credential in credentials.items()}}
        self.assertEqual(server.post(f"/t/default{BASE}import", json.dumps(body)).status, 200)
        wait_until(lambda: server.metric("varve_snmp_devices") == len(credentials), 30, "it knows what is polled")

    def test_traps_make_polls_due(self):
        agent, port = self.agent({IN: {1: (0, 1)}}), free_port()
        server = self.serve(**{"snmp.traps": f"127.0.0.1:{port}"})
        self.rare_devices(server, agent, v2="default", v3="core")
        self.assertTrue(self.trap(port, LINK_DOWN, "-v2c", "-c", "public"))
        self.wait_values(server, 1, "ifHCInOctets", device="v2", interface="lo")
        self.wait_traps(server, 1, "linkDown")
        self.assertFalse(self.values(server, "ifHCInOctets", device="v3"))
        self.assertTrue(self.trap(port, LINK_UP, *V3))
        self.wait_values(server, 1, "ifHCInOctets", device="v3", interface="lo")
        self.wait_traps(server, 1, "linkUp")
        # A second one within ten seconds is heard, and waits for them.
        self.assertTrue(self.trap(port, LINK_UP, *V3))
        self.wait_traps(server, 2, "linkUp")
        values = self.wait_values(server, 2, "ifHCInOctets", device="v3", interface="lo")
        self.assertGreaterEqual(values[1][0] - values[0][0], 9000)
        self.assertEqual(server.metric("varve_snmp_traps_total", result="bad"), 0)

    def test_traps_that_are_not_taken(self):
        agent, port = self.agent(), free_port()
        server = self.serve(**{"snmp.traps": f"127.0.0.1:{port}"})
        self.rare_devices(server, agent, v2="default", v3="core")
        wrong = {"-A": "another secret", "-X": "another secret", "-u": "somebody", "-l": "authNoPriv", "-a": "MD5"}
        for option, value in wrong.items():
            changed = list(V3)
            changed[changed.index(option) + 1] = value
            self.assertTrue(self.trap(port, LINK_UP, *changed))
        self.assertTrue(self.trap(port, LINK_UP, "-v2c", "-c", "private"))
        self.assertFalse(self.trap(port, LINK_UP, *V3, command="snmpinform"))
        self.wait_traps(server, len(wrong) + 2, "bad")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind(("127.0.0.2", 0))
            for _ in range(3):
                s.sendto(b"who am I", ("127.0.0.1", port))
        self.wait_traps(server, 3, "unknown")
        self.assertTrue(self.trap(port, "1.3.6.1.4.1.8072.4.0.1", *V3))
        self.wait_traps(server, 1, "other")
        self.assertFalse(server.metric_names(prefix="/t/default"))

    def messages(self, server, count):
        """All that are traps, in order: (source, type, level, objects, text)."""
        def found():
            body = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now+1h", "select_fields": ["MessageTS", "Source", "ModuleId", "Messagetype", "Level", "ObjectName", "Xmlmessage"],
                    "where": [[{"name": "ModuleId", "value": "snmptrapd", "op": 1}]]}
            rows = server.post("/analytics/query", json.dumps(body)).json()["value"]
            return rows if len(rows) >= count else None
        rows = wait_until(found, 20, f"{count} messages")
        self.assertEqual(len(rows), count)
        return [(row["Source"], row["Messagetype"], row["Level"], row["Xmlmessage"]) for row in sorted(rows, key=lambda row: row["MessageTS"])]

    def test_traps_are_messages(self):
        agent, port = self.agent({IN: {1: (0, 1)}}), free_port()
        server = self.serve(**{"snmp.traps": f"127.0.0.1:{port}"})
        self.rare_devices(server, agent, r1="default", r3="core")
        self.assertTrue(self.trap(port, LINK_DOWN, "-v2c", "-c", "public", values=("1.3.6.1.2.1.2.2.1.1.3", "i", "3", "1.3.6.1.2.1.2.2.1.2.3", "s", "ge-0/0/3")))
        self.messages(server, 1)
        self.assertTrue(self.trap(port, "1.3.6.1.4.1.8072.4.0.2", *V3))
        self.messages(server, 2)
        # v1: enterprise, agent, generic (2: linkDown), specific, uptime.
        v1 = subprocess.run(["snmptrap", "-v1", "-c", "public", f"127.0.0.1:{port}", "1.3.6.1.4.1.9", "10.0.0.9", "6", "7", "4711"], capture_output=True, timeout=60,
                            check=False, env={**os.environ, "MIBS": ""})
        self.assertEqual(v1.returncode, 0, v1)
        self.messages(server, 3)
        self.assertTrue(self.trap(port, "1.3.6.1.6.3.1.1.5.5", "-v2c", "-c", "public", command="snmpinform"), "it is acknowledged")
        self.assertEqual(self.messages(server, 4), [
            ("r1", "linkDown", 4, "linkDown ifIndex.3=3 ifDescr.3=ge-0/0/3"), ("r3", "1.3.6.1.4.1.8072.4.0.2", 5, "1.3.6.1.4.1.8072.4.0.2"),
            ("r1", "1.3.6.1.4.1.9.0.7", 5, "1.3.6.1.4.1.9.0.7"), ("r1", "authenticationFailure", 4, "authenticationFailure")])
        body = {"table": "PhysicalInterfaceTable", "start_time": "now-1h", "end_time": "now+1h", "select_fields": ["ObjectId"]}
        self.assertEqual(server.post("/analytics/query", json.dumps(body)).json(), {"value": [{"ObjectId": "r1:ge-0/0/3"}]})
        self.assertEqual(server.metric("varve_messages_accepted_total", protocol="snmp"), 4)

    def test_an_agent_that_starts_is_polled(self):
        port = free_port()
        agent = Snmpd(traps=port)
        self.addCleanup(agent.close)
        server = self.serve(**{"snmp.traps": f"127.0.0.1:{port}"})
        self.rare_devices(server, agent, v2="default", v3="core")
        agent.start()
        self.wait_traps(server, 2, "coldStart")
        for device in ("v2", "v3"):
            self.wait_values(server, 1, "ifHCInOctets", device=device, interface="lo")

    def test_an_address_of_traps_that_is_taken(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind(("127.0.0.1", 0))
            server = self.new_server({"snmp.traps": f"127.0.0.1:{s.getsockname()[1]}"})
            server.spawn()
            self.assertNotEqual(server.wait(), 0)
            self.assertIn("snmp.traps: ", server.log())
