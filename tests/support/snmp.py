# SPDX-License-Identifier: Apache-2.0
"""SNMP agents for tests: our own (fast, its counters known, and it lies), Debian's snmpd, and snmpsim. Each is a process of its own
on a free port of 127.0.0.1, is started until it answers, and ended by its id."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from . import packages
from .client import wait_until
from .cluster import die_with_parent
from .server import BINARY, free_port

IF_TABLE, IFX_TABLE = "1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.31.1.1.1"
SYS_UPTIME = "1.3.6.1.2.1.1.3.0"
IF_NAME, IF_ALIAS, IF_HIGH_SPEED, DISCONTINUITY = (f"{IFX_TABLE}.{n}" for n in (1, 18, 15, 19))
# Counters of the own agent: name → (oid, column of its formula, bits).
COUNTERS = {name: (f"{IFX_TABLE}.{n}", n, 64) for n, name in enumerate(
    ["ifHCInOctets", "ifHCInUcastPkts", "ifHCInMulticastPkts", "ifHCInBroadcastPkts", "ifHCOutOctets", "ifHCOutUcastPkts",
     "ifHCOutMulticastPkts", "ifHCOutBroadcastPkts"], 6)}
COUNTERS |= {name: (f"{IF_TABLE}.{n}", column, 32) for n, name, column in [
    (10, "ifInOctets", 6), (11, "ifInUcastPkts", 7), (13, "ifInDiscards", 113), (14, "ifInErrors", 114),
    (16, "ifOutOctets", 10), (17, "ifOutUcastPkts", 11), (19, "ifOutDiscards", 119), (20, "ifOutErrors", 120)]}


class Process:
    """What all three have in common."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="varve-snmp-")
        self.port, self.process = 0, None
        self.log_path = os.path.join(self.root, "log")

    def address(self, device=0):
        """127.0.0.1 is device 0. Only the own agent has more."""
        return f"127.{(device + 1) >> 16 & 255}.{(device + 1) >> 8 & 255}.{(device + 1) & 255}:{self.port}"

    def spawn(self, arguments, env=None, **more):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(arguments, **{"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, **more},
                                            preexec_fn=die_with_parent, env={**os.environ, **(env or {})})

    def await_answers(self, community, seconds=60):
        def answers():
            if self.process.poll() is not None:
                raise RuntimeError(f"the agent ended with {self.process.returncode}:\n{self.log()}")
            return is_up(self.port, community)
        wait_until(answers, seconds, "the agent answers")

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        shutil.rmtree(self.root, ignore_errors=True)

    def log(self):
        return pathlib.Path(self.log_path).read_text(errors="replace")[-3000:]

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, *_):
        self.close()


