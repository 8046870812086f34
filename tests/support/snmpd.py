# SPDX-License-Identifier: Apache-2.0
"""Net-SNMP's agent on a free port of loopback: v1, v2c and v3, with counters that are a function of time."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap

from .client import wait_until
from .cluster import die_with_parent

AUTH, PRIV = "a secret to sign", "a secret to hide"
IN, OUT = "1.3.6.1.2.1.31.1.1.1.6", "1.3.6.1.2.1.31.1.1.1.10"
COUNTERS = """
    import sys, time
    base = "{oid}"
    rows = {rows}
    def value(row):
        return (rows[row][0] + int(rows[row][1] * (time.time() - {began}))) % 2**64
    def answer(row):
        print(f".{{base}}.{{row}}", "counter64", value(row), sep="\\n", flush=True)
    while True:
        word = sys.stdin.readline().strip()
        if word == "":
            break
        if word == "PING":
            print("PONG", flush=True)
            continue
        asked = sys.stdin.readline().strip().lstrip(".")
        tail = [int(n) for n in asked[len(base):].strip(".").split(".") if n]
        if word == "get":
            row = tail[0] if len(tail) == 1 else None
            answer(row) if row in rows else print("NONE", flush=True)
        else:
            after = [row for row in sorted(rows) if not tail or [row] > tail]
            answer(after[0]) if after else print("NONE", flush=True)
"""


def free_udp_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Snmpd:
    """`counters`: {oid: {row: (first, per second)}}, counted from `began`; they stand where IF-MIB has its own."""

    def __init__(self, counters=None, began=0):
        self.root = tempfile.mkdtemp(prefix="varve-snmpd-")
        self.port = free_udp_port()
        lines = [f"agentaddress udp:127.0.0.1:{self.port}", "rocommunity public", "rwcommunity private",
                 f'createUser varve SHA "{AUTH}" AES "{PRIV}"', "rouser varve authpriv"]
        for number, (oid, rows) in enumerate((counters or {}).items()):
            script = os.path.join(self.root, f"counters{number}.py")
            with open(script, "w") as f:
                f.write(textwrap.dedent(COUNTERS).format(oid=oid, rows=repr(rows), began=began))
            lines.append(f"pass_persist -p 1 .{oid} {sys.executable} {script}")
        with open(os.path.join(self.root, "snmpd.conf"), "w") as f:
            f.write("\n".join(lines) + "\n")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ["/usr/sbin/snmpd", "-C", "-c", "snmpd.conf", "-f", "-Lf", "log", "-I", "-smux"], cwd=self.root,
            env={**os.environ, "SNMP_PERSISTENT_DIR": os.path.join(self.root, "state"), "MIBS": ""}, preexec_fn=die_with_parent)
        wait_until(self.answers, 20, "snmpd answers")
        return self

    def answers(self):
        """Asked for sysUpTime in v2c, by hand."""
        if self.process.poll() is not None:
            raise RuntimeError(open(os.path.join(self.root, "log")).read())
        request = bytes.fromhex("302602010104067075626c6963a019020101020100020100300e300c06082b060102010103000500")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(0.5)
            s.sendto(request, ("127.0.0.1", self.port))
            try:
                return bool(s.recv(2000))
            except OSError:
                return False

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    def close(self):
        self.stop()
        shutil.rmtree(self.root, ignore_errors=True)
