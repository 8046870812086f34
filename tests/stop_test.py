# SPDX-License-Identifier: Apache-2.0
"""Stopping and starting: in order under load, twice on one directory, reload, restart."""

import re
import signal
import threading
import unittest

from support.case import T0, OwnServerCase
from support.client import http_request, wait_until
from support.server import Server, run_varve

STOP_SECONDS_MAX = 5.5


class Stop(OwnServerCase):
    def load(self, server, counts, index):
        """Writes until the server refuses or is gone; counts[index] = acknowledged batches of 100."""
        number = 0
        while True:
            lines = "".join(f"stop{index} value={number * 100 + i}i {T0 + number * 100 + i}\n" for i in range(100))
            try:
                answer = http_request(server.port, "POST", "/write?precision=ms", lines, timeout=20)
            except Exception:  # pylint: disable=broad-except
                return
            if answer.status != 204:
                return
            number += 1
            counts[index] = number

    def stop_under_load(self, sig):
        # Few connections: where a process may open few files, the default number of them is warned of.
        server = self.new_server({"http.connections_max": 100, "telnet.connections_max": 100}).start()
        counts = [0, 0, 0]
        threads = [threading.Thread(target=self.load, args=(server, counts, i)) for i in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: min(counts) > 20, 30, "load")
        code, seconds = server.stop(sig)
        for thread in threads:
            thread.join(30)
        self.assertEqual(code, 0, server.log()[-2000:])
        self.assertLessEqual(seconds, STOP_SECONDS_MAX)
        log = server.log()
        self.assertNotRegex(log, r"level=(warn|error)", "a clean stop has a clean log")
        server.start()
        self.assertNotRegex(server.log()[len(log):], r"(?i)level=(warn|error)|torn")
        for i, count in enumerate(counts):
            values = [v for _, v in server.values(f"stop{i}")]
            self.assertGreaterEqual(len(values), count * 100)
            self.assertEqual(values, list(range(len(values))))

    def test_sigterm_under_load(self):
        self.stop_under_load(signal.SIGTERM)

    def test_sigint_under_load(self):
        self.stop_under_load(signal.SIGINT)

    def test_sigterm_with_idle_and_half_open_connections(self):
        server = self.new_server().start()
        idle = [server.telnet() for _ in range(20)]
        half = server.telnet()
        half.send("putm half 1")
        code, seconds = server.stop()
        self.assertEqual(code, 0)
        self.assertLessEqual(seconds, STOP_SECONDS_MAX)
        for connection in [*idle, half]:
            connection.close()

    def test_a_second_process_is_refused(self):
        server = self.new_server().start()
        second = Server(path=server.path)
        self.addCleanup(second.close)
        second.spawn()
        self.assertEqual(second.wait(), 1)
        self.assertRegex(second.log(), r"(?i)lock|in use|another process")
        self.assertIn(server.path, second.log())
        server.influx(f"still value=1 {T0}")
        self.assertEqual(server.values("still"), [(T0, 1)])

    def test_a_port_in_use_is_named(self):
        server = self.new_server().start()
        done = run_varve("serve", f"--storage.path={server.root}/other", f"--http.listen=127.0.0.1:{server.port}",
                         "--telnet.listen=")
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(server.port), done.stderr)

    def test_restart_keeps_everything(self):
        server = self.new_server().start()
        server.influx("".join(f"keep,h=h{i} value={i} {T0}\n" for i in range(1000)))
        server.put([{"name": "keep.text", "type": "string", "timestamp": T0, "value": "words", "tags": {"a": "b"}}])
        for step in ("restart", "settle", "restart", "kill"):
            if step == "kill":
                server.kill()
                server.start()
            else:
                getattr(server, step)()
            with self.subTest(step):
                self.assertEqual(sorted(v for _, v in server.values("keep")), list(range(1000)))
                self.assertEqual(server.values("keep.text"), [(T0, "words")])
                self.assertEqual(server.metric_names().count("keep"), 1)

    def test_sighup_does_not_stop_it(self):
        server = self.new_server().start()
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: re.search("(?i)reload", server.log()), 10, "a word about the reload")
        server.influx(f"hup value=1 {T0}")
        self.assertEqual(server.values("hup"), [(T0, 1)])

    def test_sync_always(self):
        server = self.new_server({"storage.sync": "always"}).start()
        server.influx(f"sync value=1 {T0}")
        self.assertEqual(server.values("sync"), [(T0, 1)])
        server.kill()
        server.start()
        self.assertEqual(server.values("sync"), [(T0, 1)])


if __name__ == "__main__":
    unittest.main()
