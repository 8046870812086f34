# SPDX-License-Identifier: Apache-2.0
"""docs/operate/backup.md: a copy of a stopped server, and an atomic snapshot of one that writes, have samples and log messages
alike; what was restored goes on."""

import os
import shutil
import signal
import unittest

from support.case import T0, OwnServerCase
from support.interrupted import Progress, Writer
from support.logs import SECOND, Logs, now_us, term
from support.pushers import PUSHERS
from support.server import free_port

T = now_us() // SECOND * SECOND - 3 * 3600 * SECOND


class Backup(OwnServerCase):
    def copy(self, server, name):
        to = os.path.join(server.root, name)
        shutil.copytree(server.path, to)
        return to

    def on_copy(self, path):
        """As the page says that a backup is tested."""
        return self.new_server({"slots.own": "none"}, path=path).start()

    def put(self, server, name):
        server.influx(f"backup,part={name} value=1i {T0}\n")
        Logs(server).put({"time": T, "source": name, "text": f"one {name}", "objects": [f"ObjectVNTable:{name}"], "user": {"name": name}},
                         {"source": name, "text": f"now {name}"})

    def check(self, server, names):
        self.assertEqual(len(server.values("backup")), len(names))
        logs = Logs(server)
        self.assertEqual(sorted(logs.texts()), sorted(f"{when} {name}" for name in names for when in ("one", "now")))
        for name in names:
            self.assertEqual(logs.texts(where=[[term("user.name", name)]]), [f"one {name}"])
        self.assertEqual([row["ObjectId"] for row in logs.rows(["ObjectId"], table="ObjectVNTable")], sorted(names))

    def test_a_copy_of_a_stopped_server_and_its_restore(self):
        server = self.new_server().start()
        self.put(server, "sealed")
        server.settle()
        self.put(server, "hot")
        server.stop()
        backup = self.copy(server, "backup")
        server.start()
        self.put(server, "later")
        server.settle()
        self.check(server, ["hot", "later", "sealed"])

        tried = self.on_copy(shutil.copytree(backup, backup + "-tried"))
        self.check(tried, ["hot", "sealed"])
        tried.settle()
        self.check(tried, ["hot", "sealed"])

        server.stop()
        shutil.rmtree(server.path)
        shutil.copytree(backup, server.path)
        server.start()
        self.check(server, ["hot", "sealed"])
        self.put(server, "after")
        server.settle()
        server.restart()
        self.check(server, ["after", "hot", "sealed"])

    def test_a_snapshot_of_a_server_that_writes(self):
        """The process stands still while its directory is copied: a file system's snapshot of one instant."""
        server = self.new_server({"syslog.tcp": f"127.0.0.1:{free_port()}", "syslog.tenant": "syslog"}).start()
        self.put(server, "sealed")
        server.settle()
        progress, writers = Progress(), {}
        for name, push in PUSHERS.items():
            writers[name] = Writer(name, lambda numbers, name=name, push=push: push(server, name, T, numbers), progress, 50)
            writers[name].start()
        snapshots = []
        for number in range(3):
            self.assertTrue(progress.wait_for(progress.batches + 100))
            server.process.send_signal(signal.SIGSTOP)
            try:
                before = {name: writer.acknowledged for name, writer in writers.items()}
                snapshots.append((before, self.copy(server, f"snapshot{number}")))
            finally:
                server.process.send_signal(signal.SIGCONT)
            server.settle()  # so that the next one has blocks, too
        self.assertTrue(progress.wait_for(progress.batches + 20))
        server.kill()
        for writer in writers.values():
            writer.end(self)
        for before, path in snapshots:
            copy = self.on_copy(path)
            self.check(copy, ["sealed"])
            for name, acknowledged in before.items():
                numbers = [int(text) for text in Logs(copy, name).texts()]
                self.assertEqual(numbers, list(range(len(numbers))), f"{name}: missing, or twice")
                self.assertGreaterEqual(len(numbers), acknowledged, name)
            copy.close()
        self.assertGreater(min(snapshots[-1][0].values()), 0)


if __name__ == "__main__":
    unittest.main()
