# SPDX-License-Identifier: Apache-2.0
"""Jars that several tests need at once are fetched by one Maven at a time: on a new machine all of them begin together."""

import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools", "cassandra")
# Fails if another one is at work, as Maven may where its repository is empty.
MVN = """#!/bin/sh
mkdir "$HOME/busy" || { echo "two at once"; exit 1; }
for out; do :; done
sleep 0.2
touch "${out#-DoutputDirectory=}/$(date +%s%N).jar"
rmdir "$HOME/busy"
"""
ASK = "import sys, cassandra; print(len(list(cassandra.maven(sys.argv[1], '<project/>').glob('*.jar'))))"


class Maven(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = scratch.name
        mvn = os.path.join(self.home, "mvn")
        with open(mvn, "w") as f:
            f.write(MVN)
        os.chmod(mvn, 0o755)

    def start(self, name):
        env = {**os.environ, "HOME": self.home, "XDG_CACHE_HOME": self.home + "/cache", "PATH": f"{self.home}:{os.environ['PATH']}"}
        return subprocess.Popen([sys.executable, "-c", ASK, name], cwd=TOOLS, env=env, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def test_one_at_a_time_and_each_once(self):
        asking = [self.start(name) for name in ("a", "b", "a", "c", "b", "a")]
        self.assertEqual([process.communicate(timeout=60)[0] for process in asking], ["1\n"] * 6)
        self.assertEqual(sorted(os.listdir(self.home + "/cache/varve")), ["a", "b", "c", "maven.lock"])

    def test_what_fails_leaves_nothing(self):
        os.mkdir(self.home + "/busy")
        self.assertIn("two at once", self.start("a").communicate(timeout=60)[0])
        self.assertEqual(os.listdir(self.home + "/cache/varve"), ["maven.lock"])
        os.rmdir(self.home + "/busy")
        self.assertEqual(self.start("a").communicate(timeout=60)[0], "1\n")


if __name__ == "__main__":
    unittest.main()
