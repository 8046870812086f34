# SPDX-License-Identifier: Apache-2.0
"""Nothing comes for an hour of the program's clock, which goes sixty times faster here: then every connection, every follower
and every device goes on, and what was given time to end has ended in order. What is freed when nobody uses it for a while is
used again by all of them: under a sanitizer (./dev test --asan --programs) this finds whoever kept a pointer to it."""

import json
import os
import re
import socket
import ssl
import subprocess
import types
import unittest

from support import certificates
from support.client import Kept, Telnet, http_request, wait_until
from support.cluster import die_with_parent
from support.logs import Logs
from support.polled import Polled
from support.preload import FastClock
from support.pushers import PUSHERS
from support.senders import ACKNOWLEDGED, SENDERS
from support.server import BINARY, Server, free_port
from support.snmp import COUNTERS, Agent
from support.tail import Tail

HOUR = 3600
HTTP_SENDERS = {name: send for name, send in SENDERS.items() if name != "telnet"}
HTTP_PUSHERS = {name: push for name, push in PUSHERS.items() if name != "syslog"}
POLLED = {"frequency": "10s", "correlator": "ifName", "objects": [
    {"name": "ifHCInOctets", "oid": COUNTERS["ifHCInOctets"][0], "type": "Counter64"}]}
DEVICES = "/api/v1/snmp/"


class Syslog:
    """A connection of a sender, over TCP, TLS or UDP."""

    def __init__(self, way, port, authority):
        if way == "udp":
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.connect(("127.0.0.1", port))
        else:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        if way == "tls":
            context = ssl.create_default_context(cafile=authority)
            self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")

    def send(self, app, text):
        self.socket.sendall(f"<13>1 - h {app} - - - {text}\n".encode())

    def close(self):
        self.socket.close()


