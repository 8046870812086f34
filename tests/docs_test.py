# SPDX-License-Identifier: Apache-2.0
"""Every curl command of the documents does what is written there, as it stands there, apart from the ports. A block ```json
behind a block of commands is the whole answer of the last of them."""

import json
import pathlib
import re
import subprocess
import time

from support.case import OwnServerCase

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
# The books whose commands a reader may paste.
BOOKS = ("start", "protocols", "http", "operate")
# What a command answers that is not a success, as the document says or as its device is not there; by a part of it.
ANSWERS = {'"value":"x"': 400, "killquery/5c0e1f2a3b4d5e6f": 404, "/device/me/": 400}
# Addresses of documents (RFC 5737, RFC 3849) and of this machine: what is pasted reaches nobody else.
ADDRESS = re.compile(r"(?<![\d.])(?!127\.|0\.0\.0\.0|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d./])")
# Questions that show what the document has just put.
SHOWN = {"ceres.md": ["/api/query", "/metadata/"], "opentsdb-query.md": ["/api/query"], "esmond.md": ["/interface/xe-0", "/timeseries/", "/oidset", "/inventory/", "/bulk/"]}


def commands(text):
    """The curl commands of the fenced blocks, each as one piece of shell, with the answer if it is shown whole."""
    for block, answer in re.findall(r"^```\w*\n(.*?)^```\n(?:```json\n(.*?)^```)?", text, re.M | re.S):
        open_command, last = "", None
        for line in block.splitlines():
            if not open_command and not line.startswith("curl "):
                continue
            open_command += ("\n" if open_command else "") + line
            if open_command.count("'") % 2 == 0 and not line.endswith("\\"):
                if last:
                    yield last, None
                last, open_command = open_command, ""
        assert not open_command, open_command
        if last:
            yield last, answer and json.loads(answer)


class Docs(OwnServerCase):
    def run_document(self, path):
        server = self.new_server().start()
        now = int(time.time())
        server.put([{"name": metric, "tags": {"host": host, "dc": "lga"}, "datapoints": [[(now - 60) * 1000, 1]]}
                    for metric in ("cpu", "cpu.user") for host in ("a", "web01")])
        count = 0
        text = path.read_text(encoding="utf-8")
        for command, answer in commands(text):
            with self.subTest(f"{path.name}: {command}"):
                count += 1
                self.assertNotRegex(command, ADDRESS, "192.0.2.0/24 is for documents")
                # Only what the page sets itself, before.
                variables = "".join(re.findall(r"^V=\S+\n", text[:text.index(command)], re.M))
                ports = {"8080": str(server.port), "4242": str(server.telnet_port)}
                shell = variables + re.sub(r"^curl ", "curl -sS -w '\\n%{http_code}' ", command)
                shell = re.sub(r"\b(8080|4242)\b", lambda found: ports[found[0]], shell)
                done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                body, _, status = done.stdout.rpartition("\n")
                wanted = [code for part, code in ANSWERS.items() if part in command]
                self.assertIn(int(status), wanted or (200, 201, 202, 204), done.stdout)
                if answer:
                    self.assertEqual(json.loads(body), answer)
                if any(part in command for part in SHOWN.get(path.name, ())):
                    self.assertNotIn(body.strip(), ("", "[]"), "shows nothing")
                    self.assertNotIn('"interfaces":[]', body, "shows nothing")
        return count

    def test_every_command(self):
        counts = {path.name: self.run_document(path) for path in sorted([*DOCS.glob("*/*.md"), *DOCS.glob("*.md")])
                  if path.parent.name in BOOKS or path.parent == DOCS}
        for name, least in (("ceres.md", 4), ("opentsdb-query.md", 2), ("api.md", 30), ("operations.md", 2), ("queries.md", 50), ("contrail.md", 12), ("esmond.md", 17)):
            self.assertGreaterEqual(counts[name], least, counts)
