# SPDX-License-Identifier: Apache-2.0
"""Net-SNMP's agent on a free port of loopback: v1, v2c and v3, with counters that are a function of time."""

import os
import sys
import textwrap

from .server import free_port
from .snmp import Process

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


class Snmpd(Process):
    """`counters`: {oid: {row: (first, per second)}}, counted from `began`; they stand where IF-MIB has its own. `traps`: the port of
    loopback that it tells of its start, by v2c and by v3; with `informs` by an inform of v3."""

    def __init__(self, counters=None, began=0, traps=None, informs=False):
        super().__init__()
        self.port = free_port()
        lines = [f"agentaddress udp:127.0.0.1:{self.port}", "rocommunity public", "rwcommunity private",
                 f'createUser varve SHA "{AUTH}" AES "{PRIV}"', "rouser varve authpriv"]
        if informs:
            lines.append(f'trapsess -Ci -v 3 -u varve -l authPriv -a SHA -A "{AUTH}" -x AES -X "{PRIV}" 127.0.0.1:{traps}')
        elif traps:
            lines += [f"trap2sink 127.0.0.1:{traps} public",
                      f'trapsess -v 3 -u varve -l authPriv -a SHA -A "{AUTH}" -x AES -X "{PRIV}" 127.0.0.1:{traps}']
        for number, (oid, rows) in enumerate((counters or {}).items()):
            script = os.path.join(self.root, f"counters{number}.py")
            with open(script, "w") as f:
                f.write(textwrap.dedent(COUNTERS).format(oid=oid, rows=repr(rows), began=began))
            lines.append(f"pass_persist -p 1 .{oid} {sys.executable} {script}")
        with open(os.path.join(self.root, "snmpd.conf"), "w") as f:
            f.write("\n".join(lines) + "\n")

    def start(self):
        self.spawn(["/usr/sbin/snmpd", "-C", "-c", "snmpd.conf", "-f", "-Le", "-I", "-smux"],
                   {"SNMP_PERSISTENT_DIR": os.path.join(self.root, "state"), "MIBS": ""}, cwd=self.root)
        self.await_answers("public")
        return self

    def restart(self):
        self.kill()
        return self.start()
