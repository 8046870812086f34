# SPDX-License-Identifier: Apache-2.0
"""The poller, while agents lie, stop, begin anew or are dead, and while varve is killed or its disk is full: every sample that is
stored is one that the agent showed, under the name it showed it for; what was acknowledged stays; and what the counters grew by is
what the model says of the stored samples. The agent is our own, whose counters are known at every time (support/snmp.py)."""

import json
import os
import random
import subprocess
import time

from support import effort
from support.case import OwnServerCase
from support.client import wait_until
from support.cluster import die_with_parent
from support.polled import BASE, CONFIG, GAP_MS, Polled
from support.server import BINARY, free_port
from support.small_disk import mount_small


class SnmpFaults(Polled, OwnServerCase):
    def serve(self, agent, devices=1, path=None, more_devices=None, **config):
        server = self.new_server({**CONFIG, **config}, path=path)
        server.config["snmp.credentials"] = self.credentials(server.root)
        server.start()
        answer = server.post(BASE + "import", self.polled(agent, devices, more_devices))
        self.assertEqual(answer.status, 200, answer)
        return server

    def test_lies(self):
        """Every lie at once, each of a device of its own, beside one that is honest."""
        lies = {"": "", "renumber_every=300": "", "delay=50 duplicates=2": "", "loss=200": "", "walk=stuck": "increas", "walk=loop": "increas",
                "walk=endless": ".", "wrong=id": ".", "wrong=version": ".", "wrong=community": ".", "wrong=kind": ".", "cut=40": ".", "too_big=3": "",
                "answer=missing": "", "answer=empty": ".", "answer=error": ".", "types=text": "", "names=empty": "", "names=same": "",
                "names=bytes": "", "names=huge": "", "silent=1": "."}
        agent = self.agent(len(lies))
        server = self.serve(agent, len(lies))
        for device in range(len(lies)):
            self.wait_samples(server, device, 2)
        began = {n: agent.tell(f"{n} {lie}")[0] for n, lie in enumerate(lies) if lie}
        for device, (lie, error) in enumerate(lies.items()):
            if error:
                told = wait_until(lambda d=device: self.state(server, d)["last_error"], 30, f"the error of {lie} is named")
                self.assertRegex(told, error, lie)
        self.wait_samples(server, 0, 5, max(began.values()))
        honest, _ = agent.tell("* honest")
        for device in range(len(lies)):
            self.wait_samples(server, device, 3, honest + 1000)
            with self.subTest(list(lies)[device]):
                self.assertGreater(self.check_samples(server, agent, device), 20)
                self.check_increases(server, device)
        self.assertTrue(server.alive())

    def test_stopped_restarted_discontinued_and_wrapped(self):
        agent = self.agent(4)
        server = self.serve(agent, 4)
        for device in range(4):
            self.wait_samples(server, device, 3)
        agent.pause()
        wait_until(lambda: all(self.state(server, d)["state"] == "down" for d in range(4)), 30, "all are down")
        time.sleep(3)
        agent.resume()
        back = int(time.time() * 1000)
        for device in range(4):
            self.wait_samples(server, device, 3, back)
        events = {0: []}
        for device, command, base in ((1, "restart", 0), (2, "discontinuity", 0), (3, f"counters={2**32 - 3000}", 2**32 - 3000)):
            at, _ = agent.tell(f"{device} {command}")
            events[device] = [(at, at, base)]
        for device in range(4):
            self.wait_samples(server, device, 4, max(event[0][0] for event in events.values() if event))
            self.check_samples(server, agent, device, events[device])
            times = [ms for ms, _ in self.samples(server, device)]
            self.assertTrue(any(later - earlier > GAP_MS for earlier, later in zip(times, times[1:])), "an outage is unknown")
            self.assertTrue(any(value == 0 for _, value in self.values(server, "up", device=f"d{device}")))
            if device != 2:  # the model of this test knows no discontinuities
                self.assertGreater(self.check_increases(server, device), 20)

    def test_what_nobody_can_know_is_counted(self):
        def unknown():
            return self.state(server, 0)["unknown_increases"]
        def tell(command, **counts):
            """These become so many more, and 12 is all counters of the device."""
            before = unknown()
            agent.tell("0 " + command)
            wait_until(lambda: all(unknown()[why] - before[why] == more for why, more in counts.items()), 20, (command, before, unknown()))
            self.wait_samples(server, 0, 2, int(time.time() * 1000))
        agent = self.agent(1)
        agent.tell("0 speed=1000")
        server = self.serve(agent)
        changed = {"oidsets": {"IfRefPoll": {"frequency": "1s"}}, "devices": {"d0": {"oidsets": ["Fast", "IfRefPoll"]}}}
        self.assertEqual(server.post(BASE + "import", json.dumps(changed)).status, 200)
        interfaces = "/esmond/v1/device/d0/interface/?limit=0"
        wait_until(lambda: (a := server.get(interfaces)).status == 200 and len(a.json()["children"]) == 4, 20, "the speeds are known")
        self.wait_samples(server, 0, 2)
        tell("counters=1000000")
        tell("counters=0", speed=4)  # ifInOctets; at 1 Gbit/s 32 bits are not used up in a second
        self.assertGreaterEqual(unknown()["fell"], 8)
        tell("restart", restart=12)
        tell("discontinuity", discontinuity=12)
        agent.pause()
        wait_until(lambda: self.state(server, 0)["state"] == "down", 30, "it is down")
        time.sleep(3)
        before = unknown()["gap"]
        agent.resume()
        wait_until(lambda: unknown()["gap"] == before + 12, 20, "an outage is unknown")
        told = subprocess.run([BINARY, "device", "show", "d0", "--server", f"http://127.0.0.1:{server.port}"], capture_output=True, text=True,
                              timeout=60, check=True, preexec_fn=die_with_parent).stdout
        shown = unknown()
        self.assertIn("unknown_increases: " + ", ".join(f"{why}={count}" for why, count in shown.items()) + "\n", told)
        for why, count in shown.items():
            self.assertEqual(server.metric("varve_snmp_unknown_increases_total", reason=why), count, why)

    def test_killed_at_any_moment(self):
        chance = random.Random(effort.seed())
        agent = self.agent(3)
        server = self.serve(agent, 3)
        seen = {device: [] for device in range(3)}
        for _ in range(20 if effort.LONG else 6):
            for device, before in seen.items():
                self.wait_samples(server, device, len(before) + 1)
            time.sleep(chance.uniform(0, 1.2))
            seen = {device: self.samples(server, device) for device in seen}
            server.kill()
            server.start()
            for device, before in seen.items():
                self.assertEqual(self.samples(server, device)[:len(before)], before, "what was acknowledged is there")
        for device in seen:
            self.check_samples(server, agent, device)
            self.assertGreater(self.check_increases(server, device), 10)

    def test_a_full_disk(self):
        mount = mount_small(self, "48m")
        agent = self.agent(3)
        server = self.serve(agent, 3, path=os.path.join(mount, "data"))
        for device in range(3):
            self.wait_samples(server, device, 2)
        ballast = os.path.join(mount, "ballast")
        with open(ballast, "wb", buffering=0) as f:
            try:
                while True:
                    f.write(bytes(4096))
            except OSError:
                pass
        wait_until(lambda: server.metric("varve_snmp_buffer_bytes") > 2000, 60, "rows wait in memory")
        time.sleep(4)
        os.unlink(ballast)
        wait_until(lambda: server.metric("varve_snmp_buffer_bytes") == 0, 60, "they are stored")
        free = int(time.time() * 1000)
        self.assertEqual(server.metric("varve_snmp_samples_dropped_total"), 0)
        polls = server.metric("varve_snmp_polls_total", result="ok")
        for device in range(3):
            self.wait_samples(server, device, 2, free)
            self.check_samples(server, agent, device)
            self.check_increases(server, device)
        # Each poll that ended well brought each of its objects.
        self.assertGreaterEqual(sum(len(self.samples(server, device)) for device in range(3)), polls)

    def test_one_is_dead_among_a_hundred(self):
        agent = self.agent(100)
        dead = {"v3": {"address": f"127.0.0.1:{free_port()}", "credential": "core", "oidsets": ["Fast"]}}
        server = self.serve(agent, 100, more_devices=dead)
        for device in (0, 50, 99):
            self.wait_samples(server, device, 2)
        silent, _ = agent.tell("7 silent=1")
        wait_until(lambda: self.state(server, 7)["state"] == "down", 30, "it is down")
        self.assertEqual(server.get(f"{BASE}devices/v3").json()["state"], "down")
        for device in (0, 6, 8, 99):
            self.wait_samples(server, device, 4, silent)
            times = [ms for ms, _ in self.samples(server, device)]
            self.check_samples(server, agent, device)
            self.assertLess(times[-1] - times[-2], GAP_MS)
        # Whoever else takes the processor makes polls late, too: the bound of 100 ms is measured by ./dev bench --snmp.
        self.assertGreaterEqual(server.metric("varve_snmp_lateness_seconds_bucket", le="1"), 0.9 * server.metric("varve_snmp_lateness_seconds_count"))
