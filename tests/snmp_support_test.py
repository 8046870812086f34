# SPDX-License-Identifier: Apache-2.0
"""The agents that other tests poll do what those tests rely on: asked by net-snmp's own commands, not by varve."""

import os
import time
import unittest

from support import snmp
from support.snmp import COUNTERS, IF_ALIAS, IF_NAME, SYS_UPTIME, Agent, Snmpd, Snmpsim, ask

SYS_NAME, SYS_LOCATION = "1.3.6.1.2.1.1.5.0", "1.3.6.1.2.1.1.6.0"
HC_IN = COUNTERS["ifHCInOctets"][0]


def now_ms():
    return int(time.time() * 1000)


class OwnAgent(unittest.TestCase):
    def agent(self, **more):
        agent = Agent(**more)
        self.addCleanup(agent.close)
        return agent.start()

    def test_every_counter_is_what_its_formula_says(self):
        agent = self.agent(devices=300, interfaces=60)
        for device in (0, 254, 299):
            for name, (oid, _, bits) in COUNTERS.items():
                begin = now_ms()
                found = ask("snmpbulkwalk", agent.address(device), oid)
                end = now_ms()
                self.assertEqual([*found], [f"{oid}.{n}" for n in range(1, 61)])
                if bits == 64:
                    read = [agent.read_at(device, name, n, int(value)) for n, value in enumerate(found.values(), 1)]
                    self.assertTrue(begin <= min(read) and max(read) <= end, (name, begin, read, end))
        names = ask("snmpbulkwalk", agent.address(7), IF_NAME)
        self.assertEqual([*names.values()], [f'"{agent.name(n)}"' for n in range(1, 61)])
        self.assertEqual(ask("snmpget", agent.address(0), f"{IF_ALIAS}.3", options=("-v2c", "-c", "dev-8")), {f"{IF_ALIAS}.3": '"link 3 of 8"'})
        self.assertEqual(len(ask("snmpwalk", agent.address(0), snmp.IF_TABLE, options=("-v1", "-c", "public"))), 17 * 60)

    def test_events(self):
        agent = self.agent(interfaces=3)
        uptime = lambda: int(ask("snmpget", agent.address(), SYS_UPTIME)[SYS_UPTIME])
        read = lambda n=1: int(ask("snmpget", agent.address(), f"{HC_IN}.{n}")[f"{HC_IN}.{n}"])
        self.assertGreaterEqual(uptime(), 360_000)
        zero, _ = agent.tell("0 discontinuity")
        self.assertLessEqual(zero, agent.read_at(0, "ifHCInOctets", 1, read(), zero_ms=zero))
        self.assertGreaterEqual(int(ask("snmpget", agent.address(), f"{snmp.DISCONTINUITY}.1")[f"{snmp.DISCONTINUITY}.1"]), 360_000)
        zero, _ = agent.tell("0 restart")
        self.assertLess(uptime(), 6000)
        zero, _ = agent.tell(f"0 counters={2**64 - 1}")
        self.assertLess(read(), 1 << 63, "over its 64 bits")
        agent.tell("0 renumber")
        self.assertEqual([*ask("snmpbulkwalk", agent.address(), IF_NAME).values()], ['"xe-0/0/1"', '"xe-0/0/2"', '"xe-0/0/0"'])
        agent.read_at(0, "ifHCInOctets", 2, read(1), zero, 2**64 - 1)

    def test_lies(self):
        """What a client of good faith says of them. That each is there byte by byte, the program's own tests check."""
        agent = self.agent(devices=2)
        get = lambda: ask("snmpget", agent.address(1), f"{IF_NAME}.1", fails=True, seconds=0.3).strip()
        walk = lambda: ask("snmpbulkwalk", agent.address(1), IF_NAME, fails=True, seconds=0.3).strip()
        honest = f'.{IF_NAME}.1 "xe-0/0/0"'
        for lie, asked, said in [
                ("walk=stuck", walk, "OID not increasing"), ("walk=loop", walk, "OID not increasing"),
                ("silent=1", get, "Timeout"), ("loss=1000", get, "Timeout"), ("cut=1", get, "Timeout"),
                ("wrong=id", get, "Timeout"), ("wrong=kind", get, "Protocol error"), ("too_big=3", walk, "tooBig"),
                ("answer=missing", get, "No Such Object"), ("answer=empty", get, ""), ("answer=error", get, "genError"),
                ("names=empty", get, f'.{IF_NAME}.1 ""'), ("names=same", get, f'.{IF_NAME}.1 "xe-0/0/1"'),
                ("delay=50 duplicates=2", get, honest)]:
            with self.subTest(lie):
                agent.tell(f"1 {lie}")
                heard = asked()
                agent.tell("1 honest")
                self.assertIn(said, heard)
                self.assertEqual("xe-0" in heard, "xe-0" in said or asked is walk and "walk" in lie)
                self.assertEqual(ask("snmpget", agent.address(1), f"{IF_NAME}.1"), {f"{IF_NAME}.1": '"xe-0/0/0"'})
        begin = time.monotonic()
        agent.tell("1 delay=200 hear=10")
        get()
        self.assertEqual([(kind, names) for _, kind, names in agent.heard(1)], [("g", 1)])
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)
        self.assertEqual(agent.stats("0")["received"], 0)
        with self.assertRaises(ValueError):
            agent.tell("2 restart")