class Agent(Process):
    """varve-snmp-agent. Device n is asked at address(n), or by the community dev-n at any address. Its interface i (from 1) is
    called name(i); what it shows at a time is counter(…), as long as no command changes it."""

    program = os.path.join(os.path.dirname(BINARY), "bin", "varve-snmp-agent")

    def __init__(self, devices=1, interfaces=10, since=None, size=1400, tell=()):
        super().__init__()
        self.devices, self.interfaces, self.size, self.commands = devices, interfaces, size, list(tell)
        self.since = since if since is not None else int(time.time() * 1000) - 3_600_000

    def start(self):
        flags = [f"--listen=0.0.0.0:{self.port}", f"--devices={self.devices}", f"--interfaces={self.interfaces}",
                 f"--since={self.since}", f"--bytes={self.size}", *(f"--tell={command}" for command in self.commands)]
        self.spawn([self.program, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = self.process.stdout.readline()
        if not said.startswith("listening on "):
            raise RuntimeError(f"{self.program}: {said}{self.log()}")
        self.port = int(said.rsplit(":", 1)[1])  # and it keeps it when it is started again
        return self

    def tell(self, command):
        """A command, such as '* loss=100' or '3 restart' (varve-snmp-agent --help). Returns the time from which it holds, in ms,
        and what else it says."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()
        if words[:1] != ["ok"]:
            raise ValueError(f"{command}: {' '.join(words)}")
        return int(words[1]), words[2:]

    def stats(self, scope="*"):
        """Requests received, requests answered, objects sent."""
        return dict(zip(("received", "answered", "objects"), map(int, self.tell(f"{scope} stats")[1])))

    def heard(self, device):
        """The requests since tell(f"{device} hear=N"), N at most: (time in ms, "g" or "n" or "b", how many names)."""
        return [(int(at), kind, int(names)) for at, kind, names in (word.split(":") for word in self.tell(f"{device} heard")[1])]

    def close(self):
        if self.process:
            for pipe in (self.process.stdin, self.process.stdout):
                pipe.close()
        super().close()

    @staticmethod
    def name(interface):
        return f"xe-0/{(interface - 1) // 48}/{(interface - 1) % 48}"

    @staticmethod
    def rate(device, name, interface):
        return 1000 + (device * 7919 + COUNTERS[name][1] * 104729 + interface * 1299709) % 1000003

    def counter(self, device, name, interface, time_ms, zero_ms=None, base=0):
        """What it shows at this time; `zero_ms`, `base`: what tell() said last of its counters."""
        since = self.since if zero_ms is None else zero_ms
        return (base + self.rate(device, name, interface) * max(time_ms - since, 0) // 1000) % (1 << COUNTERS[name][2])

    def read_at(self, device, name, interface, value, zero_ms=None, base=0):
        """The millisecond in which it showed this value (64 bits); a value that it never shows is an error."""
        since, rate = self.since if zero_ms is None else zero_ms, self.rate(device, name, interface)
        grown = (value - base) % (1 << COUNTERS[name][2])
        time_ms = since - (-grown * 1000 // rate)  # rounded up
        if self.counter(device, name, interface, time_ms, zero_ms, base) != value:
            raise ValueError(f"{name} of {device}/{interface} is never {value}")
        return time_ms


class Snmpd(Process):
    """Debian's snmpd: v1 and v2c (public; private may SET), v3 (user varve, SHA and AES). Of the machine's own interfaces, which
    indexes() names, ifHCInOctets and ifHCOutOctets are what snmp_pass.py says: functions of time that counters() sets."""

    program = shutil.which("snmpd", path=os.environ["PATH"] + ":/usr/sbin")
    user = ["-v3", "-l", "authPriv", "-u", "varve", "-a", "SHA", "-A", "authenticate", "-x", "AES", "-X", "encryption"]

    def __init__(self):
        super().__init__()
        self.state_path = os.path.join(self.root, "counters.json")
        self.zero, self.base, self.rate = int(time.time() * 1000) - 3_600_000, 0, 1_000_000
        self.counters()

    def counters(self, zero=None, base=None, rate=None):
        """From now on a counter is base + rate · n · (t − zero) / 1000, modulo 2⁶⁴; n is the ifIndex, and one more for Out."""
        self.zero = self.zero if zero is None else zero
        self.base = self.base if base is None else base
        self.rate = self.rate if rate is None else rate
        fresh = self.state_path + ".new"
        pathlib.Path(fresh).write_text(json.dumps({"zero": self.zero, "base": self.base, "rate": self.rate}))
        os.replace(fresh, self.state_path)

    @staticmethod
    def indexes():
        """ifName → ifIndex."""
        return {path.parent.name: int(path.read_text()) for path in pathlib.Path("/sys/class/net").glob("*/ifindex")}

    def start(self):
        self.port = self.port or free_port()
        script = [sys.executable, "-u", str(pathlib.Path(__file__).with_name("snmp_pass.py")), self.state_path]
        served = "".join(f"pass_persist -p 1 .{COUNTERS[name][0]} {' '.join(script)} {n}\n"
                         for n, name in enumerate(["ifHCInOctets", "ifHCOutOctets"]))
        config = os.path.join(self.root, "snmpd.conf")
        pathlib.Path(config).write_text(
            f"agentaddress udp:127.0.0.1:{self.port}\nrocommunity public\nrwcommunity private\n"
            f"createUser varve SHA authenticate AES encryption\nrwuser varve authpriv\n{served}")
        self.spawn([self.program, "-C", "-c", config, "-f", "-Le", "-I", "-smux"], {"SNMP_PERSISTENT_DIR": self.root, "MIBS": ""})
        self.await_answers("public")
        return self


class Snmpsim(Process):
    """snmpsim, of PyPI, on Debian's own Python. `agents`: community → lines of its .snmprec files, 'OID|TAG|VALUE'; a tag such as
    4:delay or 2:error makes it late or wrong."""

    python = "/usr/bin/python3"

    def __init__(self, agents):
        super().__init__()
        self.agents = agents

    def start(self):
        folder = packages.fetched("snmpsim", "pip could not fetch snmpsim (./dev setup installs pip)", lambda where: [
            self.python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check",
            "--root-user-action=ignore", "--target", str(where), "snmpsim==1.2.2", "pysmi"])
        data = pathlib.Path(self.root) / "data"
        data.mkdir(exist_ok=True)
        for community, lines in self.agents.items():
            # It reads them in their order, and without uptime it would not be known to be up.
            lines = sorted([*lines, "1.3.6.1.2.1.1.3.0|67|100"], key=lambda line: [int(n) for n in line.split("|")[0].split(".")])
            (data / f"{community}.snmprec").write_text("\n".join(dict.fromkeys(lines)) + "\n")
        self.port = self.port or free_port()
        # It gives up being root, and has to be told for whom.
        whom = ["--process-user=root", "--process-group=root"] if os.getuid() == 0 else []
        self.spawn([self.python, "-m", "snmpsim.commands.responder", f"--data-dir={data}", f"--cache-dir={self.root}/cache",
                    f"--agent-udpv4-endpoint=127.0.0.1:{self.port}", *whom], {"PYTHONPATH": str(folder)})
        self.await_answers(next(iter(self.agents)))
        return self


def _element(tag, *parts):
    content = b"".join(parts)
    return bytes([tag, len(content)]) + content  # of fewer than 128 bytes


def is_up(port, community="public"):
    """Does an agent answer a GET of sysUpTime (v2c) within a moment?"""
    name = _element(0x30, _element(0x06, bytes.fromhex("2b06010201010300")), b"\x05\x00")
    pdu = _element(0xa0, b"\x02\x01\x07", b"\x02\x01\x00", b"\x02\x01\x00", _element(0x30, name))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(0.1)
        s.connect(("127.0.0.1", port))
        try:
            s.send(_element(0x30, b"\x02\x01\x01", _element(0x04, community.encode()), pdu))
            return b"\xa2" in s.recv(4096)
        except OSError:
            return False


def ask(command, address, *oids, options=("-v2c", "-c", "public"), fails=False, seconds=10):
    """What net-snmp's command (snmpget, snmpset, snmpbulkwalk …) says: {oid: value as text}. `fails`: its complaint instead."""
    done = subprocess.run([command, "-OnqetU", "-r0", f"-t{seconds}", *options, address, *oids],
                          capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "MIBS": "", "SNMPCONFPATH": "/dev/null", "SNMP_PERSISTENT_DIR": "/dev/null"})
    if fails:
        return done.stderr + done.stdout
    if done.returncode != 0:
        raise RuntimeError(f"{command} {address} {oids}: {done.stderr}{done.stdout}")
    return dict(line.removeprefix(".").split(" ", 1) for line in done.stdout.splitlines() if line.startswith("."))
