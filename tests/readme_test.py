# SPDX-License-Identifier: Apache-2.0
"""What the README tells a newcomer to paste works as it stands there, apart from the ports."""

import os
import re
import subprocess
import unittest

from support.case import OwnServerCase
from support.server import BINARY

README = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "README.md")


def blocks():
    """The shell blocks that talk to a running server."""
    with open(README, encoding="utf-8") as f:
        text = f.read()
    found = re.findall(r"^```(?:sh|bash|console|shell)?\n(.*?)^```", text, re.M | re.S)
    return [b for b in found if "8080" in b or "4242" in b]


class Readme(OwnServerCase):
    def test_paste_commands(self):
        pasted = blocks()
        self.assertTrue(pasted, "the README has something to paste")
        server = self.new_server().start()
        output = ""
        for block in pasted:
            block = re.sub(r"^\$ ", "", block, flags=re.M)
            block = block.replace("8080", str(server.port)).replace("4242", str(server.telnet_port))
            block = re.sub(r"\bcurl ", "curl -fS ", block).replace("build/varve ", BINARY + " ")
            with self.subTest(block):
                done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", block], capture_output=True, text=True,
                                      timeout=60, cwd=os.path.dirname(README), check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                output += done.stdout
        self.assertTrue(server.metric_names(), "something was put")
        self.assertRegex(output, r'"values":\s*\[\s*\[', "and a query gave it back")
        self.assertEqual(output.count("payment timeout after 30s"), 2, "a query and varve logs showed the message")

    def test_the_two_commands_are_there(self):
        with open(README, encoding="utf-8") as f:
            text = f.read()
        for command in ("./dev serve", "./dev test"):
            self.assertIn(command, text)


if __name__ == "__main__":
    unittest.main()
