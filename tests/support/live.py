# SPDX-License-Identifier: Apache-2.0
"""Real servers for the cluster's tests: a Cassandra, of the test's own unless one is offered, and the `x_live` programs that run against it."""

import os
import re
import signal
import subprocess
import unittest

from .cluster import cassandra_directory, die_with_parent, own_or_offered
from .server import BINARY



def without_cluster():
    """Was the program built without the cluster parts? Only then a test may be skipped."""
    cache = os.path.join(os.path.dirname(BINARY), "CMakeCache.txt")
    with open(cache) as f:
        return re.search(r"^VARVE_CLUSTER:BOOL=(OFF|0|NO|FALSE)$", f.read(), re.M | re.I) is not None


class CassandraCase(unittest.TestCase):
    """One cluster for all tests of the class."""

    nodes, secure, restarts = 1, False, True

    @classmethod
    def setUpClass(cls):
        if without_cluster():
            raise unittest.SkipTest("built with VARVE_CLUSTER=OFF")
        cls.cluster = own_or_offered(cassandra_directory(), cls.nodes, secure=cls.secure, restarts=cls.restarts)
        cls.addClassCleanup(cls.cluster.close)
        cls.cluster.start()

    def run_live(self, program, *arguments):
        """Runs bin/PROGRAM, a gtest program, and does to the nodes what it asks for. Its failures are ours."""
        path = os.path.join(os.path.dirname(BINARY), "bin", program)
        process = subprocess.Popen([path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", preexec_fn=die_with_parent,
                                   env={**os.environ, "VARVE_CASSANDRA": self.cluster.contact_points,
                                        "VARVE_CASSANDRA_CA": str(self.cluster.nodes[0].certificate) if self.secure else ""})
        output = []
        with process:
            for line in process.stdout:
                output.append(line)
                if asked := re.match(r"control: (\w+) (\d)$", line):
                    self.control(asked[1], self.cluster.nodes[int(asked[2]) - 1])
                    process.stdin.write("done\n")
                    process.stdin.flush()
        text = "".join(output)
        self.assertEqual(process.returncode, 0, text)
        self.assertRegex(text, r"\[  PASSED  \] [1-9]\d* tests?\.", "it ran no test")
        for line in output:
            if "[       OK ]" in line or "a second" in line:
                print("   ", line.rstrip())

    def control(self, what, node):
        {"kill": lambda: node.end(signal.SIGKILL), "start": node.start, "pause": node.pause, "resume": node.resume}[what]()
