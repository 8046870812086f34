#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the whole-program tests: python3 tests/run.py [--binary build/varve] [--jobs N] [--list] [PATTERN …]
The long ones, with random faults: python3 tests/run.py --faults [--seconds=600] [--seed=7] [PATTERN …]

Each *_test.py is a process of its own, N at once; files named in SERIAL run alone at the end, because they measure time
or memory of a loaded server. A PATTERN is a part of file.Class.test. The last line says 'N passed, N failed'."""

import argparse
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from support.sanitized import SLOWER, is_sanitized

HERE = os.path.dirname(os.path.abspath(__file__))
SERIAL = ["hostile_test", "idle_test", "stop_test", "stranger_doors_test", "stranger_test"]
ONLY_LONG = ["chaos_test", "clocks_test", "cluster_faults_test", "node_loss_test", "snmp_replicas_test", "soak_test"]  # not without --faults
# With --faults, one after the other, each of their tests for as many seconds as asked.
LONG = ONLY_LONG + ["crowds_test", "damaged_files_test", "damaged_tables_test", "failing_calls_test", "failing_storage_test", "logcli_test", "messages_cluster_test", "migrate_contrail_test", "migrate_test", "power_test",
               "random_user_test", "schema_test", "snmp_faults_test"]
# They start what they need themselves (a Cassandra, servers of either engine); with --engine=cluster they share its Cassandra, those
# of a list one after the other, and run nowhere else unless they are named or their long tests are asked for.
IN_TURN = [["cluster_test"], ["messages_cluster_test", "migrate_contrail_test", "migrate_test"]]
SHARING = sum(IN_TURN, [])
ELSEWHERE = ["edges_test"]  # needs no server; ./dev test and ./dev lint call it themselves
SECONDS_MAX = 900  # of one file
# What both engines answer alike, each in its own way; what protocols and clients do above them is tested on the embedded one.
ON_CLUSTER = ["analytics_later_test", "catalog_test", "catalog_windows_test", "ceres_test", "counter_life_test", "counters_test", "delete_test",
              "esmond_extremes_test", "esmond_test", "follow_test", "kairosdb_test", "kairosdb_types_test", "loki_query_test", "loki_tail_test",
              "messages_crash_test", "messages_test", "metrics_test", "moving_window_test", "opentsdb_query_test", "otlp_metrics_test", "protocols_test",
              "retention_classes_test", "settle_test", "snmp_inventory_test", "snmp_test", "tenants_test", "times_test", "too_old_test", "usage_test"]


class Reporter(unittest.TestResult):
    """Prints one line a test as it ends, so that the parent can count and show them."""

    def startTest(self, test):
        super().startTest(test)
        self.begin = time.monotonic()
        self.failed = []

    def _line(self, kind, test, detail=""):
        seconds = time.monotonic() - getattr(self, "begin", time.monotonic())
        print(f"{kind} {test.id()} {seconds:.1f} {detail}", flush=True)

    def addSuccess(self, test):
        if not self.failed:
            self._line("PASS", test)

    def addSkip(self, test, reason):
        self._line("SKIP", test, reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fault(test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._fault(test, self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._fault(subtest, self._exc_info_to_string(err, test))

    def _fault(self, test, text):
        self.failed = getattr(self, "failed", []) + [test]
        print("".join(f"    {line}\n" for line in text.splitlines()), end="")
        self._line("FAIL", test)


def tests_of(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_of(item)
        else:
            yield item


def wanted(test_id, patterns):
    return not patterns or any(p in test_id for p in patterns)


def load(module, patterns):
    sys.path.insert(0, HERE)
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    return [t for t in tests_of(suite) if wanted(t.id(), patterns)]


def child(module, patterns):
    result = Reporter()
    unittest.TestSuite(load(module, patterns)).run(result)
    return 0 if result.wasSuccessful() else 1


class Runner:
    def __init__(self, arguments):
        self.arguments = arguments
        self.seconds_max = SECONDS_MAX * (SLOWER if "SANITIZED" in os.environ else 1) + (5 * (arguments.seconds or 300) + 1800 if arguments.faults else 0)
        self.lock = threading.Lock()
        self.passed, self.failed, self.skipped = 0, [], []
        self.used = {}  # file: seconds of CPU, and all

    def show(self, line):
        kind, _, rest = line.partition(" ")
        if kind == "PASS":
            self.passed += 1
            print(f"  ok    {rest}")
        elif kind == "SKIP":
            self.skipped.append(rest)
            print(f"  skip  {rest}")
        elif kind == "FAIL":
            self.failed.append(rest.split()[0])
            print(f"  FAIL  {rest}")
        else:
            print(line)
        sys.stdout.flush()

    def run_file(self, module):
        command = [sys.executable, os.path.abspath(__file__), "--child", module, *self.arguments.patterns]
        environment = {key: value for key, value in os.environ.items() if key != "ENGINE" or module not in SHARING}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", start_new_session=True, env=environment)
        timer = threading.Timer(self.seconds_max, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        began = time.monotonic()
        faults_before = len(self.failed)
        for line in process.stdout:
            with self.lock:
                self.show(line.rstrip("\n"))
        _, status, used = os.wait4(process.pid, 0)  # with what its servers used, as it waits for them
        code = process.returncode = os.waitstatus_to_exitcode(status)
        late = not timer.is_alive()
        timer.cancel()
        with self.lock:
            self.used[module] = (used.ru_utime + used.ru_stime, time.monotonic() - began)
            if late:
                self.show(f"FAIL {module} took more than {self.seconds_max} s")
            elif code != 0 and len(self.failed) == faults_before:
                self.show(f"FAIL {module} ended with {code}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/varve")
    parser.add_argument("--jobs", type=int, help="files at once; as it is, two more than processors, of the cluster four: it waits more")
    parser.add_argument("--engine", choices=["embedded", "cluster"], default="embedded",
                        help="cluster: those tests that are the same on both, on a real Cassandra and Redis")
    parser.add_argument("--faults", action="store_true", help="the long ones, which make the world go wrong at random")
    parser.add_argument("--seconds", type=int, help="with --faults: how long each test goes on")
    parser.add_argument("--seed", type=int, help="with --faults: the seed of each; a test prints the one that it takes")
    parser.add_argument("--list", action="store_true", help="only print the names of the tests")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("patterns", nargs="*")
    arguments = parser.parse_args()
    # Tests send it to programs, which would ignore it where this one was started in the background by a script.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if arguments.child:
        return child(arguments.child, arguments.patterns)

    arguments.jobs = arguments.jobs or (os.cpu_count() or 2) + (4 if arguments.engine == "cluster" else 2)
    binary = os.path.abspath(arguments.binary)
    os.environ["BINARY"] = binary
    if os.access(binary, os.R_OK) and is_sanitized(binary):
        os.environ["SANITIZED"] = "1"
    modules = sorted(f[:-3] for f in os.listdir(HERE) if f.endswith("_test.py") and f[:-3] not in ELSEWHERE)
    modules = [m for m in modules if wanted(m, [p.split(".")[0] for p in arguments.patterns])
               or any(wanted(t.id(), arguments.patterns) for t in load(m, []))]
    if arguments.faults:
        modules = [m for m in modules if m in LONG]
        os.environ.update(FAULTS_SECONDS=str(arguments.seconds or ""), FAULTS_SEED=str(arguments.seed or ""))
        arguments.jobs = 1
    else:
        modules = [m for m in modules if m not in ONLY_LONG]
    if arguments.engine == "cluster":
        modules = [m for m in modules if m in ON_CLUSTER + SHARING]
    elif not arguments.faults and not arguments.patterns:
        modules = [m for m in modules if m not in SHARING]
    if arguments.list:
        print("\n".join(t.id() for m in modules for t in load(m, arguments.patterns)))
        return 0
    if not os.access(binary, os.X_OK):
        print(f"{binary} is not there; build it first (./dev build)", file=sys.stderr)
        return 2

    if arguments.engine == "embedded":
        return run(modules, arguments)
    from support import cluster
    from support.server import free_port
    backends = cluster.Backends(free_port, restarts=False)
    try:
        cluster.offer(backends.start())
        return run(modules, arguments)
    finally:
        backends.close()


def run(modules, arguments):
    begin = time.monotonic()
    runner = Runner(arguments)
    # The longest first, so that no core is idle at the end.
    order = {"schema_test": 0, "kairosdb_test": 0, "counters_test": 0, "snmp_test": 1, "clients_test": 1, "crash_test": 1,
             "messages_crash_test": 1, "random_user_test": 2, "malformed_test": 3}
    parallel = sorted((m for m in modules if m not in SERIAL), key=lambda m: (order.get(m, 9), m))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = [pool.submit(lambda files: [runner.run_file(m) for m in files if m in parallel], files) for files in IN_TURN]
        runs += [pool.submit(runner.run_file, m) for m in parallel if m not in SHARING]
        for run_of_file in runs:
            run_of_file.result()
    for module in (m for m in SERIAL if m in modules):
        runner.run_file(module)

    for skipped in runner.skipped:
        print(f"skipped: {skipped}")
    for name in runner.failed:
        print(f"failed: {name}")
    for module, (cpu, seconds) in sorted(runner.used.items(), key=lambda one: -one[1][0])[:12]:
        print(f"most of the CPU: {module} {cpu:.0f} s, in {seconds:.0f} s")
    print(f"whole-program tests: {sum(cpu for cpu, _ in runner.used.values()):.0f} s of CPU, {time.monotonic() - begin:.0f} s")
    print(f"{runner.passed} passed, {len(runner.failed)} failed")
    return 1 if runner.failed or not runner.passed else 0


if __name__ == "__main__":
    sys.exit(main())
