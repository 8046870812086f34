# SPDX-License-Identifier: Apache-2.0
"""More data than a test writes by hand: varve-load sends each data set by each protocol, counts everything and compares
whole hosts sample by sample; then again after settling and a restart."""

import os
import subprocess
import unittest

from support.case import OwnServerCase
from support.server import BINARY

LOAD = os.path.join(os.path.dirname(BINARY), "bin", "varve-load")
SETS = [("influx", "int"), ("influx", "decimal"), ("influx", "real"), ("influx", "mix"), ("remote_write", "mix"),
        ("remote_write", "real"), ("kairosdb", "decimal"), ("opentsdb", "mix"), ("telnet", "decimal")]


class Volume(OwnServerCase):
    def load(self, server, protocol, *flags):
        port = server.telnet_port if protocol == "telnet" else server.port
        done = subprocess.run([LOAD, f"--url=127.0.0.1:{port}", f"--protocol={protocol}", *flags], capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def verify_again(self, server, flags):
        """The same lines once more change nothing, and everything is there."""
        self.load(server, "influx", *flags, "--verify=2")

    @unittest.skipUnless(os.access(LOAD, os.X_OK), f"{LOAD} is not built")
    def test_every_protocol_and_data_set(self):
        for protocol, kind in SETS:
            with self.subTest(f"{protocol} {kind}"):
                server = self.new_server().start()
                flags = [f"--data={kind}", "--hosts=50", "--steps=400", "--lines=500", "--connections=3"]
                self.load(server, protocol, *flags, *([] if protocol == "telnet" else ["--verify=3"]))
                server.settle()
                server.restart()
                self.verify_again(server, flags)
                server.close()

    @unittest.skipUnless(os.access(LOAD, os.X_OK), f"{LOAD} is not built")
    def test_many_series_survive_kill(self):
        server = self.new_server().start()
        flags = ["--data=new-series", "--hosts=20000", "--steps=2"]
        self.load(server, "influx", *flags)
        server.kill()
        server.start()
        self.verify_again(server, flags)
        self.assertGreaterEqual(server.metric("varve_series"), 200_000)

    @unittest.skipUnless(os.access(LOAD, os.X_OK), f"{LOAD} is not built")
    def test_one_line_requests_of_many_connections(self):
        server = self.new_server().start()
        self.load(server, "influx", "--hosts=100", "--steps=50", "--lines=1", "--connections=50", "--verify=3")


if __name__ == "__main__":
    unittest.main()