class AnHour(unittest.TestCase):
    """One hour for three servers: `patient` keeps idle connections, `plain` closes them, `silent` has one device, which does not
    answer, and nobody else to talk to."""

    @classmethod
    def setUpClass(cls):
        cls.clock = FastClock()
        cls.addClassCleanup(cls.clock.close)
        cls.patient, cls.plain, cls.silent = cls.start_patient(), cls.start({"telnet.idle_timeout": "30m"}), cls.start({}, True)
        cls.open_connections()
        cls.say(1)
        cls.let_the_hour_pass()

    @classmethod
    def start(cls, config, polls=False):
        server = Server(config, env=cls.clock.env)
        cls.addClassCleanup(server.close)
        if polls:
            server.config["snmp.credentials"] = Polled.credentials(server.root)
        return server.start()

    @classmethod
    def start_patient(cls):
        server = Server(env=cls.clock.env)
        cls.addClassCleanup(server.close)
        cls.authority, _ = certificates.make(server.root, "ca")
        certificate, key = certificates.make(server.root, "server", "ca")
        cls.syslog_ports = {way: free_port() for way in ("udp", "tcp", "tls")}
        # An answer has its time by the fast clock, too: this is a third of a second.
        server.config = {"snmp.timeout": "20s", "http.idle_timeout": "2h", "telnet.idle_timeout": "2h", "syslog.tenant": "syslog",
                         **{f"syslog.{way}": f"127.0.0.1:{port}" for way, port in cls.syslog_ports.items()},
                         "syslog.certificate": certificate, "syslog.key": key, "snmp.credentials": Polled.credentials(server.root)}
        return server.start()

    @classmethod
    def kept(cls, connection):
        cls.addClassCleanup(connection.close)
        return connection

    @classmethod
    def open_connections(cls):
        server = cls.patient
        cls.http = {name: cls.kept(Kept(server.port)) for name in [*HTTP_SENDERS, *HTTP_PUSHERS, "question"]}
        cls.telnet = cls.kept(Telnet(server.telnet_port))
        cls.syslog = {way: cls.kept(Syslog(way, port, cls.authority)) for way, port in cls.syslog_ports.items()}
        cls.tail = cls.kept(Tail(server.port, "tailed", '{job="x"}'))
        cls.follower = subprocess.Popen([BINARY, "logs", f"--url=http://127.0.0.1:{server.port}", "--tenant=followed", "-f"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent,
                                        env={**os.environ, **cls.clock.env})
        for cleanup in (cls.follower.stderr.close, cls.follower.stdout.close, cls.follower.wait, cls.follower.kill):
            cls.addClassCleanup(cleanup)
        cls.plain_http, cls.plain_telnet = cls.kept(Kept(cls.plain.port)), cls.kept(Telnet(cls.plain.telnet_port))
        assert http_request(cls.plain_http, "GET", "/api/v1/version").status == 200
        cls.agent = Agent()
        cls.addClassCleanup(cls.agent.close)
        cls.agent.start()
        wait_until(lambda: server.metric("varve_followers") == 1 and server.metric("varve_loki_tails") == 1, 20, "they follow")
        polled = json.dumps({"oidsets": {"Polled": POLLED}, "devices": {"d0": {"address": cls.agent.address(0), "oidsets": ["Polled"]}}})
        mute = json.dumps({"name": "mute", "address": f"127.0.0.1:{free_port()}"})
        for of, path, body, good in [(server, f"/t/polled{DEVICES}import", polled, 200), (cls.silent, f"{DEVICES}devices", mute, 201)]:
            answer = of.post(path, body)
            assert answer.status == good, answer

    @classmethod
    def say(cls, number):
        """Over every connection: sample and message `number`."""
        now_ms = cls.clock.now_ms()
        by = {name: types.SimpleNamespace(port=connection) for name, connection in cls.http.items()}
        for name, send in HTTP_SENDERS.items():
            assert send(by[name], name, [("idle", {"host": "h"}, now_ms, number)]) == ACKNOWLEDGED, name
        for name, push in HTTP_PUSHERS.items():
            assert push(by[name], name, now_ms * 1000 - number, [number]), name
        cls.telnet.send(f"putm idle {now_ms} {number} host=h\nversion\n")
        assert cls.telnet.read_line().startswith("KairosDB"), "acknowledged"
        for way, connection in cls.syslog.items():
            connection.send(way, number)
        answer = http_request(cls.http["question"], "GET", "/api/v1/version")
        assert answer.status == 200, answer
        for tenant in ("tailed", "followed"):
            Logs(cls.patient, tenant).put({"time": now_ms * 1000, "source": "h", "job": "x", "text": str(number)})

    @classmethod
    def let_the_hour_pass(cls):
        """The one device that answers does so at its beginning and at its end only."""
        cls.clock.go(60)
        cls.clock.let_pass(HOUR // 12)
        cls.agent.pause()
        cls.fell_silent_ms = cls.clock.now_ms()
        cls.clock.let_pass(HOUR * 10 // 12)
        cls.agent.resume()
        cls.clock.let_pass(HOUR // 12)
        cls.clock.go(1)

    def check(self, *servers):
        for server in servers:
            self.assertTrue(server.alive(), "the server ended:\n" + server.log()[-5000:])

    def test_1_connections_go_on(self):
        self.check(self.patient)
        self.say(2)
        for name in [*HTTP_SENDERS, "telnet"]:
            tenant = "default" if name == "telnet" else name
            found = self.patient.values("idle", prefix=f"/t/{tenant}")
            self.assertEqual([value for _, value in found], [1, 2], name)
            self.assertGreater(found[1][0] - found[0][0], HOUR * 1000, name)
        for name in HTTP_PUSHERS:
            self.assertEqual(sorted(Logs(self.patient, name).texts()), ["1", "2"], name)
        wait_until(lambda: len(Logs(self.patient, "syslog").texts()) >= 6, 30, "what no protocol acknowledges")
        rows = Logs(self.patient, "syslog").rows(["ModuleId", "Xmlmessage"])
        self.assertEqual(sorted((row["ModuleId"], row["Xmlmessage"]) for row in rows), [(way, n) for way in ("tcp", "tls", "udp") for n in "12"])

    def test_2_questions_and_followers_go_on(self):
        self.check(self.patient)
        found = http_request(self.http["question"], "POST", "/t/influx/api/v1/datapoints/query",
                             {"start_absolute": 0, "end_absolute": 1 << 53, "metrics": [{"name": "idle"}]})
        self.assertEqual([value for _, value in found.json()["queries"][0]["results"][0]["values"]], [1, 2], "in the order of the tests")
        wait_until(lambda: self.tail.ended or len(self.tail.lines) >= 2, 30, "the tail has both")
        self.assertEqual((self.tail.ended, self.tail.lines), (None, ["1", "2"]))
        self.assertEqual([re.search(r": (\d)\b", self.follower.stdout.readline())[1] for _ in range(2)], ["1", "2"])
        self.assertIsNone(self.follower.poll())

    def test_3_a_device_that_comes_back(self):
        """Nobody else writes to its tenant."""
        self.check(self.patient)

        def values():
            return sorted(self.patient.values("snmp.ifHCInOctets", {"interface": [Agent.name(1)]}, prefix="/t/polled"))
        wait_until(lambda: values()[-1][0] > self.fell_silent_ms + HOUR * 500, 60, "it is polled again")
        for _, value in values():  # the agent's clock is the real one
            self.agent.read_at(0, "ifHCInOctets", 1, value)
        self.assertEqual(values(), sorted(values(), key=lambda sample: sample[1]))
        self.assertGreater(sum(at_ms < self.fell_silent_ms for at_ms, _ in values()), 5)
        ups = [value for _, value in sorted(self.patient.values("snmp.up", prefix="/t/polled"))]
        self.assertEqual((ups[0], ups[-1]), (1, 1))
        self.assertGreater(ups.count(0), 20)

    def test_4_own_metrics_go_on(self):
        for server in (self.patient, self.plain, self.silent):
            self.check(server)
            self.assertGreater(len(server.values("varve_build_info", prefix="/t/varve")), HOUR // 5 // 2)

    def test_5_what_is_idle_for_too_long_is_closed(self):
        self.check(self.plain)
        self.assertTrue(self.plain_http.ended())
        with self.assertRaises(EOFError):
            self.plain_telnet.read_line()
        self.plain.put([{"name": "after", "timestamp": 5, "value": 1, "tags": {"a": "b"}}])
        self.assertEqual(self.plain.values("after"), [(5, 1)])

    def test_6_a_silent_device(self):
        """It is silent for the hour, and the server says so; a start that follows finds all of it, and so does the next."""
        self.check(self.silent)
        values = self.silent.values("snmp.up")
        self.assertGreaterEqual(len(values), 40)
        self.assertEqual({value for _, value in values}, {0})
        self.silent.restart()
        self.assertEqual(self.silent.values("snmp.up")[:len(values)], values)
        self.silent.kill()
        self.silent.start()
        self.assertEqual(self.silent.values("snmp.up")[:len(values)], values)

    def test_7_all_stop_in_order(self):
        self.check(self.patient, self.plain)
        for server in (self.patient, self.plain):
            before = server.values("varve_build_info", prefix="/t/varve")
            server.restart()
            self.assertEqual(server.values("varve_build_info", prefix="/t/varve")[:len(before)], before)
        self.assertEqual(self.patient.values("idle", prefix="/t/influx")[0][1], 1)
