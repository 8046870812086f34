# SPDX-License-Identifier: Apache-2.0
"""kill -9 under the load of each way in for log messages: nothing that was acknowledged is lost, no message is there twice."""

import random
import socket
import threading
import unittest

from support import cluster
from support.case import OwnServerCase
from support.client import wait_until
from support.interrupted import Progress, Writer
from support.logs import SECOND, Logs, now_us
from support.pushers import PUSHERS
from support.server import free_port

ROUNDS = 12
BATCH = 50


class MessagesCrash(OwnServerCase):
    def check(self, server, name, writer):
        """All acknowledged are there, once, with their times; beyond them only what was sent. Returns how many."""
        rows = Logs(server, name).rows(["MessageTS", "Xmlmessage"])
        numbers = [int(row["Xmlmessage"]) for row in rows]
        self.assertEqual([row["MessageTS"] - self.base for row in rows], numbers, f"{name}: times and texts mixed up")
        self.assertEqual(len(numbers), len(set(numbers)), f"{name}: doubled")
        lost = sorted(writer.was_acknowledged - set(numbers))
        self.assertEqual(lost[:3], [], f"{name}: {len(lost)} acknowledged messages lost")
        self.assertLess(max(numbers, default=-1), writer.sent, f"{name}: invented")
        if name != "syslog" and not cluster.chosen():  # one request is one record of the log: whole, or not at all
            self.assertEqual(len(numbers) % BATCH, 0, f"{name}: half a request")
        return len(numbers)

    def test_kills(self):
        chance = random.Random(20261124)
        server = self.new_server({"syslog.tcp": f"127.0.0.1:{free_port()}", "syslog.tenant": "syslog"}).start()
        self.base = now_us() // SECOND * SECOND - 3 * 3600 * SECOND
        acknowledged = {name: set() for name in PUSHERS}
        next_ = dict.fromkeys(PUSHERS, 0)
        for number in range(ROUNDS):
            progress = Progress()
            writers = {}
            for name, push in PUSHERS.items():
                send = lambda numbers, name=name, push=push: push(server, name, self.base, numbers)  # noqa: E731
                writers[name] = Writer(name, send, progress, BATCH, next_[name])
                writers[name].start()
            self.assertTrue(progress.wait_for(chance.randrange(10, 300)), "no progress: " + server.log()[-2000:])
            settler = threading.Thread(target=self.quiet_settle, args=(server,), daemon=True)
            if number % 2:  # half of the kills hit blocks being written
                settler.start()
                progress.wait_for(progress.batches + chance.randrange(0, 30))
            server.kill()
            for name, writer in writers.items():
                writer.end(self)
                self.assertGreater(writer.sent, next_[name])
                acknowledged[name] |= set(range(next_[name], writer.acknowledged))
                next_[name], writer.was_acknowledged = writer.sent, acknowledged[name]
            if settler.ident:
                settler.join(30)
            server.start()
            for name, writer in writers.items():
                self.check(server, name, writer)
        server.settle()
        counts = {name: self.check(server, name, writer) for name, writer in writers.items()}
        for name, there in counts.items():
            self.assertGreater(len(acknowledged[name]), ROUNDS, name)
            self.assertGreaterEqual(there, len(acknowledged[name]))
        print(f"    {ROUNDS} kills; acknowledged and there: { {n: (len(acknowledged[n]), c) for n, c in counts.items()} }", flush=True)

    def test_a_killed_server_resets_its_syslog_connections(self):
        """Also those of which it had read everything: the end in order says that all is durable."""
        server = self.new_server({"syslog.tcp": f"127.0.0.1:{free_port()}"}).start()
        with socket.create_connection(("127.0.0.1", int(server.config["syslog.tcp"].rpartition(":")[2])), timeout=30) as s:
            s.sendall(b"<13>1 - h app - - - whole\n")
            wait_until(lambda: server.metric("varve_messages_accepted_total", protocol="syslog") == 1, what="the message")
            server.kill()
            with self.assertRaises(ConnectionResetError):
                s.recv(1)

    @staticmethod
    def quiet_settle(server):
        try:
            server.post("/-/settle", timeout=20)
        except Exception:  # pylint: disable=broad-except
            pass  # the server is killed meanwhile


if __name__ == "__main__":
    unittest.main()
