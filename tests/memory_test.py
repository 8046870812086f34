# SPDX-License-Identifier: Apache-2.0
"""Memory that runs out is an error of the request that wanted it: the process stays, and goes on when there is some."""

import http.client
import json
import re
import resource
import subprocess
import threading
import unittest

from support.case import T0, OwnServerCase
from support.client import http_request
from support.sanitized import skip_what_measures_memory
from support.server import BINARY

MIB = 1 << 20


class ThreadLocals(unittest.TestCase):
    def test_threads_do_not_begin_with_large_ones(self):
        """Each of some thirty threads writes zeros to them when it starts, on its stack."""
        skip_what_measures_memory()
        headers = subprocess.run(["objdump", "-p", BINARY], capture_output=True, text=True, check=True).stdout
        self.assertLess(int(re.search(r"^ +TLS .*\n.* memsz (0x\w+)", headers, re.M)[1], 16), 8 << 10)


class OutOfMemory(OwnServerCase):
    def setUp(self):
        skip_what_measures_memory()

    def limited(self, server, more):
        """Leaves the process `more` bytes of address space beyond those that it has now."""
        with open(f"/proc/{server.process.pid}/statm") as f:
            now = int(f.read().split()[0]) * resource.getpagesize()
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (now + more, resource.RLIM_INFINITY))

    def unlimited(self, server):
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def test_queries_and_writes_fail_alone(self):
        server = self.new_server().start()
        for host in range(40):
            server.put([{"name": "big", "tags": {"h": str(host)},
                         "datapoints": [[T0 + i, i * 1.1] for i in range(50_000)]}])
        query = json.dumps({"start_absolute": 0, "metrics": [{"name": "big"}]}).encode()
        # One sample a line of its own series: the index, the head and the batch all grow.
        lines = "\n".join(f"many,host=h{{0}}-{i} value={i} {T0}" for i in range(5_000))
        statuses = set()

        def client(number):
            for turn in range(6):
                for path, body in (("/api/v1/datapoints/query", query),
                                   ("/write?precision=ms", lines.replace("{0}", f"{number}-{turn}").encode())):
                    try:
                        statuses.add(http_request(server.port, "POST", path, body, timeout=60).status)
                    except (OSError, http.client.HTTPException):
                        statuses.add("reset")  # not even an answer had room, or the rest of one
        for more in (0, 1, 8, 64):
            self.limited(server, more * MIB)
            threads = [threading.Thread(target=client, args=(n + more,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertTrue(server.alive(), f"{more} MiB: exit {server.process.poll()}\n" + server.log()[-3000:])
        self.assertTrue(statuses & {503, 500, "reset"}, statuses)
        self.assertFalse(statuses - {200, 204, 422, 429, 500, 503, "reset"}, statuses)
        self.unlimited(server)
        server.influx(f"after value=1 {T0}")
        self.assertEqual(server.values("after"), [(T0, 1)])
        self.assertEqual(len(server.values("big", {"h": "7"})), 50_000)


if __name__ == "__main__":
    unittest.main()