@unittest.skipUnless(Snmpd.program, "there is no snmpd (./dev setup installs it)")
class Debian(unittest.TestCase):
    def test_versions_counters_and_aliases(self):
        with Snmpd() as agent:
            for options in (["-v1", "-c", "public"], ["-v2c", "-c", "public"], Snmpd.user):
                self.assertLess(int(ask("snmpget", agent.address(), SYS_UPTIME, options=options)[SYS_UPTIME]), 60_000)
            self.assertIn("imeout", ask("snmpget", agent.address(), SYS_UPTIME, options=["-v2c", "-c", "wrong"], fails=True, seconds=0.3))
            index = agent.indexes()["lo"]
            oid = f"{COUNTERS['ifHCOutOctets'][0]}.{index}"
            read = lambda: int(ask("snmpget", agent.address(), oid, options=Snmpd.user)[oid])
            agent.counters(rate=1000)
            per_ms, begin = index + 1, now_ms()
            value = read()
            self.assertEqual(value % per_ms, 0)
            self.assertTrue(begin <= agent.zero + value // per_ms <= now_ms())
            agent.counters(base=2**64 - 1, zero=now_ms() - 1000)
            self.assertLess(read(), 1 << 40, "over its 64 bits")
            self.assertEqual(len(ask("snmpbulkwalk", agent.address(), HC_IN)), len(agent.indexes()))
            ask("snmpset", agent.address(), f"{IF_ALIAS}.{index}", "s", "to the lab", options=["-v2c", "-c", "private"])
            self.assertEqual(ask("snmpget", agent.address(), f"{IF_ALIAS}.{index}")[f"{IF_ALIAS}.{index}"], '"to the lab"')
            agent.pause()
            self.assertFalse(snmp.is_up(agent.port))
            agent.resume()
            agent.await_answers("public")


@unittest.skipUnless(os.path.exists(Snmpsim.python), "snmpsim runs on Debian's own Python")
class Simulator(unittest.TestCase):
    def test_late_and_wrong(self):
        with Snmpsim({"slow": [f"{SYS_NAME}|4:delay|value=late,wait=300", f"{SYS_LOCATION}|2:error|op=get,status=toobig,value=1"]}) as agent:
            begin = time.monotonic()
            self.assertEqual(ask("snmpget", agent.address(), SYS_NAME, options=["-v2c", "-c", "slow"]), {SYS_NAME: '"late"'})
            self.assertGreaterEqual(time.monotonic() - begin, 0.3)
            self.assertIn("tooBig", ask("snmpget", agent.address(), SYS_LOCATION, options=["-v2c", "-c", "slow"], fails=True))
