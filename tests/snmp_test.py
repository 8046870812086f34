# SPDX-License-Identifier: Apache-2.0
"""Devices are polled: real agents (Net-SNMP's snmpd) by v1, v2c and v3, silence, restarts, changes, and what a kill leaves."""

import json
import signal
import time

from support.client import wait_until
from support.cluster import above_engines
from support.server import free_port
from support.snmp_case import BASE, CREDENTIALS, FAST, SnmpCase
from support.snmpd import AUTH, IN, OUT

SLOW = {"frequency": "1s", "correlator": "ifNameOrDescr", "objects": [
    {"name": "ifInOctets", "oid": "1.3.6.1.2.1.2.2.1.10", "type": "Counter32"}]}
GONE = 2**63 + 10**6  # a counter in the upper half


class Snmp(SnmpCase):
    def device(self, server, name, agent, tenant="default", **more):
        port = agent if isinstance(agent, int) else agent.port
        body = {"oidsets": {"Fast": FAST, "Slow": SLOW}, "devices": {name: {"address": f"127.0.0.1:{port}", "oidsets": ["Fast"], **more}}}
        answer = server.post(f"/t/{tenant}{BASE}import", json.dumps(body))
        self.assertEqual(answer.status, 200, answer)

    def state(self, server, name):
        return server.get(f"{BASE}devices/{name}").json()

    def wait_state(self, server, name, state, seconds=20):
        return wait_until(lambda: (s := self.state(server, name))["state"] == state and s, seconds, f"{name} is {state}")

    def check_counter(self, values, first, rate, began):
        """Each sample is the counter's value of the seconds before its time, in which its answer came."""
        for ms, value in values:
            at = ms / 1000 - began
            self.assertLessEqual(value - first, rate * at + 1, (ms, value))
            self.assertGreaterEqual(value - first, rate * (at - 4), (ms, value))

    def test_polled(self):
        began = int(time.time()) - 1000
        agent = self.agent({IN: {1: (0, 1000)}, OUT: {1: (GONE, 500)}}, began)
        server = self.serve()
        self.device(server, "r/1_a", agent)
        values = self.wait_values(server, 5, "ifHCInOctets", device="r/1_a", oidset="Fast", interface="lo")
        self.check_counter(values, 0, 1000, began)
        # A counter above 2^63 keeps its 64 bits, and the API shows them as a signed number.
        out = self.values(server, "ifHCOutOctets", device="r/1_a", interface="lo")
        self.check_counter([(ms, value + 2**64) for ms, value in out], GONE, 500, began)
        self.assertEqual({value for _, value in self.values(server, "up", device="r/1_a")}, {1})
        uptimes = self.values(server, "sysUpTime", device="r/1_a", oidset="Fast")
        self.assertEqual([v for _, v in uptimes], sorted(v for _, v in uptimes))
        self.assertTrue(self.values(server, "ifCounterDiscontinuityTime", device="r/1_a", oidset="Fast", interface="lo"))
        self.assertTrue(all(0 < v < 60 for _, v in self.values(server, "poll_seconds", device="r/1_a")))
        state = self.wait_state(server, "r%2F1_a", "up")
        self.assertGreaterEqual(state["interfaces"], 1)
        self.assertEqual(state["last_error"], "")
        self.assertGreater(server.metric("varve_snmp_polls_total", result="ok"), 4)
        self.assertEqual(server.metric("varve_snmp_devices", state="up"), 1)
        self.assertEqual(server.metric("varve_snmp_samples_dropped_total"), 0)

    @above_engines
    def test_versions(self):
        began = int(time.time()) - 1000
        agent = self.agent({IN: {1: (0, 1000)}}, began)
        server = self.serve(CREDENTIALS + "wrong: {version: 2c, community: nobodys}\n")
        self.device(server, "v3", agent, credential="core")
        self.device(server, "v1", agent, credential="old", oidsets=["Slow", "Fast"])
        self.device(server, "bad", agent, credential="wrong")
        self.check_counter(self.wait_values(server, 3, "ifHCInOctets", device="v3", interface="lo"), 0, 1000, began)
        self.wait_values(server, 3, "ifInOctets", device="v1", interface="lo")
        self.assertFalse(self.values(server, "ifHCInOctets", device="v1"))  # v1 has no 64 bits
        self.assertEqual(self.wait_state(server, "bad", "down")["last_error"], "timeout")
        # A secret is put right without a restart, and the v3 agent has restarted meanwhile.
        agent.restart()
        self.write_credentials(CREDENTIALS + "wrong: {version: 2c, community: public}\n")
        server.process.send_signal(signal.SIGHUP)
        self.wait_state(server, "bad", "up")
        count = len(self.values(server, "ifHCInOctets", device="v3"))
        self.wait_values(server, count + 3, "ifHCInOctets", device="v3")
        self.check_counter(self.values(server, "ifHCInOctets", device="v3", interface="lo"), 0, 1000, began)

    @above_engines
    def test_a_wrong_secret_is_named(self):
        agent = self.agent()
        server = self.serve(CREDENTIALS.replace(AUTH, "another secret of no use"))
        self.device(server, "v3", agent, credential="core")
        self.assertIn("refused", self.wait_state(server, "v3", "down")["last_error"])
        self.assertEqual({v for _, v in self.wait_values(server, 1, "up", device="v3")}, {0})

    @above_engines
    def test_silence(self):
        agent, other = self.agent(), self.agent()
        server = self.serve()
        self.device(server, "a", agent)
        self.device(server, "b", other)
        self.device(server, "dead", free_port(), credential="core")
        self.wait_values(server, 3, "ifHCInOctets", device="a", interface="lo")
        agent.pause()
        self.wait_state(server, "a", "down")
        count = len(self.values(server, "ifHCInOctets", device="b", interface="lo"))
        self.wait_values(server, count + 5, "ifHCInOctets", device="b", interface="lo")
        frozen = [ms for ms, v in self.values(server, "up", device="a") if v == 0]
        self.assertTrue(frozen)
        agent.resume()
        self.wait_state(server, "a", "up")
        wait_until(lambda: self.values(server, "up", device="a")[-1][1] == 1, 20, "it was up last")
        # The others were not late for it. Here other tests take the processor, too.
        late = server.metric("varve_snmp_lateness_seconds_bucket", le="1")
        self.assertGreaterEqual(late, 0.8 * server.metric("varve_snmp_lateness_seconds_count"))

    def test_changes_act_without_a_restart(self):
        agent, other = self.agent(), self.agent({IN: {7: (0, 1)}})
        server = self.serve()
        self.device(server, "a", agent)
        self.wait_values(server, 2, "ifHCInOctets", device="a", interface="lo")
        self.device(server, "a", other, oidsets=["Slow"])
        self.wait_values(server, 2, "ifInOctets", device="a", interface="lo")
        self.assertEqual(server.request("DELETE", f"{BASE}devices/a").status, 204)
        wait_until(lambda: server.metric("varve_snmp_devices") == 0, 30, "it is polled no more")
        count = len(self.values(server, "up", device="a"))
        time.sleep(2)
        self.assertEqual(len(self.values(server, "up", device="a")), count)

    def test_tenants(self):
        agent = self.agent()
        server = self.serve()
        self.device(server, "a", agent, "acme")
        self.device(server, "a", agent, "globex")
        for tenant in ("acme", "globex"):
            self.wait_values(server, 2, "ifHCInOctets", tenant, device="a", interface="lo")
        self.assertFalse(server.metric_names(prefix="/t/default"))

    @above_engines
    def test_a_poll_now_tells_and_stores_nothing(self):
        agent = self.agent({IN: {1: (GONE, 0)}})
        server = self.serve()
        self.device(server, "a", agent, active=False, oidsets=["Fast", "IfRefPoll"])
        answer = server.post(f"{BASE}devices/a/poll?oidset=Fast")
        self.assertEqual(answer.status, 200, answer)
        text = answer.body.decode()
        for part in ("snmp.ifHCInOctets", IN + ".1", '"interface":"lo"', str(GONE)):
            self.assertIn(part, text)
        everything = server.post(f"{BASE}devices/a/poll").body.decode()
        self.assertIn("ifOperStatus", everything)
        self.assertEqual(server.post(f"{BASE}devices/a/poll?oidset=Slow").status, 404)
        self.assertFalse(server.metric_names())

    def test_what_was_seen_survives_a_kill(self):
        began = int(time.time()) - 1000
        agent = self.agent({IN: {1: (0, 1000)}}, began)
        server = self.serve(**{"slots.lease": "2s"})  # in a cluster the device is the dead replica's for so long
        self.device(server, "a", agent)
        seen = []
        for _ in range(3):
            seen = self.wait_values(server, len(seen) + 3, "ifHCInOctets", device="a", interface="lo")
            server.kill()
            server.start()
            after = self.wait_values(server, len(seen), "ifHCInOctets", device="a", interface="lo")
            self.assertEqual(after[:len(seen)], seen)
        self.check_counter(self.wait_values(server, len(seen) + 2, "ifHCInOctets", device="a", interface="lo"), 0, 1000, began)

    def test_a_replica_without_the_role_polls_nothing(self):
        agent = self.agent()
        server = self.serve(roles="ingest,query,rollup")
        self.device(server, "a", agent)
        self.assertEqual(server.post(f"{BASE}devices/a/poll").status, 503)
        time.sleep(3)
        self.assertFalse(server.metric_names())
