# SPDX-License-Identifier: Apache-2.0
"""New messages as they come: `varve logs -f` and a thousand followers of a real server. How long a message takes to be seen is
printed, and never asserted."""

import json
import selectors
import signal
import socket
import subprocess
import threading
import time
import unittest

from support.case import OwnServerCase
from support.client import http_request, wait_until
from support.cluster import above_engines, die_with_parent
from support.logs import Logs
from support.server import BINARY


@above_engines
class FollowCommand(OwnServerCase):
    def setUp(self):
        self.server = self.new_server().start()
        self.logs = Logs(self.server)

    def follow(self, *arguments):
        process = subprocess.Popen([BINARY, "logs", f"--url=http://127.0.0.1:{self.server.port}", "-f", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.followers = getattr(self, "followers", 0) + 1
        wait_until(lambda: self.server.metric("varve_followers") == self.followers, 20, "it follows")
        return process

    def test_what_is_stored_and_then_what_comes(self):
        self.logs.put(*[{"source": "h", "type": "T", "text": f"stored {n}"} for n in range(3)])
        self.logs.put({"time": time.time_ns() // 1000 - 600_000_000, "source": "h", "type": "T", "text": "long ago"})
        all_, some, few = self.follow(), self.follow("--where=Source=w*", "--format=logfmt"), self.follow("--limit=5")
        Logs(self.server, "other").put({"source": "h", "type": "T", "text": "another tenant's"})
        for n in range(4):
            self.logs.put({"source": "web-1" if n % 2 else "h", "type": "T", "text": f"new {n}"})
        lines = [all_.stdout.readline().rpartition(": ")[2].strip() for _ in range(7)]
        self.assertEqual(lines, [f"stored {n}" for n in range(3)] + [f"new {n}" for n in range(4)])
        self.assertEqual([some.stdout.readline().rpartition(" msg=")[2].strip() for _ in range(2)], ['"new 1"', '"new 3"'])
        self.assertEqual(few.wait(20), 0)
        self.assertEqual(len(few.stdout.read().splitlines()), 5)
        all_.send_signal(signal.SIGINT)
        out, errors = all_.communicate(timeout=20)
        self.assertEqual((out, errors), ("", ""))
        wait_until(lambda: self.server.metric("varve_followers") == 1, 20, "the others are gone")
        some.kill()

    def test_it_connects_again(self):
        process = self.follow("--source=h")
        self.logs.put(*[{"source": "h", "text": f"before {n}"} for n in range(3)])
        self.assertEqual([process.stdout.readline().rpartition(": ")[2].strip() for _ in range(3)], [f"before {n}" for n in range(3)])
        port = self.server.port
        self.server.kill()
        self.assertRegex(process.stderr.readline(), r"^varve: .*; connecting again$")
        self.server.start(**{"http.listen": f"127.0.0.1:{port}"})
        self.logs.put({"source": "h", "text": "after"})
        self.assertEqual(process.stdout.readline().rpartition(": ")[2].strip(), "after", "nothing twice, nothing missed")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=20), ("", ""))

    def test_written_to_seen(self):
        process = self.follow("--source=h")
        took = []
        for n in range(300):
            begin = time.monotonic()
            self.logs.put({"source": "h", "type": "T", "text": f"message {n}"})
            line = process.stdout.readline()
            took.append((time.monotonic() - begin) * 1000)
            self.assertTrue(line.endswith(f" h: message {n}\n"), line)
        took.sort()
        print(f"    varve logs -f: written to printed: median {took[150]:.1f} ms, 95 % {took[285]:.1f} ms, longest {took[-1]:.1f} ms", flush=True)


class Followers:
    """Connections that follow a question, each its own."""

    def __init__(self, port, bodies):
        self.port, self.selector, self.got, self.rest = port, selectors.DefaultSelector(), [], []
        self.add(bodies)

    def add(self, bodies):
        for body in bodies:
            s = socket.create_connection(("127.0.0.1", self.port), timeout=60)
            s.sendall(b"POST /analytics/query HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            self.selector.register(s, selectors.EVENT_READ, len(self.got))
            self.got.append([])
            self.rest.append(b"")

    def read_until(self, done, seconds=60):
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise TimeoutError(f"lines: {sorted({len(lines) for lines in self.got})}")
            for key, _ in self.selector.select(1):
                data = key.fileobj.recv(1 << 20)
                if not data:
                    raise EOFError(f"follower {key.data} is ended")
                *lines, self.rest[key.data] = (self.rest[key.data] + data).split(b"\n")
                if lines and lines[0].startswith(b"HTTP/") and b" 200 " not in lines[0]:
                    raise RuntimeError(f"follower {key.data}: {data.decode()}")
                self.got[key.data] += [json.loads(line) for line in lines if line.startswith(b"{")]  # not the heads of chunks

    def close(self):
        for key in list((self.selector.get_map() or {}).values()):
            key.fileobj.close()
        self.selector.close()


class Crowd(OwnServerCase):
    COUNT = 1000

    def body(self, source, **more):
        return json.dumps({"table": "MessageTable", "start_time": "now-1s", "follow": True, "select_fields": ["Xmlmessage"],
                           "where": [[{"name": "Source", "value": source, "op": 1}]], **more}).encode()

    @above_engines
    def test_a_thousand_followers_cost_one_evaluation(self):
        server = self.new_server().start()
        compared = lambda: server.metric("varve_followed_messages_total")  # noqa: E731
        before = server.peak_memory()
        # The same question, said in two ways.
        same = [self.body("h"), json.dumps(dict(reversed(json.loads(self.body("h", limit=100_000)).items())), indent=1).encode()]
        followers = Followers(server.port, [])
        self.addCleanup(followers.close)
        # Not all at once: a server refuses requests when hundreds wait.
        for _ in range(0, self.COUNT, 100):
            followers.add([same[n % 2] for n in range(100)])
            followers.read_until(lambda: server.metric("varve_followers") == len(followers.got))
        self.assertEqual(server.metric("varve_followed_questions"), 1)
        logs = Logs(server)
        took, cpu = [], self.cpu_ms(server)
        for n in range(100):
            begin = time.monotonic()
            logs.put({"source": "h", "text": str(n)}, {"source": "another", "text": "x"})
            followers.read_until(lambda n=n: all(len(lines) > n for lines in followers.got))
            took.append((time.monotonic() - begin) * 1000)
        self.assertEqual(compared(), 200)
        for lines in followers.got:
            self.assertEqual([row["Xmlmessage"] for row in lines], [str(n) for n in range(100)])
        took.sort()
        print(f"    {self.COUNT} followers, 1 question: written to read by all: median {took[50]:.0f} ms, 95 % {took[95]:.0f} ms; "
              f"{(self.cpu_ms(server) - cpu) / 100:.1f} ms of CPU a message; {(server.peak_memory() - before) / self.COUNT / 1024:.0f} KiB each", flush=True)

        # One more question is one more evaluation of each message, and nobody else's affair.
        other = Followers(server.port, [self.body("another")])
        self.addCleanup(other.close)
        wait_until(lambda: server.metric("varve_followed_questions") == 2, 20)
        logs.put({"source": "another", "text": "y"}, {"source": "h", "text": "100"})
        other.read_until(lambda: other.got[0][-1:] == [{"Xmlmessage": "y"}])
        followers.read_until(lambda: all(len(lines) == 101 for lines in followers.got))
        self.assertEqual(compared(), 204)
        followers.close()
        other.close()
        wait_until(lambda: server.metric("varve_followers") == 0, 30, "all are gone")
        self.assertEqual(server.metric("varve_followed_questions"), 0)
        logs.put({"source": "h", "text": "for nobody"})
        self.assertEqual(compared(), 204)

    def test_none_is_missed_or_twice_where_the_past_ends(self):
        """Followers that begin while a writer is busy."""
        server = self.new_server().start()
        logs = Logs(server)
        stop, sent = threading.Event(), 0

        def write():
            nonlocal sent
            while not stop.wait(0.002):
                logs.put(*[{"source": "h", "text": str(sent + n)} for n in range(20)])
                sent += 20

        writer = threading.Thread(target=write)
        writer.start()
        self.addCleanup(stop.set)
        readers = []
        for _ in range(5):
            before = sent
            wait_until(lambda before=before: sent > before + 100, 20, "progress")
            followers = Followers(server.port, [self.body("h", start_time="now-1h")])
            self.addCleanup(followers.close)
            last = lambda followers=followers: {"Xmlmessage": "the last"} in followers.got[0][-1:]  # noqa: E731
            readers.append((followers, threading.Thread(target=followers.read_until, args=(last,))))
            readers[-1][1].start()
        wait_until(lambda: server.metric("varve_followers") == 5, 20, "all follow")
        before = sent
        wait_until(lambda: sent > before + 100, 20, "progress")
        stop.set()
        writer.join()
        logs.put({"source": "h", "text": "the last"})
        for followers, reader in readers:
            reader.join(60)
            got = [row["Xmlmessage"] for row in followers.got[0]]
            self.assertEqual(sorted(got[:-1], key=int), [str(n) for n in range(sent)])

    @above_engines
    def test_who_does_not_read_is_dropped_and_no_other(self):
        server = self.new_server().start()
        quick = Followers(server.port, [self.body("h")])
        self.addCleanup(quick.close)
        body = self.body("h")
        slow = socket.socket()
        self.addCleanup(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(b"POST /analytics/query HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        wait_until(lambda: server.metric("varve_followers") == 2, 20)
        before, sent = server.peak_memory(), 0
        while server.metric("varve_followers_dropped_total") == 0 and sent < 200:
            http_request(server.port, "POST", "/api/v1/messages", json.dumps({"source": "h", "text": "x" * 500_000}))
            sent += 1
            quick.read_until(lambda sent=sent: len(quick.got[0]) == sent)
        self.assertEqual(server.metric("varve_followers_dropped_total"), 1)
        self.assertLess(server.peak_memory() - before, 100 << 20)

    @staticmethod
    def cpu_ms(server):
        with open(f"/proc/{server.process.pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 10


if __name__ == "__main__":
    unittest.main()
