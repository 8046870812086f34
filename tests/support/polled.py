# SPDX-License-Identifier: Apache-2.0
"""Devices whose counters are known at every time (support/snmp.py), polled each second; what is stored of them is compared
with what the agent showed, and increases with the model's."""

import json
import os

from .client import wait_until
from .counter_model import Rules, bins, intervals, restarts
from .snmp import COUNTERS, Agent

BASE = "/api/v1/snmp/"
POLLED = {"ifHCInOctets": "Counter64", "ifHCOutOctets": "Counter64", "ifInOctets": "Counter32"}
SETS = {"Fast": {"frequency": "1s", "correlator": "ifName", "objects": [
    {"name": name, "oid": COUNTERS[name][0], "type": kind} for name, kind in POLLED.items()]}}
GAP_MS = 3000
INTERFACES = 4
CONFIG = {"snmp.timeout": "300ms", "snmp.retries": "1", "snmp.backoff_max": "1s"}


class Polled:
    """For test cases."""

    since = 0  # questions begin here, in ms

    def agent(self, devices=1, **more):
        agent = Agent(devices=devices, interfaces=INTERFACES, **more)
        self.addCleanup(agent.close)
        return agent.start()

    def polled(self, agent, devices, more_devices=None):
        """What is imported: devices d0, d1, … of this agent, and others."""
        named = {f"d{n}": {"address": agent.address(n), "oidsets": ["Fast"]} for n in range(devices)}
        return json.dumps({"oidsets": SETS, "devices": named | (more_devices or {})})

    @staticmethod
    def credentials(directory):
        """A file with `default`, which the agent takes, and `core`, of v3."""
        path = os.path.join(directory, "credentials.yaml")
        with open(path, "w") as f:
            f.write("default: {version: 2c, community: public, tenants: \"*\"}\n"
                    "core: {version: 3, user: varve, level: authPriv, auth: SHA, auth_secret: \"0123456789\", priv: AES, priv_secret: \"0123456789\"}\n")
        os.chmod(path, 0o600)
        return path

    def values(self, server, metric, **tags):
        return sorted(server.values("snmp." + metric, tags, start=self.since))

    def samples(self, server, device, name="ifHCInOctets", interface=1):
        return self.values(server, name, device=f"d{device}", interface=Agent.name(interface))

    def wait_samples(self, server, device, count, since_ms=0, seconds=40):
        def enough():
            return sum(ms > since_ms for ms, _ in self.samples(server, device)) >= count
        wait_until(enough, seconds, f"{count} samples of d{device}")

    def state(self, server, device):
        return server.get(f"{BASE}devices/d{device}").json()

    def check_samples(self, server, agent, device, events=()):
        """`events`: (time, zero, base), from which time on the counters were as that says."""
        count = 0
        for name in POLLED:
            for interface in range(1, INTERFACES + 1):
                for ms, value in self.samples(server, device, name, interface):
                    count += 1
                    shown = [(None, 0), *[(zero, base) for at, zero, base in events if at - 5000 <= ms]]
                    # Of 64 bits the value tells when it was shown; 32 bits are compared with all moments it may have been.
                    self.assertTrue(any(self.was_shown(agent, device, name, interface, ms, value, *one) for one in shown), (device, name, interface, ms, value))
        return count

    @staticmethod
    def was_shown(agent, device, name, interface, ms, value, zero, base):
        value %= 1 << COUNTERS[name][2]
        if COUNTERS[name][2] == 32:
            return any(agent.counter(device, name, interface, at, zero, base) == value for at in range(ms, ms - 5000, -1))
        try:
            return ms - 5000 <= agent.read_at(device, name, interface, value, zero, base) <= ms
        except ValueError:
            return False

    def check_increases(self, server, device, width=1000):
        """What any query says of them is what the model says of the samples that are stored. Nothing is counted twice."""
        uptimes = self.values(server, "sysUpTime", device=f"d{device}")
        total = 0
        for name, kind in POLLED.items():
            bits = 32 if kind == "Counter32" else 64
            for interface in range(1, INTERFACES + 1):
                rules = Rules(gap_ms=GAP_MS, bits=bits, breaks=tuple(restarts(uptimes)))
                samples = self.samples(server, device, name, interface)  # and others come behind these meanwhile
                known = bins(intervals(samples, rules), width)
                asked = {"name": "increase", "sampling": {"value": width, "unit": "milliseconds"}, "align_sampling": True,
                         "max_gap": {"value": GAP_MS, "unit": "milliseconds"}, **({"bits": 32} if bits == 32 else {})}
                found = server.query([{"name": "snmp." + name, "tags": {"device": [f"d{device}"], "interface": [Agent.name(interface)]},
                                       "aggregators": [asked]}], self.since, samples[-1][0])[0]["results"][0]["values"]
                self.assertEqual([tuple(one) for one in found], [(at, increase) for at, (increase, _) in sorted(known.items())], (device, name, interface))
                total += len(known)
        return total
