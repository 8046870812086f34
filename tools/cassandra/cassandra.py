#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real Apache Cassandra on loopback, for the tests of the cluster engine and for trying it out.

    cassandra.py start [N] [--directory D] [--port P] [--heap 512m] [--secure]
                                         N nodes (1 or 3), on 127.0.0.1 … 127.0.0.N
    cassandra.py stop | status [--directory D]
    cassandra.py nodetool NODE ARGUMENT… [--directory D]              flush, compact, tablestats … of one node

The jars come as a Maven artefact, once, into the user's cache. Everything else lies below the directory: one folder a
node with configuration, data, log and process id, so what was started can be stopped by whoever knows the directory.
Tests use `Cluster` directly."""

import argparse
import ctypes
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

VERSION = "5.0.8"
JAVA = "17"  # what Cassandra 5.0 asks for
READY_SECONDS = 180

POM = f"""<project><modelVersion>4.0.0</modelVersion>
<groupId>varve</groupId><artifactId>cassandra</artifactId><version>1</version><packaging>pom</packaging>
<dependencies><dependency><groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId>
<version>{VERSION}</version></dependency></dependencies></project>
"""

# Small on purpose: a test cluster shares its machine with the tests.
YAML = """cluster_name: varve-test
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
num_tokens: 1
initial_token: {token}
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: "127.0.0.1:{storage_port}"}}]
listen_address: {address}
rpc_address: {address}
native_transport_port: {port}
storage_port: {storage_port}
endpoint_snitch: SimpleSnitch
authenticator: {authenticator}
data_file_directories: [{folder}/data]
commitlog_directory: {folder}/commitlog
saved_caches_directory: {folder}/saved_caches
hints_directory: {folder}/hints
cdc_raw_directory: {folder}/cdc
{sync}
commitlog_total_space: 512MiB
auto_snapshot: false
auto_bootstrap: false
memtable_heap_space: 64MiB
memtable_offheap_space: 64MiB
memtable_allocation_type: offheap_buffers
file_cache_size: 64MiB
key_cache_size: 16MiB
concurrent_reads: 16
concurrent_writes: 16
concurrent_compactors: 1
"""

TLS = """client_encryption_options:
  enabled: true
  optional: true
  keystore: {pem}
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
"""

# What an acknowledged write survives: the death of all other nodes, or of this one, too.
SYNC = {"periodic": "commitlog_sync: periodic\ncommitlog_sync_period: 1000ms",
        "group": "commitlog_sync: group\ncommitlog_sync_group_window: 10ms"}

LOGBACK = """<configuration><appender name="file" class="ch.qos.logback.core.FileAppender"><file>{folder}/system.log</file>
<encoder><pattern>%-5level %date{{HH:mm:ss.SSS}} %logger{{20}} %msg%n</pattern></encoder></appender>
<root level="INFO"><appender-ref ref="file"/></root></configuration>
"""

# The insides of Java that Cassandra opens for itself.
EXPORTS = ["java.base/" + p for p in ("jdk.internal.misc", "jdk.internal.ref", "sun.nio.ch", "java.lang.ref")] + [
    "java.management.rmi/com.sun.jmx.remote.internal.rmi", "java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server",
    "java.sql/java.sql", "jdk.unsupported/sun.misc", "jdk.compiler/com.sun.tools.javac.file",
    "jdk.attach/sun.tools.attach"]
OPENS = ["java.base/" + p for p in (
    "java.lang", "java.lang.module", "java.lang.reflect", "java.util", "java.util.concurrent",
    "java.util.concurrent.atomic", "java.nio", "java.io", "java.net", "jdk.internal.loader", "jdk.internal.ref",
    "jdk.internal.reflect", "jdk.internal.math", "jdk.internal.module", "jdk.internal.util.jar", "sun.nio.ch",
    "sun.nio.fs")] + ["jdk.management/com.sun.management.internal", "jdk.management.jfr/jdk.management.jfr",
                      "java.desktop/com.sun.beans.introspect"]


class Failed(Exception):
    pass


def java():
    homes = sorted(pathlib.Path("/usr/lib/jvm").glob(f"*{JAVA}*"))
    found = next((str(home / "bin/java") for home in homes if (home / "bin/java").exists()), shutil.which("java"))
    if not found:
        raise Failed(f"no Java {JAVA}; ./dev setup installs it")
    return found


def maven(name, pom):
    """The folder of the user's cache with the jars that this POM names and all that they need."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "varve"
    folder = cache / name
    if folder.is_dir():
        return folder
    if not shutil.which("mvn"):
        raise Failed("no Maven; ./dev setup installs it")
    cache.mkdir(parents=True, exist_ok=True)
    # One at a time: Maven processes that fill the same empty repository remove each other's files.
    with open(cache / "maven.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            fetch(name, pom, folder)
    return folder


def fetch(name, pom, folder):
    # Into a folder beside it first, so that one that is interrupted leaves nothing half done.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{name}.") as scratch:
        fresh = pathlib.Path(scratch) / "jars"
        fresh.mkdir()
        (fresh / "pom.xml").write_text(pom)
        done = subprocess.run(["mvn", "-q", "-B", "-f", str(fresh / "pom.xml"), "dependency:copy-dependencies",
                               f"-DoutputDirectory={fresh}"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"Maven could not fetch {name}:\n{done.stdout[-3000:]}")
        fresh.rename(folder)


def jars():
    return maven(f"cassandra-{VERSION}", POM)


def jvm_arguments(folder):
    return [java(), *(f"--add-exports={name}=ALL-UNNAMED" for name in EXPORTS),
            *(f"--add-opens={name}=ALL-UNNAMED" for name in OPENS),
            f"-Dcassandra.storagedir={folder}", f"-Dlogback.configurationFile={folder}/logback.xml"]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Node:
    """One node: its folder, its address, and the process, known by the id in its folder."""

    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.folder = cluster.directory / f"node{number}"
        self.address = f"127.0.0.{number}"

    @property
    def jmx_port(self):
        return self.cluster.port + 1000 + self.number

    def configure(self):
        if (self.folder / "cassandra.yaml").exists():
            return
        self.folder.mkdir(parents=True)
        token = -2**63 + 2**64 // self.cluster.count * (self.number - 1) + 1
        (self.folder / "logback.xml").write_text(LOGBACK.format(folder=self.folder))
        text = YAML.format(
            token=token, address=self.address, folder=self.folder, port=self.cluster.port,
            storage_port=self.cluster.port + 1000, sync=SYNC[self.cluster.sync],
            authenticator="PasswordAuthenticator" if self.cluster.secure else "AllowAllAuthenticator")
        if self.cluster.secure:
            text += TLS.format(pem=self.make_certificate())
        (self.folder / "cassandra.yaml").write_text(text)

    def make_certificate(self):
        """A key and a certificate for this address, signed by itself; clients trust `certificate`."""
        key, pem = self.folder / "key.pem", self.folder / "both.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=varve",
                        "-addext", f"subjectAltName=IP:{self.address}", "-keyout", key, "-out", self.certificate],
                       check=True, capture_output=True)
        pem.write_text(key.read_text() + self.certificate.read_text())
        return pem

    @property
    def certificate(self):
        return self.folder / "certificate.pem"

    def spawn(self):
        """Starts the process; ready() says when it answers."""
        if self.pid():
            return
        if self.ready():
            raise Failed(f"something else answers at {self.address}:{self.cluster.port}")
        lib = jars()
        self.configure()
        agent = next(lib.glob("jamm-*.jar"))
        heap = self.cluster.heap
        # A node of a test lives for minutes: what is compiled with care, or collected beside the work, does not pay.
        engine = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"] if self.cluster.brief else ["-XX:+UseG1GC"]
        command = [*jvm_arguments(self.folder), f"-Xms{heap}", f"-Xmx{heap}", *engine, "-XX:+PerfDisableSharedMem",
                   f"-javaagent:{agent}", "-Djava.net.preferIPv4Stack=true", "-Djdk.attach.allowAttachSelf=true",
                   "-Dio.netty.tryReflectionSetAccessible=true", f"-Dcassandra.config=file://{self.folder}/cassandra.yaml",
                   f"-Dcassandra.logdir={self.folder}", "-Dcassandra-foreground=yes",
                   f"-Dcassandra.jmx.local.port={self.jmx_port}", "-Dcassandra.ring_delay_ms=1000",
                   "-Dcassandra.skip_wait_for_gossip_to_settle=0", "-Dcassandra.load_ring_state=false",
                   "-Dcassandra.superuser_setup_delay_ms=0", "-Dcassandra.consistent.rangemovement=false",
                   "-cp", f"{lib}/*", "org.apache.cassandra.service.CassandraDaemon"]
        tied = self.cluster.tied
        if not self.cluster.restarts:
            command[1:1] = ["-Dcassandra.unsafesystem=true"]
        with open(self.folder / "out.log", "ab") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                                            start_new_session=not tied, preexec_fn=die_with_parent if tied else None)
        (self.folder / "pid").write_text(str(self.process.pid))

    def start(self):
        self.spawn()
        self.wait_ready()

    def wait_ready(self):
        deadline = time.monotonic() + READY_SECONDS
        while not self.ready():
            process = getattr(self, "process", None)
            if process.poll() is not None if process else not self.pid():
                raise Failed(f"node {self.number} ended:\n{self.log()}")
            if time.monotonic() > deadline:
                raise Failed(f"node {self.number} does not answer after {READY_SECONDS} s:\n{self.log()}")
            time.sleep(0.2)

    def ready(self):
        """An OPTIONS frame of the native protocol is answered with SUPPORTED."""
        try:
            with socket.create_connection((self.address, self.cluster.port), 1) as s:
                s.settimeout(2)
                s.sendall(struct.pack(">BBhBi", 4, 0, 0, 5, 0))
                head = s.recv(9)
                return len(head) == 9 and head[4] == 6
        except OSError:
            return False

    def pid(self):
        """The id of the process, if it is (still) this node: ids are used again."""
        try:
            pid = int((self.folder / "pid").read_text())
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        return pid if f"-Dcassandra.storagedir={self.folder}".encode() in words else None

    def send(self, sig):
        pid = self.pid()
        if pid:
            os.kill(pid, sig)
        return pid

    def pause(self):
        """Returns when no thread of it runs any more."""
        pid = self.send(signal.SIGSTOP)
        tasks = pathlib.Path(f"/proc/{pid}/task")
        while any(b" T " not in (task / "stat").read_bytes() for task in tasks.iterdir()):
            time.sleep(0.01)

    def resume(self):
        self.send(signal.SIGCONT)

    def end(self, sig=signal.SIGTERM, seconds=60):
        """Ends the process and waits until it is gone. SIGKILL is the power cut."""
        pid = self.send(sig)
        if sig == signal.SIGTERM:
            self.send(signal.SIGCONT)
        process = getattr(self, "process", None)
        deadline = time.monotonic() + seconds
        while self.pid():
            if process:
                process.poll()
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                deadline += 10
            time.sleep(0.05)
        if process:
            process.wait()

    def log(self):
        text = ""
        for name in ("out.log", "system.log"):
            path = self.folder / name
            text += path.read_text(errors="replace")[-2000:] if path.exists() else ""
        return text

    def nodetool(self, *arguments):
        command = [*jvm_arguments(self.folder), "-cp", f"{jars()}/*", "org.apache.cassandra.tools.NodeTool",
                   "-h", "127.0.0.1", "-p", str(self.jmx_port), *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"nodetool {' '.join(arguments)}: {done.stdout}")
        return done.stdout


