# SPDX-License-Identifier: Apache-2.0
"""Traps, sent by Net-SNMP's commands and by its agent, make polls due; those of others do nothing."""

import json
import os
import re
import socket
import subprocess
import threading

from support.client import wait_until
from support.server import free_port
from support.snmp_case import BASE, CREDENTIALS, FAST, SnmpCase
from support.snmpd import AUTH, IN, PRIV, Snmpd

RARE = {**FAST, "frequency": "1d"}
ENGINE = ("-e", "0x80001f88010a000001")  # of whoever sends a trap by v3
INFORM_V3 = ("-v3", "-u", "varve", "-l", "authPriv", "-a", "SHA", "-A", AUTH, "-x", "AES", "-X", PRIV)
V3 = (*INFORM_V3, *ENGINE)
LINK_DOWN, LINK_UP = (f"1.3.6.1.6.3.1.1.5.{n}" for n in (3, 4))


class Relay:
    """Stands between one sender and a server, and keeps what they say."""

    def __init__(self, port):
        self.server, self.asked, self.answers = ("127.0.0.1", port), [], []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.1)
        self.port, self.ends = self.socket.getsockname()[1], False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        sender = None
        while not self.ends:
            try:
                datagram, source = self.socket.recvfrom(65535)
            except TimeoutError:
                continue
            if source == self.server:
                self.answers.append(datagram)
                self.socket.sendto(datagram, sender)
            else:
                self.asked.append(datagram)
                sender = source
                self.socket.sendto(datagram, self.server)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
        self.socket.close()


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
        self.wait_traps(server, len(wrong) + 1, "bad")
        # Of an inform we are the engine, and not who sends it.
        self.assertFalse(self.trap(port, LINK_UP, *V3, command="snmpinform"))
        self.wait_traps(server, 1, "discovery")
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

    def test_informs_of_v3(self):
        agent, port = self.agent(), free_port()
        credentials = CREDENTIALS + f"""
signed: {{version: 3, user: signed, level: authNoPriv, auth: SHA-256, auth_secret: "{AUTH}"}}
open: {{version: 3, user: open, level: noAuthNoPriv}}
elsewhere: {{version: 3, user: elsewhere, level: authNoPriv, auth: SHA, auth_secret: "{AUTH}", networks: [10.0.0.0/8]}}
"""
        server = self.serve(credentials, **{"snmp.traps": f"127.0.0.1:{port}"})
        self.rare_devices(server, agent, r1="default", r3="core", signed="signed", open="open", elsewhere="elsewhere")
        signed = ("-v3", "-u", "signed", "-l", "authNoPriv", "-a", "SHA-256", "-A", AUTH)
        opened = ("-v3", "-u", "open", "-l", "noAuthNoPriv")
        for count, options in enumerate((INFORM_V3, signed, opened, INFORM_V3), 1):
            self.assertTrue(self.trap(port, LINK_UP, *options, command="snmpinform"), options)
            self.wait_traps(server, count, "linkUp")
            self.wait_traps(server, count, "discovery")
            self.messages(server, count)
        self.assertEqual([source for source, *_ in self.messages(server, 4)], ["r3", "signed", "open", "r3"])
        self.assertEqual(server.metric("varve_snmp_traps_total", result="bad"), 0)
        wrong = {"-A": "another secret", "-X": "another secret", "-u": "somebody", "-l": "authNoPriv", "-a": "MD5"}
        for count, (option, value) in enumerate(wrong.items(), 1):
            changed = list(INFORM_V3)
            changed[changed.index(option) + 1] = value
            self.assertFalse(self.trap(port, LINK_UP, *changed, command="snmpinform"), option)
            self.wait_traps(server, count, "bad")
        elsewhere = ("-v3", "-u", "elsewhere", "-l", "authNoPriv", "-a", "SHA", "-A", AUTH)
        self.assertFalse(self.trap(port, LINK_UP, *elsewhere, command="snmpinform"), "its credential may not be used here")
        self.messages(server, 4)

    def test_the_engine_stays_and_its_starts_are_counted(self):
        def engines():
            lines = [line for line in server.log().splitlines() if "informs of SNMPv3 are taken" in line]
            return [(re.search("engine=([0-9a-f]+)", line)[1], int(re.search("boots=([0-9]+)", line)[1])) for line in lines]
        agent, port = self.agent(), free_port()
        server = self.serve(**{"snmp.traps": f"127.0.0.1:{port}"})
        self.rare_devices(server, agent, r3="core")
        with Relay(port) as relay:
            self.assertTrue(self.trap(relay.port, LINK_UP, *INFORM_V3, command="snmpinform"))
        self.messages(server, 1)
        inform = relay.asked[-1]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(10)
            s.connect(("127.0.0.1", port))
            s.send(inform)  # in time: it may be that the answer was lost
            self.assertEqual(len(s.recv(65535)), len(relay.answers[-1]))
            self.messages(server, 2)
            server.kill()
            server.start()
            wait_until(lambda: server.metric("varve_snmp_devices") == 1, 30, "it knows what is polled")
            before = server.metric("varve_snmp_traps_total", result="untimely")
            s.send(inform)
            self.assertIn(bytes.fromhex("2b060106030f01010200"), s.recv(65535), "usmStatsNotInTimeWindows")
            self.assertEqual(server.metric("varve_snmp_traps_total", result="untimely"), before + 1)
        self.messages(server, 2)
        self.assertTrue(self.trap(port, LINK_UP, *INFORM_V3, command="snmpinform"))
        self.messages(server, 3)
        (one, starts), (other, later) = engines()
        self.assertEqual(one, other)
        self.assertGreater(later, starts)

    def test_an_agent_informs_of_its_start(self):
        port = free_port()
        agent = Snmpd(traps=port, informs=True)
        self.addCleanup(agent.close)
        server = self.serve(**{"snmp.traps": f"127.0.0.1:{port}"})
        self.rare_devices(server, agent, v3="core")
        agent.start()
        self.wait_traps(server, 1, "coldStart")
        self.wait_values(server, 1, "ifHCInOctets", device="v3", interface="lo")

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
