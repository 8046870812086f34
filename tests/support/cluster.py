# SPDX-License-Identifier: Apache-2.0
"""The servers that varve's cluster engine stands on, for tests: a Cassandra and a Redis of their own.

With ENGINE=cluster in the environment (run.py --engine=cluster) every Server of the tests stands on the one pair that
run.py started, in a keyspace of its own, so the same tests run on both engines."""

import contextlib
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from .cql import Cql, CqlError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "cassandra"))
import cassandra  # noqa: E402


def free_cassandra_port(count):
    """A port that is free at every node's address, with the thousand-and-some beside it for the nodes' own talk. In steps
    of 19, of which none of those is one, so that processes that start at once take different ones."""
    for port in range(21000 + os.getpid() % 350 * 19, 29000, 19):
        wanted = [(f"127.0.0.{n}", port + more) for n in range(1, count + 1) for more in (0, 1000, 1000 + n)]
        try:
            for address in wanted:
                with socket.socket() as s:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    s.bind(address)
            return port
        except OSError:
            continue
    raise RuntimeError("no free ports for Cassandra")


def die_with_parent():
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Redis:
    """A redis-server that keeps nothing when it ends."""

    def __init__(self, port, *arguments):
        self.port, self.arguments, self.process = port, arguments, None

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self, env=None):
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                   "--logfile", "/dev/null", "--dir", tempfile.gettempdir(), *self.arguments]
        self.process = subprocess.Popen(command, preexec_fn=die_with_parent, env={**os.environ, **(env or {})})
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if self.command("PING").startswith((b"+PONG", b"-NOAUTH")):
                    return self
            time.sleep(0.02)
        raise RuntimeError("redis-server does not answer")

    def command(self, *words):
        with socket.create_connection(("127.0.0.1", self.port), 10) as s:
            s.sendall((" ".join(words) + "\r\n").encode())
            return s.recv(4096)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class OfferedCassandra:
    """The one of run.py --engine=cluster, for tests that do nothing to it: it is neither ended nor paused."""

    def __init__(self):
        self.contact_points, self.nodes = os.environ["CLUSTER_CASSANDRA"], []

    def start(self):
        return self

    def close(self):
        pass


def cassandra_directory():
    """Of its own, in memory where there is room: changes of the schema sync dozens of files, which takes Cassandra seconds
    beside a disk that compilers use. Its processes are killed, never the machine."""
    memory = "/dev/shm"
    with contextlib.suppress(OSError):
        if shutil.disk_usage(memory).free > 8 << 30 and os.access(memory, os.W_OK):
            return tempfile.mkdtemp(prefix="varve-cassandra-", dir=memory)
    return tempfile.mkdtemp(prefix="varve-cassandra-")


def own_or_offered(directory, nodes=1, **more):
    if "CLUSTER_CASSANDRA" in os.environ:
        return OfferedCassandra()
    return cassandra.Cluster(directory, nodes, free_cassandra_port(nodes), tied=True, **{"brief": True, **more})


class Backends:
    """Both, started: a Redis of its own, and a Cassandra, unless one is offered."""

    def __init__(self, free_port, nodes=1, replication=1, **more):
        self.directory = cassandra_directory()
        self.replication = replication
        self.cassandra = own_or_offered(self.directory, nodes, **more)
        self.redis = Redis(free_port())

    def start(self):
        self.redis.start()
        self.cassandra.start()
        return self

    def close(self):
        self.cassandra.close()
        self.redis.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def config(self, keyspace):
        return {"engine": "cluster", "cassandra.hosts": self.cassandra.contact_points, "cassandra.keyspace": keyspace,
                "cassandra.replication": f"SimpleStrategy:{self.replication}", "redis.url": self.redis.url}


# --- the one pair of run.py --engine=cluster

def chosen():
    return os.environ.get("ENGINE") == "cluster"


# For a test of what is above the engines, in a file whose others are for both.
above_engines = unittest.skipIf(chosen(), "tried on the embedded engine")


def offer(backends):
    """For the tests that are started from here on."""
    os.environ.update(ENGINE="cluster", CLUSTER_CASSANDRA=backends.cassandra.contact_points,
                      CLUSTER_REDIS=backends.redis.url)


def keyspace_of(path):
    return "t" + hashlib.sha1(path.encode()).hexdigest()[:16]


def config_for(path):
    """What a Server with this data directory stands on instead. With few partitions: at each start the journal of three
    weeks is read, an hour and a partition at a time."""
    return {"slots.partitions": "4", "engine": "cluster", "cassandra.hosts": os.environ["CLUSTER_CASSANDRA"],
            "cassandra.keyspace": keyspace_of(path), "redis.url": os.environ["CLUSTER_REDIS"], "slots.period": "1s",
            "query.timeout": "2m"}


def drop(path):
    with contextlib.suppress(OSError, CqlError):
        with Cql(os.environ["CLUSTER_CASSANDRA"].split(",")[0]) as cql:
            cql.query(f"DROP KEYSPACE IF EXISTS {keyspace_of(path)}")


SCHEMA_KEYS = ("cassandra.hosts", "cassandra.keyspace", "cassandra.replication", "slots.width", "slots.partitions", "raw.retention",
               "messages.retention", "rollups")
_applied = set()


def apply_schema(binary, config):
    """Once for each keyspace and width. Again where a busy Cassandra took too long: what stands already stays."""
    arguments = tuple(f"--{key}={config[key]}" for key in SCHEMA_KEYS if key in config)
    if arguments in _applied:
        return
    for _ in range(3):
        done = subprocess.run([binary, "schema", "--apply", *arguments], capture_output=True, text=True, timeout=120)
        if done.returncode == 0:
            _applied.add(arguments)
            return
        print(f"varve schema --apply: {done.stdout[-500:]}{done.stderr}")
    # The server says what is wrong, too.