class Cluster:
    """Cluster(directory, count=3).start(); nodes listen on `port` of 127.0.0.1, .2, .3, and on `port` + 1000 ff. with one
    another. `secure`: they want user and password (cassandra, cassandra at first) and offer TLS beside plain connections.
    `tied`: the nodes end with this process. `brief`: they are for a test, not for a measurement. `sync`: periodic or group
    (SYNC). `restarts`: nodes are started again on their data; without that a change of the schema is not flushed, and
    costs a quarter. A directory that has been used keeps its number of nodes."""

    def __init__(self, directory, count=1, port=9042, heap="512m", secure=False, tied=False, sync="periodic",
                 restarts=True, brief=False):
        self.directory = pathlib.Path(directory).resolve()
        before = len(list(self.directory.glob("node[1-9]")))
        if before:
            count = before
            text = (self.directory / "node1" / "cassandra.yaml").read_text()
            port = int(text.split("native_transport_port: ")[1].split()[0])
        self.count, self.port, self.heap, self.secure, self.tied = count, port, heap, secure, tied
        self.sync, self.restarts, self.brief = sync, restarts, brief
        self.nodes = [Node(self, number) for number in range(1, count + 1)]

    @property
    def contact_points(self):
        return ",".join(f"{node.address}:{self.port}" for node in self.nodes)

    def start(self):
        # One after the other: two nodes that join at once wait for one another longer than this takes.
        for node in self.nodes:
            node.start()
        return self

    def stop(self, sig=signal.SIGTERM):
        for node in self.nodes:
            node.send(sig)
        for node in reversed(self.nodes):
            node.end(sig)

    def close(self):
        """For tests: the data are not needed again."""
        self.stop(signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["start", "stop", "status", "nodetool"])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--directory", default="build/cassandra")
    parser.add_argument("--port", type=int, default=9042)
    parser.add_argument("--heap", default="512m")
    parser.add_argument("--secure", action="store_true", help="ask for user and password (cassandra, cassandra), offer TLS")
    arguments, more = parser.parse_known_args()
    words = arguments.words + more
    count = int(words[0]) if arguments.verb == "start" and words else 1
    cluster = Cluster(arguments.directory, count, arguments.port, arguments.heap, arguments.secure)
    try:
        if arguments.verb == "start":
            cluster.start()
            print(cluster.contact_points)
        elif arguments.verb == "stop":
            cluster.stop()
        elif arguments.verb == "nodetool":
            print(cluster.nodes[int(words[0]) - 1].nodetool(*words[1:]), end="")
        else:
            for node in cluster.nodes:
                state = "up" if node.ready() else "starting" if node.pid() else "down"
                print(f"node {node.number} {node.address}:{cluster.port} {state}")
    except Failed as failed:
        sys.exit(f"cassandra: {failed}")


if __name__ == "__main__":
    main()
