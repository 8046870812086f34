# SPDX-License-Identifier: Apache-2.0
"""Agents of v3 that have one engine id, and credentials that have one user: none of them disturbs another."""

import json
import os

from support.client import wait_until
from support.snmp_case import BASE, CREDENTIALS, FAST, SnmpCase
from support.snmpd import AUTH, IN, Snmpd

ENGINE = "0x80001f8880aabbccdd11223344"


class Engines(SnmpCase):
    def twin(self, boots, counter):
        """An agent that was copied with its engine id, and has started so often."""
        agent = Snmpd({IN: {1: (counter, 0)}})
        self.addCleanup(agent.close)
        with open(os.path.join(agent.root, "snmpd.conf"), "a") as f:
            f.write(f"exactEngineID {ENGINE}\n")
        os.makedirs(os.path.join(agent.root, "state"), exist_ok=True)
        with open(os.path.join(agent.root, "state", "snmpd.conf"), "w") as f:
            f.write(f"engineBoots {boots}\noldEngineID {ENGINE}\n")
        return agent.start()

    def devices(self, server, **devices):
        body = {"oidsets": {"Fast": FAST}, "devices": {name: {"address": f"127.0.0.1:{agent.port}", "oidsets": ["Fast"], "credential": credential}
                                                       for name, (agent, credential) in devices.items()}}
        answer = server.post(f"{BASE}import", json.dumps(body))
        self.assertEqual(answer.status, 200, answer)

    def ups(self, server, name, count):
        """Whether it answered, the last `count` times."""
        values = wait_until(lambda: (found := self.values(server, "up", device=name)) and len(found) >= count and found, 40, f"{count} polls of {name}")
        return [int(value) for _, value in values[-count:]]

    def test_two_agents_of_one_engine(self):
        few, many = self.twin(5, 1000), self.twin(90, 2000)
        server = self.serve()
        self.devices(server, few=(few, "core"), many=(many, "core"))
        for name, counter in (("few", 1000), ("many", 2000)):
            self.wait_values(server, 5, "ifHCInOctets", device=name, interface="lo")
            self.assertEqual({value for _, value in self.values(server, "ifHCInOctets", device=name, interface="lo")}, {counter})
            self.assertEqual(self.ups(server, name, 5), [1] * 5)

    def test_two_credentials_of_one_user(self):
        agent = self.agent({IN: {1: (7, 0)}})
        wrong = CREDENTIALS.replace("core:", "wrong:").splitlines()[-1].replace(AUTH, "another secret of no use")
        server = self.serve(CREDENTIALS + wrong + "\n")
        self.devices(server, right=(agent, "core"))
        self.wait_values(server, 2, "ifHCInOctets", device="right", interface="lo")
        self.devices(server, wrong=(agent, "wrong"))
        wait_until(lambda: server.get(f"{BASE}devices/wrong").json()["state"] == "down", 20, "the wrong one is down")
        count = len(self.values(server, "up", device="right"))
        self.assertEqual(self.ups(server, "right", count + 8)[-8:], [1] * 8)
        self.assertIn("refused", server.get(f"{BASE}devices/wrong").json()["last_error"])
